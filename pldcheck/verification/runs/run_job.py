"""The run of a job: stored cells are not computed again, new rows are stored at once, and all rows are folded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from ...core.errors import ConditionError, PldcheckError
from ...core.parameters import PARAMETERS
from ...core.sealed_files import DamageError
from ...theorems import Theorem
from .. import Report, Row, Verdict
from ..run_cells import claim_of, header
from ..run_fold import RunFold
from ..suites import Cell, CellSequence, Job
from ..verdict import OPEN
from . import cell_identity, row_reader, stored_rows
from .executors import Cores, Executor
from .kept_rows import keep_own, take_kept
from .row_encoding import decode
from .row_writer import MemoryWriter, RowWriter
from .rows_of_cells import BLOCK, Standing, rows_of
from .run_database import Database, files_of, to_write, write_lock

# The relative difference that is allowed between a stored end and one computed anew: sums in another order, on another
# number of cores, differ in their last digits.
SAME = 1e-9
# The most damaged rows that are named.
MOST_NAMED = 20
# What is done with a row of a cell, as a byte for each: it is computed, not computed, or computed anew and compared.
MISSING, STORED, AGAIN = range(3)

# A function that is called with a finished row and the number of rows that were not stored before.
Step = Callable[[Row, int], None]


@dataclass(frozen=True)
class Log:
    """The file in which the rows of a run are stored as they are finished.

    Parameters
    ----------
    path : Path
        The file.
    also : tuple of Path
        Files of other runs, whose rows are taken over as well by a run that resumes; they are not changed.
    origin : mapping
        The provenance, which the head of the file gets.

    """

    path: Path
    also: tuple[Path, ...] = ()
    origin: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class _Stored:
    """The state of the stored row of each cell, damage in sentences, and what differs when computed anew."""

    states: bytearray
    damage: list[str] = field(default_factory=list)
    bad: int = 0
    differ: list[str] = field(default_factory=list)

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and 0 <= number < len(self.states) and self.states[number] == STORED

    def complain(self, sentence: str) -> None:
        """Record damage, of which the first few are named."""
        self.bad += 1
        if self.bad <= MOST_NAMED:
            self.damage.append(sentence)

    def take_over(
        self, database: Database, cells: CellSequence, width: float | None, share: float, fold: RunFold[Row]
    ) -> None:
        """Take over the rows that answer their cells, but a ``share`` of them, which is to be computed anew."""
        for start in range(0, len(cells), BLOCK):
            stored = list(database.rows(start, start + BLOCK))
            asked = dict(cells.between(start, start + BLOCK)) if stored else {}
            for number, *columns in stored:
                if number not in asked:
                    continue
                try:
                    row = decode(number, *columns)
                except DamageError as error:
                    self.complain(f"row {number}: {error}")
                    continue
                if _has_no_numbers(row):
                    continue
                if row.cell is None or row.cell != _name(asked[number], width) or not _answers(row, asked[number]):
                    self.complain(f"row {number}, {row.subject}: its claim or verdict does not follow from its values")
                elif cell_identity.is_in_share(row.cell, share):
                    self.states[number] = AGAIN
                else:
                    self.states[number] = STORED
                    fold.add(number, row)


def run(
    job: Job,
    theorems: Iterable[str | Theorem] | None = None,
    quick: bool = False,
    width: float | None = None,
    executor: Executor | None = None,
    log: Log | None = None,
    resume: bool = False,
    progress: Step | None = None,
    recheck: float = 0.0,
    standing: Standing | None = None,
    overwrite: bool = False,
) -> Report:
    """Return the report of a job, like :func:`pldcheck.verify`, with a file of its rows and a choice of executors.

    Parameters
    ----------
    job, theorems, quick, width, progress
        The same as in :func:`pldcheck.verification.verify`.
    executor : Executor, optional
        The executor that computes numbers; the default uses all cores.
    log : Log, optional
        The file in which every row is stored as soon as it is finished.
    resume : bool
        Whether to take over the rows in the log that this version of the code computed, if they have numbers.
    recheck : float in [0, 1]
        The share of those rows, chosen by the digests of their cells, that is computed anew and compared.
    standing : Standing, optional
        An object that is kept up to date while the run goes on.
    overwrite : bool
        Whether what the log has is dropped; else all rows that are not taken over are kept aside.

    Returns
    -------
    Report
        The report, with rows in the order of the job.  Those of more than ``stored_rows.IN_MEMORY`` cells are read one
        by one, from the log or from a temporary file.  A cell that raises an error, takes too long or loses its worker
        is UNDECIDED, with the reason.

    Raises
    ------
    PldcheckError
        If the log is written by another process, is damaged, or cannot be written to.

    """
    start = perf_counter()
    executor, standing = executor or Cores(), standing or Standing()
    width = None if width is None else float(PARAMETERS["width"].parse(width))
    cells = job.cells(quick, theorems)
    stored, fold = _Stored(bytearray(len(cells))), RunFold[Row]()
    with _database(log, len(cells), overwrite) as database:
        about: dict[str, Any] = {
            **header(job, [], quick, width, 0),
            "theorems": cells.theorems,
            "cells": len(cells),
        }
        if database and log:
            about |= {"questions": cell_identity.questions(cells), "code": cell_identity.code()}
            _prepare(database, log, cells, width, about, resume, stored)
            if resume:
                stored.take_over(database, cells, width, recheck, fold)
        standing.stored = stored.states.count(STORED)
        old_count, again = standing.stored, stored.states.count(AGAIN)
        writer = RowWriter(database) if database else MemoryWriter()
        _compute(cells, width, executor, database, writer, stored, fold, progress, standing)
        about |= {
            "problems": standing.problems,
            "executor": executor.about,
            "resumed": old_count,
            "damage": [*stored.damage, *([f"{stored.bad} such rows in all"] if stored.bad > MOST_NAMED else [])],
            "seconds": perf_counter() - start,
        }
        if recheck > 0.0:
            about["recheck"] = {"share": recheck, "rows": again, "differ": stored.differ}
        if database and log:
            stale = _finish(database, about["code"])
            about = {**log.origin, **about, **({"stale": stale} if stale else {}), "journal": database.journal}
            database.write_head({**about, "identity": cell_identity.run(cells, width), "ended": True})
            database.settle()
        rows = writer.rows(len(cells))
    return Report(about["suite"], rows, about, fold)


@contextmanager
def _database(log: Log | None, count: int, overwrite: bool) -> Iterator[Database | None]:
    """Yield the open file of a run's rows, None for few rows that need none; leave no file if nothing is stored."""
    if log is None:
        yield to_write(None) if count > stored_rows.IN_MEMORY else None
        return
    with write_lock(log.path):
        if overwrite:
            _remove(log.path)
        new, database = not log.path.exists(), None
        try:
            database = to_write(log.path)
            yield database
        except BaseException:
            if database:
                database.undo()
                database.close()
            if new and not (database and database.has_commits):
                _remove(log.path)
            raise


