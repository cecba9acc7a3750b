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
from .uneven_grids import Grids, moves, planned, reach
from .uneven_sums import ZERO, Uneven, added, one_step, reaching, stop_loss

# Sensitivity over deviation from which on doubling is used.
LEAST_S = 1.4
# Steps from which on doubling is used.
FEWEST = 3
# Share of the value that the largest steps have.
HIGH = 1e-10
# Cells of a deviation of one step.
PER = 256
# Fineness below which there are more cells.
FINE = 0.5
# Number of estimates of the value that are tried.
PLANS = 3
# Error of an estimate, as a factor, beyond which another one is tried.
OFF = 100.0
# Relative distance in log ``down`` within which grids serve other increments.
SERVES = 0.02
# Pairs of atoms that are as much work as a node of an inversion, about.
PAIRS = 2**4
# For the budget, not the ends, which are rounded outward at every step: about the round-off of the mass of a narrow
# cell, over the unit.
CELL = 2e5
# The same error for sums, for each of their atoms.
ATOM = 16.0


def spans_much(increment: Increment, steps: int) -> TypeGuard[GaussianIncrement]:
    """Return whether steps go so far up and down that evenly spaced lattices are of little use."""
    if not isinstance(increment, GaussianIncrement):
        return False
    return steps >= FEWEST and increment.s >= LEAST_S and increment.up > 0.0 and increment.down > 0.0


@dataclass(eq=False)
class Doubling:
    """Both ends for ``steps`` steps at one fineness; grids, by log ``down``, are kept as long as they serve.

    ``spent``: the work so far, in nodes.
    """

    steps: int
    finer: float
    spent: int = 0
    _grids: list[tuple[float, Grids]] = field(default_factory=list)
    _found: dict[tuple[float, float, Side], Ends] = field(default_factory=dict)

    def ends(self, increment: GaussianIncrement, threshold: float, doubt: float, about: float, side: Side) -> Ends:
        """Return E(sum - threshold)_+ from one side, X and the threshold (known up to ``doubt``) less the constants.

        The other end is that of the same law, and does not bound the true value.
        """
        at = (increment.down, threshold, side)
        if at not in self._found:
            with np.errstate(over="ignore", invalid="ignore", under="ignore", divide="ignore"):
                self._found[at] = self._ends(increment, threshold, doubt, about, side)
        return self._found[at]

    def _ends(self, increment: GaussianIncrement, threshold: float, doubt: float, about: float, side: Side) -> Ends:
        nothing = Ends(0.0, inf, 0.0, 0.0)
        grids = self._for(increment, threshold, about)
        if grids is None:
            return nothing
        low, high = reach(increment, self.steps, threshold, grids.value, HIGH)
        one = one_step(increment, low, high, ceil(PER * max(FINE / self.finer, 1.0)), side)
        total, last = doubled(one, self.steps, grids.edges, side)
        self.spent += sum(edges.size**2 for edges in grids.edges) // PAIRS
        value = stop_loss(total, last, threshold - doubt if side is Side.UPPER else threshold + doubt, side)
        if not isfinite(value):
            return nothing
        left = self.steps * increment.up * float(ndtr(increment.s - high)) * (1.0 + TAIL) if side is Side.UPPER else 0.0
        atoms = max(edges.size for edges in grids.edges)
        rounding = 2.0 * self.steps * UNIT * (CELL + ATOM * atoms) * value
        return Ends(value, value + left + UNDERFLOW, left, rounding)

    def _for(self, increment: GaussianIncrement, threshold: float, about: float) -> Grids | None:
        at, found = log(increment.down), None
        for kept, grids in self._grids:
            if abs(at - kept) <= SERVES * kept:
                return grids
        for _ in range(PLANS):
            found = planned(increment, self.steps, threshold, about, self.finer)
            if found is None:
                break
            self.spent += found.work // PAIRS
            if OFF * found.value > about:
                break
            about = found.value
        if found is not None:
            self._grids.append((at, found))
        return found


def doubled(one: Uneven, steps: int, edges: Sequence[Array], side: Side) -> tuple[Uneven, Uneven]:
    """Return two laws whose sum is that of all steps, or bounds it on one side."""
    *first, last = moves(steps)
    total = step = added(one, ZERO, reaching(edges[0], one, ZERO), side) if first else one
    for doubles, found in zip(first, edges[1:], strict=True):
        other = total if doubles else step
        total = added(total, other, reaching(found, total, other), side)
    return total, total if last else one
