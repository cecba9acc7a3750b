"""Amplification by subsampling against the printed sums and integrals, in balls."""

import itertools
import math

import mpmath
import pytest
from flint import acb, arb, ctx

from pldcheck.core.errors import ConditionError, ParameterError, PldcheckError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.steinke22 import subsampling


def relative_error(value, exact):
    """Return the relative error, at most."""
    return float(abs(arb(value) / exact - 1).upper())


@pytest.mark.nightly
def test_the_file_declares_the_known_theorems():
    entries = [(entry.id, entry.quantity, entry.relation) for entry in subsampling.THEOREMS]
    assert entries == [
        ("sub-29", "delta", "="),
        ("rdp-34", "renyi", "="),
        ("rdp-35", "renyi", "<="),
        ("rdp-38", "renyi", "<="),
    ]


# --- approximate differential privacy ------------------------------------------------------------------------


def test_subsampled_delta_and_epsilon_agree_with_their_formulas():
    with ctx.workprec(200):
        for eps0, delta0, rate in itertools.product((1e-9, 1.0, 20.0), (1e-200, 1e-6, 0.9), (1e-30, 0.3, 1.0)):
            claim = REGISTRY["sub-29"](eps0=eps0, delta0=delta0, rate=rate)
            assert claim.value == claim.delta_total == rate * delta0
            assert claim.at == claim.epsilon
            assert relative_error(claim.at, (1 + arb(rate) * (arb(eps0).exp() - 1)).log()) < 1e-15


def test_subsampling_is_attained_by_randomized_response():
    """Outcomes: known record, truth, lie, known absence; sum of (pP + (1-p)Q - e^epsilon Q)_+."""
    with ctx.workprec(200):
        for eps0, delta0, rate in itertools.product((0.1, 3.0), (1e-9, 0.2), (0.01, 0.5, 1.0)):
            claim = REGISTRY["sub-29"](eps0=eps0, delta0=delta0, rate=rate)
            x, d, p = arb(eps0).exp(), arb(delta0), arb(rate)
            present = (d, (1 - d) * x / (1 + x), (1 - d) / (1 + x), arb(0))
            absent = present[::-1]
            # e^epsilon exactly: at the rounded epsilon the terms that should vanish may be positive.
            kappa = 1 + p * (x - 1)
            gaps = [p * P + (1 - p) * Q - kappa * Q for P, Q in zip(present, absent, strict=True)]
            # The second gap is zero, a ball around it.
            assert relative_error(claim.value, sum(gap for gap in gaps if gap > 0)) < 1e-14
            back = [Q - kappa * (p * P + (1 - p) * Q) for P, Q in zip(present, absent, strict=True)]
            assert sum(gap for gap in back if gap > 0) <= arb(claim.value) * (1 + arb("1e-14"))


def test_subsampling_needs_a_delta():
    with pytest.raises(ConditionError, match="sub-29 requires delta0 > 0; delta0 = 0.0 is the excluded limit"):
        REGISTRY["sub-29"](eps0=1, delta0=0, rate=0.5)
    with pytest.raises(PldcheckError, match="sub-29 is outside the range"):
        REGISTRY["sub-29"](eps0=1, delta0=1e-200, rate=1e-200)


# --- the exact divergence of subsampled Gaussian noise -------------------------------------------------------


def sum_of_moments(sigma, rate, order):
    """Return Theorem 34 as printed."""
    p, s = arb(rate), 2 * arb(sigma) ** 2
    total = (1 - p) ** (order - 1) * (1 + (order - 1) * p)
    for k in range(2, order + 1):
        total += arb(order).bin(k) * (1 - p) ** (order - k) * p**k * (k * (k - 1) / s).exp()
    return total.log() / (order - 1)


@pytest.mark.parametrize("order", [2, 3, 10, 64, 500])
def test_subsampled_renyi_divergences_agree_with_their_sum(order):
    with ctx.workprec(1500):
        for sigma, rate in itertools.product((0.1, 1.0, 50.0, 1e9), (1e-100, 1e-9, 0.01, 0.5, 0.999, 1.0)):
            claim = REGISTRY["rdp-34"](sigma=sigma, rate=rate, order=order)
            assert relative_error(claim.value, sum_of_moments(sigma, rate, order)) < 1e-12, (sigma, rate)
            assert (claim.at, claim.epsilon, claim.delta_total) == (order, claim.value, None)


@pytest.mark.nightly
def test_subsampled_renyi_divergences_agree_with_their_sum_at_the_largest_order():
    with ctx.workprec(400):
        for sigma, rate in ((100.0, 0.5), (2000.0, 0.3), (1.0, 1e-3)):
            value = REGISTRY["rdp-34"](sigma=sigma, rate=rate, order=10_000).value
            assert relative_error(value, sum_of_moments(sigma, rate, 10_000)) < 1e-11


