"""Check witness files of adaptive randomizers, in rational arithmetic: python adaptive.py FILE...

A witness file is a counterexample to the claim that every mechanism of a class is (epsilon, delta)-differentially
private.  This program needs nothing but the standard library.

A record is hidden among n draws.  In the kind "hidden-slot" it is in one of n slots, chosen uniformly, and is used with
probability ``weight``; in the kind "shuffle" it is one of n messages that are shuffled.  The mechanism has several
``laws``.  Each has three rows of output probabilities (P for the record, Q for its replacement, and R, the
``reference``, for every other draw), and an integer score for each output.

The law of a slot depends on the sum of the scores of all outputs before it: ``policy`` holds, for each slot, increasing
limits of that sum, and the laws of the intervals between them.  All sums are followed from slot to slot.  Sequences of
outputs with one sum are taken as one outcome, which can only lower the hockey-stick divergence of the two views.

The program accepts a file if its laws are in the class of ``params`` and if that divergence is above the claimed delta.
"""

import json
import sys
from bisect import bisect
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import floor, lcm
from os.path import isfile
from re import fullmatch

# Numbers that are rounded are integer multiples of 1 / ONE.
ONE = 1 << 256
# The largest number of sums of scores in all slots together.
MOST = 400_000
# The largest length of a file in bytes.
MOST_BYTES = 1 << 17
# The largest number of outputs that are followed from all sums: a core takes about a second for 10^6.
MOST_WORK = 10_000_000
# The number of terms of the exponential series.
SERIES_TERMS = 600
# The parameters of each kind.
KINDS = {"hidden-slot": {"steps", "eps0", "weight"}, "shuffle": {"clients", "eps0"}}
# The keys that a file and its claim may have, and those that its mechanism's laws must have.
FILE_KEYS = {"pldcheck_witness", "of", "claim", "mechanism", "delta_attained_at_least", "note"}
CLAIM_KEYS = {"quantity", "relation", "epsilon", "delta", "params", "adjacency"}
LAW_KEYS = {"record", "replacement", "reference", "scores"}
# The form of an exact number that is written as text: a decimal or a ratio, of limited length.
NUMBER = r"[0-9]{1,1100}(\.[0-9]{1,1100})?(E-[0-9]{1,3})?|[0-9]{1,400}/[0-9]{1,400}"


def require(condition, complaint):
    """Raise ValueError with the complaint unless the condition holds."""
    if not condition:
        raise ValueError(complaint)


def unique_keys(pairs):
    """Return a JSON object as a dictionary; refuse an object in which a key stands twice."""
    require(len(dict(pairs)) == len(pairs), "a key stands twice")
    return dict(pairs)


