"""Every stored file says of what kind and in which format it is; what says nothing is old, what is newer is refused."""

import ast
import json

import pytest
from places import RESULTS, ROOT

from pldcheck.core import sealed_files, stored_formats
from pldcheck.core.errors import PldcheckError
from pldcheck.core.sealed_files import DamageError, seal, unseal
from pldcheck.core.stored_formats import FORMATS, complaint, opening
from pldcheck.verification import Report
from pldcheck.verification.runs import run_store
from pldcheck.witness import judge_corpus

# Lines that are sealed and begin no file: cells of a run, and what an interrupted corpus keeps.
LINES = {"json_lines.py": ["row_reader.CELL"], "corpus_writer.py": ["'corpus part'"]}


def test_a_newer_format_is_refused_and_an_older_or_unsaid_one_is_read():
    for kind, newest in FORMATS.items():
        assert opening(kind) == {"kind": kind, "format": newest}
        assert complaint(opening(kind)) == complaint({"kind": kind}) == complaint({"kind": kind, "format": 1}) == ""
        assert unseal(json.dumps(seal({"kind": kind, "rows": []})))["rows"] == []
        with pytest.raises(DamageError, match=f"newer than this version of pldcheck, which reads format {newest} of"):
            unseal(json.dumps(seal({"kind": kind, "format": newest + 1})))
    for number in (0, -1, True, 1.0, "1", None, [1]):
        assert complaint({"kind": "audit", "format": number}) == "its format is not a number from 1"
    assert complaint({"kind": "cell", "format": 99}) == complaint({"kind": ["audit"], "format": 99}) == ""


@pytest.mark.nightly
def test_a_run_in_a_newer_format_is_not_read_as_one(tmp_path, monkeypatch):
    report = Report("small", (), {"suite": "small"})
    (tmp_path / "now.jsonl").write_bytes(run_store.dumps(report, {}))
    assert run_store.header(tmp_path / "now.jsonl")["format"] == FORMATS["header"]
    assert "format" not in run_store.read(tmp_path / "now.jsonl").header
    monkeypatch.setattr(stored_formats, "FORMATS", {**FORMATS, "header": FORMATS["header"] + 1})
    (tmp_path / "later.jsonl").write_bytes(run_store.dumps(report, {}))
    monkeypatch.undo()
    with pytest.raises(PldcheckError, match="line 1: its format is newer than this version"):
        run_store.read(tmp_path / "later.jsonl")


@pytest.mark.nightly
def test_every_file_that_is_sealed_gets_its_kind_from_the_one_place():
    """A dictionary with the key "kind" is sealed for lines inside of files only; openings come from the table."""
    by_file = {}
    for path in (ROOT / "pldcheck").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("seal"):
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Dict):
                        pairs = zip(inner.keys, inner.values, strict=True)
                        kinds = [value for key, value in pairs if key and ast.unparse(key) == "'kind'"]
                        by_file.setdefault(path.name, []).extend(map(ast.unparse, kinds))
    assert {name: kinds for name, kinds in by_file.items() if kinds} == LINES


@pytest.mark.nightly
def test_the_program_that_judges_by_a_corpus_knows_the_format_that_is_written():
    assert FORMATS["corpus"] == judge_corpus.FORMAT
    with (ROOT / "pldcheck" / "testing" / "small_corpus.jsonl").open() as file:
        assert sealed_files.unseal(file.readline()).items() >= opening("corpus").items()


@pytest.mark.nightly
def test_every_stored_file_has_the_kind_and_the_format_that_are_written_now():
    kinds = set()
    for path in (*RESULTS.rglob("*.json"), *RESULTS.rglob("*.jsonl")):
        with path.open() as file:
            values = json.loads(file.readline() if path.suffix == ".jsonl" else file.read())
        if path.parent.name == "certificates":  # their programs refuse any other key
            assert values["pldcheck_certificate"].startswith("upper_"), path
        elif path.parent.name == "witnesses":
            assert values["pldcheck_witness"] in (1, 2, 3), path
        else:
            assert values.items() >= opening(values["kind"]).items(), path
            kinds.add(values["kind"])
    assert kinds == set(FORMATS) - {"corpus", "run"}
