"""Checks of the measured steps of :mod:`pldcheck.theorems.erlingsson19.composed_steps_proof`: both sides at a point."""

from __future__ import annotations

from collections.abc import Mapping

from flint import ctx

from ....core.interval import Interval
from ....protocols import RandomizedResponse, Shuffle
from ....theorems.erlingsson19.composed_steps_proof import advanced_composition, quoted_epsilon, scale
from ..spans import exactly
from .check_type import Check
from .exact_protocols import BITS, NUDGE, enclose


def _composition(clients: int, eps0: float, delta: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        budget, log_inverse = scale(exactly(eps0)) / clients, -exactly(delta).log()
        low = RandomizedResponse(clients, float(budget) * (1 - NUDGE)).epsilon(delta).lower
        high = RandomizedResponse(clients, float(budget) * (1 + NUDGE)).epsilon(delta).upper
        return Interval(low, high), enclose(advanced_composition(budget, clients, log_inverse), "epsilon")


def _epsilon_and_claim(clients: int, eps0: float, delta: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        right = quoted_epsilon(exactly(eps0), clients, -exactly(delta).log())
        return Shuffle(clients, eps0).epsilon(delta), enclose(right, "epsilon")


CHECKS: Mapping[str, Check] = {
    "EFMRTT/composition": _composition,
    "EFMRTT/claim": _epsilon_and_claim,
}
