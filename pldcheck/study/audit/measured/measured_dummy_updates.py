"""Checks of measured steps of :mod:`pldcheck.theorems.balle20.proofs.dummy_updates` and of Remark 4, at a point."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from ....core.interval import Interval
from .check_type import Check
from .exact_protocols import enclose


def _dummies(clients: int, steps: int, quarters: int) -> tuple[Interval, Interval]:
    prob, mean = Fraction(quarters, 4), Fraction(0)
    choices = [(None, 1 - prob), *((slot, prob / steps) for slot in range(steps))]
    for slots in product(choices, repeat=clients):
        mass = Fraction(1)
        for _, chance in slots:
            mass *= chance
        mean += mass * len(set(range(steps)) - {slot for slot, _ in slots})
    return enclose(abs(mean - steps * (1 - prob / steps) ** clients), "error"), enclose(0, "error")


def _sliding(last: Any) -> Any:
    """Return the expected number of dummy updates in slots m..n, against a formula that counts slots m..last."""

    def check(clients: int, steps: int) -> tuple[Interval, Interval]:
        windows = [range(client, client + steps) for client in range(1, clients + 1)]
        empties = sum(len(set(range(steps, clients + 1)) - set(slots)) for slots in product(*windows))
        slot_count = max(last(clients, steps) - steps + 1, 0)
        error = Fraction(empties, steps**clients) - slot_count * (1 - Fraction(1, steps)) ** steps
        return enclose(abs(error), "error"), enclose(0, "error")

    return check


def _outside(clients: int, steps: int) -> tuple[Interval, Interval]:
    """Return the expected number of clients whose slot is before the first released one or after the last."""
    windows = [range(client, client + steps) for client in range(1, clients + 1)]
    unused = sum(sum(not steps <= slot <= clients for slot in slots) for slots in product(*windows))
    return enclose(abs(Fraction(unused, steps**clients) - (steps - 1)), "error"), enclose(0, "error")


CHECKS: Mapping[str, Check] = {
    "3.4/expected": _dummies,
    "4.4/expected": _sliding(lambda clients, steps: clients),
    "rem-4/outside": _outside,
}

READINGS: Mapping[str, Mapping[str, Check]] = {
    "4.4/expected": {"slots m to n - m + 1, as the proof prints": _sliding(lambda n, m: n - m + 1)},
}
