"""Configurations of three points on a lattice, from above and from below: see :mod:`.ball_stoploss`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp, sqrt

import numpy as np
from scipy.special import ndtr

from ...core.arrays import Array
from ...core.directed import UNIT, enlarge, roundoff, shrink
from ...kernels.gaussian_cells import contract, gaussian_cells
from ..known.slot_increments import TAIL, Cells

# Cells of the variable that the two ratios share: their width near the middle, in deviations.
FINE_WIDTH = 0.2
# Width of cells farther out, in deviations.
WIDE_WIDTH = 8.0
# Where the fine cells end, in deviations.
FINE_END = 5.0
# Where the wide cells end, in deviations.
WIDE_END = 10.0
# A mass is kept if it is at least this many times its error.
HEAVY_RATIO = 1e3
# Masses below this are not kept.
LEAST_MASS = 1e-30
# Below this point (in deviations) the mass is negligible.
LEAST_POINT = -39.0
# Relative error of masses and means: that of a normal tail, of an arc (656 units for s up to 10), and of products.
ENDS = TAIL + 4096 * UNIT
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(15)


@dataclass(frozen=True, eq=False)
class Triangle:
    r"""X' = fE - cS where d is at distance 1 and d' at ``length`` from the base, or S - cfE the other way round.

    Of the two ratios that of the shorter vector is :math:`S = e^{szl - s^2 l^2/2}`, the other one fE, :math:`f =
    e^{szl/2 - s^2 l^2/8}`, E lognormal of mean 1 and log-variance :math:`s^2(1 - l^2/4)`, independent of z.  S is a
    constant times f^2: over a cell of z the point (f, S) runs along an arc of a parabola.  ``spread``: it is replaced
    by the ends of the arc and the point where their tangents meet, with the Bernstein weights (of which (f, S) is the
    mean), which raises the law in convex order; otherwise by its mean over the cell, which lowers it.
    """

    s: float
    c: float
    length: float
    far: bool  # d is the one at distance 1
    spread: bool
    fine_width: float = FINE_WIDTH  # of cells near the middle
    wide_end: float = WIDE_END  # where the wide cells end

    @property
    def deviation(self) -> float:
        """Standard deviation of log E."""
        return self.s * sqrt(1.0 - 0.25 * self.length**2)

    @cached_property
    def _edges(self) -> Array:
        shift = self.s * self.length
        near = np.linspace(-FINE_END, FINE_END + shift, ceil((2.0 * FINE_END + shift) / self.fine_width) + 1)
        left, right = (
            np.sqrt(a * a + WIDE_WIDTH * np.arange(1.0, ceil((b * b - a * a) / WIDE_WIDTH) + 1))
            for a, b in ((FINE_END, self.wide_end), (FINE_END + shift, self.wide_end + shift))
        )
        return np.concatenate([-left[::-1], near, right])

    @cached_property
    def arc(self) -> tuple[Array, Array, Array]:
        """The values of f and S, and their masses."""
        rate = 0.5 * self.s * self.length
        if rate == 0.0:
            return np.ones(1), np.ones(1), np.ones(1)
        edges = self._edges
        half = 0.5 * np.diff(edges)
        points = 0.5 * (edges[1:] + edges[:-1])[:, None] + half[:, None] * _NODES
        density = half[:, None] * _WEIGHTS * np.exp(-0.5 * points**2) / sqrt(2.0 * np.pi)
        # f = first (1 + t), S = square (1 + t)^2, t from 0 to full
        t, full = np.expm1(rate * (points - edges[:-1, None])), np.expm1(2.0 * rate * half)
        first, square = np.exp(rate * edges - 0.5 * rate**2), np.exp(2.0 * rate * edges - 2.0 * rate**2)
        ends = np.array([edges[0], -edges[-1]])
        if self.spread:
            u = t / full[:, None]
            masses = np.concatenate([[0.0], np.sum(density * u**2, axis=1)])
            masses[:-1] += np.sum(density * (1.0 - u) ** 2, axis=1)
            masses[[0, -1]] += ndtr(ends)
            between = np.sum(density * 2.0 * u * (1.0 - u), axis=1)
            f = np.concatenate([first, first[:-1] * (1.0 + 0.5 * full)])
            return f, np.concatenate([square, square[:-1] * (1.0 + full)]), np.concatenate([masses, between])
        tails, shift = ndtr(ends), np.array([-rate, rate])
        masses = np.sum(density, axis=1)
        f, square_mean = (
            first[:-1] * np.sum(density * (1.0 + t), axis=1),
            square[:-1] * np.sum(density * (1.0 + t) ** 2, axis=1),
        )
        masses = np.concatenate([masses, tails])
        return (
            np.concatenate([f, ndtr(ends + shift)]) / masses,
            np.concatenate([square_mean, ndtr(ends + 2.0 * shift)]) / masses,
            masses,
        )

    @property
    def arc_error(self) -> float:
        """Return a bound on the relative errors of the arc's masses and of the values of f and S.

        Exponents are rounded, and the 15-point rule has a remainder: both grow with the square of the rate at which f
        does.  The bound is swept against balls for s up to 20 (tests/ledger/test_ledger_arcs.py).  Cells beyond
        ``WIDE_END`` have larger exponents z^2/2, whose two factors are rounded.
        """
        shift = self.s * self.length
        farther = (self.wide_end + shift) ** 2 - (WIDE_END + shift) ** 2
        return UNIT * (256.0 + 4.0 * shift**2 + 4.0 * max(farther, 0.0))

    @property
    def beyond(self) -> float:
        r"""A bound of the excess beyond the ends of the arc: ``spread`` puts the mass there at the ends.

        Left of them X' moves by at most fE + cS or S + cfE at the end itself, right of them by at most that at z; E[f;
        z > e] and E[S; z > e] are at most :math:`\Phi(sl - e)`.
        """
        if not self.spread or self.length == 0.0:
            return 0.0
        edges = self._edges
        least = exp(0.5 * self.s * self.length * float(edges[0]))
        return float((1.0 + self.c) * (2.0 * least * ndtr(edges[0]) + ndtr(self.s * self.length - edges[-1]))) * (
            1.0 + TAIL
        )

    def on(self, lattice: Lattice) -> Part:
        """Return the triangle's cells on a lattice, and the masses outside."""
        tau, edges = self.deviation, lattice.nodes
        if not self.far:
            edges = -edges[::-1]
        up, down = (1.0, self.c) if self.far else (self.c, 1.0)
        sums, outside, lack = np.zeros((4, edges.size - 1)), np.zeros(2), np.zeros(2)
        for f, square, mass in zip(*self.arc, strict=True):
            w = edges + down * square
            with np.errstate(divide="ignore"):
                points = np.maximum(np.log(np.maximum(w, 0.0) / (up * f)) / tau + 0.5 * tau, LEAST_POINT)
            cells = np.array(gaussian_cells(up * f, 0.0, tau, points, w))
            # Values of f and S move X' by that share of fE and cS, of which one is at most the other and an edge.
            wide = 2.0 * self.arc_error + roundoff(64)
            cells[3] += wide * (down * square + abs(edges[0]) + abs(edges[-1])) * cells[0]
            sums += mass * cells
            near, far = ndtr([points[0], points[0] - tau]), ndtr([-points[-1], tau - points[-1]])
            outside += mass * np.array([near[0], far[0]])
            size = up * f * np.array([near[1], far[1]]), np.abs(w[[0, -1]]) * [near[0], far[0]]
            lack += mass * ((size[1] - size[0]) * [1.0, -1.0] + ENDS * (size[0] + size[1]))
        if not self.far:
            sums, outside, lack = sums[[0, 2, 1, 3], ::-1], outside[::-1], lack[::-1]
        sums[3] += (self.arc_error + roundoff(256)) * (sums[1] + sums[2])
        return Part(Cells(*sums), float(outside[0]), float(outside[1]), *np.maximum(lack, 0.0))


