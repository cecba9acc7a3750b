"""Known points: what they say, and that they are confirmed where their peers are installed."""

import re
from fractions import Fraction
from importlib import metadata
from math import comb, exp, expm1, log1p

import pytest
from mpmath import mp, mpf

from pldcheck.accounting import peers
from pldcheck.accounting.peers.known_point_results import CONFIRMED, NO_ANSWER, NOT_SEEN
from pldcheck.accounting.peers.known_points import KNOWN
from pldcheck.accounting.peers.peer_processes import ANSWERED, NOT_INSTALLED

REAL = peers.installed_peers()
# The ends that the versions named by the known points claimed on 27 November 2026, as compare known-points asks them.
ANSWERS = {
    "dp_accounting-fft-replaced": (None, 1.3821386256567332),
    "dp_accounting-integer-grid": (None, 0.3413447460685429),
    "prv-response-large": (15.141996782690114, 15.161996861779288),
    "opendp-reused-sample": (None, 0.6212596105298784),
    "opacus-gdp": (None, 1.835708340984886),
}


def known(name):
    return next(known_point for known_point in KNOWN if known_point.id == name)


def test_the_table_of_known_points_is_well_formed():
    assert len({known_point.id for known_point in KNOWN}) == len(KNOWN) >= 10
    for known_point in KNOWN:
        assert known_point.peer in peers.PEERS and known_point.way in peers.PEERS[known_point.peer].ways
        assert known_point.versions and known_point.wrong and known_point.call and known_point.source
        # Of opacus the libraries were not recorded.
        assert bool(known_point.beside) == (known_point.peer != "opacus")
        assert all(re.fullmatch(r"numpy \d[\d.]+, scipy \d[\d.]+", one) for one in known_point.beside)
        assert {part.kind for part in known_point.point.parts} <= peers.PEERS[known_point.peer].ways[known_point.way]


def response_above(steps, x, kappa, delta):
    """Return whether delta of repeated randomized response is above, by its binomial law in integers (Kairouz, Oh,
    Viswanath 2015).
    """
    (a, b), (c, d) = x.as_integer_ratio(), kappa.as_integer_ratio()
    ends = [(a ** (steps - k) * b**k, a**k * b ** (steps - k)) for k in range(steps + 1)]
    total = sum(comb(steps, k) * max(d * p - c * q, 0) for k, (p, q) in enumerate(ends))
    return total * delta.denominator > delta.numerator * d * (a + b) ** steps


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["dp_accounting-count", "dp_accounting-fft-response", "prv-response-large"])
def test_certified_values_by_exact_integers(name):
    known_point = known(name)
    params, interval = dict(known_point.params), known_point.point.interval()
    # Fractions near exp of the numbers, which moves epsilon by 1e-12 of it; the claim is off by 1e-4 and more.
    x, delta = Fraction(exp(params["eps0"])), Fraction(known_point.delta)
    below, above = Fraction(exp(interval.lower * (1 - 1e-9))), Fraction(exp(interval.upper * (1 + 1e-9)))
    assert response_above(params["steps"], x, below, delta)
    assert not response_above(params["steps"], x, above, delta)


@pytest.mark.nightly
def test_stored_answers_are_unsound_and_ends_of_the_interval_are_not():
    for name, (lower, upper) in ANSWERS.items():
        point = known(name).point
        interval, peer = point.interval(), known(name).peer
        for ends, verdict in ((lower, upper), "UNSOUND"), ((None, interval.upper), "inside"):
            claim = peers.Claim(peer, known(name).way, ANSWERED, *ends, point.adjacency)
            assert peers.judge(claim, interval, point.adjacency).verdict == verdict, name


def sample_delta(sigma, rate, epsilon):
    """Return delta of one Poisson sample of Gaussian noise, for a record that is removed, by its threshold."""
    mp.dps = 60
    edge = sigma**2 * mp.log((mp.exp(epsilon) - 1 + rate) / rate) + mpf(1) / 2
    without = mp.ncdf(-edge / sigma)
    return (1 - rate) * without + rate * mp.ncdf((1 - edge) / sigma) - mp.exp(epsilon) * without


def test_stored_answers_are_false_by_hand():
    mp.dps = 60
    # Gaussian noise of deviation 1, at epsilon 0: twice what is between its means; a threshold of 1 in place of 1/2
    # gives the answer.
    assert ANSWERS["dp_accounting-integer-grid"][1] < 2 * mp.ncdf(mpf(1) / 2) - 1 - mpf("0.04")
    assert abs(ANSWERS["dp_accounting-integer-grid"][1] - (mp.ncdf(1) - mp.ncdf(0))) < 1e-8
    # Thirty true answers have the loss 30 eps0, which is more than what is claimed, and the probability 0.994.
    eps0, upper = mpf(8.49), ANSWERS["prv-response-large"][1]
    assert (1 + mp.exp(-eps0)) ** -30 * (1 - mp.exp(upper - 30 * eps0)) > 0.99 > 3.93e-5
    # One of 1000 records is drawn, all others are 0, and ten releases are as good as one with the noise over sqrt(10).
    claimed = ANSWERS["opendp-reused-sample"][1]
    assert sample_delta(1 / mp.sqrt(10), mpf("0.001"), claimed) > 200 * mpf(1e-6)
    # Each release amplified: what opendp says of one, by its conversion of zCDP, ten times over.
    one = log1p(0.001 * expm1(converted(0.5, 1e-4)))
    assert abs(10 * one / claimed - 1) < 1e-5
    # The limit of Bu et al. (2020): mu = q sqrt(T (e^(1/sigma^2) - 1)), and its Gaussian trade-off at the answer.
    mu, claimed = mpf("0.01") * mp.sqrt(1000 * (mp.e - 1)), ANSWERS["opacus-gdp"][1]
    limit = mp.ncdf(mu / 2 - claimed / mu) - mp.exp(claimed) * mp.ncdf(-mu / 2 - claimed / mu)
    assert abs(limit / mpf(1e-6) - 1) < 1e-9


