"""Corollary 3.3: which conditions its proof needs, each with a counterexample without it."""

from math import exp, log, sqrt

import mpmath
import pytest
from flint import ctx

from pldcheck.study.audit.box_proof import Proved, prove
from pldcheck.study.audit.point_checks import check
from pldcheck.study.audit.premise_probe import premise_needs, threshold
from pldcheck.study.audit.spans import POINT_BITS, exactly
from pldcheck.study.audit.theorem_audit import examine
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.balle20.proofs import repeated_windows
from pldcheck.theorems.proof_step import Step

STEPS = {step.id: step for step in repeated_windows.CHAINS[0].steps}
ELEMENTARY = [step for step in STEPS.values() if isinstance(step, Step)]
FIRST, SECOND = (premise.text for premise in (repeated_windows.FIRST, repeated_windows.SECOND))
FAILING = {"3.3/(6)", "3.3/half-cited", "3.3/half-relaxed"}


def value_at(function, **point):
    with ctx.workprec(POINT_BITS):
        return float(function(**{name: exactly(value) for name, value in point.items()}))


def window(eps0, clients, log_inverse_beta):
    """Return Theorem 3.2 at steps = 1, p0 = 1/clients, without anything of the chain's."""
    x = exp(eps0)
    return (x - 1) * sqrt(2 * x * log_inverse_beta) / clients + x * (x - 1) ** 2 / (2 * clients**2)


def conditions(eps0, clients, log_inverse_beta):
    """Return the corollary's two conditions at steps = 1."""
    x = exp(eps0)
    return eps0 <= 2 / 3 * log(clients / 8), clients >= (x - 1) ** 2 * x * log_inverse_beta


def clients_of(point):
    return 8 * point["headroom"] * exp(1.5 * point["eps0"])


@pytest.mark.nightly
@pytest.mark.parametrize("step", [step for step in ELEMENTARY if step.id not in FAILING], ids=lambda step: step.id)
def test_the_steps_that_hold_are_proved(step):
    grid = check(step)
    assert not grid.failures and grid.contradicted == 0
    if step.equal:
        assert grid.unclear == grid.points > 200
    else:
        assert isinstance(prove(step), Proved)


@pytest.mark.nightly
def test_a_half_needs_both_conditions():
    needs = premise_needs(STEPS["3.3/half"])
    assert needs.sufficient == ((FIRST, SECOND),)
    point = needs.essential[SECOND]
    eps0, beta = point["eps0"], point["log_inverse_beta"]
    # Sheet 2, cor-3.3: the first condition, which the proof cites, does not suffice.
    first, second = conditions(eps0, clients_of(point) * (1 + 1e-12), beta)
    assert first and not second and window(eps0, clients_of(point), beta) > 0.5


@pytest.mark.nightly
def test_a_half_from_the_condition_cited_fails():
    finding = examine(STEPS["3.3/half-cited"])
    point = finding.counterexample.point
    assert finding.verdict == "fails"
    assert window(point["eps0"], clients_of(point), point["log_inverse_beta"]) == pytest.approx(
        finding.counterexample.left.lower, rel=1e-9
    )


@pytest.mark.long
def test_the_relaxed_right_side_exceeds_a_half():
    finding = examine(STEPS["3.3/half-relaxed"])
    point = finding.counterexample.point
    eps0, beta = point["eps0"], point["log_inverse_beta"]
    assert finding.verdict == "fails" and all(conditions(eps0, clients_of(point) * (1 + 1e-12), beta))
    # Sheet 2, cor-3.3: the relaxed right side may exceed 1/2 (0.93 seen).
    assert 0.5 < finding.counterexample.left.lower < 1.0
    place = {"eps0": 0.1, "headroom": 1.0, "log_inverse_beta": 690.0}
    assert all(conditions(0.1, clients_of(place) * (1 + 1e-12), 690.0))
    assert value_at(repeated_windows.relaxed_window, **place) == pytest.approx(0.883, abs=1e-3)
    # The exact value stays below, at the same point.
    assert value_at(repeated_windows.window, **place) < 0.5


@pytest.mark.nightly
def test_the_floor_under_log_beta():
    # The cited condition needs 1/8 beside it.
    limit = threshold(STEPS["3.3/(6)-floor"], "log_inverse_beta", "low")
    assert limit.fails <= 1 / 8 <= limit.proved <= limit.fails * (1 + 3e-5)
    # Sheet 2, cor-3.3: (6) itself needs log(1/beta) >= 1/512; from the first condition alone it suffices.
    step = STEPS["3.3/(6)-mended"]
    needs = premise_needs(step)
    assert needs.sufficient == ((FIRST, repeated_windows.FLOOR.text),)
    low = threshold(step, "log_inverse_beta", "low")
    # With the second condition too, x is bounded: (1 - 1/x)^2/512 where (x - 1)^2 x^(-1/2) B = 8.
    exact = mpmath.findroot(lambda x: (1 - 1 / x) ** 2 / 512 - 8 * mpmath.sqrt(x) / (x - 1) ** 2, 256)
    least = float((1 - 1 / exact) ** 2 / 512)
    assert low.fails <= least <= low.proved <= low.fails * (1 + 1e-4) and low.proved < 1 / 512


def test_a_half_is_more_than_the_exponential_needs():
    limit = threshold(STEPS["3.3/exponential"], "epsilon")
    exact = float(mpmath.findroot(lambda e: mpmath.expm1(e) - 1.5 * e, 0.7))
    assert limit.proved <= exact <= limit.fails <= limit.proved * (1 + 3e-5)


@pytest.mark.nightly
def test_the_root_after_seven_is_misprinted():
    (reading,) = examine(STEPS["3.3/(7)"]).readings
    assert reading.verdict == "fails"
    point = reading.counterexample.point
    assert point["log_inverse_beta"] < point["log_inverse_delta"]


def test_the_chain_ends_in_the_registered_formula():
    for eps0, steps, clients, beta, delta in ((0.5, 100, 10_000, 1e-8, 1e-6), (1.0, 10_000, 10**8, 1e-20, 1e-9)):
        bound = REGISTRY["cor-3.3"](steps=steps, clients=clients, eps0=eps0, beta=beta, delta=delta).value
        growth = float(mpmath.expm1(eps0)) * sqrt(steps * exp(eps0)) / clients
        value = value_at(
            STEPS["3.3/last"].right,
            growth=growth,
            rounds=clients / steps,
            log_inverse_delta=-log(delta),
            log_inverse_beta=-log(beta),
        )
        assert value == pytest.approx(bound, rel=1e-12)
