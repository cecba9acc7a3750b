r"""Steinke (2022): delta by tails of privacy losses, and the event by which basic composition is optimal.

Z is the privacy loss; k is ``steps``, :math:`x = e^{\epsilon_0}`.  The expressions of Proposition 7 are evaluated term
by term for composed randomized response, with ``decimal`` arithmetic, so that differences lose nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import erfc, exp, expm1, log, pi, sqrt

from ..theorem import Condition, Theorem
from .composition_bounds import source_at
from .response_composition import FEW_STEPS, SUM_NOTE

# Digits of the sums: differences of tails lose at most 17 of them, and 10^5 roundings 5 more.
DIGITS = 60
# The range of exponents of the sums: the least probability is about e^-(10^5 * 20).
EXPONENTS = 10**9


def _sums() -> Context:
    return Context(prec=DIGITS, Emin=-EXPONENTS, Emax=EXPONENTS)


def _losses_above(steps: int, eps0: float, epsilon: float) -> Iterator[tuple[Decimal, Decimal, Decimal]]:
    r"""Yield the losses :math:`(k-2i)\epsilon_0 > \epsilon` from the largest, with P(Z = loss) and e^-loss."""
    x = Decimal(eps0).exp()
    p, shrink = (x / (1 + x)) ** steps, x**-steps
    for i in range(steps + 1):
        loss = (steps - 2 * i) * Decimal(eps0)
        if loss <= Decimal(epsilon):
            return
        yield loss, p, shrink
        p *= Decimal(steps - i) / Decimal(i + 1) / x
        shrink *= x * x


def _as_delta(value: Decimal, steps: int, eps0: float, epsilon: float) -> float:
    delta = min(1.0, float(value))
    if delta == 0 and epsilon < steps * Fraction(eps0):
        raise FloatingPointError("delta is below the smallest floating-point number")
    return delta


def expected_gap(*, steps: int, eps0: float, epsilon: float) -> float:
    r"""Return the second expression of Proposition 7, :math:`\mathbb{E}[\max\{0, 1 - e^{\epsilon-Z}\}]`."""
    with localcontext(_sums()):
        kappa = Decimal(epsilon).exp()
        total = sum((p * (1 - kappa * shrink) for _, p, shrink in _losses_above(steps, eps0, epsilon)), Decimal(0))
        return _as_delta(total, steps, eps0, epsilon)


def integrated_tail(*, steps: int, eps0: float, epsilon: float) -> float:
    r"""Return the third expression of Proposition 7, :math:`\int_\epsilon^\infty e^{\epsilon-z} P(Z > z)\, dz`.

    The tail is constant between two losses, where the integral of the exponential is a difference.
    """
    with localcontext(_sums()):
        kappa, total, tail = Decimal(epsilon).exp(), Decimal(0), Decimal(0)
        above = Decimal(0)  # e^-loss of the larger loss, or 0 where the tail is still 0
        for _, p, shrink in _losses_above(steps, eps0, epsilon):
            total += tail * kappa * (shrink - above)
            tail, above = tail + p, shrink
        total += tail * (1 - kappa * above)
        return _as_delta(total, steps, eps0, epsilon)


def tail(*, steps: int, eps0: float, epsilon: float) -> float:
    r"""Return the upper bound of Proposition 7, :math:`P(Z > \epsilon)`."""
    with localcontext(_sums()):
        total = sum((p for _, p, _ in _losses_above(steps, eps0, epsilon)), Decimal(0))
        return _as_delta(total, steps, eps0, epsilon)


def gaussian_tail(*, sigma: float, steps: int, epsilon: float) -> float:
    r"""Return :math:`P(Z > \epsilon)` for the loss :math:`N(\rho, 2\rho)` of Gaussian noise.

    Here :math:`\rho = k/2\sigma^2`.  The relative error is below 1e-12.
    """
    rho = Fraction(steps) / (2 * Fraction(sigma) ** 2)
    return erfc(float(Fraction(epsilon) - rho) / (2 * sqrt(rho))) / 2


def gaussian_simple(*, sigma: float, steps: int, epsilon: float) -> float:
    r"""Return :math:`e^{-(\epsilon-\rho)^2/4\rho} / \max\{2, \sqrt{\pi/\rho}(\epsilon-\rho)\}`.

    The relative error is below 1e-12.
    """
    rho = Fraction(steps) / (2 * Fraction(sigma) ** 2)
    excess = Fraction(epsilon) - rho
    return exp(float(-excess * excess / (4 * rho))) / max(2.0, sqrt(pi / float(rho)) * float(excess))


def all_positive(*, scale: float, steps: int, epsilon: float) -> float:
    r"""Return :math:`2^{-k} (1 - e^{\epsilon - k/s})`, by the event that all Laplace noise is positive."""
    return -expm1(float(Fraction(epsilon) - steps / Fraction(scale))) * exp(-steps * log(2))


def _short_of_rho(params) -> float:
    return params["steps"] / (2 * params["sigma"] ** 2) - params["epsilon"]


BINOMIAL = r", \quad Z = (k - 2i)\epsilon_0"
RHO = r"\rho = \frac{k}{2\sigma^2}"

THEOREMS = (
    Theorem(
        id="basic-2.1",
        title="Basic composition is optimal",
        statement=r"\delta(\epsilon) \ge 2^{-k} \left(1 - e^{\epsilon - k/s}\right)",
        adjacency="any",
        protocol="laplace",
        parameters=("scale", "steps", "epsilon"),
        conditions=(
            Condition(
                "epsilon < steps / scale",
                "epsilon",
                lambda params: params["epsilon"] - params["steps"] / params["scale"],
                strict=True,
            ),
        ),
        source=source_at("Section 2.1"),
        formula=all_positive,
        notes=(
            "It is positive for every epsilon below that of basic composition, so no smaller one is pure. The section "
            "names the event, all noise positive, and its probability 2^-steps; their difference is derived here."
        ),
        quantity="delta",
        relation=">=",
        example={"steps": 10, "epsilon": 0.05},
    ),
    Theorem(
        id="gauss-3",
        title="The privacy loss of Gaussian noise is Gaussian",
        statement=r"\delta \le P(Z > \epsilon), \quad Z = N(\rho, 2\rho), \quad " + RHO,
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "steps", "epsilon"),
        conditions=(),
        source=source_at("Proposition 3, with the last expression of Proposition 7"),
        formula=gaussian_tail,
        notes="That the loss has this law is checked through the exact delta of gauss-8.",
        quantity="delta",
        example={"steps": 10, "epsilon": 1},
    ),
    Theorem(
        id="pld-7-expectation",
        title="Approximate differential privacy from the privacy loss, as an expectation",
        statement=r"\delta = \mathbb{E}\left[\max\left\{0, 1 - e^{\epsilon - Z}\right\}\right]" + BINOMIAL,
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "epsilon"),
        conditions=(FEW_STEPS,),
        source=source_at("Proposition 7, second expression"),
        formula=expected_gap,
        notes=SUM_NOTE,
        quantity="delta",
        relation="=",
        zero=True,
        example={"eps0": 0.1, "epsilon": 5},
    ),
    Theorem(
        id="pld-7-integral",
        title="Approximate differential privacy from the privacy loss, as an integral of its tail",
        statement=r"\delta = \int_\epsilon^\infty e^{\epsilon - z} P(Z > z) dz" + BINOMIAL,
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "epsilon"),
        conditions=(FEW_STEPS,),
        source=source_at("Proposition 7, third expression"),
        formula=integrated_tail,
        notes=SUM_NOTE,
        quantity="delta",
        relation="=",
        zero=True,
        example={"eps0": 0.1, "epsilon": 5},
    ),
    Theorem(
        id="pld-7-tail",
        title="Approximate differential privacy from the tail of the privacy loss",
        statement=r"\delta \le P(Z > \epsilon)" + BINOMIAL,
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "epsilon"),
        conditions=(FEW_STEPS,),
        source=source_at("Proposition 7, upper bound"),
        formula=tail,
        notes=SUM_NOTE,
        quantity="delta",
        zero=True,
        example={"eps0": 0.1, "epsilon": 5},
    ),
    Theorem(
        id="gauss-8-simple",
        title="Gaussian noise, in closed form",
        statement=(
            r"\delta \le \frac{e^{-(\epsilon - \rho)^2 / (4\rho)}}"
            r"{\max\left\{2, \sqrt{\pi/\rho}\, (\epsilon - \rho)\right\}}, \quad " + RHO
        ),
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "steps", "epsilon"),
        conditions=(Condition("epsilon >= rho = steps / (2 sigma^2)", "epsilon", _short_of_rho),),
        source=source_at("Corollary 8, bound after its proof"),
        formula=gaussian_simple,
        notes="The form of the denominator is recalled.",
        quantity="delta",
        example={"sigma": 2, "steps": 10, "epsilon": 5},
    ),
)
