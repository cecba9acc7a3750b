r"""The simple form of Theorem 4.1 of Balle et al. (2020): :math:`O(\epsilon_0/\sqrt m)` for :math:`\epsilon_0 \le 1`.

n is ``clients``, m is ``steps``, L stands for :math:`\log(1/\delta)`, :math:`L_2` for :math:`\log(1/\delta_2)`.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Premise, Step
from ...shared_steps import COUNT, LOG_INVERSE
from .averaged_updates import LOAD_BOX, share

STATEMENT = "Theorem 4.1, second sentence"
# The mean load n/m of a slot, where there are at most as many slots as clients.
MEAN = Axis(1.0, 1e12, "log")


def _simple_share(steps: Any, log_inverse_delta2: Any) -> Any:
    return ((0 * steps + 2).sqrt() + log_inverse_delta2.sqrt()) / steps.sqrt()


LOADS = Step(
    id="4.1-simple/loads",
    name="the loads, for at most as many slots as clients",
    statement=r"\sqrt{\frac1n + \frac1m} + \sqrt{\frac{L_2}n} \le \frac{\sqrt2 + \sqrt{L_2}}{\sqrt m}, \quad m \le n",
    source=f"{STATEMENT}; not in the paper",
    left=lambda steps, mean, log_inverse_delta2: share(mean * steps, steps, log_inverse_delta2),
    right=lambda steps, mean, log_inverse_delta2: _simple_share(steps, log_inverse_delta2),
    box={"steps": COUNT, "mean": MEAN, "log_inverse_delta2": LOG_INVERSE},
    # Both terms of the difference have the sign of n/m - 1.
    margin=lambda steps, mean, log_inverse_delta2: mean - 1,
    notes="n/m is the parameter mean.",
)

LOADS_AS_PRINTED = Step(
    id="4.1-simple/loads-any",
    name="the loads, for any number of slots",
    statement=r"\sqrt{\frac1n + \frac1m} + \sqrt{\frac{L_2}n} \le \frac{\sqrt2 + \sqrt{L_2}}{\sqrt m}",
    source=STATEMENT,
    left=share,
    right=lambda clients, steps, log_inverse_delta2: _simple_share(steps, log_inverse_delta2),
    box=LOAD_BOX,
    notes="The left side is at least 1/sqrt n, so that no constant would do on the right.",
)

EXPONENTIALS = Step(
    id="4.1-simple/linear",
    name="a linear bound of the exponentials",
    statement=r"e^{2\epsilon_0} (e^{\epsilon_0} - 1) \le e^2 (e - 1) \epsilon_0, \quad \epsilon_0 \le 1",
    source=f"{STATEMENT}; not in the paper",
    left=lambda eps0: (2 * eps0).exp() * eps0.expm1(),
    right=lambda eps0: (0 * eps0 + 2).exp() * (0 * eps0 + 1).expm1() * eps0,
    box={"eps0": Axis(0.0, 4.0)},
    premises=(Premise("eps0 <= 1", lambda eps0: eps0 - 1),),
    # The quotient of the left side and eps0 increases, and at 1 it is that of the right.
    margin=lambda eps0: 1 - eps0,
)

LINEAR_FORM = Step(
    id="4.1-simple/form",
    name="the square in the linear form",
    statement=r"\frac{c^2 t^2}2 + c t \sqrt{2L} \le \left(\frac{c^2}2 + c \sqrt{2L}\right) t,"
    r" \quad t = \frac{\epsilon_0}{\sqrt m} \le 1",
    source=f"{STATEMENT}; not in the paper",
    left=lambda constant, share, log_inverse_delta: (
        (constant * share) ** 2 / 2 + constant * share * (2 * log_inverse_delta).sqrt()
    ),
    right=lambda constant, share, log_inverse_delta: (
        (constant**2 / 2 + constant * (2 * log_inverse_delta).sqrt()) * share
    ),
    box={"constant": Axis(1.0, 1000.0, "log"), "share": Axis(1e-9, 1.0, "log"), "log_inverse_delta": LOG_INVERSE},
    margin=lambda constant, share, log_inverse_delta: 1 - share,
    notes="c is the parameter constant, t is share; c is e^2 (e - 1) times the numerator in the step on loads.",
)

FACTOR = Step(
    id="4.1-simple/factor",
    name="the factor to Theorem 3.2",
    statement=r"x^2 (x-1) \epsilon_1 \sqrt{2L} = x^{3/2} \epsilon_1 \sqrt m \cdot (x-1) \sqrt{\frac{2xL}m}",
    source="Section 4.1, before Theorem 4.1: an additional factor O(e^(3 eps0/2))",
    left=lambda eps0, clients, steps, log_inverse_delta, log_inverse_delta2: (
        (2 * eps0).exp() * eps0.expm1() * share(clients, steps, log_inverse_delta2) * (2 * log_inverse_delta).sqrt()
    ),
    right=lambda eps0, clients, steps, log_inverse_delta, log_inverse_delta2: (
        (3 * eps0 / 2).exp()
        * share(clients, steps, log_inverse_delta2)
        * steps.sqrt()
        * eps0.expm1()
        * (2 * eps0.exp() * log_inverse_delta / steps).sqrt()
    ),
    box={"eps0": Axis(0.0, 20.0), **LOAD_BOX, "log_inverse_delta": LOG_INVERSE},
    equal=True,
    notes="For m at most n, epsilon_1 sqrt m is a constant (4.1-simple/loads); beyond that it grows with m/n.",
)

CHAINS = (
    Chain("thm-4.1-simple", (LOADS, EXPONENTIALS, LINEAR_FORM)),
    Chain("thm-4.1-simple-printed", (LOADS_AS_PRINTED, EXPONENTIALS, LINEAR_FORM)),
    Chain("sec-4.1", (FACTOR, LOADS), "The factor of averaged updates"),
)
