"""The program for compositions against every sequence of outputs, in fractions; and whatever is changed in a file."""

import json
from fractions import Fraction
from itertools import product
from math import floor, prod

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program_files import examined
from tampering import change, nearby

from pldcheck.checkers import lower_composed

NAMES = ("record", "replacement", "reference")


def above_exp(x):
    """Return a rational within 1e-60 above e^x."""
    with mpmath.workdps(90):
        return Fraction(int(mpmath.ceil(mpmath.exp(mpmath.mpf(x.numerator) / x.denominator) * 10**60)), 10**60)


def one_release(part, rows):
    """Yield (P, Q) of every sequence of outputs of one part, once."""
    n, weight = part["draws"], Fraction(part["weight"])
    mixture = [[weight * a + (1 - weight) * c for a, c in zip(row, rows[2], strict=True)] for row in rows[:2]]
    for outputs in product(range(len(rows[2])), repeat=n):
        yield tuple(
            sum(prod((row if i == slot else rows[2])[y] for i, y in enumerate(outputs)) for slot in range(n)) / n
            for row in mixture
        )


def divergence(claim, mechanism, kappa):
    """Return the hockey-stick divergence of all that is released, nothing merged."""
    releases = []
    for part, part_laws in zip(claim["parts"], mechanism["parts"], strict=True):
        rows = [[Fraction(mass) for mass in part_laws[name]] for name in NAMES]
        releases += [list(one_release(part, rows))] * part["times"]
    return sum(
        max(prod(p for p, _ in outcomes) - kappa * prod(q for _, q in outcomes), Fraction(0))
        for outcomes in product(*releases)
    )


def truly_valid(facts):
    """Return what the program is asked, in other words."""
    claim, mechanism = facts["claim"], facts["mechanism"]
    if any(part["times"] < 1 or part["draws"] < 1 or not 0 < Fraction(part["weight"]) <= 1 for part in claim["parts"]):
        return False
    absent = {0, 1}
    for part, part_laws in zip(claim["parts"], mechanism["parts"], strict=True):
        rows = [[Fraction(mass) for mass in part_laws[name]] for name in NAMES]
        x, delta0 = above_exp(Fraction(part["eps0"])), Fraction(part["delta0"])
        if any(sum(row) != 1 or min(row) < 0 for row in rows):
            return False
        for one in rows:
            for other in rows:
                # Every event is its own worst case: outputs that are more than x times as likely.
                if sum(a - x * b for a, b in zip(one, other, strict=True) if a > x * b) > delta0:
                    return False
        absent &= {i for i in (0, 1) if rows[i] == rows[2]}
    if claim["adjacency"] == "zero-out" and not absent:
        return False
    value = divergence(claim, mechanism, above_exp(Fraction(claim["epsilon"])))
    # The twin's kappa is a little above the program's.
    return value + Fraction(1, 10**40) >= Fraction(facts["delta_attained_at_least"]) > Fraction(claim["delta"])


def part(rows, scores, times=1, draws=1, weight=1.0, eps0=1.0, delta0=0.0):
    """Return one entry of the claim and one of the mechanism."""
    part_laws = {name: [str(mass) for mass in row] for name, row in zip(NAMES, rows, strict=True)}
    part_claim = {"times": times, "draws": draws, "weight": weight, "eps0": eps0, "delta0": delta0}
    return part_claim, part_laws | {"scores": scores}


def file(parts, epsilon="0.3", delta="0.01", stated_delta="0.0101", adjacency="replace", cell=0.003):
    claim = {"parts": [part_claim for part_claim, _ in parts], "relation": "<=", "epsilon": epsilon, "delta": delta}
    mechanism = {"cell": cell, "parts": [part_laws for _, part_laws in parts]}
    claim["adjacency"] = adjacency
    return {"pldcheck_witness": 2, "claim": claim, "mechanism": mechanism, "delta_attained_at_least": stated_delta}


def lower_divergence(facts, kappa):
    """Return what the program finds for any kappa, unchecked against the claim."""
    claim, one = facts["claim"], lower_composed.ONE
    limits = lower_composed.Limits(floor(one * Fraction(1, 10**30)))
    certain, loss, p, q = lower_composed.composed_law(claim, facts["mechanism"], limits)
    value = one * (one - certain) + sum(max(one * a - kappa * one * b, 0) for a, b in zip(p, q, strict=True))
    return Fraction(value - kappa * one * loss) / one**2


