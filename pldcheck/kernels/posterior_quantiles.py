r"""Quantiles of the posterior of the next slot, given all outputs so far: counts of outputs and their tails.

After n outputs with likelihood ratios x (C of them), 1 (E) and 1/x (the rest), K = C + E, and U = C + K/x,

.. math:: 1/(m q) = base + slope \cdot U, \quad base = 1 - n w (1 - 1/x)/m, \quad slope = w (x-1)/m,

which is also dP/dQ0 of these outputs.  All terms are positive: large q is small U.  Quantiles are searched in U, from
upper bounds of P(U < u), and are never too large.
"""

import math

import numpy as np

from ..core.directed import UNIT, roundoff
from ._jit import kernel
from .binomial_tails import log_pmf

# Counts outside the window have less than e^-RARE_EXPONENT of the requested tail, on either side.
RARE_EXPONENT = 45.0
# Probabilities below e^FLOOR are left out, since ratios of numbers that underflowed are worthless.
FLOOR = -650.0
# The sum of all probabilities that are left out (at most 10^9 of 10^9 terms) is smaller than this.
TINY = 1e-250
# The search for a quantile of the three-symbol law ends at this part of a standard deviation.
QUANTILE_PRECISION = 1e-9
# The search for a quantile of the three-symbol law ends at this part of 1/(m q).
POSTERIOR_PRECISION = 1e-10
# A step of a binomial probability by a ratio: two quotients, two products, one sum, p and q of 2 units each (9 in all).
RATIO = roundoff(12)
# A probability with its weight: at most 16 roundings of products and weights, twice.
WEIGHT_ERROR = roundoff(32)
# A U whose relative distance is at most this is taken to be the same: its sum and product round, as those of u do.
SAME = roundoff(16)
# A step of the inner tail to one trial fewer: one quotient, one product, one sum (3 in all).
FEWER_TRIALS = roundoff(8)
# A step of the inner tail by a term: one quotient, one product, one sum (3 in all).
ONE_TERM = roundoff(5)
# The mean of C on the tail, in units of K: two products and a difference (3 in all).
MOMENT = roundoff(4)


@kernel
def window(n, p, q, exponent):
    """Return (low, high) such that Bin(n, p) is outside with probability at most e^-exponent on either side.

    This is Bernstein's inequality: t = sqrt(2 v L) + 2 L/3 satisfies t^2 >= 2 L (v + t/3), v = n p q.
    """
    reach = math.sqrt(2.0 * exponent * n * p * q) + 2.0 * exponent / 3.0 + 1.0
    return max(0, int(n * p - reach)), min(n, int(n * p + reach) + 1)


@kernel
def two_point_quantiles(n, p, q, unit, base, slope, tails):
    """Return the largest counts k with P(N < k) <= tail, rounded down, N ~ Bin(n, p) under Q0 and reweighted under P.

    The density is dP/dQ0 = base + slope * unit * N, and p <= 1/2.  ``tails`` is float64[t], increasing; the answer is
    int64[2, t], Q0 before P.
    """
    counts = np.empty((2, tails.size), np.int64)
    first, last = window(n, p, q, RARE_EXPONENT - math.log(tails[0]))
    # Within the window the pmf of a count is far from underflow: at least about e^-400 on this side, as p <= 1/2.
    log_term, log_error = log_pmf(n, first, p, q)
    for measure in range(2):
        k = first
        term = math.exp(log_term)
        error = log_error + (4 + 2 * abs(log_term)) * UNIT
        below = tails[0] * math.exp(-RARE_EXPONENT) * (base + slope * unit * first if measure else 1.0)
        for j in range(tails.size):
            while k < last:
                ahead = below + term * (base + slope * unit * k if measure else 1.0)
                if ahead * (1.0 + 2.0 * error + WEIGHT_ERROR) > tails[j]:
                    break
                below = ahead
                term *= (n - k) / (k + 1.0) * (p / q)
                error += RATIO
                k += 1
            counts[measure, j] = k
    return counts


