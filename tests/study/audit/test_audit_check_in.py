"""The chains of the check-in theorems: the suspects come out, with their numbers; mutated constants do not pass."""

from dataclasses import replace

import mpmath
import pytest
from flint import ctx

from pldcheck.study.audit import audit
from pldcheck.study.audit.box_proof import Proved, Refuted, prove
from pldcheck.study.audit.measured import CHECKS
from pldcheck.study.audit.point_checks import check
from pldcheck.study.audit.premise_probe import threshold
from pldcheck.study.audit.spans import POINT_BITS, exactly
from pldcheck.study.audit.theorem_audit import examine
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.balle20.proofs import biased_sampling, fixed_window, simple_form
from pldcheck.theorems.proof_step import Measured, Premise, Step

STEPS = {step.id: step for chain in (*biased_sampling.CHAINS, *fixed_window.CHAINS) for step in chain.steps}
ELEMENTARY = [step for step in STEPS.values() if isinstance(step, Step)]


def value_at(function, **point):
    with ctx.workprec(POINT_BITS):
        return float(function(**{name: exactly(value) for name, value in point.items()}))


@pytest.mark.parametrize("step", ELEMENTARY, ids=lambda step: step.id)
def test_every_step_is_proved_or_equal_but_those_for_delta_at_most_a_quarter(step):
    grid = check(step)
    assert grid.contradicted == 0 and grid.undefined == 0
    if step.equal:
        assert grid.unclear == grid.points > 200
    elif step.id.endswith("-4"):
        assert isinstance(prove(step), Refuted) and grid.failures
    else:
        assert isinstance(prove(step), Proved) and not grid.failures and grid.smallest > 1 - 1e-9


@pytest.mark.parametrize(
    ("theorem", "ours", "names"),
    [
        ("thm-A.4", simple_form.replacement, {"weight": "weight"}),
        ("thm-3.2", simple_form.replacement, {"check_in_prob": "weight"}),
        ("thm-3.2-improved", fixed_window.improved_epsilon, {"check_in_prob": "weight"}),
        ("thm-3.2-simple", STEPS["A.4/simple-100"].right, {"check_in_prob": "weight"}),
    ],
)
def test_chains_end_in_the_registered_formulas(theorem, ours, names):
    (name,) = names
    for steps, eps0, weight, delta in ((1, 0.5, 1.0, 1e-3), (1000, 1.0, 0.25, 1e-6), (10**6, 0.01, 0.5, 1e-100)):
        bound = REGISTRY[theorem](steps=steps, eps0=eps0, delta=delta, **{name: weight}).value
        log_inverse_delta = float(-mpmath.log(mpmath.mpf(repr(delta))))
        value = value_at(ours, eps0=eps0, steps=float(steps), weight=weight, log_inverse_delta=log_inverse_delta)
        assert value == pytest.approx(bound, rel=1e-12)


def test_steps_of_the_chains_connect():
    # What (10) makes of the envelope is the budget's form; its right side at t is Lemma A.2's a/(k - b(i-1)).
    posterior, budget, formula, step = (STEPS[f"A.4/{name}"] for name in ("posterior", "budget", "formula", "formula"))
    for eps0, weight, past in ((1.0, 0.5, 0.25), (3.0, 0.1, 0.9), (0.01, 1.0, 0.5)):
        envelope = value_at(posterior.right, eps0=eps0, weight=weight, tilt=0.0, past=past)
        growth = (
            value_at(lambda eps0, weight, past: weight * eps0.expm1(), eps0=eps0, weight=weight, past=past) * envelope
        )
        assert value_at(budget.left, eps0=eps0, weight=weight, past=past) == pytest.approx(growth, rel=1e-12)
    step = STEPS["A.2/joined"]
    for eps0, weight in ((1.0, 0.5), (0.1, 1.0)):
        point = {"eps0": eps0, "steps": 100.0, "weight": weight, "log_inverse_delta": 9.0}
        first, decay = weight * float(mpmath.expm1(eps0)), float(-mpmath.expm1(-eps0))
        value = value_at(step.right, steps=100.0, first=first, decay=decay, log_inverse_delta=9.0)
        assert value == pytest.approx(value_at(formula.right, **point), rel=1e-12)
    # The simplification starts where the pure case ends.
    assert STEPS["A.4/simple-100"].left is formula.right


def root(function, start):
    with mpmath.workdps(30):
        return float(mpmath.findroot(function, start))


@pytest.mark.nightly
def test_the_delta_up_to_which_the_simple_form_holds():
    limit = threshold(STEPS["A.4/simple-100"], "log_inverse_delta", "low")
    exact = root(
        lambda big: (
            7 * mpmath.sqrt(big)
            - mpmath.e * mpmath.expm1(1) ** 2 / 2
            - mpmath.expm1(1) * mpmath.sqrt(2 * mpmath.e * big)
        ),
        1.8,
    )
    assert limit.fails <= exact <= limit.proved <= limit.fails * (1 + 3e-5)
    # Sheet 2, thm-3.2-simple: threshold delta <= 0.1658.
    assert float(mpmath.exp(-limit.proved)) == pytest.approx(0.1658, abs=5e-5)
    assert limit.counterexample == pytest.approx(
        {"eps0": 1.0, "steps": 1.0, "weight": 1.0} | {"log_inverse_delta": limit.fails}
    )
    assert limit.dropped == ("delta <= 1/100",)


