"""Cells of a Gaussian randomizer's increments on a lattice, and the contraction of laws that have negative masses.

A lower bound counts a cell's mass at two points, at one of them negatively, so that a point may have less than nothing.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Array
from ..core.directed import UNIT
from ._jit import kernel
from .interpreted_first import interpreted_first

# The normal law is erf of its argument times this.
ROOT_HALF = math.sqrt(0.5)
# The Gauss-Legendre rules on [0, 1] have five nodes for short cells and eight for longer ones.
SHORT_NODES = np.array(
    [0.046910077030668004, 0.23076534494715845, 0.5, 0.7692346550528415, 0.9530899229693320]
)  # fmt: skip
SHORT_WEIGHTS = np.array(
    [0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324, 0.11846344252809454]
)  # fmt: skip
NODES = np.array([
    0.019855071751231884, 0.10166676129318664, 0.2372337950418355, 0.4082826787521751,
    0.591717321247825, 0.7627662049581645, 0.8983332387068134, 0.9801449282487681,
])  # fmt: skip
WEIGHTS = np.array([
    0.05061426814518813, 0.11119051722668724, 0.15685332293894363, 0.181341891689181,
    0.181341891689181, 0.15685332293894363, 0.11119051722668724, 0.05061426814518813,
])  # fmt: skip
# The largest length times (reach + s + 1) for the short rule: its error is below two units of mass times width.
# tests/ledger/quadrature_of_cells.py derives this from the integrand's size on Bernstein ellipses, and computes it.
SHORT = 0.1
# The largest length times (reach + s + 1) for the long rule, derived there as well.
SMOOTH = 0.5
RULES = ((SHORT, SHORT_NODES, SHORT_WEIGHTS), (SMOOTH, NODES, WEIGHTS))
# The density of the standard normal law at 0.
DENSITY = 1.0 / math.sqrt(2.0 * math.pi)


# The error function of the C library for arrays, a number at a time, as long cells are few.
ERF = np.frompyfunc(math.erf, 1, 1)
# The same of its complement, which keeps the digits of a tail.
ERFC = np.frompyfunc(math.erfc, 1, 1)


def _between(low: Array, high: Array) -> Array:
    """Return the mass of a standard normal law between two points, from the nearer tails."""
    near, far = np.where(low >= 0.0, low, -high), np.where(low >= 0.0, high, -low)
    around_zero = (low < 0.0) & (high > 0.0)
    central = ERF(high * ROOT_HALF) - ERF(low * ROOT_HALF)
    return 0.5 * np.where(around_zero, central, ERFC(near * ROOT_HALF) - ERFC(far * ROOT_HALF)).astype(float)


def gaussian_cells(up: float, down: float, s: float, points: Array, edges: Array) -> tuple[Array, Array, Array, Array]:
    """Return the cells of W = up e^(sz - s^2/2) - down e^(-sz - s^2/2), z ~ N(0, 1), between ``points`` z.

    ``edges`` are the values of W at the points.  Returns (masses; E[W - left edge; cell]; E[right edge - W; cell]; a
    bound of the absolute errors of the last two, that of a mass is this over the cell's width).

    It is numpy's: for a few thousand cells, as usual, that is quicker than to load a kernel.
    """
    shortest, results = -math.inf, np.zeros((4, points.size - 1))
    with np.errstate(over="ignore", invalid="ignore"):  # neighbours may both be infinite: such a cell is empty
        lengths = np.diff(points)
        sizes = lengths * (np.maximum(np.abs(points[:-1]), np.abs(points[1:])) + s + 1.0)
        for longest, nodes, weights in RULES:
            ruled = (lengths > 0.0) & (sizes > shortest) & (sizes <= longest)
            results[:, ruled] = _cells_by_rule(up, down, s, points, edges, ruled, nodes, weights)
            shortest = longest
        rest = (lengths > 0.0) & ~(sizes <= shortest)
        results[:, rest] = _cells_by_tails(up, down, s, points, edges, rest)
    masses, rises, falls, errors = results
    return masses, rises, falls, errors


def _cells_by_rule(
    up: float,
    down: float,
    s: float,
    points: Array,
    edges: Array,
    chosen: NDArray[np.bool_],
    nodes: Array,
    weights: Array,
) -> Array:
    """Return the chosen cells, which are short, by a rule of positive terms."""
    low, high, widths = points[:-1][chosen], points[1:][chosen], np.diff(edges)[chosen]
    lengths, reach, half = high - low, np.maximum(np.abs(low), np.abs(high)), 0.5 * s * s
    above, below = up * np.exp(s * low - half), down * np.exp(-s * low - half)
    masses, rises, falls = np.zeros((3, low.size))
    for node, weight in zip(nodes, weights, strict=True):
        steps = lengths * node
        z = low + steps
        shares = lengths * weight * DENSITY * np.exp(-0.5 * z * z)
        gains = np.zeros(low.size)
        if up > 0.0:
            gains += above * np.expm1(s * steps)
        if down > 0.0:
            gains -= below * np.expm1(-s * steps)
        masses += shares
        rises += shares * gains
        falls += shares * (widths - gains)
    return np.array([masses, rises, falls, UNIT * (48.0 + 2.0 * (reach + s) * (reach + s)) * masses * widths])


def _cells_by_tails(up: float, down: float, s: float, points: Array, edges: Array, chosen: NDArray[np.bool_]) -> Array:
    """Return the chosen cells, which are long, by differences of tails."""
    low, high, left, right = points[:-1][chosen], points[1:][chosen], edges[:-1][chosen], edges[1:][chosen]
    masses, means, sizes = _between(low, high), np.zeros(low.size), np.zeros(low.size)
    if up > 0.0:
        part = up * _between(low - s, high - s)
        means, sizes = means + part, sizes + part
    if down > 0.0:
        part = down * _between(low + s, high + s)
        means, sizes = means - part, sizes + part
    reach = np.minimum(np.maximum(np.abs(low), np.abs(high)), 40.0) + s
    # The tails have errors of a few units, and more from their rounded arguments; in such a long cell their difference
    # is at least a third of the nearer one.
    errors = UNIT * (64.0 + 4.0 * reach * reach) * (sizes + (np.abs(left) + np.abs(right)) * masses)
    return np.array([masses, means - left * masses, right * masses - means, errors])


@kernel
def _contract(masses, least):
    """Move masses on a lattice inward until each is at least ``least``; return whether there was enough to move.

    The moves are in pairs that keep the mean, so they lower the integral of every convex function.
    """
    size = masses.size
    for j in range(size):
        deficit = least[j] - masses[j]
        if deficit <= 0.0:
            continue
        left, right = j - 1, j + 1
        while deficit > 0.0:
            while left >= 0 and masses[left] <= least[left]:
                left -= 1
            while right < size and masses[right] <= least[right]:
                right += 1
            if left < 0 or right >= size:
                return False
            # The shares of a unit of mass at j that come from the left and from the right.
            from_left, from_right = (right - j) / (right - left), (j - left) / (right - left)
            amount = deficit
            last = 0
            if amount * from_left > masses[left] - least[left]:
                amount, last = (masses[left] - least[left]) / from_left, -1
            if amount * from_right > masses[right] - least[right]:
                amount, last = (masses[right] - least[right]) / from_right, 1
            masses[left] -= amount * from_left
            masses[right] -= amount * from_right
            if last < 0:
                masses[left] = least[left]
            if last > 0:
                masses[right] = least[right]
            masses[j] += amount
            deficit -= amount
            if last == 0:
                masses[j], deficit = least[j], 0.0
    return True


# In Python a number takes about 0.2 microseconds, where few have to be moved.
contract = interpreted_first(_contract, 2e5, lambda masses, least: masses.size)


@kernel
def log_mgf(masses, step, first, theta):
    """Return log of the sum of masses[i] exp(theta step (first + i)), and a bound of its absolute error.

    An exponent e, of two products, has an error of 2 UNIT |e|; exp, expm1, log and log1p have a relative error below 2
    UNIT; compensated sums have 2 UNIT.
    """
    # For small exponents M - 1 is the sum of small terms, as M is raised to a high power.
    if abs(theta) * step * max(abs(first), abs(first + masses.size)) < 1.0 and masses.sum() > 0.5:
        return _log_near_one(masses, step, first, theta)
    logs, top = np.empty(masses.size), -math.inf
    for i in range(masses.size):
        logs[i] = math.log(masses[i]) + theta * step * (first + i) if masses[i] > 0.0 else -math.inf
        top = max(top, logs[i])
    if top == -math.inf:
        return -math.inf, 0.0
    total, correction, doubt = 0.0, 0.0, 0.0
    for i in range(masses.size):
        if logs[i] - top < -80.0:
            continue
        exponent = theta * step * (first + i)
        term = masses[i] * math.exp(exponent - top)
        doubt += term * (2.0 * abs(exponent) + abs(exponent - top) + 4.0)
        new = total + term
        back = new - total
        correction += (total - (new - back)) + (term - back)
        total = new
    total += correction
    # Each term that is left out is below e^-80.
    log_total = math.log(total + masses.size * 1e-34)
    value = top + log_total
    return value, UNIT * (1.01 * doubt / total + 2.0 * abs(log_total) + abs(value) + 4.0)


@kernel
def _log_near_one(masses, step, first, theta):
    """Return the same where all exponents are below 1, as log1p of M - 1; a term has a relative error of 7 UNIT."""
    total, correction, size = 0.0, 0.0, 0.0
    excess, excess_correction = -1.0, 0.0
    for i in range(masses.size):
        term = masses[i] * math.expm1(theta * step * (first + i))
        new = total + term
        back = new - total
        correction += (total - (new - back)) + (term - back)
        total = new
        size += abs(term)
        new = excess + masses[i]
        back = new - excess
        excess_correction += (excess - (new - back)) + (masses[i] - back)
        excess = new
    gain = (total + correction) + (excess + excess_correction)
    value = math.log1p(gain)
    error = 8.0 * size + 4.0 * (abs(total) + abs(excess) + abs(gain))
    return value, UNIT * (1.01 * error / (1.0 + gain) + 3.0 * abs(value))
