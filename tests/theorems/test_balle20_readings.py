"""Printed, proved and simple readings of Balle et al. (2020), typed again at 60 digits; conditions on both sides."""

import itertools
import math

import mpmath
import pytest

from pldcheck.core.errors import ConditionError, PldcheckError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.balle20 import printed_deltas, simple_forms
from pldcheck.verification import Verdict, verify
from pldcheck.verification.problem import problem_of_bound
from pldcheck.verification.suites import Grid, Job

NAMES = [theorem.id for theorem in (*simple_forms.THEOREMS, *printed_deltas.THEOREMS)]
AVERAGED = {"clients": 1000, "steps": 100, "eps0": 0.5, "delta2": 1e-7, "delta": 1e-6}
SLOT = {"steps": 50, "eps0": 0.7, "weight": 0.3, "delta": 1e-3}
EPOCH = {"steps": 100, "clients": 1000, "eps0": 0.5, "beta": 1e-8, "delta": 1e-6}
ONCE = EPOCH | {"steps": 1000, "beta": 0.01}
# A budget, a delta0 and a delta1 that the condition on delta0 admits.
NEAR = {"eps0": 0.1, "delta0": 1e-17, "delta1": 1e-13, "delta": 1e-6}


def relative_error(value, exact):
    return abs(value / exact - 1)


@pytest.mark.nightly
def test_the_files_declare_the_known_theorems():
    assert NAMES == [
        "thm-A.4-simple",
        "thm-A.4-simple-quarter",
        "cor-3.3-printed",
        "thm-4.1-simple",
        "thm-4.1-simple-printed",
        "thm-A.7-approx-printed",
        "thm-A.5-approx",
        "thm-A.5-approx-printed",
        "thm-4.1-approx-proof",
    ]


# --- the right-hand sides, in 60 digits ----------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["thm-A.4-simple", "thm-A.4-simple-quarter"])
def test_the_simple_form_of_theorem_a_4(name):
    with mpmath.workdps(60):
        for m, eps0, w, delta in itertools.product((1, 9, 10**9), (1e-3, 0.4, 1.0), (0.01, 1.0), (0.01, 1e-9, 1e-300)):
            exact = 7 * mpmath.mpf(w) * mpmath.mpf(eps0) * mpmath.sqrt(mpmath.log(1 / mpmath.mpf(delta)) / m)
            claim = REGISTRY[name](steps=m, eps0=eps0, weight=w, delta=delta)
            assert relative_error(claim.value, exact) < 1e-14 and claim.at == delta


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["thm-4.1-simple", "thm-4.1-simple-printed"])
def test_the_simple_form_of_theorem_4_1(name):
    with mpmath.workdps(60):
        for m, eps0, delta2, delta in itertools.product((1, 30, 1000), (1e-3, 0.4, 1.0), (0.1, 1e-9), (0.2, 1e-200)):
            e = mpmath.e
            c = (e**3 - e**2) * (mpmath.sqrt(2) + mpmath.sqrt(-mpmath.log(mpmath.mpf(delta2))))
            exact = (c**2 / 2 + c * mpmath.sqrt(-2 * mpmath.log(mpmath.mpf(delta)))) * mpmath.mpf(eps0) / mpmath.sqrt(m)
            claim = REGISTRY[name](clients=1000, steps=m, eps0=eps0, delta2=delta2, delta=delta)
            assert relative_error(claim.value, exact) < 1e-14 and claim.at == delta + delta2


@pytest.mark.nightly
def test_the_explicit_form_of_corollary_3_3():
    with mpmath.workdps(60):
        for eps0, beta, delta in itertools.product((0.01, 0.5), (1e-8, 1e-4), (1e-12, 0.5)):
            x, b, log_term = mpmath.exp(mpmath.mpf(eps0)), -mpmath.log(mpmath.mpf(beta)), -mpmath.log(mpmath.mpf(delta))
            exact = 4 * (x - 1) * mpmath.sqrt(x * b * log_term / 1000) + 12 * (x - 1) ** 2 * x * b / 1000
            claim = REGISTRY["cor-3.3-printed"](**EPOCH | {"eps0": eps0, "beta": beta, "delta": delta})
            assert relative_error(claim.value, exact) < 1e-13
            assert relative_error(claim.at, 10 * mpmath.mpf(beta) + mpmath.mpf(delta)) < 1e-15


def swap(n, norm, delta, x):
    """Return the epsilon of Theorem A.7 (no norm) or A.5 at x = e^(8 eps0)."""
    log_term = 2 * mpmath.log(1 / mpmath.mpf(delta))
    if norm is None:
        return x**3 * (x - 1) ** 2 / (2 * n) + mpmath.sqrt(x**3 * log_term / n) * (x - 1)
    return norm**2 * x**4 * (x - 1) ** 2 / (2 * mpmath.mpf(n) ** 2) + norm * x**2 * (x - 1) * mpmath.sqrt(log_term) / n


