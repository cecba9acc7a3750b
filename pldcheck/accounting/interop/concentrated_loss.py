r"""The loss of any mechanism that satisfies concentrated differential privacy, from above.

(xi, rho)-zCDP bounds the Renyi divergences of both orders of a pair by :math:`\xi + \rho\alpha` at every
:math:`\alpha > 1`, and then (Canonne, Kamath and Steinke 2020, Proposition 12)

.. math:: \log\delta(\epsilon) \le (\alpha - 1)(\xi + \rho\alpha - \epsilon) + \alpha\log(1 - 1/\alpha)
          - \log(\alpha - 1) .

Every order is sound, so the search for the best one needs no care.  The derivative is :math:`(2\alpha - 1)\rho + \xi -
\epsilon + \log(1 - 1/\alpha)`, which grows with the order.  Of compositions xi and rho add up: they are to be added
before this loss is made, since its own composition is worse.  Nothing is known from below.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, sqrt

import numpy as np

from ...core.directed import SUBNORMAL, enlarge, float_above, roundoff
from ...core.errors import ParameterError
from ...pld import from_curve
from ...pld.distribution import PrivacyLossDistribution
from ...pld.step_losses import Array

# Minus the logarithm of the least delta of the curve, which becomes the probability of an infinite loss.
LAST_EXPONENT = 72.0
# The distance of points of the curve, in epsilon and in log delta.  A line between two at a slope a of log delta and
# the distance h is above the curve by about a (a + 1) h^2/8 of it, which is below 0.3 %.
DISTANCE = 0.1
# The points below xi + rho reach so many times sqrt(2 rho) down.
REACH = 12.0
# The largest xi + rho whose curve has points below the largest epsilon of a curve.
MOST = 100.0
# The largest epsilon of a curve.
LARGEST_EPSILON = 690.0
# Halvings of the search for an order, whose distance to 1 is looked for between e^-45 and e^45.
HALVINGS = 40
SEARCH_RANGE = 45.0


def concentrated_loss(rho: Fraction, xi: Fraction = Fraction(0)) -> PrivacyLossDistribution:
    """Return a loss that dominates every mechanism that is (xi, rho)-zCDP, in both directions.

    Parameters
    ----------
    rho, xi : Fraction
        Not negative, not both 0, and at most 100 in all.

    Raises
    ------
    ParameterError
        If they are larger.

    Examples
    --------
    The Gaussian mechanism with sigma = 1 is 1/2-zCDP.

    >>> from fractions import Fraction
    >>> from pldcheck import pld
    >>> pld.gaussian(1.0).epsilon(1e-6).upper < concentrated_loss(Fraction(1, 2)).epsilon(1e-6).upper
    True

    """
    if rho + xi > MOST:
        raise ParameterError("rho", f"at most {MOST:g} together with xi, in all compositions", float(rho + xi))
    slope, shift = float_above(rho), float_above(xi)
    if slope == 0.0:  # the loss is at most xi
        return from_curve([shift], [0.0], symmetric=True)
    levels = _levels(slope, shift + slope)
    return from_curve(levels, delta_upper(slope, shift, levels), symmetric=True)


def _levels(rho: float, start: float) -> Array:
    """Return the epsilons of points around xi + rho = ``start``, with about exp(-(epsilon - start)^2/(4 rho)) there."""
    width = sqrt(2.0 * rho)
    first = max(start - REACH * width, 0.0)
    below = np.linspace(first, start, ceil((start - first) / (DISTANCE * min(1.0, width))) + 1)
    above = [start]
    while above[-1] < LARGEST_EPSILON and (above[-1] - start) ** 2 < 4.0 * rho * LAST_EXPONENT:
        slope = max((above[-1] - start) / (2.0 * rho), 1.0 / width)
        above.append(above[-1] + DISTANCE * min(1.0, 1.0 / slope))
    return np.concatenate([[0.0] if first > 0.0 else [], below, above[1:]])


def delta_upper(rho: float, xi: float, epsilons: Array) -> Array:
    """Return upper bounds of delta at these epsilons, for rho above 0."""
    low, high = np.full(epsilons.size, -SEARCH_RANGE), np.full(epsilons.size, SEARCH_RANGE)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        distance = np.exp(middle)
        slopes = (2.0 * distance + 1.0) * rho + xi - epsilons - np.log1p(1.0 / distance)
        low, high = np.where(slopes < 0.0, middle, low), np.where(slopes < 0.0, high, middle)
    # The order is 1 + distance, for a float distance that counts as exact; log(1 - 1/order) = -log1p(1/distance).
    distance = np.exp(low)
    gain = distance * (xi + rho * (1.0 + distance) - epsilons)
    size = distance * (xi + rho * (1.0 + distance) + epsilons)
    cost, log_distance = (1.0 + distance) * np.log1p(1.0 / distance), np.log(distance)
    exponent = gain - cost - log_distance + roundoff(16, size + cost + np.abs(log_distance))
    # An exponential that underflows is no bound: the least double is lost in units of delta.
    bounds = enlarge(np.exp(np.minimum(exponent, 0.0)), 8) + SUBNORMAL
    return np.where(exponent < 0.0, np.minimum(bounds, 1.0), 1.0)
