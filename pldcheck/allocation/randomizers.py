"""Known local randomizers, by the likelihood ratios of their outputs to the law of the others."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, fsum

import numpy as np

from ..errors import ParameterError
from .in_ball_join import Join
from .increments import UNIT, FiniteIncrement, GaussianIncrement, Increment

# Deviations beyond which there are no numbers left.
FARTHEST = 37.6


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


@dataclass(frozen=True)
class GaussianInBall(GaussianNoise):
    """The same where the others' records are in the ball as well: three points at distances of at most 1.

    ``replaced`` is then the law that dominates every choice of a step (:mod:`pldcheck.allocation.in_ball`).
    """

    def replaced(self, c: float) -> Increment:
        """The least law that dominates (A - 1) - c (B - 1)."""
        return Join(self.s, c)


@dataclass(frozen=True)
class DiscreteGaussianNoise:
    """Integers k with probabilities proportional to exp(-k^2/(2 sigma^2)), about 1 against about 0."""

    sigma: float

    @property
    def removed(self) -> Increment:
        """A - 1."""
        return self._increment(1.0)

    @property
    def added(self) -> Increment:
        """1 - A."""
        return self._increment(-1.0)

    def replaced(self, c: float) -> Increment:
        """The others' records are 0 or 1 as well: not supported."""
        raise ParameterError("adjacency", "zero-out with discrete Gaussian noise", "replace")

    def _increment(self, sign: float) -> Increment:
        last = ceil(FARTHEST * self.sigma) + 2
        values = np.arange(-last, last + 1, dtype=np.float64)
        masses = np.exp(-0.5 * (values / self.sigma) ** 2)
        ratios = np.expm1((values - 0.5) / self.sigma**2)
        return FiniteIncrement.of(sign * ratios, masses / fsum(masses), UNIT * 2.0 * FARTHEST**2)


Randomizer = GaussianNoise | DiscreteGaussianNoise
