"""Answers where a record is replaced and the others' records are in the ball as well: quick bounds, then blocks."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, inf, log

from ..interval import ErrorBudget, Interval
from ..pld.distribution import agreed
from . import in_ball, solve
from .pairs import ADDED, REMOVED, REPLACED, Pair, Slots
from .randomizers import GaussianNoise
from .solve import Curve

# Noise from which on blocks are worth their time, as sensitivity over deviation.
LARGEST_S = 1.5
# Fineness of the quick bounds; values looked at with blocks; what is aimed inside by, relatively in delta.
FINER, LOOKS, INSIDE = 0.1, 4, 2e-4
JOIN, BLOCKS = "join of one step", "blocks of steps, adaptive"
POLICY = "adaptive policy of three configurations"


def delta(slots: Slots, epsilon: float, width: float) -> Interval:
    """delta(epsilon): the join of one step and the record removed or added; blocks of steps where that is too wide."""
    pair = slots.pair(REPLACED)
    found = solve.delta(pair, epsilon, width)
    low, source = max((solve.delta(slots.pair(name), epsilon, width).lower, name) for name in (REMOVED, ADDED))
    high, by = found.upper, JOIN
    if _worth(slots, low, high, width):
        tried = _above(pair, epsilon, high), _below(pair, epsilon, high)
        high, by = (tried[0], BLOCKS) if tried[0] < high else (high, by)
        low, source = (tried[1], POLICY) if tried[1] > low else (low, source)
    return _answer("delta", low, high, source, by, high - low)


def epsilon(slots: Slots, target: float, width: float) -> Interval:
    """epsilon(delta), likewise."""
    pair = slots.pair(REPLACED)
    ends = [(solve.epsilon(slots.pair(name), target, width).lower, name) for name in (REMOVED, ADDED)]
    low, source = max(ends)
    start = solve.start_of(pair, target)
    curve = Curve(pair, FINER, target)
    high, by = 0.0, JOIN
    if curve.value(0.0, True) > target:
        high = curve.crossing(target, max(start, low, 1e-9), curve.slope(max(start, low, 1e-9)), True)
    if _worth(slots, low, high, width) and low > 0.0:
        slope = curve.slope(high)
        upper = _crossing(lambda e: _above(pair, e, target), target, 0.5 * (low + high), slope, True)
        high, by = (upper, BLOCKS) if upper < high else (high, by)
        lower = _crossing(lambda e: _below(pair, e, target), target, 0.5 * (low + high), slope, False)
        low, source = (lower, POLICY) if lower > low else (low, source)
    reached = curve.ends(high, True)
    return _answer("epsilon", low, high, source, by, reached.upper)


def _worth(slots: Slots, low: float, high: float, width: float) -> bool:
    return slots.randomizer.removed.variance < _variance(LARGEST_S) and high > low * (1.0 + width)


def _variance(s: float) -> float:
    return expm1(s * s)


def _above(pair: Pair, epsilon: float, about: float) -> float:
    return _block(in_ball.value_above, pair, epsilon, about)


def _below(pair: Pair, epsilon: float, about: float) -> float:
    return _block(in_ball.value_below, pair, epsilon, about)


def _block(value: Callable[..., float], pair: Pair, epsilon: float, about: float) -> float:
    factor = pair.factor(epsilon)
    return factor * value(_sensitivity(pair), exp(epsilon), pair.steps, pair.threshold(epsilon), about / factor)


def _sensitivity(pair: Pair) -> float:
    assert isinstance(pair.randomizer, GaussianNoise)  # the only noise there is in a ball
    return pair.randomizer.s


def _crossing(value: Callable[[float], float], target: float, start: float, slope: float, above: bool) -> float:
    """Of a few epsilons the best at which the value is on the wanted side of the target."""
    best, at, before = (inf, start, None) if above else (0.0, start, None)
    for _ in range(LOOKS):
        ratio = log(max(value(at), 1e-300) / target)
        if above and ratio <= 0.0:
            best = min(best, at)
        if not above and ratio > 0.0:
            best = max(best, at)
        if before is not None and before[0] != at and ratio != before[1]:
            slope = max((before[1] - ratio) / (at - before[0]), 0.2 * slope)
        before = (at, ratio)
        if abs(ratio) <= 2.0 * INSIDE and best == at:
            break
        at = max(at + (ratio + (INSIDE if above else -INSIDE)) / slope, 0.0)
    return best


def _answer(quantity: str, low: float, high: float, source: str, by: str, rest: float) -> Interval:
    budget = ErrorBudget(rest, 0.0, 0.0)
    return Interval(agreed(low, high), high, quantity, budget, sources=(source, by))
