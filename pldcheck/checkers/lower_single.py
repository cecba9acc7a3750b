"""Show that a claim about one randomizer is false, in rational arithmetic: by one mechanism that violates it.

**1. The claim.**  A mechanism has n draws.  Kind "hidden-slot": n slots (``steps`` or ``window``), of which one, chosen
uniformly, has the record; there the record is used with the probability w (``weight`` or ``check_in_prob``), and else a
reference record, as in all other slots.  Kind "shuffle": n ``clients``, one of whom has the record and all others the
reference record, send one message each, which are shuffled; w = 1.  All draws go through one randomizer.  Let P, Q and
R be the laws of its output on the record, on the record that replaces it, and on the reference record: the rows
``record``, ``replacement`` and ``reference`` of the file.  With the laws V and V' of all n outputs, for the record and
for its replacement, and kappa = e^epsilon, the claim is that for every randomizer of a class

    delta  >=  the sum over all sequences y of outputs of (V(y) - kappa V'(y))_+,

which is what (epsilon, delta)-differential privacy demands of these neighbours.  The class: any two of the three rows
have ratios of at most e^eps0, P and Q have at most the total variation ``tv``, and with ``categories`` all rows are
K-ary randomized response.  The adjacency "zero-out" demands that the record or its replacement is the reference record.

**2. The delta that is attained.**  The record is at each of the n places with the probability 1/n.  So

    V(y) = (1/n) sum_i (w P(y_i) + (1-w) R(y_i)) prod_{j != i} R(y_j),

and the same with Q for V'.  That holds for shuffled messages too: after a shuffle the record's is at any place.  With
gap(s) = w (P(s) - kappa Q(s)) + (1-w) (1-kappa) R(s) the sum above is, therefore, exactly

    E max(mean over i of gap(Y_i) / R(Y_i), 0),    where Y_1, ..., Y_n are independent draws from R.

It depends on how often each output is drawn.  Where there are few sequences it is computed from all of them without any
rounding; else from the counts of outputs, where whatever is rounded or left out lowers it.  kappa is rounded up, by
which every gap falls; e^eps0 is rounded down, by which the class has fewer mechanisms.

**3. What is assumed.**  The rows are exact numbers, and nothing is assumed of them that is not checked.  That the claim
of the file is that of the theorem or the protocol under ``of`` is not checked here, but by ``pldcheck witness check``,
or by a reader who puts the parameters into the formula.
"""

from fractions import Fraction
from itertools import product
from math import factorial, floor, prod

from .claim_files import require, spend, verdict_of
from .counterexamples import number, read_witness, refuted, require_attained, rows_of
from .fixed_point import ONE, exp_ends

# Up to this number of sequences of outputs, the divergence is computed exactly from all of them.
MOST_SEQUENCES = 1024
# The largest product of the numbers of draws and of outputs; it bounds the time and the memory of the program.
MOST = 100_000
# The largest number of terms in a sum over counts of outputs, and those for which a core takes a second.
MOST_TERMS = 3_000_000
TERMS = 400_000
# The parameters of each kind, besides eps0.
KINDS = {"hidden-slot": {"steps", "window", "weight", "check_in_prob"}, "shuffle": {"clients", "categories", "tv"}}
# The keys that a mechanism may have.
MECHANISM_KEYS = {"kind", "record", "replacement", "reference", "sizes"}


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
    terms = prod(map(len, others))
    require(terms <= MOST_TERMS, "too many counts of outputs to sum over")
    spend(terms / TERMS)
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
    claim, mechanism = read_witness(facts, 1, "params", MECHANISM_KEYS)
    params = claim["params"]
    require(params.keys() <= KINDS[mechanism["kind"]] | {"eps0"}, f"params not known of {mechanism['kind']}")
    (n,) = (params[name] for name in ("steps", "window", "clients") if name in params)
    (weight,) = [number(params[name]) for name in ("weight", "check_in_prob") if name in params] or [1]
    delta = number(claim["delta"])
    limit, kappa = exp_ends(number(params["eps0"]))[0], exp_ends(number(claim["epsilon"]))[1]
    rows = rows_of(mechanism)
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
        return require_attained(facts, divergence_from_sequences(n, gaps, reference))
    return require_attained(facts, divergence_from_counts(n, gaps, reference, delta))


@verdict_of
def verify(facts):
    """Return the verdict on the content of a file, whatever that is."""
    return refuted(check(facts))
