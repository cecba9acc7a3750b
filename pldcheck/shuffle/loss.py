"""Shuffled pairs as privacy loss distributions: their outcomes cut into cells of nearly equal loss."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from ..kernels.thinned import binned_losses
from ..pld import PrivacyLossDistribution
from ..pld.discrete import Cells
from ..pld.distribution import Sided
from ..pld.losses import UNIT, Array
from .pair import Pair

# Cells on each side of 0, and how many deviations of the loss they cover: what is beyond is one cell more.
CELLS, REACH = 800, 13.0
# Share of the law of the counts that no cell holds: c outside its window, a further than SPREAD deviations from its
# mean and 4 SPREAD more (Bernstein: 2 e^-96 = 4e-42 at most, where the deviation is small).
MISSED, SPREAD = 1e-40, 16.0
# Outcomes visited one by one, about 15 ns each; more are summed as tails.
MOST_OUTCOMES = 2e7


def losses(pair: Pair, reverse: Pair | None = None) -> PrivacyLossDistribution:
    """The loss of a pair; ``reverse`` is that of (Q, P).

    None says that the two are alike, as when trading up for down turns P into Q and leaves W as it is; this is not
    checked, and tails are summed in one direction only.
    """
    other = pair if reverse is None else reverse
    last = min(REACH * max(pair.deviation, other.deviation), pair.largest * (1.0 - 1e-12))
    points = last * np.arange(1, CELLS + 1) / CELLS
    first, final, _ = pair.window(MISSED)
    outcomes = (final - first + 1) * (2.0 * SPREAD * (sqrt(final * pair.up * pair.down) + 4.0) + 1.0)
    if outcomes < MOST_OUTCOMES:
        cells = _binned(pair, points, first, final)
    else:
        cells = _from_tails(pair, other, points)
    missed = 2.0 * MISSED * max(max(ratios) for ratios in (pair.ups, pair.downs, pair.rests))
    one = _both_sides(cells, missed)
    if reverse is None:
        return PrivacyLossDistribution(pair.name, ((one, 1),))
    return PrivacyLossDistribution(pair.name, ((one, 1),), ((_both_sides(cells.reversed, missed), 1),))


def _both_sides(cells: Cells, missed: float) -> Sided:
    """What was missed counts as of the largest loss in the upper law, and is left out of the lower one."""
    raised = cells.p.copy()
    raised[-1] += missed
    return Sided(replace(cells, p=raised).sided().upper, cells.sided().lower)


def _ends(points: Array, largest: float) -> tuple[Array, Array]:
    """The losses between which each cell lies: mirrored points, one cell around 0."""
    low = np.concatenate([[-largest], -points[::-1], points])
    high = np.concatenate([-points[::-1], points, [largest]])
    return low, high


def _binned(pair: Pair, points: Array, first: int, last: int) -> Cells:
    """Outcome by outcome."""
    low, high = _ends(points, pair.largest)
    # The cell around 0 in the middle makes the spacing even.
    edges = np.concatenate([-points[::-1], [0.0], points])
    p, q, error = binned_losses(
        pair.n, pair.some, pair.none, pair.up, pair.down, pair.ups, pair.downs, pair.rests, first, last, SPREAD, edges
    )
    low, high = np.insert(low, points.size + 1, 0.0), np.insert(high, points.size, 0.0)
    kept = p > 0.0
    kept[[0, -1]] = True  # where what was missed goes
    return Cells(
        p=p[kept],
        q=q[kept],
        low=low[kept],
        high=high[kept],
        mass_error=error,
        loss_error=32 * UNIT * (1.0 + pair.largest),
    )


def _from_tails(pair: Pair, reverse: Pair, points: Array) -> Cells:
    """From P(loss >= epsilon) and Q(loss >= epsilon) at every point; the cell around 0 takes what they leave."""
    above = np.array([_tail(pair, float(at)) for at in points])
    below = above if reverse is pair else np.array([_tail(reverse, float(at)) for at in points])
    error = max(_worst(tails[:, i], tails[:, 2]) for tails in (above, below) for i in (0, 1))
    p_above, q_above = _differences(above[:, 0]), _differences(above[:, 1])
    q_below, p_below = _differences(below[:, 0])[::-1], _differences(below[:, 1])[::-1]
    p_middle = 1.0 - above[0, 0] - below[0, 1]
    q_middle = 1.0 - above[0, 1] - below[0, 0]
    middle = (above[0, 2] + below[0, 2] + 4 * UNIT) / max(min(p_middle, q_middle), 1e-300)
    low, high = _ends(points, pair.largest)
    return Cells(
        p=np.concatenate([p_below, [p_middle], p_above]),
        q=np.concatenate([q_below, [q_middle], q_above]),
        low=low,
        high=high,
        mass_error=float(max(error, middle)),
        loss_error=32 * UNIT * (1.0 + pair.largest),
    )


def _tail(pair: Pair, epsilon: float) -> tuple[float, float, float]:
    found = pair.tail(epsilon, MISSED)
    return found.p, found.q, found.error


def _differences(tails: Array) -> Array:
    return np.append(tails[:-1] - tails[1:], tails[-1])


def _worst(tails: Array, errors: Array) -> float:
    """The largest relative error of a cell: what neighbouring tails err by, over their difference."""
    absolute = tails * (errors + UNIT)
    masses, both = _differences(tails), np.append(absolute[:-1] + absolute[1:], absolute[-1])
    if (masses < 0.0).any():  # a dropped cell would not be in the budget
        raise ArithmeticError("cells of the loss are finer than the precision of its tails")
    kept = masses > 0.0
    return float(np.max(both[kept] / masses[kept], initial=0.0))
