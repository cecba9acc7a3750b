"""Composed randomized response against sums over all answers, and the binomial sum in balls."""

import itertools
import math
from fractions import Fraction

import pytest
from flint import arb, ctx

from pldcheck.core.errors import ConditionError, PldcheckError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.steinke22 import response_composition


def relative_error(value, exact):
    """Return the relative error, at most."""
    return float(abs(arb(value) / exact - 1).upper())


def ball(value):
    return arb(value.numerator) / value.denominator


def budgets(steps, first, last):
    first, last = Fraction(first), Fraction(last)
    return [first + (last - first) * i / max(1, steps - 1) for i in range(steps)]


def delta_by_enumeration(list_of_budgets, epsilon):
    """Sum of (P - e^epsilon Q)_+ over all sequences of truths and lies, budgets given as fractions."""
    kappa, total = arb(epsilon).exp(), arb(0)
    for signs in itertools.product((1, -1), repeat=len(list_of_budgets)):
        p = q = arb(1)
        for sign, budget in zip(signs, list_of_budgets, strict=True):
            p /= 1 + (-sign * ball(budget)).exp()
            q /= 1 + (sign * ball(budget)).exp()
        total += (p - kappa * q).max(arb(0))
    return total


def binomial(steps, eps0, epsilon):
    """Return the same for equal budgets, lies counted; eps0 is a ball."""
    kappa, x, total = arb(epsilon).exp(), eps0.exp(), arb(0)
    for i in range(steps + 1):
        total += arb(steps).bin(i) * (x ** (steps - i) - kappa * x**i).max(arb(0))
    return total / (1 + x) ** steps


@pytest.mark.nightly
def test_the_file_declares_the_known_theorems():
    entries = [
        (theorem.id, theorem.quantity, theorem.relation, theorem.zero) for theorem in response_composition.THEOREMS
    ]
    assert entries == [
        ("pld-7", "delta", "=", True),
        ("pld-9", "delta", "=", True),
        ("rr-24", "epsilon", "<=", True),
        ("kov", "delta", "=", True),
        ("kov-unequal", "delta", "=", True),
    ]


# --- equal budgets -------------------------------------------------------------------------------------------

EPS0 = (1e-6, 0.1, 1.0, 5.0, 20.0)


@pytest.mark.parametrize("steps", [1, 2, 3, 8, 61])
def test_compositions_agree_with_the_binomial_sum(steps):
    with ctx.workprec(3000):
        for eps0, part in itertools.product(EPS0, (0.0, 1e-3, 0.4, 0.5, 0.77, 0.999999)):
            epsilon = part * steps * eps0
            exact = binomial(steps, arb(eps0), epsilon)
            claim = REGISTRY["pld-7"](steps=steps, eps0=eps0, epsilon=epsilon)
            assert relative_error(claim.value, exact) < 1e-13, (eps0, epsilon)
            assert (claim.at, claim.epsilon, claim.delta_total) == (epsilon, epsilon, claim.value)


@pytest.mark.parametrize(("steps", "eps0", "epsilon"), [(3000, 0.05, 30.0), (3000, 0.5, 1100.0), (100_000, 1e-3, 9.0)])
def test_compositions_of_many_steps_agree_with_the_binomial_sum(steps, eps0, epsilon):
    with ctx.workprec(300):
        x, kappa = arb(eps0).exp(), arb(epsilon).exp()
        last = math.ceil((steps - Fraction(epsilon) / Fraction(eps0)) / 2) - 1
        term, total = (x / (1 + x)) ** steps, arb(0)
        for i in range(last + 1):
            total += term * (1 - kappa * x ** (2 * i - steps))
            term *= arb(steps - i) / (i + 1) / x
        assert relative_error(REGISTRY["pld-7"](steps=steps, eps0=eps0, epsilon=epsilon).value, total) < 1e-11


def test_compositions_agree_with_enumeration():
    with ctx.workprec(200):
        for steps, epsilon in itertools.product((1, 2, 5), (0.0, 0.3, 0.9)):
            exact = delta_by_enumeration([Fraction(0.5)] * steps, epsilon)
            if exact > 0:
                assert relative_error(REGISTRY["pld-7"](steps=steps, eps0=0.5, epsilon=epsilon).value, exact) < 1e-13


