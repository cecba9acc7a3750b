"""Goldens of intervals made by hand: overlap, never closeness."""

import json
import re
import warnings
from math import inf

import pytest

from pldcheck.core.errors import ParameterError, PldcheckError
from pldcheck.core.interval import ErrorBudget, Interval
from pldcheck.testing import Goldens, GoldenWarning
from pldcheck.verification import Report, Row, Verdict
from pldcheck.verification.runs import run_store


def row(steps=10, analytic=0.5, lower=0.1, upper=0.2, verdict=Verdict.HOLDS, **more):
    return Row("thm-own", {"steps": steps, "delta": 1e-6}, verdict, analytic, lower, upper, seconds=3.0, **more)


def report(*rows):
    return Report("any", rows, {})


def store(folder, result, name="g"):
    Goldens(folder, update=True).check(result, name)
    return Goldens(folder, command="pytest t.py::t --pldcheck-update")


FIRST = report(
    row(), row(20, lower=0.0, upper=inf), row(30, None, None, None, Verdict.OUT_OF_CONDITIONS, reason="eps0 <= 1")
)


def test_what_is_stored_agrees_with_itself_and_reads_as_a_run(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store(tmp_path / "new" / "results", FIRST).check(FIRST, "g")
    again = run_store.read(tmp_path / "new" / "results" / "g.jsonl")
    assert [(one.params, one.analytic, one.lower, one.upper, one.verdict) for one in again.rows] == [
        (one.params, one.analytic, one.lower, one.upper, one.verdict) for one in FIRST.rows
    ]
    assert [path.name for path in (tmp_path / "new" / "results").iterdir()] == ["g.jsonl"]


def test_the_same_results_make_the_same_bytes(tmp_path):
    store(tmp_path, report(row()))
    before = (tmp_path / "g.jsonl").read_bytes()
    later = Row("thm-own", {"steps": 10, "delta": 1e-6}, Verdict.HOLDS, 0.5, 0.1, 0.2, seconds=9.0, cell="ab")
    store(tmp_path, report(later))
    assert (tmp_path / "g.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "result",
    [Interval(1, 2), {"a": Interval(1, 2), "b": Interval(0, inf)}, [Interval(1, 2), Interval(0.2, 0.3, "delta")]],
    ids=["one", "named", "listed"],
)
def test_an_interval_alone_may_be_a_golden(tmp_path, result):
    goldens = store(tmp_path, result)
    goldens.check(result, "g")
    with pytest.raises(
        AssertionError, match=r"golden .*g\.jsonl: not stored: other\n(not computed: .*\n)+if the change"
    ):
        goldens.check({"other": Interval(1, 2)}, "g")


@pytest.mark.parametrize(("lower", "upper"), [(0.2, 0.3), (0.05, 0.1), (0.15, 0.16), (0.1, 0.3)])
def test_intervals_that_touch_overlap(tmp_path, lower, upper):
    store(tmp_path, report(row())).check(report(row(lower=lower, upper=upper)), "g")


@pytest.mark.parametrize(("lower", "upper"), [(0.2000000000000001, 0.3), (0.0, 0.09999999999999999)])
def test_intervals_that_do_not_overlap_are_reported(tmp_path, lower, upper):
    goldens = store(tmp_path, report(row()))
    with pytest.raises(AssertionError) as error:
        goldens.check(report(row(lower=lower, upper=upper)), "g")
    message = str(error.value)
    assert "do not overlap at thm-own(steps=10, delta=1e-06): stored [0.1, 0.2], computed " in message
    assert message.endswith("if the change is intended, this command stores it: pytest t.py::t --pldcheck-update")


@pytest.mark.parametrize(("change", "same"), [(0.9e-12, True), (1.1e-12, False)])
def test_formulas_agree_to_their_rounding(tmp_path, change, same):
    goldens = store(tmp_path, report(row(analytic=0.5)))
    new_report = report(row(analytic=0.5 * (1 + change)))
    if same:
        goldens.check(new_report, "g")
    else:
        with pytest.raises(AssertionError, match="the formula's value at thm-own.* was 0.5 and is 0.500000000000"):
            goldens.check(new_report, "g")


@pytest.mark.parametrize("rows", [(row(10), row(11)), (row(11),), ()], ids=["more", "others", "none"])
def test_other_points_are_reported(tmp_path, rows):
    goldens = store(tmp_path, report(row(10)))
    with pytest.raises(AssertionError, match=r"not stored: thm-own\(steps=11|not computed: thm-own\(steps=10"):
        goldens.check(report(*rows), "g")


def test_a_quick_run_is_a_part_of_its_golden(tmp_path):
    store(tmp_path, report(row(10), row(20)))
    Goldens(tmp_path, quick=True).check(report(row(20)), "g")
    with pytest.raises(AssertionError, match="not stored"):
        Goldens(tmp_path, quick=True).check(report(row(30)), "g")


def test_a_missing_interval_is_reported(tmp_path):
    goldens = store(tmp_path, report(row()))
    without_interval = report(row(analytic=None, lower=None, upper=None, verdict=Verdict.OUT_OF_CONDITIONS))
    with pytest.raises(AssertionError, match="the formula's value") as error:
        goldens.check(without_interval, "g")
    assert "was HOLDS with [0.1, 0.2] and is OUT-OF-CONDITIONS with no interval" in str(error.value)


@pytest.mark.parametrize(
    ("then", "new_ends", "message"),
    [
        ((0.1, 0.2), (0.1, 0.3001), "is now 2 times as wide"),
        ((0.1, 0.1), (0.1, 0.2), "was exact and is an interval now"),
        ((0.1, 0.2), (0.1, inf), "is now inf times as wide"),
        ((0.1, 0.2), (0.1, 0.2999), None),
        ((0.1, 0.1), (0.1, 0.1 + 1e-16), None),
        ((0.1, inf), (0.1, inf), None),
        ((inf, inf), (inf, inf), None),
    ],
)
def test_an_interval_twice_as_wide_gives_a_warning(tmp_path, then, new_ends, message):
    goldens = store(tmp_path, report(row(lower=then[0], upper=then[1])))
    with warnings.catch_warnings(record=True) as result:
        warnings.simplefilter("always")
        goldens.check(report(row(lower=new_ends[0], upper=new_ends[1])), "g")
    assert [one.category for one in result] == ([GoldenWarning] if message else [])
    assert all(re.search(message, str(one.message)) and one.filename == __file__ for one in result)


def test_a_missing_golden_names_the_command(tmp_path):
    missing = r"the golden .*g\.jsonl does not exist; this command stores it: pytest t\.py --pldcheck-update"
    with pytest.raises(AssertionError, match=missing):
        Goldens(tmp_path, command="pytest t.py --pldcheck-update").check(FIRST, "g")


@pytest.mark.nightly
def test_cells_that_were_not_computed_are_not_stored(tmp_path):
    bad = report(row(analytic=None, lower=None, upper=None, verdict=Verdict.UNDECIDED, reason="MemoryError: no"))
    with pytest.raises(AssertionError, match="could not be computed: MemoryError: no"):
        store(tmp_path, bad)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.nightly
def test_a_failed_write_leaves_the_old_golden(tmp_path):
    store(tmp_path, report(row()))
    before = (tmp_path / "g.jsonl").read_bytes()
    nan = report(Row("thm-own", {"steps": float("nan")}, Verdict.HOLDS, 0.5, 0.1, 0.2))
    with pytest.raises(ValueError, match="JSON compliant"):
        store(tmp_path, nan)
    assert (tmp_path / "g.jsonl").read_bytes() == before and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["", "../g", ".g", "a/b", 3])