def divergence(sigma, rate, order, backward):
    """Return D_order(pP + (1-p)Q || Q), or the reverse, for N(1, sigma^2) and N(0, sigma^2): an integral."""
    s, p = arb(sigma), arb(rate)

    def density(z, _):
        ratio = 1 - p + p * ((2 * z - 1) / (2 * s**2)).exp()
        return ratio ** (1 - order if backward else order) * (-z * z / (2 * s**2)).exp()

    # Up to the tail the integrand's centre is at order at the furthest.
    low, high = -30 * sigma, order + 30 * sigma
    value = acb.integral(density, low, high, rel_tol=arb(2) ** -60, abs_tol=arb(2) ** -80).real
    return (value / (s * (2 * arb.pi()).sqrt())).log() / (order - 1)


@pytest.mark.parametrize(("sigma", "rate", "order"), [(1.0, 0.1, 2), (0.8, 0.5, 5), (3.0, 0.01, 8)])
def test_the_subsampled_renyi_divergence_is_that_of_the_larger_direction(sigma, rate, order):
    with ctx.workprec(100):
        value = REGISTRY["rdp-34"](sigma=sigma, rate=rate, order=order).value
        assert relative_error(value, divergence(sigma, rate, order, backward=False)) < 1e-9
        assert divergence(sigma, rate, order, backward=True) < arb(value) * (1 + arb("1e-9"))


@pytest.mark.nightly
def test_a_sample_of_everything_is_plain_noise():
    for sigma, order in itertools.product((0.05, 1.0, 1e3), (2, 300)):
        value = REGISTRY["rdp-34"](sigma=sigma, rate=1, order=order).value
        assert value == pytest.approx(REGISTRY["zcdp-13"](sigma=sigma, steps=1, order=order).value, rel=1e-13, abs=0)


def test_conditions_on_the_order_are_checked():
    with pytest.raises(ConditionError, match="requires order is an integer; order = 2.5 exceeds it by 0.5"):
        REGISTRY["rdp-34"](sigma=1, rate=0.1, order=2.5)
    with pytest.raises(ConditionError, match="requires order <= 10000"):
        REGISTRY["rdp-34"](sigma=1, rate=0.1, order=10_001)
    with pytest.raises(ParameterError, match="order must be above 1 and at most 1e6"):
        REGISTRY["rdp-34"](sigma=1, rate=0.1, order=1)
    with pytest.raises(PldcheckError, match="rdp-34 is outside the range"):
        REGISTRY["rdp-34"](sigma=1, rate=1e-200, order=2)


# --- both directions -----------------------------------------------------------------------------------------


def renyi(p, q, order):
    """Return D_order of two coins, as defined."""
    a = arb(order)
    return (p**a * q ** (1 - a) + (1 - p) ** a * (1 - q) ** (1 - a)).log() / (a - 1)


def mixture(p, q, rate):
    return arb(rate) * arb(p) + (1 - arb(rate)) * arb(q)


HEADS = (1e-12, 0.01, 0.3, 0.5, 0.500000001, 0.98, math.nextafter(1, 0))


@pytest.mark.parametrize("order", [math.nextafter(1, 2), 1.0001, 1.5, 2.0, 7.3, 100.0, 1000.0, 1e6])
def test_mixed_pairs_agree_with_their_divergence(order):
    with ctx.workprec(2000):
        for p, q, rate in itertools.product(HEADS, HEADS, (1e-12, 0.2, 0.5, 1.0)):
            if p == q:
                continue
            claim = REGISTRY["rdp-35"](heads_p=p, heads_q=q, rate=rate, order=order)
            forward = renyi(mixture(p, q, rate), arb(q), order)
            other = renyi(mixture(q, p, rate), arb(p), order)
            assert relative_error(claim.value, forward.max(other)) < 1e-12, (p, q, rate)
            # What the theorem bounds; at rate 1 the second term is D(Q || P) itself, so equality occurs.
            assert renyi(arb(q), mixture(p, q, rate), order) <= arb(claim.value) * (1 + arb("1e-11"))


def test_one_direction_alone_is_not_a_bound():
    # mp.dps = 30, decimals as mpf: log(0.255**2/0.5 + 0.745**2/0.5) and log(0.25/0.255 + 0.25/0.745)
    forward, backward = 0.21519202152659, 0.274568433306398
    with ctx.workprec(100):
        assert float(renyi(mixture(0.01, 0.5, 0.5), arb(0.5), 2)) == pytest.approx(forward, rel=1e-13, abs=0)
        assert float(renyi(arb(0.5), mixture(0.01, 0.5, 0.5), 2)) == pytest.approx(backward, rel=1e-13, abs=0)
    assert REGISTRY["rdp-35"](heads_p=0.01, heads_q=0.5, rate=0.5, order=2).value > backward


