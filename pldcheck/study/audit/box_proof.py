r"""Proof that an inequality holds on a whole box: branch and bound in ball arithmetic.

A box is settled when the margin is certainly at least 0 or a premise certainly fails on all of it; else it is halved.

On a box that a premise :math:`e \le 0` cuts, :math:`f + \lambda e \ge 0` with any :math:`\lambda \ge 0` is enough: it
gives :math:`f \ge -\lambda e \ge 0` where the premise holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from math import inf, isfinite, log
from time import perf_counter
from typing import Any

import numpy as np
from flint import arb, ctx
from scipy.optimize import nnls

from ...theorems.proof_step import Axis, Function, Premise, Step
from .box_minimum import Box, arm, bound_on_box, centre_of, claimed_box, corners, jet_of, least, middle_of, widths_of
from .jets import Jet
from .spans import BOX_BITS

# Boxes after which a proof ends undecided.  A limit of time would give different verdicts on different machines.
MOST_BOXES = 20_000
# Boxes after which a proof that no point satisfies the premises ends undecided.
ABSURD_BOXES = 2_000


@dataclass(frozen=True)
class Proved:
    """The inequality holds on the whole box, after ``boxes`` boxes were examined.

    It is ``vacuous`` if the premises hold nowhere in the box: then the inequality has no content.
    """

    boxes: int
    seconds: float
    vacuous: bool = False
    holds = True


@dataclass(frozen=True)
class Refuted:
    """The inequality certainly fails at ``point``: the premises hold there and the margin is negative."""

    point: Mapping[str, float] = field(hash=False)
    boxes: int
    seconds: float
    holds = False


@dataclass(frozen=True)
class Unproved:
    """The inequality is neither proved nor refuted: a ``share`` of the box is undecided, for example at ``where``."""

    share: float
    where: Box = field(hash=False)
    boxes: int
    seconds: float
    holds = None


Outcome = Proved | Refuted | Unproved


def margin_of(step: Step, right: Function | None = None) -> Function:
    """Return the function whose sign decides: the margin of the step, or the difference for another right side."""
    if right is None and step.margin is not None:
        return step.margin
    other = right or step.right
    return lambda **values: other(**values) - step.left(**values)


def prove(step: Step, right: Function | None = None, most_boxes: int = MOST_BOXES) -> Outcome:
    """Return whether a step is proved, refuted or undecided on its box, by branch and bound.

    Parameters
    ----------
    step
        The inequality, its premises and its box.
    right
        Another right side, in place of that of the step.
    most_boxes
        The number of boxes after which the step remains undecided.

    """
    with ctx.workprec(BOX_BITS):
        outcome = _search(step, margin_of(step, right), right, most_boxes)
        if isinstance(outcome, Proved) and _premises_exclude_box(step, most_boxes):
            return replace(outcome, vacuous=True)
        return outcome


def _premises_exclude_box(step: Step, most_boxes: int) -> bool:
    """Return whether the premises certainly exclude the whole box: then even 1 <= 0 is proved on it."""
    if not step.premises:
        return False
    excesses = [premise.excess for premise in step.premises]
    middle = centre_of(claimed_box(step), step.box)
    if any(
        _holds(excesses, point) for point in (*corners(claimed_box(step)), *corners(_premise_boxes(step)[0]), middle)
    ):
        return False

    def one(**values: Any) -> Any:
        return 1 + sum(0 * value for value in values.values())

    def zero(**values: Any) -> Any:
        return sum(0 * value for value in values.values())

    absurd = replace(step, left=one, right=zero, margin=None)
    return isinstance(_search(absurd, margin_of(absurd), None, min(most_boxes, ABSURD_BOXES)), Proved)


def _holds(excesses: list[Function], point: Mapping[str, float]) -> bool:
    """Return whether every premise certainly holds at a point."""
    values = {name: arb(at) for name, at in point.items()}
    return all(bool(excess(**values) <= 0) for excess in excesses)


def concerns(step: Step, premise: Premise) -> set[str]:
    """Return the parameters that a premise depends on."""
    return depends(step, premise.excess)


def depends(step: Step, function: Function) -> set[str]:
    """Return the parameters on which a function depends; all of them where it cannot be evaluated on jets."""
    with ctx.workprec(BOX_BITS):
        try:
            value = function(**{name: jet_of(name, ends, step.box[name]) for name, ends in claimed_box(step).items()})
        except (TypeError, AttributeError, NotImplementedError):
            return set(step.box)
    return set(value.slopes) if isinstance(value, Jet) else set()


def _premise_boxes(step: Step) -> tuple[Box, Box]:
    """Return a box inside and a box around the region that premises on one parameter leave, a last digit apart."""
    inside, outside = dict(claimed_box(step)), dict(claimed_box(step))
    for premise in step.premises:
        names = concerns(step, premise)
        if len(names) != 1:
            continue
        (name,) = names
        low, high = outside[name]
        good = [_excess_at(step, premise, name, end) <= 0 for end in (low, high)]
        if good[0] == good[1]:
            continue
        near, far = (low, high) if good[0] else (high, low)
        while near != (middle := middle_of(min(near, far), max(near, far), step.box[name])) and middle != far:
            near, far = (middle, far) if _excess_at(step, premise, name, middle) <= 0 else (near, middle)
        beyond = high if good[0] else low
        if _excess_at(step, premise, name, near) == 0 and _rises(step, premise, name, near, beyond):
            far = near  # the premise holds up to here and no further
        elif least(premise.excess, {**outside, name: (min(far, beyond), max(far, beyond))}, step.box) <= 0:
            continue
        inside[name] = (low, near) if good[0] else (near, high)
        outside[name] = (low, far) if good[0] else (far, high)
    return inside, outside


def _rises(step: Step, premise: Premise, name: str, start: float, end: float) -> bool:
    """Return whether the excess of a premise on one parameter certainly grows from one value on to another."""
    box = {**claimed_box(step), name: (min(start, end), max(start, end))}
    jet = premise.excess(**{each: jet_of(each, ends, step.box[each]) for each, ends in box.items()})
    slope = jet.slopes.get(name)
    return slope is not None and bool(slope.low > 0 if end > start else slope.high < 0)


def _excess_at(step: Step, premise: Premise, name: str, value: float) -> arb:
    """Return the excess of a premise on one parameter at a value of it."""
    return premise.excess(**{each: arb(value if each == name else axis.low) for each, axis in step.box.items()})


def _search(step: Step, margin: Function, right: Function | None, most_boxes: int) -> Outcome:
    start, box_count = perf_counter(), 0

    def gap(**values: Any) -> Any:
        return (right or step.right)(**values) - step.left(**values)

    inside, whole = _premise_boxes(step)
    axes, excesses = step.box, [premise.excess for premise in step.premises]
    # The box with the lowest bound comes first, so that a false step is refuted early; the counter breaks ties.
    waiting: list[tuple[float, int, float, Box]] = [(0.0, 0, 1.0, whole)]
    smallest_boxes: list[tuple[float, Box]] = []
    order = 0
    for corner in corners(inside):
        if _fails(gap, excesses, corner):
            return Refuted(corner, 0, perf_counter() - start)
    while waiting:
        _, _, share, box = heappop(waiting)
        box_count += 1
        if box_count > most_boxes:
            open_share = share + sum(entry[2] for entry in waiting) + sum(entry[0] for entry in smallest_boxes)
            return Unproved(open_share, box, box_count - 1, perf_counter() - start)
        view = _look(margin, excesses, box, axes)
        if view is None:
            continue
        middle, bound, widths = view
        if _fails(gap, excesses, middle):
            return Refuted(middle, box_count, perf_counter() - start)
        halves = _halves(box, axes, widths)
        if not halves:
            smallest_boxes.append((share, box))
            continue
        for half in halves:
            order += 1
            heappush(waiting, (bound, order, share / 2, half))
    seconds = perf_counter() - start
    if smallest_boxes:
        return Unproved(sum(entry[0] for entry in smallest_boxes), smallest_boxes[0][1], box_count, seconds)
    return Proved(box_count, seconds)


def _look(
    margin: Function, excesses: list[Function], box: Box, axes: Mapping[str, Axis]
) -> tuple[dict[str, float], float, dict[str, float]] | None:
    """Return a point to try, a lower bound of the margin, and the width along each axis; None if the box is settled."""
    if any(least(excess, box, axes) > 0 for excess in excesses):
        return None
    bound, wide, smooth = bound_on_box(margin, box, axes)
    if bound >= 0:
        return None
    point = centre_of(box, axes)
    if not smooth or wide is None:
        return point, bound, {}
    jets = _jets_of(excesses, box, axes)
    if jets and _with_premises(margin, excesses, wide, jets, box, axes, point):
        return None
    # A premise that cuts the box must be resolved as well as the margin.
    cutting = [jet for jet in jets if not jet.value.high <= 0]
    return point, bound, _together([widths_of(jet, box, axes, point) for jet in (wide, *cutting)])


def _jets_of(excesses: list[Function], box: Box, axes: Mapping[str, Axis]) -> list[Jet]:
    """Return the jets of all excesses; an empty list where one cannot be evaluated on jets."""
    try:
        jets = [excess(**{name: jet_of(name, ends, axes[name]) for name, ends in box.items()}) for excess in excesses]
    except (TypeError, AttributeError, NotImplementedError):
        return []
    return jets if all(isinstance(jet, Jet) for jet in jets) else []


def _together(widths: list[dict[str, float]]) -> dict[str, float]:
    """Return the variations of several functions along each axis, each as a share of its largest."""
    variations: dict[str, float] = {}
    for each in widths:
        largest = max(each.values(), default=0.0)
        for name, width in each.items():
            share = width if largest == inf else width / largest if largest > 0 else 0.0
            variations[name] = variations.get(name, 0.0) + share
    return variations


def _with_premises(
    margin: Function,
    excesses: list[Function],
    wide: Jet,
    jets: list[Jet],
    box: Box,
    axes: Mapping[str, Axis],
    at: Mapping[str, float],
) -> bool:
    """Return whether the margin plus some multiples of the excesses is at least 0 on the box."""
    # The multiples for which the gradients cancel best, in units of the variation along each axis of this box.
    arms = {name: float(arm(*ends, at[name], axes[name])) for name, ends in box.items() if ends[0] < ends[1]}
    if not arms:  # a point
        return False
    rows = np.array([[_slope(jet, name) * arm for jet in (wide, *jets)] for name, arm in arms.items()])
    if not np.all(np.isfinite(rows)) or not np.any(rows[:, 1:]):
        return False
    multiples = nnls(rows[:, 1:], -rows[:, 0])[0].tolist()
    if not any(multiples):
        return False

    def together(**values: Any) -> Any:
        parts = [
            multiple * excess(**values) for multiple, excess in zip(multiples, excesses, strict=True) if multiple > 0
        ]
        return margin(**values) + sum(parts[1:], parts[0])

    return least(together, box, axes) >= 0


def _slope(jet: Jet, name: str) -> float:
    return jet.slopes[name].middle() if name in jet.slopes else 0.0


def _fails(gap: Function, excesses: list[Function], point: Mapping[str, float]) -> bool:
    """Return whether a point is certainly a counterexample; its coordinates are exact binary numbers.

    The difference itself decides: a margin may be negative at a limit where both sides are equal.
    """
    values = {name: arb(at) for name, at in point.items()}
    return bool(gap(**values) < 0) and _holds(excesses, point)


def _halves(box: Box, axes: Mapping[str, Axis], widths: Mapping[str, float]) -> list[Box]:
    """Return the two halves of a box, across the axis along which the margin varies most.

    The longest axis is halved where the variation is not known; an empty list is returned if no axis can be halved.
    """
    lengths = {}
    for name, (low, high) in box.items():
        middle = middle_of(low, high, axes[name])
        if low < middle < high:
            lengths[name] = _length(low, high, axes[name]) / _length(axes[name].low, axes[name].high, axes[name])
    bounds = {name: width for name, width in widths.items() if name in lengths}
    if not lengths:
        return []
    if bounds and all(isfinite(width) for width in bounds.values()) and max(bounds.values()) > 0:
        name = max(bounds, key=lambda each: (bounds[each], lengths[each]))
    else:
        unknown = [name for name, width in bounds.items() if not isfinite(width)] or list(lengths)
        name = max(unknown, key=lambda each: lengths[each])
    low, high = box[name]
    middle = middle_of(low, high, axes[name])
    return [{**box, name: (low, middle)}, {**box, name: (middle, high)}]


def _length(low: float, high: float, axis: Axis) -> float:
    return log(high / low) if axis.scale == "log" else high - low
