"""Cells, and the sequence of a job's cells: each is computed from its index, and none is listed."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any

from ...theorems import Theorem
from .grid_overlaps import NewPoints


@dataclass(frozen=True)
class Cell:
    """One cell of a job: a theorem, or a quantity of a protocol, at one choice of parameters.

    ``width`` is the relative width of the interval; None stands for the default.  ``judged`` says whether the theorem
    is compared with an interval, or only its own bound is computed.
    """

    theorem: Theorem | None
    protocol: str | None
    quantity: str
    params: dict[str, Any] = field(hash=False)
    width: float | None
    judged: bool

    @property
    def subject(self) -> str:
        """The id of the theorem, or the protocol."""
        return self.theorem.id if self.theorem else str(self.protocol)


@dataclass(frozen=True)
class CellPart:
    """The cells of one theorem, or of one protocol, on one grid: those that no earlier part of its subject has."""

    theorem: Theorem | None
    protocol: str | None
    quantity: str
    points: NewPoints
    width: float | None
    judged: bool

    @property
    def subject(self) -> str:
        """The id of the theorem, or the protocol."""
        return self.theorem.id if self.theorem else str(self.protocol)

    def cell(self, params: dict[str, Any]) -> Cell:
        """Return the cell at a point."""
        return Cell(self.theorem, self.protocol, self.quantity, params, self.width, self.judged)


@dataclass(frozen=True)
class CellSequence:
    """The cells of a job in their order, as an indexable sequence of known length.

    Examples
    --------
    >>> from pldcheck.verification.suites import SUITES
    >>> cells = SUITES["refuted"].cells()
    >>> len(cells), cells[0].subject, [index for index, cell in cells.between(3, 5)]
    (24, 'chen-gdp', [3, 4])

    """

    parts: tuple[CellPart, ...]

    def __len__(self) -> int:
        return self._ends[-1] if self.parts else 0

    def __iter__(self) -> Iterator[Cell]:
        return (cell for _, cell in self.between(0, len(self)))

    def __getitem__(self, index: int) -> Cell:
        if not 0 <= index < len(self):
            raise IndexError(f"no cell {index} among {len(self)}")
        place = bisect_right(self._ends, index)
        part = self.parts[place]
        return part.cell(part.points[index - self._start(place)])

    @property
    def counts(self) -> Counter[str]:
        """The number of cells of each theorem or protocol."""
        counts: Counter[str] = Counter()
        for part in self.parts:
            counts[part.subject] += len(part.points)
        return counts

    @property
    def names(self) -> list[str]:
        """The names of parameters that cells have, each once."""
        return list(dict.fromkeys(name for part in self.parts for name in part.points.points.names))

    @property
    def theorems(self) -> list[str]:
        """The ids of the theorems."""
        return list(dict.fromkeys(part.theorem.id for part in self.parts if part.theorem and len(part.points)))

    def between(self, start: int, stop: int) -> Iterator[tuple[int, Cell]]:
        """Yield the cells from index ``start`` to ``stop - 1``, each with its index."""
        index, stop = start, min(stop, len(self))
        while index < stop:
            place = bisect_right(self._ends, index)
            part, end = self.parts[place], min(self._ends[place], stop)
            points = part.points.start_at(index - self._start(place))
            for number, params in zip(range(index, end), points, strict=False):
                yield number, part.cell(params)
            index = end

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(len(part.points) for part in self.parts))

    def _start(self, place: int) -> int:
        return self._ends[place - 1] if place else 0
