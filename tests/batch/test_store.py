"""Runs on disk: whole or not at all, and exact."""

import json
import os
from pathlib import Path

import pytest

from pldcheck.batch import store
from pldcheck.errors import ParameterError, PldcheckError
from pldcheck.interval import ErrorBudget
from pldcheck.verify import Report, Row, Verdict

PARAMS = {"steps": 10**12, "eps0": 0.1, "weight": 1.0, "delta": 1e-100}
ROWS = (
    Row(
        "thm-A.4",
        PARAMS,
        Verdict.HOLDS,
        0.1 + 0.2,
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
    store.write(tmp_path / "run.jsonl", store.dumps(REPORT, PROVENANCE))
    found = store.read(tmp_path / "run.jsonl")
    assert found.rows == ROWS and found.suite == "small"
    assert found.header == {**PROVENANCE, **REPORT.header}


def test_header_first_then_a_line_a_cell():
    lines = [json.loads(line) for line in store.dumps(REPORT, PROVENANCE).splitlines()]
    assert [line["kind"] for line in lines] == ["header", "cell", "cell", "cell"]
    assert lines[2]["tightness_upper"] is None and lines[1]["params"]["steps"] == 10**12


def test_nan_is_refused_and_infinity_comes_back(tmp_path):
    report = Report("small", (Row("thm-A.4", PARAMS, Verdict.HOLDS, analytic=float("inf")),), {"suite": "small"})
    store.write(tmp_path / "small.jsonl", store.dumps(report, PROVENANCE))
    assert store.read(tmp_path / "small.jsonl").rows == report.rows
    bad = Report("small", (Row("thm-A.4", PARAMS, Verdict.HOLDS, analytic=float("nan")),), {})
    with pytest.raises(ValueError, match="JSON compliant"):
        store.dumps(bad, PROVENANCE)


def test_write_makes_the_folder_and_leaves_nothing_beside_the_file(tmp_path):
    store.write(tmp_path / "a" / "b" / "file", b"text")
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["file"]
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"text"


@pytest.mark.parametrize("failing", ["write_bytes", "replace"])
def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch, failing):
    store.write(tmp_path / "file", b"old")

    def half_write(path, content):
        with path.open("wb") as file:
            file.write(content[:2])
        raise KeyboardInterrupt

    def no_rename(source, target):
        raise KeyboardInterrupt

    if failing == "write_bytes":
        monkeypatch.setattr(Path, "write_bytes", half_write)
    else:
        monkeypatch.setattr(os, "replace", no_rename)
    with pytest.raises(KeyboardInterrupt):
        store.write(tmp_path / "file", b"newer")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_the_file_mode_is_that_of_any_new_file(tmp_path):
    store.write(tmp_path / "ours", b"")
    (tmp_path / "plain").touch()
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_check_writable_leaves_nothing_behind(tmp_path, monkeypatch):
    store.check_writable(tmp_path / "a" / "b")
    store.check_writable(tmp_path)
    monkeypatch.chdir(tmp_path)
    store.check_writable(Path("results"))
    assert list(tmp_path.iterdir()) == []


def test_check_writable_names_the_folder_and_the_reason(tmp_path):
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / ("x" * 300)):
        with pytest.raises(ParameterError, match="out must be a folder to write to") as caught:
            store.check_writable(folder)
        assert str(folder) in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def _header():
    return store.dumps(Report("small", (), REPORT.header), PROVENANCE).decode()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "empty"),
        ('{"kind": "cell"}\n', "line 1: not the header"),
        (_header() + _header(), "line 2: not the cell"),
        (_header() + '{"kind": "cell", "theo', "line 2: not the cell"),
        (_header() + '{"kind": "cell", "theorem": "thm-A.4"}\n', "line 2: not a row"),
        (_header() + "[1]\n", "line 2: not the cell"),
    ],
)
def test_a_damaged_file_is_refused_by_line(tmp_path, text, complaint):
    (tmp_path / "run.jsonl").write_text(text)
    with pytest.raises(PldcheckError, match=complaint):
        store.read(tmp_path / "run.jsonl")
