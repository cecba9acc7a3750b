r"""Certified lower end: one law at every step, or the recursion's own policy on merged states.

Units as in :mod:`pldcheck.minimax.upper`: delta = (w/m) E(u_0 + sum of s)_+, u_0 = -(e^epsilon - 1) m / w.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..interval import UNDERFLOW
from ..kernels.binomial import upper_tail
from ..kernels.merge import ROUNDINGS_PER_STEP, merged_walk
from ..kernels.trinomial import excess_lower
from ..laws import Steps
from .policy import Policy

UNIT = 2.0**-53
BE, CF, ACE = 0, 1, 2
# Deviations of the (tilted) symbol counts that are summed; what is dropped only lowers a lower bound.
SPREAD = 9.0


def two_point(count: int, eps0: float, weight: float, epsilon: float, law: int) -> tuple[float, float]:
    """(lower, upper) of delta(epsilon) when every slot uses the two-symbol law BE or CF.

    With J ~ Bin(m, p) the number of upward steps, delta = (w/m) span E(J - tau)_+, tau = m p + (e^eps - 1) m/(w span).
    """
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


def three_point(count: int, eps0: float, weight: float, epsilon: float) -> float:
    """Lower bound of delta(epsilon) when every slot uses the three-symbol law ACE."""
    x, x_1, kappa_1 = float(np.exp(eps0)), float(np.expm1(eps0)), float(np.expm1(epsilon))
    below = -float(np.expm1(-eps0))
    first, last = _symbols(count, eps0, weight, epsilon)
    fixed = kappa_1 * count * ((1.0 - weight * below) / (weight * below)) / (x * (2.0 + kappa_1))
    slope = kappa_1 * (1.0 + 0.5 * x) / (x * (2.0 + kappa_1))
    return max(weight / count * x_1 * (2.0 + kappa_1) * excess_lower(count, x, fixed, slope, first, last), 0.0) * (
        1.0 - 16 * UNIT
    )


def _symbols(count: int, eps0: float, weight: float, epsilon: float) -> tuple[int, int]:
    """The numbers of non-A symbols that matter: around their mean when the sum is tilted to zero."""
    s, p = Steps(eps0, epsilon).law(ACE)
    start = -float(np.expm1(epsilon)) * count / weight
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
    """``delta <= delta*(epsilon)``, attained by one law or by a policy.

    ``grid``, ``cell``: the policy's cells, in standard deviations of a step and in units of s (None: it acts on u itself).
    """

    delta: float
    law: int | None = None
    policy: Policy | None = None
    grid: float | None = None
    cell: float | None = None


def single_law(count: int, eps0: float, weight: float, epsilon: float, law: int) -> LowerDelta:
    """The lower bound from one law at every step."""
    if law == ACE:
        return LowerDelta(three_point(count, eps0, weight, epsilon), law)
    return LowerDelta(two_point(count, eps0, weight, epsilon, law)[0], law)


def best_single_law(count: int, eps0: float, weight: float, epsilon: float) -> LowerDelta:
    """The best of the three laws, each at every step."""
    return max((single_law(count, eps0, weight, epsilon, law) for law in range(3)), key=lambda found: found.delta)


def with_policy(count: int, eps0: float, weight: float, epsilon: float, policy: Policy, grid: float) -> LowerDelta:
    """The value of a threshold policy on states merged in cells of ``grid`` standard deviations of one step."""
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


def again(found: LowerDelta, count: int, eps0: float, weight: float, epsilon: float) -> LowerDelta:
    """The same randomizer at another epsilon."""
    if found.policy is None:
        return single_law(count, eps0, weight, epsilon, found.law)
    return with_policy(count, eps0, weight, epsilon, found.policy, found.grid)
