"""Answers where a record is replaced and the others' records are of the same kind: quick bounds, then blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, singledispatch
from math import exp, inf, log, sqrt

from ...core.directed import Side
from ...core.interval import ErrorBudget, Interval
from ...core.roots import cross
from ...pld.distribution import agreed
from ..known import pair_epsilon, single_slot
from ..known.neighbour_pairs import ADDITION, REMOVAL, REPLACEMENT, Pair, Slots
from ..known.noise_ratios import DiscreteGaussianNoise, GaussianInBall, GaussianNoise, Noise
from ..known.pair_curve import Curve
from . import ball_stoploss, two_records

# Sensitivity over deviation of the noise from which on blocks are worth their time.
LARGEST_S = 1.5
# Fineness of a trial.
TRIAL = 0.2
# Fineness of the quick bounds.
FINER = 0.1
# Largest number of epsilons that are evaluated with blocks.
LOOKS = 4
# The same number where the curve has kinks.
KINKED = 8
# Relative margin in delta by which the search aims inside the target.
INSIDE = 2e-4
# Distance from the end of a bracket, as a share of it, that is tried where a secant leads out of it.
EDGE = 0.1
# For few steps: relative distance within which the two ends are sought.
NEARBY = 1e-9
# For few steps: the rounding of a product.
ROUND = 1e-15
# The largest epsilon that is tried.
LARGEST = 300.0
JOIN = "a law that dominates every single step"
BLOCKS = "blocks of steps, each against the best adaptive choice"
ALONE = "reveal which slot holds the record"
FEW = "enumeration of all outputs of a few adaptive steps"
POLICY = "an adaptive policy that switches between {} configurations"


def delta(slots: Slots, epsilon: float, width: float) -> Interval:
    """Return delta(epsilon) of the worst replacement.

    The join of one step and the record removed or added are tried first, and blocks of steps where that is too wide.
    """
    pair = slots.pair(REPLACEMENT)
    if _are_few(pair):
        least, most = _of_few(pair, epsilon)
        return _answer("delta", least, min(most, 1.0), FEW, FEW, ErrorBudget(0.0, 0.0, most - least))
    found = pair_epsilon.delta(pair, epsilon, width)
    low, source = pair_epsilon.delta(slots.pair(REMOVAL), epsilon, width).lower, REMOVAL
    if low == 0.0 or _added_matters(slots, epsilon, low):
        low, source = max((low, source), (pair_epsilon.delta(slots.pair(ADDITION), epsilon, width).lower, ADDITION))
    high, by = min((found.upper, JOIN), (_delta_told(pair, epsilon), ALONE))
    if _worth(slots, low, high, width):
        tried = _above(pair, epsilon, high), _below(pair, epsilon, high)
        high, by = (tried[0], BLOCKS) if tried[0] < high else (high, by)
        low, source = (tried[1], _policy(pair)) if tried[1] > low else (low, source)
    return _answer("delta", low, high, source, by, ErrorBudget(high - low, 0.0, 0.0))


def epsilon(slots: Slots, target: float, width: float) -> Interval:
    """Return epsilon(delta), by the same bounds as :func:`delta`."""
    pair = slots.pair(REPLACEMENT)
    if _are_few(pair):
        return _epsilon_of_few(pair, target)
    low, source = pair_epsilon.epsilon(slots.pair(REMOVAL), target, width).lower, REMOVAL
    if low == 0.0 or _added_matters(slots, low, target):
        low, source = max((low, source), (pair_epsilon.epsilon(slots.pair(ADDITION), target, width).lower, ADDITION))
    start = pair_epsilon.start_of(pair, target)
    curve = Curve(pair, FINER, target)
    high, by = 0.0, JOIN
    if low > 0.0 or curve.value(0.0, Side.UPPER) > target:
        high = curve.crossing(target, max(start, low, 1e-9), curve.slope(max(start, low, 1e-9)), Side.UPPER)
    high, by = min((high, by), (_epsilon_told(pair, target), ALONE))
    if _worth(slots, low, high, width) and low > 0.0:
        slope, looks = curve.slope(high), step_bounds(pair.randomizer).looks
        upper = _crossing(lambda e: _above(pair, e, target), target, (low, high), slope, looks, Side.UPPER)
        high, by = (upper, BLOCKS) if upper < high else (high, by)
        lower = _crossing(lambda e: _below(pair, e, target), target, (low, high), slope, looks, Side.LOWER)
        low, source = (lower, _policy(pair)) if lower > low else (low, source)
    reached = target if by == ALONE else curve.ends(high, Side.UPPER).upper
    return _answer("epsilon", low, high, source, by, ErrorBudget(reached, 0.0, 0.0))


def _delta_told(pair: Pair, epsilon: float) -> float:
    """Return an upper bound: delta of Gaussian noise in a single slot, which more slots do not exceed.

    See :mod:`..known.single_slot`.  It is infinite for other noise.
    """
    alone = _alone(pair)
    return alone.delta(epsilon).upper if alone else inf


def _epsilon_told(pair: Pair, target: float) -> float:
    alone = _alone(pair)
    return alone.epsilon(target)[1] if alone else inf


def _alone(pair: Pair) -> single_slot.Gaussian | None:
    """Return the single slot of Gaussian noise: records in a ball are a distance 1 apart, opposite vectors 2."""
    noise = pair.randomizer
    if not isinstance(noise, GaussianNoise):
        return None
    apart = 1.0 if isinstance(noise, GaussianInBall) else 0.5
    return single_slot.Gaussian(apart / noise.s, pair.prob)


def _added_matters(slots: Slots, epsilon: float, delta: float) -> bool:
    """Return whether the record added may have a larger delta(epsilon).

    For one step it does not, at any threshold from 0 on.
    """
    return slots.steps > 1 and Curve(slots.pair(ADDITION), TRIAL, delta).value(epsilon, Side.UPPER) > delta


@dataclass(frozen=True)
class StepBounds:
    """The bounds of one kind of noise for each step: from above, and by a policy from below.

    ``served``: whether they are of use.  ``looks``: the number of epsilons that are tried.  ``records``: the number of
    records among which a policy chooses, in words.
    """

    above: Callable[[float, int, float, float], float]
    below: Callable[[float, int, float, float], float]
    served: bool
    looks: int = LOOKS
    records: str = "three"


@singledispatch
def step_bounds(noise: Noise) -> StepBounds:
    """Return the bounds of one kind of noise; for other noise the steps are not bounded one by one."""
    return StepBounds(lambda *_: inf, lambda *_: 0.0, served=False)


@step_bounds.register(GaussianNoise)
def _(noise: GaussianNoise) -> StepBounds:
    above, below = (partial(of, noise.s) for of in (ball_stoploss.value_above, ball_stoploss.value_below))
    return StepBounds(above, below, noise.s < LARGEST_S)


@step_bounds.register(DiscreteGaussianNoise)
def _(noise: DiscreteGaussianNoise) -> StepBounds:
    above, below = (partial(of, noise) for of in (two_records.value_above, two_records.value_below))
    return StepBounds(above, below, noise.s < two_records.LARGEST_S, KINKED, "two")


def _worth(slots: Slots, low: float, high: float, width: float) -> bool:
    return step_bounds(slots.randomizer).served and high > low * (1.0 + width)


def _are_few(pair: Pair) -> bool:
    return isinstance(pair.randomizer, DiscreteGaussianNoise) and two_records.are_few(pair.randomizer, pair.steps)


def _of_few(pair: Pair, epsilon: float) -> tuple[float, float]:
    assert isinstance(pair.randomizer, DiscreteGaussianNoise)
    low, high = pair.beside(epsilon, Side.LOWER), pair.beside(epsilon, Side.UPPER)
    least = two_records.of_few(pair.randomizer, exp(low), pair.steps, pair.threshold(low))[0]
    most = two_records.of_few(pair.randomizer, exp(high), pair.steps, pair.threshold(high))[1]
    factor = pair.factor(epsilon)
    return factor * least * (1.0 - ROUND), factor * most * (1.0 + ROUND)


def _epsilon_of_few(pair: Pair, target: float) -> Interval:
    if _of_few(pair, 0.0)[1] <= target:
        return _answer("epsilon", 0.0, 0.0, FEW, FEW, ErrorBudget(0.0, 0.0, 0.0))
    assert isinstance(pair.randomizer, DiscreteGaussianNoise)
    s = pair.randomizer.s
    steepness = sqrt(2.0 * log(1.0 / target))
    start, slope = s * (steepness + 0.5 * s), (steepness + s) / s
    high = cross(lambda e: _of_few(pair, e)[1], target, min(start, 0.5 * LARGEST), slope, LARGEST, side=Side.UPPER)
    low = cross(lambda e: _of_few(pair, e)[0], target, high * (1.0 - NEARBY), slope, LARGEST, side=Side.LOWER)
    least, most = _of_few(pair, high)
    return _answer("epsilon", low, high if high < LARGEST else inf, FEW, FEW, ErrorBudget(0.0, 0.0, most - least))


def _above(pair: Pair, epsilon: float, about: float) -> float:
    factor, epsilon = pair.factor(epsilon), pair.beside(epsilon, Side.UPPER)
    value = step_bounds(pair.randomizer).above
    return factor * value(exp(epsilon), pair.steps, pair.threshold(epsilon), about / factor)


def _below(pair: Pair, epsilon: float, about: float) -> float:
    factor, epsilon = pair.factor(epsilon), pair.beside(epsilon, Side.LOWER)
    value = step_bounds(pair.randomizer).below
    return factor * value(exp(epsilon), pair.steps, pair.threshold(epsilon), about / factor)


def _policy(pair: Pair) -> str:
    return POLICY.format(step_bounds(pair.randomizer).records)


def _crossing(
    value: Callable[[float], float], target: float, bracket: tuple[float, float], slope: float, looks: int, side: Side
) -> float:
    """Return the best of a few epsilons at which the value is on the required side of the target.

    They are found by secants, or near an end of the bracket where a secant leads out of it.
    """
    low, high = bracket
    best, at, before = (inf if side is Side.UPPER else 0.0), 0.5 * (low + high), None
    for _ in range(looks):
        ratio = log(min(max(value(at), 1e-300), 1.0) / target)
        if side is Side.UPPER and ratio <= 0.0:
            best = min(best, at)
        if side is Side.LOWER and ratio > 0.0:
            best = max(best, at)
        low, high = (max(low, at), high) if ratio > 0.0 else (low, min(high, at))
        if before is not None and before[0] != at and ratio != before[1]:
            slope = max((before[1] - ratio) / (at - before[0]), 0.2 * slope)
        before = (at, ratio)
        if abs(ratio) <= 2.0 * INSIDE and best == at:
            break
        at = at + (ratio + side.sign * INSIDE) / slope
        if not low <= at <= high:
            at = high - EDGE * (high - low) if at > high else low + EDGE * (high - low)
    return best


def _answer(quantity: str, low: float, high: float, source: str, by: str, budget: ErrorBudget) -> Interval:
    return Interval(agreed(low, high), high, quantity, budget, sources=(source, by))
