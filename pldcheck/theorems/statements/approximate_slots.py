"""Statements on hidden slots behind (eps0, delta0)-DP randomizers."""

from __future__ import annotations

from ..balle20.check_ins import TITLE, URL
from ..statement import Statement
from ..theorem import Source

FOLLOWS = f"improved here; follows {TITLE}"

STATEMENTS = (
    Statement(
        id="clipped-slot",
        sentence=(
            "In a hidden slot (eps0, delta0)-DP randomizers are pure ones of a slightly larger budget, but for a "
            "part of delta."
        ),
        statement=(
            "Let x = e^ε₀, c ≥ max(1, 3/(1+x)), cδ₀ < 1 and X = x (1 + cδ₀)/(1 - cδ₀). The largest H(κ) of a hidden "
            "slot of m slots and weight w with (ε₀, δ₀)-DP randomizers is at most w c (κ + 1) δ₀ more than that "
            "with (log X)-DP ones, a record being replaced by another."
        ),
        conditions=(
            "In each slot, given the earlier outputs, the randomizer is (ε₀, δ₀)-DP on the record d, its "
            "replacement d' and the reference record g.",
        ),
        proof=(
            "In a slot, given the past, let μ, ν, ν' be the laws of the output on g, d, d', and a, a' the densities "
            "of the parts of ν, ν' that μ has. Clip both to [1/x, x]. That takes from ν its part without density "
            "and ∫(a - x)₊ dμ, together H(x; ν, μ) ≤ δ₀, and adds ∫(1/x - a)₊ dμ = ∫(1 - xa)₊ dμ/x ≤ H(x; μ, ν)/x ≤ "
            "δ₀/x; and so for ν'.",
            "Let v = (a - xa')₊ before clipping, whose mean is at most δ₀. Clipping does not increase it. If a' is "
            "raised to 1/x, v becomes a - 1 with the clipped a, which is positive only where a was not raised: then "
            "it is at most a - 1 ≤ a - xa' with the old a and a'. If a' is lowered to x, then xa' ≥ x ≥ a, and v is "
            "0. If a' stays and a is lowered, v falls; if a is raised, to 1/x ≤ 1 ≤ xa', v is 0. The same holds for "
            "v' = (a' - xa)₊; at most one of v, v' is positive.",
            "Where v > 0 lower a by θv and raise a' by (1-θ)v/x; likewise where v' > 0, exchanged. Then a = xa', or "
            "a' = xa. As a - v = xa' ≥ 1 and a' + v/x = a/x ≤ 1, both stay in [1/x, x].",
            "In all at most (1+θ)δ₀ is taken from either law and at most (2-θ)δ₀/x is added. For x ≥ 2 take θ = 0: "
            "both are at most δ₀. For x < 2 take θ = (2-x)/(1+x), which is from 0 to 1/2: both are 3δ₀/(1+x). So "
            "both are at most cδ₀.",
            "Divide a and a' by their sums N and N', which are from 1 - cδ₀ to 1 + cδ₀. The laws on g, d, d' then "
            "are of a (log X)-DP randomizer on these three: all quotients were at most x, and N/N', 1/N and N are "
            "at most (1 + cδ₀)/(1 - cδ₀). The law of d has moved by at most cδ₀ in total variation: by what was "
            "added if N ≥ 1, and by what was taken if N ≤ 1. So has that of d'.",
            "Do so in every slot and for every past. The law of all outputs, which has the record in one slot only "
            "and there with probability w, moves by at most wcδ₀, as does that of the replacement: where the record "
            "is used, one output is drawn from another law, and what follows depends on the outputs alone. So P(E) "
            "- κQ(E) moves by at most (1 + κ) wcδ₀ for every E.",
        ),
        source=Source("pldcheck", FOLLOWS, "Theorem A.4 with one slot clipped instead of Lemma A.3", URL),
    ),
    Statement(
        id="near-pure-slot",
        sentence="In a hidden slot delta0 costs hardly more than the probability w delta0 that the record is revealed.",
        statement=(
            "Let x = e^ε₀, ρ = 2δ₀/x, σ = ρ - δ₀, X = x (1+ρ)/(1-δ₀), v = wX/(1 + w (X-1)), k - 1 = (κ - 1 - (σ + "
            "κδ₀) v)/(1+σ), g = κ/(1 + min(σ, 0)) + max(X - 1, k (1 - 1/X)), and W(u) the largest E(u + (w/m) Σ (aᵢ "
            "- 1 - k (a'ᵢ - 1)))₊ over adaptive (log X)-DP randomizers, where aᵢ, a'ᵢ are the densities of slot i's "
            "output on d and d' against g. If k ≥ 1, a hidden slot of m slots and weight w with (ε₀, δ₀)-DP "
            "randomizers has H(κ) ≤ wδ₀ + (1+σ) E W(1 - k + (w/m) g J) with J ~ Bin(m, ρ), a record being replaced "
            "by another."
        ),
        conditions=(
            "δ₀ < 1, κ ≥ 1 and ρ ≤ 1.",
            "In each slot, given the earlier outputs, the randomizer is (ε₀, δ₀)-DP on d, d' and g.",
        ),
        proof=(
            "In a slot, given the past, let μ, ν, ν' be the laws on g, d, d', and a, a' the densities of the parts "
            "of ν and ν' that μ has; c = w/m. H(κ) is at most the mean of (1 - κ + c Σ (aᵢ - 1 - κ (a'ᵢ - 1)))₊ "
            "when g is used everywhere, plus c for each unit of ν that μ does not have.",
            "Cut a to min(a, x): what ν loses, C ≤ H(x; ν, μ) ≤ δ₀ with the part that μ does not have, is paid, c "
            "each unit. Cut a' to min(a', x), which takes C' ≤ δ₀ and only makes the sum larger.",
            "Raise a to max(a, max(1, a')/x), by R on average, which only makes the sum larger. Raise a', with the "
            "a before that, to max(a', max(1, a)/x), by r at each output. As max(1, a)/x ≤ 1, r is from 0 to 1; its "
            "mean is at most that of (1/x - a')₊ and (a/x - a')₊, each at most δ₀/x: at most ρ. So is R. Now a, a' "
            "and both quotients of the two are from 1/x to x, and the means of a and a' are N = 1 + R - C and N' ≥ "
            "1 - δ₀.",
            "Divide by N and N', which are from 1 - δ₀ to 1 + ρ: the quotients belong to a (log X)-DP randomizer on "
            "the three records. Call them a and a' from here on. N may be replaced by 1 + ρ - δ₀ = 1 + σ: R may "
            "grow to ρ, which makes the sum larger; and when C grows to δ₀, c (δ₀ - C) more is paid, while the sum "
            "falls by at most c (δ₀ - C) a, of mean c (δ₀ - C). And N' may be replaced by 1 - δ₀, which makes the "
            "sum larger. In all wδ₀ is paid.",
            "With p = 1 - w + c Σ aᵢ and p' = 1 - w + c Σ a'ᵢ ≤ 1 + w (X-1) the sum is, without the r, (1+σ) p - κ "
            "(1-δ₀) p' - (1-w) (σ + κδ₀). As σ + κδ₀ = ρ + (κ-1) δ₀ ≥ 0 and (1-v) p' ≤ 1 - w, it is at most (1+σ) "
            "(p - k p') = (1+σ) (1 - k + c Σ sᵢ), sᵢ = aᵢ - 1 - k (a'ᵢ - 1). The r add (1+σ) c Σ y rᵢ, y = κ/(1+σ).",
            "Replace the slots from the last to the first. Let φ, convex and rising, be what the later slots make "
            "of the sum, for the worst randomizers there. M = g - y is at least every s: the largest are X - 1 and "
            "k (1 - 1/X), as k ≥ 1. By convexity φ(s + yr) - φ(s) ≤ r (φ(s + y) - φ(s)) ≤ r (φ(M + y) - φ(M)), of "
            "mean at most ρ (φ(g) - φ(M)). Now φ(g) ≤ E φ(s + g), by Jensen's inequality, as s has mean 0; and φ(M) "
            "≥ E φ(s). So E φ(s + yr) ≤ (1-ρ) E φ(s) + ρ E φ(s + g): no more than if g were added with probability "
            "ρ, independently. (The amounts are in units of c.) In the end J of the g are added; randomizers that "
            "are chosen when J is known reveal no less, which gives E W.",
        ),
        source=Source("pldcheck", FOLLOWS, "densities cut and raised, slot by slot", URL),
    ),
    Statement(
        id="zero-out-approximate-slot",
        sentence=(
            "If the record is there or not, (eps0, delta0)-DP randomizers in a hidden slot reveal at most what "
            "independent dominating pairs in every slot do."
        ),
        statement=(
            "Let A be 0, 1/x, x with the probabilities δ₀, (1-δ₀) x/(1+x), (1-δ₀)/(1+x), x = e^ε₀, and S the mean "
            "of m independent copies. With P the law of the outputs of a hidden slot of m slots and weight w, and Q "
            "that with the reference records everywhere, H(κ; P, Q) ≤ wδ₀ + E(1 - κ + w (S-1))₊ and H(κ; Q, P) ≤ "
            "E(1 - κ + κw (1-S))₊. Both are attained."
        ),
        conditions=(
            "In each slot, given the earlier outputs, the randomizer is (ε₀, δ₀)-DP on the record and the reference "
            "record.",
        ),
        proof=(
            "In a slot, given the past, let ν, μ be the laws on the record and the reference, a the density of the "
            "part of ν that μ has, s the rest of ν. By approximate-pair, E(a - t)₊ + s = H(t; ν, μ) ≤ E(A - t)₊ + "
            "δ₀ for t > 0, with equality for t ≤ 0; and E(t - a)₊ ≤ E(t - A)₊ for all t, by the exchanged pair. "
            "Means are under μ.",
            "With c = w/m, P has the density 1 + c Σ (aᵢ - 1) with respect to Q where Q has mass, and c Σ sᵢ on "
            "average elsewhere, as only one slot holds the record. So by curves (a) H(κ; P, Q) = E[(1 - κ + c Σ (aᵢ "
            "- 1))₊ + c Σ sᵢ] and H(κ; Q, P) = E(1 - κ + κc Σ (1 - aᵢ))₊ under Q.",
            "Replace the slots from the last to the first: what later, independent slots make of the sum is a "
            "mixture φ of functions (· - t)₊ with weights that add up to 1. By the first step E φ(u + ca) + cs ≤ E "
            "φ(u + cA) + cδ₀, and E φ(u - κca) ≤ E φ(u - κcA). The m amounts cδ₀ are wδ₀.",
            "The pair of approximate-pair itself in every slot attains both.",
        ),
        uses=("curves", "approximate-pair"),
        source=Source("pldcheck", FOLLOWS, "a hidden slot of the pair of Kairouz, Oh and Viswanath", URL),
    ),
)
