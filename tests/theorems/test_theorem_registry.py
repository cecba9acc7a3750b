"""Conditions, refusals, and the objects that carry a theorem."""

import dataclasses
import json
import math
import pickle
import re
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from html import escape
from pathlib import Path

import pytest

import pldcheck.core.errors
from pldcheck.core.adjacencies import NEIGHBOURS
from pldcheck.core.errors import ConditionError, ParameterError, PldcheckError, UnknownNameError
from pldcheck.theorems import GIVEN, REGISTRY, Bound, Condition, Source, Theorem
from pldcheck.theorems.balle20 import approximate_check_in_bounds, check_ins, shuffling_and_swaps
from pldcheck.theorems.recalled import APPROXIMATION, AS_RECALLED, MISREAD, OWN, PUBLISHED, RECALLED
from pldcheck.theorems.registry import Registry
from pldcheck.verification.suites import SUITES

POINT = {
    "thm-3.2": {"steps": 1000, "eps0": 1.0, "check_in_prob": 0.5, "delta": 1e-6},
    "thm-3.2-simple": {"steps": 1000, "eps0": 1.0, "check_in_prob": 0.5, "delta": 1e-6},
    "thm-3.2-improved": {"steps": 1000, "eps0": 1.0, "check_in_prob": 0.5, "delta": 1e-6},
    "thm-3.2-approx": {
        "steps": 10**6, "eps0": 0.2, "check_in_prob": 0.5, "delta0": 1e-17, "delta1": 1e-13, "delta": 1e-6,
    },
    "thm-3.2-approx-main": {
        "steps": 10**6, "eps0": 0.2, "check_in_prob": 0.5, "delta0": 1e-12, "delta1": 0.1, "delta": 1e-6,
    },
    "thm-3.2-approx-improved": {"steps": 1000, "eps0": 1.0, "check_in_prob": 0.5, "delta0": 1e-8, "delta": 1e-6},
    "thm-4.3-approx": {"window": 10**6, "eps0": 0.2, "delta0": 1e-17, "delta1": 1e-13, "delta": 1e-6},
    "thm-A.4-approx": {
        "steps": 10**6, "eps0": 0.2, "weight": 0.5, "delta0": 1e-17, "delta1": 1e-13, "delta": 1e-6,
    },
    "lem-A.3": {"eps0": 0.2, "delta0": 1e-17, "delta1": 1e-13},
    "thm-4.3": {"window": 1000, "eps0": 1.0, "delta": 1e-6},
    "thm-4.3-simple": {"window": 1000, "eps0": 1.0, "delta": 1e-6},
    "thm-A.4": {"steps": 1000, "eps0": 1.0, "weight": 0.5, "delta": 1e-6},
    "lem-A.2": {"steps": 1000, "first": 1.0, "decay": 0.5, "delta": 1e-6},
    "cor-3.3": {"steps": 1000, "clients": 10**6, "eps0": 1.0, "beta": 1e-12, "delta": 1e-6},
    "thm-A.7": {"clients": 1000, "eps0": 1.0, "delta": 1e-6},
    "thm-A.7-approx": {"clients": 10**6, "eps0": 0.2, "delta0": 1e-17, "delta1": 1e-13, "delta": 1e-6},
    "thm-5.1": {"clients": 1000, "eps0": 1.0, "delta": 1e-6},
    "thm-5.1-approx": {"clients": 10**6, "eps0": 0.2, "delta0": 1e-17, "delta1": 1e-13, "delta": 1e-6},
    "thm-A.5": {"clients": 1000, "bin_norm": 100.0, "eps0": 1.0, "delta": 1e-6},
    "thm-4.1": {"clients": 1000, "steps": 100, "eps0": 0.5, "delta2": 1e-7, "delta": 1e-6},
    "thm-4.1-approx": {
        "clients": 10**6, "steps": 10**4, "eps0": 0.05, "delta0": 1e-17, "delta1": 1e-13, "delta2": 1e-7, "delta": 1e-6,
    },
    "thm-A.4-simple": {"steps": 1000, "eps0": 1.0, "weight": 0.5, "delta": 1e-6},
    "thm-A.4-simple-quarter": {"steps": 1000, "eps0": 1.0, "weight": 0.5, "delta": 0.25},
    "cor-3.3-printed": {"steps": 1000, "clients": 10**6, "eps0": 1.0, "beta": 1e-12, "delta": 1e-6},
    "thm-4.1-simple": {"clients": 1000, "steps": 100, "eps0": 0.5, "delta2": 1e-7, "delta": 1e-6},
    "thm-4.1-simple-printed": {"clients": 100, "steps": 1000, "eps0": 0.5, "delta2": 1e-7, "delta": 1e-6},
    "thm-A.7-approx-printed": {
        "clients": 10**6, "steps": 1000, "eps0": 0.2, "delta0": 1e-17, "delta1": 1e-13, "delta": 1e-6,
    },
    "thm-A.5-approx": {
        "clients": 10**6, "bin_norm": 1000.0, "eps0": 0.1, "delta0": 1e-17, "delta1": 1e-13, "delta": 1e-6,
    },
    "thm-A.5-approx-printed": {
        "clients": 10**6, "steps": 10**6, "bin_norm": 1000.0, "eps0": 0.1, "delta0": 1e-17, "delta1": 1e-13,
        "delta": 1e-6,
    },
    "thm-4.1-approx-proof": {
        "clients": 10**6, "steps": 10**4, "eps0": 0.05, "delta0": 1e-17, "delta1": 1e-13, "delta2": 1e-7, "delta": 1e-6,
    },
    "basic-1": {"steps": 10, "eps0": 1.0, "eps0_last": 0.5, "delta": 1e-6},
    "zcdp-16": {"steps": 10, "eps0": 1.0, "order": 3.0},
    "adv-18": {"steps": 1000, "eps0": 0.1, "eps0_last": 0.2, "delta": 1e-6},
    "adv-22": {"steps": 1000, "eps0": 0.1, "delta0": 1e-9, "delta": 1e-6},
    "neg-25": {"epsilon": 0.1, "clients": 1000, "dimension": 10**6},
    "gauss-8": {"sigma": 2.0, "epsilon": 1.0},
    "gauss-10": {"sigma": 20.0, "steps": 10, "epsilon": 1.0},
    "zcdp-13": {"sigma": 2.0, "steps": 10, "order": 3.0},
    "zcdp-14": {"sigma": 2.0, "steps": 10, "delta": 1e-6},
    "zcdp-14-tight": {"sigma": 2.0, "steps": 10, "epsilon": 5.0},
    "pld-7": {"steps": 10, "eps0": 0.5, "epsilon": 1.0},
    "pld-9": {"steps": 10, "eps0": 0.5, "eps0_last": 1.0, "epsilon": 1.0},
    "rr-24": {"scale": 10.0, "steps": 10, "delta": 1e-6},
    "kov": {"steps": 10, "eps0": 0.5, "delta0": 1e-9, "epsilon": 1.0},
    "sub-29": {"eps0": 1.0, "delta0": 1e-9, "rate": 0.01},
    "rdp-34": {"sigma": 2.0, "rate": 0.01, "order": 3.0},
    "rdp-35": {"heads_p": 0.01, "heads_q": 0.5, "rate": 0.5, "order": 2.0},
    "rdp-38": {"sigma": 2.0, "rate": 0.01, "order": 3.0},
    "basic-2.1": {"scale": 2.0, "steps": 3, "epsilon": 0.5},
    "gauss-3": {"sigma": 2.0, "steps": 4, "epsilon": 1.0},
    "pld-7-expectation": {"steps": 10, "eps0": 0.5, "epsilon": 1.0},
    "pld-7-integral": {"steps": 10, "eps0": 0.5, "epsilon": 1.0},
    "pld-7-tail": {"steps": 10, "eps0": 0.5, "epsilon": 1.0},
    "gauss-8-simple": {"sigma": 2.0, "steps": 4, "epsilon": 1.0},
    "zcdp-12": {"sigma": 2.0, "order": 3.0},
    "zcdp-14-order": {"sigma": 2.0, "steps": 4, "order": 3.0, "epsilon": 3.0},
    "zcdp-14-markov": {"sigma": 2.0, "steps": 4, "order": 3.0, "epsilon": 3.0},
    "zcdp-14-simple": {"sigma": 2.0, "steps": 4, "epsilon": 3.0},
    "zcdp-15": {"steps": 4, "epsilon": 1.0, "delta": 1e-6},
    "zcdp-15-root": {"steps": 4, "epsilon": 1.0, "delta": 1e-6},
    "adv-18-noise": {"steps": 4, "epsilon": 1.0, "delta": 1e-6},
    "zcdp-19": {"sigma": 2.0, "eps0": 0.5, "order": 3.0},
    "zcdp-21": {"sigma": 2.0, "steps": 4, "order": 3.0},
    "rdp-31": {"sigma": 2.0, "eps0": 0.5, "order": 3.0},
    "rdp-33-infinity": {"steps": 4, "eps0": 0.5, "order": 3.0},
    "rdp-33-one": {"steps": 4, "eps0": 0.5, "order": 3.0},
    "rdp-33-convex": {"heads_p": 0.01, "heads_q": 0.5, "rate": 0.5, "order": 2.0},
    "rdp-33-group": {"sigma": 2.0, "group": 3, "order": 3.0},
    "rdp-33-delta": {"steps": 4, "eps0": 0.5, "order": 3.0, "epsilon": 1.5},
    "adv-22-unequal": {
        "steps": 10, "eps0": 0.1, "delta0": 1e-9, "eps0_last": 0.2, "delta0_last": 1e-8, "delta": 1e-6,
    },
    "kov-unequal": {"steps": 10, "eps0": 0.5, "eps0_last": 1.0, "delta0": 1e-9, "epsilon": 1.0},
    "kov-closed": {"steps": 10, "eps0": 0.5, "eps0_last": 1.0, "delta0": 1e-9, "delta": 1e-6},
    "rr-24-approx": {"sigma": 2.0, "steps": 4, "eps0": 1.0, "epsilon": 3.0},
    "sub-29-gaussian": {"sigma": 2.0, "eps0": 1.0, "rate": 0.01},
    "sub-29-fixed": {"sigma": 2.0, "eps0": 1.0, "rate": 0.01},
    "rdp-35-weighted": {"heads_p": 0.01, "heads_q": 0.5, "rate": 0.5, "order": 2.0},
    "rdp-41": {"sigma": 2.0, "rate": 0.01, "order": 3.0},
    "rdp-42": {"sigma": 2.0, "rate": 0.01, "order": 3.0},
    "rdp-42-lower": {"sigma": 1.0, "rate": 0.5, "order": 8.0},
    "sgd-6.3": {"sigma": 2.0, "rate": 0.01, "steps": 100, "delta0": 1e-9, "delta": 1e-6},
    "sgd-6.7": {"sigma": 4.0, "rate": 1e-3, "steps": 10**7, "delta": 1e-6},
    "rdp-6.7-replaced": {"sigma": 2.0, "rate": 0.01, "order": 3.0},
    "efmrtt-7": {"clients": 1000, "eps0": 0.5, "delta": 1e-6},
    "fmt21-3.1": {"clients": 1000, "eps0": 0.5, "delta": 1e-6},
    "fmt22-closed": {"clients": 1000, "eps0": 0.5, "delta": 1e-6},
    "chen-gdp": {"clients": 1000, "eps0": 1.0, "epsilon": 0.25},
    "girgis-ub1": {"clients": 10**6, "eps0": 1.0, "order": 3.0},
    "girgis-ub2": {"clients": 10**6, "eps0": 1.0, "order": 3.0},
    "girgis-lb": {"clients": 10**6, "eps0": 1.0, "order": 3.0},
    "girgis-3.6": {"clients": 1000, "eps0": 1.0, "order": 3.0},
    "vr-wang": {"clients": 1000, "eps0": 1.0, "tv": 0.25, "epsilon": 0.125},
    "krr-merged": {"clients": 1000, "eps0": 1.0, "categories": 4, "epsilon": 0.125},
    "efmrtt-short": {"clients": 1000, "eps0": 0.25, "delta": 1e-6},
    "fmt21-smaller-log": {"clients": 1000, "eps0": 0.5, "delta": 1e-6},
    "dr14-A.1": {"sigma": 10.0, "delta": 1e-6},
    "dr14-any-epsilon": {"sigma": 1.0, "delta": 1e-6},
    "dr14-3.20": {"steps": 1000, "eps0": 0.1, "delta": 1e-6},
    "vadhan17-group": {"sigma": 4.0, "group": 3, "epsilon": 1.0},
    "group-linear": {"sigma": 4.0, "group": 3, "epsilon": 1.0},
    "kov15-simple": {"steps": 1000, "eps0": 0.1, "delta": 1e-6},
    "rruv16-filter": {"steps": 1000, "eps0": 0.1, "delta": 1e-6},
    "wrrw23-filter": {"steps": 1000, "eps0": 0.1, "delta": 1e-6},
    "wrrw23-odometer": {"steps": 1000, "eps0": 0.1, "delta": 1e-6},
    "bs16-3.6": {"sigma": 10.0, "steps": 10, "epsilon": 1.0},
    "mironov17-response": {"eps0": 1.0, "order": 4.0},
    "mironov17-laplace": {"scale": 1.0, "order": 4.0},
    "drs19-3.4": {"steps": 1000, "eps0": 0.1, "epsilon": 1.0},
    "drs19-limit": {"steps": 1000, "eps0": 0.1, "delta": 1e-6},
    "bbg18-3": {"scale": 1.0, "epsilon": 0.5},
    "bbg18-8": {"sigma": 1.0, "rate": 0.1, "epsilon": 1.0},
    "bbg18-9": {"sigma": 1.0, "records": 99, "batch": 10, "epsilon": 1.0},
    "linear-amplification": {"eps0": 1.0, "delta0": 1e-6, "rate": 0.1},
    "reused-apart": {"sigma": 1.0, "rate": 0.1, "releases": 10, "epsilon": 1.0},
    "reused-together": {"sigma": 1.0, "rate": 0.1, "releases": 10, "epsilon": 1.0},
    "abadi16-3": {"sigma": 1.0, "rate": 0.01, "order": 3.0},
    "mtz19-11": {"sigma": 4.0, "rate": 0.01, "order": 4.0},
    "mtz19-replaced": {"sigma": 1.0, "rate": 0.01, "order": 4.0},
    "mtz19-accountant": {"sigma": 1.0, "rate": 0.01, "steps": 1000, "delta": 1e-6},
    "zw19-general": {"sigma": 1.0, "rate": 0.01, "order": 4.0},
    "wbk19-9": {"sigma": 1.0, "rate": 0.01, "order": 4.0},
    "bdrs18-sampling": {"sigma": 4.0, "rate": 0.01, "order": 4.0},
    "bu20-limit": {"sigma": 1.0, "rate": 0.01, "steps": 1000, "delta": 1e-6},
    "fs25-remove": {"steps": 100, "sigma": 1.0, "epsilon": 1.0},
    "fs25-add": {"steps": 10, "sigma": 2.0, "epsilon": 1.0},
    "fs25-decomposition": {"sigma": 1.0, "epsilon": 1.0},
    "poisson-allocation": {"sigma": 1.0, "epsilon": 1.0},
    "poisson-for-shuffled": {"sigma": 1.0, "epsilon": 1.0},
    "chua24-cut": {"sigma": 1.0, "rate": 0.01, "records": 999, "largest_batch": 30, "epsilon": 0.5},
    "bbgn19-3.1": {"clients": 10**5, "eps0": 1.0, "categories": 4, "delta": 1e-6},
    "glw21-5.5": {"steps": 100, "eps0": 0.1, "epsilon": 1.0},
    "rounded-up": {"steps": 100, "eps0": 0.1, "epsilon": 1.0},
    "lt22-opposite": {"steps": 10, "sigma": 1.0, "epsilon": 1.0},
    "fmt21-3.8": {"clients": 10**5, "sigma": 4.0, "eps0": 2.0, "delta": 1e-6},
    "fmt22-approximate": {"clients": 10**5, "sigma": 4.0, "eps0": 2.0, "delta": 1e-6},
    "fmt21-renyi": {"clients": 100, "eps0": 1.0, "order": 4.0},
    "fmt22-renyi": {"clients": 100, "eps0": 1.0, "categories": 3, "order": 4.0},
    "bbg18-10": {"eps0": 1.0, "records": 99, "batch": 10, "epsilon": 0.5},
    "bbg18-10-single": {"sigma": 1.0, "records": 99, "batch": 10, "epsilon": 1.0},
    "biswas23-one-value": {"clients": 100, "eps0": 1.0, "categories": 4, "epsilon": 0.1},
    "ccg24-personal": {"clients": 50, "eps0": 1.0, "eps0_last": 2.0, "epsilon": 0.5},
    "ccg24-personal-approximate": {"clients": 50, "eps0": 1.0, "eps0_last": 2.0, "delta0": 1e-6, "epsilon": 0.5},
    "gdd21-upper": {"clients": 100, "batch": 20, "eps0": 1.0, "order": 4.0},
    "gdd21-lower": {"clients": 60, "batch": 50, "eps0": 1.0, "order": 4.0},
    "gdd21-exact": {"clients": 100, "batch": 20, "eps0": 1.0, "order": 4.0},
}  # fmt: skip
SIMPLE = ("thm-3.2-simple", "thm-4.3-simple")
every_theorem = pytest.mark.parametrize("theorem", list(REGISTRY.values()), ids=lambda theorem: theorem.id)


