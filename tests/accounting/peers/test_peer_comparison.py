"""Comparisons: with fakes, with dp_accounting, and with all that this machine has."""

import json
from math import exp, log, log1p

import pytest

from pldcheck.accounting import peers
from pldcheck.accounting.peers.peer_processes import ANSWERED, NOT_INSTALLED, UNSUPPORTED
from pldcheck.core.errors import ParameterError
from pldcheck.protocols import (
    Composition,
    Gaussian,
    HiddenSlot,
    Laplace,
    RandomAllocation,
    RandomizedResponse,
    Shuffle,
    SubsampledGaussian,
)

REAL = peers.installed_peers()  # by the environment of this machine as well


def rows(comparison):
    return {row.peer: row for row in comparison.rows}


def test_a_peer_below_the_certified_interval_is_unsound(fake_prv):
    fake_prv("return 0.1, 0.2, 0.3")
    comparison = peers.compare(Gaussian(1.0), 1e-6, peers=["prv"])
    row = rows(comparison)["prv"]
    assert (row.verdict, row.upper, row.version) == ("UNSOUND", 0.3, "9.9")
    assert row.by == comparison.interval.lower / 0.3 - 1.0
    assert "UNSOUND: upper end is below the true value by a factor of" in repr(comparison)


def test_a_claim_just_above_the_interval_is_valid_in_words_and_loose_in_data(fake_prv):
    lower, upper = Gaussian(1.0).epsilon(1e-6)
    for factor, word in ((1 + 1e-8, "valid"), (1.01, "loose")):
        fake_prv(f"return {lower!r}, 1.0, {upper * factor!r}")
        comparison = peers.compare(Gaussian(1.0), 1e-6, peers=["prv"])
        (row,) = comparison.rows
        assert (row.verdict, row.word) == ("loose", word)
        assert f" {word}: upper end is above the true value by " in repr(comparison)


def test_a_comparison_shows_its_rows_and_verdicts(fake_prv):
    fake_prv("raise ValueError('<b>')")
    comparison = peers.compare(Gaussian(1.0), 1e-6, peers=["prv", "PLD_accounting"])
    first, second, *table = repr(comparison).splitlines()
    assert first.startswith("gaussian sigma=1.0 steps=1 delta=1e-06: epsilon in [4.88")
    assert second.split() == ["peer", "version", "lower", "upper", "verdict", "seconds", "note"]
    assert [line.split()[0] for line in table] == ["prv", "PLD_accounting"]
    assert "<b>" not in comparison._repr_html_() and "&lt;b&gt;" in comparison._repr_html_()
    values = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert [row["status"] for row in values["rows"]] == ["failed", UNSUPPORTED]
    assert values["certified"] == {"lower": comparison.interval.lower, "upper": comparison.interval.upper}
    assert hash(comparison) == hash(comparison)


def test_infinities_are_text_in_json(fake_prv):
    fake_prv("return 0.0, 1.0, float('inf')")
    comparison = peers.compare(Gaussian(1.0), 1e-6, peers=["prv"])
    row = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))["rows"][0]
    assert (row["upper"], row["by"], row["verdict"]) == ("inf", "inf", "loose")


def test_rows_load_into_pandas(fake_prv):
    pandas = pytest.importorskip("pandas")
    fake_prv("return 0.1, 0.2, 0.3")
    comparison = peers.compare(Gaussian(1.0), 1e-6, peers=["prv"])
    assert list(pandas.DataFrame(comparison.rows)["verdict"]) == list(comparison.to_pandas()["verdict"]) == ["UNSOUND"]


def test_a_comparison_reports_progress_and_asks_installed_peers_by_default(monkeypatch):
    monkeypatch.setattr("pldcheck.accounting.peers.peer_comparison.installed_peers", lambda paths: ["opendp", "autodp"])
    steps = []
    comparison = peers.compare(Shuffle(1000, 1.0), 1e-6, progress=lambda *step: steps.append(step))
    assert steps == [(1, 2), (2, 2)]
    assert {row.status for row in comparison.rows} == {UNSUPPORTED}
    assert [row.peer for row in peers.compare(Gaussian(1.0), 1e-6, peers=["prv"]).rows] == ["prv"]


def test_refusals_come_before_the_work(monkeypatch):
    monkeypatch.setattr(Gaussian, "epsilon", None)
    with pytest.raises(ParameterError, match="at least one of dp_accounting"):
        peers.compare(Gaussian(1.0), 1e-6, peers=[])
    with pytest.raises(ParameterError, match="an interpreter that can be run for prv, got '/no/such'"):
        peers.compare(Gaussian(1.0), 1e-6, peers=["prv"], python={"prv_accountant": "/no/such"})
    monkeypatch.setenv("PLDCHECK_PEER_PRV", "/no/such")
    with pytest.raises(ParameterError, match="python must be"):
        peers.compare(Gaussian(1.0), 1e-6, peers=["prv"])


# dp_accounting is a dependency.


def response(eps0, steps, delta):
    """Return an upper bound by hand: Renyi divergences of randomized response, with the conversion of Canonne et al.
    2020.
    """
    x, best = exp(eps0), float("inf")
    for alpha in [1.0 + k / 50.0 for k in range(1, 500)]:
        renyi = log((x**alpha + x ** (1.0 - alpha)) / (1.0 + x)) / (alpha - 1.0)
        best = min(best, steps * renyi + log1p(-1.0 / alpha) - log(delta * alpha) / (alpha - 1.0))
    return best


