r"""One step's privacy loss L = log dP/dQ under P: finitely many values, Gaussian, or Laplace; or many responses.

A law is what the sums of :mod:`pldcheck.pld.loss_total` are made of; P(L = infinity) is kept apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.directed import roundoff
from ..core.errors import ParameterError
from ..kernels.loss_cumulants import compensated_sum

Array = NDArray[np.float64]


@dataclass(frozen=True)
class NodeRule:
    """A trapezoidal rule whose nodes stand for a Gaussian on a Poisson sample; :mod:`~pldcheck.pld.quadrature_nodes`.

    The nodes are ``first``, ``first + step``, and so on; ``mu`` is sensitivity over deviation, and ``strip`` half the
    width of the strip about the real line on which the rule is judged.  ``backward``: of the reversed pair.
    """

    mu: float
    rate: float
    step: float
    strip: float
    first: float
    backward: bool


@dataclass(frozen=True, eq=False)
class Atoms:
    """Finitely many losses; ``masses`` are their probabilities given that the loss is finite.

    ``mass_error`` bounds the relative error of each mass, ``loss_error`` the absolute one of each loss, both with the
    total mass kept: a law within them is the one that is meant.  ``infinity_error``: relative, of ``infinity``.

    Of a law whose tails are cut off: ``cut`` is at least their probability; Renyi divergences up to ``largest_order``
    do not see them, those of larger orders come from ``moment``, which encloses log E exp(theta L) of the law as it is
    without the cut, and are unknown from above where there is none.
    """

    losses: Array
    masses: Array
    infinity: float = 0.0
    mass_error: float = roundoff(4)
    loss_error: float = 0.0
    largest_order: float = inf
    infinity_error: float = roundoff(4)
    cut: float = 0.0
    moment: Callable[[float], tuple[float, float]] | None = None
    rule: NodeRule | None = None

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
        cut: float = 0.0,
        moment: Callable[[float], tuple[float, float]] | None = None,
        rule: NodeRule | None = None,
    ) -> Atoms:
        """Return the law of masses whose sum is ``1 - infinity`` up to round-off; atoms without mass are left out."""
        values, weights = np.asarray(losses, dtype=np.float64), np.asarray(masses, dtype=np.float64)
        possible = weights > 0.0
        values, weights = values[possible], weights[possible]
        total = compensated_sum(weights)
        if not weights.size:
            values, weights, total = np.zeros(1), np.ones(1), 1.0
        errors = mass_error + roundoff(3), loss_error
        return cls(values, weights / total, infinity, *errors, largest_order, cut=cut, moment=moment, rule=rule)


@dataclass(frozen=True)
class GaussianLoss:
    """L ~ N(variance/2, variance): the Gaussian mechanism with sensitivity over deviation = sqrt(variance)."""

    variance: float

    def __post_init__(self) -> None:
        if not (isfinite(self.variance) and self.variance > 0.0):
            raise ParameterError("variance", "positive and finite", self.variance)


@dataclass(frozen=True)
class LaplaceLoss:
    """The loss of the Laplace mechanism with sensitivity over scale = ``eps0``, to one round-off.

    ``scale``: with it, the eps0 that is meant is exactly 1/scale; without it, that is the float ``eps0`` itself.
    """

    eps0: float
    scale: float | None = None

    @property
    def exact_eps0(self) -> Fraction:
        """The eps0 that is meant."""
        return Fraction(self.eps0) if self.scale is None else 1 / Fraction(self.scale)


@dataclass(frozen=True, eq=False, slots=True)
class Responses:
    """The losses of independent randomized responses, one for each entry of ``eps0``: many steps in one law.

    ``units``: the relative error of each eps0 in round-offs, at most 8; 0 where the floats are what is meant.
    """

    eps0: Array
    units: float = 0.0

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
