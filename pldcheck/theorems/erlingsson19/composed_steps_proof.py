r"""The earlier bound on shuffling: Erlingsson et al. (2019), Theorem 7, as quoted by Balle et al. (2020).

n is ``clients``, i is ``position``, x stands for :math:`e^{\epsilon_0}` and L for :math:`\log(1/\delta)`.  Its own
proof was not read: the chain proves a bound of its form, by advanced composition of n equal steps.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..balle20.proofs.swap_posterior import envelope
from ..balle20.proofs.swapping_chain import printed_epsilon
from ..proof_step import Axis, Chain, Measured, Step
from ..shared_steps import COUNT, LOG_INVERSE, x

QUOTED_THEOREM = "Theorem 7 of Erlingsson et al. 2019, as quoted after Theorem 5.1 of Balle et al. 2020"
# For larger eps0, the exponential of 2 x^2 (x-1)/n has too many digits to evaluate.
EPS0 = Axis(0.0, 10.0)
AXES = {"eps0": EPS0, "clients": COUNT, "log_inverse_delta": LOG_INVERSE}


def scale(eps0: Any) -> Any:
    """Return :math:`a = 2 x^2 (x - 1)`, n times the budget of a step."""
    return 2 * x(eps0) ** 2 * eps0.expm1()


def advanced_composition(budget: Any, clients: Any, log_inverse_delta: Any) -> Any:
    r"""Return the bound of Dwork, Rothblum, Vadhan 2010.

    .. math:: n \epsilon_1 (e^{\epsilon_1} - 1) + \epsilon_1 \sqrt{2 n L}
    """
    return clients * budget * budget.expm1() + budget * (2 * clients * log_inverse_delta).sqrt()


def quoted_epsilon(eps0: Any, clients: Any, log_inverse_delta: Any) -> Any:
    r"""Return the epsilon as quoted: :math:`a (e^{a/n} - 1) + a \sqrt{2L/n}`, :math:`a = 2 x^2 (x-1)`."""
    a = scale(eps0)
    return a * (a / clients).expm1() + a * (2 * log_inverse_delta / clients).sqrt()


POINTS = tuple(
    {"clients": n, "eps0": eps0, "delta": delta}
    for n, eps0, delta in ((10, 0.1, 1e-2), (100, 0.5, 1e-6), (10_000, 1.0, 1e-6))
)

CHAINS = (
    Chain(
        theorem="efmrtt-7",
        steps=(
            Step(
                id="EFMRTT/budget",
                name="the budget of every place, against that of Theorem A.7",
                statement=r"\log\left(1 + \frac{x^2 (x-1)}{x^2 + (i-1) + (n-i) x}\right) \le \frac{2 x^2 (x-1)}n",
                source=f"{QUOTED_THEOREM}; Theorem A.7, proof",
                left=lambda eps0, position, rest: (envelope(eps0, position + rest, position) * eps0.expm1()).log1p(),
                right=lambda eps0, position, rest: scale(eps0) / (position + rest),
                box={"eps0": EPS0, "position": COUNT, "rest": Axis(0.0, 1e12)},
                # As log(1 + y) <= y, the margin is twice the denominator minus n.
                margin=lambda eps0, position, rest: 2 * (x(eps0) ** 2 - 1) + position + rest * (2 * x(eps0) - 1),
                notes=(
                    "n - i is the parameter rest. Every place has the same "
                    "budget, which is twice as large as necessary."
                ),
            ),
            Step(
                id="EFMRTT/drift",
                name="drift of one step, against Kairouz, Oh and Viswanath's",
                statement=r"\epsilon_1 \frac{e^{\epsilon_1} - 1}{e^{\epsilon_1} + 1}"
                r" \le \epsilon_1 (e^{\epsilon_1} - 1)",
                source="Dwork, Rothblum, Vadhan 2010",
                left=lambda budget: budget * budget.expm1() / (budget.exp() + 1),
                right=lambda budget: budget * budget.expm1(),
                box={"budget": Axis(1e-12, 1e3, "log")},
                margin=lambda budget: budget.exp(),
                notes="The right side is at least twice as large.",
            ),
            Measured(
                id="EFMRTT/composition",
                name="composition of equal steps",
                statement=r"\epsilon \le n \epsilon_1 (e^{\epsilon_1} - 1) + \epsilon_1 \sqrt{2 n L},"
                r" \quad \epsilon_1 = \frac{2 x^2 (x-1)}n",
                source="Dwork, Rothblum, Vadhan 2010",
                points=POINTS,
                why="its left side is the exact epsilon of composed randomized responses",
            ),
            Step(
                id="EFMRTT/final",
                name="final form",
                statement=r"n \epsilon_1 (e^{\epsilon_1} - 1) + \epsilon_1 \sqrt{2 n L}"
                r" = a (e^{a/n} - 1) + a \sqrt{\frac{2L}n}, \quad a = n \epsilon_1 = 2 x^2 (x-1)",
                source=QUOTED_THEOREM,
                left=lambda eps0, clients, log_inverse_delta: advanced_composition(
                    scale(eps0) / clients, clients, log_inverse_delta
                ),
                right=quoted_epsilon,
                box={**AXES, "clients": replace(COUNT, low=100.0)},
                equal=True,
            ),
            Step(
                id="EFMRTT/improved",
                name="Theorem 5.1 is smaller",
                statement=r"\frac{x^3 (x-1)^2}{2n} + x^{3/2} (x-1) \sqrt{\frac{2L}n}"
                r" \le a (e^{a/n} - 1) + a \sqrt{\frac{2L}n}",
                source="Theorem 5.1, remark after it",
                left=printed_epsilon,
                right=quoted_epsilon,
                box={**AXES, "clients": replace(COUNT, low=100.0)},
                # The roots are compared, and x^3/2 with 4 x^4, since e^y - 1 is at least y.
                margin=lambda eps0, clients, log_inverse_delta: 2 * (eps0 / 2).exp() - 1,
            ),
            Measured(
                id="EFMRTT/claim",
                name="the theorem itself",
                statement=r"\epsilon(\delta) \le a (e^{a/n} - 1) + a \sqrt{\frac{2L}n}",
                source=QUOTED_THEOREM,
                points=POINTS,
                why="its left side is a largest value over randomizers",
            ),
        ),
    ),
)
