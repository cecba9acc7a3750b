r"""Whitehouse, Ramdas, Rogers, Wu (2023): a filter and an odometer for budgets that are chosen adaptively.

k is ``steps``, :math:`v = k \epsilon_0^2`.  The formulas are evaluated with a relative error below 1e-14.
"""

from __future__ import annotations

from math import log, log1p, sqrt

from ..recalled import AS_RECALLED
from ..theorem import Source, Theorem

WHITEHOUSE = "Whitehouse, Ramdas, Rogers, Wu, Fully Adaptive Composition in Differential Privacy, ICML 2023"
URL = "https://arxiv.org/abs/2203.05481"


def filter_epsilon(*, steps: int, eps0: float, delta: float) -> float:
    r"""Return :math:`v/2 + \sqrt{2 v \log(1/\delta)}`."""
    squares = steps * eps0 * eps0
    return squares / 2 + sqrt(-2 * squares * log(delta))


def odometer_epsilon(*, steps: int, eps0: float, delta: float) -> float:
    r"""Return :math:`v/2 + \sqrt{(v+g) (2\log(1/\delta) + \log((v+g)/g))}` with :math:`g = \epsilon_0^2`."""
    squares = steps * eps0 * eps0
    # (v + g) / g is k + 1, whatever eps0 is.
    return squares / 2 + sqrt((squares + eps0 * eps0) * (log1p(steps) - 2 * log(delta)))


ADAPTIVE = (
    "It holds for budgets that depend on earlier outputs; equal budgets are one choice among them, so that the "
    "composition of randomized responses is a lower bound on what it must allow for."
)

THEOREMS = (
    Theorem(
        id="wrrw23-filter",
        title="A filter with the rate of advanced composition, at equal pure steps",
        statement=r"\epsilon = \frac v2 + \sqrt{2 v \log\frac1\delta}, \quad v = k \epsilon_0^2",
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "delta"),
        conditions=(),
        source=Source("Whitehouse23", WHITEHOUSE, "the filter", URL),
        formula=filter_epsilon,
        notes=f"{AS_RECALLED} {ADAPTIVE}",
    ),
    Theorem(
        id="wrrw23-odometer",
        title="An odometer by a mixture of bounds, at equal pure steps",
        statement=(
            r"\epsilon = \frac v2 + \sqrt{(v + g) \left(2 \log\frac1\delta + \log\frac{v + g}g\right)},"
            r" \quad v = k \epsilon_0^2, g = \epsilon_0^2"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "delta"),
        conditions=(),
        source=Source("Whitehouse23", WHITEHOUSE, "the odometer by the method of mixtures", URL),
        formula=odometer_epsilon,
        notes=(
            f"{AS_RECALLED} {ADAPTIVE} It bounds the loss at all times at once, so that it must be above the filter at "
            "each. The parameter g is free in the theorem; here it is the square of one budget."
        ),
    ),
)
