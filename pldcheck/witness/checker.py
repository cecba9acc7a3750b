"""Check witness files with one randomizer, in rational arithmetic: python checker.py FILE...

A witness file is a counterexample to the claim that every mechanism of a class is (epsilon, delta)-differentially
private.  This program needs nothing but the standard library.

A record is hidden among n draws.  In the kind "hidden-slot" it is in one of n slots, chosen uniformly, and is used with
probability ``weight``; in the kind "shuffle" it is one of n messages that are shuffled.  The mechanism has three rows
of output probabilities: P for the record, Q for its replacement, and R, the ``reference``, for every other draw.

Let kappa = e^epsilon and gap(s) = weight (P(s) - kappa Q(s)) + (1 - weight) (1 - kappa) R(s).  If n outputs are drawn
from R, the hockey-stick divergence of the two views at kappa is the expectation of max(mean of gap(s) / R(s), 0).

The program accepts a file if its rows are in the class of ``params`` and if their divergence is above the claimed
delta.  It does not check the formula of the theorem from which the claim was computed.
"""

import json
import sys
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import product
from math import factorial, floor, prod
from os.path import isfile
from re import fullmatch

# Numbers that are rounded are integer multiples of 1 / ONE.
ONE = 1 << 256
# Up to this number of sequences of outputs, the divergence is computed exactly from all of them.
MOST_SEQUENCES = 1024
# The largest product of the numbers of draws and of outputs; it bounds the time and the memory of the program.
MOST = 100_000
# The largest number of terms in a sum over counts of outputs.
MOST_TERMS = 3_000_000
# The largest length of a file in bytes.
MOST_BYTES = 1 << 16
# The number of terms of the exponential series.
SERIES_TERMS = 600
# The parameters of each kind, besides eps0.
KINDS = {"hidden-slot": {"steps", "window", "weight", "check_in_prob"}, "shuffle": {"clients", "categories", "tv"}}
# The keys that a file, its claim and its mechanism may have.
FILE_KEYS = {"pldcheck_witness", "of", "claim", "mechanism", "delta_attained_at_least", "note"}
CLAIM_KEYS = {"quantity", "relation", "epsilon", "delta", "params", "adjacency"}
MECHANISM_KEYS = {"kind", "record", "replacement", "reference", "sizes"}
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


def divergence_from_sequences(n, gaps, reference):
    """Return the exact divergence, from all sequences of n outputs; sequences with equal counts are one outcome."""
    masses = {}
    for sequence in product(range(len(reference)), repeat=n):
        counts = tuple(sorted(sequence))
        for place in range(n):  # the place of the record, which has probability 1 / n
            mass = prod((gaps if i == place else reference)[s] for i, s in enumerate(sequence))
            masses[counts] = masses.get(counts, 0) + mass / n
    return sum(max(mass, 0) for mass in masses.values())


