"""Estimates of epsilon(delta), at which the search starts: from coarse laws and then from coarse lattices."""

from __future__ import annotations

from math import exp, inf, isnan, log

from ...core.directed import Side
from ...core.roots import halve
from .doubled_sums import spans_much
from .neighbour_pairs import Pair
from .pair_curve import (
    FARTHEST_EPSILON,
    Curve,
    few_steps,
    few_steps_epsilon,
    fewer_steps_epsilon,
    on_lattice,
)
from .two_sided_sum import LEAST_VALUE
from .uneven_grids import rough_value

# The largest epsilon tried where increments depend on it: their squares are still finite.
LARGEST_EPSILON = 300.0
# An estimate above this share of the largest epsilon is not used.
LARGEST_SHARE = 0.9
# Share of the largest epsilon at which the search starts instead.
START_SHARE = 0.05
# Number of trials of that search.
LOOK_TRIALS = 8
# Number of halvings of an estimate.
HALVINGS = 16
# Fineness of a first search.
COARSE_FINENESS = 2.5
# Number of trials of a first search.
FIRST_TRIALS = 8
# Precision of a first search, in logs of delta.
FIRST_PRECISION = 1.0
# The least epsilon that is tried.
LEAST_EPSILON = 1e-12
# Points of a law up to which a coarse lattice would be as much work.
LIGHT_POINTS = 6000
# Largest error of an estimate that is accepted, in logs of delta.
LARGEST_ERROR = 0.3
# Factor by which the lattice of an accepted estimate may be coarser.
COARSENING = 1.05


def start_of(pair: Pair, delta: float) -> float:
    """Return an estimate of epsilon(delta)."""
    if few_steps(pair.increment(0.0), pair):
        return min(few_steps_epsilon(pair, delta), FARTHEST_EPSILON)
    if pair.has_one_law:
        rough = pair.rough(0.0)
        factor = pair.prob / pair.steps
        most = 0.999999 * min(pair.threshold(inf), pair.steps * rough.increment.high)
        estimate = pair.epsilon(rough.threshold_of(log(delta) - log(factor), most))
        return min(estimate, FARTHEST_EPSILON)
    most = min(fewer_steps_epsilon(pair, delta), LARGEST_EPSILON)
    low, high = 1e-9, most

    def excess(epsilon: float) -> float:
        increment, factor = pair.increment(epsilon), pair.factor(epsilon)
        if spans_much(increment, pair.steps):
            stoploss = rough_value(increment, pair.steps, pair.net_threshold(epsilon)[0], delta / factor)
            return log(max(stoploss * factor, LEAST_VALUE)) - log(delta)
        return pair.rough(epsilon).log_value(pair.threshold(epsilon)) + log(factor) - log(delta)

    low, high = halve(lambda epsilon: excess(epsilon) > 0.0, low, high, times=HALVINGS, geometric=True)
    if low > LARGEST_SHARE * most:  # the estimate is of no use, so the lattice itself is evaluated a few times
        curve = Curve(pair, 1.0, delta)
        low, high = halve(
            lambda epsilon: curve.value(epsilon, Side.UPPER) > delta,
            START_SHARE * most,
            most,
            times=LOOK_TRIALS,
            geometric=True,
        )
    return (low * high) ** 0.5


def estimate_delta(pair: Pair, epsilon: float) -> float:
    """Return an estimate of delta(epsilon), by a coarse law."""
    rough = pair.rough(epsilon)
    log_value = rough.log_value(pair.threshold(epsilon))
    if isnan(log_value):  # the threshold is beyond all outputs that a double can tell
        return LEAST_VALUE
    return max(exp(min(log_value, 0.0 - log(pair.factor(epsilon)))) * pair.factor(epsilon), LEAST_VALUE)


def lattice_estimates(pair: Pair, epsilon: float) -> tuple[float, float, float]:
    """Return estimates of delta(epsilon), -d log delta/d epsilon and the bend, by a coarse lattice."""
    curve = Curve(pair, COARSE_FINENESS, estimate_delta(pair, epsilon))
    return max(curve.value(epsilon, Side.UPPER), LEAST_VALUE), *curve.falls(epsilon, curve.slope(epsilon))


def estimate_crossing(pair: Pair, delta: float, start: float) -> tuple[float, float, float]:
    """Return estimates of epsilon(delta), -d log delta/d epsilon and the bend there.

    They are from coarse lattices; the search starts from an estimate.
    """
    epsilon, most = max(start, LEAST_EPSILON), FARTHEST_EPSILON if pair.has_one_law else LARGEST_EPSILON
    low, high = (0.0, 0.0), (inf, 0.0)
    for _ in range(FIRST_TRIALS):
        if not on_lattice(pair, epsilon):
            slope = Curve(pair, COARSE_FINENESS, delta).slope(start)
            return start, slope, slope / pair.rate(start)
        value, slope, bend = lattice_estimates(pair, epsilon)
        log_ratio = log(value / delta)
        if abs(log_ratio) <= FIRST_PRECISION:
            next_epsilon = epsilon + log_ratio / slope
            return (
                (next_epsilon if low[0] < next_epsilon < min(high[0], 2.0 * epsilon + LEAST_EPSILON) else epsilon),
                slope,
                bend,
            )
        low, high = ((epsilon, log_ratio), high) if log_ratio > 0.0 else (low, (epsilon, log_ratio))
        if low[1] * high[1] < 0.0:  # the crossing is between the two points
            epsilon = (low[0] * high[1] - high[0] * low[1]) / (high[1] - low[1])
        else:
            epsilon = min(max(epsilon + log_ratio / slope, 0.5 * epsilon), 2.0 * epsilon + 1.0, most)
    return epsilon, slope, bend


def first_curve(pair: Pair, delta: float, width: float, start: float) -> tuple[Curve, float, float]:
    """Return a curve of the fineness that a relative width in epsilon needs, its crossing of delta, and its slope.

    Crossing and slope are estimates.  The start is tried on that curve itself if it is of little work, else, or where
    it was wrong, on coarse lattices.
    """
    curve = Curve(pair, 1.0, delta)
    slope = curve.slope(start)
    curve = Curve(pair, curve.fineness(start, slope / pair.rate(start), width * start * slope), delta)
    if curve.points(start) <= LIGHT_POINTS:
        log_ratio = log(max(curve.value(start, Side.UPPER), LEAST_VALUE) / delta)
        slope, bend = curve.falls(start, slope)
        finer = curve.fineness(start, bend, width * start * slope)
        next_epsilon = start + log_ratio / slope
        if abs(log_ratio) <= LARGEST_ERROR and curve.finer <= COARSENING * finer:
            return curve, next_epsilon, slope
        start = next_epsilon if 0.5 * start < next_epsilon < 2.0 * start else start
    start, slope, bend = estimate_crossing(pair, delta, start)
    return Curve(pair, curve.fineness(start, bend, width * start * slope), delta), start, slope
