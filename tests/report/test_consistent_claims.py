"""Claims of exact values in a report: consistent to so much is not called true."""

from pldcheck.report import report_digest
from pldcheck.report.page_fold import PageFold
from pldcheck.verification import Report, Row, Verdict


def row(verdict, theorem="gauss-8", analytic=1.0):
    return Row(theorem, {"sigma": 1.0, "epsilon": 0.5}, verdict, analytic, 0.5, 1.0)


def answer(*rows):
    page = PageFold()
    page.add_run("run", Report("run", rows))
    return report_digest._answer(page)


def test_consistent_claims_are_told_apart_from_those_that_hold():
    alone = answer(row(Verdict.CONSISTENT), row(Verdict.CONSISTENT))
    assert alone == "2 claimed exact values are consistent with the truth, as narrowly as it is known."
    mixture = answer(row(Verdict.HOLDS), row(Verdict.CONSISTENT))
    assert mixture == (
        "The one decided claim holds; none is violated, none is undecided. "
        "1 claimed exact value is consistent with the truth, as narrowly as it is known."
    )
    assert "consistent" not in answer(row(Verdict.HOLDS))
