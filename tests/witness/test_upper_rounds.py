"""The program for rounds: each rounding and mass against exact twins, what it accepts, and what it refuses."""

import json
from fractions import Fraction
from itertools import pairwise
from math import comb

import mpmath
import pytest
from adversarial_certificates import ROUNDS, TARGETS, certificates_examined
from mpmath import mpf
from rough_decimals import draws, real, roughen
from rough_exponentials import RoughExponentials
from tampering import change as changed

from pldcheck import CheckIn, HiddenSlot, Shuffle
from pldcheck.checkers import claim_files, lattice_sums, loss_lattice, upper_loss, upper_rounds
from pldcheck.witness import round_places
from pldcheck.witness.upper_certificates import EPSILON_MARGIN, certificate

KAPPAS = [mpf(n) / 16 for n in (1, 3, 7, 11, 14, 15, 16, 17, 18, 22, 29, 41, 77, 160, 16000)]


def losses(**changes):
    values = {"one": 1000, "width": Fraction(1, 4), "points": 300, "cells": 10**6, "growth": 3, "cut": 0}
    return lattice_sums.Fineness(**values | {"most": 20000} | changes)


# --- One round --------------------------------------------------------------------------------------------------------


def polygon(points, width, kappa):
    """The function h of the page, by mpmath."""
    if kappa < 1:
        return 1 - kappa + kappa * polygon(points, width, 1 / kappa)
    places = [(mpmath.exp(real(point.place * width)), real(point.delta)) for point in points]
    for (a, low), (b, high) in zip(places, places[1:], strict=False):
        if kappa <= b:
            return low + (high - low) * (kappa - a) / (b - a)
    return places[-1][1]


def lattice_curve(law, at, kappa):
    """The curve of a lattice law, by mpmath."""
    total = real(Fraction(law.infinity, at.one))
    for k, mass in enumerate(law.masses, law.first):
        loss = real(Fraction(k) * at.width * 2**law.level)
        total += real(Fraction(mass, at.one)) * max(1 - kappa * mpmath.exp(-loss), mpf(0))
    return total


def some_points(draw, convex):
    places = [0, *sorted(draw.sample(range(1, 12), draw.randrange(1, 6)))]
    deltas = sorted((Fraction(draw.randrange(1000), 1000) for _ in places), reverse=True)
    if convex:  # the curve of randomized response, or of half of it
        largest, share = places[-1] + draw.randrange(3), Fraction(draw.randrange(1, 4), 3)
        top = Fraction(mpmath.nstr(mpmath.exp(mpf(largest) / 4), 30))
        each = [Fraction(mpmath.nstr(mpmath.exp(mpf(place) / 4), 30)) for place in places]
        deltas = [share * max(0, top - kappa) / (1 + top) for kappa in each]
    return [upper_rounds.Point(place, delta) for place, delta in zip(places, deltas, strict=True)]


@pytest.mark.parametrize("rough", [False, True])
@pytest.mark.parametrize("convex", [False, True])
def test_the_masses_of_a_round_are_nowhere_below_its_points(convex, rough, monkeypatch):
    with mpmath.workdps(60):
        if rough:
            roughen(monkeypatch, upper_loss)
        for number, draw in enumerate(draws(60)):
            points, at = some_points(draw, convex), losses(one=(30, 1000, 10**30)[number % 3])
            law = upper_rounds.lattice_law(points, at)
            edges = [mpmath.exp(real(sign * point.place * at.width)) for point in points for sign in (1, -1)]
            for kappa in (*KAPPAS, *edges):
                assert lattice_curve(law, at, kappa) >= polygon(points, at.width, kappa) - mpf("1e-50")


@pytest.mark.nightly
def test_the_masses_of_a_round_are_hardly_above_convex_points():
    with mpmath.workdps(60):
        at = losses(one=10**30)
        for draw in draws(40):
            points = some_points(draw, True)
            law = upper_rounds.lattice_law(points, at)
            for kappa in KAPPAS:
                assert lattice_curve(law, at, kappa) <= polygon(points, at.width, kappa) + mpf("1e-24")
            assert 1 <= real(Fraction(sum(law.masses) + law.infinity, at.one)) <= 1 + mpf("1e-24")


