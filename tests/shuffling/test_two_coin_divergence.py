"""Divergences of binary randomized response by a contour, against sums of all outcomes in balls."""

import random
from math import exp, inf, log10, sqrt

import numpy as np
import pytest
from flint import arb, arb_poly, ctx

from pldcheck.shuffling import two_coin_contour, two_coin_divergence
from pldcheck.shuffling.two_coin_contour import PHASE_UNITS, Response, x_minus_sine
from pldcheck.shuffling.two_coin_divergence import divergence

# Bits of the balls: masses are as small as 1e-400 of the largest.
BITS = 2000


@pytest.fixture(autouse=True)
def _precision():
    before, ctx.prec = ctx.prec, BITS
    yield
    ctx.prec = before


def _binomial(count: int, up: arb, down: arb) -> arb_poly:
    masses = [down**count]
    for place in range(count):
        masses.append(masses[-1] * (count - place) / (place + 1) * up / down)
    return arb_poly(masses)


def _truth(eps0: float, epsilon: float, a: int, b: int) -> arb:
    """The sum over all numbers of ones of (P - e^epsilon Q)_+, for a record 1 and its replacement 0."""
    x, kappa = arb(eps0).exp(), arb(epsilon).exp()
    p, q = x / (1 + x), 1 / (1 + x)
    others = _binomial(a, p, q) * _binomial(b, q, p)
    ones, zeros = others * arb_poly([q, p]), others * arb_poly([p, q])
    return sum(((ones[i] - kappa * zeros[i]).max(arb(0)) for i in range(a + b + 2)), arb(0))


def _questions(seed: int, count: int, most: int) -> list[tuple[float, float, int, int]]:
    """Random questions: few and many coins, of one kind and of both, losses near 0 and near the largest."""
    rng, questions = random.Random(seed), []
    while len(questions) < count:
        n = round(10 ** rng.uniform(0.5, log10(most)))
        a = rng.choice([0, n, n // 2, 1, n - 1, rng.randint(0, n)])
        eps0 = min(rng.choice([10 ** rng.uniform(-8, 1.3), rng.uniform(0.05, 8.0)]), 20.0)
        share = rng.choice([0.0, rng.random(), 10 ** rng.uniform(-9, 0), 1.0 - 10 ** rng.uniform(-12, 0)])
        if eps0 * share < eps0:
            questions.append((eps0, eps0 * share, a, n - a))
    return questions


@pytest.mark.parametrize("seed", range(30))
def test_both_ends_contain_the_sum_of_all_outcomes(seed):
    for eps0, epsilon, a, b in _questions(seed, 20, 400):
        truth, ends = _truth(eps0, epsilon, a, b), divergence(Response.of(eps0, epsilon), a, b)
        assert truth >= ends.lower and truth <= ends.upper, (eps0, epsilon, a, b, ends)


@pytest.mark.parametrize("seed", range(3))
def test_both_ends_are_close_where_there_are_a_hundred_coins(seed):
    for eps0, epsilon, a, b in _questions(1000 + seed, 40, 400):
        ends = divergence(Response.of(eps0, epsilon), a, b)
        if a + b >= 100 and ends.upper > 1e-250:
            assert ends.upper <= ends.lower * (1.0 + 1e-9), (eps0, epsilon, a, b, ends)


@pytest.mark.parametrize(("eps0", "deviations"), [(0.1, 2.0), (1.0, 4.0), (3.0, 6.0)])
def test_large_numbers_follow_the_normal_law(eps0, deviations):
    """By the central limit theorem; the next term is of the order of the third moment, 1/sqrt(n), times z^3."""
    n, x = 10**12, exp(eps0)
    p, q = x / (1.0 + x), 1.0 / (1.0 + x)
    deviation = (p - q) / sqrt(n * p * q)  # of the privacy loss
    epsilon = deviations * deviation
    ends = divergence(Response.of(eps0, epsilon), n // 2, n - n // 2)
    z = np.linspace(deviations, deviations + 12.0, 400_001)
    gaussian = float(np.sum((z - deviations) * np.exp(-0.5 * z * z))) * (z[1] - z[0]) / sqrt(2.0 * np.pi)
    assert ends.upper == pytest.approx(deviation * gaussian, rel=1e-4)
    assert 0.0 < ends.lower <= ends.upper <= ends.lower * (1.0 + 1e-9)


def test_losses_too_rare_for_numbers_have_a_tiny_upper_end():
    ends = divergence(Response.of(5.0, 4.9999), 0, 400)
    assert ends.lower == 0.0 and ends.upper <= 1e-299


def test_x_minus_sine_is_within_its_units():
    for x in [*np.geomspace(1e-12, 3.14, 400), 1.0, np.nextafter(1.0, inf)]:
        truth = arb(float(x)) - arb(float(x)).sin()
        assert abs(arb(float(x_minus_sine(np.array([x]))[0])) - truth) <= truth * (PHASE_UNITS * 2.0**-53)


@pytest.mark.parametrize("name", ["ALIAS_EXPONENT", "DECAY"])
@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0])
def test_short_periods_and_few_nodes_are_paid_for(monkeypatch, name, exponent):
    """With a shorter period, or with more nodes left out, the ends still contain the truth, and are wider."""
    question = 1.0, 0.05, 250, 150
    truth, narrow = _truth(*question), divergence(Response.of(*question[:2]), *question[2:])
    for constant, value in ((name, exponent), ("LEAST_PERIOD", 2.0), ("SPREAD", 1.0)):
        monkeypatch.setattr(two_coin_contour, constant, value)
    ends = divergence(Response.of(*question[:2]), *question[2:])
    assert truth >= ends.lower and truth <= ends.upper
    assert ends.upper - ends.lower > 3.0 * (narrow.upper - narrow.lower)


@pytest.mark.parametrize("shift", [-1, 1])
def test_a_wrong_place_is_noticed(monkeypatch, shift):
    """A search that ends beside the largest place costs width and nothing else."""
    question = 1.0, 0.05, 250, 150
    truth, largest_place = _truth(*question), two_coin_divergence._largest_place
    monkeypatch.setattr(two_coin_divergence, "_largest_place", lambda *inputs: largest_place(*inputs) + shift)
    ends = divergence(Response.of(*question[:2]), *question[2:])
    assert truth >= ends.lower and truth <= ends.upper
    assert 1.0001 * ends.lower < ends.upper < 3.0 * ends.lower
