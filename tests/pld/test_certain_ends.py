"""Ends that are certain without any inversion, orders beyond where laws are cut, and what is refused."""

import math
from fractions import Fraction
from math import inf, nextafter

import numpy as np
import pytest
from certificates import contains
from flint import arb, ctx

from pldcheck import pld
from pldcheck.core.errors import ParameterError
from pldcheck.core.interval import checked_lower
from pldcheck.protocols import Composition, DecayingBudgets, Laplace, RandomizedResponse, SubsampledGaussian

UNIT = 2.0**-53


def test_a_discrete_gaussian_is_answered_at_an_order_beyond_its_cut():
    # Closed form at whole orders: alpha/(2 sigma^2) (Canonne, Kamath and Steinke 2020, Proposition 5).
    for order in (2, 30, 37, 38, 100, 1024, 10**6):
        interval = Composition(("discrete-gaussian:1",)).renyi(order)
        assert interval.lower <= order / 2 <= interval.upper and interval.relative_width < 1e-14


def test_a_sample_of_fixed_size_is_answered_at_an_order_beyond_its_cut():
    # Issue 17: truth at least 49.3, from the sum over k of binomial(100, k) 2^-100 e^(k(k - 1)/2).
    with ctx.workprec(300):
        total = sum((arb(100).bin(k) / arb(2) ** 100 * (arb(k * k - k) / 2).exp() for k in range(101)), arb(0))
        truth = total.log() / 99
    for sampling in ("fixed-size", "poisson"):
        interval = SubsampledGaussian(1.0, 0.5, 1, sampling).renyi(100)
        assert contains(interval, truth) and interval.relative_width < 1e-12


@pytest.mark.parametrize("sigma", [0.03, 1.0, 50.0])
def test_renyi_divergences_do_not_jump_where_the_moment_takes_over(sigma):
    switch = 1.0 + 28.6 * sigma
    one = pld.subsampled_gaussian(sigma, 0.1)
    below, above = one.renyi(switch * (1 - 1e-9)), one.renyi(switch * (1 + 1e-9))
    assert below.lower <= above.upper and above.relative_width < 1e-9


def test_the_loss_of_a_laplace_step_ends_at_its_largest():
    # delta(epsilon) = 1 - e^((epsilon - eps0)/2), and 0 from eps0 on.
    assert tuple(Laplace(1.0).delta(1.0)) == (0.0, 0.0)
    assert tuple(Laplace(1.0, 3).delta(3.0)) == (0.0, 0.0)
    assert Laplace(1.0).delta(nextafter(1.0, 0.0)).lower > 0.0
    # 1/3 is above the float next to it: there delta is not 0.
    third = 1 / 3
    assert Fraction(third) < Fraction(1, 3)
    assert Laplace(3.0).delta(third).upper > 0.0 and Laplace(3.0).delta(nextafter(third, 1.0)).upper == 0.0


@pytest.mark.parametrize("eps0", [0.1, 1.0, 20.0, 1e-9])
@pytest.mark.parametrize("count", [1, 3, 1000, 10**9])
def test_responses_lose_no_more_than_the_sum_of_their_budgets(eps0, count):
    mechanism = pld.randomized_response(eps0).compose(count)
    exact = Fraction(eps0) * count
    for delta in (1e-320, 1e-300, 1e-12):
        low, high = mechanism.epsilon(delta)
        assert Fraction(low) <= exact and Fraction(nextafter(high, 0.0)) <= exact
    at = float(exact) if Fraction(float(exact)) >= exact else nextafter(float(exact), inf)
    assert tuple(mechanism.delta(at)) == (0.0, 0.0)
    # UNDERFLOW: below it delta is not zero, however small it is.
    assert mechanism.delta(at * (1 - 1e-9)).upper > 0.0


def test_the_mass_at_infinity_itself_is_a_delta_that_is_reached():
    # (1, d)-randomized response is (1, d)-DP: epsilon at d is finite, and just below d it is not.
    interval = pld.randomized_response(1.0, 1e-6).epsilon(1e-6)
    assert interval.upper == 1.0 and interval.lower >= 1.0 - 4 * UNIT
    assert pld.randomized_response(1.0, 1e-6).epsilon(nextafter(1e-6, 0.0)).lower == inf


