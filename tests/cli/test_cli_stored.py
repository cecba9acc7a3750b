"""Stored files are not replaced, not lost and not believed without a look."""

import json

import pytest

from pldcheck.core.sealed_files import seal
from pldcheck.verification import Report, Row, Verdict
from pldcheck.verification.runs import run_store

JOB = """
name = "few"
summary = "a few cells"
[[grid]]
theorems = ["thm-A.4", "thm-3.2-improved"]
steps = {steps}
eps0 = 1.0
{more}
delta = 1e-6
"""


def job(tmp_path, steps="[10, 100]"):
    text = JOB.replace("{steps}", steps).replace("{more}", "weight = 1.0").replace(', "thm-3.2-improved"', "")
    more = text.partition("[[grid]]")[2].replace("thm-A.4", "thm-3.2-improved").replace("weight", "check_in_prob")
    (tmp_path / "few.toml").write_text(f"{text}[[grid]]{more}")
    return "few.toml"


def rows(path):
    return {(row.subject, row.params["steps"]) for row in run_store.read(path).rows}


@pytest.mark.usefixtures("blank_figures")
@pytest.mark.nightly
def test_a_run_of_some_theorems_leaves_the_whole_run_alone(pldcheck, engine, tmp_path):
    path = tmp_path / "results" / "runs" / "few" / "few.jsonl"
    pldcheck("verify", job(tmp_path), "--workers", "0")
    before = path.read_bytes()
    result = pldcheck("verify", "few.toml", "--theorem", "thm-A.4", "--workers", "0", "--json")
    assert result.status == 0 and path.read_bytes() == before
    assert result.json["files"][0] == "results/runs/few-thm-A.4/few-thm-A.4.jsonl"
    assert rows(tmp_path / result.json["files"][0]) == {("thm-A.4", 10), ("thm-A.4", 100)}
    # What the whole run has is taken over.
    result = pldcheck("verify", "few.toml", "thm-3.2-improved", "--resume", "--workers", "0", "--json")
    assert result.json["provenance"]["resumed"] == 2 and path.read_bytes() == before
    # All theorems are the whole run.
    result = pldcheck("verify", "few.toml", "thm-3.2-improved", "thm-A.4", "--workers", "0", "--json")
    assert result.json["files"][0] == "results/runs/few/few.jsonl"


@pytest.mark.usefixtures("blank_figures")
def test_another_job_of_the_same_name_does_not_replace_results(pldcheck, engine, tmp_path):
    path = tmp_path / "results" / "runs" / "few" / "few.jsonl"
    pldcheck("verify", job(tmp_path), "--workers", "0")
    before = path.read_bytes()
    assert pldcheck("verify", job(tmp_path), "--workers", "0").status == 0
    assert rows(path) == {(name, steps) for name in ("thm-A.4", "thm-3.2-improved") for steps in (10, 100)}
    before = path.read_bytes()
    result = pldcheck("verify", job(tmp_path, "[20]"), "--workers", "0")
    assert (result.status, result.out) == (2, "") and path.read_bytes() == before
    assert result.err == (
        "pldcheck: results/runs/few/few.jsonl is there already and holds other cells than these; --resume keeps "
        "its rows, --overwrite replaces it\n"
    )
    assert sorted(path.name for path in (tmp_path / "results").rglob("*") if path.suffix == ".cells") == []
    assert pldcheck("verify", "few.toml", "--overwrite", "--workers", "0").status == 0
    assert rows(path) == {("thm-A.4", 20), ("thm-3.2-improved", 20)}
    path.write_text("nonsense")
    assert "cannot be read as a run" in pldcheck("verify", "few.toml", "--workers", "0").err
    assert pldcheck("verify", "few.toml", "--overwrite", "--resume").status == 2


def test_a_usage_error_leaves_no_cells(pldcheck, tmp_path):
    result = pldcheck("verify", job(tmp_path), "--scheduler", "nowhere")
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert not [path for path in (tmp_path / "results").rglob("*") if path.is_file() or path.suffix == ".cells"]


