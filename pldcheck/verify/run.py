"""A run: every theorem of a suite judged, every numeric problem solved once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, fields
from time import perf_counter
from typing import Any

from .. import suites
from ..errors import ConditionError, PldcheckError, UnknownNameError
from ..interval import Interval
from ..parameters import PARAMETERS
from ..protocols import PROTOCOLS, CheckIn, HiddenSlot, SlidingWindow
from ..suites import Grids, Suite
from ..theorems import REGISTRY, Bound, Theorem
from .rows import Report, Row
from .verdict import Verdict, judge

# What is asked of an interval first, and the factor by which it shrinks while a verdict is undecided.
WIDTH = 0.005
REFINEMENT = 5.0
# A theorem that is undecided at this width is within 0.01 % of the truth.  Narrower brackets take blocks and grids
# whose cost grows like 1 / width^3.
WIDTH_FLOOR = 1e-4
# The same where the loss is known and only its Fourier inversion has a width.
WIDTH_COMPOSED, WIDTH_FLOOR_COMPOSED = 1e-6, 1e-8

# An answer that narrows by less is the best there is.
UNMOVED = 0.99

# A claimed value and its relation to the truth.
Claim = tuple[float, str]


@dataclass(frozen=True)
class Problem:
    """What a certified answer depends on: ``quantity`` of a protocol, ``at`` a delta, an epsilon or an order."""

    protocol: Any
    quantity: str
    at: float

    @property
    def slow(self) -> bool:
        """Whether narrow answers cost much more than wide ones."""
        return isinstance(self.protocol, HiddenSlot)

    def answer(self, width: float) -> Interval:
        """The interval, of about this relative width."""
        return getattr(self.protocol, self.quantity)(self.at, width)


@dataclass(frozen=True)
class Cell:
    """One theorem at one choice of its parameters."""

    theorem: Theorem
    params: Mapping[str, Any] = field(hash=False)

    def problem(self, bound: Bound) -> Problem:
        """The numeric problem whose answer the theorem bounds; parameters go over by name."""
        if self.theorem.protocol not in PROTOCOLS:
            raise UnknownNameError("protocol with certified answers", self.theorem.protocol, PROTOCOLS)
        protocol: Any = PROTOCOLS[self.theorem.protocol]
        wanted = {entry.name for entry in fields(protocol)}
        values = dict(self.params)
        if protocol is SlidingWindow and "clients" not in values:
            # Theorems on a window hold for any number of clients: enough that some see all of it released.
            values["clients"] = 2 * values["window"]
        if protocol is CheckIn and "clients" in values:  # one expected check-in, by repetition: Corollary 3.3
            clients = values.pop("clients")
            values["check_in_prob"] = values["steps"] / clients
            values["epochs"] = clients // values["steps"]
        if "delta0" in values and "delta0" not in wanted:
            raise PldcheckError(f"{self.theorem.id} has delta0, {protocol.name} is computed for eps0-DP randomizers")
        # Theorems on one kind of randomizer.
        if "categories" in values:
            values["randomizer"] = f"krr:{values['categories']}"
        if "tv" in values:
            values["randomizer"] = f"tv:{values['tv']!r}"
        adjacency = "replace" if self.theorem.adjacency == "replacement" else self.theorem.adjacency
        if "adjacency" in wanted:
            values["adjacency"] = adjacency
        # What is not a parameter of the protocol is where it is asked, or was used above.
        instance = protocol(**{name: value for name, value in values.items() if name in wanted}).reduced
        if adjacency not in ("any", instance.adjacency):
            found = f"{protocol.name} is computed for {instance.adjacency}"
            raise PldcheckError(f"{self.theorem.id} is stated for {adjacency}, {found}")
        return Problem(instance, bound.quantity, bound.at)


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


def _narrowed(problem: Problem, claims: Iterable[Claim], width: float) -> tuple[Interval, str | None]:
    """The truth to a width at which every claim is decided, or to the floor and why that is not enough."""
    floor = WIDTH_FLOOR if problem.slow else WIDTH_FLOOR_COMPOSED
    width = getattr(problem.protocol, "rough_width", width if problem.slow else min(width, WIDTH_COMPOSED))
    truth = problem.answer(width)
    while any(judge(value, truth, relation) is Verdict.UNDECIDED for value, relation in claims):
        if width <= floor:
            return truth, f"undecided at the least width, {width:g}"
        width = max(width / REFINEMENT, floor)
        narrower = _intersection(truth, problem.answer(width))
        if narrower.width > UNMOVED * truth.width:
            return truth, "undecided: the certified ends do not come closer"
        truth = narrower
    return truth, None


def _solve(problem: Problem, claims: Iterable[Claim], width: float) -> _Answer:
    start = perf_counter()
    truth, reason = None, None
    try:
        truth, reason = _narrowed(problem, claims, width)
    except Exception as error:  # one cell must not take the run with it: its row tells
        reason = " ".join(f"{type(error).__name__}: {error}".split())
    return _Answer(truth, perf_counter() - start, reason)


def _row(cell: Cell, analytic: float, answer: _Answer) -> Row:
    truth = answer.truth
    verdict = judge(analytic, truth, cell.theorem.relation) if truth else Verdict.UNDECIDED
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
        witness=truth.witness if truth and verdict is Verdict.VIOLATED else None,
    )


def _refused(cell: Cell, error: PldcheckError) -> Row:
    outside = isinstance(error, ConditionError)
    verdict = Verdict.OUT_OF_CONDITIONS if outside else Verdict.UNDECIDED
    return Row(cell.theorem.id, cell.params, verdict, reason=str(error))


def _chosen(suite: Suite | Grids, theorems: Iterable[str | Theorem] | None) -> tuple[Theorem, ...]:
    if theorems is None:
        return suite.theorems
    listed = [REGISTRY[entry] if isinstance(entry, str) else entry for entry in theorems]
    return tuple({theorem.id: theorem for theorem in listed}.values())


def verify(
    suite: str | Suite | Grids = "paper",
    theorems: Iterable[str | Theorem] | None = None,
    quick: bool = False,
    width: float = WIDTH,
    progress: Callable[[Row, int], None] | None = None,
    workers: int | None = None,
) -> Report:
    """Judge theorems at every point of a suite.

    Parameters
    ----------
    suite : str, Suite or Grids
        A name in :data:`pldcheck.suites.SUITES`, or points of your own.
    theorems : iterable of str or Theorem, optional
        Ids or theorems of your own; by default those the suite is for.
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
    chosen = _chosen(suite, theorems)
    cells = [Cell(theorem, params) for theorem in chosen for params in suite.asked(theorem, quick)]

    rows: dict[int, Row] = {}
    claims: dict[Problem, dict[int, Claim]] = {}

    def finish(index: int, row: Row) -> None:
        rows[index] = row
        if progress:
            progress(row, len(cells))

    for index, cell in enumerate(cells):
        try:
            bound = cell.theorem(**cell.params)
            claims.setdefault(cell.problem(bound), {})[index] = (bound.value, cell.theorem.relation)
        except PldcheckError as error:
            finish(index, _refused(cell, error))

    workers = workers or os.cpu_count() or 1
    pool = ThreadPoolExecutor(workers)  # threads are enough: the kernels release the interpreter lock
    try:
        pending: dict[Future[_Answer], Problem] = {
            pool.submit(_solve, problem, tuple(values.values()), width): problem for problem, values in claims.items()
        }
        for future in as_completed(pending):
            for index, (analytic, _) in claims[pending[future]].items():
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
