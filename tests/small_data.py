"""Slow twins of releases with noise on a few records: all their samples enumerated, delta on a fine grid.

They share no code with pldcheck.  A law of sums is a dictionary: the probability of each sum of the used records.
"""

from __future__ import annotations

from itertools import combinations, product
from math import exp, sqrt

import numpy as np

Sums = dict[float, float]
# The distance of points of the grid, over sigma.
SPACING = 1e-3


def sums_of_batches(values, batch: int, anew: bool) -> Sums:
    """Return the law of the sum of a batch of one size; ``anew``: each record of a batch is drawn of all."""
    law: Sums = {}
    batches = list(product(values, repeat=batch)) if anew else list(combinations(values, batch))
    for one in batches:
        law[sum(one)] = law.get(sum(one), 0.0) + 1.0 / len(batches)
    return law


def sums_of_cut_samples(values, rate: float, most: int) -> Sums:
    """Return the law of the sum of a Poisson sample, of which a random part is used if there are more than ``most``."""
    law: Sums = {}
    for size in range(len(values) + 1):
        for sample in combinations(range(len(values)), size):
            chance = rate**size * (1 - rate) ** (len(values) - size)
            parts = list(combinations(sample, min(size, most)))
            for part in parts:
                total = sum(values[i] for i in part)
                law[total] = law.get(total, 0.0) + chance / len(parts)
    return law


def delta(one: Sums, other: Sums, sigma: float, epsilon: float) -> float:
    """Return delta of two laws of sums with Gaussian noise; the error of the grid is below 1e-7.

    All sums are from -4 to 4.
    """
    x = np.arange(-7.0 * sigma - 4.0, 7.0 * sigma + 4.0, SPACING * sigma)

    def density(law):
        return sum(chance * np.exp(-0.5 * ((x - total) / sigma) ** 2) for total, chance in law.items())

    gains = np.maximum(density(one) - exp(epsilon) * density(other), 0.0)
    return float(np.sum(gains)) * SPACING / sqrt(2.0 * np.pi)
