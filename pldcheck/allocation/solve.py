"""delta(epsilon) and epsilon(delta) of one pair of neighbours, on lattices as fine as the width asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import exp, inf, log
from typing import Any, TypeGuard

import numpy as np

from ..interval import UNDERFLOW, ErrorBudget, Interval
from ..pld.distribution import agreed
from ..pld.solve import cross
from . import few, near, stoploss
from .increments import GaussianIncrement, Increment
from .pairs import ADDED, Pair
from .plan import SERVES, Plan, Rough, plan, threshold_of
from .randomizers import GaussianNoise
from .sums import Ends

# Attempts at a width, and what the first one asks for at least.
ATTEMPTS, FIRST_WIDTH, FIRST_POINTS = 6, 1e-2, 2000
# Deviations of the sum beyond which it is not led by many moderate steps.
FAR = 40.0
# What a refinement must gain, or it was the last.
GAIN = 0.8
# A threshold so far, relatively, above the largest sum is surely beyond it.
BEYOND = 1e-14
# Error of a threshold, relatively.
THRESHOLD = 1e-15
# Share of the largest sum up to which is planned.
NEARLY = 0.9999
# Epsilons looked at, at most, where increments depend on them: their squares are still numbers.
LARGEST = 300.0
# The same where they do not.
FARTHEST = 690.0
# How well the epsilon of a single step is known, relatively.
ALONE = 1e-7
# Deltas sought at least.
LEAST = 1e-290
# What a step is made finer by than it seems to need.
SPARE, UNRESOLVED = 0.8, 0.25
# Relative distance of epsilons that a slope is taken between; fineness of a first search, for two steps.
NEARBY, ROUGHER = 1e-4, 4.0
# Nodes in a search for one end; what is tried after that: how far apart and how often.
WORK, APART, FEW = 2**23, 1.15, 12
# An estimate so near the largest epsilon is none; from which share of it on, and how often, is looked instead.
UNLIKELY, LOOKED, LOOKS = 0.9, 0.05, 8
# Relative error up to which what is left to the largest sum is known well enough; how well a first search is.
SURE, SEARCHED = 1e-3, 1e-4


@dataclass(eq=False)
class Curve:
    """Both ends of delta(epsilon) at one fineness; sides are kept as long as they serve."""

    pair: Pair
    finer: float
    about: float
    # Nodes of all sums so far.
    spent: int = 0
    _rough: dict[float, Rough] = field(default_factory=dict)
    _sides: dict[bool, list[tuple[float, float, float, Any]]] = field(default_factory=lambda: {True: [], False: []})

    def ends(self, epsilon: float, above: bool) -> Ends:
        """delta(epsilon) on one side; the other end is that of the same law, not of the truth."""
        threshold, factor = self.pair.threshold(epsilon), self.pair.factor(epsilon)
        increment = self.pair.increment(epsilon)
        if threshold >= self.pair.steps * increment.high * (1.0 + BEYOND):
            return Ends(0.0, 0.0, 0.0, 0.0)
        if few_steps(increment, self.pair):
            shifted, doubt = self.pair.shifted(epsilon)
            if self.pair.steps == 1:
                found = few.one(increment, shifted, doubt)
            else:
                found = few.two(increment, shifted, doubt, self.finer)
            return _scaled(found, factor)
        if self.pair.steps == 1:
            doubt = THRESHOLD * (abs(threshold) + 1.0)
            low, high = (increment.above(at) for at in (threshold + doubt, threshold - doubt))
            value, error = high[2], low[3] + high[3]
            return _scaled(Ends(max(low[2] - error, 0.0), value + error, 0.0, value - low[2] + 2.0 * error), factor)
        with np.errstate(over="ignore", invalid="ignore"):  # what is beyond the range of numbers bounds nothing
            if nearly_largest(self.pair, epsilon):
                return _scaled(self._near(epsilon, above), factor)
            side = self._side(epsilon, threshold, above)
            if side is None:
                return Ends(0.0, 1.0, 0.0, 0.0)
            return _scaled(side.ends(threshold), factor)

    def value(self, epsilon: float, above: bool) -> float:
        """The certified end."""
        found = self.ends(epsilon, above)
        return min(found.upper, 1.0) if above else found.lower

    def rough(self, epsilon: float) -> Rough:
        """The coarse law that is planned with."""
        key = 0.0 if self.pair.fixed else epsilon
        if key not in self._rough:
            self._rough = {key: Rough.of(self.pair.increment(epsilon), self.pair.steps)}
        return self._rough[key]

    def _side(self, epsilon: float, threshold: float, above: bool) -> Any:
        for at, reach, _, side in self._sides[above]:
            if self.pair.fixed and abs(threshold - at) <= reach or at == threshold:
                return side
        rough = self.rough(epsilon)
        # Where all steps must be nearly at their largest the inversion is of no use, nor needed.
        threshold = min(threshold, NEARLY * self.pair.steps * rough.increment.high)
        value = self.about / self.pair.factor(epsilon)
        found: Any = None
        for _ in range(3):
            scheme = plan(rough, threshold, max(value, LEAST))
            step = self._step(rough, threshold, scheme)
            make = stoploss.upper_side if above else stoploss.lower_side
            found = make(rough.increment, self.pair.steps, scheme, threshold, step)
            if found is None:
                break
            self.spent += found.nodes
            # planned for another value than there is: once more
            now = max(found.ends(threshold).upper, LEAST)
            if abs(log(now / value)) < SERVES:
                break
            value = now
        self._sides[above].append((threshold, scheme.reach, scheme.slope, found))
        return found

    def _near(self, epsilon: float, above: bool) -> Ends:
        shifted, doubt = self.pair.shifted(epsilon)
        room, count = -shifted + (doubt if above else -doubt), self.pair.steps
        increment = near.NearLargest(self.pair.randomizer.s, room, count)  # type: ignore[union-attr]
        rough, threshold = Rough.of(increment, count), count - 1.0
        value, found = self.about / (self.pair.factor(epsilon) * room), Ends(0.0, 1.0, 0.0, 0.0)
        for _ in range(3):
            scheme = plan(rough, threshold, max(value, LEAST))
            make = stoploss.upper_side if above else stoploss.lower_side
            side = make(increment, count, scheme, threshold, self._step(rough, threshold, scheme))
            if side is None:
                break
            self.spent += side.nodes
            found = side.ends(threshold)
            now = max(found.upper, LEAST)
            if abs(log(now / value)) < SERVES:
                break
            value = now
        error = count * near.ERROR
        return Ends(
            room * found.lower * (1.0 - error),
            room * found.upper * (1.0 + error),
            room * found.truncation,
            room * (found.rounding + 2.0 * error * found.upper),
        )

    def _step(self, rough: Rough, threshold: float, scheme: Plan) -> float:
        step = stoploss.first_step(self.pair.steps, scheme, FIRST_WIDTH)
        if threshold > FAR * rough.deviation:  # only large steps lead there: others need not be resolved
            step = max(step, (scheme.cap - scheme.low) / FIRST_POINTS)
        return stoploss.refined(stoploss.clamped(step, scheme), self.finer, scheme)

    def slope(self, epsilon: float) -> float:
        """About -d log delta/d epsilon."""
        if few_steps(self.pair.increment(epsilon), self.pair) or nearly_largest(self.pair, epsilon):
            later = epsilon * (1.0 + NEARBY) + NEARBY * NEARBY
            here, there = (max(self.value(at, True), LEAST) for at in (epsilon, later))
            return max(log(here / there) / (later - epsilon), 1e-12)
        threshold = self.pair.threshold(epsilon)
        scheme = plan(self.rough(epsilon), threshold, max(self.about / self.pair.factor(epsilon), LEAST))
        return max(scheme.slope * self.pair.rate(epsilon), 1e-12)

    def crossing(self, target: float, start: float, slope: float, above: bool) -> float:
        """The epsilon at which this end of delta crosses the target, on its own side."""
        largest = alone(self.pair, target) if above and self.pair.steps > 1 else inf
        end = min(largest, FARTHEST)
        best, most = (end if above else 0.0), self.spent + WORK

        def value(epsilon: float) -> float:
            nonlocal best
            if self.spent > most:
                raise _Enough
            found = self.value(epsilon, above)
            if above and found <= target:
                best = min(best, epsilon)
            if not above and found > target:
                best = max(best, epsilon)
            return found

        try:
            found = cross(value, target, min(start, 0.99 * end), slope, end, above=above)
        except _Enough:
            found = best
            if best == (end if above else 0.0):  # any end at all
                found = self._any(target, min(start, end), end, above)
        return largest if above and found == end else found

    def _any(self, target: float, start: float, end: float, above: bool) -> float:
        for i in range(FEW):
            epsilon = start * APART ** (i if above else -i)
            if above and epsilon >= end:
                break
            if (self.value(epsilon, above) <= target) == above:
                return epsilon
        return end if above else 0.0


class _Enough(Exception):
    """So much work that what is known must do."""


def few_steps(increment: Increment, pair: Pair) -> TypeGuard[GaussianIncrement]:
    """Whether the steps are so few that no lattice is needed."""
    return pair.steps <= 2 and isinstance(increment, GaussianIncrement)


def nearly_largest(pair: Pair, epsilon: float) -> bool:
    """Whether all steps must be nearly at their largest value, that of a Gaussian record added."""
    if pair.name != ADDED or pair.steps <= 2 or not isinstance(pair.randomizer, GaussianNoise):
        return False
    shifted, doubt = pair.shifted(epsilon)
    return near.is_near(pair.randomizer.s, -shifted) and doubt < -SURE * shifted


def _scaled(found: Ends, factor: float) -> Ends:
    lower, upper = factor * found.lower * (1.0 - 1e-15), factor * found.upper * (1.0 + 1e-15) + UNDERFLOW
    if not 0.0 <= lower <= upper < inf:  # beyond the range of numbers
        return Ends(0.0, 1.0, 0.0, 0.0)
    return Ends(lower, upper, factor * found.truncation, factor * found.rounding)


def alone(pair: Pair, delta: float) -> float:
    """An epsilon at which delta is at most this: that of a step or two, from which more steps only take.

    A mean of more independent copies is smaller in convex order.
    """
    two = replace(pair, steps=min(pair.steps, 2))
    if few_steps(pair.increment(0.0), two):
        return min(bisected(two, delta), pair.largest)
    return min(bisected(replace(pair, steps=1), delta), pair.largest)


def bisected(pair: Pair, delta: float) -> float:
    """An epsilon at which delta is at most this, hardly more than the least one, of one step or two."""
    curve, low, high = Curve(pair, ROUGHER, delta), 0.0, 1.0
    if curve.value(0.0, True) <= delta:
        return 0.0
    while curve.value(high, True) > delta:
        low, high = high, 2.0 * high
        if high > FARTHEST:
            return inf
    while high - low > ALONE * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if curve.value(middle, True) > delta else (low, middle)
    return high


def start_of(pair: Pair, delta: float) -> float:
    """About epsilon(delta)."""
    if few_steps(pair.increment(0.0), pair):
        return min(bisected(pair, delta), FARTHEST)
    if pair.fixed:
        rough = Rough.of(pair.increment(0.0), pair.steps)
        factor = pair.prob / pair.steps
        most = 0.999999 * pair.threshold(inf) if pair.name == ADDED else inf
        return _near_start(pair, delta, pair.epsilon(threshold_of(rough, log(delta / factor), most)))
    most = min(alone(pair, delta), LARGEST)
    low, high = 1e-9, most

    def excess(epsilon: float) -> float:
        rough = Rough.of(pair.increment(epsilon), pair.steps)
        return rough.log_value(pair.threshold(epsilon)) + log(pair.factor(epsilon)) - log(delta)

    for _ in range(16):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if excess(middle) > 0.0 else (low, middle)
    if low > UNLIKELY * most:  # the estimate is of no use: a few looks at the lattice itself
        curve, low, high = Curve(pair, 1.0, delta), LOOKED * most, most
        for _ in range(LOOKS):
            middle = (low * high) ** 0.5
            low, high = (middle, high) if curve.value(middle, True) > delta else (low, middle)
    return (low * high) ** 0.5


def _near_start(pair: Pair, delta: float, found: float) -> float:
    """What was found, or where all steps must be nearly at their largest value a better one."""
    low, high = 0.0, min(alone(pair, delta), pair.largest, FARTHEST)
    if pair.name != ADDED or not nearly_largest(pair, min(found + 1.0, 0.5 * (found + high))):
        return found
    while high - low > SEARCHED * high:
        middle = 0.5 * (low + high)
        left = nearly_largest(pair, middle) and Curve(pair, 1.0, delta).value(middle, True) > delta
        low, high = (middle, high) if left or middle < found - 1.0 else (low, middle)
        if not nearly_largest(pair, high):
            return found
    return high


def epsilon(pair: Pair, delta: float, width: float) -> Interval:
    """epsilon(delta) to a relative width, if it can be had."""
    start, finer = start_of(pair, delta), 1.0
    curve = Curve(pair, finer, delta)
    best = _crossings(curve, delta, start)
    for _ in range(ATTEMPTS - 1):
        if best.upper == 0.0 or best.relative_width <= width or curve.spent > WORK:
            break
        finer *= _finer(best, width)
        curve = Curve(pair, finer, delta)
        found = _intersection(best, _crossings(curve, delta, best.upper))
        stuck = best.lower > 0.0 and found.width > GAIN * best.width
        best = found
        if stuck:
            break
    return best


def _finer(found: Interval, width: float) -> float:
    """By how much to refine the lattice: widths go with its square."""
    if not 0.0 < found.lower <= found.upper < inf:
        return UNRESOLVED
    return max(min(SPARE * (width / found.relative_width) ** 0.5, 0.5), 0.02)


def _crossings(curve: Curve, delta: float, start: float) -> Interval:
    at_zero = None
    if start * curve.slope(start) < 3.0:
        at_zero = curve.value(0.0, True)
        if at_zero <= delta:
            return Interval(0.0, 0.0, "epsilon", ErrorBudget(0.0, 0.0, 0.0))
    slope = curve.slope(start)
    high = curve.crossing(delta, max(start, 1e-12), slope, True)
    low = 0.0
    if at_zero is None or curve.value(0.0, False) > delta:
        low = curve.crossing(delta, high if high < 2.0 * start else start, slope, False)
    if high == inf:
        return Interval(low, high, "epsilon")
    top, bottom = curve.ends(high, True), curve.ends(high, False)
    truncation, rounding = top.truncation + bottom.truncation, top.rounding + bottom.rounding
    rest = max(top.upper - bottom.lower - truncation - rounding, 0.0)
    return Interval(agreed(low, high), high, "epsilon", ErrorBudget(rest, truncation, rounding))


def _intersection(first: Interval, second: Interval) -> Interval:
    lower, upper = max(first.lower, second.lower), min(first.upper, second.upper)
    narrower = min(first, second, key=lambda one: one.width)
    return Interval(agreed(lower, upper), upper, first.quantity, narrower.budget)


def delta(pair: Pair, epsilon: float, width: float) -> Interval:
    """delta(epsilon) to a relative width, if it can be had."""
    about = 1.0 if few_steps(pair.increment(epsilon), pair) else _about(pair, epsilon)
    best, finer = _at(Curve(pair, 1.0, about), epsilon), 1.0
    for _ in range(ATTEMPTS - 1):
        if best.relative_width <= width:
            break
        finer *= _finer(best, width)
        found = _intersection(best, _at(Curve(pair, finer, max(best.upper, LEAST)), epsilon))
        stuck = best.lower > 0.0 and found.width > GAIN * best.width
        best = found
        if stuck:
            break
    return best


def _about(pair: Pair, epsilon: float) -> float:
    rough = Rough.of(pair.increment(epsilon), pair.steps)
    found = exp(min(rough.log_value(pair.threshold(epsilon)), 0.0 - log(pair.factor(epsilon))))
    return max(found * pair.factor(epsilon), LEAST)


def _at(curve: Curve, epsilon: float) -> Interval:
    top, bottom = curve.ends(epsilon, True), curve.ends(epsilon, False)
    truncation, rounding = top.truncation + bottom.truncation, top.rounding + bottom.rounding
    high = min(top.upper, 1.0)
    low = agreed(bottom.lower, high)
    rest = max(high - low - truncation - rounding, 0.0)
    return Interval(low, high, "delta", ErrorBudget(rest, truncation, rounding))
