"""Intervals of epsilon(delta) and delta(epsilon) of the hidden slot; block and grid follow from the target width."""

from __future__ import annotations

from collections.abc import Iterator
from math import expm1, log, sqrt

from ...core.interval import UNDERFLOW, ErrorBudget, Interval
from . import few_slot_recursion, worst_lower
from .epsilon_bracket import log_ratio
from .exact_curve import closed_curve
from .slot_problem import Slot, one_slot
from .worst_lower import LowerDelta
from .worst_upper import Plan, UpperDelta, Walk, walk
from .worst_witness import witness

# The least delta that is resolved; every upper end includes UNDERFLOW.
LEAST_DELTA = 2.0 * UNDERFLOW
# Slots up to which the whole walk is one block: there the recursion's own policy serves as lower bound.
ONE_BLOCK = 2048
# The finest grid tried, in deviations of a step: far beyond what its own error, second order in it, calls for.
FINEST_GRID = 0.0015
# Node-steps of one recursion (1.1 ns each) beyond which refinement ends and the last interval is returned.
MOST_WORK = 2e9
# Refinement ends after this many in a row that narrow the bracket by less than a tenth.
MOST_STALLS = 3
# Number of node-steps that cost about a tenth of a second.
CHEAP_WORK = 1e8
# Windows span about this many deviations of the walk.
_SPAN = 24.0
# One slot is a bound for any number.  It will do where it exceeds a law in every slot by no more than this, relatively,
# for each step that a recursion would take.
NEAR_ONE_SLOT = 1e-5
# The most by which it may exceed that law, whatever the number of steps.
NEAREST_ONE_SLOT = 0.01
# Newton steps allowed in one search; the curves are smooth, two or three is usual.
_TRIALS = 8
# Relative amount by which the first recursion above the lower end may be looser.
LOOSENING = 1e-4
# Its least distance from the lower end, in widths.
LEAST_DISTANCE = 0.15
# Its largest distance from the lower end, in widths.
LARGEST_DISTANCE = 0.6
# Margin above the root at which the last search aims, as a share of the distance that it has to cover.
AIM_MARGIN = 0.01


def _work(plan: Plan) -> float:
    """Return the node-steps of one recursion."""
    return plan.block * _SPAN * sqrt(plan.block) / plan.grid


def _plans(count: int, width: float) -> Iterator[Plan]:
    """Yield finer and finer plans; the first is the cheapest that usually reaches ``width``."""
    level = 0 if width >= 0.002 else 1 if width >= 0.0005 else 2
    while True:
        if count <= ONE_BLOCK:
            plan = Plan(grid=0.07 * 0.6**level, block=count)
        else:
            block = 256 * 4**level
            plan = Plan(grid=0.07 * 0.75**level, block=block if 2 * block < count else count)
        if plan.grid < FINEST_GRID or _work(plan) > MOST_WORK:
            return
        yield plan
        level += 1


def _cap(bound: UpperDelta, slot: Slot, epsilon: float) -> UpperDelta:
    """Return the upper end, which is at most that of a single slot."""
    one = one_slot(slot, epsilon)[1]
    return bound if bound.delta <= one else UpperDelta(one, 0.0, 0.0, bound.policy)


def _upper(slot: Slot, epsilon: float, plan: Plan, record: bool = False) -> UpperDelta:
    """Return the upper end from a recursion at this epsilon."""
    return _cap(walk(slot, epsilon, plan, record).at(epsilon), slot, epsilon)


def delta_above(slot: Slot, epsilon: float) -> float:
    """Return an upper bound of delta(epsilon) from the cheapest plan; replacement adjacency.

    It is usually within a few percent.
    """
    if slot.steps <= few_slot_recursion.MOST_STEPS:
        return few_slot_recursion.delta_upper(slot, epsilon)
    if epsilon >= slot.cap:
        return 0.0
    if epsilon < slot.inner_cap * (1.0 - 1e-12):
        one = one_slot(slot, epsilon)[1]
        single_law_delta = max(worst_lower.single_law(slot, epsilon, law).delta for law in slot.laws)
        if one <= single_law_delta * (1.0 + min(NEAR_ONE_SLOT * slot.steps, NEAREST_ONE_SLOT)):
            return one
    return _upper(slot, epsilon, next(_plans(slot.steps, 1.0))).delta


