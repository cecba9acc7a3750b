"""A step of an audit in words, for a screen."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import exp, inf

from flint import ctx

from ...core.outward_decimals import down, up
from ...report.unicode_formulas import unicode_formula
from ...theorems.proof_step import Measured, Step
from .box_proof import Proved, Unproved
from .point_checks import Grid
from .premise_probe import Needs, Threshold
from .spans import POINT_BITS, exactly
from .step_report import PROVED, Counterexample, Reading, StepReport

# Axes that are log(1/p) are shown with p as well.
LOG_INVERSE = "log_inverse_"


def step_lines(report: StepReport, latex: bool = False) -> list[str]:
    """Return what a step says, then everything known of it."""
    step = report.step
    told = [step.statement if latex else unicode_formula(step.statement), f"{step.source}"]
    told += [step.notes] if step.notes else []
    told += grid_words(report) + proof_words(report)
    if isinstance(step, Measured):
        told.append(f"no proof on a box: {step.why}")
    if report.counterexample:
        told.append("fails at " + counter_words(step, report.counterexample))
    told += [_reading_words(step, reading) for reading in report.readings]
    told += _needs_words(step, report.needs) if report.needs and isinstance(step, Step) else []
    told += [_threshold_words(found) for found in report.thresholds]
    for each in report.ignored:
        low, high = each.ends
        told.append(
            f"the right side does not depend on {each.parameter}: "
            f"the median of right / left is {each.middle[0]:.3g} at {each.parameter} = "
            f"{low:g}, {each.middle[1]:.3g} at {high:g}"
        )
    return [f"{step.id}  {step.name}: {report.verdict}", *(f"    {line}" for line in told)]


def grid_words(report: StepReport) -> list[str]:
    """Return what was seen at the points."""
    grid = report.grid
    if grid is None:
        return []
    if isinstance(report.step, Step) and report.step.equal:
        return [f"equal to all digits at {grid.unclear} of {grid.points} points"]
    return [_grid(grid, report.step)]


def _grid(grid: Grid, step: Step | Measured) -> str:
    if grid.smallest == inf:  # at no point are both sides positive
        told = f"seen at {grid.points} points, with no ratio: the left or the right side is never positive"
    else:
        told = f"right / left is at least {_ratio(grid.smallest)}, in the median {_ratio(grid.middle)}"
        told += f", at {grid.points} points"
    told += f", fails at {len(grid.failures)}" if grid.failures else ""
    told += f", undefined at {grid.undefined} of {grid.points} points" if grid.undefined else ""
    told += f"; its margin has the wrong sign at {grid.contradicted}" if grid.contradicted else ""
    return told + (f"; least at {point_words(grid.where)}" if grid.where and isinstance(step, Measured) else "")


def _ratio(value: float) -> str:
    # One, where both sides are equal to all digits: the ratio itself is rounded down.
    return "any" if value == inf else "1" if abs(value - 1) < 1e-14 else _short(value, ROUND_FLOOR, 5)


def _short(value: float, rounding: str, digits: int = 6) -> str:
    """Return a decimal that is not on the wrong side of a bound."""
    return f"{Context(prec=digits, rounding=rounding).plus(Decimal(value)).normalize():g}"


def proof_words(report: StepReport) -> list[str]:
    """Return what is known of the whole box."""
    step, outcome = report.step, report.outcome
    if outcome is None or isinstance(step, Measured):
        return []
    box = ", ".join(f"{name} in [{axis.low:.12g}, {axis.high:.12g}]" for name, axis in step.box.items())
    given = "".join(f", {premise.text}" for premise in step.premises)
    effort = f"{outcome.boxes} box{'es' if outcome.boxes != 1 else ''}, {outcome.seconds:.2g} s"
    if isinstance(outcome, Proved) and outcome.vacuous:
        return [f"vacuous for {box}{given}: the premises exclude the whole box ({effort})"]
    if isinstance(outcome, Proved):
        kind = "for the simplified difference" if step.margin else "as it stands"
        return [f"proved for {box}{given} ({effort}, {kind})"]
    if isinstance(outcome, Unproved):
        return [f"not proved for {box}{given}: {outcome.share:.2g} of the box is left ({effort})"]
    if report.counterexample is None:
        return [f"not proved for {box}{given}: it fails between whole numbers, at {point_words(outcome.point)}"]
    return []


def point_words(point: Mapping[str, float]) -> str:
    """Coordinates, with the probability beside its logarithm."""
    told = []
    for name, value in point.items():
        short = f"{name} = {value:.12g}"
        if name.startswith(LOG_INVERSE):
            short += f" ({name.removeprefix(LOG_INVERSE)} = {exp(-value):.4g})"
        told.append(short)
    return ", ".join(told)


def counter_words(step: Step | Measured, found: Counterexample) -> str:
    """Return the point, what else is of interest there, and the two sides, to the digits that are certain."""
    shown = ""
    if isinstance(step, Step):
        with ctx.workprec(POINT_BITS):
            values = {name: exactly(at) for name, at in found.point.items()}
            shown = "".join(f", {name} = {float(function(**values)):.6g}" for name, function in step.shown.items())
    sign = "is not" if isinstance(step, Step) and step.equal else ">"
    return f"{point_words(found.point)}{shown}: {_apart(found.left.lower, found.right.upper, sign)}"


def _apart(lower: float, upper: float, sign: str) -> str:
    """Return a lower end over an upper end, outward, in digits enough to tell them apart."""
    told = ((down(lower, digits), up(upper, digits)) for digits in (6, 9, 12, 17))
    pairs = [pair for pair in told if Decimal(pair[0]) > Decimal(pair[1])]
    left, right = pairs[0] if pairs else (down(lower, 17), up(upper, 17))
    return f"{left} {sign} {right}"


def _reading_words(step: Step | Measured, reading: Reading) -> str:
    if reading.undefined:
        return f"read with {reading.name}: the right side is undefined at every point"
    if reading.counterexample:
        return f"read with {reading.name}: fails at {counter_words(step, reading.counterexample)}"
    told = "proved" if reading.verdict == PROVED else f"{reading.verdict} at {reading.grid.points} points"
    return f"read with {reading.name}: {told}"


def _needs_words(step: Step, needs: Needs) -> list[str]:
    told = []
    all_of_them = tuple(premise.text for premise in step.premises)
    for texts in needs.sufficient:
        if texts != all_of_them:
            told.append(f"proved from {' and '.join(texts) if texts else 'no premise'} alone")
    for text, point in needs.essential.items():
        shown = point_words(point)
        told.append(f"without {text} it fails at {shown}")
    return told


def _threshold_words(found: Threshold) -> str:
    sign, rounding = ("<=", ROUND_FLOOR) if found.end == "high" else (">=", ROUND_CEILING)
    proved = 0.0 if found.proved is None else found.proved
    dropped = f" in place of {' and '.join(found.dropped)}" if found.dropped else ""
    told = f"proved for {found.parameter} {sign} {_short(proved, rounding)}{dropped}"
    if found.fails is not None and found.counterexample is not None:
        told += f", fails at {point_words(found.counterexample)}"
    if found.parameter.startswith(LOG_INVERSE):
        sign, rounding, slip = (">=", ROUND_CEILING, 1e-14) if found.end == "high" else ("<=", ROUND_FLOOR, -1e-14)
        probability = _short(exp(-proved) * (1 + slip), rounding, 5)
        told += f": that is {found.parameter.removeprefix(LOG_INVERSE)} {sign} {probability}"
    return told
