"""The run of a job: it solves every numeric problem once and makes one row for every cell.

Each cell leads to a problem, each problem has one answer, and each answer gives the rows of the cells that share it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Any, Protocol

from ..core.errors import ConditionError, PldcheckError
from ..core.interval import Interval
from ..core.parameters import PARAMETERS
from ..theorems import Bound, Theorem
from . import suites
from .problem import Problem, problem_of
from .run_rows import Report, Row
from .suites import Cell, Job
from .verdict import Verdict, judge, judge_theorem, relative_width

# The relative width of the first interval: it is quick to compute, and decides every theorem that is not nearly tight.
WIDTH = 0.005
# The factor by which the width shrinks while a verdict is undecided: a few steps reach the least width.
REFINEMENT = 5.0
# The least relative width: a theorem that is undecided there is within 0.01 % of the truth, and the cost of narrower
# intervals grows like 1 / width^3.
WIDTH_FLOOR = 1e-4
# The width of the first interval if the privacy loss distribution is known and only its Fourier inversion has a width.
WIDTH_COMPOSED = 1e-6
# The least relative width in that case, in which narrow intervals cost little more than wide ones.
WIDTH_FLOOR_COMPOSED = 1e-8

# The verdicts that a narrower interval may change.
OPEN_VERDICTS = frozenset({Verdict.UNDECIDED, Verdict.CONSISTENT})

# Refinement ends when a new interval is still more than this share of the previous one's width.
SLOW_REFINEMENT = 0.99

# The value that a theorem claims, and its relation to the truth.
Claim = tuple[float, str]


@dataclass(frozen=True)
class Task:
    """A problem, the claims that its answer must decide, and widths.

    ``width`` is the relative width of the first interval for the claims; ``own_width`` is that of the answer itself, if
    a cell without a theorem needs it.
    """

    problem: Problem
    claims: tuple[Claim, ...]
    width: float
    own_width: float | None = None


@dataclass(frozen=True)
class Answer:
    """The answer to a problem: an interval, or the reason why there is none or why it is not narrow enough."""

    truth: Interval | None
    seconds: float
    reason: str | None


def claim_of(cell: Cell) -> Bound | None:
    """Return the claim of the cell's theorem, or None without a theorem; raise PldcheckError if it claims nothing."""
    return cell.theorem(**cell.params) if cell.theorem else None


def task(of: Problem, cells: Iterable[tuple[Cell, Bound | None]], width: float | None) -> Task:
    """Return the task that serves all cells with this problem; ``width``, if not None, replaces their own widths."""
    claims: list[Claim] = []
    first: list[float] = []
    own_widths: list[float] = []
    for cell, bound in cells:
        if cell.theorem and bound:
            claims.append((bound.value, cell.theorem.relation))
            first.append(width or cell.width or WIDTH)
        else:
            own_widths.append(float(width or cell.width or of.protocol.default_width))
    return Task(of, tuple(claims), min(first, default=WIDTH), min(own_widths) if own_widths else None)


def intersection(first: Interval, second: Interval) -> Interval:
    """Return the intersection of two intervals for one quantity, with the budget and witness of the narrower one.

    Raise ArithmeticError if they do not meet: then at least one of them is wrong.
    """
    narrower = min(first, second, key=lambda interval: interval.width)
    lower, upper = max(first.lower, second.lower), min(first.upper, second.upper)
    return Interval(lower, upper, first.quantity, narrower.budget, narrower.witness)


def _first_width(task: Task) -> float:
    usual = task.width if task.problem.slow else min(task.width, WIDTH_COMPOSED)
    rough = task.problem.protocol.rough_width
    width = usual if rough is None else rough
    if task.own_width is None:
        return width
    return min(width, task.own_width) if task.claims else task.own_width


def _narrow(task: Task) -> tuple[Interval, str | None]:
    """Return an interval that decides every claim, or the narrowest one and the reason why it does not."""
    problem = task.problem
    floor = WIDTH_FLOOR if problem.slow else WIDTH_FLOOR_COMPOSED
    width = _first_width(task)
    truth = problem.answer(width)
    while {judge(value, truth, relation) for value, relation in task.claims} & OPEN_VERDICTS:
        if width <= floor:
            return truth, f"undecided at the least width, {width:g}"
        width = max(width / REFINEMENT, floor)
        narrower = intersection(truth, problem.answer(width))
        if narrower.width > SLOW_REFINEMENT * truth.width:
            return truth, "undecided: the certified ends do not come closer"
        truth = narrower
    return truth, None


