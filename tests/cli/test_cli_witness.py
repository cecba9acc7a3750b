"""Witness files at the command line."""

import json
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from places import SUITES

SLOT = ("witness", "write", "hidden-slot", "--steps", 100, "--eps0", 1, "--delta", "1e-4", "--out", "slot.json")


def test_what_is_written_is_accepted_and_a_change_is_not(pldcheck):
    result = pldcheck(*SLOT)
    assert (result.status, result.err) == (0, "") and result.out.startswith("slot.json: at epsilon = ")
    result = pldcheck("witness", "check", "slot.json")
    assert (result.status, result.err) == (0, "") and result.out.startswith("slot.json: accepted: ")
    facts = json.loads(Path("slot.json").read_text())
    facts["claim"]["epsilon"] = "0.6"
    Path("other.json").write_text(json.dumps(facts))
    result = pldcheck("witness", "check", "slot.json", "other.json", "--json")
    assert (result.status, result.err) == (1, "")
    assert [entry["accepted"] for entry in result.json["files"]] == [True, False]
    assert [entry["file"] for entry in result.json["files"]] == ["slot.json", "other.json"]
    assert "found to be" in result.json["files"][1]["said"]


def test_a_file_for_every_violated_row(pldcheck):
    for words in (("run",), ()):
        result = pldcheck("witness", "write", *words, SUITES / "refuted.jsonl", "--out", "found", "--json")
        assert (result.status, result.err) == (0, "")
        assert (result.json["rows"], result.json["violated"], result.json["without"]) == (24, 24, {})
        assert sorted(result.json["files"]) == sorted(map(str, Path("found").glob("*.json")))
        assert result.json["command"] == "python3 found/checkers.pyz found/*.json"
        # They are the stored ones, which the report finds by these names.
        assert all(
            (SUITES / "witnesses" / file.name).read_bytes() == file.read_bytes()
            for file in Path("found").glob("*.json")
        )
    text = pldcheck("witness", "write", SUITES / "refuted.jsonl", "--out", "found").out
    check = "python3 found/checkers.pyz found/*.json"
    assert text.endswith(f"24 of 24 rows violated, 24 files\ncheck without pldcheck: {check}\n")
    alone = subprocess.run(check, shell=True, capture_output=True, text=True)
    assert (alone.returncode, alone.stderr, alone.stdout.count(": accepted: ")) == (0, "", 24)
    assert pldcheck("witness", "check", *Path("found").glob("*.json")).status == 0
    # The folder that witness write was told stands for its files.
    whole = pldcheck("witness", "check", "found")
    assert (whole.status, whole.err, whole.out.count(": accepted: ")) == (0, "", 24)
    assert [line.partition(":")[0] for line in whole.out.splitlines()] == sorted(map(str, Path("found").glob("*.json")))
    Path("found/false.json").write_text("{}")
    assert pldcheck("witness", "check", "found").status == 1
    Path("empty").mkdir()
    assert "got 'empty'" in (refused := pldcheck("witness", "check", "empty")).err and refused.status == 2
    assert "this folder has no .json file" in refused.err


def test_a_witness_of_a_lower_end_is_described_in_json(pldcheck):
    facts = pldcheck(*SLOT, "--json", "--checkers").json
    alone = subprocess.run(facts["command"], shell=True, capture_output=True, text=True)
    assert (alone.returncode, alone.stderr) == (0, "") and alone.stdout.startswith("slot.json: accepted: ")
    assert facts["file"] == "slot.json" and facts["claim"]["params"] == {"steps": 100, "eps0": 1.0, "weight": 1.0}
    assert facts["of"]["protocol"] == "hidden-slot" and facts["of"]["params"]["steps"] == 100


def test_what_is_said_of_a_file_is_true(pldcheck):
    words = ("--steps", 10, "--eps0", 1, "--delta", "1e-6")
    pldcheck("witness", "write", "randomized-response", *words, "--out", "rr.json")
    certified = pldcheck("eps", "randomized-response", *words, "--json").json["upper"]
    (entry,) = pldcheck("witness", "check", "rr.json", "--json").json["files"]
    epsilon, delta = entry["said"].partition("is not (")[2].partition(")-DP")[0].split(", ")
    assert Fraction(epsilon) <= Fraction(certified) and delta == "1e-6"
    text = pldcheck("witness", "check", "rr.json").out
    assert text == f"rr.json: accepted: {entry['said']}\n" and text.count(epsilon) == 2


