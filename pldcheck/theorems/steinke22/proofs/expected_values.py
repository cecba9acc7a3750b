r"""Steinke (2022), Theorem 25 with Lemmas 26 and 27: the least error of a private mean.

c is ``size``, :math:`n (e^\epsilon - 1) / (2\sqrt d)`; :math:`\epsilon` is ``eps``.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Measured, Step

EPS = Axis(0.0, 20.0)


def least_error(size: Any) -> Any:
    r"""Return the root a of :math:`a^2 + c a = q`, where :math:`q = \frac1{12} - \frac2{100}`."""
    constant = (0 * size + 19) / 300
    return 2 * constant / (size + (size**2 + 4 * constant).sqrt())


CHAINS = (
    Chain(
        theorem="correlation-26",
        title="An accurate function is correlated with its inputs",
        steps=(
            Measured(
                id="26/claim",
                name="the least sum of error and correlation over all functions",
                statement=(
                    r"1 \le 12 \min_f \mathbb{E}\left[(f(X) - P)^2 + f(X) \sum_i (X_i - P)\right],"
                    r" \quad P \text{ uniform}, \quad X_i = 1 \text{ with probability } P"
                ),
                source="Lemma 26",
                points=({"clients": 1.0}, {"clients": 2.0}, {"clients": 7.0}, {"clients": 60.0}),
                why="its left side is a minimum over functions, which is reached for each input by itself",
                notes="The sum is also 1/12 plus the mean of (f - 1/2)^2, which is 0 for the constant 1/2.",
            ),
        ),
    ),
    Chain(
        theorem="expectations-27",
        title="Expected values under approximate differential privacy",
        steps=(
            Step(
                id="27/negative",
                name="negative values",
                statement=r"1 - e^{-\epsilon} \le e^\epsilon - 1",
                source="Lemma 27, proof",
                left=lambda eps: -(-eps).expm1(),
                right=lambda eps: eps.expm1(),
                box={"eps": EPS},
                notes="Tails above 0 grow by at most e^epsilon, tails below 0 shrink by at most e^-epsilon.",
            ),
            Step(
                id="27/delta",
                name="two times delta",
                statement=r"\delta + e^{-\epsilon} \delta \le 2 \delta",
                source="Lemma 27, proof",
                left=lambda eps, delta: delta + (-eps).exp() * delta,
                right=lambda eps, delta: 2 * delta + 0 * eps,
                box={"eps": EPS, "delta": Axis(0.0, 1.0)},
            ),
            Measured(
                id="27/claim",
                name="the largest expected value",
                statement=(
                    r"\max_X \mathbb{E}[X] \le \mathbb{E}[Y] + (e^\epsilon - 1) \mathbb{E}[|Y|] + 2 \delta \Delta"
                ),
                source="Lemma 27",
                points=(
                    {"ratio": 1.5, "delta": 0.0},
                    {"ratio": 2.0, "delta": 0.01},
                    {"ratio": 1.125, "delta": 0.25},
                    {"ratio": 4.0, "delta": 0.0625},
                ),
                why="its left side is a largest value over laws; the laws on a few values are enumerated in fractions",
                notes="ratio is e^epsilon; Y has one of a few laws on -1, -1/2, 0, 1/2 and 1, and Delta is 1.",
            ),
        ),
    ),
    Chain(
        theorem="neg-25",
        steps=(
            Step(
                id="25/constant",
                name="few records or many coordinates",
                statement=r"\frac1{10} \le a, \quad a^2 + c a = \frac1{12} - \frac2{100}, \quad c \le \frac12",
                source="Theorem 25, proof, last part",
                left=lambda size: (1 + 0 * size) / 10,
                right=least_error,
                box={"size": Axis(0.0, 0.5)},
            ),
            Step(
                id="25/inverse",
                name="many records",
                statement=r"\frac1{20 c} \le a, \quad c \ge \frac12",
                source="Theorem 25, proof, last part",
                left=lambda size: 1 / (20 * size),
                right=least_error,
                box={"size": Axis(0.5, 1e9, "log")},
                notes="Half of 1/10 min(1, 1/(2c)) is left after the error of the mean of the records.",
            ),
        ),
    ),
)