@pytest.mark.nightly
def test_equal_coins_do_not_diverge():
    assert REGISTRY["rdp-35"](heads_p=0.3, heads_q=0.3, rate=0.5, order=2).value == 0
    with pytest.raises(PldcheckError, match="rdp-35 is outside the range"):
        REGISTRY["rdp-35"](heads_p=0.3, heads_q=0.4, rate=1e-200, order=2)


# --- the closed form -----------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_the_closed_form_agrees_with_its_formula():
    claim = REGISTRY["rdp-38"](sigma=10, rate=0.001, order=5)
    assert claim.value == pytest.approx(10 * 0.001**2 * 5 / 200, rel=1e-15, abs=0)
    assert (claim.at, claim.epsilon, claim.delta_total) == (5, claim.value, None)


def test_the_closed_form_is_above_the_sum_wherever_it_applies():
    trials = 0
    for sigma, rate in itertools.product((1.0, 1.5, 2.0, 5.0, 30.0), (1e-12, 1e-6, 1e-4, 0.003, 0.1, 0.4)):
        for order in range(2, 40):
            at = {"sigma": sigma, "rate": rate, "order": order}
            if not REGISTRY["rdp-38"].failed_conditions(**at):
                assert REGISTRY["rdp-34"](**at).value <= REGISTRY["rdp-38"](**at).value
                trials += 1
    assert trials > 100


def test_the_closed_form_fails_without_the_condition_on_rho():
    """The theory sheet's example: rho = 2, p = 1e-12, order 2: 5.36e-23 against 4e-23."""
    # mp.dps = 30: nstr(mpf(1e-12)**2 * (e**4 - 1), 15)
    at = {"sigma": 0.5, "rate": 1e-12, "order": 2}
    assert REGISTRY["rdp-34"](**at).value == pytest.approx(5.35981500331442e-23, rel=1e-13, abs=0)
    assert REGISTRY["rdp-38"].formula(**at) == pytest.approx(4e-23, rel=1e-15, abs=0)
    assert [condition.text for condition in REGISTRY["rdp-38"].failed_conditions(**at)] == [
        "sigma >= sqrt(1/2), that is, rho <= 1"
    ]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"rate": 0.5}, "rate < 1/2; rate = 0.5 is the excluded limit"),
        ({"rate": 1}, "rate < 1/2"),
        ({"sigma": 0.7}, "rho <= 1"),
        ({"sigma": 1e-200}, "rho <= 1"),
        ({"sigma": 1e3, "rate": 0.4}, "omega = "),
        ({"order": 50}, "order < omega"),
    ],
)
def test_conditions_of_the_closed_form_are_checked(change, text):
    at = {"sigma": 2.0, "rate": 0.001, "order": 3.0}
    assert REGISTRY["rdp-38"](**at).value > 0
    with pytest.raises(ConditionError) as error:
        REGISTRY["rdp-38"](**at | change)
    assert text in str(error.value)


def test_omega_is_the_smaller_of_its_two_terms():
    # sigma = 2: log(1/p)/(4 rho) = 2 log(1/p) is 13.8 at p = 1e-3 and 1 + p^(-1/4) is 6.62.
    theorem, at = REGISTRY["rdp-38"], {"sigma": 2.0, "rate": 1e-3}
    edge = 1 + 1e-3**-0.25
    assert not theorem.failed_conditions(**at, order=edge * (1 - 1e-12))
    assert theorem.failed_conditions(**at, order=edge)
    # sigma = 1: log(1/p)/2 is 13.8 at p = 1e-12 and 1 + p^(-1/4) is 1001.
    at = {"sigma": 1.0, "rate": 1e-12}
    edge = 6 * math.log(10)
    assert not theorem.failed_conditions(**at, order=edge * (1 - 1e-12))
    assert theorem.failed_conditions(**at, order=edge * (1 + 1e-12))


def test_a_mixture_with_a_moment_beyond_all_doubles_has_the_larger_direction():
    # A hunt: the larger of the two directions was not a number, and the other was returned.
    params = {"heads_p": 0.9999999999996754, "heads_q": 2.533014621739066e-08, "rate": 0.007623576926562821}
    with mpmath.workdps(60):
        p, q, rate = (mpmath.mpf(params[name]) for name in ("heads_p", "heads_q", "rate"))
        truths = []
        for one, other in ((p, q), (q, p)):
            heads = rate * one + (1 - rate) * other
            moment = heads**30 * other**-29 + (1 - heads) ** 30 * (1 - other) ** -29
            truths.append(mpmath.log(moment) / 29)
        assert REGISTRY["rdp-35"](**params, order=30.0).value == pytest.approx(float(max(truths)), rel=1e-12)
