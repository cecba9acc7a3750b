"""Which theorem is implied by which other: all comparisons, in words and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any

from ...core.outward_decimals import down, up
from ...theorems import REGISTRY, Theorem
from .theorem_order import Comparison, Order, compare, false_ones, grid

# In the order in which they are told.
TOLD = (Order.EQUAL, Order.IMPLIED, Order.CROSSING, Order.NEVER, Order.NOWHERE)


@dataclass(frozen=True)
class Dominance:
    """Comparisons of theorems; ``theorem``: the one that was asked about, if one was."""

    comparisons: tuple[Comparison, ...] = field(repr=False)
    theorem: str | None = None

    @property
    def dominated(self) -> dict[str, tuple[str, ...]]:
        """Theorems that are implied at all their points, each with those that imply it; equal ones not counted."""
        found: dict[str, list[str]] = {}
        for one in self.comparisons:
            if one.everywhere and one.order is Order.IMPLIED:
                found.setdefault(one.theorem, []).append(one.other)
        return {theorem: tuple(others) for theorem, others in found.items()}

    def of(self, theorem: str) -> tuple[Comparison, ...]:
        """Return those that ask whether this one is implied, the implied ones first."""
        own = [one for one in self.comparisons if one.theorem == theorem]
        return tuple(sorted(own, key=lambda one: (TOLD.index(one.order), not one.everywhere)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "theorem": self.theorem,
            "dominated": {theorem: list(others) for theorem, others in self.dominated.items()},
            "comparisons": [one.to_dict() for one in self.comparisons],
            "left out": sorted(false_ones()),
        }

    def __repr__(self) -> str:
        subject = f" of {self.theorem}" if self.theorem else ""
        return f"<Dominance{subject}: {len(self.comparisons)} comparisons, {len(self.dominated)} theorems dominated>"

    def _repr_html_(self) -> str:
        others = list(dict.fromkeys(one.other for one in self.comparisons))
        head = "".join(f"<th>{escape(other)}</th>" for other in others)
        body = "".join(f"<tr>{_heat(theorem, others, self.of(theorem))}</tr>" for theorem in _subjects(self))
        caption = "share of the points at which the row is implied by the column"
        return f"<table><caption>{caption}</caption><tr><th></th>{head}</tr>{body}</table>"


def dominance(theorem: str | Theorem | None = None) -> Dominance:
    """Compare every two theorems that a reduction links, or those with this one on either side.

    Raises UnknownNameError for an id that is not registered.
    """
    chosen = REGISTRY[theorem] if isinstance(theorem, str) else theorem
    found = [
        compare(one, other) for one in REGISTRY.values() for other in REGISTRY.values() if chosen in (None, one, other)
    ]
    return Dominance(tuple(one for one in found if one), chosen.id if chosen else None)


def lines(found: Dominance) -> Iterator[str]:
    """Yield all of it in words; of one theorem with the reasons, of all of them in short."""
    for theorem in _subjects(found):
        claim = REGISTRY[theorem]
        yield f"{theorem}  ({claim.quantity} {claim.relation}, {claim.protocol}, {len(grid(theorem))} points)"
        yield from _full(found.of(theorem)) if found.theorem == theorem else _short(found.of(theorem))
    if found.theorem is None:
        yield f"left out, being false: {', '.join(sorted(false_ones()))}"


def _full(own: Iterable[Comparison]) -> Iterator[str]:
    for one in own:
        yield f"  {told(one)}"
        if one.turn:
            yield f"    {_place(one)}"
        yield from (f"    {reduction.reason}" for reduction in one.reductions)


def _short(own: Iterable[Comparison]) -> Iterator[str]:
    better = []
    for one in own:
        if one.order is Order.NEVER:
            better.append(one.other)
        elif one.order is not Order.NOWHERE:
            yield f"  {told(one)}"
    if better:
        yield f"  better than {', '.join(better)}"


def told(one: Comparison) -> str:
    """Return one comparison on a line."""
    where = f"all {one.points} points" if one.inside == one.points else f"{one.inside} of {one.points} points"
    if one.order is Order.NOWHERE:
        return f"not comparable with {one.other}: its conditions hold at none of the {one.points} points"
    assert one.least is not None and one.largest is not None
    times = f"{down(one.least, 4)} to {up(one.largest, 4)} times it"
    inside = f"inside the conditions of both, at {where}"
    inside = f"at {where}" if one.inside == one.points else inside
    if one.order is Order.EQUAL:
        return f"equal to {one.other} {inside}"
    if one.order is Order.IMPLIED and one.least == one.largest == 1:
        return f"implied by {one.other} {inside}: the same bound, at a smaller delta"
    if one.order is Order.IMPLIED:
        return f"implied by {one.other} {inside}: {times}"
    if one.order is Order.NEVER:
        return f"better than {one.other} {inside}: {times}"
    if one.implied == one.equal:
        return f"equal to {one.other} at {one.equal} of {one.inside} points, better at the others: {times}"
    return f"crosses {one.other}: implied at {one.implied} of {one.inside} points: {times}"


def _number(value: float) -> str:
    """Return a place on the grid to four digits: a parameter, not an end of an interval."""
    return f"{value:.4g}"


def _place(one: Comparison) -> str:
    turn = one.turn
    assert turn
    rest = ", ".join(f"{name}={_number(value)}" for name, value in turn.params.items())
    inner, outer = (turn.low, turn.high) if turn.implied_low else (turn.high, turn.low)
    return f"turns at {turn.parameter} between {_number(inner)} (implied) and {_number(outer)} (not), {rest}"


def _subjects(found: Dominance) -> Iterable[str]:
    return dict.fromkeys(one.theorem for one in found.comparisons)


def _heat(theorem: str, others: list[str], own: Iterable[Comparison]) -> str:
    by = {one.other: one for one in own}
    cells = [f"<th>{escape(theorem)}</th>"]
    for other in others:
        one = by.get(other)
        if one is None or not one.inside:
            cells.append("<td></td>")
            continue
        share = one.implied / one.inside
        # From white to a light blue on which black text can be read.
        colour = f"rgb({255 - round(115 * share)},{255 - round(65 * share)},255)"
        text = "=" if one.order is Order.EQUAL else f"{share:.0%}"
        cells.append(f'<td style="background:{colour};color:#000">{text}</td>')
    return "".join(cells)
