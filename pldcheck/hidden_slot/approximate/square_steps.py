r"""Steps of (eps0, delta0)-DP randomizers whose outputs on d and d' are each compared with those on g alone.

At a slot let :math:`\mu, \nu, \nu'` be the output laws on g, d and d', a and a' the densities of the parts of
:math:`\nu` and :math:`\nu'` that :math:`\mu` has, s the mass of :math:`\nu` that it has not, :math:`c = w/m`.  Such
mass lies where :math:`\mu` never goes, hence apart from that of all other slots, so that

.. math:: \delta(\epsilon) \le E_{Q_0}\Big[\Big(1 - \kappa + c \sum_i ((a_i - 1) - \kappa (a'_i - 1))\Big)_+
          + c \sum_i s_i\Big], \quad \kappa = e^\epsilon.

**The law.**  Let A be 0, 1/x, x with probabilities :math:`\delta_0`, :math:`(1-\delta_0) x/(1+x)`,
:math:`(1-\delta_0)/(1+x)`, which is dnu/dmu of the pair that dominates every (eps0, delta0)-DP pair in all hockey-stick
divergences (Kairouz, Oh, Viswanath 2017, Theorem 3.3), and A' another such variable, the smaller the larger A is.  Then
the right side is at most

.. math:: w \delta_0 + E\Big(1 - \kappa + c \sum_i ((A_i - 1) - \kappa (A'_i - 1))\Big)_+, \quad (A_i, A'_i)
          \text{ independent copies of } (A, A').

*Proof.*  For reals t = r + v, :math:`(a - \kappa a' - t)_+ \le (a - r)_+ + (-\kappa a' - v)_+`, so
:math:`E(a - \kappa a' - t)_+ + s` is at most :math:`[E(a - r)_+ + s] + \kappa E(-v/\kappa - a')_+`.  These are
hockey-stick divergences of :math:`(\nu, \mu)` and of :math:`(\mu, \nu')` (for negative r and -v they are linear), and
no larger than those of the dominating pair.  A and -A' rise together, so for them some r makes the first inequality an
equality at every outcome.  Hence :math:`E(a - \kappa a' - t)_+ + s \le E(A - \kappa A' - t)_+ + \delta_0` for every t,
given any past.  What later slots make of the sum so far is a mixture of functions :math:`(\cdot - t)_+`: replace the
steps from the last to the first.

(a, a') lies in the square of side [1/x, x] for delta0 = 0: the relation between nu and nu' is not used.  In
return only w delta0 is paid.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.directed import UNIT
from ..worst.slot_problem import Slot

Array = NDArray[np.float64]

# Where atoms differ by less than this, relatively, their masses are not accurate.
LEAST_DISTANCE = 1e-6
# Relative error of masses and, to the largest of them, of gains; more where masses are differences.
ROUNDING = 32 * UNIT


def pair(eps0: float, delta0: float) -> tuple[Array, Array]:
    """Return the values a - 1 and their probabilities, for A = 0, 1/x, x."""
    x = float(np.exp(eps0))
    values = np.array([-1.0, float(np.expm1(-eps0)), float(np.expm1(eps0))])
    return values, np.array([delta0, (1.0 - delta0) * x / (1.0 + x), (1.0 - delta0) / (1.0 + x)])


def square(eps0: float, delta0: float) -> tuple[Array, Array, Array] | None:
    """Return A - 1, A' - 1 and their joint probabilities.

    It returns None where delta0 is not well apart from P(A = x) or is above 1/2.
    """
    (zero, low, high), (p, r, q) = pair(eps0, delta0)
    if abs(p - q) <= LEAST_DISTANCE * q or p >= 0.5 * (1.0 - LEAST_DISTANCE):
        return None
    if p < q:
        middle = p + q * high  # this is r + p - q
        rows = [(zero, high, p), (low, high, q - p), (low, low, middle), (high, low, q - p), (high, zero, p)]
    else:
        rows = [(zero, high, q), (zero, low, p - q), (low, low, 1.0 - 2.0 * p), (low, zero, p - q), (high, zero, q)]
    first, second, masses = (np.array(column) for column in zip(*rows, strict=True))
    return first, second, masses


def gains(slot: Slot, epsilon: float, first: Array, second: Array) -> Array:
    """Return the amount that a step adds to m times the sum, with its share of 1 - kappa: the sum is their mean."""
    kappa_1 = float(np.expm1(epsilon))
    # (A - 1) - kappa (A' - 1), so that nothing cancels where A = A'.
    return -kappa_1 + slot.weight * ((first - second) - kappa_1 * second)
