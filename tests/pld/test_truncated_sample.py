"""Poisson samples that are cut: all data of a few records by enumeration, and the chance to be used in fractions."""

from fractions import Fraction
from itertools import pairwise, product
from math import comb

import dp_accounting as dpa
import pytest
from small_data import delta, sums_of_cut_samples

from pldcheck import SubsampledGaussian
from pldcheck.accounting import interop
from pldcheck.core.errors import ParameterError
from pldcheck.pld.truncated_sample import _tail, _used_chance, truncated_gaussian
from pldcheck.protocols import TruncatedPoisson


@pytest.mark.parametrize(("sigma", "rate"), [(0.7, 0.3), (1.5, 0.6)])
@pytest.mark.parametrize("most", [2, 3])
def test_all_data_of_three_others_are_at_most_the_upper_end_and_attain_the_lower_one(sigma, rate, most):
    loss = truncated_gaussian(sigma, rate, 3, most)
    for epsilon in (0.1, 0.7):
        worst = [0.0, 0.0]
        for others in product((-1.0, 0.0, 1.0), repeat=3):
            with_record, without = (
                sums_of_cut_samples((*others, 1.0), rate, most),
                sums_of_cut_samples(others, rate, most),
            )
            worst[0] = max(worst[0], delta(with_record, without, sigma, epsilon))
            worst[1] = max(worst[1], delta(without, with_record, sigma, epsilon))
        for one, most_of_all in zip((loss.one_way, loss.reversed.one_way), worst, strict=True):
            interval = one.delta(epsilon)
            assert interval.lower <= most_of_all + 1e-6 and most_of_all <= interval.upper + 1e-6
        nothing = sums_of_cut_samples((0.0, 0.0, 0.0, 1.0), rate, most), sums_of_cut_samples((0.0,) * 3, rate, most)
        assert loss.one_way.delta(epsilon).lower == pytest.approx(delta(*nothing, sigma, epsilon), rel=2e-3)


@pytest.mark.parametrize(("records", "rate", "most"), [(3, 0.3, 2), (10, 0.25, 4), (60, 0.125, 20), (400, 0.01, 9)])
def test_chances_are_those_of_the_binomial_law(records, rate, most):
    q = Fraction(rate)
    chances = [comb(records, n) * q**n * (1 - q) ** (records - n) for n in range(records + 1)]
    cut = _tail(records, rate, most)
    assert (
        Fraction(cut.lower)
        <= sum(chances[most:])
        <= Fraction(cut.upper)
        <= Fraction(cut.lower) * (1 + Fraction(1, 10**9))
    )
    used = sum(chance * q * min(Fraction(1), Fraction(most, n + 1)) for n, chance in enumerate(chances))
    lower = Fraction(_used_chance(records, rate, most))
    assert lower <= used <= lower * (1 + Fraction(1, 10**9))


def test_where_cuts_are_unlikely_it_is_a_poisson_sample():
    plain = SubsampledGaussian(1.0, 0.01, 100).epsilon(1e-6)
    assert TruncatedPoisson(1.0, 0.01, 50, 60, 100).epsilon(1e-6) == plain  # no sample is cut
    rare = TruncatedPoisson(1.0, 0.01, 60_000, 2_000, 100).epsilon(1e-6)
    assert rare.upper == pytest.approx(plain.upper, rel=1e-6) and rare.lower == pytest.approx(plain.lower, rel=1e-6)
    often = TruncatedPoisson(1.0, 0.01, 60_000, 650, 100).epsilon(1e-6)
    assert often.lower <= plain.upper and often.upper > 1.5 * plain.upper


@pytest.mark.nightly
@pytest.mark.parametrize("most", [620, 700])
def test_the_event_of_dp_accounting_is_read_and_its_claim_lies_above(most):
    event = dpa.TruncatedSubsampledGaussianDpEvent(60_001, 0.01, most, 1.0)
    claim = dpa.pld.PLDAccountant(value_discretization_interval=1e-2).compose(event, 50).get_epsilon(1e-6)
    interval = interop.from_event(dpa.SelfComposedDpEvent(event, 50)).epsilon(1e-6)
    assert interval == TruncatedPoisson(1.0, 0.01, 60_000, most, 50).epsilon(1e-6)
    assert interval.lower < interval.upper < claim


def test_larger_batches_are_narrower():
    widths = [TruncatedPoisson(2.0, 0.02, 1000, most, 50).epsilon(1e-5).relative_width for most in (25, 35, 50, 80)]
    assert widths == sorted(widths, reverse=True) and widths[-1] < 1e-3


def test_the_less_likely_a_cut_is_the_less_it_costs():
    samples = [TruncatedPoisson(1.0, 0.01, 60_000, most) for most in (700, 1100, 1150, 1200, 2000, 60_000)]
    for ends in ([one.renyi(2.0).upper for one in samples], [one.epsilon(1e-150).upper for one in samples]):
        assert all(later <= before * (1 + 1e-9) for before, later in pairwise(ends))
    # The unlikely cut of the last ones is raised to 1e-280, a Poisson sample has none.
    plain = SubsampledGaussian(1.0, 0.01)
    assert samples[-1].epsilon(1e-150).upper == pytest.approx(plain.epsilon(1e-150).upper, rel=1e-9)
    assert samples[-1].delta(40.0).upper < 1e-279


def test_limits_may_be_met_by_rounded_products():
    for rate, most in ((0.07, 7), (0.28, 28)):  # a hundred times these floats is above the whole number
        assert TruncatedPoisson(1.0, rate, 100, most).epsilon(1e-6).upper < 10.0


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((1.0, 0.5, 100, 49), "largest_batch must be at least records \\* rate = 50, got 49"),
        ((0.04, 0.1, 100, 49), "sigma must be at least 0.05"),
        ((1.0, 0.9999, 100, 100), "rate must be at most 0.999"),
    ],
)
def test_numbers_out_of_range_are_refused(numbers, message):
    with pytest.raises(ParameterError, match=message):
        TruncatedPoisson(*numbers).epsilon(1e-6)
