"""The table at the end of a run."""

from dataclasses import replace
from io import StringIO

from rich.console import Console

from pldcheck.report.run_table import notes, table, totals
from pldcheck.verification import Report, Row, Verdict
from pldcheck.verification.run_report import tightness_text

PARAMS = {"steps": 10**9, "eps0": 1.0, "delta": 1e-6}


TIGHTNESS = (
    "min, median, max: tightness = claimed epsilon / certified upper end; 1: the claim equals the certified upper end"
)


def table_text(report):
    out = StringIO()
    Console(file=out, width=80).print(table(report))
    return out.getvalue()


def test_each_theorem_has_a_line_with_counts_and_tightness(report):
    first, second, *lines = table_text(report).splitlines()
    assert first.split() == ["OUT-OF-"]
    names = ["theorem", "cells", "HOLDS", "VIOLATED", "UNDECIDED", "CONDITIONS", "min", "median", "max"]
    assert second.split() == names
    for line, entry in zip(lines, report.summary(), strict=True):
        assert line.split()[:6] == [entry.theorem, str(entry.cells), *map(str, entry.counts.values())]
        assert line.split()[6:] == [tightness_text(value) for value in entry.tightness]


def test_the_header_is_one_line_where_there_is_room(report):
    out = StringIO()
    Console(file=out, width=120).print(table(report, 120))
    assert "UNDECIDED OUT-OF-CONDITIONS" in out.getvalue().splitlines()[0]


def test_a_claim_that_is_the_truth_to_round_off_has_tightness_1():
    assert [tightness_text(value) for value in (1 - 2**-53, 1 + 2**-50, 1 - 1e-9, 0.9999)] == [
        "1",
        "1",
        "0.999",
        "0.999",
    ]
    exact = Report("x", (Row("gauss-8", {"sigma": 2.0}, Verdict.HOLDS, 0.2, 0.2, 0.2 + 2**-53),))
    assert table_text(exact).splitlines()[2].split()[-3:] == ["1", "1", "1"] == str(exact).split()[-3:]


def test_the_legend_names_what_is_claimed():
    rows = [Row(name, {"steps": 3}, Verdict.HOLDS, 0.4, 1.0, 1.0) for name in ("gauss-8", "girgis-lb")]
    assert notes(Report("x", (rows[0],)))[1] == TIGHTNESS.replace("epsilon", "delta")
    lower = (
        "claimed Rényi divergence / certified upper end; 1: the claim equals the certified upper end; "
        "girgis-lb: a lower bound, which is right below 1"
    )
    assert notes(Report("x", (rows[1],)))[1].endswith(lower)
    assert "claimed delta or Rényi divergence /" in notes(Report("x", tuple(rows)))[1]


def test_no_tightness_is_a_dash():
    line = table_text(Report("x", (Row("thm-a", PARAMS, Verdict.OUT_OF_CONDITIONS),))).splitlines()[2]
    assert line.split() == ["thm-a", "1", "0", "0", "0", "1", "–", "–", "–"]


def test_notes_name_the_first_cells_that_do_not_hold():
    bad = [Row("thm-a", {**PARAMS, "steps": m}, Verdict.VIOLATED, 1.0, 2.0, 2.5) for m in range(5)]
    unsure = Row("thm-b", PARAMS, Verdict.UNDECIDED, 1.0, reason="MemoryError: no")
    lines = notes(Report("x", (*bad, unsure)))
    assert lines[3] == "VIOLATED: thm-a at steps=0, eps0=1, delta=1e-06: claims 1, the truth is in [2, 2.5]"
    assert lines[:3] == [
        "5 of 6 cells are VIOLATED",
        TIGHTNESS.replace("epsilon", "value"),
        "largest tightness: 0.4, of thm-a at steps=0, eps0=1, delta=1e-06",
    ]
    assert "VIOLATED: 2 more" in lines
    assert lines[-1] == "UNDECIDED: thm-b at steps=1e+09, eps0=1, delta=1e-06: MemoryError: no"


