"""Random allocation of Gaussian noise: a record takes part in one uniform step of many, or in several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from .. import hidden_slot, pld
from ..core.directed import ends_over_root
from ..core.errors import ParameterError
from ..core.interval import Interval
from ..core.parameters import Parameter, Text, Words, parse
from ..hidden_slot import known
from ..randomizers.gaussian import LEAST_SIGMA
from .answers_at_each import delta_at_each, epsilon_at_each
from .base import Protocol
from .capabilities import (
    MIXTURE,
    MORE_NOISE,
    MORE_RELEASES,
    MORE_SELECTED,
    MORE_SLOTS,
    NOISE_HAS_NO_TABLE,
    SLOTS,
    Direction,
    Examples,
    falls,
    rises,
)
from .pure_epsilon import UNBOUNDED

if TYPE_CHECKING:
    from ..hidden_slot.known.allocation_closed_form import Bounds
    from ..hidden_slot.known.neighbour_pairs import Slots
    from ..pld import PrivacyLossDistribution

# Below this, sums of steps are not formed, because their masses leave double precision: bounds in closed form answer.
LEAST_DELTA = 1e-280
NEIGHBOURS = ("remove", "add", "add-remove", "replace")
WIDTH = 1e-4


@dataclass(frozen=True)
class RandomAllocation(Protocol):
    r"""Each record joins a few steps, chosen uniformly in every epoch; all steps are released with Gaussian noise.

    It joins ``selected`` of the ``steps`` steps of each of ``epochs`` epochs.  ``sigma``: the noise's deviation over
    the largest norm of what a record adds to a step, which may depend on all earlier outputs.  ``check_in_prob``: the
    probability that the record takes part at all.  ``adjacency``: ``remove`` (the record is there under P and not under
    Q), ``add`` (the reverse), ``add-remove`` (the worse), or ``replace`` (another one is there, its contribution
    anywhere in the same ball: opposite vectors are worst).

    All four are exact for one selected step.  For more, the upper end is that of as many compositions of one step among
    ``steps``/``selected`` (Feldman and Shenfeld 2025), the lower end that of one selected step, of the sum of all
    steps, or of a test on the sum of their scores (:mod:`pldcheck.hidden_slot.known.score_test`): each reveals less.
    """

    steps: int
    sigma: float
    selected: int = 1
    epochs: int = 1
    check_in_prob: float = 1.0
    adjacency: str = "add-remove"
    name: ClassVar[str] = "random-allocation"
    numbers: ClassVar[tuple[Parameter, ...]] = (SLOTS,)
    default_width: ClassVar[float] = WIDTH

    adjacencies: ClassVar[tuple[str, ...]] = NEIGHBOURS
    texts: ClassVar[tuple[Words | Text, ...]] = (Words("adjacency", "What becomes of the record", NEIGHBOURS),)
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "steps": falls(MORE_SLOTS, 1000, least="selected"),
            "sigma": falls(MORE_NOISE, 1.0, least=0.1),
            "selected": rises(MORE_SELECTED, 1, most="steps", unproved_at=("adjacency", "replace")),
            "epochs": rises(MORE_RELEASES, 1),
            "check_in_prob": rises(MIXTURE, 0.1),
        }
    )
    unwritten: ClassVar[str] = NOISE_HAS_NO_TABLE
    examples: ClassVar[Examples] = Examples(calibrate=("sigma", 1.0), compare="--steps 100 --sigma 2 --delta 1e-6")

    def _check(self) -> None:
        if self.sigma < LEAST_SIGMA:
            raise ParameterError("sigma", f"at least {LEAST_SIGMA:g} for random allocation", self.sigma)
        if self.selected > self.steps:
            raise ParameterError("selected", f"at most steps = {self.steps}", self.selected)
        if self.selected > 1 and self.check_in_prob < 1.0:
            raise ParameterError("selected", "1 with a check-in probability below 1", self.selected)

    @property
    def narrowing(self) -> str:
        """The advice, in words, on how to narrow an answer that is wider than was asked."""
        return super().narrowing if self.selected == 1 else f"{super().narrowing}; at selected = 1 it is narrower"

    def losses(self, delta: float) -> tuple[PrivacyLossDistribution, ...]:
        """Return all epochs as privacy loss distributions that can be composed with other mechanisms.

        For several selected steps there are two, whose lower sides are those of one selected step and of the sum of all
        steps.

        Parameters
        ----------
        delta : float in (0, 1)
            The least one that will be asked of the composition; below it the loss is coarse.

        """
        least = parse(delta=delta)["delta"]
        if self._bounds.exact:
            return (self._gaussian(self.sigma).compose(self.selected * self.epochs),)
        epochs = known.likelihood_epochs
        if self.selected == 1:
            return (epochs.one_epoch(self._slots, least).compose(self.epochs),)
        curves = epochs.curves_of(self._slots, self._parts)
        above = epochs.dominating_loss(self._slots, self._parts, least, curves)
        # The sum moves by ``selected`` vectors, with the noise of all steps.
        noise_of_sum = ends_over_root(self.sigma, Fraction(self.selected**2, self.steps))[1]
        of_sum = pld.loss_sides.Attained(self._gaussian(noise_of_sum).compose(self.epochs))
        of_one_step = epochs.attained_loss(self._slots, self.epochs, least, curves)
        return tuple(pld.loss_sides.between(below, above) for below in (of_one_step, of_sum))

    def _gaussian(self, sigma: float) -> PrivacyLossDistribution:
        """Return the loss of Gaussian noise on the record's vector, or on the vector and its opposite."""
        return pld.gaussian(0.5 * sigma if self.adjacency == "replace" else sigma)

    @epsilon_at_each
    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """Return the smallest epsilon such that the released steps are (epsilon, delta)-DP.

        Parameters
        ----------
        delta : float in [0, 1), or a sequence of such
            The delta of (epsilon, delta)-DP; 0 asks for pure epsilon.
        width : float in (0, 1)
            Relative width asked of the interval in epsilon.  With epochs it is what the curve of one of them allows.

        Returns
        -------
        Interval
            With the error budget; ``sources`` says which neighbours the ends are from.

        Raises
        ------
        ParameterError
            If ``delta`` is not in [0, 1) or ``width`` not in (0, 1).

        """
        values, bounds = parse(delta=delta, width=width), self._bounds
        delta = values["delta"]
        if bounds.exact or delta < LEAST_DELTA:
            return known.allocation_closed_form.answer(bounds, "epsilon", delta)
        interval = hidden_slot.known_slot_answers.epsilon(self._slots, self._parts, self.epochs, delta, values["width"])
        return self._with_score_test(known.allocation_closed_form.tighten(interval, bounds, delta), delta)

    def pure_epsilon(self) -> Interval:
        """Return epsilon at delta = 0: infinite, but for a record that is added and may not take part at all."""
        return super().pure_epsilon() if self.adjacency == "add" and self.check_in_prob < 1.0 else UNBOUNDED

    @delta_at_each
    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """Return the smallest delta such that the released steps are (epsilon, delta)-DP; ``width`` in delta."""
        values, bounds = parse(epsilon=epsilon, width=width), self._bounds
        epsilon = values["epsilon"]
        if bounds.exact or bounds.above(epsilon) < LEAST_DELTA:
            return known.allocation_closed_form.answer(bounds, "delta", epsilon)
        interval = hidden_slot.known_slot_answers.delta(self._slots, self._parts, self.epochs, epsilon, values["width"])
        return self._with_score_test(known.allocation_closed_form.tighten(interval, bounds, epsilon), epsilon)

    def _with_score_test(self, interval: Interval, target: float) -> Interval:
        """Return the answer with the lower end of a test on all outputs, for several selected steps."""
        if self.selected == 1:
            return interval
        test = known.score_test.ScoreTest(self.steps, self.sigma, self.selected, self.epochs, self.adjacency)
        return known.score_test.tighten(interval, test, target)

    @property
    def _bounds(self) -> Bounds:
        return known.allocation_closed_form.Bounds(
            self.steps, self.sigma, self.selected, self.epochs, self.check_in_prob, self.adjacency
        )

    @property
    def _slots(self) -> Slots:
        noise = known.noise_ratios.GaussianNoise(1.0 / self.sigma)
        return known.neighbour_pairs.Slots(noise, self.steps, self.check_in_prob, self.adjacency)

    @property
    def _parts(self) -> tuple[tuple[int, int], ...]:
        """Pairs (steps, copies): one step among so many, so often composed, bounds the loss from above."""
        each, more = divmod(self.steps, self.selected)
        parts = ((each, (self.selected - more) * self.epochs), (each + 1, more * self.epochs))
        return tuple(part for part in parts if part[1])
