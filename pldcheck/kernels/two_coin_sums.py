"""Sums of coins of two kinds: A ~ Bin(n - t, f) and B ~ Bin(t, h), f + h = 1, for every t at once."""

import math

import numpy as np

from ..core.directed import UNIT, roundoff
from ._jit import kernel
from .binomial_tails import log_pmf

# The number of terms after which a term is computed anew.
REFRESH = 128
# The number of steps of t after which a tail is summed anew.
RESUM = 256
# The error of a tail, relative to the largest value so far, beyond which it is summed anew; all of it is charged.
RESUM_ERROR = 1e-11
# With more than FEW_COINS coins, a tail with this relative error after LEAST_AGE steps is summed anew.
RESUM_ERROR_OF_MANY = 1e-9
# The number of steps after which a tail may have lost too much precision.
LEAST_AGE = 32
# With more coins than this, a tail is summed anew only if it may decide, or has lost too much precision.
FEW_COINS = 200
# The sum of the two one-way sums: one rounding, with room.
BOTH_WAYS = roundoff(4)
# The gain times a probability: gain 1, one product, one difference, and a k that rounding may have decided (4 in odds).
NET_TERM = roundoff(12)
# The cost times a tail: cost 1, one product, one difference (3 in all).
NET_TAIL = roundoff(8)
# The growth of a tail with t: h - f of 1 unit, one product, two compensated sums.
GROWTH = roundoff(8)


@kernel
def _term(left, right, f, h, a, b):
    """Return P(A = a) P(B = b) and its relative error."""
    first, first_err = log_pmf(left, a, f, h)
    second, second_err = log_pmf(right, b, h, f)
    value = first + second
    return math.exp(value), first_err + second_err + (3 + 3 * (abs(first) + abs(second))) * UNIT


@kernel
def _one_way(left, right, f, h, j, peak, step):
    """Return the sum over a = peak, peak + step, ... of P(A = a) P(B = j - a), and its relative error."""
    square = (h / f) ** 2
    total = part = 0.0
    worst = 0.0
    a = peak
    age = REFRESH
    term = 0.0
    while max(0, j - right) <= a <= min(left, j):
        if age >= REFRESH:
            total += part
            part = 0.0
            term, error = _term(left, right, f, h, a, j - a)
            worst = max(worst, error)
            age = 0
        part += term
        if step > 0:
            ratio = (left - a) * (j - a + 0.0) / ((a + 1.0) * (right - j + a + 1.0)) / square
        else:
            ratio = a * (right - j + a + 0.0) / ((left - a + 1.0) * (j - a + 1.0)) * square
        term *= ratio
        a += step
        age += 1
        # Terms fall from the peak on: after one that underflowed, all of them underflow.
        if term == 0.0 or (ratio < 1.0 and term < 2.0**-62 * (total + part) * (1.0 - ratio)):
            break
    # A ratio has 7 units of the square and 5 of its operations; each step has a product and a sum.
    return total + part, worst + 14.0 * REFRESH * UNIT


@kernel
def pmf_of_sum(left, right, f, h, j):
    """Return P(A + B = j) for A ~ Bin(left, f), B ~ Bin(right, h), and a bound of its relative error."""
    if j < 0 or j > left + right:
        return 0.0, 0.0
    # About at the largest term, (left - a)(j - a) = (h/f)^2 (a + 1)(right - j + a + 1).
    low, high = max(0, j - right), min(left, j)
    square = (h / f) ** 2
    while low < high:
        a = (low + high) // 2
        if (left - a) * (j - a + 0.0) > square * (a + 1.0) * (right - j + a + 1.0):
            low = a + 1
        else:
            high = a
    up, up_err = _one_way(left, right, f, h, j, low, 1)
    down, down_err = _one_way(left, right, f, h, j, low - 1, -1)
    return up + down, max(up_err, down_err) + BOTH_WAYS


@kernel
def _tail(left, right, f, h, k):
    """Return P(A + B >= k) by summation, and a bound on its relative error."""
    total = part = worst = before = 0.0
    for j in range(k, left + right + 1):
        term, error = pmf_of_sum(left, right, f, h, j)
        part += term
        worst = max(worst, error)
        if (j - k) % 64 == 63:
            total += part
            part = 0.0
        # The law is log-concave, so the ratios fall.
        ratio = term / before if before > 0.0 else 2.0
        if term == 0.0 or (ratio < 1.0 and term * ratio < 2.0**-60 * (total + part) * (1.0 - ratio)):
            break
        before = term
    return total + part, worst + (66.0 + (j - k) / 64.0) * UNIT if k <= left + right else 0.0


