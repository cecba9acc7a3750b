"""Checks of the measured steps of :mod:`pldcheck.theorems.balle20.proofs.shuffling_chain`: both sides at a point."""

from __future__ import annotations

from collections.abc import Mapping

from flint import arb, ctx

from ....core.interval import Interval
from ..spans import exactly
from . import exact_protocols
from .check_type import Check
from .exact_protocols import BITS, RATIO, enclose


def _same_law(clients: int, ones: int) -> tuple[Interval, Interval]:
    records = (1,) + (1,) * ones + (0,) * (clients - 1 - ones)
    shuffled_law = exact_protocols.mixture(
        exact_protocols.response_law(order, RATIO) for order in exact_protocols.all_orders(records)
    )
    swaps = exact_protocols.mixture(
        exact_protocols.response_law(exact_protocols.swap_records((records[0], *rest), place), RATIO)
        for rest in exact_protocols.all_orders(records[1:])
        for place in range(clients)
    )
    return enclose(exact_protocols.distance(shuffled_law, swaps), "total variation"), enclose(0, "total variation")


def _convex(clients: int, ones: int, epsilon: float) -> tuple[Interval, Interval]:
    others = (1,) * ones + (0,) * (clients - 1 - ones)
    with ctx.workprec(BITS):
        kappa = exactly(epsilon).exp()

        def shuffled_law(first: int) -> exact_protocols.Law:
            return exact_protocols.mixture(
                exact_protocols.response_law(order, RATIO) for order in exact_protocols.all_orders((first, *others))
            )

        def swaps(first: int, rest: exact_protocols.Records) -> exact_protocols.Law:
            return exact_protocols.mixture(
                exact_protocols.response_law(exact_protocols.swap_records((first, *rest), place), RATIO)
                for place in range(clients)
            )

        whole = exact_protocols.hockey_stick(shuffled_law(1), shuffled_law(0), kappa)
        worst = arb(0)
        for rest in set(exact_protocols.all_orders(others)):
            worst = worst.max(exact_protocols.hockey_stick(swaps(1, rest), swaps(0, rest), kappa))
        return enclose(whole, "delta"), enclose(worst, "delta")


CHECKS: Mapping[str, Check] = {
    "5.1/reduction": _same_law,
    "5.1/convexity": _convex,
}
