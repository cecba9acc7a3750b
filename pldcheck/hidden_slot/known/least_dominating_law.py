r"""The least law that dominates several of one mean in convex order, in exact arithmetic.

Its stop-loss transform is the largest of theirs: convex, piecewise linear, with kinks at their values and where two of
them cross.  The polygon through *any* points of it, the outermost values among them, lies nowhere below it; so
crossings may be rounded, points that are too near each other left out, and kinks that are too slight as well: all of
that only disperses.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from .output_probabilities import Gains

# Points nearer to each other than 2^-RESOLUTION_BITS of the range are left out.
RESOLUTION_BITS = 100
# Rounds of the search for crossings: one finds them all, unless three laws meet between two neighbouring points.
ROUNDS = 3


class Transform:
    """The stop-loss transform E(X - t)_+ of one law: its values in order, with the tails of mass and first moment."""

    def __init__(self, law: Gains) -> None:
        pairs = sorted(zip(law[0].tolist(), law[1].tolist(), strict=True))
        self.values = [value for value, _ in pairs]
        self.tails, self.moments = [0], [0]
        for value, mass in reversed(pairs):
            self.tails.append(self.tails[-1] + mass)
            self.moments.append(self.moments[-1] + mass * value)
        self.tails.reverse()
        self.moments.reverse()

    def at(self, t: int) -> int:
        """Return the transform at one point, in units of 2^(-2 bits)."""
        place = bisect_right(self.values, t)
        return self.moments[place] - self.tails[place] * t


def join(laws: Sequence[Gains], bits: int) -> Gains:
    """Return a law that dominates all of these, and hardly exceeds the least one; all are in units of 2^-bits."""
    if len(laws) == 1:
        values, masses = laws[0]
        order = sorted(range(values.size), key=values.tolist().__getitem__)
        return values[order], masses[order]
    transforms = [Transform(law) for law in laws]
    points = sorted({value for one in transforms for value in one.values})
    heights = [_largest(transforms, t) for t in points]
    for _ in range(ROUNDS):
        more = _crossings(transforms, points, heights)
        if not more:
            break
        all_points = sorted([*zip(points, heights, strict=True), *((t, _largest(transforms, t)) for t in more)])
        points, heights = [t for t, _ in all_points], [height for _, height in all_points]
    return _polygon(points, [height for height, _ in heights], bits)


def _largest(transforms: Sequence[Transform], t: int) -> tuple[int, int]:
    """Return the largest transform at a point, and the index of its law."""
    return max((one.at(t), k) for k, one in enumerate(transforms))


def _crossings(transforms: Sequence[Transform], points: list[int], heights: list[tuple[int, int]]) -> list[int]:
    """Return the points where the line of the transform that is largest at the left meets that of the right."""
    crossing_points = []
    for (left, (high, a)), (right, (low, b)) in zip(
        zip(points, heights, strict=True), zip(points[1:], heights[1:], strict=True), strict=False
    ):
        if a == b:
            continue
        ahead, behind = high - transforms[b].at(left), low - transforms[a].at(right)
        if ahead > 0 and behind > 0:
            crossing = left + (right - left) * ahead // (ahead + behind)
            if left < crossing < right:
                crossing_points.append(crossing)
    return crossing_points


def _polygon(points: list[int], heights: list[int], bits: int) -> Gains:
    """Return the law whose stop-loss transform is the polygon."""

    def law(values: list[int], masses: list[int]) -> Gains:
        return np.array(values, dtype=object), np.array(masses, dtype=object)

    if len(points) == 1:
        return law(points, [1 << bits])
    chosen = _distant_points(points, (points[-1] - points[0]) >> RESOLUTION_BITS)
    masses = _kinks(chosen, points, heights, bits)
    slight = 1 << bits // 2  # slopes are rounded by one unit, and a mass that is kept is far larger
    inner = [k for k, mass in zip(chosen[1:-1], masses[1:-1], strict=True) if mass > slight]
    if len(inner) < len(chosen) - 2:
        chosen = [chosen[0], *inner, chosen[-1]]
        masses = _kinks(chosen, points, heights, bits)
    return law([points[k] for k in chosen], [max(mass, 0) for mass in masses])


def _distant_points(points: list[int], least: int) -> list[int]:
    """Return indices of points to keep: the first, the last, and all farther than ``least`` from the one before."""
    chosen, last = [0], len(points) - 1
    for k in range(1, last):
        if points[k] - points[chosen[-1]] > least and points[last] - points[k] > least:
            chosen.append(k)
    return [*chosen, last]


def _kinks(chosen: list[int], points: list[int], heights: list[int], bits: int) -> list[int]:
    """Return the rise of the slope at each point: the slope is -1 at the left and 0 at the right."""
    slopes = [-(1 << bits)]
    for k, after in zip(chosen, chosen[1:], strict=False):
        slopes.append((heights[after] - heights[k]) // (points[after] - points[k]))
    slopes.append(0)
    return [after - before for before, after in zip(slopes, slopes[1:], strict=False)]
