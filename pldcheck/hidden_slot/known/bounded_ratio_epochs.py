"""Epochs of a hidden slot of K-ary response, a table or Laplace noise: one epoch's curve, to be composed.

From above the worst of all neighbours at every epsilon, whatever the slots hold; from below slots that all hold one
record, in every epoch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...core.interval import Interval
from ...pld import PrivacyLossDistribution
from ...pld.curve_candidates import Candidate
from ...pld.loss_sides import Attained, Dominating, between
from . import curve_hulls, reference_blocks
from .adaptive_references import are_few
from .bounded_ratio_laws import Neighbours, RandomizerLaws
from .bounded_ratio_slot import adaptive_curve, attained_curve, dominating_curve, have_references
from .curve_hulls import Points
from .neighbour_pairs import ADDITION, REMOVAL, REPLACEMENT
from .output_probabilities import LaplaceJoin, Outputs

# Relative width asked of a point in delta.
WIDTH = 1e-5
# The same width for laws of cells, which are wider themselves.
WIDTH_OF_CELLS = 1e-3
# The same width for the best choices of own records.
WIDTH_OF_ADAPTIVE = 1e-4
# The factor of distances between points that cost much.
FARTHER = 2.0
# Places in the range of points, as shares of it, at which the worst neighbours are determined.
PLACES = (0.0, 0.3, 0.7)

Columns = tuple[tuple[int, ...], ...]


def losses(
    randomizer_laws: RandomizerLaws, steps: int, weight: float, least: float
) -> tuple[PrivacyLossDistribution, ...]:
    """Return laws of one epoch: they share the upper laws, and each has a lower law that may be the best.

    Below ``least`` the curve is coarse.
    """
    curves = _Curves(randomizer_laws, steps, weight, least)
    tops = {way: curves.upper(neighbours) for way, neighbours in curves.ways.items() if neighbours}
    forward, backward = (tops[way if way in tops else REPLACEMENT] for way in (REMOVAL, ADDITION))
    above = Dominating(_loss("all data", forward, backward))
    return tuple(between(one, above, one.name) for one in curves.attained(forward))


def attained_losses(randomizer_laws: RandomizerLaws, steps: int, weight: float, least: float) -> tuple[Attained, ...]:
    """Return laws of one epoch in which all slots hold one record, of several that may reveal most.

    Below ``least`` the curve is coarse.
    """
    curves = _Curves(randomizer_laws, steps, weight, least)
    return tuple(curves.attained(curves.lower(curves.kinds[0].each[0])))


def _loss(name: str, there: Points, back: Points) -> PrivacyLossDistribution:
    sides = curve_hulls.law_bounds(there, back), curve_hulls.law_bounds(back, there)
    return PrivacyLossDistribution(name, *(((side, 1),) for side in sides))


class _Curves:
    """Certified points of the curves of one epoch: of the worst neighbours, and of slots that all hold one record."""

    def __init__(self, randomizer_laws: RandomizerLaws, steps: int, weight: float, least: float) -> None:
        self.laws, self.steps, self.weight, self.least = randomizer_laws, steps, weight, least
        cells = isinstance(randomizer_laws.neighbours[0].dominating[0], LaplaceJoin)
        self.width = WIDTH_OF_CELLS if cells else WIDTH
        ways = (REPLACEMENT, REMOVAL, ADDITION)
        self.ways = {way: [one for one in randomizer_laws.neighbours if one.way == way] for way in ways}
        self.points_of_columns: dict[Columns, Points] = {}

    @property
    def kinds(self) -> list[Neighbours]:
        """The kinds of neighbours in one direction; the outputs of the other are their reversals."""
        return self.ways[REPLACEMENT] or self.ways[REMOVAL]

    def lower(self, outputs: Outputs) -> Points:
        """Return the curve of a law of gains, computed once: other outputs, reversed, may have the same law."""
        columns = _columns(outputs)
        if columns not in self.points_of_columns:
            self.points_of_columns[columns] = self._points(attained_curve(outputs, self.steps, self.weight, self.width))
        return self.points_of_columns[columns]

    def upper(self, neighbours: list[Neighbours]) -> Points:
        """Return the curve of the worst neighbours, with points farther apart where each costs much."""
        if have_references(neighbours) and not are_few([one.dominating for one in neighbours], self.steps):
            shapes, most_work = reference_blocks.shapes_of_curves(self.steps), reference_blocks.WORK_OF_POINT
            curve = adaptive_curve(self.laws, neighbours, self.steps, self.weight, WIDTH_OF_ADAPTIVE, shapes, most_work)
            return curve_hulls.points(lambda e: (0.0, curve.delta(e).upper), self.least, self.laws.largest, FARTHER)
        return self._points(dominating_curve(self.laws, neighbours, self.steps, self.weight, self.width))

    def attained(self, curve: Points) -> Iterator[Attained]:
        """Yield the losses of what reveals most at some epsilons of a curve."""
        epsilons = [curve[int(share * (len(curve) - 1))][0] for share in PLACES]
        pairs: set[tuple[Columns, Columns]] = set()
        for one in _most_revealing(self.kinds, self.steps, self.weight, epsilons):
            this, reverse = _columns(one), _columns(one.reversal)
            if (reverse, this) in pairs or (this, reverse) in pairs:  # these are known, in the other direction
                continue
            pairs.add((this, reverse))
            yield Attained(_loss(one.name, self.lower(one), self.lower(one.reversal)))

    def _points(self, curve: Candidate) -> Points:
        def value(epsilon: float) -> tuple[float, float]:
            ends = curve.delta(epsilon)
            return ends.lower, ends.upper

        return curve_hulls.points(value, self.least, self.laws.largest)


def _columns(outputs: Outputs) -> Columns:
    """Return the data that the outputs' curve depends on: the probabilities, output by output, in order."""
    return tuple(sorted(zip(*(row.tolist() for row in outputs.exact), strict=True)))


def epsilon(one_epoch: tuple[PrivacyLossDistribution, ...], epochs: int, delta: float) -> Interval:
    """Return epsilon(delta) of ``epochs`` epochs."""
    return _best([one.compose(epochs).epsilon(delta) for one in one_epoch], [one.name for one in one_epoch])


def delta(one_epoch: tuple[PrivacyLossDistribution, ...], epochs: int, epsilon: float) -> Interval:
    """Return delta(epsilon) of ``epochs`` epochs."""
    return _best([one.compose(epochs).delta(epsilon) for one in one_epoch], [one.name for one in one_epoch])


def _best(intervals: list[Interval], names: list[str]) -> Interval:
    above = "the worst inputs of each epoch, composed"
    first, *others = (replace(one, sources=(name, above)) for one, name in zip(intervals, names, strict=True))
    return first.meet(*others)


def _most_revealing(kinds: list[Neighbours], steps: int, weight: float, epsilons: list[float]) -> list[Outputs]:
    """Return the outputs that reveal most at one of the epsilons."""
    messages = [message for one in kinds for message in one.each]
    curves = [attained_curve(message, steps, weight, WIDTH) for message in messages]
    best = {max(range(len(messages)), key=lambda i: curves[i].delta(epsilon).lower) for epsilon in epsilons}
    return [messages[i] for i in sorted(best)]
