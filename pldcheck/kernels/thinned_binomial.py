"""Tails of a thinned binomial beyond a line: c ~ Bin(n, p), and a ~ Bin(c, v) given c."""

import math
from typing import NamedTuple

import numpy as np

from ..core.directed import UNIT
from ._jit import kernel
from .binomial_tails import log_pmf
from .interpreted_first import interpreted_first

# The number of steps after which weights and probabilities are computed anew; each step adds round-off.
REFRESH = 128
# The relative error of a line's shift, in units.
LINE = 80
# A smaller probability is computed anew, since products of ratios do not recover from an underflow.
TINY = 1e-280
# The inner tail is summed anew when differences have added this relative error.
RESUM_ERROR = 1e-12
# Units of a step of a weight in c: a quotient, odds of 5 (a quotient, p and q of 2 each), two products (8 in all).
WEIGHT_STEP = 10
# Units of the term of one more trial, in which v cancels: vq of 2, two quotients and three products (7 in all).
NEW_TRIAL = 8
# Units of a step of a probability: in c a quotient, two products and vq of 2 (5 in all); in k two quotients, a product
# and odds of 5, a quotient of v and vq of 2 each (8 in all).
INNER_STEP = 8
# Units of a term that follows another: a quotient, odds of 5 and two products (8 in all), and one addition.
SUM_STEP = 9
# Units of a probability from its logarithm: exp has 4.
EXPONENTIAL = 4
# Units of a step of a probability in a: a quotient, odds of 5 (a quotient, v and vq of 2 each), two products (8).
OUTCOME_STEP = 8
# Units of the mass of an outcome: a product, a division by n, a likelihood ratio of five operations, a sum.
OUTCOME = 16


@kernel
def _pmf(c, k, v, vq):
    """Return P(Bin(c, v) = k) and a bound of its relative error."""
    log_value, error = log_pmf(c, k, v, vq)
    return math.exp(log_value), error + (EXPONENTIAL + 2 * abs(log_value)) * UNIT


@kernel
def _sum_upwards(c, k, v, vq):
    """Return P(Bin(c, v) >= k), summed upwards, and a bound of its relative error."""
    odds = v / vq
    term, worst = _pmf(c, k, v, vq)
    total, part = 0.0, 0.0
    j = k
    while term > 0.0:
        part += term
        if j == c:
            break
        ratio = (c - j) / (j + 1.0) * odds
        j += 1
        if (j - k) % REFRESH == 0:
            total += part
            part = 0.0
            term, error = _pmf(c, j, v, vq)
            worst = max(worst, error)
        else:
            term *= ratio
        if ratio < 1.0 and term < 2.0**-62 * (total + part) * (1.0 - ratio):
            break
    return total + part, worst + (SUM_STEP * REFRESH + 2.0 + (j - k) / REFRESH) * UNIT


class ThinnedTails(NamedTuple):
    """Three sums over c with bounds of their absolute errors; ``line_error`` bounds the effect of the line's errors."""

    edge: float
    edge_err: float
    tail: float
    tail_err: float
    messages: float
    messages_err: float
    line_error: float


