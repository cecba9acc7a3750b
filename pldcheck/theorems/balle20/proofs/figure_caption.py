r"""The caption of Figure 2 of Balle et al. (2020), and the sentences about it: Theorem 5.1 beside the earlier bound.

n is ``clients``, x stands for :math:`e^{\epsilon_0}`, L for :math:`\log(1/\delta)`; :math:`\epsilon_{5.1}(n)` is the
bound of Theorem 5.1, :math:`\epsilon_7(n)` that of Theorem 7 of Erlingsson et al. as the paper quotes it.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Step
from ...shared_steps import EPS0, LOG_INVERSE
from .swapping_chain import printed_epsilon

CAPTION = "Caption of Figure 2"
# What the figure shows: delta = 1e-6, whose logarithm is 13.8155, budgets from 0.2 to 1, and two numbers of clients.
LOG_MILLION = Axis(13.8, 13.83)
SHOWN = {
    "eps0": Axis(0.2, 1.0),
    "clients": Axis(1000.0, 10_000.0, "log", whole=True),
    "log_inverse_delta": LOG_MILLION,
}


def earlier(eps0: Any, clients: Any, log_inverse_delta: Any) -> Any:
    r"""Return the earlier bound: :math:`a (e^{a/n} - 1) + a \sqrt{2L/n}`, where :math:`a = 2 x^2 (x-1)`."""
    a = 2 * (2 * eps0).exp() * eps0.expm1()
    return a * (a / clients).expm1() + a * (2 * log_inverse_delta / clients).sqrt()


def earlier_with(factor: int) -> Any:
    """Return the earlier bound at ``factor`` times as many clients."""
    return lambda eps0, clients, log_inverse_delta: earlier(eps0, factor * clients, log_inverse_delta)


STEPS = (
    Step(
        id="fig-2/similar",
        name="not much more than the earlier bound with ten times as many clients",
        statement=r"\epsilon_{5.1}(n) \le \frac32 \epsilon_7(10 n)",
        source=f"{CAPTION}, last sentence",
        left=printed_epsilon,
        right=lambda **at: 3 * earlier_with(10)(**at) / 2,
        box=SHOWN,
        notes="The caption says similar; with the next step this reading is a factor from 0.9 to 1.5.",
    ),
    Step(
        id="fig-2/no-less",
        name="not much less than the earlier bound with ten times as many clients",
        statement=r"\epsilon_7(10 n) \le \frac{11}{10} \epsilon_{5.1}(n)",
        source=f"{CAPTION}, last sentence",
        left=earlier_with(10),
        right=lambda **at: 11 * printed_epsilon(**at) / 10,
        box=SHOWN,
    ),
    Step(
        id="fig-2/order",
        name="one order of magnitude fewer users",
        statement=r"\epsilon_{5.1}(n) \le \epsilon_7(10 n)",
        source="Section 1, contributions: the number of users is reduced by one order of magnitude",
        left=printed_epsilon,
        right=earlier_with(10),
        box=SHOWN,
        notes="It holds near eps0 = 1, the right end of the figure, and fails at most of its budgets.",
    ),
    Step(
        id="fig-2/quarter",
        name="a quarter of the users",
        statement=r"\epsilon_{5.1}(n) \le \epsilon_7(4 n)",
        source="repair of fig-2/order; not in the paper",
        left=printed_epsilon,
        right=earlier_with(4),
        box={**SHOWN, "eps0": EPS0, "clients": Axis(1.0, 1e12, "log", whole=True), "log_inverse_delta": LOG_INVERSE},
        # The roots have x^(3/2) and x^2. Of the first terms, x^3 (x-1)^2/(2n) is at most a^2/(4n), and e^z - 1 >= z.
        margin=lambda eps0, clients, log_inverse_delta: eps0,
        notes="It holds for every budget and every delta.",
    ),
    Step(
        id="fig-2/leading",
        name="the factor between the leading terms",
        statement=r"2 x^2 (x-1) \sqrt{\frac{2L}n} = 2 \sqrt x \cdot x^{3/2} (x-1) \sqrt{\frac{2L}n}",
        source="Section 1, contributions: the dependency is improved by O(e^(eps0/2))",
        left=lambda eps0, clients, log_inverse_delta: (
            2 * (2 * eps0).exp() * eps0.expm1() * (2 * log_inverse_delta / clients).sqrt()
        ),
        right=lambda eps0, clients, log_inverse_delta: (
            2 * (eps0 / 2).exp() * (3 * eps0 / 2).exp() * eps0.expm1() * (2 * log_inverse_delta / clients).sqrt()
        ),
        box={"eps0": EPS0, "clients": Axis(1.0, 1e12, "log", whole=True), "log_inverse_delta": LOG_INVERSE},
        equal=True,
    ),
)

CHAINS = (Chain("fig-2", STEPS, "Theorem 5.1 beside the earlier bound with ten times as many clients"),)
