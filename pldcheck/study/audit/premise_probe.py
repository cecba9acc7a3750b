"""The premises that a step needs, and how far each parameter may go; both answers are two-sided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import inf, sqrt

from flint import arb, ctx

from ...core.parameters import PARAMETERS
from ...theorems.proof_step import Axis, Function, Premise, Step
from .box_proof import MOST_BOXES, Outcome, Proved, Refuted, Unproved, concerns, depends, prove
from .point_checks import check
from .smallest_counterexample import smallest
from .spans import BOX_BITS

# Relative distance between the proved and the refuted side of a threshold, for four digits in the report.
WIDTH = 2e-5
# Most boxes of each proof during a search: a twentieth of a full proof, since a search needs many proofs.
BOXES = 1000
# Undecided proofs after which the search for a threshold ends; each costs the largest number of boxes.
PATIENCE = 6
# Halvings after which the search for a threshold ends: enough for WIDTH on every axis in use.
STEPS = 40
# Points inside the grid that is tried after an undecided proof; its corners and boundary points matter most.
FEW = 16


@dataclass(frozen=True)
class Needs:
    """The premises that a step needs.

    Parameters
    ----------
    essential
        A counterexample for each premise without which the step fails although all others hold.
    sufficient
        The smallest sets of premises from which the step is proved.
    undecided
        Sets of premises from which the step is neither proved nor refuted.

    """

    essential: Mapping[str, Mapping[str, float]] = field(hash=False)
    sufficient: tuple[tuple[str, ...], ...]
    undecided: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Threshold:
    """The range of one parameter over which a step is proved, and the value beyond which it fails.

    Parameters
    ----------
    parameter, end
        The axis, and which end of it moves: "low" or "high".
    proved
        The farthest end with which the step is proved; None if it is proved with none.
    fails, counterexample
        The nearest value at which the step certainly fails, and the point; None if no counterexample was reached.
    dropped
        The premises on this parameter alone, which are not assumed here.

    """

    parameter: str
    end: str
    proved: float | None
    fails: float | None
    counterexample: Mapping[str, float] | None = field(hash=False)
    dropped: tuple[str, ...]


@dataclass(frozen=True)
class IgnoredParameter:
    """A parameter that only the left side uses, with the median of right / left at either end of its axis."""

    parameter: str
    ends: tuple[float, float]
    middle: tuple[float, float]


def premise_needs(step: Step, right: Function | None = None) -> Needs:
    """Return which premises a step needs: each is left out by itself, then the smallest sufficient sets are sought."""
    essential: dict[str, Mapping[str, float]] = {}
    optional: list[Premise] = []
    for premise in step.premises:
        fewer = step.with_premises(tuple(other for other in step.premises if other is not premise))
        point = _counterexample(fewer, right)
        if point:
            essential[premise.text] = point
        else:
            optional.append(premise)
    sufficient: list[tuple[str, ...]] = []
    open_sets: list[tuple[str, ...]] = []
    for size in range(len(optional) + 1):
        for extra in combinations(optional, size):
            premises = tuple(premise for premise in step.premises if premise.text in essential or premise in extra)
            texts = tuple(premise.text for premise in premises)
            if any(set(smaller) <= set(texts) for smaller in sufficient):
                continue
            most = MOST_BOXES if premises == step.premises else BOXES
            outcome = prove(step.with_premises(premises), right, most)
            if isinstance(outcome, Proved):
                sufficient.append(texts)
            elif not isinstance(outcome, Refuted):
                open_sets.append(texts)
    return Needs(essential, tuple(sufficient), tuple(open_sets))


def _counterexample(step: Step, right: Function | None) -> dict[str, float] | None:
    outcome = prove(step, right, BOXES)
    return smallest(step, outcome.point, right) if isinstance(outcome, Refuted) else None


def threshold(step: Step, parameter: str, end: str = "high", right: Function | None = None) -> Threshold:
    """Return how far one end of a parameter's axis may go, by bisection with proofs and counterexamples."""
    dropped_premises = tuple(premise for premise in step.premises if concerns(step, premise) == {parameter})
    free = step.with_premises(tuple(premise for premise in step.premises if premise not in dropped_premises))
    axis = step.box[parameter]
    near, far = (axis.low, axis.high) if end == "high" else (axis.high, axis.low)
    texts = tuple(premise.text for premise in dropped_premises)

    def at(value: float) -> Outcome:
        shorter_axis = replace(axis, high=value) if end == "high" else replace(axis, low=value)
        narrower = replace(free, box={**step.box, parameter: shorter_axis})
        outcome = prove(narrower, right, BOXES)
        # Halving easily misses the corners of the region that the premises leave.
        failures = check(narrower, right, FEW).failures if isinstance(outcome, Unproved) else ()
        return Refuted(failures[0], outcome.boxes, outcome.seconds) if failures else outcome

    if isinstance(at(far), Proved):
        return Threshold(parameter, end, far, None, None, texts)
    proved_end: float | None = None
    bad: float | None = None
    point: Mapping[str, float] | None = None
    inner, outer, open_count = near, far, 0
    # Undecided proofs move the outer end: a failure is only reported with a counterexample, which is sought later.
    while not _close(inner, outer, axis) and open_count < PATIENCE:
        middle = _middle(inner, outer, axis)
        outcome = at(middle)
        open_count += isinstance(outcome, Unproved)
        if isinstance(outcome, Proved):
            inner = proved_end = middle
        else:
            outer = middle
        if isinstance(outcome, Refuted):
            value = outcome.point[parameter]
            if bad is None or (value < bad if end == "high" else value > bad):
                bad, point = value, outcome.point
    if bad is None:
        outcome = at(far)
        if isinstance(outcome, Refuted):
            bad, point = outcome.point[parameter], outcome.point
    # Where a proof remained undecided at a tight point, the nearest counterexample lies beyond it.
    open_count = 0
    for _ in range(STEPS):
        if bad is None or _close(outer, bad, axis) or open_count == PATIENCE:
            break
        middle = _middle(outer, bad, axis)
        outcome = at(middle)
        open_count += isinstance(outcome, Unproved)
        if isinstance(outcome, Refuted):
            bad, point = outcome.point[parameter], outcome.point
        else:
            outer = middle
    return Threshold(parameter, end, proved_end, bad, point, texts)


