"""The run of a job with a log: stored cells are not computed again, and new rows are stored at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence, Sized
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter

from ...core import sealed_files
from ...core.errors import ConditionError, ParameterError, PldcheckError
from ...core.parameters import PARAMETERS
from ...theorems import REGISTRY, Theorem
from .. import Report, Row, Verdict
from ..run_cells import claim_of, header
from ..suites import Cell, CellSequence, Job
from ..verdict import OPEN
from . import cell_identity, row_reader
from .executors import Cores, Executor
from .rows_of_cells import Standing, rows_of
from .run_log import Log, LogContent, Writer
from .shard_folder import folder_of
from .stream_job import run_in_shards

# The most cells of a run whose rows are held in memory, some 2 KB each.  A larger one writes them to shards.
MOST_IN_MEMORY = 50_000
# The number of rows after which waiting rows are stored: rows that need no numbers come by the thousand.
TOGETHER = 1000
# The time in seconds after which waiting rows are stored: so much work is lost at most if the process is killed.
SECONDS = 0.5

# The relative difference that is allowed between a stored end and one computed anew: sums in another order, on another
# number of cores, differ in their last digits.
SAME = 1e-9

# A function that is called with a finished row and the number of rows that were not stored before.
Step = Callable[[Row, int], None]


@dataclass(frozen=True)
class FinishedRun:
    """A finished run; ``files`` are the files of the log that may be removed once the report is stored."""

    report: Report
    files: tuple[Path, ...] = ()


@dataclass
class _Rows:
    """The rows of a run: rows from the log, and new rows, which it stores as they are finished."""

    names: list[str]
    writer: Writer | None
    step: Step | None
    by_index: dict[int, Row] = field(default_factory=dict)
    waiting: list[Row] = field(default_factory=list)
    since: float = field(default_factory=perf_counter)
    total: int = 0
    again: dict[int, Row] = field(default_factory=dict)
    damage: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.total = len(self.names)

    def take(self, old_rows: dict[str, Row], cells: Sequence[Cell], share: float) -> int:
        """Take over the stored rows that answer these cells, and return their number.

        A ``share`` of them is not taken but put in ``again``: these cells are computed anew and compared.
        """
        for index, name in enumerate(self.names):
            row = old_rows.get(name)
            if row is None or _has_no_numbers(row):
                continue
            if not _answers(row, cells[index]):
                self.damage.append(f"{row.subject}, cell {name}: its claim or verdict does not follow from its values")
            elif cell_identity.is_in_share(name, share):
                self.again[index] = row
            else:
                self.by_index[index] = row
        self.total -= len(self.by_index)
        return len(self.by_index)

    def add(self, index: int, row: Row) -> None:
        """Add the new row of a cell, and store the waiting rows if they are many or have waited long."""
        if index in self.by_index:
            return
        named_row = replace(row, cell=self.names[index])
        self.waiting.append(named_row)
        self.by_index[index] = named_row
        if self.step:
            self.step(row, self.total)
        if len(self.waiting) >= TOGETHER or perf_counter() - self.since > SECONDS:
            self.store()

    def store(self) -> None:
        """Store the waiting rows by one system call."""
        if self.writer and self.waiting:
            self.writer.add(self.waiting)
        self.waiting, self.since = [], perf_counter()


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
) -> FinishedRun:
    """Return the report of a job, like :func:`pldcheck.verify`, with a log of its cells and a choice of executors.

    Parameters
    ----------
    job, theorems, quick, width, progress
        The same as in :func:`pldcheck.verify`.
    executor : Executor, optional
        The executor that computes numbers; the default uses all cores.
    log : Log, optional
        The log in which every row is stored as soon as it is finished.
    resume : bool
        Whether to take over the rows in the log that this version of the code stored, if they have numbers.
    recheck : float in [0, 1]
        The share of those rows, chosen by the digests of their cells, that is computed anew and compared.
    standing : Standing, optional
        An object that is kept up to date while the run goes on.

    Returns
    -------
    FinishedRun
        The report, with rows in the order of the job.  The rows of more than ``MOST_IN_MEMORY`` cells are in shards
        beside the log, or in a temporary folder, and are read one by one.  A cell that raises an error, takes too long
        or loses its worker is UNDECIDED, with the reason.

    """
    start = perf_counter()
    executor = executor or Cores()
    width = None if width is None else float(PARAMETERS["width"].parse(width))
    sequence = job.cells(quick, theorems)
    if is_large(sequence):
        path = folder_of(log.path) if log else None
        standing = standing or Standing()
        return FinishedRun(
            run_in_shards(
                job, sequence, quick, width, executor, path, resume, progress, recheck, standing, compare=_difference
            )
        )
    cells = list(sequence)
    names = [_name(cell, width) for cell in cells]
    log_content = log.read() if log and resume else None
    with log.writer() if log else nullcontext() as writer:
        rows = _Rows(names, writer, progress)
        old_count = rows.take(log_content.others | log_content.rows, cells, recheck) if log_content else 0
        own_cells = safe_cells = set(names)
        if writer and log_content:  # the new report would overwrite cells of other questions in the job's file
            safe_cells = own_cells | log_content.folder_cells | _obsolete_cells(log_content, cells)
            writer.add(row for name, row in log_content.rows.items() if name not in safe_cells)
        try:
            standing = standing or Standing()
            for finished in rows_of(iter(enumerate(cells)), executor, width, rows.by_index, standing):
                try:
                    for index, row in finished:
                        rows.add(index, row)
                finally:  # an interrupt may come while rows are added
                    rows.store()
        except ParameterError:  # the executor refused its settings before anything was computed
            if writer:
                writer.discard()
            raise
    values = {
        **header(job, cells, quick, width, standing.problems),
        "executor": executor.about,
        "resumed": old_count,
        "damage": [*(log_content.damage if log_content else ()), *rows.damage],
        "questions": questions(cells),
        "code": cell_identity.code(),
        "seconds": perf_counter() - start,
    }
    if recheck > 0.0:
        wrong = [words for index, row in rows.again.items() if (words := _difference(row, rows.by_index[index]))]
        values["recheck"] = {"share": recheck, "rows": len(rows.again), "differ": wrong}
    report = Report(values["suite"], tuple(rows.by_index[index] for index in range(len(cells))), values)
    files = [path for path, cells in log_content.files.items() if cells <= own_cells] if log_content else []
    own = [writer.path] if writer and not (log_content and log_content.rows.keys() - safe_cells) else []
    return FinishedRun(report, (*files, *own))


def is_large(cells: Sized) -> bool:
    """Return whether a job has so many cells that its rows go to shards, and are not held in memory."""
    return len(cells) > MOST_IN_MEMORY


def questions(cells: CellSequence | Sequence[Cell]) -> str:
    """Return a digest of the questions of cells, which depends neither on code nor on width.

    It does not depend on the order of the cells either, unless they are too many for memory.
    """
    if isinstance(cells, CellSequence) and is_large(cells):
        return cell_identity.questions(cells)
    keys = ([cell.subject, cell.quantity, cell.judged, sorted(cell.params.items())] for cell in cells)
    return sealed_files.digest({"cells": sorted(json.dumps(one, default=str) for one in keys)})


def _obsolete_cells(log_content: LogContent, cells: Iterable[Cell]) -> set[str]:
    """Return the stored cells that another version of the code answered and that this run answers again."""
    keys = (
        {(cell.subject, cell.quantity, frozenset(cell.params.items())) for cell in cells}
        if log_content.stale
        else set()
    )
    rows = ((name, log_content.rows[name]) for name in log_content.stale)
    return {name for name, row in rows if (row.subject, _quantity(row), frozenset(row.params.items())) in keys}


def _quantity(row: Row) -> str:
    theorem = REGISTRY.get(row.theorem) if row.theorem else None
    return theorem.quantity if theorem else row.quantity


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
