r"""The proposal law whose values have the least bound, and an estimate of delta.

With :math:`S = dP/dQ_0 - e^\epsilon dP'/dQ_0 = (1 - e^\epsilon) + \frac wm \sum s_i` and K the cumulant of a slot's s
under Q0 (the largest of those that a slot may use), a transcript drawn with every output :math:`e^{\theta s}` times as
likely is worth :math:`S_+ \prod e^{K_i(\theta)} e^{-\theta \sum s_i}`, and since :math:`S e^{-uS} \le 1/(e u)`

.. math:: S_+ e^{\sum K_i(\theta) - \theta \sum s_i} \le
          \exp\Big(m K(\theta) - \theta \frac mw (e^\epsilon - 1) - 1 - \log \frac{\theta m}w\Big).

The bound is convex in theta; its least value is within a small factor of delta, so that few transcripts suffice.
"""

from __future__ import annotations

from collections.abc import Callable
from math import e, exp, expm1, inf, log, pi, sqrt

import numpy as np

from ...core.arrays import Array
from ...core.directed import UNIT
from ...core.roots import halve
from .attacked_mechanism import Law, Target, Tilt

# Golden sections of the logarithm of theta; the bound is valid for any theta.
SECTIONS = 40
# Halvings of epsilon, which only give a starting point.
HALVINGS = 25
# Round-off of a bound's logarithm, relative to the terms that cancel in it.
DOUBT = 16 * UNIT
# Largest theta in deviations of s.
STEEP = 1e8
# Largest epsilon if no bound is known.
FAR = 1e3


def tilted_law(law: Law, epsilon: float, theta: float) -> tuple[Array, float]:
    """Return the tilted probabilities, and the cumulant K(theta)."""
    exponents = theta * law.steps(epsilon)
    top = float(exponents.max())
    weights = law.reference * np.exp(exponents - top)
    total = float(weights.sum())
    return weights / total, top + log(total)


def _log_bound(target: Target, epsilon: float, theta: float) -> float:
    cumulant = max(tilted_law(law, epsilon, theta)[1] for law in target.laws)
    share = target.slots / target.weight
    return target.slots * cumulant - theta * share * expm1(epsilon) - 1.0 - log(theta * share)


def tilt(target: Target, epsilon: float) -> Tilt:
    """Return the proposal with the least bound for an epsilon."""
    deviation = max(_deviation(law.steps(epsilon), law.reference) for law in target.laws)
    farthest = max(float(np.abs(law.steps(epsilon)).max()) for law in target.laws)
    low, high = 1e-3 / max(deviation * sqrt(target.slots), farthest), STEEP / deviation
    theta = least(lambda theta: _log_bound(target, epsilon, theta), low, high)
    # The bound is valid for any theta.
    doubt = DOUBT * (1.0 + theta * target.slots * (farthest + expm1(epsilon) / target.weight))
    return Tilt(epsilon, theta, _log_bound(target, epsilon, theta) + doubt)


def least(bound: Callable[[float], float], low: float, high: float) -> float:
    """Return the minimizer of a function with one valley, by golden sections in the logarithm."""
    ratio = 0.5 * (sqrt(5.0) - 1.0)
    start, end = log(low), log(high)
    left, right = end - ratio * (end - start), start + ratio * (end - start)
    at_left, at_right = bound(exp(left)), bound(exp(right))
    for _ in range(SECTIONS):
        if at_left < at_right:
            end, right, at_right = right, left, at_left
            left = end - ratio * (end - start)
            at_left = bound(exp(left))
        else:
            start, left, at_left = left, right, at_right
            right = start + ratio * (end - start)
            at_right = bound(exp(right))
    return exp(0.5 * (start + end))


def guess(target: Target, epsilon: float) -> float:
    """Return an estimate of log delta(epsilon): the bound, corrected as for a normal sum."""
    proposal = target.proposal(epsilon)
    variances = [
        float(np.square(_deviation(law.steps(epsilon), tilted_law(law, epsilon, proposal.theta)[0])))
        for law in target.laws
    ]
    spread = proposal.theta * sqrt(target.slots * max(variances))
    return proposal.log_bound + log(e / (sqrt(2.0 * pi) * spread + e))


def guess_epsilon(target: Target, delta: float) -> float:
    """Return an estimate of epsilon(delta), which serves as a starting point only."""
    if guess(target, 0.0) <= log(delta):
        return 0.0
    return halve(lambda epsilon: guess(target, epsilon) > log(delta), 0.0, largest(target), times=HALVINGS)[0]


def largest(target: Target) -> float:
    """Return the largest epsilon at which delta may be positive, by the ratios of a single slot."""
    best = 0.0
    for law in target.laws:
        ratios = 1.0 + target.weight * law.gains
        with np.errstate(divide="ignore"):
            best = max(best, float(np.max(np.log(ratios[:, 0]) - np.log(ratios[:, 1]))))
    return best if best < inf else FAR


def _deviation(values: Array, masses: Array) -> float:
    mean = float(values @ masses)
    return sqrt(float((values - mean) ** 2 @ masses))
