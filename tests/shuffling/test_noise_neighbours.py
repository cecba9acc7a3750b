"""Neighbours at 0 and 1 are the worst under the blanket of noise: any others, at 40 digits and without slack."""

import itertools
import random

import pytest
from mpmath import exp, log, mp, mpf, ncdf

DIGITS = 40
# Far below what a false inequality would show, far above the rounding at so many digits.
TINY = mpf(10) ** -30


def laplace_pieces(eps0, breaks):
    """Yield the pieces of the line between breaks, with the coefficients (a, b) of a e^(eps0 y) + b e^(-eps0 y)."""
    for left, right in itertools.pairwise([mpf("-inf"), *breaks, mpf("inf")]):

        def coefficients(place, left=left, right=right):
            return (0, exp(eps0 * place)) if left >= place else (exp(-eps0 * place), 0)

        yield left, right, coefficients


def laplace_integral(eps0, record, replacement, kappa, t):
    """Return the integral of (R_i - kappa R_j - t W)_+ with W the smaller of R_0 and R_1, in closed form."""

    def primitive(a, b, y):
        """Return the primitive of eps0/2 (a e^(eps0 y) + b e^(-eps0 y))."""
        return (a * exp(eps0 * y) if a else 0) / 2 - (b * exp(-eps0 * y) if b else 0) / 2

    total = mpf(0)
    for left, right, of in laplace_pieces(eps0, sorted({mpf(0), record, replacement, mpf(1) / 2, mpf(1)})):
        blanket = of(mpf(1)) if right <= mpf(1) / 2 else of(mpf(0))
        a, b = (of(record)[k] - kappa * of(replacement)[k] - t * blanket[k] for k in (0, 1))
        edges = [left, right]
        if a * b < 0 and left < log(-b / a) / (2 * eps0) < right:
            edges.insert(1, log(-b / a) / (2 * eps0))
        for low, high in itertools.pairwise(edges):
            total += max(primitive(a, b, high) - primitive(a, b, low), 0)
    return total


@pytest.mark.parametrize("eps0", [mpf("0.001"), mpf("0.7"), mpf(3), mpf(12)], ids=str)
def test_laplace_gains_are_dominated_by_those_of_the_ends(eps0):
    draw = random.Random(int(eps0))
    with mp.workdps(DIGITS):
        for _ in range(120):
            i, j = (mpf(draw.choice([draw.random(), 0.5 + draw.random() * 1e-3, 0, 1])) for _ in range(2))
            if i == j:
                continue
            kappa = exp(eps0 * draw.uniform(-1, 1))
            t = draw.choice([0, exp(eps0 * draw.uniform(-1, 1)), draw.random()])
            ends = (mpf(0), mpf(1)) if i < j else (mpf(1), mpf(0))
            worst = laplace_integral(eps0, *ends, kappa, t)
            assert laplace_integral(eps0, i, j, kappa, t) <= worst + TINY
            assert abs(worst - laplace_integral(eps0, *ends[::-1], kappa, t)) <= TINY  # the mirror image


def gaussian_set(sigma, record, replacement, kappa, t):
    """Return intervals that nearly make up the set where R_i - kappa R_j - t W is positive."""
    points = [k / 400 * (1 + 16 * sigma) - 8 * sigma for k in range(401)]

    def positive(y):
        first, second, far = (-((y - place) ** 2) / (2 * sigma**2) for place in (record, replacement, float(y <= 0.5)))
        return exp(first) > kappa * exp(second) + t * exp(far)

    inside = [y if positive(y) else None for y in points]
    groups = [list(group) for there, group in itertools.groupby(inside, key=lambda y: y is not None) if there]
    return [
        (mpf("-inf") if group[0] == points[0] else mpf(group[0]), mpf("inf") if group[-1] == points[-1] else group[-1])
        for group in groups
    ]


def gaussian_mass(sigma, place, low, high):
    return ncdf((high - place) / sigma) - ncdf((low - place) / sigma)


def gaussian_worst(sigma, kappa, t):
    """Return the largest R_0 - kappa R_1 - t W of a half-line on the left, in closed form."""
    half, inf = mpf(1) / 2, mpf("inf")
    if kappa + t >= 1:
        edge = half - sigma**2 * log(kappa + t)
        return gaussian_mass(sigma, 0, -inf, edge) - (kappa + t) * gaussian_mass(sigma, 1, -inf, edge)
    edge = half + sigma**2 * log((1 - t) / kappa)
    blanket = gaussian_mass(sigma, 1, -inf, half) + gaussian_mass(sigma, 0, half, edge)
    return gaussian_mass(sigma, 0, -inf, edge) - kappa * gaussian_mass(sigma, 1, -inf, edge) - t * blanket


@pytest.mark.nightly
@pytest.mark.parametrize("sigma", [mpf("0.1"), mpf("0.4"), mpf(1), mpf(5)], ids=str)
def test_gaussian_gains_are_dominated_by_those_of_the_ends(sigma):
    draw, two_tails, half = random.Random(int(10 * sigma)), 0, mpf(1) / 2
    with mp.workdps(DIGITS):
        for _ in range(16):
            i, j = sorted(mpf(draw.choice([draw.random(), 0.5 + draw.random() * 0.1, 0, 1])) for _ in range(2))
            if i == j:
                continue
            size = float(min(1 / sigma**2, 3 / sigma))
            kappa, t = exp(size * draw.uniform(-1, 0.5)), draw.choice([0, 1, 2]) * exp(size * draw.uniform(-1, 0.5))
            intervals = gaussian_set(sigma, i, j, kappa, t)
            two_tails += len(intervals) > 1
            value = mpf(0)
            for low, high in intervals:
                value += gaussian_mass(sigma, i, low, high) - kappa * gaussian_mass(sigma, j, low, high)
                left, right = (low, min(high, half)), (max(low, half), high)
                value -= t * gaussian_mass(sigma, 1, *left) if left[0] < left[1] else 0
                value -= t * gaussian_mass(sigma, 0, *right) if right[0] < right[1] else 0
            assert value <= gaussian_worst(sigma, kappa, t) + TINY
    assert two_tails or sigma > 1


def test_records_outside_of_the_blanket_are_not_dominated():
    # Otherwise the tests above would not notice a blanket that is too small.
    with mp.workdps(DIGITS):
        worst = laplace_integral(mpf(1), mpf(0), mpf(1), mpf(1), mpf(0))
        assert laplace_integral(mpf(1), mpf("-0.01"), mpf(1), mpf(1), mpf(0)) > worst
        assert laplace_integral(mpf(1), mpf("-0.01"), mpf(1), mpf(1), exp(mpf(1)) - 1) > 0
