"""Additive noise as a law of finitely many outputs: the rounding can only reduce the information."""

from __future__ import annotations

from math import expm1, sqrt
from typing import Any

import numpy as np
from scipy.stats import norm

from ...core.arrays import Array
from .hidden_records import Law, OneLaw

# Number of cells to which noise is rounded.
CELLS = 128
# Deviations of the noise that the cells reach.
REACH = 8.5
# Deviations of the other slots by which an output must outweigh them to be decisive alone.  At one deviation, merging
# loses up to a percent of delta and keeps the bound on the value of a transcript low.
DECISIVE = 1.0

# The places of the noise under the record, its replacement, and the slot's own record.
Centres = tuple[float, float, float]


def gaussian(centres: Centres, sigma: float) -> Law:
    """Return Gaussian noise about the centres, rounded to cells of one width."""
    edges = np.linspace(min(centres) - REACH * sigma, max(centres) + REACH * sigma, CELLS - 1)
    return rounded(norm(scale=sigma), centres, edges)


def discrete_gaussian(centres: Centres, sigma: float) -> Law:
    """Return discrete Gaussian noise, proportional to exp(-k^2/(2 sigma^2)), with the outermost integers merged."""
    last = int(REACH * sigma) + 2
    far = np.arange(-6 * last, 6 * last + 1)

    def row(centre: float) -> Array:
        masses = norm.pdf(far, centre, sigma)
        return np.asarray(np.bincount(np.clip(far, -last, last) + last, masses / masses.sum()), dtype=np.float64)

    record, replacement, reference = map(row, centres)
    return Law(reference, np.array([record, replacement]))


def rounded(noise: Any, centres: Centres, edges: Array) -> Law:
    """Return symmetric noise, a distribution of scipy, about the centres, rounded to the cells between the edges."""

    def row(centre: float) -> Array:
        ends = edges - centre
        # Tails of the nearer side keep their digits.
        inner = np.where(ends[:-1] >= 0.0, -np.diff(noise.sf(ends)), np.diff(noise.cdf(ends)))
        return np.concatenate([[noise.cdf(ends[0])], inner, [noise.sf(ends[-1])]])

    record, replacement, reference = map(row, centres)
    return Law(reference, np.array([record, replacement]))


def merge_decisive(target: OneLaw, epsilon: float) -> OneLaw:
    """Return the target with all outputs that decide for the record almost alone merged into one.

    The loss is small, and no likelihood ratio is huge.
    """
    law, share = target.law, target.weight / target.slots
    s = law.steps(epsilon)
    order = np.argsort(s)
    place = order.size
    while place > 1:
        rest = order[: place - 1]
        others = law.reference[rest] / law.reference[rest].sum()
        mean = float(others @ s[rest])
        spread = sqrt(target.slots * float(others @ (s[rest] - mean) ** 2))
        if share * (s[order[place - 1]] + target.slots * mean - DECISIVE * spread) < expm1(epsilon):
            break
        place -= 1
    separate, decisive = np.sort(order[:place]), order[place:]
    if decisive.size < 2:
        return target
    reference, record, replacement = (
        np.append(masses[separate], masses[decisive].sum()) for masses in (law.reference, *law.rows)
    )
    return OneLaw(target.name, target.slots, target.weight, Law(reference, np.array([record, replacement])))
