"""Certificate programs with decimals so rough that a rounding in the wrong direction shows."""

import random
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import mpmath
from mpmath import mpf


def roughen(monkeypatch, program):
    """Let a program compute with seven digits and short series."""
    monkeypatch.setattr(program, "UP", Context(prec=7, rounding=ROUND_CEILING))
    monkeypatch.setattr(program, "DOWN", Context(prec=7, rounding=ROUND_FLOOR))
    monkeypatch.setattr(program, "NOTHING", Decimal("0.002"))
    monkeypatch.setattr(program, "DEPTH", 60)


def real(number):
    """A number as one of mpmath."""
    return mpf(number.numerator) / number.denominator if isinstance(number, Fraction | int) else mpf(str(number))


def normal_truth(x):
    """P(Z > x) of a standard normal Z."""
    return mpmath.erfc(x / mpmath.sqrt(2)) / 2


def draws(count, seed=0):
    """A random number generator, so many times."""
    draw = random.Random(seed)
    return [draw for _ in range(count)]
