r"""Mironov, Talwar, Zhang (2019): the sampled Gaussian mechanism in closed form, and what is read into its formula.

q is ``rate``, :math:`\alpha` is ``order``, :math:`\sigma` is ``sigma``.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, log, log1p
from typing import Any

from ..recalled import AS_RECALLED
from ..steinke22.subsampling import subsampled_renyi
from ..theorem import Condition, Source, Theorem

MTZ = "Mironov, Talwar, Zhang, Rényi Differential Privacy of the Sampled Gaussian Mechanism, 2019"
URL = "https://arxiv.org/abs/1908.10530"
# The largest order at which the sum of the misread formula is evaluated.
MOST_TERMS = 1000
# The largest order that the accountant tries, as libraries do.
MOST_ORDER = 64


def closed_form(*, sigma: float, rate: float, order: float) -> float:
    r"""Return :math:`2 q^2 \alpha / \sigma^2`; the relative error is below 1e-15."""
    return 2 * rate * rate * order / (sigma * sigma)


def _tail(params: Mapping[str, float]) -> float:
    r"""Return :math:`L = \log(1 + 1/(q (\alpha - 1)))`."""
    return log1p(1 / (params["rate"] * (params["order"] - 1)))


def _first_excess(params: Mapping[str, float]) -> float:
    r"""Return :math:`\alpha - \sigma^2 L / 2 + 2 \log \sigma`."""
    return params["order"] - params["sigma"] ** 2 * _tail(params) / 2 + 2 * log(params["sigma"])


def _second_excess(params: Mapping[str, float]) -> float:
    r"""Return :math:`\alpha (L + \log(q\alpha) + 1/(2\sigma^2)) - (\sigma^2 L^2 / 2 - \log 5 - 2 \log \sigma)`.

    The denominator of the printed bound is positive: :math:`L + \log(q \alpha)` is above
    :math:`\log(\alpha / (\alpha - 1))`.
    """
    sigma, rate, order = params["sigma"], params["rate"], params["order"]
    tail = _tail(params)
    denominator = tail + log(rate * order) + 1 / (2 * sigma * sigma)
    return order * denominator - (sigma * sigma * tail * tail / 2 - log(5) - 2 * log(sigma))


def accountant(*, sigma: float, rate: float, steps: int, delta: float) -> float:
    r"""Return the least epsilon over the whole orders from 2 to 64; the relative error is below 1e-12.

    .. math:: T D_\alpha + \log(1 - 1/\alpha) - \frac{\log \delta + \log \alpha}{\alpha - 1}
    """
    values = (
        steps * subsampled_renyi(sigma=sigma, rate=rate, order=order)
        + log1p(-1 / order)
        - (log(delta) + log(order)) / (order - 1)
        for order in range(2, MOST_ORDER + 1)
    )
    return max(0.0, min(values))


def with_replacement(*, sigma: float, rate: float, order: float) -> dict[str, Any]:
    """Return the fields of Poisson samples of which a record is replaced."""
    return {"sigma": sigma, "rate": rate, "sampling": "poisson-replaced"}


THEOREMS = (
    Theorem(
        id="mtz19-11",
        title="Sampled Gaussian noise, Rényi differential privacy in closed form",
        statement=r"D_\alpha \le \frac{2 q^2 \alpha}{\sigma^2}",
        adjacency="add-remove",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "order"),
        conditions=(
            Condition("rate <= 1/5", "rate", lambda params: params["rate"] - 0.2),
            Condition("sigma >= 4", "sigma", lambda params: 4 - params["sigma"]),
            Condition(
                "order <= sigma^2 L / 2 - 2 log(sigma), where L = log(1 + 1/(rate (order - 1)))",
                "order",
                _first_excess,
            ),
            Condition(
                "order <= (sigma^2 L^2 / 2 - log(5) - 2 log(sigma)) / (L + log(rate order) + 1/(2 sigma^2))",
                "order",
                _second_excess,
            ),
        ),
        source=Source("MTZ19", MTZ, "Theorem 11", URL),
        formula=closed_form,
        notes=AS_RECALLED,
        quantity="renyi",
        example={"sigma": 4, "rate": 0.01, "order": 4},
    ),
    Theorem(
        id="mtz19-replaced",
        title="The Rényi formula of Poisson samples, read for a record that is replaced (false)",
        misread=True,
        statement=(
            r"D_\alpha \le \frac1{\alpha-1} \log \sum_{k=0}^\alpha"
            r" \binom\alpha k (1-q)^{\alpha-k} q^k e^{k(k-1)/(2\sigma^2)}"
        ),
        adjacency="replace",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "order"),
        conditions=(
            Condition("order is an integer", "order", lambda params: params["order"] % 1 or -inf),
            Condition(f"order <= {MOST_TERMS}", "order", lambda params: params["order"] - MOST_TERMS),
        ),
        source=Source(
            "MTZ19", MTZ, "the formula for integer orders, read for neighbours that it is not stated for", URL
        ),
        formula=subsampled_renyi,
        notes=(
            f"{AS_RECALLED} The paper states it for a record that is added or removed, and there it is exact; sigma is "
            "the noise over the norm of one record. For a record that is replaced the means differ by twice as much."
        ),
        quantity="renyi",
        subject=with_replacement,
        example={"sigma": 1, "rate": 0.01, "order": 4},
    ),
    Theorem(
        id="mtz19-accountant",
        title="The accountant of sampled Gaussian noise by Rényi divergences",
        statement=(
            r"\epsilon = \min_{2 \le \alpha \le 64} T D_\alpha + \log\left(1 - \frac1\alpha\right)"
            r" - \frac{\log\delta + \log\alpha}{\alpha - 1}, \quad e^{(\alpha-1) D_\alpha} ="
            r" \sum_{k=0}^\alpha \binom\alpha k (1-q)^{\alpha-k} q^k e^{k(k-1)/(2\sigma^2)}"
        ),
        adjacency="add-remove",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "steps", "delta"),
        conditions=(),
        source=Source(
            "MTZ19", MTZ, "the formula for integer orders, composed, with the conversion of later papers", URL
        ),
        formula=accountant,
        notes=(
            f"{AS_RECALLED} Opacus and dp_accounting ship it. The conversion is that of Balle et al. (2020, Hypothesis "
            "Testing Interpretations and Rényi Differential Privacy) and Canonne, Kamath, Steinke (2020)."
        ),
        zero=True,
        example={"sigma": 1, "rate": 0.01, "steps": 1000, "delta": 1e-6},
    ),
)
