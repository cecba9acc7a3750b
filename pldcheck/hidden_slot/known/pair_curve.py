"""Both ends of delta(epsilon) of one pair of neighbours at one fineness."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf, log, sqrt
from typing import TypeGuard

import numpy as np

from ...core.directed import Ends, Side, roundoff
from ...core.interval import UNDERFLOW
from ...core.roots import cross, halve
from ...kernels.tilt_planning import REUSE_RANGE
from . import one_or_two_steps
from .allocation_closed_form import Bounds
from .doubled_sums import Doubling, spans_much
from .neighbour_pairs import REPLACEMENT, Pair
from .noise_ratios import GaussianNoise
from .slot_increments import GaussianIncrement, Increment
from .sum_plan import Rough
from .two_sided_sum import AT_MOST_ONE, LEAST_VALUE, Sides, fineness

# Relative margin by which a threshold above the largest sum is surely beyond it.
BEYOND_MARGIN = 1e-14
# Error of a threshold, relatively.
THRESHOLD_ERROR = 1e-15
# The largest threshold whose square is still finite.
FARTHEST_THRESHOLD = 1e140
# The largest epsilon that is tried.
FARTHEST_EPSILON = 690.0
# Relative precision of the epsilon of one or two steps.
FEW_STEPS_PRECISION = 1e-7
# The fineness for that precision.
FEW_STEPS_FINENESS = 4.0
# Relative distance of the epsilons between which a slope is formed.
SLOPE_DISTANCE = 1e-4
# Logarithmic fall of delta over which a slope is formed.
SLOPE_FALL = 0.1
# Share of that fall which is needed for a slope.
LEAST_FALL_SHARE = 1e-2
# The least slope.
LEAST_SLOPE = 1e-12
# Least ratio of a bend to the slope.
LEAST_BEND = 0.5
# Largest number of nodes in a search for one end.
WORK = 2**23
# Factor between the epsilons that are tried after that.
SEARCH_FACTOR = 1.15
# Number of such epsilons.
SEARCH_TRIALS = 12


@dataclass(eq=False)
class Curve:
    """Both ends of delta(epsilon); ``estimate`` is about the delta in question."""

    pair: Pair
    finer: float
    estimate: float
    _sides: Sides = field(init=False)
    _doubling: Doubling = field(init=False)

    def __post_init__(self) -> None:
        self._sides = Sides(self.pair, self.finer)
        self._doubling = Doubling(self.pair.steps, self.finer)

    @property
    def work(self) -> int:
        """Number of nodes of all sums so far, and the equivalent of other work."""
        return self._sides.work + self._doubling.work

    def rough(self, epsilon: float) -> Rough:
        """Return the coarse law that is used for planning."""
        return self._sides.rough(epsilon)

    def ends(self, epsilon: float, side: Side) -> Ends:
        """Return delta(epsilon) on one side; the other end is that of the same law, and bounds nothing."""
        epsilon = self.pair.safe_epsilon(epsilon, side)
        threshold, factor = self.pair.threshold(epsilon), self.pair.factor(epsilon)
        increment = self.pair.increment(epsilon)
        if threshold >= self.pair.steps * increment.high * (1.0 + BEYOND_MARGIN):
            return Ends(0.0, 0.0, 0.0, 0.0)
        if few_steps(increment, self.pair):
            net_threshold, doubt = self.pair.net_threshold(epsilon)
            if self.pair.steps == 1:
                few_steps_ends = one_or_two_steps.one(increment, net_threshold, doubt)
            else:
                few_steps_ends = one_or_two_steps.two(increment, net_threshold, doubt, self.finer)
            return _scale(few_steps_ends, factor)
        if threshold > FARTHEST_THRESHOLD:
            return AT_MOST_ONE
        if spans_much(increment, self.pair.steps):
            net_threshold, doubt = self.pair.net_threshold(epsilon)
            return _scale(self._doubling.ends(increment, net_threshold, doubt, self.estimate / factor, side), factor)
        if self.pair.steps == 1:
            doubt = THRESHOLD_ERROR * (abs(threshold) + 1.0)
            low, high = (increment.above(point) for point in (threshold + doubt, threshold - doubt))
            value, error = high[2], low[3] + high[3]
            return _scale(Ends(max(low[2] - error, 0.0), value + error, 0.0, value - low[2] + 2.0 * error), factor)
        with np.errstate(over="ignore", invalid="ignore"):  # a value beyond the range of numbers is no bound
            return _scale(self._sides.ends(epsilon, self.estimate / factor, side), factor)

    def value(self, epsilon: float, side: Side) -> float:
        """Return the certified end."""
        ends = self.ends(epsilon, side)
        return min(ends.upper, 1.0) if side is Side.UPPER else ends.lower

    def surely_below(self, epsilon: float) -> bool:
        """Return whether a quick bound shows that delta(epsilon) is below the delta in question."""
        return self.quick_bound(epsilon) <= self.estimate

    def quick_bound(self, epsilon: float) -> float:
        """Return an upper bound of delta(epsilon) that costs next to nothing; infinity where there is none."""
        epsilon = self.pair.safe_epsilon(epsilon, Side.UPPER)
        factor, bound = self.pair.factor(epsilon), inf
        if on_lattice(self.pair, epsilon) and self.pair.steps > 1:
            with np.errstate(over="ignore"):
                bound = self._sides.quick_bound(epsilon, self.estimate / factor)
        # The bound has what is lost in units of increments; this is for the product, in units of delta.
        return factor * bound * (1.0 + 1e-15) + UNDERFLOW

    def slope(self, epsilon: float) -> float:
        """Return an estimate of -d log delta/d epsilon."""
        if not on_lattice(self.pair, epsilon):
            return self.fall(epsilon, epsilon * (1.0 + SLOPE_DISTANCE) + SLOPE_DISTANCE * SLOPE_DISTANCE)
        scheme = self._sides.scheme(epsilon, self.estimate / self.pair.factor(epsilon))
        rough, threshold, distance = self.rough(epsilon), self.pair.threshold(epsilon), SLOPE_FALL / scheme.slope
        if not distance > 0.0:  # the threshold is beyond all outputs that a double can tell
            return LEAST_SLOPE
        fall = rough.log_value(threshold) - rough.log_value(threshold + distance)
        if not fall > LEAST_FALL_SHARE * SLOPE_FALL:  # the estimate is not smooth
            fall = SLOPE_FALL
        return max(fall / distance * self.pair.rate(epsilon), LEAST_SLOPE)

    def points(self, epsilon: float) -> float:
        """Return an estimate of the number of points of a lattice law there."""
        return self._sides.points(epsilon, self.estimate / self.pair.factor(epsilon))

    def fall(self, epsilon: float, later: float) -> float:
        """Return an estimate of -d log delta/d epsilon between two epsilons."""
        if not later > epsilon:  # the next float is farther away
            return LEAST_SLOPE
        here, there = (max(self.value(point, Side.UPPER), LEAST_VALUE) for point in (epsilon, later))
        return max(log(here / there) / (later - epsilon), LEAST_SLOPE)

    def falls(self, epsilon: float, slope: float) -> tuple[float, float]:
        """Return estimates of -d log delta/d epsilon, and of the root of v''/v, v the value by its threshold.

        ``slope`` is a first estimate of the former.
        """
        distance = min(SLOPE_FALL / slope, 1.0)
        if not epsilon + distance > epsilon:  # the next float is farther away
            return LEAST_SLOPE, LEAST_SLOPE
        epsilons = [epsilon + i * distance for i in range(3)]
        first, second, third = (
            max(self.value(one, Side.UPPER), LEAST_VALUE) / self.pair.factor(one) for one in epsilons
        )
        before, here, after = map(self.pair.threshold, epsilons)
        if not before < here < after:
            return LEAST_SLOPE, LEAST_SLOPE
        rise = (third - second) / (after - here) - (second - first) / (here - before)
        fall = max((first - second) / (here - before) / second, LEAST_SLOPE)
        bend = max(sqrt(max(0.0, 2.0 * rise / (after - before) / second)), LEAST_BEND * fall)
        return max(
            log(self.pair.factor(epsilons[0]) * first / (self.pair.factor(epsilons[1]) * second)) / distance,
            LEAST_SLOPE,
        ), bend

    def fineness(self, epsilon: float, bend: float, width: float) -> float:
        """Return the fineness at which delta(epsilon), with this bend, has about this relative width."""
        scheme = self._sides.scheme(epsilon, self.estimate / self.pair.factor(epsilon))
        return fineness(self.rough(epsilon), self.pair.threshold(epsilon), scheme, bend, width)

    def crossing(self, target: float, start: float, slope: float, side: Side) -> float:
        """Return the epsilon at which this end of delta crosses the target, on its own side."""
        end, work_limit = FARTHEST_EPSILON, self.work + WORK
        if side is Side.UPPER and self.pair.steps > 1 and not self._starts_well(target, start):
            end = min(fewer_steps_epsilon(self.pair, target), FARTHEST_EPSILON)
        best = end if side is Side.UPPER else 0.0

        def value(epsilon: float) -> float:
            nonlocal best
            if self.work > work_limit:
                raise _Enough
            delta = self.value(epsilon, side)
            if side is Side.UPPER and delta <= target:
                best = min(best, epsilon)
            if side is Side.LOWER and delta > target:
                best = max(best, epsilon)
            return delta

        try:
            root = cross(value, target, min(start, 0.99 * end), slope, end, side=side)
        except _Enough:
            root = best
            if best == (end if side is Side.UPPER else 0.0):  # no end was certified before the work was used up
                root = self._search_outward(target, min(start, end), end, side)
        if side is Side.UPPER and root == end:
            return (
                fewer_steps_epsilon(self.pair, target)
                if self.pair.steps > 1
                else revealed_slot_epsilon(self.pair, target)
            )
        return root

    def _starts_well(self, target: float, start: float) -> bool:
        return (
            start < FARTHEST_EPSILON
            and abs(log(max(self.value(start, Side.UPPER), LEAST_VALUE) / target)) < REUSE_RANGE
        )

    def _search_outward(self, target: float, start: float, end: float, side: Side) -> float:
        for i in range(SEARCH_TRIALS):
            epsilon = start * SEARCH_FACTOR ** (i if side is Side.UPPER else -i)
            if side is Side.UPPER and epsilon >= end:
                break
            if (self.value(epsilon, side) <= target) == (side is Side.UPPER):
                return epsilon
        return end if side is Side.UPPER else 0.0


class _Enough(Exception):
    """The work is used up: the best end so far is returned."""


def few_steps(increment: Increment, pair: Pair) -> TypeGuard[GaussianIncrement]:
    """Return whether the steps are so few that no lattice is needed."""
    return pair.steps <= 2 and isinstance(increment, GaussianIncrement)


def on_lattice(pair: Pair, epsilon: float) -> bool:
    """Return whether there are more steps than few, and neither they nor the threshold span too many magnitudes."""
    if pair.threshold(epsilon) > FARTHEST_THRESHOLD:
        return False
    increment = pair.increment(epsilon)
    return not (few_steps(increment, pair) or spans_much(increment, pair.steps))


def _scale(ends: Ends, factor: float) -> Ends:
    # The ends have what is lost in units of increments; this is for the product, in units of delta.
    lower, upper = factor * ends.lower * (1.0 - 1e-15), factor * ends.upper * (1.0 + 1e-15) + UNDERFLOW
    if not 0.0 <= lower <= upper < inf:  # the ends are beyond the range of numbers
        return AT_MOST_ONE
    return Ends(lower, upper, factor * ends.truncation, factor * ends.rounding)


def fewer_steps_epsilon(pair: Pair, delta: float) -> float:
    """Return an epsilon at which delta is at most this, from the bound by fewer steps."""
    return min(few_steps_epsilon(with_fewer_steps(pair), delta), pair.largest)


def with_fewer_steps(pair: Pair) -> Pair:
    """Return the pair with one or two steps, which bounds more steps.

    A mean of more independent copies is smaller in convex order.
    """
    two = replace(pair, steps=min(pair.steps, 2))
    return two if few_steps(pair.increment(0.0), two) else replace(pair, steps=1)


def revealed_slot_epsilon(pair: Pair, delta: float) -> float:
    """Return an epsilon at which delta is at most this where the slot is revealed, in closed form.

    It is infinite where there is no closed form.
    """
    noise = pair.randomizer
    if not isinstance(noise, GaussianNoise):
        return inf
    # s is 1/sigma up to a unit or two.
    sigma = (1.0 - roundoff(4)) / noise.s
    adjacency = "replace" if pair.name == REPLACEMENT else "add-remove"
    return Bounds(1, sigma, 1, 1, pair.prob, adjacency).epsilon(delta)[1]


def few_steps_epsilon(pair: Pair, delta: float) -> float:
    """Return an epsilon at which delta of one or two steps is at most this, and which is hardly above the least one."""
    curve, low, high, most = Curve(pair, FEW_STEPS_FINENESS, delta), 0.0, 1.0, revealed_slot_epsilon(pair, delta)
    if curve.value(0.0, Side.UPPER) <= delta:
        return 0.0
    while high < most and curve.value(high, Side.UPPER) > delta:
        low, high = high, 2.0 * high
        if high > min(most, FARTHEST_EPSILON):
            if low >= most or not most < FARTHEST_EPSILON:
                return most
            high = most
    return halve(
        lambda epsilon: curve.value(epsilon, Side.UPPER) > delta, low, min(high, most), relative=FEW_STEPS_PRECISION
    )[1]
