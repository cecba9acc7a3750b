r"""epsilon(delta) and delta(epsilon) of random check-ins with a known number of clients, as intervals.

**From below**, all other records equal to the dummy: who else answers does not matter, and the record is used in its
slot with probability :math:`\bar w = p_0 E \frac1{c+1}`, which makes it one hidden slot, exactly.

**From above**, the smaller of one hidden slot with weight p_0, which is one client, and
:mod:`pldcheck.population.upper`.
"""

from __future__ import annotations

from math import log, sqrt

from .. import threads
from ..interval import ErrorBudget, Interval
from ..minimax import bracket, lower
from ..minimax.slot import Slot
from ..minimax.solve import log_ratio
from .occupancy import mean_weight
from .upper import CHEAP, Population, Setting, UpperDelta, delta_upper

ALIKE, ALONE = "other records equal to the dummy", "one client"
TOLD = "slots of the others told, counts not"
# Of the answer, what may be missed; and the probability that may be missed where the answer is not known beforehand.
MISSED, UNKNOWN = 1e-3, 1e-12
# How near in log delta the search comes, and its trials.
NEAR, TRIALS = 0.02, 8
# Points of a curve, and beyond where it is needed finely.
POINTS, BEYOND = 24, 4


def below(population: Population) -> Slot:
    """The hidden slot that random check-ins are when all other records are dummies."""
    m, eps0, p0 = population.slot
    return Slot(m, eps0, mean_weight(population.clients, m, p0))


def epsilon(population: Population, delta: float, width: float) -> Interval:
    """The interval of epsilon(delta); ``width`` is asked of the two hidden slots it is made of."""
    alone = bracket.epsilon(population.slot, "replace", delta, width)
    if population.clients == 1:
        return _with_sources(alone, (ALONE, ALONE))
    slot = below(population)
    low = bracket.epsilon(slot, "replace", delta, width)
    if alone.upper == 0.0:
        return Interval(0.0, 0.0, "epsilon", alone.budget, None, (ALIKE, ALONE))
    setting = Setting.of(population, MISSED * delta / max(population.alone(low.lower), delta))
    found = _first_sufficient(population, delta, low, alone.upper, setting)
    if found is None:
        return Interval(low.lower, alone.upper, "epsilon", alone.budget, low.witness, (ALIKE, ALONE))
    high, at_high = found
    budget = _budget(at_high, _attained(slot, high))
    return Interval(low.lower, high, "epsilon", budget, low.witness, (ALIKE, TOLD))


def delta(population: Population, epsilon_: float, width: float) -> Interval:
    """The interval of delta(epsilon); ``width`` as in :func:`epsilon`."""
    alone = bracket.delta(population.slot, "replace", epsilon_, width)
    if population.clients == 1:
        return _with_sources(alone, (ALONE, ALONE))
    low = bracket.delta(below(population), "replace", epsilon_, width)
    if epsilon_ >= population.slot.inner_cap * (1.0 - 1e-12):
        return Interval(min(low.lower, alone.upper), alone.upper, "delta", alone.budget, low.witness, (ALIKE, ALONE))
    found = above(population, epsilon_, low.lower)
    if found.delta >= alone.upper:
        return Interval(low.lower, alone.upper, "delta", alone.budget, low.witness, (ALIKE, ALONE))
    return Interval(low.lower, found.delta, "delta", _budget(found, low.lower), low.witness, (ALIKE, TOLD))


def above(population: Population, epsilon_: float, goal: float) -> UpperDelta:
    """An upper bound of delta(epsilon), expected to be about ``goal``, or 0 where nothing is expected."""
    missed = MISSED * goal / population.alone(epsilon_) if goal > 0.0 else UNKNOWN
    return delta_upper(population, epsilon_, Setting.of(population, min(missed, 0.1)), missed)[0]


def _first_sufficient(
    population: Population, delta: float, low: Interval, most: float, setting: Setting
) -> tuple[float, UpperDelta] | None:
    """An epsilon below ``most`` whose certified delta is at most ``delta``; None if none is found."""
    tolerance = MISSED * delta / max(population.alone(low.lower), delta)
    m, eps0, p0 = population.slot
    # Unequal weights add like their squares.
    pi = population.others.empty
    weight = p0 * sqrt(pi + (1.0 - pi) * setting.found.weight**2)
    trial = max(low.upper * weight / below(population).weight, low.lower) if low.upper > 0.0 else 0.0
    best: tuple[float, UpperDelta] | None = None
    slope, before, choice = None, None, None
    least = low.lower
    for _ in range(TRIALS):
        if trial >= most:
            break
        at, choice = delta_upper(population, trial, setting if choice is None else setting.only(choice), tolerance)
        missing = log_ratio(at.delta, delta)
        if missing <= 0.0:
            if best is None or trial < best[0]:
                best = trial, at
            if missing > -NEAR or trial <= least:
                break
        else:
            least = max(least, trial)
        if before is not None and before[0] != trial and (before[1] - missing) / (trial - before[0]) > 0.0:
            slope = (before[1] - missing) / (trial - before[0])
        elif slope is None:
            slope = max(-log(delta) * 1.3, 1.0) / trial if trial > 0.0 else 0.5 / delta
        before = trial, missing
        trial += (missing + 0.4 * NEAR) / slope
        if best is not None and trial >= best[0]:
            trial = 0.5 * (least + best[0])
        trial = max(trial, low.lower)
    return best


def curve(population: Population, least: float) -> tuple[list[float], list[float]]:
    """Epsilons and upper bounds of delta there, from 0 to where delta vanishes; fine up to where it is ``least``."""
    slot, cap = below(population), population.slot.cap
    alone = bracket.epsilon(population.slot, "replace", least, 0.05).upper
    last = min(1.3 * max(bracket.epsilon(slot, "replace", least, 0.05).upper, 1e-9), alone)
    points = [last * i / POINTS for i in range(POINTS + 1)]
    points += [last + (alone - last) * i / BEYOND for i in range(1, BEYOND + 1) if alone > last]
    setting = Setting.of(population, least)
    _, choice = delta_upper(population, 0.7 * last, setting, least)

    def at(epsilon_: float) -> float:
        found = population.alone(epsilon_)
        if epsilon_ > last:
            return found
        return min(found, delta_upper(population, epsilon_, setting.only(choice), least, CHEAP)[0].delta)

    with threads.pool() as pool:
        deltas = list(pool.map(at, points))
    return [*points, max(cap, points[-1])], [*deltas, 0.0]


def _attained(slot: Slot, epsilon_: float) -> float:
    """A delta that one law in every slot attains."""
    if epsilon_ >= slot.inner_cap * (1.0 - 1e-12):
        return 0.0
    return float(max(lower.single_law(slot, epsilon_, law).delta for law in range(3)))


def _budget(at: UpperDelta, reached: float) -> ErrorBudget:
    return ErrorBudget(max(at.delta - reached - at.truncation - at.rounding, 0.0), at.truncation, at.rounding)


def _with_sources(found: Interval, sources: tuple[str, str]) -> Interval:
    return Interval(found.lower, found.upper, found.quantity, found.budget, found.witness, sources)
