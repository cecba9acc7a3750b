"""delta(epsilon) and epsilon(delta) of one pair of neighbours, on lattices as fine as the width asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import exp, inf, log
from typing import Any

from ..interval import UNDERFLOW, ErrorBudget, Interval
from ..pld.distribution import agreed
from ..pld.solve import cross
from . import stoploss
from .pairs import ADDED, Pair
from .plan import SERVES, Plan, Rough, plan, threshold_of
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


@dataclass(eq=False)
class Curve:
    """Both ends of delta(epsilon) at one fineness; sides are kept as long as they serve."""

    pair: Pair
    finer: float
    about: float
    _rough: dict[float, Rough] = field(default_factory=dict)
    _sides: dict[bool, list[tuple[float, float, float, Any]]] = field(default_factory=lambda: {True: [], False: []})

    def ends(self, epsilon: float, above: bool) -> Ends:
        """delta(epsilon) on one side; the other end is that of the same law, not of the truth."""
        threshold, factor = self.pair.threshold(epsilon), self.pair.factor(epsilon)
        increment = self.pair.increment(epsilon)
        if threshold >= self.pair.steps * increment.high * (1.0 + BEYOND):
            return Ends(0.0, 0.0, 0.0, 0.0)
        if self.pair.steps == 1:
            mass, more, value, error = increment.above(threshold)
            error += (mass + more) * THRESHOLD * (abs(threshold) + 1.0)
            value, error = factor * value, factor * error + UNDERFLOW
            return Ends(max(value - error, 0.0), value + error, 0.0, 2.0 * error)
        side = self._side(epsilon, threshold, above)
        if side is None:
            return Ends(0.0, 1.0, 0.0, 0.0)
        found = side.ends(threshold)
        return Ends(
            factor * found.lower * (1.0 - 1e-15),
            factor * found.upper * (1.0 + 1e-15),
            factor * found.truncation,
            factor * found.rounding,
        )

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
            # planned for another value than there is: once more
            now = max(found.ends(threshold).upper, LEAST)
            if abs(log(now / value)) < SERVES:
                break
            value = now
        self._sides[above].append((threshold, scheme.reach, scheme.slope, found))
        return found

    def _step(self, rough: Rough, threshold: float, scheme: Plan) -> float:
        step = stoploss.first_step(self.pair.steps, scheme, FIRST_WIDTH)
        if threshold > FAR * rough.deviation:  # only large steps lead there: others need not be resolved
            step = max(step, (scheme.cap - scheme.low) / FIRST_POINTS)
        return stoploss.refined(stoploss.clamped(step, scheme), self.finer, scheme)

    def slope(self, epsilon: float) -> float:
        """About -d log delta/d epsilon."""
        threshold = self.pair.threshold(epsilon)
        scheme = plan(self.rough(epsilon), threshold, max(self.about / self.pair.factor(epsilon), LEAST))
        return max(scheme.slope * self.pair.rate(epsilon), 1e-12)

    def crossing(self, target: float, start: float, slope: float, above: bool) -> float:
        """The epsilon at which this end of delta crosses the target, on its own side."""
        largest = alone(self.pair, target) if above else inf
        end = min(largest, FARTHEST)
        found = cross(lambda e: self.value(e, above), target, min(start, 0.99 * end), slope, end, above=above)
        return largest if above and found == end else found


def alone(pair: Pair, delta: float) -> float:
    """An epsilon at which delta is at most this: that of a single step, from which more steps only take."""
    if pair.steps > 1:
        return alone(replace(pair, steps=1), delta)
    curve, low, high = Curve(pair, 1.0, delta), 0.0, 1.0
    if curve.value(0.0, True) <= delta:
        return 0.0
    while curve.value(high, True) > delta:
        low, high = high, 2.0 * high
        if high > FARTHEST:
            return inf
    while high - low > ALONE * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if curve.value(middle, True) > delta else (low, middle)
    return min(high, pair.largest)


def start_of(pair: Pair, delta: float) -> float:
    """About epsilon(delta)."""
    if pair.fixed:
        rough = Rough.of(pair.increment(0.0), pair.steps)
        factor = pair.prob / pair.steps
        most = 0.999999 * pair.threshold(inf) if pair.name == ADDED else inf
        return pair.epsilon(threshold_of(rough, log(delta / factor), most))
    low, high = 1e-9, min(alone(pair, delta), LARGEST)

    def excess(epsilon: float) -> float:
        rough = Rough.of(pair.increment(epsilon), pair.steps)
        return rough.log_value(pair.threshold(epsilon)) + log(pair.factor(epsilon)) - log(delta)

    for _ in range(16):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if excess(middle) > 0.0 else (low, middle)
    return (low * high) ** 0.5


def epsilon(pair: Pair, delta: float, width: float) -> Interval:
    """epsilon(delta) to a relative width, if it can be had."""
    start, finer = start_of(pair, delta), 1.0
    best = _crossings(Curve(pair, finer, delta), delta, start)
    for _ in range(ATTEMPTS - 1):
        if best.upper == 0.0 or best.relative_width <= width:
            break
        finer *= _finer(best, width)
        found = _intersection(best, _crossings(Curve(pair, finer, delta), delta, best.upper))
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
        low = curve.crossing(delta, high, slope, False)
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
    threshold = pair.threshold(epsilon)
    rough = Rough.of(pair.increment(epsilon), pair.steps)
    about = max(exp(min(rough.log_value(threshold), 0.0 - log(pair.factor(epsilon)))) * pair.factor(epsilon), LEAST)
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


def _at(curve: Curve, epsilon: float) -> Interval:
    top, bottom = curve.ends(epsilon, True), curve.ends(epsilon, False)
    truncation, rounding = top.truncation + bottom.truncation, top.rounding + bottom.rounding
    high = min(top.upper, 1.0)
    low = agreed(bottom.lower, high)
    rest = max(high - low - truncation - rounding, 0.0)
    return Interval(low, high, "delta", ErrorBudget(rest, truncation, rounding))
