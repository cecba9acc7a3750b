"""Additive noise, by the likelihood ratios of its outputs to the law of the others."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, expm1, fsum

import numpy as np

from ...core.arrays import Array
from ...core.directed import UNIT
from .ball_one_step import Join
from .laplace_ratio import LaplaceNoise
from .slot_increments import FiniteIncrement, GaussianIncrement, Increment

# Deviations beyond which probabilities underflow.
FARTHEST = 37.6
# Relative error of a probability.
ERROR = UNIT * 2.0 * FARTHEST**2
# Values of a law are raised to this one, next to the least double: none is infinite then.  A policy from below may end
# with this law, and no sum of other steps makes up for such a value, or for the one that it stands for.
LEAST_LOSS = -1e300


@dataclass(frozen=True)
class GaussianNoise:
    """N(u, sigma^2) against N(0, sigma^2), |u| <= 1: ``s`` = 1/sigma.

    A smaller |u| gives a conditional expectation of the largest one's ratio: |u| = 1 dominates, exactly.  Replaced:
    u and -u.  For two vectors in the ball the countermonotone coupling of the ratios is worst (a - cb is submodular;
    Tchen 1980), and opposite vectors have it.
    """

    s: float

    @property
    def removal(self) -> Increment:
        """The increment A - 1."""
        return GaussianIncrement(self.s, 1.0, 0.0, -1.0)

    @property
    def addition(self) -> Increment:
        """The increment 1 - A; z is reflected, so that it increases."""
        return GaussianIncrement(self.s, 0.0, 1.0, 1.0)

    def replacement(self, c: float) -> Increment:
        """Return the increment (A - 1) - c (B - 1), where the vectors are on opposite sides."""
        return GaussianIncrement(self.s, 1.0, c, c - 1.0)


@dataclass(frozen=True)
class GaussianInBall(GaussianNoise):
    """Gaussian noise where the others' records are in the ball as well: three points at distances of at most 1.

    ``replacement`` is then the law that dominates every choice of a step
    (:mod:`pldcheck.hidden_slot.replaced.ball_stoploss`).
    """

    def replacement(self, c: float) -> Increment:
        """Return the least law that dominates (A - 1) - c (B - 1)."""
        return Join(self.s, c)


@dataclass(frozen=True)
class DiscreteGaussianNoise:
    """Integers k with probabilities proportional to exp(-k^2/(2 sigma^2)), about 1 against about 0; records are 0 or 1.

    ``replacement`` is the law that dominates every choice of a step (:mod:`pldcheck.hidden_slot.replaced.two_records`):
    over k the ratio A = e^{(k - 1/2)/sigma^2} where it is above c, and B at -k where it is above 1/c.
    """

    sigma: float

    @property
    def s(self) -> float:
        """Sensitivity over deviation, approximately."""
        return 1.0 / self.sigma

    @property
    def removal(self) -> FiniteIncrement:
        """The increment A - 1."""
        return self._increment(1.0)

    @property
    def addition(self) -> FiniteIncrement:
        """The increment 1 - A."""
        return self._increment(-1.0)

    def replacement(self, c: float) -> FiniteIncrement:
        """Return the least law that dominates (A - 1) - c (B - 1)."""
        values, masses = self._values
        gains = np.expm1((values - 0.5) / self.sigma**2)
        with np.errstate(over="ignore"):  # a law with larger values dominates too
            losses = np.maximum(c * -np.expm1(-(values + 0.5) / self.sigma**2), LEAST_LOSS)
        return FiniteIncrement(np.where(gains > c - 1.0, gains, np.minimum(losses, c - 1.0)), masses, ERROR)

    @property
    def beyond(self) -> float:
        """An upper bound of E[A; k beyond those]: the probability of k - 1 there, under the law about 0."""
        last = float(self._values[0][-1])
        return 2.0 * exp(-0.5 * (last / self.sigma) ** 2) / -expm1(-last / self.sigma**2)

    def _increment(self, sign: float) -> FiniteIncrement:
        values, masses = self._values
        ratios = np.expm1((values - 0.5) / self.sigma**2)
        return FiniteIncrement.of(sign * ratios, masses, ERROR)

    @property
    def _values(self) -> tuple[Array, Array]:
        """The integers about 0 and their probabilities, as far as these do not underflow."""
        last = ceil(FARTHEST * self.sigma) + 2
        values = np.arange(-last, last + 1, dtype=np.float64)
        masses = np.exp(-0.5 * (values / self.sigma) ** 2)
        return values[masses > 0.0], masses[masses > 0.0] / fsum(masses)


Noise = GaussianNoise | DiscreteGaussianNoise | LaplaceNoise
