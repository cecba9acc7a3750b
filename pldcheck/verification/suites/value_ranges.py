"""Ranges of values between two ends, with equal differences or with equal ratios."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction

# The precision of the values between the two ends: a float has 17 digits, so the result is rounded once.
_DIGITS = Context(prec=40)


def even_values(first: float, last: float, points: int, integer: bool) -> tuple[float, ...]:
    """Return the values ``first + (last - first) i / (points - 1)``, each rounded once, without repetitions.

    The ends are taken as the decimals that they print as: 4 points from 0.1 to 1 are 0.1, 0.4, 0.7 and 1.
    """
    start, end = Fraction(repr(first)), Fraction(repr(last))
    step = (end - start) / max(points - 1, 1)
    return _round((start + index * step for index in range(points)), integer)


def log_even_values(first: float, last: float, points: int, integer: bool) -> tuple[float, ...]:
    """Return the values ``first (last / first)^(i / (points - 1))``, each rounded once, without repetitions.

    Both ends must be positive.
    """
    start, end = (_DIGITS.ln(Decimal(repr(value))) for value in (first, last))
    step = _DIGITS.divide(_DIGITS.subtract(end, start), Decimal(max(points - 1, 1)))
    inner = (_DIGITS.exp(_DIGITS.fma(step, Decimal(index), start)) for index in range(1, points - 1))
    ends = [Decimal(repr(value)) for value in (first, last)]
    return _round([ends[0], *inner, *ends[1:points]], integer)


def _round(values: Iterator[Fraction] | list[Decimal], integer: bool) -> tuple[float, ...]:
    return tuple(dict.fromkeys(round(value) if integer else float(value) for value in values))
