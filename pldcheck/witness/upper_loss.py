r"""Check upper certificates of composed mechanisms, every rounding upward: python upper_loss.py FILE.

A certificate claims that the mechanisms of ``rounds``, each run ``count`` times, all of them run ``times`` times on the
same records, each run free to depend on all earlier outputs, are together (epsilon, delta)-DP.  This program needs
nothing but the standard library.  The file holds the claim and the ``fineness`` of the computation.  Whatever the
fineness is, what the program accepts is true: the fineness decides only how near delta may be to the truth.

**1. Curves.**  For two laws P and Q of an output, L = log dP/dQ is the loss (it may be infinite), and the least delta
at epsilon is D(epsilon) = E_P (1 - e^(epsilon - L))_+ (curves, as all names in brackets a statement of STATEMENTS).
A pair dominates a mechanism if its curve D is nowhere below that of two neighbours, at any real epsilon.  Losses of
pairs that dominate the runs one by one add up, independent, to that of a pair that dominates all runs together,
adaptive ones too (composed-pairs).  The curve of a sum is a mean of shifted curves of either summand.  So each law may
be replaced by a measure whose curve is nowhere lower, before and after any sum:
(a) A mass is raised: (1 - e^(epsilon - L))_+ is not negative.
(b) A mass goes to a larger loss, or to infinity: that function increases in L.
(c) What has losses in [y, z], P-mass p and Q-mass q = E e^-L goes to y and z so that p and q are kept: that function is
convex in e^-L.  Then z has (p - q e^y)/(1 - e^(y-z)) and y has (q e^z - p)/(e^(z-y) - 1); both are not negative.
(d) As a case of (c), a mass m at a loss half-way between two at a distance 2h leaves m/(1 + e^-h) above, m/(1 + e^h)
below.

**2. Lattice.**  A law is a list of masses at losses k ``width`` 2^level, and a mass at infinity; masses are integers,
multiples of 1 / one, rounded up (a).  ``lattice_law`` cuts a law at some losses k ``width``: masses of a cell are
differences of P(L > t) and of Q(L > t), which are enclosed, so that (c) is rounded up.  What is not above the last cut
goes up to it, what is above the first becomes infinite (b).  ``sum_law`` multiplies two laws as two numbers that hold
the masses side by side, with room for every sum of products; a decimal product is exact or raises an error.  ``trim``
applies (b) at both ends, ``coarsen`` applies (d) to odd k.  In the end delta is the mean of (1 - e^(epsilon - L))_+.
One law that counts once needs no lattice: delta = P(L > epsilon) - e^epsilon Q(L > epsilon).

**3. Decimals.**  Operations are rounded down in DOWN and up in UP; exp, ln and sqrt of Python's decimals are correctly
rounded to the nearest, and the next decimal is taken.  Operators round otherwise; they only serve to choose fineness.
For a normal Z with density f and 0 <= x <= 6, P(Z > x) = 1/2 - f(x) (x + x^3/3 + x^5/(3 5) + ...), where the rest is
below the last term if each term from there on is at most half of the one before; for x > 6 it is
f(x) / (x + 1/(x + 2/(x + ...))), where the n-th denominator x + n/(x + ...) is from x to x + n/x.

**4. Laws.**  A record changes a sum by at most 1 (a vector by a length of 1 for Gaussian noise, whole numbers for
discrete noise); or it is the input of a response.
rr: dominates every (eps0, delta0)-DP mechanism (approximate-pair): L is infinite with P-probability delta0, eps0 with
(1 - delta0) / (1 + e^-eps0), else -eps0.  discrete-laplace: the same with eps0 = 1/scale (discrete-noise).
krr: the true one of ``outputs`` symbols is e^eps0 times as likely as each other one.
gaussian: L is normal with the mean v/2 and the variance v = 1/sigma^2; variances add up (gaussian-noise).
laplace: with a = 1/scale and -a <= t < a, P(L > t) = 1 - e^((t-a)/2) / 2 and Q(L > t) = e^((-t-a)/2) / 2
(laplace-noise).
discrete-gaussian: L = (1 - 2k) / (2 sigma^2) where k has P-probability proportional to e^(-k^2 / (2 sigma^2)).
In all of these, -L is under Q what L is under P.
``rate`` r < 1: each record is in a sample with probability r, drawn anew in each run, and one record is removed from
all runs or added to all: ((1-r) Q + r P, Q), or the reverse, dominates (poisson-sampling).  With s(t) = ln((e^t - 1 +
r) / r) the loss of the first pair is above t where L > s(t), that of the reverse where L < s(-t), which has the
Q-probability P(L > -s(-t)) and the P-probability Q(L > -s(-t)).  The worse of both counts.
fixed-size-gaussian: a share ``rate`` is sampled without replacement, and one record is replaced, by which a sampled sum
changes by at most 1; the curve is at most that of the first pair from epsilon = 0 on and that of the reverse below
(fixed-size-sampling).  The two agree at 0; what the two laws leave of P and Q has the loss 0.  As a record is replaced
here, and removed or added above, the two kinds of samples do not stand in one claim.
"""