@dataclass(frozen=True)
class Lattice:
    """The nodes ``step`` times -left, ..., right."""

    step: float
    left: int
    right: int

    @property
    def nodes(self) -> Array:
        """All the nodes."""
        return self.step * np.arange(-self.left, self.right + 1.0)


@dataclass(frozen=True, eq=False)
class Part:
    """Cells on a lattice, the masses to its left and right, E(first node - X')_+ and E(X' - last node)_+."""

    cells: Cells
    left: float
    right: float
    lack: float
    excess: float


def glue(right: Part, left: Part, lattice: Lattice, c: float) -> Array:
    """Return masses on the nodes of the law that is ``right`` above 0 and ``left`` below; the rest of its mass is at 0.

    Mass left of the lattice is raised to its first node, mass right of it is lowered to its last one: the loss is
    ``right.excess``.  For k < 0 the transform of the result is its mean plus a put that only depends on ``left``: the
    mean must not be less than 1 - c plus the shortfall of ``left`` below the first node.
    """
    h, zero = lattice.step, lattice.left
    masses = np.zeros(lattice.left + lattice.right + 1)
    for part, where in ((right.cells, slice(zero, None)), (left.cells, slice(None, zero))):
        low = masses[:-1][where]
        low += (part.falls + part.errors)[where] / h
        high = masses[1:][where]
        high += (part.rises + part.errors)[where] / h
    masses[0] += left.left * (1.0 + ENDS)
    masses[-1] += right.right * (1.0 + ENDS)
    above = float(np.sum(right.cells.masses[zero:]) + right.right)
    below = float(np.sum(left.cells.masses[:zero]) + left.left)
    doubt = float(np.sum(right.cells.errors[zero:]) + np.sum(left.cells.errors[:zero])) / h
    masses[zero] += max(1.0 - above - below, 0.0) + doubt + ENDS + masses.size * UNIT
    # The mean of so many terms, each of two factors, is rounded by a unit each at most.
    mean_rounding = (masses.size + 8.0) * UNIT * float(masses @ np.abs(lattice.nodes))
    shortfall = 1.0 - c + left.lack - float(masses @ lattice.nodes) + mean_rounding
    extra_mass = max(shortfall, 0.0) / h
    masses[zero] = max(masses[zero] - extra_mass, 0.0)
    masses[zero + 1] += extra_mass
    return enlarge(masses, 8)


