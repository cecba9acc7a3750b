r"""Functions for the two sides of steps, of balls, spans and jets: quotients whose singularity is removable.

With a common factor divided out a margin stays away from zero where both sides tend to the same limit, so that the
limit itself may lie in the box.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .jets import Jet
from .spans import Span

if TYPE_CHECKING:
    from flint import arb


def expm1_over(x: Any) -> Any:
    r""":math:`(e^x - 1)/x`, 1 at zero; it and its derivative increase."""
    return _applied(x, _exp_quotient, _exp_quotient_slope)


def log1p_over(x: Any) -> Any:
    r""":math:`\log(1 + x)/x`, 1 at zero, x > -1; it decreases, its derivative increases."""
    return _applied(x, _log_quotient, _log_quotient_slope)


def log1p_remainder(x: Any) -> Any:
    r""":math:`(x - \log(1 + x))/x^2`, 1/2 at zero, x > -1; it decreases, its derivative increases."""
    return _applied(x, _log_remainder, _log_remainder_slope)


def saturation(rate: Any, time: Any) -> Any:
    r""":math:`(1 - e^{-rt})/t`, r at t = 0, for r, t at least 0; it increases with r and decreases with t."""
    if not isinstance(rate, Jet) and not isinstance(time, Jet):
        if isinstance(rate, Span) or isinstance(time, Span):
            rate, time = (each if isinstance(each, Span) else Span(each, each) for each in (rate, time))
            return Span(_saturation(rate.low, time.high), _saturation(rate.high, time.low))
        return _saturation(rate, time)
    rate, time = (each if isinstance(each, Jet) else Jet(each, {}) for each in (rate, time))
    both = rate.value * time.value
    value = saturation(rate.value, time.value)
    by_rate = rate.through(value, (-both).exp())
    by_time = time.through(value, -(rate.value**2) * both.monotone(_saturation_slope))
    return Jet(value, (by_rate + by_time).slopes)


def _saturation(rate: arb, time: arb) -> arb:
    return rate * _exp_quotient(-rate * time)


def _saturation_slope(x: arb) -> arb:
    """(1 - (1 + x) e^-x) / x^2, which decreases."""
    return (-x).hypgeom_1f1(2, 3) / 2 if _near_zero(x) else (1 - (1 + x) * (-x).exp()) / (x * x)


def _applied(x: Any, curve: Callable[[arb], arb], slope: Callable[[arb], arb]) -> Any:
    """A monotone function with a monotone derivative, of a ball, a span or a jet."""
    if isinstance(x, Jet):
        return x.through(x.value.monotone(curve), x.value.monotone(slope))
    if isinstance(x, Span):
        return x.monotone(curve)
    if x.is_exact():
        return curve(x)
    return curve(x.lower()).union(curve(x.upper()))


# The hypergeometric series are exact at zero and accurate near it; the closed forms cancel there.
def _near_zero(x: arb) -> bool:
    return bool(abs(x) < 0.0625)


def _exp_quotient(x: arb) -> arb:
    return x.hypgeom_1f1(1, 2) if _near_zero(x) else x.expm1() / x


def _exp_quotient_slope(x: arb) -> arb:
    return x.hypgeom_1f1(2, 3) / 2 if _near_zero(x) else ((x - 1) * x.exp() + 1) / (x * x)


def _log_quotient(x: arb) -> arb:
    return (-x).hypgeom_2f1(1, 1, 2) if _near_zero(x) else x.log1p() / x


def _log_quotient_slope(x: arb) -> arb:
    return -(-x).hypgeom_2f1(2, 2, 3) / 2 if _near_zero(x) else (x / (1 + x) - x.log1p()) / (x * x)


def _log_remainder(x: arb) -> arb:
    return (-x).hypgeom_2f1(1, 2, 3) / 2 if _near_zero(x) else (x - x.log1p()) / (x * x)


def _log_remainder_slope(x: arb) -> arb:
    if _near_zero(x):
        return -(-x).hypgeom_2f1(2, 3, 4) / 3
    return (2 * x.log1p() - x - x / (1 + x)) / x**3
