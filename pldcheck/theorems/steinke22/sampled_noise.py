r"""Steinke (2022): Gaussian noise on samples, by every route of section 6.

p is ``rate``, k is ``steps``, :math:`\alpha` is ``order``, L is :math:`\log(1/\delta)`, :math:`\rho = 1/(2\sigma^2)`.
"""

from __future__ import annotations

from math import e, exp, expm1, floor, log, log1p, sqrt
from typing import Any

from ..theorem import Condition, Theorem
from .composition_bounds import advanced_approximate, source_at
from .gaussian_noise import concentrated_epsilon, gaussian
from .subsampling import (
    LARGEST_EXPONENT,
    MOST_TERMS,
    POISSON,
    log_expm1,
    log_one_plus,
    mixture_renyi,
    omega,
    omega_short,
    subsampled_epsilon,
    subsampled_renyi,
)


def sampled_delta(*, sigma: float, eps0: float, rate: float) -> float:
    r"""Return the delta of Theorem 29 for Gaussian noise, :math:`p \delta_0`; the relative error is below 1e-13.

    :math:`\delta_0` is that of Corollary 8 at :math:`\epsilon_0`; it is claimed at
    :math:`\log(1 + p(e^{\epsilon_0} - 1))`.
    """
    return rate * gaussian(sigma=sigma, epsilon=eps0)


def _sampled_epsilon(*, sigma: float, eps0: float, rate: float) -> float:
    return subsampled_epsilon(eps0=eps0, delta0=0, rate=rate)


def poisson_sample(*, sigma: float, eps0: float, rate: float) -> dict[str, Any]:
    """Return noise on a Poisson sample."""
    return {"sigma": sigma, "rate": rate}


def fixed_size_sample(*, sigma: float, eps0: float, rate: float) -> dict[str, Any]:
    """Return noise on a sample of a fixed size."""
    return {"sigma": sigma, "rate": rate, "sampling": "fixed-size"}


def many_samples(*, sigma: float, rate: float, steps: int, delta0: float, delta: float) -> dict[str, Any]:
    """Return noise on a fresh sample in every step."""
    return {"sigma": sigma, "rate": rate, "steps": steps}


def replaced_in_sample(*, sigma: float, rate: float, order: float) -> dict[str, Any]:
    """Return noise on a Poisson sample in which a record is replaced."""
    return {"sigma": sigma, "rate": rate, "sampling": "poisson-replaced"}


def weights_of_exchange(rate: float, order: float) -> tuple[float, float]:
    r"""Return the weights of both terms of Theorem 35, each to its own relative precision.

    .. math:: 1 - \lambda = \frac{3 (1-p)}{(2\alpha-1) p + 3 (1-p)}, \qquad
              \lambda = \frac{(2\alpha-1) p}{(2\alpha-1) p + 3 (1-p)}
    """
    first, second = 3 * (1 - rate), (2 * order - 1) * rate
    return first / (second + first), second / (second + first)


def weighted_pair(*, heads_p: float, heads_q: float, rate: float, order: float) -> float:
    r"""Return the first bound of Theorem 35 for coins, with moments weighted by :math:`\lambda`.

    .. math:: \frac1{\alpha-1} \log\left[(1-\lambda) e^{(\alpha-1) D_\alpha(pP+(1-p)Q \| Q)}
              + \lambda e^{(\alpha-1) D_\alpha(pQ+(1-p)P \| P)}\right]

    The relative error is below 1e-12.
    """
    if heads_p == heads_q:
        return 0.0
    first, second = weights_of_exchange(rate, order)
    sides = [(first, heads_p, heads_q), (second, heads_q, heads_p)]
    logs = [
        log(share) + log_expm1((order - 1) * mixture_renyi(one, other, rate, order))
        for share, one, other in sides
        if share > 0
    ]
    return log_one_plus(logs) / (order - 1)


