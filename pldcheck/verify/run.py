"""A run: every theorem of a suite judged, every numeric problem solved once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, fields
from time import perf_counter
from typing import Any

from .. import suites
from ..errors import ConditionError, PldcheckError
from ..interval import Interval
from ..parameters import PARAMETERS
from ..protocols import PROTOCOLS, HiddenSlot
from ..suites import Suite
from ..theorems import REGISTRY, Theorem
from .rows import Report, Row
from .verdict import Verdict, judge

# What is asked of an interval first, and the factor by which it shrinks while a verdict is undecided.
WIDTH = 0.005
REFINEMENT = 5.0
# A theorem that is undecided at this width is within 0.01 % of the truth.  Narrower brackets take blocks and grids
# whose cost grows like 1 / width^3.
WIDTH_FLOOR = 1e-4


@dataclass(frozen=True)
class Problem:
    """What a certified epsilon depends on."""

    slot: HiddenSlot
    delta: float


@dataclass(frozen=True)
class Cell:
    """One theorem at one choice of its parameters."""

    theorem: Theorem
    params: Mapping[str, Any] = field(hash=False)

    @property
    def problem(self) -> Problem:
        """The numeric problem whose answer the theorem bounds; parameters go over by name."""
        protocol: Any = PROTOCOLS[self.theorem.protocol]
        wanted = {entry.name for entry in fields(protocol)}
        values = {name: value for name, value in self.params.items() if name != "delta"}
        if "clients" in wanted and "clients" not in values:
            # Theorems on a window hold for any number of clients: enough that some see all of it released.
            values["clients"] = 2 * values["window"]
        adjacency = "replace" if self.theorem.adjacency == "replacement" else self.theorem.adjacency
        if "adjacency" in wanted:
            values["adjacency"] = adjacency
        slot = protocol(**values).hidden_slot
        if slot.adjacency != adjacency:
            found = f"{protocol.name} is computed for {slot.adjacency}"
            raise PldcheckError(f"{self.theorem.id} is stated for {adjacency}, {found}")
        return Problem(slot, self.params["delta"])


@dataclass(frozen=True)
class _Answer:
    truth: Interval | None
    seconds: float
    reason: str | None


def _intersection(first: Interval, second: Interval) -> Interval:
    """Both contain the truth; an Interval refuses to be empty, and what made the narrower one is kept."""
    narrower = min(first, second, key=lambda interval: interval.width)
    lower, upper = max(first.lower, second.lower), min(first.upper, second.upper)
    return Interval(lower, upper, first.quantity, narrower.budget, narrower.witness)


def _narrowed(problem: Problem, claims: Iterable[float], width: float) -> tuple[Interval, str | None]:
    """The truth to a width at which every claim is decided, or to the floor and why that is not enough."""
    truth = problem.slot.epsilon(problem.delta, width)
    while any(judge(claim, truth) is Verdict.UNDECIDED for claim in claims):
        if width <= WIDTH_FLOOR:
            return truth, f"undecided at the least width, {width:g}"
        width = max(width / REFINEMENT, WIDTH_FLOOR)
        truth = _intersection(truth, problem.slot.epsilon(problem.delta, width))
    return truth, None


def _solve(problem: Problem, claims: Iterable[float], width: float) -> _Answer:
    start = perf_counter()
    truth, reason = None, None
    try:
        truth, reason = _narrowed(problem, claims, width)
    except Exception as error:  # one cell must not take the run with it: its row tells
        reason = " ".join(f"{type(error).__name__}: {error}".split())
    return _Answer(truth, perf_counter() - start, reason)


def _row(cell: Cell, analytic: float, answer: _Answer) -> Row:
    truth = answer.truth
    verdict = judge(analytic, truth) if truth else Verdict.UNDECIDED
    return Row(
        theorem=cell.theorem.id,
        params=cell.params,
        verdict=verdict,
        analytic=analytic,
        lower=truth.lower if truth else None,
        upper=truth.upper if truth else None,
        budget=truth.budget if truth else None,
        seconds=answer.seconds,
        reason=answer.reason if verdict is Verdict.UNDECIDED else None,
    )


def _refused(cell: Cell, error: PldcheckError) -> Row:
    outside = isinstance(error, ConditionError)
    verdict = Verdict.OUT_OF_CONDITIONS if outside else Verdict.UNDECIDED
    return Row(cell.theorem.id, cell.params, verdict, reason=str(error))


def _chosen(theorems: Iterable[str | Theorem] | None) -> tuple[Theorem, ...]:
    if theorems is None:
        return tuple(REGISTRY.values())
    listed = [REGISTRY[entry] if isinstance(entry, str) else entry for entry in theorems]
    return tuple({theorem.id: theorem for theorem in listed}.values())


def verify(
    suite: str | Suite = "paper",
    theorems: Iterable[str | Theorem] | None = None,
    quick: bool = False,
    width: float = WIDTH,
    progress: Callable[[Row, int], None] | None = None,
    workers: int | None = None,
) -> Report:
    """Judge theorems at every point of a suite.

    Parameters
    ----------
    suite : str or Suite
        A name in :data:`pldcheck.suites.SUITES`, or points of your own.
    theorems : iterable of str or Theorem, optional
        Ids or theorems of your own; by default the whole registry.
    quick : bool
        Only the suite's small sample.
    width : float in (0, 1)
        Relative width first asked of the certified intervals; what stays undecided is refined, down to
        ``WIDTH_FLOOR``.
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
    UnknownNameError, ParameterError
        For a name or a value that is not allowed.  An error inside one cell becomes that cell's row instead.

    """
    start = perf_counter()
    suite = suites.find(suite) if isinstance(suite, str) else suite
    width = PARAMETERS["width"].parse(width)
    chosen = _chosen(theorems)
    points = suite.sample if quick else suite.points
    asked = [(theorem, point.params(theorem)) for theorem in chosen for point in points]
    cells = [Cell(theorem, params) for theorem, params in asked if params is not None]

    rows: dict[int, Row] = {}
    claims: dict[Problem, dict[int, float]] = {}

    def finish(index: int, row: Row) -> None:
        rows[index] = row
        if progress:
            progress(row, len(cells))

    for index, cell in enumerate(cells):
        try:
            analytic = cell.theorem(**cell.params).epsilon
            claims.setdefault(cell.problem, {})[index] = analytic
        except PldcheckError as error:
            finish(index, _refused(cell, error))

    workers = workers or os.cpu_count() or 1
    pool = ThreadPoolExecutor(workers)  # threads are enough: the kernels release the interpreter lock
    try:
        pending: dict[Future[_Answer], Problem] = {
            pool.submit(_solve, problem, tuple(values.values()), width): problem for problem, values in claims.items()
        }
        for future in as_completed(pending):
            for index, analytic in claims[pending[future]].items():
                finish(index, _row(cells[index], analytic, future.result()))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # nothing is left to wait for, or we are interrupted

    name = f"{suite.name}-quick" if quick else suite.name
    header = {
        "suite": name,
        "theorems": [theorem.id for theorem in chosen],
        "width": width,
        "cells": len(cells),
        "problems": len(claims),
        "workers": workers,
        "seconds": perf_counter() - start,
    }
    return Report(name, tuple(rows[index] for index in range(len(cells))), header)
