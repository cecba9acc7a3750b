r"""Upper ends for slots whose own records are chosen one after the other: blocks of slots, each with its best choice.

With s = g - E g the gain of :mod:`pldcheck.hidden_slot.known.bounded_ratio_slot` about its mean, which is the same
for every record o that a slot may hold itself,

.. math:: V_0(u) = u_+, \quad V_t(u) = \max_o E V_{t-1}(u + s_o)

is the largest E(u + s_1 + ... + s_t)_+ of all choices that may depend on earlier outputs.  It is computed on a grid,
where a step disperses to the two nodes next to it: V is convex, so the values only rise.

V_b(-t) is at most E(B - t)_+ for the measure B of masses at the nodes whose stop-loss transform is the polygon through
a few of its values and two points outside, where V_b is exact: it is 0 at u <= -b max s, and u at u >= -b min s.  For
every rising convex function phi >= 0 that tends to 0, b slots have E phi(sum) at most that of B, as phi is a mixture of
(x - t)_+; so the sum of r independent copies of B dominates all slots where r b is at least their number, since more
steps of mean 0 only disperse.  Masses of B below 0, by round-off, are set to 0: that raises the transform everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, exp, fsum, inf, log, sqrt

import numpy as np

from ...core.directed import UNIT, Ends, enlarge, float_above, roundoff
from ...kernels.reference_recursion import potentials
from ...pld.gain_stoploss import excess
from ...pld.step_losses import Array
from .binary_digits import doubles
from .output_probabilities import Outputs, Question

# The grid step in standard deviations of one slot: dispersal adds at most a quarter of its square to the variance.
GRID = 0.07
# The reach of the window after t steps, in their standard deviations.
SPAN = 20.0
# The distance of the values that give the law of a block, in its standard deviations.
SPACING = 0.04
# The length of a block where there are more slots than twice that.
BLOCK = 256
# The most products of all steps, which take 1 to 2 ns each.
MOST_WORK = 4e9
# The most nodes that an output may move.
MOST_NODES = 5e5
# Products below this underflow.
TINY = 1e-290


def delta_upper(references: Sequence[Outputs], steps: int, question: Question, width: float) -> Ends:
    """Return an upper bound of delta of a record and its replacement, where slots may hold any of ``references``.

    The upper end is infinite where the recursion would take too much work; the lower end is 0.
    """
    values, masses, cost = _laws(references, question)
    high, low = float(values.max()), float(-values.min())
    largest = max(high, low, TINY)
    deviation = largest * float(np.sqrt((masses * (values / largest) ** 2).sum(axis=1).max()))
    block, power = _blocks(steps)
    # Nothing moves, or a rare output moves so far that no grid resolves the others.
    if not deviation > 0.0 or not largest < MOST_NODES * GRID * deviation:
        return Ends(0.0, inf, 0.0, 0.0)
    step = GRID * deviation
    times = np.arange(block + 1.0)
    extents = [np.minimum(times * far, SPAN * deviation * np.sqrt(times)) / step for far in (high, low)]
    lefts, rights = (np.ceil(extent).astype(np.int64) + 2 for extent in extents)
    if float((lefts + rights).sum()) * masses.size > MOST_WORK:
        return Ends(0.0, inf, 0.0, 0.0)
    table = _potential(*_moves(values, step), masses, lefts, rights)
    left = int(lefts[-1])
    unit = Fraction(step)
    start = -cost * steps
    if power == 1:
        upper = _at(table, left, start / unit) * unit
    else:
        every = max(int(SPACING * sqrt(block) / GRID), 1)
        places, weights = _law(table, left, every, Fraction(block) * Fraction(high) / unit, block * low / step)
        total = _sum(places, weights, power, start / unit, width)
        if total == inf:
            return Ends(0.0, inf, 0.0, 0.0)
        upper = Fraction(total) * unit
    bound = float_above(upper * Fraction(question.weight) / steps)
    return Ends(0.0, min(bound, 1.0), 0.0, bound * UNIT * block * 16.0)


def _blocks(steps: int) -> tuple[int, int]:
    """Return the length of a block and the number of blocks."""
    if steps <= 2 * BLOCK:
        return steps, 1
    power = ceil(steps / BLOCK)
    return ceil(steps / power), power


def _laws(references: Sequence[Outputs], question: Question) -> tuple[Array, Array, Fraction]:
    """Return values and masses [laws, outputs] of the gains plus a cost, rounded once, and that cost.

    It is the mean gain with its sign changed, the largest of all laws: their integers are rounded.
    """
    size, laws = max(one.own.size for one in references), [one.gains(question) for one in references]
    bits = references[0].bits
    cost = Fraction(max(-int(gains @ own) for gains, own in laws), 1 << 2 * bits)
    values, masses = np.zeros((len(laws), size)), np.zeros((len(laws), size))
    for row, (gains, own) in enumerate(laws):
        values[row, : own.size] = [float(Fraction(int(gain), 1 << bits) + cost) for gain in gains]
        masses[row, : own.size] = doubles(own, bits)
    return values, masses, cost


def _moves(values: Array, step: float) -> tuple[np.ndarray, Array]:
    """Return the moves of a node: whole nodes and a fraction, rounded up, as V rises."""
    distance = values / step
    shifts = np.floor(distance)
    fractions = distance - shifts + roundoff(16, np.abs(distance) + 1.0)
    carry = fractions >= 1.0
    return (shifts + carry).astype(np.int64), np.where(carry, np.maximum(fractions - 1.0, 0.0), fractions)


def _potential(shifts: np.ndarray, fractions: Array, masses: Array, lefts: np.ndarray, rights: np.ndarray) -> Array:
    """Return upper bounds of V_b at the nodes from -lefts[b] to rights[b], in units of the grid step."""
    edge, block = int(np.abs(shifts).max()) + 2, lefts.size - 1
    left, right = int(lefts[-1]), int(rights[-1])
    arrays = np.zeros((2, left + right + 1 + 2 * edge))
    arrays[0] = np.maximum(np.arange(-left - edge, right + edge + 1), 0)
    potentials(*arrays, left + edge, edge, lefts, rights, shifts, fractions, masses)
    values = arrays[block % 2][edge:-edge]
    # A step rounds its masses, two products and two sums for each output, and the sum of the outputs.
    return enlarge(values, block * (masses.shape[1] + 8.0)) + block * masses.size * TINY


def _at(table: Array, left: int, place: Fraction) -> Fraction:
    """Return the interpolation of the values at a place between nodes; left of all, the first value."""
    node = place.numerator // place.denominator
    if node < -left:
        return Fraction(table[0])
    share = place - node
    return (1 - share) * Fraction(table[node + left]) + share * Fraction(table[node + left + 1])


def _law(table: Array, left: int, every: int, farthest: Fraction, lowest: float) -> tuple[list[Fraction], Array]:
    """Return places and masses, in units of the grid step, whose stop-loss transform at -u is at least V_b(u).

    It is the polygon through every ``every``-th value, and the two exact ones far outside, at -``farthest`` and
    ``lowest``.
    """
    last = Fraction(enlarge(lowest, 8)) + 1
    points = [(Fraction(k - left), Fraction(table[k])) for k in range(0, table.size, every)]
    points = [(-farthest - 1, Fraction(0)), *(point for point in points if -farthest - 1 < point[0] < last)]
    # The means of the steps are 0 but for round-off of their integers, of hundreds of binary places.
    points.append((last, last * (1 + Fraction(1, 10**15))))
    slopes = [(there[1] - here[1]) / (there[0] - here[0]) for here, there in zip(points, points[1:], strict=False)]
    rises = [after - before for before, after in zip([Fraction(0), *slopes], [*slopes, Fraction(1)], strict=True)]
    kept = [(-place, float_above(mass)) for (place, _), mass in zip(points, rises, strict=True) if mass > 0]
    return [place for place, _ in kept], np.array([mass for _, mass in kept])


def _sum(places: list[Fraction], masses: Array, power: int, start: Fraction, width: float) -> float:
    """Return an upper bound of E(start + sum)_+ of ``power`` copies of a measure, in units of the grid step."""
    values, total = np.array([float(place + start / power) for place in places]), fsum(masses)
    ends = excess([(values, masses / total, power, 4.0 * UNIT * np.abs(values))], roundoff(16), min(width, 1e-4))
    # The masses are divided by their sum, which is 1 but for round-off.
    growth = power * max(log(total) + 8.0 * UNIT, 0.0) * (1.0 + 1e-9)
    return enlarge(ends.upper * exp(growth), 64) if growth < 1.0 else inf
