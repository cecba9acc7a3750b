"""A folder is read back as it was stored; what is damaged is named and left out."""

import json
from dataclasses import fields

import numpy as np
import pytest
from stored_results import full, put, rows_of_every_kind

from pldcheck.core.errors import ParameterError
from pldcheck.core.sealed_files import seal
from pldcheck.report.results_folder import complaints, read, read_values
from pldcheck.study.comparisons import COMPARISONS, QUICK, ROWS, Comparison
from pldcheck.study.stored_studies import KINDS
from pldcheck.verification import Row, Verdict
from pldcheck.verification.runs import run_store


def test_everything_is_read_back(tmp_path):
    content = read(full(tmp_path), run_store.read, KINDS)
    assert not content.empty and (content.damage, content.aside) == ({}, ())
    assert content.runs["mixed"].rows == rows_of_every_kind()
    for kind, stem in (
        (content.results["waterfall"], "waterfall-thm-3.2"),
        (content.results["trajectory"], "random-replacement-CF"),
        (content.results["comparison"], "krr"),
    ):
        facts = json.loads((tmp_path / f"{stem}.json").read_text())
        assert list(kind) == [stem] and kind[stem].to_dict().items() <= facts.items()
    (run,) = content.results["trajectory"].values()
    assert run.indices.dtype == np.int64 and run.quantile_upper.shape == (run.levels.size, run.indices.size)


def test_a_row_type_for_every_comparison():
    assert list(ROWS) == list(COMPARISONS)


@pytest.mark.parametrize("name", ["figure-2", "table-1", "krr", "allocation"])
def test_comparisons_are_rebuilt_from_what_they_store(name):
    comparison = COMPARISONS[name](**QUICK[name])
    again = Comparison.from_dict(json.loads(json.dumps(comparison.to_dict())), ROWS[name])
    assert again.rows == comparison.rows and again.to_dict() == comparison.to_dict()


HEAD = {"kind": "header", "suite": "x", "sum": ""}
ROW = {**Row("t", {}, Verdict.HOLDS, 1.0, 1.0, 2.0).to_dict(), "kind": "cell"}


def lines(*values):
    return "".join(json.dumps(seal(one)) + "\n" for one in values)


def cell(**changes):
    return lines(HEAD, {**ROW, **changes})


COMPARISON = {"kind": "comparison", "comparison": "krr", "title": "", "params": {}, "rows": []}
FALL = {"kind": "waterfall", "theorem": "thm-3.2", "params": {}}
FALL |= {"levels": [{"name": "L0", "title": "", "lower": 2.0, "upper": 1.0}]}
PATH = {
    "kind": "trajectory",
    "protocol": "random-replacement",
    "params": {},
    "slots": 5,
    "indices": [1],
    "levels": [0.5],
    "quantile_upper": [[1], [2]],
}
PATH |= {"envelope": [1], "envelope_improved": [1]}
RESPONSE = [entry.name for entry in fields(ROWS["krr"])]
DAMAGE = {
    "empty.jsonl": "",
    "half.jsonl": cell()[:-30],
    "text.jsonl": "no\n",
    "nameless.jsonl": lines({"kind": "header", "sum": ""}),
    "number.jsonl": lines({"kind": "header", "suite": 3, "sum": ""}),
    "words.jsonl": cell(analytic="much"),
    "nan.jsonl": lines(HEAD) + json.dumps({**ROW, "analytic": float("nan")}),
    "reason.jsonl": cell(reason=3),
    "verdict.jsonl": cell(verdict="MAYBE"),
    "params.jsonl": cell(params=3),
    "surrogate.jsonl": lines(HEAD) + json.dumps({**ROW, "theorem": "\ud800"}),
    "deep.jsonl": lines(HEAD) + "[" * 100_000,
    "earlier.jsonl": json.dumps(HEAD),
    "cut.json": '{"comparison": "krr", "rows": [',
    "unknown.json": lines({**COMPARISON, "comparison": "figure-9"}),
    "list.json": lines({**COMPARISON, "comparison": ["krr"]}),
    "bare.json": lines(COMPARISON),
    "row.json": lines({**COMPARISON, "rows": [{"clients": 1}]}),
    "nothing.json": lines({**COMPARISON, "rows": [dict.fromkeys(RESPONSE)]}),
    "params.json": lines({**FALL, "levels": [], "params": {"eps0": "x"}}),
    "fall.json": lines(FALL),
    "path.json": lines(PATH),
    "deep.json": "[" * 100_000,
    "earlier.json": json.dumps(COMPARISON),
    "kindless.json": lines({"rows": []}),
    "later.json": lines({**FALL, "format": 2}),
    "bare-audit.json": lines({"kind": "audit", "audits": []}),
    "text-audit.json": lines({"kind": "audit", "audits": "none"}),
    "bare-findings.json": lines({"kind": "findings", "findings": []}),
    "bare-order.json": lines({"kind": "dominance", "comparisons": [{"theorem": "a"}]}),
    "bare-mutants.json": lines({"kind": "mutation", "mutants": [], "counts": {}, "total": []}),
    "bare-attack.json": lines({"kind": "attack", "params": {"eps0": [1.0], "transcripts": 9}, "rows": []}),
    "bare-simulation.json": lines({"kind": "simulation", "params": {}}),
    "bare-list.json": lines({"kind": "certificates", "suite": "x"}),
    "benchmarks.jsonl": json.dumps({"kind": "benchmarks", "format": 1}) + "\n",
    "later.jsonl": json.dumps({"kind": "widths", "format": 2}) + "\n",
    "changed.json": lines(COMPARISON).replace("krr", "kr1"),
    "twice.json": '{"kind": "comparison", "kind": "comparison"}',
}


