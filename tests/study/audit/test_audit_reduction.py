"""The chains of Girgis et al., Section 5.1."""

import math
from fractions import Fraction

import pytest
from chain_steps import holds, is_refuted, measured_of, outcomes, steps_of

from pldcheck.study.audit import audit
from pldcheck.study.audit.premise_probe import premise_needs
from pldcheck.theorems.girgis21 import reduction_proof

STEPS = steps_of(reduction_proof)
MEASUREMENTS = measured_of(reduction_proof)
# The steps' right sides with one constant changed.
MUTANTS = {
    "girgis-18/positive": lambda eps0, tilt: 99 * (tilt * eps0).exp() / 100,
    "girgis-18/sum": lambda eps0, one, other: 1 + eps0 / 1000,
    "girgis-18/mixture": lambda eps0, one, other: (999 * one + other) / 1000,
    "girgis-5.2/logarithm": lambda growth: growth - growth**2 / 100,
    "girgis-5.2/two": lambda one, other, order: (
        (order * one.log() + (1 - order) * other.log()).exp() + (order * (-one).log1p()).exp()
    ),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", STEPS)
def test_elementary_steps_are_proved_or_equal(name):
    assert holds(STEPS[name])


@pytest.mark.nightly
@pytest.mark.parametrize("name", MEASUREMENTS)
def test_measured_steps_hold(name):
    assert all(outcomes(MEASUREMENTS[name].check, MEASUREMENTS[name].points))


@pytest.mark.nightly
@pytest.mark.parametrize("name", MUTANTS)
def test_changed_constants_are_refuted(name):
    assert is_refuted(STEPS[name], MUTANTS[name])


def test_the_order_must_be_at_least_one():
    (point,) = premise_needs(STEPS["girgis-5.2/two"]).essential.values()
    u, v, order = point["one"], point["other"], point["order"]
    assert order < 1
    assert math.pow(u, order) * math.pow(v, 1 - order) + math.pow(1 - u, order) * math.pow(1 - v, 1 - order) < 1


@pytest.mark.nightly
def test_the_client_in_which_the_lists_differ_cannot_be_left_out():
    step = MEASUREMENTS["girgis-5.3/monotone"]
    (reading,) = step.readings.values()
    assert not any(outcomes(reading, step.points))
    # Two clients with binary response at x = 3, the other record 0: answers (1, 1), (0, 1) and (0, 0).
    p = [Fraction(3, 16), Fraction(10, 16), Fraction(3, 16)]
    q = [Fraction(1, 16), Fraction(6, 16), Fraction(9, 16)]
    assert sum(a * a / b for a, b in zip(p, q, strict=True)) == Fraction(5, 3)
    left, right = reading(clients=2, kind=0, order=2)
    assert left.lower >= 5 / 3 and right.upper == 1


@pytest.mark.nightly
def test_the_whole_chain_of_the_reduction_holds():
    report = audit("girgis-3.6")
    assert report.holds and len(report.steps) == 12
