r"""The excess tau of a shuffle over one hidden slot of one client fewer, by the law of weights, for unbounded noise.

:mod:`pldcheck.shuffling.one_client_fewer` has the theorem; here step 4 is done with the privacy blanket W, the least of
all densities of a message, in the place of two-valued messages, so that no budget enters.

**Step 4 with a blanket.**  Let gamma be the mass of W, w = W/gamma, and 0 < omega < 1.  Each message of T is of the
first kind with probability omega gamma, of the second with (1 - omega) gamma, and then has the density w.  Reveal the
kinds, with client 1 among the C1 of the first and the clients a and b among the C2 of the second, m = C2 + 2 of them.
With s = 1 - 1/N, N = n - 1, and h = (alpha - beta)/w, relative to w for all,

.. math:: x_1 = \frac1{C_1 + 1} \sum_i \frac{u - \kappa v}w(y_i), \quad q_2 = \frac1{m (m-1)} \sum_{j \ne k}
          \frac\alpha w(y_j) \frac\beta w(y_k), \quad x_2 = -\frac s{2 m (m-1)} \sum_{j \ne k} h(y_j) h(y_k),

and q_1 is the mean of v/w.  For beta > nu, :math:`e = ((1 - \nu) x_2 - (\beta - \nu) q_2)_+` and
:math:`d = (-(1 - \nu) x_2 - \nu q_2)_+`, the positive part of :math:`x_1 ((1 - \nu) x_2 + \nu q_2) - \zeta q_1 q_2` is
at most :math:`\beta q_2 (x_1 - q_1 \zeta/\beta)_+ + e (x_1)_+` where x_1 >= 0, and :math:`d |x_1|` where x_1 < 0.
Both kinds are independent given C1 and C2, and q_2 has mean 1.  With D(kappa) the curve, at log kappa, of n - 2
messages under the blanket omega W, which is the mean of E(x_1)_+ over C1, and E(x_1)_- = E(x_1)_+ + kappa - 1,

.. math:: \tau \le \beta D(\kappa + \zeta/\beta) + D(\kappa) E e + (D(\kappa) + \kappa - 1) E d
          + (1 + \kappa) P(C_2 < c),

with C2 = c in e and d: the integral falls as C2 grows, and is at most 1 + kappa.

**e and d.**  Let h' be h cut off at -H and H, and eta the mean of (|h| - H)_+.  The double sum with h differs from that
with h' by at most 4 eta + eta^2 on average, since E |h| <= 2, and the sum over j != k of h'(y_j) h'(y_k) is at most
S^2, S = sum h'(y_j), and at least -Q, Q = sum h'(y_j)^2.  By Hoeffding's averaging of q_2 over m/2 independent pairs,

.. math:: E (\theta - q_2)_+ \le \theta e^{-\lfloor m/2 \rfloor (1 - \theta)^2/(2 M)}, \quad M = \max_\alpha
          \Big(E \frac{\alpha^2}{w^2}\Big)^2 .

So with A = s (1 - nu)/(2 m (m - 1)), E d is at most 2 eta + eta^2/2 + nu E(theta - q_2)_+ + E(A S^2 - nu theta)_+,
and E e likewise with beta - nu and Q.  Those are bounded by exponentials: for every lambda and mu > 0

.. math:: (A S^2 - B)_+ \le \frac{2 A s_*}\lambda e^{-\lambda s_*} (e^{\lambda S} + e^{-\lambda S}), \quad
          s_* = \frac{1 + \sqrt{1 + \lambda^2 B/A}}\lambda, \quad (A Q - B)_+ \le \frac A\mu e^{\mu (Q - B/A) - 1} .

**Moments.**  e^(lambda h') is at most max(e^(lambda h), e^(-lambda H)) up to H, continued by its tangent; e^(mu h'^2)
and (|h| - H)_+ likewise are convex in h.  Under the blanket of noise on [0, 1] the gains h of records 0 and 1 dominate
all others in convex order, and so do those of alpha alone (:mod:`pldcheck.shuffling.noise_cells`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, log, log1p, sqrt

import numpy as np
from scipy.special import ndtr

from ..core.directed import UNIT, Ends, Side, enlarge, shrink
from ..core.roots import cross
from ..pld.gain_stoploss import excess
from ..pld.step_losses import Array
from .message_gains import Messages
from .noise_cells import gaussian
from .saddle_start import estimate_epsilon

# The share omega of the blanket that is given to the record's densities.
OMEGA = 0.4
# The mass beyond the cells of moments: nothing, even times e^MOST_EXPONENT.
BEYOND = 1e-150
# A number of clients for which cells are narrow.
MANY = 1000
# Cells of less mass do not count where the error of the sum of all is estimated.
NOTHING = 1e-30
# The largest lambda H and mu H^2: greater exponents are not tried.
MOST_EXPONENT = 150.0
# Shares of a target for tau: of the counts of the second kind,
COUNT_SHARE = 0.05
# of q_2 below theta and of what is cut off, each in e and in d,
REST_SHARE = 0.02
# of the sum of all in d,
NEGATIVE_SHARE = 0.15
# of the sum in e,
POSITIVE_SHARE = 0.05
# and of the record's messages.  Together they are below 1 by more than all rounding.
RECORD_SHARE = 0.55
# The least theta that is of use.
LEAST_THETA = 0.05
# Exponents that are tried go from here,
LOWEST_EXPONENT = -14.0
# in logs of lambda times the largest |S|, and of mu times its square, in steps of this.
EXPONENT_STEP = 0.2
# nu and beta are found to this factor.
PRECISION = 1.02
# The largest nu, and the largest beta less nu.
MOST = 0.9
# Clients of the second kind beyond which more are not used.
MOST_MESSAGES = 4 * 10**7
# Relative error of logarithms of moments, besides that of the masses.
LOG_UNITS = 64.0


@dataclass(frozen=True, eq=False)
class BlanketGains:
    """The law of h = (R_0 - R_1)/w for y from w, spread within cells: values with errors, and masses.

    ``part``: the mass gamma of the blanket, rounded down.  ``second``: an upper bound of E (R_o/w)^2.  ``outside``:
    the mass of R_0 and R_1, and of w, beyond the cells.
    """

    values: Array
    doubts: Array
    masses: Array
    part: float
    second: float
    outside: float

    def mean(self, function: Callable[[Array], Array], at_cut: float, slope: float) -> float:
        """Return an upper bound of the mean of a convex function of h, beyond the cut at_cut + slope (|h| - H)."""
        least, most = function(self.values - self.doubts), function(self.values + self.doubts)
        return enlarge(float(self.masses @ np.maximum(least, most)), self.masses.size) + self.outside * (at_cut + slope)


def gaussian_gains(sigma: float) -> BlanketGains:
    """Return the law for Gaussian noise; E (R_0/w)^2 is gamma times the integral of R_0^2/W, in closed form."""
    cells = gaussian(sigma, MANY, BEYOND).above
    assert cells.spread is not None
    low, high = (cells.spread.gains(ends, 0.0) for ends in (cells.spread.low, cells.spread.high))
    units = np.broadcast_to(np.asarray(cells.units, dtype=np.float64), cells.w.shape) + 4.0
    total = float(np.sum(cells.w))
    error = float(np.max(units[cells.w > NOTHING])) + cells.w.size
    masses = np.concatenate([(1.0 - cells.spread.share) * cells.w, cells.spread.share * cells.w]) / total
    masses = masses * (1.0 + (np.concatenate([units, units]) + error) * UNIT)
    values = np.concatenate([low.value, high.value]) * total
    doubts = np.concatenate([low.error, high.error]) * total + np.abs(values) * (2.0 * error * UNIT)
    second = exp(1.0 / sigma**2) * float(ndtr(1.5 / sigma)) + float(ndtr(-0.5 / sigma))
    return BlanketGains(
        values, doubts, masses, shrink(total, error), enlarge(second * total, error + 64.0), cells.outside
    )


@dataclass(frozen=True, eq=False)
class BlanketExcess:
    """The bound of tau for n clients; ``messages`` returns those of the pair that dominates, for some size of delta."""

    n: int
    gains: BlanketGains
    messages: Callable[[float], Messages]

    def zeta(self, kappa: float, target: float) -> float:
        """Return a zeta at which tau is at most a target; infinity if none is seen."""
        count = self._count(COUNT_SHARE * target / (1.0 + kappa))
        if count < 0:
            return inf
        m = count + 2
        thin = Thinned(self.messages(target), self.n - 2, OMEGA)
        at_kappa = min(thin.delta(shrink(log(kappa), 8)).upper, 1.0)
        negative = enlarge(at_kappa + kappa - 1.0, 4)
        # e and d are charged with rests of their own, each of them times its factor.
        rest = REST_SHARE * target / negative
        pairs = m // 2
        theta = 1.0 - sqrt(max(2.0 * enlarge(self.gains.second**2, 4) * log(1.0 / rest), 0.0) / pairs) - 1e-9
        if theta < LEAST_THETA:
            return inf
        table = _Exponents(self.gains, m, rest)
        if table.cut == inf:
            return inf
        nu = _least(lambda nu: table.squares(nu, theta, 1.0 - nu) <= NEGATIVE_SHARE * target / negative)
        if nu > MOST:
            return inf
        more = _least(lambda more: table.sums(more, theta, 1.0 - nu) <= POSITIVE_SHARE * target / at_kappa)
        if more > MOST:
            return inf
        beta = nu + more
        far = thin.epsilon(RECORD_SHARE * target / beta)
        return max(enlarge(beta * (enlarge(exp(far), 8) - kappa), 8), 0.0) if far < inf else inf

    def _count(self, chance: float) -> int:
        """Return a number such that fewer messages of the second kind have at most this probability; -1 if none."""
        others, p = self.n - 3, shrink((1.0 - OMEGA) * self.gains.part, 4)
        low, high = -1, min(int(others * p), MOST_MESSAGES)
        goal = log(chance) - 1e-6
        while high - low > 1:
            middle = (low + high) // 2
            # Chernoff's bound of P(C2 <= middle), at least that of P(C2 < middle).
            x = middle / others
            exponent = (x * log(x / p) if x > 0.0 else 0.0) + (1.0 - x) * log((1.0 - x) / (1.0 - p))
            low, high = (middle, high) if -others * exponent * (1.0 - 1e-9) <= goal else (low, middle)
        return low


class _Exponents:
    """Moments of exponentials of h' and h'^2, for sums of m, where what is cut off adds at most ``rest``."""

    def __init__(self, gains: BlanketGains, m: int, rest: float) -> None:
        self._scale, self._m = 0.5 / (m * (m - 1.0)), m
        self.cut = self._cut(gains, rest)
        self._linear: list[tuple[float, float]] = []
        self._square: list[tuple[float, float]] = []
        if self.cut == inf:
            return
        for exponent in np.arange(LOWEST_EXPONENT, log(MOST_EXPONENT), EXPONENT_STEP).tolist():
            rate = exp(exponent) / self.cut
            self._linear.append((rate, m * self._log_linear(gains, rate)))
            rate /= self.cut
            self._square.append((rate, m * self._log_square(gains, rate)))

    @staticmethod
    def _cut(gains: BlanketGains, rest: float) -> float:
        """Return H, at which (4 eta + eta^2)/2, eta the mean of (|h| - H)_+, is at most ``rest``."""
        largest = float(np.max(np.abs(gains.values)))
        for cut in np.exp(np.arange(log(1e-3), log(largest) + 0.1, 0.1)).tolist():
            eta = gains.mean(lambda h, cut=cut: np.maximum(np.abs(h) - cut, 0.0), 0.0, 1.0)  # type: ignore[misc]
            if 0.5 * (4.0 * eta + eta * eta) * (1.0 + 1e-12) <= rest:
                return float(cut)
        return inf

    def _log_linear(self, gains: BlanketGains, rate: float) -> float:
        """Return the log of the mean of max(e^(rate h), e^(-rate H)), with the tangent beyond H."""
        top = exp(rate * self.cut)

        def function(h: Array) -> Array:
            inner = np.exp(rate * np.clip(h, -self.cut, self.cut))
            return np.asarray(inner + top * rate * np.maximum(h - self.cut, 0.0))

        return _log_above(gains.mean(function, top, top * rate))

    def _log_square(self, gains: BlanketGains, rate: float) -> float:
        top, steep = exp(rate * self.cut**2), 2.0 * rate * self.cut

        def function(h: Array) -> Array:
            beyond = np.maximum(np.abs(h) - self.cut, 0.0)
            inner = np.exp(rate * np.minimum(np.abs(h), self.cut) ** 2)
            return np.asarray(inner + top * steep * beyond)

        return _log_above(gains.mean(function, top, top * steep))

    def squares(self, nu: float, theta: float, rest: float) -> float:
        """Return an upper bound of E (A S^2 - nu theta)_+."""
        a, best = self._scale * rest, inf
        for rate, moment in self._linear:
            peak = (1.0 + sqrt(1.0 + rate * rate * nu * theta / a)) / rate
            best = min(best, log(2.0 * a * peak / rate) - rate * peak + log(2.0) + moment)
        return exp(min(best + 1e-9, 700.0))

    def sums(self, more: float, theta: float, rest: float) -> float:
        """Return an upper bound of E (A Q - more theta)_+."""
        a, best = self._scale * rest, inf
        for rate, moment in self._square:
            best = min(best, log(a / rate) - 1.0 + moment - rate * more * theta / a)
        return exp(min(best + 1e-9, 700.0))


@dataclass(frozen=True, eq=False)
class Thinned:
    """The curve of n messages of which each is from the blanket with ``omega`` of its probability."""

    messages: Messages
    n: int
    omega: float

    def delta(self, epsilon: float) -> Ends:
        """Return the ends of delta(epsilon), the upper one with what is outside the cells."""
        values, masses, doubt = self.messages.dispersed_gains(max(epsilon, 0.0))
        values, doubt = values / self.omega, doubt / self.omega + np.abs(values / self.omega) * (2.0 * UNIT)
        law = np.append(values, 0.0), np.append(masses * self.omega, 1.0 - self.omega), np.append(doubt, 0.0)
        ends = excess([(law[0], law[1], self.n, law[2])], self.messages.mass_error + 4.0 * UNIT, WIDTH)
        upper = enlarge(ends.times(1.0 / self.n, 4).upper + self.messages.outside, 2)
        return Ends(0.0, min(upper, 1.0), 0.0, 0.0)

    def epsilon(self, target: float) -> float:
        """Return an epsilon at which delta is at most a target; infinity if none is seen."""
        if target >= 1.0:
            return 0.0
        if self.messages.outside >= target:
            return inf
        one = self.messages
        w = one.w * self.omega
        p, q, w = np.append(one.p, 0.0), np.append(one.q, 0.0), np.append(w, 1.0 - float(w.sum()))
        start, slope = estimate_epsilon(p, q, w, self.n, inf, target)
        found = cross(
            lambda e: self.delta(e).upper, target, start, slope, LARGEST, side=Side.UPPER, trials=12, close=CLOSE
        )
        return found if found < LARGEST else inf


# Relative width asked of sums of the thinned blanket.
WIDTH = 1e-3
# The largest epsilon of the thinned blanket.
LARGEST = 300.0
# Its search ends where the value is as near to the target.
CLOSE = 0.1


def _log_above(mean: float) -> float:
    """Return the log of a mean of at least about 1, rounded up."""
    return log1p(mean - 1.0) + LOG_UNITS * UNIT if mean < inf else inf


def _least(holds: Callable[[float], bool]) -> float:
    """Return about the least number up to MOST at which a condition holds, which it does from some one on."""
    if not holds(MOST):
        return inf
    low, high = 1e-15, MOST
    while high > low * PRECISION:
        middle = sqrt(low * high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
