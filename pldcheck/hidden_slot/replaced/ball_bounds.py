"""Both ends of a hidden slot in a ball on uneven nodes: which bound serves, and the epsilons at which it is tried."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log

import numpy as np

from ...core.directed import Side
from ..known.neighbour_pairs import Pair
from . import ball_fixed_value, ball_smooth_bound, ball_uneven_value

# Steps from which on the bound of nearly equilateral triangles is tried, and those up to which policies are.
FEWEST_SMOOTH, MOST_POLICY = 2000, 2000
# Steps from which on equilateral triangles at every step are tried.
FEWEST_FIXED = 50
# Sensitivity over deviation below which both of these serve.
LARGEST_S = 2.0
# Fineness of a search and of an answer; for large s, whose logarithms of values are wide, of both.
SEARCH_FINE, ANSWER_FINE, STEEP_FINE = 1.6, 0.7, 2.5
# Numbers of trials of a search and of an answer.
SEARCH_TRIALS, ANSWER_TRIALS = 7, 3
# The precision of a search, and the margin by which the answer aims inside the target, in logs of delta.
SEARCH_PRECISION, AIM = 0.05, 0.003
# The least value whose log is taken.
LEAST = 1e-300


@dataclass(frozen=True)
class BallBounds:
    """Bounds of delta(epsilon) of a pair of ``pair.steps`` slots; ``estimate`` is about the delta in question."""

    pair: Pair
    estimate: float

    @property
    def is_served(self) -> bool:
        """Whether the slot surely has the record, among two or more, as all these bounds suppose."""
        return self.pair.prob == 1.0 and self.pair.steps > 1

    @property
    def _s(self) -> float:
        return float(self.pair.randomizer.s)  # type: ignore[union-attr]

    def fine(self, share: float) -> float:
        """Return the fineness for a steep or a common slot."""
        return share * (STEEP_FINE if self._s >= LARGEST_S else 1.0)

    def value(self, epsilon: float, side: Side, fine: float) -> float:
        """Return the certified end of delta(epsilon)."""
        safe = self.pair.safe_epsilon(epsilon, side)
        factor = self.pair.factor(epsilon)
        bound = self._above if side is Side.UPPER else self._below
        with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
            value = bound(exp(safe), self.estimate / factor, fine)
        if not 0.0 <= value < inf:
            return 1.0 if side is Side.UPPER else 0.0
        return min(factor * value * (1.0 + side.sign * 1e-15), 1.0)

    def _above(self, c: float, estimate: float, fine: float) -> float:
        steps = self.pair.steps
        if steps >= FEWEST_SMOOTH and self._s < LARGEST_S:
            smooth = ball_smooth_bound.value_above(self._s, c, steps, 0.0, estimate, fine)
            if smooth < inf:
                return smooth
        return ball_uneven_value.value_above(self._s, c, steps, 0.0, estimate, fine)

    def _below(self, c: float, estimate: float, fine: float) -> float:
        steps, best = self.pair.steps, 0.0
        if steps >= FEWEST_FIXED and self._s < LARGEST_S:
            best = ball_fixed_value.value_below(self._s, c, steps, 0.0, estimate)
        if steps <= MOST_POLICY or self._s >= LARGEST_S:
            best = max(best, ball_uneven_value.value_below(self._s, c, steps, 0.0, estimate, fine))
        return best

    def crossing(self, target: float, bracket: tuple[float, float], side: Side) -> float:
        """Return an epsilon at which this end of delta is on its side of the target; the bracket's end if none is found.

        A coarse search comes first; its error is seen at the first trial of an answer, whose slope it tells.
        """
        low, high = bracket
        point, slope = min(1.05 * low, 0.5 * (low + high)), 0.0
        before: tuple[float, float] | None = None
        for _ in range(SEARCH_TRIALS):
            ratio = log(max(self.value(point, side, self.fine(SEARCH_FINE)), LEAST) / target)
            if before is not None and point != before[0]:
                slope = (before[1] - ratio) / (point - before[0])
            if not slope > 0.0:
                slope = 2.0 * log(1.0 / target) / point
            before = point, ratio
            following = min(max(point + ratio / slope, 0.5 * point, 0.5 * low), 2.0 * point, high)
            if abs(ratio) <= SEARCH_PRECISION:
                break
            point = following
        return self._answer(target, bracket, side, point, slope)

    def _answer(self, target: float, bracket: tuple[float, float], side: Side, point: float, slope: float) -> float:
        best = bracket[1] if side is Side.UPPER else bracket[0]
        fine = self.fine(ANSWER_FINE)
        before: tuple[float, float] | None = None
        for _ in range(ANSWER_TRIALS):
            ratio = log(max(self.value(point, side, fine), LEAST) / target)
            if side is Side.UPPER and ratio <= 0.0:
                best = min(best, point)
            if side is Side.LOWER and ratio > 0.0:
                best = max(best, point)
            if best == point and abs(ratio) <= 4.0 * AIM:
                break
            if before is not None and point != before[0] and before[1] != ratio:
                slope = max((before[1] - ratio) / (point - before[0]), 0.2 * slope)
            before = point, ratio
            following = point + (ratio + side.sign * AIM) / slope
            if not 0.5 * point <= following <= 2.0 * point:
                following = 0.5 * point if following < point else 2.0 * point
            point = following
        return best

