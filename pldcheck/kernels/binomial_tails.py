"""Binomial probabilities and stop-loss sums with a priori error bounds, at any number of trials up to 10^12."""

import math

import numpy as np

from ..core.directed import UNIT
from ._jit import kernel

# A lower bound leaves out what is beyond terms so small, relatively.
NEGLIGIBLE = 2.0**-30
# Chords with |log rho| count below this are flat: their moment cancels down to |log rho| count/2 >= FLAT/2 of its
# terms, which carry 12 units each.
FLAT = 1e-6
# What the geometric sums of chords lose, relatively: 24 UNIT/FLAT = 2.7e-9; a sum of 10^5 parts 1.2e-11.  Held
# against balls in tests/ledger/test_ledger_chords.py.
CHORDS = 1e-8
# Terms below this are not summed: they are subnormal soon, and their relative error is unbounded then.
LEAST_TERM = 1e-305

# log(n!) - log(sqrt(2 pi n) (n/e)^n) for n = 0..15 (n = 0 is never used).  Source, mpmath at 40 digits:
# [mp.loggamma(n + 1) - (n + mpf(1)/2) * mp.log(n) + n - mp.log(2 * mp.pi) / 2 for n in range(1, 16)]
_STIRLING = np.array(
    [
        0.0,
        0.08106146679532726,
        0.0413406959554093,
        0.02767792568499834,
        0.020790672103765093,
        0.016644691189821193,
        0.013876128823070748,
        0.01189670994589177,
        0.010411265261972096,
        0.009255462182712733,
        0.00833056343336287,
        0.007573675487951841,
        0.00694284010720953,
        0.006408994188004207,
        0.0059513701127588475,
        0.005554733551962801,
    ]
)


@kernel
def stirling_error(n):
    """Return log(n!) minus Stirling's leading terms; absolute error below 2 UNIT for n >= 1."""
    if n < 16:
        return _STIRLING[int(n)]
    square = n * n
    # Alternating series: the error is below the first omitted term, 691/(360360 n^11) = 1.1e-16 at n = 16.
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / (1188 * square)) / square) / square) / square) / n


@kernel
def deviance(x, mean, doubt=4.0):
    """Return X log(x/mean) + mean - x >= 0, for x, mean > 0, and a bound on its absolute error.

    Loader (2000), "Fast and accurate computation of binomial probabilities", section 3.  ``mean`` may itself carry a
    relative error of ``doubt`` UNIT: the derivative in ``mean`` is (mean - x)/mean.
    """
    difference = x - mean
    inherited = doubt * UNIT * abs(difference)
    if abs(difference) < 0.1 * (x + mean):
        v = difference / (x + mean)
        total = difference * v
        term = 2 * x * v
        square = v * v
        for j in range(1, 1000):
            term *= square
            new = total + term / (2 * j + 1)
            if new == total:
                break
            total = new
        return total, 16 * UNIT * total + inherited
    log_ratio = math.log(x / mean)
    return x * log_ratio + mean - x, 4 * UNIT * (x * abs(log_ratio) + mean + x) + inherited


@kernel
def log_pmf(n, k, p, q):
    """Return log P(Bin(n, p) = k), q = 1 - p given separately, and a bound on its absolute error.

    ``p`` and ``q`` may carry relative errors of 2 UNIT each; a fair coin's are exact.
    """
    if k < 0 or k > n:  # the table of Stirling errors is indexed unchecked
        return -math.inf, 0.0
    doubt = 0.0 if p == 0.5 and q == 0.5 else 4.0
    if k == 0:
        value = n * math.log(q) if q < 0.5 else n * math.log1p(-p)
        return value, 8 * UNIT * (abs(value) + n * p) + UNIT
    if k == n:
        value = n * math.log(p) if p < 0.5 else n * math.log1p(-q)
        return value, 8 * UNIT * (abs(value) + n * q) + UNIT
    first, first_error = deviance(float(k), n * p, doubt)
    second, second_error = deviance(float(n - k), n * q, doubt)
    shape = stirling_error(float(n)) - stirling_error(float(k)) - stirling_error(float(n - k))
    spread = 0.5 * math.log(2 * math.pi * k * ((n - k) / n))
    value = shape - first - second - spread
    return value, first_error + second_error + UNIT * (abs(value) + 4 * abs(spread) + 20)


@kernel
def _beyond(term, ratio, away):
    """Upper bound of sum_i term ratio^i (away + i), away >= 0: what a tail and its excess lose with these terms, both.

    The excess of a first term on the line itself is 0, and its tail is not: no weight below 1 is taken.
    """
    ratio *= 1.0 + 16 * UNIT  # n - j, j + 1 and two quotients round, and odds has 4: 8 in all, of which 1 - ratio asks
    if ratio >= 1.0:
        return math.inf
    ahead = 1.0 / (1.0 - ratio)
    return term * ahead * (max(away, 1.0) + ratio * ahead) * (1.0 + 16 * UNIT)


