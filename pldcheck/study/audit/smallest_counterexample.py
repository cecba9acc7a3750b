"""The simplest counterexample: from any point where a step fails to a point that a reader can check by hand.

One coordinate at a time is replaced by a simpler number as long as the step certainly fails, in the manner in which
property-based testing shrinks its examples (MacIver, Donaldson, ECOOP 2020).
"""

from __future__ import annotations

from itertools import product
from math import ceil, floor, log10

from flint import ctx

from ...theorems.proof_step import Axis, Function, Step
from .point_checks import Point, fails, premises_hold
from .spans import POINT_BITS

# Numbers that are easy to read on any axis; they are tried before decimals near the coordinate.
SIMPLE = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0, 0.5, 0.1, 0.25, 0.75, 0.01, 100.0, 1e3, 1e4, 1e6, 1e-3)


def smallest(step: Step, point: Point, right: Function | None = None) -> dict[str, float] | None:
    """Return a simple point at which the step certainly fails and its premises hold, with integers where required.

    Returns None if no point with integers next to ``point`` is a counterexample.
    """

    def bad(candidate: Point) -> bool:
        return premises_hold(step, candidate) and fails(step, right, candidate)

    with ctx.workprec(POINT_BITS):
        start = _whole(step, point, bad)
        if start is None:
            return None
        simplest = start
        while True:
            better = _simpler(step, simplest, bad)
            if better is None:
                return simplest
            simplest = better


def _whole(step: Step, point: Point, bad) -> dict[str, float] | None:
    """Return the point, with neighbouring integers where integers are required; None if none is a counterexample."""
    choices = [
        sorted({float(floor(at)), float(ceil(at))}) if step.box[name].whole else [float(at)]
        for name, at in point.items()
    ]
    for values in product(*choices):
        candidate = dict(zip(point, values, strict=True))
        if all(step.box[name].low <= at <= step.box[name].high for name, at in candidate.items()) and bad(candidate):
            return candidate
    return None


def _simpler(step: Step, point: dict[str, float], bad) -> dict[str, float] | None:
    """Return the point with one coordinate replaced by the simplest value that still fails; None if there is none."""
    for name in sorted(point, key=lambda each: -_cost(point[each])):
        current = point[name]
        for value in _candidates(current, step.box[name]):
            if _cost(value) >= _cost(current):
                break
            candidate = {**point, name: value}
            if bad(candidate):
                return candidate
    return None


def _candidates(value: float, axis: Axis) -> list[float]:
    """Return simpler numbers on the axis, simplest first."""
    numbers = {*SIMPLE, float(axis.low), float(axis.high), value / 2, value / 10}
    for digits in range(1, 6):
        near = float(f"{value:.{digits}g}")
        # The neighbours with as many digits are tried too: rounding may go to the side where the step holds.
        unit = 10.0 ** (floor(log10(abs(value))) - digits + 1) if value else 1.0
        numbers |= {near, float(f"{near - unit:.12g}"), float(f"{near + unit:.12g}")}
    if axis.whole:
        numbers = {float(round(number)) for number in numbers}
    return sorted((number for number in numbers if axis.low <= number <= axis.high), key=_cost)


def _cost(value: float) -> float:
    """Return how hard a number is to read: its digits first, then its size."""
    digits = len(f"{value:.16e}".partition("e")[0].replace(".", "").lstrip("-").rstrip("0"))
    exact = len(repr(abs(value)).partition("e")[0].replace(".", "").strip("0"))
    return 4.0 * min(digits, exact) + (abs(log10(abs(value))) if value else 0.0)
