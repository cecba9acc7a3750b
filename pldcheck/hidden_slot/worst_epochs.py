r"""Epochs of a hidden slot: the record is hidden anew in each, and all of them are released.

From above, the polygon through certified points of the one-epoch curve delta*(epsilon) (convex in e^epsilon) is the
curve of a pair that dominates every adaptive adversary of one epoch; its loss is composed.  From below, a law used in
every slot is an adversary, and its loss is composed (the references and the replacement are the same in all slots and
epochs: each choice of them is one adversary, so any one bounds the supremum from below): for BE the pair is, on the
number J of outputs E,

.. math:: P'(j) = Q_0(j) \Big(1 + \tfrac wm \sum_i (a'_i - 1)\Big), \quad P = Q_0 = \mathrm{Bin}(m, 1/(1 + x)),

a likelihood ratio linear in j (CF is its reverse); for ACE the same on the counts of C and of E.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp, expm1, inf, log, nextafter, sqrt

import numpy as np

from ..core import threads
from ..core.differences import FUNCTION, TINY
from ..core.directed import UNIT, enlarge
from ..core.interval import ErrorBudget, Interval
from ..kernels import binomial_tails
from ..pld import PrivacyLossDistribution, from_curve
from ..pld.hull_of_points import from_points
from ..pld.law_bounds import LawBounds
from ..pld.loss_sides import Attained, Dominating, between, nothing
from ..pld.pair_cells import Cells
from ..pld.step_losses import Atoms
from .worst import worst_intervals
from .worst.slot_problem import Slot, one_slot

# Points of the one-epoch curve up to where one epoch's delta is TAIL times the one asked for, over the epochs.
POINTS = 40
# Points beyond, up to where delta is LEAST_DELTA: a high power of the loss's moment generating function sees that far.
FURTHER_POINTS = 14
# Ratio of one epoch's delta to the answer's delta divided by the number of epochs, down to which there are POINTS
# points.
TAIL = 1e-4
# One epoch's delta at the last point.
LEAST_DELTA = 1e-250
# Largest number of atoms of a lower law.
MOST_CELLS = 4000
# Deviations of the counts that are summed.
COUNT_DEVIATIONS = 12.0
# Slots up to which the counts of C and E are tabulated together.
MOST_STEPS_ACE = 5000
# Outcomes of less mass than this are left out.
LEAST_MASS = 1e-280
# Relative error of a likelihood ratio 1 - w + (w/m) (j x + k + l/x), in units: exp and 1/x (FUNCTION + 1), a product
# with the count, two sums, w/m and its product (5), 1 - w and the last sum (2).  Of its distance from 1, relative to
# the sum of the sizes of its terms, no more.
RATIO = FUNCTION + 8.0


def losses(slot: Slot, delta: float, adjacency: str = "replace") -> tuple[PrivacyLossDistribution, ...]:
    """Return laws of one epoch: they share the upper law, and each has a lower law that may be the best.

    ``delta`` is the least delta at which the laws are of use.
    """
    above = dominating_loss(slot, delta)
    return tuple(between(one, above) for one in adversaries(slot, adjacency))


def adversaries(slot: Slot, adjacency: str = "replace") -> list[Attained]:
    """Return the losses of single laws used in every slot; a record that is there or not has the first pair alone."""
    if slot.negligible:
        return [Attained(nothing())]
    two_point = _two_point(slot)
    pairs = [[two_point.law_bounds().lower, two_point.reversed.law_bounds().lower]]
    # For one slot of weight 1 the worst law is BE, which is randomized response.
    if adjacency == "replace" and slot.steps <= MOST_STEPS_ACE and not (slot.steps == 1 and slot.weight == 1.0):
        pairs.append([_three_point(slot)])
    return [
        Attained(PrivacyLossDistribution("hidden slot", *(((LawBounds.exact(law), 1),) for law in laws)))
        for laws in pairs
    ]


def lower_epsilon(slot: Slot, epochs: int, delta: float) -> float:
    """Return the largest lower end of epsilon(delta) of single laws."""
    return max(one.lower(lambda loss: loss.compose(epochs).epsilon(delta)) for one in adversaries(slot))


def lower_delta(slot: Slot, epochs: int, epsilon: float) -> float:
    """Return the largest lower end of delta(epsilon) of single laws."""
    return max(one.lower(lambda loss: loss.compose(epochs).delta(epsilon)) for one in adversaries(slot))


def one_slot_loss(slot: Slot, delta0: float = 0.0) -> Dominating:
    """Return a loss that dominates one epoch whatever the number of steps: that of one slot, exact but for rounding.

    On kappa >= 1 its curve is one line, from kappa = 1 to the largest loss, above the mass at infinity w delta0; of
    weight 1 the line goes on to kappa = 1/x.
    """
    infinite_mass = enlarge(slot.weight * delta0, 2.0) + TINY if delta0 > 0.0 else 0.0
    if slot.weight == 1.0:
        epsilons, deltas = [slot.cap], [infinite_mass]
    else:
        first = min(enlarge(one_slot(slot, 0.0)[1] * (1.0 - delta0), 2.0) + infinite_mass, 1.0)
        epsilons, deltas = [0.0, slot.cap], [first, min(infinite_mass, first)]
    law = from_points(epsilons, deltas, symmetric=True)
    return Dominating(PrivacyLossDistribution("one slot", ((LawBounds.exact(law), 1),)))


def largest_loss(slot: Slot, epochs: int) -> float:
    """Return the largest loss of all epochs, rounded up; epsilon is at most this."""
    total = epochs * slot.cap
    return total if Fraction(total) >= epochs * Fraction(slot.cap) else nextafter(total, inf)


def dominating_loss(slot: Slot, delta: float) -> Dominating:
    """Return a loss that dominates one epoch."""
    if slot.steps == 1 or slot.negligible:
        return one_slot_loss(slot)
    last = worst_intervals.epsilon(slot, "replace", delta, 0.05).upper
    points = [last * i / (POINTS - 1) for i in range(POINTS)]
    far = worst_intervals.epsilon(slot, "replace", LEAST_DELTA, 0.05).upper
    points += [last + (far - last) * i / FURTHER_POINTS for i in range(1, FURTHER_POINTS + 1)]
    with threads.pool() as pool:
        deltas = list(pool.map(lambda epsilon: worst_intervals.delta_above(slot, epsilon), points))
    deltas = [min(one, 1.0) for one in deltas]
    if far >= slot.cap:
        deltas[-1] = 0.0
    return Dominating(from_curve(points, deltas, symmetric=True))


def _two_point(slot: Slot) -> Cells:
    """Return BE as a pair (P', Q0) on its counts, with neighbouring counts merged."""
    m, x = slot.steps, exp(slot.eps0)
    p, q = 1.0 / (1.0 + x), x / (1.0 + x)
    reach = COUNT_DEVIATIONS * sqrt(m * p * q) + 40.0
    first, last = max(int(m * p - reach), 0), min(int(m * p + reach), m)
    logs, error = binomial_tails.log_pmf_range(m, first, last - first + 1, p, q)
    # 1 + (w/m) (j (x - 1) - (m - j) (1 - 1/x)), and its distance from 1
    count = np.arange(first, last + 1, dtype=np.float64)
    share = slot.weight / m
    factor = (1.0 - slot.weight) + share * (count * x + (m - count) / x)
    rise, fall = share * count * expm1(slot.eps0), share * (m - count) * -expm1(-slot.eps0)
    base = _masses(logs)
    edges = np.unique(np.linspace(0, base.size, min(MOST_CELLS, base.size) + 1).astype(int))[:-1]
    record_masses, reference_masses = np.add.reduceat(base * factor, edges), np.add.reduceat(base, edges)
    ratio, doubt = _loss(factor, rise - fall, rise + fall)
    ends = np.append(edges[1:], base.size) - 1
    most_terms = int(np.max(ends - edges)) + 1
    # The units are those of exp of a log, a factor, a product, and a sum.
    units = FUNCTION + RATIO + 2.0 + most_terms
    return Cells(
        record_masses,
        reference_masses,
        ratio[edges],
        ratio[ends],
        mass_error=_mass_error(error, units),
        loss_error=doubt,
    )


def _masses(logs: np.ndarray) -> np.ndarray:
    """Return masses from their logs; those too small to be known relatively are left out, which lowers a lower law."""
    base = np.exp(logs)
    return np.where(base >= LEAST_MASS, base, 0.0)


def _mass_error(error: float, units: float) -> float:
    """Return the relative error of a mass from the absolute one of its log and further round-offs."""
    return enlarge(expm1(error), 4.0) + 1.001 * units * UNIT


def _loss(factor, away, size, units=RATIO) -> tuple[np.ndarray, float]:
    """Return the log of a ratio and a bound on its error.

    It is formed from the ratio, or from the ratio's distance from 1 where that is small.  ``size`` is the sum of the
    sizes of the terms that ``away`` is the difference of; ``away`` has an absolute error of ``units`` round-offs of it,
    and the ratio has as many relatively.
    """
    near = np.abs(away) < 0.5
    loss = np.where(near, np.log1p(np.where(near, away, 0.0)), np.log(factor))
    error = np.where(near, (units + 1.0) * UNIT * size / (1.0 + away * near), units * UNIT)
    return loss, float(np.max(1.004 * error + (FUNCTION + 1.0) * UNIT * np.abs(loss))) + TINY


def _three_point(slot: Slot) -> Atoms:
    """Return ACE on the counts of C and E, with outcomes of nearly the same loss merged."""
    m, x, w = slot.steps, exp(slot.eps0), slot.weight
    p = 1.0 / (x + 2.0)
    reach = COUNT_DEVIATIONS * sqrt(m * p * (1.0 - p)) + 40.0
    first, last = max(int(m * p - reach), 0), min(int(m * p + reach), m)
    size = last - first + 1
    # E ~ Bin(m, p), and given it C ~ Bin(m - E, p/(1 - p)).
    logs, error = binomial_tails.log_pmf_range(m, first, size, p, 1.0 - p)
    counts = np.arange(first, last + 1, dtype=np.float64)
    joint = np.full((size, size), -np.inf)
    worst = 0.0
    for i, of_e in enumerate(range(first, last + 1)):
        high = min(last, m - of_e)
        if high < first:
            continue
        row, row_error = binomial_tails.log_pmf_range(m - of_e, first, high - first + 1, 1.0 / (x + 1.0), x / (x + 1.0))
        joint[i, : row.size], worst = logs[i] + row, max(worst, row_error)
    base = _masses(joint)
    # a = x at C, 1 at E, 1/x at A; a' = x at E, 1 at C; the difference is (w/m) (x - 1) (C - E)
    at_c, at_e = counts[None, :], counts[:, None]
    rest = np.maximum(m - (at_c + at_e), 0.0) / x
    as_d = (1.0 - w) + w / m * (at_c * x + (at_e + rest))
    as_d_other = (1.0 - w) + w / m * (at_e * x + (at_c + rest))
    away = w / m * expm1(slot.eps0) * (at_c - at_e)
    loss = _loss(as_d / as_d_other, away / as_d_other, 0.0)[0].ravel()
    one, other, away = base * as_d, base * as_d_other, base * away
    positive = base.ravel() > 0.0
    cells = np.floor((loss - loss.min()) * (MOST_CELLS / (loss.max() - loss.min() + 1e-300))).astype(int)[positive]
    record_masses, reference_masses, differences, sizes = (
        np.bincount(cells, part.ravel()[positive], MOST_CELLS + 1) for part in (one, other, away, np.abs(away))
    )
    terms = int(np.max(np.bincount(cells)))
    nonempty = record_masses > 0.0
    record_masses, reference_masses, differences, sizes = (
        record_masses[nonempty],
        reference_masses[nonempty],
        differences[nonempty],
        sizes[nonempty],
    )
    # The units are those of two logs of masses, their sum (it matters from LEAST_MASS on), exp, a ratio, a product, and
    # a sum of so many terms.
    errors = _mass_error(error + worst - UNIT * log(LEAST_MASS), FUNCTION + RATIO + 2.0 + terms)
    # Both sums of a cell have that error, and so have the differences, relative to their sizes; and one quotient.
    losses, doubt = _loss(
        record_masses / reference_masses,
        differences / reference_masses,
        sizes / reference_masses,
        2.0 * errors / UNIT + 2.0,
    )
    return Atoms.of(losses, record_masses, mass_error=errors, loss_error=doubt)


def epsilon(slot: Slot, epochs: int, delta: float) -> Interval:
    """Return epsilon(delta) of ``epochs`` epochs."""
    alone = one_slot_loss(slot).upper(lambda loss: loss.compose(epochs).epsilon(delta))
    if alone == 0.0:
        return Interval(0.0, 0.0, "epsilon", ErrorBudget(0.0, 0.0, 0.0))
    intervals = [loss.compose(epochs).epsilon(delta) for loss in losses(slot, least_delta(slot, epochs, delta))]
    most = Interval(0.0, min(alone, largest_loss(slot, epochs)))
    return most.meet(*intervals)


def delta(slot: Slot, epochs: int, epsilon: float) -> Interval:
    """Return delta(epsilon) of ``epochs`` epochs."""
    if epsilon >= largest_loss(slot, epochs):
        return Interval(0.0, 0.0, "delta", ErrorBudget(0.0, 0.0, 0.0))
    alone = one_slot_loss(slot).upper(lambda loss: loss.compose(epochs).delta(epsilon))
    least = max(lower_delta(slot, epochs, epsilon), 1e-200)
    intervals = [loss.compose(epochs).delta(epsilon) for loss in losses(slot, least_delta(slot, epochs, least))]
    return Interval(0.0, min(alone, 1.0), "delta").meet(*intervals)


def least_delta(slot: Slot, epochs: int, delta: float) -> float:
    """Return the delta of one epoch below which its curve need not be fine."""
    return max(min(TAIL * delta / epochs, 0.01), LEAST_DELTA)