def make_theorem(**changes):
    """Return a theorem of one parameter, to be altered."""
    source = Source("Key", "Title", "Theorem 1", "https://example.org")
    fields = {
        "id": "thm-made", "title": "Made", "statement": r"\epsilon = a & b < c", "adjacency": "replacement",
        "protocol": "check-in", "parameters": ("delta",), "conditions": (), "source": source,
        "formula": lambda delta: 1.0,
    }  # fmt: skip
    return Theorem(**(fields | changes))


# --- conditions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SIMPLE)
def test_simple_conditions_at_their_edges(name):
    theorem, at = REGISTRY[name], POINT[name]
    assert theorem(**at | {"eps0": 1.0, "delta": math.nextafter(0.01, 0)}).epsilon > 0
    # The double after 1 is 1 + 2^-52, 2^-52 = 2.22e-16.
    with pytest.raises(ConditionError, match=r"requires eps0 <= 1; eps0 = 1\.0{15}2 exceeds it by 2\.2"):
        theorem(**at | {"eps0": math.nextafter(1, 2)})
    with pytest.raises(ConditionError, match=r"requires delta < 1/100; delta = 0\.01 is the excluded limit$"):
        theorem(**at | {"delta": 0.01})
    with pytest.raises(ConditionError, match=r"requires delta < 1/100; delta = 0\.25 exceeds it by 0\.24$"):
        theorem(**at | {"delta": 0.25})


