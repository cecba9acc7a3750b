r"""Averages over bins after a random swap: Theorem A.5 of Balle et al. (2020), and its approximate form.

n is ``clients``, :math:`\ell_i` is ``load``, :math:`\|\ell\|_2` is ``bin_norm``, x stands for :math:`e^{\epsilon_0}`
and L for :math:`\log(1/\delta)`.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Measured, Step
from ...removable_quotients import expm1_over
from ...shared_steps import (
    COUNT,
    ENUMERATION_NOTE,
    EPS0,
    LOG_INVERSE,
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

PROOF = "Theorem A.5, proof"
AXES = {"eps0": EPS0, "log_inverse_delta": LOG_INVERSE}
OTHERS = Axis(0.0, 1e12)


def by_likelihoods(eps0: Any, load: Any, before: Any, after: Any) -> Any:
    r"""Return :math:`\ell_i/(\ell_i + x^{-2} \sum_{k<i} \ell_k + x^{-1} \sum_{k>i} \ell_k)`."""
    return load / (load + before / x(eps0) ** 2 + after / x(eps0))


def _squares(eps0: Any, clients: Any, bin_norm: Any) -> Any:
    r"""Return :math:`\sum_i y_i^2` with :math:`y_i = x^2 (x-1) \ell_i/n`."""
    return (x(eps0) ** 2 * eps0.expm1()) ** 2 * bin_norm**2 / clients**2


def swapped_into_bins(eps0: Any, clients: Any, bin_norm: Any, log_inverse_delta: Any) -> Any:
    """Return the epsilon of Theorem A.5 as printed."""
    less_one = eps0.expm1()
    root = bin_norm * (2 * eps0).exp() * less_one / clients * (2 * log_inverse_delta).sqrt()
    return bin_norm**2 * (4 * eps0).exp() * less_one**2 / (2 * clients**2) + root


SIZES = tuple(
    {"first": a, "second": b, "third": c}
    for a, b, c in ((1, 1, 0), (1, 2, 0), (2, 1, 0), (2, 2, 0), (1, 1, 2), (2, 1, 2))
)

BINS = (
    Measured(
        id="A.5/bins",
        name="the user's record in place of one of the slot's bin",
        statement=r"\Pr[A^{(i)}(\theta_i; \tilde D_i) = \theta \mid \theta_{1:i}]"
        r" = \Pr[B^{(i)}(\theta_{1:i}; D) = \theta]",
        source=f"{PROOF}, first display",
        points=SIZES,
        why=ENUMERATION_NOTE,
        notes=(
            "The number is the largest total variation distance of the outputs, over all records that are bits; "
            "e^eps0 = 3. The first bin reveals something about the record that was swapped out, so this record is not "
            "uniform in its bin; and a first bin without the user holds the client with whom she was swapped. The next "
            "steps need neither."
        ),
    ),
    Measured(
        id="A.5/posterior",
        name="posterior of a bin",
        statement=r"p_i \le \frac{\ell_i}{\ell_i + x^{-2} \sum_{k<i} \ell_k + x^{-1} \sum_{k>i} \ell_k}",
        source=f"{PROOF}, second and third display",
        points=tuple({**at, "bin_": place} for at in SIZES for place in range(1, 3 if at["third"] else 2)),
        why=ENUMERATION_NOTE,
        notes="Each record has binary randomized response, and the sum of a bin is released; e^eps0 = 3.",
    ),
    Step(
        id="A.5/envelope",
        name="posterior envelope",
        statement=r"\frac{\ell_i}{\ell_i + x^{-2} \sum_{k<i} \ell_k + x^{-1} \sum_{k>i} \ell_k} \le \frac{x^2 \ell_i}n",
        source=f"{PROOF}, third display",
        left=by_likelihoods,
        right=lambda eps0, load, before, after: x(eps0) ** 2 * load / (load + before + after),
        box={"eps0": EPS0, "load": COUNT, "before": OTHERS, "after": OTHERS},
        # The denominators, times x^2, differ by (x - 1)((x + 1) load + after).
        margin=lambda eps0, load, before, after: expm1_over(eps0) * ((x(eps0) + 1) * load + after),
        notes=(
            "before and after are the numbers of clients in the bins on either side. The decay of Theorem A.7's "
            "posterior is lost."
        ),
    ),
    overlapping_mixtures("A.5", f"{PROOF}, after the third display"),
    weighted_mixtures("A.5", f"{PROOF}, after the third display, omitted in the text"),
    Measured(
        id="A.5/composition",
        name="heterogeneous composition",
        statement=r"\epsilon \le \sum_i \frac{(e^{\epsilon_i} - 1) \epsilon_i}{e^{\epsilon_i} + 1}"
        r" + \sqrt{2 L \sum_i \epsilon_i^2}, \quad \epsilon_i = \log(1 + x^2 (x-1) \ell_i/n)",
        source=f"{PROOF}, last display; Kairouz, Oh, Viswanath 2015",
        points=tuple(
            {"bins": bins, "eps0": eps0, "delta": delta}
            for bins in (1, 2, 5, 8)
            for eps0 in (0.1, 0.5)
            for delta in (0.1, 1e-3)
        ),
        why="its left side is the delta of composed randomized responses, outcome by outcome",
        notes=(
            "The bins have 1, 2, 3, ... clients; the delta of the composition at the epsilon on the right is compared "
            "with delta."
        ),
    ),
    drift("A.5", f"{PROOF}, last display"),
    square("A.5", f"{PROOF}, last display"),
    Step(
        id="A.5/final",
        name="final form",
        statement=r"\frac S2 + \sqrt{2 L S} = \frac{\|\ell\|_2^2 x^4 (x-1)^2}{2n^2}"
        r" + \frac{\|\ell\|_2 x^2 (x-1)}n \sqrt{2L}, \quad S = \sum_i \frac{x^4 (x-1)^2 \ell_i^2}{n^2}",
        source="Theorem A.5",
        left=lambda eps0, clients, bin_norm, log_inverse_delta: drift_and_root(
            _squares(eps0, clients, bin_norm), log_inverse_delta
        ),
        right=swapped_into_bins,
        box={**AXES, "clients": COUNT, "bin_norm": COUNT},
        equal=True,
    ),
    Measured(
        id="A.5/claim",
        name="the theorem itself, bins of one client",
        statement=r"\epsilon(\delta) \le \frac{x^4 (x-1)^2}{2n} + \frac{x^2 (x-1)}{\sqrt n} \sqrt{2L}",
        source="Theorem A.5 at bins of one",
        points=tuple({"clients": n, "eps0": eps0, "delta": 1e-6} for n, eps0 in ((10, 0.1), (100, 1.0), (10_000, 2.0))),
        why="its left side is a largest value over randomizers",
        notes="Larger bins release less.",
    ),
)

# The name of the reading in which m counts slots, each of which may have many calls of a randomizer.
SLOTS = "m, slots"


def approximate(prefix: str, source: str) -> tuple[Step, Step, Step]:
    """Return the steps that replace randomizers by pure ones: their cost, and the cost as it is printed."""
    back = return_to_original(prefix, source)
    union_step = union(
        prefix, f"{source}; Theorem A.4, proof, (12)", {SLOTS: lambda clients, tv, steps: steps * tv / clients}
    )
    return union_step, back, printed_delta(prefix, source, back)


def swapped_into_bins_approximate(eps0: Any, clients: Any, bin_norm: Any, log_inverse_delta: Any) -> Any:
    """Return the epsilon of Theorem A.5 for approximate randomizers, with the powers of e^(8 eps0) written out."""
    less_one = (8 * eps0).expm1()
    root = bin_norm * (16 * eps0).exp() * less_one / clients * (2 * log_inverse_delta).sqrt()
    return bin_norm**2 * (32 * eps0).exp() * less_one**2 / (2 * clients**2) + root


PURE = Step(
    id="A.5-approx/pure",
    name="the pure form at 8 eps0",
    statement=r"\frac{\|\ell\|_2^2 X^4 (X-1)^2}{2n^2} + \frac{\|\ell\|_2 X^2 (X-1)}n \sqrt{2L}"
    r" = \frac{\|\ell\|_2^2 e^{32\epsilon_0} (e^{8\epsilon_0} - 1)^2}{2n^2}"
    r" + \frac{\|\ell\|_2 e^{16\epsilon_0} (e^{8\epsilon_0} - 1)}n \sqrt{2L}, \quad X = e^{8\epsilon_0}",
    source="Theorem A.5, second sentence",
    left=lambda eps0, **at: swapped_into_bins(8 * eps0, **at),
    right=swapped_into_bins_approximate,
    box={**AXES, "clients": COUNT, "bin_norm": COUNT},
    notes="The randomizers that Lemma A.3 finds are 8 eps0-DP; its chain is that of lem-A.3.",
    equal=True,
)

# The steps for approximate randomizers; the step to the pure form stands after the first.
APPROXIMATE = approximate("A.5-approx", "Theorem A.5, second sentence")

CHAINS = (
    Chain(theorem="thm-A.5", steps=BINS),
    Chain(theorem="thm-A.5-approx", steps=(APPROXIMATE[0], PURE, APPROXIMATE[1])),
    Chain(theorem="thm-A.5-approx-printed", steps=(APPROXIMATE[0], PURE, *APPROXIMATE[1:])),
)