def test_the_deltas_as_printed_and_as_proved():
    n, m = 10**6, 2000
    with mpmath.workdps(60):
        x = mpmath.exp(8 * mpmath.mpf(NEAR["eps0"]))
        loads = mpmath.sqrt(1 / mpmath.mpf(n) + 1 / mpmath.mpf(m)) + mpmath.sqrt(mpmath.log(10**7) / n)
        norm = 30_000
        cases = {
            "thm-A.7-approx-printed": ({"steps": m}, swap(n, None, 1e-6, x), m, 0),
            "thm-A.5-approx": ({"bin_norm": norm}, swap(n, norm, 1e-6, x), n, 0),
            "thm-A.5-approx-printed": ({"bin_norm": norm, "steps": m}, swap(n, norm, 1e-6, x), m, 0),
            "thm-4.1-approx-proof": ({"steps": m, "delta2": 1e-7}, swap(n, n * loads, 1e-6, x), n, 1e-7),
        }
        for name, (more, epsilon, calls, delta2) in cases.items():
            claim = REGISTRY[name](clients=n, **NEAR, **more)
            assert relative_error(claim.value, epsilon) < 1e-13, name
            total = mpmath.mpf(1e-6) + delta2 + calls * (mpmath.exp(epsilon) + 1) * mpmath.mpf(1e-13)
            assert relative_error(claim.at, total) < 1e-13, name


@pytest.mark.nightly
def test_both_readings_of_a_delta_are_the_same_where_m_is_n():
    n = 10**6
    printed = REGISTRY["thm-A.7-approx-printed"](clients=n, steps=n, **NEAR)
    assert (printed.value, printed.at) == tuple(
        getattr(REGISTRY["thm-A.7-approx"](clients=n, **NEAR), field) for field in ("value", "at")
    )
    more = {"clients": n, "steps": n, "delta2": 1e-7, **NEAR}
    assert REGISTRY["thm-4.1-approx-proof"](**more).at == REGISTRY["thm-4.1-approx"](**more).at
    fewer = more | {"steps": 1000}
    assert REGISTRY["thm-4.1-approx-proof"](**fewer).at > REGISTRY["thm-4.1-approx"](**fewer).at


@pytest.mark.nightly
def test_the_simple_form_is_above_theorem_4_1_for_at_most_as_many_slots_as_clients():
    for n, share, eps0, delta in itertools.product((1, 100, 10**9), (1.0, 0.3, 0.01), (0.01, 0.5, 0.99), (1e-9, 0.3)):
        at = {"clients": n, "steps": max(1, int(n * share)), "eps0": eps0, "delta2": 0.1, "delta": delta}
        assert REGISTRY["thm-4.1"](**at).value <= REGISTRY["thm-4.1-simple"](**at).value


# --- conditions ----------------------------------------------------------------------------------------------------


# For each theorem a point inside all conditions, and one change that is at an edge and one that is just beyond it.
EDGES = [
    ("thm-A.4-simple", SLOT, {"eps0": 1.0}, {"eps0": math.nextafter(1, 2)}, "eps0 <= 1"),
    ("thm-A.4-simple", SLOT, {"delta": 0.01}, {"delta": math.nextafter(0.01, 1)}, "delta <= 1/100"),
    ("thm-A.4-simple-quarter", SLOT, {"eps0": 1.0}, {"eps0": math.nextafter(1, 2)}, "eps0 <= 1"),
    ("thm-A.4-simple-quarter", SLOT, {"delta": 0.25}, {"delta": math.nextafter(0.25, 1)}, "delta <= 1/4"),
    ("cor-3.3-printed", EPOCH, {"steps": 125}, {"steps": 126}, "clients is a multiple of steps"),
    ("cor-3.3-printed", ONCE, {"eps0": 0.916}, {"eps0": 0.917}, "eps0 <= (2/3) log(clients / (8 sqrt(steps)))"),
    ("cor-3.3-printed", ONCE | {"eps0": 0.9}, {"beta": 0.0025}, {"beta": 0.0023}, "clients >= (e^eps0 - 1)^2 e^eps0"),
    ("cor-3.3-printed", EPOCH | {"beta": 0.09}, {"delta": 0.09}, {"delta": 0.1}, "beta clients / steps + delta < 1"),
    ("thm-4.1-simple", AVERAGED, {"eps0": 1.0}, {"eps0": math.nextafter(1, 2)}, "eps0 <= 1"),
    ("thm-4.1-simple", AVERAGED, {"steps": 1000}, {"steps": 1001}, "steps <= clients"),
    ("thm-4.1-simple", AVERAGED, {"delta2": 0.99}, {"delta2": 0.9999995}, "delta + delta2 < 1"),
    ("thm-4.1-simple-printed", AVERAGED, {"eps0": 1.0}, {"eps0": math.nextafter(1, 2)}, "eps0 <= 1"),
    ("thm-4.1-simple-printed", AVERAGED, {"steps": 10**12}, {"delta2": 0.9999995}, "delta + delta2 < 1"),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "inside", "edge", "beyond", "text"), EDGES)
