"""Random swapping and averaged check-ins: post-processings and relatives of shuffling."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from .. import shuffling
from ..core.interval import Interval
from ..core.parameters import PARAMETERS, Parameter, parse
from .answers_at_each import delta_at_each, epsilon_at_each
from .base import Protocol
from .capabilities import LARGER_BUDGET, MORE_MESSAGES, Direction, Examples, falls, rises
from .pure_epsilon import repeated
from .shuffle import ROUGH, WIDTH, check_clients

if TYPE_CHECKING:
    from ..pld.curve_candidates import Candidates


@dataclass(frozen=True)
class _CandidateProtocol(Protocol):
    """The base class of the protocols in this file, whose answers are the best of several certified bounds."""

    default_width: ClassVar[float] = WIDTH
    rough_width: ClassVar[float | None] = ROUGH
    adjacencies: ClassVar[tuple[str, ...]] = ("replace",)

    unwritten: ClassVar[str] = ""

    def _check(self) -> None:
        check_clients(self.params()["clients"])

    @property
    @abstractmethod
    def _candidates(self) -> Candidates: ...

    @epsilon_at_each
    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """Return the smallest epsilon at a delta; bounds are tried until the width is reached."""
        values = parse(delta=delta, width=width)
        return self._candidates.epsilon(values["delta"], values["width"])

    def pure_epsilon(self) -> Interval:
        """Return epsilon at delta = 0, which is the local budget (:mod:`pldcheck.protocols.pure_epsilon`)."""
        budget = self.params()["eps0"]
        return repeated(budget, budget, 1)

    @delta_at_each
    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """Return the smallest delta at an epsilon; bounds are tried until the width is reached."""
        values = parse(epsilon=epsilon, width=width)
        return self._candidates.delta(values["epsilon"], values["width"])


@dataclass(frozen=True)
class Swap(_CandidateProtocol):
    """The record trades places with a uniformly chosen one; the other records keep a known order.

    Then each place answers through an eps0-DP randomizer that sees all earlier outputs (Algorithm 6 of Balle et al.
    2020).  It can be less private than shuffling, whose analysis it serves there.
    """

    clients: int
    eps0: float
    name: ClassVar[str] = "swap"
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType({"eps0": rises(LARGER_BUDGET, 1.0)})
    examples: ClassVar[Examples] = Examples(
        calibrate=("eps0", 0.1), coarse=True, witness="--clients 100 --eps0 1 --delta 1e-6"
    )

    @property
    def _candidates(self) -> Candidates:
        return shuffling.swap_curves.candidates(self.clients, self.eps0)


@dataclass(frozen=True)
class Averaged(_CandidateProtocol):
    """Every client checks in to one slot; the answers of a slot are averaged and applied together.

    Algorithm 2 of Balle et al. 2020.  A post-processing of shuffling: at most as revealing, whatever ``steps`` is; and
    all of it, when the others' records are alike and a slot's average shows its answers.
    """

    clients: int
    steps: int
    eps0: float
    name: ClassVar[str] = "averaged"
    numbers: ClassVar[tuple[Parameter, ...]] = (replace(PARAMETERS["steps"], help="number of slots m"),)
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "clients": falls(MORE_MESSAGES, 1000, most=1e12),
            "eps0": rises(LARGER_BUDGET, 1.0),
        }
    )
    examples: ClassVar[Examples] = Examples(
        calibrate=("eps0", 0.1), witness="--clients 5000 --steps 1000 --eps0 1 --delta 1e-6"
    )

    @property
    def _candidates(self) -> Candidates:
        return shuffling.worst_messages.candidates_without_adaptation(self.clients, self.eps0)
