"""Dummy updates: Propositions 3.4 and 4.4 of Balle et al. (2020).

n is ``clients``, m is ``steps``, p0 is ``check_in_prob``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...proof_step import Axis, Chain, Measured, Step
from ...removable_quotients import log1p_remainder
from ...shared_steps import COUNT, ENUMERATION_NOTE, at_most_clients

SLOTS = replace(COUNT, low=2.0)
CHECK_INS = {"clients": COUNT, "steps": SLOTS, "check_in_prob": Axis(1e-9, 1.0, "log")}


def empty(clients: Any, steps: Any, check_in_prob: Any) -> Any:
    """Return :math:`(1 - p_0/m)^n`, the probability that a slot is empty."""
    return (clients * (-check_in_prob / steps).log1p()).exp()


def poisson_empty(clients: Any, steps: Any, check_in_prob: Any) -> Any:
    """Return :math:`e^{-n p_0/m}`, the Poisson approximation of the probability that a slot is empty."""
    return (-clients * check_in_prob / steps).exp()


EXPONENTIAL = Step(
    id="3.4/exponential",
    name="comparison with the exponential",
    statement=r"m \left(1 - \frac{p_0}m\right)^n \le m e^{-c}, \quad c = \frac{n p_0}m",
    source="Proposition 3.4, proof, last display",
    left=lambda steps, **at: steps * empty(steps=steps, **at),
    right=lambda steps, **at: steps * poisson_empty(steps=steps, **at),
    box=CHECK_INS,
    margin=lambda clients, steps, check_in_prob: log1p_remainder(-check_in_prob / steps),
    notes="The step is for two slots or more; with one slot and p0 = 1 the left side is 0.",
)

CHAINS = (
    Chain(
        theorem="prop-3.4",
        title="Dummy updates of a fixed window",
        steps=(
            Step(
                id="3.4/client",
                name="the probability that one client is not in a slot",
                statement=r"(1 - p_0) + \left(1 - \frac1m\right) p_0 = 1 - \frac{p_0}m",
                source="Proposition 3.4, proof, first display",
                left=lambda steps, check_in_prob: (1 - check_in_prob) + (1 - 1 / steps) * check_in_prob,
                right=lambda steps, check_in_prob: 1 - check_in_prob / steps,
                box={"steps": COUNT, "check_in_prob": Axis(0.0, 1.0)},
                equal=True,
            ),
            Measured(
                id="3.4/expected",
                name="expected number of dummy updates",
                statement=r"\mathbb{E}[\#\text{empty}] = m \left(1 - \frac{p_0}m\right)^n",
                source="Proposition 3.4, proof, (8)",
                points=tuple(
                    {"clients": n, "steps": m, "quarters": q} for n in (1, 3, 4) for m in (1, 2, 3) for q in (1, 2, 4)
                ),
                why=ENUMERATION_NOTE,
                notes="The number is the absolute difference, which is 0; quarters is 4 p0.",
            ),
            EXPONENTIAL,
        ),
    ),
    Chain(
        theorem="prop-4.4",
        title="Dummy updates of sliding windows",
        steps=(
            Measured(
                id="4.4/expected",
                name="expected number of dummy updates",
                statement=r"\mathbb{E}[\#\text{empty}] = (n - m + 1) \left(1 - \frac1m\right)^m",
                source="Proposition 4.4, proof, (9) and its sum",
                points=tuple({"clients": n, "steps": m} for n, m in ((1, 1), (3, 2), (6, 2), (5, 3), (7, 3), (6, 4))),
                why=ENUMERATION_NOTE,
                notes="The number is the absolute difference, which is 0; slots m to n are released.",
            ),
            Step(
                id="4.4/exponential",
                name="comparison with the exponential",
                statement=r"(n - m + 1) \left(1 - \frac1m\right)^m \le \frac{n - m + 1}e",
                source="Proposition 4.4, proof, (9)",
                left=lambda clients, steps: (clients - steps + 1) * (steps * (-1 / steps).log1p()).exp(),
                right=lambda clients, steps: (clients - steps + 1) * (steps**0 * -1).exp(),
                box={"clients": COUNT, "steps": SLOTS},
                premises=(at_most_clients("steps"),),
                margin=lambda clients, steps: log1p_remainder(-1 / steps),
                conditional=True,
                notes="With windows of one slot the left side is 0.",
            ),
        ),
    ),
)
