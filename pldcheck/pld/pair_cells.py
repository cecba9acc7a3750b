r"""A pair of distributions cut into cells, of finitely many losses from above and from below.

Upper laws disperse a cell's mass to losses at its two ends, keeping both its P- and its Q-mass (in kappa = e^epsilon:
connect the dots); lower laws merge a cell to one output (post-processing).  Both are second order in the cell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, log

import numpy as np

from ..core.directed import roundoff
from .law_bounds import LawBounds
from .step_losses import Array, Atoms

# Log E exp(theta L) of a theta, rounded down and up.
Moment = Callable[[float], tuple[float, float]]
# The least positive float.
SMALLEST = 5e-324


@dataclass(frozen=True, eq=False)
class Cells:
    """A pair (P, Q) cut into cells: masses of both, and the losses between which each cell's losses lie.

    Exact pairs have ``low == high``.  ``rise`` is P - e^low Q and ``fall`` Q - e^-high P, cell by cell: what decides
    where the mass goes, given apart so that nothing is lost to cancellation; by default they are computed from the
    masses.  ``p_only`` and ``q_only`` are what either has where the other has nothing.  ``mass_error``: relative error
    of masses, rises and falls; ``loss_error``: absolute error of the ends.  ``largest_order``: see
    :class:`pldcheck.pld.step_losses.Atoms`.
    """

    p: Array
    q: Array
    low: Array
    high: Array
    p_only: float = 0.0
    q_only: float = 0.0
    mass_error: float = roundoff(4)
    loss_error: float = 0.0
    rise: Array | None = None
    fall: Array | None = None
    largest_order: float = inf
    cut: float = 0.0
    moment: Moment | None = None
    moment_back: Moment | None = None

    def law_bounds(self) -> LawBounds:
        """Return both sides of the loss log dP/dQ under P."""
        lower = self.merge()
        if np.array_equal(self.low, self.high):
            return LawBounds.exact(lower)
        return LawBounds(self.disperse(), lower)

    @property
    def reversed(self) -> Cells:
        """The pair (Q, P)."""
        return replace(
            self,
            p=self.q,
            q=self.p,
            low=-self.high,
            high=-self.low,
            p_only=self.q_only,
            q_only=self.p_only,
            rise=self.fall,
            fall=self.rise,
            moment=self.moment_back,
            moment_back=self.moment,
        )

    def on_sample(self, rate: float) -> Cells:
        """Return the pair ((1 - rate) Q + rate P, Q): P's record is used with probability ``rate``."""
        if rate == 1.0:
            return self
        low, high = _mixture_loss(self.low, rate), _mixture_loss(self.high, rate)
        p = (1.0 - rate) * self.q + rate * self.p
        # d log(1 + r(e^l - 1)) = r e^(l - l') dl, increasing in l.
        slope = float(np.max(np.exp(self.high - high), initial=0.0)) * rate
        reach = float(max(np.max(np.abs(low), initial=0.0), np.max(np.abs(high), initial=0.0)))
        # log r and l are rounded before they are added, which counts by the share r e^(l - l').
        rounding_terms = rate * np.exp(self.high - high) * (abs(log(rate)) + np.abs(self.high))
        reach += float(np.max(rounding_terms, initial=0.0))
        sample = replace(
            self,
            p=p,
            low=low,
            high=high,
            # A probability that underflows must stay positive: the loss is infinite there.
            p_only=max(rate * self.p_only, SMALLEST) if self.p_only > 0.0 else 0.0,
            q_only=0.0,
            moment=None,
            moment_back=None,
            mass_error=self.mass_error + roundoff(4),
            loss_error=min(slope, 1.0) * self.loss_error + roundoff(8, reach + min(rate * abs(log(rate)), 1.0)),
            # P' - e^low' Q = rate (P - e^low Q), and Q - e^-high' P' = rate e^(high - high') (Q - e^-high P)
            rise=None if self.rise is None else rate * self.rise,
            fall=None if self.fall is None else rate * np.exp(self.high - high) * self.fall,
        )
        if self.q_only == 0.0:
            return sample
        # Where P has nothing the mixture has (1 - rate) of Q's mass.
        edge, mass = float(np.log1p(-rate)), self.q_only
        return replace(
            sample,
            p=np.append(p, (1.0 - rate) * mass),
            q=np.append(self.q, mass),
            low=np.append(low, edge),
            high=np.append(high, edge),
            loss_error=sample.loss_error + roundoff(8, abs(edge)),
            rise=None if sample.rise is None else np.append(sample.rise, 0.0),
            fall=None if sample.fall is None else np.append(sample.fall, 0.0),
        )

    def _rise(self) -> tuple[Array, float]:
        """Return P - e^low Q >= 0 and what its error does to a loss, absolutely."""
        width = float(np.max(self.high - self.low, initial=0.0))
        if self.rise is not None:
            return self.rise, self.mass_error * width
        return np.maximum(self.p - np.exp(self.low) * self.q, 0.0), 4.0 * self.mass_error + roundoff(4)

    def merge(self) -> Atoms:
        """Return the law in which each cell is one output, with a loss log(P/Q) between the cell's ends."""
        possible = self.p > 0.0
        rise, error = self._rise()
        low, high = self.low[possible], self.high[possible]
        if np.array_equal(low, high):
            losses, error = low, 0.0
        else:
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                losses = low + np.log1p(rise[possible] / (np.exp(low) * self.q[possible]))
            losses = np.clip(np.where(np.isfinite(losses), losses, low), low, high)
        return self._atoms(losses, self.p[possible], error)

    def disperse(self) -> Atoms:
        """Return the law in which each cell's mass is moved to its two ends, so that it keeps its P and its Q.

        The upper end gets the share rise/(P (1 - e^(low - high))).
        """
        possible = self.p > 0.0
        rise, error = self._rise()
        p, low, high = self.p[possible], self.low[possible], self.high[possible]
        width = high - low
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(width > 0.0, rise[possible] / (p * -np.expm1(-width)), 0.5)
        # A share leaves [0, 1] by round-off only, which the errors of the law contain.
        share = np.clip(np.where(np.isfinite(share), share, 1.0), 0.0, 1.0)
        losses, masses = np.concatenate([low, high]), np.concatenate([(1.0 - share) * p, share * p])
        order = np.argsort(losses, kind="stable")
        losses, masses = losses[order], masses[order]
        # The end of a cell is the beginning of the next one: their two masses, of few cells more, are one atom's.
        starts = np.flatnonzero(np.append(True, losses[1:] > losses[:-1])[: losses.size])
        sums = int(np.max(np.diff(np.append(starts, losses.size)), initial=1)) - 1
        error += roundoff(8, float(np.max(width, initial=0.0)))
        return self._atoms(losses[starts], np.add.reduceat(masses, starts), error, roundoff(sums))

    def _atoms(self, losses: Array, masses: Array, error: float, mass_rounding: float = 0.0) -> Atoms:
        reach = float(np.max(np.abs(losses), initial=0.0))
        return Atoms.of(
            losses,
            masses,
            self.p_only,
            mass_error=self.mass_error + mass_rounding,
            loss_error=self.loss_error + error + roundoff(2, reach),
            largest_order=self.largest_order,
            cut=self.cut,
            moment=self.moment,
        )


def _mixture_loss(losses: Array, rate: float) -> Array:
    """Return log(1 - rate + rate e^loss): relatively accurate where it is small, and without overflow."""
    with np.errstate(over="ignore"):
        change = rate * np.expm1(losses)
    near = np.abs(change) < 0.5
    return np.where(near, np.log1p(np.where(near, change, 0.0)), np.logaddexp(np.log1p(-rate), np.log(rate) + losses))
