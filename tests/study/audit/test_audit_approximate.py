"""Lemma A.3 and the two readings of Theorem 3.2's approximate case."""

import mpmath
import pytest
from flint import ctx

from pldcheck.study.audit.box_proof import Proved, prove
from pldcheck.study.audit.point_checks import check
from pldcheck.study.audit.premise_probe import threshold
from pldcheck.study.audit.spans import POINT_BITS, exactly
from pldcheck.study.audit.theorem_audit import examine
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.balle20.proofs import approximate_check_ins
from pldcheck.theorems.proof_step import Measured, Step

STEPS = {step.id: step for chain in approximate_check_ins.CHAINS for step in chain.steps}
HOLDING = [step for step in STEPS.values() if isinstance(step, Step) and step.id != "A.3/rounded"]


def value_at(function, **point):
    with ctx.workprec(POINT_BITS):
        return float(function(**{name: exactly(value) for name, value in point.items()}))


@pytest.mark.parametrize("step", HOLDING, ids=lambda step: step.id)
def test_the_steps_that_hold_are_proved(step):
    grid = check(step)
    assert not grid.failures and grid.contradicted == 0 and grid.undefined == 0
    if step.equal:
        assert grid.unclear == grid.points > 200
    else:
        assert isinstance(prove(step), Proved)


def test_the_printed_sign_in_lemma_A_3_makes_no_number():
    (gap,) = examine(STEPS["A.3/gap"]).readings
    assert gap.verdict == "fails" and gap.counterexample.right.upper < 0
    (trials,) = examine(STEPS["A.3/trials"]).readings
    assert trials.undefined and trials.verdict == "fails"


@pytest.mark.nightly
def test_rounding_up_holds_up_to_2_over_e():
    step = STEPS["A.3/rounded"]
    limit = threshold(STEPS["A.3/rounded-mended"], "delta1")
    # Registry, lem-A.3: rounded up, it gives at most delta1 for delta1 <= 2/e.
    assert limit.proved <= 2 / mpmath.e <= limit.fails <= limit.proved * (1 + 1e-4)
    whole = examine(step)
    point = whole.counterexample.point
    assert whole.verdict == "fails" and point["trials"] == int(point["trials"])
    # The registered formula at the eps0 and delta0 of the counterexample is larger than delta1.
    with mpmath.workdps(40):
        trials, excess, delta1 = (mpmath.mpf(repr(point[name])) for name in ("trials", "excess", "delta1"))
        base = (delta1 / 2) ** (1 / (trials - excess))
        eps0 = -mpmath.log(1 - base) / 5
        delta0 = (1 - mpmath.exp(-eps0)) * delta1 / (4 * mpmath.exp(eps0) * (2 + trials - excess))
    value = REGISTRY["lem-A.3"].formula(eps0=float(eps0), delta0=float(delta0), delta1=float(delta1))
    assert value > float(delta1)
    assert value == pytest.approx(whole.counterexample.left.lower, rel=1e-9)


@pytest.mark.nightly
def test_the_proof_gives_delta1_and_not_delta0():
    finding = examine(STEPS["A.4-approx/moved"])
    (reading,) = finding.readings
    assert finding.verdict == "proved" and reading.verdict == "fails"
    point = reading.counterexample.point
    assert point["delta0"] < point["delta1"]


def test_the_registered_deltas_are_the_right_sides_of_both_readings():
    params = {"steps": 1000, "eps0": 0.2, "check_in_prob": 0.1, "delta0": 1e-17, "delta1": 1e-13, "delta": 1e-6}
    step, values = STEPS["A.4-approx/moved"], {"eps0": 0.2, "steps": 1000.0, "delta0": 1e-17, "delta1": 1e-13}
    for theorem, right in (("thm-3.2-approx", step.right), ("thm-3.2-approx-main", *step.readings.values())):
        entry = REGISTRY[theorem]
        epsilon = entry.formula(**params)
        assert value_at(right, **values, epsilon=epsilon, delta=1e-6) == pytest.approx(entry.at(**params), rel=1e-12)


def test_the_tolerated_delta0_is_the_registered_one():
    condition = REGISTRY["lem-A.3"].conditions[0]
    for eps0, delta1 in ((0.01, 0.5), (1.0, 1e-13), (4.0, 1e-100)):
        limit = value_at(approximate_check_ins.tolerated, eps0=eps0, delta1=delta1)
        assert condition.holds({"eps0": eps0, "delta0": limit * (1 - 1e-12), "delta1": delta1})
        assert not condition.holds({"eps0": eps0, "delta0": limit * (1 + 1e-12), "delta1": delta1})


def test_the_reading_with_delta0_is_true_by_another_proof():
    step = STEPS["3.2-main/ends"]
    assert isinstance(step, Measured)
    finding = examine(step)
    assert finding.verdict == "measured" and all(each.left.upper <= each.right.lower for each in finding.points)
