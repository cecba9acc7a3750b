"""Composition of unequal budgets, typed again at 60 digits from all sets of lies."""

import random
from itertools import product

import mpmath
import pytest
from mpmath import mpf

from pldcheck.core.errors import ConditionError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.steinke22 import unequal_budgets


@pytest.mark.nightly
def test_the_file_declares_the_known_theorems():
    assert [(entry.id, entry.quantity, entry.relation) for entry in unequal_budgets.THEOREMS] == [
        ("adv-22-unequal", "epsilon", "<="),
        ("kov-closed", "epsilon", "<="),
        ("rr-24-approx", "delta", "<="),
    ]


def relative_error(value, exact):
    return float(abs(mpf(value) / exact - 1))


def budgets(steps, first, last):
    return [mpf(first) + (mpf(last) - mpf(first)) * j / max(1, steps - 1) for j in range(steps)]


@pytest.mark.nightly
def test_advanced_composition_of_two_kinds_is_the_printed_minimum():
    choice = random.Random(4)
    with mpmath.workdps(60):
        for _ in range(30):
            at = {
                "steps": choice.randint(1, 500),
                "eps0": 10 ** choice.uniform(-3, 1),
                "delta0": choice.choice([0.0, 1e-9]),
                "eps0_last": 10 ** choice.uniform(-3, 1),
                "delta0_last": choice.choice([0.0, 1e-7]),
                "delta": 10 ** choice.uniform(-12, -1),
            }
            claim = REGISTRY["adv-22-unequal"](**at)
            all_budgets = [mpf(at["eps0"])] * at["steps"] + [mpf(at["eps0_last"])] * at["steps"]
            squares = sum(budget**2 for budget in all_budgets)
            exact = min(sum(all_budgets), squares / 2 + mpmath.sqrt(-2 * mpmath.log(mpf(at["delta"])) * squares))
            assert relative_error(claim.value, exact) < 1e-14
            deltas = [at["delta0"]] * at["steps"] + [at["delta0_last"]] * at["steps"]
            assert claim.delta_total == pytest.approx(at["delta"] + sum(deltas), rel=1e-13)


@pytest.mark.nightly
def test_two_equal_kinds_are_twice_as_many_steps():
    claim = REGISTRY["adv-22-unequal"](steps=50, eps0=0.1, delta0=1e-9, eps0_last=0.1, delta0_last=1e-9, delta=1e-6)
    same = REGISTRY["adv-22"](steps=100, eps0=0.1, delta0=1e-9, delta=1e-6)
    assert claim.value == pytest.approx(same.value, rel=1e-14) and claim.at == pytest.approx(same.at, rel=1e-14)


@pytest.mark.nightly
def test_the_whole_delta_of_two_kinds_stays_below_1():
    at = {"steps": 10, "eps0": 0.1, "delta0": 0.0, "eps0_last": 0.1, "delta": 0.5}
    assert not REGISTRY["adv-22-unequal"].failed_conditions(**at, delta0_last=0.049)
    with pytest.raises(ConditionError, match=r"delta \+ steps \(delta0 \+ delta0_last\) < 1"):
        REGISTRY["adv-22-unequal"](**at, delta0_last=0.05)


@pytest.mark.nightly
def test_the_two_kinds_are_named_exactly():
    at = {"steps": 3, "eps0": 0.1, "delta0": 0.0, "eps0_last": 0.25, "delta0_last": 1e-9, "delta": 1e-6}
    fields = REGISTRY["adv-22-unequal"].subject(**at)
    assert fields == {"mechanism": ("rr:0.1:0.0", "rr:0.25:1e-09"), "steps": 3}
    assert float("1e-09") == 1e-9


def test_optimal_composition_is_a_sum_over_all_sets():
    choice = random.Random(5)
    with mpmath.workdps(60):
        for _ in range(12):
            at = {
                "steps": choice.randint(1, 8),
                "eps0": round(choice.uniform(0.01, 2), 3),
                "eps0_last": round(choice.uniform(0.01, 2), 3),
                "delta0": choice.choice([0.0, 1e-6, 0.1]),
            }
            each = budgets(at["steps"], at["eps0"], at["eps0_last"])
            epsilon = round(float(sum(each)) * choice.uniform(0, 0.95), 4)
            total = mpf(0)
            for lies in product((False, True), repeat=at["steps"]):
                truths = sum(budget for budget, lie in zip(each, lies, strict=True) if not lie)
                gap = mpmath.exp(truths) - mpmath.exp(epsilon + sum(each) - truths)
                total += max(gap, 0)
            pure = total / mpmath.fprod(1 + mpmath.exp(budget) for budget in each)
            exact = 1 - (1 - mpf(at["delta0"])) ** at["steps"] * (1 - pure)
            assert relative_error(REGISTRY["kov-unequal"](**at, epsilon=epsilon).value, exact) < 1e-12, at


