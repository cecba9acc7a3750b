r"""Lower ends of random allocation to several steps, by a test on a sum of scores of all outputs.

A record is in k of m steps, in each of E epochs anew; there it adds the same vector, so that an output is one number z
in deviations, of mean :math:`\mu = 1/\sigma` in its steps and 0 in the others.  Let a(z) be any score, T its sum over
all steps, and tau any number.  The test :math:`\psi(T) = (1 - e^{\tau - T})_+` is a function of the outputs with values
from 0 to 1, so that

.. math:: \delta(\epsilon) \ge E_P\,\psi(T) - e^\epsilon E_Q\,\psi(T) .

Whichever steps have the record, T is a sum of kE independent scores with the mean :math:`\mu` and (m - k)E with the
mean 0 under P, and of mE scores with the mean 0 under Q, if the record is removed.  For one that is added the laws
change places, and for one that is replaced by the opposite vector kE scores have the mean :math:`-\mu` under Q.  Both
expectations are those of composed losses, whose ends :mod:`pldcheck.pld.curve_inversion` certifies.

The score is constant on cells of outputs, so that T has finitely many values a step, with exact laws.  It is a multiple
of the loss of a Poisson sample: if each step had the record with probability r by itself, the sum of those would be the
whole loss.  For r near k/m, and a steep test, hardly anything is lost but what knowing k tells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import exp, inf, log, sqrt

import numpy as np

from ...core.directed import enlarge, shrink
from ...core.interval import ErrorBudget, Interval
from ...pld import curve_inversion
from ...pld.loss_total import Total
from ...pld.sampled_mechanisms import CUT_OFF, LAST_EDGE, gaussian_cells
from ...pld.step_losses import Array, Atoms

# The source of such lower ends.
SCORE_TEST = "a test on the sum of all steps' scores, which are losses of Poisson samples"
# Rates of the samples whose losses are the scores, in multiples of the share of steps that have the record.
RATES = (0.4, 0.9)
# The largest such rate.
LARGEST_RATE = 0.99
# Width of a cell in deviations: rounding outputs to cells costs some w^2/12 of their information, and the rule that
# computes masses is exact to round-off for such cells.
WIDTH = 0.05
# How steep tests are: multiples of the mean slope of log delta up to epsilon.
STEEPNESS = 12.0
# Relative width of the expectations, which moves epsilon by as much over the slope of log delta.
PRECISION = 1e-2
# The thresholds among which the best one is looked for, over epsilon, and the number of trials, each of which narrows
# the range to 0.62 of itself.
THRESHOLDS = (0.2, 1.6)
TRIALS = 10
# The largest epsilon whose exponential is a number.
LARGEST_EPSILON = 700.0
# Of fewer steps with the record among more than so many steps, the sum has tails so heavy that its inversion takes most
# of a minute.
FEW_HITS = 5
MANY_STEPS = 10_000
# The ratio of two lengths of the golden section.
GOLDEN = 0.5 * (sqrt(5.0) - 1.0)


@dataclass(frozen=True)
class ScoreTest:
    """The test about a record that is in ``selected`` of ``steps`` steps with noise ``sigma``, in each of ``epochs``.

    ``adjacency``: remove, add, replace, or add-remove, of which it is about a removal.
    """

    steps: int
    sigma: float
    selected: int
    epochs: int
    adjacency: str

    @property
    def is_cheap(self) -> bool:
        """Whether the test takes seconds at most."""
        return self.selected * self.epochs >= FEW_HITS or self.steps * self.epochs <= MANY_STEPS

    def epsilon(self, delta: float, about: float) -> float:
        """Return a lower bound of epsilon(delta), which is positive and about as large as ``about``."""

        def reached(sums: Sums, threshold: float) -> float:
            power, error = sums.expectations(threshold)
            rest = shrink(power, 2) - delta
            return shrink(log(rest / error), 8) if rest > error > 0.0 else -inf

        return self._largest(reached, about, delta)

    def delta(self, epsilon: float, about: float) -> float:
        """Return a lower bound of delta(epsilon), which is positive and about as large as ``about``."""
        if epsilon > LARGEST_EPSILON:
            return 0.0

        def reached(sums: Sums, threshold: float) -> float:
            power, error = sums.expectations(threshold)
            return shrink(power, 4) - enlarge(exp(epsilon), 8) * error

        return self._largest(reached, epsilon, about)

    def _largest(self, value: Callable[[Sums, float], float], epsilon: float, delta: float) -> float:
        """Return the largest value, at least 0, that a search finds among scores and thresholds."""
        share, steepness = self.selected / self.steps, STEEPNESS * max(-log(delta), 1.0) / epsilon
        all_sums = [Sums(self, min(rate * share, LARGEST_RATE), steepness) for rate in RATES]
        low, high = (epsilon * factor for factor in THRESHOLDS)
        return max(0.0, *(_golden_section(partial(value, sums), low, high) for sums in all_sums))


@dataclass(frozen=True)
class Sums:
    """The sums of scores of one ``rate`` under P and under Q, times ``steepness``."""

    test: ScoreTest
    rate: float
    steepness: float

    @cached_property
    def _cells(self) -> tuple[Array, Array, Array, Array, float]:
        """The scores of the cells of one output, and their masses at the means mu, 0 and -mu, with an error."""
        sigma, mu = self.test.sigma, 1.0 / self.test.sigma
        edges = np.arange(-LAST_EDGE - mu, LAST_EDGE + mu, WIDTH)
        cells, middle = gaussian_cells(sigma, edges), 0.5 * (edges[1:] + edges[:-1])
        scores = _loss_of_sample(mu, self.rate, middle)
        if self.test.adjacency == "replace":
            scores = scores - _loss_of_sample(mu, self.rate, -middle)
        if self.test.adjacency == "add":
            scores = -scores
        mirrored = gaussian_cells(sigma, -edges[::-1])
        return scores, cells.p, cells.q, mirrored.p[::-1], max(cells.mass_error, mirrored.mass_error)

    @property
    def _counts(self) -> tuple[int, int]:
        """The steps that have the record, and the others."""
        test = self.test
        return test.selected * test.epochs, (test.steps - test.selected) * test.epochs

    @cached_property
    def _totals(self) -> tuple[Total, Total]:
        """The steep sum under P and under Q."""
        scores, *masses, mass_error = self._cells
        at_mean, at_zero, opposite = (
            Atoms.of(self.steepness * scores, one, mass_error=mass_error, loss_error=0.0, cut=CUT_OFF) for one in masses
        )
        hits, others = self._counts
        removed, nothing = Total.of([(at_mean, hits), (at_zero, others)]), Total.of([(at_zero, hits + others)])
        if self.test.adjacency == "replace":
            return removed, Total.of([(opposite, hits), (at_zero, others)])
        return (nothing, removed) if self.test.adjacency == "add" else (removed, nothing)

    def expectations(self, threshold: float) -> tuple[float, float]:
        """Return the expectation of the test under P, rounded down, and under Q, rounded up."""
        place = np.array([self.steepness * threshold])
        under_p, under_q = self._totals
        power = curve_inversion.delta(under_p, place, PRECISION)[0].lower
        return power, curve_inversion.delta(under_q, place, PRECISION, include_cuts=True)[0].upper


def _loss_of_sample(mu: float, rate: float, z: Array) -> Array:
    """Return log(1 - rate + rate e^(mu z - mu^2/2))."""
    loss: Array = np.logaddexp(np.log1p(-rate), np.log(rate) + mu * (z - 0.5 * mu))
    return loss


def _golden_section(value: Callable[[float], float], low: float, high: float) -> float:
    """Return the largest value that is found of a function that rises and then falls.

    Equal values are those of thresholds so far out that nothing is left: the search goes back from there.
    """
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = value(left), value(right)
    best = max(at_left, at_right)
    for _ in range(TRIALS):
        if at_left >= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = value(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = value(right)
        best = max(best, at_left, at_right)
    return best


def tighten(interval: Interval, test: ScoreTest, target: float) -> Interval:
    """Return an answer with its lower end replaced where the test shows more.

    ``target`` is the delta or epsilon that the answer is for.
    """
    asks_epsilon = interval.quantity == "epsilon"
    if not (test.is_cheap and 0.0 < interval.upper and (interval.upper if asks_epsilon else target) < LARGEST_EPSILON):
        return interval
    if not asks_epsilon and target == 0.0:
        return interval
    lower = (test.epsilon if asks_epsilon else test.delta)(target, interval.upper)
    if not lower > interval.lower:
        return interval
    upper = interval.upper
    budget = None if asks_epsilon else ErrorBudget(upper - lower, 0.0, 0.0)
    sources = (SCORE_TEST, interval.sources[1] if interval.sources else "")
    return replace(interval, lower=lower, budget=budget, sources=sources)
