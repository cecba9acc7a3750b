"""Checks of the measured steps of :mod:`pldcheck.theorems.balle20.proofs.swap_posterior`: both sides at a point."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from flint import ctx

from ....core.interval import Interval
from ....theorems.balle20.proofs.swap_posterior import by_likelihoods_sharp, envelope
from ..spans import exactly
from . import exact_protocols
from .check_type import Check
from .exact_protocols import BITS, NUDGE, enclose


def _change_count(clients: int, position: int, other: int) -> int:
    """Return the number of places before ``position`` at which swaps with it and with ``other`` differ (from 1)."""
    records = tuple(range(1, clients + 1))
    one, two = (exact_protocols.swap_records(records, place - 1) for place in (position, other))
    return sum(a != b for a, b in zip(one[: position - 1], two[: position - 1], strict=True))


def _differ_before(clients: int, position: int) -> tuple[Interval, Interval]:
    most = max(_change_count(clients, position, other) for other in range(1, position))
    return enclose(most, "places"), enclose(2, "places")


def _differ_first(clients: int, position: int) -> tuple[Interval, Interval]:
    return enclose(_change_count(clients, position, 1), "places"), enclose(2, "places")


def _differ_after(clients: int, position: int) -> tuple[Interval, Interval]:
    most = max(_change_count(clients, position, other) for other in range(position + 1, clients + 1))
    return enclose(most, "places"), enclose(1, "places")


def _largest_posterior(clients: int, position: int, eps0: float) -> Any:
    """Return the largest posterior over all randomizers.

    The posterior is a quotient of linear functions of each density, so that it is extreme where each is 1 or x.
    """
    records = tuple(range(clients))
    shapes = set()
    for first in product((0, 1), repeat=clients):
        for later in product(product((0, 1), repeat=2), repeat=position - 2):
            # The exponent of the density of outputs 1..i-1 when the record is swapped into each of the places.
            powers = [
                first[place] + sum(pair[0] if place == k else pair[1] for k, pair in enumerate(later, start=1))
                for place in records
            ]
            shapes.add(tuple(sorted(power - powers[position - 1] for power in powers)))
    budget = exactly(eps0)
    best = exactly(0.0)
    for shape in shapes:
        best = best.max(1 / sum((power * budget).exp() for power in shape))
    return best


def _posterior(clients: int, position: int, eps0: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        largest = _largest_posterior(clients, position, eps0)
        return enclose(largest, "probability"), enclose(envelope(exactly(eps0), clients, position), "probability")


def _first_counted_once(clients: int, position: int, eps0: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        largest = _largest_posterior(clients, position, eps0)
        return enclose(largest * (1 - exactly(NUDGE)), "probability"), enclose(
            by_likelihoods_sharp(exactly(eps0), clients, position), "probability"
        )


CHECKS: Mapping[str, Check] = {
    "A.7/differ-before": _differ_before,
    "A.7/differ-first": _differ_first,
    "A.7/differ-after": _differ_after,
    "A.7/posterior": _posterior,
}

READINGS: Mapping[str, Mapping[str, Check]] = {
    "A.7/posterior": {"x for x^2 at j = 1": _first_counted_once},
}
