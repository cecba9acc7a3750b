r"""delta of the sum of two losses with many values each, without all their sums.

With the curve :math:`\delta_2(x) = E(1 - e^{x - L_2})_+` of the second loss, for all real x,
:math:`\delta(\epsilon) = E \delta_2(\epsilon - L_1)`: one look at a table for each value of the first.  All terms are
positive, so that the only error is round-off, however small delta is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import expm1

import numpy as np

from ..core.directed import Ends, enlarge, roundoff
from .enumerated_sums import SUBNORMAL, laws_of
from .loss_total import Total
from .step_losses import Array, Atoms

# Roundings in one step of the recursion of a curve: two functions with 4 each, the difference of two losses, two
# products and two sums.
ROUNDINGS_OF_STEP = 16
# Other roundings of a sum over all values, with numpy's pairwise summation.
ROUNDINGS_OF_SUM = 128


@dataclass(frozen=True, eq=False)
class Curve:
    """The curve of one loss: its values l in order, P(L >= l), and delta(l)."""

    losses: Array
    tails: Array
    gains: Array

    @classmethod
    def of(cls, law: Atoms) -> Curve:
        r"""Return the curve of a law.

        From a value l to the one below it, l - w:
        :math:`\delta(l - w) = (1 - e^{-w}) P(L \ge l) + e^{-w} \delta(l)`.
        """
        order = np.argsort(law.losses, kind="stable")
        losses, masses = law.losses[order], law.masses[order]
        tails = np.cumsum(masses[::-1])[::-1]
        widths = np.diff(losses)
        rises, keeps, gains = (-np.expm1(-widths) * tails[1:]).tolist(), np.exp(-widths).tolist(), [0.0]
        for rise, keep in zip(reversed(rises), reversed(keeps), strict=True):
            gains.append(rise + keep * gains[-1])
        return cls(losses, tails, np.array(gains[::-1]))

    def delta(self, points: Array) -> Array:
        """Return delta at any points."""
        places = np.searchsorted(self.losses, points, side="right")
        inside = np.minimum(places, self.losses.size - 1)
        widths = np.maximum(self.losses[inside] - points, 0.0)
        values = -np.expm1(-widths) * self.tails[inside] + np.exp(-widths) * self.gains[inside]
        return np.where(places < self.losses.size, values, 0.0)

    def tail(self, points: Array) -> Array:
        """Return P(L > x) at any points x."""
        return np.append(self.tails, 0.0)[np.searchsorted(self.losses, points, side="right")]


@dataclass(frozen=True, eq=False)
class PairedSum:
    """The sum of two losses; ``infinity`` has both ends of the probability that one of them is infinite."""

    first: Atoms
    second: Atoms
    infinity: tuple[float, float]

    @cached_property
    def _curve(self) -> Curve:
        return Curve.of(self.second)

    def ends(self, epsilon: float) -> Ends:
        """Return the ends of delta."""
        first, curve = self.first, self._curve
        points = epsilon - first.losses
        low, high = self.infinity
        value = (1.0 - low) * float(np.sum(first.masses * curve.delta(points)))
        # A loss off by e changes 1 - e^(epsilon - l) by at most e; values just below epsilon may come in.
        shift = first.loss_error + self.second.loss_error + roundoff(2, abs(epsilon) + float(np.max(np.abs(points))))
        inside = enlarge(float(np.sum(first.masses * curve.tail(points - 2.0 * shift))), ROUNDINGS_OF_SUM)
        masses = expm1(first.mass_error + self.second.mass_error)
        error = value * (masses + roundoff(ROUNDINGS_OF_STEP * curve.losses.size + ROUNDINGS_OF_SUM))
        error += inside * shift * (1.0 + masses + roundoff(curve.losses.size)) + (high - low)
        value += low
        error += roundoff(4, value)
        least = value - error - (first.losses.size + curve.losses.size) * SUBNORMAL
        return Ends(max(least, 0.0), min(value + error, 1.0), 0.0, 2.0 * error)


def paired_sum(total: Total) -> PairedSum | None:
    """Return the sum if it is one of two losses with finitely many values, else None."""
    if total.variance > 0.0 or total.laplace.size or total.log_mass_share or total.nodes is not None:
        return None
    if total.responses.size or float(np.sum(total.counts)) != 2.0:
        return None
    # A law may be there without occurring.
    first, second = (law for law, count in zip(laws_of(total), total.counts, strict=True) for _ in range(int(count)))
    return PairedSum(first, second, total.infinity_ends)
