"""The report on a step of an audit in words, for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import exp, expm1, inf

from flint import ctx

from ...core.outward_decimals import down, up
from ...report.unicode_formulas import unicode_formula
from ...theorems.proof_step import Measured, Step
from .box_proof import Proved, Unproved
from .point_checks import Grid
from .premise_probe import Needs, Threshold
from .spans import POINT_BITS, exactly
from .step_report import EQUAL, FAILS, HOLDS, MEASURED, PROVED, UNDECIDED, Counterexample, Reading, StepReport

# A probability nearer to 1 is shown as its distance from 1.
NEAR_ONE = 1e-3
# The beginning of the name of an axis that is log(1/p): the probability p is shown beside it.
LOG_INVERSE = "log_inverse_"
# Letters of the formulas that have one meaning in all proofs, each with its parameter and its meaning.  L has another
# meaning in lemmas without log(1/delta), whose steps do not have that parameter.  q has several meanings: the notes of
# each step say which.
SYMBOLS = (
    ("x", "eps0", "x = e^eps0"),
    ("L", "log_inverse_delta", "L = log(1/delta)"),
    ("B", "log_inverse_beta", "B = log(1/beta)"),
    ("w", "weight", "w = weight, the probability that the record is used in its slot"),
    ("m", "steps", "m = steps"),
    ("n", "clients", "n = clients"),
)
# The largest median of right / left that is printed: beyond, it tells the reach of the grid and not the step.
LOOSE = 1000.0
# What is evaluated in place of a difference that is too wide an expression for interval arithmetic.
BY_HAND = "a simplification of right - left, derived by hand; that it has the same sign is checked at points only"
# The words after the verdict on a step that is proved by such an evaluation.
GIVEN_BY_HAND = "given a simplification by hand"
# The verbs of the counts, where the name of the verdict is no adjective.
COUNTED = {FAILS: "fail", EQUAL: "numerically equal", HOLDS: "hold at all points"}


def count_words(counts: Mapping[str, int], by_hand: int = 0) -> str:
    """Return the number of steps with each verdict, in words; ``by_hand`` proofs use a simplification by hand."""
    words = {
        verdict: f"{count} {'fails' if verdict == FAILS and count == 1 else COUNTED.get(verdict, verdict)}"
        for verdict, count in counts.items()
    }
    if by_hand:
        share = "" if by_hand == counts[PROVED] else f"{by_hand} of them "
        words[PROVED] += f" ({share}{GIVEN_BY_HAND})"
    return ", ".join(words.values())


def conclusion(counts: Mapping[str, int], by_hand: int = 0) -> str:
    """Return what the verdicts on all steps say about the proof, in a sentence.

    ``by_hand`` is the number of proofs of which a part was derived by hand.
    """
    if failing := counts.get(FAILS, 0):
        text = "1 step fails" if failing == 1 else f"{failing} steps fail"
        return f"conclusion: {text} somewhere in the claimed range; the theorem may hold all the same"
    text = "conclusion: no step fails"
    if undecided := counts.get(UNDECIDED, 0):
        text += f"; {undecided} {'step is' if undecided == 1 else 'steps are'} undecided"
    if pointwise := sum(counts.get(verdict, 0) for verdict in (EQUAL, MEASURED, HOLDS)):
        text += f"; {pointwise} {'step was' if pointwise == 1 else 'steps were'} checked at points only"
    elif not undecided:
        text += ", and each is proved on the whole range"
    if not by_hand:
        return text
    proofs = "1 proof rests" if by_hand == 1 else f"{by_hand} proofs rest"
    return f"{text}; {proofs} on a simplification by hand, which is checked at points only"


def legend(steps: Iterable[Step | Measured]) -> list[str]:
    """Return a line with the letters that occur in the formulas of these steps, if any do."""
    meanings = [
        meaning
        for letter, parameter, meaning in SYMBOLS
        if any(parameter in _parameters(step) and letter in _letters(step.statement) for step in steps)
    ]
    return [f"symbols: {'; '.join(meanings)}; notes of steps explain further letters"] if meanings else []


def _parameters(step: Step | Measured) -> Iterable[str]:
    return step.box if isinstance(step, Step) else step.points[0]


def _letters(latex: str) -> set[str]:
    """Return the single letters of a formula in LaTeX, without its commands and its words."""
    plain = re.sub(r"\\(text|mathrm|operatorname)\{[^}]*\}|\\[A-Za-z]+", " ", latex)
    return set(re.findall(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])", plain))


def step_lines(report: StepReport, latex: bool = False) -> list[str]:
    """Return the report on one step as lines: its name and verdict, its statement, then the evidence."""
    step = report.step
    lines = [step.statement if latex else unicode_formula(step.statement), f"{step.source}"]
    lines += [step.notes] if step.notes else []
    lines += grid_words(report) + proof_words(report)
    if isinstance(step, Measured):
        lines.append(f"measured and not proved, because {step.why}")
    if report.counterexample:
        lines.append("fails at " + counter_words(step, report.counterexample))
    lines += [_reading_words(step, reading) for reading in report.readings]
    lines += _needs_words(step, report.needs) if report.needs and isinstance(step, Step) else []
    lines += [_threshold_words(each) for each in report.thresholds]
    for each in report.ignored:
        low, high = each.ends
        lines.append(
            f"room for a tighter step: its left side depends on {each.parameter} and its right side does not; "
            f"the median of right / left is "
            f"{each.middle[0]:.3g} at {each.parameter} = {low:g} and {each.middle[1]:.3g} at "
            f"{each.parameter} = {high:g}"
        )
    return [f"{step.id}  {step.name}: {verdict_words(report)}", *(f"    {line}" for line in lines)]


def verdict_words(report: StepReport) -> str:
    """Return the verdict on a step, and whether its proof uses a simplification by hand."""
    return f"{report.verdict}, {GIVEN_BY_HAND}" if report.by_hand else report.verdict


def grid_words(report: StepReport) -> list[str]:
    """Return the result at the points of the grid, in words."""
    grid = report.grid
    if grid is None:
        return []
    if isinstance(report.step, Step) and report.step.equal:
        return [
            f"both sides agree to all digits at {grid.unclear} of {grid.points} points; this is a numerical check "
            "and no proof"
        ]
    return [_grid(grid, report.step)]


def _grid(grid: Grid, step: Step | Measured) -> str:
    if grid.smallest == inf:  # no point has two positive sides
        text = f"checked at {grid.points} points; right / left is not shown, because at each a side is 0 or negative"
    else:
        text = f"right / left is at least {_ratio(grid.smallest)}, its median is {_median(grid.middle)}"
        text += f", over {grid.points} points"
    text += f"; the step fails at {len(grid.failures)} of them" if grid.failures else ""
    text += f"; a side is undefined at {grid.undefined} of them" if grid.undefined else ""
    text += (
        f"; the simplified difference has the wrong sign at {grid.contradicted} of them" if grid.contradicted else ""
    )
    return text + (
        f"; the ratio is least at {point_words(grid.where)}" if grid.where and isinstance(step, Measured) else ""
    )


def _ratio(value: float) -> str:
    # The ratio is rounded down; where both sides are equal to all digits it is shown as 1.
    return "infinite" if value == inf else "1" if abs(value - 1) < 1e-14 else _short(value, ROUND_FLOOR, 5)


def _median(value: float) -> str:
    """Return a median; of a large one, where the grid reaches far, only that it is large."""
    return f"above {LOOSE:g}" if LOOSE < value < inf else _ratio(value)


def _short(value: float, rounding: str, digits: int = 6) -> str:
    """Return a short decimal, rounded in the direction in which the bound stays true."""
    return f"{Context(prec=digits, rounding=rounding).plus(Decimal(value)).normalize():g}"


def proof_words(report: StepReport) -> list[str]:
    """Return the result on the whole box, in words."""
    step, outcome = report.step, report.outcome
    if outcome is None or isinstance(step, Measured):
        return []
    box = ", ".join(f"{name} in [{axis.low:.12g}, {axis.high:.12g}]" for name, axis in step.box.items())
    premises = "".join(f", {premise.text}" for premise in step.premises)
    pieces = (
        "the range in one piece, without splitting it" if outcome.boxes == 1 else f"{outcome.boxes} pieces of the range"
    )
    effort = f"{pieces}, {outcome.seconds:.2g} s"
    if isinstance(outcome, Proved) and outcome.vacuous:
        return [f"vacuous for {box}{premises}: no point of the box satisfies the premises ({effort})"]
    if isinstance(outcome, Proved):
        kind = BY_HAND if step.margin else "right - left"
        return [f"proved for {box}{premises} (interval arithmetic on {kind}; {effort})"]
    if isinstance(outcome, Unproved):
        return [f"not proved for {box}{premises}: a share of {outcome.share:.2g} of the box is undecided ({effort})"]
    if report.counterexample is None:
        return [f"not proved for {box}{premises}: it fails between whole numbers, at {point_words(outcome.point)}"]
    return []


def point_words(point: Mapping[str, float]) -> str:
    """Return the coordinates of a point, with each probability beside its logarithm."""
    coordinates = []
    for name, value in point.items():
        text = f"{name} = {value:.12g}"
        if name.startswith(LOG_INVERSE):
            text += f" ({name.removeprefix(LOG_INVERSE)} = {_probability(value)})"
        coordinates.append(text)
    return ", ".join(coordinates)


def _probability(log_inverse: float) -> str:
    """Return e^-log_inverse; near 1 as its distance from 1, since a probability of 1 is outside the range."""
    near = -expm1(-log_inverse)
    return f"1 - {near:.4g}" if 0.0 < near < NEAR_ONE else f"{exp(-log_inverse):.4g}"


def counter_words(step: Step | Measured, counterexample: Counterexample) -> str:
    """Return a counterexample in words: the point, other quantities there, and the certain digits of both sides."""
    others = ""
    if isinstance(step, Step):
        with ctx.workprec(POINT_BITS):
            values = {name: exactly(at) for name, at in counterexample.point.items()}
            others = "".join(
                f", {name} = {float(function(**values)):.6g}" for name, function in step.quantities.items()
            )
    sign = "is not" if isinstance(step, Step) and step.equal else ">"
    left, right = counterexample.left, counterexample.right
    return f"{point_words(counterexample.point)}{others}: {_apart(left.lower, right.upper, sign)}"


def _apart(lower: float, upper: float, sign: str) -> str:
    """Return two ends in words, each rounded outward to enough digits to show that they differ."""
    roundings = ((down(lower, digits), up(upper, digits)) for digits in (6, 9, 12, 17))
    pairs = [pair for pair in roundings if Decimal(pair[0]) > Decimal(pair[1])]
    left, right = pairs[0] if pairs else (down(lower, 17), up(upper, 17))
    return f"{left} {sign} {right}"


def _reading_words(step: Step | Measured, reading: Reading) -> str:
    if reading.undefined:
        return f'in the reading "{reading.name}": the right side is undefined at every point'
    if reading.counterexample:
        return f'in the reading "{reading.name}": fails at {counter_words(step, reading.counterexample)}'
    verdict = "proved" if reading.verdict == PROVED else f"{reading.verdict} at {reading.grid.points} points"
    return f'in the reading "{reading.name}": {verdict}'


def _needs_words(step: Step, needs: Needs) -> list[str]:
    lines = []
    all_of_them = tuple(premise.text for premise in step.premises)
    for texts in needs.sufficient:
        if texts != all_of_them:
            lines.append(f"proved from {' and '.join(texts) if texts else 'no premise'} alone")
    for text, point in needs.essential.items():
        where = point_words(point)
        lines.append(f"without the premise {text} it fails at {where}")
    return lines


def _threshold_words(threshold: Threshold) -> str:
    sign, rounding = ("<=", ROUND_FLOOR) if threshold.end == "high" else (">=", ROUND_CEILING)
    limit = 0.0 if threshold.proved is None else threshold.proved
    without = f", without the premise {' and '.join(threshold.dropped)}" if threshold.dropped else ""
    text = f"proved for {threshold.parameter} {sign} {_short(limit, rounding)}{without}"
    if threshold.fails is not None and threshold.counterexample is not None:
        text += f"; beyond that it fails, at {point_words(threshold.counterexample)}"
    if threshold.parameter.startswith(LOG_INVERSE):
        sign, rounding, slip = (">=", ROUND_CEILING, 1e-14) if threshold.end == "high" else ("<=", ROUND_FLOOR, -1e-14)
        probability = _short(exp(-limit) * (1 + slip), rounding, 5)
        text += f": that is {threshold.parameter.removeprefix(LOG_INVERSE)} {sign} {probability}"
    return text
