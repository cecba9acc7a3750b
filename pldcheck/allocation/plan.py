"""How a sum is to be inverted at a threshold: where its steps are capped, the tilt, and the period.

Estimates only: what is computed by a plan is certified whatever the plan is, and narrow where it is good.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, pi, sqrt

import numpy as np

from ..laws import Array
from .increments import Increment

# What is cut off, relative to the value sought, and in logs what aliases may be.
CUT = 1e-7
ALIAS = 19.0
# Loss of precision granted, in logs, for a shorter period.
AMPLIFIED = 11.0
# A plan serves thresholds at which the value differs from that planned for by at most this, in logs.
SERVES = 4.0
# Loss of precision, in logs, up to which one tilt will do.
MOST_LOST = 16.0
# Deviations that the other steps stay within.
STRAY = 7.0
# Tilts tried: how many, the first over the inverse of threshold plus deviation, the last over that of the deviation.
TILTS, FLATTEST, STEEPEST = 72, 0.03, 3e4
# Of these, how many before and after the best one are looked at closely.
BEFORE, AFTER = 12, 3


@dataclass(frozen=True)
class Plan:
    """Values between ``low`` and ``cap`` are told apart; ``slope`` is about -d log v/d threshold.

    ``lost``: by how much, in logs, what round-off is relative to exceeds the value.  ``reach``: how far from the
    threshold it serves.
    """

    low: float
    cap: float
    theta: float
    steeper: float
    period: float
    slope: float
    lost: float
    reach: float


@dataclass(frozen=True, eq=False)
class Rough:
    """A coarse law of one step and the deviation of the sum of ``count``."""

    increment: Increment
    count: int
    values: Array
    masses: Array
    excess: Array
    deviation: float

    @classmethod
    def of(cls, increment: Increment, count: int) -> Rough:
        """From the increment's own coarse law."""
        values, masses = increment.coarse
        kept = masses > 0.0
        values, masses = values[kept], masses[kept]
        above = np.cumsum((masses * values)[::-1])[::-1] - values * np.cumsum(masses[::-1])[::-1]
        return cls(increment, count, values, masses, count * above, sqrt(count * increment.variance))

    def cap(self, threshold: float, value: float) -> float:
        """Beyond it either nothing of weight is left, or one step alone brings the sum over this threshold."""
        light = np.flatnonzero((self.excess <= CUT * value) & (self.values > 0.0))
        negligible = float(self.values[light[0]]) if light.size else float(self.values[-1])
        others = STRAY * sqrt(self.deviation**2 + self.count)
        return min(negligible, threshold + min(others, (self.count - 1) * -self.increment.low), self.increment.high)

    def heights(self, threshold: float, cap: float) -> tuple[Array, Array]:
        """Tilts, close together where they are good, and logs of the bounds of the value that they give."""
        wide = np.geomspace(FLATTEST / (threshold + self.deviation), STEEPEST / self.deviation, TILTS)
        height = self._heights(wide, threshold, cap)
        best = int(np.nanargmin(height - np.log(wide)))
        # Heavy tails make the height rise like a wall from some tilt on.
        thetas = np.geomspace(wide[max(best - BEFORE, 0)], wide[min(best + AFTER, TILTS - 1)], TILTS)
        height = self._heights(thetas, threshold, cap)
        kept = np.isfinite(height)
        return thetas[kept], height[kept]

    def _heights(self, thetas: Array, threshold: float, cap: float) -> Array:
        exponents = np.outer(thetas, np.minimum(self.values, cap))
        top = exponents.max(axis=1)
        with np.errstate(over="ignore", under="ignore"):
            cumulant = top + np.log(np.exp(exponents - top[:, None]) @ self.masses)
        return np.asarray(self.count * cumulant - thetas * threshold - 1.0 - np.log(thetas), dtype=np.float64)

    def log_value(self, threshold: float) -> float:
        """About log E(sum - threshold)_+: a saddle point, or one large step."""
        alone = float(np.interp(threshold, self.values, self.excess))
        thetas, height = self.heights(threshold, self.cap(threshold, max(alone, 1e-300)))
        best = min(max(int(np.argmin(height - np.log(thetas))), 1), thetas.size - 2)
        # height + log theta as a function of log theta: its curvature is theta^2 times the tilted variance, about
        goal = height[best - 1 : best + 2] + np.log(thetas[best - 1 : best + 2])
        curvature = max((goal[0] - 2.0 * goal[1] + goal[2]) / log(thetas[1] / thetas[0]) ** 2, 0.0)
        found = float(height[best]) + 1.0 - 0.5 * log(2.0 * pi * (curvature + 2.0))
        return max(found, log(max(alone, 1e-300)))


