r"""The posterior of a hidden slot when every slot uses the same extreme law: its quantiles and its mean.

With slot I uniform on 1..m, the record used there with probability w, and :math:`a_j` the likelihood ratio of output j
under the record against the reference, Bayes' rule gives

.. math:: q_i = P(I = i \mid y_{<i}) = \frac{1}{\sum_{j<i} (1 - w + w a_j) + m - i + 1},

since :math:`P(y_{<i} \mid I = j) = (1 - w + w a_j) Q_0(y_{<i})` for j < i and :math:`Q_0(y_{<i})` for j >= i.  The mean
of these over I is

.. math:: P(y_{<i})/Q_0(y_{<i}) = \frac1m \Big(\sum_{j<i} (1 - w + w a_j) + m - i + 1\Big) = \frac{1}{m q_i},

so counts of outputs have under the record's own law P the pmf they have under Q0 (independent outputs) times 1/(m q_i).
1/(m q_i) is a martingale under Q0, and m q_i one under P: :math:`E_P\, q_i = 1/m` exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Array
from ...core.directed import UNIT
from ...hidden_slot.worst.step_laws import VERTICES, StepLaw
from ...kernels import posterior_quantiles as kernels

# Factor by which quantiles are rounded up.  1/(m q) is a sum of two positive terms with five roundings each, among them
# an exponential; its inverse adds one rounding.
OUTWARD = 1.0 + 16 * UNIT
# The names of the record and of its replacement.
RECORDS = ("d", "d'")
# The mesh of the trapezoidal rule for E q, in the logarithm of the Laplace variable; its error is derived below.
_MESH = 0.25
# The first node of the rule: the part before it is below e^-36.
_FIRST_NODE = -36.0
# The exponent at the last node of the rule: the part after it is below e^-45.
_DECAY = 45.0


@dataclass(frozen=True)
class Posterior:
    """A record in one of ``slots``, used there with probability ``weight``, when every slot uses one ``law``."""

    slots: int
    eps0: float
    weight: float
    law: StepLaw
    record: str

    @property
    def powers(self) -> tuple[int, ...]:
        """The likelihood ratios of the outputs under the record, as powers of x: a or a' of the vertices of the law."""
        return tuple(VERTICES[vertex][RECORDS.index(self.record)] for vertex in self.law.name)

    def scale(self, outputs: int) -> tuple[float, float]:
        """Return (base, slope) of 1/(m q) = base + slope U after some outputs; see ``kernels.posterior_quantiles``."""
        least = (1.0 - self.weight) + self.weight * np.exp(-self.eps0)
        base = (float(self.slots - outputs) + outputs * least) / self.slots
        return float(base), float(self.weight * np.expm1(self.eps0) / self.slots)

    def quantile_upper(self, levels: Array, places: NDArray[np.int64]) -> Array:
        """Return upper bounds of the quantiles of q under Q0 and under P: float64[2, levels, places]."""
        if set(self.powers) == {0}:  # all likelihood ratios are 1
            return np.full((2, levels.size, places.size), OUTWARD / self.slots)
        # 1 - level is exact from 1/2 on; below, it is rounded towards the smaller tail.
        tails = (1.0 - levels) * (1.0 - UNIT)
        search = self._two_point if len(self.powers) == 2 else self._three_point
        sums = np.zeros((2, levels.size, places.size))
        for column, place in enumerate(places.tolist()):
            if place > 1:
                sums[:, :, column] = search(place - 1, tails)
        scales = np.array([self.scale(place - 1) for place in places.tolist()])
        return np.asarray(OUTWARD / self.slots / (scales[:, 0] + scales[:, 1] * sums))

    def _two_point(self, outputs: int, tails: Array) -> Array:
        """Return lower bounds of the quantiles of U = N (1 + 1/x), with N the number of outputs of ratio x."""
        p, q = 1.0 / (np.exp(self.eps0) + 1.0), 1.0 / (1.0 + np.exp(-self.eps0))
        unit = 1.0 + np.exp(-self.eps0)
        order = np.argsort(tails)
        counts = kernels.two_point_quantiles(outputs, p, q, unit, *self.scale(outputs), tails[order])
        values = np.empty(counts.shape)
        values[:, order] = counts * unit
        return values

    def _three_point(self, outputs: int, tails: Array) -> Array:
        """Return lower bounds of the quantiles of U = C + (C + E)/x, for the law ACE."""
        inverse = np.exp(-self.eps0)
        p, q = 2.0 / (np.exp(self.eps0) + 2.0), 1.0 / (1.0 + 2.0 * inverse)
        base, slope = self.scale(outputs)
        return np.array(
            [
                [kernels.three_point_quantile(outputs, p, q, inverse, base, slope, tail, measure) for tail in tails]
                for measure in range(2)
            ]
        )

    def mean_reference(self, places: NDArray[np.int64]) -> Array:
        r"""Return E q_i under Q0, from products of Laplace transforms.

        The starting point is :math:`1/s = \int_0^\infty e^{-\lambda s} d\lambda`.
        With :math:`\lambda = e^v/m` the integrand is analytic in :math:`|\mathrm{Im}\, v| < \pi/2`, and its modulus
        integrates to at most :math:`E q / \cos t` along :math:`\mathrm{Im}\, v = t`.  By Trefethen & Weideman (2014),
        Theorem 5.1, the trapezoidal rule of mesh h errs relatively by at most
        :math:`2/(\cos t\, (e^{2 \pi t/h} - 1))`, 7e-15 here (t = 1.4).
        """
        outputs = places.astype(np.float64)[:, None] - 1.0
        ratios = (1.0 - self.weight) + self.weight * np.exp(self.eps0 * np.array(self.powers, dtype=np.float64))
        chances = self.law.probabilities(self.eps0)
        # The left end cuts off e^_FIRST_NODE, the right e^-_DECAY: m q <= e^eps0 and E m q >= 1.
        last = np.log((_DECAY + self.eps0) / np.min(ratios, initial=1.0))
        y = np.exp(np.arange(_FIRST_NODE, last + _MESH, _MESH))
        exponents = -y[:, None] * ratios / self.slots
        # log E exp(-y a/m): near zero without cancellation, elsewhere with the largest term taken out.
        small = np.expm1(exponents) @ chances
        top = exponents.max(axis=1)
        large = top + np.log(np.exp(exponents - top[:, None]) @ chances)
        log_transform = np.where(small > -0.5, np.log1p(np.maximum(small, -0.5)), large)
        integrand = np.exp(-y * ((self.slots - outputs) / self.slots) + outputs * log_transform) * y
        return np.asarray(_MESH / self.slots * integrand.sum(axis=1))
