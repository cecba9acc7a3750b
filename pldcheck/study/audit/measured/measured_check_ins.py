"""Checks of measured steps of proofs of Balle et al. (2020) on check-ins, and of Remark 4: both sides at a point."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from flint import arb, ctx

from .... import pld
from ....core.interval import Interval
from ....protocols import CheckIn, HiddenSlot
from ....theorems import REGISTRY
from ....theorems.balle20.proofs.fixed_window import slot_envelope
from ....theorems.balle20.proofs.repeated_windows import seven
from ..spans import POINT_BITS, exactly
from .exact_protocols import Check, enclose, vanishes


def _formula(value: float) -> Interval:
    """Return a formula's value with its round-off."""
    return Interval(value * (1 - 1e-13), value * (1 + 1e-13))


def _approximate(
    steps: float, eps0: float, check_in_prob: float, delta0: float, delta1: float, delta: float
) -> tuple[Interval, Interval]:
    bound = REGISTRY["thm-3.2-approx-main"](
        steps=int(steps), eps0=eps0, check_in_prob=check_in_prob, delta0=delta0, delta1=delta1, delta=delta
    )
    return CheckIn(int(steps), eps0, check_in_prob, delta0=delta0).epsilon(bound.at), _formula(bound.value)


def _slot(steps: float, eps0: float, weight: float, delta: float) -> tuple[Interval, Interval]:
    bound = REGISTRY["thm-A.4"](steps=int(steps), eps0=eps0, weight=weight, delta=delta)
    return HiddenSlot(int(steps), eps0, weight).epsilon(delta), _formula(bound.value)


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
        right = enclose(bound, "epsilon")
    return pld.compose_all([pld.randomized_response(each) for each in budgets]).epsilon(delta), right


def _repeated(epsilon: float, rounds: float, delta: float) -> tuple[Interval, Interval]:
    """Return epsilon of the optimal composition of randomized responses, and the bound (7)."""
    composed_epsilon = pld.randomized_response(epsilon).compose(int(rounds)).epsilon(delta)
    with ctx.workprec(POINT_BITS):
        return composed_epsilon, enclose(seven(exactly(epsilon), exactly(rounds), -exactly(delta).log()), "epsilon")


def _whole_sum(steps: float, decay: float) -> tuple[Interval, Interval]:
    r"""Return the sum, :math:`k b^{-2} (\zeta(2, c + 1) - \zeta(2, c + k + 1))` with c = k/b - k, and its bound."""
    with ctx.workprec(POINT_BITS):
        k, b = exactly(steps), exactly(decay)
        start = k / b - k + 1
        total = k * (arb(2).zeta(start) - arb(2).zeta(start + k)) / b**2
        return enclose(total, "value"), enclose(1 / (1 - b), "value")


def _dummies(clients: int, steps: int, quarters: int) -> tuple[Interval, Interval]:
    prob, mean = Fraction(quarters, 4), Fraction(0)
    choices = [(None, 1 - prob), *((slot, prob / steps) for slot in range(steps))]
    for slots in product(choices, repeat=clients):
        mass = prod((chance for _, chance in slots), start=Fraction(1))
        mean += mass * len(set(range(steps)) - {slot for slot, _ in slots})
    return vanishes(abs(mean - steps * (1 - prob / steps) ** clients))


def _windows(clients: int, steps: int) -> list[range]:
    """Return the slots from which each client draws one, counted from 1."""
    return [range(client, client + steps) for client in range(1, clients + 1)]


def _sliding(last: Any) -> Check:
    """Return the expected number of dummy updates in slots m..n, against a formula that counts slots m..last."""

    def check(clients: int, steps: int) -> tuple[Interval, Interval]:
        released = set(range(steps, clients + 1))
        empties = sum(len(released - set(slots)) for slots in product(*_windows(clients, steps)))
        slot_count = max(last(clients, steps) - steps + 1, 0)
        return vanishes(abs(Fraction(empties, steps**clients) - slot_count * (1 - Fraction(1, steps)) ** steps))

    return check


def _outside(clients: int, steps: int) -> tuple[Interval, Interval]:
    """Return the expected number of clients whose slot is before the first released one or after the last."""
    unused = sum(sum(not steps <= slot <= clients for slot in slots) for slots in product(*_windows(clients, steps)))
    return vanishes(abs(Fraction(unused, steps**clients) - (steps - 1)))


CHECKS: Mapping[str, Check] = {
    "3.2-main/ends": _approximate,
    "A.4/composition": _optimal,
    "A.4/ends": _slot,
    "3.3/composition": _repeated,
    "A.2/sum": _whole_sum,
    "3.4/expected": _dummies,
    "4.4/expected": _sliding(lambda clients, steps: clients),
    "rem-4/outside": _outside,
}

READINGS: Mapping[str, Mapping[str, Check]] = {
    "4.4/expected": {"slots m to n - m + 1, as the proof prints": _sliding(lambda n, m: n - m + 1)},
}
