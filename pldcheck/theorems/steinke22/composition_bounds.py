r"""Steinke (2022): composition of pure and approximate differential privacy, and its optimality.

k is ``steps``, :math:`\epsilon_j` runs evenly from ``eps0`` to ``eps0_last`` (a single step has ``eps0``),
:math:`\delta_0` is ``delta0``.  Gaussian noise, randomized response and subsampling have files of their own.
Each formula is evaluated with a relative error below 1e-14.
"""

from __future__ import annotations

from math import expm1, log, log1p, sqrt

from ..theorem import Condition, Source, Theorem

TITLE = "Steinke, Composition of Differential Privacy & Privacy Amplification by Subsampling, 2022"
URL = "https://arxiv.org/abs/2210.00597"


def source_at(where: str) -> Source:
    """Return the source of a statement in the chapter."""
    return Source("Steinke22", TITLE, where, URL)


def basic(*, steps: int, eps0: float, eps0_last: float, delta: float) -> float:
    r"""Return the epsilon of Theorem 1 for every delta: :math:`\sum_j \epsilon_j = k (\epsilon_1 + \epsilon_k) / 2`."""
    return eps0 if steps == 1 else steps * (eps0 + eps0_last) / 2


def _sum_of_squares(steps: int, eps0: float, eps0_last: float) -> float:
    r"""Return :math:`\sum_j \epsilon_j^2`: k times the squared mean plus the variance :math:`d^2 (k+1)/(12 (k-1))`."""
    if steps == 1:
        return eps0 * eps0
    mean, d = (eps0 + eps0_last) / 2, eps0_last - eps0
    return steps * (mean * mean + d * d * (steps + 1) / (12 * (steps - 1)))


def advanced(*, steps: int, eps0: float, eps0_last: float, delta: float) -> float:
    r"""Return the epsilon of Theorem 18, with :math:`s = \sum\epsilon_j^2`.

    .. math:: \min\left\{\sum\epsilon_j, \frac s2 + \sqrt{2 s \log(1/\delta)}\right\}
    """
    squares = _sum_of_squares(steps, eps0, eps0_last)
    summed = basic(steps=steps, eps0=eps0, eps0_last=eps0_last, delta=delta)
    return min(summed, squares / 2 + sqrt(-2 * log(delta) * squares))


def advanced_approximate(*, steps: int, eps0: float, delta0: float, delta: float) -> float:
    r"""Return the epsilon of Theorem 22, which is that of Theorem 18, claimed at :math:`\delta + k \delta_0`."""
    return advanced(steps=steps, eps0=eps0, eps0_last=eps0, delta=delta)


def pure_to_concentrated(*, steps: int, eps0: float, order: float) -> float:
    r"""Return the Rényi divergence of Proposition 16 with Theorem 13: :math:`\alpha k \epsilon_0^2 / 2`."""
    return order * steps * eps0 * eps0 / 2


def mean_estimation_error(*, epsilon: float, clients: int, dimension: int) -> float:
    r"""Return the error of Theorem 25: :math:`\tfrac1{20} \min\{1, \sqrt d / (n (e^\epsilon - 1))\}`.

    The constants are derived here.  The chapter's proof gives :math:`a^2 + c a \ge 1/12 - 2 n \delta` for the
    root-mean-square error a against the mean of the random source, where :math:`c = n (e^\epsilon - 1) / (2 \sqrt d)`.
    With :math:`n \delta \le 1/100` the root a is at least 0.104 for :math:`c \le 1/2` and 0.052 / c above, that is, at
    least 1/10 of the minimum.  The mean of the records differs from that of the source by :math:`1/\sqrt{6n}`, under
    the conditions at most 1/20 of the minimum.
    """
    return sqrt(dimension) / max(sqrt(dimension), clients * expm1(epsilon)) / 20


# From so many clients on (400 / 6, rounded up), 1/sqrt(6n) <= min{1, sqrt(d) / (n (e^epsilon - 1))} / 20.
ENOUGH = 67

BUDGETS = "The budgets are evenly spaced from eps0 to eps0_last; a single step has eps0."

THEOREMS = (
    Theorem(
        id="basic-1",
        title="Basic composition",
        statement=r"\epsilon = \sum_{j=1}^k \epsilon_j",
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "eps0_last", "delta"),
        conditions=(),
        source=source_at("Theorem 1"),
        formula=basic,
        notes=f"{BUDGETS} The theorem is stated for delta = 0, so it is true for every delta.",
    ),
    Theorem(
        id="zcdp-16",
        title="Pure to concentrated differential privacy",
        statement=r"D_\alpha(P \| Q) \le \alpha \frac{k \epsilon_0^2}{2}",
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "order"),
        conditions=(),
        source=source_at("Proposition 16, with Theorem 13"),
        formula=pure_to_concentrated,
        quantity="renyi",
    ),
    Theorem(
        id="adv-18",
        title="Advanced composition of pure differential privacy",
        statement=(
            r"\epsilon = \min\left\{\sum_{j=1}^k \epsilon_j,\ \frac12 \sum_{j=1}^k \epsilon_j^2"
            r" + \sqrt{2 \log(1/\delta) \sum_{j=1}^k \epsilon_j^2}\right\}"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "eps0_last", "delta"),
        conditions=(),
        source=source_at("Theorem 18"),
        formula=advanced,
        notes=BUDGETS,
    ),
    Theorem(
        id="adv-22",
        title="Advanced composition of approximate differential privacy",
        statement=(
            r"\epsilon = \min\left\{k \epsilon_0,\ \frac{k \epsilon_0^2}{2}"
            r" + \sqrt{2 k \epsilon_0^2 \log(1/\delta)}\right\} \text{ at } \delta + k \delta_0"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "delta0", "delta"),
        conditions=(
            Condition(
                "delta + steps delta0 < 1",
                "delta0",
                lambda params: params["delta"] + params["steps"] * params["delta0"] - 1,
                strict=True,
            ),
        ),
        source=source_at("Theorem 22"),
        formula=advanced_approximate,
        notes="delta is the slack of the composition; the theorem claims delta + steps delta0.",
        at=lambda *, steps, eps0, delta0, delta: delta + steps * delta0,
    ),
    Theorem(
        id="neg-25",
        title="Least error of a private mean",
        statement=(
            r"\max_x \sqrt{\tfrac1d\, \mathbb{E} \|M(x) - \bar x\|_2^2}"
            r" \ge \frac1{20} \min\left\{1, \frac{\sqrt d}{n (e^\epsilon - 1)}\right\}"
        ),
        adjacency="replace",
        protocol="gaussian-mean",
        parameters=("epsilon", "clients", "dimension"),
        conditions=(
            Condition(f"clients >= {ENOUGH}", "clients", lambda params: ENOUGH - params["clients"]),
            Condition(
                f"dimension >= {ENOUGH} clients (e^epsilon - 1)^2",
                "epsilon",
                # The condition is solved for epsilon, as the power would overflow.
                lambda params: params["epsilon"] - log1p(sqrt(params["dimension"] / (ENOUGH * params["clients"]))),
            ),
        ),
        source=source_at("Theorem 25"),
        formula=mean_estimation_error,
        notes=(
            "This is a consistency check. M is any (epsilon, delta)-DP algorithm with delta <= 1/(100 clients) that "
            "maps clients records in {0,1}^d to [0,1]^d. The statement is recalled; its constants are derived from "
            "the proof and are not those of the chapter."
        ),
        quantity="error",
        relation=">=",
    ),
)
