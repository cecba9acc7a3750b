"""Epochs of a hidden slot of K-ary response, a table or Laplace noise: one epoch's curve, to be composed.

From above the worst of all neighbours at every epsilon, whatever the slots hold; from below slots that all hold one
record, in every epoch.
"""

from __future__ import annotations

from dataclasses import replace

from ...core.interval import Interval
from ...pld import PrivacyLossDistribution
from ...pld.curve_candidates import Candidate
from ...pld.distribution import LawBounds
from ...pld.step_losses import Law
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
    width = WIDTH_OF_CELLS if isinstance(randomizer_laws.neighbours[0].dominating[0], LaplaceJoin) else WIDTH
    ways = {
        way: [one for one in randomizer_laws.neighbours if one.way == way] for way in (REPLACEMENT, REMOVAL, ADDITION)
    }

    def points(curve: Candidate) -> Points:
        def value(epsilon: float) -> tuple[float, float]:
            ends = curve.delta(epsilon)
            return ends.lower, ends.upper

        return curve_hulls.points(value, least, randomizer_laws.largest)

    points_of_columns: dict[Columns, Points] = {}

    def lower(outputs: Outputs) -> Points:
        """Return the curve of a law of gains, computed once: other outputs, reversed, may have the same law."""
        columns = _columns(outputs)
        if columns not in points_of_columns:
            points_of_columns[columns] = points(attained_curve(outputs, steps, weight, width))
        return points_of_columns[columns]

    def upper(neighbours: list[Neighbours]) -> Points:
        """Return the curve of the worst neighbours, with points farther apart where each costs much."""
        if have_references(neighbours) and not are_few([one.dominating for one in neighbours], steps):
            shapes, most_work = reference_blocks.shapes_of_curves(steps), reference_blocks.WORK_OF_POINT
            curve = adaptive_curve(randomizer_laws, neighbours, steps, weight, WIDTH_OF_ADAPTIVE, shapes, most_work)
            return curve_hulls.points(lambda e: (0.0, curve.delta(e).upper), least, randomizer_laws.largest, FARTHER)
        return points(dominating_curve(randomizer_laws, neighbours, steps, weight, width))

    above = {way: upper(neighbours) for way, neighbours in ways.items() if neighbours}
    forward, backward = (above[way if way in above else REPLACEMENT] for way in (REMOVAL, ADDITION))
    laws = curve_hulls.upper_law(forward, backward), curve_hulls.upper_law(backward, forward)
    epsilons = [forward[int(share * (len(forward) - 1))][0] for share in PLACES]
    distributions: dict[tuple[Columns, Columns], PrivacyLossDistribution] = {}
    for one in _most_revealing(ways[REPLACEMENT] or ways[REMOVAL], steps, weight, epsilons):
        this, reverse = _columns(one), _columns(one.reversal)
        if (reverse, this) in distributions:  # these curves are computed already, in the other direction
            continue
        there, back = lower(one), lower(one.reversal)
        sides = (
            LawBounds(laws[0], curve_hulls.lower_law(there, back)),
            LawBounds(laws[1], curve_hulls.lower_law(back, there)),
        )
        distributions[this, reverse] = PrivacyLossDistribution(one.name, *(((side, 1),) for side in sides))
    return tuple(distributions.values())


def _columns(outputs: Outputs) -> Columns:
    """Return the data that the outputs' curve depends on: the probabilities, output by output, in order."""
    return tuple(sorted(zip(*(row.tolist() for row in outputs.exact), strict=True)))


def replace_upper_side(one: PrivacyLossDistribution, curve: Law) -> PrivacyLossDistribution:
    """Return one epoch with its upper side replaced by a loss that is the same in both directions."""
    ways = (one.forward, one.forward if one.backward is None else one.backward)
    sides = (tuple((replace(side, upper=curve), count) for side, count in parts) for parts in ways)
    return PrivacyLossDistribution(one.name, *sides)


def epsilon(one_epoch: tuple[PrivacyLossDistribution, ...], epochs: int, delta: float) -> Interval:
    """Return epsilon(delta) of ``epochs`` epochs."""
    return _best([one.compose(epochs).epsilon(delta) for one in one_epoch], [one.name for one in one_epoch])


def delta(one_epoch: tuple[PrivacyLossDistribution, ...], epochs: int, epsilon: float) -> Interval:
    """Return delta(epsilon) of ``epochs`` epochs."""
    return _best([one.compose(epochs).delta(epsilon) for one in one_epoch], [one.name for one in one_epoch])


def _best(intervals: list[Interval], names: list[str]) -> Interval:
    best, name = max(zip(intervals, names, strict=True), key=lambda one: one[0].lower)
    return replace(
        best, upper=min(one.upper for one in intervals), sources=(name, "the worst inputs of each epoch, composed")
    )


def _most_revealing(kinds: list[Neighbours], steps: int, weight: float, epsilons: list[float]) -> list[Outputs]:
    """Return the outputs that reveal most at one of the epsilons."""
    messages = [message for one in kinds for message in one.each]
    curves = [attained_curve(message, steps, weight, WIDTH) for message in messages]
    best = {max(range(len(messages)), key=lambda i: curves[i].delta(epsilon).lower) for epsilon in epsilons}
    return [messages[i] for i in sorted(best)]
