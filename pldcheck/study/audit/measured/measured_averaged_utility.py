"""Checks of the measured steps of :mod:`pldcheck.theorems.balle20.proofs.averaged_utility`: both sides at a point."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from ....core.interval import Interval
from ..spans import exactly
from . import exact_protocols
from .check_type import Check
from .exact_protocols import BITS, enclosed


def _made(clients: int, steps: int) -> Fraction:
    """Return the probability that a slot has clients in it."""
    return 1 - (1 - Fraction(1, steps)) ** clients


def _made_poisson(mean: Any) -> Any:
    """Return the same for Poisson loads."""
    return -(-mean).expm1()


def _any(*_: Any) -> int:
    """Return all slots count, those without an update as 0."""
    return 1


def _inverse(chance: Any, times: int) -> Any:
    """Return E[1/S; S > 0] over a probability, against a multiple of m/n."""

    def check(clients: int, steps: int) -> tuple[Interval, Interval]:
        found = exact_protocols.inverse_load(clients, steps) / chance(clients, steps)
        return enclosed(found, "second moment"), enclosed(Fraction(times * steps, clients), "second moment")

    return check


def _inverse_poisson(chance: Any, times: int) -> Any:
    """Return the same for Poisson loads, against a multiple of one over their mean."""

    def check(mean: float) -> tuple[Interval, Interval]:
        with ctx.workprec(BITS):
            rate, term, total = exactly(mean), arb(1), arb(0)
            last = int(8 * mean) + 80
            for k in range(1, last + 1):
                term = term * rate / k
                total += term / k
            # From there on the terms fall at least eightfold: what is left out is less than the last.
            total = (total + term.union(arb(0))) * (-rate).exp() / chance(rate)
            return enclosed(total, "second moment"), enclosed(times / rate, "second moment")

    return check


def _reciprocal(clients: int, steps: int) -> tuple[Interval, Interval]:
    idle, found = 1 - Fraction(1, steps), Fraction(0)
    chance = idle**clients
    for load in range(clients + 1):
        found += chance / (load + 1)
        if load < clients:
            # Ratio of neighbouring binomial probabilities, at 1/m.
            chance = chance * (clients - load) / ((load + 1) * (steps - 1))
    value = steps * (1 - idle ** (clients + 1)) / (clients + 1)
    return enclosed(abs(found - value), "error"), enclosed(0, "error")


TWICE = "twice as much"


CHECKS: Mapping[str, Check] = {
    "4.2/second-moment": _inverse(_made, 1),
    "4.2/poisson": _inverse_poisson(_made_poisson, 1),
    "4.2/reciprocal": _reciprocal,
}

READINGS: Mapping[str, Mapping[str, Check]] = {
    "4.2/second-moment": {
        "slots without an update counted as 0": _inverse(_any, 1),
        TWICE: _inverse(_made, 2),
    },
    "4.2/poisson": {
        "slots without an update counted as 0": _inverse_poisson(_any, 1),
        TWICE: _inverse_poisson(_made_poisson, 2),
    },
}
