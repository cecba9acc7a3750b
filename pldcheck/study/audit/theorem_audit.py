"""The audit of a theorem: every step of its proof on a grid and on a box, its counterexample and its premises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from time import perf_counter
from typing import Any

from flint import ctx

from ...core.errors import UnknownNameError
from ...core.interval import Interval
from ...theorems import REGISTRY
from ...theorems.papers import chains
from ...theorems.proof_step import Chain, Function, Measured, Step
from . import ball_functions as ball_functions
from .audit_text import conclusion, count_words, legend, step_lines
from .box_proof import Outcome, Proved, Refuted, prove
from .measured import CHECKS, READINGS
from .point_checks import Grid, Point, check, sides
from .premise_probe import ignored_parameters, premise_needs, relaxable, threshold
from .smallest_counterexample import smallest
from .spans import POINT_BITS
from .step_report import (
    EQUAL,
    FAILS,
    HOLDS,
    MEASURED,
    PROVED,
    UNDECIDED,
    VACUOUS,
    VERDICTS,
    At,
    Counterexample,
    Reading,
    StepReport,
)

# Number of boxes in which the difference of the sides is searched for counterexamples, although its margin is proved.
# The search is a safeguard and not a proof, so that few boxes serve.
DOUBTS = 300


@dataclass(frozen=True, repr=False)
class Report:
    """The audit of one theorem: the verdict on each step of its proof, in the order of the proof.

    ``print(report)`` shows a line of counts, :meth:`lines` the whole report, :meth:`to_dict` what is stored as JSON.
    """

    theorem: str
    title: str
    steps: tuple[StepReport, ...]

    @property
    def failures(self) -> tuple[StepReport, ...]:
        """The steps that certainly fail somewhere in the range for which they are claimed."""
        return tuple(step for step in self.steps if step.verdict == FAILS)

    @property
    def holds(self) -> bool | None:
        """Whether every step holds: False if one certainly fails, None if none fails and one is undecided."""
        if self.failures:
            return False
        return None if any(step.verdict == UNDECIDED for step in self.steps) else True

    def counts(self) -> dict[str, int]:
        """Return the number of steps with each verdict that occurs."""
        counts = {verdict: sum(step.verdict == verdict for step in self.steps) for verdict in VERDICTS}
        return {verdict: count for verdict, count in counts.items() if count}

    def proofs_by_hand(self) -> int:
        """Return the number of proofs on a whole range for which a part was derived by hand."""
        return sum(step.by_hand for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, ready for JSON."""
        return {
            "theorem": self.theorem,
            "title": self.title,
            "holds": self.holds,
            "counts": self.counts(),
            "steps": [step.to_dict() for step in self.steps],
        }

    def lines(self, latex: bool = False) -> list[str]:
        """Return the report as lines for a terminal, in Unicode mathematics or in LaTeX: a title, counts, the steps."""
        by_hand = self.proofs_by_hand()
        number = f"{len(self.steps)} step{'s' if len(self.steps) != 1 else ''}"
        lines = [f"{self.theorem}  {self.title}", f"{number}: {count_words(self.counts(), by_hand)}"]
        lines += [conclusion(self.counts(), by_hand), *legend([each.step for each in self.steps])]
        for step in self.steps:
            lines += ["", *step_lines(step, latex)]
        return lines

    def __repr__(self) -> str:
        return f"<Audit of {self.theorem}: {count_words(self.counts(), self.proofs_by_hand())}>"


def audit(theorem: str, progress: Callable[[str], None] | None = None) -> Report:
    """Return the audit of one theorem: every step of its proof, checked at points and, where possible, proved.

    Parameters
    ----------
    theorem
        The name of a theorem whose proof is stated as a chain of inequalities, such as "thm-3.2".
    progress
        A function that is called with the id of each step before the step is examined.

    Returns
    -------
    Report
        A verdict for each step, with its counterexample if it fails.

    Raises
    ------
    UnknownNameError
        If the proof of the theorem is not stated, or there is no such theorem.

    Examples
    --------
    >>> audit("lem-A.1").holds
    True

    """
    if theorem not in chains():
        raise UnknownNameError("audited theorem", theorem, chains())
    chain = chains()[theorem]
    reports = []
    for step in chain.steps:
        if progress:
            progress(step.id)
        reports.append(examine(step))
    return Report(theorem, title_of(chain), tuple(reports))


def title_of(chain: Chain) -> str:
    """Return the title of the registered theorem, or the title of the chain where the theorem is not registered."""
    return REGISTRY[chain.theorem].title if chain.theorem in REGISTRY else chain.title


@cache
def examine(step: Step | Measured) -> StepReport:
    """Return the report on one step; a step that several proofs share is examined once."""
    start = perf_counter()
    report = _check_measured(step) if isinstance(step, Measured) else _elementary(step)
    return StepReport(**{**report, "step": step, "seconds": perf_counter() - start})


