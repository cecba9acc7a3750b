"""Claims of exact values in a report: consistent to so much is not called true."""

from pldcheck.report.claims_overview import claim_groups
from pldcheck.report.page_fold import PageFold
from pldcheck.verification import Report, Row, Verdict


def row(verdict, theorem="gauss-8", analytic=1.0):
    return Row(theorem, {"sigma": 1.0, "epsilon": 0.5}, verdict, analytic, 0.5, 1.0)


def answer(*rows):
    page = PageFold()
    page.add_run("run", Report("run", rows), "run.sqlite")
    (group,) = claim_groups(page)
    return group.sentence


def test_consistent_claims_are_told_apart_from_those_that_hold():
    consistent, holds = row(Verdict.CONSISTENT), row(Verdict.HOLDS)
    agree = "The one published theorem agrees with the truth, as narrowly as it is known, at 2 cells."
    assert answer(consistent, consistent) == agree
    assert answer(holds, consistent) == (
        "The one published theorem holds at 1 cell and agrees with the truth, as narrowly as it is known, at 1 other."
    )
    assert answer(holds) == "The one published theorem holds at every decided cell (1 cell)."
