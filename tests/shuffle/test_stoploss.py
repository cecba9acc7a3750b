import math
from fractions import Fraction

import numpy as np
import pytest
import twins
from flint import arb, ctx

from pldcheck.pld.stoploss import excess
from pldcheck.shuffle import pair as pairs

FOUR = ([Fraction(3, 2), Fraction(1, 4), Fraction(-1, 8), Fraction(-2)], [Fraction(k, 16) for k in (2, 3, 4, 7)])
TWO = ([Fraction(5), Fraction(-1)], [Fraction(1, 8), Fraction(7, 8)])


def arrays(law):
    return np.array([float(v) for v in law[0]]), np.array([float(m) for m in law[1]])


def exact_excess(parts):
    """E(sum)_+ by all multisets of each part."""
    law = {Fraction(0): Fraction(1)}
    for values, masses, count in parts:
        single = {}
        for h in twins.histograms(count, len(values)):
            at = sum(c * v for c, v in zip(h, values, strict=True))
            single[at] = single.get(at, 0) + twins.multinomial(h) * twins.product(masses, h)
        after = {}
        for place, mass in law.items():
            for more, p in single.items():
                after[place + more] = after.get(place + more, 0) + mass * p
        law = after
    return sum(max(place, 0) * mass for place, mass in law.items())


@pytest.mark.parametrize("count", [1, 2, 5, 12, 25])
@pytest.mark.parametrize("other", [0, 1, 7, 20])
def test_contains_the_sum_over_all_multisets(count, other):
    parts = [(*FOUR, count)] + ([(*TWO, other)] if other else [])
    exact = exact_excess(parts)
    found = excess([(*arrays(law[:2]), law[2]) for law in parts])
    assert found.lower <= exact * (1 + Fraction(1, 10**15)) and exact <= found.upper * (1 + 1e-15)
    assert found.upper - found.lower <= 1e-4 * float(exact)


def test_scale_does_not_matter():
    plain = excess([(*arrays(FOUR), 9)])
    for scale in (1e-12, 1e9):
        values, masses = arrays(FOUR)
        found = excess([(values * scale, masses, 9)])
        assert found.lower / scale <= plain.upper and plain.lower <= found.upper / scale


@pytest.mark.parametrize("n", [3, 100, 10**4, 10**8])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("deviations", [0.0, 1.0, 5.0, 12.0])
def test_meets_the_double_sum_of_a_pair(n, eps0, deviations):
    # Two algorithms without a line in common: Fourier inversion, and tails of nested binomials.
    pair = pairs.stronger_clones(n, eps0)
    epsilon = deviations * pair.deviation
    if epsilon >= 0.8 * eps0:
        return
    x, kappa = math.exp(eps0), math.exp(epsilon)
    values, masses = np.array([x - kappa, 1 - x * kappa, 0.0]), np.array([1.0, 1.0, x - 1]) / (x + 1)
    found, other = excess([(values, masses, n)]), pair.delta(epsilon)
    assert found.lower / n <= other.upper * (1 + 1e-12) and other.lower <= found.upper / n * (1 + 1e-12)
    assert found.upper - found.lower <= 1e-4 * found.upper


@pytest.mark.parametrize("tv", [1e-9, 1e-6, 1e-3, 0.1])
def test_gains_that_are_rare(tv):
    # (x - 1) and -(x - 1) with probability tv/(x - 1) each: E(sum)_+ by the counts of both, n = 10.
    n, x = 10, math.e
    a = tv / (x - 1)
    values, masses = np.array([x - 1, 1 - x, 0.0]), np.array([a, a, 1 - 2 * a])
    with ctx.workprec(200):
        exact = arb(0)
        for h in twins.histograms(n, 3):
            exact += max(h[0] - h[1], 0) * twins.multinomial(h) * twins.product([arb(m) for m in masses], h)
        exact *= arb(x) - 1
    found = excess([(values, masses, n)])
    assert found.lower <= float(exact) * (1 + 1e-14) and float(exact) * (1 - 1e-14) <= found.upper
    assert found.upper - found.lower <= 1e-3 * float(exact)