def _budget(at_upper: UpperDelta, low: float) -> ErrorBudget:
    return ErrorBudget.between(low, at_upper.delta, at_upper.truncation, at_upper.rounding)


def epsilon(slot: Slot, adjacency: str, delta: float, width: float) -> Interval:
    """Return the interval of epsilon(delta).

    ``width`` is the relative width asked for, in epsilon or (if that fails) in delta.
    """
    if slot.negligible:
        _, most = one_slot(slot, 0.0)
        high = 0.0 if delta >= most else slot.cap
        return Interval(0.0, high, "epsilon", ErrorBudget(most, 0.0, 0.0))
    if delta < LEAST_DELTA:  # no upper end is so small; a lower end serves every smaller delta
        least = epsilon(slot, adjacency, LEAST_DELTA, width)
        return Interval(least.lower, slot.cap, "epsilon", ErrorBudget(LEAST_DELTA, 0.0, 0.0), least.witness)
    curve = closed_curve(slot, adjacency)
    if curve is not None:
        return curve.epsilon(delta)
    low, lower_bound = worst_lower.single_law_epsilon(slot, delta)
    high, at_high = slot.cap, UpperDelta(0.0, 0.0, 0.0)
    stalls = 0
    for plan in _plans(slot.steps, width):
        gap = high - low
        trial, at_trial = _first_sufficient(slot, delta, width, plan, low, lower_bound)
        if trial < high:
            high, at_high = trial, at_trial
        if high <= low * (1.0 + width):
            break
        if slot.steps <= ONE_BLOCK:
            low, lower_bound = _raise_by_policy(slot, delta, width, plan, low, high, lower_bound)
            if high <= low * (1.0 + width):
                break
        if log_ratio(_upper(slot, low, plan).delta, delta) <= log(1.0 + width):
            break
        stalls = stalls + 1 if high - low > 0.9 * gap else 0
        if stalls == MOST_STALLS:
            break
    lower_at_high = worst_lower.bound_at(lower_bound, slot, high).delta if high < slot.cap else 0.0
    proof = witness(lower_bound, slot, low, adjacency) if low > 0.0 else None
    return Interval(low, high, "epsilon", _budget(at_high, lower_at_high), proof)


def _slope(slot: Slot, low: float, lower_bound: LowerDelta, delta: float) -> float:
    """Return -d log delta / d epsilon of the lower end, which only Newton's steps use."""
    if low == 0.0:  # there delta*(0) - delta*(epsilon) is about epsilon/2
        return 0.5 / delta
    if lower_bound.policy is None:
        _, slope = worst_lower.estimate_epsilon(slot, delta, lower_bound.law)
        if slope > 0.0:
            return slope
    step = 1e-3 * min(low, slot.cap - low)
    slope = -log_ratio(worst_lower.bound_at(lower_bound, slot, low + step).delta, lower_bound.delta) / step
    return slope if slope > 0.0 else 1.0 / step


def _distance_ahead(low: float, width: float) -> float:
    """Return the relative distance above the lower end at which the first recursion is run.

    A recursion slightly above the root serves for the root, and is looser by about e^epsilon - 1 of that distance; one
    below the root is of no use.
    """
    return width * min(max(LOOSENING / (width * expm1(low)) if low > 0.0 else 0.0, LEAST_DISTANCE), LARGEST_DISTANCE)


def _first_sufficient(
    slot: Slot, delta: float, width: float, plan: Plan, low: float, lower_bound: LowerDelta
) -> tuple[float, UpperDelta]:
    """Return an epsilon whose certified delta is at most ``delta``; a few Newton steps from ``low`` upwards."""
    trial = low * (1.0 + _distance_ahead(low, width))
    slope = _slope(slot, low, lower_bound, delta)
    before = None
    for _ in range(_TRIALS):
        if trial >= slot.inner_cap * (1.0 - 1e-12):
            break
        upper_walk = walk(slot, trial, plan)
        at_trial = _cap(upper_walk.at(trial), slot, trial)
        excess = log_ratio(at_trial.delta, delta)
        if excess <= 0.0:
            return _reduce_epsilon(upper_walk, slot, delta, low, slope, (trial, at_trial))
        if before is not None and before[1] > excess:
            slope = (before[1] - excess) / (trial - before[0])
        before = trial, excess
        trial += 1.05 * excess / slope + 0.02 * width * low
    return slot.cap, UpperDelta(0.0, 0.0, 0.0)


