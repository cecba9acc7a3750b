r"""Bounds of delta and epsilon from the largest sum of losses alone, next to which the inversion is of no use.

With t the largest finite sum and m at most its probability,

.. math:: p_\infty + m (1 - e^{\epsilon - t}) \le \delta(\epsilon) \le p_\infty + (1 - e^{\epsilon - t}),

so that epsilon is between two closed forms, which agree to delta/m where delta is much less than m.
"""

from __future__ import annotations

from math import exp, expm1, fsum, inf, isfinite, log1p, nextafter

import numpy as np

from ..core.directed import UNIT, enlarge, roundoff, shrink
from .loss_total import Total

# Round-offs granted to exp, expm1 and log1p, and to what they are multiplied with.
FUNCTION = 8.0


def top_mass(total: Total) -> float:
    """Return a lower bound of the probability that the sum is the largest finite one; 0 where it is not known."""
    infinity = total.infinity_ends[1]
    if total.variance > 0.0 or total.nodes is not None or infinity >= 1.0:
        return 0.0
    parts, errors = [log1p(-infinity), total.log_mass_share], []
    for i, count in enumerate(total.counts.tolist()):
        part = slice(total.offsets[i], total.offsets[i + 1])
        losses, masses = total.losses[part], total.masses[part]
        mass = float(np.sum(masses[losses == np.max(losses)]))
        if not mass > 0.0:
            return 0.0
        parts.append(count * float(np.log(mass)))
        # Few are equal, as a rule; a pairwise sum of any number has 64 units.
        errors.append(count * (2.0 * float(total.mass_errors[i]) + roundoff(64.0)))
    parts.append(-float(np.sum(total.response_counts * np.log1p(np.exp(-total.responses)))))
    # exp(-eps0) moves by eps0 e^-eps0 <= 1/2 times the relative error of eps0.
    errors.append(abs(parts[-1]) * (FUNCTION + 64.0) * UNIT)
    errors.append(0.5 * total.response_units * UNIT * float(np.sum(total.response_counts)))
    parts.append(-float(np.sum(total.laplace_counts)) * float(np.log(2.0)))
    errors.append((fsum(map(abs, parts)) + 1.0) * FUNCTION * UNIT)
    value = fsum(parts) - fsum(errors)
    return shrink(exp(value), FUNCTION) if value > -700.0 else 0.0


def certain_delta(total: Total, epsilon: float) -> float:
    """Return a lower bound of what finite losses contribute to delta, from the largest sum alone."""
    gain = -expm1(min(epsilon - total.cap[0], 0.0)) if isfinite(total.cap[0]) else 0.0
    # The difference is rounded by a unit of itself, and 1 - e^-x grows by no more than x does, relatively.
    return shrink(top_mass(total) * gain, 2.0 * FUNCTION)


def certain_epsilon(total: Total, delta: float) -> tuple[float, float]:
    """Return floats between which the epsilon of this delta is; 0 and infinity where nothing is known."""
    down, up = total.infinity_ends
    low, high = 0.0, inf
    bottom, top = total.cap
    spare = shrink(delta - up - total.cut, 4) - roundoff(4, up + total.cut)
    if isfinite(top) and spare > 0.0:
        high = max(nextafter(top + shrink(log1p(-spare), FUNCTION), inf), 0.0)
    mass = top_mass(total)
    if isfinite(bottom) and mass > 0.0 and delta > down:
        share = enlarge((enlarge(delta - down, 4) + roundoff(4, down)) / mass, 4)
        if share < 1.0:
            low = max(nextafter(bottom + enlarge(log1p(-share), FUNCTION), 0.0), 0.0)
    return low, high
