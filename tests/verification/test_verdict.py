"""The verdict on both sides of the slack."""

import math
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from pldcheck.core.interval import Interval
from pldcheck.theorems import REGISTRY
from pldcheck.verification import FORMULA_SLACK, Verdict, judge, judge_theorem, relative_width
from pldcheck.verification.run_cells import Answer, row
from pldcheck.verification.suites import Cell
from pldcheck.verification.verdict import EQUALITY_WIDTH


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
def test_claims_around_the_interval_get_their_verdicts(claim, verdict, scale):
    assert judge(claim * scale, Interval(1.0 * scale, 2.0 * scale)) is verdict


def test_an_error_of_the_formula_within_the_slack_never_flips_a_verdict():
    certain = {Verdict.HOLDS, Verdict.VIOLATED}
    truth = Interval(1.0, 1.0)
    for step in range(-40, 41):
        claim = 1.0 + step * FORMULA_SLACK / 10
        verdicts = {judge(claim * (1 + error), truth) for error in (-FORMULA_SLACK, 0.0, FORMULA_SLACK)}
        assert not certain <= verdicts


def test_zero_and_infinite_ends_are_judged():
    assert judge(1e-300, Interval(0.0, 0.0)) is Verdict.HOLDS
    assert judge(math.inf, Interval(0.0, 5.0)) is Verdict.HOLDS
    assert judge(1.0, Interval(0.0, math.inf)) is Verdict.UNDECIDED


def test_the_text_is_the_contract():
    assert [str(verdict) for verdict in Verdict] == [
        "HOLDS",
        "CONSISTENT",
        "VIOLATED",
        "UNDECIDED",
        "UNJUDGEABLE",
        "OUT-OF-CONDITIONS",
        "NOT-JUDGED",
    ]


def test_equalities_and_lower_bounds_are_judged():
    narrow, wide = Interval(1.0, 1.0005), Interval(1.0, 1.1)
    assert judge(1.0002, narrow, "=") is Verdict.CONSISTENT
    assert judge(1.0002, wide, "=") is Verdict.UNDECIDED
    assert judge(1.0006, narrow, "=") is judge(0.9999, narrow, "=") is Verdict.VIOLATED
    assert judge(0.9, narrow, ">=") is Verdict.HOLDS
    assert judge(1.1, narrow, ">=") is Verdict.VIOLATED
    assert judge(1.0002, narrow, ">=") is Verdict.UNDECIDED


def test_a_delta_of_one_is_no_claim():
    assert judge(1.0, Interval(0.9, 1.0, "delta")) is Verdict.HOLDS
    assert judge(1.0, Interval(0.9, 1.0)) is Verdict.UNDECIDED


def test_only_a_truth_known_to_round_off_proves_an_equality():
    assert judge(1.0, Interval(1.0, 1.0), "=") is judge(0.0, Interval(0.0, 0.0), "=") is Verdict.HOLDS
    assert judge(1.0, Interval(1.0, 1.0 + FORMULA_SLACK), "=") is Verdict.HOLDS
    assert judge(1.0, Interval(1.0, 1.0 + 3 * FORMULA_SLACK), "=") is Verdict.CONSISTENT
    assert judge(1.0, Interval(1.0, math.nextafter(1.0 + EQUALITY_WIDTH, 0.0)), "=") is Verdict.CONSISTENT
    assert judge(1.0, Interval(1.0, 1.0 + 2 * EQUALITY_WIDTH), "=") is Verdict.UNDECIDED
    # What may be zero and need not be: nothing is known of its size.
    assert judge(0.0, Interval(0.0, 1e-300), "=") is Verdict.CONSISTENT
    assert judge(0.0, Interval(0.0, 1e-280), "=") is Verdict.UNDECIDED
    assert judge(1.0, Interval(0.5, math.inf), "=") is Verdict.UNDECIDED


@pytest.mark.parametrize("seed", range(200))
def test_a_relative_width_is_never_too_small(seed):
    source = Random(seed)
    low = 10 ** source.uniform(-300, 300)
    high = low * (1 + 10 ** source.uniform(-16, 3))
    exact = Fraction(high) / Fraction(low) - 1
    width = relative_width(Interval(low, high))
    assert exact <= Fraction(width) <= exact * (1 + Fraction(1, 2**49))


@pytest.mark.parametrize("seed", range(400))
def test_no_verdict_is_wrong_whatever_the_formula_errs(seed):
    """A true value, an interval around it, and a claim evaluated with any error that is granted."""
    source = Random(seed)
    truth = Fraction(10 ** source.uniform(-280, 280))
    near = Fraction(10 ** source.uniform(-16, 1))
    low, high = truth * (1 - min(near, 1) * Fraction(source.random())), truth * (1 + near * Fraction(source.random()))
    interval = Interval(math.nextafter(float(low), 0.0), math.nextafter(float(high), math.inf))
    wrong_claim = truth * (1 + Fraction(source.choice((-1, 1)) * 10 ** source.uniform(-16, -1)))
    # Half an ulp of the claim is left for its own rounding.
    slack = Fraction(FORMULA_SLACK) - Fraction(1, 2**52)
    claim = float(wrong_claim * (1 + slack * source.choice((-1, 0, 1))))
    for relation, true in (("<=", truth <= wrong_claim), (">=", truth >= wrong_claim), ("=", truth == wrong_claim)):
        verdict = judge(claim, interval, relation)
        if relation == "=" and verdict is Verdict.HOLDS:
            assert abs(wrong_claim / truth - 1) <= 4 * Fraction(FORMULA_SLACK)
        elif verdict in (Verdict.HOLDS, Verdict.VIOLATED):
            assert (verdict is Verdict.HOLDS) is true, (relation, seed)


def test_what_fails_for_a_protocol_that_reveals_more_is_not_refuted():
    plain = REGISTRY["thm-3.2"]
    assert not plain.dominated and REGISTRY["thm-A.5"].dominated
    truth = Interval(0.2, 0.3, "epsilon")
    claims = (0.1, 0.25, 0.4)
    verdicts = [judge_theorem(plain, claim, truth) for claim in claims]
    assert verdicts == [Verdict.VIOLATED, Verdict.UNDECIDED, Verdict.HOLDS]
    verdicts = [judge_theorem(replace(plain, dominated=True), claim, truth) for claim in claims]
    assert verdicts == [Verdict.UNDECIDED, Verdict.UNDECIDED, Verdict.HOLDS]
    more = replace(plain, relation=">=")
    verdicts = [judge_theorem(more, claim, truth) for claim in claims]
    assert verdicts == [Verdict.HOLDS, Verdict.UNDECIDED, Verdict.VIOLATED]
    verdicts = [judge_theorem(replace(more, dominated=True), claim, truth) for claim in claims]
    assert verdicts == [Verdict.UNDECIDED, Verdict.UNDECIDED, Verdict.VIOLATED]


def test_a_row_says_why_it_does_not_refute():
    params = {"steps": 100, "weight": 1.0, "eps0": 1.0, "delta": 1e-6}
    plain = REGISTRY["thm-A.4"]
    for theorem, verdict in ((plain, Verdict.VIOLATED), (replace(plain, dominated=True), Verdict.UNDECIDED)):
        truth = Interval(99.0, 100.0, "epsilon", witness={"kind": "any"})
        result = row(
            Cell(theorem, None, "epsilon", params, None, True), theorem(**params).value, Answer(truth, 0.0, None)
        )
        assert result.verdict is verdict
    assert result.witness is None
    assert result.reason == "hidden-slot reveals more than is claimed, and may reveal more than what thm-A.4 is about"
