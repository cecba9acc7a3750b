"""``compare PROTOCOL``, ``compare known-points`` and ``doctor`` on the command line."""

import re
import sys

import pytest

from pldcheck import __version__
from pldcheck.accounting import peers
from pldcheck.accounting.peers.known_point_results import CONFIRMED, KnownPointResult
from pldcheck.accounting.peers.known_points import KNOWN
from pldcheck.cli import doctor
from pldcheck.kernels import slot_recursion

GAUSSIAN = ("compare", "gaussian", "--sigma", 2)
RESPONSE = ("compare", "randomized-response", "--steps", 100, "--eps0", 1, "--delta", "1e-6")


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """Count only what is installed beside pldcheck."""
    for peer in peers.PEERS.values():
        monkeypatch.delenv(peer.variable, raising=False)


@pytest.fixture
def points(monkeypatch):
    """Return the names that are asked for, while known points are answered at once."""
    questions = []

    def run(names=None, **limits):
        questions.append((names, limits))
        claim = peers.Claim("dp_accounting", "", "answered", None, 1.0, "replace", 0.1, "0.6.0", "PLDAccountant")
        return [KnownPointResult(known_point, claim, None, CONFIRMED, "claims at most 1") for known_point in KNOWN[:2]]

    monkeypatch.setattr("pldcheck.accounting.peers.run_known_points", run)
    return questions


@pytest.mark.nightly
def test_a_claim_that_cannot_be_true_is_shown_as_unsound(pldcheck):
    result = pldcheck(*RESPONSE, "--with", "dp_accounting,dp-accounting:rdp,autodp")
    assert (result.status, result.err) == (0, "")
    first, *about_lines, heads, one, two, three, legend = result.out.splitlines()
    rows = [one, two, three]
    assert re.fullmatch(r"epsilon in \[83\.\d+, 83\.\d+\], certified", first)
    assert about_lines[:2] == [
        "  of           randomized-response: steps 100, eps0 1, delta0 0",
        "  at           delta = 1e-6, adjacency replace",
    ]
    assert heads.split() == ["peer", "version", "lower", "upper", "verdict", "seconds", "note"]
    assert [row.split()[0] for row in rows] == ["dp_accounting", "dp_accounting:rdp", "autodp"]
    assert " UNSOUND: upper end is below the true value by a factor of 83" in rows[0] and " loose: " in rows[1]
    assert legend == (
        "loose: true, and not as tight as possible; UNSOUND: certainly false; -: the peer claims no such end"
    )
    facts = pldcheck(*RESPONSE, "--with", "dp_accounting", "--json").json
    assert list(facts) == ["protocol", "params", "delta", "adjacency", "certified", "seconds", "rows"]
    (row,) = facts["rows"]
    assert (row["verdict"], row["peer"], row["lower"]) == ("UNSOUND", "dp_accounting", None)
    assert row["upper"] < 1.001 and facts["certified"]["lower"] > 83.0


def test_installed_peers_are_asked_and_missing_ones_are_named(pldcheck, monkeypatch):
    monkeypatch.setattr(peers.Peer, "version", None)
    result = pldcheck(*GAUSSIAN, "--epsilon", 1)
    assert result.status == 0 and result.out.startswith("delta in [")
    assert result.out.splitlines()[-2:] == [
        "no peer is installed",
        "not installed: dp_accounting, prv, PLD_accounting, autodp, opendp, opacus",
    ]


