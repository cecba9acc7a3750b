"""Checks of the measured steps of :mod:`pldcheck.theorems.balle20.proofs.biased_sampling`: both sides at a point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import arb, ctx

from ....core.interval import Interval
from ..spans import POINT_BITS, exactly
from .check_type import Check


def _whole_sum(steps: float, decay: float) -> tuple[Interval, Interval]:
    r"""Return the sum, :math:`k b^{-2} (\zeta(2, c + 1) - \zeta(2, c + k + 1))` with c = k/b - k, and its bound."""
    with ctx.workprec(POINT_BITS):
        k, b = exactly(steps), exactly(decay)
        start = k / b - k + 1
        total = k * (arb(2).zeta(start) - arb(2).zeta(start + k)) / b**2
        return enclosure(total), enclosure(1 / (1 - b))


def enclosure(value: Any) -> Interval:
    """Return a ball as an interval of floats, rounded outward."""
    low, high = float(value.lower()), float(value.upper())
    return Interval(low - abs(low) * 1e-15, high + abs(high) * 1e-15, "value")


CHECKS: Mapping[str, Check] = {
    "A.2/sum": _whole_sum,
}
