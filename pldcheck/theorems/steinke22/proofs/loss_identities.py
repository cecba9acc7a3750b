r"""Steinke (2022), Propositions 3 and 7, Lemmas 4 and 6, Remark 5: the privacy loss of one outcome.

An outcome has the probabilities p, ``heads_p``, and q, ``heads_q``; its loss is :math:`z = \log(p/q)`.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Measured, Step

HEADS = Axis(1e-6, 0.999, "log")
EPSILON = Axis(0.0, 20.0)
VALUE = Axis(-10.0, 10.0)


def loss(heads_p: Any, heads_q: Any) -> Any:
    r"""Return :math:`z = \log(p/q)`."""
    return heads_p.log() - heads_q.log()


CHAINS = (
    Chain(
        theorem="gauss-3",
        steps=(
            Step(
                id="3/affine",
                name="the log likelihood ratio is affine",
                statement=(
                    r"\frac{(x - \mu')^2 - (x - \mu)^2}{2\sigma^2} = \rho + \sqrt{2\rho}\, w,"
                    r" \quad \rho = \frac{(\mu - \mu')^2}{2\sigma^2}, \quad w = \frac{x - \mu}\sigma"
                ),
                source="Proposition 3, proof",
                left=lambda shift, sigma, draw: ((sigma * draw + shift) ** 2 - (sigma * draw) ** 2) / (2 * sigma**2),
                right=lambda shift, sigma, draw: shift**2 / (2 * sigma**2) + shift / sigma * draw,
                box={"shift": Axis(0.0, 100.0), "sigma": Axis(1e-3, 1e3, "log"), "draw": VALUE},
                equal=True,
                notes="mu - mu' is shift, and w, a standard normal variable under P, is draw.",
            ),
        ),
    ),
    Chain(
        theorem="neyman-pearson-4",
        title="Neyman-Pearson lemma",
        steps=(
            Measured(
                id="4/dominates",
                name="every test is dominated by a threshold",
                statement=(
                    r"P(T = P) \le P(f \ge t) \text{ and } Q(T = Q) \le Q(f \le t) \text{ for a } t:"
                    r" \quad \max_T \min_t \max\{\cdot\} \le 0"
                ),
                source="Lemma 4",
                points=({"outputs": 2.0}, {"outputs": 4.0}, {"outputs": 7.0}),
                why="it is about all tests; those of small laws are enumerated in fractions",
                notes=(
                    "The left side is the largest shortfall: how much a test exceeds, in one of both, the threshold at "
                    "which that is least. The tests say P with probability 0, 1/2 or 1 at each output."
                ),
            ),
        ),
    ),
    Chain(
        theorem="inverse-5",
        title="The privacy loss of the exchanged pair",
        steps=(
            Step(
                id="5/sign",
                name="the exchanged loss",
                statement=r"\log\frac qp = -\log\frac pq",
                source="Remark 5",
                left=lambda heads_p, heads_q: (heads_q / heads_p).log(),
                right=lambda heads_p, heads_q: -loss(heads_p, heads_q),
                box={"heads_p": HEADS, "heads_q": HEADS},
                equal=True,
            ),
        ),
    ),
    Chain(
        theorem="change-6",
        title="Change of distribution for the privacy loss",
        steps=(
            Step(
                id="6/weights",
                name="an expected value under Q by losses under P",
                statement=r"q g_1 + (1-q) g_2 = p g_1 e^{-z_1} + (1-p) g_2 e^{-z_2}",
                source="Lemma 6",
                left=lambda heads_p, heads_q, first, second: heads_q * first + (1 - heads_q) * second + 0 * heads_p,
                right=lambda heads_p, heads_q, first, second: (
                    heads_p * first * (-loss(heads_p, heads_q)).exp()
                    + (1 - heads_p) * second * (-loss(1 - heads_p, 1 - heads_q)).exp()
                ),
                box={"heads_p": HEADS, "heads_q": HEADS, "first": VALUE, "second": VALUE},
                equal=True,
                notes="g_1 and g_2 are the values of a function of the loss, the parameters first and second.",
            ),
        ),
    ),
    Chain(
        theorem="pld-7-expectation",
        steps=(
            Step(
                id="7/gap",
                name="the gap of one outcome",
                statement=r"p - e^\epsilon q = p (1 - e^{\epsilon - z})",
                source="Proposition 7, proof, second expression",
                left=lambda heads_p, heads_q, epsilon: heads_p - epsilon.exp() * heads_q,
                right=lambda heads_p, heads_q, epsilon: heads_p * -(epsilon - loss(heads_p, heads_q)).expm1(),
                box={"heads_p": HEADS, "heads_q": HEADS, "epsilon": EPSILON},
                equal=True,
            ),
        ),
    ),
    Chain(
        theorem="pld-7-tail",
        steps=(
            Step(
                id="7/bounded",
                name="the share of an outcome that counts",
                statement=r"1 - e^{\epsilon - z} \le 1",
                source="Proposition 7, upper bound",
                left=lambda heads_p, heads_q, epsilon: -(epsilon - loss(heads_p, heads_q)).expm1(),
                right=lambda heads_p, heads_q, epsilon: 1 + 0 * heads_p * heads_q * epsilon,
                box={"heads_p": HEADS, "heads_q": HEADS, "epsilon": EPSILON},
            ),
        ),
    ),
)
