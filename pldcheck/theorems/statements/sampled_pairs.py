"""Statements on mechanisms that run on a random sample of the records."""

from __future__ import annotations

from ..statement import Statement
from ..theorem import Source
from .composed_pairs import ZHU_TITLE, ZHU_URL

STATEMENTS = (
    Statement(
        id="poisson-sampling",
        sentence=(
            "If (P, Q) dominates a mechanism when a record is removed, ((1-r) Q + r P, Q) does so on Poisson "
            "samples of rate r, and the reverse pair when it is added."
        ),
        statement=(
            "Each record is in the sample S with probability r, independently, and a mechanism M runs on S. If (P, "
            "Q) dominates the pair of M(S with d) and M(S) for every S without d, then ((1-r) Q + r P, Q) dominates "
            "the pair of the laws with and without d in the data set, and (Q, (1-r) Q + r P) dominates the pair in "
            "the other order. Its curve is r H(1 + (κ-1)/r; P, Q) for κ ≥ 1 - r, and 1 - κ below."
        ),
        conditions=(
            "0 < r ≤ 1; the sample is drawn anew in every run, and not released.",
            "One record is added to the data set or removed from it. In a composition it is removed from the data "
            "of all runs, or added to them: the two orders are composed each for itself.",
        ),
        proof=(
            "Let S be the sample of the other records, which has one law on both sides, and given it A = M(S with "
            "d), B = M(S). Without d the output has the law B; with d it has (1-r) B + r A, as d joins S with "
            "probability r, independently of S.",
            "For an event E, (1-r) B(E) + r A(E) - κ B(E) = r A(E) - (κ - 1 + r) B(E). For κ > 1 - r its supremum "
            "is r H(1 + (κ-1)/r; A, B), which is at most the same with (P, Q); for κ ≤ 1 - r it is 1 - κ for the "
            "event of all outputs, as for (P, Q). So ((1-r) Q + r P, Q) dominates the pair given S.",
            "By curves (d) the curve over all S is at most the mean of those given S. Curves (b) is the other order.",
            "Given any past outputs, the sample of the next run is fresh, so that composed-pairs applies to both "
            "orders, one by one.",
        ),
        uses=("curves", "composed-pairs"),
        source=Source("Zhu22", ZHU_TITLE, "on dominating pairs of sampled mechanisms", ZHU_URL),
    ),
    Statement(
        id="fixed-size-sampling",
        sentence=(
            "On samples of a share r without replacement, a replaced record's curve is at most that of ((1-r) Q + r "
            "P, Q) from epsilon = 0 on, and that of the reverse pair below."
        ),
        statement=(
            "A sample of k of n records is drawn uniformly without replacement, k ≤ rn, and a mechanism M runs on "
            "it. If (P, Q) dominates the pair of M(S) and M(S') for all samples S, S' of k records that differ in "
            "one record, then for two data sets that differ in one record the curve of the outputs is at most F(κ) "
            "= H(κ; (1-r) Q + r P, Q) for κ ≥ 1, and at most F(κ) = H(κ; Q, (1-r) Q + r P) for κ ≤ 1. If -L under Q "
            "has the law that L has under P, then F is the curve of a pair: its losses above 0 are those of the "
            "first pair, its losses below 0 are those of the second, and the rest of both laws has the loss 0."
        ),
        conditions=(
            "0 < r ≤ 1; the sample is drawn anew in every run, and not released.",
            "One record is replaced by another. S and S' may differ in any record, also in one that both data sets "
            "have.",
        ),
        proof=(
            "Let d be replaced by d', and g = k/n, the probability that d's place is in the sample. Let W be the "
            "law of the output given that it is not, A and A' those given that it is, with d and with d'. The "
            "outputs have the laws (1-g) W + g A and (1-g) W + g A'.",
            "Let κ ≥ 1, κ₁ = 1 + (κ-1)/g and β = κ/κ₁ ≤ 1. Then (1-g) W + g A - κ ((1-g) W + g A') = g [β (A - κ₁ "
            "A') + (1-β) (A - κ₁ W)], as g β κ₁ = g κ and g (1-β) κ₁ = (1-g) (κ-1). So the curve at κ is at most g "
            "[β H(κ₁; A, A') + (1-β) H(κ₁; A, W)].",
            "A and A' are the means of M(S) and M(S') over a sample S with d and S', where d' stands for d: at most "
            "H(κ₁; P, Q) by curves (d). W is the mean of M over S', where a uniformly chosen record that is not in "
            "S stands for d: all samples without d's place are equally likely. So H(κ₁; A, W) ≤ H(κ₁; P, Q) as well.",
            "Hence the curve is at most g H(1 + (κ-1)/g; P, Q), whose derivative in g is H - (κ₁ - 1) H' ≥ 0, as H "
            "falls. So g may be replaced by r, and that is F(κ).",
            "For κ < 1 exchange the data sets: by curves (b) the curve is at most 1 - κ + κ F(1/κ) = H(κ; Q, (1-r) "
            "Q + r P).",
            "For the last sentence let p and q be the P- and Q-probability that L > 0; then q ≤ p, and q is the "
            "P-probability that L < 0, so p + q ≤ 1. F is convex with slopes from -1 to 0 on either side of 1, and "
            "continuous there by curves (b). Its slope is -q on the right of 1, and -(1 - (1-r) q - r p) on the "
            "left. As (2-r) q + r p = 2 (1-r) q + r (p + q) ≤ (1-r) (p + q) + r (p + q) ≤ 1, the left slope is not "
            "above the right one: F is convex, and the curve of a pair by curves (e). The masses at losses above ε "
            "are determined by the curve at and after e^ε, those below by the curve before.",
        ),
        uses=("curves",),
        source=Source("Zhu22", ZHU_TITLE, "Proposition 30, on sampling without replacement", ZHU_URL),
    ),
    Statement(
        id="poisson-replacement",
        sentence=(
            "Gaussian noise on Poisson samples of rate r, a record replaced: ((1-r) N(0) + r N(1), (1-r) N(0) + r "
            "N(-1)) dominates."
        ),
        statement=(
            "Each record is in the sample with probability r, independently. A run releases the sum of vectors of "
            "length at most 1, one of each record in the sample, with the noise N(0, σ²I); vectors depend on earlier "
            "outputs and on their records. One record is replaced by another one. Then the pair of P = (1-r) N(0, σ²) "
            "+ r N(1, σ²) and Q = (1-r) N(0, σ²) + r N(-1, σ²) dominates the run, in either order; opposite vectors of "
            "length 1 attain it. If one sample serves k runs, the same pair does so with σ/√k in place of σ."
        ),
        conditions=(
            "0 < r ≤ 1; a sample is not released, and is drawn anew where it does not serve again.",
            "The record is replaced in the data of all runs.",
        ),
        proof=(
            "By curves (d) it is enough to prove it given which other records are in the sample: they add one known "
            "vector to each run of a sample, given the earlier outputs. With respect to the noise around these, the "
            "record adds one of the vectors with probability r and nothing else.",
            "That is same-slot with one slot and the weight r, where the slot is used k times: the curve at κ > 0 is "
            "at most E(1 - κ + r ((A - 1) - κ (B - 1)))₊ = E((1 - r + r A) - κ (1 - r + r B))₊ for opposite vectors "
            "of length √k, or of length 1 with the noise σ/√k. 1 - r + r A and 1 - r + r B are the densities of P and "
            "Q with respect to N(0, σ²). Exchanging the records exchanges P and Q up to the sign of the output.",
            "Given any past outputs the next sample is fresh, so that composed-pairs applies.",
        ),
        uses=("curves", "same-slot", "composed-pairs"),
        source=Source(
            "pldcheck",
            "a proof for adaptive vectors",
            "on Poisson samples with a record replaced; for one number in place of vectors see Zhu, Dong, Wang (2022)",
            ZHU_URL,
        ),
    ),
)
