"""Binomial probabilities and stop-loss sums with a priori error bounds, at any number of trials up to 10^12."""

import math

import numpy as np

from ..core.directed import UNIT, roundoff
from ._jit import kernel
from .interpreted_first import interpreted_first

# A lower bound ends at a term that is smaller than this relative to the sum.
NEGLIGIBLE = 2.0**-30
# Chords with |log rho| count below this are flat: their moment cancels down to |log rho| count/2 >= FLAT/2 of its
# terms, which carry 12 units each.
FLAT = 1e-6
# The relative error of the geometric sums of chords: 24 UNIT/FLAT = 2.7e-9, and 1.2e-11 for a sum of 10^5 parts.
# tests/ledger/test_ledger_chords.py compares it with balls.
CHORDS = 1e-8
# Smaller terms are not summed: the next ones are subnormal, and have no bound of relative error.
LEAST_TERM = 1e-305
# The series of a deviance: a difference, a quotient and products (5 in all), then positive terms that fall by 100.
SERIES = roundoff(16)
# The closed form of a deviance, relative to its terms: a quotient, a logarithm of 4, a product and two sums.
# tests/ledger/test_ledger_deviances.py compares it with balls.
CLOSED_FORM = roundoff(8)
# The log of P(all trials alike): a logarithm 4, a product 1, and the errors of p and q of 2 units each.
ALL_ALIKE = roundoff(8)
# The ratio of neighbouring terms: n - j, j + 1, two quotients, odds of 4 units (8 in all); 1 - ratio needs it twice.
NEXT_RATIO = roundoff(16)
# The bound of a geometric rest: a quotient, four products, two sums, with room.
REST = roundoff(16)

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
def _stirling_series(n):
    square = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / (1188 * square)) / square) / square) / square) / n


@kernel
def stirling_error(n):
    """Return log(n!) minus Stirling's leading terms, for n >= 1; the absolute error is below 2 UNIT."""
    if n < 16:
        return _STIRLING[int(n)]
    # The series alternates: its error is below the first omitted term, 691/(360360 n^11) = 1.1e-16 at n = 16.
    return _stirling_series(n)


@kernel
def deviance(x, mean, doubt=4.0):
    """Return x log(x/mean) + mean - x >= 0, for x, mean > 0, and a bound of its absolute error.

    Loader (2000), "Fast and accurate computation of binomial probabilities", section 3.  ``mean`` may itself carry a
    relative error of ``doubt`` UNIT: the derivative in ``mean`` is (mean - x)/mean.
    """
    difference = x - mean
    error_of_mean = doubt * UNIT * abs(difference)
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
        return total, SERIES * total + error_of_mean
    log_ratio = math.log(x / mean)
    return x * log_ratio + mean - x, CLOSED_FORM * (x * abs(log_ratio) + mean + x) + error_of_mean


@kernel
def log_pmf(n, k, p, q):
    """Return log P(Bin(n, p) = k) and a bound of its absolute error; ``q`` = 1 - p is a separate argument.

    ``p`` and ``q`` may have relative errors of 2 UNIT each; those of a fair coin are exact.
    """
    if k < 0 or k > n:  # the table of Stirling errors has no check of its index
        return -math.inf, 0.0
    doubt = 0.0 if p == 0.5 and q == 0.5 else 4.0
    if k == 0:
        value = n * math.log(q) if q < 0.5 else n * math.log1p(-p)
        return value, ALL_ALIKE * (abs(value) + n * p) + UNIT
    if k == n:
        value = n * math.log(p) if p < 0.5 else n * math.log1p(-q)
        return value, ALL_ALIKE * (abs(value) + n * q) + UNIT
    first, first_error = deviance(float(k), n * p, doubt)
    second, second_error = deviance(float(n - k), n * q, doubt)
    shape = stirling_error(float(n)) - stirling_error(float(k)) - stirling_error(float(n - k))
    spread = 0.5 * math.log(2 * math.pi * k * ((n - k) / n))
    value = shape - first - second - spread
    return value, first_error + second_error + UNIT * (3 * abs(value) + 4 * abs(spread) + 20)


