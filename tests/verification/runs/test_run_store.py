"""Runs on disk: whole or not at all, and exact."""

import json
import os
from pathlib import Path

import pytest

from pldcheck.core.errors import ParameterError, PldcheckError
from pldcheck.core.interval import ErrorBudget
from pldcheck.core.sealed_files import seal
from pldcheck.verification import Report, Row, Verdict
from pldcheck.verification.runs import run_store

PARAMS = {"steps": 10**12, "eps0": 0.1, "weight": 1.0, "delta": 1e-100}
ROWS = (
    Row(
        "thm-A.4",
        PARAMS,
        Verdict.HOLDS,
        0.1 + 0.3,
        1 / 3,
        5e-324 + 1 / 3,
        ErrorBudget(1e-99, 0.0, 5e-324),
        0.1,
    ),
    Row("thm-A.4", PARAMS, Verdict.HOLDS, 1e-300, 0.0, 0.0),
    Row("thm-A.4", PARAMS, Verdict.OUT_OF_CONDITIONS, reason="é <= 1"),
)
REPORT = Report("small", ROWS, {"suite": "small", "width": 0.005})
PROVENANCE = {"version": "1.2", "commit": None, "machine": {"cores": 2}}


def test_round_trip_is_exact(tmp_path):
    run_store.write(tmp_path / "run.jsonl", run_store.dumps(REPORT, PROVENANCE))
    content = run_store.read(tmp_path / "run.jsonl")
    assert content.rows == ROWS and content.suite == "small"
    assert content.header == {**PROVENANCE, **REPORT.header}


def test_a_file_has_a_header_and_then_one_line_for_each_cell():
    lines = [json.loads(line) for line in run_store.dumps(REPORT, PROVENANCE).splitlines()]
    assert [line["kind"] for line in lines] == ["header", "cell", "cell", "cell"]
    assert lines[2]["tightness_upper"] is None and lines[1]["params"]["steps"] == 10**12


def test_nan_is_refused_and_infinity_comes_back(tmp_path):
    report = Report("small", (Row("thm-A.4", PARAMS, Verdict.NOT_JUDGED, analytic=float("inf")),), {"suite": "small"})
    run_store.write(tmp_path / "small.jsonl", run_store.dumps(report, PROVENANCE))
    assert run_store.read(tmp_path / "small.jsonl").rows == report.rows
    bad = Report("small", (Row("thm-A.4", PARAMS, Verdict.HOLDS, analytic=float("nan")),), {})
    with pytest.raises(ValueError, match="JSON compliant"):
        run_store.dumps(bad, PROVENANCE)


def test_write_makes_the_folder_and_leaves_nothing_beside_the_file(tmp_path):
    run_store.write(tmp_path / "a" / "b" / "file", b"text")
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["file"]
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"text"


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch, failing):
    run_store.write(tmp_path / "file", b"old")

    def interrupt(*what):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, failing, interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_store.write(tmp_path / "file", b"newer")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_the_file_mode_is_that_of_any_new_file(tmp_path):
    run_store.write(tmp_path / "ours", b"")
    (tmp_path / "plain").touch()
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_check_writable_leaves_nothing_behind(tmp_path, monkeypatch):
    run_store.check_writable(tmp_path / "a" / "b")
    run_store.check_writable(tmp_path)
    monkeypatch.chdir(tmp_path)
    run_store.check_writable(Path("results"))
    assert list(tmp_path.iterdir()) == []


def test_check_writable_names_the_folder_and_the_reason(tmp_path):
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / ("x" * 300)):
        with pytest.raises(ParameterError, match="out must be a folder to write to") as error:
            run_store.check_writable(folder)
        assert str(folder) in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def _header():
    return run_store.dumps(Report("small", (), REPORT.header), PROVENANCE).decode()


def _whole(name=None, value=None, **more):
    """Return the stored run; or its first row as if it had been written with another value."""
    lines = run_store.dumps(REPORT, PROVENANCE).decode().splitlines()
    if name:
        lines[1] = json.dumps(seal({**json.loads(lines[1]), name: value, **more}))
    return "\n".join(lines) + "\n"


def test_other_lines_of_a_damaged_file_are_read_and_the_damage_is_reported(tmp_path):
    (tmp_path / "run.jsonl").write_text(_whole().replace("0.4", "0.5"))
    damage = []
    assert run_store.read(tmp_path / "run.jsonl", damage).rows == ROWS[1:]
    assert damage == ["line 2: its digest does not match its values"]
    (tmp_path / "run.jsonl").write_text("\n".join(_whole().splitlines()[:-1]))
    damage = []
    assert run_store.read(tmp_path / "run.jsonl", damage).rows == ROWS[:2]
    assert damage == ["its rows are not those that were written: some are missing, doubled or moved"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "empty"),
        ('{"kind": "cell"}\n', "line 1: it has no digest"),
        (json.dumps(seal({"kind": "cell"})), "line 1: not the header"),
        (json.dumps(seal({"kind": "header", "suite": "x"})), "line 1: it does not say which rows follow"),
        (_header() + _header(), "line 2: not the cell"),
        (_header() + '{"kind": "cell", "theo', "line 2: not JSON"),
        (_header() + '{"kind": "cell", "theorem": "thm-A.4"}\n', "line 2: it has no digest"),
        (_header() + json.dumps(seal({"kind": "cell", "theorem": "thm-A.4"})), "line 2: keys are missing or unknown"),
        (_header() + "[1]\n", "line 2: not a JSON object"),
        (_whole().replace("0.4", "0.5"), "line 2: its digest does not match its values"),
        (_whole().replace('"steps": 10', '"steps": 20'), "line 2: its digest does not match its values"),
        ("\n".join(_whole().splitlines()[:-1]), "some are missing, doubled or moved"),
        (_whole() + _whole().splitlines()[-1], "some are missing, doubled or moved"),
        (_whole("verdict", "VIOLATED"), "line 2: its verdict does not follow from its ends"),
        (_whole("lower", 0.9), "line 2: its tightness_upper does not follow from its ends"),
        (_whole("lower", 0.9, tightness_upper=0.4 / 0.9), "line 2: its lower end is above its upper end"),
        (_whole("params", {**PARAMS, "delta": 2.0}), "line 2: delta is out of range"),
        (_whole("params", {**PARAMS, "eps0": "1"}), "line 2: eps0 is not a number"),
        (_whole("params", {"steps": 3}), "line 2: its parameters are not those of its theorem"),
        (_whole("seconds", -1.0), "line 2: its seconds are not a time"),
        (_whole("seconds", 10**350), "line 2: seconds is not a number"),
        (_whole("reason", 3), "line 2: reason is not a text"),
        (_whole("quantity", []), "line 2: its quantity is unknown"),
        (_whole("more", 3), "line 2: keys are missing or unknown"),
    ],
)
def test_a_damaged_file_is_refused_by_line(tmp_path, text, complaint):
    (tmp_path / "run.jsonl").write_text(text)
    with pytest.raises(PldcheckError, match=complaint):
        run_store.read(tmp_path / "run.jsonl")
