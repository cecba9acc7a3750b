"""Answers where a record is replaced and the others' records are of the same kind: quick bounds, then blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, singledispatch
from math import exp, inf, log, sqrt

from ...core.directed import Side
from ...core.interval import ErrorBudget, Interval
from ...core.roots import cross
from ..known import pair_epsilon, single_slot
from ..known.neighbour_pairs import ADDITION, REMOVAL, REPLACEMENT, Pair, Slots
from ..known.noise_ratios import DiscreteGaussianNoise, GaussianInBall, GaussianNoise, Noise
from ..known.pair_curve import Curve
from . import ball_bounds, ball_stoploss, two_records
from .ball_bounds import BallBounds

# Sensitivity over deviation of the noise from which on blocks are worth their time.
LARGEST_S = 1.5
# Fineness of a trial.
TRIAL_FINENESS = 0.2
# Fineness of the quick bounds.
FINENESS = 0.1
# Largest number of epsilons that are evaluated with blocks.
MOST_LOOKS = 4
# The same number where the curve has kinks.
LOOKS_AT_KINKS = 8
# Relative margin in delta by which the search aims inside the target.
AIM_MARGIN = 2e-4
# Distance from the end of a bracket, as a share of it, that is tried where a secant leads out of it.
EDGE_SHARE = 0.1
# For few steps: relative distance within which the two ends are sought.
BRACKET_WIDTH = 1e-9
# For few steps: the rounding of a product.
PRODUCT_ROUNDING = 1e-15
# The largest epsilon that is tried.
LARGEST_EPSILON = 300.0
# The source of upper ends by single steps.
JOIN = "a law that dominates every single step"
# The source of upper ends by blocks of steps.
BLOCKS = "blocks of steps, each against the best adaptive choice"
# The source of lower ends on uneven nodes.
NODES_POLICY = "a policy that switches between a few configurations, or holds one"
# Steps up to which even lattices are tried as well, where uneven nodes are not as narrow as was asked.
MOST_FEW = 20
# The source of upper ends on uneven nodes.
NODES = "all steps on uneven nodes, each against the best adaptive choice"
# The source of upper ends by a single slot.
REVELATION = "reveal which slot holds the record"
# The source of both ends for few steps.
ENUMERATION = "enumeration of all outputs of a few adaptive steps"
# The source of lower ends by adaptive policies, with the number of records.
POLICY = "an adaptive policy that switches between {} configurations"


def delta(slots: Slots, epsilon: float, width: float) -> Interval:
    """Return delta(epsilon) of the worst replacement.

    The join of one step and the record removed or added are tried first, and blocks of steps where that is too wide.
    """
    pair = slots.pair(REPLACEMENT)
    if _are_few(pair):
        least, most = _of_few(pair, epsilon)
        return _answer("delta", least, min(most, 1.0), ENUMERATION, ENUMERATION, ErrorBudget(0.0, 0.0, most - least))
    interval = pair_epsilon.delta(pair, epsilon, width)
    low, lower_source = pair_epsilon.delta(slots.pair(REMOVAL), epsilon, width).lower, REMOVAL
    if low == 0.0 or _addition_matters(slots, epsilon, low):
        low, lower_source = max(
            (low, lower_source), (pair_epsilon.delta(slots.pair(ADDITION), epsilon, width).lower, ADDITION)
        )
    high, upper_source = min((interval.upper, JOIN), (_revealed_slot_delta(pair, epsilon), REVELATION))
    nodes = _nodes(pair, low or high)
    uneven = nodes if nodes is not None and nodes.is_served else None
    if uneven is not None and high > low * (1.0 + width):
        upper, lower = (uneven.delta(epsilon, side) for side in (Side.UPPER, Side.LOWER))
        high, upper_source = min((high, upper_source), (upper, NODES))
        low, lower_source = max((low, lower_source), (lower, NODES_POLICY))
    if _worth(slots, low, high, width) and not (uneven is not None and pair.steps > MOST_FEW):
        block_ends = _above(pair, epsilon, high), _below(pair, epsilon, high)
        high, upper_source = (block_ends[0], BLOCKS) if block_ends[0] < high else (high, upper_source)
        low, lower_source = (block_ends[1], _policy(pair)) if block_ends[1] > low else (low, lower_source)
    if nodes is not None and uneven is None and high > low * (1.0 + max(width, ball_bounds.WIDE)):
        upper, lower = (nodes.delta(epsilon, side) for side in (Side.UPPER, Side.LOWER))
        high, upper_source = min((high, upper_source), (upper, NODES))
        low, lower_source = max((low, lower_source), (lower, NODES_POLICY))
    return _answer("delta", low, high, lower_source, upper_source, ErrorBudget(high - low, 0.0, 0.0))


def epsilon(slots: Slots, target: float, width: float) -> Interval:
    """Return epsilon(delta), by the same bounds as :func:`delta`."""
    pair = slots.pair(REPLACEMENT)
    if _are_few(pair):
        return _epsilon_of_few(pair, target)
    low, lower_source = pair_epsilon.epsilon(slots.pair(REMOVAL), target, width).lower, REMOVAL
    if low == 0.0 or _addition_matters(slots, low, target):
        low, lower_source = max(
            (low, lower_source), (pair_epsilon.epsilon(slots.pair(ADDITION), target, width).lower, ADDITION)
        )
    nodes, revealed = _nodes(pair, target), _revealed_slot_epsilon(pair, target)
    if nodes is not None and nodes.is_served and low > 0.0:
        lower, upper = nodes.crossings(target, low, revealed)
        high, upper_source = min((upper, NODES), (revealed, REVELATION))
        low, lower_source = max((low, lower_source), (lower, NODES_POLICY))
        if high <= low * (1.0 + width) or pair.steps > MOST_FEW or not _worth(slots, low, high, width):
            return _answer("epsilon", low, high, lower_source, upper_source, ErrorBudget(target, 0.0, 0.0))
        slope, looks = Curve(pair, FINENESS, target).slope(high), step_bounds(pair.randomizer).looks
        crossed = _crossing(lambda e: _above(pair, e, target), target, (low, high), slope, looks, Side.UPPER)
        high, upper_source = min((high, upper_source), (crossed, BLOCKS))
        crossed = _crossing(lambda e: _below(pair, e, target), target, (low, high), slope, looks, Side.LOWER)
        low, lower_source = max((low, lower_source), (crossed, _policy(pair)))
        return _answer("epsilon", low, high, lower_source, upper_source, ErrorBudget(target, 0.0, 0.0))
    start = pair_epsilon.start_of(pair, target)
    curve = Curve(pair, FINENESS, target)
    high, upper_source = 0.0, JOIN
    if low > 0.0 or curve.value(0.0, Side.UPPER) > target:
        high = curve.crossing(target, max(start, low, 1e-9), curve.slope(max(start, low, 1e-9)), Side.UPPER)
    high, upper_source = min((high, upper_source), (_revealed_slot_epsilon(pair, target), REVELATION))
    if _worth(slots, low, high, width) and low > 0.0:
        slope, looks = curve.slope(high), step_bounds(pair.randomizer).looks
        upper = _crossing(lambda e: _above(pair, e, target), target, (low, high), slope, looks, Side.UPPER)
        high, upper_source = (upper, BLOCKS) if upper < high else (high, upper_source)
        lower = _crossing(lambda e: _below(pair, e, target), target, (low, high), slope, looks, Side.LOWER)
        low, lower_source = (lower, _policy(pair)) if lower > low else (low, lower_source)
    if nodes is not None and 0.0 < low * (1.0 + max(width, ball_bounds.WIDE)) < high:
        lower, upper = nodes.crossings(target, low, high)
        high, upper_source = min((high, upper_source), (upper, NODES))
        low, lower_source = max((low, lower_source), (lower, NODES_POLICY))
    delta_at_high = target if upper_source in (REVELATION, NODES) else curve.ends(high, Side.UPPER).upper
    return _answer("epsilon", low, high, lower_source, upper_source, ErrorBudget(delta_at_high, 0.0, 0.0))


def _revealed_slot_delta(pair: Pair, epsilon: float) -> float:
    """Return an upper bound: delta of Gaussian noise in a single slot, which more slots do not exceed.

    See :mod:`..known.single_slot`.  It is infinite for other noise, whose join has the bound already.
    """
    slot = _single_slot(pair)
    return slot.delta(epsilon).upper if slot else inf


def _revealed_slot_epsilon(pair: Pair, target: float) -> float:
    """Return an upper bound likewise: epsilon(delta) of noise in a single slot; infinity for Laplace noise."""
    if isinstance(pair.randomizer, DiscreteGaussianNoise):
        return _epsilon_of_few(replace(pair, steps=1), target).upper
    slot = _single_slot(pair)
    return slot.epsilon(target)[1] if slot else inf


def _single_slot(pair: Pair) -> single_slot.Gaussian | None:
    """Return the single slot of Gaussian noise: records in a ball are a distance 1 apart, opposite vectors 2."""
    noise = pair.randomizer
    if not isinstance(noise, GaussianNoise):
        return None
    distance = 1.0 if isinstance(noise, GaussianInBall) else 0.5
    return single_slot.Gaussian(distance / noise.s, pair.prob)


def _addition_matters(slots: Slots, epsilon: float, delta: float) -> bool:
    """Return whether the record added may have a larger delta(epsilon).

    For one step it does not, at any threshold from 0 on.
    """
    return slots.steps > 1 and Curve(slots.pair(ADDITION), TRIAL_FINENESS, delta).value(epsilon, Side.UPPER) > delta


def _nodes(pair: Pair, estimate: float) -> BallBounds | None:
    """Return the bounds on uneven nodes, for Gaussian noise in a ball in slots that surely hold the record."""
    if not isinstance(pair.randomizer, GaussianInBall):
        return None
    bounds = BallBounds(pair, estimate)
    return bounds if bounds.is_sound else None


@dataclass(frozen=True)
class StepBounds:
    """The bounds of one kind of noise for each step: from above, and by a policy from below.

    ``is_useful``: whether they can improve on one step's.  ``looks``: the number of epsilons that are tried.
    ``records``: the number of records among which a policy chooses, in words.
    """

    above: Callable[[float, int, float, float], float]
    below: Callable[[float, int, float, float], float]
    is_useful: bool
    looks: int = MOST_LOOKS
    records: str = "three"


@singledispatch
def step_bounds(noise: Noise) -> StepBounds:
    """Return the bounds of one kind of noise; for other noise the steps are not bounded one by one."""
    return StepBounds(lambda *_: inf, lambda *_: 0.0, is_useful=False)


@step_bounds.register(GaussianNoise)
def _(noise: GaussianNoise) -> StepBounds:
    above, below = (partial(bound, noise.s) for bound in (ball_stoploss.value_above, ball_stoploss.value_below))
    return StepBounds(above, below, noise.s < LARGEST_S)


@step_bounds.register(DiscreteGaussianNoise)
def _(noise: DiscreteGaussianNoise) -> StepBounds:
    above, below = (partial(bound, noise) for bound in (two_records.value_above, two_records.value_below))
    return StepBounds(above, below, noise.s < two_records.LARGEST_S, LOOKS_AT_KINKS, "two")


def _worth(slots: Slots, low: float, high: float, width: float) -> bool:
    return step_bounds(slots.randomizer).is_useful and high > low * (1.0 + width)


def _are_few(pair: Pair) -> bool:
    return isinstance(pair.randomizer, DiscreteGaussianNoise) and two_records.are_few(pair.randomizer, pair.steps)


def _of_few(pair: Pair, epsilon: float) -> tuple[float, float]:
    assert isinstance(pair.randomizer, DiscreteGaussianNoise)
    low, high = pair.safe_epsilon(epsilon, Side.LOWER), pair.safe_epsilon(epsilon, Side.UPPER)
    least = two_records.of_few(pair.randomizer, exp(low), pair.steps, pair.threshold(low))[0]
    most = two_records.of_few(pair.randomizer, exp(high), pair.steps, pair.threshold(high))[1]
    factor = pair.factor(epsilon)
    return factor * least * (1.0 - PRODUCT_ROUNDING), factor * most * (1.0 + PRODUCT_ROUNDING)


def _epsilon_of_few(pair: Pair, target: float) -> Interval:
    if _of_few(pair, 0.0)[1] <= target:
        return _answer("epsilon", 0.0, 0.0, ENUMERATION, ENUMERATION, ErrorBudget(0.0, 0.0, 0.0))
    assert isinstance(pair.randomizer, DiscreteGaussianNoise)
    s = pair.randomizer.s
    steepness = sqrt(2.0 * log(1.0 / target))
    start, slope = s * (steepness + 0.5 * s), (steepness + s) / s
    high = cross(
        lambda e: _of_few(pair, e)[1],
        target,
        min(start, 0.5 * LARGEST_EPSILON),
        slope,
        LARGEST_EPSILON,
        side=Side.UPPER,
    )
    low = cross(
        lambda e: _of_few(pair, e)[0], target, high * (1.0 - BRACKET_WIDTH), slope, LARGEST_EPSILON, side=Side.LOWER
    )
    least, most = _of_few(pair, high)
    return _answer(
        "epsilon",
        low,
        high if high < LARGEST_EPSILON else inf,
        ENUMERATION,
        ENUMERATION,
        ErrorBudget(0.0, 0.0, most - least),
    )


def _above(pair: Pair, epsilon: float, estimate: float) -> float:
    if epsilon > LARGEST_EPSILON:
        return inf
    factor, epsilon = pair.factor(epsilon), pair.safe_epsilon(epsilon, Side.UPPER)
    value = step_bounds(pair.randomizer).above
    return factor * value(exp(epsilon), pair.steps, pair.threshold(epsilon), estimate / factor)


def _below(pair: Pair, epsilon: float, estimate: float) -> float:
    if epsilon > LARGEST_EPSILON:
        return 0.0
    factor, epsilon = pair.factor(epsilon), pair.safe_epsilon(epsilon, Side.LOWER)
    value = step_bounds(pair.randomizer).below
    return factor * value(exp(epsilon), pair.steps, pair.threshold(epsilon), estimate / factor)


def _policy(pair: Pair) -> str:
    return POLICY.format(step_bounds(pair.randomizer).records)


def _crossing(
    value: Callable[[float], float], target: float, bracket: tuple[float, float], slope: float, looks: int, side: Side
) -> float:
    """Return the best of a few epsilons at which the value is on the required side of the target.

    They are found by secants, or near an end of the bracket where a secant leads out of it.
    """
    low, high = bracket
    best, trial, before = (inf if side is Side.UPPER else 0.0), 0.5 * (low + high), None
    for _ in range(looks):
        here = value(trial)
        # The ratio, which may be wrong for the least values, steers the search and decides nothing.
        ratio = log(min(max(here, 1e-300), 1.0) / target)
        if side is Side.UPPER and here <= target:
            best = min(best, trial)
        if side is Side.LOWER and here > target:
            best = max(best, trial)
        low, high = (max(low, trial), high) if here > target else (low, min(high, trial))
        if before is not None and before[0] != trial and ratio != before[1]:
            slope = max((before[1] - ratio) / (trial - before[0]), 0.2 * slope)
        before = (trial, ratio)
        if abs(ratio) <= 2.0 * AIM_MARGIN and best == trial:
            break
        trial = trial + (ratio + side.sign * AIM_MARGIN) / slope
        if not low <= trial <= high:
            trial = high - EDGE_SHARE * (high - low) if trial > high else low + EDGE_SHARE * (high - low)
    return best


def _answer(
    quantity: str, low: float, high: float, lower_source: str, upper_source: str, budget: ErrorBudget
) -> Interval:
    return Interval(low, high, quantity, budget, sources=(lower_source, upper_source))
