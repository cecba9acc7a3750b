"""A record's batch is known, and nothing is random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from ...core.interval import Interval
from ...hidden_slot import known
from ..noise_mechanisms import Gaussian
from .one_release import attained_answer, least_noise
from .sampling import Sampling

if TYPE_CHECKING:
    from ...hidden_slot.known.encoder_gram import Gram


@dataclass(frozen=True)
class KnownOrder(Sampling):
    """A record is in the same known step of every epoch."""

    name: ClassVar[str] = "known-order"
    about: ClassVar[str] = "nothing is random"
    has_adjacency: ClassVar[bool] = True
    is_one_run: ClassVar[bool] = True

    @cached_property
    def _gram(self) -> Gram:
        return known.encoder_gram.gram(self.encoder, self.steps, self.epochs)

    @property
    def longest_square(self) -> float:
        """The square, rounded up, of the longest sum of a batch's columns."""
        return float(self._gram.high[0])

    def answer(self, quantity: str, at: float, width: float) -> Interval:
        """Return epsilon or delta of one release with the noise over the longest sum of columns."""
        return attained_answer(Gaussian, self.sigma, (self._gram.longest, self.longest_square), quantity, at)

    @property
    def dominating_run(self) -> Gaussian:
        """Gaussian noise on the longest sum of a batch's columns."""
        return Gaussian(least_noise(self.sigma, self.longest_square))
