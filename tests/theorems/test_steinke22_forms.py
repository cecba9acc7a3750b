"""Forms of concentrated and Rényi differential privacy, typed again at 60 digits."""

import math
import random

import mpmath
import pytest
from mpmath import mpf

from pldcheck.core.errors import ConditionError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.steinke22 import concentrated_forms, renyi_properties


@pytest.mark.nightly
def test_the_files_declare_the_known_theorems():
    assert [(entry.id, entry.quantity, entry.relation) for entry in concentrated_forms.THEOREMS] == [
        ("zcdp-12", "renyi", "="),
        ("zcdp-14-order", "delta", "<="),
        ("zcdp-14-markov", "delta", "<="),
        ("zcdp-14-simple", "delta", "<="),
        ("zcdp-15", "delta", "<="),
        ("zcdp-15-root", "delta", "<="),
        ("adv-18-noise", "delta", "<="),
        ("zcdp-19", "renyi", "<="),
        ("zcdp-21", "renyi", "<="),
    ]
    assert [(entry.id, entry.quantity, entry.relation) for entry in renyi_properties.THEOREMS] == [
        ("rdp-31", "renyi", "="),
        ("rdp-33-infinity", "renyi", "<="),
        ("rdp-33-one", "renyi", ">="),
        ("rdp-33-convex", "renyi", "<="),
        ("rdp-33-group", "renyi", "="),
        ("rdp-33-delta", "delta", "<="),
    ]


def relative_error(value, exact):
    return float(abs(mpf(value) / exact - 1))


def response(eps0, order):
    """Return the Rényi divergence of randomized response, as defined."""
    a, p = mpf(order), 1 / (1 + mpmath.exp(-mpf(eps0)))
    return mpmath.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)


# Every formula as the chapter prints it, in t = order - 1 where it does.
TWINS = {
    "zcdp-12": lambda sigma, order: order / (2 * sigma**2),
    "zcdp-14-order": lambda sigma, steps, order, epsilon: min(
        mpf(1),
        mpmath.exp((order - 1) * order * steps / (2 * sigma**2) - (order - 1) * epsilon)
        * (order - 1) ** (order - 1)
        / order**order,
    ),
    "zcdp-14-markov": lambda sigma, steps, order, epsilon: min(
        mpf(1), mpmath.exp((order - 1) * order * steps / (2 * sigma**2) - (order - 1) * epsilon)
    ),
    "zcdp-14-simple": lambda sigma, steps, epsilon: mpmath.exp(
        -((epsilon - steps / (2 * sigma**2)) ** 2) / (2 * steps / sigma**2)
    ),
    "zcdp-19": lambda sigma, eps0, order: order / (2 * sigma**2) + order * eps0**2 / 2,
    "zcdp-21": lambda sigma, steps, order: order * steps / (2 * sigma**2),
    "rdp-31": lambda sigma, eps0, order: order / (2 * sigma**2) + response(eps0, order),
    "rdp-33-infinity": lambda steps, eps0, order: steps * eps0,
    "rdp-33-one": lambda steps, eps0, order: (
        steps * eps0 * (mpmath.exp(eps0) / (1 + mpmath.exp(eps0)) - 1 / (1 + mpmath.exp(eps0)))
    ),
    "rdp-33-convex": lambda heads_p, heads_q, rate, order: (
        mpmath.log(heads_q**order * heads_p ** (1 - order) + (1 - heads_q) ** order * (1 - heads_p) ** (1 - order))
        / (order - 1)
    ),
    "rdp-33-group": lambda sigma, group, order: order * (group / sigma) ** 2 / 2,
    "rdp-33-delta": lambda steps, eps0, order, epsilon: min(
        mpf(1),
        mpmath.exp((order - 1) * (steps * response(eps0, order) - epsilon))
        / (order - 1)
        * (1 - 1 / mpf(order)) ** order,
    ),
}
RANGES = {
    "sigma": (0.3, 30),
    "steps": (1, 100),
    "order": (1.01, 60),
    "epsilon": (0.1, 20),
    "eps0": (0.01, 8),
    "heads_p": (0.001, 0.99),
    "heads_q": (0.001, 0.99),
    "rate": (0.01, 1),
    "group": (1, 100),
}


def point(theorem, choice):
    values = {}
    for name in theorem.parameters:
        low, high = RANGES[name]
        value = low * (high / low) ** choice.random()
        values[name] = round(value) if name in ("steps", "group") else round(value, 5)
    return values


def test_formulas_agree_with_their_second_typing():
    for name, twin in TWINS.items():
        theorem, choice, trials = REGISTRY[name], random.Random(name), 0
        while trials < 25:
            at = point(theorem, choice)
            if theorem.failed_conditions(**at):
                continue
            with mpmath.workdps(60):
                exact = twin(**{key: mpf(value) for key, value in at.items()})
                trials += 1
                if exact < 1e-300:
                    continue
                assert relative_error(theorem(**at).value, exact) < 1e-12, (name, at)


@pytest.mark.nightly
def test_large_orders_of_randomized_response_do_not_overflow():
    with mpmath.workdps(60):
        for eps0, order in ((20.0, 1e4), (5.0, 140.0), (5.0, 140.1), (1e-6, 1.5)):
            assert relative_error(renyi_properties.response_divergence(eps0, order), response(eps0, order)) < 1e-12


