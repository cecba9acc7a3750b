r"""delta(epsilon) of a sum of privacy losses by Fourier inversion, certified on both sides.

With :math:`M(z) = E e^{zS}` and z = theta + is, theta > 0 (the tilt; Esscher transform),

.. math:: \delta(\epsilon) = E(1 - e^{\epsilon - S})_+
          = \frac{1}{2\pi} \int \frac{e^{-z\epsilon} M(z)}{z(z+1)} ds .

**Smoothing.**  A sum of finitely many values makes the integrand die out slowly or never.  Let V ~ N(h^2/2, h^2) be
the loss of a Gaussian mechanism with a tiny sensitivity h.  Releasing it as well can only increase delta, and

.. math:: 0 \le E(1 - e^{\epsilon - S - V})_+ - E(1 - e^{\epsilon - S})_+ \le c \, f_{S+V}(\epsilon),
          \quad c = h^2 \Big(1 + \frac h2 \frac{\Phi(h/2)}{\varphi(h/2)}\Big),

with f the density.  For, with u = S - epsilon, x = u/h + h/2 and R = Phi/phi, the difference at a fixed u < 0 is
phi(x) (R(x) - R(x - h)) and the density phi(x)/h, so their ratio is at most h^2 max R' = h^2 R'(h/2), as R is convex,
R' = 1 + xR and x <= h/2; for u >= 0 the same with -x + h in place of x.  Both integrals take the same values of M,
now times exp(h^2 z (z + 1)/2): the truth is enclosed to second order in h with no grid for the losses at all.

**Aliases.**  The trapezoidal rule with spacing 2 pi/T adds :math:`\sum_{k \ne 0} v(\epsilon + kT) e^{\theta kT}`,
positive, bounded by Chernoff's inequality at two other tilts.

**Nodes left out** are those where :mod:`pldcheck.pld.decay` proves the integrand negligible.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, exp, expm1, log, pi, sqrt

import numpy as np
from scipy.optimize import brentq

from .decay import decay
from .losses import UNIT, Array
from .total import Tilted, Total, tilt

# Nodes whose weight is provably below e^-NEGLIGIBLE are left out, and aliases are kept below it.
NEGLIGIBLE = 44.0
# Nodes considered at most, and values of losses visited at most (about 40 ns each); beyond, h grows and the answer is
# wider.
MOST_NODES = 2**18
MOST_WORK = 2e7
FEWEST_NODES = 256
# Where all nodes together cost no more than this, none is tested for being negligible.
CHEAP = 2e5
# Searched tilts.
LEAST_TILT, LARGEST_TILT = 1e-12, 1e12


@dataclass(frozen=True)
class Ends:
    """``lower <= delta(epsilon) <= upper``; of the difference, what truncation and round-off were granted."""

    lower: float
    upper: float
    truncation: float
    rounding: float


@dataclass(frozen=True, eq=False)
class Contour:
    """The characteristic function at the nodes of one tilt; good for epsilon in [low, high]."""

    tilted: Tilted
    cumulant: float
    smoothing: float
    period: float
    nodes: Array
    values: np.ndarray
    doubt: Array
    left_out: tuple[float, float]
    beyond: tuple[tuple[float, float, float], ...]
    low: float
    high: float

    def ends(self, epsilon: float) -> Ends:
        """Both ends of delta at one epsilon."""
        theta, s = self.tilted.theta, self.nodes
        z = theta + 1j * s
        kernel = 1.0 / (z * (z + 1.0))
        terms = self.values * np.exp(-1j * s * epsilon)
        # The phase s epsilon is rounded, and so is that in values; 16 for exp, kernel, products and the sum.
        sizes = np.abs(terms) * (self.doubt + UNIT * (16.0 + 4.0 * s * abs(epsilon)))
        inside, density = float(np.sum((terms * kernel).real)), float(np.sum(terms.real))
        noise, density_noise = float(np.sum(sizes * np.abs(kernel))), float(np.sum(sizes))
        h = self.smoothing
        share = h * h * (1.0 + 0.5 * h * _mills(0.5 * h))
        exponent = self.cumulant - theta * epsilon
        exponent_error = self.tilted.error + 8 * UNIT * (abs(self.cumulant) + abs(theta * epsilon)) + 64 * UNIT
        scale = exp(min(exponent, 700.0)) / self.period
        left, density_left = self.left_out
        alias = sum(
            exp(min(value - tilt * epsilon - gap * self.period, 700.0)) / -expm1(-gap * self.period)
            for value, tilt, gap in self.beyond
        )
        high = scale * (inside + noise + left) * exp(exponent_error)
        smooth = share * (max(density, 0.0) + density_noise + density_left)
        low = scale * (inside - noise - left - smooth) * exp(-exponent_error) - alias
        finite, infinity = exp(self.tilted.total.log_finite), self.tilted.total.infinity
        infinity_error = infinity * 64 * UNIT
        upper = min(high, finite * (1 + 8 * UNIT)) + infinity + infinity_error
        return Ends(
            lower=min(max(low, 0.0) + infinity - infinity_error, upper),
            upper=min(upper, 1.0),
            truncation=alias + 2.0 * scale * left,
            rounding=scale * (2.0 * noise + 2.0 * inside * exponent_error) + 2.0 * infinity_error,
        )


def _mills(x: float) -> float:
    """Phi(x)/phi(x)."""
    return 0.5 * erfc(-x / sqrt(2.0)) * sqrt(2.0 * pi) * exp(0.5 * x * x)


def steepest(total: Total, epsilon: float) -> float:
    """The tilt that minimises K(theta) - theta epsilon - log(theta (theta + 1)), to three digits; any tilt is sound."""

    def slope(log_theta: float) -> float:
        return _level(tilt(total, exp(log_theta))) - epsilon

    return exp(_root(slope))


def tail(total: Total, delta: float) -> tuple[float, float]:
    """About the (epsilon, theta) of which the saddle-point formula says delta; an estimate to start from."""

    def excess(log_theta: float) -> float:
        state = tilt(total, exp(log_theta))
        theta = state.theta
        spread = state.variance + theta**-2 + (theta + 1.0) ** -2
        height = state.cumulant - theta * _level(state) - log(theta * (theta + 1.0)) - 0.5 * log(2 * pi * spread)
        return log(delta) - height

    theta = exp(_root(excess))
    return _level(tilt(total, theta)), theta


def _level(state: Tilted) -> float:
    """The epsilon of which this tilt is the saddle point."""
    return state.mean - 1.0 / state.theta - 1.0 / (state.theta + 1.0)


def _root(increasing) -> float:
    """The zero in log theta of an increasing function, or the end of the range that is nearest to having one."""
    low, high, step = 0.0, 0.0, 1.0
    at_low = at_high = increasing(0.0)
    while at_low > 0.0 and low > log(LEAST_TILT):
        high, at_high, low = low, at_low, low - step
        at_low, step = increasing(low), 2.0 * step
    while at_high < 0.0 and high < log(LARGEST_TILT):
        low, at_low, high = high, at_high, high + step
        at_high, step = increasing(high), 2.0 * step
    if at_low > 0.0:
        return low
    if at_high < 0.0:
        return high
    return brentq(increasing, low, high, xtol=1e-3) if low < high else low


def contour(total: Total, theta: float, low: float, high: float, tolerance: float) -> Contour:
    """Nodes for epsilon in [low, high]; smoothing widens delta by about ``tolerance``, relatively.

    Less work is done, and the answer is wider, where that would take more than ``MOST_WORK``.
    """
    state = tilt(total, theta)
    # The loss V adds h^2 z (z + 1)/2 to K; f/delta is about theta (theta + 1).
    h = sqrt(tolerance / (theta * (theta + 1.0)))
    width = sqrt(state.variance + 1.0 / (theta * (theta + 1.0)))
    if total.variance > 0.0 and _count(sqrt(total.variance), 12.0 * width + high - low) * total.size < CHEAP:
        h = 0.0
    while True:
        period, beyond = _period(total, state, width, h, low, high)
        bell = sqrt(total.variance + h * h)
        count = min(_count(bell, period), MOST_NODES)
        h_needed = period * sqrt(2.0 * NEGLIGIBLE) / (2.0 * pi * MOST_NODES)
        if bell < 0.99 * h_needed:
            h = h_needed
            continue
        nodes = 2.0 * pi / period * np.arange(count + 1)
        if count * max(total.size, 1) < CHEAP:
            kept, bound = np.ones(count + 1, dtype=bool), None
        else:
            bound = decay(state, period, nodes) + 0.5 * bell * bell * nodes * nodes
            kept = bound < NEGLIGIBLE
        work = np.count_nonzero(kept) * total.size
        if work <= MOST_WORK or count < FEWEST_NODES:
            break
        h = max(h * min(max(work / MOST_WORK, 1.5), 16.0), 1e-3 * width)
    return Contour(
        tilted=state,
        cumulant=state.cumulant + 0.5 * h * h * theta * (theta + 1.0),
        smoothing=h,
        period=period,
        nodes=nodes[kept],
        left_out=_left_out(theta, bell, nodes, kept, bound),
        beyond=beyond,
        low=low,
        high=high,
        **_values(state, h, nodes[kept]),
    )


def _count(bell: float, period: float) -> int:
    """The node from which on the Gaussian factor alone is negligible."""
    return int(min(np.ceil(period * sqrt(2.0 * NEGLIGIBLE) / (2.0 * pi * bell)), 2.0**40))


def _period(total: Total, state: Tilted, width: float, h: float, low: float, high: float):
    """A period at which the aliases are negligible; and (K, tilt, gap) of the two tilts that bound them."""
    theta = state.theta
    base = state.cumulant + 0.5 * h * h * theta * (theta + 1.0)
    # Relative to exp(K(theta) - theta epsilon) / (width theta (theta + 1)), about what delta is.
    slack = NEGLIGIBLE + max(log(width * theta * (theta + 1.0)), 0.0)

    def reach(gap: float, sign: float) -> tuple[float, tuple[float, float, float]]:
        tilted = theta + sign * gap
        if tilted <= 0.0:
            gap, value, tilted = theta, total.log_finite, 0.0  # v <= P(finite)
        else:
            other = tilt(total, tilted)
            value = other.cumulant + other.error + 0.5 * h * h * tilted * (tilted + 1.0)
        worst = low if sign > 0.0 else high
        return (value - base - sign * gap * worst + slack) / gap, (value, tilted, gap)

    def shortest(sign: float) -> tuple[float, tuple[float, float, float]]:
        gap = 9.0 / width
        best = reach(gap, sign)
        for _ in range(20):  # heavy tails want a smaller gap than a bell curve
            gap *= 0.6
            tried = reach(gap, sign)
            if tried[0] >= best[0]:
                break
            best = tried
        return best

    above, below = shortest(1.0), shortest(-1.0)
    return max(above[0], below[0]), (above[1], below[1])


def _values(state: Tilted, h: float, s: Array) -> dict[str, np.ndarray]:
    """The characteristic function at the nodes, weighted 1, 2, 2, ... (conjugate halves), and its relative errors."""
    variance = state.total.variance + h * h
    logs, doubt = state.log_characteristic(s)
    phase = s * (state.atoms_mean + variance * (state.theta + 0.5))
    exponents = logs - 0.5 * variance * s * s + 1j * phase
    weights = np.full(s.size, 2.0)
    weights[0] = 1.0
    doubt = np.expm1(np.minimum(doubt, 700.0)) + UNIT * (8.0 + 4.0 * np.abs(phase) + 4.0 * variance * s * s)
    return {"values": weights * np.exp(exponents), "doubt": doubt}


def _left_out(theta: float, bell: float, nodes: Array, kept: np.ndarray, bound: Array | None) -> tuple[float, float]:
    """Sums of the moduli of what was left out, with the kernel 1/(z (z + 1)) and with 1."""
    spacing, last = float(nodes[1]), float(nodes[-1])
    # Beyond the last node n: sum of e^(-b^2 s^2/2) <= its first term (1 + 1/(spacing b^2 s)); twice, for both halves.
    rest = 2.0 * exp(-0.5 * (bell * last) ** 2) * (1.0 + 1.0 / (spacing * bell * bell * last))
    with_kernel, plain = rest / last**2, rest
    if bound is not None:
        sizes = 2.0 * np.exp(-bound[~kept])
        s = nodes[~kept]
        with_kernel += float(np.sum(sizes / np.sqrt((theta**2 + s * s) * ((theta + 1.0) ** 2 + s * s))))
        plain += float(np.sum(sizes))
    return with_kernel, plain
