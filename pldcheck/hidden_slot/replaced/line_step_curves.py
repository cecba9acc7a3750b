r"""One step's transform on uneven nodes for Gaussian noise about records in [0, 1], where three of them are collinear.

With own record o, record i and replacement j, :math:`F(k) = \int (p_i - c p_j - k p_o)_+` and C(y) = F(-y), as in
:mod:`.ball_stoploss`, by which F rises with the distance of two densities of opposite sign and falls with that of two
of equal sign.  Shifted or reflected, and with the farther of i and j moved to a distance 1, there are three families:

* B(o), 0 <= o <= 1: own record o between record 0 and replacement 1, at distances o and 1 - o.  So for k > 0 it rises
  with o, and for k < 0 it falls.
* N(x), 0 <= x <= 1: own record 0, record x, replacement 1.  For k < 0 it falls as x grows, since i is nearer to j and
  farther from o.  For k > 0 it is at most B(x), where i and j are farther apart and j and o nearer.
* X(x), 0 <= x <= 1: own record 0, record 1, replacement x.  For k > 0 it falls as x grows.

*Why these.*  If o is between i and j, moving both outward raises F: i and o, or j and o, are of opposite sign, and
:math:`p_i/p_o` and :math:`-p_j/p_o` fall together, so that their sum is dispersed if both are.  If i is between o and
j, moving j outward raises F: for k > 0 the set where :math:`p_i > c p_j + k p_o` is left of j, as c >= 1, and
:math:`p_j` of it falls; for k < 0 j is of opposite sign to both.  If j is between o and i, moving i outward raises F
for k > 0.  For k < 0 let the set where :math:`c p_j > p_i + |k| p_o` be from t to t'.  The derivative of F as i moves
is the density of :math:`p_i` at t' less that at t.  Where it is 0, t and t' are equally far from i and both move left
as i moves right; so the derivative rises, and F has its largest values at the ends: with i at a distance 1, and at j,
where :math:`F(k) = |k| + 1 - c + \int ((c - 1) p_x - |k| p_o)_+`, which rises with x.

*N for k > 0, X for k < 0.*  Shifted by d = x - a, N(x) for x from a to b has its own record at -d, its record at a
and, moved outward again, its replacement at 1; :math:`p_{-d}` is at least the smaller of :math:`p_{a-b}` and
:math:`p_0`, which is the first to the right of (a - b)/2.  So :math:`F(k) \le \int (p_a - c p_1 - k \min)_+` on
either side, on an interval each.  N(x) is at most B(x) there, too: i and j are farther apart and j and o nearer.  For X
likewise, with the signs of i and j exchanged.

Within a piece of each family the two ends, each on its side of k = 0, bound all; at k = 0 only the distance of i and j
counts.  F is a sum of three normal masses, between thresholds that halving finds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from scipy.special import ndtr

from ...core.arrays import Array
from ...core.directed import UNIT, enlarge
from ...core.interval import UNDERFLOW
from .ball_step_curves import StepCurves

# Relative error of a normal tail at z, in round-offs: this, and NDTR_FAR z^2, with those of its argument.
NDTR = 24.0
# The part that grows with z^2.
NDTR_FAR = 12.0
# Thresholds are sought within this distance of the own record, in deviations: beyond it tails are nothing.
FARTHEST = 38.0
# Halvings of that range: all digits of a double.
HALVINGS = 62
# The share of F by which an inexact threshold, and what is beyond the range, lowers it is far below this.
THRESHOLD = 1e-12


@dataclass(frozen=True)
class Line:
    """Own record 0, record and replacement at places in units of the noise's deviation, and c."""

    record: float
    replacement: float
    c: float

    def values(self, nodes: Array) -> Array:
        """Return upper bounds of C(y) = F(-y) at nodes where the best set is a half-line, as in the three families."""
        k, left = -nodes, self.record <= self.replacement

        def gain(z: Array) -> Array:
            with np.errstate(over="ignore", under="ignore"):
                first = np.exp(self.record * (z - 0.5 * self.record))
                return first - self.c * np.exp(self.replacement * (z - 0.5 * self.replacement)) - k

        low, high = np.full(k.size, -FARTHEST), np.full(k.size, FARTHEST)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            inside = (gain(middle) > 0.0) == left
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        sign = 1.0 if left else -1.0
        arguments = [sign * (low - place) for place in (self.record, self.replacement, 0.0)]
        terms = [f * ndtr(z) for f, z in zip((1.0, self.c, np.abs(k)), arguments, strict=True)]
        value = terms[0] - terms[1] - np.sign(k) * terms[2]
        doubt = sum(t * (NDTR + NDTR_FAR * z * z) for t, z in zip(terms, arguments, strict=True)) * UNIT
        return np.maximum(value + doubt, 0.0) * (1.0 + THRESHOLD) + UNDERFLOW


def upper_curves(s: float, c: float, nodes: Array, groups: Sequence[Sequence[float]], families: str) -> StepCurves:
    """Return bounds of C for pieces of the families, B, N and X, that are named.

    Each of the groups is a sequence of lengths at which all parameters in it are cut.
    """
    coarse, fine, starts = [], [], [0]
    for family in families:
        ends = _FAMILIES[family]
        for group in groups:
            rights, lefts = zip(*(ends(s, c, first, last, nodes) for first, last in _pieces(group)), strict=True)
            right, left = ends(s, c, group[0], group[-1], nodes)
            coarse.append(_glue(left, right, nodes))
            fine += [_glue(one, other, nodes) for one, other in zip(lefts, rights, strict=True)]
            starts.append(len(fine))
    return StepCurves(nodes, np.array(coarse), np.array(fine), np.array(starts), 0.0)


