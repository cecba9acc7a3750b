r"""Bounds of random allocation in closed form, in ball arithmetic: they hold at any delta, however small.

**From above.**  An adversary who knows the slots sees at most k E steps of Gaussian noise, k slots in each of E epochs:
one Gaussian mechanism with :math:`\mu = d \sqrt{kE}/\sigma`, d = 1 for a record removed or added, 2 for one replaced by
another of the same ball.  By joint convexity delta is at most q times its delta, q the probability, at most min(1, E
p), that the record takes part at all: whether it does has the same law under both neighbours.

**From below.**  With A_i the steps' likelihood ratios, m steps and c = e^epsilon, a record removed from one epoch has
:math:`\delta = \frac pm E(\sum_i A_i - K')_+`, :math:`K' = m (1 + (c - 1)/p)`, which is at least

* :math:`p\,E(A - K')_+`: of numbers that are not negative :math:`\sum (a_i - K')_+ \le (\sum a_i - K')_+`;
* :math:`\frac pm E(A - 1 - m(c - 1)/p)_+`, by Jensen's inequality for all steps but one.

With K the argument each is the delta of one Gaussian mechanism at epsilon = log K.  A record added and one replaced by
the opposite vector have :math:`\frac pm E(X - K)_+`, by Jensen's inequality as well, X one step's increment and K the
threshold of :mod:`pldcheck.hidden_slot.known.neighbour_pairs`.  More epochs, more selected slots, and replacement (by
a vector of length 0) against removal have no less.

The sum of an epoch's outputs is a function of them.  A record that adds the same vector to each of its k slots moves it
by k vectors, whichever slots they are, with the noise of m: k of m slots in E epochs have at least the delta of one
Gaussian mechanism with :math:`\mu = d\,k \sqrt{E/m}/\sigma`, which is all there is where k = m.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, nextafter

from flint import arb, ctx

from ...core.interval import ErrorBudget, Interval

# Bits of a ball.  A difference of tails loses as many as 1/mu has, below 60 for sigma up to 10^9 and 10^12 steps.
BITS = 320
# Exponents of deviations squared beyond which a tail is below all numbers: balls would need bits of them.
FARTHEST_DEVIATION = 1e5
# Halvings of a bracket of epsilon, whose ends are floats: enough for neighbours among them.
HALVINGS = 2000
# Relative width of a bracket at which the bisection ends.
BRACKET_WIDTH = 2.0**-50
# The largest epsilon that is tried.
LARGEST_EPSILON = 1e18
# The source of upper ends, and of both where the steps are known to begin with.
REVELATION = "reveal which steps hold the record, in closed form"
# The source of lower ends.
LARGEST_STEP_TEST = "a test on the largest step, in closed form"
SUM_TEST = "a test on the sum of all steps, in closed form"


def gaussian_delta(mu: arb, log_ratio: arb) -> arb:
    """Return delta of the Gaussian mechanism of sensitivity ``mu`` at an epsilon of any sign."""
    x = log_ratio / mu - mu / 2
    if x > FARTHEST_DEVIATION:  # at most e^(-x^2/2), far below the least number
        return arb(0).union(arb(2) ** -100000)
    root = arb(2).sqrt()
    return ((x / root).erfc() - log_ratio.exp() * ((x + mu) / root).erfc()) / 2


def _addition_bound(mu: arb, epsilon: arb, share: arb) -> arb:
    """Return C E(1 - A - share (1 - 1/c))_+, c = e^epsilon."""
    root = (-epsilon).exp() * share - (share - 1)
    if root <= 0:
        return arb(0)
    if not root > 0:  # the ball contains 0: the value is at most c times its largest number
        return arb(0).union(epsilon.exp() * root.abs_upper())
    root_point = root.log() / mu
    return epsilon.exp() * (root * _tail(-root_point - mu / 2) - _tail(-root_point + mu / 2))


def _opposite_bound(mu: arb, epsilon: arb, share: arb) -> arb:
    """Return E((A - 1) - c (B - 1) - share (c - 1))_+, B of the opposite vector: positive from a point z on."""
    cost = (share - 1) * epsilon.expm1()
    high = cost * (mu * mu / 2).exp()
    z = ((high + (high * high + 4 * epsilon.exp()).sqrt()) / 2).log() / mu
    return _tail(z - mu) - epsilon.exp() * _tail(z + mu) - cost * _tail(z)


def _tail(x: arb) -> arb:
    if x > FARTHEST_DEVIATION:  # far below the least number, as in gaussian_delta
        return arb(0).union(arb(2) ** -100000)
    return (x / arb(2).sqrt()).erfc() / 2


@dataclass(frozen=True)
class Bounds:
    """The bounds in closed form of one allocation: ``selected`` of ``steps`` have the record, in each of ``epochs``."""

    steps: int
    sigma: float
    selected: int
    epochs: int
    prob: float
    adjacency: str

    @property
    def exact(self) -> bool:
        """Whether the slots are known to begin with, or there is one step: then both ends are exact up to rounding."""
        return self.selected == self.steps and (self.prob == 1.0 or self._single)

    @property
    def _single(self) -> bool:
        """Whether there is one step in one epoch: Jensen's inequality is for all other cases."""
        return self.steps == 1 and self.epochs == 1

    def above(self, epsilon: float) -> float:
        """Return an upper bound of delta(epsilon)."""
        with ctx.workprec(BITS):
            return max(_float_above(bound) for bound in self._upper(arb(epsilon)))

    def below(self, epsilon: float) -> float:
        """Return a lower bound of delta(epsilon)."""
        with ctx.workprec(BITS):
            return max(_float_below(bound) for bound in self._lower(arb(epsilon)))

    def epsilon(self, delta: float) -> tuple[float, float]:
        """Return lower and upper bounds of epsilon(delta), by these closed forms alone."""
        with ctx.workprec(BITS):
            high = _bracket_crossing(lambda trial: all(bound <= arb(delta) for bound in self._upper(arb(trial))))[1]
            low = _bracket_crossing(lambda trial: not any(bound > arb(delta) for bound in self._lower(arb(trial))))[0]
        return low, high

    def delta(self, epsilon: float) -> tuple[float, float]:
        """Return lower and upper bounds of delta(epsilon), by these closed forms alone."""
        return self.below(epsilon), min(self.above(epsilon), 1.0)

    def _delta_of_revealed_steps(self, epsilon: arb) -> arb:
        mu = (arb(self.selected) * self.epochs).sqrt() / arb(self.sigma)
        share = arb(self.prob) * self.epochs
        delta = gaussian_delta(2 * mu if self.adjacency == "replace" else mu, epsilon)
        return delta * share if share < 1 else delta

    def _delta_of_sums(self, epsilon: arb) -> arb:
        mu = self.selected * (arb(self.epochs) / self.steps).sqrt() / arb(self.sigma)
        return gaussian_delta(2 * mu if self.adjacency == "replace" else mu, epsilon)

    def lower_source(self, epsilon: float) -> str:
        """Return the source of the lower bound of delta(epsilon)."""
        with ctx.workprec(BITS):
            sums = self.prob == 1.0 and float(self._delta_of_sums(arb(epsilon))) == max(
                map(float, self._lower(arb(epsilon)))
            )
        return SUM_TEST if sums else LARGEST_STEP_TEST

    def _upper(self, epsilon: arb) -> list[arb]:
        """Return numbers the largest of which is an upper bound of delta.

        They are those of one sampled step, by direction, or of an adversary who knows the slots.  One epoch of one of
        many steps has no more than one step: a mean of copies is smaller in convex order.
        """
        if self.selected == 1 and self.epochs == 1 and self.prob < 1.0 and epsilon <= LARGEST_EPSILON:
            return replace(self, steps=1)._lower(epsilon)
        return [self._delta_of_revealed_steps(epsilon)]

    def _lower(self, epsilon: arb) -> list[arb]:
        """Return lower bounds of delta."""
        if self.exact and self.prob == 1.0:
            return [self._delta_of_revealed_steps(epsilon)]
        if epsilon > LARGEST_EPSILON:
            return [arb(0)]
        return [*self._lower_of_steps(epsilon), *([self._delta_of_sums(epsilon)] if self.prob == 1.0 else [])]

    def _lower_of_steps(self, epsilon: arb) -> list[arb]:
        """Return lower bounds of delta by single steps."""
        mu, m, p = 1 / arb(self.sigma), arb(self.steps), arb(self.prob)
        if self.adjacency == "add":
            return [p / m * _addition_bound(mu, epsilon, m / p)]
        gain = epsilon.expm1() / p
        removal_bounds = [
            p * gaussian_delta(mu, (m * (1 + gain)).log()),
            p / m * gaussian_delta(mu, (m * gain).log1p()),
        ]
        if self.adjacency == "replace":
            # One step by opposite vectors is the worst; vectors of length 0 have no larger bound.
            return (
                [p * _opposite_bound(mu, epsilon, 1 / p)]
                if self._single
                else [*removal_bounds, p / m * _opposite_bound(mu, epsilon, m / p)]
            )
        return (
            [*removal_bounds, p / m * _addition_bound(mu, epsilon, m / p)]
            if self.adjacency == "add-remove"
            else removal_bounds
        )


