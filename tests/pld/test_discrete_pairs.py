from fractions import Fraction
from math import log

import naive
import numpy as np
import pytest
from certificates import contains
from flint import arb

from pldcheck import pld


def pair(rng, size):
    """Return two pmfs over ``size`` outcomes, heavy-tailed, sometimes with outcomes that only one of them has."""
    while True:
        p, q = rng.random(size) ** rng.choice([1, 4]), rng.random(size) ** rng.choice([1, 4])
        if size > 2:
            for masses in (p, q):
                if rng.random() < 0.3:
                    masses[rng.integers(size)] = 0.0
        if np.any((p > 0) & (q > 0)):
            return p / p.sum(), q / q.sum()


def cases():
    rng = np.random.default_rng(20261)
    alone = [[(*pair(rng, int(rng.integers(2, 6 if k < 5 else 4))), k)] for k in (1, 2, 3, 4, 5, 6) for _ in range(5)]
    products = [
        [(*pair(rng, int(rng.integers(2, 5))), int(rng.integers(1, 3))) for _ in range(n)]
        for n in (2, 2, 3, 3, 4, 4)
        for _ in range(3)
    ]
    return alone + products


CASES = cases()


def both_ways(parts):
    """Return the mechanism and its exact parts, one direction after the other."""
    mechanism = pld.compose_all([pld.from_pmf(p, q).compose(k) for p, q, k in parts])
    exact = [(naive.weights(p), naive.weights(q), k) for p, q, k in parts]
    return [(mechanism.one_way, exact), (mechanism.reversed.one_way, [(q, p, k) for p, q, k in exact])]


def atoms(parts):
    """Return the largest loss of the sum, and one with a single factor at its least."""
    ranges = [[log(a / b) for a, b in zip(p, q, strict=True) if a > 0 and b > 0] for p, q, _ in parts]
    top = sum(k * max(losses) for losses, (_, _, k) in zip(ranges, parts, strict=True))
    return top, top - max(ranges[0]) + min(ranges[0])


@pytest.mark.parametrize("case", range(len(CASES)))
def test_products_of_random_pairs_agree_with_all_outcomes(case):
    rng = np.random.default_rng(case)
    for mechanism, exact in both_ways(CASES[case]):
        top, lower = atoms(exact)
        for epsilon in (0.0, rng.random(), 3.0 * rng.random(), max(lower, 0.0), 1.1 * abs(top) + 0.1):
            interval, truth = mechanism.delta(epsilon), naive.products_delta(exact, epsilon)
            assert contains(interval, truth), (epsilon, interval)
            assert truth < 1e-9 or interval.relative_width <= 2e-3, (epsilon, interval)


@pytest.mark.parametrize("case", range(0, len(CASES), 2))
def test_an_epsilon_equal_to_the_largest_loss_is_found(case):
    # The sum of the largest losses, rounded, may lie below the sum: delta there is not quite what is infinite.
    for mechanism, exact in both_ways(CASES[case]):
        epsilon = max(atoms(exact)[0], 0.0)
        assert contains(mechanism.delta(epsilon), naive.products_delta(exact, epsilon)), epsilon


@pytest.mark.parametrize("case", range(0, len(CASES), 4))
@pytest.mark.parametrize("delta", [0.1, 1e-4])
def test_epsilon_of_random_pairs_agrees_with_all_outcomes(case, delta):
    for mechanism, exact in both_ways(CASES[case]):
        low, high = mechanism.epsilon(delta)
        assert high == np.inf or not naive.products_delta(exact, high) > delta
        if low == np.inf:
            assert not naive.products_delta(exact, 1e3) < delta
        elif low > 0.0:
            assert not naive.products_delta(exact, low) < delta


def test_a_sampled_response_is_enclosed_where_the_rate_is_nearly_one():
    # log1p(rate expm1(loss)) loses 1/(1 - rate) round-offs.
    for eps0, rate in ((10.0, 0.9999), (20.0, 1 - 1e-6), (20.0, 1 - 2.0**-40), (5.0, 0.999), (20.0, 0.3)):
        mechanism = pld.subsampled_randomized_response(eps0, rate)
        p = [1 / (1 + (-arb(eps0)).exp()), 1 / (1 + arb(eps0).exp())]
        mixture = [(1 - arb(rate)) * p[1 - i] + arb(rate) * p[i] for i in (0, 1)]
        for one, (first, second) in (
            (mechanism.one_way, (mixture, p[::-1])),
            (mechanism.reversed.one_way, (p[::-1], mixture)),
        ):
            top = max(float((a / b).log()) for a, b in zip(first, second, strict=True))
            for epsilon in (0.0, 0.5 * top, 0.9 * top, max(top - 1e-3, 0.0)):
                truth = sum((a - arb(epsilon).exp() * b).max(arb(0)) for a, b in zip(first, second, strict=True))
                assert contains(one.delta(epsilon), truth), (eps0, rate, epsilon)


@pytest.mark.parametrize("rate", [1e-3, 0.2, 0.9])
def test_sampled_pairs_are_pairs_of_mixtures(rate):
    rng = np.random.default_rng(3)
    for size in (2, 3, 4):
        p, q = pair(rng, size)
        first, second = naive.weights(p), naive.weights(q)
        weight = Fraction(rate)
        mixture = [(1 - weight) * b + weight * a for a, b in zip(first, second, strict=True)]
        mechanism = pld.subsampled_pmf(p, q, rate).compose(3)
        for epsilon in (0.0, 0.1, 1.0):
            one, other = mechanism.one_way.delta(epsilon), mechanism.reversed.one_way.delta(epsilon)
            assert contains(one, naive.products_delta([(mixture, second, 3)], epsilon))
            assert contains(other, naive.products_delta([(second, mixture, 3)], epsilon))
