"""Known local randomizers, by the likelihood ratios of their outputs to the law of the others."""

from __future__ import annotations

from dataclasses import dataclass

from .increments import GaussianIncrement, Increment


@dataclass(frozen=True)
class GaussianNoise:
    """N(u, sigma^2) against N(0, sigma^2), |u| <= 1: ``s`` = 1/sigma.

    A smaller |u| gives a conditional expectation of the largest one's ratio: |u| = 1 dominates, exactly.  Replaced:
    u and -u.  For two vectors in the ball the countermonotone coupling of the ratios is worst (a - cb is submodular;
    Tchen 1980), and opposite vectors have it.
    """

    s: float

    @property
    def removed(self) -> Increment:
        """A - 1."""
        return GaussianIncrement(self.s, 1.0, 0.0, -1.0)

    @property
    def added(self) -> Increment:
        """1 - A; z is reflected, so that it increases."""
        return GaussianIncrement(self.s, 0.0, 1.0, 1.0)

    def replaced(self, c: float) -> Increment:
        """(A - 1) - c (B - 1), the vectors on opposite sides."""
        return GaussianIncrement(self.s, 1.0, c, c - 1.0)


Randomizer = GaussianNoise
