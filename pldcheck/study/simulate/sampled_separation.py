r"""The rows of a matrix mechanism whose uses of a record are far apart: their likelihood ratio, step by step.

In each step a record that was in none of the b - 1 before is used with probability p.  Columns c_s of the encoder, over
sigma, at a distance of at least b have no row in common, so that the ratio of a set of uses is the product of
:math:`A_s = e^{c_s \cdot Z - |c_s|^2/2}`.  Let F_t be the sum of probability times ratio over all uses before step t
after which the record may be used in it.  Then

.. math:: F_{t+1} = (1 - p) F_t + p A_{t+1-b} F_{t+1-b}, \qquad S = F_{T+1} + \sum_{s > T+1-b} p A_s F_s .

A tilted law has another p, and t c_s for c_s or noise that is moved along the mean of what the record adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, log, log1p

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import logsumexp

from ...core.arrays import Array
from ...hidden_slot.known.encoder_gram import separated_vectors
from ...protocols import MatrixMechanism
from .row_laws import Tilt

# How many times as often a record is used in the series of tilts, but for rates above the highest.
OFTEN = (1.0, 1.5, 2.0, 3.0, 5.0, 8.0)
# The factors of what a use adds, as they are tried.
FACTORS = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
# How many deviations the noise is moved, as they are tried.
SHIFTS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 7.0, 8.0, 10.0, 12.0)
HIGHEST_RATE = 0.8
# No vector that is used is shorter than this.
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class SeparatedRows:
    """The law of rows whose uses are at least ``gap`` apart: the first rows from step s on have the vector s added."""

    vectors: Array
    gap: int
    rate: float

    @property
    def rows(self) -> int:
        """The number of rows, which is that of steps."""
        return int(self.vectors.shape[0])

    @property
    def own(self) -> Tilt:
        """The tilt that changes nothing."""
        return Tilt(rate=self.rate)

    @property
    def tilts(self) -> tuple[tuple[Tilt, ...], ...]:
        """A series of shifts, and one of factors, for each rate."""
        rates = [self.rate, *(often * self.rate for often in OFTEN[1:] if often * self.rate <= HIGHEST_RATE)]
        moved = [tuple(Tilt(rate=rate, shift=shift) for shift in SHIFTS) for rate in rates]
        return (*moved, *(tuple(Tilt(factor, rate) for factor in FACTORS) for rate in rates))

    def against(self, tilt: Tilt) -> Array:
        """Return a mean that is so many deviations the other way."""
        mean: Array = -tilt.shift * self._direction
        return mean

    @cached_property
    def _direction(self) -> Array:
        """The mean of what the record adds, over its length."""
        free, whole = np.zeros(self.rows + self.gap), np.zeros(self.rows)
        free[0] = 1.0  # the probability that the record may be used in a step
        for step in range(self.rows):
            free[step + 1] += (1.0 - self.rate) * free[step]
            if step + self.gap < free.size:
                free[step + self.gap] += self.rate * free[step]
            width = min(self.vectors.shape[1], self.rows - step)
            whole[step : step + width] += self.rate * free[step] * self.vectors[step, :width]
        unit: Array = whole / max(float(np.linalg.norm(whole)), TINY)
        return unit

    def add(self, rows: Array, moved: NDArray[np.bool_], tilt: Tilt, draw: Generator) -> None:
        """Add the columns of random uses, of the tilted law where a draw is moved."""
        rows[moved] += tilt.shift * self._direction
        factors, rates = np.where(moved, tilt.factor, 1.0), np.where(moved, tilt.rate, self.rate)
        free_from = np.zeros(rows.shape[0])  # the first step in which a draw's record may be used
        for step in range(self.rows):
            used = np.flatnonzero((draw.random(rows.shape[0]) < rates) & (free_from <= step))
            if used.size:
                width = min(self.vectors.shape[1], self.rows - step)
                rows[used, step : step + width] += factors[used, None] * self.vectors[step, :width]
                free_from[used] = step + self.gap

    def log_ratio(self, rows: Array, tilt: Tilt) -> Array:
        """Return the log of the density of the tilted law over that of the noise, by the recursion."""
        count, steps = rows.shape
        # The noise that is moved has this density over the noise, and rows without the shift have the ratio S.
        moved = tilt.shift * (rows @ self._direction) - 0.5 * tilt.shift**2
        centred = (rows - tilt.shift * self._direction).T
        products = np.zeros((steps, count))
        for place in range(self.vectors.shape[1]):
            products[: steps - place] += centred[place:] * self.vectors[: steps - place, place, None]
        squares = np.sum(self.vectors * self.vectors, axis=1)[:, None]
        used = log(tilt.rate) + tilt.factor * products - 0.5 * tilt.factor**2 * squares
        not_used = log1p(-tilt.rate) if tilt.rate < 1.0 else -inf
        free = np.full((steps + 1, count), -inf)
        free[0] = 0.0
        for step in range(1, steps + 1):
            free[step] = not_used + free[step - 1]
            if step >= self.gap:
                np.logaddexp(free[step], used[step - self.gap] + free[step - self.gap], out=free[step])
        last = max(steps + 1 - self.gap, 0)
        logs: Array = moved + logsumexp(np.vstack([free[-1:], used[last:] + free[last:-1]]), axis=0)
        return logs


def separated_rows(protocol: MatrixMechanism) -> SeparatedRows:
    """Return the law of the rows of a mechanism with b-min-sep; raise ParameterError for too many steps."""
    steps, gap = protocol.steps * protocol.epochs, protocol.steps
    return SeparatedRows(separated_vectors(protocol.encoder, steps, gap) / protocol.sigma, gap, protocol.rate)