def test_condition_error_is_one_line_with_condition_and_excess():
    with pytest.raises(ConditionError) as error:
        REGISTRY["thm-3.2-simple"](**POINT["thm-3.2-simple"] | {"eps0": 1.5})
    assert str(error.value) == "thm-3.2-simple requires eps0 <= 1; eps0 = 1.5 exceeds it by 0.5"


def test_first_failing_condition_is_the_one_raised():
    bad = POINT["thm-4.3-simple"] | {"eps0": 2, "delta": 0.5}
    assert [condition.text for condition in REGISTRY["thm-4.3-simple"].failed_conditions(**bad)] == [
        "eps0 <= 1",
        "delta < 1/100",
    ]
    with pytest.raises(ConditionError, match="eps0 <= 1"):
        REGISTRY["thm-4.3-simple"](**bad)


@pytest.mark.parametrize("name", ["thm-3.2", "thm-3.2-improved", "thm-4.3", "thm-A.4"])
def test_main_forms_have_no_condition_beyond_the_domains(name):
    theorem = REGISTRY[name]
    for change in ({"eps0": 20}, {"delta": math.nextafter(1, 0)}, {"eps0": 1e-12}, {"delta": 5e-324}):
        assert theorem.failed_conditions(**POINT[name] | change) == ()
        assert 0 < float(theorem(**POINT[name] | change)) < math.inf


