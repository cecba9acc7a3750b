"""Check witness files, python checker.py FILE...: counterexamples to (epsilon, delta)-DP, in rational arithmetic.

A record is hidden among n draws from ``reference``, in one of n slots (used with probability weight) or shuffled.  Its
rows must be in the class of ``params``, its divergence at e^epsilon above delta; the theorem's formula is not checked.
"""

import json
import sys
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import accumulate, product
from math import factorial, floor, prod
from os.path import isfile
from re import fullmatch

# Probabilities are whole numbers of this share of 1.
ONE = 1 << 256
# Sequences of outputs up to which they are gone through one by one.
SEQUENCES = 1024
# Steps or clients times outputs at most.
MOST = 100_000
# Counts of outputs that are summed over, at most.
TERMS = 3_000_000
# Length of a file at most.
BYTES = 1 << 16
KINDS = {"hidden-slot": {"steps", "window", "weight", "check_in_prob"}, "shuffle": {"clients", "categories", "tv"}}
KEYS = {"pldcheck_witness", "of", "claim", "mechanism", "delta_attained_at_least", "note"}
CLAIM = {"quantity", "relation", "epsilon", "delta", "params", "adjacency"}
MECHANISM = {"kind", "record", "replacement", "reference", "sizes"}
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


def _enumerated(n, signed, others):  # the divergence, from every sequence of outputs, added up by what is in it
    found = {}
    for y in product(range(len(others)), repeat=n):
        hidden = (prod((signed if i == k else others)[s] for i, s in enumerate(y)) for k in range(n))
        found[tuple(sorted(y))] = found.get(tuple(sorted(y)), 0) + sum(hidden) / n
    return sum(max(mass, 0) for mass in found.values())


def _summed(n, signed, others, delta):  # E(sum of n gains)+ / n, by counts of outputs; rounding and cuts only lower it
    tables, scale, total, cut = [], factorial(n), 0, floor(delta * ONE) >> 40
    for mass, gap in zip(others, signed, strict=True):  # (n mass)^h / h! for every count h
        gain, (a, b) = floor(gap / mass * ONE), (n * mass).as_integer_ratio()
        table = [*accumulate(range(1, n + 1), lambda u, h, a=a, b=b: u * a // (b * h), initial=ONE)]
        top, scale = max(table), scale * max(table)
        tables.append({h: (h, u * ONE // top, gain * h) for h, u in enumerate(table) if u * ONE > cut * top})
    _need(prod(map(len, tables[1:])) <= TERMS, "too many counts of outputs to sum over")
    for chosen in product(*(table.values() for table in tables[1:])):
        counts, masses, gains = zip(*chosen, strict=True)
        _, mass, gain = tables[0].get(n - sum(counts), (0, 0, 0))
        total += mass * prod(masses) * max(gain + sum(gains), 0)
    return Fraction(total * scale // n**n, n * ONE ** (2 * len(tables) + 1))


def check(facts):
    """Return the delta that is attained, above the claim's; raises where the file does not show that."""
    claim, mechanism, params = facts["claim"], facts["mechanism"], facts["claim"]["params"]
    _need(facts["pldcheck_witness"] == 1 and claim["relation"] == "<=", "not a witness against an upper bound")
    _need(params.keys() <= KINDS[mechanism["kind"]] | {"eps0"}, f"params not known of {mechanism['kind']}")
    known = facts.keys() <= KEYS and claim.keys() <= CLAIM and mechanism.keys() <= MECHANISM
    _need(known and claim.get("quantity", "delta") in ("epsilon", "delta"), "a key or a quantity that is not known")
    (n,) = (params[name] for name in ("steps", "window", "clients") if name in params)
    (weight,) = [_number(params[name]) for name in ("weight", "check_in_prob") if name in params] or [1]
    delta, limit, kappa = _number(claim["delta"]), _exp(_number(params["eps0"]), 0), _exp(_number(claim["epsilon"]), 1)
    rows = [[_number(entry) for entry in mechanism[name]] for name in ("record", "replacement", "reference")]
    columns = sorted(zip(*rows, strict=True), key=lambda column: -column[2])
    _need(
        type(n) is int and 0 < n * len(columns) <= MOST and len(columns) > 1 and 0 < weight <= 1 and delta >= 0,
        "out of range",
    )
    _need(all(min(row) > 0 and sum(row) == 1 for row in rows), "a row is not positive numbers of sum 1")
    _need(all(max(column) <= limit * min(column) for column in columns), "a likelihood ratio is above e^eps0")
    narrow = sum(max(a - b, 0) for a, b, _ in columns) <= _number(params.get("tv", 1))
    _need(narrow and {"replace": True, "zero-out": rows[2] in rows[:2]}[claim["adjacency"]], "not of tv or adjacency")
    if "categories" in params:  # output j stands for sizes[j] answers, each of probability low, or one of them more
        sizes, k = mechanism["sizes"], params["categories"]
        low = min(mass / size for row in rows for mass, size in zip(row, sizes, strict=True))
        more = [sorted(mass - low * size for mass, size in zip(row, sizes, strict=True)) for row in rows]
        _need({*map(type, sizes)} == {int} and sum(sizes) == k and 1 + low <= (limit + k) * low, "not of K answers")
        _need(all(row == [0] * (len(row) - 1) + [1 - k * low] for row in more), "not K-ary randomized response")
    pairs = ((weight * (a - kappa * b) + (1 - weight) * (1 - kappa) * c, c) for a, b, c in columns)
    signed, others = zip(*pairs, strict=True)
    found = _enumerated(n, signed, others) if len(others) ** n <= SEQUENCES else _summed(n, signed, others, delta)
    _need(found >= _number(facts["delta_attained_at_least"]) > delta, f"delta is found to be {_nine(found)} only")
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
