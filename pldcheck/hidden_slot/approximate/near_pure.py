r"""(eps0, delta0)-DP randomizers against pure ones: hardly more than w delta0 apart.

With x = e^eps0, :math:`\kappa = e^\epsilon`, :math:`\rho = 2 \delta_0 / x`, :math:`\sigma = \rho - \delta_0` and
:math:`W_\kappa(u)` the largest :math:`E(u + \tfrac wm \sum_i (a_i - 1 - \kappa (a'_i - 1)))_+` over adaptive pure
randomizers of budget :math:`\hat\epsilon_0 = \log \hat x = \epsilon_0 + \log\frac{1+\rho}{1-\delta_0}`, so that
:math:`W_\kappa(1 - \kappa)` is their :math:`\delta(\epsilon)`,

.. math:: \delta(\epsilon) \le w \delta_0 + (1 + \sigma) E\, W_{\hat\kappa}\Big(1 - \hat\kappa + \frac wm g J\Big),
          \quad J \sim \mathrm{Bin}(m, \rho), \quad
          \hat\kappa - 1 = \frac{\kappa - 1 - (\sigma + \kappa \delta_0) v}{1 + \sigma}, \quad
          v = \frac{w \hat x}{1 + w (\hat x - 1)},

with :math:`g = \frac{\kappa}{1+\min(\sigma, 0)} + \max(\hat x - 1, \hat\kappa (1 - 1/\hat x))`.

*Proof.*  At slot i, given the past, let mu, nu, nu' be the output laws on g, d, d', and a, a' the densities of (the
parts of) nu, nu' with respect to mu; c = w/m.  Then :math:`\delta(\epsilon)` is at most the expectation of
:math:`(1 - \kappa + c \sum_i (a_i - 1 - \kappa (a'_i - 1)))_+`, and c for each unit of nu that mu does not have.

1. Cut a to :math:`a_1 = \min(a, x)`; what nu loses, C <= delta0, is paid: c C.  Cut a' to :math:`a'_1 = \min(a', x)`,
   by C' <= delta0, which costs nothing.
2. Raise a to :math:`a_2 = \max(a_1, \max(1, a'_1)/x)`, by R on average, which costs nothing, and a' to :math:`a'_2 =
   \max(a'_1, \max(1, a_1)/x)`, by :math:`r \in [0, 1]`.  Against mu and against the other that takes delta0/x each, so
   R and the mean of r are at most rho.  Now (a_2, a'_2) is in the hexagon of
   :mod:`pldcheck.hidden_slot.worst.step_laws`, with means
   :math:`N = 1 + R - C` and :math:`N' \ge 1 - \delta_0`.
3. Divide by N and N': a_3 and a'_3 belong to a randomizer of budget :math:`\hat\epsilon_0` on the three inputs.  Let C
   grow to delta0 where :math:`N a_3` stands for a: what is paid grows by as much as nu, whose part in the sum is
   smaller.  So N = 1 + sigma may be put for N, and 1 - delta0 for N'.  With
   :math:`p = 1 - w + c \sum a_3`, :math:`p' = 1 - w + c \sum a'_3 \le 1 + w (\hat x - 1)` the sum is at most
   :math:`(1+\sigma) p - \kappa (1-\delta_0) p' - (1-w) (\sigma + \kappa \delta_0) \le (1+\sigma) (p - \hat\kappa p')`.
4. What is left is :math:`\kappa r` in every slot, dependent on its step :math:`s = a_3 - 1 - \hat\kappa (a'_3 - 1)`.
   Let y be its factor, phi, convex and increasing, what later slots make of the sum, and M = g - y >= s.  Then
   :math:`E \varphi(s + y r) - E \varphi(s) \le \rho (\varphi(M + y) - \varphi(M))`, which by Jensen's inequality and
   s <= M is at most :math:`\rho (E \varphi(s + g) - E \varphi(s))`: no more than if g were added with probability rho,
   independently.  Replace the slots from the last to the first.

As W is convex and of slope at most 1, for k > m rho and H = k w g / m

.. math:: E\, W(u + \tfrac wm g J) \le W(u) + \frac{m \rho}k W(u + H) + \tfrac wm g E(J - k)_+,

or :math:`W(u) + w g \rho`.  And :math:`W_\kappa(\beta (1 - \kappa))` is beta times the pure delta with weight w/beta,
whether that is a probability or not.

Next to kappa = 1 there is no :math:`\hat\kappa > 1`.  There the bound at a larger kappa' serves, and kappa' - kappa is
added: :math:`\delta = \sup E_Q(dP/dQ - \kappa)_+` falls in kappa, and no faster than kappa rises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, e, exp, expm1, inf, log, log1p

from ...core.directed import UNIT
from ...core.interval import UNDERFLOW
from ..worst import worst_intervals
from ..worst.slot_problem import Slot

# Relative error of a few operations on parameters.
FEW_OPERATIONS = 32 * UNIT
# Number of trial amounts beyond w delta0.
TRIALS = 5
# Relative margin of each trial above the cost of the one before.
MARGIN = 1.2
# The first trial amount, relative to the width asked for.
FIRST_SHARE = 0.01
# Least delta for which a pure randomizer is inverted, and that an estimate of 0 stands for.
LEAST_DELTA = 1e-300
# k is chosen such that E(J - k)_+ is no more than this share of E J.
RARE_SHARE = 1e-3


@dataclass(frozen=True)
class NearbyRandomizers:
    """The slot of pure randomizers nearby, rounded towards worse privacy, rho (up) and sigma."""

    slot: Slot
    delta0: float
    rate: float

    @property
    def excess(self) -> float:
        """The number sigma, rounded up."""
        return self.rate - self.delta0 * (1.0 - FEW_OPERATIONS)

    @property
    def revelation(self) -> float:
        """The probability w delta0 that the record is revealed, rounded up."""
        return self.slot.weight * self.delta0 * (1.0 + FEW_OPERATIONS) + UNDERFLOW

    @property
    def _posterior(self) -> float:
        """The number v, rounded up."""
        w, x_1 = self.slot.weight, expm1(self.slot.eps0)
        return w * (1.0 + x_1) / (1.0 + w * x_1) * (1.0 + FEW_OPERATIONS)

    def kappa_hat_1(self, kappa_1: float) -> float:
        """Return kappa-hat - 1 for kappa - 1 = ``kappa_1``, rounded down."""
        shift = (self.rate + self.delta0 * kappa_1) * self._posterior  # sigma + kappa delta0 = rho + (kappa - 1) delta0
        return (kappa_1 * (1.0 - FEW_OPERATIONS) - shift * (1.0 + FEW_OPERATIONS)) / (1.0 + self.excess)

    def kappa_1_of(self, kappa_hat_1: float) -> float:
        """Return the inverse of :meth:`kappa_hat_1`, rounded up; infinity where there is none."""
        slope = 1.0 - self.delta0 * self._posterior * (1.0 + FEW_OPERATIONS)
        if slope <= FEW_OPERATIONS:
            return inf
        return (kappa_hat_1 * (1.0 + self.excess) + self.rate * self._posterior) / slope * (1.0 + 4.0 * FEW_OPERATIONS)

    @property
    def least_kappa_hat_1(self) -> float:
        """The kappa-hat - 1 that stands for smaller ones: of the size of what moves kappa."""
        return self.rate * self._posterior

    def jump_delta(self, kappa_1: float, kappa_hat_1: float, estimate: float) -> float:
        """Return the amount that the jumps J add to the pure delta at kappa-hat.

        ``estimate`` is an estimate of that delta.
        """
        m, w = self.slot.steps, self.slot.weight
        most = max(expm1(self.slot.eps0), (1.0 + kappa_hat_1) * -expm1(-self.slot.eps0))
        jump = (most + (1.0 + kappa_1) / (1.0 + min(self.excess, 0.0))) * (1.0 + FEW_OPERATIONS)
        mean = m * self.rate * (1.0 + FEW_OPERATIONS)
        plain = w * jump * self.rate * (1.0 + FEW_OPERATIONS)
        # k puts H where the pure delta has grown by a factor of about e.
        fall = -log(min(max(estimate, LEAST_DELTA), 0.5))
        k = max(ceil(kappa_hat_1 / max(fall, 1.0) * m / (w * jump)), 1)
        while k <= mean or _excess(mean, k) > RARE_SHARE * mean:
            k = ceil(1.5 * k)
        rest = 1.0 - k * w * jump / m / kappa_hat_1 * (1.0 + FEW_OPERATIONS) - FEW_OPERATIONS
        if rest <= 0.0:
            return plain
        heavier = Slot(m, self.slot.eps0, w / rest * (1.0 + FEW_OPERATIONS))
        epsilon = log1p(kappa_hat_1) * (1.0 - FEW_OPERATIONS)
        if epsilon >= heavier.inner_cap:
            return plain
        heavier_delta = rest * worst_intervals.delta_above(heavier, epsilon)
        return min(plain, (mean / k * heavier_delta + w * jump / m * _excess(mean, k)) * (1.0 + FEW_OPERATIONS))


def _excess(mean: float, k: int) -> float:
    """Return an upper bound of E(J - k)_+ for a binomial J, k > mean: y_+ <= e^(t y)/(e t), e^t = k/mean."""
    if mean == 0.0:
        return 0.0
    tilt = log(k / mean)
    exponent = k - mean - k * tilt
    return exp(exponent + FEW_OPERATIONS * k * (1.0 + tilt)) / (e * tilt) * (1.0 + FEW_OPERATIONS) + UNDERFLOW


def nearby_randomizers(slot: Slot, delta0: float) -> NearbyRandomizers:
    """Return the pure randomizers near (eps0, delta0)-DP ones."""
    rate = 2.0 * delta0 * exp(-slot.eps0) * (1.0 + FEW_OPERATIONS)
    wider = (slot.eps0 + (log1p(rate) - log1p(-delta0)) * (1.0 + FEW_OPERATIONS)) * (1.0 + FEW_OPERATIONS)
    return NearbyRandomizers(Slot(slot.steps, wider, slot.weight), delta0, rate)


def delta_upper(slot: Slot, delta0: float, epsilon: float, pure: Callable[[Slot, float], float]) -> float:
    """Return an upper end of delta(epsilon), from one of pure randomizers; 1 where it cannot be formed."""
    near = nearby_randomizers(slot, delta0)
    kappa_1 = expm1(epsilon)
    kappa_hat_1, moved = near.kappa_hat_1(kappa_1), 0.0
    if kappa_hat_1 < near.least_kappa_hat_1:
        larger = near.kappa_1_of(near.least_kappa_hat_1)
        kappa_hat_1 = near.kappa_hat_1(larger)
        if larger >= 1.0 or kappa_hat_1 <= 0.0:  # the bound would be above 1
            return 1.0
        kappa_1, moved = larger, larger - kappa_1 * (1.0 - FEW_OPERATIONS)
    pure_delta = pure(near.slot, log1p(kappa_hat_1) * (1.0 - FEW_OPERATIONS))
    above = (1.0 + near.excess) * (pure_delta + near.jump_delta(kappa_1, kappa_hat_1, pure_delta))
    return near.revelation + (above + moved) * (1.0 + FEW_OPERATIONS)


def epsilon_upper(slot: Slot, delta0: float, delta: float, width: float) -> float:
    """Return an epsilon at which the upper end is at most ``delta``; infinity if the search fails."""
    near = nearby_randomizers(slot, delta0)
    extra = FIRST_SHARE * width * delta
    for _ in range(TRIALS):
        pure_delta = (delta - near.revelation - FEW_OPERATIONS * delta) / (1.0 + near.excess) * (
            1.0 - FEW_OPERATIONS
        ) - extra
        if pure_delta < LEAST_DELTA:
            break
        # The pure delta decreases in epsilon, so that it may be evaluated at any epsilon that is not smaller.
        kappa_hat_1 = max(
            expm1(worst_intervals.epsilon(near.slot, "replace", pure_delta, width).upper) * (1.0 + FEW_OPERATIONS),
            near.least_kappa_hat_1,
        )
        kappa_1 = near.kappa_1_of(kappa_hat_1)
        if kappa_1 == inf:
            break
        cost = near.jump_delta(kappa_1, kappa_hat_1, pure_delta)
        if cost <= extra:
            if kappa_hat_1 == near.least_kappa_hat_1 and _is_zero(slot, delta0, delta, width):
                return 0.0
            return log1p(kappa_1) * (1.0 + FEW_OPERATIONS)
        extra = MARGIN * cost
    return inf


def _is_zero(slot: Slot, delta0: float, delta: float, width: float) -> bool:
    """Return whether the upper end of delta(0) is at most ``delta``."""
    return (
        delta_upper(slot, delta0, 0.0, lambda near, at: worst_intervals.delta(near, "replace", at, width).upper)
        <= delta
    )
