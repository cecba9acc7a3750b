r"""Girgis, Data, Diggavi, Suresh, Kairouz (2021): Rényi differential privacy of shuffling.

n is ``clients``, :math:`\alpha` is ``order``, x stands for :math:`e^{\epsilon_0}`.  The randomizers are fixed and
discrete.  Of the paper, the part on the reduction was read (Section 5.1); the statements are as recalled, the first
and the third derived again.  Each formula is evaluated with a relative error below 2e-13.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from math import exp, expm1, fsum, ldexp, log, log1p, pi, sinh, sqrt

from ..theorem import Condition, Source, Theorem

TITLE = "Girgis, Data, Diggavi, Suresh, Kairouz, On the Rényi Differential Privacy of the Shuffle Model, CCS 2021"
URL = "https://arxiv.org/abs/2105.05180"

# Sums that may exceed the floats are stored as total * 2^scale, where the scale is a multiple of this number.
BITS = 500
# A total above this limit is divided by it, and the scale grows.
LIMIT = 2.0**BITS


def _chain(term: float, i: int, order: int, z_squared: float) -> tuple[float, int]:
    """Return the total of every other summand of the first upper bound, from ``term`` at i on, and its binary scale."""
    total, scale = 0.0, 0
    while i <= order and term > 0:
        total += term
        term *= (order - i) * (order - i - 1) / (2 * (i + 1)) * z_squared
        i += 2
        if term > LIMIT:
            term, total, scale = term / LIMIT, total / LIMIT, scale + BITS
    return total, scale


def first_upper(*, clients: int, eps0: float, order: float) -> float:
    """Return the general upper bound; the ratio of each summand to the one two before gives its sum."""
    alpha = int(order)
    with localcontext(Context(prec=50)):
        # The arithmetic has 50 digits: the floor may fall on an integer, and the exponent may be a difference of large
        # numbers.
        shrunk = (clients - 1) * (-Decimal(eps0)).exp()
        blanket = int(shrunk / 2) + 1
        exponent = float(alpha * Decimal(eps0) - shrunk / 8)
    leading = alpha * (alpha - 1) / 2 * (2 * sinh(eps0 / 2)) ** 2 / blanket
    z_squared = 2 * sinh(eps0) ** 2 / blanket
    third = alpha * (alpha - 1) * (alpha - 2) / 4 * sqrt(pi) * z_squared**1.5
    fourth = alpha * (alpha - 1) * (alpha - 2) * (alpha - 3) / 6 * z_squared**2
    chains = [_chain(third, 3, alpha, z_squared), _chain(fourth, 4, alpha, z_squared)]
    scale = max(scale for _, scale in chains)
    tail = fsum(ldexp(total, own - scale) for total, own in chains)
    if scale == 0 and exponent < 700:
        return log1p(leading + tail + exp(exponent)) / (alpha - 1)
    # 1 + leading does not matter next to either of these.
    top = max(scale * log(2), exponent)
    return (top + log(tail * exp(scale * log(2) - top) + (1 + leading) * exp(-top) + exp(exponent - top))) / (alpha - 1)


def second_upper(*, clients: int, eps0: float, order: float) -> float:
    r"""Return the second upper bound: :math:`\frac1{\alpha-1} \log(1 + \binom\alpha2 4 (x-1)^2 / n)`."""
    return log1p(2 * order * (order - 1) * expm1(eps0) ** 2 / clients) / (order - 1)


def binary_response(*, clients: int, eps0: float, order: float) -> float:
    r"""Return the divergence of shuffled binary randomized response: :math:`\frac1{\alpha-1} \log E(1+X)^\alpha`.

    :math:`1 + X = (1 + (x^2-1) k/n)/x`.  Its powers are expanded in falling factorials of k, each weighted with its
    expectation: with :math:`E_i` the weight of the i-th, a multiplication by 1 + X is
    :math:`E_i' = E_i (1 + (x^2-1) i/n)/x + E_{i-1} (1-1/x)(n-i+1)/n`, and it adds :math:`(x-1) \sum_i i E_i / n` to
    the sum.  All terms are positive.
    """
    stay, grow, rise = exp(-eps0), 2 * sinh(eps0) / clients, -expm1(-eps0) / clients
    weights, excess, scale = [1.0], 0.0, 0
    for _ in range(int(order)):
        excess += expm1(eps0) / clients * sum(i * weight for i, weight in enumerate(weights))
        kept = [weight * (stay + grow * i) for i, weight in enumerate(weights)]
        moved = [weight * rise * max(clients - i, 0) for i, weight in enumerate(weights)]
        weights = [a + b for a, b in zip([*kept, 0.0], [0.0, *moved], strict=True)]
        if max(weights) > LIMIT:
            weights, excess, scale = [weight / LIMIT for weight in weights], excess / LIMIT, scale + BITS
    return (log(excess) + scale * log(2) if scale else log1p(excess)) / (order - 1)


def source_at(where: str) -> Source:
    """Return the source of a statement in the paper."""
    return Source("Girgis21", TITLE, where, URL)


WHOLE = Condition("order is an integer", "order", lambda params: params["order"] % 1)
RECALL_NOTE = (
    "The statement is recalled and derived again here; it was not read in the paper. It is about fixed discrete "
    "randomizers."
)

THEOREMS = (
    Theorem(
        id="girgis-ub1",
        title="Rényi differential privacy of shuffling, general upper bound",
        statement=(
            r"D_\alpha(P \| Q) \le \frac1{\alpha-1} \log\left(1 + \binom\alpha2 \frac{(e^{\epsilon_0}-1)^2}"
            r"{\bar n e^{\epsilon_0}} + \sum_{i=3}^\alpha \binom\alpha i i \Gamma(i/2)"
            r" \left(\frac{(e^{2\epsilon_0}-1)^2}"
            r"{2 e^{2\epsilon_0} \bar n}\right)^{i/2} + e^{\epsilon_0 \alpha - (n-1)/(8e^{\epsilon_0})}\right),"
            r" \quad \bar n = \left\lfloor \frac{n-1}{2e^{\epsilon_0}} \right\rfloor + 1"
        ),
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "order"),
        conditions=(WHOLE,),
        source=source_at("first upper bound"),
        formula=first_upper,
        notes=RECALL_NOTE,
        quantity="renyi",
    ),
    Theorem(
        id="girgis-ub2",
        title="Rényi differential privacy of shuffling, upper bound for many clients",
        statement=(
            r"D_\alpha(P \| Q) \le \frac1{\alpha-1} \log\left(1 + \binom\alpha2 \frac{4 (e^{\epsilon_0}-1)^2}{n}\right)"
        ),
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "order"),
        conditions=(
            WHOLE,
            Condition(
                "order^4 e^(5 eps0) < clients / 9",
                "order",
                lambda params: params["order"] ** 4 * exp(5 * params["eps0"]) - params["clients"] / 9,
                strict=True,
            ),
        ),
        source=source_at("second upper bound"),
        formula=second_upper,
        notes="The statement is recalled; it was not read in the paper. It is about fixed discrete randomizers.",
        quantity="renyi",
        example={"clients": 1000000},
    ),
    Theorem(
        id="girgis-lb",
        title="Rényi differential privacy of shuffling, lower bound by binary randomized response",
        statement=(
            r"D_\alpha(P \| Q) \ge \frac1{\alpha-1} \log\left(1 + \binom\alpha2 \frac{(e^{\epsilon_0}-1)^2}"
            r"{n e^{\epsilon_0}} + \sum_{i=3}^\alpha \binom\alpha i \left(\frac{e^{2\epsilon_0}-1}{n e^{\epsilon_0}}"
            r"\right)^i E\left(k - \frac{n}{e^{\epsilon_0}+1}\right)^i\right), \quad k \sim"
            r" \text{Bin}\left(n, \frac1{e^{\epsilon_0}+1}\right)"
        ),
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "order"),
        conditions=(
            WHOLE,
            Condition("order <= 1000, up to which it is evaluated", "order", lambda params: params["order"] - 1000),
        ),
        source=source_at("lower bound"),
        formula=binary_response,
        notes=f"{RECALL_NOTE} It is the exact divergence of n - 1 equal records and a different one from n equal ones.",
        quantity="renyi",
        relation=">=",
    ),
)
