"""The program for adaptive policies against every sequence of outputs, in fractions; and what it rejects."""

import json
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program_files import examined
from tampering import change, nearby

from pldcheck.checkers import lower_adaptive
from pldcheck.protocols import HiddenSlot
from pldcheck.witness import of_question

NAMES = ("record", "replacement", "reference")


def above_exp(x):
    """Return a rational within 1e-60 above e^x."""
    with mpmath.workdps(90):
        return Fraction(int(mpmath.ceil(mpmath.exp(mpmath.mpf(x.numerator) / x.denominator) * 10**60)), 10**60)


def divergence(facts, kappa):
    """Return the hockey-stick divergence of all sequences of outputs, nothing merged."""
    mechanism, params = facts["mechanism"], facts["claim"]["params"]
    n, weight = params.get("steps", params.get("clients")), Fraction(params.get("weight", 1))
    laws = [[[Fraction(mass) for mass in laws_of_names[name]] for name in NAMES] for laws_of_names in mechanism["laws"]]
    total, outputs = Fraction(0), max(len(rows[0]) for rows in laws)
    for sequence in product(range(outputs), repeat=n):
        score, counts = 0, []
        for y, (limits, law_names) in zip(sequence, mechanism["policy"], strict=True):
            law = law_names[sum(limit <= score for limit in limits)]
            if y >= len(laws[law][0]):
                break
            counts.append([rows[y] for rows in laws[law]])
            score += mechanism["laws"][law]["scores"][y]
        else:
            gain = Fraction(0)
            for place in range(n):
                others = Fraction(1)
                for slot, (_, _, c) in enumerate(counts):
                    others *= 1 if slot == place else c
                a, b, c = counts[place]
                gain += others * (weight * a + (1 - weight) * c - kappa * (weight * b + (1 - weight) * c))
            total += max(gain / n, 0)
    return total


def truly_valid(facts):
    """Return what the program is asked, in other words."""
    claim, mechanism = facts["claim"], facts["mechanism"]
    limit = above_exp(Fraction(claim["params"]["eps0"]))
    for laws_of_names in mechanism["laws"]:
        rows = [[Fraction(mass) for mass in laws_of_names[name]] for name in NAMES]
        if any(sum(row) != 1 or min(row) <= 0 for row in rows):
            return False
        if any(a > limit * b for one in rows for other in rows for a, b in zip(one, other, strict=True)):
            return False
    value = divergence(facts, above_exp(Fraction(claim["epsilon"])))
    return value + Fraction(1, 10**50) >= Fraction(facts["delta_attained_at_least"]) > Fraction(claim["delta"])


BE = {"record": ["3/5", "2/5"], "replacement": ["2/5", "3/5"], "reference": ["3/5", "2/5"], "scores": [1, -2]}
ACE = {"record": ["1/2", "1/4", "1/4"], "replacement": ["1/4", "1/2", "1/4"], "reference": ["1/4", "1/4", "1/2"]}
ACE |= {"scores": [3, -3, 0]}


def file(policy, epsilon="0.3", **params):
    claim = {"params": {"steps": len(policy), "eps0": 0.75, **params}, "relation": "<=", "adjacency": "replace"}
    claim |= {"epsilon": epsilon, "delta": "0.001"}
    mechanism = {"kind": "hidden-slot", "laws": [BE, ACE], "policy": policy}
    return {"pldcheck_witness": 3, "claim": claim, "mechanism": mechanism, "delta_attained_at_least": "0.0011"}


SAMPLES = [
    file([[[], [0]], [[0], [0, 1]]]),
    file([[[], [1]], [[-1, 2], [0, 1, 0]], [[0, 1], [1, 0, 1]], [[], [1]]], "0.1"),
    file([[[], [1]], [[1], [0, 1]], [[0], [1, 0]]], "0.05", weight=0.75),
]


@pytest.mark.parametrize("facts", SAMPLES, ids=range(3))
def test_the_checker_agrees_with_a_sum_over_every_sequence(facts):
    assert truly_valid(facts)
    for kappa in (Fraction(1), Fraction(11, 10), Fraction(3, 2)):
        weight = Fraction(facts["claim"]["params"].get("weight", 1))
        laws = [
            lower_adaptive.outputs_of(laws_of_names, Fraction(3), weight, kappa, "replace")
            for laws_of_names in (BE, ACE)
        ]
        value, truth = lower_adaptive.divergence(laws, facts["mechanism"]["policy"]), divergence(facts, kappa)
        # Paths of one sum are taken as one; here that costs little.
        assert value <= truth <= value * Fraction(3, 2) and value > 0


