"""E(sum of a slot's increments - threshold)_+ near one threshold, from above and from below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import exp, inf, log, sqrt

import numpy as np

from ...core.directed import UNIT, Ends, Side, enlarge, exp_upper, roundoff, shrink
from ...core.interval import UNDERFLOW
from ...kernels.half_period_inversion import log_mgf_quickly
from ...kernels.tilt_planning import MOST_LOST, Plan
from ...pld.lattice_contour import Contour
from ...pld.lattice_fourier import contour
from .increment_lattice import Placed, dispersed, merged
from .one_big_jump import Conditioned, conditioned
from .slot_increments import Increment, placing

# Fewest points of a lattice.
FEWEST = 48
# Number of points of a lattice for a quick bound.
COARSE = 600
# Largest step, relative to the inverse of the tilt.
GREATEST = 20.0
# Relative round-off above which another method is tried, by default.
PRECISE = 1e-4
# Tilts, relative to the best one for a normal law, that are tried for the bound that the other steps stay above.
FALLS = np.array([0.5, 1.0, 2.0, 4.0])


@dataclass(frozen=True, eq=False)
class OneSidedSum:
    """One end of v(threshold) = E(sum - threshold)_+, by a law on a lattice; ``side`` says which.

    ``capped`` is count E(X - cap)_+, and ``missed`` is, for each threshold, the probability that the other steps leave
    no room for all of it.
    """

    side: Side
    count: int
    placed: Placed
    total: Contour | Conditioned
    capped: float
    missed: Callable[[float], float]
    placing: tuple[float, float] = (16.0, 0.0)

    def doubt(self, threshold: float) -> float:
        """Return an upper bound of the error of the threshold: its own rounding, and that of the lattice's points.

        All steps may be off the same way.  A step that is off by at most u(abs(x) + size), x at least the first point,
        is so by at most :math:`u (x + 2 |first| + size)`, and the sum of ``count`` of them, where it exceeds the
        threshold, as if that were lower by u times it and ``count`` (2 abs(first) + size); the factor 1 + u is charged
        in :meth:`ends`.
        """
        units, size = self.placing
        law, shift = self.placed.law, self.count * self.placed.origin
        first = abs(self.placed.origin) + abs(law.step * law.first)
        spread = self.count * (3.0 * first + size)
        return UNIT * (16.0 * (abs(threshold) + abs(shift)) + units * (abs(threshold) + spread))

    def ends(self, threshold: float) -> Ends:
        """Return the ends of the sum on the lattice, with the mass beyond the cap.

        Only the end of this side bounds the true value.
        """
        shift, doubt = self.count * self.placed.origin, self.doubt(threshold)
        found = self.total.at(shift - threshold + self.side.sign * doubt)
        moved = UNIT * (self.placing[0] + 4.0)
        found = Ends(found.lower * (1.0 - moved), found.upper * (1.0 + moved), found.truncation, found.rounding)
        missed = self.missed(threshold)
        capped = self.capped * (1.0 - missed)
        upper = enlarge(found.upper + capped, 4) + UNDERFLOW
        return Ends(shrink(found.lower + capped, 4), upper, found.truncation + self.capped * missed, found.rounding)

    @property
    def nodes(self) -> int:
        """The number of nodes of all its sums, with the points of the law."""
        sums = [one for _, one in self.total.sums] if isinstance(self.total, Conditioned) else [self.total]
        return self.placed.law.mass.size + sum(one.visited for one in sums)

    def value(self, threshold: float) -> float:
        """Return the certified end."""
        found = self.ends(threshold)
        return found.upper if self.side is Side.UPPER else found.lower


def upper_side(
    increment: Increment, count: int, scheme: Plan, threshold: float, step: float, precise: float = PRECISE
) -> OneSidedSum:
    """Return the upper end, as a sum of dispersed increments."""
    placed = dispersed(increment, step, scheme.low, scheme.cap)
    _, _, excess, error = increment.above(placed.cap)
    total = _total(increment, placed, count, threshold, scheme, precise)
    return OneSidedSum(
        Side.UPPER, count, placed, total, count * (excess + error), lambda threshold: 0.0, placing(increment)
    )


def lower_side(
    increment: Increment, count: int, scheme: Plan, threshold: float, step: float, precise: float = PRECISE
) -> OneSidedSum | None:
    """Return the lower end, as a sum of merged increments, or None where the lattice is too coarse for that."""
    placed = merged(increment, step, scheme.low, scheme.cap)
    if placed is None:
        return None
    _, _, excess, error = increment.above(placed.cap)
    total = _total(increment, placed, count, threshold, scheme, precise)
    missed = _room(increment, count, scheme.low, step, placed.cap)
    return OneSidedSum(Side.LOWER, count, placed, total, count * max(excess - error, 0.0), missed, placing(increment))


def chernoff(increment: Increment, count: int, scheme: Plan, threshold: float) -> float:
    """Return a quick upper bound of E(sum - threshold)_+.

    It is :math:`M(t)^m e^{-tK}/(et)` of a coarse lattice, and the expectation beyond the cap.
    """
    step = max((scheme.cap - scheme.low) / COARSE, scheme.finest)
    if step <= roundoff(8, max(abs(scheme.low), abs(scheme.cap))):  # points that doubles do not tell apart
        return inf
    placed, t = dispersed(increment, step, scheme.low, scheme.cap), scheme.slope
    _, _, excess, error = increment.above(placed.cap)
    found, more = log_mgf_quickly(placed.law.mass, placed.law.step, placed.law.first, t)
    terms = [count * (found + more), count * placed.origin * t, -threshold * t, -1.0, -log(t)]
    # Atoms are rounded as well: as in ``OneSidedSum.doubt``.
    units, size = placing(increment)
    moved = units * t * (abs(threshold) + count * (3.0 * abs(scheme.low) + size))
    size = sum(map(abs, terms)) + 2.0 * count * t * max(abs(scheme.low), abs(placed.cap)) + moved
    return exp_upper(sum(terms), size) + enlarge(count * (excess + error), 4) + UNDERFLOW


def _total(
    increment: Increment, placed: Placed, count: int, threshold: float, scheme: Plan, precise: float
) -> Contour | Conditioned:
    """Return the sum by one tilt, or where that loses precision by the number of large steps."""
    start = count * placed.origin - threshold
    if scheme.lost > MOST_LOST:
        found = conditioned(placed, count, threshold, increment.variance, scheme.slope)
        if found is not None:
            return found
    plain = contour([(placed.law, count)], scheme.theta, scheme.steeper, scheme.period)
    ends = plain.at(start)
    if ends.rounding <= precise * ends.lower or scheme.lost > MOST_LOST:
        return plain
    found = conditioned(placed, count, threshold, increment.variance, scheme.slope)
    if found is None:
        return plain
    again = found.at(start)
    return found if again.upper - again.lower < ends.upper - ends.lower else plain


def _room(increment: Increment, count: int, low: float, step: float, cap: float) -> Callable[[float], float]:
    """Return a function of the threshold: a bound of P(the other steps leave no room for a step that is capped)."""

    @cache
    def spread() -> tuple[Placed, float]:
        # Steps above a few deviations are lowered to that value, which only lowers the sum.
        found = dispersed(increment, step, low, 4.0 * sqrt(increment.variance) + 4.0 * step)
        return found, float(np.sum(found.law.mass * (found.law.atoms + found.origin) ** 2))

    def missed(threshold: float) -> float:
        room = cap - threshold
        if room < 0.0:
            return 1.0
        if (count - 1) * increment.low >= -room:
            return 0.0
        placed, moment = spread()
        law, best = placed.law, 0.0
        for theta in FALLS * room / (count * moment):
            found, error = log_mgf_quickly(law.mass, law.step, law.first, -theta)
            size = (count - 1) * (abs(found) + theta * abs(placed.origin)) + theta * room
            exponent = (count - 1) * (found + error - theta * placed.origin) - theta * room + roundoff(8, size)
            best = min(best, exponent)
        left = count * increment.below(low)[0] if low > increment.low else 0.0
        return min(exp(best) * (1.0 + 1e-6) + 2.0 * left, 1.0)

    return missed


def first_step(count: int, scheme: Plan, width: float) -> float:
    """Return a lattice step at which the value is about so wide, relatively, as ``width``."""
    return sqrt(4.0 * width / count) / scheme.slope


def clamped(step: float, scheme: Plan) -> float:
    """Return a step that leaves enough points between the ends, and is small enough for the tilt."""
    coarsest = min((scheme.cap - scheme.low) / FEWEST, GREATEST / scheme.theta)
    return float(max(min(step, coarsest), scheme.finest))


def refined(step: float, share: float, scheme: Plan) -> float:
    """Return the share ``share`` of a step, or the finest step where that would be too fine."""
    return max(share * step, scheme.finest)
