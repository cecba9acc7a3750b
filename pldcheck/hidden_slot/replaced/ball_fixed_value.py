r"""A lower end of V_m for many steps: equilateral triangles at every step, on an even lattice whose far nodes are few.

The lower curve of the step (:func:`.ball_step_curves.lower_curve`) is the transform of a law on its nodes, which the
step dominates in the order of increasing convex functions that are not negative.  All its nodes are taken from a
lattice, so that independent sums of that law are inverted as in :mod:`pldcheck.hidden_slot.known.increment_stoploss`.
Atoms outside the lattice's range are left out, which only lowers the sum's transform.
"""

from __future__ import annotations

from math import ceil, log, log1p

import numpy as np

from ...core.arrays import Array
from ...core.directed import Side
from ...pld.lattice_fourier import contour
from ...pld.lattice_law import LatticeLaw
from ..known import increment_stoploss
from ..known.increment_lattice import PlacedLaw
from ..known.slot_increments import FiniteIncrement
from ..known.sum_plan import Rough, plan
from .ball_node_plan import NodePlan
from .ball_step_curves import lower_curve

# Relative width of the sum that the lattice is for.
WIDTH = 2e-3
# Growth of the distances between nodes beyond the dense ones.
GROWTH = 0.02
# Fineness of the law that the lattice is planned with.
ROUGH_FINE = 1.0


def value_below(s: float, c: float, steps: int, start: float, estimate: float) -> float:
    """Return a lower bound of V_steps(start); ``estimate`` is about that."""
    rough_nodes = NodePlan.of(s, c, steps, 1, estimate, ROUGH_FINE).of_curve.nodes
    rough = lower_curve(s, c, rough_nodes, 1.0, True)
    law = FiniteIncrement.of(c - 1.0 - rough_nodes[::-1], rough.masses[::-1])
    threshold = steps * (c - 1.0) - start
    scheme = plan(Rough.of(law, steps), threshold, estimate)
    step = increment_stoploss.clamp(increment_stoploss.first_step(steps, scheme, WIDTH), scheme)
    places = _places(ceil((c - 1.0 - scheme.low) / step), ceil((scheme.cap - c + 1.0) / step))
    curve = lower_curve(s, c, -step * places[::-1].astype(np.float64), 1.0, True)
    masses = np.zeros(int(places[-1] - places[0]) + 1)
    masses[places - places[0]] = curve.masses[::-1]
    lattice_law = LatticeLaw(step, int(places[0]), masses, np.zeros(masses.size))
    total = contour([(lattice_law, steps)], scheme.theta, scheme.steeper, scheme.period)
    placed_law = PlacedLaw(lattice_law, 0.0, step * float(places[-1]))
    one_sided = increment_stoploss.OneSidedSum(Side.LOWER, steps, placed_law, total, 0.0, lambda threshold: 0.0)
    return max(float(one_sided.value(-start)), 0.0)


def _places(left: int, right: int) -> Array:
    """Return whole numbers from -left to right, next to each other near 0 and at growing distances farther out."""
    sides = []
    for end in (left, right):
        dense = min(int(2.0 / GROWTH), end)
        count = ceil(log(max(end / dense, 1.0)) / log1p(GROWTH))
        grown = np.round(dense * np.exp(log1p(GROWTH) * np.arange(1.0, count + 1.0)))
        sides.append(np.concatenate([np.arange(1.0, dense + 1.0), grown]).astype(np.int64))
    return np.unique(np.concatenate([-sides[0], [0], sides[1]]))
