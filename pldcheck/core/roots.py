"""Root finders: the crossing of a decreasing function with a target, and the end of a condition.

:func:`cross` serves functions that are slow to evaluate: it takes secant steps from a good start and returns a point on
the requested side.  The function was evaluated at the returned point, so an answer rests on the value there and not on
the search.  :func:`zero` serves where a good guess is enough.  :func:`halve` and :func:`halve_integers` serve
conditions that hold up to some number; they return both sides of it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, log

from .directed import Side, roundoff

# The largest number of steps in one search; most searches take two to four.
TRIALS = 80
# After so many secant steps the bracket is halved.
SECANTS = 14
# A secant step out of the bracket, from a value whose logarithm is so far off, is replaced by half of the way.
FAR_OFF = 1e-3
# The search ends when the value is within this relative distance of the target, unless another one is asked for.
CLOSE = 1e-12
# The search ends after so many trivial values (at most 0 or at least 1) in a row: more steps bring no information.
NOTHING = 32
# A step out of the bracket begins with 4 units of the start, so that the sum differs from it after rounding.
FIRST_STEP = roundoff(4)


def cross(
    value: Callable[[float], float],
    target: float,
    start: float,
    slope: float,
    largest: float,
    *,
    side: Side,
    trials: int = TRIALS,
    least: float = 0.0,
    spent: Callable[[float], bool] = lambda x: False,
    close: float = CLOSE,
) -> float:
    """Return a point close to where a decreasing function crosses a target.

    The search takes secant steps on log(value/target) and, where they fail, bisects the bracket.

    Parameters
    ----------
    value : callable
        The decreasing function.
    target : float
        The value to cross, which is positive.
    start, slope : float
        The first point, and about the slope of -log(value) there.
    least, largest : float
        The function is certain to cross the target between these two.
    side : Side
        ``UPPER`` returns a point with value <= target, ``LOWER`` one with value > target.
    trials : int
        The largest number of evaluations.
    spent : callable
        Whether the search ends, with the best point so far, instead of evaluating at this x.
    close : float
        The search ends at a point on the requested side whose value is within this relative distance of the target, and
        aims at half of it: the more it is, the fewer evaluations are needed.

    Returns
    -------
    float
        The best point at which the function was evaluated; ``largest`` or ``least`` where there is none.

    """
    low, high, best = least, largest, largest if side is Side.UPPER else least
    x, other, at_other, silent = start if least <= start <= largest else 0.5 * (least + largest), None, 0.0, 0
    for trial in range(trials):
        height = value(x)
        silent = silent + 1 if height >= 1.0 or height <= 0.0 else 0
        if silent > NOTHING:
            break
        at_x = _log_ratio(height, target)
        beyond = height > target  # the rounded logarithms of two different numbers may be equal
        good = beyond != (side is Side.UPPER)
        if good and (x < best) == (side is Side.UPPER):
            best = x
        low, high = (x, high) if beyond else (low, x)
        if (good and abs(at_x) <= close) or high - low <= roundoff(4, low):
            break
        if other is not None and at_other != at_x and isfinite(at_x - at_other):
            step = -at_x * (x - other) / (at_x - at_other)
        else:
            step = at_x / slope
        # Aim a little inside the wanted side.
        next_x = x + step + side.sign * 0.5 * close / slope
        if not low < next_x < high and abs(at_x) > FAR_OFF and isfinite(high):
            next_x = 0.5 * (x + (high if beyond else low))
        if trial >= SECANTS or not low < next_x < high:
            # Without a point on the requested side, step towards it by growing steps; otherwise halve the bracket.
            has_best = best < largest if side is Side.UPPER else best > least
            growing = (low if side is Side.UPPER else high) + side.sign * FIRST_STEP * 4.0**trial * max(start, 1e-12)
            next_x = growing if not has_best and low < growing < high else 0.5 * (low + min(high, 2.0 * low + 1.0))
        if spent(next_x):
            break
        other, at_other, x = x, at_x, next_x
    return best


def _log_ratio(value: float, target: float) -> float:
    return log(value) - log(target) if value > 0.0 else -inf


def zero(function: Callable[[float], float], low: float, high: float, *, absolute: float, relative: float) -> float:
    """Return a point near which a function is 0, by Brent's method.

    This is ``scipy.optimize.brentq`` step by step (a test holds them to the same bits): the import of
    ``scipy.optimize`` would take a tenth of the time of a first answer.  Source: R. P. Brent, Algorithms for
    minimization without derivatives (1973), chapter 4.

    Parameters
    ----------
    function : callable
        The function, whose values at the two ends have different signs.
    low, high : float
        The ends, in any order.
    absolute, relative : float
        The zero is within ``absolute + relative |x|`` of the point x that is returned.

    Examples
    --------
    >>> round(zero(lambda x: x * x - 2.0, 1.0, 2.0, absolute=1e-9, relative=1e-12), 6)
    1.414214

    """
    before, x = low, high
    at_before, at_x = function(before), function(x)
    if at_before == 0.0:
        return before
    opposite, at_opposite, step, last_step = before, at_before, x - before, x - before
    for _ in range(TRIALS):
        if at_x == 0.0:
            break
        if (at_before < 0.0) != (at_x < 0.0):
            opposite, at_opposite = before, at_before
            step = last_step = x - before
        if abs(at_opposite) < abs(at_x):
            before, x, opposite = x, opposite, x
            at_before, at_x, at_opposite = at_x, at_opposite, at_x
        tolerance = 0.5 * (absolute + relative * abs(x))
        half = 0.5 * (opposite - x)
        if at_x == 0.0 or abs(half) < tolerance:
            break
        if abs(last_step) > tolerance and abs(at_x) < abs(at_before):
            if before == opposite:  # a line through two points
                rise, divisor = x - before, at_x - at_before
            else:  # a parabola in the values through three points
                slope, other = (at_before - at_x) / (before - x), (at_opposite - at_x) / (opposite - x)
                rise, divisor = at_opposite * other - at_before * slope, other * slope * (at_opposite - at_before)
            trial = -at_x * rise / divisor if divisor != 0.0 else inf  # tiny values underflow
            if 2.0 * abs(trial) < min(abs(last_step), 3.0 * abs(half) - tolerance):
                last_step, step = step, trial
            else:
                last_step = step = half
        else:
            last_step = step = half
        before, at_before = x, at_x
        x += step if abs(step) > tolerance else (tolerance if half > 0.0 else -tolerance)
        at_x = function(x)
    return x


def halve(
    holds: Callable[[float], bool],
    low: float,
    high: float,
    *,
    relative: float = 0.0,
    absolute: float = 0.0,
    times: int | None = None,
    geometric: bool = False,
) -> tuple[float, float]:
    """Return a narrower bracket of the number up to which a condition holds.

    The condition is assumed to hold at ``low`` and to fail at ``high``; it is evaluated at neither.

    Parameters
    ----------
    holds : callable
        The condition; where it holds on several intervals, the end of one of them is returned.
    low, high : float
        The first bracket.
    relative, absolute : float
        The search ends when the width is at most ``relative`` times the upper number plus ``absolute``.
    times : int, optional
        The number of halvings, in place of a width.
    geometric : bool
        Whether the bracket is halved at its geometric mean.

    Returns
    -------
    (float, float)
        A number at which the condition holds, and a larger one at which it fails.

    Examples
    --------
    >>> halve(lambda x: x * x <= 2.0, 1.0, 2.0, times=2)
    (1.25, 1.5)

    """
    halvings = times
    while high - low > relative * high + absolute if halvings is None else halvings > 0:
        middle = (low * high) ** 0.5 if geometric else 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
        halvings = None if halvings is None else halvings - 1
    return low, high


def halve_integers(holds: Callable[[int], bool], low: int, high: int) -> tuple[int, int]:
    """Return the last integer at which a condition holds, and the next integer.

    The condition is assumed to hold at ``low`` and to fail at ``high``.
    """
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high