def divergence_from_counts(n, gaps, reference, delta):
    """Return a lower bound of the divergence, from the counts of outputs.

    The counts h(s) have the probability n! / n^n times the product of the factors (n R(s))^h(s) / h(s)!, and the mean
    of gap / R is the sum of h(s) gap(s) / R(s), divided by n.  All terms are nonnegative: to round factors and gains
    down, and to leave out factors far below delta, can only lower the sum.
    """
    tables, scale, smallest = [], factorial(n), floor(delta * ONE) >> 40
    for gap, mass in zip(gaps, reference, strict=True):
        gain = floor(gap / mass * ONE)
        numerator, denominator = (n * mass).as_integer_ratio()
        factors = [ONE]
        for count in range(1, n + 1):
            factors.append(factors[-1] * numerator // (denominator * count))
        # The factors of one output are divided by the largest of them, by which the result is multiplied in the end.
        largest = max(factors)
        scale *= largest
        table = {}
        for count, factor in enumerate(factors):
            if factor * ONE > smallest * largest:
                table[count] = (count, factor * ONE // largest, gain * count)
        tables.append(table)
    first, *others = tables
    require(prod(map(len, others)) <= MOST_TERMS, "too many counts of outputs to sum over")
    total = 0
    for entries in product(*(table.values() for table in others)):
        counts, factors, gains = zip(*entries, strict=True)
        _, factor, gain = first.get(n - sum(counts), (0, 0, 0))  # the first count follows from the others
        total += factor * prod(factors) * max(gain + sum(gains), 0)
    return Fraction(total * scale // n**n, n * ONE ** (2 * len(tables) + 1))


def require_response(rows, sizes, categories, limit):
    """Raise ValueError unless the rows are K-ary randomized response on K = ``categories`` answers.

    Output j stands for ``sizes[j]`` answers.  Each answer has the probability ``low``; in each row, one of them has
    1 - (K - 1) low instead, which must be at most ``limit`` times as much.
    """
    low = min(mass / size for row in rows for mass, size in zip(row, sizes, strict=True))
    surplus = [sorted(mass - low * size for mass, size in zip(row, sizes, strict=True)) for row in rows]
    counts = {*map(type, sizes)} == {int} and sum(sizes) == categories
    require(counts and 1 + low <= (limit + categories) * low, "not of K answers")
    shape = [0] * (len(sizes) - 1) + [1 - categories * low]
    require(all(row == shape for row in surplus), "not K-ary randomized response")


def check(facts):
    """Return a delta that the mechanism attains and that is above the claimed one; raise an error if there is none."""
    claim, mechanism, params = facts["claim"], facts["mechanism"], facts["claim"]["params"]
    require(facts["pldcheck_witness"] == 1 and claim["relation"] == "<=", "not a witness against an upper bound")
    require(params.keys() <= KINDS[mechanism["kind"]] | {"eps0"}, f"params not known of {mechanism['kind']}")
    fits = facts.keys() <= FILE_KEYS and claim.keys() <= CLAIM_KEYS and mechanism.keys() <= MECHANISM_KEYS
    require(fits and claim.get("quantity", "delta") in ("epsilon", "delta"), "a key or a quantity that is not known")

    (n,) = (params[name] for name in ("steps", "window", "clients") if name in params)
    (weight,) = [number(params[name]) for name in ("weight", "check_in_prob") if name in params] or [1]
    delta = number(claim["delta"])
    limit = exp_lower(number(params["eps0"]))
    kappa = exp_upper(number(claim["epsilon"]))
    rows = [[number(entry) for entry in mechanism[name]] for name in ("record", "replacement", "reference")]
    # The most probable output comes first: its count need not be summed over.
    columns = sorted(zip(*rows, strict=True), key=lambda column: -column[2])
    draws_fit = type(n) is int and 0 < n * len(columns) <= MOST and len(columns) > 1
    require(draws_fit and 0 < weight <= 1 and delta >= 0, "out of range")

    require(all(min(row) > 0 and sum(row) == 1 for row in rows), "a row is not positive numbers of sum 1")
    require(all(max(column) <= limit * min(column) for column in columns), "a likelihood ratio is above e^eps0")
    variation = sum(max(a - b, 0) for a, b, _ in columns)
    require(variation <= number(params.get("tv", 1)), "the total variation is above tv")
    adjacent = {"replace": True, "zero-out": rows[2] in rows[:2]}[claim["adjacency"]]
    require(adjacent, "not of that adjacency")
    if "categories" in params:
        require_response(rows, mechanism["sizes"], params["categories"], limit)

    gaps = [weight * (a - kappa * b) + (1 - weight) * (1 - kappa) * c for a, b, c in columns]
    reference = [column[2] for column in columns]
    if len(reference) ** n <= MOST_SEQUENCES:
        attained_delta = divergence_from_sequences(n, gaps, reference)
    else:
        attained_delta = divergence_from_counts(n, gaps, reference, delta)
    stated_delta = number(facts["delta_attained_at_least"])
    require(attained_delta >= stated_delta > delta, f"delta is found to be {nine_digits(attained_delta)} only")
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
