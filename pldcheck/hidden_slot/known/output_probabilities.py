r"""Randomizers with finitely many outputs, or Laplace noise, by their probabilities to hundreds of binary places.

With R_i, R_j, R_o the laws of an output on the record, on its replacement and on the slot's own record,
c = e^epsilon and w the probability that the record is used, one slot gains

.. math:: g(y) = \frac{R_i(y) - c R_j(y)}{R_o(y)} - \frac{1 - w}w (c - 1), \quad y \sim R_o .
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Protocol

import numpy as np

from ...pld.step_losses import Array
from .binary_digits import Digits, doubles, exponential, of_fractions

# Binary places beyond twice those that the smallest of the given numbers takes: half of them are left when gains are
# divided by it, and half of what is left may be lost to a budget that is nearly spent.
PLACES = 400
# Cells of Laplace noise on [0, 1], of the slots that are known.
CELLS = 200
# Cells on each side of where gains change their sign.
EACH_SIDE = 100

# Gains and their masses, in units of 2^-bits.
Gains = tuple[Digits, Digits]


def places(*numbers: float | Fraction) -> int:
    """Return the number of binary places for numbers whose smallest factors are these positive numbers."""
    exact = [Fraction(number) for number in numbers]
    digits = sum(max(one.denominator.bit_length() - one.numerator.bit_length() + 1, 0) for one in exact)
    return PLACES + 2 * digits


@dataclass(frozen=True)
class Question:
    """An epsilon, and the weight of the record in its slot."""

    epsilon: float
    weight: float

    def kappa(self, bits: int) -> int:
        """Return e^epsilon."""
        return exponential(Fraction(self.epsilon), bits)

    def cost(self, bits: int) -> int:
        """Return (1 - w)/w (kappa - 1)."""
        weight = Fraction(self.weight)
        return (self.kappa(bits) - (1 << bits)) * (weight.denominator - weight.numerator) // weight.numerator

    def ratio(self, bits: int) -> int:
        """Return 1 + (kappa - 1)/w: the curve of a single slot is w times that of the mechanism there."""
        weight = Fraction(self.weight)
        one = 1 << bits
        return one + (self.kappa(bits) - one) * weight.denominator // weight.numerator


class Reference(Protocol):
    """A record that a slot may hold itself, or several of them that one law of gains dominates."""

    @property
    def bits(self) -> int:
        """The number of binary places of its gains."""
        raise NotImplementedError

    def gains(self, question: Question) -> Gains:
        """Return the gains and their masses, whose mean is the same for every record."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Outputs:
    """Probabilities of finitely many outputs on the record, on its replacement and on the slot's own record."""

    name: str
    record: Digits
    replacement: Digits
    own: Digits
    bits: int

    def gains(self, question: Question) -> Gains:
        """Return the gain of each output, and its probability."""
        numerators = (self.record << self.bits) - question.kappa(self.bits) * self.replacement
        return numerators // self.own - question.cost(self.bits), self.own

    @property
    def exact(self) -> tuple[Digits, Digits, Digits]:
        """The three laws in units of 2^-bits."""
        return self.record, self.replacement, self.own

    @property
    def rows(self) -> tuple[Array, Array, Array]:
        """The three laws as doubles."""
        record, replacement, own = (doubles(row, self.bits) for row in self.exact)
        return record, replacement, own

    @property
    def reversal(self) -> Outputs:
        """The same outputs with the record and its replacement exchanged."""
        return Outputs(self.name, self.replacement, self.record, self.own, self.bits)


def response(eps0: float, k: int, bits: int) -> tuple[Digits, Digits, Digits]:
    """Return the rows of k-ary randomized response for three values, with all other outputs merged.

    The rows are those of the record's value, of its replacement's, and of a third one (for k = 2: of the first).  The
    outputs are these values, and all others as one.
    """
    x = Fraction(exponential(Fraction(eps0), bits), 1 << bits)
    s = 1 / (x + k - 1)
    rest = [(k - 3) * s] if k > 3 else []
    if k == 2:
        rows = [x * s, s], [s, x * s], [x * s, s]
    else:
        rows = [x * s, s, s, *rest], [s, x * s, s, *rest], [s, s, x * s, *rest]
    first, second, third = (of_fractions(row, bits) for row in rows)
    return first, second, third


def places_of_response(eps0: float, k: int, weight: float) -> int:
    """Return the number of binary places for K-ary response."""
    return places(Fraction(eps0), Fraction(1, k), Fraction(1, 2 ** ceil(1.5 * eps0)), Fraction(weight))


