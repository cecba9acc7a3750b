r"""Few steps as two: the sums of one half of them and of the other, each collected in cells.

All pairs of losses of two steps are added up, and their sums are collected in cells as a single step's outcomes are:
above, the mass of a cell goes to its two ends; below, a cell is one outcome.  All terms are positive, so that the only
errors are round-off and what the cells cost, however small delta is; :mod:`pldcheck.pld.paired_sum` then answers for
the two halves.  For few steps that is quicker and narrower than inversion: their characteristic functions hardly decay.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..core.directed import roundoff
from ..kernels.loss_folding import sums_in_cells
from .law_bounds import CutBounds, LawBounds, Parts
from .pair_cells import Cells
from .step_losses import Array, Atoms, Law

# Steps up to which they are folded; more are inverted.
MOST_STEPS = 8
# Cells of each of two steps, which need no further ones.
CELLS_OF_TWO = 6000
# Cells of each of several steps: all pairs of them are visited.
CELLS_OF_SEVERAL = 1200
# Cells of a sum of steps.
CELLS_OF_SUM = 1600
# Sums of losses whose exponentials are numbers with all their digits.
LARGEST_SUM = 600.0
# The least deviation of a loss: its sums are known to 4e-15 absolutely, whatever their size is.
LEAST_DEVIATION = 1e-7
# Values of each loss whose sums decide where cells lie.
VALUES_FOR_EDGES = 400
# Cells of width w in a law of density f are best where w is in proportion to f^(-1/3); tilts move masses outward, and a
# law twice as wide has the density f^(1/4) there.  The values are already in proportion to that for a single step.
SHARE_OF_MASS = 0.25


@lru_cache(maxsize=16)
def two_halves(parts: Parts, is_far: bool) -> Parts | None:
    """Return the steps as two, or None where there are too many, or where all are exact or some have no few values.

    ``is_far``: whether delta is so small that few cells do not reach it.  Three and more steps of tiny losses are left
    to inversion, too.
    """
    number = sum(count for _, count in parts)
    if not 2 <= number <= MOST_STEPS or (is_far and number > 2):
        return None
    cells = None if is_far else CELLS_OF_TWO if number == 2 else CELLS_OF_SEVERAL
    laws = [(bounds.cut(cells) if isinstance(bounds, CutBounds) else bounds, count) for bounds, count in parts]
    steps = tuple(bounds for bounds, count in laws for _ in range(count))
    if all(bounds.upper is bounds.lower for bounds in steps):
        return None
    if not all(_is_finite(law, number) for bounds in steps for law in (bounds.upper, bounds.lower)):
        return None
    if number > 2 and not any(_deviation(bounds.upper) >= LEAST_DEVIATION for bounds in steps):
        return None
    sums: dict[tuple[int, ...], LawBounds] = {}
    middle = number // 2
    return (_sum(steps[:middle], sums), 1), (_sum(steps[middle:], sums), 1)


def _is_finite(law: Law, number: int) -> bool:
    """Return whether a law has finitely many losses, none infinite, and sums of so many that are not too large."""
    if not isinstance(law, Atoms) or law.infinity > 0.0 or law.rule is not None:
        return False
    return number * float(np.max(np.abs(law.losses))) <= LARGEST_SUM


def _deviation(law: Law) -> float:
    """Return the standard deviation of a law of finitely many losses."""
    assert isinstance(law, Atoms)
    mean = float(np.sum(law.masses * law.losses))
    return float(np.sqrt(np.sum(law.masses * (law.losses - mean) ** 2)))


def _sum(steps: tuple[LawBounds, ...], sums: dict[tuple[int, ...], LawBounds]) -> LawBounds:
    """Return the sum of some steps; equal ones are kept in ``sums``, by the steps they consist of."""
    if len(steps) == 1:
        return steps[0]
    key, middle = tuple(map(id, steps)), len(steps) // 2
    if key not in sums:
        sums[key] = fold(_sum(steps[:middle], sums), _sum(steps[middle:], sums))
    return sums[key]


def fold(one: LawBounds, other: LawBounds) -> LawBounds:
    """Return the sum of two steps of finitely many losses, in about ``CELLS_OF_SUM`` cells."""
    laws = [law for law in (one.upper, one.lower, other.upper, other.lower) if isinstance(law, Atoms)]
    assert len(laws) == 4
    edges = _edges(laws[0], laws[2])
    for first, second in (laws[0::2], laws[1::2]):
        edges[0] = min(edges[0], np.min(first.losses) + np.min(second.losses))
        edges[-1] = max(edges[-1], np.max(first.losses) + np.max(second.losses))
    return LawBounds(_cells(laws[0], laws[2], edges).disperse(), _cells(laws[1], laws[3], edges).merge())


def _edges(one: Atoms, other: Atoms) -> Array:
    """Return edges of cells, half of them by the numbers of sums between them, half by their masses as well."""
    few = [_in_order(law, VALUES_FOR_EDGES) for law in (one, other)]
    sums = np.add.outer(few[0][0], few[1][0]).ravel()
    weights = np.multiply.outer(few[0][1] ** SHARE_OF_MASS, few[1][1] ** SHARE_OF_MASS).ravel()
    order = np.argsort(sums, kind="stable")
    shares = np.linspace(0.0, 1.0, CELLS_OF_SUM // 2)
    edges = [np.interp(shares, np.linspace(0.0, 1.0, sums.size), sums[order])]
    edges.append(np.interp(shares, np.cumsum(weights[order]) / np.sum(weights), sums[order]))
    return np.unique(np.concatenate([*edges, [sums[order[0]], np.nextafter(sums[order[-1]], np.inf)]]))


def _in_order(law: Atoms, most: int | None = None) -> tuple[Array, Array]:
    """Return losses in increasing order and their masses, of at most so many losses."""
    order = np.argsort(law.losses, kind="stable")
    if most is not None and most < order.size:
        order = order[np.linspace(0, order.size - 1, most).astype(int)]
    return law.losses[order], law.masses[order]


def _cells(one: Atoms, other: Atoms, edges: Array) -> Cells:
    """Return all sums of a loss of each law in cells between these edges, with what decides where their mass goes."""
    (losses, masses), (more, weights) = _in_order(one), _in_order(other)
    kept, rise = sums_in_cells(losses, masses, np.exp(-losses), more, weights, np.exp(-more), edges, np.exp(edges))
    roundings = 2 * (losses.size + more.size)
    reach = float(np.max(np.abs(edges)))
    return Cells(
        p=kept + rise,
        q=kept * np.exp(-edges[:-1]),
        low=edges[:-1],
        high=edges[1:],
        rise=rise,
        mass_error=(1.0 + one.mass_error) * (1.0 + other.mass_error) - 1.0 + roundoff(roundings + 32),
        # exp(edge - sum), of which the rise is the distance from 1, has three functions with 4 roundings and two
        # products; a sum of losses has one rounding, and so have the edges.
        loss_error=one.loss_error + other.loss_error + roundoff(32) + roundoff(4, reach),
        cut=one.cut + other.cut,
        largest_order=min(one.largest_order, other.largest_order),
    )