def _check_measured(step: Measured) -> dict[str, Any]:
    points = tuple(_at(CHECKS[step.id], point) for point in step.points)
    if any(at.holds is False for at in points):
        verdict = FAILS
    else:
        verdict = MEASURED if all(at.holds for at in points) else UNDECIDED
    worst = next((at for at in points if at.holds is False), None)
    readings = []
    for name, other in READINGS.get(step.id, {}).items():
        other_points = tuple(_at(other, point) for point in step.points)
        failure = next((at for at in other_points if at.holds is False), None)
        reading_verdict = FAILS if failure else MEASURED if all(at.holds for at in other_points) else UNDECIDED
        counterexample = Counterexample(failure.point, failure.left, failure.right) if failure else None
        readings.append(Reading(name, reading_verdict, _grid_of(other_points), counterexample, False))
    return {
        "verdict": verdict,
        "points": points,
        "grid": _grid_of(points),
        "counterexample": Counterexample(worst.point, worst.left, worst.right) if worst else None,
        "readings": tuple(readings),
    }


def _at(function: Callable[..., tuple[Interval, Interval]], point: Point) -> At:
    left, right = function(**point)
    holds = True if left.upper <= right.lower else False if left.lower > right.upper else None
    return At(point, left, right, holds)


def _grid_of(points: tuple[At, ...]) -> Grid:
    """Return the summary of a measured step over its points, in the form that elementary steps have."""
    ratios = sorted(
        ((at.right.lower / at.left.upper * (1 - 1e-15), at) for at in points if at.left.upper > 0),
        key=lambda entry: entry[0],
    )
    failures = tuple(at.point for at in points if at.holds is False)
    unclear = sum(at.holds is None for at in points)
    if not ratios:
        return Grid(len(points), len(points), float("inf"), float("inf"), None, failures, unclear, 0, 0)
    middle = ratios[(len(ratios) - 1) // 2][0]
    return Grid(len(points), len(points), ratios[0][0], middle, ratios[0][1].point, failures, unclear, 0, 0)


def _elementary(step: Step) -> dict[str, Any]:
    grid = check(step)
    outcome: Outcome | None = None if step.equal else prove(step)
    if isinstance(outcome, Proved) and step.margin is not None:
        # Only a derivation by hand says that the margin has the sign of the difference: the difference is searched too.
        doubt = prove(replace(step, margin=None), None, DOUBTS)
        outcome = doubt if isinstance(doubt, Refuted) else outcome
    counterexample = _counterexample(step, None, grid, outcome)
    if counterexample or grid.contradicted:
        verdict = FAILS
    elif isinstance(outcome, Proved):
        verdict = VACUOUS if outcome.vacuous else PROVED
    elif grid.points == grid.undefined:
        verdict = UNDECIDED
    elif step.equal:
        verdict = EQUAL
    else:
        verdict = HOLDS
    readings = tuple(_reading(step, name, right) for name, right in step.readings.items())
    needs = premise_needs(step) if step.premises and verdict == PROVED else None
    thresholds = tuple(threshold(step, *end) for end in ([] if step.equal else relaxable(step)))
    return {
        "verdict": verdict,
        "grid": grid,
        "outcome": outcome,
        "counterexample": counterexample,
        "readings": readings,
        "needs": needs,
        "thresholds": tuple(each for each in thresholds if each.proved is not None),
        "ignored": () if step.equal else ignored_parameters(step),
    }


def _reading(step: Step, name: str, right: Function) -> Reading:
    grid = check(step, right)
    outcome = None if step.equal or grid.undefined else prove(step, right)
    counterexample = _counterexample(step, right, grid, outcome)
    is_undefined = grid.points == grid.undefined
    if counterexample or is_undefined:
        verdict = FAILS
    elif isinstance(outcome, Proved):
        verdict = VACUOUS if outcome.vacuous else PROVED
    else:
        verdict = EQUAL if step.equal else HOLDS
    return Reading(name, verdict, grid, counterexample, is_undefined)


def _counterexample(step: Step, right: Function | None, grid: Grid, outcome: Outcome | None) -> Counterexample | None:
    """Return the simplest counterexample that is reached from a failure on the grid or from the refuted proof."""
    starts = [*grid.failures[:1], *([outcome.point] if isinstance(outcome, Refuted) else [])]
    for start in starts:
        point = smallest(step, start, right)
        if point is not None:
            return _enclose_sides(step, right, point)
    return None


def _enclose_sides(step: Step, right: Function | None, point: Point) -> Counterexample:
    with ctx.workprec(POINT_BITS):
        low, high = sides(step, right, point)
        return Counterexample(point, _outward(low), _outward(high))


def _outward(ball: Any) -> Interval:
    low, high = float(ball.lower()), float(ball.upper())
    return Interval(low - abs(low) * 1e-15, high + abs(high) * 1e-15, "value")
