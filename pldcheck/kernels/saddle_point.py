"""A saddle-point estimate of the stop-loss transform of a sum; it guides searches, and no bound rests on it."""

import math

import numpy as np

from ._jit import kernel
from .interpreted_first import interpreted_first

# The largest number of Newton steps for a tilt.
NEWTON_STEPS = 40
# The largest number of trials for a root.
TRIALS = 80
# The number of trials that are secant steps; the rest are bisections.
SECANTS = 30
# The distance from the root at which the trials end.
ROOT_DISTANCE = 1e-9
# The relative distance from the root of the two points that give the slope.
SLOPE_DISTANCE = 1e-4
# A short secant step ends the search only where its points are this close: log delta may fall by 10^10 between them.
SECANT_DISTANCE = 0.1
# For larger steepness the recursion of the integrals cancels, and their series is short.
LARGE_STEEPNESS = 8.0


@kernel
def _tilted_moments(values, masses, theta):
    """Return the cumulant of one step at theta, its first two derivatives, and the third central moment there."""
    top = -math.inf
    for v in range(values.size):
        top = max(top, theta * values[v])
    total = first = second = third = 0.0
    for v in range(values.size):
        weight = masses[v] * math.exp(theta * values[v] - top)
        total += weight
        weight *= values[v]
        first += weight
        weight *= values[v]
        second += weight
        third += weight * values[v]
    mean, square = first / total, second / total
    variance = max(square - mean * mean, 0.0)
    return top + math.log(total), mean, variance, third / total - mean * (3.0 * variance + mean * mean)


@kernel
def _centring_tilt(values, masses, count, start):
    """Return the theta >= 0 at which start + the sum of ``count`` steps of mean 0 has mean 0; inf where none exists."""
    goal, most = -start / count, -math.inf
    for v in range(values.size):
        most = max(most, values[v])
    if goal >= most:
        return math.inf
    low, high, theta = 0.0, math.inf, 0.0
    for _ in range(NEWTON_STEPS):
        _, mean, variance, _ = _tilted_moments(values, masses, theta)
        if mean < goal:
            low = theta
        else:
            high = theta
        next_theta = theta + (goal - mean) / variance if variance > 0.0 else math.inf
        if not low < next_theta < high:
            next_theta = 0.5 * (low + high) if high < math.inf else 2.0 * theta
        if abs(next_theta - theta) <= 1e-9 * theta:
            break
        theta = next_theta
    return theta


@kernel
def _half_normal(steepness):
    """Return the integrals of y e^(-s y) phi(y) and of (y^4 - 3 y^2) e^(-s y) phi(y) over y > 0."""
    density = 1.0 / math.sqrt(2.0 * math.pi)
    square = steepness * steepness
    if steepness > LARGE_STEEPNESS:
        return density / square * (1.0 - 3.0 / square + 15.0 / (square * square)), -6.0 * density / (square * steepness)
    none = 0.5 * math.exp(0.5 * square) * math.erfc(steepness / math.sqrt(2.0))
    first = density - steepness * none
    second = none - steepness * first
    third = 2.0 * first - steepness * second
    return first, -steepness * third  # the fourth integral is 3 second - steepness third


@kernel
def log_stop_loss(values, masses, count, start):
    """Return an estimate of log E(start + sum)_+ for start < 0, from a tilted normal law with skewness."""
    theta = _centring_tilt(values, masses, count, start)
    if theta == math.inf:
        return -math.inf
    cumulant, _, variance, third = _tilted_moments(values, masses, theta)
    if variance <= 0.0:
        return -math.inf
    deviation = math.sqrt(count * variance)
    first, skew = _half_normal(theta * deviation)
    skew *= third / (6.0 * variance * deviation)
    return count * cumulant + theta * start + math.log(deviation * max(first + skew, 0.1 * first))


@kernel
def _log_delta(values, gains, losses, masses, count, weight, epsilon):
    """Return an estimate of log delta; the function overwrites ``values``."""
    kappa_1 = math.expm1(epsilon)
    for v in range(gains.size):
        values[v] = gains[v] - losses[v] - kappa_1 * losses[v]
    return math.log(weight / count) + log_stop_loss(values, masses, count, -kappa_1 * count / weight)


def epsilon_near(gains, losses, masses, count, weight, cap, log_delta):
    """Return estimates of the epsilon and of -d log delta / d epsilon at which one law in all slots has this log delta.

    ``gains`` and ``losses`` are a - 1 and a' - 1 of the outputs; the steps are gains - e^epsilon losses.  The search is
    in t = log(epsilon/(cap - epsilon)), by secants as long as they stay in the bracket; epsilon is 0 where delta is
    smaller everywhere, and the slope is 0 where it cannot be computed, near the cap.
    """
    values = np.empty(gains.size)  # in a kernel an allocation takes a tenth of a second to compile
    return _solution(values, gains, losses, masses, count, weight, cap, log_delta)


@kernel
def _solve(values, gains, losses, masses, count, weight, cap, log_delta):
    """Return what :func:`epsilon_near` returns; the function overwrites ``values``."""
    low, high, t, other, at_other = -60.0, 40.0, 0.0, 0.0, math.inf
    for trial in range(TRIALS):
        here = _log_delta(values, gains, losses, masses, count, weight, cap / (1.0 + math.exp(-t))) - log_delta
        low, high = (t, high) if here > 0.0 else (low, t)
        secant = math.nan
        if trial < SECANTS and math.isfinite(here) and math.isfinite(at_other) and here != at_other:
            secant = t - here * (t - other) / (here - at_other)
        short = abs(secant - t) < ROOT_DISTANCE
        if (short and abs(t - other) < SECANT_DISTANCE) or high - low < ROOT_DISTANCE:
            break
        other, at_other = t, here
        t = secant if low < secant < high and not short else 0.5 * (low + high)
    if low == -60.0:
        return 0.0, 0.0
    epsilon = cap / (1.0 + math.exp(-t))
    distance = SLOPE_DISTANCE * min(epsilon, cap - epsilon)
    before = _log_delta(values, gains, losses, masses, count, weight, epsilon - distance)
    after = _log_delta(values, gains, losses, masses, count, weight, epsilon + distance)
    slope = (before - after) / (2.0 * distance)
    return epsilon, slope if 0.0 < slope < math.inf else 0.0


# Python calls these; the kernels above call the compiled functions.  A call in plain Python takes 1 or 2 ms.
tilted_moments = interpreted_first(_tilted_moments, 60)
centring_tilt = interpreted_first(_centring_tilt, 60)
_solution = interpreted_first(_solve, 60)
