"""The judgement on other accountants by a corpus, with a stand-in for them."""

import json
import sys

import pytest

from pldcheck.accounting.peers import Claim
from pldcheck.accounting.peers.peer_processes import ANSWERED, FAILED, NO_NUMBER, TIME_LIMIT, UNSUPPORTED
from pldcheck.testing.accountant_assertion import SMALL_CORPUS
from pldcheck.witness import judge_corpus

from . import judged_peers

POINTS = judge_corpus.read_corpus(SMALL_CORPUS)[1]
# The points of one adjacency, of which the stand-in answers the first ones in its own way.
GAUSSIAN = [
    point
    for point in POINTS
    if point["protocol"] == "gaussian" and point["quantity"] == "epsilon" and float(point["lower"]) > 0.0
]


def claim(upper=None, status=ANSWERED, adjacency="any", lower=None):
    return Claim("stand-in", "", status, lower, upper, adjacency if status == ANSWERED else None, 0.1, "9.9", "by hand")


def row(claims, points=GAUSSIAN):
    return dict(zip(judged_peers.HEADS, judged_peers.tally("stand-in", points, claims).cells, strict=True))


@pytest.mark.nightly
def test_every_outcome_is_counted_once():
    ends = [(float(point["lower"]), float(point["upper"])) for point in GAUSSIAN]
    outcomes = [
        claim(2.0 * ends[0][1]),
        claim(ends[1][0] * (1.0 - 1e-7)),
        claim(ends[2][0] * (1.0 - 1e-12)),
        claim(ends[3][1], lower=ends[3][1] * 1.5),
        claim(status=NO_NUMBER),
        claim(status=TIME_LIMIT),
        claim(status=FAILED),
        claim(status=UNSUPPORTED),
    ]
    claims = {point["id"]: one for point, one in zip(GAUSSIAN, outcomes, strict=False)}
    assert len(claims) == len(outcomes) < len(GAUSSIAN)
    assert row(claims) == {
        "peer": "stand-in",
        "version": "9.9",
        "asked": "8",
        "answered": "5",
        "unsupported": "1",
        "late": "1",
        "failed": "1",
        "false": "2",
        "round-off": "1",
        "no number": "1",
        "median": "2",
        "widest": "2",
        "widest at": GAUSSIAN[0]["id"],
    }
    one = judged_peers.tally("stand-in", GAUSSIAN, claims)
    assert [fault.point["id"] for fault in one.false] == [GAUSSIAN[3]["id"], GAUSSIAN[1]["id"]]
    lines = list(judged_peers.fault_lines(one, 2))
    assert len(lines) == 3 and "is above the certified upper end" in lines[0] and lines[2].endswith("and 1 more")


def test_a_claim_about_other_neighbours_is_no_answer_and_one_about_both_directions_bounds_each():
    points = [point for point in POINTS if point["protocol"] == "subsampled-gaussian"]
    (removed,) = (point for point in points if point["id"] == "subsampled-gaussian/remove/plain/0")
    (replaced,) = (point for point in points if point["id"] == "subsampled-gaussian/replace/plain/0")
    low = {
        removed["id"]: claim(1e-9, adjacency="add-remove", lower=1e9),
        replaced["id"]: claim(1e-9, adjacency="add-remove"),
    }
    numbers = row(low, points)
    assert (numbers["asked"], numbers["answered"], numbers["unsupported"], numbers["false"]) == ("2", "1", "1", "1")
    (fault,) = judged_peers.tally("stand-in", points, low).false
    assert fault.point["id"] == removed["id"] and "is below" in fault.reason


@pytest.mark.nightly
def test_kept_claims_are_not_asked_again(tmp_path):
    calls = []

    def ask(points, peer, *, seconds):
        calls.append([point["id"] for point in points])
        return {point["id"]: claim(float(point["upper"])) for point in points}

    file = tmp_path / "claims"
    first = judged_peers.collect(GAUSSIAN[:3], "autodp", 1.0, file, ask)
    again = judged_peers.collect(GAUSSIAN[:5], "autodp", 1.0, file, ask)
    other = judged_peers.collect(GAUSSIAN[:1], "prv", 1.0, file, ask)
    ids = [point["id"] for point in GAUSSIAN]
    assert calls == [ids[:3], ids[3:5], ids[:1]] and list(again) == ids[:5] and list(other) == ids[:1]
    assert {name: again[name] for name in first} == first
    assert [json.loads(line)["asked"] for line in file.read_text().splitlines()] == ["autodp"] * 5 + ["prv"]


@pytest.mark.nightly
@pytest.mark.parametrize(("factor", "status"), [(1.0, 0), (1.0 - 1e-6, 1)])
def test_the_command_prints_a_table_and_its_status_says_whether_an_answer_is_false(
    monkeypatch, capsys, tmp_path, factor, status
):
    def ask(points, peer, *, seconds):
        assert peer == "autodp" and seconds == 5.0
        return {point["id"]: claim(float(point["upper"]) * factor) for point in points}

    monkeypatch.setattr(judged_peers.collect, "__defaults__", (None, ask))
    words = ["judged_peers", str(SMALL_CORPUS), "--peer", "autodp", "--seconds", "5", "--points", "7", "--shown", "1"]
    monkeypatch.setattr(sys, "argv", words)
    assert judged_peers.main() == status
    *faults, head, line = capsys.readouterr().out.splitlines()
    assert head.split()[:4] == ["peer", "version", "asked", "answered"] and line.split()[:4] == [
        "autodp",
        "9.9",
        "7",
        "7",
    ]
    assert bool(faults) == bool(status)
