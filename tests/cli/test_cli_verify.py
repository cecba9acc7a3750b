"""``pldcheck verify``: files, table, JSON, exit statuses."""

import csv
import json
import sys

import pytest

from pldcheck.protocols import HiddenSlot
from pldcheck.verification import run_cells
from pldcheck.verification.runs import run_store
from pldcheck.verification.suites import SUITES

RUN = "results/runs/paper-quick"
FIGURES = [f"paper-quick-{name}.{suffix}" for name in ("tightness", "epsilon") for suffix in ("svg", "png")]


IDS = [theorem.id for theorem in SUITES["paper"].theorems]


def test_a_run_prints_its_table_and_writes_its_file(pldcheck, engine, tmp_path):
    result = pldcheck("verify", "--quick")
    assert (result.status, result.err) == (0, "")
    assert [path.name for path in (tmp_path / RUN).iterdir()] == ["paper-quick.sqlite"]
    lines = result.out.splitlines()
    assert lines[0].split()[:6] == ["theorem", "cells", "HOLDS", "VIOLATED", "UNDECIDED", "OUT-OF-CONDITIONS"]
    assert [line.split()[0] for line in lines[1 : 1 + len(IDS)]] == IDS
    assert lines[-1] == f"written: {RUN}/paper-quick.sqlite" and "written" not in lines[-2]
    assert "no violation in 120 cells, 12 of them OUT-OF-CONDITIONS" in lines and "witness write" not in result.out


