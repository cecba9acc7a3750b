r"""The proposal whose values have the least bound, and about how large delta is.

With :math:`S = dP/dQ_0 - e^\epsilon dP'/dQ_0 = (1 - e^\epsilon) + \frac wm \sum s_i` and K the cumulant of a slot's s
under Q0 (the largest of those that a slot may use), a transcript drawn with every output :math:`e^{\theta s}` times as
likely is worth :math:`S_+ \prod e^{K_i(\theta)} e^{-\theta \sum s_i}`, and since :math:`S e^{-uS} \le 1/(e u)`

.. math:: S_+ e^{\sum K_i(\theta) - \theta \sum s_i} \le
          \exp\Big(m K(\theta) - \theta \frac mw (e^\epsilon - 1) - 1 - \log \frac{\theta m}w\Big).

That is convex in theta; its least value is within a small factor of delta itself, so few transcripts tell much.
"""

from __future__ import annotations

from collections.abc import Callable
from math import e, exp, expm1, inf, log, pi, sqrt

import numpy as np

from ...core.arrays import Array
from ...core.directed import UNIT
from ...core.roots import halve
from .attacked_mechanism import Attacked, Law, Tilt

# Golden sections of the logarithm of theta, no more than places to begin with.
SECTIONS = 40
# Halvings of epsilon, no more than places to begin with.
HALVINGS = 25
# Round-off of a bound's logarithm, relative to the terms that cancel in it.
DOUBT = 16 * UNIT
# Largest theta in deviations of s.
STEEP = 1e8
# Largest epsilon where none is known.
FAR = 1e3


def tilted(law: Law, epsilon: float, theta: float) -> tuple[Array, float]:
    """Return the tilted probabilities, and the cumulant K(theta)."""
    exponents = theta * law.steps(epsilon)
    top = float(exponents.max())
    weights = law.reference * np.exp(exponents - top)
    total = float(weights.sum())
    return weights / total, top + log(total)


def _log_bound(attacked: Attacked, epsilon: float, theta: float) -> float:
    cumulant = max(tilted(law, epsilon, theta)[1] for law in attacked.laws)
    share = attacked.slots / attacked.weight
    return attacked.slots * cumulant - theta * share * expm1(epsilon) - 1.0 - log(theta * share)


def tilt(attacked: Attacked, epsilon: float) -> Tilt:
    """Return the proposal for this epsilon."""
    deviation = max(_deviation(law.steps(epsilon), law.reference) for law in attacked.laws)
    farthest = max(float(np.abs(law.steps(epsilon)).max()) for law in attacked.laws)
    low, high = 1e-3 / max(deviation * sqrt(attacked.slots), farthest), STEEP / deviation
    theta = least(lambda theta: _log_bound(attacked, epsilon, theta), low, high)
    # Whatever theta is, the bound is right for it.
    doubt = DOUBT * (1.0 + theta * attacked.slots * (farthest + expm1(epsilon) / attacked.weight))
    return Tilt(epsilon, theta, _log_bound(attacked, epsilon, theta) + doubt)


def least(bound: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one valley is least; golden sections in the logarithm."""
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


def guess(attacked: Attacked, epsilon: float) -> float:
    """Return about log delta(epsilon): the bound, times what a normal sum has of it."""
    found = attacked.proposal(epsilon)
    variances = [
        float(np.square(_deviation(law.steps(epsilon), tilted(law, epsilon, found.theta)[0]))) for law in attacked.laws
    ]
    spread = found.theta * sqrt(attacked.slots * max(variances))
    return found.log_bound + log(e / (sqrt(2.0 * pi) * spread + e))


def guess_epsilon(attacked: Attacked, delta: float) -> float:
    """Return about epsilon(delta): where to begin, nothing more."""
    if guess(attacked, 0.0) <= log(delta):
        return 0.0
    return halve(lambda epsilon: guess(attacked, epsilon) > log(delta), 0.0, largest(attacked), times=HALVINGS)[0]


def largest(attacked: Attacked) -> float:
    """Return the largest epsilon at which one slot alone can tell anything."""
    best = 0.0
    for law in attacked.laws:
        ratios = 1.0 + attacked.weight * law.gains
        with np.errstate(divide="ignore"):
            best = max(best, float(np.max(np.log(ratios[:, 0]) - np.log(ratios[:, 1]))))
    return best if best < inf else FAR


def _deviation(values: Array, masses: Array) -> float:
    mean = float(values @ masses)
    return sqrt(float((values - mean) ** 2 @ masses))
