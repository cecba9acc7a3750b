r"""Moments of losses whose laws are cut: log E exp(theta L), on both sides, for every theta > 0.

A law that is cut off where its probabilities leave double precision has wrong moments of a high order: there the
largest losses weigh most.  These are formed from the distributions themselves.  Those of discrete Gaussian noise are in
:mod:`~pldcheck.pld.discrete_gaussian_moments`.

**Sampled Gaussian.**  With :math:`u = r(e^\ell - 1)`, :math:`\ell = \mu x - \mu^2/2` and b = theta + 1 (or, for the
pair reversed, b = -theta) the moment M has :math:`M - 1 = \int \varphi(x) ((1 + u)^b - 1 - bu) dx`, as u has mean 0:
an integral of what is never negative, by the trapezoidal rule.  In the strip of width y about the real line,
:math:`|1 + u|` is between :math:`\cos(\mu y/2)` and 1 times its value on the line, so the rule with step h is off by at
most :math:`2 e^{y^2/2} B/(e^{2\pi y/h} - 1)`, B the integral of a bound of the modulus on the line.
"""

from __future__ import annotations

from math import cos, exp, expm1, inf, isfinite, log, log1p, pi, sqrt

import numpy as np

from ..core.directed import UNIT, enlarge, roundoff, shrink
from .step_losses import Array

Moment = tuple[float, float]

# The exponent below which aliases and tails are kept, of the trapezoidal rule.
NEGLIGIBLE = 120.0
# The most nodes; beyond them the answer is a bound that needs no integral.
MOST_NODES = 2**21


def sampled_gaussian_moment(sigma: float, rate: float, theta: float, *, backward: bool) -> Moment:
    """Return log E exp(theta L) of a Gaussian on a Poisson sample or, if ``backward``, of the reversed pair."""
    mu, power = 1.0 / sigma, -theta if backward else theta + 1.0
    if not backward:
        closed_form = _sampled_record_moment(mu, rate, power)
        if closed_form is not None:
            return closed_form
    return _integral(mu, rate, power, theta) or (0.0, enlarge(-theta * log1p(-rate), 8))


def replaced_gaussian_moment(sigma: float, rate: float, theta: float) -> Moment:
    """Return log E exp(theta L) of the loss that joins both directions of the sampled Gaussian at loss 0.

    With A and B the integrands of the two directions it is that of A + B over the half line where the loss is
    positive, hence below the sum of both integrals.  Only the upper end is meant; the lower is 0.
    """
    forth = sampled_gaussian_moment(sigma, rate, theta, backward=False)[1]
    back = sampled_gaussian_moment(sigma, rate, theta, backward=True)[1]
    large, small = max(forth, back), min(forth, back)
    if not isfinite(large):
        return 0.0, inf
    # log(e^large + e^small - 1)
    more = log1p(exp(small - large) - exp(-large)) if small > 1.0 else log1p(expm1(small) * exp(-large))
    return 0.0, enlarge(large + more, 16) + 4 * UNIT**2


def poisson_replaced_moment(sigma: float, rate: float, theta: float) -> Moment:
    r"""Return log E exp(theta L) of a Gaussian on a Poisson sample, a record replaced by an opposite one.

    With a and b the densities of both laws over that without a record it is the mean of
    :math:`a^{\theta+1} b^{-\theta}`.  A record that is replaced by nothing reveals no more, b = 1, and b is at least 1
    less the rate.
    """
    low, high = sampled_gaussian_moment(sigma, rate, theta, backward=False)
    return low, enlarge(high - theta * log1p(-rate), 8)


