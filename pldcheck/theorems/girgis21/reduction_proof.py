r"""Girgis et al. (2021), Section 5.1: the proof of Theorem 3.6, with its lemmas.

:math:`p_i` is the law of client i's answer, :math:`p'_n` that of the last client on the neighbour, F(P) the law of the
histogram of answers; x stands for :math:`e^{\epsilon_0}`, q for :math:`1/x`, :math:`\lambda` is ``order``.  In the
measured steps the randomizers are rational tables at x = 3: ``kind`` 0 is binary response, 1 is ternary response, 2 is
a table of three rows of which the third is uniform, and 3 one of four outputs.  Every list of records is tried.
"""

from __future__ import annotations

from typing import Any

from ..proof_step import Axis, Chain, Measured, Premise, Step
from ..removable_quotients import log1p_remainder
from ..shared_steps import ENUMERATION_NOTE, EPS0, SHARE

SECTION = "Section 5.1"
# The exponent s of a likelihood ratio x^s.
TILT = Axis(-1.0, 1.0)
# Positive budgets: at eps0 = 0 the share 1 - q of the rest is 0, and the rest is not defined.
POSITIVE = Axis(1e-9, 20.0, "log")
# A ratio less one, on either side of 0.
GROWTH = Axis(-0.999999, 1e6)
# The share of a part in a sum.
PART = Axis(0.001, 0.999)
# Orders on both sides of 1, where the lemma begins to hold.
ORDER = Axis(0.1, 64.0)
# The tables of the enumerations.
KINDS = (0, 1, 2, 3)
# Numbers of clients and kinds that are enumerated within a second.
SMALL = tuple({"clients": n, "kind": kind} for n in (1, 2, 3) for kind in KINDS)
# The same at orders that are integers, for which both sides are rational.
AT_ORDERS = tuple({**at, "order": order} for at in SMALL for order in (2, 5))
# What the numbers of a measured inequality are, which has two sides for every list of records.
QUOTIENT_NOTE = "The numbers are the largest quotient of the sides over all records, and 1."


def rest(one: Any, other: Any, eps0: Any) -> Any:
    r"""Return the law of the rest at an outcome: :math:`(p - q p')/(1 - q)`."""
    return (one - other * (-eps0).exp()) / -(-eps0).expm1()


MIXTURE = (
    Step(
        id="girgis-18/positive",
        name="the rest is not negative",
        statement=r"q p'_{nj} \le p_{ij}, \quad \frac{p_{ij}}{p'_{nj}} = x^s, \quad -1 \le s \le 1",
        source=f"{SECTION}, (18) and the display before it",
        left=lambda eps0, tilt: (-eps0).exp(),
        right=lambda eps0, tilt: (tilt * eps0).exp(),
        box={"eps0": EPS0, "tilt": TILT},
        margin=lambda eps0, tilt: 1 + tilt,
        notes="s is the parameter tilt; both sides are divided by p'_{nj}.",
    ),
    Step(
        id="girgis-18/sum",
        name="the rest sums to one",
        statement=r"\frac{p - q p'}{1 - q} + \frac{(1 - p) - q (1 - p')}{1 - q} = 1",
        source=f"{SECTION}, (18)",
        left=lambda eps0, one, other: rest(one, other, eps0) + rest(1 - one, 1 - other, eps0),
        right=lambda eps0, one, other: 1 + 0 * eps0,
        box={"eps0": POSITIVE, "one": SHARE, "other": SHARE},
        equal=True,
        notes="p is the probability one of a set of outputs, p' is other.",
    ),
    Step(
        id="girgis-18/mixture",
        name="the mixture",
        statement=r"q p' + (1 - q) \frac{p - q p'}{1 - q} = p",
        source=f"{SECTION}, (18)",
        left=lambda eps0, one, other: (-eps0).exp() * other - (-eps0).expm1() * rest(one, other, eps0),
        right=lambda eps0, one, other: one,
        box={"eps0": POSITIVE, "one": SHARE, "other": SHARE},
        equal=True,
        notes="p is the parameter one, p' is other.",
    ),
)

HISTOGRAMS = Measured(
    id="girgis-17/law",
    name="the law of the histogram",
    statement=r"F(P)(h) = \sum_{(U_1, \dots, U_B)} \prod_j \prod_{i \in U_j} p_{ij} = \Pr[M(D) = h]",
    source=f"{SECTION}, (17)",
    points=SMALL,
    why=ENUMERATION_NOTE,
    notes="The number is the largest total variation distance over all records, which is 0.",
)

CONVEX_COMBINATION = Measured(
    id="girgis-5.1/mixture",
    name="both laws as mixtures over the clients that are made equal",
    statement=r"F(P) = \sum_{C \subseteq [n-1]} q^{|C|} (1-q)^{n-1-|C|} F(P_C)",
    source="Lemma 5.1, (22) and (23)",
    points=SMALL,
    why=ENUMERATION_NOTE,
    notes="The number is the largest total variation distance over all records, which is 0; so for P and for P'.",
)

LOGARITHM = Step(
    id="girgis-5.2/logarithm",
    name="the logarithm is below its tangent",
    statement=r"\log(1 + z) \le z",
    source="Lemma 5.2; its proof, in Appendix B.2, was not read",
    left=lambda growth: growth.log1p(),
    right=lambda growth: growth,
    box={"growth": GROWTH},
    margin=lambda growth: log1p_remainder(growth),
    notes=(
        "z is the parameter growth. With z = r^(order - 1) - 1 it gives r^order >= r (1 + (order - 1) log r), and with "
        "z = 1/r - 1 that the mean of r log r is not negative where the mean of r is 1."
    ),
)

