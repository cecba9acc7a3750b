r"""Steinke (2022), Lemmas 20, 31 and 33: properties of Rényi divergences, at two outcomes.

s is ``share``, r is ``ratio``, :math:`\alpha` is ``order``.
"""

from __future__ import annotations

from ...proof_step import Axis, Chain, Measured, Step
from .power_means import RATIO, SHARE, concave_power, convex_power

LAWS = "it is about conditional laws; pairs of small laws are enumerated"
RHO = Axis(1e-6, 1e6, "log")
WEIGHT = Axis(1e-3, 1e3, "log")

CHAINS = (
    Chain(
        theorem="postprocessing-20",
        title="Postprocessing for concentrated differential privacy",
        steps=(
            convex_power(
                "20",
                "Lemma 20, proof, Jensen's inequality",
                "Two outputs with shares 1 - s and s under Q and the ratio r of their likelihood ratios are merged.",
            ),
        ),
    ),
    Chain(
        theorem="rdp-31",
        steps=(
            Step(
                id="31/largest",
                name="the moment of two stages",
                statement=(
                    r"(1 - s) m + s r^\alpha t m \le (1 - s + s r^\alpha) m, \quad t \le 1,"
                    r" \quad m = \max_y e^{(\alpha-1) D_\alpha(P_y \| Q_y)}"
                ),
                source="Lemma 31, proof",
                left=lambda share, ratio, smaller, moment, order: (
                    (1 - share) * moment + share * (order * ratio.log()).exp() * smaller * moment
                ),
                right=lambda share, ratio, smaller, moment, order: (
                    (1 - share + share * (order * ratio.log()).exp()) * moment + 0 * smaller
                ),
                box={
                    "share": SHARE,
                    "ratio": Axis(1e-3, 1e3, "log"),
                    "smaller": SHARE,
                    "moment": Axis(1.0, 1e6, "log"),
                    "order": Axis(1.0, 16.0),
                },
                # The difference is s r^alpha (1 - t) m.
                margin=lambda share, ratio, smaller, moment, order: share * (1 - smaller) + 0 * ratio * moment * order,
                notes=(
                    "Two outputs of the first stage have shares 1 - s and s under Q and likelihood ratios 1 and r; the "
                    "moments of the second stage are m and t m, with t the parameter smaller."
                ),
            ),
            Measured(
                id="31/adaptive",
                name="adaptive composition of two coins",
                statement=r"D_\alpha(P \| Q) \le D_\alpha(P_1 \| Q_1) + \max_y D_\alpha(P_y \| Q_y)",
                source="Lemma 31, and part 2 of Lemma 33",
                points=(
                    {"order": 1.5, "heads_p": 0.3, "heads_q": 0.6},
                    {"order": 2.0, "heads_p": 0.01, "heads_q": 0.5},
                    {"order": 8.0, "heads_p": 0.9, "heads_q": 0.4},
                ),
                why=LAWS,
                notes="The second coin's pair depends on the first: it is (P, Q) after heads and (Q, P) after tails.",
            ),
        ),
    ),
    Chain(
        theorem="renyi-33",
        title="Properties of Rényi divergences",
        steps=(
            convex_power("33", "Lemma 33, part 1", "It is Lemma 20; with one output left the divergence is 0."),
            concave_power("33", "Lemma 33, part 3, Jensen's inequality"),
            Step(
                id="33/jointly",
                name="joint convexity of moments",
                statement=(r"(1 - s + s c r)^\alpha (1 - s + s c)^{1-\alpha} \le 1 - s + s c r^\alpha"),
                source="Lemma 33, part 6",
                left=lambda share, ratio, scale, order: (
                    order * (share * (scale * ratio - 1)).log1p() + (1 - order) * (share * (scale - 1)).log1p()
                ).exp(),
                right=lambda share, ratio, scale, order: 1 - share + share * scale * (order * ratio.log()).exp(),
                box={
                    "share": Axis(0.0, 0.999),
                    "ratio": Axis(1e-3, 1e3, "log"),
                    "scale": WEIGHT,
                    "order": Axis(1.0, 16.0),
                },
                # Jensen's inequality for the power with the weights 1 - s and s c, as in 20/convex.
                margin=lambda share, ratio, scale, order: share * (1 - share) * scale * (order - 1) * (ratio - 1) ** 2,
                notes=(
                    "c is scale: an output has density 1 under Q0 and c under Q1, and the likelihood ratios 1 and r. "
                    "The average of two moments is at most the larger one."
                ),
            ),
            Step(
                id="33/young",
                name="Young's inequality",
                statement=r"r^\theta \le 1 - \theta + \theta r",
                source="Lemma 33, part 7, Hölder's inequality",
                left=lambda ratio, share: (share * ratio.log()).exp(),
                right=lambda ratio, share: 1 - share + share * ratio,
                box={"ratio": RATIO, "share": SHARE},
                # The difference is this times a positive divided difference of the power.
                margin=lambda ratio, share: share * (1 - share) * (ratio - 1) ** 2,
                notes="theta is share; summed over outputs it is Hölder's inequality for two functions of norm 1.",
            ),
            Step(
                id="33/orders",
                name="the two orders of the triangle-like inequality",
                statement=(
                    r"\frac{\phi\alpha - 1}{\phi(\alpha - 1)} \phi \alpha \rho_1"
                    r" + \frac{\phi\alpha - 1}{\phi - 1} \rho_2 = \alpha (1 + w) \left(\rho_1 + \frac{\rho_2}w\right),"
                    r" \quad \phi = \frac{1 + (\alpha-1)(1 + w)}\alpha"
                ),
                source="Lemma 33, part 7, second half",
                left=lambda order, weight, first, second: (
                    (order - 1) * (1 + weight) / (order - 1) * order * first
                    + (order - 1) * (1 + weight) / ((1 + (order - 1) * (1 + weight)) / order - 1) * second
                ),
                right=lambda order, weight, first, second: order * (1 + weight) * (first + second / weight),
                box={"order": Axis(1.001, 64.0), "weight": WEIGHT, "first": RHO, "second": RHO},
                equal=True,
                notes=(
                    "phi and phi/(phi-1) are the exponents of Hölder's inequality, w is weight, rho_1 is first and "
                    "rho_2 is second: the divergence of order alpha of P from R is at most (phi alpha - 1) / "
                    "(phi (alpha - 1)) times that of order phi alpha of P from Q, plus that of order "
                    "(phi alpha - 1)/(phi - 1) of Q from R."
                ),
            ),
            Step(
                id="33/roots",
                name="square roots of rho add up",
                statement=(
                    r"\left(\sqrt{\rho_1} + \sqrt{\rho_2}\right)^2 \le (1 + w) \left(\rho_1 + \frac{\rho_2}w\right)"
                ),
                source="Lemma 33, part 7, last sentence",
                left=lambda weight, first, second: (first.sqrt() + second.sqrt()) ** 2 + 0 * weight,
                right=lambda weight, first, second: (1 + weight) * (first + second / weight),
                box={"weight": WEIGHT, "first": RHO, "second": RHO},
                # The difference is this over w: it is 0 at the best w, the root of rho_2 / rho_1.
                margin=lambda weight, first, second: (weight * first.sqrt() - second.sqrt()) ** 2,
            ),
        ),
    ),
)
