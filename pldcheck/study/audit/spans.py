"""Intervals whose ends are thin balls (python-flint ``arb``).

A wide ``arb`` has a radius of 30 bits: the one around [1, 1e12] reaches below 0, and a product forgets that its factors
had signs.  Here each end is a ball of its own, and a set is everything from the lower end's ball to the upper end's.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any

from flint import arb, fmpq

# Bits of balls on boxes: flint's default of 53 loses differences of sides that agree to many digits.
BOX_BITS = 96
# Bits of balls at points, where thin balls are cheap: about 96 decimal digits.
POINT_BITS = 320


def exactly(value: float) -> arb:
    """Return the decimal that a float prints as, in a ball that is as thin as the precision allows."""
    fraction = Fraction(repr(value))
    return arb(fmpq(fraction.numerator, fraction.denominator))


def span(low: float, high: float) -> Span:
    """Return all reals between two floats, which enter as the binary numbers they are."""
    return Span(arb(low), arb(high))


class Span:
    """The set of all reals from ``low`` to ``high``; not a number where a function is undefined on part of a set."""

    __slots__ = ("high", "low")

    def __init__(self, low: arb, high: arb) -> None:
        self.low, self.high = low, high

    def is_finite(self) -> bool:
        """Return whether both ends are numbers."""
        return bool(self.low.is_finite() and self.high.is_finite())

    def sign(self) -> int:
        """Return 1 if no element is negative, -1 if none is positive, and 0 if both occur or it is undecided."""
        return 1 if self.low >= 0 else -1 if self.high <= 0 else 0

    def down(self) -> float:
        """Return a float that is at most every element; minus infinity if an end is not a number."""
        return _float_below(self.low) if self.is_finite() else -inf

    def size(self) -> arb:
        """Return the largest absolute value."""
        return abs(self.low).max(abs(self.high)).upper()

    def middle(self) -> float:
        """Return a float near the middle, without a guarantee."""
        return float((self.low + self.high).mid()) / 2

    def monotone(self, curve: Callable[[arb], arb]) -> Span:
        """Return the image under an increasing or decreasing function."""
        if self.low is self.high:
            value = curve(self.low)
            return Span(value, value)
        one, two = curve(self.low), curve(self.high)
        return Span(one, two) if one <= two else Span(two, one) if two <= one else Span(one.min(two), one.max(two))

    def __neg__(self) -> Span:
        return Span(-self.high, -self.low)

    def __pos__(self) -> Span:
        return self

    def __add__(self, other: Any) -> Span:
        if isinstance(other, Span):
            return Span(self.low + other.low, self.high + other.high)
        return Span(self.low + other, self.high + other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Span:
        if isinstance(other, Span):
            return Span(self.low - other.high, self.high - other.low)
        return Span(self.low - other, self.high - other)

    def __rsub__(self, other: Any) -> Span:
        return Span(other - self.high, other - self.low)

    def __mul__(self, other: Any) -> Span:
        if not isinstance(other, Span):
            one, two = self.low * other, self.high * other
            return Span(one, two) if other >= 0 else Span(two, one) if other <= 0 else _around(one, two)
        a, b = self.sign(), other.sign()
        if a and b:
            if a > 0:
                if b > 0:
                    return Span(self.low * other.low, self.high * other.high)
                return Span(self.high * other.low, self.low * other.high)
            if b > 0:
                return Span(self.low * other.high, self.high * other.low)
            return Span(self.high * other.high, self.low * other.low)
        return _around(self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high)

    __rmul__ = __mul__

    def inverse(self) -> Span:
        """Return the reciprocals of all elements; not a number if 0 may be among them."""
        if self.low > 0 or self.high < 0:
            return Span(1 / self.high, 1 / self.low)
        return Span(self.low.nan(), self.low.nan())

    def __truediv__(self, other: Any) -> Span:
        if isinstance(other, Span):
            return self * other.inverse()
        one, two = self.low / other, self.high / other
        return Span(one, two) if other > 0 else Span(two, one) if other < 0 else _around(one, two)

    def __rtruediv__(self, other: Any) -> Span:
        return self.inverse() * other

    # Equality of sets does not decide equality of their elements, nor does the truth value of a set.
    def __eq__(self, other: Any) -> bool:
        raise TypeError("spans are not compared")

    def __bool__(self) -> bool:
        raise TypeError("a span is neither true nor false")

    __hash__ = None  # type: ignore[assignment]

    def __pow__(self, power: Any) -> Span:
        if not isinstance(power, int):
            return (self.log() * power).exp()
        if power < 0:
            return (self**-power).inverse()
        if power % 2 or self.low >= 0:
            return Span(self.low**power, self.high**power)
        if self.high <= 0:
            return Span(self.high**power, self.low**power)
        return Span(0 * self.low, (self.low**power).max(self.high**power))

    def __rpow__(self, base: Any) -> Span:
        return (self * arb(base).log()).exp()

    def exp(self) -> Span:
        """Return the exponential."""
        return Span(self.low.exp(), self.high.exp())

    def expm1(self) -> Span:
        """Return the exponential minus one."""
        return Span(self.low.expm1(), self.high.expm1())

    def log(self) -> Span:
        """Return the logarithm."""
        return Span(self.low.log(), self.high.log())

    def log1p(self) -> Span:
        """Return the logarithm of one plus the value."""
        return Span(self.low.log1p(), self.high.log1p())

    def sqrt(self) -> Span:
        """Return the square root."""
        return Span(self.low.sqrt(), self.high.sqrt())


def _around(*values: arb) -> Span:
    low = high = values[0]
    for value in values[1:]:
        low, high = low.min(value), high.max(value)
    return Span(low, high)


def _float_below(value: arb) -> float:
    """Return a float that is at most the lower end of a ball."""
    end = value.lower()
    if end >= 0:
        return float(end) * (1 - 1e-15)
    return float(end) * (1 + 1e-15) or -5e-324
