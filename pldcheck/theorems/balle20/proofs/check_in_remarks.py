r"""Remarks 1 to 4 and the sentence on noise of Balle et al. (2020), in the readings that can be judged.

n is ``clients``, m is ``steps`` (of a sliding window, its slots), p0 is ``check_in_prob``, L stands for
:math:`\log(1/\delta)`, x for :math:`e^{\epsilon_0}`.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Measured, Premise, Step
from ...removable_quotients import log1p_remainder
from ...shared_steps import COUNT, ENUMERATION_NOTE, EPS0, LOG_INVERSE, SHARE
from .dummy_updates import CHECK_INS, EXPONENTIAL, SLOTS, empty
from .last_iterate import SIZE
from .simple_form import replacement

# A factor by which something is changed.
FACTOR = Axis(0.01, 1.0, "log")
WINDOW_BOX = {"eps0": EPS0, "steps": COUNT, "weight": SHARE, "log_inverse_delta": LOG_INVERSE}


def one_more(steps: Any, function: Any) -> Any:
    """Return a function of the number of slots, at one slot more."""
    return function(steps + 1)


def sliding_empty(steps: Any) -> Any:
    """Return :math:`(1 - 1/m)^m`, the probability that a slot of sliding windows is empty."""
    return (steps * (-1 / steps).log1p()).exp()


REMARK_1 = (
    Step(
        id="rem-1/privacy",
        name="fewer check-ins, more privacy",
        statement=r"\epsilon(c p_0) \le \epsilon(p_0), \quad c \le 1",
        source="Remark 1, first sentence",
        left=lambda factor, weight, **at: replacement(weight=factor * weight, **at),
        right=lambda factor, weight, **at: replacement(weight=weight, **at),
        box={**WINDOW_BOX, "factor": FACTOR},
        # Both terms of epsilon grow with p0.
        margin=lambda factor, **at: 1 - factor,
        notes="It is about the formula of Theorem 3.2; c is the parameter factor, p0 is weight.",
    ),
    Step(
        id="rem-1/dummies",
        name="fewer check-ins, more dummy updates",
        statement=r"m \left(1 - \frac{p_0}m\right)^n \le m \left(1 - \frac{c p_0}m\right)^n, \quad c \le 1",
        source="Remark 1, second sentence",
        left=lambda factor, steps, **at: steps * empty(steps=steps, **at),
        right=lambda factor, steps, check_in_prob, **at: (
            steps * empty(steps=steps, check_in_prob=factor * check_in_prob, **at)
        ),
        box={**CHECK_INS, "factor": FACTOR},
        margin=lambda factor, **at: 1 - factor,
        notes="c is the parameter factor.",
    ),
    Step(
        id="rem-1/factor",
        name="the amplification at p0 = m/n",
        statement=r"\frac{p_0}{\sqrt m} = \frac{\sqrt m}n, \quad p_0 = \frac mn",
        source="Remark 1, third sentence",
        left=lambda clients, steps: steps / clients / steps.sqrt(),
        right=lambda clients, steps: steps.sqrt() / clients,
        box={"clients": COUNT, "steps": COUNT},
        equal=True,
        notes="p0/sqrt m is the factor of the root in Theorem 3.2, whose formula has no n otherwise.",
    ),
)

REMARK_2 = (
    Step(
        id="rem-2/stronger",
        name="the factor against that of shuffling",
        statement=r"\frac{\sqrt m}n \le \frac1{\sqrt n}, \quad m \le n",
        source="Remark 2, first sentence",
        left=lambda steps, mean: steps.sqrt() / (mean * steps),
        right=lambda steps, mean: 1 / (mean * steps).sqrt(),
        box={"steps": COUNT, "mean": Axis(1.0, 1e12, "log")},
        # The quotient of the sides is the root of n/m; at m = n both are the same, as the third sentence says.
        margin=lambda steps, mean: mean - 1,
        notes="n/m is the parameter mean.",
    ),
    Step(
        id="rem-2/repeated",
        name="n/m repetitions of a window",
        statement=r"\frac{\sqrt m}n \sqrt{\frac nm} = \frac1{\sqrt n}",
        source="Remark 2, last sentence",
        left=lambda clients, steps: steps.sqrt() / clients * (clients / steps).sqrt(),
        right=lambda clients, steps: 1 / clients.sqrt(),
        box={"clients": COUNT, "steps": COUNT},
        equal=True,
        notes="The root of the number of repetitions is that of advanced composition; with all terms it is cor-3.3.",
    ),
)

# The expected number of clients that check in to a slot.
MEAN = Axis(0.01, 100.0, "log")
LOADED = Premise("mean >= 1", lambda mean: 1 - mean)
REMARK_3 = (
    Step(
        id="rem-3/factor",
        name="the factor of empty slots is bounded",
        statement=r"1 - \frac2e \le 1 - 2 e^{-c}, \quad c = \frac{n p_0}m \ge 1",
        source="Remark 3, with p0 at least m/n",
        left=lambda mean: 1 - 2 * (0 * mean - 1).exp(),
        right=lambda mean: 1 - 2 * (-mean).exp(),
        box={"mean": MEAN},
        premises=(LOADED,),
        margin=lambda mean: mean - 1,
        notes="c is the parameter mean. Theorem 3.5 divides by the right side, or by its root.",
    ),
    Step(
        id="rem-3/any-constant",
        name="the factor of empty slots, for any constant in p0",
        statement=r"0 \le 1 - 2 e^{-c}, \quad c = \frac{n p_0}m",
        source="Remark 3, p0 = Omega(m/n)",
        left=lambda mean: 0 * mean,
        right=lambda mean: 1 - 2 * (-mean).exp(),
        box={"mean": MEAN},
        notes=(
            "Below c = log 2 Theorem 3.5 says nothing. Its factor 2 is not needed if dummy updates are 0 "
            "(thm-3.5-sharp); then any constant serves."
        ),
    ),
    Step(
        id="rem-3/rate",
        name="the rate at m = n",
        statement=r"\frac{R}{\sqrt n} \sqrt{\frac{p}{\epsilon^2 n} + L^2} \le R \left(\frac{\sqrt p}{\epsilon n}"
        r" + \frac{L}{\sqrt n}\right)",
        source="Remark 3, with sigma = p0/(epsilon sqrt m), p0 = m/n, m = n",
        left=lambda clients, diameter, noise, lipschitz: (
            diameter * (noise / clients + lipschitz**2).sqrt() / clients.sqrt()
        ),
        right=lambda clients, diameter, noise, lipschitz: (
            diameter * (noise.sqrt() / clients + lipschitz / clients.sqrt())
        ),
        box={"clients": COUNT, "diameter": SIZE, "noise": SIZE, "lipschitz": SIZE},
        # A root of a sum is at most the sum of the roots.
        margin=lambda clients, diameter, noise, lipschitz: lipschitz,
        notes="p/epsilon^2 is the parameter noise; logarithms are left out. The right side is the optimal rate.",
    ),
)

REMARK_4 = (
    Step(
        id="rem-4/privacy",
        name="longer windows, more privacy",
        statement=r"\epsilon(m + k) \le \epsilon(m)",
        source="Remark 4, first sentence",
        left=lambda steps, more, **at: replacement(steps=steps + more, **at),
        right=lambda steps, more, **at: replacement(steps=steps, **at),
        box={**WINDOW_BOX, "more": COUNT},
        margin=lambda more, **at: more,
        notes="It is about the formula of Theorem 4.3, at weight 1; k is the parameter more.",
    ),
    Measured(
        id="rem-4/outside",
        name="clients whose slot is not released",
        statement=r"\mathbb{E}[\#\{j : I_j < m \text{ or } I_j > n\}] = m - 1",
        source="Remark 4, second sentence",
        points=tuple({"clients": n, "steps": m} for n, m in ((1, 1), (3, 2), (6, 2), (5, 3), (7, 3), (6, 4), (4, 4))),
        why=ENUMERATION_NOTE,
        notes="The number is the absolute difference, which is 0: one client more for each slot more, as is claimed.",
    ),
    Step(
        id="rem-4/share",
        name="longer windows, a larger share of dummy updates",
        statement=r"\left(1 - \frac1m\right)^m \le \left(1 - \frac1{m+1}\right)^{m+1}",
        source="Remark 4, third sentence, of the share of updates",
        left=sliding_empty,
        right=lambda steps: one_more(steps, sliding_empty),
        box={"steps": SLOTS},
        # With log(1+z) = z - z^2 R(z), m (m+1) times the logarithms' difference is (m+1) R(-1/m) - m R(-1/(m+1)), and
        # R decreases.
        margin=lambda steps: log1p_remainder(-1 / steps),
    ),
    Step(
        id="rem-4/number",
        name="longer windows, more dummy updates",
        statement=r"(n - m + 1) \left(1 - \frac1m\right)^m \le (n - m) \left(1 - \frac1{m+1}\right)^{m+1}",
        source="Remark 4, third sentence, of the number of empty slots in Proposition 4.4",
        left=lambda clients, steps: (clients - steps + 1) * sliding_empty(steps),
        right=lambda clients, steps: (clients - steps) * one_more(steps, sliding_empty),
        box={"clients": COUNT, "steps": SLOTS},
        premises=(Premise("steps + 1 <= clients", lambda clients, steps: (steps + 1) / clients - 1),),
        notes="Longer windows release fewer slots: beyond some sqrt(n/2) slots the number of empty ones falls.",
    ),
)

# Whole numbers of clients from 2 on: with one client no slot is empty.
CLIENTS = Axis(2.0, 1e12, "log", whole=True)


def updates(clients: Any) -> Any:
    r"""Return the share of updates that are no dummies at p0 = m/n: :math:`1 - (1 - 1/n)^n`."""
    return -(clients * (-1 / clients).log1p()).expm1()


NOISE = (
    EXPONENTIAL,
    Step(
        id="sec-3.2-noise/variance",
        name="at most e times the variance",
        statement=r"\frac1{(1 - (1 - 1/n)^n)^2} \le e",
        source="Section 3.2, comparison: a factor of e more noise",
        left=lambda clients: 1 / updates(clients) ** 2,
        right=lambda clients: (0 * clients + 1).exp(),
        box={"clients": CLIENTS},
        # 1 - (1 - 1/n)^n is above 1 - 1/e, whose square is above 1/e.
        margin=lambda clients: (1 - (0 * clients - 1).exp()) ** 2 - (0 * clients - 1).exp(),
        notes=(
            "In one epoch of n updates with p0 = m/n the sum of the others than dummies has a share of (1 - 1/n)^n "
            "less; the noise of all n is the same. Scaled to the same sum, this is its variance."
        ),
    ),
    Step(
        id="sec-3.2-noise/exactly",
        name="e times the variance, as printed",
        statement=r"e \le \frac1{(1 - (1 - 1/n)^n)^2}",
        source="Section 3.2, comparison: a factor of e more noise",
        left=lambda clients: (0 * clients + 1).exp(),
        right=lambda clients: 1 / updates(clients) ** 2,
        box={"clients": CLIENTS},
        notes="The factor tends to (1 - 1/e)^-2 = 2.503 in variance, 1.582 in standard deviation: e is an upper bound.",
    ),
)

CHAINS = (
    Chain("rem-1", REMARK_1, "Fewer check-ins, more privacy and more dummy updates"),
    Chain("rem-2", REMARK_2, "The amplification of one window and of one epoch"),
    Chain("rem-3", REMARK_3, "The utility of random check-ins as m tends to n"),
    Chain("rem-4", REMARK_4, "Longer sliding windows, more privacy and less accuracy"),
    Chain("sec-3.2-noise", NOISE, "A factor of e more noise"),
)