def _reduce_epsilon(
    upper_walk: Walk, slot: Slot, delta: float, low: float, slope: float, best: tuple[float, UpperDelta]
) -> tuple[float, UpperDelta]:
    """Return a smaller epsilon whose certified delta is at most ``delta``, from the same recursion.

    The search goes downwards from a sufficient epsilon as long as that gains something.
    """
    above = AIM_MARGIN * (best[0] - low)
    trial, excess = best[0], log_ratio(best[1].delta, delta)
    for _ in range(_TRIALS):
        next_trial = max(trial + excess / slope, low) + above
        if next_trial > best[0] - above:
            break
        bound = _cap(upper_walk.at(next_trial), slot, next_trial)
        after = log_ratio(bound.delta, delta)
        if (after - excess) * (trial - next_trial) > 0.0:
            slope = (after - excess) / (trial - next_trial)
        trial, excess = next_trial, after
        if excess <= 0.0:
            best = next_trial, bound
    return best


def _raise_by_policy(
    slot: Slot, delta: float, width: float, plan: Plan, low: float, high: float, lower_bound: LowerDelta
) -> tuple[float, LowerDelta]:
    """Return the lower end raised by the recursion's policy on merged states; secant steps from ``high`` downwards.

    The policy is recomputed at every step: the places where it changes laws drift with epsilon.
    """
    trial = min(high, slot.inner_cap * (1.0 - 1e-12))
    slope = max(log_ratio(_upper(slot, low, plan).delta, delta), 1e-3) / (high - low)
    before = None
    for _ in range(_TRIALS):
        policy = _upper(slot, trial, plan, record=True).policy
        if policy is None:
            break
        value = worst_lower.with_policy(slot, trial, policy, plan.grid)
        shortfall = -log_ratio(value.delta, delta)
        if shortfall <= 0.0:
            return trial, value
        if before is not None and before[1] > shortfall:
            slope = (before[1] - shortfall) / (before[0] - trial)
        before = trial, shortfall
        trial -= max(1.05 * shortfall / slope, 0.02 * width * trial)
        if trial <= low:
            break
    return low, lower_bound


def _one_slot_only(slot: Slot, epsilon: float) -> Interval:
    """Return the interval between no loss and one slot, which bounds any number of slots."""
    low, high = one_slot(slot, epsilon)
    return Interval(low if slot.steps == 1 else 0.0, high, "delta", ErrorBudget(high, 0.0, 0.0))


def delta(slot: Slot, adjacency: str, epsilon_: float, width: float) -> Interval:
    """Return the interval of delta(epsilon).

    ``width`` is the relative width asked for, in delta or (if that fails) in epsilon.
    """
    if epsilon_ >= slot.cap:
        return Interval(0.0, 0.0, "delta", ErrorBudget(0.0, 0.0, 0.0))
    if slot.negligible:
        return _one_slot_only(slot, epsilon_)
    curve = closed_curve(slot, adjacency)
    if curve is not None:
        return curve.delta(epsilon_)
    if epsilon_ >= slot.inner_cap * (1.0 - 1e-12):
        return _one_slot_only(slot, epsilon_)  # too near the end for a walk
    lower_bound = max((worst_lower.single_law(slot, epsilon_, law) for law in slot.laws), key=lambda law: law.delta)
    best = UpperDelta(1.0, 0.0, 0.0)
    for plan in _plans(slot.steps, width):
        trial = _upper(slot, epsilon_, plan, record=slot.steps <= ONE_BLOCK)
        if trial.delta < best.delta:
            best = trial
        if best.delta <= lower_bound.delta * (1.0 + width):
            break
        if trial.policy is not None:
            value = worst_lower.with_policy(slot, epsilon_, trial.policy, plan.grid)
            if value.delta > lower_bound.delta:
                lower_bound = value
            if best.delta <= lower_bound.delta * (1.0 + width):
                break
        # A narrow delta is what was asked for: settle for a narrow epsilon only when more would cost time.
        if (
            _work(plan) > CHEAP_WORK
            and best.delta <= worst_lower.bound_at(lower_bound, slot, epsilon_ * (1.0 - width)).delta
        ):
            break
    proof = witness(lower_bound, slot, epsilon_, adjacency) if lower_bound.delta > 0.0 else None
    return Interval(float(lower_bound.delta), float(best.delta), "delta", _budget(best, lower_bound.delta), proof)
