r"""Check-ins into a fixed window and a sliding one: Theorems A.4, 3.2 and 4.3, and the improved Theorem 3.2.

x stands for :math:`e^{\epsilon_0}`, t = ``past`` for the share :math:`(i-1)/m` of slots before slot i, so that m
cancels; b is the likelihood ratio of an earlier output, :math:`x^{-s}` with s = ``tilt``.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Chain, Measured, Step
from ...removable_quotients import expm1_over
from ...shared_steps import COUNT, EPS0, LOG_INVERSE, SHARE, drift_and_root, overlapping_mixtures, weighted_mixtures
from .biased_sampling import A2_STEPS, BIASED_RATIO
from .simple_form import A4, ABSORPTION_QUARTER, QUARTER_STEPS, SIMPLE_FORM_STEPS, SIMPLE_QUARTER, replacement


def improved_epsilon(eps0: Any, steps: Any, weight: Any, log_inverse_delta: Any) -> Any:
    """Return the epsilon of thm-3.2-improved."""
    spread = eps0.exp() / (1 + (1 - weight) * eps0.expm1())
    a = weight * eps0.expm1()
    return a**2 * spread / (2 * steps) + a * (2 * spread * log_inverse_delta / steps).sqrt()


POINTS = tuple(
    {"steps": steps, "eps0": eps0, "weight": weight, "delta": delta}
    for steps, eps0, weight, delta in (
        (1.0, 1.0, 1.0, 0.01),
        (10.0, 0.1, 1.0, 1e-6),
        (100.0, 1.0, 1.0, 1e-6),
        (100.0, 1.0, 0.1, 1e-6),
        (200.0, 2.0, 1.0, 1e-10),
    )
)

COMPOSITION = Measured(
    id="A.4/composition",
    name="heterogeneous composition",
    statement=r"\epsilon^*(\epsilon_1, \dots, \epsilon_m; \delta) \le"
    r" \sum_i \frac{(e^{\epsilon_i} - 1) \epsilon_i}{e^{\epsilon_i} + 1} + \sqrt{2 L \sum_i \epsilon_i^2}",
    source="Kairouz, Oh, Viswanath (2015), used in Lemma A.2, equation (2)",
    points=POINTS,
    why="the left side is the optimal composition, a sum over 2^m outcomes, which certified convolution computes",
)

ENDS = Measured(
    id="A.4/ends",
    name="from the truth to the formula",
    statement=r"\epsilon^*(m, \epsilon_0, w; \delta) \le"
    r" \frac{w^2 x (x-1)^2}{2m} + w (x-1) \sqrt{\frac{2 x L}{m}}",
    source="Theorem A.4, statement",
    points=POINTS,
    why="the left side is the worst case over all adaptive randomizers, which certified recursion computes",
)

# Theorem A.4: the posterior of slot i, times m; w is the weight

SLOT = {"eps0": EPS0, "weight": SHARE, "tilt": SHARE, "past": SHARE}


def _posterior(eps0: Any, weight: Any, tilt: Any, past: Any) -> Any:
    """Return m times the posterior of slot i where every earlier output has ratio b: 1/(t (1 - w + w b) + 1 - t)."""
    return 1 / (1 + past * weight * (-tilt * eps0).expm1())


def slot_envelope(eps0: Any, past: Any) -> Any:
    """Return m times the largest posterior of slot i: :math:`x / (t + (1 - t) x)`."""
    return eps0.exp() / (past + (1 - past) * eps0.exp())


def _posterior_with_weight(eps0: Any, weight: Any, past: Any) -> Any:
    return 1 / (1 + past * weight * (-eps0).expm1())


POSTERIOR = Step(
    id="A.4/posterior",
    name="posterior envelope",
    statement=r"m q_i = \frac{m}{(i-1)(1 - w + w b) + m-i+1} \le \frac{m x}{i-1 + x (m-i+1)}, \quad b = x^{-s}",
    source=f"{A4}, inequality (11) and the claim before it",
    left=_posterior,
    right=lambda eps0, weight, tilt, past: slot_envelope(eps0, past),
    box=SLOT,
    # The inverses differ by t (w b + 1 - w - 1/x), which is t ((1 - w)(1 - 1/x) + w (b - 1/x)); this is over eps0.
    margin=lambda eps0, weight, tilt, past: (
        past * ((1 - weight) * expm1_over(-eps0) + weight * (-eps0).exp() * (1 - tilt) * expm1_over((1 - tilt) * eps0))
    ),
    notes=(
        "t = (i - 1)/m is the parameter past, s is tilt. "
        "All earlier outputs have the same likelihood ratio; this is Lemma A.1 with q = 1 - t. Conditioned on slot "
        "j < i, the output at j is from the record with probability w only; the right side does not depend on w."
    ),
)

SHARPER_POSTERIOR = Step(
    id="A.4/posterior-kept",
    name="posterior envelope that keeps the weight",
    statement=r"m q_i = \frac{m}{(i-1)(1 - w + w b) + m-i+1} \le \frac{m}{(i-1)(1 - w + w/x) + m-i+1}",
    source="not in the paper",
    left=_posterior,
    right=lambda eps0, weight, tilt, past: _posterior_with_weight(eps0, weight, past),
    box=SLOT,
    margin=lambda eps0, weight, tilt, past: past * weight * (1 - tilt) * expm1_over((1 - tilt) * eps0),
)

BUDGET = Step(
    id="A.4/budget",
    name="budget of a step, in the form of Lemma A.2",
    statement=r"\frac{w x (x-1)}{i-1 + x (m-i+1)} = \frac{w (x-1)}{m - (i-1) \frac{x-1}{x}}",
    source=f"{A4}, the sentence before Lemma A.2 is used",
    left=lambda eps0, weight, past: weight * eps0.expm1() * slot_envelope(eps0, past),
    right=lambda eps0, weight, past: weight * eps0.expm1() / (1 - past * eps0.expm1() / eps0.exp()),
    box={"eps0": EPS0, "weight": SHARE, "past": SHARE},
    equal=True,
)

FORMULA = Step(
    id="A.4/formula",
    name="Lemma A.2 at a = w(x-1), b = 1 - 1/x",
    statement=r"\frac{a^2}{2m(1-b)} + \sqrt{\frac{2 a^2 L}{m (1-b)}} ="
    r" \frac{w^2 x (x-1)^2}{2m} + w (x-1) \sqrt{\frac{2 x L}{m}}",
    source=f"{A4}, end of the pure case",
    left=lambda eps0, steps, weight, log_inverse_delta: drift_and_root(
        (weight * eps0.expm1()) ** 2 / (steps * (1 + (-eps0).expm1())), log_inverse_delta
    ),
    right=replacement,
    box={"eps0": EPS0, "steps": COUNT, "weight": SHARE, "log_inverse_delta": LOG_INVERSE},
    equal=True,
)

# Theorems 3.2, 4.3 and the improved one

LARGEST_WEIGHT = Step(
    id="3.2/weight",
    name="the largest weight in place of the slot's weight",
    statement=r"\epsilon(w_{max} / c) \le \epsilon(w_{max}), \quad c \ge 1 \text{ clients in the slot}",
    source="Theorem 3.2, proof, where w_max is set to p0; in Theorem 4.3 it is 1",
    left=lambda eps0, steps, weight, log_inverse_delta, clients: replacement(
        eps0, steps, weight / clients, log_inverse_delta
    ),
    right=lambda eps0, steps, weight, log_inverse_delta, clients: replacement(eps0, steps, weight, log_inverse_delta),
    box={"eps0": EPS0, "steps": COUNT, "weight": SHARE, "log_inverse_delta": LOG_INVERSE, "clients": COUNT},
    # Both terms grow with the weight, which is divided by c.
    margin=lambda eps0, steps, weight, log_inverse_delta, clients: clients - 1,
    notes="c is the parameter clients, the number of clients in the slot; the bound does not use the population.",
)

SHARPER_FORMULA = Step(
    id="3.2-improved/formula",
    name="Lemma A.2 at a = w(x-1), b = w(1 - 1/x)",
    statement=r"\frac{a^2}{2m(1-b)} + \sqrt{\frac{2 a^2 L}{m (1-b)}} ="
    r" \frac{w^2 s (x-1)^2}{2m} + w (x-1) \sqrt{\frac{2 s L}{m}}, \quad s = \frac{1}{1 - w (1 - 1/x)}",
    source="not in the paper",
    left=lambda eps0, steps, weight, log_inverse_delta: drift_and_root(
        (weight * eps0.expm1()) ** 2 / (steps * (1 + weight * (-eps0).expm1())), log_inverse_delta
    ),
    right=improved_epsilon,
    box={"eps0": EPS0, "steps": COUNT, "weight": SHARE, "log_inverse_delta": LOG_INVERSE},
    equal=True,
)

NO_WORSE = Step(
    id="3.2-improved/no-worse",
    name="comparison with Theorem 3.2",
    statement=r"\epsilon_{improved} \le \frac{w^2 x (x-1)^2}{2m} + w (x-1) \sqrt{\frac{2 x L}{m}}",
    source="not in the paper",
    left=improved_epsilon,
    right=replacement,
    box={"eps0": EPS0, "steps": COUNT, "weight": SHARE, "log_inverse_delta": LOG_INVERSE},
    # The two sides differ in s and x only, and 1/s - 1/x = (1 - w)(1 - 1/x).
    margin=lambda eps0, steps, weight, log_inverse_delta: (1 - weight) * eps0,
)

MIXTURE = overlapping_mixtures("A.4", f"{A4}, inequality (10), from Balle, Barthe, Gaboardi (2018), Theorem 2")
WEIGHTS = weighted_mixtures("A.4", f"{A4}, inequality (10), without loss of generality there")
PURE = (MIXTURE, WEIGHTS, BIASED_RATIO, POSTERIOR, BUDGET, COMPOSITION, *A2_STEPS, FORMULA)

CHAINS = (
    Chain("thm-A.4", (*PURE, ENDS, *SIMPLE_FORM_STEPS, ABSORPTION_QUARTER, SIMPLE_QUARTER)),
    Chain("thm-A.4-simple", SIMPLE_FORM_STEPS),
    Chain("thm-A.4-simple-quarter", QUARTER_STEPS),
    Chain("thm-3.2", (LARGEST_WEIGHT, *PURE, ENDS)),
    Chain("thm-3.2-simple", (*SIMPLE_FORM_STEPS, ABSORPTION_QUARTER, SIMPLE_QUARTER)),
    Chain("thm-3.2-improved", (MIXTURE, WEIGHTS, SHARPER_POSTERIOR, *A2_STEPS, SHARPER_FORMULA, NO_WORSE)),
    Chain("thm-4.3", (LARGEST_WEIGHT, *PURE, ENDS)),
    Chain("thm-4.3-simple", SIMPLE_FORM_STEPS),
)
