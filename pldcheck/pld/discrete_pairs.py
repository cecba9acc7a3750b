r"""Pairs of distributions as finitely many losses: given as such, cut out of a continuous pair, or from a curve.

Upper laws disperse a cell's mass to losses at its two ends, keeping both its P- and its Q-mass (in kappa = e^epsilon:
connect the dots); lower laws merge a cell to one output (post-processing).  Both are second order in the cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import fsum, inf, isfinite, log

import numpy as np
from numpy.typing import ArrayLike

from ..core.directed import roundoff
from ..core.errors import ParameterError
from .distribution import PrivacyLossDistribution
from .law_bounds import CutBounds, LawBounds
from .quadrature_nodes import SampledGaussian
from .step_losses import Array, Atoms

# Log E exp(theta L) of a theta, rounded down and up.
Moment = Callable[[float], tuple[float, float]]
# How far from 1 the sum of a pmf may be: it is then read as weights.
SUM_SLACK = 1e-9
# The least mass of an outcome that is possible: products and quotients of smaller ones lose their digits.
LEAST_MASS = 1e-300
# Between these ratios kappa, all of abs(epsilon) < 1/2, a loss is computed from kappa - 1.
_NEAR_ONE = Fraction(61, 100), Fraction(164, 100)
# The largest kappa whose reciprocal is a normal float as well.
LARGEST_KAPPA = 1e300
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
        lower = self._merge()
        if np.array_equal(self.low, self.high):
            return LawBounds.exact(lower)
        return LawBounds(self._disperse(), lower)

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

    def _merge(self) -> Atoms:
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

    def _disperse(self) -> Atoms:
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


def from_masses(p: ArrayLike, q: ArrayLike) -> Cells:
    """Return the pair of probability mass functions p/sum(p) and q/sum(q) on the same outcomes.

    The floats are taken as exact.  Raises ParameterError, also for masses in (0, ``LEAST_MASS``).
    """
    (first, p_total), (second, q_total) = _pmf("p", p), _pmf("q", q)
    if first.size != second.size:
        raise ParameterError("q", f"as long as p ({first.size} outcomes)", f"{second.size} outcomes")
    both = (first > 0.0) & (second > 0.0)
    p_only = fsum(first[second == 0.0]) / p_total
    q_only = fsum(second[first == 0.0]) / q_total
    if not both.any():
        return Cells(np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(1), 1.0, 1.0)
    one, other = first[both], second[both]
    with np.errstate(over="ignore", under="ignore"):
        ratio = one / other
    plain = np.isfinite(ratio) & (ratio >= LEAST_MASS)
    losses = np.where(plain, np.log(np.where(plain, ratio, 1.0)), np.log(one) - np.log(other))
    error = 0.0
    if not np.array_equal(first, second):
        # log(p/q) - log(sum p/sum q): the sums are within a round-off, so that their quotient is within 3, the quotient
        # of the masses within 1, each log within 4 of itself, and so are their difference and sum.
        losses = losses - log(p_total / q_total)
        error = roundoff(16, 1.0 + float(np.max(np.abs(losses)))) if plain.all() else roundoff(16, 1500.0)
    return Cells(one / p_total, other / q_total, losses, losses, p_only, q_only, roundoff(4), error)


def _pmf(name: str, values: ArrayLike) -> tuple[Array, float]:
    """Return the masses as given and their sum, which they are to be divided by."""
    masses = _numbers(name, values)
    if masses.ndim != 1 or masses.size == 0:
        raise ParameterError(name, "a sequence of at least one probability", f"shape {masses.shape}")
    bad = ~(np.isfinite(masses) & (masses >= 0.0))
    if bad.any():
        raise ParameterError(name, "finite and non-negative", float(masses[bad][0]))
    tiny = (masses > 0.0) & (masses < LEAST_MASS)
    if tiny.any():
        raise ParameterError(name, f"0 or at least {LEAST_MASS:g} each", float(masses[tiny][0]))
    total = fsum(masses)
    if abs(total - 1.0) > SUM_SLACK:
        raise ParameterError(name, f"of sum 1 (to {SUM_SLACK:g})", total)
    return masses, total


def from_points(epsilons: ArrayLike, deltas: ArrayLike, symmetric: bool) -> Atoms:
    r"""Return the loss whose privacy curve connects the dots (kappa, delta), kappa = e^epsilon, and (0, 1).

    On a curve :math:`\delta(\kappa) = p_\infty + \sum_v q_v (\kappa_v - \kappa)_+` the change of slope at
    :math:`\kappa_v` is :math:`q_v = p_v/\kappa_v`.  Points above the convex hull are not needed: the true curve is
    convex.  After the last point it is bounded by the last delta: that is the mass at infinity.  Exact arithmetic.
    """
    points = _points(epsilons, deltas)
    return convex_hull_loss(sorted((_with_mirror(points) if symmetric else points).items()))


def from_points_to_zero(epsilons: ArrayLike, deltas: ArrayLike) -> Atoms | None:
    r"""Return the symmetric loss of :func:`from_points` without a mass at infinity, and None if its losses overflow.

    Points after the first one with the least delta are left out.  From there the curve goes on to zero so slowly that
    no line through that point and another one is above zero at the end: the point is a corner of the hull of all, which
    is therefore above the true curve up to it.  Exact arithmetic.
    """
    points = _points(epsilons, deltas)
    least = min(points.values())
    last = min(kappa for kappa, delta in points.items() if delta == least)
    points = {kappa: delta for kappa, delta in points.items() if kappa <= last}
    if least > 0:
        if len(points) == 1:
            return None
        end = last + max(least * (last - kappa) / (delta - least) for kappa, delta in points.items() if kappa < last)
        if end > LARGEST_KAPPA:
            return None
        points[end] = Fraction(0)
    return convex_hull_loss(sorted(_with_mirror(points).items()))


def _with_mirror(points: dict[Fraction, Fraction]) -> dict[Fraction, Fraction]:
    """Return the points with those below kappa = 1, where the curve of (Q, P) is the same.

    There delta(-e) = 1 - e^-e + e^-e delta(e).
    """
    return {**{1 / kappa: 1 - 1 / kappa + delta / kappa for kappa, delta in points.items()}, **points}


def convex_hull_loss(points: Iterable[tuple[Fraction, Fraction]]) -> Atoms:
    """Return the loss whose curve is the lower convex hull of (0, 1) and points (kappa, delta), kappa increasing."""
    hull: list[tuple[Fraction, Fraction]] = []
    for point in [(Fraction(0), Fraction(1)), *points]:
        if hull and point[1] > hull[-1][1]:
            continue  # delta does not grow
        while len(hull) > 1 and _slope(hull[-2], hull[-1]) >= _slope(hull[-1], point):
            hull.pop()
        hull.append(point)
    slopes = [_slope(a, b) for a, b in zip(hull, hull[1:], strict=False)] + [Fraction(0)]
    losses, masses, errors = [], [], []
    for (kappa, _), before, after in zip(hull[1:], slopes, slopes[1:], strict=False):
        near = _NEAR_ONE[0] < kappa < _NEAR_ONE[1]
        losses.append(float(np.log1p(float(kappa - 1)) if near else np.log(float(kappa))))
        masses.append(float(kappa * (after - before)))
        # Near kappa = 1, relatively: expm1 moves its epsilon by 1.3 times 4 round-offs at most, kappa - 1 is rounded
        # once, which moves log1p by 1.5 of itself, and log1p has 4.  Elsewhere exp has 4, kappa is rounded once, and
        # log has 4 of itself.
        errors.append(roundoff(12, abs(losses[-1])) if near else roundoff(8, 1.0 + abs(losses[-1])))
    error = max(errors)
    return Atoms.of(losses, masses, float(hull[-1][1]), mass_error=roundoff(4), loss_error=error)


def _slope(left: tuple[Fraction, Fraction], right: tuple[Fraction, Fraction]) -> Fraction:
    return (right[1] - left[1]) / (right[0] - left[0])


def both_cut(
    cut: Callable[[int | None], Cells], name: str, nodes: Callable[[bool], SampledGaussian] | None = None
) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of a pair that ``cut`` cuts into cells, and of its reverse.

    ``cut`` takes the number of cells, or None for the finest ones; ``nodes`` takes whether the pair is reversed, and
    returns what has nodes that stand for its law.
    """
    forward, backward = (
        CutBounds(partial(_cut, cut, back), None if nodes is None else nodes(back)) for back in (False, True)
    )
    return PrivacyLossDistribution(name, ((forward, 1),), ((backward, 1),))


