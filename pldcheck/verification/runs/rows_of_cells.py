"""The rows of cells, which may be too many to be listed: they are taken from an iterator and looked at in blocks.

Cells of one block that lead to the same problem share one task, whose answer decides the claims of all of them.  A
block is a range of the cells' numbers, so what an answer is does not depend on executors, times or earlier runs.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Container, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from .. import Row, Verdict
from ..problem import Problem
from ..run_cells import Answer, plan_of, row, row_of_refusal, task
from ..suites import Cell
from .batch_run import BatchRun
from .executors import Executor
from .sent_cells import Outcome, can_be_sent
from .work_batches import Unit, unit

LOG = logging.getLogger(__name__)

# The number of cells of a block.  Suites have fewer.
BLOCK = 10_000
# The number of blocks that are looked at before the first of them is finished.
AHEAD = 2
# The number of cells that this process plans before it looks at what workers have finished.
TOGETHER = 256

# A cell with its number in the job.
NumberedCell = tuple[int, Cell]
# A row with the number of its cell.
NumberedRow = tuple[int, Row]


@dataclass
class Standing:
    """The state of a run while it goes on.

    ``problems`` is the number of numeric problems so far, ``workers`` that of the workers, ``seconds_left`` the
    expected time for the cells that were looked at; it is known once all of these were ``planned``.  ``batches`` is the
    number of batches that workers got, ``looked_at`` that of the cells that were taken so far, ``stored`` that of the
    cells whose rows were stored before.
    """

    problems: int = 0
    workers: int = 0
    seconds_left: float = 0.0
    batches: int = 0
    looked_at: int = 0
    planned: bool = False
    stored: int = 0


@dataclass
class _Block:
    """The cells of a block, by their numbers, and the units that they wait for."""

    cells: dict[int, Cell]
    stored: Container[int]
    claims: dict[Problem, dict[int, float | None]] = field(default_factory=dict)
    # The cells that no worker can plan.
    own: list[NumberedCell] = field(default_factory=list)
    plans: int = 0
    tasks: int = 0


def rows_of(
    numbered_cells: Iterator[NumberedCell],
    executor: Executor,
    width: float | None = None,
    stored: Container[int] = (),
    standing: Standing | None = None,
) -> Generator[list[NumberedRow], None, None]:
    """Yield lists of rows with the numbers of their cells, in the order in which they are finished, each once.

    Parameters
    ----------
    numbered_cells : iterator of pairs
        Cells with their numbers, which increase.  They are taken when they are needed: some ``AHEAD * BLOCK`` are held.
    executor : Executor
        The executor that plans cells and solves problems.
    width : float, optional
        The relative width of intervals; the default is that of each cell.
    stored : container of int
        The numbers of cells that have a row already.  None is yielded for them, but their claims are decided with those
        of the cells that share their problems.  Cells of a block whose rows are all stored may be left out.
    standing : Standing, optional
        An object that is kept up to date.

    Raises
    ------
    ParameterError
        If the executor refuses its settings, before any cell is looked at.

    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        LOG.warning("NUMBA_DISABLE_JIT is set: kernels are not compiled, and may take a hundred times as long")
    with closing(_CellRun(executor, width, stored, standing or Standing())) as run:
        yield from run.rows(numbered_cells)


