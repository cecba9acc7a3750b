r"""epsilon(delta) and delta(epsilon) of random check-ins with a known number of clients, as intervals.

**From below**, all other records equal to the dummy: who else answers does not matter, and the record is used in its
slot with probability :math:`\bar w = p_0 E \frac1{c+1}`, which makes it one hidden slot, exactly.

**From above**, the smaller of one hidden slot with weight p_0, which is one client, and
:mod:`pldcheck.hidden_slot.population.revealed_count` or, for many slots,
:mod:`pldcheck.hidden_slot.population.populated_upper`.

For few slots and clients both ends are narrowed by :mod:`pldcheck.hidden_slot.population.few_slot_intervals`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt

from ...core import threads
from ...core.interval import ErrorBudget, Interval
from ..worst import worst_intervals, worst_lower
from ..worst.epsilon_bracket import log_ratio
from ..worst.slot_problem import Slot
from . import few_slot_intervals, hidden_occupants, revealed_count
from .populated_upper import CHEAP_WORK, MOST_WORK, Population, Setting, UpperDelta, delta_upper
from .slot_occupancy import mean_weight

# The source of lower ends.
ALL_DUMMIES = "the records of all other clients equal the dummy record"
# The source of upper ends by one client.
ONE_CLIENT = "no other client checks in"
# The source of upper ends that use the number of clients.
REVELATION = "an adversary who also learns which slots the other clients occupy"
# Share of the answer that the missed probability may take.
MISS_SHARE = 1e-3
# Probability that may be missed where the answer is not known beforehand.
MISS_PROBABILITY = 1e-12
# Relative width to which the two hidden slots are answered first.
ROUGH_WIDTH = 0.002
# They are refined where the whole is narrower than so many times ROUGH_WIDTH: elsewhere both together would take no
# more than 2/WORTH of its width away, at a cost like 1/width^3.
WORTH = 8.0
# Precision of the search in log delta.
SEARCH_PRECISION = 0.02
# Relative distance of the two epsilons whose deltas give a slope.
SLOPE_STEP = 1e-3
# Largest number of trials of the search.
TRIALS = 8
# Number of points of a curve.
POINTS = 24
# Number of states of the exact recursion up to which it gives every point of a curve.
CHEAP_STATES = 1_200_000
# Number of points beyond the range where a curve must be fine.
FURTHER_POINTS = 4


def below(population: Population) -> Slot:
    """Return the hidden slot that random check-ins become when all other records are dummies."""
    m, eps0, p0, _ = population.slot
    return Slot(m, eps0, mean_weight(population.clients, m, p0))


def epsilon(population: Population, delta: float, width: float) -> Interval:
    """Return the interval of epsilon(delta).

    ``width`` is asked of the two hidden slots that it is formed from, where they decide.
    """
    rough = _refine(lambda slot_width: _epsilon(population, delta, slot_width), population, width)
    return few_slot_intervals.epsilon(population, delta, rough, width)


def delta(population: Population, epsilon_: float, width: float) -> Interval:
    """Return the interval of delta(epsilon); ``width`` as in :func:`epsilon`."""
    rough = _refine(lambda slot_width: _delta(population, epsilon_, slot_width), population, width)
    return few_slot_intervals.delta(population, epsilon_, rough, width)


def _refine(answer: Callable[[float], Interval], population: Population, width: float) -> Interval:
    """Return the answer at ``width``, or at ROUGH_WIDTH where the finer one would hardly be narrower."""
    if population.clients == 1 or width >= ROUGH_WIDTH:
        return answer(width)
    rough = answer(ROUGH_WIDTH)
    return answer(width) if rough.relative_width <= WORTH * ROUGH_WIDTH else rough


def _epsilon(population: Population, delta: float, width: float) -> Interval:
    alone = worst_intervals.epsilon(population.slot, "replace", delta, width)
    if population.clients == 1:
        return _with_sources(alone, (ONE_CLIENT, ONE_CLIENT))
    slot = below(population)
    low = worst_intervals.epsilon(slot, "replace", delta, width)
    if alone.upper == 0.0:
        return Interval(0.0, 0.0, "epsilon", alone.budget, None, (ALL_DUMMIES, ONE_CLIENT))
    if _is_exactly_known(population):
        return Interval(low.lower, alone.upper, "epsilon", alone.budget, low.witness, (ALL_DUMMIES, ONE_CLIENT))
    crossing = _first_sufficient(population, delta, low, alone.upper)
    if crossing is None:
        return Interval(low.lower, alone.upper, "epsilon", alone.budget, low.witness, (ALL_DUMMIES, ONE_CLIENT))
    high, at_high = crossing
    budget = _budget(at_high, _single_law_delta(slot, high))
    return Interval(low.lower, high, "epsilon", budget, low.witness, (ALL_DUMMIES, REVELATION))


def _delta(population: Population, epsilon_: float, width: float) -> Interval:
    alone = worst_intervals.delta(population.slot, "replace", epsilon_, width)
    if population.clients == 1:
        return _with_sources(alone, (ONE_CLIENT, ONE_CLIENT))
    low = worst_intervals.delta(below(population), "replace", epsilon_, width)
    if epsilon_ >= population.slot.inner_cap * (1.0 - 1e-12) or _is_exactly_known(population):
        return Interval(low.lower, alone.upper, "delta", alone.budget, low.witness, (ALL_DUMMIES, ONE_CLIENT))
    bound = above(population, epsilon_, low.lower)
    if bound.delta >= alone.upper:
        return Interval(low.lower, alone.upper, "delta", alone.budget, low.witness, (ALL_DUMMIES, ONE_CLIENT))
    return Interval(low.lower, bound.delta, "delta", _budget(bound, low.lower), low.witness, (ALL_DUMMIES, REVELATION))


def _is_exactly_known(population: Population) -> bool:
    """Return whether the recursion for few slots will find both ends."""
    return hidden_occupants.is_feasible(population) and hidden_occupants.is_exact(population)


def above(population: Population, epsilon_: float, goal: float) -> UpperDelta:
    """Return an upper bound of delta(epsilon).

    ``goal`` is an estimate of it, or 0 where there is none.
    """
    tolerance = MISS_SHARE * goal / population.alone(epsilon_) if goal > 0.0 else MISS_PROBABILITY
    return _upper(population, epsilon_, Setting.of(population, min(tolerance, 0.1)), tolerance)


def _upper(
    population: Population, epsilon_: float, setting: Setting, tolerance: float, work: float = MOST_WORK
) -> UpperDelta:
    """Return an upper bound of delta(epsilon)."""
    revealed = revealed_count.delta_upper(population, epsilon_, setting.empty_range, work / MOST_WORK)
    if revealed is not None:
        return revealed
    return delta_upper(population, epsilon_, setting, tolerance, work)


def _first_sufficient(
    population: Population, delta: float, low: Interval, most: float
) -> tuple[float, UpperDelta] | None:
    """Return an epsilon below ``most`` whose certified delta is at most ``delta``; None if the search fails."""
    tolerance = MISS_SHARE * delta / max(population.alone(low.lower), delta)
    setting = Setting.of(population, tolerance)
    m, eps0, p0, _ = population.slot
    # Unequal weights add like their squares.
    pi = population.others.empty
    weight = p0 * sqrt(pi + (1.0 - pi) * setting.empty_range.weight**2)
    slot = below(population)
    trial = max(low.upper * weight / slot.weight, low.lower) if low.upper > 0.0 else 0.0
    best: tuple[float, UpperDelta] | None = None
    slope, before = None, None
    least = low.lower
    for _ in range(TRIALS):
        if trial >= most:
            break
        bound = _upper(population, trial, setting, tolerance)
        excess = log_ratio(bound.delta, delta)
        if excess <= 0.0:
            if best is None or trial < best[0]:
                best = trial, bound
            if excess > -SEARCH_PRECISION or trial <= least:
                break
        else:
            least = max(least, trial)
        if before is not None and before[0] != trial and (before[1] - excess) / (trial - before[0]) > 0.0:
            slope = (before[1] - excess) / (trial - before[0])
        elif slope is None:
            slope = _slope(slot, low.lower, delta) * (low.lower / trial if trial > 0.0 else 1.0)
        before = trial, excess
        trial += (excess + 0.4 * SEARCH_PRECISION) / slope
        if best is not None and trial >= best[0]:
            trial = 0.5 * (least + best[0])
        trial = max(trial, low.lower)
    return best


def _slope(slot: Slot, epsilon_: float, delta: float) -> float:
    """Return about -d log delta/d epsilon where a hidden slot has ``delta``, which only the search uses."""
    if epsilon_ == 0.0:  # there delta(0) - delta(epsilon) is about epsilon/2
        return 0.5 / delta
    here, further = (_single_law_delta(slot, place) for place in (epsilon_, epsilon_ * (1.0 + SLOPE_STEP)))
    if here > further > 0.0:
        return log_ratio(here, further) / (SLOPE_STEP * epsilon_)
    return max(-log(delta) * 1.3, 1.0) / epsilon_


def curve(population: Population, least: float) -> tuple[list[float], list[float]]:
    """Return epsilons and upper bounds of delta there, from 0 to where delta vanishes.

    The points are dense until delta is ``least``.
    """
    slot, cap = below(population), population.slot.cap
    alone = worst_intervals.epsilon(population.slot, "replace", least, 0.05).upper
    last = min(1.3 * max(worst_intervals.epsilon(slot, "replace", least, 0.05).upper, 1e-9), alone)
    points = [last * i / POINTS for i in range(POINTS + 1)]
    points += [last + (alone - last) * i / FURTHER_POINTS for i in range(1, FURTHER_POINTS + 1) if alone > last]
    at = _by_recursion(population) if _curve_is_by_recursion(population) else _by_revelation(population, least, last)
    with threads.pool() as pool:
        deltas = list(pool.map(at, points))
    return [*points, max(cap, points[-1])], [*deltas, 0.0]


def _by_recursion(population: Population) -> Callable[[float], float]:
    """Return upper bounds of delta from the exact recursion, which ends at the largest loss."""
    largest = population.slot.inner_cap * (1.0 - 1e-12)

    def at(epsilon_: float) -> float:
        bound = population.alone(epsilon_)
        return min(bound, hidden_occupants.delta_upper(population, epsilon_)) if epsilon_ < largest else bound

    return at


def _by_revelation(population: Population, least: float, last: float) -> Callable[[float], float]:
    """Return upper bounds of delta that use the number of clients for epsilons up to ``last``."""
    setting = Setting.of(population, least)
    far = _upper(population, 0.7 * last, setting, least)
    useless = far.delta >= 1.0  # no bound far out, and nearer to 0 delta is larger

    def at(epsilon_: float) -> float:
        bound = population.alone(epsilon_)
        if epsilon_ > last or useless:
            return bound
        return min(bound, _upper(population, epsilon_, setting, least, CHEAP_WORK).delta)

    return at


def curve_source(population: Population) -> str:
    """Return what the points of a curve are from."""
    if not _curve_is_by_recursion(population):
        return REVELATION
    return few_slot_intervals.upper_source(population)


def _curve_is_by_recursion(population: Population) -> bool:
    return hidden_occupants.is_feasible(population) and hidden_occupants.states(population) <= CHEAP_STATES


def _single_law_delta(slot: Slot, epsilon_: float) -> float:
    """Return a delta that one law in every slot attains."""
    if epsilon_ >= slot.inner_cap * (1.0 - 1e-12):
        return 0.0
    return float(max(worst_lower.single_law(slot, epsilon_, law).delta for law in range(3)))


def _budget(bound: UpperDelta, lower: float) -> ErrorBudget:
    return ErrorBudget(
        max(bound.delta - lower - bound.truncation - bound.rounding, 0.0), bound.truncation, bound.rounding
    )


def _with_sources(interval: Interval, sources: tuple[str, str]) -> Interval:
    return Interval(interval.lower, interval.upper, interval.quantity, interval.budget, interval.witness, sources)
