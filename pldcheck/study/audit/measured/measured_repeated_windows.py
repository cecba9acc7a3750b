"""Checks of the measured steps of :mod:`pldcheck.theorems.balle20.proofs.repeated_windows`: both sides at a point."""

from __future__ import annotations

from collections.abc import Mapping

from flint import ctx

from .... import pld
from ....core.interval import Interval
from ....theorems.balle20.proofs.repeated_windows import seven
from ..spans import POINT_BITS, exactly
from .check_type import Check
from .measured_biased_sampling import enclosure


def _composition_and_bound(epsilon: float, rounds: float, delta: float) -> tuple[Interval, Interval]:
    """Return epsilon of the optimal composition of randomized responses, and the bound (7)."""
    composed_epsilon = pld.randomized_response(epsilon).compose(int(rounds)).epsilon(delta)
    with ctx.workprec(POINT_BITS):
        return composed_epsilon, enclosure(seven(exactly(epsilon), exactly(rounds), -exactly(delta).log()))


CHECKS: Mapping[str, Check] = {
    "3.3/composition": _composition_and_bound,
}
