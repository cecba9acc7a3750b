r"""Girgis, Data, Diggavi (2021): Rényi divergences of shuffled answers of a sample of the clients.

k is ``batch``, the number of clients of a sample, :math:`\gamma` its share of all ``clients``, :math:`\alpha` is
``order``, x stands for :math:`e^{\epsilon_0}`.  The relative error is below 1e-12.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from math import comb, expm1, fsum, gamma, inf, log1p, sinh

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem

TITLE = (
    "Girgis, Data, Diggavi, Rényi Differential Privacy of the Subsampled Shuffle Model in Distributed Learning, "
    "NeurIPS 2021"
)
URL = "https://arxiv.org/abs/2107.08763"
# Orders beyond which powers leave the floats.
MOST_ORDER = 100
# The protocol is computed for so many clients.
MOST_CLIENTS = 200


def sampled_upper(*, clients: int, batch: int, eps0: float, order: float) -> float:
    r"""Return the general upper bound.

    .. math:: \frac1{\alpha-1} \log\left(1 + 4 \binom\alpha2 \gamma^2 \frac{(x-1)^2}{\bar k x}
        + \sum_{j=3}^\alpha \binom\alpha j \gamma^j j \Gamma(j/2) \left(\frac{2 (x^2-1)^2}{\bar k x^2}\right)^{j/2}
        + \Upsilon\right)
    """
    alpha, rate = int(order), batch / clients
    with localcontext(Context(prec=50)):
        # The floor may fall on an integer.
        shrunk = (batch - 1) * (-Decimal(eps0)).exp()
        blanket = int(shrunk / 2) + 1
        rare = float((-shrunk / 8).exp())
    gap = 2 * sinh(eps0)
    terms = [4 * comb(alpha, 2) * rate**2 * (2 * sinh(eps0 / 2)) ** 2 / blanket]
    size = 2 * gap**2 / blanket
    terms += [comb(alpha, j) * rate**j * j * gamma(j / 2) * size ** (j / 2) for j in range(3, alpha + 1)]
    # The power's excess over its tangent: all terms of its expansion are positive.
    terms += [comb(alpha, j) * (rate * gap) ** j * rare for j in range(2, alpha + 1)]
    return log1p(fsum(terms)) / (alpha - 1)


def sampled_lower(*, clients: int, batch: int, eps0: float, order: float) -> float:
    r"""Return the divergence of sampled binary randomized response: :math:`\frac1{\alpha-1} \log E(1+\gamma X)^\alpha`.

    With m ones of k, m from Bin(k, 1/(x+1)), :math:`1 + \gamma X` is the constant :math:`1 - \gamma + \gamma/x` and
    :math:`\gamma (x^2-1) m / (k x)`.  Its powers are expanded in falling factorials of m, as those of ``girgis-lb``,
    each weighted with its expectation :math:`E_i`; a power more adds :math:`\gamma (x-1) \sum_i i E_i / k`.
    """
    rate = batch / clients
    stay, grow = 1 + rate * expm1(-eps0), 2 * rate * sinh(eps0) / batch
    rise, slope = -rate * expm1(-eps0) / batch, rate * expm1(eps0) / batch
    weights, excess = [1.0], 0.0
    for _ in range(int(order)):
        excess += slope * fsum(i * weight for i, weight in enumerate(weights))
        kept = [weight * (stay + grow * i) for i, weight in enumerate(weights)]
        moved = [weight * rise * max(batch - i, 0) for i, weight in enumerate(weights)]
        weights = [a + b for a, b in zip([*kept, 0.0], [0.0, *moved], strict=True)]
    return log1p(excess) / (order - 1)


CONDITIONS = (
    Condition("order is an integer", "order", lambda params: params["order"] % 1 or -inf),
    Condition(
        f"order <= {MOST_ORDER}, up to which it is evaluated", "order", lambda params: params["order"] - MOST_ORDER
    ),
    Condition(
        f"order eps0 <= {MOST_ORDER}, up to which it is evaluated",
        "order",
        lambda params: params["order"] * params["eps0"] - MOST_ORDER,
    ),
    Condition("batch <= clients", "batch", lambda params: params["batch"] - params["clients"]),
    Condition(
        f"clients <= {MOST_CLIENTS}, up to which it is computed",
        "clients",
        lambda params: params["clients"] - MOST_CLIENTS,
    ),
)

MOMENT = (
    r"\frac1{\alpha-1} \log\left(1 + \binom\alpha2 \gamma^2 \frac{(x-1)^2}{k x} + \sum_{j=3}^\alpha \binom\alpha j"
    r" \gamma^j \left(\frac{x^2-1}{k x}\right)^j E\left(m - \frac k{x+1}\right)^j\right), \quad"
    r" m \sim \text{Bin}\left(k, \frac1{x+1}\right), \quad x = e^{\epsilon_0}"
)

THEOREMS = (
    Theorem(
        id="gdd21-upper",
        title="Rényi differential privacy of a shuffled sample, general upper bound",
        statement=(
            r"D_\alpha \le \frac1{\alpha-1} \log\left(1 + 4 \binom\alpha2 \gamma^2 \frac{(x-1)^2}{\bar k x}"
            r" + \sum_{j=3}^\alpha \binom\alpha j \gamma^j j \Gamma(j/2)"
            r" \left(\frac{2 (x^2-1)^2}{\bar k x^2}\right)^{j/2} + \Upsilon\right), \quad x = e^{\epsilon_0}, \quad"
            r" \bar k = \left\lfloor\frac{k-1}{2x}\right\rfloor + 1, \quad \Upsilon = \left((1 + \gamma g)^\alpha - 1"
            r" - \alpha\gamma g\right) e^{-(k-1)/(8x)}, \quad g = \frac{x^2-1}x"
        ),
        adjacency="replace",
        protocol="sampled-shuffle",
        parameters=("clients", "batch", "eps0", "order"),
        conditions=CONDITIONS,
        source=Source("GDD21", TITLE, "upper bound", URL),
        formula=sampled_upper,
        notes=(
            f"{AS_RECALLED} It is stated for all discrete randomizers of the budget, and judged for binary randomized "
            "response."
        ),
        quantity="renyi",
        example={"clients": 100, "batch": 20, "order": 3},
    ),
    Theorem(
        id="gdd21-lower",
        title="Rényi differential privacy of a shuffled sample, lower bound by binary randomized response",
        statement=r"D_\alpha \ge " + MOMENT,
        adjacency="replace",
        protocol="sampled-shuffle",
        parameters=("clients", "batch", "eps0", "order"),
        conditions=CONDITIONS,
        source=Source("GDD21", TITLE, "lower bound", URL),
        formula=sampled_lower,
        notes=(
            f"{AS_RECALLED} It bounds from below what the worst randomizer reveals, and is the divergence of one pair "
            "of data for binary randomized response. Where more than about half of the clients are drawn, the pair "
            "the other way round is farther apart; where few are drawn, it is the exact value: gdd21-exact."
        ),
        quantity="renyi",
        relation=">=",
        example={"clients": 60, "batch": 50, "order": 3},
    ),
    Theorem(
        id="gdd21-exact",
        title="Rényi differential privacy of shuffled binary responses of a small sample",
        statement=r"D_\alpha = " + MOMENT,
        adjacency="replace",
        protocol="sampled-shuffle",
        parameters=("clients", "batch", "eps0", "order"),
        conditions=(
            *CONDITIONS,
            Condition("5 batch <= clients", "batch", lambda params: 5 * params["batch"] - params["clients"]),
        ),
        source=Source("GDD21", TITLE, "lower bound, taken for the value where few are drawn", URL),
        formula=sampled_lower,
        notes=(
            f"{AS_RECALLED} The authors state a lower bound. That the data of its pair are the worst ones, for binary "
            "randomized response and at most a fifth of the clients, is what the cells of the suite say."
        ),
        quantity="renyi",
        relation="=",
        example={"clients": 100, "batch": 20, "order": 3},
    ),
)
