"""Geometric sums of chords against balls: what is charged to them covers what they lose, and is not far more."""

import math
import random

import pytest
from flint import arb, ctx

from pldcheck.core.directed import UNIT
from pldcheck.kernels.binomial_tails import CHORDS, FLAT, _geometric, blocks_lower, log_pmf, strided_excess_lower

RANDOM = random.Random(20261122)
# Both sides of the switch to the closed form, and all sizes of a chord's rise up to where its end is nothing.
RISES = [0.5 * FLAT, FLAT * (1 - 1e-15), FLAT, FLAT * (1 + 1e-12), 1.5 * FLAT, 1e-5, 1e-3, 0.1, 1.0, 10.0, 700.0]


def chord_sums(ratio_log, count):
    """Return (sum rho^k, sum k rho^k) over k < count in balls, by closed forms; ``count`` >= 2."""
    rho = arb(ratio_log).exp()
    total = (1 - rho**count) / (1 - rho)
    return total, (rho * total - count * rho**count) / (1 - rho)


def relative_loss(value, exact):
    """Return how far ``value`` is above ``exact`` relatively, at most; negative where it is below."""
    return float(((arb(value) - exact) / exact).upper())


@pytest.fixture(autouse=True)
def digits():
    before, ctx.prec = ctx.prec, 400
    yield
    ctx.prec = before


@pytest.mark.parametrize("sign", [-1, 1])
def test_sums_of_a_chord_lose_no_more_than_charged(sign):
    worst = 0.0
    for rise in RISES if sign < 0 else RISES[:-2]:  # a chord rises at the mode only
        for _ in range(60):
            count = RANDOM.choice([2, 3, 17, 1000, 10**6, 10**9, RANDOM.randrange(2, 10**8)])
            ratio_log = sign * rise * RANDOM.uniform(1.0, 1.5) / count
            mass, moment = _geometric(1.0, ratio_log, count)
            exact, second = chord_sums(ratio_log, count)
            # The rise of the chord is rounded once more where it is multiplied by its length.
            assert relative_loss(mass, exact) <= (16 + abs(ratio_log) * count) * UNIT
            worst = max(worst, relative_loss(moment, second) - abs(ratio_log) * count * UNIT)
    assert CHORDS / 1000 < worst < CHORDS


@pytest.mark.parametrize("n", [50, 5000, 200_000])
@pytest.mark.parametrize("p", [0.5, 0.1])
@pytest.mark.parametrize("z", [0.0, 1.0, 6.0])
def test_chords_of_length_one_are_the_binomial_sums_themselves(n, p, z):
    """Nothing is lost to the chord then: what is left is round-off, charged with the error of the logs."""
    first = math.ceil(n * p + z * math.sqrt(n * p * (1 - p)))
    last = min(first + 400, n - 1)
    logs = arb(n + 1).lgamma() - arb(first + 1).lgamma() - arb(n - first + 1).lgamma()
    term = arb(p) ** first * (1 - arb(p)) ** (n - first) * logs.exp()
    odds, total, moment = arb(p) / (1 - arb(p)), arb(0), arb(0)
    for k in range(first, n + 1):
        if k < last:
            total += term
        moment += term * (k - first)
        term *= odds * (n - k) / (k + 1)
        if k > first + 20000:
            break
    lower_sum = blocks_lower(n, first, 1, last - first, p, 1 - p)
    charge = max(log_pmf(n, k, p, 1 - p)[1] for k in (first, last))
    assert arb(lower_sum) < total
    assert relative_loss(lower_sum, total) > -6 * charge - 1000 * UNIT
    assert arb(strided_excess_lower(n, p, 1 - p, float(first), 1)) < moment
