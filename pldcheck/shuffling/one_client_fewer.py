r"""Shuffling, from above, by one hidden slot with one client fewer: nearly as private as with all others alike.

**Theorem.**  For n >= 3 clients, x = e^eps0, every kappa >= 1 and zeta >= 0, all adaptive eps0-DP randomizers, one for
each *place* whoever sits there, and all data,

.. math:: \delta_n(\kappa + \zeta) \le \delta_{HS(n-1)}(\kappa) + \tau(\kappa, \zeta),

delta at e^epsilon = kappa, HS(n-1) one hidden slot of n - 1 and its worst adversary, tau below.

*Proof.*  Let u, v be the densities of client 1's output under both inputs.

1. An adversary of HS(n-1): the N = n - 1 others sit at known random places, and the record takes that of a uniform K.
   It fills one more random place itself, with an output of an other J guessed uniformly; then it forgets who sat where.
   Its outputs are :math:`N^{-2} \sum_{K,J} Sh(u; \text{others} - K + J)`, and with v likewise.
2. With Theta = u - kappa v the true difference exceeds that one by (1 - 1/N) times the mean over pairs {a, b} of

   .. math:: X_{ab} = Sh(\Theta, T, a, b) - \tfrac12 Sh(\Theta, T, a, a) - \tfrac12 Sh(\Theta, T, b, b),

   T the others without a and b: the terms with J = K are right, and those of (a, b) and (b, a) pair up.
3. So :math:`\delta_n(\kappa + \zeta) \le \delta_{HS} + \max_{ab} \int ((1 - 1/N) X_{ab} - \zeta Sh(v, T, a, b))_+`.
4. Every density of T is at least 1/x times omega (u + v)/2 + (1 - omega) (alpha + beta)/2, alpha, beta those of a, b.
   Split u, v into Q1, Q1' with weights (x, 1)/(x + 1), alpha, beta into Q2, Q2'.  Given how many messages of T are of
   the first kind (C1) and of the second (C2), all places are exchangeable, and only the numbers k of Q1 and l of Q2
   matter: with b the Bin(c, 1/2) masses the integral is at most the mean over C1, C2 of

   .. math:: \sum_{k,l} (x_1(k) x_2(l) - \zeta q_1(k) q_2(l))_+,

   :math:`x_1 = ((x - \kappa) b(k-1) + (1 - x \kappa) b(k))/(x + 1)`, :math:`q_1 = (b(k-1) + x b(k))/(x + 1)` at c = C1,
   :math:`x_2 = (1 - 1/N) ((x-1)/(x+1))^2 (one - two)`, :math:`q_2 = ((x^2 + 1) one + 2 x two)/(x + 1)^2`,
   one = b(l - 1), two = (b(l - 2) + b(l))/2 at c = C2; (C1, C2) multinomial of n - 3 with omega/x, (1 - omega)/x.
   It falls as C1 or C2 grow: a message more is post-processing.

tau is of third order in 1/sqrt(n): zeta is some x^1.5 z^3 n^-1.5 where epsilon is z/sqrt(n).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp, expm1, inf, log, log1p, sqrt

import numpy as np

from ..core.directed import UNIT, Ends, enlarge, roundoff, shrink
from ..hidden_slot.worst import worst_intervals
from ..hidden_slot.worst.slot_problem import Slot
from ..kernels.binomial_tails import log_pmf_range, upper_tail
from ..kernels.one_client_fewer_sum import positive_parts
from ..pld.step_losses import Array
from .three_symbol_pair import stronger_clones

# Least number of clients: with fewer the reduction gains nothing.
FEWEST_CLIENTS = 64
# Largest eps0: with larger budgets the stronger clones are within 0.6 % of the truth.
LARGEST_EPS0 = 4.5
# Share of the blanket given to the record's densities.
OMEGA = 0.25
# Shares of delta given to tau.
SHARES = (0.003, 0.03, 0.15, 0.5)
# Messages of one kind beyond which no more are counted.
MOST_MESSAGES = 4 * 10**7
# Deviations of the messages that are summed at most.
REACH = 32.0
# Share of a target for tau that may be spent on terms that are bounded coarsely.
NEGLIGIBLE_SHARE = 1e-4
# Edges of the cells of C1 and of C2, in deviations from their means.
EDGES = (-25.0, -16.0, -10.0, -7.0, -5.0, -3.5, -2.25, -1.25, -0.5, 0.25, 1.5, 3.5, 7.0, 13.0, 25.0)
# Edges of the cells where there are more than MANY_MESSAGES messages of a kind.
FEW_EDGES = (-25.0, 0.0, 25.0)
# Messages of a kind beyond which a few deviations make no difference.
MANY_MESSAGES = 2e4
# Relative width asked of the hidden slot.
WIDTH = 0.005
# Deviations of the loss at which a curve's zeta is searched.
CURVE_DEVIATIONS = 6.0
# zeta is searched to this factor.
ZETA_PRECISION = 1.05
# Factor by which the search steps until zeta is bracketed.
STEP_FACTOR = 8.0
# Below this share of kappa - 1 zeta is not searched.
LEAST_ZETA = 1e-6
# Number of trials of the search.
TRIALS = 60
# Cells of less chance count in full; underflow is far below.
LEAST_CHANCE = 1e-260


@dataclass(frozen=True)
class Pairs:
    """Numbers of the steps 3 and 4 that hold for some pairs of the others.

    ``part`` takes the place of 1/x in step 4, rounded down, and ``share`` that of 1 - 1/N in x_2, rounded up.
    ``contrast`` takes the place of eps0 in q_2, and ``record_contrast``, if it is given, in x_1 and q_1.
    """

    part: float
    share: float
    contrast: float
    record_contrast: float | None = None


@dataclass(frozen=True)
class Bound:
    """The theorem for n clients; tau is the largest of several kinds of pairs, of one as in the theorem if None."""

    n: int
    eps0: float
    pairs: tuple[Pairs, ...] | None = None

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
            zeta = self.zeta(kappa, share * delta, expm1(best) - expm1(slot))
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
        clones = stronger_clones(self.n, self.eps0).delta(epsilon)
        zeta = self.zeta(exp(epsilon), 0.01 * clones.upper, 0.5 * expm1(epsilon)) if epsilon > 0.0 else 0.0
        return Ends(
            0.0,
            self.at(
                epsilon,
                zeta,
                lambda slot, slot_epsilon: worst_intervals.delta(slot, "replace", slot_epsilon, WIDTH).upper,
            ),
            0.0,
            0.0,
        )

    def curve(self, epsilons: Array) -> list[float]:
        """Return upper bounds at many epsilons: zeta is searched once, and grows like the cube of epsilon."""
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
        # A little less than 1/x: a smaller blanket is a blanket as well.
        as_stated = Pairs(shrink(exp(-self.eps0), 8), 1.0 - 1.0 / (self.n - 1.0), self.eps0)
        return max(self._tau(kappa, zeta, negligible, pairs) for pairs in self.pairs or (as_stated,))

    def _tau(self, kappa: float, zeta: float, negligible: float, pairs: Pairs) -> float:
        x, total = exp(self.eps0), 0.0
        others = self.n - 3
        first, second = OMEGA * pairs.part, (1.0 - OMEGA) * pairs.part
        # Half of it is for the cells, half for the mass beyond the places that are summed.
        negligible_chance = max(0.5 * negligible / (x * (len(EDGES) + 1.0) ** 2), LEAST_CHANCE)
        reach = REACH
        if negligible > 0.0:  # in logs: 1/negligible may overflow
            reach = min(float(ceil(sqrt(2.0 * max(log(160.0) + 2.0 * self.eps0 - log(negligible), 1.0)))), REACH)
        sums: dict[tuple[int, int], float] = {}
        for low, high, chance in _cells(others, first):
            if chance <= negligible_chance:  # the sum is at most x
                total += chance * x
                continue
            # There are at most high - 1 messages of the first kind, so that the second kind is not rarer than this.
            for least, _, conditional_chance in _cells(max(others - (high - 1), 0), shrink(second / (1.0 - first), 8)):
                if chance * conditional_chance <= negligible_chance:
                    total += chance * conditional_chance * x
                    continue
                counts = min(low, MOST_MESSAGES), min(least, MOST_MESSAGES)
                if counts not in sums:
                    sums[counts] = self._sum(*counts, kappa, zeta, reach, pairs)
                total += chance * conditional_chance * sums[counts]
        # At most (len(EDGES) + 1)^2 < 300 terms of three products each, added one after another.
        return enlarge(total, 512) + LEAST_CHANCE

    def _sum(
        self, c1: int, c2: int, kappa: float, zeta: float, reach: float = REACH, pairs: Pairs | None = None
    ) -> float:
        """Return an upper bound of the double sum at C1 = c1, C2 = c2."""
        x = exp(self.eps0)
        record = pairs.record_contrast if pairs else None
        masses, ratios, error = _first_kind(c1, x if record is None else exp(record), reach)
        share, contrast = (pairs.share, pairs.contrast) if pairs else (1.0 - 1.0 / (self.n - 1.0), self.eps0)
        second = _second_kind(c2, self.eps0, share, reach, contrast)
        total = positive_parts(
            masses, ratios, kappa, roundoff(8, x + kappa), zeta,
            second.rho, second.x_in, second.q_in, second.x_out, second.q_out, second.error,
        )  # fmt: skip
        return total * (1.0 + error) + 4.0 * x * x * _tail_bound(reach)


@lru_cache(maxsize=16)
def _curve(bound: Bound, epsilons: tuple[float, ...]) -> tuple[float, ...]:
    clones = stronger_clones(bound.n, bound.eps0)
    far = min(CURVE_DEVIATIONS * clones.deviation, 0.5 * bound.eps0)
    zeta = bound.zeta(exp(far), 0.01 * clones.delta(far).upper, 0.5 * expm1(far))
    if zeta == inf:
        return tuple(1.0 for _ in epsilons)
    return tuple(bound.at(epsilon, zeta * (epsilon / far) ** 3, worst_intervals.delta_above) for epsilon in epsilons)


@dataclass(frozen=True, eq=False)
class _Second:
    """The ratio rho_2 = x_2/q_2 by distance from the centre, and sums of x_2 and q_2 up to a place and from it on."""

    rho: Array
    x_in: Array
    q_in: Array
    x_out: Array
    q_out: Array
    error: float


def _tail_bound(reach: float) -> float:
    """Return ten times Hoeffding's bound 2 e^(-reach^2/2) on the mass beyond ``reach`` deviations on both sides."""
    return 20.0 * exp(-0.5 * reach * reach)