def test_a_violation_names_the_quantity():
    lines = notes(Report("x", (Row("vr-wang", {"clients": 2}, Verdict.VIOLATED, 0.0485988, 0.05, 0.051),)))
    assert lines[0] == "1 of 1 cell is VIOLATED"
    assert lines[2] == "VIOLATED: vr-wang at clients=2: claims delta <= 0.0485988, the true delta is in [0.05, 0.051]"
    # Of the first one its counterexample is shown, and its table where that is small.
    table = {"record": [0.75, 0.25], "replacement": [0.25, 0.75], "others": [0.5, 0.5]}
    row = Row("vr-wang", {"clients": 2}, Verdict.VIOLATED, 0.04, 0.05, 0.051, witness={"summary": "two coins", **table})
    shown = notes(Report("x", (row, row)))
    assert shown[4:6] == [
        "  attained by two coins",
        "  probabilities of its outputs, about: record (0.75, 0.25); replacement (0.25, 0.75); others (0.5, 0.5)",
    ]
    assert shown[6].startswith("VIOLATED") and "attained" not in "".join(shown[6:])
    large = replace(row, witness={"summary": "many", "record": [0.1] * 10})
    assert "about" not in "".join(notes(Report("x", (large,))))


def test_notes_conclude_say_what_tightness_is_and_count_zeros(report):
    zeros = [row for row in report.rows if row.theorem == "thm-3.2" and row.upper == 0.0]
    names = ("thm-3.2", "thm-3.2-simple", "thm-3.2-improved", "thm-A.4")
    counts = ", ".join(f"1 of {name}" for name in names)
    why = "the certified lower end is 0, and no ratio to 0 is finite"
    some = f"left out of min, median and max, because {why}: {counts}"
    decided = [row for row in report.rows if row.tightness_lower and row.tightness_upper]
    row = max(decided, key=lambda row: row.tightness_lower)
    at = ", ".join(f"{name}={value:g}" for name, value in row.params.items())
    largest = f"largest tightness: {tightness_text(row.tightness_lower)}, of {row.theorem} at {at}"
    outside = f"{report.counts[Verdict.OUT_OF_CONDITIONS]} of them OUT-OF-CONDITIONS"
    assert len(zeros) == 1 and notes(report) == [
        f"no violation in {len(report.rows)} cells, {outside}",
        TIGHTNESS,
        largest,
        some,
        "claims above eps0, which holds without a theorem (counted in min, median and max): 6 of thm-3.2, "
        "2 of thm-3.2-simple, 5 of thm-3.2-improved, 4 of thm-4.3, 2 of thm-4.3-simple, 6 of thm-A.4",
        "thm-3.2-simple: Theorem 3.2, second sentence",
        "thm-3.2-improved: a bound of pldcheck's own, in no paper",
        "thm-4.3-simple: Theorem 4.3, second sentence",
    ]
    unsure = Row("thm-3.2", PARAMS, Verdict.UNDECIDED, 1.0, reason="no")
    assert notes(Report("x", (unsure, *report.rows)))[0].startswith("no violation, but 1 of ")
    zero = Row("thm-3.2", PARAMS, Verdict.HOLDS, 1.0, 0.0, 0.0)
    assert notes(Report("x", (zero, zero)))[2].endswith("no ratio to 0 is finite: 2 of thm-3.2")


def test_the_last_line_says_what_is_shared_and_what_the_seconds_count():
    seconds = "computed in 10.3 s, not counting the start of Python"
    header = {"cells": 24, "problems": 24, "seconds": 10.32}
    assert totals(header) == f"24 verdicts from 24 certified intervals; {seconds}"
    shared = f"24 verdicts from 1 certified interval, since cells with the same parameters share one; {seconds}"
    assert totals(header | {"problems": 1}) == shared
    assert totals(header | {"resumed": 20}) == f"24 verdicts: 20 were stored, 4 are new; {seconds}"


def test_claims_above_the_budget_of_one_message_are_named():
    at = {"steps": 10, "eps0": 1.0, "check_in_prob": 1.0, "delta": 1e-6}
    rows = [Row("thm-3.2", at, Verdict.HOLDS, claim, 0.5, 0.6) for claim in (8501.0, 1.0, 0.9)]
    assert notes(Report("x", rows))[2].startswith("largest tightness: 14100, of thm-3.2 at steps=10, ")
    assert notes(Report("x", rows))[3:] == [
        "claims above eps0, which holds without a theorem (counted in min, median and max): 1 of thm-3.2"
    ]
    # Several runs of a window use a record more than once.
    several = {"clients": 10**4, "steps": 100, "eps0": 1.0, "beta": 1e-8, "delta": 1e-6}
    assert len(notes(Report("x", [Row("cor-3.3", several, Verdict.HOLDS, 8.0, 0.5, 0.6)]))) == 2
    assert len(notes(Report("x", [Row("adv-18", {"eps0": 0.1}, Verdict.HOLDS, 8.0, 0.5, 0.6)]))) == 2