@every_theorem
def test_failed_conditions_is_empty_where_the_theorem_applies(theorem):
    assert theorem.failed_conditions(**POINT[theorem.id]) == ()


def test_conditions_text_lists_domains_then_conditions():
    assert REGISTRY["thm-3.2-simple"].conditions_text == (
        "steps is an integer from 1 to 1e12",
        "eps0 is above 0 and at most 20",
        "check_in_prob is above 0 and at most 1",
        "delta is above 0 and below 1",
        "eps0 <= 1",
        "delta < 1/100",
    )


@pytest.mark.parametrize("strict", [False, True])
def test_a_condition_that_evaluates_to_nan_has_failed(strict):
    assert not Condition("odd", "delta", lambda params: math.nan, strict).holds({"delta": 0.5})


def test_strictness_decides_at_zero_excess():
    def excess(params):
        return params["delta"] - 0.5

    assert Condition("delta <= 1/2", "delta", excess).holds({"delta": 0.5})
    assert not Condition("delta < 1/2", "delta", excess, strict=True).holds({"delta": 0.5})


# --- bad input ----------------------------------------------------------------------------------------------

BAD = [
    ("eps0", math.nan, "eps0 must be above 0 and at most 20, got nan"),
    ("eps0", -1.0, "eps0 must be above 0 and at most 20, got -1.0"),
    ("eps0", 0, "eps0 must be above 0 and at most 20, got 0"),
    ("eps0", 21, "eps0 must be above 0 and at most 20, got 21"),
    ("eps0", math.inf, "eps0 must be above 0 and at most 20, got inf"),
    ("eps0", True, "eps0 must be above 0 and at most 20, got True"),
    ("eps0", "one", "eps0 must be above 0 and at most 20, got 'one'"),
    ("eps0", "nan", "eps0 must be above 0 and at most 20, got 'nan'"),
    ("eps0", None, "eps0 must be above 0 and at most 20, got None"),
    ("delta", 0.0, "delta must be above 0 and below 1, got 0.0"),
    ("delta", 1.0, "delta must be above 0 and below 1, got 1.0"),
    ("steps", 0, "steps must be an integer from 1 to 1e12, got 0"),
    ("steps", 1.5, "steps must be an integer from 1 to 1e12, got 1.5"),
    ("steps", True, "steps must be an integer from 1 to 1e12, got True"),
    ("steps", -3, "steps must be an integer from 1 to 1e12, got -3"),
    ("check_in_prob", 0, "check_in_prob must be above 0 and at most 1, got 0"),
    ("check_in_prob", 1.01, "check_in_prob must be above 0 and at most 1, got 1.01"),
]


