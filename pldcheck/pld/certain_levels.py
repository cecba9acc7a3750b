"""Epsilon at delta = 0 and delta at infinite epsilon: from the largest loss, and from the probability of infinite ones.

No inversion is needed for either, and the engine of losses asks for levels strictly between.
"""

from __future__ import annotations

from math import inf

from ..core.interval import Interval
from .distribution import PrivacyLossDistribution
from .loss_total import Total
from .step_totals import totals

# Unused, as nothing is inverted; the signature of totals requires it.
WIDTH = 1e-6


def epsilon_of_zero(loss: PrivacyLossDistribution) -> Interval:
    """Return the epsilon of pure differential privacy, infinite where the loss has no largest value."""
    lower = upper = 0.0
    for above, below in _sides(loss):
        lower = max(lower, inf if below.infinity > 0.0 else below.cap[0])
        # Where tails were cut off, larger losses than the largest one that is left are possible.
        upper = max(upper, inf if above.infinity > 0.0 or above.cut > 0.0 else above.cap[1])
    return Interval(lower, upper, "epsilon")


def delta_of_infinity(loss: PrivacyLossDistribution) -> Interval:
    """Return the probability that the loss is infinite, in the worse direction."""
    lower = upper = 0.0
    for above, below in _sides(loss):
        lower = max(lower, below.infinity_ends[0])
        upper = max(upper, min(above.infinity_ends[1] + above.cut, 1.0))
    return Interval(lower, upper, "delta")


def _sides(loss: PrivacyLossDistribution) -> list[tuple[Total, Total]]:
    """Return the sum that dominates and the one that is dominated, for each direction."""
    ways = [loss.forward] if loss.backward is None else [loss.forward, loss.backward]
    return [totals(parts, WIDTH)[:2] for parts in ways]
