r"""Answers for a hidden slot of a known randomizer: the worst of the neighbours in question, epochs, several slots.

**Several slots, from below.**  With k of m slots selected the likelihood ratio is :math:`U_k = e_k(A)/\binom mk`, the
mean of products over k of the A_i, and U_k <= U_(k+1) in convex order.  For let A' be an independent copy: U_k is the
conditional expectation, given A, of the mean of :math:`A'_i \prod_{j \in S} A_j` over S and i outside S.  Putting A_i
for A'_i, one i after another, turns that into U_(k+1); each time a payoff phi(A'_i g + r), phi convex, g >= 0 free of
A_i, r increasing in A_i, is supermodular in (A'_i, A_i), and equal ones are its worst coupling.  So one selected slot
reveals no more than several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import expm1, log, sqrt

from ..core.directed import Side, enlarge
from ..core.interval import Interval
from .known import likelihood_epochs, pair_epsilon
from .known.epsilon_search import estimate_delta
from .known.neighbour_pairs import ADDITION, Pair, Slots
from .known.pair_curve import Curve
from .replaced import ball_bounds, replaced_answers

# Pairs (steps, count): one slot among ``steps``, composed ``count`` times.
Parts = Sequence[tuple[int, int]]
# Gap in log delta between estimates for two pairs, from which on the smaller one is checked at fineness 1.
CLOSE_GAP = 1.2e-2
# The same gap, from which on a bound that costs next to nothing is checked first.
QUICK_GAP = 2.5
# The finest lattice that is tried.
FINEST = 0.2
# Deltas that points of a curve are for, where epochs are asked for a delta of which nothing is known, one after
# another.
DEPTHS = (1e-9, 1e-30, 1e-80, 1e-200)
# The search ends when an upper end is more than this share of the one before.
GAIN = 0.5


def switches_of_noise(s: float) -> tuple[int, ...]:
    """Return the numbers of slots beyond which a narrower method ends: Gaussian noise, a record replaced in a ball."""
    return ball_bounds.switches(s)


def epsilon(slots: Slots, parts: Parts, epochs: int, delta: float, width: float) -> Interval:
    """Return epsilon(delta); ``parts`` dominate the mechanism, and it dominates ``epochs`` of ``slots``."""
    if len(parts) == 1 and parts[0] == (slots.steps, 1):
        if slots.adjacency == "in-ball":
            return replaced_answers.epsilon(slots, delta, width)
        return _worst_epsilon(slots.pairs, delta, width)
    return likelihood_epochs.answer(slots, parts, epochs, lambda loss: loss.epsilon(delta), delta)


def delta(slots: Slots, parts: Parts, epochs: int, epsilon: float, width: float) -> Interval:
    """Return delta(epsilon); ``parts`` dominate the mechanism, and it dominates ``epochs`` of ``slots``."""
    if len(parts) == 1 and parts[0] == (slots.steps, 1):
        if slots.adjacency == "in-ball":
            return replaced_answers.delta(slots, epsilon, width)
        return _worst_delta(slots.pairs, epsilon, width)

    def answer_at(depth: float) -> Interval:
        return likelihood_epochs.answer(slots, parts, epochs, lambda loss: loss.delta(epsilon), depth, curves)

    curves = likelihood_epochs.curves_of(slots, parts)
    interval = answer_at(DEPTHS[0])
    for depth in DEPTHS[1:]:
        before = interval
        deeper = answer_at(max(before.lower, depth))
        interval = deeper.meet(before)
        # Deeper points help as long as there is no lower bound, and while there are more of them.
        if before.lower > 0.0 or interval.upper > GAIN * before.upper:
            break
    return interval


def _worst_epsilon(pairs: Sequence[Pair], delta: float, width: float) -> Interval:
    first, *others = pairs
    intervals, evaluated_pairs = [pair_epsilon.epsilon(first, delta, width)], [first]
    for pair in others:
        if intervals[0].upper > 0.0 and _is_bounded(pair, first, intervals[0].upper, delta):
            continue
        intervals.append(pair_epsilon.epsilon(pair, delta, width))
        evaluated_pairs.append(pair)
    return _larger_ends(intervals, evaluated_pairs)


def _worst_delta(pairs: Sequence[Pair], epsilon: float, width: float) -> Interval:
    first, *others = pairs
    intervals, evaluated_pairs = [pair_epsilon.delta(first, epsilon, width)], [first]
    for pair in others:
        if _is_zero(pair, epsilon):
            continue
        if intervals[0].lower > 0.0 and Curve(pair, 1.0, intervals[0].lower).surely_below(epsilon):
            continue
        intervals.append(pair_epsilon.delta(pair, epsilon, width))
        evaluated_pairs.append(pair)
    return _larger_ends(intervals, evaluated_pairs)


def _is_zero(pair: Pair, epsilon: float) -> bool:
    """Return whether delta is 0: adding a record leaves at least a share 1 - p of every probability."""
    return pair.name == ADDITION and -expm1(-epsilon) >= enlarge(pair.prob, 8)


def _is_bounded(pair: Pair, first: Pair, epsilon: float, delta: float) -> bool:
    """Return whether ``delta``, the value of the ``first`` pair, also bounds delta(epsilon) of this pair.

    Only bounds of little work are used; an estimate decides which of them are tried first.
    """
    if _is_zero(pair, epsilon):
        return True
    gap = log(estimate_delta(first, epsilon) / estimate_delta(pair, epsilon))
    if gap > QUICK_GAP and Curve(pair, 1.0, delta).surely_below(epsilon):
        return True
    # Widths go with the square of the fineness.
    coarsest = min(max(sqrt(gap / CLOSE_GAP), FINEST), 1.0) if gap > 0.0 else 1.0
    trials = (coarsest, FINEST) if coarsest > 2.0 * FINEST else (FINEST,)
    return any(Curve(pair, finer, delta).value(epsilon, Side.UPPER) <= delta for finer in trials)


def _larger_ends(intervals: Sequence[Interval], pairs: Sequence[Pair]) -> Interval:
    """Return the larger lower end and the larger upper end, each with the name of the pair that has it."""
    return Interval.largest(
        replace(one, sources=(pair.name, pair.name)) for one, pair in zip(intervals, pairs, strict=True)
    )
