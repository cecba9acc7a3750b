r"""One step's transform :math:`C(y) = E(y + X')_+` on uneven nodes: see :mod:`.ball_stoploss` for X' and its arcs.

A configuration's X' is a mixture over cells of a normal variable, of lognormal options with closed forms
(:class:`.ball_lattice_laws.Triangle`): spread out it is above, drawn together it is below.

* Above, C is convex, so that it lies under the chords of its values.  Of a piece of an arc the pointwise largest C is
  that of its one end for y < 0 and of its other end for y > 0; the maximum of convex functions is convex as well.
* Below, the tangents at two neighbouring nodes bound C; :func:`pldcheck.kernels.convex_potentials.minorant` makes of
  them a function that is straight between the nodes.

Beyond the ends of the normal variable's cells, at e and e', the mass is put at the ends themselves.  The payoff V
increases with slope at most 1.  To the right S only grows, which lowers V where X' = fE - cS, while f grows to
:math:`E[f; z > e'] \le \Phi(sl/2 - e')`; where X' = S - cfE it is :math:`E[S; z > e'] \le \Phi(sl - e')`.  To the left
-cS and -cfE gain at most cS and cf at e: a step's V is larger by at most the sum of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, log, sqrt

import numpy as np
from scipy.special import ndtr

from ...core.arrays import Array
from ...core.directed import UNIT, enlarge
from ...core.interval import UNDERFLOW
from ...kernels.convex_potentials import minorant, mixture_transform
from ..known.slot_increments import TAIL
from .ball_lattice_laws import ENDS, WIDE_END, Triangle

# Largest growth of f over a cell of the normal variable, as a logarithm: the spread raises C by its square or so.  For
# large s, where logarithms of C are wide, more serves.
CELL_GROWTH, STEEP_GROWTH = 0.1, 0.5
# Sensitivity over deviation from which on s is large.
STEEP_S = 2.0
# Widest and narrowest cells of the normal variable, in deviations.
WIDEST_CELL, NARROWEST_CELL = 0.25, 0.1
# Share of the value that may lie beyond the ends of the cells, for all steps.
BEYOND_SHARE = 1e-6


@dataclass(frozen=True, eq=False)
class StepCurves:
    """Upper bounds of C on nodes, for the pieces of both arcs, and for groups of pieces that are above each of theirs.

    ``groups``: where each group's pieces begin, and the end.  ``lack`` is to be added for each step.
    """

    nodes: Array
    coarse: Array
    fine: Array
    groups: Array
    lack: float


@dataclass(frozen=True, eq=False)
class LowerCurve:
    r"""The function :math:`\sum w_j (y - y_j)_+`, with its values on the nodes and slopes right of them."""

    nodes: Array
    masses: Array
    values: Array
    slopes: Array

    @classmethod
    def of(cls, nodes: Array, masses: Array) -> LowerCurve:
        """Return the function of these masses; sums of positive terms are rounded down."""
        size = nodes.size
        slopes = np.cumsum(masses)
        values = np.append(0.0, np.cumsum(slopes[:-1] * np.diff(nodes))) * (1.0 - (2.0 * size + 8.0) * UNIT)
        return cls(nodes, masses, values, slopes * (1.0 - (size + 4.0) * UNIT))


def upper_curves(
    s: float,
    c: float,
    nodes: Array,
    pieces: tuple[Sequence[tuple[float, ...]], Sequence[tuple[float, ...]]],
    steps: int,
    value: float,
) -> StepCurves:
    """Return bounds for both arcs, each cut at groups of lengths; the last of a group is the first of the next.

    ``value``, about the sum's transform, decides how far the cells of the normal variable reach.
    """
    reach = _reach(c, steps, value)
    most = join_values(s, c, nodes)
    coarse, fine, groups, lack = [], [], [0], 0.0
    for far, lengths in zip((True, False), pieces, strict=True):
        curves: dict[float, Array] = {}
        for length in sorted({one for group in lengths for one in group}):
            triangle = _triangle(s, c, length, far, True, reach)
            curves[length], beyond = np.minimum(_upper_values(triangle, nodes), most), _beyond(triangle)
            lack = max(lack, beyond)
        for group in lengths:
            coarse.append(_glue(curves[group[0]], curves[group[-1]], nodes, far))
            pairs = zip(group[:-1], group[1:], strict=True)
            fine += [_glue(curves[one], curves[other], nodes, far) for one, other in pairs]
            groups.append(len(fine))
    return StepCurves(nodes, np.array(coarse), np.array(fine), np.array(groups), lack)


def arc_values(
    s: float, c: float, nodes: Array, lengths: Sequence[float], far: bool, steps: int, value: float
) -> tuple[list[Array], float]:
    """Return upper bounds of C at the nodes for lengths of one arc, and what is to be added for each step."""
    triangles = [_triangle(s, c, length, far, True, _reach(c, steps, value)) for length in lengths]
    most = join_values(s, c, nodes)
    return [np.minimum(_upper_values(one, nodes), most) for one in triangles], max(_beyond(one) for one in triangles)


def join_values(s: float, c: float, nodes: Array) -> Array:
    """Return upper bounds of C for all configurations: of the record removed for y < 0, of that added for y > 0.

    Both have closed forms, and are less than what the wide cells of a lognormal tail give for other configurations.
    """
    removed, added = (_upper_values(_triangle(s, c, 0.0, far, True, WIDE_END), nodes) for far in (True, False))
    return np.where(nodes < 0.0, removed, np.where(nodes > 0.0, added, np.maximum(removed, added)))


def lower_curve(s: float, c: float, nodes: Array, length: float, far: bool) -> LowerCurve:
    """Return a lower bound of C of one configuration."""
    triangle = _triangle(s, c, length, far, False, WIDE_END)
    values, doubts, slopes, slope_doubts = _transform(triangle, nodes)
    below = np.maximum(values - doubts, 0.0)
    right = np.maximum(slopes - slope_doubts, 0.0)
    left = np.minimum(slopes + slope_doubts, 1.0)
    return LowerCurve.of(nodes, minorant(nodes, below, right, left))


def _triangle(s: float, c: float, length: float, far: bool, spread: bool, reach: float) -> Triangle:
    rate = max(0.5 * s * length, 1e-9)
    growth = CELL_GROWTH if s < STEEP_S else STEEP_GROWTH
    width = min(max(growth / rate, NARROWEST_CELL), WIDEST_CELL)
    return Triangle(s, c, length, far, spread, width, reach)


def _reach(c: float, steps: int, value: float) -> float:
    """Return how far the cells reach, in deviations, so that little of the value is beyond them."""
    share = max(BEYOND_SHARE * value / (steps * c), 1e-290)
    return max(WIDE_END, ceil(sqrt(2.0 * log(1.0 / share))) if share < 1.0 else 0.0)


def _transform(triangle: Triangle, nodes: Array) -> tuple[Array, Array, Array, Array]:
    f, square, masses = triangle.arc
    up, down = (f, triangle.c * square) if triangle.far else (square, triangle.c * f)
    # Each of a mass and two values has the error of an arc, and values, products and tails theirs.
    error = ENDS + 3.0 * triangle.arc_error + 64.0 * UNIT
    return mixture_transform(triangle.far, up, down, masses, triangle.deviation, nodes, error)


def _upper_values(triangle: Triangle, nodes: Array) -> Array:
    values, doubts, _, _ = _transform(triangle, nodes)
    return np.maximum.accumulate(enlarge(values + doubts, 8.0 + triangle.arc[0].size) + UNDERFLOW)


def _glue(one: Array, other: Array, nodes: Array, far: bool) -> Array:
    """Return the larger of both ends of a piece of an arc, ``one`` of the shorter vector."""
    left, right = (one, other) if far else (other, one)
    return np.where(nodes < 0.0, left, np.where(nodes > 0.0, right, np.maximum(one, other)))


def _beyond(triangle: Triangle) -> float:
    """Return by how much a step's payoff may be larger than with the mass beyond the cells at their ends."""
    if triangle.length == 0.0:
        return 0.0
    first, last = float(triangle._edges[0]), float(triangle._edges[-1])
    shift = triangle.s * triangle.length
    least = exp(max(0.5 * shift * first - 0.125 * shift**2, -700.0))  # f at the left end, above S there
    tails = float(ndtr(shift - last)) + triangle.c * least * float(ndtr(first))
    return tails * (1.0 + 4.0 * TAIL)