import json
import sys
from bisect import bisect_left
from collections.abc import Callable
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal, Inexact, Rounded
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise
from math import ceil, expm1, floor, log1p, sqrt
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
# The most rounds, each of which has a law of its own.
MOST_ROUNDS = 100
# The most digits of one product: a core takes about a second for 10^7.
MOST_DIGITS = 5 * 10**7
# The most digits of all products of a file.
MOST_WORK = 4 * 10**9
# The form of a decimal number, and of the width of the lattice, which may be a quotient.
DECIMAL = r"[0-9]{1,30}(\.[0-9]{1,60})?(e-?[0-9]{1,3})?"
QUOTIENT = r"[0-9]{1,30}(/[1-9][0-9]{0,29}|(\.[0-9]{1,60})?(e-?[0-9]{1,3})?)"
# The keys of a file, of its claim, and of its fineness.
FILE_KEYS = {"pldcheck_certificate", "claim", "fineness"}
CLAIM_KEYS = {"mechanism", "rounds", "times", "epsilon", "delta"}
FINENESS_KEYS = {"digits", "width", "points", "cells", "growth", "cut"}
# The numbers of each mechanism, with the least and the largest value of each.
NOISE = ("1e-3", "1e9")
MECHANISMS = {
    "rr": {"eps0": ("1e-9", "100"), "delta0": ("0", "1")},
    "krr": {"eps0": ("1e-9", "100"), "outputs": ("2", "1e9")},
    "gaussian": {"sigma": NOISE},
    "fixed-size-gaussian": {"sigma": NOISE},
    "laplace": {"scale": ("1e-2", "1e9")},
    "discrete-laplace": {"scale": ("1e-2", "1e9")},
    "discrete-gaussian": {"sigma": ("1e-1", "1e3")},
}
# The statement that an acceptance rests on for one run, and for several; others by mechanism, and by its sampling.
ONE_RUN = "curves"
MORE_RUNS = "composed-pairs"
REDUCTIONS = {
    "rr": "approximate-pair",
    "gaussian": "gaussian-noise",
    "fixed-size-gaussian": "gaussian-noise",
    "laplace": "laplace-noise",
    "discrete-laplace": "discrete-noise",
    "discrete-gaussian": "discrete-noise",
}
SAMPLING = {"poisson": "poisson-sampling", "fixed-size": "fixed-size-sampling"}
# The statements that an acceptance may rest on; they are registered in pldcheck.theorems.statements with their proofs.
STATEMENTS = {
    "curves": (
        "A pair's curve is that of its losses, it determines the exchanged pair's, and neither processing nor "
        "mixing raises it."
    ),
    "composed-pairs": (
        "If a pair dominates each run whatever the earlier outputs are, the independent sum of the pairs' losses "
        "dominates all runs together."
    ),
    "approximate-pair": (
        "Randomized response that reveals its input with probability delta0 dominates every (eps0, delta0)-DP "
        "mechanism."
    ),
    "gaussian-noise": (
        "Gaussian noise on vectors at most 1 apart is dominated by that on two numbers 1 apart, and the variances "
        "of its losses add up."
    ),
    "laplace-noise": "Laplace noise on numbers at most 1 apart is dominated by that on two numbers 1 apart.",
    "discrete-noise": "Discrete noise on whole numbers at most 1 apart has the losses of that on 1 and 0.",
    "poisson-sampling": (
        "If (P, Q) dominates a mechanism when a record is removed, ((1-r) Q + r P, Q) does so on Poisson samples of "
        "rate r, and the reverse pair when it is added."
    ),
    "fixed-size-sampling": (
        "On samples of a share r without replacement, a replaced record's curve is at most that of ((1-r) Q + r P, "
        "Q) from epsilon = 0 on, and that of the reverse pair below."
    ),
}