# The same, called from Python: a call takes 40 microseconds there.
log_probability = interpreted_first(log_pmf, 5_000)


@kernel
def _rest_bound(term, ratio, away):
    """Return an upper bound of sum_i term ratio^i (away + i), away >= 0, the rest of a tail and of its excess.

    The excess of a first term on the line itself is 0, but its tail is not: no weight is below 1.
    """
    ratio *= 1.0 + NEXT_RATIO
    if ratio >= 1.0:
        return math.inf
    ahead = 1.0 / (1.0 - ratio)
    return term * ahead * (max(away, 1.0) + ratio * ahead) * (1.0 + REST)


@kernel
def _upper_tail(n, p, q, odds, tau):
    """Return (P(X >= tau), E(X - tau)_+, relative error, omitted part of either) for X ~ Bin(n, p), tau >= n p.

    The terms are positive and summed upwards from ceil(tau) until the rest is below 2^-60 of the sum, or a term is
    below LEAST_TERM; a geometric series bounds the rest.  ``odds`` is p/q.  The truth is between (1 - error) times the
    sum and (1 + error) times the sum plus the omitted part.  There are O(sqrt(n)) terms.
    """
    if tau > n:
        return 0.0, 0.0, 0.0, 0.0
    j = int(math.ceil(tau))
    log_term, log_error = log_pmf(n, j, p, q)
    if log_term < math.log(LEAST_TERM):  # products of ratios with a subnormal term are worthless
        # The logarithm may be larger by its error, and both logarithms are rounded at 702.3, to 2^-43 a unit.
        most = LEAST_TERM * math.exp(log_error + 2.0**-40)
        return 0.0, 0.0, 0.0, _rest_bound(most, (n - j) / (j + 1.0) * odds, j - tau)
    # exp has 4 units, j - tau and its product 2; each ratio 3 roundings and the error of odds, each addition 1.
    relative = log_error + (6 + 2 * abs(log_term)) * UNIT
    term = math.exp(log_term)
    tail = term
    excess = term * (j - tau)
    remainder = 0.0
    count = 0
    while j < n:
        ratio = (n - j) / (j + 1.0) * odds
        ahead = term * ratio / (1.0 - ratio) if ratio < 1.0 else math.inf
        remainder = ahead * (j - tau + 1.0 / (1.0 - ratio)) if ratio < 1.0 else math.inf
        if remainder < 2.0**-60 * excess and ahead < 2.0**-60 * tail:
            remainder = _rest_bound(term * ratio, ratio, j + 1 - tau)
            break
        remainder = 0.0
        j += 1
        term *= ratio
        count += 1
        if term < LEAST_TERM:  # the term may be subnormal or 0: up to its error it is below LEAST_TERM
            remainder = _rest_bound(LEAST_TERM, (n - j) / (j + 1.0) * odds, j - tau)
            break
        tail += term
        excess += term * (j - tau)
    relative += 9.0 * count * UNIT
    return tail, excess, relative, remainder * (1.0 + 2.0 * relative)


# Some sqrt(n) terms take 3 microseconds each in plain Python.
upper_tail = interpreted_first(_upper_tail, 50_000, lambda n, *_: math.sqrt(n))


@kernel
def _geometric(first, ratio_log, count):
    """Return (sum of first rho^k, sum of k first rho^k) over k < count, rho = exp(ratio_log), or a little less."""
    if abs(ratio_log) * count < FLAT:  # the closed form would cancel
        least = first * math.exp(min(ratio_log * count, 0.0))
        return least * count, least * 0.5 * count * (count - 1.0)
    rho, power = math.exp(ratio_log), math.exp(ratio_log * count)
    below = -math.expm1(ratio_log)
    total = -math.expm1(ratio_log * count) / below
    return first * total, first * (rho * total - count * power) / below


