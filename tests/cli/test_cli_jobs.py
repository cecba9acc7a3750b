"""Job files from the command line: ``suites``, ``job`` and ``verify JOB.toml``."""

import pytest

from pldcheck.verification.runs import run_store
from pldcheck.verification.suites import NAMES, START, SUITES, load, parse, suite_text

JOB = """
name = "few"
out = "there"

[[grid]]
theorems = ["thm-A.4", "thm-3.2"]
steps = [10, 100, 1000]
eps0 = 1
delta = 1e-6
"""
GRIDS = JOB.replace('"thm-A.4", ', "") + "check_in_prob = 1\n"
FEW_CELLS = GRIDS + '\n[[grid]]\nprotocol = "hidden-slot"\nsteps = 10\neps0 = [1, 2]\ndelta = 1e-6\n'


@pytest.fixture
def few_cells_job(tmp_path):
    """Return a job of three cells of a theorem and two of a protocol."""
    (tmp_path / "few.toml").write_text(FEW_CELLS)
    return tmp_path


def test_suites_are_listed_with_their_cells(pldcheck):
    entries = pldcheck("suites", "--json").json["suites"]
    assert [entry["name"] for entry in entries] == list(NAMES)
    cells = {entry["name"]: entry["cells"] for entry in entries}
    assert cells == {name: len(list(SUITES[name].cells())) for name in NAMES}
    *lines, last = pldcheck("suites").out.splitlines()
    assert last.startswith("in no suite, since no protocol here is what they are about: ")
    for line, name in zip(lines, NAMES, strict=True):
        assert line.split()[:3] == [name, str(cells[name]), "cells"] and line.endswith(SUITES[name].summary)


@pytest.mark.parametrize("name", NAMES)
def test_show_a_suite(pldcheck, name):
    result = pldcheck("suites", "show", name)
    assert result.out == suite_text(name) and parse(result.out) == SUITES[name]
    facts = pldcheck("suites", "show", name, "--json").json
    assert list(facts) == ["name", "cells", "summary", "quick", "grids"]
    assert facts["cells"] == sum(grid["cells"] for grid in facts["grids"]) > facts["quick"]
    theorems = [theorem for grid in facts["grids"] for theorem in grid["theorems"]]
    # A theorem may have several grids.
    assert list(dict.fromkeys(theorems)) == [theorem.id for theorem in SUITES[name].theorems]
    assert facts["grids"][0]["axes"] == {key: list(values) for key, values in SUITES[name].grids[0].axes.items()}


def test_a_new_job_is_written_for_editing(pldcheck, tmp_path):
    assert pldcheck("job", "new", "-").out == START.read_text() and list(tmp_path.iterdir()) == []
    assert pldcheck("job", "new").out == "job.toml\n"
    assert load(tmp_path / "job.toml") == load(START)
    (tmp_path / "job.toml").write_text("mine")
    again = pldcheck("job", "new")
    assert (again.status, again.out) == (2, "")
    assert again.err == "pldcheck: job.toml is there already; --force overwrites it\n"
    assert (tmp_path / "job.toml").read_text() == "mine"
    assert pldcheck("job", "new", "job.toml", "--force", "--json").json == {"file": "job.toml"}
    assert load(tmp_path / "job.toml") == load(START)
    assert pldcheck("job", "new", "a/b.toml").status == 0 and load(tmp_path / "a" / "b.toml") == load(START)
    assert pldcheck("job", "new", "/dev/null/b.toml").err.startswith("pldcheck: FILE must be a file to write to (")
    assert pldcheck("job", "new", ".", "--force").status == 2


def test_a_job_is_checked_and_its_cells_are_counted(pldcheck, few_cells_job, engine):
    result = pldcheck("job", "check", "few.toml")
    counts = "few: 5 cells, 4 with --quick\n  thm-3.2            3\n  hidden-slot        2\n"
    assert result.out == f"{counts}run it: pldcheck verify few.toml; after a stop, --resume goes on\n"
    facts = pldcheck("job", "check", "few.toml", "--json").json
    assert (facts["cells"], facts["quick"]) == (5, 4)
    assert facts["subjects"] == {"thm-3.2": 3, "hidden-slot": 2}
    assert [grid.get("theorems", grid.get("protocol")) for grid in facts["grids"]] == [["thm-3.2"], "hidden-slot"]
    assert [entry.name for entry in few_cells_job.iterdir()] == ["few.toml"]


def test_check_refuses_what_verify_refuses(pldcheck, tmp_path, engine):
    (tmp_path / "few.toml").write_text(JOB)
    message = "few.toml, line 5: grid.weight is missing; thm-A.4 needs steps, eps0, weight, delta"
    for words in (("job", "check", "few.toml"), ("verify", "few.toml"), ("verify", "--json", "few.toml")):
        result = pldcheck(*words)
        assert (result.status, result.out, result.err) == (2, "", f"pldcheck: {message}\n")
    assert [entry.name for entry in tmp_path.iterdir()] == ["few.toml"]


def test_a_job_is_verified_and_stored_in_its_folder(pldcheck, few_cells_job, engine):
    result = pldcheck("verify", "few.toml")
    assert (result.status, result.err) == (0, "")
    report = run_store.read(few_cells_job / "there" / "few.sqlite")
    assert [row.subject for row in report.rows] == ["thm-3.2"] * 3 + ["hidden-slot"] * 2
    assert {str(key): count for key, count in report.counts.items() if count} == {"HOLDS": 3, "NOT-JUDGED": 2}
    assert report.suite == "few" and report.header["theorems"] == ["thm-3.2"]
    assert "there/few.sqlite" in result.out


@pytest.mark.nightly
def test_options_go_before_the_job(pldcheck, few_cells_job, engine):
    facts = pldcheck("verify", "./few.toml", "thm-3.2", "--quick", "--out", "here", "--width", "0.02", "--json").json
    assert facts["suite"] == "few-thm-3.2-quick" and facts["files"][0] == "here/few-thm-3.2-quick.sqlite"
    assert [entry["theorem"] for entry in facts["summary"]] == ["thm-3.2"]
    assert facts["provenance"]["width"] == 0.02 and facts["provenance"]["cells"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("verify", "none.toml"), "none.toml: cannot be read (no such file or directory)"),
        (("verify", "no/job"), "no/job: cannot be read (no such file or directory)"),
        (("verify", "few.toml", "few.toml"), "one suite or job at a time, got few.toml and few.toml"),
        (("verify", "few.toml", "--suite", "paper"), "one suite or job at a time, got few.toml and --suite paper"),
        (("verify", "few.toml", "thm-4.3"), "thm-4.3 has no grid in few; it has thm-3.2, hidden-slot"),
        (("job", "check", "none.toml"), "none.toml: cannot be read (no such file or directory)"),
        (("job", "check", "."), ".: cannot be read (not a regular file)"),
        (("job", "new", "-", "--json"), "--json goes with a file to write, not with -"),
        (("suites", "--json", "show", "paper"), "--json goes after show"),
    ],
)
def test_bad_jobs_are_refused_in_one_line(pldcheck, few_cells_job, engine, words, message):
    result = pldcheck(*words)
    assert (result.status, result.out, result.err) == (2, "", f"pldcheck: {message}\n")
    assert [entry.name for entry in few_cells_job.iterdir()] == ["few.toml"]