@pytest.mark.nightly
def test_the_eps0_up_to_which_the_simple_form_holds():
    limit = threshold(STEPS["A.4/simple-100"], "eps0")
    exact = root(
        lambda e: (
            7 * e * mpmath.sqrt(mpmath.log(100))
            - mpmath.exp(e) * mpmath.expm1(e) ** 2 / 2
            - mpmath.expm1(e) * mpmath.sqrt(2 * mpmath.exp(e) * mpmath.log(100))
        ),
        1.1,
    )
    assert limit.proved <= exact <= limit.fails <= limit.proved * (1 + 3e-5)


@pytest.mark.nightly
def test_at_a_quarter_the_main_form_is_larger():
    step = STEPS["A.4/simple-4"]
    finding = examine(step)
    assert finding.verdict == "fails" and finding.counterexample.point["log_inverse_delta"] >= float(mpmath.log(4))
    assert {name: finding.counterexample.point[name] for name in ("eps0", "steps", "weight")} == {
        "eps0": 1.0,
        "steps": 1.0,
        "weight": 1.0,
    }
    assert finding.counterexample.left.lower > finding.counterexample.right.upper
    point = {"eps0": 1.0, "steps": 1.0, "weight": 1.0, "log_inverse_delta": float(mpmath.log(4))}
    # Sheet 2, thm-3.2-simple: 1.059 times the simple form at eps0 = m = p0 = 1, delta = 1/4.
    assert value_at(step.left, **point) / value_at(step.right, **point) == pytest.approx(1.059, abs=5e-4)


@pytest.mark.parametrize(("constant", "holds"), [("6.5", True), ("5.9", True), ("5.8", False), ("5.875", False)])
def test_the_constant_seven_could_be_smaller_but_not_arbitrarily(constant, holds):
    step = STEPS["A.4/simple-100"]
    numerator, denominator = int(float(constant) * 1000), 1000

    def margin(eps0, steps, weight, log_inverse_delta):
        simple = log_inverse_delta.sqrt() * numerator / denominator
        return simple - simple_form.reduced_formula(eps0, steps, weight, log_inverse_delta)

    def right(eps0, steps, weight, log_inverse_delta):
        return weight * eps0 * (log_inverse_delta / steps).sqrt() * numerator / denominator

    outcome = prove(replace(step, margin=margin, right=right))
    assert isinstance(outcome, Proved if holds else Refuted)


MUTANTS = {
    "A.1/ratio": lambda eps0, share, tilt: eps0.exp() / (1 + share * eps0.exp()),
    "A.2/integral": lambda steps, past, decay: 1 / (steps * (1 - past * decay)) ** 2 * (1 - decay / steps / 1000),
    "A.2/drift": lambda growth: growth**2 * 499 / 1000,
    "A.2/square": lambda growth: growth**2 * 999 / 1000,
    "A.4/mixture": lambda eps0, weight, tilt: 1 + weight * eps0.expm1() * 999 / 1000,
    "A.4/posterior": lambda eps0, weight, tilt, past: eps0.exp() / (2 * past + (1 - past) * eps0.exp()),
    "A.4/posterior-kept": lambda eps0, weight, tilt, past: 1 / (1 + past * weight**2 * (-eps0).expm1()),
    "A.4/linear": lambda eps0: eps0 * 283 / 100,
    "3.2-improved/no-worse": lambda eps0, steps, weight, log_inverse_delta: (
        fixed_window.improved_epsilon(eps0, steps, weight, log_inverse_delta) * 999 / 1000
    ),
}


@pytest.mark.parametrize("id_", MUTANTS)
def test_mutated_right_sides_are_refuted(id_):
    step = STEPS[id_]
    assert isinstance(prove(step, MUTANTS[id_], 5000), Refuted) or check(step, MUTANTS[id_]).failures


def test_mutated_equalities_are_reported():
    for step in ELEMENTARY:
        if step.equal:
            right = step.right
            outcome = check(replace(step, right=lambda right=right, **point: right(**point) * (1 + 1e-12)))
            assert len(outcome.failures) > 200


def test_theorem_3_2_forgets_the_weight_and_the_improved_one_does_not():
    parameters_lost = examine(STEPS["A.4/posterior"]).ignored
    assert [each.parameter for each in parameters_lost] == ["weight"] and parameters_lost[0].middle[
        0
    ] > 1.5 > parameters_lost[0].middle[1]
    assert examine(STEPS["A.4/posterior-kept"]).ignored == ()


def test_lemma_A_1_fails_without_the_budget():
    step = STEPS["A.1/ratio"]
    assert isinstance(
        prove(replace(step, box={**step.box, "tilt": replace(step.box["tilt"], high=1.1)}, margin=None)), Refuted
    )


def test_measured_steps_hold_and_have_a_reason():
    for step in STEPS.values():
        if isinstance(step, Measured):
            finding = examine(step)
            assert finding.verdict == "measured" and step.why
            assert all(at.left.upper <= at.right.lower for at in finding.points)


def test_the_whole_sum_agrees_with_a_loop():
    left, right = CHECKS["A.2/sum"](steps=50.0, decay=0.7)
    with mpmath.workdps(40):
        exact = sum(mpmath.mpf(50) / (50 - i * mpmath.mpf("0.7")) ** 2 for i in range(50))
        assert left.lower <= exact <= left.upper <= left.lower * (1 + 1e-13)
        assert right.lower <= 1 / mpmath.mpf("0.3") <= right.upper


@pytest.mark.long
def test_a_report_is_available_in_python():
    report = audit("lem-A.1")
    assert report.holds and repr(report) == "<Audit of lem-A.1: 1 proved (given a simplification by hand)>"
    facts = report.to_dict()
    assert facts["steps"][0]["proof"]["kind"] == "Proved"
    assert audit("thm-3.2-simple").holds is False
    assert isinstance(STEPS["A.4/linear"].premises[0], Premise)