@pytest.mark.parametrize("sigma", [0.01, 1.0, 1e9])
@pytest.mark.parametrize("delta", [5e-324, 1e-320, 1e-300, 1e-100, 0.5, 1 - 2.0**-53])
def test_gaussians_are_narrow_at_any_delta(sigma, delta):
    interval = pld.gaussian(sigma).compose(3).epsilon(delta)
    assert interval.upper < inf and interval.width <= 1e-12 * interval.upper


def test_a_bounded_loss_beside_a_gaussian_one_is_finite_at_any_delta():
    interval = Composition(("laplace:1*3", "gaussian:1")).epsilon(1e-300)
    assert interval.upper < 3.0 + pld.gaussian(1).epsilon(1e-300).upper * (1 + 1e-12)


def test_subnormal_masses_are_refused_in_one_line():
    # Issue 17: said 739.572119 where 739.572144 is right.
    with pytest.raises(ParameterError, match="at least 1e-300"):
        pld.from_pmf([7e-323, 1], [0.11764997025025604, 0.882350029749744])
    interval = pld.from_pmf([1e-299, 1], [0.11764997025025604, 0.882350029749744]).epsilon(0.01)
    assert 686.24 < interval.lower <= interval.upper < 686.25 and interval.relative_width < 1e-12


def test_masses_mean_their_shares_of_the_sum():
    p, q = [0.25, 0.75 + 9e-10], [0.75 - 9e-10, 0.25]
    exact_p = [Fraction(w) / sum(map(Fraction, p)) for w in p]
    exact_q = [Fraction(w) / sum(map(Fraction, q)) for w in q]
    truth = sum(max(a - b, Fraction(0)) for a, b in zip(exact_p, exact_q, strict=True))
    interval = pld.from_pmf(p, q).delta(0.0)
    assert interval.lower <= truth <= interval.upper and interval.width < 5e-14


def test_rows_that_differ_by_their_sums_only_are_not_taken_as_different():
    # p = q (1 + 2^-31) row by row: the shares are the same, and in floats they may look it or not.
    q = [0.3, 0.3, 0.4]
    interval = pld.from_pmf([w * (1 + 2.0**-31) for w in q], q).delta(0.0)
    assert interval.lower == 0.0 and interval.upper < 1e-14


def test_sides_that_contradict_are_an_error():
    with pytest.raises(ArithmeticError, match="internal error: the lower bound"):
        checked_lower(nextafter(1.0, 2.0), 1.0)
    with pytest.raises(ArithmeticError):
        checked_lower(math.nan, 1.0)
    assert checked_lower(1.0, 1.0) == 1.0


def test_budgets_that_are_computed_are_those_that_are_meant():
    for steps, first, last in ((7, 20.0, 1e-9), (1000, 0.1, 0.3)):
        exact = [Fraction(first) + (Fraction(last) - Fraction(first)) * i / (steps - 1) for i in range(steps)]
        law = RandomizedResponse(steps, first, last).loss.forward[0][0].upper
        for budget, exact_budget in zip(law.eps0.tolist(), exact, strict=True):
            assert abs(Fraction(budget) - exact_budget) <= Fraction(UNIT) * int(law.units) * exact_budget
        assert RandomizedResponse(steps, first, last).epsilon(1e-300).upper >= sum(exact) * (1 - Fraction(1, 10))
    # 1 - decay is a unit: steps - decay i would cancel.
    steps, decay = 1000, 1.0 - UNIT
    law = DecayingBudgets(steps, 1.0, decay).loss.forward[0][0].upper
    with ctx.workprec(200):
        for i in (0, 1, 500, 999):
            exact_budget = (1 + 1 / (steps - arb(decay) * i)).log()
            assert abs(arb(float(law.eps0[i])) - exact_budget) < law.units * UNIT * exact_budget


def test_the_mass_that_is_cut_off_is_less_than_what_is_charged():
    from pldcheck.pld import mechanisms, sampled_mechanisms

    with ctx.workprec(200):
        half = arb(2).sqrt()
        assert (arb("37.6") / half).erfc() < mechanisms.CUT
        assert (arb("37.55") / half).erfc() < sampled_mechanisms.CUT_OFF
    cells = sampled_mechanisms.gaussian_cells(0.3, sampled_mechanisms.fine_edges(1.0 / 0.3))
    assert cells.cut == sampled_mechanisms.CUT_OFF and np.isfinite(cells.largest_order)


def test_noise_that_has_no_numbers_is_refused():
    for make in (pld.gaussian, pld.laplace, pld.discrete_gaussian):
        with pytest.raises(ParameterError):
            make(1e-300)