def exact_masses(points, width, least=0):
    """The P-masses of the page by their places over the width, by mpmath; those below ``least`` are that."""
    kappas = [mpmath.exp(real(point.place * width)) for point in points]
    deltas = [real(point.delta) for point in points]
    slopes = [(deltas[j + 1] - deltas[j]) / (kappas[j + 1] - kappas[j]) for j in range(len(points) - 1)] + [mpf(0)]
    masses = {0: max(least, 1 + 2 * slopes[0] - deltas[0])}
    for j in range(1, len(points)):
        change = max(least, slopes[j] - slopes[j - 1])
        masses |= {points[j].place: kappas[j] * change, -points[j].place: change}
    return masses


def test_masses_of_either_sign_have_the_curve_of_the_points():
    with mpmath.workdps(60):
        width, negative = Fraction(1, 4), 0
        for draw in draws(40):
            points = some_points(draw, False)
            masses = exact_masses(points, width, mpmath.ninf)
            negative += min(masses.values()) < 0
            for kappa in KAPPAS:
                parts = (p * max(0, 1 - kappa * mpmath.exp(-place * real(width))) for place, p in masses.items())
                total = sum(parts, real(points[-1].delta))
                assert abs(total - polygon(points, width, kappa)) < mpf("1e-50")
        assert negative > 9


@pytest.mark.parametrize("one", [1000, 10**30])
def test_each_mass_is_at_least_the_exact_one(one, monkeypatch):
    with mpmath.workdps(60):
        at, exponentials = losses(one=one), RoughExponentials(monkeypatch, upper_rounds, "0.001")
        for number, draw in enumerate(draws(8)):
            points = some_points(draw, number % 2 == 0)
            exponentials.begin()
            upper_rounds.lattice_law(points, at)
            for rough in range(exponentials.calls + 1):
                exponentials.begin(rough)
                law = upper_rounds.lattice_law(points, at)
                masses = dict(enumerate(law.masses, law.first))
                assert all(mass >= 0 for mass in law.masses)
                for place, mass in exact_masses(points, at.width).items():
                    assert masses.get(place, 0) >= mass * at.one - mpf("1e-25")


@pytest.mark.nightly
def test_exponentials_count_from_their_safe_end(monkeypatch):
    with mpmath.workdps(60):
        at, exponentials = losses(one=10**30), RoughExponentials(monkeypatch, upper_rounds, "0.001")
        for draw in draws(6):
            points = some_points(draw, True)
            exponentials.begin()
            upper_rounds.lattice_law(points, at)
            for rough in range(1, exponentials.calls + 1):
                exponentials.begin(rough)
                law = upper_rounds.lattice_law(points, at)
                for kappa in KAPPAS:
                    assert lattice_curve(law, at, kappa) >= polygon(points, at.width, kappa) - mpf("1e-50")


# --- All rounds -------------------------------------------------------------------------------------------------------


def response_delta(times, kappa, budget=1):
    """The delta of randomized response, repeated, by its binomial."""
    x, total = mpmath.exp(mpf(budget)), mpf(0)
    for k in range(times + 1):
        p, q = x**k / (1 + x) ** times, x ** (times - k) / (1 + x) ** times
        total += comb(times, k) * max(p - kappa * q, mpf(0))
    return total


def adaptive_delta(pairs, times, kappa, p=1, q=1):
    """The largest delta of rounds, each of one of these pairs, which may depend on all earlier outputs."""
    if times == 0:
        return max(p - kappa * q, mpf(0))
    rounds = ([adaptive_delta(pairs, times - 1, kappa, p * a, q * b) for a, b in pair] for pair in pairs)
    return max(map(sum, rounds))