def tighten(interval: Interval, bounds: Bounds, target: float) -> Interval:
    """Return an answer with each end replaced where a closed form is better.

    ``target`` is the delta or epsilon that the answer is for.
    """
    if interval.quantity == "epsilon":
        better_above = interval.upper > 0.0 and bounds.above(interval.upper) <= target
        better_below = bounds.below(interval.lower) > target
        if not (better_above or better_below):
            return interval
        least, most = bounds.epsilon(target)
    else:
        least, most = bounds.delta(target)
    if least <= interval.lower and most >= interval.upper:
        return interval
    sources = (bounds.lower_source(least if interval.quantity == "epsilon" else target), REVELATION)
    both = interval.meet(Interval(least, most, interval.quantity, sources=sources))
    return replace(both, budget=None if interval.quantity == "epsilon" else _width_budget(both.lower, both.upper))


def answer(bounds: Bounds, quantity: str, target: float) -> Interval:
    """Return the interval by closed forms alone."""
    lower, upper = bounds.epsilon(target) if quantity == "epsilon" else bounds.delta(target)
    source = REVELATION if bounds.exact else bounds.lower_source(lower if quantity == "epsilon" else target)
    budget = _width_budget(lower, upper) if quantity == "delta" else ErrorBudget(_gap(bounds, lower, upper), 0.0, 0.0)
    return Interval(lower, upper, quantity, budget, sources=(source, REVELATION))


