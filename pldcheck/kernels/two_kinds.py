"""Sums of coins of two kinds: A ~ Bin(n - t, f) and B ~ Bin(t, h), f + h = 1, for every t at once."""

import math

from ._jit import kernel
from .binomial import UNIT, log_pmf

# Terms between two that are computed afresh, and steps of t between two tails that are summed afresh.
REFRESH, RESUM = 128, 256
# Relative precision of a tail below which it is summed afresh.
WORN = 1e-11


@kernel
def _term(left, right, f, h, a, b):
    """P(A = a) P(B = b) and its relative error."""
    first, first_err = log_pmf(left, a, f, h)
    second, second_err = log_pmf(right, b, h, f)
    value = first + second
    return math.exp(value), first_err + second_err + (3 + 3 * (abs(first) + abs(second))) * UNIT


@kernel
def _one_way(left, right, f, h, j, peak, step):
    """Sum over a = peak, peak + step, ... of P(A = a) P(B = j - a), and the largest relative error of a term."""
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
        if ratio < 1.0 and term < 2.0**-62 * (total + part) * (1.0 - ratio):
            break
    return total + part, worst + 12.0 * REFRESH * UNIT


@kernel
def pmf_of_sum(left, right, f, h, j):
    """P(A + B = j), A ~ Bin(left, f), B ~ Bin(right, h), and a bound on its relative error."""
    if j < 0 or j > left + right:
        return 0.0, 0.0
    # The largest term: (left - a)(j - a) = (h/f)^2 (a + 1)(right - j + a + 1), about.
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
    return up + down, max(up_err, down_err) + 4 * UNIT


@kernel
def _tail(left, right, f, h, k):
    """P(A + B >= k) by summation, and a bound on its relative error."""
    total = part = worst = before = 0.0
    for j in range(k, left + right + 1):
        term, error = pmf_of_sum(left, right, f, h, j)
        part += term
        worst = max(worst, error)
        if (j - k) % 64 == 63:
            total += part
            part = 0.0
        # Log-concave: the ratios fall.
        ratio = term / before if before > 0.0 else 2.0
        if term == 0.0 or (ratio < 1.0 and term * ratio < 2.0**-60 * (total + part) * (1.0 - ratio)):
            break
        before = term
    return total + part, worst + (66.0 + (j - k) / 64.0) * UNIT if k <= left + right else 0.0


@kernel
def worst_split(n, f, h, gain, cost, odds):
    """The largest over t = 0..n - 1 of gain P(S = k - 1) - cost P(S >= k), from below and above, and its t.

    S is a sum of n - 1 coins, t of them with bias h; k is the least with P(S = k - 1) >= odds P(S = k), at which the
    difference is largest when odds = 1 + cost/gain.
    """
    best_low, best_high, at = 0.0, 0.0, 0
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
            added = tail + (low_part - here)
            low_part = (low_part - here) - (added - tail)
            tail = added
            k += 1
            before, before_err = here, here_err
            here, here_err = pmf_of_sum(left, right, f, h, k)
        if age >= RESUM or not tail_err < WORN * tail:
            tail, error = _tail(left, right, f, h, k)
            tail_err = error * tail
            low_part = 0.0
            age = 0
        age += 1
        value = gain * before - cost * tail
        doubt = gain * before * (before_err + 8 * UNIT) + cost * (tail_err + 8 * UNIT * tail)
        if value - doubt > best_low:
            best_low, at = value - doubt, t
        best_high = max(best_high, value + doubt)
        # t -> t + 1: one coin of bias f becomes one of bias h; P(S >= k) grows by (h - f) P(S' = k - 1), S' without it.
        if t + 1 < n:
            both, both_err = pmf_of_sum(left - 1, right, f, h, k - 1)
            term = (h - f) * both
            tail_err += term * (both_err + 8 * UNIT) + 2.0**-100 * tail
            added = tail + (term + low_part)
            low_part = (term + low_part) - (added - tail)
            tail = added
    return best_low, best_high, at