def symmetric_cut(cut: Callable[[int | None], Cells], name: str) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of a pair whose reverse is its mirror image; see :func:`both_cut`."""
    return PrivacyLossDistribution(name, ((CutBounds(partial(_cut, cut, False)), 1),))


def _cut(cut: Callable[[int | None], Cells], backward: bool, count: int | None) -> LawBounds:
    cells = cut(count)
    return (cells.reversed if backward else cells).law_bounds()


def both(cells: Cells, name: str) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of a pair and of its reverse."""
    return PrivacyLossDistribution(name, ((cells.law_bounds(), 1),), ((cells.reversed.law_bounds(), 1),))


def _numbers(name: str, values: ArrayLike) -> Array:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(name, "a sequence of numbers", values) from None


def _points(epsilons: ArrayLike, deltas: ArrayLike) -> dict[Fraction, Fraction]:
    where, values = _numbers("epsilons", epsilons), _numbers("deltas", deltas)
    if where.ndim != 1 or where.size == 0:
        raise ParameterError("epsilons", "a sequence of at least one number", f"shape {where.shape}")
    if values.shape != where.shape:
        raise ParameterError("deltas", f"as many as epsilons ({where.size})", f"shape {values.shape}")
    points = {}
    for epsilon, delta in zip(where.tolist(), values.tolist(), strict=True):
        if not (isfinite(epsilon) and abs(epsilon) < 700.0):
            raise ParameterError("epsilons", "above -700 and below 700", epsilon)
        if not 0.0 <= delta <= 1.0:
            raise ParameterError("deltas", "from 0 to 1", delta)
        # For a small epsilon, kappa - 1 is known as accurately as epsilon is.
        kappa = 1 + Fraction(float(np.expm1(epsilon))) if abs(epsilon) < 0.5 else Fraction(float(np.exp(epsilon)))
        if Fraction(delta) < (1 - kappa) * (1 - Fraction(1, 10**12)):
            raise ParameterError("deltas", f"at least 1 - e^epsilon at epsilon = {epsilon!r}", delta)
        points[kappa] = max(Fraction(delta), 1 - kappa)
    return points