def _sampled_record_moment(mu: float, rate: float, power: float) -> Moment | None:
    r"""Return the moment where the sampled record decides, or None where that is not narrow.

    There :math:`M = r^b E e^{b\ell} (1 + o(1))`, and the lower end is without the o(1).  For any x*, 1 + u is at
    most (1 + eta) r e^l beyond it, with eta = e^(-l(x*)) (1 - r)/r, and (1 + u)^b is at most (1 + u(x*))^b before it.
    """
    square = mu * mu
    if power * square < 4.0 * (NEGLIGIBLE + log(power) - log(rate)):
        return None
    whole = power * log(rate) + 0.5 * power * (power - 1.0) * square
    doubt = roundoff(16, power * abs(log(rate)) + power * (power + 1.0) * square)
    place = 0.25 * power * mu
    loss = mu * (place - 0.5 * mu)
    more = power * exp(min(log1p(-rate) - log(rate) - loss, 0.0))  # b log(1 + eta) <= b eta
    before = enlarge(power * float(np.logaddexp(log1p(-rate), log(rate) + loss)), 16) + doubt - whole
    if not (isfinite(whole) and more < 1e-12 and before < -NEGLIGIBLE):
        return None
    return max(whole - doubt, 0.0), whole + doubt + 2.0 * more + 2.0 * exp(before)


def _integral(mu: float, rate: float, power: float, theta: float) -> Moment | None:
    """Return the moment by the trapezoidal rule, or None where that takes too many nodes."""
    # The strip: for a negative power the factor cos(mu y/2)^power is kept below about e^12.
    width = min(6.0, 0.9 * pi / mu, sqrt(80.0 / theta) / mu if power < 0.0 else inf)
    step = 2.0 * pi * width / (NEGLIGIBLE + 0.5 * width * width + 14.0)
    ends = _window(mu, rate, power, step)
    if ends is None:
        return None
    (first, last), tails, scale = ends
    x = step * np.arange(first, last + 1, dtype=np.float64)
    loss, value, doubt = _log_of_mixture(mu, rate, x)
    exponent, exponent_error = power * value, abs(power) * doubt + UNIT * np.abs(power * value)
    halves = 0.5 * x * x
    top = float(np.max(exponent - halves))
    root = step / sqrt(2.0 * pi)
    strip = 2.0 * exp(0.5 * width * width) / expm1(2.0 * pi * width / step)
    twist = cos(0.5 * mu * width) ** power if power < 0.0 else 1.0
    if top > 30.0:  # M itself is summed, over e^top: what M - 1 subtracts is below e^-25 of it, or charged
        terms = np.exp(exponent - halves - top)
        total = root * float(np.sum(terms))
        error = root * float(np.sum(terms * np.expm1(exponent_error + UNIT * (16.0 + 4.0 * halves + 2.0 * abs(top)))))
        error += total * 64 * UNIT + tails * _exp(scale - top) + strip * (twist * 2.0 * total + 2.0)
        low, high = total - error, total + error
        if not (low > 0.0 and isfinite(high)):
            return None
        return max(top + log(low) - roundoff(8, top), 0.0), top + log(high) + roundoff(8, top)
    # Everything is multiplied by the density, so that nothing overflows: phi(x) e^loss = phi(x - mu).
    density, shifted_density = root * np.exp(-halves), root * np.exp(-0.5 * (x - mu) ** 2)
    powers = root * np.exp(exponent - halves)
    nonlinear_part = np.where(exponent > 1.0, powers - density, density * np.expm1(np.minimum(exponent, 1.0)))
    linear_part = (
        power * rate * np.where(loss > 1.0, shifted_density - density, density * np.expm1(np.minimum(loss, 1.0)))
    )  # this is b u
    inside = nonlinear_part - linear_part
    # exp or expm1 and its argument, b u with its argument, their difference, phi and phi(x - mu) with theirs.
    far = 24.0 + 4.0 * (halves + 0.5 * (x - mu) ** 2) + 2.0 * np.abs(exponent)
    term_errors = powers * np.expm1(exponent_error) + UNIT * 2.0 * np.abs(inside)
    term_errors += UNIT * (
        np.where(exponent > 1.0, far * (powers + density), (far - 2.0 * np.abs(exponent)) * np.abs(nonlinear_part))
    )
    term_errors += UNIT * np.where(loss > 1.0, far, 24.0 + 4.0 * halves) * np.abs(linear_part)
    term_errors += (
        UNIT * abs(power) * rate * (6.0 * shifted_density * np.abs(loss) + np.where(loss > 1.0, far * density, 0.0))
    )
    total = float(np.sum(inside))
    error = float(np.sum(term_errors)) * (1.0 + 1e-9) + roundoff(64, float(np.sum(np.abs(inside))))
    size = twist * (2.0 + 2.0 * abs(total)) + 1.0 + 2.0 * abs(power) * rate
    error += tails * _exp(scale) + strip * size
    if not isfinite(total + error):
        return None
    high = log1p(max(total + error, 0.0))
    low = log1p(max(total - error, 0.0))
    return shrink(low, 4), enlarge(high, 4)