@pytest.mark.parametrize(("name", "value", "message"), BAD)
@pytest.mark.parametrize("call", [Theorem.__call__, Theorem.failed_conditions])
def test_values_outside_a_domain_are_refused(call, name, value, message):
    with pytest.raises(ParameterError) as error:
        call(REGISTRY["thm-3.2-simple"], **POINT["thm-3.2-simple"] | {name: value})
    assert str(error.value) == message


@every_theorem
def test_a_missing_keyword_is_named(theorem):
    for name in theorem.parameters:
        rest = {key: value for key, value in POINT[theorem.id].items() if key != name}
        with pytest.raises(ParameterError, match=f"^{name} is missing; it must be ") as error:
            theorem(**rest)
        assert (error.value.name, error.value.value) == (name, "nothing")


def test_an_unexpected_keyword_is_named_with_the_nearest():
    with pytest.raises(UnknownNameError, match="^unknown parameter of thm-3.2 'step'; did you mean steps"):
        REGISTRY["thm-3.2"](**POINT["thm-3.2"], step=3)
    # A parameter of other theorems is no parameter of this one.
    with pytest.raises(UnknownNameError, match="unknown parameter of thm-4.3 'check_in_prob'"):
        REGISTRY["thm-4.3"](**POINT["thm-4.3"], check_in_prob=1.0)
    # A misspelt name is reported as such, rather than as the parameter it leaves missing.
    with pytest.raises(UnknownNameError, match="did you mean steps"):
        REGISTRY["thm-3.2"](stesp=1000, eps0=1, check_in_prob=1, delta=1e-6)


def test_values_may_be_text_and_come_out_as_numbers():
    bound = REGISTRY["thm-3.2"](delta="1e-6", steps="1e3", check_in_prob="0.5", eps0="1")
    assert bound == REGISTRY["thm-3.2"](**POINT["thm-3.2"])
    assert list(bound.params.items()) == list(POINT["thm-3.2"].items())
    assert type(bound.params["steps"]) is int


def overflows(delta):
    return math.exp(1000 / delta)


def underflows(delta):
    raise FloatingPointError("a term is too small")


RANGE = "is outside the range of floating-point numbers at delta = 0.25"


REFUSED_FORMULAS = [
    (overflows, RANGE),
    (lambda delta: 10**400, RANGE),
    (underflows, f"{RANGE}: a term is too small"),
    (lambda delta: math.inf, f"{RANGE}; it returned inf, which is taken for an overflow"),
    (lambda delta: delta * 5e-324, f"{RANGE}; it returned 0.0, which is taken for an underflow"),
    (lambda delta: math.nan, "returned nan, which no epsilon can be, at delta = 0.25"),
    (lambda delta: -delta, "returned -0.25, which no epsilon can be, at delta = 0.25"),
    (
        lambda delta: 1 / (delta - delta),
        "cannot be evaluated: ZeroDivisionError: float division by zero, at delta = 0.25",
    ),
    (lambda delta: math.sqrt(-delta), "cannot be evaluated: ValueError: math domain error, at delta = 0.25"),
    (lambda delta: Decimal(0) / Decimal(0), "cannot be evaluated: InvalidOperation, at delta = 0.25"),
    (
        lambda delta: REGISTRY["thm-4.3-simple"](eps0=2, window=9, delta=delta).value,
        "cannot be evaluated: thm-4.3-simple requires eps0 <= 1; eps0 = 2.0 exceeds it by 1, at delta = 0.25",
    ),
]


