"""The audit of a theorem: each step of its chain on the grid and on the box, what fails, what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from time import perf_counter
from typing import Any

from flint import ctx

from ...core.errors import UnknownNameError
from ...core.interval import Interval
from ...theorems import REGISTRY
from ...theorems.papers import chains
from ...theorems.proof_step import Chain, Function, Measured, Step
from . import ball_functions as ball_functions
from .audit_text import grid_words, proof_words, step_lines
from .box_proof import Outcome, Proved, Refuted, prove
from .measured import CHECKS, READINGS
from .point_checks import Grid, Point, check, sides
from .premise_probe import ignored, needed, relaxable, threshold
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

# Boxes in which a difference is searched for counterexamples that its margin does not know.
DOUBTS = 300


@dataclass(frozen=True, repr=False)
class Report:
    """The audit of one theorem."""

    theorem: str
    title: str
    steps: tuple[StepReport, ...]

    @property
    def failures(self) -> tuple[StepReport, ...]:
        """The steps that certainly fail somewhere in the range they are claimed for."""
        return tuple(step for step in self.steps if step.verdict == FAILS)

    @property
    def holds(self) -> bool | None:
        """False if a step fails, None if one is undecided."""
        if self.failures:
            return False
        return None if any(step.verdict == UNDECIDED for step in self.steps) else True

    def counts(self) -> dict[str, int]:
        """Return how many steps have each verdict."""
        found = {verdict: sum(step.verdict == verdict for step in self.steps) for verdict in VERDICTS}
        return {verdict: count for verdict, count in found.items() if count}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "theorem": self.theorem,
            "title": self.title,
            "holds": self.holds,
            "counts": self.counts(),
            "steps": [step.to_dict() for step in self.steps],
        }

    def lines(self, latex: bool = False) -> list[str]:
        """Return the whole report for a screen, a step after the other, in Unicode mathematics or in LaTeX."""
        said = ", ".join(f"{count} {verdict}" for verdict, count in self.counts().items())
        found = [f"{self.theorem}  {self.title}", f"{len(self.steps)} steps: {said}"]
        for step in self.steps:
            found += ["", *step_lines(step, latex)]
        return found

    def __repr__(self) -> str:
        said = ", ".join(f"{count} {verdict}" for verdict, count in self.counts().items())
        return f"<Audit of {self.theorem}: {said}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(step.step.name)}</td><td>${escape(step.step.statement)}$</td><td>{step.verdict}</td>"
            f"<td>{escape('; '.join([*grid_words(step), *proof_words(step)]))}</td></tr>"
            for step in self.steps
        )
        head = "<tr><th>step</th><th></th><th>verdict</th><th></th></tr>"
        return f"<table><caption>audit of {escape(self.theorem)}</caption>{head}{rows}</table>"


def audit(theorem: str, seen: Callable[[str], None] | None = None) -> Report:
    """Return the audit of one theorem; ``seen`` is called with the id of each step before it.

    Raises
    ------
    UnknownNameError
        For a theorem without a chain.

    """
    if theorem not in chains():
        raise UnknownNameError("audited theorem", theorem, chains())
    chain = chains()[theorem]
    found = []
    for step in chain.steps:
        if seen:
            seen(step.id)
        found.append(examine(step))
    return Report(theorem, title_of(chain), tuple(found))


def title_of(chain: Chain) -> str:
    """That of the registered theorem, or the chain's own."""
    return REGISTRY[chain.theorem].title if chain.theorem in REGISTRY else chain.title


@cache
def examine(step: Step | Measured) -> StepReport:
    """Return one step; steps that proofs share are examined once."""
    start = perf_counter()
    report = _measured(step) if isinstance(step, Measured) else _elementary(step)
    return StepReport(**{**report, "step": step, "seconds": perf_counter() - start})


def _measured(step: Measured) -> dict[str, Any]:
    points = tuple(_at(CHECKS[step.id], point) for point in step.points)
    if any(at.holds is False for at in points):
        verdict = FAILS
    else:
        verdict = MEASURED if all(at.holds for at in points) else UNDECIDED
    worst = next((at for at in points if at.holds is False), None)
    readings = []
    for name, other in READINGS.get(step.id, {}).items():
        found = tuple(_at(other, point) for point in step.points)
        bad = next((at for at in found if at.holds is False), None)
        said = FAILS if bad else MEASURED if all(at.holds for at in found) else UNDECIDED
        counterexample = Counterexample(bad.point, bad.left, bad.right) if bad else None
        readings.append(Reading(name, said, _grid_of(found), counterexample, False))
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
    """Return the least ratios, as on a grid."""
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
        # That a margin has the sign of the difference is known by hand: the difference is searched as well.
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
    needs = needed(step) if step.premises and verdict == PROVED else None
    thresholds = tuple(threshold(step, *end) for end in ([] if step.equal else relaxable(step)))
    return {
        "verdict": verdict,
        "grid": grid,
        "outcome": outcome,
        "counterexample": counterexample,
        "readings": readings,
        "needs": needs,
        "thresholds": tuple(found for found in thresholds if found.proved is not None),
        "ignored": () if step.equal else ignored(step),
    }


def _reading(step: Step, name: str, right: Function) -> Reading:
    grid = check(step, right)
    outcome = None if step.equal or grid.undefined else prove(step, right)
    counterexample = _counterexample(step, right, grid, outcome)
    undefined = grid.points == grid.undefined
    if counterexample or undefined:
        verdict = FAILS
    elif isinstance(outcome, Proved):
        verdict = VACUOUS if outcome.vacuous else PROVED
    else:
        verdict = EQUAL if step.equal else HOLDS
    return Reading(name, verdict, grid, counterexample, undefined)


def _counterexample(step: Step, right: Function | None, grid: Grid, outcome: Outcome | None) -> Counterexample | None:
    """Return the smallest that is found, from any point of the grid where it fails or from the proof's."""
    starts = [*grid.failures[:1], *([outcome.point] if isinstance(outcome, Refuted) else [])]
    for start in starts:
        point = smallest(step, start, right)
        if point is not None:
            return _enclosed(step, right, point)
    return None


def _enclosed(step: Step, right: Function | None, point: Point) -> Counterexample:
    with ctx.workprec(POINT_BITS):
        low, high = sides(step, right, point)
        return Counterexample(point, _outward(low), _outward(high))


def _outward(ball: Any) -> Interval:
    low, high = float(ball.lower()), float(ball.upper())
    return Interval(low - abs(low) * 1e-15, high + abs(high) * 1e-15, "value")
