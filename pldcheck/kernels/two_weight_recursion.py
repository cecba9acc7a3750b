"""The hidden-slot recursion in blocks of slots with two weights, whose order is revealed slot by slot."""

import numpy as np

from ._jit import kernel
from .slot_recursion import ACE, BE, CF, _fill, _sweep, excess_of_one_step


@kernel
def _advance(old, new, best, ones, begin, end, length, first_kind, shifts, fractions, p_be, p_cf, p_ace):
    """Take all steps of :func:`block_potentials`; after an even number of them ``old`` holds the result."""
    rows, whole = old.shape
    for t in range(1, length + 1):
        for e in range(rows):
            for i in range(whole):
                new[e, i] = 0.0
        for e in range(min(t, rows)):  # e of the t - 1 remaining slots are empty
            for kind in range(first_kind, 2):
                target = e + 1 - kind
                share = target / t if kind == 0 else 1.0 - target / t
                if target >= rows:
                    continue
                _sweep(
                    old[e], best, begin, end, shifts[kind], fractions[kind], p_be, p_cf, p_ace,
                    ones[kind, 0], ones[kind, 1], ones[kind, 2],
                )  # fmt: skip
                row = new[target]
                for i in range(begin, end):
                    row[i] += share * best[i]
        for e in range(min(t + 1, rows)):
            _fill(new[e], end, whole, new[e, end - 1])
        old, new = new, old


def block_potentials(length, most, shifts, fractions, p_be, p_cf, p_ace, first, size):
    """Return G for blocks of ``length`` slots with e = 0..min(most, length) of them empty; rows are e.

    The unit is the grid step.  ``shifts`` and ``fractions`` are those of
    :func:`pldcheck.kernels.slot_recursion.potential`, row 0 for empty slots, row 1 for the others.  The window ``first
    .. first + size - 1`` must reach to where G vanishes on the left; right of it G is replaced by its value at the
    edge, which is upward.  Arrays are allocated here: allocations in a kernel take long to compile.
    """
    rows = min(most, length) + 1
    first_kind = 0 if rows > 1 else 1  # the moves of empty slots, by far the larger ones, may not occur
    pad = int(np.abs(shifts[first_kind:]).max()) + 2
    begin, end, whole = pad, pad + size, size + 2 * pad
    ones = np.empty((2, 3, whole))  # only the window of this array is used
    for kind in range(first_kind, 2):
        for row, vertices, probabilities in zip(ones[kind], (BE, CF, ACE), (p_be, p_cf, p_ace), strict=True):
            row[begin:end] = excess_of_one_step(first, size, vertices, shifts[kind], fractions[kind], probabilities)
    arrays = np.zeros((2, rows, whole))
    _advance(
        *arrays, np.zeros(whole), ones, begin, end, length, first_kind, shifts, fractions, p_be, p_cf, p_ace
    )  # fmt: skip
    return arrays[length % 2][:, begin:end].copy()
