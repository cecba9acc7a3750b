"""Things that all comparisons have in common: order, progress, and how they show themselves."""

import json
from dataclasses import asdict
from html import escape

import pytest

from pldcheck.core.errors import ParameterError, PldcheckError
from pldcheck.study.comparisons import COMPARISONS, QUICK, figure_2
from pldcheck.study.comparisons.comparison import heads, over


def test_points_keep_the_order_of_the_grids_and_progress_counts_them():
    steps = []
    rows = over("ab", (1, 2, 3), row=lambda letter, digit: f"{letter}{digit}", progress=lambda *at: steps.append(at))
    assert rows == ("a1", "a2", "a3", "b1", "b2", "b3")
    assert steps == [(count, 6) for count in range(1, 7)]


def test_an_error_in_a_row_is_raised():
    with pytest.raises(ParameterError, match="clients must be"):
        figure_2(clients=[0], eps0=[1.0])


@pytest.mark.parametrize("name", COMPARISONS)
def test_each_comparison_shows_itself(name):
    comparison = COMPARISONS[name](**QUICK[name])
    assert comparison.name == name and set(QUICK[name]) <= set(comparison.params)
    again = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert again["rows"] == [asdict(row) for row in comparison.rows]
    text = comparison._repr_html_()
    assert all(escape(head) in text for head in heads(type(comparison.rows[0])).values())
    pairs = [field.removesuffix("lower") for field in again["rows"][0] if field.endswith("lower")]
    assert pairs
    for row in again["rows"]:
        for stem in pairs:
            assert row[f"{stem}lower"] is None or row[f"{stem}lower"] <= row[f"{stem}upper"]
    hash(comparison)


def test_a_comparison_becomes_a_data_frame(monkeypatch):
    comparison = figure_2(clients=[100], eps0=[0.5])
    try:
        import pandas  # noqa: F401
    except ImportError:
        with pytest.raises(PldcheckError, match="pandas"):
            comparison.to_pandas()
    else:
        assert list(comparison.to_pandas().columns) == list(asdict(comparison.rows[0]))
