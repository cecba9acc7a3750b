"""The checkers as one archive: it runs alone on files of every kind, and says in one line what it makes of each."""

import ast
import json
import shutil
import subprocess
import sys
import zipapp
from zipfile import ZipFile

import pytest
from program_files import FOLDER, run_alone

from pldcheck import BallsInBins, Composition, HiddenSlot, SampledShuffle, Shuffle, Swap
from pldcheck.checkers import claim_files, upper_slot
from pldcheck.checkers.programs import KINDS
from pldcheck.witness import dumps, of_question
from pldcheck.witness.checker_archive import archive
from pldcheck.witness.upper_certificates import certificate

# A question for every program.
UPPER = {
    "upper_slot": HiddenSlot(30, 1.0),
    "upper_sum": BallsInBins(3, 2.0, 2),
    "upper_epochs": HiddenSlot(3, randomizer="gaussian:2", adjacency="zero-out", epochs=2),
    "upper_loss": Composition(("gaussian:5",)),
    "upper_shuffle": Shuffle(30, 1.0),
    "upper_swap": Swap(10, 1.0),
    "upper_few": SampledShuffle(9, 3, 1.0),
    "upper_rounds": Shuffle(3, 1.0, rounds=2),
}
LOWER = {1: HiddenSlot(200, 1.0), 2: HiddenSlot(20, 1.0, epochs=3), 3: HiddenSlot(8, 1.0)}
# The most lines of a module, its page included, and of all together.
MOST_LINES = 250
MOST_LINES_OF_ALL = 4_700


@pytest.fixture(scope="module")
def contents():
    """A file of each kind, by its name."""
    at = {name: {"epsilon": 0.3} if name == "upper_few" else {"delta": 1e-3} for name in UPPER}
    files = {f"{name}.json": certificate(protocol, **at[name]).dumps() for name, protocol in UPPER.items()}
    return files | {f"witness {number}.json": dumps(of_question(one, 1e-3)) for number, one in LOWER.items()}


def test_there_is_a_question_for_every_program(contents):
    kinds = {"pldcheck_certificate": UPPER.keys(), "pldcheck_witness": LOWER.keys()}
    assert {key: programs.keys() for key, programs in KINDS.items()} == kinds
    for name, content in contents.items():
        facts = json.loads(content)
        kind = facts.get("pldcheck_certificate", f"witness {facts.get('pldcheck_witness')}")
        assert name == f"{kind}.json"


def test_the_archive_alone_accepts_a_file_of_every_kind(contents, tmp_path):
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    status, out, err = run_alone(tmp_path, *contents)
    assert (status, err) == (0, "")
    for line, name in zip(out.splitlines(), contents, strict=True):
        assert line.startswith(f"{name}: accepted: ") and "; sha256 " in line
    # Nothing else is left in the folder.
    assert {path.name for path in tmp_path.iterdir()} == {*contents, "checkers.pyz"}


def test_one_file_that_is_not_accepted_is_enough_for_another_status(contents, tmp_path):
    facts = json.loads(contents["upper_slot.json"])
    facts["claim"]["epsilon"] = "0.02"
    bad = {
        "low.json": (json.dumps(facts), 1, "not verified: the claim is false, as delta is at least "),
        "torn.json": ("{", 2, "refused: "),
        "empty.json": ("{}", 2, "refused: the file must have the key pldcheck_certificate or pldcheck_witness"),
        "other.json": ('{"pldcheck_witness": true}', 2, "refused: pldcheck_witness must be one of 1, 2, 3"),
    }
    (tmp_path / "good.json").write_bytes(contents["upper_slot.json"])
    for name, (content, status, words) in bad.items():
        (tmp_path / name).write_text(content)
        done = run_alone(tmp_path, "good.json", name, "good.json")
        lines = done[1].splitlines()
        assert (done[0], done[2], len(lines)) == (status, "", 3) and lines[0] == lines[2]
        assert lines[1].startswith(f"{name}: {words}")
    assert run_alone(tmp_path, "none.json", ".")[:2] == (2, "none.json: refused: not a file\n.: refused: not a file\n")
    usage = "usage: python3 checkers.pyz FILE..., such as RUN/certificates/*.json RUN/witnesses/*.json\n"
    assert run_alone(tmp_path) == (2, "", usage) and run_alone(tmp_path, "--help") == (0, usage, "")
    assert run_alone(tmp_path, "\udcff.json")[:2] == (2, "\\udcff.json: refused: not a file\n")


def test_a_copied_folder_runs_by_its_name_by_its_path_and_by_an_archive_of_it(contents, tmp_path):
    (tmp_path / "file.json").write_bytes(contents["upper_few.json"])
    for name in ("checkers", "other name"):
        shutil.copytree(FOLDER, tmp_path / name)
    zipapp.create_archive(tmp_path / "checkers", tmp_path / "made.pyz")
    for words in (["-m", "checkers"], ["-I", "checkers"], ["-I", "other name"], ["-I", "made.pyz"]):
        command = [sys.executable, "-S", *words, "file.json"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("file.json: accepted: ")


def test_the_archive_has_the_same_bytes_at_any_time_and_all_modules(tmp_path):
    assert archive() == archive()
    (tmp_path / "checkers.pyz").write_bytes(archive())
    with ZipFile(tmp_path / "checkers.pyz") as stored:
        names = [entry.filename for entry in stored.infolist()]
        assert {entry.date_time for entry in stored.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert names == sorted(path.name for path in FOLDER.glob("*.py"))


def test_modules_are_short_and_import_the_standard_library_and_each_other():
    lines = 0
    for path in FOLDER.glob("*.py"):
        text = path.read_text()
        lines += len(text.splitlines())
        assert len(text.splitlines()) <= MOST_LINES, path.name
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                assert {alias.name for alias in node.names} <= sys.stdlib_module_names, path.name
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 1 or node.module.partition(".")[0] in sys.stdlib_module_names, path.name
    assert lines <= MOST_LINES_OF_ALL


def test_work_that_is_long_is_said_before_and_what_is_too_much_is_refused(contents, monkeypatch, tmp_path):
    path = tmp_path / "file.json"
    path.write_bytes(contents["upper_slot.json"])
    said = []
    assert claim_files.examine(path, upper_slot.verify, said.append).status == 0 and said == []
    monkeypatch.setattr(claim_files, "LONG", 0)
    assert claim_files.examine(path, upper_slot.verify, said.append).status == 0
    assert said == [f"may take 0 s or more, {claim_files.MOST_SECONDS} s at most"]
    monkeypatch.setattr(claim_files, "MOST_SECONDS", 0)
    verdict = claim_files.examine(path, upper_slot.verify)
    assert verdict.status == 2 and verdict.sentence.startswith("refused: all parts together take more than 0 s of work")