@pytest.mark.nightly
def test_equal_budgets_are_those_of_the_homogeneous_formula():
    at = {"steps": 9, "eps0": 0.5, "delta0": 1e-6, "epsilon": 2.0}
    assert REGISTRY["kov-unequal"](**at, eps0_last=0.5).value == pytest.approx(REGISTRY["kov"](**at).value, rel=1e-10)
    with pytest.raises(ConditionError, match="requires steps <= 16; steps = 17 exceeds it by 1"):
        REGISTRY["kov-unequal"](**at | {"steps": 17}, eps0_last=0.5)
    assert not REGISTRY["kov-unequal"].failed_conditions(**at | {"steps": 16}, eps0_last=0.5)


@pytest.mark.nightly
def test_the_closed_form_is_the_least_of_three():
    winners = set()
    with mpmath.workdps(60):
        for steps, first, last, delta0, delta in (
            (1, 0.3, 0.3, 0.0, 1e-6),
            (40, 0.05, 0.4, 1e-9, 1e-6),
            (100, 1e-4, 2e-4, 1e-7, 0.3),
            (900, 0.01, 0.02, 0.0, 1e-3),
            (10, 2.0, 1.0, 1e-3, 0.9),
        ):
            each, d = budgets(steps, first, last), mpf(delta)
            drift = sum((mpmath.exp(b) - 1) * b / (mpmath.exp(b) + 1) for b in each)
            square = sum(b**2 for b in each)
            terms = (
                sum(each),
                drift + mpmath.sqrt(2 * square * mpmath.log(mpmath.e + mpmath.sqrt(square) / d)),
                drift + mpmath.sqrt(2 * square * mpmath.log(1 / d)),
            )
            winners.add(terms.index(min(terms)))
            claim = REGISTRY["kov-closed"](steps=steps, eps0=first, eps0_last=last, delta0=delta0, delta=delta)
            assert relative_error(claim.value, min(terms)) < 1e-12
            assert relative_error(claim.at, 1 - (1 - d) * (1 - mpf(delta0)) ** steps) < 1e-12
    assert winners == {0, 1, 2}
    with pytest.raises(ConditionError, match="requires steps <= 100000; steps = 100001 exceeds it by 1"):
        REGISTRY["kov-closed"](steps=100001, eps0=0.1, eps0_last=0.1, delta0=0, delta=1e-6)
    assert not REGISTRY["kov-closed"].failed_conditions(steps=10**5, eps0=0.1, eps0_last=0.1, delta0=0, delta=1e-6)


@pytest.mark.nightly
def test_gaussian_noise_is_dominated_by_approximate_randomized_response():
    with mpmath.workdps(60):
        for sigma, steps, eps0, epsilon in ((2.0, 3, 0.5, 1.2), (1.0, 6, 1.0, 2.5), (10.0, 9, 0.2, 0.0)):
            mu = 1 / mpf(sigma)
            delta0 = mpmath.ncdf(-mpf(eps0) / mu + mu / 2) - mpmath.exp(mpf(eps0)) * mpmath.ncdf(
                -mpf(eps0) / mu - mu / 2
            )
            x = mpmath.exp(mpf(eps0))
            pure = sum(
                mpmath.binomial(steps, i)
                * max(0, x ** (steps - i) - mpmath.exp(mpf(epsilon)) * x**i)
                / (1 + x) ** steps
                for i in range(steps + 1)
            )
            exact = 1 - (1 - delta0) ** steps * (1 - pure)
            at = {"sigma": sigma, "steps": steps, "eps0": eps0, "epsilon": epsilon}
            assert relative_error(REGISTRY["rr-24-approx"](**at).value, exact) < 1e-10
            assert REGISTRY["rr-24-approx"].subject(**at) == {"sigma": sigma, "steps": steps}
    with pytest.raises(ConditionError, match="requires steps <= 100000"):
        REGISTRY["rr-24-approx"](sigma=1, steps=100001, eps0=1, epsilon=1)
