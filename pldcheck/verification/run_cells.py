"""A run: every cell of a job answered, every numeric problem solved once.

A cell becomes a problem, a problem an answer, an answer the rows of the cells that share it.
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
from .problem import Problem, asked_for
from .run_rows import Report, Row
from .suites import Asked, Job
from .verdict import Verdict, judge, judge_theorem, relative_width

# What is asked of an interval first, and the factor by which it shrinks while a verdict is undecided.
WIDTH = 0.005
REFINEMENT = 5.0
# A theorem that is undecided at this width is within 0.01 % of the truth.  Narrower brackets take blocks and grids
# whose cost grows like 1 / width^3.
WIDTH_FLOOR = 1e-4
# The same where the loss is known and only its Fourier inversion has a width.
WIDTH_COMPOSED = 1e-6
# The floor of that.
WIDTH_FLOOR_COMPOSED = 1e-8

# Verdicts that a narrower interval may change.
UNSETTLED = frozenset({Verdict.UNDECIDED, Verdict.CONSISTENT})

# An answer that narrows by less is the best there is.
UNMOVED = 0.99

# A claimed value and its relation to the truth.
Claim = tuple[float, str]


@dataclass(frozen=True)
class Task:
    """A problem and what is wanted of it: the claims to decide, and widths.

    ``width``: what is asked first for the claims; ``wanted``: of the answer itself, where it was asked for.
    """

    problem: Problem
    claims: tuple[Claim, ...]
    width: float
    wanted: float | None = None


@dataclass(frozen=True)
class Answer:
    """What came of a problem: the truth, or the reason why there is none or why it is not narrow enough."""

    truth: Interval | None
    seconds: float
    reason: str | None


def claimed(asked: Asked) -> Bound | None:
    """Return what the cell's theorem says; None without a theorem.  Raises one of :mod:`pldcheck.core.errors`."""
    return asked.theorem(**asked.params) if asked.theorem else None


def task(of: Problem, cells: Iterable[tuple[Asked, Bound | None]], width: float | None) -> Task:
    """Return what all cells with this problem want of it; ``width`` goes before theirs."""
    claims: list[Claim] = []
    first: list[float] = []
    wanted: list[float] = []
    for asked, bound in cells:
        if asked.theorem and bound:
            claims.append((bound.value, asked.theorem.relation))
            first.append(width or asked.width or WIDTH)
        else:
            wanted.append(float(width or asked.width or of.protocol.default_width))
    return Task(of, tuple(claims), min(first, default=WIDTH), min(wanted) if wanted else None)


def intersection(first: Interval, second: Interval) -> Interval:
    """Return what two answers to one question leave of each other; what made the narrower one is kept.

    Raises ArithmeticError where they contradict each other: an interval refuses to be empty, neither can be believed.
    """
    narrower = min(first, second, key=lambda interval: interval.width)
    lower, upper = max(first.lower, second.lower), min(first.upper, second.upper)
    return Interval(lower, upper, first.quantity, narrower.budget, narrower.witness)


def _first_width(task: Task) -> float:
    usual = task.width if task.problem.slow else min(task.width, WIDTH_COMPOSED)
    rough = task.problem.protocol.rough_width
    width = usual if rough is None else rough
    if task.wanted is None:
        return width
    return min(width, task.wanted) if task.claims else task.wanted


def _narrowed(task: Task) -> tuple[Interval, str | None]:
    """Return the truth to a width at which every claim is decided, or to the floor and why that is not enough."""
    problem = task.problem
    floor = WIDTH_FLOOR if problem.slow else WIDTH_FLOOR_COMPOSED
    width = _first_width(task)
    truth = problem.answer(width)
    while {judge(value, truth, relation) for value, relation in task.claims} & UNSETTLED:
        if width <= floor:
            return truth, f"undecided at the least width, {width:g}"
        width = max(width / REFINEMENT, floor)
        narrower = intersection(truth, problem.answer(width))
        if narrower.width > UNMOVED * truth.width:
            return truth, "undecided: the certified ends do not come closer"
        truth = narrower
    return truth, None


def solve(task: Task) -> Answer:
    """Return the answer to its problem; an error inside is its reason."""
    start = perf_counter()
    truth, reason = None, None
    try:
        truth, reason = _narrowed(task)
    except Exception as error:  # one cell must not take the run with it: its row tells
        reason = " ".join(f"{type(error).__name__}: {error}".split())
    return Answer(truth, perf_counter() - start, reason)


def _verdict(asked: Asked, bound: Bound | None, truth: Interval | None) -> Verdict:
    if asked.theorem and bound and not asked.judged:
        return Verdict.NOT_JUDGED
    if truth is None:
        return Verdict.UNDECIDED
    return judge_theorem(asked.theorem, bound.value, truth) if asked.theorem and bound else Verdict.NOT_JUDGED


def row(asked: Asked, bound: Bound | None, answer: Answer | None) -> Row:
    """Return the row of a cell; without an answer where only the theorem's own bound was asked for."""
    truth = answer.truth if answer else None
    verdict = _verdict(asked, bound, truth)
    return Row(
        theorem=asked.theorem.id if asked.theorem else None,
        params=asked.params,
        verdict=verdict,
        analytic=bound.value if bound else None,
        lower=truth.lower if truth else None,
        upper=truth.upper if truth else None,
        budget=truth.budget if truth else None,
        seconds=answer.seconds if answer else 0.0,
        reason=_reason(verdict, answer, asked.theorem),
        witness=truth.witness if truth and verdict is Verdict.VIOLATED else None,
        **_named(asked),
    )


