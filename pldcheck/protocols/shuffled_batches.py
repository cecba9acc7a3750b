"""Shuffled batches: every epoch runs through a new random permutation of the records, cut into batches of one size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

from .. import pld
from ..core.errors import ParameterError
from ..core.interval import Interval
from ..core.parameters import Parameter, Text, Words
from ..randomizers.gaussian import LEAST_SIGMA
from .answers_at_each import delta_at_each, epsilon_at_each
from .base import Protocol
from .capabilities import (
    MORE_NOISE,
    MORE_RELEASES,
    NOISE_HAS_NO_TABLE,
    Direction,
    Examples,
    falls,
    rises,
    steps_of_epoch,
)
from .noise_mechanisms import Gaussian
from .pure_epsilon import UNBOUNDED
from .random_allocation import WIDTH, RandomAllocation

# The source of the upper end.
NO_SHUFFLING = "the order revealed: no proof is known that shuffling batches amplifies"
# The sources of lower ends.
LARGEST_OUTPUT = "all others opposite to the record (Chua et al. 2024), seen by the largest output"
OTHERS_OPPOSITE = "all others opposite to the record"
OTHERS_NOTHING = "all others contribute nothing"
NEIGHBOURS = ("zero-out", "replace")


@dataclass(frozen=True)
class ShuffledBatches(Protocol):
    """Every epoch runs through a new random permutation of the records, in batches of one size.

    It is what most training scripts do.  There are ``steps`` batches in each of ``epochs`` epochs; all are released
    with Gaussian noise, ``sigma`` its deviation over the largest norm of what a record adds, which may depend on all
    earlier outputs.  ``adjacency``: ``zero-out`` (the record adds nothing under one of the two laws) or ``replace`` (it
    is changed for another one).

    It is *not* Poisson sampling with the same noise, whose epsilon is usually reported for it: with 1,000 batches and
    sigma 1, one epoch, delta 1e-6, Poisson sampling has 0.186, and shuffled batches have at least 3.72.  Batches have
    one size, so that a batch without the record has another one in its place; where all others are opposite to it, its
    batch stands out by twice its length.

    From below, the largest of three: others opposite to the record, zero-out, seen by the largest output
    (:mod:`pldcheck.pld.largest_batch`); others that contribute nothing, which is random-allocation; and for replacement
    others opposite to the record or to its replacement, random-allocation at half the noise.

    From above the order of the records is revealed: Gaussian noise on one batch in each epoch.  No proof is known that
    shuffling amplifies more.  With 1,000 batches, one epoch, zero-out and delta 1e-6 both ends are within 1 % up to
    sigma 0.7, so that there is nothing to amplify; they part with more noise, more batches and more epochs.
    """

    steps: int
    sigma: float
    epochs: int = 1
    adjacency: str = "zero-out"
    name: ClassVar[str] = "shuffled-batches"
    numbers: ClassVar[tuple[Parameter, ...]] = (steps_of_epoch("number of batches of one epoch"),)
    default_width: ClassVar[float] = WIDTH
    adjacencies: ClassVar[tuple[str, ...]] = NEIGHBOURS
    texts: ClassVar[tuple[Words | Text, ...]] = (Words("adjacency", "What becomes of the record", NEIGHBOURS),)
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "sigma": falls(MORE_NOISE, 4.0, least=0.25),
            "epochs": rises(MORE_RELEASES, 1),
        }
    )
    unwritten: ClassVar[str] = NOISE_HAS_NO_TABLE
    examples: ClassVar[Examples] = Examples(calibrate=("sigma", 4.0))

    def _check(self) -> None:
        least = LEAST_SIGMA * (2.0 if self.adjacency == "replace" else 1.0)
        if self.sigma < least:
            raise ParameterError("sigma", f"at least {least:g} for shuffled batches", self.sigma)

    @property
    def with_known_order(self) -> Gaussian:
        """Gaussian noise once in each epoch: as much is revealed if the order of the batches is known."""
        noise = 0.5 * self.sigma if self.adjacency == "replace" else self.sigma  # halving is exact
        return Gaussian(noise, self.epochs)

    @property
    def narrowing(self) -> str:
        """The advice, in words, on how to narrow an answer that is wider than was asked."""
        return "no proof is known that would lower the upper end"

    @epsilon_at_each
    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """Return the smallest epsilon at a delta.

        Parameters
        ----------
        delta : float in [0, 1), or a sequence of such
            The delta of (epsilon, delta)-DP; 0 asks for pure epsilon.
        width : float in (0, 1)
            Relative width asked of each of the bounds; the distance of both ends is what is not known.

        Returns
        -------
        Interval
            ``sources`` says which data the lower end is from.

        Raises
        ------
        ParameterError
            If ``delta`` is not in [0, 1) or ``width`` not in (0, 1).

        """
        return self._answer("epsilon", delta, width)

    def pure_epsilon(self) -> Interval:
        """Return epsilon at delta = 0: infinite, as Gaussian noise has no largest loss."""
        return UNBOUNDED

    @delta_at_each
    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """Return the smallest delta at an epsilon; ``width`` in delta."""
        return self._answer("delta", epsilon, width)

    def _answer(self, quantity: str, at: float, width: float) -> Interval:
        opposite = self.adjacency == "replace"
        upper: Interval = getattr(self.with_known_order, quantity)(at)
        below = {OTHERS_NOTHING: self._allocation(self.sigma, "replace" if opposite else "add-remove")}
        if opposite:
            below[OTHERS_OPPOSITE] = self._allocation(0.5 * self.sigma, "add-remove")
        lowers = {name: getattr(one, quantity)(at, width).lower for name, one in below.items()}
        if not opposite:
            largest = pld.largest_batch.largest_batch(self.steps, self.sigma).compose(self.epochs)
            lowers[LARGEST_OUTPUT] = getattr(largest, quantity)(at).lower
        source = max(lowers, key=lowers.__getitem__)
        return replace(upper, lower=lowers[source], budget=None, sources=(source, NO_SHUFFLING))

    def _allocation(self, sigma: float, adjacency: str) -> RandomAllocation:
        return RandomAllocation(self.steps, sigma, epochs=self.epochs, adjacency=adjacency)
