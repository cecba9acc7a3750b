"""Both ends of delta(epsilon) of one pair of neighbours at one fineness."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf, log, sqrt
from typing import TypeGuard

import numpy as np

from ...core.directed import Ends, Side, roundoff
from ...core.interval import UNDERFLOW
from ...core.roots import cross, halve
from ...kernels.tilt_planning import SERVES
from . import near_maximum, one_or_two_steps
from .allocation_closed_form import Bounds
from .doubled_sums import Doubling, spans_much
from .neighbour_pairs import ADDED, REPLACED, Pair
from .noise_ratios import GaussianNoise
from .slot_increments import GaussianIncrement, Increment
from .sum_plan import Rough
from .two_sided_sum import AT_MOST_ONE, LEAST, Sides, fineness

# Relative margin by which a threshold above the largest sum is surely beyond it.
BEYOND = 1e-14
# Error of a threshold, relatively.
THRESHOLD = 1e-15
# The largest threshold whose square is still finite.
FARTHEST_THRESHOLD = 1e140
# The largest epsilon that is tried.
FARTHEST = 690.0
# Relative precision of the epsilon of one or two steps.
ALONE = 1e-7
# The fineness for that precision.
ROUGHER = 4.0
# Relative distance of the epsilons between which a slope is formed.
NEARBY = 1e-4
# Logarithmic fall of delta over which a slope is formed.
FOLDING = 0.1
# Share of that fall which is needed for a slope.
UNSURE = 1e-2
# The least slope.
FLATTEST = 1e-12
# Least ratio of a bend to the slope.
FLATTER = 0.5
# Largest number of nodes in a search for one end.
WORK = 2**23
# Factor between the epsilons that are tried after that.
APART = 1.15
# Number of such epsilons.
FEW = 12
# Relative error up to which the distance to the largest sum is accurate enough.
SURE = 1e-3


@dataclass(eq=False)
class Curve:
    """Both ends of delta(epsilon); ``about`` is an estimate of the delta in question."""

    pair: Pair
    finer: float
    about: float
    _sides: Sides = field(init=False)
    _doubling: Doubling = field(init=False)

    def __post_init__(self) -> None:
        self._sides = Sides(self.pair, self.finer)
        self._doubling = Doubling(self.pair.steps, self.finer)

    @property
    def spent(self) -> int:
        """Number of nodes of all sums so far, and the equivalent of other work."""
        return self._sides.spent + self._doubling.spent

    def rough(self, epsilon: float) -> Rough:
        """Return the coarse law that is used for planning."""
        return self._sides.rough(epsilon)

    def ends(self, epsilon: float, side: Side) -> Ends:
        """Return delta(epsilon) on one side; the other end is that of the same law, and bounds nothing."""
        epsilon = self.pair.beside(epsilon, side)
        threshold, factor = self.pair.threshold(epsilon), self.pair.factor(epsilon)
        increment = self.pair.increment(epsilon)
        if threshold >= self.pair.steps * increment.high * (1.0 + BEYOND):
            return Ends(0.0, 0.0, 0.0, 0.0)
        if few_steps(increment, self.pair):
            shifted, doubt = self.pair.shifted(epsilon)
            if self.pair.steps == 1:
                found = one_or_two_steps.one(increment, shifted, doubt)
            else:
                found = one_or_two_steps.two(increment, shifted, doubt, self.finer)
            return _scaled(found, factor)
        if threshold > FARTHEST_THRESHOLD:
            return AT_MOST_ONE
        if spans_much(increment, self.pair.steps):
            shifted, doubt = self.pair.shifted(epsilon)
            return _scaled(self._doubling.ends(increment, shifted, doubt, self.about / factor, side), factor)
        if self.pair.steps == 1:
            doubt = THRESHOLD * (abs(threshold) + 1.0)
            low, high = (increment.above(at) for at in (threshold + doubt, threshold - doubt))
            value, error = high[2], low[3] + high[3]
            return _scaled(Ends(max(low[2] - error, 0.0), value + error, 0.0, value - low[2] + 2.0 * error), factor)
        with np.errstate(over="ignore", invalid="ignore"):  # what is beyond the range of numbers bounds nothing
            ends = self._sides.near_largest if nearly_largest(self.pair, epsilon) else self._sides.ends
            return _scaled(ends(epsilon, self.about / factor, side), factor)

    def value(self, epsilon: float, side: Side) -> float:
        """Return the certified end."""
        found = self.ends(epsilon, side)
        return min(found.upper, 1.0) if side is Side.UPPER else found.lower

    def surely_below(self, epsilon: float) -> bool:
        """Return whether a quick bound shows that delta(epsilon) is below the delta in question."""
        return self.quickly(epsilon) <= self.about

    def quickly(self, epsilon: float) -> float:
        """Return an upper bound of delta(epsilon) that costs next to nothing; infinity where there is none."""
        epsilon = self.pair.beside(epsilon, Side.UPPER)
        factor, bound = self.pair.factor(epsilon), inf
        if nearly_largest(self.pair, epsilon):
            bound = self._sides.quickly_near(epsilon)
        elif on_lattice(self.pair, epsilon) and self.pair.steps > 1:
            with np.errstate(over="ignore"):
                bound = self._sides.quickly(epsilon, self.about / factor)
        return factor * bound * (1.0 + 1e-15) + UNDERFLOW

    def slope(self, epsilon: float) -> float:
        """Return an estimate of -d log delta/d epsilon."""
        if not on_lattice(self.pair, epsilon):
            return self.fall(epsilon, epsilon * (1.0 + NEARBY) + NEARBY * NEARBY)
        scheme = self._sides.scheme(epsilon, self.about / self.pair.factor(epsilon))
        rough, threshold, apart = self.rough(epsilon), self.pair.threshold(epsilon), FOLDING / scheme.slope
        fall = rough.log_value(threshold) - rough.log_value(threshold + apart)
        if not fall > UNSURE * FOLDING:  # the estimate is not smooth
            fall = FOLDING
        return max(fall / apart * self.pair.rate(epsilon), FLATTEST)

    def points(self, epsilon: float) -> float:
        """Return an estimate of the number of points of a lattice law there."""
        return self._sides.points(epsilon, self.about / self.pair.factor(epsilon))

    def fall(self, epsilon: float, later: float) -> float:
        """Return an estimate of -d log delta/d epsilon between two epsilons."""
        if not later > epsilon:  # nothing is that near
            return FLATTEST
        here, there = (max(self.value(at, Side.UPPER), LEAST) for at in (epsilon, later))
        return max(log(here / there) / (later - epsilon), FLATTEST)

    def falls(self, epsilon: float, slope: float) -> tuple[float, float]:
        """Return estimates of -d log delta/d epsilon, and of the root of v''/v, v the value by its threshold.

        ``slope`` is a first estimate of the former.
        """
        apart = min(FOLDING / slope, 1.0)
        if not epsilon + apart > epsilon:  # nothing is that near
            return FLATTEST, FLATTEST
        at = [epsilon + i * apart for i in range(3)]
        first, second, third = (max(self.value(one, Side.UPPER), LEAST) / self.pair.factor(one) for one in at)
        before, here, after = map(self.pair.threshold, at)
        if not before < here < after:
            return FLATTEST, FLATTEST
        rise = (third - second) / (after - here) - (second - first) / (here - before)
        fall = max((first - second) / (here - before) / second, FLATTEST)
        bend = max(sqrt(max(0.0, 2.0 * rise / (after - before) / second)), FLATTER * fall)
        return max(log(self.pair.factor(at[0]) * first / (self.pair.factor(at[1]) * second)) / apart, FLATTEST), bend

    def fineness(self, epsilon: float, bend: float, width: float) -> float:
        """Return the fineness at which delta(epsilon), with this bend, has about this relative width."""
        scheme = self._sides.scheme(epsilon, self.about / self.pair.factor(epsilon))
        return fineness(self.rough(epsilon), self.pair.threshold(epsilon), scheme, bend, width)

    def crossing(self, target: float, start: float, slope: float, side: Side) -> float:
        """Return the epsilon at which this end of delta crosses the target, on its own side."""
        end, most = FARTHEST, self.spent + WORK
        if side is Side.UPPER and self.pair.steps > 1 and not self._starts_well(target, start):
            end = min(alone(self.pair, target), FARTHEST)
        best = end if side is Side.UPPER else 0.0

        def value(epsilon: float) -> float:
            nonlocal best
            if self.spent > most:
                raise _Enough
            found = self.value(epsilon, side)
            if side is Side.UPPER and found <= target:
                best = min(best, epsilon)
            if side is Side.LOWER and found > target:
                best = max(best, epsilon)
            return found

        try:
            found = cross(value, target, min(start, 0.99 * end), slope, end, side=side)
        except _Enough:
            found = best
            if best == (end if side is Side.UPPER else 0.0):  # any end at all
                found = self._any(target, min(start, end), end, side)
        if side is Side.UPPER and found == end:
            return alone(self.pair, target) if self.pair.steps > 1 else told(self.pair, target)
        return found

    def _starts_well(self, target: float, start: float) -> bool:
        return start < FARTHEST and abs(log(max(self.value(start, Side.UPPER), LEAST) / target)) < SERVES

    def _any(self, target: float, start: float, end: float, side: Side) -> float:
        for i in range(FEW):
            epsilon = start * APART ** (i if side is Side.UPPER else -i)
            if side is Side.UPPER and epsilon >= end:
                break
            if (self.value(epsilon, side) <= target) == (side is Side.UPPER):
                return epsilon
        return end if side is Side.UPPER else 0.0


class _Enough(Exception):
    """The work is used up, and the ends that are known must do."""


def few_steps(increment: Increment, pair: Pair) -> TypeGuard[GaussianIncrement]:
    """Return whether the steps are so few that no lattice is needed."""
    return pair.steps <= 2 and isinstance(increment, GaussianIncrement)


def nearly_largest(pair: Pair, epsilon: float) -> bool:
    """Return whether all steps must be nearly at their largest value, that of a Gaussian record added."""
    if pair.name != ADDED or pair.steps <= 2 or not isinstance(pair.randomizer, GaussianNoise):
        return False
    shifted, doubt = pair.shifted(epsilon)
    return near_maximum.is_near(pair.randomizer.s, -shifted) and doubt < -SURE * shifted


def on_lattice(pair: Pair, epsilon: float) -> bool:
    """Return whether neither of these holds, and steps do not span many orders of magnitude either."""
    increment = pair.increment(epsilon)
    return not (few_steps(increment, pair) or spans_much(increment, pair.steps) or nearly_largest(pair, epsilon))


def _scaled(found: Ends, factor: float) -> Ends:
    lower, upper = factor * found.lower * (1.0 - 1e-15), factor * found.upper * (1.0 + 1e-15) + UNDERFLOW
    if not 0.0 <= lower <= upper < inf:  # beyond the range of numbers
        return AT_MOST_ONE
    return Ends(lower, upper, factor * found.truncation, factor * found.rounding)


def alone(pair: Pair, delta: float) -> float:
    """Return an epsilon at which delta is at most this, from the bound by fewer steps."""
    return min(bisected(fewer(pair), delta), pair.largest)


def fewer(pair: Pair) -> Pair:
    """Return the pair with one or two steps, which bounds more steps.

    A mean of more independent copies is smaller in convex order.
    """
    two = replace(pair, steps=min(pair.steps, 2))
    return two if few_steps(pair.increment(0.0), two) else replace(pair, steps=1)


def told(pair: Pair, delta: float) -> float:
    """Return an epsilon at which delta is at most this where the slot is revealed, in closed form.

    It is infinite where there is no closed form.
    """
    noise = pair.randomizer
    if not isinstance(noise, GaussianNoise):
        return inf
    # s is 1/sigma up to a unit or two.
    sigma = (1.0 - roundoff(4)) / noise.s
    adjacency = "replace" if pair.name == REPLACED else "both"
    return Bounds(1, sigma, 1, 1, pair.prob, adjacency).epsilon(delta)[1]


def bisected(pair: Pair, delta: float) -> float:
    """Return an epsilon at which delta of one or two steps is at most this, and which is hardly above the least one."""
    curve, low, high, most = Curve(pair, ROUGHER, delta), 0.0, 1.0, told(pair, delta)
    if curve.value(0.0, Side.UPPER) <= delta:
        return 0.0
    while high < most and curve.value(high, Side.UPPER) > delta:
        low, high = high, 2.0 * high
        if high > min(most, FARTHEST):
            if low >= most or not most < FARTHEST:
                return most
            high = most
    return halve(lambda epsilon: curve.value(epsilon, Side.UPPER) > delta, low, min(high, most), relative=ALONE)[1]