BINARY = ["0.6", "0.4"], ["0.4", "0.6"], ["0.6", "0.4"]
TERNARY = ["0.5", "0.2", "0.3"], ["0.2", "0.5", "0.3"], ["0.25", "0.25", "0.5"]
# The record is revealed with probability 1/10, its replacement as well, and the others never.
REVEALING = ["0.5", "0.4", "0.1", "0"], ["0.4", "0.5", "0", "0.1"], ["0.45", "0.55", "0", "0"]
REVEALING_ROWS = ["0.5", "0.4", "0.1"], ["0.45", "0.55", "0"], ["0.45", "0.55", "0"]
SAMPLES = {
    "one response": file([part(BINARY, [0, 1])]),
    "responses": file([part(BINARY, [0, 1], times=4)], "0.7"),
    "different ones": file([part(BINARY, [0, 1], times=2), part(TERNARY, [0, 1, 2])], "0.6"),
    "slots, twice": file([part(BINARY, [0, 1], times=2, draws=3, weight=0.75)]),
    "shuffled ternary, twice": file([part(TERNARY, [0, 1, 4], times=2, draws=3)]),
    "slots and a response": file([part(TERNARY, [0, 1, 3], draws=2), part(BINARY, [0, 1])]),
    "on a sample": file(
        [part(REVEALING_ROWS, [0, 1, 2], times=2, weight=0.5, delta0=0.1)], "0.2", adjacency="zero-out"
    ),
    "revealed, once": file([part(REVEALING, [0, 1, 2, 3], weight=0.5, delta0=0.1)]),
    "revealed among others": file([part(REVEALING_ROWS, [0, 1, 0], times=2, draws=2, delta0=0.1)], "1"),
}


@pytest.mark.parametrize("facts", SAMPLES.values(), ids=SAMPLES)
def test_the_checker_gains_nothing_and_loses_hardly_anything(facts):
    assert truly_valid(facts) and lower_composed.check(facts) > 0
    for kappa in (Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(3)):
        truth, value = divergence(facts["claim"], facts["mechanism"], kappa), lower_divergence(facts, kappa)
        # Cells are 0.003 wide; one mechanism with two outputs loses nothing.
        assert value <= truth <= value + Fraction(2, 10**4)
        assert truth <= value + Fraction(1, 10**12) or len(facts["mechanism"]["parts"][0]["scores"]) > 2


@st.composite
def compositions(draw):
    parts = []
    few = draw(st.booleans())  # parts; as much is gone through by hand as takes milliseconds
    for _ in range(2 if few else 1):
        outputs = draw(st.integers(2, 3))
        masses = st.lists(st.integers(1, 9), min_size=outputs, max_size=outputs)
        rows = [[Fraction(mass, sum(row)) for mass in row] for row in (draw(masses) for _ in range(3))]
        scores = draw(st.lists(st.integers(0, 4), min_size=outputs, max_size=outputs))
        times, draws = draw(st.integers(1, 1 if few else 2)), draw(st.integers(1, 2))
        weight = draw(st.sampled_from([0.25, 0.5, 1.0]))
        parts.append(part(rows, scores, times, draws, weight, eps0=6.0))
    return file(parts, cell=draw(st.sampled_from([0.001, 0.01, 0.3, 5.0])))


@settings(max_examples=40, deadline=None)
@given(compositions(), st.integers(10, 30))
def test_whatever_is_merged_the_divergence_only_falls(facts, tenths):
    kappa = Fraction(tenths, 10)
    assert lower_divergence(facts, kappa) <= divergence(facts["claim"], facts["mechanism"], kappa)


def test_tails_that_are_left_out_do_not_count():
    # With a cut that leaves out nearly everything the rest is still a lower bound.
    facts, kappa = file([part(BINARY, [0, 1], times=8)]), Fraction(6, 5)
    truth = divergence(facts["claim"], facts["mechanism"], kappa)
    for limit in (10**-3, 0.02, 0.1):
        limits = lower_composed.Limits(floor(lower_composed.ONE * Fraction(limit)))
        _, loss, p, q = lower_composed.composed_law(facts["claim"], facts["mechanism"], limits)
        value = sum(max(a - kappa * b, 0) for a, b in zip(p, q, strict=True)) - kappa * loss
        assert loss > 0 and value / lower_composed.ONE <= truth


