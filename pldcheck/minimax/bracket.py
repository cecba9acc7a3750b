"""epsilon(delta) and delta(epsilon) of the hidden slot as intervals: choose block and grid from the width asked for."""

from __future__ import annotations

from collections.abc import Iterator
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
# Node-steps of one recursion (1.1 ns each) beyond which the program stops refining and returns what it has.
MOST_WORK = 2.5e9
# Windows span about this many deviations of the walk.
_SPAN = 24.0


def _plans(count: int, width: float) -> Iterator[Plan]:
    """Finer and finer; the first is the cheapest that usually gives ``width``."""
    level = 0 if width >= 0.002 else 1 if width >= 0.0005 else 2
    while True:
        plan = Plan(grid=0.07 * 0.6**level, block=max(256 * 4**level, ONE_BLOCK if count <= ONE_BLOCK else 0))
        block = min(count, plan.block)
        if block * _SPAN * sqrt(block) / plan.grid > MOST_WORK:
            return
        yield plan
        level += 1


def _cap_by_one_slot(found: UpperDelta, eps0: float, weight: float, epsilon: float) -> UpperDelta:
    """More slots are more private: leaving out one at a time and averaging is a convex combination."""
    one = exact.delta_exact(1, eps0, weight, epsilon)[1]
    return found if found.delta <= one else UpperDelta(one, 0.0, 0.0, found.policy)


def _upper(count, eps0, weight, epsilon, plan, record=False) -> UpperDelta:
    return _cap_by_one_slot(
        delta_upper(count, eps0, weight, epsilon, plan, record), eps0, weight, epsilon
    )


def _budget(upper: float, low: float, truncation: float = 0.0, rounding: float = 0.0) -> ErrorBudget:
    return ErrorBudget(float(max(upper - low - truncation - rounding, 0.0)), float(truncation), float(rounding))


def _guess(count: int, eps0: float, weight: float, delta: float) -> float:
    """The normal approximation of epsilon(delta): only where to start looking."""
    return Steps(eps0, 0.0).deviation * weight * sqrt(2.0 * log(1.0 / delta) / count)


# --- both ends by one curve: the exact recursion, and zero-out adjacency -------------------------------------------------


def _by_curve(curve, describe, delta: float, cap: float, guess: float) -> Interval:
    """epsilon(delta) where ``curve(epsilon)`` gives (lower, upper) of delta, apart by round-off only."""
    at_zero = curve(0.0)
    if delta >= at_zero[1]:
        return Interval(0.0, 0.0, "epsilon", _budget(at_zero[1], at_zero[0]))
    root = crossing(lambda e: curve(e)[0], delta, cap, guess)
    low = last_above(lambda e: curve(e)[0], delta, root, cap)
    high = first_below(lambda e: curve(e)[1], delta, root, cap)
    ends = curve(high) if high < cap else (0.0, 0.0)
    return Interval(low, high, "epsilon", _budget(ends[1], ends[0], 0.0, ends[1] - ends[0]), describe(low))


def _exact_curve(count, eps0, weight):
    def describe(epsilon):
        policy = exact.optimal_policy(count, eps0, weight, epsilon)
        found = LowerDelta(exact.delta_exact(count, eps0, weight, epsilon)[0], policy=policy)
        return witness(found, count, eps0, weight, epsilon, "replace")

    return (lambda epsilon: exact.delta_exact(count, eps0, weight, epsilon)), describe


def _zero_out_curve(count, eps0, weight):
    """Remove is law CF (a' = 1), add is law BE (a = 1); the larger delta is the answer."""

    def curve(epsilon):
        ends = [lower.two_point(count, eps0, weight, epsilon, law) for law in (BE, CF)]
        return max(low for low, _ in ends), max(high for _, high in ends)

    def describe(epsilon):
        found = max((lower.single_law(count, eps0, weight, epsilon, law) for law in (BE, CF)), key=lambda f: f.delta)
        return witness(found, count, eps0, weight, epsilon, "zero-out")

    return curve, describe


