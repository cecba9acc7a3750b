"""Composition of pure and approximate differential privacy against sums of fractions and balls."""

import itertools
import math
from fractions import Fraction

import pytest
from flint import arb, ctx

from pldcheck.core.errors import ConditionError, ParameterError, PldcheckError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.steinke22 import composition_bounds


def ball(value):
    """Return a fraction as a ball."""
    return arb(value.numerator) / value.denominator


def relative_error(value, exact):
    """Return the relative error, at most."""
    return float(abs(arb(value) / exact - 1).upper())


def budgets(steps, first, last):
    """Return evenly spaced budgets, one by one."""
    first, last = Fraction(first), Fraction(last)
    return [first + (last - first) * i / max(1, steps - 1) for i in range(steps)]


@pytest.mark.nightly
def test_the_file_declares_the_known_theorems():
    entries = [(theorem.id, theorem.quantity, theorem.relation) for theorem in composition_bounds.THEOREMS]
    assert entries == [
        ("basic-1", "epsilon", "<="),
        ("zcdp-16", "renyi", "<="),
        ("adv-18", "epsilon", "<="),
        ("adv-22", "epsilon", "<="),
        ("neg-25", "error", ">="),
    ]


# --- composition ---------------------------------------------------------------------------------------------


GRID = list(itertools.product((1, 2, 3, 10, 1000), (1e-9, 0.1, 1.0, 20.0), (1e-9, 0.3, 1.0, 20.0)))
DELTAS = (5e-324, 1e-300, 1e-6, 0.5, math.nextafter(1, 0))


@pytest.mark.parametrize(("steps", "first", "last"), GRID)
def test_sums_of_budgets_agree_with_their_formulas(steps, first, last):
    list_of_budgets = budgets(steps, first, last)
    with ctx.workprec(300):
        total, squares = ball(sum(list_of_budgets)), ball(sum(budget**2 for budget in list_of_budgets))
        assert (
            relative_error(REGISTRY["basic-1"](steps=steps, eps0=first, eps0_last=last, delta=0.5).value, total) < 1e-14
        )
        for delta in DELTAS:
            advanced_composition = squares / 2 + (-2 * arb(delta).log() * squares).sqrt()
            claim = REGISTRY["adv-18"](steps=steps, eps0=first, eps0_last=last, delta=delta)
            assert relative_error(claim.value, total.min(advanced_composition)) < 1e-14
            assert claim.at == claim.delta_total == delta


def test_both_terms_of_the_minimum_occur():
    few = REGISTRY["adv-18"](steps=2, eps0=1, eps0_last=1, delta=1e-6)
    assert few.value == 2.0
    # 10000 * 0.01^2 / 2 + sqrt(2 * 10000 * 0.01^2 * log(1e6)) = 0.5 + sqrt(2 * 13.815510557964274)
    many = REGISTRY["adv-18"](steps=10**4, eps0=0.01, eps0_last=0.01, delta=1e-6)
    assert many.value == pytest.approx(0.5 + math.sqrt(27.631021115928548), rel=1e-14, abs=0)


@pytest.mark.nightly
def test_a_single_step_has_the_first_budget():
    for name in ("basic-1", "adv-18"):
        assert REGISTRY[name](steps=1, eps0=0.25, eps0_last=7, delta=1e-3).value == 0.25


@pytest.mark.nightly
def test_many_steps_are_a_closed_form():
    value = REGISTRY["adv-18"](steps=10**12, eps0=1e-7, eps0_last=3e-7, delta=1e-6).value
    # sum of squares: k (mean^2 + d^2 (k + 1) / (12 (k - 1))), mean 2e-7, d 2e-7
    squares = 10**12 * (Fraction(4) + Fraction(4 * (10**12 + 1), 12 * (10**12 - 1))) / 10**14
    assert value == pytest.approx(float(squares) / 2 + math.sqrt(2 * math.log(1e6) * squares), rel=1e-14, abs=0)


def test_approximate_composition_is_claimed_at_the_whole_delta():
    claim = REGISTRY["adv-22"](steps=1000, eps0=0.1, delta0=1e-9, delta=1e-6)
    assert claim.value == REGISTRY["adv-18"](steps=1000, eps0=0.1, eps0_last=0.1, delta=1e-6).value
    assert claim.delta_total == claim.at == 1e-6 + 1000 * 1e-9
    assert REGISTRY["adv-22"](steps=1000, eps0=0.1, delta0=0, delta=1e-6).at == 1e-6
    with pytest.raises(
        ConditionError, match=r"delta \+ steps delta0 < 1; delta0 = 0.001 is the excluded limit|exceeds"
    ):
        REGISTRY["adv-22"](steps=1000, eps0=0.1, delta0=1e-3, delta=1e-6)
    with pytest.raises(ParameterError, match="delta0 must be at least 0 and below 1"):
        REGISTRY["adv-22"](steps=1, eps0=0.1, delta0=1, delta=1e-6)


