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
from .uneven_sums import ZERO, Uneven, drawn_together, one_step, reaching, stop_loss

# Relative width of the value at a fineness of 1, approximately.
WIDTH = 3e-2
# Largest number of cells of a grid.
MOST = 4000
# Least number of cells of a grid.
FEWEST = 64
# Probability that some step is below the lowest point.
LOWEST = 1e-8
# Least ratio of the largest step to the deficit that it has to compensate.
FAR = 4.0
# The largest exponent of a value.
STEEP = 600.0
# Share of the value that may be raised to the first edge.
LOW = 1e-6
# Rough grids: ratio of an edge to the one before.
RATIO = 1.15
# Rough grids: number of edges within WITHIN deviations of the mean.
NORMAL = 40
# Deviations of the mean within which there are NORMAL edges.
WITHIN = 8.0
# Rough grids: number of cells in a deviation of a step.
PER = 24
# Rough grids: share of the value that may be beyond their end.
HIGH = 1e-5
# Rough grids: their least edge, relative to A where X is 0.
SMALLEST = 1e-2
# One in so many of a rough grid's edges is kept where no more are needed, so that lengths grow gradually.
EVERY = 5.0
# Least need of a cell, as a share of its neighbours' need.
NEIGHBOUR = 0.7
# Least need of a cell, as a share of the greatest need.
NOTHING = 1e-12
# Least number of cells of one grid, as a share of the average.
LEAN = 0.2
# Largest number of cells of one grid, as a multiple of the average.
RICH = 3.0
# No grid is planned for smaller values.
SMALL = 1e-290
# No grid is planned for larger values.
LARGE = 1e290


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
    found: list[bool] = []
    for digit in f"{steps:b}"[1:]:
        found += [True] if digit == "0" else [True, False]
    return tuple(found)


def reach(increment: GaussianIncrement, steps: int, threshold: float, about: float, share: float) -> Sequence[float]:
    """Return the two points z between which values are resolved.

    A ``share`` of the value is above, and one step may lead far.
    """
    s = increment.s
    needed = FAR * (threshold + steps * increment.down) / increment.up
    high = s - float(ndtri(max(share * min(about / (steps * increment.up), 1.0), 1e-300)))
    high = min(max(high, log(needed) / s + 0.5 * s), STEEP / s + 0.5 * s)
    return max(float(ndtri(LOWEST / steps)), (log(increment.down) - STEEP) / s - 0.5 * s), high


def rough_value(increment: GaussianIncrement, steps: int, threshold: float, about: float) -> float:
    """Return an estimate of E(sum - threshold)_+, X and the threshold less the constants.

    It is useful if the value is not far from ``about``.
    """
    with np.errstate(over="ignore", invalid="ignore", under="ignore", divide="ignore"):
        first, *_, last = _chain(increment, steps, threshold, about)[0]
        return stop_loss(last.law, last.law if moves(steps)[-1] else first.law, threshold, Side.UPPER)


def planned(increment: GaussianIncrement, steps: int, threshold: float, about: float, finer: float) -> Grids | None:
    """Return grids for a value of ``about``; None where it is beyond the range of doubles."""
    (chain, high), kinds = _chain(increment, steps, threshold, about), moves(steps)
    first, last = chain[0], chain[-1]
    rest = last.law if kinds[-1] else first.law
    value = stop_loss(last.law, rest, threshold, Side.UPPER)
    if not SMALL < value < LARGE:
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
    shares = np.clip((losses / losses.mean()) ** 0.25, LEAN, RICH)
    cells = np.clip(np.sqrt(np.sum(losses / shares**2) / WIDTH) / finer * shares, FEWEST, MOST)
    edges = [_spread(part.edges, need, int(count)) for part, need, count in zip(chain, needs, cells, strict=True)]
    return Grids(edges, value, 2 * sum(part.law.values.size**2 for part in chain))


