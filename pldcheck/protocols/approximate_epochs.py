r"""Epochs of a hidden slot behind (eps0, delta0)-DP randomizers.

From above as in :mod:`pldcheck.protocols.epochs`: the polygon through certified points of the one-epoch curve, which
ends at w delta0, its mass at infinity.  From below, randomizers that reveal the record with probability delta0 and are
pure else: with r = w delta0, over E epochs

.. math:: \delta(\epsilon) \ge 1 - (1-r)^E + (1-r)^E \delta_*(\epsilon),

the last being that of E epochs of the pure ones.
"""

from __future__ import annotations

from math import expm1, inf, log1p

from .. import pld, threads
from ..interval import ErrorBudget, Interval
from ..minimax import bracket, nearby
from ..minimax.slot import Slot
from ..pld import PrivacyLossDistribution
from ..pld.distribution import Sided
from . import epochs
from .approximate import FEW, LEAST, NEARBY, REVEALED, one_slot_upper, revealing


def points(slot: Slot, delta0: float, delta: float) -> tuple[list[float], list[float]]:
    """Certified points of one epoch's curve, the last where it becomes constant."""
    near = nearby.nearby(slot, delta0).slot
    last, far = (bracket.epsilon(near, "replace", at, 0.05).upper for at in (delta, epochs.LEAST))
    last, far = min(last, slot.cap), min(far, slot.cap)
    where = [last * i / (epochs.POINTS - 1) for i in range(epochs.POINTS)]
    where += [last + (far - last) * i / epochs.BEYOND for i in range(1, epochs.BEYOND + 1)]
    where.append(slot.cap)

    def above(epsilon: float) -> float:
        best = one_slot_upper(slot, delta0, epsilon)
        return (
            best if epsilon >= slot.cap else min(best, nearby.delta_upper(slot, delta0, epsilon, bracket.delta_above))
        )

    with threads.pool() as pool:
        return where, list(pool.map(above, where))


def losses(slot: Slot, delta0: float, delta: float) -> tuple[PrivacyLossDistribution, ...]:
    """One epoch: the upper law with delta0, the lower ones of pure randomizers."""
    upper = pld.from_curve(*points(slot, delta0, delta), symmetric=True).forward[0][0].upper

    def dominated(parts):
        return parts and tuple((Sided(upper, sided.lower), count) for sided, count in parts)

    return tuple(
        PrivacyLossDistribution(loss.name, dominated(loss.forward), dominated(loss.backward))
        for loss in epochs.losses(slot, delta)
    )


def _revealed(slot: Slot, delta0: float, count: int) -> float:
    """1 - (1 - w delta0)^E."""
    return -expm1(count * log1p(-slot.weight * delta0))


def epsilon(slot: Slot, delta0: float, count: int, delta: float) -> Interval:
    """epsilon(delta) of ``count`` epochs."""
    revealed = _revealed(slot, delta0, count)
    asked = (delta * (1.0 + FEW) - revealed * (1.0 - FEW)) / (1.0 - revealed) * (1.0 + FEW)
    low = epochs.epsilon(revealing(slot, delta0), count, max(asked, LEAST)).lower if asked > 0.0 else inf
    composed = _upper(slot, delta0, count, max(asked, LEAST))
    high = max(composed.epsilon(delta).upper, low)
    gap = max(composed.delta(high).upper - revealed, 0.0) if high < inf else 0.0
    return Interval(low, high, "epsilon", ErrorBudget(gap, 0.0, 0.0), None, (REVEALED, NEARBY))


def delta(slot: Slot, delta0: float, count: int, epsilon: float) -> Interval:
    """delta(epsilon) of ``count`` epochs."""
    revealed = _revealed(slot, delta0, count)
    pure = epochs.delta(revealing(slot, delta0), count, epsilon).lower
    low = (revealed * (1.0 - FEW) + (1.0 - revealed) * pure) * (1.0 - FEW)
    high = _upper(slot, delta0, count, max(low, LEAST)).delta(epsilon).upper
    return Interval(low, high, "delta", ErrorBudget(high - low, 0.0, 0.0), None, (REVEALED, NEARBY))


def _upper(slot: Slot, delta0: float, count: int, delta: float) -> PrivacyLossDistribution:
    least = max(min(epochs.TAIL * delta / count, 0.01), epochs.LEAST)
    return pld.from_curve(*points(slot, delta0, least), symmetric=True).compose(count)