def _remove(path: Path) -> None:
    for file in files_of(path):
        file.unlink(missing_ok=True)


def _prepare(
    database: Database,
    log: Log,
    cells: CellSequence,
    width: float | None,
    about: Mapping[str, Any],
    resume: bool,
    stored: _Stored,
) -> None:
    """Leave those rows in the database that may be taken over, and keep the others aside; nothing is committed yet."""
    head, identity = database.head(), cell_identity.run(cells, width)
    if not (resume and head.get("identity") == identity):
        keep_own(database, head.get("code", ""), stored.complain)
    if resume:
        names = ((_name(cell, width), number) for number, cell in cells.between(0, len(cells)))
        take_kept(database, names, log.path, log.also, stored.complain)
    database.write_head({**log.origin, **about, "identity": identity, "ended": False})


def _finish(database: Database, code: str) -> int:
    """Drop rows aside of the cells that were answered; return how many are of another version of the code."""
    if database.execute("SELECT 1 FROM kept LIMIT 1"):
        database.begin()
        database.execute("DELETE FROM kept WHERE cell IN (SELECT cell FROM rows)")
    return int(database.execute("SELECT count(*) FROM kept WHERE code <> ?", code)[0][0])


def _compute(
    cells: CellSequence,
    width: float | None,
    executor: Executor,
    database: Database | None,
    writer: RowWriter | MemoryWriter,
    stored: _Stored,
    fold: RunFold[Row],
    progress: Step | None,
    standing: Standing,
) -> None:
    """Compute and store the rows that are missing."""
    names: dict[int, str] = {}
    total = len(cells) - stored.states.count(STORED)
    if not total:
        return

    def todo() -> Iterator[tuple[int, Cell]]:
        for start in range(0, len(cells), BLOCK):
            stop = min(start + BLOCK, len(cells))
            if stored.states.count(STORED, start, stop) < stop - start:
                for number, cell in cells.between(start, stop):
                    if database and number not in stored:
                        names[number] = _name(cell, width)
                    yield number, cell

    try:
        with closing(rows_of(todo(), executor, width, stored, standing)) as batches:
            for finished in batches:
                if database and not database.has_commits:
                    database.commit()  # the executor has begun: what was prepared is to stay
                rows = [(number, replace(row, cell=names.pop(number, None))) for number, row in finished]
                for number, row in rows:
                    if stored.states[number] == AGAIN and database:
                        ((_, *columns),) = database.rows(number, number + 1)
                        stored.differ += filter(None, [_difference(decode(number, *columns), row)])
                writer.add(rows)
                for number, row in rows:
                    stored.states[number] = STORED
                    fold.add(number, row)
                    if progress:
                        progress(row, total)
    finally:
        writer.close()
    if (missing := stored.states.find(MISSING)) >= 0:
        raise PldcheckError(f"cell {missing} and others have no row; --resume computes them")


