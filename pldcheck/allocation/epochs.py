"""Epochs of a hidden slot of a known randomizer, and several slots: one epoch's privacy loss distribution, composed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..interval import Interval
from ..pld import PrivacyLossDistribution
from ..pld.distribution import agreed
from . import hulls
from .curve import Curve
from .hulls import Points
from .pairs import ADDED, ADJACENCIES, REMOVED, REPLACED, Pair, Slots

# Fineness of the points of a curve; how far a composition looks, over its delta; and the least delta.
FINER, TAIL, LEAST = 0.2, 1e-4, 1e-200


def answer(
    slots: Slots,
    parts: Sequence[tuple[int, int]],
    epochs: int,
    ask: Callable[[PrivacyLossDistribution], Interval],
    delta: float,
) -> Interval:
    """What ``ask`` asks of one slot among so many, as often as ``parts`` say, from above; of ``epochs``, from below."""
    least = least_of(delta, sum(count for _, count in parts))
    if len(parts) == 1 and parts[0] == (slots.steps, epochs):
        return ask(one_epoch(slots, least).compose(epochs))
    above = dominating(slots, parts, least)
    below = ask(one_epoch(slots, least).compose(epochs))
    found = ask(above)
    sources = (f"one selected step, {epochs} x", "compositions of one selected step")
    return replace(found, lower=agreed(below.lower, found.upper), sources=sources)


def dominating(slots: Slots, parts: Sequence[tuple[int, int]], least: float) -> PrivacyLossDistribution:
    """A slot among so many, as often as ``parts`` say."""
    losses = [(one_epoch(replace(slots, steps=steps), least), count) for steps, count in parts]
    first, *others = [loss.compose(count) for loss, count in losses]
    for other in others:
        first = first.compose(other)
    return first


def least_of(delta: float, count: int) -> float:
    """The delta of one epoch from which on its curve is not needed finely."""
    return max(min(TAIL * delta / count, 1e-3), LEAST)


def one_epoch(slots: Slots, least: float) -> PrivacyLossDistribution:
    """The loss of one epoch, both sides; below ``least`` its curve is known coarsely."""
    name = f"random allocation to {slots.steps} steps"
    if slots.adjacency == "replace":
        points = _points(slots.pair(REPLACED), least)
        return PrivacyLossDistribution(name, ((hulls.sided(points, points), 1),))
    removed, added = _points(slots.pair(REMOVED), least), _points(slots.pair(ADDED), least)
    forward, backward = hulls.sided(removed, added), hulls.sided(added, removed)
    if slots.adjacency == "in-ball":
        joined = _points(slots.pair(REPLACED), least)
        upper = hulls.upper_law(joined, joined)
        ways = [((replace(one, upper=upper), 1),) for one in (forward, backward)]
        return PrivacyLossDistribution(name, *ways)
    asked = ADJACENCIES[slots.adjacency]
    ways = [((one, 1),) for name, one in ((REMOVED, forward), (ADDED, backward)) if name in asked]
    return PrivacyLossDistribution(name, *ways)


def _points(pair: Pair, least: float) -> Points:
    curve = Curve(pair, FINER, 0.1)

    def value(epsilon: float) -> tuple[float, float]:
        found = curve.value(epsilon, False), curve.value(epsilon, True)
        curve.about = max(found[1], hulls.NOTHING)
        return found

    return hulls.points(value, least, pair.largest)
