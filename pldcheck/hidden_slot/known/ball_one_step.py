"""One step of any configuration (see :mod:`pldcheck.hidden_slot.replaced.ball_stoploss`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, log

import numpy as np
from scipy.special import ndtr

from ...core.arrays import Array
from .slot_increments import TAIL, Cells, GaussianIncrement


@dataclass(frozen=True)
class Join:
    """The least law that dominates A - 1 - c(B - 1) of every configuration; it has mean zero."""

    s: float
    c: float
    low: float = -inf
    high: float = inf

    @cached_property
    def _removal(self) -> GaussianIncrement:
        return GaussianIncrement(self.s, 1.0, 0.0, -1.0)

    @cached_property
    def _addition(self) -> GaussianIncrement:
        return GaussianIncrement(self.s, 0.0, self.c, self.c)

    @property
    def tie(self) -> float:
        """The place of the atom, where X' = 0."""
        return self.c - 1.0

    @property
    def atom(self) -> float:
        """The mass of the atom."""
        t = log(self.c) / self.s
        return float(ndtr(0.5 * self.s - t) - ndtr(-0.5 * self.s - t))

    @property
    def _atom_error(self) -> float:
        t = log(self.c) / self.s
        return TAIL * (1.0 + t * t) * float(ndtr(0.5 * self.s - t))

    def cells(self, edges: Array) -> Cells:
        """Return the cells between neighbouring edges; an atom at the left edge belongs to the cell."""
        upper, lower = np.maximum(edges, self.tie), np.minimum(edges, self.tie)
        right, left = self._removal.cells(upper), self._addition.cells(lower)
        widths = np.diff(edges)
        masses = right.masses + left.masses
        # A cell that contains the atom starts and ends elsewhere than its parts.
        rises = right.rises + left.rises + right.masses * (upper - edges)[:-1]
        falls = right.falls + left.falls + left.masses * (edges - lower)[1:]
        errors = right.errors + left.errors
        place = int(np.searchsorted(edges, self.tie, side="right")) - 1
        if 0 <= place < masses.size:
            width = widths[place]
            errors[place] += (TAIL * masses[place] + self._atom_error) * width
            # Errors are relative to parts that are narrower than the cell.
            for cells, ends in ((right, upper), (left, lower)):
                part = ends[place + 1] - ends[place]
                if part > 0.0:
                    errors[place] += cells.errors[place] * (width / part)
            masses[place] += self.atom
            rises[place] += self.atom * (self.tie - edges[place])
            falls[place] += self.atom * (edges[place + 1] - self.tie)
        return Cells(masses, rises, falls, errors)

    def below(self, value: float) -> tuple[float, float]:
        """Return P(X <= value) and E[X; X <= value]."""
        if value < self.tie:
            return self._addition.below(value)
        mass, _, excess, _ = self._removal.above(value)
        return 1.0 - mass, -(excess + value * mass)

    def above(self, value: float) -> tuple[float, float, float, float]:
        """Return P(X > value) and E(X - value)_+, each with an absolute error."""
        if value >= self.tie:
            return self._removal.above(value)
        mass, moment = self._addition.below(value)
        error = TAIL * (1.0 + abs(value) + self.c)
        return 1.0 - mass, error, value * mass - moment - value, error

    @cached_property
    def coarse(self) -> tuple[Array, Array]:
        """Values and masses of a coarse law, which is used for planning."""
        (high, p), (low, q) = self._removal.coarse, self._addition.coarse
        right, left = high > self.tie, low < self.tie
        return (
            np.concatenate([low[left], [self.tie], high[right]]),
            np.concatenate([q[left], [self.atom], p[right]]),
        )

    @property
    def variance(self) -> float:
        """The variance of X, approximately."""
        values, masses = self.coarse
        return float(np.sum((np.sqrt(masses) * values) ** 2))  # the square alone may be beyond the range of numbers
