r"""Steinke (2022): Gaussian noise, and composition by concentrated differential privacy.

k is ``steps``, :math:`\sigma` is ``sigma`` (noise over sensitivity), :math:`\alpha` is ``order``;
:math:`\mu = \sqrt k / \sigma` and :math:`\rho = \mu^2 / 2`.
"""

from __future__ import annotations

from fractions import Fraction
from math import erfc, exp, expm1, fsum, log, log1p, pi, sqrt

from ..theorem import Theorem
from .composition_bounds import source_at

# The step of the trapezoidal rule in log s.  The integrands are analytic and bounded by integrable functions for
# |arg s| <= 0.7, so the error of the rule is about e^(-2 pi 0.7 / STEP) < 1e-18.
STEP = 0.1
# The nodes of the rule; the integrals beyond both ends are about e^-40.
NODES = tuple(exp(STEP * i) for i in range(-400, 51))


def _mills_drop(t: float, mu: float | None) -> float:
    r"""Return :math:`R(t) - R(t+\mu) = \int_0^\infty (1 - e^{-\mu s}) e^{-ts-s^2/2} ds` for t >= -1/2.

    R is the Mills ratio :math:`\Phi(-t)/\phi(t)`; without ``mu`` the result is R(t).  All terms are positive, so
    nothing cancels.
    """
    # In units of this length the integrand has died out at e^5, and is of the order of its integral near 1.
    length = 1 / (1 + max(t, 0.0))
    terms = []
    for node in NODES:
        s = node * length
        kept = 1.0 if mu is None else -expm1(-mu * s)
        terms.append(s * kept * exp(-s * (t + s / 2)))
    return STEP * fsum(terms)


def _curve(mu_squared: Fraction, epsilon: Fraction) -> float:
    """Return the delta of Corollary 8 as density(t) (R(t) - R(t + mu)) at t = epsilon/mu - mu/2."""
    drift = epsilon - mu_squared / 2
    mu = sqrt(mu_squared)
    t = float(drift) / mu
    # t^2 / 2 is rational and may be 700: it is exact here, and two doubles, since exp magnifies their rounding.
    exponent = -drift * drift / (2 * mu_squared)
    if t > 0 and exponent < -750:
        return 0.0
    leading = float(exponent)
    density = exp(leading) * (1 + float(exponent - Fraction(leading))) / sqrt(2 * pi)
    if t < -0.5:
        # mu > 1, and the difference is above 1/4.
        return min(1.0, erfc(t / sqrt(2)) / 2 - density * _mills_drop(float(epsilon + mu_squared / 2) / mu, None))
    return density * _mills_drop(t, mu)


def gaussian(*, sigma: float, epsilon: float) -> float:
    r"""Return the delta of Corollary 8 with :math:`\mu=1/\sigma`; the relative error is below 1e-14.

    .. math:: \Phi(-\epsilon/\mu + \mu/2) - e^\epsilon \Phi(-\epsilon/\mu - \mu/2)
    """
    return _curve(1 / Fraction(sigma) ** 2, Fraction(epsilon))


def gaussian_composed(*, sigma: float, steps: int, epsilon: float) -> float:
    r"""Return the delta of Corollary 10: Corollary 8 with :math:`\mu = \sqrt k / \sigma`.

    The relative error is below 1e-14.
    """
    return _curve(steps / Fraction(sigma) ** 2, Fraction(epsilon))


def _rho(sigma: float, steps: int) -> float:
    return steps / (2 * sigma * sigma)


def concentrated(*, sigma: float, steps: int, order: float) -> float:
    r"""Return the divergence of Theorem 13 with Lemma 12: :math:`\alpha \rho`, where :math:`\rho = k / (2 \sigma^2)`.

    The relative error is below 1e-15.
    """
    return order * _rho(sigma, steps)


def concentrated_epsilon(*, sigma: float, steps: int, delta: float) -> float:
    r"""Return the epsilon of Remark 15: :math:`\rho + 2 \sqrt{\rho \log(1/\delta)}`.

    The relative error is below 1e-14.
    """
    rho = _rho(sigma, steps)
    return rho + 2 * sqrt(-rho * log(delta))


