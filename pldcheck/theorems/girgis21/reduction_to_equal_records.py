r"""Girgis, Data, Diggavi, Suresh, Kairouz (2021), Theorem 3.6: the reduction to records that are equal but for one.

n is ``clients``, :math:`\alpha` is ``order``, x stands for :math:`e^{\epsilon_0}`.  The reduction is a claim about
every discrete randomizer; its right side is a number where the randomizer is named: here, binary randomized response.
"""

from __future__ import annotations

from math import comb, exp, expm1, fsum, log, log1p
from typing import Any

from ..theorem import Condition, Theorem
from .renyi_of_shuffling import WHOLE, binary_response, source_at

# The largest product of order and eps0, which is above all exponents, so that no exponential overflows.
LARGEST_EXPONENT = 600


def log_mass(m: int, others: int, eps0: float) -> float:
    """Return the logarithm of the mass of Bin(others, 1/x) at m: so many records the mixture makes equal."""
    return log(comb(others, m)) - m * eps0 + (others - m) * log(-expm1(-eps0))


def reduced_response(*, clients: int, eps0: float, order: float) -> float:
    r"""Return the right side of Theorem 3.6 for binary randomized response, as a divergence.

    .. math:: \frac1{\alpha-1} \log E_m e^{(\alpha-1) D(m+1)}, \quad m \sim \text{Bin}(n-1, 1/x)

    D(k) is the divergence of k shuffled answers of which one differs: the formula of ``girgis-lb`` at k clients.  The
    relative error is below 1e-12.
    """
    count = int(clients)
    masses = [log_mass(m, count - 1, eps0) for m in range(count)]
    exponents = [(order - 1) * binary_response(clients=m + 1, eps0=eps0, order=order) for m in range(count)]
    terms = [exp(mass) * expm1(exponent) for mass, exponent in zip(masses, exponents, strict=True)]
    return log1p(fsum(terms)) / (order - 1)


def with_response(*, clients: int, eps0: float, order: float) -> dict[str, Any]:
    """Return the fields of shuffling with binary randomized response."""
    return {"clients": clients, "eps0": eps0, "randomizer": "rr"}


THEOREMS = (
    Theorem(
        id="girgis-3.6",
        title="Reduction of shuffling to records that are equal but for one, for binary randomized response",
        statement=(
            r"E_{h \sim M(D')} \left(\frac{M(D)(h)}{M(D')(h)}\right)^\alpha \le E_m E_{h \sim M(D'_{m+1})}"
            r" \left(\frac{M(D_{m+1})(h)}{M(D'_{m+1})(h)}\right)^\alpha,"
            r" \quad m \sim \text{Bin}(n - 1, e^{-\epsilon_0})"
        ),
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "order"),
        conditions=(
            WHOLE,
            Condition("order <= 50, up to which it is evaluated", "order", lambda params: params["order"] - 50),
            Condition(
                "order eps0 <= 600, up to which it is evaluated",
                "order",
                lambda params: params["order"] * params["eps0"] - LARGEST_EXPONENT,
            ),
            Condition(
                "clients <= 1000, up to which it is evaluated", "clients", lambda params: params["clients"] - 1000
            ),
        ),
        source=source_at("Theorem 3.6; Section 5.1 proves it"),
        formula=reduced_response,
        notes=(
            "D has n records, D' differs in the last; D'_{m+1} has m + 1 times the last record of D', and D_{m+1} has "
            "the last record of D for one of them. The theorem is about every discrete randomizer; the formula is its "
            "right side for binary randomized response. The statement is put together from the last displays of its "
            "proof, since its own place in the paper was not read."
        ),
        quantity="renyi",
        subject=with_response,
        example={"clients": 1000, "order": 3},
    ),
)
