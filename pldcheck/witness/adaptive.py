"""Check files of adaptive randomizers, python adaptive.py FILE...: counterexamples to (epsilon, delta)-DP, exactly.

A record is hidden among n draws from ``reference``, in one of n slots (used with probability weight) or shuffled.
Which of the ``laws`` a slot has follows from the sum of the ``scores`` of all outputs before: ``policy`` holds, for
every slot, increasing limits and the laws between them.  All paths are gone through, those with one sum together.
"""

import json
import sys
from bisect import bisect
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import accumulate
from math import floor, lcm
from os.path import isfile
from re import fullmatch

# Probabilities are whole numbers of this share of 1.
ONE = 1 << 256
# Sums of scores at most.
MOST = 400_000
# Length of a file at most.
BYTES = 1 << 17
# Outputs over all sums of scores that are gone through, at most: about a second each 10^6.
WORK = 10_000_000
KINDS = {"hidden-slot": {"steps", "eps0", "weight"}, "shuffle": {"clients", "eps0"}}
KEYS = {"pldcheck_witness", "of", "claim", "mechanism", "delta_attained_at_least", "note"}
CLAIM = {"quantity", "relation", "epsilon", "delta", "params", "adjacency"}
LAW = {"record", "replacement", "reference", "scores"}
NUMBER = r"[0-9]{1,1100}(\.[0-9]{1,1100})?(E-[0-9]{1,3})?|[0-9]{1,400}/[0-9]{1,400}"


def _need(condition, complaint):
    if not condition:
        raise ValueError(complaint)


def _once(pairs):
    _need(len(dict(pairs)) == len(pairs), "a key stands twice")
    return dict(pairs)


def _read(path):  # all of the file, and nothing behind it
    _need(isfile(path), "not a file")
    with open(path, "rb") as file:
        content = file.read(BYTES + 1)
    _need(len(content) <= BYTES, f"longer than {BYTES} bytes")
    return json.loads(content.decode(), object_pairs_hook=_once)


def _nine(found):  # nine digits, rounded down
    return Context(prec=9, rounding=ROUND_FLOOR).divide(*map(Decimal, Fraction(found).as_integer_ratio()))


def _number(value):
    _need(type(value) in (int, float) or fullmatch(NUMBER, value), f"not a number: {value!r:.60}")
    return Fraction(value)


def _exp(x, up):  # from below (up = 0) or above (1): the series; all that follows is at most its last term
    _need(0 <= x <= 100, "an exponent is not in [0, 100]")
    terms = [*accumulate(range(1, 600), lambda u, i: u * x.numerator // (x.denominator * i) + up, initial=ONE)]
    return Fraction(sum(terms) + up * terms[-1], ONE)


def _law(made, limit, weight, kappa, adjacency):
    """Of every output: its probability where the record is not, its gain where it is, its score."""
    rows = [[_number(mass) for mass in made[name]] for name in ("record", "replacement", "reference")]
    columns = [*zip(*rows, strict=True)]
    _need(all(min(row) > 0 and sum(row) == 1 for row in rows), "a row is not positive numbers of sum 1")
    _need(all(max(column) <= limit * min(column) for column in columns), "a likelihood ratio is above e^eps0")
    _need({"replace": True, "zero-out": rows[2] in rows[:2]}[adjacency], "not of that adjacency")
    gains = [weight * (a - kappa * b) + (1 - weight) * (1 - kappa) * c for a, b, c in columns]
    _need({*map(type, made["scores"])} == {int}, "scores are not integers")
    return [*zip(rows[2], gains, made["scores"], strict=True)]


def _divergence(laws, policy):
    """Return E(sum of the gains)+ over all paths: where a sum of scores has many, their gains are added up before."""
    size, states, seen = lcm(*(mass.denominator for law in laws for mass, *_ in law)), {0: (1, 0)}, 0
    tables = [[(int(mass * size), floor(gain * ONE), score) for mass, gain, score in law] for law in laws]
    longest, bits, work = max(map(len, tables)), size.bit_length(), 0
    for slot, (limits, chosen) in enumerate(policy):
        found, seen, work = {}, seen + len(states), work + len(states) * longest * (1 + slot * bits // 2000)
        _need(seen <= MOST and work <= WORK, "too many sums of scores")
        for at, (masses, gains) in states.items():  # masses over size^t, gains over size^(t-1) ONE after t slots
            for mass, gain, score in tables[chosen[bisect(limits, at)]]:
                others, sums = found.get(at + score, (0, 0))
                found[at + score] = others + masses * mass, sums + gains * mass + masses * gain
        states = found
    return Fraction(sum(max(gains, 0) for _, gains in states.values()), len(policy) * size ** (len(policy) - 1) * ONE)


def check(facts):
    """Return the delta that is attained, above the claim's; raises where the file does not show that."""
    claim, mechanism, params = facts["claim"], facts["mechanism"], facts["claim"]["params"]
    _need(facts["pldcheck_witness"] == 3 and claim["relation"] == "<=", "not a policy against an upper bound")
    _need(params.keys() <= KINDS[mechanism["kind"]], f"params not known of {mechanism['kind']}")
    known = facts.keys() <= KEYS and claim.keys() <= CLAIM and mechanism.keys() <= {"kind", "laws", "policy"}
    known = known and all(law.keys() == LAW for law in mechanism["laws"])
    _need(known and claim.get("quantity", "delta") in ("epsilon", "delta"), "a key or a quantity that is not known")
    n, weight = params.get("steps", params.get("clients")), _number(params.get("weight", 1))
    _need(type(n) is int and 0 < n == len(mechanism["policy"]) and 0 < weight <= 1, "out of range")
    limit, kappa = _exp(_number(params["eps0"]), 0), _exp(_number(claim["epsilon"]), 1)
    laws = [_law(made, limit, weight, kappa, claim["adjacency"]) for made in mechanism["laws"]]
    found, stated = _divergence(laws, mechanism["policy"]), _number(facts["delta_attained_at_least"])
    _need(found >= stated > _number(claim["delta"]) >= 0, f"delta is found to be {_nine(found)} only")
    return found


def examine(path):
    """Return whether the file is accepted, and why."""
    try:
        return True, f"delta is above {_nine(check(_read(path)))}, more than claimed"
    except (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError) as error:
        return False, " ".join((str(error) if type(error) is ValueError else repr(error)).split())


if __name__ == "__main__":
    answers = [(*examine(path), path) for path in sys.argv[1:]]
    print(*(f"{path}: {'accepted' if fine else 'rejected'}: {said}" for fine, said, path in answers), sep="\n")
    sys.exit(not (answers and all(fine for fine, _, _ in answers)))
