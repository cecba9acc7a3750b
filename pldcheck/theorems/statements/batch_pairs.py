"""Statements on noise on vectors of random length, on batches of one size, and on samples that are cut."""

from __future__ import annotations

from ..statement import Statement
from ..theorem import Source
from .composed_pairs import ZHU_TITLE, ZHU_URL

STATEMENTS = (
    Statement(
        id="random-lengths",
        sentence=(
            "Gaussian noise on a vector of random length is dominated, when the record is removed, by the mixture of "
            "N(s) over its lengths s against N(0), and by the reverse pair when it is added."
        ),
        statement=(
            "A run releases f + u + N(0, σ²I), where the record adds u: with probability pᵢ a vector of length at most "
            "sᵢ, and with p₀, what is left to 1, nothing. Let P be the mixture of N(sᵢ, σ²) with the probabilities pᵢ, "
            "s₀ = 0, and Q = N(0, σ²). Then (P, Q) dominates the pair of the laws with and without the record, and (Q, "
            "P) that in the other order. Vectors of these lengths in one direction attain it."
        ),
        conditions=(
            "Which of the lengths it is, is drawn anew in every run, independently of f, and not released.",
            "f and the vectors depend on earlier outputs; f is the same with the record and without it. In a "
            "composition the record is removed from all runs, or added to all.",
        ),
        proof=(
            "By curves (d) it is enough to prove it for known f and for known vectors uᵢ, of which i is drawn. With "
            "respect to the law without the record that with it has the density R = Σ pᵢ e^(Xᵢ - E Xᵢ²/2), where Xᵢ is "
            "the scalar product of the noise and uᵢ, over σ²: jointly normal, and E XᵢXⱼ is that of uᵢ and uⱼ over σ², "
            "at most sᵢsⱼ/σ². With Yᵢ = sᵢZ/σ in place of Xᵢ, Z standard normal, R is the density of P with respect to "
            "Q, at the output σZ, and E YᵢYⱼ = sᵢsⱼ/σ².",
            "Kahane's inequality: E φ(R) does not fall if X is replaced by Y, for every convex φ. Let first φ be "
            "smooth with bounded derivatives, and X and Y independent. With √(1-t) X + √t Y in place of X, let R(t) be "
            "the sum, of the terms Wᵢ. By integration by parts the derivative of E φ(R(t)) is half the sum over i and "
            "j of (E YᵢYⱼ - E XᵢXⱼ) E(φ''(R(t)) WᵢWⱼ), as the terms with φ' cancel with those of the centering; none "
            "of these is negative. (y - c)₊ and (c - y)₊ are uniform limits of such φ.",
            "By curves (a) the curves are E(R - κ)₊ and E(1 - κR)₊ with and without the record exchanged, and both "
            "functions are convex in R. Given any past outputs this holds for the next run, so that composed-pairs "
            "applies to both orders, one by one.",
        ),
        uses=("curves", "composed-pairs"),
        source=Source("pldcheck", "pldcheck, pld/random_lengths.py", "the proof at its top", ZHU_URL),
    ),
    Statement(
        id="places-in-batch",
        sentence=(
            "On batches of one size, a replaced group's curve is at most that of a sample with the probability that "
            "the group is in the batch, on which its number k of places is revealed beside Gaussian noise on k and 0."
        ),
        statement=(
            "B places of a batch are filled uniformly from n + g records, with different ones or each anew, and a "
            "mechanism M runs on the batch; g of the records are replaced by others. K is the number of places that "
            "these have, pₖ = P(K = k), and γ ≥ P(K > 0). Let (Pₖ, Qₖ) dominate the pair of M(S) and M(S') for all "
            "batches that differ in k places, -L under Qₖ having the law of L under Pₖ. Then for κ ≥ 1 the curve of "
            "the outputs is at most γ H(1 + (κ-1)/γ; P, Q), where (P, Q) reveals k with the probability pₖ/γ for 0 < k "
            "≤ l, beside the output of (Pₖ, Qₖ), and else which of the two laws it is. For κ ≤ 1 it is at most that of "
            "the reverse pair, and both are the curve of one pair, as in fixed-size-sampling. For Gaussian noise Pₖ = "
            "N(k, σ²) and Qₖ = N(0, σ²)."
        ),
        conditions=(
            "The batch is drawn anew in every run, and not released. Where records are different, B ≤ n.",
            "S and S' may differ in any records. For Gaussian noise, another record in one place moves the sum by a "
            "vector of length at most 1.",
        ),
        proof=(
            "Let Aₖ and A'ₖ be the laws of the output given K = k, before and after the replacement, W that given K = "
            "0, which is one for both, and g' = P(K > 0). Let κ ≥ 1, κ₁ = 1 + (κ-1)/g' and β = κ/κ₁ ≤ 1. Then the sum "
            "of pₖ (Aₖ - κA'ₖ) over k > 0, and (1-g') (1-κ) W, is that of pₖ [β (Aₖ - κ₁A'ₖ) + (1-β) (Aₖ - κ₁W)], as β "
            "κ₁ = κ and g' (1-β) κ₁ = (1-g') (κ-1).",
            "Aₖ and A'ₖ are means over batches that differ in k places. So are Aₖ and W: a batch with K = k becomes "
            "one with K = 0, of the right law, if other records take those k places, each anew, or different ones that "
            "are not in the batch. So by curves (d) the curve at κ is at most the sum of pₖ H(κ₁; Pₖ, Qₖ).",
            "κ₁ falls if g' is replaced by γ, and H falls in κ₁; so the sum is at most that with κ₁ = 1 + (κ-1)/γ. For "
            "k > l, H is at most 1. This is at most γ times the curve of (P, Q) at κ₁, as γ times what is left to 1 is "
            "γ - p₁ - … - pₗ, which is at least the sum of pₖ over k > l.",
            "For κ < 1 exchange the data sets, by curves (b). -L under Q has the law that L has under P, since it is "
            "so given k. So the last sentence of fixed-size-sampling makes one pair of both.",
            "If k places hold other records, the sum moves by a vector of length at most k: gaussian-noise, in units "
            "of k. Given any past outputs the next batch is fresh, so that composed-pairs applies.",
        ),
        uses=("curves", "composed-pairs", "gaussian-noise", "fixed-size-sampling"),
        source=Source("pldcheck", "pldcheck, pld/places_in_batch.py", "the proof at its top", ZHU_URL),
    ),
    Statement(
        id="cut-samples",
        sentence=(
            "Gaussian noise on a Poisson sample that is cut costs at most as much as, with the probability of no cut, "
            "the sample itself, and else a sample at half the noise, at the rate at which the record is used then."
        ),
        statement=(
            "Each of n records, and d if it is there, is in the sample with probability q; of a sample of more than B "
            "records a uniformly chosen part of B is used, on which M runs. Let (P, Q) dominate the pair of M(S with "
            "d) and M(S) for every S of fewer than B of the n, and (P', Q') that of M(S with d in the place of s) and "
            "M(S) for every S of B and s in S. With N from Bin(n, q) and r ≥ q E(B/(N+1) | N ≥ B), the pair that has "
            "the loss of ((1-q) Q + q P, Q) with the probability P(N < B), and else that of ((1-r) Q' + r P', Q'), "
            "dominates the laws with and without d; the reverse pair does so in the other order. For Gaussian noise of "
            "the deviation σ on vectors of length at most 1 these are N(1, σ²), N(2, σ²) and N(0, σ²). E(B/(N+1) | N ≥ "
            "B) falls as q grows."
        ),
        conditions=(
            "Samples and parts are drawn anew in every run, and not released; 0 < q < 1.",
            "One record is added or removed, in a composition to or from the data of all runs.",
        ),
        proof=(
            "Let an adversary see, if fewer than B of the n are in the sample, which ones, and else that it is so and "
            "a uniformly chosen part S of B of them. All this has one law with d and without it, so that by curves (d) "
            "the curve is at most the mean of those given what is seen.",
            "Below B, d joins the sample with probability q, and nothing is cut: poisson-sampling's first step.",
            "From B on, without d the used part has the law of S. With d let N of the others be in the sample. d is in "
            "it with probability q, and if so then in the used part with probability B/(N+1); the others in that part "
            "are B - 1 of the N, chosen uniformly, as S without a uniformly chosen one. If d is not used, the part is "
            "as S. So with d the law given S is (1-ρ) M(S) + ρ A, where ρ = q E(B/(N+1) | N ≥ B) and A is a mean of "
            "M(S with d in the place of s): its curve is at most that of ((1-ρ) Q' + ρ P', Q').",
            "With r in place of ρ the curve does not fall: (1-ρ) Q' + ρP' is a mixture of Q' and of (1-r) Q' + rP', so "
            "that its curve is at most a mean of (1-κ)₊ and of the curve with r, which is at least (1-κ)₊. Curves (b) "
            "is the other order.",
            "A sum to which d adds a vector of length at most 1 moves by that, and by at most 2 where d takes the "
            "place of another record: gaussian-noise. N given N ≥ B has a likelihood ratio that rises in N if q is "
            "replaced by a larger one, so that the mean of the falling B/(N+1) falls. Given any past outputs samples "
            "are fresh: composed-pairs.",
        ),
        uses=("curves", "composed-pairs", "gaussian-noise", "poisson-sampling"),
        source=Source("Zhu22", ZHU_TITLE, "for samples that are not cut; the proof is pldcheck's", ZHU_URL),
    ),
)