def relaxable(step: Step) -> list[tuple[str, str]]:
    """Return pairs of a parameter and an end of its axis, for each premise that bounds one parameter alone."""
    ends = []
    for premise in step.premises:
        names = concerns(step, premise)
        if len(names) == 1:
            (name,) = names
            with ctx.workprec(BOX_BITS):
                inside = bool(premise.excess(**{each: arb(other.low) for each, other in step.box.items()}) <= 0)
            ends.append((name, "high" if inside else "low"))
    return list(dict.fromkeys(ends))


def ignored_parameters(step: Step) -> tuple[IgnoredParameter, ...]:
    """Return the parameters of theorems on which the left side depends and the right side does not.

    At this step the proof discards them.  Quantities that only a step quantifies over (an index, a likelihood ratio)
    are not parameters of a theorem and are left out.
    """
    parameters = []
    for name in depends(step, step.left) - depends(step, step.right):
        if name in PARAMETERS and step.box[name].low < step.box[name].high:
            axis = step.box[name]
            ends = (axis.low, axis.high)
            grids = [check(replace(step, box={**step.box, name: replace(axis, low=at, high=at)})) for at in ends]
            if max(grid.middle for grid in grids) < inf:
                parameters.append(IgnoredParameter(name, ends, (grids[0].middle, grids[1].middle)))
    return tuple(sorted(parameters, key=lambda each: each.parameter))


def _middle(inner: float, outer: float, axis: Axis) -> float:
    return sqrt(inner) * sqrt(outer) if axis.scale == "log" else (inner + outer) / 2


def _close(inner: float, outer: float, axis: Axis) -> bool:
    size = max(abs(inner), abs(outer))
    return abs(outer - inner) <= WIDTH * size
