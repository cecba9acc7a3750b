"""The law of a matrix mechanism's rows, of which estimates ask for draws, tilted draws and likelihood ratios."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ...core.arrays import Array


@dataclass(frozen=True)
class Tilt:
    """A law in which the record adds ``factor`` times as much, or is used with probability ``rate``.

    ``shift``: how many deviations the noise is moved along the mean of what the record adds.
    """

    factor: float = 1.0
    rate: float = 1.0
    shift: float = 0.0


class RowLaw(ABC):
    """The law of all rows over the noise's deviation, with the record in one direction or without it.

    ``rows`` is their number.  ``own`` is the tilt that changes nothing, and ``tilts`` has those that are tried, in
    series, each of which begins with the least.
    """

    @property
    @abstractmethod
    def rows(self) -> int:
        """The number of rows."""

    @property
    @abstractmethod
    def own(self) -> Tilt:
        """The tilt that changes nothing."""

    @property
    @abstractmethod
    def tilts(self) -> Sequence[Sequence[Tilt]]:
        """The tilts that are tried."""

    @abstractmethod
    def against(self, tilt: Tilt) -> Array:
        """Return a mean of the noise that makes the ratios of draws without the record small."""

    @abstractmethod
    def add(self, rows: Array, moved: NDArray[np.bool_], tilt: Tilt, draw: Generator) -> None:
        """Add what the record adds to draws of the noise: by the tilted law where they are ``moved``, else by its own.

        Parameters
        ----------
        rows : array
            One draw of all rows a line; changed in place.
        moved : array of bool
        tilt : Tilt
        draw : Generator

        """

    @abstractmethod
    def log_ratio(self, rows: Array, tilt: Tilt) -> Array:
        """Return the logarithm of the density of a tilted law over that of the noise, of every draw."""
