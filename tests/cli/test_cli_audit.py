"""``audit`` on the command line."""

import json

import pytest


def test_an_audit_in_text(pldcheck):
    done = pldcheck("audit", "lem-A.2")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("lem-A.2  Composition of budgets")
    assert lines[1] == "6 steps: 3 proved, 2 equal, 1 measured"
    assert any(line.startswith("    proved for steps in [1, 1e+12], past in [0, 1]") for line in lines)
    assert any("no proof on a box: it is a sum of any number of terms" in line for line in lines)


def test_json_and_files_say_the_same(pldcheck, tmp_path):
    done = pldcheck("audit", "lem-A.2", "--json", "--out", "audits")
    assert done.status == 0 and done.json.pop("files") == ["audits/audit.json"]
    stored = json.loads((tmp_path / "audits" / "audit.json").read_text())
    del stored["kind"], stored["digest"]
    (found,) = stored["audits"]
    assert found["theorem"] == "lem-A.2" and found["holds"] is True
    assert [step["verdict"] for step in found["steps"]].count("proved") == 3
    for step in found["steps"]:
        assert {"id", "statement", "source", "grid", "proof", "counterexample", "thresholds", "needs"} <= set(step)


@pytest.mark.nightly
def test_a_step_that_fails_is_told_by_the_status(pldcheck):
    done = pldcheck("audit", "thm-3.2-simple")
    assert done.status == 1
    assert "A.4/simple-4  the simple form, delta <= 1/4: fails" in done.out
    assert "    fails at eps0 = 1, steps = 1, weight = 1, log_inverse_delta = 1.4 (delta = 0.2466): " in done.out
    # Sheet 2, thm-3.2-simple: threshold delta <= 0.1658.
    assert "that is delta <= 0.1658" in done.out


def test_refusals(pldcheck):
    done = pldcheck("audit", "thm-A.44")
    assert done.status == 2 and "unknown audited theorem 'thm-A.44'; did you mean thm-A.4" in done.err