def test_what_is_no_witness_file_is_named_so(pldcheck):
    for content in (
        "{}",
        "# Title\n",
        '{"a": 1}\n{"a": 2}\n',
        '{"pldcheck_witness": 1}',
        '{"pldcheck_witness": [1]}',
        "3",
    ):
        Path("bad.jsonl").write_text(content)
        result = pldcheck("witness", "check", "bad.jsonl")
        assert (result.status, result.err) == (1, "")
        assert result.out.startswith("bad.jsonl: rejected: not a witness file") and "Error" not in result.out
    for content in ("{}", '{"a": 1}'):
        Path("bad.jsonl").write_text(content)
        result = pldcheck("witness", "write", "bad.jsonl", "--out", "found")
        assert result.status == 2 and "bad.jsonl, line 1: not a row that pldcheck verify writes" in result.err


COMPOSITIONS = {
    "epochs": ("hidden-slot", "--steps-per-epoch", 20, "--eps0", 1, "--epochs", 3),
    "clients": ("check-in", "--steps", 20, "--eps0", 1, "--clients", 30),
    "delta0": ("sliding-window", "--window", 20, "--clients", 30, "--eps0", 1, "--delta0", 1e-9),
    "rounds": ("shuffle", "--clients", 20, "--eps0", 1, "--rounds", 3),
    "responses": ("randomized-response", "--steps", 9, "--eps0", 0.1, "--eps0-last", 0.2),
    "a list": ("composition", "--mechanism", "rr:0.1*5", "--mechanism", "rr:0.2:1e-9"),
}


@pytest.mark.parametrize("words", COMPOSITIONS.values(), ids=COMPOSITIONS)
def test_compositions_have_a_witness_file(pldcheck, words):
    result = pldcheck("witness", "write", *words, "--delta", "1e-3", "--out", "file.json")
    assert (result.status, result.err) == (0, "") and result.out.startswith("file.json: at epsilon = ")
    assert pldcheck("witness", "check", "file.json").status == 0


@pytest.mark.nightly
def test_a_witness_that_attains_more_is_named(pldcheck):
    words = ("--clients", 60, "--eps0", 1, "--delta", "1e-4", "--out", "swap.json")
    first, second = pldcheck("witness", "write", "swap", *words).out.splitlines()
    assert first.startswith("swap.json: at epsilon = ") and "below the lower end " in second


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("check",), ("FILE",)),
        (("check", __file__, "none.json"), ("none.json", "there is no such file")),
        (("write",), ("command missing", "run, hidden-slot, check-in, sliding-window, shuffle")),
        (("wrte",), ("wrte", "did you mean write")),
        (("write", "hiden-slot"), ("hiden-slot", "did you mean hidden-slot")),
        (("write", "none.jsonl", "--out", "found"), ("none.jsonl", "no such file")),
        (("write", "run", SUITES / "refuted.jsonl"), ("--out",)),
        (("write", "run", __file__, "--out", "found"), ("line 1: not JSON",)),
        (
            ("write", "run", SUITES / "refuted.jsonl", "--out", "/dev/null/x"),
            ("out", "/dev/null/x", "a folder to write to"),
        ),
        (SLOT[1:-1] + ("/dev/null/x/slot.json",), ("out", "/dev/null/x", "a folder to write to")),
        (SLOT[1:-1] + (".",), ("out", "a file to write to")),
        (
            ("write", "shuffle", "--clients", 10, "--eps0", 1, "--delta", 0.9, "--out", "x"),
            ("lower end of epsilon is 0",),
        ),
        (
            ("write", "laplace", "--scale", 1, "--delta", 0.1, "--out", "x"),
            ("laplace has no witness files: noise has no",),
        ),
    ],
    ids=range(13),
)
def test_refusals_are_one_line(pldcheck, tmp_path, words, message):
    result = pldcheck("witness", *words)
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    for text in message:
        assert text in result.err
    assert list(tmp_path.iterdir()) == []