def _answers(row: Row, cell: Cell) -> bool:
    """Return whether a stored row answers this cell: its claim and verdict follow from the theorem and the ends."""
    if cell.subject != row.subject or dict(row.params) != dict(cell.params):
        return False
    if cell.theorem is None:
        return row.quantity == cell.quantity
    try:
        bound = claim_of(cell)
    except ConditionError:
        return row.verdict is Verdict.OUT_OF_CONDITIONS
    except PldcheckError:
        return row.analytic is None
    if row.analytic is None or bound is None:
        return row.lower is None and row.verdict in (*OPEN, Verdict.OUT_OF_CONDITIONS)
    if bound.value != row.analytic:
        return False
    if not cell.judged:
        return row.verdict is Verdict.NOT_JUDGED
    return row_reader.fits(row, cell.theorem)


def _difference(old: Row, new: Row) -> str:
    """Return a sentence about the difference of a stored row and the same row computed anew; empty if there is none."""
    pairs = ((getattr(old, name), getattr(new, name)) for name in ("analytic", "lower", "upper"))
    same = all(
        one == other or (one is not None and other is not None and abs(one - other) <= SAME * min(abs(one), abs(other)))
        for one, other in pairs
    )
    if same and old.verdict is new.verdict:
        return ""
    at = ", ".join(f"{name}={value}" for name, value in old.params.items())
    return (
        f"{old.subject} at {at}: stored {old.verdict} with [{old.lower!r}, {old.upper!r}], "
        f"computed anew {new.verdict} with [{new.lower!r}, {new.upper!r}]"
    )


def _has_no_numbers(row: Row) -> bool:
    """Return whether the row reports a failure: too little time or memory, the loss of a worker, or an error."""
    return row.verdict is Verdict.UNDECIDED and row.lower is None


def _name(cell: Cell, width: float | None) -> str:
    width = width or cell.width
    return cell_identity.cell(cell.theorem, cell.protocol, cell.quantity, cell.params, width, cell.judged)
