r"""Feldman, McMillan, Talwar (2021, 2022): Rényi divergences of the pairs to which shuffling is reduced.

n is ``clients``, :math:`\alpha` is ``order``, x stands for :math:`e^{\epsilon_0}`.  C of the n - 1 others are clones:
each answers as on one of client 1's records, by a fair coin; client 1 answers truly with probability x/(x + 1).
The relative error is below 5e-13.
"""

from __future__ import annotations

from math import exp, expm1, fsum, log, log1p
from typing import Any

from ..feldman21.clones import FMT21
from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem
from .stronger_clones import FMT22

# Beyond this number of clients the double sum takes longer than a claim may.
MOST_CLIENTS = 100
# The largest product of order and eps0: a power of a ratio is then below e^100, and no mass that underflows counts.
LARGEST_EXPONENT = 100
# Below this size of order * u the power is summed by its series, where no terms cancel.
SMALL_CHANGE = 0.05


def binomial_masses(count: int, odds: float) -> list[float]:
    """Return the masses of Bin(count, odds / (1 + odds)), by their ratios from the mode on."""
    mode = min(count, int((count + 1) * odds / (1 + odds)))
    masses = [0.0] * (count + 1)
    masses[mode] = 1.0
    for c in range(mode, count):
        masses[c + 1] = masses[c] * ((count - c) / (c + 1) * odds)
    for c in range(mode, 0, -1):
        masses[c - 1] = masses[c] * (c / ((count - c + 1) * odds))
    total = fsum(masses)
    return [mass / total for mass in masses]


def excess_of_power(ratio: float, change: float, order: float) -> float:
    r"""Return :math:`r^\alpha - 1 - \alpha u`, which is not negative, for r = ``ratio`` = 1 + u and u = ``change``.

    It is :math:`r (r^{\alpha-1} - 1) - (\alpha-1) u`, whose terms do not cancel where the order is near 1.
    """
    if abs(order * change) > SMALL_CHANGE:
        # Near 1 the ratio has lost the last digits of the change, near 0 the change those of the ratio.
        log_ratio = log1p(change) if change > -0.5 else log(ratio)
        return ratio * expm1((order - 1) * log_ratio) - (order - 1) * change
    term, total, j = order * (order - 1) / 2 * change * change, 0.0, 2
    while abs(term) > 1e-18 * total:
        total += term
        term *= (order - j) / (j + 1) * change
        j += 1
    return total


def pair_divergence(clients: int, eps0: float, order: float, odds: float) -> float:
    r"""Return the divergence of the pair where a client is a clone with the odds ``odds``.

    With k of m = C + 1 answers like the record's, :math:`Q(k) \propto \binom mk (k + x (m - k))` and
    :math:`P(k)/Q(k) = (x k + m - k) / (k + x (m - k))`.
    """
    x, terms = exp(eps0), []
    for c, mass in enumerate(binomial_masses(clients - 1, odds)):
        m, choices = c + 1, 1
        scale = 2 * mass / ((x + 1) * m)
        for k in range(m + 1):
            below = k + x * (m - k)
            change = expm1(eps0) * (2 * k - m) / below
            excess = excess_of_power((x * k + m - k) / below, change, order)
            terms.append(scale * (choices / (1 << m)) * below * excess)
            choices = choices * (m - k) // (k + 1)
    return log1p(fsum(terms)) / (order - 1)


def clones_divergence(*, clients: int, eps0: float, order: float) -> float:
    r"""Return the divergence of the clones' pair: a client is a clone with probability :math:`1/x`."""
    return pair_divergence(clients, eps0, order, 1 / expm1(eps0))


def stronger_divergence(*, clients: int, eps0: float, categories: int, order: float) -> float:
    r"""Return the divergence of the stronger clones' pair: a client is a clone with probability :math:`2/(x + 1)`."""
    return pair_divergence(clients, eps0, order, 2 / expm1(eps0))


def with_response(*, clients: int, eps0: float, categories: int, order: float) -> dict[str, Any]:
    """Return the fields of shuffling with K-ary randomized response."""
    return {"clients": clients, "eps0": eps0, "randomizer": f"krr:{categories}"}


PAIR = (
    r"D_\alpha \le D_\alpha(P \| Q), \quad P, Q: \text{ the counts } (A + \Delta, C - A + 1 - \Delta),"
    r" (A + 1 - \Delta, C - A + \Delta), \quad A \sim \text{Bin}(C, 1/2),"
    r" \Delta \sim \text{Bern}\left(\frac{e^{\epsilon_0}}{e^{\epsilon_0} + 1}\right), \quad C \sim "
)
EVALUATED = (
    Condition(
        f"clients <= {MOST_CLIENTS}, up to which it is evaluated",
        "clients",
        lambda params: params["clients"] - MOST_CLIENTS,
    ),
    Condition(
        f"order eps0 <= {LARGEST_EXPONENT}, up to which it is evaluated",
        "order",
        lambda params: params["order"] * params["eps0"] - LARGEST_EXPONENT,
    ),
)

THEOREMS = (
    Theorem(
        id="fmt21-renyi",
        title="Rényi differential privacy of shuffling, by the pair of clones",
        statement=PAIR + r"\text{Bin}(n - 1, e^{-\epsilon_0})",
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "order"),
        conditions=EVALUATED,
        source=Source(
            "FMT21", FMT21, "the reduction of Theorem 3.1, for Rényi divergences", "https://arxiv.org/abs/2012.12803"
        ),
        formula=clones_divergence,
        notes=(
            f"{AS_RECALLED} The law of the clones is that of the authors' own program. The reduction is a "
            "post-processing, so that it bounds every divergence."
        ),
        quantity="renyi",
        example={"clients": 100, "order": 3},
    ),
    Theorem(
        id="fmt22-renyi",
        title="Rényi differential privacy of shuffled K-ary response, by the pair of stronger clones",
        statement=PAIR + r"\text{Bin}\left(n - 1, \frac2{e^{\epsilon_0} + 1}\right)",
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "categories", "order"),
        conditions=EVALUATED,
        source=Source(
            "FMT22",
            FMT22,
            "the reduction of the general upper bound, for Rényi divergences",
            "https://arxiv.org/abs/2208.04591",
        ),
        formula=stronger_divergence,
        notes=(
            f"{AS_RECALLED} The erratum withdraws the reduction for general randomizers and keeps it for a restricted "
            "class; it is judged for K-ary randomized response. For any randomizers the curve of this pair is a bound "
            "by another proof: pldcheck show stronger-clones. The closed form of the paper has an unnamed constant."
        ),
        quantity="renyi",
        subject=with_response,
        example={"clients": 100, "order": 3},
    ),
)
