"""The two sides of a loss as types of their own, and the loss of a mechanism that is known by one of each.

A loss that bounds a mechanism from above says nothing of it from below, however well it is known itself, and the loss
of one adversary says nothing from above.  Engines hand out such losses as :class:`Dominating` and :class:`Attained`,
which cannot be composed, asked or exported; :func:`between` alone makes a loss of them that can.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from ..core.interval import Interval
from .distribution import PrivacyLossDistribution
from .law_bounds import EVERYTHING, NOTHING, CutBounds, LawBounds, Parts

Question = Callable[[PrivacyLossDistribution], Interval]


@dataclass(frozen=True, eq=False, slots=True)
class Dominating:
    """A loss that dominates a mechanism in each direction: it has an upper side only."""

    _loss: PrivacyLossDistribution

    def upper(self, ask: Question) -> float:
        """Return the upper end of the answer to a question."""
        return ask(self._loss).upper


@dataclass(frozen=True, eq=False, slots=True)
class Attained:
    """A loss that some data and adversary of a mechanism attain: it has a lower side only."""

    _loss: PrivacyLossDistribution

    @property
    def name(self) -> str:
        """The name of the data or of the adversary."""
        return self._loss.name

    def lower(self, ask: Question) -> float:
        """Return the lower end of the answer to a question."""
        return ask(self._loss).lower


def nothing() -> PrivacyLossDistribution:
    """Return the loss of a mechanism that releases nothing, which every loss dominates."""
    return PrivacyLossDistribution("nothing", ((LawBounds.exact(NOTHING), 1),))


def between(less: Attained | None, more: Dominating | None, name: str = "") -> PrivacyLossDistribution:
    """Return the loss of a mechanism that is known by a loss that it attains and by one that dominates it.

    Parameters
    ----------
    less : Attained, optional
        Without it nothing is known from below: lower ends are 0.
    more : Dominating, optional
        Without it nothing is known from above: upper ends are those of a loss that is always infinite.
    name : str
        The name of the result; by default that of the dominating loss, or of the other one.

    Returns
    -------
    PrivacyLossDistribution
        Of one direction only if the dominating loss is.  Where the attained one is of one direction only, nothing is
        known from below in the other.

    """
    above = PrivacyLossDistribution("", ((LawBounds.exact(EVERYTHING), 1),)) if more is None else more._loss
    below = nothing() if less is None else less._loss
    name = name or above.name or below.name
    forward = _steps(above.forward, below.forward)
    if above.is_one_way or (above.backward is None and below.backward is None and not below.is_one_way):
        return PrivacyLossDistribution(name, forward, is_one_way=above.is_one_way)
    back = () if below.is_one_way else below.backward or below.forward
    return PrivacyLossDistribution(name, forward, _steps(above.backward or above.forward, back))


def _steps(above: Parts, below: Parts) -> Parts:
    """Return steps with the upper laws of one list and the lower laws of the other, copy by copy.

    Beyond the end of the shorter list its side is the loss that is always 0, which adds nothing to a sum.  Equal steps
    stay one object.
    """
    steps: list[tuple[LawBounds | CutBounds, int]] = []
    joined: dict[tuple[int, int], LawBounds | CutBounds] = {}
    lists, neutral = (list(above), list(below)), LawBounds.exact(NOTHING)
    while any(lists):
        (high, more), (low, fewer) = (rest[0] if rest else (neutral, inf) for rest in lists)
        copies = int(min(more, fewer))
        for rest in filter(None, lists):
            step, count = rest.pop(0)
            if count > copies:
                rest.insert(0, (step, count - copies))
        key = id(high), id(low)
        joined[key] = joined.get(key) or _step(high, low)
        steps.append((joined[key], copies))
    return tuple(steps)


def _step(high: LawBounds | CutBounds, low: LawBounds | CutBounds) -> LawBounds | CutBounds:
    if high is low:
        return high
    if isinstance(high, CutBounds) or isinstance(low, CutBounds):
        return CutBounds(lambda count: LawBounds(_cut(high, count).upper, _cut(low, count).lower))
    return LawBounds(high.upper, low.lower)


def _cut(step: LawBounds | CutBounds, count: int | None) -> LawBounds:
    return step.cut(count) if isinstance(step, CutBounds) else step
