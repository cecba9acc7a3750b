r"""Biswas, Jung, Palamidessi (2023): what the count of one value shows of shuffled K-ary randomized response.

n is ``clients``, x stands for :math:`e^{\epsilon_0}`, :math:`\kappa` for :math:`e^\epsilon`, and :math:`p = 1/(x+K-1)`.
The relative error is below 1e-15.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from typing import Any

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem

TITLE = (
    "Biswas, Jung, Palamidessi, Tight Differential Privacy Guarantees for the Shuffle Model with k-Randomized Response"
)
# Digits of the sums, which have differences of probabilities: a threshold close to an integer is still on its side.
DIGITS = Context(prec=60, Emin=-(10**6))
# Beyond this number of clients the sum of decimals takes longer than a claim may.
MOST_CLIENTS = 200


def one_value(*, clients: int, eps0: float, categories: int, epsilon: float) -> float:
    r"""Return the delta of the count of a value that client 1 has, or has not, and no other client has.

    .. math:: \sum_v \left(P(v) - \kappa Q(v)\right)_+, \quad P: \text{Bern}(x p) + \text{Bin}(n-1, p), \quad
        Q: \text{Bin}(n, p)
    """
    with localcontext(DIGITS):
        x, kappa = Decimal(eps0).exp(), Decimal(epsilon).exp()
        p = 1 / (x + categories - 1)
        others = [(1 - p) ** (clients - 1)]
        for v in range(1, clients):
            others.append(others[-1] * (clients - v) / v * p / (1 - p))
        total = Decimal(0)
        for before, same in zip([Decimal(0), *others], [*others, Decimal(0)], strict=True):
            total += max(Decimal(0), p * before * (x - kappa) - same * (kappa * (1 - p) - 1 + x * p))
        return float(total)


def with_categories(*, clients: int, eps0: float, categories: int, epsilon: float) -> dict[str, Any]:
    """Return the fields of shuffling with K-ary randomized response."""
    return {"clients": clients, "eps0": eps0, "randomizer": f"krr:{categories}"}


THEOREMS = (
    Theorem(
        id="biswas23-one-value",
        title="Shuffled K-ary randomized response, by the count of one value",
        statement=(
            r"\delta \ge \sum_{v=0}^n \left(P(v) - e^\epsilon Q(v)\right)_+, \quad"
            r" P: \text{Bern}(e^{\epsilon_0} p) + \text{Bin}(n-1, p), \quad Q: \text{Bin}(n, p),"
            r" \quad p = \frac1{e^{\epsilon_0} + K - 1}"
        ),
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "categories", "epsilon"),
        conditions=(
            Condition("categories >= 3", "categories", lambda params: 3 - params["categories"]),
            Condition("epsilon < eps0", "epsilon", lambda params: params["epsilon"] - params["eps0"], strict=True),
            Condition(
                f"clients <= {MOST_CLIENTS}, up to which it is evaluated",
                "clients",
                lambda params: params["clients"] - MOST_CLIENTS,
            ),
        ),
        source=Source(
            "Biswas23", TITLE, "the guarantee for histogram queries, for one bin", "https://arxiv.org/abs/2205.08858"
        ),
        formula=one_value,
        notes=(
            f"{AS_RECALLED} The abstract says that the tightest known guarantee under histogram queries is derived; "
            "which formula it is was not at hand. This one counts a single value that no other client has. It is a "
            "post-processing, hence a lower bound; the other bins reveal more, so that it is not the whole "
            "histogram's delta."
        ),
        quantity="delta",
        relation=">=",
        subject=with_categories,
        example={"clients": 100, "eps0": 1, "categories": 4, "epsilon": 0.1},
    ),
)
