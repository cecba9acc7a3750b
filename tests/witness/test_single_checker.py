"""The program for one randomizer: its arithmetic against slow twins, and what it rejects."""

import json
from collections import Counter
from fractions import Fraction
from math import comb, factorial, prod

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program_files import examined
from tampering import change

from pldcheck.checkers import fixed_point, lower_single
from pldcheck.checkers.counterexamples import nine_digits
from pldcheck.hidden_slot.worst.slot_problem import Slot
from pldcheck.hidden_slot.worst.step_laws import LAWS
from pldcheck.hidden_slot.worst.worst_lower import BE, CF, two_point
from pldcheck.randomizers import Krr
from pldcheck.witness import exact_rows


def exact(text):
    return Fraction(text)


def above_exp(x):
    """Return a rational within 1e-60 above e^x."""
    with mpmath.workdps(90):
        return Fraction(int(mpmath.ceil(mpmath.exp(mpmath.mpf(x.numerator) / x.denominator) * 10**60)), 10**60)


def counts_law(first, others, n):
    """Return the law of the counts of outputs: one draw from ``first``, the rest from ``others``, convolved
    one by one.
    """
    law = {(0,) * len(others): Fraction(1)}
    for row in [first] + [others] * (n - 1):
        more = Counter()
        for counts, mass in law.items():
            for s, p in enumerate(row):
                more[counts[:s] + (counts[s] + 1,) + counts[s + 1 :]] += mass * p
        law = more
    return law


def divergence(n, weight, kappa, rows):
    """Return the hockey-stick divergence of the counts, which lose nothing: the likelihood ratio depends on
    them only.
    """
    p, q, r = (counts_law(row, rows[2], n) for row in rows)
    return sum(
        max(weight * p[c] + (1 - weight) * r[c] - kappa * (weight * q[c] + (1 - weight) * r[c]), Fraction(0)) for c in r
    )


def responds(rows, sizes, k, limit):
    """Return whether rows are K-ary randomized response with answers taken as one, for some x up to ``limit``."""
    if sum(sizes) != k or min(sizes) < 1:
        return False
    for s in {row[j] / sizes[j] for row in rows for j in range(len(sizes))}:
        x = (1 - s * (k - 1)) / s
        scaled_rows = [[s * (size + (x - 1) * (j == own)) for j, size in enumerate(sizes)] for own in range(len(sizes))]
        if 1 <= x <= limit and all(row in scaled_rows for row in rows):
            return True
    return False


def truly_valid(facts):
    """Return the answer to the checker's question for few draws, in other words."""
    claim, mechanism = facts["claim"], facts["mechanism"]
    params = claim["params"]
    (n,) = [params[name] for name in ("steps", "clients") if name in params]
    rows = [[exact(mass) for mass in mechanism[name]] for name in ("record", "replacement", "reference")]
    limit = above_exp(exact(params["eps0"]))
    fits = all(sum(row) == 1 and min(row) > 0 for row in rows)
    fits &= all(a[j] <= limit * b[j] for a in rows for b in rows for j in range(len(a)))
    if "tv" in params:
        fits &= sum(abs(a - b) for a, b in zip(*rows[:2], strict=True)) <= 2 * exact(params["tv"])
    if "categories" in params:
        fits &= responds(rows, mechanism["sizes"], params["categories"], limit)
    value = divergence(n, exact(params.get("weight", 1)), above_exp(exact(claim["epsilon"])), rows)
    stated_delta = exact(facts["delta_attained_at_least"])
    # The twin's own kappa is a little above the checker's, by less than 1e-50.
    return fits and value + Fraction(1, 10**50) >= stated_delta > exact(claim["delta"])


def write(tmp_path, facts):
    path = tmp_path / "witness.json"
    path.write_text(facts if isinstance(facts, str) else json.dumps(facts))
    return path


@pytest.mark.parametrize("x", [0.0, 1e-12, 0.1, 1.0, 4.0, 20.0, 100.0])
def test_exponentials_are_bounded_on_both_sides(x):
    low, high = fixed_point.exp_ends(Fraction(x))
    with mpmath.workdps(120):
        truth = mpmath.exp(mpmath.mpf(x))
        assert mpmath.mpf(low.numerator) / low.denominator <= truth <= mpmath.mpf(high.numerator) / high.denominator
    assert high - low <= low * Fraction(1, 10**50)


