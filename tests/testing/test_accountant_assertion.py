"""``assert_accountant_sound``, and the corpus that comes with the package: judged by formulas that are typed again."""

from fractions import Fraction
from math import comb, exp, lgamma, log, log1p

import mpmath
import pytest
from mpmath import mp, mpf

import pldcheck
from pldcheck.accounting import corpus
from pldcheck.accounting.corpus.peer_answers import question_of
from pldcheck.accounting.peers import PEERS
from pldcheck.core.errors import ParameterError, PldcheckError
from pldcheck.testing.accountant_assertion import SMALL_CORPUS
from pldcheck.witness import judge_corpus

HEAD, POINTS = judge_corpus.read_corpus(SMALL_CORPUS)
# The orders of Opacus (privacy/analysis/rdp.py of release 1.5: DEFAULT_ALPHAS of its RDPAccountant).
ORDERS = [1 + x / 10.0 for x in range(1, 100)] + list(range(12, 64))


def numbers(point):
    return {name: float(value) for name, value in point["parameters"].items() if name not in ("sampling",)}


def hockey_stick(mu, epsilon):
    """Return delta of N(mu, 1) against N(0, 1) at an epsilon (Balle and Wang 2018, Theorem 8)."""
    return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


def gaussian_delta(point, epsilon):
    """Return delta of Gaussian noise, composed, or None for another protocol."""
    if point["protocol"] not in ("gaussian", "composition"):
        return None
    values = point["parameters"]
    lists = [value if isinstance(value, list) else [value] for value in (values["sigma"], values["steps"])]
    mu = mpmath.sqrt(sum(int(steps) / mpf(float(sigma)) ** 2 for sigma, steps in zip(*lists, strict=True)))
    return hockey_stick(mu, epsilon)


def response_delta(point, epsilon):
    """Return delta of repeated randomized response (Kairouz, Oh, Viswanath 2015), or None for another question."""
    if point["protocol"] != "randomized-response" or int(point["parameters"]["steps"]) > 2000:
        return None
    steps, x = int(point["parameters"]["steps"]), mpmath.exp(mpf(float(point["parameters"]["eps0"])))
    kappa = mpmath.exp(epsilon)
    terms = (comb(steps, k) * max(x**k - kappa * x ** (steps - k), 0) for k in range(steps + 1))
    return sum(terms) / (1 + x) ** steps


def sampled_delta(point, epsilon):
    """Return delta of one step of Poisson samples in one direction, by its crossing; None for another question."""
    if point["protocol"] != "subsampled-gaussian" or point["parameters"]["steps"] != "1":
        return None
    if point["adjacency"] not in ("add", "remove"):
        return None
    sigma, rate = (mpf(float(point["parameters"][name])) for name in ("sigma", "rate"))
    kappa = mpmath.exp(epsilon)

    def place(ratio):
        """Return where 1 - rate + rate e^((2x - 1) / (2 sigma^2)) has this value."""
        if ratio <= 1 - rate:
            return -mpmath.inf
        return sigma**2 * mpmath.log((ratio - 1 + rate) / rate) + mpf(1) / 2

    if point["adjacency"] == "remove":  # the mixture against N(0), above the place
        x = place(kappa)
        mixture = (1 - rate) * mpmath.ncdf(-x / sigma) + rate * mpmath.ncdf((1 - x) / sigma)
        return mixture - kappa * mpmath.ncdf(-x / sigma)
    x = place(1 / kappa)  # N(0) against the mixture, below it
    mixture = (1 - rate) * mpmath.ncdf(x / sigma) + rate * mpmath.ncdf((x - 1) / sigma)
    return mpmath.ncdf(x / sigma) - kappa * mixture


