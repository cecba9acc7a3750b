"""The loads of slots that clients choose: Lemma A.6 of Balle et al. (2020).

n is ``clients``, m is ``steps``; the load vector is written :math:`L`, as there.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Measured, Step
from ...shared_steps import COUNT, ENUMERATION_NOTE

LOADS = tuple({"clients": n, "steps": m} for n in (2, 5, 12) for m in (2, 3, 6))
TAILS = tuple({**at, "delta": delta} for at in LOADS for delta in (0.9, 0.5, 0.01))
AT_LOADS = {"one": COUNT, "other": Axis(0.0, 1e12), "rest": Axis(0.0, 1e24)}


def _difference(one: Any, other: Any, rest: Any) -> Any:
    return ((one + 1) ** 2 + other**2 + rest).sqrt() - (one**2 + (other + 1) ** 2 + rest).sqrt()


def _difference_margin(one: Any, other: Any, rest: Any) -> Any:
    # With roots R and S: R - S = 2(a - b)/(R + S) <= 1 means (R - a) + (S - a) + 2b >= 0.
    r = ((one + 1) ** 2 + other**2 + rest).sqrt()
    s = (one**2 + (other + 1) ** 2 + rest).sqrt()
    return (2 * one + 1 + other**2 + rest) / (r + one) + ((other + 1) ** 2 + rest) / (s + one) + 2 * other


NORM = (
    Step(
        id="A.6/difference",
        name="the effect of one client on the norm",
        statement=r"\|L + e_i\|_2 - \|L + e_j\|_2 \le \sqrt 2",
        source="Lemma A.6, proof, second sentence",
        left=_difference,
        right=lambda one, other, rest: (one**0 * 2).sqrt(),
        box=AT_LOADS,
        margin=_difference_margin,
        notes="one and other are the loads of the two slots without the client, rest is the sum of the other squares.",
    ),
    Step(
        id="A.6/difference-sharp",
        name="the effect of one client on the norm, at most 1",
        statement=r"\|L + e_i\|_2 - \|L + e_j\|_2 \le 1",
        source="Lemma A.6, proof, second sentence; not in the paper",
        left=_difference,
        right=lambda one, other, rest: one**0,
        box=AT_LOADS,
        margin=_difference_margin,
        notes=(
            "The proof loses this: with it the tail of the lemma is sqrt(n log(1/delta) / 2), and that of Theorem 4.1 "
            "is sqrt(log(1/delta2) / (2n))."
        ),
    ),
    Measured(
        id="A.6/concentration",
        name="McDiarmid's inequality",
        statement=r"\Pr[\|L\|_2 > \mathbb{E} \|L\|_2 + \sqrt{n \log(1/\delta)}] \le \delta",
        source="Lemma A.6, proof, first display",
        points=TAILS,
        why=ENUMERATION_NOTE,
    ),
    Measured(
        id="A.6/jensen",
        name="Jensen's inequality",
        statement=r"\mathbb{E} \|L\|_2 \le \sqrt{\mathbb{E} \|L\|_2^2}",
        source="Lemma A.6, proof, second display",
        points=LOADS,
        why=ENUMERATION_NOTE,
    ),
    Measured(
        id="A.6/moment",
        name="second moment of the loads",
        statement=r"\mathbb{E} \|L\|_2^2 = m \left(\frac nm \left(1 - \frac1m\right) + \frac{n^2}{m^2}\right)",
        source="Lemma A.6, proof, second display",
        points=LOADS,
        why=ENUMERATION_NOTE,
        notes="The number is the absolute difference of the two sides, which is 0.",
    ),
    Step(
        id="A.6/rounded",
        name="second moment, rounded up",
        statement=r"\sqrt{n \left(1 - \frac1m\right) + \frac{n^2}m} \le \sqrt{n + \frac{n^2}m}",
        source="Lemma A.6, proof, last line",
        left=lambda clients, steps: (clients * (1 - 1 / steps) + clients**2 / steps).sqrt(),
        right=lambda clients, steps: (clients + clients**2 / steps).sqrt(),
        box={"clients": COUNT, "steps": COUNT},
        margin=lambda clients, steps: clients / steps,
    ),
    Measured(
        id="A.6/claim",
        name="the lemma itself",
        statement=r"\Pr\left[\|L\|_2 > \sqrt{n + n^2/m} + \sqrt{n \log(1/\delta)}\right] \le \delta",
        source="Lemma A.6",
        points=TAILS,
        why=ENUMERATION_NOTE,
    ),
)

CHAINS = (
    Chain(
        theorem="lem-A.6",
        title="Norm of the loads when clients choose slots",
        steps=NORM,
    ),
)
