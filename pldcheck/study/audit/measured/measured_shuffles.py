"""Checks of measured steps of proofs on shuffling: Balle et al. (2020) and Erlingsson et al. (2019), at a point."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from flint import arb, ctx

from ....core.interval import Interval
from ....protocols import DecayingBudgets, RandomizedResponse, Shuffle, Swap
from ....theorems.balle20.proofs.swapping_chain import growth, lemma_bound, printed_epsilon
from ....theorems.erlingsson19.composed_steps_proof import advanced_composition, quoted_epsilon, scale
from ....theorems.shared_steps import x
from ..spans import exactly
from .exact_protocols import (
    BITS,
    RATIO,
    Check,
    Law,
    Records,
    all_orders,
    enclose,
    hockey_stick,
    mixture,
    nudged,
    response_law,
    same_law,
    swap_records,
    true_and_claimed,
)


def _shuffled(records: Records) -> Law:
    return mixture(response_law(order, RATIO) for order in all_orders(records))


def _swapped(records: Records) -> list[Law]:
    return [response_law(swap_records(records, place), RATIO) for place in range(len(records))]


def _reduction(clients: int, ones: int) -> tuple[Interval, Interval]:
    records = (1,) + (1,) * ones + (0,) * (clients - 1 - ones)
    swaps = mixture(law for rest in all_orders(records[1:]) for law in _swapped((records[0], *rest)))
    return same_law(_shuffled(records), swaps)


def _convex(clients: int, ones: int, epsilon: float) -> tuple[Interval, Interval]:
    others = (1,) * ones + (0,) * (clients - 1 - ones)
    with ctx.workprec(BITS):
        kappa, worst = exactly(epsilon).exp(), arb(0)
        whole = hockey_stick(_shuffled((1, *others)), _shuffled((0, *others)), kappa)
        for rest in set(all_orders(others)):
            one, other = (mixture(_swapped((first, *rest))) for first in (1, 0))
            worst = worst.max(hockey_stick(one, other, kappa))
        return enclose(whole, "delta"), enclose(worst, "delta")


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
        budgets = float(x(budget) * budget.expm1()), float(-(-budget).expm1())
        composed = nudged(partial(DecayingBudgets, clients), budgets, delta)
        return composed, enclose(_bound(eps0, clients, log_inverse), "epsilon")


def _sum_and_closed_form(clients: int, eps0: float, delta: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        budget, log_inverse = exactly(eps0), -exactly(delta).log()
        closed_form = lemma_bound(budget, clients, log_inverse)
        return enclose(_bound(eps0, clients, log_inverse), "epsilon"), enclose(closed_form, "epsilon")


def _claim(protocol: Any, formula: Any, clients: int, eps0: float, delta: float) -> tuple[Interval, Interval]:
    return true_and_claimed(
        protocol(clients, eps0), delta, lambda log_inverse: formula(exactly(eps0), clients, log_inverse)
    )


def _earlier_composition(clients: int, eps0: float, delta: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        budget, log_inverse = scale(exactly(eps0)) / clients, -exactly(delta).log()
        composed = nudged(partial(RandomizedResponse, clients), [float(budget)], delta)
        return composed, enclose(advanced_composition(budget, clients, log_inverse), "epsilon")


CHECKS: Mapping[str, Check] = {
    "5.1/reduction": _reduction,
    "5.1/convexity": _convex,
    "A.7/composition": _composition,
    "A.7/lemma-A.2": _sum_and_closed_form,
    "A.7/claim": partial(_claim, Swap, printed_epsilon),
    "5.1/claim": partial(_claim, Shuffle, printed_epsilon),
    "EFMRTT/composition": _earlier_composition,
    "EFMRTT/claim": partial(_claim, Shuffle, quoted_epsilon),
}
