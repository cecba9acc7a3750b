"""``waterfall`` and ``trajectory`` on the command line."""

import json

from pldcheck.cli import explain
from pldcheck.hidden_slot.worst import step_laws
from pldcheck.study.trajectories.slot_posterior import RECORDS
from pldcheck.study.waterfall import waterfall

GIVEN = ("--steps", 100, "--eps0", 1, "--check-in-prob", 1, "--delta", "1e-6")


def test_names_are_those_of_the_modules_that_are_not_imported_for_help():
    assert explain.CHAINS == waterfall.THEOREMS
    assert [law.name for law in step_laws.LAWS] == list(explain.LAWS)
    assert set(explain.RECORDS) == set(RECORDS)


def test_a_waterfall_in_text_json_and_files(pldcheck, tmp_path):
    done = pldcheck("waterfall", "thm-3.2", *GIVEN, "--out", "falls")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines[:5]] == ["L0", "L1", "L2", "L3", "L4"]
    stem = "falls/waterfall-thm-3.2"
    assert lines[5:] == [f"{stem}.json", f"{stem}.svg", f"{stem}.png"]
    stored = json.loads((tmp_path / f"{stem}.json").read_text())
    del stored["kind"], stored["digest"]
    found = pldcheck("waterfall", "thm-3.2", *GIVEN, "--json").json
    assert found.pop("files") == [] and found == stored
    uppers = [level["upper"] for level in found["levels"]]
    assert uppers == sorted(uppers, reverse=True)


def test_a_trajectory_in_text_json_and_files(pldcheck, tmp_path):
    words = ("trajectory", "random-replacement", "--steps", 100, "--eps0", 1, "--law", "ACE")
    done = pldcheck(*words, "--out", "paths")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[-3:] == [f"paths/random-replacement-ACE.{kind}" for kind in ("json", "svg", "png")]
    assert pldcheck(*words, "--json").json["params"]["law"] == "ACE"


def test_refusals(pldcheck):
    done = pldcheck("waterfall", "thm-3.3", *GIVEN)
    assert done.status == 2 and "unknown theorem 'thm-3.3'; did you mean " in done.err
    done = pldcheck("trajectory", "random-swap", "--clients", 100, "--eps0", 1, "--law", "AC")
    assert done.status == 2 and "unknown law 'AC'; did you mean ACE" in done.err