@pytest.mark.parametrize("times", [1, 2, 3])
def test_rounds_that_adapt_are_nowhere_above_the_composition_of_their_points(times):
    with mpmath.workdps(60):
        for draw in draws(25):
            one, other = ([draw.choice([0, 1, 2, 5, 17]) + k // 2 for k in range(3)] for _ in "PQ")
            pair = [(mpf(a) / sum(one), mpf(b) / sum(other)) for a, b in zip(one, other, strict=True)]
            pairs, width = [pair, [(b, a) for a, b in pair]], Fraction(1, 4)
            points = []
            for place in [0, *sorted(draw.sample(range(1, 15), 4))]:
                delta = max(adaptive_delta(pairs, 1, mpmath.exp(real(place * width))), mpf(0))
                points.append(upper_rounds.Point(place, Fraction(mpmath.nstr(delta + mpf("1e-50"), 55))))
            at = losses(one=10**20)
            law = loss_lattice.power_law(upper_rounds.lattice_law(points, at), times, at)
            for epsilon in (Fraction(0), Fraction(1, 3), Fraction(2)):
                truth = adaptive_delta(pairs, times, mpmath.exp(real(epsilon)))
                assert real(loss_lattice.delta_of(law, epsilon, at)) >= truth


def file(times=3, epsilon="1.5", delta="0.9", last=4):
    """One slot of one step is randomized response; its curve is a straight line up to its budget, 1."""
    fineness = {"block": 1, "doublings": 0, "grid": "0.02", "left": 600, "right": 600, "join": 1, "cut": 60}
    fineness |= {"atoms": 800, "tilt": "1.05"}
    point = {"pldcheck_certificate": "upper_slot", "fineness": fineness}
    one = {"mechanism": "hidden-slot", "steps": 1, "weight": "1", "adjacency": "replace", "eps0": "1"}
    curve = [
        {"place": 0, "delta": "0.4621172", "certificate": point},
        {"place": last, "delta": "0", "certificate": point},
    ]
    loss = {"digits": 40, "width": "0.25", "points": 900, "cells": 64, "growth": 64, "cut": "1e-30"}
    claim = {"mechanism": "rounds", "round": one, "times": times, "epsilon": epsilon, "delta": delta}
    return {"pldcheck_certificate": "upper_rounds", "claim": claim, "curve": curve, "fineness": loss}


@pytest.mark.parametrize("times", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("epsilon", ["0", "0.9", "1.5", "3.1"])
def test_claims_against_all_outcomes(times, epsilon):
    facts = file(times, epsilon)
    with mpmath.workdps(60):
        truth = response_delta(times, mpmath.exp(mpf(epsilon)))
        upper, statements = upper_rounds.upper_delta(facts)
        assert truth <= real(upper) <= truth + times * mpf("1e-7")
        assert statements in (["epochs", "composed-pairs", "curves"], ["epochs", "composed-pairs"])
        below = changed(facts, ("claim", "delta"), mpmath.nstr(truth * (1 - mpf("1e-9")), 20))
        if truth > 0:
            assert upper_rounds.verify(below).status != 0


def test_a_sentence_says_which_randomizers_are_meant():
    slot = "accepted: hidden-slot with steps 1, weight 1, adjacency replace, eps0 1"
    end = "run 3 times, is (1.5, 0.9)-DP; this rests on epochs and composed-pairs"
    assert upper_rounds.verify(file()).sentence.startswith(f"{slot}, every adaptive eps0-DP randomizer, {end}")
    response = changed(file(), ("claim", "round", "randomizer"), "rr")
    assert upper_rounds.verify(response).sentence.startswith(f"{slot}, kind rr, {end}")
    approximate = changed(file(delta="0.99"), ("claim", "round", "delta0"), "0.001")
    for point in approximate["curve"]:
        point["delta"] = str(float(point["delta"]) + 0.01)
    said = upper_rounds.verify(approximate).sentence
    assert said.startswith(f"{slot}, delta0 0.001, every adaptive (eps0, delta0)-DP randomizer, run 3 times")


def test_the_work_of_all_points_together_has_one_budget(monkeypatch):
    """Each point alone would be verified; a file that has too many is refused at the first one beyond the budget."""

    def spent(work):
        monkeypatch.setattr(claim_files, "MOST_SECONDS", 100.0)
        with claim_files.one_budget():
            work()
            return 100.0 - claim_files.BUDGET.get().left

    slot = {"mechanism": "hidden-slot", "steps": 4, "weight": "1", "adjacency": "replace", "eps0": "1"}
    fineness = {"block": 4, "doublings": 0, "grid": "0.02", "left": 400, "right": 400, "join": 1, "cut": 60}
    point = {"pldcheck_certificate": "upper_slot", "fineness": {**fineness, "atoms": 800, "tilt": "1.003"}}
    at = {"epsilon": "0", "delta": "0.9"}
    facts = file()
    sums = spent(lambda: upper_rounds.fineness_of(facts["fineness"], facts["claim"]["times"]))
    each = spent(lambda: upper_rounds.PROGRAMS["upper_slot"].verify({**point, "claim": {**slot, **at}}))
    assert sums > 0 and each > 0
    facts["claim"]["round"] = slot
    facts["curve"] = [{"place": place, "delta": "0.9", "certificate": point} for place in range(4)]
    monkeypatch.setattr(claim_files, "MOST_SECONDS", sums + 2.5 * each)
    verdict = upper_rounds.verify(facts)
    assert verdict.status == 2 and "the point at the place 2 is refused: all parts together take more than" in str(
        verdict
    )
    monkeypatch.setattr(claim_files, "MOST_SECONDS", 100.0)
    assert "take more than" not in upper_rounds.verify(facts).sentence
    # What one file spends is not taken from another one, or from a program by itself.
    assert claim_files.BUDGET.get() is None


def test_a_point_that_is_false_or_not_verified_is_refused():
    facts = changed(file(), ("curve", 0, "delta"), "0.4621171")
    verdict = upper_rounds.verify(facts)
    assert verdict.status == 2 and verdict.sentence.startswith("refused: the point at the place 0 is not verified")
    verdict = upper_rounds.verify(file(last=3))
    assert verdict.status == 2 and "the point at the place 3 is not verified" in verdict.sentence


ENGINE = [
    Shuffle(20, 1.0, rounds=3),
    Shuffle(300, 2.0, rounds=50),
    pytest.param(HiddenSlot(10, 4.0, epochs=5), marks=pytest.mark.nightly),
    pytest.param(CheckIn(100, 1.0, 0.2, clients=10, epochs=50), marks=pytest.mark.nightly),
    pytest.param(HiddenSlot(10, 1.0, randomizer="krr:4", epochs=4), marks=pytest.mark.nightly),
    pytest.param(HiddenSlot(100, 1.0, epochs=10), marks=pytest.mark.nightly),
]


@pytest.mark.parametrize("protocol", ENGINE, ids=str)
def test_what_is_written_is_accepted_half_a_percent_above_the_upper_end(protocol):
    record = certificate(protocol, delta=1e-4)
    assert record.reached == EPSILON_MARGIN and record.facts["pldcheck_certificate"] == "upper_rounds"
    assert len(record.dumps()) <= claim_files.MOST_BYTES
    facts = json.loads(record.dumps())
    assert upper_rounds.verify(facts) == (0, record.sentence)
    lower = protocol.epsilon(1e-4).lower
    facts["claim"]["epsilon"] = f"{lower * (1 - 1e-9):.18f}"
    assert upper_rounds.verify(facts).status == 1


@pytest.mark.parametrize(
    ("steps", "eps0", "prob", "epochs", "delta"), [(1, 0.12, 0.11, 5, 1e-9), (14, 0.4, 0.3, 11, 1e-7)]
)
def test_check_ins_whose_loss_is_bounded_have_certificates_near_it(steps, eps0, prob, epochs, delta):
    # Beyond the largest loss of an epoch the engine has delta 0, which no program verifies.
    assert certificate(CheckIn(steps, eps0, prob, epochs=epochs), delta=delta).reached == EPSILON_MARGIN


def test_a_claim_about_delta_of_rounds():
    protocol = Shuffle(20, 1.0, rounds=3)
    record = certificate(protocol, epsilon=0.2)
    assert float(record.facts["claim"]["delta"]) == pytest.approx(1.05 * protocol.delta(0.2).upper, rel=1e-8)


@pytest.mark.nightly
@pytest.mark.parametrize("protocol", [Shuffle(200, 0.5, rounds=4), Shuffle(70, 0.3, rounds=2)], ids=str)
def test_where_one_client_fewer_is_narrower_points_rest_on_it(protocol):
    record = certificate(protocol, delta=1e-6)
    assert record.reached == EPSILON_MARGIN and len(record.dumps()) <= claim_files.MOST_BYTES
    assert "epochs and composed-pairs and one-client-fewer" in record.sentence


@pytest.mark.long
def test_where_clients_hide_the_record_the_claim_is_that_without_their_number():
    protocol = CheckIn(50, 1.0, 0.2, clients=10, epochs=50)
    record = certificate(protocol, delta=1e-4)
    assert 1.005 < record.reached < 1.05 and "epochs and composed-pairs and check-in-slot" in record.sentence


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_all_files_are_accepted_before_they_are_spoiled(target):
    assert {target.program.verify(facts).status for facts in target.originals()} == {0}


@pytest.mark.parametrize("count", [120, pytest.param(2000, marks=pytest.mark.nightly)])
def test_no_file_with_changes_is_accepted_if_it_is_false(count):
    tried, accepted, wrong = certificates_examined(ROUNDS, seed=1, count=count)
    assert tried == count and accepted > count // 20 and wrong == []


def test_neighbours_in_one_order_are_refused():
    fineness = {"digits": 20, "width": "0.01", "points": 900, "cells": 8, "growth": 8, "cut": "1e-9"}
    point = {"pldcheck_certificate": "upper_sum", "fineness": fineness | {"bottom": 900, "top": 900}}
    gaussian = {"kind": "gaussian", "sigma": "1"}
    one = {"mechanism": "random-allocation", "steps": 1, "weight": "1", "randomizer": gaussian, "adjacency": "replace"}
    facts = changed(file(2, "1", "1"), ("claim", "round"), one)
    facts["curve"] = [{"place": place, "delta": "0.99", "certificate": point} for place in (0, 4)]
    assert upper_rounds.verify(facts).status == 0
    verdict = upper_rounds.verify(changed(facts, ("claim", "round", "adjacency"), "remove"))
    assert verdict == (2, "refused: the neighbours of a round must be symmetric")


def test_a_delta_of_zero_is_verified_from_the_budgets_of_all_rounds_on():
    record = certificate(Shuffle(5, 0.5, rounds=2), epsilon=1.5)
    assert float(record.facts["claim"]["delta"]) == 0.0 and upper_rounds.verify(dict(record.facts)).status == 0
    for epsilon, status in (("1.0001", 0), ("0.999", 1)):
        claim = {**record.facts["claim"], "epsilon": epsilon}
        assert upper_rounds.verify({**record.facts, "claim": claim}).status == status


def test_places_rise_to_the_last_and_are_nearest_where_losses_are():
    for last, inside, tilt in ((1, 8, 1.0), (7, 8, 0.3), (100, 8, 0.2), (100, 8, 6.0), (100, 3, 2.0)):
        places = list(round_places.places(last, inside, tilt))
        steps = dict(pairwise(places))
        assert places[0] == 0 and places[-1] == last and all(b > a for a, b in steps.items())
        near = [b - a for a, b in steps.items() if abs(a / inside - tilt) < round_places.NEAR]
        assert set(near) <= {1}
        assert last < 100 or max(b - a for a, b in steps.items()) > 1


# --- Files ------------------------------------------------------------------------------------------------------------

REFUSED = {
    "no rounds": (("claim", "times"), 0),
    "half a round": (("claim", "times"), 1.5),
    "a truth value": (("claim", "times"), True),
    "another mechanism": (("claim", "mechanism"), "hidden-slot"),
    "an epsilon of a round": (("claim", "round", "epsilon"), "1"),
    "a delta of a round": (("claim", "round", "delta"), "1"),
    "neighbours in one order": (("claim", "round", "adjacency"), "remove"),
    "a round that is none": (("claim", "round"), []),
    "a round without a mechanism": (("claim", "round", "mechanism"), None),
    "not a number": (("claim", "delta"), "nan"),
    "a number for a text": (("claim", "epsilon"), 0.3),
    "another program": (("pldcheck_certificate",), "upper_sum"),
    "no curve": (("curve",), []),
    "one point": (("curve",), file()["curve"][:1]),
    "too many points": (("curve",), file()["curve"] * 101),
    "points in another order": (("curve",), file()["curve"][::-1]),
    "a point twice": (("curve",), file()["curve"][:1] * 2),
    "points that begin late": (("curve", 0, "place"), 1),
    "a place below 0": (("curve", 0, "place"), -1),
    "a point that is none": (("curve", 0), None),
    "a point with a claim": (("curve", 0, "certificate", "claim"), file()["claim"]["round"]),
    "a point of an unknown program": (("curve", 0, "certificate", "pldcheck_certificate"), "upper_rounds"),
    "a point of no program": (("curve", 0, "certificate", "pldcheck_certificate"), None),
    "a point without a certificate": (("curve", 0, "certificate"), None),
    "a delta above 1": (("curve", 0, "delta"), "1.5"),
    "no width": (("fineness", "width"), "0"),
    "a width that is no decimal": (("fineness", "width"), "1/3"),
    "much work": (("fineness", "points"), 2**20),
    "few cells": (("fineness", "growth"), 0),
}


@pytest.mark.parametrize(("path", "value"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_certificate_is_refused_in_a_line(path, value):
    verdict = upper_rounds.verify(changed(file(), path, value))
    assert verdict.status == 2 and verdict.sentence.startswith("refused: ") and "\n" not in verdict.sentence


def test_every_key_is_required_and_no_other_is_allowed():
    for place in ((), ("claim",), ("fineness",), ("curve", 0)):
        inner = file()
        for key in place:
            inner = inner[key]
        for key in list(inner):
            facts = file()
            part = facts
            for step in place:
                part = part[step]
            del part[key]
            assert upper_rounds.verify(facts).status == 2, (place, key)
        facts = file()
        part = facts
        for step in place:
            part = part[step]
        part["note"] = 1
        assert upper_rounds.verify(facts).status == 2, place
