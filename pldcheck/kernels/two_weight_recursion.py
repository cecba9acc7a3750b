"""The hidden-slot recursion in blocks of slots with two weights, whose order is revealed slot by slot."""

import numpy as np

from ._jit import kernel
from .slot_recursion import ACE, BE, CF, _sweep, excess_of_one_step


@kernel
def block_potentials(length, most, shifts, fractions, p_be, p_cf, p_ace, first, size):
    """Return G for blocks of ``length`` slots with e = 0..min(most, length) of them empty; rows are e.

    The unit is the grid step.  ``shifts`` and ``fractions`` are those of
    :func:`pldcheck.kernels.slot_recursion.potential`, row 0 for empty slots, row 1 for the others.  The window ``first
    .. first + size - 1`` must reach to where G vanishes on the left; right of it G is replaced by its value at the
    edge, which is upward.
    """
    rows = min(most, length) + 1
    farthest, first_kind = 0, 0 if rows > 1 else 1  # the moves of empty slots, by far the larger ones, may not occur
    for kind in range(first_kind, 2):
        for v in range(5):
            farthest = max(farthest, abs(shifts[kind, v]))
    pad = farthest + 2
    whole = size + 2 * pad
    begin, end = pad, pad + size
    ones = np.empty((2, 3, whole))  # only the window of this array is used
    for kind in range(first_kind, 2):
        excess_of_one_step(ones[kind, 0, begin:end], first, BE, shifts[kind], fractions[kind], p_be)
        excess_of_one_step(ones[kind, 1, begin:end], first, CF, shifts[kind], fractions[kind], p_cf)
        excess_of_one_step(ones[kind, 2, begin:end], first, ACE, shifts[kind], fractions[kind], p_ace)
    old, new, best = np.zeros((rows, whole)), np.zeros((rows, whole)), np.zeros(whole)
    for t in range(1, length + 1):
        new[:] = 0.0
        for e in range(min(t, rows)):  # e of the t - 1 remaining slots are empty
            for kind in range(first_kind, 2):
                to = e + 1 - kind
                share = to / t if kind == 0 else 1.0 - to / t
                if to >= rows:
                    continue
                _sweep(
                    old[e], best, begin, end, shifts[kind], fractions[kind], p_be, p_cf, p_ace,
                    ones[kind, 0], ones[kind, 1], ones[kind, 2],
                )  # fmt: skip
                row = new[to]
                for i in range(begin, end):
                    row[i] += share * best[i]
        for e in range(min(t + 1, rows)):
            new[e, end:] = new[e, end - 1]
        old, new = new, old
    return old[:, begin:end].copy()
