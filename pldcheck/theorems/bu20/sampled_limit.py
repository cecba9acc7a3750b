r"""Bu, Dong, Long, Su (2020): many sampled steps as Gaussian noise.

q is ``rate``, T is ``steps``, :math:`\sigma` is ``sigma``.  The formula is evaluated with a relative error below 1e-12.
"""

from __future__ import annotations

from math import expm1, sqrt

from ..dong19.many_steps import gaussian_epsilon
from ..recalled import AS_RECALLED
from ..theorem import Source, Theorem

BU = "Bu, Dong, Long, Su, Deep Learning with Gaussian Differential Privacy, Harvard Data Science Review 2020"


def sampled_limit(*, sigma: float, rate: float, steps: int, delta: float) -> float:
    r"""Return the epsilon at which Gaussian noise with :math:`\mu = q \sqrt{T (e^{1/\sigma^2} - 1)}` has this delta."""
    return gaussian_epsilon(1 / (rate * sqrt(steps * expm1(1 / (sigma * sigma)))), delta)


THEOREMS = (
    Theorem(
        id="bu20-limit",
        title="Sampled Gaussian noise in the limit of many steps, read as a bound (false)",
        misread=True,
        statement=r"\delta = G_{1/\mu}(\epsilon), \quad \mu = q \sqrt{T (e^{1/\sigma^2} - 1)}",
        adjacency="add-remove",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "steps", "delta"),
        conditions=(),
        source=Source("Bu20", BU, "central limit theorem for Poisson samples", "https://arxiv.org/abs/1911.11607"),
        formula=sampled_limit,
        notes=(
            f"{AS_RECALLED} The paper has a limit, as the rate falls like one over the root of the number of steps. "
            "Accountants use it as a bound, which it is not: the loss of a sampled step has a heavier tail than its "
            "limit. The bound is the epsilon that belongs to the delta; claim over truth is the size of the error."
        ),
        zero=True,
        example={"sigma": 1, "rate": 0.01, "steps": 1000, "delta": 1e-6},
    ),
)
