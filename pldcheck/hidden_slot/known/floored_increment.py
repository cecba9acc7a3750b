r"""Increments that cannot be small if the sum is to exceed its threshold.

With h the largest value of each of m increments and K the threshold, :math:`(\sum X_i - K)_+` is the same for max(X, f)
in the place of X, f = K - (m - 1) h: where some X_i is at most f, both are 0.  The raised law is much narrower where
nearly all steps must be nearly at their largest value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...core.arrays import Array
from ...core.directed import roundoff
from .slot_increments import Cells, Increment


@dataclass(frozen=True, eq=False)
class FlooredIncrement:
    """The law of max(X, low) for the X of ``base``."""

    base: Increment
    low: float

    @property
    def high(self) -> float:
        """The largest value."""
        return self.base.high

    @cached_property
    def _atom_and_rise(self) -> tuple[float, float]:
        """The mass at ``low``, and the amount by which the mean is raised."""
        mass, moment = self.base.below(self.low)
        return mass, self.low * mass - moment

    @cached_property
    def coarse(self) -> tuple[Array, Array]:
        """Values and masses of a coarse law, which is used for planning."""
        values, masses = self.base.coarse
        above_floor = values > self.low
        floor_mass = float(masses[~above_floor].sum())
        return np.append(self.low, values[above_floor]), np.append(floor_mass, masses[above_floor])

    @property
    def variance(self) -> float:
        """An approximate variance."""
        values, masses = self.coarse
        return float(masses @ (values - masses @ values) ** 2)

    def cells(self, edges: Array) -> Cells:
        """Return the cells of X between neighbouring edges, the right one included."""
        inside = np.maximum(edges, self.low)
        cells = self.base.cells(inside)
        rises = cells.rises + cells.masses * (inside[:-1] - edges[:-1])
        falls = cells.falls + cells.masses * (edges[1:] - inside[1:])
        masses, errors = cells.masses.copy(), cells.errors + roundoff(8, rises + falls)
        place = int(np.searchsorted(edges, self.low, side="left")) - 1
        if 0 <= place < masses.size:
            mass, _ = self._atom_and_rise
            masses[place] += mass
            rises[place] += mass * (self.low - edges[place])
            falls[place] += mass * (edges[place + 1] - self.low)
            errors[place] += roundoff(64, mass) * (abs(edges[place]) + abs(edges[place + 1]))
        return Cells(masses, rises, falls, errors)

    def below(self, value: float) -> tuple[float, float]:
        """Return P(X <= value) and E[X; X <= value]."""
        if value < self.low:
            return 0.0, 0.0
        mass, moment = self.base.below(value)
        return mass, moment + self._atom_and_rise[1]

    def above(self, value: float) -> tuple[float, float, float, float]:
        """Return P(X > value) and E(X - value)_+, each with an absolute error."""
        if value >= self.low:
            return self.base.above(value)
        _, _, excess, error = self.base.above(self.low)
        rest = self.low - value
        return 1.0, 0.0, excess + rest, error + roundoff(4, excess + abs(self.low) + abs(value))
