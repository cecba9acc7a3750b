r"""Lines below and above a trade-off function, from finitely many certified deltas.

For laws P, Q let f(alpha) be the least false negative rate of a test with false positive rate alpha, and
:math:`g(\kappa) = D_\kappa(P \| Q) = \int (p - \kappa q)_+` the privacy profile, :math:`\kappa = e^\epsilon > 0`. A
test that rejects on a set A has :math:`\beta = 1 - P(A)`, :math:`\alpha = Q(A)`, and g is the largest :math:`P(A) -
\kappa Q(A)`; so f is convex and

.. math:: f(\alpha) = \sup_{\kappa \ge 0} \bigl(1 - g(\kappa) - \kappa \alpha\bigr).

For a set of pairs, g is the supremum over them, and the right side is the largest convex function that is nowhere
above the trade-off function of any pair: the best f for which the protocol is f-DP (Dong, Roth, Su 2022, on the duality
of f-DP and (epsilon, delta)-DP).

**From below.** Each upper end :math:`u_i \ge g(\kappa_i)` gives the line :math:`1 - u_i - \kappa_i \alpha`, and the
largest of finitely many lines is at most the supremum.

**From above.** The supremum over all kappa needs a lower bound of g everywhere. g is convex and falls, has slopes from
-1 to 0, g(0) = 1, and is at least 0 and :math:`1 - \kappa`. Let :math:`l_i \le g(a_i)` and :math:`g(c_j) \le u_j`.

*Lemma.* For :math:`c_j < a_i \le \kappa`, :math:`g(\kappa) \ge l_i + (\kappa - a_i) (l_i - u_j) / (a_i - c_j)`; for
:math:`\kappa \le a_i < c_j`, :math:`g(\kappa) \ge l_i - (a_i - \kappa) (u_j - l_i) / (c_j - a_i)`.

*Proof.* a_i is between c_j and kappa, :math:`a_i = (1 - t) c_j + t \kappa` with t in (0, 1], so that :math:`g(a_i) \le
(1 - t) g(c_j) + t g(\kappa)`, hence :math:`g(\kappa) \ge (l_i - (1 - t) u_j) / t`, which is the line on either side.
The slopes -1 and 0 serve in the same way, as g is 1-Lipschitz and falls.

Between neighbouring :math:`a_i < a_{i+1}` the largest of these lines from the left, from the right, 0 and :math:`1 -
\kappa` is a bound L of g, and :math:`1 - L(\kappa) - \kappa \alpha` is concave between the points where two of the
lines cross: its largest value is at one of these or at an end. So f is at most the largest of the lines :math:`1 -
L(x) - x \alpha` over these points x. Beyond the last :math:`a_i`, L is the larger of its line and 0, and from their
crossing on the expression falls.

**Exchanged pairs.** kappa below 1 is the exchanged pair at :math:`1/\kappa`: :math:`g(\kappa) = 1 - \kappa + \kappa
g'(1/\kappa)`, where a line is :math:`(1 - g' - \alpha) / \kappa'` with :math:`\kappa' = 1/\kappa`. Lines are kept in
this form, as tiny values of g' would be lost beside 1.

All of this is done in fractions; kappa of an epsilon is enclosed by two floats, and g falls, so that an upper end
holds at the larger one and a lower end at the smaller one. The numbers of a line are rounded to floats in the
direction that keeps the line on its side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Any

from ..core.directed import enlarge, float_below, shrink
from ..core.interval import Interval

# The largest number of earlier or later points whose chords are extended over a piece: further ones are less steep.
NEIGHBOURS = 3


@dataclass(frozen=True)
class Line:
    """The line 1 - delta - kappa alpha, or its mirror image (1 - delta - alpha) / kappa; kappa is at least 0."""

    kappa: float
    delta: float


@dataclass(frozen=True)
class Lines:
    """Lines of the pairs and of the exchanged pairs; the largest of them and 0 is one side of a trade-off function."""

    forward: tuple[Line, ...]
    backward: tuple[Line, ...]

    def to_dict(self) -> dict[str, list[list[float]]]:
        """Return kappa and delta of each line as plain numbers."""
        sides = {"forward": self.forward, "backward": self.backward}
        return {name: [[line.kappa, line.delta] for line in side] for name, side in sides.items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Lines:
        """Return the lines that :meth:`to_dict` wrote."""
        sides = [tuple(Line(*map(float, pair)) for pair in values[name]) for name in ("forward", "backward")]
        return cls(*sides)

    @property
    def exchanged(self) -> Lines:
        """The lines of the inverse function, which is that of the exchanged pairs."""
        return Lines(self.backward, self.forward)

    def height(self, alpha: Fraction) -> Fraction:
        """Return the largest of the lines at a false positive rate, at least 0 and at most 1 - alpha."""
        heights = [1 - Fraction(line.delta) - Fraction(line.kappa) * alpha for line in self.forward]
        heights += [(1 - Fraction(line.delta) - alpha) / Fraction(line.kappa) for line in self.backward]
        return min(max(heights + [Fraction(0)]), 1 - alpha)

    @property
    def corners(self) -> list[tuple[Fraction, Fraction]]:
        """The corners of the largest of the lines and 0 on [0, 1], both ends included, from left to right."""
        lines = {(Fraction(0), Fraction(0))}
        lines |= {(Fraction(line.kappa), 1 - Fraction(line.delta)) for line in self.forward}
        lines |= {
            (1 / Fraction(line.kappa), (1 - Fraction(line.delta)) / Fraction(line.kappa)) for line in self.backward
        }
        # From steep to flat: the steepest is the largest far on the left.
        hull: list[tuple[Fraction, Fraction]] = []
        for fall, start in sorted(lines, reverse=True):
            if hull and hull[-1][0] == fall:
                continue
            while hull and _crossing(hull[-1], (fall, start)) <= (_crossing(hull[-2], hull[-1]) if hull[1:] else 0):
                hull.pop()
            hull.append((fall, start))
        places = [_crossing(first, second) for first, second in zip(hull, hull[1:], strict=False)]
        inside = [Fraction(0), *(place for place in places if 0 < place < 1), Fraction(1)]
        return [(place, self.height(place)) for place in inside]


def _crossing(first: tuple[Fraction, Fraction], second: tuple[Fraction, Fraction]) -> Fraction:
    """Return where two lines with different falls have the same height."""
    return (first[1] - second[1]) / (first[0] - second[0])


@dataclass(frozen=True)
class _Point:
    """``lower <= g(below)`` and ``g(above) <= upper``."""

    below: Fraction
    above: Fraction
    lower: Fraction
    upper: Fraction


def lines_below(forward: Iterable[tuple[float, Interval]], backward: Iterable[tuple[float, Interval]]) -> Lines:
    """Return lines below the trade-off function, from pairs of an epsilon >= 0 and its delta, of both orders."""
    sides = [
        tuple(Line(_kappa_ends(epsilon)[1], interval.upper) for epsilon, interval in side)
        for side in (forward, backward)
    ]
    return Lines(*sides)


def lines_above(forward: Iterable[tuple[float, Interval]], backward: Iterable[tuple[float, Interval]]) -> Lines:
    """Return lines of which the largest is above the trade-off function, from the same pairs as :func:`lines_below`."""
    points = [_Point(Fraction(0), Fraction(0), Fraction(1), Fraction(1))]
    points += sorted(map(_mirror, map(_point, backward)), key=lambda point: point.below)
    points += sorted(map(_point, forward), key=lambda point: point.below)
    vertices = [vertex for place in range(len(points)) for vertex in _vertices(points, place)]
    ahead = {Line(float_below(kappa), float_below(delta)) for kappa, delta in vertices if kappa >= 1}
    behind = {
        Line(float_below(1 / kappa), float_below(max((delta - 1 + kappa) / kappa, Fraction(0))))
        for kappa, delta in vertices
        if 0 < kappa < 1
    }
    return Lines(*(tuple(sorted(side, key=lambda line: line.kappa)) for side in (ahead, behind)))


def _vertices(points: Sequence[_Point], place: int) -> list[tuple[Fraction, Fraction]]:
    """Return the points where a lower bound of g can have a corner between one point's place and the next one's."""
    here = points[place]
    slopes = [
        (here.lower - one.upper) / (here.below - one.above)
        for one in points[max(place - NEIGHBOURS, 0) : place]
        if one.above < here.below
    ]
    slope = max([Fraction(-1), *slopes])
    lines = [(here.lower - slope * here.below, slope), (Fraction(0), Fraction(0)), (Fraction(1), Fraction(-1))]
    end = None
    if place + 1 < len(points):
        there = points[place + 1]
        end = there.below
        slopes = [
            (one.upper - there.lower) / (one.above - there.below)
            for one in points[place + 2 : place + 2 + NEIGHBOURS]
            if one.above > there.below
        ]
        slope = min([Fraction(0), *slopes])
        lines.append((there.lower - slope * there.below, slope))
    places = {here.below} if end is None else {here.below, end}
    for index, first in enumerate(lines):
        for second in lines[index + 1 :]:
            if first[1] != second[1]:
                place_of_crossing = (second[0] - first[0]) / (first[1] - second[1])
                if here.below < place_of_crossing and (end is None or place_of_crossing < end):
                    places.add(place_of_crossing)
    return [(place, max(start + slope * place for start, slope in lines)) for place in places]


def _kappa_ends(epsilon: float) -> tuple[float, float]:
    """Return floats around e^epsilon, for an epsilon from 0 to ``LARGEST``."""
    if epsilon == 0.0:
        return 1.0, 1.0
    return max(shrink(exp(epsilon), 8), 1.0), enlarge(exp(epsilon), 8)


def _point(pair: tuple[float, Interval]) -> _Point:
    below, above = _kappa_ends(pair[0])
    return _Point(Fraction(below), Fraction(above), Fraction(pair[1].lower), Fraction(pair[1].upper))


def _mirror(point: _Point) -> _Point:
    """Return the bounds at 1/kappa of the exchanged pair; the lower end holds at the larger place then."""
    low, high = 1 / point.above, 1 / point.below
    return _Point(high, low, 1 - high + high * point.lower, 1 - low + low * point.upper)
