"""``compare PROTOCOL``, ``compare known-points`` and ``doctor`` on the command line."""

import re
import sys

import pytest

from pldcheck import __version__
from pldcheck.accounting import peers
from pldcheck.accounting.peers.known_points import CONFIRMED, KNOWN, KnownPointResult
from pldcheck.cli import doctor

GAUSSIAN = ("compare", "gaussian", "--sigma", 2)
RESPONSE = ("compare", "randomized-response", "--steps", 100, "--eps0", 1, "--delta", "1e-6")


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """Only what is installed beside pldcheck counts."""
    for peer in peers.PEERS.values():
        monkeypatch.delenv(peer.variable, raising=False)


@pytest.fixture
def points(monkeypatch):
    """Known points answered at once; returns the names that were asked for."""
    asked = []

    def run(names=None, **limits):
        asked.append((names, limits))
        claim = peers.Claim("dp_accounting", "", "answered", None, 1.0, "replace", 0.1, "0.6.0", "PLDAccountant")
        return [KnownPointResult(known, claim, None, CONFIRMED, "claims at most 1") for known in KNOWN[:2]]

    monkeypatch.setattr("pldcheck.accounting.peers.run_known_points", run)
    return asked


@pytest.mark.nightly
def test_a_claim_that_cannot_be_true(pldcheck):
    done = pldcheck(*RESPONSE, "--with", "dp_accounting,dp-accounting:rdp,autodp")
    assert (done.status, done.err) == (0, "")
    first, *about, heads, one, two, three = done.out.splitlines()
    rows = [one, two, three]
    assert re.fullmatch(r"epsilon in \[83\.\d+, 83\.\d+\], certified", first)
    assert about[0] == "  at           delta = 1e-6, adjacency replace"
    assert heads.split() == ["peer", "version", "lower", "upper", "verdict", "seconds", "note"]
    assert [row.split()[0] for row in rows] == ["dp_accounting", "dp_accounting:rdp", "autodp"]
    assert " UNSOUND: upper end below by a factor of 83" in rows[0] and " loose: " in rows[1]
    found = pldcheck(*RESPONSE, "--with", "dp_accounting", "--json").json
    assert list(found) == ["protocol", "params", "delta", "adjacency", "certified", "seconds", "rows"]
    (row,) = found["rows"]
    assert (row["verdict"], row["peer"], row["lower"]) == ("UNSOUND", "dp_accounting", None)
    assert row["upper"] < 1.001 and found["certified"]["lower"] > 83.0


def test_those_installed_are_asked_and_the_others_named(pldcheck, monkeypatch):
    monkeypatch.setattr(peers.Peer, "version", None)
    done = pldcheck(*GAUSSIAN, "--epsilon", 1)
    assert done.status == 0 and done.out.startswith("delta in [")
    assert done.out.splitlines()[-2:] == [
        "no peer is installed",
        "not installed: dp_accounting, prv, PLD_accounting, autodp, opendp",
    ]


def test_seconds_memory_and_interpreters_reach_the_peer(pldcheck, monkeypatch, tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nsleep 60\n")
    python.chmod(0o755)
    more = ("--with", "prv", "--python", f"prv={python}", "--seconds", 0.5, "--memory", 1)
    (row,) = pldcheck(*GAUSSIAN, "--delta", "1e-6", *more, "--json").json["rows"]
    assert (row["status"], row["note"]) == ("time limit", "no answer within 0.5 s")


def test_a_loss_that_is_infinite_too_often(pldcheck):
    words = ("compare", "composition", "--mechanism", "rr:1:0.1", "--delta", "1e-6", "--with", "PLD_accounting")
    assert pldcheck(*words).out.startswith("epsilon in [inf, inf], certified\n  at           delta = 1e-6, adjacency ")
    assert pldcheck(*words, "--json").json["certified"] == {"lower": "inf", "upper": "inf"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "delta must be given, or epsilon instead of it, got 'neither'"),
        (("--delta", 0.1, "--epsilon", 1), "got 'both'"),
        (("--delta", "nan"), "delta must be above 0 and below 1, got 'nan'"),
        (("--delta", 0.1, "--with", "opend"), "unknown peer 'opend'; did you mean opendp"),
        (("--delta", 0.1, "--with", "dp_accounting:rpd"), "unknown way of dp_accounting 'rpd'; did you mean rdp"),
        (("--delta", 0.1, "--with", ""), "peers must be at least one of dp_accounting, prv"),
        (("--delta", 0.1, "--python", "prv"), "python must be NAME=PATH, got 'prv'"),
        (("--delta", 0.1, "--python", "pvr=/bin/sh"), "unknown peer 'pvr'; did you mean prv"),
        (("--delta", 0.1, "--with", "prv", "--python", "prv=/no/such"), "an interpreter that can be run for prv"),
        (("--delta", 0.1, "--seconds", 0), "seconds must be above 0 and at most 1e6, got '0'"),
    ],
    ids=lambda value: "-".join(map(str, value)) or "none" if isinstance(value, tuple) else "",
)
def test_refusals(pldcheck, words, told):
    done = pldcheck(*GAUSSIAN, *words)
    assert (done.status, done.out) == (2, "") and told in done.err and done.err.count("\n") == 1


