"""Deltas at epsilons that cover a privacy profile, of the pairs of neighbours and of the exchanged ones."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any

from ..core.directed import LARGEST
from ..core.errors import ParameterError
from ..core.interval import Interval
from ..core.parameters import PARAMETERS
from .answer_tables import plain_number

# Deltas with their epsilons.
Points = tuple[tuple[float, Interval], ...]
# The number of epsilons by default.
SEVERAL = 33
# The most epsilons that are taken.
MOST = 10_000
# The delta up to which epsilons are close to each other.
BULK = 1e-6
# A delta below all others: where the largest loss is finite, its epsilon is that loss.
NOTHING = 1e-300
# Deltas whose epsilon is taken where that at a smaller one is infinite.
LARGER = (1e-3, 0.1, 0.5)
# Beyond the epsilon of the least delta there are so many more points.
FEW = 4
# The last of them is that of so many times the least delta.
FURTHER = 1e-3
# The largest epsilon where delta is large at every one.
FAR = 10.0


def profile_points(
    curve: Any, least: float, count: int, width: float | None, epsilons: Iterable[float] | None = None
) -> tuple[Points, Points]:
    """Return epsilons and deltas of a curve and of that of the exchanged pairs.

    Without ``epsilons`` they reach to where delta is at most ``least``, or as far as that is known to be.  There the
    upper end is at most ``least``, as the answer for epsilon says.
    """
    if not 0.0 <= plain_number("delta", least) < 1.0:
        raise ParameterError("delta", "at least 0 and below 1", least)
    if isinstance(count, bool) or not isinstance(count, int) or not 2 <= count <= MOST:
        raise ParameterError("points", f"an integer from 2 to {MOST}", count)
    given = None if epsilons is None else sorted({0.0, *map(_epsilon, epsilons)})
    forward = _side(curve, least, count, width, given)
    return forward, forward if curve.exchanged is curve else _side(curve.exchanged, least, count, width, given)


def _epsilon(value: Any) -> float:
    number = PARAMETERS["epsilon"].parse(plain_number("epsilon", value))
    if number >= LARGEST:
        raise ParameterError("epsilon", f"below {LARGEST:g} in a trade-off function", value)
    return float(number)


def _side(curve: Any, least: float, count: int, width: float | None, given: list[float] | None) -> Points:
    if given is not None:
        return tuple(curve.delta(given, width))
    bulk, end = _reach(curve, max(least, BULK), width), _reach(curve, least or NOTHING, width)
    grid = {bulk * place / (count - 1) for place in range(count)} | {0.0, bulk}
    if least > 0.0:
        beyond = _reach(curve, max(least * FURTHER, NOTHING), width)
        grid |= {end + max(beyond - end, 0.0) * place / FEW for place in range(1, FEW + 1)}
    grid |= {bulk + (end - bulk) * place / count for place in range(count)} | {end} if end > bulk else set()
    points = dict(curve.delta(sorted(grid), width))
    if least > 0.0 and curve.epsilon(least, width).upper <= end:
        points[end] = points[end].meet(Interval(0.0, least, "delta"))
    return tuple(points.items())


def _reach(curve: Any, delta: float, width: float | None) -> float:
    """Return an epsilon at which delta is at most some value, or a larger one where that is infinite."""
    for target in (delta, *(one for one in LARGER if one > delta)):
        upper: float = curve.epsilon(target, width).upper
        if isfinite(upper):
            return min(upper, 0.99 * LARGEST)
    return FAR
