"""Binomial probabilities and stop-loss sums with a priori error bounds, at any number of trials up to 10^12."""

import math

import numpy as np

from ._jit import kernel

UNIT = 2.0**-53
# A lower bound leaves out what is beyond terms so small, relatively.
NEGLIGIBLE = 2.0**-30

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
    """log(n!) minus Stirling's leading terms; absolute error below 2 UNIT for n >= 1."""
    if n < 16:
        return _STIRLING[int(n)]
    square = n * n
    # Alternating series: the error is below the first omitted term, 691/(360360 n^11) = 1.1e-16 at n = 16.
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / (1188 * square)) / square) / square) / square) / n


@kernel
def deviance(x, mean, doubt=4.0):
    """X log(x/mean) + mean - x >= 0, for x, mean > 0, and a bound on its absolute error.

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
    """Log P(Bin(n, p) = k), q = 1 - p given separately, and a bound on its absolute error.

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
def upper_tail(n, p, q, odds, tau):
    """(P(X >= tau), E(X - tau)_+, relative error, omitted part of E(X - tau)_+) for X ~ Bin(n, p), tau >= n p.

    Terms are positive and summed upwards from ceil(tau) until what remains is below 2^-60 of the sum; the remainder
    is bounded by a geometric series.  ``odds`` = p/q.  O(sqrt(n)) terms.
    """
    if tau > n:
        return 0.0, 0.0, 0.0, 0.0
    j = int(math.ceil(tau))
    log_term, log_error = log_pmf(n, j, p, q)
    term = math.exp(log_term)
    tail = term
    excess = term * (j - tau)
    omitted = 0.0
    count = 0
    while j < n and term > 0.0:
        ratio = (n - j) / (j + 1.0) * odds
        ahead = term * ratio / (1.0 - ratio) if ratio < 1.0 else math.inf
        omitted = ahead * (j - tau + 1.0 / (1.0 - ratio)) if ratio < 1.0 else math.inf
        if omitted < 2.0**-60 * excess and ahead < 2.0**-60 * tail:
            break
        omitted = 0.0
        j += 1
        term *= ratio
        tail += term
        excess += term * (j - tau)
        count += 1
    # exp: 2 UNIT; each ratio: 4 roundings and the error of odds; each addition: 1.
    return tail, excess, log_error + (2 + 2 * abs(log_term) + 9.0 * count) * UNIT, omitted


@kernel
def _geometric(first, ratio_log, count):
    """(sum of first rho^k, sum of k first rho^k) over k < count, rho = exp(ratio_log), or a little less."""
    if abs(ratio_log) * count < 1e-6:  # the closed form would cancel
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
    # Errors of two logs, as below; a sum of at most 10^3 positive terms.
    return total * (1.0 - 4.0 * error - 1e-12)


@kernel
def strided_excess_lower(n, p, q, tau, stride):
    """Lower bound of E(X - tau)_+, X ~ Bin(n, p), tau >= n p, from the pmf at every ``stride``-th place only.

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
    # Errors of two logs, also through the slope of a chord; the geometric sums cancel by at most 1e-9.
    return total * (1.0 - 4.0 * error - 1e-8)


@kernel
def log_pmf_range(n, first, count, p, q):
    """Log P(Bin(n, p) = k) for ``count`` values of k from ``first`` on, and the largest bound on their errors."""
    logs, most = np.empty(count), 0.0
    for i in range(count):
        logs[i], error = log_pmf(n, first + i, p, q)
        most = max(most, error)
    return logs, most
