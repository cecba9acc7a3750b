r"""Shuffling of one known randomizer, from above, by its own hidden slot with one client fewer.

**Corollary.**  Let R be one eps0-DP randomizer that all n >= 3 clients run.  With the tau of
:mod:`pldcheck.shuffling.one_client_fewer`, all kappa >= 1 and zeta >= 0, and all data x_1 or x_1', x_2, ..., x_n,

.. math:: \delta_n^R(\kappa + \zeta) \le \delta_{HS_R(x_2, ..., x_n)}(\kappa) + \tau(\kappa, \zeta),

where HS_R has n - 1 slots, each with one of the records x_2, ..., x_n as its own, and the record takes a random one.

*Proof.*  It is that of the theorem there, step by step, with R at every place.  Randomizers belong to places: the
output at a place has the law of R on the record that sits there, whoever brought it.

1. The adversary of the slots lets x_2, ..., x_n sit at known random places, all but one of n; at the place that is left
   it puts an output of R on x_J itself.  That is the hidden slot of R with the slots' own records in a known order, and
   an output more that it could form without the record.  Where the outputs of one place do not depend on those of
   others, the order of the slots does not matter either, so that the divergence is that of the multiset of records.
2. The mean over pairs, and 3. the positive part, are statements on densities of R at a place on the records that sit
   there; nothing is said of which eps0-DP densities they are.  X vanishes where a and b have the same law.  If R has M
   different laws, of the N(N - 1)/2 pairs at most N^2 (1 - 1/M)/2 differ (the number of equal ordered pairs, a with
   itself included, is the sum of the squares of M counts, at least N^2/M); so (1 - 1/N) times the mean over all pairs
   is at most (1 - 1/M) times that over the pairs that differ, and 1 - 1/M takes the place of 1 - 1/N.
4. The densities of T at a place are those of R there, within a factor x of one another since R is eps0-DP: this is
   all that the split into Q1, Q1', Q2, Q2' uses.  It has tau for every R of that budget.  The blanket's weights may be
   p omega and p (1 - omega) for any number p such that all densities of T are at least p times
   omega (u + v)/2 + (1 - omega) (alpha + beta)/2, where alpha and beta are different laws, as u and v are; and if p is
   less than 2/(x + 1), that may stay in its place for the first kind, as in the theorem.

**Laplace noise** on records in [0, 1], u and v at a distance e of one another.  Let d be the distance of the records a
and b, and r(d) = rho + 2 (1 - rho) d.  The mean of d over the N(N - 1)/2 pairs is at most N/(2 (N - 1)), where half of
the others are at either end; so (1 - 1/N) times the mean of r(d) is at most 1.  Weighing pairs by r(d), step 3 holds
with X/r(d) in the place of (1 - 1/N) X: what is left of the weights has nu Sh(Theta, T, a, b) - zeta Sh(v, T, a, b),
whose positive part step 4 bounds by the same sum with 0 in the place of x_2, which is no more.  In step 4 alpha and
beta are within e^(eps0 d), which takes the place of x in the split into Q2, Q2':

.. math:: x_2 = \frac{T_d}{r(d)} (one - two), \quad q_2 = \tfrac12 (one + two) + \tfrac12 T_d (one - two), \quad
          T_d = \tanh^2(\epsilon_0 d/2).

The sum of positive parts is convex in the factor of x_2, and its derivative is 0 where that is 0, as the x_2 add up to
0 and what is positive there does not depend on l: it rises with that factor.
It is convex in T_d in q_2, so that it is largest at an end of a range of d.  Likewise u and v are within e^(eps0 e),
and any factor that is not less may take the place of x in the split into Q1, Q1'.  The weight of the blanket may be

.. math:: \frac1p = \omega \frac{x (1 + e^{-\epsilon_0 e})}2 + (1 - \omega) \frac{x (1 + e^{-\epsilon_0 d})}2 .

For at an output y the ratio of R_a to R_o is e^(eps0 (|y - o| - |y - a|)), at most e^(eps0 |o - a|), and so for b.  If
o is not between a and b, one of its distances to them is at most 1 - d; if it is, the sum of the two ratios is at most
e^(eps0 d) + 1, which is no more than x + x^(1 - d).  So it is for u and v.  All that rises as e or d falls.

Nowhere R is the worst one: only the last step of the theorem there, from its adversary to HS(n - 1), is.  The bound by
all adaptive choices of the slots' own records (:mod:`pldcheck.shuffling.known_slot_bounds`) covers all multisets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import exp, expm1, inf, log1p, tanh

from ..core.directed import Ends, Side, enlarge, float_below, roundoff, shrink
from ..core.roots import cross
from ..pld.curve_candidates import Candidate
from ..pld.step_losses import Array
from ..randomizers.finite import Rows, budget
from . import one_client_fewer
from .known_slot_bounds import Upper
from .one_client_fewer import Bound
from .pair_excess import LEAST_CHANCE, Pairs

# Name of the upper bound.
NAME = "the proven reduction to n − 1 slots of the same randomizer (see pldcheck show one-client-fewer)"
# Least number of clients: with fewer the reduction gains nothing.
FEWEST_CLIENTS = one_client_fewer.FEWEST_CLIENTS
# Largest eps0 of Laplace noise: with larger budgets the recursion takes too many laws.
LARGEST_LAPLACE_EPS0 = 6.0
# Share of the blanket of Laplace noise that is given to the record's densities.
LAPLACE_OMEGA = 0.25
# Distances of alpha and beta of Laplace noise, whose cells have a tau each.
DISTANCES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
# Distances of the record and its replacement, likewise.
RECORD_DISTANCES = (0.0, 0.5, 1.0)
# The constant rho in r(d) = rho + 2 (1 - rho) d.
REST = 0.15
# Shares of delta that may be given to tau.
SHARES = (1e-5, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5)
# The share at which the worst kind of pairs is determined.
LIKELY_SHARE = 0.03
# The share of delta given to tau at the far point of a curve.
CURVE_SHARE = 0.01
# A zeta that is not enough grows by this factor.
GROWTH = 1.02
# The number of such steps, after which zeta is searched anew.
GROWTHS = 8
# The least zeta that grows, as a share of kappa - 1.
LEAST_ZETA = 1e-9
# An epsilon of the slots is searched to this factor: the last trials take most of the time.
PRECISION = 3e-4
# Trials of that search.
TRIALS = 12
# Trials where the first epsilon of the slots is searched, which is no answer yet.
FIRST_TRIALS = 3
# Terms of tau that are bounded coarsely may add up to this share of the target.
NEGLIGIBLE_SHARE = one_client_fewer.NEGLIGIBLE_SHARE


@dataclass(frozen=True)
class KnownBound:
    """The corollary for n clients and one randomizer.

    ``correction``: the theorem with what is known of step 3 and step 4 for this randomizer.  ``slots``: an upper bound
    of delta of the hidden slot of n - 1, whatever the slots hold, and ``quick_slots`` one that costs less, for curves.
    ``estimate``: about the epsilon of a delta, and the slope -d log delta / d epsilon there.
    """

    correction: Bound
    slots: Upper
    quick_slots: Upper
    estimate: Callable[[float], tuple[float, float]]

    @property
    def eps0(self) -> float:
        """The budget, from which on delta is 0."""
        return self.correction.eps0

    def candidate(self, start: float) -> Candidate:
        """Return the bound as a candidate; ``start`` is an epsilon near those that are asked for."""
        return Candidate(NAME, self.delta, self.epsilon, None, start, self.curve)

    def delta(self, epsilon: float) -> Ends:
        """Return 0 and an upper bound of delta(epsilon), as ends."""
        if epsilon >= self.eps0:
            return Ends(0.0, 0.0, 0.0, 0.0)
        least = self.slots(epsilon)  # tau and zeta only add to it
        if not 0.0 < least < 1.0:
            return Ends(0.0, 1.0, 0.0, 0.0)
        correction, zeta = self.correction, 0.0
        if epsilon > 0.0:
            correction, _, zeta = self._best_share(epsilon, least, self.estimate(least)[1])
        return Ends(0.0, correction.at(epsilon, zeta, lambda _, slot_epsilon: self.slots(slot_epsilon)), 0.0, 0.0)

    def epsilon(self, delta: float) -> tuple[float, float, Ends]:
        """Return 0, an epsilon at which shuffling has at most ``delta``, and the ends of delta there."""
        best = self.eps0
        if delta <= LEAST_CHANCE:  # tau is never below this
            return 0.0, best, Ends(0.0, 0.0, 0.0, 0.0)
        start, slope = self.estimate(delta)
        first = self._slot_epsilon(delta, start, slope, FIRST_TRIALS)
        if 0.0 < first < self.eps0:
            correction, share, zeta = self._best_share(first, delta, slope)
            if zeta == inf:  # tau is too large at every one
                return 0.0, best, Ends(0.0, 0.0, 0.0, 0.0)
            # zeta was searched at this kappa; the slots' epsilon at the smaller delta is larger, and tau is not.
            slot = self._slot_epsilon(shrink(delta * (1.0 - share), 4), first - log1p(-share) / slope, slope, TRIALS)
            if slot < self.eps0:
                # kappa is rounded above e^slot, so that the slots have less there, and tau is evaluated there.
                kappa = enlarge(exp(slot), 4)
                zeta = _enough(correction, kappa, share * delta, zeta, expm1(self.eps0) - expm1(slot))
                best = min(best, enlarge(log1p(expm1(slot) + zeta), 16) + roundoff(16))
        return 0.0, best, Ends(0.0, delta if best < self.eps0 else 0.0, 0.0, 0.0)

    def curve(self, epsilons: Array) -> list[float]:
        """Return upper bounds at many epsilons: zeta is searched once, and grows like the cube of epsilon."""
        far = min(0.5 * float(epsilons[-1]), 0.5 * self.eps0)
        target = CURVE_SHARE * self.quick_slots(far)
        if not target > LEAST_CHANCE:
            return [1.0] * epsilons.size
        correction = self._all_pairs_at_once().keeping(target)
        zeta = correction.zeta(exp(far), target, 0.5 * expm1(far))
        if zeta == inf:
            return [1.0] * epsilons.size
        return [
            correction.at(epsilon, zeta * (epsilon / far) ** 3, lambda _, slot: self.quick_slots(slot))
            for epsilon in epsilons.tolist()
        ]

    def _best_share(self, epsilon: float, delta: float, slope: float) -> tuple[Bound, float, float]:
        """Return the theorem with its nu, the share of delta for tau, and zeta that cost least.

        This is by a first-order estimate in epsilon.  zeta is infinite where no share is enough.
        """
        kappa, least, best = exp(epsilon), inf, (self.correction, SHARES[0], inf)
        worst = self._worst_pairs(kappa, delta)
        for share in SHARES:
            loss = -log1p(-share) / slope
            # A zeta beyond this costs more than the best so far.
            most = min(0.5 * (kappa - 1.0), kappa * (least - loss))
            if most <= 0.0:
                break
            bound, zeta = worst.sparing(kappa, share * delta, most)
            if zeta / kappa + loss < least:
                least, best = zeta / kappa + loss, (replace(self.correction, kept=bound.kept), share, zeta)
        return best

    def _worst_pairs(self, kappa: float, delta: float) -> Bound:
        """Return the theorem with the kind of pairs alone that has the largest tau at a likely zeta."""
        one, pairs = self.correction, self.correction.pairs
        if pairs is None or len(pairs) == 1:
            return one
        target = LIKELY_SHARE * delta
        each = [replace(one.keeping(target), pairs=(kind,)) for kind in pairs]
        zeta = each[-1].zeta(kappa, target, 0.5 * (kappa - 1.0))
        if zeta == inf:
            return each[-1]
        return max(each, key=lambda kind: kind.tau(kappa, zeta, NEGLIGIBLE_SHARE * LIKELY_SHARE * delta))

    def _all_pairs_at_once(self) -> Bound:
        """Return the theorem with at most two kinds of pairs that bound all others.

        tau falls as the part grows, rises with the share and the record's contrast, and is largest at an end of the
        range of contrasts.
        """
        one, pairs = self.correction, self.correction.pairs
        if pairs is None or len(pairs) <= 2:
            return one
        part, share = min(kind.part for kind in pairs), max(kind.share for kind in pairs)
        contrasts = [kind.contrast for kind in pairs]
        records = [kind.record_contrast for kind in pairs]
        record = None if None in records else max(one for one in records if one is not None)
        ends = (min(contrasts), max(contrasts))
        ends_of_all = tuple(Pairs(part, share, contrast, record, omega=pairs[0].omega) for contrast in ends)
        return Bound(one.n, one.eps0, ends_of_all, likely=one.likely)

    def _slot_epsilon(self, delta: float, start: float, slope: float, trials: int) -> float:
        """Return an epsilon at which the slots have at most ``delta``; that of the budget if none is seen."""
        best = self.eps0

        def value(epsilon: float) -> float:
            nonlocal best
            at_epsilon = self.slots(epsilon)
            if at_epsilon <= delta:
                best = min(best, epsilon)
            return at_epsilon

        # The aim is a little beyond the crossing, so that the search ends on its far side.
        aim = delta * max(1.0 - 0.5 * PRECISION * slope * max(start, 1.0 / slope), 0.5)
        cross(
            value, aim, start, slope, self.eps0,
            side=Side.UPPER, trials=trials, spent=lambda epsilon: epsilon >= best * (1.0 - PRECISION),
        )  # fmt: skip
        return best


def _enough(correction: Bound, kappa: float, target: float, zeta: float, most: float) -> float:
    """Return a zeta, from this one on, at which tau of all kinds of pairs is at most a target; infinity if none."""
    for _ in range(GROWTHS):
        if correction.tau(kappa, zeta, NEGLIGIBLE_SHARE * target) <= target:
            return zeta
        zeta = max(zeta, LEAST_ZETA * (kappa - 1.0)) * GROWTH
    return correction.zeta(kappa, target, most)


def correction_of_rows(n: int, rows: Rows) -> Bound:
    """Return the theorem for a table: the weight of its blanket, and 1 - 1/M for its M different rows."""
    laws, eps0 = len({tuple(row) for row in rows}), budget(rows)
    # 1 - 1/M is rounded twice.
    share = enlarge(1.0 - 1.0 / min(laws, n - 1), 4)
    part = part_of_rows(rows)
    return Bound(n, eps0, (Pairs(part, share, eps0, record_part=max(part, shrink(2.0 / (exp(eps0) + 1.0), 8))),))


def part_of_rows(rows: Rows) -> float:
    """Return the weight of the blanket of step 4 for a table, rounded down.

    The two densities of a mean are different rows: it is at most the mean of an output's two largest probabilities.
    """
    columns = zip(*{tuple(row) for row in rows}, strict=True)
    ratios = [2 * min(column) / sum(sorted(column)[-2:], start=Fraction(0)) for column in columns if max(column) > 0]
    # Products with omega and 1 - omega round once more.
    return shrink(float_below(min(ratios)), 8)


def correction_of_laplace(n: int, eps0: float) -> Bound:
    """Return the theorem for Laplace noise on records in [0, 1]."""
    kinds = []
    for record_near, record_far in pairwise(RECORD_DISTANCES):
        for near, far in pairwise(DISTANCES):
            # The part: an exponential and a few sums and products; products with omega and 1 - omega round once more.
            record, other = (0.5 * exp(eps0) * (1.0 + exp(-eps0 * least)) for least in (record_near, near))
            part = shrink(1.0 / (LAPLACE_OMEGA * record + (1.0 - LAPLACE_OMEGA) * other), 32)
            ratio = tanh(0.5 * eps0 * far) / tanh(0.5 * eps0)
            share = enlarge(ratio * ratio / (REST + 2.0 * (1.0 - REST) * near), 32)
            kinds += [
                Pairs(part, share, eps0 * end, enlarge(eps0 * record_far, 4), omega=LAPLACE_OMEGA)
                for end in (near, far)
            ]
    # With a nu above 0 widths of 1,000 clients are 2.97 and 4.45 % in place of 2.91 and 5.17, larger budgets' greater.
    return Bound(n, eps0, tuple(kinds), likely=0.0)
