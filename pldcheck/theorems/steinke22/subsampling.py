r"""Steinke (2022): privacy amplification by subsampling.

p is ``rate``, :math:`\alpha` is ``order``, :math:`\rho = 1/(2\sigma^2)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import exp, expm1, floor, fsum, inf, log, log1p, sqrt

from ..theorem import Condition, Theorem
from .composition_bounds import source_at

# For larger exponents expm1 overflows soon, and log1p(exp(-x)) is zero.
LARGEST_EXPONENT = 700.0
# Below this value of |alpha d| the binomial series is summed: 60 terms, each at most half the one before it.
SMALL = 0.5
# The largest order for which the sum is evaluated: it has so many terms.
MOST_TERMS = 10**4


def log_one_plus(logs: Iterable[float]) -> float:
    """Return log(1 + sum of exp(logs)), relatively accurate for a tiny sum and safe for a huge one."""
    logs = list(logs)
    top = max(logs)
    if top < 0:
        return log1p(fsum(map(exp, logs)))
    return top + log(fsum(exp(entry - top) for entry in logs) + exp(-top))


def log_expm1(x: float) -> float:
    """Return log(e^x - 1), where e^x may overflow."""
    return log(expm1(x)) if x < 1 else x + log1p(-exp(-x))


def subsampled_delta(*, eps0: float, delta0: float, rate: float) -> float:
    r"""Return the delta of Theorem 29: :math:`p \delta_0`, claimed at :math:`\log(1 + p (e^{\epsilon_0} - 1))`."""
    return rate * delta0


def subsampled_epsilon(*, eps0: float, delta0: float, rate: float) -> float:
    r"""Return the epsilon of Theorem 29: :math:`\log(1 + p (e^{\epsilon_0} - 1))`.

    The relative error is below 1e-15.
    """
    return log1p(rate * expm1(eps0))


def subsampled_renyi(*, sigma: float, rate: float, order: float) -> float:
    r"""Return the divergence of Theorem 34 with :math:`\epsilon(k) = k\rho`; the relative error is below 1e-11.

    :math:`\frac1{\alpha-1} \log[(1-p)^{\alpha-1}(1+(\alpha-1)p) + \sum_{k=2}^\alpha \binom\alpha k
    (1-p)^{\alpha-k} p^k e^{(k-1)\epsilon(k)}]`.  The weights sum to 1, so the bracket is
    :math:`1 + \sum_{k\ge2} \binom\alpha k (1-p)^{\alpha-k} p^k (e^{(k-1)\epsilon(k)} - 1)`.
    """
    alpha = int(order)
    logs, choose = [], alpha
    for k in range(2, alpha + 1):
        choose = choose * (alpha - k + 1) // k  # this is exact; log-gamma would lose eleven digits of small terms
        # At rate 1 only the term k = alpha is not zero, and log1p(-1) does not exist.
        if rate < 1 or k == alpha:
            unsampled = (alpha - k) * log1p(-rate) if k < alpha else 0.0
            logs.append(log(choose) + unsampled + k * log(rate) + log_expm1(k * (k - 1) / (2 * sigma * sigma)))
    return log_one_plus(logs) / (order - 1)


def _log_bregman(d: float, order: float) -> float:
    r"""Return the logarithm of :math:`(1+d)^\alpha - 1 - \alpha d`, positive for :math:`d \ge -1` other than 0."""
    b = order - 1
    if abs(d) * order < SMALL:
        terms, term = [], order * b / 2 * d * d
        for j in range(3, 63):
            terms.append(term)
            term *= d * (order - j + 1) / j
        return log(fsum(terms))
    if d <= -1:
        return log(b)
    exponent = b * log1p(d)
    if exponent > LARGEST_EXPONENT:
        return log1p(d) + exponent
    # The factor 1 + d stays outside the logarithm: inside, the product may overflow.
    return log1p(d) + log(expm1(exponent) - b * d / (1 + d))


def mixture_renyi(heads_p: float, heads_q: float, rate: float, order: float) -> float:
    """Return D_alpha(pP + (1-p)Q || Q) for coins; terms that are linear in the likelihood ratio cancel."""
    shift = rate * (heads_p - heads_q)
    sides = ((heads_q, shift / heads_q), (1 - heads_q, -shift / (1 - heads_q)))
    return log_one_plus(log(q) + _log_bregman(d, order) for q, d in sides) / (order - 1)


def mixed_pair(*, heads_p: float, heads_q: float, rate: float, order: float) -> float:
    r"""Return the divergence of Theorem 35 for coins; the relative error is below 1e-12.

    .. math:: \max\{D_\alpha(pP+(1-p)Q \| Q), D_\alpha(pQ+(1-p)P \| P)\}
    """
    if heads_p == heads_q:
        return 0.0
    return max(mixture_renyi(heads_p, heads_q, rate, order), mixture_renyi(heads_q, heads_p, rate, order))


def subsampled_asymptotic(*, sigma: float, rate: float, order: float) -> float:
    r"""Return the divergence of Theorem 38: :math:`10 p^2 \rho \alpha`; the relative error is below 1e-15."""
    return 10 * rate * rate * order / (2 * sigma * sigma)


def omega(sigma: float, rate: float) -> float:
    r"""Return the limit of orders in Theorem 38: :math:`\min\{\log(1/p) / (4\rho), 1 + p^{-1/4}\}`."""
    return min(-log(rate) * sigma * sigma / 2, 1 + rate**-0.25)


def omega_short(params: Mapping[str, float]) -> float:
    """Return the amount by which omega is below 3 + 2 log(1/rho) / log(1/rate)."""
    sigma, rate = params["sigma"], params["rate"]
    if rate == 1:
        return inf
    return 3 - 2 * (log(2) + 2 * log(sigma)) / log(rate) - omega(sigma, rate)


POISSON = "The sampling is Poisson; a record is added or removed."

THEOREMS = (
    Theorem(
        id="sub-29",
        title="Amplification by subsampling, approximate differential privacy",
        statement=r"\delta = p \delta_0 \text{ at } \epsilon = \log\left(1 + p (e^{\epsilon_0} - 1)\right)",
        adjacency="add-remove",
        protocol="subsampled-randomized-response",
        parameters=("eps0", "delta0", "rate"),
        conditions=(Condition("delta0 > 0", "delta0", lambda params: -params["delta0"], strict=True),),
        source=source_at("Theorem 29"),
        formula=subsampled_delta,
        notes=f"{POISSON} Randomized response on whether the record is in the sample attains it.",
        quantity="delta",
        relation="=",
        at=subsampled_epsilon,
    ),
    Theorem(
        id="rdp-34",
        title="Amplification by subsampling, Rényi differential privacy",
        statement=(
            r"D_\alpha = \frac1{\alpha-1} \log\left[(1-p)^{\alpha-1} (1 + (\alpha-1)p) + \sum_{k=2}^\alpha"
            r" \binom\alpha k (1-p)^{\alpha-k} p^k e^{(k-1)\epsilon(k)}\right], \quad \epsilon(k) = \frac{k}{2\sigma^2}"
        ),
        adjacency="add-remove",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "order"),
        conditions=(
            Condition("order is an integer", "order", lambda params: params["order"] - floor(params["order"])),
            Condition(f"order <= {MOST_TERMS}", "order", lambda params: params["order"] - MOST_TERMS),
        ),
        source=source_at("Theorem 34"),
        formula=subsampled_renyi,
        notes=(
            f"{POISSON} It is an upper bound for any mechanism; for Gaussian noise it is exactly the divergence of "
            "the mixture from the unsampled side, which is the larger of the two directions. The theorem allows any "
            "integer order; the sum is evaluated up to the order in the condition."
        ),
        quantity="renyi",
        relation="=",
    ),
    Theorem(
        id="rdp-35",
        title="Both directions of a subsampled Rényi divergence",
        statement=(
            r"D_\alpha(Q \| pP + (1-p)Q) \le \max\left\{D_\alpha(pP + (1-p)Q \| Q), D_\alpha(pQ + (1-p)P \| P)\right\}"
        ),
        adjacency="any",
        protocol="mixed-pair",
        parameters=("heads_p", "heads_q", "rate", "order"),
        conditions=(),
        source=source_at("Theorem 35"),
        formula=mixed_pair,
        notes=(
            "It is evaluated for two coins, and bounds the left side, D_order(Q || pP + (1-p)Q). The statement is "
            "recalled. Without the second term of the maximum it is false, for instance at P = 0.01, Q = 0.5, "
            "p = 0.5, order 2."
        ),
        quantity="renyi",
        zero=True,
    ),
    Theorem(
        id="rdp-38",
        title="Amplification by subsampling, Rényi differential privacy in closed form",
        statement=(
            r"D_\alpha \le 10 p^2 \rho \alpha \text{ for } 1 < \alpha < \omega ="
            r" \min\left\{\frac{\log(1/p)}{4\rho}, 1 + p^{-1/4}\right\}, \quad \rho = \frac1{2\sigma^2}"
        ),
        adjacency="add-remove",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "order"),
        conditions=(
            Condition("rate < 1/2", "rate", lambda params: params["rate"] - 0.5, strict=True),
            Condition("sigma >= sqrt(1/2), that is, rho <= 1", "sigma", lambda params: sqrt(0.5) - params["sigma"]),
            Condition(
                "omega = min(log(1/rate)/(4 rho), 1 + rate^(-1/4)) >= 3 + 2 log(1/rho)/log(1/rate)",
                "sigma",
                omega_short,
            ),
            Condition(
                "order < omega",
                "order",
                lambda params: params["order"] - omega(params["sigma"], params["rate"]),
                strict=True,
            ),
        ),
        source=source_at("Theorem 38"),
        formula=subsampled_asymptotic,
        notes=f"{POISSON} It is stated for any rho-zCDP mechanism. Without rho <= 1 it is false.",
        quantity="renyi",
    ),
)
