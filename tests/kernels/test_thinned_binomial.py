import math
from fractions import Fraction

import numpy as np
import pytest
import shuffle_twins as twins
from flint import arb, ctx

from pldcheck.kernels.thinned_binomial import binned_losses, thinned_tails

# Lines tau = v c + fixed + slope c, in units of n: through the bulk, near c, flat, steep, beyond c for ever.
LINES = [
    (0.0, 0.01300271828),
    (0.0, 0.31006022141),
    (0.0700314159, 0.0),
    (0.11, 0.00314159265),
    (1.3e-4, 1.7e-5),
    (0.0, 1e-9),
]


@pytest.fixture(autouse=True)
def _many_digits():
    with ctx.workprec(twins.BITS):
        yield


def worst_error(bounds, exact, floor=1e-290):
    """Assert that all three sums are within their stated errors; return the largest relative error of those above
    ``floor``.
    """
    worst = 0.0
    for value, error, truth in zip(bounds[0:6:2], bounds[1:6:2], exact, strict=True):
        assert error >= 0.0
        assert not abs(arb(value) - truth) > arb(error) + floor, (value, error, truth)
        if truth > floor:
            worst = max(worst, error / float(truth))
    return worst


def rational(n, p, v, constant, slope, first, last):
    """Return the same sums in Fractions, term by term."""
    edges = tails = counts = Fraction(0)
    for c in range(first, last + 1):
        k = math.ceil(v * c + constant + slope * c)
        if k > c:
            continue
        w, tail = twins.chance(n, c, p), sum(twins.chance(c, a, v) for a in range(k, c + 1))
        edges += w * k * (1 - v) * twins.chance(c, k, v)
        tails += w * tail
        counts += w * c * tail
    return edges, tails, counts


@pytest.mark.parametrize("n", [1, 2, 3, 9, 31])
@pytest.mark.parametrize("p", [0.03125, 0.40625, 0.9375])
@pytest.mark.parametrize("v", [0.5, 0.0625, 0.890625])
def test_bounds_and_the_twin_agree_with_rational_double_sums(n, p, v):
    # Dyadic p and v: 1 - p and 1 - v are exact.
    for constant, slope in LINES:
        exact = rational(n, *map(Fraction, (p, v, constant * n, slope)), 0, n)
        exact = [twins.ball(value) for value in exact]
        bounds = thinned_tails(n, p, 1 - p, v, 1 - v, constant * n, slope, 0, n)
        assert worst_error(bounds, exact) < 1e-11
        twin = twins.thin(n, arb(p), arb(v), arb(constant * n), arb(slope), 0, n)
        assert all(a.overlaps(b) or abs(a - b) < 1e-90 for a, b in zip(exact, twin, strict=True))


@pytest.mark.parametrize("n", [60, 400])
@pytest.mark.parametrize("p", [1e-9, 1e-3, 0.2689414213699951, 0.7, 1 - 2**-20])
@pytest.mark.parametrize("v", [0.5, 1e-6, 0.2689414213699951, 0.9])
def test_bounds_agree_with_recurrences_in_balls(n, p, v):
    for constant, slope in LINES:
        if slope + v > 1:
            continue
        bounds = thinned_tails(n, p, 1 - p, v, 1 - v, constant * n, slope, 0, n)
        exact = twins.thin(n, arb(p), arb(v), arb(constant * n), arb(slope), 0, n)
        assert worst_error(bounds, exact) < 1e-11


@pytest.mark.parametrize("n", [4000, 10**5, 10**7])
@pytest.mark.parametrize("p", [0.2689414213699951, 0.95])
@pytest.mark.parametrize(("constant", "slope"), [(0.0, 0.01300271828), (0.0, 1.00314159e-3), (1.0314159e-3, 0.0)])
def test_windows_of_large_counts_are_enclosed(n, p, constant, slope):
    first, last = twins.window(n, p, 8.0 if n < 10**6 else 1.0)
    bounds = thinned_tails(n, p, 1 - p, 0.5, 0.5, constant * n, slope, first, last)
    exact = twins.thin(n, arb(p), arb(0.5), arb(constant * n), arb(slope), first, last)
    assert worst_error(bounds, exact) < (1e-11 if n <= 10**5 else 1e-9)


@pytest.mark.parametrize("deviations", [-25.0, -12.0, 12.0, 25.0])
def test_windows_in_the_far_tail_are_enclosed(deviations):
    n, p, v = 4000, 0.2689414213699951, 0.3
    middle = int(n * p + deviations * math.sqrt(n * p * (1 - p)))
    bounds = thinned_tails(n, p, 1 - p, v, 1 - v, 3.1, 0.02, middle, middle + 300)
    exact = twins.thin(n, arb(p), arb(v), arb(3.1), arb(0.02), middle, middle + 300)
    assert worst_error(bounds, exact) < 1e-10


