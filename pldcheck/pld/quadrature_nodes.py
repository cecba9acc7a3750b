r"""Sampled Gaussians by a trapezoidal rule in the noise: few losses with nearly the true characteristic function.

A sum of many losses is inverted by its characteristic function alone.  Cells make a law that dominates it and one that
it dominates, and their number decides how far apart these are.  Here the outcomes are the nodes of a rule instead, and
all that has to be bounded is how far the moments :math:`M(z) = E e^{zL}` of nodes are off.  With the density f of the
standard normal law, :math:`w(x) = 1 - r + r e^{\mu x - \mu^2/2}` and z = theta + is it is

.. math:: M(z) = \int \varphi(x) w(x)^\beta dx, \quad \beta = z + 1, \text{ or } -z \text{ for the pair reversed.}

**On a strip.**  With b the real part of beta, for :math:`|y| \le Y < \pi/\mu`,

.. math:: |\varphi(x + iy)| = \varphi(x) e^{y^2/2}, \quad
          \cos(\mu y/2) \, w(x) \le |w(x + iy)| \le w(x), \quad
          |w^\beta| \le w(x)^b e^{t |y| + |s| a(x, y)},

with a the argument of w, which rises with x, and t = 0 or, where b < 0, :math:`t = b \log\cos(\mu Y/2)/Y`, as the
logarithm is concave in y.

**The rule.**  Let h be its step and c lie halfway between two nodes.  By the residues of :math:`1/(e^{2\pi iz/h} - 1)`
in the part of the strip left of c,

.. math:: \Big| h \sum_{x_k < c} F(x_k) - \int_{-\infty}^c F \Big| \le
          \frac{2}{e^{2\pi Y/h} - 1} \sup_\pm \int_{-\infty}^c |F(x \pm iY)| dx
          + 2 \int_0^Y \frac{\sup_\pm |F(c \pm iy)|}{1 + e^{2\pi y/h}} dy .

Let :math:`\alpha` be the larger of :math:`a(c, Y)/Y` and the slope of a at y = 0: a(c, y) is at most alpha y, as a is
concave in y where :math:`r e^{\mu c - \mu^2/2} < 1 - r` and convex elsewhere.  With
:math:`\kappa = Y/2 + t + |s| \alpha - 2\pi/h < 0` the first term is at most
:math:`2.1 \, e^{\kappa Y} M(\theta)` and the second one :math:`2 \varphi(c) w(c)^b/|\kappa|`.  Beyond c the sum of
moduli is that of the nodes there, and the integral at most that plus both errors of s = 0.  So c may be chosen for each
frequency: the phase turns too fast for the nodes only where there is hardly any mass.

**High frequencies.**  By the loss l itself, M(z) is the transform of :math:`\varphi w^b/(\mu u)`, u = l'/mu the
logistic function.  The slope of its logarithm is :math:`-x - \mu + (b + 1)\mu u`, which has at most three zeros, as u
is first convex and then concave.  It has at most two maxima, and :math:`|M(z)|` is at most four times the larger one
over \|s\|.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, expm1, floor, inf, log1p, pi

import numpy as np
from numpy.typing import NDArray

from ..core.directed import UNIT, roundoff
from .step_losses import Array, Atoms, NodeRule

# The exponent below which what the rule adds to a moment is kept.
NEGLIGIBLE = 50.0
# Half the width of the strip, at most: e^(Y^2/2) grows beyond it.
WIDEST_STRIP = 2.5
# Half the width of the strip, at most, in distances of the zeros of w from the real line.
SHARE_OF_STRIP = 0.8
# The step is a multiple of this, so that the nodes are floats without rounding.
GRANULE = 2.0**-12
# Deviations from the mean at which nodes end.
NEAR_END = 10.0
# Deviations at which they end where a tilt moves mass outward.
FAR_END = 14.0
# 2 pi over the step, beyond twice the fastest phase at the frequency that matters most: all nodes are of use up to it.
MORE_TURNS = 10.0
# The largest exponent of an estimate.
LARGEST_EXPONENT = 600.0
# Cells are fewer than nodes where there would be more of these.
MOST_NODES = 1500
# Bounds relative to a moment of the nodes instead of the true one, which are within MOST_ERROR of another.
MARGIN = 1.05
# A moment that is off by more than this share is taken for unknown.
MOST_ERROR = 0.01
# The error of a ratio of moments where nothing is known: both are at most 1.
UNKNOWN = 2.0
# At least 2/(1 - e^(-2 pi Y/h)).
HORIZONTAL = 2.1


@dataclass(frozen=True)
class SampledGaussian:
    """N(1) with probability ``rate``, else N(0), against N(0); ``backward``: the reversed pair."""

    sigma: float
    rate: float
    backward: bool

    @property
    def variance(self) -> float:
        """About the variance of the loss; an estimate that only decides how fine the nodes are."""
        return log1p(self.rate * self.rate * expm1(min(self.sigma**-2, LARGEST_EXPONENT)))

    def law(self, frequency: float) -> Atoms | None:
        """Return nodes that are fine enough up to about this frequency, or None where they are too many.

        Of this law the moments are near those of the mechanism, and nothing else is.
        """
        mu = 1.0 / self.sigma
        strip = min(WIDEST_STRIP, SHARE_OF_STRIP * pi / mu)
        turns = max(2.0 * NEGLIGIBLE / strip, 2.0 * mu * frequency + MORE_TURNS)
        step = floor(2.0 * pi / turns / GRANULE) * GRANULE
        last = NEAR_END if self.backward else FAR_END + mu
        if step <= 0.0 or (NEAR_END + last) / step > MOST_NODES:
            return None
        x = step * np.arange(-ceil(NEAR_END / step), ceil(last / step) + 1, dtype=np.float64)
        losses, doubts = _log_of_mixture(mu, self.rate, x)
        masses = np.exp((0.0 if self.backward else losses) - 0.5 * x * x)
        doubt, reach = float(np.max(doubts)), float(np.max(np.abs(x)))
        # The exponential of a rounded square and of a loss.
        error = UNIT * (16.0 + 2.0 * reach * reach) + 2.0 * doubt + roundoff(2, float(np.max(np.abs(losses))))
        rule = NodeRule(mu, self.rate, step, strip, float(x[0]), self.backward)
        return Atoms.of(-losses if self.backward else losses, masses, mass_error=error, loss_error=doubt, rule=rule)


def _log_of_mixture(mu: Array | float, rate: Array | float, x: Array) -> tuple[Array, Array]:
    """Return log w at these places and bounds of its absolute error."""
    inner = mu * (x - 0.5 * mu)
    with np.errstate(over="ignore"):
        change = rate * np.expm1(inner)
    near = np.abs(change) < 0.5
    value = np.where(near, np.log1p(np.where(near, change, 0.0)), np.logaddexp(np.log1p(-rate), np.log(rate) + inner))
    # An error of the inner exponent, or of log(rate), moves log w by at most as much.
    doubt = roundoff(4, mu * (np.abs(x) + mu)) + roundoff(16, np.abs(value))
    return value, doubt + np.where(near, 0.0, roundoff(8, np.abs(np.log(rate))))


def _odds(mu: Array, rate: Array, x: Array) -> Array:
    """Return the part of w that comes with the record, over the other: w is (1 - r) (1 + odds)."""
    return np.exp(np.minimum(mu * (x - 0.5 * mu), 700.0)) * rate / (1.0 - rate)


@dataclass(frozen=True, eq=False)
class _Halfway:
    """Numbers at places halfway between a node and the next one, node after node.

    ``logs``: log w; ``densities``: that of the noise there, its logarithm; ``slopes``: alpha; ``declines``: -kappa at
    s = 0; ``least``: the least -kappa with which a place is used.  ``stretches``: 1/(h l') at the node itself.
    """

    logs: Array
    densities: Array
    slopes: Array
    declines: Array
    least: Array
    stretches: Array


@dataclass(frozen=True, eq=False)
class NodeErrors:
    """The laws of nodes in a sum, and how far their moments are off.

    ``rules`` are those of the laws, ``parts`` their places among the parts of the sum, and ``sizes`` their numbers of
    nodes.  ``cumulants`` are logarithms of moments of the nodes at the tilt theta, law after law, ``masses`` the tilted
    masses of all their nodes, with the sum 1 each.
    """

    rules: tuple[NodeRule, ...]
    parts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def moment_errors(self, theta: float, cumulants: Array) -> Array:
        """Return bounds of how far the cumulants are from log M(theta), infinite where nothing is known."""
        # At theta = 0 the moment is 1, and the masses are divided by that of the nodes.
        errors = MARGIN * (self._shares(theta, cumulants) + self._shares(0.0, np.zeros(self.sizes.size)))
        return np.where(errors < MOST_ERROR, errors, inf)

    def ratio_errors(self, theta: float, cumulants: Array, masses: Array, frequencies: Array) -> Array:
        """Return bounds of the error of M(theta + is)/M(theta): a row a law, a column a frequency s > 0, rising.

        They rise with s: between two frequencies that of the larger one holds.
        """
        powers, halfway = self._powers(theta), self._halfway
        declines_at_zero = halfway.declines - np.repeat(self._twist(theta), self.sizes)
        weights = np.repeat(powers, self.sizes) * halfway.logs + halfway.densities - np.repeat(cumulants, self.sizes)
        # The masses are divided by the moment of the nodes at theta = 0.
        plain = self._shares(theta, cumulants) + self._shares(0.0, np.zeros(self.sizes.size))
        ranks, errors = np.arange(masses.size) - np.repeat(self._begins, self.sizes), []
        for s in frequencies.tolist():
            declines = declines_at_zero - s * halfway.slopes
            counts = np.add.reduceat(declines >= halfway.least, self._begins, dtype=np.int64)
            places = self._begins + np.maximum(counts, 1) - 1
            fall = np.maximum(declines[places], 0.5 * halfway.least[places])
            left = HORIZONTAL * np.exp(-self._of("strip") * fall)
            upright = 2.0 * np.exp(np.minimum(weights[places], 700.0)) / fall
            right = np.add.reduceat(np.where(ranks < np.repeat(counts, self.sizes), 0.0, masses), self._begins)
            error = MARGIN * (2.0 * (left + upright + right) + 4.0 * plain)
            errors.append(np.where((counts > 0) & (plain < MOST_ERROR), np.minimum(error, UNKNOWN), UNKNOWN))
        return np.maximum.accumulate(np.array(errors).reshape(-1, self.sizes.size).T, axis=1)

    def turning_points(self, theta: float, cumulants: Array, masses: Array) -> Array:
        """Return numbers V, one a law, with M(theta + is)/M(theta) at most V/s; infinite where none is known."""
        powers, mu, step = self._powers(theta), self._of("mu"), self._of("step")
        largest = np.maximum.reduceat(masses * self._halfway.stretches, self._begins)
        # The nearest node is within half a step of a maximum, and the logarithm bends by at most this.
        bend = 1.0 + 0.25 * mu * mu * np.maximum(-1.0 - powers, 0.0)
        # The slope of the logarithm is positive left of the first node, and negative right of the last one.
        before = -self._first - mu + np.minimum(powers + 1.0, 0.0) * mu * self._share_at_first
        inside = (before > 0.0) & (np.maximum(powers + 1.0, 0.0) * mu - mu < self._last)
        known = inside & (self._shares(theta, cumulants) < MOST_ERROR)
        return np.where(known, 4.0 * MARGIN * largest * np.exp(0.125 * bend * step * step), inf)

    def _shares(self, theta: float, cumulants: Array) -> Array:
        """Return bounds of the relative error of M(theta): of the rule, and of the nodes that are left out."""
        powers, mu, strip = self._powers(theta), self._of("mu"), self._of("strip")
        exponent = strip * (0.5 * strip + self._twist(theta) - 2.0 * pi / self._of("step"))
        shares = HORIZONTAL * np.exp(np.minimum(exponent, 700.0))
        # Beyond the ends the logarithm of the integrand falls at least so fast, and so far it has fallen there.
        first, last = self._logs_at_ends
        left = -self._first + np.minimum(powers, 0.0) * mu * self._share_at_first
        right = self._last - np.maximum(powers, 0.0) * mu
        for place, logs, fall in ((self._first, first, left), (self._last, last, right)):
            height = np.exp(np.minimum(powers * logs - 0.5 * place * place - cumulants, 700.0))
            # Where it falls slowly at first, the normal density alone leaves less than height/GRANULE.
            shares = shares + np.where(fall > 0.0, height / np.maximum(fall, GRANULE), inf)
        return MARGIN * shares

    def _powers(self, theta: float) -> Array:
        """Return b of each law."""
        return np.where(self._of("backward") > 0.0, -theta, theta + 1.0)

    def _twist(self, theta: float) -> Array:
        """Return t of each law."""
        strip = self._of("strip")
        # log cos x = log(1 - 2 sin^2(x/2)), which is not 0 for small angles.
        logs: Array = np.log1p(-2.0 * np.sin(0.25 * self._of("mu") * strip) ** 2)
        return np.minimum(self._powers(theta), 0.0) * logs / strip

    def _of(self, name: str) -> Array:
        """Return a number of each rule."""
        return self._numbers[name]

    @cached_property
    def _numbers(self) -> dict[str, Array]:
        names = ("mu", "rate", "step", "strip", "first", "backward")
        return {name: np.array([getattr(rule, name) for rule in self.rules], dtype=np.float64) for name in names}

    @cached_property
    def _begins(self) -> NDArray[np.int64]:
        return np.cumsum(self.sizes) - self.sizes

    @property
    def _first(self) -> Array:
        return self._of("first")

    @cached_property
    def _last(self) -> Array:
        return self._first + self._of("step") * (self.sizes - 1)

    @cached_property
    def _share_at_first(self) -> Array:
        """The logistic function u at the first node of each law: left of it u is smaller."""
        odds = _odds(self._of("mu"), self._of("rate"), self._first)
        return MARGIN * odds / (1.0 + odds)

    @cached_property
    def _logs_at_ends(self) -> tuple[Array, Array]:
        """Log w at the first and at the last node of each law."""
        mu, rate = self._of("mu"), self._of("rate")
        return _log_of_mixture(mu, rate, self._first)[0], _log_of_mixture(mu, rate, self._last)[0]

    @cached_property
    def _halfway(self) -> _Halfway:
        mu, rate, step, strip, first = (
            np.repeat(self._of(name), self.sizes) for name in ("mu", "rate", "step", "strip", "first")
        )
        nodes = first + step * (np.arange(first.size) - np.repeat(self._begins, self.sizes))
        x = nodes + 0.5 * step
        ratio, at_node, angle = _odds(mu, rate, x), _odds(mu, rate, nodes), mu * strip
        turn = np.arctan2(ratio * np.sin(angle), 1.0 + ratio * np.cos(angle))
        declines = 2.0 * pi / step - 0.5 * strip
        return _Halfway(
            logs=_log_of_mixture(mu, rate, x)[0],
            densities=-0.5 * x * x,
            slopes=(1.0 + roundoff(64)) * np.maximum(mu * ratio / (1.0 + ratio), turn / strip),
            declines=declines,
            least=0.5 * declines,
            stretches=(1.0 + at_node) / (at_node * mu * step),
        )
