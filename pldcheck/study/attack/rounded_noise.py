"""Additive noise as a law of finitely many outputs: what is seen is rounded, which can only tell less."""

from __future__ import annotations

from math import expm1, sqrt

import numpy as np
from scipy.special import ndtr

from ...core.arrays import Array
from .attacked_mechanism import Law
from .attacked_slots import OneLaw

# Cells that the noise is rounded to.
CELLS = 512
# How many deviations of the noise the cells reach.
REACH = 8.5
# Deviations of the other slots by which an output must outweigh them to count as deciding alone.  Merging loses up to a
# percent of delta, with one, and keeps the bound of a transcript's value low.
DECISIVE = 1.0


def gaussian(centres: tuple[float, float, float], sigma: float) -> Law:
    """Gaussian noise about the record, its replacement and the slot's own record, rounded to cells of one width."""
    edges = np.linspace(min(centres) - REACH * sigma, max(centres) + REACH * sigma, CELLS - 1)
    record, replacement, reference = (_cells((edges - centre) / sigma) for centre in centres)
    return Law(reference, np.array([record, replacement]))


def discrete_gaussian(centres: tuple[int, int, int], sigma: float) -> Law:
    """Return integers k with probabilities proportional to exp(-k^2/(2 sigma^2)), the outermost as one."""
    last = int(REACH * sigma) + 2
    far = np.arange(-last - 40 * int(sigma + 1.0), last + 40 * int(sigma + 1.0) + 1)
    rows = []
    for centre in centres:
        masses = np.exp(-0.5 * ((far - centre) / sigma) ** 2)
        masses /= masses.sum()
        inside = np.abs(far) < last
        rows.append(np.concatenate([[masses[far <= -last].sum()], masses[inside], [masses[far >= last].sum()]]))
    return Law(rows[2], np.array(rows[:2]))


def laplace(centres: tuple[float, float, float], eps0: float) -> Law:
    """Laplace noise of scale 1/eps0 about points of [0, 1], beyond which nothing more is told, rounded to cells."""
    edges = np.linspace(0.0, 1.0, CELLS - 1)

    def row(centre: float) -> Array:
        left = 0.5 * np.exp(-eps0 * np.abs(edges - centre))
        # Differences of the nearer tails; across the centre the sum is 1.
        inner = np.where(
            edges[1:] <= centre,
            left[1:] - left[:-1],
            np.where(edges[:-1] >= centre, left[:-1] - left[1:], 1.0 - left[1:] - left[:-1]),
        )
        below = left[0] if centre >= 0.0 else 1.0
        above = left[-1] if centre <= 1.0 else 1.0
        return np.concatenate([[below], inner, [above]])

    record, replacement, reference = map(row, centres)
    return Law(reference, np.array([record, replacement]))


def decisive_merged(attacked: OneLaw, epsilon: float) -> OneLaw:
    """Outputs that show the record almost whatever the other slots say, as one: hardly a loss, and no ratio is huge."""
    law, share = attacked.law, attacked.weight / attacked.slots
    s = law.steps(epsilon)
    order = np.argsort(s)
    for place in range(order.size - 1, 0, -1):
        rest = order[:place]
        others = law.reference[rest] / law.reference[rest].sum()
        spread = sqrt(attacked.slots * float(others @ (s[rest] - others @ s[rest]) ** 2))
        drift = attacked.slots * float(others @ s[rest])
        if share * (s[order[place]] + drift - DECISIVE * spread) < expm1(epsilon):
            break
    else:
        place = 0
    kept, merged = order[: place + 1], order[place + 1 :]
    if merged.size < 2:
        return attacked
    kept = np.sort(kept)

    def row(masses: Array) -> Array:
        return np.append(masses[kept], masses[merged].sum())

    fewer = Law(row(law.reference), np.array([row(masses) for masses in law.rows]))
    return OneLaw(attacked.name, attacked.slots, attacked.weight, fewer, attacked.seen)


def _cells(edges: Array) -> Array:
    """Return masses of a standard normal in the cells between the edges and beyond them, from the nearer tails."""
    left, right = edges[:-1], edges[1:]
    inner = np.where(left >= 0.0, ndtr(-left) - ndtr(-right), ndtr(right) - ndtr(left))
    return np.concatenate([[ndtr(edges[0])], inner, [ndtr(-edges[-1])]])
