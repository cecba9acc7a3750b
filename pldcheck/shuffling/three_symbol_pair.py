r"""Shuffled pairs with three symbols: a message from P or Q among n - 1 messages from W, in random order.

For W > 0 on the support of P and Q, and h ~ Multinomial(n, W),

.. math:: D_{e^\epsilon}(Sh(P, W^{n-1}) \| Sh(Q, W^{n-1}))
          = \frac1n E\Big(\sum_j h_j g_j\Big)_+, \quad g_j = (P_j - e^\epsilon Q_j)/W_j,

since P/W averaged over the messages is the density with respect to W^n.  With the symbols *up*, *down* and *rest*,
c = the messages that are not rest, and a of these up, the sum is positive for a >= tau, linear in c: two nested
binomials, O(sqrt(n)) work at any n (:mod:`pldcheck.kernels.thinned_binomial`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, exp, expm1, log, pi, sinh, sqrt, tanh

import numpy as np

from ..core.directed import UNIT, Ends, Side, roundoff
from ..core.interval import UNDERFLOW
from ..core.roots import cross, halve
from ..kernels.thinned_binomial import thinned_tails
from .saddle_start import estimate_epsilon

# Share of delta that the window of c may miss.
WINDOW_SHARE = 1e-14
# Relative errors of the coefficients, each a few operations on e^eps0 and e^epsilon.
COEFFICIENT_ERROR = 64 * UNIT
# Numbers below this may have lost more to underflow than to round-off.
TINIEST = 1e-270
# Halvings of a bracket of a count: all the digits of a double.
HALVINGS = 80
# Below this largest loss of one message its gains P/W - 1 cancel, and the search starts from a normal law.
NORMAL = 1e-6
# For a delta below TINIEST the lower end of epsilon is this much, relatively, below the estimate.
LOWER_MARGIN = 3e-3


@dataclass(frozen=True)
class Tail:
    """The masses under P and Q of the outcomes with a loss of at least some epsilon, and the relative error of both."""

    p: float
    q: float
    error: float


@dataclass(frozen=True)
class Pair:
    """One direction of a shuffled pair with three symbols.

    ``some`` = W(up) + W(down), ``none`` = W(rest), ``up`` and ``down`` their shares of ``some``.  ``ups``, ``downs``
    and ``rests`` are the ratios P/W and Q/W of the symbols.  ``largest``: the largest loss of one message.
    """

    name: str
    n: int
    some: float
    none: float
    up: float
    down: float
    ups: tuple[float, float]
    downs: tuple[float, float]
    rests: tuple[float, float]
    # tau - up c = z (intercept n + slope c), with z = tanh(epsilon/2) where ``line_form`` is empty, else as ``_line``
    # has it for W = Q ("p") and W = P ("q").
    intercept: float
    slope: float
    gap: float
    line_form: str
    largest: float
    # Relative error of a randomizer's masses where they are floats, in round-offs; it is charged to the losses only.
    units: float = 0.0

    def _line(self, epsilon: float) -> tuple[float, float, float]:
        """Return g(up) - g(down), and the shift of tau over up c: its constant part and its slope in c."""
        if not self.line_form:
            z, scale = tanh(0.5 * epsilon), self.gap * (1.0 + exp(epsilon))
        elif self.line_form == "p":  # W = Q
            z, scale = expm1(epsilon), self.gap
        else:  # W = P
            z, scale = -expm1(-epsilon), self.gap * exp(epsilon)
        return scale, z * self.intercept * self.n, z * self.slope

    def window(self, share: float) -> tuple[int, int, float]:
        """Return the values of c that hold all but ``share`` of its law (by Chernoff), and a bound of the rest."""
        n, mean = self.n, self.n * self.some
        if self.none == 0.0:
            return n, n, 0.0
        exponent = -log(share) + 2.0  # log 2 for two sides; the rest is slack
        low, high = _reach(n, self.some, self.none, exponent, -1.0), _reach(n, self.some, self.none, exponent, 1.0)
        return max(min(low, int(mean)), 0), min(max(high, int(mean) + 1), n), share

    def delta(self, epsilon: float, estimate: float = 0.0) -> Ends:
        """Return both ends of delta(epsilon), epsilon >= 0; ``estimate`` is its size, if it is known already."""
        if epsilon >= self.largest:
            return Ends(0.0, 0.0, 0.0, 0.0)
        scale, intercept, slope = self._line(epsilon)
        guess = estimate if estimate > 0.0 else max(self._normal(epsilon), TINIEST)
        # Values of c outside the window add at most the largest g, over all messages.
        best = max(self.ups[0] - exp(epsilon) * self.ups[1], 0.0) + COEFFICIENT_ERROR * self.ups[0]
        while True:
            first, last, outside = self.window(min(max(WINDOW_SHARE * guess / max(best, 1e-300), 1e-305), WINDOW_SHARE))
            sums = thinned_tails(self.n, self.some, self.none, self.up, self.down, intercept, slope, first, last)
            value = sums.edge - intercept * sums.tail - slope * sums.messages
            rounding = (
                sums.edge_err
                + intercept * sums.tail_err
                + slope * sums.messages_err
                + sums.line_error
                + roundoff(8, sums.edge)
            )
            value, rounding = value * scale / self.n, rounding * scale / self.n
            rounding += COEFFICIENT_ERROR * abs(value) + TINIEST
            truncation = outside * best
            if truncation <= 1e-11 * value or guess <= TINIEST:
                break
            guess = max(min(value, 1e-3 * guess) if value > 0.0 else 1e-30 * guess, TINIEST)
        upper = min(max(value, 0.0) + rounding + truncation + UNDERFLOW, 1.0)
        return Ends(max(value - rounding, 0.0), upper, truncation, 2.0 * rounding)

    def tail(self, epsilon: float, share: float) -> Tail:
        """Return the masses of the outcomes with loss >= epsilon; all but ``share`` of c's law is summed."""
        _, intercept, slope = self._line(epsilon)
        first, last, _ = self.window(share)
        sums = thinned_tails(self.n, self.some, self.none, self.up, self.down, intercept, slope, first, last)
        masses, error = [], 0.0
        for u, d, r in self._ratios:
            # (u a + d (c - a) + r (n - c))/n, with E[a; a >= k] = up c S + edge
            mean = u * self.up + d * self.down
            mass = ((u - d) * sums.edge + (mean - r) * sums.messages + self.n * r * sums.tail) / self.n
            doubt = abs(u - d) * sums.edge_err + abs(mean - r) * sums.messages_err + self.n * r * sums.tail_err
            doubt /= self.n
            masses.append(mass)
            error = max(error, doubt / max(mass, 1e-300))
        return Tail(masses[0], masses[1], error + COEFFICIENT_ERROR)

    @property
    def rows(self) -> tuple[list[float], list[float], list[float]]:
        """P, Q and W on the three symbols."""
        w = [self.some * self.up, self.some * self.down, self.none]
        p, q = ([mass * ratio for mass, ratio in zip(w, row, strict=True)] for row in self._ratios)
        return p, q, w

    @property
    def _ratios(self) -> tuple[tuple[float, float, float], ...]:
        return tuple(zip(self.ups, self.downs, self.rests, strict=True))  # type: ignore[return-value]

    @property
    def deviation(self) -> float:
        """Standard deviation of the mean of P/W - Q/W over the messages: that of the loss where it is small."""
        up, down = self.some * self.up, self.some * self.down
        weights = (up, down, self.none)
        gaps = [(a - b) ** 2 for a, b in (self.ups, self.downs, self.rests)]
        return sqrt(sum(w * g for w, g in zip(weights, gaps, strict=True)) / self.n)

    def _normal(self, epsilon: float) -> float:
        """Return the normal approximation of delta, which is used only as a starting point."""
        mu = self.deviation
        t = epsilon / mu if mu > 0.0 else 100.0
        mills = 0.5 * erfc(t / sqrt(2.0))
        density = exp(-0.5 * t * t) / sqrt(2.0 * pi) if t < 38.0 else 0.0
        return mu * max(density - t * mills, 0.0)

    def epsilon(self, delta: float) -> tuple[float, float, Ends]:
        """Return lower and upper bounds of the epsilon of ``delta``, and the ends of delta at the upper one."""
        # No upper end is below TINIEST; there one point below which delta is larger is enough.
        far, delta = delta <= TINIEST, max(delta, 2.0 * TINIEST)
        if self.largest < NORMAL:
            zero = self.delta(0.0, delta)
            if zero.upper <= delta and not far:
                return 0.0, 0.0, zero
            start, slope = _normal_start(zero.upper, delta)
        else:
            p, q, w = (np.array(row) for row in self.rows)
            possible = w > 0.0
            start, slope = estimate_epsilon(p[possible], q[possible], w[possible], self.n, self.largest, delta)
            if start == 0.0:
                zero = self.delta(0.0, delta)
                if zero.upper <= delta and not far:
                    return 0.0, 0.0, zero
                start = 1.0 / slope
        if far:
            below, nothing = (1.0 - LOWER_MARGIN) * start, Ends(0.0, 0.0, 0.0, 0.0)
            return (below if self.delta(below, delta).lower > delta else 0.0), self.largest, nothing
        ends_at: dict[float, Ends] = {}

        def at(epsilon: float) -> Ends:
            if epsilon not in ends_at:
                ends_at[epsilon] = self.delta(epsilon, delta)
            return ends_at[epsilon]

        high = cross(lambda e: at(e).upper, delta, start, slope, self.largest, side=Side.UPPER)
        start, slope = self._nearest(ends_at, delta, start, slope)
        low = cross(lambda e: at(e).lower, delta, start, slope, self.largest, side=Side.LOWER)
        if low == 0.0 and at(0.0).upper <= delta:
            return 0.0, 0.0, at(0.0)
        return low, high, at(high)

    @staticmethod
    def _nearest(ends_at: dict[float, Ends], delta: float, start: float, slope: float) -> tuple[float, float]:
        """Return the computed epsilon that is nearest to the crossing, and the slope of log delta there."""
        distances = sorted((abs(log(ends.upper / delta)), e) for e, ends in ends_at.items() if ends.lower > 0.0)
        if len(distances) < 2:
            return start, slope
        (_, first), (_, second) = distances[:2]
        gap = log(ends_at[first].upper / ends_at[second].upper) / (second - first)
        return first, gap if gap > 0.0 else slope


