"""The certificates beside the reference run of paper: one for every row that holds, written again to the same facts."""

import json
import random
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from places import SUITES

from pldcheck import checkers, witness
from pldcheck.core import sealed_files
from pldcheck.verification import Verdict
from pldcheck.verification.runs import run_store
from pldcheck.witness.row_certificates import complaint, of_row
from pldcheck.witness.run_files import file_name, manifest_path

# So many certificates are written again and verified; the seed is the same in every process.
SAMPLE = 40
CHOICE = 2026


def manifest():
    return sealed_files.unseal(sealed_files.load(manifest_path(SUITES, "paper")))["files"]


def rows_that_hold():
    return [row for row in run_store.read(SUITES / "paper.jsonl").rows if row.verdict is Verdict.HOLDS]


def program_alone(path):
    """Return the exit status of the checkers on a certificate, in an isolated interpreter."""
    command = [sys.executable, "-I", "-S", Path(checkers.__file__).parent, path]
    process = subprocess.run(command, capture_output=True, text=True)
    assert (": accepted: " in process.stdout) == (process.returncode == 0), process.stdout
    return process.returncode


def is_alike(stored, anew):
    """Whether two certificates claim the same by the same fineness, but for the last digits of searched tilts.

    These are minima, found on another processor: its exponentials may differ in their last bits.
    """
    tilts = [
        {name: float(facts["fineness"].pop(name)) for name in ("tilt",) if name in facts["fineness"]}
        for facts in (stored, anew)
    ]
    return stored == anew and tilts[1] == pytest.approx(tilts[0], rel=1e-7)


def check_again(rows):
    """Write the certificates of rows anew, compare them with what is stored, and have them verified."""
    digests = manifest()
    for row in rows:
        content = (SUITES / file_name(row)).read_bytes()
        assert sha256(content).hexdigest() == digests[file_name(row)], row
        assert is_alike(json.loads(content), json.loads(witness.dumps(of_row(row)))), row
        assert program_alone(SUITES / file_name(row)) == 0, row


def test_every_row_that_holds_has_the_certificate_that_is_listed():
    rows, digests = rows_that_hold(), manifest()
    assert {file_name(row) for row in rows} == digests.keys() and len(rows) == len(digests) > 1000
    assert {path.name for path in (SUITES / "certificates").iterdir()} == {Path(name).name for name in digests}
    for row in rows:
        assert sha256((SUITES / file_name(row)).read_bytes()).hexdigest() == digests[file_name(row)], row


def test_stored_certificates_claim_what_their_rows_claim():
    for row in random.Random(CHOICE).sample(rows_that_hold(), 10 * SAMPLE):
        assert complaint(row, json.loads((SUITES / file_name(row)).read_text())["claim"]) == "", row


def test_a_stored_certificate_is_written_again_and_verified():
    check_again(random.Random(CHOICE).sample(rows_that_hold(), 2))


def test_the_program_alone_refuses_a_stored_certificate_with_a_smaller_claim(tmp_path):
    row = rows_that_hold()[0]
    facts = json.loads((SUITES / file_name(row)).read_text())
    # This is half of the certified lower end.
    facts["claim"]["epsilon"] = f"{row.lower / 2:.12f}"
    path = tmp_path / "smaller.json"
    path.write_text(json.dumps(facts))
    assert program_alone(path) == 1


@pytest.mark.long
def test_a_sample_of_the_stored_certificates_is_written_again_and_verified():
    check_again(random.Random(CHOICE + 1).sample(rows_that_hold(), SAMPLE))


@pytest.mark.nightly
def test_every_cell_of_the_refuted_bounds_has_a_witness_that_its_program_accepts():
    rows = run_store.read(SUITES / "refuted.jsonl").rows
    digests = sealed_files.unseal(sealed_files.load(manifest_path(SUITES, "refuted")))["files"]
    assert {file_name(row) for row in rows} == digests.keys() and len(rows) == len(digests) > 20
    assert {name: sha256((SUITES / name).read_bytes()).hexdigest() for name in digests} == digests
    violated = [row for row in run_store.read(SUITES / "field.jsonl").rows if row.verdict is Verdict.VIOLATED]
    others = [row for row in violated if (SUITES / file_name(row)).is_file()]
    stored = {f"witnesses/{path.name}" for path in (SUITES / "witnesses").iterdir()}
    assert stored == {file_name(row) for row in (*rows, *others)} and len(others) > 20
    for row in (*rows, *others):
        content = (SUITES / file_name(row)).read_bytes()
        accepted, sentence = witness.examine(SUITES / file_name(row))
        assert accepted, sentence
        assert json.loads(content)["of"] == {"theorem": row.theorem, "params": json.loads(json.dumps(dict(row.params)))}
