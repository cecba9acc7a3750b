r"""Laplace noise about 0 and 1, where a slot's own record is anywhere between two places a <= b in [0, 1].

**One law for all of them.**  Let W be the smaller of R_a and R_b at every output.  For o between a and b the density
R_o is nowhere below W: at an output y the distance to o is at most the larger of those to a and b.  So for t >= 0

.. math:: \int (R_0 - c R_1 - t R_o)_+ \le \int (R_0 - c R_1 - t W)_+,
          \quad \int (c R_1 - R_0 - t R_o)_+ \le \int (c R_1 - R_0 - t W)_+,

and these are the two sides of the stop-loss transform of one law: the gain (R_0 - c R_1)/W with y ~ W, and 0 with the
rest of the probability.  It has the mean 1 - c of all gains, and dominates them in convex order.  With a = b it is the
law of R_a itself.

With m = (a + b)/2, W is R_b left of m and R_a right of it.  There the gains are

.. math:: e^{\epsilon_0 (b - 2 y)} - c e^{\epsilon_0 (b - 1)}, \quad
          e^{-\epsilon_0 a} - c e^{\epsilon_0 (2 y - 1 - a)},

constant outside [0, 1]; each cell of y is put at its two ends, the mean kept, which disperses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, expm1

import numpy as np

from .binary_digits import exponential
from .output_probabilities import Gains, LaplaceNoise, Question, powers, spread

# The largest fall of the privacy loss in one cell of outputs: dispersal adds a sixth of its square to a gain's.
CELL = 0.2
# The least number of cells of [0, 1]: gains of small budgets are about as large as all falls together.
FEWEST_CELLS = 16
# By how much the second moment of a law for several records may exceed that of the worst record's.
EXCESS = 0.004
# The share of the way from a record's own second moment to that limit that a range from it on may go.
SHARE = 0.5
# Places of records are multiples of this.
GRAIN = Fraction(1, 1 << 20)


@dataclass(frozen=True)
class LaplaceRecords:
    """The law that dominates the gains of all slots whose own record is between ``first`` and ``last``."""

    noise: LaplaceNoise
    first: Fraction
    last: Fraction

    @property
    def bits(self) -> int:
        """The number of binary places."""
        return self.noise.bits

    def gains(self, question: Question) -> Gains:
        """Return the gains and their masses."""
        bits, eps0 = self.bits, Fraction(self.noise.eps0)
        one, a, b = 1 << bits, self.first, self.last
        c, middle = question.kappa(bits), (a + b) / 2
        # The mass of W on either side of the middle.
        half = exponential(-eps0 * (b - a) / 2, bits) >> 1
        values, masses = [0], [one - 2 * half]
        near, far = exponential(-eps0 * a, bits), c * exponential(eps0 * (b - 1), bits) >> bits
        for width, falls in ((middle, False), (1 - middle, True)):
            count = cells(self.noise.eps0, width)
            loss = 2 * eps0 * width / count
            tails = powers(-loss / 2, count, bits, half)
            if falls:
                ends = [near - power for power in powers(loss, count, bits, far)]
            else:
                ends = [power - far for power in powers(loss, count, bits, near)]
            more, others = spread(ends, tails, loss, bits)
            values, masses = [*values, *more], [*masses, *others]
        return np.array(values, dtype=object) - question.cost(bits), np.array(masses, dtype=object)


def cells(eps0: float, width: Fraction) -> int:
    """Return the number of cells of a stretch of outputs."""
    return max(ceil(2 * Fraction(eps0) * width / Fraction(CELL)), ceil(FEWEST_CELLS * width), 1)


def ranges(eps0: float) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield ranges of own records that cover [0, 1/2], as long as their second moments allow."""
    most, first, half = second_moment(eps0, 0.0, 0.0) * (1.0 + EXCESS), Fraction(0), Fraction(1, 2)
    while first < half:
        own = second_moment(eps0, float(first), float(first))
        limit = own + SHARE * (most - own)
        if second_moment(eps0, float(first), float(1 - first)) <= limit:
            yield first, 1 - first
            return
        low, high = int(first / GRAIN) + 1, int(half / GRAIN)
        if second_moment(eps0, float(first), 0.5) <= limit:
            low = high
        while high - low > 1:
            middle = (low + high) // 2
            fits = second_moment(eps0, float(first), float(middle * GRAIN)) <= limit
            low, high = (middle, high) if fits else (low, middle)
        yield first, low * GRAIN
        first = low * GRAIN


def second_moment(eps0: float, first: float, last: float) -> float:
    """Return E of the squared gain at c = 1 under the law of a range of records."""

    def left(edge: float, middle: float) -> float:
        fall, end = exp(-eps0), eps0 * middle
        inside = -expm1(-3.0 * end) / 3.0 + 2.0 * fall * expm1(-end) + fall * fall * expm1(end)
        return 0.5 * exp(eps0 * edge) * (expm1(-eps0) ** 2 + inside)

    middle = 0.5 * (first + last)
    return left(last, middle) + left(1.0 - first, 1.0 - middle)
