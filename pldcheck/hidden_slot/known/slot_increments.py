"""The increment that one slot adds to the sum, as a law that can be cut into cells.

With A and B the likelihood ratios of the record and of its replacement to the reference, the hockey-stick divergence of
a hidden slot is a stop-loss transform of the sum of the slots' increments: A - 1 (record removed), 1 - A (added),
(A - 1) - c(B - 1) (replaced).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import erfc, exp, hypot, inf, log, sqrt
from typing import Protocol

import numpy as np
from scipy.special import ndtr

from ...core.arrays import Array
from ...core.directed import UNIT, roundoff
from ...kernels.gaussian_cells import ROOT_HALF, gaussian_cells

# Relative error of a normal tail: its argument is rounded, at up to 38 deviations.
TAIL = 8192 * UNIT
# Tails up to this value may have underflown.
TINY = 1e-300
# Deviations beyond which probabilities underflow.
FARTHEST = 39.0
# Points of the coarse law that is used for planning, in deviations.
COARSE_POINTS = np.concatenate(
    [np.linspace(-37.0, -7.0, 31), np.linspace(-6.85, 6.85, 93), np.linspace(7.0, 37.5, 123)]
)


@dataclass(frozen=True, eq=False)
class Cells:
    """The masses, E[X - left edge; cell] and E[right edge - X; cell], and absolute errors of the last two."""

    masses: Array
    rises: Array
    falls: Array
    errors: Array


@dataclass(frozen=True)
class GaussianIncrement:
    r"""X = up A - down B + constant, :math:`A = e^{sz - s^2/2}, B = e^{-sz - s^2/2}`, z ~ N(0, 1).

    ``s`` is the sensitivity over the noise's deviation.
    """

    s: float
    up: float
    down: float
    constant: float

    @property
    def low(self) -> float:
        """The infimum of X."""
        return self.constant if self.down == 0.0 else -inf

    @property
    def high(self) -> float:
        """The supremum of X."""
        return self.constant if self.up == 0.0 else inf

    def points(self, values: Array) -> Array:
        """Return the points z at which X has these values."""
        return self.places(values - self.constant)

    def places(self, w: Array) -> Array:
        """Return the points z at which X - constant has these values."""
        lower = self.down * exp(-self.s * self.s)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            root = np.hypot(w, 2.0 * sqrt(self.up * lower)) if lower > 0.0 else np.abs(w)
            large = (w + root) / (2.0 * self.up) if self.up > 0.0 else np.full_like(w, inf)
            y = np.where(w >= 0.0, large, 2.0 * lower / (root - w))
            return (np.log(np.maximum(y, 0.0)) + 0.5 * self.s * self.s) / self.s

    def values(self, points: Array) -> Array:
        """Return the values of X at these points z."""
        half = 0.5 * self.s * self.s
        with np.errstate(over="ignore"):
            w = self.up * np.exp(self.s * points - half) - self.down * np.exp(-self.s * points - half)
            return w + self.constant

    def cells(self, edges: Array) -> Cells:
        """Return the cells of X between neighbouring edges."""
        w = edges - self.constant
        masses, rises, falls, errors = gaussian_cells(self.up, self.down, self.s, self.points(edges), w)
        # An edge less the constant is rounded, by a large share of a narrow cell: the parts of its width are kept
        # (where the edges are is charged in ``edge_rounding``), so that mass and mean are kept.
        widths = np.diff(w)
        shares = np.divide(np.diff(edges), widths, out=np.ones(widths.size), where=widths > 0.0)
        rises, falls = rises * shares, falls * shares
        return Cells(masses, rises, falls, errors * shares + roundoff(2, rises + falls))

    def below(self, value: float) -> tuple[float, float]:
        """Return P(X <= value) and E[X; X <= value]."""
        z = self._place(value - self.constant)
        mass, a, b = (0.5 * erfc(-point * ROOT_HALF) for point in (z, z - self.s, z + self.s))
        return mass, self.up * a - self.down * b + self.constant * mass

    def _place(self, w: float) -> float:
        """Return the point :meth:`places` of one value."""
        lower = self.down * exp(-self.s * self.s)
        root = hypot(w, 2.0 * sqrt(self.up * lower))
        if w < 0.0:
            y = 2.0 * lower / (root - w)
        else:
            y = (w + root) / (2.0 * self.up) if self.up > 0.0 else inf
        return (log(y) + 0.5 * self.s * self.s) / self.s if y > 0.0 else -inf

    def above(self, value: float) -> tuple[float, float, float, float]:
        """Return P(X > value) and E(X - value)_+, each with an absolute error."""
        results = self.beyond(np.array([value - self.constant]))
        mass, error, excess, doubt = (float(one[0]) for one in results)
        return mass, error, excess, doubt

    def beyond(self, w: Array) -> tuple[Array, Array, Array, Array]:
        """Return the results of :meth:`above` with X - constant in the place of X, for many values."""
        z = self.places(w)
        mass, a, b = ndtr(-z), ndtr(self.s - z), ndtr(-self.s - z)
        relative = TAIL + roundoff(8, (np.minimum(np.abs(z), FARTHEST) + self.s) ** 2)
        size = self.up * a + self.down * b + np.abs(w) * mass
        unsure = TINY * np.isfinite(z)
        underflow = unsure * (self.up * (a < TINY) + self.down * (b < TINY) + np.abs(w) * (mass < TINY))
        excess = self.up * a - self.down * b - w * mass
        return mass, mass * relative + unsure * (mass < TINY), np.maximum(excess, 0.0), size * relative + underflow

    @cached_property
    def coarse(self) -> tuple[Array, Array]:
        """Values and masses of a coarse law, which is used for planning."""
        values = np.full(COARSE_POINTS.size - 1, self.constant)
        with np.errstate(over="ignore", invalid="ignore"):
            for factor, s in ((self.up, self.s), (-self.down, -self.s)):
                if factor != 0.0:
                    values += factor * _means(s)
        return values, _between(0.0)

    @property
    def variance(self) -> float:
        """The variance of X."""
        v, covariance = np.expm1(self.s**2), np.expm1(-(self.s**2))
        return float((self.up * self.up + self.down * self.down) * v - 2.0 * self.up * self.down * covariance)


@lru_cache(maxsize=8)
def _between(s: float) -> Array:
    """Return the masses between the points of the coarse law of a normal variable with mean s, by nearer tails."""
    middle = COARSE_POINTS.size // 2
    masses = np.concatenate(
        [np.diff(ndtr(COARSE_POINTS[: middle + 1] - s)), -np.diff(ndtr(s - COARSE_POINTS[middle:]))]
    )
    masses.flags.writeable = False
    return np.asarray(masses, dtype=np.float64)


def _means(s: float) -> Array:
    """Return the means of e^(sz - s^2/2) between the points of the coarse law.

    Sums of very many steps need accurate means; in far tails a mean need only lie between the ends.
    """
    ends = np.exp(s * COARSE_POINTS - 0.5 * s * s)
    least, most = np.minimum(ends[1:], ends[:-1]), np.maximum(ends[1:], ends[:-1])
    with np.errstate(divide="ignore"):
        means = _between(s) / _between(0.0)
    return np.clip(np.where(np.isfinite(means), means, least), least, most)


def edge_rounding(increment: object) -> tuple[float, float]:
    r"""Return (units, size): an edge x of a cell is the value at its point but for at most UNIT units (abs(x) + size).

    For a Gaussian's: with W = up A - down B the terms are at most :math:`|W| + 2\max(up, down)` together, of one term
    :math:`|W|`.  x less the
    constant is rounded; y = e^(sz - s^2/2) from W within 6 units; its log, s^2/2, their sum and the quotient by s move
    sz by at most 2(abs(sz) + s^2) units and 4, z within 39 deviations.  Those of finite laws are charged to masses.
    """
    increment = getattr(increment, "whole", increment)  # a law that is cut or raised has the same points
    if isinstance(increment, GaussianIncrement):
        both = min(increment.up, increment.down) > 0.0
        size = 2.0 * abs(increment.constant) + (2.0 * max(increment.up, increment.down) if both else 0.0)
        return 16.0 + 4.0 * increment.s * (FARTHEST + increment.s), size
    return 16.0, 0.0


@dataclass(frozen=True, eq=False)
class FiniteIncrement:
    """A random variable X with finitely many values in increasing order.

    ``error`` is the relative error of the masses.
    """

    atoms: Array
    masses: Array
    error: float = roundoff(16)

    @classmethod
    def of(cls, values: Array, masses: Array, error: float = roundoff(16)) -> FiniteIncrement:
        """Return the increment with these values, in any order."""
        order = np.argsort(values, kind="stable")
        return cls(values[order], masses[order], error)

    @property
    def low(self) -> float:
        """The least value."""
        return float(self.atoms[0])

    @property
    def high(self) -> float:
        """The largest value."""
        return float(self.atoms[-1])

    @property
    def coarse(self) -> tuple[Array, Array]:
        """Values and masses."""
        return self.atoms, self.masses

    @property
    def variance(self) -> float:
        """The variance of X."""
        return float(self.masses @ (self.atoms - self.masses @ self.atoms) ** 2)

    def cells(self, edges: Array) -> Cells:
        """Return the cells of X between neighbouring edges, the right one included."""
        place = np.searchsorted(edges, self.atoms, side="left") - 1
        inside = (place >= 0) & (place < edges.size - 1)
        cell_of_atom, values, masses = place[inside], self.atoms[inside], self.masses[inside]
        count = edges.size - 1
        columns = (masses, masses * (values - edges[cell_of_atom]), masses * (edges[cell_of_atom + 1] - values))
        total, rises, falls = (np.bincount(cell_of_atom, terms, count).astype(np.float64) for terms in columns)
        sizes = np.maximum(np.abs(edges[1:]), np.abs(edges[:-1])) + np.diff(edges)
        return Cells(total, rises, falls, total * sizes * (self.error + roundoff(8)))

    def below(self, value: float) -> tuple[float, float]:
        """Return P(X <= value) and E[X; X <= value]."""
        inside = self.atoms <= value
        return float(self.masses[inside].sum()), float(self.masses[inside] @ self.atoms[inside])

    def above(self, value: float) -> tuple[float, float, float, float]:
        """Return P(X > value) and E(X - value)_+, each with an absolute error."""
        inside = self.atoms > value
        mass = float(self.masses[inside].sum())
        excess = float(self.masses[inside] @ (self.atoms[inside] - value))
        size = float(self.masses[inside] @ (np.abs(self.atoms[inside]) + abs(value)))
        return mass, mass * (self.error + roundoff(64)), excess, size * (self.error + roundoff(64))


class Increment(Protocol):
    """The interface of the law of an increment X, one term of a sum."""

    @property
    def low(self) -> float:
        """The infimum of X."""

    @property
    def high(self) -> float:
        """The supremum of X."""

    @property
    def coarse(self) -> tuple[Array, Array]:
        """Values and masses of a coarse law, which is used for planning."""

    @property
    def variance(self) -> float:
        """The variance of X."""

    def cells(self, edges: Array) -> Cells:
        """Return the cells of X between neighbouring edges."""

    def below(self, value: float) -> tuple[float, float]:
        """Return P(X <= value) and E[X; X <= value]."""

    def above(self, value: float) -> tuple[float, float, float, float]:
        """Return P(X > value) and E(X - value)_+, each with an absolute error."""