def _log_of_mixture(mu: float, rate: float, x: Array) -> tuple[Array, Array, Array]:
    """Return the loss of the Gaussian at x, log(1 - r + r e^loss), and a bound of that one's absolute error."""
    loss = mu * (x - 0.5 * mu)
    # mu, half of it from x, and their product are rounded.
    loss_error = roundoff(6.0, mu) * (np.abs(x) + mu)
    with np.errstate(over="ignore"):
        change = rate * np.expm1(loss)
    near = np.abs(change) < 0.5
    plain = np.log1p(np.where(near, change, 0.0))
    log_rest, log_rate = log1p(-rate), log(rate)
    value = np.where(near, plain, np.logaddexp(log_rest, log_rate + loss))
    with np.errstate(over="ignore"):
        of_near = 2.0 * (roundoff(8.0, np.abs(change)) + rate * np.exp(loss) * loss_error) + roundoff(
            4.0, np.abs(plain)
        )
    of_far = loss_error + roundoff(8.0, abs(log_rest) + abs(log_rate) + np.abs(loss) + 1.0)
    return loss, value, np.where(near, of_near, of_far)


def _window(mu: float, rate: float, power: float, step: float) -> tuple[tuple[int, int], float, float] | None:
    """Return the first and last node, and factor and exponent of a bound of all others; None if there are too many."""

    def height(x: float) -> float:
        value = float(np.logaddexp(log1p(-rate), log(rate) + mu * (x - 0.5 * mu)))
        return power * value - 0.5 * x * x

    def share(x: float) -> float:
        odds = log(rate) - log1p(-rate) + mu * (x - 0.5 * mu)
        return 1.0 / (1.0 + exp(-odds)) if odds > -700.0 else exp(odds)

    def falls_left(x: float) -> float:
        """Return a lower bound of the slope -x + b mu share of the log integrand left of x; the share falls there."""
        return -x + min(power, 0.0) * mu * share(x)

    def falls_right(x: float) -> float:
        return x - max(power, 0.0) * mu

    # For b > 0 the integrand is at most (1 + u)^b to the right and b r to the left; for b < 0 it is at most
    # (1 + u)^b to the left and -b u <= -b r e^loss to the right: of these the peaks are at b mu, 0 and mu.
    left, right = -17.0, 17.0 + (power * mu if power > 0.0 else mu)
    peak = max(height(0.0), height(max(power, 0.0) * mu), 0.0)
    for _ in range(200):
        if falls_left(left) >= 8.0 and height(left) < peak - NEGLIGIBLE:
            break
        left *= 1.1
    for _ in range(200):
        if falls_right(right) >= 8.0 and height(right) < peak - NEGLIGIBLE:
            break
        right *= 1.1
    if not right - left < step * MOST_NODES:
        return None
    first, last = int(np.floor(left / step)), int(np.ceil(right / step))
    low, high = first * step, last * step
    root = step / sqrt(2.0 * pi)
    # Each tail is at most a geometric series: (1 + u)^b on the side where it is large, and the linear term on both.
    below = _exp(height(low) - peak) / -expm1(-falls_left(low) * step)
    below += abs(power) * _exp(-0.5 * low * low - peak) / -expm1(low * step)
    above = _exp(height(high) - peak) / -expm1(-falls_right(high) * step)
    above += abs(power) * _exp(-0.5 * (high - mu) ** 2 - peak) / -expm1(-(high - mu) * step)
    return (first, last), 2.0 * root * (below + above), peak


def _exp(exponent: float) -> float:
    return exp(exponent) if exponent < 700.0 else inf
