r"""The record added, where all steps must be nearly at their largest value.

.. math:: E\Big(\sum_i (1 - A_i) - K\Big)_+ = R \, E\Big(\sum_i X_i - (m - 1)\Big)_+, \quad
          X_i = 1 - A_i/R, \ R = m - K :

a step with A_i >= R leaves nothing to the others, which are at most 1 each, and is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, log

import numpy as np
from scipy.special import ndtr

from ..kernels.increments import gaussian_cells
from ..laws import Array
from .increments import TINY, Cells, GaussianIncrement
from .sums import bounded_exp

# Points of the coarse law; how far it reaches: in logs of A, in deviations, and where there are no numbers left.
COARSE, REACH, STRAY, FARTHEST = 240, 12.0, 4.0, 38.0
# Deviations of A above its median up to which a room is small.
WITHIN = 2.0
# Cells that moments are summed over.
PARTS = 256
# Relative error of a mass, about: twelve times what its exponent is rounded by.
ERROR = 1e-11


def is_near(s: float, room: float) -> bool:
    """Whether most steps leave something to the others."""
    return 0.0 < room <= exp(min(s, WITHIN) * s - 0.5 * s * s)


def quickly(increment: NearLargest) -> float:
    """At least R E(sum - (m - 1))_+, which is at most R P(A < R)^m."""
    log_mass = log(max(float(ndtr(-increment.start)), TINY))
    size = increment.count * abs(log_mass) + abs(log(increment.room))
    return bounded_exp(log(increment.room) + increment.count * (log_mass + ERROR), size)


@dataclass(frozen=True, eq=False)
class NearLargest:
    """1 - A/room where it is positive, a measure; ``count`` steps are planned for."""

    s: float
    room: float
    count: int

    @property
    def low(self) -> float:
        """The infimum of X."""
        return 0.0

    @property
    def high(self) -> float:
        """The supremum of X."""
        return 1.0

    @property
    def variance(self) -> float:
        """A scale: sums are planned for on that of the room."""
        return 1.0 / self.count

    @cached_property
    def whole(self) -> GaussianIncrement:
        """With what is left out."""
        return GaussianIncrement(self.s, 0.0, 1.0 / self.room, 1.0)

    @property
    def start(self) -> float:
        """Where X is 0, in z."""
        return float(self.whole.places(np.array([-1.0]))[0])

    @cached_property
    def coarse(self) -> tuple[Array, Array]:
        """Values and masses of a coarse law, to plan with."""
        last = min((log(self.count) + REACH) / self.s + STRAY, max(FARTHEST - self.start, 1.0))
        z = self.start + last * np.linspace(0.0, 1.0, COARSE + 1)
        return self.whole.values(np.append(z[:1], 0.5 * (z[1:] + z[:-1])[1:])).clip(0.0), -np.diff(ndtr(-z))

    def cells(self, edges: Array) -> Cells:
        """X between neighbouring edges."""
        return self.whole.cells(edges)

    def below(self, value: float) -> tuple[float, float]:
        """P(0 < X <= value) and E[X; 0 < X <= value], of positive terms."""
        if value <= 0.0:
            return 0.0, 0.0
        last = float(self.whole.points(np.array([min(value, 1.0)]))[0])
        z = np.linspace(self.start, min(last, self.start + FARTHEST), PARTS + 1)
        edges = self.whole.values(z)
        masses, rises, _, _ = gaussian_cells(0.0, self.whole.down, self.s, z, edges - 1.0)
        return float(masses.sum()), float((rises + edges[:-1] * masses).sum())

    def above(self, value: float) -> tuple[float, float, float, float]:
        """P(X > value) and E(X - value)_+, each with an absolute error."""
        return self.whole.above(value)
