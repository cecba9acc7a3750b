r"""Check upper certificates of one hidden slot with a known law, every rounding upward: python upper_sum.py FILE.

A certificate claims that a known randomizer in one of ``steps`` hidden slots is (epsilon, delta)-DP.  This program
needs nothing but the standard library.  The file holds the claim and the ``fineness`` of the computation. Whatever the
fineness is, what the program accepts is true: the fineness decides only how near delta may be to the truth.

**1. The claim.**  A record is in one of m slots, chosen uniformly, and is used there with probability w; every other
slot holds a reference record.  Slots are released one after another and may depend on all earlier outputs.  With kappa
= e^epsilon and the likelihood ratios a and b of a slot's output on the record and on its replacement against the
reference,

    delta* = E (1 - kappa + (w/m) sum_i X_i)_+ = (w/m) E (sum_i (X_i - K))_+,   X = (a - 1) - kappa (b - 1),
    K = (kappa - 1) / w,   where a and b have the mean 1 given the past, so that X has the mean 0.

A record that is removed has b = 1, one that is added has a = 1.  delta* falls in epsilon: kappa is rounded down, once;
from here on it is that decimal.  A lower end of delta* is computed apart, with kappa rounded up.

**2. One step.**  C(x) is the largest E (X - x)_+ of a step, over all references.  It is convex, its slope is from -1
to 0, and C(x) >= -x.  At some nodes x_0 < ... < x_n, multiples of ``width``, C is enclosed.  The polygon through
C(x_i), with the slope -1 on the left of x_0 and the slope 0 on the right of x_n, is nowhere below C.  So C(x) <= E (L
- x)_+ + e for all x, where e = C(x_n) and where the measure L has at each node the mass by which the slope rises
there.  A mass is rounded up: (L - x)_+ is not negative.

**3. Many steps.**  T f(u) is the largest E f(u + X - K) of a step; V_0(u) = u_+, V_t = T V_{t-1}; so delta* is at most
(w/m) V_m(0), and V_1(u) <= E (u + L - K)_+ + e, also where references depend on earlier outputs. If V_s(u) <= E (u +
Y)_+ + d and V_t(u) <= E (u + Z)_+ + e for all u, then, as T is monotone and sublinear, commutes with shifts, and T (f
+ d) = T f + d,

    V_{s+t}(u) = T^t V_s(u) <= E V_t(u + Y) + d <= E (u + Y + Z)_+ + e |Y| + d,   |Y| being the mass of Y.

So independent measures are added, and their excesses d and e, each times the mass of the other or 1, whichever is more.
What may be done with a measure Y:
(a) a mass is raised, or goes up: u_+ is not negative, and increases;
(b) a mass at y is split into two halves at equal distances from y: u_+ is convex;
(c) what is above a place t goes down to t, and E (Y - t)_+ is added to the excess: (u + y)_+ <= (u + t)_+ + (y - t)_+.
One slot needs no lattice: delta* = w C(K).  With more, it is at least (w/m) C(m K), by Jensen's inequality: as if there
were one slot, used with probability w/m.

**4. Lattice.**  Masses are integers, multiples of 1 / one, at the places k ``width`` 2^level; excesses are multiples of
``width`` / one.  ``sum_law`` multiplies two laws as two numbers that hold the masses side by side, with room for every
sum of products; a decimal product is exact or raises an error.  ``trim`` applies (a) at the lower end and (c) at the
upper one, ``coarsen`` applies (b) to odd k.

**5. Decimals.**  Operations are rounded down in DOWN and up in UP; exp, ln and sqrt of Python's decimals are correctly
rounded to the nearest, and the next decimal is taken.  Operators round otherwise; they only serve to choose fineness.
For a normal Z with density f and 0 <= x <= 6, P(Z > x) = 1/2 - f(x) (x + x^3/3 + x^5/(3 5) + ...), where the rest is
below the last term if each term from there on is at most half of the one before; for x > 6 it is
f(x) / (x + 1/(x + 2/(x + ...))), where the n-th denominator x + n/(x + ...) is from x to x + n/x.

**6. Laws.**  Gaussian random allocation, s = 1/sigma: the record adds a vector of length at most 1 to its step.  A
shorter one has a conditional expectation of the ratio A = e^(s Z - s^2/2) of the longest; one that is replaced has the
ratios A and B = e^(-s Z - s^2/2) of opposite vectors, as (a - 1) - kappa (b - 1) is largest in convex order for
countermonotone ratios (Tchen 1980).  X increases in Z: with the z where X = x, and 1 for a or b where it is constant,
C(x) = P(Z > z - s) - kappa P(Z > z + s) - (x - constant) P(Z > z).
Outputs in a table (K-ary response with e^eps0 rounded up, of which the response with eps0 itself is a noisier version;
for a lower end it is rounded down):
C is a maximum over references of finite sums.  Laplace noise of scale 1/eps0 on [0, 1], a record removed or added:
E (A - k)_+ is 1 - sqrt(k) e^(-eps0/2) for e^-eps0 <= k <= e^eps0, 1 - k below and 0 above, which is the largest of the
three for every k >= 0; and E (k - A)_+ = E (A - k)_+ + k - 1.  A nearer record has a conditional expectation of A.

**7. Statements.**  The sentence of acceptance names the statements of STATEMENTS that it rests on: 1 and 3 are
known-slot, the worst vectors gaussian-vectors, the worst Laplace records laplace-records.
"""

