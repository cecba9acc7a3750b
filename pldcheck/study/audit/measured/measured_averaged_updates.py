"""Checks of the measured steps of :mod:`pldcheck.theorems.balle20.proofs.averaged_updates`: both sides at a point."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from flint import ctx

from ....core.interval import Interval
from ....protocols import Averaged
from ....theorems.balle20.proofs.averaged_updates import averaging_epsilon
from ..spans import exactly
from . import exact_protocols
from .check_type import Check
from .exact_protocols import BITS, RATIO, enclose


def _epsilon_and_claim(clients: int, steps: int, eps0: float, delta: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        # The theorem is claimed at delta + delta2, and epsilon falls with delta.
        log_inverse = -exactly(delta / 2).log()
        right = averaging_epsilon(exactly(eps0), clients, exactly(steps), log_inverse, log_inverse)
        return Averaged(clients, steps, eps0).epsilon(delta), enclose(right, "epsilon")


def _same_law(clients: int, steps: int, ones: int) -> tuple[Interval, Interval]:
    records = (1,) * ones + (0,) * (clients - ones)
    worst = Fraction(0)
    by_loads: dict[tuple[int, ...], list[exact_protocols.Law]] = {}
    for slots in product(range(steps), repeat=clients):
        sizes = tuple(slots.count(slot) for slot in range(steps))
        in_order = tuple(record for _, record in sorted(zip(slots, records, strict=True), key=lambda pair: pair[0]))
        by_loads.setdefault(sizes, []).append(exact_protocols.bin_law(in_order, sizes, RATIO))
    for sizes, laws in by_loads.items():
        permuted_law = exact_protocols.mixture(
            exact_protocols.bin_law(order, sizes, RATIO) for order in exact_protocols.all_orders(records)
        )
        worst = max(worst, exact_protocols.distance(exact_protocols.mixture(laws), permuted_law))
    return enclose(worst, "total variation"), enclose(0, "total variation")


CHECKS: Mapping[str, Check] = {
    "4.1/permutation": _same_law,
    "4.1/claim": _epsilon_and_claim,
}
