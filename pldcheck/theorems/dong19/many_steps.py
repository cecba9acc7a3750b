r"""Dong, Roth, Su (2019): many pure steps as Gaussian noise, with the error of the limit and without it.

k is ``steps``.  A step of randomized response has the loss :math:`\pm\epsilon_0`, of mean
:math:`\lambda = \epsilon_0 \tanh(\epsilon_0/2)`.  The formulas are evaluated with a relative error below 1e-12.
"""

from __future__ import annotations

from math import cosh, exp, log, nextafter, sinh, sqrt

from ..recalled import AS_RECALLED
from ..steinke22.gaussian_noise import CURVE, gaussian
from ..theorem import Condition, Source, Theorem

DRS = "Dong, Roth, Su, Gaussian Differential Privacy, Journal of the Royal Statistical Society B 2022"
URL = "https://arxiv.org/abs/1905.02383"
# The constant of the bound of Berry and Esseen for sums of different terms, as it stands in the theorem.
BERRY_ESSEEN = 0.56
# The bits of a double: halving a bracket so often leaves no float between its ends.
HALVINGS = 60


def gaussian_epsilon(sigma: float, delta: float) -> float:
    r"""Return the epsilon at which Gaussian noise has this delta, or 0 where it has less at epsilon = 0.

    It is below :math:`\mu^2/2 + \mu \sqrt{2 \log(1/\delta)}`, :math:`\mu = 1/\sigma`, where the tail of the loss is.
    """
    if gaussian(sigma=sigma, epsilon=0.0) <= delta:
        return 0.0
    low, high = 0.0, (0.5 / sigma + sqrt(2 * log(1 / delta))) / sigma
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if gaussian(sigma=sigma, epsilon=middle) > delta:
            low = middle
        else:
            high = middle
        if high <= nextafter(low, high):
            break
    return high


def _limit_sigma(steps: int, eps0: float) -> float:
    r"""Return :math:`1/\mu`, where :math:`\mu = 2 k \lambda / \sqrt{k (\epsilon_0^2 - \lambda^2)}`.

    Since :math:`\epsilon_0^2 - \lambda^2 = (\epsilon_0 / \cosh(\epsilon_0/2))^2`, it is
    :math:`\mu = 2 \sqrt k \sinh(\epsilon_0/2)`.
    """
    return 1 / (2 * sqrt(steps) * sinh(eps0 / 2))


def _distance(steps: float, eps0: float) -> float:
    r"""Return :math:`\gamma = 0.56\, k E|L-\lambda|^3 / (k (\epsilon_0^2-\lambda^2))^{3/2}`.

    With :math:`c = \cosh(\epsilon_0/2)`, the loss is :math:`\pm\epsilon_0` with the probabilities
    :math:`e^{\pm\epsilon_0/2}/(2c)`, the variance is :math:`(\epsilon_0/c)^2` and the third absolute moment is
    :math:`\epsilon_0^3 \cosh(\epsilon_0) / c^4`.
    """
    return BERRY_ESSEEN * cosh(eps0) / cosh(eps0 / 2) / sqrt(steps)


def limit_with_error(*, steps: int, eps0: float, epsilon: float) -> float:
    r"""Return :math:`G_{1/\mu}(\epsilon) + \gamma (1 + e^\epsilon)`, at most 1."""
    curve = gaussian(sigma=_limit_sigma(steps, eps0), epsilon=epsilon)
    return min(1.0, curve + _distance(steps, eps0) * (1 + exp(epsilon)))


def limit_alone(*, steps: int, eps0: float, delta: float) -> float:
    r"""Return the epsilon at which Gaussian noise with :math:`\mu = 2 \sqrt k \sinh(\epsilon_0/2)` has this delta."""
    return gaussian_epsilon(_limit_sigma(steps, eps0), delta)


MU = r"\mu = 2 \sqrt k \sinh\frac{\epsilon_0}2"

THEOREMS = (
    Theorem(
        id="drs19-3.4",
        title="Composition of pure steps by the central limit theorem, with its error",
        statement=(
            CURVE + r" + \gamma (1 + e^\epsilon), \quad " + MU + r", \gamma ="
            r" \frac{0.56 \cosh \epsilon_0}{\sqrt k \cosh(\epsilon_0/2)} < \frac12"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "epsilon"),
        conditions=(
            Condition(
                "gamma = 0.56 cosh(eps0) / (sqrt(steps) cosh(eps0/2)) < 1/2",
                "steps",
                lambda params: _distance(params["steps"], params["eps0"]) - 0.5,
                strict=True,
            ),
        ),
        source=Source("DRS19", DRS, "Theorem 3.4", URL),
        formula=limit_with_error,
        notes=(
            f"{AS_RECALLED} The theorem bounds the trade-off function by G(alpha + gamma) - gamma, whose delta is at "
            "most the curve of Gaussian noise plus gamma (1 + e^epsilon). It says nothing of a delta below 2 gamma, "
            "which falls like one over the root of the number of steps."
        ),
        quantity="delta",
        example={"steps": 1000, "eps0": 0.1, "epsilon": 1},
    ),
    Theorem(
        id="drs19-limit",
        title="Composition of pure steps as their Gaussian limit, read as a bound (false)",
        misread=True,
        statement=r"\delta = G_{1/\mu}(\epsilon), \quad " + MU,
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "delta"),
        conditions=(),
        source=Source("DRS19", DRS, "Theorem 3.4 without its error, which the authors do not claim", URL),
        formula=limit_alone,
        notes=(
            f"{AS_RECALLED} It is the limit of many steps with a budget that falls like one over the root of their "
            "number. The bound is the epsilon that belongs to the delta."
        ),
        zero=True,
        example={"steps": 1000, "eps0": 0.1, "delta": 1e-6},
    ),
)