import json
import sys
from collections.abc import Callable
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal, Inexact, Rounded
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise, permutations
from math import ceil, floor
from os.path import isfile
from re import fullmatch
from typing import NamedTuple

# The digits of all decimals that are rounded.
DIGITS = 100
UP = Context(prec=DIGITS, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN)
DOWN = Context(prec=DIGITS, rounding=ROUND_FLOOR, Emax=MAX_EMAX, Emin=MIN_EMIN)
# An operation in this context is exact, or raises an error.
EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact, Rounded])
# The same for quotients, of which decimals of a file have fewer digits.
EXACT_QUOTIENT = Context(prec=1100, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact, Rounded])
# Nine digits are enough for messages.
DOWN_NINE = Context(prec=9, rounding=ROUND_FLOOR)
UP_NINE = Context(prec=9, rounding=ROUND_CEILING)
ZERO = Decimal(0)
HALF = Decimal("0.5")
UNIT = Decimal(1)
# The series of a normal probability ends at a term below this.
NOTHING = Decimal("1e-110")
# The continued fraction of a normal probability has as many denominators at x as DEPTH / x^2 and DEPTH / 130.
DEPTH = 12000
# The number 2 pi, from below and from above.
TWO_PI = "6.2831853071795864769252867665590057683943387987502116419498891846156328125724179972560696506842341359"
TWO_PI_ENDS = Decimal(TWO_PI), Decimal(TWO_PI + "9")
# The largest length of a file in bytes.
MOST_BYTES = 20_000
# The most cells of all laws: each takes some milliseconds.
MOST_CELLS = 20_000
# The most digits of one product: a core takes about a second for 10^7.
MOST_DIGITS = 5 * 10**7
# The most digits of all products of a file.
MOST_WORK = 4 * 10**9
# The form of a decimal number, and of the width of the lattice, which may be a quotient.
DECIMAL = r"[0-9]{1,30}(\.[0-9]{1,60})?(e-?[0-9]{1,3})?"
QUOTIENT = r"[0-9]{1,30}(/[1-9][0-9]{0,29}|(\.[0-9]{1,60})?(e-?[0-9]{1,3})?)"
# The keys of a file, of its fineness, and of a claim besides its parameters.
FILE_KEYS = {"pldcheck_certificate", "claim", "fineness"}
FINENESS_KEYS = {"digits", "width", "points", "bottom", "top", "cells", "growth", "cut"}
CLAIM_KEYS = {"mechanism", "steps", "weight", "adjacency", "epsilon", "delta", "randomizer"}
# The numbers of each randomizer, with the least and the largest value of each.
RANDOMIZERS = {
    "gaussian": {"sigma": ("5e-2", "1e9")},
    "laplace": {"eps0": ("1e-9", "20")},
    "krr": {"eps0": ("1e-9", "20"), "outputs": ("2", "1e9")},
    "table": {},
}
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
# The statements that an acceptance may rest on; they are registered in pldcheck.theorems.statements with their proofs.
STATEMENTS = {
    "known-slot": (
        "One hidden slot, whatever the references and however they depend on earlier outputs, is bounded by a sum "
        "of independent variables with the largest stop-loss of one step."
    ),
    "gaussian-vectors": (
        "Gaussian random allocation is bounded by one number in each step: of vectors of length at most 1 the worst "
        "is one of length 1, and the worst replacement is its opposite."
    ),
    "laplace-records": (
        "Laplace noise of scale 1/eps0 on records in [0, 1], one there or not: the worst record and reference are "
        "at a distance of 1."
    ),
}
# The most inputs of a table.
MOST_ROWS = 8
# The most outputs of a table.
MOST_COLUMNS = 64


