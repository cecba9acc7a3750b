"""The delta that follows from a Rényi divergence, at the best of the orders that are known."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal, localcontext
from math import exp, log1p

# Decimal digits, so that no sum of moments is rounded where a double would show it.
DIGITS = Context(prec=30)
# The largest order that is tried, as accountants do.
MOST_ORDER = 64
# The range of log(order - 1) in which the best real order is looked for.
LOG_RANGE = 700.0
# So many halvings of that range leave a part that rounding hides.
HALVINGS = 64


def least_delta(moments: Mapping[int, Decimal], epsilon: float) -> float:
    r"""Return the least :math:`M_\alpha e^{-(\alpha-1)\epsilon} (1-1/\alpha)^\alpha / (\alpha-1)`, at most 1.

    :math:`M_\alpha = e^{(\alpha-1) D_\alpha}` is the moment of the likelihood ratio.
    """
    with localcontext(DIGITS):
        values = [
            moment * (-(alpha - 1) * Decimal(epsilon)).exp() * (1 - 1 / Decimal(alpha)) ** alpha / (alpha - 1)
            for alpha, moment in moments.items()
        ]
    return float(min(*values, Decimal(1)))


def linear_delta(rho: float, shift: float, epsilon: float) -> float:
    r"""Return the delta at the best real order of a divergence :math:`\alpha\rho + s`, at most 1.

    The logarithm of the bound is convex in the order; with :math:`b = \alpha-1` its derivative is
    :math:`(2b+1)\rho + s - \epsilon - \log(1+1/b)`, whose zero is bisected in log b.
    """
    low, high = -LOG_RANGE, LOG_RANGE
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        b = exp(middle)
        if (2 * b + 1) * rho + shift - epsilon - log1p(1 / b) < 0:
            low = middle
        else:
            high = middle
    b = exp(high)
    return min(1.0, exp(min(0.0, b * ((1 + b) * rho + shift - epsilon - log1p(1 / b)) - log1p(b))))
