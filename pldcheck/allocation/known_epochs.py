"""Epochs of a hidden slot of K-ary response, a table or Laplace noise: one epoch's curve, to be composed.

From above the worst of all neighbours at every epsilon, whatever the slots hold; from below slots that all hold one
record, in every epoch.
"""

from __future__ import annotations

from dataclasses import replace

from ..interval import Interval
from ..pld import PrivacyLossDistribution
from ..pld.candidates import Candidate
from ..pld.distribution import Sided
from ..shuffle.randomizers import HAIR, Messages
from . import hulls
from .hulls import Points
from .known import Neighbours, attained, dominating, neighbours
from .pairs import ADDED, REMOVED, REPLACED

# Relative width asked of a point in delta, and where, over the range of points, it is tried what is worst.
WIDTH, TRIED = 1e-5, (0.0, 0.3, 0.7)


def losses(
    steps: int, eps0: float | None, weight: float, randomizer: str, adjacency: str, least: float
) -> tuple[PrivacyLossDistribution, ...]:
    """One epoch: the same upper laws, with a lower one each that may be the best; below ``least`` known coarsely."""
    found, largest = neighbours(eps0, randomizer, adjacency)
    ways = {way: [one for one in found if one.way == way] for way in (REPLACED, REMOVED, ADDED)}
    last = largest * (1.0 + HAIR)

    def points(curve: Candidate) -> Points:
        def value(epsilon: float) -> tuple[float, float]:
            ends = curve.delta(epsilon)
            return ends.lower, ends.upper

        return hulls.points(value, least, last)

    above = {way: points(dominating(those, steps, weight, WIDTH)) for way, those in ways.items() if those}
    forward, backward = (above[way if way in above else REPLACED] for way in (REMOVED, ADDED))
    laws = hulls.upper_law(forward, backward), hulls.upper_law(backward, forward)
    tried = [forward[int(share * (len(forward) - 1))][0] for share in TRIED]
    made = []
    for one in _worst(ways[REPLACED] or ways[REMOVED], steps, weight, tried):
        there, back = (points(attained(way, steps, weight, WIDTH)) for way in (one, _reversed(one)))
        sides = Sided(laws[0], hulls.lower_law(there, back)), Sided(laws[1], hulls.lower_law(back, there))
        made.append(PrivacyLossDistribution(one.name, *(((side, 1),) for side in sides)))
    return tuple(made)


def epsilon(one_epoch: tuple[PrivacyLossDistribution, ...], epochs: int, delta: float) -> Interval:
    """epsilon(delta) of so many epochs."""
    return _best([one.compose(epochs).epsilon(delta) for one in one_epoch], [one.name for one in one_epoch])


def delta(one_epoch: tuple[PrivacyLossDistribution, ...], epochs: int, epsilon: float) -> Interval:
    """delta(epsilon) of so many epochs."""
    return _best([one.compose(epochs).delta(epsilon) for one in one_epoch], [one.name for one in one_epoch])


def _best(found: list[Interval], names: list[str]) -> Interval:
    best, name = max(zip(found, names, strict=True), key=lambda one: one[0].lower)
    return replace(best, upper=min(one.upper for one in found), sources=(name, "the worst inputs in every epoch"))


def _worst(found: list[Neighbours], steps: int, weight: float, tried: list[float]) -> list[Messages]:
    """Those that reveal most at one of the epsilons."""
    every = [message for one in found for message in one.each]
    curves = [attained(message, steps, weight, WIDTH) for message in every]
    best = {max(range(len(every)), key=lambda i: curves[i].delta(at).lower) for at in tried}
    return [every[i] for i in sorted(best)]


def _reversed(one: Messages) -> Messages:
    """The record and its replacement exchanged."""
    return replace(one, p=one.q, q=one.p, p_ends=one.q_ends, q_ends=one.p_ends)
