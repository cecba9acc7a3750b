"""Poisson samples that are cut to a largest size, as compiled training loops need them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from .. import pld
from .capabilities import MORE_NOISE, MORE_RELEASES, NOISE_HAS_NO_TABLE, Direction, Examples, falls, rises
from .composed import ComposedMechanism

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution


@dataclass(frozen=True)
class TruncatedPoisson(ComposedMechanism):
    """The Gaussian mechanism runs on Poisson samples; of a sample that is too large a random part is used.

    Each record is in the sample with probability ``rate``; if there are more than ``largest_batch``, a random part of
    so many is used, as where a compiled training loop has batches of one size and fills them up.  ``records`` counts
    the records besides the one that is added or removed, and ``sigma`` is the noise's deviation over the largest norm
    of what a record adds.  The outputs of all steps are seen, the samples are not.

    From above, a cut that happens costs as much as replacing a record; from below all other records add nothing.  The
    less likely a cut is, the nearer are both ends to each other and to subsampled-gaussian
    (:mod:`pldcheck.pld.truncated_sample` has the proof).
    """

    sigma: float
    rate: float
    records: int
    largest_batch: int
    steps: int = 1
    name: ClassVar[str] = "truncated-poisson"
    adjacencies: ClassVar[tuple[str, ...]] = ("add-remove",)
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "sigma": falls(MORE_NOISE, 1.0, least=0.05),
            "steps": rises(MORE_RELEASES, 100),
        }
    )
    bounds: ClassVar[tuple[str, str]] = (
        "a Poisson sample of the rate at which the record is used",
        "a Poisson sample, or where it is cut a record replaced",
    )
    unwritten: ClassVar[str] = NOISE_HAS_NO_TABLE
    examples: ClassVar[Examples] = Examples(calibrate=("sigma", 1.0))

    @property
    def narrowing(self) -> str:
        """The advice, in words, on how to narrow an answer that is wider than was asked."""
        return "a larger largest_batch narrows it"

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        return pld.truncated_gaussian(self.sigma, self.rate, self.records, self.largest_batch).compose(self.steps)
