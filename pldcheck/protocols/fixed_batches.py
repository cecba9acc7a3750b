"""Batches of a fixed size, drawn with or without replacement, for one record or a group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from .. import pld
from ..core.parameters import PARAMETERS, Text, Words
from .capabilities import (
    MORE_NOISE,
    MORE_RELEASES,
    NOISE_HAS_NO_TABLE,
    Direction,
    Examples,
    falls,
    rises,
)
from .composed import ComposedMechanism

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution

# How a batch is drawn.
ONCE = "without-replacement"
ANEW = "with-replacement"


@dataclass(frozen=True)
class FixedBatches(ComposedMechanism):
    """Each step runs on a fresh random batch of a fixed size with Gaussian noise; one record or a group is replaced.

    ``batch`` records are drawn of ``records`` + ``group``: different ones, or with ``with-replacement`` each of all of
    them, so that a batch may have a record twice.  The ``group`` records are replaced by others.  ``sigma`` is the
    noise's deviation over what replacing one record of a batch changes at most, which is twice the clipping norm where
    vectors are clipped.  The outputs of all steps are seen, the batches are not.

    For one record without replacement it is subsampled-gaussian with fixed-size samples.  From above an adversary also
    learns in how many places the group is, if it is in the batch at all; from below all other records are equal.  Both
    ends are near each other where more than one place is unlikely (:mod:`pldcheck.pld.places_in_batch` has the proof).
    """

    sigma: float
    records: int
    batch: int
    steps: int = 1
    group: int = 1
    sampling: str = ONCE
    name: ClassVar[str] = "fixed-batches"
    adjacencies: ClassVar[tuple[str, ...]] = ("replace",)
    texts: ClassVar[tuple[Words | Text, ...]] = (
        Words("sampling", "Whether the records of a batch are different, or each is drawn of all", (ONCE, ANEW)),
    )
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "sigma": falls(MORE_NOISE, 1.0, least=0.025),
            "steps": rises(MORE_RELEASES, 100),
        }
    )
    bounds: ClassVar[tuple[str, str]] = (
        "all records but those that are replaced are equal",
        "an adversary who learns in how many places of the batch the group is, if any",
    )
    unwritten: ClassVar[str] = NOISE_HAS_NO_TABLE
    examples: ClassVar[Examples] = Examples(calibrate=("sigma", 1.0))

    @property
    def narrowing(self) -> str:
        """The advice, in words, on how to narrow an answer that is wider than was asked."""
        return "a smaller group or a smaller batch narrows it"

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        batches = pld.places_in_batch
        draw = batches.without_replacement if self.sampling == ONCE else batches.with_replacement
        return draw(self.sigma, self.records, self.batch, self.group).compose(self.steps)

    def with_group(self, records: int) -> tuple[FixedBatches, FixedBatches] | None:
        """Return the same batches of the same records with a larger group twice, or None where it is too large."""
        group = self.group * records
        others = self.records + self.group - group
        if others < 1 or group > PARAMETERS["group"].high:
            return None
        same = replace(self, records=others, group=group)
        return same, same
