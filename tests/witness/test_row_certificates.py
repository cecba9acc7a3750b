"""Certificates of rows: the claim is the theorem's or a stronger one, about its cell, and accepted by its program."""

from dataclasses import replace
from fractions import Fraction
from math import inf

import pytest

from pldcheck.checkers.programs import CERTIFICATES
from pldcheck.core.errors import PldcheckError
from pldcheck.theorems import REGISTRY
from pldcheck.verification import FORMULA_SLACK, Row, Verdict, problem_of_bound
from pldcheck.witness import row_certificates
from pldcheck.witness.row_certificates import claim_of_row, complaint, of_row

SLOT = {"steps": 100, "eps0": 1.0, "check_in_prob": 0.5, "delta": 1e-6}


def row_of(name, **params):
    """Return the row of a theorem that holds, with certified ends."""
    theorem = REGISTRY[name]
    bound = theorem(**params)
    truth = problem_of_bound(theorem, bound).answer(0.005)
    return Row(name, params, Verdict.HOLDS, bound.value, truth.lower, truth.upper)


CHECK_IN = row_of("thm-3.2", **SLOT)
CASES = [
    CHECK_IN,
    row_of("thm-4.3", window=100, eps0=1.0, delta=1e-6),
    row_of("thm-A.4", steps=1000, eps0=4.0, weight=0.1, delta=1e-6),
    row_of("adv-22", steps=10, eps0=0.1, delta0=1e-7, delta=1e-3),
    row_of("zcdp-14-tight", sigma=2.0, steps=1, epsilon=2.0),
    # The truth is zero there.
    row_of("thm-3.2", steps=10**6, eps0=2.0, check_in_prob=0.01, delta=1e-4),
    # The bound is 8380, more than the program reads.
    row_of("thm-3.2", steps=10, eps0=4.0, check_in_prob=1.0, delta=1e-4),
]


def test_a_certificate_proves_the_bound_of_its_row():
    stronger = 0
    for row in CASES:
        facts, claim = of_row(row), claim_of_row(row)
        assert CERTIFICATES[facts["pldcheck_certificate"]].verify(facts).status == 0
        assert complaint(row, facts["claim"]) == ""
        quantity = REGISTRY[row.theorem].quantity
        shown = Fraction(facts["claim"][quantity])
        least = Fraction(row.analytic) * (1 - Fraction(FORMULA_SLACK))
        assert shown <= least and Fraction(row.upper) <= shown
        if facts["claim"] == claim.facts:
            assert shown >= least * (1 - Fraction(1, 10**11))
        stronger += facts["claim"] != claim.facts
    assert stronger == 1


def test_a_claim_is_about_the_protocol_of_its_theorem():
    assert claim_of_row(CHECK_IN).facts["mechanism"] == "check-in"
    assert claim_of_row(CASES[1]).facts["mechanism"] == "sliding-window"
    sentence = CERTIFICATES["upper_slot"].verify(of_row(CHECK_IN)).sentence
    assert "check_in_prob 0.5" in sentence and "no further statement" not in sentence


def test_claims_about_other_cells_and_weaker_ones_are_noticed():
    claim = of_row(CHECK_IN)["claim"]
    larger = str(Fraction(claim["epsilon"]) * Fraction(101, 100) * 10**12 // 1 / Fraction(10**12))
    for change, words in (
        ({"steps": 101}, "another cell"),
        ({"check_in_prob": "0.25"}, "another cell"),
        ({"eps0": "2.0"}, "another cell"),
        ({"delta": "0.00001"}, "another cell"),
        ({"mechanism": "hidden-slot"}, "another cell"),
        ({"delta0": "0.000001"}, "another cell"),
        ({"epsilon": larger}, "says less"),
    ):
        assert words in complaint(CHECK_IN, {**claim, **change}), change
    assert complaint(CHECK_IN, {**claim, "epsilon": "0.3"}) == ""


def test_a_number_just_above_the_theorems_is_noticed():
    claim = claim_of_row(CHECK_IN).facts
    text = claim["epsilon"]
    above = text[:-1] + str(int(text[-1]) + 1) if text[-1] != "9" else text + "1"
    assert complaint(CHECK_IN, claim) == "" and "says less" in complaint(CHECK_IN, {**claim, "epsilon": above})


def test_a_row_with_another_value_than_its_theorem_has_no_claim():
    for factor in (0.5, 1 + 2e-16 * 2, 2.0):
        forged = replace(CHECK_IN, analytic=CHECK_IN.analytic * factor)
        with pytest.raises(PldcheckError, match="the row's value is not that of its theorem"):
            complaint(forged, claim_of_row(CHECK_IN).facts)


@pytest.mark.nightly
def test_rows_without_a_certificate_say_why():
    for row, reason in (
        (row_of("gauss-8", sigma=2.0, epsilon=1.0), row_certificates.NOT_AN_UPPER_BOUND),
        (row_of("girgis-ub1", clients=100, eps0=0.5, order=2.0), row_certificates.OTHER_QUANTITY),
        (row_of("basic-1", steps=10, eps0=0.1, eps0_last=0.5, delta=1e-9), row_certificates.NO_MARGIN),
        (replace(CHECK_IN, verdict=Verdict.UNDECIDED), "only bounds of known theorems that hold"),
    ):
        with pytest.raises(PldcheckError, match=reason):
            of_row(row)


def test_texts_are_below_their_numbers_and_near_them():
    for value in (Fraction(1, 3), Fraction(2, 3) * 10**7, Fraction(1, 7 * 10**30), Fraction(5), Fraction(0)):
        text = row_certificates._text_below(value)
        assert value * (1 - Fraction(1, 10**11)) <= Fraction(text) <= value
    assert claim_of_row(CASES[-1]).epsilon.endswith("e3") or "." in claim_of_row(CASES[-1]).epsilon
    assert CASES[-1].analytic < inf