def _halves(c: int, reach: float) -> tuple[int, Array, float]:
    """Return the masses of Bin(c, 1/2) around its mean: the first place, the masses, and their relative error."""
    radius = 0.5 * reach * sqrt(c) + 2.0
    first, last = max(int(0.5 * c - radius), 0), min(int(0.5 * c + radius) + 1, c)
    logs, error = log_pmf_range(c, first, last - first + 1, 0.5, 0.5)
    # e^(L + d) is e^L (1 + expm1(d)); 8 round-offs for the exponential itself.
    return first, np.exp(logs), expm1(error) + roundoff(8)


@lru_cache(maxsize=64)
def _first_kind(c: int, x: float, reach: float) -> tuple[Array, Array, float]:
    """Return q_1 at every k, rho_1 + kappa, and the relative error of the first.

    rho_1 = x_1/q_1 = (x r + 1)/(r + x) - kappa with r = b(k-1)/b(k) = k/(c + 1 - k).
    """
    first, b, error = _halves(c, reach)
    before, here = np.append(0.0, b), np.append(b, 0.0)
    if first > 0:  # the law goes on before the first and after the last place
        before, here = b[:-1], b[1:]
    k = np.arange(first, first + b.size + 1, dtype=np.float64) if first == 0 else np.arange(first + 1.0, first + b.size)
    ratios = (x * k + (c + 1.0 - k)) / (k + x * (c + 1.0 - k))
    return (before + x * here) / (x + 1.0), ratios, error + b.size * UNIT


