r"""Differences that cancel, each computed without cancellation and with a bound of its absolute error.

With x = e^eps0 and kappa = e^epsilon the numerics are full of x - 1, x - kappa, 1 - x kappa, 1 - w + w/x and
p - kappa q.  Formed from rounded exponentials, such a difference is wrong by a unit in the last place of what was
subtracted, which may be any multiple of the result.  Here exponents are subtracted instead: ``eps0 - epsilon`` is
rounded once, relative to itself, and ``expm1`` keeps that.

Every function returns ``Near(value, error)`` with abs(truth - value) <= error, for arguments that are taken as exact.
The errors count roundings in units of 2^-53; those of ``exp`` and ``expm1`` are granted ``FUNCTION`` units each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .directed import UNIT, enlarge

Array = NDArray[np.float64]

# The relative error, in units, of one value of exp, expm1, log or log1p: core/assumed grants each of them 4 units.
FUNCTION = 4.0
# This number is added to every error, since below it products are subnormal and have no bound of relative error.
TINY = 2.0**-1000


class Near(NamedTuple):
    """A value and a bound of its absolute error; both scalars or both arrays of one shape."""

    value: Array
    error: Array

    @property
    def lower(self) -> Array:
        """A lower bound of the truth."""
        return np.nextafter(self.value - self.error, -np.inf)

    @property
    def upper(self) -> Array:
        """An upper bound of the truth."""
        return np.nextafter(self.value + self.error, np.inf)

    def times(self, factor: ArrayLike, units: float | Array = 0.0) -> Near:
        """Return the product with a factor that is itself within ``units`` units, relatively."""
        by = np.asarray(factor, dtype=np.float64)
        value = self.value * by
        # The error of the factor, the rounding of the product, and the roundings of this sum.
        error = np.abs(by) * self.error * (1.0 + (units + 4.0) * UNIT) + np.abs(value) * (units + 2.0) * UNIT + TINY
        return Near(value, error)

    def plus(self, other: Near) -> Near:
        """Return the sum with another number."""
        value = self.value + other.value
        return Near(value, enlarge(self.error + other.error + np.abs(value) * UNIT, 4))


def _relative(value: ArrayLike, units: float) -> Near:
    number = np.asarray(value, dtype=np.float64)
    return Near(number, np.abs(number) * (units * UNIT) + TINY)


def ratio_minus_one(eps0: ArrayLike) -> Near:
    """Return x - 1 with a relative error of a few units (1/x - 1 is ``ratio_minus_one(-eps0)``)."""
    return _relative(np.expm1(eps0), FUNCTION + 1.0)


def ratio_difference(eps0: ArrayLike, epsilon: ArrayLike) -> Near:
    r"""Return x - kappa as :math:`\kappa\,(e^{\epsilon_0 - \epsilon} - 1)`, with a relative error of a few units.

    The rounded exponent t(1 + u) moves expm1(t) relatively by u max(1, t) at most 1 + abs(t).
    """
    exponent = np.subtract(eps0, epsilon)
    # Two functions, one product with a unit to spare, one rounded exponent; the exponent of kappa is exact.
    units = 2.0 * FUNCTION + 2.0 + 1.0 + np.abs(exponent)
    with np.errstate(over="ignore"):
        value = np.exp(epsilon) * np.expm1(exponent)
    return Near(value, np.abs(value) * (units * UNIT) + TINY)


def one_minus_product(eps0: ArrayLike, epsilon: ArrayLike) -> Near:
    """Return 1 - x kappa for eps0 and epsilon of the same sign, with a relative error of a few units."""
    exponent = np.add(eps0, epsilon)
    with np.errstate(over="ignore"):
        value = -np.expm1(exponent)
    return Near(value, np.abs(value) * ((FUNCTION + 2.0 + np.abs(exponent)) * UNIT) + TINY)


def diluted(weight: ArrayLike, eps0: ArrayLike) -> Near:
    """Return 1 - w + w x for a weight in [0, 1]; as no term is negative, the relative error is a few units."""
    w = np.asarray(weight, dtype=np.float64)
    with np.errstate(over="ignore"):
        return _relative((1.0 - w) + w * np.exp(eps0), FUNCTION + 4.0)


def mass_difference(p: ArrayLike, q: ArrayLike, epsilon: ArrayLike, units: ArrayLike = 0.0) -> Near:
    r"""Return p - kappa q as :math:`(p - q) - (\kappa - 1) q`, with an error relative to these two terms.

    ``units`` is the relative error of p and of q, each.  Where they are exact, p - q is charged with its rounding only,
    so that nearly equal masses and a small epsilon leave a small error.
    """
    first, second = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    apart = first - second
    with np.errstate(over="ignore"):
        charge = np.expm1(epsilon) * second
    value = apart - charge
    error = enlarge((np.abs(apart) + (FUNCTION + 3.0) * np.abs(charge) + np.abs(value)) * UNIT, 8)
    if np.any(units):
        error = error + (np.abs(first) + second + np.abs(charge)) * (np.asarray(units) * UNIT)
    return Near(value, error + TINY)
