r"""Functions for the two sides of steps, of any numbers: quotients whose singularity is removable.

With a common factor divided out a margin stays away from zero where both sides tend to the same limit, so that the
limit itself may lie in the box.  They are written for balls; whoever brings other numbers registers how a monotone
function acts on them with :func:`image` and :func:`saturation_by_type`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flint import arb


def expm1_over(x: Any) -> Any:
    """Return :math:`(e^x - 1)/x`, 1 at zero; the function and its derivative increase."""
    return image(x, _exp_quotient, _exp_quotient_slope)


def log1p_over(x: Any) -> Any:
    r"""Return :math:`\log(1 + x)/x` for x > -1, 1 at zero; it decreases, its derivative increases."""
    return image(x, _log_quotient, _log_quotient_slope)


def log1p_remainder(x: Any) -> Any:
    r"""Return :math:`(x - \log(1 + x))/x^2` for x > -1, 1/2 at zero; it decreases, its derivative increases."""
    return image(x, _log_remainder, _log_remainder_slope)


def saturation(rate: Any, time: Any) -> Any:
    """Return :math:`(1 - e^{-rt})/t` for r, t >= 0, r at t = 0; it increases with r and decreases with t."""
    by_rate, by_time, of_balls = map(saturation_by_type.dispatch, (type(rate), type(time), object))
    return (by_time if by_rate is of_balls else by_rate)(rate, time)


@singledispatch
def saturation_by_type(rate: Any, time: Any) -> Any:
    """Return the value of :func:`saturation`; number types other than balls register their own function."""
    return rate * _exp_quotient(-rate * time)


def saturation_slope(x: arb) -> arb:
    """Return (1 - (1 + x) e^-x) / x^2, which decreases."""
    return (-x).hypgeom_1f1(2, 3) / 2 if _near_zero(x) else (1 - (1 + x) * (-x).exp()) / (x * x)


@singledispatch
def image(x: Any, curve: Callable[[arb], arb], slope: Callable[[arb], arb]) -> Any:
    """Return the image of a number under a monotone function with a monotone derivative.

    This function serves balls; other types of numbers register their own.
    """
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
