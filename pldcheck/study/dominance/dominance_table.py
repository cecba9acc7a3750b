"""The comparisons of all theorems, in words and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ...core.outward_decimals import down, up
from ...theorems import REGISTRY, Theorem
from .theorem_order import Comparison, Order, compare, false_theorems, grid

# The order in which comparisons are listed: implications first.
ORDERS = (Order.EQUAL, Order.IMPLIED, Order.CROSSING, Order.NEVER, Order.NOWHERE)


@dataclass(frozen=True)
class Dominance:
    """Comparisons of theorems, of all pairs or of the pairs with one ``theorem``.

    ``print`` shows the counts, :meth:`of` the comparisons of one theorem, :meth:`to_dict` what is stored as JSON.
    """

    comparisons: tuple[Comparison, ...] = field(repr=False)
    theorem: str | None = None

    @property
    def dominated(self) -> dict[str, tuple[str, ...]]:
        """The theorems that others imply at all their points, each with those others; equal theorems do not count."""
        others_by_theorem: dict[str, list[str]] = {}
        for one in self.comparisons:
            if one.everywhere and one.order is Order.IMPLIED:
                others_by_theorem.setdefault(one.theorem, []).append(one.other)
        return {theorem: tuple(others) for theorem, others in others_by_theorem.items()}

    def of(self, theorem: str) -> tuple[Comparison, ...]:
        """Return the comparisons that ask whether a theorem is implied by another, implications first."""
        own = [one for one in self.comparisons if one.theorem == theorem]
        return tuple(sorted(own, key=lambda one: (ORDERS.index(one.order), not one.everywhere)))

    def to_dict(self) -> dict[str, Any]:
        """Return all comparisons as plain values, ready for JSON."""
        return {
            "theorem": self.theorem,
            "dominated": {theorem: list(others) for theorem, others in self.dominated.items()},
            "comparisons": [one.to_dict() for one in self.comparisons],
            "left out": sorted(false_theorems()),
        }

    def __repr__(self) -> str:
        subject = f" of {self.theorem}" if self.theorem else ""
        return f"<Dominance{subject}: {len(self.comparisons)} comparisons, {len(self.dominated)} theorems dominated>"


def dominance(theorem: str | Theorem | None = None) -> Dominance:
    """Compare every two theorems that a reduction links.

    Parameters
    ----------
    theorem
        The id of a theorem, or the theorem, that is on either side of each comparison; by default all pairs are
        compared.

    Returns
    -------
    Dominance
        The comparisons, over the grids of the built-in suites.

    Raises
    ------
    UnknownNameError
        If no theorem with that id is registered.

    """
    subject = REGISTRY[theorem] if isinstance(theorem, str) else theorem
    comparisons = [
        compare(one, other) for one in REGISTRY.values() for other in REGISTRY.values() if subject in (None, one, other)
    ]
    return Dominance(tuple(one for one in comparisons if one), subject.id if subject else None)


def lines(answer: Dominance) -> Iterator[str]:
    """Yield the comparisons in words: for one theorem with the reasons, for all theorems in short form."""
    for theorem in _subjects(answer):
        claim = REGISTRY[theorem]
        yield f"{theorem}  ({claim.quantity} {claim.relation}, {claim.protocol}, {len(grid(theorem))} points)"
        yield from _full(answer.of(theorem)) if answer.theorem == theorem else _short(answer.of(theorem))
    if answer.theorem is None:
        yield f"false theorems, which are left out: {', '.join(sorted(false_theorems()))}"


def _full(own: Iterable[Comparison]) -> Iterator[str]:
    for one in own:
        yield f"  {comparison_text(one)}"
        if one.turn:
            yield f"    {_place(one)}"
        yield from (f"    {reduction.reason}" for reduction in one.reductions)


def _short(own: Iterable[Comparison]) -> Iterator[str]:
    better, count = [], 0
    for one in own:
        if one.order is Order.NEVER:
            better.append(one.other)
        elif one.order is not Order.NOWHERE:
            count += 1
            yield f"  {comparison_text(one)}"
    if better:
        yield f"  better than {', '.join(better)}"
    elif not count:
        yield "  comparable with no other one: nowhere do the conditions of both hold"


def comparison_text(one: Comparison) -> str:
    """Return one comparison in words, on one line."""
    where = f"all {one.points} points" if one.inside == one.points else f"{one.inside} of {one.points} points"
    if one.order is Order.NOWHERE:
        return f"not comparable with {one.other}, whose conditions hold at none of the {one.points} points"
    assert one.least is not None and one.largest is not None
    span = f"{down(one.least, 4)} to {up(one.largest, 4)} times"
    lower_bounds = REGISTRY[one.theorem].relation == ">="
    this, that = (one.other, one.theorem) if lower_bounds else (one.theorem, one.other)
    times = f"the bound of {this} is {span} that of {that}"
    inside = f"at {where}, those inside the conditions of both"
    inside = f"at {where}" if one.inside == one.points else inside
    if one.order is Order.EQUAL:
        return f"equal to {one.other} {inside}"
    if one.order is Order.IMPLIED and one.least == one.largest == 1:
        return f"implied by {one.other} {inside}: that one claims the same bound at a smaller delta"
    if one.order is Order.IMPLIED:
        return f"implied by {one.other} {inside}: {times}"
    if one.order is Order.NEVER:
        return f"better than {one.other} {inside}: {times}"
    if one.implied == one.equal:
        return f"equal to {one.other} at {one.equal} of {one.inside} points and better at the others: {times}"
    return f"implied by {one.other} at {one.implied} of {one.inside} points and better at the others: {times}"


def _number(value: float) -> str:
    """Return a parameter to four digits, rounded to nearest: it is not an end of an interval."""
    return f"{value:.4g}"


def _place(one: Comparison) -> str:
    turn = one.turn
    assert turn
    rest = ", ".join(f"{name}={_number(value)}" for name, value in turn.params.items())
    inner, outer = (turn.low, turn.high) if turn.implied_low else (turn.high, turn.low)
    span = f"between {_number(inner)} (implied) and {_number(outer)} (not implied)"
    return f"the order changes at {turn.parameter} {span}, {rest}"


def _subjects(answer: Dominance) -> Iterable[str]:
    return dict.fromkeys(one.theorem for one in answer.comparisons)
