r"""Wang, Balle, Kasiviswanathan (2019): Rényi differential privacy of samples without replacement.

q is ``rate``, :math:`\alpha` is ``order``, :math:`\sigma` is ``sigma``.
"""

from __future__ import annotations

from math import expm1, inf, log
from typing import Any

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem
from ..zhu19.poisson_samples import MOST_TERMS, log_one_plus

WBK = "Wang, Balle, Kasiviswanathan, Subsampled Rényi Differential Privacy and Analytical Moments Accountant, 2019"


def without_replacement(*, sigma: float, rate: float, order: float) -> float:
    r"""Return the divergence of Theorem 9 for Gaussian noise, whose largest loss is infinite.

    .. math:: \frac1{\alpha-1} \log\left(1 + q^2 \binom\alpha2 \min\{4 (e^{\epsilon(2)}-1), 2 e^{\epsilon(2)}\}
        + \sum_{j=3}^\alpha 2 q^j \binom\alpha j e^{(j-1)\epsilon(j)}\right), \quad \epsilon(j) = \frac{j}{2\sigma^2}

    The relative error is below 1e-12.
    """
    alpha, pair = int(order), 1 / (sigma * sigma)
    choose = alpha * (alpha - 1) // 2
    # Above log 2 the second of both is the least; there it is taken apart, so that it cannot overflow.
    least = log(4 * expm1(pair)) if pair < log(2) else log(2) + pair
    logs = [2 * log(rate) + log(choose) + least]
    for j in range(3, alpha + 1):
        choose = choose * (alpha - j + 1) // j
        logs.append(log(2) + j * log(rate) + log(choose) + j * (j - 1) / (2 * sigma * sigma))
    return log_one_plus(logs) / (order - 1)


def with_fixed_size(*, sigma: float, rate: float, order: float) -> dict[str, Any]:
    """Return the fields of samples of a fixed size."""
    return {"sigma": sigma, "rate": rate, "sampling": "fixed-size"}


THEOREMS = (
    Theorem(
        id="wbk19-9",
        title="Samples of a fixed size, Rényi differential privacy",
        statement=(
            r"D_\alpha \le \frac1{\alpha-1} \log\left(1 + q^2 \binom\alpha2 \min\{4 (e^{\epsilon(2)}-1),"
            r" 2 e^{\epsilon(2)}\} + \sum_{j=3}^\alpha 2 q^j \binom\alpha j e^{(j-1)\epsilon(j)}\right),"
            r" \quad \epsilon(j) = \frac{j}{2\sigma^2}"
        ),
        adjacency="replace",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "order"),
        conditions=(
            Condition("order is an integer", "order", lambda params: params["order"] % 1 or -inf),
            Condition(f"order <= {MOST_TERMS}", "order", lambda params: params["order"] - MOST_TERMS),
        ),
        source=Source("WBK19", WBK, "Theorem 9", "https://arxiv.org/abs/1808.00087"),
        formula=without_replacement,
        notes=(
            f"{AS_RECALLED} sigma is the noise over what replacing a record of the sample changes. The largest loss of "
            "Gaussian noise is infinite, so that of each minimum in the theorem the term without it is left."
        ),
        quantity="renyi",
        subject=with_fixed_size,
        example={"sigma": 1, "rate": 0.01, "order": 4},
    ),
)
