"""Two theorems on the grid of one of them: where the other's bound, brought over by a reduction, is at least as good.

What is compared are values of formulas at the same delta, epsilon or order; nothing is said of other points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from math import isclose, sqrt
from types import MappingProxyType
from typing import Any

from ...core.parameters import PARAMETERS
from ...theorems import Bound, Theorem
from ...theorems.reduction import Params, Reduction
from ...verification.suites import SUITES, job_text, parse
from .carried_values import brought, own
from .reductions import reached, scene

# Values that differ by no more are equal: formulas err by less than 5e-13, both of them.
ALIKE = 1e-12
# Theorems that are false imply nothing: those of this suite.
REFUTED = "refuted"
# Files of the papers with theorems that no built-in suite has a grid for, at parameters like those of the others.
GRIDS = "dominance"
# A turn between two points of the grid is narrowed to this ratio.
NEAR = 1.01


class Order(StrEnum):
    """How the value of one theorem lies to the other's, over all points."""

    EQUAL = "equal"
    IMPLIED = "implied"
    CROSSING = "crossing"
    NEVER = "never"
    NOWHERE = "nowhere"


@dataclass(frozen=True)
class Turn:
    """The order is another at ``low`` than at ``high`` of one parameter, the others being ``params``.

    ``implied_low``: whether it is at the lower one that the theorem is implied.
    """

    parameter: str
    low: float
    high: float
    params: Params = field(hash=False)
    implied_low: bool

    def __reduce__(self):
        # A mapping proxy does not pickle.
        return type(self), (self.parameter, self.low, self.high, dict(self.params), self.implied_low)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "parameter": self.parameter,
            "low": self.low,
            "high": self.high,
            "params": dict(self.params),
            "implied": "low" if self.implied_low else "high",
        }


@dataclass(frozen=True)
class Comparison:
    """Is ``theorem`` implied by ``other``?  Counted over the points of the grid where its own conditions hold.

    ``inside``: the points where those of ``other`` hold too, at the parameters that ``reductions`` lead to.
    ``implied``: those among them where the other's value is at least as good; ``equal``: where it is the same, at the
    same delta, epsilon or order.
    ``least``, ``largest``: how many times the better bound the theorem's is, below 1 where it is the better one.
    """

    theorem: str
    other: str
    quantity: str
    reductions: tuple[Reduction, ...]
    points: int
    inside: int
    implied: int
    equal: int
    least: float | None
    largest: float | None
    turn: Turn | None

    @property
    def order(self) -> Order:
        """Over the points inside both theorems' conditions."""
        if not self.inside:
            return Order.NOWHERE
        if self.equal == self.inside:
            return Order.EQUAL
        if self.implied == self.inside:
            return Order.IMPLIED
        return Order.CROSSING if self.implied else Order.NEVER

    @property
    def everywhere(self) -> bool:
        """Whether it is implied at all points of its own, the other's conditions included."""
        return 0 < self.implied == self.points

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "theorem": self.theorem,
            "other": self.other,
            "quantity": self.quantity,
            "order": str(self.order),
            "everywhere": self.everywhere,
            "reductions": [reduction.reason for reduction in self.reductions],
            "points": self.points,
            "inside": self.inside,
            "implied": self.implied,
            "equal": self.equal,
            "least": self.least,
            "largest": self.largest,
            "turn": self.turn and self.turn.to_dict(),
        }


@cache
def grid(theorem: str) -> tuple[Params, ...]:
    """Return the parameters of a theorem in the built-in suites or, where it is in none, in a grid of ours."""
    for job in (*SUITES.values(), parse(job_text(GRIDS, ""), GRIDS)):
        cells = [cell.params for cell in job.cells() if cell.theorem and cell.theorem.id == theorem]
        if cells:
            return tuple(MappingProxyType(cell) for cell in cells)
    return ()


@cache
def false_ones() -> frozenset[str]:
    """Return the theorems that the suite of false ones names."""
    return frozenset(theorem.id for theorem in SUITES[REFUTED].theorems)


