r"""Laplace noise on a record in [0, 1] that is present or not: the likelihood ratio in closed form.

With scale 1/eps0 and the record at the other end, A under the law without it is :math:`e^{-\epsilon_0}` with
probability 1/2, :math:`e^{\epsilon_0}` with probability :math:`e^{-\epsilon_0}/2`, and has the density
:math:`\frac14 e^{-\epsilon_0/2} a^{-3/2}` in between.  A nearer record's ratio is a conditional expectation of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, expm1

import numpy as np

from ...core.arrays import Array
from ...core.directed import UNIT
from ...core.errors import ParameterError
from .slot_increments import Cells, FiniteIncrement, Increment

# Number of points of the coarse law that is used for planning.
COARSE_POINTS = 400
# Relative error of closed forms.
ERROR = 64 * UNIT


@dataclass(frozen=True)
class LaplaceIncrement:
    """The increment A - 1 (``sign`` 1) or 1 - A (-1)."""

    eps0: float
    sign: float

    @property
    def low(self) -> float:
        """The least value."""
        return expm1(-self.eps0) if self.sign > 0.0 else -expm1(self.eps0)

    @property
    def high(self) -> float:
        """The largest value."""
        return expm1(self.eps0) if self.sign > 0.0 else -expm1(-self.eps0)

    @property
    def _ends(self) -> FiniteIncrement:
        """The two values of positive probability."""
        values = self.sign * np.array([expm1(-self.eps0), expm1(self.eps0)])
        return FiniteIncrement.of(values, np.array([0.5, 0.5 * exp(-self.eps0)]), ERROR)

    @cached_property
    def coarse(self) -> tuple[Array, Array]:
        """Values and masses of a coarse law, which is used for planning."""
        edges = self.sign * np.expm1(self.sign * np.linspace(-self.eps0, self.eps0, COARSE_POINTS + 1))
        cells = self._between(edges)
        values = np.clip(edges[:-1] + cells.rises / cells.masses, edges[:-1], edges[1:])
        ends = self._ends
        atoms = np.concatenate([ends.atoms[:1], values, ends.atoms[1:]])
        return atoms, np.concatenate([ends.masses[:1], cells.masses, ends.masses[1:]])

    @property
    def variance(self) -> float:
        """The number E A^2 - 1, the variance of the likelihood ratio A."""
        # e^eps0/2 + e^(-2 eps0)/2 + (e^eps0 - e^(-2 eps0))/6, less 1: (2 x^3 - 3 x^2 + 1)/(3 x^2) for x = e^eps0,
        # factored
        return (expm1(self.eps0) * exp(-self.eps0)) ** 2 * (2.0 * exp(self.eps0) + 1.0) / 3.0

    def _between(self, edges: Array) -> Cells:
        """Return the cells of the density alone.

        With r the root of A, a cell from u to v has the moments below without cancellation.
        """
        inside = np.clip(edges, self.low, self.high)
        widths = np.diff(inside)
        roots = np.sqrt(np.maximum(1.0 + self.sign * inside, exp(-self.eps0)))
        near, far = (roots[:-1], roots[1:]) if self.sign > 0.0 else (roots[1:], roots[:-1])
        scale, gap = 0.5 * exp(-0.5 * self.eps0), widths / (near + far)
        masses = scale * gap / (near * far)
        left, right = scale * gap * gap / far, scale * gap * gap / near
        rises, falls = (left, right) if self.sign > 0.0 else (right, left)
        # The moments are moved from the clipped edges to those of the arguments.
        rises, falls = rises + masses * (inside[:-1] - edges[:-1]), falls + masses * (edges[1:] - inside[1:])
        # 1 + an edge is rounded: relatively by more where A is small.
        errors = (rises + falls + masses * np.abs(edges[1:])) * _doubt(np.minimum(near, far))
        return Cells(masses, rises, falls, errors)

    def cells(self, edges: Array) -> Cells:
        """Return the cells of X between neighbouring edges, the right one included."""
        one, other = self._between(edges), self._ends.cells(edges)
        return Cells(
            one.masses + other.masses, one.rises + other.rises, one.falls + other.falls, one.errors + other.errors
        )

    def below(self, value: float) -> tuple[float, float]:
        """Return P(X <= value) and E[X; X <= value]."""
        mass, moment = self._ends.below(value)
        if value <= self.low:
            return mass, moment
        cells = self._between(np.array([self.low, min(value, self.high)]))
        return mass + float(cells.masses[0]), moment + float(cells.rises[0] + self.low * cells.masses[0])

    def above(self, value: float) -> tuple[float, float, float, float]:
        """Return P(X > value) and E(X - value)_+, each with an absolute error."""
        mass, mass_error, excess, error = self._ends.above(value)
        if value >= self.high:
            return mass, mass_error, excess, error
        start = max(value, self.low)
        cells = self._between(np.array([start, self.high]))
        more, rise = float(cells.masses[0]), float(cells.rises[0]) + float(cells.masses[0]) * (start - value)
        least = 1.0 + start if self.sign > 0.0 else exp(-self.eps0)
        doubt = float(_doubt(np.sqrt(max(least, exp(-self.eps0)))))
        return mass + more, mass_error + more * doubt, excess + rise, error + (rise + more * abs(value)) * doubt


def _doubt(root: Array) -> Array:
    """Return the relative error of numbers that are computed from the root of A."""
    return np.asarray(ERROR * (1.0 + 1.0 / (root * root)))


@dataclass(frozen=True)
class LaplaceNoise:
    """Noise of scale 1/eps0 about 1 against about 0."""

    eps0: float

    @property
    def removal(self) -> Increment:
        """The increment A - 1."""
        return LaplaceIncrement(self.eps0, 1.0)

    @property
    def addition(self) -> Increment:
        """The increment 1 - A."""
        return LaplaceIncrement(self.eps0, -1.0)

    def replacement(self, c: float) -> Increment:
        """Refuse replacement, which :mod:`pldcheck.hidden_slot.known.bounded_ratio_slot` serves."""
        raise ParameterError("adjacency", "zero-out with this noise", "replace")
