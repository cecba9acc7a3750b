"""Values between two ends: evenly spaced, or evenly in logarithms."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction

# Digits carried between the two ends; a float has 17.
_DIGITS = Context(prec=40)


def spaced(first: float, last: float, points: int, integer: bool) -> tuple[float, ...]:
    """``first + (last - first) i / (points - 1)``, rounded once, each value kept once.

    The ends are read as the decimals they print as: from 0.1 to 1 in 4 points goes by 0.4 and 0.7.
    """
    start, end = Fraction(repr(first)), Fraction(repr(last))
    step = (end - start) / max(points - 1, 1)
    return _rounded((start + index * step for index in range(points)), integer)


def log_spaced(first: float, last: float, points: int, integer: bool) -> tuple[float, ...]:
    """``first (last / first)^(i / (points - 1))``, rounded once, each value kept once; both ends positive."""
    start, end = (_DIGITS.ln(Decimal(repr(value))) for value in (first, last))
    step = _DIGITS.divide(_DIGITS.subtract(end, start), Decimal(max(points - 1, 1)))
    inner = (_DIGITS.exp(_DIGITS.fma(step, Decimal(index), start)) for index in range(1, points - 1))
    ends = [Decimal(repr(value)) for value in (first, last)]
    return _rounded([ends[0], *inner, *ends[1:points]], integer)


def _rounded(values: Iterator[Fraction] | list[Decimal], integer: bool) -> tuple[float, ...]:
    return tuple(dict.fromkeys(round(value) if integer else float(value) for value in values))
