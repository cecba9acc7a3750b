r"""The occupancy of slots by other clients: each of ``others`` is in one of m slots with probability q each, or none.

With E the number of empty slots, c_i the number in slot i, S the set of occupied slots, K = m - E its size:

* :math:`\pi = P(c_i = 0) = (1 - q)^M`, M = ``others``.
* P(slots 1..a empty) = :math:`(1 - aq)^M \le \pi^a`, hence :math:`E e^{\theta E} = \sum_a \binom ma (e^\theta - 1)^a
  P(1..a \text{ empty}) \le (1 + \pi(e^\theta - 1))^m` for theta >= 0 and Chernoff's bound of the binomial holds for E.
  Given that 1..a are occupied more clients are used up, so slot a + 1 is less likely to be: P(1..a occupied) <=
  :math:`(1 - \pi)^a`, and it holds for the lower tail as well.
* :math:`v(K) = E(1/(c_i + 1) \mid S), i \in S`, depends on K only.  Given S the c_i are zero-truncated Poisson
  variables of any mean parameter mu, and those in no slot Poisson with mean mu (1 - p)/q, p = mq, conditioned on the
  sum being M.  The laws are log-concave, so E(1/(c_1 + 1) | sum) decreases in the sum (Efron 1965): v(K) <=
  E 1/(c_1 + 1) / P(sum <= M).  v increases with K: given the count of one more slot the others share fewer clients.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, expm1, inf, log, log1p, sqrt

import numpy as np

from ...core.directed import UNIT, enlarge, roundoff, shrink
from ...core.interval import UNDERFLOW
from ...core.roots import halve
from ...kernels.binomial_tails import deviance

# Probabilities below this may have lost digits.
LEAST_PROBABILITY = 1e-280
# Number of clients up to which the law of E is computed, client by client.
MOST_OTHERS = 20_000
# Number of slots up to which the law of E is computed.
MOST_SLOTS = 20_000
# Relative error granted to closed forms in double precision: exponents are below 10^3 where they are of use.
SLACK = 1e-11
# Halvings of a bracket of a Poisson mean, which need not be accurate.
HALVINGS = 60
# Deviations by which the mean of the truncated Poisson variables is reduced below the one that matches M.
SHIFTS = (0.7, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 12.0, 30.0)
# Factors of a tilt that are tried.
TILTS = (0.6, 0.8, 1.0, 1.25, 1.6, 2.0)
# The least mu tried.
LEAST_MU = 1e-6


@dataclass(frozen=True)
class Occupancy:
    """The slots that ``others`` clients fill: each is in one uniform slot of ``steps`` with ``check_in_prob``."""

    steps: int
    others: int
    check_in_prob: float

    @property
    def share(self) -> float:
        """The probability q that a client is in a given slot."""
        return self.check_in_prob / self.steps

    @cached_property
    def empty(self) -> float:
        """The probability pi that a slot is empty."""
        return exp(self.log_empty)

    @cached_property
    def log_empty(self) -> float:
        """Log of pi."""
        if self.others == 0:
            return 0.0
        return self.others * log1p(-self.share) if self.share < 1.0 else -inf

    @cached_property
    def _table(self) -> np.ndarray | None:
        """P(K = k), relative error 8 M round-offs; None where there are too many clients or slots."""
        m, q = self.steps, self.share
        if self.others > MOST_OTHERS or m > MOST_SLOTS:
            return None
        size = min(m, self.others) + 1
        chances = np.zeros(size)
        chances[0] = 1.0
        occupied_counts = np.arange(size)
        stays, grows = (1.0 - self.check_in_prob) + occupied_counts * q, (m - occupied_counts[:-1]) * q
        for _ in range(self.others):
            flow = chances[:-1] * grows
            chances *= stays
            chances[1:] += flow
        return chances

    @cached_property
    def _tails(self) -> tuple[np.ndarray, np.ndarray]:
        """The probabilities P(K <= k) and P(K >= k), rounded up."""
        assert self._table is not None
        slack = 1.0 + (8 * self.others + 2 * self.steps) * UNIT
        return np.cumsum(self._table) * slack, np.cumsum(self._table[::-1])[::-1] * slack

    def exactly(self, count: int) -> float | None:
        """Return an upper bound of P(E = count); None where there are too many clients or slots."""
        if self._table is None:
            return None
        occupied_count = self.steps - count
        if not 0 <= occupied_count < self._table.size:
            return 0.0
        return float(enlarge(self._table[occupied_count], 8 * self.others + 8)) + UNDERFLOW

    def at_least(self, count: int) -> float:
        """Return an upper bound of P(E >= count)."""
        if count <= 0:
            return 1.0
        most = self.steps - count  # the largest K with that many empty slots
        if self._table is not None:
            return min(float(self._tails[0][min(most, self._table.size - 1)]) + UNDERFLOW, 1.0) if most >= 0 else 0.0
        if most < 0 or self.empty == 0.0:
            return 0.0
        # P(E >= e) <= E binom(E, e); log pi has 2 roundings and log1p's, with that of the share.
        by_pairs = _log_choose(self.steps, count) + shrink(count * self.log_empty, 16)
        chernoff = -_divergence(self.steps, count, self.log_empty) if count > self.steps * self.empty else 0.0
        return _exp_upper(min(by_pairs, chernoff))

    def at_most(self, count: int) -> float:
        """Return an upper bound of P(E <= count)."""
        if count < 0:
            return 0.0
        least = self.steps - count
        if self._table is not None:
            return min(float(self._tails[1][least]) + UNDERFLOW, 1.0) if least < self._table.size else 0.0
        if count >= self.steps * self.empty:
            return 1.0
        return _exp_upper(-_divergence(self.steps, count, self.log_empty))

    def crowding_probability(self, block: int, count: int) -> float:
        """Return an upper bound of P(some block of ``block`` slots in a row has more than ``count`` empty ones)."""
        if count >= block or self.empty == 0.0:
            return 0.0
        blocks = -(-self.steps // block)
        here = _log_choose(block, count + 1) + shrink((count + 1) * self.log_empty, 16)
        if count + 1 > block * self.empty:
            here = min(here, -_divergence(block, count + 1, self.log_empty))
        return _exp_upper(log(blocks) + here)

    def use_probability(self, occupied_count: int) -> float:
        """Return an upper bound of v(K), K = ``occupied_count``: the chance of an occupied slot to use the record."""
        return min(self._exact_bound(occupied_count), self._poisson_bound(occupied_count), 0.5)

    def _exact_bound(self, occupied_count: int) -> float:
        """Return ((1 - p) + Kq - (n - K) q rho)/(nq), rho = P(S without one of its slots)/P(S), n = M + 1.

        It follows from 1/(c + 1) binom(M, c) = binom(M + 1, c + 1)/(M + 1), in a population with one client more.
        """
        table, n, q = self._table, self.others + 1, self.share
        if table is None or not 1 <= occupied_count < table.size or table[occupied_count] < LEAST_PROBABILITY:
            return inf
        rho = table[occupied_count - 1] / table[occupied_count] * (self.steps - occupied_count + 1) / occupied_count
        plus, minus = (1.0 - self.check_in_prob) + occupied_count * q, (n - occupied_count) * q * rho
        return float(enlarge(plus, 8) - shrink(minus, 16 * self.others + 16)) / (n * q)

    def _poisson_bound(self, occupied_count: int) -> float:
        """Return the bound from truncated Poisson variables, at the best of some values of mu."""
        if not 1 <= occupied_count <= self.others:
            return inf
        mean, outside = self.others / occupied_count, (1.0 - self.check_in_prob) / self.share / occupied_count
        # The mu at which the sum is M on average; it need not be accurate.
        low, _ = halve(lambda mu: _mean_count(mu, outside) < mean, 0.0, mean, times=HALVINGS)
        spread = sqrt(low / (1.0 + outside) / occupied_count)
        return min((self._bound(low - shift * spread, occupied_count, mean, outside) for shift in SHIFTS), default=inf)

    def _bound(self, mu: float, occupied_count: int, mean: float, outside: float) -> float:
        gap = mean - _mean_count(mu, outside) if mu > LEAST_MU else 0.0
        if not gap > 0.0:
            return inf
        base = _log_expm1(mu)
        log_miss = 0.0
        for factor in TILTS:  # log P(sum > M) <= K (log E e^(t c) + outside mu (e^t - 1) - t M/K) for t > 0
            tilt = factor * gap / (mu * (1.0 + outside))
            if tilt < 1.0:
                rise = _log_expm1(mu * exp(tilt)) - base + outside * mu * expm1(tilt) - tilt * mean
                log_miss = min(log_miss, occupied_count * rise)
        doubt = roundoff(64, self.others + occupied_count * (1.0 + mu + abs(base)))
        chance = -expm1(min(log_miss + doubt, 0.0))
        below = -expm1(-mu)
        value = (below / mu - exp(-mu)) / below if mu > 1e-3 else 0.5 - mu / 12.0 + mu * mu / 24.0
        return value * (1.0 + SLACK) / chance if chance > 0.0 else inf


def mean_weight(clients: int, steps: int, check_in_prob: float) -> float:
    r"""Return :math:`\bar w = p_0 E \frac1{c+1} = p_0 \frac{1 - (1-q)^n}{nq}`, rounded down.

    Here c ~ Bin(n - 1, q) and q = p_0/m.
    """
    share = check_in_prob / steps
    some = -expm1(clients * log1p(-share)) if share < 1.0 else 1.0
    return shrink(min(steps * some / clients, check_in_prob), 16) if clients > 1 else check_in_prob


def _log_expm1(x: float) -> float:
    return x + log1p(-exp(-x)) if x > 1.0 else log(expm1(x))


def _log_choose(n: int, k: int) -> float:
    """Return the log of the binomial coefficient, or an upper bound of it."""
    if k > 50:
        return enlarge(k * (1.0 + log(n / k)), 16)  # binom(n, k) <= (en/k)^k
    # Each log has at most two units of its argument's and its own, and is added with one of the sum: k in all.
    return enlarge(sum(log((n - i) / (k - i)) for i in range(k)), k + 8) + 4 * k * UNIT


def _divergence(trials: int, count: int, log_empty: float) -> float:
    """Return trials times the relative entropy of count/trials to p, less its round-off; log p is a parameter."""
    p, rest = exp(log_empty), -expm1(log_empty)
    away, doubt = deviance(float(count), trials * p, 32.0 - 8.0 * log_empty) if count > 0 else (trials * p, 0.0)
    if count == trials:
        other, more = trials * rest, 0.0
    elif rest > 0.0:
        other, more = deviance(float(trials - count), trials * rest, 32.0)
    else:
        return inf
    return max((away + other) * (1.0 - SLACK) - doubt - more, 0.0)


def _exp_upper(log_bound: float) -> float:
    """Return the exponential, at most 1, rounded up.

    The exponent includes the round-off of its terms; the charge for its last sum, two units, and for exp is far more
    than these need.
    """
    return exp(min(log_bound + 1e-12 * abs(log_bound), 0.0)) * (1.0 + SLACK) + UNDERFLOW


def _mean_count(mu: float, outside: float) -> float:
    """Return the expected number of clients per occupied slot, with those in no slot."""
    return mu * outside + (mu / -expm1(-mu) if mu > 0.0 else 1.0)
