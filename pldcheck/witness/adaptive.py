"""Check files of adaptive randomizers, python adaptive.py FILE...: counterexamples to (epsilon, delta)-DP, exactly.

A record is hidden among n draws from ``reference``, in one of n slots (used with probability weight) or shuffled.
Which of the ``laws`` a slot has follows from the sum of the ``scores`` of all outputs before: ``policy`` holds, for
every slot, increasing limits and the laws between them.  All paths are gone through, those with one sum together.
"""

import json
import sys
from bisect import bisect
from fractions import Fraction
from itertools import accumulate
from math import floor, lcm
from re import fullmatch

ONE, MOST, BYTES = 1 << 256, 400_000, 1 << 17
KINDS = {"hidden-slot": {"steps", "eps0", "weight"}, "shuffle": {"clients", "eps0"}}
NUMBER = r"[0-9]{1,1100}(\.[0-9]{1,1100})?(E-[0-9]{1,3})?|[0-9]{1,400}/[0-9]{1,400}"


def _need(condition, complaint):
    if not condition:
        raise ValueError(complaint)


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
    """E(sum of the gains)+ over all paths: where a sum of scores has many, their gains are added up before."""
    size, states, seen = lcm(*(mass.denominator for law in laws for mass, *_ in law)), {0: (1, 0)}, 0
    tables = [[(int(mass * size), floor(gain * ONE), score) for mass, gain, score in law] for law in laws]
    for limits, chosen in policy:
        found, seen = {}, seen + len(states)
        _need(seen <= MOST, "too many sums of scores")
        for at, (masses, gains) in states.items():  # masses over size^t, gains over size^(t-1) ONE after t slots
            for mass, gain, score in tables[chosen[bisect(limits, at)]]:
                others, sums = found.get(at + score, (0, 0))
                found[at + score] = others + masses * mass, sums + gains * mass + masses * gain
        states = found
    return Fraction(sum(max(gains, 0) for _, gains in states.values()), len(policy) * size ** (len(policy) - 1) * ONE)


def check(facts):
    """The delta that is attained, above the claim's; raises where the file does not show that."""
    claim, mechanism, params = facts["claim"], facts["mechanism"], facts["claim"]["params"]
    _need(facts["pldcheck_witness"] == 3 and claim["relation"] == "<=", "not a policy against an upper bound")
    _need(params.keys() <= KINDS[mechanism["kind"]], f"params not known of {mechanism['kind']}")
    n, weight = params.get("steps", params.get("clients")), _number(params.get("weight", 1))
    _need(type(n) is int and 0 < n == len(mechanism["policy"]) and 0 < weight <= 1, "out of range")
    limit, kappa = _exp(_number(params["eps0"]), 0), _exp(_number(claim["epsilon"]), 1)
    laws = [_law(made, limit, weight, kappa, claim["adjacency"]) for made in mechanism["laws"]]
    found, stated = _divergence(laws, mechanism["policy"]), _number(facts["delta_attained_at_least"])
    _need(found >= stated > _number(claim["delta"]) >= 0, f"delta is found to be {float(found):.9g} only")
    return found


def examine(path):
    """Whether the file is accepted, and why."""
    try:
        with open(path, "rb") as file:
            return True, f"delta is above {float(check(json.loads(file.read(BYTES)))):.9g}, more than claimed"
    except (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError) as error:
        return False, " ".join((str(error) if type(error) is ValueError else repr(error)).split())


if __name__ == "__main__":
    answers = [(*examine(path), path) for path in sys.argv[1:]]
    print(*(f"{path}: {'accepted' if fine else 'rejected'}: {said}" for fine, said, path in answers), sep="\n")
    sys.exit(not (answers and all(fine for fine, _, _ in answers)))
