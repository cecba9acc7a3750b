"""Privacy profiles of one message in closed form: shuffled messages never reveal more."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, sqrt

from scipy.special import ndtr

from ..core.directed import UNIT, Ends, roundoff
from ..core.interval import UNDERFLOW
from .noise_cells import NDTR, NDTR_FAR

Curve = Callable[[float], Ends]

# Relative error, in round-offs, of two exponentials and a few operations (24), and for each unit of an exponent, whose
# rounding moves it.
CLOSED_FORM_UNITS = 32.0
# Beyond this, with deviations of at least 1, Phi(1/2 - epsilon) is below 1e-300.
FARTHEST_EPSILON = 600.0


def _ends_around(value: float, doubt: float) -> Ends:
    return Ends(max(value - doubt, 0.0), min(value + doubt + UNDERFLOW, 1.0), 0.0, 2.0 * doubt)


def _relative(value: float, exponent: float) -> Ends:
    return _ends_around(value, value * (CLOSED_FORM_UNITS + 2.0 * abs(exponent)) * UNIT)


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


def gaussian(sigma: float) -> Curve:
    """Return the curve of Gaussian noise on a record in [0, 1].

    It is Phi(1/(2 sigma) - epsilon sigma) - e^epsilon Phi(-1/(2 sigma) - epsilon sigma), and the error charged covers
    the cancellation of the two terms.
    """

    def delta(epsilon: float) -> Ends:
        if epsilon >= FARTHEST_EPSILON:
            return Ends(0.0, UNDERFLOW, 0.0, 0.0)
        near, far = 0.5 / sigma - epsilon * sigma, -0.5 / sigma - epsilon * sigma
        first, second = float(ndtr(near)), float(ndtr(far))
        cost = exp(epsilon) * second
        # An argument is rounded twice, which moves a tail by z^2 times that rounding, and the Gaussian density at 0 by
        # z times it.
        doubt = (first + cost) * (NDTR + (NDTR_FAR + 4.0) * far * far + 8.0 + epsilon) * UNIT
        doubt += roundoff(4) / sqrt(6.0) * abs(far) * (first + cost)
        return _ends_around(max(first - cost, 0.0), doubt)

    return delta
