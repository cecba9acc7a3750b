r"""Certified stop-loss transform of a sum of independent copies of lattice laws: the rule at one tilt.

For positive measures P on a lattice of step H with moment generating function M (the product of all, each to the power
of its count), and u on the lattice,

.. math:: v(u) = E(u + Y_1 + \dots + Y_r)_+ = \frac{H}{2\pi} \int_{-\pi/H}^{\pi/H}
          \frac{e^{zu} M(z)}{4 \sinh^2(zH/2)} ds \cdot H, \quad z = \theta + is,\ \theta > 0.

**Aliases.**  The trapezoidal rule with N nodes is :math:`\text{rule}(u) = \sum_k v(u + kT) e^{-\theta kT}`, T = NH: it
is an upper bound for any N and any theta (the tilt; Esscher transform, Grübel & Hermesmeier 1999).  By Chernoff
:math:`v(y) \le M(t) e^{ty}/(et)`; at some t < theta for k > 0, at some t > theta for k < 0, this bounds the rest:

.. math:: \sum_{k \ge 1} v(u \pm kT) e^{\mp\theta kT} \le \frac{M(t) e^{tu}}{et} \frac{e^{-gT}}{1 - e^{-gT}},
          \quad g = |t - \theta| .

**Between lattice points** v is linear, and so is the rule: it is asked at both, u a little up or down for its rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, floor, inf, log, pi

import numpy as np

from ..core.arrays import Array
from ..core.directed import LARGEST, Ends, enlarge, exp_upper, roundoff, shrink
from ..core.interval import UNDERFLOW

# Tilt times step above which no bound is computed.
STEEPEST = 600.0
# Least exponent of a scale: a normal number, whose products are known but for less than UNDERFLOW.
LEAST_EXPONENT = -700.0


@dataclass(frozen=True, eq=False)
class Contour:
    """The rule at one tilt, which serves many starts; sharp near the one that it was tilted for.

    ``nodes``: the rule without its scale at u = step n, n modulo the number of nodes; or, where few frequencies are
    enough, None and the ``terms`` of the sum over them, from 0 on, without the phase of ``mean``.  ``noise`` and
    ``left_out`` bound its round-off and the nodes left out.  ``aliases``: of both sides log M(t)/(et) and t; None where
    no lower end is asked for.  ``height``: log M(theta)/(e theta) at most; ``lack``, ``repair``: shares of that
    bound, see :func:`pldcheck.pld.lattice_fourier.dominating_contour`.  ``visits``: nodes of an FFT, or as much work.
    """

    step: float
    theta: float
    size: int
    cumulant: float
    cumulant_error: float
    nodes: Array | None
    terms: np.ndarray
    mean: float
    noise: float
    left_out: float
    visits: int
    aliases: tuple[tuple[float, float], ...] | None = None
    height: float = inf
    lack: float = 0.0
    repair: float = 0.0

    def at(self, start: float) -> Ends:
        """Return both ends of v(start); the lower end is 0 where there are no bounds of aliases."""
        # The exact start differs from the float by rounding only, so it lies between these two, and v increases.
        high, low = start + roundoff(8, abs(start)), start - roundoff(8, abs(start))
        if self.theta * self.step > STEEPEST or not self.cumulant + self.theta * high < LARGEST:  # no bound is computed
            return Ends(0.0, inf, inf, 0.0)
        node = floor(high / self.step)
        values = self._values(node)
        rule, noise, omission, scale_error = self._between(high, node, values)
        outside = self._chernoff_share(high, self.lack)
        # In units of the value, before a caller multiplies it: a scale times a sum may be less than a normal number.
        upper = enlarge(max(rule + noise + omission, 0.0) * (1.0 + scale_error) + outside + UNDERFLOW, 4)
        rounding = (
            2.0 * (noise + abs(rule) * scale_error)
            + roundoff(8, upper)
            + min(self._chernoff_share(high, self.repair), upper)
        )
        if self.aliases is None:
            return Ends(0.0, upper, omission + outside, rounding)
        alias, last = self._alias(start), floor(low / self.step)
        below, noise, omission, scale_error = self._between(low, last, values if last == node else self._values(last))
        lower = shrink(max((below - noise - omission) / (1.0 + scale_error) - alias - UNDERFLOW, 0.0), 4)
        if (
            self._exponent(last) < LEAST_EXPONENT
        ):  # the scale was raised to e^LEAST_EXPONENT, so the rule may be too large
            lower = 0.0
        return Ends(lower, upper, 2.0 * omission + outside + alias, rounding + max(rule - below, 0.0))

    def _between(self, start: float, node: int, values: tuple[float, float]) -> tuple[float, float, float, float]:
        """Return the rule at a start from a node on; its round-off, nodes left out, and its scale's relative error.

        The place in steps is off by one unit of itself, and its share of a step by one of 1 just below zero: there the
        rule moves by two units of itself.
        """
        h, theta = self.step, self.theta
        share, growth = start / h - node, exp(theta * h)
        here, there = (1.0 - share) * values[0], share * growth * values[1]
        rise = 1.0 + share * expm1(theta * h)
        scale = exp(max(self._exponent(node), LEAST_EXPONENT))
        # The growth is off by theta h and 4 units, scale and rise are off by the same, and so are the products.
        doubt = roundoff(16.0 + 2.0 * theta * h, abs(here) + abs(there))
        relative_error = self.cumulant_error + roundoff(8, abs(self.cumulant) + abs(theta * node * h) + log(self.size))
        relative_error += roundoff(16)
        noise, omission = enlarge((self.noise * rise + doubt) * scale, 16), enlarge(self.left_out * rise * scale, 16)
        return (here + there) * scale, noise, omission, expm1(min(relative_error, LARGEST))

    def _exponent(self, node: int) -> float:
        """Return the log of the rule's scale at a node."""
        return self.cumulant + self.theta * node * self.step - log(self.size)

    def _values(self, node: int) -> tuple[float, float]:
        """Return the rule without its scale at a node and at the next."""
        if self.nodes is not None:
            return float(self.nodes[node % self.size]), float(self.nodes[(node + 1) % self.size])
        places, turn = np.arange(self.terms.size), 2.0 * pi / self.size
        # An angle is its own up to whole turns.
        angles = turn * (places * (node % self.size) % self.size) + places * (turn * self.mean / self.step)
        here = self.terms * np.exp(1j * angles)
        return float(np.sum(here.real)), float(np.sum((here * np.exp(1j * turn * places)).real))

    def _chernoff_share(self, start: float, share: float) -> float:
        """Return a share of the Chernoff bound at a start."""
        if share == 0.0:
            return 0.0
        place = self.theta * start
        return enlarge(share * exp_upper(self.height + place, abs(self.height) + abs(place)), 4)

    def _alias(self, start: float) -> float:
        period, total = self.size * self.step, 0.0
        for log_height, t in self.aliases or ():
            gap = abs(t - self.theta) * period
            size = abs(log_height) + abs(t * start) + gap
            # The rounding of the gap is part of its size; the units are for the quotient and the sum.
            total += enlarge(exp_upper(log_height + t * start - gap, size) / -expm1(shrink(-gap, 8)), 16)
        return total