@pytest.mark.nightly
def test_bad_names_of_goldens_are_refused(tmp_path, name):
    with pytest.raises(ParameterError, match="name of a golden"):
        store(tmp_path, FIRST, name)


@pytest.mark.parametrize("result", [0.5, [], {}, [0.1, 0.2], "text", {"a": 1.0}])
@pytest.mark.nightly
def test_values_that_are_no_result_are_refused(tmp_path, result):
    with pytest.raises(ParameterError, match="golden must be a report, an interval, or a list or dict of intervals"):
        store(tmp_path, result)


@pytest.mark.nightly
def test_a_damaged_golden_is_reported_by_its_line(tmp_path):
    goldens = store(tmp_path, report(row()))
    with (tmp_path / "g.jsonl").open("a") as file:
        file.write(json.dumps({"kind": "cell"}) + "\n")
    with pytest.raises(PldcheckError, match=r"g\.jsonl, line 3: it has no digest"):
        goldens.check(report(row()), "g")


@pytest.mark.nightly
def test_a_changed_digit_of_a_golden_is_refused(tmp_path):
    goldens = store(tmp_path, report(row()))
    path = tmp_path / "g.jsonl"
    path.write_text(path.read_text().replace('"lower": 0.1', '"lower": 0.0'))
    with pytest.raises(PldcheckError, match=r"g\.jsonl, line 2: its digest does not match its values"):
        goldens.check(report(row()), "g")


@pytest.mark.nightly
def test_budgets_are_stored(tmp_path):
    store(tmp_path, Interval(1, 2, budget=ErrorBudget(0.5, 0.25, 0.125)))
    assert run_store.read(tmp_path / "g.jsonl").rows[0].budget == ErrorBudget(0.5, 0.25, 0.125)


def test_marks_of_a_merge_conflict_are_called_so_in_one_line(tmp_path):
    goldens = store(tmp_path, report(row()))
    path = tmp_path / "g.jsonl"
    head, line = path.read_text().splitlines()
    ours, theirs = f"<<<<<<< HEAD\n{line}\n=======\n", f"{line}\n>>>>>>> other branch\n"
    for text, number in ((f"{head}\n{ours}{theirs}", 2), (f"<<<<<<< HEAD\n{head}\n=======\n", 1)):
        path.write_text(text)
        with pytest.raises(AssertionError) as error:
            goldens.check(report(row()), "g")
        words = f"line {number}: merge conflict; this command stores it: pytest t.py::t --pldcheck-update"
        assert str(error.value) == f"golden {path}, {words}"
