"""The audit of a theorem: each step of its chain on the grid and on the box, what fails, what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from html import escape
from math import isfinite
from time import perf_counter
from typing import Any

from ..errors import UnknownNameError
from ..interval import Interval
from ..theorems import REGISTRY
from .chains import CHAINS
from .counter import smallest
from .grid import Grid, Point, check, sides
from .probe import Ignored, Needs, Threshold, ignored, needed, relaxable, threshold
from .proof import Outcome, Proved, Refuted, prove
from .spans import POINT_BITS
from .step import Chain, Function, Measured, Step

# Boxes in which a difference is searched for counterexamples that its margin does not know.
DOUBTS = 300
# What can be said of a step, best first.
PROVED, EQUAL, MEASURED, HOLDS, UNDECIDED, FAILS = "proved", "equal", "measured", "holds", "undecided", "fails"
VERDICTS = (PROVED, EQUAL, MEASURED, HOLDS, UNDECIDED, FAILS)


@dataclass(frozen=True)
class Counterexample:
    """A point where the premises hold and the left side is certainly larger; both sides enclosed."""

    point: Point = field(hash=False)
    left: Interval
    right: Interval


@dataclass(frozen=True)
class Reading:
    """Another right side: its verdict, and where it fails; ``undefined`` if it is no number at any point."""

    name: str
    verdict: str
    grid: Grid
    counterexample: Counterexample | None
    undefined: bool


@dataclass(frozen=True)
class At:
    """A measured step at one point: enclosures of both sides, and whether it certainly holds."""

    point: Point = field(hash=False)
    left: Interval
    right: Interval
    holds: bool | None


@dataclass(frozen=True)
class StepReport:
    """What the audit found out about one step; what does not apply is None or empty."""

    step: Step | Measured = field(repr=False)
    verdict: str
    seconds: float
    grid: Grid | None = None
    outcome: Outcome | None = None
    counterexample: Counterexample | None = None
    points: tuple[At, ...] = ()
    readings: tuple[Reading, ...] = ()
    needs: Needs | None = None
    thresholds: tuple[Threshold, ...] = ()
    ignored: tuple[Ignored, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; what is infinite or missing is None."""
        step = self.step
        box = {name: asdict(axis) for name, axis in step.box.items()} if isinstance(step, Step) else None
        premises = [premise.text for premise in step.premises] if isinstance(step, Step) else []
        return {
            "id": step.id,
            "name": step.name,
            "statement": step.statement,
            "source": step.source,
            "notes": step.notes,
            "verdict": self.verdict,
            "seconds": round(self.seconds, 3),
            "box": box,
            "premises": premises,
            "why_not_proved": step.why if isinstance(step, Measured) else None,
            "grid": plain(self.grid),
            "proof": None if self.outcome is None else {"kind": type(self.outcome).__name__, **plain(self.outcome)},
            "counterexample": plain(self.counterexample),
            "points": plain(self.points),
            "readings": plain(self.readings),
            "needs": plain(self.needs),
            "thresholds": plain(self.thresholds),
            "ignored": plain(self.ignored),
        }


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
        """How many steps have each verdict."""
        found = {verdict: sum(step.verdict == verdict for step in self.steps) for verdict in VERDICTS}
        return {verdict: count for verdict, count in found.items() if count}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "theorem": self.theorem,
            "title": self.title,
            "holds": self.holds,
            "counts": self.counts(),
            "steps": [step.to_dict() for step in self.steps],
        }

    def __repr__(self) -> str:
        said = ", ".join(f"{count} {verdict}" for verdict, count in self.counts().items())
        return f"<Audit of {self.theorem}: {said}>"

    def _repr_html_(self) -> str:
        from .words import grid_words, proof_words

        rows = "".join(
            f"<tr><td>{escape(step.step.name)}</td><td>${escape(step.step.statement)}$</td><td>{step.verdict}</td>"
            f"<td>{escape('; '.join([*grid_words(step), *proof_words(step)]))}</td></tr>"
            for step in self.steps
        )
        head = "<tr><th>step</th><th></th><th>verdict</th><th></th></tr>"
        return f"<table><caption>audit of {escape(self.theorem)}</caption>{head}{rows}</table>"


def plain(value: Any) -> Any:
    """Dataclasses, intervals and mappings as plain values; what is not finite becomes None."""
    if isinstance(value, Interval):
        return {"lower": plain(value.lower), "upper": plain(value.upper)}
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return value


def audit(theorem: str, seen: Callable[[str], None] | None = None) -> Report:
    """The audit of one theorem; ``seen`` is called with the id of each step before it.

    Raises
    ------
    UnknownNameError
        For a theorem without a chain.

    """
    if theorem not in CHAINS:
        raise UnknownNameError("audited theorem", theorem, CHAINS)
    chain = CHAINS[theorem]
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
    """One step; steps that proofs share are examined once."""
    start = perf_counter()
    report = _measured(step) if isinstance(step, Measured) else _elementary(step)
    return StepReport(**{**report, "step": step, "seconds": perf_counter() - start})


def _measured(step: Measured) -> dict[str, Any]:
    points = tuple(_at(step.check, point) for point in step.points)
    if any(at.holds is False for at in points):
        verdict = FAILS
    else:
        verdict = MEASURED if all(at.holds for at in points) else UNDECIDED
    worst = next((at for at in points if at.holds is False), None)
    readings = []
    for name, other in step.readings.items():
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
    """The least ratios, as on a grid."""
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
        verdict = PROVED
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
        verdict = PROVED
    else:
        verdict = EQUAL if step.equal else HOLDS
    return Reading(name, verdict, grid, counterexample, undefined)


def _counterexample(step: Step, right: Function | None, grid: Grid, outcome: Outcome | None) -> Counterexample | None:
    """The smallest that is found, from any point of the grid where it fails or from the proof's."""
    starts = [*grid.failures[:1], *([outcome.point] if isinstance(outcome, Refuted) else [])]
    for start in starts:
        point = smallest(step, start, right)
        if point is not None:
            return _enclosed(step, right, point)
    return None


def _enclosed(step: Step, right: Function | None, point: Point) -> Counterexample:
    from flint import ctx

    with ctx.workprec(POINT_BITS):
        low, high = sides(step, right, point)
        return Counterexample(point, _outward(low), _outward(high))


def _outward(ball: Any) -> Interval:
    low, high = float(ball.lower()), float(ball.upper())
    return Interval(low - abs(low) * 1e-15, high + abs(high) * 1e-15)
