r"""Steinke (2022): properties of Rényi divergences (Lemmas 31 and 33), where a mechanism has them in closed form.

:math:`\alpha` is ``order``, k is ``steps``.  Randomized response has
:math:`D_\alpha = \frac1{\alpha-1} \log \frac{\cosh((\alpha - 1/2)\epsilon_0)}{\cosh(\epsilon_0/2)}`.
Each formula has a relative error below 1e-12.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import exp, log1p, sinh, tanh
from typing import Any

from ..theorem import Theorem
from .composition_bounds import source_at
from .concentrated_forms import gaussian_then_response
from .subsampling import LARGEST_EXPONENT, mixture_renyi

# Products are up to 2e19, so that 40 digits are left behind the point; a moment may be 1 but for 1e-28, of which 32 are
# left.  No parameter exceeds the exponents.
DIGITS = Context(prec=60, Emin=MIN_EMIN, Emax=MAX_EMAX)


def response_divergence(eps0: float, order: float) -> float:
    """Return the Rényi divergence of randomized response; differences of hyperbolic cosines are products of sines."""
    if order * eps0 > LARGEST_EXPONENT:
        # The other exponential is below e^-700 of this one.
        return ((order - 0.5) * eps0 - eps0 / 2 - log1p(exp(-eps0))) / (order - 1)
    growth = 2 * sinh(order * eps0 / 2) * sinh((order - 1) * eps0 / 2)
    # 2 cosh(y) = e^y + e^-y.
    return log1p(2 * growth / (exp(eps0 / 2) + exp(-eps0 / 2))) / (order - 1)


def summed(*, sigma: float, eps0: float, order: float) -> float:
    r"""Return the divergence of Lemma 31, :math:`\frac{\alpha}{2\sigma^2} + D_\alpha(\epsilon_0)`."""
    return order / (2 * sigma * sigma) + response_divergence(eps0, order)


def at_order_infinity(*, steps: int, eps0: float, order: float) -> float:
    r"""Return the divergence of order infinity, :math:`k \epsilon_0`."""
    return steps * eps0


def at_order_one(*, steps: int, eps0: float, order: float) -> float:
    r"""Return the divergence of order 1, :math:`k \epsilon_0 \tanh(\epsilon_0/2)`."""
    return steps * eps0 * tanh(eps0 / 2)


def of_endpoint(*, heads_p: float, heads_q: float, rate: float, order: float) -> float:
    r"""Return :math:`D_\alpha(Q \| P)` of two coins, the larger of it and of :math:`D_\alpha(Q \| Q) = 0`."""
    return 0.0 if heads_p == heads_q else mixture_renyi(heads_q, heads_p, 1.0, order)


def of_group(*, sigma: float, group: int, order: float) -> float:
    r"""Return the divergence of group privacy, :math:`\alpha g^2 \rho`, with :math:`\rho = 1 / (2\sigma^2)`."""
    return order * group * group / (2 * sigma * sigma)


def group_noise(*, sigma: float, group: int, order: float) -> dict[str, Any]:
    """Return as many releases as make the distance of a group."""
    return {"sigma": sigma, "steps": group * group}


def converted(*, steps: int, eps0: float, order: float, epsilon: float) -> float:
    r"""Return the delta of part 8 of Lemma 33.

    .. math:: e^{(\alpha-1)(k D_\alpha - \epsilon)} \frac1\alpha \left(1 - \frac1\alpha\right)^{\alpha-1}
    """
    with localcontext(DIGITS):
        x, alpha = Decimal(eps0).exp(), Decimal(order)
        moment = steps * ((x**alpha + x ** (1 - alpha)) / (1 + x)).ln() - (alpha - 1) * Decimal(epsilon)
        return float(min(Decimal(0), moment + (alpha - 1) * (1 - 1 / alpha).ln() - alpha.ln()).exp())


RESPONSE = r"D_\alpha(\epsilon_0) = \frac1{\alpha-1} \log \frac{x^\alpha + x^{1-\alpha}}{1 + x}"

THEOREMS = (
    Theorem(
        id="rdp-31",
        title="Adaptive composition of Rényi differential privacy",
        statement=r"D_\alpha = \frac{\alpha}{2\sigma^2} + D_\alpha(\epsilon_0), \quad "
        + RESPONSE
        + r", \quad x = e^{\epsilon_0}",
        adjacency="any",
        protocol="composition",
        parameters=("sigma", "eps0", "order"),
        conditions=(),
        source=source_at("Lemma 31, and part 2 of Lemma 33"),
        formula=summed,
        notes="It is an upper bound for adaptive mechanisms; Gaussian noise beside randomized response attains it.",
        quantity="renyi",
        relation="=",
        subject=gaussian_then_response,
    ),
    Theorem(
        id="rdp-33-infinity",
        title="Rényi divergences are below that of order infinity",
        statement=r"D_\alpha \le D_\infty \text{, which is } k \epsilon_0",
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "order"),
        conditions=(),
        source=source_at("Lemma 33, part 3"),
        formula=at_order_infinity,
        quantity="renyi",
    ),
    Theorem(
        id="rdp-33-one",
        title="Rényi divergences are above that of order 1",
        statement=r"D_\alpha \ge D_1 = k \epsilon_0 \tanh\frac{\epsilon_0}2",
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "order"),
        conditions=(),
        source=source_at("Lemma 33, part 3"),
        formula=at_order_one,
        quantity="renyi",
        relation=">=",
    ),
    Theorem(
        id="rdp-33-convex",
        title="Rényi divergences are quasi-convex",
        statement=r"D_\alpha(Q \| pP + (1-p)Q) \le \max\{D_\alpha(Q \| P), D_\alpha(Q \| Q)\} = D_\alpha(Q \| P)",
        adjacency="any",
        protocol="mixed-pair",
        parameters=("heads_p", "heads_q", "rate", "order"),
        conditions=(),
        source=source_at("Lemma 33, part 6"),
        formula=of_endpoint,
        notes="It is evaluated for two coins; one side of the mixture is Q itself.",
        quantity="renyi",
        zero=True,
    ),
    Theorem(
        id="rdp-33-group",
        title="Group privacy of concentrated differential privacy",
        statement=r"D_\alpha \le \alpha g^2 \rho, \quad \rho = \frac1{2\sigma^2}",
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "group", "order"),
        conditions=(),
        source=source_at("Lemma 33, part 7, last sentence, applied g - 1 times"),
        formula=of_group,
        notes=(
            "The square root of rho adds up along a chain of g neighbours. Gaussian noise on a number that a group "
            "moves by g attains it: it is as far apart as g^2 releases of a number moved by 1."
        ),
        quantity="renyi",
        relation="=",
        subject=group_noise,
    ),
    Theorem(
        id="rdp-33-delta",
        title="Rényi to approximate differential privacy, at one order",
        statement=(
            r"\delta = e^{(\alpha-1)(k D_\alpha(\epsilon_0) - \epsilon)} \frac1\alpha"
            r" \left(1 - \frac1\alpha\right)^{\alpha-1}, \quad " + RESPONSE + r", \quad x = e^{\epsilon_0}"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "order", "epsilon"),
        conditions=(),
        source=source_at("Lemma 33, part 8, and the first part of Proposition 14"),
        formula=converted,
        quantity="delta",
        example={"eps0": 0.1, "epsilon": 5},
    ),
)
