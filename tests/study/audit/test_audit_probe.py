"""Thresholds against mpmath's roots; premises that are needed and that are not."""

from dataclasses import replace

import mpmath
import pytest
from flint import ctx

from pldcheck.study.audit.measured import CHECKS, READINGS
from pldcheck.study.audit.point_checks import check, fails
from pldcheck.study.audit.premise_probe import ignored_parameters, premise_needs, relaxable, threshold
from pldcheck.study.audit.spans import POINT_BITS
from pldcheck.theorems.balle20.proofs import swap_posterior, swapping_chain
from pldcheck.theorems.papers import chains
from pldcheck.theorems.proof_step import Axis, Measured, Premise, Step


def step(left, right, box, premises=(), **more):
    return Step("t/step", "test", "", "", left, right, box, premises, **more)


# x e^x <= 3 up to W(3), Lambert's function.
LAMBERT = step(lambda x: x * x.exp(), lambda x: x**0 * 3, {"x": Axis(0.0, 4.0)})


def test_a_threshold_encloses_the_root():
    root = float(mpmath.lambertw(3))
    limit = threshold(LAMBERT, "x")
    assert limit.proved <= root <= limit.fails <= limit.proved * (1 + 3e-5)
    assert limit.counterexample["x"] == limit.fails


def test_a_threshold_is_found_from_below_on_a_log_scale():
    small = step(lambda x: 1 / x.sqrt(), lambda x: x**0 * 10, {"x": Axis(1e-9, 1.0, "log")})
    limit = threshold(small, "x", "low")
    assert limit.fails <= 0.01 <= limit.proved <= limit.fails * (1 + 3e-5)


def test_a_threshold_may_lie_at_the_end_of_the_box_or_nowhere():
    everywhere = threshold(replace(LAMBERT, right=lambda x: x.exp() * 5), "x")
    assert (everywhere.proved, everywhere.fails) == (4.0, None)
    nowhere = threshold(replace(LAMBERT, right=lambda x: x * x.exp() - 1), "x")
    assert nowhere.proved is None and nowhere.fails is not None


def test_a_premise_on_the_parameter_alone_is_dropped_others_are_kept():
    box = {"x": Axis(0.0, 4.0), "y": Axis(0.0, 4.0)}
    premises = (Premise("x <= 1", lambda x, y: x - 1), Premise("y <= x", lambda x, y: y - x))
    some_step = step(lambda x, y: x + y, lambda x, y: x**0 * 3, box, premises)
    assert relaxable(some_step) == [("x", "high")]
    limit = threshold(some_step, "x")
    assert limit.dropped == ("x <= 1",)
    assert limit.proved <= 1.5 <= limit.fails <= limit.proved * (1 + 3e-5)
    assert limit.counterexample["y"] <= limit.counterexample["x"]


def test_needed_premises_are_told_from_spare_ones():
    box = {"x": Axis(0.0, 4.0), "y": Axis(0.0, 4.0)}
    one, two, three = (
        Premise("x <= 1", lambda x, y: x - 1),
        Premise("y <= 2", lambda x, y: y - 2),
        Premise("y <= 3", lambda x, y: y - 3),
    )
    needs = premise_needs(step(lambda x, y: x + y, lambda x, y: x**0 * 4.5, box, (one, two, three)))
    # x + y <= 4.5 needs x <= 1, and either bound on y; only with both dropped it fails.
    assert needs.sufficient == (("x <= 1", "y <= 2"), ("x <= 1", "y <= 3")) and needs.undecided == ()
    assert list(needs.essential) == ["x <= 1"]
    point = needs.essential["x <= 1"]
    assert point["x"] + point["y"] > 4.5 and point["y"] <= 2
    assert premise_needs(step(lambda x, y: x, lambda x, y: x + y + 1, box, (one,))).sufficient == ((),)


def test_parameters_of_theorems_that_only_the_left_side_uses_are_named():
    box = {"weight": Axis(0.5, 1.0), "tilt": Axis(0.0, 1.0), "eps0": Axis(0.1, 1.0)}
    parameters = ignored_parameters(
        step(lambda weight, tilt, eps0: weight * tilt * eps0, lambda weight, tilt, eps0: eps0, box)
    )
    # tilt is no parameter of a theorem.
    assert [each.parameter for each in parameters] == ["weight"]
    low, high = parameters[0].middle
    assert low == pytest.approx(2 * high)


def test_a_margin_that_needs_a_premise_does_not_prove_without_it():
    # 1 <= 2 where x <= 1, but 1 <= 1 - 3 about x = 3; the margin, a constant, has the sign of the first only.
    def right(x):
        return 2 - (-((x - 3) ** 2) * 100).exp() * 3

    box = {"x": Axis(0.0, 10.0)}
    some_step = step(lambda x: x**0, right, box, (Premise("x <= 1", lambda x: x - 1),), margin=lambda x: x**0)
    assert () in premise_needs(some_step).sufficient and threshold(some_step, "x").fails is None
    careful = replace(some_step, conditional=True)
    assert list(premise_needs(careful).essential) == ["x <= 1"] and premise_needs(careful).sufficient == (("x <= 1",),)
    limit = threshold(careful, "x")
    assert 1 <= limit.proved < limit.fails < 3


@pytest.mark.parametrize(
    "file, name, point",
    [
        # 1/(1 + 1/x + 7/x^2 - 6/x) at x = 3 is 9/1, and with 8 for the first 1/x and 7 it is 9/(-1).
        (swap_posterior.POSTERIOR, "A.7/first-place", {"eps0": 1.1, "clients": 3.0, "position": 9.0}),
        (swapping_chain.COMPOSITION, "A.7/integral", {"eps0": 1.1, "clients": 3.0, "position": 9.0}),
    ],
)
def test_places_beyond_the_last_are_not_proved(file, name, point):
    step_found = next(each for each in file if each.id == name)
    assert step_found.conditional
    with ctx.workprec(POINT_BITS):
        assert fails(step_found, None, point)
    assert premise_needs(step_found).sufficient == (("position <= clients",),)


@pytest.mark.nightly
def test_margins_that_are_not_conditional_have_the_right_sign_without_premises_too():
    steps = {each.id: each for chain in chains().values() for each in chain.steps if isinstance(each, Step)}
    free = [each for each in steps.values() if each.premises and each.margin and not each.conditional]
    assert len(free) > 5
    for each in free:
        assert check(replace(each, premises=())).contradicted == 0, each.id


def test_every_measured_step_has_a_check_and_no_other():
    measurements = {each.id for chain in chains().values() for each in chain.steps if isinstance(each, Measured)}
    assert measurements == CHECKS.keys() >= READINGS.keys()
