r"""Steinke (2022), Theorem 22 with Lemma 23 and Corollary 24, Theorem 29: approximate pairs and samples.

x is ``kappa``, :math:`e^\epsilon`; p and q are densities of one output; the sampling probability is ``rate``.
"""

from __future__ import annotations

from ...proof_step import Axis, Chain, Measured, Step
from ...removable_quotients import expm1_over, log1p_remainder

SHARE = Axis(0.0, 1.0)
EPS = Axis(0.0, 20.0)
KAPPA = Axis(1.001, 1e6, "log")
DENSITY = Axis(1e-3, 1.0, "log")

CHAINS = (
    Chain(
        theorem="decomposition-23",
        title="An approximate pair is a mixture of a pure pair and a rest",
        steps=(
            Measured(
                id="23/pure",
                name="the pure part of the mixture",
                statement=(
                    r"\max_y \frac{P'(y)}{Q'(y)} \le e^\epsilon, \quad P = (1-\delta) P' + \delta P'',"
                    r" \quad Q = (1-\delta) Q' + \delta Q''"
                ),
                source="Lemma 23",
                points=(
                    {"outputs": 3.0, "ratio": 1.5},
                    {"outputs": 4.0, "ratio": 2.0},
                    {"outputs": 6.0, "ratio": 1.25},
                    {"outputs": 5.0, "ratio": 1.0},
                ),
                why="it states that laws exist; those of its proof are calculated in fractions",
                notes="ratio is e^epsilon, and delta the least for which the pair is approximate, in both directions.",
            ),
        ),
    ),
    Chain(
        theorem="rr-24",
        steps=(
            Step(
                id="24/first",
                name="the mixture of two laws that is P'",
                statement=(
                    r"\frac{x a + b}{x + 1} = p, \quad a = \frac{x p - q}{x - 1}, \quad b = \frac{x q - p}{x - 1}"
                ),
                source="Corollary 24, proof",
                left=lambda p, q, kappa: (kappa * (kappa * p - q) + kappa * q - p) / ((kappa - 1) * (kappa + 1)),
                right=lambda p, q, kappa: p + 0 * q * kappa,
                box={"p": DENSITY, "q": DENSITY, "kappa": KAPPA},
                equal=True,
                notes="The other mixture, with x at b, is Q' by the same calculation.",
            ),
            Step(
                id="24/density",
                name="both laws have densities",
                statement=r"0 \le \frac{x p - q}{x - 1}, \quad q = x^t p, \quad -1 \le t \le 1",
                source="Corollary 24, proof",
                left=lambda p, eps, tilt: 0 * p * eps * tilt,
                right=lambda p, eps, tilt: p * (eps.exp() - (tilt * eps).exp()) / eps.expm1(),
                box={"p": DENSITY, "eps": Axis(1e-6, 20.0, "log"), "tilt": Axis(-1.0, 1.0)},
                # The difference has the sign of the difference of exponents.
                margin=lambda p, eps, tilt: p * eps * (1 - tilt),
            ),
        ),
    ),
    Chain(
        theorem="adv-22-unequal",
        steps=(
            Step(
                id="22/union",
                name="the probability that one step is caught",
                statement=r"1 - (1 - \delta_1) (1 - \delta_2) \le \delta_1 + \delta_2",
                source="Theorem 22, proof, last inequalities",
                left=lambda first, second: first + second - first * second,
                right=lambda first, second: first + second,
                box={"first": SHARE, "second": SHARE},
                notes="delta_1 is first, delta_2 is second; it is used step by step, and for the slack.",
            ),
        ),
    ),
    Chain(
        theorem="sub-29",
        steps=(
            Step(
                id="29/removed",
                name="the record is removed",
                statement=r"p (x q + \delta) + (1 - p) q = (1 + p (x - 1)) q + p \delta",
                source="Theorem 29, special case, proof",
                left=lambda rate, kappa, q, delta: rate * (kappa * q + delta) + (1 - rate) * q,
                right=lambda rate, kappa, q, delta: (1 + rate * (kappa - 1)) * q + rate * delta,
                box={"rate": SHARE, "kappa": KAPPA, "q": DENSITY, "delta": SHARE},
                equal=True,
                notes="q is the probability of an event without the record.",
            ),
            Step(
                id="29/added",
                name="the record is added",
                statement=r"\frac1{1 - p + p / x} \le 1 + p (x - 1)",
                source="Theorem 29, special case, proof, by Lemma 36",
                left=lambda rate, kappa: 1 / (1 - rate + rate / kappa),
                right=lambda rate, kappa: 1 + rate * (kappa - 1),
                box={"rate": SHARE, "kappa": KAPPA},
                # The difference is this over positive numbers.
                margin=lambda rate, kappa: rate * (1 - rate) * (kappa - 1) ** 2,
            ),
            Step(
                id="29/small",
                name="at least the sampled budget",
                statement=r"p \epsilon \le \log(1 + p (e^\epsilon - 1))",
                source="Theorem 29, remark after it",
                left=lambda rate, eps: rate * eps,
                right=lambda rate, eps: (rate * eps.expm1()).log1p(),
                box={"rate": SHARE, "eps": EPS},
                # The difference is this times a positive divided difference of the exponential.
                margin=lambda rate, eps: rate * (1 - rate) * eps**2,
            ),
            Step(
                id="29/linear",
                name="at most the sampled growth",
                statement=r"\log(1 + p (e^\epsilon - 1)) \le p (e^\epsilon - 1)",
                source="Theorem 29, remark after it",
                left=lambda rate, eps: (rate * eps.expm1()).log1p(),
                right=lambda rate, eps: rate * eps.expm1(),
                box={"rate": SHARE, "eps": EPS},
                # y - log(1 + y) is y^2 times this remainder, at y = p (e^epsilon - 1).
                margin=lambda rate, eps: (rate * eps.expm1()) ** 2 * log1p_remainder(rate * eps.expm1()),
            ),
            Step(
                id="29/double",
                name="at most twice the sampled budget",
                statement=r"p (e^\epsilon - 1) \le 2 p \epsilon, \quad \epsilon \le 1",
                source="Theorem 29, remark after it, reconstructed",
                left=lambda rate, eps: rate * eps.expm1(),
                right=lambda rate, eps: 2 * rate * eps,
                box={"rate": SHARE, "eps": Axis(0.0, 1.0)},
                margin=lambda rate, eps: rate * eps * (2 - expm1_over(eps)),
                notes="The constant of the remark cannot be read.",
            ),
        ),
    ),
)
