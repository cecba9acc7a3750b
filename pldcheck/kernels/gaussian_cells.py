"""Cells of a Gaussian randomizer's increments on a lattice, and the contraction of laws that have negative masses.

A lower bound counts a cell's mass at two points, at one of them negatively, so that a point may have less than nothing.
"""

import math

import numpy as np

from ..core.directed import UNIT
from ._jit import kernel

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


@kernel
def _between(low, high):
    """Return the mass of a standard normal law between two points, from the nearer tails."""
    if low >= 0.0:
        return 0.5 * (math.erfc(low * ROOT_HALF) - math.erfc(high * ROOT_HALF))
    if high <= 0.0:
        return 0.5 * (math.erfc(-high * ROOT_HALF) - math.erfc(-low * ROOT_HALF))
    return 0.5 * (math.erf(high * ROOT_HALF) - math.erf(low * ROOT_HALF))


@kernel
def gaussian_cells(up, down, s, points, edges):
    """Return the cells of W = up e^(sz - s^2/2) - down e^(-sz - s^2/2), z ~ N(0, 1), between ``points`` z.

    ``edges`` are the values of W at the points.  Returns (masses; E[W - left edge; cell]; E[right edge - W; cell]; a
    bound of the absolute errors of the last two, that of a mass is this over the cell's width).
    """
    cells = points.size - 1
    masses, rises, falls, errors = np.zeros(cells), np.zeros(cells), np.zeros(cells), np.zeros(cells)
    half = 0.5 * s * s
    for k in range(cells):
        low, high = points[k], points[k + 1]
        width = edges[k + 1] - edges[k]
        length = high - low
        reach = max(abs(low), abs(high))
        if not length > 0.0:
            continue
        if length * (reach + s + 1.0) <= SMOOTH:
            above, below = up * math.exp(s * low - half), down * math.exp(-s * low - half)
            short = length * (reach + s + 1.0) <= SHORT
            nodes, weights = (SHORT_NODES, SHORT_WEIGHTS) if short else (NODES, WEIGHTS)
            for i in range(nodes.size):
                step = length * nodes[i]
                z = low + step
                weight = length * weights[i] * DENSITY * math.exp(-0.5 * z * z)
                gain = 0.0
                if above > 0.0:
                    gain += above * math.expm1(s * step)
                if below > 0.0:
                    gain -= below * math.expm1(-s * step)
                masses[k] += weight
                rises[k] += weight * gain
                falls[k] += weight * (width - gain)
            errors[k] = UNIT * (48.0 + 2.0 * (reach + s) * (reach + s)) * masses[k] * width
            continue
        mass = _between(low, high)
        mean, size = 0.0, 0.0
        if up > 0.0:
            part = up * _between(low - s, high - s)
            mean, size = mean + part, size + part
        if down > 0.0:
            part = down * _between(low + s, high + s)
            mean, size = mean - part, size + part
        masses[k] = mass
        rises[k] = mean - edges[k] * mass
        falls[k] = edges[k + 1] * mass - mean
        reach = min(reach, 40.0) + s
        # The tails have errors of a few units, and more from their rounded arguments; in such a long cell their
        # difference is at least a third of the nearer one.
        errors[k] = UNIT * (64.0 + 4.0 * reach * reach) * (size + (abs(edges[k]) + abs(edges[k + 1])) * mass)
    return masses, rises, falls, errors


@kernel
def contract(masses, least):
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
