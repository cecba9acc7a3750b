"""``pldcheck verify``: files, table, JSON, exit statuses."""

import json

import pytest

from pldcheck.protocols import HiddenSlot
from pldcheck.verification import run_cells
from pldcheck.verification.runs import run_store
from pldcheck.verification.suites import SUITES

RUN = "results/runs/paper-quick"
FILES = ["paper-quick.jsonl"] + [
    f"paper-quick-{name}.{suffix}" for name in ("tightness", "epsilon") for suffix in ("svg", "png")
]


IDS = [theorem.id for theorem in SUITES["paper"].theorems]


def test_files_table_and_paths(pldcheck, engine, tmp_path):
    done = pldcheck("verify", "--quick")
    assert (done.status, done.err) == (0, "")
    assert sorted(path.name for path in (tmp_path / RUN).iterdir()) == sorted(FILES)
    lines = done.out.splitlines()
    assert lines[1].split()[:6] == ["theorem", "cells", "HOLDS", "VIOLATED", "UNDECIDED", "CONDITIONS"]
    assert [line.split()[0] for line in lines[2 : 2 + len(IDS)]] == IDS
    assert lines[-5:] == [f"{RUN}/{name}" for name in FILES]


def test_stored_rows_are_the_run(pldcheck, engine, tmp_path):
    done = pldcheck("verify", "--quick", "--out", "a/b", "--json")
    report = run_store.read(tmp_path / "a" / "b" / "paper-quick.jsonl")
    assert {str(verdict): count for verdict, count in report.counts.items()} == done.json["counts"]
    assert report.header["command"] == "pldcheck verify --quick --out a/b --json"
    assert report.header == done.json["provenance"]
    assert len(report.rows) == report.header["cells"] == 4 * 24 + 2 * 12


def test_json_is_all_there_is_on_stdout(pldcheck, engine):
    done = pldcheck("verify", "--quick", "--json")
    assert (done.status, done.err, done.out.count("\n")) == (0, "", 1)
    assert list(done.json) == ["suite", "summary", "counts", "exit_code", "files", "provenance"]
    assert done.json["suite"] == "paper-quick" and done.json["exit_code"] == 0
    assert done.json["files"] == [f"{RUN}/{name}" for name in FILES]
    assert [entry["theorem"] for entry in done.json["summary"]] == IDS
    json.dumps(done.json, allow_nan=False)


@pytest.mark.parametrize(
    ("ends", "status", "verdict"),
    [((1e-9, 1e-9), 0, "HOLDS"), ((50.0, 50.0), 1, "VIOLATED"), ((1e-9, 1e9), 3, "UNDECIDED")],
)
def test_exit_status(pldcheck, engine, ends, status, verdict):
    engine(*ends)
    done = pldcheck("verify", "--quick", "--theorem", "thm-3.2-simple", "--json")
    assert done.status == done.json["exit_code"] == status
    assert done.json["counts"][verdict] == 16 and done.json["counts"]["OUT-OF-CONDITIONS"] == 8
    assert (pldcheck("verify", "--quick", "--theorem", "thm-3.2-simple").status) == status


@pytest.mark.parametrize(
    "words",
    [
        ("--theorem", "thm-4.3", "--theorem", "thm-A.4"),
        ("--theorem", "thm-4.3", "thm-A.4"),
        ("thm-4.3", "thm-A.4"),
    ],
)
def test_chosen_theorems(pldcheck, engine, words):
    found = pldcheck("verify", "--quick", *words, "--json").json
    assert {entry["theorem"] for entry in found["summary"]} == {"thm-4.3", "thm-A.4"}


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
    done = pldcheck("verify", *words, "--quick", "--workers", "0", "--json")
    assert done.status == 3 and done.json["suite"] == suite
    assert done.json["files"][0] == f"results/runs/{suite}/{suite}.jsonl"


def test_theorems_of_different_suites_are_refused(pldcheck):
    done = pldcheck("verify", "thm-3.2", "thm-5.1", "--quick")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert "no suite has all of these theorems: thm-3.2 is in paper, thm-5.1 is in shuffle" in done.err


@pytest.mark.nightly
def test_an_interrupt_leaves_what_is_finished(pldcheck, engine, tmp_path, monkeypatch):
    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("pldcheck.report.run_figures.render", interrupt)
    done = pldcheck("verify", "--quick")
    assert (done.status, done.out, done.err) == (130, "", "pldcheck: interrupted\n")
    assert [path.name for path in (tmp_path / RUN).iterdir()] == ["paper-quick.cells"]
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert "--resume would take them over" in pldcheck("verify", "--quick", "--workers", "0").err
    done = pldcheck("verify", "--quick", "--resume", "--workers", "0", "--json")
    assert done.json["provenance"]["resumed"] == 120
    assert sorted(path.name for path in (tmp_path / RUN).iterdir()) == sorted(FILES)


def test_lines_tell_how_far_it_is_where_there_is_no_terminal(pldcheck, engine, monkeypatch):
    monkeypatch.setattr("pldcheck.cli.progress.SECONDS", 0.0)
    done = pldcheck("verify", "--quick")
    lines = done.err.splitlines()
    assert len(lines) == 120 and lines[-1].startswith("120 of 120 cells, ")
    assert lines[-1].endswith("0 s left: 108 HOLDS, 12 OUT-OF-CONDITIONS")
    assert pldcheck("verify", "--quick", "--quiet").err == ""


def test_workers_and_a_scheduler_are_refused_together(pldcheck):
    done = pldcheck("verify", "--quick", "--workers", "2", "--scheduler", "tcp://127.0.0.1:1")
    assert (done.status, done.out) == (2, "") and "--workers and --memory are for this machine" in done.err
    done = pldcheck("verify", "--quick", "--workers", "0", "--cell-timeout", "5")
    assert (done.status, done.out) == (2, "") and "--workers 1 or more" in done.err


def test_a_cell_that_fails_is_undecided_and_said(pldcheck, monkeypatch):
    def fail(*args):
        raise MemoryError("no room")

    monkeypatch.setattr(HiddenSlot, "epsilon", fail)
    done = pldcheck("verify", "--quick", "--theorem", "thm-A.4", "--workers", "0")
    assert done.status == 3
    assert "UNDECIDED: thm-A.4 at steps=10, eps0=0.5" in done.out and "MemoryError: no room" in done.out


@pytest.mark.nightly
def test_the_quick_run_with_the_real_engine(pldcheck):
    done = pldcheck("verify", "--quick", "--json")
    assert done.status == 0
    assert done.json["counts"] == {"HOLDS": 108, "VIOLATED": 0, "UNDECIDED": 0, "OUT-OF-CONDITIONS": 12}
    for entry in done.json["summary"]:
        assert 1 < entry["tightness"]["min"] <= entry["tightness"]["median"] <= entry["tightness"]["max"]
