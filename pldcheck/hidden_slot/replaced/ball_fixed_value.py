r"""A lower end of V_m for many steps: equilateral triangles at every step, on an even lattice whose far nodes are few.

The lower curve of the step (:func:`.ball_step_curves.lower_curve`) is the transform of a law on its nodes, which the
step dominates in the order of increasing convex functions that are not negative.  All its nodes are taken from a
lattice, so that independent sums of that law are inverted as in :mod:`pldcheck.hidden_slot.known.increment_stoploss`.
Atoms outside the lattice's range are left out, which only lowers the sum's transform.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isfinite, log, log1p

import numpy as np

from ...core.arrays import Array
from ...core.directed import Side
from ...kernels.tilt_planning import Plan
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
# Largest number of points of a lattice.
MOST_POINTS = 2.0**22
# Growth of the distances between nodes beyond the dense ones.
GROWTH = 0.02
# Fineness of the law that the lattice is planned with.
ROUGH_FINE = 1.0


@dataclass(frozen=True)
class LatticePlan:
    """A plan by which sums of equilateral triangles are inverted, and nodes y of a step's curve on a lattice."""

    scheme: Plan
    step: float
    places: Array

    @classmethod
    def of(
        cls, s: float, c: float, steps: int, start: float, estimate: float, reach: float = 0.0
    ) -> LatticePlan | None:
        """Return a plan for V_steps(start), about ``estimate``; any plan is sound.  None where it is too large.

        The lattice reaches as far as the plan needs, and as ``reach``.
        """
        nodes = NodePlan.of(s, c, steps, 1, estimate, ROUGH_FINE).of_curve.nodes
        rough = lower_curve(s, c, nodes, 1.0, True)
        law = FiniteIncrement.of(c - 1.0 - nodes[::-1], rough.masses[::-1])
        scheme = plan(Rough.of(law, steps), steps * (c - 1.0) - start, estimate)
        step = increment_stoploss.clamp(increment_stoploss.first_step(steps, scheme, WIDTH), scheme)
        if not (isfinite(scheme.period) and scheme.cap - scheme.low + 2.0 * reach < MOST_POINTS * step):
            return None
        left, right = max(c - 1.0 - scheme.low, reach), max(scheme.cap - c + 1.0, reach)
        return cls(scheme, step, _places(max(ceil(left / step), 1), max(ceil(right / step), 1)))

    @property
    def nodes(self) -> Array:
        """The nodes y = -x for x on the lattice, increasing."""
        return -self.step * self.places[::-1].astype(np.float64)

    def sum_of(self, masses: Array, steps: int, side: Side, excess: float) -> increment_stoploss.OneSidedSum:
        """Return one end of the transform of a sum of steps with these masses at the nodes."""
        first, last = int(self.places[0]), int(self.places[-1])
        dense = np.zeros(last - first + 1)
        dense[self.places - first] = masses[::-1]
        law = LatticeLaw(self.step, first, dense, np.zeros(dense.size))
        total = contour([(law, steps)], self.scheme.theta, self.scheme.steeper, self.scheme.period)
        placed_law = PlacedLaw(law, 0.0, self.step * float(last))
        return increment_stoploss.OneSidedSum(side, steps, placed_law, total, excess, lambda threshold: 0.0)


def value_below(s: float, c: float, steps: int, start: float, estimate: float) -> float:
    """Return a lower bound of V_steps(start); ``estimate`` is about that."""
    lattice = LatticePlan.of(s, c, steps, start, estimate)
    if lattice is None:
        return 0.0
    curve = lower_curve(s, c, lattice.nodes, 1.0, True)
    return max(float(lattice.sum_of(curve.masses, steps, Side.LOWER, 0.0).value(-start)), 0.0)


def _places(left: int, right: int) -> Array:
    """Return whole numbers from -left to right, next to each other near 0 and at growing distances farther out."""
    sides = []
    for end in (left, right):
        dense = min(int(2.0 / GROWTH), end)
        count = ceil(log(max(end / dense, 1.0)) / log1p(GROWTH))
        grown = np.round(dense * np.exp(log1p(GROWTH) * np.arange(1.0, count + 1.0)))
        sides.append(np.concatenate([np.arange(1.0, dense + 1.0), grown]).astype(np.int64))
    return np.unique(np.concatenate([-sides[0], [0], sides[1]]))
