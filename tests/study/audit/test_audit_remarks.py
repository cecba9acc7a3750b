"""The chains of remarks, of the caption of Figure 2 and of simple forms of Balle et al. (2020)."""

from fractions import Fraction
from itertools import product
from math import e, exp, expm1, log, sqrt

import mpmath
import pytest
from chain_steps import holds, is_refuted, measured_of, outcomes, points_in, steps_of, value_at

from pldcheck.study.audit import audit
from pldcheck.study.audit.point_checks import check
from pldcheck.study.audit.premise_probe import premise_needs
from pldcheck.study.audit.smallest_counterexample import smallest
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.balle20.proofs import (
    averaged_simple_form,
    check_in_remarks,
    check_in_utility,
    figure_caption,
    utility_comparison,
)
from pldcheck.theorems.papers import chains

STEPS = steps_of(averaged_simple_form, check_in_remarks, figure_caption, utility_comparison)
STEPS |= {name: step for name, step in steps_of(check_in_utility).items() if name.startswith("3.5-sharp")}
MEASUREMENTS = measured_of(check_in_remarks)
# What the audit finds false.
FALSE = {
    "rem-3/any-constant",
    "rem-4/number",
    "sec-3.2-noise/exactly",
    "fig-2/order",
    "4.1-simple/loads-any",
    "3.5-sharp/dummy",
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in STEPS if name not in FALSE])
def test_elementary_steps_are_proved_or_equal(name):
    assert holds(STEPS[name])


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted(FALSE))
def test_false_claims_have_counterexamples(name):
    step = STEPS[name]
    point = smallest(step, check(step).failures[0])
    assert value_at(step.left, **point) > value_at(step.right, **point)


@pytest.mark.nightly
@pytest.mark.parametrize("name", MEASUREMENTS)
def test_measured_steps_hold(name):
    assert all(outcomes(MEASUREMENTS[name].check, MEASUREMENTS[name].points))


