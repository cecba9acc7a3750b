"""Things that all comparisons have in common: order, progress, and how they show themselves."""

import json
from dataclasses import asdict

import pytest

from pldcheck.core.errors import ParameterError
from pldcheck.study.comparisons import COMPARISONS, QUICK, figure_2
from pldcheck.study.comparisons.comparison import over


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
    pairs = [field.removesuffix("lower") for field in again["rows"][0] if field.endswith("lower")]
    assert pairs
    for row in again["rows"]:
        for stem in pairs:
            assert row[f"{stem}lower"] is None or row[f"{stem}lower"] <= row[f"{stem}upper"]
    hash(comparison)