class Ends(NamedTuple):
    """A lower and an upper bound of one number."""

    lower: Decimal
    upper: Decimal


class Law(NamedTuple):
    """The law of one loss L.

    ``tails`` returns Ends of P(L > t) and of Q(L > t) that hold for every t between two rational numbers; ``atoms``
    are losses at which it is better to cut, in any order.
    """

    tails: Callable
    atoms: list


class Lattice(NamedTuple):
    """Masses over ``one`` at the losses (first + i) * width * 2^level, and the mass at infinity."""

    masses: list
    first: int
    infinity: int
    level: int


class Fineness(NamedTuple):
    """The fineness of the computation.

    one: the integer that stands for the mass 1.  width: of the lattice, at the level 0.  points: the most losses of a
    law.  cells: a lattice becomes coarser where it is still so much finer than the deviation of its law.  growth:
    cells of a law are as many losses wide, and one more, as this number divides their place.  cut: the largest mass of
    a tail that is taken off.  most: the most cells that a law may have.
    """

    one: int
    width: Fraction
    points: int
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


def product(x, y):
    """Return Ends of the product of two numbers that are not negative."""
    return Ends(DOWN.multiply(x[0], y[0]), UP.multiply(x[1], y[1]))


def mixture(rate, one, other):
    """Return Ends of rate * one + (1 - rate) * other; the rate is an exact decimal."""
    rest = EXACT.subtract(UNIT, rate)
    return Ends(*(c.fma(rate, a, c.multiply(rest, b)) for c, a, b in zip((DOWN, UP), one, other, strict=True)))


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
    below, above = total = low, high
    odd = 1
    while above > NOTHING or odd < 71:  # from then on x^2 is at most half of the next odd number
        odd += 2
        below = DOWN.divide(DOWN.multiply(below, squares[0]), odd)
        above = UP.divide(UP.multiply(above, squares[1]), odd)
        total = DOWN.add(total[0], below), UP.add(total[1], above)
    central = DOWN.multiply(density[0], total[0]), UP.multiply(density[1], UP.add(total[1], above))
    return Ends(max(ZERO, DOWN.subtract(HALF, central[1])), UP.subtract(HALF, central[0]))


def gaussian(variance):
    """Return the law of a normal loss with this rational variance and half of it as its mean."""
    deviation, half = sqrt_ends(ends(variance)), variance / 2

    def quotient(low, high):
        below, above = ends(low)[0], ends(high)[1]
        return Ends(
            DOWN.divide(below, deviation[1 if below > 0 else 0]), UP.divide(above, deviation[0 if above > 0 else 1])
        )

    def tails(low, high):
        return normal_tail(quotient(low - half, high - half)), normal_tail(quotient(low + half, high + half))

    return Law(tails, [])


