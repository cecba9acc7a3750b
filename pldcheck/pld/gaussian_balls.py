r"""Balls around deltas of Gaussian noise, and floats on either side of them.

With mu = sqrt(variance), :math:`\delta(\epsilon) = \Phi(\mu/2 - \epsilon/\mu) - e^\epsilon \Phi(-\mu/2 -
\epsilon/\mu)`, in balls of as many bits as the difference needs: so it is right where it underflows, too.  Ball
arithmetic takes longer to load than many answers to compute, so this file is reached through the package's table.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, nextafter
from sys import float_info
from typing import Any

import flint

from ..core.directed import UNIT, Side

# Bits left of a difference at least.
BITS_LEFT = 70
# Bits beyond which no more are tried.
MOST_BITS = 2**14
# Above this argument erfc is computed times e^(x^2).
STEEP = 10.0
# Exponent of 2 of probabilities far below every float.
UNSEEN_EXPONENT = -1200
# Steps of Newton's iteration.
NEWTON_STEPS = 60
# A search by growing steps takes at most eight times this many.
HALVINGS = 80


def gaussian_delta(variance: float, epsilon: float) -> Any:
    """Return a ball around the delta of Gaussian noise, with ``BITS_LEFT`` bits."""
    return _delta_and_slope(lambda: flint.arb(variance).sqrt(), flint.arb(epsilon))[0]


def delta_of_parameter(mu: float, epsilon: Any) -> Any:
    """Return a ball around the delta of N(mu, 1) against N(0, 1), at an epsilon that may be a ball."""
    return _delta_and_slope(lambda: flint.arb(mu), flint.arb(epsilon))[0]


def _delta_and_slope(mu: Callable[[], Any], epsilon: Any) -> tuple[Any, Any]:
    """Return balls around delta and around minus its derivative, e^epsilon Phi(-mu/2 - epsilon/mu)."""
    bits = 160
    while True:
        with flint.ctx.workprec(bits):
            root, m = flint.arb(2).sqrt(), mu()
            near, far = (epsilon / m - m / 2) / root, (epsilon / m + m / 2) / root
            # epsilon - far^2 = -near^2
            share = (-near * near).exp() / 2
            slope = share * _scaled_erfc(far) if far > STEEP else epsilon.exp() * far.erfc() / 2
            first = share * _scaled_erfc(near) if near > STEEP else near.erfc() / 2
            if first <= flint.arb(2) ** UNSEEN_EXPONENT:  # delta is at most this, and no more bits are spent on it
                return (first / 2).union(flint.arb(0)).union(first), slope
            delta = first - slope
            if bits >= MOST_BITS or delta.rel_accuracy_bits() >= BITS_LEFT:
                return delta, slope
        bits *= 2


def _scaled_erfc(x: Any) -> Any:
    """Return e^(x^2) erfc(x); balls of erfc itself are wide where it is small."""
    half = flint.arb(1) / 2
    return (x * x).hypgeom_u(half, half) / flint.arb.pi().sqrt()


def crossing(variance: float, delta: float, *, side: Side) -> float:
    """Return a float next to the root, where delta is at most ``delta`` (upper side) or at least (lower side); or 0."""
    target = flint.arb(delta)

    def holds(epsilon: float) -> bool:
        ball = gaussian_delta(variance, epsilon)
        return bool(ball <= target) if side is Side.UPPER else bool(ball >= target)

    if side is Side.UPPER and holds(0.0):
        return 0.0
    if side is Side.LOWER and not holds(0.0):
        return 0.0
    start = _newton(variance, delta)
    if not isfinite(start):
        return inf if side is Side.UPPER else 0.0
    # The end moves outward in growing steps until it is on the right side of the root.
    step = max(start * 2.0 * UNIT, 5e-324)
    end = start
    for _ in range(HALVINGS * 8):
        if holds(end):
            return end
        end = end + step if side is Side.UPPER else max(end - step, 0.0)
        step *= 2.0
        if not isfinite(end):
            break
    return inf if side is Side.UPPER else 0.0


def _newton(variance: float, delta: float) -> float:
    """Return nearly the epsilon with this delta, by Newton's iteration on log delta, which is concave and falls."""
    with flint.ctx.workprec(160):
        mu = flint.arb(variance).sqrt().mid()
        log_target = flint.arb(delta).log()
        low, high = flint.arb(0), None
        # delta is at most P(loss > epsilon): start there.
        x = (flint.arb(variance) / 2 + mu * (-2 * log_target).sqrt()).mid()
        for _ in range(NEWTON_STEPS):
            value, slope = _delta_and_slope(lambda: mu, x)
            if not (value > 0 and slope > 0):
                return inf
            gap = (value.log() - log_target).mid()
            low, high = (x, high) if gap > 0 else (low, x)
            next_x = (x + gap * value / slope).mid()
            if abs(next_x - x) <= abs(x) * 2.0**-56:
                return float(next_x)
            if not (next_x > low and (high is None or next_x < high)):
                next_x = (2 * x + 1).mid() if high is None else ((low + high) / 2).mid()
            x = next_x
        return float(x)


def outward_floats(ball: Any) -> tuple[float, float]:
    """Return the floats on either side of a python-flint ball; 0 and infinity where it leaves their range."""
    if not ball.is_finite():
        return -inf, inf
    low, high = ball.lower(), ball.upper()
    return _round_towards(low, -inf), _round_towards(high, inf)


def _round_towards(exact: Any, towards: float) -> float:
    near = float(exact)
    if near == inf:
        return inf if towards > 0.0 else float_info.max
    if near == -inf:
        return -float_info.max if towards > 0.0 else -inf
    right = exact >= near if towards < 0.0 else exact <= near
    return near if right else nextafter(near, towards)
