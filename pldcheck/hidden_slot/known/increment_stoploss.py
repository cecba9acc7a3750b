"""E(sum of a slot's increments - threshold)_+ near one threshold, from above and from below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import exp, inf, log, sqrt

import numpy as np

from ...core.directed import UNIT, Ends, Side, enlarge, exp_upper, roundoff, shrink
from ...core.interval import UNDERFLOW
from ...kernels.half_period_inversion import log_mgf_by_blocks
from ...kernels.tilt_planning import Plan
from ...pld.lattice_contour import Contour
from ...pld.lattice_fourier import contour
from .increment_lattice import PlacedLaw, disperse, draw_together
from .slot_increments import Increment, edge_rounding

# Fewest points of a lattice.
FEWEST_POINTS = 48
# Number of points of a lattice for a quick bound.
QUICK_POINTS = 600
# Largest step, relative to the inverse of the tilt.
LARGEST_STEP = 20.0
# Tilts, relative to the best one for a normal law, that are tried for the bound that the other steps stay above.
TILTS = np.array([0.5, 1.0, 2.0, 4.0])


@dataclass(frozen=True, eq=False)
class OneSidedSum:
    """One end of v(threshold) = E(sum - threshold)_+, by a law on a lattice; ``side`` says which.

    ``cap_excess`` is count E(X - cap)_+, and ``no_room`` is, for each threshold, the probability that the other steps
    leave no room for all of it.
    """

    side: Side
    count: int
    placed_law: PlacedLaw
    total: Contour
    cap_excess: float
    no_room: Callable[[float], float]
    edge_rounding: tuple[float, float] = (16.0, 0.0)

    def doubt(self, threshold: float) -> float:
        """Return an upper bound of the error of the threshold: its own rounding, and that of the lattice's points.

        All steps may be off the same way.  A step that is off by at most u(abs(x) + size), x at least the first point,
        is so by at most :math:`u (x + 2 |first| + size)`, and the sum of ``count`` of them, where it exceeds the
        threshold, as if that were lower by u times it and ``count`` (2 abs(first) + size); the factor 1 + u is charged
        in :meth:`ends`.
        """
        units, size = self.edge_rounding
        law, shift = self.placed_law.law, self.count * self.placed_law.origin
        first = abs(self.placed_law.origin) + abs(law.step * law.first)
        spread = self.count * (3.0 * first + size)
        return UNIT * (16.0 * (abs(threshold) + abs(shift)) + units * (abs(threshold) + spread))

    def ends(self, threshold: float) -> Ends:
        """Return the ends of the sum on the lattice, with the mass beyond the cap.

        Only the end of this side bounds the true value.
        """
        shift, doubt = self.count * self.placed_law.origin, self.doubt(threshold)
        total = self.total.at(shift - threshold + self.side.sign * doubt)
        atom_rounding = UNIT * (self.edge_rounding[0] + 4.0)
        total = Ends(
            total.lower * (1.0 - atom_rounding), total.upper * (1.0 + atom_rounding), total.truncation, total.rounding
        )
        no_room = self.no_room(threshold)
        cap_excess = self.cap_excess * (1.0 - no_room)
        # In units of increments, in which the caps and the lattice lose it; the caller's factor comes later.
        upper = enlarge(total.upper + cap_excess, 4) + UNDERFLOW
        return Ends(
            shrink(total.lower + cap_excess, 4), upper, total.truncation + self.cap_excess * no_room, total.rounding
        )

    @property
    def nodes(self) -> int:
        """The number of nodes of its sum, with the points of the law."""
        return self.placed_law.law.mass.size + self.total.visits

    def value(self, threshold: float) -> float:
        """Return the certified end."""
        ends = self.ends(threshold)
        return ends.upper if self.side is Side.UPPER else ends.lower


def upper_side(increment: Increment, count: int, scheme: Plan, step: float) -> OneSidedSum:
    """Return the upper end, as a sum of increments that are dispersed on a lattice."""
    placed_law = disperse(increment, step, scheme.low, scheme.cap)
    _, _, excess, error = increment.above(placed_law.cap)
    total = contour([(placed_law.law, count)], scheme.theta, scheme.steeper, scheme.period)
    return OneSidedSum(
        Side.UPPER, count, placed_law, total, count * (excess + error), lambda threshold: 0.0, edge_rounding(increment)
    )


def lower_side(increment: Increment, count: int, scheme: Plan, step: float) -> OneSidedSum | None:
    """Return the lower end, as a sum of increments drawn together, or None where the lattice is too coarse."""
    placed_law = draw_together(increment, step, scheme.low, scheme.cap)
    if placed_law is None:
        return None
    _, _, excess, error = increment.above(placed_law.cap)
    total = contour([(placed_law.law, count)], scheme.theta, scheme.steeper, scheme.period)
    no_room = _no_room_bound(increment, count, scheme.low, step, placed_law.cap)
    return OneSidedSum(
        Side.LOWER, count, placed_law, total, count * max(excess - error, 0.0), no_room, edge_rounding(increment)
    )


def chernoff(increment: Increment, count: int, scheme: Plan, threshold: float) -> float:
    """Return a quick upper bound of E(sum - threshold)_+.

    It is :math:`M(t)^m e^{-tK}/(et)` of a coarse lattice, and the expectation beyond the cap.
    """
    step = max((scheme.cap - scheme.low) / QUICK_POINTS, scheme.finest)
    if step <= roundoff(8, max(abs(scheme.low), abs(scheme.cap))):  # neighbouring points would be the same double
        return inf
    placed_law, t = disperse(increment, step, scheme.low, scheme.cap), scheme.slope
    _, _, excess, error = increment.above(placed_law.cap)
    log_mgf, log_mgf_error = log_mgf_by_blocks(placed_law.law.mass, placed_law.law.step, placed_law.law.first, t)
    terms = [count * (log_mgf + log_mgf_error), count * placed_law.origin * t, -threshold * t, -1.0, -log(t)]
    # Atoms are rounded as well: as in ``OneSidedSum.doubt``.
    units, size = edge_rounding(increment)
    atom_rounding = units * t * (abs(threshold) + count * (3.0 * abs(scheme.low) + size))
    size = sum(map(abs, terms)) + 2.0 * count * t * max(abs(scheme.low), abs(placed_law.cap)) + atom_rounding
    return exp_upper(sum(terms), size) + enlarge(count * (excess + error), 4) + UNDERFLOW


def _no_room_bound(increment: Increment, count: int, low: float, step: float, cap: float) -> Callable[[float], float]:
    """Return a function of the threshold: a bound of P(the other steps leave no room for a step that is capped)."""

    @cache
    def spread() -> tuple[PlacedLaw, float]:
        # Steps above a few deviations are lowered to that value, which only lowers the sum.
        placed_law = disperse(increment, step, low, 4.0 * sqrt(increment.variance) + 4.0 * step)
        return placed_law, float(np.sum(placed_law.law.mass * (placed_law.law.atoms + placed_law.origin) ** 2))

    def no_room(threshold: float) -> float:
        room = cap - threshold
        if room < 0.0:
            return 1.0
        if (count - 1) * increment.low >= -room:
            return 0.0
        placed_law, moment = spread()
        law, best = placed_law.law, 0.0
        for theta in TILTS * room / (count * moment):
            log_mgf, error = log_mgf_by_blocks(law.mass, law.step, law.first, -theta)
            size = (count - 1) * (abs(log_mgf) + theta * abs(placed_law.origin)) + theta * room
            exponent = (count - 1) * (log_mgf + error - theta * placed_law.origin) - theta * room + roundoff(8, size)
            best = min(best, exponent)
        below_low = count * increment.below(low)[0] if low > increment.low else 0.0
        return min(exp(best) * (1.0 + 1e-6) + 2.0 * below_low, 1.0)

    return no_room


def first_step(count: int, scheme: Plan, width: float) -> float:
    """Return a lattice step at which the value is about so wide, relatively, as ``width``."""
    return sqrt(4.0 * width / count) / scheme.slope


def clamp(step: float, scheme: Plan) -> float:
    """Return a step that leaves enough points between the ends, and is small enough for the tilt."""
    coarsest = min((scheme.cap - scheme.low) / FEWEST_POINTS, LARGEST_STEP / scheme.theta)
    return float(max(min(step, coarsest), scheme.finest))


def refine(step: float, share: float, scheme: Plan) -> float:
    """Return the share ``share`` of a step, or the finest step where that would be too fine."""
    return max(share * step, scheme.finest)
