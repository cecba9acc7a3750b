"""Branch and bound: what is false is never proved, however little and however rarely; what is true is."""

from dataclasses import replace

import pytest

from pldcheck.core.errors import ParameterError
from pldcheck.study.audit.audit_text import conclusion, count_words, legend, point_words, proof_words
from pldcheck.study.audit.box_proof import Proved, Refuted, Unproved, prove
from pldcheck.study.audit.point_checks import check
from pldcheck.study.audit.smallest_counterexample import smallest
from pldcheck.study.audit.theorem_audit import examine
from pldcheck.theorems.papers import chains
from pldcheck.theorems.proof_step import Axis, Chain, Premise, Step


def step(left, right, box, premises=(), id="t/step", **more):
    return Step(id, "test", "", "", left, right, box, premises, **more)


UNIT = {"x": Axis(0.0, 1.0), "y": Axis(0.0, 1.0)}


def bump(x, centre, height, width):
    """Return a hill on zero ground; the centre is a quotient of integers."""
    numerator, denominator = centre
    return (-(((x - x**0 * numerator / denominator) / width) ** 2)).exp() * height


@pytest.mark.parametrize("centre", [(1, 3), (7123, 10000), (99999, 100000)])
@pytest.mark.parametrize("width", [1e-3, 1e-6])
def test_false_by_1e_9_in_a_tiny_region_is_not_proved(centre, width):
    # 1 + hill <= 1 + (1 - 1e-9) hill + a floor of 1e-10: false by 9e-10 within about a width of the centre.
    outcome = prove(
        step(
            lambda x: 1 + bump(x, centre, 1e-9, width),
            lambda x: x**0 * (1 + 1e-10),
            {"x": Axis(0.0, 1.0)},
        )
    )
    assert isinstance(outcome, Refuted)
    assert abs(outcome.point["x"] - centre[0] / centre[1]) < 3 * width


@pytest.mark.parametrize("centre", [(1, 3), (7123, 10000)])
def test_the_same_hill_below_the_floor_is_proved(centre):
    outcome = prove(
        step(lambda x: 1 + bump(x, centre, 1e-9, 1e-3), lambda x: x**0 * (1 + 1.001e-9), {"x": Axis(0.0, 1.0)})
    )
    assert isinstance(outcome, Proved)


@pytest.mark.nightly
def test_an_inequality_in_four_dimensions_on_wide_scales_is_proved():
    box = {name: Axis(1.0, 1e12, "log") for name in "abcd"}
    mean = step(
        lambda a, b, c, d: (a.log() + b.log() + c.log() + d.log()) / 4, lambda a, b, c, d: (a + b + c + d).log(), box
    )
    assert isinstance(prove(mean), Proved)
    # The arithmetic mean exceeds the geometric one by a factor 4 less: equality on the diagonal cannot be decided.
    tight = replace(mean, right=lambda a, b, c, d: ((a + b + c + d) / 4).log())
    assert isinstance(prove(tight, most_boxes=2000), Unproved)
    # 0.26 for 1/4 in the middle.
    false = replace(mean, right=lambda a, b, c, d: ((a + b + c + d) * 6 / 25).log())
    assert isinstance(prove(false), Refuted)


def test_what_is_tight_on_the_boundary_of_a_premise_is_proved():
    sum_to_one = Premise("x + y <= 1", lambda x, y: x + y - 1)
    assert isinstance(prove(step(lambda x, y: x + y, lambda x, y: x**0, UNIT, (sum_to_one,))), Proved)
    true = step(lambda x, y: x * y, lambda x, y: x**0 * (0.25 + 1e-9), UNIT, (sum_to_one,))
    assert isinstance(prove(true), Proved)
    assert isinstance(prove(replace(true, premises=())), Refuted)
    false = replace(true, right=lambda x, y: x**0 * (0.25 - 1e-9))
    assert isinstance(prove(false), Refuted)


def test_several_premises_are_needed_at_once():
    premises = (
        Premise("x y <= 1/4", lambda x, y: x * y - x**0 / 4),
        Premise("x >= y", lambda x, y: y - x),
    )
    # y^2 <= x y <= 1/4.
    true = step(lambda x, y: y, lambda x, y: x**0 * 0.5000001, UNIT, premises)
    assert isinstance(prove(true), Proved)
    false = replace(true, right=lambda x, y: x**0 * 0.4999999)
    assert isinstance(prove(false), Refuted)
    for premise in premises:
        assert isinstance(prove(replace(true, premises=(premise,))), Refuted)