def test_delta_just_below_the_largest_loss_is_right():
    """The gap of one rounding unit is the answer's only factor that is not trivial."""
    epsilon = math.nextafter(3.0, 0)
    with ctx.workprec(300):
        exact = binomial(3, arb(1), epsilon)
        assert relative_error(REGISTRY["pld-7"](steps=3, eps0=1, epsilon=epsilon).value, exact) < 1e-13
        assert relative_error(REGISTRY["pld-9"](steps=3, eps0=1, eps0_last=1, epsilon=epsilon).value, exact) < 1e-13


def test_zero_is_claimed_from_the_largest_loss_on_only():
    for epsilon in (3.0, 3.5, 1e308):
        assert REGISTRY["pld-7"](steps=3, eps0=1, epsilon=epsilon).value == 0
        assert REGISTRY["pld-9"](steps=3, eps0=0.5, eps0_last=1.5, epsilon=epsilon).value == 0
        assert REGISTRY["kov"](steps=3, eps0=1, delta0=0, epsilon=epsilon).value == 0
        assert REGISTRY["kov"](steps=3, eps0=1, delta0=0.5, epsilon=epsilon).value == 0.875
    # 0.1 is a double above 1/10: ten steps lose a little more than the double 1.
    assert 0 < REGISTRY["pld-7"](steps=10, eps0=0.1, epsilon=1.0).value < 1e-15
    for name, more in (("pld-7", {}), ("kov", {"delta0": 0})):
        with pytest.raises(PldcheckError, match=f"{name} is outside the range"):
            REGISTRY[name](steps=10**5, eps0=0.1, epsilon=9000.0, **more)
    with pytest.raises(PldcheckError, match="pld-9 is outside the range"):
        REGISTRY["pld-9"](steps=1, eps0=5e-324, eps0_last=1, epsilon=0)


@pytest.mark.parametrize("name", ["pld-7", "kov", "rr-24"])
def test_the_number_of_steps_is_limited(name):
    at = {"eps0": 1.0, "delta0": 0.0, "epsilon": 1.0, "scale": 10.0, "delta": 1e-6, "steps": 100_001}
    with pytest.raises(ConditionError, match="requires steps <= 100000; steps = 100001 exceeds it by 1"):
        REGISTRY[name](**{key: at[key] for key in REGISTRY[name].parameters})


# --- unequal budgets -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("steps", "first", "last"), [(1, 0.7, 3.0), (2, 1e-9, 1.0), (5, 0.1, 0.3), (7, 20.0, 0.01)])
def test_convolutions_agree_with_enumeration(steps, first, last):
    list_of_budgets = budgets(steps, first, last)
    with ctx.workprec(600):
        for part in (0.0, 0.01, 0.3, 0.71, 0.999):
            epsilon = float(part * sum(list_of_budgets))
            claim = REGISTRY["pld-9"](steps=steps, eps0=first, eps0_last=last, epsilon=epsilon)
            assert relative_error(claim.value, delta_by_enumeration(list_of_budgets, epsilon)) < 1e-13
            assert (claim.at, claim.delta_total) == (epsilon, claim.value)


@pytest.mark.nightly
def test_equal_budgets_convolve_to_the_binomial():
    with ctx.workprec(300):
        for eps0, epsilon in itertools.product((0.1, 2.0), (0.0, 0.5, 1.5)):
            value = REGISTRY["pld-9"](steps=16, eps0=eps0, eps0_last=eps0, epsilon=epsilon).value
            assert relative_error(value, binomial(16, arb(eps0), epsilon)) < 1e-13


@pytest.mark.nightly
def test_convolution_stops_at_sixteen_steps():
    with pytest.raises(ConditionError, match="requires steps <= 16; steps = 17 exceeds it by 1"):
        REGISTRY["pld-9"](steps=17, eps0=1, eps0_last=2, epsilon=1)


# --- approximate budgets -------------------------------------------------------------------------------------


