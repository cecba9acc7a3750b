r"""Feldman, Shenfeld (2025): random allocation to one of t steps, by its Rényi divergences.

t is ``steps``, :math:`\sigma` is ``sigma``, :math:`\alpha` an order.  The relative error is below 1e-12.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import factorial

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem
from .moment_conversion import DIGITS, MOST_ORDER, least_delta, linear_delta

FS = "Feldman, Shenfeld, Privacy Amplification by Random Allocation, 2025"
URL = "https://arxiv.org/abs/2502.08202"
# The noise below which moments leave the range of decimals.
LEAST_SIGMA = 0.1


def _product(first: list[Decimal], second: list[Decimal]) -> list[Decimal]:
    """Return the coefficients of a product of two power series, as many as both have."""
    return [sum((first[i] * second[k - i] for i in range(k + 1)), start=Decimal(0)) for k in range(len(first))]


def mean_moments(steps: int, sigma: float) -> dict[int, Decimal]:
    r"""Return :math:`E \bar a^\alpha` for the mean of t ratios :math:`a_i` of Gaussian noise, for orders 2 to 64.

    .. math:: E \bar a^\alpha = t^{-\alpha} \sum_{k_1+\dots+k_t=\alpha} \binom{\alpha}{k_1,\dots,k_t}
        \exp\sum_i \frac{k_i (k_i - 1)}{2\sigma^2}

    The sum is :math:`\alpha!` times a coefficient of the t-th power of
    :math:`\sum_k e^{k(k-1)/(2\sigma^2)} x^k / k!`; all terms are positive.
    """
    with localcontext(DIGITS):
        pair = 1 / (2 * Decimal(sigma) ** 2)
        power = [(pair * k * (k - 1)).exp() / factorial(k) for k in range(MOST_ORDER + 1)]
        total = [Decimal(k == 0) for k in range(MOST_ORDER + 1)]
        count = steps
        while count:
            if count % 2:
                total = _product(total, power)
            count //= 2
            if count:
                power = _product(power, power)
        return {a: factorial(a) * total[a] / Decimal(steps) ** a for a in range(2, MOST_ORDER + 1)}


def remove_delta(*, steps: int, sigma: float, epsilon: float) -> float:
    """Return the delta that follows from the divergences of whole orders up to 64."""
    return least_delta(mean_moments(steps, sigma), epsilon)


def add_delta(*, steps: int, sigma: float, epsilon: float) -> float:
    r"""Return the delta that follows from :math:`D_\alpha \le (\alpha + t - 1) / (2 t \sigma^2)`, all real orders."""
    rho = 1 / (2 * steps * sigma * sigma)
    return linear_delta(rho, (steps - 1) * rho, epsilon)


NOISE_LIMIT = Condition(
    f"sigma >= {LEAST_SIGMA}, where moments are evaluated", "sigma", lambda params: LEAST_SIGMA - params["sigma"]
)
CONVERTED = r"\delta = \min_\alpha \frac{e^{(\alpha-1)(D_\alpha-\epsilon)}}{\alpha-1}\left(1-\frac1\alpha\right)^\alpha"
MOMENTS = (
    r"e^{(\alpha-1) D_\alpha} = t^{-\alpha} \sum_{k_1+\dots+k_t=\alpha} \frac{\alpha!}{k_1! \dots k_t!}"
    r" e^{\sum_i k_i (k_i-1)/(2\sigma^2)}"
)

THEOREMS = (
    Theorem(
        id="fs25-remove",
        title="Random allocation of a record that is removed, by Rényi divergences",
        statement=CONVERTED + r", \quad " + MOMENTS,
        adjacency="remove",
        protocol="random-allocation",
        parameters=("steps", "sigma", "epsilon"),
        conditions=(NOISE_LIMIT,),
        source=Source("FS25", FS, "the Rényi divergence of the remove direction", URL),
        formula=remove_delta,
        notes=(
            f"{AS_RECALLED} The divergence is exact; what is lost is lost in its conversion to epsilon and delta, at "
            f"whole orders up to {MOST_ORDER}."
        ),
        quantity="delta",
        example={"steps": 100, "sigma": 1, "epsilon": 1},
    ),
    Theorem(
        id="fs25-add",
        title="Random allocation of a record that is added, by Rényi divergences",
        statement=CONVERTED + r", \quad D_\alpha = \frac{\alpha + t - 1}{2 t \sigma^2}",
        adjacency="add",
        protocol="random-allocation",
        parameters=("steps", "sigma", "epsilon"),
        conditions=(),
        source=Source("FS25", FS, "the Rényi divergence of the add direction", URL),
        formula=add_delta,
        notes=(
            f"{AS_RECALLED} It follows by the geometric mean. The divergence is above 1/(2 sigma^2) for "
            "any number of steps, so that for smaller epsilon the bound hardly falls as steps are added, while the "
            "truth does."
        ),
        quantity="delta",
        example={"steps": 10, "sigma": 2, "epsilon": 1},
    ),
)
