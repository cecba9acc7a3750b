r"""Upper ends for slots of Gaussian noise with own records in [0, 1]: two groups, for every number of either.

The slots' own records do not depend on outputs, so that only their numbers in both groups matter: pieces
of the families of :mod:`.line_step_curves` with parameters up to 1/2 are the first group, the others the second.

The slots are at most K units of equally many.  If f of them are of the first group, and f fills k units and a part of
another, at least k units are of the first group, K - k - 1 of the second, and the rest is at most one unit of either.
With :math:`U_1, U_2, U` upper bounds of a unit's V (:mod:`.ball_uneven_value`: each is the transform of a law that
dominates the unit, and laws may be composed in any order), the largest composition over k = 0, ..., K - 1 is a bound.
Slots that fill up the last unit have the mean 1 - c: the start is c - 1 farther for each, and they only disperse.
"""

from __future__ import annotations

from functools import partial
from math import exp

import numpy as np

from ...core.arrays import Array
from ...core.directed import enlarge, roundoff, shrink
from ...kernels.convex_potentials import compose_above, differences_above, largest_sums
from .ball_node_plan import NodePlan
from .ball_step_curves import StepCurves
from .ball_uneven_value import interpolated, masses_above
from .line_step_curves import upper_curves

# The largest distance over deviation that is served: what is beyond the range of outcomes is nothing up to there.
LARGEST_S = 8.0
# Units of slots.
UNITS = 16
# The longest recursion of single slots, before its laws are doubled.
LONGEST = 128
# The families, each of which is cut at these parameters, and where: the first half of each is the first group.
FAMILIES = "BNX"
# Where the first half is cut, in groups of neighbours.
FIRST_HALF = ((0.0, 0.01, 0.03, 0.06, 0.1), (0.1, 0.2, 0.35, 0.5))
# Where the second half is cut.
SECOND_HALF = ((0.5, 0.65, 0.8, 0.9), (0.9, 0.94, 0.97, 0.99, 1.0))


def delta_upper(s: float, steps: int, epsilon: float, estimate: float, fine: float = 1.0) -> float:
    """Return an upper bound of delta(epsilon) of a record that one of ``steps`` slots has in the place of its own.

    ``estimate`` is about the result; the other parameters are those of :func:`value_above`.  It is 1 beyond
    ``LARGEST_S``.
    """
    if s > LARGEST_S:
        return 1.0
    c = max(shrink(exp(epsilon), 4), 1.0)
    return min(enlarge(value_above(s, c, steps, estimate * steps, fine) / steps, 2), 1.0)


def value_above(s: float, c: float, steps: int, estimate: float, fine: float = 1.0) -> float:
    """Return an upper bound of the sum's transform at 0, whatever own records the slots hold.

    Parameters
    ----------
    s : float
        The distance of the records 0 and 1 over the deviation of the noise.
    c : float
        e^epsilon.
    steps : int
        The number of slots.
    estimate : float
        About the value, which decides where nodes are.
    fine : float
        Nodes are farther apart where this is larger; any are sound.

    """
    length, doublings = _unit(steps)
    units = -(-steps // (length << doublings))
    plan = NodePlan.of(s, c, steps, min(steps, LONGEST), estimate, fine)
    nodes, at = plan.nodes, plan.of_curve.nodes
    first, second = (upper_curves(s, c, at, half, FAMILIES) for half in (FIRST_HALF, SECOND_HALF))
    unit = partial(_unit_values, nodes, length, doublings)
    of_first, of_second, of_either = unit(first), unit(second), unit(_joined([first, second]))
    seconds = [np.maximum(nodes, 0.0)]
    for _ in range(units - 1):
        seconds.append(_composed(nodes, seconds[-1], of_second))
    extra = (units * (length << doublings) - steps) * (c - 1.0)
    start, values, worst = extra + roundoff(8, extra), of_either, 0.0
    for k in range(units):
        if k:
            values = _composed(nodes, values, of_first)
        masses = masses_above(nodes, seconds[units - 1 - k])
        shifted = [interpolated(nodes, values, start - place) for place in nodes[masses > 0.0]]
        total = seconds[units - 1 - k][0] + float(masses[masses > 0.0] @ np.array(shifted))
        worst = max(worst, enlarge(total, 2.0 * nodes.size + 64.0))
    return worst


def _unit(steps: int) -> tuple[int, int]:
    """Return the slots of a recursion and how often its law is doubled, so that about UNITS units are all slots."""
    doublings = 0
    while steps > UNITS * (LONGEST << doublings):
        doublings += 1
    return -(-steps // (UNITS << doublings)), doublings


def _joined(curves: list[StepCurves]) -> StepCurves:
    """Return the curves of all, in their order."""
    groups, offset = [0], 0
    for one in curves:
        groups += [offset + int(place) for place in one.groups[1:]]
        offset = groups[-1]
    coarse, fine = (np.concatenate(rows) for rows in ([one.coarse for one in curves], [one.fine for one in curves]))
    return StepCurves(curves[0].nodes, coarse, fine, np.array(groups), 0.0)


def _unit_values(nodes: Array, length: int, doublings: int, curves: StepCurves) -> Array:
    """Return an upper bound of V of a unit at the nodes."""
    coarse, fine = (differences_above(nodes, nodes, curves.nodes, one) for one in (curves.coarse, curves.fine))
    best, values = np.zeros(nodes.size, dtype=np.int64), np.maximum(nodes, 0.0)
    for _ in range(length):
        sums = largest_sums(coarse, fine, curves.groups, masses_above(nodes, values), best)
        values = np.maximum.accumulate(enlarge(values[0] + sums, 2.0 * nodes.size + 64.0))
    for _ in range(doublings):
        values = _composed(nodes, values, values)
    return values


def _composed(nodes: Array, values: Array, others: Array) -> Array:
    """Return an upper bound of the transform of two independent sums."""
    sums = compose_above(nodes, nodes, masses_above(nodes, values), nodes, others)
    return np.maximum.accumulate(enlarge(values[0] + sums, 2.0 * nodes.size + 64.0))