@st.composite
def mechanisms(draw):
    outputs = draw(st.integers(2, 4))
    n = draw(st.integers(1, {2: 9, 3: 6, 4: 4}[outputs]))
    masses = st.lists(st.integers(1, 9), min_size=outputs, max_size=outputs)
    rows = [[Fraction(mass, sum(row)) for mass in row] for row in (draw(masses) for _ in range(3))]
    kappa = 1 + Fraction(draw(st.integers(0, 20)), 10)
    return n, Fraction(draw(st.integers(1, 4)), 4), kappa, rows


@given(mechanisms())
def test_both_sums_agree_with_convolution(mechanism):
    n, weight, kappa, rows = mechanism
    gains = [weight * (a - kappa * b) + (1 - weight) * (1 - kappa) * c for a, b, c in zip(*rows, strict=True)]
    truth = divergence(n, weight, kappa, rows)
    assert lower_single.divergence_from_sequences(n, gains, rows[2]) == truth
    value = lower_single.divergence_from_counts(n, gains, rows[2], truth)
    assert value <= truth <= value * (1 + Fraction(1, 10**10))


def test_a_sum_over_three_outputs_agrees_with_the_multinomial():
    n, rows = 40, [[Fraction(k, 10) for k in row] for row in ((5, 3, 2), (2, 3, 5), (3, 4, 3))]
    kappa, truth = Fraction(11, 10), Fraction(0)
    for i in range(n + 1):
        for j in range(n + 1 - i):
            h = (i, j, n - i - j)
            mass = factorial(n) * prod(r**c / factorial(c) for r, c in zip(rows[2], h, strict=True))
            ratio = sum(c * (a - kappa * b) / r for c, a, b, r in zip(h, *rows, strict=True)) / n
            truth += mass * max(ratio, 0)
    value = lower_single.divergence_from_counts(
        n, [a - kappa * b for a, b in zip(*rows[:2], strict=True)], rows[2], truth
    )
    assert value <= truth <= value * (1 + Fraction(1, 10**11))


@pytest.mark.parametrize(("law", "kind"), [(0, BE), (1, CF)])
@pytest.mark.parametrize(("steps", "weight", "epsilon"), [(1000, 1.0, 0.12), (1000, 0.25, 0.03), (10_000, 1.0, 0.035)])
def test_many_slots_agree_with_the_engine(law, kind, steps, weight, epsilon):
    x, kappa, w = fixed_point.exp_ends(Fraction(1))[0], fixed_point.exp_ends(Fraction(epsilon))[1], Fraction(weight)
    p, q, r = exact_rows.of_law(LAWS[law], Fraction(int(x * 2**80), 2**80))
    gains = [w * (a - kappa * b) + (1 - w) * (1 - kappa) * c for a, b, c in zip(p, q, r, strict=True)]
    lower, upper = two_point(Slot(steps, 1.0, weight), epsilon, kind)
    value = lower_single.divergence_from_counts(steps, gains, r, Fraction(lower))
    assert value <= Fraction(upper) and value >= Fraction(lower) * (1 - Fraction(1, 10**9))


def binary(**more):
    """Return binary randomized response with x = 2 in three slots; delta at epsilon = 1/2 is about 0.052."""
    rows = {"record": ["2/3", "1/3"], "replacement": ["1/3", "2/3"], "reference": ["2/3", "1/3"]}
    claim = {"params": {"steps": 3, "eps0": 0.7}, "quantity": "delta", "relation": "<="}
    claim |= {"epsilon": "0.5", "delta": "0.01", "adjacency": "replace"}
    facts = {"pldcheck_witness": 1, "claim": claim, "mechanism": {"kind": "hidden-slot", **rows}}
    return facts | {"delta_attained_at_least": "0.011"} | more


def test_a_file_made_by_hand_is_accepted(tmp_path):
    # Of three draws from (2/3, 1/3) let a show output 0: the mean of P/W - kappa Q/W over them is (a (1 - kappa/2) +
    # (3 - a)(1 - 2 kappa)) / 3, positive for a = 3 only.
    kappa = Fraction(16487212708, 10**10)
    truth = sum(
        comb(3, a) * 2**a * max(a * (1 - kappa / 2) + (3 - a) * (1 - 2 * kappa), Fraction(0)) / 81 for a in range(4)
    )
    value = lower_single.check(binary())
    assert truth <= value <= truth + Fraction(1, 10**9)  # a kappa rounded up
    sentence = f"accepted: the claim of the file is false: delta is at least {nine_digits(value)} there"
    is_accepted, text = examined(lower_single, write(tmp_path, binary()))
    assert is_accepted and text.startswith(f"{sentence}; sha256 ")


