"""Arithmetic that says which way it rounds: the unit of round-off, both ends of a number, and outward operations.

Every operation of IEEE 754 double precision, rounded to nearest, is within one ``UNIT`` of its result.  A bound is kept
by counting the operations behind a number and moving it by as many units: :func:`enlarge` and :func:`shrink` move it
away from zero and towards it, :func:`roundoff` is an absolute error to be added or subtracted.  All three work on
floats and on arrays.  Functions of libraries are granted more than one unit: see :mod:`pldcheck.core.assumed`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import exp, inf, nextafter, sqrt
from sys import float_info
from typing import TYPE_CHECKING, TypeVar, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Unit round-off of doubles: the relative error of one operation, rounded to nearest.
UNIT = 2.0**-53
# The least double that is not 0: below the least normal number a rounding errs by up to half of it, absolutely.
SUBNORMAL = 5e-324
# Exponents beyond which there are no numbers.
LARGEST = 700.0


# A float or an array.
Value = TypeVar("Value", float, "NDArray[np.float64]")


class Side(Enum):
    """The end of an enclosure to compute: ``UPPER`` is at least the truth, ``LOWER`` at most."""

    LOWER = -1
    UPPER = 1

    @property
    def sign(self) -> float:
        """The direction of outward rounding: 1 for ``UPPER``, -1 for ``LOWER``."""
        return float(self.value)

    @property
    def other(self) -> Side:
        """The opposite side."""
        return Side.LOWER if self is Side.UPPER else Side.UPPER


@dataclass(frozen=True)
class Ends:
    """Two ends with ``lower <= truth <= upper``, and the parts of their distance due to truncation and rounding."""

    lower: float
    upper: float
    truncation: float
    rounding: float

    def times(self, factor: float, units: float = 2.0) -> Ends:
        """Return the ends times a factor, which is not negative and has ``units`` roundings, the product's included.

        A product below the normal numbers is rounded by up to the least double: none of it is a lower end.
        """
        lower, upper = shrink(self.lower * factor, units), enlarge(self.upper * factor, units)
        return Ends(
            lower if lower >= float_info.min else 0.0,
            upper if upper >= float_info.min or self.upper == 0.0 else upper + SUBNORMAL,
            self.truncation * factor,
            self.rounding * factor,
        )


def enlarge(value: Value, units: float) -> Value:
    """Return a number or an array moved away from zero by ``units`` units of itself.

    ``units`` counts the roundings behind the value, this one included: twice their number is always enough.

    Examples
    --------
    >>> enlarge(1.0, 4) == 1.0 + 4 * UNIT
    True

    """
    return value * (1.0 + units * UNIT)


def shrink(value: Value, units: float) -> Value:
    """Return a number or an array moved towards zero by ``units`` units of itself.

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
    """Return the absolute error of ``units`` roundings of numbers of at most that size."""
    return units * UNIT * size


def exp_upper(exponent: float, size: float) -> float:
    """Return at least e^exponent, for an exponent that is a sum of terms whose absolute values sum to ``size``.

    Up to eight roundings of terms and sums are granted; infinite where it may leave the range of floats.  What
    underflows is granted here, as callers multiply it by what may be large.
    """
    exponent += roundoff(8, size)
    return enlarge(exp(exponent), 4) + SUBNORMAL if exponent < LARGEST else inf


def float_below(number: Fraction) -> float:
    """Return the largest float that is at most a fraction; -infinity below all of them."""
    near = _nearest(number)
    return near if Fraction(near) <= number else nextafter(near, -inf)


def float_above(number: Fraction) -> float:
    """Return the least float that is at least a fraction; infinity above all of them."""
    near = _nearest(number)
    return near if Fraction(near) >= number else nextafter(near, inf)


def ends_over_root(value: float, count: int | Fraction) -> tuple[float, float]:
    """Return two neighbouring floats around value / sqrt(count), or it twice; the value is not negative."""
    square = Fraction(value) ** 2 / count
    below = value / sqrt(count)
    while Fraction(below) ** 2 > square:
        below = nextafter(below, 0.0)
    while Fraction(nextafter(below, inf)) ** 2 <= square:
        below = nextafter(below, inf)
    return below, below if Fraction(below) ** 2 == square else nextafter(below, inf)


def _nearest(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return float_info.max if number > 0 else -float_info.max