def test_premises_that_leave_a_single_point_are_handled():
    only = (Premise("x >= 1", lambda x: 1 - x), Premise("x <= 1", lambda x: x - 1))
    box = {"x": Axis(0.5, 2.0)}
    # Both sides are e, of which balls cannot tell that they are equal.
    assert isinstance(prove(step(lambda x: x.exp(), lambda x: (x.exp() * 3) / 3, box, only)), Unproved)
    # True there and nowhere else; false there, by 1e-20, and nowhere else.
    assert isinstance(prove(step(lambda x: (x - 1) ** 2, lambda x: x * 0, box, only)), Proved)
    below = step(lambda x: x**0, lambda x: (x - 1) ** 2 * 10**60 + 1 - x**0 / 10**20, box, only)
    assert isinstance(prove(below), Refuted)


def test_a_function_that_is_undefined_somewhere_is_not_proved():
    outcome = prove(step(lambda x: x * 0, lambda x: (x - 0.3).log() + 10, {"x": Axis(0.0, 1.0)}), most_boxes=500)
    assert isinstance(outcome, Unproved)


def test_functions_of_balls_only_are_not_proved():
    # Nothing tells whether they branch inside, and a comparison of wide balls is False where it is undecided.
    outcome = prove(step(lambda x: x.sin(), lambda x: x**0 * 1.01, {"x": Axis(0.0, 6.0)}), most_boxes=50)
    assert isinstance(outcome, Unproved)
    assert isinstance(prove(step(lambda x: x.sin(), lambda x: x**0 * 0.99, {"x": Axis(0.0, 6.0)})), Refuted)


def test_a_false_inequality_that_was_proved_in_one_box():
    # sin makes it a function of balls, and that on [-1, 1] is neither above 1/2 nor below it: 1 was taken for all.
    def branching(x):
        return 1 + 0 * x.sin() if not (x > 0.5 and x < 0.75) else -1 + 0 * x.sin()

    outcome = prove(step(lambda x: 0 * x, branching, {"x": Axis(-1.0, 1.0)}), most_boxes=200)
    assert not isinstance(outcome, Proved)


def test_a_function_that_branches_is_not_proved():
    # -1 between 1/2 and 3/4; the ball around [-1, 1] is not certainly above 1/2.
    def branching(x):
        return x**0 if not x > 0.5 or x > 0.75 else -(x**0)

    assert isinstance(prove(step(lambda x: 0 * x, branching, {"x": Axis(-1.0, 1.0)})), Refuted)
    nowhere = prove(step(lambda x: 0 * x, branching, {"x": Axis(-1.0, 0.49)}), most_boxes=50)
    assert isinstance(nowhere, Unproved)


@pytest.mark.parametrize("test", [lambda x: x != 0.625, lambda x: not x == 0.625, lambda x: x - 0.625], ids="abc")
def test_a_function_that_asks_for_one_value_is_not_proved(test):
    # 1 everywhere but at 5/8, where it is -1.
    outcome = prove(step(lambda x: 0 * x, lambda x: x**0 if test(x) else -(x**0), {"x": Axis(0.1, 1.0)}), most_boxes=50)
    assert not isinstance(outcome, Proved)


@pytest.mark.parametrize("power", [lambda x, y: x**y, lambda x, y: x ** (y / 2), lambda x, y: 2**x * y**0])
def test_powers_of_parameters_are_functions(power):
    box = {"x": Axis(1.0, 2.0), "y": Axis(1.0, 3.0)}
    assert isinstance(prove(step(power, lambda x, y: x**0 * 8.1, box)), Proved)
    assert isinstance(prove(step(lambda x, y: x**0 * 3, power, box)), Refuted)
    # A root of a parameter, and a power that is no whole number.
    assert isinstance(prove(step(lambda x, y: x**1.5, lambda x, y: x**0 * 2.83, box)), Proved)
    assert isinstance(prove(step(lambda x, y: x**1.5, lambda x, y: x**0 * 2.82, box)), Refuted)


def test_premises_that_exclude_the_whole_box_are_reported():
    never = Premise("x + y <= -1", lambda x, y: x + y + 1)
    false = step(lambda x, y: x**0, lambda x, y: x * 0, UNIT, (never,), id="t/vacuous")
    outcome = prove(false)
    assert isinstance(outcome, Proved) and outcome.vacuous
    report = examine(false)
    assert report.verdict == "vacuous" and report.to_dict()["proof"]["vacuous"] is True
    text = "vacuous for x in [0, 1], y in [0, 1], x + y <= -1: no point of the box satisfies the premises"
    assert text in proof_words(report)[0]
    both = (Premise("x <= 1/4", lambda x, y: 4 * x - 1), Premise("x >= 1/2", lambda x, y: 1 - 2 * x))
    outcome = prove(replace(false, premises=both))
    assert isinstance(outcome, Proved) and outcome.vacuous
    # A single point is enough, and no premise is none.
    corner = Premise("x + y <= 0", lambda x, y: x + y)
    outcome = prove(step(lambda x, y: x + y, lambda x, y: x * 0, UNIT, (corner,)))
    assert isinstance(outcome, Proved) and not outcome.vacuous
    outcome = prove(step(lambda x, y: x * 0, lambda x, y: x**0, UNIT))
    assert isinstance(outcome, Proved) and not outcome.vacuous


