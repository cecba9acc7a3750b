"""The simple form of Theorems A.4, 3.2 and 4.3: at most 7 w eps0 sqrt(L / m) for eps0 <= 1."""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Premise, Step
from ...removable_quotients import expm1_over
from ...shared_steps import COUNT, LOG_INVERSE, SHARE

A4 = "Theorem A.4, proof"


def replacement(eps0: Any, steps: Any, weight: Any, log_inverse_delta: Any) -> Any:
    """Return the formula of Theorem A.4."""
    a = weight * eps0.expm1()
    return a**2 * eps0.exp() / (2 * steps) + a * (2 * eps0.exp() * log_inverse_delta / steps).sqrt()


def reduced_formula(eps0: Any, steps: Any, weight: Any, log_inverse_delta: Any) -> Any:
    r"""Return the formula of Theorem A.4 divided by :math:`w \epsilon_0 / \sqrt m`."""
    quotient = expm1_over(eps0)
    drift = weight * eps0.exp() * eps0 * quotient**2 / (2 * steps.sqrt())
    return drift + quotient * (2 * eps0.exp() * log_inverse_delta).sqrt()


FORMULA_BOX = {
    "eps0": Axis(0.0, 4.0),
    "steps": COUNT,
    "weight": SHARE,
    "log_inverse_delta": Axis(0.01, 700.0, "log"),
}


def _at_most(limit: int) -> Premise:
    """Return the premise delta <= 1/limit, in terms of L."""
    return Premise(
        f"delta <= 1/{limit}",
        lambda log_inverse_delta, **_: (0 * log_inverse_delta + limit).log() - log_inverse_delta,
    )


SMALL = Premise("eps0 <= 1", lambda eps0, **_: eps0 - 1)
RARE = _at_most(100)
QUARTER = _at_most(4)

LINEAR = Step(
    id="A.4/linear",
    name="a linear bound of the exponentials",
    statement=r"e^{\epsilon_0/2} (e^{\epsilon_0} - 1) \le 3 \epsilon_0",
    source=f"{A4}, simple form, first inequality",
    left=lambda eps0: (eps0 / 2).exp() * eps0.expm1(),
    right=lambda eps0: 3 * eps0,
    box={"eps0": Axis(0.0, 4.0)},
    premises=(SMALL,),
    margin=lambda eps0: 3 - (eps0 / 2).exp() * expm1_over(eps0),
)


def _absorption(premise: Premise, which: str, where: str) -> Step:
    return Step(
        id=f"A.4/absorbed-{which}",
        name=f"the drift against the root, {premise.text}",
        statement=r"\frac{3 w \epsilon_0}{2 \sqrt m} \le \sqrt{\frac{L}{2}}",
        source=f"{A4}, simple form, second inequality, {where}",
        left=lambda eps0, steps, weight, log_inverse_delta: 3 * weight * eps0 / (2 * steps.sqrt()),
        right=lambda eps0, steps, weight, log_inverse_delta: (log_inverse_delta / 2).sqrt(),
        box=FORMULA_BOX,
        premises=(SMALL, premise),
    )


ABSORPTION = _absorption(RARE, "100", "as its reason says")
ABSORPTION_QUARTER = _absorption(QUARTER, "4", "as the sentence before it says")

ROUND_UP = Step(
    id="A.4/rounded",
    name="the constant rounded up",
    statement=r"3 \left(\sqrt 2 + \sqrt{1/2}\right) \sqrt L \le 7 \sqrt L",
    source=f"{A4}, simple form, last inequality",
    left=lambda log_inverse_delta: 3 * ((0 * log_inverse_delta + 2).sqrt() * 3 / 2) * log_inverse_delta.sqrt(),
    right=lambda log_inverse_delta: 7 * log_inverse_delta.sqrt(),
    box={"log_inverse_delta": LOG_INVERSE},
    # The difference 7 - 9/sqrt(2) has the sign of 98 - 81.
    margin=lambda log_inverse_delta: 0 * log_inverse_delta + (2 * 7**2 - 9**2),
)


def _simple(premise: Premise, which: str, where: str) -> Step:
    return Step(
        id=f"A.4/simple-{which}",
        name=f"the simple form, {premise.text}",
        statement=r"\frac{w^2 x (x-1)^2}{2m} + w (x-1) \sqrt{\frac{2 x L}{m}} \le 7 w \epsilon_0 \sqrt{\frac Lm}",
        source=f"Theorem A.4, second sentence, {where}",
        left=replacement,
        right=lambda eps0, steps, weight, log_inverse_delta: 7 * weight * eps0 * (log_inverse_delta / steps).sqrt(),
        box=FORMULA_BOX,
        premises=(SMALL, premise),
        margin=lambda eps0, steps, weight, log_inverse_delta: (
            7 * log_inverse_delta.sqrt() - reduced_formula(eps0, steps, weight, log_inverse_delta)
        ),
        notes="The margin is divided by w eps0 / sqrt(m); where that is 0, the limits are compared.",
    )


SIMPLE = _simple(RARE, "100", "statement")
SIMPLE_QUARTER = _simple(QUARTER, "4", "as one place of its proof has it")
SIMPLE_FORM_STEPS = (LINEAR, ABSORPTION, ROUND_UP, SIMPLE)
# The same as one place of the proof has it, for delta up to 1/4.
QUARTER_STEPS = (LINEAR, ABSORPTION_QUARTER, ROUND_UP, SIMPLE_QUARTER)