def test_simple_forms_end_at_their_conditions(name, inside, edge, beyond, text):
    assert REGISTRY[name](**inside | edge).value > 0
    with pytest.raises(ConditionError) as error:
        REGISTRY[name](**inside | beyond)
    assert f"{name} requires {text}" in str(error.value)


@pytest.mark.nightly
def test_corollary_3_3_as_printed_has_no_condition_on_beta_alone():
    at = EPOCH | {"steps": 1000, "beta": 0.999, "delta": 1e-6}
    assert REGISTRY["cor-3.3-printed"](**at).value > 0
    with pytest.raises(ConditionError, match="log\\(1/beta\\) >= 1/512"):
        REGISTRY["cor-3.3"](**at)


def test_forms_for_approximate_randomizers_end_at_their_conditions():
    n = 10**6
    points = {
        "thm-A.7-approx-printed": {"clients": n, "steps": 1000},
        "thm-A.5-approx": {"clients": n, "bin_norm": 1000.0},
        "thm-A.5-approx-printed": {"clients": n, "steps": n, "bin_norm": 1000.0},
        "thm-4.1-approx-proof": {"clients": n, "steps": 1000, "delta2": 1e-7},
    }
    for name, point in points.items():
        assert REGISTRY[name](**point, **NEAR).value > 0
        with pytest.raises(ConditionError, match=f"{name} requires delta0 <= "):
            REGISTRY[name](**point, **NEAR | {"delta0": 1e-14})
        with pytest.raises(ConditionError, match=r"\(e\^epsilon \+ 1\) delta1 < 1"):
            REGISTRY[name](**point, **NEAR | {"delta1": 0.01})
    for name in ("thm-A.5-approx", "thm-A.5-approx-printed"):
        for norm, text in ((999.0, "bin_norm >= sqrt"), (n + 1.0, "bin_norm <= clients")):
            with pytest.raises(ConditionError, match=text):
                REGISTRY[name](**points[name] | {"bin_norm": norm}, **NEAR)
    # A thousand bins have a norm of 1e6 / sqrt 1000 = 31622.77 at least.
    few = points["thm-A.5-approx-printed"] | {"steps": 1000}
    assert REGISTRY["thm-A.5-approx-printed"](**few | {"bin_norm": 31623.0}, **NEAR).value > 0
    with pytest.raises(ConditionError, match="bin_norm >= clients / sqrt"):
        REGISTRY["thm-A.5-approx-printed"](**few | {"bin_norm": 31622.0}, **NEAR)
    with pytest.raises(ConditionError, match="steps <= clients"):
        REGISTRY["thm-A.7-approx-printed"](clients=1000, steps=1001, **NEAR)


# --- verdicts ------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_no_constant_makes_the_order_of_theorem_4_1_true_for_any_number_of_slots():
    axes = {"clients": (1,), "steps": (10**4, 10**12), "eps0": (1.0,), "delta2": (0.01,), "delta": (0.01,)}
    report = verify(Job("few", "", (Grid(theorems=("thm-4.1-simple-printed",), axes=axes),)))
    few, many = report.rows
    assert (few.verdict, many.verdict) == (Verdict.HOLDS, Verdict.VIOLATED)
    # One client's answer is seen whatever the slot: binary response has delta (e - e^epsilon) / (1 + e) = 0.02.
    by_hand = math.log(math.e - 0.02 * (1 + math.e))
    assert few.lower == pytest.approx(by_hand, rel=1e-12) == many.lower
    assert many.lower > 800 * many.analytic


@pytest.mark.nightly
def test_the_reading_with_a_quarter_is_not_refuted_where_its_proof_fails():
    at = {"steps": 1, "eps0": 1.0, "weight": 1.0, "delta": 0.25}
    claim = REGISTRY["thm-A.4-simple-quarter"](**at)
    assert REGISTRY["thm-A.4"](**at).value == pytest.approx(1.059 * claim.value, rel=1e-3)
    assert problem_of_bound(REGISTRY["thm-A.4-simple-quarter"], claim).answer(0.01).upper < claim.value


@pytest.mark.nightly
def test_forms_for_approximate_randomizers_are_not_judged():
    claim = REGISTRY["thm-A.5-approx"](clients=10**6, bin_norm=1000.0, **NEAR)
    with pytest.raises(PldcheckError, match="has delta0, but swap is computed for eps0-DP randomizers only"):
        problem_of_bound(REGISTRY["thm-A.5-approx"], claim)
