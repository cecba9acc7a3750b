"""Checks of the measured steps of :mod:`pldcheck.theorems.balle20.proofs.swapping_chain`: both sides at a point."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from flint import ctx

from ....core.interval import Interval
from ....protocols import DecayingBudgets, Shuffle, Swap
from ....theorems.balle20.proofs.swapping_chain import growth, lemma_bound, printed_epsilon
from ....theorems.shared_steps import x
from ..spans import exactly
from .check_type import Check
from .exact_protocols import BITS, NUDGE, enclose


def _bound(eps0: float, clients: int, log_inverse: Any) -> Any:
    """Return the bound of Kairouz, Oh and Viswanath on the composition of these budgets, term by term."""
    budget = exactly(eps0)
    drifts = squares = exactly(0.0)
    for position in range(1, clients + 1):
        step = growth(budget, clients, position)
        drifts += step * step.log1p() / (2 + step)
        squares += step.log1p() ** 2
    return drifts + (2 * log_inverse * squares).sqrt()


def _composition(clients: int, eps0: float, delta: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        budget, log_inverse = exactly(eps0), -exactly(delta).log()
        first, decay = float(x(budget) * budget.expm1()), float(-(-budget).expm1())
        # Both grow with the budgets.
        low = DecayingBudgets(clients, first * (1 - NUDGE), decay * (1 - NUDGE)).epsilon(delta).lower
        high = DecayingBudgets(clients, first * (1 + NUDGE), decay * (1 + NUDGE)).epsilon(delta).upper
        return Interval(low, high), enclose(_bound(eps0, clients, log_inverse), "epsilon")


def _sum_and_closed_form(clients: int, eps0: float, delta: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        budget, log_inverse = exactly(eps0), -exactly(delta).log()
        closed_form = lemma_bound(budget, clients, log_inverse)
        return enclose(_bound(eps0, clients, log_inverse), "epsilon"), enclose(closed_form, "epsilon")


def _epsilon_and_claim(protocol: Any, clients: int, eps0: float, delta: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        right = printed_epsilon(exactly(eps0), clients, -exactly(delta).log())
        return protocol(clients, eps0).epsilon(delta), enclose(right, "epsilon")


CHECKS: Mapping[str, Check] = {
    "A.7/composition": _composition,
    "A.7/lemma-A.2": _sum_and_closed_form,
    "A.7/claim": partial(_epsilon_and_claim, Swap),
    "5.1/claim": partial(_epsilon_and_claim, Shuffle),
}