@kernel
def blocks_lower(n, start, size, count, p, q):
    """Return a lower bound of P(start <= Bin(n, p) < start + count size), where start + count size <= n.

    The pmf is log-concave and lies above its chords in logs; each block of ``size`` has a chord.
    """
    here, error = log_pmf(n, start, p, q)
    total = 0.0
    for block in range(1, count + 1):
        there, there_error = log_pmf(n, start + block * size, p, q)
        mass, _ = _geometric(math.exp(here), (there - here) / size, size)
        total += mass
        error = max(error, there_error)
        here = there
    # A block has the error of a logarithm, that of the rise of a chord (three roundings of numbers no larger than the
    # logarithms, each of which is part of ``error``), two exp (8), two expm1 (8), a quotient and two products (3), and
    # the sum.
    return total * (1.0 - 4.0 * error - (count + 32.0) * UNIT)


@kernel
def strided_excess_lower(n, p, q, tau, stride):
    """Return a lower bound of E(X - tau)_+, X ~ Bin(n, p), tau >= n p, from the pmf at every ``stride``-th place.

    Between these places the pmf lies above its chord in logs; the relative loss is stride^2/(12 n p q).  The number of
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
        if mass == 0.0 or part < NEGLIGIBLE * total:  # the test for 0 comes first: 0 < 0 is false
            break
    # The error is that of a logarithm and of the rise of a chord, as above.
    return total * (1.0 - 4.0 * error - CHORDS)


def log_pmf_range(n, first, count, p, q):
    """Return log P(Bin(n, p) = k) for ``count`` values of k from ``first`` on, and a bound of all their errors.

    It is :func:`log_pmf` for arrays; only values of k in the law's range, 0 to n, are asked for.
    """
    logs, most = np.empty(count), 0.0
    for k in {0, n}.intersection((first, first + count - 1)):
        logs[k - first], error = log_probability(n, k, p, q)
        most = max(most, error)
    begin, end = max(first, 1), min(first + count, n)
    if begin >= end:
        return logs, most
    doubt = 0.0 if p == 0.5 and q == 0.5 else 4.0
    k = np.arange(float(begin), float(end))
    one, one_error = _deviances(k, n * p, doubt)
    other, other_error = _deviances(n - k, n * q, doubt)
    whole = _stirling_errors(np.array([float(n)]))[0]
    shape = whole - _stirling_errors(k) - _stirling_errors(n - k)
    spread = 0.5 * np.log(2 * math.pi * k * ((n - k) / n))
    values = shape - one - other - spread
    errors = one_error + other_error + UNIT * (3 * np.abs(values) + 4 * np.abs(spread) + 20)
    logs[begin - first : end - first] = values
    return logs, max(most, float(errors.max()))


def _stirling_errors(n):
    """Return :func:`stirling_error` of an array of whole numbers of at least 1."""
    table = _STIRLING[np.minimum(n, 15.0).astype(np.intp)]
    return np.where(n < 16, table, _stirling_series.py_func(n))


def _deviances(x, mean, doubt):
    """Return :func:`deviance` of an array, and bounds of the errors."""
    difference = x - mean
    values, errors = np.empty(x.size), doubt * UNIT * np.abs(difference)
    near = np.abs(difference) < 0.1 * (x + mean)
    v = difference[near] / (x[near] + mean)
    total, term, square = difference[near] * v, 2 * x[near] * v, v * v
    for j in range(1, 1000):
        term *= square
        new = total + term / (2 * j + 1)
        if np.array_equal(new, total):
            break
        total = new
    values[near] = total
    errors[near] += SERIES * total
    far = ~near
    log_ratio = np.log(x[far] / mean)
    values[far] = x[far] * log_ratio + mean - x[far]
    errors[far] += CLOSED_FORM * (x[far] * np.abs(log_ratio) + mean + x[far])
    return values, errors
