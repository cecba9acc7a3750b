r"""The rows of a matrix mechanism with balls in bins: :math:`S = \frac1m \sum_j e^{\mu_j \cdot Z - |\mu_j|^2/2}`.

:math:`\mu_j` is what a record of bin j adds to all rows, over sigma, and Z the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import logsumexp

from ...core.arrays import Array
from ...hidden_slot.known.encoder_gram import bin_vectors
from ...protocols import MatrixMechanism
from .row_laws import Tilt

# The factors by which what a record adds is multiplied, as they are tried.
FACTORS = (0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0)


@dataclass(frozen=True, eq=False)
class BinRows:
    """The law of rows to which one of ``vectors`` is added, chosen uniformly."""

    vectors: Array

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.vectors.shape[1])

    @property
    def own(self) -> Tilt:
        """The tilt that changes nothing."""
        return Tilt()

    @property
    def tilts(self) -> tuple[tuple[Tilt, ...], ...]:
        """One series of factors."""
        return (tuple(Tilt(factor) for factor in FACTORS),)

    def against(self, tilt: Tilt) -> Array:
        """Return the mean of the vectors, times less than nothing."""
        mean: Array = -tilt.factor * self.vectors.mean(axis=0)
        return mean

    def add(self, rows: Array, moved: NDArray[np.bool_], tilt: Tilt, draw: Generator) -> None:
        """Add a random vector, times the factor of the tilt where a draw is moved."""
        chosen = self.vectors[draw.integers(self.vectors.shape[0], size=rows.shape[0])]
        rows += np.where(moved, tilt.factor, 1.0)[:, None] * chosen

    def log_ratio(self, rows: Array, tilt: Tilt) -> Array:
        """Return the log of the density of the mixture of means, times the factor, over that of the noise."""
        squares = np.sum(self.vectors * self.vectors, axis=1)
        exponents = tilt.factor * rows @ self.vectors.T - 0.5 * tilt.factor**2 * squares
        logs: Array = logsumexp(exponents, axis=1) - log(self.vectors.shape[0])
        return logs


def bin_rows(protocol: MatrixMechanism) -> BinRows:
    """Return the law of the rows of a mechanism with balls in bins; raise ParameterError for too many steps."""
    return BinRows(bin_vectors(protocol.encoder, protocol.steps, protocol.epochs) / protocol.sigma)
