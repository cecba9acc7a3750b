r"""The record added, where all steps must be nearly at their largest value.

.. math:: E\Big(\sum_i (1 - A_i) - K\Big)_+ = R \, E\Big(\sum_i X_i - (m - 1)\Big)_+, \quad
          X_i = 1 - A_i/R, \ R = m - K :

where a step has A_i >= R the sum cannot exceed K, as the others are at most 1 each: such steps are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp, isfinite, log, sqrt

import numpy as np
from scipy.special import ndtr

from ...core.arrays import Array
from ...core.directed import UNIT, exp_upper
from ...kernels.gaussian_cells import gaussian_cells
from .slot_increments import TAIL, TINY, Cells, GaussianIncrement

# Number of points of the coarse law.
COARSE_POINTS = 240
# Range of the coarse law, in logs of A.
COARSE_LOGS = 12.0
# Range of the coarse law, in deviations.
COARSE_DEVIATIONS = 4.0
# Deviations beyond which probabilities underflow.
FARTHEST = 38.0
# Deviations of A above its median up to which a room is small.
WITHIN = 2.0
# Moments are summed over cells short enough for gaussian_cells to sum positive terms: lengths times (|z| + s + 1) are
# at most half of this.
LONGEST_CELL = 0.9
# Moments are summed until a tail has fallen by the factor e to minus this.
TAIL_FALL = 60.0


def is_near(s: float, room: float) -> bool:
    """Return whether most steps leave room for the others."""
    return 0.0 < room <= exp(min(s, WITHIN) * s - 0.5 * s * s)


def quick_bound(increment: NearLargest) -> float:
    """Return R P(A < R)^m, rounded up, which is an upper bound of R E(sum - (m - 1))_+."""
    start, s = increment.start, increment.s
    # The error of the place is that of sz in :func:`edge_rounding`; the tail there has its own error.
    first = start - UNIT * (16.0 + 4.0 * s * (abs(start) + s)) / s if isfinite(start) else start
    log_mass = log(max(min(float(ndtr(-first)) * (1.0 + TAIL), 1.0), TINY))
    size = increment.count * abs(log_mass) + abs(log(increment.room))
    return exp_upper(log(increment.room) + increment.count * log_mass, size)


@dataclass(frozen=True, eq=False)
class NearLargest:
    """The law of 1 - A/room where that is positive, a measure; ``count`` steps are planned for."""

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
        """A squared scale for planning: the deviation of the sum is taken as 1, which is the room."""
        return 1.0 / self.count

    @cached_property
    def whole(self) -> GaussianIncrement:
        """The increment without the restriction to positive values."""
        return GaussianIncrement(self.s, 0.0, 1.0 / self.room, 1.0)

    @property
    def start(self) -> float:
        """The point z at which X is 0."""
        return float(self.whole.places(np.array([-1.0]))[0])

    @cached_property
    def coarse(self) -> tuple[Array, Array]:
        """Values and masses of a coarse law, which is used for planning."""
        last = min((log(self.count) + COARSE_LOGS) / self.s + COARSE_DEVIATIONS, max(FARTHEST - self.start, 1.0))
        z = self.start + last * np.linspace(0.0, 1.0, COARSE_POINTS + 1)
        return self.whole.values(np.append(z[:1], 0.5 * (z[1:] + z[:-1])[1:])).clip(0.0), -np.diff(ndtr(-z))

    def cells(self, edges: Array) -> Cells:
        """Return the cells of X between neighbouring edges."""
        return self.whole.cells(edges)

    def below(self, value: float) -> tuple[float, float]:
        """Return P(0 < X <= value) and E[X; 0 < X <= value], as sums of positive terms."""
        if value <= 0.0:
            return 0.0, 0.0
        last = float(self.whole.points(np.array([min(value, 1.0)]))[0])
        z = self._grid(last)
        edges = self.whole.values(z)
        masses, rises, _, _ = gaussian_cells(0.0, self.whole.down, self.s, z, edges - 1.0)
        return float(masses.sum()), float((rises + edges[:-1] * masses).sum())

    def _grid(self, last: float) -> Array:
        """Return points from where X is 0, evenly spaced in (z + shift)^2; the mass beyond them is negligible."""
        start, shift = self.start, self.s + 2.0 * WITHIN + 1.0
        far = sqrt(max(start, 0.0) ** 2 + 2.0 * TAIL_FALL)
        first, end = (start + shift) ** 2, (max(min(last, far), start) + shift) ** 2
        return np.sqrt(np.linspace(first, end, ceil((end - first) / LONGEST_CELL) + 1)) - shift

    def above(self, value: float) -> tuple[float, float, float, float]:
        """Return P(X > value) and E(X - value)_+, each with an absolute error."""
        return self.whole.above(value)
