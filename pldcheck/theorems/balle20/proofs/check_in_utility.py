r"""Utility of random check-ins: Theorem 3.5 of Balle et al. (2020).

n is ``clients``, m is ``steps``, p0 is ``check_in_prob``, ``mean`` is the mean load of a slot.  R is ``diameter``; the
noise :math:`p \sigma^2` of an answer is ``noise``, the square of the Lipschitz constant is ``lipschitz``.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Premise, Step
from ...removable_quotients import log1p_remainder
from .dummy_updates import CHECK_INS, empty, poisson_empty
from .last_iterate import LAST_ITERATE, SIZE, bracket

# The mean load of a slot, from just above log 2, so that 2 e^-mean < 1.
MEAN = Axis(0.7, 700.0)


def _less(clients: Any, steps: Any, check_in_prob: Any) -> Any:
    """Return the quotient of the two sides: :math:`e^{-n u^2 R(-u)}`, u = p0/m, log(1 + z) = z - z^2 R(z)."""
    u = check_in_prob / steps
    return (-clients * u**2 * log1p_remainder(-u)).exp()


FEW_EMPTY_SLOTS = Premise(
    "2 e^(-clients check_in_prob / steps) <= 1", lambda **values: 2 * poisson_empty(**_check_in(values)) - 1
)


def _check_in(values: dict[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in CHECK_INS}


def _second_moment(total: Any, chance: Any) -> Any:
    return total / (1 - chance)


EMPTY_SHARP = Step(
    id="3.5/empty-sharp",
    name="an empty slot, without the factor 2",
    statement=r"\left(1 - \frac{p_0}m\right)^n \le e^{-n p_0/m}",
    source="Theorem 3.5, proof, first display; not in the paper",
    left=empty,
    right=poisson_empty,
    box=CHECK_INS,
    margin=lambda clients, steps, check_in_prob: log1p_remainder(-check_in_prob / steps),
    notes="The proof loses this factor.",
)

FIXED_WINDOW_STEPS = (
    Step(
        id="3.5/empty",
        name="an empty slot",
        statement=r"\left(1 - \frac{p_0}m\right)^n \le 2 e^{-n p_0/m}",
        source="Theorem 3.5, proof, first display",
        left=empty,
        right=lambda **at: 2 * poisson_empty(**at),
        box=CHECK_INS,
        margin=lambda **at: 2 - _less(**at),
        notes="The proof uses a Poisson approximation; the factor 2 is not needed here.",
    ),
    EMPTY_SHARP,
    Step(
        id="3.5/second-moment",
        name="second moment of an update",
        statement=r"\frac{p\sigma^2 + L^2}{1 - p_b} \le \frac{p\sigma^2 + L^2}{1 - 2 e^{-n p_0/m}}",
        source="Theorem 3.5, proof, second display",
        left=lambda noise, lipschitz, **at: _second_moment(noise + lipschitz, empty(**at)),
        right=lambda noise, lipschitz, **at: _second_moment(noise + lipschitz, 2 * poisson_empty(**at)),
        box={**CHECK_INS, "noise": SIZE, "lipschitz": SIZE},
        premises=(FEW_EMPTY_SLOTS,),
        # The margin is p' - p_b, divided by e^(-n p0/m).
        margin=lambda noise, lipschitz, **at: 2 - _less(**at),
        conditional=True,
        notes="An answer has probability 1 - p_b and is divided by it; a dummy update is taken to be 0.",
    ),
    Step(
        id="3.5/dummy",
        name="second moment of an update, dummy updates being noise",
        statement=r"\frac{p\sigma^2 + L^2}{1 - p_b} + p_b p\sigma^2 \le \frac{p\sigma^2 + L^2}{1 - 2 e^{-n p_0/m}}",
        source="Algorithm 1 and Theorem 3.5, proof, second display; not in the paper",
        left=lambda noise, lipschitz, **at: _second_moment(noise + lipschitz, empty(**at)) + empty(**at) * noise,
        right=lambda noise, lipschitz, **at: _second_moment(noise + lipschitz, 2 * poisson_empty(**at)),
        box={**CHECK_INS, "noise": SIZE, "lipschitz": SIZE},
        premises=(FEW_EMPTY_SLOTS,),
        # The margin is (pv + L^2)(p' - p_b) - p_b pv, without denominators of at most 1, over e^(-n p0/m).
        margin=lambda noise, lipschitz, **at: lipschitz * (2 - _less(**at)) + 2 * noise * (1 - _less(**at)),
        conditional=True,
        notes="The algorithm sends noise when a slot is empty. The factor 2 covers it.",
        readings={
            "without the factor 2": lambda noise, lipschitz, **at: _second_moment(
                noise + lipschitz, poisson_empty(**at)
            )
        },
    ),
    *LAST_ITERATE,
    Step(
        id="3.5/rate",
        name="the bracket at the step size of the theorem",
        statement=r"\frac{R^2}c + \frac{c V}{1 - p'} = R \sqrt V \left(1 + \frac1{1 - p'}\right),"
        r" \quad c = \frac{R (1 - p')}{\sqrt V}, \quad V = p\sigma^2 + L^2",
        source="Theorem 3.5, proof, last two lines",
        left=lambda mean, diameter, moment: bracket(
            diameter, diameter * (1 - 2 * (-mean).exp()) / moment.sqrt(), moment / (1 - 2 * (-mean).exp())
        ),
        right=lambda mean, diameter, moment: diameter * moment.sqrt() * (1 + 1 / (1 - 2 * (-mean).exp())),
        box={"mean": MEAN, "diameter": SIZE, "moment": SIZE},
        notes="n p0/m is the parameter mean, V is moment.",
        equal=True,
    ),
    Step(
        id="3.5/final",
        name="final form",
        statement=r"R \sqrt V \left(1 + \frac1{1 - p'}\right) \le \frac{2 R \sqrt V}{1 - p'}",
        source="Theorem 3.5",
        left=lambda mean, diameter, moment: diameter * moment.sqrt() * (1 + 1 / (1 - 2 * (-mean).exp())),
        right=lambda mean, diameter, moment: 2 * diameter * moment.sqrt() / (1 - 2 * (-mean).exp()),
        box={"mean": MEAN, "diameter": SIZE, "moment": SIZE},
        margin=lambda mean, diameter, moment: (-mean).exp(),
        notes="Multiplied by (2 + log m)/sqrt m, this is the theorem's form.",
    ),
    Step(
        id="3.5/best-rate",
        name="the bracket at its best step size",
        statement=r"\frac{2 R \sqrt V}{\sqrt{1 - p'}} \le R \sqrt V \left(1 + \frac1{1 - p'}\right)",
        source="Theorem 3.5, proof, last two lines; not in the paper",
        left=lambda mean, diameter, moment: 2 * diameter * (moment / (1 - 2 * (-mean).exp())).sqrt(),
        right=lambda mean, diameter, moment: diameter * moment.sqrt() * (1 + 1 / (1 - 2 * (-mean).exp())),
        box={"mean": MEAN, "diameter": SIZE, "moment": SIZE},
        # The margin is the difference of an arithmetic and a geometric mean.
        margin=lambda mean, diameter, moment: (1 - (1 - 2 * (-mean).exp()).sqrt()) ** 2,
        notes="The proof loses this: the best step size is c = R sqrt((1 - p')/V), not that of the theorem.",
    ),
)

# The same without the factor 2, which the first of these steps shows to be lost.
SHARP_STEPS = (
    EMPTY_SHARP,
    Step(
        id="3.5-sharp/second-moment",
        name="second moment of an update, without the factor 2",
        statement=r"\frac{p\sigma^2 + L^2}{1 - p_b} \le \frac{p\sigma^2 + L^2}{1 - e^{-n p_0/m}}",
        source="Theorem 3.5, proof, second display; not in the paper",
        left=lambda noise, lipschitz, **at: _second_moment(noise + lipschitz, empty(**at)),
        right=lambda noise, lipschitz, **at: _second_moment(noise + lipschitz, poisson_empty(**at)),
        box={**CHECK_INS, "noise": SIZE, "lipschitz": SIZE},
        margin=lambda clients, steps, check_in_prob, **_: log1p_remainder(-check_in_prob / steps),
        notes="It needs no condition: 1 - e^(-n p0/m) is positive. A dummy update is taken to be 0.",
    ),
    Step(
        id="3.5-sharp/dummy",
        name="second moment of an update, without the factor 2, dummy updates being noise",
        statement=r"\frac{p\sigma^2 + L^2}{1 - p_b} + p_b p\sigma^2 \le \frac{p\sigma^2 + L^2}{1 - e^{-n p_0/m}}",
        source="Algorithm 1 and Theorem 3.5, proof, second display; not in the paper",
        left=lambda noise, lipschitz, **at: _second_moment(noise + lipschitz, empty(**at)) + empty(**at) * noise,
        right=lambda noise, lipschitz, **at: _second_moment(noise + lipschitz, poisson_empty(**at)),
        box={**CHECK_INS, "noise": SIZE, "lipschitz": SIZE},
        notes="The algorithm sends noise when a slot is empty, which the factor 2 covers (3.5/dummy).",
    ),
    *LAST_ITERATE,
)

CHAINS = (
    Chain(
        theorem="thm-3.5",
        title="Utility of random check-ins into a fixed window",
        steps=FIXED_WINDOW_STEPS,
    ),
    Chain(
        theorem="thm-3.5-sharp",
        title="Utility of random check-ins into a fixed window, without the factor 2",
        steps=SHARP_STEPS,
    ),
)
