"""Epochs and several slots of a known randomizer: one epoch's privacy loss distribution is composed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ...core.directed import Side
from ...core.interval import Interval
from ...pld import PrivacyLossDistribution, compose_all
from ...pld.loss_sides import Attained, Dominating, between
from . import curve_hulls
from .curve_hulls import Points
from .neighbour_pairs import ADDITION, ADJACENCIES, REMOVAL, REPLACEMENT, Pair, Slots
from .pair_curve import Curve

# Fineness of the points of a curve.
FINENESS = 0.2
# Least delta of one epoch that a composition needs, relative to its own delta per epoch.
TAIL = 1e-4
# The least delta at which a curve is evaluated.
LEAST_DELTA = 1e-200
# Work on all curves of an answer, in nodes, some ten million a second.  It limits the effort; any number is right.
WORK = 100_000_000


@dataclass(eq=False)
class Curves:
    """The curves of one answer, which are reused from one depth to the next.

    ``count`` is the number of curves that share the work.  Each has a share as large as that of any other, and the
    unused work of those before it.
    """

    count: int
    _curves: dict[Pair, Curve] = field(default_factory=dict)
    _values: dict[Pair, dict[float, tuple[float, float]]] = field(default_factory=dict)

    def points(self, pair: Pair, least: float) -> Points:
        """Return the points of the curve of one pair, until delta is ``least``."""
        curve = self._curves.setdefault(pair, Curve(pair, FINENESS, 0.1))
        values = self._values.setdefault(pair, {})
        earlier = list(self._curves.values())[: list(self._curves).index(pair)]
        work_limit = WORK * (len(earlier) + 1) / self.count - sum(other.work for other in earlier)

        def value(epsilon: float) -> tuple[float, float]:
            if epsilon not in values:
                values[epsilon] = curve.value(epsilon, Side.LOWER), curve.value(epsilon, Side.UPPER)
            ends = values[epsilon]
            curve.estimate = max(ends[1], curve_hulls.LEAST_DELTA)
            return ends

        return curve_hulls.points(
            value, least, pair.largest, work_share=lambda: curve.work / work_limit if work_limit > 0.0 else 1.0
        )


def curves_of(slots: Slots, parts: Sequence[tuple[int, int]] = ()) -> Curves:
    """Return the empty curves of an answer on ``slots`` and each of the ``parts``, which may be the same."""
    kinds = {slots.steps, *(steps for steps, _ in parts)}
    return Curves(len(kinds) * (3 if slots.adjacency == "in-ball" else 1 if slots.adjacency == "replace" else 2))


def answer(
    slots: Slots,
    parts: Sequence[tuple[int, int]],
    epochs: int,
    ask: Callable[[PrivacyLossDistribution], Interval],
    delta: float,
    curves: Curves | None = None,
) -> Interval:
    """Return the answer of ``ask`` for composed epochs.

    The upper end is that of ``parts``: pairs (steps, count) of one slot among ``steps``, ``count`` times.  The lower
    end is that of ``epochs`` epochs of ``slots``.
    """
    least, curves = least_of(delta, sum(count for _, count in parts)), curves or curves_of(slots, parts)
    if is_exact(slots, parts, epochs):
        return ask(one_epoch(slots, least, curves).compose(epochs))
    interval = ask(between(attained_loss(slots, epochs, least, curves), dominating_loss(slots, parts, least, curves)))
    sources = (f"a single selected step in each of {epochs} epochs", "composition of allocations of a single step")
    return replace(interval, sources=sources)


def is_exact(slots: Slots, parts: Sequence[tuple[int, int]], epochs: int) -> bool:
    """Return whether ``parts`` are the epochs themselves: one step is selected in each."""
    return tuple(parts) == ((slots.steps, epochs),)


def dominating_loss(
    slots: Slots, parts: Sequence[tuple[int, int]], least: float, curves: Curves | None = None
) -> Dominating:
    """Return the composed loss of ``parts``: pairs (steps, count) of one slot among ``steps``, ``count`` times.

    It dominates epochs in which several slots are selected, and is the loss of none of them.
    """
    curves = curves or curves_of(slots, parts)
    losses = [one_epoch(replace(slots, steps=steps), least, curves).compose(count) for steps, count in parts]
    return Dominating(compose_all(losses))


def attained_loss(slots: Slots, epochs: int, least: float, curves: Curves | None = None) -> Attained:
    """Return the loss of ``epochs`` of one slot, which reveal no more than those of several slots."""
    return Attained(one_epoch(slots, least, curves).compose(epochs))


def least_of(delta: float, count: int) -> float:
    """Return the delta of one epoch below which its curve need not be fine."""
    return max(min(TAIL * delta / count, 1e-3), LEAST_DELTA)


def one_epoch(slots: Slots, least: float, curves: Curves | None = None) -> PrivacyLossDistribution:
    """Return the loss of one epoch, with both sides; below ``least`` its curve is coarse."""
    points = (curves or curves_of(slots)).points
    name = f"random allocation to {slots.steps} steps"
    if slots.adjacency == "replace":
        both = points(slots.pair(REPLACEMENT), least)
        return PrivacyLossDistribution(name, ((curve_hulls.law_bounds(both, both), 1),))
    removal, addition = points(slots.pair(REMOVAL), least), points(slots.pair(ADDITION), least)
    forward, backward = (
        curve_hulls.law_bounds(removal, addition),
        curve_hulls.law_bounds(addition, removal),
    )
    if slots.adjacency == "in-ball":
        in_ball = points(slots.pair(REPLACEMENT), least)
        upper = curve_hulls.upper_law(in_ball, in_ball)
        ways = [((replace(one, upper=upper), 1),) for one in (forward, backward)]
        return PrivacyLossDistribution(name, *ways)
    pair_names = ADJACENCIES[slots.adjacency]
    ways = [((one, 1),) for name, one in ((REMOVAL, forward), (ADDITION, backward)) if name in pair_names]
    return PrivacyLossDistribution(name, *ways, is_one_way=len(ways) == 1)
