r"""Zero-out adjacency behind (eps0, delta0)-DP randomizers: exact, by the number of slots whose output d never gives.

The worst pair of (eps0, delta0)-DP outputs on the record and on the reference, in every slot and both directions, has
the likelihood ratio A = 0, 1/x, x with probabilities :math:`\delta_0`, :math:`(1-\delta_0) x/(1+x)`,
:math:`(1-\delta_0)/(1+x)` under the reference, and says with probability delta0 that the record is there.  With S the
mean of m independent copies of A

.. math:: H_\kappa(P \| Q) = w \delta_0 + E(1 - \kappa + w (S - 1))_+, \quad
          H_\kappa(Q \| P) = E(1 - \kappa + \kappa w (1 - S))_+.

Given that J ~ Bin(m, delta0) of the A are zero, the number of those that are x is binomial.
"""

from __future__ import annotations

from math import exp, expm1, log, sqrt

from ...core.directed import UNIT, enlarge, roundoff, shrink
from ...core.interval import UNDERFLOW
from ...kernels.binomial_tails import log_probability, upper_tail
from ..worst.slot_problem import Slot

# Relative error of n p + beyond, in units: p and its product (7), beyond and its quotient (8), their sum (1).
LINE_ERROR = 16.0
# Number of terms, about 10 ns each, beyond which this method is not used.
MOST_WORK = 1e7
# The J left out weigh less than this, relative to w delta0.
OUTSIDE = 1e-13
# Terms of one tail, in deviations.
_REACH = 10.0

Ends = tuple[float, float]


def window(slot: Slot, delta0: float, epsilon: float) -> tuple[int, int, float] | None:
    """Return a range of values of J, and a bound of the probability outside; None if there are too many values."""
    m, mean = slot.steps, slot.steps * delta0
    share = OUTSIDE * delta0 * exp(-slot.eps0 - epsilon)
    exponent = -log(share) if share > 0.0 else 745.0
    reach = sqrt(2.0 * mean * exponent) + exponent  # Bernstein's inequality
    first, last = max(int(mean - reach), 0), min(int(mean + reach) + 1, m)
    if (last - first + 1.0) * (_REACH * sqrt(m) + 100.0) > MOST_WORK:
        return None
    return first, last, 2.0 * share


def removal(slot: Slot, delta0: float, epsilon: float, zeros_range: tuple[int, int, float]) -> Ends:
    """Return E(1 - kappa + w (S - 1))_+, as ends."""
    m, eps0, w, _ = slot
    x_1, kappa_1 = expm1(eps0), expm1(epsilon)
    gap = -expm1(-eps0) * (x_1 + 2.0)  # x - 1/x
    p, q, odds = 1.0 / (x_1 + 2.0), 1.0 / (1.0 + exp(-eps0)), exp(-eps0)

    def ends_for_zeros(j: int) -> Ends:
        # K of the n = m - j ratios are x: the sum is gap (K - n p) - j - m (kappa - 1)/w.
        beyond = (m * kappa_1 / w + j) / gap
        return _above(m - j, p, q, odds, beyond)

    return _mean_over_zeros(slot, delta0, zeros_range, ends_for_zeros, w * gap, w * x_1)


def addition(slot: Slot, delta0: float, epsilon: float, zeros_range: tuple[int, int, float]) -> Ends:
    """Return E(1 - kappa + kappa w (1 - S))_+, as ends."""
    m, eps0, w, _ = slot
    x_1, kappa_1 = expm1(eps0), expm1(epsilon)
    kappa = 1.0 + kappa_1
    gap = -expm1(-eps0) * (x_1 + 2.0)
    p, q, odds = 1.0 / (1.0 + exp(-eps0)), 1.0 / (x_1 + 2.0), exp(eps0)
    level = m * kappa_1 / (kappa * w)
    # J and the level may cancel.  What that adds weighs no more than the counts beyond the line.
    doubt = roundoff(8, level / gap)

    def ends_for_zeros(j: int) -> Ends:
        # L of the n = m - j ratios are 1/x: the sum is gap (L - n p) + j - m (kappa - 1)/(kappa w).
        beyond = level - j
        if beyond >= 0.0:
            return _above(m - j, p, q, odds, beyond / gap, doubt)
        low, high = _above(m - j, q, p, 1.0 / odds, -beyond / gap)
        return max(low - shrink(beyond / gap, 8) - doubt, 0.0), high - enlarge(beyond / gap, 8) + doubt

    return _mean_over_zeros(slot, delta0, zeros_range, ends_for_zeros, kappa * w * gap, kappa * w)


def _above(n: int, p: float, q: float, odds: float, beyond: float, doubt: float = 0.0) -> Ends:
    """Return E(Bin(n, p) - n p - beyond)_+, beyond >= 0, as ends; ``doubt``: a bound of the error of ``beyond``."""
    if n == 0:
        return 0.0, doubt
    # The line is moved below its computed place: it might be beyond the last count, or pass one, by round-off only.
    tau = shrink(n * p + beyond - doubt, LINE_ERROR)
    tail, excess, relative, remainder = upper_tail(n, p, q, odds, tau)
    relative += roundoff(16)
    moved = (2.0 * LINE_ERROR + 1.0) * UNIT * tau + 2.0 * enlarge(doubt, 8)
    low = excess * (1.0 - relative) - moved * tail * (1.0 + relative)
    return max(low, 0.0), (excess + remainder) * (1.0 + relative)


def _mean_over_zeros(
    slot: Slot, delta0: float, zeros_range: tuple[int, int, float], ends_for_zeros, scale: float, most: float
) -> Ends:
    """Return the mean over J of ``ends_for_zeros``, times scale/m; each term is at most ``most``."""
    first, last, outside = zeros_range
    low = high = 0.0
    for j in range(first, last + 1):
        log_mass, error = log_probability(slot.steps, j, delta0, 1.0 - delta0)
        mass = exp(log_mass)
        if mass == 0.0:
            high += UNDERFLOW * slot.steps
            continue
        error += (4.0 + 2.0 * abs(log_mass)) * UNIT
        at_least, at_most = ends_for_zeros(j)
        low += mass * at_least * (1.0 - error)
        high += mass * at_most * (1.0 + error)
    rounding = (last - first + 16.0) * UNIT
    scale /= slot.steps
    return scale * low * (1.0 - rounding), scale * high * (1.0 + rounding) + most * outside + UNDERFLOW
