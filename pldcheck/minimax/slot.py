"""The problem's own numbers, passed around together."""

from __future__ import annotations

from math import expm1, log1p
from typing import NamedTuple

# expm1, log1p and their product: 4 units of round-off, doubled.
_ROUNDING = 8 * 2.0**-53


class Slot(NamedTuple):
    """A record in one of ``steps`` slots, used there with probability ``weight``, behind eps0-DP randomizers."""

    steps: int
    eps0: float
    weight: float

    @property
    def cap(self) -> float:
        """log(1 + w (e^eps0 - 1)), rounded up: from there on delta*(epsilon) is zero."""
        return log1p(self.weight * expm1(self.eps0)) * (1.0 + _ROUNDING)

    @property
    def inner_cap(self) -> float:
        """The same, rounded down."""
        return log1p(self.weight * expm1(self.eps0)) * (1.0 - _ROUNDING)