def test_a_formula_without_a_usable_value_is_refused_with_the_right_reason():
    for formula, message in REFUSED_FORMULAS:
        with pytest.raises(PldcheckError) as error:
            make_theorem(formula=formula)(delta=0.25)
        assert str(error.value) == f"thm-made {message}" and type(error.value) is PldcheckError


@pytest.mark.parametrize(
    "formula",
    [lambda steps: 1.0, lambda **values: values["nothing"], lambda **values: None, lambda **values: values.steps],
    ids=["parameters", "key", "none", "attribute"],
)
def test_an_error_in_a_formula_is_reported_in_one_line(formula):
    theorem = dataclasses.replace(REGISTRY["thm-3.2"], id="own", formula=formula)
    with pytest.raises(PldcheckError, match="^own cannot be evaluated: (Type|Key|Attribute)Error") as error:
        theorem(**POINT["thm-3.2"])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("quantity", "value"),
    [("delta", 0.0), ("delta", 5e-324), ("delta", math.nextafter(1, 2)), ("renyi", 0.0), ("error", 0.0)],
)
def test_values_that_no_quantity_takes_are_refused(quantity, value):
    theorem = make_theorem(quantity=quantity, formula=lambda delta: value, at=lambda delta: 1.0)
    with pytest.raises(PldcheckError, match="outside the range|which no delta can be"):
        theorem(delta=0.25)


@pytest.mark.parametrize("quantity", ["epsilon", "delta", "renyi", "error"])
def test_zero_is_a_value_only_where_the_theorem_says_that_it_means_it(quantity):
    theorem = make_theorem(quantity=quantity, formula=lambda delta: 0.0, at=lambda delta: 1.0, zero=True)
    assert theorem(delta=0.25).value == 0
    assert make_theorem(quantity=quantity, formula=lambda delta: 1.0, at=lambda delta: 1.0)(delta=0.25).value == 1
    for value in (-1.0, 5e-324, math.nan):
        with pytest.raises(PldcheckError, match="outside the range|which no epsilon can be"):
            make_theorem(formula=lambda delta, value=value: value, zero=True)(delta=0.25)


def test_underflow_is_refused_rather_than_claimed_as_perfect_privacy():
    with pytest.raises(PldcheckError, match="thm-A.4 is outside the range"):
        REGISTRY["thm-A.4"](steps=1, eps0=1e-200, weight=1e-200, delta=0.5)


# --- the objects --------------------------------------------------------------------------------------------


@every_theorem
def test_bound_carries_what_was_asked(theorem):
    at = POINT[theorem.id]
    bound = theorem(**at)
    assert isinstance(bound, Bound)
    assert (bound.theorem, dict(bound.params), bound.quantity) == (theorem.id, at, theorem.quantity)
    assert bound.conditions == theorem.conditions_text
    assert float(bound) == bound.value == theorem.formula(**at) > 0
    assert bound.at == (theorem.at(**at) if theorem.at else at[GIVEN[theorem.quantity]])
    assert repr(bound).startswith(f"Bound('{theorem.id}', {theorem.quantity}={bound.value:.6g}, ")


@pytest.mark.parametrize(
    ("quantity", "epsilon", "delta_total", "text"),
    [
        ("epsilon", 0.25, 0.5, "epsilon=0.25, delta_total=0.5"),
        ("delta", 0.5, 0.25, "delta=0.25, epsilon=0.5"),
        ("renyi", 0.25, None, "renyi=0.25, order=0.5"),
        ("error", 0.5, None, "error=0.25, epsilon=0.5"),
    ],
)
def test_a_bound_prints_its_epsilon_and_delta(quantity, epsilon, delta_total, text):
    bound = Bound("thm-made", {}, quantity, 0.25, 0.5, ())
    assert (bound.epsilon, bound.delta_total, float(bound)) == (epsilon, delta_total, 0.25)
    assert repr(bound) == f"Bound('thm-made', {text})"
    row = bound.to_dict()
    assert (row["epsilon"], row["delta_total"], row["value"], row["at"]) == (epsilon, delta_total, 0.25, 0.5)
    assert row.get("order") == (0.5 if quantity == "renyi" else None)


def test_bound_to_dict_is_json():
    bound = REGISTRY["thm-4.3-simple"](**POINT["thm-4.3-simple"])
    row = bound.to_dict()
    assert list(row) == ["theorem", "params", "quantity", "value", "at", "epsilon", "delta_total", "conditions"]
    assert json.loads(json.dumps(row)) == row
    assert row["conditions"][-2:] == ["eps0 <= 1", "delta < 1/100"]


