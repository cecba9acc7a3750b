"""Verdicts for systems that run tests: JUnit XML and errors of GitHub Actions."""

from xml.etree import ElementTree

import pytest

CLAIMS = """
import pldcheck


@pldcheck.theorem(protocol="gaussian", grid={"sigma": [1, 2], "steps": 1, "delta": 1e-6})
def too_small(sigma, steps, delta):
    return 4.0
"""


@pytest.mark.parametrize(
    ("ends", "kind", "message"),
    [
        ((1e-9, 1e-9), None, None),
        ((50.0, 50.0), "failure", "16 VIOLATED of 24 cells"),
        ((1e-9, 1e9), "error", "16 UNDECIDED of 24 cells"),
    ],
)
def test_a_theorem_is_a_test_case(pldcheck, engine, tmp_path, ends, kind, message):
    engine(*ends)
    result = pldcheck("verify", "--quick", "thm-3.2-simple", "thm-A.4", "--junit", "ci/verdicts.xml")
    assert result.out.endswith("written: ci/verdicts.xml\n")
    root = ElementTree.parse(tmp_path / "ci" / "verdicts.xml").getroot()
    (suite,) = root
    names = {case.get("name"): case for case in suite}
    assert (root.tag, suite.tag, list(names)) == ("testsuites", "testsuite", ["thm-3.2-simple", "thm-A.4"])
    assert {case.get("classname") for case in suite} == {"paper-thm-3.2-simple-thm-A.4-quick"}
    told = names["thm-3.2-simple"]
    counts = {name: int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")}
    assert counts["tests"] == 2 and counts["skipped"] == 0 and float(suite.get("time")) >= 0.0
    assert counts["failures"] == len(root.findall(".//failure")) and counts["errors"] == len(root.findall(".//error"))
    assert (result.status == 0) == (counts["failures"] + counts["errors"] == 0)
    if kind is None:
        assert len(told) == 0
    else:
        (child,) = told
        assert (child.tag, child.get("message"), child.get("type")) == (kind, message, message.split()[1])
        assert child.text.count("at steps=") == 16 and "the truth in [" in child.text


def test_a_theorem_without_a_verdict_is_skipped(pldcheck, tmp_path):
    cell = [word for value in ("steps=10", "eps0=5", "check_in_prob=1", "delta=1e-6") for word in ("--cell", value)]
    assert pldcheck("verify", "--theorem", "thm-3.2-simple", *cell, "--workers", "0", "--junit", "a.xml").status == 0
    (suite,) = ElementTree.parse(tmp_path / "a.xml").getroot()
    assert suite.get("skipped") == "1" and suite[0][0].tag == "skipped"


def test_errors_of_github_stand_at_the_function(pldcheck, tmp_path, monkeypatch):
    (tmp_path / "claims.py").write_text(CLAIMS)
    words = ("verify", "claims.py:too_small", "--workers", "0")
    assert "::error" not in pldcheck(*words).out
    for more, value in ((("--github",), ""), ((), "true")):
        monkeypatch.setenv("GITHUB_ACTIONS", value)
        (line,) = (line for line in pldcheck(*words, *more).out.splitlines() if line.startswith("::"))
        assert line.startswith(
            "::error file=claims.py,line=5,title=too_small is violated::1 VIOLATED of 2 cells, first at"
        )
        assert "sigma=1" in line and "the claim is 4.0, the truth in [" in line
    result = pldcheck(*words, "--json")
    assert result.err.count("::error") == 1 and result.json["counts"]["VIOLATED"] == 1


def test_what_cannot_be_written_is_refused_before_anything_is_computed(pldcheck, tmp_path):
    result = pldcheck("verify", "--quick", "--junit", "/dev/null/a.xml")
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1) and list(tmp_path.iterdir()) == []