class Ends(NamedTuple):
    """A lower and an upper bound of one number."""

    lower: Decimal
    upper: Decimal


class Step(NamedTuple):
    """The law of one step: ``curve`` returns Ends of C(x), ``atoms`` are places at which it is better to cut."""

    curve: Callable
    atoms: list


class Lattice(NamedTuple):
    """Masses over ``one`` at the places (first + i) * width * 2^level, and an excess over ``one`` in widths."""

    masses: list
    first: int
    excess: int
    level: int


class Fineness(NamedTuple):
    """The fineness of the computation.

    one: the integer that stands for the mass 1.  width: of the lattice, at the level 0.  points: the most places of a
    law.  bottom, top: the lowest place, but for its sign, and the highest one, at the level 0.  cells: a lattice
    becomes coarser where it is still so much finer than the deviation of its law.  growth: cells of a law are as many
    places wide, and one more, as this number divides their place.  cut: the largest mass of a lower tail, and the
    largest excess of an upper one, that is taken off.  most: the most cells that a law may have.
    """

    one: int
    width: Fraction
    points: int
    bottom: int
    top: int
    cells: int
    growth: int
    cut: int
    most: int


class Verdict(NamedTuple):
    """The outcome: ``status`` is 0 (verified), 1 (not verified) or 2 (not a certificate), with a sentence."""

    status: int
    sentence: str


def require(condition, complaint):
    """Raise ValueError with the complaint unless the condition holds."""
    if not condition:
        raise ValueError(complaint)


def unique_keys(pairs):
    """Return a JSON object as a dictionary; refuse an object in which a key stands twice."""
    require(len(dict(pairs)) == len(pairs), "a key stands twice")
    return dict(pairs)


def no_constant(name):
    """Refuse NaN and the infinities, which are no JSON."""
    raise ValueError(f"{name} is not a number")


def parse(content):
    """Return the JSON value that some bytes hold, and nothing besides."""
    require(len(content) <= MOST_BYTES, f"longer than {MOST_BYTES} bytes")
    return json.loads(content.decode("ascii"), object_pairs_hook=unique_keys, parse_constant=no_constant)


def fields(value, names, place):
    """Return a dictionary that has exactly these keys."""
    require(
        type(value) is dict and value.keys() == set(names), f"{place} must have the keys {', '.join(sorted(names))}"
    )
    return value


def integer(facts, name, low, high):
    """Return an integer of a file that must lie in a range."""
    value = facts[name]
    require(type(value) is int and low <= value <= high, f"{name} must be an integer from {low} to {high}")
    return value


def decimal(facts, name, low, high):
    """Return the exact value of a decimal text that must lie in a range, whose ends are texts."""
    text = facts[name]
    require(type(text) is str and fullmatch(DECIMAL, text), f"{name} must be a decimal number in a text")
    require(Fraction(low) <= Fraction(text) <= Fraction(high), f"{name} must be from {low} to {high}")
    return Fraction(text)


def ends(fraction):
    """Return Ends of a rational number."""
    numerator, denominator = Decimal(fraction.numerator), Decimal(fraction.denominator)
    return Ends(DOWN.divide(numerator, denominator), UP.divide(numerator, denominator))


