"""The points of a grid that earlier grids have as well, as disjoint boxes of digits, so that they can be counted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from .grid_points import GridPoints

# Of each block the digits that belong to it, ascending.
Box = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class NewPoints:
    """The points of a grid that no earlier grid has, in the order of the grid; a point is found by its place.

    Parameters
    ----------
    points : GridPoints
        The points of the grid.
    earlier : tuple of GridPoints
        Grids of the same quantity, of which only those with the same names matter.

    """

    points: GridPoints
    earlier: tuple[GridPoints, ...] = ()

    def __len__(self) -> int:
        return len(self.points) - sum(map(_size, self.boxes))

    def __getitem__(self, place: int) -> dict[str, Any]:
        return self.points[self._raw(place)]

    def start_at(self, place: int) -> Iterator[dict[str, Any]]:
        """Yield the points from a place on."""
        if place >= len(self):
            return
        if not self.boxes:
            yield from self.points.start_at(place)
            return
        for point in self.points.start_at(self._raw(place)):
            if not any(other.contains(point) for other in self._meeting):
                yield point

    @cached_property
    def boxes(self) -> list[Box]:
        """The points that are in an earlier grid, as disjoint boxes."""
        boxes: list[Box] = []
        for other in self._meeting:
            new = list(_common_boxes(self.points, other))
            for box in boxes:
                new = [piece for one in new for piece in _difference(one, box)]
            boxes += new
        return boxes

    @cached_property
    def _meeting(self) -> list[GridPoints]:
        return [
            other
            for other in self.earlier
            if set(other.names) == set(self.points.names) and next(_common_boxes(self.points, other), None) is not None
        ]

    def _raw(self, place: int) -> int:
        """Return the place in the whole grid of a place among the new points; raise IndexError if there is none."""
        if not 0 <= place < len(self):
            raise IndexError(f"no point {place} among {len(self)}")
        if not self.boxes:
            return place
        return bisect_left(range(len(self.points)), place + 1, key=lambda raw: self._count_new(raw + 1))

    def _count_new(self, end: int) -> int:
        """Return the number of new points before a place of the whole grid."""
        if end == len(self.points):
            return len(self)
        digits = self.points.digits(end)
        return end - sum(_count_before(box, digits) for box in self.boxes)


def _size(box: Box) -> int:
    return prod(map(len, box))


def _count_before(box: Box, digits: Sequence[int]) -> int:
    """Return the number of points of a box that come before the point with these digits."""
    count = 0
    for block, (inside, digit) in enumerate(zip(box, digits, strict=True)):
        place = bisect_left(inside, digit)
        count += place * _size(box[block + 1 :])
        if place == len(inside) or inside[place] != digit:
            break
    return count


def _common_boxes(points: GridPoints, other: GridPoints) -> Iterator[Box]:
    """Yield disjoint boxes of digits of ``points`` that together are the points that ``other`` has, too."""
    box = tuple(tuple(range(length)) for length in points.lengths)
    spanning: list[list[dict[int, frozenset[int]]]] = []
    for group, rows in other.blocks:
        # Where each name of the group lies in the blocks of this grid.
        homes = {block: [name for name in group if name in own] for block, (own, _) in enumerate(points.blocks)}
        homes = {block: names for block, names in homes.items() if names}
        digits = {block: _digits_by_values(points, block, names) for block, names in homes.items()}
        alternatives = []
        for row in rows:
            values = dict(zip(group, row, strict=True))
            one = {
                block: digits[block].get(tuple(values[name] for name in names), frozenset())
                for block, names in homes.items()
            }
            if all(one.values()):
                alternatives.append(one)
        if len(homes) == 1:  # the rows of the group are digits of one block
            (block,) = homes
            kept = frozenset(digit for one in alternatives for digit in one[block])
            box = _restricted(box, {block: kept})
        else:
            spanning.append(alternatives)
    boxes = [box]
    for alternatives in spanning:
        boxes = [_restricted(one, limits) for one in boxes for limits in alternatives]
    yield from (one for one in boxes if _size(one))


def _digits_by_values(points: GridPoints, block: int, names: Iterable[str]) -> dict[tuple[Any, ...], frozenset[int]]:
    """Return the digits of a block by the values that its rows have for some of its names."""
    own, rows = points.blocks[block]
    places = [own.index(name) for name in names]
    digits: dict[tuple[Any, ...], set[int]] = {}
    for digit, row in enumerate(rows):
        digits.setdefault(tuple(row[place] for place in places), set()).add(digit)
    return {values: frozenset(several) for values, several in digits.items()}


def _restricted(box: Box, limits: dict[int, frozenset[int]]) -> Box:
    return tuple(
        tuple(digit for digit in digits if digit in limits[block]) if block in limits else digits
        for block, digits in enumerate(box)
    )


def _difference(box: Box, other: Box) -> Iterator[Box]:
    """Yield disjoint boxes that together are the points of ``box`` outside ``other``."""
    others = [frozenset(digits) for digits in other]
    for block, digits in enumerate(box):
        outside = tuple(digit for digit in digits if digit not in others[block])
        inside = tuple(digit for digit in digits if digit in others[block])
        if outside:
            yield (*box[:block], outside, *box[block + 1 :])
        if not inside:
            return
        box = (*box[:block], inside, *box[block + 1 :])
