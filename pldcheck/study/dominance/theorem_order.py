"""Two theorems on the grid of one of them: the points at which the other's bound, by a reduction, is at least as good.

The values of the formulas are compared at the same delta, epsilon or order; the result holds at these points only.
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
from ...theorems import REGISTRY, Bound, Theorem
from ...theorems.reduction import Params, Reduction
from ...verification.suites import SUITES, job_text, parse
from .carried_values import carried_bound, chains_from, own_bound, scene

# Relative difference below which two values count as equal: each formula errs by less than 5e-13.
ALIKE = 1e-12
# The suite of false theorems, which imply nothing.
REFUTED = "refuted"
# How the title of a theorem ends that is false.
FALSE = " (false)"
# The name of the files, one a paper, with grids for theorems that no built-in suite has.
GRIDS = "dominance"
# Ratio to which the interval between two points of the grid, where the order changes, is narrowed.
NEAR = 1.01


class Order(StrEnum):
    """The order of the values of two theorems over all points of a grid."""

    EQUAL = "equal"
    IMPLIED = "implied"
    CROSSING = "crossing"
    NEVER = "never"
    NOWHERE = "nowhere"


@dataclass(frozen=True)
class Turn:
    """A change of the order of two theorems along one parameter.

    Parameters
    ----------
    parameter, low, high
        The parameter, and two of its values between which the order changes.
    params
        The values of the other parameters.
    implied_low
        Whether the theorem is implied at ``low`` (else it is implied at ``high``).

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
        """Return the fields as plain values, ready for JSON."""
        facts = {**vars(self), "params": dict(self.params), "implied": "low" if self.implied_low else "high"}
        del facts["implied_low"]
        return facts


@dataclass(frozen=True)
class Comparison:
    """The answer to the question whether ``theorem`` is implied by ``other``, counted over a grid.

    Parameters
    ----------
    theorem, other, quantity
        The two theorems, and the quantity that both bound.
    reductions
        The chain of reductions by which a bound of ``other`` is one for ``theorem``.
    points
        The number of points of the grid at which the conditions of ``theorem`` hold.
    inside
        The number of these at which the conditions of ``other`` hold as well, for the mapped parameters.
    implied
        The number of these at which the value of ``other`` is at least as good.
    equal
        The number of these at which both have the same value, at the same delta, epsilon or order.
    least, largest
        The range, over the points inside, of the bound of ``theorem`` over that of ``other`` (inverted for lower
        bounds): above 1 where ``other`` is better.
    turn
        One change of the order along a parameter, if the order changes.

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
        """The order over the points inside the conditions of both theorems."""
        if not self.inside:
            return Order.NOWHERE
        if self.equal == self.inside:
            return Order.EQUAL
        if self.implied == self.inside:
            return Order.IMPLIED
        return Order.CROSSING if self.implied else Order.NEVER

    @property
    def everywhere(self) -> bool:
        """Whether the theorem is implied at all points where its own conditions hold."""
        return 0 < self.implied == self.points

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, ready for JSON."""
        return {
            **vars(self),
            "order": str(self.order),
            "everywhere": self.everywhere,
            "reductions": [reduction.reason for reduction in self.reductions],
            "turn": self.turn and self.turn.to_dict(),
        }


@cache
def grid(theorem: str) -> tuple[Params, ...]:
    """Return the parameters of a theorem in the first built-in suite that has it, or in its own grid of comparison."""
    for job in (*SUITES.values(), parse(job_text(GRIDS, ""), GRIDS)):
        cells = [cell.params for cell in job.cells() if cell.theorem and cell.theorem.id == theorem]
        if cells:
            return tuple(MappingProxyType(cell) for cell in cells)
    return ()


@cache
def false_theorems() -> frozenset[str]:
    """Return the ids of the theorems in the suite of false theorems, and of others whose titles say so."""
    titles = {theorem.id for theorem in REGISTRY.values() if theorem.title.endswith(FALSE)}
    return frozenset(titles.union(theorem.id for theorem in SUITES[REFUTED].theorems))


