r"""Zhu, Wang (2019): Rényi differential privacy of Poisson samples, for any mechanism.

q is ``rate``, :math:`\alpha` is ``order``, :math:`\sigma` is ``sigma``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, expm1, fsum, inf, log, log1p

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem

ZHU = "Zhu, Wang, Poisson Subsampled Rényi Differential Privacy, ICML 2019"
# The largest order at which the sums are evaluated.
MOST_TERMS = 1000


def log_one_plus(logs: Sequence[float]) -> float:
    """Return log(1 + sum of exp(logs)), relatively accurate for a tiny sum and safe for a huge one."""
    top = max(logs)
    if top < 0:
        return log1p(fsum(map(exp, logs)))
    return top + log(fsum(exp(entry - top) for entry in logs) + exp(-top))


def _log_expm1(u: float) -> float:
    return log(expm1(u)) if u < 1 else u + log1p(-exp(-u))


def general_divergence(*, sigma: float, rate: float, order: float) -> float:
    r"""Return the divergence of the theorem for Gaussian noise; the relative error is below 1e-11.

    .. math:: \frac1{\alpha-1} \log\left[(1-q)^{\alpha-1} (1+(\alpha-1)q) + \binom\alpha2 q^2 (1-q)^{\alpha-2}
        e^{\epsilon(2)} + 3 \sum_{l=3}^\alpha \binom\alpha l (1-q)^{\alpha-l} q^l e^{(l-1)\epsilon(l)}\right]

    The weights without the factor 3 sum to 1, so the bracket is 1 plus the sum of the weights times
    :math:`e^{\epsilon(2)} - 1` and :math:`3 e^{(l-1)\epsilon(l)} - 1`.
    """
    alpha = int(order)
    logs, choose = [], alpha
    for k in range(2, alpha + 1):
        choose = choose * (alpha - k + 1) // k
        # At rate 1 only the term k = alpha is not zero, and log1p(-1) does not exist.
        if rate < 1 or k == alpha:
            unsampled = (alpha - k) * log1p(-rate) if k < alpha else 0.0
            growth = k * (k - 1) / (2 * sigma * sigma)
            # 3 e^u - 1 is 3 e^u (1 - e^-u / 3).
            gain = _log_expm1(growth) if k == 2 else log(3) + growth + log1p(-exp(-growth) / 3)
            logs.append(log(choose) + unsampled + k * log(rate) + gain)
    return log_one_plus(logs) / (order - 1)


THEOREMS = (
    Theorem(
        id="zw19-general",
        title="Poisson samples, Rényi differential privacy of any mechanism",
        statement=(
            r"D_\alpha \le \frac1{\alpha-1} \log\left[(1-q)^{\alpha-1} (1+(\alpha-1)q) + \binom\alpha2 q^2"
            r" (1-q)^{\alpha-2} e^{\epsilon(2)} + 3 \sum_{l=3}^\alpha \binom\alpha l (1-q)^{\alpha-l} q^l"
            r" e^{(l-1)\epsilon(l)}\right], \quad \epsilon(l) = \frac{l}{2\sigma^2}"
        ),
        adjacency="add-remove",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "order"),
        conditions=(
            Condition("order is an integer", "order", lambda params: params["order"] % 1 or -inf),
            Condition(f"order <= {MOST_TERMS}", "order", lambda params: params["order"] - MOST_TERMS),
        ),
        source=Source("ZW19", ZHU, "the general upper bound", "https://proceedings.mlr.press/v97/zhu19c.html"),
        formula=general_divergence,
        notes=(
            f"{AS_RECALLED} For Gaussian noise the factor 3 is not needed, which a later theorem of the paper and "
            "rdp-34 say; the ratio to the truth is the price of a bound for any mechanism."
        ),
        quantity="renyi",
        example={"sigma": 1, "rate": 0.01, "order": 4},
    ),
)
