"""The statements on shuffles of few binary responses, by enumeration in fractions."""

import random
from fractions import Fraction
from itertools import product
from math import comb

import few_twins
import pytest
from few_twins import excess, sampled_law

from pldcheck.theorems.statements import STATEMENTS

KAPPAS = (Fraction(1), Fraction(9, 8), Fraction(3, 2), Fraction(3))


def counted_law(clients, batch, x, number):
    """Return M_H as the statement has it, from hypergeometric chances."""
    laws = []
    for t in range(batch + 1):
        ways = comb(number, t) * comb(clients - number, batch - t)
        law = few_twins.joined([x / (x + 1)] * t + [1 / (x + 1)] * (batch - t))
        laws.append([Fraction(ways, comb(clients, batch)) * mass for mass in law])
    return [sum(column) for column in zip(*laws, strict=True)]


def test_sampled_responses_depend_on_the_number_of_ones():
    assert "sampled-responses" in STATEMENTS
    for clients, batch in ((1, 1), (3, 2), (4, 2), (4, 4), (5, 3)):
        for x in (Fraction(2), Fraction(5)):
            for data in product((0, 1), repeat=clients):
                assert sampled_law(data, batch, x) == counted_law(clients, batch, x, sum(data))
            laws = [counted_law(clients, batch, x, number) for number in range(clients + 1)]
            for kappa in (Fraction(1, 2), *KAPPAS):
                one_way = max(excess(laws[h + 1], laws[h], kappa) for h in range(clients))
                other = max(excess(laws[h], laws[h + 1], kappa) for h in range(clients))
                assert one_way == other == few_twins.sampled_delta(clients, batch, x, kappa)


@pytest.mark.nightly
def test_sampled_responses_cost_more_with_a_larger_budget():
    for clients, batch in ((3, 2), (5, 3)):
        for kappa in KAPPAS:
            deltas = [few_twins.sampled_delta(clients, batch, Fraction(x, 4), kappa) for x in (4, 5, 8, 13, 40)]
            assert deltas == sorted(deltas)


@pytest.mark.nightly
def test_responses_with_budgets_of_their_own_are_among_coins_of_others():
    assert "coins-of-others" in STATEMENTS
    spoiled = 0
    for seed in range(12):
        draw = random.Random(seed)
        xs = [Fraction(draw.randint(5, 30), 5) for _ in range(draw.randint(1, 4))]
        told = draw.choice((Fraction(0), Fraction(1, 10)))
        for kappa in KAPPAS:
            truth = few_twins.personal_delta(xs, told, kappa)
            assert truth <= few_twins.coins_bound(xs, told, kappa)
            # If others answered by a coin with the probability of an untrue answer twice as often, it would be false.
            less = few_twins.coins_bound([1 + (x - 1) / 2 for x in xs], told, kappa)
            spoiled += truth > less
    assert spoiled > 0


@pytest.mark.nightly
def test_an_answer_among_coins_is_as_stated():
    for c in range(6):
        for x in (Fraction(3, 2), Fraction(4)):
            for kappa in KAPPAS:
                gains = [(x - kappa) * k - (kappa * x - 1) * (c + 1 - k) for k in range(c + 2)]
                mean = sum(comb(c + 1, k) * max(gain, Fraction(0)) for k, gain in enumerate(gains)) / 2 ** (c + 1)
                assert few_twins.among_coins(c, x, kappa) == 2 * mean / ((x + 1) * (c + 1)) * (kappa < x)
                assert few_twins.among_coins(c + 1, x, kappa) <= few_twins.among_coins(c, x, kappa)
                assert few_twins.among_coins(c, x, kappa) <= few_twins.among_coins(c, x + 1, kappa)
