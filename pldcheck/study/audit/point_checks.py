"""The grid of a step: how far the inequality holds and where it fails, decided by thin balls at points of its box."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from math import inf, log10
from statistics import median
from typing import Any

from flint import ctx

from ...theorems.proof_step import Axis, Function, Step
from .box_minimum import claimed_box, corners
from .spans import POINT_BITS, exactly

# Number of points inside the box, from the sequence of Halton (1960); its corners and points where a premise just
# holds are added.  The grid illustrates a step and seeks counterexamples; proofs do not depend on it.
INSIDE = 256
# Bases of the sequence of Halton (1960), one for each axis.
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)
# Significant digits of a point: enough to spread the points, few enough to read them.
DIGITS = 4
# Steps of bisection towards the boundary of a premise: 2^-40 of the way is beyond the 12 digits that are kept.
HALVINGS = 40

Point = Mapping[str, float]


@dataclass(frozen=True)
class Grid:
    """The result of a step at the points of a grid.

    Parameters
    ----------
    points, tried
        The number of points at which the premises hold, and the number of points in all.
    smallest, middle
        The least and the median of right / left, rounded down, over the points where both sides are positive.
    where
        The point at which the ratio is least.
    failures
        The points at which the step certainly fails.
    unclear
        The number of points at which the two sides agree to all digits.
    undefined
        The number of points at which a side has no value.
    contradicted
        The number of points at which the simplified difference of the step (its margin) has the wrong sign.

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
    """Return the result on the grid of a step, with another right side if one is passed."""
    with ctx.workprec(POINT_BITS):
        points = sample(step, inside)
        ratios: list[tuple[float, Point]] = []
        failures: list[Point] = []
        count, unclear, undefined_count, contradiction_count = 0, 0, 0, 0
        for point in points:
            if not premises_hold(step, point):
                continue
            count += 1
            low, high = sides(step, right, point)
            if not (low.is_finite() and high.is_finite()):
                undefined_count += 1
                continue
            contradiction_count += right is None and _margin_contradicts(step, point)
            if fails(step, right, point):
                failures.append(point)
            elif low.overlaps(high):
                unclear += 1
            if low > 0 and high > 0:
                ratios.append((_down(high / low), point))
        ratios.sort(key=lambda entry: entry[0])
        smallest, where = ratios[0] if ratios else (inf, None)
        middle = median(ratio for ratio, _ in ratios) if ratios else inf
        return Grid(
            count, len(points), smallest, middle, where, tuple(failures), unclear, undefined_count, contradiction_count
        )


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


def _margin_contradicts(step: Step, point: Point) -> bool:
    """Return whether the step's own margin certainly has another sign than the difference of its sides."""
    if step.margin is None:
        return False
    low, high = sides(step, None, point)
    margin = step.margin(**{name: exactly(at) for name, at in point.items()})
    return bool((high < low and margin >= 0) or (high > low and margin < 0))


def sample(step: Step, inside: int = INSIDE) -> list[dict[str, float]]:
    """Return the points of the grid: corners, points inside, and points where a premise just holds.

    All points differ, and every call returns the same points.
    """
    points = [_round_point(corner, step.box) for corner in corners(claimed_box(step))]
    inner_points = [
        {
            name: _at(_halton(place + 1, prime), axis)
            for prime, (name, axis) in zip(PRIMES, step.box.items(), strict=False)
        }
        for place in range(inside)
    ]
    points += [_round_point(point, step.box) for point in inner_points]
    if step.premises:
        good = [point for point in inner_points if premises_hold(step, point)]
        bad = [point for point in inner_points if not premises_hold(step, point)]
        # The good points are paired with the bad ones in turn.
        pairs = [(good[k % len(good)], point) for k, point in enumerate(bad)] if good else []
        points += [_boundary(step, *pair) for pair in pairs[:inside]]
        ways = list(product((False, True), repeat=len(step.box)))
        points += [_push(step, good[k % len(good)], way) for k, way in enumerate(ways)] if good else []
    return [dict(entries) for entries in dict.fromkeys(tuple(point.items()) for point in points)]


def _boundary(step: Step, good: Point, bad: Point) -> dict[str, float]:
    """Return a point with few digits, between two points, at which the premises just hold."""
    last = _last(step, good, bad)
    shorter = (_round_point(last, step.box, digits) for digits in (3, 6, 9, 12))
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


def _push(step: Step, point: Point, up: tuple[bool, ...]) -> dict[str, float]:
    """Return the point moved along each axis in turn, up or down, as far as the premises allow."""
    for name, rise in zip(step.box, up, strict=True):
        axis = step.box[name]
        end = {**point, name: float(axis.high if rise else axis.low)}
        point = end if premises_hold(step, end) else _last(step, point, end)
    # Integers are rounded again; other coordinates keep all digits, so that the point stays on the boundary.
    whole = {name: float(round(at)) if step.box[name].whole else at for name, at in point.items()}
    return whole if premises_hold(step, whole) else dict(point)


def _between(step: Step, start: Point, end: Point, share: float) -> dict[str, float]:
    point = {}
    for name, axis in step.box.items():
        low, high = start[name], end[name]
        point[name] = low * (high / low) ** share if axis.scale == "log" else low + share * (high - low)
    return point


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


def _round_point(point: Point, box: Mapping[str, Axis], digits: int = DIGITS) -> dict[str, float]:
    """Return the point with fewer digits and integers where required; a coordinate that would leave the box stays."""
    coordinates = {}
    for name, value in point.items():
        axis = box[name]
        if axis.whole:
            short = float(round(value, digits - 1 - int(log10(value)))) if value >= 1 else float(round(value))
            short = float(round(short))
        else:
            short = float(f"{value:.{digits}g}")
        coordinates[name] = short if axis.low <= short <= axis.high else value
    return coordinates


def _down(ratio: Any) -> float:
    """Return a float that is not above a positive ball."""
    return max(0.0, float(ratio.lower()) * (1 - 1e-15))
