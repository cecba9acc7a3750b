"""Lower ends by one large loss: below sums over all outcomes in fractions, near them in heavy tails."""

from fractions import Fraction
from itertools import product
from math import exp, log

import pytest

from pldcheck import SubsampledGaussian, pld
from pldcheck.pld import one_large_loss
from pldcheck.pld.loss_total import Total
from pldcheck.pld.one_large_loss import delta

# Pairs of probabilities of outcomes, under P and under Q.
COMMON = ([Fraction(2, 5), Fraction(3, 5)], [Fraction(1, 4), Fraction(3, 4)])
RARE = ([Fraction(1, 1000), Fraction(1, 50), Fraction(979, 1000)], [Fraction(1, 10**6), Fraction(1, 40), 0])
RARE[1][2] = 1 - RARE[1][0] - RARE[1][1]


def total_of(pair, count):
    loss = pld.from_pmf(*[[float(mass) for mass in one] for one in pair])
    return Total.of((bounds.lower, times) for bounds, times in loss.compose(count).forward)


def exact_delta(pair, count, epsilon):
    """Return delta of the pair of float masses, in fractions but for e^epsilon, which is rounded down."""
    kappa = Fraction(exp(epsilon)) * (1 - Fraction(1, 2**48))
    first, second = ([Fraction(float(mass)) for mass in one] for one in pair)
    value = Fraction(0)
    for outcome in product(range(len(first)), repeat=count):
        p, q = Fraction(1), Fraction(1)
        for place in outcome:
            p, q = p * first[place], q * second[place]
        value += max(p - kappa * q, 0)
    return value


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("pair", [COMMON, RARE], ids=["common", "rare"])
def test_it_is_below_the_sum_over_all_outcomes(pair, count):
    total = total_of(pair, count)
    for epsilon in (0.0, 0.1, 0.4, 1.0, 3.0, log(1000.0) - 1e-9):
        assert Fraction(delta(total, epsilon)) <= exact_delta(pair, count, epsilon)


def test_it_is_near_where_one_loss_alone_is_large():
    total = total_of(RARE, 5)
    for epsilon in (2.0, 5.0):
        assert delta(total, epsilon) >= 0.9 * exact_delta(RARE, 5, epsilon)


def test_many_likely_steps_say_nothing():
    assert delta(total_of(COMMON, 100), 0.1) == 0.0
    assert delta(Total.of([(pld.gaussian(1.0).forward[0][0].lower, 3)]), 1.0) == 0.0


@pytest.mark.nightly
def test_far_tails_of_samples_have_lower_ends():
    protocol = SubsampledGaussian(1.568, 1.4617e-4, 107)
    answer = protocol.epsilon(2.15e-25)
    assert 0.081 < answer.lower < answer.upper < 0.105
    assert protocol.delta(answer.lower).upper > 2.15e-25 and protocol.delta(0.00875).relative_width < 0.02


def test_the_search_ends_at_the_least_place_where_there_is_none():
    total = total_of(RARE, 5)
    place = one_large_loss.epsilon(total, 1e-3, 0.1, 8.0)
    assert delta(total, place) > 1e-3 >= delta(total, place * 1.00001)
    assert one_large_loss.epsilon(total, 0.5, 0.1, 8.0) == 0.1
