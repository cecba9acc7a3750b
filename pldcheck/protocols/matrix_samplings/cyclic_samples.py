"""Cyclic Poisson samples: a record's batch is known, and it is in the batch with some probability in each epoch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ...core.interval import Interval
from ...hidden_slot import known
from ..noise_mechanisms import SubsampledGaussian
from .one_release import attained_answer, least_noise
from .sampling import Sampling


@dataclass(frozen=True)
class CyclicSamples(Sampling):
    """A record is in its batch with probability ``rate``, anew in each epoch; no two of its columns share a row."""

    name: ClassVar[str] = "cyclic-poisson"
    about: ClassVar[str] = "samples of known batches are drawn"
    has_rate: ClassVar[bool] = True
    is_one_run: ClassVar[bool] = True

    @cached_property
    def _columns(self) -> tuple[float, float]:
        return known.encoder_gram.column_squares(self.encoder, self.steps, self.epochs)

    @property
    def longest_square(self) -> float:
        """The square, rounded up, of the longest column."""
        return self._columns[1]

    def answer(self, quantity: str, at: float, width: float) -> Interval:
        """Return epsilon or delta of samples with the noise over the longest column."""
        return attained_answer(self._run, self.sigma, self._columns, quantity, at)

    @property
    def dominating_run(self) -> SubsampledGaussian:
        """Gaussian noise on the longest column, in samples."""
        return self._run(least_noise(self.sigma, self.longest_square))

    def _run(self, noise: float) -> SubsampledGaussian:
        return SubsampledGaussian(noise, self.rate, self.epochs)
