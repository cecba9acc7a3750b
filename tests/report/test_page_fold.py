"""What a report keeps of a large run: the counts of all rows, and a bounded part of the rows themselves."""

from dataclasses import replace

import pytest

from pldcheck.report import page_fold
from pldcheck.report.page_fold import PageFold
from pldcheck.report.report_tables import most_telling
from pldcheck.report.tightness_heat import maps
from pldcheck.verification import Report, Row, Verdict, tightness_map
from pldcheck.verification.tightness_map import DistinctValues, tile_map


class Streamed(list):
    """Rows that are no tuple, as those of large runs are none."""


def row(place):
    verdict = {3: Verdict.VIOLATED, 7: Verdict.UNDECIDED, 11: Verdict.OUT_OF_CONDITIONS}.get(place % 13, Verdict.HOLDS)
    params = {"steps": 10 + place // 20, "eps0": 0.1 * (1 + place % 20), "check_in_prob": 1.0, "delta": 1e-6}
    claim = 1.0 + (place * 7919 % 1009) / 1009
    if verdict is Verdict.OUT_OF_CONDITIONS:
        return Row("thm-3.2", params, verdict, reason="no")
    ends = {Verdict.HOLDS: (0.5, 0.9), Verdict.VIOLATED: (3.0, 4.0), Verdict.UNDECIDED: (0.5, 4.0)}[verdict]
    return Row("thm-3.2", params, verdict, claim, *ends, seconds=1.0 + place * 31 % 577)


ROWS = [row(place) for place in range(1000)]


def fold(rows):
    page = PageFold()
    return page, page.add_run("run", Report("run", rows), "run.sqlite")


@pytest.mark.nightly
def test_a_large_run_says_what_a_small_one_says():
    (large, run), (small, _) = fold(Streamed(ROWS)), fold(tuple(ROWS))
    assert large.rows == small.rows == 1000 and large.files == {"run": "run.sqlite"} and run.known_fold is not None
    for name in ("counts", "verdicts", "first_violated", "wrong", "undecided", "answers", "slowest", "budgets"):
        assert getattr(large, name) == getattr(small, name), name
    key = ("published", "epsilon")
    assert large.ratios[key].median == small.ratios[key].median
    assert (large.wrong.count, len(large.wrong.entries)) == (77, 77)
    assert [seconds for seconds, _, _ in large.slowest] == sorted({row.seconds for row in ROWS}, reverse=True)[:10]


@pytest.mark.nightly
def test_the_telling_rows_of_a_large_run_are_the_first_ones_of_all(monkeypatch):
    monkeypatch.setattr(page_fold, "TELLING", 30)
    large, small = fold(Streamed(ROWS))[0], fold(tuple(ROWS))[0]
    assert len(small.telling) == 1000 and len(large.telling) == 30 + 30 + 30 + 30
    wrong = [row for row in ROWS if row.verdict in (Verdict.VIOLATED, Verdict.UNDECIDED)]
    kept = [row for _, row in large.telling]
    assert [row for row in kept if row.verdict in (Verdict.VIOLATED, Verdict.UNDECIDED)] == wrong[:30]
    ratios = sorted(row.tightness_lower for row in ROWS if row.verdict is Verdict.HOLDS)
    assert sorted(row.tightness_lower for row in kept if row.verdict is Verdict.HOLDS) == ratios[:30] + ratios[-30:]
    assert most_telling(large.telling, 20) == most_telling([("run", row) for row in ROWS if row in kept], 20)


@pytest.mark.nightly
def test_maps_are_those_of_all_rows():
    large, small = maps(Report("run", Streamed(ROWS))), maps(Report("run", tuple(ROWS)))
    texts = [[text.get_text() for text in figure.axes[0].texts] for figure in (large, small)]
    assert texts[0] == texts[1] and any("false" in text for text in texts[0])


@pytest.mark.nightly
def test_maps_of_too_many_values_have_all_marks(monkeypatch):
    whole = tile_map("thm-3.2", ROWS)
    monkeypatch.setattr(tightness_map, "MOST_VALUES", 30)
    part = tile_map("thm-3.2", ROWS)
    assert set(part.tiles) == set(whole.tiles) and len(part.marks) == len(whole.marks) > 0
    one = replace(ROWS[0], verdict=Verdict.VIOLATED, params={**ROWS[0].params, "steps": 33})
    assert "false" in tile_map("thm-3.2", [*(r for r in ROWS if r.verdict is Verdict.HOLDS), one]).marks.values()


@pytest.mark.nightly
def test_distinct_values_are_bounded(monkeypatch):
    monkeypatch.setattr(tightness_map, "MOST_VALUES", 100)
    values = DistinctValues()
    for value in range(1, 5001):
        values.add(value)
        values.add(value)
    assert 25 <= len(values.ordered) <= 100 and set(values.ordered) <= set(range(1, 5001))
    assert max(b - a for a, b in zip(values.ordered, values.ordered[1:], strict=False)) <= 128
