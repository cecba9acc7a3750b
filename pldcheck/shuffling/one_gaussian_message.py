"""The privacy profile of one message with Gaussian noise in closed form: it has tails, which need a library."""

from __future__ import annotations

from math import exp, sqrt

from scipy.special import ndtr

from ..core.directed import UNIT, Ends, roundoff
from ..core.interval import UNDERFLOW
from .noise_cells import NDTR, NDTR_FAR
from .one_message import Curve, ends_around

# Beyond this, with deviations of at least 1, Phi(1/2 - epsilon) is below 1e-300.
FARTHEST_EPSILON = 600.0


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
        return ends_around(max(first - cost, 0.0), doubt)

    return delta
