"""Fixed-point numbers with any number of binary places: integers in units of 2^-bits.

The laws of a few outputs are formed in them, so that no difference, join or merge of theirs has an error that a double
could see: differences are formed to hundreds of places, and rounded to a double once, at the end.  Exponentials and
logarithms are those of :mod:`decimal`, which are correctly rounded.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# Integers of any size.
Digits = NDArray[np.object_]

# Spare decimal places beyond those that ``bits`` binary ones need.
SPARE_PLACES = 12
# Exponents of ten that decimal numbers may have here.
LARGEST_EXPONENT = 10**8


def _context(bits: int, exponent: float) -> Context:
    # Since log10(2) < 0.30103 and log10(e) < 0.4343, this many places suffice; the integer part takes places as well.
    return Context(
        prec=int(0.30103 * bits + 0.4343 * abs(exponent)) + SPARE_PLACES, Emax=LARGEST_EXPONENT, Emin=-LARGEST_EXPONENT
    )


@lru_cache(maxsize=4096)
def exponential(exponent: Fraction, bits: int) -> int:
    """Return e^exponent in units of 2^-bits, to within one unit."""
    context = _context(bits + abs(exponent.numerator).bit_length(), float(exponent))
    power = context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    return int(Fraction(context.exp(power)) * 2**bits)


def logarithm(ratio: Fraction) -> Fraction:
    """Return log(ratio), ratio > 0, relative error at most 2^-100 (0 for 1): next to 1 more places are worked out."""
    near = abs(ratio - 1)
    if not near:
        return Fraction(0)
    size = ratio.numerator.bit_length() - ratio.denominator.bit_length()
    # The size of log r is at least about that of r - 1, which costs so many places.
    cancellation = max(near.denominator.bit_length() - near.numerator.bit_length(), 0)
    context = _context(160 + 2 * cancellation + abs(size), 0.0)
    return Fraction(context.ln(context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))))


def doubles(numbers: Digits, bits: int) -> NDArray[np.float64]:
    """Return the numbers as doubles, each correctly rounded."""
    unit = 1 << bits
    return np.array([number / unit for number in numbers], dtype=np.float64)


def of_fractions(numbers: list[Fraction], bits: int) -> Digits:
    """Return the fractions in units of 2^-bits, rounded down."""
    return np.array([(number.numerator << bits) // number.denominator for number in numbers], dtype=object)