def _reason(verdict: Verdict, answer: Answer | None, theorem: Theorem | None) -> str | None:
    """Return why a cell is undecided, or how much it says that a claimed exact value is consistent with the truth."""
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


def refused(asked: Asked, error: PldcheckError) -> Row:
    """Return the row of a cell that has no problem."""
    outside = isinstance(error, ConditionError)
    verdict = Verdict.OUT_OF_CONDITIONS if outside else Verdict.UNDECIDED
    theorem = asked.theorem.id if asked.theorem else None
    return Row(theorem, asked.params, verdict, reason=str(error), **_named(asked))


def _named(asked: Asked) -> dict[str, Any]:
    """Return what a row has in the place of a theorem."""
    return {} if asked.theorem else {"protocol": asked.protocol, "quantity": asked.quantity}


@dataclass(frozen=True)
class Work:
    """A task and the cells it is for, by their numbers, each with its theorem's claim."""

    task: Task
    cells: Mapping[int, Bound | None]


def planned(
    cells: Sequence[Asked], width: float | None, settled: Callable[[int, Row], None], known: Container[int] = ()
) -> list[Work]:
    """The work there is to do; cells that need no numbers are ``settled`` on the way, but for those already known."""
    asking: dict[Problem, dict[int, Bound | None]] = {}
    for index, cell in enumerate(cells):
        if index in known and not cell.judged and cell.theorem:
            continue
        try:
            bound = claimed(cell)
            if cell.theorem and not cell.judged:
                settled(index, row(cell, bound, None))
            else:
                asking.setdefault(asked_for(cell, bound), {})[index] = bound
        except PldcheckError as error:
            if index not in known:
                settled(index, refused(cell, error))
    return [
        Work(task(of, [(cells[index], bound) for index, bound in bounds.items()], width), bounds)
        for of, bounds in asking.items()
    ]


def rows_of(work: Work, answer: Answer, cells: Sequence[Asked]) -> Iterator[tuple[int, Row]]:
    """Yield the rows that an answer makes, with their numbers."""
    for index, bound in work.cells.items():
        yield index, row(cells[index], bound, answer)


class Solver(Protocol):
    """Solves tasks, on threads, on processes or elsewhere."""

    def solved(self, tasks: Sequence[Task]) -> Generator[tuple[int, Answer], None, None]:
        """Return answers as they come, with the numbers of their tasks."""


@dataclass(frozen=True)
class Threads:
    """Threads of this process, which are enough where nothing must be stopped: kernels release the interpreter lock."""

    count: int

    def solved(self, tasks: Sequence[Task]) -> Generator[tuple[int, Answer], None, None]:
        """Yield answers as they come, with the numbers of their tasks."""
        pool = ThreadPoolExecutor(self.count)
        try:
            pending = {pool.submit(solve, task): number for number, task in enumerate(tasks)}
            for future in as_completed(pending):
                yield pending[future], future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # nothing is left to wait for, or we are interrupted


def settle(
    cells: Sequence[Asked],
    width: float | None,
    solver: Solver,
    settled: Callable[[int, Row], None],
    known: Container[int],
    pause: Callable[[], None] = lambda: None,
) -> int:
    """Settles every cell that is not known, those that need no numbers first; how many problems the cells are.

    ``known`` grows with what is settled.  ``pause`` is called once nothing more is settled at the moment.
    """
    works = planned(cells, width, settled, known)
    pause()
    # A task keeps all its claims, so that its answer is the same whatever is known already.
    left = [work for work in works if any(index not in known for index in work.cells)]
    with closing(solver.solved([work.task for work in left])) as answers:
        for place, answer in answers:
            for index, made in rows_of(left[place], answer, cells):
                settled(index, made)
            pause()
    return len(works)


def header(job: Job, cells: Sequence[Asked], quick: bool, width: float | None, problems: int) -> dict[str, Any]:
    """Return what a report says of a run, besides who made it, where and when."""
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
    """Judge theorems, and compute what protocols are asked, at every point of a suite or a job.

    Parameters
    ----------
    suite : str, path or Job
        A name in :data:`pldcheck.verification.suites.SUITES`, the path of a file that ends in ``.toml``, or a job of
        your own.
    theorems : iterable of str or Theorem, optional
        Ids or theorems of your own, which are tried on the grids with their parameters; by default all there is.
    quick : bool
        Only a small part of each grid.
    width : float in (0, 1), optional
        Relative width first asked of the certified intervals; what stays undecided is refined, down to
        ``WIDTH_FLOOR``.  By default the grid's, else the job's, else ``WIDTH``, or the protocol's own where it is
        asked without a theorem.
    progress : callable, optional
        Called in this thread with each finished row and the number of rows in all.
    workers : int, optional
        Threads; by default one a processor.

    Returns
    -------
    Report
        A row for every theorem and point, in the order of the suite whatever order they finish in.

    Raises
    ------
    JobError, UnknownNameError, ParameterError
        For a file, a name or a value that is not allowed.  An error inside one cell becomes that cell's row instead.

    """
    start = perf_counter()
    job = suites.given(suite)
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
