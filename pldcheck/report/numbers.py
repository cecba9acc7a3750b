"""Certified numbers in decimal: the text of a bound is itself a bound."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import isinf

from ..interval import Interval

# Significant digits printed at least; more where rounding would visibly widen a narrow interval.
DIGITS = 6
# A double needs 17 digits to be told from its neighbours.
MOST_DIGITS = 17
# Powers of ten between which a number is written without an exponent.
PLAIN = range(-4, 7)


def down(value: float, digits: int = DIGITS) -> str:
    """A decimal of at most so many digits that is not above ``value``."""
    return _text(value, digits, ROUND_FLOOR)


def up(value: float, digits: int = DIGITS) -> str:
    """A decimal of at most so many digits that is not below ``value``."""
    return _text(value, digits, ROUND_CEILING)


def outward(interval: Interval) -> tuple[str, str]:
    """Both ends as decimals that enclose the interval, with digits enough to widen it by a fifth at most."""
    digits = DIGITS
    while digits < MOST_DIGITS and _spread(interval, digits) > 1.2 * interval.width:
        digits += 1
    return down(interval.lower, digits), up(interval.upper, digits)


def _spread(interval: Interval, digits: int) -> float:
    return float(Decimal(up(interval.upper, digits)) - Decimal(down(interval.lower, digits)))


def _text(value: float, digits: int, rounding: str) -> str:
    # Decimal(float) is exact, so this rounds once.
    rounded = Context(prec=digits, rounding=rounding).plus(Decimal(value)).normalize()
    if not rounded.is_finite() or rounded.is_zero():
        return format(float(rounded), "g")
    return format(rounded, "f" if rounded.adjusted() in PLAIN else "e")


def width(interval: Interval) -> str:
    """The relative width, or the absolute one where the lower end is zero; rounded up to two digits."""
    if isinf(interval.relative_width):
        return up(interval.width, 2)
    return f"{up(100 * interval.relative_width, 2)} %"
