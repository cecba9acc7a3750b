"""The steps of a run: the claim and the problem of a cell, the task of all cells that share a problem, and the row.

Each cell leads to a problem, each problem has one answer, and each answer gives the rows of the cells that share it.
:mod:`~pldcheck.verification.runs` takes these steps on the cores of a machine or on the workers of a scheduler.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Any

from ..core.errors import ConditionError, PldcheckError
from ..core.interval import Interval
from ..theorems import Bound, Theorem
from .problem import Problem, problem_of
from .run_rows import Row
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
# Why a cell has no problem: the verdict on it, and the reason.
Refusal = tuple[Verdict, str]
# The value that a cell's theorem claims, the problem of the cell, and why it has none.
Plan = tuple[float | None, Problem | None, Refusal | None]


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


def plan_of(cell: Cell) -> Plan:
    """Return what is known of a cell without numbers: its claim and its problem, or why it has none."""
    try:
        bound = claim_of(cell)
        claim = bound.value if bound else None
        if cell.theorem and not cell.judged:
            return claim, None, None
        return claim, problem_of(cell, bound), None
    except ConditionError as error:
        return None, None, (Verdict.OUT_OF_CONDITIONS, str(error))
    except PldcheckError as error:
        return None, None, (Verdict.UNJUDGEABLE, str(error))
    except Exception as error:  # an error in one cell must not end the run: the row of the cell reports it
        return None, None, (Verdict.UNDECIDED, " ".join(f"{type(error).__name__}: {error}".split()))


def task(of: Problem, cells: Iterable[tuple[Cell, float | None]], width: float | None) -> Task:
    """Return the task that serves all cells with this problem; ``width``, if not None, replaces their own widths."""
    claims: list[Claim] = []
    first: list[float] = []
    own_widths: list[float] = []
    for cell, claim in cells:
        if cell.theorem and claim is not None:
            claims.append((claim, cell.theorem.relation))
            first.append(width or cell.width or WIDTH)
        else:
            own_widths.append(float(width or cell.width or of.protocol.default_width))
    return Task(of, tuple(claims), min(first, default=WIDTH), min(own_widths) if own_widths else None)


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
        narrower = truth.meet(problem.answer(width))
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


def _verdict(cell: Cell, claim: float | None, truth: Interval | None) -> Verdict:
    if claim is not None and not cell.judged:
        return Verdict.NOT_JUDGED
    if truth is None:
        return Verdict.UNDECIDED
    return judge_theorem(cell.theorem, claim, truth) if cell.theorem and claim is not None else Verdict.NOT_JUDGED


def row(cell: Cell, claim: float | None, answer: Answer | None) -> Row:
    """Return the row of a cell; ``answer`` is None if only the theorem's bound is asked for."""
    if cell.theorem and answer is None and claim is not None and not cell.judged:  # by the million
        return Row(cell.theorem.id, cell.params, Verdict.NOT_JUDGED, claim)
    truth = answer.truth if answer else None
    verdict = _verdict(cell, claim, truth)
    return Row(
        theorem=cell.theorem.id if cell.theorem else None,
        params=cell.params,
        verdict=verdict,
        analytic=claim,
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


def row_of_refusal(cell: Cell, refusal: Refusal) -> Row:
    """Return the row of a cell that has no problem, because the theorem or the protocol does not allow it."""
    verdict, reason = refusal
    return Row(
        cell.theorem.id if cell.theorem else None, cell.params, verdict, reason=reason, **_protocol_columns(cell)
    )


def _protocol_columns(cell: Cell) -> dict[str, Any]:
    """Return the protocol and the quantity, which only rows without a theorem hold."""
    return {} if cell.theorem else {"protocol": cell.protocol, "quantity": cell.quantity}


def header(job: Job, cells: Sequence[Cell], quick: bool, width: float | None, problems: int) -> dict[str, Any]:
    """Return the header of a report, without its provenance."""
    return {
        "suite": f"{job.name}-quick" if quick else job.name,
        "theorems": list(dict.fromkeys(cell.theorem.id for cell in cells if cell.theorem)),
        "width": width or job.width or WIDTH,
        "cells": len(cells),
        "problems": problems,
    }
