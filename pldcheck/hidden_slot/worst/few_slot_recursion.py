"""Both ends of delta for few slots, from the exact recursion on multisets."""

from __future__ import annotations

from math import comb

import numpy as np

from ...core.differences import FUNCTION, one_minus_product, ratio_difference, ratio_minus_one
from ...core.directed import UNIT, Side, roundoff
from ...core.interval import UNDERFLOW
from ...kernels.multiset_recursion import backward, policy_value, reachable_states
from .slot_problem import Slot, one_slot
from .step_laws import Steps
from .threshold_policies import Policy

# C(64, 4) = 635,376 states at the last step, 8 million in all: about 25 ms an evaluation.
MOST_STEPS = 60
# The relative margin by which a law must win to be written down, as in the kernel.
MARGIN = 1e-13
# Relative error of one step of the recursion, in units: of a probability exp (FUNCTION), sum and quotient (4), of its
# product with a value and at most two sums (3).
ROUNDINGS = FUNCTION + 8.0
# The least positive number.
SMALLEST = 5e-324
# Error of a state u, in units of the sum of its terms' sizes: of a step (10), of the start (8), products and sums (6).
STATE_ERROR = 24.0

# Without an array for them, the recursion records no choices.
_NO_CHOICES = np.zeros(0, np.int8)


def leaves(slot: Slot, epsilon: float, side: Side) -> np.ndarray:
    r"""Return the amounts that one slot with output A, B, C, E, F adds to w u at the end, rounded to one side.

    An amount includes the slot's share of the start.  That is :math:`w (a - \kappa a') - (1 - w) (\kappa - 1)`, where
    only a and kappa a' of C and B are near each other: they are subtracted as exponents.  ``side`` is the end that the
    amounts are rounded to; the rounding also covers the sum of ``steps`` of them, five products and four sums in the
    kernel.
    """
    eps0, weight = slot.eps0, float(slot.weight)
    kappa_1 = ratio_minus_one(epsilon)
    differences = (
        kappa_1.times(np.exp(-eps0), FUNCTION).times(-1.0),  # A: (1 - kappa)/x
        one_minus_product(-eps0, epsilon),  # B: 1 - kappa/x
        ratio_difference(eps0, epsilon),  # C: x - kappa
        one_minus_product(eps0, epsilon),  # E: 1 - x kappa
        kappa_1.plus(ratio_minus_one(-eps0).times(-1.0)).times(-1.0),  # F: 1/x - kappa
    )
    absence = kappa_1.times(weight - 1.0, 1.0)
    terms = [one.times(weight).plus(absence) for one in differences]
    return np.array([t.value + side.sign * (t.error + roundoff(12, abs(t.value))) for t in terms])


def _value(slot: Slot, epsilon: float, side: Side, choices: np.ndarray) -> float:
    probabilities = Steps(slot.eps0, epsilon, slot.laws).probabilities
    return backward(slot.steps, 0.0, leaves(slot, epsilon, side), *probabilities, choices)


def delta_lower(slot: Slot, epsilon: float) -> float:
    """Return the lower end of delta*(epsilon), which differs from the upper one by round-off only.

    After the leaves every operation is a sum of non-negative terms: ROUNDINGS a step, relatively, and the margin by
    which the recorded policy may be worse; of subnormal terms, half the least number for each of three products.
    """
    return _round_down(slot, _value(slot, epsilon, Side.LOWER, _NO_CHOICES))


def _round_down(slot: Slot, value: float) -> float:
    low = (value - 8.0 * slot.steps * SMALLEST) * (1.0 - slot.steps * (ROUNDINGS * UNIT + MARGIN) - roundoff(16))
    return max(low / slot.steps - SMALLEST, 0.0)


def delta_upper(slot: Slot, epsilon: float) -> float:
    """Return the upper end of delta*(epsilon); it is at most that of one slot."""
    value = _value(slot, epsilon, Side.UPPER, _NO_CHOICES)
    high = value * (1.0 + slot.steps * (ROUNDINGS * UNIT + MARGIN) + roundoff(16)) / slot.steps + UNDERFLOW
    return min(high, one_slot(slot, epsilon)[1])


def optimal_policy(slot: Slot, epsilon: float) -> tuple[float, Policy]:
    """Return the best policy by thresholds on u, and a lower end of the delta that it attains.

    Thresholds lie half-way between the states that the policy reaches.  Its delta is computed again: where a state is
    nearer to a threshold than the state's error, the worse of the laws on both sides counts.
    """
    steps, start = Steps(slot.eps0, epsilon, slot.laws), -float(np.expm1(epsilon)) * slot.steps / slot.weight
    choices = np.empty(comb(slot.steps + 4, 5), np.int8)
    _value(slot, epsilon, Side.LOWER, choices)
    room = 2**18
    while True:
        step, place, law = np.empty(room, np.int64), np.empty(room), np.empty(room, np.int8)
        count = reachable_states(slot.steps, start, steps.values, choices, step, place, law)
        if count <= room:
            break
        room = count
    cuts = np.flatnonzero(np.diff(step[:count])) + 1
    groups = zip(np.split(place[:count], cuts), np.split(law[:count], cuts), strict=True)
    slices = [(places[order], laws[order]) for places, laws in groups for order in [np.argsort(places)]]
    policy = Policy.from_choices(np.arange(1, slot.steps + 1), slices[::-1])
    value = policy_value(
        slot.steps,
        leaves(slot, epsilon, Side.LOWER),
        *steps.probabilities,
        start,
        steps.values,
        STATE_ERROR * UNIT,
        policy.starts,
        policy.thresholds,
        policy.laws,
    )
    return _round_down(slot, value), policy