@kernel
def _thinned_tails(n, p, q, v, vq, intercept, slope, first, last):
    r"""Return the sums over c in [first, last] of P(c) times three terms, each with a bound of its absolute error.

    With tau = v c + shift, shift = intercept + slope c >= 0 (relative errors up to LINE UNIT), k = ceil(tau) they are

    * edge: :math:`k (1-v) P(a = k | c)`, so that :math:`E[a; a \ge k | c] = v c S + edge`;
    * S = P(a >= k | c);
    * c S;

    and last, for E(a - tau)_+ = edge - shift S, a bound of the effect of the errors of tau.  ``q`` = 1 - p and
    ``vq`` = 1 - v are separate arguments; their relative errors are up to 2 UNIT.  Each step takes O(1) operations: S
    follows c and k by one term each, in a compensated sum.
    """
    edges = tails = counts = 0.0
    edges_err = tails_err = counts_err = line_error = 0.0
    part_edge = part_tail = part_count = 0.0
    part_edge_err = part_tail_err = part_count_err = 0.0
    w = f = w_rel = f_rel = 0.0
    tail = low_part = tail_err = 0.0
    k = -1
    age = w_age = REFRESH
    blocks = 0
    resum_error = RESUM_ERROR
    odds, down = p / q if q > 0.0 else 0.0, vq / v
    for c in range(first, last + 1):
        shift = intercept + slope * c
        tau = v * c + shift
        if tau > c + (LINE * shift + 4 * tau) * UNIT:
            # The tail is empty here; if the line falls below c again, the sums start anew.
            k, age, w_age = -1, REFRESH, REFRESH
            continue
        target = min(int(math.ceil(tau)), c)
        if w_age >= REFRESH or w < TINY:
            w, w_rel = _pmf(n, c, p, q)
            w_age = 0
        else:
            w *= (n - c + 1.0) / c * odds
            w_rel += WEIGHT_STEP * UNIT
        fresh = k < 0 or target < k
        if not fresh:
            # From c - 1 to c at the same k, one more trial adds the term of a = k - 1.
            term = v * (f * (k / (c - k)) * down)
            tail_err += term * (f_rel + NEW_TRIAL * UNIT)
            new_tail = tail + (term + low_part)
            low_part = (term + low_part) - (new_tail - tail)
            tail = new_tail
            f *= vq * (c / (c - k))
            f_rel += INNER_STEP * UNIT
            while k < target:
                tail_err += f * f_rel
                new_tail = tail + (low_part - f)
                low_part = (low_part - f) - (new_tail - tail)
                tail = new_tail
                f *= (c - k) / (k + 1.0) / down
                f_rel += INNER_STEP * UNIT
                k += 1
            tail_err += 2.0**-100 * tail
            fresh = f < TINY or not tail_err < resum_error * tail
        if age >= REFRESH or fresh:
            f, f_rel = _pmf(c, target, v, vq)
            edges += part_edge
            tails += part_tail
            counts += part_count
            edges_err += part_edge_err
            tails_err += part_tail_err
            counts_err += part_count_err
            part_edge = part_tail = part_count = 0.0
            part_edge_err = part_tail_err = part_count_err = 0.0
            blocks += 1
            age = 0
        if fresh:
            k = target
            tail, relative = _sum_upwards(c, k, v, vq)
            low_part = 0.0
            tail_err = relative * tail
            resum_error = max(RESUM_ERROR, 8.0 * relative)
        age += 1
        w_age += 1
        edge = w * (k * vq * f)
        here = w * tail
        part_edge += edge
        part_tail += here
        part_count += c * here
        part_edge_err += edge * (w_rel + f_rel)
        gap = w * tail_err + w_rel * here
        part_tail_err += gap
        part_count_err += c * gap
        line_error += (LINE * shift + 4 * tau) * UNIT * here
    edges += part_edge
    tails += part_tail
    counts += part_count
    rounding = (REFRESH + blocks + 16.0) * UNIT
    return ThinnedTails(
        edges,
        (edges_err + part_edge_err) * 1.001 + rounding * edges,
        tails,
        (tails_err + part_tail_err) * 1.001 + rounding * tails,
        counts,
        (counts_err + part_count_err) * 1.001 + rounding * counts,
        line_error * 1.001,
    )


# A value of c takes 5 microseconds in plain Python.
thinned_tails = interpreted_first(_thinned_tails, 60_000, lambda *arguments: arguments[-1] - arguments[-2])


@kernel
def binned_losses(n, p, q, v, vq, ups, downs, rests, first, last, reach, points):
    """Return the masses under P and Q of the outcomes (c, a) by their loss log P/Q, between neighbouring ``points``.

    c ~ Bin(n, p) lies in [first, last], a ~ Bin(c, v) within ``reach`` (deviations + 4) of its mean; the ratios of P
    and of Q to that law are (u a + d (c - a) + r (n - c))/n with (u, d, r) from ``ups``, ``downs``, ``rests``.
    ``points`` are evenly spaced; the first and the last entry hold the masses below and above all points.  Returns both
    arrays and the largest relative error of an outcome's mass.
    """
    bins = points.size + 1
    in_p, in_q = np.zeros(bins), np.zeros(bins)
    left_p, left_q = np.zeros(bins), np.zeros(bins)  # the round-off of additions (Kahan)
    scale = (points.size - 1.0) / (points[-1] - points[0])
    worst = 0.0
    w = w_rel = 0.0
    age = REFRESH
    for c in range(first, last + 1):
        if age >= REFRESH:
            w, w_rel = _pmf(n, c, p, q)
            age = 0
        else:
            w *= (n - c + 1.0) / c * (p / q)
            w_rel += WEIGHT_STEP * UNIT
        age += 1
        width = reach * math.sqrt(c * v * vq) + 4.0 * reach
        low, high = max(int(c * v - width), 0), min(int(c * v + width) + 1, c)
        rest = float(n - c)
        f = f_rel = 0.0
        since = REFRESH
        for a in range(low, high + 1):
            if since >= REFRESH:
                f, f_rel = _pmf(c, a, v, vq)
                since = 0
            else:
                f *= (c - a + 1.0) / a * (v / vq)
                f_rel += OUTCOME_STEP * UNIT
            since += 1
            one = ups[0] * a + downs[0] * (c - a) + rests[0] * rest
            other = ups[1] * a + downs[1] * (c - a) + rests[1] * rest
            place = (math.log(one / other) - points[0]) * scale
            index = 0 if place < 0.0 else bins - 1 if place >= points.size - 1.0 else int(place) + 1
            mass = w * f / n
            term = mass * one - left_p[index]
            total = in_p[index] + term
            left_p[index] = (total - in_p[index]) - term
            in_p[index] = total
            term = mass * other - left_q[index]
            total = in_q[index] + term
            left_q[index] = (total - in_q[index]) - term
            in_q[index] = total
            worst = max(worst, w_rel + f_rel)
    return in_p, in_q, worst + OUTCOME * UNIT
