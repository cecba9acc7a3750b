r"""Erlingsson et al. (2019): shuffling as a composition of equal steps.

n is ``clients``, x stands for :math:`e^{\epsilon_0}`.  The notes say what was not read in the paper itself.
The formula is evaluated with a relative error below 1e-14.
"""

from __future__ import annotations

from math import exp, expm1, log, sqrt

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem

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


def short_form(*, clients: int, eps0: float, delta: float) -> float:
    r"""Return :math:`12 \epsilon_0 \sqrt{\log(1/\delta) / n}`."""
    return 12 * eps0 * sqrt(-log(delta) / clients)


THEOREMS = (
    Theorem(
        id="efmrtt-7",
        title="Amplification by shuffling, by composition of equal steps",
        statement=(
            r"\epsilon = a (e^{a/n} - 1) + a \sqrt{\frac{2 \log(1/\delta)}{n}},"
            r" \quad a = 2 e^{2\epsilon_0} (e^{\epsilon_0} - 1)"
        ),
        adjacency="replace",
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
    Theorem(
        id="efmrtt-short",
        title="Amplification by shuffling, short form",
        statement=r"\epsilon = 12 \epsilon_0 \sqrt{\frac{\log(1/\delta)}{n}}",
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "delta"),
        conditions=(
            Condition("clients >= 1000", "clients", lambda params: 1000 - params["clients"]),
            Condition("eps0 < 1/2", "eps0", lambda params: params["eps0"] - 0.5, strict=True),
            Condition("delta < 1/100", "delta", lambda params: params["delta"] - 0.01, strict=True),
        ),
        source=Source(
            "EFMRTT19", EFMRTT, "the short form of the theorem on shuffling", "https://arxiv.org/abs/1811.12469"
        ),
        formula=short_form,
        notes=f"{AS_RECALLED} A public library has the same formula and conditions.",
        example={"clients": 10000, "eps0": 0.25, "delta": 1e-6},
    ),
)
