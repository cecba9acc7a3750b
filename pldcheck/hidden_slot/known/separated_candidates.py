r"""Uses of a record that are far apart, as samples of candidate steps: amplified, whatever the bands.

A run has T steps; in each of them a record that was in none of the b - 1 before is used with probability p.  Let
columns of the encoder at a distance of at least m <= b have no row in common, and :math:`\lambda = 1 - p`.

**Candidates.**  Let q be a probability, a = p (1 - q)/q, and :math:`h_n` the coefficients of
:math:`H(z) = 1/(1 - \lambda z + a z^m)`, so that :math:`h_n = \lambda h_{n-1} - a h_{n-m}`.  If

.. math:: a \le a^* = \frac{\lambda^m}{m} \Big(1 - \frac1m\Big)^{m-1}

then no :math:`h_n` is negative.  *Proof.*  Let :math:`r = \lambda (1 - 1/m)`.  By induction
:math:`h_n \ge r h_{n-1}`: for n < m because :math:`h_n = \lambda h_{n-1}`; after it because
:math:`h_{n-m} \le r^{-(m-1)} h_{n-1}` and :math:`a r^{-(m-1)} \le \lambda/m`.

So :math:`\varphi(z) = (p/q) z^m H(z)` is the generating function of a law of gaps, of at least m, and
:math:`z^{1-m} \varphi(z)` that of a first step: at z = 1 both are (p/q)/(p + a) = 1.  Let the steps of a renewal
process with these laws be *candidates*, and let each be used with probability q, independently.  Then for b = m the
uses have the law of the record's: the gaps of uses, and the first one, have the generating functions

.. math:: \frac{q \varphi}{1 - (1-q) \varphi} = \frac{p z^m}{1 - \lambda z + a z^m - a z^m}
   = \frac{p z^m}{1 - \lambda z}, \qquad
   \frac{z^{1-m} q \varphi}{1 - (1-q) \varphi} = \frac{p z}{1 - \lambda z} .

**Uses that are farther apart than candidates.**  For b > m let that process have no use for b - m more steps after
the m - 1 that follow a use: a use has the weight q/v in place of q, where v is the probability of none in those steps,
which is at least :math:`\lambda^{b-m}`, and sets of uses less than b apart have none.  The weights sum to 1, as a use
ends all memory, and the uses have the law of the record's.  Given the candidates, the probability of a set of uses that
are b apart is proportional to a product of weights, each at most :math:`\frac{q}{1-q} \lambda^{-(b-m)}`.  So given the
candidates and all other uses, a candidate is used with a probability of at most

.. math:: \hat q = \frac{q}{q + (1-q) \lambda^{b-m}},

and the uses are a subset of samples of the candidates of rate :math:`\hat q` (Holley's coupling).

*Candidates do not become more frequent by this.*  Let no use be allowed for r more steps, let the last candidate be g
steps ago, and let h be the probability of one in the renewal process.  Given the past, a candidate now has the
probability :math:`h (1-q) V_0/(h (1-q) V_0 + (1 - h) V_1)`, where :math:`V_0` and :math:`V_1` are the probabilities of
no use in the rest of these steps after a candidate and after none.  In the rest there is at most one more candidate
after none than after one, so that :math:`V_1 \ge (1-q) V_0`, and that probability is at most h.  Where a use is allowed
it is h.  So given the past every gap is at least as large, in distribution, as one of the renewal process, and there
are at most as many candidates.

**From above.**  Reveal which steps are candidates.  This is drawn without regard to data, and by convexity a curve is
at most the mean of those given what is revealed.  No two columns of candidates have a row in common.  So for vectors in
one direction, which are the worst, the ratio is a sum of products of independent ratios of candidates; by Harris'
inequality, as in :mod:`~pldcheck.hidden_slot.known.separated_steps`, its curve is below that of Poisson samples of the
candidates of rate :math:`\hat q`.  So the curve is below the mean, over the number N of candidates, of those of N runs
of Gaussian noise on Poisson samples of that rate, with the noise over the longest column, and below that of ceil(T/m)
runs, as there are no more.  The same holds if at first the record has to wait for some random number of steps, as in a
stationary process: given the wait, it is a run of fewer steps.

With q = 1 all uses are revealed, and the end is the trivial one.  The least q is p/(p + a*), about e m p where that is
small; for a > a* no pole of H is positive, so that some coefficient is negative (Pringsheim).  The squares of the
chances of T/(e m) candidates sum to e m T p^2.  By estimates the truth is near what a test on the sum of all rows
finds, which has the sum of all products of a column with others in place of e m: for ``square-root:8`` 5.7 in place
of 21.7, so that the end is about twice the truth.

**The number of candidates.**  The k-th one is in the run if the sum of k gaps is below T + m, as the first step is a
gap less m - 1.  For every t >= 0 the probability is at most :math:`e^{t (T + m - 1)} \varphi(e^{-t})^k`.  Where it does
not take too long, the gaps are added up instead, one by one.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp, expm1, log, log1p

import numpy as np

from ...core.arrays import Array
from ...core.directed import enlarge, exp_upper, float_above, roundoff, shrink

# The most products of two numbers by which gaps are added up: a second or so.
MOST_PRODUCTS = 500_000_000
# Gaps of more times the least one are not told apart; they are rarer than e^-30.
LONGEST = 40
# Bits beyond one a step, by which the recursion of the gaps cannot lose more.
BITS = 128
# The number of ternary steps by which the exponent of a tail is found, any of which is sound.
TRIALS = 80
# The largest exponent that is tried, over the least gap.
LARGEST_EXPONENT = 40.0
# No sum of products is below this, so that products that underflow do not count.
UNDERFLOW = 1e-290
# The most numbers of candidates that are told apart: a run's delta is computed for each.
MOST_COUNTS = 16
# Numbers of candidates that are exceeded this often are not told apart.
USUAL = 0.8
# The least distances of candidates that are tried, each of so many times the one before.
RATIO = 1.2


@dataclass(frozen=True)
class Candidates:
    """Candidates of a run of ``steps`` steps, at least ``gap`` apart.

    They are for uses of probability ``rate`` that are at least ``separation`` apart, which is not below ``gap``.
    """

    steps: int
    separation: int
    gap: int
    rate: float

    @cached_property
    def share(self) -> float:
        """The probability q, rounded up."""
        if self.rate == 1.0:
            return 1.0
        terms = [self.gap * log1p(-self.rate), -log(self.gap)]
        if self.gap > 1:
            terms.append((self.gap - 1) * log1p(-1.0 / self.gap))
        # Each term has up to 4 units, of its argument, logarithm and product, and the sum 3.
        exponent = sum(terms) - roundoff(8, sum(abs(term) for term in terms) + 1.0)
        most = shrink(exp(exponent), 8)
        return min(enlarge(self.rate / shrink(self.rate + most, 2), 4), 1.0)

    @cached_property
    def chance(self) -> float:
        """The largest probability, rounded up, that a candidate is used."""
        if self.share == 1.0 or self.separation == self.gap:
            return self.share
        wait = (self.separation - self.gap) * log1p(-self.rate)
        rest = shrink((1.0 - self.share) * shrink(exp(wait), 8.0 - 4.0 * wait), 4)
        return min(enlarge(self.share / shrink(self.share + rest, 2), 4), 1.0)

    @property
    def most(self) -> int:
        """The largest number of candidates."""
        return -(-self.steps // self.gap)

    @property
    def cost(self) -> float:
        """About the sum of squares of the chances of all candidates, on which small epsilons depend."""
        return self.chance**2 * self.rate / (1.0 + self.rate * (self.gap - 1)) / self.share

    def at_least(self, count: int) -> float:
        """Return an upper bound of the probability of at least ``count`` candidates."""
        if count <= 0:
            return 1.0
        if count > self.most:
            return 0.0
        if self._tails is not None:
            return min(float(self._tails[count]), 1.0)
        return self._exponential(count)

    def _exponential(self, count: int) -> float:
        """Return the least exponential bound that is found."""
        low, high = 0.0, LARGEST_EXPONENT / self.gap
        for _ in range(TRIALS):
            left, right = low + (high - low) / 3.0, high - (high - low) / 3.0
            low, high = (low, right) if sum(self._terms(left, count)) < sum(self._terms(right, count)) else (left, high)
        terms = self._terms(low, count)
        # The argument of each logarithm has an error of its own, count times.
        return min(exp_upper(sum(terms), 2.0 * sum(abs(term) for term in terms) + count), 1.0)

    def _terms(self, t: float, count: int) -> tuple[float, float, float]:
        """Return the terms of the exponent at ``t``, with a denominator that is rounded down."""
        a = shrink(self.rate * (1.0 - self.share) / self.share, 4)
        wait = -expm1(log1p(-self.rate) - t) if self.rate < 1.0 else 1.0
        below = shrink(shrink(wait, 8) + shrink(a * exp(-t * self.gap), 8.0 + 4.0 * t * self.gap), 2)
        free = t * (self.steps + self.gap - 1 - count * self.gap)
        return free, count * log(self.rate / self.share), -count * log(below)

    @cached_property
    def _tails(self) -> Array | None:
        """Upper bounds of the probabilities of at least 0, 1, ... candidates; None where they are too many to add up.

        All terms are positive: a sum of so many products has a relative error of as many units and two.
        """
        cells, longest = self.steps + self.gap, min(self.steps + self.gap, LONGEST * self.gap)
        if self.most * cells * longest > MOST_PRODUCTS:
            return None
        gaps = np.array(self._gaps(longest))
        ends, tails = np.zeros(cells), [1.0]
        ends[0] = 1.0
        for _ in range(self.most):
            ends = np.convolve(ends, gaps)[:cells]
            tails.append(float(ends.sum()))
        units = (longest + 4.0) * self.most + cells
        bounds: Array = enlarge(np.array(tails), units) + UNDERFLOW
        return bounds

    def _gaps(self, longest: int) -> list[float]:
        """Return upper bounds of the probabilities of gaps 0, 1, ..., ``longest``, where all longer ones count as that.

        The recursion is in whole numbers of 2^-(longest + BITS).  In each step an error is at most doubled and has two
        units more, so that after n steps it is below 2^(n + 1) units.
        """
        rate, share = Fraction(self.rate), Fraction(self.share)
        rest, a, scale = 1 - rate, rate * (1 - share) / share, 1 << (longest + BITS)
        h = [scale]
        for n in range(1, longest - self.gap + 1):
            before = a.numerator * h[n - self.gap] // a.denominator if n >= self.gap else 0
            h.append(rest.numerator * h[-1] // rest.denominator - before)
        error, unit = 1 << (longest + 2), rate / share / scale
        masses = [Fraction(0)] * self.gap + [unit * (value + error) for value in h]
        shorter = sum(max(value - error, 0) for value in h[: longest - self.gap])
        return [float_above(mass) for mass in masses[:longest]] + [float_above(max(1 - unit * shorter, Fraction(0)))]


def best_candidates(steps: int, separation: int, span: int, rate: float) -> Candidates:
    """Return candidates of about the least cost, at a distance from ``span`` to ``separation``."""
    gaps = [span]
    while gaps[-1] < separation:
        gaps.append(min(int(RATIO * gaps[-1] + 1.0), separation))
    return min((Candidates(steps, separation, gap, rate) for gap in gaps), key=lambda one: one.cost)


def candidate_law(candidates: Candidates, least: float) -> tuple[list[int], list[float], float]:
    """Return numbers of candidates, upper bounds of their probabilities, and one of that of more candidates.

    Numbers between two listed ones count as the larger one.  More than the last one are at most as likely as ``least``,
    unless it is the most.  For every k the law with these probabilities has at least k at least as often as there are.
    """
    numbers = range(1, candidates.most + 1)

    def seldom_more(chance: float) -> int:
        place = bisect_left(numbers, True, key=lambda count: candidates.at_least(count + 1) <= chance)
        return numbers[min(place, len(numbers) - 1)]

    first, last = seldom_more(USUAL), seldom_more(least)
    counts = sorted({*range(first, last, max(-(-(last - first) // MOST_COUNTS), 1)), last})
    chances, more = [], candidates.at_least(1)
    for count in counts:
        # A bound for more candidates that is larger than one for fewer says less than that one.
        rest = min(candidates.at_least(count + 1), more)
        chances.append(enlarge(more - rest, 2))
        more = rest
    return counts, chances, more