def test_figures_and_exports_are_written_if_asked_for(pldcheck, engine, tmp_path):
    words = ("verify", "--quick", "--figures", "--export", "jsonl", "--export", "csv", "--export", "parquet")
    result = pldcheck(*words, "--json")
    exports = [f"paper-quick.{end}" for end in ("jsonl", "csv", "parquet")]
    assert result.json["files"] == [f"{RUN}/{name}" for name in ("paper-quick.sqlite", *exports, *FIGURES)]
    assert all((tmp_path / path).stat().st_size for path in result.json["files"])
    reports = [run_store.read(tmp_path / RUN / name) for name in ("paper-quick.sqlite", "paper-quick.jsonl")]
    assert reports[0] == reports[1] and len(reports[0].rows) == 120
    with (tmp_path / RUN / "paper-quick.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    ends = [(row.upper, row.params.get("steps"), row.params.get("weight")) for row in reports[0].rows]
    number = {"": None}
    read = [
        tuple(number.get(line[key], line[key]) for key in ("upper", "params.steps", "params.weight")) for line in table
    ]
    assert [tuple(text and float(text) for text in line) for line in read] == ends


def test_exports_and_figures_of_earlier_rows_are_named(pldcheck, engine):
    pldcheck("verify", "--quick", "--figures", "--export", "csv")
    assert "of an earlier run" not in pldcheck("verify", "--quick", "--resume").out
    result = pldcheck("verify", "--quick", "--overwrite", "--export", "csv")
    named = ", ".join(sorted(FIGURES))
    assert f"of an earlier run, not written anew: {named}; --export and --figures do it\n" in result.out


def test_a_violation_is_followed_by_the_command_for_its_counterexample(pldcheck):
    result = pldcheck("verify", "--theorem", "krr-merged", "--workers", "0")
    (line,) = (line for line in result.out.splitlines() if line.startswith("for the counterexamples: pldcheck "))
    words = line.partition("pldcheck ")[2].split()
    assert "\n9 of 9 rows violated, 9 files\n" in pldcheck(*words).out


def test_stored_rows_are_the_run(pldcheck, engine, tmp_path):
    result = pldcheck("verify", "--quick", "--out", "a/b", "--json")
    report = run_store.read(tmp_path / "a" / "b" / "paper-quick.sqlite")
    assert {str(verdict): count for verdict, count in report.counts.items()} == result.json["counts"]
    assert report.header["command"] == "pldcheck verify --quick --out a/b --json"
    assert report.header == result.json["provenance"]
    assert len(report.rows) == report.header["cells"] == 4 * 24 + 2 * 12


def test_json_is_all_there_is_on_stdout(pldcheck, engine):
    result = pldcheck("verify", "--quick", "--json")
    assert (result.status, result.err, result.out.count("\n")) == (0, "", 1)
    assert list(result.json) == ["suite", "summary", "counts", "exit_code", "files", "provenance"]
    assert result.json["suite"] == "paper-quick" and result.json["exit_code"] == 0
    assert result.json["files"] == [f"{RUN}/paper-quick.sqlite"]
    assert [entry["theorem"] for entry in result.json["summary"]] == IDS
    json.dumps(result.json, allow_nan=False)


@pytest.mark.parametrize(
    ("ends", "status", "verdict"),
    [((1e-9, 1e-9), 0, "HOLDS"), ((50.0, 50.0), 1, "VIOLATED"), ((1e-9, 1e9), 3, "UNDECIDED")],
)
def test_the_exit_status_is_that_of_the_verdicts(pldcheck, engine, ends, status, verdict):
    engine(*ends)
    result = pldcheck("verify", "--quick", "--theorem", "thm-3.2-simple", "--json")
    assert result.status == result.json["exit_code"] == status
    assert result.json["counts"][verdict] == 16 and result.json["counts"]["OUT-OF-CONDITIONS"] == 8
    assert (pldcheck("verify", "--quick", "--theorem", "thm-3.2-simple").status) == status


@pytest.mark.parametrize(
    "words",
    [
        ("--theorem", "thm-4.3", "--theorem", "thm-A.4"),
        ("--theorem", "thm-4.3", "thm-A.4"),
        ("thm-4.3", "thm-A.4"),
    ],
)
def test_only_the_chosen_theorems_are_verified(pldcheck, engine, words):
    facts = pldcheck("verify", "--quick", *words, "--json").json
    assert {entry["theorem"] for entry in facts["summary"]} == {"thm-4.3", "thm-A.4"}


@pytest.mark.parametrize(
    ("words", "suite"),
    [
        (("thm-3.2",), "paper-thm-3.2-quick"),
        (("vr-wang",), "refuted-vr-wang-quick"),
        (("thm-5.1", "fmt22-closed"), "shuffle-thm-5.1-fmt22-closed-quick"),
    ],
)
def test_the_suite_of_a_theorem_is_found(monkeypatch, pldcheck, words, suite):
    def fail(*args, **options):
        raise MemoryError("nothing is computed here")

    monkeypatch.setattr(run_cells, "_narrow", fail)
    result = pldcheck("verify", *words, "--quick", "--workers", "0", "--json")
    assert result.status == 3 and result.json["suite"] == suite
    assert result.json["files"][0] == f"results/runs/{suite}/{suite}.sqlite"


def test_theorems_of_different_suites_are_refused(pldcheck):
    result = pldcheck("verify", "thm-3.2", "thm-5.1", "--quick")
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert "no suite has all of these theorems: thm-3.2 is in paper, thm-5.1 is in shuffle" in result.err
    reason = "thm-5.1-approx has delta0, but shuffle is computed for eps0-DP randomizers only"
    assert pldcheck("verify", "thm-5.1-approx").err == f"pldcheck: no suite judges what no protocol here is: {reason}\n"
    assert "thm-5.1-approx" in pldcheck("suites").out.splitlines()[-1]
    assert pldcheck("suites", "--json").json["unjudgeable"]["thm-5.1-approx"] == reason


def test_an_interrupt_of_figures_leaves_the_run(pldcheck, engine, tmp_path, monkeypatch):
    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("pldcheck.report.run_figures.render", interrupt)
    result = pldcheck("verify", "--quick", "--figures")
    assert (result.status, result.out, result.err) == (130, "", "pldcheck: interrupted\n")
    assert [path.name for path in (tmp_path / RUN).iterdir()] == ["paper-quick.sqlite"]
    result = pldcheck("verify", "--quick", "--resume", "--workers", "0", "--json")
    assert result.json["provenance"]["resumed"] == 120


def test_lines_tell_how_far_it_is_where_there_is_no_terminal(pldcheck, engine, monkeypatch):
    monkeypatch.setattr("pldcheck.cli.progress.SECONDS", 0.0)
    result = pldcheck("verify", "--quick")
    lines = result.err.splitlines()
    assert len(lines) == 120 and lines[-1].startswith("120 of 120 cells, ")
    assert lines[-1].endswith(" a second: 108 HOLDS, 12 OUT-OF-CONDITIONS")
    assert pldcheck("verify", "--quick", "--quiet").err == ""


def test_workers_and_a_scheduler_are_refused_together(pldcheck):
    result = pldcheck("verify", "--quick", "--workers", "2", "--scheduler", "tcp://127.0.0.1:1")
    assert (result.status, result.out) == (2, "") and "--workers and --memory are for this machine" in result.err
    result = pldcheck("verify", "--quick", "--workers", "0", "--cell-timeout", "5")
    assert (result.status, result.out) == (2, "") and "--workers 1 or more" in result.err


def test_a_cell_that_fails_is_undecided_and_said(pldcheck, monkeypatch):
    def fail(*args):
        raise MemoryError("no room")

    monkeypatch.setattr(HiddenSlot, "epsilon", fail)
    result = pldcheck("verify", "--quick", "--theorem", "thm-A.4", "--workers", "0")
    assert result.status == 3
    assert "UNDECIDED: thm-A.4 at steps=10, eps0=0.5" in result.out and "MemoryError: no room" in result.out


@pytest.mark.long
def test_the_quick_run_with_the_real_engine(pldcheck):
    result = pldcheck("verify", "--quick", "--json")
    assert result.status == 0
    assert result.json["counts"] == {"HOLDS": 108, "VIOLATED": 0, "UNDECIDED": 0, "OUT-OF-CONDITIONS": 12}
    for entry in result.json["summary"]:
        assert 1 < entry["tightness"]["min"] <= entry["tightness"]["median"] <= entry["tightness"]["max"]


@pytest.mark.nightly
def test_runs_beyond_the_memory_of_a_report_are_the_same(pldcheck, tmp_path, monkeypatch):
    words = ("verify", "--suite", "refuted", "--quick", "--workers", "0", "--out", "out")
    small = pldcheck(*words, "--json").json
    monkeypatch.setattr("pldcheck.verification.runs.stored_rows.IN_MEMORY", 3)
    monkeypatch.setattr("pldcheck.witness.run_files.MOST_CELLS", 3)
    large = pldcheck(*words[:-1], "large", "--json").json
    assert large["counts"] == small["counts"] and large["summary"] == small["summary"] and large["exit_code"] == 1
    again = pldcheck(*words[:-1], "large", "--resume", "--json").json
    assert again["provenance"]["resumed"] == large["provenance"]["cells"] and again["counts"] == large["counts"]
    refused = pldcheck(*words[:-1], "large", "--resume", "--certify")
    assert refused.status == 2 and "at most 3 cells" in refused.err and refused.err.count("\n") == 1
    assert "differ" in pldcheck(*words[:-1], "large", "--recheck", "1").out
    assert pldcheck(*words[:-1], "large", "--overwrite", "--json").json["provenance"]["resumed"] == 0
    witnesses = pldcheck("witness", "write", "large/refuted-quick.sqlite", "--out", "witnesses", "--json").json
    assert witnesses["violated"] == large["counts"]["VIOLATED"]
    assert pldcheck("report", "large", "--json").json["counts"] == {
        verdict: count for verdict, count in large["counts"].items() if count
    }
    assert pldcheck("figure", "tightness", "--from", "large").status == 0


@pytest.mark.nightly
def test_parquet_is_optional(pldcheck, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    outcome = pldcheck("verify", "--quick", "--export", "parquet")
    assert outcome.status == 2 and "pip install 'pldcheck[parquet]'" in outcome.err and outcome.err.count("\n") == 1
