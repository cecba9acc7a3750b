"""Deviances of exact arguments against balls: what is charged to their series and to their logs covers what they lose.

The mean of a fair coin is exact, so that nothing else is charged there.
"""

import random

import pytest
from flint import arb, ctx

from pldcheck.kernels.binomial_tails import deviance, log_pmf

RANDOM = random.Random(4711)


@pytest.fixture(autouse=True)
def digits():
    before, ctx.prec = ctx.prec, 300
    yield
    ctx.prec = before


@pytest.mark.parametrize(("least", "most"), [(1e-12, 0.19), (0.25, 0.9), (1.0, 30.0)])
def test_deviances_of_exact_means_are_within_their_charge(least, most):
    """Nearer to the mean than a fifth of their sum: the series; further away: logs."""
    worst = 0.0
    for _ in range(2000):
        x = float(RANDOM.choice([RANDOM.randrange(1, 50), RANDOM.randrange(1, 10**6), RANDOM.randrange(1, 10**12)]))
        distance = least * (most / least) ** RANDOM.random()
        mean = x * (1.0 + distance) if RANDOM.random() < 0.5 or distance >= 0.9 else x * (1.0 - distance)
        if mean == x:
            continue
        value, charge = deviance(x, mean, 0.0)
        truth = arb(x) * (arb(x) / arb(mean)).log() + arb(mean) - arb(x)
        error = float(abs(arb(value) - truth).upper())
        assert error <= charge
        worst = max(worst, error / charge)
    assert worst > 0.02


def test_chances_of_a_fair_coin_are_within_their_charge():
    for _ in range(500):
        n = RANDOM.choice([RANDOM.randrange(2, 60), RANDOM.randrange(2, 10**5), 2 * RANDOM.randrange(1, 5 * 10**11)])
        k = min(max(round(0.5 * n + RANDOM.uniform(-9.0, 9.0) * 0.5 * n**0.5), 0), n)
        value, charge = log_pmf(n, k, 0.5, 0.5)
        truth = arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma() - n * arb(2).log()
        assert float(abs(arb(value) - truth).upper()) <= charge
