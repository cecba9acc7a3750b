"""Theorems that imply others: against formulas written anew, and against certified numbers."""

import json
from math import log1p

import mpmath
import pytest

from pldcheck import CheckIn, HiddenSlot, Shuffle, SlidingWindow, Swap
from pldcheck.protocols import Averaged, RandomizedResponse
from pldcheck.study.dominance import Order, dominance
from pldcheck.study.dominance.carried_values import chains_from, scene
from pldcheck.study.dominance.dominance_table import lines
from pldcheck.study.dominance.theorem_order import compare, false_theorems, grid
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.papers import reductions
from pldcheck.verification.suites import SUITES


@pytest.mark.parametrize(
    ("theorem", "other", "order"),
    [
        # By the sheet on protocols: averages are made from shuffled answers, so Theorem 5.1 improves on Theorem 4.1.
        ("thm-4.1", "thm-5.1", Order.IMPLIED),
        ("thm-A.5", "thm-A.7", Order.IMPLIED),
        # With s <= x, by the notes of thm-3.2-improved.
        ("thm-3.2", "thm-3.2-improved", Order.IMPLIED),
        # The simple forms are simplifications of the main ones under their conditions (Theorem 3.2, second sentence).
        ("thm-3.2-simple", "thm-3.2", Order.IMPLIED),
        ("thm-3.2", "thm-3.2-simple", Order.NEVER),
        # A.4 at w = 1 and at w = p0, by the proofs of Theorems 4.3 and 3.2.
        ("thm-4.3", "thm-A.4", Order.EQUAL),
        ("thm-3.2", "thm-A.4", Order.EQUAL),
        ("thm-5.1", "thm-A.7", Order.EQUAL),
        # Theorem 18 is the smaller of Theorem 1's bound and another.
        ("basic-1", "adv-18", Order.IMPLIED),
        # Proposition 7 is an equality, Proposition 14 an upper bound on the same.
        ("zcdp-14-tight", "gauss-10", Order.IMPLIED),
        ("gauss-8", "gauss-10", Order.EQUAL),
        # Neither implies the other: clones win for large eps0 and many clients.
        ("thm-5.1", "fmt21-3.1", Order.CROSSING),
        # Any budget caps a bound, and few steps amplify nothing.
        ("thm-A.4", "basic-1", Order.CROSSING),
    ],
)
def test_known_orders_are_found(theorem, other, order):
    answer = compare(REGISTRY[theorem], REGISTRY[other])
    assert answer.order is order
    assert answer.points <= len(grid(theorem)) and 0 <= answer.equal <= answer.implied <= answer.inside <= answer.points
    if order is Order.IMPLIED:
        assert answer.everywhere and answer.least >= 1 - 1e-12


def test_what_is_not_a_reduction_implies_nothing():
    # Swapping can be less private than shuffling (sheet on protocols), so bounds for shuffling say nothing of it.
    assert compare(REGISTRY["thm-A.7"], REGISTRY["thm-5.1"]) is None
    # Many clients' bounds are for fixed randomizers, Theorem 5.1's for adaptive ones.
    assert compare(REGISTRY["thm-5.1"], REGISTRY["girgis-ub1"]) is None
    # A lower bound and an upper bound.
    assert compare(REGISTRY["girgis-lb"], REGISTRY["girgis-ub1"]) is None


@pytest.mark.nightly
def test_the_same_bound_at_a_smaller_delta_is_no_equality():
    # The main text of Theorem 3.2 has delta0 where the supplement has delta1, which is larger.
    answer = compare(REGISTRY["thm-3.2-approx"], REGISTRY["thm-3.2-approx-main"])
    assert (answer.order, answer.least, answer.largest) == (Order.IMPLIED, 1.0, 1.0)
    assert "claims the same bound at a smaller delta" in "\n".join(lines(dominance("thm-3.2-approx")))


def test_false_theorems_imply_nothing():
    assert {theorem.id for theorem in SUITES["refuted"].theorems} | {"bu20-limit", "group-linear"} <= false_theorems()
    assert "gauss-8" not in false_theorems()
    assert not dominance("chen-gdp").comparisons and not dominance("bu20-limit").comparisons


def theorem_4_1(clients, steps, eps0, delta2, delta):
    x, logs = mpmath.exp(eps0), mpmath.log(1 / mpmath.mpf(delta))
    loads = mpmath.sqrt(mpmath.mpf(1) / clients + mpmath.mpf(1) / steps)
    loads += mpmath.sqrt(mpmath.log(1 / mpmath.mpf(delta2)) / clients)
    return x**4 * (x - 1) ** 2 * loads**2 / 2 + loads * x**2 * (x - 1) * mpmath.sqrt(2 * logs)


def theorem_5_1(clients, eps0, delta):
    x, logs = mpmath.exp(eps0), mpmath.log(1 / mpmath.mpf(delta))
    return x**3 * (x - 1) ** 2 / (2 * clients) + x ** mpmath.mpf(1.5) * (x - 1) * mpmath.sqrt(2 * logs / clients)


