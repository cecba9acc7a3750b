r"""Steinke (2022), Lemma 17 and Proposition 16: Hoeffding's lemma, and from pure to concentrated differential privacy.

h is ``width``, :math:`t (b - a)` of the lemma; p is ``share``; :math:`\epsilon` is ``eps``, t is ``power``.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Step

LEMMA = "Lemma 17, proof"
PURE = "Proposition 16, proof"
SHARE = Axis(0.0, 1.0)
WIDTH = Axis(-20.0, 20.0)
EPS = Axis(0.0, 20.0)
POWER = Axis(0.0, 64.0)


def tilted(share: Any, width: Any) -> Any:
    r"""Return :math:`1 - p + p e^h`."""
    return 1 + share * width.expm1()


CHAINS = (
    Chain(
        theorem="hoeffding-17",
        title="Hoeffding's lemma",
        steps=(
            Step(
                id="17/rounding",
                name="rounding to the two ends",
                statement=r"e^{h s} \le 1 - s + s e^h",
                source=f"{LEMMA}, Jensen's inequality",
                left=lambda share, width: (share * width).exp(),
                right=tilted,
                box={"share": SHARE, "width": WIDTH},
                # The difference is s (1-s) h^2 times a positive divided difference of the exponential.
                margin=lambda share, width: share * (1 - share) * width**2,
                notes="A variable at the share s of the way from a to b is rounded to b with probability s.",
            ),
            Step(
                id="17/curvature",
                name="variance of a tilted coin",
                statement=r"\frac{p (1-p) e^h}{(1 - p + p e^h)^2} \le \frac14",
                source=f"{LEMMA}, second derivative",
                left=lambda share, width: share * (1 - share) * width.exp() / tilted(share, width) ** 2,
                right=lambda share, width: (1 + 0 * share * width) / 4,
                box={"share": SHARE, "width": WIDTH},
                # The difference is this square over 4 (1 - p + p e^h)^2.
                margin=lambda share, width: (1 - share - share * width.exp()) ** 2,
            ),
            Step(
                id="17/claim",
                name="Hoeffding's lemma for a coin",
                statement=r"\log(1 - p + p e^h) \le p h + \frac{h^2}8",
                source="Lemma 17",
                left=lambda share, width: (share * width.expm1()).log1p(),
                right=lambda share, width: share * width + width**2 / 8,
                box={"share": Axis(0.0, 0.99), "width": WIDTH},
                # Both sides and their first derivatives agree at 0; by 17/curvature the difference is h^2 times an
                # average of squares that vanish at one h only.
                margin=lambda share, width: width**2,
                notes="The mean of the coin is p (b - a) from a; the left side is the logarithm of its moment.",
            ),
        ),
    ),
    Chain(
        theorem="zcdp-16",
        steps=(
            Step(
                id="16/mean",
                name="mean of the privacy loss",
                statement=r"\epsilon \frac{e^\epsilon - 1}{e^\epsilon + 1} \le \frac{\epsilon^2}2",
                source=f"{PURE}, Hoeffding's lemma at t = -1",
                left=lambda eps: eps * eps.expm1() / (eps.exp() + 1),
                right=lambda eps: eps**2 / 2,
                box={"eps": EPS},
                # The difference is eps times y - tanh(y) at y = eps/2, the integral of tanh^2.
                margin=lambda eps: eps,
                notes="The left side is the mean of the loss of randomized response, the largest of all.",
            ),
            Step(
                id="16/exponents",
                name="sum of the exponents",
                statement=r"t \frac{\epsilon^2}2 + \frac{t^2 (2\epsilon)^2}8 = t (t + 1) \frac{\epsilon^2}2",
                source=f"{PURE}, last line",
                left=lambda eps, power: power * eps**2 / 2 + power**2 * (2 * eps) ** 2 / 8,
                right=lambda eps, power: power * (power + 1) * eps**2 / 2,
                box={"eps": EPS, "power": POWER},
                equal=True,
            ),
            Step(
                id="16/claim",
                name="moments of randomized response",
                statement=(
                    r"\log\frac{e^{(t+1)\epsilon} + e^{-t\epsilon}}{1 + e^\epsilon} \le t (t+1) \frac{\epsilon^2}2"
                ),
                source="Proposition 16",
                left=lambda eps, power: (
                    (((power + 1) * eps).exp() + (-power * eps).exp()).log() - (1 + eps.exp()).log()
                ),
                right=lambda eps, power: power * (power + 1) * eps**2 / 2,
                box={"eps": EPS, "power": POWER},
                # The difference is the integral of y - tanh(y) from eps/2 to (t + 1/2) eps.
                margin=lambda eps, power: power * eps,
                notes="The left side is t times the divergence of order t + 1; no pure mechanism has a larger one.",
            ),
        ),
    ),
)
