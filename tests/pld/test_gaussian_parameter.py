"""The parameter of Gaussian privacy from one point of its curve, compared at 60 digits on both sides."""

import random
from fractions import Fraction

import mpmath as mp
import pytest

from pldcheck.core.directed import Side
from pldcheck.pld.gaussian_parameter import is_enough, log, parameter_of, quantile_below, root_ends


@pytest.fixture(autouse=True)
def sixty_digits():
    """Compute at 60 digits, whatever other tests have set."""
    with mp.workdps(60):
        yield


def curve(mu, epsilon):
    """Return delta of N(mu, 1) against N(0, 1), typed again from Balle and Wang (2018), Theorem 5."""
    mu, epsilon = mp.mpf(mu), mp.mpf(epsilon)
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def test_a_quantile_is_below_and_next_to_the_probability():
    draw = random.Random(1)
    for _ in range(100):
        probability = Fraction(draw.random() ** draw.choice([1, 5, 40])) * draw.choice([1, Fraction(1, 3)])
        if draw.random() < 0.3:
            probability = 1 - probability
        if not 0 < probability < 1:
            continue
        below = quantile_below(probability)
        target = mp.mpf(probability.numerator) / probability.denominator
        assert mp.ncdf(mp.mpf(below)) <= target < mp.ncdf(mp.mpf(below) + mp.mpf("1e-13") * max(abs(below), 1))


@pytest.mark.nightly
def test_quantiles_beyond_the_floats():
    assert mp.ncdf(mp.mpf(quantile_below(Fraction(1, 10**400)))) <= mp.mpf(10) ** -400
    high = quantile_below(1 - Fraction(1, 10**40))
    assert mp.ncdf(mp.mpf(high)) <= 1 - mp.mpf(10) ** -40 and high > 8.0


def test_both_parameters_are_next_to_the_root():
    draw = random.Random(2)
    for _ in range(12):
        mu, epsilon = (
            draw.choice([1e-3, 0.1, 1.0, 8.0]) * (1 + draw.random()),
            draw.random() * draw.choice([0.0, 0.1, 5]),
        )
        delta = curve(mu, epsilon)
        if delta < mp.mpf("1e-200"):
            continue
        height = Fraction(float(delta))
        low, high = (parameter_of(epsilon, height, side) for side in (Side.LOWER, Side.UPPER))
        assert curve(low, epsilon) <= mp.mpf(float(height)) <= curve(high, epsilon)
        assert low <= high <= low * (1 + 1e-12)
        assert is_enough(low, epsilon, height, Side.LOWER) and is_enough(high, epsilon, height, Side.UPPER)
        assert not is_enough(low * 0.999, epsilon, height, Side.UPPER)
        assert not is_enough(high * 1.001, epsilon, height, Side.LOWER)


@pytest.mark.nightly
def test_the_ends_of_the_range():
    inf = float("inf")
    assert [parameter_of(1.0, Fraction(0), side) for side in Side] == [0.0, 0.0]
    assert [parameter_of(1.0, Fraction(1), side) for side in Side] == [inf, inf]
    low, high = (parameter_of(log(2.0), Fraction(1, 4), side) for side in (Side.LOWER, Side.UPPER))
    assert curve(low, mp.log(2)) <= mp.mpf("0.25") <= curve(high, mp.log(2)) and high < low * (1 + 1e-12)


@pytest.mark.nightly
def test_a_root_is_enclosed():
    for square in (Fraction(2), Fraction(4), Fraction(1, 3), Fraction(10**12) / Fraction(0.1) ** 2):
        low, high = root_ends(square)
        assert Fraction(low) ** 2 <= square <= Fraction(high) ** 2 and high <= low * (1 + 2**-52)
    assert root_ends(Fraction(4)) == (2.0, 2.0)
