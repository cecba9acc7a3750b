"""Stored files are not replaced, not lost and not believed without a look."""

import subprocess
import sys
from dataclasses import replace

import pytest
from run_changes import forge

from pldcheck.verification import Report, Row, Verdict, verify
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


@pytest.mark.nightly
def test_a_run_of_some_theorems_leaves_the_whole_run_alone(pldcheck, engine, tmp_path):
    path = tmp_path / "results" / "runs" / "few" / "few.sqlite"
    pldcheck("verify", job(tmp_path), "--workers", "0")
    before = path.read_bytes()
    result = pldcheck("verify", "few.toml", "--theorem", "thm-A.4", "--workers", "0", "--json")
    assert result.status == 0 and path.read_bytes() == before
    assert result.json["files"][0] == "results/runs/few-thm-A.4/few-thm-A.4.sqlite"
    assert rows(tmp_path / result.json["files"][0]) == {("thm-A.4", 10), ("thm-A.4", 100)}
    # What the whole run has is taken over.
    result = pldcheck("verify", "few.toml", "thm-3.2-improved", "--resume", "--workers", "0", "--json")
    assert result.json["provenance"]["resumed"] == 2 and path.read_bytes() == before
    # All theorems are the whole run.
    result = pldcheck("verify", "few.toml", "thm-3.2-improved", "thm-A.4", "--workers", "0", "--json")
    assert result.json["files"][0] == "results/runs/few/few.sqlite"


def test_another_job_of_the_same_name_does_not_replace_results(pldcheck, engine, tmp_path):
    path = tmp_path / "results" / "runs" / "few" / "few.sqlite"
    pldcheck("verify", job(tmp_path), "--workers", "0")
    before = path.read_bytes()
    assert pldcheck("verify", job(tmp_path), "--workers", "0").status == 0
    assert rows(path) == {(name, steps) for name in ("thm-A.4", "thm-3.2-improved") for steps in (10, 100)}
    before = path.read_bytes()
    result = pldcheck("verify", job(tmp_path, "[20]"), "--workers", "0")
    assert (result.status, result.out) == (2, "") and path.read_bytes() == before
    assert result.err == (
        "pldcheck: results/runs/few/few.sqlite is there already and holds other cells than these; --resume keeps "
        "its rows, --overwrite replaces it\n"
    )
    assert [path.name for path in path.parent.iterdir()] == ["few.sqlite"]
    assert pldcheck("verify", "few.toml", "--overwrite", "--workers", "0").status == 0
    assert rows(path) == {("thm-A.4", 20), ("thm-3.2-improved", 20)}
    assert pldcheck("verify", "few.toml", "--export", "jsonl", "--workers", "0").status == 0
    path.unlink()  # the export stands for it
    assert "few.jsonl is there already and holds other" in pldcheck("verify", job(tmp_path), "--workers", "0").err
    assert pldcheck("verify", job(tmp_path, "[20]"), "--resume", "--json").json["provenance"]["resumed"] == 2
    path.write_text("nonsense")
    assert "cannot be read as a run" in pldcheck("verify", "few.toml", "--workers", "0").err
    assert pldcheck("verify", "few.toml", "--overwrite", "--resume").status == 2


def test_a_usage_error_leaves_no_cells(pldcheck, tmp_path):
    result = pldcheck("verify", job(tmp_path), "--scheduler", "nowhere")
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert not [path for path in (tmp_path / "results").rglob("*") if path.is_file()]


def test_a_share_is_computed_anew_and_compared(pldcheck, engine, tmp_path):
    path = tmp_path / "results" / "runs" / "few" / "few.sqlite"
    pldcheck("verify", job(tmp_path), "--workers", "0")
    result = pldcheck("verify", "few.toml", "--recheck", "1", "--workers", "0")
    assert result.status == 0 and "4 stored rows computed anew, 0 differ" in result.out
    forge(path, lambda row: {"lower": row["lower"] / 2, "tightness_upper": row["analytic"] / (row["lower"] / 2)})
    result = pldcheck("verify", "few.toml", "--recheck", "1", "--workers", "0")
    assert result.status == 1 and "computed anew and different: thm-A.4 at " in result.err
    assert "4 stored rows computed anew, 1 differ" in result.out
    assert pldcheck("verify", "few.toml", "--recheck", "0").status == 2


def test_a_run_that_did_not_end_is_gone_on_with_or_replaced_by_ones_own_choice(pldcheck, engine, tmp_path, monkeypatch):
    path = tmp_path / "results" / "runs" / "few" / "few.sqlite"

    def interrupt(self, row, total):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("pldcheck.cli.run_tally.Tally.add", interrupt)
        assert pldcheck("verify", job(tmp_path), "--workers", "0", "--quiet").status == 130
    assert [path.name for path in path.parent.iterdir()] == ["few.sqlite"]
    assert "its run has not ended" in pldcheck("report", "results").err
    again = pldcheck("verify", "few.toml", "--workers", "0")
    assert again.status == 2 and "has rows of a run that did not end; --resume keeps its rows" in again.err
    again = pldcheck("verify", "few.toml", "--workers", "0", "--resume", "--json")
    assert again.status == 0 and 0 < again.json["provenance"]["resumed"] <= 4


@pytest.mark.parametrize("content", [b"", b"nonsense", b"SQLite format 3\0" + b"\xff" * 5000])
def test_strange_files_in_the_place_of_a_run_are_refused_in_one_line(pldcheck, engine, tmp_path, content):
    path = tmp_path / "results" / "runs" / "few" / "few.sqlite"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    for words in ((), ("--resume",)):
        result = pldcheck("verify", job(tmp_path), "--workers", "0", *words)
        if not (words and not content):  # nothing is lost where there is nothing
            assert result.status == 2 and result.err.count("\n") == 1 and "--overwrite replaces it" in result.err
            assert path.read_bytes() == content
    for words in (("report", "results"), ("witness", "write", str(path), "--out", "found")):
        result = pldcheck(*words)
        assert result.err.count("\n") <= 1 and "Traceback" not in result.err
    assert pldcheck("verify", "few.toml", "--workers", "0", "--overwrite").status == 0


WITH_LITTLE_ROOM = """
import resource, sys
from pldcheck.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
main()
"""


@pytest.mark.parametrize("room", [0, 5_000, 20_000, 30_000])
def test_a_full_disk_is_one_line_and_what_is_stored_is_right(tmp_path, pldcheck, room):
    job(tmp_path, "{ from = 10, to = 2000, points = 60 }")
    words = ("verify", "few.toml", "--workers", "0", "--quiet", "--out", "out")
    done = subprocess.run([sys.executable, "-c", WITH_LITTLE_ROOM, str(room), *words], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert "out/few.sqlite: " in done.stderr and ("--resume" in done.stderr or room == 0)
    again = pldcheck(*words, "--resume", "--json")
    assert again.status == 0 and again.json["counts"]["HOLDS"] == 120
    direct = verify(str(tmp_path / "few.toml")).rows
    stored = run_store.read(tmp_path / "out" / "few.sqlite").rows
    assert [replace(row, cell=None, seconds=0.0) for row in stored] == [replace(row, seconds=0.0) for row in direct]


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