def test_sums_that_tell_all_paths_apart_lose_nothing():
    facts = json.loads(json.dumps(SAMPLES[1]))
    policy = [[[], [1]]] * 4
    facts["mechanism"]["policy"] = policy
    facts["mechanism"]["laws"][1]["scores"] = [1, 5, 25]
    kappa = Fraction(6, 5)
    laws = [
        lower_adaptive.outputs_of(laws_of_names, Fraction(3), Fraction(1), kappa, "replace")
        for laws_of_names in facts["mechanism"]["laws"]
    ]
    value, truth = lower_adaptive.divergence(laws, policy), divergence(facts, kappa)
    assert value <= truth <= value + Fraction(1, 10**50)


def numbers(value, path=()):
    """Yield the places of all numbers."""
    if isinstance(value, dict):
        for name, inner in value.items():
            omissions = ("relation", "adjacency", "kind", "pldcheck_witness")
            yield from numbers(inner, (*path, name)) if name not in omissions else ()
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from numbers(inner, (*path, place))
    else:
        yield path


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_whatever_number_is_changed_what_is_accepted_is_true(data):
    facts = data.draw(st.sampled_from(SAMPLES))
    path = data.draw(st.sampled_from(list(numbers(facts))))

    other = change(facts, path, lambda old: nearby(data, old, str))
    try:
        lower_adaptive.check(other)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return
    assert truly_valid(other)


REJECTIONS = {
    "another number of slots": (("claim", "params", "steps"), 5, "out of range"),
    "slots that are no count": (("claim", "params", "steps"), 4.0, "out of range"),
    "a policy for fewer slots": (("mechanism", "policy"), [[[], [0]]] * 3, "out of range"),
    "a law that is none": (("mechanism", "policy", 0, 1), [2], "IndexError"),
    "an eps0 too small": (("claim", "params", "eps0"), 0.69, "e^eps0"),
    "a row not of sum 1": (("mechanism", "laws", 0, "record"), ["2/3", "2/3"], "sum 1"),
    "an impossible output": (("mechanism", "laws", 0, "record"), ["1", "0"], "positive"),
    "scores that are no integers": (("mechanism", "laws", 0, "scores"), [0.5, 1], "not integers"),
    "a record that is there or not": (("claim", "adjacency"), "zero-out", "adjacency"),
    "a parameter that is not understood": (("claim", "params", "tv"), 0.1, "params"),
    "an epsilon too large": (("claim", "epsilon"), "0.6", "found to be"),
    "more stated than attained": (("delta_attained_at_least",), "0.9", "found to be"),
    "another kind": (("mechanism", "kind"), "swap", "KeyError"),
}


@pytest.mark.parametrize(("path", "value", "message"), REJECTIONS.values(), ids=REJECTIONS)
def test_wrong_files_are_rejected_with_the_reason(path, value, message, tmp_path):
    facts = SAMPLES[1]
    if path[-1] in (facts["claim"]["params"].keys() | {"tv"}):
        facts = json.loads(json.dumps(facts))
        facts["claim"]["params"][path[-1]] = value
    else:
        facts = change(facts, path, lambda old: value)
    (tmp_path / "file.json").write_text(json.dumps(facts))
    is_accepted, text = examined(lower_adaptive, tmp_path / "file.json")
    assert not is_accepted and message in text and "\n" not in text


def test_too_many_sums_are_refused(monkeypatch):
    monkeypatch.setattr(lower_adaptive, "MOST", 5)
    with pytest.raises(ValueError, match="too many sums"):
        lower_adaptive.check(SAMPLES[1])


def test_a_policy_of_the_engine_agrees_with_a_sum_over_every_sequence():
    protocol = HiddenSlot(6, 1.0, 0.75)
    facts = of_question(protocol, 1e-3)
    assert facts["pldcheck_witness"] == 3 and truly_valid(facts)
    interval = protocol.epsilon(1e-3)
    assert interval.lower * (1 - 1e-9) <= float(facts["claim"]["epsilon"]) <= interval.upper
