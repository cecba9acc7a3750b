r"""Certified lower end: one law at every step, or the recursion's own policy on merged states.

Units as in :mod:`pldcheck.hidden_slot.worst.worst_upper`: delta = (w/m) E(u_0 + sum of s)_+, u_0 = -(e^epsilon - 1) m
/ w.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import exp, log
from typing import NamedTuple

import numpy as np

from ...core.directed import UNIT, Side, enlarge, roundoff, shrink
from ...core.interval import UNDERFLOW
from ...kernels.binomial_tails import log_probability, strided_excess_lower, upper_tail
from ...kernels.merged_walk import ROUNDINGS_PER_STEP, merged_walk
from ...kernels.saddle_point import centring_tilt, epsilon_near
from ...kernels.trinomial_stoploss import excess_lower, grouped_excess_lower
from .epsilon_bracket import crossing, last_above, log_ratio
from .few_slot_recursion import leaves
from .slot_problem import Slot
from .step_laws import LAWS, VERTICES, Steps
from .threshold_policies import Policy

# The index of the law BE among ``LAWS``.
BE = 0
# The index of the law CF.
CF = 1
# The index of the law ACE.
ACE = 2
# Relative error of the line tau, in units: p and its product (7), kappa - 1 and m, w, span (17), their sum (1).
LINE_ERROR = 26.0
# The least positive number; a subnormal product loses at most half of it.
SMALLEST = 5e-324
# Deviations of the (tilted) states that are summed; dropping the others only lowers a lower bound.
STATE_DEVIATIONS = 9.0
# Deviations of the symbol counts that are summed; dropping the others lowers a lower bound by some e^-15 of it.
COUNT_DEVIATIONS = 5.5
# Many counts are summed by chords of the log pmf, each this share of a deviation.  That costs 1e-5 of delta, about,
# and a time that does not grow with the number of steps.
CHORD_SHARE = 0.012
# Many counts of non-A symbols are summed in groups, which cost about this share of delta.
GROUP_COST = 1e-5
# Deviation of the counts from which on they are summed by chords.
LARGE_DEVIATION = 5e3
# Least number of counts in a group.
LEAST_GROUP = 10_000
# Largest width of a group, in deviations.
WIDEST_GROUP = 0.6
# Number of counts above which groups that cost up to ten times GROUP_COST are taken.
MOST_COUNTS = 1_000_000
# Least number of counts in such a group.
SMALL_GROUP = 1000
# Precision of a single law's epsilon, relatively: far below any width asked for.
PRECISION = 1e-6
# Largest number of evaluations in its search, of which one or two are usual; after that it is bracketed.
TRIALS = 6
# A law whose epsilon is about this much smaller than another's is not evaluated.
SURELY_SMALLER = 0.1


class Binomial(NamedTuple):
    """delta = scale E(Bin(m, p) - tau)_+ with ``q`` = 1 - p and ``odds`` = p/q, each with a few round-offs."""

    p: float
    q: float
    odds: float
    tau: float
    scale: float


def _binomial(slot: Slot, epsilon: float, law: int) -> Binomial:
    """Return the binomial that gives delta with the two-symbol law BE or CF.

    scale = (w/m) span, tau = m p + (e^eps - 1) m/(w span).
    """
    count, eps0, weight, _ = slot
    x_1, kappa_1 = float(np.expm1(eps0)), float(np.expm1(epsilon))
    span = -float(np.expm1(-eps0)) * (x_1 + 2.0)  # (1 - 1/x)(x + 1)
    likely, unlikely = 1.0 / (1.0 + float(np.exp(-eps0))), 1.0 / (x_1 + 2.0)
    if law == BE:
        span *= 1.0 + kappa_1
        p, q, odds = likely, unlikely, float(np.exp(eps0))
    else:
        p, q, odds = unlikely, likely, float(np.exp(-eps0))
    return Binomial(p, q, odds, count * p + kappa_1 * count / (weight * span), weight / count * span)


def two_point(slot: Slot, epsilon: float, law: int) -> tuple[float, float]:
    """Return both ends of delta(epsilon) when every slot uses the two-symbol law BE or CF."""
    p, q, odds, tau, scale = _binomial(slot, epsilon, law)
    # The line is moved below its computed place: it might be beyond the last count, or pass one, by round-off only.
    tau = shrink(tau, LINE_ERROR)
    tail, excess, relative, remainder = upper_tail(slot.steps, p, q, odds, tau)
    relative += roundoff(16)
    low = scale * (excess * (1.0 - relative) - (2.0 * LINE_ERROR + 1.0) * UNIT * tau * tail * (1.0 + relative))
    high = scale * (excess + remainder) * (1.0 + relative)
    return max(low - SMALLEST, _best_output(slot, epsilon, law, p, q)), high + UNDERFLOW


def _best_output(slot: Slot, epsilon: float, law: int, p: float, q: float) -> float:
    """Return the part of delta where every slot has the output B of BE or C of CF, rounded down.

    It is all of delta near the cap.
    """
    best = float(leaves(slot, epsilon, Side.LOWER)[1 if law == BE else 2])
    log_mass, error = log_probability(slot.steps, slot.steps, p, q)
    if best <= 0.0 or log_mass < -600.0:
        return 0.0
    return max(best * exp(log_mass) * (1.0 - error * (1.0 + error) - roundoff(16)) - SMALLEST, 0.0)


def two_point_lower(slot: Slot, epsilon: float, law: int) -> float:
    """Return the lower end of :func:`two_point`; for many steps the cost does not grow with their number."""
    p, q, _, tau, scale = _binomial(slot, epsilon, law)
    deviation = float(np.sqrt(slot.steps * p * q))
    if deviation < LARGE_DEVIATION:
        return two_point(slot, epsilon, law)[0]
    excess = strided_excess_lower(slot.steps, p, q, enlarge(tau, LINE_ERROR), int(CHORD_SHARE * deviation))
    return max(shrink(scale * excess, 16), 0.0)


def three_point(slot: Slot, epsilon: float) -> float:
    """Return a lower bound of delta(epsilon) when every slot uses the three-symbol law ACE."""
    count, eps0, weight, _ = slot
    x, x_1, kappa_1 = float(np.exp(eps0)), float(np.expm1(eps0)), float(np.expm1(epsilon))
    below = -float(np.expm1(-eps0))
    first, last = _symbol_range(slot, epsilon)
    # 1 - w (1 - 1/x) is formed as a sum, which does not cancel.
    least_ratio = (1.0 - weight) + weight / x
    intercept = kappa_1 * count * (least_ratio / (weight * below)) / (x * (2.0 + kappa_1))
    slope = kappa_1 * (1.0 + 0.5 * x) / (x * (2.0 + kappa_1))
    deviation = float(np.sqrt(2.0 * x * count)) / (x + 2.0)
    # A step of K moves the log of the inner mean by about that much.
    shift = intercept + slope * first
    log_change = (0.5 + shift * shift / first + 2.0 * shift * slope) / first
    group = int(min(GROUP_COST / log_change, WIDEST_GROUP * deviation))
    if last - first > MOST_COUNTS and group >= SMALL_GROUP:
        group = max(group, LEAST_GROUP)
    if group < LEAST_GROUP:
        excess = excess_lower(count, x, intercept, slope, first, last)
    else:
        chord, stride = min(int(CHORD_SHARE * deviation), group), int(CHORD_SHARE * np.sqrt(first) / 2.0)
        group -= group % chord
        excess = grouped_excess_lower(count, x, intercept, slope, first, last, group, chord, stride)
    return max(shrink(weight / count * x_1 * (2.0 + kappa_1) * excess, 16), 0.0)


def _symbol_range(slot: Slot, epsilon: float) -> tuple[int, int]:
    """Return the range of the numbers of non-A symbols that matter: around their mean under the tilt to zero."""
    s, p = Steps(slot.eps0, epsilon).law(ACE)
    theta = centring_tilt(s, p, slot.steps, -float(np.expm1(epsilon)) * slot.steps / slot.weight)
    # The threshold is out of reach: all symbols are C.
    tilted_law = p * np.exp(theta * (s - s.max())) if theta < np.inf else np.array([0.0, 1.0, 0.0])
    tilted_law /= tilted_law.sum()
    mean = slot.steps * float(tilted_law[1] + tilted_law[2])
    reach = COUNT_DEVIATIONS * np.sqrt(max(mean * float(tilted_law[0]), 1.0)) + COUNT_DEVIATIONS**2
    return max(int(mean - reach), 1), min(int(mean + reach), slot.steps)


@dataclass(frozen=True)
class LowerDelta:
    """``delta <= delta*(epsilon)``, attained by ``policy`` or, where that is None, by ``law`` at every step.

    ``grid``, ``cell``: the policy's cells, in deviations of a step and in units of s (None: it acts on u itself).
    """

    delta: float
    law: int = BE
    policy: Policy | None = None
    grid: float = 0.0
    cell: float | None = None


def single_law(slot: Slot, epsilon: float, law: int) -> LowerDelta:
    """Return the lower bound from one law at every step."""
    if law == ACE:
        return LowerDelta(three_point(slot, epsilon), law)
    return LowerDelta(two_point_lower(slot, epsilon, law), law)


def with_policy(slot: Slot, epsilon: float, policy: Policy, grid: float) -> LowerDelta:
    """Return the lower bound of a threshold policy on merged states.

    States are merged in cells of ``grid`` standard deviations of one step.
    """
    count, eps0, weight, laws = slot
    steps = Steps(eps0, epsilon, laws)
    cell = grid * steps.deviation
    start = -float(np.expm1(epsilon)) * count / weight
    moves = steps.values / cell
    # The tilted walk drifts from start to 0.  Every cut here only lowers the result.
    times = np.arange(count + 1.0)
    centre = start / cell * (1.0 - times / count)
    spread = STATE_DEVIATIONS * np.sqrt(times) / grid + 4.0 * np.minimum(times, 1.0) * np.abs(moves).max()
    lows = np.floor(centre - spread).astype(np.int64) - 2
    highs = np.ceil(centre + spread).astype(np.int64) + 2
    value, positive = merged_walk(
        start / cell,
        moves,
        *steps.probabilities,
        lows,
        highs,
        policy._replace(thresholds=policy.thresholds / cell),
    )
    # Each step misplaces a state by at most (|move| + 4 + 8 UNIT-rounded inputs) UNIT cells.
    misplacement = roundoff(12, count * (np.abs(moves).max() + 4.0) + abs(start / cell))
    relative = (ROUNDINGS_PER_STEP * count + 64) * UNIT
    delta = weight / count * cell * (value * (1.0 - relative) - misplacement * positive)
    return LowerDelta(max(delta, 0.0), policy=policy, grid=grid, cell=cell)


def bound_at(bound: LowerDelta, slot: Slot, epsilon: float) -> LowerDelta:
    """Return the bound of the same randomizer at another epsilon."""
    if bound.policy is None:
        return single_law(slot, epsilon, bound.law)
    return with_policy(slot, epsilon, bound.policy, bound.grid)


def estimate_epsilon(slot: Slot, delta: float, law: int) -> tuple[float, float]:
    """Return an estimate of the epsilon at which one law reaches ``delta``, and -d log delta / d epsilon there."""
    powers = np.array([VERTICES[vertex] for vertex in LAWS[law].name], dtype=float)
    gains, losses = np.expm1(slot.eps0 * powers).T.copy()
    masses = LAWS[law].probabilities(slot.eps0)
    return epsilon_near(gains, losses, masses, slot.steps, slot.weight, slot.cap, log(delta))


def single_law_epsilon(slot: Slot, delta: float) -> tuple[float, LowerDelta]:
    """Return the largest epsilon at which one law, used in every slot, certainly exceeds ``delta``, and its bound.

    The epsilon is 0.0 if there is none.
    """
    best, bound = 0.0, LowerDelta(0.0, BE)
    for (guess, slope), law in sorted(((estimate_epsilon(slot, delta, law), law) for law in slot.laws), reverse=True):
        if guess < best * (1.0 - SURELY_SMALLER):
            break
        value = cache(lambda epsilon, law=law: single_law(slot, epsilon, law).delta)
        if best > 0.0 and value(best) <= delta:
            continue
        low = _largest_epsilon(value, delta, guess, slope, slot.cap)
        if low > best:
            best, bound = low, LowerDelta(value(low), law)
    return best, bound


def _largest_epsilon(value: Callable[[float], float], delta: float, guess: float, slope: float, cap: float) -> float:
    """Return an epsilon with value(epsilon) >= delta within PRECISION of the largest; 0.0 if there is none."""
    epsilon, before = guess * (1.0 - 0.25 * PRECISION), None
    for _ in range(TRIALS):
        if not (0.0 < epsilon < cap and slope > 0.0):
            break
        excess = log_ratio(value(epsilon), delta)
        if before is not None and (before[1] - excess) * (epsilon - before[0]) > 0.0:
            slope = (before[1] - excess) / (epsilon - before[0])
        if 0.0 <= excess <= slope * PRECISION * min(epsilon, cap - epsilon):
            return epsilon
        before = epsilon, excess
        epsilon += excess / slope - 0.5 * PRECISION * min(epsilon, cap - epsilon)
    root = crossing(value, delta, cap, guess, PRECISION)
    return last_above(value, delta, root, cap, PRECISION) if root > 0.0 else 0.0