@kernel
def _net(gain, before, before_rel, cost, tail, tail_err):
    """Return bounds from below and above of the gain times P(S = k - 1) minus the cost times the tail."""
    value = gain * before - cost * tail
    doubt = gain * before * (before_rel + NET_TERM) + cost * (tail_err + NET_TAIL * abs(tail))
    return value - doubt, value + doubt


@kernel
def _refine(n, f, h, gain, cost, ends, places, best_low, best_split):
    """Return bounds of the best from below and above; tails that may decide and are imprecise are summed anew."""
    trials = 2 + n // LEAST_AGE
    while n > FEW_COINS and trials > 0:
        t = int(np.argmax(ends))
        if not ends[t] - best_low > RESUM_ERROR * best_low:
            break
        k = int(places[t])
        before, before_err = pmf_of_sum(n - 1 - t, t, f, h, k - 1)
        here, here_err = pmf_of_sum(n - 1 - t, t, f, h, k)
        tail, error = _tail(n - 1 - t, t, f, h, k)
        low, high = _net(gain, before, before_err + here_err, cost, tail, error * tail)
        if low > best_low:
            best_low, best_split = low, t
        trials -= 1
        if not high < ends[t]:  # a new sum does not improve the bound
            break
        ends[t] = high
    return best_low, max(np.max(ends), 0.0), best_split


@kernel
def worst_split(n, f, h, difference, gain, cost, odds):
    """Return the largest over t = 0..n - 1 of gain P(S = k - 1) - cost P(S >= k), from below and above, and its t.

    S is a sum of n - 1 coins, t of them with bias h; k is the least with P(S = k - 1) >= odds P(S = k), at which the
    net gain is largest when odds = 1 + cost/gain.  The relative errors of f, h, ``difference`` = h - f, gain and cost
    are at most UNIT, that of odds is at most 4 UNIT.  Where rounding decides k, the two choices differ by no more than
    the errors that are charged to P(S = k - 1) and P(S = k).
    """
    best_low, best_split = 0.0, 0
    ends, places = np.zeros(n), np.zeros(n)
    k = -1
    tail = tail_err = low_part = 0.0
    age = RESUM
    for t in range(n):
        left, right = n - 1 - t, t
        before, before_err = pmf_of_sum(left, right, f, h, k - 1)
        here, here_err = pmf_of_sum(left, right, f, h, k)
        if k < 0:
            k = int(left * f + right * h) + 1
            before, before_err = pmf_of_sum(left, right, f, h, k - 1)
            here, here_err = pmf_of_sum(left, right, f, h, k)
            age = RESUM
        while before < odds * here:
            tail_err += here * here_err
            new_tail = tail + (low_part - here)
            low_part = (low_part - here) - (new_tail - tail)
            tail = new_tail
            k += 1
            before, before_err = here, here_err
            here, here_err = pmf_of_sum(left, right, f, h, k)
        is_worn = cost * tail_err > RESUM_ERROR * max(gain * before - cost * tail, best_low)
        is_dull = age >= LEAST_AGE and not tail_err < RESUM_ERROR_OF_MANY * tail
        if age >= RESUM or (is_worn and (is_dull or n <= FEW_COINS)):
            tail, error = _tail(left, right, f, h, k)
            tail_err = error * tail
            low_part = 0.0
            age = 0
        age += 1
        low, high = _net(gain, before, before_err + here_err, cost, tail, tail_err)
        ends[t], places[t] = high, k
        if low > best_low:
            best_low, best_split = low, t
        # From t to t + 1 one coin changes from bias f to h: P(S >= k) grows by (h - f) P(S' = k - 1), S' without it.
        if t + 1 < n:
            both, both_err = pmf_of_sum(left - 1, right, f, h, k - 1)
            term = difference * both
            tail_err += term * (both_err + GROWTH) + 2.0**-100 * tail
            new_tail = tail + (term + low_part)
            low_part = (term + low_part) - (new_tail - tail)
            tail = new_tail
    return _refine(n, f, h, gain, cost, ends, places, best_low, best_split)