def test_seconds_memory_and_interpreters_reach_the_peer(pldcheck, monkeypatch, tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nsleep 60\n")
    python.chmod(0o755)
    more = ("--with", "prv", "--python", f"prv={python}", "--seconds", 0.5, "--memory", 1)
    (row,) = pldcheck(*GAUSSIAN, "--delta", "1e-6", *more, "--json").json["rows"]
    assert (row["status"], row["note"]) == ("time limit", "no answer within 0.5 s")


def test_a_delta_below_the_mass_at_infinity_has_no_finite_epsilon(pldcheck):
    words = ("compare", "composition", "--mechanism", "rr:1:0.1", "--delta", "1e-6", "--with", "PLD_accounting")
    head, protocol, at, *_ = pldcheck(*words).out.splitlines()
    assert head == "epsilon in [inf, inf], certified" and at.startswith("  at           delta = 1e-6, adjacency ")
    assert protocol == "  of           composition: mechanism rr:1:0.1, steps 1"
    assert pldcheck(*words, "--json").json["certified"] == {"lower": "inf", "upper": "inf"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "missing option --delta, which must be above 0 and below 1, or epsilon is to be there"),
        (("--delta", 0.1, "--epsilon", 1), "delta must be left out where epsilon is there, got 0.1"),
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
def test_bad_comparisons_are_refused_in_one_line(pldcheck, words, message):
    result = pldcheck(*GAUSSIAN, *words)
    assert (result.status, result.out) == (2, "") and message in result.err and result.err.count("\n") == 1


def test_known_points_are_asked_and_shown(pldcheck, points):
    result = pldcheck("compare", "known-points", "--with", "dp_accounting,prv", "--seconds", 5)
    assert (result.status, result.err) == (0, "")
    assert points == [(["dp_accounting", "prv"], {"seconds": 5.0, "memory": 4.0, "python": {}})]
    first, question_line, claim_line, *_ = result.out.splitlines()
    assert first.startswith("confirmed     dp_accounting-count  (dp_accounting 0.6.0): PLDAccountant ignores how often")
    assert question_line.strip() == KNOWN[0].call and claim_line.strip() == "claims at most 1"
    entries = pldcheck("compare", "known-points", "--json").json["known_points"]
    assert [entry["id"] for entry in entries] == [known_point.id for known_point in KNOWN[:2]]
    assert entries[0]["seen_in"] == ["0.6.0"] and entries[0]["source"] == KNOWN[0].source


def test_the_doctor_reports_on_kernels_peers_and_known_points(pldcheck, points):
    result = pldcheck("doctor")
    assert (result.status, result.err) == (0, "")
    facts = dict(line.split(None, 1) for line in result.out.splitlines() if not line.startswith((" ", "2 known")))
    assert facts["pldcheck"] == __version__ and facts["python"].startswith(sys.version.split()[0])
    assert int(facts["cores"]) >= 1 and facts["works"].startswith("epsilon in [0.8164")
    assert facts["dp_accounting"] == peers.PEERS["dp_accounting"].version
    # The cache is that of a kernel, whether or not the trial compiled one.
    folder = slot_recursion._fill.dispatcher.stats.cache_path
    assert facts["kernels"].startswith(folder or "not cached") and "GiB free of" in facts["memory"]
    assert result.out.endswith(
        "2 known errors of dp_accounting 0.6.0 occur here; answers of pldcheck do not depend on it\n"
    )
    assert "warning" not in result.out
    names, limits = points[0]
    assert "dp_accounting" in names and limits == {"seconds": doctor.SECONDS}


def test_the_doctor_reports_in_json(pldcheck, points, monkeypatch):
    monkeypatch.setenv("PLDCHECK_THREADS", "1")
    facts = pldcheck("doctor", "--json").json
    assert facts["works"] and facts["failure"] == "" and facts["threads"]["PLDCHECK_THREADS"] == "1"
    low, high = facts["epsilon"]
    assert 0.8164 < low <= high < 0.8165
    assert [entry["name"] for entry in facts["peers"]] == list(peers.PEERS)
    assert facts["known_points"][0]["status"] == CONFIRMED
    assert all(isinstance(entry["writable"], bool) for entry in facts["kernels"])


def test_a_quick_doctor_asks_no_peer(pldcheck, points):
    result = pldcheck("doctor", "--quick")
    assert result.status == 0 and not points
    for known_point in KNOWN:
        assert (known_point.id in result.out) == (known_point.peer in peers.installed_peers())
    version = peers.PEERS["dp_accounting"].version
    mark = "known in this version" if version in KNOWN[0].versions else "seen in 0.6.0"
    assert f"  {mark}: dp_accounting-count: " in result.out


def test_the_doctor_fails_only_where_pldcheck_fails(pldcheck, points, monkeypatch):
    from pldcheck.core.interval import Interval
    from pldcheck.protocols import HiddenSlot

    def fail(self, delta, width=0.005):
        raise OSError("no\nroom")

    monkeypatch.setattr(HiddenSlot, "epsilon", fail)
    result = pldcheck("doctor", "--quick")
    assert (result.status, result.err) == (1, "pldcheck: does not work here: OSError: no room\n")
    assert result.out.startswith("pldcheck ")
    assert pldcheck("doctor", "--quick", "--json").json["works"] is False
    monkeypatch.setattr(HiddenSlot, "epsilon", lambda self, delta: Interval(2.0, 3.0))
    assert "came out as [2.0, 3.0]" in pldcheck("doctor", "--quick").err


def test_doctor_asks_whether_libraries_are_as_exact_as_is_assumed(pldcheck, points, monkeypatch):
    from types import SimpleNamespace

    def replace_check(answer):
        monkeypatch.setitem(sys.modules, "pldcheck.core.assumption_check", SimpleNamespace(violations=answer))

    replace_check(list)
    result = pldcheck("doctor", "--quick")
    assert result.status == 0 and "functions of libraries are as exact as pldcheck assumes" in result.out
    assert pldcheck("doctor", "--quick", "--json").json["assumptions"] == []
    replace_check(lambda: ["numpy.exp is off by 9 units", "numpy.log is off"])
    result = pldcheck("doctor", "--quick")
    assert (result.status, result.err) == (
        1,
        "pldcheck: does not work here: numpy.exp is off by 9 units; numpy.log is off\n",
    )
    facts = pldcheck("doctor", "--quick", "--json").json
    assert facts["works"] is False and len(facts["assumptions"]) == 2
    replace_check(lambda: 1 / 0)
    assert "ZeroDivisionError: division by zero" in pldcheck("doctor", "--quick").err
