r"""Gains of Laplace noise for all choices of a slot's own record, by finitely many laws that dominate them.

With b = eps0 and kappa = e^epsilon, (o, i, j) is the law of :math:`g = (R_i - \kappa R_j)/R_o` for own record o,
record i and replacement j in [0, 1].  Shifted or reflected it is the same.  All have mean 1 - kappa, and E(g - a)_+ is
the largest of :math:`R_i(S) - \kappa R_j(S) - a R_o(S)` over sets S, so that S for one law bounds that of another:

* i <= o <= j: g falls, so S is a half-line on the left, where R_i <= R_0 and R_j >= R_1: (0, 0, 1) with own record o
  dominates.  Likewise j <= o <= i, reflected.
* o <= i <= j: with X = R_i - kappa R_j at and below o, g is X to o, X e^(2 b (y - o)) from there to i, and falls from i
  to j.  So S is empty, all, or an interval left of j, where R_j >= R_J for J >= j: (o, i, J) dominates.
* o <= j <= i: g is Y = R_i - kappa R_j < 0 to o, falls to j, rises to i.  Where g is larger at i than at o, it is below
  a on an interval T left of i, where R_i >= R_I for I >= i: (o, I, j) dominates.  Where it is not,
  (o, o, o + 1) does: S is a half-line on the left, or for a = -alpha < 0 all but an interval around j, on which
  :math:`\kappa R_j - \alpha R_o - R_i \le \kappa - \sqrt{(\kappa J - \alpha)/I} - \sqrt{\alpha (\kappa/J - 1/I)}` by
  the inequality of means, where I = e^(b (i - o)) and J = e^(b (j - o)); the half-line that is best for (o, o, o + 1)
  has :math:`\kappa - \sqrt{\kappa (1 + \alpha) e^{-b}}`, which is not less as alpha <= kappa J - J^2/I, the largest -g.

Shifted to o = 0 that leaves (c, 0, 1), (0, x, 1) and (0, 1, x) for c and x in [0, 1].  *Own records c between two
others* a distance h apart: R_c is at least 1/cosh(b h/2) = 1 - eta of a mixture M of theirs, by the addition theorem
of sinh, and for convex V, as b V(u + g/b) is jointly convex, the law of V's argument is dominated by

.. math:: g \text{ with probability } 1 - 2 \eta, \quad 2 g \text{ and } 0 \text{ with probability } \eta \text{ each}

for one of the two.  *Distances x between two others*, x' and x' + h: (0, x, 1) is (-d, x', 1 - d) with d = x - x' <= h,
at most (-d, x', 1) by the above, whose own record is between -h and 0: these have (0, x' + h, 1 + h) and (0, x', 1).
For (0, 1, x) likewise, where it is not dominated by (0, 0, 1).

The records 0 and 1 of (c, 0, 1) are moved outward a little, which dominates by the first case: then many of the others
are dominated by one of these laws, and are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil

import numpy as np

from .binary_digits import exponential
from .least_dominating_law import Transform
from .output_probabilities import Gains, LaplaceNoise, Question, powers

# Own records are near each other at the ends, where they reveal most.  These distances cost width, not truth.
# The distance between the first two, as a share of all.
FIRST = Fraction(1, 1024)
# The growth from one distance to the next.
GROWTH = Fraction(3, 2)
# The largest distance, as a share of all.
FARTHEST = Fraction(1, 8)
# The largest distance in units of the noise.
APART = Fraction(1, 16)
# The share by which records are moved outward.
OUTWARD = Fraction(1, 512)
# The least number of cells of outputs over the distance of two records.
CELLS = 24
# The longest cell in units of the noise.
CELL = Fraction(1, 12)
# The number of cells that doubled gains have in the place of one.
COARSER = 6
# Gains of laws between the records are raised by 2^(bits/3) units of 2^-bits: above their rounding, far below what
# counts.
MARGIN = 3

# A stretch of outputs, as seen from the own record: its length in units of the noise, and a and b of gains
# a + b e^(2 t).
Stretch = tuple[Fraction, int, int]
# The gain at an own record, and the two coefficients of gains between two records, of their distances from it.
Coefficients = Callable[[Fraction, Fraction], tuple[int, int, int]]


def laws(noise: LaplaceNoise, question: Question) -> list[Gains]:
    """Return laws of gains in units of 2^-bits that dominate those of any three records."""
    builder, b = _Builder(noise, question), Fraction(noise.eps0)
    half, places, outward = _places(b / 2), _places(b), b * OUTWARD
    kept: list[Gains] = []
    for before, place, after in _neighbourhoods([*half, *(b - c for c in half[-2::-1])]):
        stretches = builder.between(place + outward, b - place + outward)
        kept.append(builder.raise_gains(builder.disperse(stretches, max(place - before, after - place))))
    transforms = [Transform(law) for law in kept]
    for before, place, after in _neighbourhoods(places)[1:]:
        apart, far = max(place - before, after - place), b + place - before
        for coefficients in (builder.record_nearer, builder.record_farther):
            law = builder.disperse(builder.beyond(place, far, coefficients), apart)
            transform = Transform(law)
            if not any(_dominates(one, transform) for one in transforms):
                kept.append(law)
    return kept


def _places(length: Fraction) -> list[Fraction]:
    """Return places from 0 to a length, near each other at 0."""
    places, apart = [Fraction(0)], FIRST * length
    while places[-1] < length:
        places.append(min(places[-1] + apart, length))
        apart = min(apart * GROWTH, FARTHEST * length, APART)
    return places


def _neighbourhoods(places: list[Fraction]) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return each place between those before and after it; an end is its own neighbour."""
    return list(zip([places[0], *places], places, [*places[1:], places[-1]], strict=False))