def exp_ends(x):
    """Return Ends of e^x for a number x with these Ends."""
    return Ends(max(ZERO, DOWN.next_minus(DOWN.exp(x[0]))), UP.next_plus(UP.exp(x[1])))


def exp_of(fraction):
    """Return Ends of e^x for a rational number x."""
    return exp_ends(ends(fraction))


def log_ends(x):
    """Return Ends of ln(x) for a positive number x with these Ends."""
    return Ends(DOWN.next_minus(DOWN.ln(x[0])), UP.next_plus(UP.ln(x[1])))


def sqrt_ends(x):
    """Return Ends of the square root of a number with these Ends."""
    return Ends(max(ZERO, DOWN.next_minus(DOWN.sqrt(x[0]))), UP.next_plus(UP.sqrt(x[1])))


def complement(x):
    """Return Ends of 1 - x."""
    return Ends(DOWN.subtract(UNIT, x[1]), UP.subtract(UNIT, x[0]))


def normal_tail(x):
    """Return Ends of P(Z > x) for a standard normal Z and a number x with these Ends."""
    low, high = x
    if high < 0:
        return complement(normal_tail((high.copy_negate(), low.copy_negate())))
    if low < 0:  # the density is below 1
        return Ends(DOWN.subtract(HALF, high), UP.subtract(HALF, low))
    squares = DOWN.multiply(low, low), UP.multiply(high, high)
    roots = sqrt_ends(TWO_PI_ENDS)
    bell = exp_ends(tuple(c.multiply(-HALF, q) for c, q in zip((DOWN, UP), reversed(squares), strict=True)))
    density = Ends(DOWN.divide(bell[0], roots[1]), UP.divide(bell[1], roots[0]))
    if high > 6:
        depth = int(DEPTH / float(low) ** 2 + DEPTH / 130) + 1
        below, above = low, UP.add(high, UP.divide(depth + 1, low))
        for n in range(depth, 0, -1):
            below, above = DOWN.add(low, DOWN.divide(n, above)), UP.add(high, UP.divide(n, below))
        return Ends(DOWN.divide(density[0], above), UP.divide(density[1], below))
    term = total = Ends(low, high)
    odd = 1
    while term[1] > NOTHING or odd < 71:  # from then on x^2 is at most half of the next odd number
        odd += 2
        term = Ends(*(c.divide(c.multiply(t, q), odd) for c, t, q in zip((DOWN, UP), term, squares, strict=True)))
        total = Ends(DOWN.add(total[0], term[0]), UP.add(total[1], term[1]))
    central = DOWN.multiply(density[0], total[0]), UP.multiply(density[1], UP.add(total[1], term[1]))
    return Ends(max(ZERO, DOWN.subtract(HALF, central[1])), UP.subtract(HALF, central[0]))


def gaussian(sigma, kappa, change):
    """Return the step of Gaussian noise; X = up e^(s z - s^2/2) - down e^(-s z - s^2/2) + constant increases in z."""
    s, half = ends(1 / sigma), ends(1 / (2 * sigma**2))
    up, down = int(change != "added"), kappa if change != "removed" else 0
    constant = Fraction(down) - up
    shrink = exp_of(-1 / sigma**2)

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


# Lattices.


def whole(x, fine):
    """Return a positive part as a multiple of 1 / one, rounded up."""
    return ceil(EXACT.multiply(max(ZERO, x), fine.one))


def cuts(step, shift, fine):
    """Return the whole numbers k, in order, at which a step may be cut; their spaces widen from 0 and from X = 0 on."""
    offset = floor(shift / fine.width)
    walk, k = {0, -1}, 0
    while k <= fine.points:
        k += 1 + k // fine.growth
        walk |= {k, -k, k - offset, -k - offset}
    for atom in step.atoms:
        place = (atom - shift) / fine.width
        walk |= {floor(place), ceil(place)}
    walk = sorted(k for k in walk if abs(k) <= fine.points)
    require(len(walk) <= fine.most, f"more than {fine.most} cells of a law")
    return walk


