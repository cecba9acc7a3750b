"""Tails of a thinned binomial: c ~ Bin(n, p), and of these c a part a ~ Bin(c, v), beyond a line in c."""

import math
from typing import NamedTuple

import numpy as np

from ..core.directed import UNIT
from ._jit import kernel
from .binomial_tails import log_pmf

# Weights and probabilities are made afresh this often; between, each step costs them 8 UNIT.
REFRESH = 128
# Relative error of a line's shift, in UNIT.
LINE = 80
# Products of ratios do not come back from an underflow: what is smaller is made afresh.
TINY = 1e-280
# The inner tail is summed afresh when differences have cost this much of its relative precision.
WORN = 1e-12


@kernel
def _pmf(c, k, v, vq):
    """Return p(bin(c, v) = k) and a bound on its relative error."""
    log_value, error = log_pmf(c, k, v, vq)
    return math.exp(log_value), error + (2 + 2 * abs(log_value)) * UNIT


@kernel
def _summed(c, k, v, vq):
    """Return p(bin(c, v) >= k), summed upwards, and a bound on its relative error."""
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
    return total + part, worst + (6.0 * REFRESH + 2.0 + (j - k) / REFRESH) * UNIT


class ThinnedTails(NamedTuple):
    """Three sums over c and bounds on their absolute errors; ``moved``: what the errors of the line do to the mean."""

    edge: float
    edge_err: float
    tail: float
    tail_err: float
    messages: float
    messages_err: float
    moved: float


@kernel
def thinned_tails(n, p, q, v, vq, fixed, slope, first, last):
    r"""Return sums over c in [first, last] of P(c) times three terms, each with a bound on its absolute error.

    With tau = v c + shift, shift = fixed + slope c >= 0 (relative errors up to LINE UNIT) and k = ceil(tau) they are

    * edge: :math:`k (1-v) P(a = k | c)`, so that :math:`E[a; a \ge k | c] = v c S + edge`;
    * S = P(a >= k | c);
    * c S;

    and last, for E(a - tau)_+ = edge - shift S, a bound on what the errors of tau do to it.  ``q`` = 1 - p and
    ``vq`` = 1 - v, given apart; relative errors up to 2 UNIT.  O(1) a step: S follows c and k by one term each, added
    with compensation.
    """
    edges = tails = counts = 0.0
    edges_err = tails_err = counts_err = moved = 0.0
    part_edge = part_tail = part_count = 0.0
    part_edge_err = part_tail_err = part_count_err = 0.0
    w = f = w_rel = f_rel = 0.0
    tail = low_part = tail_err = 0.0
    k = -1
    age = w_age = REFRESH
    blocks = 0
    worn = WORN
    odds, down = p / q if q > 0.0 else 0.0, vq / v
    for c in range(first, last + 1):
        shift = fixed + slope * c
        tau = v * c + shift
        if tau > c + (LINE * shift + 4 * tau) * UNIT:
            # Nothing here; should the line come back below c, start anew.
            k, age, w_age = -1, REFRESH, REFRESH
            continue
        target = min(int(math.ceil(tau)), c)
        if w_age >= REFRESH or w < TINY:
            w, w_rel = _pmf(n, c, p, q)
            w_age = 0
        else:
            w *= (n - c + 1.0) / c * odds
            w_rel += 10 * UNIT
        fresh = k < 0 or target < k
        if not fresh:
            # c - 1 -> c at the same k: one more trial comes in from a = k - 1.
            term = v * (f * (k / (c - k)) * down)
            tail_err += term * (f_rel + 6 * UNIT)
            added = tail + (term + low_part)
            low_part = (term + low_part) - (added - tail)
            tail = added
            f *= vq * (c / (c - k))
            f_rel += 5 * UNIT
            while k < target:
                tail_err += f * f_rel
                added = tail + (low_part - f)
                low_part = (low_part - f) - (added - tail)
                tail = added
                f *= (c - k) / (k + 1.0) / down
                f_rel += 5 * UNIT
                k += 1
            tail_err += 2.0**-100 * tail
            fresh = f < TINY or not tail_err < worn * tail
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
            tail, relative = _summed(c, k, v, vq)
            low_part = 0.0
            tail_err = relative * tail
            worn = max(WORN, 8.0 * relative)
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
        moved += (LINE * shift + 4 * tau) * UNIT * here
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
        moved * 1.001,
    )


@kernel
def binned_losses(n, p, q, v, vq, ups, downs, rests, first, last, reach, points):
    """Return masses under P and Q of the outcomes (c, a) by their loss log P/Q, between neighbouring ``points``.

    c ~ Bin(n, p) in [first, last], a ~ Bin(c, v) within ``reach`` (deviations + 4) of its mean; the ratios of P and of
    Q to that law are (u a + d (c - a) + r (n - c))/n with (u, d, r) from ``ups``, ``downs``, ``rests``.  ``points`` are
    evenly spaced; what is below the first or above the last comes first and last.  Returns both arrays and the largest
    relative error of an outcome's mass.
    """
    bins = points.size + 1
    in_p, in_q = np.zeros(bins), np.zeros(bins)
    left_p, left_q = np.zeros(bins), np.zeros(bins)  # what additions have lost (Kahan)
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
            w_rel += 10 * UNIT
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
                f_rel += 8 * UNIT
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
    return in_p, in_q, worst + 16 * UNIT
