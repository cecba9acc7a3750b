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
KEPT = 4
# Share of its reach within which a plan is reused.
NEXT = 0.05
# Ratio of the thresholds through which a secant is drawn.
APART = 1.02
# The largest log of a threshold.
LARGEST = 690.0


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
        kept = masses > 0.0
        values, masses = values[kept], masses[kept]
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
        with np.errstate(invalid="ignore"):  # beyond the range of numbers there is nothing
            alone = self.count * self.increment.above(threshold)[2]
        alone = alone if alone > 0.0 else 0.0
        return float(tilt_planning.log_value(*law, float(threshold), alone, *self.scales))

    def threshold_of(self, log_value: float, most: float) -> float:
        """Return an estimate of the threshold in (0, most) with this value; 0 where all values are smaller."""
        law = self.values, self.logs, self.excess, float(self.count)
        found = float(tilt_planning.threshold_of(*law, log_value, most, *self.scales))
        if found == 0.0:
            return 0.0
        farther = min(APART * found, most)
        here, there = self.log_value(found), self.log_value(farther)
        if not here > there:
            return found
        moved = log(found) + log(farther / found) * (here - log_value) / (here - there)
        return min(exp(min(moved, LARGEST)), most)


def plan(rough: Rough, threshold: float, value: float) -> Plan:
    """Return a plan for E(sum - threshold)_+ of about ``value``.

    A stored plan for a nearby threshold is reused.
    """
    for at, sought, kept in rough.plans:
        if sought == value and abs(threshold - at) <= NEXT * kept.reach:
            return kept
    law = rough.values, rough.logs, rough.masses, rough.excess
    found = tilt_planning.plan(*law, float(rough.count), float(threshold), float(value), *rough.scales)
    rough.plans[:] = [*rough.plans[1 - KEPT :], (threshold, value, found)]
    return found
