r"""Balle, Barthe, Gaboardi (2018): noise on samples drawn in several ways, and two ways to misread amplification.

q is ``rate``, :math:`G_\sigma` is the curve of Gaussian noise; a batch of b records is drawn of n = ``records`` + 1.
The curves are those of one step.  The relative error is below 1e-12.
"""

from __future__ import annotations

from math import expm1, log1p, sqrt

from ..recalled import AS_RECALLED
from ..steinke22.gaussian_noise import gaussian
from ..theorem import Condition, Source, Theorem

BBG = (
    "Balle, Barthe, Gaboardi, Privacy Amplification by Subsampling: Tight Analyses via Couplings and Divergences, "
    "NeurIPS 2018"
)
URL = "https://arxiv.org/abs/1807.01647"


def laplace_curve(*, scale: float, epsilon: float) -> float:
    r"""Return :math:`(1 - e^{(\epsilon - 1/b)/2})_+`."""
    return max(0.0, -expm1((epsilon - 1 / scale) / 2))


def poisson_delta(*, sigma: float, rate: float, epsilon: float) -> float:
    r"""Return :math:`q G_\sigma(\epsilon)`, claimed at :math:`\log(1 + q (e^\epsilon - 1))`."""
    return rate * gaussian(sigma=sigma, epsilon=epsilon)


def poisson_epsilon(*, sigma: float, rate: float, epsilon: float) -> float:
    r"""Return :math:`\log(1 + q (e^\epsilon - 1))`."""
    return log1p(rate * expm1(epsilon))


def batch_delta(*, sigma: float, records: int, batch: int, epsilon: float) -> float:
    r"""Return :math:`\frac bn G_\sigma(\epsilon)`, claimed at :math:`\log(1 + \frac bn (e^\epsilon - 1))`."""
    return batch / (records + 1) * gaussian(sigma=sigma, epsilon=epsilon)


def batch_epsilon(*, sigma: float, records: int, batch: int, epsilon: float) -> float:
    r"""Return :math:`\log(1 + \frac bn (e^\epsilon - 1))`."""
    return log1p(batch / (records + 1) * expm1(epsilon))


def linear_delta(*, eps0: float, delta0: float, rate: float) -> float:
    r"""Return :math:`q \delta_0`, claimed at :math:`q \epsilon_0`."""
    return rate * delta0


def linear_epsilon(*, eps0: float, delta0: float, rate: float) -> float:
    r"""Return :math:`q \epsilon_0`."""
    return rate * eps0


def apart_delta(*, sigma: float, rate: float, releases: int, epsilon: float) -> float:
    r"""Return :math:`k q G_\sigma(\epsilon)`, claimed at :math:`k \log(1 + q (e^\epsilon - 1))`."""
    return min(1.0, releases * rate * gaussian(sigma=sigma, epsilon=epsilon))


def apart_epsilon(*, sigma: float, rate: float, releases: int, epsilon: float) -> float:
    r"""Return :math:`k \log(1 + q (e^\epsilon - 1))`."""
    return releases * log1p(rate * expm1(epsilon))


def together_delta(*, sigma: float, rate: float, releases: int, epsilon: float) -> float:
    r"""Return :math:`q G_{\sigma/\sqrt k}(\epsilon)`, claimed at :math:`\log(1 + q (e^\epsilon - 1))`."""
    return rate * gaussian(sigma=sigma / sqrt(releases), epsilon=epsilon)


def together_epsilon(*, sigma: float, rate: float, releases: int, epsilon: float) -> float:
    r"""Return :math:`\log(1 + q (e^\epsilon - 1))`."""
    return log1p(rate * expm1(epsilon))


BATCH_LIMIT = Condition("batch <= records + 1", "batch", lambda params: params["batch"] - params["records"] - 1)
AMPLIFIED = r"\text{ at } \epsilon' = \log\left(1 + q (e^\epsilon - 1)\right)"

