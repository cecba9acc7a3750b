"""Rows, their sums, and how they are shown."""

import json
import pickle
import sys
from types import SimpleNamespace

import pytest

from pldcheck.core.errors import PldcheckError
from pldcheck.core.interval import ErrorBudget
from pldcheck.verification import Report, Row, Verdict

PARAMS = {"steps": 10**9, "eps0": 0.1, "delta": 1e-12}


def row(verdict=Verdict.HOLDS, analytic=2.0, lower=0.5, upper=1.0, theorem="thm-a", **more):
    return Row(theorem, PARAMS, verdict, analytic, lower, upper, **more)


OUTSIDE = Row("thm-a", PARAMS, Verdict.OUT_OF_CONDITIONS, reason="eps0")


def test_a_printed_report_is_the_table_of_verdicts():
    params = {"steps": 10, "eps0": 1.0, "delta": 1e-6}
    holding_row = Row("thm-a", params, Verdict.HOLDS, 1.0, 0.4, 0.5)
    report = Report("own", (holding_row, Row("theorem-b", params, Verdict.OUT_OF_CONDITIONS)))
    assert str(report).splitlines() == [
        "suite own; min, median, max: claim / certified upper end",
        "theorem    cells  HOLDS  OUT-OF-CONDITIONS  min  median  max",
        "thm-a          1      1                  0    2       2    2",
        "theorem-b      1      0                  1    –       –    –",
    ]


def test_tightness_is_two_sided():
    assert (row().tightness_lower, row().tightness_upper) == (2.0, 4.0)


@pytest.mark.parametrize(
    ("entry", "ends"),
    [
        (row(lower=0.0, upper=0.0), (None, None)),
        (row(lower=0.0, upper=1.0), (2.0, None)),
        (row(lower=5e-324, upper=1.0), (2.0, None)),
        (OUTSIDE, (None, None)),
    ],
)
def test_infinite_tightness_is_null(entry, ends):
    assert (entry.tightness_lower, entry.tightness_upper) == ends
    json.dumps(entry.to_dict(), allow_nan=False)


@pytest.mark.parametrize("entry", [row(budget=ErrorBudget(1e-9, 0.0, 1e-20), seconds=0.25), OUTSIDE])
def test_rows_survive_dictionaries_and_pickles(entry):
    assert Row.from_dict(json.loads(json.dumps(entry.to_dict()))) == entry
    assert pickle.loads(pickle.dumps(entry)) == entry
    assert hash(entry) == hash(pickle.loads(pickle.dumps(entry)))


def test_parameters_cannot_be_changed():
    with pytest.raises(TypeError):
        row().params["steps"] = 1


def test_summary_leaves_out_what_has_no_tightness():
    rows = (
        row(analytic=2.0),
        row(analytic=3.0),
        row(analytic=9.0),
        row(lower=0.0, upper=0.0),
        row(Verdict.UNDECIDED, analytic=0.6),
        OUTSIDE,
        row(theorem="thm-b", analytic=7.0),
    )
    first, second = Report("test", rows).summary()
    assert first.theorem == "thm-a" and first.cells == 6
    assert first.counts == {
        Verdict.HOLDS: 4,
        Verdict.VIOLATED: 0,
        Verdict.UNDECIDED: 1,
        Verdict.OUT_OF_CONDITIONS: 1,
    }
    assert first.tightness == (2.0, 3.0, 9.0) and first.infinite == 1
    assert second.tightness == (7.0, 7.0, 7.0)
    assert first.to_dict()["tightness"] == {"min": 2.0, "median": 3.0, "max": 9.0, "infinite": 1}
    assert Report("test", (OUTSIDE,)).summary()[0].to_dict()["tightness"]["min"] is None


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ([], 0),
        ([Verdict.HOLDS, Verdict.OUT_OF_CONDITIONS], 0),
        ([Verdict.HOLDS, Verdict.UNDECIDED], 3),
        ([Verdict.UNDECIDED, Verdict.VIOLATED], 1),
    ],
)
def test_the_exit_code_is_that_of_the_verdicts(verdicts, code):
    assert Report("test", tuple(row(verdict) for verdict in verdicts)).exit_code == code


def test_html_shows_counts_and_escapes():
    html = Report("a<b", (row(theorem="thm-<x>"), OUTSIDE))._repr_html_()
    assert "thm-&lt;x&gt;" in html and "a&lt;b" in html and "OUT-OF-CONDITIONS" in html
    assert "<td>2</td>" in html


def test_pandas_is_optional(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(PldcheckError, match="pandas"):
        Report("test", (row(),)).to_pandas()
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(json_normalize=lambda rows: rows))
    assert Report("test", (row(),)).to_pandas() == [row().to_dict()]