def chain_between(theorem: Theorem, other: Theorem) -> tuple[Reduction, ...] | None:
    """Return the reductions by which a bound of ``other`` is one for ``theorem``; None if there are none."""
    if theorem.id == other.id or {theorem.id, other.id} & false_theorems():
        return None
    if theorem.quantity != other.quantity or other.relation not in (theorem.relation, "="):
        return None
    return chains_from(scene(theorem)).get(scene(other))


def compare(theorem: Theorem, other: Theorem) -> Comparison | None:
    """Return the comparison of two theorems over the grid of the first; None if no reduction links them."""
    chain = chain_between(theorem, other)
    if chain is None:
        return None
    places = [params for params in grid(theorem.id) if own_bound(theorem, params)]
    ratios: dict[tuple[Any, ...], float] = {}
    equal = 0
    for params in places:
        pair = _pair(theorem, other, chain, params)
        ratio = pair and _ratio(theorem, *pair)
        if pair and ratio is not None:
            ratios[_key(params)] = ratio
            equal += abs(ratio - 1) <= ALIKE and isclose(pair[0].at, pair[1].at, rel_tol=ALIKE)
    implying_ratios = [ratio for ratio in ratios.values() if _implies(ratio)]
    crossing = 0 < len(implying_ratios) < len(ratios)
    return Comparison(
        theorem=theorem.id,
        other=other.id,
        quantity=theorem.quantity,
        reductions=chain,
        points=len(places),
        inside=len(ratios),
        implied=len(implying_ratios),
        equal=equal,
        least=min(ratios.values(), default=None),
        largest=max(ratios.values(), default=None),
        turn=_turn(theorem, other, chain, ratios) if crossing else None,
    )


def _key(params: Params) -> tuple[tuple[str, float], ...]:
    return tuple(params.items())


def _implies(ratio: float) -> bool:
    return ratio >= 1 - ALIKE


def _pair(theorem: Theorem, other: Theorem, chain: tuple[Reduction, ...], params: Params) -> tuple[Bound, Bound] | None:
    """Return the bounds of both theorems at a point; None outside the conditions of either."""
    bound = own_bound(theorem, params)
    other_bound = bound and carried_bound(other, chain, bound)
    return (bound, other_bound) if bound and other_bound else None


def _ratio(theorem: Theorem, bound: Bound, other_bound: Bound) -> float | None:
    """Return the theorem's bound over the other's, or the inverse for lower bounds; None if one of them is zero."""
    if bound.value == other_bound.value:
        return 1.0
    if not (bound.value and other_bound.value):
        return None
    return other_bound.value / bound.value if theorem.relation == ">=" else bound.value / other_bound.value


def _turn(
    theorem: Theorem, other: Theorem, chain: tuple[Reduction, ...], ratios: Mapping[tuple[Any, ...], float]
) -> Turn | None:
    """Return the first step along an axis of the grid that changes the order, narrowed by halving."""
    for key, ratio in ratios.items():
        params = dict(key)
        for name, low in params.items():
            above = sorted(dict(other)[name] for other in ratios if _beside(params, dict(other), name))
            for high in above[:1]:
                if _implies(ratios[_key({**params, name: high})]) != _implies(ratio):
                    rest = {other: value for other, value in params.items() if other != name}
                    ends = _narrow(theorem, other, chain, params, name, (low, high))
                    return Turn(name, *ends, rest, _implies(ratio))
    return None


def _beside(params: Params, others: Params, name: str) -> bool:
    """Return whether only the named parameter differs, and is larger in ``others``."""
    return others[name] > params[name] and all(others[key] == params[key] for key in params if key != name)


def _narrow(
    theorem: Theorem,
    other: Theorem,
    chain: tuple[Reduction, ...],
    params: Params,
    name: str,
    ends: tuple[float, float],
) -> tuple[float, float]:
    """Return closer ends of a change of order, as far as the conditions of both theorems hold between them."""
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
        middle_ratio = ratio(middle)
        if middle_ratio is None:
            break
        if _implies(middle_ratio) == _implies(first):
            low = middle
        else:
            high = middle
    return low, high
