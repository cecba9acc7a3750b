"""Balls in bins: the same part of the records is the batch of the same step in every epoch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from ..core.directed import ends_over_root
from ..core.errors import ParameterError
from ..core.interval import Interval
from ..core.parameters import Parameter, Text, Words
from ..randomizers.gaussian import LEAST_SIGMA
from .answers_at_each import delta_at_each, epsilon_at_each
from .base import Protocol
from .capabilities import (
    MORE_NOISE,
    MORE_RELEASES,
    MORE_SLOTS,
    NOISE_HAS_NO_TABLE,
    Direction,
    Examples,
    falls,
    rises,
    steps_of_epoch,
)
from .pure_epsilon import UNBOUNDED
from .random_allocation import NEIGHBOURS, WIDTH, RandomAllocation


@dataclass(frozen=True)
class BallsInBins(Protocol):
    """Each record is put into one of several bins, once; the same bin is the batch of the same step in every epoch.

    There are ``steps`` bins, chosen uniformly and independently, and ``epochs`` passes over them; all steps are
    released with Gaussian noise, ``sigma`` its deviation over the largest norm of what a record adds to a step, which
    may depend on all earlier outputs.  ``adjacency`` is that of random-allocation: ``remove``, ``add``, ``add-remove``
    or ``replace``.

    It is *not* random-allocation with as many epochs, where bins are drawn anew in each: at sigma 1, 100 bins and 10
    epochs, delta 1e-6, epsilon is 14.8 here and 1.96 there, as an output of one epoch tells which bin to look at in
    all others.

    It is one epoch of random-allocation with the noise sigma / sqrt(epochs), adaptive or not.  Given the past, a step
    multiplies the likelihood ratio of one bin by that of the noise.  If the later vectors do not depend on the past,
    what the later steps make of it is a convex function of that bin's ratio; for two records it is, as well, submodular
    in their two ratios.  So the longest vector is worst at this step, and for two records opposite ones, whatever the
    past is: a shorter one has a conditional expectation of the longest one's ratio, and given both laws, ratios of
    which one falls as the other rises are worst (Tchen 1980).  Expectations keep both properties, so that the argument
    goes back from the last step to the first, and at each the later vectors are the same whatever the past is.  Then
    each bin has the product of as many ratios as there are epochs, the ratio of one vector of length sqrt(epochs).
    """

    steps: int
    sigma: float
    epochs: int = 1
    adjacency: str = "add-remove"
    name: ClassVar[str] = "balls-in-bins"
    numbers: ClassVar[tuple[Parameter, ...]] = (steps_of_epoch("number of bins m, which are the steps of one epoch"),)
    default_width: ClassVar[float] = WIDTH
    adjacencies: ClassVar[tuple[str, ...]] = NEIGHBOURS
    texts: ClassVar[tuple[Words | Text, ...]] = (Words("adjacency", "What becomes of the record", NEIGHBOURS),)
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "steps": falls(MORE_SLOTS, 1000),
            "sigma": falls(MORE_NOISE, 4.0, least=0.5),
            "epochs": rises(MORE_RELEASES, 1),
        }
    )
    unwritten: ClassVar[str] = NOISE_HAS_NO_TABLE
    examples: ClassVar[Examples] = Examples(calibrate=("sigma", 1.0))

    def _check(self) -> None:
        if self._noises[0] < LEAST_SIGMA:
            allowed = f"above {LEAST_SIGMA:g} times the root of epochs = {self.epochs}"
            raise ParameterError("sigma", allowed, self.sigma)

    @property
    def _noises(self) -> tuple[float, float]:
        """The noise of one epoch that is as revealing, rounded down and up."""
        return ends_over_root(self.sigma, self.epochs)

    @property
    def allocations(self) -> tuple[RandomAllocation, RandomAllocation]:
        """One epoch of random allocation that reveals at least as much, and one that reveals at most as much."""
        more, less = (RandomAllocation(self.steps, noise, adjacency=self.adjacency) for noise in self._noises)
        return more, less

    @epsilon_at_each
    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """Return the smallest epsilon such that the steps of all epochs are (epsilon, delta)-DP."""
        more, less = self.allocations
        upper = more.epsilon(delta, width)
        return upper.with_lower(less.epsilon(delta, width), upper.budget)

    def pure_epsilon(self) -> Interval:
        """Return epsilon at delta = 0: infinite, as Gaussian noise has no largest loss."""
        return UNBOUNDED

    @delta_at_each
    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """Return the smallest delta such that the steps of all epochs are (epsilon, delta)-DP."""
        more, less = self.allocations
        upper = more.delta(epsilon, width)
        return upper.with_lower(less.delta(epsilon, width), upper.budget)
