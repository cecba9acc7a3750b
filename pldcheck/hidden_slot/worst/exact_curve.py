"""Curves delta(epsilon) that are known up to round-off: the exact recursion, and zero-out adjacency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from ...core.interval import ErrorBudget, Interval
from . import few_slot_recursion
from . import worst_lower as lower
from .epsilon_bracket import crossing, first_below, last_above
from .slot_problem import Slot, one_slot
from .worst_lower import BE, CF, LowerDelta
from .worst_witness import witness

# Relative precision of the root; the two ends around it are certified separately.
ROOT_PRECISION = 1e-11
# An epsilon this near to its largest possible value is not resolved further.
NEAR_CAP = 1e-10


@dataclass(frozen=True)
class Curve:
    """Both ends of delta(epsilon), and the randomizer that attains the lower one."""

    slot: Slot
    adjacency: str
    lower: Callable[[float], float]
    upper: Callable[[float], float]
    lower_delta: Callable[[float], LowerDelta]

    def delta(self, epsilon: float) -> Interval:
        """Return delta(epsilon) with its witness."""
        low, high = self.lower(epsilon), self.upper(epsilon)
        return Interval(low, high, "delta", ErrorBudget(0.0, 0.0, high - low), self._witness(epsilon, low))

    def epsilon(self, delta: float) -> Interval:
        """Return epsilon(delta) with its witness, to a relative width of 1e-9 or better."""
        cap = self.slot.cap
        start, _ = lower.single_law_epsilon(self.slot, delta)
        if start == 0.0 and delta >= self.upper(0.0):
            return Interval(0.0, 0.0, "epsilon", ErrorBudget(0.0, 0.0, self.upper(0.0) - self.lower(0.0)))
        end = cap * (1.0 - NEAR_CAP)
        if start > 0.9 * cap and self.lower(end) >= delta:
            low, high, budget = end, cap, ErrorBudget(self.upper(end), 0.0, 0.0)
        else:
            root = crossing(self.lower, delta, cap, start or NEAR_CAP * cap, ROOT_PRECISION)
            low = last_above(self.lower, delta, root, cap, ROOT_PRECISION)
            high = first_below(self.upper, delta, root, cap, ROOT_PRECISION)
            rounding = self.upper(high) - self.lower(high) if high < cap else 0.0
            budget = ErrorBudget(0.0, 0.0, rounding)
        return Interval(low, high, "epsilon", budget, self._witness(low, low))

    def _witness(self, epsilon: float, low: float) -> dict | None:
        return witness(self.lower_delta(epsilon), self.slot, epsilon, self.adjacency) if low > 0.0 else None


def closed_curve(slot: Slot, adjacency: str) -> Curve | None:
    """Return the curve, or None where only brackets are available."""
    if adjacency == "zero-out":
        # Removal is law CF (a' = 1), addition is law BE (a = 1); the larger delta is the answer.
        return Curve(
            slot,
            adjacency,
            cache(lambda epsilon: max(lower.two_point(slot, epsilon, law)[0] for law in (BE, CF))),
            cache(lambda epsilon: _zero_out_upper(slot, epsilon)),
            lambda epsilon: max(
                (lower.single_law(slot, epsilon, law) for law in (BE, CF)), key=lambda bound: bound.delta
            ),
        )
    if slot.steps <= few_slot_recursion.MOST_STEPS:
        lower_end, upper_end = (
            cache(lambda e: few_slot_recursion.delta_lower(slot, e)),
            cache(lambda e: few_slot_recursion.delta_upper(slot, e)),
        )
        if slot.steps == 1:
            lower_end, upper_end = cache(lambda e: one_slot(slot, e)[0]), cache(lambda e: one_slot(slot, e)[1])
        return Curve(
            slot,
            adjacency,
            lower_end,
            upper_end,
            lambda epsilon: _best_policy(slot, epsilon),
        )
    return None


def _zero_out_upper(slot: Slot, epsilon: float) -> float:
    return min(max(lower.two_point(slot, epsilon, law)[1] for law in (BE, CF)), one_slot(slot, epsilon)[1])


def _best_policy(slot: Slot, epsilon: float) -> LowerDelta:
    value, policy = few_slot_recursion.optimal_policy(slot, epsilon)
    return LowerDelta(value, policy=policy)
