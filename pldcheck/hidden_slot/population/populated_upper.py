r"""Certified upper end of random check-ins with a known number of clients.

With blocks of b slots whose numbers of empty ones are independent, Y ~ the law whose stop-loss transform is their mixed
potential (:mod:`pldcheck.hidden_slot.population.empty_slot_blocks`), and R, v, pi' of
:mod:`pldcheck.hidden_slot.population.occupied_pattern`,

.. math:: \delta(\epsilon) \le R \frac{p_0}m E\Big(-\frac{(\kappa - 1) m}{p_0} + Y_1 + \dots + Y_{m/b}\Big)_+
          + P(\text{missed})\, \delta_{n=1}(\epsilon) .
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from math import erfc, exp, expm1, inf, log, pi, sqrt

import numpy as np

from ...core.arrays import Array
from ...core.directed import UNIT, enlarge, roundoff, shrink
from ...core.interval import UNDERFLOW
from ...kernels.binomial_tails import log_pmf_range
from ...pld.lattice_fourier import dominating_contour
from ..worst import worst_intervals
from ..worst.joined_block_law import joined_law
from ..worst.slot_problem import Slot
from ..worst.step_laws import Steps
from .empty_slot_blocks import ROUNDINGS, Potentials, potentials, reach
from .occupied_pattern import LikelyRange, Pattern, likely_range, patterns
from .slot_occupancy import Occupancy

# Grid step in deviations of an average slot.
GRID = 0.1
# Number of slots up to which all of them are one block.
ONE_BLOCK = 256
# Largest number of slots in a block elsewhere.  In 30 questions about random populations twice as many lowered no upper
# end by more than .4 %.
LONGEST_BLOCK = 128
# Number of slots below which tails are not normal, and the grid is finer.
FEW_SLOTS = 100.0
# Node-steps of one table of potentials (2.5 ns each) beyond which blocks are shortened.
MOST_WORK = 3e7
# The same number where many tables are needed.
CHEAP_WORK = 5e6
# Spacing of the atoms of a block's law in its deviations.
COARSE_SPACING = 0.025
# Largest number of atoms of a block's law.
MOST_ATOMS = 40_000
# Number of nodes of a grid, at MOST_WORK, beyond which nothing is computed: weights then differ by many orders of
# magnitude.
MOST_NODES = 4_000_000
# Number of patterns whose bounds are computed.  In 85 questions about random populations the best of five was among the
# first two of the estimate but for one, and the first but for eight.
TRIED = 2
# Deviations beyond which a normal excess is close to its asymptotic form, and the difference would cancel.
FAR = 6.0


@dataclass(frozen=True)
class UpperDelta:
    """``delta >= delta(epsilon)``; ``truncation`` and ``rounding`` are part of it."""

    delta: float
    truncation: float
    rounding: float


@dataclass(frozen=True)
class Population:
    """The number of ``clients``, each of which checks in with ``check_in_prob`` to one of ``steps`` slots."""

    steps: int
    eps0: float
    check_in_prob: float
    clients: int

    @property
    def slot(self) -> Slot:
        """The hidden slot that applies with one client."""
        return Slot(self.steps, self.eps0, self.check_in_prob)

    @cached_property
    def others(self) -> Occupancy:
        """The occupancy of the slots by the other clients."""
        return Occupancy(self.steps, self.clients - 1, self.check_in_prob)

    def alone(self, epsilon: float) -> float:
        """Return an upper bound of delta with one client."""
        return worst_intervals.delta_above(self.slot, epsilon)


@dataclass(frozen=True)
class Setting:
    """The data that do not depend on epsilon: the numbers of empty slots in question, and the independent patterns."""

    empty_range: LikelyRange
    choices: tuple[Pattern, ...]

    @classmethod
    def of(cls, population: Population, tolerance: float) -> Setting:
        """Return the setting that covers all but ``tolerance`` of the probability."""
        empty_range = likely_range(population.others, tolerance)
        return cls(empty_range, tuple(patterns(population.others, empty_range)))


def delta_upper(
    population: Population, epsilon: float, setting: Setting, tolerance: float, work: float = MOST_WORK
) -> UpperDelta:
    """Return an upper bound of delta(epsilon); a probability ``tolerance`` may be missed."""
    m, eps0, p0, _ = population.slot
    steps, empty_range = Steps(eps0, epsilon), setting.empty_range
    if empty_range.most == 0:  # no slot is empty, so all weights are v
        miss_delta = empty_range.outside * population.alone(epsilon)
        # The weight is rounded up: next to the largest loss its last digit changes many digits of delta.
        hidden_slot_delta = worst_intervals.delta_above(
            Slot(m, eps0, min(enlarge(p0 * empty_range.weight, 4), 1.0)), epsilon
        )
        return UpperDelta(min(enlarge(hidden_slot_delta, 16) + miss_delta, 1.0), miss_delta, 0.0)
    empty = population.others.empty
    deviation = steps.deviation * sqrt(empty + (1.0 - empty) * empty_range.weight**2)
    plan = _plan(population, steps, empty_range, deviation, tolerance, work)
    if plan is None:
        return UpperDelta(1.0, 1.0, 0.0)
    block, most, grid = plan
    table = potentials(steps, empty_range.weight, grid, block, most)
    miss_delta = min(empty_range.outside + population.others.crowding_probability(block, most), 1.0) * population.alone(
        epsilon
    )
    start, scale = shrink(-expm1(epsilon) * m / p0, 8), p0 / m
    best = UpperDelta(1.0, 1.0, 0.0)
    for choice in _most_promising(setting, steps, -start, m):
        values = table.mixture(_chances(block, choice.empty, most))
        ends = _stop_loss(values, table, -(-m // block), start, deviation * sqrt(block))
        factor = enlarge(scale * choice.price, 16)
        best = min(best, UpperDelta(*(min(factor * end, 1.0) for end in ends)), key=lambda bound: bound.delta)
    return UpperDelta(
        min(best.delta + miss_delta + UNDERFLOW, 1.0), min(best.truncation + miss_delta, 1.0), best.rounding
    )


def _most_promising(setting: Setting, steps: Steps, threshold: float, slots: int) -> list[Pattern]:
    """Return the patterns whose price times stop-loss transform would be least if the sum of all slots were normal."""

    def estimate(choice: Pattern) -> float:
        square = choice.empty + (1.0 - choice.empty) * setting.empty_range.weight**2
        spread = steps.deviation * sqrt(slots * square)
        return log(choice.price) + log(spread) + _log_normal_excess(threshold / spread)

    # A tail that underflows bounds nothing.
    return nsmallest(TRIED, (choice for choice in setting.choices if choice.price < inf), key=estimate)


def _log_normal_excess(x: float) -> float:
    """Return about log E(Z - x)_+ of a standard normal Z."""
    value = exp(-0.5 * x * x) / sqrt(2.0 * pi) - 0.5 * x * erfc(x / sqrt(2.0))
    return log(value) if x < FAR else -0.5 * x * x - 2.0 * log(x) - 0.5 * log(2.0 * pi)


def _stop_loss(
    values: Array, table: Potentials, blocks: int, start: float, deviation: float
) -> tuple[float, float, float]:
    """Return an upper bound of E(start + sum)_+ of independent blocks, truncation and rounding."""
    step, first = table.step, table.first
    if blocks == 1:
        value = step * interpolate(values, first, start / step)
        return value, 0.0, ROUNDINGS * table.length * UNIT * value
    every = max(int(COARSE_SPACING * deviation / step), -(-values.size // MOST_ATOMS), 1)
    low = every * (first // every)
    law = joined_law(np.concatenate([np.zeros(first - low), values]), low, every, step, table.length)
    # The contour needs a start below zero; the transform rises by no more than the start does.
    before = min(start, -1e-9 * deviation)
    guess = max(-before, deviation) / (blocks * deviation**2)
    with np.errstate(over="ignore", invalid="ignore"):  # numbers may overflow, and the answer is then infinite
        answer = dominating_contour(law, blocks, before, guess).at(before)
    bound = answer.upper + (start - before), answer.truncation, answer.rounding
    return bound if np.isfinite(bound[0]) else (np.inf, 0.0, 0.0)


def _plan(
    population: Population, steps: Steps, empty_range: LikelyRange, deviation: float, tolerance: float, work: float
) -> tuple[int, int, float] | None:
    """Return the slots of a block, the largest number of empty ones, and the grid step.

    It returns None where even one slot takes too many nodes.
    """
    grid = GRID * deviation * min(max(population.steps / FEW_SLOTS, 0.1), 1.0)
    whole = population.steps
    block = whole if whole <= ONE_BLOCK else _nearly_dividing(whole, LONGEST_BLOCK)
    while block > 1:
        most, nodes = _size(population, steps, empty_range, grid, block, tolerance)
        if block * (most + 1) * nodes < work:
            return block, most, grid
        block = _nearly_dividing(whole, max(int(0.75 * block), 1))
    # Single slots, joined, bound a few heavy slots badly: all slots are taken together on a coarser grid instead.
    last = (1, grid, MOST_NODES * (work / MOST_WORK))
    for length, step, nodes_at_most in (last,) if whole == 1 else ((whole, GRID * deviation, inf), last):
        most, nodes = _size(population, steps, empty_range, step, length, tolerance)
        if length * (most + 1) * nodes < work and nodes < nodes_at_most:
            return length, most, step
    return None


def _size(
    population: Population, steps: Steps, empty_range: LikelyRange, grid: float, block: int, tolerance: float
) -> tuple[int, int]:
    """Return a number of empty slots of a block that is hardly ever exceeded, and the nodes of its grid."""
    low, most = 0, min(block, empty_range.most)
    while low < most:  # bisection for the fewest
        middle = (low + most) // 2
        if population.others.crowding_probability(block, middle) <= 0.1 * tolerance:
            most = middle
        else:
            low = middle + 1
    return most, 2 * reach(steps, empty_range.weight, grid, block, most)


def _nearly_dividing(count: int, block: int) -> int:
    """Return a length not much smaller than ``block`` for which the last block needs the fewest extra slots."""
    return min(range(block, max(int(0.75 * block), 1) - 1, -1), key=lambda length: -(-count // length) * length)


def _chances(length: int, empty: float, most: int) -> Array:
    """Return the probabilities, rounded up, of 0, 1, ... empty slots of ``length``; ``most`` and more together."""
    last = min(most, length)
    if empty in (0.0, 1.0):
        chances = np.zeros(last + 1)
        chances[last if empty else 0] = 1.0
        return chances
    logs, error = log_pmf_range(length, 0, length + 1, empty, 1.0 - empty)
    all_chances = np.exp(logs) * (1.0 + error + roundoff(64))
    chances = all_chances[: last + 1].copy()
    chances[last] += float(np.sum(all_chances[last + 1 :]))
    return chances


def interpolate(values: Array, first: int, place: float) -> float:
    """Return V between two nodes, in units of the grid, for a place that is not positive."""
    node = int(np.floor(place))
    index, fraction = node - first, place - node
    if index < 0:
        return float(values[0])
    return enlarge(float((1.0 - fraction) * values[index] + fraction * values[index + 1]), 8)
