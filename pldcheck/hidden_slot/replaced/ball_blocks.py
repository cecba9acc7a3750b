"""Many steps of any configuration on a lattice (see :mod:`pldcheck.hidden_slot.replaced.ball_stoploss`)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, exp, floor, inf, log2, sqrt

import numpy as np
from numpy.fft import irfft, rfft

from ...core.arrays import Array
from ...core.directed import UNIT, Side, enlarge
from ...core.fourier import fast_length
from ..known.ball_one_step import Join
from ..known.slot_increments import FiniteIncrement
from .ball_lattice_laws import ENDS, Lattice, Triangle, draw_together, glue

# Deviations within which a walk is followed.
STRAY_DEVIATIONS = 8.0
# Deviations where the left tail of B is cut.
LOWEST_DEVIATION = 6.5
# Relative amount of the value that is cut off at the right.
CUT_SHARE = 1e-4
# Largest exponent of a tilt.
MOST_EXPONENT = 300.0
# Coarsest lattice.
COARSEST = 0.5
# Error of a convolution by FFT, relative to the 2-norm of one factor and the sum of the other, times the log2 of its
# length.
FFT_ERROR = 16 * UNIT


@dataclass(frozen=True, eq=False)
class Potential:
    """The values of V_t on the nodes ``step`` times -left, -left + 1, ...: upper or lower bounds."""

    step: float
    left: int
    values: Array

    def at(self, start: float) -> tuple[float, float]:
        """Return V at a point, interpolated linearly for an upper bound, and V at the node below it."""
        place = start / self.step
        node = floor(place)
        if not -self.left <= node < self.values.size - self.left - 1:
            return inf, 0.0
        share = place - node
        here, there = self.values[node + self.left], self.values[node + self.left + 1]
        return enlarge(float(here + share * (there - here)), 8), float(here)


def recursion(
    laws: list[Array], lattice: Lattice, window: tuple[int, int], count: int, theta: float, c: float, side: Side
) -> Potential:
    """Return V_count for the measures ``laws`` on a lattice; tilting by ``theta`` keeps precision.

    For an upper bound V is continued by its first value to the left and with slope 1 to the right; for a lower bound by
    0 and by y - t(c - 1) (Jensen).  Only the true V, which the values bound, need be convex, with slopes between 0 and
    1.
    """
    h, (left, right) = lattice.step, window
    span = lattice.left + lattice.right
    nodes = h * np.arange(-left, right + 1.0)
    padded_nodes = h * np.arange(-left - lattice.left, right + lattice.right + 1.0)
    size = fast_length(padded_nodes.size)
    decay, growth = np.exp(-theta * padded_nodes), np.exp(theta * nodes)
    tilted_laws = np.zeros((len(laws), size))
    for row, law in zip(tilted_laws, laws, strict=True):
        row[: span + 1] = (law * np.exp(theta * lattice.nodes))[::-1]
    growths = np.sum(tilted_laws, axis=1)
    doubt = FFT_ERROR * log2(size) * float(np.max(growths))
    transforms = rfft(tilted_laws, axis=1)
    exponent = UNIT * (32.0 + 8.0 * theta * h * max(padded_nodes.size, span))
    sign = side.sign
    # V_t(y) <= exp(t K + theta y - 1)/theta: this holds for t = 0, and each step multiplies the exponential by e^K.
    cumulant = np.log(np.max(growths))
    cumulant += exponent * (1.0 + abs(cumulant))
    values = np.maximum(nodes, 0.0)
    for t in range(count):
        most = np.exp(t * cumulant - 1.0) / theta * (1.0 + exponent)
        if side is Side.UPPER:
            tail = values[-1] + h * np.arange(1.0, lattice.right + 1.0)
            extended_values = decay * np.concatenate([np.full(lattice.left, values[0]), values, tail])
            extended_values[: lattice.left] = np.minimum(extended_values[: lattice.left], most)
        else:
            tail = np.maximum(padded_nodes[padded_nodes.size - lattice.right :] - enlarge(t * (c - 1.0), 4), values[-1])
            extended_values = decay * np.concatenate([np.zeros(lattice.left), values, tail])
        next_values = irfft(transforms * rfft(extended_values, size), size, axis=1)[:, span : span + nodes.size].max(
            axis=0
        )
        error = doubt * float(np.sqrt(np.sum(extended_values**2)))
        next_values = (
            np.minimum(next_values + sign * error, most * np.exp(cumulant) * (1.0 + exponent))
            if side is Side.UPPER
            else next_values - error
        )
        values = np.maximum(next_values * growth * (1.0 + sign * exponent), 0.0)
    return Potential(h, left, values)


@dataclass(frozen=True)
class Scheme:
    """The lattice, window and tilt by which ``count`` steps are computed: all of them, or one block."""

    lattice: Lattice
    window: tuple[int, int]
    count: int
    theta: float

    @classmethod
    def of(cls, s: float, c: float, steps: int, count: int, start: float, estimate: float, fine: float) -> Scheme:
        """Return a scheme for V of all the steps at ``start``, where V is about ``estimate``; any scheme is sound."""
        single = np.expm1(s * s)
        deviation = sqrt((1.0 + c * c) * single - 2.0 * c * np.expm1(0.5 * s * s))
        h = fine * sqrt(deviation * sqrt(single))
        way = -start * count / steps
        # The walk strays, and drifts by 1 - c a step, which one large step may make up for, early or late.
        reach = STRAY_DEVIATIONS * deviation * sqrt(count) + count * (c - 1.0)
        values, masses = Join(s, c).coarse
        values = values - (c - 1.0)
        tail = np.cumsum((masses * values)[::-1])[::-1] - values * np.cumsum(masses[::-1])[::-1]
        light = values[(values > 0.0) & (steps * tail < CUT_SHARE * estimate)]
        cap = min(float(light[0]) if light.size else inf, 2.0 * reach + way)
        low = min(c * exp(s * LOWEST_DEVIATION - 0.5 * s * s), 2.0 * reach)
        lattice = Lattice(h, ceil(low / h), ceil(cap / h) + 1)
        window = (ceil((reach + way) / h), ceil(reach / h))
        thetas = np.logspace(-3.0, 3.0, 241) / (deviation * sqrt(steps))
        span = h * (sum(window) + lattice.left + lattice.right)
        thetas = thetas[thetas <= max(MOST_EXPONENT / span, thetas[0])]
        exponents = np.outer(thetas, np.clip(values, -low, cap))
        top = exponents.max(axis=1)
        goal = steps * (top + np.log(np.exp(exponents - top[:, None]) @ masses)) + thetas * start - 2.0 * np.log(thetas)
        return cls(lattice, window, count, float(thetas[np.argmin(goal)]))

    @classmethod
    def within(
        cls, s: float, c: float, steps: int, count: int, start: float, estimate: float, fine: float, most: float
    ) -> Scheme | None:
        """Return a scheme with at most ``most`` work, coarser if necessary; None if it would be much coarser."""
        while fine <= COARSEST:
            scheme = cls.of(s, c, steps, count, start, estimate, fine)
            if scheme.work <= most:
                return scheme
            fine *= 1.5
        return None

    @property
    def work(self) -> int:
        """Number of nodes that are visited."""
        return self.count * (sum(self.window) + 2 * (self.lattice.left + self.lattice.right))


def above(s: float, c: float, scheme: Scheme, pieces: int) -> tuple[Potential, float]:
    """Return an upper bound of V for any policy, and a number that, times the number of steps, must be added to it."""
    lattice = scheme.lattice
    # The best configuration is more often near the ends of the arcs.
    lengths = np.sqrt(0.5 - 0.5 * np.cos(np.pi * np.arange(pieces + 1) / pieces))
    laws: list[Array] = []
    lack = 0.0
    for far in (True, False):
        triangles = [Triangle(s, c, min(float(length), 1.0), far, True) for length in lengths]
        parts = [triangle.on(lattice) for triangle in triangles]
        lack = max(lack, *(one.beyond + part.excess for one, part in zip(triangles, parts, strict=True)))
        if not far:
            parts.reverse()
        laws += [glue(right, left, lattice, c) for right, left in pairwise(parts)]
    potential = recursion(laws, lattice, scheme.window, scheme.count, scheme.theta, c, Side.UPPER)
    return potential, lack * (1.0 + ENDS)


def below(s: float, c: float, scheme: Scheme) -> Potential:
    """Return V of the best policy that takes the record removed, the record added, or the equilateral triangle."""
    triangles = Triangle(s, c, 0.0, True, False), Triangle(s, c, 1.0, True, False), Triangle(s, c, 0.0, False, False)
    laws = [draw_together(triangle, scheme.lattice) for triangle in triangles]
    return recursion(laws, scheme.lattice, scheme.window, scheme.count, scheme.theta, c, Side.LOWER)


def block(potential: Potential, count: int, c: float, width: float) -> tuple[FiniteIncrement, float]:
    """Return the law, of mean zero, whose transform is V on nodes ``width`` apart, and the excess beyond its last atom.

    Between the nodes V, being convex, is below the straight lines.  Slopes are made to increase, which only raises the
    lines.
    """
    every = max(int(width / potential.step), 1)
    values = potential.values[::every]
    spacing = every * potential.step
    slopes = np.maximum.accumulate(np.append(enlarge(np.diff(values) / spacing, 8), 1.0))
    masses = np.diff(slopes, prepend=0.0)
    nodes = spacing * np.arange(values.size) - potential.left * potential.step
    atoms = np.asarray(count * (c - 1.0) - nodes, dtype=np.float64)
    return FiniteIncrement.of(atoms, masses, ENDS), float(values[0])