def concentrated_delta(*, sigma: float, steps: int, epsilon: float) -> float:
    r"""Return the delta of Proposition 14, the least over all orders.

    .. math:: \inf_{\alpha>1} e^{(\alpha-1)(\alpha\rho-\epsilon)} (1-1/\alpha)^\alpha / (\alpha-1)

    The logarithm is convex in alpha, with derivative :math:`(2\alpha-1)\rho - \epsilon + \log(1-1/\alpha)`; its zero is
    bisected in the logarithm of :math:`b = \alpha-1`.  Every alpha gives a true bound.  The relative error is below
    1e-12.
    """
    rho = _rho(sigma, steps)
    low, high = -700.0, 700.0
    for _ in range(64):
        middle = (low + high) / 2
        b = exp(middle)
        if (2 * b + 1) * rho - epsilon - log1p(1 / b) < 0:
            low = middle
        else:
            high = middle
    b = exp(high)
    return min(1.0, exp(b * ((1 + b) * rho - epsilon - log1p(1 / b)) - log1p(b)))


CURVE = r"\delta = \Phi\left(-\frac{\epsilon}{\mu} + \frac{\mu}{2}\right)" + (
    r" - e^\epsilon \Phi\left(-\frac{\epsilon}{\mu} - \frac{\mu}{2}\right)"
)

THEOREMS = (
    Theorem(
        id="gauss-8",
        title="Gaussian noise, exactly",
        statement=CURVE + r", \quad \mu = \frac1\sigma",
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "epsilon"),
        conditions=(),
        source=source_at("Corollary 8"),
        formula=gaussian,
        quantity="delta",
        relation="=",
        example={"epsilon": 1},
    ),
    Theorem(
        id="gauss-10",
        title="Composition of Gaussian noise, exactly",
        statement=CURVE + r", \quad \mu = \frac{\sqrt k}\sigma",
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "steps", "epsilon"),
        conditions=(),
        source=source_at("Corollary 10"),
        formula=gaussian_composed,
        notes="It is stated for a vector with noise in each coordinate; k releases of sensitivity 1 are such a vector.",
        quantity="delta",
        relation="=",
        example={"steps": 10, "epsilon": 1},
    ),
    Theorem(
        id="zcdp-13",
        title="Composition of concentrated differential privacy",
        statement=r"D_\alpha(P \| Q) = \alpha \sum_{j=1}^k \rho_j, \quad \rho_j = \frac1{2 \sigma^2}",
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "steps", "order"),
        conditions=(),
        source=source_at("Theorem 13, with Lemma 12"),
        formula=concentrated,
        notes="It is stated as an upper bound for any mechanisms; for Gaussian noise it is an equality.",
        quantity="renyi",
        relation="=",
    ),
    Theorem(
        id="zcdp-14",
        title="Concentrated to approximate differential privacy",
        statement=r"\epsilon = \rho + 2 \sqrt{\rho \log(1/\delta)}, \quad \rho = \frac{k}{2 \sigma^2}",
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "steps", "delta"),
        conditions=(),
        source=source_at("Remark 15, from Proposition 14"),
        formula=concentrated_epsilon,
    ),
    Theorem(
        id="zcdp-14-tight",
        title="Concentrated to approximate differential privacy, at the best order",
        statement=(
            r"\delta = \inf_{\alpha > 1} \frac{e^{(\alpha-1)(\alpha\rho-\epsilon)}}{\alpha - 1}"
            r" \left(1 - \frac1\alpha\right)^\alpha, \quad \rho = \frac{k}{2 \sigma^2}"
        ),
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "steps", "epsilon"),
        conditions=(),
        source=source_at("Proposition 14"),
        formula=concentrated_delta,
        notes="It holds for epsilon >= 0; only its upper bound exp(-(epsilon-rho)^2/(4 rho)) needs epsilon >= rho.",
        quantity="delta",
        example={"steps": 10, "epsilon": 5},
    ),
)