def linked(theorem: Theorem, other: Theorem) -> tuple[Reduction, ...] | None:
    """Return the reductions by which a bound of ``other`` is one for ``theorem``; None if there are none."""
    if theorem.id == other.id or {theorem.id, other.id} & false_ones():
        return None
    if theorem.quantity != other.quantity or other.relation not in (theorem.relation, "="):
        return None
    return reached(scene(theorem)).get(scene(other))


def compare(theorem: Theorem, other: Theorem) -> Comparison | None:
    """Return over the theorem's grid; None where no reduction leads from one to the other."""
    chain = linked(theorem, other)
    if chain is None:
        return None
    places = [params for params in grid(theorem.id) if own(theorem, params)]
    ratios: dict[tuple[Any, ...], float] = {}
    equal = 0
    for params in places:
        pair = _pair(theorem, other, chain, params)
        ratio = pair and _ratio(theorem, *pair)
        if pair and ratio is not None:
            ratios[_key(params)] = ratio
            equal += abs(ratio - 1) <= ALIKE and isclose(pair[0].at, pair[1].at, rel_tol=ALIKE)
    implied = [ratio for ratio in ratios.values() if _implied(ratio)]
    crossing = 0 < len(implied) < len(ratios)
    return Comparison(
        theorem=theorem.id,
        other=other.id,
        quantity=theorem.quantity,
        reductions=chain,
        points=len(places),
        inside=len(ratios),
        implied=len(implied),
        equal=equal,
        least=min(ratios.values(), default=None),
        largest=max(ratios.values(), default=None),
        turn=_turn(theorem, other, chain, ratios) if crossing else None,
    )


def _key(params: Params) -> tuple[tuple[str, float], ...]:
    return tuple(params.items())


def _implied(ratio: float) -> bool:
    return ratio >= 1 - ALIKE


def _pair(theorem: Theorem, other: Theorem, chain: tuple[Reduction, ...], params: Params) -> tuple[Bound, Bound] | None:
    """Return what both say there, inside the conditions of both."""
    bound = own(theorem, params)
    found = bound and brought(other, chain, bound)
    return (bound, found) if bound and found else None


def _ratio(theorem: Theorem, bound: Bound, found: Bound) -> float | None:
    """Return how many times the other's bound the theorem's is, or the inverse for lower bounds."""
    if bound.value == found.value:
        return 1.0
    if not (bound.value and found.value):  # one of them says exactly zero
        return None
    return found.value / bound.value if theorem.relation == ">=" else bound.value / found.value


def _turn(
    theorem: Theorem, other: Theorem, chain: tuple[Reduction, ...], ratios: Mapping[tuple[Any, ...], float]
) -> Turn | None:
    """Return the first place in the grid where a step along one axis changes the order, narrowed by halving."""
    for key, ratio in ratios.items():
        params = dict(key)
        for name, low in params.items():
            above = sorted(dict(other)[name] for other in ratios if _beside(params, dict(other), name))
            for high in above[:1]:
                if _implied(ratios[_key({**params, name: high})]) != _implied(ratio):
                    rest = {other: value for other, value in params.items() if other != name}
                    ends = _narrowed(theorem, other, chain, params, name, (low, high))
                    return Turn(name, *ends, rest, _implied(ratio))
    return None


def _beside(params: Params, others: Params, name: str) -> bool:
    """Return whether only one parameter differs, and is larger."""
    return others[name] > params[name] and all(others[key] == params[key] for key in params if key != name)


def _narrowed(
    theorem: Theorem,
    other: Theorem,
    chain: tuple[Reduction, ...],
    params: Params,
    name: str,
    ends: tuple[float, float],
) -> tuple[float, float]:
    """Return the ends of a turn brought together, as far as both theorems' conditions hold between them."""
    low, high = ends

    def ratio(value: float) -> float | None:
        pair = _pair(theorem, other, chain, {**params, name: value})
        return pair and _ratio(theorem, *pair)

    first = ratio(low)
    assert first is not None
    while high > NEAR * low:
        middle: float = sqrt(low) * sqrt(high)
        if PARAMETERS[name].integer:
            middle = round(middle)
        if not low < middle < high:
            break
        found = ratio(middle)
        if found is None:
            break
        if _implied(found) == _implied(first):
            low = middle
        else:
            high = middle
    return low, high
