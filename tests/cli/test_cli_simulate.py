"""``pldcheck simulate``: what it prints beside what is stated, as text, JSON and files."""

import json
import re

import pytest

from pldcheck.cli import progress
from pldcheck.cli import simulate as verb
from pldcheck.protocols import PROTOCOLS

WORDS = {
    "check-in": ("--steps", 20, "--clients", 60, "--check-in-prob", 0.5),
    "averaged": ("--steps", 20, "--clients", 60),
    "sliding-window": ("--window", 5, "--clients", 60),
    "hidden-slot": ("--steps", 20, "--weight", 0.5),
    "shuffle": ("--clients", 20),
    "swap": ("--clients", 20),
    "bins": ("--clients", 20, "--steps", 6),
}
NOISE = ("--randomizer", "gaussian:0.5")


def test_every_protocol_that_can_be_simulated_has_a_command_line():
    assert set(WORDS) == set(verb.ABOUT) and set(WORDS) - {"bins"} <= set(PROTOCOLS)


@pytest.mark.parametrize("name", WORDS)
def test_counts_and_risks_as_text_and_json(pldcheck, name):
    words = ("simulate", name, *WORDS[name], *NOISE, "--repeat", 40, "--seed", 3)
    text, result = pldcheck(*words), pldcheck(*words, "--json")
    assert (text.status, text.err, result.status, result.err) == (0, "", 0, "")
    facts = result.json
    assert facts["protocol"] == name and facts["empirical"] is True and facts["params"]["seed"] == 3
    assert all(row["agrees"] and row["measured"]["empirical"] for row in facts["counts"])
    result_lines = [line for line in text.out.splitlines() if " in [" in line]
    assert len(result_lines) == len(facts["counts"]) + 2 and all("empirical" in line for line in result_lines)
    assert "DISAGREES" not in text.out and "40 runs" in text.out
    risk = facts["risk"]["excess risk of the last model"]
    assert risk["lower"] <= risk["value"] <= risk["upper"] and risk["samples"] == 40
    assert f"excess risk of the last model: {risk['value']:.6g} in [" in text.out
    # The same seed gives the same bits, another does not.
    again = pldcheck(*words, "--json").json
    assert {**again, "seconds": 0} == {**facts, "seconds": 0}
    assert pldcheck(*words[:-1], 4, "--json").json["risk"] != facts["risk"]


def test_counts_are_shown_beside_their_expectations(pldcheck):
    facts = pldcheck("simulate", "check-in", *WORDS["check-in"], *NOISE, "--json").json
    dummies = next(row for row in facts["counts"] if row["source"] == "prop-3.4")
    assert dummies["expected"] == pytest.approx(20 * (1 - 0.5 / 20) ** 60, rel=1e-12)
    assert dummies["bound"] == pytest.approx(20 * 2.718281828459045**-1.5, rel=1e-12)
    out = pldcheck("simulate", "sliding-window", *WORDS["sliding-window"], *NOISE).out
    assert re.search(r"dummy updates a run: .* empirical; stated 18\.3501 exactly, at most 20\.6\d* \(prop-4\.4\)", out)


@pytest.mark.nightly
def test_a_simulation_writes_its_files(pldcheck, tmp_path):
    words = ("simulate", "check-in", *WORDS["check-in"], *NOISE, "--repeat", 20, "--out", "runs")
    result = pldcheck(*words)
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["simulate-check-in.json"]
    assert result.out.splitlines()[-1] == "runs/simulate-check-in.json"
    facts = json.loads((tmp_path / "runs" / "simulate-check-in.json").read_text())
    assert facts["kind"] == "simulation" and facts["empirical"] is True


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["check-in", "averaged"])
def test_utility_is_measured_against_the_theorems(pldcheck, tmp_path, name):
    words = ("--steps", 256, "--clients", 1024, *NOISE, "--dimension", 3, "--repeat", 10, "--utility")
    result = pldcheck("simulate", name, *words, "--json", "--out", "utility")
    assert (result.status, result.err) == (0, "")
    facts = result.json
    sweeps = [(sweep["statement"], sweep["axis"]) for sweep in facts["sweeps"]]
    own = {"check-in": "thm-3.5", "averaged": "thm-4.2"}[name]
    assert sweeps == [(own, "steps"), (own, "steps"), (own, "error")]
    assert all(sweep["slope"]["empirical"] and sweep["holds"] for sweep in facts["sweeps"])
    assert (tmp_path / "utility" / f"simulate-{name}-utility.json").is_file()
    text = pldcheck("simulate", name, *words).out.splitlines()
    slopes = [line for line in text if "exponent of" in line]
    assert len(slopes) == len(sweeps) and all("empirical" in line and "stated" in line for line in slopes)


