"""What a step needs: which of its premises, and how far a parameter may go.  Both answers are two-sided."""

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

# Relative width asked for of a threshold.
WIDTH = 2e-5
# Boxes for each proof on the way, here and for sets of premises.
BOXES = 1000
# Undecided proofs after which the search for a threshold ends.
PATIENCE = 6
# Steps after which the search for a threshold ends.
STEPS = 40
# Points inside, of the grids that are then tried.
FEW = 16


@dataclass(frozen=True)
class Needs:
    """Which premises a step needs.

    ``essential`` maps each premise without which it fails, all others kept, to a counterexample; ``sufficient`` are the
    smallest sets with which it is proved, ``undecided`` sets with which it is neither.
    """

    essential: Mapping[str, Mapping[str, float]] = field(hash=False)
    sufficient: tuple[tuple[str, ...], ...]
    undecided: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Threshold:
    """One end of an axis: the step is proved with it at ``proved``, and fails at ``counterexample``, beyond ``fails``.

    Either may be None: never proved, or proved to the end of the axis (no counterexample found).  Premises on this
    parameter alone (``dropped``) are not assumed.
    """

    parameter: str
    end: str
    proved: float | None
    fails: float | None
    counterexample: Mapping[str, float] | None = field(hash=False)
    dropped: tuple[str, ...]


@dataclass(frozen=True)
class Ignored:
    """A parameter that only the left side uses: the median of right / left with it at either end of its axis."""

    parameter: str
    ends: tuple[float, float]
    middle: tuple[float, float]


def needed(step: Step, right: Function | None = None) -> Needs:
    """Return each premise dropped by itself; then sets of those that could be spared, smallest first."""
    essential: dict[str, Mapping[str, float]] = {}
    spared: list[Premise] = []
    for premise in step.premises:
        fewer = step.with_premises(tuple(other for other in step.premises if other is not premise))
        point = _counterexample(fewer, right)
        if point:
            essential[premise.text] = point
        else:
            spared.append(premise)
    sufficient: list[tuple[str, ...]] = []
    undecided: list[tuple[str, ...]] = []
    for size in range(len(spared) + 1):
        for added in combinations(spared, size):
            chosen = tuple(premise for premise in step.premises if premise.text in essential or premise in added)
            texts = tuple(premise.text for premise in chosen)
            if any(set(known) <= set(texts) for known in sufficient):
                continue
            most = MOST_BOXES if chosen == step.premises else BOXES
            outcome = prove(step.with_premises(chosen), right, most)
            if isinstance(outcome, Proved):
                sufficient.append(texts)
            elif not isinstance(outcome, Refuted):
                undecided.append(texts)
    return Needs(essential, tuple(sufficient), tuple(undecided))


def _counterexample(step: Step, right: Function | None) -> dict[str, float] | None:
    outcome = prove(step, right, BOXES)
    return smallest(step, outcome.point, right) if isinstance(outcome, Refuted) else None


def threshold(step: Step, parameter: str, end: str = "high", right: Function | None = None) -> Threshold:
    """Return how far the ``end`` of the parameter's axis may go, by bisection with proofs and counterexamples."""
    dropped = tuple(premise for premise in step.premises if concerns(step, premise) == {parameter})
    free = step.with_premises(tuple(premise for premise in step.premises if premise not in dropped))
    axis = step.box[parameter]
    near, far = (axis.low, axis.high) if end == "high" else (axis.high, axis.low)
    texts = tuple(premise.text for premise in dropped)

    def at(value: float) -> Outcome:
        cut = replace(axis, high=value) if end == "high" else replace(axis, low=value)
        narrower = replace(free, box={**step.box, parameter: cut})
        outcome = prove(narrower, right, BOXES)
        # The corners of what the premises leave are easily missed by halving.
        failures = check(narrower, right, FEW).failures if isinstance(outcome, Unproved) else ()
        return Refuted(failures[0], outcome.boxes, outcome.seconds) if failures else outcome

    if isinstance(at(far), Proved):
        return Threshold(parameter, end, far, None, None, texts)
    proved: float | None = None
    bad: float | None = None
    point: Mapping[str, float] | None = None
    inner, outer, undecided = near, far, 0
    # Undecided proofs move the outer end: what is reported as failing is a counterexample, found later.
    while not _close(inner, outer, axis) and undecided < PATIENCE:
        middle = _middle(inner, outer, axis)
        outcome = at(middle)
        undecided += isinstance(outcome, Unproved)
        if isinstance(outcome, Proved):
            inner = proved = middle
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
    # Where a proof was undecided at a tight point, the nearest counterexample is beyond it.
    undecided = 0
    for _ in range(STEPS):
        if bad is None or _close(outer, bad, axis) or undecided == PATIENCE:
            break
        middle = _middle(outer, bad, axis)
        outcome = at(middle)
        undecided += isinstance(outcome, Unproved)
        if isinstance(outcome, Refuted):
            bad, point = outcome.point[parameter], outcome.point
        else:
            outer = middle
    return Threshold(parameter, end, proved, bad, point, texts)


def relaxable(step: Step) -> list[tuple[str, str]]:
    """Return the ends of axes that a premise of their own bounds: pairs of parameter and end."""
    found = []
    for premise in step.premises:
        on = concerns(step, premise)
        if len(on) == 1:
            (name,) = on
            with ctx.workprec(BOX_BITS):
                inside = bool(premise.excess(**{each: arb(other.low) for each, other in step.box.items()}) <= 0)
            found.append((name, "high" if inside else "low"))
    return list(dict.fromkeys(found))


def ignored(step: Step) -> tuple[Ignored, ...]:
    """Return the parameters of theorems that the left side depends on and the right side does not.

    The proof forgets them at this step; what a step quantifies over by itself (an index, a likelihood ratio) is none.
    """
    found = []
    for name in depends(step, step.left) - depends(step, step.right):
        if name in PARAMETERS and step.box[name].low < step.box[name].high:
            axis = step.box[name]
            ends = (axis.low, axis.high)
            grids = [check(replace(step, box={**step.box, name: replace(axis, low=at, high=at)})) for at in ends]
            if max(grid.middle for grid in grids) < inf:
                found.append(Ignored(name, ends, (grids[0].middle, grids[1].middle)))
    return tuple(sorted(found, key=lambda each: each.parameter))


def _middle(inner: float, outer: float, axis: Axis) -> float:
    return sqrt(inner) * sqrt(outer) if axis.scale == "log" else (inner + outer) / 2


def _close(inner: float, outer: float, axis: Axis) -> bool:
    size = max(abs(inner), abs(outer))
    return abs(outer - inner) <= WIDTH * size