def read(path):
    """Return the JSON value in a file; the file must hold nothing else."""
    require(isfile(path), "not a file")
    with open(path, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    require(len(content) <= MOST_BYTES, f"longer than {MOST_BYTES} bytes")
    return json.loads(content.decode(), object_pairs_hook=unique_keys)


def nine_digits(value):
    """Return a rational number rounded down to nine digits."""
    numerator, denominator = map(Decimal, Fraction(value).as_integer_ratio())
    return Context(prec=9, rounding=ROUND_FLOOR).divide(numerator, denominator)


def number(value):
    """Return the exact value of a JSON number (the double that it stands for) or of a text of the form NUMBER."""
    require(type(value) in (int, float) or fullmatch(NUMBER, value), f"not a number: {value!r:.60}")
    return Fraction(value)


def exp_terms(x, excess):
    """Return the terms x^i / i! of the exponential series, rounded down to multiples of 1 / ONE, plus ``excess``."""
    require(0 <= x <= 100, "an exponent is not in [0, 100]")
    terms = [ONE]
    for i in range(1, SERIES_TERMS):
        terms.append(terms[-1] * x.numerator // (x.denominator * i) + excess)
    return terms


def exp_lower(x):
    """Return a rational number that is at most e^x, and very near to it."""
    return Fraction(sum(exp_terms(x, 0)), ONE)


def exp_upper(x):
    """Return a rational number that is above e^x, and very near to it.

    Each term that is left out is at most a sixth of the one before it, so all of them together are below the last term.
    """
    terms = exp_terms(x, 1)
    return Fraction(sum(terms) + terms[-1], ONE)


def outputs_of(law, limit, weight, kappa, adjacency):
    """Return (R, gap, score) of each output of a law; raise ValueError if the law is not in the class.

    The gap is the difference of the two views for a record in this slot: weight (P - kappa Q) + (1 - weight)
    (1 - kappa) R.
    """
    rows = [[number(mass) for mass in law[name]] for name in ("record", "replacement", "reference")]
    columns = [*zip(*rows, strict=True)]
    require(all(min(row) > 0 and sum(row) == 1 for row in rows), "a row is not positive numbers of sum 1")
    require(all(max(column) <= limit * min(column) for column in columns), "a likelihood ratio is above e^eps0")
    require({"replace": True, "zero-out": rows[2] in rows[:2]}[adjacency], "not of that adjacency")
    gaps = [weight * (a - kappa * b) + (1 - weight) * (1 - kappa) * c for a, b, c in columns]
    require({*map(type, law["scores"])} == {int}, "scores are not integers")
    return [*zip(rows[2], gaps, law["scores"], strict=True)]


def divergence(laws, policy):
    """Return a lower bound of the divergence, from the sums of scores of all sequences of outputs.

    After t slots, each sum has two numbers: the probability of its sequences if all outputs are drawn from R, in
    multiples of size^-t, and the sum of their differences over all places of the record, in multiples of
    1 / (size^(t-1) ONE).  Only the gaps are rounded, downwards.
    """
    size = lcm(*(mass.denominator for law in laws for mass, _, _ in law))
    tables = [[(int(mass * size), floor(gap * ONE), score) for mass, gap, score in law] for law in laws]
    longest, bits = max(map(len, tables)), size.bit_length()
    states, states_before, work = {0: (1, 0)}, 0, 0
    for slot, (limits, choices) in enumerate(policy):
        states_before += len(states)
        # Numbers grow by ``bits`` binary digits a slot; up to 2000 digits, their length costs nothing.
        work += len(states) * longest * (1 + slot * bits // 2000)
        require(states_before <= MOST and work <= MOST_WORK, "too many sums of scores")
        next_states = {}
        for total, (masses, gaps) in states.items():
            for mass, gap, score in tables[choices[bisect(limits, total)]]:
                other_masses, other_gaps = next_states.get(total + score, (0, 0))
                next_states[total + score] = other_masses + masses * mass, other_gaps + gaps * mass + masses * gap
        states = next_states
    gain = sum(max(gaps, 0) for _, gaps in states.values())
    return Fraction(gain, len(policy) * size ** (len(policy) - 1) * ONE)


def check(facts):
    """Return a delta that the mechanism attains and that is above the claimed one; raise an error if there is none."""
    claim, mechanism, params = facts["claim"], facts["mechanism"], facts["claim"]["params"]
    require(facts["pldcheck_witness"] == 3 and claim["relation"] == "<=", "not a policy against an upper bound")
    require(params.keys() <= KINDS[mechanism["kind"]], f"params not known of {mechanism['kind']}")
    fits = facts.keys() <= FILE_KEYS and claim.keys() <= CLAIM_KEYS and mechanism.keys() <= {"kind", "laws", "policy"}
    fits = fits and all(law.keys() == LAW_KEYS for law in mechanism["laws"])
    require(fits and claim.get("quantity", "delta") in ("epsilon", "delta"), "a key or a quantity that is not known")
    n, weight = params.get("steps", params.get("clients")), number(params.get("weight", 1))
    require(type(n) is int and 0 < n == len(mechanism["policy"]) and 0 < weight <= 1, "out of range")
    limit = exp_lower(number(params["eps0"]))
    kappa = exp_upper(number(claim["epsilon"]))
    laws = [outputs_of(law, limit, weight, kappa, claim["adjacency"]) for law in mechanism["laws"]]
    attained_delta, stated_delta = divergence(laws, mechanism["policy"]), number(facts["delta_attained_at_least"])
    require(
        attained_delta >= stated_delta > number(claim["delta"]) >= 0,
        f"delta is found to be {nine_digits(attained_delta)} only",
    )
    return attained_delta


def examine(path):
    """Return whether the file is accepted, and a phrase that says why."""
    try:
        return True, f"the claim of the file is false: delta is at least {nine_digits(check(read(path)))} there"
    except (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError) as error:
        return False, " ".join((str(error) if type(error) is ValueError else repr(error)).split())


if __name__ == "__main__":
    results = [examine(path) for path in sys.argv[1:]]
    for path, (accepted, reason) in zip(sys.argv[1:], results, strict=True):
        print(f"{path}: {'accepted' if accepted else 'rejected'}: {reason}")
    sys.exit(0 if results and all(accepted for accepted, _ in results) else 1)
