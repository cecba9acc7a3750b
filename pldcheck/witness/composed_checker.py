"""Check witness files of compositions, rounded in the safe direction: python composed_checker.py FILE...

A witness file is a counterexample to the claim that every mechanism of a class is (epsilon, delta)-differentially
private.  This program needs nothing but the standard library.

The mechanism is composed of parts, whose outputs are all released.  In a part, a record is hidden among ``draws``
draws, in one of as many slots (where it is used with probability ``weight``) or among as many shuffled messages; the
part is repeated ``times`` times.  It has three rows of output probabilities: for the record, for its replacement, and
the ``reference`` for every other draw; any two of them are (eps0, delta0)-indistinguishable.

The two views have laws P and Q.  Their hockey-stick divergence at kappa = e^epsilon is the sum of max(P - kappa Q, 0)
over all outcomes.  To take several outcomes as one, or to leave some out, can only lower it.  So the outcomes of a part
are taken as one if the sums of the ``scores`` of their outputs are equal; then each outcome is replaced by the cell of
width ``cell`` that has the logarithm of its likelihood ratio, and cells of a composition with one sum are one outcome.

The program accepts a file if its rows are in the class of ``parts`` and if their divergence is above the claimed delta.
"""

import json
import sys
from bisect import bisect
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import accumulate, permutations
from math import ceil, floor, log
from os.path import isfile
from typing import NamedTuple

# The binary digits of probabilities after the point.
BITS = 192
# Probabilities are integer multiples of 1 / ONE.
ONE = 1 << BITS
# The largest number of sums of scores, or of cells of likelihood ratios.
MOST = 1 << 16
# The largest length of a file in bytes.
MOST_BYTES = 1 << 18
# The largest amount of work for one claim: a core takes about a second for 10^6.
MOST_WORK = 10_000_000
# The number of terms of the exponential series.
SERIES_TERMS = 600
# The keys that a file and its claim may have, and those that a part of its mechanism must have.
FILE_KEYS = {"pldcheck_witness", "of", "claim", "mechanism", "delta_attained_at_least", "note"}
CLAIM_KEYS = {"quantity", "relation", "epsilon", "delta", "parts", "adjacency"}
PART_KEYS = {"record", "replacement", "reference", "scores"}


class Law(NamedTuple):
    """The laws P and Q of the sum of some places (scores or cells), as multiples of 1 / ONE."""

    # An upper bound of the P-probability that no output reveals the record.
    hidden_mass: int
    # An upper bound of the Q-mass that ``q`` does not contain.
    missing: int
    # Lower bounds of the P-masses at all places, from the least one on.
    p: list[int]
    # Upper bounds of the Q-masses at the same places.
    q: list[int]


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
    """Return the exact value of a JSON number (the double that it stands for) or of a text: a decimal or a ratio."""
    require(type(value) in (int, float) or {*value} <= {*"0123456789./"}, f"not a number: {value!r:.60}")
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


class Limits:
    """The limits of one computation: the work, and the Q-mass ``cut`` up to which both tails of a law are left out."""

    def __init__(self, cut):
        self.cut, self.work = cut, 0.0

    def spend(self, work):
        """Add some work; raise ValueError if it is too much in all."""
        self.work += work
        require(self.work <= MOST_WORK, "too much work")


def products(one, other):
    """Return the convolution of two lists of masses, in multiples of 1 / ONE^2."""
    # Each list becomes one large integer, whose parts have room for every sum of products.
    size = BITS // 4 + 8
    integers = []
    for row in (one, other):
        integers.append(int.from_bytes(b"".join(mass.to_bytes(size, "little") for mass in row), "little"))
    content = (integers[0] * integers[1]).to_bytes(size * (len(one) + len(other)), "little")
    return [int.from_bytes(content[i : i + size], "little") for i in range(0, len(content) - size, size)]


def joint_law(one, other, limits):
    """Return the law of the sum of two independent places, with P rounded down and Q rounded up."""
    # Python multiplies integers of n digits in about n^1.585 steps.
    fewer, more = sorted((len(one.q), len(other.q)))
    limits.spend(more * fewer**0.585)
    p = [mass >> BITS for mass in products(one.p, other.p)]
    q = [(mass >> BITS) + 1 for mass in products(one.q, other.q)]
    sums = [*accumulate(q)]
    middle = slice(bisect(sums, limits.cut), bisect(sums, sums[-1] - limits.cut) + 1)
    require(len(q[middle]) <= MOST, "too many sums of scores, or cells")
    first, second = sum(one.q), sum(other.q)
    missing = (first + one.missing) * (second + other.missing) - first * second
    missing = (missing >> BITS) + 1 + sums[-1] - sum(q[middle])
    return Law(-(-one.hidden_mass * other.hidden_mass >> BITS), missing, p[middle], q[middle])