def _normal_start(at_zero: float, delta: float) -> tuple[float, float]:
    """Return estimates of the epsilon of ``delta`` and -d log delta / d epsilon, by a normal law of this delta(0)."""
    deviation = sqrt(2.0 * pi) * max(at_zero, TINIEST)
    reach = sqrt(2.0 * log(max(at_zero / delta, 2.0)))
    return deviation * reach, reach / deviation


def _reach(n: int, p: float, q: float, exponent: float, sign: float) -> int:
    """Return a count beyond which, on one side of n p, lies less than e^-exponent of Bin(n, p)."""
    mean = n * p
    low, high = mean, 0.0 if sign < 0.0 else float(n)

    def divergence(c: float) -> float:
        up = c * log(c / mean) if c > 0.0 else 0.0
        rest = n - c
        down = rest * log(rest / (n * q)) if rest > 0.0 else 0.0
        return up + down

    # KL is convex and flat near the mean, where the two terms cancel: a quadratic bound serves up to n = 10^15.
    variance = mean * q
    quadratic = sqrt(2.0 * exponent * variance) + exponent  # Bernstein: t^2/(2 (variance + t/3)) >= exponent
    candidate = mean + sign * quadratic
    if not 0.0 < candidate < n:
        candidate = halve(lambda c: divergence(c) < exponent, low, high, times=HALVINGS)[1]
    return int(candidate - 1.0) if sign < 0.0 else int(candidate + 2.0)


