"""Sums of two laws with arbitrary atoms, sorted into the cells of an uneven grid."""

import math

import numpy as np

from ._jit import kernel


@kernel
def pair_sums(values, masses, others, weights, edges, nudge, same):
    """Return the masses of the sums of all pairs, by cell and by their share of its width.

    Values and edges increase.  Sums are moved by ``nudge`` times their size: with +-2^-52, their rounding has one
    direction.  ``same`` says that both laws are equal.  Returns (by cell, the mass times the share to the right of the
    sum; the same to its left; the mass below the first edge).  Sums beyond the last edge count in the last cell.  All
    terms are positive and are summed row by row: the relative error is that of as many additions as there are atoms.
    """
    cells = edges.size - 1
    inverse = 1.0 / (edges[1:] - edges[:-1])
    to_left, to_right = np.zeros(cells), np.zeros(cells)
    below = 0.0
    for i in range(values.size):
        value = values[i]
        j = i if same else 0
        weight = 0.5 if same else 1.0  # pairs of different atoms count twice
        total, under = 0.0, 0.0
        while j < others.size:
            total = value + others[j]
            total += nudge * abs(total)
            if total >= edges[0]:
                break
            under += weights[j] * weight
            weight = 1.0
            j += 1
        below += masses[i] * under
        if j == others.size:
            continue
        k = min(np.searchsorted(edges, total, side="right") - 1, cells - 1)
        low, high = edges[k], edges[k + 1]
        limit = high if k < cells - 1 else math.inf
        left, right = weights[j] * weight * (high - total), weights[j] * weight * (total - low)
        for other in range(j + 1, others.size):
            total = value + others[other]
            total += nudge * abs(total)
            if total >= limit:
                # The order matters: a mass over a length may underflow.
                to_left[k] += left * inverse[k] * masses[i]
                to_right[k] += right * inverse[k] * masses[i]
                left, right = 0.0, 0.0
                while k < cells - 1 and total >= edges[k + 1]:
                    k += 1
                low, high = edges[k], edges[k + 1]
                limit = high if k < cells - 1 else math.inf
            mass = weights[other]
            left += mass * (high - total)
            right += mass * (total - low)
        to_left[k] += left * inverse[k] * masses[i]
        to_right[k] += right * inverse[k] * masses[i]
    if same:
        return 2.0 * to_left, 2.0 * to_right, 2.0 * below
    return to_left, to_right, below
