"""The facts that a sampling of the matrix mechanism declares, and the answers that it has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from ...core.interval import Interval
from ..noise_mechanisms import Gaussian, SubsampledGaussian


@dataclass(frozen=True)
class Sampling(ABC):
    """The way in which records are used, with the parameters of :class:`~pldcheck.protocols.MatrixMechanism`.

    ``name`` is its name there, and ``about`` says what it does, after "Whether".  ``has_rate`` and ``has_adjacency``:
    whether there are samples of some rate, and one of several adjacencies.  ``is_one_run``: whether a single run of
    Gaussian noise dominates it, which is then about the ``scope`` as well.
    """

    steps: int
    sigma: float
    encoder: str
    epochs: int
    adjacency: str
    rate: float
    name: ClassVar[str]
    about: ClassVar[str]
    has_rate: ClassVar[bool] = False
    has_adjacency: ClassVar[bool] = False
    is_one_run: ClassVar[bool] = False
    scope: ClassVar[str] = "records all of whose columns are the longest one"

    @property
    @abstractmethod
    def longest_square(self) -> float:
        """The square, rounded up, of the longest sum of columns that a record adds at once."""

    @abstractmethod
    def answer(self, quantity: str, at: float, width: float) -> Interval:
        """Return epsilon or delta, with the sources of both ends."""

    @property
    @abstractmethod
    def dominating_run(self) -> Gaussian | SubsampledGaussian | None:
        """A run of Gaussian noise that dominates the mechanism, if a single one does."""