def _clone_pair(name: str, n: int, eps0: float, some: float, none: float) -> Pair:
    """Return P = (x, 1, 0)/(x + 1), Q = (1, x, 0)/(x + 1), W = (some/2, some/2, none), x = e^eps0."""
    likely, unlikely = 2.0 / (1.0 + exp(-eps0)) / some, 2.0 / (1.0 + exp(eps0)) / some
    return Pair(
        name=name,
        n=n,
        some=some,
        none=none,
        up=0.5,
        down=0.5,
        ups=(likely, unlikely),
        downs=(unlikely, likely),
        rests=(0.0, 0.0),
        intercept=0.0,
        slope=0.5 / tanh(0.5 * eps0),
        gap=2.0 * tanh(0.5 * eps0) / some,
        line_form="",
        largest=eps0,
    )


def clones(n: int, eps0: float) -> Pair:
    """Return the pair of Feldman, McMillan and Talwar 2021, which dominates adaptive shuffling."""
    return _clone_pair("clones", n, eps0, exp(-eps0), -expm1(-eps0))


def stronger_clones(n: int, eps0: float) -> Pair:
    """Return the general pair of Feldman, McMillan and Talwar 2022, which dominates adaptive shuffling."""
    return _clone_pair("stronger clones", n, eps0, 2.0 / (1.0 + exp(eps0)), tanh(0.5 * eps0))


