"""Jobs: the grids of theorems and protocols that ``pldcheck verify`` computes, one cell for each point."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate

from ...core.errors import PldcheckError
from ...theorems import REGISTRY, Theorem
from .cell_sequence import CellPart, CellSequence
from .grid_overlaps import NewPoints
from .grid_points import GridPoints
from .job_grid import Grid
from .job_refusals import JobError, refusal, width

# The largest number of cells of a job.  More are a mistake: at a millisecond each they would take more than a day.
MOST_CELLS = 10**8
# Names of jobs become parts of file names.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Job:
    """A job of :func:`pldcheck.verify`: grids under one name.

    Parameters
    ----------
    name : str
        A name of letters, digits and ``. _ -``; stored files begin with it.
    summary : str
        One line about the job.
    grids : tuple of Grid
        At least one grid; together they have at most ``MOST_CELLS`` cells.
    width : float, optional
        The relative width of intervals, for grids without a width of their own.
    out : str, optional
        The folder in which the command line stores the results.

    Raises
    ------
    JobError
        If a value is not allowed; the error names the key.

    """

    name: str
    summary: str
    grids: tuple[Grid, ...] = field(repr=False)
    width: float | None = None
    out: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise refusal("name", "letters, digits and . _ - (at most 64)", self.name, ("name",))
        for key, text in (("summary", self.summary), ("out", self.out or "-")):
            if not isinstance(text, str) or not text.isprintable():
                raise refusal(key, "text on one line", text, (key,))
        object.__setattr__(self, "width", width(self.width, "width"))
        object.__setattr__(self, "grids", tuple(self.grids))
        if not self.grids:
            raise JobError("a job must have at least one [[grid]]")
        for place, cells in enumerate(accumulate(grid.size for grid in self.grids)):
            check_size(cells, place)

    @property
    def theorems(self) -> tuple[Theorem, ...]:
        """The theorems that have a grid, in the order of the grids."""
        return tuple({theorem.id: theorem for grid in self.grids for theorem in grid.theorems}.values())

    @property
    def subjects(self) -> tuple[str, ...]:
        """The ids of the theorems and the names of the protocols, in the order of the grids."""
        return tuple(dict.fromkeys(name for grid in self.grids for name, _ in _subjects(grid)))

    def cells(self, quick: bool = False, theorems: Iterable[str | Theorem] | None = None) -> CellSequence:
        """Return the cells by theorem, then by grid, then by point; equal cells are there once, and none is listed.

        ``quick`` restricts each grid to a small part.  ``theorems`` restricts the job to these theorems or their ids; a
        theorem that no grid names is tested on the grids that have exactly its parameters.
        """
        parts: list[CellPart] = []
        for pairs in self._grids_by_subject(theorems).values():
            earlier: dict[str, tuple[GridPoints, ...]] = {}
            for theorem, grid in pairs:
                quantity = theorem.quantity if theorem else grid.quantity
                judged = grid.judge and theorem is not None
                points = grid.points(quick)
                new_points = NewPoints(points, earlier.get(quantity, ()))
                parts.append(CellPart(theorem, grid.protocol, quantity, new_points, grid.width or self.width, judged))
                earlier[quantity] = (*earlier.get(quantity, ()), points)
        return CellSequence(tuple(parts))

    def check(self, theorems: Iterable[str | Theorem] | None) -> None:
        """Raise PldcheckError, which names the theorem, if one of them has no grid in this job."""
        self._grids_by_subject(theorems)

    def _grids_by_subject(
        self, theorems: Iterable[str | Theorem] | None
    ) -> dict[str, list[tuple[Theorem | None, Grid]]]:
        """Return the grids of each subject: the id of a theorem, or the name of a protocol."""
        pairs: dict[str, list[tuple[Theorem | None, Grid]]] = {}
        if theorems is None:
            for grid in self.grids:
                for name, theorem in _subjects(grid):
                    pairs.setdefault(name, []).append((theorem, grid))
        else:
            for entry in theorems:
                theorem = REGISTRY[entry] if isinstance(entry, str) else entry
                pairs[theorem.id] = [(theorem, grid) for grid in self._grids_of(theorem)]
        return pairs

    def _grids_of(self, theorem: Theorem) -> list[Grid]:
        of = [grid for grid in self.grids if theorem.id in (own.id for own in grid.theorems)]
        of = of or [grid for grid in self.grids if grid.theorems and set(grid.axes) == set(theorem.parameters)]
        if not of:
            raise PldcheckError(f"{theorem.id} has no grid in {self.name}; it has {', '.join(self.subjects)}")
        return of


def check_size(cells: int, place: int) -> None:
    """Raise JobError at the grid with that place if there are too many cells."""
    if cells > MOST_CELLS:
        raise JobError(f"a job must have at most {MOST_CELLS:,} cells, got {cells:,}", ("grid", place))


def _subjects(grid: Grid) -> list[tuple[str, Theorem | None]]:
    if grid.protocol is not None:
        return [(grid.protocol, None)]
    return [(theorem.id, theorem) for theorem in grid.theorems]
