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

**Gains.**  Of losses b S, all divided by b: :math:`E(1 - e^{-b(S - \epsilon)})_+/b` has the kernel 1/(z (z + b)),
V ~ N(b h^2/2, h^2) and :math:`c = h^2 (1 + \frac{bh}2 \frac{\Phi(bh/2)}{\varphi(bh/2)})`.  This holds at b = 0 too,
where it is :math:`E(S - \epsilon)_+`; ``Total.bend`` is b.

**Aliases.**  The trapezoidal rule with spacing 2 pi/T adds :math:`\sum_{k \ne 0} v(\epsilon + kT) e^{\theta kT}`,
positive, bounded by Chernoff's inequality at two other tilts.

**Nodes left out** are those where :mod:`pldcheck.pld.frequency_decay` proves the integrand negligible.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import erfc, exp, expm1, hypot, inf, isfinite, log, pi, sqrt
from sys import float_info

import numpy as np

from ..core.directed import UNIT, Ends, enlarge, roundoff
from .frequency_decay import Decay
from .loss_total import Total
from .saddle_tilt import largest_tilt, level, spread
from .step_losses import Array
from .tilted_total import TiltedTotal, least_tilted, tilt

# Nodes whose weight is provably below e^-NEGLIGIBLE are left out, and aliases are kept below it.
NEGLIGIBLE = 44.0
# Where smoothing widens the answer anyway, weights below e^-SMALLER of the width asked for are left out as well.
SMALLER = 16.0
# Share of the width that smoothing leaves to all other errors.
OTHER_SHARE = 2.0**-10
# Share of the width that nodes left out may take.
LEFT_OUT_SHARE = 2.0**-14
# A wider tolerance counts as this one where that share is taken.
NARROW = 1e-6
# Share of the width beyond which truncation takes too much of it, where smoothing hardly widens delta (a lattice
# between its points): then next to nothing is left out.
MOST_TRUNCATION = 2.0**-9
# The most nodes that are considered, except for a sum of few values, which may have four times as many.
MOST_NODES = 2**18
# Values up to which a sum has few of them: that of one mechanism, say.
FEW_VALUES = 8
# The most values of losses that are visited, at about 40 ns each; beyond that h grows and the answer is wider.
MOST_WORK = 5e7
# With fewer nodes than this, h does not grow however many values are visited.
FEWEST_NODES = 512
# Beyond this multiple of MOST_WORK a sum that is smoothed by more than its own width is not inverted.
EXCESS = 16.0
# Where all nodes of a sum with a Gaussian part cost no more than this, nothing is smoothed.
CHEAP_VISITS = 2e5
# Up to so many visits no node is tested for being negligible.
FEW_VISITS = 1e4
# Nodes are tested in so many groups at least, as all nodes of a group are visited if one has to be.
FEWEST_INTERVALS = 4096
# Deviations by which the tilt moves the sum at least.
LEAST_SHIFT = 3.0
# Precision given up for that at most, as a power of e.
MOST_PRECISION_LOSS = 12.0
# Gains have no bound at tilt 0.  The least tilt that bounds their aliases is this share: periods are an eighth longer.
LEAST_OF_TILT = 0.125


