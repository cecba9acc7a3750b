"""The law of a matrix mechanism's rows, of which estimates ask for draws, tilted draws and likelihood ratios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

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


class RowLaw(Protocol):
    """The law of all rows over the noise's deviation, with the record in one direction or without it."""

    @property
    def rows(self) -> int:
        """The number of rows."""

    @property
    def own(self) -> Tilt:
        """The tilt that changes nothing."""

    @property
    def tilts(self) -> Sequence[Sequence[Tilt]]:
        """The tilts that are tried, in series, each of which begins with the least."""

    def against(self, tilt: Tilt) -> Array:
        """Return a mean of the noise that makes the ratios of draws without the record small."""

    def add(self, rows: Array, moved: NDArray, tilt: Tilt, draw: Generator) -> None:
        """Add what the record adds to draws of the noise, a line each: by the tilted law where they are ``moved``."""

    def log_ratio(self, rows: Array, tilt: Tilt) -> Array:
        """Return the logarithm of the density of a tilted law over that of the noise, of every draw."""