@dataclass(frozen=True)
class LaplaceNoise:
    """Noise of scale 1/eps0 on records in [0, 1]."""

    eps0: float
    weight: float

    @property
    def bits(self) -> int:
        """The number of binary places: masses of cells and differences of gains are about eps0 over their number."""
        small = Fraction(self.eps0) / (4 * CELLS)
        return places(small, small, Fraction(1, 2 ** ceil(1.5 * self.eps0)), Fraction(self.weight))

    @lru_cache(maxsize=64)  # noqa: B019  a noise is two numbers
    def cells(self, place: Fraction) -> Digits:
        """Return the masses of the noise about a place: below 0, in cells of [0, 1], and above 1."""
        bits = self.bits
        one, eps0 = 1 << bits, Fraction(self.eps0)

        def until(edge: Fraction) -> int:
            tail = exponential(-eps0 * abs(edge - place), bits) >> 1
            return tail if edge <= place else one - tail

        return np.diff(np.array([0, *(until(Fraction(k, CELLS)) for k in range(CELLS + 1)), one], dtype=object))


@dataclass(frozen=True)
class LaplaceJoin:
    r"""The least law that dominates the gains of Laplace noise, whatever three records in [0, 1] are involved.

    For t >= 0 and any event E, :math:`R_i(E) - c R_j(E) - t R_o(E) \le R_i(E) - (c + t) \min(R_j(E), R_o(E))`, at most
    the hockey-stick divergence at c + t of the noise about 0 and 1, which j = o = 1 attains; for t < 0 likewise with
    R_i and R_o exchanged for R_j.  So gains are A - c with the slot's own record at 1 where that is positive,
    1 - c/A with the own record at 0 where that is negative, and otherwise 0; A = e^(eps0 (1 - 2y)) at the output y.
    The mass of each cell is at the two ends of its gains, the mean kept.
    """

    noise: LaplaceNoise

    @property
    def bits(self) -> int:
        """The number of binary places."""
        return self.noise.bits

    def gains(self, question: Question) -> Gains:
        """Return the gains and their masses; epsilon must be below eps0."""
        bits, n = self.bits, EACH_SIDE
        one, eps0, epsilon = 1 << bits, Fraction(self.noise.eps0), Fraction(question.epsilon)
        c = question.kappa(bits)
        # A = c at y = (1 - epsilon/eps0)/2; from there A grows to e^eps0 at 0 and falls to e^-eps0 at 1.
        grows, falls = (eps0 - epsilon) / n, (eps0 + epsilon) / n  # the losses of a cell
        rising, falling = powers(grows, n, bits), powers(falls, n, bits)
        # The gains A - c at j cells from the root towards 0, and R_1 below them.
        below = _tails((eps0 + epsilon) / 2, grows, n, bits)
        values, masses = spread([c * (power - one) >> bits for power in rising], below, grows, bits)
        # The gains 1 - c/A at cells from the root towards 1, and R_0 above them.
        above = _tails((eps0 - epsilon) / 2, falls, n, bits)
        more, others = spread([one - power for power in falling], above, falls, bits)
        values, masses = [*values, *more, 0], [*masses, *others]
        masses.append(one - sum(masses))
        return np.array(values, dtype=object) - question.cost(bits), np.array(masses, dtype=object)


def powers(exponent: Fraction, count: int, bits: int, first: int | None = None) -> list[int]:
    """Return ``first`` times e^0, e^exponent, e^(2 exponent), ...; each has an error one unit larger than the last.

    The default of ``first`` is 1.
    """
    powers, factor = [1 << bits if first is None else first], exponential(exponent, bits)
    for _ in range(count):
        powers.append(powers[-1] * factor >> bits)
    return powers


def _tails(root: Fraction, cell: Fraction, count: int, bits: int) -> list[int]:
    """Return e^-root/2 and its values cell by cell: P(beyond)."""
    return powers(-cell / 2, count, bits, exponential(-root, bits) >> 1)


def spread(ends: list[int], tails: list[int], cell: Fraction, bits: int) -> tuple[list[int], list[int]]:
    """Return atoms at the ends of cells that keep the cells' masses and means; the last tail is an atom of its own.

    In a cell of losses, ``cell`` long, the density goes like e^(-loss/2) and the gain like e^loss: the share
    1/(1 + e^(cell/2)) of the mass is at the farther end.
    """
    one = 1 << bits
    share = (one << bits) // (one + exponential(cell / 2, bits))
    masses = [0] * len(ends)
    for k in range(len(ends) - 1):
        mass = tails[k] - tails[k + 1]
        far = mass * share >> bits
        masses[k] += mass - far
        masses[k + 1] += far
    masses[-1] += tails[-1]
    return ends, masses
