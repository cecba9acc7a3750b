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
from .exact_protocols import BITS, enclose


def _occupancy(clients: int, steps: int) -> Fraction:
    """Return the probability that a slot has at least one client."""
    return 1 - (1 - Fraction(1, steps)) ** clients


def _occupied_poisson(mean: Any) -> Any:
    """Return the probability that a Poisson load is not zero."""
    return -(-mean).expm1()


def _every_slot(*_: Any) -> int:
    """Return 1: all slots count, those without an update as 0."""
    return 1


def _inverse(chance: Any, times: int) -> Any:
    """Return a check of E[1/S; S > 0] over a probability, against a multiple of m/n."""

    def check(clients: int, steps: int) -> tuple[Interval, Interval]:
        moment = exact_protocols.inverse_load(clients, steps) / chance(clients, steps)
        return enclose(moment, "second moment"), enclose(Fraction(times * steps, clients), "second moment")

    return check


def _inverse_poisson(chance: Any, times: int) -> Any:
    """Return a check of E[1/S; S > 0] over a probability, for Poisson loads, against a multiple of 1/mean."""

    def check(mean: float) -> tuple[Interval, Interval]:
        with ctx.workprec(BITS):
            rate, term, total = exactly(mean), arb(1), arb(0)
            last = int(8 * mean) + 80
            for k in range(1, last + 1):
                term = term * rate / k
                total += term / k
            # From here on the terms fall at least eightfold, so that all further ones add up to less than the last.
            total = (total + term.union(arb(0))) * (-rate).exp() / chance(rate)
            return enclose(total, "second moment"), enclose(times / rate, "second moment")

    return check


def _reciprocal(clients: int, steps: int) -> tuple[Interval, Interval]:
    idle, mean = 1 - Fraction(1, steps), Fraction(0)
    chance = idle**clients
    for load in range(clients + 1):
        mean += chance / (load + 1)
        if load < clients:
            # Ratio of neighbouring binomial probabilities, at 1/m.
            chance = chance * (clients - load) / ((load + 1) * (steps - 1))
    value = steps * (1 - idle ** (clients + 1)) / (clients + 1)
    return enclose(abs(mean - value), "error"), enclose(0, "error")


# The name of the reading with twice the right side.
TWICE = "twice as much"


CHECKS: Mapping[str, Check] = {
    "4.2/second-moment": _inverse(_occupancy, 1),
    "4.2/poisson": _inverse_poisson(_occupied_poisson, 1),
    "4.2/reciprocal": _reciprocal,
}

READINGS: Mapping[str, Mapping[str, Check]] = {
    "4.2/second-moment": {
        "slots without an update counted as 0": _inverse(_every_slot, 1),
        TWICE: _inverse(_occupancy, 2),
    },
    "4.2/poisson": {
        "slots without an update counted as 0": _inverse_poisson(_every_slot, 1),
        TWICE: _inverse_poisson(_occupied_poisson, 2),
    },
}
