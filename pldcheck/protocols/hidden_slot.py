"""One hidden slot: the record is used in one of ``steps`` slots, all of them released."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from .. import hidden_slot
from ..core.errors import ParameterError
from ..core.interval import Interval
from ..core.parameters import Parameter, Text, Words, parse
from ..randomizers import DiscreteGaussian, Gaussian, Laplace, Randomizer, Response, Worst, randomizer_text
from .answer_relations import Relation
from .answers_at_each import delta_at_each, epsilon_at_each
from .base import Protocol
from .capabilities import (
    LARGER_BUDGET,
    MIXTURE,
    MORE_RELEASES,
    MORE_SLOTS,
    ONE_OF_ITS_BUDGET,
    SLOTS,
    WORST_BOUNDS,
    Direction,
    Examples,
    falls,
    rises,
)
from .pure_epsilon import UNBOUNDED, repeated

if TYPE_CHECKING:
    from ..hidden_slot.hidden_slot_problem import HiddenSlotProblem
    from ..pld import PrivacyLossDistribution

ADJACENCIES = ("replace", "zero-out")
# The reason why zero-out is no worse than replacement.
REFERENCE_IS_A_RECORD = "the reference record is one of those that the record may be replaced by"
# The parameter of hidden slots and of check-ins to them.
RANDOMIZER = Text(
    "randomizer",
    f"What each client runs: {randomizer_text.forms(randomizer_text.IN_HIDDEN_SLOTS)}.",
    beginnings=randomizer_text.beginnings(randomizer_text.IN_HIDDEN_SLOTS),
)


@dataclass(frozen=True)
class HiddenSlot(Protocol):
    r"""A record sits in one slot, chosen uniformly, and is used there with probability ``weight``.

    There are ``steps`` slots. Every slot is released through an ``eps0``-DP randomizer that sees all earlier outputs;
    the other slots hold known reference records.  ``epsilon`` and ``delta`` are those of the worst of all such adaptive
    randomizers:

    .. math:: \delta(\epsilon) = \sup E_{Q_0}\Big[1 + \tfrac1m \sum_i w(a_i - 1)
              - e^\epsilon \big(1 + \tfrac1m \sum_i w(a'_i - 1)\big)\Big]_+

    ``randomizer``: an object of :mod:`pldcheck.randomizers` or its text form.  The ``worst`` there are, or a known one:
    ``rr``, ``krr:K``, ``laplace`` (of scale 1/eps0 on [0, 1]),
    ``table:FILE`` (a line of output probabilities for each input), ``gaussian:S`` (of deviation S, any two records at
    most a distance 1 apart) or ``discrete-gaussian:S`` (records 0 or 1); the last three have no use for ``eps0``.
    ``sources`` of an answer says what its ends are from.
    ``delta0``: that much of (eps0, delta0)-DP randomizers (:mod:`pldcheck.hidden_slot.approximate.approximate_slot`).
    ``adjacency``: ``"replace"`` (one record changed for another, the paper's) or ``"zero-out"`` (record there or
    not, the worse direction).  ``epochs``: the record is hidden anew so often, among ``steps`` slots each time, and
    everything is released.
    """

    steps: int
    eps0: float | None = None
    weight: float = 1.0
    adjacency: str = "replace"
    epochs: int = 1
    delta0: float = 0.0
    randomizer: Randomizer = Worst()
    name: ClassVar[str] = "hidden-slot"
    numbers: ClassVar[tuple[Parameter, ...]] = (SLOTS,)
    default_width: ClassVar[float] = 0.005
    bounds: ClassVar[tuple[str, str]] = WORST_BOUNDS

    slow: ClassVar[bool] = True
    adjacencies: ClassVar[tuple[str, ...]] = ADJACENCIES
    texts: ClassVar[tuple[Words | Text, ...]] = (
        Words("adjacency", "What becomes of the record", ADJACENCIES),
        RANDOMIZER,
    )
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "steps": falls(MORE_SLOTS, 1000),
            "eps0": rises(LARGER_BUDGET, 1.0),
            "weight": rises(MIXTURE, 0.1),
            "epochs": rises(MORE_RELEASES, 1),
        }
    )
    unwritten: ClassVar[str] = ""
    examples: ClassVar[Examples] = Examples(calibrate=("steps", 0.1), witness="--steps 1000 --eps0 1 --delta 1e-6")

    def _check(self) -> None:
        randomizer = randomizer_text.in_hidden_slot(self.randomizer, self.eps0, self.delta0)
        object.__setattr__(self, "randomizer", randomizer)
        if self.epochs > 1 and self.adjacency != "replace" and not self.randomizer.known:
            raise ParameterError("epochs", "1 with adjacency zero-out", self.epochs)

    def losses(self, delta: float) -> tuple[PrivacyLossDistribution, ...]:
        """Return all epochs as privacy loss distributions, to be composed with other mechanisms.

        The upper side of each dominates every adaptive adversary (of a known randomizer the last one's is that of the
        worst of its budget), with a record replaced for both adjacencies; the lower side of each is one adversary.

        Parameters
        ----------
        delta : float in (0, 1)
            The least one that will be asked of the composition; below it the curve is coarse.

        """
        one_epoch = hidden_slot.hidden_slot_answers.losses(self.problem, parse(delta=delta)["delta"])
        return tuple(loss.compose(self.epochs) for loss in one_epoch) if self.epochs > 1 else one_epoch

    @property
    def problem(self) -> HiddenSlotProblem:
        """The same parameters, as the engines take them."""
        return hidden_slot.hidden_slot_problem.HiddenSlotProblem(**vars(self))

    def params(self) -> dict[str, Any]:
        """Return the parameters by name."""
        return {**super().params(), "randomizer": str(self.randomizer)}

    @property
    def switches(self) -> Mapping[str, tuple[int, ...]]:
        """The numbers of slots beyond which a narrower method ends: of the worst randomizer, or of Gaussian noise."""
        if self.adjacency != "replace":
            return {}
        if self.randomizer.known:
            return {"steps": hidden_slot.known_randomizer_slot.switches(self.problem)}
        return {"steps": hidden_slot.worst_answers.SWITCHES}

    def relations(self, reached: float, width: float) -> Iterator[Relation]:
        """Yield protocols that assume less: fewer slots, any randomizer; where the width is missed, replacement."""
        yield from super().relations(reached, width)
        if reached > width and self.adjacency == "zero-out":
            yield Relation(replace(self, adjacency="replace"), REFERENCE_IS_A_RECORD)
        is_any_allowed = (
            self.randomizer.known and self.randomizer.needs_eps0 and (self.epochs == 1 or self.adjacency == "replace")
        )
        if reached > 0.0 and is_any_allowed:  # it takes a tenth of the time of a known one, or less
            yield Relation(replace(self, randomizer=Worst()), ONE_OF_ITS_BUDGET)

    @epsilon_at_each
    def epsilon(self, delta: float, width: float = 0.005) -> Interval:
        """Return the smallest epsilon such that every adaptive (eps0, delta0)-DP randomizer gives (epsilon, delta)-DP.

        Parameters
        ----------
        delta : float in [0, 1), or a sequence of such
            The delta of (epsilon, delta)-DP; 0 asks for pure epsilon.
        width : float in (0, 1)
            Relative width asked of the interval, in epsilon or, where that cannot be had (near epsilon = 0), in delta.
            Block length and grid follow from it.  If it cannot be reached the interval is wider, and still certified;
            with several epochs it is what the curve of one epoch allows, 0.2 to 10 %.

        Returns
        -------
        Interval
            With the error budget and a witness that attains the lower end; infinite where a randomizer that reveals
            the record with probability delta0 does so more often than delta.

        Raises
        ------
        ParameterError
            If ``delta`` is not in [0, 1) or ``width`` not in (0, 1).

        """
        values = parse(delta=delta, width=width)
        return hidden_slot.hidden_slot_answers.epsilon(self.problem, values["delta"], values["width"])

    def pure_epsilon(self) -> Interval:
        """Return epsilon at delta = 0 (:mod:`pldcheck.protocols.pure_epsilon`); that of a table is not known."""
        if self.delta0 > 0.0 or isinstance(self.randomizer, Gaussian | DiscreteGaussian):
            return UNBOUNDED
        if not isinstance(self.randomizer, Worst | Response | Laplace):
            return super().pure_epsilon()
        slot = self.problem.slot
        return repeated(slot.inner_cap, slot.cap, self.epochs)

    @delta_at_each
    def delta(self, epsilon: float, width: float = 0.005) -> Interval:
        """Return the smallest delta such that every adaptive (eps0, delta0)-DP randomizer gives (epsilon, delta)-DP.

        Parameters
        ----------
        epsilon : float, or a sequence of floats
            Below 0 it is that of the exchanged neighbours (:mod:`pldcheck.protocols.negative_epsilon`).
        width : float in (0, 1)
            Relative width asked of the interval, in delta or, where that cannot be had, in epsilon.

        Returns
        -------
        Interval or AnswerTable
            With the error budget and a witness that attains the lower end.

        Raises
        ------
        ParameterError
            If ``epsilon`` is not finite, or ``width`` is not in (0, 1).

        Examples
        --------
        >>> print(HiddenSlot(steps=1000, eps0=1.0).delta(epsilon=0.1))
        delta in [2.57...e-5, 2.58...e-5]

        """
        values = parse(epsilon=epsilon, width=width)
        return hidden_slot.hidden_slot_answers.delta(self.problem, values["epsilon"], values["width"])

    def renyi(self, order: float, width: float = 0.005) -> Interval:
        """Return the Renyi divergence of this order > 1, the larger of the two directions, of all epochs.

        Parameters
        ----------
        order : float above 1
        width : float in (0, 1)
            Relative width that computations may add, about.  The two ends are further apart where no single adversary
            is the worst at every epsilon (by 13 % for 30 slots, eps0 = 3, and order 1.5), and for Gaussian noise, whose
            upper end at large orders is that of a single slot.

        Returns
        -------
        Interval
            From below one law in every slot, or slots that all hold one record; from above the moment of the privacy
            profile of all adversaries, and at most the divergence of the record's own slot.

        Raises
        ------
        ParameterError
            If ``order`` is not above 1, ``width`` is not in (0, 1), ``delta0`` is positive, or the randomizer is
            discrete Gaussian noise.

        Examples
        --------
        >>> print(HiddenSlot(steps=1000, eps0=1.0).renyi(8.0))
        renyi in [0.00500..., 0.00502...]

        """
        values = parse(order=order, width=width)
        return hidden_slot.hidden_slot_answers.renyi(self.problem, values["order"], values["width"])
