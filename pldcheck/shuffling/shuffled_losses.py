"""Shuffled pairs as privacy loss distributions: their outcomes cut into cells of nearly equal loss."""

from __future__ import annotations

from dataclasses import replace
from math import inf, sqrt

import numpy as np

from ..core.directed import UNIT, enlarge, roundoff
from ..kernels.thinned_binomial import binned_losses
from ..pld import PrivacyLossDistribution
from ..pld.law_bounds import LawBounds
from ..pld.pair_cells import Cells
from ..pld.step_losses import Array
from .three_symbol_pair import Pair

# Cells on each side of 0.
CELLS = 800
# Number of deviations of the loss that the cells cover; one more cell holds the rest.
REACH = 13.0
# Share of the law of the counts that no cell holds: c outside its window, a further than SPREAD deviations from its
# mean and 4 SPREAD more (Bernstein: 2 e^-96 = 4e-42 at most, where the deviation is small).
MISSING_SHARE = 1e-40
# Deviations from its mean within which values of a are summed.
SPREAD = 16.0
# Outcomes visited one by one, about 15 ns each; more are summed as tails.
MOST_OUTCOMES = 2e7
# Counts visited for all tails of one direction, about 15 ns each; where they are more there are fewer cells.
MOST_COUNTS = 2e8
# Least number of cells.
FEWEST_CELLS = 16

# A cell is left out unless its mass is at least so many times its error.
DOUBT_FACTOR = 2.0
# Of the loss, times 1 + the largest: a ratio of two sums of three products each errs by 20 round-offs at most, its
# logarithm by one of itself, its place among the cells by six of the largest.  The points between tails are at most
# 0.12, where tails are summed; a line that is LINE = 80 round-offs off moves them by 10.
LOSS_ERROR = 32.0
# Error of the loss for each round-off of the pair's masses: two ratios, of two masses each, twice over.
LOSS_ERROR_OF_MASSES = 8.0


def losses(pair: Pair, reverse: Pair | None = None) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of a pair; ``reverse`` is the pair (Q, P).

    ``reverse`` is None where the two have the same losses, as when exchanging up and down turns P into Q and leaves W
    as it is.  This is not checked, and tails are then summed in one direction only.
    """
    other = pair if reverse is None else reverse
    last = min(REACH * max(pair.deviation, other.deviation), pair.largest * (1.0 - 1e-12))
    first, final, _ = pair.window(MISSING_SHARE)
    sides = int(min(max(MOST_COUNTS / (final - first + 1), FEWEST_CELLS), CELLS))
    points = last * np.arange(1, sides + 1) / sides
    outcomes = (final - first + 1) * (2.0 * SPREAD * (sqrt(final * pair.up * pair.down) + 4.0) + 1.0)
    if outcomes < MOST_OUTCOMES:
        cells, omission = _bin_outcomes(pair, points, first, final), 0.0
    else:
        cells, omission = _from_tails(pair, other, points)
    if pair.units > 0.0:
        # d log P(c)/dW(up) = (c - mean)/(W(up) W(rest)), and the masses of the message itself.
        mass_shift = (pair.units + 2.0) * UNIT * ((final - first + 1) / pair.none + 2.0) if pair.none > 0.0 else inf
        cells = replace(cells, mass_error=cells.mass_error + mass_shift)
    missing_mass = 2.0 * MISSING_SHARE * max(max(ratios) for ratios in (pair.ups, pair.downs, pair.rests)) + omission
    one = _both_sides(cells, missing_mass)
    if reverse is None:
        return PrivacyLossDistribution(pair.name, ((one, 1),))
    return PrivacyLossDistribution(pair.name, ((one, 1),), ((_both_sides(cells.reversed, missing_mass), 1),))


def _both_sides(cells: Cells, missing_mass: float) -> LawBounds:
    """Return both laws: the missing mass is put at the largest loss in the upper law and left out of the lower one."""
    raised_masses = cells.p.copy()
    raised_masses[-1] += missing_mass
    return LawBounds(replace(cells, p=raised_masses).law_bounds().upper, cells.law_bounds().lower)


def _ends(points: Array, largest: float) -> tuple[Array, Array]:
    """Return the losses between which each cell lies: the points are mirrored, and one cell contains 0."""
    low = np.concatenate([[-largest], -points[::-1], points])
    high = np.concatenate([-points[::-1], points, [largest]])
    return low, high


def _loss_error(pair: Pair) -> float:
    return (LOSS_ERROR + LOSS_ERROR_OF_MASSES * pair.units) * UNIT * (1.0 + pair.largest)


def _bin_outcomes(pair: Pair, points: Array, first: int, last: int) -> Cells:
    """Return the cells' masses and errors, summed outcome by outcome."""
    low, high = _ends(points, pair.largest)
    # The cell around 0 in the middle makes the spacing even.
    edges = np.concatenate([-points[::-1], [0.0], points])
    p, q, error = binned_losses(
        pair.n, pair.some, pair.none, pair.up, pair.down, pair.ups, pair.downs, pair.rests, first, last, SPREAD, edges
    )
    low, high = np.insert(low, points.size + 1, 0.0), np.insert(high, points.size, 0.0)
    nonempty = p > 0.0
    nonempty[[0, -1]] = True  # the missing mass goes there
    return Cells(
        p=p[nonempty],
        q=q[nonempty],
        low=low[nonempty],
        high=high[nonempty],
        mass_error=error,
        loss_error=_loss_error(pair),
    )


