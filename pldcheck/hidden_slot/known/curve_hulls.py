r"""Certified points of a privacy curve, and laws through them that dominate it and that it dominates.

The privacy curve f(kappa) = H_kappa(P||Q), kappa = e^epsilon, is convex, f(0) = 1, f(kappa) >= 1 - kappa, and below 1
it follows from that of (Q, P): f(1/kappa) = 1 - 1/kappa + H_kappa(Q||P)/kappa.  From above the polygon through upper
bounds is the curve of a pair that dominates.  From below: a chord between two neighbours, drawn on beyond them, lies
below the curve; so does the lower convex hull of lower bounds and of the points where such chords meet, and it is the
curve of a pair that is dominated, as their compositions are (Dong, Roth, Su 2022).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from math import exp, inf, log

from ...core.directed import UNIT
from ...core.interval import UNDERFLOW, checked_lower
from ...pld.hull_of_points import convex_hull_loss
from ...pld.law_bounds import LawBounds
from ...pld.step_losses import Atoms, Law

# Steps of log delta between points: pairs of the depth up to which they are used, and their length.
STEPS = ((2.0, 0.05), (8.0, 0.1), (inf, 0.25))
# Number of further points; the mass beyond the last one counts as an infinite loss.
FURTHER_POINTS = 4
# Distance of the further points, in logs of delta.
FURTHER_DISTANCE = 12.0
# Largest number of points of a curve.
MOST_POINTS = 1500
# Share of the work from which on points are farther apart.
EARLY = 0.8
# Factor of their distance at first; it grows as less work is left.
SPARSER = 4.0
# A step of more than twice the intended length is halved, unless its ends are this close, relative to their epsilon.
CLOSE = 1e-4
# Largest factor by which the slope is assumed to flatten from one point to the next.
FLATTER = 0.1
# Deltas below this are not resolved.
LEAST_DELTA = 1e-290
# Shift that puts a float surely on one side of e^epsilon: exp and a product are off by 6 units at most.
EXPONENTIAL = 8 * UNIT
# The largest epsilon of a point.
LARGEST = 690.0

# Points of a curve: epsilon, and the lower and the upper end of delta there.
Point = tuple[float, float, float]
Points = list[Point]


def points(
    value: Callable[[float], tuple[float, float]],
    least: float,
    largest: float = LARGEST,
    apart: float = 1.0,
    work_share: Callable[[], float] = float,
) -> Points:
    """Return points from epsilon = 0 until delta is ``least``, and a few beyond.

    ``value`` returns the lower and the upper end of delta.  ``largest`` is an epsilon from which on delta is 0, if it
    is below ``LARGEST``.  ``apart`` is a factor of the usual distances of points.  ``work_share`` returns the work so
    far as a share of the work that is allowed; when it is used up there are no more points, and the mass beyond the
    last one counts as an infinite loss.
    """

    def point(epsilon: float, most: float = 1.0) -> Point:
        lower, upper = value(epsilon)
        upper = max(min(upper, most), UNDERFLOW)  # ``most`` is a bound at a smaller epsilon, and delta falls
        return epsilon, checked_lower(lower, upper), upper

    curve_points = [point(0.0)]
    start, slope, further = log(max(curve_points[0][2], LEAST_DELTA)), 0.5 / max(curve_points[0][2], LEAST_DELTA), 0
    while (
        len(curve_points) < MOST_POINTS
        and further < FURTHER_POINTS
        and curve_points[-1][2] > LEAST_DELTA
        and work_share() < 1.0
    ):
        last, reserve = curve_points[-1], max(1.0 - work_share(), LEAST_DELTA) / (1.0 - EARLY)
        scarce = reserve < 1.0
        step = min(apart * _step(start, last[2]) * (SPARSER / reserve if scarce else 1.0), FURTHER_DISTANCE)
        if last[2] < least:
            step, further = FURTHER_DISTANCE, further + 1
        epsilon = last[0] + step / slope
        if epsilon >= min(largest, LARGEST) or epsilon <= last[0]:  # the next point would be the same float
            break
        new = point(epsilon, last[2])
        if further == 0 and not scarce:
            curve_points += _between(point, start, last, new, least, apart)
        last = curve_points[-1]
        if epsilon <= last[0]:
            break
        slope = max(log(last[2] / max(new[2], LEAST_DELTA)) / (epsilon - last[0]), FLATTER * slope)
        curve_points.append(new)
    if largest < LARGEST:
        end = (largest, 0.0, UNDERFLOW)  # the laws leave out less mass than UNDERFLOW
        curve_points += [
            *(_between(point, start, curve_points[-1], end, least, apart) if work_share() < EARLY else []),
            end,
        ]
    return curve_points


def _step(start: float, delta: float) -> float:
    depth = start - log(max(delta, LEAST_DELTA))
    return next(length for most, length in STEPS if depth <= most)


def _between(
    point: Callable[[float, float], Point], start: float, left: Point, right: Point, least: float, apart: float
) -> Points:
    """Return points between two whose deltas are too far apart."""
    drop = log(max(left[2], least) / max(right[2], least))
    if drop <= 2.0 * apart * _step(start, left[2]) or right[0] - left[0] <= CLOSE * right[0]:
        return []
    middle = point(0.5 * (left[0] + right[0]), left[2])
    return [
        *_between(point, start, left, middle, least, apart),
        middle,
        *_between(point, start, middle, right, least, apart),
    ]


def law_bounds(forward: Points, backward: Points) -> LawBounds:
    """Return the upper and the lower law, from the points of (P, Q) and those of (Q, P)."""
    return LawBounds(upper_law(forward, backward), lower_law(forward, backward))


def _exact(forward: Points, backward: Points, which: int) -> list[tuple[Fraction, Fraction]]:
    """Return pairs (kappa, bound) in exact arithmetic, kappa increasing, for both directions.

    Curves fall: an upper bound at e^epsilon is one at every larger kappa, a lower bound at every smaller one.
    """
    bounds = {}
    for point in backward:
        kappa = _kappa(point[0], which)
        bounds[1 / kappa] = 1 - 1 / kappa + Fraction(point[which]) / kappa
    for point in forward:
        # At kappa = 1 both directions agree.
        kappa = _kappa(point[0], which)
        bound = Fraction(point[which])
        if kappa in bounds:
            bound = max(bound, bounds[kappa]) if which == 1 else min(bound, bounds[kappa])
        bounds[kappa] = bound
    return sorted(bounds.items())


def _kappa(epsilon: float, which: int) -> Fraction:
    """Return a number surely below e^epsilon (``which`` 1: for lower bounds) or above it (2); 1 at epsilon = 0."""
    share = 0.0 if epsilon == 0.0 else EXPONENTIAL
    return Fraction(exp(epsilon) * (1.0 - share if which == 1 else 1.0 + share))


def _upper_at(kappas: list[Fraction], high: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """Return upper bounds at the other points: on the chords between the known ones, which are above the curve."""
    places, bounds, i = [kappa for kappa, _ in high], [], 0
    for kappa in kappas:
        i = bisect_left(places, kappa)
        if i == len(high):  # the last bound holds beyond it, since curves fall
            bounds.append((kappa, high[-1][1]))
        elif i == 0 or places[i] == kappa:
            bounds.append(high[i] if places[i] == kappa else (kappa, Fraction(1)))
        else:
            (k0, h0), (k1, h1) = high[i - 1], high[i]
            bounds.append((kappa, h0 + (h1 - h0) * (kappa - k0) / (k1 - k0)))
    return bounds


def upper_law(forward: Points, backward: Points) -> Law:
    """Return a loss that dominates the curve."""
    return convex_hull_loss(_exact(forward, backward, 2))


def lower_law(forward: Points, backward: Points) -> Atoms:
    """Return a loss that the curve dominates.

    It is the lower convex hull of lower bounds and of the points where extended chords meet.
    """
    start = (Fraction(0), Fraction(1))
    low = [start, *_exact(forward, backward, 1)]
    high = _upper_at([kappa for kappa, _ in low], [start, *_exact(forward, backward, 2)])
    rising = [(l1 - h0) / (k1 - k0) for (k0, h0), (k1, l1) in zip(high, low[1:], strict=False)]
    falling = [(h1 - l0) / (k1 - k0) for (k0, l0), (k1, h1) in zip(low, high[1:], strict=False)]
    vertices = []
    for i, ((k0, l0), (k1, l1)) in enumerate(zip(low, low[1:], strict=False)):
        # From point i with the slope before it, at least; from point i + 1 with the slope after it, at most.
        a = rising[i - 1] if i else Fraction(-1)
        b = falling[i + 1] if i + 1 < len(falling) else Fraction(0)
        if b > a:
            meeting = Fraction(float((l1 - l0 + a * k0 - b * k1) / (a - b)))
            value = min(l0 + a * (meeting - k0), l1 + b * (meeting - k1))
            if value < _floor(meeting):  # both lines go below the floor
                vertices += _on_the_floor((k0, l0, a), (k1, l1, b))
            elif k0 < meeting < k1:
                vertices.append((meeting, _round_down(value, meeting)))
        vertices.append((k1, l1))
    (last, value), slope = low[-1], rising[-1]
    if value > 0 and slope < 0:
        vertices.append((last + value / -slope, Fraction(0)))
    else:
        vertices[-1] = (last, Fraction(0))
    return convex_hull_loss(vertices)


Line = tuple[Fraction, Fraction, Fraction]


def _floor(kappa: Fraction) -> Fraction:
    """Return max(1 - kappa, 0), which every curve is at least."""
    return max(1 - kappa, Fraction(0))


def _on_the_floor(left: Line, right: Line) -> list[tuple[Fraction, Fraction]]:
    """Return the points where the left end's line reaches the floor, and where the right end's line leaves it."""
    corners: list[tuple[Fraction, Fraction]] = []
    slope = Fraction(-1 if right[0] <= 1 else 0)
    for kappa, value, rise in (left, right):
        corner = kappa if rise == slope else kappa + (value - _floor(kappa)) / (slope - rise)
        if left[0] < corner < right[0] and (not corners or corner > corners[0][0]):
            corners.append((corner, _floor(corner)))
    return corners


def _round_down(value: Fraction, kappa: Fraction) -> Fraction:
    """Return a number with few digits that is at most ``value``, and hardly smaller.

    The difference is small relative to the distance from the floor; ``value`` must not be below the floor.
    """
    return _floor(kappa) + Fraction(float(value - _floor(kappa))) * (1 - Fraction(1, 2**52))
