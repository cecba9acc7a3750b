"""Additive noise as a law of finitely many outputs: the rounding can only reduce the information."""

from __future__ import annotations

from math import expm1, sqrt

import numpy as np
from scipy.special import ndtr

from ...core.arrays import Array
from .attacked_mechanism import Law
from .attacked_slots import OneLaw

# Number of cells to which the noise is rounded.
CELLS = 512
# Deviations of the noise that the cells reach.
REACH = 8.5
# Deviations of the other slots by which an output must outweigh them to be decisive alone.  At one deviation, merging
# loses up to a percent of delta and keeps the bound on the value of a transcript low.
DECISIVE = 1.0


def gaussian(centres: tuple[float, float, float], sigma: float) -> Law:
    """Return Gaussian noise about record, replacement and the slot's own record, rounded to cells of one width."""
    edges = np.linspace(min(centres) - REACH * sigma, max(centres) + REACH * sigma, CELLS - 1)
    record, replacement, reference = (_cells((edges - centre) / sigma) for centre in centres)
    return Law(reference, np.array([record, replacement]))


def discrete_gaussian(centres: tuple[int, int, int], sigma: float) -> Law:
    """Return discrete Gaussian noise, proportional to exp(-k^2/(2 sigma^2)), with the outermost integers merged."""
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
    """Return Laplace noise of scale 1/eps0 about points of [0, 1], rounded to cells.

    Outputs beyond an end of [0, 1] have the same likelihood ratios and are one cell.
    """
    edges = np.linspace(0.0, 1.0, CELLS - 1)

    def row(centre: float) -> Array:
        tails = 0.5 * np.exp(-eps0 * np.abs(edges - centre))
        # Differences of the nearer tails; the cell of the centre is the rest to 1.
        inner = np.where(
            edges[1:] <= centre,
            tails[1:] - tails[:-1],
            np.where(edges[:-1] >= centre, tails[:-1] - tails[1:], 1.0 - tails[1:] - tails[:-1]),
        )
        below = tails[0] if centre >= 0.0 else 1.0
        above = tails[-1] if centre <= 1.0 else 1.0
        return np.concatenate([[below], inner, [above]])

    record, replacement, reference = map(row, centres)
    return Law(reference, np.array([record, replacement]))


def merge_decisive(target: OneLaw, epsilon: float) -> OneLaw:
    """Return the target with all outputs that decide for the record almost alone merged into one.

    The loss is small, and no likelihood ratio is huge.
    """
    law, share = target.law, target.weight / target.slots
    s = law.steps(epsilon)
    order = np.argsort(s)
    for place in range(order.size - 1, 0, -1):
        rest = order[:place]
        others = law.reference[rest] / law.reference[rest].sum()
        spread = sqrt(target.slots * float(others @ (s[rest] - others @ s[rest]) ** 2))
        drift = target.slots * float(others @ s[rest])
        if share * (s[order[place]] + drift - DECISIVE * spread) < expm1(epsilon):
            break
    else:
        place = 0
    separate, decisive = order[: place + 1], order[place + 1 :]
    if decisive.size < 2:
        return target
    separate = np.sort(separate)

    def row(masses: Array) -> Array:
        return np.append(masses[separate], masses[decisive].sum())

    fewer = Law(row(law.reference), np.array([row(masses) for masses in law.rows]))
    return OneLaw(target.name, target.slots, target.weight, fewer, target.observation)


def _cells(edges: Array) -> Array:
    """Return the masses of a standard normal in the cells between the edges and beyond, from the nearer tails."""
    left, right = edges[:-1], edges[1:]
    inner = np.where(left >= 0.0, ndtr(-left) - ndtr(-right), ndtr(right) - ndtr(left))
    return np.concatenate([[ndtr(edges[0])], inner, [ndtr(-edges[-1])]])
