r"""Girgis et al. (2021), Section 5.1: the definitions and lemmas on which Theorem 3.6 rests.

F(P) is the law of the histogram of answers of clients with the laws P, :math:`P_C` is P with the laws of the clients in
C made equal to the last one's on the neighbour, and those of the others replaced by their rests.
"""

from __future__ import annotations

from ..remark import Remark
from .renyi_of_shuffling import source_at

MOMENT = r"E_{F(P')} \left(\frac{F(P)}{F(P')}\right)^\lambda"
ONE_LESS = r"E_{F(P'_{-i})} \left(\frac{F(P_{-i})}{F(P'_{-i})}\right)^\lambda"
SPLIT = r"E_{F(P'_C)} \left(\frac{F(P_C)}{F(P'_C)}\right)^\lambda"

REMARKS = (
    Remark(
        id="girgis-17",
        kind="definition",
        title="The law of the histogram of answers",
        statement=r"F(P)(h) = \sum_{(U_1, \dots, U_B)} \prod_j \prod_{i \in U_j} p_{ij}",
        source=source_at("Section 5.1, (16) and (17)"),
        theorems=("girgis-5.1", "girgis-3.6"),
        notes="The sum is over all ways to say who gives which of B answers, where h_j clients give answer j.",
    ),
    Remark(
        id="girgis-18",
        kind="section",
        title="Every client's law as a mixture with the last one's",
        statement=r"p_i = q p'_n + (1 - q) \tilde p_i, \quad q = e^{-\epsilon_0}",
        source=source_at("Section 5.1, (18)"),
        notes="The budget must be positive: at eps0 = 0 there is no rest.",
    ),
    Remark(
        id="girgis-5.1",
        kind="lemma",
        title="Mixture interpretation of the shuffled laws",
        statement=r"F(P) = \sum_{C \subseteq \{1, \dots, n-1\}} q^{|C|} (1-q)^{n-1-|C|} F(P_C)",
        source=source_at("Lemma 5.1, (22) and (23)"),
    ),
    Remark(
        id="girgis-5.2",
        kind="lemma",
        title="Joint convexity of the moment of two laws",
        statement=MOMENT + r" \le \sum_C q^{|C|} (1-q)^{n-1-|C|} " + SPLIT + r", \quad \lambda > 1",
        source=source_at("Lemma 5.2, (24)"),
        notes="For orders below 1 the inequality reverses.",
    ),
    Remark(
        id="girgis-5.3",
        kind="lemma",
        title="Monotonicity in the clients that both lists have",
        statement=MOMENT + r" \le " + ONE_LESS + r", \quad i \le n - 1",
        source=source_at("Lemma 5.3, (25)"),
        notes="It holds for any laws, and is false of i = n, the client in which the lists differ.",
    ),
    Remark(
        id="girgis-5.4",
        kind="corollary",
        title="Leaving out all clients but the equal ones",
        statement=SPLIT + r" \le E_{M(D'_{m+1})} \left(\frac{M(D_{m+1})}{M(D'_{m+1})}\right)^\lambda, \quad m = |C|",
        source=source_at("Corollary 5.4, (26)"),
    ),
    Remark(
        id="girgis-rounds",
        kind="figure",
        title="Epsilon of repeated shuffles by Renyi divergences",
        statement=r"n = 10^6, 10^7, \quad \epsilon_0 = 3, \quad \delta = 10^{-8}",
        source=source_at("figure on the page of Section 5.1"),
        theorems=("girgis-ub1", "girgis-lb"),
        notes=(
            "It shows the first upper bound and the lower bound, converted to (epsilon, delta), beside clones with "
            "strong composition, for up to 10^6 rounds. pldcheck compare rounds draws it, with the truth."
        ),
    ),
)
