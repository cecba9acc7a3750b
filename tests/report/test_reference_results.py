"""The stored runs that pages of theorems quote: each cell counts once, and own runs stand last."""

import pytest

from pldcheck.verification import Report, Row, Verdict
from pldcheck.verification.runs import run_store

pytest.importorskip("pdoc")
pytest.importorskip("ziamath")

from pldcheck.report.site import reference_results, theorem_pages
from pldcheck.theorems import REGISTRY


def row(steps, eps0, quantity="epsilon"):
    params = {"steps": steps, "eps0": eps0, "check_in_prob": 1.0, "delta": 1e-6}
    return Row("thm-3.2", params, Verdict.HOLDS, 2.0, 0.99, 1.0, quantity=quantity)


WHOLE = tuple(row(steps, eps0) for steps in (10, 100, 1000) for eps0 in (0.5, 1.0))


def store(folder, name, rows, command="pldcheck verify"):
    path = folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    header = {"suite": path.stem, "command": command, "version": "0"}
    path.write_bytes(run_store.dumps(Report(path.stem, tuple(rows)), header))


def test_cells_of_a_quick_run_count_once_and_have_no_map_of_their_own(tmp_path):
    store(tmp_path, "suites/paper", WHOLE)
    store(tmp_path, "runs/paper-quick/paper-quick", WHOLE[:4])
    store(tmp_path, "runs/again/paper", WHOLE)
    reference = reference_results.read(tmp_path)
    assert list(reference.runs) == ["paper", "again-paper", "paper-quick"]
    assert theorem_pages.verdict_chip("thm-3.2", reference).text == "✓ holds at all 6 decided cells (run paper)"
    (result,) = theorem_pages.suite_results("thm-3.2", reference)
    assert (result.title, result.cells, len(result.pictures)) == ("Suite paper", 6, 2)


def test_a_quick_run_alone_counts_and_its_command_repeats_it(tmp_path):
    store(tmp_path, "runs/paper-quick/paper-quick", WHOLE[:4], "pldcheck verify --quick")
    reference = reference_results.read(tmp_path)
    assert theorem_pages.verdict_chip("thm-3.2", reference).text == "✓ holds at all 4 decided cells (run paper-quick)"
    assert [result.title for result in theorem_pages.suite_results("thm-3.2", reference)] == ["Run paper-quick"]
    lines = theorem_pages.command_lines(REGISTRY["thm-3.2"], "pldcheck bound", reference)
    assert lines[1:] == [("pldcheck verify --quick", "repeats the run paper-quick")]


def test_a_run_with_further_cells_is_shown_after_the_reference(tmp_path):
    more = row(10_000, 1.0)
    store(tmp_path, "suites/paper", WHOLE)
    store(tmp_path, "runs/a/a", [WHOLE[0], more])
    reference = reference_results.read(tmp_path)
    assert [result.title for result in theorem_pages.suite_results("thm-3.2", reference)] == ["Suite paper", "Run a"]
    assert theorem_pages.verdict_chip("thm-3.2", reference).text == "✓ holds at all 7 decided cells (runs paper, a)"
