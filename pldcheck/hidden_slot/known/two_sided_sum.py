"""Both ends of E(sum - threshold)_+ of a pair's increments, by lattice laws that are reused as long as they serve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import exp, inf, isfinite, log, sqrt

from ...core.directed import Ends, Side, roundoff
from ...kernels.tilt_planning import REUSE_RANGE, Plan
from ...pld.gain_stoploss import excess
from . import increment_stoploss
from .increment_stoploss import OneSidedSum
from .neighbour_pairs import Pair
from .slot_increments import FiniteIncrement
from .sum_plan import Rough, plan

# Relative width of a value at fineness 1, approximately.
FIRST_WIDTH = 0.9e-2
# Least number of points where the others need not be resolved.
FIRST_POINTS = 2100
# Least fineness at which a search starts.
LEAST_FINENESS = 0.01
# Round-off above which another plan is made, relative to the width that a lattice is for.
ROUNDOFF_SHARE = 0.5
# The same ratio where only the size of the value matters.
SEARCH_ROUNDOFF = 1.0
# Deviations of the sum beyond which it is not due to many moderate steps.
FAR_DEVIATIONS = 40.0
# Share of the largest sum up to which sums are planned.
PLANNED_SHARE = 0.9999
# The least value that is planned for.
LEAST_VALUE = 1e-290
# Number of plans for one side.
MOST_PLANS = 3
# Logarithm of the factor by which a Chernoff bound exceeds a value, approximately.
EXCESS = 2.0

# Least lattice step relative to the values: smaller ones are round-off.
LEAST_STEP = 1e-13
# Largest number of atoms of a law that is inverted without a lattice.
MOST_ATOMS = 1000
# Relative precision to which such a law is inverted.
INVERSION_PRECISION = 1e-4
# Ends of a sum without any bound.
UNKNOWN = Ends(0.0, inf, 0.0, 0.0)
# Ends of a sum whose only bound is 1.
AT_MOST_ONE = Ends(0.0, 1.0, 0.0, 0.0)


@dataclass(eq=False)
class Sides:
    """The lattice laws of one pair at one fineness; ``work``: the nodes of all sums so far."""

    pair: Pair
    finer: float
    work: int = 0
    _rough: dict[float, Rough] = field(default_factory=dict)
    _sums: dict[Side, list[tuple[float, float, OneSidedSum | None]]] = field(
        default_factory=lambda: {side: [] for side in Side}
    )

    def rough(self, epsilon: float) -> Rough:
        """Return the coarse law that is used for planning."""
        if self._has_one_law(epsilon):
            return self.pair.rough(epsilon)
        if epsilon not in self._rough:
            self._rough = {epsilon: self.pair.rough(epsilon)}
        return self._rough[epsilon]

    def scheme(self, epsilon: float, value: float) -> Plan:
        """Return a plan for a value of about ``value``."""
        return _feasible_plan(self.rough(epsilon), self.pair.threshold(epsilon), value)

    def points(self, epsilon: float, value: float) -> float:
        """Return an estimate of the number of points of a lattice law."""
        scheme = self.scheme(epsilon, value)
        return (scheme.cap - scheme.low) / self._step(self.rough(epsilon), self.pair.threshold(epsilon), scheme)

    def ends(self, epsilon: float, value: float, side: Side) -> Ends:
        """Return one end of the value at the threshold of this epsilon; ``value`` is an estimate of it."""
        threshold = self.pair.threshold(epsilon)
        one_sided = self._side(epsilon, threshold, value, side)
        if one_sided is not None:
            return one_sided.ends(threshold)
        increment = self.pair.increment(epsilon)
        if side is Side.UPPER or not isinstance(increment, FiniteIncrement) or increment.atoms.size > MOST_ATOMS:
            return UNKNOWN
        # The atoms are too far apart for a lattice onto which they are drawn together.
        share = threshold / self.pair.steps
        # Atoms are exponentials, with the same error as masses; the threshold is rounded a few times.
        doubt = (increment.error + roundoff(4)) * abs(increment.atoms) + roundoff(16, abs(share))
        part = (increment.atoms - share, increment.masses, self.pair.steps, doubt)
        return excess([part], increment.error + roundoff(16), INVERSION_PRECISION)

    def quick_bound(self, epsilon: float, value: float) -> float:
        """Return an upper bound of the value at the threshold of this epsilon, which costs next to nothing."""
        scheme = self.scheme(epsilon, value)
        return increment_stoploss.chernoff(
            self.pair.increment(epsilon), self.pair.steps, scheme, self.pair.threshold(epsilon)
        )

    def _has_one_law(self, epsilon: float) -> bool:
        """Return whether the law serves other epsilons too."""
        return self.pair.has_one_law and not self.pair.is_floored(epsilon)

    def _side(self, epsilon: float, threshold: float, value: float, side: Side) -> OneSidedSum | None:
        for stored_threshold, reach, one_sided in self._sums[side]:
            if abs(threshold - stored_threshold) <= reach or stored_threshold == threshold:
                return one_sided
        rough = self.rough(epsilon)
        # Where all steps must be nearly at their largest the inversion is neither useful nor necessary.
        threshold = min(threshold, PLANNED_SHARE * self.pair.steps * rough.increment.high)
        new_sum, scheme = self._build_sum(rough, threshold, value, side)
        reach = scheme.reach if self._has_one_law(epsilon) else 0.0
        self._sums[side].append((threshold, reach, new_sum))
        return new_sum

    def _build_sum(self, rough: Rough, threshold: float, value: float, side: Side) -> tuple[OneSidedSum | None, Plan]:
        make: Callable[..., OneSidedSum | None] = (
            increment_stoploss.upper_side if side is Side.UPPER else increment_stoploss.lower_side
        )
        for _ in range(MOST_PLANS):
            scheme = _feasible_plan(rough, threshold, value)
            if not isfinite(scheme.period):  # the coarse law is beyond the range of numbers, so that there is no plan
                return None, scheme
            step = self._step(rough, threshold, scheme)
            # A fineness coarser than 1 is for a search.
            precision = (
                ROUNDOFF_SHARE * relative_widening(rough, scheme.slope, step) if self.finer <= 1.0 else SEARCH_ROUNDOFF
            )
            large = max(abs(scheme.cap), abs(scheme.low))
            one_sided = None
            if step > LEAST_STEP * large:
                one_sided = make(rough.increment, rough.count, scheme, step)
            if one_sided is None:
                break
            self.work += one_sided.nodes
            # The plan was for a value that differs from the result, which made it worse: a second plan is made.
            ends = one_sided.ends(threshold)
            latest_value = max(ends.upper, LEAST_VALUE)
            if abs(log(latest_value / max(value, LEAST_VALUE))) < REUSE_RANGE:
                break
            if ends.upper - ends.lower + one_sided.cap_excess <= precision * ends.upper:
                break
            value = latest_value
        return one_sided, scheme

    def _step(self, rough: Rough, threshold: float, scheme: Plan) -> float:
        return increment_stoploss.refine(first_step(rough, threshold, scheme), self.finer, scheme)


def first_step(rough: Rough, threshold: float, scheme: Plan) -> float:
    """Return the lattice step at fineness 1."""
    step = increment_stoploss.first_step(rough.count, scheme, FIRST_WIDTH)
    if threshold > FAR_DEVIATIONS * rough.deviation:  # only large steps reach it, and others need not be resolved
        step = max(step, (scheme.cap - scheme.low) / FIRST_POINTS)
    return increment_stoploss.clamp(step, scheme)


def relative_widening(rough: Rough, slope: float, step: float) -> float:
    r"""Return the relative widening by a lattice of a value whose log falls by ``slope`` per unit of the threshold.

    It adds about :math:`\min(h^2/6, h \sigma/2)` to the variance :math:`\sigma^2` of an increment, or takes it away.
    """
    return rough.count * slope * slope * min(step * step / 6.0, 0.5 * step * rough.deviation / sqrt(rough.count))


def fineness(rough: Rough, threshold: float, scheme: Plan, bend: float, width: float) -> float:
    """Return the fineness at which a value v has about the relative width ``width``; ``bend`` is the root of v''/v."""
    variance = width / max(rough.count * bend * bend, LEAST_VALUE)
    step = max(sqrt(6.0 * variance), 2.0 * variance * sqrt(rough.count) / rough.deviation)
    return min(max(step / first_step(rough, threshold, scheme), LEAST_FINENESS), 1.0)


def _feasible_plan(rough: Rough, threshold: float, value: float) -> Plan:
    scheme = plan(rough, threshold, max(value, LEAST_VALUE))
    if scheme.precision_loss < 0.0:  # even the Chernoff bound is below that value
        scheme = plan(rough, threshold, max(value * exp(scheme.precision_loss - EXCESS), LEAST_VALUE))
    return scheme
