"""The stop-loss transform of m three-symbol steps (law ACE), by one walk over the number of symbols that are not A."""

import math

from ..core.directed import UNIT, roundoff
from ._jit import kernel
from .binomial_tails import blocks_lower, log_pmf, strided_excess_lower
from .interpreted_first import interpreted_first

# The inner tail is summed anew every STRIDE + 4 sqrt(K) steps: a sum takes O(sqrt(K)) operations, as do the steps.
STRIDE = 512
# The inner tail is also summed anew when differences have added this relative error: where it falls fast, and is short.
RESUM_ERROR = 1e-10
# A step of the outer weight: two quotients, two products, p and q of 2 units each (8 in all).
OUTER_STEP = roundoff(8)
# A step of the inner probability: one quotient, one product (2 in all).
INNER_STEP = roundoff(4)
# The value from the excess and the tail: a difference, a product, a sum (3 in all).
VALUE = roundoff(4)
# A threshold: three roundings, and a shift of 16 units that is at most half of it (11 in all).
THRESHOLD = roundoff(16)


@kernel
def _anchor(trials, start):
    """Return (pmf, P(C >= start), E(C - start)_+, relative error) of C ~ Bin(trials, 1/2), start >= trials/2."""
    log_term, log_error = log_pmf(trials, start, 0.5, 0.5)
    first = math.exp(log_term)
    term = first
    tail = first
    excess = 0.0
    j = start
    while j < trials and term > 0.0:
        j += 1
        term *= (trials - j + 1.0) / j
        tail += term
        excess += term * (j - start)
        if term * (j - start) < 2.0**-60 * excess:
            break
    return first, tail, excess, log_error + (4 + 2 * abs(log_term) + 6.0 * (j - start)) * UNIT


@kernel
def _excess_lower(m, x, intercept, slope, first, last):
    r"""Return a lower bound of :math:`\sum_K P(K) E(C_K - \tau_K)_+` over K in [first, last].

    K ~ Bin(m, 2/(x+2)), C_K ~ Bin(K, 1/2), :math:`\tau_K = K/2 + intercept + slope K`, both >= 0 (relative
    errors up to 16 UNIT).  Without other K and the far tail of C the sum is only smaller.  A step of (K, c) by one
    updates P(C=c), P(C>=c) and E(C-c)_+ in O(1) operations; the sum of their absolute errors is subtracted.
    """
    p, q = 2.0 / (x + 2.0), x / (x + 2.0)
    total = 0.0
    doubt = 0.0
    outer = 0.0
    outer_rel = 0.0
    f = tail = excess = f_rel = tail_err = excess_err = 0.0
    c = -1
    stride = STRIDE + int(4 * math.sqrt(last))
    age = stride
    resum_error = RESUM_ERROR
    for k in range(first, last + 1):
        shift = intercept + slope * k
        tau = 0.5 * k + shift
        target = int(math.ceil(tau))
        if target > k:
            age = stride
            continue
        fresh = age >= stride
        if fresh:
            log_outer, log_error = log_pmf(m, k, p, q)
            outer = math.exp(log_outer)
            outer_rel = log_error + (4 + 2 * abs(log_outer)) * UNIT
        else:
            outer *= (m - k + 1.0) / k * (p / q)
            outer_rel += OUTER_STEP
            # From K - 1 to K at the same c, Pascal's rule is summed over the tail.
            below = f * (c / (k - c))  # P(Bin(K-1, 1/2) = c - 1)
            excess += 0.5 * tail
            excess_err += 0.5 * tail_err + UNIT * excess
            tail += 0.5 * below
            tail_err += 0.5 * below * (f_rel + INNER_STEP) + UNIT * tail
            f *= k / (2.0 * (k - c))
            f_rel += INNER_STEP
            while c < target:
                tail_err += f * f_rel + UNIT * tail
                tail -= f
                f *= (k - c) / (c + 1.0)
                f_rel += INNER_STEP
                c += 1
                excess -= tail
                excess_err += tail_err + UNIT * excess
            age += 1
            fresh = not excess_err < resum_error * excess or not tail_err < resum_error * tail
        if fresh:
            c = target
            f, tail, excess, f_rel = _anchor(k, c)
            tail_err, excess_err = f_rel * tail, f_rel * excess
            resum_error = max(RESUM_ERROR, 16.0 * f_rel)
            age = 0
        value = excess + (c - tau) * tail
        value_err = excess_err + (c - tau) * tail_err + UNIT * (4 * tau + 16 * shift) * tail + VALUE * value
        total += outer * value
        doubt += outer * (value_err + outer_rel * value) + UNIT * total
    return total - 2.0 * doubt


# A value of K takes 4 microseconds in plain Python.
excess_lower = interpreted_first(_excess_lower, 50_000, lambda *arguments: arguments[-1] - arguments[-2])


@kernel
def grouped_excess_lower(m, x, intercept, slope, first, last, group, chord, stride):
    r"""Return the lower bound of :func:`excess_lower` with K in groups and C at every ``stride``-th place.

    The cost does not grow with m.  For K = k + R in a group from k, C_K is C_k plus R fair coins; given C_k and R,
    their mean R/2 may replace them (Jensen), and the threshold k/2 + intercept + slope (k + R) is at most that with
    R = ``group``, a multiple of ``chord``: the group's mass is summed over chords of the log pmf.
    """
    p, q = 2.0 / (x + 2.0), x / (x + 2.0)
    total = 0.0
    k = first
    while k + group <= last:
        tau = (0.5 * k + intercept + slope * (k + group)) * (1.0 + THRESHOLD)
        if tau < k:
            total += blocks_lower(m, k, chord, group // chord, p, q) * strided_excess_lower(k, 0.5, 0.5, tau, stride)
        k += group
    return total
