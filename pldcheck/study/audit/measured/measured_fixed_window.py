"""Checks of the measured steps of :mod:`pldcheck.theorems.balle20.proofs.fixed_window`: both sides at a point."""

from __future__ import annotations

from collections.abc import Mapping

from flint import ctx

from .... import pld
from ....core.interval import Interval
from ....protocols import HiddenSlot
from ....theorems import REGISTRY
from ....theorems.balle20.proofs.fixed_window import slot_envelope
from ..spans import POINT_BITS, exactly
from .check_type import Check
from .measured_biased_sampling import enclosure


def _optimal(steps: float, eps0: float, weight: float, delta: float) -> tuple[Interval, Interval]:
    """Return epsilon of the optimal composition of the steps' budgets, and the bound of Kairouz, Oh and Viswanath."""
    with ctx.workprec(POINT_BITS):
        count, budget, log_inverse_delta = int(steps), exactly(eps0), -exactly(delta).log()
        growths = [
            exactly(weight) * budget.expm1() * slot_envelope(budget, exactly(i) / count) / count for i in range(count)
        ]
        total = sum(y * y.log1p() / (2 + y) for y in growths)
        bound = total + (2 * log_inverse_delta * sum(y.log1p() ** 2 for y in growths)).sqrt()
        # Budgets are rounded up: the composition grows with each budget.
        budgets = [float(y.log1p().upper()) * (1 + 1e-15) for y in growths]
    return pld.compose_all([pld.randomized_response(each) for each in budgets]).epsilon(delta), enclosure(bound)


def _truth(steps: float, eps0: float, weight: float, delta: float) -> tuple[Interval, Interval]:
    """Return the certified epsilon of the hidden slot, and the formula."""
    bound = REGISTRY["thm-A.4"](steps=int(steps), eps0=eps0, weight=weight, delta=delta).value
    return HiddenSlot(int(steps), eps0, weight).epsilon(delta), Interval(bound * (1 - 1e-13), bound * (1 + 1e-13))


CHECKS: Mapping[str, Check] = {
    "A.4/composition": _optimal,
    "A.4/ends": _truth,
}