def test_pure_privacy_becomes_concentrated_as_the_formula_says():
    for steps, eps0, order in itertools.product((1, 10**12), (1e-5, 20), (math.nextafter(1, 2), 2.5, 1e6)):
        claim = REGISTRY["zcdp-16"](steps=steps, eps0=eps0, order=order)
        exact = Fraction(order) * steps * Fraction(eps0) ** 2 / 2
        assert abs(Fraction(claim.value) / exact - 1) < 1e-15
        assert (claim.epsilon, claim.at, claim.delta_total) == (claim.value, order, None)


def test_pure_to_concentrated_bounds_randomized_response():
    """D_alpha of coins with bias x/(1+x), at 200 bits."""
    with ctx.workprec(200):
        for eps0, order in itertools.product((0.01, 1.0, 5.0, 20.0), (1.001, 2.0, 10.0, 1000.0)):
            truth, a = 1 / (1 + (-arb(eps0)).exp()), arb(order)
            exact = (truth**a * (1 - truth) ** (1 - a) + (1 - truth) ** a * truth ** (1 - a)).log() / (a - 1)
            assert exact < arb(REGISTRY["zcdp-16"](steps=1, eps0=eps0, order=order).value)


def test_underflow_is_refused():
    with pytest.raises(PldcheckError, match="zcdp-16 is outside the range"):
        REGISTRY["zcdp-16"](steps=1, eps0=1e-200, order=2)


# --- the least error of a mean -------------------------------------------------------------------------------


def proof_value(epsilon, clients, dimension):
    """Return the proof's quadratic inequality solved, with n delta = 1/100, less the sampling error."""
    c = clients * (arb(epsilon).exp() - 1) / (2 * arb(dimension).sqrt())
    q = arb(1) / 12 - arb(2) / 100
    return (-c + (c * c + 4 * q).sqrt()) / 2 - 1 / (6 * arb(clients)).sqrt()


def test_the_constants_follow_from_the_proof():
    with ctx.workprec(200):
        trials = 0
        for epsilon, clients, dimension in itertools.product(
            (0.0, 1e-6, 0.01, 0.5, 3.0), (67, 1000, 10**6), (1, 70, 10**4, 10**8, 10**12)
        ):
            at = {"epsilon": epsilon, "clients": clients, "dimension": dimension}
            if not REGISTRY["neg-25"].failed_conditions(**at):
                assert arb(REGISTRY["neg-25"](**at).value) < proof_value(**at)
                trials += 1
        assert trials > 30


def test_the_error_of_gaussian_noise_is_above_the_least():
    """Noise of the classical variance 2 log(1.25/delta) d / (n epsilon)^2 on the mean, epsilon <= 1, not clipped."""
    for epsilon, clients in itertools.product((0.01, 0.1, 1.0), (100, 10**4)):
        dimension = math.ceil(1.01 * 67 * clients * math.expm1(epsilon) ** 2)
        claim = REGISTRY["neg-25"](epsilon=epsilon, clients=clients, dimension=dimension)
        noise = math.sqrt(2 * math.log(125 * clients) * dimension) / (clients * epsilon)
        assert claim.value < min(noise, 0.5)
        assert (claim.quantity, claim.at, claim.epsilon, claim.delta_total) == ("error", epsilon, epsilon, None)


@pytest.mark.nightly
def test_no_privacy_loss_leaves_the_constant():
    assert REGISTRY["neg-25"](epsilon=0, clients=100, dimension=1).value == 1 / 20


def test_the_conditions_on_the_mean_are_checked():
    at = {"epsilon": 0.1, "clients": 1000, "dimension": 10**6}
    with pytest.raises(ConditionError, match="requires clients >= 67; clients = 66 exceeds it by 1"):
        REGISTRY["neg-25"](**at | {"clients": 66})
    with pytest.raises(ConditionError, match=r"dimension >= 67 clients \(e\^epsilon - 1\)\^2; epsilon = 1e\+300"):
        REGISTRY["neg-25"](**at | {"epsilon": 1e300})
    edge = math.log1p(math.sqrt(10**6 / 67000))
    assert not REGISTRY["neg-25"].failed_conditions(**at | {"epsilon": edge})
    assert REGISTRY["neg-25"].failed_conditions(**at | {"epsilon": edge * (1 + 1e-12)})
