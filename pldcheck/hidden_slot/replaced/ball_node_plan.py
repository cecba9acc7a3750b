"""Uneven nodes for the value function of a hidden slot in a ball: any nodes are sound, good ones make it narrow."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, expm1, inf, log, log1p, sqrt

import numpy as np
from scipy.special import ndtri

from ...core.arrays import Array

# Spacing at fineness 1: next to 0 relative to c, farther out relative to the distance, and in one step's deviations.
NEXT_TO_ZERO, GROWTH, DEVIATIONS = 0.06, 0.08, 0.16
# Within how many deviations of the recursion's steps its nodes are so close.
CLOSE_DEVIATIONS = 2.5
# How far the nodes reach: deviations of the sum, and the share of the value that one step leaves beyond.
FAR_DEVIATIONS, FAR_SHARE = 14.0, 1e-4
# Sensitivity over deviation up to which a step's deviation says how far most steps lead.
LARGEST_TYPICAL_S = 2.0
# Spacing of the nodes of one step's curve, relative to those of the value.
CURVE_SHARE = 0.5


@dataclass(frozen=True)
class NodePlan:
    """The spacing of nodes on both sides of 0, and their ends."""

    left: float
    right: float
    growth: float
    typical: float
    close: float
    low: float
    high: float

    @classmethod
    def of(cls, s: float, c: float, steps: int, count: int, value: float, fine: float) -> NodePlan:
        """Return a plan for V of all steps about ``value``, of which ``count`` are steps of the recursion."""
        deviation = sqrt((1.0 + c * c) * expm1(s * s) - 2.0 * c * expm1(0.5 * s * s))
        unit = fine * NEXT_TO_ZERO * c * min(s, 1.0)
        # Sums of typical steps are as small as c e^(-s^2/2 - 4 s), and the value bends as near to 0.
        right = unit * exp(-max(0.5 * s * s + 4.0 * s - 5.0, 0.0))
        left = unit * exp(-max(0.25 * s * s + 2.0 * s - 4.0, 0.0))
        quantile = -float(ndtri(min(max(FAR_SHARE * value / steps, 1e-300), 0.1)))
        jump = exp(min(s * quantile + 0.5 * s * s, 690.0))
        typical = s < LARGEST_TYPICAL_S
        far = jump + (FAR_DEVIATIONS * deviation * sqrt(steps) if typical else 0.0)
        spacing = fine * DEVIATIONS * deviation if typical else inf
        close = CLOSE_DEVIATIONS * deviation * sqrt(count)
        return cls(left, right, fine * GROWTH, spacing, close, far, far)

    @property
    def of_curve(self) -> NodePlan:
        """The nodes of one step's curve: all differences of these nodes, and closer."""
        near = CURVE_SHARE * min(self.left, self.right)
        reach = self.low + self.high
        return NodePlan(near, near, CURVE_SHARE * self.growth, inf, 0.0, reach, reach)

    @property
    def nodes(self) -> Array:
        """All nodes."""
        left, right = self._side(self.left, self.low), self._side(self.right, self.high)
        return np.concatenate([-left[::-1], [0.0], right])

    def _side(self, first: float, last: float) -> Array:
        """Return nodes above 0: evenly spaced, then growing, then evenly where steps are typical, then growing."""
        pieces, end = [], 0.0

        def evenly(spacing: float, to: float) -> None:
            nonlocal end
            if to > end:
                count = ceil((to - end) / spacing)
                pieces.append(end + spacing * np.arange(1.0, count + 1.0))
                end += spacing * count

        def growing(to: float, center: float) -> None:
            nonlocal end
            if to > end:
                count = ceil(log((to - center) / (end - center)) / log1p(self.growth))
                pieces.append(center + (end - center) * np.exp(log1p(self.growth) * np.arange(1.0, count + 1.0)))
                end = float(pieces[-1][-1])

        evenly(first, min(first / self.growth, last))
        growing(min(self.typical / self.growth, last), 0.0)
        if end < min(self.close, last):
            evenly(self.typical, min(self.close, last))
            growing(last, max(end - self.typical / self.growth, 0.0))
        growing(last, 0.0)
        return np.concatenate(pieces)
