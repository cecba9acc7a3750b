"""Random check-ins with a fixed window (Algorithm 1 of Balle et al. 2020), the number of clients known or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

from .. import hidden_slot
from ..core.errors import Unsupported
from ..core.interval import Interval
from ..core.parameters import Parameter, Text, Words, parse
from ..hidden_slot import population
from ..randomizers import Randomizer, Worst, randomizer_text
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
from .hidden_slot import RANDOMIZER, HiddenSlot

# Relative width asked of points of a privacy profile.
ROUGH_WIDTH = 0.05
_MORE_CLIENTS = "one client more may be used in place of the record, and the slot of its check-in is not revealed"


@dataclass(frozen=True)
class CheckIn(Protocol):
    """Each client checks in to one slot, chosen uniformly, with probability ``check_in_prob``.

    In each slot one of its clients, at random, answers through a randomizer that sees all earlier outputs; where there
    is none, a dummy answers.  All outputs are seen.

    Whatever the number of clients, this is at most as revealing as ``HiddenSlot(steps, eps0, check_in_prob)``, and
    equal to it when there is one client.  ``clients``: their number, the record's own included, if it is known: the
    more there are in a slot, the less often the record is the one that is used.  Replacement adjacency.
    ``epochs``: the whole protocol so often, with ``steps`` slots and fresh check-ins each time.  ``randomizer``:
    ``worst`` (any of budget ``eps0``, which may depend on all earlier outputs) or a known one, such as ``rr`` or
    ``laplace``.  ``delta0``: the probability with which a worst one may reveal the record, that of
    (eps0, delta0)-DP; with it the number of clients lowers the lower end only.  With a known
    randomizer both the number of clients and the randomizer are used from below, and from above one of them.
    """

    steps: int
    eps0: float | None = None
    check_in_prob: float = 1.0
    epochs: int = 1
    clients: int | None = None
    delta0: float = 0.0
    randomizer: Randomizer = Worst()
    name: ClassVar[str] = "check-in"
    numbers: ClassVar[tuple[Parameter, ...]] = (SLOTS,)
    default_width: ClassVar[float] = 0.005
    bounds: ClassVar[tuple[str, str]] = WORST_BOUNDS
    adjacencies: ClassVar[tuple[str, ...]] = ("replace",)
    texts: ClassVar[tuple[Words | Text, ...]] = (RANDOMIZER,)
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "steps": falls(MORE_SLOTS, 1000, unproved_with="clients"),
            "eps0": rises(LARGER_BUDGET, 1.0),
            "check_in_prob": rises(MIXTURE, 0.1, unproved_with="clients"),
            "clients": falls(_MORE_CLIENTS, 100, most=1e9),
            "epochs": rises(MORE_RELEASES, 1),
        }
    )
    unwritten: ClassVar[str] = ""
    examples: ClassVar[Examples] = Examples(
        calibrate=("eps0", 0.1), witness="--steps-per-epoch 1000 --eps0 1 --check-in-prob 0.1 --epochs 5 --delta 1e-6"
    )

    def _check(self) -> None:
        randomizer = randomizer_text.in_hidden_slot(self.randomizer, self.eps0, self.delta0)
        object.__setattr__(self, "randomizer", randomizer)

    @property
    def scope(self) -> str:
        """The number of clients that an answer covers."""
        return "" if self.clients is not None else "any number of clients"

    @property
    def reduced(self) -> CheckIn | HiddenSlot:
        """The hidden slot it reduces to, where the number of clients is not known."""
        return self if self.clients is not None else self.alone

    @property
    def alone(self) -> HiddenSlot:
        """The hidden slot that it is with one client."""
        return HiddenSlot(
            self.steps,
            self.eps0,
            self.check_in_prob,
            epochs=self.epochs,
            delta0=self.delta0,
            randomizer=self.randomizer,
        )

    @property
    def switches(self) -> Mapping[str, tuple[int, ...]]:
        """The numbers of clients beyond which their records are no longer followed, or their slots not counted."""
        if self.clients is None or self.randomizer.known:
            return {}
        return {"clients": population.populated_epochs.switches(self.alone.problem)}

    def relations(self, reached: float, width: float) -> Iterator[Relation]:
        """Yield protocols that assume less: fewer clients, any number of them, any randomizer of the budget."""
        yield from super().relations(reached, width)
        if self.clients is None or reached <= width:
            return
        if self.randomizer.known and self.randomizer.needs_eps0:  # the others have no budget, or one that is not eps0
            yield Relation(replace(self, randomizer=Worst()), ONE_OF_ITS_BUDGET)
        # At larger widths one client has been asked at the same width.
        if width < population.populated_intervals.ROUGH_WIDTH:
            yield Relation(self.alone, _MORE_CLIENTS)

    def params(self) -> dict[str, Any]:
        """Return the parameters by name."""
        return {**super().params(), "randomizer": str(self.randomizer)}

    @epsilon_at_each
    def epsilon(self, delta: float, width: float = 0.005) -> Interval:
        """Return the smallest epsilon such that random check-ins are (epsilon, delta)-DP.

        If ``clients`` is given, ``sources`` of the answer says what the ends are from.
        """
        if self.clients is None:
            return self.alone.epsilon(delta, width)
        if self.randomizer.known:
            return self._among_known("epsilon", delta, width)
        values = parse(delta=delta, width=width)
        return population.populated_epochs.epsilon(self.alone.problem, self.clients, values["delta"], values["width"])

    def pure_epsilon(self) -> Interval:
        """Return epsilon at delta = 0, that of the hidden slot; it is not known for a known number of clients."""
        if self.clients is None:
            return self.alone.pure_epsilon()
        reason = "it is not known here with a number of clients; leave clients out, or give a delta above 0"
        raise Unsupported(self.name, "epsilon at delta = 0", reason)

    @delta_at_each
    def delta(self, epsilon: float, width: float = 0.005) -> Interval:
        """Return the smallest delta such that random check-ins are (epsilon, delta)-DP."""
        if self.clients is None:
            return self.alone.delta(epsilon, width)
        if self.randomizer.known:
            return self._among_known("delta", epsilon, width)
        values = parse(epsilon=epsilon, width=width)
        return population.populated_epochs.delta(self.alone.problem, self.clients, values["epsilon"], values["width"])

    def renyi(self, order: float, width: float = 0.005) -> Interval:
        """Return the Renyi divergence of an order, the larger of the two directions, of all epochs.

        Parameters
        ----------
        order : float above 1
        width : float in (0, 1)
            Relative width that computations may add, about.

        Returns
        -------
        Interval
            If ``clients`` is given, the lower end is that of other records that equal the dummy record, and the upper
            end that of the privacy profile among so many or, for a known randomizer, that of one client.

        Raises
        ------
        ParameterError
            If ``order`` is not above 1, ``width`` is not in (0, 1), ``delta0`` is positive, or the randomizer is
            discrete Gaussian noise.

        """
        if self.clients is None:
            return self.alone.renyi(order, width)
        values = parse(order=order, width=width)
        weight = population.slot_occupancy.mean_weight(self.clients, self.steps, self.check_in_prob)
        one = replace(self, epochs=1)
        profile = None if self.randomizer.known else lambda epsilon: one.delta(epsilon, ROUGH_WIDTH).upper
        return hidden_slot.slot_renyi.renyi(self.alone.problem, values["order"], values["width"], weight, profile)

    def _among_known(self, quantity: str, at: float, width: float) -> Interval:
        """Return the answer for a known randomizer and a known number of clients.

        From below all other records equal the dummy record, so that the record is used with its mean weight.  From
        above it is that of one client; :meth:`relations` has the worst randomizers of the same budget.
        """
        assert self.clients is not None
        weight = population.slot_occupancy.mean_weight(self.clients, self.steps, self.check_in_prob)
        alone: Interval = getattr(self.alone, quantity)(at, width)
        among_dummies: Interval = getattr(replace(self.alone, weight=weight), quantity)(at, width)
        sources = (population.populated_intervals.ALL_DUMMIES, population.populated_intervals.ONE_CLIENT)
        return Interval(among_dummies.lower, alone.upper, quantity, None, None, sources)
