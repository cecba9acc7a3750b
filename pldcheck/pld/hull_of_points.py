"""The privacy loss whose curve connects given points of (epsilon, delta), in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from ..core.directed import roundoff
from ..core.errors import ParameterError
from .discrete_pairs import numbers
from .step_losses import Atoms

# Between these ratios kappa, all of abs(epsilon) < 1/2, a loss is computed from kappa - 1.
_NEAR_ONE = Fraction(61, 100), Fraction(164, 100)
# The largest kappa whose reciprocal is a normal float as well.
LARGEST_KAPPA = 1e300


def from_points(epsilons: ArrayLike, deltas: ArrayLike, symmetric: bool) -> Atoms:
    r"""Return the loss whose privacy curve connects the dots (kappa, delta), kappa = e^epsilon, and (0, 1).

    On a curve :math:`\delta(\kappa) = p_\infty + \sum_v q_v (\kappa_v - \kappa)_+` the change of slope at
    :math:`\kappa_v` is :math:`q_v = p_v/\kappa_v`.  Points above the convex hull are not needed: the true curve is
    convex.  After the last point it is bounded by the last delta: that is the mass at infinity.  Exact arithmetic.
    """
    points = _points(epsilons, deltas)
    return convex_hull_loss(sorted((_with_mirror(points) if symmetric else points).items()))


def from_points_to_zero(epsilons: ArrayLike, deltas: ArrayLike) -> Atoms | None:
    r"""Return the symmetric loss of :func:`from_points` without a mass at infinity, and None if its losses overflow.

    Points after the first one with the least delta are left out.  From there the curve goes on to zero so slowly that
    no line through that point and another one is above zero at the end: the point is a corner of the hull of all, which
    is therefore above the true curve up to it.  Exact arithmetic.
    """
    points = _points(epsilons, deltas)
    least = min(points.values())
    last = min(kappa for kappa, delta in points.items() if delta == least)
    points = {kappa: delta for kappa, delta in points.items() if kappa <= last}
    if least > 0:
        if len(points) == 1:
            return None
        end = last + max(least * (last - kappa) / (delta - least) for kappa, delta in points.items() if kappa < last)
        if end > LARGEST_KAPPA:
            return None
        points[end] = Fraction(0)
    return convex_hull_loss(sorted(_with_mirror(points).items()))


def _with_mirror(points: dict[Fraction, Fraction]) -> dict[Fraction, Fraction]:
    """Return the points with those below kappa = 1, where the curve of (Q, P) is the same.

    There delta(-e) = 1 - e^-e + e^-e delta(e).
    """
    return {**{1 / kappa: 1 - 1 / kappa + delta / kappa for kappa, delta in points.items()}, **points}


def convex_hull_loss(points: Iterable[tuple[Fraction, Fraction]]) -> Atoms:
    """Return the loss whose curve is the lower convex hull of (0, 1) and points (kappa, delta), kappa increasing."""
    hull: list[tuple[Fraction, Fraction]] = []
    for point in [(Fraction(0), Fraction(1)), *points]:
        if hull and point[1] > hull[-1][1]:
            continue  # delta does not grow
        while len(hull) > 1 and _slope(hull[-2], hull[-1]) >= _slope(hull[-1], point):
            hull.pop()
        hull.append(point)
    slopes = [_slope(a, b) for a, b in zip(hull, hull[1:], strict=False)] + [Fraction(0)]
    losses, masses, errors = [], [], []
    for (kappa, _), before, after in zip(hull[1:], slopes, slopes[1:], strict=False):
        near = _NEAR_ONE[0] < kappa < _NEAR_ONE[1]
        losses.append(float(np.log1p(float(kappa - 1)) if near else np.log(float(kappa))))
        masses.append(float(kappa * (after - before)))
        # Near kappa = 1, relatively: expm1 moves its epsilon by 1.3 times 4 round-offs at most, kappa - 1 is rounded
        # once, which moves log1p by 1.5 of itself, and log1p has 4.  Elsewhere exp has 4, kappa is rounded once, and
        # log has 4 of itself.
        errors.append(roundoff(12, abs(losses[-1])) if near else roundoff(8, 1.0 + abs(losses[-1])))
    error = max(errors)
    return Atoms.of(losses, masses, float(hull[-1][1]), mass_error=roundoff(4), loss_error=error)


def _slope(left: tuple[Fraction, Fraction], right: tuple[Fraction, Fraction]) -> Fraction:
    return (right[1] - left[1]) / (right[0] - left[0])


def _points(epsilons: ArrayLike, deltas: ArrayLike) -> dict[Fraction, Fraction]:
    where, values = numbers("epsilons", epsilons), numbers("deltas", deltas)
    if where.ndim != 1 or where.size == 0:
        raise ParameterError("epsilons", "a sequence of at least one number", f"shape {where.shape}")
    if values.shape != where.shape:
        raise ParameterError("deltas", f"as many as epsilons ({where.size})", f"shape {values.shape}")
    points = {}
    for epsilon, delta in zip(where.tolist(), values.tolist(), strict=True):
        if not (isfinite(epsilon) and abs(epsilon) < 700.0):
            raise ParameterError("epsilons", "above -700 and below 700", epsilon)
        if not 0.0 <= delta <= 1.0:
            raise ParameterError("deltas", "from 0 to 1", delta)
        # For a small epsilon, kappa - 1 is known as accurately as epsilon is.
        kappa = 1 + Fraction(float(np.expm1(epsilon))) if abs(epsilon) < 0.5 else Fraction(float(np.exp(epsilon)))
        if Fraction(delta) < (1 - kappa) * (1 - Fraction(1, 10**12)):
            raise ParameterError("deltas", f"at least 1 - e^epsilon at epsilon = {epsilon!r}", delta)
        points[kappa] = max(Fraction(delta), 1 - kappa)
    return points