def _dominates(one: Transform, other: Transform) -> bool:
    """Return whether a law is at least another in convex order.

    The transform of the other is convex, and that of the one a line between its values.
    """
    inside = one.values[0] <= other.values[0] and other.values[-1] <= one.values[-1]
    return inside and all(one.at(t) >= other.at(t) for t in one.values)


class _Builder:
    """Laws of gains of one question, by what is to both sides of the own record."""

    def __init__(self, noise: LaplaceNoise, question: Question) -> None:
        self.bits, self.cost = noise.bits, question.cost(noise.bits)
        self.kappa = question.kappa(self.bits)
        self.cell = min(CELL, Fraction(noise.eps0) / CELLS)

    def between(self, left: Fraction, right: Fraction) -> list[list[Stretch]]:
        """Return stretches on both sides of an own record that lies between the record and its replacement."""
        record, other = exponential(-left, self.bits), self.kappa * exponential(-right, self.bits) >> self.bits
        return [[(left, -other, record)], [(right, record, -other)]]

    def beyond(self, near: Fraction, far: Fraction, coefficients: Coefficients) -> list[list[Stretch]]:
        """Return stretches of an own record with both others on its right; on its left gains are constant."""
        a, b, c = coefficients(near, far)
        return [[(Fraction(0), a, 0)], [(near, 0, a), (far - near, b, c)]]

    def record_nearer(self, near: Fraction, far: Fraction) -> tuple[int, int, int]:
        """Return the gain at the own record, and the coefficients of gains from the record to its replacement."""
        bits, kappa = self.bits, self.kappa
        first = exponential(-near, bits) - (kappa * exponential(-far, bits) >> bits)
        return first, exponential(near, bits), -(kappa * exponential(2 * near - far, bits) >> bits)

    def record_farther(self, near: Fraction, far: Fraction) -> tuple[int, int, int]:
        """Return the gain at the own record, and the coefficients of gains from the replacement to the record."""
        bits, kappa = self.bits, self.kappa
        first = exponential(-far, bits) - (kappa * exponential(-near, bits) >> bits)
        return first, -(kappa * exponential(near, bits) >> bits), exponential(2 * near - far, bits)

    def raise_gains(self, law: Gains) -> Gains:
        """Return a law with its gains raised by far more than their rounding."""
        return law[0] + (1 << self.bits // MARGIN), law[1]

    def disperse(self, sides: Sequence[Sequence[Stretch]], apart: Fraction) -> Gains:
        """Return the law that dominates own records up to ``apart`` away."""
        one = 1 << self.bits
        half = exponential(apart / 2, self.bits) + exponential(-apart / 2, self.bits)
        eta = one - (one << self.bits + 1) // half + 1
        values, masses = self._law(sides, self.cell)
        doubled, coarse = self._law(sides, COARSER * self.cell)
        values += [2 * value for value in doubled] + [0]
        masses = [mass * (one - 2 * eta) >> self.bits for mass in masses] + [mass * eta >> self.bits for mass in coarse]
        masses.append(one - sum(masses))
        return np.array(values, dtype=object) - self.cost, np.array(masses, dtype=object)

    def _law(self, sides: Sequence[Sequence[Stretch]], cell: Fraction) -> tuple[list[int], list[int]]:
        """Return gains and masses; within a cell the mass is at the two ends, the mean kept."""
        values, masses = [], []
        for stretches in sides:
            tail = 1 << self.bits - 1
            for length, a, b in stretches:
                count = ceil(length / cell)
                if not count:
                    continue
                step = length / count
                ends = [a + power for power in powers(2 * step, count, self.bits, b)]
                tails = powers(-step, count, self.bits, tail)
                # The density goes like e^-t and the gain like e^(2 t) in the distance t.
                share = (1 << 2 * self.bits) // ((1 << self.bits) + exponential(step, self.bits))
                inner = [before - after for before, after in zip(tails, tails[1:], strict=False)]
                far = [mass * share >> self.bits for mass in inner]
                near = [mass - beyond for mass, beyond in zip(inner, far, strict=True)]
                values += ends
                masses += [x + y for x, y in zip([*near, 0], [0, *far], strict=True)]
                tail = tails[-1]
            length, a, b = stretches[-1]
            values.append(a + (b * exponential(2 * length, self.bits) >> self.bits))
            masses.append(tail)
        return values, masses
