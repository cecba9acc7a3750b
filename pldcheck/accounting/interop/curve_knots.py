"""A privacy curve between points where both of its ends are known: what convexity gives from above and from below."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.directed import roundoff, shrink
from ...pld.step_losses import Array

# Roundings of a probability of infinite loss, of a sum of logarithms.
INFINITY_UNITS = 16.0


@dataclass(frozen=True, eq=False)
class Knots:
    r"""Both ends of a curve at some points of the lattice, and the convex bounds that they give between.

    The chord between two points that are not below the curve is not below it.  Between two knots the curve is not below
    the line through the left one and the one before it, nor below that through the right one and the next: before the
    first knot and after the last one :math:`1 - \kappa` and ``infinity`` are such lines.
    """

    epsilons: Array
    places: np.ndarray
    low: Array
    high: Array
    infinity: float

    def lines(self, between: np.ndarray) -> tuple[Array, Array]:
        """Return the values of the left and of the right line of every interval at one place in it."""
        e = self.epsilons[between]
        inner = np.arange(1, self.places.size - 1)
        left = -np.expm1(np.minimum(e, 0.0))
        left[1:] = self._line(inner - 1, inner, e[1:])
        right = np.full(e.size, shrink(self.infinity, INFINITY_UNITS))
        right[:-1] = self._line(inner + 1, inner, e[:-1])
        return left, right

    def _line(self, far: np.ndarray, near: np.ndarray, e: Array) -> Array:
        """Return values of lines that are not above the curve beyond ``near``, seen from ``far``."""
        a, b = self.epsilons[self.places[far]], self.epsilons[self.places[near]]
        change = (self.low[near] - self.high[far]) * np.expm1(e - b) / -np.expm1(a - b)
        return self.low[near] + change - roundoff(8, self.low[near] + np.abs(change))

    def corners(self) -> tuple[np.ndarray, Array]:
        """Return a place in each interval next to where its two lines meet, and the lower line there.

        Whatever the place is, the segments from the knots to that point are below a line each, so below the curve.
        """
        # The left line falls below the right one once.
        first, last = self.places[:-1].copy(), self.places[1:].copy()
        while np.any(last - first > 1):
            middle = (first + last) // 2
            left, right = self.lines(middle)
            above = left >= right
            first, last = np.where(above, middle, first), np.where(above, last, middle)
        # Next to the left knot the place after the meeting serves as well, unless the line is below 0 there.
        inside = (first == self.places[:-1]) & (last < self.places[1:]) & (self.lines(last)[0] >= 0.0)
        between = np.where(inside, last, first)
        return between, np.minimum(*self.lines(between))

    def dots_below(self) -> tuple[np.ndarray, Array]:
        """Return points of which every two neighbours have their segment below the curve."""
        ends = self.low.copy()
        ends[0] = min(ends[0], -float(np.expm1(min(self.epsilons[self.places[0]], 0.0))))
        ends[-1] = min(ends[-1], shrink(self.infinity, INFINITY_UNITS))
        between, corners = self.corners()
        places = np.concatenate([self.places, between])
        values = np.maximum(np.concatenate([ends, corners]), 0.0)
        order = np.lexsort((values, places))
        places, values = places[order], values[order]
        # A corner at a knot lowers it.
        lowest = np.append(True, np.diff(places) > 0)
        return places[lowest], values[lowest]
