"""Balls in bins: a record is in one random batch, the same in all epochs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, ClassVar

from ... import pld
from ...core.directed import Side, enlarge, shrink
from ...core.interval import Interval
from ...hidden_slot import known
from ..noise_mechanisms import Gaussian
from ..random_allocation import RandomAllocation
from .one_release import answer_of, noise_over
from .sampling import Sampling

if TYPE_CHECKING:
    from ...hidden_slot.known.correlated_slots import OneFactor
    from ...hidden_slot.known.encoder_gram import Gram

# The share of delta down to which the curve of an allocation is fine where it is composed.
TAIL = 1e-4
# The least delta for which an allocation is composed.
LEAST_DELTA = 1e-200
# Where delta is asked for, its first estimate.
FIRST_DELTA = 1e-6


@dataclass(frozen=True)
class RandomBins(Sampling):
    """A record is in a batch that is chosen uniformly, once, and not seen.

    Both ends are by Kahane's comparison, with models of :mod:`pldcheck.hidden_slot.known.correlated_slots`.
    """

    name: ClassVar[str] = "balls-in-bins"
    about: ClassVar[str] = "a record stays in a random batch"
    has_adjacency: ClassVar[bool] = True

    @cached_property
    def _gram(self) -> Gram:
        return known.encoder_gram.gram(self.encoder, self.steps, self.epochs)

    @property
    def longest_square(self) -> float:
        """The square, rounded up, of the longest sum of a batch's columns."""
        return float(self._gram.high[0])

    def answer(self, quantity: str, at: float, width: float) -> Interval:
        """Return the largest end of models from below and the smallest of those from above."""
        models = known.correlated_slots.models_below(self._gram), known.correlated_slots.models_above(self._gram)
        below = [(self._model(one, Side.LOWER, quantity, at, width).lower, one) for one in models[0]]
        above = [(self._model(one, Side.UPPER, quantity, at, width).upper, one) for one in models[1]]
        lower, dominated = max(below, key=itemgetter(0))
        upper, dominating = min(above, key=itemgetter(0))
        sources = source_of(dominated, self.steps, Side.LOWER), source_of(dominating, self.steps, Side.UPPER)
        return Interval(lower, upper, quantity, None, None, sources)

    @property
    def dominating_run(self) -> None:
        """No single run dominates it."""
        return None

    def _model(self, one: OneFactor, side: Side, quantity: str, at: float, width: float) -> Interval:
        """Return the answer of a model, with its noise rounded to the side of the end that it is for."""
        answer: Interval
        own = noise_over(self.sigma, one.own, side) if one.own > 0.0 and one.bins > 1 else None
        if own is None:
            whole = one.common + (one.own if one.bins == 1 else 0.0)
            square = enlarge(whole, 2) if side is Side.UPPER else shrink(whole, 2)
            return answer_of(Gaussian, self.sigma, square, side, quantity, at)
        allocation = RandomAllocation(one.bins, own, adjacency=self.adjacency)
        common = noise_over(self.sigma, one.common, side) if one.common > 0.0 else None
        if common is None:
            answer = getattr(allocation, quantity)(at, width)
            return answer
        noise = pld.gaussian(common)

        def ask(delta: float) -> Interval:
            least = max(min(TAIL * delta, 1e-3), LEAST_DELTA)
            answer: Interval = getattr(pld.compose_all([*allocation.losses(least), noise]), quantity)(at)
            return answer

        if quantity == "epsilon":
            return ask(at)
        first = ask(FIRST_DELTA)
        return first if first.upper >= FIRST_DELTA else ask(max(first.upper, LEAST_DELTA))


def source_of(one: OneFactor, steps: int, side: Side) -> str:
    """Return the source of an end that is from a model, in words."""
    allocation = f"random allocation to {one.bins} of {steps} batches"
    if one.bins == 1 and side is Side.UPPER:
        return "Gaussian noise on the longest sum of a batch's columns, the batch revealed"
    if one.own == 0.0 or one.bins == 1:
        return "Gaussian noise on what all batches have in common"
    return allocation if one.common == 0.0 else f"{allocation}, after Gaussian noise on what they have in common"