def _gap(bounds: Bounds, lower: float, upper: float) -> float:
    """Return the difference of the two bounds of delta at the upper end of epsilon."""
    return max(bounds.above(upper) - bounds.below(upper), 0.0)


def _width_budget(lower: float, upper: float) -> ErrorBudget:
    return ErrorBudget(upper - lower, 0.0, 0.0)


def _bracket_crossing(holds: Callable[[float], bool]) -> tuple[float, float]:
    """Return two floats, nearly neighbours, such that ``holds`` is false at the first and true at the second.

    It returns (0, 0) where ``holds`` is true at 0.
    """
    if holds(0.0):
        return 0.0, 0.0
    low, high = 0.0, 1.0
    while not holds(high):
        low, high = high, 2.0 * high
        if high > LARGEST_EPSILON:
            return low, inf
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if high - low <= BRACKET_WIDTH * high or not low < middle < high:
            break
        # The search goes towards 0 by orders of magnitude, not by halves.
        if low == 0.0 and high < 1.0:
            middle = max(high * 2.0**-16, 5e-324)
            if middle >= high:
                break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high


def _float_above(ball: arb) -> float:
    return nextafter(max(float(ball.upper()), 0.0), inf)


def _float_below(ball: arb) -> float:
    return max(nextafter(float(ball.lower()), -inf), 0.0)
