r"""Composition of unequal approximate budgets: Steinke (2022), Kairouz, Oh, Viswanath (2015), Murtagh, Vadhan (2016).

k is ``steps``; the budgets run evenly from ``eps0`` to ``eps0_last``, or k of one kind and k of another are composed.
"""

from __future__ import annotations

from math import e, expm1, fsum, log, log1p, sqrt, tanh
from typing import Any

from ..theorem import Condition, Source, Theorem
from .composition_bounds import BUDGETS, source_at
from .gaussian_noise import gaussian
from .response_composition import FEW_STEPS, SUM_NOTE, composed_approximate

KOV_TITLE = "Kairouz, Oh, Viswanath, The Composition Theorem for Differential Privacy, ICML 2015"
KOV_URL = "https://arxiv.org/abs/1311.0776"


def two_kinds(*, steps: int, eps0: float, delta0: float, eps0_last: float, delta0_last: float, delta: float) -> float:
    r"""Return the epsilon of Theorem 22 for k steps of each of two kinds; the relative error is below 1e-14.

    .. math:: \min\left\{\sum \epsilon_j, \frac12 \sum \epsilon_j^2 + \sqrt{2 L \sum \epsilon_j^2}\right\}
    """
    squares = steps * (eps0 * eps0 + eps0_last * eps0_last)
    return min(steps * (eps0 + eps0_last), squares / 2 + sqrt(-2 * log(delta) * squares))


def _whole_delta(*, steps: float, delta0: float, delta0_last: float, delta: float, **_: float) -> float:
    return delta + steps * (delta0 + delta0_last)


def two_mechanisms(
    *, steps: int, eps0: float, delta0: float, eps0_last: float, delta0_last: float, **_: float
) -> dict[str, Any]:
    """Return the two kinds of steps, as a list of mechanisms."""
    return {"mechanism": (f"rr:{eps0!r}:{delta0!r}", f"rr:{eps0_last!r}:{delta0_last!r}"), "steps": steps}


def closed_form(*, steps: int, eps0: float, eps0_last: float, delta0: float, delta: float) -> float:
    r"""Return the epsilon of the closed form of optimal composition; the relative error is below 1e-12.

    With :math:`D = \sum \epsilon_j \tanh(\epsilon_j/2)` and :math:`S = \sum \epsilon_j^2` it is the least of the sum of
    budgets, :math:`D + \sqrt{2 S \log(e + \sqrt S/\delta)}` and :math:`D + \sqrt{2 S \log(1/\delta)}`.
    """
    budgets = [eps0 + (eps0_last - eps0) * j / max(1, steps - 1) for j in range(steps)]
    drift = fsum(budget * tanh(budget / 2) for budget in budgets)
    square = fsum(budget * budget for budget in budgets)
    logs = min(log(e + sqrt(square) / delta), -log(delta))
    return min(fsum(budgets), drift + sqrt(2 * square * logs))


def _product_delta(*, steps: int, delta0: float, delta: float, **_: float) -> float:
    return -expm1(log1p(-delta) + steps * log1p(-delta0))


def all_noise(*, sigma: float, steps: int, eps0: float, epsilon: float) -> dict[str, Any]:
    """Return the Gaussian noise that the responses dominate."""
    return {"sigma": sigma, "steps": steps}


def gaussian_by_responses(*, sigma: float, steps: int, eps0: float, epsilon: float) -> float:
    r"""Return the delta of k-fold :math:`(\epsilon_0, \delta_0)`-DP randomized response that dominates Gaussian noise.

    Its :math:`\delta_0` is that of Corollary 8 at :math:`\epsilon_0`.  The relative error is below 1e-10.
    """
    return composed_approximate(steps=steps, eps0=eps0, delta0=gaussian(sigma=sigma, epsilon=eps0), epsilon=epsilon)


THEOREMS = (
    Theorem(
        id="adv-22-unequal",
        title="Advanced composition of unequal approximate budgets",
        statement=(
            r"\epsilon = \min\left\{\sum_j \epsilon_j,\ \frac12 \sum_j \epsilon_j^2"
            r" + \sqrt{2 \log(1/\delta) \sum_j \epsilon_j^2}\right\} \text{ at } \delta + \sum_j \delta_j"
        ),
        adjacency="any",
        protocol="composition",
        parameters=("steps", "eps0", "delta0", "eps0_last", "delta0_last", "delta"),
        conditions=(
            Condition(
                "delta + steps (delta0 + delta0_last) < 1",
                "delta0",
                lambda params: _whole_delta(**params) - 1,
                strict=True,
            ),
        ),
        source=source_at("Theorem 22"),
        formula=two_kinds,
        notes=(
            "There are steps mechanisms with (eps0, delta0) and as many with (eps0_last, delta0_last). delta is the "
            "slack of the composition; how the whole delta is divided is recalled."
        ),
        at=_whole_delta,
        subject=two_mechanisms,
        example={"eps0": 0.1, "eps0_last": 0.2},
    ),
    Theorem(
        id="kov-closed",
        title="Composition of unequal approximate budgets, in closed form",
        statement=(
            r"\epsilon = \min\left\{\sum_j \epsilon_j,\ D + \sqrt{2 S \log\left(e + \frac{\sqrt S}{\delta}\right)},\ "
            r"D + \sqrt{2 S \log\frac1\delta}\right\}, \quad D = \sum_j \frac{(e^{\epsilon_j} - 1)\epsilon_j}"
            r"{e^{\epsilon_j} + 1}, \quad S = \sum_j \epsilon_j^2, \quad \text{at } 1 - (1-\delta)(1-\delta_0)^k"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "eps0_last", "delta0", "delta"),
        conditions=(FEW_STEPS,),
        source=Source("KOV15", KOV_TITLE, "Theorem 3.5", KOV_URL),
        formula=closed_form,
        notes=f"The statement is recalled. {BUDGETS} {SUM_NOTE}",
        at=_product_delta,
    ),
    Theorem(
        id="rr-24-approx",
        title="Approximate randomized response dominates Gaussian noise",
        statement=(
            r"\delta \le 1 - (1 - \delta_0)^k \left(1 - \delta_{\mathrm{RR}}(\epsilon)\right), \quad"
            r" \delta_0 \text{ from Corollary 8 at } \epsilon_0"
        ),
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "steps", "eps0", "epsilon"),
        conditions=(FEW_STEPS,),
        source=source_at("Corollary 24, with Corollary 8 and the historical notes"),
        formula=gaussian_by_responses,
        notes=f"It is stated for any approximate mechanism, and holds for every eps0. {SUM_NOTE}",
        quantity="delta",
        subject=all_noise,
        example={"steps": 10, "epsilon": 5, "eps0": 1},
    ),
)
