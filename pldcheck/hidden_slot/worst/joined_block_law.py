"""The law of several slots together: that of the potential of their recursion, on a coarser lattice."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Array
from ...core.directed import UNIT, roundoff
from ...kernels.slot_recursion import ROUNDINGS_PER_STEP
from ...pld.lattice_law import LatticeLaw


def joined_law(values: Array, low: int, every: int, step: float, steps: int) -> LatticeLaw:
    """Return the law whose stop-loss transform interpolates the potential at every ``every``-th node, node 0 included.

    ``values``: G = V - u_+ from node ``low`` (a multiple of ``every``), in units of ``step``.  Second differences are
    taken of G.  Their round-off, and negative ones due to the recursion's round-off, are covered by adding mass; the
    same mass is then taken from the largest atom and a third atom restores the mean.  By Jensen's inequality the
    whole correction has a non-negative stop-loss transform, so it only raises the law in convex order, and as it has no
    mass and no mean its effect does not grow when the law is raised to a high power.
    """
    inflate = 1.0 + (ROUNDINGS_PER_STEP * steps + 32) * UNIT
    coarse = values[::every] * inflate
    # Left of the window V is zero at the next coarse node; right of it G stays constant.
    padded_values = np.concatenate([[0.0, 0.0], coarse, [coarse[-1]]])
    rises = np.diff(padded_values)
    kink = np.zeros(padded_values.size - 2)
    kink[1 - low // every] = 1.0
    second = np.diff(rises) / every + kink
    doubt = roundoff(4, (np.abs(rises[1:]) + np.abs(rises[:-1])) / every + kink + np.abs(second))
    extra_masses = np.maximum(doubt, -second)
    centre = int(np.argmax(second))
    offsets = np.arange(second.size) - centre
    moment = float(extra_masses @ offsets)
    spread = max(int(np.sqrt(np.maximum(second, 0.0) @ offsets.astype(float) ** 2)), 1)
    third = min(max(centre - int(np.sign(moment)) * spread, 0), second.size - 1)
    if moment != 0.0:
        extra_masses[third] += abs(moment) / abs(third - centre)
    extra_masses[centre] -= float(np.sum(extra_masses))
    # Node j is the atom y = -j step; reverse to increasing atoms.
    first = -(low // every + coarse.size - 1)
    return LatticeLaw(every * step, first, (second + extra_masses)[::-1].copy(), extra_masses[::-1].copy())
