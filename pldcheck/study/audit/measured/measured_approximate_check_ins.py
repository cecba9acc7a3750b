"""Checks of the measured steps of :mod:`pldcheck.theorems.balle20.proofs.approximate_check_ins`, at a point."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.interval import Interval
from ....protocols import CheckIn
from ....theorems import REGISTRY
from .check_type import Check


def _ends(steps: float, eps0: float, check_in_prob: float, delta0: float, delta1: float, delta: float):
    """Return the certified epsilon at the claimed delta, and the claimed epsilon."""
    bound = REGISTRY["thm-3.2-approx-main"](
        steps=int(steps), eps0=eps0, check_in_prob=check_in_prob, delta0=delta0, delta1=delta1, delta=delta
    )
    claim = Interval(bound.value * (1 - 1e-13), bound.value * (1 + 1e-13))
    return CheckIn(int(steps), eps0, check_in_prob, delta0=delta0).epsilon(bound.at), claim


CHECKS: Mapping[str, Check] = {
    "3.2-main/ends": _ends,
}
