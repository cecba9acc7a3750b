r"""Erlingsson et al. (2019): shuffling as a composition of equal steps.

n is ``clients``, x stands for :math:`e^{\epsilon_0}`.  The notes say what was not read in the paper itself.
The formula is evaluated with a relative error below 1e-14.
"""

from __future__ import annotations

from math import exp, expm1, log, sqrt

from ..registry import Source, Theorem

EFMRTT = (
    "Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta, Amplification by Shuffling: From Local to Central "
    "Differential Privacy via Anonymity, SODA 2019"
)


def sequential(*, clients: int, eps0: float, delta: float) -> float:
    r"""Return the epsilon of the advanced composition of n steps, each a/n-DP.

    .. math:: a (e^{a/n} - 1) + a \sqrt{2 \log(1/\delta) / n}, \quad a = 2 x^2 (x-1)
    """
    a = 2 * exp(2 * eps0) * expm1(eps0)
    return a * expm1(a / clients) + a * sqrt(-2 * log(delta) / clients)


THEOREMS = (
    Theorem(
        id="efmrtt-7",
        title="Amplification by shuffling, by composition of equal steps",
        statement=(
            r"\epsilon = a (e^{a/n} - 1) + a \sqrt{\frac{2 \log(1/\delta)}{n}},"
            r" \quad a = 2 e^{2\epsilon_0} (e^{\epsilon_0} - 1)"
        ),
        adjacency="replacement",
        protocol="shuffle",
        parameters=("clients", "eps0", "delta"),
        conditions=(),
        source=Source(
            "EFMRTT19",
            EFMRTT,
            "Theorem 7, as quoted after Theorem 5.1 of Balle et al. 2020",
            "https://arxiv.org/abs/1811.12469",
        ),
        formula=sequential,
        notes="The theorem holds for adaptive randomizers. The paper itself was not read.",
    ),
)
