r"""Epochs of a hidden slot: the record is hidden anew in each, and all of them are released.

From above, the polygon through certified points of the one-epoch curve delta*(epsilon) (convex in e^epsilon) is the
curve of a pair that dominates every adaptive adversary of one epoch; its loss is composed.  From below, a law used in
every slot is an adversary, and its loss is composed: for BE the pair is, on the number J of outputs E,

.. math:: P'(j) = Q_0(j) \Big(1 + \tfrac wm \sum_i (a'_i - 1)\Big), \quad P = Q_0 = \mathrm{Bin}(m, 1/(1 + x)),

a likelihood ratio linear in j (CF is its reverse); for ACE the same on the counts of C and of E.
"""

from __future__ import annotations

from math import exp, expm1, sqrt

import numpy as np

from .. import threads
from ..interval import Interval
from ..kernels import binomial
from ..minimax import bracket
from ..minimax.slot import Slot
from ..pld import PrivacyLossDistribution
from ..pld.discrete import Cells, from_points
from ..pld.distribution import Sided
from ..pld.losses import UNIT, Atoms, Law

# Points of the one-epoch curve up to where one epoch's delta is TAIL times the one asked for, over the epochs; and
# beyond, up to where it is LEAST: a high power of the loss's moment generating function sees that far.
POINTS, BEYOND, TAIL, LEAST = 40, 14, 1e-4, 1e-250
# Outcomes kept apart in a lower law, and deviations of the counts looked at.
MOST_CELLS, REACH = 4000, 12.0
# Slots up to which the counts of C and E are tabulated together.
MOST_STEPS_ACE = 5000


def losses(slot: Slot, delta: float) -> tuple[PrivacyLossDistribution, ...]:
    """One epoch: the same upper law, with one lower law each that may be the best; ``delta`` is the least of use."""
    upper = curve(slot, delta)
    two_point, found = _two_point(slot), []
    forward, backward = Sided(upper, two_point.sided().lower), Sided(upper, two_point.reversed.sided().lower)
    found.append(PrivacyLossDistribution("hidden slot", ((forward, 1),), ((backward, 1),)))
    if slot.steps <= MOST_STEPS_ACE:
        found.append(PrivacyLossDistribution("hidden slot", ((Sided(upper, _three_point(slot)), 1),)))
    return tuple(found)


def curve(slot: Slot, delta: float) -> Law:
    """A loss that dominates one epoch."""
    last = bracket.epsilon(slot, "replace", delta, 0.05).upper
    points = [last * i / (POINTS - 1) for i in range(POINTS)]
    far = bracket.epsilon(slot, "replace", LEAST, 0.05).upper
    points += [last + (far - last) * i / BEYOND for i in range(1, BEYOND + 1)]
    with threads.pool() as pool:
        deltas = list(pool.map(lambda epsilon: bracket.delta_above(slot, epsilon), points))
    if far >= slot.cap:
        deltas[-1] = 0.0
    return from_points(points, deltas, symmetric=True)


def _two_point(slot: Slot) -> Cells:
    """BE as a pair (P', Q0) on its counts, neighbouring ones together."""
    m, x = slot.steps, exp(slot.eps0)
    p, q = 1.0 / (1.0 + x), x / (1.0 + x)
    reach = REACH * sqrt(m * p * q) + 40.0
    first, last = max(int(m * p - reach), 0), min(int(m * p + reach), m)
    logs, error = binomial.log_pmf_range(m, first, last - first + 1, p, q)
    # 1 + (w/m) (j (x - 1) - (m - j)(1 - 1/x))
    count = np.arange(first, last + 1, dtype=np.float64)
    factor = 1.0 - slot.weight * (1.0 - 1.0 / x) + slot.weight * count / m * (expm1(slot.eps0) - expm1(-slot.eps0))
    base = np.exp(logs)
    edges = np.unique(np.linspace(0, base.size, min(MOST_CELLS, base.size) + 1).astype(int))[:-1]
    merged, against = np.add.reduceat(base * factor, edges), np.add.reduceat(base, edges)
    ratio = np.log(factor)
    ends = np.append(edges[1:], base.size) - 1
    return Cells(merged, against, ratio[edges], ratio[ends], mass_error=error + 64 * UNIT, loss_error=64 * UNIT)


def _three_point(slot: Slot) -> Atoms:
    """ACE on the counts of C and E, outcomes of nearly the same loss together."""
    m, x, w = slot.steps, exp(slot.eps0), slot.weight
    p = 1.0 / (x + 2.0)
    reach = REACH * sqrt(m * p * (1.0 - p)) + 40.0
    first, last = max(int(m * p - reach), 0), min(int(m * p + reach), m)
    size = last - first + 1
    # E ~ Bin(m, p), and given it C ~ Bin(m - E, p/(1 - p)).
    logs, error = binomial.log_pmf_range(m, first, size, p, 1.0 - p)
    counts = np.arange(first, last + 1, dtype=np.float64)
    joint = np.full((size, size), -np.inf)
    worst = 0.0
    for i, of_e in enumerate(range(first, last + 1)):
        high = min(last, m - of_e)
        if high < first:
            continue
        row, row_error = binomial.log_pmf_range(m - of_e, first, high - first + 1, 1.0 / (x + 1.0), x / (x + 1.0))
        joint[i, : row.size], worst = logs[i] + row, max(worst, row_error)
    base = np.exp(joint)
    low, rise = w * -expm1(-slot.eps0), w / m * (expm1(slot.eps0) - expm1(-slot.eps0))
    # a = x at C, 1 at E, 1/x at A; a' = x at E, 1 at C
    lift = w / m * -expm1(-slot.eps0)
    as_d = 1.0 - low + rise * counts[None, :] + lift * counts[:, None]
    as_d_other = 1.0 - low + rise * counts[:, None] + lift * counts[None, :]
    one, other, loss = (base * as_d).ravel(), (base * as_d_other).ravel(), np.log(as_d / as_d_other).ravel()
    kept = base.ravel() > 0.0
    cells = np.floor((loss - loss.min()) * (MOST_CELLS / (loss.max() - loss.min() + 1e-300))).astype(int)
    merged = np.bincount(cells[kept], one[kept], MOST_CELLS + 1)
    against = np.bincount(cells[kept], other[kept], MOST_CELLS + 1)
    found = merged > 0.0
    merged, against = merged[found], against[found]
    errors = error + worst + 256 * UNIT
    return Atoms.of(np.log(merged / against), merged, mass_error=errors, loss_error=2.0 * errors)


def epsilon(slot: Slot, epochs: int, delta: float) -> Interval:
    """epsilon(delta) of ``epochs`` epochs."""
    found = [loss.compose(epochs).epsilon(delta) for loss in losses(slot, _least(slot, epochs, delta))]
    best = max(found, key=lambda one: one.lower)
    return Interval(best.lower, min(one.upper for one in found), "epsilon", best.budget)


def delta(slot: Slot, epochs: int, epsilon: float) -> Interval:
    """delta(epsilon) of ``epochs`` epochs."""
    rough = [loss.compose(epochs).delta(epsilon) for loss in losses(slot, 1e-9)]
    least = max(max(one.lower for one in rough), 1e-200)
    found = [loss.compose(epochs).delta(epsilon) for loss in losses(slot, _least(slot, epochs, least))]
    best = max(found, key=lambda one: one.lower)
    return Interval(best.lower, min(one.upper for one in found), "delta", best.budget)


def _least(slot: Slot, epochs: int, delta: float) -> float:
    """The delta of one epoch from which on its curve is not needed finely."""
    return max(min(TAIL * delta / epochs, 0.01), LEAST)
