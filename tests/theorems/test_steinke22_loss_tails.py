"""Tails of privacy losses against the printed expressions, typed again at 60 digits, and integrals."""

import math
import random

import mpmath
import pytest
from mpmath import mpf

from pldcheck.core.errors import ConditionError, PldcheckError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.steinke22 import loss_tails


@pytest.mark.nightly
def test_the_file_declares_the_known_theorems():
    assert [(entry.id, entry.quantity, entry.relation) for entry in loss_tails.THEOREMS] == [
        ("basic-2.1", "delta", ">="),
        ("gauss-3", "delta", "<="),
        ("pld-7-expectation", "delta", "="),
        ("pld-7-integral", "delta", "="),
        ("pld-7-tail", "delta", "<="),
        ("gauss-8-simple", "delta", "<="),
    ]


def relative_error(value, exact):
    return float(abs(mpf(value) / exact - 1))


def losses(steps, eps0):
    """Return the losses of composed randomized response with their probabilities under P."""
    x = mpmath.exp(mpf(eps0))
    weights = [mpmath.binomial(steps, i) * x ** (steps - i) / (1 + x) ** steps for i in range(steps + 1)]
    return [((steps - 2 * i) * mpf(eps0), weight) for i, weight in enumerate(weights)]


def points(seed, count):
    choice = random.Random(seed)
    for _ in range(count):
        steps, eps0 = choice.randint(1, 40), round(10 ** choice.uniform(-2, 0.5), 4)
        yield {"steps": steps, "eps0": eps0, "epsilon": round(choice.uniform(0, 0.9) * steps * eps0, 4)}


def test_the_four_expressions_of_proposition_7_are_the_printed_ones_and_agree():
    with mpmath.workdps(60):
        for at in points(1, 40):
            pairs, epsilon = losses(at["steps"], at["eps0"]), mpf(at["epsilon"])
            above = [(loss, p) for loss, p in pairs if loss > epsilon]
            # Z' of the pair (Q, P) has P(-Z' = z) = P(Z = z) e^-z.
            tails = sum(p for _, p in above) - mpmath.exp(epsilon) * sum(p * mpmath.exp(-loss) for loss, p in above)
            expectation = sum(p * max(0, 1 - mpmath.exp(epsilon - loss)) for loss, p in pairs)
            # The antiderivative of e^(epsilon - z) on each piece where the tail is constant.
            ends = [epsilon, *sorted(loss for loss, _ in above)]
            integral = sum(
                sum(p for loss, p in pairs if loss > low) * (mpmath.exp(epsilon - low) - mpmath.exp(epsilon - high))
                for low, high in zip(ends, ends[1:], strict=False)
            )
            for name, exact in (("pld-7", tails), ("pld-7-expectation", expectation), ("pld-7-integral", integral)):
                assert relative_error(REGISTRY[name](**at).value, exact) < 1e-11, (name, at)
            assert relative_error(REGISTRY["pld-7-integral"](**at).value, integral) < 1e-15
            assert relative_error(REGISTRY["pld-7-tail"](**at).value, sum(p for _, p in above)) < 1e-15
            assert REGISTRY["pld-7-tail"](**at).value > REGISTRY["pld-7"](**at).value


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["pld-7-expectation", "pld-7-integral", "pld-7-tail"])
def test_beyond_the_largest_loss_nothing_is_left(name):
    theorem = REGISTRY[name]
    assert theorem(steps=3, eps0=0.5, epsilon=1.5).value == 0 < theorem(steps=3, eps0=0.5, epsilon=1.4).value
    with pytest.raises(PldcheckError, match="below the smallest floating-point number"):
        theorem(steps=2000, eps0=0.001, epsilon=1.999)
    with pytest.raises(ConditionError, match="requires steps <= 100000; steps = 100001 exceeds it by 1"):
        theorem(steps=100001, eps0=0.01, epsilon=1)
    assert not theorem.failed_conditions(steps=100000, eps0=0.01, epsilon=1)


@pytest.mark.nightly
def test_the_tail_of_the_loss_of_gaussian_noise_is_an_integral_of_its_density():
    with mpmath.workdps(60):
        choice = random.Random(2)
        for _ in range(10):
            sigma, steps = round(10 ** choice.uniform(-0.5, 1), 3), choice.randint(1, 50)
            rho = steps / (2 * mpf(sigma) ** 2)
            epsilon = float(rho + choice.uniform(-2, 6) * mpmath.sqrt(2 * rho))
            if epsilon < 0:
                continue
            exact = mpmath.ncdf((rho - mpf(epsilon)) / mpmath.sqrt(2 * rho))
            value = REGISTRY["gauss-3"](sigma=sigma, steps=steps, epsilon=epsilon).value
            assert relative_error(value, exact) < 1e-12
            density = mpmath.quad(
                lambda w, rho=rho: mpmath.exp(-((w - rho) ** 2) / (4 * rho)) / mpmath.sqrt(4 * mpmath.pi * rho),
                [mpf(epsilon), mpf(epsilon) + 10 * mpmath.sqrt(2 * rho), mpf(epsilon) + 40 * mpmath.sqrt(2 * rho)],
            )
            assert relative_error(value, density) < 1e-12
            if epsilon >= rho:
                simple = mpmath.exp(-((mpf(epsilon) - rho) ** 2) / (4 * rho)) / max(
                    mpf(2), mpmath.sqrt(mpmath.pi / rho) * (mpf(epsilon) - rho)
                )
                claim = REGISTRY["gauss-8-simple"](sigma=sigma, steps=steps, epsilon=epsilon).value
                assert relative_error(claim, simple) < 1e-12 and claim >= value * (1 - 1e-12)


@pytest.mark.nightly
def test_the_simple_form_needs_an_epsilon_above_rho():
    # rho = 4 / (2 * 2^2) = 1/2
    theorem = REGISTRY["gauss-8-simple"]
    assert theorem(sigma=2, steps=4, epsilon=0.5).value == 0.5
    with pytest.raises(ConditionError, match="epsilon >= rho"):
        theorem(sigma=2, steps=4, epsilon=math.nextafter(0.5, 0))


@pytest.mark.nightly
def test_the_event_of_positive_noise_gives_the_lower_bound():
    with mpmath.workdps(60):
        for scale, steps, epsilon in ((1.0, 1, 0.3), (2.0, 7, 3.4), (10.0, 30, 2.999)):
            # P(all noise > 0) = 2^-k, and under Q each is above 1 with probability e^(-1/s)/2.
            there, back = mpf(2) ** -steps, (mpmath.exp(-1 / mpf(scale)) / 2) ** steps
            exact = there - mpmath.exp(mpf(epsilon)) * back
            value = REGISTRY["basic-2.1"](scale=scale, steps=steps, epsilon=epsilon).value
            assert relative_error(value, exact) < 1e-12
    with pytest.raises(ConditionError, match="epsilon < steps / scale; epsilon = 3.0 is the excluded limit"):
        REGISTRY["basic-2.1"](scale=1, steps=3, epsilon=3)
    assert REGISTRY["basic-2.1"](scale=1, steps=3, epsilon=2.999).value > 0
