"""Statements that lead from hidden slots of known randomizers to sums of independent variables."""

from __future__ import annotations

from ..statement import Statement
from ..theorem import Source

ALLOCATION = Source(
    "pldcheck",
    "a proof for all orders and replacement; for removal and addition compare Feldman, Shenfeld (2025)",
    "on random allocation",
    "https://arxiv.org/abs/2502.08202",
)

STATEMENTS = (
    Statement(
        id="known-slot",
        sentence=(
            "One hidden slot, whatever the references and however they depend on earlier outputs, is bounded by a "
            "sum of independent variables with the largest stop-loss of one step."
        ),
        statement=(
            "The record is in one of m slots, chosen uniformly, and is used there with probability w; all other "
            "slots hold reference records. In a slot, given the past, let a and b be the densities of the output on "
            "the record and on its replacement with respect to the reference, X = (a - 1) - κ (b - 1); b = 1 if the "
            "record is removed, a = 1 if it is added. If C(t) ≥ E(X - t)₊ under the reference for all real t, in "
            "every slot and for every past, and C(t) = E(Y - t)₊ for a variable Y, then H(κ) ≤ E(1 - κ + (w/m) (Y₁ "
            "+ … + Yₘ))₊ with independent copies of Y. If C(t) is the largest E(X - t)₊ of finitely many laws of X, "
            "such a Y exists."
        ),
        conditions=(
            "The laws on the record and its replacement have densities with respect to that on the reference.",
            "The references and the randomizers depend on earlier outputs alone.",
        ),
        proof=(
            "When the record is in slot i and used there, all outputs have the density aᵢ with respect to the law "
            "Q₀ of outputs on references alone: earlier and later outputs are drawn as under Q₀, given those "
            "before. So with the record the density is 1 - w + (w/m) Σ aᵢ, with its replacement it is 1 - w + (w/m) "
            "Σ bᵢ, and by curves (a) H(κ) = E(1 - κ + (w/m) Σ Xᵢ)₊ under Q₀.",
            "Let φ(u) = E(u + (w/m) Y')₊ for a sum Y' of copies of Y: a mixture of functions (u - t)₊ over t = "
            "-(w/m) Y'. Given the past with the sum u so far, E φ(u + (w/m) X) ≤ E φ(u + (w/m) Y), as E(u + (w/m) X "
            "- t)₊ = (w/m) E(X - (t-u) m/w)₊. So from the last slot to the first each X may be replaced by an "
            "independent copy of Y: after each replacement what follows a slot depends on the sum so far only.",
            "E(X - t)₊ is convex with slopes from -1 to 0. It tends to 0 for large t, and E(X - t)₊ + t = E max(X, "
            "t) tends to E X = 0 as t falls. The maximum of finitely many such functions is one as well, and it is "
            "E(Y - t)₊ for the variable Y whose law is its second derivative.",
        ),
        uses=("curves",),
        source=ALLOCATION,
    ),
    Statement(
        id="chosen-slots",
        sentence=(
            "If each law of a hidden slot's step is dominated by one of finitely many, the worst of these at every "
            "step, chosen after the earlier ones, bounds all references that depend on earlier outputs."
        ),
        statement=(
            "In known-slot let every law of X under the reference, in every slot and for every past, be dominated in "
            "convex order by one of finitely many laws of mean 0, the choices. Let V₀(u) = u₊, and let Vₜ(u) be the "
            "largest E Vₜ₋₁(u + X) over the choices. Then H(κ) ≤ (w/m) Vₘ(-m (κ - 1)/w). If symmetric noise is added "
            "to whole numbers at most 1 apart, a record is replaced and κ ≥ 1, the laws of A - 1 and of κ (1 - A) are "
            "such choices, A being the density of the noise about 1 with respect to that about 0, under the latter."
        ),
        conditions=(
            "The laws on the record and its replacement have densities with respect to that on the reference.",
            "The references and the randomizers depend on earlier outputs alone.",
        ),
        proof=(
            "By the first step of known-slot H(κ) = E(1 - κ + (w/m) Σ Xᵢ)₊ = (w/m) E(Σ Xᵢ - m (κ - 1)/w)₊ under the "
            "law of the outputs on references alone.",
            "Every Vₜ is convex, as means and maxima of convex functions are. So given the past with the sum u so far, "
            "E Vₜ(u + X) is at most the same for the choice that dominates the law of X, and at most Vₜ₊₁(u). From "
            "the last slot to the first that leads from V₀ to Vₘ.",
            "Of three whole numbers at most 1 apart two are equal. If the reference is the replacement, X = a - 1 has "
            "the law of A - 1, as the noise is symmetric. If it is the record, X = κ (1 - b) has that of κ (1 - A). If "
            "the record is its replacement, X = (κ - 1) (1 - a) is 0 or has the law of (1 - 1/κ) κ (1 - A), which κ (1 "
            "- A) dominates: a variable of mean 0 dominates its multiples by factors from 0 to 1.",
        ),
        uses=("known-slot",),
        source=ALLOCATION,
    ),
    Statement(
        id="gaussian-vectors",
        sentence=(
            "Gaussian random allocation is bounded by one number in each step: of vectors of length at most 1 the "
            "worst is one of length 1, and the worst replacement is its opposite."
        ),
        statement=(
            "A step releases f + u + N(0, σ²I), where u is what the record adds, a vector of length at most 1, and "
            "f is the rest; all may depend on earlier outputs. Let s = 1/σ, Z standard normal, A = e^(sZ - s²/2), B "
            "= e^(-sZ - s²/2). With the reference u = 0, for every real t and κ > 0, E(X - t)₊ of known-slot is at "
            "most the same with X = A - 1 for a record that is removed, X = κ (1 - A) for one that is added, and X "
            "= (A - 1) - κ (B - 1) for one that is replaced by one that adds v, |v| ≤ 1. All are attained."
        ),
        conditions=(
            "f is the same with the record, with its replacement and without both, given the earlier outputs.",
        ),
        proof=(
            "With respect to the reference, u has the density a = e^(s|u|G - s²|u|²/2) with a standard normal G, "
            "the part of the noise along u. With r = |u| ≤ 1 and Z = rG + √(1-r²) G', G' another one, E(A | G) = a: "
            "so E(a - t)₊ ≤ E(A - t)₊ and E(t - a)₊ ≤ E(t - A)₊ by Jensen's inequality, for all t. That is the "
            "claim for removal and addition. It holds for the density b of v and for B, which has the law of A.",
            "Replacement: let z be the number where A - 1 - κ (B - 1) = t; it exists, as the left side rises from "
            "minus infinity to infinity in Z. Let h and k be the values of A and of B there. For all reals a and b, "
            "(a - 1 - κ (b - 1) - t)₊ = ((a - h) + κ (k - b))₊ ≤ (a - h)₊ + κ (k - b)₊. So E(X - t)₊ ≤ E(a - h)₊ + "
            "κ E(k - b)₊ ≤ E(A - h)₊ + κ E(k - B)₊ by the first step.",
            "For A and B themselves the inequality is an equality at every Z: A > h and B < k for Z > z, and the "
            "reverse for Z < z. So the right side is E(A - 1 - κ (B - 1) - t)₊. The vectors e and -e of length 1 "
            "attain it.",
        ),
        uses=("known-slot",),
        source=ALLOCATION,
    ),
    Statement(
        id="selected-slots",
        sentence=(
            "Gaussian noise on several selected slots of many is dominated by independent runs of one selected slot "
            "each, among the parts into which the slots are cut."
        ),
        statement=(
            "As in gaussian-vectors, but the record is in k of the m slots, a uniformly chosen set. Let m = m₁ + … + "
            "mₖ with whole mⱼ ≥ 1. For every κ > 0 the curve is at most that of the product of k independent pairs: "
            "the j-th one has the densities (A₁ + … + A_mⱼ)/mⱼ, of independent copies of A, for the record, and 1 or "
            "(B₁ + … + B_mⱼ)/mⱼ for none or for its replacement; in either order."
        ),
        conditions=(
            "The set is drawn before anything is released, and k ≤ m.",
            "What the record adds to a slot depends on earlier outputs, and on the slot, alone.",
        ),
        proof=(
            "Put the slots in a uniformly random order, cut it into parts of the sizes mⱼ, and choose one slot of "
            "each part uniformly. By symmetry the chosen set is uniform. The order has one law for all data sets: by "
            "curves (d) the curve is at most the mean, and so the largest, of those given the parts.",
            "Given the parts, let aᵢ be the density of slot i's output with the record there to that without it, "
            "given the past. If the record is in the set S, all outputs have the density of the product of aᵢ over S "
            "with respect to the law Q₀ of outputs without it. So the mean over the choices is the product over j of "
            "Uⱼ, the mean of aᵢ over part j; with the replacement it is the product of Vⱼ, the mean of its bᵢ. By "
            "curves (a) H(κ) is E(U₁ ⋯ Uₖ - κ V₁ ⋯ Vₖ)₊ under Q₀, with 1 for the product of Vⱼ if the record is "
            "removed, and for that of Uⱼ if it is added.",
            "Replace the slots from the last to the first by independent copies of A and B. Given the past, and the "
            "copies that stand for later slots, the inside is βa - κβ'b - t for numbers β, β' ≥ 0 and t, where a and "
            "b are those of this slot. By the second step of gaussian-vectors with κβ'/β in place of κ, or by the "
            "first one if β or β' is 0 or one of the two densities is 1, the mean of its positive part is at most "
            "that with A and B. In the end the Uⱼ, and the Vⱼ, are those of k independent pairs.",
        ),
        uses=("curves", "gaussian-vectors"),
        source=Source(
            "pldcheck",
            "a proof for adaptive vectors and replacement; for removal and addition see Feldman, Shenfeld (2025)",
            "on random allocation with several steps",
            "https://arxiv.org/abs/2502.08202",
        ),
    ),
    Statement(
        id="same-slot",
        sentence=(
            "Gaussian noise in one slot of many, the same slot in each of E passes, is bounded by one pass with "
            "vectors longer by the root of E."
        ),
        statement=(
            "As in gaussian-vectors, but the m slots are passed through E times, and the record is in the same slot, "
            "chosen uniformly and once, in all passes; it is used there with probability w, in all passes or in none. "
            "For every κ > 0 the curve is at most that of known-slot and gaussian-vectors with A = e^(sZ - s²/2) and B "
            "= e^(-sZ - s²/2) for s = √E/σ, for a record that is removed, added or replaced; it is attained."
        ),
        conditions=(
            "The slot is drawn before anything is released.",
            "What the record adds to a slot depends on earlier outputs, and on the slot and the pass, alone.",
        ),
        proof=(
            "Let aₑᵢ be the density of the output of slot i in pass e with the record there to that without it, given "
            "the past, and bₑᵢ that with its replacement, 1 if it is removed; aₑᵢ = 1 if it is added. By curves (a) "
            "H(κ) = E(1 - κ + (w/m) Σᵢ (Uᵢ - 1 - κ (Vᵢ - 1)))₊ under the law without the record, where Uᵢ and Vᵢ are "
            "the products of aₑᵢ and bₑᵢ over e.",
            "Replace the outputs from the last to the first. Given the past, and copies that stand for later outputs "
            "and do not depend on the past, the inside is βa C - κβ' b C' - t, where a and b are those of this "
            "output, β, β' ≥ 0 and t are known, and C, C' ≥ 0 are products of copies. So its expected positive part "
            "is a function g(a, b) that is convex in each argument and submodular, as (x - y)₊ is for rising "
            "functions x of a and y of b. If one of the two is 1, Jensen's inequality of gaussian-vectors is all that "
            "is needed.",
            "Else let the two vectors have the lengths r and r'. Of all pairs with the laws of a and b, E g(a, b) is "
            "largest if b is a falling function of a (Tchen 1980): for opposite vectors of these lengths. With a "
            "vector of length 1 whose part along that line has the length r, a is a conditional expectation of its "
            "density given the part of the noise along the line, on which b depends: E g does not fall by Jensen's "
            "inequality, nor if both are opposite again. The same for b: so vectors of length 1, opposite to each "
            "other, are worst, whatever the past is. They are the copies for the steps before.",
            "In the end slot i has Uᵢ = e^(s' Σₑ Zₑᵢ - E s'²/2) with s' = 1/σ and independent Zₑᵢ, which is A of one "
            "standard normal variable for s = √E/σ, and Vᵢ is B of the same one. Opposite vectors that do not change "
            "attain it.",
        ),
        uses=("curves", "known-slot", "gaussian-vectors"),
        source=Source(
            "pldcheck",
            "a proof for adaptive vectors; for vectors that are known beforehand see Chua et al. (2024)",
            "on balls in bins",
            "https://arxiv.org/abs/2410.06266",
        ),
    ),
    Statement(
        id="slot-pair",
        sentence=(
            "If a pair dominates the laws of every two records, the largest stop-loss of a hidden slot's step is the "
            "pair's, with the record removed or added, and the larger one of both with the record replaced."
        ),
        statement=(
            "Let h(k) = H(k; P, Q) be at least the curve of the laws of every two records, in either order, and let A "
            "be the density of P with respect to Q. For every real t, E(X - t)₊ of known-slot is at most E(A - 1 - t)₊ "
            "if the record is removed, E(κ(1 - A) - t)₊ if it is added, and the larger one of these two if it is "
            "replaced, with means under Q."
        ),
        conditions=(
            "The record, its replacement and the reference are records of one randomizer, given the past.",
            "The pair (Q, P) has the same curve as (P, Q).",
        ),
        proof=(
            "Let R, S and O be the laws on the record, on its replacement and on the reference. Removal: b = 1, and "
            "X - t = a - k with k = 1 + t. For k > 0, E(a - k)₊ = H(k; R, O) by curves (a), which is at most h(k) = "
            "E(A - k)₊; for k ≤ 0 both means are 1 - k.",
            "Addition: a = 1, and X - t = κ(k - b) with k = 1 - t/κ. As E b = E A = 1, E(k - b)₊ = E(b - k)₊ + k - 1 "
            "is at most E(k - A)₊ by the first step.",
            "Replacement: E(X - t)₊ is the integral of (R - κS - sO)₊ with s = t + 1 - κ. If s ≥ 0, the integrand is "
            "at most κ/(κ+s) (R - (κ+s)S)₊ + s/(κ+s) (R - (κ+s)O)₊, as u ↦ u₊ is convex. Both integrals are at most "
            "h(κ+s), which is E(A - 1 - t)₊.",
            "If s < 0, let z = 1 - s, so that z = κ - t > 1. The integrand is at most (1/z) (zR - κS)₊ + (1 - 1/z) (zO "
            "- κS)₊, for the same reason. Both integrals are at most z h(κ/z) = z H(κ/z; Q, P), the integral of (zQ - "
            "κP)₊ = (κ(Q - P) - tQ)₊, which is E(κ(1 - A) - t)₊.",
        ),
        uses=("known-slot", "curves"),
        source=ALLOCATION,
    ),
)