def delta_of_paper(steps, eps0, delta0, i):
    """Return Theorem 3.3 of Kairouz, Oh, Viswanath as printed: delta at epsilon = (k - 2i) eps0."""
    e = arb(eps0).exp()
    total = sum(arb(steps).bin(l) * (e ** (steps - l) - e ** (steps - 2 * i + l)) for l in range(i))  # noqa: E741
    return 1 - (1 - arb(delta0)) ** steps * (1 - total / (1 + e) ** steps)


def test_optimal_composition_agrees_with_the_printed_formula():
    with ctx.workprec(600):
        for steps, eps0, delta0 in itertools.product((1, 4, 9, 40), (0.125, 2.0), (0.0, 1e-300, 1e-9, 0.3)):
            for i in range(1, steps // 2 + 1):
                # (k - 2i) eps0 is exact for these eps0.
                claim = REGISTRY["kov"](steps=steps, eps0=eps0, delta0=delta0, epsilon=(steps - 2 * i) * eps0)
                assert relative_error(claim.value, delta_of_paper(steps, eps0, delta0, i)) < 1e-13


@pytest.mark.nightly
def test_without_delta0_optimal_composition_is_the_pure_curve():
    at = {"steps": 50, "eps0": 0.2, "epsilon": 3.3}
    assert REGISTRY["kov"](**at, delta0=0).value == REGISTRY["pld-7"](**at).value


# --- Laplace noise -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scale", "steps"), [(1.0, 1), (0.5, 2), (3.0, 7), (10.0, 100), (1e6, 3), (0.02, 3), (100.0, 2000)]
)
@pytest.mark.parametrize("delta", [1e-280, 1e-12, 1e-6, 0.01, 0.3])
def test_laplace_is_the_epsilon_of_randomized_response_rounded_up(scale, steps, delta):
    claim = REGISTRY["rr-24"](scale=scale, steps=steps, delta=delta)
    assert (claim.quantity, claim.at, claim.delta_total, claim.epsilon) == ("epsilon", delta, delta, claim.value)
    with ctx.workprec(2500):
        eps0 = 1 / arb(scale)
        assert binomial(steps, eps0, claim.value) <= arb(delta)
        lower = claim.value * (1 - 1e-10) - 1e-10 / scale
        assert claim.value == 0 or lower < 0 or binomial(steps, eps0, lower) > arb(delta)


@pytest.mark.nightly
def test_laplace_noise_is_right_at_a_loss_itself():
    # Two responses of budget 1 at epsilon = 0: delta = P(2) - Q(2) = (x^2 - 1)/(1 + x)^2 = (x - 1)/(x + 1).
    edge = math.tanh(0.5)
    assert REGISTRY["rr-24"](scale=1, steps=2, delta=edge * (1 + 1e-10)).value == 0
    assert 0 < REGISTRY["rr-24"](scale=1, steps=2, delta=edge * (1 - 1e-10)).value < 1e-9


def test_laplace_is_never_above_basic_composition():
    for scale, steps, delta in itertools.product((0.1, 1.0, 50.0), (1, 10, 1000), (1e-200, 1e-9)):
        assert REGISTRY["rr-24"](scale=scale, steps=steps, delta=delta).value <= steps / scale * (1 + 1e-14)


def test_one_laplace_mechanism_is_dominated_by_randomized_response():
    """Its own curve is 1 - e^((epsilon - 1/s)/2)."""
    for scale, delta in itertools.product((0.1, 1.0, 30.0), (1e-9, 1e-3, 0.01)):
        truth = 1 / scale + 2 * math.log1p(-delta)
        assert REGISTRY["rr-24"](scale=scale, steps=1, delta=delta).value >= truth


def test_laplace_noise_is_refused_or_right_where_binomial_weights_underflow():
    with pytest.raises(PldcheckError, match="rr-24 is outside the range"):
        REGISTRY["rr-24"](scale=1, steps=10, delta=1e-291)
    # All answers are truthful: epsilon = 1/s + log(1 - delta) up to what e^-1000 changes.
    assert REGISTRY["rr-24"](scale=1e-3, steps=1, delta=0.5).value == pytest.approx(
        1000 - math.log(2), rel=1e-13, abs=0
    )
