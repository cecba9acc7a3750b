"""Gaussian noise on samples by every route of section 6, typed again at 60 digits."""

import math
import random

import mpmath
import pytest
from mpmath import mpf

from pldcheck.core.errors import ConditionError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.steinke22 import sampled_noise


@pytest.mark.nightly
def test_the_file_declares_the_known_theorems():
    assert [(entry.id, entry.quantity, entry.relation) for entry in sampled_noise.THEOREMS] == [
        ("sub-29-gaussian", "delta", "="),
        ("sub-29-fixed", "delta", "="),
        ("rdp-35-weighted", "renyi", "<="),
        ("rdp-41", "renyi", "<="),
        ("rdp-42", "renyi", "<="),
        ("rdp-42-lower", "renyi", ">="),
        ("sgd-6.3", "epsilon", "<="),
        ("sgd-6.7", "epsilon", "<="),
        ("rdp-6.7-replaced", "renyi", "<="),
    ]


def relative_error(value, exact):
    return float(abs(mpf(value) / exact - 1))


@pytest.mark.nightly
def test_sampled_gaussian_noise_has_a_share_of_delta():
    with mpmath.workdps(60):
        for sigma, eps0, rate in ((0.5, 4.0, 0.9), (2.0, 0.1, 1e-3), (1.0, 1.0, 1.0)):
            s = mpf(sigma)
            delta0 = mpmath.ncdf(1 / (2 * s) - eps0 * s) - mpmath.exp(mpf(eps0)) * mpmath.ncdf(-1 / (2 * s) - eps0 * s)
            for name in ("sub-29-gaussian", "sub-29-fixed"):
                claim = REGISTRY[name](sigma=sigma, eps0=eps0, rate=rate)
                assert relative_error(claim.value, mpf(rate) * delta0) < 1e-13
                assert relative_error(claim.at, mpmath.log(1 + mpf(rate) * (mpmath.exp(mpf(eps0)) - 1))) < 1e-15
    at = {"sigma": 2.0, "eps0": 1.0, "rate": 0.25}
    assert REGISTRY["sub-29-gaussian"].subject(**at) == {"sigma": 2.0, "rate": 0.25}
    assert REGISTRY["sub-29-fixed"].subject(**at) == {"sigma": 2.0, "rate": 0.25, "sampling": "fixed-size"}
    assert REGISTRY["sub-29-fixed"].adjacency == "replace"


def moment(p, q, order):
    """Return e^((order-1) D) of two coins, as defined."""
    return p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)


def test_next_to_rate_1_the_small_weight_of_the_large_moment_is_precise():
    # 60 digits; 1 less the rounded larger weight was wrong by 5e-9 here.
    at = {"heads_p": 2.1481871552396638e-08, "heads_q": 2.902638014365136e-12, "rate": 0.9999999972944544, "order": 8.0}
    assert REGISTRY["rdp-35-weighted"](**at).value == pytest.approx(3.338850886887805477128, rel=1e-12)


@pytest.mark.nightly
def test_the_weighted_bound_lies_between_the_divergence_and_the_larger_direction():
    choice = random.Random(6)
    with mpmath.workdps(60):
        for _ in range(60):
            p, q, rate = (choice.uniform(0.001, 0.999) for _ in range(3))
            order = 1 + 10 ** choice.uniform(-2, 1.5)
            a, r, one, other = mpf(order), mpf(rate), mpf(p), mpf(q)
            mixture, exchanged = r * one + (1 - r) * other, r * other + (1 - r) * one
            share = (2 * a - 1) * r / ((2 * a - 1) * r + 3 * (1 - r))
            exact = (1 - share) * moment(mixture, other, a) + share * moment(exchanged, one, a)
            at = {"heads_p": p, "heads_q": q, "rate": rate, "order": order}
            claim = REGISTRY["rdp-35-weighted"](**at).value
            assert relative_error(claim, mpmath.log(exact) / (a - 1)) < 1e-11, at
            assert mpmath.log(moment(other, mixture, a)) / (a - 1) <= mpf(claim) * (1 + mpf("1e-11"))
            assert claim <= REGISTRY["rdp-35"](**at).value * (1 + 1e-11)
    assert REGISTRY["rdp-35-weighted"](heads_p=0.3, heads_q=0.3, rate=0.5, order=2).value == 0
    # At rate 1 the whole weight is on the exchanged side.
    assert REGISTRY["rdp-35-weighted"](heads_p=0.3, heads_q=0.6, rate=1, order=2).value > 0