def test_attack_is_given_the_protocol_as_eps_has_it(pldcheck, monkeypatch):
    arguments = {}

    class Answer:
        def to_dict(self):
            return {"epsilon_lower": 0.1}

        def lines(self):
            return ["epsilon > 0.1  empirical"]

    def attack(instance, **more):
        arguments.update(more, instance=instance)
        return Answer()

    monkeypatch.setattr("pldcheck.study.attack.attack", attack)
    words = ("simulate", "hidden-slot", *WORDS["hidden-slot"], "--eps0", 1, "--attack", "--delta", 1e-3)
    result = pldcheck(*words, "--transcripts", 2000, "--seed", 5, "--adjacency", "zero-out")
    assert (result.status, result.out) == (0, "epsilon > 0.1  empirical\n")
    protocol = PROTOCOLS["hidden-slot"](20, 1.0, 0.5, adjacency="zero-out")
    assert arguments.pop("instance") == protocol and callable(arguments.pop("progress"))
    assert arguments == {"delta": 1e-3, "transcripts": 2000, "seed": 5}
    facts = pldcheck(*words, "--json").json
    assert facts == {"protocol": "hidden-slot", "empirical": True, "epsilon_lower": 0.1, "files": []}


def test_an_attack_runs(pldcheck):
    words = ("--steps", 20, "--eps0", 1, "--attack", "--delta", 0.01, "--transcripts", 1000)
    result = pldcheck("simulate", "hidden-slot", *words)
    assert result.status == 0 and "empirical" in result.out and "certified" in result.out


CHECK_IN = ("simulate", "check-in", "--steps", 20)
BAD = {
    "protocol": (("simulate", "chek-in"), "did you mean check-in"),
    "no protocol": (("simulate",), "protocol missing; known: check-in, averaged"),
    "clients": ((*CHECK_IN, "--eps0", 1), "missing option --clients, which must be an integer from 1 to 1e15"),
    "eps0": ((*CHECK_IN, "--clients", 9), "missing option --eps0, which must be above 0 and at most 20"),
    "steps": (("simulate", "check-in", "--steps", 0, "--clients", 9), "steps must be"),
    "large": ((*CHECK_IN, "--clients", 1e9, "--eps0", 1), "clients must be an integer from 1 to 1e7 in a simulation"),
    "seed": ((*CHECK_IN, "--clients", 9, "--eps0", 1, "--seed", -1), "seed must be"),
    "repeat": ((*CHECK_IN, "--clients", 9, "--eps0", 1, "--repeat", 0), "repeat must be"),
    "epochs": (
        (
            *(str(word).replace("--steps", "--steps-per-epoch") for word in CHECK_IN),
            "--clients",
            9,
            "--eps0",
            1,
            "--epochs",
            2,
        ),
        "epochs must be 1 in a simulation",
    ),
    "randomizer": ((*CHECK_IN, "--clients", 9, "--randomizer", "laplace"), "randomizer must be worst, law:BE"),
    "population": ((*CHECK_IN, "--clients", 9, "--population", "logistik"), "did you mean logistic"),
    "delta": ((*CHECK_IN, "--clients", 9, "--eps0", 1, "--delta", 0.1), "delta must be left out without --attack"),
    "no delta": ((*CHECK_IN, "--eps0", 1, "--attack"), "missing option --delta, which must be above 0 and below 1"),
    "both": ((*CHECK_IN, "--eps0", 1, "--attack", "--utility"), "ask for one of them"),
    "attack bins": (("simulate", "bins", "--clients", 9, "--steps", 3, "--attack"), "protocol must be one of check-in"),
    "attack noise": (
        ("simulate", "swap", "--clients", 9, "--eps0", 1, "--attack", "--delta", 0.1, "--randomizer", "rr"),
        "randomizer must be worst where swap is attacked",
    ),
    "attack eps0": (
        ("simulate", "swap", "--clients", 9, "--attack", "--delta", 0.1),
        "missing option --eps0, which must be",
    ),
    "attack slot": (
        ("simulate", "hidden-slot", "--steps", 9, "--attack", "--delta", 0.1),
        "missing option --eps0, which must be",
    ),
    "utility of": (("simulate", "swap", "--clients", 9, *NOISE, "--utility"), "protocol must be one of check-in"),
    "utility law": ((*CHECK_IN, "--clients", 9, "--eps0", 1, "--utility"), "gaussian:S with --utility"),
    "utility small": ((*CHECK_IN, "--clients", 90, *NOISE, "--utility"), "steps must be at least 256"),
    "utility empty": (
        ("simulate", "check-in", "--steps", 256, "--clients", 90, *NOISE, "--utility"),
        "clients must be large enough for 2 e^{-n p0/m} < 1",
    ),
    "folder": ((*CHECK_IN, "--clients", 9, "--eps0", 1, "--out", "/dev/null/x"), "a folder to write to"),
}


@pytest.mark.parametrize("json", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize(("words", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_in_one_line(pldcheck, tmp_path, words, message, json):
    result = pldcheck(*words, *(json if len(words) > 2 else ()))
    assert result.status == 2 and result.out == "" and result.err.count("\n") == 1
    assert result.err.startswith("pldcheck: ") and message in result.err
    assert list(tmp_path.iterdir()) == []


def test_on_a_busy_machine_it_is_said_how_far_it_is(pldcheck, monkeypatch):
    clock = iter(range(0, 10**6, 3))
    monkeypatch.setattr(progress, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(progress, "SECONDS", 10.0)
    monkeypatch.setattr("pldcheck.study.simulate.simulation_runs.MOST_NUMBERS", 100)
    result = pldcheck("simulate", "shuffle", "--clients", 5, *NOISE, "--repeat", 200)
    lines = result.err.splitlines()
    assert result.status == 0 and 1 <= len(lines) < 20
    assert all(re.fullmatch(r"\d+ of 200 cells, \d+ s left", line) for line in lines)
