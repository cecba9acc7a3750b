"""epsilon(delta) and delta(epsilon) of the hidden slot as intervals: choose block and grid from the width asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log, sqrt

from ..interval import ErrorBudget, Interval
from ..laws import Steps
from . import exact, lower
from .lower import BE, CF, LowerDelta
from .solve import crossing, epsilon_cap, first_below, last_above, log_ratio
from .upper import Plan, UpperDelta, delta_upper
from .witness import witness

# Slots up to which the whole walk is one block: there the recursion's own policy serves as lower bound.
ONE_BLOCK = 2048
# The finest grid tried, in deviations of a step: far beyond what its own error, second order in it, calls for.
FINEST = 0.0015
# Node-steps of one recursion (1.1 ns each) beyond which the program stops refining and returns what it has.
MOST_WORK = 2.5e9
# Precision of roots: where both ends are one curve, and where they are not and the width is far above it.
CLOSE, FAR = 1e-11, 1e-7
# An epsilon this near to its largest possible value is not resolved further.
NEAR_CAP = 1e-10
# Windows span about this many deviations of the walk.
_SPAN = 24.0


def _plans(count: int, width: float) -> Iterator[Plan]:
    """Finer and finer; the first is the cheapest that usually gives ``width``."""
    level = 0 if width >= 0.002 else 1 if width >= 0.0005 else 2
    while True:
        if count <= ONE_BLOCK:
            plan = Plan(grid=0.07 * 0.6**level, block=count)
        else:
            block = 256 * 4**level
            plan = Plan(grid=0.07 * 0.75**level, block=block if 2 * block < count else count)
        if plan.grid < FINEST or plan.block * _SPAN * sqrt(plan.block) / plan.grid > MOST_WORK:
            return
        yield plan
        level += 1


def _cap_by_one_slot(found: UpperDelta, eps0: float, weight: float, epsilon: float) -> UpperDelta:
    """More slots are more private: leaving out one at a time and averaging is a convex combination."""
    one = exact.delta_upper(1, eps0, weight, epsilon)
    return found if found.delta <= one else UpperDelta(one, 0.0, 0.0, found.policy)


def _upper(count, eps0, weight, epsilon, plan, record=False) -> UpperDelta:
    return _cap_by_one_slot(delta_upper(count, eps0, weight, epsilon, plan, record), eps0, weight, epsilon)


def _budget(upper: float, low: float, truncation: float = 0.0, rounding: float = 0.0) -> ErrorBudget:
    return ErrorBudget(float(max(upper - low - truncation - rounding, 0.0)), float(truncation), float(rounding))


def _guess(count: int, eps0: float, weight: float, delta: float) -> float:
    """The normal approximation of epsilon(delta): only where to start looking."""
    return Steps(eps0, 0.0).deviation * weight * sqrt(2.0 * log(1.0 / delta) / count)


# --- both ends from one curve: the exact recursion, and zero-out adjacency ----------------------------------------------


@dataclass(frozen=True)
class _Curve:
    """delta(epsilon) known up to round-off: its two ends, and the randomizer that attains the lower one."""

    lower: Callable[[float], float]
    upper: Callable[[float], float]
    attained: Callable[[float], LowerDelta]


def _curve(count, eps0, weight, adjacency) -> _Curve | None:
    given = (count, eps0, weight)
    if adjacency == "zero-out":
        # Remove is law CF (a' = 1), add is law BE (a = 1); the larger delta is the answer.
        return _Curve(
            lambda e: max(lower.two_point(*given, e, law)[0] for law in (BE, CF)),
            lambda e: max(lower.two_point(*given, e, law)[1] for law in (BE, CF)),
            lambda e: max((lower.single_law(*given, e, law) for law in (BE, CF)), key=lambda found: found.delta),
        )
    if count <= exact.MOST_STEPS:
        return _Curve(
            lambda e: exact.delta_lower(*given, e),
            lambda e: exact.delta_upper(*given, e),
            lambda e: LowerDelta(exact.delta_lower(*given, e), policy=exact.optimal_policy(*given, e)),
        )
    return None


def _epsilon_by_curve(curve: _Curve, delta: float, cap: float, guess: float) -> tuple[float, float, ErrorBudget]:
    at_zero = curve.upper(0.0)
    if delta >= at_zero:
        return 0.0, 0.0, ErrorBudget(0.0, 0.0, at_zero - curve.lower(0.0))
    end = cap * (1.0 - NEAR_CAP)
    if curve.lower(end) >= delta:
        return end, cap, ErrorBudget(curve.upper(end), 0.0, 0.0)
    root = crossing(curve.lower, delta, cap, guess, CLOSE)
    low = last_above(curve.lower, delta, root, cap, CLOSE)
    high = first_below(curve.upper, delta, root, cap, CLOSE)
    rounding = curve.upper(high) - curve.lower(high) if high < cap else 0.0
    return low, high, ErrorBudget(0.0, 0.0, rounding)


# --- epsilon(delta) ------------------------------------------------------------------------------------------------------


def epsilon(count: int, eps0: float, weight: float, adjacency: str, delta: float, width: float) -> Interval:
    """The interval of epsilon(delta); ``width`` is asked of it relatively, in epsilon or (if that fails) in delta."""
    cap = epsilon_cap(eps0, weight, +1.0)
    guess = _guess(count, eps0, weight, delta)
    curve = _curve(count, eps0, weight, adjacency)
    if curve is not None:
        low, high, budget = _epsilon_by_curve(curve, delta, cap, guess)
        proof = witness(curve.attained(low), count, eps0, weight, low, adjacency) if low > 0.0 else None
        return Interval(low, high, "epsilon", budget, proof)
    low, found = _single_law_epsilon(count, eps0, weight, delta, cap, guess)
    high, at_high = cap, UpperDelta(0.0, 0.0, 0.0)
    for plan in _plans(count, width):
        new_high, new_at_high = _first_sufficient(count, eps0, weight, delta, width, plan, low, found, cap)
        if new_high < high:
            high, at_high = new_high, new_at_high
        if high <= low * (1.0 + width):
            break
        if count <= ONE_BLOCK:
            low, found = _raise_by_policy(count, eps0, weight, delta, plan, low, high, found)
            if high <= low * (1.0 + width):
                break
        if log_ratio(_upper(count, eps0, weight, low, plan).delta, delta) <= log(1.0 + width):
            break
    at_low = lower.again(found, count, eps0, weight, high).delta if high < cap else 0.0
    budget = _budget(at_high.delta, at_low, at_high.truncation, at_high.rounding)
    proof = witness(found, count, eps0, weight, low, "replace") if low > 0.0 else None
    return Interval(low, high, "epsilon", budget, proof)


def _single_law_epsilon(count, eps0, weight, delta, cap, guess) -> tuple[float, LowerDelta]:
    """The largest epsilon at which one law, used throughout, certainly exceeds ``delta``."""
    best, found = 0.0, LowerDelta(0.0, BE)
    for law in range(3):

        def value(e, law=law):
            return lower.single_law(count, eps0, weight, e, law).delta

        if best > 0.0 and value(best) <= delta:
            continue
        root = crossing(value, delta, cap, best or guess, FAR)
        low = last_above(value, delta, root, cap, FAR) if root > 0.0 else 0.0
        if low > best:
            best, found = low, lower.single_law(count, eps0, weight, low, law)
    return best, found


def _slope(count, eps0, weight, low, found, cap) -> float:
    """-d log delta / d epsilon of the lower end, for Newton's steps only."""
    step = 1e-3 * min(low, cap - low)
    beyond = lower.again(found, count, eps0, weight, low + step).delta
    slope = -log_ratio(beyond, float(found.delta)) / step
    return slope if slope > 0.0 else 1.0 / step