def power_law(law, n, limits):
    """Return the law of the sum of n independent places of one law."""
    if n <= 1:
        return law
    half = power_law(law, n // 2, limits)
    whole = joint_law(half, half, limits)
    return joint_law(whole, law, limits) if n % 2 else whole


def part_law(part, rows, scores, limits):
    """Return the law of the sum of the scores of all draws of a part; raise ValueError if it is not of its class.

    Outcomes with an output whose score is not in [0, MOST) are left out.
    """
    n, times = part["draws"], part["times"]
    weight, delta0, eps0 = (number(part[name]) for name in ("weight", "delta0", "eps0"))
    require({*map(type, (n, times, *scores))} == {int} and min(n, times) > 0 < weight <= 1, "out of range")
    x = exp_lower(eps0)
    probabilities = all(sum(row) == 1 and min(row) >= 0 for row in rows)
    divergences = [sum(max(a - x * b, 0) for a, b in zip(*pair, strict=True)) for pair in permutations(rows, 2)]
    private = max(divergences) <= delta0
    require(probabilities and private and len(part) == 5, "not (eps0, delta0)-DP, of sum 1, or of these params")

    # The laws of the output in the record's place under P and under Q, and of any other output.
    mixtures = [[ONE * (weight * a + (1 - weight) * c) for a, c in zip(row, rows[2], strict=True)] for row in rows]
    columns = [*zip(*mixtures, scores, strict=True)]
    # An output that only the record itself can have reveals it; it has no place.
    revealing_mass = sum(floor(a) for a, b, c, _ in columns if not b and not c)
    each = [(floor(a), ceil(b), floor(c), ceil(c), score) for a, b, c, score in columns if b or c]
    places = range(max(scores) + 1)[:MOST]
    masses = [[sum(entry[i] for entry in each if entry[4] == place) for place in places] for i in range(4)]
    record = Law(ONE - revealing_mass, 0, masses[0], masses[1])
    other = Law(ONE, 0, masses[2], masses[3])
    return record if n == 1 else joint_law(power_law(other, n - 1, limits), record, limits)


def cell_law(law, width):
    """Return the law of the cell of the log-likelihood ratio, whose outcomes are the places of another law."""
    p, q = {}, {}
    for a, b in zip(law.p, law.q, strict=True):
        if a:
            cell = int(log(a / b) / width + MOST / 2) % MOST
            p[cell], q[cell] = p.get(cell, 0) + a, q.get(cell, 0) + b
    cells = range(min(p), max(p) + 1)
    return Law(law.hidden_mass, law.missing, [p.get(cell, 0) for cell in cells], [q.get(cell, 0) for cell in cells])


def composed_law(claim, mechanism, limits):
    """Return the law of the sum of the cells of all parts; raise ValueError if the mechanism is not of the class."""
    whole, width = Law(ONE, 0, [ONE], [ONE]), float(number(mechanism["cell"]))
    absent = {0, 1}  # those of the record and its replacement that are the reference in every part
    for part, laws in zip(claim["parts"], mechanism["parts"], strict=True):
        rows = [[number(mass) for mass in laws[name]] for name in ("record", "replacement", "reference")]
        law = cell_law(part_law(part, rows, laws["scores"], limits), width)
        absent = {i for i in absent if rows[i] == rows[2]}
        whole = joint_law(whole, power_law(law, part["times"], limits), limits)
    require({"replace": True, "zero-out": absent}[claim["adjacency"]], "not of that adjacency")
    return whole


def divergence(law, kappa):
    """Return a lower bound of the divergence of P and Q; ``kappa`` is a multiple of 1 / ONE, at least e^epsilon."""
    total = ONE * (ONE - law.hidden_mass) - kappa * law.missing
    total += sum(max(ONE * a - kappa * b, 0) for a, b in zip(law.p, law.q, strict=True))
    return Fraction(total, ONE**2)


def check(facts):
    """Return a delta that the mechanism attains and that is above the claimed one; raise an error if there is none."""
    claim, mechanism = facts["claim"], facts["mechanism"]
    delta, stated_delta = number(claim["delta"]), number(facts["delta_attained_at_least"])
    require(facts["pldcheck_witness"] == 2 and claim["relation"] == "<=", "not a witness against an upper bound")
    fits = facts.keys() <= FILE_KEYS and claim.keys() <= CLAIM_KEYS and mechanism.keys() == {"cell", "parts"}
    fits = fits and all(laws.keys() == PART_KEYS for laws in mechanism["parts"])
    require(fits and claim.get("quantity", "delta") in ("epsilon", "delta"), "a key or a quantity that is not known")
    kappa = ceil(exp_upper(number(claim["epsilon"])) * ONE)
    limits = Limits(floor(delta * ONE**2 / kappa) >> 64)  # tails far below delta / kappa
    attained_delta = divergence(composed_law(claim, mechanism, limits), kappa)
    require(attained_delta >= stated_delta > delta >= 0, f"delta is found to be {nine_digits(attained_delta)} only")
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
