"""Estimates of a pair's epsilon, at which the search for it starts."""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from ..kernels.saddle_point import epsilon_near
from ..pld.step_losses import Array

# Losses of one message beyond which no saddle point is searched.
FARTHEST_LOSS = 300.0


def estimate_epsilon(p: Array, q: Array, w: Array, n: int, largest: float, delta: float) -> tuple[float, float]:
    """Return an estimate of the epsilon at which n shuffled messages have this delta, and the slope of log delta there.

    One message is drawn from P or Q, the others from W.  The slope is -d log delta / d epsilon, which is positive.  The
    epsilon is 0 where the estimate of delta is nowhere so large.
    """
    possible = p > 0.0
    with np.errstate(divide="ignore"):
        cap = min(largest, float(np.max(np.log(p[possible]) - np.log(q[possible]))), FARTHEST_LOSS)
    deviation = max(sqrt(float(np.sum((p - q) ** 2 / w)) / n), 1e-300)
    if cap <= 0.0:
        return 0.0, 1.0 / deviation
    epsilon, slope = epsilon_near(p / w - 1.0, q / w - 1.0, w, n, 1.0, cap, log(delta))
    if epsilon > 0.0 and slope > 0.0:
        return epsilon, slope
    # The estimate is nearly flat here, or nearly at its end.
    return min(epsilon, 0.9 * cap), max(4.0 / deviation, 2.0 / cap)
