"""The curves of a step of known randomizers, enclosed.

A step has the likelihood ratios a and b of its output on the record and on its replacement against the reference, and
X = (a - 1) - kappa (b - 1).  A record that is removed has b = 1, one that is added has a = 1.  C(x), the curve, is the
largest E (X - x)_+ over all references.  noise_steps.py has those of noise.

Outputs in a table (K-ary response with e^eps0 rounded up, of which the response with eps0 itself is a noisier version;
for a lower end it is rounded down): C is a maximum over references of finite sums, and these are all choices of a step.
"""

from fractions import Fraction
from itertools import permutations

from .claim_files import QUOTIENT, decimal, fields, require
from .directed_decimals import ends, exp_of
from .noise_steps import Step, discrete_gaussian, gaussian, laplace, larger, worst_of
from .randomizer_table import rows_of
from .statement_sentences import said

# The numbers of each randomizer, with the least and the largest value of each.
RANDOMIZERS = {
    "gaussian": {"sigma": ("5e-2", "1e9")},
    "repeated-gaussian": {"sigma": ("5e-2", "1e9"), "passes": ("1", "1e12")},
    "gaussian-records": {"sigma": ("5e-2", "1e9")},
    "discrete-gaussian": {"sigma": ("1e-1", "1e3")},
    "laplace": {"eps0": ("1e-9", "20")},
    "krr": {"eps0": ("1e-9", "20"), "outputs": ("2", "1e9")},
    "table": {},
}
# What Gaussian noise in one of several slots is called, by the kind.
NOISES = {"gaussian": "random-allocation", "repeated-gaussian": "balls-in-bins"}
# The adjacencies, by the changes of a record of which the worst counts.
ADJACENCIES = {
    "replace": ("replaced",),
    "remove": ("removed",),
    "add": ("added",),
    "zero-out": ("removed", "added"),
}
# The statement that every acceptance rests on, and others by the kind of the randomizer.
KNOWN_SLOT = "known-slot"
REDUCTIONS = {
    "gaussian": ("gaussian-vectors",),
    "gaussian-records": ("slot-pair", "gaussian-noise"),
    "discrete-gaussian": ("slot-pair", "discrete-noise"),
    "laplace": ("slot-pair", "laplace-noise"),
}
# All of these.
STATEMENTS = (KNOWN_SLOT, *dict.fromkeys(key for keys in REDUCTIONS.values() for key in keys))
# The largest square of s for Gaussian noise.
LARGEST_VARIANCE = 400
# The pairs that dominate the laws of every two records, by the kind.
PAIRS = {
    "gaussian-records": lambda sigma, kappa, change: gaussian(1 / sigma**2, kappa, change),
    "discrete-gaussian": discrete_gaussian,
    "laplace": laplace,
}


def outputs(rows, kappa, change):
    """Return the step of finitely many outputs; each of ``rows`` has the laws of record, replacement, reference."""
    a_part, b_part = int(change != "added"), Fraction(kappa) if change != "removed" else 0

    def step_of(columns):
        law = [(a_part * (a / o - 1) - b_part * (b / o - 1), o) for a, b, o in columns if o]
        return Step(lambda x: ends(sum(o * (value - x) for value, o in law if value > x)), [value for value, _ in law])

    return worst_of([step_of([*zip(*laws, strict=True)]) for laws in rows])


def steps_of(randomizer, kappa, adjacency, end=1):
    """Return the steps among which the worst counts; e^eps0 of a response is rounded up, or down where ``end`` is 0."""
    require(type(randomizer) is dict and randomizer.get("kind") in [*RANDOMIZERS], f"a kind of {[*RANDOMIZERS]}")
    kind = randomizer["kind"]
    fields(randomizer, {"kind", *RANDOMIZERS[kind], *(["rows"] if kind == "table" else [])}, "the randomizer")
    numbers = [decimal(randomizer, key, low, high) for key, (low, high) in RANDOMIZERS[kind].items()]
    changes = ADJACENCIES[adjacency]
    if kind in NOISES:
        sigma, passes = (*numbers, Fraction(1))[:2]
        require(passes.denominator == 1, "passes must be an integer")
        variance = passes / sigma**2
        require(variance <= LARGEST_VARIANCE, "sigma must be at least 0.05 times the root of passes")
        return [gaussian(variance, kappa, change) for change in changes]
    if kind in PAIRS:
        if adjacency != "replace":
            return [PAIRS[kind](*numbers, kappa, change) for change in changes]
        join = worst_of if kind == "discrete-gaussian" else larger
        return [join([PAIRS[kind](*numbers, kappa, change) for change in ("removed", "added")])]
    if kind == "krr":
        x, count = Fraction(exp_of(numbers[0])[end]), numbers[1]
        require(count.denominator == 1, "outputs must be an integer")
        # The outputs that are true for the record, its replacement, and a third one; and all others together.
        rest = [1, count - 3] if count > 2 else []
        both = [x, 1, *rest], [1, x, *rest]
        i, j = ([mass / (x + count - 1) for mass in row] for row in both)
        third = [[mass / (x + count - 1) for mass in (1, 1, x, count - 3)]] if count > 2 else []
        if adjacency == "replace":
            return [outputs([(i, j, own) for own in (*third, i, j)], kappa, "replaced")]
        return [outputs([(i, j, j) if change == "removed" else (j, i, j)], kappa, change) for change in changes]
    rows = rows_of(randomizer["rows"], QUOTIENT)
    if adjacency == "replace":
        return [outputs([(i, j, own) for own in rows], kappa, "replaced") for i, j in permutations(rows, 2)]
    return [outputs([(i, i, own) for own in rows], kappa, change) for i in rows for change in changes]


def mechanism_of(randomizer):
    """Return the name of the mechanism of a randomizer in one of several slots."""
    return NOISES.get(randomizer["kind"], "hidden-slot")


def words_of(randomizer):
    """Return a randomizer in words."""
    numbers = said(randomizer, "kind")
    return f"{randomizer['kind']}{' ' if numbers else ''}{numbers}"


def reductions_of(randomizer):
    """Return the statements by which the worst records of a randomizer are known, besides that of known slots."""
    return list(REDUCTIONS.get(randomizer["kind"], ()))