def plan(rough: Rough, threshold: float, value: float) -> Plan:
    """For E(sum - threshold)_+ of about ``value``."""
    cap = rough.cap(threshold, value)
    thetas, height = rough.heights(threshold, cap)
    best = int(np.argmin(height - np.log(thetas)))
    # Larger thresholds are asked for as well.
    reach = SERVES / float(thetas[best])
    farther = rough.cap(threshold + reach, value)
    if farther > cap:
        cap = farther
        thetas, height = rough.heights(threshold, cap)
        best = int(np.argmin(height - np.log(thetas)))
    theta, steeper, period = shortest(thetas, height, best, log(max(value, 1e-300)))
    low = max(rough.increment.low, _low(rough, theta))
    lost = float(height[best]) - log(max(value, 1e-300))
    if lost > MOST_LOST:  # another way will be found
        period = 0.0
    period = max(period, 1.01 * (cap - max(low, -rough.deviation)), 8.0 * rough.deviation)
    return Plan(low, cap, theta, steeper, period, float(thetas[best]), lost, min(reach, SERVES / float(thetas[best])))


def shortest(thetas: Array, height: Array, best: int, log_value: float) -> tuple[float, float, float]:
    """A tilt at or below the best one with a short period, the steeper one that shows it, and that period."""
    found = (float(thetas[best]), 2.0 * float(thetas[best]), inf)
    for i in range(best, -1, -1):
        if i < best and height[i] - log_value > max(AMPLIFIED, height[best] - log_value + 1.0):
            break
        with np.errstate(invalid="ignore"):  # beyond the range of numbers
            right = (height[i + 1 :] - log_value + ALIAS) / (thetas[i + 1 :] - thetas[i])
        if not right.size:
            continue
        at = int(np.argmin(np.where(np.isnan(right), inf, right)))
        left = (ALIAS - log_value + max(log(ALIAS / thetas[i]), 0.0)) / thetas[i]
        needed = max(float(right[at]), float(left))
        if needed < found[2]:
            found = (float(thetas[i]), float(thetas[i + 1 + at]), needed)
    return found


def _low(rough: Rough, theta: float) -> float:
    """Below it a step is too rare to matter: the sum would have to make up for it."""
    weights = rough.count * np.cumsum(rough.masses) * np.exp(np.minimum(theta * rough.values, 0.0))
    light = np.flatnonzero((weights <= CUT) & (rough.values < -rough.deviation / sqrt(rough.count)))
    return float(rough.values[light[-1]]) if light.size else float(rough.values[0])


def threshold_of(rough: Rough, log_value: float, most: float) -> float:
    """About the threshold in (0, most) at which the value is this; 0 where it is smaller from the beginning."""
    low, high = log(1e-6 * rough.deviation), log(rough.deviation)
    if rough.log_value(exp(low)) <= log_value:
        return 0.0
    while exp(high) < most and rough.log_value(exp(high)) > log_value:
        low, high = high, high + 2.0
    high = min(high, log(most))
    for _ in range(12):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rough.log_value(exp(middle)) > log_value else (low, middle)
    return exp(0.5 * (low + high))