def converted(rho, delta):
    """Return the epsilon of rho-zCDP at delta (Canonne, Kamath, Steinke 2020, Proposition 12), least over a grid of
    orders that is fine enough for five digits.
    """

    def delta_at(epsilon, order):
        return exp((order - 1) * (order * rho - epsilon) + order * log1p(-1 / order)) / (order - 1)

    orders, low, high = [1.0 + k / 200 for k in range(2, 4_000)], 0.0, 50.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if min(delta_at(middle, one) for one in orders) > delta else (low, middle)
    return high


@pytest.mark.nightly
def test_dp_accounting_real_points_are_confirmed_in_the_version_they_were_seen_in():
    if peers.PEERS["dp_accounting"].version != "0.6.0":
        pytest.skip("another version")
    results = peers.run_known_points(["dp_accounting"])
    results_by_id = {result.case.id: result for result in results}
    # The round-off of an FFT is that of the installed numpy and scipy: with some it is upward at these points.
    libraries = {result.claim.libraries for result in results}
    assert libraries == {f"numpy {metadata.version('numpy')}, scipy {metadata.version('scipy')}"}
    rounded = {name: result for name, result in results_by_id.items() if "-fft-" in name}
    assert rounded and {result.status for result in rounded.values()} <= {CONFIRMED, NOT_SEEN}
    others = [result for name, result in results_by_id.items() if name not in rounded]
    assert len(others) >= 4 and {result.status for result in others} == {CONFIRMED}
    # Ecosystem survey of dp-accounting 0.6.0: 1.0987 claimed, 94.28987 exact; 26.896 and -0.0167; 3.1031 exact.
    count, response = results_by_id["dp_accounting-count"], results_by_id["dp_accounting-fft-response"]
    assert count.claim.upper == pytest.approx(1.0987, abs=1e-4) and 94.28987 == round(count.interval.lower, 5)
    if response.status == CONFIRMED:
        assert response.interval.lower - response.claim.upper == pytest.approx(0.0167, abs=1e-4)
    optimistic = results_by_id["dp_accounting-optimistic"]
    assert optimistic.claim.lower > optimistic.interval.upper and round(optimistic.interval.upper, 4) == 3.1031
    assert results_by_id["dp_accounting-nan-rdp"].description == "delta nan: epsilon 0.0"


@pytest.mark.parametrize("name", [name for name in peers.PEERS if name != "dp_accounting"])
def test_points_of_other_peers_are_confirmed(name):
    points = [known_point for known_point in KNOWN if known_point.peer == name]
    if name not in REAL or not points:
        pytest.skip(f"{name} is not installed, or has none")
    for result in peers.run_known_points([name]):
        if result.claim.version in result.case.versions:
            assert result.status == CONFIRMED, result.description


def statuses(**limits):
    return {result.case.id: result.status for result in peers.run_known_points(["prv"], **limits)}


@pytest.mark.nightly
def test_a_point_is_confirmed_or_not_seen_or_not_answered(fake_prv):
    # Right at the first point, too low at the second, too slow at the third, negative at the fourth.
    fake_prv(
        "import time; time.sleep(60 if delta == 1e-12 else 0); return (-2, -2, -2) if delta == 0.9 else (94, 94.5, 95)"
    )
    assert statuses(seconds=3) == {
        "prv-response": NOT_SEEN,
        "prv-response-large": CONFIRMED,
        "prv-fft": NO_ANSWER,
        "prv-negative": CONFIRMED,
    }


def test_points_of_a_missing_peer_are_not_answered(monkeypatch):
    monkeypatch.setattr(peers.Peer, "version", None)
    assert set(statuses().values()) == {NOT_INSTALLED}


def test_refusing_nan_is_right_and_taking_it_is_not():
    from pldcheck.accounting.peers import Claim
    from pldcheck.accounting.peers.known_point_results import _result

    known_point = next(known_point for known_point in KNOWN if known_point.id == "dp_accounting-nan-rdp")
    acceptance = Claim("dp_accounting", "rdp", ANSWERED, None, 0.0, "add-remove", 0.1, "0.6.0", "")
    assert _result(known_point, acceptance).status == CONFIRMED
    for status in ("gave nan or negative", "failed"):
        assert _result(known_point, Claim("dp_accounting", "rdp", status)).status == NOT_SEEN