@pytest.mark.nightly
def test_other_weights_are_refuted():
    """The third derivative at x = 1 must vanish: with 5 % more or less it is false for some nearly equal coins."""
    with mpmath.workdps(60):
        other, r, a = mpf("0.001"), mpf("0.3"), mpf(4)
        share = (2 * a - 1) * r / ((2 * a - 1) * r + 3 * (1 - r))
        for factor, is_false in (("1.05", True), ("0.95", True), ("1", False)):
            part, excess = share * mpf(factor), []
            for change in (mpf("0.01"), mpf("-0.01")):
                one = other * (1 + change)
                mixture, exchanged = r * one + (1 - r) * other, r * other + (1 - r) * one
                right = (1 - part) * moment(mixture, other, a) + part * moment(exchanged, one, a)
                excess.append(moment(other, mixture, a) - right)
            assert (max(excess) > 0) is is_false


def test_closed_forms_are_the_printed_ones():
    choice = random.Random(7)
    with mpmath.workdps(60):
        for _ in range(40):
            at = {
                "sigma": round(10 ** choice.uniform(-0.3, 1), 3),
                "rate": round(10 ** choice.uniform(-4, 0), 6),
                "order": round(choice.uniform(2, 40), 3),
            }
            s, p, a = (mpf(at[name]) for name in ("sigma", "rate", "order"))
            rho = 1 / (2 * s**2)
            chi = mpmath.exp(2 * rho) - 1
            analytic = 1 + mpmath.e / 2 * a * (a - 1) * p**2 * chi + (a * p) ** a * mpmath.exp(a * (a - 1) * rho)
            assert relative_error(REGISTRY["rdp-41"](**at).value, mpmath.log(analytic) / (a - 1)) < 1e-11, at
            norms = a / (a - 1) * mpmath.log(1 - p + p * mpmath.exp((1 - 1 / a) * a * rho))
            assert relative_error(REGISTRY["rdp-42"](**at).value, norms) < 1e-12, at
            below = a * rho - a / (a - 1) * mpmath.log(1 / p)
            if below > 0:
                assert relative_error(REGISTRY["rdp-42-lower"](**at).value, below) < 1e-10
            else:
                with pytest.raises(ConditionError, match=r"log\(1/rate\) < \(order - 1\) rho"):
                    REGISTRY["rdp-42-lower"](**at)


@pytest.mark.nightly
def test_large_exponents_do_not_overflow():
    with mpmath.workdps(60):
        rho = mpf(50)
        exact = mpf(1000) / 999 * mpmath.log(mpf("0.99") + mpf(0.01) * mpmath.exp(999 * rho))
        assert relative_error(REGISTRY["rdp-42"](sigma=0.1, rate=0.01, order=1000).value, exact) < 1e-13


@pytest.mark.nightly
def test_closed_forms_are_above_the_sum():
    for sigma in (0.7, 2.0, 10.0):
        for rate in (1e-4, 0.01, 0.5, 1.0):
            for order in (2, 3, 10, 40):
                at = {"sigma": sigma, "rate": rate, "order": order}
                truth = REGISTRY["rdp-34"](**at).value
                assert truth <= REGISTRY["rdp-41"](**at).value and truth <= REGISTRY["rdp-42"](**at).value * (1 + 1e-12)
                if not REGISTRY["rdp-42-lower"].failed_conditions(**at):
                    assert REGISTRY["rdp-42-lower"](**at).value <= truth * (1 + 1e-12)


@pytest.mark.nightly
def test_orders_below_2_are_refused_by_the_closed_form():
    assert not REGISTRY["rdp-41"].failed_conditions(sigma=1, rate=0.1, order=2)
    with pytest.raises(ConditionError, match="requires order >= 2"):
        REGISTRY["rdp-41"](sigma=1, rate=0.1, order=math.nextafter(2, 1))


@pytest.mark.nightly
def test_the_route_by_three_tails_is_the_printed_one():
    with mpmath.workdps(60):
        for sigma, rate, steps, delta0, delta in ((1.0, 0.01, 1000, 1e-9, 1e-6), (4.0, 0.3, 7, 1e-5, 1e-3)):
            rho, p, k = 1 / (2 * mpf(sigma) ** 2), mpf(rate), mpf(steps)
            eps0 = rho + 2 * mpmath.sqrt(rho * mpmath.log(1 / mpf(delta0)))
            eps1 = mpmath.log(1 + p * (mpmath.exp(eps0) - 1))
            advanced = k * eps1**2 / 2 + mpmath.sqrt(2 * mpmath.log(1 / mpf(delta)) * k * eps1**2)
            at = {"sigma": sigma, "rate": rate, "steps": steps, "delta0": delta0, "delta": delta}
            claim = REGISTRY["sgd-6.3"](**at)
            assert relative_error(claim.value, min(k * eps1, advanced)) < 1e-12
            assert relative_error(claim.at, mpf(delta) + k * p * mpf(delta0)) < 1e-14
            assert REGISTRY["sgd-6.3"].subject(**at) == {"sigma": sigma, "rate": rate, "steps": steps}
    at = {"sigma": 1.0, "rate": 0.5, "steps": 100, "delta": 0.5}
    assert not REGISTRY["sgd-6.3"].failed_conditions(**at, delta0=0.0099)
    with pytest.raises(ConditionError, match=r"delta \+ steps rate delta0 < 1"):
        REGISTRY["sgd-6.3"](**at, delta0=0.01)
    with pytest.raises(ConditionError, match="delta0 > 0; delta0 = 0.0 is the excluded limit"):
        REGISTRY["sgd-6.3"](**at, delta0=0)


