"""Tails that are followed by differences: whatever their terms are said to be off by is carried on into what they add.

The kernels run as plain Python on chances that are exact, but for an error that is stated and much above round-off, of
either sign: the truth must stay within what is charged in the end.
"""

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from pldcheck.core.directed import UNIT
from pldcheck.kernels import thinned_binomial, two_coin_sums

RELATIVE_ERROR = 1e-9
N = 40
P = Fraction(5, 8)
# Shares v, lines (fixed, slope), first counts: k rises with c slowly, in steps, evenly, never, and faster than terms
# come in, each of which is one v and one 1 - v of its neighbours.
CASES = [
    (Fraction(3, 8), 0.5, 0.01, 3),
    (Fraction(3, 8), 0.25, 0.375, 3),
    (Fraction(3, 8), 6.5, 0.0, 3),
    (Fraction(3, 8), 15.25, -0.375, 16),
    (Fraction(1, 8), -7.75, 0.5, 16),
]


class Turns(int):
    """0 in sums; of the two ages that are compared with it in turn only one is ever as large."""

    def __new__(cls, edges: bool) -> "Turns":
        self = super().__new__(cls, 0)
        self.asked = int(edges)
        return self

    def __le__(self, other: object) -> bool:
        self.asked += 1
        return self.asked % 2 == 0


@cache
def chance(n, k, p):
    return math.comb(n, k) * p**k * (1 - p) ** (n - k) if 0 <= k <= n else Fraction(0)


@cache
def binomial_tail(c, k, v):
    return sum((chance(c, a, v) for a in range(k, c + 1)), Fraction(0))


def tails(v, constant, slope, first):
    """Return the edge, the tail and c times the tail, and E(a - tau)_+, in fractions."""
    sums = [Fraction(0)] * 4
    for c in range(first, N + 1):
        tau = v * c + Fraction(constant) + Fraction(slope) * c
        k = max(math.ceil(tau), 0)
        if k > c:
            continue
        w, edge, tail = chance(N, c, P), k * (1 - v) * chance(c, k, v), binomial_tail(c, k, v)
        terms = (edge, tail, c * tail, edge + (v * c - tau) * tail)
        sums = [total + w * term for total, term in zip(sums, terms, strict=True)]
    return sums


def thinned_sums(case):
    """Return the kernel's sums, as plain Python."""
    v, constant, slope, first = case
    return thinned_binomial._thinned_tails.py_func(
        N, float(P), float(1 - P), float(v), float(1 - v), constant, slope, first, N
    )


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("refresh", [7, 1000])
def test_stated_errors_of_thinned_chances_are_carried_on(case, refresh, monkeypatch):
    """Errors are those of the weights of c, of the edges and of the tails summed afresh, each by itself and all
    together.
    """
    monkeypatch.setattr(thinned_binomial, "REFRESH", refresh)
    monkeypatch.setattr(thinned_binomial, "RESUM_ERROR", 1.0)
    exact = tails(*case)
    for of_weight, of_edge, of_tail in product((-1.0, 0.0, 1.0), repeat=3):

        def pmf(c, k, v, vq, of_weight=of_weight, of_edge=of_edge):
            sign = of_weight if v == float(P) else of_edge
            return float(chance(c, k, Fraction(v))) * (1.0 + sign * RELATIVE_ERROR), abs(sign) * RELATIVE_ERROR * (
                1.0 + 2 * RELATIVE_ERROR
            )

        def shifted_tail(c, k, v, vq, of_tail=of_tail):
            return float(binomial_tail(c, k, Fraction(v))) * (1.0 + of_tail * RELATIVE_ERROR), abs(
                of_tail
            ) * RELATIVE_ERROR * (1.0 + 2 * RELATIVE_ERROR)

        monkeypatch.setattr(thinned_binomial, "_pmf", pmf)
        monkeypatch.setattr(thinned_binomial, "_sum_upwards", shifted_tail)
        sums = thinned_sums(case)
        for value, error, truth in zip(sums[0:6:2], sums[1:6:2], exact, strict=False):
            assert abs(Fraction(value) - truth) <= Fraction(error)


