"""Checks of measured steps of the proofs of Balle et al. (2020) on averaged updates: both sides at a point."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from flint import arb, ctx

from ....core.interval import Interval
from ....protocols import Averaged
from ....theorems.balle20.proofs.averaged_updates import averaging_epsilon
from ..spans import exactly
from . import exact_protocols
from .exact_protocols import BITS, RATIO, Check, Law, bin_law, enclose, mixture, vanishes


def _claim(clients: int, steps: int, eps0: float, delta: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        # The theorem is claimed at delta + delta2, and epsilon falls with delta.
        log_inverse = -exactly(delta / 2).log()
        right = averaging_epsilon(exactly(eps0), clients, exactly(steps), log_inverse, log_inverse)
        return Averaged(clients, steps, eps0).epsilon(delta), enclose(right, "epsilon")


def _permuted(clients: int, steps: int, ones: int) -> tuple[Interval, Interval]:
    records = (1,) * ones + (0,) * (clients - ones)
    by_loads: dict[tuple[int, ...], list[Law]] = {}
    for slots in product(range(steps), repeat=clients):
        sizes = tuple(slots.count(slot) for slot in range(steps))
        in_order = tuple(record for _, record in sorted(zip(slots, records, strict=True), key=lambda pair: pair[0]))
        by_loads.setdefault(sizes, []).append(bin_law(in_order, sizes, RATIO))
    worst = max(
        exact_protocols.distance(
            mixture(laws), mixture(bin_law(order, sizes, RATIO) for order in exact_protocols.all_orders(records))
        )
        for sizes, laws in by_loads.items()
    )
    return vanishes(worst, "total variation")


def _occupancy(clients: int, steps: int) -> Fraction:
    """Return the probability that a slot has at least one client."""
    return 1 - (1 - Fraction(1, steps)) ** clients


def _occupied_poisson(mean: Any) -> Any:
    """Return the probability that a Poisson load is not zero."""
    return -(-mean).expm1()


def _every_slot(*_: Any) -> int:
    """Return 1: all slots count, those without an update as 0."""
    return 1


def _inverse(chance: Any, times: int) -> Check:
    """Return a check of E[1/S; S > 0] over a probability, against a multiple of m/n."""

    def check(clients: int, steps: int) -> tuple[Interval, Interval]:
        moment = exact_protocols.inverse_load(clients, steps) / chance(clients, steps)
        return enclose(moment, "second moment"), enclose(Fraction(times * steps, clients), "second moment")

    return check


def _inverse_poisson(chance: Any, times: int) -> Check:
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
    return vanishes(abs(mean - steps * (1 - idle ** (clients + 1)) / (clients + 1)))


def _norm(parts: tuple[int, ...]) -> Any:
    return exactly(sum(part * part for part in parts)).sqrt()


def _mean_norm(clients: int, steps: int) -> Any:
    return sum(exact_protocols.ball(mass) * _norm(parts) for parts, mass in exact_protocols.loads(clients, steps))


def _mean(clients: int, steps: int) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        moment = clients * (1 - 1 / exactly(steps)) + exactly(clients) ** 2 / steps
        return enclose(_mean_norm(clients, steps), "norm"), enclose(moment.sqrt(), "norm")


def _second_moment(clients: int, steps: int) -> tuple[Interval, Interval]:
    moment = sum(sum(part * part for part in parts) * mass for parts, mass in exact_protocols.loads(clients, steps))
    return vanishes(abs(moment - clients * (1 - Fraction(1, steps)) - Fraction(clients**2, steps)))


def _beyond(clients: int, steps: int, threshold: Any) -> Interval:
    """Return the probability that the norm exceeds a threshold; undecided comparisons count above only."""
    lower, upper = Fraction(0), Fraction(0)
    for parts, mass in exact_protocols.loads(clients, steps):
        norm = _norm(parts)
        lower += mass if norm > threshold else 0
        upper += 0 if norm <= threshold else mass
    return Interval(enclose(lower, "delta").lower, enclose(upper, "delta").upper, "delta")


def _concentration(difference_squared: int) -> Check:
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


# The name of the reading with twice the right side.
TWICE = "twice as much"
# The name of the reading in which all slots count.
ALL = "slots without an update counted as 0"


CHECKS: Mapping[str, Check] = {
    "4.1/permutation": _permuted,
    "4.1/claim": _claim,
    "4.2/second-moment": _inverse(_occupancy, 1),
    "4.2/poisson": _inverse_poisson(_occupied_poisson, 1),
    "4.2/reciprocal": _reciprocal,
    "A.6/concentration": _concentration(2),
    "A.6/jensen": _mean,
    "A.6/moment": _second_moment,
    "A.6/claim": _tail,
}

READINGS: Mapping[str, Mapping[str, Check]] = {
    "4.2/second-moment": {ALL: _inverse(_every_slot, 1), TWICE: _inverse(_occupancy, 2)},
    "4.2/poisson": {ALL: _inverse_poisson(_every_slot, 1), TWICE: _inverse_poisson(_occupied_poisson, 2)},
    "A.6/concentration": {"with differences of 1": _concentration(1)},
}
