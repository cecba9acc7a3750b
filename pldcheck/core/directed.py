"""Arithmetic that says which way it rounds: the unit of round-off, both ends of a number, and outward operations.

Every operation of IEEE 754 double precision, rounded to nearest, is within one ``UNIT`` of its result.  A bound is kept
by counting the operations behind a number and moving it by as many units: :func:`enlarge` and :func:`shrink` move it
away from zero and towards it, :func:`roundoff` is an absolute error to be added or subtracted.  All three work on
floats and on arrays.  Of functions of libraries more units are granted than one: see :mod:`pldcheck.core.assumed`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import exp, inf, nextafter
from sys import float_info
from typing import TYPE_CHECKING, TypeVar, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Unit round-off of doubles: the relative error of one operation, rounded to nearest.
UNIT = 2.0**-53
# Exponents beyond which there are no numbers.
LARGEST = 700.0


# A float or an array.
Value = TypeVar("Value", float, "NDArray[np.float64]")


class Side(Enum):
    """Which end of an enclosure is asked for: ``UPPER`` is at least the truth, ``LOWER`` at most."""

    LOWER = -1
    UPPER = 1

    @property
    def sign(self) -> float:
        """1 where upwards is outwards, -1 where downwards is."""
        return float(self.value)

    @property
    def other(self) -> Side:
        """The opposite side."""
        return Side.LOWER if self is Side.UPPER else Side.UPPER


@dataclass(frozen=True)
class Ends:
    """``lower <= truth <= upper``; of the difference, what truncation and round-off were granted."""

    lower: float
    upper: float
    truncation: float
    rounding: float


def enlarge(value: Value, units: float) -> Value:
    """Return a number or an array moved away from zero by so many units of itself.

    ``units`` counts the roundings behind the value with its own: twice as many as there are is always enough.

    Examples
    --------
    >>> enlarge(1.0, 4) == 1.0 + 4 * UNIT
    True

    """
    return value * (1.0 + units * UNIT)


def shrink(value: Value, units: float) -> Value:
    """Return a number or an array moved towards zero by so many units of itself.

    Examples
    --------
    >>> shrink(-1.0, 4) == -1.0 + 4 * UNIT
    True

    """
    return value * (1.0 - units * UNIT)


@overload
def roundoff(units: float) -> float: ...


@overload
def roundoff(units: float, size: Value) -> Value: ...


def roundoff(units, size=1.0):
    """Return the absolute error of so many roundings of numbers of that size."""
    return units * UNIT * size


def exp_upper(exponent: float, size: float) -> float:
    """Return at least e^exponent, for an exponent that is a sum of terms whose absolute values sum to ``size``.

    Up to eight roundings of terms and sums are granted; infinite where it may leave the range of floats.
    """
    exponent += roundoff(8, size)
    return enlarge(exp(exponent), 4) if exponent < LARGEST else inf


def float_below(number: Fraction) -> float:
    """Return the largest float that is at most a fraction; -infinity below all of them."""
    near = _nearest(number)
    return near if Fraction(near) <= number else nextafter(near, -inf)


def float_above(number: Fraction) -> float:
    """Return the least float that is at least a fraction; infinity above all of them."""
    near = _nearest(number)
    return near if Fraction(near) >= number else nextafter(near, inf)


def _nearest(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return float_info.max if number > 0 else -float_info.max
