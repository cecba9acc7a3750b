"""All sums of two privacy losses with finitely many values, collected in cells."""

import numpy as np

from ._jit import kernel


@kernel
def sums_in_cells(losses, masses, inverses, more, weights, more_inverses, edges, scales):
    """Return for each cell between edges the sums of m r and of m (1 - r), r = exp(edge - sum) of the cell's low edge.

    All pairs of a loss of the first law and one of the second, both in increasing order, add up, and m is the product
    of their masses.  ``inverses`` and ``more_inverses`` are exp(-loss), and ``scales`` exp(edge).  A sum that is below
    its cell by round-off has r = 1.  Each cell has at most losses.size + more.size roundings of either sum, relatively:
    those of one loss of the first law are added up by themselves.
    """
    cells = edges.size - 1
    kept, rise = np.zeros(cells), np.zeros(cells)
    for i in range(losses.size):
        loss, mass, inverse = losses[i], masses[i], inverses[i]
        k, j = 0, 0
        while j < more.size:
            while k < cells - 1 and loss + more[j] >= edges[k + 1]:
                k += 1
            last, scale = k == cells - 1, inverse * scales[k]
            low = high = 0.0
            while j < more.size and (last or loss + more[j] < edges[k + 1]):
                ratio = min(scale * more_inverses[j], 1.0)
                low += weights[j] * ratio
                high += weights[j] * (1.0 - ratio)
                j += 1
            kept[k] += mass * low
            rise[k] += mass * high
    return kept, rise