THEOREMS = (
    Theorem(
        id="bbg18-3",
        title="Laplace noise, exactly",
        statement=r"\delta = \left(1 - e^{(\epsilon - 1/b)/2}\right)_+",
        adjacency="any",
        protocol="laplace",
        parameters=("scale", "epsilon"),
        conditions=(),
        source=Source("BBG18", BBG, "Theorem 3", URL),
        formula=laplace_curve,
        notes=AS_RECALLED,
        quantity="delta",
        relation="=",
        zero=True,
        example={"scale": 1, "epsilon": 0.5},
    ),
    Theorem(
        id="bbg18-8",
        title="Amplification by Poisson sampling, for Gaussian noise",
        statement=r"\delta = q G_\sigma(\epsilon)" + AMPLIFIED,
        adjacency="add-remove",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "epsilon"),
        conditions=(),
        source=Source("BBG18", BBG, "Theorem 8", URL),
        formula=poisson_delta,
        notes=(
            f"{AS_RECALLED} It is an upper bound for any mechanism with that curve; for one step of Gaussian noise it "
            "is exact."
        ),
        quantity="delta",
        relation="=",
        at=poisson_epsilon,
        example={"sigma": 1, "rate": 0.1, "epsilon": 1},
    ),
    Theorem(
        id="bbg18-9",
        title="Amplification by batches without replacement, for Gaussian noise",
        statement=r"\delta = q G_\sigma(\epsilon)" + AMPLIFIED + r", \quad q = \frac bn",
        adjacency="replace",
        protocol="fixed-batches",
        parameters=("sigma", "records", "batch", "epsilon"),
        conditions=(BATCH_LIMIT,),
        source=Source("BBG18", BBG, "Theorem 9", URL),
        formula=batch_delta,
        notes=(
            f"{AS_RECALLED} sigma is the noise over what the replaced record changes in a batch. It is an upper bound "
            "for any mechanism with that curve; for one step of Gaussian noise it is exact."
        ),
        quantity="delta",
        relation="=",
        at=batch_epsilon,
        example={"sigma": 1, "records": 99, "batch": 10, "epsilon": 1},
    ),
    Theorem(
        id="linear-amplification",
        title="Amplification by sampling, with the rate as a factor of epsilon (false)",
        misread=True,
        statement=r"\delta = q \delta_0 \text{ at } \epsilon = q \epsilon_0",
        adjacency="add-remove",
        protocol="subsampled-randomized-response",
        parameters=("eps0", "delta0", "rate"),
        conditions=(Condition("delta0 > 0", "delta0", lambda params: -params["delta0"], strict=True),),
        source=Source("BBG18", BBG, "Theorem 8, with its small-epsilon form taken for a bound", URL),
        formula=linear_delta,
        notes=(
            f"{AS_RECALLED} The authors do not claim it: log(1 + q (e^eps0 - 1)) is q eps0 in the limit of a small "
            "eps0 and above it for every q < 1. At q = 1 it is true."
        ),
        quantity="delta",
        at=linear_epsilon,
    ),
    Theorem(
        id="reused-apart",
        title="One sample used several times, each release amplified for itself (false)",
        misread=True,
        statement=r"\delta = k q G_\sigma(\epsilon) \text{ at } \epsilon' = k \log\left(1 + q (e^\epsilon - 1)\right)",
        adjacency="add-remove",
        protocol="reused-sample",
        parameters=("sigma", "rate", "releases", "epsilon"),
        conditions=(),
        source=Source("BBG18", BBG, "Theorem 8, composed over releases of one sample, for which it is not stated", URL),
        formula=apart_delta,
        notes=(
            f"{AS_RECALLED} Programs do so that multiply amplified budgets, opendp among them in an open issue. The "
            "releases have the sample in common, so that amplification must come after composition: reused-together."
        ),
        quantity="delta",
        at=apart_epsilon,
        example={"sigma": 1, "rate": 0.1, "releases": 10, "epsilon": 1},
    ),
    Theorem(
        id="reused-together",
        title="One sample used several times, composed and then amplified",
        statement=r"\delta = q G_{\sigma/\sqrt k}(\epsilon)" + AMPLIFIED,
        adjacency="add-remove",
        protocol="reused-sample",
        parameters=("sigma", "rate", "releases", "epsilon"),
        conditions=(),
        source=Source("BBG18", BBG, "Theorem 8, for all releases together", URL),
        formula=together_delta,
        notes=AS_RECALLED,
        quantity="delta",
        relation="=",
        at=together_epsilon,
        example={"sigma": 1, "rate": 0.1, "releases": 10, "epsilon": 1},
    ),
)
