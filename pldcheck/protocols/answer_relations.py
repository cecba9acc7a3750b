"""Relations between answers: who assumes more gets no larger upper end.

A protocol states in ``relations`` which protocols assume less than it does, each with the reason: their epsilon and
delta are no smaller at the same argument.  Every answer passes through :func:`no_more_than_others`, which asks them
where they may have the smaller upper end: the bounds of one protocol are not those of another, and one bound may end
where the other goes on.  Their answers are subject to their own relations in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ..core.interval import Interval, checked_lower
from .capabilities import Direction

# The largest ratio of the two ends that counts: beyond its square times a switch the method before the switch is not
# asked.  It limits the effort; any number is right.
FARTHEST = 4.0


@dataclass(frozen=True)
class Relation:
    """A protocol that assumes less: ``other`` has at the same argument no smaller epsilon and delta; ``why``: proof."""

    other: Any
    why: str


class Related(Protocol):
    """A protocol, as far as relations need it."""

    @property
    def bound_sources(self) -> tuple[str, str]:
        """The sources of the lower and the upper bound, in words."""

    def relations(self, reached: float, width: float) -> Iterable[Relation]:
        """Return the relations that may lower the upper end of an answer."""


def no_more_than_others(
    protocol: Related, answer: Interval, width: float, ask: Callable[[Any, float], Interval]
) -> Interval:
    """Return an answer whose upper end is at most that of each related protocol.

    Parameters
    ----------
    protocol : Related
        What was asked.
    answer : Interval
        Its own answer.
    width : float
        The relative width asked for.
    ask : callable
        The same question to another protocol, at a width.

    Raises
    ------
    ArithmeticError
        If a related upper end is below the lower end of the answer: one of the two is wrong.

    """
    for relation in protocol.relations(answer.relative_width, width):
        other = ask(relation.other, width)
        upper = other.upper
        if upper < answer.upper:
            source = (other.sources or relation.other.bound_sources)[1]
            sources = ((answer.sources or protocol.bound_sources)[0], f"{source} ({relation.why})")
            # The parts of a width of epsilon are in units of delta at the upper end, which has moved.
            budget = answer.budget if answer.quantity == "delta" else None
            answer = replace(
                answer, lower=checked_lower(answer.lower, upper), upper=upper, budget=budget, sources=sources
            )
    return answer


def beyond_switches(
    protocol: Any, directions: Mapping[str, Direction], switches: Mapping[str, tuple[int, ...]], reached: float
) -> Iterator[Relation]:
    """Yield the relation to the last number before each switch, where that may have the smaller upper end.

    ``switches``: for a parameter with which epsilon falls, numbers beyond which a narrow method ends.  Away from the
    largest loss epsilon falls like the root of such a number at least, so that beyond (1 + reached)^2 times the switch
    an answer whose ends are so far apart is below the one before.  The next number is asked about always.
    """
    for name, numbers in switches.items():
        value, direction = getattr(protocol, name), directions[name]
        farthest = min(1.0 + reached, FARTHEST) ** 2
        near = [number for number in numbers if number < value <= max(number + 1, farthest * number)]
        if near:
            yield Relation(replace(protocol, **{name: max(near)}), direction.why)


def up_to_rate_one(protocol: Any, directions: Mapping[str, Direction], reached: float) -> Iterator[Relation]:
    """Yield the relation of samples at a rate next to 1 to all records, whose answer may be the narrower one."""
    if 0.0 < 1.0 - protocol.rate <= FARTHEST * reached:
        yield Relation(replace(protocol, rate=1.0), directions["rate"].why)
