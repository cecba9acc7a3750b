"""The tilt that suits an epsilon or a delta: the saddle point of the inversion integral.  Any tilt is sound."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log, pi, sqrt

from ..core.roots import zero
from .loss_total import Total
from .tilted_total import LEAST_TILT, TiltedTotal, least_tilted, tilt

# The largest tilt that is searched, unless PER_DEVIATION allows a larger one.
LARGEST_TILT = 1e12
# The largest tilt, as a multiple of one over the standard deviation of the sum.
PER_DEVIATION = 1e3
# The least spread of which a logarithm is taken; far beyond all tilts of use it is rounded to 0.
LEAST_SPREAD = 1e-300


def steepest(total: Total, epsilon: float) -> float:
    """Return the tilt that minimises K(theta) - theta epsilon - log(theta (theta + bend)), to three digits."""

    def slope(log_theta: float) -> float:
        return level(tilt(total, exp(log_theta))) - epsilon

    return exp(_root(slope, largest_tilt(total)))


def tail(total: Total, delta: float) -> tuple[float, float]:
    """Return the (epsilon, theta) at which the saddle-point formula gives delta: an estimate to start a search from."""

    def excess(log_theta: float) -> float:
        state = tilt(total, exp(log_theta))
        theta = state.theta
        height = state.cumulant - theta * level(state) - log(theta * (theta + total.bend))
        height -= 0.5 * log(2 * pi * max(spread(state), LEAST_SPREAD))
        return log(delta) - height

    theta = exp(_root(excess, largest_tilt(total)))
    return level(tilt(total, theta)), theta


def level(state: TiltedTotal) -> float:
    """Return the epsilon of which this tilt is the saddle point."""
    return state.mean - 1.0 / state.theta - 1.0 / (state.theta + state.total.bend)


def spread(state: TiltedTotal) -> float:
    """Return the curvature of the log of the integrand at the saddle point."""
    return state.variance + state.theta**-2 + (state.theta + state.total.bend) ** -2


def largest_tilt(total: Total) -> float:
    """Return the largest tilt that is searched."""
    variance = least_tilted(total).variance
    return max(LARGEST_TILT, PER_DEVIATION / sqrt(variance)) if variance > 0.0 else LARGEST_TILT


def _root(function: Callable[[float], float], largest: float) -> float:
    """Return the zero in log theta of an increasing function, or the end of the range that is nearest to having one."""
    low, high, step = 0.0, 0.0, 1.0
    at_low = at_high = function(0.0)
    while at_low > 0.0 and low > log(LEAST_TILT):
        high, at_high, low = low, at_low, low - step
        at_low, step = function(low), 2.0 * step
    while at_high < 0.0 and high < log(largest):
        low, at_low, high = high, at_high, high + step
        at_high, step = function(high), 2.0 * step
    if at_low > 0.0:
        return low
    if at_high < 0.0:
        return high
    return zero(function, low, high, absolute=1e-3, relative=2.0**-50) if low < high else low
