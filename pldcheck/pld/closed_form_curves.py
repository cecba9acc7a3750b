r"""Privacy curves in closed form: any number of Gaussian steps, and one Laplace step.

**Gaussian.**  The curve is evaluated in ball arithmetic, see :mod:`pldcheck.pld.gaussian_balls`.

**Laplace.**  :math:`\delta(\epsilon) = 1 - e^{-(\epsilon_0 - \epsilon)/2}` for epsilon up to eps0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import expm1, log1p
from sys import float_info
from typing import Protocol

from .. import pld
from ..core.directed import UNIT, Side, enlarge, float_above, float_below, shrink

# Relative error of a variance in units: sigma^-2 and its multiple by a count are rounded, and so are sums of them.
VARIANCE_UNITS = 8.0


class Curve(Protocol):
    """delta of an epsilon and epsilon of a delta, rounded down and rounded up."""

    def delta(self, epsilon: float) -> tuple[float, float]:
        """Return floats around delta(epsilon)."""
        ...

    def epsilon(self, delta: float) -> tuple[float, float]:
        """Return floats around the smallest epsilon with delta(epsilon) <= delta."""
        ...


@dataclass(frozen=True)
class GaussianCurve:
    """N(variance/2, variance) as a loss; the variance is known to ``VARIANCE_UNITS`` units."""

    variance: float

    def delta(self, epsilon: float) -> tuple[float, float]:
        """Return floats around delta(epsilon), which grows with the variance: each end takes one end of that."""
        slack = VARIANCE_UNITS * UNIT
        balls = pld.gaussian_balls
        low = balls.gaussian_delta(self.variance * (1.0 - slack), epsilon)
        high = balls.gaussian_delta(self.variance * (1.0 + slack), epsilon)
        return max(balls.outward_floats(low)[0], 0.0), min(balls.outward_floats(high)[1], 1.0)

    def epsilon(self, delta: float) -> tuple[float, float]:
        """Return floats around epsilon(delta), at each of which the curve is compared with delta in balls."""
        slack = VARIANCE_UNITS * UNIT
        low = pld.gaussian_balls.crossing(self.variance * (1.0 - slack), delta, side=Side.LOWER)
        return low, pld.gaussian_balls.crossing(self.variance * (1.0 + slack), delta, side=Side.UPPER)


@dataclass(frozen=True)
class LaplaceCurve:
    """The privacy curve of one Laplace step; ``eps0`` is an exact fraction."""

    eps0: Fraction

    def delta(self, epsilon: float) -> tuple[float, float]:
        """Return floats around delta(epsilon).

        The exponent is exact up to one rounding; that rounding and expm1 are within 8 units.
        """
        gap = self.eps0 - Fraction(epsilon)
        if gap <= 0:
            return 0.0, 0.0
        value = -expm1(-_float(gap / 2))
        return shrink(value, 8), min(enlarge(value, 8) + 5e-324, 1.0)

    def epsilon(self, delta: float) -> tuple[float, float]:
        """Return floats around eps0 + 2 log(1 - delta), of which the second term is within 8 units."""
        reduction = -2.0 * log1p(-delta)
        low = self.eps0 - Fraction(enlarge(reduction, 8))
        high = self.eps0 - Fraction(shrink(reduction, 8))
        return float_below(max(low, Fraction(0))), float_above(max(high, Fraction(0)))


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return float_info.max


def floats_around(value: Fraction) -> tuple[float, float]:
    """Return a fraction that is not negative, rounded down and rounded up."""
    return float_below(value), float_above(value)
