r"""The posterior of the place of a swap, from the outputs before it: the first half of the proof of Theorem A.7.

n is ``clients``, i is ``position``, x stands for :math:`e^{\epsilon_0}`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...proof_step import Measured, Step
from ...removable_quotients import expm1_over
from ...shared_steps import COUNT, ENUMERATION_NOTE, EPS0, at_most_clients, x

PROOF = "Theorem A.7, proof"
PLACES = {"eps0": EPS0, "clients": COUNT, "position": COUNT}


def by_likelihoods_sharp(eps0: Any, clients: Any, position: Any) -> Any:
    """Return :math:`1/(1 + 1/x + (i-2)/x^2 + (n-i)/x)`: just one place differs from the original order."""
    return 1 / (1 + 1 / x(eps0) + (position - 2) / x(eps0) ** 2 + (clients - position) / x(eps0))


def by_likelihoods(eps0: Any, clients: Any, position: Any) -> Any:
    """Return the bound of the posterior from likelihood ratios: :math:`1/(1 + (i-1)/x^2 + (n-i)/x)`."""
    return 1 / (1 + (position - 1) / x(eps0) ** 2 + (clients - position) / x(eps0))


def envelope(eps0: Any, clients: Any, position: Any) -> Any:
    """Return the envelope of the posterior: :math:`x^2/(x^2 + (i-1) + (n-i) x)`."""
    return x(eps0) ** 2 / (x(eps0) ** 2 + (position - 1) + (clients - position) * x(eps0))


POSTERIOR = (
    Measured(
        id="A.7/differ-before",
        name="places that differ, swapped earlier",
        statement=r"\#\{k < i : \sigma_i(D)[k] \ne \sigma_j(D)[k]\} \le 2, \quad j < i",
        source=f"{PROOF}, before (14)",
        points=tuple({"clients": n, "position": i} for n in (2, 5, 9) for i in range(2, n + 1)),
        why=ENUMERATION_NOTE,
    ),
    Measured(
        id="A.7/differ-first",
        name="places that differ from the original order",
        statement=r"\#\{k < i : \sigma_i(D)[k] \ne \sigma_1(D)[k]\} \le 2",
        source=f"{PROOF}, before (14), at j = 1",
        points=tuple({"clients": n, "position": i} for n in (2, 5, 9) for i in range(2, n + 1)),
        why=ENUMERATION_NOTE,
        notes="It is one place, always: x would do for the x^2 of (14) at j = 1.",
    ),
    Measured(
        id="A.7/differ-after",
        name="places that differ, swapped later",
        statement=r"\#\{k < i : \sigma_i(D)[k] \ne \sigma_j(D)[k]\} \le 1, \quad j > i",
        source=f"{PROOF}, before (14)",
        points=tuple({"clients": n, "position": i} for n in (2, 5, 9) for i in range(1, n)),
        why=ENUMERATION_NOTE,
    ),
    Measured(
        id="A.7/posterior",
        name="posterior of a place, over all randomizers",
        statement=r"q_i \le \frac{x^2}{x^2 + (i-1) + (n-i) x}",
        source=f"{PROOF}, the claim after (13)",
        points=tuple(
            {"clients": n, "position": i, "eps0": eps0}
            for n in (2, 3, 4)
            for i in range(2, n + 1)
            for eps0 in (0.1, 1.0, 4.0)
        ),
        why="the left side is a largest value over randomizers; their extreme densities are enumerated",
        notes="With x for x^2 at j = 1 it is attained (the number shown is smaller by 1e-12 of itself).",
    ),
    Step(
        id="A.7/first-place",
        name="the original order, counted as any other",
        statement=r"\frac1{1 + x^{-1} + (i-2) x^{-2} + (n-i) x^{-1}} \le \frac1{1 + (i-1) x^{-2} + (n-i) x^{-1}}",
        source=f"{PROOF}, (14) at j = 1",
        left=by_likelihoods_sharp,
        right=by_likelihoods,
        box={**PLACES, "clients": replace(COUNT, low=2.0), "position": replace(COUNT, low=2.0)},
        premises=(at_most_clients("position"),),
        # The denominators differ by (x - 1)/x^2.
        margin=lambda eps0, clients, position: expm1_over(eps0),
        conditional=True,
        notes="The proof loses this: the left side is the largest possible posterior.",
    ),
    Step(
        id="A.7/envelope",
        name="posterior envelope",
        statement=r"\frac1{1 + (i-1) x^{-2} + (n-i) x^{-1}} = \frac{x^2}{x^2 + (i-1) + (n-i) x}",
        source=f"{PROOF}, the display after (14)",
        left=by_likelihoods,
        right=envelope,
        box=PLACES,
        premises=(at_most_clients("position"),),
        equal=True,
    ),
)