def test_bound_pickles_and_hashes():
    bound = REGISTRY["thm-3.2"](**POINT["thm-3.2"])
    assert pickle.loads(pickle.dumps(bound)) == bound
    assert len({bound, REGISTRY["thm-3.2"](**POINT["thm-3.2"])}) == 1
    renyi = REGISTRY["zcdp-13"](**POINT["zcdp-13"])
    assert pickle.loads(pickle.dumps(renyi)) == renyi != bound


def test_everything_is_frozen():
    theorem = REGISTRY["thm-3.2-simple"]
    bound = theorem(**POINT["thm-3.2-simple"])
    for thing, attribute in [
        (theorem, "formula"),
        (bound, "value"),
        (bound, "epsilon"),
        (theorem.conditions[0], "excess"),
        (theorem.source, "where"),
    ]:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, attribute, None)
    with pytest.raises(TypeError):
        bound.params["eps0"] = 2.0
    with pytest.raises(TypeError):
        REGISTRY["thm-3.2"] = theorem
    with pytest.raises(TypeError):
        del REGISTRY["thm-3.2"]


def test_a_bound_keeps_its_own_copy_of_the_parameters():
    params = {"delta": 0.5}
    bound = Bound("thm-made", params, "epsilon", 1.0, 0.5, ())
    params["delta"] = 0.25
    assert bound.params["delta"] == 0.5


@pytest.mark.parametrize(
    "theorem",
    [
        entry
        for entry in (*check_ins.THEOREMS, *approximate_check_in_bounds.THEOREMS, *shuffling_and_swaps.THEOREMS)
        if entry.id.startswith("thm")
    ],
    ids=lambda theorem: theorem.id,
)
def test_theorems_of_balle_say_where_they_come_from(theorem):
    assert theorem.adjacency == "replace"
    assert theorem.source.url == "https://arxiv.org/abs/2007.06605"
    number = "A.4" if theorem.id.endswith("-improved") else theorem.id.split("-")[1]
    assert f"Theorem {number}" in theorem.source.where
    stated_for = {
        "3.2": "check-in", "4.1": "averaged", "4.3": "sliding-window", "5.1": "shuffle",
        "A.4": "hidden-slot", "A.5": "swap", "A.7": "swap",
    }  # fmt: skip
    assert theorem.protocol == stated_for[theorem.id.split("-")[1]]


@every_theorem
def test_a_number_in_the_id_is_that_of_the_source(theorem):
    assert theorem.adjacency in NEIGHBOURS
    number = theorem.id.partition("-")[2]
    if theorem.source.key not in ("pldcheck", "Girgis21") and any(map(str.isdigit, number)):
        assert f" {number.split('-')[0]}" in theorem.source.where
    paper = {"Steinke22": "2210.00597", "Balle20": "2007.06605"}.get(theorem.source.key)
    assert paper is None or theorem.source.url == f"https://arxiv.org/abs/{paper}"
    arxiv = r"https://arxiv\.org/abs/[0-9]{4}\.[0-9]{4,5}"
    # What is not on arXiv has the address of its publisher.
    assert re.fullmatch(rf"{arxiv}|https://(doi\.org/10|proceedings\.mlr\.press/v)\S+", theorem.source.url)


def test_the_improved_form_is_not_attributed_to_the_paper():
    source = REGISTRY["thm-3.2-improved"].source
    assert source.key == "pldcheck"
    assert "Lemma A.2" in source.where


@every_theorem
def test_html_shows_statement_conditions_and_source(theorem):
    html = theorem._repr_html_()
    assert f"$${escape(theorem.statement)}$$" in html
    assert all(escape(text) in html for text in theorem.conditions_text)
    assert theorem.source.where in html and theorem.source.url in html


def test_what_is_claimed_stands_first_unless_it_is_a_bound_on_epsilon():
    assert REGISTRY["gauss-8"].conditions_text[0] == "delta = formula, at a given epsilon"
    assert REGISTRY["zcdp-16"].conditions_text[0] == "renyi <= formula, at a given order"
    assert REGISTRY["neg-25"].conditions_text[0] == "error >= formula, at a given epsilon"
    assert REGISTRY["adv-22"].conditions_text[0] == "steps is an integer from 1 to 1e12"
    assert "<li>renyi &lt;= formula, at a given order</li>" in REGISTRY["zcdp-16"]._repr_html_()


def test_html_is_escaped():
    assert r"$$\epsilon = a &amp; b &lt; c$$" in make_theorem()._repr_html_()


def test_theorems_check_their_own_tables():
    with pytest.raises(UnknownNameError, match="unknown parameter 'steep'; did you mean steps"):
        make_theorem(parameters=("steep",))
    with pytest.raises(UnknownNameError, match="unknown parameter of thm-made 'eps0'"):
        make_theorem(conditions=(Condition("eps0 <= 1", "eps0", lambda params: params["eps0"] - 1),))
    with pytest.raises(UnknownNameError, match="unknown quantity 'epsilom'; did you mean epsilon"):
        make_theorem(quantity="epsilom")
    with pytest.raises(UnknownNameError, match="unknown relation '<'"):
        make_theorem(relation="<")
    # Where the quantity is claimed must be among the parameters, or follow from them.
    with pytest.raises(UnknownNameError, match="unknown parameter of thm-made 'order'"):
        make_theorem(quantity="renyi")
    assert make_theorem(quantity="renyi", at=lambda delta: 1 / delta)(delta=0.25).at == 4


