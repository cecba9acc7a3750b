r"""Exact probabilities that a record is used in a slot, and others fill a set of slots, by the size of that set.

``others`` clients, N of them, are each in one of m slots with probability q = p_0/m each, or in none, and so is the
client whose record is changed.  For a given set S of K slots let G(j, K) be the probability that j of the others fill
exactly S; the last of them fills one of K slots alone, or not:

.. math:: G(j, K) = G(j - 1, K)\,(1 - p_0 + Kq) + K q\, G(j - 1, K - 1), \quad G(0, 0) = 1 .

If c others share a slot, the client is the one that is used with probability 1/(c + 1).  With
:math:`\frac1{c+1}\binom Nc = \frac1{N+1}\binom{N+1}{c+1}`, the record is used in a given slot, and the others fill
exactly a given set of K of the other slots, with probability

.. math:: \frac{p_0}m \sum_c \frac1{N+1} \binom{N+1}{c+1} q^c\, G(N - c, K) .

All is computed in whole numbers: p_0 is a fraction with a power of two below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb


@dataclass(frozen=True)
class OccupantWeights:
    """The probabilities for ``others`` clients in ``steps`` slots, exactly; ``check_in_prob`` is taken as exact."""

    steps: int
    others: int
    check_in_prob: float

    @cached_property
    def _shares(self) -> tuple[int, int, int]:
        """The probability of a slot, of no slot, and of all of them, as whole numbers with one unit."""
        p0 = Fraction(self.check_in_prob)
        return p0.numerator, (p0.denominator - p0.numerator) * self.steps, p0.denominator * self.steps

    @cached_property
    def _fills(self) -> list[list[int]]:
        """G(j, K), times the j-th power of the unit, by j and K."""
        slot, nowhere, _ = self._shares
        rows = [[1] + [0] * self.steps]
        for _ in range(self.others):
            before = rows[-1]
            rows.append(
                [
                    before[k] * (nowhere + k * slot) + (k * slot * before[k - 1] if k else 0)
                    for k in range(self.steps + 1)
                ]
            )
        return rows

    def _scaled(self, number: int, clients: int) -> Fraction:
        return Fraction(number, self._shares[2] ** clients)

    def filled(self, occupied: int) -> Fraction:
        """Return the probability that the others fill exactly a given set of so many slots."""
        return self._scaled(self._fills[self.others][occupied], self.others)

    def used_alone(self, occupied: int) -> Fraction:
        """Return the probability that the record is used in a given slot, empty otherwise, and such a set is filled."""
        return self._scaled(self._shares[0] * self._fills[self.others][occupied], self.others + 1)

    def used_among_others(self, beside: int) -> Fraction:
        """Return the probability that the record is used in a given slot where others are as well.

        The others fill exactly a given set of ``beside`` further slots.
        """
        slot, n = self._shares[0], self.others + 1
        total = sum(comb(n, c + 1) * slot ** (c + 1) * self._fills[self.others - c][beside] for c in range(1, n))
        return self._scaled(total, n) / n

    def not_used(self, occupied: int) -> Fraction:
        """Return the probability that the record is not used at all, and the others fill exactly a given set."""
        slot, nowhere, _ = self._shares
        n, fills = self.others + 1, self._fills
        total = Fraction(nowhere * fills[self.others][occupied])
        if occupied:  # c others share a slot of the set with the client, and one of them is used
            total += occupied * sum(
                Fraction(c * comb(n, c + 1) * slot ** (c + 1) * fills[self.others - c][occupied - 1], n)
                for c in range(1, n)
            )
        return total / self._shares[2] ** n
