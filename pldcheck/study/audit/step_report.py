"""The result of the audit of one step of a proof, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from ...core.interval import Interval
from ...theorems.proof_step import Measured, Step
from .box_proof import Outcome
from .point_checks import Grid, Point
from .premise_probe import IgnoredParameter, Needs, Threshold

# The inequality is proved on the whole box of parameters.
PROVED = "proved"
# The two sides of a claimed equality agree to all digits at every point of the grid.
EQUAL = "equal"
# Certified numbers confirm the step at its points; there is no proof on a box.
MEASURED = "measured"
# The inequality holds at every point of the grid, and the proof on the box did not finish.
HOLDS = "holds"
# Neither the points nor the box decide.
UNDECIDED = "undecided"
# The step certainly fails at a point where its premises hold.
FAILS = "fails"
# The premises hold nowhere in the box: the step is true and has no content.
VACUOUS = "vacuous"
# All verdicts, from the best to the worst.
VERDICTS = (PROVED, EQUAL, MEASURED, HOLDS, VACUOUS, UNDECIDED, FAILS)


@dataclass(frozen=True)
class Counterexample:
    """A point where the premises hold and the left side is certainly larger, with an enclosure of each side."""

    point: Point = field(hash=False)
    left: Interval
    right: Interval


@dataclass(frozen=True)
class Reading:
    """Another meaning of the right side that the text allows, with its own verdict and counterexample.

    ``undefined`` says that the right side has no value at any point of the grid.
    """

    name: str
    verdict: str
    grid: Grid
    counterexample: Counterexample | None
    undefined: bool


@dataclass(frozen=True)
class At:
    """A measured step at one point: enclosures of both sides, and whether it holds there (None if undecided)."""

    point: Point = field(hash=False)
    left: Interval
    right: Interval
    holds: bool | None


@dataclass(frozen=True)
class StepReport:
    """The result of the audit of one step: its verdict and the evidence; a field that does not apply is None or empty.

    Parameters
    ----------
    step, verdict, seconds
        The step of the proof, one of ``VERDICTS``, and the time that the examination took.
    grid
        The step at the points of its grid.
    outcome
        The result of the proof on the box; None for an equality and for a measured step.
    counterexample
        The simplest point that was reached where the step certainly fails.
    points
        A measured step at each of its points.
    readings
        Other meanings of the right side that the text allows.
    needs
        The premises without which the step fails, and the sets of premises that suffice.
    thresholds
        How far the range of a parameter can be extended beyond a premise.
    ignored
        Parameters of the theorem on which the left side depends and the right side does not.

    """

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
    ignored: tuple[IgnoredParameter, ...] = ()

    @property
    def by_hand(self) -> bool:
        """Whether the step is proved by a simplification that was derived by hand."""
        return self.verdict == PROVED and isinstance(self.step, Step) and self.step.margin is not None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, ready for JSON; infinite and missing values are None."""
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
            "by_hand": self.by_hand,
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
    """Return dataclasses, intervals and mappings as plain values; numbers that are not finite become None."""
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
    """Return the outcome on the box as plain values; the field "vacuous" is present only where it is true."""
    facts = {"kind": type(outcome).__name__, **plain(outcome)}
    return {name: value for name, value in facts.items() if name != "vacuous" or value}
