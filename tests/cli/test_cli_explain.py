"""``waterfall`` and ``trajectory`` on the command line."""

import json

import pytest

from pldcheck.cli import explain
from pldcheck.study.waterfall import waterfall

PARAMETERS_OF_ALL = ("--steps", 100, "--eps0", 1, "--check-in-prob", 1, "--delta", "1e-6")


def test_names_are_those_of_the_modules_that_are_not_imported_for_help():
    assert explain.CHAINS == waterfall.THEOREMS


@pytest.mark.nightly
def test_a_waterfall_in_text_json_and_files(pldcheck, tmp_path):
    result = pldcheck("waterfall", "thm-3.2", *PARAMETERS_OF_ALL, "--out", "falls")
    assert (result.status, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines.pop(0) == (
        "epsilon at delta = 1e-6: what is claimed, and what remains as each slack of the proof is removed"
    )
    assert [line.split()[0] for line in lines[:5]] == ["L0", "L1", "L2", "L3", "L4"]
    stem = "falls/waterfall-thm-3.2"
    assert lines.pop(5).startswith("L3: a step's budget ignores that the record is in it with a small probability")
    assert lines.pop(5) == "at most: only an upper bound of this level is computed"
    assert lines.pop(5).startswith("*: above eps0, ")
    assert lines[5:] == [f"{stem}.json", f"{stem}.svg", f"{stem}.png"]
    facts = json.loads((tmp_path / f"{stem}.json").read_text())
    del facts["kind"], facts["format"], facts["digest"]
    output = pldcheck("waterfall", "thm-3.2", *PARAMETERS_OF_ALL, "--json").json
    assert output.pop("files") == [] and output == facts
    uppers = [level["upper"] for level in output["levels"]]
    assert uppers == sorted(uppers, reverse=True)


@pytest.mark.nightly
def test_levels_above_eps0_are_marked(pldcheck):
    result = pldcheck("waterfall", "thm-A.7", "--clients", 1000, "--eps0", 1, "--delta", "1e-6")
    _, *levels, note = result.out.splitlines()
    values = [line.split("  ")[1] for line in levels]
    assert [value.endswith("*") for value in values] == [True, True, True, False]
    assert all((float(value.strip("*")) > 1.0) == value.endswith("*") for value in values if "[" not in value)
    assert note == "*: above eps0, which holds without any amplification"


def test_a_trajectory_in_text_json_and_files(pldcheck, tmp_path):
    words = ("trajectory", "random-replacement", "--steps", 100, "--eps0", 1)
    result = pldcheck(*words, "--out", "paths")
    assert (result.status, result.err) == (0, "")
    assert result.out.splitlines()[-3:] == [f"paths/random-replacement-CF.{kind}" for kind in ("json", "svg", "png")]
    assert [line.split()[0] for line in result.out.splitlines()[1:6]] == ["i=1", "i=25", "i=50", "i=75", "i=100"]
    assert pldcheck(*words, "--json").json["params"]["steps"] == 100


@pytest.mark.nightly
def test_bad_waterfalls_and_trajectories_are_refused_in_one_line(pldcheck):
    result = pldcheck("waterfall", "thm-3.3", *PARAMETERS_OF_ALL)
    assert result.status == 2 and "unknown theorem 'thm-3.3'; did you mean " in result.err
    result = pldcheck("trajectory", "random-replacement", "--steps", 100, "--eps0", 1, "--points", 1)
    assert result.status == 2 and "points must be" in result.err
