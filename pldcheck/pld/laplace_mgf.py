r"""The moment generating function of one Laplace loss, e = eps0, with bounds of its errors.

.. math:: M(z) = \tfrac12 e^{ez} + \tfrac12 e^{-e(1 + z)} + \tfrac14 \int_{-e}^e e^{tz - (e - t)/2} dt
          = e^{-e/2} \Big(\cosh(ey) + \frac{\sinh(ey)}{2y}\Big), \quad y = z + \tfrac12, \Re z \ge 0.

Three forms, each where it loses nothing:

* |ey| < 1: M - 1 as a series in :math:`a^2 - b^2 = e^2 z(z + 1)`, a = ey, b = e/2;
* M near 1: M - 1 from exponentials less 1, :math:`\tfrac12 (r + sd + (r - 2z - s(d - 2z))/(1 + 2z))` with
  :math:`r = e^{ez} - 1, d = e^{-ez} - 1, s = e^{-e}`;
* else :math:`M = e^{ez} g`, :math:`g = \tfrac12 (1 + E) + (1 - E)/(4y)`, :math:`E = e^{-2ey}`.

Errors are counted in units of 2^-53, from absolute ones of what is summed: near zeros of M, and where its atoms
are in step again (es a multiple of 2 pi), the log is known to what that leaves.  ``e`` itself may be off by one unit.
Granted are 4 units to exp, expm1, log and atan2 of a real number, 6 to a complex product or quotient.
"""

from __future__ import annotations

from math import tanh

import numpy as np

from ..core.directed import UNIT, roundoff
from .step_losses import Array

# |ey| below which M - 1 is summed as a series.
SERIES = 1.0
# M - 1 in modulus, below which log M is formed from it.
NEAR_ONE = 0.5
# Relative error of the series in units.  Its factor e^(-e/2) e^2 z(z + 1), with e off by a unit: 4 + 1 for the
# exponential, 3 for the square, 14 for two complex products and z + 1.  The sums over j of
# ((a^2j - b^2j)/(a^2 - b^2))/(2j)! have terms of at most j/(2j)! (in all 0.59), to which each recursion adds 12 units:
# 12 (0.5 + 4/24 + 9/720 + ...) = 9 in the first and less in the second; the modulus of both together is at least 0.38,
# so 24, and 12 more for the sums.
SERIES_UNITS = 64.0


def laplace_ratio(eps0: float, theta: float, frequencies: Array) -> tuple[np.ndarray, Array]:
    """Return log M(theta + is) - log M(theta), and its error exponent e.

    The true ratio is within exp(Re) (exp(e) - 1) of the computed one.
    """
    s = np.asarray(frequencies, dtype=np.float64)
    rest, far, doubt = _log_parts(eps0, theta + 1j * s)
    base, base_far, base_doubt = _log_parts(eps0, np.array([complex(theta)]))
    if base_far[0]:  # e theta cancels where both have it
        linear = np.where(far, 1j * eps0 * s, -eps0 * theta)
    else:
        linear = np.where(far, eps0 * (theta + 1j * s), 0.0)
    change = linear + (rest - base[0])
    # The units are those of e, of its product, and of the sum.
    error = doubt + base_doubt[0] + UNIT * (4.0 * np.abs(linear) + 2.0 * np.abs(rest - base[0]))
    still = s == 0.0
    return np.where(still, 0.0, change), np.where(still, 0.0, error)


def laplace_cumulant(eps0: float, theta: float) -> tuple[float, float]:
    """Return log M(theta) and its absolute error, theta >= 0."""
    rest, far, doubt = _log_parts(eps0, np.array([complex(theta)]))
    linear = eps0 * theta if far[0] else 0.0
    value = linear + float(rest[0].real)
    return value, float(doubt[0]) + UNIT * (4.0 * abs(linear) + 2.0 * abs(value))


def _log_parts(eps0: float, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, Array]:
    """Return log M(z), without ez where the second array says so, and e as in :func:`laplace_ratio`."""
    y = z + 0.5
    series = np.abs(eps0 * y) < SERIES
    if series.all():
        change, error = _series(eps0, z, y)
        value, doubt = _log1p(change, error)
        return value, np.zeros(z.shape, dtype=bool), doubt
    with np.errstate(all="ignore"):  # each form is taken where it is finite
        small, small_error = _near_form(eps0, z)
        if series.any():
            series_value, series_error = _series(eps0, z, y)
            small, small_error = np.where(series, series_value, small), np.where(series, series_error, small_error)
        near = series | (np.abs(small) < NEAR_ONE)
        value, doubt = _log1p(np.where(near, small, 0.0), np.where(near, small_error, 0.0))
        at_far, far_doubt = _far_form(eps0, y)
    return np.where(near, value, at_far), ~near, np.where(near, doubt, far_doubt)