def holds(delta, point):
    """Return whether an exact delta as a function of epsilon agrees with the certified ends of a point."""
    lower, upper = (mpf(point[end]) for end in ("lower", "upper"))
    if point["quantity"] == "delta":
        return lower <= delta(point, mpf(float(point["epsilon"]))) <= upper
    target = mpf(float(point["delta"]))
    return (lower == 0 or delta(point, lower) >= target) and delta(point, upper) <= target


def test_the_stored_corpus_is_small_and_has_all_protocols():
    assert SMALL_CORPUS.stat().st_size < 100_000 and len(POINTS) == 200
    assert HEAD["protocols"] == sorted(corpus.protocol_names())
    assert [question_of(point) for point in POINTS] == corpus.questions(200, HEAD["seed"])


@pytest.mark.nightly
@pytest.mark.parametrize(("delta", "least"), [(gaussian_delta, 20), (response_delta, 7)])
def test_stored_ends_hold_the_truth_by_formulas_typed_again(delta, least):
    with mp.workdps(120):
        judged = [point for point in POINTS if delta(point, mpf(1)) is not None]
        assert len(judged) >= least
        assert [point["id"] for point in judged if not holds(delta, point)] == []


@pytest.mark.nightly
def test_removal_and_addition_are_not_confused():
    asked = [one for one in corpus.questions(2000, 0, ["subsampled-gaussian"]) if "/one-step/" in one.id]
    points = [corpus.certified_point(one) for one in asked if one.adjacency in ("add", "remove")][:24]
    with mp.workdps(120):
        assert [point["id"] for point in points if not holds(sampled_delta, point)] == []
        other = {"add": "remove", "remove": "add"}
        swapped = [{**point, "adjacency": other[point["adjacency"]]} for point in points]
        assert sum(not holds(sampled_delta, point) for point in swapped) >= 12


@pytest.mark.nightly
def test_a_sample_of_the_stored_corpus_is_computed_again():
    for place in range(3, 200, 13):
        point = corpus.certified_point(question_of(POINTS[place]))
        assert {**point, "lower": "", "upper": "", "digest": ""} == {
            **POINTS[place],
            "lower": "",
            "upper": "",
            "digest": "",
        }
        assert Fraction(point["lower"]) <= Fraction(POINTS[place]["upper"]), point["id"]
        assert Fraction(point["upper"]) >= Fraction(POINTS[place]["lower"]), point["id"]


def basic(point):
    """Return epsilon by basic composition of Laplace noise and randomized response."""
    values = numbers(point) if point["protocol"] in ("laplace", "randomized-response") else {}
    if point["quantity"] == "delta" or not values:
        return None
    return values["steps"] * (values["eps0"] if "eps0" in values else 1.0 / values["scale"])


def test_a_sound_accountant_passes_and_a_false_one_fails_with_its_worst_points():
    judgement = pldcheck.assert_accountant_sound(basic, tolerance=1e-12)
    assert judgement.answered >= 15 and min(judgement.ratios.values()) >= 1.0 - 1e-12
    with pytest.raises(AssertionError, match=r"UNSOUND: \d+ of 200 points are answered, \d+ certainly false") as error:
        pldcheck.assert_accountant_sound(lambda point: None if basic(point) is None else basic(point) / 1e3)
    assert str(error.value).count("\n  ") == 4 and "... and " in str(error.value)  # three points, and how many more
    assert "is below the certified lower end" in str(error.value)


