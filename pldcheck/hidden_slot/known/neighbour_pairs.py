r"""Neighbours of one hidden slot of a known randomizer, as stop-loss transforms of its increments.

With p the check-in probability, m the steps, c = e^epsilon and A, B the likelihood ratios of the record and of its
replacement, all under the law of the others, the hockey-stick divergence is :math:`\frac pm E(\sum X_i - K)_+` with

=========  ====================  ======================
removed    A - 1                 K = m (c - 1)/p
added      1 - A, times c        K = m (1 - 1/c)/p
replaced   (A - 1) - c (B - 1)   K = m (c - 1)/p
=========  ====================  ======================

since :math:`dP/dQ = 1 + \frac pm \sum_i (A_i - 1)` for Q the run without the record (Feldman and Shenfeld 2025 for the
first two, p = 1).  That a record's contribution is chosen with regard to earlier outputs changes nothing where each
step's (A, B) is dominated by a fixed one in the convex order of A - cB, for every c: replace steps from the last to
the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, expm1, inf, log1p

from ...core.differences import FUNCTION
from ...core.directed import UNIT, Side, roundoff
from .floored_increment import FlooredIncrement
from .noise_ratios import Noise
from .slot_increments import GaussianIncrement, Increment
from .sum_plan import Rough

# Least width of a law, relative to its largest value: narrower laws cannot be resolved.
NARROWEST = 1e-7
# The pair of the run with the record and the run without it.
REMOVAL = "the neighbour pair with the record removed"
# The reverse of that pair.
ADDITION = "the neighbour pair with the record added"
# The pair of the runs with the record and with its replacement.
REPLACEMENT = "the neighbour pair with the record replaced"


@dataclass(frozen=True)
class Pair:
    """One pair of neighbours: ``steps`` slots, of which one has the record with probability ``prob``."""

    name: str
    randomizer: Noise
    steps: int
    prob: float

    @property
    def has_one_law(self) -> bool:
        """Whether the increments are of one law at every epsilon."""
        return self.name != REPLACEMENT

    def increment(self, epsilon: float) -> Increment:
        """Return the increment X, raised to the least value that matters at this epsilon."""
        if self.name == REPLACEMENT:
            return self.randomizer.replacement(exp(epsilon))
        whole = self._whole
        floor = self._floor(epsilon)
        return FlooredIncrement(whole, floor) if floor > whole.low else whole

    def safe_epsilon(self, epsilon: float, side: Side) -> float:
        """Return a nearby epsilon whose c, a float, is surely on the right side of e^epsilon.

        For an upper end c is at most e^epsilon, for a lower end at least: delta decreases, so that it is a bound there.
        Only replacement has c in its increments.
        """
        if self.has_one_law or epsilon == 0.0:
            return epsilon
        # The error of exp is within FUNCTION units, and that of the sum within one unit.
        shift = (2.0 * FUNCTION + 2.0 * epsilon) * UNIT
        return max(epsilon - shift, 0.0) if side is Side.UPPER else epsilon + shift

    def rough(self, epsilon: float) -> Rough:
        """Return the coarse law that is used for planning."""
        if self.has_one_law and not self.is_floored(epsilon):
            return self._rough
        return Rough.of(self.increment(epsilon), self.steps)

    @cached_property
    def _rough(self) -> Rough:
        return Rough.of(self._whole, self.steps)

    @cached_property
    def _whole(self) -> Increment:
        return self.randomizer.removal if self.name == REMOVAL else self.randomizer.addition

    def _floor(self, epsilon: float) -> float:
        """Return the value that a step must exceed; Gaussian increments are treated separately."""
        whole, others = self._whole, self.steps - 1
        if isinstance(whole, GaussianIncrement) or whole.high == inf:
            return -inf
        threshold = self.threshold(epsilon)
        size = abs(threshold) + self.steps * abs(whole.high)
        exact = threshold - others * whole.high - roundoff(16, size)
        return min(exact, whole.high - NARROWEST * abs(whole.high))

    def is_floored(self, epsilon: float) -> bool:
        """Return whether the increments depend on epsilon, though their law does not."""
        return self.has_one_law and self._floor(epsilon) > self._whole.low

    def threshold(self, epsilon: float) -> float:
        """Return the threshold K; for replacement it uses the same float c that its increments have.

        It is then exactly the threshold of another epsilon.
        """
        if self.name == REPLACEMENT:
            return self.steps / self.prob * (exp(epsilon) - 1.0)
        return self.steps / self.prob * (-expm1(-epsilon) if self.name == ADDITION else expm1(epsilon))

    def net_threshold(self, epsilon: float) -> tuple[float, float]:
        """Return K less the constants of all increments, and an absolute error.

        The terms that cancel between them are left out.
        """
        absence, share = 1.0 - self.prob, self.steps / self.prob
        if self.name == REPLACEMENT:
            net = size = (exp(epsilon) - 1.0) * absence
        elif self.name == REMOVAL:
            net = size = expm1(epsilon) + self.prob
        else:
            decay = exp(-epsilon)
            net, size = absence - decay, absence + decay
        return share * net, roundoff(8, share) * size

    def epsilon(self, threshold: float) -> float:
        """Return the epsilon of a threshold; infinity where no epsilon has such a threshold."""
        share = threshold * self.prob / self.steps
        if self.name == ADDITION:
            return -log1p(-share) if share < 1.0 else inf
        return log1p(share)

    @property
    def largest(self) -> float:
        """An epsilon from which on delta is 0; infinity where there is none."""
        if not self.has_one_law:
            return inf
        share = self.prob * self._whole.high
        if self.name == ADDITION:
            # 1 - share is rounded, with a larger relative error where it is small.
            return -log1p(-share) * (1.0 + 1e-13) + roundoff(8) / (1.0 - share) if share < 1.0 else inf
        return log1p(share) * (1.0 + 1e-13)

    def factor(self, epsilon: float) -> float:
        """Return the factor by which E(sum - K)_+ is multiplied."""
        return self.prob / self.steps * (exp(epsilon) if self.name == ADDITION else 1.0)

    def rate(self, epsilon: float) -> float:
        """Return the derivative dK/d epsilon."""
        return self.steps / self.prob * exp(-epsilon if self.name == ADDITION else epsilon)


# The pairs that answer for each kind of neighbours.
ADJACENCIES = {
    "remove": (REMOVAL,),
    "add": (ADDITION,),
    "add-remove": (REMOVAL, ADDITION),
    "replace": (REPLACEMENT,),
    # The pair of upper ends; lower ends are those of the record removed and added, and of policies that mix them.
    "in-ball": (REPLACEMENT,),
}


@dataclass(frozen=True)
class Slots:
    """A hidden slot among ``steps``, the record there with probability ``prob``; the worst of some neighbours."""

    randomizer: Noise
    steps: int
    prob: float
    adjacency: str

    def pair(self, name: str) -> Pair:
        """Return one pair of neighbours."""
        return Pair(name, self.randomizer, self.steps, self.prob)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs of the neighbours in question."""
        return tuple(self.pair(name) for name in ADJACENCIES[self.adjacency])
