r"""One message among n: the masses of its outputs on both inputs, and their gains with absolute errors.

The gain of an output y under the others' law W is :math:`g(y) = (R_i(y) - e^\epsilon R_j(y))/W(y)`.  Where the two
masses nearly agree it cancels: it is formed from log R_i/R_j where that is known, and from R_i - R_j else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..core.differences import Near, mass_difference, one_minus_product, ratio_difference
from ..core.directed import UNIT
from ..pld.step_losses import Array

# Gains, their masses, and absolute errors of the gains.
Gains = tuple[Array, Array, Array]
# Relative error of a computed log likelihood ratio, in round-offs: (1 - 2 y)/(2 sigma^2) takes five of them.
EXPONENT = 6.0


@dataclass(frozen=True, eq=False)
class Spread:
    """Bounds on the privacy loss of a continuous law within each cell.

    ``low``, ``high``: the least and the largest log R_i/R_j in a cell, up to ``EXPONENT`` round-offs.

    ``share``: the fraction, rounded up, of a cell's mass under W that is placed at the larger of the two so that the
    mean is kept.

    ``on_q``: whether W is R_j in that cell; otherwise it is R_i.
    """

    low: Array
    high: Array
    share: Array
    on_q: NDArray[np.bool_]

    def gains(self, exponents: Array, epsilon: float) -> Near:
        """Return the gains at these privacy losses l, which are known up to ``EXPONENT`` round-offs.

        The gain is e^l - e^epsilon where W = R_j, and 1 - e^(epsilon - l) where W = R_i.
        """
        with np.errstate(over="ignore"):
            ratio = np.exp(exponents)
            first, second = ratio_difference(exponents, epsilon), one_minus_product(-exponents, epsilon)
            exponent_error = np.abs(exponents) * (2.0 * EXPONENT * UNIT)
            value = np.where(self.on_q, first.value, second.value)
            doubt = np.where(
                self.on_q,
                first.error + ratio * exponent_error,
                second.error + np.exp(epsilon - exponents) * exponent_error,
            )
        return Near(value, doubt)


@dataclass(frozen=True, eq=False)
class Messages:
    """The masses under R_i, R_j and W, output by output or cell by cell.

    ``exponents``: log R_i/R_j of each output, up to ``exponent_units`` round-offs.  ``difference``: R_i - R_j, if it is
    known better than by subtraction.  ``units``: relative errors of p, q, w and of ``difference``, in round-offs.
    ``spread``: the bounds within cells.  ``outside``: R_i's mass outside all cells.  ``rest``: W's mass where R_i and
    R_j have none.  ``width``: an estimate of the relative width in delta that the cells cause.
    """

    name: str
    p: Array
    q: Array
    w: Array
    exponents: Array | None = None
    difference: Array | None = None
    units: float | Array = 0.0
    exponent_units: float = 0.0
    spread: Spread | None = None
    rest: float = 0.0
    outside: float = 0.0
    width: float = 0.0

    @property
    def mass_error(self) -> float:
        """Relative error of the masses."""
        return float(np.max(self.units)) * UNIT

    @property
    def reversed(self) -> Messages:
        """The same messages with the record and its replacement exchanged; the data within cells is not reversed."""
        assert self.spread is None
        return replace(
            self,
            p=self.q,
            q=self.p,
            exponents=None if self.exponents is None else -self.exponents,
            difference=None if self.difference is None else -self.difference,
        )

    def net(self, epsilon: float) -> Near:
        """Return P - e^epsilon Q for every output, with its absolute error."""
        if self.exponents is not None:
            difference = ratio_difference(self.exponents, epsilon).times(self.q, self.units)
            return Near(
                difference.value,
                difference.error + self.p * np.abs(self.exponents) * (2.0 * self.exponent_units * UNIT),
            )
        if self.difference is None:
            return mass_difference(self.p, self.q, epsilon, self.units)
        # P - Q has a relative error of its own, so that only the term (e^epsilon - 1) Q is charged with that of the
        # masses.
        with np.errstate(over="ignore"):
            cost = np.expm1(epsilon) * self.q
        value = self.difference - cost
        units = np.asarray(self.units) + 8.0
        return Near(value, (np.abs(self.difference) + np.abs(cost) + np.abs(value)) * units * UNIT)

    def merged_gains(self, epsilon: float) -> Gains:
        """Return the gains, their masses and their errors where each cell is one output.

        Merging a cell is post-processing, so that these gains give lower bounds.
        """
        net = self.net(epsilon)
        values = net.value / self.w
        doubt = net.error / self.w * (1.0 + 1e-9) + np.abs(values) * (np.asarray(self.units) + 4.0) * UNIT
        return self._with_rest(values, self.w, doubt)

    def dispersed_gains(self, epsilon: float) -> Gains:
        """Return the gains, their masses and their errors where each cell is spread out, which gives upper bounds.

        The mass of a cell is placed at the two extreme gains of the cell; the mean is kept or raised.
        """
        if self.spread is None:
            return self.merged_gains(epsilon)
        low, high = (self.spread.gains(ends, epsilon) for ends in (self.spread.low, self.spread.high))
        share = self.spread.share
        return self._with_rest(
            np.concatenate([low.value, high.value]),
            np.concatenate([(1.0 - share) * self.w, share * self.w]),
            np.concatenate([low.error, high.error]),
        )

    def _with_rest(self, values: Array, masses: Array, doubt: Array) -> Gains:
        if self.rest <= 0.0:
            return values, masses, doubt
        return np.append(values, 0.0), np.append(masses, self.rest), np.append(doubt, 0.0)