@kernel
def upper_tail(n, p, q, odds, tau):
    """(P(X >= tau), E(X - tau)_+, relative error, omitted part of either of them) for X ~ Bin(n, p), tau >= n p.

    Terms are positive and summed upwards from ceil(tau) until what remains is below 2^-60 of the sum; the remainder
    is bounded by a geometric series; what is left out from the first term below LEAST_TERM on, too.  ``odds`` = p/q.
    The truth of each is between (1 - error) times what is summed and (1 + error) times it, and omitted.
    O(sqrt(n)) terms.
    """
    if tau > n:
        return 0.0, 0.0, 0.0, 0.0
    j = int(math.ceil(tau))
    log_term, log_error = log_pmf(n, j, p, q)
    if log_term < math.log(LEAST_TERM):  # a subnormal term would be multiplied by ratios in vain
        # Its log may be larger by its error, and the two logs are rounded at 702.3: 2^-43 a unit.
        most = LEAST_TERM * math.exp(log_error + 2.0**-40)
        return 0.0, 0.0, 0.0, _beyond(most, (n - j) / (j + 1.0) * odds, j - tau)
    # exp: 2 UNIT; each ratio: 4 roundings and the error of odds; each addition: 1.
    relative = log_error + (2 + 2 * abs(log_term)) * UNIT
    term = math.exp(log_term)
    tail = term
    excess = term * (j - tau)
    omitted = 0.0
    count = 0
    while j < n:
        ratio = (n - j) / (j + 1.0) * odds
        ahead = term * ratio / (1.0 - ratio) if ratio < 1.0 else math.inf
        omitted = ahead * (j - tau + 1.0 / (1.0 - ratio)) if ratio < 1.0 else math.inf
        if omitted < 2.0**-60 * excess and ahead < 2.0**-60 * tail:
            omitted = _beyond(term * ratio, ratio, j + 1 - tau)
            break
        omitted = 0.0
        j += 1
        term *= ratio
        count += 1
        if term < LEAST_TERM:  # it may be subnormal, or nothing: it is below LEAST_TERM but for its error
            omitted = _beyond(LEAST_TERM, (n - j) / (j + 1.0) * odds, j - tau)
            break
        tail += term
        excess += term * (j - tau)
    relative += 9.0 * count * UNIT
    return tail, excess, relative, omitted * (1.0 + 2.0 * relative)


@kernel
def _geometric(first, ratio_log, count):
    """(sum of first rho^k, sum of k first rho^k) over k < count, rho = exp(ratio_log), or a little less."""
    if abs(ratio_log) * count < FLAT:  # the closed form would cancel
        least = first * math.exp(min(ratio_log * count, 0.0))
        return least * count, least * 0.5 * count * (count - 1.0)
    rho, power = math.exp(ratio_log), math.exp(ratio_log * count)
    below = -math.expm1(ratio_log)
    total = -math.expm1(ratio_log * count) / below
    return first * total, first * (rho * total - count * power) / below


@kernel
def blocks_lower(n, start, size, count, p, q):
    """Lower bound of P(start <= Bin(n, p) < start + count size): the log-concave pmf lies above its chords in logs.

    A chord for each block of ``size``; start + count size <= n.
    """
    here, error = log_pmf(n, start, p, q)
    total = 0.0
    for block in range(1, count + 1):
        there, there_error = log_pmf(n, start + block * size, p, q)
        mass, _ = _geometric(math.exp(here), (there - here) / size, size)
        total += mass
        error = max(error, there_error)
        here = there
    # The error of a log, and of the rise of a chord, three roundings of numbers no larger than the logs, each of which
    # is part of ``error``; of a block exp (2), two of expm1 (4), a quotient and two products (3); the sum.
    return total * (1.0 - 4.0 * error - (count + 32.0) * UNIT)


@kernel
def strided_excess_lower(n, p, q, tau, stride):
    """Return lower bound of E(X - tau)_+, X ~ Bin(n, p), tau >= n p, from the pmf at every ``stride``-th place only.

    Between them the pmf lies above its chord in logs; the loss is stride^2/(12 n p q) relatively.  The number of
    places does not grow with n when the stride is a fraction of a standard deviation.
    """
    if tau > n:
        return 0.0
    j = int(math.ceil(tau))
    here, error = log_pmf(n, j, p, q)
    total = 0.0
    while j + stride <= n:
        there, there_error = log_pmf(n, j + stride, p, q)
        mass, moment = _geometric(math.exp(here), (there - here) / stride, stride)
        part = mass * (j - tau) + moment
        total += part
        error = max(error, there_error)
        j += stride
        here = there
        if mass == 0.0 or part < NEGLIGIBLE * total:  # of nothing at all, no part is negligible
            break
    # The error of a log, and the rise of a chord as above.
    return total * (1.0 - 4.0 * error - CHORDS)


@kernel
def log_pmf_range(n, first, count, p, q):
    """Log P(Bin(n, p) = k) for ``count`` values of k from ``first`` on, and the largest bound on their errors."""
    logs, most = np.empty(count), 0.0
    for i in range(count):
        logs[i], error = log_pmf(n, first + i, p, q)
        most = max(most, error)
    return logs, most