def analytic(*, sigma: float, rate: float, order: float) -> float:
    r"""Return the divergence of the closed form of Proposition 41; the relative error is below 1e-12.

    .. math:: \frac1{\alpha-1} \log\left[1 + \frac e2 \alpha(\alpha-1) p^2 (e^{2\rho} - 1)
              + (\alpha p)^\alpha e^{\alpha(\alpha-1)\rho}\right]
    """
    rho = 1 / (2 * sigma * sigma)
    square = log(e / 2 * order * (order - 1)) + 2 * log(rate) + log_expm1(2 * rho)
    power = order * (log(order) + log(rate)) + order * (order - 1) * rho
    return log_one_plus([square, power]) / (order - 1)


def by_norms(*, sigma: float, rate: float, order: float) -> float:
    r"""Return the divergence of Proposition 42; the relative error is below 1e-13.

    .. math:: \frac\alpha{\alpha-1} \log\left(1 - p + p e^{(1 - 1/\alpha) D_\alpha}\right), \quad D_\alpha = \alpha\rho
    """
    exponent = (order - 1) / (2 * sigma * sigma)
    if exponent < LARGEST_EXPONENT:
        return order / (order - 1) * log1p(rate * expm1(exponent))
    return order / (order - 1) * (exponent + log(rate) + log1p((1 - rate) / rate * exp(-exponent)))


def least(*, sigma: float, rate: float, order: float) -> float:
    r"""Return the lower bound before Lemma 39, :math:`\alpha\rho - \frac{\alpha}{\alpha-1} \log(1/p)`."""
    return order * (1 / (2 * sigma * sigma) + log(rate) / (order - 1))


def by_three_tails(*, sigma: float, rate: float, steps: int, delta0: float, delta: float) -> float:
    r"""Return the epsilon of section 6.3: Gaussian noise, subsampling, and advanced composition, one after another.

    :math:`\epsilon_0 = \rho + 2\sqrt{\rho\log(1/\delta_0)}`, :math:`\epsilon_1 = \log(1 + p(e^{\epsilon_0} - 1))`, and
    Theorem 22 for k steps.  The relative error is below 1e-12.
    """
    eps0 = concentrated_epsilon(sigma=sigma, steps=1, delta=delta0)
    eps1 = subsampled_epsilon(eps0=eps0, delta0=delta0, rate=rate)
    return advanced_approximate(steps=steps, eps0=eps1, delta0=0, delta=delta)


def _three_tails_delta(*, rate: float, steps: float, delta0: float, delta: float, **_: float) -> float:
    return delta + steps * rate * delta0


def _slope(sigma: float, rate: float, steps: int) -> float:
    """Return the divergence over the order by Theorem 38."""
    return 10 * rate * rate * steps / (2 * sigma * sigma)


def by_one_tail(*, sigma: float, rate: float, steps: int, delta: float) -> float:
    r"""Return the epsilon of section 6.7, :math:`\min_{1 < \alpha \le \omega} R \alpha + L/(\alpha - 1)`.

    Here :math:`R = 10 p^2 \rho k`; without the limit of Theorem 38 the best order is :math:`1 + \sqrt{L/R}`, which
    gives :math:`R + 2\sqrt{R L}`.  The limit itself is that of smaller orders, so the bound holds there too.
    """
    slope, inverse = _slope(sigma, rate, steps), -log(delta)
    above = min(sqrt(inverse / slope), omega(sigma, rate) - 1)
    return slope * (1 + above) + inverse / above


def by_group(*, sigma: float, rate: float, order: float) -> float:
    r"""Return the divergence of a replaced record by group privacy.

    .. math:: \frac{\alpha - 1/2}{\alpha - 1} D_{2\alpha}(pP + (1-p)Q \| Q) + D_{2\alpha-1}(Q \| pR + (1-p)Q)

    Both are at most the sum of Theorem 34.  The relative error is below 1e-11.
    """
    there = subsampled_renyi(sigma=sigma, rate=rate, order=2 * order)
    back = subsampled_renyi(sigma=sigma, rate=rate, order=2 * order - 1)
    return (order - 0.5) / (order - 1) * there + back


SMALL_NOISE = (
    Condition("rate < 1/2", "rate", lambda params: params["rate"] - 0.5, strict=True),
    Condition("sigma >= sqrt(1/2), that is, rho <= 1", "sigma", lambda params: sqrt(0.5) - params["sigma"]),
)
FROM_8 = r", \quad \delta_0 \text{ from Corollary 8 at } \epsilon_0"
RECONSTRUCTED = "The printed form cannot be read; this one is derived from what can be read of the proof."

