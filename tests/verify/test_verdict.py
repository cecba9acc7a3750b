"""The verdict on both sides of the slack."""

import math

import pytest

from pldcheck.interval import Interval
from pldcheck.verify import FORMULA_SLACK, Verdict, judge


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (2.1, Verdict.HOLDS),
        (2.0 * (1 + 2 * FORMULA_SLACK), Verdict.HOLDS),
        (2.0 * (1 + FORMULA_SLACK / 2), Verdict.UNDECIDED),
        (2.0, Verdict.UNDECIDED),
        (1.5, Verdict.UNDECIDED),
        (1.0, Verdict.UNDECIDED),
        (1.0 * (1 - FORMULA_SLACK / 2), Verdict.UNDECIDED),
        (1.0 * (1 - 2 * FORMULA_SLACK), Verdict.VIOLATED),
        (0.5, Verdict.VIOLATED),
    ],
)
def test_claims_around_the_interval(claim, verdict, scale):
    assert judge(claim * scale, Interval(1.0 * scale, 2.0 * scale)) is verdict


def test_an_error_of_the_formula_within_the_slack_never_flips_a_verdict():
    decided = {Verdict.HOLDS, Verdict.VIOLATED}
    truth = Interval(1.0, 1.0)
    for step in range(-40, 41):
        claim = 1.0 + step * FORMULA_SLACK / 10
        verdicts = {judge(claim * (1 + error), truth) for error in (-FORMULA_SLACK, 0.0, FORMULA_SLACK)}
        assert not decided <= verdicts


def test_zero_and_infinite_ends():
    assert judge(1e-300, Interval(0.0, 0.0)) is Verdict.HOLDS
    assert judge(math.inf, Interval(0.0, 5.0)) is Verdict.HOLDS
    assert judge(1.0, Interval(0.0, math.inf)) is Verdict.UNDECIDED


def test_the_text_is_the_contract():
    assert [str(verdict) for verdict in Verdict] == [
        "HOLDS",
        "VIOLATED",
        "UNDECIDED",
        "OUT-OF-CONDITIONS",
        "NOT-JUDGED",
    ]


def test_equalities_and_lower_bounds():
    narrow, wide = Interval(1.0, 1.0005, "delta"), Interval(1.0, 1.1, "delta")
    assert judge(1.0002, narrow, "=") is Verdict.HOLDS
    assert judge(1.0002, wide, "=") is Verdict.UNDECIDED
    assert judge(1.0006, narrow, "=") is judge(0.9999, narrow, "=") is Verdict.VIOLATED
    assert judge(0.9, narrow, ">=") is Verdict.HOLDS
    assert judge(1.1, narrow, ">=") is Verdict.VIOLATED
    assert judge(1.0002, narrow, ">=") is Verdict.UNDECIDED


def test_a_delta_of_one_is_no_claim():
    assert judge(1.0, Interval(0.9, 1.0, "delta")) is Verdict.HOLDS
    assert judge(1.0, Interval(0.9, 1.0)) is Verdict.UNDECIDED