@pytest.mark.nightly
def test_the_route_by_one_tail_is_a_minimum_over_orders():
    at = {"sigma": 1.5, "rate": 1e-3, "steps": 10**6, "delta": 1e-6}
    with mpmath.workdps(60):
        slope = 10 * mpf("1e-3") ** 2 * 10**6 / (2 * mpf("1.5") ** 2)
        inverse = mpmath.log(mpf(10) ** 6)
        values = [slope * a + inverse / (a - 1) for a in (1 + mpf(place) / 1000 for place in range(1, 20000))]
        claim = mpf(REGISTRY["sgd-6.7"](**at).value)
        assert 0 <= min(values) / claim - 1 < mpf("1e-6")
    assert REGISTRY["sgd-6.7"](**at).value < REGISTRY["sgd-6.3"](**at, delta0=1e-12).value


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"rate": 0.5}, "rate < 1/2; rate = 0.5 is the excluded limit"),
        ({"sigma": 0.7}, "rho <= 1"),
        ({"sigma": 1000.0}, "omega = "),
    ],
)
def test_conditions_of_the_one_tail_are_checked(change, text):
    at = {"sigma": 1.5, "rate": 1e-3, "steps": 10**6, "delta": 1e-6}
    assert REGISTRY["sgd-6.7"](**at).value > 0
    with pytest.raises(ConditionError) as error:
        REGISTRY["sgd-6.7"](**at | change)
    assert text in str(error.value)


@pytest.mark.nightly
def test_orders_end_at_the_limit_of_the_theorem():
    # R = 10 p^2 rho k; the best order is 1 + p^(-1/4), the limit here, at delta = e^(-R p^(-1/2)).
    slope, above = 10 * 1e-6 * 10**6 / (2 * 1.5**2), 1e-3**-0.25
    edge = math.exp(-slope * above**2)
    at = {"sigma": 1.5, "rate": 1e-3, "steps": 10**6}
    for factor in (1e-9, 1e-3, 1, 1e3):
        inverse = -math.log(edge * factor)
        best = slope + 2 * math.sqrt(slope * inverse) if factor >= 1 else slope * (1 + above) + inverse / above
        assert REGISTRY["sgd-6.7"](**at, delta=edge * factor).value == pytest.approx(best, rel=1e-12)


def amplified(sigma, rate, order):
    """Return Theorem 34 as printed, at 60 digits."""
    p, total = mpf(rate), mpf(0)
    for k in range(order + 1):
        total += (
            mpmath.binomial(order, k) * (1 - p) ** (order - k) * p**k * mpmath.exp(k * (k - 1) / (2 * mpf(sigma) ** 2))
        )
    return mpmath.log(total) / (order - 1)


@pytest.mark.nightly
def test_group_privacy_of_a_replaced_record_is_the_printed_sum():
    with mpmath.workdps(60):
        for sigma, rate, order in ((1.0, 0.1, 2), (4.0, 1e-3, 5), (2.0, 0.9, 12)):
            exact = (mpf(order) - mpf(1) / 2) / (order - 1) * amplified(sigma, rate, 2 * order)
            exact += amplified(sigma, rate, 2 * order - 1)
            at = {"sigma": sigma, "rate": rate, "order": order}
            assert relative_error(REGISTRY["rdp-6.7-replaced"](**at).value, exact) < 1e-11
            fields = {"sigma": sigma, "rate": rate, "sampling": "poisson-replaced"}
            assert REGISTRY["rdp-6.7-replaced"].subject(**at) == fields
    with pytest.raises(ConditionError, match="order is an integer; order = 2.5 exceeds it by 0.5"):
        REGISTRY["rdp-6.7-replaced"](sigma=1, rate=0.1, order=2.5)
    assert not REGISTRY["rdp-6.7-replaced"].failed_conditions(sigma=1, rate=0.1, order=5000)
    with pytest.raises(ConditionError, match="2 order <= 10000"):
        REGISTRY["rdp-6.7-replaced"](sigma=1, rate=0.1, order=5001)