@pytest.mark.parametrize("case", CASES[:3])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_line_off_by_its_error_moves_the_mean_by_no_more_than_charged(case, sign, monkeypatch):
    monkeypatch.setattr(thinned_binomial, "LINE", 1e-6 / UNIT)
    exact = tails(*case)[3]
    v, constant, slope, first = case
    constant, slope = constant * (1.0 + sign * 1e-6), slope * (1.0 + sign * 1e-6)
    edge, edge_err, tail, tail_err, count, count_err, drift = thinned_sums((v, constant, slope, first))
    edge_sum = Fraction(edge) - Fraction(constant) * Fraction(tail) - Fraction(slope) * Fraction(count)
    assert abs(edge_sum - exact) <= Fraction(edge_err + constant * tail_err + slope * count_err) + Fraction(drift)
    assert drift <= 1.1e-6 * (constant * tail + slope * count)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("edges", [False, True])
def test_ratios_off_by_what_is_granted_are_charged_at_every_step(sign, edges, monkeypatch):
    """Probabilities two units off, and units far above round-off: of the weights or of the edges, the others afresh."""
    unit, factor = 1e-10, 1.0 + sign * 2e-10
    monkeypatch.setattr(thinned_binomial, "UNIT", unit)
    monkeypatch.setattr(thinned_binomial, "RESUM_ERROR", 1.0)
    monkeypatch.setattr(thinned_binomial, "REFRESH", Turns(edges))
    v, constant, slope, first = CASES[3] if edges else CASES[0]
    p, q, v, vq = P * Fraction(factor), (1 - P) * Fraction(2 - factor), v, 1 - v
    if edges:
        constant, first, p, q, vq = 12.25, 13, P, 1 - P, vq * Fraction(factor)

    def pmf(c, k, share, rest):
        return float(chance(c, k, P if share == float(p) else v)), 0.0

    monkeypatch.setattr(thinned_binomial, "_pmf", pmf)
    monkeypatch.setattr(
        thinned_binomial, "_sum_upwards", lambda c, k, share, rest: (float(binomial_tail(c, k, v)), 0.0)
    )
    edge, error, *_ = thinned_binomial._thinned_tails.py_func(
        N, float(p), float(q), float(v), float(vq), constant, slope, first, N
    )
    assert abs(Fraction(edge) - tails(v, constant, slope, first)[0]) <= Fraction(error)


@pytest.mark.parametrize("line", [(0.0, 1e-3), (1e-4, 0.0)])
def test_charges_of_long_windows_are_those_of_fresh_starts(line, monkeypatch):
    """They do not grow with the number of steps: what each costs is given up again after REFRESH of them."""
    monkeypatch.setattr(thinned_binomial, "RESUM_ERROR", 1.0)  # where tails are no reason to start anew
    n, p, v = 10**6, 0.2689414213699951, 0.5
    reach = 6.0 * math.sqrt(n * p * (1.0 - p))
    first, last = int(n * p - reach), int(n * p + reach)
    constant, slope = line[0] * n, line[1]
    edges, charges = 0.0, 0.0
    for c in range(first, last + 1):
        k = math.ceil(v * c + constant + slope * c)
        (w, of_weight), (f, of_edge) = thinned_binomial._pmf(n, c, p, 1.0 - p), thinned_binomial._pmf(c, k, v, 1.0 - v)
        edges += w * k * f
        charges += w * k * f * (of_weight + of_edge)
    edge, error, *_ = thinned_binomial._thinned_tails.py_func(n, p, 1.0 - p, v, 1.0 - v, constant, slope, first, last)
    blocks = (last - first) / thinned_binomial.REFRESH
    # ten and eight or sixteen units a step, over half of REFRESH steps each; the sums
    assert error / edge <= 1.01 * charges / edges + (13.0 * thinned_binomial.REFRESH + blocks + 16.0) * UNIT


@pytest.mark.parametrize("signs", list(product((-1.0, 0.0, 1.0), repeat=2)))
def test_stated_errors_of_outcomes_are_in_their_cells(signs, monkeypatch):
    n, share = 12, Fraction(3, 8)

    def pmf(c, k, v, vq):
        sign = signs[0] if v == float(P) else signs[1]
        return float(chance(c, k, Fraction(v))) * (1.0 + sign * RELATIVE_ERROR), abs(sign) * RELATIVE_ERROR * (
            1.0 + 2 * RELATIVE_ERROR
        )

    monkeypatch.setattr(thinned_binomial, "_pmf", pmf)
    ups, downs, rests, points = (2.0, 0.5), (0.5, 2.0), (1.0, 1.0), np.linspace(-1.0, 1.0, 8)
    p, v = float(P), float(share)
    in_p, in_q, worst = thinned_binomial.binned_losses.py_func(
        n, p, 1.0 - p, v, 1.0 - v, ups, downs, rests, 0, n, 40.0, points
    )
    for mass_ends, (u, d) in ((in_p, (ups[0], downs[0])), (in_q, (ups[1], downs[1]))):
        exact = [Fraction(0)] * 9
        for c, a in ((i, j) for i in range(n + 1) for j in range(i + 1)):
            mass = chance(n, c, P) * chance(c, a, share) / n
            one, other = (Fraction(x) * a + Fraction(y) * (c - a) + n - c for x, y in zip(ups, downs, strict=True))
            index = int(np.searchsorted(points, math.log(one / other)))
            exact[index] += mass * (Fraction(u) * a + Fraction(d) * (c - a) + n - c)
        for value, truth in zip(mass_ends.tolist(), exact, strict=True):
            assert abs(Fraction(value) - truth) <= Fraction(worst) * truth * (1 + Fraction(1, 10**6))


