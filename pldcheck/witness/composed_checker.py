"""Check counterexamples to (epsilon, delta)-DP of compositions, rounded safely: python composed_checker.py FILE...

A part is, ``times`` over, a record among ``draws``, others from ``reference``, shuffled or in slots (used there with
probability ``weight``).  Outcomes are merged, which only lowers a divergence: by sum of scores, by ratio to ``cell``.
"""

import json
import sys
from bisect import bisect
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import accumulate, permutations
from math import ceil, floor, log
from os.path import isfile

# Probabilities are whole numbers of 2^-BITS.
BITS = 192
ONE = 1 << BITS
# Sums of scores, or cells, at most.
MOST = 1 << 16
# Length of a file at most.
BYTES = 1 << 18
NUMBERS = ("weight", "delta0", "eps0")

KEYS = {"pldcheck_witness", "of", "claim", "mechanism", "delta_attained_at_least", "note"}
CLAIM = {"quantity", "relation", "epsilon", "delta", "parts", "adjacency"}
PART = {"record", "replacement", "reference", "scores"}
# Work at most: a second on a core is about 10^6, as Python multiplies n cells in n^1.585.
WORK = 10_000_000
# The work that has been done on the claim.
SPENT = [0.0]


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
    _need(type(value) in (int, float) or {*value} <= {*"0123456789./"}, f"not a number: {value!r:.60}")
    return Fraction(value)


def _exp(x, up):  # from below (up = 0) or above (1): the series; all that follows is at most its last term
    _need(0 <= x <= 100, "an exponent is not in [0, 100]")
    terms = [*accumulate(range(1, 600), lambda u, i: u * x.numerator // (x.denominator * i) + up, initial=ONE)]
    return Fraction(sum(terms) + up * terms[-1], ONE)


def _joined(f, g, cut):  # laws: P(nothing is revealed) from above, what q may lack in all, p from below, q from above
    size, rows, (few, many) = BITS // 4 + 8, [], sorted((len(f[2]), len(g[2])))
    SPENT[0] += many * few**0.585
    _need(SPENT[0] <= WORK, "too much work")
    for up in (0, 1):  # the masses of pairs of cells, at the sum of their places
        a, b = (int.from_bytes(b"".join(u.to_bytes(size, "little") for u in law[2 + up]), "little") for law in (f, g))
        ab = (a * b).to_bytes(size * (len(f[2]) + len(g[2])), "little")
        rows.append([(int.from_bytes(ab[i : i + size], "little") >> BITS) + up for i in range(0, len(ab) - size, size)])
    a, b, sums = sum(f[3]), sum(g[3]), [*accumulate(rows[1])]
    p, q = (row[bisect(sums, cut) : bisect(sums, sums[-1] - cut) + 1] for row in rows)  # no tails below cut
    _need(len(q) <= MOST, "too many sums of scores, or cells")
    return -(-f[0] * g[0] >> BITS), ((a + f[1]) * (b + g[1]) - a * b >> BITS) + 1 + sums[-1] - sum(q), p, q


def _power(law, n, cut):
    whole = _joined(*[_power(law, n // 2, cut)] * 2, cut) if n > 1 else law
    return _joined(whole, law, cut) if n > 1 and n % 2 else whole


def _law(part, rows, scores, cut):  # of the sum of the scores of all draws; scores out of range are left out
    n, times, (weight, delta0, eps0) = part["draws"], part["times"], (_number(part[name]) for name in NUMBERS)
    _need({*map(type, (n, times, *scores))} == {int} and min(n, times) > 0 < weight <= 1, "out of range")
    x, fair = _exp(eps0, 0), all(sum(row) == 1 and min(row) >= 0 for row in rows)
    over = [sum(max(a - x * b, 0) for a, b in zip(*pair, strict=True)) for pair in permutations(rows, 2)]
    _need(fair and max(over) <= delta0 and len(part) == 5, "not (eps0, delta0)-DP, of sum 1, or of these params")
    rows = [[ONE * (weight * a + (1 - weight) * c) for a, c in zip(row, rows[2], strict=True)] for row in rows]
    each = [(floor(a), ceil(b), floor(c), ceil(c), s) for a, b, c, s in zip(*rows, scores, strict=True) if b or c]
    cells = [[sum(one[i] for one in each if one[4] == at) for at in range(max(scores) + 1)[:MOST]] for i in range(4)]
    one = ONE - sum(floor(a) for a, b, c in zip(*rows, strict=True) if not b and not c), 0, *cells[:2]
    return one if n == 1 else _joined(_power((ONE, 0, *cells[2:]), n - 1, cut), one, cut)


def _composed(claim, mechanism, cut):
    whole, absent, cell = (ONE, 0, [ONE], [ONE]), {0, 1}, float(_number(mechanism["cell"]))
    for part, made in zip(claim["parts"], mechanism["parts"], strict=True):
        rows, p, q = [[_number(mass) for mass in made[row]] for row in ("record", "replacement", "reference")], {}, {}
        (sure, lost, *masses), absent = _law(part, rows, made["scores"], cut), {i for i in absent if rows[i] == rows[2]}
        for at, a, b in ((int(log(a / b) / cell + MOST / 2) % MOST, a, b) for a, b in zip(*masses, strict=True) if a):
            p[at], q[at] = p.get(at, 0) + a, q.get(at, 0) + b
        one = sure, lost, *([row.get(at, 0) for at in range(min(p), max(p) + 1)] for row in (p, q))
        whole = _joined(whole, _power(one, part["times"], cut), cut)
    _need({"replace": True, "zero-out": absent}[claim["adjacency"]], "not of that adjacency")
    return whole


def check(facts):
    """Return the delta that is attained, above the claim's; raises where the file does not show that."""
    claim, delta, stated = facts["claim"], _number(facts["claim"]["delta"]), _number(facts["delta_attained_at_least"])
    _need(facts["pldcheck_witness"] == 2 and claim["relation"] == "<=", "not a witness against an upper bound")
    known = facts.keys() <= KEYS and claim.keys() <= CLAIM and facts["mechanism"].keys() == {"cell", "parts"}
    known = known and all(made.keys() == PART for made in facts["mechanism"]["parts"])
    _need(known and claim.get("quantity", "delta") in ("epsilon", "delta"), "a key or a quantity that is not known")
    kappa, SPENT[0] = ceil(_exp(_number(claim["epsilon"]), 1) * ONE), 0.0
    sure, lost, p, q = _composed(claim, facts["mechanism"], floor(delta * ONE**2 / kappa) >> 64)
    found = ONE * (ONE - sure) - kappa * lost + sum(max(ONE * a - kappa * b, 0) for a, b in zip(p, q, strict=True))
    _need(Fraction(found, ONE**2) >= stated > delta >= 0, f"delta is found to be {_nine(Fraction(found, ONE**2))} only")
    return Fraction(found, ONE**2)


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
