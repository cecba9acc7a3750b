r"""A single slot in closed form: whatever its own record is, its curve is that of the diluted mechanism.

For any event E, :math:`w R_i(E) - w c R_j(E) - (1-w)(c-1) R_o(E) \le w (R_i(E) - c' \min(R_j(E), R_o(E)))` with
:math:`c' = 1 + (c-1)/w`, which o = j attains: delta(epsilon) is w times the hockey-stick divergence of the worst two
inputs at c'.  Removing a record has that delta too; adding it has no larger one.
More slots have no more either: the mean of m + 1 gains is the mean of its leave-one-out means, each that of m slots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isqrt

import numpy as np

from ...core.directed import Ends, float_above, float_below
from ...pld import mechanisms
from .binary_digits import Digits, exponential, logarithm
from .output_probabilities import LaplaceNoise, Outputs, Question, places

# An upper bound of the relative rounding of a logarithm: see binary_digits.py.
LOG_ERROR = Fraction(1, 2**90)
# The epsilon from which on its exponential has too many digits.
FAR_EPSILON = 1e4


@dataclass(frozen=True, eq=False)
class Finite:
    """The worst of several pairs of laws of finitely many outputs; ``weight``: of the record in its slot."""

    pairs: Sequence[tuple[Digits, Digits]]
    bits: int
    weight: float

    def delta(self, epsilon: float) -> Ends:
        """Return both ends of delta(epsilon)."""
        ratio = Question(epsilon, self.weight).ratio(self.bits)
        divergence = max(_divergence(p, q, ratio, self.bits) for p, q in self.pairs)
        return _ends(Fraction(divergence, 1 << 2 * self.bits) * Fraction(self.weight), self.bits)

    def epsilon(self, delta: float) -> tuple[float, float, Ends]:
        """Return both ends of epsilon(delta), and those of delta at the upper one."""
        divergence = Fraction(delta) / Fraction(self.weight)
        ratio = max((_root(p, q, divergence) for p, q in self.pairs), default=Fraction(1))
        return _epsilon(self, ratio, self.weight)

    def worst_outputs(self, epsilon: float) -> Outputs:
        """Return the pair of inputs that is worst there, the slot's own record on the replacement's value."""
        ratio = Question(epsilon, self.weight).ratio(self.bits)
        p, q = max(self.pairs, key=lambda pair: _divergence(pair[0], pair[1], ratio, self.bits))
        return Outputs("the worst two inputs, the slot's own the replacement's", p, q, q, self.bits)


@dataclass(frozen=True)
class Laplace:
    """Records in [0, 1] with Laplace noise: 1 - e^((log c' - eps0)/2) between its ends."""

    noise: LaplaceNoise

    @property
    def weight(self) -> float:
        """The weight of the record in its slot."""
        return self.noise.weight

    def delta(self, epsilon: float) -> Ends:
        """Return both ends of delta(epsilon)."""
        bits = self.noise.bits
        ratio = Question(epsilon, self.weight).ratio(bits)
        x = exponential(Fraction(self.noise.eps0), bits)
        root = isqrt((ratio << 2 * bits) // x) if ratio < x else 1 << bits
        return _ends(Fraction((1 << bits) - root, 1 << bits) * Fraction(self.weight), bits)

    def epsilon(self, delta: float) -> tuple[float, float, Ends]:
        """Return both ends of epsilon(delta), and those of delta at the upper one."""
        bits, complement = self.noise.bits, 1 - Fraction(delta) / Fraction(self.weight)
        x = Fraction(exponential(Fraction(self.noise.eps0), bits), 1 << bits)
        return _epsilon(self, x * complement * complement if complement > 0 else Fraction(1), self.weight)

    def worst_outputs(self, epsilon: float) -> Outputs:
        """Return the records 0 and 1, with outputs merged on either side of the point where p - c' q changes sign."""
        bits = self.noise.bits
        one, x = 1 << bits, exponential(Fraction(self.noise.eps0), bits)
        ratio = Question(epsilon, self.weight).ratio(bits)
        # The sign changes at y with e^(eps0 (1 - 2y)) = c': e^(-eps0 y) is the root of c'/x, e^(-eps0 (1 - y)) that of
        # 1/(x c').
        near, far = isqrt((ratio << 2 * bits) // x) >> 1, isqrt((one << 3 * bits) // (x * ratio)) >> 1
        p, q = (np.array(row, dtype=object) for row in ([one - near, near], [far, one - far]))
        return Outputs("records at 0 and 1, the slot's own at 1, outputs merged", p, q, q, bits)


@dataclass(frozen=True)
class Gaussian:
    """Records at most a distance 1 apart with Gaussian noise of deviation ``sigma``."""

    sigma: float
    weight: float

    def delta(self, epsilon: float) -> Ends:
        """Return both ends of delta(epsilon)."""
        weight, one = Fraction(self.weight), mechanisms.gaussian(self.sigma)
        far, near = (one.delta(end) for end in self._mechanism_epsilon(epsilon))
        lower, upper = float_below(Fraction(far.lower) * weight), float_above(Fraction(near.upper) * weight)
        return Ends(lower, upper, 0.0, upper - lower)

    def epsilon(self, delta: float) -> tuple[float, float, Ends]:
        """Return both ends of epsilon(delta), and those of delta at the upper one."""
        weight = Fraction(self.weight)
        exact, one = Fraction(delta) / weight, mechanisms.gaussian(self.sigma)
        if exact >= 1:
            return 0.0, 0.0, self.delta(0.0)
        far, near = (max(end, 5e-324) for end in (float_above(exact), float_below(exact)))
        lower = self._slot_epsilon(one.epsilon(far).lower)[0] if far < 1.0 else 0.0
        upper = self._slot_epsilon(one.epsilon(near).upper)[1]
        return lower, upper, self.delta(upper) if upper < inf else Ends(0.0, delta, 0.0, 0.0)

    def _mechanism_epsilon(self, epsilon: float) -> tuple[float, float]:
        """Return the two doubles around log(1 + (e^epsilon - 1)/w), the larger first."""
        if epsilon == 0.0 or self.weight == 1.0:
            return epsilon, epsilon
        if epsilon > FAR_EPSILON:  # it is between epsilon and epsilon - log w
            return float_above(Fraction(epsilon) - logarithm(Fraction(self.weight)) * (1 + LOG_ERROR)), epsilon
        bits = places(Fraction(self.weight), min(Fraction(epsilon), Fraction(1)))
        exact = logarithm(Fraction(Question(epsilon, self.weight).ratio(bits), 1 << bits))
        return float_above(exact * (1 + LOG_ERROR)), float_below(exact * (1 - LOG_ERROR))

    def _slot_epsilon(self, epsilon: float) -> tuple[float, float]:
        """Return the two doubles around log(1 + w (e^epsilon - 1))."""
        if epsilon in (0.0, inf) or self.weight == 1.0:
            return epsilon, epsilon
        if epsilon > FAR_EPSILON:  # it is between epsilon + log w and epsilon
            return max(
                float_below(Fraction(epsilon) + logarithm(Fraction(self.weight)) * (1 + LOG_ERROR)), 0.0
            ), epsilon
        bits = places(Fraction(self.weight), min(Fraction(epsilon), Fraction(1)))
        ratio = Fraction(exponential(Fraction(epsilon), bits), 1 << bits)
        exact = logarithm(1 + Fraction(self.weight) * (ratio - 1))
        return max(float_below(exact * (1 - LOG_ERROR)), 0.0), float_above(exact * (1 + LOG_ERROR))


def cap(ratio: Fraction, weight: float) -> float:
    """Return log(1 + w (r - 1)) of the largest ratio r of two inputs' probabilities, rounded up.

    From this epsilon on delta is 0.
    """
    return float_above(logarithm(1 + Fraction(weight) * (ratio - 1)) * (1 + LOG_ERROR))


def _divergence(p: Digits, q: Digits, ratio: int, bits: int) -> int:
    """Return the positive part of p - ratio q, in units of 2^(-2 bits)."""
    terms = (p << bits) - ratio * q
    return int(terms[terms > 0].sum()) if (terms > 0).any() else 0


def _ends(value: Fraction, bits: int) -> Ends:
    """Return a number from integers, and the doubles around it; half of all places cover its error."""
    error = Fraction(1, 1 << bits // 2)
    lower, upper = max(float_below(value - error), 0.0), float_above(value + error)
    return Ends(lower, upper, 0.0, upper - lower)


def _root(p: Digits, q: Digits, target: Fraction) -> Fraction:
    """Return the ratio, at least 1, at which the positive part of p - ratio q equals ``target``."""
    pairs = sorted(zip(p.tolist(), q.tolist(), strict=True), key=lambda pair: Fraction(*pair), reverse=True)
    one, above, below = sum(p.tolist()), 0, 0
    ratio = Fraction(1)
    for k, (first, second) in enumerate(pairs):
        above, below = above + first, below + second
        after = Fraction(*pairs[k + 1]) if k + 1 < len(pairs) else Fraction(0)
        # Between this ratio and the next the divergence is ``above`` - ratio ``below``.
        if above - after * below >= target * one:
            ratio = (above - target * one) / below
            break
    return max(ratio, Fraction(1))


def _epsilon(curve: Finite | Laplace, ratio: Fraction, weight: float) -> tuple[float, float, Ends]:
    """Return the two doubles around log(1 + w (ratio - 1)), and the ends of delta."""
    exact = logarithm(1 + Fraction(weight) * (ratio - 1)) if ratio > 1 else Fraction(0)
    lower, upper = max(float_below(exact * (1 - LOG_ERROR)), 0.0), float_above(exact * (1 + LOG_ERROR))
    return lower, upper, curve.delta(upper)
