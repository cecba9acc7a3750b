"""A job, cell by cell: what is stored is not computed again, what is computed is stored at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter

from ..parameters import PARAMETERS
from ..suites import Asked, Job
from ..theorems import Theorem
from ..verify import Report, Row, Verdict
from ..verify.run import header, planned, rows_of
from . import identity
from .executors import Cores, Executor
from .log import Log, Writer

# Rows that need no numbers are stored so many at a time, or after so many seconds.
TOGETHER, SECONDS = 1000, 0.5

# Called with a finished row and the number of rows that were not stored before.
Step = Callable[[Row, int], None]


@dataclass(frozen=True)
class Done:
    """A finished run; ``files``: those of the log that are of no more use once the report is stored."""

    report: Report
    files: tuple[Path, ...] = ()


@dataclass
class _Rows:
    """The rows of a run: those that were stored before, and each new one as it is finished."""

    names: list[str]
    writer: Writer | None
    step: Step | None
    found: dict[int, Row] = field(default_factory=dict)
    waiting: list[Row] = field(default_factory=list)
    since: float = field(default_factory=perf_counter)
    total: int = 0

    def __post_init__(self) -> None:
        self.total = len(self.names)

    def take(self, stored: dict[str, Row]) -> int:
        """Those that are stored; their number."""
        for index, name in enumerate(self.names):
            if name in stored and not _in_vain(stored[name]):
                self.found[index] = stored[name]
        self.total -= len(self.found)
        return len(self.found)

    def add(self, index: int, row: Row) -> None:
        """A new one, to be stored soon."""
        if index in self.found:
            return
        named = replace(row, cell=self.names[index])
        self.waiting.append(named)
        self.found[index] = named
        if self.step:
            self.step(row, self.total)
        if len(self.waiting) >= TOGETHER or perf_counter() - self.since > SECONDS:
            self.store()

    def store(self) -> None:
        """What has not been stored yet, by one call of the system."""
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
) -> Done:
    """Judge a job's theorems, and compute what its protocols are asked, as :func:`pldcheck.verify` does.

    Parameters
    ----------
    job, theorems, quick, width, progress
        As of :func:`pldcheck.verify`.
    executor : Executor, optional
        Where numbers are computed; by default on all cores.
    log : Log, optional
        Where every row is stored as soon as it is finished.
    resume : bool
        Take over the rows that are stored there already, by this version of the code, unless no number came of them.

    Returns
    -------
    Done
        The rows in the order of the job.  A cell that raises, takes too long or loses its worker is UNDECIDED, with the
        reason.

    """
    start = perf_counter()
    executor = executor or Cores()
    width = None if width is None else float(PARAMETERS["width"].parse(width))
    cells = list(job.cells(quick, theorems))
    names = [_name(cell, width) for cell in cells]
    stored = log.read() if log and resume else None
    with log.writer() if log else nullcontext() as writer:
        rows = _Rows(names, writer, progress)
        taken = rows.take(stored.rows) if stored else 0
        of = set(names)
        if writer and stored:  # cells of other questions, which the new report would take the place of
            writer.add(row for name, row in stored.rows.items() if name not in of and name not in stored.logged)
        # A task keeps all its claims, so that its answer is the same whatever is known already.
        works = planned(cells, width, rows.add, rows.found)
        rows.store()
        left = [work for work in works if any(index not in rows.found for index in work.cells)]
        for place, answer in executor.solved([work.task for work in left]):
            for index, row in rows_of(left[place], answer, cells):
                rows.add(index, row)
            rows.store()
    made = {
        **header(job, cells, quick, width, len(works)),
        "executor": executor.about,
        "resumed": taken,
        "damage": list(stored.damage) if stored else [],
        "seconds": perf_counter() - start,
    }
    report = Report(made["suite"], tuple(rows.found[index] for index in range(len(cells))), made)
    files = [path for path, cells in stored.files.items() if cells <= of] if stored else []
    own = [writer.path] if writer and not (stored and stored.rows.keys() - stored.logged - of) else []
    return Done(report, (*files, *own))


def _in_vain(row: Row) -> bool:
    """Whether no number came of it: too little time or memory, a worker lost, an error."""
    return row.verdict is Verdict.UNDECIDED and row.lower is None


def _name(cell: Asked, width: float | None) -> str:
    width = width or cell.width
    return identity.cell(cell.theorem, cell.protocol, cell.quantity, cell.params, width, cell.judged)