@kernel
def _lower_tail(trials, start):
    """Return (pmf, P(C <= start) or a little more, relative error) for C ~ Bin(trials, 1/2), 0 <= start < trials."""
    log_term, log_error = log_pmf(trials, start, 0.5, 0.5)
    first = math.exp(log_term)
    term = first
    total = first
    j = start
    while j > 0:
        ratio = j / (trials - j + 1.0)
        rest = term * ratio / (1.0 - ratio) if ratio < 1.0 else math.inf  # geometric series: ratios fall with j
        if rest < 2.0**-60 * total:
            total += rest
            break
        term *= ratio
        total += term
        j -= 1
    return first, total, log_error + (4 + 2 * abs(log_term) + 6.0 * (start - j)) * UNIT


@kernel
def three_point_tails(n, p, q, inverse, base, slope, u, first, last):
    r"""Return upper bounds of Q0(U < u) and P(U < u) over ``first`` <= K <= ``last``, for the three-symbol law.

    K ~ Bin(n, p) and C given K ~ Bin(K, 1/2) under Q0; U = C + ``inverse`` K, and :math:`dP/dQ_0 = base + slope\, U`.
    As K decreases, the room for C grows and its trials fall: O(1) positive terms update P(C <= c).  The mean is
    E(C; C <= c) = K/2 P(C <= c) - (K - c)/2 P(C = c).
    """
    # An atom whose U equals u up to round-off counts as below.
    place = u + SAME * u
    reference = 0.0
    record = 0.0
    outer = outer_error = 0.0
    f = tail = error = 0.0
    c = -1  # no tail has been computed yet
    full = False
    for k in range(last, first - 1, -1):
        if outer > 0.0:
            outer *= (k + 1.0) / (n - k) * (q / p)
            outer_error += RATIO
        else:
            log_outer, log_error = log_pmf(n, k, p, q)
            if log_outer < FLOOR:
                continue
            outer = math.exp(log_outer)
            outer_error = log_error + (4 + 2 * abs(log_outer)) * UNIT
        room = place - k * inverse
        if room < 0.0:
            continue
        target = int(min(room, float(k)))
        if target >= k:
            full = True
        if not full and c >= 0:
            f *= 2.0 * (k + 1.0 - c) / (k + 1.0)
            tail += 0.5 * f
            error += FEWER_TRIALS
            while c < target:
                c += 1
                f *= (k - c + 1.0) / c
                tail += f
                error += ONE_TERM
        elif not full:
            if log_pmf(k, target, 0.5, 0.5)[0] >= FLOOR:
                f, tail, error = _lower_tail(k, target)
                c = target
            elif 2 * target > k:
                full = True
            else:
                continue
        mass = 1.0 if full else min(1.0, tail * (1.0 + 2.0 * error))
        moment = 0.5 * k
        if not full:
            moment = min(c * mass, 0.5 * k * mass - 0.5 * (k - c) * f * (1.0 - 2.0 * error) + MOMENT * k * mass)
        weight = outer * (1.0 + 2.0 * outer_error + WEIGHT_ERROR)
        reference += weight * mass
        record += weight * ((base + slope * k * inverse) * mass + slope * moment)
    doubt = 1.0 + 2.0 * (last - first + 8.0) * UNIT
    return reference * doubt + TINY, record * doubt + TINY * (base + slope * u)


@kernel
def three_point_quantile(n, p, q, inverse, base, slope, tail, measure):
    """Return a u with P(U < u) <= tail, close to the largest and never above it; ``measure`` 0 is Q0, 1 is P.

    Each halving takes O(sqrt(n)) operations.
    """
    first, last = window(n, p, q, RARE_EXPONENT - math.log(tail))
    remainder = 2.0 * tail * math.exp(-RARE_EXPONENT)
    near = QUANTILE_PRECISION * (1.0 + math.sqrt(n * p * q))
    low, high = 0.0, n * (1.0 + inverse)
    while high - low > near or slope * (high - low) > POSTERIOR_PRECISION * (base + slope * low):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        reference, record = three_point_tails(n, p, q, inverse, base, slope, middle, first, last)
        if measure == 0:
            below = reference + remainder
        else:
            below = record + remainder * (base + slope * middle)  # the density is no larger where U < middle
        if below <= tail:
            low = middle
        else:
            high = middle
    return low
