r"""Gopi, Lee, Wutschitz (2021): what accountants on a lattice claim in exact arithmetic, for randomized response.

k is ``steps``; a step has the loss :math:`\epsilon_0` with probability :math:`p = 1/(1+e^{-\epsilon_0})`, else
:math:`-\epsilon_0`.  The sums are evaluated with decimals; the relative error is below 1e-15.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal, localcontext

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem

GLW = "Gopi, Lee, Wutschitz, Numerical Composition of Differential Privacy, NeurIPS 2021"
URL = "https://arxiv.org/abs/2106.02848"
# The precision of the sums; sums over steps of masses and exponentials lose few of these digits.
DIGITS = Context(prec=30)
# The error in epsilon that the first accountant is asked for, its default.
EPSILON_ERROR = Decimal("0.1")
# The error in delta that it is asked for.
DELTA_ERROR = Decimal("1e-10")
# The step of the lattice of the second accountant, its default.
STEP = Decimal("1e-4")
# The largest number of steps for which the sum is evaluated.
MOST_STEPS = 10_000


def _composed_delta(steps: int, truth: Decimal, up: Decimal, down: Decimal, epsilon: Decimal) -> Decimal:
    """Return the delta of a sum of losses that are ``up`` with probability ``truth``, and else ``down``."""
    total, mass = Decimal(0), truth**steps
    for lies in range(steps + 1):
        loss = (steps - lies) * up + lies * down
        if loss <= epsilon:
            break
        total += mass * (1 - (epsilon - loss).exp())
        mass *= Decimal(steps - lies) / (lies + 1) * (1 - truth) / truth
    return total


def mean_kept(*, steps: int, eps0: float, epsilon: float) -> float:
    r"""Return the delta at :math:`\epsilon - 0.1` of losses rounded to a lattice and shifted to their mean, plus 1e-10.

    .. math:: h = \frac{0.1}{\sqrt{\frac k2 \log(12 / 10^{-10})}}
    """
    with localcontext(DIGITS):
        budget = Decimal(eps0)
        truth = 1 / (1 + (-budget).exp())
        mesh = EPSILON_ERROR / (Decimal(steps) / 2 * (12 / DELTA_ERROR).ln()).sqrt()
        nearest = (budget / mesh).to_integral_value(rounding=ROUND_HALF_EVEN) * mesh
        # Both values are rounded to opposite numbers, so that the mean is too large by this.
        shift = (2 * truth - 1) * (budget - nearest)
        delta = _composed_delta(steps, truth, nearest + shift, shift - nearest, Decimal(epsilon) - EPSILON_ERROR)
        return float(min(Decimal(1), delta + DELTA_ERROR))


def rounded_up(*, steps: int, eps0: float, epsilon: float) -> float:
    r"""Return the delta of losses that are rounded up to multiples of 1e-4."""
    with localcontext(DIGITS):
        budget = Decimal(eps0)
        truth = 1 / (1 + (-budget).exp())
        up = (budget / STEP).to_integral_value(rounding=ROUND_CEILING) * STEP
        down = (-budget / STEP).to_integral_value(rounding=ROUND_CEILING) * STEP
        return float(_composed_delta(steps, truth, up, down, Decimal(epsilon)))


STEP_LIMIT = Condition(
    f"steps <= {MOST_STEPS}, up to which it is evaluated", "steps", lambda params: params["steps"] - MOST_STEPS
)
SUM = r"\sum_{j=0}^k \binom kj p^{k-j} (1-p)^j \left(1 - e^{\epsilon' - (k-j) u - j v}\right)_+"

THEOREMS = (
    Theorem(
        id="glw21-5.5",
        title="The error of an accountant that keeps means on a lattice, for randomized response",
        statement=(
            r"\delta = 10^{-10} + "
            + SUM
            + r", \quad \epsilon' = \epsilon - 0.1, u = s + h \text{round}(\epsilon_0/h), v = 2s - u,"
            r" h = 0.1 \left(\frac k2 \log(12 \cdot 10^{10})\right)^{-1/2}"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "epsilon"),
        conditions=(STEP_LIMIT,),
        source=Source("GLW21", GLW, "Theorem 5.5, without truncation", URL),
        formula=mean_kept,
        notes=(
            f"{AS_RECALLED} s is such that the mean of the loss is kept. The errors asked for are 0.1 in epsilon and "
            "1e-10 in delta. It is the claim in exact arithmetic: a program adds round-off, which the theorem leaves "
            "out."
        ),
        quantity="delta",
        example={"steps": 100, "eps0": 0.1, "epsilon": 1},
    ),
    Theorem(
        id="rounded-up",
        title="Losses rounded up to a lattice, for randomized response",
        statement=(
            r"\delta = " + SUM + r", \quad \epsilon' = \epsilon, u = h \left\lceil \epsilon_0/h \right\rceil,"
            r" v = h \left\lceil -\epsilon_0/h \right\rceil, h = 10^{-4}"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "epsilon"),
        conditions=(STEP_LIMIT,),
        source=Source("GLW21", GLW, "the rounding of earlier accountants, with which the paper compares", URL),
        formula=rounded_up,
        notes=(
            f"{AS_RECALLED} Accountants call it pessimistic, which it is in exact arithmetic. In floating point "
            "dp_accounting is below the truth at known points, by the round-off of its Fourier transforms."
        ),
        quantity="delta",
        zero=True,
        example={"steps": 100, "eps0": 0.1, "epsilon": 1},
    ),
)