def steps(losses, p, q, infinite=(ZERO, ZERO), missing=ZERO):
    """Return the law of finitely many losses, which fall, with Ends of their masses under P and Q.

    ``infinite``: Ends of the P-mass at infinity.  ``missing``: an upper bound of what is left out of either law at
    losses below the last, and of Q at losses above the first.
    """
    sums = [Ends(*infinite)], [Ends(ZERO, missing)]
    for masses, rows in zip((p, q), sums, strict=True):
        for mass in masses:
            rows.append(Ends(DOWN.add(rows[-1][0], mass[0]), UP.add(rows[-1][1], mass[1])))
        rows[-1] = Ends(rows[-1][0], UP.add(rows[-1][1], missing))
    negative = [-loss for loss in losses]

    def tails(low, high):
        # The number of losses above t is that of negative ones below -t.
        few, many = bisect_left(negative, -high), bisect_left(negative, -low)
        return tuple(Ends(rows[few][0], min(UNIT, rows[many][1])) for rows in sums)

    return Law(tails, losses)


def response(eps0, delta0=ZERO):
    """Return the law of (eps0, delta0)-randomized response."""
    likely, rest = exp_of(-eps0), EXACT.subtract(UNIT, delta0)
    likely = Ends(DOWN.divide(rest, UP.add(UNIT, likely[1])), UP.divide(rest, DOWN.add(UNIT, likely[0])))
    other = Ends(max(ZERO, DOWN.subtract(rest, likely[1])), UP.subtract(rest, likely[0]))
    return steps([eps0, -eps0], [likely, other], [other, likely], (delta0, delta0))


def k_ary_response(eps0, outputs):
    """Return the law of two inputs of K-ary randomized response."""
    x = exp_of(eps0)
    sums = DOWN.add(x[0], outputs - 1), UP.add(x[1], outputs - 1)
    one = Ends(DOWN.divide(UNIT, sums[1]), UP.divide(UNIT, sums[0]))
    most = Ends(DOWN.divide(x[0], sums[1]), UP.divide(x[1], sums[0]))
    rest = Ends(DOWN.multiply(one[0], outputs - 2), UP.multiply(one[1], outputs - 2))
    return steps([eps0, Fraction(0), -eps0], [most, rest, one], [one, rest, most])


def laplace(scale):
    """Return the law of Laplace noise."""
    largest = 1 / scale

    def tails_at(t):
        if t >= largest:
            return Ends(ZERO, ZERO), Ends(ZERO, ZERO)
        if t < -largest:
            return Ends(UNIT, UNIT), Ends(UNIT, UNIT)
        p, q = exp_of((t - largest) / 2), exp_of((-t - largest) / 2)
        half = Ends(DOWN.multiply(HALF, q[0]), UP.multiply(HALF, q[1]))
        return complement((DOWN.multiply(HALF, p[0]), UP.multiply(HALF, p[1]))), half

    def tails(low, high):
        return tuple(Ends(b[0], a[1]) for a, b in zip(tails_at(low), tails_at(high), strict=True))

    return Law(tails, [largest, -largest])


def discrete_gaussian(sigma):
    """Return the law of discrete Gaussian noise.

    Weights are computed for k from -last to last + 1, each as that of k - 1 times e^(-(2k - 1) / (2 sigma^2)).
    As (n + j)^2 >= n^2 + j (2n + 1) for whole j, the weights from n = last + 1 on have a sum of at most that of n over
    1 - e^(-(2n + 1) / (2 sigma^2)).
    """
    double = 2 * sigma**2
    last = ceil(sqrt(float(double) * DIGITS * 2.4)) + 1
    weights, quotient, fall = [Ends(UNIT, UNIT)], exp_of(-1 / double), exp_of(-2 / double)
    for _ in range(last + 1):
        weights.append(product(weights[-1], quotient))
        quotient = product(quotient, fall)
    more = UP.divide(weights[-1][1], DOWN.subtract(UNIT, exp_of(-(2 * last + 3) / double)[1]))
    total = ZERO, ZERO
    for k in range(-last, last + 1):
        total = DOWN.add(total[0], weights[abs(k)][0]), UP.add(total[1], weights[abs(k)][1])
    total = total[0], UP.add(total[1], UP.multiply(more, 2))
    masses = [Ends(DOWN.divide(low, total[1]), UP.divide(high, total[0])) for low, high in weights]
    missing = UP.divide(more, total[0])
    places = range(-last, last + 2)
    p, q = [masses[abs(k)] for k in places], [masses[abs(k - 1)] for k in places]
    return steps([(1 - 2 * k) / double for k in places], p, q, (ZERO, missing), missing)


