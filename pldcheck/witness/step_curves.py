"""The curves of a step of known randomizers, enclosed: a part of programs of certificates.

A step has the likelihood ratios a and b of its output on the record and on its replacement against the reference, and
X = (a - 1) - kappa (b - 1).  A record that is removed has b = 1, one that is added has a = 1.  C(x), the curve, is the
largest E (X - x)_+ over all references.

Gaussian random allocation, s = 1/sigma: the record adds a vector of length at most 1 to its step.  A shorter one has a
conditional expectation of the ratio A = e^(s Z - s^2/2) of the longest; one that is replaced has the ratios A and B =
e^(-s Z - s^2/2) of opposite vectors, as (a - 1) - kappa (b - 1) is largest in convex order for countermonotone ratios
(Tchen 1980).  X increases in Z: with the z where X = x, and 1 for a or b where it is constant,
C(x) = P(Z > z - s) - kappa P(Z > z + s) - (x - constant) P(Z > z).
If the record is in the same slot in each of several ``passes`` (repeated-gaussian), s = sqrt(passes)/sigma (same-slot).

Outputs in a table (K-ary response with e^eps0 rounded up, of which the response with eps0 itself is a noisier version;
for a lower end it is rounded down): C is a maximum over references of finite sums.

Laplace noise of scale 1/eps0 on [0, 1], a record removed or added: E (A - k)_+ is 1 - sqrt(k) e^(-eps0/2) for e^-eps0
<= k <= e^eps0, 1 - k below and 0 above, which is the largest of the three for every k >= 0; and E (k - A)_+ =
E (A - k)_+ + k - 1.  A nearer record has a conditional expectation of A.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import NamedTuple

if __package__:
    from .certificate_file import QUOTIENT, decimal, fields, require
    from .directed_decimals import DOWN, HALF, UNIT, UP, ZERO, Ends, ends, exp_of, log_ends, normal_tail, sqrt_ends
    from .randomizer_table import rows_of
else:  # run alone, beside these modules
    from certificate_file import QUOTIENT, decimal, fields, require  # type: ignore[no-redef]
    from directed_decimals import DOWN, HALF, UNIT, UP, ZERO, Ends, ends, exp_of, log_ends, normal_tail, sqrt_ends  # type: ignore[no-redef]
    from randomizer_table import rows_of  # type: ignore[no-redef]

# The numbers of each randomizer, with the least and the largest value of each.
RANDOMIZERS = {
    "gaussian": {"sigma": ("5e-2", "1e9")},
    "repeated-gaussian": {"sigma": ("5e-2", "1e9"), "passes": ("1", "1e12")},
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
REDUCTIONS = {"gaussian": "gaussian-vectors", "laplace": "laplace-records"}
# The largest square of s for Gaussian noise.
LARGEST_VARIANCE = 400


class Step(NamedTuple):
    """The law of one step: ``curve`` returns Ends of C(x), ``atoms`` are places at which it is better to cut."""

    curve: Callable
    atoms: list


def gaussian(variance, kappa, change):
    """Return the step of Gaussian noise, whose ``variance`` is s^2.

    X = up e^(s z - s^2/2) - down e^(-s z - s^2/2) + constant increases in z.
    """
    s, half = sqrt_ends(ends(variance)), ends(variance / 2)
    up, down = int(change != "added"), kappa if change != "removed" else 0
    constant = Fraction(down) - up
    shrink = exp_of(-variance)

    def place(w):
        """Return Ends of the z where X - constant is w; None where X is above it for all z."""
        exact = ends(w)
        if not down:
            return None if w <= 0 else quotient(log_ends(exact), half)
        if not up:
            z = quotient(log_ends(ends(-w / Fraction(down))), half)
            return Ends(z[1].copy_negate(), z[0].copy_negate())
        product = DOWN.multiply(4, DOWN.multiply(down, shrink[0])), UP.multiply(4, UP.multiply(down, shrink[1]))
        squares = exact[0].copy_abs(), exact[1].copy_abs()
        low, high = sorted(squares)
        root = sqrt_ends((DOWN.fma(low, low, product[0]), UP.fma(high, high, product[1])))
        if w >= 0:  # e^(s z - s^2/2) is the larger root of a^2 - w a = kappa e^(-s^2)
            sums = DOWN.add(root[0], exact[0]), UP.add(root[1], exact[1])
            return quotient(log_ends((DOWN.multiply(HALF, sums[0]), UP.multiply(HALF, sums[1]))), half)
        sums = DOWN.subtract(root[0], exact[1]), UP.subtract(root[1], exact[0])
        halves = DOWN.multiply(HALF, product[0]), UP.multiply(HALF, product[1])
        return quotient(log_ends((DOWN.divide(halves[0], sums[1]), UP.divide(halves[1], sums[0]))), half)

    def quotient(x, more):
        """Return Ends of (x + more) / s."""
        low, high = DOWN.add(x[0], more[0]), UP.add(x[1], more[1])
        return Ends(DOWN.divide(low, s[low > 0]), UP.divide(high, s[high <= 0]))

    def curve(x):
        w = x - constant
        if not up and w >= 0:
            return Ends(ZERO, ZERO)
        z = place(w)
        if z is None:
            return ends(-x)
        tail, wide = normal_tail(z), ends(w)
        low, high = ZERO, ZERO
        if up:
            one = normal_tail((DOWN.subtract(z[0], s[1]), UP.subtract(z[1], s[0])))
            low, high = one
        if down:
            other = normal_tail((DOWN.add(z[0], s[0]), UP.add(z[1], s[1])))
            low = DOWN.subtract(low, UP.multiply(down, other[1]))
            high = UP.subtract(high, DOWN.multiply(down, other[0]))
        low = DOWN.subtract(low, UP.multiply(wide[1], tail[1 if w > 0 else 0]))
        high = UP.subtract(high, DOWN.multiply(wide[0], tail[0 if w > 0 else 1]))
        return Ends(max(ZERO, low), max(ZERO, high))

    return Step(curve, [])


def laplace(eps0, kappa, change):
    """Return the step of Laplace noise for a record that is removed or added."""
    root, most, least = exp_of(-eps0 / 2), exp_of(eps0), exp_of(-eps0)

    def curve(x):
        if change == "removed":
            exact = ends(1 + x)
            part = product(1 + x)
            low, high = DOWN.subtract(UNIT, part[1]), UP.subtract(UNIT, part[0])
            straight = DOWN.subtract(UNIT, exact[1]), UP.subtract(UNIT, exact[0])
            return Ends(max(ZERO, straight[0], low), max(ZERO, straight[1], high))
        k = 1 - x / Fraction(kappa)
        exact, part = ends(k), product(k)
        low = max(ZERO, DOWN.subtract(exact[0], UNIT), DOWN.subtract(exact[0], part[1]))
        high = max(ZERO, UP.subtract(exact[1], UNIT), UP.subtract(exact[1], part[0]))
        return Ends(DOWN.multiply(kappa, low), UP.multiply(kappa, high))

    def product(k):
        """Return Ends of sqrt(k) e^(-eps0/2), or of 0 if k is negative."""
        roots = sqrt_ends(ends(max(Fraction(0), k)))
        return DOWN.multiply(roots[0], root[0]), UP.multiply(roots[1], root[1])

    # The largest and the least value.
    sign, size = (1, 1.0) if change == "removed" else (-1, float(kappa))
    places = [sign * size * (float(end) - 1.0) for end in (most[0], least[0])]
    return Step(curve, [Fraction(place) for place in places])


def outputs(rows, kappa, change):
    """Return the step of finitely many outputs; each of ``rows`` has the laws of record, replacement, reference."""
    laws = []
    for record, other, reference in rows:
        columns = [column for column in zip(record, other, reference, strict=True) if column[2]]
        values = [(a / o - 1, b / o - 1, o) for a, b, o in columns]
        a_part, b_part = int(change != "added"), Fraction(kappa) if change != "removed" else 0
        laws.append([(a_part * a - b_part * b, o) for a, b, o in values])

    def curve(x):
        return ends(max(sum(o * (value - x) for value, o in law if value > x) for law in laws))

    return Step(curve, [value for law in laws for value, _ in law])


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
    if kind == "laplace":
        require(adjacency != "replace", "Laplace noise is served for a record that is removed or added")
        return [laplace(*numbers, kappa, change) for change in changes]
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
    numbers = ", ".join(f"{key} {value}" for key, value in randomizer.items() if key not in ("kind", "rows"))
    return f"{randomizer['kind']}{' ' if numbers else ''}{numbers}"


def reductions_of(randomizer):
    """Return the statements by which the worst records of a randomizer are known, besides that of known slots."""
    return [REDUCTIONS[kind] for kind in [randomizer["kind"]] if kind in REDUCTIONS]