TWO_PARTS = Step(
    id="girgis-5.2/two",
    name="the moment of two parts",
    statement=r"1 \le u^\lambda v^{1-\lambda} + (1 - u)^\lambda (1 - v)^{1-\lambda}, \quad \lambda \ge 1",
    source="Lemma 5.2; its proof, in Appendix B.2, was not read",
    left=lambda one, other, order: 1 + 0 * order,
    right=lambda one, other, order: (
        (order * one.log() + (1 - order) * other.log()).exp()
        + (order * (-one).log1p() + (1 - order) * (-other).log1p()).exp()
    ),
    box={"one": PART, "other": PART, "order": ORDER},
    premises=(Premise("order >= 1", lambda one, other, order: 1 - order),),
    # By the step before, for orders above 1; below 1 the function is concave, and the inequality reverses.
    margin=lambda one, other, order: order - 1,
    notes=(
        "Of a sum of two parts, u (the parameter one) and v (other) are the first part's shares in the numerator and "
        "the denominator: the sum of both moments is at least that of the sums, and more parts follow one by one."
    ),
)

JOINT_CONVEXITY = Measured(
    id="girgis-5.2/convex",
    name="the moment is at most the mixture of moments",
    statement=(
        r"E_{F(P')} \left(\frac{F(P)}{F(P')}\right)^\lambda \le \sum_C q^{|C|} (1-q)^{n-1-|C|}"
        r" E_{F(P'_C)} \left(\frac{F(P_C)}{F(P'_C)}\right)^\lambda"
    ),
    source="Lemma 5.2, (24)",
    points=AT_ORDERS,
    why=ENUMERATION_NOTE,
    notes=QUOTIENT_NOTE,
)

ONE_MORE = Measured(
    id="girgis-5.3/one-more",
    name="one client more is one answer added to the histogram",
    statement=r"F(P)(h) = \sum_j p_{ij} F(P_{-i})(h - e_j), \quad i \le n - 1",
    source="Lemma 5.3; its proof, in Appendix B.3, was not read",
    points=tuple(at for at in SMALL if at["clients"] > 1),
    why=ENUMERATION_NOTE,
    notes=(
        "The number is the largest total variation distance, which is 0. Each summand has the quotient of F(P_{-i}) "
        "and F(P'_{-i}), so the lemma follows by the inequality of two or more parts."
    ),
)

MONOTONE = Measured(
    id="girgis-5.3/monotone",
    name="leaving out a client that both lists have",
    statement=(
        r"E_{F(P')} \left(\frac{F(P)}{F(P')}\right)^\lambda \le E_{F(P'_{-i})}"
        r" \left(\frac{F(P_{-i})}{F(P'_{-i})}\right)^\lambda, \quad i \le n - 1"
    ),
    source="Lemma 5.3, (25)",
    points=tuple(at for at in AT_ORDERS if at["clients"] > 1),
    why=ENUMERATION_NOTE,
    notes=f"{QUOTIENT_NOTE} The last client, in which the lists differ, cannot be left out.",
)

ONLY_EQUAL = Measured(
    id="girgis-5.4/equal",
    name="leaving out all clients but the equal ones",
    statement=(
        r"E_{F(P'_C)} \left(\frac{F(P_C)}{F(P'_C)}\right)^\lambda \le E_{M(D'_{m+1})}"
        r" \left(\frac{M(D_{m+1})}{M(D'_{m+1})}\right)^\lambda, \quad m = |C|"
    ),
    source="Corollary 5.4, (26)",
    points=AT_ORDERS,
    why=ENUMERATION_NOTE,
    notes=f"{QUOTIENT_NOTE} Every set C is tried.",
)

REDUCED = Measured(
    id="girgis-3.6/reduction",
    name="the theorem itself, small cases",
    statement=(
        r"E_{M(D')} \left(\frac{M(D)}{M(D')}\right)^\lambda \le \sum_{m=0}^{n-1} \binom{n-1}{m} q^m (1-q)^{n-1-m}"
        r" E_{M(D'_{m+1})} \left(\frac{M(D_{m+1})}{M(D'_{m+1})}\right)^\lambda"
    ),
    source=f"{SECTION}, last displays; Theorem 3.6",
    points=AT_ORDERS,
    why=ENUMERATION_NOTE,
    notes=f"{QUOTIENT_NOTE} With one client both sides are the same.",
)

CONVEXITY = (LOGARITHM, TWO_PARTS, JOINT_CONVEXITY)
MONOTONICITY = (ONE_MORE, LOGARITHM, TWO_PARTS, MONOTONE)

CHAINS = (
    Chain("girgis-18", MIXTURE, "Every client's law as a mixture with the last one's"),
    Chain("girgis-5.1", (HISTOGRAMS, *MIXTURE, CONVEX_COMBINATION), "Mixture interpretation of the shuffled laws"),
    Chain("girgis-5.2", CONVEXITY, "Joint convexity of the moment of two laws"),
    Chain("girgis-5.3", MONOTONICITY, "Monotonicity in the clients that both lists have"),
    Chain("girgis-5.4", (*MONOTONICITY, ONLY_EQUAL), "Leaving out all clients but the equal ones"),
    Chain(
        "girgis-3.6",
        (HISTOGRAMS, *MIXTURE, CONVEX_COMBINATION, *CONVEXITY, ONE_MORE, MONOTONE, ONLY_EQUAL, REDUCED),
    ),
)