THEOREMS = (
    Theorem(
        id="sub-29-gaussian",
        title="Amplification by subsampling, Gaussian noise",
        statement=r"\delta = p \delta_0 \text{ at } \log(1 + p(e^{\epsilon_0} - 1))" + FROM_8,
        adjacency="add-remove",
        protocol="subsampled-gaussian",
        parameters=("sigma", "eps0", "rate"),
        conditions=(),
        source=source_at("Theorem 29, with Corollary 8"),
        formula=sampled_delta,
        notes=f"{POISSON} Gaussian noise attains it, since the mixture has the same likelihood order.",
        quantity="delta",
        relation="=",
        at=_sampled_epsilon,
        subject=poisson_sample,
    ),
    Theorem(
        id="sub-29-fixed",
        title="Amplification by samples of a fixed size",
        statement=r"\delta = p \delta_0 \text{ at } \log(1 + p(e^{\epsilon_0} - 1))" + FROM_8,
        adjacency="replace",
        protocol="subsampled-gaussian",
        parameters=("sigma", "eps0", "rate"),
        conditions=(),
        source=source_at("Theorem 29, samples of a fixed size, with Corollary 8"),
        formula=sampled_delta,
        notes=(
            "A share of the records is drawn without replacement; a record is replaced, and moves the sum by 1. It is "
            "stated as an upper bound; with equal other records, Gaussian noise attains it."
        ),
        quantity="delta",
        relation="=",
        at=_sampled_epsilon,
        subject=fixed_size_sample,
    ),
    Theorem(
        id="rdp-35-weighted",
        title="Both directions of a subsampled Rényi divergence, weighted",
        statement=(
            r"e^{(\alpha-1) D_\alpha(Q \| pP + (1-p)Q)} \le (1-\lambda) e^{(\alpha-1) D_\alpha(pP + (1-p)Q \| Q)}"
            r" + \lambda e^{(\alpha-1) D_\alpha(pQ + (1-p)P \| P)}, \quad"
            r" \lambda = \frac{(2\alpha-1)p}{(2\alpha-1)p + 3(1-p)}"
        ),
        adjacency="any",
        protocol="mixed-pair",
        parameters=("heads_p", "heads_q", "rate", "order"),
        conditions=(),
        source=source_at("Theorem 35, first inequality"),
        formula=weighted_pair,
        notes=f"It is evaluated for two coins. {RECONSTRUCTED} As lambda is a share, the larger moment bounds the sum.",
        quantity="renyi",
        zero=True,
    ),
    Theorem(
        id="rdp-41",
        title="Amplification by subsampling, Rényi divergence in closed form",
        statement=(
            r"D_\alpha \le \frac1{\alpha-1} \log\left[1 + \frac e2 \alpha(\alpha-1) p^2 (e^{2\rho} - 1)"
            r" + (\alpha p)^\alpha e^{\alpha(\alpha-1)\rho}\right], \quad \rho = \frac1{2\sigma^2}"
        ),
        adjacency="add-remove",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "order"),
        conditions=(Condition("order >= 2", "order", lambda params: 2 - params["order"]),),
        source=source_at("Proposition 41"),
        formula=analytic,
        notes=f"{POISSON} {RECONSTRUCTED} The steps are those of pldcheck audit lem-39 and lem-40.",
        quantity="renyi",
    ),
    Theorem(
        id="rdp-42",
        title="Amplification by subsampling, for large orders",
        statement=r"D_\alpha \le \frac\alpha{\alpha-1} \log\left(1 - p + p e^{(\alpha-1)\rho}\right),"
        r" \quad \rho = \frac1{2\sigma^2}",
        adjacency="add-remove",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "order"),
        conditions=(),
        source=source_at("Proposition 42"),
        formula=by_norms,
        notes=f"{POISSON} The exponent is (1 - 1/order) times the divergence without sampling.",
        quantity="renyi",
    ),
    Theorem(
        id="rdp-42-lower",
        title="Subsampling lowers a Rényi divergence by at most a constant",
        statement=r"D_\alpha \ge \alpha\rho - \frac\alpha{\alpha-1} \log\frac1p, \quad \rho = \frac1{2\sigma^2}",
        adjacency="add-remove",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "order"),
        conditions=(
            Condition(
                "log(1/rate) < (order - 1) rho",
                "rate",
                lambda params: -log(params["rate"]) - (params["order"] - 1) / (2 * params["sigma"] ** 2),
                strict=True,
            ),
        ),
        source=source_at("Section 6.6, the lower bound before Lemma 39, beside Lemma 42"),
        formula=least,
        notes=POISSON,
        quantity="renyi",
        relation=">=",
        example={"rate": 0.5, "order": 20},
    ),
    Theorem(
        id="sgd-6.3",
        title="Sampled Gaussian noise by tails of every step",
        statement=(
            r"\epsilon_0 = \rho + 2\sqrt{\rho \log(1/\delta_0)}, \quad \epsilon_1 = \log(1 + p(e^{\epsilon_0} - 1)),"
            r" \quad \epsilon = \min\left\{k\epsilon_1, \frac{k\epsilon_1^2}2 + \epsilon_1 \sqrt{2k\log(1/\delta)}"
            r"\right\} \text{ at } \delta + k p \delta_0"
        ),
        adjacency="add-remove",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "steps", "delta0", "delta"),
        conditions=(
            Condition("delta0 > 0", "delta0", lambda params: -params["delta0"], strict=True),
            Condition(
                "delta + steps rate delta0 < 1", "delta0", lambda params: _three_tails_delta(**params) - 1, strict=True
            ),
        ),
        source=source_at("Section 6.3"),
        formula=by_three_tails,
        notes=f"{POISSON} The section has it with constants left out; here they are those of its three theorems.",
        at=_three_tails_delta,
        subject=many_samples,
    ),
    Theorem(
        id="sgd-6.7",
        title="Sampled Gaussian noise by one tail of the whole",
        statement=(
            r"\epsilon = \min_{1 < \alpha \le \omega} \left(R \alpha + \frac{\log(1/\delta)}{\alpha - 1}\right), \quad"
            r" R = 10 p^2 \rho k, \quad \rho = \frac1{2\sigma^2}"
        ),
        adjacency="add-remove",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "steps", "delta"),
        conditions=(
            *SMALL_NOISE,
            Condition(
                "omega = min(log(1/rate)/(4 rho), 1 + rate^(-1/4)) >= 3 + 2 log(1/rho)/log(1/rate)",
                "sigma",
                omega_short,
            ),
        ),
        source=source_at("Section 6.7, with Theorem 38"),
        formula=by_one_tail,
        notes=(
            f"{POISSON} The section has R + 2 sqrt(R log(1/delta)) with constants left out; here they are those of "
            "Theorem 38, and omega is its limit of orders."
        ),
        example={"sigma": 4, "rate": 0.001, "steps": 10**7},
    ),
    Theorem(
        id="rdp-6.7-replaced",
        title="A replaced record of a sample, by group privacy",
        statement=(
            r"D_\alpha \le \frac{\alpha - 1/2}{\alpha - 1} D_{2\alpha}(pP + (1-p)Q \| Q)"
            r" + D_{2\alpha-1}(Q \| pR + (1-p)Q)"
        ),
        adjacency="replace",
        protocol="subsampled-gaussian",
        parameters=("sigma", "rate", "order"),
        conditions=(
            Condition("order is an integer", "order", lambda params: params["order"] - floor(params["order"])),
            Condition(f"2 order <= {MOST_TERMS}", "order", lambda params: 2 * params["order"] - MOST_TERMS),
        ),
        source=source_at("Section 6.7, with part 7 of Lemma 33"),
        formula=by_group,
        notes=(
            "The samples are Poisson's; the orders on the right are recalled. Each divergence is that of Theorem 34, "
            "and with Gaussian noise the direction from the sampled side is the larger one."
        ),
        quantity="renyi",
        subject=replaced_in_sample,
    ),
)
