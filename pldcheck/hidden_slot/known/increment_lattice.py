r"""Increments on a lattice, spread out (from above) and drawn together (from below) in convex order.

For an upper bound each cell's mass goes to its two ends, which keeps the mean.  For a lower bound the cells are centred
at the lattice's points.  A convex f at a distance d > 0 above a point x is at least :math:`f(x) + d (f(x) - f(x -
h))/h`: the mass that lies d above its point on average counts 1 + d/h times there and -d/h times at the point before,
and the other way round.  Masses that are negative after that are compensated by moving mass inward
(:func:`pldcheck.kernels.gaussian_cells.contract`).

Values above the cap count as the cap, in both laws, which lack :math:`E(X - cap)_+`.  Values below the lattice
are raised to it from above and left out from below: the payoff increases and is not negative.  For the same reason
masses may be rounded up from above and down from below, each by its own error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array
from ...core.directed import enlarge, roundoff, shrink
from ...kernels.gaussian_cells import contract
from ...pld.lattice_law import LatticeLaw
from .slot_increments import TAIL, Increment

# Number of trials in the search for the first point of the lower lattice.
SEARCH_TRIALS = 200
# Precision of the search, in steps of the lattice.
SEARCH_PRECISION = 1e-12
# Steps above the first point of the lower lattice that are drawn together with it: more where the law falls so steeply
# that the points next to the first have nothing to give.
SKIPS = (0, 4, 16, 64, 256)


@dataclass(frozen=True, eq=False)
class PlacedLaw:
    """A law on the lattice ``origin`` + ``law.atoms``, of values none of which exceeds ``cap``."""

    law: LatticeLaw
    origin: float
    cap: float


def disperse(increment: Increment, step: float, low: float, cap: float) -> PlacedLaw:
    """Return a measure that dominates min(X, cap), for increasing convex payoffs that are not negative."""
    count = max(int(np.ceil((cap - low) / step)), 1)
    edges = low + step * np.arange(count + 1.0)
    cells = increment.cells(edges)
    masses = np.zeros(count + 1)
    masses[1:] += (cells.rises + cells.errors) / np.diff(edges)
    masses[:-1] += (cells.falls + cells.errors) / np.diff(edges)
    masses[0] += increment.below(low)[0] * (1.0 + TAIL)
    mass, error, _, _ = increment.above(float(edges[-1]))
    masses[-1] += mass + error
    # Errors of numbers that underflow may be negative.
    return _place(np.maximum(enlarge(masses, 4), 0.0), step, low, float(edges[-1]))


def draw_together(increment: Increment, step: float, low: float, cap: float) -> PlacedLaw | None:
    """Return a measure that min(X, cap) dominates; None where there is none on a lattice this coarse.

    The order is that of increasing convex payoffs that are not negative.
    """
    for skip in SKIPS:
        placed_law = _draw_together(increment, step, low, cap, skip)
        if placed_law is not None:
            return placed_law
    return None


def _draw_together(increment: Increment, step: float, low: float, cap: float, skip: int) -> PlacedLaw | None:
    """Return such a measure, with all mass below ``skip`` steps above the first point drawn together there."""
    first = _first_point(increment, (2.0 * skip + 1.0) * step, low, cap)
    count = int(np.ceil((cap - first) / step))
    if count < skip + 3:
        return None
    halves = first + 0.5 * step * np.arange(2.0 * count + 1.0)
    cells = increment.cells(halves)
    # Cell 0 reaches down to ``low``, and the cell before the last one reaches up to the cap.
    masses = np.zeros(count + 1)
    offsets, doubts = np.zeros(count + 1), np.zeros(count + 1)
    masses[:-1] += cells.masses[::2]
    masses[1:-1] += cells.masses[1:-2:2]
    offsets[:-1] += cells.rises[::2]
    offsets[1:-1] -= cells.falls[1:-2:2]
    doubts[:-1] += cells.errors[::2]
    doubts[1:-1] += cells.errors[1:-2:2]
    masses[-2] += cells.masses[-1]
    offsets[-2] += cells.rises[-1] + 0.5 * step * cells.masses[-1]
    doubts[-2] += 2.0 * cells.errors[-1]
    masses[: skip + 1], offsets[: skip + 1], doubts[: skip + 1] = 0.0, 0.0, 0.0
    masses[0], offsets[0], doubts[0] = _first_cell(increment, low, first, float(halves[2 * skip + 1]))
    # The last point has the mass that lies beyond the cap.
    mass, error, _, _ = increment.above(float(halves[-1]))
    masses[-1] += mass
    doubts[-1] += error * step
    size = _join_end_points(masses, offsets, doubts, step)
    masses, offsets, doubts = masses[:size], offsets[:size], doubts[:size] / step
    if offsets[-1] < 0.0:  # the last point has no neighbour to its right
        return None
    shares = np.abs(offsets) / step
    signed_masses = masses + shares
    signed_masses[:-1] -= np.where(offsets > 0.0, shares, 0.0)[1:]
    signed_masses[1:] -= np.where(offsets < 0.0, shares, 0.0)[:-1]
    if offsets[0] > 0.0:  # it has no neighbour to its left: its mass is lowered to it
        signed_masses[0] = signed_masses[0] - shares[0]
    errors = 3.0 * doubts + roundoff(8, masses + shares)
    errors[:-1] += doubts[1:] + roundoff(4, shares[1:])
    errors[1:] += doubts[:-1] + roundoff(4, shares[:-1])
    if not contract(signed_masses, errors):
        return None
    # The mass that was joined to the last point still reaches up to the cap.
    lower_masses = shrink(np.maximum(signed_masses - errors, 0.0), 4)
    return _place(lower_masses, step, float(halves[0]), float(halves[-1]))


def _join_end_points(masses: Array, offsets: Array, doubts: Array, step: float) -> int:
    """Return the number of points after points at the end are joined to those before.

    The last point must not be above the mean of its cell, and must have the mass that the point before takes.
    """
    last = masses.size - 1
    while last > 1 and (offsets[last] < 0.0 or masses[last] * step <= 2.0 * max(-offsets[last - 1], 0.0)):
        offsets[last - 1] += offsets[last] + step * masses[last]
        masses[last - 1] += masses[last]
        doubts[last - 1] += 2.0 * doubts[last]
        last -= 1
    return last + 1


def _place(masses: Array, step: float, start: float, cap: float) -> PlacedLaw:
    first = round(start / step)
    law = LatticeLaw(step, first, masses, np.zeros(masses.size))
    return PlacedLaw(law, start - step * first, cap)


def _first_cell(increment: Increment, low: float, first: float, last: float) -> tuple[float, float, float]:
    """Return the mass between ``low`` and ``last``, its offset from ``first``, and their error."""
    mass, moment = increment.below(last)
    size = abs(first) * mass + abs(moment)
    if low > increment.low:
        out, out_moment = increment.below(low)
        mass, moment = mass - out, moment - out_moment
        size += abs(first) * out + abs(out_moment)
    return mass, moment - first * mass, TAIL * size


def _first_point(increment: Increment, length: float, low: float, cap: float) -> float:
    """Return a point that is hardly below the mean of all mass that lies less than half of ``length`` above it.

    The search is regula falsi with halved ends (Illinois); each trial is so far from both ends that they close in.
    """
    out, out_moment = increment.below(low) if low > increment.low else (0.0, 0.0)

    def offset(point: float) -> float:
        mass, moment = increment.below(point + 0.5 * length)
        mass, moment = mass - out, moment - out_moment
        return moment / mass - point if mass > 0.0 else 0.0

    left, right, least, last_side = low, cap, 0.4 * SEARCH_PRECISION * length, 0
    at_left, at_right = offset(left), offset(right)
    for _ in range(SEARCH_TRIALS):
        if right - left <= SEARCH_PRECISION * length:
            break
        middle = 0.5 * (left + right)
        if at_left > 0.0 > at_right:
            middle = (left * at_right - right * at_left) / (at_right - at_left)
        middle = min(max(middle, left + least), right - least)
        offset_there = offset(middle)
        if offset_there > 0.0:
            left, at_left, at_right, last_side = (
                middle,
                offset_there,
                (0.5 * at_right if last_side > 0 else at_right),
                1,
            )
        else:
            right, at_right, at_left, last_side = (
                middle,
                offset_there,
                (0.5 * at_left if last_side < 0 else at_left),
                -1,
            )
    return left  # the mean of its cell is hardly above it
