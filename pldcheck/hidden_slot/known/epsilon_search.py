"""Estimates of epsilon(delta), at which the search starts: from coarse laws and then from coarse lattices."""

from __future__ import annotations

from math import exp, inf, log

from ...core.directed import Side
from ...core.roots import halve
from .doubled_sums import spans_much
from .neighbour_pairs import ADDED, Pair
from .pair_curve import FARTHEST, Curve, alone, bisected, few_steps, nearly_largest, on_lattice
from .two_sided_sum import LEAST
from .uneven_grids import rough_value

# The largest epsilon tried where increments depend on it: their squares are still finite.
LARGEST = 300.0
# An estimate above this share of the largest epsilon is not used.
UNLIKELY = 0.9
# Share of the largest epsilon at which the search starts instead.
LOOKED = 0.05
# Number of trials of that search.
LOOKS = 8
# Number of halvings of an estimate.
HALVINGS = 16
# Precision of a search near the largest sum.
SEARCHED = 1e-4
# Fineness of a first search.
COARSE = 2.5
# Number of trials of a first search.
SETTLING = 8
# Precision of a first search, in logs of delta.
SETTLED = 1.0
# The least epsilon that is tried.
LEAST_EPSILON = 1e-12
# Points of a law up to which a coarse lattice would be as much work.
LIGHT = 6000
# Largest error of an estimate that is accepted, in logs of delta.
TRIED = 0.3
# Factor by which the lattice of an accepted estimate may be coarser.
COARSER = 1.05


def start_of(pair: Pair, delta: float) -> float:
    """Return an estimate of epsilon(delta)."""
    if few_steps(pair.increment(0.0), pair):
        return min(bisected(pair, delta), FARTHEST)
    if pair.fixed:
        rough = pair.rough(0.0)
        factor = pair.prob / pair.steps
        most = 0.999999 * min(pair.threshold(inf), pair.steps * rough.increment.high)
        found = pair.epsilon(rough.threshold_of(log(delta) - log(factor), most))
        return _near_start(pair, delta, min(found, FARTHEST))
    most = min(alone(pair, delta), LARGEST)
    low, high = 1e-9, most

    def excess(epsilon: float) -> float:
        increment, factor = pair.increment(epsilon), pair.factor(epsilon)
        if spans_much(increment, pair.steps):
            found = rough_value(increment, pair.steps, pair.shifted(epsilon)[0], delta / factor)
            return log(max(found * factor, LEAST)) - log(delta)
        return pair.rough(epsilon).log_value(pair.threshold(epsilon)) + log(factor) - log(delta)

    low, high = halve(lambda epsilon: excess(epsilon) > 0.0, low, high, times=HALVINGS, geometric=True)
    if low > UNLIKELY * most:  # the estimate is of no use: a few looks at the lattice itself
        curve = Curve(pair, 1.0, delta)
        low, high = halve(
            lambda epsilon: curve.value(epsilon, Side.UPPER) > delta, LOOKED * most, most, times=LOOKS, geometric=True
        )
    return (low * high) ** 0.5


def _near_start(pair: Pair, delta: float, found: float) -> float:
    """Return the estimate ``found``, or a better one where all steps must be nearly at their largest value."""
    if pair.name != ADDED:
        return found
    low, high = 0.0, min(alone(pair, delta), pair.largest, FARTHEST)
    if not nearly_largest(pair, min(found + 1.0, 0.5 * (found + high))):
        return found
    while high - low > SEARCHED * high:
        middle = 0.5 * (low + high)
        left = nearly_largest(pair, middle) and Curve(pair, 1.0, delta).value(middle, Side.UPPER) > delta
        low, high = (middle, high) if left or middle < found - 1.0 else (low, middle)
        if not nearly_largest(pair, high):
            return found
    return high


def about(pair: Pair, epsilon: float) -> float:
    """Return an estimate of delta(epsilon), by a coarse law."""
    rough = pair.rough(epsilon)
    found = exp(min(rough.log_value(pair.threshold(epsilon)), 0.0 - log(pair.factor(epsilon))))
    return max(found * pair.factor(epsilon), LEAST)


def looked(pair: Pair, epsilon: float) -> tuple[float, float, float]:
    """Return estimates of delta(epsilon), -d log delta/d epsilon and the bend, by a coarse lattice."""
    curve = Curve(pair, COARSE, about(pair, epsilon))
    return max(curve.value(epsilon, Side.UPPER), LEAST), *curve.falls(epsilon, curve.slope(epsilon))


def settled(pair: Pair, delta: float, start: float) -> tuple[float, float, float]:
    """Return estimates of epsilon(delta), -d log delta/d epsilon and the bend there.

    They are from coarse lattices; the search starts from an estimate.
    """
    at, most = max(start, LEAST_EPSILON), FARTHEST if pair.fixed else LARGEST
    low, high = (0.0, 0.0), (inf, 0.0)
    for _ in range(SETTLING):
        if not on_lattice(pair, at):
            slope = Curve(pair, COARSE, delta).slope(start)
            return start, slope, slope / pair.rate(start)
        value, slope, bend = looked(pair, at)
        left = log(value / delta)
        if abs(left) <= SETTLED:
            moved = at + left / slope
            return (moved if low[0] < moved < min(high[0], 2.0 * at + LEAST_EPSILON) else at), slope, bend
        low, high = ((at, left), high) if left > 0.0 else (low, (at, left))
        if low[1] * high[1] < 0.0:  # between the two
            at = (low[0] * high[1] - high[0] * low[1]) / (high[1] - low[1])
        else:
            at = min(max(at + left / slope, 0.5 * at), 2.0 * at + 1.0, most)
    return at, slope, bend


def begun(pair: Pair, delta: float, width: float, start: float) -> tuple[Curve, float, float]:
    """Return a curve of the fineness that a relative width in epsilon needs, its crossing of delta, and its slope.

    Crossing and slope are estimates.  The start is tried on that curve itself if it is of little work, else, or where
    it was wrong, on coarse lattices.
    """
    curve = Curve(pair, 1.0, delta)
    slope = curve.slope(start)
    curve = Curve(pair, curve.fineness(start, slope / pair.rate(start), width * start * slope), delta)
    if curve.points(start) <= LIGHT:
        left = log(max(curve.value(start, Side.UPPER), LEAST) / delta)
        slope, bend = curve.falls(start, slope)
        finer = curve.fineness(start, bend, width * start * slope)
        moved = start + left / slope
        if abs(left) <= TRIED and curve.finer <= COARSER * finer:
            return curve, moved, slope
        start = moved if 0.5 * start < moved < 2.0 * start else start
    start, slope, bend = settled(pair, delta, start)
    return Curve(pair, curve.fineness(start, bend, width * start * slope), delta), start, slope
