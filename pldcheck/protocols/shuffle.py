"""Shuffling: n clients send one message each through local randomizers, and the messages arrive in random order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from .. import shuffling
from ..core.errors import ParameterError
from ..core.interval import Interval
from ..core.parameters import PARAMETERS, Text, Words, parse
from ..randomizers import Gaussian, Randomizer, Response, Table, Worst, finite, randomizer_text
from .answer_relations import Relation
from .answers_at_each import delta_at_each, epsilon_at_each
from .base import Protocol
from .capabilities import (
    MORE_MESSAGES,
    MORE_RELEASES,
    ONE_OF_ITS_BUDGET,
    WORTH_ANY_RANDOMIZER,
    Direction,
    Examples,
    falls,
    rises,
)
from .pure_epsilon import UNBOUNDED, repeated

if TYPE_CHECKING:
    from ..shuffling.shuffle_question import ShuffledCurves

MOST_CLIENTS = 10**12
WIDTH = 1e-6
# Relative width at which the cheapest bounds are enough.
ROUGH = 0.3
# The reason why epsilon rises with eps0.
_EITHER = "so it is with any randomizer of a budget, and a known one of a smaller budget is a post-processing"
# A probability this much smaller than delta does not change the answer noticeably.
OUT_OF_SIGHT = 1e-6


@dataclass(frozen=True)
class Shuffle(Protocol):
    """Every client sends one randomized message; the messages are seen in uniformly random order.

    ``randomizer``: an object of :mod:`pldcheck.randomizers` or its text form: ``worst`` (any eps0-DP randomizers, each
    of which may depend on all earlier outputs), ``rr``, ``krr:K`` (K-ary randomized response), ``tv:T`` (any whose
    outputs on the record and on its replacement are within T in total variation), ``table:FILE`` (a line of output
    probabilities for each input), ``laplace`` (of scale 1/eps0 on [0, 1]), or ``gaussian:S`` (of deviation S on [0, 1];
    eps0 is then not used).  ``rounds`` is the number of rounds, each shuffled anew.
    """

    clients: int
    eps0: float
    randomizer: Randomizer = Worst()
    rounds: int = 1
    name: ClassVar[str] = "shuffle"
    default_width: ClassVar[float] = WIDTH
    rough_width: ClassVar[float | None] = ROUGH
    adjacencies: ClassVar[tuple[str, ...]] = ("replace",)
    texts: ClassVar[tuple[Words | Text, ...]] = (
        Text(
            "randomizer",
            f"What each client runs: {randomizer_text.forms(randomizer_text.IN_SHUFFLES)}.",
            beginnings=randomizer_text.beginnings(randomizer_text.IN_SHUFFLES),
        ),
    )
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "clients": falls(MORE_MESSAGES, 1000, most=1e12),
            "eps0": rises(_EITHER, 1.0),
            "rounds": rises(MORE_RELEASES, 1),
        }
    )
    unwritten: ClassVar[str] = ""
    examples: ClassVar[Examples] = Examples(calibrate=("clients", 0.2), witness="--clients 5000 --eps0 1 --delta 1e-6")

    def _check(self) -> None:
        check_clients(self.clients)
        object.__setattr__(self, "randomizer", randomizer_text.in_shuffle(self.randomizer))

    @property
    def narrowing(self) -> str:
        """The advice, in words, on how to narrow an answer that is wider than was asked."""
        if self.randomizer.known:
            return super().narrowing
        return f"{super().narrowing}; that of a known randomizer is narrower"

    @property
    def switches(self) -> Mapping[str, tuple[int, ...]]:
        """The number of clients beyond which a bound is wider: binary response for every split, Gaussian blankets."""
        if isinstance(self.randomizer, Response) and self.randomizer.categories == 2:
            return {"clients": (shuffling.known_messages.MOST_SPLIT,)}
        return {"clients": (2,)} if isinstance(self.randomizer, Gaussian) else {}

    def relations(self, reached: float, width: float) -> Iterator[Relation]:
        """Yield protocols that assume less: fewer clients, and any randomizer where the answer is wide."""
        yield from super().relations(reached, width)
        if reached > max(width, WORTH_ANY_RANDOMIZER) and self.randomizer.known and self.randomizer.needs_eps0:
            yield Relation(replace(self, randomizer=Worst()), ONE_OF_ITS_BUDGET)

    def params(self) -> dict[str, Any]:
        """Return the parameters by name."""
        return {**super().params(), "randomizer": str(self.randomizer)}

    @epsilon_at_each
    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """Return the smallest epsilon such that the outputs are (epsilon, delta)-DP.

        Parameters
        ----------
        delta : float in [0, 1), or a sequence of such
            The delta of (epsilon, delta)-DP; 0 asks for pure epsilon.
        width : float in (0, 1)
            Relative width that is enough: better bounds are tried until it is reached or there are no more.  Fourier
            inversions, in compositions and for known randomizers, add no more than this, nor 1e-6, to delta.

        Returns
        -------
        Interval
            From the best of the certified bounds; ``sources`` names them, ``witness`` attains the lower end.

        Raises
        ------
        ParameterError
            If ``delta`` is not in [0, 1) or ``width`` not in (0, 1), or the randomizer cannot be read.

        """
        values = parse(delta=delta, width=width)
        curves = self._curves(values["width"], values["delta"] / self.rounds)
        once = curves.candidates.epsilon(values["delta"], values["width"])
        if self.rounds == 1:
            return once
        return shuffling.shuffling_rounds.answer(
            curves, self.rounds, lambda loss: loss.epsilon(values["delta"], values["width"]), once
        )

    def pure_epsilon(self) -> Interval:
        """Return epsilon at delta = 0, the budget of all rounds (:mod:`pldcheck.protocols.pure_epsilon`)."""
        if isinstance(self.randomizer, Gaussian):
            return UNBOUNDED
        if isinstance(self.randomizer, Table):
            lower, upper = finite.budget_ends(self.randomizer.rows())
            return UNBOUNDED if lower == inf else repeated(lower, upper, self.rounds)
        return repeated(self.eps0, self.eps0, self.rounds)

    @delta_at_each
    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """Return the smallest delta such that the outputs are (epsilon, delta)-DP, from the best of several bounds."""
        values = parse(epsilon=epsilon, width=width)
        curves = self._curves(values["width"], 1.0)
        once = curves.candidates.delta(values["epsilon"], values["width"])
        if once.upper < 1.0 and not self.randomizer.pure:  # again, now that its size is known
            curves = self._curves(values["width"], once.upper / self.rounds)
            once = curves.candidates.delta(values["epsilon"], values["width"])
        if self.rounds == 1:
            return once
        return shuffling.shuffling_rounds.answer(
            curves, self.rounds, lambda loss: loss.delta(values["epsilon"], values["width"]), once
        )

    def renyi(self, order: float, width: float = WIDTH) -> Interval:
        """Return the Renyi divergence of this order > 1, of all rounds.

        Parameters
        ----------
        order : float above 1
        width : float in (0, 1)
            Relative width that is enough.  Where dominating pairs do not reach it, the privacy profile is asked at some
            thirty epsilons, to which the choice of points adds about half a percent.

        Returns
        -------
        Interval
            From the best of the certified bounds; ``sources`` names them.

        Raises
        ------
        ParameterError
            If ``order`` is not above 1, ``width`` is not in (0, 1), or the randomizer cannot be read.

        Examples
        --------
        >>> print(Shuffle(clients=1000, eps0=1.0, randomizer="krr:4").renyi(4.0))
        renyi in [0.00206..., 0.00207...]

        """
        values = parse(order=order, width=width)
        growth = self.randomizer.renyi_growth
        return shuffling.shuffled_renyi.renyi(
            lambda delta: self._curves(values["width"], delta), self.rounds, values["order"], values["width"], growth
        )

    def _curves(self, width: float, delta: float) -> ShuffledCurves:
        """Return the curves and bounds of one round, for answers at about this delta."""
        curve_width = min(width, WIDTH)
        return shuffling.shuffled_curves.all_curves(
            self.clients, self.eps0, self.randomizer, curve_width, OUT_OF_SIGHT * delta
        )


def check_clients(clients: int) -> None:
    """Raise ParameterError for more clients than can be computed."""
    if clients > MOST_CLIENTS:
        most = replace(PARAMETERS["clients"], high=MOST_CLIENTS)
        raise ParameterError("clients", f"{most.domain} for shuffle", clients)
