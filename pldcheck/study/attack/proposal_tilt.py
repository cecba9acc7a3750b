r"""The proposal law whose values have the least bound.

With :math:`S = dP/dQ_0 - e^\epsilon dP'/dQ_0 = (1 - e^\epsilon) + \frac wm \sum s_i` and K the cumulant of a slot's s
under Q0 (the largest of those that a slot may use), a transcript drawn with every output :math:`e^{\theta s}` times as
likely is worth :math:`S_+ \prod e^{K_i(\theta)} e^{-\theta \sum s_i}`, and since :math:`S e^{-uS} \le 1/(e u)`

.. math:: S_+ e^{\sum K_i(\theta) - \theta \sum s_i} \le
          \exp\Big(m K(\theta) - \theta \frac mw (e^\epsilon - 1) - 1 - \log \frac{\theta m}w\Big).

The bound is convex in theta; its least value is within a small factor of delta, so that few transcripts suffice.
"""

from __future__ import annotations

from math import exp, expm1, inf, log, sqrt

import numpy as np
from scipy.optimize import minimize_scalar

from ...core.directed import UNIT
from .hidden_records import Target, Tilt

# Round-off of a bound's logarithm, relative to the terms that cancel in it.
DOUBT = 16 * UNIT
# Largest theta in deviations of s.
STEEP = 1e8
# Largest epsilon if no bound is known.
FAR = 1e3


def tilt(target: Target, epsilon: float) -> Tilt:
    """Return the proposal with nearly the least bound for an epsilon; the bound is valid for any theta."""
    share = target.slots / target.weight

    def log_bound(theta: float) -> float:
        cumulant = max(law.tilted(epsilon, theta)[1] for law in target.laws)
        return target.slots * cumulant - theta * share * expm1(epsilon) - 1.0 - log(theta * share)

    steps = [(law.steps(epsilon), law.reference) for law in target.laws]
    deviation = max(sqrt(float((s - masses @ s) ** 2 @ masses)) for s, masses in steps)
    farthest = max(float(np.abs(s).max()) for s, _ in steps)
    ends = log(1e-3 / max(deviation * sqrt(target.slots), farthest)), log(STEEP / deviation)
    theta = exp(minimize_scalar(lambda place: log_bound(exp(place)), bounds=ends, method="bounded").x)
    doubt = DOUBT * (1.0 + theta * target.slots * (farthest + expm1(epsilon) / target.weight))
    return Tilt(epsilon, theta, log_bound(theta) + doubt)


def largest(target: Target) -> float:
    """Return the largest epsilon at which delta may be positive, by the ratios of a single slot."""
    best = 0.0
    for law in target.laws:
        ratios = 1.0 + target.weight * law.gains
        with np.errstate(divide="ignore"):
            best = max(best, float(np.max(np.log(ratios[:, 0]) - np.log(ratios[:, 1]))))
    return best if best < inf else FAR
