"""What ``pldcheck verify`` is to do: grids of theorems and protocols, as cells to be computed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from ...core.errors import PldcheckError
from ...theorems import REGISTRY, Theorem
from .job_grid import Grid
from .job_refusals import JobError, refused, width

# More are a mistake: at a millisecond each they would take three hours.
MOST_CELLS = 10**7
# Names are the beginnings of file names.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Asked:
    """One cell: a theorem, or ``quantity`` of a protocol, at one choice of parameters.

    ``width``: relative, of the interval; None leaves it to whoever computes it.  ``judged``: whether the theorem is
    held against an interval.
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
class Job:
    """Named grids.  ``width``: of the intervals of grids that have none of their own; ``out``: the folder for files."""

    name: str
    summary: str
    grids: tuple[Grid, ...] = field(repr=False)
    width: float | None = None
    out: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise refused("name", "letters, digits and . _ - (at most 64)", self.name, ("name",))
        for key, text in (("summary", self.summary), ("out", self.out or "-")):
            if not isinstance(text, str) or not text.isprintable():
                raise refused(key, "text on one line", text, (key,))
        object.__setattr__(self, "width", width(self.width, "width"))
        object.__setattr__(self, "grids", tuple(self.grids))
        if not self.grids:
            raise JobError("a job must have at least one [[grid]]")
        for place, cells in enumerate(accumulate(grid.size for grid in self.grids)):
            check_size(cells, place)

    @property
    def theorems(self) -> tuple[Theorem, ...]:
        """Those that have a grid, in the order of the grids."""
        return tuple({theorem.id: theorem for grid in self.grids for theorem in grid.theorems}.values())

    @property
    def subjects(self) -> tuple[str, ...]:
        """The ids of the theorems and the names of the protocols, in the order of the grids."""
        return tuple(dict.fromkeys(name for grid in self.grids for name, _ in _subjects(grid)))

    def cells(self, quick: bool = False, theorems: Iterable[str | Theorem] | None = None) -> Iterator[Asked]:
        """Yield what is asked, theorem by theorem, then grid by grid, then point by point; the same is asked once.

        ``quick``: a small part of each grid.  ``theorems``: only these, by their ids; one that no grid names, such as
        one of your own, is tried on the grids with its parameters.
        """
        for pairs in self._chosen(theorems).values():
            seen: set[Any] | None = set() if len(pairs) > 1 else None  # one grid has no cell twice
            for theorem, grid in pairs:
                quantity = theorem.quantity if theorem else grid.quantity
                judged = grid.judge and theorem is not None
                for params in grid.points(quick):
                    if seen is not None:
                        key = (quantity, frozenset(params.items()))
                        if key in seen:
                            continue
                        seen.add(key)
                    yield Asked(theorem, grid.protocol, quantity, params, grid.width or self.width, judged)

    def check(self, theorems: Iterable[str | Theorem] | None) -> None:
        """Raise PldcheckError, naming the theorem, where one has no grid in this job."""
        self._chosen(theorems)

    def _chosen(self, theorems: Iterable[str | Theorem] | None) -> dict[str, list[tuple[Theorem | None, Grid]]]:
        """Return what is asked, by subject: each with its grids."""
        found: dict[str, list[tuple[Theorem | None, Grid]]] = {}
        if theorems is None:
            for grid in self.grids:
                for name, theorem in _subjects(grid):
                    found.setdefault(name, []).append((theorem, grid))
        else:
            for entry in theorems:
                theorem = REGISTRY[entry] if isinstance(entry, str) else entry
                found[theorem.id] = [(theorem, grid) for grid in self._grids_of(theorem)]
        return found

    def _grids_of(self, theorem: Theorem) -> list[Grid]:
        of = [grid for grid in self.grids if theorem.id in (own.id for own in grid.theorems)]
        of = of or [grid for grid in self.grids if grid.theorems and set(grid.axes) == set(theorem.parameters)]
        if not of:
            raise PldcheckError(f"{theorem.id} has no grid in {self.name}; it has {', '.join(self.subjects)}")
        return of


def check_size(cells: int, place: int) -> None:
    """Raise JobError, at the grid of that place, if there are too many cells."""
    if cells > MOST_CELLS:
        raise JobError(f"a job must have at most {MOST_CELLS:,} cells, got {cells:,}", ("grid", place))


def _subjects(grid: Grid) -> list[tuple[str, Theorem | None]]:
    if grid.protocol is not None:
        return [(grid.protocol, None)]
    return [(theorem.id, theorem) for theorem in grid.theorems]
