"""Batches of one size: their laws of places in fractions, and all data of few records by enumeration."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest
from small_data import delta, sums_of_batches

from pldcheck import pld
from pldcheck.core.errors import ParameterError
from pldcheck.pld import places_in_batch
from pldcheck.pld.places_in_batch import with_replacement, without_replacement
from pldcheck.protocols import FixedBatches, SubsampledGaussian


@pytest.mark.parametrize(
    ("records", "batch", "group", "anew"),
    [
        (3, 2, 1, False),
        (97, 40, 3, False),
        (1000, 10, 100, False),
        (10**9, 10**6, 7, False),
        (3, 5, 1, True),
        (1, 3, 30, True),
        (999, 2000, 1, True),
        (10**6, 10, 100, True),
    ],
)
def test_the_law_of_places_is_that_of_fractions(records, batch, group, anew, monkeypatch):
    laws = []
    monkeypatch.setattr(places_in_batch, "_loss", lambda sigma, hits, name: laws.append(hits))
    (with_replacement if anew else without_replacement)(100.0, records, batch, group)
    (hits,) = laws
    whole = records + group
    share = Fraction(group, whole)

    def chance(k):
        if anew:
            return comb(batch, k) * share**k * (1 - share) ** (batch - k)
        value = Fraction(comb(group, k))  # comb(records, batch - k) / comb(whole, batch), without large numbers
        for i in range(k):
            value *= Fraction(batch - i, whole - i)
        for i in range(group - k):
            value *= Fraction(whole - batch - i, whole - k - i)
        return value

    numbers = [hits.none, *hits.chances]
    for k in range(min(len(numbers), 60)):
        error = abs(Fraction(numbers[k]) - chance(k))
        assert error <= Fraction(hits.error) * chance(k)
    assert hits.error < 1e-10
    if batch < 3000:
        beyond = sum(chance(k) for k in range(len(numbers), (batch if anew else min(batch, group)) + 1))
        assert beyond <= Fraction(hits.tail) <= beyond * 2 + Fraction(1, 10**60)


@pytest.mark.parametrize("sigma", [0.5, 1.5])
@pytest.mark.parametrize(
    ("records", "batch", "group", "anew"),
    [(3, 2, 1, False), (3, 2, 2, False), (3, 3, 2, False), (2, 2, 1, True), (2, 3, 1, True), (2, 2, 2, True)],
)
def test_all_data_are_at_most_the_upper_end_and_attain_the_lower_one(records, batch, group, anew, sigma):
    loss = (with_replacement if anew else without_replacement)(sigma, records, batch, group)
    data = [*product((0.0, 0.5, 1.0), repeat=records)]
    changes = [*product((0.0, 0.4, 1.0), repeat=2)]
    for epsilon in (0.05, 0.5, 1.5):
        upper = loss.delta(epsilon).upper
        for others in data:
            for before, after in changes:
                pair = [sums_of_batches((*others, *[one] * group), batch, anew) for one in (before, after)]
                assert delta(*pair, sigma, epsilon) <= upper + 1e-6
        equal = [sums_of_batches((*[0.0] * records, *[one] * group), batch, anew) for one in (1.0, 0.0)]
        for one, pair in ((loss.one_way, equal), (loss.reversed.one_way, equal[::-1])):
            lower, attained = one.delta(epsilon).lower, delta(*pair, sigma, epsilon)
            assert attained - 2e-3 * attained - 1e-6 <= lower <= attained + 1e-6


def test_one_record_without_replacement_is_a_sample_of_fixed_size():
    for steps in (1, 100):
        ours = FixedBatches(1.0, 99, 10, steps).epsilon(1e-6)
        theirs = SubsampledGaussian(1.0, 0.1, steps, "fixed-size").epsilon(1e-6)
        assert ours.upper == pytest.approx(theirs.upper, rel=1e-6)
        assert ours.lower == pytest.approx(theirs.lower, rel=1e-4)


def test_rare_places_beyond_what_is_computed_are_given_away():
    loss = with_replacement(0.05, 9, 20)  # two lengths are all that fit
    assert places_in_batch.LARGEST_MU * 0.05 == 2.0
    beyond = 1.0 - sum(comb(20, k) * 0.1**k * 0.9 ** (20 - k) for k in range(3))
    answer = loss.delta(3000.0)
    assert answer.upper == pytest.approx(beyond, rel=1e-6) and answer.lower == 0.0
    # With so little noise a test nearly always sees whether the record is in the batch at all.
    assert 0.8 < loss.delta(0.5).lower <= 1.0 - 0.9**20


def test_draws_that_nearly_always_have_the_record_are_answered():
    answer = with_replacement(4.0, 1, 99, 1).epsilon(1e-6)  # the record has half of 99 places
    assert 0.0 < answer.lower <= answer.upper < 1e4
    assert answer.upper >= pld.gaussian(4.0 / 50.0).epsilon(0.6).lower


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"records": 5, "batch": 6}, "batch must be at most records = 5"),
        ({"records": 5, "batch": 6, "sampling": "anew"}, "sampling must be one of"),
        ({"records": 1, "batch": 102, "sampling": "with-replacement"}, "batch must be at most 100"),
        ({"records": 9, "batch": 3, "sigma": 0.02}, "sigma must be at least 0.025"),
        ({"records": 9, "batch": 3, "group": 101}, "group must be"),
    ],
)
def test_what_is_no_batch_gets_one_line(values, message):
    with pytest.raises(ParameterError, match=message):
        FixedBatches(**{"sigma": 1.0} | values).epsilon(1e-6)