@dataclass(frozen=True, eq=False)
class Contour:
    """The characteristic function at the nodes of one tilt; good for epsilon in [low, high].

    ``visits``: how many values of losses were visited for it.
    """

    tilted_total: TiltedTotal
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
    visits: float = 0.0

    @cached_property
    def _kernel(self) -> tuple[np.ndarray, Array]:
        """1/(z (z + b)) at the nodes, and its modulus."""
        z = self.tilted_total.theta + 1j * self.nodes
        kernel = 1.0 / (z * (z + self.tilted_total.total.bend))
        return kernel, np.abs(kernel)

    def ends(self, epsilon: float) -> Ends:
        """Return both ends of delta at one epsilon."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._ends(epsilon)

    def _ends(self, epsilon: float) -> Ends:
        theta, s = self.tilted_total.theta, self.nodes
        kernel, sizes_of_kernel = self._kernel
        terms = self.values * np.exp(-1j * s * epsilon)
        # The phase s epsilon is rounded, and so is that in values; 48 for exp, kernel, products and the
        # sum, which is pairwise down to blocks of 128.
        sizes = self.doubt + np.abs(terms) * UNIT * (48.0 + 4.0 * s * abs(epsilon))
        inside, density = float(np.sum((terms * kernel).real)), float(np.sum(terms.real))
        noise, density_noise = float(np.sum(sizes * sizes_of_kernel)), float(np.sum(sizes))
        omission, density_omission = self.left_out
        h, total = self.smoothing, self.tilted_total.total
        half = 0.5 * total.bend * h
        smooth = h * h * (1.0 + half * _mills(half)) * (max(density, 0.0) + density_noise + density_omission)
        exponent = self.cumulant - theta * epsilon - log(self.period)
        error = self.tilted_total.error + roundoff(8, abs(self.cumulant) + abs(theta * epsilon)) + roundoff(64)
        alias = sum(
            _exp(value - tilt * epsilon - gap * self.period) / -expm1(-gap * self.period)
            for value, tilt, gap in self.beyond
        )
        infinity = total.infinity
        # No delta of finite losses exceeds P(finite), which is the upper end where the inversion overflows.
        finite, one = (enlarge(exp(total.log_finite), 8), 1.0) if total.bend else (inf, inf)
        high = min(_times(inside + noise + omission, exponent + error), finite)
        sure = inside - noise - omission - smooth
        low = max(_times(sure, exponent - error) - alias, 0.0) if sure > 0.0 else 0.0
        low = low if low >= float_info.min else 0.0  # smaller numbers are rounded by more
        infinity_error = infinity * 64 * UNIT
        if low > high:
            raise ArithmeticError(f"empty enclosure of delta at epsilon = {epsilon!r}: [{low!r}, {high!r}]")
        return Ends(
            lower=low + max(infinity - infinity_error, 0.0),
            upper=min(high + infinity + infinity_error, one),
            truncation=min(alias + _times(2.0 * omission, exponent), one),
            rounding=min(_times(2.0 * (noise + abs(inside) * error), exponent) + 2.0 * infinity_error, one),
        )


def _exp(exponent: float) -> float:
    return exp(exponent) if exponent < 700.0 else inf


def _times(factor: float, exponent: float) -> float:
    """Return factor e^exponent; 0 for a negative or unknown factor, infinite where it overflows."""
    if not factor > 0.0:
        return 0.0 if factor <= 0.0 else inf
    return _exp(exponent + log(factor))


def _mills(x: float) -> float:
    """Return Phi(x)/phi(x); infinite where it overflows."""
    return 0.5 * erfc(-x / sqrt(2.0)) * sqrt(2.0 * pi) * _exp(0.5 * x * x)


def contour(total: Total, theta: float, low: float, high: float, tolerance: float) -> Contour:
    """Return the contour for epsilon in [low, high]; smoothing widens delta by about ``tolerance``, relatively.

    Less work is done, and the answer is wider, where that would take more than ``MOST_WORK``.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is answered by the bounds 0 and P(finite)
        plain = least_tilted(total)
        bulk = sqrt(plain.variance + 1e-300)
        state = tilt(total, theta)
        if theta * theta * state.variance < LEAST_SHIFT**2 and total.variance < 0.01 * plain.variance:
            # A flat tilt asks for a period of NEGLIGIBLE/theta, much longer than the sum is wide; a steeper one costs
            # precision, all of it where the tail is heavy or epsilon far below the mean.
            steeper = min(max(theta, LEAST_SHIFT / bulk), largest_tilt(total))
            loss = tilt(total, steeper).cumulant - state.cumulant - (steeper - theta) * low
            theta = steeper if loss < MOST_PRECISION_LOSS else theta
        finest = sqrt(tolerance) * bulk
        first_contour = _contour(total, theta, low, high, finest, tolerance, LEFT_OUT_SHARE * min(tolerance, NARROW))
        epsilons = (low, 0.5 * (low + high))
        if first_contour.smoothing > 0.0 and any(_mostly_left_out(first_contour.ends(epsilon)) for epsilon in epsilons):
            return _contour(total, theta, low, high, finest, tolerance, exp(-NEGLIGIBLE))
        return first_contour


def _mostly_left_out(ends: Ends) -> bool:
    return ends.truncation > MOST_TRUNCATION * (ends.upper - ends.lower)


