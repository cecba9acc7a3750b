r"""Laplace noise where a slot's own record is at 0 and the two others lie on one side of it, at 1 and at x in [0, 1].

(0, x, 1) is the law of gains of own record 0, record x and replacement 1, and (0, 1, x) that with these two exchanged:
-c times that of (0, x, 1) at 1/c in the place of c.  So what follows is on (0, x, 1), for every c > 0.

**One law for all x from a to b.**  Let D be the smaller of R_a and R_b at every output.  It is nowhere above R_x, and
lacks the mass :math:`1 - e^{-\epsilon_0 (b - a)/2}`.  So for every set S and every t

.. math:: R_x(S) - c R_1(S) - t R_0(S) \le U(t) = \int (D - c R_1 - t R_0)_+ + 1 - e^{-\epsilon_0 (b - a)/2},

and U bounds the transform E(g - t)_+ of all these gains.  No gain is above h = max(u, u e^(eps0 (a + b))) with
u = e^(-eps0 a) - c e^-eps0: left of 0 gains are e^(-eps0 x) - c e^-eps0, from 0 to x that times e^(2 eps0 y), and from
there they fall.  The transforms are convex and 0 at h.  So they are nowhere above U up to some t_0, and beyond it
nowhere above the chord from (t_0, U(t_0)) to (h, 0).  Where the chord is a tangent, that is the transform of a law with
the mean 1 - c of all gains: the gains (D - c R_1)/R_0, those above t_0 at h with the probability U(t_0)/(h - t_0) and
at t_0 with the rest.

With m = (a + b)/2, D is R_b left of m and R_a right of it: from 0 to m gains are
:math:`(e^{-\epsilon_0 b} - c e^{-\epsilon_0}) e^{2 \epsilon_0 y}`, from m to 1
:math:`e^{\epsilon_0 a} - c e^{\epsilon_0 (2 y - 1)}`, constant outside; each cell of y is put at its two ends, the mean
kept, which disperses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .binary_digits import exponential
from .laplace_record_ranges import EXCESS, GRAIN, SHARE, cells, second_moment
from .output_probabilities import Gains, LaplaceNoise, Question, powers, spread

# The end of a range is found to this binary place of itself.
PRECISION = 5


@dataclass(frozen=True)
class LaplaceOuterRecords:
    """The law that dominates the gains of (0, x, 1) for all x between two places, or of (0, 1, x) if ``farther``."""

    noise: LaplaceNoise
    first: Fraction
    last: Fraction
    farther: bool

    @property
    def bits(self) -> int:
        """The number of binary places."""
        return self.noise.bits

    def gains(self, question: Question) -> Gains:
        """Return the gains and their masses."""
        bits = self.bits
        kappa = question.kappa(bits)
        if self.farther:
            values, masses = self._record_nearer((1 << 2 * bits) // kappa)
            values = [-(kappa * value >> bits) for value in values]
        else:
            values, masses = self._record_nearer(kappa)
        return np.array(values, dtype=object) - question.cost(bits), np.array(masses, dtype=object)

    def _record_nearer(self, c: int) -> tuple[list[int], list[int]]:
        """Return gains of (0, x, 1) and their masses at c in units of 2^-bits."""
        bits, eps0 = self.bits, Fraction(self.noise.eps0)
        one, a, b = 1 << bits, self.first, self.last
        middle, rest = (a + b) / 2, c * exponential(-eps0, bits) >> bits
        near, far = exponential(-eps0 * b, bits) - rest, exponential(eps0 * a, bits)
        values, masses, tail = [near], [one >> 1], one >> 1
        for width, first in ((middle, near), (1 - middle, -rest * exponential(2 * eps0 * middle, bits) >> bits)):
            if not width:
                continue
            count = cells(self.noise.eps0, width)
            loss = 2 * eps0 * width / count
            tails = powers(-loss / 2, count, bits, tail)
            ends = powers(loss, count, bits, first)
            if first is not near:
                ends = [far + power for power in ends]
            more, others = spread(ends, tails, loss, bits)
            tail = tails[-1]
            others[-1] -= tail
            values, masses = [*values, *more], [*masses, *others]
        values.append(values[-1])
        masses.append(one - sum(masses))
        # The largest gain of all x.
        high = exponential(-eps0 * a, bits) - rest
        high = max(high, high * exponential(eps0 * (a + b), bits) >> bits)
        return _with_mean(values, masses, one - c, high, one)


def _with_mean(values: list[int], masses: list[int], mean: int, high: int, one: int) -> tuple[list[int], list[int]]:
    """Return a law with a larger mean: its largest values are moved to one of them and to a value above all."""
    pairs = sorted(zip(values, masses, strict=True), reverse=True)
    lacking = max(mean * one - sum(value * mass for value, mass in pairs), 0)
    total, moment = 0, 0
    for place, (value, mass) in enumerate(pairs):
        total, moment = total + mass, moment + value * mass
        excess = moment - total * value + lacking
        if value < high and excess <= total * (high - value):
            moved = excess // (high - value)
            pairs = [(high, moved), (value, total - moved), *pairs[place + 1 :]]
            break
    return [value for value, _ in pairs], [mass for _, mass in pairs]


def records(eps0: float, *, farther: bool) -> Iterator[LaplaceOuterRecords]:
    """Yield laws that together cover all x in [0, 1], as long as their second moments allow.

    The second moments are those at epsilon = 0, which are the same whichever of the two others is farther.
    """
    noise, most = LaplaceNoise(eps0, 1.0), second_moment(eps0, 0.0, 0.0) * (1.0 + EXCESS)

    def moment(first: Fraction, last: Fraction) -> float:
        values, masses = LaplaceOuterRecords(noise, first, last, farther=False).gains(Question(0.0, 1.0))
        return float(Fraction(int(values**2 @ masses), 1 << 3 * noise.bits))

    first = Fraction(0)
    while first < 1:
        own = moment(first, first)
        limit = own + SHARE * (most - own)
        low, high = int(first / GRAIN) + 1, int(1 / GRAIN)
        if moment(first, Fraction(1)) <= limit:
            low = high
        while high - low > max(low >> PRECISION, 1):
            middle = (low + high) // 2
            low, high = (middle, high) if moment(first, middle * GRAIN) <= limit else (low, middle)
        yield LaplaceOuterRecords(noise, first, low * GRAIN, farther)
        first = low * GRAIN