REJECTIONS = {
    "an epsilon too large": (("claim", "epsilon"), "0.6931", "found to be"),
    "a delta too large": (("claim", "delta"), "0.06", "found to be"),
    "more stated than attained": (("delta_attained_at_least",), "0.06", "found to be"),
    "less stated than claimed": (("delta_attained_at_least",), "0.01", "found to be"),
    "not stochastic": (("mechanism", "record"), ["2/3", "2/3"], "sum 1"),
    "an impossible output": (("mechanism", "record"), ["1", "0"], "positive"),
    "a negative number": (("mechanism", "record"), ["-1/3", "4/3"], "not a number"),
    "ratios above e^eps0": (("claim", "params", "eps0"), 0.69, "e^eps0"),
    "rows of other lengths": (("mechanism", "record"), ["1/3", "1/3", "1/3"], "zip()"),
    "too many slots": (("claim", "params", "steps"), 10**9, "out of range"),
    "slots that are no count": (("claim", "params", "steps"), 3.0, "out of range"),
    "a truth for a count": (("claim", "params", "steps"), True, "out of range"),
    "weight above one": (("claim", "params", "weight"), 1.5, "out of range"),
    "a parameter that is not understood": (("claim", "params", "delta0"), 1e-9, "params"),
    "two counts": (("claim", "params", "window"), 3, "too many values"),
    "a lower bound": (("claim", "relation"), ">=", "upper bound"),
    "another version": (("pldcheck_witness",), 2, "not a witness"),
    "another kind": (("mechanism", "kind"), "swap", "KeyError"),
    "another adjacency": (("claim", "adjacency"), "both", "KeyError"),
    "an endless exponent": (("claim", "epsilon"), "1E-999999999", "not a number"),
    "an endless number": (("claim", "epsilon"), "1" * 5000, "not a number"),
    "an exponent out of reach": (("claim", "epsilon"), 1e9, "exponent"),
    "no number": (("claim", "epsilon"), None, "TypeError"),
    "not a number": (("claim", "epsilon"), float("nan"), "NaN"),
    "infinite": (("claim", "params", "eps0"), float("inf"), "Infinity is not a number"),
    "a division by zero": (("mechanism", "record"), ["1/0", "1/3"], "ZeroDivisionError"),
}


@pytest.mark.parametrize(("path", "value", "message"), REJECTIONS.values(), ids=REJECTIONS)
def test_wrong_files_are_rejected_with_the_reason(tmp_path, path, value, message):
    is_accepted, text = examined(lower_single, write(tmp_path, change(binary(), path, value)))
    assert not is_accepted and message in text and "\n" not in text


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "3", "null", '"text"', "{}", '{"claim": 3}', "[" * 60_000, "\x00", '{"claim": {"params": []}}'],
    ids=range(11),
)
def test_malformed_files_are_rejected_in_one_line(tmp_path, content):
    is_accepted, text = examined(lower_single, write(tmp_path, content))
    assert not is_accepted and text and "\n" not in text


def test_a_record_that_is_there_or_not_is_checked():
    lower_single.check(change(binary(), ("claim", "adjacency"), "zero-out"))  # the others' record is the record's own
    facts = change(binary(), ("mechanism", "reference"), ["1/2", "1/2"])
    lower_single.check(facts)
    with pytest.raises(ValueError, match="adjacency"):
        lower_single.check(change(facts, ("claim", "adjacency"), "zero-out"))


def test_responses_of_another_kind_are_rejected():
    facts = next(ternary())
    s = Fraction(facts["mechanism"]["record"][1])
    uneven = [str(s), str(s * Fraction(101, 100)), str(1 - s * Fraction(201, 100))]
    for place, value in (("record", uneven), ("sizes", [1, 1, 2]), ("sizes", [1, 1, 1.0]), ("sizes", [3, 1, -1])):
        with pytest.raises(ValueError, match="answers|response"):
            lower_single.check(change(facts, ("mechanism", place), value))
    with pytest.raises(ValueError, match="not of K answers"):
        lower_single.check(change(facts, ("claim", "params", "categories"), 4))
    wide = change(narrow(), ("claim", "params", "tv"), 0.099)
    with pytest.raises(ValueError, match="above tv"):
        lower_single.check(wide)


