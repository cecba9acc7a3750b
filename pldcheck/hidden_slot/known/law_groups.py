r"""Groups of the laws of steps, each below one cover: where that is below another law's value, the group is not tried.

The recursion of :mod:`.reference_blocks` takes the largest mean of a convex function V over many laws, of which one or
two are the best nearly everywhere.  Of a law of nodes n, with C(k) = E(n - k)_+ and P(k) = E(k - n)_+,

.. math::
    E V(u + n) = V(u) E 1 + C(0) (V(u + 1) - V(u)) + P(0) (V(u - 1) - V(u))
    + \sum_{k > 0} C(k) V''(u + k) + \sum_{k < 0} P(k) V''(u + k)

with second differences V''.  So a cover with the largest C for k > 0 and the largest P for k < 0 of a group, at least
its masses, and a mean at least as large, has at least the group's value for every V that is convex and does not fall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.directed import UNIT
from ...pld.step_losses import Array

# The most laws that are all tried everywhere: covers of fewer cost as much as they save.
FEW_LAWS = 12
# The number of laws of a group: 4, 8 and 16 take about the same time.
GROUP = 8
# The farthest node: up to there covers are raised by 2 * 64 * 3002 round-offs, 4.3e-11, which is less than the margin
# of the recursion, 1e-10, so that covers of nearly equal laws are still left out.
FARTHEST = 3_000
# About the share of laws below covers that are tried all the same.
SHARE = 0.3
# Nodes of a cover are next to each other up to this one, where the transforms bend most.
NEXT = 8
# The ratio of a node beyond to the one before.
GROWTH = 1.25


@dataclass(frozen=True, eq=False)
class Moves:
    """Laws of steps on a grid: nodes that a node is moved to [laws, nodes], their probabilities, and their numbers."""

    nodes: np.ndarray
    weights: Array
    counts: np.ndarray

    def take(self, order: Sequence[int]) -> Moves:
        """Return laws in another order."""
        places = np.array(order, dtype=np.int64)
        return Moves(self.nodes[places], self.weights[places], self.counts[places])


@dataclass(frozen=True, eq=False)
class LawGroups:
    """``laws`` from ``firsts[i]`` to ``firsts[i + 1]`` are those that the cover i is above; those before have none."""

    laws: Moves
    covers: Moves
    firsts: np.ndarray

    @classmethod
    def of(cls, moves: Moves) -> LawGroups:
        """Return groups of similar laws, and none of few laws, or of nodes too far away."""
        size, farthest = moves.counts.size, int(np.abs(moves.nodes).max())
        alone = cls(moves, moves.take([]), np.array([size]))
        if size <= FEW_LAWS or farthest > FARTHEST:
            return alone
        calls, puts = _transforms(moves, farthest + 1)
        ups, downs = calls[:, 1:].sum(axis=1), puts[:, 1:].sum(axis=1)
        best = list(dict.fromkeys(int(one.argmax()) for one in (ups, downs, ups + downs)))
        others = [int(one) for one in np.argsort(np.arctan2(downs, ups), kind="stable") if one not in best]
        members = [others[start : start + GROUP] for start in range(0, len(others), GROUP)]
        total = float(moves.weights.sum(axis=1).max())
        drift = float((calls[:, 0] - puts[:, 0]).max())
        covers = [_cover(calls[one].max(axis=0), puts[one].max(axis=0), total, drift) for one in members]
        if any(cover is None for cover in covers):
            return alone
        firsts = len(best) + np.append(0, np.cumsum([len(one) for one in members]))
        return cls(moves.take([*best, *others]), _padded([cover for cover in covers if cover]), firsts)

    @property
    def work(self) -> float:
        """About the products that a node takes."""
        alone, below = np.split(self.laws.counts, self.firsts[:1])
        return float(alone.sum() + self.covers.counts.sum() + SHARE * below.sum())


def _transforms(moves: Moves, reach: int) -> tuple[Array, Array]:
    """Return C(k) and P(-k) of every law, for k from 0 to ``reach``; each is off by at most 4 reach round-offs."""
    masses = np.zeros((moves.counts.size, 2 * reach + 1))
    for law, count in enumerate(moves.counts):
        masses[law, moves.nodes[law, :count] + reach] = moves.weights[law, :count]
    above, below = masses[:, reach + 1 :], masses[:, :reach][:, ::-1]
    return _stop_loss(above), _stop_loss(below)


def _stop_loss(masses: Array) -> Array:
    """Return E(d - k)_+ for k from 0 on, of masses at the distances d = 1, 2, ..."""
    tails = np.cumsum(masses[:, ::-1], axis=1)
    values = np.cumsum(tails, axis=1)[:, ::-1]
    return np.concatenate([values, np.zeros((masses.shape[0], 1))], axis=1)


def _cover(calls: Array, puts: Array, total: float, drift: float) -> tuple[np.ndarray, Array] | None:
    """Return nodes and masses of a law above; None if the rounding of means exceeds what is added to them."""
    # Two sums of masses are rounded by 4 units a node at most, the polygon's slopes and sums by as many more;
    # C is raised by twice as much as P, so that the mean rises.  A quarter covers the roundings of both means.
    slack = 64.0 * calls.size * UNIT
    right, left = _polygon(calls, 2.0 * slack), _polygon(puts, slack)
    mean = float(right[0] @ right[1] - left[0] @ left[1])
    if not mean - slack * float(calls[0]) / 4.0 >= drift:
        return None
    middle = max(total * (1.0 + slack) - float(right[1].sum() + left[1].sum()), 0.0)
    nodes = np.concatenate([-left[0][::-1], [0], right[0]])
    return nodes, np.concatenate([left[1][::-1], [middle], right[1]])


def _polygon(values: Array, slack: float) -> tuple[np.ndarray, Array]:
    """Return places and masses of a stop-loss transform above: the polygon through some of its points, raised."""
    last = int(np.flatnonzero(values)[-1]) + 1 if values.any() else 1
    places = [0]
    while places[-1] < last:
        place = places[-1]
        places.append(min(int(place * GROWTH) if place >= NEXT else place + 1, last))
    here = np.array(places)
    slopes = np.append(-np.diff(values[here]) / np.diff(here), 0.0)
    return here[1:], np.maximum(-np.diff(slopes), 0.0) * (1.0 + slack)


def _padded(laws: Sequence[tuple[np.ndarray, Array]]) -> Moves:
    """Return laws of different sizes as one array."""
    counts = np.array([nodes.size for nodes, _ in laws])
    nodes, weights = np.zeros((len(laws), counts.max()), dtype=np.int64), np.zeros((len(laws), counts.max()))
    for law, (places, masses) in enumerate(laws):
        nodes[law, : places.size], weights[law, : places.size] = places, masses
    return Moves(nodes, weights, counts)
