"""Brackets of the epsilon at which a decreasing delta(epsilon) crosses a target."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log, log1p

from ...core.directed import Side
from ...core.roots import zero

# delta = 0 has no logarithm; far below anything representable.
_LOG_ZERO = -2000.0
# log(eps/(cap - eps)) where eps is cap.
_AT_CAP = 40.0


def log_ratio(value: float, delta: float) -> float:
    """Return log(value/delta), which is finite also for value = 0."""
    return (log(value) if value > 0.0 else _LOG_ZERO) - log(delta)


def crossing(curve: Callable[[float], float], delta: float, cap: float, guess: float, precision: float) -> float:
    """Return an epsilon in (0, cap) near which the decreasing ``curve`` equals ``delta``; 0.0 if it starts below.

    ``precision`` is the relative precision of the root.  The equation is solved in t = log(eps/(cap - eps)), which
    resolves both ends of the range.
    """

    def place(t: float) -> float:
        return cap / (1.0 + exp(-t))

    def excess(t: float) -> float:
        return log_ratio(curve(place(t)), delta)

    share = min(max(guess / cap, 1e-12), 1.0 - 1e-9)
    low = high = log(share) - log1p(-share)
    step = 0.002  # guesses are good where evaluations are dear
    if excess(low) >= 0.0:
        while True:
            high = min(low + step, _AT_CAP)
            if excess(high) < 0.0:
                break
            if high == _AT_CAP:
                return place(high)
            low, step = high, 8.0 * step
    else:
        while True:
            low = high - step
            if excess(low) >= 0.0:
                break
            if low < -60.0:
                return 0.0
            high, step = low, 8.0 * step
    return place(zero(excess, low, high, absolute=precision, relative=1e-12))


def last_above(curve: Callable[[float], float], delta: float, near: float, cap: float, precision: float) -> float:
    """Return an epsilon just below ``near`` with curve(epsilon) >= delta; 0.0 if the search fails."""
    return _walk(curve, delta, near, cap, precision, Side.LOWER)


def first_below(curve: Callable[[float], float], delta: float, near: float, cap: float, precision: float) -> float:
    """Return an epsilon just above ``near`` with curve(epsilon) <= delta; ``cap`` if the search fails below it."""
    return _walk(curve, delta, near, cap, precision, Side.UPPER)


def _walk(
    curve: Callable[[float], float], delta: float, near: float, cap: float, precision: float, side: Side
) -> float:
    scale = max(min(near, cap - near), 1e-16 * cap)
    for k in range(40):
        epsilon = near + side.sign * scale * precision * 4.0**k
        if epsilon <= 0.0:
            return 0.0
        if epsilon >= cap and side is Side.UPPER:
            return cap
        if epsilon >= cap:  # not below anything: a lower end is where the curve was seen to be high enough
            continue
        value = curve(epsilon)
        if value >= delta if side is Side.LOWER else value <= delta:
            return epsilon
    return 0.0 if side is Side.LOWER else cap
