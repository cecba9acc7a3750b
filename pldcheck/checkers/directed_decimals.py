"""Decimals that enclose a number: a part of programs of certificates, in which every rounding is outward.

Operations are rounded down in DOWN and up in UP; exp, ln and sqrt of Python's decimals are correctly rounded to the
nearest, and the next decimal is taken.  Operators round otherwise; they only serve to choose fineness.
For a normal Z with density f and 0 <= x <= 6, P(Z > x) = 1/2 - f(x) (x + x^3/3 + x^5/(3 5) + ...), where the rest is
below the last term if each term from there on is at most half of the one before; for x > 6 it is
f(x) / (x + 1/(x + 2/(x + ...))), where the n-th denominator x + n/(x + ...) is from x to x + n/x.
"""

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal, Inexact, Rounded
from typing import NamedTuple

# The digits of all decimals that are rounded.
DIGITS = 100
UP = Context(prec=DIGITS, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN)
DOWN = Context(prec=DIGITS, rounding=ROUND_FLOOR, Emax=MAX_EMAX, Emin=MIN_EMIN)
# An operation in this context is exact, or raises an error.
EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact, Rounded])
# The same for quotients, of which decimals of a file have fewer digits.
EXACT_QUOTIENT = Context(prec=1100, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact, Rounded])
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


class Ends(NamedTuple):
    """A lower and an upper bound of one number, with outward arithmetic; the other operand may be an exact number."""

    lower: Decimal
    upper: Decimal

    def __add__(self, other):
        low, high = ends_of(other)
        return Ends(DOWN.add(self.lower, low), UP.add(self.upper, high))

    def __sub__(self, other):
        low, high = ends_of(other)
        return Ends(DOWN.subtract(self.lower, high), UP.subtract(self.upper, low))

    def __mul__(self, other):
        low, high = ends_of(other)
        if self.lower >= 0 and low >= 0:
            return Ends(DOWN.multiply(self.lower, low), UP.multiply(self.upper, high))
        pairs = [(one, end) for one in self for end in (low, high)]
        return Ends(min(DOWN.multiply(*pair) for pair in pairs), max(UP.multiply(*pair) for pair in pairs))

    def __truediv__(self, other):
        """Return the quotient by a positive number."""
        low, high = ends_of(other)
        below, above = high if self.lower > 0 else low, low if self.upper > 0 else high
        return Ends(DOWN.divide(self.lower, below), UP.divide(self.upper, above))

    def __neg__(self):
        return Ends(self.upper.copy_negate(), self.lower.copy_negate())

    def __rsub__(self, other):
        return ends_of(other) - self

    def __rtruediv__(self, other):
        return ends_of(other) / self

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def at_least(self, number):
        """Return Ends of the larger one of this number and an exact one."""
        return Ends(max(number, self.lower), max(number, self.upper))


def ends_of(number):
    """Return Ends of a number that has them, or is exact: a decimal or an integer."""
    return Ends(*number) if isinstance(number, tuple) else Ends(Decimal(number), Decimal(number))


def ends(fraction):
    """Return Ends of a rational number."""
    numerator, denominator = Decimal(fraction.numerator), Decimal(fraction.denominator)
    return Ends(DOWN.divide(numerator, denominator), UP.divide(numerator, denominator))


def between(low, high):
    """Return Ends of all numbers between two rational ones."""
    return Ends(ends(low).lower, ends(high).upper)


def exactly(fraction):
    """Return a rational number as a decimal; it is one, for it was read as one."""
    return EXACT_QUOTIENT.divide(fraction.numerator, fraction.denominator)


def exp_ends(x):
    """Return Ends of e^x for a number x with these Ends."""
    return Ends(DOWN.next_minus(DOWN.exp(x[0])), UP.next_plus(UP.exp(x[1]))).at_least(ZERO)


def exp_of(fraction):
    """Return Ends of e^x for a rational number x."""
    return exp_ends(ends(fraction))


def log_ends(x):
    """Return Ends of ln(x) for a positive number x with these Ends."""
    return Ends(DOWN.next_minus(DOWN.ln(x[0])), UP.next_plus(UP.ln(x[1])))


def sqrt_ends(x):
    """Return Ends of the square root of a number with these Ends."""
    return Ends(max(ZERO, DOWN.next_minus(DOWN.sqrt(x[0]))), UP.next_plus(UP.sqrt(x[1])))


def normal_tail(x):
    """Return Ends of P(Z > x) for a standard normal Z and a number x with these Ends."""
    low, high = x
    if high < 0:
        return UNIT - normal_tail(-Ends(low, high))
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
