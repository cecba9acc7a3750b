r"""Swapping: Theorem A.7 of Balle et al. (2020), and its form for approximate randomizers.

n is ``clients``, i is ``position``, x stands for :math:`e^{\epsilon_0}` and L for :math:`\log(1/\delta)`.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Measured, Step
from ...removable_quotients import expm1_over
from ...shared_steps import (
    COUNT,
    EPS0,
    LOG_INVERSE,
    at_most_clients,
    drift,
    drift_and_root,
    overlapping_mixtures,
    printed_delta,
    return_to_original,
    square,
    union,
    weighted_mixtures,
    x,
)
from .swap_posterior import PLACES, POSTERIOR, PROOF, envelope


def growth(eps0: Any, clients: Any, position: Any) -> Any:
    r"""Return :math:`e^{\epsilon_i} - 1 = a/(n - b(i-1))`, the form of Lemma A.2 with a = x(x-1), b = 1 - 1/x."""
    return x(eps0) * eps0.expm1() / _left_over(eps0, clients, position)


def _left_over(eps0: Any, clients: Any, position: Any) -> Any:
    return clients - (position - 1) * -(-eps0).expm1()


def lemma_bound(eps0: Any, clients: Any, log_inverse_delta: Any) -> Any:
    """Return the epsilon of Lemma A.2: a^2/(2k(1-b)) + sqrt(2 a^2 L/(k(1-b)))."""
    a, b = x(eps0) * eps0.expm1(), -(-eps0).expm1()
    return drift_and_root(a**2 / (clients * (1 - b)), log_inverse_delta)


def printed_epsilon(eps0: Any, clients: Any, log_inverse_delta: Any) -> Any:
    r"""Return the epsilon of Theorems A.7 and 5.1: :math:`x^3 (x-1)^2/(2n) + x^{3/2} (x-1) \sqrt{2L/n}`."""
    less_one = eps0.expm1()
    root = (3 * eps0 / 2).exp() * less_one * (2 * log_inverse_delta / clients).sqrt()
    return (3 * eps0).exp() * less_one**2 / (2 * clients) + root


def printed_approximate(eps0: Any, clients: Any, log_inverse_delta: Any) -> Any:
    r"""Return the same epsilon for approximate randomizers, with the powers of :math:`e^{8 \epsilon_0}` written out."""
    less_one = (8 * eps0).expm1()
    root = (12 * eps0).exp() * less_one * (2 * log_inverse_delta / clients).sqrt()
    return (24 * eps0).exp() * less_one**2 / (2 * clients) + root


COMPOSITION = (
    overlapping_mixtures("A.7", f"{PROOF}, (13)"),
    weighted_mixtures("A.7", f"{PROOF}, (13), without loss of generality there"),
    Step(
        id="A.7/budget",
        name="budget of a place, in the form of Lemma A.2",
        statement=r"\log\left(1 + \frac{x^2 (x-1)}{x^2 + (i-1) + (n-i) x}\right)"
        r" \le \log\left(1 + \frac{x (x-1)}{n - (i-1)(1 - 1/x)}\right)",
        source=f"{PROOF}, after (13)",
        left=lambda eps0, clients, position: (envelope(eps0, clients, position) * eps0.expm1()).log1p(),
        right=lambda eps0, clients, position: growth(eps0, clients, position).log1p(),
        box=PLACES,
        premises=(at_most_clients("position"),),
        # Both sides are x(x-1) over denominators that differ by x - 1.
        margin=lambda eps0, clients, position: expm1_over(eps0),
        conditional=True,
    ),
    Measured(
        id="A.7/composition",
        name="heterogeneous composition",
        statement=r"\epsilon \le \sum_i \frac{(e^{\epsilon_i} - 1) \epsilon_i}{e^{\epsilon_i} + 1}"
        r" + \sqrt{2 L \sum_i \epsilon_i^2}",
        source=f"{PROOF}; Kairouz, Oh, Viswanath 2015, as quoted in (2)",
        points=tuple(
            {"clients": n, "eps0": eps0, "delta": delta} for n, eps0 in ((2, 0.5), (30, 1.0)) for delta in (1e-2, 1e-6)
        ),
        why="its left side is the exact epsilon of composed randomized responses, no elementary function",
        notes="Randomized response dominates every pure mechanism (Kairouz, Oh, Viswanath 2015).",
    ),
    drift("A.7", "Lemma A.2, proof, (5)"),
    square("A.7", "Lemma A.2, proof, (3)"),
    Step(
        id="A.7/integral",
        name="one term against the integral over its cell",
        statement=r"\frac{a^2}{(n - b(i-1))^2} \le \frac{a^2}{(n - b(i-1))(n - b i)}",
        source="Lemma A.2, proof, (4), at a = x(x-1), b = 1 - 1/x",
        left=lambda eps0, clients, position: growth(eps0, clients, position) ** 2,
        right=lambda eps0, clients, position: growth(eps0, clients, position) * growth(eps0, clients, position + 1),
        box=PLACES,
        premises=(at_most_clients("position"),),
        margin=lambda eps0, clients, position: expm1_over(-eps0),
        conditional=True,
        notes="The denominators differ by b.",
    ),
    Step(
        id="A.7/cells",
        name="the integral over a cell, as a difference",
        statement=r"\frac{a^2}{(n - b(i-1))(n - b i)} = \frac{a^2}b \left(\frac1{n - b i} - \frac1{n - b(i-1)}\right)",
        source="Lemma A.2, proof, (4)",
        left=lambda eps0, clients, position: growth(eps0, clients, position) * growth(eps0, clients, position + 1),
        right=lambda eps0, clients, position: (
            x(eps0) ** 2
            * eps0.expm1() ** 2
            / -(-eps0).expm1()
            * (1 / _left_over(eps0, clients, position + 1) - 1 / _left_over(eps0, clients, position))
        ),
        box={**PLACES, "eps0": Axis(1e-6, 20.0)},
        premises=(at_most_clients("position"),),
        notes="In the sum over i all but the ends cancel: a^2/b (1/(n - bn) - 1/n) = a^2/(n(1-b)).",
        equal=True,
    ),
    Measured(
        id="A.7/lemma-A.2",
        name="Lemma A.2",
        statement=r"\sum_i \frac{(e^{\epsilon_i} - 1) \epsilon_i}{e^{\epsilon_i} + 1} + \sqrt{2 L \sum_i \epsilon_i^2}"
        r" \le \frac{a^2}{2n(1-b)} + \sqrt{\frac{2 a^2 L}{n(1-b)}}",
        source="Lemma A.2, at a = x(x-1), b = 1 - 1/x, k = n",
        points=tuple(
            {"clients": n, "eps0": eps0, "delta": delta}
            for n in (1, 10, 1000)
            for eps0 in (0.01, 1.0, 8.0)
            for delta in (0.5, 1e-6)
        ),
        why="it is a sum of n terms; each is proved above",
    ),
    Step(
        id="A.7/final",
        name="final form",
        statement=r"\frac{a^2}{2n(1-b)} + \sqrt{\frac{2 a^2 L}{n(1-b)}}"
        r" = \frac{x^3 (x-1)^2}{2n} + x^{3/2} (x-1) \sqrt{\frac{2L}n}",
        source="Theorem A.7",
        left=lemma_bound,
        right=printed_epsilon,
        box={"eps0": EPS0, "clients": COUNT, "log_inverse_delta": LOG_INVERSE},
        equal=True,
    ),
)


def claim(prefix: str, source: str) -> Measured:
    """Return the measured step that holds the theorem against the certified epsilon of its protocol."""
    return Measured(
        id=f"{prefix}/claim",
        name="the theorem itself",
        statement=r"\epsilon(\delta) \le \frac{x^3 (x-1)^2}{2n} + x^{3/2} (x-1) \sqrt{\frac{2L}n}",
        source=source,
        points=tuple(
            {"clients": n, "eps0": eps0, "delta": delta}
            for n, eps0, delta in ((10, 0.1, 1e-6), (100, 1.0, 1e-2), (10_000, 0.1, 1e-6), (10_000, 2.0, 1e-6))
        ),
        why="its left side is a largest value over randomizers",
    )


def approximate(prefix: str, source: str) -> Step:
    """Return the step that writes out the pure form at 8 eps0."""
    return Step(
        id=f"{prefix}/pure",
        name="the pure form at 8 eps0",
        statement=r"\frac{X^3 (X-1)^2}{2n} + X^{3/2} (X-1) \sqrt{\frac{2L}n} = \frac{e^{24\epsilon_0}"
        r" (e^{8\epsilon_0} - 1)^2}{2n} + e^{12\epsilon_0} (e^{8\epsilon_0} - 1) \sqrt{\frac{2L}n},"
        r" \quad X = e^{8\epsilon_0}",
        source=source,
        left=lambda eps0, clients, log_inverse_delta: printed_epsilon(8 * eps0, clients, log_inverse_delta),
        right=printed_approximate,
        box={"eps0": EPS0, "clients": COUNT, "log_inverse_delta": LOG_INVERSE},
        notes="The randomizers that Lemma A.3 finds are 8 eps0-DP; its chain is that of lem-A.3.",
        equal=True,
    )


MISPRINT = "m for n, as printed"

# The steps for approximate randomizers.
REPLACED = union(
    "A.7-approx",
    "Theorem A.4, proof, (12), to which Theorem A.7's refers",
    {MISPRINT: lambda clients, tv, steps: steps * tv / clients},
)
PURE = approximate("A.7-approx", "Theorem A.7, second sentence")
BACK = return_to_original(
    "A.7-approx",
    "Theorem A.7, second sentence",
    {MISPRINT: lambda clients, delta1, epsilon, delta, steps: delta + steps * (epsilon.exp() + 1) * delta1},
)
PRINTED = printed_delta("A.7-approx", "Theorem A.7, second sentence", BACK)

CHAINS = (
    Chain(theorem="thm-A.7", steps=(*POSTERIOR, *COMPOSITION, claim("A.7", "Theorem A.7"))),
    Chain(theorem="thm-A.7-approx", steps=(REPLACED, PURE, BACK)),
    Chain(theorem="thm-A.7-approx-printed", steps=(REPLACED, PURE, BACK, PRINTED)),
)
