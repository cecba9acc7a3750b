"""Privacy profiles of one message in closed form: shuffled messages never reveal more."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1

from ..core.directed import UNIT, Ends
from ..core.interval import UNDERFLOW

Curve = Callable[[float], Ends]

# Relative error, in round-offs, of two exponentials and a few operations (24), and for each unit of an exponent, whose
# rounding moves it.
CLOSED_FORM_UNITS = 32.0


def ends_around(value: float, doubt: float) -> Ends:
    """Return the ends of a delta with this value and at most this error."""
    return Ends(max(value - doubt, 0.0), min(value + doubt + UNDERFLOW, 1.0), 0.0, 2.0 * doubt)


def _relative(value: float, exponent: float) -> Ends:
    return ends_around(value, value * (CLOSED_FORM_UNITS + 2.0 * abs(exponent)) * UNIT)


def response(eps0: float, k: float = 2.0) -> Curve:
    """Return the curve (x - kappa)/(x + k - 1); for k = 2 it bounds that of any eps0-DP randomizer."""

    def delta(epsilon: float) -> Ends:
        if epsilon >= eps0:
            return Ends(0.0, 0.0, 0.0, 0.0)
        return _relative(-expm1(epsilon - eps0) / (1.0 + (k - 1.0) * exp(-eps0)), eps0)

    return delta


def narrow(eps0: float, tv: float) -> Curve:
    """Return the curve T (x - kappa)/(x - 1), where T is the total variation ``tv``."""

    def delta(epsilon: float) -> Ends:
        if epsilon >= eps0:
            return Ends(0.0, 0.0, 0.0, 0.0)
        return _relative(tv * expm1(epsilon - eps0) / expm1(-eps0), eps0)

    return delta


def laplace(eps0: float) -> Curve:
    """Return the curve 1 - e^((epsilon - eps0)/2) of Laplace noise."""

    def delta(epsilon: float) -> Ends:
        if epsilon >= eps0:
            return Ends(0.0, 0.0, 0.0, 0.0)
        return _relative(-expm1(0.5 * (epsilon - eps0)), eps0)

    return delta