@dataclass(frozen=True)
class MergedPair:
    """The pair P = (p, q, rest), Q = (q, p, rest), W = (others, others, none), each mass within ``units`` round-offs.

    It is a randomizer whose outputs are merged to three, with the others on an input halfway.  The masses of the third
    output are stored, not formed by subtraction, since it may be rare.
    """

    name: str
    p: float
    q: float
    others: float
    rest: float
    none: float
    units: float


def symmetric(merged_pair: MergedPair, n: int, largest: float) -> Pair:
    """Return the shuffled pair of n messages, one of which is from P or Q."""
    name, p, q, others, none = merged_pair.name, merged_pair.p, merged_pair.q, merged_pair.others, merged_pair.none
    ratio = merged_pair.rest / none
    return Pair(
        name=name,
        n=n,
        some=2.0 * others,
        none=none,
        up=0.5,
        down=0.5,
        ups=(p / others, q / others),
        downs=(q / others, p / others),
        rests=(ratio, ratio),
        intercept=others * ratio / (p - q),
        slope=0.5 * (1.0 - ratio) / (p - q),
        gap=(p - q) / others,
        line_form="",
        largest=largest,
        units=merged_pair.units,
    )


def response_third(n: int, eps0: float, k: int) -> Pair:
    """Return k-ary randomized response, k >= 3, others on a third value: exact for k = 3, else a lower bound."""
    x, x_1 = exp(eps0), expm1(eps0)
    s, others = 1.0 / (x + k - 1.0), x + k - 3.0
    ratio = (k - 2.0) / others
    return Pair(
        name=f"{k}-ary randomized response, all other records at a third value",
        n=n,
        some=2.0 * s,
        none=others * s,
        up=0.5,
        down=0.5,
        ups=(x, 1.0),
        downs=(1.0, x),
        rests=(ratio, ratio),
        intercept=ratio / x_1,
        slope=0.5 + 1.0 / others,
        gap=x_1,
        line_form="",
        largest=eps0,
    )


def response_same(n: int, eps0: float, k: int) -> tuple[Pair, Pair]:
    """Return k-ary randomized response where the others hold the value of Q, and where they hold that of P."""
    x = exp(eps0)
    s = 1.0 / (x + k - 1.0)
    some, none = (x + 1.0) * s, (k - 2.0) * s
    likely, unlikely = 1.0 / (1.0 + exp(-eps0)), 1.0 / (x + 1.0)
    gap, low = 2.0 * sinh(eps0), exp(-eps0)
    name, intercept = f"{k}-ary randomized response, all other records at the value of the ", 1.0 / gap
    first = Pair(
        name=name + "replacement", n=n, some=some, none=none, up=unlikely, down=likely, ups=(x, 1.0), downs=(low, 1.0),
        rests=(1.0, 1.0), intercept=intercept, slope=0.0, gap=gap, line_form="p", largest=eps0,
    )  # fmt: skip
    second = Pair(
        name=name + "record", n=n, some=some, none=none, up=likely, down=unlikely, ups=(1.0, low), downs=(1.0, x),
        rests=(1.0, 1.0), intercept=intercept, slope=0.0, gap=gap, line_form="q", largest=eps0,
    )  # fmt: skip
    return first, second
