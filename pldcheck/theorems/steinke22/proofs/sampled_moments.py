r"""Steinke (2022), Lemmas 39 and 40, Propositions 41 and 42: moments of mixtures in closed form.

x is a likelihood ratio and d is ``gap``, :math:`p (x - 1)`, so that the mixture's ratio is :math:`1 + d`;
:math:`\alpha` is ``order``.  Lemmas 39 and 40 and Proposition 41 are derived from what can be read of their proofs: the
cases, Taylor's theorem, and the bound beyond them.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Premise, Step
from .power_means import ORDER, RATIO, SHARE, convex_power

# Orders from 2 on, as the cases of Lemma 39 need.
FROM_TWO = Axis(2.0, 64.0)
# From an unlikely output on, whose ratio is 0 in the limit, to far beyond the premise.
GAP = Axis(-0.999, 10.0)
NEAR = Premise("(order - 2) gap <= 1", lambda gap, order, **_: (order - 2) * gap - 1)


def second_order(gap: Any, order: Any) -> Any:
    r"""Return :math:`1 + \alpha d + \frac e2 \alpha (\alpha - 1) d^2`."""
    number = (0 * gap + 1).exp()
    return 1 + order * gap + number / 2 * order * (order - 1) * gap**2


def _log_of_mean(share: Any, growth: Any) -> Any:
    return (share * (growth - 1)).log1p()


def _best_share(share: Any, growth: Any) -> Any:
    return share * growth / (1 - share + share * growth)


def _split(share: Any, growth: Any, order: Any) -> Any:
    best = _best_share(share, growth)
    rest = ((1 - order) * (1 - best).log() + order * (1 - share).log()).exp()
    return (rest + ((1 - order) * best.log() + order * (share * growth).log()).exp()).log()


CHAINS = (
    Chain(
        theorem="taylor-39",
        title="A power near 1, to second order",
        steps=(
            Step(
                id="39/growth",
                name="the second derivative near 0",
                statement=r"(\alpha - 2) \log(1 + d) \le 1 \text{ where } (\alpha-2) d \le 1",
                source="Lemma 39, proof, both cases",
                left=lambda gap, order: (order - 2) * gap.log1p(),
                right=lambda gap, order: 1 + 0 * gap * order,
                box={"gap": GAP, "order": FROM_TWO},
                premises=(NEAR,),
            ),
            Step(
                id="39/claim",
                name="Taylor's theorem",
                statement=r"(1 + d)^\alpha \le 1 + \alpha d + \frac e2 \alpha (\alpha - 1) d^2",
                source="Lemma 39, reconstructed",
                left=lambda gap, order: (order * gap.log1p()).exp(),
                right=second_order,
                box={"gap": GAP, "order": FROM_TWO},
                premises=(NEAR,),
                # By 39/growth the second derivative in d is at most e alpha (alpha-1) between 0 and d.
                margin=lambda gap, order: gap**2,
                conditional=True,
                notes="d = p (x - 1). The first case, x <= 1, is that of a negative d.",
            ),
        ),
    ),
    Chain(
        theorem="large-40",
        title="A power anywhere, to second order and a power",
        steps=(
            Step(
                id="40/far",
                name="ratios beyond Taylor's theorem",
                statement=r"(1 + d)^\alpha \le (\alpha d)^\alpha, \quad d = \frac y{\alpha - 1}, \quad y \ge 1",
                source="Lemma 40, proof, reconstructed",
                left=lambda reach, order: order * (reach / (order - 1)).log1p(),
                right=lambda reach, order: order * (order * reach / (order - 1)).log(),
                box={"reach": Axis(1.0, 1e6, "log"), "order": FROM_TWO},
                # alpha d - (1 + d) is y - 1.
                margin=lambda reach, order: reach - 1,
                notes="y is reach. Logarithms of both sides are compared.",
            ),
            Step(
                id="40/covered",
                name="both cases cover every ratio",
                statement=r"(\alpha - 2) d \le (\alpha - 1) d \text{ where } d \ge 0",
                source="Lemma 40, proof, reconstructed",
                left=lambda gap, order: (order - 2) * gap,
                right=lambda gap, order: (order - 1) * gap,
                box={"gap": Axis(0.0, 1e3), "order": FROM_TWO},
                margin=lambda gap, order: gap + 0 * order,
                notes="So where Lemma 39 does not apply, (alpha - 1) d is above 1.",
            ),
        ),
    ),
    Chain(
        theorem="rdp-41",
        steps=(
            Step(
                id="41/square",
                name="the mean square of the likelihood ratio less 1",
                statement=r"q \left(\frac pq - 1\right)^2 + (1-q) \left(\frac{1-p}{1-q} - 1\right)^2"
                r" = \frac{p^2}q + \frac{(1-p)^2}{1-q} - 1",
                source="Proposition 41, proof, reconstructed",
                left=lambda heads_p, heads_q: (
                    heads_q * (heads_p / heads_q - 1) ** 2 + (1 - heads_q) * ((1 - heads_p) / (1 - heads_q) - 1) ** 2
                ),
                right=lambda heads_p, heads_q: heads_p**2 / heads_q + (1 - heads_p) ** 2 / (1 - heads_q) - 1,
                box={"heads_p": Axis(1e-6, 0.999), "heads_q": Axis(1e-6, 0.999)},
                equal=True,
                notes="The right side is e^D - 1 for the divergence D of order 2.",
            ),
            Step(
                id="41/powers",
                name="the power of the ratio where it is large",
                statement=r"(\alpha p (x - 1))^\alpha \le (\alpha p x)^\alpha, \quad x \ge 1",
                source="Proposition 41, proof, reconstructed",
                left=lambda share, ratio, order: order * (order * share * (ratio - 1)).log(),
                right=lambda share, ratio, order: order * (order * share * ratio).log(),
                box={"share": Axis(1e-6, 1.0, "log"), "ratio": Axis(1.001, 1e6, "log"), "order": FROM_TWO},
                margin=lambda share, ratio, order: share * order + 0 * ratio,
                notes="Logarithms are compared. The mean of x^alpha is e^((alpha - 1) D).",
            ),
        ),
    ),
    Chain(
        theorem="rdp-42",
        steps=(
            convex_power("42", "Proposition 42, proof, Jensen's inequality", "It is used at s = 1 - lambda."),
            Step(
                id="42/best",
                name="the best weight",
                statement=(
                    r"\log\left[(1-\lambda)^{1-\alpha} (1-p)^\alpha + \lambda^{1-\alpha} (p g)^\alpha\right]"
                    r" = \alpha \log(1 - p + p g), \quad \lambda = \frac{p g}{1 - p + p g}"
                ),
                source="Proposition 42, proof, the optimal weight",
                left=_split,
                right=lambda share, growth, order: order * _log_of_mean(share, growth),
                box={"share": Axis(1e-6, 0.999), "growth": Axis(1.0, 1e6, "log"), "order": ORDER},
                equal=True,
                notes="g is growth, e^((1 - 1/alpha) D), the norm of the likelihood ratio.",
            ),
            Step(
                id="42/amplified",
                name="the bound is below the divergence without sampling",
                statement=r"\log(1 - p + p g) \le \log g",
                source="Proposition 42",
                left=lambda share, growth: _log_of_mean(share, growth),
                right=lambda share, growth: growth.log() + 0 * share,
                box={"share": SHARE, "growth": Axis(1.0, 1e6, "log")},
                # The difference of the arguments is (1-p) (g-1).
                margin=lambda share, growth: (1 - share) * (growth - 1),
            ),
        ),
    ),
    Chain(
        theorem="rdp-42-lower",
        steps=(
            Step(
                id="42/lower",
                name="a mixture is at least its sampled part",
                statement=r"p x \le 1 - p + p x",
                source="Section 6.6, the lower bound before Lemma 39",
                left=lambda share, ratio: share * ratio,
                right=lambda share, ratio: 1 - share + share * ratio,
                box={"share": SHARE, "ratio": RATIO},
                margin=lambda share, ratio: 1 - share,
                notes="Its power has the mean p^alpha e^((alpha - 1) D).",
            ),
        ),
    ),
)
