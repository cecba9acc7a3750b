"""``report`` on the command line."""

import pytest
from places import RESULTS
from stored_results import full, put, rows_of_every_kind


def contents(folder):
    """Return the bytes of all files in a folder by their paths."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_page_and_its_markdown_twin_are_written_next_to_the_rows(pldcheck, tmp_path):
    full(tmp_path / "res")
    before = contents(tmp_path / "res")
    result = pldcheck("report", "res", "--title", "Ours & theirs")
    answer = "1 of 2 published theorems is false; the other one holds at every decided cell (12 cells); 1 cell is open."
    assert (result.status, result.err) == (0, "")
    first, false, *files = result.out.splitlines()
    assert first == answer and files == ["res/report.html", "res/report.md", "res/report-tables"]
    where = "at clients=9, eps0=1, tv=0.4, epsilon=0.5; 1 of 1 cell violates it"
    assert false.startswith("  ✗ vr-wang, Wang et al. (2024), ")
    assert false.endswith(f": claims δ ≤ 0.1, the truth is at least 0.2, {where}")
    after = contents(tmp_path / "res")
    assert {name: after[name] for name in before} == before
    names = ("theorems", "exceptions", "rows", "answers", "slowest", "budgets", "comparison-krr-rows")
    tables = {f"report-tables/{name}.csv" for name in (*names, "waterfall-thm-3-2-levels")}
    assert set(after) - set(before) == {"report.html", "report.md", *tables}
    assert b"<title>Ours &amp; theirs</title>" in after["report.html"]
    # A second time, the first report in the folder: the same.
    assert pldcheck("report", "res", "--title", "Ours & theirs").status == 0
    assert contents(tmp_path / "res") == after


def test_a_page_is_written_to_another_folder_and_named_in_json(pldcheck, tmp_path):
    put(tmp_path / "res", "mixed", rows_of_every_kind())
    result = pldcheck("report", "res", "--out", "new/page.html", "--json")
    assert (result.status, result.err, result.out.count("\n")) == (0, "", 1)
    facts = result.json
    assert list(facts) == ["answer", "counts", "damaged", "files"]
    assert facts["counts"] == {"HOLDS": 12, "VIOLATED": 1, "UNDECIDED": 1, "OUT-OF-CONDITIONS": 1, "NOT-JUDGED": 2}
    tables = sorted(f"new/page-tables/{path.name}" for path in (tmp_path / "new" / "page-tables").iterdir())
    assert facts["files"][:2] == ["new/page.html", "new/page.md"] and sorted(facts["files"][2:]) == tables
    assert sorted(path.name for path in (tmp_path / "res").iterdir()) == ["mixed.jsonl"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["page-tables", "page.html", "page.md"]
    assert "[page.html](<page.html>)" in (tmp_path / "new" / "page.md").read_text()


def test_the_folder_in_which_verify_makes_a_folder_for_each_run_has_their_results(pldcheck, tmp_path):
    put(tmp_path / "results" / "runs" / "one", "mixed", rows_of_every_kind())
    (tmp_path / "results" / "runs" / "one" / "certificates").mkdir()
    inner, outer = (pldcheck("report", folder, "--json").json for folder in ("results/runs", "results"))
    assert inner["counts"] == outer["counts"] and sum(inner["counts"].values()) > 0
    # Beside results of its own it is left aside what stands in inner folders.
    put(tmp_path / "results" / "runs", "flat", rows_of_every_kind()[:1])
    assert sum(pldcheck("report", "results/runs", "--json").json["counts"].values()) == 1


@pytest.mark.nightly
def test_a_damaged_file_is_reported_in_one_line(pldcheck, tmp_path):
    put(tmp_path / "res", "mixed", rows_of_every_kind())
    (tmp_path / "res" / "torn.jsonl").write_text('{"kind": "header", "suite": "x"}\n{"kind"')
    result = pldcheck("report", "res")
    assert (
        result.status == 0
        and result.err
        == "pldcheck: torn.jsonl is left out: line 1: it has no digest: it was written by an earlier version\n"
    )
    assert "torn.jsonl" in (tmp_path / "res" / "report.html").read_text()
    assert pldcheck("report", "res", "--json").json["damaged"] == {
        "torn.jsonl": "line 1: it has no digest: it was written by an earlier version"
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "DIR"),
        (("none",), "there is no folder none: type pldcheck verify --quick, which stores a run in results/runs"),
        (("empty",), "empty holds no stored run: type pldcheck verify --quick, which stores a run in results/runs"),
        (("empty/a.txt",), "folder must be one with stored results (not a directory), got 'empty/a.txt'"),
        (("torn",), "torn holds no stored run that can be read (a.jsonl is left out: empty, not a run): type pldcheck"),
        (("res", "--out", "page.pdf"), "out must be the name of a file that ends in .html, got 'page.pdf'"),
        (("res", "--out", "/dev/null/page.html"), "out must be a folder to write to"),
        (("res", "--out", "folder.html"), "out must be the name of a file, not of a folder"),
    ],
)
def test_bad_reports_are_refused_in_one_line(pldcheck, tmp_path, words, message):
    put(tmp_path / "res", "mixed", rows_of_every_kind())
    for name in ("empty", "torn", "folder.html"):
        (tmp_path / name).mkdir()
    (tmp_path / "torn" / "a.jsonl").write_text("")
    (tmp_path / "empty" / "a.txt").write_text("")
    before = sorted(map(str, tmp_path.rglob("*")))
    result = pldcheck("report", *words)
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert message in result.err and sorted(map(str, tmp_path.rglob("*"))) == before


def test_a_failing_report_leaves_no_partial_file(pldcheck, tmp_path, monkeypatch):
    from pldcheck.report import markdown_page

    put(tmp_path / "res", "mixed", rows_of_every_kind())
    monkeypatch.setattr(markdown_page, "render", lambda *args: 1 // 0)
    assert pldcheck("report", "res").status == 4
    assert [path.name for path in (tmp_path / "res").iterdir()] == ["mixed.jsonl"]


@pytest.mark.nightly
def test_the_stored_report_is_what_the_command_writes(pldcheck, tmp_path):
    """The Markdown alone is compared: figures of the page depend on the version of matplotlib."""
    result = pldcheck("report", RESULTS, "--out", "report.html")
    assert (result.status, result.err) == (0, "")
    assert (tmp_path / "report.md").read_text() == (RESULTS / "report.md").read_text()
