"""Root finders: where a decreasing function crosses a target, and where a condition ends.

:func:`cross` is for functions that are dear: secants from a good start, and an end on the wanted side.  What it returns
was looked at, so an answer stands on the value there and not on how it was found.  :func:`halve` and
:func:`halve_integers` are for conditions that hold up to some number; they return both sides of it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, log

from .directed import UNIT, Side, roundoff

# Steps in one search; two to four are usual.
TRIALS = 80
# After so many secants the bracket is halved.
SECANTS = 14
# A secant that leads out of the bracket from a value so far off (in logs) goes half the way instead.
FAR_OFF = 1e-3
# An end is taken when it is this close to the root, relatively in the value.
CLOSE = 1e-12
# Looks one after the other that say nothing, of a lower end 0 or of an upper end 1, after which there is no more to be
# had.
NOTHING = 32


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
) -> float:
    """Return where a decreasing function crosses the target, on the upper side (value <= target) or the lower (>).

    Secant steps on log(value/target) from a good start; where they fail, bisection of what they have bracketed.  It is
    certain to cross between ``least`` and ``largest``; ``spent``: whether to be content with what there is rather than
    to look at this x.
    """
    low, high, best = least, largest, largest if side is Side.UPPER else least
    x, other, at_other, silent = start if least <= start <= largest else 0.5 * (least + largest), None, 0.0, 0
    for trial in range(trials):
        found = value(x)
        silent = silent + 1 if found >= 1.0 or found <= 0.0 else 0
        if silent > NOTHING:
            break
        at_x = _log_ratio(found, target)
        beyond = found > target  # the logarithms are rounded: of these two they may say that they are equal
        good = beyond != (side is Side.UPPER)
        if good and (x < best) == (side is Side.UPPER):
            best = x
        low, high = (x, high) if beyond else (low, x)
        if (good and abs(at_x) <= CLOSE) or high - low <= roundoff(4, low):
            break
        if other is not None and at_other != at_x and isfinite(at_x - at_other):
            step = -at_x * (x - other) / (at_x - at_other)
        else:
            step = at_x / slope
        # Aim a little inside the wanted side.
        moved = x + step + side.sign * 0.5 * CLOSE / slope
        if not low < moved < high and abs(at_x) > FAR_OFF and isfinite(high):
            moved = 0.5 * (x + (high if beyond else low))
        if trial >= SECANTS or not low < moved < high:
            # Out to the wanted side in growing steps from what is nearest to it; what is bracketed is halved.
            bracketed = best < largest if side is Side.UPPER else best > least
            growing = (low if side is Side.UPPER else high) + side.sign * 4 * UNIT * 4.0**trial * max(start, 1e-12)
            moved = growing if not bracketed and low < growing < high else 0.5 * (low + min(high, 2.0 * low + 1.0))
        if spent(moved):
            break
        other, at_other, x = x, at_x, moved
    return best


def _log_ratio(value: float, target: float) -> float:
    return log(value) - log(target) if value > 0.0 else -inf


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

    It is taken to hold at ``low`` and to fail at ``high``; neither is looked at.

    Parameters
    ----------
    holds : callable
        The condition; where it holds at several stretches, one of their ends is found.
    low, high : float
    relative, absolute : float
        How far apart the two may stay: ``relative`` times the upper one, plus ``absolute``.
    times : int, optional
        How often the bracket is halved, in place of a distance.
    geometric : bool
        Whether it is halved in the logarithm.

    Returns
    -------
    (float, float)
        The last number at which it was seen to hold, and the last at which it was seen to fail.

    Examples
    --------
    >>> halve(lambda x: x * x <= 2.0, 1.0, 2.0, times=2)
    (1.25, 1.5)

    """
    left = times
    while high - low > relative * high + absolute if left is None else left > 0:
        middle = (low * high) ** 0.5 if geometric else 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
        left = None if left is None else left - 1
    return low, high


def halve_integers(holds: Callable[[int], bool], low: int, high: int) -> tuple[int, int]:
    """Return the last integer at which a condition holds, and the next; it holds at ``low`` and fails at ``high``."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high
