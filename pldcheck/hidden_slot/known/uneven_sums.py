r"""Sums of steps whose values span many orders of magnitude, on uneven grids: dispersed above, drawn together below.

The payoff :math:`(\cdot - K)_+` is convex, increasing and not negative.  An atom between two edges is dispersed to them
with its mean kept, from above; all that falls into one cell is drawn together at its mean, from below (Jensen), in one
independent summand at a time.  What lies below the first edge is raised to it, or left out.

Rounding: atoms are moved to the side of the bound by more than their rounding, before they are put into cells; masses
are sums of positive terms, and are raised or lowered by their relative error, and by ``TINY`` for underflow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from ...core.arrays import Array
from ...core.directed import UNIT, Side, enlarge, roundoff, shrink
from ...kernels.gaussian_cells import gaussian_cells
from ...kernels.uneven_cells import pair_sums
from .slot_increments import TAIL, GaussianIncrement

# Relative shift that moves a sum by at least its rounding.
NUDGE = 2.0 * UNIT
# An upper bound of any underflow.
TINY = 1e-290
# Largest mass of an atom that is left out of a lower bound.
NEGLIGIBLE_MASS = 1e-250


@dataclass(frozen=True, eq=False)
class Uneven:
    """A positive measure of increasing values."""

    values: Array
    masses: Array


# The law of a value that is zero: adding it puts a law on a grid.
ZERO = Uneven(np.zeros(1), np.ones(1))


def one_step(increment: GaussianIncrement, low: float, high: float, per: int, side: Side) -> Uneven:
    """Return X less its constant, with ``per`` cells a deviation between two points z.

    Beyond ``high`` values count as the one there.  Below ``low`` they are raised to the one there, or left out.
    """
    z = np.linspace(low, high, int(np.ceil((high - low) * per)) + 1)
    half = 0.5 * increment.s * increment.s
    ups, downs = increment.up * np.exp(increment.s * z - half), increment.down * np.exp(-increment.s * z - half)
    # Twice the exponent's rounding, and that of ``down``.
    doubts = UNIT * (16.0 + 8.0 * increment.s * (np.abs(z) + increment.s)) * (ups + downs)
    values = ups - downs
    masses, rises, falls, errors = gaussian_cells(increment.up, increment.down, increment.s, z, values)
    widths = np.diff(values)
    # The error of the mass, relative to its cell's width; and that of a cell's width and offset.
    errors = errors + 2.0 * masses * (doubts[1:] + doubts[:-1])
    beyond = ndtr(-z[-1])
    if side is Side.UPPER:
        upper_masses = np.zeros(z.size)
        upper_masses[1:] += (rises + errors) / widths
        upper_masses[:-1] += (falls + errors) / widths
        upper_masses[0] += ndtr(z[0]) * (1.0 + TAIL)
        upper_masses[-1] += beyond * (1.0 + TAIL)
        return Uneven(values + doubts, enlarge(upper_masses, 8) + TINY)
    means = (values - doubts)[:-1] + shrink(np.maximum(rises - errors, 0.0) / (masses + errors / widths), 8)
    means -= NUDGE * np.abs(means)
    lower_masses = shrink(masses - errors / widths, 8)
    last = values[-1] - 2.0 * doubts[-1]
    return _without_negligible(np.append(means, last), np.append(lower_masses, beyond * (1.0 - TAIL)))


def add(one: Uneven, other: Uneven, edges: Array, side: Side) -> Uneven:
    """Return a bound of the law of the sum of two independent values, on cells that reach up to the largest one."""
    left, right, below = pair_sums(
        one.values, one.masses, other.values, other.masses, edges, side.sign * NUDGE, one is other
    )
    error = (4.0 * (one.values.size + other.values.size) + 64.0) * UNIT
    if side is Side.UPPER:
        masses = np.zeros(edges.size)
        masses[:-1] += left
        masses[1:] += right
        masses[0] += below
        return Uneven(edges, masses * (1.0 + error) + TINY)
    return draw_together(left, right, edges, error)


def draw_together(left: Array, right: Array, edges: Array, error: float) -> Uneven:
    """Return atoms at the means of cells, lowered by the error of the means."""
    masses = left + right
    heavy = masses > NEGLIGIBLE_MASS
    masses = masses[heavy]
    values = edges[:-1][heavy] + np.diff(edges)[heavy] * (right[heavy] / masses) * (1.0 - 4.0 * error)
    return _without_negligible(values - NUDGE * np.abs(values), masses * (1.0 - error) - TINY)


def _without_negligible(values: Array, masses: Array) -> Uneven:
    """Return the atoms whose masses are not negligible; two means at one edge may have changed places by rounding."""
    heavy = masses > NEGLIGIBLE_MASS
    return Uneven(np.minimum.accumulate(values[heavy][::-1])[::-1], masses[heavy])


def extend_edges(edges: Array, one: Uneven, other: Uneven) -> Array:
    """Return the edges, with one more edge where sums are larger."""
    if not one.values.size or not other.values.size:
        return edges
    largest = float(one.values[-1] + other.values[-1])
    largest += 4 * NUDGE * abs(largest)
    return edges if edges[-1] >= largest else np.append(edges, largest)


def stop_loss(one: Uneven, other: Uneven, threshold: float, side: Side) -> float:
    """Return E(sum - threshold)_+, rounded to one side.

    Of the second law, it sums from each atom y on that may take the sum over the threshold (for a lower bound: that
    surely does) the mass beyond and its excess over y, which are sums of positive terms.
    """
    if not one.values.size or not other.values.size:
        return 0.0
    sign = side.sign
    y, q = other.values, other.masses
    beyond = np.cumsum(q[::-1])[::-1]
    excess = np.append(np.cumsum((np.diff(y) * beyond[1:])[::-1])[::-1], 0.0)
    shortfalls = threshold - one.values
    slack = roundoff(4, abs(threshold) + np.abs(one.values))
    first_atoms = np.searchsorted(y, shortfalls - sign * slack)
    possible = first_atoms < y.size
    first_atoms, shortfalls, slack = first_atoms[possible], shortfalls[possible], slack[possible]
    over = np.maximum(y[first_atoms] - shortfalls + sign * (slack + roundoff(4, np.abs(y[first_atoms]))), 0.0)
    total = float(np.sum(one.masses[possible] * (over * beyond[first_atoms] + excess[first_atoms])))
    return enlarge(total, sign * (8.0 * (one.values.size + y.size) + 64.0))
