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
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, floor, fsum, inf, log, sqrt

import numpy as np

from ...core.directed import UNIT, Ends, enlarge, float_above, roundoff
from ...kernels.reference_recursion import MARGIN, potentials
from ...pld.gain_stoploss import excess
from ...pld.step_losses import Array
from .binary_digits import doubles
from .law_groups import LawGroups, Moves
from .output_probabilities import Gains

# The largest reach of the window after t steps, in their standard deviations.
SPAN = 20.0
# The reach of the window beyond the distance of what is asked, in deviations of all slots.
BEYOND = 9.0
# How many of the farthest moves are within a window besides.
JUMPS = 2.0
# The distance of the values that give the law of a block, in its standard deviations.
SPACING = 0.04
# The grid step of a law of a block that is asked for alone, in standard deviations of one slot.
GRID = 0.07
# The longest block for which that step is taken.
LONG_BLOCK = 256
# The grid step of longer ones: what it adds is less than what the longer block saves.
LONG_GRID = 0.14
Shapes = Sequence[tuple[int, float]]
# Lengths of blocks, where there are more slots than twice that, with grid steps in standard deviations of one slot:
# dispersal to the grid adds at most a quarter of its square to the variance, which costs less than shorter blocks.  A
# sum of blocks costs as much as many steps.
SHAPES: Shapes = (
    (2048, 0.02),
    (2048, 0.03),
    (2048, 0.05),
    (2048, 0.07),
    (2048, 0.1),
    (2048, 0.14),
    (2048, 0.2),
    (1024, 0.2),
    (512, 0.2),
    (256, 0.2),
    (128, 0.2),
    (64, 0.2),
    (32, 0.2),
    (16, 0.2),
)
# The most products of all steps, eight of which take 1 ns; the first shape with no more is taken.
MOST_WORK = 6e9
# The same for one point of a curve, of which there are some hundred.
WORK_OF_POINT = 1e9
# The slots of a curve's point that are one block.
WHOLE = 1250
# The least number of blocks otherwise: the characteristic function of a sum of fewer falls so slowly that it costs more
# than the recursion.
FEWEST_BLOCKS = 8
# The number of values that are computed together.
TOGETHER = 1024
# The most products of a sum of blocks on the lattice of their places, ten million of which take 10 ms; a characteristic
# function costs as much as thousands of millions where blocks are few.
MOST_CONVOLVED = 1e8
# The most that a product of masses may lose where it is subnormal.
SUBNORMAL = 2.0**-1073
# The most nodes that an output may move.
MOST_NODES = 5e5
# Products below this underflow.
TINY = 1e-290


def shapes_of_curves(steps: int) -> Shapes:
    """Return lengths of blocks and grid steps with which one point of a curve takes some hundredths of a second."""
    longest = steps if steps <= WHOLE else min(ceil(steps / FEWEST_BLOCKS), WHOLE)
    return (longest, GRID), *((length, grid) for length, grid in SHAPES if length < longest)


def delta_upper(
    laws: Sequence[Gains],
    bits: int,
    steps: int,
    weight: float,
    width: float,
    shapes: Shapes = SHAPES,
    most_work: float = MOST_WORK,
) -> Ends:
    """Return an upper bound of delta of a record and its replacement, where each slot may have any of these laws.

    Gains and masses of ``laws`` are in units of 2^-bits.  The upper end is infinite where the recursion would take more
    products than ``most_work`` for each of the ``shapes``; the lower end is 0.
    """
    moments = _Moments.of(laws, bits)
    for length, grid in shapes:
        block, power = _blocks(steps, length)
        recursion = moments.recursion(steps, block, grid, most_work)
        if recursion is not None:
            break
    else:
        return Ends(0.0, inf, 0.0, 0.0)
    unit, start = Fraction(recursion.step), -moments.cost * steps
    if power == 1:
        upper = _at(recursion.table, recursion.left, start / unit) * unit
    else:
        total = recursion.sum_on_lattice(power, start)
        total = sum_upper([(recursion.law(), power)], start, width) if total == inf else total
        if total == inf:
            return Ends(0.0, inf, 0.0, 0.0)
        upper = Fraction(total)
    bound = float_above(upper * Fraction(weight) / steps)
    return Ends(0.0, min(bound, 1.0), 0.0, bound * UNIT * block * 16.0)


@dataclass(frozen=True, eq=False)
class BlockLaw:
    """The measure B of a block: places about the mean of 0, masses, and the cost, minus the mean gain of one slot."""

    places: Array
    masses: Array
    cost: Fraction


