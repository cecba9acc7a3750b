r"""Rogers, Roth, Ullman, Vadhan (2016): the first privacy filter, at equal pure steps.

k is ``steps``.  The formula is evaluated with a relative error below 1e-13.
"""

from __future__ import annotations

from math import expm1, inf, log, log1p, sqrt

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem

RRUV = "Rogers, Roth, Ullman, Vadhan, Privacy Odometers and Filters: Pay-as-you-Go Composition, NIPS 2016"
# The constant of the filter, as it is printed.
PRINTED = 28.04
# The bits of a double and of the width of the first bracket: after so many halvings no float is left between the ends.
HALVINGS = 80


def _spent(epsilon: float, steps: int, eps0: float, delta: float) -> float:
    r"""Return what a filter with this global epsilon takes the steps to have spent.

    .. math:: \frac{k \epsilon_0 (e^{\epsilon_0} - 1)}2 + \sqrt{2 \left(k \epsilon_0^2 +
        \frac{\epsilon^2}{H}\right) \left(1 + \frac12 \log\left(\frac{H k \epsilon_0^2}{\epsilon^2} + 1\right)\right)
        \log(2/\delta)}, \quad H = 28.04 \log(1/\delta)
    """
    squares, weight = steps * eps0 * eps0, -PRINTED * log(delta)
    growth = 1 + log1p(weight * squares / (epsilon * epsilon)) / 2
    root = sqrt(2 * (squares + epsilon * epsilon / weight) * growth * (log(2) - log(delta)))
    return steps * eps0 * expm1(eps0) / 2 + root


def filter_epsilon(*, steps: int, eps0: float, delta: float) -> float:
    r"""Return the least global epsilon with which the filter lets the steps pass, by halving a bracket."""
    low = steps * eps0 * expm1(eps0) / 2
    high = low + eps0
    while _spent(high, steps, eps0, delta) > high:
        high *= 2
        if high == inf:
            raise OverflowError("no global epsilon is large enough")
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _spent(middle, steps, eps0, delta) > middle:
            low = middle
        else:
            high = middle
    return high


THEOREMS = (
    Theorem(
        id="rruv16-filter",
        title="A filter for budgets that are chosen adaptively, at equal pure steps",
        statement=(
            r"\epsilon = \frac{k \epsilon_0 (e^{\epsilon_0} - 1)}2 + \sqrt{2 \left(k \epsilon_0^2 +"
            r" \frac{\epsilon^2}{H}\right) \left(1 + \frac12 \log\left(\frac{H k \epsilon_0^2}{\epsilon^2} + 1\right)"
            r"\right) \log\frac2\delta}, \quad H = 28.04 \log\frac1\delta"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "delta"),
        conditions=(Condition("delta <= 1/4", "delta", lambda params: params["delta"] - 0.25),),
        source=Source("RRUV16", RRUV, "the filter COMP", "https://arxiv.org/abs/1605.08294"),
        formula=filter_epsilon,
        notes=(
            f"{AS_RECALLED} The filter holds for budgets that depend on earlier outputs; equal budgets are one choice "
            "among them, so that the composition of randomized responses is a lower bound on what it must allow for. "
            "The condition of the paper on delta was not at hand: with the one here the epsilon of the formula exists."
        ),
    ),
)