def sample(law, rate, direction):
    """Return the law for a record that is in a sample with this probability, and is removed, added or replaced."""
    below = EXACT.subtract(UNIT, rate)

    def threshold(low, high):
        """Return Ends of e^t - 1 + rate and of s(t); s is missing if it might be minus infinity."""
        powers = exp_of(low)[0], exp_of(high)[1]
        x = DOWN.subtract(powers[0], below), UP.subtract(powers[1], below)
        if x[0] <= 0:
            return x, None
        return x, log_ends((DOWN.divide(x[0], rate), UP.divide(x[1], rate)))

    def removal(low, high):
        x, s = threshold(low, high)
        if s is None:
            certain = UNIT if x[1] < 0 else ZERO
            return Ends(certain, UNIT), Ends(certain, UNIT)
        p, q = law.tails(Fraction(s[0]), Fraction(s[1]))
        return mixture(rate, p, q), q

    def addition(low, high):
        x, s = threshold(-high, -low)
        if s is None:  # above the largest loss, or around it
            upper = UNIT if x[1] > 0 else ZERO
            return Ends(ZERO, upper), Ends(ZERO, upper)
        p, q = law.tails(-Fraction(s[1]), -Fraction(s[0]))
        return p, mixture(rate, q, p)

    def replacement(low, high):
        if low < 0 <= high:
            return tuple(Ends(b[0], a[1]) for a, b in zip(addition(low, low), removal(high, high), strict=True))
        return removal(low, high) if low >= 0 else addition(low, high)

    losses = [log1p(float(rate) * expm1(min(700.0, float(loss)))) for loss in law.atoms]
    if direction == "removed":
        return Law(removal, [Fraction(loss) for loss in losses])
    return Law(addition if direction == "added" else replacement, [Fraction(-loss) for loss in losses])


def whole(x, fine):
    """Return a positive part as a multiple of 1 / one, rounded up."""
    return ceil(EXACT.multiply(max(ZERO, x), fine.one))


def cuts(law, fine):
    """Return the whole numbers k, in order, at which a law may be cut; the spaces between them widen from 0 on."""
    walk, k = {0}, 0
    while k <= fine.points:
        k += 1 + k // fine.growth
        walk |= {k, -k}
    for loss in law.atoms:
        place = loss / fine.width
        if abs(place) <= fine.points:
            walk |= {floor(place), ceil(place)}
    require(len(walk) <= fine.most, f"more than {fine.most} cells of a law")
    return sorted(walk)


def lattice_law(law, fine):
    """Return a lattice law whose curve is nowhere below that of a law."""
    places = cuts(law, fine)
    start = places.index(0)
    rows = {}
    for k in places[start:]:
        rows[k] = law.tails(k * fine.width, k * fine.width)
        if rows[k][0][1] * fine.one <= fine.cut or rows[k][1][1] == 0:
            break
    for k in reversed(places[:start]):
        rows[k] = law.tails(k * fine.width, k * fine.width)
        if (UNIT - rows[k][0][0]) * fine.one <= fine.cut:
            break
    low, high = min(rows), max(rows)
    masses = [0] * (high - low + 1)
    masses[0] = whole(complement(rows[low][0])[1], fine)
    for a, b in pairwise(sorted(rows)):
        p = DOWN.subtract(rows[a][0][0], rows[b][0][1]), UP.subtract(rows[a][0][1], rows[b][0][0])
        q = DOWN.subtract(rows[a][1][0], rows[b][1][1]), UP.subtract(rows[a][1][1], rows[b][1][0])
        at_a, at_b = exp_of(a * fine.width)[0], exp_of(b * fine.width)[1]
        fall, rise = exp_of((a - b) * fine.width)[1], exp_of((b - a) * fine.width)[0]
        above = UP.subtract(p[1], DOWN.multiply(max(ZERO, q[0]), at_a))
        below = UP.subtract(UP.multiply(max(ZERO, q[1]), at_b), p[0])
        masses[b - low] += whole(UP.divide(above, DOWN.subtract(UNIT, fall)), fine)
        masses[a - low] += whole(UP.divide(below, DOWN.subtract(rise, UNIT)), fine)
    return trim(Lattice(masses, low, whole(rows[high][0][1], fine), 0), fine)