def test_all_messages_count_when_q_is_zero():
    for n in (1, 5, 300):
        bounds = thinned_tails(n, 1.0, 0.0, 0.375, 0.625, 0.1 * n, 0.0, n, n)
        exact = rational(n, Fraction(1), Fraction(3, 8), Fraction(0.1 * n), Fraction(0), n, n)
        assert worst_error(bounds, [twins.ball(value) for value in exact]) < 1e-11


@pytest.mark.parametrize(("constant", "slope"), [(1e9, 0.0), (41.0, 0.0), (0.0, 0.76), (1e300, 0.0)])
def test_a_line_that_is_never_crossed_gives_nothing(constant, slope):
    assert thinned_tails(40, 0.3, 0.7, 0.25, 0.75, constant, slope, 1, 40) == (0.0,) * 7


def test_a_line_that_is_crossed_at_the_first_count_is_enclosed():
    # tau <= c only from c = first on: k = c there.
    n, p, v = 64, 0.5, 0.25
    first = 20
    constant = first * (1 - v) - 0.125
    bounds = thinned_tails(n, p, p, v, 1 - v, constant, 0.0, first, n)
    exact = rational(n, Fraction(p), Fraction(v), Fraction(constant), Fraction(0), first, n)
    assert worst_error(bounds, [twins.ball(value) for value in exact]) < 1e-11


def test_a_window_that_begins_where_probabilities_underflow_is_enclosed():
    # P(c = 20) is 1e-334: the walk began there with 0 and stayed at 0 as far as the next refresh, beyond the end.
    n, q = 60, 2.0**-29
    bounds = thinned_tails(n, 1 - q, q, 2.0**-28, 1 - 2.0**-28, 0.25, 0.0, 20, n)
    exact = twins.thin(n, 1 - arb(q), arb(2.0**-28), arb(0.25), arb(0), 20, n)
    assert worst_error(bounds, exact) < 1e-11


def test_a_window_that_begins_among_denormal_probabilities_is_enclosed():
    # Numbers below 1e-308 have few digits, which the walk carried on to where the mass is.
    n, p = 500, 0.85
    for first in range(150, 190, 3):
        bounds = thinned_tails(n, p, 1 - p, 0.5, 0.5, 0.0, 0.013, first, n)
        exact = twins.thin(n, arb(p), arb(0.5), arb(0), arb(0.013), first, n)
        # 1 - p carries one rounding, n of them at most reach the result
        assert worst_error(bounds, exact) < 1e-10


def test_tails_that_fall_faster_than_differences_can_follow_are_enclosed():
    n, p = 500, 0.851
    bounds = thinned_tails(n, p, 1 - p, 0.5, 0.5, 0.0, 0.45091234567, 0, n)
    exact = twins.thin(n, arb(p), arb(0.5), arb(0), arb(0.45091234567), 0, n)
    assert exact[1] > 1e-120
    assert worst_error(bounds, exact) < 1e-10


@pytest.mark.parametrize("n", [3, 40])
@pytest.mark.parametrize("p", [0.25, 0.875])
def test_binned_losses_agree_with_binning_by_brute_force(n, p):
    x = Fraction(5, 2)
    v = Fraction(1, 2)
    ups, downs, rests = (float(x), 1.0), (1.0, float(x)), (0.5, 0.5)
    points = np.linspace(-0.7, 0.7, 29)
    in_p, in_q, worst = binned_losses(n, p, 1 - p, 0.5, 0.5, ups, downs, rests, 0, n, 40.0, points)
    assert worst < 1e-12
    one, two, near = np.zeros(30), np.zeros(30), np.zeros(30, dtype=bool)
    for c in range(n + 1):
        for a in range(c + 1):
            mass = twins.chance(n, c, Fraction(p)) * twins.chance(c, a, v) / n
            first = x * a + (c - a) + Fraction(n - c, 2)
            second = a + x * (c - a) + Fraction(n - c, 2)
            loss = math.log(first / second)
            bin_ = int(np.searchsorted(points, loss))
            if np.min(np.abs(points - loss)) < 1e-12:
                near[[bin_, min(bin_ + 1, 29), max(bin_ - 1, 0)]] = True
            one[bin_] += float(mass * first)
            two[bin_] += float(mass * second)
    clear = ~near
    assert np.all(np.abs(in_p - one)[clear] <= 1e-13 * one[clear] + 1e-300)
    assert np.all(np.abs(in_q - two)[clear] <= 1e-13 * two[clear] + 1e-300)
    # all masses: E of a linear function of the counts
    mean = p * 0.5 * float(x + 1) + (1 - p) * 0.5
    assert abs(in_p.sum() - mean) < 1e-13 and abs(in_q.sum() - mean) < 1e-13
