"""A part of a training run with one batch size and one noise, and what follows from it by arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..core.directed import float_above, float_below
from ..hidden_slot.known.likelihood_epochs import least_of

# The least delta of a run for which losses are formed where a question asks for delta: smaller ones are wider.
LEAST_DELTA = 1e-10


@dataclass(frozen=True)
class Phase:
    """Some epochs with one batch size and one noise.

    Attributes
    ----------
    records : int
        Number of records of the training set.
    batch : int
        Batch size, at most ``records``.
    epochs : int
        Number of passes over the data.
    sigma : float
        Noise multiplier: standard deviation of the noise over the clipping norm.

    """

    records: int
    batch: int
    epochs: int
    sigma: float

    @property
    def batches(self) -> int:
        """The number of batches of one epoch, a smaller last one included: ``records / batch``, rounded up."""
        return -(-self.records // self.batch)

    @property
    def full_batches(self) -> int:
        """The number of batches of full size in one epoch."""
        return self.records // self.batch

    @property
    def last_batch(self) -> int:
        """The number of records of the last batch where the data are cut into batches."""
        return self.records - (self.batches - 1) * self.batch

    @property
    def steps(self) -> int:
        """The number of steps of all epochs."""
        return self.batches * self.epochs

    @property
    def rates(self) -> tuple[float, float]:
        """Floats around the share of the records that a batch has, ``batch / records``."""
        share = Fraction(self.batch, self.records)
        return float_below(share), float_above(share)

    @property
    def rates_of_loader(self) -> tuple[float, float]:
        """Floats around one over the number of batches, which Opacus takes for the rate."""
        share = Fraction(1, self.batches)
        return float_below(share), float_above(share)


def least_of_an_epoch(delta: float | None, phases: Sequence[Phase]) -> float:
    """Return the delta of one epoch below which its loss need not be fine, for a delta of the run if it is known."""
    return least_of(LEAST_DELTA if delta is None else delta, sum(phase.epochs for phase in phases))