def _first_sufficient(count, eps0, weight, delta, width, plan, low, found, cap) -> tuple[float, UpperDelta]:
    """An epsilon whose certified delta is at most ``delta``; a few Newton steps from ``low`` upwards."""
    if low == 0.0:
        at_zero = _upper(count, eps0, weight, 0.0, plan)
        if at_zero.delta <= delta:
            return 0.0, at_zero
        # delta*(0) - delta*(epsilon) is about epsilon/2 there.
        trial, slope = 2.0 * (at_zero.delta - delta), 0.5 / delta
    else:
        trial = low * (1.0 + 0.15 * width)
        slope = _slope(count, eps0, weight, low, found, cap)
    for _ in range(8):
        if trial >= cap * (1.0 - 1e-12):
            break
        at_trial = _upper(count, eps0, weight, trial, plan)
        missing = log_ratio(at_trial.delta, delta)
        if missing <= 0.0:
            return trial, at_trial
        trial += 1.05 * missing / slope + 0.02 * width * low
        slope *= 0.7  # should this step fall short again, take a longer one
    return cap, UpperDelta(0.0, 0.0, 0.0)


def _raise_by_policy(count, eps0, weight, delta, plan, low, high, found) -> tuple[float, LowerDelta]:
    """Raise the lower end with the recursion's policy, evaluated on merged states."""
    inside = min(high, epsilon_cap(eps0, weight, -1.0) * (1.0 - 1e-12))
    policy = _upper(count, eps0, weight, inside, plan, record=True).policy
    if policy is None:
        return low, found
    if low > 0.0:
        slope = _slope(count, eps0, weight, low, found, epsilon_cap(eps0, weight, +1.0))
    else:
        slope = 0.5 / delta
    trial = inside
    for _ in range(8):
        if trial <= low:
            break
        value = lower.with_policy(count, eps0, weight, trial, policy, plan.grid)
        missing = -log_ratio(value.delta, delta)
        if missing <= 0.0:
            return trial, value
        trial -= 1.02 * missing / slope + 1e-6 * trial
    return low, found


