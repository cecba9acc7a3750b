r"""Both ends of V_m, the value of m steps in a ball, on uneven nodes: see :mod:`.ball_stoploss` for V and the steps.

With a convex function :math:`V(y) = v_0 + \sum_j w_j (y - y_j)_+` that increases with slope at most 1, and the
transform :math:`C(y) = E(y + X')_+` of a step, :math:`E V(y + X') = v_0 + \sum_j w_j C(y - y_j)`: sums of positive
terms, so that the smallest values keep their relative precision, and any nodes will do.

**From above.**  The recursion takes the largest such sum over all pieces of both arcs at each node, and straight lines
between; slopes that decrease by rounding are raised.  V so bounded is the transform of a law, plus v_0, that dominates
all b steps, so that :math:`V_{2b}(y) \le v_0 + \sum_j w_j V_b(y - y_j)`, and so on by the binary digits of m; a digit 1
takes a step of the recursion.

**From below.**  One configuration for :math:`2^j` steps has the curve C composed with itself j times.  The recursion
over such blocks, of the best configuration at each node, is the value of a policy.  After each step the value is
lowered to a function that is straight between nodes (:func:`pldcheck.kernels.convex_potentials.minorant`).  Left out
are fewer than :math:`2^j` steps: with the constant c - 1 of each, the start is lower by as many, which only lowers V.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, inf

import numpy as np

from ...core.arrays import Array
from ...core.directed import UNIT, enlarge, roundoff
from ...kernels.convex_potentials import (
    compose_above,
    compose_below,
    differences_above,
    differences_below,
    hull_corners,
    largest_sums,
    minorant,
)
from .ball_node_plan import NodePlan
from .ball_step_curves import STEEP_S, LowerCurve, StepCurves, lower_curve, upper_curves

# Longest recursion from above, before laws of blocks are doubled.
LONGEST_RECURSION = 64
# Most blocks of the recursion from below.
MOST_BLOCKS = 64
# Lengths at which an arc is cut, in groups, so that little is lost.
PIECES = ((0.0, 0.15, 0.3, 0.45), (0.45, 0.6, 0.7, 0.8), (0.8, 0.85, 0.9, 0.95, 1.0))
# The same for so few steps that each loss counts.
FEW_STEPS = 20
FEW_PIECES = (
    (0.0, 0.098, 0.195, 0.29, 0.383),
    (0.383, 0.471, 0.556, 0.634, 0.707),
    (0.707, 0.773, 0.831, 0.882, 0.924),
    (0.924, 0.957, 0.981, 0.995, 1.0),
)
# The same for large s: the arc where d is at distance 1, and the other one, which matters at its ends.
STEEP_PIECES = tuple(tuple((4 * i + j) / 24.0 for j in range(5)) for i in range(6))
END_PIECES = ((0.0, 0.1, 0.3, 0.6), (0.6, 0.8, 0.9, 1.0))
# The configurations of policies: whether d is the one at distance 1, and the length of the other; more for large s.
CONFIGURATIONS = ((True, 0.0), (False, 0.0), (True, 0.5), (True, 1.0))
STEEP_CONFIGURATIONS = (*CONFIGURATIONS, (True, 0.2), (True, 0.35), (True, 0.65), (True, 0.8))


def value_above(
    s: float,
    c: float,
    steps: int,
    start: float,
    estimate: float,
    fine: float = 1.0,
    pieces: tuple[Sequence[tuple[float, ...]], Sequence[tuple[float, ...]]] | None = None,
    longest: int = LONGEST_RECURSION,
    curves_on: Callable[[Array], StepCurves] | None = None,
) -> float:
    """Return an upper bound of V_steps(start); ``estimate`` is about that.

    ``curves_on``: takes nodes and returns the curves of one step, if they are not those of a ball.
    """
    count, digits = _digits(steps, longest)
    plan = NodePlan.of(s, c, steps, count, estimate, fine)
    nodes = plan.nodes
    if pieces is None:
        common = FEW_PIECES if steps <= FEW_STEPS else PIECES
        pieces = (common, common) if s < STEEP_S else (STEEP_PIECES, END_PIECES)
    of_curve = plan.of_curve.nodes
    curves = curves_on(of_curve) if curves_on else upper_curves(s, c, of_curve, pieces, steps, estimate)
    coarse, fine_curves = (differences_above(nodes, nodes, curves.nodes, one) for one in (curves.coarse, curves.fine))
    best = np.zeros(nodes.size, dtype=np.int64)
    units, growth = 2.0 * nodes.size + 64.0, 1.0

    def masses_of(values: Array) -> Array:
        nonlocal growth
        masses = masses_above(nodes, values)
        growth = max(growth, growth_by_steps(masses, steps))
        return masses

    def step(values: Array) -> Array:
        masses = masses_of(values)
        sums = largest_sums(coarse, fine_curves, curves.groups, masses, best)
        return np.maximum.accumulate(enlarge(values[0] + sums, units))

    values = np.maximum(nodes, 0.0)
    for _ in range(count):
        values = step(values)
    for digit in digits:
        masses = masses_of(values)
        sums = compose_above(nodes, nodes, masses, nodes, values)
        values = np.maximum.accumulate(enlarge(values[0] + sums, units))
        if digit:
            values = step(values)
    return enlarge(float(interpolated(nodes, values, start)) + growth * steps * curves.lack, 16)


def value_below(
    s: float,
    c: float,
    steps: int,
    start: float,
    estimate: float,
    fine: float = 1.0,
    configurations: Sequence[tuple[bool, float]] | None = None,
    blocks: int = MOST_BLOCKS,
) -> float:
    """Return a lower bound of V_steps(start), the value of a policy."""
    doublings = max(steps // blocks, 1).bit_length() - 1
    count = steps >> doublings
    plan = NodePlan.of(s, c, steps, count, estimate, fine)
    nodes, curve_nodes = plan.nodes, plan.of_curve.nodes
    if configurations is None:
        configurations = CONFIGURATIONS if s < STEEP_S else STEEP_CONFIGURATIONS
    curves = [lower_curve(s, c, curve_nodes, length, far) for far, length in configurations]
    if doublings:
        first = LowerCurve.of(nodes, hinge(nodes))
        curves = [composed(curve, first, nodes) for curve in curves]
        for _ in range(doublings):
            curves = [composed(curve, curve, nodes) for curve in curves]
    tables = [differences_below(nodes, nodes, one.nodes, one.values, one.slopes) for one in curves]
    sums, right, left = (np.array(part) for part in zip(*tables, strict=True))
    masses, every, size = hinge(nodes), np.arange(nodes.size), nodes.size
    low, high = 1.0 - (2.0 * size + 64.0) * UNIT, 1.0 + (2.0 * size + 64.0) * UNIT
    for _ in range(count):
        values = sums.reshape(-1, size) @ masses
        best = values.reshape(-1, size).argmax(axis=0)
        values = values.reshape(-1, size)[best, every]
        rights = np.einsum("ij,j->i", right[best, every], masses)
        lefts = np.einsum("ij,j->i", left[best, every], masses)
        masses = minorant(nodes, values * low, rights * low, lefts * high)
    missing = steps - (count << doublings)
    point = start - missing * (c - 1.0)
    point -= roundoff(8, abs(start) + missing * c)
    terms = masses * np.maximum(point - nodes, 0.0)
    return float(np.sum(terms)) * low


def _digits(steps: int, longest: int) -> tuple[int, list[bool]]:
    """Return at most ``longest`` steps, and the binary digits by which they become all: each doubles, and adds it."""
    doublings = 0
    while steps >> doublings > longest:
        doublings += 1
    return steps >> doublings, [bool(steps >> (doublings - 1 - i) & 1) for i in range(doublings)]


def masses_above(nodes: Array, values: Array) -> Array:
    """Return masses w with v_0 + sum w (y - node)_+ at least any convex function that the values bound at the nodes.

    Such a function lies under its chords, so that any of the nodes serve, and the corners of the values' convex hull
    serve best.  Beyond the last node the slope is 1.
    """
    corners = hull_corners(nodes, values)
    steps = np.diff(values[corners]) / np.diff(nodes[corners])
    slopes = np.maximum.accumulate(np.append(enlarge(steps, 8), 1.0))
    masses = np.zeros(nodes.size)
    masses[corners] = enlarge(np.diff(slopes, prepend=0.0), 8.0 + 2.0 * nodes.size)
    return masses


def growth_by_steps(masses: Array, steps: int) -> float:
    """Return an upper bound of the power of the masses' sum, by which later steps multiply what one step adds."""
    exponent = steps * max(enlarge(float(np.sum(masses)), 2.0 * masses.size) - 1.0, 0.0)
    return enlarge(exp(exponent), 16.0 + 2.0 * exponent) if exponent < 700.0 else inf


def interpolated(nodes: Array, values: Array, point: float) -> float:
    """Return the value at a point on straight lines between nodes, with slope 1 beyond the last one."""
    if point > nodes[-1]:
        return float(values[-1] + (point - nodes[-1]))
    return float(np.interp(point, nodes, values))


def hinge(nodes: Array) -> Array:
    """Return the masses of the function y_+."""
    return np.asarray(np.where(nodes == 0.0, 1.0, 0.0), dtype=np.float64)


def composed(curve: LowerCurve, other: LowerCurve, nodes: Array) -> LowerCurve:
    """Return a lower bound of the transform of two independent sums."""
    values, right, left = compose_below(nodes, other.nodes, other.masses, curve.nodes, curve.values, curve.slopes)
    low, high = 1.0 - (2.0 * nodes.size + 64.0) * UNIT, 1.0 + (2.0 * nodes.size + 64.0) * UNIT
    return LowerCurve.of(nodes, minorant(nodes, values * low, right * low, left * high))