def lattice_law(step, shift, fine):
    """Return the law L of X - shift for a step X, with its excess."""
    places = cuts(step, shift, fine)
    start = places.index(0)
    width, rows = ends(fine.width), {}

    def height(k):
        low, high = step.curve(k * fine.width + shift)
        return Ends(DOWN.divide(low, width[1]), UP.divide(high, width[0]))

    for k in places[start:]:
        rows[k] = height(k)
        if rows[k][1] * fine.one <= fine.cut or k >= fine.top:
            break
    for k in reversed(places[:start]):
        rows[k] = height(k)
        below = rows[k][1] + ends(k + shift / fine.width)[1]
        if below * fine.one <= fine.cut or -k >= fine.bottom:
            break
    places = sorted(rows)
    # The slopes on the left and on the right of each node, where they are enclosed.
    slopes = [Ends(-UNIT, -UNIT)]
    for a, b in pairwise(places):
        fall = DOWN.subtract(rows[b][0], rows[a][1]), UP.subtract(rows[b][1], rows[a][0])
        slopes.append(Ends(DOWN.divide(fall[0], b - a), UP.divide(fall[1], b - a)))
    slopes.append(Ends(ZERO, ZERO))
    masses = [0] * (places[-1] - places[0] + 1)
    for k, (left, right) in zip(places, pairwise(slopes), strict=True):
        masses[k - places[0]] = whole(UP.subtract(right[1], left[0]), fine)
    return trim(Lattice(masses, places[0], whole(rows[places[-1]][1], fine), 0), fine)


def trim(law, fine):
    """Return a law without negligible tails, with at most ``points`` places, all from ``bottom`` to ``top``."""
    masses, excess, low, high = [*law.masses], law.excess, 0, len(law.masses)
    loss, bottom = 0, 0
    while high > 1:
        cost = masses[high - 1] << law.level
        if loss + cost > fine.cut and (law.first + high - 1) << law.level <= fine.top:
            break
        loss += cost
        high -= 1
        masses[high - 1] += masses[high]
    while low < high - 1 and (
        bottom + masses[low] <= fine.cut or high - low > fine.points or -(law.first + low) << law.level > fine.bottom
    ):
        bottom += masses[low]
        low += 1
    return Lattice([bottom + masses[low], *masses[low + 1 : high]], law.first + low, excess + loss, law.level)


