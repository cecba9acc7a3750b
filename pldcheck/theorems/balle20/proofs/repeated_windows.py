r"""Corollary 3.3: one epoch of check-ins as n/m repetitions of a fixed window.

m is ``steps``, n is ``clients``, x is :math:`e^{\epsilon_0}`, B = :math:`\log(1/\beta)` is ``log_inverse_beta``, L =
:math:`\log(1/\delta)`.  The window's budget depends on B and on y = :math:`(x-1) \sqrt{m x} / n` (``growth``) only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...proof_step import Axis, Chain, Measured, Premise, Step
from ...removable_quotients import expm1_over
from ...shared_steps import COUNT, EPS0, LOG_INVERSE
from .simple_form import replacement

PROOF = "Corollary 3.3, proof"
EPSILON1 = r"\epsilon_1 = \frac{(x-1) \sqrt{2 m x B}}{n} + \frac{m x (x-1)^2}{2 n^2}"
RELAXED_WINDOW = r"\frac{2 (x-1) \sqrt{2 m x B}}{n}"
LOG_BETA = Axis(1e-6, 700.0, "log")
BOX = {"eps0": EPS0, "headroom": Axis(1e-14, 1e12, "log"), "log_inverse_beta": LOG_BETA}

HEADROOM_NOTES = (
    "headroom is n / (8 sqrt(m) x^(3/2)), which the first condition makes at least 1; the step depends on m and n "
    "through it alone, so m = 1 stands for all."
)

QUANTITIES = {"clients at steps = 1": lambda eps0, headroom, **_: 8 * headroom * (3 * eps0 / 2).exp()}


def ratio(eps0: Any, headroom: Any) -> Any:
    r"""Return :math:`y = (x-1) \sqrt{m x} / n`, which is :math:`(1 - 1/x)/(8 h)` with the headroom h."""
    return -(-eps0).expm1() / (8 * headroom)


def budget(growth: Any, log_inverse_beta: Any) -> Any:
    r"""Return the budget of one repetition: :math:`y \sqrt{2 B} + y^2/2`."""
    return growth * (2 * log_inverse_beta).sqrt() + growth**2 / 2


def window(eps0: Any, headroom: Any, log_inverse_beta: Any) -> Any:
    """Return the budget of one repetition, from the headroom."""
    return budget(ratio(eps0, headroom), log_inverse_beta)


def relaxed_window(eps0: Any, headroom: Any, log_inverse_beta: Any) -> Any:
    r"""Return the right side of inequality (6): :math:`2 y \sqrt{2 B}`."""
    return 2 * ratio(eps0, headroom) * (2 * log_inverse_beta).sqrt()


POSSIBLE = Premise("clients >= steps", lambda eps0, headroom, **_: -(8 * headroom).log() - 3 * eps0 / 2)
FIRST = Premise("eps0 <= (2/3) log(clients / (8 sqrt(steps)))", lambda headroom, **_: 1 - headroom)

SECOND = Premise(
    "clients >= (e^eps0 - 1)^2 e^eps0 sqrt(steps) log(1/beta)",
    lambda eps0, headroom, log_inverse_beta, **_: (
        eps0.expm1() ** 2 * (-eps0 / 2).exp() * log_inverse_beta - 8 * headroom
    ),
)

FLOOR = Premise("log(1/beta) >= 1/512", lambda log_inverse_beta, **_: 1 - 512 * log_inverse_beta)

SUBSTITUTION = Step(
    id="3.3/window",
    name="Theorem 3.2 at p0 = m/n",
    statement=r"\epsilon_{3.2}(m, \epsilon_0, \tfrac mn; \beta) = " + EPSILON1,
    source=f"{PROOF}, first display",
    left=lambda eps0, steps, clients, log_inverse_beta: replacement(eps0, steps, steps / clients, log_inverse_beta),
    right=lambda eps0, steps, clients, log_inverse_beta: window(
        eps0, clients / (8 * steps.sqrt() * (3 * eps0 / 2).exp()), log_inverse_beta
    ),
    box={"eps0": EPS0, "steps": COUNT, "clients": COUNT, "log_inverse_beta": LOG_BETA},
    equal=True,
)

CITED_CONDITION = Step(
    id="3.3/cited",
    name="the condition that (6) cites",
    statement=r"y = \frac{(x-1) \sqrt{m x}}{n} \le 1",
    source=f"{PROOF}, below (6)",
    left=ratio,
    right=lambda eps0, headroom: 0 * headroom + 1,
    box={name: BOX[name] for name in ("eps0", "headroom")},
    premises=(FIRST,),
    notes="The corollary's first condition gives y <= (1 - 1/x) / 8. " + HEADROOM_NOTES,
    quantities=QUANTITIES,
)

SIX = Step(
    id="3.3/(6)",
    name="the drift is at most the root, by the condition that the text cites",
    statement=EPSILON1 + r" \le " + RELAXED_WINDOW,
    source=f"{PROOF}, inequality (6)",
    left=budget,
    right=lambda growth, log_inverse_beta: 2 * growth * (2 * log_inverse_beta).sqrt(),
    box={"growth": Axis(0.0, 10.0), "log_inverse_beta": LOG_BETA},
    premises=(Premise("clients >= (e^eps0 - 1) sqrt(steps e^eps0)", lambda growth, log_inverse_beta: growth - 1),),
    margin=lambda growth, log_inverse_beta: 2 * (2 * log_inverse_beta).sqrt() - growth,
    notes=(
        "y is the parameter growth. The premise is the one that the text "
        "cites; a lower bound of log(1/beta) is needed as well."
    ),
)

SIX_FLOOR = replace(
    SIX,
    id="3.3/(6)-floor",
    name="the drift is at most the root, with the lower bound of log(1/beta) that the condition cited needs",
    premises=(*SIX.premises, Premise("log(1/beta) >= 1/8", lambda growth, log_inverse_beta: 1 - 8 * log_inverse_beta)),
    notes="y is the parameter growth.",
)

SIX_REPAIR = Step(
    id="3.3/(6)-mended",
    name="the drift is at most the root, by the corollary's conditions and a lower bound of log(1/beta)",
    statement=SIX.statement,
    source=f"{SIX.source}, with one additional condition",
    left=window,
    right=relaxed_window,
    box=BOX,
    premises=(POSSIBLE, FIRST, SECOND, FLOOR),
    margin=lambda eps0, headroom, log_inverse_beta: 2 * (2 * log_inverse_beta).sqrt() - ratio(eps0, headroom),
    notes="The lower bound of log(1/beta) is the condition that pldcheck adds. " + HEADROOM_NOTES,
    quantities=QUANTITIES,
)

HALF_BY_CITATION = Step(
    id="3.3/half-cited",
    name="the window's budget is at most 1/2, by the condition that the text cites",
    statement=EPSILON1 + r" \le \frac12",
    source=f'{PROOF}, "we have that epsilon_1 <= 1/2"',
    left=window,
    right=lambda eps0, headroom, log_inverse_beta: 0 * log_inverse_beta + 0.5,
    box=BOX,
    premises=(POSSIBLE, FIRST),
    notes="The text concludes this from the first condition alone. " + HEADROOM_NOTES,
    quantities=QUANTITIES,
)

HALF = replace(
    HALF_BY_CITATION,
    id="3.3/half",
    name="the window's budget is at most 1/2, by both conditions",
    premises=(POSSIBLE, FIRST, SECOND),
    notes="The text names the first condition only. " + HEADROOM_NOTES,
)

HALF_OF_RELAXATION = replace(
    HALF,
    id="3.3/half-relaxed",
    name="the right side of (6) is at most 1/2, by both conditions",
    statement=RELAXED_WINDOW + r" \le \frac12",
    left=relaxed_window,
    notes="This is needed if the text means the right side of (6), to which the last display applies it. "
    + HEADROOM_NOTES,
)

EXPONENTIAL = Step(
    id="3.3/exponential",
    name="exponential to a line",
    statement=r"e^{\epsilon_1} - 1 \le \frac{3 \epsilon_1}{2}",
    source=f"{PROOF}, below (7)",
    left=lambda epsilon: epsilon.expm1(),
    right=lambda epsilon: 3 * epsilon / 2,
    box={"epsilon": Axis(0.0, 4.0)},
    premises=(Premise("epsilon_1 <= 1/2", lambda epsilon: 2 * epsilon - 1),),
    margin=lambda epsilon: 3 - 2 * expm1_over(epsilon),
    notes="epsilon_1, the window's budget, is the parameter epsilon.",
)

ROUNDS = Axis(1.0, 1e12, "log", whole=True)
ROUND_AXES = {"rounds": ROUNDS, "log_inverse_delta": LOG_INVERSE, "log_inverse_beta": LOG_BETA}


def seven(epsilon: Any, rounds: Any, log_inverse_delta: Any, **_: Any) -> Any:
    r"""Return the right side of inequality (7) for k rounds.

    .. math:: \epsilon_1 \sqrt{2 k L} + k \epsilon_1 (e^{\epsilon_1} - 1)
    """
    return epsilon * (2 * rounds * log_inverse_delta).sqrt() + rounds * epsilon * epsilon.expm1()


def _after_seven(epsilon: Any, rounds: Any, log_inverse: Any) -> Any:
    return epsilon * (2 * rounds * log_inverse).sqrt() + 3 * rounds * epsilon**2 / 2


AFTER_SEVEN = Step(
    id="3.3/(7)",
    name="after advanced composition",
    statement=r"\epsilon_1 \sqrt{\frac{2n}{m} L} + \frac nm \epsilon_1 (e^{\epsilon_1} - 1)"
    r" \le \epsilon_1 \sqrt{\frac{2n}{m} L} + \frac{3n}{2m} \epsilon_1^2",
    source=f"{PROOF}, the display after (7), first line",
    left=seven,
    right=lambda epsilon, rounds, log_inverse_delta, log_inverse_beta: _after_seven(epsilon, rounds, log_inverse_delta),
    box={"epsilon": Axis(0.0, 0.5), **ROUND_AXES},
    margin=lambda epsilon, rounds, log_inverse_delta, log_inverse_beta: 3 - 2 * expm1_over(epsilon),
    notes=(
        "epsilon_1 is the parameter epsilon, n/m is rounds. The paper "
        "prints log(1/beta) in the root; (7) has log(1/delta)."
    ),
    readings={
        "log(1/beta) in the root, as printed": lambda epsilon, rounds, log_inverse_delta, log_inverse_beta: (
            _after_seven(epsilon, rounds, log_inverse_beta)
        )
    },
)


def _corollary_epsilon(growth: Any, rounds: Any, log_inverse_delta: Any, log_inverse_beta: Any) -> Any:
    """Return the epsilon of the corollary, with :math:`(x-1)^2 x / n = y^2 n / m`."""
    total = growth**2 * rounds * log_inverse_beta
    return 4 * (total * log_inverse_delta).sqrt() + 12 * total


LAST = Step(
    id="3.3/last",
    name="(6) inserted",
    statement=r"\hat\epsilon \sqrt{\frac{2n}m L} + \frac{3n}{2m} \hat\epsilon^2 ="
    r" 4 (x-1) \sqrt{\frac{x B L}{n}} + \frac{12 (x-1)^2 x B}{n}, \quad \hat\epsilon = " + RELAXED_WINDOW,
    source=f"{PROOF}, the display after (7), second line",
    left=lambda growth, rounds, log_inverse_delta, log_inverse_beta: _after_seven(
        2 * growth * (2 * log_inverse_beta).sqrt(), rounds, log_inverse_delta
    ),
    right=_corollary_epsilon,
    box={"growth": Axis(0.0, 1.0), **ROUND_AXES},
    equal=True,
    notes="y is the parameter growth, n/m is rounds.",
)


def _drift_margin(eps0: Any, headroom: Any, log_inverse_beta: Any) -> Any:
    r"""Return 12 B - r^2 (e^{yr} - 1)/(yr), with :math:`r = \sqrt{2B} + y/2`: the sides' difference over y^2."""
    y = ratio(eps0, headroom)
    r = (2 * log_inverse_beta).sqrt() + y / 2
    return 12 * log_inverse_beta - r**2 * expm1_over(y * r)


