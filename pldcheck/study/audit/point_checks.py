"""A step at points of its box: by how much it holds, and where it fails, each decided by thin balls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from math import inf, log10
from statistics import median
from typing import Any

from flint import ctx

from ...theorems.proof_step import Axis, Function, Step
from .box_minimum import claimed, corners
from .spans import POINT_BITS, exactly

# Points inside the box (Halton, 1960); to them come its corners and points where a premise just holds.
INSIDE = 256
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)
# Significant digits of a point, so that it can be read.
DIGITS = 4
# Steps of bisection towards a premise's boundary.
HALVINGS = 40

Point = Mapping[str, float]


@dataclass(frozen=True)
class Grid:
    """The step at ``points`` points where its premises hold, of ``tried``.

    ``smallest`` and ``middle`` are the least and the median of right / left, rounded down, over the points where both
    are positive, and ``where`` is the point of the least.  At ``unclear`` points the two sides agree to all digits, at
    ``undefined`` ones a side is no number, at ``contradicted`` ones the step's margin has the wrong sign.
    """

    points: int
    tried: int
    smallest: float
    middle: float
    where: Point | None = field(hash=False)
    failures: tuple[Point, ...] = field(hash=False)
    unclear: int
    undefined: int
    contradicted: int


def check(step: Step, right: Function | None = None, inside: int = INSIDE) -> Grid:
    """Return the step, or another reading of its right side, on its grid."""
    with ctx.workprec(POINT_BITS):
        points = sample(step, inside)
        ratios: list[tuple[float, Point]] = []
        failures: list[Point] = []
        admitted, unclear, undefined, contradicted = 0, 0, 0, 0
        for point in points:
            if not premises_hold(step, point):
                continue
            admitted += 1
            low, high = sides(step, right, point)
            if not (low.is_finite() and high.is_finite()):
                undefined += 1
                continue
            contradicted += right is None and _contradicted(step, point)
            if fails(step, right, point):
                failures.append(point)
            elif low.overlaps(high):
                unclear += 1
            if low > 0 and high > 0:
                ratios.append((_down(high / low), point))
        ratios.sort(key=lambda entry: entry[0])
        smallest, where = ratios[0] if ratios else (inf, None)
        middle = median(ratio for ratio, _ in ratios) if ratios else inf
        return Grid(admitted, len(points), smallest, middle, where, tuple(failures), unclear, undefined, contradicted)


def sides(step: Step, right: Function | None, point: Point) -> tuple[Any, Any]:
    """Return both sides at a point, whose coordinates are the decimals that they print as."""
    values = {name: exactly(at) for name, at in point.items()}
    return step.left(**values), (right or step.right)(**values)


def premises_hold(step: Step, point: Point) -> bool:
    """Return whether every premise certainly holds."""
    values = {name: exactly(at) for name, at in point.items()}
    return all(bool(premise.excess(**values) <= 0) for premise in step.premises)


def fails(step: Step, right: Function | None, point: Point) -> bool:
    """Return whether the step certainly fails at a point; of an equality, whether the two sides certainly differ."""
    low, high = sides(step, right, point)
    if step.equal and low.is_finite() and high.is_finite():
        return not low.overlaps(high)
    return bool(high < low)


def _contradicted(step: Step, point: Point) -> bool:
    """Return whether the step's own margin certainly has another sign than the difference of its sides."""
    if step.margin is None:
        return False
    low, high = sides(step, None, point)
    margin = step.margin(**{name: exactly(at) for name, at in point.items()})
    return bool((high < low and margin >= 0) or (high > low and margin < 0))


def sample(step: Step, inside: int = INSIDE) -> list[dict[str, float]]:
    """Corners, points inside, and points where a premise just holds; no two alike, always the same."""
    found = [_rounded(corner, step.box) for corner in corners(claimed(step))]
    scattered = [
        {
            name: _at(_halton(place + 1, prime), axis)
            for prime, (name, axis) in zip(PRIMES, step.box.items(), strict=False)
        }
        for place in range(inside)
    ]
    found += [_rounded(point, step.box) for point in scattered]
    if step.premises:
        good = [point for point in scattered if premises_hold(step, point)]
        bad = [point for point in scattered if not premises_hold(step, point)]
        # Each good point with bad ones, in turn.
        pairs = [(good[k % len(good)], point) for k, point in enumerate(bad)] if good else []
        found += [_boundary(step, *pair) for pair in pairs[:inside]]
        ways = list(product((False, True), repeat=len(step.box)))
        found += [_pushed(step, good[k % len(good)], way) for k, way in enumerate(ways)] if good else []
    return [dict(entries) for entries in dict.fromkeys(tuple(point.items()) for point in found)]


def _boundary(step: Step, good: Point, bad: Point) -> dict[str, float]:
    """Return a point between two where the premises just hold, with few digits."""
    last = _last(step, good, bad)
    shorter = (_rounded(last, step.box, digits) for digits in (3, 6, 9, 12))
    return next((point for point in shorter if premises_hold(step, point)), last)


def _last(step: Step, good: Point, bad: Point) -> dict[str, float]:
    """Return the last point from one to another where the premises hold."""
    inner, outer = 0.0, 1.0
    for _ in range(HALVINGS):
        share = (inner + outer) / 2
        if premises_hold(step, _between(step, good, bad, share)):
            inner = share
        else:
            outer = share
    return _between(step, good, bad, inner)


def _pushed(step: Step, point: Point, up: tuple[bool, ...]) -> dict[str, float]:
    """Return the point moved along each axis in turn, up or down, as far as the premises allow."""
    for name, rise in zip(step.box, up, strict=True):
        axis = step.box[name]
        end = {**point, name: float(axis.high if rise else axis.low)}
        point = end if premises_hold(step, end) else _last(step, point, end)
    # What must be whole is so again; the rest keeps its digits, to be on the boundary.
    whole = {name: float(round(at)) if step.box[name].whole else at for name, at in point.items()}
    return whole if premises_hold(step, whole) else dict(point)


def _between(step: Step, start: Point, end: Point, share: float) -> dict[str, float]:
    found = {}
    for name, axis in step.box.items():
        low, high = start[name], end[name]
        found[name] = low * (high / low) ** share if axis.scale == "log" else low + share * (high - low)
    return found


def _halton(place: int, prime: int) -> float:
    value, weight = 0.0, 1.0
    while place:
        weight /= prime
        place, digit = divmod(place, prime)
        value += weight * digit
    return value


def _at(share: float, axis: Axis) -> float:
    if axis.scale == "log":
        return axis.low * (axis.high / axis.low) ** share
    return axis.low + share * (axis.high - axis.low)


def _rounded(point: Point, box: Mapping[str, Axis], digits: int = DIGITS) -> dict[str, float]:
    """Return the point with fewer digits, whole where it must be; a rounding that leaves the box is not made."""
    found = {}
    for name, value in point.items():
        axis = box[name]
        if axis.whole:
            short = float(round(value, digits - 1 - int(log10(value)))) if value >= 1 else float(round(value))
            short = float(round(short))
        else:
            short = float(f"{value:.{digits}g}")
        found[name] = short if axis.low <= short <= axis.high else value
    return found


def _down(ratio: Any) -> float:
    """Return a float that is not above a positive ball."""
    return max(0.0, float(ratio.lower()) * (1 - 1e-15))