@pytest.mark.nightly
def test_the_noise_for_a_target_is_that_of_remark_15():
    with mpmath.workdps(60):
        for steps, epsilon, delta in ((1, 0.5, 1e-6), (100, 3.0, 1e-3), (7, 30.0, 1e-12)):
            at = {"steps": steps, "epsilon": epsilon, "delta": delta}
            inverse, e = mpmath.log(1 / mpf(delta)), mpf(epsilon)
            # The example's variance, and the root of rho + 2 sqrt(rho L) = epsilon.
            variance = steps * (2 * inverse / e**2 + 2 / e)
            root = mpmath.findroot(lambda r, e=e, inverse=inverse: r + 2 * mpmath.sqrt(r * inverse) - e, e**2 / 9)
            noises = {"zcdp-15": mpmath.sqrt(variance), "zcdp-15-root": mpmath.sqrt(steps / (2 * root))}
            for name, noise in noises.items():
                fields = REGISTRY[name].subject(**at)
                assert fields["steps"] == steps and relative_error(fields["sigma"], noise) < 1e-14
                assert REGISTRY[name](**at).delta_total == delta
            fields = REGISTRY["adv-18-noise"].subject(**at)
            assert relative_error(fields["scale"], mpmath.sqrt(variance)) < 1e-14 and fields["steps"] == steps
    for name in ("zcdp-15", "zcdp-15-root", "adv-18-noise"):
        with pytest.raises(ConditionError, match="requires epsilon > 0; epsilon = 0.0 is the excluded limit"):
            REGISTRY[name](steps=1, epsilon=0, delta=1e-6)
        assert not REGISTRY[name].failed_conditions(steps=1, epsilon=1e-9, delta=1e-6)


@pytest.mark.nightly
def test_the_sign_of_gaussian_noise_is_randomized_response_of_the_budget():
    with mpmath.workdps(60):
        for sigma in (0.1, 0.7, 5.0, 1e4):
            exact = mpmath.log(mpmath.ncdf(1 / (2 * mpf(sigma))) / mpmath.ncdf(-1 / (2 * mpf(sigma))))
            fields = REGISTRY["zcdp-21"].subject(sigma=sigma, steps=3, order=2.0)
            assert fields["steps"] == 3 and relative_error(fields["eps0"], exact) < 1e-11
    assert not REGISTRY["zcdp-21"].failed_conditions(sigma=0.1, steps=1, order=2)
    with pytest.raises(ConditionError, match="requires sigma >= 1/10"):
        REGISTRY["zcdp-21"](sigma=math.nextafter(0.1, 0), steps=1, order=2)


@pytest.mark.nightly
def test_the_closed_form_of_concentrated_privacy_needs_an_epsilon_above_rho():
    # rho = 4 / (2 * 2^2) = 1/2
    assert REGISTRY["zcdp-14-simple"](sigma=2, steps=4, epsilon=0.5).value == 1
    with pytest.raises(ConditionError, match="epsilon >= rho"):
        REGISTRY["zcdp-14-simple"](sigma=2, steps=4, epsilon=math.nextafter(0.5, 0))


@pytest.mark.nightly
def test_the_forms_of_proposition_14_follow_each_other():
    at = {"sigma": 3.0, "steps": 5, "epsilon": 2.0}
    best = REGISTRY["zcdp-14-tight"](**at).value
    rho = 5 / 18
    orders = [1 + 10 ** (place / 20) for place in range(-20, 40)]
    assert min(REGISTRY["zcdp-14-order"](**at, order=order).value for order in orders) == pytest.approx(best, rel=0.01)
    assert all(REGISTRY["zcdp-14-order"](**at, order=order).value >= best for order in orders)
    chosen = 1 + (2.0 - rho) / (2 * rho)
    markov = REGISTRY["zcdp-14-markov"](**at, order=chosen).value
    assert markov == pytest.approx(REGISTRY["zcdp-14-simple"](**at).value, rel=1e-12) and markov > best


@pytest.mark.nightly
def test_what_is_composed_is_named_exactly():
    fields = REGISTRY["zcdp-19"].subject(sigma=2.5, eps0=0.1, order=2.0)
    assert (
        fields
        == {"mechanism": ("gaussian:2.5", "rr:0.1")}
        == REGISTRY["rdp-31"].subject(sigma=2.5, eps0=0.1, order=3.0)
    )
    assert REGISTRY["rdp-33-group"].subject(sigma=2.5, group=3, order=2.0) == {"sigma": 2.5, "steps": 9}


@pytest.mark.nightly
def test_equal_coins_do_not_diverge_in_the_mixture():
    assert REGISTRY["rdp-33-convex"](heads_p=0.3, heads_q=0.3, rate=0.5, order=2).value == 0


@pytest.mark.parametrize(
    ("steps", "eps0", "order", "epsilon", "exact"),
    [
        (5, 14.488475346443813, 237.0, 72.44237231276976, 0.00155713602891218314871),
        (786, 0.0999146407848979, 275.0, 77.57652164876828, 8.948894153480763331852e-110),
    ],
)
def test_next_to_the_largest_loss_a_converted_divergence_is_a_small_difference(steps, eps0, order, epsilon, exact):
    # 80 digits; with floats the relative error was 1.2e-12 and 1.8e-12.
    claim = REGISTRY["rdp-33-delta"](steps=steps, eps0=eps0, order=order, epsilon=epsilon).value
    assert claim == pytest.approx(exact, rel=1e-14, abs=0.0)