def block_law(laws: Sequence[Gains], bits: int, steps: int, block: int) -> BlockLaw | None:
    """Return the measure of a block of slots, of ``steps`` in all; None where it would take too much work."""
    recursion = _Moments.of(laws, bits).recursion(steps, block, GRID if block <= LONG_BLOCK else LONG_GRID)
    return None if recursion is None else recursion.law()


def sum_upper(parts: Sequence[tuple[BlockLaw, int]], start: Fraction, width: float) -> float:
    """Return an upper bound of E(start + sum)_+ of independent copies of measures; infinite where there is none."""
    used = [(law, copies) for law, copies in parts if copies]
    unit = max(float(np.abs(law.places).max()) for law, _ in used)
    most = max(copies for _, copies in used)
    # The start is spread over the copies of one part.
    main = next(k for k, (_, copies) in enumerate(used) if copies == most)
    terms, growth = [], 0.0
    for k, (law, copies) in enumerate(used):
        shift = float(start / copies) if k == main else 0.0
        values, total = (law.places + shift) / unit, fsum(law.masses)
        # A place and the shift are rounded, their sum and the quotient.
        doubt = 4.0 * UNIT * (np.abs(law.places) + abs(shift)) / unit
        terms.append((values, law.masses / total, copies, doubt))
        # The masses are divided by their sum, which is 1 but for round-off.
        growth += copies * max(log(total) + 8.0 * UNIT, 0.0) * (1.0 + 1e-9)
    if not growth < 1.0:
        return inf
    ends = excess(terms, roundoff(16), min(width, 1e-4))
    return ends.times(exp(growth) * unit, 64).upper


@dataclass(frozen=True, eq=False)
class _Moments:
    """Values and masses [laws, outputs] of gains plus a cost, rounded once, and what a grid is chosen by.

    The cost is the mean gain with its sign changed, the largest of all laws: their integers are rounded.
    """

    values: Array
    masses: Array
    cost: Fraction
    deviation: float

    @classmethod
    def of(cls, laws: Sequence[Gains], bits: int) -> _Moments:
        """Return those of laws in units of 2^-bits."""
        size = max(own.size for _, own in laws)
        cost, unit = max(-int(gains @ own) for gains, own in laws), 1 << 2 * bits
        values, masses = np.zeros((len(laws), size)), np.zeros((len(laws), size))
        for row, (gains, own) in enumerate(laws):
            # A quotient of whole numbers is rounded once, however large they are.
            values[row, : own.size] = [((int(gain) << bits) + cost) / unit for gain in gains]
            masses[row, : own.size] = doubles(own, bits)
        largest = max(float(np.abs(values).max()), TINY)
        deviation = largest * float(np.sqrt((masses * (values / largest) ** 2).sum(axis=1).max()))
        return cls(values, masses, Fraction(cost, unit), deviation)

    def recursion(self, steps: int, block: int, grid: float, most_work: float = MOST_WORK) -> _Recursion | None:
        """Return V_b of a block of ``steps`` slots, with nodes ``grid`` deviations apart.

        It is None where nothing moves, where no grid resolves all outputs, or where it would take too much work.
        """
        deviation, high, low = self.deviation, float(self.values.max()), float(-self.values.min())
        if not deviation > 0.0 or not max(high, low) < MOST_NODES * grid * deviation:
            return None
        step = grid * deviation
        groups = LawGroups.of(_moves(self.values, self.masses, step))
        nodes = groups.laws.nodes
        times = np.arange(block + 1.0)
        # Where the window holds all moves, V is exact at its edges.
        farthest = float(max(nodes.max(), 1)), float(max(-nodes.min(), 1))
        # The question is so many deviations of the sum away.
        distance = float(self.cost) * sqrt(steps) / deviation
        span = min(abs(distance) + BEYOND, SPAN)
        # Few steps may move farther than that by one rare output.
        extents = [np.minimum(times * far, span / grid * np.sqrt(times) + JUMPS * far) for far in farthest]
        lefts, rights = (np.ceil(extent).astype(np.int64) + 2 for extent in extents)
        if float((lefts + rights).sum()) * groups.work > most_work:
            return None
        table = _potential(groups, lefts, rights)
        return _Recursion(table, int(lefts[-1]), step, grid, block, high, low, self.cost)


