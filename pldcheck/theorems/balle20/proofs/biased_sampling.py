r"""Lemmas A.1 and A.2: biased sampling hides one record; budgets that grow along a hyperbola compose.

x stands for :math:`e^{\epsilon_0}`; in A.1 a likelihood ratio is :math:`x^{-s}` with s = ``tilt``; in A.2 k is
``steps``, a is ``first``, b is ``decay`` and i/k is ``past``.
"""

from __future__ import annotations

from dataclasses import replace

from ...proof_step import Axis, Chain, Measured, Premise, Step
from ...shared_steps import COUNT, EPS0, LOG_INVERSE, SHARE, drift, drift_and_root, square

TILT = Axis(-1.0, 1.0)
# The range of b, which is below 1 since 1 - 1/x is.
DECAY = Axis(0.0, 1 - 1e-9)

BIASED_RATIO = Step(
    id="A.1/ratio",
    name="biased sampling",
    statement=r"\frac{1}{q + (1 - q) b} \le \frac{x}{1 + q (x - 1)}, \quad b = x^{-s}, \quad -1 \le s \le 1",
    source="Lemma A.1, proof, the inequality after the third equality",
    left=lambda eps0, share, tilt: 1 / (share + (1 - share) * (-tilt * eps0).exp()),
    right=lambda eps0, share, tilt: eps0.exp() / (1 + share * eps0.expm1()),
    box={"eps0": EPS0, "share": SHARE, "tilt": TILT},
    # The difference of the inverses is (1 - q)(b - 1/x), and b - 1/x has the sign of 1 - s.
    margin=lambda eps0, share, tilt: (1 - share) * (1 - tilt) * eps0,
    notes=(
        "q is the parameter share, s is tilt; b is the mean ratio of the other records' densities to that of record k."
    ),
)

INTEGRAL = Step(
    id="A.2/integral",
    name="sum to integral, term by term",
    statement=r"\frac{1}{(k - ib)^2} \le \int_i^{i+1} \frac{dz}{(k - zb)^2} = \frac{1}{(k - ib)(k - (i+1)b)}",
    source="Lemma A.2, proof, inequality (4)",
    left=lambda steps, past, decay: 1 / (steps * (1 - past * decay)) ** 2,
    right=lambda steps, past, decay: 1 / (steps * (1 - past * decay)) / (steps * (1 - past * decay - decay / steps)),
    box={"steps": COUNT, "past": SHARE, "decay": DECAY},
    premises=(Premise("i + 1 <= k", lambda steps, past, decay: steps * past + 1 - steps),),
    # Both denominators have the factor k - ib; the other factors differ by b.
    margin=lambda steps, past, decay: decay,
    conditional=True,
    notes="k is the parameter steps, b is decay, and i/k, with i from 0, is past.",
)

TELESCOPE = Step(
    id="A.2/telescope",
    name="the integral",
    statement=r"\frac1b \left(\frac{1}{k - kb} - \frac1k\right) = \frac{1}{k (1 - b)}",
    source="Lemma A.2, proof, (4), last equality",
    left=lambda steps, decay: (1 / (steps - steps * decay) - 1 / steps) / decay,
    right=lambda steps, decay: 1 / (steps * (1 - decay)),
    box={"steps": COUNT, "decay": replace(DECAY, low=1e-6)},
    equal=True,
    notes="k is the parameter steps, b is decay.",
)

BOTH_SUMS = Step(
    id="A.2/joined",
    name="both sums of the composition bound",
    statement=r"\frac S2 + \sqrt{2 L S} = \frac{a^2}{2k(1-b)} + \sqrt{\frac{2 a^2 L}{k (1-b)}}, \quad"
    r" S = \frac{a^2}{k(1-b)}",
    source="Lemma A.2, proof, last sentence",
    left=lambda steps, first, decay, log_inverse_delta: drift_and_root(
        first**2 / (steps * (1 - decay)), log_inverse_delta
    ),
    right=lambda steps, first, decay, log_inverse_delta: (
        first**2 / (2 * steps * (1 - decay)) + (2 * first**2 * log_inverse_delta / (steps * (1 - decay))).sqrt()
    ),
    box={"steps": COUNT, "first": Axis(1e-6, 1e6, "log"), "decay": DECAY, "log_inverse_delta": LOG_INVERSE},
    equal=True,
    notes="k is the parameter steps, a is first, b is decay.",
)

WHOLE_SUM = Measured(
    id="A.2/sum",
    name="the whole sum against the integral",
    statement=r"k \sum_{i=0}^{k-1} \frac{1}{(k - ib)^2} \le \frac{1}{1 - b}",
    source="Lemma A.2, proof, inequality (4)",
    points=tuple(
        {"steps": steps, "decay": decay}
        for steps in (1.0, 2.0, 10.0, 1000.0, 1e6, 1e9)
        for decay in (0.01, 0.5, 0.6321, 0.99)
    ),
    why="it is a sum of any number of terms; each is proved above, the sum comes from the Hurwitz zeta function",
    notes="k is the parameter steps, b is decay.",
)

A2_STEPS = (
    drift("A.2", "Lemma A.2, proof, inequality (5)"),
    square("A.2", "Lemma A.2, proof, inequality (3)"),
    INTEGRAL,
    TELESCOPE,
    WHOLE_SUM,
    BOTH_SUMS,
)

CHAINS = (Chain("lem-A.1", (BIASED_RATIO,), "Biased sampling hides one record"), Chain("lem-A.2", A2_STEPS))
