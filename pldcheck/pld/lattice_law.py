"""A positive measure on a lattice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array


@dataclass(frozen=True)
class LatticeLaw:
    """A positive measure on the lattice ``step * (first + i)``.

    ``repair``: what was added to each mass to cover round-off (contained in ``mass``; sums to zero, with mean zero).
    """

    step: float
    first: int
    mass: Array
    repair: Array

    @property
    def atoms(self) -> Array:
        """The positions of the masses."""
        return np.asarray(self.step * (self.first + np.arange(self.mass.size)), dtype=np.float64)
