"""Where to look for epsilon(delta): estimates, from coarse laws and then from coarse lattices."""

from __future__ import annotations

from math import exp, inf, log

from .curve import FARTHEST, Curve, alone, bisected, few_steps, nearly_largest, on_lattice
from .doubling import spans_much
from .pairs import ADDED, Pair
from .plan import Rough, threshold_of
from .sides import LEAST
from .uneven_grids import rough_value

# Epsilons looked at, at most, where increments depend on them: their squares are still numbers.
LARGEST = 300.0
# An estimate so near the largest epsilon is none; from which share of it on, and how often, is looked instead.
UNLIKELY, LOOKED, LOOKS = 0.9, 0.05, 8
# Halvings of an estimate; how well a search for what is near the largest sum is to do.
HALVINGS, SEARCHED = 16, 1e-4
# Fineness of a first search; how often it looks, until it is how near, in logs of delta; the least epsilon.
COARSE, SETTLING, SETTLED, LEAST_EPSILON = 2.5, 8, 1.0, 1e-12
# E-foldings of delta that a slope is taken between.
FOLDING = 0.1


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
        increment, factor = pair.increment(epsilon), pair.factor(epsilon)
        if spans_much(increment, pair.steps):
            found = rough_value(increment, pair.steps, pair.shifted(epsilon)[0], delta / factor)
            return log(max(found * factor, LEAST)) - log(delta)
        return Rough.of(increment, pair.steps).log_value(pair.threshold(epsilon)) + log(factor) - log(delta)

    for _ in range(HALVINGS):
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
    if pair.name != ADDED:
        return found
    low, high = 0.0, min(alone(pair, delta), pair.largest, FARTHEST)
    if not nearly_largest(pair, min(found + 1.0, 0.5 * (found + high))):
        return found
    while high - low > SEARCHED * high:
        middle = 0.5 * (low + high)
        left = nearly_largest(pair, middle) and Curve(pair, 1.0, delta).value(middle, True) > delta
        low, high = (middle, high) if left or middle < found - 1.0 else (low, middle)
        if not nearly_largest(pair, high):
            return found
    return high


def about(pair: Pair, epsilon: float) -> float:
    """delta(epsilon), by a coarse law."""
    rough = Rough.of(pair.increment(epsilon), pair.steps)
    found = exp(min(rough.log_value(pair.threshold(epsilon)), 0.0 - log(pair.factor(epsilon))))
    return max(found * pair.factor(epsilon), LEAST)


def looked(pair: Pair, epsilon: float) -> tuple[float, float]:
    """delta(epsilon) and -d log delta/d epsilon, about, by a coarse lattice."""
    curve = Curve(pair, COARSE, about(pair, epsilon))
    found = max(curve.value(epsilon, True), LEAST)
    return found, curve.fall(epsilon, epsilon + min(FOLDING / curve.slope(epsilon), 1.0))


def settled(pair: Pair, delta: float, start: float) -> tuple[float, float]:
    """About epsilon(delta), and -d log delta/d epsilon there: looks at coarse lattices, from an estimate on."""
    at, most = max(start, LEAST_EPSILON), FARTHEST if pair.fixed else LARGEST
    low, high = (0.0, 0.0), (inf, 0.0)
    for _ in range(SETTLING):
        if not on_lattice(pair, at):
            return start, Curve(pair, COARSE, delta).slope(start)
        value, slope = looked(pair, at)
        left = log(value / delta)
        if abs(left) <= SETTLED:
            moved = at + left / slope
            return (moved if low[0] < moved < min(high[0], 2.0 * at + LEAST_EPSILON) else at), slope
        low, high = ((at, left), high) if left > 0.0 else (low, (at, left))
        if low[1] * high[1] < 0.0:  # between the two
            at = (low[0] * high[1] - high[0] * low[1]) / (high[1] - low[1])
        else:
            at = min(max(at + left / slope, 0.5 * at), 2.0 * at + 1.0, most)
    return at, slope