def solve(task: Task) -> Answer:
    """Return the answer to a task; if an error occurs, its text becomes the reason."""
    start = perf_counter()
    truth, reason = None, None
    try:
        truth, reason = _narrow(task)
    except Exception as error:  # an error in one cell must not end the run: the row of the cell reports it
        reason = " ".join(f"{type(error).__name__}: {error}".split())
    return Answer(truth, perf_counter() - start, reason)


def _verdict(cell: Cell, bound: Bound | None, truth: Interval | None) -> Verdict:
    if cell.theorem and bound and not cell.judged:
        return Verdict.NOT_JUDGED
    if truth is None:
        return Verdict.UNDECIDED
    return judge_theorem(cell.theorem, bound.value, truth) if cell.theorem and bound else Verdict.NOT_JUDGED


def row(cell: Cell, bound: Bound | None, answer: Answer | None) -> Row:
    """Return the row of a cell; ``answer`` is None if only the theorem's bound is asked for."""
    truth = answer.truth if answer else None
    verdict = _verdict(cell, bound, truth)
    return Row(
        theorem=cell.theorem.id if cell.theorem else None,
        params=cell.params,
        verdict=verdict,
        analytic=bound.value if bound else None,
        lower=truth.lower if truth else None,
        upper=truth.upper if truth else None,
        budget=truth.budget if truth else None,
        seconds=answer.seconds if answer else 0.0,
        reason=_reason(verdict, answer, cell.theorem),
        witness=truth.witness if truth and verdict is Verdict.VIOLATED else None,
        **_protocol_columns(cell),
    )


def _reason(verdict: Verdict, answer: Answer | None, theorem: Theorem | None) -> str | None:
    """Return why a cell is undecided, or the width to which a claimed exact value is consistent with the truth."""
    if answer and verdict is Verdict.UNDECIDED:
        if answer.reason is None and theorem and theorem.dominated:
            return (
                f"{theorem.protocol} reveals more than is claimed, and may reveal more than what {theorem.id} is about"
            )
        return answer.reason
    if answer and answer.truth and verdict is Verdict.CONSISTENT:
        # Three digits, rounded up.
        share = relative_width(answer.truth) * 1.005
        return f"consistent to {share:.2e} of its size" if share < inf else "consistent with zero, to 1e-290"
    return None


def row_of_error(cell: Cell, error: PldcheckError) -> Row:
    """Return the row of a cell whose parameters the theorem or the protocol does not allow."""
    outside = isinstance(error, ConditionError)
    verdict = Verdict.OUT_OF_CONDITIONS if outside else Verdict.UNDECIDED
    theorem = cell.theorem.id if cell.theorem else None
    return Row(theorem, cell.params, verdict, reason=str(error), **_protocol_columns(cell))


def _protocol_columns(cell: Cell) -> dict[str, Any]:
    """Return the protocol and the quantity, which only rows without a theorem hold."""
    return {} if cell.theorem else {"protocol": cell.protocol, "quantity": cell.quantity}


@dataclass(frozen=True)
class Work:
    """A task and the numbers of the cells that it serves, each with the claim of its theorem."""

    task: Task
    cells: Mapping[int, Bound | None]


def plan(
    cells: Sequence[Cell], width: float | None, finish: Callable[[int, Row], None], row_indices: Container[int] = ()
) -> list[Work]:
    """Return the work, one entry for each problem; ``finish`` the cells without a row that need no numbers."""
    bounds_by_problem: dict[Problem, dict[int, Bound | None]] = {}
    for index, cell in enumerate(cells):
        if index in row_indices and not cell.judged and cell.theorem:
            continue
        try:
            bound = claim_of(cell)
            if cell.theorem and not cell.judged:
                finish(index, row(cell, bound, None))
            else:
                bounds_by_problem.setdefault(problem_of(cell, bound), {})[index] = bound
        except PldcheckError as error:
            if index not in row_indices:
                finish(index, row_of_error(cell, error))
    return [
        Work(task(of, [(cells[index], bound) for index, bound in bounds.items()], width), bounds)
        for of, bounds in bounds_by_problem.items()
    ]


def rows_of(work: Work, answer: Answer, cells: Sequence[Cell]) -> Iterator[tuple[int, Row]]:
    """Yield the rows that an answer gives, with the numbers of their cells."""
    for index, bound in work.cells.items():
        yield index, row(cells[index], bound, answer)


