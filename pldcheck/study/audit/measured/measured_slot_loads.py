"""Checks of the measured steps of :mod:`pldcheck.theorems.balle20.proofs.slot_loads`: both sides at a point."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import ctx

from ....core.interval import Interval
from ..spans import exactly
from . import exact_protocols
from .check_type import Check
from .exact_protocols import BITS, enclose


def _norm(parts: tuple[int, ...]) -> Any:
    return exactly(sum(part * part for part in parts)).sqrt()


def _mean_norm(clients: int, steps: int) -> Any:
    return sum(exact_protocols.ball(mass) * _norm(parts) for parts, mass in exact_protocols.loads(clients, steps))


def _mean(clients: int, steps: int) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        left, right = _mean_norm(clients, steps), _moment(exactly(clients), steps).sqrt()
        return enclose(left, "norm"), enclose(right, "norm")


def _moment(clients: Any, steps: Any) -> Any:
    return clients * (1 - 1 / exactly(steps)) + clients**2 / steps


def _second_moment(clients: int, steps: int) -> tuple[Interval, Interval]:
    moment = sum(sum(part * part for part in parts) * mass for parts, mass in exact_protocols.loads(clients, steps))
    value = clients * (1 - Fraction(1, steps)) + Fraction(clients**2, steps)
    return enclose(abs(moment - value), "error"), enclose(0, "error")


def _beyond(clients: int, steps: int, threshold: Any) -> Interval:
    """Return the probability that the norm exceeds a threshold; undecided comparisons count above only."""
    lower, upper = Fraction(0), Fraction(0)
    for parts, mass in exact_protocols.loads(clients, steps):
        norm = _norm(parts)
        lower += mass if norm > threshold else 0
        upper += 0 if norm <= threshold else mass
    return Interval(enclose(lower, "delta").lower, enclose(upper, "delta").upper, "delta")


def _concentration(difference_squared: int) -> Any:
    def check(clients: int, steps: int, delta: float) -> tuple[Interval, Interval]:
        with ctx.workprec(BITS):
            reach = (clients * -exactly(delta).log() * difference_squared / 2).sqrt()
            beyond = _beyond(clients, steps, _mean_norm(clients, steps) + reach)
            return beyond, enclose(exactly(delta), "delta")

    return check


def _tail(clients: int, steps: int, delta: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        reach = (clients * -exactly(delta).log()).sqrt()
        threshold = (exactly(clients) + exactly(clients) ** 2 / steps).sqrt() + reach
        return _beyond(clients, steps, threshold), enclose(exactly(delta), "delta")


CHECKS: Mapping[str, Check] = {
    "A.6/concentration": _concentration(2),
    "A.6/jensen": _mean,
    "A.6/moment": _second_moment,
    "A.6/claim": _tail,
}

READINGS: Mapping[str, Mapping[str, Check]] = {
    "A.6/concentration": {"with differences of 1": _concentration(1)},
}
