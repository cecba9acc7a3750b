r"""Few slots of few outputs: the references that reveal most, each chosen after all earlier outputs.

With V_m(u) = u_+ and :math:`V_t(u) = \max_o \sum_y R_o(y) V_{t+1}(u + g_o(y))`, w/m V_0(0) is delta(epsilon) itself,
not a bound.  u depends only on how often each reference and output came, in whatever order: there are
:math:`\binom{t + n - 1}{t}` such counts after t of the slots, n the number of pairs of a reference and an output.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from ...core.directed import UNIT, Ends, float_above, float_below
from ...pld.step_losses import Array
from .binary_digits import Digits, doubles
from .output_probabilities import Outputs, Question

# Largest number of counts that are enumerated for one kind of neighbours.
MOST_COUNTS = 3100
# Largest number of counts that are enumerated for all kinds of neighbours.
MOST_COUNTS_OF_ALL = 20_000

Indices = NDArray[np.intp]


def are_few(kinds: Sequence[Sequence[object]], steps: int) -> bool:
    """Return whether all counts of these kinds of neighbours, each with its references, can be enumerated."""
    if not all(isinstance(one, Outputs) for kind in kinds for one in kind):
        return False
    sizes = [_number(sum(one.own.size for one in kind), steps) for kind in kinds]  # type: ignore[attr-defined]
    return max(sizes) <= MOST_COUNTS and sum(sizes) <= MOST_COUNTS_OF_ALL


def delta(references: Sequence[Outputs], steps: int, weight: float, epsilon: float) -> Ends:
    """Return both ends of delta(epsilon) of a record and its replacement, where slots hold any of ``references``."""
    question, bits = Question(epsilon, weight), references[0].bits
    laws = [one.gains(question) for one in references]
    gains = np.concatenate([values for values, _ in laws])
    top, doubt = int(gains.max()), 1 << bits // 2
    if top <= doubt << 60:  # epsilon is the largest loss up to round-off, or beyond it
        most = float_above(2 * Fraction(weight) * max(top, doubt) / (1 << bits)) if top > -doubt else 0.0
        return Ends(0.0, most, 0.0, most)
    counts, next_of = _counts(gains.size, steps)
    value = _positive_shares(counts @ gains, top)
    chances = [doubles(masses, bits) for _, masses in laws]
    for step in range(steps - 1, -1, -1):
        value = _step_back(value, next_of[: _number(gains.size, step)], chances)
    # A slot rounds the chances, products and a sum of as many terms; the leaves are rounded once, from integers that
    # are short of a small part of a unit.
    relative = UNIT * (steps * (max(one.size for one in chances) + 4.0) + 16.0)
    unit = Fraction(weight) * top / (steps << bits)
    exact = Fraction(float(value[0])) * unit
    tiny = Fraction(steps * steps * gains.size, 1 << 1000) * unit  # for products that are subnormal
    lower, upper = (
        float_below(exact * Fraction(1.0 - relative) - tiny),
        float_above(exact * Fraction(1.0 + relative) + tiny),
    )
    lower = max(lower, 0.0)
    return Ends(lower, min(upper, 1.0), 0.0, upper - lower)


def _positive_shares(totals: Digits, top: int) -> Array:
    """Return the positive parts of the sums, in units of the largest gain."""
    return np.array([max(total, 0) / top for total in totals], dtype=np.float64)


def _step_back(value: Array, next_of: Indices, chances: Sequence[Array]) -> Array:
    """Return the values one slot earlier: for each state the largest mean over the outputs on one reference."""
    first, best = 0, None
    for masses in chances:
        mean = value[next_of[:, first : first + masses.size]] @ masses
        best, first = mean if best is None else np.maximum(best, mean), first + masses.size
    assert best is not None
    return best


def _number(kinds: int, steps: int) -> int:
    """Return how many counts there are after so many slots."""
    return comb(steps + kinds - 1, steps)


@lru_cache(maxsize=8)
def _counts(kinds: int, steps: int) -> tuple[NDArray[np.object_], Indices]:
    """Return the counts of each kind after all slots, a row each, and for each row the rows with one more of a kind.

    The last count is what the others leave of the slots so far, and rows are in the order of the sum of the others.  So
    the counts after t slots are the first rows, with a smaller last count, and the rows with one more are the same for
    every t.
    """
    order = [one for total in range(steps + 1) for one in _parts(total, kinds - 1)]
    place = {one: k for k, one in enumerate(order)}
    following = np.zeros((len(order), kinds), dtype=np.intp)
    for k, one in enumerate(order):
        if sum(one) < steps:
            following[k] = [place[*one[:kind], one[kind] + 1, *one[kind + 1 :]] for kind in range(kinds - 1)] + [k]
    return np.array([(*one, steps - sum(one)) for one in order], dtype=object), following


def _parts(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to write a whole number as a sum of so many that are not negative."""
    if parts == 0:
        yield from [()] * (total == 0)
        return
    for bars in combinations(range(total + parts - 1), parts - 1):
        ends = (-1, *bars, total + parts - 1)
        yield tuple(after - before - 1 for before, after in pairwise(ends))