class Solver(Protocol):
    """An object that solves tasks: on threads, on processes or on other machines."""

    def solve_all(self, tasks: Sequence[Task]) -> Generator[tuple[int, Answer], None, None]:
        """Yield the answers in the order in which they are finished, with the numbers of their tasks."""


@dataclass(frozen=True)
class Threads:
    """A solver on ``count`` threads of this process.

    The kernels release the interpreter lock, so threads run in parallel; a cell that takes too long cannot be stopped.
    """

    count: int

    def solve_all(self, tasks: Sequence[Task]) -> Generator[tuple[int, Answer], None, None]:
        """Yield the answers in the order in which they are finished, with the numbers of their tasks."""
        pool = ThreadPoolExecutor(self.count)
        try:
            pending = {pool.submit(solve, task): number for number, task in enumerate(tasks)}
            for future in as_completed(pending):
                yield pending[future], future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # all tasks are finished, or the run is interrupted


def settle(
    cells: Sequence[Cell],
    width: float | None,
    solver: Solver,
    finish: Callable[[int, Row], None],
    row_indices: Container[int],
    pause: Callable[[], None] = lambda: None,
) -> int:
    """Call ``finish`` with the row of every cell that has none, and return the number of problems.

    Cells that need no numbers come first.  ``row_indices`` holds the indices of the cells that have a row, and must
    grow with every row that is finished.  ``pause`` is called after each batch of rows.
    """
    works = plan(cells, width, finish, row_indices)
    pause()
    # A task keeps the claims of cells that have a row as well, so that its answer does not depend on them.
    todo = [work for work in works if any(index not in row_indices for index in work.cells)]
    with closing(solver.solve_all([work.task for work in todo])) as answers:
        for place, answer in answers:
            for index, finished_row in rows_of(todo[place], answer, cells):
                finish(index, finished_row)
            pause()
    return len(works)


def header(job: Job, cells: Sequence[Cell], quick: bool, width: float | None, problems: int) -> dict[str, Any]:
    """Return the header of a report, without its provenance."""
    return {
        "suite": f"{job.name}-quick" if quick else job.name,
        "theorems": list(dict.fromkeys(cell.theorem.id for cell in cells if cell.theorem)),
        "width": width or job.width or WIDTH,
        "cells": len(cells),
        "problems": problems,
    }


def verify(
    suite: str | os.PathLike[str] | Job = "paper",
    theorems: Iterable[str | Theorem] | None = None,
    quick: bool = False,
    width: float | None = None,
    progress: Callable[[Row, int], None] | None = None,
    workers: int | None = None,
) -> Report:
    """Return a report that judges theorems, and computes quantities of protocols, at every point of a suite or a job.

    Parameters
    ----------
    suite : str, path or Job
        A name in :data:`pldcheck.verification.suites.SUITES`, the path of a file that ends in ``.toml``, or a
        :class:`~pldcheck.verification.suites.Job`.
    theorems : iterable of str or Theorem, optional
        Ids or theorem objects; one that no grid names is tested on the grids with its parameters.  By default all
        theorems and protocols of the suite are taken.
    quick : bool
        Whether only a small part of each grid is computed.
    width : float in (0, 1), optional
        The relative width of the first interval of each cell; intervals that leave a verdict undecided are refined,
        down to ``WIDTH_FLOOR``.  The default is the width of the grid, else of the job, else ``WIDTH``, or the
        protocol's default width in cells without a theorem.
    progress : callable, optional
        A function that is called in this thread with each finished row and the number of all rows.
    workers : int, optional
        The number of threads; the default is one per processor.

    Returns
    -------
    Report
        One row for every theorem and point, in the order of the suite.

    Raises
    ------
    JobError, UnknownNameError, ParameterError
        If a file, a name or a value is not allowed.  An error inside one cell becomes the reason in that cell's row.

    """
    start = perf_counter()
    job = suites.as_job(suite)
    width = None if width is None else float(PARAMETERS["width"].parse(width))
    cells = list(job.cells(quick, theorems))
    rows: dict[int, Row] = {}

    def finish(index: int, row: Row) -> None:
        rows[index] = row
        if progress:
            progress(row, len(cells))

    workers = workers or os.cpu_count() or 1
    problems = settle(cells, width, Threads(workers), finish, rows)
    about = header(job, cells, quick, width, problems)
    about |= {"workers": workers, "seconds": perf_counter() - start}
    return Report(about["suite"], tuple(rows[index] for index in range(len(cells))), about)
