"""Certified numbers as text: the text of a bound is itself a bound, and text from outside is safe to show.

Every end of an interval that is printed, drawn or tabulated goes through :func:`down`, :func:`up` or :func:`ends`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from math import isfinite, isinf, isnan
from typing import Any

# The least number of significant digits; there are more where rounding would visibly widen a narrow interval.
DIGITS = 6
# A double needs 17 digits to be distinguished from its neighbours.
MOST_DIGITS = 17
# Printing may widen an interval by this factor before more digits are printed.
WIDENING = Decimal("1.2")
# Powers of ten between which a number is written without an exponent.
PLAIN = range(-4, 7)
# The format specification of an interval: the number of digits and their kind.
SPEC = re.compile(r"(?:\.([0-9]{1,3}))?([gef]?)")
# In this context every double and every difference of doubles is exact.
EXACT = Context(prec=MAX_PREC if MAX_PREC < 10**6 else 10**6, Emax=MAX_EMAX, Emin=MIN_EMIN)
# Control characters, and those that turn the direction of text or hide it: a reader must see what is there.
UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
    "|[\U000e0000-\U000e007f]"
)


def down(value: float, digits: int = DIGITS) -> str:
    """Return a decimal of at most so many significant digits that is not above ``value``.

    Examples
    --------
    >>> down(2 / 3, 3)
    '0.666'

    """
    return _text(value, digits, ROUND_FLOOR)


def up(value: float, digits: int = DIGITS) -> str:
    """Return a decimal of at most so many significant digits that is not below ``value``.

    Examples
    --------
    >>> up(2 / 3, 3)
    '0.667'

    """
    return _text(value, digits, ROUND_CEILING)


def near(value: float, digits: int = DIGITS) -> str:
    """Return the decimal of so many digits nearest to ``value``, which is no end of an interval; 1e-6, not 1e-06."""
    return _text(value, digits, ROUND_HALF_EVEN)


def ends(lower: float, upper: float, digits: int | None = None) -> tuple[str, str]:
    """Return both ends as decimals that enclose the interval.

    Without ``digits``, there are as many digits as widen the interval by a fifth at most.

    Examples
    --------
    >>> ends(0.25, 1 / 3, 2)
    ('0.25', '0.34')

    """
    if digits is not None:
        return down(lower, digits), up(upper, digits)
    digits = DIGITS
    if isfinite(lower) and isfinite(upper):
        most = WIDENING * EXACT.subtract(Decimal(upper), Decimal(lower))
        while digits < MOST_DIGITS and _spread(lower, upper, digits) > most:
            digits += 1
    return down(lower, digits), up(upper, digits)


def between(lower: float, upper: float, spec: str = "") -> str:
    """Return ``[lower, upper]``, rounded outward, by a specification as of :meth:`pldcheck.Interval.__format__`.

    Raises
    ------
    ValueError
        If the specification is none of ``.DIGITS`` with g, e or f.

    """
    match = SPEC.fullmatch(spec)
    if not match:
        raise ValueError(f"the format of an interval is .DIGITS with g, e or f, such as .4g, got {spec!r}")
    number, kind = match.groups()
    if kind not in ("e", "f"):
        low, high = ends(lower, upper, None if number is None else max(int(number), 1))
    else:
        digits = DIGITS if number is None else int(number)
        low, high = _fixed_point(lower, digits, kind, ROUND_FLOOR), _fixed_point(upper, digits, kind, ROUND_CEILING)
    return f"[{low}, {high}]"


def _spread(lower: float, upper: float, digits: int) -> Decimal:
    return EXACT.subtract(Decimal(up(upper, digits)), Decimal(down(lower, digits)))


def _text(value: float, digits: int, rounding: str) -> str:
    # Decimal(float) is exact, so this rounds once.
    number = Context(prec=digits, rounding=rounding).plus(Decimal(value)).normalize()
    if not number.is_finite() or number.is_zero():
        return format(float(number), "g")
    return format(number, "f" if number.adjusted() in PLAIN else "e")


def _fixed_point(value: float, digits: int, kind: str, rounding: str) -> str:
    """Return a number rounded to so many digits behind the point."""
    if not isfinite(value):
        return format(value, "g")
    exact = Decimal(value)
    if kind == "e":
        return format(Context(prec=digits + 1, rounding=rounding).plus(exact), f".{digits}e")
    return format(exact.quantize(Decimal(1).scaleb(-digits), rounding=rounding, context=EXACT), "f")


def safe(text: object) -> str:
    """Return the text with an escape for every character that moves a cursor, reverses or hides text, or is none."""
    return UNSAFE.sub(lambda match: f"\\u{{{ord(match[0]):x}}}", str(text))


def safe_lines(text: object) -> str:
    """Return text of several lines with each line as :func:`safe` writes it."""
    return "\n".join(map(safe, str(text).split("\n")))


def plain(values: Any) -> Any:
    """Return values that JSON can store: infinite numbers become the texts "inf" and "-inf".

    Raises ValueError for NaN.
    """
    if isinstance(values, float):
        if isnan(values):
            raise ValueError("NaN is not JSON compliant")
        return str(values) if isinf(values) else values
    if isinstance(values, Mapping):
        return {name: plain(value) for name, value in values.items()}
    if isinstance(values, list | tuple):
        return [plain(value) for value in values]
    return values
