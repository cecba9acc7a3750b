r"""Privacy loss distributions of the exponential mechanism and of permute-and-flip, known from both sides.

**Exponential mechanism.**  Its loss lies in an interval of length epsilon (bounded range, Durfee and Rogers 2019).  Of
such pairs the worst ones at a given level have two outputs of losses t and t - epsilon, of probabilities p and 1 - p,
with :math:`p = (e^\epsilon - e^t)/(e^\epsilon - 1)` (Dong, Durfee and Rogers 2020).  For :math:`1 \le \kappa \le
e^\epsilon` the curve of that pair is :math:`p (1 - \kappa e^{-t})`, which is largest at :math:`e^t =
\sqrt{\kappa e^\epsilon}`:

.. math:: \delta(\log\kappa) = \frac{(e^{\epsilon/2} - \sqrt\kappa)^2}{e^\epsilon - 1} .

Both orders of a pair have bounded range, so this curve holds for either, and with it at :math:`\kappa < 1`.  As it
bounds the curve of every step whatever the earlier outputs were, its loss composes, adaptively as well.  From below,
two candidates whose scores change by the sensitivity in opposite directions give randomized response with epsilon/2.

**Permute-and-flip** is epsilon-DP (McKenna and Sheldon 2020), so that randomized response with epsilon dominates it.
From below, let the better one of two candidates be ahead by the sensitivity: the other one is returned with probability
:math:`h = e^{-\epsilon/2}/2`.  If the scores change so that the other one is ahead as much, the pair is that of
randomized response with :math:`\log((1 - h)/h) = \log(2 e^{\epsilon/2} - 1)`.
"""

from __future__ import annotations

from math import expm1, log1p

import numpy as np

from ...core.directed import enlarge, shrink
from ...pld import from_curve, randomized_response, subsampled_randomized_response
from ...pld.distribution import PrivacyLossDistribution
from ...pld.loss_sides import Attained, Dominating, between

# Points of the curve of the exponential mechanism that are joined by lines: delta is too large by 1e-6 at most.
POINTS = 512
# Roundings of the closed curve for epsilon up to 40: 4 of exp; twice 4 of expm1 and the 21 that one of its argument
# becomes; a product, and 4 of the denominator and one of the quotient.
CURVE_UNITS = 96.0
# Roundings of the smaller budget of permute-and-flip: expm1, its double, log1p.
BUDGET_UNITS = 16.0


def exponential_mechanism(epsilon: float) -> PrivacyLossDistribution:
    """Return the loss of the exponential mechanism, from above by bounded range and from below by two candidates.

    Examples
    --------
    >>> print(exponential_mechanism(1.0).compose(10).epsilon(1e-6))
    epsilon in [...]

    """
    levels = np.linspace(0.0, epsilon, POINTS)
    # (e^(epsilon/2) - e^(level/2))^2, without a difference of large numbers
    deltas = np.exp(levels) * np.expm1(0.5 * (epsilon - levels)) ** 2 / expm1(epsilon)
    upper = from_curve(levels, np.minimum(enlarge(deltas, CURVE_UNITS), 1.0), symmetric=True)
    lower = randomized_response(0.5 * epsilon)
    return between(Attained(lower), Dominating(upper), f"exponential mechanism ({epsilon:g})")


def sampled_exponential_mechanism(epsilon: float, rate: float) -> PrivacyLossDistribution:
    """Return the loss of the exponential mechanism on a Poisson sample, from above as of any epsilon-DP mechanism."""
    less, more = (subsampled_randomized_response(budget, rate) for budget in (0.5 * epsilon, epsilon))
    return between(Attained(less), Dominating(more))


def permute_and_flip(epsilon: float) -> PrivacyLossDistribution:
    """Return the loss of permute-and-flip, from above that of any epsilon-DP mechanism."""
    upper, lower = randomized_response(epsilon), randomized_response(_attained_budget(epsilon))
    return between(Attained(lower), Dominating(upper), f"permute-and-flip ({epsilon:g})")


def sampled_permute_and_flip(epsilon: float, rate: float) -> PrivacyLossDistribution:
    """Return the loss of permute-and-flip on a Poisson sample."""
    less, more = (subsampled_randomized_response(one, rate) for one in (_attained_budget(epsilon), epsilon))
    return between(Attained(less), Dominating(more))


def _attained_budget(epsilon: float) -> float:
    """Return a lower bound of log(2 e^(epsilon/2) - 1)."""
    return shrink(log1p(2.0 * expm1(0.5 * epsilon)), BUDGET_UNITS)
