r"""The best edges of uneven grids, from a rough calculation: results on any grid are certified.

An atom of the sum of n of m steps that is dispersed to the ends of a cell of length h changes the value by about
:math:`\frac{h^2}{12} f''`, f(x) the value where the other m - n steps start from x: f'' is their density at K - x.
With w the density of the sum of n steps, which counts m/n times, :math:`\frac mn \int \frac{h^2}{12} f'' w` is least,
for a fixed number of cells, where h is proportional to :math:`(f'' w)^{-1/3}`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, log, sqrt

import numpy as np
from scipy.special import ndtri

from ...core.arrays import Array
from ...core.directed import Side
from ...kernels.uneven_cells import pair_sums
from .slot_increments import GaussianIncrement
from .uneven_sums import ZERO, Uneven, draw_together, extend_edges, one_step, stop_loss

# Relative width of the value at a fineness of 1, approximately.
WIDTH = 3e-2
# Largest number of cells of a grid.
MOST_CELLS = 4000
# Least number of cells of a grid.
FEWEST_CELLS = 64
# Probability that some step is below the lowest point.
LOWEST_PROBABILITY = 1e-8
# Least ratio of the largest step to the deficit that it has to compensate.
JUMP_RATIO = 4.0
# The largest exponent of a value.
LARGEST_EXPONENT = 600.0
# Share of the value that may be raised to the first edge.
LOW_SHARE = 1e-6
# Rough grids: ratio of an edge to the one before.
RATIO = 1.15
# Rough grids: number of edges within NORMAL_DEVIATIONS deviations of the mean.
NORMAL_EDGES = 40
# Deviations of the mean within which there are NORMAL_EDGES edges.
NORMAL_DEVIATIONS = 8.0
# Rough grids: number of cells in a deviation of a step.
CELLS_PER_DEVIATION = 24
# Rough grids: share of the value that may be beyond their end.
HIGH_SHARE = 1e-5
# Rough grids: their least edge, relative to A where X is 0.
LEAST_EDGE = 1e-2
# One in so many of a rough grid's edges is kept where no more are needed, so that lengths grow gradually.
EVERY = 5.0
# Least need of a cell, as a share of its neighbours' need.
NEIGHBOUR_SHARE = 0.7
# Least need of a cell, as a share of the greatest need.
LEAST_NEED = 1e-12
# Least number of cells of one grid, as a share of the average.
FEWEST_SHARE = 0.2
# Largest number of cells of one grid, as a multiple of the average.
MOST_SHARE = 3.0
# No grid is planned for smaller values.
LEAST_VALUE = 1e-290
# No grid is planned for larger values.
LARGEST_VALUE = 1e290


@dataclass(frozen=True, eq=False)
class Grids:
    """Edges for one step and for the sum after each move but the last.

    ``value`` is an estimate, and ``work`` the number of pairs of atoms.
    """

    edges: Sequence[Array]
    value: float
    work: int


@dataclass(frozen=True, eq=False)
class _Part:
    """The sum of some steps: its law, and the masses of cells."""

    count: int
    law: Uneven
    edges: Array
    masses: Array


def moves(steps: int) -> tuple[bool, ...]:
    """Return the moves by which one step becomes ``steps`` steps: True doubles, False adds one step."""
    doublings: list[bool] = []
    for digit in f"{steps:b}"[1:]:
        doublings += [True] if digit == "0" else [True, False]
    return tuple(doublings)


def reach(increment: GaussianIncrement, steps: int, threshold: float, estimate: float, share: float) -> Sequence[float]:
    """Return the two points z between which values are resolved.

    A ``share`` of the value is above, and one step may lead far.
    """
    s = increment.s
    least_jump = JUMP_RATIO * (threshold + steps * increment.down) / increment.up
    high = s - float(ndtri(max(share * min(estimate / (steps * increment.up), 1.0), 1e-300)))
    high = min(max(high, log(least_jump) / s + 0.5 * s), LARGEST_EXPONENT / s + 0.5 * s)
    return max(float(ndtri(LOWEST_PROBABILITY / steps)), (log(increment.down) - LARGEST_EXPONENT) / s - 0.5 * s), high


def rough_value(increment: GaussianIncrement, steps: int, threshold: float, estimate: float) -> float:
    """Return an estimate of E(sum - threshold)_+, X and the threshold less the constants.

    It is useful if the value is not far from ``estimate``.
    """
    with np.errstate(over="ignore", invalid="ignore", under="ignore", divide="ignore"):
        first, *_, last = _chain(increment, steps, threshold, estimate)[0]
        return stop_loss(last.law, last.law if moves(steps)[-1] else first.law, threshold, Side.UPPER)


def plan_grids(
    increment: GaussianIncrement, steps: int, threshold: float, estimate: float, finer: float
) -> Grids | None:
    """Return grids for a value of ``estimate``; None where it is beyond the range of doubles."""
    (chain, high), kinds = _chain(increment, steps, threshold, estimate), moves(steps)
    first, last = chain[0], chain[-1]
    rest = last.law if kinds[-1] else first.law
    value = stop_loss(last.law, rest, threshold, Side.UPPER)
    if not LEAST_VALUE < value < LARGEST_VALUE:
        return None
    needs = [_needs(last, rest, threshold, steps / last.count, value)]
    for before, doubles in zip(chain[-2::-1], kinds[-2::-1], strict=True):
        # The rest after fewer moves includes the steps that the next move adds.
        other = before.law if doubles else first.law
        rest = _part(increment, rest, other, steps - before.count, high).law
        needs.append(_needs(before, rest, threshold, steps / before.count, value))
    needs.reverse()
    # Both ends together: cost is proportional to the square of the number of cells, the widening to its inverse.
    losses = np.array([2.0 * float(need.sum()) ** 3 / (12.0 * value) for need in needs])
    if not np.isfinite(losses).all():
        return None
    shares = np.clip((losses / losses.mean()) ** 0.25, FEWEST_SHARE, MOST_SHARE)
    cells = np.clip(np.sqrt(np.sum(losses / shares**2) / WIDTH) / finer * shares, FEWEST_CELLS, MOST_CELLS)
    edges = [_spread(part.edges, need, int(count)) for part, need, count in zip(chain, needs, cells, strict=True)]
    return Grids(edges, value, 2 * sum(part.law.values.size**2 for part in chain))


def _chain(increment: GaussianIncrement, steps: int, threshold: float, estimate: float) -> tuple[list[_Part], float]:
    """Return the law of one step and those after each move but the last, and the point where values end."""
    low, high = reach(increment, steps, threshold, estimate, HIGH_SHARE)
    first = _part(increment, one_step(increment, low, high, CELLS_PER_DEVIATION, Side.LOWER), ZERO, 1, high)
    parts = [first]
    for doubles in moves(steps)[:-1]:
        before = parts[-1]
        other, count = (before.law, 2 * before.count) if doubles else (first.law, before.count + 1)
        parts.append(_part(increment, before.law, other, count, high))
    return parts, high


def _part(increment: GaussianIncrement, one: Uneven, other: Uneven, count: int, high: float) -> _Part:
    edges = extend_edges(_rough_edges(increment, count, high), one, other)
    left, right, _ = pair_sums(one.values, one.masses, other.values, other.masses, edges, 0.0, one is other)
    return _Part(count, draw_together(left, right, edges, 0.0), edges, left + right)


def _rough_edges(increment: GaussianIncrement, count: int, high: float) -> Array:
    """Return edges at equal ratios on both sides of 0, and evenly spaced ones around the mean."""
    half, down = 0.5 * increment.s * increment.s, increment.down
    smallest = LEAST_EDGE * exp(-half) * sqrt(increment.up * down)
    largest = 2.0 * max(increment.up * exp(increment.s * high - half), 10.0 * count * (increment.up + down))
    sizes = smallest * np.exp(log(RATIO) * np.arange(ceil((log(largest) - log(smallest)) / log(RATIO)) + 1.0))
    deviation = sqrt(count * increment.variance)
    around = count * (increment.up - down) + deviation * np.linspace(
        -NORMAL_DEVIATIONS, NORMAL_DEVIATIONS, NORMAL_EDGES + 1
    )
    return np.unique(np.concatenate([-sizes, sizes, around[np.abs(around) < sizes[-1]] if count > 1 else []]))


def _needs(part: _Part, rest: Uneven, threshold: float, multiplicity: float, value: float) -> Array:
    r"""Return the need :math:`h (\frac mn f'' w)^{1/3}` of each cell; 0 below all that may exceed the threshold."""
    edges, y, q = part.edges, rest.values, rest.masses
    first_atoms = np.searchsorted(y, threshold - edges)
    beyond, moment = (np.append(np.cumsum(terms[::-1])[::-1], 0.0) for terms in (q, q * y))
    values = np.maximum(moment[first_atoms] - (threshold - edges) * beyond[first_atoms], 0.0)
    raising_costs = np.maximum.accumulate(multiplicity * np.append(0.0, np.cumsum(part.masses)) * values)
    first = max(int(np.searchsorted(raising_costs, LOW_SHARE * value)) - 1, 0)
    last = int(np.flatnonzero(part.masses)[-1]) + 1
    gaps, widths = np.diff(y), np.diff(edges)
    middles = np.concatenate([y[:1] - gaps[:1], 0.5 * (y[1:] + y[:-1]), y[-1:] + gaps[-1:]])
    rest_masses = np.maximum(np.diff(np.interp(threshold - edges, middles, beyond)), 0.0)
    needs = np.cbrt(multiplicity * part.masses * rest_masses * widths)
    needs = np.maximum(needs, NEIGHBOUR_SHARE * np.maximum(np.append(needs[1:], 0.0), np.append(0.0, needs[:-1])))
    needs = np.maximum(needs, LEAST_NEED * needs.max() or 1.0)  # where no cell has any need, any grid will do
    needs[:first], needs[last:] = 0.0, 0.0
    return np.asarray(needs, dtype=np.float64)


def _spread(edges: Array, needs: Array, cells: int) -> Array:
    """Return edges of about ``cells`` cells in proportion to the needs, and of some wherever there is any need."""
    inside = np.flatnonzero(needs)
    first, last = int(inside[0]), int(inside[-1]) + 1
    places = np.append(0.0, np.cumsum(cells * needs[first:last] / needs[first:last].sum() + 1.0 / EVERY))
    new_edges = np.interp(np.linspace(0.0, places[-1], ceil(places[-1]) + 1), places, edges[first : last + 1])
    # Only cells whose lengths exceed round-off are kept.
    return np.asarray(new_edges[np.append(True, np.diff(new_edges) > 1e-13 * np.abs(new_edges[1:]))], dtype=np.float64)