def _from_tails(pair: Pair, reverse: Pair, points: Array) -> tuple[Cells, float]:
    """Return the cells, formed from P(loss >= epsilon) and Q(loss >= epsilon) at every point, and a mass left out.

    The cell around 0 takes the remaining mass.  Cells finer than the precision of the tails are left out; the second
    value bounds their masses.
    """
    above = np.array([_tail(pair, float(point)) for point in points])
    below = above if reverse is pair else np.array([_tail(reverse, float(point)) for point in points])
    (p_above, p_above_error), (q_above, q_above_error) = (_differences(above[:, i], above[:, 2]) for i in (0, 1))
    (q_below, q_below_error), (p_below, p_below_error) = (_differences(below[:, i], below[:, 2]) for i in (0, 1))
    middle = [1.0 - above[0, 0] - below[0, 1], 1.0 - above[0, 1] - below[0, 0]]
    doubt = above[0, 2] + below[0, 2] + roundoff(4)
    p = np.concatenate([p_below[::-1], middle[:1], p_above])
    q = np.concatenate([q_below[::-1], middle[1:], q_above])
    errors = (
        np.concatenate([p_below_error[::-1], [doubt], p_above_error]),
        np.concatenate([q_below_error[::-1], [doubt], q_above_error]),
    )
    low, high = _ends(points, pair.largest)
    coarse = (p > DOUBT_FACTOR * errors[0]) & (q > DOUBT_FACTOR * errors[1])
    omission = float(np.sum((np.maximum(p, 0.0) + np.maximum(q, 0.0) + errors[0] + errors[1])[~coarse])) * (1.0 + 1e-9)
    relevant = coarse.copy()
    relevant[[0, -1]] = True  # the missing mass goes there
    p, q = np.where(coarse, p, 0.0), np.where(coarse, q, 0.0)
    relative = [
        np.max(error[coarse] / masses[coarse], initial=0.0) for error, masses in zip(errors, (p, q), strict=True)
    ]
    cells = Cells(
        p=p[relevant],
        q=q[relevant],
        low=low[relevant],
        high=high[relevant],
        mass_error=enlarge(float(max(relative)), 4),
        loss_error=_loss_error(pair),
    )
    return cells, omission


def _tail(pair: Pair, epsilon: float) -> tuple[float, float, float]:
    tail = pair.tail(epsilon, MISSING_SHARE)
    return tail.p, tail.q, tail.error


def _differences(tails: Array, errors: Array) -> tuple[Array, Array]:
    """Return the masses between neighbouring points with the last tail, and their errors.

    An error is that of both tails and one rounding.
    """
    absolute = tails * (errors + UNIT)
    return np.append(tails[:-1] - tails[1:], tails[-1]), np.append(absolute[:-1] + absolute[1:], absolute[-1])
