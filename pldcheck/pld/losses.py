r"""One step's privacy loss L = log dP/dQ under P: finitely many values, Gaussian, or Laplace; or many responses.

A law is what the sums of :mod:`pldcheck.pld.total` are made of; P(L = infinity) is kept apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ParameterError
from ..kernels.losses import compensated_sum

Array = NDArray[np.float64]
UNIT = 2.0**-53


@dataclass(frozen=True, eq=False)
class Atoms:
    """Finitely many losses; ``masses`` are their probabilities given that the loss is finite.

    ``mass_error`` bounds the relative error of each mass, ``loss_error`` the absolute one of each loss, both with the
    total mass kept: a law within them is the one that is meant.  ``largest_order``: Renyi divergences of a larger
    order may come from tails that are cut off, and are unknown from above.
    """

    losses: Array
    masses: Array
    infinity: float = 0.0
    mass_error: float = 4 * UNIT
    loss_error: float = 0.0
    largest_order: float = inf

    @classmethod
    def of(
        cls,
        losses: ArrayLike,
        masses: ArrayLike,
        infinity: float = 0.0,
        *,
        mass_error: float,
        loss_error: float,
        largest_order: float = inf,
    ) -> Atoms:
        """From masses whose sum is ``1 - infinity`` up to round-off; atoms without mass are left out."""
        where, weights = np.asarray(losses, dtype=np.float64), np.asarray(masses, dtype=np.float64)
        kept = weights > 0.0
        where, weights = where[kept], weights[kept]
        total = compensated_sum(weights)
        if not weights.size:
            where, weights, total = np.zeros(1), np.ones(1), 1.0
        return cls(where, weights / total, infinity, mass_error + 3 * UNIT, loss_error, largest_order)


@dataclass(frozen=True)
class GaussianLoss:
    """L ~ N(variance/2, variance): the Gaussian mechanism with sensitivity over deviation = sqrt(variance)."""

    variance: float

    def __post_init__(self) -> None:
        if not (isfinite(self.variance) and self.variance > 0.0):
            raise ParameterError("variance", "positive and finite", self.variance)


@dataclass(frozen=True)
class LaplaceLoss:
    """The loss of the Laplace mechanism with sensitivity over scale = ``eps0``."""

    eps0: float


@dataclass(frozen=True, eq=False, slots=True)
class Responses:
    """The losses of independent randomized responses, one for each entry of ``eps0``: many steps in one law."""

    eps0: Array

    @property
    def losses(self) -> Array:
        """eps0 and -eps0, response after response."""
        return np.column_stack([self.eps0, -self.eps0]).ravel()

    @property
    def masses(self) -> Array:
        """Their probabilities, each with a relative error of at most 4 round-offs."""
        x = np.exp(-self.eps0)
        return np.column_stack([1.0 / (1.0 + x), x / (1.0 + x)]).ravel()


Law = Atoms | GaussianLoss | LaplaceLoss | Responses