def test_ratios_agree_with_formulas_written_anew():
    # Theorems 4.1 and 5.1 of Balle et al. (2020), on the grid of the suite written out again.
    ratios = [
        theorem_4_1(n, m, eps0, 1e-7, delta) / theorem_5_1(n, eps0, mpmath.mpf(delta) + mpmath.mpf(1e-7))
        for n in (1000, 10**5, 10**7)
        for m in (100, 1000)
        for eps0 in (0.2, 0.5, 1)
        for delta in (1e-6, 1e-9)
    ]
    answer = compare(REGISTRY["thm-4.1"], REGISTRY["thm-5.1"])
    assert answer.points == len(ratios) == 36
    assert answer.least == pytest.approx(float(min(ratios)), rel=1e-12)
    assert answer.largest == pytest.approx(float(max(ratios)), rel=1e-12)


@pytest.mark.parametrize(("theorem", "other"), [("thm-5.1", "fmt21-3.1"), ("thm-3.2-simple", "thm-5.1")])
def test_the_order_changes_at_each_turn(theorem, other):
    turn = compare(REGISTRY[theorem], REGISTRY[other]).turn
    assert 0 < turn.low < turn.high <= 1.011 * turn.low

    def implies(value):
        params = {**turn.params, turn.parameter: value}
        clients = params.get("clients", params.get("steps"))
        params_of_other = {"clients": clients, "eps0": params["eps0"], "delta": params["delta"]}
        return REGISTRY[theorem](**params).value >= REGISTRY[other](**params_of_other).value

    assert implies(turn.low) is turn.implied_low and implies(turn.high) is not turn.implied_low


SMALL = {"steps": 3, "eps0": 0.7, "weight": 0.4}


@pytest.mark.parametrize("delta", [1e-3, 0.05])
def test_reductions_hold_for_certified_numbers(delta):
    """The special one's lower end is never above the general one's upper end."""
    slot = HiddenSlot(SMALL["steps"], SMALL["eps0"], SMALL["weight"])
    alone = HiddenSlot(SMALL["steps"], SMALL["eps0"])
    shuffle = Shuffle(SMALL["steps"], SMALL["eps0"])
    swap = Swap(SMALL["steps"], SMALL["eps0"])
    budget = log1p(SMALL["weight"] * float(mpmath.expm1(SMALL["eps0"])))
    pairs = [
        (CheckIn(SMALL["steps"], SMALL["eps0"], SMALL["weight"]), slot),
        (CheckIn(SMALL["steps"], SMALL["eps0"], SMALL["weight"], clients=4), slot),
        (SlidingWindow(SMALL["steps"], 6, SMALL["eps0"]), alone),
        (slot, alone),
        (alone, shuffle),
        (shuffle, swap),
        (Averaged(SMALL["steps"], 2, SMALL["eps0"]), shuffle),
        (slot, RandomizedResponse(1, budget)),
        (swap, RandomizedResponse(1, SMALL["eps0"])),
    ]
    for special, general in pairs:
        assert special.epsilon(delta).lower <= general.epsilon(delta).upper, (special, general)


def test_reductions_map_all_that_the_general_theorems_ask():
    slack = {"delta", "delta0", "delta1", "delta2", "order", "epsilon", "eps0_last"}
    params = {"steps": 5, "window": 5, "clients": 9, "eps0": 0.5, "check_in_prob": 0.5, "weight": 0.5}
    params |= {"bin_norm": 4.0, "scale": 2.0, "sigma": 1.5, "rate": 0.1}
    for reduction in reductions():
        general = [theorem for theorem in REGISTRY.values() if scene(theorem) == reduction.general]
        assert general and any(scene(theorem) == reduction.special for theorem in REGISTRY.values())
        mapping = reduction.map_parameters(params)
        for theorem in general:
            if not set(theorem.parameters) & {"bin_norm"} - set(mapping):
                missing = set(theorem.parameters) - set(mapping) - slack
                assert missing <= {"steps"}, (reduction, theorem.id)
    assert chains_from("hidden-slot")["swap"][-1].special == "shuffle"


@pytest.mark.nightly
def test_the_answer_in_json_and_in_words(pldcheck):
    result = pldcheck("dominance", "thm-4.1", "--json", "--out", "there")
    assert result.status == 0 and result.json["dominated"]["thm-4.1"][:2] == ["lem-A.2", "thm-A.7"]
    with open("there/dominance-thm-4.1.json") as file:
        assert json.load(file)["comparisons"] == result.json["comparisons"]
    text = pldcheck("dominance", "thm-4.1").out
    assert (
        "implied by thm-5.1 at all 36 points" in text
        and "averages over bins are a function of the shuffled answers" in text
    )


@pytest.mark.nightly
def test_an_unknown_theorem_is_refused(pldcheck):
    result = pldcheck("dominance", "thm-4.9")
    assert (
        result.status == 2 and result.out == "" and "did you mean thm-4" in result.err and result.err.count("\n") == 1
    )


# Theorems on delta of Gaussian noise.
GAUSSIAN_FORMS = {"gauss-8", "gauss-10", "gauss-3", "gauss-8-simple", "zcdp-14-tight", "zcdp-14-simple"}


def test_only_what_was_asked_about_is_compared():
    answer = dominance("gauss-8")
    assert all("gauss-8" in (one.theorem, one.other) for one in answer.comparisons)
    assert {one.theorem for one in answer.comparisons} == GAUSSIAN_FORMS | {"bs16-3.6"}
    assert next(lines(answer)).startswith("gauss-8  (delta =, gaussian, 12 points)")
    assert repr(answer) == "<Dominance of gauss-8: 7 comparisons, 0 theorems dominated>"
