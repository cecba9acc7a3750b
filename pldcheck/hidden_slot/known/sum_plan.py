"""Plans for inverting a sum at a threshold: the cap of its steps, the tilt, and the period.

These are estimates only: the result of any plan is certified, and a good plan makes it narrow.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, log, sqrt

import numpy as np

from ...core.arrays import Array
from ...kernels import tilt_planning
from ...kernels.tilt_planning import Plan
from .slot_increments import Increment

# Number of plans that are stored.
STORED_PLANS = 4
# Share of its reach within which a plan is reused.
REUSE_SHARE = 0.05
# Ratio of the thresholds through which a secant is drawn.
SECANT_RATIO = 1.02
# The largest log of a threshold.
LARGEST_LOG = 690.0


@dataclass(frozen=True, eq=False)
class Rough:
    """A coarse law of one step and the deviation of the sum of ``count``; ``excess`` is count E(X - value)_+.

    ``plans`` are the last ones, with the threshold and the value that each is for.
    """

    increment: Increment
    count: int
    values: Array
    masses: Array
    logs: Array
    excess: Array
    deviation: float
    plans: list[tuple[float, float, Plan]] = field(default_factory=list)

    @classmethod
    def of(cls, increment: Increment, count: int) -> Rough:
        """Return the coarse law of an increment, for the sum of ``count``."""
        values, masses = increment.coarse
        positive = masses > 0.0
        values, masses = values[positive], masses[positive]
        above = np.cumsum((masses * values)[::-1])[::-1] - values * np.cumsum(masses[::-1])[::-1]
        deviation = sqrt(count * increment.variance)
        return cls(increment, count, values, masses, np.log(masses), count * above, deviation)

    @property
    def scales(self) -> tuple[float, float, float]:
        """The infimum and the supremum of a step, and the deviation of the sum."""
        return float(self.increment.low), float(self.increment.high), self.deviation

    def log_value(self, threshold: float) -> float:
        """Return an estimate of log E(sum - threshold)_+; one large step counts exactly, not by the coarse law."""
        law = self.values, self.logs, self.excess, float(self.count)
        with np.errstate(invalid="ignore"):  # the increment may have no value beyond the range of numbers
            one_large_step = self.count * self.increment.above(threshold)[2]
        one_large_step = one_large_step if one_large_step > 0.0 else 0.0
        return float(tilt_planning.log_value(*law, float(threshold), one_large_step, *self.scales))

    def threshold_of(self, log_value: float, most: float) -> float:
        """Return an estimate of the threshold in (0, most) with this value; 0 where all values are smaller."""
        law = self.values, self.logs, self.excess, float(self.count)
        threshold = float(tilt_planning.threshold_of(*law, log_value, most, *self.scales))
        if threshold == 0.0:
            return 0.0
        farther = min(SECANT_RATIO * threshold, most)
        here, there = self.log_value(threshold), self.log_value(farther)
        if not here > there:
            return threshold
        log_threshold = log(threshold) + log(farther / threshold) * (here - log_value) / (here - there)
        return min(exp(min(log_threshold, LARGEST_LOG)), most)


def plan(rough: Rough, threshold: float, value: float) -> Plan:
    """Return a plan for E(sum - threshold)_+ of about ``value``.

    A stored plan for a nearby threshold is reused.
    """
    for stored_threshold, stored_value, stored_plan in rough.plans:
        if stored_value == value and abs(threshold - stored_threshold) <= REUSE_SHARE * stored_plan.reach:
            return stored_plan
    law = rough.values, rough.logs, rough.masses, rough.excess
    new_plan = tilt_planning.plan(*law, float(rough.count), float(threshold), float(value), *rough.scales)
    rough.plans[:] = [*rough.plans[1 - STORED_PLANS :], (threshold, value, new_plan)]
    return new_plan