def test_a_margin_that_hides_a_counterexample_between_grid_points_is_not_believed():
    step_with_hill = step(
        lambda x: x**0, lambda x: 2 - bump(x, (1234567, 10**7), 3, 1e-5), {"x": Axis(0.0, 1.0)}, margin=lambda x: x**0
    )
    assert isinstance(prove(step_with_hill), Proved) and check(step_with_hill).contradicted == 0
    finding = examine(step_with_hill)
    assert finding.verdict == "fails" and abs(finding.counterexample.point["x"] - 0.1234567) < 1e-4


def test_a_margin_of_the_wrong_sign_is_reported():
    wrong = step(lambda x: x, lambda x: x**2, {"x": Axis(0.0, 1.0)}, margin=lambda x: x)
    assert isinstance(prove(wrong), Proved) and check(wrong).contradicted > 100


def test_the_share_left_and_the_boxes_are_counted():
    outcome = prove(step(lambda x: x * (2 - 3 * x), lambda x: x**0 / 3, {"x": Axis(0.0, 1.0)}))
    # Equality at 1/3, which is no float: all but a sliver is proved.
    assert isinstance(outcome, Unproved) and 0 < outcome.share < 1e-12
    low, high = outcome.where["x"]
    assert low <= 1 / 3 + 1e-6 and high >= 1 / 3 - 1e-6 and outcome.boxes < 2000


def test_the_smallest_counterexample_is_small_and_true():
    box = {"n": Axis(1.0, 1e12, "log", whole=True), "p": Axis(0.0, 1.0)}
    false = step(lambda n, p: n * p, lambda n, p: n**0 * 1000, box)
    point = smallest(false, {"n": 123456.7, "p": 0.987654321})
    assert point["n"] == int(point["n"]) and point["n"] * point["p"] > 1000
    assert point["p"] in (1.0, 0.5, 0.1) and point["n"] <= 1e5
    assert smallest(false, {"n": 10.0, "p": 0.5}) is None


@pytest.mark.nightly
def test_grids_are_always_the_same_and_respect_integers_and_premises():
    box = {"n": Axis(1.0, 1e12, "log", whole=True), "p": Axis(0.0, 1.0)}
    some_step = step(lambda n, p: p, lambda n, p: n, box, (Premise("n p <= 2", lambda n, p: n * p - 2),))
    one, two = check(some_step), check(some_step)
    assert one == two and 200 < one.points < one.tried
    assert one.where["n"] == int(one.where["n"]) and one.where["n"] * one.where["p"] <= 2
    # Its corners: n = 1, p = 1 is the least n / p of all.
    assert one.smallest == pytest.approx(1.0, abs=1e-12)


def test_bad_axes_and_chains_are_refused():
    for bad in ((1.0, 0.0), (float("nan"), 1.0), (0.0, float("inf"))):
        with pytest.raises(ParameterError):
            Axis(*bad)
    with pytest.raises(ParameterError):
        Axis(0.0, 1.0, "log")
    with pytest.raises(ParameterError):
        Axis(0.0, 1.0, "cubic")
    one = step(lambda x: x, lambda x: x, {"x": Axis(0.0, 1.0)})
    with pytest.raises(ParameterError):
        Chain("t", (one, one))


def test_a_probability_inside_its_range_is_not_shown_at_the_end_of_it():
    assert point_words({"log_inverse_beta": 1e-6}) == "log_inverse_beta = 1e-06 (beta = 1 - 1e-06)"
    assert point_words({"log_inverse_beta": 0.1}) == "log_inverse_beta = 0.1 (beta = 0.9048)"
    assert point_words({"log_inverse_beta": 0.0}) == "log_inverse_beta = 0 (beta = 1)"


def test_the_legend_leaves_letters_of_several_meanings_to_the_notes_of_each_step():
    steps = {one.id: one for chain in chains().values() for one in chain.steps}
    (line,) = legend(steps.values())
    assert "w = weight" in line and " q = " not in line
    # Where q is the weight, and nothing else is, the notes say so.
    mixtures = [one for one in steps.values() if "weight" in getattr(one, "box", ()) and " q x b" in one.statement]
    assert len(mixtures) == 3 and all(one.notes.startswith("q is the weight") for one in mixtures)


def test_proofs_by_a_simplification_by_hand_are_counted_apart():
    counts = {"proved": 8, "measured": 3}
    assert count_words(counts) == "8 proved, 3 measured"
    assert count_words(counts, 8) == "8 proved (given a simplification by hand), 3 measured"
    assert count_words(counts, 5) == "8 proved (5 of them given a simplification by hand), 3 measured"
    last = "; 1 proof rests on a simplification by hand, which is checked at points only"
    assert conclusion({"proved": 8}, 1).endswith(f"proved on the whole range{last}")
