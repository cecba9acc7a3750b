r"""Potentials of blocks of slots, each with a known number of empty ones, and the laws that dominate them.

The adversary knows how many of a block's t slots are empty, e, and learns whether a slot is empty when it is released.
An empty slot has weight 1, any other v; s are the steps of :mod:`pldcheck.hidden_slot.worst.step_laws`:

.. math:: V_{t,e}(u) = \tfrac et \max_{laws} E V_{t-1,e-1}(u + s)
          + \big(1 - \tfrac et\big) \max_{laws} E V_{t-1,e}(u + vs), \quad V_{0,0}(u) = u_+ .

V is computed on a grid, with linear interpolation, an upper bound as V is convex; G = V - u_+ is stored.  V_{t,e} is
the stop-loss transform of the least law that dominates every policy of such a block; for a random e the potentials are
mixed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array
from ...core.directed import UNIT
from ...kernels.slot_recursion import ROUNDINGS_PER_STEP
from ...kernels.two_weight_recursion import block_potentials
from ..worst.step_laws import Steps
from ..worst.worst_upper import moves

# Relative error of a step: of sums over laws and interpolation, as in the kernel, and of the average over the next
# slot.
ROUNDINGS = ROUNDINGS_PER_STEP + 8


@dataclass(frozen=True, eq=False)
class Potentials:
    """The functions G in units of ``step``: ``values[e]`` at ``step * (first + i)``, e of ``length`` slots empty."""

    step: float
    first: int
    length: int
    values: Array

    def mixture(self, chances: Array) -> Array:
        """Return G of a block whose number of empty slots is 0, 1, ... with probabilities ``chances``, rounded up."""
        inflate = 1.0 + (ROUNDINGS * self.length + 64) * UNIT
        return np.asarray(inflate * np.sum(chances[:, None] * self.values[: chances.size], axis=0), dtype=np.float64)


def reach(steps: Steps, weight: float, step: float, length: int, most: int) -> int:
    """Return the number of nodes on either side beyond which G vanishes in blocks with at most ``most`` empty slots.

    It includes the rounding of the moves.
    """
    return int(_reaches(steps, weight, step, np.array(length), np.array(min(most, length))))


def _reaches(steps: Steps, weight: float, step: float, lengths: np.ndarray, empty: np.ndarray) -> np.ndarray:
    """Return these numbers for blocks of so many slots, of which so many are empty."""
    largest = float(np.abs(steps.values).max())
    nodes = np.ceil((empty + (lengths - empty) * weight) * largest / step * (1.0 + 1e-9))
    return nodes.astype(np.int64) + 2 * lengths + 4


def potentials(steps: Steps, weight: float, step: float, length: int, most: int) -> Potentials:
    """Return the potentials of ``length`` slots with at most ``most`` empty ones.

    ``weight`` is v, and ``step`` is the width of the grid.
    """
    lengths, empty = np.arange(length + 1)[:, None], np.arange(min(most, length) + 1)
    edges = _reaches(steps, weight, step, lengths, np.minimum(lengths, empty))
    shifts, fractions = map(np.stack, zip(*(moves(w * steps.values, step) for w in (1.0, weight)), strict=True))
    return Potentials(
        step, -int(edges[-1, -1]), length, block_potentials(edges, shifts, fractions, *steps.probabilities)
    )
