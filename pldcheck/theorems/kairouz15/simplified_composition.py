r"""Kairouz, Oh, Viswanath (2015): composition of equal pure steps, simplified.

k is ``steps``.  The formula is evaluated with a relative error below 1e-14.
"""

from __future__ import annotations

from math import e, log, log1p, sqrt, tanh

from ..recalled import AS_RECALLED
from ..theorem import Source, Theorem

KOV = "Kairouz, Oh, Viswanath, The Composition Theorem for Differential Privacy, ICML 2015"


def simplified(*, steps: int, eps0: float, delta: float) -> float:
    r"""Return the least of the three epsilons of the theorem.

    .. math:: k \epsilon_0, \quad b + \epsilon_0 \sqrt{2k \log(e + \sqrt{k \epsilon_0^2}/\delta)},
        \quad b + \epsilon_0 \sqrt{2k \log(1/\delta)}, \quad b = k \epsilon_0 \tanh(\epsilon_0/2)
    """
    drift = steps * eps0 * tanh(eps0 / 2)
    # log(e + r/delta) is 1 + log(1 + r / (e delta)).
    widest = -log(delta)
    other = 1 + log1p(eps0 * sqrt(steps) / (delta * e))
    return min(steps * eps0, drift + eps0 * sqrt(2 * steps * min(widest, other)))


THEOREMS = (
    Theorem(
        id="kov15-simple",
        title="Composition of equal pure steps, simplified",
        statement=(
            r"\epsilon = \min\left\{k \epsilon_0, k \epsilon_0 \tanh\frac{\epsilon_0}2 + \epsilon_0"
            r" \sqrt{2k \min\left\{\log\frac1\delta, \log\left(e + \frac{\sqrt{k \epsilon_0^2}}\delta\right)\right\}}"
            r"\right\}"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "delta"),
        conditions=(),
        source=Source("KOV15", KOV, "the simplified bound for equal steps", "https://arxiv.org/abs/1311.0776"),
        formula=simplified,
        notes=f"{AS_RECALLED} It is computed for steps without a delta of their own.",
    ),
)
