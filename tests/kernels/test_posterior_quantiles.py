"""The counts' tails and quantiles against sums over all counts in balls, which prove what they say."""

import math

import numpy as np
import pytest
from flint import arb, ctx

from pldcheck.kernels.posterior_quantiles import three_point_quantile, three_point_tails, two_point_quantiles, window

TAILS = [1e-12, 1e-6, 0.0011, 0.097, 0.4999, 0.9]


@pytest.fixture(autouse=True)
def precision():
    with ctx.workprec(180):
        yield


def scale(n, m, eps0, w):
    """Return base and slope of 1/(m q) in doubles, and in balls."""
    x = arb(eps0).exp()
    doubles = ((m - n + n * (1 - w + w * math.exp(-eps0))) / m, w * math.expm1(eps0) / m)
    return doubles, ((m - n + n * (1 - arb(w) + arb(w) / x)) / m, arb(w) * (x - 1) / m)


def two_point(n, eps0):
    """Return (count, U, probability under Q0) of every count."""
    x = arb(eps0).exp()
    return [(k, k * (1 + 1 / x), arb(n).bin(k) * x ** (n - k) / (1 + x) ** n) for k in range(n + 1)]


def three_point(n, eps0):
    """Return the same for ACE, (K, C) and their U."""
    x = arb(eps0).exp()
    return [
        ((k, c), c + k / x, arb(n).bin(k) * arb(k).bin(c) * x ** (n - k) / (x + 2) ** n)
        for k in range(n + 1)
        for c in range(k + 1)
    ]


def mass_below(atoms, u, weight):
    return sum((p * weight(place) for _, place, p in atoms if place < u), arb(0))


@pytest.mark.parametrize(("n", "p"), [(1, 0.5), (30, 0.01), (40, 0.5), (400, 0.2)])
@pytest.mark.parametrize("exponent", [0.5, 3.0, 45.0, 82.0])
def test_counts_outside_the_window_are_as_rare_as_promised(n, p, exponent):
    low, high = window(n, p, 1 - p, exponent)
    pmf = [arb(n).bin(k) * arb(p) ** k * (1 - arb(p)) ** (n - k) for k in range(n + 1)]
    assert 0 <= low <= high <= n
    for part in (pmf[:low], pmf[high + 1 :]):
        assert not sum(part, arb(0)) > arb(-exponent).exp()
    if n == 400 and exponent == 3.0:
        assert high - low < 60


@pytest.mark.parametrize(("n", "m"), [(1, 2), (7, 7), (39, 40), (20, 40), (200, 201)])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 4.0, 12.0])
@pytest.mark.parametrize("w", [1.0, 0.07])
def test_two_point_counts_are_the_largest_proved_ones(n, m, eps0, w):
    (base, slope), (base_ball, slope_ball) = scale(n, m, eps0, w)
    x = math.exp(eps0)
    quantiles = two_point_quantiles(n, 1 / (x + 1), x / (x + 1), 1 + 1 / x, base, slope, np.array(TAILS))
    atoms = two_point(n, eps0)
    weights = [lambda u: arb(1), lambda u: base_ball + slope_ball * u]
    for measure, weight in enumerate(weights):
        sums = [arb(0)]
        for _, u, p in atoms:
            sums.append(sums[-1] + p * weight(u))
        assert abs(sums[-1] - 1) < 1e-30  # P is a law: the reweighting is right
        for j, tail in enumerate(TAILS):
            k = quantiles[measure, j]
            assert sums[k] <= tail
            assert k == n or not sums[k + 1] < tail * (1 - 1e-9)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (6, 7), (25, 40), (39, 39)])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 4.0, 12.0])
@pytest.mark.parametrize("w", [1.0, 0.07])
def test_three_point_tails_enclose_all_pairs_of_counts(n, m, eps0, w):
    (base, slope), (base_ball, slope_ball) = scale(n, m, eps0, w)
    x = math.exp(eps0)
    atoms = three_point(n, eps0)
    for u in [0.0, 0.3, n / x, 0.1 + 0.8 * n / x, 1.2 + 1.1 * n / x, 0.77 * n, n * (1 + 1 / x)]:
        tails = three_point_tails(n, 2 / (x + 2), x / (x + 2), 1 / x, base, slope, u, 0, n)
        for value, weight in zip(
            tails, (lambda place: arb(1), lambda place: base_ball + slope_ball * place), strict=True
        ):
            exact = mass_below(atoms, arb(u), weight)
            # An atom within round-off of u counts as below: leave it out only where it is clearly above.
            at_most = mass_below(atoms, arb(u) * (1 + 1e-14) + 1e-300, weight)
            assert exact <= value <= at_most * (1 + 1e-10) + 1e-240


@pytest.mark.parametrize(("n", "m"), [(1, 2), (6, 7), (25, 40), (39, 39)])
@pytest.mark.parametrize(("eps0", "w"), [(0.1, 1.0), (1.0, 1.0), (1.0, 1e-6), (4.0, 0.07), (18.0, 1.0)])
def test_three_point_quantiles_are_proved_and_near_to_the_largest(n, m, eps0, w):
    (base, slope), (base_ball, slope_ball) = scale(n, m, eps0, w)
    x = math.exp(eps0)
    atoms = three_point(n, eps0)
    for measure, weight in enumerate((lambda place: arb(1), lambda place: base_ball + slope_ball * place)):
        for tail in TAILS:
            u = three_point_quantile(n, 2 / (x + 2), x / (x + 2), 1 / x, base, slope, tail, measure)
            assert mass_below(atoms, arb(u), weight) <= tail
            a_little_more = arb(u) + 3e-9 * math.sqrt(n) + 1e-9
            assert not mass_below(atoms, a_little_more, weight) < tail * (1 - 1e-9) or u >= n


def test_many_outputs_follow_the_normal_law():
    # At n = 10^6 the sum over all counts is out of reach; the central limit theorem with its first correction is not.
    n, eps0 = 10**6, 1.0
    x = math.exp(eps0)
    mean = n * ((1 + 1 / x) + 1 / x) / (x + 2)
    variance = n * ((1 + 1 / x) ** 2 / (x + 2) + x**-2 / (x + 2) - (mean / n) ** 2)
    third = n * (
        (1 + 1 / x - mean / n) ** 3 / (x + 2) + (1 / x - mean / n) ** 3 / (x + 2) + (-mean / n) ** 3 * x / (x + 2)
    )
    for z in (-4.0, -1.0, 0.5):
        u = mean + z * math.sqrt(variance)
        density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        edgeworth = math.erfc(-z / math.sqrt(2)) / 2 - third / variance**1.5 / 6 * (z**2 - 1) * density
        low, high = window(n, 2 / (x + 2), x / (x + 2), 70.0)
        tails, record = three_point_tails(n, 2 / (x + 2), x / (x + 2), 1 / x, 1.0 - 0.5, 0.5 / mean, u, low, high)
        assert tails == pytest.approx(edgeworth, rel=3e-4)
        # E(U; U < u) = mean P(U < u) - sigma phi(z), to the first order
        assert record == pytest.approx(edgeworth - 0.5 * math.sqrt(variance) / mean * density, rel=3e-4)