# --- delta(epsilon) ------------------------------------------------------------------------------------------------------


def delta(count: int, eps0: float, weight: float, adjacency: str, epsilon_: float, width: float) -> Interval:
    """The interval of delta(epsilon); ``width`` is asked of it relatively, in delta or (if that fails) in epsilon."""
    if epsilon_ >= epsilon_cap(eps0, weight, +1.0):
        return Interval(0.0, 0.0, "delta", ErrorBudget(0.0, 0.0, 0.0))
    if epsilon_ >= epsilon_cap(eps0, weight, -1.0) * (1.0 - 1e-12):
        # Too near the end for a walk: one slot is an upper bound for any number.
        high = exact.delta_upper(1, eps0, weight, epsilon_)
        return Interval(0.0, high, "delta", ErrorBudget(0.0, 0.0, high))
    curve = _curve(count, eps0, weight, adjacency)
    if curve is not None:
        low, high = curve.lower(epsilon_), curve.upper(epsilon_)
        proof = witness(curve.attained(epsilon_), count, eps0, weight, epsilon_, adjacency) if low > 0.0 else None
        return Interval(low, high, "delta", ErrorBudget(0.0, 0.0, high - low), proof)
    found = lower.best_single_law(count, eps0, weight, epsilon_)
    best = None
    for plan in _plans(count, width):
        at = _upper(count, eps0, weight, epsilon_, plan, record=count <= ONE_BLOCK)
        if best is None or at.delta < best.delta:
            best = at
        if best.delta <= found.delta * (1.0 + width):
            break
        if at.policy is not None:
            value = lower.with_policy(count, eps0, weight, epsilon_, at.policy, plan.grid)
            if value.delta > found.delta:
                found = value
            if best.delta <= found.delta * (1.0 + width):
                break
        shifted = lower.best_single_law(count, eps0, weight, epsilon_ * (1.0 - width))
        if best.delta <= shifted.delta:
            break
    budget = _budget(best.delta, found.delta, best.truncation, best.rounding)
    proof = witness(found, count, eps0, weight, epsilon_, "replace") if found.delta > 0.0 else None
    return Interval(float(found.delta), float(best.delta), "delta", budget, proof)
