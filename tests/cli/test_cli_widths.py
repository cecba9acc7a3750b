"""``bench --widths``: the table and the map of a few answers, of a late one, and of one without a lower end."""

import json
from math import inf, tanh

import pytest

from tests.benchmarks import width_map, widths
from tests.benchmarks.case import LATE
from tests.benchmarks.width_questions import questions


def row(group, size=10, **answer):
    return {"group": group, "size": size, "delta": 1e-6, "aim": 0.01, "aim_seconds": 1.0, "status": "", **answer}


ROWS = [
    row("narrow", width=0.002, seconds=0.5),
    row("narrow", 100, width=0.02, seconds=0.1),
    row("late", status=LATE),
    row("one-sided", width=None, seconds=0.2),
]


def test_a_line_says_how_wide_the_answers_of_a_group_are_and_how_many_there_are_not():
    heads, narrow, late, one_sided = (line[:8] for line in widths.summary(ROWS))
    assert heads == widths.HEADS[:8]
    assert narrow == ("narrow", "2", "1.1 %", "2 %", "1 %", "1/2", "0.30", "0.5")
    assert late == ("late", "1", "-", "-", "1 %", "0/1", "-", "-")
    assert one_sided[2:4] == ("no lower end", "no lower end")
    assert [line[-1] for line in widths.summary(ROWS)[1:]] == ["0", "1", "0"]


@pytest.mark.parametrize(
    ("lower", "upper", "row"),
    [
        (2.0, 3.0, {"lower": 2.0, "upper": 3.0, "width": 0.5}),
        (0.0, 0.0, {"lower": 0.0, "upper": 0.0, "width": 0.0}),
        (0.0, 1.0, {"lower": 0.0, "upper": 1.0, "width": None}),
        (5.0, inf, {"lower": 5.0, "upper": "inf", "width": None}),
        (inf, inf, {"lower": "inf", "upper": "inf", "width": 0.0}),
    ],
)
def test_ends_and_widths_can_be_stored(lower, upper, row):
    """An epsilon that is certainly infinite ended a whole run when its table was written."""
    stored = widths.row_of_answer(lower, upper, 0.5)
    assert json.loads(json.dumps(stored, allow_nan=False)) == {"status": "", "seconds": 0.5, **row}


def test_the_map_has_a_line_for_each_group():
    files = width_map.render(ROWS, "a machine")
    text = files["widths.svg"].decode()
    assert all(group in text for group in ("narrow", "late", "one-sided", "none"))


def test_questions_are_of_protocols_that_take_them_and_a_quick_run_asks_some():
    every = questions(False)
    assert len(questions(True)) == len(every[::17])
    assert len({(one.group, str(one.params), one.delta) for one in every}) == len(every)
    assert all(0.0 < one.aim < 0.1 and one.seconds >= 1.0 for one in every)


def test_every_question_is_admissible():
    """A total variation that no randomizer of the budget has was counted as an answer that was too late."""
    asked = [one.params for one in questions(False) if str(one.params.get("randomizer")).startswith("tv:")]
    assert asked and all(float(one["randomizer"][3:]) <= tanh(0.5 * one["eps0"]) for one in asked)


def test_no_question_waits_for_the_kernels_of_a_process_that_follows_a_late_one(monkeypatch):
    """Each late answer made the next ones late, since they had to load the kernels again."""
    asked = []

    def outcome(pool, question, limit):
        asked.append((question.size, limit))
        return {"status": LATE if question.size == 10 and limit == 5.0 else "", "width": 0.0, "seconds": 0.1}

    monkeypatch.setattr(widths, "_outcome", outcome)
    each = [one for one in questions(False) if one.group == "hidden slot in a ball, gaussian:3" and one.delta == 1e-6]
    rows = widths.measure(each, 5.0, lambda line: None)
    assert asked == [(1, 15.0), (1, 5.0), (10, 5.0), (1, 15.0), (100, 5.0), (10_000, 5.0), (1_000_000, 5.0)]
    assert [row["status"] for row in rows] == ["", LATE, "", "", ""]


def test_a_question_is_asked_in_a_folder_with_the_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    widths.enter(str(tmp_path))
    table = next(one for one in questions(False) if "table" in one.group and one.size == 1)
    lower, upper, seconds = widths.ask(table)
    assert 0.0 <= lower <= upper and seconds >= 0.0
