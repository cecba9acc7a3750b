r"""Epochs of a hidden slot behind (eps0, delta0)-DP randomizers.

From above as in :mod:`pldcheck.hidden_slot.worst_epochs`: the polygon through certified points of the one-epoch curve,
which ends at w delta0, its mass at infinity.  From below, randomizers that reveal the record with probability delta0
and are pure else: with r = w delta0, over E epochs

.. math:: \delta(\epsilon) \ge 1 - (1-r)^E + (1-r)^E \delta_*(\epsilon),

the last being that of E epochs of the pure ones.
"""

from __future__ import annotations

from math import exp, expm1, inf, log1p

from ... import pld
from ...core import threads
from ...core.interval import ErrorBudget, Interval
from ...pld import PrivacyLossDistribution
from ...pld.loss_sides import Dominating, between
from .. import worst_epochs
from ..worst import worst_intervals
from ..worst.slot_problem import Slot
from . import near_pure
from .approximate_slot import (
    FEW_OPERATIONS,
    LEAST_DELTA,
    NEARBY_PURE,
    ONE_SLOT,
    REVELATION,
    SUBNORMAL,
    one_slot_upper,
    pure_slot,
)


def points(slot: Slot, delta0: float, delta: float) -> tuple[list[float], list[float]]:
    """Return certified points of one epoch's curve, the last where it becomes constant."""
    near = near_pure.nearby_randomizers(slot, delta0).slot
    last, far = (
        worst_intervals.epsilon(near, "replace", least, 0.05).upper for least in (delta, worst_epochs.LEAST_DELTA)
    )
    last, far = min(last, slot.cap), min(far, slot.cap)
    epsilons = [last * i / (worst_epochs.POINTS - 1) for i in range(worst_epochs.POINTS)]
    epsilons += [
        last + (far - last) * i / worst_epochs.FURTHER_POINTS for i in range(1, worst_epochs.FURTHER_POINTS + 1)
    ]
    epsilons.append(slot.cap)

    def above(epsilon: float) -> float:
        best = one_slot_upper(slot, delta0, epsilon)
        return (
            best
            if epsilon >= slot.cap
            else min(best, near_pure.delta_upper(slot, delta0, epsilon, worst_intervals.delta_above))
        )

    with threads.pool() as pool:
        return epsilons, list(pool.map(above, epsilons))


def losses(slot: Slot, delta0: float, delta: float, adjacency: str) -> tuple[PrivacyLossDistribution, ...]:
    """Return laws of one epoch: the upper law includes delta0, the lower laws are those of pure randomizers."""
    above = Dominating(pld.from_curve(*points(slot, delta0, delta), symmetric=True))
    return tuple(between(one, above) for one in worst_epochs.adversaries(slot, adjacency))


def _revelation_probability(slot: Slot, delta0: float, count: int) -> float:
    """Return 1 - (1 - w delta0)^E, the probability that some epoch reveals the record."""
    return -expm1(count * log1p(-slot.weight * delta0))


def epsilon(slot: Slot, delta0: float, count: int, delta: float) -> Interval:
    """Return epsilon(delta) of ``count`` epochs."""
    alone = worst_epochs.one_slot_loss(slot, delta0).upper(lambda loss: loss.compose(count).epsilon(delta))
    pure_delta = _pure_delta(slot, delta0, count, delta)
    if alone == 0.0 or pure_delta <= 0.0:
        low, budget = inf if pure_delta <= 0.0 else 0.0, ErrorBudget(0.0, 0.0, 0.0)
        return Interval(low, alone, "epsilon", budget, None, (REVELATION, ONE_SLOT))
    low = (
        worst_epochs.lower_epsilon(pure_slot(slot, delta0), count, max(pure_delta, LEAST_DELTA))
        if pure_delta < 1.0
        else 0.0
    )
    composition = _upper(slot, delta0, count, max(pure_delta, LEAST_DELTA))
    high, source = min((composition.epsilon(delta).upper, NEARBY_PURE), (alone, ONE_SLOT))
    gap = max(composition.delta(high).upper - _revelation_probability(slot, delta0, count), 0.0) if high < inf else 0.0
    return Interval(low, high, "epsilon", ErrorBudget(gap, 0.0, 0.0), None, (REVELATION, source))


def _pure_delta(slot: Slot, delta0: float, count: int, delta: float) -> float:
    """Return (delta - r)/(1 - r), r = 1 - (1 - w delta0)^E, rounded up; at most 0 where delta is certainly below r."""
    revelation, log_survival = _revelation_probability(slot, delta0, count), count * log1p(-slot.weight * delta0)
    above = delta * (1.0 + FEW_OPERATIONS) - revelation * (1.0 - FEW_OPERATIONS)
    if above <= 0.0 or log_survival < -600.0:
        return 1.0 if above > 0.0 else above
    return above * exp(-log_survival) * (1.0 + FEW_OPERATIONS * (1.0 - log_survival))


def delta(slot: Slot, delta0: float, count: int, epsilon: float) -> Interval:
    """Return delta(epsilon) of ``count`` epochs."""
    revelation = _revelation_probability(slot, delta0, count)
    pure = worst_epochs.lower_delta(pure_slot(slot, delta0), count, epsilon)
    low = max(
        (revelation * (1.0 - FEW_OPERATIONS) + (1.0 - revelation) * pure) * (1.0 - FEW_OPERATIONS) - SUBNORMAL, 0.0
    )
    alone = worst_epochs.one_slot_loss(slot, delta0).upper(lambda loss: loss.compose(count).delta(epsilon))
    composition = _upper(slot, delta0, count, max(low, LEAST_DELTA)).delta(epsilon).upper
    high, source = min((composition, NEARBY_PURE), (alone, ONE_SLOT), (1.0, ONE_SLOT))
    return Interval(low, high, "delta", ErrorBudget(high - low, 0.0, 0.0), None, (REVELATION, source))


def _upper(slot: Slot, delta0: float, count: int, delta: float) -> PrivacyLossDistribution:
    least = max(min(worst_epochs.TAIL * delta / count, 0.01), worst_epochs.LEAST_DELTA)
    return pld.from_curve(*points(slot, delta0, least), symmetric=True).compose(count)
