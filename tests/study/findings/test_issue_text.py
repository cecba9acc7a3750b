"""Issues about findings: fair sentences, and programs that Python alone runs and that show what they say."""

import re
import subprocess
import sys
from fractions import Fraction

import pytest
from places import RESULTS

from pldcheck.checkers import lower_single
from pldcheck.study.findings import Finding, Kind, counterexample_script, issue_text, violated_rows
from pldcheck.witness import witness_files


def output_of(script):
    return subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, timeout=60)


def script_in(text):
    return re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]


def test_an_issue_has_a_program_that_refutes_the_claim(pldcheck):
    text = pldcheck("findings", "--issue", "krr-merged", "--stored", str(RESULTS)).out
    assert text.startswith("# ") and "**Claimed.** $" in text and "excludes this point" in text
    run = output_of(script_in(text))
    assert run.returncode == 0 and run.stderr == ""
    attained, claimed = map(float, re.search(r"at least (\S+) and claimed to be at most (\S+)", run.stdout).groups())
    # The stand-alone lower_single, of other code, accepts the same mechanism.
    witness = witness_files.of_row(violated_rows("krr-merged", RESULTS)[0])
    assert abs(attained / float(lower_single.check(witness)) - 1.0) < 1e-9
    assert attained > claimed == float(Fraction(witness["claim"]["delta"]))


@pytest.mark.parametrize("change", ["record", "claimed"])
def test_the_program_fails_where_the_claim_holds(change):
    witness = witness_files.of_row(violated_rows("vr-wang", RESULTS)[0])
    assert output_of(counterexample_script(witness)).returncode == 0
    if change == "record":
        witness["mechanism"]["record"] = witness["mechanism"]["replacement"]
    else:
        witness["claim"]["delta"] = "0.5"
    assert output_of(counterexample_script(witness)).returncode == 1


def test_the_program_agrees_with_fractions_on_a_slot_of_a_weight():
    half, rows = ["1/2", "1/2"], {"record": ["3/4", "1/4"], "replacement": ["1/4", "3/4"]}
    witness = {
        "claim": {"epsilon": "0.0", "delta": "0", "params": {"steps": 1, "weight": 0.5}},
        "mechanism": {"kind": "hidden-slot", **rows, "reference": half},
    }
    # At epsilon 0, one slot has weight times the total variation distance.
    (attained,) = re.findall(r"at least (\S+) and", output_of(counterexample_script(witness)).stdout)
    assert 0.25 - 1e-11 < float(attained) <= 0.25


@pytest.mark.nightly
def test_large_or_other_mechanisms_have_no_program():
    assert counterexample_script({"mechanism": {"kind": "composition"}}) is None
    rows = {name: ["1/2", "1/2"] for name in ("record", "replacement", "reference")}
    claim = {"epsilon": "0", "delta": "0", "params": {"clients": 10**6}}
    assert counterexample_script({"claim": claim, "mechanism": {"kind": "shuffle", **rows}}) is None


@pytest.mark.nightly
def test_a_step_is_not_called_a_false_statement():
    step = Finding(Kind.STEP, ("lem-A.3",), "a step", "At u = 1.", "Lemma A.3", "audit lem-A.3", 1, {"statement": "a"})
    text = issue_text(step, None)
    assert "The statement itself may hold." in text and "**Claimed.** $a$" in text and "pip install pldcheck" in text


@pytest.mark.nightly
def test_other_options_beside_an_issue_are_refused_in_one_line(pldcheck):
    refusal = pldcheck("findings", "krr-merged", "--issue", "krr-merged")
    assert refusal.status == 2 and "--issue takes no other theorem" in refusal.err
    assert pldcheck("findings", "--issue", "krr-mergd").status == 2
