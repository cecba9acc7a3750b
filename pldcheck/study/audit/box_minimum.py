"""Lower bounds of the least value of a function on a box.

The bound is the best of three: the lower end of the ball of values; the mean value form; and both again on the face of
the box where every axis along which the function is monotone is at the end where the function is least.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import inf, sqrt
from typing import Any

from flint import arb

from ...theorems.proof_step import Axis, Function, Step
from .jets import Jet
from .spans import Span, span

# Most faces of faces tried for one box: each fixes at least one axis, and a smaller box may do better than one more.
FACES = 4

Box = Mapping[str, tuple[float, float]]


def corners(box: Box) -> list[dict[str, float]]:
    """Return every combination of the ends of the axes."""
    ends = [sorted({low, high}) for low, high in box.values()]
    return [dict(zip(box, each, strict=True)) for each in product(*ends)]


def claimed_box(step: Step) -> Box:
    """Return the ends of all axes: the box on which the step is claimed."""
    return {name: (float(axis.low), float(axis.high)) for name, axis in step.box.items()}


def least(function: Function, box: Box, axes: Mapping[str, Axis]) -> float:
    """Return a lower bound of a function on a box; minus infinity where it is not defined on all of it."""
    return bound_on_box(function, box, axes)[0]


def bound_on_box(function: Function, box: Box, axes: Mapping[str, Axis]) -> tuple[float, Jet | None, bool]:
    """Return a lower bound, the jet of the function on the box, and whether the function can be evaluated on jets.

    A function that cannot is bounded by minus infinity.  Wide balls would not serve instead: a comparison of balls is
    False where it is undecided, so that a function that branches would be bounded on one of its branches only.
    """
    try:
        return _bound_by_jets(function, box, axes)
    except (TypeError, AttributeError, NotImplementedError):
        return -inf, None, False


def _bound_by_jets(function: Function, box: Box, axes: Mapping[str, Axis]) -> tuple[float, Jet | None, bool]:
    wide = function(**{name: jet_of(name, ends, axes[name]) for name, ends in box.items()})
    if not isinstance(wide, Jet):  # a constant
        value = wide if isinstance(wide, Span) else span(wide, wide)
        return value.down(), Jet(value, {}), True
    best, face, jet = wide.value.down(), box, wide
    for _ in range(FACES):
        if best >= 0:
            break
        narrower = _face(jet, face)
        centre = centre_of(narrower, axes)
        value = function(**{name: span(at, at) for name, at in centre.items()})
        best = max(best, (value - _reach(jet, narrower, axes, centre)).down())
        if narrower == face:
            break
        face = narrower
        jet = function(**{name: jet_of(name, ends, axes[name]) for name, ends in face.items()})
        best = max(best, jet.value.down())
    return best, wide, True


def centre_of(box: Box, axes: Mapping[str, Axis]) -> dict[str, float]:
    """Return the middle of every axis."""
    return {name: middle_of(*ends, axes[name]) for name, ends in box.items()}


def jet_of(name: str, ends: tuple[float, float], axis: Axis) -> Any:
    """Return the parameter of an axis as the jet of t, the parameter or its logarithm; a constant if the ends meet."""
    value = span(*ends)
    if ends[0] == ends[1]:
        return Jet(value, {})
    return Jet(value, {name: value if axis.scale == "log" else value**0})


def _face(jet: Jet, box: Box) -> Box:
    """Return the box with every axis along which the jet is monotone put at the end where it is least."""
    face = dict(box)
    for name, slope in jet.slopes.items():
        low, high = box[name]
        if sign := slope.sign():
            face[name] = (low, low) if sign > 0 else (high, high)
    for name in box:
        if name not in jet.slopes and box[name][0] != box[name][1]:
            face[name] = (box[name][0], box[name][0])  # the function does not depend on this parameter
    return face


def arm(low: float, high: float, centre: float, axis: Axis) -> arb:
    """Return the larger of the two distances from the centre to the ends, in t, as an upper bound."""
    a, b, c = arb(low), arb(high), arb(centre)
    before, after = ((c / a).log(), (b / c).log()) if axis.scale == "log" else (c - a, b - c)
    return before.max(after).upper()


def _reach(jet: Jet, box: Box, axes: Mapping[str, Axis], centre: Mapping[str, float]) -> arb:
    """Return how far the function can be from its value at the centre; the jet may be that of a larger box."""
    total = arb(0)
    for name, slope in jet.slopes.items():
        low, high = box[name]
        if low < high:
            total += slope.size() * arm(low, high, centre[name], axes[name])
    return total


def widths_of(jet: Jet, box: Box, axes: Mapping[str, Axis], centre: Mapping[str, float]) -> dict[str, float]:
    """Return how much the function can vary along each axis; infinite where no bound is known."""
    widths = {}
    for name, slope in jet.slopes.items():
        low, high = box[name]
        if low < high:
            each = slope.size() * arm(low, high, centre[name], axes[name])
            widths[name] = float(each) if each.is_finite() else inf
    return widths


def middle_of(low: float, high: float, axis: Axis) -> float:
    """Return the middle on the scale of the axis, between the ends in floating point, too."""
    if axis.scale == "log":
        return min(max(sqrt(low) * sqrt(high), low), high)
    return low + (high - low) / 2
