r"""Estimates of the best tilts of sums, on coarse laws: saddle points, periods of inversions, values.  None is a bound.

A coarse law has increasing ``values``, the ``logs`` of its masses, and E(X - value)_+ at each value, times ``count``
(``excess``).  Tilts are positive; with M the moment generating function of min(X, cap), the height at a tilt is the log
of the bound :math:`M(t)^m e^{-tK}/(et)` of :math:`E(X_1 + \dots + X_m - K)_+`.
"""

import math
from typing import NamedTuple

import numpy as np

from ._jit import kernel
from .interpreted_first import interpreted_first

# Terms below e^-NEGLIGIBLE_EXPONENT times the largest one are left out.
NEGLIGIBLE_EXPONENT = 37.0
# The smallest tilt, in units of the inverse of threshold plus deviation.
FLATTEST = 0.03
# The largest tilt, in units of the inverse of the deviation.
STEEPEST = 3e4
# The largest number of Newton steps.
STEPS = 60
# The number of Newton steps that change the tilt by a factor of at most FACTOR.
SHORT_STEPS = 20
# The largest factor by which one of the first Newton steps changes the tilt.
FACTOR = 4.0
# Newton's method ends at a step with this relative size.
NEWTON_PRECISION = 1e-3
# The mass that is cut off, relative to the value.
CUT_SHARE = 1e-7
# The distance of aliases below the value, in logs.
ALIAS = 19.0
# The loss of precision, in logs, that is acceptable for a shorter period.
MOST_AMPLIFICATION = 11.0
# A plan serves thresholds at which the log of the value differs by at most this.
REUSE_RANGE = 4.0
# The sum of the other steps stays within so many deviations.
STRAY = 7.0
# The distance of tilts that are compared, in logs.
LOG_RATIO = 0.1
# The number of tilts below the best one that are compared.
BELOW = 14
# The number of tilts above the best one that are compared.
ABOVE = 18
# The largest number of points of a law.
POINTS = 2.0**20
# The largest number of points of a period.
NODES = 2.0**20
# The largest number of points of a period whose transform is needed at few frequencies.
MORE_NODES = 2.0**27
# The number of these frequencies, in units of period over deviation.
FREQUENCIES = 2.0
# The largest product of their number and the number of a law's points.
VALUES = 2.0**23
# The number of steps from which on few frequencies are enough.
MANY_STEPS = 1e4
# The factor by which excesses on such coarse laws may be wrong.
COARSE = 1.5
# The least value that is distinguished from 0.
LEAST_VALUE = 1e-300
# The start of a search for a threshold, in deviations.
FIRST_THRESHOLD = 1e-6
# The largest number of evaluations of this search.
MOST_LOOKS = 40
# The accuracy of this search, in logs of the value.
SEARCH_PRECISION = 0.02
# The length of its steps up, in logs, relative to the way so far; at least 1.
GROWTH = 0.05


class Plan(NamedTuple):
    """The plan of the inversion of a sum at a threshold; it distinguishes values of a step between ``low`` and ``cap``.

    ``theta``, ``steeper`` and ``period`` are the tilt, a second tilt that justifies it, and the period of the
    inversion; ``slope`` is about -d log v/d threshold; ``precision_loss`` is the loss of precision in logs: round-off
    is relative to the Chernoff bound, which exceeds the value by so much; ``reach`` is the distance from the threshold
    up to which the plan serves; ``finest`` is the least lattice step without excessive work.
    """

    low: float
    cap: float
    theta: float
    steeper: float
    period: float
    slope: float
    precision_loss: float
    reach: float
    finest: float


@kernel
def _tilted_moments(values, logs, cap, theta):
    """Return log M(theta), and mean and variance of min(X, cap) tilted by theta."""
    top, centre = -math.inf, 0.0
    for i in range(values.size):
        value = min(values[i], cap)
        if logs[i] + theta * value > top:
            top, centre = logs[i] + theta * value, value
    total, mean, square = 0.0, 0.0, 0.0
    for i in range(values.size):
        value = min(values[i], cap)
        exponent = logs[i] + theta * value - top
        if exponent > -NEGLIGIBLE_EXPONENT:
            weight, away = math.exp(exponent), value - centre
            total += weight
            mean += weight * away
            square += weight * away * away
    mean /= total
    return top + math.log(total), centre + mean, max(square / total - mean * mean, 0.0)


