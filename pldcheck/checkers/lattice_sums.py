"""Sums of independent measures on a lattice, and the fineness of their computation.

A measure has masses at the places k ``width`` 2^level; they are integers, multiples of 1 / one.  Two measures are
multiplied as two numbers that hold the masses side by side, with room for every sum of products; a decimal product is
exact or raises an error.  A mass of the sum of independent measures is such a sum of products, rounded up.
"""

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from re import fullmatch
from typing import NamedTuple

from .claim_files import QUOTIENT, decimal, fields, integer, require, spend
from .directed_decimals import EXACT, ZERO

# The most cells of all laws, and those of one step for which a core takes a second; each takes up to 0.2 s for a group
# of many records in a batch.
MOST_CELLS = 20_000
CELLS = 1000
# The most digits of one product, and those of all products for which a core takes a second.
MOST_DIGITS = 5 * 10**7
DIGITS = 10**7
# The most digits of all products of a file.
MOST_WORK = 4 * 10**9
# The keys of the fineness of any lattice.
KEYS = {"digits", "width", "points", "cells", "growth", "cut"}


class Fineness(NamedTuple):
    """The fineness of the computation.

    one: the integer that stands for the mass 1.  width: of the lattice, at the level 0.  points: the most places of a
    law.  cells: a lattice becomes coarser where it is still so much finer than the deviation of its law.  growth: cells
    of a law are as many places wide, and one more, as this number divides their place.  cut: the largest mass of a
    tail, or excess of an upper one, that is taken off.  most: the most cells that a law may have.  bottom, top: of sums
    of steps, the lowest place, but for its sign, and the highest one, at the level 0.
    """

    one: int
    width: Fraction
    points: int
    cells: int
    growth: int
    cut: int
    most: int
    bottom: int | None = None
    top: int | None = None


def read_fineness(facts, keys, products, laws, spare, widest):
    """Return the Fineness of a file; refuse one with too much work for so many products, and for so many laws.

    ``keys`` are its keys besides the usual ones.  A place of a product has twice the digits of a mass and ``spare``
    more.  ``widest`` is the text of the largest width.
    """
    fields(facts, KEYS | {*keys}, "fineness")
    digits, points = integer(facts, "digits", 10, 90), integer(facts, "points", 2, 2**20)
    more = {name: integer(facts, name, 1, 10**18) for name in keys}
    width = facts["width"]
    require(type(width) is str and fullmatch(QUOTIENT, width), "width must be a decimal number or a quotient in a text")
    require(Fraction(1, 10**30) <= Fraction(width) <= Fraction(widest), f"width must be from 1e-30 to {widest}")
    size = 2 * points * (2 * digits + spare)
    require(size <= MOST_DIGITS, f"products of {size} digits; {MOST_DIGITS} are allowed")
    require(
        size * products <= MOST_WORK, f"{products} products of {size} digits; {MOST_WORK} digits are allowed in all"
    )
    spend(size * products / DIGITS)
    cells, growth = integer(facts, "cells", 1, 4096), integer(facts, "growth", 1, 4096)
    cut = floor(decimal(facts, "cut", "0", "1") * 10**digits)
    return Fineness(10**digits, Fraction(width), points, cells, growth, cut, MOST_CELLS // laws, **more)


def whole(x, fine):
    """Return a positive part as a multiple of 1 / one, rounded up."""
    return ceil(EXACT.multiply(max(ZERO, x), fine.one))


def wide_enough(law, fine):
    """Return whether the lattice is still ``cells`` times as fine as the deviation of a law when it is coarser."""
    total = sum(law.masses) or 1
    shares = [mass / total for mass in law.masses]
    mean = sum(i * share for i, share in enumerate(shares))
    variance = sum((i - mean) ** 2 * share for i, share in enumerate(shares))
    return (2 * fine.cells) ** 2 <= variance


def summed(one, other, fine):
    """Return the masses of the sum of two independent measures on one lattice, each rounded up."""
    size = len(str(max(one.masses) * max(other.masses) * min(len(one.masses), len(other.masses))))
    # The square of one number takes two thirds of the time of a product of two.
    different = [one] if one is other else [one, other]
    numbers = [Decimal("".join(f"{mass:0{size}d}" for mass in law.masses)) for law in different]
    count = len(one.masses) + len(other.masses) - 1
    digits = str(EXACT.multiply(numbers[0], numbers[-1])).zfill(size * count)
    return [-(-int(digits[i : i + size]) // fine.one) for i in range(0, size * count, size)]


def power(law, count, at_level, sum_law, fine):
    """Return the law of the sum of so many independent copies of one.

    ``at_level`` returns a law on a lattice of this level, ``sum_law`` the law of the sum of two.  Each sum rounds
    masses up; without a limit of what they add up to they might double in length until the work has no bound.
    """

    def bounded(law):
        require(sum(law.masses) <= 2 * fine.one, "the digits are too few: masses, rounded up, add up to more than 2")
        return law

    total = bounded(law)
    for digit in bin(count)[3:]:
        total = bounded(sum_law(total, total, fine))
        if digit == "1":
            law = at_level(law, total.level, fine)
            total = sum_law(total, law, fine)
    return total