@pytest.mark.nightly
def test_dp_accounting_ignores_the_count_of_randomized_response():
    protocol = RandomizedResponse(100, log(3.0))
    comparison = peers.compare(protocol, 1e-6, peers=["dp_accounting", "dp_accounting:rdp"])
    usual, renyi = comparison.rows
    assert usual.verdict == "UNSOUND" and renyi.verdict == "loose"
    # The answer for one response; its grid is 1e-4.
    assert usual.upper == pytest.approx(RandomizedResponse(1, log(3.0)).epsilon(1e-6).upper, abs=2e-4)
    # A check by hand, on a coarser set of orders than theirs.
    assert comparison.interval.upper <= renyi.upper <= response(log(3.0), 100, 1e-6) * 1.001


RIGHT = [
    Gaussian(10.0, 100),
    Laplace(10.0, 100),
    SubsampledGaussian(1.0, 0.01, 1000),
    Composition(("laplace:10*50", "gaussian:20")),
    Composition(("discrete-laplace:10*10",)),
    Composition(("gaussian:20", "rr:0.5")),  # the noise is doubled for it, where a record is replaced
]


@pytest.mark.nightly
@pytest.mark.parametrize("way", ["", "pessimistic", "optimistic"])
def test_dp_accounting_agrees_where_it_is_right(way):
    at = [peers.point(protocol, 1e-3) for protocol in RIGHT]
    claims = peers.ask_all(peers.PEERS["dp_accounting"], [peers.Question(one, way) for one in at])
    for one, claim in zip(at, claims, strict=True):
        interval = one.interval()
        assert claim.status == ANSWERED, claim.note
        if way == "optimistic":  # each of up to 1000 losses is rounded down to a grid of 1e-4
            assert claim.upper is None and claim.lower >= interval.lower - 0.1
        else:  # dots are connected
            assert claim.lower is None and claim.upper <= interval.upper + 1e-3
        assert peers.judge(claim, interval, one.adjacency).verdict in ("inside", "loose")


@pytest.mark.nightly
@pytest.mark.parametrize(
    "protocol",
    [SubsampledGaussian(1.0, 0.01, 1000, "fixed-size"), Composition(("gaussian:20", "rr:0.5"))],
    ids=str,
)
def test_dp_accounting_rdp_is_above(protocol):
    (row,) = peers.compare(protocol, 1e-6, peers=["dp_accounting:rdp"]).rows
    assert row.verdict == "loose" and row.by < 1.0


@pytest.mark.nightly
def test_delta_is_compared_as_well():
    comparison = peers.compare(Gaussian(1.0), epsilon=1.0, peers=["dp_accounting"])
    # Phi(-1/2) - e Phi(-3/2), Balle and Wang 2018, Theorem 8.
    assert comparison.interval.lower == pytest.approx(0.1269367375066, rel=1e-12)
    assert comparison.rows[0].verdict in ("inside", "loose")
    assert comparison.rows[0].upper == pytest.approx(comparison.interval.upper, rel=1e-6)


@pytest.mark.nightly
def test_what_dp_accounting_refuses_is_not_a_failure():
    (row,) = peers.compare(Composition(("rr:1:1e-9",)), 1e-6, peers=["dp_accounting"]).rows
    assert (row.status, row.note) == (UNSUPPORTED, "(eps0, delta0)-randomized response")


# The others, where they are installed; elsewhere these are skipped.

EXPECTED = {
    "dp_accounting": (Gaussian(10.0, 100), 1e-3),
    "prv": (SubsampledGaussian(1.0, 0.01, 1000), 0.01),
    "PLD_accounting": (RandomAllocation(100, 2.0), 0.1),
    "autodp": (Laplace(10.0, 100), 0.1),
    "opendp": (Gaussian(10.0, 100), 0.1),
    "opacus": (SubsampledGaussian(1.0, 0.01, 1000), 0.2),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", peers.PEERS)
def test_installed_peers_are_never_unsound(name):
    if name not in REAL:
        pytest.skip(f"{name} is not installed")
    protocol, loose = EXPECTED[name]
    (row,) = peers.compare(protocol, 1e-6, peers=[name]).rows
    assert row.status == ANSWERED and row.verdict in ("inside", "loose") and row.by <= loose


def test_real_remove_alone_is_not_judged_by_what_is_claimed_for_both():
    if "PLD_accounting" not in REAL:
        pytest.skip("PLD_accounting is not installed")
    (row,) = peers.compare(RandomAllocation(100, 2.0, adjacency="remove"), 1e-6, peers=["PLD_accounting"]).rows
    assert (row.verdict, row.why) == ("not judged", "adjacency add-remove, not remove")


@pytest.mark.parametrize("protocol", [HiddenSlot(100, 1.0), Shuffle(100, 1.0)], ids=str)
def test_nobody_has_anything_for_slots_and_shuffles(protocol):
    comparison = peers.compare(protocol, 1e-6, peers=list(peers.PEERS))
    assert {row.status for row in comparison.rows} == {UNSUPPORTED}


def test_missing_peers_come_with_the_command_that_installs_them():
    for name, peer in peers.PEERS.items():
        if peer.version is None:
            (row,) = peers.compare(EXPECTED[name][0], 1e-6, peers=[name]).rows
            assert row.status == NOT_INSTALLED and f"pip install {peer.distribution}" in row.note