DRIFT = Step(
    id="3.3/drift",
    name="the second term of the statement, directly from (7)",
    statement=r"\frac nm \epsilon_1 (e^{\epsilon_1} - 1) \le \frac{12 (x-1)^2 x B}{n}",
    source="Corollary 3.3, statement",
    left=lambda eps0, headroom, log_inverse_beta: (
        window(eps0, headroom, log_inverse_beta) * window(eps0, headroom, log_inverse_beta).expm1()
    ),
    right=lambda eps0, headroom, log_inverse_beta: 12 * ratio(eps0, headroom) ** 2 * log_inverse_beta,
    box=BOX,
    premises=(POSSIBLE, FIRST, SECOND, FLOOR),
    margin=_drift_margin,
    notes="The common factor n/m is left out; the first term is (6). " + HEADROOM_NOTES,
    quantities=QUANTITIES,
)

ADVANCED_COMPOSITION = Measured(
    id="3.3/composition",
    name="advanced composition",
    statement=r"\epsilon^*(\epsilon_1^{n/m}; \delta) \le"
    r" \epsilon_1 \sqrt{\frac{2n}{m} L} + \frac nm \epsilon_1 (e^{\epsilon_1} - 1)",
    source=f"{PROOF}, inequality (7), from Dwork, Rothblum, Vadhan (2010)",
    points=tuple(
        {"epsilon": epsilon, "rounds": rounds, "delta": delta}
        for epsilon, rounds in ((0.5, 1.0), (0.5, 100.0), (0.1, 1000.0), (0.01, 10000.0))
        for delta in (1e-3, 1e-6, 1e-12)
    ),
    why="the left side is the optimal composition, a sum over outcomes, which certified convolution computes",
)

CHAINS = (
    Chain(
        "cor-3.3",
        (
            SUBSTITUTION,
            CITED_CONDITION,
            SIX,
            SIX_FLOOR,
            SIX_REPAIR,
            ADVANCED_COMPOSITION,
            HALF_BY_CITATION,
            HALF,
            HALF_OF_RELAXATION,
            EXPONENTIAL,
            AFTER_SEVEN,
            LAST,
            DRIFT,
        ),
    ),
    # The proof as it is printed, without its repairs.
    Chain(
        "cor-3.3-printed",
        (SUBSTITUTION, CITED_CONDITION, SIX, ADVANCED_COMPOSITION, HALF_BY_CITATION, EXPONENTIAL, AFTER_SEVEN, LAST),
    ),
)
