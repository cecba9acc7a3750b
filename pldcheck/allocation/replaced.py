"""Answers where a record is replaced and the others' records are such records as well: quick bounds, then blocks."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, log, sqrt

from ..interval import ErrorBudget, Interval
from ..pld import mechanisms
from ..pld.distribution import agreed
from ..pld.solve import cross
from . import in_ball, in_pair, solve
from .curve import Curve
from .pairs import ADDED, REMOVED, REPLACED, Pair, Slots
from .randomizers import DiscreteGaussianNoise, GaussianNoise

# Noise from which on blocks are worth their time, as sensitivity over deviation.
LARGEST_S = 1.5
# Fineness of a trial, and of the quick bounds; values looked at with blocks, at most, and where the curve has
# kinks; what is aimed inside by, relatively in delta.
TRIAL, FINER, LOOKS, KINKED, INSIDE = 0.2, 0.1, 4, 8, 2e-4
# How near an end of a bracket is looked where a secant leads out of it, as a share of it.
EDGE = 0.1
# Of few steps: how near one end the other is sought, what a product is rounded by, and the largest epsilon looked at.
NEARBY, ROUND, LARGEST = 1e-9, 1e-15, 300.0
JOIN, BLOCKS, ALONE = "join of one step", "blocks of steps, adaptive", "the slot told"
FEW = "all outputs of few steps, adaptive"
POLICY = "adaptive policy of {} configurations"


def delta(slots: Slots, epsilon: float, width: float) -> Interval:
    """delta(epsilon): the join of one step and the record removed or added; blocks of steps where that is too wide."""
    pair = slots.pair(REPLACED)
    if _are_few(pair):
        least, most = _of_few(pair, epsilon)
        return _answer("delta", least, min(most, 1.0), FEW, FEW, ErrorBudget(0.0, 0.0, most - least))
    found = solve.delta(pair, epsilon, width)
    low, source = solve.delta(slots.pair(REMOVED), epsilon, width).lower, REMOVED
    if low == 0.0 or _added_matters(slots, epsilon, low):
        low, source = max((low, source), (solve.delta(slots.pair(ADDED), epsilon, width).lower, ADDED))
    high, by = min((found.upper, JOIN), (_delta_told(pair, epsilon), ALONE))
    if _worth(slots, low, high, width):
        tried = _above(pair, epsilon, high), _below(pair, epsilon, high)
        high, by = (tried[0], BLOCKS) if tried[0] < high else (high, by)
        low, source = (tried[1], _policy(pair)) if tried[1] > low else (low, source)
    return _answer("delta", low, high, source, by, ErrorBudget(high - low, 0.0, 0.0))


def epsilon(slots: Slots, target: float, width: float) -> Interval:
    """epsilon(delta), likewise."""
    pair = slots.pair(REPLACED)
    if _are_few(pair):
        return _epsilon_of_few(pair, target)
    low, source = solve.epsilon(slots.pair(REMOVED), target, width).lower, REMOVED
    if low == 0.0 or _added_matters(slots, low, target):
        low, source = max((low, source), (solve.epsilon(slots.pair(ADDED), target, width).lower, ADDED))
    start = solve.start_of(pair, target)
    curve = Curve(pair, FINER, target)
    high, by = 0.0, JOIN
    if low > 0.0 or curve.value(0.0, True) > target:
        high = curve.crossing(target, max(start, low, 1e-9), curve.slope(max(start, low, 1e-9)), True)
    high, by = min((high, by), (_epsilon_told(pair, target), ALONE))
    if _worth(slots, low, high, width) and low > 0.0:
        slope, looks = curve.slope(high), KINKED if isinstance(pair.randomizer, DiscreteGaussianNoise) else LOOKS
        upper = _crossing(lambda e: _above(pair, e, target), target, (low, high), slope, looks, True)
        high, by = (upper, BLOCKS) if upper < high else (high, by)
        lower = _crossing(lambda e: _below(pair, e, target), target, (low, high), slope, looks, False)
        low, source = (lower, _policy(pair)) if lower > low else (low, source)
    reached = target if by == ALONE else curve.ends(high, True).upper
    return _answer("epsilon", low, high, source, by, ErrorBudget(reached, 0.0, 0.0))


def _delta_told(pair: Pair, epsilon: float) -> float:
    """Of Gaussian noise with the slot made known, by joint convexity: one mechanism, between opposite vectors."""
    if not isinstance(pair.randomizer, GaussianNoise):
        return inf
    return pair.prob * mechanisms.gaussian(0.5 / pair.randomizer.s).delta(epsilon).upper * (1.0 + ROUND)


def _epsilon_told(pair: Pair, target: float) -> float:
    if not isinstance(pair.randomizer, GaussianNoise):
        return inf
    each = target / pair.prob * (1.0 - ROUND)
    return mechanisms.gaussian(0.5 / pair.randomizer.s).epsilon(each).upper if each < 1.0 else 0.0


def _added_matters(slots: Slots, epsilon: float, delta: float) -> bool:
    """Whether the record added may have a larger delta(epsilon); of one step it has not, at any threshold from 0 on."""
    return slots.steps > 1 and Curve(slots.pair(ADDED), TRIAL, delta).value(epsilon, True) > delta


def _worth(slots: Slots, low: float, high: float, width: float) -> bool:
    noise = slots.randomizer
    if isinstance(noise, DiscreteGaussianNoise):
        served = noise.s < in_pair.LARGEST_S
    else:
        served = isinstance(noise, GaussianNoise) and noise.s < LARGEST_S
    return served and high > low * (1.0 + width)


def _are_few(pair: Pair) -> bool:
    return isinstance(pair.randomizer, DiscreteGaussianNoise) and in_pair.are_few(pair.randomizer, pair.steps)


def _of_few(pair: Pair, epsilon: float) -> tuple[float, float]:
    assert isinstance(pair.randomizer, DiscreteGaussianNoise)
    found = in_pair.of_few(pair.randomizer, exp(epsilon), pair.steps, pair.threshold(epsilon))
    factor = pair.factor(epsilon)
    return factor * found[0] * (1.0 - ROUND), factor * found[1] * (1.0 + ROUND)


def _epsilon_of_few(pair: Pair, target: float) -> Interval:
    if _of_few(pair, 0.0)[1] <= target:
        return _answer("epsilon", 0.0, 0.0, FEW, FEW, ErrorBudget(0.0, 0.0, 0.0))
    assert isinstance(pair.randomizer, DiscreteGaussianNoise)
    s = pair.randomizer.s
    steepness = sqrt(2.0 * log(1.0 / target))
    start, slope = s * (steepness + 0.5 * s), (steepness + s) / s
    high = cross(lambda e: _of_few(pair, e)[1], target, min(start, 0.5 * LARGEST), slope, LARGEST, above=True)
    low = cross(lambda e: _of_few(pair, e)[0], target, high * (1.0 - NEARBY), slope, LARGEST, above=False)
    least, most = _of_few(pair, high)
    return _answer("epsilon", low, high if high < LARGEST else inf, FEW, FEW, ErrorBudget(0.0, 0.0, most - least))


def _above(pair: Pair, epsilon: float, about: float) -> float:
    noise, factor = pair.randomizer, pair.factor(epsilon)
    asked = exp(epsilon), pair.steps, pair.threshold(epsilon), about / factor
    if isinstance(noise, DiscreteGaussianNoise):
        return factor * in_pair.value_above(noise, *asked)
    assert isinstance(noise, GaussianNoise)
    return factor * in_ball.value_above(noise.s, *asked)


def _below(pair: Pair, epsilon: float, about: float) -> float:
    noise, factor = pair.randomizer, pair.factor(epsilon)
    asked = exp(epsilon), pair.steps, pair.threshold(epsilon), about / factor
    if isinstance(noise, DiscreteGaussianNoise):
        return factor * in_pair.value_below(noise, *asked)
    assert isinstance(noise, GaussianNoise)
    return factor * in_ball.value_below(noise.s, *asked)


def _policy(pair: Pair) -> str:
    return POLICY.format("two" if isinstance(pair.randomizer, DiscreteGaussianNoise) else "three")


def _crossing(
    value: Callable[[float], float], target: float, bracket: tuple[float, float], slope: float, looks: int, above: bool
) -> float:
    """Of a few epsilons the best at which the value is on the wanted side of the target: secants, or near that end."""
    low, high = bracket
    best, at, before = (inf if above else 0.0), 0.5 * (low + high), None
    for _ in range(looks):
        ratio = log(min(max(value(at), 1e-300), 1.0) / target)
        if above and ratio <= 0.0:
            best = min(best, at)
        if not above and ratio > 0.0:
            best = max(best, at)
        low, high = (max(low, at), high) if ratio > 0.0 else (low, min(high, at))
        if before is not None and before[0] != at and ratio != before[1]:
            slope = max((before[1] - ratio) / (at - before[0]), 0.2 * slope)
        before = (at, ratio)
        if abs(ratio) <= 2.0 * INSIDE and best == at:
            break
        at = at + (ratio + (INSIDE if above else -INSIDE)) / slope
        if not low <= at <= high:
            at = high - EDGE * (high - low) if at > high else low + EDGE * (high - low)
    return best


def _answer(quantity: str, low: float, high: float, source: str, by: str, budget: ErrorBudget) -> Interval:
    return Interval(agreed(low, high), high, quantity, budget, sources=(source, by))