def _pieces(group: Sequence[float]) -> list[tuple[float, float]]:
    return list(zip(group[:-1], group[1:], strict=True))


def _between(s: float, c: float, own: float, nodes: Array) -> Array:
    return Line(-s * own, s * (1.0 - own), c).values(nodes)


def _of_between(s: float, c: float, first: float, last: float, nodes: Array) -> tuple[Array, Array]:
    """Return bounds for y > 0 and for y < 0."""
    return _between(s, c, first, nodes), _between(s, c, last, nodes)


def _of_nearer(s: float, c: float, first: float, last: float, nodes: Array) -> tuple[Array, Array]:
    left = np.minimum(_interval_part(s, c, first, last, np.maximum(-nodes, 0.0)), _between(s, c, last, nodes))
    return Line(s * first, s, c).values(nodes), left


def _of_exchanged(s: float, c: float, first: float, last: float, nodes: Array) -> tuple[Array, Array]:
    """Return them where the record is farther than its replacement, which is at a distance 1 - own."""
    put = c * _interval_part(s, 1.0 / c, 1.0 - last, 1.0 - first, np.maximum(nodes, 0.0) / c)
    put, mean = np.maximum(put, _alike(s * (1.0 - first), c, np.maximum(nodes, 0.0))), nodes + (1.0 - c)
    right = mean + put + 8.0 * UNIT * (np.abs(nodes) + c)
    return right, Line(s, s * (1.0 - last), c).values(nodes)


def _alike(distance: float, c: float, k: Array) -> Array:
    """Return upper bounds of the integral of ((c - 1) p_x - k p_0)_+: record and replacement are both at x."""
    if c == 1.0 or distance == 0.0:
        return np.full(k.size, UNDERFLOW)
    with np.errstate(divide="ignore"):
        z = (np.log(k / (c - 1.0)) + 0.5 * distance**2) / distance
    z = np.clip(z, -FARTHEST, FARTHEST)
    terms = (c - 1.0) * ndtr(distance - z), k * ndtr(-z)
    doubt = sum(terms) * (NDTR + NDTR_FAR * (distance + np.abs(z)) ** 2) * UNIT
    return np.maximum(terms[0] - terms[1] + doubt, 0.0) * (1.0 + THRESHOLD) + UNDERFLOW


def _interval_part(s: float, c: float, first: float, last: float, k: Array) -> Array:
    """Return upper bounds of the integral of (p_x - c p_1 - k p_0)_+ for all x from first to last, and k >= 0."""
    shift = last - first
    middle = -0.5 * s * shift
    # Places are relative to the own record, which is at 0 on the left and at -shift on the right.
    left = _within(s * first, s, c, k, -FARTHEST, middle)
    right = _within(s * (first + shift), s * (1.0 + shift), c, k, middle + s * shift, FARTHEST)
    return left + right


def _within(record: float, replacement: float, c: float, k: Array, low: float, high: float) -> Array:
    """Return an upper bound of the integral of (p_i - c p_j - k p_o)_+ from low to high, for 0 <= i < j and o = 0."""

    def gain(z: Array) -> Array:
        with np.errstate(over="ignore", under="ignore"):
            first = np.exp(record * (z - 0.5 * record))
            return first - c * np.exp(replacement * (z - 0.5 * replacement)) - k

    # The gain rises up to its largest value and falls from there on.
    top = -FARTHEST
    if record == replacement:
        top = FARTHEST
    elif record > 0.0:
        top = (log(record / (c * replacement)) + 0.5 * (replacement**2 - record**2)) / (replacement - record)
    top = min(max(top, -FARTHEST), FARTHEST)
    ends = []
    for outside in (-FARTHEST, FARTHEST):
        inner, outer = np.full(k.size, top), np.full(k.size, outside)
        for _ in range(HALVINGS):
            middle = 0.5 * (inner + outer)
            inside = gain(middle) > 0.0
            inner, outer = np.where(inside, middle, inner), np.where(inside, outer, middle)
        ends.append(np.clip(outer, low, high))
    value, doubt = np.zeros(k.size), np.zeros(k.size)
    for factor, place in ((1.0, record), (-c, replacement), (-k, 0.0)):
        for sign, end in zip((-1.0, 1.0), ends, strict=True):
            z = end - place
            term = factor * ndtr(z)
            value = value + sign * term
            doubt = doubt + np.abs(term) * (NDTR + NDTR_FAR * np.minimum(z, 0.0) ** 2)
    return np.maximum(value + doubt * UNIT, 0.0) * (1.0 + THRESHOLD) + UNDERFLOW


_FAMILIES: dict[str, Callable[[float, float, float, float, Array], tuple[Array, Array]]] = {
    "B": _of_between,
    "N": _of_nearer,
    "X": _of_exchanged,
}


def _glue(left: Array, right: Array, nodes: Array) -> Array:
    glued = np.where(nodes < 0.0, left, np.where(nodes > 0.0, right, np.maximum(left, right)))
    return np.maximum.accumulate(enlarge(glued, 4))
