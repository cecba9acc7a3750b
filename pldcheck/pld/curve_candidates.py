"""Upper and lower bounds of one protocol's privacy curve, each with a name; every answer uses the best of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import isfinite, log
from typing import Any

from ..core.directed import Ends, Side
from ..core.interval import ErrorBudget, Interval
from ..core.roots import CLOSE, cross
from .step_losses import Array

# Relative step of the difference quotient that estimates a slope.
STEP = 1e-3
# An upper end is looked for first at so much above the best lower end, relatively.
FIRST_DISTANCE = 0.005
# Beyond this e^epsilon overflows before it is multiplied.
FARTHEST_EPSILON = 600.0


@dataclass(frozen=True)
class Candidate:
    """A bound of a privacy curve: ``delta`` of an epsilon and, where that is cheap, ``epsilon`` of a delta.

    ``epsilon`` gives (lower, upper, ends of delta at the upper).  ``witness``: the mechanism that attains the answer to
    a question, "epsilon" at a delta or "delta" at an epsilon.  ``start``: where to look for an
    epsilon.  ``curve``: upper bounds of delta at many epsilons, for curves that are composed from points on them.
    ``apart``: epsilons whose relative distance is less are not told apart, where a value costs much.
    """

    name: str
    delta: Callable[[float], Ends]
    epsilon: Callable[[float], tuple[float, float, Ends]] | None = None
    witness: Callable[[str, float], dict[str, Any]] | None = field(default=None, repr=False)
    start: float = 1.0
    curve: Callable[[Array], list[float]] | None = field(default=None, repr=False)
    apart: float = 0.0


@dataclass(frozen=True)
class Candidates:
    """Every one of ``above`` dominates the protocol, every one of ``below`` is attained by some data and randomizers.

    ``largest`` is the largest epsilon, that of one message alone, and ``alone`` the privacy curve of that message,
    which costs nothing and bounds the answer.  The first of each list is the cheapest.
    """

    above: Sequence[Candidate]
    below: Sequence[Candidate]
    largest: float
    alone: Candidate | None = None

    def delta(self, epsilon: float, width: float) -> Interval:
        """Return delta(epsilon), from the best bounds; no more upper ones are tried once they are within ``width``."""
        if epsilon >= self.largest:
            return Interval(0.0, 0.0, "delta", ErrorBudget(0.0, 0.0, 0.0))
        if self.alone is not None and epsilon > FARTHEST_EPSILON:
            ends = self.alone.delta(epsilon)
            return self._interval("delta", epsilon, (0.0, self.below[0]), (ends.upper, ends, self.alone), 0.0)
        least, lower_candidate = max(
            ((one.delta(epsilon).lower, one) for one in self.below), key=lambda trial: trial[0]
        )
        upper_candidate = self.above[0]
        ends = upper_candidate.delta(epsilon)
        for one in self.above[1:]:
            if ends.upper <= least * (1.0 + width):
                break
            trial = one.delta(epsilon)
            if trial.upper < ends.upper:
                ends, upper_candidate = trial, one
        if self.alone is not None and self.alone.delta(epsilon).upper < ends.upper:
            ends, upper_candidate = self.alone.delta(epsilon), self.alone
        return self._interval("delta", epsilon, (least, lower_candidate), (ends.upper, ends, upper_candidate), least)

    def epsilon(self, delta: float, width: float) -> Interval:
        """Return epsilon(delta) from the best bounds; upper ones are tried until the answer is within ``width``."""
        upper_candidate = self.above[0]
        upper, ends = _above(upper_candidate, delta, upper_candidate.start, self.largest)
        if self.alone is not None and self.alone.delta(upper).upper < delta:
            trial_upper, trial_ends = _above(self.alone, delta, self.alone.start, self.largest)
            if trial_upper < upper:
                upper, ends, upper_candidate = trial_upper, trial_ends, self.alone
        if upper >= self.largest:  # delta is zero from the largest epsilon on
            upper, ends = self.largest, Ends(0.0, 0.0, 0.0, 0.0)
        lower, lower_candidate = 0.0, self.below[0]
        for one in self.below:
            trial_lower = one.epsilon(delta)[0] if one.epsilon else _below(one, delta, lower, upper, self.largest)
            if trial_lower > lower:
                lower, lower_candidate = trial_lower, one
        first_upper, steepness = upper, 0.0
        for one in self.above[1:]:
            if upper <= lower * (1.0 + width):
                break
            steepness = steepness or _slope(self.above[0], first_upper) * first_upper
            cached = replace(one, delta=lru_cache(maxsize=None)(one.delta))
            if not _is_lower(cached, delta, (lower, upper), steepness):
                continue
            trial_upper, trial_ends = _above(cached, delta, upper, self.largest, lower, steepness)
            if trial_upper < upper:
                upper, ends, upper_candidate = trial_upper, trial_ends, one
        delta_below = self.below[0].delta(upper).lower if upper < self.largest else 0.0
        return self._interval("epsilon", delta, (lower, lower_candidate), (upper, ends, upper_candidate), delta_below)

    def _interval(
        self,
        quantity: str,
        argument: float,
        low: tuple[float, Candidate],
        high: tuple[float, Ends, Candidate],
        delta_below: float,
    ) -> Interval:
        """Return the answer; ``delta_below``: a delta that is attained where the upper end's is ``ends.upper``."""
        (lower, lower_candidate), (upper, ends, upper_candidate) = low, high
        budget = ErrorBudget.between(delta_below, ends.upper, ends.truncation, ends.rounding)
        witness = lower_candidate.witness(quantity, argument) if lower_candidate.witness and lower > 0.0 else None
        return Interval(lower, upper, quantity, budget, witness, (lower_candidate.name, upper_candidate.name))


