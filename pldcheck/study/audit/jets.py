r"""Spans that carry their derivatives.

For f on a box X with centre c

.. math:: f(X) \subseteq f(c) + \sum_i \partial_i f(X) (X_i - c_i)

(the mean value form; Neumaier, Interval Methods for Systems of Equations, 1990, section 2.3), and where a derivative
keeps its sign f is least at an end of that axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import arb

from .spans import Span


class Jet:
    """The span of a function's values on a box and the spans of its derivatives; one that is not named is zero."""

    __slots__ = ("slopes", "value")

    def __init__(self, value: Span, slopes: Mapping[str, Span]) -> None:
        self.value, self.slopes = value, slopes

    def through(self, value: Span, slope: Span | arb | int) -> Jet:
        """Return the jet of a function of this one, from the value and the derivative of that function."""
        return Jet(value, {name: each * slope for name, each in self.slopes.items()})

    # A function that branches on the value of a parameter has no value on a box.
    def __eq__(self, other: Any) -> bool:
        raise TypeError("jets are not compared")

    def __bool__(self) -> bool:
        raise TypeError("a jet is neither true nor false")

    __hash__ = None  # type: ignore[assignment]

    def __neg__(self) -> Jet:
        return Jet(-self.value, {name: -each for name, each in self.slopes.items()})

    def __pos__(self) -> Jet:
        return self

    def __add__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.value + other, self.slopes)
        slopes = dict(self.slopes)
        for name, each in other.slopes.items():
            slopes[name] = slopes[name] + each if name in slopes else each
        return Jet(self.value + other.value, slopes)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Jet:
        return self + -other

    def __rsub__(self, other: Any) -> Jet:
        return -self + other

    def __mul__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return self.through(self.value * other, other)
        if self is other:  # the factors do not vary independently
            return self**2
        slopes = {name: each * other.value for name, each in self.slopes.items()}
        for name, each in other.slopes.items():
            more = each * self.value
            slopes[name] = slopes[name] + more if name in slopes else more
        return Jet(self.value * other.value, slopes)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.value / other, {name: each / other for name, each in self.slopes.items()})
        return self * other.inverse()

    def __rtruediv__(self, other: Any) -> Jet:
        return self.inverse() * other

    def inverse(self) -> Jet:
        """Return the jet of the reciprocal."""
        value = self.value.inverse()
        return self.through(value, -(value**2))

    def __pow__(self, power: Any) -> Jet:
        if isinstance(power, int):
            if power == 0:
                return Jet(self.value**0, {})
            return self.through(self.value**power, self.value ** (power - 1) * power)
        return (self.log() * power).exp()

    def __rpow__(self, base: Any) -> Jet:
        return (self * arb(base).log()).exp()

    def exp(self) -> Jet:
        """Return the exponential."""
        value = self.value.exp()
        return self.through(value, value)

    def expm1(self) -> Jet:
        """Return the exponential minus one."""
        return self.through(self.value.expm1(), self.value.exp())

    def log(self) -> Jet:
        """Return the logarithm."""
        return self.through(self.value.log(), self.value.inverse())

    def log1p(self) -> Jet:
        """Return the logarithm of one plus the value."""
        return self.through(self.value.log1p(), (self.value + 1).inverse())

    def sqrt(self) -> Jet:
        """Return the square root."""
        value = self.value.sqrt()
        return self.through(value, (value * 2).inverse())