@pytest.mark.usefixtures("blank_figures")
def test_a_share_is_computed_anew_and_compared(pldcheck, engine, tmp_path):
    path = tmp_path / "results" / "runs" / "few" / "few.jsonl"
    pldcheck("verify", job(tmp_path), "--workers", "0")
    result = pldcheck("verify", "few.toml", "--recheck", "1", "--workers", "0")
    assert result.status == 0 and "4 stored rows computed anew, 0 differ" in result.out
    lines = path.read_text().splitlines()
    values = json.loads(lines[1])
    values |= {"lower": values["lower"] / 2, "tightness_upper": values["analytic"] / (values["lower"] / 2)}
    lines[1] = json.dumps(seal(values))
    path.write_text("\n".join(lines))
    result = pldcheck("verify", "few.toml", "--recheck", "1", "--workers", "0")
    assert result.status == 1 and "computed anew and different: thm-A.4 at " in result.err
    assert "4 stored rows computed anew, 1 differ" in result.out
    assert pldcheck("verify", "few.toml", "--recheck", "0").status == 2


HOSTILE = ["[bold]x[/bold]", "[/]", "a\x1b[2Jb", "\u202etxet", "x" * 5000, "[link=http://a]b", "{{ 1 }}", "<b>"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_from_outside_are_shown_as_they_are_and_harmless(pldcheck, tmp_path, name):
    violation = Row(name, {"steps": 3}, Verdict.VIOLATED, 1.0, 2.0, 3.0, reason=f"because {name}")
    report = Report("own", (violation,), {"suite": "own"})
    run_store.write(tmp_path / "res" / "own.jsonl", run_store.dumps(report, {"command": name}))
    result = pldcheck("report", "res")
    assert result.status == 0
    page, twin = ((tmp_path / "res" / f"report.{end}").read_text() for end in ("html", "md"))
    result = pldcheck("witness", "write", "res/own.jsonl", "--out", "found")
    for text in (page, twin, result.out + result.err):
        assert not any(letter in text for letter in "\x1b\u202e\x00")

    from io import StringIO

    from rich.console import Console

    from pldcheck.report.run_table import notes, table

    console = Console(width=200, file=StringIO(), highlight=False)
    console.print(table(report))
    terminal_text = console.file.getvalue() + "\n".join(notes(report))
    assert not any(letter in terminal_text for letter in "\x1b\u202e")
    if name.startswith("["):
        assert name in terminal_text


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/dev/zero", "not a regular file"),
        ("pipe", "not a regular file"),
        ("secret", "not numbers"),
        ("none", "no such"),
    ],
)
def test_a_table_is_a_regular_file_that_is_not_quoted(pldcheck, tmp_path, path, reason):
    import os

    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "secret").write_text("root:x:0:0:top secret\n")
    result = pldcheck("eps", "hidden-slot", "--steps", "10", "--randomizer", f"table:{path}", "--delta", "1e-6")
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert reason in result.err and "root" not in result.err


def test_a_name_with_a_nul_is_refused_in_a_line():
    from pldcheck import HiddenSlot
    from pldcheck.core.errors import ParameterError
    from pldcheck.verification.runs import cell_identity

    with pytest.raises(ParameterError, match="its name contains a NUL character"):
        HiddenSlot(10, randomizer="table:a\0b").epsilon(0.1)
    assert cell_identity.cell(None, "hidden-slot", "epsilon", {"randomizer": "table:a\0b"}, None, False)


def test_an_infinite_end_is_valid_json(pldcheck, engine):
    engine(0.5, float("inf"))
    result = pldcheck("eps", "hidden-slot", "--steps", "10", "--eps0", "1", "--delta", "1e-6", "--json")
    assert result.status == 0 and result.json["lower"] == 0.5 and result.json["upper"] == "inf"