def _far_form(eps0: float, y: np.ndarray) -> tuple[np.ndarray, Array]:
    """Return log g and its error."""
    fall = np.exp(-2.0 * eps0 * y)
    quotient = 0.25 * (1.0 - fall) / y
    g = 0.5 * (1.0 + fall) + quotient
    # Error of E: 8 units for exp, and 3 of its exponent in e, y and their product.  Error of g: that of E in both
    # terms, of 1 +- E, of the quotient and of the sum.
    fall_error = np.abs(fall) * (8.0 + 6.0 * np.abs(eps0 * y))
    error = fall_error * (0.5 + 0.25 / np.abs(y)) + 2.0 * (1.0 + np.abs(fall)) + 12.0 * np.abs(quotient)
    value = np.log(g)
    return value, np.log1p(UNIT * error / np.abs(g)) + UNIT * (4.0 + 8.0 * np.abs(value))


def _near_form(eps0: float, z: np.ndarray) -> tuple[np.ndarray, Array]:
    """Return M - 1 and its absolute error."""
    ez = eps0 * z
    rise, down, share = np.expm1(ez), np.expm1(-ez), np.exp(-eps0)
    up, back = rise - 2.0 * z, down - 2.0 * z
    inner = up - share * back
    quotient = inner / (1.0 + 2.0 * z)
    value = 0.5 * (rise + share * down + quotient)
    r, d, t = np.abs(rise), np.abs(down), np.abs(ez)
    # expm1 of a + ib is e^a - 1 times cos b less 2 sin^2(b/2), and e^a sin b: each term is at most r (for -ez: d or r),
    # within 8 units; and the argument is off by 2, which counts by its exponential.
    of_rise = 24.0 * r + 2.0 * t * (1.0 + r)
    of_down = 16.0 * d + 8.0 * r + 2.0 * t * (1.0 + d)
    # The share: 4, e, and its product.
    share_error = 6.0 + eps0
    of_inner = of_rise + np.abs(up) + share * (of_down + (1.0 + share_error) * np.abs(back)) + np.abs(inner)
    error = of_rise + share * (of_down + share_error * d) + of_inner / np.abs(1.0 + 2.0 * z)
    error += 8.0 * np.abs(quotient) + 2.0 * (r + share * d)
    return value, roundoff(0.5, error)


def _series(eps0: float, z: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Array]:
    """Return M - 1 from cosh a - cosh b and sinh(a)/a - sinh(b)/b, a = ey, b = e/2, and its absolute error."""
    square, half = (eps0 * y) ** 2, (0.5 * eps0) ** 2
    in_cosh, in_sinh = np.zeros_like(y), np.zeros_like(y)
    ratio, power, factor = np.ones_like(y), 1.0, 1.0  # ratio = (a^2j - b^2j) / (a^2 - b^2)
    for j in range(1, 13):
        factor /= (2 * j - 1) * (2 * j)
        in_cosh += ratio * factor
        in_sinh += ratio * factor / (2 * j + 1)
        power *= half
        ratio = ratio * square + power
    value = np.exp(-0.5 * eps0) * eps0 * eps0 * z * (z + 1.0) * (in_cosh + 0.5 * eps0 * in_sinh)
    return value, SERIES_UNITS * UNIT * np.abs(value)


def _log1p(w: np.ndarray, error: Array) -> tuple[np.ndarray, Array]:
    """Return log(1 + w), w with an absolute error; numpy's complex log1p loses the real part of a small w."""
    a, b = w.real, w.imag
    square = 2.0 * a + a * a + b * b
    value = 0.5 * np.log1p(square) + 1j * np.arctan2(b, 1.0 + a)
    modulus = 1.0 + square
    # 2a + a^2 + b^2 is summed from terms of both signs.
    sum_error = 2.0 * (2.0 * np.abs(a) + a * a + b * b) / modulus
    return value, np.log1p(error / np.sqrt(modulus)) + UNIT * (sum_error + 6.0 * np.abs(value))


def laplace_moments(eps0: float, theta: float) -> tuple[float, float]:
    """Return the approximate mean and variance of the tilted loss, which only steer the search."""
    y = theta + 0.5
    t = tanh(eps0 * y)  # M, M' and M'' over exp(-e/2) cosh(ey)
    zeroth, first = 1.0 + 0.5 * t / y, eps0 * t + 0.5 * eps0 / y - 0.5 * t / y**2
    second = eps0**2 * zeroth - eps0 / y**2 + t / y**3
    mean = first / zeroth
    return mean, max(second / zeroth - mean * mean, 1e-300)