def test_damaged_files_are_named_and_left_out(tmp_path):
    put(tmp_path, "good", rows_of_every_kind())
    for name, text in DAMAGE.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "folder.json").mkdir()
    content = read(tmp_path, run_store.read, KINDS)
    assert set(content.damage) == {*DAMAGE, "bytes.jsonl", "folder.json"}
    assert list(content.runs) == ["good"] and not content.results["comparison"]
    for line, name in zip(complaints(content), content.damage, strict=True):
        assert line.startswith(f"{name} is left out: ") and "\n" not in line and str(tmp_path) not in line


def test_damaged_lines_are_named_and_the_others_shown(tmp_path):
    put(tmp_path, "good", rows_of_every_kind())
    path = tmp_path / "good.jsonl"
    rows = path.read_text().splitlines()
    rows[3] = rows[3].replace('"lower": 2', '"lower": 1')
    path.write_text("\n".join(rows))
    content = read(tmp_path, run_store.read, KINDS)
    assert content.runs["good"].rows == (*rows_of_every_kind()[:2], *rows_of_every_kind()[3:])
    assert list(complaints(content)) == [
        "some of good.jsonl is left out: line 4: its digest does not match its values; all other rows are here"
    ]


def test_other_files_are_left_aside(tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / ".hidden.json").write_text("x")
    (tmp_path / "mine.json").write_text('{"a": 1}')
    (tmp_path / "list.json").write_text("[1]")
    content = read(tmp_path, run_store.read, KINDS)
    assert content.empty and content.aside == ("list.json", "mine.json") and not content.damage
    assert read_values(3, KINDS) == ("", None)


def test_a_folder_that_does_not_exist_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for name in ("none", "file"):
        with pytest.raises(ParameterError, match="folder must be one with stored results"):
            read(tmp_path / name, run_store.read, KINDS)


def test_folders_of_results_are_read_as_one_and_no_others(tmp_path):
    flat, tree = full(tmp_path / "flat"), tmp_path / "tree"
    for name, home in (("mixed.jsonl", "suites"), ("krr.json", "figures"), ("waterfall-thm-3.2.json", "figures")):
        (tree / home).mkdir(parents=True, exist_ok=True)
        (tree / home / name).write_bytes((flat / name).read_bytes())
    (tree / "other").mkdir()
    (tree / "other" / "krr.json").write_bytes((flat / "krr.json").read_bytes())
    (tree / "study").mkdir()
    (tree / "study" / "krr.json").write_text("{")
    content = read(tree, run_store.read, KINDS)
    assert content.runs["mixed"].rows == rows_of_every_kind() and set(content.results["comparison"]) == {"krr"}
    assert content.homes["run", "mixed"] == tree / "suites" and set(content.damage) == {"study/krr.json"}
    # Of two files of one name neither is lost.
    (tree / "mixed.jsonl").write_bytes((flat / "mixed.jsonl").read_bytes())
    assert set(read(tree, run_store.read, KINDS).runs) == {"mixed", "suites-mixed"}