def _chain(increment: GaussianIncrement, steps: int, threshold: float, about: float) -> tuple[list[_Part], float]:
    """Return the law of one step and those after each move but the last, and the point where values end."""
    low, high = reach(increment, steps, threshold, about, HIGH)
    first = _part(increment, one_step(increment, low, high, PER, Side.LOWER), ZERO, 1, high)
    found = [first]
    for doubles in moves(steps)[:-1]:
        before = found[-1]
        other, count = (before.law, 2 * before.count) if doubles else (first.law, before.count + 1)
        found.append(_part(increment, before.law, other, count, high))
    return found, high


def _part(increment: GaussianIncrement, one: Uneven, other: Uneven, count: int, high: float) -> _Part:
    edges = reaching(_rough_edges(increment, count, high), one, other)
    left, right, _ = pair_sums(one.values, one.masses, other.values, other.masses, edges, 0.0, one is other)
    return _Part(count, drawn_together(left, right, edges, 0.0), edges, left + right)


def _rough_edges(increment: GaussianIncrement, count: int, high: float) -> Array:
    """Return edges at equal ratios on both sides of 0, and evenly spaced ones around the mean."""
    half, down = 0.5 * increment.s * increment.s, increment.down
    smallest = SMALLEST * exp(-half) * sqrt(increment.up * down)
    largest = 2.0 * max(increment.up * exp(increment.s * high - half), 10.0 * count * (increment.up + down))
    sizes = smallest * np.exp(log(RATIO) * np.arange(ceil((log(largest) - log(smallest)) / log(RATIO)) + 1.0))
    deviation = sqrt(count * increment.variance)
    around = count * (increment.up - down) + deviation * np.linspace(-WITHIN, WITHIN, NORMAL + 1)
    return np.unique(np.concatenate([-sizes, sizes, around[np.abs(around) < sizes[-1]] if count > 1 else []]))


def _needs(part: _Part, rest: Uneven, threshold: float, often: float, value: float) -> Array:
    r"""Return the need :math:`h (\frac mn f'' w)^{1/3}` of each cell; 0 below all that may exceed the threshold."""
    edges, y, q = part.edges, rest.values, rest.masses
    at = np.searchsorted(y, threshold - edges)
    beyond, moment = (np.append(np.cumsum(terms[::-1])[::-1], 0.0) for terms in (q, q * y))
    values = np.maximum(moment[at] - (threshold - edges) * beyond[at], 0.0)
    raised = np.maximum.accumulate(often * np.append(0.0, np.cumsum(part.masses)) * values)
    first = max(int(np.searchsorted(raised, LOW * value)) - 1, 0)
    last = int(np.flatnonzero(part.masses)[-1]) + 1
    gaps, widths = np.diff(y), np.diff(edges)
    middles = np.concatenate([y[:1] - gaps[:1], 0.5 * (y[1:] + y[:-1]), y[-1:] + gaps[-1:]])
    reached = np.maximum(np.diff(np.interp(threshold - edges, middles, beyond)), 0.0)
    found = np.cbrt(often * part.masses * reached * widths)
    found = np.maximum(found, NEIGHBOUR * np.maximum(np.append(found[1:], 0.0), np.append(0.0, found[:-1])))
    found = np.maximum(found, NOTHING * found.max() or 1.0)  # where nothing is needed any grid will do
    found[:first], found[last:] = 0.0, 0.0
    return np.asarray(found, dtype=np.float64)


def _spread(edges: Array, needs: Array, cells: int) -> Array:
    """Return edges of about ``cells`` cells in proportion to the needs, and of some wherever there is any need."""
    inside = np.flatnonzero(needs)
    first, last = int(inside[0]), int(inside[-1]) + 1
    places = np.append(0.0, np.cumsum(cells * needs[first:last] / needs[first:last].sum() + 1.0 / EVERY))
    found = np.interp(np.linspace(0.0, places[-1], ceil(places[-1]) + 1), places, edges[first : last + 1])
    # Only cells whose lengths exceed round-off are kept.
    return np.asarray(found[np.append(True, np.diff(found) > 1e-13 * np.abs(found[1:]))], dtype=np.float64)
