r"""The statements of Balle et al. (2020) on counts and on utility, as formulas in floating point.

They are expectations, tail bounds and rates, not privacy guarantees, so that they are not in :mod:`pldcheck.theorems`.
In Theorems 3.5 and 4.2 ``error`` is the root of the expected square of an update, and ``diameter`` is R.
"""

from __future__ import annotations

from math import exp, inf, log, log1p, sqrt

import numpy as np

from ...core.arrays import Array
from .algorithms import Algorithm


def empty_probability(algorithm: Algorithm) -> float:
    r"""Return the probability that a slot is empty, :math:`(1 - p_0/m)^n`; :math:`(1 - 1/m)^m` for sliding windows.

    See the proofs of Propositions 3.4 and 4.4.  The probability is 0 where every slot has a client.
    """
    if algorithm.placement == "ordered":
        return algorithm.sizes.count(0) / algorithm.slots
    if algorithm.placement not in ("fixed", "sliding"):
        return 0.0
    chance = algorithm.check_in_prob / algorithm.window
    balls = algorithm.window if algorithm.placement == "sliding" else algorithm.clients
    return exp(balls * log1p(-chance)) if chance < 1.0 else 0.0


def empty_bound(algorithm: Algorithm) -> float:
    r"""Return the bound of the propositions on empty slots: :math:`m e^{-n p_0/m}` or :math:`(n - m + 1)/e`."""
    return algorithm.slots * exp(-1.0 if algorithm.placement == "sliding" else -algorithm.load)


def load_norm_bound(clients: int, steps: int, delta: float) -> float:
    """Return the bound of Lemma A.6, which the norm of the loads exceeds with probability at most ``delta``."""
    return sqrt(clients + clients**2 / steps) + sqrt(clients * log(1.0 / delta))


def mean_load_square(algorithm: Algorithm) -> float:
    r"""Return the expected sum of squared loads in a fixed window, :math:`n p_0 + n (n-1) p_0^2/m`."""
    n, p0 = algorithm.clients, algorithm.check_in_prob
    return n * p0 + n * (n - 1) * p0**2 / algorithm.slots


def gradient_error(algorithm: Algorithm, noise_square: float, lipschitz: float) -> float:
    r"""Return the error of an update: the root of :math:`p\sigma^2 + L^2`, of averages :math:`m p\sigma^2/n + L^2`."""
    share = algorithm.slots / algorithm.clients if algorithm.averages else 1.0
    return sqrt(share * noise_square + lipschitz**2)


def step_sizes(steps: int, none: float, error: float, diameter: float) -> Array:
    """Return the step sizes c/sqrt i of Theorem 3.5, with 2 e^{-n p0/m} as ``none``, or of Theorem 4.2 with 0."""
    return diameter * (1.0 - none) / error / np.sqrt(np.arange(1, steps + 1))


def risk_bound(steps: int, none: float, error: float, diameter: float) -> float:
    r"""Return the bound on the excess risk of Theorem 3.5, or with 0 as ``none`` of Theorem 4.2; infinite from 1 on.

    With :math:`c = R (1 - none)/error` it is
    :math:`(R^2/c + c\, error^2/(1 - none)) (2 + \log m)/\sqrt m`.
    """
    if none >= 1.0:
        return inf
    return diameter * error * (1.0 / (1.0 - none) + 1.0) * (2.0 + log(steps)) / sqrt(steps)