def test_known_points(pldcheck, points):
    done = pldcheck("compare", "known-points", "--with", "dp_accounting,prv", "--seconds", 5)
    assert (done.status, done.err) == (0, "")
    assert points == [(["dp_accounting", "prv"], {"seconds": 5.0, "memory": 4.0, "python": {}})]
    first, asked, told, *_ = done.out.splitlines()
    assert first.startswith("confirmed     dp_accounting-count  (dp_accounting 0.6.0): PLDAccountant ignores how often")
    assert asked.strip() == KNOWN[0].call and told.strip() == "claims at most 1"
    found = pldcheck("compare", "known-points", "--json").json["known_points"]
    assert [entry["id"] for entry in found] == [known.id for known in KNOWN[:2]]
    assert found[0]["seen_in"] == ["0.6.0"] and found[0]["source"] == KNOWN[0].source


def test_doctor(pldcheck, points):
    done = pldcheck("doctor")
    assert (done.status, done.err) == (0, "")
    facts = dict(line.split(None, 1) for line in done.out.splitlines() if not line.startswith((" ", "warning")))
    assert facts["pldcheck"] == __version__ and facts["python"].startswith(sys.version.split()[0])
    assert int(facts["cores"]) >= 1 and facts["works"].startswith("a first answer, [0.8164")
    assert facts["dp_accounting"] == peers.PEERS["dp_accounting"].version
    assert "kernels" in facts and "GiB free of" in facts["memory"]
    assert "warning: dp_accounting: claims above are wrong on this machine" in done.out
    names, limits = points[0]
    assert "dp_accounting" in names and limits == {"seconds": doctor.SECONDS}


def test_doctor_in_json(pldcheck, points, monkeypatch):
    monkeypatch.setenv("PLDCHECK_THREADS", "1")
    found = pldcheck("doctor", "--json").json
    assert found["works"] and found["failure"] == "" and found["threads"]["PLDCHECK_THREADS"] == "1"
    low, high = found["epsilon"]
    assert 0.8164 < low <= high < 0.8165
    assert [entry["name"] for entry in found["peers"]] == list(peers.PEERS)
    assert found["known_points"][0]["status"] == CONFIRMED
    assert all(isinstance(entry["writable"], bool) for entry in found["kernels"])


def test_doctor_quick_asks_nobody(pldcheck, points):
    done = pldcheck("doctor", "--quick")
    assert done.status == 0 and not points
    for known in KNOWN:
        assert (known.id in done.out) == (known.peer in peers.installed_peers())
    version = peers.PEERS["dp_accounting"].version
    mark = "known in this version" if version in KNOWN[0].versions else "seen in 0.6.0"
    assert f"  {mark}: dp_accounting-count: " in done.out


def test_doctor_fails_only_if_pldcheck_does(pldcheck, points, monkeypatch):
    from pldcheck.core.interval import Interval
    from pldcheck.protocols import HiddenSlot

    def broken(self, delta, width=0.005):
        raise OSError("no\nroom")

    monkeypatch.setattr(HiddenSlot, "epsilon", broken)
    done = pldcheck("doctor", "--quick")
    assert (done.status, done.err) == (1, "pldcheck: does not work here: OSError: no room\n")
    assert done.out.startswith("pldcheck ")
    assert pldcheck("doctor", "--quick", "--json").json["works"] is False
    monkeypatch.setattr(HiddenSlot, "epsilon", lambda self, delta: Interval(2.0, 3.0))
    assert "came out as [2.0, 3.0]" in pldcheck("doctor", "--quick").err


def test_doctor_asks_whether_libraries_are_as_exact_as_is_assumed(pldcheck, points, monkeypatch):
    from types import SimpleNamespace

    def assumed(answer):
        monkeypatch.setitem(sys.modules, "pldcheck.core.assumption_check", SimpleNamespace(violations=answer))

    assumed(list)
    done = pldcheck("doctor", "--quick")
    assert done.status == 0 and "functions of libraries are as exact as is assumed of them" in done.out
    assert pldcheck("doctor", "--quick", "--json").json["assumptions"] == []
    assumed(lambda: ["numpy.exp is off by 9 units", "numpy.log is off"])
    done = pldcheck("doctor", "--quick")
    assert (done.status, done.err) == (
        1,
        "pldcheck: does not work here: numpy.exp is off by 9 units; numpy.log is off\n",
    )
    found = pldcheck("doctor", "--quick", "--json").json
    assert found["works"] is False and len(found["assumptions"]) == 2
    assumed(lambda: 1 / 0)
    assert "ZeroDivisionError: division by zero" in pldcheck("doctor", "--quick").err