def trim(law, fine):
    """Return a law without the tails up to ``cut``, and with at most ``points`` losses."""
    masses, infinity, low = law.masses, law.infinity, 0
    high, bottom, top = len(masses), 0, 0
    while high > 1 and top + masses[high - 1] <= fine.cut:
        high -= 1
        top += masses[high]
    while low < high - 1 and (bottom + masses[low] <= fine.cut or high - low > fine.points):
        bottom += masses[low]
        low += 1
    return Lattice([bottom + masses[low], *masses[low + 1 : high]], law.first + low, infinity + top, law.level)


def coarsen(law, fine):
    """Return a law on the lattice that is twice as wide."""
    x = exp_of(fine.width * 2**law.level)
    share = whole(UP.divide(x[1], DOWN.add(UNIT, x[1])), fine), whole(UP.divide(UNIT, DOWN.add(UNIT, x[0])), fine)
    first = law.first // 2
    masses = [0] * ((law.first + len(law.masses)) // 2 - first + 1)
    for k, mass in enumerate(law.masses, law.first):
        if k % 2:
            masses[k // 2 - first] -= -mass * share[1] // fine.one
            masses[k // 2 + 1 - first] -= -mass * share[0] // fine.one
        else:
            masses[k // 2 - first] += mass
    return Lattice(masses, first, law.infinity, law.level + 1)


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
    """Return the law of the sum of two independent losses, on the coarser lattice of both, or on one coarser still."""
    level = max(one.level, other.level)
    one, other = at_level(one, level, fine), at_level(other, level, fine)
    size = len(str(max(one.masses) * max(other.masses) * min(len(one.masses), len(other.masses))))
    # The square of one number takes two thirds of the time of a product of two.
    different = [one] if one is other else [one, other]
    numbers = [Decimal("".join(f"{mass:0{size}d}" for mass in law.masses)) for law in different]
    count = len(one.masses) + len(other.masses) - 1
    digits = str(EXACT.multiply(numbers[0], numbers[-1])).zfill(size * count)
    masses = [-(-int(digits[i : i + size]) // fine.one) for i in range(0, size * count, size)]
    all_one, finite = sum(one.masses) + one.infinity, sum(other.masses)
    infinity = -(-(all_one * other.infinity + one.infinity * finite) // fine.one)
    law = trim(Lattice(masses, one.first + other.first, infinity, level), fine)
    while wide_enough(law, fine):
        law = trim(coarsen(law, fine), fine)
    return law


def power_law(law, count, fine):
    """Return the law of the sum of so many independent losses of one law."""
    power = law
    for digit in bin(count)[3:]:
        power = sum_law(power, power, fine)
        # Each sum rounds masses up; without this limit they might double in length until the work has no bound.
        require(sum(power.masses) <= 2 * fine.one, "the digits are too few: masses, rounded up, add up to more than 2")
        if digit == "1":
            law = at_level(law, power.level, fine)
            power = sum_law(power, law, fine)
    return power


# The claim.


def read_round(entry):
    """Return a round as its name, its numbers in order, its rate, and its count."""
    require(type(entry) is dict and entry.get("mechanism") in MECHANISMS, f"a mechanism is not one of {[*MECHANISMS]}")
    name = entry["mechanism"]
    fields(entry, {"mechanism", "rate", "count", *MECHANISMS[name]}, f"a round of {name}")
    numbers = tuple(decimal(entry, key, low, high) for key, (low, high) in MECHANISMS[name].items())
    require(name != "krr" or numbers[1].denominator == 1, "outputs must be whole")
    rate = decimal(entry, "rate", "1e-30", "1")
    return name, numbers, rate, integer(entry, "count", 1, 10**12)


def sampling_of(name, rate):
    """Return the sampling of a round: poisson, fixed-size, or an empty text where all records are used."""
    if rate == 1:
        return ""
    return "fixed-size" if name == "fixed-size-gaussian" else "poisson"


def statements_of(rounds, times):
    """Return the statements that the acceptance of a claim rests on."""
    runs = sum(count for *_, count in rounds) * times
    named = {REDUCTIONS.get(name) for name, *_ in rounds}
    named |= {SAMPLING.get(sampling_of(name, rate)) for name, _, rate, _ in rounds}
    return [ONE_RUN if runs == 1 else MORE_RUNS, *(key for key in STATEMENTS if key in named)]


def laws(rounds, times, direction):
    """Return pairs (law, count) whose sum is the loss of all rounds; those of Gaussian noise are one law."""
    counts = {}
    for name, numbers, rate, count in rounds:
        if "gaussian" in name and name != "discrete-gaussian" and rate == 1:
            counts["gaussian"] = counts.get("gaussian", 0) + count * times / numbers[0] ** 2
        else:
            counts[name, numbers, rate] = counts.get((name, numbers, rate), 0) + count * times
    pairs = [(gaussian(counts.pop("gaussian")), 1)] if "gaussian" in counts else []
    for (name, numbers, rate), count in counts.items():
        law = {
            "rr": lambda eps0, delta0: response(eps0, exactly(delta0)),
            "krr": lambda eps0, outputs: k_ary_response(eps0, int(outputs)),
            "gaussian": lambda sigma: gaussian(1 / sigma**2),
            "fixed-size-gaussian": lambda sigma: gaussian(1 / sigma**2),
            "laplace": laplace,
            "discrete-laplace": lambda scale: response(1 / scale),
            "discrete-gaussian": discrete_gaussian,
        }[name](*numbers)
        change = "replaced" if name == "fixed-size-gaussian" else direction
        pairs.append((law if rate == 1 else sample(law, exactly(rate), change), count))
    return pairs


def exactly(fraction):
    """Return a rational number as a decimal; it is one, for it was read as one."""
    return EXACT_QUOTIENT.divide(fraction.numerator, fraction.denominator)


def delta_ends(pairs, epsilon, fine):
    """Return Ends of delta at epsilon; the lower one is that of a single round."""
    single = []
    for law, _ in pairs:
        p, q = law.tails(epsilon, epsilon)
        x = exp_of(epsilon)
        single.append(Ends(DOWN.subtract(p[0], UP.multiply(x[1], q[1])), UP.subtract(p[1], DOWN.multiply(x[0], q[0]))))
    if len(pairs) == 1 and pairs[0][1] == 1:
        return single[0]
    whole_law = None
    for law, count in pairs:
        power = power_law(lattice_law(law, fine), count, fine)
        whole_law = power if whole_law is None else sum_law(whole_law, power, fine)
    return Ends(max(low for low, _ in single), delta_of(whole_law, epsilon, fine))


def delta_of(law, epsilon, fine):
    """Return an upper bound of the mean of (1 - e^(epsilon - L))_+ for a lattice law of losses L."""
    total, width = law.infinity * fine.one, fine.width * 2**law.level
    for k, mass in enumerate(law.masses, law.first):
        if k * width > epsilon:
            total += mass * whole(UP.subtract(UNIT, exp_of(epsilon - k * width)[0]), fine)
    return UP.divide(total, fine.one**2)


def read_fineness(facts, products, count):
    """Return the Fineness of a file; refuse one with too much work for so many products, and for so many laws."""
    fields(facts, FINENESS_KEYS, "fineness")
    digits, points = integer(facts, "digits", 10, 90), integer(facts, "points", 2, 2**20)
    width = facts["width"]
    require(type(width) is str and fullmatch(QUOTIENT, width), "width must be a decimal number or a quotient in a text")
    require(Fraction(1, 10**30) <= Fraction(width) <= 1000, "width must be from 1e-30 to 1000")
    size = 2 * points * (2 * digits + 8)
    require(size <= MOST_DIGITS, f"products of {size} digits; {MOST_DIGITS} are allowed")
    require(
        size * products <= MOST_WORK, f"{products} products of {size} digits; {MOST_WORK} digits are allowed in all"
    )
    cells, growth = integer(facts, "cells", 1, 4096), integer(facts, "growth", 1, 4096)
    cut = floor(decimal(facts, "cut", "0", "1") * 10**digits)
    return Fineness(10**digits, Fraction(width), points, cells, growth, cut, MOST_CELLS // count)


def upper_delta(facts):
    """Return Ends of delta at the claim's epsilon, the claim and its statements; raise ValueError for other files."""
    fields(facts, FILE_KEYS, "the file")
    require(facts["pldcheck_certificate"] == "upper_loss", "not a certificate for this program")
    claim = fields(facts["claim"], CLAIM_KEYS, "the claim")
    require(claim["mechanism"] == "composition", "the mechanism is not known")
    rounds, times = claim["rounds"], integer(claim, "times", 1, 10**12)
    require(type(rounds) is list and 1 <= len(rounds) <= MOST_ROUNDS, f"rounds must be from 1 to {MOST_ROUNDS}")
    rounds = [read_round(entry) for entry in rounds]
    epsilon = decimal(claim, "epsilon", "0", "1e7")
    decimal(claim, "delta", "0", "1")
    samplings = {sampling_of(name, rate) for name, _, rate, _ in rounds}
    # A record is removed or added for the one, and replaced for the other.
    require(
        not {"poisson", "fixed-size"} <= samplings, "fixed-size-gaussian and other rates below 1 do not go together"
    )
    directions = ("removed", "added") if "poisson" in samplings else ("",)
    products = len(directions) * sum(2 * (count * times).bit_length() for *_, count in rounds)
    fine = read_fineness(facts["fineness"], products, len(rounds))
    worst = [delta_ends(laws(rounds, times, direction), epsilon, fine) for direction in directions]
    return Ends(max(low for low, _ in worst), max(high for _, high in worst)), statements_of(rounds, times)


def sentence_of(claim):
    """Return the claim in words."""
    words = []
    for entry in claim["rounds"]:
        numbers = ", ".join(f"{key} {entry[key]}" for key in MECHANISMS[entry["mechanism"]])
        rate = "" if Fraction(entry["rate"]) == 1 else f" on samples of rate {entry['rate']}"
        words.append(f"{entry['count']} x {entry['mechanism']} ({numbers}){rate}")
    times = "" if claim["times"] == 1 else f", {claim['times']} times"
    return f"{' and '.join(words)}{times} is ({claim['epsilon']}, {claim['delta']})-DP"


def verify(facts):
    """Return the verdict on the content of a file; whatever the content is, it raises no error."""
    try:
        (low, high), statements = upper_delta(facts)
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
        return Verdict(2, f"refused: {error if type(error) is ValueError else repr(error)}")
    claim = facts["claim"]
    # Decimals are compared exactly, and at once, however small they are.
    delta = Decimal(claim["delta"])
    if high <= delta:
        return Verdict(0, f"accepted: {sentence_of(claim)}; this rests on {' and '.join(statements)}")
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
        sys.exit("usage: python upper_loss.py FILE")
    status, sentence = examine(sys.argv[1])
    print(sentence)
    sys.exit(status)
