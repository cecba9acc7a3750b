"""Gaussian noise against balls of thousands of bits."""

import itertools
import math
from fractions import Fraction

import pytest
from flint import arb, ctx

from pldcheck.core.errors import PldcheckError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.steinke22 import gaussian_noise


def relative_error(value, exact):
    """Return the relative error, at most."""
    return float(abs(arb(value) / exact - 1).upper())


def curve(sigma, steps, epsilon):
    """Return Corollary 10 as printed."""
    mu, eps = arb(steps).sqrt() / arb(sigma), arb(epsilon)

    def normal_below(z):
        return (-z / arb(2).sqrt()).erfc() / 2

    return normal_below(-eps / mu + mu / 2) - eps.exp() * normal_below(-eps / mu - mu / 2)


@pytest.mark.nightly
def test_the_file_declares_the_known_theorems():
    entries = [(theorem.id, theorem.quantity, theorem.relation) for theorem in gaussian_noise.THEOREMS]
    assert entries == [
        ("gauss-8", "delta", "="),
        ("gauss-10", "delta", "="),
        ("zcdp-13", "renyi", "="),
        ("zcdp-14", "epsilon", "<="),
        ("zcdp-14-tight", "delta", "<="),
    ]


# --- the exact curve -----------------------------------------------------------------------------------------

SIGMA = (1e-3, 0.05, 0.3, 0.7, 1.0, 1.5, 4.0, 30.0, 1e3, 1e9)


@pytest.mark.parametrize("sigma", SIGMA)
def test_gaussian_noise_agrees_with_its_formula(sigma):
    """Thresholds t = epsilon sigma - 1/(2 sigma) from far below 0 to 37, where delta is 1e-300."""
    trials = 0
    with ctx.workprec(4000):
        for t in (-600.0, -40.0, -3.0, -0.51, -0.49, -0.1, 0.0, 1e-9, 0.3, 1.0, 2.0, 5.0, 12.0, 25.0, 36.5):
            epsilon = (t + 0.5 / sigma) / sigma
            exact = curve(sigma, 1, epsilon) if epsilon >= 0 else arb(0)
            if exact > arb("1e-300"):
                claim = REGISTRY["gauss-8"](sigma=sigma, epsilon=epsilon)
                assert relative_error(claim.value, exact) < 1e-14, (sigma, t)
                assert (claim.at, claim.epsilon, claim.delta_total) == (epsilon, epsilon, claim.value)
                trials += 1
    assert trials > 6


def test_composed_gaussian_noise_agrees_with_its_formula():
    with ctx.workprec(4000):
        for sigma, steps, epsilon in itertools.product((0.7, 20.0, 1e6), (1, 7, 10**5, 10**12), (0.0, 0.1, 3.0, 600.0)):
            exact = curve(sigma, steps, epsilon)
            if exact > arb("1e-300"):
                claim = REGISTRY["gauss-10"](sigma=sigma, steps=steps, epsilon=epsilon)
                assert relative_error(claim.value, exact) < 1e-14, (sigma, steps, epsilon)


def test_a_large_epsilon_close_to_the_mean_loss_keeps_its_digits():
    """Here t is a difference of numbers near 700 and enters as exp(-t^2/2)."""
    with ctx.workprec(4000):
        for t in (1.0, 20.0, 36.0):
            sigma = 1 / 1414.0
            epsilon = (t + 707) * 1414.0
            assert (
                relative_error(REGISTRY["gauss-8"](sigma=sigma, epsilon=epsilon).value, curve(sigma, 1, epsilon))
                < 1e-14
            )


@pytest.mark.nightly
def test_one_step_is_the_univariate_curve():
    for sigma, epsilon in itertools.product((0.3, 2.0), (0.0, 1.0, 4.0)):
        one = REGISTRY["gauss-10"](sigma=sigma, steps=1, epsilon=epsilon)
        assert one.value == REGISTRY["gauss-8"](sigma=sigma, epsilon=epsilon).value


def test_values_agree_with_the_pinned_ones():
    # mp.dps = 30: nstr(ncdf(-.5) - e * ncdf(-1.5), 15)
    assert REGISTRY["gauss-8"](sigma=1, epsilon=1).value == pytest.approx(0.126936737506644, rel=1e-13, abs=0)


