r"""Averaged updates: Theorem 4.1 of Balle et al. (2020), and its form for approximate randomizers.

n is ``clients``, m is ``steps``, x stands for :math:`e^{\epsilon_0}`, L for :math:`\log(1/\delta)`.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Measured, Step
from ...shared_steps import COUNT, ENUMERATION_NOTE, LOG_INVERSE
from .swap_bins import AXES, approximate, swapped_into_bins
from .swapping_chain import printed_epsilon

LOAD_BOX = {"clients": COUNT, "steps": COUNT, "log_inverse_delta2": LOG_INVERSE}


def share(clients: Any, steps: Any, log_inverse_delta2: Any) -> Any:
    r"""Return :math:`\epsilon_1 = \sqrt{1/n + 1/m} + \sqrt{\log(1/\delta_2)/n}`."""
    return (1 / clients + 1 / steps).sqrt() + (log_inverse_delta2 / clients).sqrt()


def averaging_epsilon(eps0: Any, clients: Any, steps: Any, log_inverse_delta: Any, log_inverse_delta2: Any) -> Any:
    """Return the epsilon of Theorem 4.1 as printed."""
    epsilon1, less_one = share(clients, steps, log_inverse_delta2), eps0.expm1()
    root = epsilon1 * (2 * eps0).exp() * less_one * (2 * log_inverse_delta).sqrt()
    return (4 * eps0).exp() * less_one**2 * epsilon1**2 / 2 + root


def averaged_approximate(eps0: Any, clients: Any, steps: Any, log_inverse_delta: Any, log_inverse_delta2: Any) -> Any:
    """Return the epsilon of Theorem 4.1 for approximate randomizers, with the powers of e^(8 eps0) written out."""
    epsilon1, less_one = share(clients, steps, log_inverse_delta2), (8 * eps0).expm1()
    root = epsilon1 * (16 * eps0).exp() * less_one * (2 * log_inverse_delta).sqrt()
    return (32 * eps0).exp() * less_one**2 * epsilon1**2 / 2 + root


AVERAGING_STEPS = (
    Measured(
        id="4.1/permutation",
        name="bins in a random order, conditioned on the loads",
        statement=r"\mathrm{Law}(A_{avg}(D) \mid L = \ell) = \mathrm{Law}(A_{bin}(\pi(D), \ell))",
        source="Section A.2, first paragraph",
        points=tuple({"clients": n, "steps": m, "ones": ones} for n, m in ((2, 2), (4, 2), (4, 3)) for ones in (1, n)),
        why=ENUMERATION_NOTE,
        notes=(
            "The number is the total variation distance of the two laws, which is 0. The chain of thm-5.1 leads from a "
            "permutation to a swap."
        ),
    ),
    Step(
        id="4.1/tail",
        name="bins larger than usual",
        statement=r"\frac{\sqrt{n + n^2/m}}n \le \frac{\sqrt{n + n^2/m} + \sqrt{n \log(1/\delta_2)}}n",
        source="Section A.2, last display",
        left=lambda clients, steps, log_inverse_delta2: (clients + clients**2 / steps).sqrt() / clients,
        right=lambda clients, steps, log_inverse_delta2: (
            ((clients + clients**2 / steps).sqrt() + (clients * log_inverse_delta2).sqrt()) / clients
        ),
        box=LOAD_BOX,
        margin=lambda clients, steps, log_inverse_delta2: log_inverse_delta2,
        notes="This is the cost of delta2: shuffling, of which averaging is a post-processing, has no such term.",
    ),
    Step(
        id="4.1/scaled",
        name="share of the largest bins",
        statement=r"\frac{\sqrt{n + n^2/m} + \sqrt{n \log(1/\delta_2)}}n"
        r" = \epsilon_1 = \sqrt{\frac1n + \frac1m} + \sqrt{\frac{\log(1/\delta_2)}n}",
        source="Section A.2, last display",
        left=lambda clients, steps, log_inverse_delta2: (
            ((clients + clients**2 / steps).sqrt() + (clients * log_inverse_delta2).sqrt()) / clients
        ),
        right=share,
        box=LOAD_BOX,
        equal=True,
    ),
    Step(
        id="4.1/final",
        name="final form",
        statement=r"\frac{(n\epsilon_1)^2 x^4 (x-1)^2}{2n^2} + \frac{n\epsilon_1 x^2 (x-1)}n \sqrt{2L}"
        r" = \frac{x^4 (x-1)^2 \epsilon_1^2}2 + \epsilon_1 x^2 (x-1) \sqrt{2L}",
        source="Theorem 4.1",
        left=lambda eps0, clients, steps, log_inverse_delta, log_inverse_delta2: swapped_into_bins(
            eps0, clients, clients * share(clients, steps, log_inverse_delta2), log_inverse_delta
        ),
        right=averaging_epsilon,
        box={**AXES, **LOAD_BOX},
        equal=True,
    ),
    Step(
        id="4.1/bad-loads",
        name="the event of larger bins in delta",
        statement=r"\delta_2 + (1 - \delta_2) \delta \le \delta + \delta_2",
        source="Section A.2, last paragraph",
        left=lambda delta, delta2: delta2 + (1 - delta2) * delta,
        right=lambda delta, delta2: delta + delta2,
        box={"delta": Axis(0.0, 1.0), "delta2": Axis(0.0, 1.0)},
        margin=lambda delta, delta2: delta * delta2,
    ),
    Step(
        id="4.1/shuffling",
        name="the bound of shuffling alone, without delta2",
        statement=r"\frac{x^3 (x-1)^2}{2n} + x^{3/2} (x-1) \sqrt{\frac{2L}n}"
        r" \le \frac{x^4 (x-1)^2 \epsilon_1^2}2 + \epsilon_1 x^2 (x-1) \sqrt{2L}",
        source="Theorems 5.1 and 4.1; not in the paper",
        left=lambda eps0, clients, steps, log_inverse_delta, log_inverse_delta2: printed_epsilon(
            eps0, clients, log_inverse_delta
        ),
        right=averaging_epsilon,
        box={**AXES, **LOAD_BOX},
        # Both sides are s^2/2 + s sqrt(2L); s is larger on the right by sqrt(x) (sqrt(1 + n/m) + sqrt(log 1/delta2)).
        margin=lambda eps0, clients, steps, log_inverse_delta, log_inverse_delta2: (
            (eps0 / 2).exp() * (1 + clients / steps).sqrt() - 1
        ),
        notes="A slot's average is a function of its answers: Theorem 5.1 holds for averaging as it stands.",
    ),
    Measured(
        id="4.1/claim",
        name="the theorem itself",
        statement=r"\epsilon(\delta + \delta_2) \le \frac{x^4 (x-1)^2 \epsilon_1^2}2 + \epsilon_1 x^2 (x-1) \sqrt{2L}",
        source="Theorem 4.1, delta = delta2",
        points=tuple(
            {"clients": n, "steps": m, "eps0": eps0, "delta": 1e-6}
            for n, m, eps0 in ((100, 10, 0.1), (10_000, 100, 1.0), (10_000, 10_000, 1.0))
        ),
        why="its left side is a largest value over randomizers",
        notes="The parameter delta is the sum of the theorem's delta and delta2.",
    ),
)

PURE = Step(
    id="4.1-approx/pure",
    name="the pure form at 8 eps0",
    statement=r"\frac{X^4 (X-1)^2 \epsilon_1^2}2 + \epsilon_1 X^2 (X-1) \sqrt{2L} "
    r" = \frac{e^{32\epsilon_0} (e^{8\epsilon_0} - 1)^2 \epsilon_1^2}2"
    r" + e^{16\epsilon_0} (e^{8\epsilon_0} - 1) \epsilon_1 \sqrt{2L},"
    r" \quad X = e^{8\epsilon_0}",
    source="Theorem 4.1, last sentence",
    left=lambda eps0, clients, steps, log_inverse_delta, log_inverse_delta2: averaging_epsilon(
        8 * eps0, clients, steps, log_inverse_delta, log_inverse_delta2
    ),
    right=averaged_approximate,
    box={**AXES, **LOAD_BOX},
    equal=True,
)

# The steps for approximate randomizers; the step to the pure form stands after the first.
APPROXIMATE = approximate("4.1-approx", "Theorem 4.1, last sentence")

CHAINS = (
    Chain(theorem="thm-4.1", steps=AVERAGING_STEPS),
    Chain(theorem="thm-4.1-approx-proof", steps=(APPROXIMATE[0], PURE, APPROXIMATE[1])),
    Chain(theorem="thm-4.1-approx", steps=(APPROXIMATE[0], PURE, *APPROXIMATE[1:])),
)
