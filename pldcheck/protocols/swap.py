"""Random swapping and averaged check-ins: post-processings and relatives of shuffling."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..interval import Interval
from ..parameters import parse
from .shuffle import ROUGH, WIDTH, limited

if TYPE_CHECKING:
    from ..pld.candidates import Candidates


class _Bracketed(ABC):
    """What both have in common: answers are the best of some certified bounds."""

    usual_width: ClassVar[float] = WIDTH
    rough_width: ClassVar[float] = ROUGH
    adjacency: ClassVar[str] = "replace"

    def __post_init__(self) -> None:
        for key, value in parse(**self.params()).items():
            object.__setattr__(self, key, value)
        limited(self.params()["clients"])

    @property
    @abstractmethod
    def _candidates(self) -> Candidates: ...

    @property
    def reduced(self) -> Any:
        """Itself: it is reduced to no other protocol."""
        return self

    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return asdict(self)  # type: ignore[call-overload]

    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """The smallest epsilon at a delta in (0, 1); bounds are tried until the width is reached or all have been."""
        given = parse(delta=delta, width=width)
        return self._candidates.epsilon(given["delta"], given["width"])

    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """The smallest delta at an epsilon >= 0, likewise."""
        given = parse(epsilon=epsilon, width=width)
        return self._candidates.delta(given["epsilon"], given["width"])


@dataclass(frozen=True)
class Swap(_Bracketed):
    """The record trades places with one of ``clients`` places chosen uniformly; the others keep a known order.

    Then each place answers through an eps0-DP randomizer that sees all earlier outputs (Algorithm 6 of Balle et al.
    2020).  It can be less private than shuffling, whose analysis it serves there.
    """

    clients: int
    eps0: float
    name: ClassVar[str] = "swap"

    @property
    def _candidates(self) -> Candidates:
        from ..shuffle import swap

        return swap.candidates(self.clients, self.eps0)


@dataclass(frozen=True)
class Averaged(_Bracketed):
    """Each of ``clients`` checks in to a uniform slot of ``steps``; a slot's answers are averaged and applied together.

    Algorithm 2 of Balle et al. 2020.  A post-processing of shuffling: at most as revealing, whatever ``steps`` is; and
    all of it, when the others' records are alike and a slot's average shows its answers.
    """

    clients: int
    steps: int
    eps0: float
    name: ClassVar[str] = "averaged"

    @property
    def _candidates(self) -> Candidates:
        from ..shuffle import known

        return known.averaged(self.clients, self.eps0)