@kernel
def _saddle(values, logs, count, threshold, cap, deviation):
    """Return the tilt t with the least height - log t, the height there, and t^2 times the curvature of that."""
    low, high = FLATTEST / (threshold + deviation), STEEPEST / deviation
    variance = deviation * deviation
    theta = 0.5 * (threshold + math.sqrt(threshold * threshold + 8.0 * variance)) / variance
    theta = min(max(theta, low), high)
    log_mgf, curvature = 0.0, 0.0
    for step in range(STEPS):
        log_mgf, mean, variance = _tilted_moments(values, logs, cap, theta)
        slope = count * mean - threshold - 2.0 / theta
        curvature = count * variance + 2.0 / (theta * theta)
        low, high = (low, theta) if slope > 0.0 else (theta, high)
        # Later steps may be longer: tilts may be many orders of magnitude apart.
        factor = FACTOR if step < SHORT_STEPS else FACTOR**FACTOR
        next_theta = min(max(theta - slope / curvature, theta / factor), theta * factor)
        if abs(next_theta - theta) <= NEWTON_PRECISION * theta:
            break
        theta = next_theta if low < next_theta < high else math.sqrt(low * high)
    return theta, count * log_mgf - theta * threshold - 1.0 - math.log(theta), theta * theta * curvature


@kernel
def _cap(values, excess, count, threshold, value, least, most, deviation):
    """Return the value beyond which either no weight is left, or one step alone brings the sum over this threshold."""
    negligible = values[-1]
    for i in range(values.size):
        if excess[i] <= CUT_SHARE * value and values[i] > 0.0:
            negligible = values[i]
            break
    others = STRAY * math.sqrt(deviation * deviation + count)
    return min(negligible, threshold + min(others, (count - 1) * -least), most)


@kernel
def _excess_at(values, excess, value):
    low, high = 0, values.size - 1
    if not value > values[0]:
        return excess[0]
    if not value < values[high]:
        return excess[high]
    while high - low > 1:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle
        else:
            high = middle
    return excess[low] + (value - values[low]) / (values[high] - values[low]) * (excess[high] - excess[low])


@kernel
def _log_value(values, logs, excess, count, threshold, alone, least, most, deviation):
    """Return an estimate of log E(sum - threshold)_+, from a saddle point or from one large step.

    X is between ``least`` and ``most``.  ``alone`` is about count E(X - threshold)_+, which is used where it is below
    the bound of the whole.
    """
    alone = max(alone, LEAST_VALUE)
    cap = _cap(values, excess, count, threshold, alone, least, most, deviation)
    _, height, curvature = _saddle(values, logs, count, threshold, cap, deviation)
    bound = max(COARSE * (math.exp(height) + _excess_at(values, excess, cap)), LEAST_VALUE)
    return max(height + 1.0 - 0.5 * math.log(2.0 * math.pi * curvature), math.log(min(alone, bound)))


@kernel
def _threshold_of(values, logs, excess, count, target, farthest, least, most, deviation):
    """Return an estimate of the threshold in (0, farthest) at which ``log_value`` is the target; 0 where there is none.

    The search goes up in steps to beyond the target; then it is regula falsi with halved ends (Illinois), in the log of
    the threshold.
    """
    end = math.log(farthest)
    x = math.log(FIRST_THRESHOLD) + min(math.log(deviation), end)
    first = x
    low, at_low, high, at_high, same_side = x, 0.0, x, 0.0, 0
    for look in range(MOST_LOOKS):
        threshold = math.exp(x)
        alone = _excess_at(values, excess, threshold)
        excess_log = _log_value(values, logs, excess, count, threshold, alone, least, most, deviation) - target
        if look == 0 and not excess_log > 0.0:
            return 0.0
        if abs(excess_log) <= SEARCH_PRECISION or (excess_log > 0.0 and not x < end):
            break
        if excess_log > 0.0:
            low, at_low, at_high, same_side = x, excess_log, (0.5 * at_high if same_side > 0 else at_high), 1
        else:
            high, at_high, at_low, same_side = x, excess_log, (0.5 * at_low if same_side < 0 else at_low), -1
        if at_high == 0.0:  # the search is still below the target
            x, same_side = min(math.log(deviation) if look == 0 else low + max(GROWTH * (low - first), 1.0), end), 0
            continue
        x = (low * at_high - high * at_low) / (at_high - at_low)
        if not low < x < high:
            x = 0.5 * (low + high)
    return math.exp(x)


