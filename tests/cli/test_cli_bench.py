"""``bench`` on the command line: one tiny task without peers, and rows that hold together."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from places import ROOT

from pldcheck import HiddenSlot
from pldcheck.cli import bench


def run_bench(out, *words):
    """Return what ``bench`` prints as JSON, where it writes, and its progress, in the checkout."""
    words = [sys.executable, "-m", "pldcheck", "bench", *words, "--json", "--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout), out, process.stderr


@pytest.fixture(scope="module")
def bench_run(tmp_path_factory):
    """Return the quick cases of one task, without peers."""
    return run_bench(tmp_path_factory.mktemp("bench"), "a", "--quick", "--no-peers")


@pytest.mark.nightly
def test_rows_of_a_benchmark_are_consistent(bench_run):
    facts, _, progress = bench_run
    assert [row["params"]["steps"] for row in facts["rows"]] == [1000, 10**9]
    assert progress.count("hidden slot") == 0 and progress.count("a: m=") == 2
    for row in facts["rows"]:
        assert (row["task"], row["group"], row["status"], row["peer"]) == ("a", "hidden slot", "", "")
        # The interval is that of the same question asked here, and its width is what it says.
        params = row["params"]
        lower, upper = HiddenSlot(params["steps"], params["eps0"], params["weight"]).epsilon(params["delta"])
        assert (row["lower"], row["upper"]) == (lower, upper)
        assert row["width"] == upper / lower - 1.0 <= 0.005
        assert 0.0 < row["least"] <= row["seconds"] and row["runs"] >= 2 and row["first"] > 0.0
        # No answer can be had for less than one recursion.
        assert row["limit_of"] == "node-steps" and row["limit_count"] > 1e5
        assert row["limit_bytes"] == 64.0 * row["limit_count"]
        assert row["limit_ratio"] == row["seconds"] / row["limit_seconds"] > 0.0
        assert row["megabytes"] > 0.0
        # Where the time goes is said; where it goes is for the benchmarks.
        shares = [share for _, share in row["top"]]
        assert shares == sorted(shares, reverse=True) and all(0.0 <= share <= 1.0 for share in shares)


@pytest.mark.nightly
def test_what_is_written_is_what_is_printed(bench_run):
    facts, out, _ = bench_run
    assert sorted(path.name for path in out.iterdir()) == [
        f"benchmarks.{kind}" for kind in ("jsonl", "md", "png", "svg")
    ]
    header, *lines = map(json.loads, (out / "benchmarks.jsonl").read_text().splitlines())
    assert (header.pop("kind"), header.pop("format")) == ("benchmarks", 1) and header == facts["provenance"]
    assert header["command"].startswith("pldcheck bench a --quick") and header["tasks"] == ["a"]
    assert set(header) >= {"version", "commit", "created", "python", "libraries", "machine", "load", "seconds"}
    pairs = [(line.pop("kind"), line) for line in lines]
    assert pairs == [("row", row) for row in facts["rows"]] + [("aim", aim) for aim in facts["aims"]]
    assert "hidden slot" in (out / "benchmarks.svg").read_text()
    page = (out / "benchmarks.md").read_text()
    assert header["command"] in page and header["commit"][:12] in page
    for row in facts["rows"]:
        (case,) = [line for line in page.splitlines() if line.startswith(f"| a | {row['case']} |")]
        assert f"| {row['seconds']:.3g} s | {row['width']:.1e} | {row['limit_ratio']:.3g} |" in case
        # Where it is far from the limit it is said where the time goes.
        for profile in [line for line in page.splitlines() if line.startswith(f"| {row['case']} |")]:
            assert row["top"][0][0] in profile


@pytest.mark.nightly
def test_aims_are_those_of_the_task(bench_run):
    aims = {aim["aim"]: aim for aim in bench_run[0]["aims"]}
    assert [aim["task"] for aim in aims.values()] == ["a", "a", "a", "f"]
    assert aims["relative width"]["target"] == 0.005 and aims["relative width"]["met"] is True
    slowest = max(row["seconds"] for row in bench_run[0]["rows"])
    first = next(iter(aims.values()))
    assert first["figure"] == slowest and first["met"] is (slowest <= 0.15)


@pytest.mark.nightly
def test_exponents_are_those_of_a_straight_line_in_logs(tmp_path):
    facts, out, _ = run_bench(tmp_path, "g", "--quick", "--no-peers")
    (fit,) = facts["fits"]
    points = [(row["x"], row["seconds"]) for row in facts["rows"]]
    assert fit["curve"] == "hidden slot: steps" and list(map(tuple, fit["points"])) == points and len(points) == 3
    slope, _ = np.polyfit(*np.log(points).T, 1)
    assert fit["exponent"] == pytest.approx(slope, rel=1e-9) and fit["upper_half"] == fit["exponent"]
    # Cost curves are no strips of the figure, and here there is nothing else.
    assert sorted(path.name for path in out.iterdir()) == ["benchmarks.jsonl", "benchmarks.md"]


# What a peer prints, in the words of pldcheck.accounting.peers, and what is made of it.
FAKES = {
    "too-low": (
        """echo '{"lower": 0.5, "upper": 0.5, "adjacency": "add-remove", "how": "", "seconds": 9.0}'""",
        "UNSOUND",
    ),
    "crashes": ("exit 3", "failed"),
    "hangs": ("sleep 60", "time limit"),
}


@pytest.mark.nightly
@pytest.mark.parametrize("kind", list(FAKES))
def test_a_peer_that_goes_wrong_is_shown_as_such(kind, tmp_path):
    text, verdict = FAKES[kind]
    fake = tmp_path / "python"
    fake.write_text(f"#!/bin/sh\ncat > /dev/null\n{text}\n")
    fake.chmod(0o755)
    facts, _, _ = run_bench(tmp_path / "out", "b", "--quick", "--python", f"PLD_accounting={fake}", "--seconds", "0.5")
    (row,) = facts["rows"]
    assert (row["peer"], row["verdict"], row["status"]) == ("PLD_accounting", verdict, "")
    # sigma = 1, m = 100, delta = 1e-6: theory sheet 5, section 2.3.
    assert row["lower"] <= 0.85802504 and 0.85796412 <= row["upper"] <= 1.0001 * row["lower"]
    aims = {aim["aim"]: aim["figure"] for aim in facts["aims"]}
    faster = aims["faster than PLD_accounting where it takes over a second, median"]
    if verdict == "UNSOUND":
        assert (row["peer_lower"], row["peer_upper"], row["peer_seconds"], row["peer_width"]) == (0.5, 0.5, 9.0, 0.0)
        # Shown, and not counted: a false answer is none.
        assert (
            row["peer_note"].startswith("upper end is below the true value by") and row["ratio"] == 9.0 / row["seconds"]
        )
        assert faster is None
    elif verdict == "failed":
        assert row["peer_note"] == "its process ended (exit status 3)" and row["ratio"] is faster is None
    else:
        assert row["peer_seconds"] is None and row["ratio"] == faster == 0.5 / row["seconds"]


def test_the_tasks_are_those_of_the_runner(pldcheck):
    assert list(bench.TASKS) == sorted(
        path.stem.removeprefix("tasks_") for path in (ROOT / "tests" / "benchmarks").glob("tasks_?.py")
    )
    assert pldcheck("bench", "--list", "--json").json == {"tasks": bench.TASKS}
    assert pldcheck("bench", "--list").out.splitlines()[0] == f"a  {bench.TASKS['a']}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("a",), "the current folder must be a checkout of pldcheck, with tests.benchmarks, got"),
        (("z",), "unknown task 'z'"),
        (("--seconds", "-1"), "seconds must be above 0 and at most 1e6, got '-1'"),
        (("--python", "prv"), "python must be NAME=PATH, got 'prv'"),
        (("--python", "prv=no-such-python"), "python must be an interpreter that can be run for prv"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else "",
)
def test_refusals_are_one_line(pldcheck, words, message):
    result = pldcheck("bench", *words)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"pldcheck: {message}") and result.err.count("\n") == 1
