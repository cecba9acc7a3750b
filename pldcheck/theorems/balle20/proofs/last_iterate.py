r"""The last iterate of stochastic gradient descent: Shamir and Zhang (2013), Theorem 2.

.. math:: E F(w_m) - F(w^*) \le \left(\frac{R^2}c + c G^2\right) \frac{2 + \log m}{\sqrt m}

for step sizes :math:`c/\sqrt t` and :math:`E |g_t|^2 \le G^2`, on a set of diameter R.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Step
from ...removable_quotients import log1p_remainder
from ...shared_steps import COUNT
from .dummy_updates import SLOTS

SIZE = Axis(1e-6, 1e6, "log")
SHAMIR = "Shamir, Zhang 2013, Theorem 2; its proof, rebuilt"


def bracket(diameter: Any, rate: Any, moment: Any) -> Any:
    """Return :math:`R^2/c + c G^2`, the constant of the bound."""
    return diameter**2 / rate + rate * moment


LAST_ITERATE = (
    Step(
        id="SZ/root",
        name="sum of the step sizes, term by term",
        statement=r"\frac1{\sqrt t} \le 2 (\sqrt t - \sqrt{t-1})",
        source=SHAMIR,
        left=lambda position: 1 / position.sqrt(),
        right=lambda position: 2 / (position.sqrt() + (position - 1).sqrt()),
        box={"position": COUNT},
        # The difference times sqrt t is 2/(1 + sqrt(1 - 1/t)) - 1.
        margin=lambda position: 1 - (1 - 1 / position).sqrt(),
        notes="The sum from T-k to T is at most 2 (sqrt T - sqrt(T-k-1)).",
    ),
    Step(
        id="SZ/last",
        name="the last k + 1 iterates",
        statement=r"\sqrt T - \sqrt{T - j} \le \frac j{\sqrt T}, \quad j = k + 1",
        source=SHAMIR,
        left=lambda position, rest: position / ((position + rest).sqrt() + rest.sqrt()),
        right=lambda position, rest: position / (position + rest).sqrt(),
        box={"position": COUNT, "rest": Axis(0.0, 1e12)},
        # The denominators differ by sqrt(T - j).
        margin=lambda position, rest: rest,
        notes=(
            "position is j, rest is T - j. The means S_k of the last k + 1 values satisfy S_{k-1} <= S_k + "
            "(R^2/(2c) + c G^2) / (k sqrt T)."
        ),
    ),
    Step(
        id="SZ/harmonic",
        name="harmonic sum, term by term",
        statement=r"\frac1k \le \log \frac k{k-1}",
        source=SHAMIR,
        left=lambda position: 1 / position,
        right=lambda position: -(-1 / position).log1p(),
        box={"position": SLOTS},
        margin=lambda position: log1p_remainder(-1 / position),
        notes="The sum from 2 on gives 1 + 1/2 + ... + 1/(T-1) <= 1 + log T.",
    ),
    Step(
        id="SZ/total",
        name="last iterate of stochastic gradient descent",
        statement=r"\left(\frac{R^2}{2c} + c G^2\right) \frac{1 + 1 + \log T}{\sqrt T}"
        r" \le \left(\frac{R^2}c + c G^2\right) \frac{2 + \log T}{\sqrt T}",
        source=SHAMIR,
        left=lambda diameter, rate, moment, steps: (
            (diameter**2 / (2 * rate) + rate * moment) * (2 + steps.log()) / steps.sqrt()
        ),
        right=lambda diameter, rate, moment, steps: bracket(diameter, rate, moment) * (2 + steps.log()) / steps.sqrt(),
        box={"diameter": SIZE, "rate": SIZE, "moment": SIZE, "steps": COUNT},
        margin=lambda diameter, rate, moment, steps: diameter**2 / (2 * rate),
        notes="c is the parameter rate, G^2 is moment. It is not audited that a step descends by convexity.",
    ),
)