class _CellRun:
    """A run over blocks of cells."""

    def __init__(self, executor: Executor, width: float | None, stored: Container[int], standing: Standing) -> None:
        self.crew = executor.crew()
        self.width, self.stored, self.standing = width, stored, standing
        self.run = BatchRun(self.crew, executor.cell_timeout)
        self.blocks: dict[int, _Block] = {}
        # The block of each unit under way with, for a task, the claims of its cells.
        self.units: dict[int, tuple[_Block, int | dict[int, float | None]]] = {}
        self.numbers = 0

    def close(self) -> None:
        """End all that is under way."""
        self.run.close()

    def rows(self, numbered_cells: Iterator[NumberedCell]) -> Iterator[list[NumberedRow]]:
        """Yield the rows of cells."""
        blocks = _blocks(numbered_cells)
        more = True
        while more or self.blocks:
            while more and len(self.blocks) < AHEAD and (not self.blocks or self.run.is_hungry):
                block = next(blocks, None)
                if block is None:
                    more = False
                    break
                self._begin(block)
            if rows := self._own_rows():
                yield rows
            idle = self.run.is_busy and not any(block.own for block in self.blocks.values())
            if rows := self._rows_of_outcomes(None if idle else 0.0):
                yield rows
            self._tell()

    def _begin(self, cells: dict[int, Cell]) -> None:
        """Begin with the cells of a block, which are planned by workers or here."""
        block = _Block(cells, self.stored)
        self.blocks[next(iter(cells))] = block
        self.standing.looked_at += len(cells)
        sent = []
        for number, cell in cells.items():
            if cell.theorem and not cell.judged and number in self.stored:
                continue
            if self.crew.remote and can_be_sent(cell):
                sent.append((number, cell))
            else:
                block.own.append((number, cell))
        block.own.reverse()
        block.plans = len(sent) + len(block.own)
        self._add(block, sent)
        if not block.plans:
            self._planned(block)

    def _add(self, block: _Block, cells: Sequence[NumberedCell]) -> None:
        units = []
        for number, cell in cells:
            self.units[self.numbers] = block, number
            units.append(unit(self.numbers, cell))
            self.numbers += 1
        self.run.add(units)

    def _own_rows(self) -> list[NumberedRow]:
        """Take some of the cells that no worker can plan, and return the rows that need no numbers."""
        rows: list[NumberedRow] = []
        for block in list(self.blocks.values()):
            if block.own:
                for number, cell in [block.own.pop() for _ in range(min(TOGETHER, len(block.own)))]:
                    rows += self._plan(block, number, plan_of(cell))
                break
        return rows

    def _plan(self, block: _Block, number: int, outcome: Outcome) -> list[NumberedRow]:
        """Take the plan of a cell, and return its row if it needs no numbers."""
        block.plans -= 1
        cell, rows = block.cells[number], []
        if isinstance(outcome, Answer):
            outcome = None, None, (Verdict.UNDECIDED, outcome.reason or "")
        claim, problem, refusal = outcome
        if problem is not None:
            block.claims.setdefault(problem, {})[number] = claim
        elif number not in self.stored:
            rows.append((number, row(cell, claim, None) if refusal is None else row_of_refusal(cell, refusal)))
        if not block.plans:
            self._planned(block)
        return rows

    def _planned(self, block: _Block) -> None:
        """Begin with the problems of a block, now that all claims on them are known."""
        units: list[Unit] = []
        self.standing.problems += len(block.claims)
        for problem, claims in block.claims.items():
            # A task keeps the claims of cells that have a row as well, so that its answer does not depend on them.
            if any(number not in self.stored for number in claims):
                work = task(problem, [(block.cells[number], claim) for number, claim in claims.items()], self.width)
                self.units[self.numbers] = block, claims
                units.append(unit(self.numbers, work))
                self.numbers += 1
        block.claims = {}
        block.tasks = len(units)
        self.run.add(units)
        self._end(block)

    def _end(self, block: _Block) -> None:
        """Drop a block that is finished."""
        if not block.tasks and not block.plans:
            del self.blocks[next(iter(block.cells))]

    def _rows_of_outcomes(self, seconds: float | None) -> list[NumberedRow]:
        """Return the rows of what is heard from workers within this time."""
        rows: list[NumberedRow] = []
        for one, outcome in self.run.outcomes(seconds):
            block, of = self.units.pop(one.number)
            if isinstance(of, int):
                rows += self._plan(block, of, outcome)
            elif isinstance(outcome, Answer):
                rows += self._answer(block, of, outcome)
        return rows

    def _answer(self, block: _Block, claims: dict[int, float | None], answer: Answer) -> list[NumberedRow]:
        """Return the rows of the cells that share an answer."""
        rows = [
            (number, row(block.cells[number], claim, answer))
            for number, claim in claims.items()
            if number not in self.stored
        ]
        block.tasks -= 1
        self._end(block)
        return rows

    def _tell(self) -> None:
        self.standing.workers = workers = self.crew.count()
        self.standing.batches = self.run.batches
        self.standing.planned = not any(block.plans for block in self.blocks.values())
        self.standing.seconds_left = self.run.seconds_left / workers


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
