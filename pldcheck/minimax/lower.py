r"""Certified lower end: one law at every step, or the recursion's own policy on merged states.

Units as in :mod:`pldcheck.minimax.upper`: delta = (w/m) E(u_0 + sum of s)_+, u_0 = -(e^epsilon - 1) m / w.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ..interval import UNDERFLOW
from ..kernels.binomial import upper_tail
from ..kernels.merge import ROUNDINGS_PER_STEP, merged_walk
from ..kernels.trinomial import excess_lower, grouped_excess_lower
from ..laws import Steps
from .policy import Policy
from .slot import Slot
from .solve import crossing, last_above

UNIT = 2.0**-53
BE, CF, ACE = 0, 1, 2
# Deviations of the (tilted) symbol counts that are summed; what is dropped only lowers a lower bound.
SPREAD = 9.0
# A walk over the symbol counts takes some 18 deviations of them; beyond this deviation they are grouped, FRACTION of a
# deviation at a time, which costs 1e-4 of delta and a time that no longer grows.
LONGEST_WALK, FRACTION = 1e5, 0.03
# Precision of a single law's epsilon, relatively: far below any width asked for.
FAR = 1e-6


def two_point(slot: Slot, epsilon: float, law: int) -> tuple[float, float]:
    """(lower, upper) of delta(epsilon) when every slot uses the two-symbol law BE or CF.

    With J ~ Bin(m, p) the number of upward steps, delta = (w/m) span E(J - tau)_+, tau = m p + (e^eps - 1) m/(w span).
    """
    count, eps0, weight = slot
    x_1, kappa_1 = float(np.expm1(eps0)), float(np.expm1(epsilon))
    span = -float(np.expm1(-eps0)) * (x_1 + 2.0)  # (1 - 1/x)(x + 1)
    often, seldom = 1.0 / (1.0 + np.exp(-eps0)), 1.0 / (x_1 + 2.0)
    if law == BE:
        span *= 1.0 + kappa_1
        p, q, odds = often, seldom, float(np.exp(eps0))
    else:
        p, q, odds = seldom, often, float(np.exp(-eps0))
    tau = count * p + kappa_1 * count / (weight * span)
    tail, excess, relative, omitted = upper_tail(count, p, q, odds, tau)
    shift = 8 * UNIT * tau * tail
    scale = weight / count * span
    relative += 16 * UNIT
    low = scale * (excess * (1.0 - relative) - shift)
    high = scale * ((excess + omitted) * (1.0 + relative) + shift)
    return max(low, 0.0), high + UNDERFLOW


def three_point(slot: Slot, epsilon: float) -> float:
    """Lower bound of delta(epsilon) when every slot uses the three-symbol law ACE."""
    count, eps0, weight = slot
    x, x_1, kappa_1 = float(np.exp(eps0)), float(np.expm1(eps0)), float(np.expm1(epsilon))
    below = -float(np.expm1(-eps0))
    first, last = _symbols(slot, epsilon)
    fixed = kappa_1 * count * ((1.0 - weight * below) / (weight * below)) / (x * (2.0 + kappa_1))
    slope = kappa_1 * (1.0 + 0.5 * x) / (x * (2.0 + kappa_1))
    deviation = float(np.sqrt(2.0 * x * count)) / (x + 2.0)
    if deviation < LONGEST_WALK:
        excess = excess_lower(count, x, fixed, slope, first, last)
    else:
        stride = int(FRACTION * np.sqrt(first) / 2.0)
        excess = grouped_excess_lower(count, x, fixed, slope, first, last, int(FRACTION * deviation), stride)
    return max(weight / count * x_1 * (2.0 + kappa_1) * excess * (1.0 - 16 * UNIT), 0.0)


def _symbols(slot: Slot, epsilon: float) -> tuple[int, int]:
    """The numbers of non-A symbols that matter: around their mean when the sum is tilted to zero."""
    s, p = Steps(slot.eps0, epsilon).law(ACE)
    count = slot.steps
    start = -float(np.expm1(epsilon)) * count / slot.weight
    deviation = float(np.sqrt(p @ s**2))
    low, high = -14.0, 7.0  # log of theta * deviation
    for _ in range(60):
        middle = 0.5 * (low + high)
        exponents = np.exp(middle) / deviation * s
        tilted = p * np.exp(exponents - exponents.max())
        tilted /= tilted.sum()
        low, high = (middle, high) if count * (tilted @ s) + start < 0 else (low, middle)
    mean = count * float(tilted[1] + tilted[2])
    reach = SPREAD * np.sqrt(max(mean * float(tilted[0]), 1.0)) + SPREAD**2
    return max(int(mean - reach), 1), min(int(mean + reach), count)


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
    """The lower bound from one law at every step."""
    if law == ACE:
        return LowerDelta(three_point(slot, epsilon), law)
    return LowerDelta(two_point(slot, epsilon, law)[0], law)


def with_policy(slot: Slot, epsilon: float, policy: Policy, grid: float) -> LowerDelta:
    """The value of a threshold policy on states merged in cells of ``grid`` standard deviations of one step."""
    count, eps0, weight = slot
    steps = Steps(eps0, epsilon)
    cell = grid * steps.deviation
    start = -float(np.expm1(epsilon)) * count / weight
    moves = steps.values / cell
    # The tilted walk drifts from start to 0.  Whatever is cut here only lowers the result.
    times = np.arange(count + 1.0)
    centre = start / cell * (1.0 - times / count)
    spread = SPREAD * np.sqrt(times) / grid + 4.0 * np.minimum(times, 1.0) * np.abs(moves).max()
    lows = np.floor(centre - spread).astype(np.int64) - 2
    highs = np.ceil(centre + spread).astype(np.int64) + 2
    value, positive = merged_walk(
        start / cell,
        moves,
        *steps.probabilities,
        lows,
        highs,
        policy.times,
        policy.starts,
        policy.thresholds / cell,
        policy.laws,
    )
    # Each step misplaces a state by at most (|move| + 4 + 8 UNIT-rounded inputs) UNIT cells.
    misplaced = 12 * UNIT * (count * (np.abs(moves).max() + 4.0) + abs(start / cell))
    relative = (ROUNDINGS_PER_STEP * count + 64) * UNIT
    delta = weight / count * cell * (value * (1.0 - relative) - misplaced * positive)
    return LowerDelta(max(delta, 0.0), policy=policy, grid=grid, cell=cell)


def again(found: LowerDelta, slot: Slot, epsilon: float) -> LowerDelta:
    """The same randomizer at another epsilon."""
    if found.policy is None:
        return single_law(slot, epsilon, found.law)
    return with_policy(slot, epsilon, found.policy, found.grid)


def single_law_epsilon(slot: Slot, delta: float) -> tuple[float, LowerDelta]:
    """The largest epsilon at which one law, used throughout, certainly exceeds ``delta``; 0.0 if there is none."""
    best, found = 0.0, LowerDelta(0.0, BE)
    steps = Steps(slot.eps0, 0.0)
    for law in (BE, CF, ACE):
        value = cache(lambda epsilon, law=law: single_law(slot, epsilon, law).delta)
        if best > 0.0 and value(best) <= delta:
            continue
        values, probabilities = steps.law(law)
        guess = slot.normal_epsilon(delta, float(np.sqrt(probabilities @ values**2)))
        root = crossing(value, delta, slot.cap, max(guess, best), FAR)
        low = last_above(value, delta, root, slot.cap, FAR) if root > 0.0 else 0.0
        if low > best:
            best, found = low, LowerDelta(value(low), law)
    return best, found
