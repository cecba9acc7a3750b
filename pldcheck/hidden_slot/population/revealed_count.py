r"""Upper end for up to some sixty slots: the number of empty slots is revealed, and its law is taken exactly.

Reveal E, the number of empty slots, at first, and slot by slot which they are
(:mod:`pldcheck.hidden_slot.population.occupied_pattern`).  Given E = e the empty slots are a uniform set, and an
occupied one has weight v(m - e) beside 1.  With V_{m,e} the potentials of one block of all m slots
(:mod:`pldcheck.hidden_slot.population.empty_slot_blocks`),

.. math:: \delta(\epsilon) \le \frac{p_0}m \sum_e P(E = e)\, V_{m,e}\big(-(\kappa - 1) m/p_0\big) .

Unlike independent slots this costs no factor.  Potentials with one v give all e at once, and increase with v: the
numbers e are taken in a few groups, each with the largest v of the group.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import expm1, sqrt

import numpy as np

from ...core.directed import enlarge, shrink
from ...core.interval import UNDERFLOW
from ..worst.step_laws import Steps
from .empty_slot_blocks import potentials, reach
from .occupied_pattern import LikelyRange
from .populated_upper import GRID, Population, UpperDelta, interpolate

# Number of slots beyond which nothing is computed.
MOST_SLOTS = 64
# Node-steps (2.5 ns each) of all tables of one evaluation beyond which nothing is computed.
MOST_WORK = 1e8
# Node-steps up to which more groups are made.
CHEAP_WORK = 3e7
# Largest number of groups.
MOST_GROUPS = 6
# Grid steps, as shares of that of many slots: the finest for which the work is small is taken.
FINENESS = (0.1, 0.3, 1.0)


def delta_upper(
    population: Population, epsilon: float, empty_range: LikelyRange, effort: float = 1.0
) -> UpperDelta | None:
    """Return an upper bound of delta(epsilon); None where there are too many slots or nodes.

    ``effort`` is a share of the usual work.
    """
    m, eps0, p0, _ = population.slot
    occupancy = population.others
    if m > MOST_SLOTS or occupancy.exactly(0) is None:
        return None
    steps, start = Steps(eps0, epsilon), shrink(-expm1(epsilon) * m / p0, 8)
    pi = occupancy.empty
    grid = GRID * steps.deviation * sqrt(pi + (1.0 - pi) * empty_range.weight**2)
    fitting = _fitting(population, steps, empty_range, grid, effort)
    if fitting is None:
        return None
    groups, step = fitting
    total = 0.0
    for least, most, weight in groups:
        table = potentials(steps, weight, step, m, most)
        chances = np.array([occupancy.exactly(e) if e >= least else 0.0 for e in range(most + 1)])
        total += step * interpolate(table.mixture(chances), table.first, start / step)
    missed = empty_range.outside * population.alone(epsilon)
    bound = enlarge(total * p0 / m, 32) + missed + UNDERFLOW
    return UpperDelta(min(bound, 1.0), min(missed, 1.0), 0.0)


def _fitting(
    population: Population, steps: Steps, empty_range: LikelyRange, grid: float, effort: float
) -> tuple[list[tuple[int, int, float]], float] | None:
    """Return groups and a grid step: the finest grid whose work is small, and as many groups as cost little."""
    cheap = effort * CHEAP_WORK
    for share in FINENESS:
        groups = list(_groups(population, empty_range, 1))
        if _work(population, steps, groups, share * grid) > (cheap if share < FINENESS[-1] else effort * MOST_WORK):
            continue
        for count in range(2, MOST_GROUPS + 1):
            more = list(_groups(population, empty_range, count))
            if _work(population, steps, more, share * grid) > cheap:
                break
            groups = more
        return groups, share * grid
    return None


def _groups(population: Population, empty_range: LikelyRange, count: int) -> Iterator[tuple[int, int, float]]:
    """Yield the least and the largest number of empty slots of each group, with a bound of its v."""
    occupancy, least, most = population.others, empty_range.least, empty_range.most
    count = min(count, most - least + 1)
    for k in range(count):
        first = least + k * (most - least + 1) // count
        last = least + (k + 1) * (most - least + 1) // count - 1
        occupied = min(population.steps - first, occupancy.others)
        yield first, last, occupancy.use_probability(occupied) if occupied else 0.5


def _work(population: Population, steps: Steps, groups: list[tuple[int, int, float]], step: float) -> float:
    """Return the node-steps of the tables of all groups."""
    m = population.steps
    return float(sum(m * (most + 1) * 2 * reach(steps, weight, step, m, most) for _, most, weight in groups))
