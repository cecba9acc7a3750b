"""The points of a grid as an indexable product: point ``i`` is computed from ``i``, and none is listed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from math import prod
from typing import Any

# The most points of the inner factors, which are listed once, as dicts that other points are composed of.
LISTED = 4096

Values = tuple[Any, ...]
# A factor of the product: a group of names, and the rows of values that the group takes.
Block = tuple[tuple[str, ...], Sequence[Values]]


@dataclass(frozen=True)
class GridPoints:
    """All combinations of the rows of some blocks, of which the last varies fastest.

    Parameters
    ----------
    names : tuple of str
        The order of the parameters in each point.
    blocks : tuple of Block
        The factors of the product; no block has one row twice, so that no two points are equal.

    Examples
    --------
    >>> points = GridPoints(("a", "b"), ((("a",), ((1,), (2,))), (("b",), ((5,), (6,), (7,)))))
    >>> len(points), points[4]
    (6, {'a': 2, 'b': 6})

    """

    names: tuple[str, ...]
    blocks: tuple[Block, ...]

    def __len__(self) -> int:
        return prod(self.lengths)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self.start_at(0)

    def __getitem__(self, place: int) -> dict[str, Any]:
        digits = self.digits(place)
        values = chain.from_iterable(rows[digit] for (_, rows), digit in zip(self.blocks, digits, strict=True))
        return self._ordered(dict(zip(self._block_names, values, strict=True)))

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The number of rows of each block."""
        return tuple(len(rows) for _, rows in self.blocks)

    def digits(self, place: int) -> tuple[int, ...]:
        """Return the row of each block at a place: the digits of the place in mixed radix; raise IndexError beyond."""
        if not 0 <= place < len(self):
            raise IndexError(f"no point {place} among {len(self)}")
        digits = []
        for length in reversed(self.lengths):
            place, digit = divmod(place, length)
            digits.append(digit)
        return tuple(reversed(digits))

    def start_at(self, place: int) -> Iterator[dict[str, Any]]:
        """Yield the points from a place on, in their order."""
        outer = GridPoints((), self.blocks[: self._split])
        first, skip = divmod(place, prod(self.lengths[self._split :]))
        for number in range(first, len(outer)):
            digits = outer.digits(number)
            start: dict[str, Any] = {}
            for (group, rows), digit in zip(outer.blocks, digits, strict=True):
                start.update(zip(group, rows[digit], strict=True))
            for end in self._ends(skip):
                yield self._ordered(start | end)
            skip = 0

    def contains(self, point: Mapping[str, Any]) -> bool:
        """Return whether a point with the same names is one of these."""
        return all(tuple(point[name] for name in group) in rows for group, rows in self._row_sets)

    @cached_property
    def _row_sets(self) -> list[tuple[tuple[str, ...], frozenset[Values]]]:
        return [(group, frozenset(rows)) for group, rows in self.blocks]

    @cached_property
    def _block_names(self) -> tuple[str, ...]:
        return tuple(name for group, _ in self.blocks for name in group)

    @cached_property
    def _split(self) -> int:
        """The number of outer blocks: the others are the last one, and those before it while they are few together."""
        split = max(len(self.blocks) - 1, 0)
        while split and prod(self.lengths[split - 1 :]) <= LISTED:
            split -= 1
        return split

    def _ends(self, skip: int) -> Iterable[dict[str, Any]]:
        """Return the points of the inner blocks from a place on."""
        if prod(self.lengths[self._split :]) <= LISTED:
            return self._inner[skip:] if skip else self._inner
        ((group, rows),) = self.blocks[self._split :]
        return (dict(zip(group, rows[place], strict=True)) for place in range(skip, len(rows)))

    @cached_property
    def _inner(self) -> list[dict[str, Any]]:
        names = [name for group, _ in self.blocks[self._split :] for name in group]
        rows = product(*(rows for _, rows in self.blocks[self._split :]))
        return [dict(zip(names, chain.from_iterable(row), strict=True)) for row in rows]

    def _ordered(self, values: dict[str, Any]) -> dict[str, Any]:
        return values if self._block_names == self.names else {name: values[name] for name in self.names}
