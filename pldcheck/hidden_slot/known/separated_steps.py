r"""Uses of a record that are far apart: with probability q in each step, if there is none in the b - 1 steps before.

A run has T steps, and the record is used in the steps S, a random set with gaps of at least b.  Columns of the encoder
at a distance of at least b have no row in common.  Let A_S be the likelihood ratio of the outputs with the record in
the steps S to those without it: with one direction for all vectors, :math:`A_S = e^{X_S - E X_S^2/2}`, X jointly
Gaussian with :math:`E X_S X_{S'} = \mu_S \cdot \mu_{S'}/\sigma^2`, mu_S the sum of the columns of S.  The ratio of the
mechanism is :math:`L = \sum_S P(S) A_S`.  Vectors that depend on earlier outputs have no larger mean of a convex
function of L, as :mod:`pldcheck.hidden_slot.known.correlated_slots` proves with bins in place of the sets S.

**The number of steps.**  The k-th step of a run is number 1 + (k - 1) b plus the failures before the k-th success of
independent trials of probability q.  So at least k of T steps are used with the probability that T - (k - 1)(b - 1)
trials have at least k successes.

**From above, in one direction.**  A set of k steps has mu_S of length at most sqrt(k) times the longest column, as its
columns have no row in common, and a product of two such sums is at most that of their lengths.  By Kahane's inequality
L is below the mixture of Gaussians at sqrt(k) times that, with the probabilities of k steps: Gaussian noise on a vector
of random length (:mod:`pldcheck.pld.random_lengths`).  It rises if more steps become likelier.

**From above, in general:** by samples of candidate steps, in
:mod:`~pldcheck.hidden_slot.known.separated_candidates`.

**From above, as a Poisson sample.**  Let no two columns have a row in common at all, as with ``identity``.  Then L is
below the ratio of Poisson samples of rate q in all T steps.  *Proof.*  Toss a coin of probability q in every step; let
B be the steps with heads, and S, a subset of B, those in which the record would be used.  The ratio of Poisson samples
is :math:`L' = E_{coins} A_B`, and :math:`L = E_{coins} A_S`.  For convex phi

.. math:: E \phi(L') - E \phi(L) \ge E\big[\phi'(L) (L' - L)\big]
          = E_{coins} E\big[\phi'(L)\, A_S\, (A_{B \setminus S} - 1)\big] .

The ratios A_t of single steps are independent, and L does not fall in any of them, nor does phi'(L), nor
:math:`A_{B \setminus S}`, which has mean 1 and does not depend on A_S.  Given all A_t outside of B \\ S, by Harris'
inequality the mean of phi'(L) times it is at least that of phi'(L), so that the right-hand side is not negative.  Both
orders of the pair are means of convex functions of the ratio.

**From below.**  Products of columns are at least those of columns of the least length without a common row, of which
some may be left out.  By Kahane's inequality independent steps reveal no more.

1. The sum of the outputs of R steps, over sqrt(R) times the deviation, has mean k c/(sigma sqrt(R)) if k of them are
   used, c the length of a column: noise on a vector of random length again.
2. So is the sum of all T rows of C g + z, without any comparison: its mean is k s/(sigma sqrt(T)) or more, if k of the
   first R steps are used and the entries of each of their columns sum to s or more.
3. Of the first b steps at most one is used.  It is one of them with the probability w = 1 - (1 - q)^b, though not each
   with the same; with equal probabilities w/b, which is the mean over all orders of the steps, the ratio is below that
   (Jensen).  So it reveals at least as much as one hidden slot of weight w.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import expm1, log1p

from ...core.directed import Side, enlarge, float_above, float_below, roundoff, shrink
from ...kernels.binomial_tails import upper_tail

# The most numbers of steps that are told apart.
MOST_COUNTS = 200
# Probabilities of more steps below this are not told apart, and no number of steps has less.
LEAST_CHANCE = 1e-200
# The share by which probabilities are moved before they are subtracted: the sum of all has that much room for rounding.
ROOM = 1e-12


@dataclass(frozen=True)
class Separation:
    """A run of ``steps`` steps in which two uses are at least ``gap`` apart, each with probability ``rate``."""

    steps: int
    gap: int
    rate: float

    @property
    def most(self) -> int:
        """The largest number of steps that are used."""
        return -(-self.steps // self.gap)

    def at_least(self, count: int) -> tuple[float, float]:
        """Return both ends of the probability of at least ``count`` used steps."""
        if count <= 0:
            return 1.0, 1.0
        return _ends_of_tail(self.steps - (count - 1) * (self.gap - 1), self.rate, count)

    def weight(self) -> float:
        """Return the probability, rounded down, that one of the first ``gap`` steps is used."""
        if self.rate == 1.0:
            return 1.0
        return shrink(-expm1(min(self.gap, self.steps) * log1p(-self.rate)), 16)

    def law(self, side: Side) -> tuple[list[int], list[float]]:
        """Return numbers of used steps and probabilities.

        On the upper side at least k steps are at least as likely as they are, for every k, and on the lower side at
        most.  With the rest to 1 there is none.
        """
        return _above(self) if side is Side.UPPER else _below(self)


def _counts(run: Separation) -> list[int]:
    """Return the numbers of steps that are told apart, in order, the largest one last."""
    likely = _range(run)
    stride = -(-len(likely) // MOST_COUNTS)
    return sorted({*likely[::stride], likely[0], likely[-1], run.most})


def _range(run: Separation) -> range:
    """Return the numbers of steps of which neither fewer nor more are all but impossible."""
    numbers = range(1, run.most + 1)  # the probability of at least k steps falls in k
    least = 1 + bisect_left(numbers, True, key=lambda k: run.at_least(k)[0] < 1.0 - 2.0 * ROOM)
    most = 1 + bisect_left(numbers, True, key=lambda k: run.at_least(k)[1] < LEAST_CHANCE)
    return range(max(min(least, run.most) - 1, 1), max(min(most, run.most), 1) + 1)


def _above(run: Separation) -> tuple[list[int], list[float]]:
    counts = _counts(run)
    # Of the numbers from one listed one to the next all are counted as the next.
    survivals = [run.at_least(before + 1)[1] * (1.0 + ROOM) for before in (0, *counts[:-1])]
    law = dict(_differences(counts, [min(max(one, LEAST_CHANCE), 1.0) for one in survivals], Side.UPPER))
    return list(law), list(law.values())


def _below(run: Separation) -> tuple[list[int], list[float]]:
    counts = _counts(run)
    survivals = [max(run.at_least(count)[0] * (1.0 - ROOM), 0.0) for count in counts]
    law = dict(_differences(counts, survivals, Side.LOWER))
    return list(law), list(law.values())


def _differences(counts: list[int], survivals: list[float], side: Side) -> Iterator[tuple[int, float]]:
    """Yield numbers and their probabilities, so that the sums from the largest one on are on their side of each float.

    On the upper side the sum may exceed 1 by round-off, which the room covers when probabilities are divided by it.
    """
    whole = Fraction(0)
    for count, survival in zip(reversed(counts), reversed(survivals), strict=True):
        rest = Fraction(survival) - whole
        if rest <= 0:
            continue
        chance = float_above(rest) if side is Side.UPPER else float_below(rest)
        if side is Side.UPPER:
            chance = max(chance, LEAST_CHANCE)
        if chance < LEAST_CHANCE:
            continue
        whole += Fraction(chance)
        yield count, chance


def _ends_of_tail(trials: int, rate: float, count: int) -> tuple[float, float]:
    """Return both ends of P(Bin(trials, rate) >= count)."""
    if count > trials:
        return 0.0, 0.0
    if rate == 1.0:
        return 1.0, 1.0
    rest = 1.0 - rate
    if count >= trials * rate:
        tail, _, relative, remainder = upper_tail(trials, rate, rest, rate / rest, float(count))
        return shrink(tail * (1.0 - relative), 4), min(enlarge(tail * (1.0 + relative) + remainder, 4), 1.0)
    tail, _, relative, remainder = upper_tail(trials, rest, rate, rest / rate, float(trials - count + 1))
    low = 1.0 - enlarge(tail * (1.0 + relative) + remainder, 4) - roundoff(2)
    return max(low, 0.0), min(1.0 - shrink(tail * (1.0 - relative), 4) + roundoff(2), 1.0)
