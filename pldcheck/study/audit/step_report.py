"""What an audit has to say of one step of a proof, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from ...core.interval import Interval
from ...theorems.proof_step import Measured, Step
from .box_proof import Outcome
from .point_checks import Grid, Point
from .premise_probe import Ignored, Needs, Threshold

# What can be said of a step, best first.
PROVED = "proved"
EQUAL = "equal"
MEASURED = "measured"
HOLDS = "holds"
UNDECIDED = "undecided"
FAILS = "fails"
# Of a step whose premises hold nowhere in its box: true, and it says nothing.
VACUOUS = "vacuous"
VERDICTS = (PROVED, EQUAL, MEASURED, HOLDS, VACUOUS, UNDECIDED, FAILS)


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
        """Return plain values, ready for JSON; what is infinite or missing is None."""
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
            "proof": None if self.outcome is None else _proof(self.outcome),
            "counterexample": plain(self.counterexample),
            "points": plain(self.points),
            "readings": plain(self.readings),
            "needs": plain(self.needs),
            "thresholds": plain(self.thresholds),
            "ignored": plain(self.ignored),
        }


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


def _proof(outcome: Outcome) -> dict[str, Any]:
    """Return what was found of the whole box; that a proof is vacuous is told where it is."""
    facts = {"kind": type(outcome).__name__, **plain(outcome)}
    return {name: value for name, value in facts.items() if name != "vacuous" or value}