def _above(
    one: Candidate, delta: float, near: float, largest: float, lower: float = 0.0, steepness: float = 0.0
) -> tuple[float, Ends]:
    """Return an epsilon at which the candidate is at most ``delta``, and its ends there.

    It exceeds ``delta`` below ``lower``, a lower bound of epsilon.  ``steepness``, where it is known, is about
    -d log delta / d log epsilon: then the search starts next to the lower bound and takes few values.
    """
    if one.epsilon is not None:
        _, high, ends = one.epsilon(delta)
        return high, ends
    if lower == 0.0:
        zero = one.delta(0.0)
        if zero.upper <= delta:
            return 0.0, zero
    start, good = min(near, 0.9 * largest) or 0.5 * largest, [largest]
    if lower > 0.0 and steepness > 0.0:
        start = min(start, (1.0 + FIRST_DISTANCE) * lower)

    def value(epsilon: float) -> float:
        upper = one.delta(epsilon).upper
        if upper <= delta:
            good.append(min(good[-1], epsilon))
        return upper

    def is_near_the_best(epsilon: float) -> bool:
        return good[-1] * (1.0 - one.apart) < epsilon < good[-1]

    slope, close = steepness / start or _slope(one, start), max(one.apart * steepness, CLOSE)
    high = cross(value, delta, start, slope, largest, side=Side.UPPER, least=lower, spent=is_near_the_best, close=close)
    return high, one.delta(high)


def _is_lower(one: Candidate, delta: float, bounds: tuple[float, float], steepness: float) -> bool:
    """Return whether the candidate's epsilon seems to be below the upper one of two bounds.

    If its value next to the lower one does not say so, by its steepness, that at the upper one does.
    """
    lower, upper = bounds
    if one.epsilon is not None:
        return True
    if lower > 0.0:
        start = (1.0 + FIRST_DISTANCE) * lower
        value = one.delta(start).upper
        if value > 0.0 and log(value / delta) < 0.5 * steepness * (upper / start - 1.0):
            return True
    return one.delta(upper).upper < delta


def _below(one: Candidate, delta: float, low: float, high: float, largest: float) -> float:
    """Return an epsilon above ``low`` at which the candidate exceeds ``delta``, or ``low``."""
    one = replace(one, delta=lru_cache(maxsize=None)(one.delta))
    if not one.delta(low).lower > delta:
        return low
    start = low or min(one.start, 0.9 * high, 0.9 * largest) or 0.5 * largest
    slope = _slope(one, start)
    close = max(one.apart * slope * start, CLOSE)
    return max(cross(lambda e: one.delta(e).lower, delta, start, slope, largest, side=Side.LOWER, close=close), low)


def _slope(one: Candidate, epsilon: float) -> float:
    """Return an estimate of -d log delta / d epsilon."""
    here, there = one.delta(epsilon).upper, one.delta(epsilon * (1.0 - STEP)).upper
    slope = log(there / here) / (STEP * epsilon) if there > here > 0.0 else 0.0
    return slope if slope > 0.0 and isfinite(slope) else 1.0 / epsilon