@lru_cache(maxsize=256)
def _second_kind(c: int, eps0: float, share: float, reach: float, contrast: float) -> _Second:
    """Return the data of the second kind by t = |2 l - c - 2|, from the centre outwards; the two sides are equal.

    x_2 is formed with e^eps0, and q_2 with e^contrast.
    """
    x, x_1, y = exp(eps0), expm1(eps0), exp(contrast)
    first, b, error = _halves(c, reach)
    places = np.arange(first, first + b.size)
    # one(l) = b(l - 1): t = |2 (l - 1) - c|; and the place beyond the last, where only two is not zero.
    t = np.abs(2.0 * places - c)
    order = np.argsort(t, kind="stable")
    t, one = t[order], b[order]
    # two/one - 1 = 2 (t^2 - c - 2)/((c + 2)^2 - t^2)
    excess = 2.0 * (t * t - c - 2.0) / ((c + 2.0) ** 2 - t * t)
    q = one * ((y + 1.0) ** 2 + 2.0 * y * excess)
    x_2 = -one * excess * share * x_1 * x_1
    if first == 0:  # the whole law is tabulated, and l = 0 and l = c + 2 belong to it
        half = 0.5 * b[0]
        q, x_2 = np.append(q, [2.0 * y * half] * 2), np.append(x_2, [-half * share * x_1 * x_1] * 2)
    q, x_2 = q / (y + 1.0) ** 2, x_2 / (x + 1.0) ** 2
    zero = np.zeros(1)
    return _Second(
        rho=x_2 / q,
        x_in=np.append(zero, np.cumsum(x_2)),
        q_in=np.append(zero, np.cumsum(q)),
        x_out=np.append(np.cumsum(x_2[::-1])[::-1], zero),
        q_out=np.append(np.cumsum(q[::-1])[::-1], zero),
        error=4.0 * (error + (b.size + 16.0) * UNIT),
    )


