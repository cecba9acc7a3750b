r"""Shuffling, from above, by one hidden slot with one client fewer: nearly as private as with all others alike.

**Theorem.**  For n >= 3 clients, x = e^eps0, every kappa >= 1, zeta >= 0 and nu in [0, 1], all adaptive eps0-DP
randomizers, one for each *place* whoever sits there, and all data,

.. math:: \delta_n(\kappa + \zeta) \le \delta_{HS(n-1)}(\kappa) + \tau(\kappa, \zeta),

delta at e^epsilon = kappa, HS(n-1) one hidden slot of n - 1 and its worst adversary, tau below.

*Proof.*  Let u, v be the densities of client 1's output under both inputs.

1. An adversary of HS(n-1): the N = n - 1 others sit at known random places, and the record takes that of a uniform K.
   It fills one more random place itself, with an output of an other J guessed uniformly; then it forgets who sat where.
   Its outputs are :math:`N^{-2} \sum_{K,J} Sh(u; \text{others} - K + J)`, and with v likewise.
2. With Theta = u - kappa v the true difference exceeds that one by (1 - 1/N) times the mean over pairs {a, b} of

   .. math:: X_{ab} = Sh(\Theta, T, a, b) - \tfrac12 Sh(\Theta, T, a, a) - \tfrac12 Sh(\Theta, T, b, b),

   T the others without a and b: the terms with J = K are right, and those of (a, b) and (b, a) pair up.
3. For numbers g, f and nu in [0, 1], :math:`g_+ \le (g - f)_+ + ((1 - \nu) f + \nu g)_+`: let g > 0; if f >= g the last
   term is at least g, else the sum is at least g - f + (1 - nu) f + nu g.  So, with g the true difference less zeta
   times the density under v, and f the excess less the same,
   :math:`\delta_n(\kappa + \zeta) \le \delta_{HS} + \max_{ab} \int ((1 - \nu) (1 - 1/N) X_{ab} +
   \nu Sh(\Theta, T, a, b) - \zeta Sh(v, T, a, b))_+`.  Where the true difference is negative, nu of it makes up for an
   excess that is only relevant where there is none.
4. Every density of T is at least (1 - omega)/x times (alpha + beta)/2 and omega/x times the larger of u and v, alpha
   and beta those of a and b.  Split u, v into Q1, Q1' with weights (x, 1)/(x + 1), alpha, beta into Q2, Q2'.  Given
   which places have messages of (alpha + beta)/2, of a or of b, and how many of these are of Q2, the others, client 1
   among them, are a shuffle, and what is integrated is a combination A u + B v of its densities under u and v.  The
   proof of the statement "stronger-clones", with omega/x times the larger of u and v in the place of 1/x times it,
   bounds the positive parts of u - kappa v by those of coins, for kappa in [1/x, x]: each of T's messages is one of Q1
   or Q1' with probability 2 omega/(x + 1).  Its order of the two laws needs only
   1 - kappa x <= 0 <= x (1 - kappa) <= x - kappa where kappa is below 1, and holds for u and v exchanged.  Here a
   positive A leaves u - kappa' v with kappa' >= kappa, which has no positive part from x on; a negative one leaves
   v - u/kappa'' with kappa'' <= kappa, which has none up to 1/x.  So with C1 of these messages, C2 of
   (alpha + beta)/2, k of Q1 and l of Q2, and b the Bin(c, 1/2) masses, the integral is at most the mean over C1, C2 of

   .. math:: \sum_{k,l} (x_1(k) ((1 - \nu) x_2(l) + \nu q_2(l)) - \zeta q_1(k) q_2(l))_+,

   :math:`x_1 = ((x - \kappa) b(k-1) + (1 - x \kappa) b(k))/(x + 1)`, :math:`q_1 = (b(k-1) + x b(k))/(x + 1)` at c = C1,
   :math:`x_2 = (1 - 1/N) ((x-1)/(x+1))^2 (one - two)`, :math:`q_2 = ((x^2 + 1) one + 2 x two)/(x + 1)^2`,
   one = b(l - 1), two = (b(l - 2) + b(l))/2 at c = C2; (C1, C2) multinomial of n - 3 with 2 omega/(x + 1) and
   (1 - omega)/x.  It falls as C1 or C2 grow: a message more is post-processing.

tau, which :mod:`pldcheck.shuffling.pair_excess` bounds, is of third order in 1/sqrt(n).  At nu = 0 zeta is some
x^1.5 z^3 n^-1.5 where epsilon is z/sqrt(n), as x_1 x_2 is large where both are negative; with a nu of some x z^2/n that
is made up for, and zeta is some nu times what two thirds of the messages less would add to epsilon.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, expm1, inf, log, log1p

from ..core.directed import Ends, enlarge, roundoff, shrink
from ..hidden_slot.worst import worst_intervals
from ..hidden_slot.worst.slot_problem import Slot
from ..pld.step_losses import Array
from .pair_excess import LEAST_CHANCE, MOST_KEPT, Pairs, likely_kept, pair_excess
from .three_symbol_pair import stronger_clones

# Least number of clients: with fewer the reduction gains nothing.
FEWEST_CLIENTS = 64
# Largest eps0: with larger budgets the stronger clones are within 0.6 % of the truth.
LARGEST_EPS0 = 4.5
# Shares of delta given to tau.
SHARES = (0.003, 0.03, 0.15, 0.5)
# Share of a target for tau that may be spent on terms that are bounded coarsely.
NEGLIGIBLE_SHARE = 1e-4
# Shares, of the least of the stronger clones' delta and the bounds so far, given to tau at an epsilon.
DELTA_SHARES = (0.001, 0.01, 0.05, 0.2)
# Factors of the likely nu that are tried, the likeliest first; nu = 0 is best where delta is large.
FACTORS = (0.7, 1.0, 1.5, 0.35, 0.0)
# Relative width asked of the hidden slot.
WIDTH = 0.005
# Deviations of the loss at which a curve's zeta is searched.
CURVE_DEVIATIONS = 6.0
# The share of stronger clones' delta that tau may take there.
CURVE_SHARE = 0.01
# zeta is searched to this factor.
ZETA_PRECISION = 1.05
# Factor by which the search steps until zeta is bracketed.
STEP_FACTOR = 8.0
# Below this share of kappa - 1 zeta is not searched.
LEAST_ZETA = 1e-6
# Number of trials of the search.
TRIALS = 60


@dataclass(frozen=True)
class Bound:
    """The theorem for n clients; tau is the largest of several kinds of pairs, of one as in the theorem if None.

    ``kept`` is nu, and ``likely`` a factor of the one that is estimated.
    """

    n: int
    eps0: float
    pairs: tuple[Pairs, ...] | None = None
    kept: float = 0.0
    likely: float = 1.0

    def keeping(self, target: float, factor: float = 1.0) -> Bound:
        """Return the theorem with a nu that suits a target for tau, times a factor."""
        if self.likely == 0.0:
            return self
        likely = self.likely * max(likely_kept(self.n, self.eps0, target, pairs) for pairs in self.kinds)
        return replace(self, kept=min(likely * factor, MOST_KEPT))

    def sparing(self, kappa: float, target: float, most: float) -> tuple[Bound, float]:
        """Return the theorem with the nu, of some, whose zeta for a target of tau is least, and that zeta."""
        best, least = self, inf
        for factor in FACTORS if self.likely > 0.0 else (1.0,):
            bound = self.keeping(target, factor)
            # What is not below the least so far is refused by one or two evaluations of tau.
            zeta = bound.zeta(kappa, target, min(least, most))
            if zeta < least:
                best, least = bound, zeta
            if least <= LEAST_ZETA * (kappa - 1.0):
                break
        return best, least

    @property
    def kinds(self) -> tuple[Pairs, ...]:
        """The kinds of pairs, of which the theorem as it is stated has one."""
        if self.pairs is not None:
            return self.pairs
        # A little less than 1/x and 2/(x + 1): a smaller blanket is a blanket as well.
        part, record_part = shrink(exp(-self.eps0), 8), shrink(2.0 / (exp(self.eps0) + 1.0), 8)
        return (Pairs(part, 1.0 - 1.0 / (self.n - 1.0), self.eps0, record_part=record_part),)

    def epsilon(self, delta: float) -> tuple[float, float, Ends]:
        """Return 0, an epsilon at which shuffling has at most ``delta``, and the ends of delta there."""
        best = self.eps0
        if delta <= LEAST_CHANCE:  # tau is never below this
            return 0.0, best, Ends(0.0, 0.0, 0.0, 0.0)
        for share in SHARES:
            slot = worst_intervals.epsilon(
                Slot(self.n - 1, self.eps0, 1.0), "replace", shrink(delta * (1.0 - share), 4), WIDTH
            ).upper
            if slot >= best:
                continue
            kappa = enlarge(exp(slot), 4)
            target, most = share * delta, expm1(best) - expm1(slot)
            zeta = self.sparing(kappa, target, most)[1]
            trial = enlarge(log1p(expm1(slot) + zeta), 16) + roundoff(16)
            best = min(best, trial)
            # A share more costs about share/z^2 of epsilon, z some 5 or more, and saves at most zeta.
            if zeta < share / 10.0 * (kappa - 1.0):
                break
        return 0.0, best, Ends(0.0, delta if best < self.eps0 else 0.0, 0.0, 0.0)

    def delta(self, epsilon: float) -> Ends:
        """Return 0 and an upper bound of delta(epsilon), as ends."""
        if epsilon >= self.eps0:
            return Ends(0.0, 0.0, 0.0, 0.0)
        clones, best = stronger_clones(self.n, self.eps0).delta(epsilon), 1.0

        def slot_delta(slot: Slot, slot_epsilon: float) -> float:
            return worst_intervals.delta(slot, "replace", slot_epsilon, WIDTH).upper

        for share in DELTA_SHARES if epsilon > 0.0 else ():
            # Far in the tail stronger clones have orders of magnitude more, of which each bound so far has less.
            target = max(share * min(clones.upper, best), LEAST_CHANCE)
            bound, zeta = self.sparing(exp(epsilon), target, 0.5 * expm1(epsilon))
            best = min(best, bound.at(epsilon, zeta, slot_delta))
        return Ends(0.0, best if epsilon > 0.0 else self.at(epsilon, 0.0, slot_delta), 0.0, 0.0)

    def curve(self, epsilons: Array) -> list[float]:
        """Return upper bounds at many epsilons.

        zeta is searched once with nu and once without, and grows like the cube of epsilon; the better bound counts.
        """
        return list(_curve(self, tuple(epsilons.tolist())))

    def at(self, epsilon: float, zeta: float, hidden_slot_delta: Callable[[Slot, float], float]) -> float:
        """Return the bound of the theorem at one zeta; it is 1 where zeta is too large."""
        if epsilon >= self.eps0:
            return 0.0
        room = shrink(expm1(epsilon), 4) - zeta
        if room < 0.0:
            return 1.0
        # kappa is rounded below e^epsilon - zeta, and the hidden slot is evaluated below its logarithm.
        kappa, slot_epsilon = shrink(1.0 + room, 4), shrink(log1p(room), 16) - roundoff(16)
        delta = hidden_slot_delta(Slot(self.n - 1, self.eps0, 1.0), max(slot_epsilon, 0.0))
        return min(delta + self.tau(max(kappa, 1.0), zeta, NEGLIGIBLE_SHARE * delta), 1.0)

    def zeta(self, kappa: float, target: float, most: float) -> float:
        """Return a zeta at which tau is at most ``target``; infinity if there is none up to ``most``."""
        if target == 0.0:  # a share of a delta that underflows; tau is positive
            return inf
        low, high = 0.0, inf
        at_low, at_high = 0.0, -inf
        # Find the order of magnitude of zeta first.
        trial = min((kappa - 1.0) ** 3 * exp(-0.75 * self.eps0), most)
        for _ in range(TRIALS):
            excess = log(max(self.tau(kappa, trial, NEGLIGIBLE_SHARE * target), 1e-300) / target)
            if excess <= 0.0:
                high, at_high = trial, excess
            else:
                low, at_low = trial, excess
            if low == most:
                return inf
            if high <= max(low * ZETA_PRECISION, LEAST_ZETA * (kappa - 1.0)) or at_high > -log(ZETA_PRECISION):
                break
            if high == inf:
                trial = min(trial * STEP_FACTOR, most)
            elif low == 0.0:
                trial /= STEP_FACTOR
            else:
                # log tau is about linear in zeta; aim inside, and at least so far that the bracket shrinks.
                share = at_low / (at_low - at_high)
                trial = low + (high - low) * min(
                    max(share + 0.4 * (ZETA_PRECISION - 1.0) * low / (high - low), 0.02), 0.98
                )
        return high

    def tau(self, kappa: float, zeta: float, negligible: float = 0.0) -> float:
        """Return an upper bound of tau; terms that add no more than ``negligible`` in total are bounded coarsely."""
        return max(pair_excess(self.n, self.eps0, kappa, zeta, negligible, pairs, self.kept) for pairs in self.kinds)


@lru_cache(maxsize=16)
def _curve(bound: Bound, epsilons: tuple[float, ...]) -> tuple[float, ...]:
    clones = stronger_clones(bound.n, bound.eps0)
    far = min(CURVE_DEVIATIONS * clones.deviation, 0.5 * bound.eps0)
    if exp(far) == 1.0:  # kappa is not told from 1; every delta is at most the total variation of one message
        return (enlarge(expm1(bound.eps0), 4),) * len(epsilons)
    target, most = CURVE_SHARE * clones.delta(far).upper, 0.5 * expm1(far)
    without, sparing = bound.zeta(exp(far), target, most), bound.sparing(exp(far), target, most)[1]

    def least(epsilon: float) -> float:
        keeping = bound.keeping(max(CURVE_SHARE * clones.delta(epsilon).upper, LEAST_CHANCE))
        trials = {bound: without} if keeping == bound else {bound: without, keeping: sparing}
        share = (epsilon / far) ** 3
        deltas = [
            one.at(epsilon, share * zeta, worst_intervals.delta_above) for one, zeta in trials.items() if zeta < inf
        ]
        return min(deltas, default=1.0)

    return tuple(map(least, epsilons))
