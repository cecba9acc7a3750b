r"""E(sum - K)_+ of steps whose values span many orders of magnitude, by doubling their number on uneven grids.

The binary digits of m determine the order: n steps become 2n or n + 1.  Each sum is dispersed (from above) or drawn
together (from below) in convex order before it is used, and the last one is not formed: its payoff is summed over
pairs.  With cap the value at a high point z, :math:`E(\sum X_i - K)_+ \le E(\sum \min(X_i, cap) - K)_+ + m E(X -
cap)_+`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, inf, isfinite, log
from typing import TypeGuard

import numpy as np
from scipy.special import ndtr

from ...core.arrays import Array
from ...core.directed import UNIT, Ends, Side
from ...core.interval import UNDERFLOW
from .slot_increments import TAIL, GaussianIncrement, Increment
from .uneven_grids import Grids, moves, plan_grids, reach
from .uneven_sums import ZERO, Uneven, add, extend_edges, one_step, stop_loss

# Sensitivity over deviation from which on doubling is used.
LEAST_S = 1.4
# Steps from which on doubling is used.
FEWEST_STEPS = 3
# Share of the value that the largest steps have.
LARGEST_STEP_SHARE = 1e-10
# Number of cells in one standard deviation of a step.
CELLS_PER_DEVIATION = 256
# Fineness below which there are more cells.
FINENESS = 0.5
# Number of estimates of the value that are tried.
PLANS = 3
# Error of an estimate, as a factor, beyond which another one is tried.
WRONG_FACTOR = 100.0
# Relative distance in log ``down`` within which grids serve other increments.
REUSE_DISTANCE = 0.02
# Pairs of atoms that are as much work as a node of an inversion, about.
PAIRS_PER_NODE = 2**4
# Round-off of the mass of a narrow cell, in units.  It enters the error budget alone: the ends are rounded outward at
# every step.
CELL_ROUNDING = 2e5
# Round-off of a sum for each of its atoms, in units, for the same budget.
ATOM_ROUNDING = 16.0


def spans_much(increment: Increment, steps: int) -> TypeGuard[GaussianIncrement]:
    """Return whether steps go so far up and down that evenly spaced lattices are of little use."""
    if not isinstance(increment, GaussianIncrement):
        return False
    return steps >= FEWEST_STEPS and increment.s >= LEAST_S and increment.up > 0.0 and increment.down > 0.0


@dataclass(eq=False)
class Doubling:
    """Both ends for ``steps`` steps at one fineness; grids, by log ``down``, are kept as long as they serve.

    ``work``: the work so far, in nodes.
    """

    steps: int
    finer: float
    work: int = 0
    _grids: list[tuple[float, Grids]] = field(default_factory=list)
    _ends_by_question: dict[tuple[float, float, Side], Ends] = field(default_factory=dict)

    def ends(self, increment: GaussianIncrement, threshold: float, doubt: float, estimate: float, side: Side) -> Ends:
        """Return E(sum - threshold)_+ from one side, X and the threshold (known up to ``doubt``) less the constants.

        The other end is that of the same law, and does not bound the true value.
        """
        question = (increment.down, threshold, side)
        if question not in self._ends_by_question:
            with np.errstate(over="ignore", invalid="ignore", under="ignore", divide="ignore"):
                self._ends_by_question[question] = self._ends(increment, threshold, doubt, estimate, side)
        return self._ends_by_question[question]

    def _ends(self, increment: GaussianIncrement, threshold: float, doubt: float, estimate: float, side: Side) -> Ends:
        nothing = Ends(0.0, inf, 0.0, 0.0)
        grids = self._grids_for(increment, threshold, estimate)
        if grids is None:
            return nothing
        low, high = reach(increment, self.steps, threshold, grids.value, LARGEST_STEP_SHARE)
        one = one_step(increment, low, high, ceil(CELLS_PER_DEVIATION * max(FINENESS / self.finer, 1.0)), side)
        total, last = sum_by_doubling(one, self.steps, grids.edges, side)
        self.work += sum(edges.size**2 for edges in grids.edges) // PAIRS_PER_NODE
        value = stop_loss(total, last, threshold - doubt if side is Side.UPPER else threshold + doubt, side)
        if not isfinite(value):
            return nothing
        truncation = (
            self.steps * increment.up * float(ndtr(increment.s - high)) * (1.0 + TAIL) if side is Side.UPPER else 0.0
        )
        atoms = max(edges.size for edges in grids.edges)
        rounding = 2.0 * self.steps * UNIT * (CELL_ROUNDING + ATOM_ROUNDING * atoms) * value
        return Ends(value, value + truncation + UNDERFLOW, truncation, rounding)

    def _grids_for(self, increment: GaussianIncrement, threshold: float, estimate: float) -> Grids | None:
        log_down_here, plan = log(increment.down), None
        for log_down, grids in self._grids:
            if abs(log_down_here - log_down) <= REUSE_DISTANCE * log_down:
                return grids
        for _ in range(PLANS):
            plan = plan_grids(increment, self.steps, threshold, estimate, self.finer)
            if plan is None:
                break
            self.work += plan.work // PAIRS_PER_NODE
            if WRONG_FACTOR * plan.value > estimate:
                break
            estimate = plan.value
        if plan is not None:
            self._grids.append((log_down_here, plan))
        return plan


def sum_by_doubling(one: Uneven, steps: int, edges: Sequence[Array], side: Side) -> tuple[Uneven, Uneven]:
    """Return two laws whose sum is that of all steps, or bounds it on one side."""
    *first, last = moves(steps)
    total = step = add(one, ZERO, extend_edges(edges[0], one, ZERO), side) if first else one
    for doubles, grid in zip(first, edges[1:], strict=True):
        other = total if doubles else step
        total = add(total, other, extend_edges(grid, total, other), side)
    return total, total if last else one
