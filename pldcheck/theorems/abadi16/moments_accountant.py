r"""Abadi et al. (2016): the moments of a sampled Gaussian step, without the remainder that the lemma has.

q is ``rate``, :math:`\alpha` is ``order``, :math:`\sigma` is ``sigma``.
"""

from __future__ import annotations

from math import inf, log

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem

ABADI = "Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar, Zhang, Deep Learning with Differential Privacy, CCS 2016"


def leading_moment(*, sigma: float, rate: float, order: float) -> float:
    r"""Return :math:`q^2 \alpha / ((1-q) \sigma^2)`, the moment over its order; the relative error is below 1e-15.

    The lemma bounds :math:`\lambda D_{\lambda+1}` by :math:`q^2 \lambda (\lambda+1) / ((1-q) \sigma^2)` and a
    remainder; here :math:`\alpha = \lambda + 1`.
    """
    return rate * rate * order / ((1 - rate) * sigma * sigma)


THEOREMS = (
    Theorem(
        id="abadi16-3",
        title="Moments of sampled Gaussian noise, the leading term read as a bound (false)",
        misread=True,
        statement=r"D_\alpha \le \frac{q^2 \alpha}{(1-q) \sigma^2}",
        adjacency="add-remove",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "order"),
        conditions=(
            Condition("sigma >= 1", "sigma", lambda params: 1 - params["sigma"]),
            Condition(
                "rate < 1/(16 sigma)", "rate", lambda params: params["rate"] - 1 / (16 * params["sigma"]), strict=True
            ),
            Condition("order is an integer", "order", lambda params: params["order"] % 1 or -inf),
            Condition(
                "order <= 1 + sigma^2 log(1/(rate sigma))",
                "order",
                lambda params: params["order"] - 1 + params["sigma"] ** 2 * log(params["rate"] * params["sigma"]),
            ),
        ),
        source=Source("Abadi16", ABADI, "Lemma 3, the leading term", "https://arxiv.org/abs/1607.00133"),
        formula=leading_moment,
        notes=(
            f"{AS_RECALLED} The lemma has a remainder O(q^3 lambda^3 / sigma^3) with a constant that is not stated, so "
            "that no number can refute it. Here the remainder is left out, which the authors do not claim."
        ),
        quantity="renyi",
        example={"sigma": 1, "rate": 0.01, "order": 3},
    ),
)