@kernel
def shortest_period(thetas, heights, best, log_value):
    """Return a tilt at or below the best one with a short period, the steeper tilt that justifies it, its period."""
    theta, steeper, period = thetas[best], 2.0 * thetas[best], math.inf
    for i in range(best, -1, -1):
        if i < best and heights[i] - log_value > max(MOST_AMPLIFICATION, heights[best] - log_value + 1.0):
            break
        right, second = math.inf, -1
        for k in range(i + 1, thetas.size):
            candidate = (heights[k] - log_value + ALIAS) / (thetas[k] - thetas[i])
            if candidate < right:
                right, second = candidate, k
        if second < 0:
            continue
        left = (ALIAS - log_value + max(math.log(ALIAS / thetas[i]), 0.0)) / thetas[i]
        if max(right, left) < period:
            theta, steeper, period = thetas[i], thetas[second], max(right, left)
    return theta, steeper, period


@kernel
def _plan(values, logs, masses, excess, count, threshold, value, least, most, deviation):
    """Return the plan for E(sum - threshold)_+ of about ``value``."""
    log_target = math.log(max(value, LEAST_VALUE))
    cap = _cap(values, excess, count, threshold, value, least, most, deviation)
    best, height, reach = 0.0, 0.0, math.inf
    for attempt in range(2):
        best, height, _ = _saddle(values, logs, count, threshold, cap, deviation)
        reach = min(reach, REUSE_RANGE / best)
        # The plan also serves larger thresholds.
        farther = _cap(values, excess, count, threshold + reach, value, least, most, deviation)
        if attempt > 0 or not farther > cap:
            break
        cap = farther
    thetas, heights = np.empty(BELOW + ABOVE + 1), np.empty(BELOW + ABOVE + 1)
    for k in range(thetas.size):
        thetas[k] = best * math.exp((k - BELOW) * LOG_RATIO)
        log_mgf, _, _ = _tilted_moments(values, logs, cap, thetas[k])
        heights[k] = count * log_mgf - thetas[k] * threshold - 1.0 - math.log(thetas[k])
    theta, steeper, period = shortest_period(thetas, heights, BELOW, log_target)
    # Steps below this value are too rare to matter, as the sum would have to compensate them.  Each has the weight of
    # its own compensation: far atoms of a law may be round-off, and no plan should hang on where they lie.
    low, below, rare, left, right = values[0], 0.0, 0.0, values[0], values[0]
    for i in range(values.size):
        left = values[i] if below < 0.25 else left
        right = values[i] if below < 0.75 else right
        if values[i] < -deviation / math.sqrt(count) and rare <= CUT_SHARE:
            low = values[i]
        below += masses[i]
        rare += count * masses[i] * math.exp(min(theta * values[i], 0.0))
    low = max(least, low)
    precision_loss = height - log_target
    period = max(period, 1.01 * (cap - max(low, -deviation)), 8.0 * deviation)
    finest = max(period / NODES, (cap - low) / POINTS)
    # The transform of many steps ends early where most of a step's mass is on several points: no FFT is needed.
    finer = max(FREQUENCIES * period / deviation * (cap - low) / VALUES, period / MORE_NODES)
    if count >= MANY_STEPS and finer < right - left:
        finest = min(finest, finer)
    return Plan(low, cap, theta, steeper, period, best, precision_loss, reach, finest)


# Python calls these; the kernels above call the compiled functions.  In Python they take about 10, 100 and 60 ms.
log_value = interpreted_first(_log_value, 20)
threshold_of = interpreted_first(_threshold_of, 3)
plan = interpreted_first(_plan, 8)