@pytest.mark.nightly
def test_what_is_no_accountant_is_refused(tmp_path):
    with pytest.raises(AssertionError, match="nothing was judged: the accountant answers none of 200 points"):
        pldcheck.assert_accountant_sound(lambda point: None)
    with pytest.raises(ValueError, match="gaussian/any/plain/0: an end must be a number, got 'much'"):
        pldcheck.assert_accountant_sound(lambda point: "much")
    with pytest.raises(ValueError, match="gaussian/any/plain/0"):
        pldcheck.assert_accountant_sound(lambda point: (1.0, 2.0, 3.0))
    for tolerance in (-1e-9, 1.0, float("nan"), "0", True):
        with pytest.raises(ParameterError, match="tolerance must be at least 0 and below 1"):
            pldcheck.assert_accountant_sound(basic, tolerance=tolerance)
    with pytest.raises(ParameterError, match="accountant must be a function"):
        pldcheck.assert_accountant_sound(1.0)
    with pytest.raises(ParameterError, match="corpus must be a file to read"):
        pldcheck.assert_accountant_sound(basic, tmp_path / "none")
    (tmp_path / "edited").write_text(SMALL_CORPUS.read_text().replace('"11.2"', '"11.3"'))
    with pytest.raises(PldcheckError, match="line 2: its digest does not match"):
        pldcheck.assert_accountant_sound(basic, tmp_path / "edited")


def log_moment(alpha, sigma, rate):
    """Return log A_alpha of a sampled Gaussian for an integer order (Mironov, Talwar, Zhang 2019, Section 3.3)."""
    terms = [
        lgamma(alpha + 1) - lgamma(i + 1) - lgamma(alpha - i + 1)
        + i * log(rate) + (alpha - i) * log1p(-rate) + (i * i - i) / (2 * sigma**2)
        for i in range(int(alpha) + 1)
    ]  # fmt: skip
    most = max(terms)
    return most + log(sum(exp(term - most) for term in terms))


def opacus(point, orders=ORDERS):
    """Return epsilon as the RDP accountant of Opacus converts it (Balle et al. 2020, Theorem 21; CKS 2020)."""
    values = numbers(point) if point["protocol"] in ("gaussian", "subsampled-gaussian") else {}
    sampled = point["parameters"].get("sampling") == "poisson" and point["adjacency"] == "add-remove"
    if point["quantity"] == "delta" or not values or not (sampled or point["protocol"] == "gaussian"):
        return None
    ends, delta = [], float(point["delta"])
    for order in orders:
        if not sampled:
            divergence = values["steps"] * order / (2.0 * values["sigma"] ** 2)
        elif order == int(order):
            divergence = values["steps"] * log_moment(order, values["sigma"], values["rate"]) / (order - 1)
        else:
            continue
        ends.append(divergence - (log(delta) + log(order)) / (order - 1) + log((order - 1) / order))
    return max(0.0, min(ends))


@pytest.mark.nightly
def test_the_formula_of_opacus_is_sound_and_its_older_conversion_looser():
    judgement = pldcheck.assert_accountant_sound(opacus)
    assert judgement.answered >= 20 and 1.0 < sorted(judgement.ratios.values())[len(judgement.ratios) // 2] < 2.0

    def without_steps(point):
        return opacus({**point, "parameters": {**point["parameters"], "steps": "1"}})

    with pytest.raises(AssertionError, match="certainly false"):
        pldcheck.assert_accountant_sound(without_steps)


@pytest.mark.nightly
def test_dp_accounting_by_the_stored_corpus():
    if PEERS["dp_accounting"].version != "0.6.0":
        pytest.skip("another version")
    # Its PLDs of other corners take minutes.
    points = [point for point in POINTS if point["protocol"] in ("gaussian", "randomized-response")]
    points = [point for point in points if point["id"].split("/")[2] in ("plain", "large-delta")]

    def faults(peer):
        answers = corpus.peer_answers(points, peer)
        assert len(answers) == len(points) >= 6
        ends = {one["id"]: (judge_corpus.number(one["lower"]), judge_corpus.number(one["upper"])) for one in answers}
        return [fault.point for fault in judge_corpus.judge(points, ends).faults]

    assert faults("dp_accounting:rdp") == []
    # Both are among the known points: repetitions of randomized response are ignored, and round-off at large deltas.
    false = faults("dp_accounting")
    assert {point["protocol"] for point in false} == {"randomized-response", "gaussian"}
    assert all(
        point["id"].startswith("gaussian/any/large-delta/") for point in false if point["protocol"] == "gaussian"
    )
