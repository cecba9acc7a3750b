"""The table at the end of a run."""

from io import StringIO

from rich.console import Console

from pldcheck.report.decimal_ends import down
from pldcheck.report.run_table import notes, table
from pldcheck.verification import Report, Row, Verdict

PARAMS = {"steps": 10**9, "eps0": 1.0, "delta": 1e-6}


TIGHTNESS = "min, median, max: of the tightness, claimed epsilon / certified upper end"


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
        assert line.split()[6:] == [down(value, 3) for value in entry.tightness]


def test_no_tightness_is_a_dash():
    line = table_text(Report("x", (Row("thm-a", PARAMS, Verdict.OUT_OF_CONDITIONS),))).splitlines()[2]
    assert line.split() == ["thm-a", "1", "0", "0", "0", "1", "–", "–", "–"]


def test_notes_name_the_first_cells_that_do_not_hold():
    bad = [Row("thm-a", {**PARAMS, "steps": m}, Verdict.VIOLATED, 1.0, 2.0, 2.5) for m in range(5)]
    unsure = Row("thm-b", PARAMS, Verdict.UNDECIDED, 1.0, reason="MemoryError: no")
    lines = notes(Report("x", (*bad, unsure)))
    assert lines[:2] == [
        TIGHTNESS,
        "VIOLATED: thm-a at steps=0, eps0=1, delta=1e-06: claims 1, the truth is in [2, 2.5]",
    ]
    assert "VIOLATED: 2 more" in lines
    assert lines[-1] == "UNDECIDED: thm-b at steps=1e+09, eps0=1, delta=1e-06: MemoryError: no"


def test_notes_say_what_tightness_is_and_count_zeros(report):
    zeros = [row for row in report.rows if row.theorem == "thm-3.2" and row.upper == 0.0]
    assert zeros and notes(report) == [f"{TIGHTNESS}, without up to {len(zeros)} cells where it may be infinite"]
    assert notes(Report("x", ())) == [TIGHTNESS]
