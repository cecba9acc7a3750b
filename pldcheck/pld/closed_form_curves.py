r"""Privacy curves in closed form: any number of Gaussian steps, and one Laplace step.

**Gaussian.**  With mu = sqrt(variance), :math:`\delta(\epsilon) = \Phi(\mu/2 - \epsilon/\mu) - e^\epsilon \Phi(-\mu/2 -
\epsilon/\mu)`, in balls of as many bits as the difference needs: so it is right where it underflows, too.

**Laplace.**  :math:`\delta(\epsilon) = 1 - e^{-(\epsilon_0 - \epsilon)/2}` for epsilon up to eps0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import expm1, inf, isfinite, log1p, nextafter
from sys import float_info
from typing import Any, Protocol

from ..core.directed import UNIT, Side, enlarge, float_above, float_below, shrink

# Bits left of a difference at least.
BITS_LEFT = 70
# Bits beyond which no more are tried.
MOST_BITS = 2**14
# From here on erfc is taken times e^(x^2).
STEEP = 10.0
# Exponent of 2 of probabilities far below every float.
UNSEEN = -1200
# Relative error of a variance in units: sigma^-2 and its multiple by a count are rounded, and so are sums of them.
VARIANCE_UNITS = 8.0
# Steps of Newton's iteration.
NEWTON = 60
# Searches by growing steps take at most eight times so many.
HALVINGS = 80


class Curve(Protocol):
    """delta of an epsilon and epsilon of a delta, rounded down and rounded up."""

    def delta(self, epsilon: float) -> tuple[float, float]:
        """Floats around delta(epsilon)."""
        ...

    def epsilon(self, delta: float) -> tuple[float, float]:
        """Floats around the smallest epsilon with delta(epsilon) <= delta."""
        ...


def outward_floats(ball: Any) -> tuple[float, float]:
    """The floats on either side of a python-flint ball; 0 and infinity where it leaves their range."""
    if not ball.is_finite():
        return -inf, inf
    low, high = ball.lower(), ball.upper()
    return _rounded(low, -inf), _rounded(high, inf)


def _rounded(exact: Any, towards: float) -> float:
    near = float(exact)
    if near == inf:
        return inf if towards > 0.0 else float_info.max
    if near == -inf:
        return -float_info.max if towards > 0.0 else -inf
    right = exact >= near if towards < 0.0 else exact <= near
    return near if right else nextafter(near, towards)


@dataclass(frozen=True)
class GaussianCurve:
    """N(variance/2, variance) as a loss; the variance is known to ``VARIANCE_UNITS`` units."""

    variance: float

    def delta(self, epsilon: float) -> tuple[float, float]:
        """Delta grows with the variance: each end is taken at one end of it."""
        slack = VARIANCE_UNITS * UNIT
        low = _gaussian_delta(self.variance * (1.0 - slack), epsilon)
        high = _gaussian_delta(self.variance * (1.0 + slack), epsilon)
        return max(outward_floats(low)[0], 0.0), min(outward_floats(high)[1], 1.0)

    def epsilon(self, delta: float) -> tuple[float, float]:
        """Each end is a float at which the curve is compared with delta in balls."""
        slack = VARIANCE_UNITS * UNIT
        low = _crossing(self.variance * (1.0 - slack), delta, side=Side.LOWER)
        return low, _crossing(self.variance * (1.0 + slack), delta, side=Side.UPPER)


@cache
def _flint() -> Any:
    import flint

    return flint


def _gaussian_delta(variance: float, epsilon: float) -> Any:
    """A ball around delta with ``BITS_LEFT`` bits."""
    flint = _flint()
    return _delta_and_slope(lambda: flint.arb(variance).sqrt(), flint.arb(epsilon))[0]


def _delta_and_slope(mu: Callable[[], Any], epsilon: Any) -> tuple[Any, Any]:
    """Balls around delta and e^epsilon Phi(-mu/2 - epsilon/mu), minus its derivative."""
    flint = _flint()
    bits = 160
    while True:
        with flint.ctx.workprec(bits):
            root, m = flint.arb(2).sqrt(), mu()
            near, far = (epsilon / m - m / 2) / root, (epsilon / m + m / 2) / root
            # epsilon - far^2 = -near^2
            share = (-near * near).exp() / 2
            paid = share * _scaled(far) if far > STEEP else epsilon.exp() * far.erfc() / 2
            first = share * _scaled(near) if near > STEEP else near.erfc() / 2
            if first <= flint.arb(2) ** UNSEEN:  # delta is at most that: no bits are spent on it
                return (first / 2).union(flint.arb(0)).union(first), paid
            found = first - paid
            if bits >= MOST_BITS or found.rel_accuracy_bits() >= BITS_LEFT:
                return found, paid
        bits *= 2


def _scaled(x: Any) -> Any:
    """e^(x^2) erfc(x); balls of erfc itself are wide where it is small."""
    half = _flint().arb(1) / 2
    return (x * x).hypgeom_u(half, half) / _flint().arb.pi().sqrt()


def _crossing(variance: float, delta: float, *, side: Side) -> float:
    """A float next to the root with delta(it) <= ``delta``, or (not ``above``) with delta(it) >= ``delta``; or 0."""
    flint = _flint()
    target = flint.arb(delta)

    def good(epsilon: float) -> bool:
        found = _gaussian_delta(variance, epsilon)
        return bool(found <= target) if side is Side.UPPER else bool(found >= target)

    if side is Side.UPPER and good(0.0):
        return 0.0
    if side is Side.LOWER and not good(0.0):
        return 0.0
    start = _newton(variance, delta)
    if not isfinite(start):
        return inf if side is Side.UPPER else 0.0
    # Out to the side that is wanted in growing steps of floats; the other side is not far.
    step = max(start * 2.0 * UNIT, 5e-324)
    end = start
    for _ in range(HALVINGS * 8):
        if good(end):
            return end
        end = end + step if side is Side.UPPER else max(end - step, 0.0)
        step *= 2.0
        if not isfinite(end):
            break
    return inf if side is Side.UPPER else 0.0


def _newton(variance: float, delta: float) -> float:
    """Nearly the epsilon with this delta, by Newton's iteration on log delta, which is concave and falls."""
    flint = _flint()
    with flint.ctx.workprec(160):
        mu = flint.arb(variance).sqrt().mid()
        wanted = flint.arb(delta).log()
        low, high = flint.arb(0), None
        # delta is at most P(loss > epsilon): start there.
        x = (flint.arb(variance) / 2 + mu * (-2 * wanted).sqrt()).mid()
        for _ in range(NEWTON):
            value, paid = _delta_and_slope(lambda: mu, x)
            if not (value > 0 and paid > 0):
                return inf
            gap = (value.log() - wanted).mid()
            low, high = (x, high) if gap > 0 else (low, x)
            moved = (x + gap * value / paid).mid()
            if abs(moved - x) <= abs(x) * 2.0**-56:
                return float(moved)
            if not (moved > low and (high is None or moved < high)):
                moved = (2 * x + 1).mid() if high is None else ((low + high) / 2).mid()
            x = moved
        return float(x)


@dataclass(frozen=True)
class LaplaceCurve:
    """One Laplace step of which eps0 is this fraction."""

    eps0: Fraction

    def delta(self, epsilon: float) -> tuple[float, float]:
        """The exponent is exact up to one rounding; expm1 and that are within 8 units."""
        left = self.eps0 - Fraction(epsilon)
        if left <= 0:
            return 0.0, 0.0
        value = -expm1(-_float(left / 2))
        return shrink(value, 8), min(enlarge(value, 8) + 5e-324, 1.0)

    def epsilon(self, delta: float) -> tuple[float, float]:
        """eps0 + 2 log(1 - delta), of which the second term is within 8 units."""
        lost = -2.0 * log1p(-delta)
        low = self.eps0 - Fraction(enlarge(lost, 8))
        high = self.eps0 - Fraction(shrink(lost, 8))
        return float_below(max(low, Fraction(0))), float_above(max(high, Fraction(0)))


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return float_info.max


def around(value: Fraction) -> tuple[float, float]:
    """A fraction that is not negative, rounded down and rounded up."""
    return float_below(value), float_above(value)
