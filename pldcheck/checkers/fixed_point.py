"""Numbers that are integers over 2^192, every product rounded up.

Values, masses and powers are multiples of 1 / ONE.  e^t for 0 <= t <= 100 is enclosed by the first terms of its series,
rounded down and up: each term that is left out is at most a sixth of the one before it, so all of them are below the
last term.
"""

from fractions import Fraction

from .claim_files import require

BITS = 192
ONE = 1 << BITS
# The binary digits after the point of places between nodes and of probabilities.
PLACES = 88
# The number of terms of the exponential series.
SERIES_TERMS = 600


def exp_ends(t):
    """Return multiples of 1 / ONE below and above e^t, for 0 <= t <= 100."""
    require(0 <= t <= 100, "an exponent is not in [0, 100]")
    low, high, lower, upper = ONE, ONE, ONE, ONE
    for n in range(1, SERIES_TERMS):
        low = low * t.numerator // (t.denominator * n)
        high = high * t.numerator // (t.denominator * n) + 1
        lower, upper = lower + low, upper + high
    return Fraction(lower, ONE), Fraction(upper + high, ONE)


def times(a, b):
    """Return the product of two multiples of 1 / ONE, rounded up."""
    return -(-a * b >> BITS)


def power(base, n):
    """Return base^n, every product rounded up."""
    result = ONE
    for digit in bin(n)[2:]:
        result = times(result, result)
        result = times(result, base) if digit == "1" else result
    return result