# --- the registry -------------------------------------------------------------------------------------------


def test_unknown_id_suggests_the_nearest():
    with pytest.raises(UnknownNameError) as error:
        REGISTRY["thm-3.2-simpel"]
    assert str(error.value).startswith("unknown theorem 'thm-3.2-simpel'; did you mean thm-3.2-simple")
    with pytest.raises(UnknownNameError, match="unknown theorem '3'"):
        REGISTRY[3]


def test_the_registry_behaves_as_a_mapping():
    assert set(REGISTRY) == set(POINT) and len(REGISTRY) == len(POINT) == 144
    assert "thm-3.2" in REGISTRY and "thm-3.2" in REGISTRY.keys()
    assert "nope" not in REGISTRY and "nope" not in REGISTRY.keys()
    assert REGISTRY.get("nope") is None and REGISTRY.get("nope", 7) == 7
    assert REGISTRY.get("thm-3.2") is REGISTRY["thm-3.2"]
    assert ("nope", None) not in REGISTRY.items()
    assert all(key == theorem.id for key, theorem in REGISTRY.items())
    assert dict(REGISTRY) == dict(zip(REGISTRY.keys(), REGISTRY.values(), strict=True))


def test_duplicate_ids_are_refused():
    with pytest.raises(ParameterError, match="theorem id must be unique, got 'thm-made'"):
        Registry([make_theorem(), make_theorem(id="thm-other"), make_theorem()])


def test_theorems_bounds_and_registries_print_themselves():
    assert repr(REGISTRY["thm-4.3"]) == (
        "<Theorem thm-4.3: Amplification via random check-ins with sliding windows (window, eps0, delta)>"
    )
    assert repr(Registry([make_theorem()])) == "<Registry of 1 theorems: thm-made>"
    html = REGISTRY._repr_html_()
    assert html.count("<tr>") == 1 + len(REGISTRY)
    assert all(f"<td>{name}</td>" in html for name in REGISTRY)


def test_importing_the_theorems_loads_nothing_numeric():
    """A theorem and the number it is checked against must share no code."""
    script = "import sys, pldcheck.theorems; print(*sorted(sys.modules), sep='\\n')"
    root = Path(pldcheck.core.errors.__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    modules = set(run.stdout.split())
    papers = ("balle20", "steinke22.gaussian_noise", "feldman21", "wang24", "girgis21")
    assert {f"pldcheck.theorems.{paper}" for paper in papers} <= modules
    assert not modules & {"numpy", "scipy", "numba", "matplotlib", "dp_accounting"}


def test_registered_formulas_fail_by_their_range_alone():
    """They are defined at all parameters: a logarithm or a quotient fails where an argument has underflowed."""
    for name, at in {
        "rdp-35": {"heads_p": 0.3, "heads_q": 0.4, "rate": 1e-200, "order": 2},
        "zcdp-13": {"sigma": 1e-200, "steps": 3, "order": 2},
        "vr-wang": {"clients": 2, "eps0": 1e-120, "tv": 1e-320, "epsilon": 1e-320},
        "krr-merged": {"clients": 37, "eps0": 1e-130, "categories": 77667, "epsilon": 1e-297},
    }.items():
        with pytest.raises(PldcheckError, match=f"^{name} is outside the range of floating-point numbers at "):
            REGISTRY[name](**at)


def test_a_statement_is_published_recalled_or_deliberately_false():
    """A reading that its authors do not claim was registered from memory, and its title says that it is false."""
    for name, theorem in REGISTRY.items():
        recalled = AS_RECALLED in theorem.notes or "The statement is recalled" in theorem.notes
        assert theorem.misread == (AS_RECALLED in theorem.notes and theorem.title.endswith(" (false)")), name
        printed = APPROXIMATION if theorem.approximation else OWN if theorem.source.key == "pldcheck" else PUBLISHED
        assert theorem.standing == (MISREAD if theorem.misread else RECALLED if recalled else printed), name
    counts = Counter(theorem.standing for theorem in REGISTRY.values())
    assert counts == {PUBLISHED: 80, APPROXIMATION: 2, OWN: 2, RECALLED: 47, MISREAD: 13}
    refuted = {theorem.id: theorem.standing for theorem in SUITES["refuted"].theorems}
    # Of these two the papers say that they are approximate, or name no constant: no theorem of theirs is false.
    false = dict.fromkeys(("krr-merged", "vr-wang"), PUBLISHED)
    assert refuted == {**false, **dict.fromkeys(("chen-gdp", "thm-4.1-simple-printed"), APPROXIMATION)}
    # Every paper is cited by its authors and its year.
    citations = {theorem.source.key: theorem.source.citation for theorem in REGISTRY.values()}
    assert {key for key, text in citations.items() if not re.search(r" \(20[12][0-9]\)$", text)} == {"pldcheck"}
    picked = {key: citations[key] for key in ("Wang24", "Mironov17", "DR14", "BBG18", "Chua24b")}
    assert picked == {
        "Wang24": "Wang et al. (2024)",
        "Mironov17": "Mironov (2017)",
        "DR14": "Dwork and Roth (2014)",
        "BBG18": "Balle et al. (2018)",
        "Chua24b": "Chua et al. (2024)",
    }
    assert Source("mine24", "mine24", "f", "").citation == "mine24"
