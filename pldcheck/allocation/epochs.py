r"""One epoch as a privacy loss distribution, from certified points of its curve; epochs and several slots composed.

The privacy curve f(kappa) = H_kappa(P||Q), kappa = e^epsilon, is convex, f(0) = 1, f(kappa) >= 1 - kappa, and below 1
it follows from that of (Q, P): f(1/kappa) = 1 - 1/kappa + H_kappa(Q||P)/kappa.  From above the polygon through upper
bounds is the curve of a pair that dominates.  From below: a chord between two neighbours, drawn on beyond them, lies
below the curve; so does the lower convex hull of lower bounds and of the points where such chords meet, and it is the
curve of a pair that is dominated, as their compositions are (Dong, Roth, Su 2022).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp, inf, log

from ..interval import Interval
from ..pld import PrivacyLossDistribution
from ..pld.discrete import connected
from ..pld.distribution import Sided, agreed
from ..pld.losses import Atoms, Law
from .pairs import ADDED, ADJACENCIES, REMOVED, REPLACED, Pair, Slots
from .solve import Curve

# Steps of log delta between points: up to what depth, and how long.
STEPS = ((2.0, 0.05), (8.0, 0.1), (inf, 0.25))
# Fineness of the points themselves; how far a composition looks, over its delta; and further points, far apart in log
# delta: what is beyond the last one counts as an infinite loss.
FINER, TAIL, LEAST, FURTHER, APART = 0.2, 1e-4, 1e-200, 4, 12.0
MOST_POINTS = 1500
# How much flatter the curve is taken to be, at most, from one point to the next.
FLATTER = 0.1
# No epsilon is larger.
LARGEST = 690.0

Points = list[tuple[float, float, float]]


def answer(
    slots: Slots,
    parts: Sequence[tuple[int, int]],
    epochs: int,
    ask: Callable[[PrivacyLossDistribution], Interval],
    delta: float,
) -> Interval:
    """What ``ask`` asks of one slot among so many, as often as ``parts`` say, from above; of ``epochs``, from below."""
    least = _least(delta, sum(count for _, count in parts))
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


def _least(delta: float, count: int) -> float:
    return max(min(TAIL * delta / count, 1e-3), LEAST)


def one_epoch(slots: Slots, least: float) -> PrivacyLossDistribution:
    """The loss of one epoch, both sides; below ``least`` its curve is known coarsely."""
    name = f"random allocation to {slots.steps} steps"
    if slots.adjacency == "replace":
        points = _points(slots.pair(REPLACED), least)
        return PrivacyLossDistribution(name, ((_sided(points, points), 1),))
    removed, added = _points(slots.pair(REMOVED), least), _points(slots.pair(ADDED), least)
    forward, backward = _sided(removed, added), _sided(added, removed)
    if slots.adjacency == "in-ball":
        joined = _points(slots.pair(REPLACED), least)
        upper = _upper(joined, joined)
        ways = [((replace(one, upper=upper), 1),) for one in (forward, backward)]
        return PrivacyLossDistribution(name, *ways)
    asked = ADJACENCIES[slots.adjacency]
    ways = [((one, 1),) for name, one in ((REMOVED, forward), (ADDED, backward)) if name in asked]
    return PrivacyLossDistribution(name, *ways)


def _points(pair: Pair, least: float) -> Points:
    """(epsilon, lower, upper) of delta from epsilon = 0 until it is ``least``, and a few beyond."""
    curve = Curve(pair, FINER, 0.1)
    found: Points = []
    epsilon, slope, start, further = 0.0, 0.0, 0.0, 0
    while len(found) < MOST_POINTS and epsilon < LARGEST and further < FURTHER:
        lower, upper = curve.value(epsilon, False), curve.value(epsilon, True)
        found.append((epsilon, agreed(lower, upper), upper))
        if upper <= 1e-290:
            break
        curve.about = upper
        if len(found) == 1:
            start, slope = log(upper), 0.5 / upper
        else:
            before = found[-2]
            slope = max(log(before[2] / upper) / (epsilon - before[0]), FLATTER * slope)
        step = next(length for depth, length in STEPS if start - log(upper) <= depth)
        if upper < least:
            step, further = APART, further + 1
        epsilon += step / slope
    return found


def _sided(forward: Points, backward: Points) -> Sided:
    return Sided(_upper(forward, backward), _lower(forward, backward))


def _exact(forward: Points, backward: Points, which: int) -> list[tuple[Fraction, Fraction]]:
    """(kappa, bound) in exact arithmetic, kappa increasing, for both directions."""
    found = {}
    for point in backward:
        kappa = Fraction(exp(point[0]))
        found[1 / kappa] = 1 - 1 / kappa + Fraction(point[which]) / kappa
    for point in forward:
        # at kappa = 1 both directions say the same
        kappa = Fraction(exp(point[0]))
        bound = Fraction(point[which])
        if kappa in found:
            bound = max(bound, found[kappa]) if which == 1 else min(bound, found[kappa])
        found[kappa] = bound
    return sorted(found.items())


def _upper(forward: Points, backward: Points) -> Law:
    return connected(_exact(forward, backward, 2))


def _lower(forward: Points, backward: Points) -> Atoms:
    """The lower convex hull of lower bounds and of where chords that are drawn on meet."""
    start = (Fraction(0), Fraction(1))
    low, high = [start, *_exact(forward, backward, 1)], [start, *_exact(forward, backward, 2)]
    rising = [(l1 - h0) / (k1 - k0) for (k0, h0), (k1, l1) in zip(high, low[1:], strict=False)]
    falling = [(h1 - l0) / (k1 - k0) for (k0, l0), (k1, h1) in zip(low, high[1:], strict=False)]
    vertices = []
    for i, ((k0, l0), (k1, l1)) in enumerate(zip(low, low[1:], strict=False)):
        # From point i with the slope before it, at least; from point i + 1 with the slope after it, at most.
        a = rising[i - 1] if i else Fraction(-1)
        b = falling[i + 1] if i + 1 < len(falling) else Fraction(0)
        if b > a:
            at = Fraction(float((l1 - l0 + a * k0 - b * k1) / (a - b)))
            value = min(l0 + a * (at - k0), l1 + b * (at - k1))
            if value < _floor(at):  # both lines go below what every curve is at least
                vertices += _on_the_floor((k0, l0, a), (k1, l1, b))
            elif k0 < at < k1:
                vertices.append((at, _down(value, at)))
        vertices.append((k1, l1))
    (last, value), slope = low[-1], rising[-1]
    if value > 0 and slope < 0:
        vertices.append((last + value / -slope, Fraction(0)))
    else:
        vertices[-1] = (last, Fraction(0))
    return connected(vertices)


Line = tuple[Fraction, Fraction, Fraction]


def _floor(kappa: Fraction) -> Fraction:
    """What every curve is at least."""
    return max(1 - kappa, Fraction(0))


def _on_the_floor(left: Line, right: Line) -> list[tuple[Fraction, Fraction]]:
    """Where a line from the left end of an interval comes to the floor, and where one to its right end leaves it."""
    found: list[tuple[Fraction, Fraction]] = []
    slope = Fraction(-1 if right[0] <= 1 else 0)
    for kappa, value, rise in (left, right):
        at = kappa if rise == slope else kappa + (value - _floor(kappa)) / (slope - rise)
        if left[0] < at < right[0] and (not found or at > found[0][0]):
            found.append((at, _floor(at)))
    return found


def _down(value: Fraction, kappa: Fraction) -> Fraction:
    """A number with few digits that is not larger, and hardly smaller over the floor; not for values below it."""
    return _floor(kappa) + Fraction(float(value - _floor(kappa))) * (1 - Fraction(1, 2**52))