@pytest.mark.nightly
def test_values_beyond_the_range_are_refused():
    assert REGISTRY["gauss-8"](sigma=1e-3, epsilon=0).value == 1.0
    # mu / sqrt(2 pi)
    tiny = REGISTRY["gauss-8"](sigma=1e9, epsilon=0).value
    assert tiny == pytest.approx(1e-9 / math.sqrt(2 * math.pi), rel=1e-14, abs=0)
    for arguments in ({"sigma": 1.0, "epsilon": 60.0}, {"sigma": 1e9, "epsilon": 1.0}, {"sigma": 1e-200, "epsilon": 0}):
        with pytest.raises(PldcheckError, match="gauss-8 is outside the range"):
            REGISTRY["gauss-8"](**arguments)


# --- concentrated differential privacy -----------------------------------------------------------------------


def test_concentrated_privacy_agrees_with_its_formula():
    for sigma, steps, order in itertools.product((1e-3, 0.7, 1e9), (1, 10**12), (1.5, 1e6)):
        claim = REGISTRY["zcdp-13"](sigma=sigma, steps=steps, order=order)
        exact = Fraction(order) * steps / (2 * Fraction(sigma) ** 2)
        assert abs(Fraction(claim.value) / exact - 1) < 1e-15
        assert (claim.epsilon, claim.delta_total, claim.to_dict()["order"]) == (claim.value, None, order)


def test_epsilon_of_concentrated_privacy_agrees_with_its_formula():
    with ctx.workprec(200):
        for sigma, steps, delta in itertools.product(
            (0.1, 5.0, 1e9), (1, 10**12), (5e-324, 1e-6, math.nextafter(1, 0))
        ):
            rho = steps / (2 * arb(sigma) ** 2)
            claim = REGISTRY["zcdp-14"](sigma=sigma, steps=steps, delta=delta)
            assert relative_error(claim.value, rho + 2 * (-rho * arb(delta).log()).sqrt()) < 1e-14


def best_order(sigma, steps, epsilon):
    """Return Proposition 14 at the zero of the derivative, bisected with 300 bits."""
    rho, eps = steps / (2 * arb(sigma) ** 2), arb(epsilon)
    low, high = arb(-3000), arb(3000)
    for _ in range(300):
        b = ((low + high) / 2).mid().exp()
        slope = (2 * b + 1) * rho - eps - (1 + 1 / b).log()
        low, high = ((low + high) / 2, high) if slope < 0 else (low, (low + high) / 2)
        low, high = low.mid(), high.mid()
    a = 1 + low.exp()
    return ((a - 1) * (a * rho - eps)).exp() * (1 - 1 / a) ** a / (a - 1)


TIGHT = [
    (sigma, steps, epsilon)
    for sigma, steps, epsilon in itertools.product((0.3, 2.0, 50.0), (1, 100), (0.0, 0.01, 1.0, 10.0, 200.0))
    if (epsilon * sigma) ** 2 / (2 * steps) < 650
]


@pytest.mark.parametrize(("sigma", "steps", "epsilon"), TIGHT)
def test_delta_of_concentrated_privacy_agrees_with_its_formula(sigma, steps, epsilon):
    with ctx.workprec(6000):
        value = REGISTRY["zcdp-14-tight"](sigma=sigma, steps=steps, epsilon=epsilon).value
        assert relative_error(value, best_order(sigma, steps, epsilon)) < 1e-12
        # No more than the simple tail bound, where that is stated, and no less than the truth.
        rho = steps / (2 * sigma**2)
        if epsilon >= rho:
            assert value <= math.exp(-((epsilon - rho) ** 2) / (4 * rho)) * (1 + 1e-12)
        assert curve(sigma, steps, epsilon) <= arb(value) * (1 + arb("1e-12"))


def test_delta_of_concentrated_privacy_is_right_at_the_ends():
    assert REGISTRY["zcdp-14-tight"](sigma=1e-100, steps=1, epsilon=0).value == 1.0
    with pytest.raises(PldcheckError, match="zcdp-14-tight is outside the range"):
        REGISTRY["zcdp-14-tight"](sigma=1e9, steps=1, epsilon=1)
    assert 0 < REGISTRY["zcdp-14-tight"](sigma=1e9, steps=1, epsilon=0).value < 1e-8


def test_the_curve_agrees_with_the_order_bound_of_zcdp_14():
    """zcdp-14's epsilon inserted into zcdp-14-tight gives at most its delta."""
    for sigma, steps, delta in itertools.product((0.5, 3.0), (1, 1000), (1e-3, 1e-9)):
        epsilon = REGISTRY["zcdp-14"](sigma=sigma, steps=steps, delta=delta).value
        assert REGISTRY["zcdp-14-tight"](sigma=sigma, steps=steps, epsilon=epsilon).value < delta
