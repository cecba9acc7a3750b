"""``pldcheck certificate``: what is written is accepted, and what is no certificate is refused in one line."""

import json
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from pldcheck.protocols import Gaussian, HiddenSlot

# Words of a question for each program, without what it is asked at.
QUESTIONS = {
    "slot": ("hidden-slot", "--steps", 100, "--eps0", 1),
    "noise": ("gaussian", "--sigma", 2, "--steps", 100),
    "allocation": ("random-allocation", "--steps", 10, "--sigma", 1),
}


def write(pldcheck, name, *at):
    """Write the certificate of a question to a file of its name."""
    return pldcheck("certificate", "write", *QUESTIONS[name], *at, "--out", f"{name}.json")


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_written_is_accepted_here_and_by_the_program_alone(pldcheck, name):
    result = write(pldcheck, name, "--delta", "1e-4", "--checkers")
    assert (result.status, result.err) == (0, "")
    first, claim, seconds, command = result.out.splitlines()
    assert first.startswith(f"{name}.json: accepted: ")
    why = "(with this room a coarse computation in integers, which the check repeats, is enough)"
    assert claim == f"  claim  the upper end of epsilon times 1.005 {why}" and seconds.endswith(" s of one core")
    result = pldcheck("certificate", "check", f"{name}.json")
    assert (result.status, result.err) == (0, "") and result.out.startswith(first) and "sha256" in result.out
    assert command == f"  check without pldcheck: python3 checkers.pyz {name}.json"
    process = subprocess.run(command.partition(": ")[2], shell=True, capture_output=True, text=True)
    assert (process.returncode, process.stdout, process.stderr) == (0, result.out, "")


def test_the_claim_is_at_least_the_upper_end_and_about_what_is_asked(pldcheck):
    facts = write(pldcheck, "slot", "--delta", "1e-4", "--json").json
    assert Fraction(facts["claim"]["epsilon"]) >= Fraction(HiddenSlot(100, 1.0).epsilon(1e-4).upper)
    assert facts["claim"]["delta"] == "0.0001" and facts["margin_asked"] == facts["margin_reached"] == 1.005
    facts = write(pldcheck, "noise", "--epsilon", 14, "--json").json
    assert Fraction(facts["claim"]["delta"]) >= Fraction(Gaussian(2.0, 100).delta(14.0).upper)
    assert facts["claim"]["epsilon"] == "14.0" and facts["margin_reached"] == 1.05


def test_a_changed_claim_is_not_verified_and_what_is_no_certificate_is_refused(pldcheck):
    write(pldcheck, "slot", "--delta", "1e-4")
    facts = json.loads(Path("slot.json").read_text())
    facts["claim"]["epsilon"] = "0.2"
    Path("other.json").write_text(json.dumps(facts))
    Path("torn.json").write_text("{")
    result = pldcheck("certificate", "check", "slot.json", "other.json", "--json")
    assert (result.status, result.err) == (1, "")
    assert [entry["outcome"] for entry in result.json["files"]] == ["accepted", "not verified"]
    for name in ("torn.json", "none.json", "."):
        result = pldcheck("certificate", "check", "slot.json", name)
        assert result.status == 2 and result.out.splitlines()[1].startswith(f"{name}: refused: ")


REFUSALS = {
    "both": ((*QUESTIONS["slot"], "--delta", "1e-4", "--epsilon", 1, "--out", "x"), "not both"),
    "neither": ((*QUESTIONS["slot"], "--out", "x"), "not both"),
    "selected": (
        ("random-allocation", "--steps", 9, "--sigma", 2, "--selected", 2, "--adjacency", "replace", "--delta", "1e-4")
        + ("--out", "x"),
        "not replace",
    ),
    "clients": (
        ("check-in", "--steps", 9, "--eps0", 1, "--clients", 999, "--delta", "1e-4", "--out", "x"),
        "up to 4 times its upper end",
    ),
    "shuffle": (
        ("shuffle", "--clients", 9, "--eps0", 1, "--randomizer", "gaussian:2", "--delta", "1e-4", "--out", "x"),
        "worst",
    ),
    "range": (("laplace", "--scale", 0.001, "--delta", "1e-4", "--out", "x"), "scale must be from 1e-2 to 1e9"),
    "folder": ((*QUESTIONS["slot"], "--delta", "1e-4", "--out", "."), "out must be"),
}


@pytest.mark.parametrize(("words", "text"), REFUSALS.values(), ids=REFUSALS)
def test_refusals_are_one_line_and_write_nothing(pldcheck, tmp_path, words, text):
    result = pldcheck("certificate", "write", *words)
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1) and text in result.err
    assert list(tmp_path.iterdir()) == []


def test_a_claim_of_delta_is_at_most_one(pldcheck):
    words = ("hidden-slot", "--steps", 1, "--eps0", 5, "--epsilon", 0.01, "--out", "one.json", "--json")
    assert Fraction(pldcheck("certificate", "write", *words).json["claim"]["delta"]) == 1
