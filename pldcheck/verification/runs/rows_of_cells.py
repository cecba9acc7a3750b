"""The rows of cells, which may be too many to be listed: they are taken from an iterator and looked at in blocks.

Cells of one block that lead to the same problem share one answer, which decides the claims of all of them.  A block is
a range of the cells' numbers, so that an answer does not depend on earlier runs.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from .. import Row
from ..run_cells import settle
from ..suites import Cell
from .executors import Executor

# The number of cells of a block.
BLOCK = 2000

# A cell with its number in the job.
NumberedCell = tuple[int, Cell]
# A row with the number of its cell.
NumberedRow = tuple[int, Row]


@dataclass
class Standing:
    """The state of a run while it goes on: ``problems`` is the number of numeric problems so far."""

    problems: int = 0


def rows_of(
    numbered_cells: Iterator[NumberedCell],
    executor: Executor,
    width: float | None,
    stored: Container[int],
    standing: Standing,
) -> Iterator[list[NumberedRow]]:
    """Yield lists of rows with the numbers of their cells, each once; the numbers of the cells increase.

    ``stored`` has the numbers of cells that have a row already.  None is yielded for them, but their claims are decided
    with those of the cells that share their problems.
    """
    for block in _blocks(numbered_cells):
        numbers = list(block)
        rows = {place: None for place, number in enumerate(numbers) if number in stored}
        finished: list[NumberedRow] = []

        def finish(
            place: int,
            row: Row,
            rows: dict[int, None] = rows,
            finished: list[NumberedRow] = finished,
            numbers: list[int] = numbers,
        ) -> None:
            if place not in rows:
                rows[place] = None
                finished.append((numbers[place], row))

        standing.problems += settle(list(block.values()), width, executor, finish, rows)
        yield finished


def _blocks(numbered_cells: Iterator[NumberedCell]) -> Iterator[dict[int, Cell]]:
    """Yield the cells in blocks of consecutive numbers."""
    cells: dict[int, Cell] = {}
    for number, cell in numbered_cells:
        if cells and number // BLOCK != next(iter(cells)) // BLOCK:
            yield cells
            cells = {}
        cells[number] = cell
    if cells:
        yield cells
