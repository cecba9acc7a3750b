r"""Bun, Steinke (2016): the delta of a concentrated mechanism, in closed form.

k is ``steps``; :math:`\rho = k / (2 \sigma^2)`.  The formula is evaluated with a relative error below 1e-12.
"""

from __future__ import annotations

from math import exp, pi, sqrt

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem

BUN = "Bun, Steinke, Concentrated Differential Privacy: Simplifications, Extensions, and Lower Bounds, TCC 2016"


def tail_delta(*, sigma: float, steps: int, epsilon: float) -> float:
    r"""Return :math:`e^{-(\epsilon-\rho)^2/(4\rho)}` times the least of four factors.

    .. math:: 1, \quad \sqrt{\pi\rho}, \quad \frac1{1+u}, \quad \frac2{1+u+\sqrt{(1+u)^2 + 4/(\pi\rho)}},
        \quad u = \frac{\epsilon-\rho}{2\rho}
    """
    rho = steps / (2 * sigma * sigma)
    more = 1 + (epsilon - rho) / (2 * rho)
    factor = min(1.0, sqrt(pi * rho), 1 / more, 2 / (more + sqrt(more * more + 4 / (pi * rho))))
    return exp(-((epsilon - rho) ** 2) / (4 * rho)) * factor


THEOREMS = (
    Theorem(
        id="bs16-3.6",
        title="Concentrated to approximate differential privacy, in closed form",
        statement=(
            r"\delta = e^{-(\epsilon-\rho)^2/(4\rho)} \min\left\{1, \sqrt{\pi\rho}, \frac{1}{1+u},"
            r" \frac{2}{1+u+\sqrt{(1+u)^2 + 4/(\pi\rho)}}\right\}, \quad u = \frac{\epsilon-\rho}{2\rho},"
            r" \rho = \frac{k}{2\sigma^2}"
        ),
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "steps", "epsilon"),
        conditions=(
            Condition(
                "epsilon >= rho = steps / (2 sigma^2)",
                "epsilon",
                lambda params: params["steps"] / (2 * params["sigma"] ** 2) - params["epsilon"],
            ),
        ),
        source=Source("BS16", BUN, "Lemma 3.6", "https://arxiv.org/abs/1605.02065"),
        formula=tail_delta,
        notes=AS_RECALLED,
        quantity="delta",
        example={"sigma": 10, "steps": 10, "epsilon": 1},
    ),
)
