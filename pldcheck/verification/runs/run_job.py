"""A job, cell by cell: what is stored is not computed again, what is computed is stored at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter

from ...core import sealed_files
from ...core.errors import ConditionError, ParameterError, PldcheckError
from ...core.parameters import PARAMETERS
from ...theorems import REGISTRY, Theorem
from .. import Report, Row, Verdict
from ..run_cells import claimed, header, settle
from ..suites import Asked, Job
from . import cell_identity, row_reader
from .executors import Cores, Executor
from .run_log import Found, Log, Writer

# Rows that need no numbers are stored so many at a time.
TOGETHER = 1000
# Or after so many seconds.
SECONDS = 0.5

# Relative: sums in another order, on other cores, differ in their last digits.
SAME = 1e-9

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
    again: dict[int, Row] = field(default_factory=dict)
    damage: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.total = len(self.names)

    def take(self, stored: dict[str, Row], cells: Sequence[Asked], share: float) -> int:
        """Those that are stored and are answers to these very cells; their number, without the ``share`` that is not.

        What is left out of them goes to ``again``: it is computed anew.
        """
        for index, name in enumerate(self.names):
            row = stored.get(name)
            if row is None or _in_vain(row):
                continue
            if not _answers(row, cells[index]):
                self.damage.append(f"{row.subject}, cell {name}: not what its parameters and ends say")
            elif share > 0.0 and int(name, 16) < share * 16.0 ** len(name):
                self.again[index] = row
            else:
                self.found[index] = row
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
    recheck: float = 0.0,
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
    recheck : float in [0, 1]
        The share of those rows, chosen by the digests of their cells, that is computed anew and compared.

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
        taken = rows.take(stored.others | stored.rows, cells, recheck) if stored else 0
        of = kept = set(names)
        if writer and stored:  # cells of other questions, which the new report would take the place of
            kept = of | stored.logged | _superseded(stored, cells)
            writer.add(row for name, row in stored.rows.items() if name not in kept)
        try:
            problems = settle(cells, width, executor, rows.add, rows.found, rows.store)
        except ParameterError:  # refused before anything was computed
            if writer:
                writer.discard()
            raise
    made = {
        **header(job, cells, quick, width, problems),
        "executor": executor.about,
        "resumed": taken,
        "damage": [*(stored.damage if stored else ()), *rows.damage],
        "questions": questions(cells),
        "code": cell_identity.code(),
        "seconds": perf_counter() - start,
    }
    if recheck > 0.0:
        wrong = [words for index, row in rows.again.items() if (words := _differs(row, rows.found[index]))]
        made["recheck"] = {"share": recheck, "rows": len(rows.again), "differ": wrong}
    report = Report(made["suite"], tuple(rows.found[index] for index in range(len(cells))), made)
    files = [path for path, cells in stored.files.items() if cells <= of] if stored else []
    own = [writer.path] if writer and not (stored and stored.rows.keys() - kept) else []
    return Done(report, (*files, *own))


def questions(cells: Iterable[Asked]) -> str:
    """Return the digest of what is asked, in any order, whatever code or width answers it."""
    asked = ([cell.subject, cell.quantity, cell.judged, sorted(cell.params.items())] for cell in cells)
    return sealed_files.digest({"cells": sorted(json.dumps(one, default=str) for one in asked)})


def _superseded(stored: Found, cells: Iterable[Asked]) -> set[str]:
    """Return stored cells that another version of the code answered, and that are asked again."""
    asked = {(cell.subject, cell.quantity, frozenset(cell.params.items())) for cell in cells} if stored.stale else set()
    rows = ((name, stored.rows[name]) for name in stored.stale)
    return {name for name, row in rows if (row.subject, _quantity(row), frozenset(row.params.items())) in asked}


def _quantity(row: Row) -> str:
    known = REGISTRY.get(row.theorem) if row.theorem else None
    return known.quantity if known else row.quantity


def _answers(row: Row, cell: Asked) -> bool:
    """Whether a stored row is of this cell, with the claim and the verdict that its theorem and its ends give."""
    if cell.subject != row.subject or dict(row.params) != dict(cell.params):
        return False
    if cell.theorem is None:
        return row.quantity == cell.quantity
    try:
        bound = claimed(cell)
    except ConditionError:
        return row.verdict is Verdict.OUT_OF_CONDITIONS
    except PldcheckError:
        return row.analytic is None
    if row.analytic is None or bound is None:
        return row.lower is None and row.verdict in (Verdict.UNDECIDED, Verdict.OUT_OF_CONDITIONS)
    if bound.value != row.analytic:
        return False
    if not cell.judged:
        return row.verdict is Verdict.NOT_JUDGED
    return row_reader.fits(row, cell.theorem)


def _differs(known: Row, fresh: Row) -> str:
    """What is wrong with a stored row that was computed anew; the same code gives the same ends, to a few digits."""
    pairs = ((getattr(known, name), getattr(fresh, name)) for name in ("analytic", "lower", "upper"))
    same = all(
        one == other or (one is not None and other is not None and abs(one - other) <= SAME * min(abs(one), abs(other)))
        for one, other in pairs
    )
    if same and known.verdict is fresh.verdict:
        return ""
    at = ", ".join(f"{name}={value}" for name, value in known.params.items())
    return (
        f"{known.subject} at {at}: stored {known.verdict} with [{known.lower!r}, {known.upper!r}], "
        f"computed anew {fresh.verdict} with [{fresh.lower!r}, {fresh.upper!r}]"
    )


def _in_vain(row: Row) -> bool:
    """Return whether no number came of it: too little time or memory, a worker lost, an error."""
    return row.verdict is Verdict.UNDECIDED and row.lower is None


def _name(cell: Asked, width: float | None) -> str:
    width = width or cell.width
    return cell_identity.cell(cell.theorem, cell.protocol, cell.quantity, cell.params, width, cell.judged)
