r"""Check-ins with (eps0, delta0)-DP randomizers: Lemma A.3, and Theorem 3.2's approximate case in its two readings.

x stands for :math:`e^{\epsilon_0}`, :math:`\rho = \log(1/(1 - e^{-5\epsilon_0}))`, :math:`\lambda = \log(2/\delta_1)`,
:math:`T = \lambda/\rho`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...proof_step import Axis, Chain, Measured, Premise, Step
from ...removable_quotients import log1p_remainder, saturation
from ...shared_steps import COUNT, EPS0, SHARE
from .simple_form import FORMULA_BOX, reduced_formula, replacement

A3 = "Lemma A.3, proof"
# Both quotients of the lemma tend to infinity at eps0 = 0.
POSITIVE = Axis(1e-4, 20.0, "log")
DELTA1 = Axis(1e-300, 0.999, "log")


def _rate(eps0: Any) -> Any:
    return -(-(-5 * eps0).exp()).log1p()


def _distance(delta1: Any) -> Any:
    r"""Return :math:`\lambda = \log(2/\delta_1)`."""
    return (0 * delta1 + 2).log() - delta1.log()


def _trials(eps0: Any, delta1: Any) -> Any:
    return _distance(delta1) / _rate(eps0)


def tolerated(eps0: Any, delta1: Any) -> Any:
    """Return the largest delta0 for which Lemma A.3 finds pure randomizers within distance delta1."""
    return -(-eps0).expm1() * (-eps0).exp() * delta1 / (4 * (2 + _trials(eps0, delta1)))


GAP = Step(
    id="A.3/gap",
    name="the base of the power",
    statement=r"1 - \frac{k e^{-2\epsilon_0}}{2} = 1 - e^{-5\epsilon_0}, \quad k = 2 e^{-3\epsilon_0}",
    source=f"{A3}, last sentence",
    left=lambda eps0: 1 - 2 * (-3 * eps0).exp() * (-2 * eps0).exp() / 2,
    right=lambda eps0: 1 - (-5 * eps0).exp(),
    box={"eps0": EPS0},
    equal=True,
    readings={"e^(5 eps0), as printed": lambda eps0: 1 - (5 * eps0).exp()},
)

ADMISSIBLE = Step(
    id="A.3/admitted",
    name="the parameter k is allowed",
    statement=r"k = 2 e^{-3\epsilon_0} \le 2 e^{-2\epsilon_0}",
    source=f"{A3}, k in (0, 2 e^(-2 eps0))",
    left=lambda eps0: 2 * (-3 * eps0).exp(),
    right=lambda eps0: 2 * (-2 * eps0).exp(),
    box={"eps0": EPS0},
    margin=lambda eps0: eps0,
)

ENOUGH = Step(
    id="A.3/trials",
    name="enough trials",
    statement=r"\frac{\log(\delta_1/2)}{\log(1 - e^{-5\epsilon_0})} \le T ="
    r" \frac{\ln(2/\delta_1)}{\ln(1/(1 - e^{-5\epsilon_0}))}",
    source=f"{A3}, last sentence",
    left=lambda eps0, delta1: (delta1 / 2).log() / (-((-5 * eps0).exp())).log1p(),
    right=_trials,
    box={"eps0": POSITIVE, "delta1": DELTA1},
    equal=True,
    notes="So many trials make the power at most delta1/2.",
    readings={
        "e^(5 eps0), as printed": lambda eps0, delta1: _distance(delta1) / (1 / (1 - (5 * eps0).exp())).log(),
    },
)

PRECISE = Step(
    id="A.3/small",
    name="the delta0 that the claims it cites allow",
    statement=r"\delta_0 \le \frac{(1 - e^{-\epsilon_0}) \delta_1}{4 x (2 + T)} \le \frac{1 - e^{-\epsilon_0}}{4 x}",
    source=f"{A3}, delta0 < (1 - e^-eps0) / (4 e^eps0)",
    left=tolerated,
    right=lambda eps0, delta1: -(-eps0).expm1() * (-eps0).exp() / 4,
    box={"eps0": POSITIVE, "delta1": DELTA1},
    margin=lambda eps0, delta1: 2 + _trials(eps0, delta1) - delta1,
)

NOISE = Step(
    id="A.3/noise",
    name="the second term, T not rounded",
    statement=r"(T + 2) \frac{2 \delta_0 x}{1 - e^{-\epsilon_0}} = \frac{\delta_1}{2}"
    r" \text{ at the largest } \delta_0",
    source=f"{A3}, last sentence",
    left=lambda eps0, delta1: (_trials(eps0, delta1) + 2) * 2 * tolerated(eps0, delta1) * eps0.exp() / -(-eps0).expm1(),
    right=lambda eps0, delta1: delta1 / 2,
    box={"eps0": POSITIVE, "delta1": DELTA1},
    equal=True,
)


def _with_trials(exact: Any, excess: Any, delta1: Any) -> Any:
    r"""Return the bound with T + u trials at the largest delta0, where :math:`\rho = \lambda/T`."""
    rate = _distance(delta1) / exact
    return delta1 / 2 * ((-rate * excess).exp() + (exact + excess + 2) / (exact + 2))


def _rare() -> Premise:
    return Premise("delta1 <= 2/e", lambda delta1, **_: delta1 * (0 * delta1 + 1).exp() / 2 - 1)


ROUND_UP = Step(
    id="A.3/rounded",
    name="T rounded up",
    statement=r"(1 - e^{-5\epsilon_0})^N + (N + 2) \frac{2 \delta_0 x}{1 - e^{-\epsilon_0}} \le \delta_1,"
    r" \quad N = T + u, \quad 0 \le u < 1",
    source=f"{A3}, T in N",
    left=lambda trials, delta1, excess: _with_trials(trials - excess, excess, delta1),
    right=lambda trials, delta1, excess: delta1,
    box={"trials": COUNT, "delta1": DELTA1, "excess": Axis(0.0, 0.999)},
    notes=(
        "trials is the integer N, excess is u. Every N, u and delta1 belong to one eps0, at which 1 - e^(-5 eps0) ="
        " (delta1/2)^(1/(N - u)); delta0 is the largest that the lemma allows."
    ),
)

ROUND_UP_REPAIR = Step(
    id="A.3/rounded-mended",
    name="T rounded up, for delta1 <= 2/e",
    statement=ROUND_UP.statement,
    source=f"{ROUND_UP.source}, with one additional condition",
    left=lambda exact, excess, delta1: _with_trials(exact, excess, delta1),
    right=lambda exact, excess, delta1: delta1,
    box={"exact": Axis(1e-3, 1e12, "log"), "excess": SHARE, "delta1": DELTA1},
    premises=(_rare(),),
    # The margin is (1 - e^(-rho u)) - u/(T + 2), times (T + 2)/u; each part of the product has the form that suits it.
    margin=lambda exact, excess, delta1: (
        saturation(_distance(delta1), excess / exact) + 2 * saturation(_distance(delta1) / exact, excess) - 1
    ),
    notes="T is the parameter exact, u is excess. Where u is 0 both sides are equal, and their limits are compared.",
)

LARGEST_DELTA0 = Premise(
    "delta0 <= the largest of Lemma A.3",
    lambda eps0, delta0, delta1, **_: delta0 - tolerated(eps0, delta1),
)

UNION = Step(
    id="A.4-approx/union",
    name="replacement of every call of a randomizer",
    statement=r"TV \le 1 - (1 - \delta_1)^m \le m \delta_1",
    source="Theorem A.4, proof, inequality (12)",
    left=lambda steps, tv: -(steps * (-tv / steps).log1p()).expm1(),
    right=lambda steps, tv: tv,
    box={"steps": replace(COUNT, low=2.0), "tv": Axis(0.0, 0.99)},
    # The claim is m log(1 - t/m) >= log(1 - t), with log(1 + z) = z - z^2 R(z), divided by t^2/m.
    margin=lambda steps, tv: steps * log1p_remainder(-tv) - log1p_remainder(-tv / steps),
    notes="m delta1 is the parameter tv; one randomizer is called in each slot.",
)


def _total_delta(steps: Any, each: Any, epsilon: Any, delta: Any) -> Any:
    return delta + steps * (epsilon.exp() + 1) * each


RETURN = Step(
    id="A.4-approx/moved",
    name="return to the original randomizers",
    statement=r"\delta + \tau + e^{\epsilon'} \tau \le \delta + m (e^{\epsilon'} + 1) \delta_1,"
    r" \quad \tau = m \delta_1",
    source="Theorem A.4, proof, last sentence, by Proposition 3 of [39]; Theorem 3.2, third sentence",
    left=lambda eps0, steps, delta0, delta1, epsilon, delta: delta + steps * delta1 + epsilon.exp() * steps * delta1,
    right=lambda eps0, steps, delta0, delta1, epsilon, delta: _total_delta(steps, delta1, epsilon, delta),
    box={
        "eps0": POSITIVE,
        "steps": COUNT,
        "delta0": replace(DELTA1, high=0.1),
        "delta1": DELTA1,
        "epsilon": Axis(0.0, 700.0),
        "delta": SHARE,
    },
    premises=(LARGEST_DELTA0,),
    margin=lambda delta, **_: 0 * delta,  # both sides are the same sum, in another order
    notes="P(S) <= P~(S) + tau <= e^epsilon P~'(S) + delta + tau <= e^epsilon (P'(S) + tau) + delta + tau.",
    readings={
        "delta0 for delta1, as Theorem 3.2 prints": lambda eps0, steps, delta0, delta1, epsilon, delta: _total_delta(
            steps, delta0, epsilon, delta
        )
    },
)

# Another proof of the reading with delta0 clips the densities in the one slot that holds the record.

CLIPPED_BUDGET = Step(
    id="3.2-main/clipped",
    name="budget of the clipped randomizer",
    statement=r"\frac{x \mu}{\mu / x} = e^{2\epsilon_0}",
    source="not in the paper",
    left=lambda eps0: eps0.exp() / (-eps0).exp(),
    right=lambda eps0: (2 * eps0).exp(),
    box={"eps0": EPS0},
    equal=True,
    notes="Both laws are clipped to [mu/x, x mu], mu being that on the reference record; each moves by at most delta0.",
)

TWICE_EPS0 = Step(
    id="3.2-main/formula",
    name="the formula at 2 eps0 against that at 8 eps0",
    statement=r"\epsilon(2 \epsilon_0) \le \epsilon'(8 \epsilon_0)",
    source="not in the paper",
    left=lambda eps0, steps, weight, log_inverse_delta: replacement(2 * eps0, steps, weight, log_inverse_delta),
    right=lambda eps0, steps, weight, log_inverse_delta: replacement(8 * eps0, steps, weight, log_inverse_delta),
    box={**FORMULA_BOX, "eps0": Axis(0.0, 4.0)},
    # The difference is divided by w eps0 / sqrt(m).
    margin=lambda eps0, steps, weight, log_inverse_delta: (
        8 * reduced_formula(8 * eps0, steps, weight, log_inverse_delta)
        - 2 * reduced_formula(2 * eps0, steps, weight, log_inverse_delta)
    ),
)

ONE_SLOT = Step(
    id="3.2-main/delta",
    name="the one slot of the record in place of all slots",
    statement=r"\delta + w (1 + e^{\epsilon}) \delta_0 \le \delta + m (e^{\epsilon'} + 1) \delta_0,"
    r" \quad \epsilon \le \epsilon'",
    source="not in the paper",
    left=lambda steps, weight, epsilon, more, delta0: weight * (1 + epsilon.exp()) * delta0,
    right=lambda steps, weight, epsilon, more, delta0: _total_delta(steps, delta0, epsilon + more, 0 * delta0),
    box={
        "steps": COUNT,
        "weight": SHARE,
        "epsilon": Axis(0.0, 350.0),
        "more": Axis(0.0, 350.0),
        "delta0": replace(DELTA1, high=0.1),
    },
    # The difference is divided by delta0 e^epsilon.
    margin=lambda steps, weight, epsilon, more, delta0: (
        (steps - 1) * (more.exp() + (-epsilon).exp()) + (1 - weight) * (1 + (-epsilon).exp()) + more.expm1()
    ),
    notes="epsilon' - epsilon is the parameter more. Both sides are without delta.",
)

MAIN_ENDS = Measured(
    id="3.2-main/ends",
    name="from the truth to the formula",
    statement=r"\epsilon^*(m, \epsilon_0, \delta_0, p_0; \delta + m (e^{\epsilon'} + 1) \delta_0) \le \epsilon'",
    source="Theorem 3.2, third sentence, as printed",
    points=(
        {"steps": 1e6, "eps0": 0.2, "check_in_prob": 0.1, "delta0": 1e-12, "delta1": 0.1, "delta": 1e-6},
        {"steps": 1e4, "eps0": 0.1, "check_in_prob": 1.0, "delta0": 1e-14, "delta1": 0.1, "delta": 1e-6},
        {"steps": 1000.0, "eps0": 0.1, "check_in_prob": 0.5, "delta0": 1e-14, "delta1": 0.1, "delta": 1e-9},
    ),
    why="the left side is a worst case over randomizers, which certified recursion computes",
)

LEMMA = (GAP, ADMISSIBLE, PRECISE, ENOUGH, NOISE, ROUND_UP, ROUND_UP_REPAIR)

CHAINS = (
    Chain("lem-A.3", LEMMA),
    Chain("thm-3.2-approx", (*LEMMA, UNION, RETURN)),
    Chain("thm-3.2-approx-main", (CLIPPED_BUDGET, TWICE_EPS0, ONE_SLOT, MAIN_ENDS)),
    Chain("thm-A.4-approx", (*LEMMA, UNION, RETURN)),
    Chain("thm-4.3-approx", (*LEMMA, UNION, RETURN)),
)
