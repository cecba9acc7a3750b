r"""Sums of coins of two kinds by a few nodes of a contour integral, whatever the number of coins is.

Let S be the sum of a coins of bias x/(1 + x) and b coins of bias 1/(1 + x).  With :math:`x = e^{\epsilon_0}` it is the
number of ones that a + b other clients send through binary randomized response, and with :math:`\kappa = e^\epsilon`
the divergence of the shuffled messages, from a record 1 to its replacement 0, is the largest over k of

.. math:: n(k) = g\, P(S = k - 1) - (\kappa - 1)\, P(S \ge k), \quad g = \frac{x - \kappa}{1 + x} .

It rises by :math:`-i(k) = c P(S = k) - g P(S = k - 1)` from k to k + 1, with :math:`c = g + \kappa - 1`.  The law of S
is log-concave, so that i changes its sign once, from below 0, and n is largest there.

**The rule.**  With :math:`M(z) = E e^{zS}`, a tilt :math:`\theta > 0` and :math:`z_j = \theta + 2 \pi i j/N`,

.. math:: \frac1N \sum_{j=0}^{N-1} M(z_j) e^{-k z_j} K(z_j)
          = \sum_l e^{\theta l N} n(k + lN), \quad K(z) = g e^z - \frac{\kappa - 1}{1 - e^{-z}} .

The term l = 0 is wanted.  As n is between -c and c, those of l < 0 are at most :math:`c e^{\theta l N}` in size, and
by Chernoff's bound those of l > 0 at most :math:`c M(t) e^{-t(k-1)} e^{-(t - \theta) l N}`, for every t > theta.  With
:math:`K(z) = g e^z - c` the rule gives i instead of n, and with K = 1 it gives P(S = k), with the same bounds (and 1 in
place of c).

**Few nodes.**  The modulus of a coin's characteristic function, :math:`(1 - 4 p(1-p) \sin^2(s/2))^{1/2}` with the
tilted bias p, falls from s = 0 to pi; so do both parts of |K|.  All nodes beyond one are bounded by it.

**Precision.**  What is multiplied by the number of coins is computed with 50 digits or, as the phase of a coin around
its mean, from :math:`x - \sin x` without cancellation: it is of the order :math:`s^3`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property
from math import ceil, exp, inf, log2, pi, sqrt

import numpy as np

from ..core.arrays import Array
from ..core.directed import LARGEST, UNIT, enlarge, exp_upper, roundoff
from ..core.interval import UNDERFLOW

# Digits of what is multiplied by the number of coins, which is at most 1e12.
DIGITS = 50
# Aliases are below e^-ALIAS_EXPONENT of the height of the rule.
ALIAS_EXPONENT = 50.0
# All nodes left out weigh less than e^-DECAY of the height, or about that.
DECAY = 50.0
# A period is at least so many deviations of the tilted sum, and this much longer.
SPREAD = 24.0
LEAST_PERIOD = 64.0
# Up to here x - sin x is summed as a series of so many terms, the next of which is below 1e-19 of the first.
SERIES_UP_TO = 1.0
SERIES_TERMS = 9
# Units of x - sin x: beyond 1 the subtraction is off by (8 x + 6) of 1, which are 14/.158 of it at x = 1.
PHASE_UNITS = 128.0
# Beyond this much of 4 p(1-p) sin^2(s/2) the size of a coin is only bounded: one minus that is off by 17 units.
NEARLY_ONE = 0.99
BELOW_ONE = roundoff(32)
# Units of a node's term, apart from those that grow with the number of coins: exp, sine and cosine (4 each), the kernel
# (64: e^z 8, the quotient by 1 - e^-z 48), a node's rounding in the kernel (12), products (8).
TERM_UNITS = 128.0


@dataclass(frozen=True)
class Response:
    """Binary randomized response at an epsilon below eps0: x, kappa = e^epsilon and the gains g and c, as decimals."""

    x: Decimal
    kappa: Decimal
    gain: Decimal
    cost: Decimal

    @classmethod
    def of(cls, eps0: float, epsilon: float) -> Response:
        """Return the gains of a randomizer at an epsilon."""
        with localcontext() as context:
            context.prec = DIGITS
            x, kappa = Decimal(eps0).exp(), Decimal(epsilon).exp()
            return cls(x, kappa, (x - kappa) / (1 + x), (kappa * x - 1) / (1 + x))


@dataclass(frozen=True)
class TiltedCoins:
    """Coins of both kinds under a tilt theta: their biases and their complements, and the moments of their sum.

    ``kinds``: number, tilted bias and its complement of each kind; ``cumulant``: log M(theta).
    """

    response: Response
    log_tilt: Decimal
    kinds: tuple[tuple[int, Decimal, Decimal], ...]
    mean: Decimal
    variance: float
    cumulant: Decimal

    @classmethod
    def of(cls, response: Response, a: int, b: int, tilt: Decimal) -> TiltedCoins:
        """Return the coins under the tilt log ``tilt``; called with a context of many digits."""
        x = response.x
        kinds = (a, x * tilt / (1 + x * tilt), 1 / (1 + x * tilt)), (b, tilt / (x + tilt), x / (x + tilt))
        cumulant = a * ((1 + x * tilt) / (1 + x)).ln() + b * ((x + tilt) / (1 + x)).ln()
        mean = sum((count * p for count, p, _ in kinds), Decimal(0))
        variance = float(sum((count * p * q for count, p, q in kinds), Decimal(0)))
        return cls(response, tilt.ln(), kinds, mean, variance, cumulant)

    def exponent(self, k: int) -> Decimal:
        """Return log M(theta) - theta k."""
        return self.cumulant - self.log_tilt * k


@dataclass(frozen=True, eq=False)
class Kernel:
    """The values of K at the nodes, a bound of their sizes, and the largest size of what the rule sums up."""

    values: np.ndarray
    bounds: Array
    largest: float


@dataclass(frozen=True)
class Sum:
    """A sum over the nodes, relative to e^height: its value, its whole error, and the part due to truncation."""

    value: float
    error: float
    truncation: float

    @property
    def is_below_zero(self) -> bool:
        """Whether it is certainly below 0."""
        return self.value + self.error < 0.0

    @property
    def is_at_least_zero(self) -> bool:
        """Whether it is certainly at least 0."""
        return self.value - self.error >= 0.0


class Contour:
    """The nodes of the rule at one tilt; the same nodes serve all places k near the one that it was tilted for.

    All sums are relative to e^height, about the size of P(S = k) there, so that no size is too small for a number.
    """

    def __init__(self, coins: TiltedCoins, steeper: TiltedCoins, k: int) -> None:
        self.coins, self.steeper, self.height = coins, steeper, coins.exponent(k)
        theta, deviation = float(coins.log_tilt), sqrt(coins.variance)
        period = max(SPREAD * deviation + LEAST_PERIOD, (ALIAS_EXPONENT + max(-float(self.height), 0.0)) / theta)
        self.period = 2 ** ceil(log2(period))
        half = sqrt(0.5 * DECAY / coins.variance) if coins.variance > 0.0 else 1.0
        angle = float(np.arctan2(half, sqrt(max(1.0 - half * half, 0.0))))  # half is its sine, or more than 1
        last = ceil(angle * self.period / pi)
        last = min(last, self.period // 2)
        self.is_whole = last == self.period // 2
        self.frequencies = 2.0 * pi / self.period * np.arange(last + 1)
        self.weights = np.full(last + 1, 2.0 / self.period)
        self.weights[0] = 1.0 / self.period
        if self.is_whole:
            self.weights[-1] = 1.0 / self.period
        self.sizes, self.phases, self.units = _characteristic(coins, self.frequencies)

    @cached_property
    def _turn(self) -> tuple[np.ndarray, np.ndarray]:
        """The numbers e^z and 1 - e^-z at the nodes, without cancellation."""
        half = 0.5 * self.frequencies
        sine, cosine = np.sin(half), np.cos(half)
        tilt, rest = float(self.coins.log_tilt.exp()), float(1 - (-self.coins.log_tilt).exp())
        turn = tilt * (np.cos(self.frequencies) + 2j * sine * cosine)
        return turn, (rest + 2.0 / tilt * sine * sine) + 2j / tilt * sine * cosine

    def net(self) -> Kernel:
        """Return the kernel of n."""
        (turn, divisor), response = self._turn, self.coins.response
        gain, more = float(response.gain), float(response.kappa - 1)
        sizes = gain * np.abs(turn) + more / np.abs(divisor)
        return Kernel(gain * turn - more / divisor, sizes, float(response.cost))

    def increment(self) -> Kernel:
        """Return the kernel of i."""
        turn, response = self._turn[0], self.coins.response
        gain, cost = float(response.gain), float(response.cost)
        return Kernel(gain * turn - cost, gain * np.abs(turn) + cost, cost)

    def mass(self) -> Kernel:
        """Return the kernel of P(S = k)."""
        ones = np.ones(self.frequencies.size)
        return Kernel(ones + 0j, ones, 1.0)

    def sum(self, kernel: Kernel, k: int) -> Sum:
        """Return what the kernel stands for at a place."""
        rise = float(self.coins.exponent(k) - self.height)
        if rise > LARGEST:  # far from the place of the contour, where nothing is asked
            return Sum(0.0, inf, inf)
        place = self.frequencies * float(self.coins.mean - k)
        phases = self.phases + place
        terms = self.weights * self.sizes * (kernel.values * (np.cos(phases) + 1j * np.sin(phases))).real
        sizes = self.weights * self.sizes * kernel.bounds
        units = self.units + 8.0 * np.abs(place) + (TERM_UNITS + 20.0 + log2(terms.size))
        scale = exp(rise)
        noise = enlarge(float(np.sum(sizes * units)) * UNIT * scale, 64)
        omission = 0.0 if self.is_whole else enlarge(float(self.sizes[-1] * kernel.bounds[-1]) * scale, 1e6)
        truncation = omission + self._aliases(k) * kernel.largest + UNDERFLOW
        value = float(np.sum(terms)) * scale
        return Sum(value, noise + truncation + roundoff(8.0 + abs(rise), abs(value)), truncation)

    def _aliases(self, k: int) -> float:
        """Return a bound of the terms other than l = 0, where each is at most 1 before its factor."""
        fall = float(self.coins.log_tilt * self.period)
        gap = float((self.steeper.log_tilt - self.coins.log_tilt) * self.period)
        exponents = -fall - float(self.height), float(self.steeper.exponent(k - 1) - self.height) - gap
        # Both falls are at least ALIAS_EXPONENT, so that a series is hardly more than its first term.
        return enlarge(sum(exp_upper(exponent, abs(exponent) + fall + gap) for exponent in exponents), 64)


def _characteristic(coins: TiltedCoins, frequencies: Array) -> tuple[Array, Array, Array]:
    """Return size and phase of M(theta + is)/M(theta), around the mean, and the relative errors in units.

    A node is off by 3 units of itself, which moves the log of a coin by at most 3 p(1-p) s^2/|phi| units.
    """
    logs, phases, units = (np.zeros(frequencies.size) for _ in range(3))
    for count, bias, complement in coins.kinds:
        if count == 0:
            continue
        p, q = float(bias), float(complement)
        fall = 4.0 * p * q * np.sin(0.5 * frequencies) ** 2
        nearly = fall > NEARLY_ONE
        square = np.where(nearly, 1.0 - fall + BELOW_ONE, 1.0 - np.where(nearly, 0.0, fall))
        log = 0.5 * np.where(nearly, np.log(square), np.log1p(-np.where(nearly, 0.0, fall)))
        real = 1.0 - 2.0 * q * np.sin(0.5 * p * frequencies) ** 2 - 2.0 * p * np.sin(0.5 * q * frequencies) ** 2
        first, second = q * x_minus_sine(p * frequencies), p * x_minus_sine(q * frequencies)
        phase = np.arctan2(first - second, real)
        logs += count * log
        phases += count * phase
        doubt = 17.0 * fall / square + 8.0 * np.abs(log) + 8.0 * np.abs(phase)
        doubt += (PHASE_UNITS + 80.0) * (first + second) / square + 3.0 * p * q * frequencies**2 / np.sqrt(square)
        units += np.where(nearly, 2.0 / UNIT, count * doubt)
    return np.exp(logs), phases, np.minimum(units * (1.0 + units * UNIT), 2.0 / UNIT) + 4.0


def x_minus_sine(x: Array) -> Array:
    """Return x - sin x for x from 0 to pi, within ``PHASE_UNITS`` units of itself."""
    small = np.where(x <= SERIES_UP_TO, x, 0.0)
    term = small**3 / 6.0
    total = term.copy()
    for j in range(2, 2 + SERIES_TERMS):
        term = -term * small * small / (2 * j * (2 * j + 1))
        total += term
    return np.where(x <= SERIES_UP_TO, total, x - np.sin(x))
