"""The hidden-slot recursion in blocks of slots with two weights, whose order is revealed slot by slot."""

import numpy as np

from ._jit import kernel
from .slot_recursion import ACE, BE, CF, _fill, _sweep, excess_of_one_step


@kernel
def _advance(old, new, best, ones, origin, edges, first_kind, shifts, fractions, p_be, p_cf, p_ace):
    """Take all steps of :func:`block_potentials`; after an even number of them ``old`` holds the result."""
    rows, whole = old.shape
    last = edges.shape[0] - 1
    pad = origin - edges[last, rows - 1]
    for t in range(1, last + 1):
        for e in range(min(t + 1, rows)):  # e of the t slots are empty
            # Left of the window all zeros of the start are still there, since windows grow.
            begin, end = origin - edges[t, e], origin + edges[t, e] + 1
            row = new[e]
            _fill(row, begin, end, 0.0)
            for kind in range(first_kind, 2):
                before = e - 1 + kind  # so many of the other slots are empty
                if before < 0 or before > t - 1:
                    continue
                share = e / t if kind == 0 else 1.0 - e / t
                _sweep(
                    old[before], best, begin, end, shifts[kind], fractions[kind], p_be, p_cf, p_ace,
                    ones[kind, 0], ones[kind, 1], ones[kind, 2],
                )  # fmt: skip
                for i in range(begin, end):
                    row[i] += share * best[i]
            # The next step reads so far, and the result is as wide as its widest window.
            reach = whole if t == last else origin + edges[t + 1, min(e + 1, rows - 1)] + 1 + pad
            _fill(row, end, reach, row[end - 1])
        old, new = new, old


def block_potentials(edges, shifts, fractions, p_be, p_cf, p_ace):
    """Return G for blocks of slots, of which e = 0, 1, ... are empty; rows are e.

    The unit is the grid step.  ``edges[t, e]`` is the number of nodes on either side of zero beyond which G vanishes in
    blocks of t slots with e of them empty, for all t up to the length of the block; it increases with t and e.
    ``shifts`` and ``fractions`` are those of :func:`pldcheck.kernels.slot_recursion.potential`, row 0 for empty slots,
    row 1 for the others.  Right of the edge G is replaced by its value there, which is upward.  The window of the
    result is that of the largest edge.  Arrays are allocated here: allocations in a kernel take long to compile.
    """
    length, rows = edges.shape[0] - 1, edges.shape[1]
    first_kind = 0 if rows > 1 else 1  # the moves of empty slots, by far the larger ones, may not occur
    pad = int(np.abs(shifts[first_kind:]).max()) + 2
    edge = int(edges[-1, -1])
    begin, end, whole = pad, pad + 2 * edge + 1, 2 * edge + 1 + 2 * pad
    ones = np.empty((2, 3, whole))  # only the window of this array is used
    for kind in range(first_kind, 2):
        for row, vertices, probabilities in zip(ones[kind], (BE, CF, ACE), (p_be, p_cf, p_ace), strict=True):
            row[begin:end] = excess_of_one_step(
                -edge, 2 * edge + 1, vertices, shifts[kind], fractions[kind], probabilities
            )
    arrays = np.zeros((2, rows, whole))
    _advance(*arrays, np.zeros(whole), ones, pad + edge, edges, first_kind, shifts, fractions, p_be, p_cf, p_ace)
    return arrays[length % 2][:, begin:end].copy()