@dataclass(frozen=True, eq=False)
class _Recursion:
    """The table of V_b, in units of the grid step, from ``left`` nodes left of 0, and what it was computed from."""

    table: Array
    left: int
    step: float
    grid: float
    block: int
    high: float
    low: float
    cost: Fraction

    @property
    def every(self) -> int:
        """The distance of the nodes whose values give the law of the block."""
        return max(int(SPACING * sqrt(self.block) / self.grid), 1)

    def law(self) -> BlockLaw:
        """Return the measure of the block."""
        unit, (places, masses) = Fraction(self.step), self._places_and_masses()
        return BlockLaw(np.array([float(place * unit) for place in places]), masses, self.cost)

    def _places_and_masses(self) -> tuple[list[Fraction], Array]:
        farthest = Fraction(self.block) * Fraction(self.high) / Fraction(self.step)
        return _law(self.table, self.left, self.every, farthest, self.block * self.low / self.step)

    def sum_on_lattice(self, power: int, start: Fraction) -> float:
        """Return an upper bound of E(start + sum)_+ of ``power`` copies of the measure of the block.

        All places but the two outside are on one lattice; a mass between two of its nodes is split among them, which
        keeps the mean.  The bound is infinite where the products would be too many.
        """
        places, masses = self._places_and_masses()
        numbers = [(self.left - place) / self.every for place in places]
        first, last = floor(min(numbers)), ceil(max(numbers)) + 1
        size = last - first + 1
        if 0.5 * (power * float(size)) ** 2 > MOST_CONVOLVED:
            return inf
        law = np.zeros(size)
        for number, mass in zip(numbers, masses, strict=True):
            node = floor(number)
            law[node - first] += mass * float_above(node + 1 - number)
            law[node - first + 1] += mass * float_above(number - node)
        law = enlarge(law, 8)
        total = law
        for _ in range(power - 1):
            after = np.zeros(total.size + size - 1)
            for node, mass in enumerate(law):
                after[node : node + total.size] += mass * total
            total = enlarge(after, size + 2) + size * SUBNORMAL
        # The places of the sum in steps of the grid, with the start, from the highest one down.
        highest = start / Fraction(self.step) + power * (self.left - self.every * first)
        count = min(max(ceil(highest / self.every), 0), total.size)
        payoffs = float_above(highest) - float(self.every) * np.arange(count)
        return enlarge(float(total[:count] @ payoffs) * self.step, count + 8)


def _blocks(steps: int, length: int) -> tuple[int, int]:
    """Return the length of a block and the number of blocks."""
    if steps <= 2 * length:
        return steps, 1
    power = ceil(steps / length)
    return ceil(steps / power), power


def _moves(values: Array, masses: Array, step: float) -> Moves:
    """Return the moves of each law on a grid.

    A move between two nodes is split among them, rounded up, as V rises.
    """
    distance = values / step
    shifts = np.floor(distance)
    fractions = distance - shifts + roundoff(16, np.abs(distance) + 1.0)
    carry = fractions >= 1.0
    shifts, fractions = (shifts + carry).astype(np.int64), np.where(carry, np.maximum(fractions - 1.0, 0.0), fractions)
    nodes, weights = np.zeros((2, len(values), 2 * values.shape[1]))
    counts = np.zeros(len(values), dtype=np.int64)
    for law, (shift, fraction, mass) in enumerate(zip(shifts, fractions, masses, strict=True)):
        both = np.concatenate([shift, shift + 1])
        distinct, place = np.unique(both, return_inverse=True)
        counts[law] = distinct.size
        nodes[law, : distinct.size] = distinct
        shares = np.concatenate([mass * (1.0 - fraction), mass * fraction])
        weights[law, : distinct.size] = np.bincount(place, shares, distinct.size)
    return Moves(nodes.astype(np.int64), weights, counts)


def _potential(groups: LawGroups, lefts: np.ndarray, rights: np.ndarray) -> Array:
    """Return upper bounds of V_b at the nodes from -lefts[b] to rights[b], in units of the grid step."""
    laws, covers = groups.laws, groups.covers
    edge, block = int(np.abs(laws.nodes).max()) + 1, lefts.size - 1
    left, right = int(lefts[-1]), int(rights[-1])
    arrays = np.zeros((2, left + right + 1 + 2 * edge))
    arrays[0] = np.maximum(np.arange(-left - edge, right + edge + 1), 0)
    potentials(
        *arrays, np.zeros(TOGETHER), left + edge, edge, lefts, rights,
        (laws.nodes, laws.weights, laws.counts), (covers.nodes, covers.weights, covers.counts), groups.firsts,
    )  # fmt: skip
    values = arrays[block % 2][edge:-edge]
    # A step rounds its probabilities, which are products and sums of all that lead to a node, and the sum over nodes;
    # there are half as many outputs as nodes, at least.  A group that is left out is above by the margin at most.
    units = 2 * max(laws.nodes.shape[1], covers.nodes.shape[1]) + 8.0 + (MARGIN / UNIT if covers.counts.size else 0.0)
    return enlarge(values, block * units) + block * (laws.nodes.size + covers.nodes.size) * TINY


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