def _contour(
    total: Total, theta: float, low: float, high: float, finest: float, tolerance: float, allowance: float
) -> Contour:
    state = tilt(total, theta)
    if not (isfinite(state.cumulant) and isfinite(state.variance) and spread(state) > 0.0):
        return _unknown(state, low, high)
    # The loss V adds h^2 z (z + b)/2 to K; f/delta is about theta (theta + b), or that of the bulk under a heavy tail.
    steepness = theta * (theta + total.bend)
    h = min(sqrt((1.0 - OTHER_SHARE) * tolerance / steepness), finest)
    width = sqrt(state.variance + 1.0 / steepness)
    # How much smaller than at the saddle point the integral may be, by a normal approximation; and the saddle's.
    log_shortfall = min(
        max(abs(level(state) - end) for end in (low, high)) ** 2 / (2.0 * spread(state)), MOST_PRECISION_LOSS + 4.0
    )
    sure = exp(-log_shortfall) / (steepness * sqrt(2.0 * pi * spread(state)))
    least = min(NEGLIGIBLE, SMALLER - log(allowance / LEFT_OUT_SHARE) + log_shortfall)
    if total.variance > 0.0 and _count(sqrt(total.variance), 12.0 * width + high - low) * total.size < CHEAP_VISITS:
        h, least, allowance = 0.0, NEGLIGIBLE, exp(-NEGLIGIBLE)
    most = MOST_NODES if total.size > FEW_VALUES else 4 * MOST_NODES
    while True:
        period, beyond = _period(total, state, width, h, low, high, least)
        if not isfinite(period):
            return _unknown(state, low, high)
        bell = sqrt(total.variance + h * h)
        count = min(_count(bell, period, least), most)
        least_h = period * sqrt(2.0 * least) / (2.0 * pi * most)
        if bell < 0.99 * least_h:
            h = least_h
            continue
        nodes, left_out = _nodes(state, bell, h, 2.0 * pi / period, count, allowance * sure * period)
        work = state.visits(nodes)
        if work <= MOST_WORK or nodes.size < FEWEST_NODES or h > width:
            break
        h = max(h * min(max(work / MOST_WORK, 1.5), 16.0), 1e-3 * width)
    if work > EXCESS * MOST_WORK and nodes.size > FEWEST_NODES:
        return _unknown(state, low, high)
    return Contour(
        tilted_total=state,
        cumulant=state.cumulant + 0.5 * h * h * steepness,
        smoothing=h,
        period=period,
        nodes=nodes,
        left_out=left_out,
        beyond=beyond,
        low=low,
        high=high,
        visits=float(work),
        **_values(state, h, nodes),
    )


