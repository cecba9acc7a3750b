"""The execution of cells that come one by one: some are taken together, and their rows are yielded together."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import islice

from .. import Row
from ..run_cells import settle
from ..suites import Cell
from .executors import Executor

# The cells that are taken together.
CHUNK = 2000


def finished_rows(
    cells: Iterator[tuple[int, Cell]], width: float | None, executor: Executor
) -> Generator[list[tuple[int, Row]], None, int]:
    """Yield lists of rows, each with the index of its cell, and return the number of problems.

    Every index comes once, in any order.  At most some thousand cells are under way at a time.
    """
    problems = 0
    while chunk := list(islice(cells, CHUNK)):
        rows: dict[int, Row] = {}
        problems += settle([cell for _, cell in chunk], width, executor, rows.__setitem__, rows)
        yield [(chunk[place][0], row) for place, row in rows.items()]
    return problems
