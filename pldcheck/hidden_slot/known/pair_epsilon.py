"""Intervals of delta(epsilon) and epsilon(delta) of one pair of neighbours, as narrow as the width asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

from ...core.directed import Side
from ...core.interval import UNDERFLOW, ErrorBudget, Interval
from .epsilon_search import first_curve, lattice_estimates, start_of
from .neighbour_pairs import Pair
from .pair_curve import FARTHEST_EPSILON, WORK, Curve, on_lattice, with_fewer_steps
from .two_sided_sum import LEAST_VALUE

# Upper ends up to this value are those of a delta of 0.
LARGEST_ZERO = UNDERFLOW * (1.0 + 1e-4)
# An epsilon at which one step has a bound that does not suffer from the rounding of e^epsilon.
UNROUNDED_EPSILON = 100.0
# Largest number of attempts at a width.
ATTEMPTS = 6
# A refinement that leaves more than this share of the width is the last.
GAIN = 0.8
# Factor by which a lattice is finer than its estimate.
SAFETY_FACTOR = 0.7
# Factor of the refinement where there is no estimate.
BLIND_REFINEMENT = 0.25
# Estimated logarithmic fall of delta from epsilon = 0, below which delta(0) is computed as well.
NEAR_ZERO = 3.0

# A function of a fineness and the answer so far, which returns an answer and the nodes that were visited.
Ask = Callable[[float, Interval], tuple[Interval, int]]


def epsilon(pair: Pair, delta: float, width: float) -> Interval:
    """Return epsilon(delta), to a relative width where that can be reached."""
    start = start_of(pair, delta)
    if on_lattice(pair, start):
        curve, start, slope = first_curve(pair, delta, SAFETY_FACTOR * width, start)
    else:
        curve = Curve(pair, 1.0, delta)
        slope = curve.slope(start)

    def ask(finer: float, best: Interval) -> tuple[Interval, int]:
        finer_curve, next_start = Curve(pair, finer, delta), best.upper if best.upper <= FARTHEST_EPSILON else start
        return _crossings(finer_curve, delta, next_start, finer_curve.slope(next_start)), finer_curve.work

    return _refine((_crossings(curve, delta, start, slope), curve.work), curve.finer, width, ask)


def delta(pair: Pair, epsilon: float, width: float) -> Interval:
    """Return delta(epsilon), to a relative width where that can be reached."""
    # The bound by one step, which more steps do not exceed; far out the rounding of e^epsilon is more than delta.
    alone = Curve(replace(pair, steps=1), 1.0, 1.0)
    most = min(alone.value(min(epsilon, far), Side.UPPER) for far in (FARTHEST_EPSILON, UNROUNDED_EPSILON))
    if most <= LEAST_VALUE or epsilon > FARTHEST_EPSILON:  # delta is below all numbers of use
        return Interval(0.0, most, "delta", ErrorBudget(0.0, most, 0.0))
    quick = Curve(pair, 1.0, LEAST_VALUE).quick_bound(epsilon)
    if quick <= LARGEST_ZERO:
        return Interval(0.0, quick, "delta", ErrorBudget(0.0, quick, 0.0))
    curve = Curve(pair, 1.0, 1.0)
    if on_lattice(pair, epsilon):
        curve.estimate, _, bend = lattice_estimates(pair, epsilon)
        curve = Curve(pair, curve.fineness(epsilon, bend, SAFETY_FACTOR * width), curve.estimate)

    def ask(finer: float, best: Interval) -> tuple[Interval, int]:
        finer_curve = Curve(pair, finer, max(best.upper, LEAST_VALUE))
        return _at_most(_interval_at(finer_curve, epsilon), pair, epsilon, most), finer_curve.work

    first = _at_most(_interval_at(curve, epsilon), pair, epsilon, most)
    return _refine((first, curve.work), curve.finer, width, ask)


def _refine(first: tuple[Interval, int], finer: float, width: float, ask: Ask) -> Interval:
    """Return the first answer or a finer one.

    The refinement ends where an answer is narrow enough, is no better than before, or is too much work.
    """
    best, work = first
    for _ in range(ATTEMPTS - 1):
        if best.relative_width <= width or work > WORK:
            break
        finer *= _refinement(best, width)
        interval, work = ask(finer, best)
        same = (interval.lower, interval.upper) == (best.lower, best.upper)  # the lattice is the finest there is
        interval = best.meet(interval)
        stuck = same or ((best.lower > 0.0 or best.upper <= LEAST_VALUE) and interval.width > GAIN * best.width)
        best = interval
        if stuck:
            break
    return best


def _refinement(interval: Interval, width: float) -> float:
    """Return the factor by which to refine the lattice: widths are proportional to the square of the fineness."""
    if not 0.0 < interval.lower <= interval.upper < inf:
        return BLIND_REFINEMENT
    return max(min(SAFETY_FACTOR * (width / interval.relative_width) ** 0.5, 0.5), 0.02)


def _crossings(curve: Curve, delta: float, start: float, slope: float) -> Interval:
    at_zero = None
    if start * slope < NEAR_ZERO:
        at_zero = curve.value(0.0, Side.UPPER)
        if at_zero <= delta:
            return Interval(0.0, 0.0, "epsilon", ErrorBudget(0.0, 0.0, 0.0))
    high = curve.crossing(delta, max(start, 1e-12), slope, Side.UPPER)
    low = 0.0
    if at_zero is None or curve.value(0.0, Side.LOWER) > delta:
        low = curve.crossing(delta, high if high < 2.0 * start else start, slope, Side.LOWER)
    if high > FARTHEST_EPSILON:  # the end has a closed form, where e^epsilon may overflow
        return Interval(low, high, "epsilon")
    top, bottom = curve.ends(high, Side.UPPER), curve.ends(high, Side.LOWER)
    truncation, rounding = top.truncation + bottom.truncation, top.rounding + bottom.rounding
    return Interval(low, high, "epsilon", ErrorBudget.between(bottom.lower, top.upper, truncation, rounding))


def _interval_at(curve: Curve, epsilon: float) -> Interval:
    top, bottom = curve.ends(epsilon, Side.UPPER), curve.ends(epsilon, Side.LOWER)
    truncation, rounding = top.truncation + bottom.truncation, top.rounding + bottom.rounding
    low, high = bottom.lower, min(top.upper, 1.0)
    return Interval(low, high, "delta", ErrorBudget.between(low, high, truncation, rounding))


def _at_most(interval: Interval, pair: Pair, epsilon: float, most: float) -> Interval:
    """Return an answer that is at most the bound by fewer steps, where it exceeds that of one step: ``most``."""
    if interval.upper <= most:
        return interval
    upper = min(most, Curve(with_fewer_steps(pair), 1.0, most).value(epsilon, Side.UPPER))
    return replace(interval, upper=upper, budget=ErrorBudget(upper - interval.lower, 0.0, 0.0))
