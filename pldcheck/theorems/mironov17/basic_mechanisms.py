r"""Mironov (2017): the Rényi divergences of randomized response and of Laplace noise.

:math:`\alpha` is ``order``, b is ``scale``.  Each bracket is 1 plus a quantity that is small where privacy is good; it
is summed without cancellation, and the relative error is below 1e-12.
"""

from __future__ import annotations

from math import cosh, exp, expm1, log, log1p, sinh
from typing import Any

from ..recalled import AS_RECALLED
from ..theorem import Source, Theorem

MIRONOV = "Mironov, Rényi Differential Privacy, CSF 2017"
URL = "https://arxiv.org/abs/1702.07476"
# Where the sum of both arguments is larger, hyperbolic functions are taken apart, before they overflow.
LARGE = 300.0
# Powers of a smaller argument than this are summed as a series: each term is at most half the one before it.
SMALL = 0.5
# The terms of the series: the last is below 2^-60 of the first.
TERMS = 64


def _second_difference(u: float) -> float:
    r"""Return :math:`e^u - 1 - u` for :math:`|u| \le 1/2`, by its series."""
    total, term = 0.0, u * u / 2
    for n in range(3, TERMS):
        total += term
        term *= u / n
    return total


def _log_mean(up_weight: float, down_weight: float, up: float, down: float) -> float:
    r"""Return :math:`\log(w e^u + v e^{-d})` for weights of sum 1 and :math:`w u = v d`.

    The terms of first order cancel, so that for small exponents second differences are left, which are positive.
    """
    if up <= SMALL and down <= SMALL:
        return log1p(up_weight * _second_difference(up) + down_weight * _second_difference(-down))
    if up <= SMALL:
        # w expm1(u) is w u and a second difference, and w u is v d.
        return log1p(up_weight * _second_difference(up) + down_weight * (down + expm1(-down)))
    return up + log(up_weight) + log1p(down_weight / up_weight * exp(-down - up))


def laplace_divergence(*, scale: float, order: float) -> float:
    r"""Return :math:`\frac1{\alpha-1} \log(w e^{(\alpha-1)/b} + v e^{-\alpha/b})`.

    .. math:: w = \frac\alpha{2\alpha-1}, \quad v = \frac{\alpha-1}{2\alpha-1}
    """
    both = 2 * order - 1
    return _log_mean(order / both, (order - 1) / both, (order - 1) / scale, order / scale) / (order - 1)


def response_divergence(*, eps0: float, order: float) -> float:
    r"""Return :math:`\frac1{\alpha-1} \log(p^\alpha (1-p)^{1-\alpha} + (1-p)^\alpha p^{1-\alpha})`.

    .. math:: p = \frac{e^{\epsilon_0}}{1+e^{\epsilon_0}}

    The bracket is :math:`\cosh((2\alpha-1)\epsilon_0/2) / \cosh(\epsilon_0/2)`, which is
    :math:`1 + 2 \sinh(\alpha\epsilon_0/2) \sinh((\alpha-1)\epsilon_0/2) / \cosh(\epsilon_0/2)`.
    """
    first, second = order * eps0 / 2, (order - 1) * eps0 / 2
    if first + second <= LARGE:
        return log1p(2 * sinh(first) * sinh(second) / cosh(eps0 / 2)) / (order - 1)
    return (2 * second + log1p(exp(-2 * (first + second))) - log1p(exp(-eps0))) / (order - 1)


def one_response(*, eps0: float, order: float) -> dict[str, Any]:
    """Return the fields of one step of randomized response."""
    return {"eps0": eps0, "steps": 1}


THEOREMS = (
    Theorem(
        id="mironov17-response",
        title="Rényi divergence of randomized response, exactly",
        statement=(
            r"D_\alpha = \frac1{\alpha-1} \log\left(p^\alpha (1-p)^{1-\alpha} + (1-p)^\alpha p^{1-\alpha}\right),"
            r" \quad p = \frac{e^{\epsilon_0}}{1 + e^{\epsilon_0}}"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("eps0", "order"),
        conditions=(),
        source=Source("Mironov17", MIRONOV, "randomized response", URL),
        formula=response_divergence,
        notes=AS_RECALLED,
        quantity="renyi",
        relation="=",
        subject=one_response,
        example={"eps0": 1, "order": 4},
    ),
    Theorem(
        id="mironov17-laplace",
        title="Rényi divergence of Laplace noise, exactly",
        statement=(
            r"D_\alpha = \frac1{\alpha-1} \log\left(\frac{\alpha}{2\alpha-1} e^{(\alpha-1)/b} +"
            r" \frac{\alpha-1}{2\alpha-1} e^{-\alpha/b}\right)"
        ),
        adjacency="any",
        protocol="laplace",
        parameters=("scale", "order"),
        conditions=(),
        source=Source("Mironov17", MIRONOV, "the Laplace mechanism", URL),
        formula=laplace_divergence,
        notes=AS_RECALLED,
        quantity="renyi",
        relation="=",
        example={"scale": 1, "order": 4},
    ),
)
