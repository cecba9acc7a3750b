r"""Balle, Bell, Gascón, Nissim (2019): shuffled K-ary randomized response in closed form.

n is ``clients``, x stands for :math:`e^{\epsilon_0}`.  The formula is evaluated with a relative error below 1e-14.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import expm1, inf, log, sqrt
from typing import Any

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem

BBGN = "Balle, Bell, Gascón, Nissim, The Privacy Blanket of the Shuffle Model, CRYPTO 2019"


def blanket(*, clients: int, eps0: float, categories: int, delta: float) -> float:
    r"""Return :math:`\max\{\sqrt{14 A \log(2/\delta) / (n-1)}, 27 A / (n-1)\}` with :math:`A = x + K - 1`.

    The theorem solves it for the probability :math:`\gamma = K / A` of a uniform answer.
    """
    share = (expm1(eps0) + categories) / (clients - 1)
    return max(sqrt(14 * share * (log(2) - log(delta))), 27 * share)


def _excess(params: Mapping[str, Any]) -> float:
    """Return the amount by which the bound exceeds 1; a client alone has no blanket."""
    return blanket(**params) - 1 if params["clients"] > 1 else inf


def with_categories(*, clients: int, eps0: float, categories: int, delta: float) -> dict[str, Any]:
    """Return the fields of shuffling with K-ary randomized response."""
    return {"clients": clients, "eps0": eps0, "randomizer": f"krr:{categories}"}


THEOREMS = (
    Theorem(
        id="bbgn19-3.1",
        title="Shuffled K-ary randomized response, by its blanket in closed form",
        statement=(
            r"\epsilon = \max\left\{\sqrt{\frac{14 A \log(2/\delta)}{n - 1}}, \frac{27 A}{n - 1}\right\} \le 1,"
            r" \quad A = e^{\epsilon_0} + K - 1"
        ),
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "categories", "delta"),
        conditions=(
            Condition("clients >= 2", "clients", lambda params: 2 - params["clients"]),
            Condition("epsilon <= 1", "clients", _excess),
        ),
        source=Source("BBGN19", BBGN, "Theorem 3.1", "https://arxiv.org/abs/1903.02837"),
        formula=blanket,
        notes=AS_RECALLED,
        subject=with_categories,
        example={"clients": 100000, "eps0": 1, "categories": 4, "delta": 1e-6},
    ),
)