def _nodes(
    state: TiltedTotal, bell: float, h: float, spacing: float, count: int, allowance: float
) -> tuple[Array, tuple[float, float]]:
    """Return the nodes that matter, and bounds of the sums of the others' moduli, with kernel and without.

    The kernel is 1/(z (z + b)).  The first sum plus h^2 times the second may come to ``allowance``, as smoothing
    multiplies the second one by h^2.
    """
    theta, bend, last = state.theta, state.total.bend, spacing * count
    # Beyond the last node n: sum of e^(-b^2 s^2/2) <= its first term (1 + 1/(spacing b^2 s)); twice, for both halves.
    rest = 2.0 * exp(-0.5 * (bell * last) ** 2) * (1.0 + 1.0 / (spacing * bell * bell * last))
    if count * max(state.total.size, 1) < FEW_VISITS:
        return spacing * np.arange(count + 1, dtype=np.float64), (rest / last**2, rest)
    decay = Decay.of(state)
    group = min(decay.stride(spacing), max(count // FEWEST_INTERVALS, 1))
    size = -(-(count + 1) // group)
    start = spacing * group * np.arange(size)
    beside = np.asarray(0.5 * (bell * start) ** 2, dtype=np.float64)
    # A node's share of the allowance, with room for kernels above 1.
    enough = log(2.0 * group * size / max(allowance, 1e-300)) + max(-2.0 * log(theta), 0.0)
    bound = beside + decay.bounds(spacing * group, size, between=group > 1, beside=beside, enough=enough)
    plain = 2.0 * group * np.exp(-bound)
    with_kernel = plain / np.sqrt((theta**2 + start**2) * ((theta + bend) ** 2 + start**2))
    costs = with_kernel + h * h * plain
    costs[0] = inf
    increasing = np.sort(costs)
    negligible = costs < increasing[np.searchsorted(np.cumsum(increasing), allowance)]
    relevant = np.flatnonzero(~negligible)
    places = (group * relevant[:, None] + np.arange(group)).ravel().astype(np.float64)
    left_out = rest / last**2 + float(np.sum(with_kernel[negligible])), rest + float(np.sum(plain[negligible]))
    return spacing * places[places <= count], left_out


def _unknown(state: TiltedTotal, low: float, high: float) -> Contour:
    """Return a contour that knows nothing, for numbers that leave the range of floating point."""
    one = np.ones(1)
    return Contour(
        tilted_total=state,
        cumulant=0.0,
        smoothing=0.0,
        period=1.0,
        nodes=np.zeros(1),
        values=np.full(1, inf + 0j),
        doubt=one,
        left_out=(0.0, 0.0),
        beyond=(),
        low=low,
        high=high,
    )


def _count(bell: float, period: float, least: float = NEGLIGIBLE) -> int:
    """Return the node from which on the Gaussian factor alone is below e^-least."""
    reach = period * sqrt(2.0 * least) / (2.0 * pi)
    return int(np.ceil(reach / bell)) if reach < 2.0**40 * bell else 2**40


def _period(total: Total, state: TiltedTotal, width: float, h: float, low: float, high: float, least: float):
    """Return a period at which the aliases are below e^-least; and (K, tilt, gap) of the two tilts that bound them."""
    theta, bend = state.theta, total.bend
    base = state.cumulant + 0.5 * h * h * theta * (theta + bend)
    # Relative to exp(K(theta) - theta epsilon) / (width theta (theta + b)), about what delta is.
    slack = least + max(log(width * theta * (theta + bend)), 0.0)

    def reach(gap: float, sign: float) -> tuple[float, tuple[float, float, float]]:
        other_tilt = theta + sign * gap
        if bend == 0.0:
            other_tilt = max(other_tilt, LEAST_OF_TILT * theta)
            gap = abs(other_tilt - theta)
        if gap == 0.0:  # the tilt is so large that the other one is the same
            return inf, (inf, theta, 1.0)
        if other_tilt <= 0.0:
            gap, value, other_tilt = theta, total.log_finite, 0.0  # v <= P(finite)
        else:
            other = tilt(total, other_tilt)
            value = other.cumulant + other.error + 0.5 * h * h * other_tilt * (other_tilt + bend)
            if bend == 0.0:  # x <= e^(t x)/(e t), where a loss gains at most 1
                value -= 1.0 + log(other_tilt)
        worst = low if sign > 0.0 else high
        return (value - base - sign * gap * worst + slack) / gap, (value, other_tilt, gap)

    def shortest(sign: float) -> tuple[float, tuple[float, float, float]]:
        gap = 9.0 / hypot(width, h)
        best = reach(gap, sign)
        for _ in range(20):  # heavy tails want a smaller gap than a bell curve, and nodes know no large tilts
            gap *= 0.6
            trial = reach(gap, sign)
            if trial[0] >= best[0] and isfinite(best[0]):
                break
            best = trial
        return best

    above, below = shortest(1.0), shortest(-1.0)
    return max(above[0], below[0], width), (above[1], below[1])


def _values(state: TiltedTotal, h: float, s: Array) -> dict[str, np.ndarray]:
    """Return the characteristic function at the nodes with weights 1, 2, 2, ..., and its absolute errors.

    Weight 2 stands for the conjugate half.
    """
    variance = state.total.variance + h * h
    logs, doubt = state.log_characteristic(s)
    phase = s * (state.atoms_mean + variance * (state.theta + 0.5 * state.total.bend))
    exponents = logs - 0.5 * variance * s * s + 1j * phase
    weights = np.full(s.size, 2.0)
    weights[0] = 1.0
    values = weights * np.exp(exponents)
    # e^doubt - 1 relative to a value; together with it where that alone would overflow.
    errors = np.where(
        doubt < 100.0,
        np.abs(values) * np.expm1(np.minimum(doubt, 100.0)),
        weights * np.exp(exponents.real + doubt),
    )
    errors += np.abs(values) * UNIT * (8.0 + 4.0 * np.abs(phase) + 4.0 * np.abs(logs.imag) + 4.0 * variance * s * s)
    return {"values": values, "doubt": errors}