# --- coins of two kinds -----------------------------------------------------------------------------------------------

COINS = 60
BIAS = Fraction(1, 4)


@cache
def coins(left, right):
    """Return P(A + B = j), in fractions."""
    powers = []
    for heads, count in ((BIAS, left), (1 - BIAS, right)):
        powers.append([chance(count, k, heads) for k in range(count + 1)])
    masses = [Fraction(0)] * (left + right + 1)
    for i, one in enumerate(powers[0]):
        for j, other in enumerate(powers[1]):
            masses[i + j] += one * other
    return masses


def split_masses(gain, cost):
    """Return the largest over t and k of gain P(S = k - 1) - cost P(S >= k), of given numbers."""
    best = Fraction(0)
    for t in range(COINS):
        law, tail = coins(COINS - 1 - t, t), Fraction(0)
        for k in range(COINS, 0, -1):
            tail += law[k] if k < COINS else 0
            best = max(best, Fraction(gain) * law[k - 1] - Fraction(cost) * tail)
    return best


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("until", [0, 30, COINS])
def test_stated_errors_of_coins_are_carried_on(share, until, monkeypatch):
    """Errors of chances before so many coins are of the other kind: what is decided later has them in its tail only."""
    # The kernels that the sweep calls are compiled before what they call is replaced.
    two_coin_sums.worst_split(COINS, 0.25, 0.75, 0.5, 0.25, 0.25, 2.0)
    monkeypatch.setattr(two_coin_sums, "RESUM_ERROR", 1.0)
    x = (1 - BIAS) / BIAS
    kappa = 1 + Fraction(share) * (x - 1)
    gain, cost = float((1 - BIAS) - kappa * BIAS), float(kappa - 1)
    truth = split_masses(gain, cost)
    f = float(BIAS)
    for of_one, of_other, of_tail in product((-1.0, 0.0, 1.0), repeat=3):

        def pmf(left, right, f, h, j, of_one=of_one, of_other=of_other):
            if not 0 <= j <= left + right:
                return 0.0, 0.0
            sign = of_one if left + right == COINS - 1 else of_other
            sign = 0.0 if right >= until else sign
            return float(coins(left, right)[j]) * (1.0 + sign * RELATIVE_ERROR), abs(sign) * RELATIVE_ERROR * (
                1.0 + 2 * RELATIVE_ERROR
            ) + 2 * UNIT

        def tail(left, right, f, h, k, of_tail=of_tail):
            exact = float(sum(coins(left, right)[k:], Fraction(0)))
            return exact * (1.0 + of_tail * RELATIVE_ERROR), abs(of_tail) * RELATIVE_ERROR * (
                1.0 + 2 * RELATIVE_ERROR
            ) + 2 * UNIT

        monkeypatch.setattr(two_coin_sums, "pmf_of_sum", pmf)
        monkeypatch.setattr(two_coin_sums, "_tail", tail)
        low, high, _ = two_coin_sums.worst_split.py_func(
            COINS, f, 1.0 - f, 1.0 - 2.0 * f, gain, cost, 1.0 + cost / gain
        )
        assert Fraction(low) <= truth <= Fraction(high)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.9])
def test_the_worst_split_of_given_numbers_is_enclosed(share):
    x = (1 - BIAS) / BIAS
    kappa = 1 + Fraction(share) * (x - 1)
    gain, cost, f = float((1 - BIAS) - kappa * BIAS), float(kappa - 1), float(BIAS)
    low, high, _ = two_coin_sums.worst_split(COINS, f, 1.0 - f, 1.0 - 2.0 * f, gain, cost, 1.0 + cost / gain)
    truth = split_masses(gain, cost)
    assert Fraction(low) <= truth <= Fraction(high)
    assert high - low <= 1e-10 * high