def draw_together(triangle: Triangle, lattice: Lattice) -> Array:
    """Return masses on the nodes of a law that the triangle dominates, for increasing non-negative convex payoffs.

    Each half cell goes to the node next to it, with the chord of :mod:`pldcheck.hidden_slot.known.increment_lattice`;
    mass right of the lattice is lowered to its last node, mass left of it is left out.  Where the lattice is too coarse
    for that, each cell is lowered to its left node.
    """
    h = lattice.step
    part = triangle.on(Lattice(0.5 * h, 2 * lattice.left, 2 * lattice.right))
    cells, size = part.cells, lattice.left + lattice.right + 1
    sure = np.maximum(cells.masses - 2.0 * cells.errors / h, 0.0)
    lowered_masses = np.append(sure[::2] + sure[1::2], part.right) * (1.0 - ENDS)
    masses, offsets, doubts = np.zeros(size), np.zeros(size), np.zeros(size)
    masses[:-1] += cells.masses[::2]
    masses[1:-1] += cells.masses[1:-1:2]
    offsets[1:-1] += cells.rises[2::2] - cells.falls[1:-1:2]  # mass in the first cell is lowered to the first node
    doubts[:-1] += cells.errors[::2] / h
    doubts[1:-1] += cells.errors[1:-1:2] / h
    # The last node has only the mass that lies right of it.
    masses[-2] += cells.masses[-1]
    offsets[-2] += cells.rises[-1] + 0.5 * h * cells.masses[-1]
    doubts[-2] += 2.0 * cells.errors[-1] / h
    masses[-1] += part.right
    # End nodes with less mass than error are left out.
    heavy = np.flatnonzero(masses > np.maximum(HEAVY_RATIO * doubts, LEAST_MASS))
    if heavy.size < 4:
        return lowered_masses
    first, last = int(heavy[0]), int(heavy[-1])
    # The last node has none to its right, and its mass lies h + offset above the one to its left.
    while last > first + 3 and offsets[last] < 0.0:
        masses[last - 1] += masses[last]
        offsets[last - 1] += offsets[last] + h * masses[last]
        doubts[last - 1] += 2.0 * doubts[last]
        last -= 1
    heavy_nodes = slice(first, last + 1)
    masses, offsets, doubts = masses[heavy_nodes], offsets[heavy_nodes], doubts[heavy_nodes]
    # Where the node to the left has too little mass to take from, the cell's mass is lowered to its own node.
    requirements = np.maximum(2.0 * offsets[1:] / h, HEAVY_RATIO * doubts[1:])
    offsets[1:] = np.where((offsets[1:] > 0.0) & (requirements > masses[:-1]), 0.0, offsets[1:])
    offsets[0] = min(offsets[0], 0.0)
    shares = np.abs(offsets) / h
    signed_masses = masses + shares
    signed_masses[:-1] -= np.where(offsets > 0.0, shares, 0.0)[1:]
    signed_masses[1:] -= np.where(offsets < 0.0, shares, 0.0)[:-1]
    errors = 4.0 * doubts + ENDS * (masses + shares)
    errors[:-1] += np.where(offsets > 0.0, doubts + ENDS * shares, 0.0)[1:]
    errors[1:] += np.where(offsets < 0.0, doubts + ENDS * shares, 0.0)[:-1]
    if not contract(signed_masses, errors):
        return lowered_masses
    law = np.zeros(size)
    law[heavy_nodes] = shrink(np.maximum(signed_masses - errors, 0.0), 8)
    return law