def test_files_that_cannot_be_read_or_are_too_long_are_rejected(tmp_path):
    assert not examined(lower_single, tmp_path)[0] and not examined(lower_single, tmp_path / "none")[0]
    long = json.dumps(binary(more="x" * 300_000))
    assert not examined(lower_single, write(tmp_path, long))[0]
    (tmp_path / "bytes").write_bytes(b"\xff\xfe{")
    assert not examined(lower_single, tmp_path / "bytes")[0]


def numbers(facts, path=()):
    """Yield the places of all numbers."""
    if isinstance(facts, dict):
        for name, value in facts.items():
            yield from numbers(value, (*path, name)) if name not in ("theorem", "kind", "relation") else ()
    elif isinstance(facts, list):
        for place, value in enumerate(facts):
            yield from numbers(value, (*path, place))
    elif path[-1] not in ("quantity", "adjacency", "pldcheck_witness"):
        yield path


def value_at(facts, path):
    for step in path:
        facts = facts[step]
    return facts


X = Fraction(2718281828, 10**9)


def ternary():
    """Yield ternary response shuffled among four, the others on a third value; and one of four answers, two taken as
    one.
    """
    for k in (3, 4):
        for (p, q, r), sizes in exact_rows.exact_laws(Krr(k), X):
            rows = {"record": p, "replacement": q, "reference": r}
            claim = {"params": {"clients": 4, "eps0": 1.0, "categories": k}, "relation": "<="}
            claim |= {"epsilon": "0.4", "delta": "1E-4", "adjacency": "replace"}
            rows = {name: [str(mass) for mass in row] for name, row in rows.items()}
            yield {
                "pldcheck_witness": 1,
                "claim": claim,
                "mechanism": {"kind": "shuffle", **rows, "sizes": sizes},
                "delta_attained_at_least": "0.0002",
            }


def narrow():
    """Return four symbols within a total variation, shuffled among three."""
    rows = {"record": ["3/20", "1/20", "13/20", "3/20"], "replacement": ["1/20", "3/20", "13/20", "3/20"]}
    claim = {"params": {"clients": 3, "eps0": 2.0, "tv": 0.125}, "relation": "<="}
    claim |= {"epsilon": "0.5", "delta": "0.01", "adjacency": "replace"}
    rows |= {"reference": ["1/20", "1/20", "1/5", "7/10"], "kind": "shuffle"}
    return {"pldcheck_witness": 1, "claim": claim, "mechanism": rows, "delta_attained_at_least": "0.0101"}


WITH_WEIGHT = change(change(binary(), ("claim", "params", "weight"), 0.75), ("claim", "epsilon"), "0.25")
SAMPLES = [binary(), WITH_WEIGHT, narrow(), *ternary()]


def test_the_samples_are_accepted_by_both():
    for facts in SAMPLES:
        assert truly_valid(facts) and lower_single.check(facts) > 0


@settings(max_examples=100)
@given(st.data())
def test_whatever_number_is_changed_what_is_accepted_is_true(data):
    facts = data.draw(st.sampled_from(SAMPLES))
    path = data.draw(st.sampled_from(list(numbers(facts))))
    old = value_at(facts, path)
    if isinstance(old, int):
        new = data.draw(st.integers(max(old - 2, 0), old + 2))
    else:
        factor = Fraction(data.draw(st.sampled_from([0, 1, 2, 4, 5, 6, 8]))) / 4
        shift = data.draw(st.sampled_from([0, 1, -1])) * Fraction(1, 10 ** data.draw(st.integers(2, 30)))
        new = max(Fraction(old) * factor + shift, Fraction(0))
        new = float(new) if isinstance(old, float) else str(new)
    changed_facts = change(facts, path, new)
    try:
        lower_single.check(changed_facts)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return
    assert truly_valid(changed_facts)


@settings(max_examples=20)
@given(st.data())
def test_whatever_is_put_in_a_file_no_traceback_comes_out(tmp_path_factory, data):
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=5,
    )
    facts = data.draw(st.sampled_from(SAMPLES))
    places = [("claim",), ("mechanism",), ("claim", "params"), ("mechanism", "record"), *numbers(facts)]
    facts = change(facts, data.draw(st.sampled_from(places)), data.draw(values))
    path = tmp_path_factory.mktemp("witness") / "witness.json"
    path.write_text(json.dumps(facts))
    is_accepted, text = examined(lower_single, path)
    assert "\n" not in text and (not is_accepted or truly_valid(facts))