@lru_cache(maxsize=64)
def _cells(n: int, p: float) -> list[tuple[int, int, float]]:
    """Return cells [low, high) of Bin(n, p) that cover all of it, with upper bounds of their probabilities."""
    mean, deviation = n * p, sqrt(n * p * (1.0 - p))
    places = (mean + z * deviation for z in (EDGES if mean < MANY_MESSAGES else FEW_EDGES))
    edges = sorted({min(max(int(place), 0), n + 1) for place in places} | {0, n + 1})
    # P(X >= edge) above the mean and P(X < edge) below it, each with its relative error.
    below, above = [], []
    for edge in edges:
        if edge <= mean:
            tail, _, error, remainder = _lower(n, p, edge)
            below.append((tail * (1.0 - error), enlarge(tail * (1.0 + error) + remainder, 4)))
            above.append((1.0 - below[-1][1], 1.0 - below[-1][0]))
        else:
            tail, _, error, remainder = (
                upper_tail(n, p, 1.0 - p, p / (1.0 - p), float(edge)) if edge <= n else (0, 0, 0, 0)
            )
            above.append((tail * (1.0 - error), enlarge(tail * (1.0 + error) + remainder, 4)))
            below.append((1.0 - above[-1][1], 1.0 - above[-1][0]))
    cells = []
    for i, (low, high) in enumerate(zip(edges, edges[1:], strict=False)):
        # The difference of the nearer tails.
        chance = min(below[i + 1][1] - below[i][0], above[i][1] - above[i + 1][0]) + roundoff(4)
        cells.append((low, high, min(chance, below[i + 1][1], above[i][1])))
    return cells


def _lower(n: int, p: float, edge: int) -> tuple[float, float, float, float]:
    """Return P(X < edge), computed as an upper tail of the number of failures."""
    if edge <= 0:
        return 0.0, 0.0, 0.0, 0.0
    return upper_tail(n, 1.0 - p, p, (1.0 - p) / p, float(n - edge + 1))
