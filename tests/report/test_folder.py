"""A folder is read back as it was stored; what is damaged is named and left out."""

import json
from dataclasses import fields

import numpy as np
import pytest
from stored_results import full, mixed, put

from pldcheck.batch import store
from pldcheck.comparisons import COMPARISONS, QUICK, ROWS, Comparison
from pldcheck.errors import ParameterError
from pldcheck.report.folder import complaints, read, stored


def test_everything_is_read_back(tmp_path):
    found = read(full(tmp_path), store.read)
    assert not found.empty and (found.damaged, found.aside) == ({}, ())
    assert found.runs["mixed"].rows == mixed()
    for kind, stem in (
        (found.waterfalls, "waterfall-thm-3.2"),
        (found.trajectories, "random-replacement-CF"),
        (found.comparisons, "krr"),
    ):
        written = json.loads((tmp_path / f"{stem}.json").read_text())
        assert list(kind) == [stem] and kind[stem].to_dict() == written
    (run,) = found.trajectories.values()
    assert run.indices.dtype == np.int64 and run.quantile_upper.shape == (run.levels.size, run.indices.size)


def test_a_row_type_for_every_comparison():
    assert list(ROWS) == list(COMPARISONS)


@pytest.mark.parametrize("name", ["figure-2", "table-1", "krr", "allocation"])
def test_comparisons_are_rebuilt_from_what_they_store(name):
    made = COMPARISONS[name](**QUICK[name])
    again = Comparison.from_dict(json.loads(json.dumps(made.to_dict())), ROWS[name])
    assert again.rows == made.rows and again.to_dict() == made.to_dict()


HEAD = '{"kind": "header", "suite": "x"}\n'


def cell(**changed):
    row = {
        "kind": "cell",
        "theorem": "t",
        "params": {},
        "verdict": "HOLDS",
        "analytic": 1.0,
        "lower": 1.0,
        "upper": 2.0,
    }
    return HEAD + json.dumps({**row, "budget": None, "seconds": 0.0, "reason": None, **changed}) + "\n"


COMPARED = {"comparison": "krr", "title": "", "params": {}, "rows": []}
FELL = {"theorem": "thm-3.2", "params": {}, "levels": [{"name": "L0", "title": "", "lower": 2.0, "upper": 1.0}]}
PATH = {
    "protocol": "random-swap",
    "params": {},
    "slots": 5,
    "indices": [1],
    "levels": [0.5],
    "quantile_upper": [[1], [2]],
}
PATH |= {"quantile_upper_reference": [[1]], "mean_reference": [1], "envelope": [1], "envelope_improved": [1]}
RESPONSE = [entry.name for entry in fields(ROWS["krr"])]
DAMAGE = {
    "empty.jsonl": "",
    "half.jsonl": cell()[:-30],
    "text.jsonl": "no\n",
    "nameless.jsonl": '{"kind": "header"}\n',
    "number.jsonl": '{"kind": "header", "suite": 3}\n',
    "words.jsonl": cell(analytic="much"),
    "nan.jsonl": cell(analytic=float("nan")),
    "reason.jsonl": cell(reason=3),
    "verdict.jsonl": cell(verdict="MAYBE"),
    "params.jsonl": cell(params=3),
    "cut.json": '{"comparison": "krr", "rows": [',
    "unknown.json": json.dumps({**COMPARED, "comparison": "figure-9"}),
    "bare.json": json.dumps(COMPARED),
    "row.json": json.dumps({**COMPARED, "rows": [{"clients": 1}]}),
    "nothing.json": json.dumps({**COMPARED, "rows": [dict.fromkeys(RESPONSE)]}),
    "params.json": json.dumps({**FELL, "levels": [], "params": {"eps0": "x"}}),
    "fall.json": json.dumps(FELL),
    "path.json": json.dumps(PATH),
    "deep.json": "[" * 100_000,
}


def test_damaged_files_are_named_and_left_out(tmp_path):
    put(tmp_path, "good", mixed())
    for name, text in DAMAGE.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "folder.json").mkdir()
    found = read(tmp_path, store.read)
    assert set(found.damaged) == {*DAMAGE, "bytes.jsonl", "folder.json"}
    assert list(found.runs) == ["good"] and not found.comparisons
    for line, name in zip(complaints(found), found.damaged, strict=True):
        assert line.startswith(f"{name} is left out: ") and "\n" not in line and str(tmp_path) not in line


def test_other_files_are_left_aside(tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / ".hidden.json").write_text("x")
    (tmp_path / "mine.json").write_text('{"a": 1}')
    (tmp_path / "list.json").write_text("[1]")
    found = read(tmp_path, store.read)
    assert found.empty and found.aside == ("list.json", "mine.json") and not found.damaged
    assert stored(3) is None


def test_a_folder_that_is_none(tmp_path):
    (tmp_path / "file").write_text("")
    for name in ("none", "file"):
        with pytest.raises(ParameterError, match="folder must be one with stored results"):
            read(tmp_path / name, store.read)