# The steps' right sides with one constant changed.
MUTANTS = {
    "rem-1/privacy": lambda factor, weight, **at: 99 * check_in_remarks.replacement(weight=weight, **at) / 100,
    "rem-1/dummies": lambda factor, **at: 99 * STEPS["rem-1/dummies"].right(factor=factor, **at) / 100,
    "rem-1/factor": lambda clients, steps: 99 * steps.sqrt() / clients / 100,
    "rem-2/stronger": lambda steps, mean: 99 / (mean * steps).sqrt() / 100,
    "rem-2/repeated": lambda clients, steps: 99 / clients.sqrt() / 100,
    "rem-3/factor": lambda mean: 1 - 21 * (-mean).exp() / 10,
    "rem-3/rate": lambda clients, diameter, noise, lipschitz: (
        diameter * (noise.sqrt() / clients + 9 * lipschitz / clients.sqrt() / 10)
    ),
    "rem-4/privacy": lambda more, **at: 9 * STEPS["rem-4/privacy"].right(more=more, **at) / 10,
    "rem-4/share": lambda steps: 9 * check_in_remarks.one_more(steps, check_in_remarks.sliding_empty) / 10,
    "sec-3.2-noise/variance": lambda clients: 92 * (0 * clients + 1).exp() / 100,
    "fig-2/similar": lambda **at: 14 * figure_caption.earlier_with(10)(**at) / 10,
    "fig-2/no-less": lambda **at: 105 * figure_caption.printed_epsilon(**at) / 100,
    "4.1-simple/loads": lambda steps, mean, log_inverse_delta2: (
        99 * averaged_simple_form._simple_share(steps, log_inverse_delta2) / 100
    ),
    "4.1-simple/linear": lambda eps0: 99 * STEPS["4.1-simple/linear"].right(eps0) / 100,
    "4.1-simple/form": lambda **at: 99 * STEPS["4.1-simple/form"].right(**at) / 100,
    "sec-4.1-utility/fixed": lambda **at: 99 * utility_comparison.fixed(**at) / 100,
    "sec-4.1-utility/averaged": lambda **at: 99 * utility_comparison.averaged(**at) / 100,
    "sec-4.1-utility/smooth": lambda **at: 99 * STEPS["sec-4.1-utility/smooth"].right(**at) / 100,
    "sec-4.1-utility/order": lambda **at: 99 * STEPS["sec-4.1-utility/order"].right(**at) / 100,
    "3.5-sharp/second-moment": lambda **at: 99 * STEPS["3.5-sharp/second-moment"].right(**at) / 100,
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", MUTANTS)
def test_changed_constants_are_refuted(name):
    assert is_refuted(STEPS[name], MUTANTS[name])


@pytest.mark.nightly
def test_the_sides_of_the_caption_are_the_registered_bounds():
    for n, eps0 in ((1000, 0.2), (10_000, 0.6), (3000, 1.0)):
        at = {"eps0": eps0, "clients": float(n), "log_inverse_delta": 13.815510557964274}
        ours, earlier = (REGISTRY[name](clients=n, eps0=eps0, delta=1e-6).value for name in ("thm-5.1", "efmrtt-7"))
        ten = REGISTRY["efmrtt-7"](clients=10 * n, eps0=eps0, delta=1e-6).value
        assert value_at(STEPS["fig-2/order"].left, **at) == pytest.approx(ours, rel=1e-12)
        assert value_at(figure_caption.earlier, **at) == pytest.approx(earlier, rel=1e-12)
        assert value_at(STEPS["fig-2/order"].right, **at) == pytest.approx(ten, rel=1e-12)


def test_ten_times_fewer_users_by_hand():
    # The roots at n and at 10 n are in the ratio sqrt(10) / (2 sqrt x), which is 1.43 at eps0 = 0.2, and 0.96 at 1.
    logs = log(1e6)
    for eps0, is_as_good in ((0.2, False), (0.8, False), (1.0, True)):
        x, x_1, a = exp(eps0), expm1(eps0), 2 * exp(2 * eps0) * expm1(eps0)
        ours = x**3 * x_1**2 / 2000 + x**1.5 * x_1 * sqrt(2 * logs / 1000)
        theirs = a * expm1(a / 10_000) + a * sqrt(2 * logs / 10_000)
        assert (ours <= theirs) == is_as_good
        assert theirs / 1.1 <= ours <= 1.5 * theirs
    point = smallest(STEPS["fig-2/order"], check(STEPS["fig-2/order"]).failures[0])
    assert point["eps0"] < 0.91


@pytest.mark.nightly
def test_a_quarter_of_the_users_is_the_most_for_every_budget():
    step = STEPS["fig-2/quarter"]
    at = {"eps0": 0.001, "clients": 1000.0, "log_inverse_delta": 13.8}
    ours = value_at(step.left, **at)
    assert ours <= value_at(step.right, **at) < 1.01 * ours
    assert value_at(figure_caption.earlier_with(5), **at) < ours


def test_longer_windows_can_have_fewer_dummy_updates():
    def dummies(n, m):
        windows = [range(client, client + m) for client in range(1, n + 1)]
        empty = sum(len(set(range(m, n + 1)) - set(slots)) for slots in product(*windows))
        return Fraction(empty, m**n)

    assert (dummies(3, 2), dummies(3, 3)) == (Fraction(1, 2), Fraction(8, 27))
    step = STEPS["rem-4/number"]
    assert smallest(step, check(step).failures[0]) == {"clients": 3.0, "steps": 2.0}
    assert value_at(step.left, clients=3.0, steps=2.0) == 0.5
    # With many clients and few slots they grow, as the remark says; without the premise no slot is left.
    assert 19 * Fraction(1, 2) ** 2 < 18 * Fraction(2, 3) ** 3
    assert value_at(step.left, clients=1e6, steps=10.0) < value_at(step.right, clients=1e6, steps=10.0)


@pytest.mark.nightly
def test_the_noise_of_an_epoch_tends_to_less_than_e_times():
    mpmath.mp.dps = 30
    left = STEPS["sec-3.2-noise/variance"].left
    for n in (2, 10, 10**9):
        share = 1 - (1 - mpmath.mpf(1) / n) ** n
        assert value_at(left, clients=float(n)) == pytest.approx(float(1 / share**2), rel=1e-9)
    assert value_at(left, clients=1e12) == pytest.approx(1 / (1 - 1 / e) ** 2, rel=1e-9) == pytest.approx(2.50265, 1e-5)


@pytest.mark.nightly
def test_conditions_are_needed():
    (point,) = premise_needs(STEPS["rem-3/factor"]).essential.values()
    assert point["mean"] < 1
    (point,) = premise_needs(STEPS["4.1-simple/linear"]).essential.values()
    assert exp(2 * point["eps0"]) * expm1(point["eps0"]) > e**2 * (e - 1) * point["eps0"] and point["eps0"] > 1
    # Theorem 3.5 says nothing below a mean load of log 2, which the remark allows.
    step = STEPS["rem-3/any-constant"]
    assert smallest(step, check(step).failures[0])["mean"] < log(2)


@pytest.mark.nightly
def test_the_loads_are_those_of_theorem_4_1():
    for point in points_in(STEPS["4.1-simple/loads"], 5, inside={"steps": (1, 1e6), "mean": (1.0, 1e3)}):
        n, m, logs = point["steps"] * point["mean"], point["steps"], point["log_inverse_delta2"]
        by_hand = sqrt(1 / n + 1 / m) + sqrt(logs / n)
        assert value_at(STEPS["4.1-simple/loads"].left, **point) == pytest.approx(by_hand, rel=1e-12)
    # The last right side, at the constant of the theorem.
    constant = float(f"{e**2 * (e - 1) * (sqrt(2) + sqrt(log(100))):.15g}")
    value = value_at(STEPS["4.1-simple/form"].right, constant=constant, share=0.05, log_inverse_delta=log(1e6))
    claim = REGISTRY["thm-4.1-simple"](clients=1000, steps=100, eps0=0.5, delta2=0.01, delta=1e-6)
    assert claim.value == pytest.approx(value, rel=1e-12)


@pytest.mark.nightly
def test_what_is_proved_has_no_printed_step():
    for name in ("A.5", "A.7", "4.1"):
        printed, proved = {"4.1": ("", "-proof")}.get(name, ("-printed", ""))
        ids = [[step.id for step in chains()[f"thm-{name}-approx{end}"].steps] for end in (printed, proved)]
        assert ids[0] == [*ids[1], f"{name}-approx/printed"]


@pytest.mark.nightly
def test_audits_of_readings_fail_where_they_should():
    for name in ("thm-A.7-approx-printed", "thm-A.5-approx-printed", "thm-4.1-simple-printed", "cor-3.3-printed"):
        assert audit(name).holds is False
    for name in ("thm-A.5-approx", "thm-4.1-approx-proof", "thm-4.1-simple", "thm-A.4-simple"):
        assert audit(name).holds is True
    assert {step.step.id for step in audit("thm-A.4-simple-quarter").failures} == {"A.4/absorbed-4", "A.4/simple-4"}
