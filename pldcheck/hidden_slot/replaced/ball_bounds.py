"""Both ends of a hidden slot in a ball on uneven nodes: which bound serves, and the epsilons at which it is tried."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, inf, log

import numpy as np

from ...core.directed import Side
from ..known.ball_one_step import Join
from ..known.neighbour_pairs import Pair
from . import ball_fixed_value, ball_jump_value, ball_smooth_bound, ball_stoploss, ball_uneven_value

# Steps from which on the bound of nearly equilateral triangles is tried, and those up to which policies are.
FEWEST_SMOOTH, MOST_POLICY = 2000, 2000
# For large s: steps up to which policies are tried beside one large step, and the fineness of the latter.
MOST_STEEP_POLICY, JUMP_FINE = 200, 1.5
# Steps from which on equilateral triangles at every step are tried.
FEWEST_FIXED = 50
# Sensitivity over deviation below which both of these serve.
LARGEST_S = 2.0
# Sensitivity over deviation from which on single steps are joined as well.
LEAST_JOINED_S = 1.5
# Below two sensitivities over the deviation: steps between which even lattices are narrower nearly always, and take no
# more than some seconds.  For fewer steps both are within 0.4 %, and uneven nodes take 2 to 5 s in place of 7.
EVEN = ((0.75, 1, 20_000), (1.25, 51, 4_000))
# Relative width of an answer on even lattices from which on uneven nodes are tried as well, in a tenth of the time: at
# deviation 1.5 and 8,000 steps the one is 55 % wide, the other 3.5 %.  It limits the effort; any number is right.
WIDE = 0.04
# Fineness of a search, and of an answer for up to so many steps; for large s, whose values span much, of both.
SEARCH_FINE, STEEP_FACTOR = 1.6, 2.5
ANSWER_FINES = ((20, 0.3), (50, 0.5))
ANSWER_FINE = 0.7
# Numbers of trials of a search and of an answer.
SEARCH_TRIALS, ANSWER_TRIALS = 6, 4
# Trials of an answer before it is given up.
MOST_TRIALS = 10
# The precision of a search, the margin by which an answer aims inside the target, and one that is near enough, in logs
# of delta.
SEARCH_PRECISION, AIM, NEAR = 0.5, 0.003, 0.01
# The log of a ratio to delta that a value without a lower end has.
LOST = -50.0
# Relative distance of the upper end from the lower one where it is tried first.
FIRST_DISTANCE = 0.01
# Beyond this c overflows where it is multiplied.
FARTHEST = 300.0
# The least value whose log is taken.
LEAST = 1e-300


@dataclass(frozen=True)
class BallBounds:
    """Bounds of delta(epsilon) of a pair of ``pair.steps`` slots; ``estimate`` is about the delta in question."""

    pair: Pair
    estimate: float
    # For both ends, whether the bound for many steps, of two, was the better one in a search.
    _better: dict[Side, bool] = field(default_factory=dict)

    @property
    def is_sound(self) -> bool:
        """Whether the slot surely has the record, among two or more, as all these bounds suppose."""
        return self.pair.prob == 1.0 and 1 < self.pair.steps

    @property
    def is_served(self) -> bool:
        """Whether these bounds are sound, and good."""
        fewest, most = _evenly(self._s)
        return self.is_sound and not fewest <= self.pair.steps <= most

    @property
    def _s(self) -> float:
        return float(self.pair.randomizer.s)  # type: ignore[union-attr]

    def fine(self, share: float) -> float:
        """Return the fineness for a steep or a common slot."""
        return share * (STEEP_FACTOR if self._s >= LARGEST_S else 1.0)

    @property
    def answer_fine(self) -> float:
        """The fineness of an answer: the fewer steps, the finer, but for a steep slot."""
        if self._s >= LARGEST_S:
            return self.fine(ANSWER_FINE)
        return self.fine(next((fine for steps, fine in ANSWER_FINES if self.pair.steps <= steps), ANSWER_FINE))

    def value(self, epsilon: float, side: Side, fine: float) -> float:
        """Return the certified end of delta(epsilon)."""
        if epsilon > FARTHEST:
            return 1.0 if side is Side.UPPER else 0.0
        c, factor = exp(self.pair.safe_epsilon(epsilon, side)), self.pair.factor(epsilon)
        with np.errstate(all="ignore"):  # a value beyond the range of numbers is no bound
            value = self._value(c, self.estimate / factor, side, fine)
        if not 0.0 <= value < inf:
            return 1.0 if side is Side.UPPER else 0.0
        return min(factor * value * (1.0 + side.sign * 1e-15), 1.0)

    def _value(self, c: float, estimate: float, side: Side, fine: float) -> float:
        s, steps, is_upper = self._s, self.pair.steps, side is Side.UPPER
        if is_upper and s >= LEAST_JOINED_S and steps >= FEWEST_SMOOTH:
            return min(self._joined(c, estimate), self._better_value(c, estimate, side, fine))
        return self._better_value(c, estimate, side, fine)

    def _joined(self, c: float, estimate: float) -> float:
        """Return the bound by the law that dominates every single step, which is narrow where a large step decides."""
        steps, law = self.pair.steps, Join(self._s, c)
        return ball_stoploss.sum_stoploss(law, steps, steps * (c - 1.0), estimate, Side.UPPER) or inf

    def _better_value(self, c: float, estimate: float, side: Side, fine: float) -> float:
        """Return the better of two bounds at first, then that which was better."""
        s, steps, is_upper = self._s, self.pair.steps, side is Side.UPPER
        few = ball_uneven_value.value_above if is_upper else ball_uneven_value.value_below
        many = ball_smooth_bound.value_above if is_upper else ball_fixed_value.value_below
        if s >= LARGEST_S and not is_upper:
            jump = ball_jump_value.value_below(s, c, steps, estimate, JUMP_FINE)
            return max(jump, few(s, c, steps, 0.0, estimate, fine)) if steps <= MOST_STEEP_POLICY else jump
        if s >= LARGEST_S or steps < (FEWEST_SMOOTH if is_upper else FEWEST_FIXED):
            return few(s, c, steps, 0.0, estimate, fine)
        if not is_upper and steps > MOST_POLICY or self._better.get(side, False):
            return many(s, c, steps, 0.0, estimate)
        first = few(s, c, steps, 0.0, estimate, fine)
        if side in self._better:
            return first
        second = many(s, c, steps, 0.0, estimate)
        self._better[side] = second < first if is_upper else second > first
        return min(first, second) if is_upper else max(first, second)

    def delta(self, epsilon: float, side: Side) -> float:
        """Return the certified end of delta(epsilon), of which nothing is known but the estimate."""
        coarse = self.value(epsilon, side, self.fine(SEARCH_FINE))
        again = BallBounds(self.pair, coarse) if 0.0 < coarse < 1.0 else self
        fine = again.value(epsilon, side, self.answer_fine)
        return min(coarse, fine) if side is Side.UPPER else max(coarse, fine)

    def crossings(self, target: float, low: float, high: float) -> tuple[float, float]:
        """Return epsilons at which the ends of delta are on their sides of the target, within [low, high].

        A coarse search for the lower end comes first, whose slope and result tell where the upper end is about.
        """
        point, slope = low, 0.0
        before: tuple[float, float] | None = None
        for _ in range(SEARCH_TRIALS):
            ratio = _ratio(self.value(point, Side.LOWER, self.fine(SEARCH_FINE)), target)
            if ratio < LOST:  # there is no lower end here
                break
            if before is not None and point != before[0]:
                slope = (before[1] - ratio) / (point - before[0])
            if not slope > 0.0:
                slope = 2.0 * log(1.0 / target) / point
            before = point, ratio
            point = min(max(point + ratio / slope, 0.7 * point), 1.5 * point, high)
            if abs(ratio) <= SEARCH_PRECISION:
                break
        slope = slope if slope > 0.0 else 2.0 * log(1.0 / target) / low
        lower = self._answer(target, Side.LOWER, point, slope, low)
        start = (1.0 + FIRST_DISTANCE) * max(lower, low)
        if self.pair.steps >= FEWEST_SMOOTH and self._s < LARGEST_S:
            self.value(start, Side.UPPER, self.fine(SEARCH_FINE))  # which says which bound is the better one
        return lower, self._answer(target, Side.UPPER, min(start, high), slope, high)

    def _answer(self, target: float, side: Side, point: float, slope: float, worst: float) -> float:
        """Return the best of a few epsilons, or ``worst``."""
        best, before = worst, (0.0, 0.0)
        for trial in range(MOST_TRIALS):
            if trial >= ANSWER_TRIALS and best != worst:
                break
            value = self.value(point, side, self.answer_fine)
            if value == 0.0 and side is Side.LOWER:  # there is no lower end here
                break
            ratio = _ratio(value, target)
            if value <= target if side is Side.UPPER else value > target:
                best = min(best, point) if side is Side.UPPER else max(best, point)
                if abs(ratio) <= NEAR:
                    break
            if trial > 0 and point != before[0]:
                slope = max((before[1] - ratio) / (point - before[0]), 0.3 * slope)
            before = point, ratio
            point = min(max(point + (ratio + side.sign * AIM) / slope, 0.7 * point), 1.5 * point)
        return best


def switches(s: float) -> tuple[int, ...]:
    """Return the numbers of steps beyond which a narrower method ends, for a sensitivity over the deviation."""
    fewest, most = _evenly(s)
    of_nodes = (ball_uneven_value.LONGEST_RECURSION, FEWEST_SMOOTH - 1)
    numbers = [number for number in of_nodes if not fewest <= number < most]
    return tuple(sorted([*numbers, most] if most > 1 else numbers))


def _evenly(s: float) -> tuple[int, int]:
    """Return the fewest and the most steps that have an even lattice; (1, 1) where none has."""
    return next(((fewest, most) for least, fewest, most in EVEN if s < least), (1, 1))


def _ratio(value: float, target: float) -> float:
    """Return the log of a value over the target, which steers a search: it may be wrong for the least of them."""
    return log(max(value, LEAST) / target)
