"""``audit`` on the command line."""

import json

import pytest


def test_an_audit_in_text(pldcheck):
    result = pldcheck("audit", "lem-A.2")
    assert (result.status, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0].startswith("lem-A.2  Composition of budgets")
    assert lines[1] == "6 steps: 3 proved (given a simplification by hand), 2 numerically equal, 1 measured"
    assert sum(line.endswith(": proved, given a simplification by hand") for line in lines) == 3
    by_hand = "; 3 proofs rest on a simplification by hand, which is checked at points only"
    assert lines[2] == f"conclusion: no step fails; 3 steps were checked at points only{by_hand}"
    assert lines[3].startswith("symbols: L = log(1/delta); ")
    assert any(line.startswith("    proved for steps in [1, 1e+12], past in [0, 1]") for line in lines)
    words = "(interval arithmetic on a simplification of right - left, derived by hand; "
    assert any(words in line for line in lines)
    # The median over a grid that spans 45 orders of magnitude tells nothing but that.
    assert "right / left is at least 1, its median is above 1000, over 258 points" in result.out
    assert any("measured and not proved, because it is a sum of any number of terms" in line for line in lines)


def test_json_and_files_say_the_same(pldcheck, tmp_path):
    result = pldcheck("audit", "lem-A.2", "--json", "--out", "audits")
    assert result.status == 0 and result.json.pop("files") == ["audits/audit.json"]
    facts = json.loads((tmp_path / "audits" / "audit.json").read_text())
    del facts["kind"], facts["format"], facts["digest"]
    (report,) = facts["audits"]
    assert report["theorem"] == "lem-A.2" and report["holds"] is True
    assert [step["verdict"] for step in report["steps"]].count("proved") == 3
    assert sum(step["by_hand"] for step in report["steps"]) == 3
    for step in report["steps"]:
        assert {"id", "statement", "source", "grid", "proof", "counterexample", "thresholds", "needs"} <= set(step)


@pytest.mark.long
def test_a_failing_step_sets_the_exit_status(pldcheck):
    result = pldcheck("audit", "thm-3.2-simple")
    assert result.status == 1
    assert "A.4/simple-4  the simple form, delta <= 1/4: fails" in result.out
    assert "    fails at eps0 = 1, steps = 1, weight = 1, log_inverse_delta = 1.4 (delta = 0.2466): " in result.out
    # Sheet 2, thm-3.2-simple: threshold delta <= 0.1658.
    assert "that is delta <= 0.1658" in result.out


@pytest.mark.nightly
def test_unknown_theorems_are_refused_in_one_line(pldcheck):
    result = pldcheck("audit", "thm-A.44")
    assert result.status == 2 and "unknown audited theorem 'thm-A.44'; did you mean thm-A.4" in result.err
