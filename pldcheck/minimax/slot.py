"""The problem's own numbers, passed around together."""

from __future__ import annotations

from math import expm1, log, log1p, pi, sqrt
from typing import NamedTuple

from scipy.special import erfcx

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

    def normal_epsilon(self, delta: float, deviation: float) -> float:
        """The epsilon at which the normal approximation's delta is the given one: only where to start looking.

        With s = w deviation/sqrt(m): delta = s (phi(z) - z Phi(-z)), epsilon = z s.
        """
        scale = self.weight * deviation / sqrt(self.steps)
        low, high = 0.0, 40.0
        for _ in range(60):
            z = 0.5 * (low + high)
            mills = sqrt(0.5 * pi) * float(erfcx(z / sqrt(2.0)))
            log_delta = log(scale) - 0.5 * z * z - 0.5 * log(2.0 * pi) + log(max(1.0 - z * mills, 1e-6))
            low, high = (z, high) if log_delta > log(delta) else (low, z)
        return max(z, 1e-3) * scale
