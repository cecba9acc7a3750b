r"""Steinke (2022), Theorem 38: the divergence of a sample grows in proportion to the order, up to a limit.

d is ``gap``, :math:`p (x - 1)` at a likelihood ratio x, so that the mixture's ratio is :math:`1 + d`; :math:`\alpha` is
``order``, :math:`\omega` is ``limit``, p is the sampling probability.  What can be read of the proof are its cases and
that it uses the divergences of order 2 and :math:`\omega`; the rest is derived.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Premise, Step
from ...removable_quotients import expm1_over, log1p_remainder

PROOF = "Theorem 38, proof, reconstructed"
# Limits of orders: the condition of the theorem makes each at least 3.
LIMIT = Axis(3.0, 64.0)
NEAR = Premise("(limit - 2) gap <= 1", lambda gap, order, limit: (limit - 2) * gap - 1)
BELOW = Premise("order <= limit", lambda gap, order, limit: order - limit)


def _e(like: Any) -> Any:
    return (0 * like + 1).exp()


def power_exponent(log_inverse: Any, limit: Any, first: Any, second: Any, third: Any) -> Any:
    r"""Return the logarithm of :math:`(\omega-1)^{\omega-2} p^\omega e^{\omega(\omega-1)\rho}` less that of rho.

    With :math:`L = \log(1/p)`: :math:`\omega - 1 = e^{a L / 4}`, :math:`\omega\rho = b L / 4`, and
    :math:`\log(1/\rho) = c (\omega - 3) L / 2`.
    """
    power = (limit - 2) * first / 4 - limit + (limit - 1) * second / 4 + third * (limit - 3) / 2
    return power * log_inverse


CHAINS = (
    Chain(
        theorem="rdp-38",
        steps=(
            Step(
                id="38/likely",
                name="the second derivative where the ratio is small",
                statement=r"(2 - \alpha) \log\frac1{1 - p} \le 1, \quad \alpha \ge 1, \quad p \le \frac12",
                source=PROOF,
                left=lambda share, order: -(2 - order) * (-share).log1p(),
                right=lambda share, order: 1 + 0 * share * order,
                box={"share": Axis(0.0, 0.5), "order": Axis(1.0, 64.0)},
                notes="share is p. So the power alpha - 2 of 1 + d, which is at least 1 - p, is at most e.",
            ),
            Step(
                id="38/near",
                name="the power near 1, to second order",
                statement=(
                    r"(1 + d)^\alpha \le 1 + \alpha d + \frac e2 \alpha (\alpha - 1) d^2, \quad (\omega - 2) d \le 1,"
                    r" \quad \alpha \le \omega"
                ),
                source=PROOF,
                left=lambda gap, order, limit: (order * gap.log1p()).exp() + 0 * limit,
                right=lambda gap, order, limit: (
                    1 + order * gap + _e(gap) / 2 * order * (order - 1) * gap**2 + 0 * limit
                ),
                box={"gap": Axis(-0.5, 1.0), "order": Axis(1.0, 64.0), "limit": LIMIT},
                premises=(NEAR, BELOW),
                # The second derivative is at most e alpha (alpha - 1) between 0 and d: by 38/likely below 0, and above
                # it since (alpha - 2) log(1 + d) is at most (omega - 2) d.
                margin=lambda gap, order, limit: (order - 1) * gap**2 + 0 * limit,
                conditional=True,
            ),
            Step(
                id="38/far",
                name="the ratio where it is large",
                statement=r"1 + d \le (\omega - 1) d, \quad d = \frac y{\omega - 2}, \quad y \ge 1",
                source=PROOF,
                left=lambda reach, limit: 1 + reach / (limit - 2),
                right=lambda reach, limit: (limit - 1) * reach / (limit - 2),
                box={"reach": Axis(1.0, 1e6, "log"), "limit": LIMIT},
                # The difference is y - 1.
                margin=lambda reach, limit: reach - 1 + 0 * limit,
                notes=(
                    "y is reach. There the power's second derivative is at most alpha (alpha - 1) (1 + d)^(omega - 2), "
                    "and d^2 times it at most alpha (alpha - 1) (omega - 1)^(omega - 2) (p x)^omega."
                ),
            ),
            Step(
                id="38/logarithm",
                name="the logarithm is below its tangent",
                statement=r"\log(1 + y) \le y",
                source=PROOF,
                left=lambda growth: growth.log1p(),
                right=lambda growth: growth,
                box={"growth": Axis(0.0, 1e6)},
                margin=lambda growth: growth**2 * log1p_remainder(growth),
                notes="So a moment's excess over 1, divided by alpha - 1, bounds the divergence.",
            ),
            Step(
                id="38/power",
                name="the moment of order omega is small",
                statement=(
                    r"(\omega - 2) \frac{a L}4 - \omega L + (\omega - 1) \frac{b L}4 + c (\omega - 3) \frac L2"
                    r" \le -2 L, \quad 0 \le a, b, c \le 1"
                ),
                source=PROOF,
                left=power_exponent,
                right=lambda log_inverse, limit, first, second, third: (
                    -2 * log_inverse + 0 * limit * first * second * third
                ),
                box={
                    "log_inverse": Axis(0.6, 700.0),
                    "limit": LIMIT,
                    "first": Axis(0.0, 1.0),
                    "second": Axis(0.0, 1.0),
                    "third": Axis(0.0, 1.0),
                },
                # The left side grows with a, b and c, and at their largest values it is -9 L / 4.
                margin=lambda log_inverse, limit, first, second, third: log_inverse,
                notes=(
                    "L is log(1/p). The theorem's conditions are omega - 1 <= p^(-1/4), omega rho <= L/4 and "
                    "log(1/rho) <= (omega - 3) L / 2; a, b and c are first, second and third. So "
                    "(omega - 1)^(omega - 2) p^omega e^(omega (omega - 1) rho) is at most p^2 rho."
                ),
            ),
            Step(
                id="38/constant",
                name="the constant",
                statement=r"\frac e2 \left(e^{2\rho} - 1\right) + \frac\rho2 \le 10 \rho, \quad \rho \le 1",
                source=PROOF,
                left=lambda rho: _e(rho) / 2 * (2 * rho).expm1() + rho / 2,
                right=lambda rho: 10 * rho,
                box={"rho": Axis(0.0, 1.0)},
                # The difference over rho.
                margin=lambda rho: 10 - (0 * rho + 1) / 2 - _e(rho) * expm1_over(2 * rho),
                notes="Times alpha p^2 it is the theorem: e^(D_2) - 1 is at most e^(2 rho) - 1.",
            ),
        ),
    ),
)