def coarsen(law, fine):
    """Return a law on the lattice that is twice as wide."""
    first = law.first // 2
    masses = [0] * ((law.first + len(law.masses)) // 2 - first + 1)
    for k, mass in enumerate(law.masses, law.first):
        if k % 2:
            masses[k // 2 - first] += (mass + 1) // 2
            masses[k // 2 + 1 - first] += (mass + 1) // 2
        else:
            masses[k // 2 - first] += mass
    return Lattice(masses, first, law.excess, law.level + 1)


def at_level(law, level, fine):
    """Return a law on a lattice of this level, which is not below its own."""
    while law.level < level:
        law = trim(coarsen(law, fine), fine)
    return law


def wide_enough(law, fine):
    """Return whether the lattice is still ``cells`` times as fine as the deviation of a law when it is coarser."""
    total = sum(law.masses) or 1
    shares = [mass / total for mass in law.masses]
    mean = sum(i * share for i, share in enumerate(shares))
    variance = sum((i - mean) ** 2 * share for i, share in enumerate(shares))
    return (2 * fine.cells) ** 2 <= variance


def sum_law(one, other, fine):
    """Return the law of the sum of two independent measures, on the coarser lattice of both or a coarser one."""
    level = max(one.level, other.level)
    one, other = at_level(one, level, fine), at_level(other, level, fine)
    size = len(str(max(one.masses) * max(other.masses) * min(len(one.masses), len(other.masses))))
    numbers = [Decimal("".join(f"{mass:0{size}d}" for mass in law.masses)) for law in (one, other)]
    count = len(one.masses) + len(other.masses) - 1
    digits = str(EXACT.multiply(*numbers)).zfill(size * count)
    masses = [-(-int(digits[i : i + size]) // fine.one) for i in range(0, size * count, size)]
    total = [max(sum(law.masses), fine.one) for law in (one, other)]
    excess = -(-(one.excess * total[1] + other.excess * total[0]) // fine.one)
    law = trim(Lattice(masses, one.first + other.first, excess, level), fine)
    while wide_enough(law, fine):
        law = trim(coarsen(law, fine), fine)
    return law


def power_law(law, count, fine):
    """Return the law of the sum of so many independent copies."""
    power = law
    for digit in bin(count)[3:]:
        power = sum_law(power, power, fine)
        if digit == "1":
            law = at_level(law, power.level, fine)
            power = sum_law(power, law, fine)
    return power


# The claim.


def read_rows(value):
    """Return the rows of a table as rational numbers; each has the sum 1."""
    require(type(value) is list and 2 <= len(value) <= MOST_ROWS, f"a table has from 2 to {MOST_ROWS} rows")
    rows = []
    for row in value:
        require(type(row) is list and len(row) <= MOST_COLUMNS, f"a row has at most {MOST_COLUMNS} entries")
        require(
            all(type(text) is str and fullmatch(QUOTIENT, text) for text in row), "an entry is not a text of a number"
        )
        rows.append([Fraction(text) for text in row])
    require(len({*map(len, rows)}) == 1 and all(sum(row) == 1 for row in rows), "rows of one length and of the sum 1")
    require(
        all(all(column) or not any(column) for column in zip(*rows, strict=True)), "an output is not always possible"
    )
    return rows


def steps_of(randomizer, kappa, adjacency, end=1):
    """Return the steps among which the worst counts; e^eps0 of a response is rounded up, or down where ``end`` is 0."""
    require(type(randomizer) is dict and randomizer.get("kind") in [*RANDOMIZERS], f"a kind of {[*RANDOMIZERS]}")
    kind = randomizer["kind"]
    fields(randomizer, {"kind", *RANDOMIZERS[kind], *(["rows"] if kind == "table" else [])}, "the randomizer")
    numbers = [decimal(randomizer, key, low, high) for key, (low, high) in RANDOMIZERS[kind].items()]
    changes = ADJACENCIES[adjacency]
    if kind == "gaussian":
        return [gaussian(*numbers, kappa, change) for change in changes]
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
    rows = read_rows(randomizer["rows"])
    if adjacency == "replace":
        return [outputs([(i, j, own) for own in rows], kappa, "replaced") for i, j in permutations(rows, 2)]
    return [outputs([(i, i, own) for own in rows], kappa, change) for i in rows for change in changes]


def delta_ends(step, count, weight, kappa, fine):
    """Return Ends of delta for a step in so many slots; the lower one leaves out all but one (Jensen's inequality)."""
    share, shift = weight / count, (Fraction(kappa) - 1) / weight
    single = step.curve(shift * count)
    low = DOWN.multiply(ends(share)[0], single[0])
    if count == 1:
        return Ends(low, UP.multiply(ends(share)[1], single[1]))
    law = power_law(lattice_law(step, shift, fine), count, fine)
    total = law.excess + sum(mass * max(0, k << law.level) for k, mass in enumerate(law.masses, law.first))
    return Ends(low, ends(share * fine.width * Fraction(total, fine.one))[1])


def read_fineness(facts, products, count):
    """Return the Fineness of a file; refuse one with too much work for so many products, and for so many laws."""
    fields(facts, FINENESS_KEYS, "fineness")
    digits, points = integer(facts, "digits", 10, 90), integer(facts, "points", 2, 2**20)
    bottom, top = integer(facts, "bottom", 1, 10**18), integer(facts, "top", 1, 10**18)
    width = facts["width"]
    require(type(width) is str and fullmatch(QUOTIENT, width), "width must be a decimal number or a quotient in a text")
    require(Fraction(1, 10**30) <= Fraction(width) <= 10**30, "width must be from 1e-30 to 1e30")
    size = 2 * points * (2 * digits + 20)
    require(size <= MOST_DIGITS, f"products of {size} digits; {MOST_DIGITS} are allowed")
    require(
        size * products <= MOST_WORK, f"{products} products of {size} digits; {MOST_WORK} digits are allowed in all"
    )
    cells, growth = integer(facts, "cells", 1, 4096), integer(facts, "growth", 1, 4096)
    cut = floor(decimal(facts, "cut", "0", "1") * 10**digits)
    return Fineness(10**digits, Fraction(width), points, bottom, top, cells, growth, cut, MOST_CELLS // count)


def upper_delta(facts):
    """Return Ends of delta at the claim's epsilon; raise ValueError for what is not a certificate."""
    fields(facts, FILE_KEYS, "the file")
    require(facts["pldcheck_certificate"] == "upper_sum", "not a certificate for this program")
    claim = fields(facts["claim"], CLAIM_KEYS, "the claim")
    epsilon, weight = decimal(claim, "epsilon", "0", "100"), decimal(claim, "weight", "1e-30", "1")
    decimal(claim, "delta", "0", "1")
    count, adjacency = integer(claim, "steps", 1, 10**12), claim["adjacency"]
    require(type(adjacency) is str and adjacency in ADJACENCIES, f"adjacency must be one of {[*ADJACENCIES]}")
    kappa = max(UNIT, exp_of(epsilon)[0])
    steps = steps_of(claim["randomizer"], kappa, adjacency)
    name = "random-allocation" if claim["randomizer"]["kind"] == "gaussian" else "hidden-slot"
    require(claim["mechanism"] == name, f"the mechanism must be {name}")
    fine = read_fineness(facts["fineness"], len(steps) * 2 * count.bit_length(), len(steps))
    worst = [delta_ends(step, count, weight, kappa, fine) for step in steps]
    # What is at least this for a larger kappa and a smaller eps0 is at least this for the claim.
    more = exp_of(epsilon)[1]
    least = [
        delta_ends(step, 1, weight / count, more, fine) for step in steps_of(claim["randomizer"], more, adjacency, 0)
    ]
    return Ends(max(low for low, _ in least), max(high for _, high in worst))


def sentence_of(claim):
    """Return the claim in words."""
    numbers = ", ".join(f"{key} {value}" for key, value in claim["randomizer"].items() if key not in ("kind", "rows"))
    kind = f"{claim['randomizer']['kind']}{' ' if numbers else ''}{numbers}"
    place = f"in one of {claim['steps']} slots, used with probability {claim['weight']}, {claim['adjacency']}"
    return f"a record of {kind}, {place}, is ({claim['epsilon']}, {claim['delta']})-DP"


def statements_of(claim):
    """Return the statements that the acceptance of a claim rests on."""
    kind = claim["randomizer"]["kind"]
    return [KNOWN_SLOT, *([REDUCTIONS[kind]] if kind in REDUCTIONS else [])]


def verify(facts):
    """Return the verdict on the content of a file; whatever the content is, it raises no error."""
    try:
        low, high = upper_delta(facts)
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
        return Verdict(2, f"refused: {error if type(error) is ValueError else repr(error)}")
    claim = facts["claim"]
    # Decimals are compared exactly, and at once, however small they are.
    delta = Decimal(claim["delta"])
    if high <= delta:
        return Verdict(0, f"accepted: {sentence_of(claim)}; this rests on {' and '.join(statements_of(claim))}")
    if low > delta:
        return Verdict(1, f"false: delta is at least {DOWN_NINE.plus(low)}")
    reason = f"delta is found to be at most {UP_NINE.plus(high)}"
    return Verdict(1, f"not verified: {reason}; the fineness is too coarse, or the claim is false")


def examine(path):
    """Return the verdict on a file."""
    try:
        require(isfile(path), "not a file")
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
        verdict = verify(parse(content))
        return verdict._replace(sentence=f"{verdict.sentence}; sha256 {sha256(content).hexdigest()}")
    except (OSError, RecursionError, ValueError) as error:
        return Verdict(2, f"refused: {error if type(error) is ValueError else repr(error)}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python upper_sum.py FILE")
    status, sentence = examine(sys.argv[1])
    print(sentence)
    sys.exit(status)