def _curve(count, eps0, weight, adjacency):
    if adjacency == "zero-out":
        return _zero_out_curve(count, eps0, weight)
    return _exact_curve(count, eps0, weight) if count <= exact.MOST_STEPS else (None, None)


# --- epsilon(delta) ------------------------------------------------------------------------------------------------------


def epsilon(count: int, eps0: float, weight: float, adjacency: str, delta: float, width: float) -> Interval:
    """The interval of epsilon(delta); ``width`` is asked of it relatively, in epsilon or (if that fails) in delta."""
    cap = epsilon_cap(eps0, weight, +1.0)
    guess = _guess(count, eps0, weight, delta)
    curve, describe = _curve(count, eps0, weight, adjacency)
    if curve is not None:
        return _by_curve(curve, describe, delta, cap, guess)
    low, found = _single_law_epsilon(count, eps0, weight, delta, cap, guess)
    high, at_high = cap, UpperDelta(0.0, 0.0, 0.0)
    for plan in _plans(count, width):
        new_high, new_at_high = _first_sufficient(count, eps0, weight, delta, width, plan, low, min(high, cap))
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
    at_low = lower.best_single_law(count, eps0, weight, high).delta if high < cap else 0.0
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
        root = crossing(value, delta, cap, best or guess)
        low = last_above(value, delta, root, cap) if root > 0.0 else 0.0
        if low > best:
            best, found = low, lower.single_law(count, eps0, weight, low, law)
    return best, found


def _slope(count, eps0, weight, epsilon, cap) -> float:
    """-d log delta / d epsilon of the best single law, for Newton's steps only."""
    step = 1e-3 * min(epsilon, cap - epsilon)
    near = lower.best_single_law(count, eps0, weight, epsilon)
    far = lower.single_law(count, eps0, weight, epsilon + step, near.law)
    if not (near.delta > 0.0 and far.delta > 0.0):
        return 1.0 / step
    return max((log(near.delta) - log(far.delta)) / step, 1e-3 / step)


def _first_sufficient(count, eps0, weight, delta, width, plan, low, cap) -> tuple[float, UpperDelta]:
    """An epsilon whose certified delta is at most ``delta``; a few Newton steps from ``low`` upwards."""
    if low == 0.0:
        at_zero = _upper(count, eps0, weight, 0.0, plan)
        if at_zero.delta <= delta:
            return 0.0, at_zero
        # delta*(0) - delta*(epsilon) is about epsilon/2 there.
        trial, slope = 2.0 * (at_zero.delta - delta), 0.5 / delta
    else:
        trial = low * (1.0 + 0.15 * width)
        slope = _slope(count, eps0, weight, low, cap)
    for _ in range(8):
        if trial >= cap * (1.0 - 1e-12):
            break
        found = _upper(count, eps0, weight, trial, plan)
        missing = log_ratio(found.delta, delta)
        if missing <= 0.0:
            return trial, found
        trial += 1.05 * missing / slope + 0.02 * width * trial
    return cap, UpperDelta(0.0, 0.0, 0.0)


def _raise_by_policy(count, eps0, weight, delta, plan, low, high, found) -> tuple[float, LowerDelta]:
    """Raise the lower end with the recursion's policy, evaluated on merged states."""
    inside = min(high, epsilon_cap(eps0, weight, -1.0) * (1.0 - 1e-12))
    policy = _upper(count, eps0, weight, inside, plan, record=True).policy
    if policy is None:
        return low, found
    slope = _slope(count, eps0, weight, low or 1e-3 * inside, epsilon_cap(eps0, weight, +1.0))
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
        high = exact.delta_exact(1, eps0, weight, epsilon_)[1]
        return Interval(0.0, high, "delta", ErrorBudget(0.0, 0.0, high))
    curve, describe = _curve(count, eps0, weight, adjacency)
    if curve is not None:
        low, high = curve(epsilon_)
        return Interval(low, high, "delta", _budget(high, low, 0.0, high - low), describe(epsilon_))
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