def numbers(value, path=()):
    """Yield the places of all numbers."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from numbers(inner, (*path, name)) if name not in ("relation", "pldcheck_witness") else ()
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from numbers(inner, (*path, place))
    elif path[-1] != "adjacency":
        yield path


def decimal(value):
    """Return a fraction as the files have it: no exponent, no sign."""
    return f"{value.numerator}/{value.denominator}"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whatever_number_is_changed_what_is_accepted_is_true(data):
    facts = data.draw(st.sampled_from(list(SAMPLES.values())))
    path = data.draw(st.sampled_from(list(numbers(facts))))

    other = change(facts, path, lambda old: nearby(data, old, decimal, 0))
    try:
        lower_composed.check(other)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return
    assert truly_valid(other)


REJECTIONS = {
    "times zero": (("claim", "parts", 0, "times"), 0, "out of range"),
    "times that are no count": (("claim", "parts", 0, "times"), 2.0, "out of range"),
    "draws that are a truth": (("claim", "parts", 0, "draws"), True, "out of range"),
    "no draws": (("claim", "parts", 0, "draws"), -1, "out of range"),
    "a weight above one": (("claim", "parts", 0, "weight"), 1.01, "out of range"),
    "an eps0 too small": (("claim", "parts", 0, "eps0"), 0.01, "DP"),
    "a delta0 too small": (("claim", "parts", 0, "delta0"), 0.09, "DP"),
    "a row not of sum 1": (("mechanism", "parts", 0, "record"), ["0.6", "0.4", "0.1"], "sum 1"),
    "a longer row": (("mechanism", "parts", 0, "record"), ["0.5", "0.4", "0.05", "0.05"], "zip()"),
    "scores that are none": (("mechanism", "parts", 0, "scores"), [0, 0.5, 1], "out of range"),
    "an adjacency that it is not of": (("mechanism", "parts", 0, "reference"), ["0.5", "0.5", "0"], "adjacency"),
    "more than is attained": (("claim", "delta"), "0.6", "found to be"),
    "a part too many": (("claim", "parts"), [], "zip()"),
}


@pytest.mark.parametrize(("path", "value", "message"), REJECTIONS.values(), ids=REJECTIONS)
def test_wrong_files_are_rejected_with_the_reason(path, value, message, tmp_path):
    facts = change(SAMPLES["on a sample"], path, lambda old: value)
    (tmp_path / "file.json").write_text(json.dumps(facts))
    is_accepted, text = examined(lower_composed, tmp_path / "file.json")
    assert not is_accepted and message in text and "\n" not in text


def test_params_that_are_not_known_are_rejected():
    facts = json.loads(json.dumps(SAMPLES["responses"]))
    facts["claim"]["parts"][0]["tv"] = 0.1
    with pytest.raises(ValueError, match="of these params"):
        lower_composed.check(facts)


@pytest.mark.parametrize("draws", [1, 3])
def test_rounding_goes_to_the_safe_side(draws):
    """Draws are of thirds: P's masses are counted from below, Q's from above, at each step of every product."""
    third = Fraction(1, 3)
    facts = file([part(([third, 2 * third], [2 * third, third], [third, 2 * third]), [0, 1], times=7, draws=draws)])
    limits = lower_composed.Limits(0)
    _, loss, p, q = lower_composed.composed_law(facts["claim"], facts["mechanism"], limits)
    assert sum(p) <= lower_composed.ONE <= sum(q) + loss
    part_laws = facts["mechanism"]["parts"][0]
    rows = [[Fraction(mass) for mass in part_laws[row]] for row in ("record", "replacement", "reference")]
    laws = lower_composed.part_law(facts["claim"]["parts"][0], rows, part_laws["scores"], limits)[2:]
    for row, masses, sign in zip(rows, laws, (-1, 1), strict=False):
        law = {0: Fraction(1)}
        for chances in (row, *[rows[2]] * (draws - 1)):
            after = {}
            for at, mass in law.items():
                for score, chance in zip(part_laws["scores"], chances, strict=True):
                    after[at + score] = after.get(at + score, 0) + mass * chance
            law = after
        assert all((Fraction(masses[at], lower_composed.ONE) - mass) * sign >= 0 for at, mass in law.items())
