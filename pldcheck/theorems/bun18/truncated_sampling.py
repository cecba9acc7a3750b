r"""Bun, Dwork, Rothblum, Steinke (2018): amplification of truncated concentrated differential privacy by sampling.

s is ``rate``, :math:`\alpha` is ``order``, :math:`\rho = 1 / (2\sigma^2)`.
"""

from __future__ import annotations

from math import log, log2, sqrt
from typing import Any

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem

BDRS = "Bun, Dwork, Rothblum, Steinke, Composable and Versatile Privacy via Truncated CDP, STOC 2018"


def _rho(sigma: float) -> float:
    return 1 / (2 * sigma * sigma)


def truncated_divergence(*, sigma: float, rate: float, order: float) -> float:
    r"""Return :math:`13 s^2 \rho \alpha`; the relative error is below 1e-15."""
    return 13 * rate * rate * _rho(sigma) * order


def with_fixed_size(*, sigma: float, rate: float, order: float) -> dict[str, Any]:
    """Return the fields of samples of a fixed size."""
    return {"sigma": sigma, "rate": rate, "sampling": "fixed-size"}


THEOREMS = (
    Theorem(
        id="bdrs18-sampling",
        title="Amplification by samples of a fixed size, truncated concentrated differential privacy",
        statement=(
            r"D_\alpha \le 13 s^2 \rho \alpha \text{ for } 1 < \alpha < \frac{\log(1/s)}{4\rho},"
            r" \quad \rho = \frac1{2\sigma^2}"
        ),
        adjacency="replace",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "order"),
        conditions=(
            Condition("rate <= 0.1", "rate", lambda params: params["rate"] - 0.1),
            Condition("sigma >= sqrt(5), that is, rho <= 0.1", "sigma", lambda params: sqrt(5) - params["sigma"]),
            Condition(
                "log(1/rate) >= 3 rho (2 + log2(1/rho))",
                "rate",
                lambda params: log(params["rate"]) + 3 * _rho(params["sigma"]) * (2 - log2(_rho(params["sigma"]))),
            ),
            Condition(
                "order < log(1/rate) / (4 rho)",
                "order",
                lambda params: params["order"] + log(params["rate"]) / (4 * _rho(params["sigma"])),
                strict=True,
            ),
        ),
        source=Source("BDRS18", BDRS, "amplification by subsampling", "https://doi.org/10.1145/3188745.3188946"),
        formula=truncated_divergence,
        notes=(
            f"{AS_RECALLED} sigma is the noise over what replacing a record of the sample changes. Gaussian noise is "
            "rho-tCDP for every truncation."
        ),
        quantity="renyi",
        subject=with_fixed_size,
        example={"sigma": 4, "rate": 0.01, "order": 4},
    ),
)
