"""Statements on pairs of laws: what curves obey, what composition does, and which pair is the worst of a budget."""

from __future__ import annotations

from ..statement import Statement
from ..theorem import Source

ZHU_TITLE = "Zhu, Dong, Wang, Optimal Accounting of Differential Privacy via Characteristic Function, AISTATS 2022"
ZHU_URL = "https://arxiv.org/abs/2106.08567"
ZHU = Source("Zhu22", ZHU_TITLE, "on dominating pairs and their composition", ZHU_URL)
KOV = Source(
    "KOV15",
    "Kairouz, Oh, Viswanath, The Composition Theorem for Differential Privacy, ICML 2015",
    "the mechanism of Theorem 3.3",
    "https://arxiv.org/abs/1311.0776",
)

STATEMENTS = (
    Statement(
        id="curves",
        sentence=(
            "A pair's curve is that of its losses, it determines the exchanged pair's, and neither processing nor "
            "mixing raises it."
        ),
        statement=(
            "For all κ > 0: (a) H(κ; P, Q) = ∫(p - κq)₊ = E(1 - κ e^(-L))₊ under P. (b) H(κ; Q, P) = 1 - κ + κ "
            "H(1/κ; P, Q); so (P, Q) dominates (P', Q') if and only if (Q, P) dominates (Q', P'). (c) H(κ; KP, KQ) "
            "≤ H(κ; P, Q) for every kernel K. (d) H(κ; E Pₛ, E Qₛ) ≤ E H(κ; Pₛ, Qₛ) for a random s of one law. (e) "
            "H is convex in κ, has slopes from -1 to 0, values from 0 to 1 and the limit 1 at 0; and every such "
            "function is the curve of a pair."
        ),
        conditions=("P and Q are probability measures on one space.",),
        proof=(
            "(a) Of all events, the one where p > κq has the largest P(E) - κ Q(E), which is ∫(p - κq)₊. There p > 0, "
            "and p - κq = p (1 - κ e^(-L)).",
            "(b) Q(E) - κ P(E) = 1 - κ + κ (P(F) - Q(F)/κ) for the complement F of E, which is any event as well. "
            "So the larger H(1/κ; P, Q), the larger H(κ; Q, P).",
            "(c) KP(E) - κ KQ(E) is the integral of K(z, E) (p - κq) over z, which is at most ∫(p - κq)₊, as 0 ≤ K "
            "≤ 1.",
            "(d) For every E, the mean of Pₛ(E) - κ Qₛ(E) is at most that of H(κ; Pₛ, Qₛ).",
            "(e) H is the supremum of the affine functions P(E) - κ Q(E), of slopes -Q(E). It is at most 1 and, for "
            "the event of all outputs, at least 1 - κ. Conversely, let f be such a function and c its limit at "
            "infinity. Then f - c is convex with slopes from -1 to 0 and tends to 0, so that it is E(A - κ)₊ for a "
            "variable A ≥ 0, whose law on κ > 0 is the second derivative of f; the rest of its law is at 0. Let Q "
            "be that law, and let P have the density A with respect to Q and beside it the mass c where Q has none. "
            "As E A = f(0) - c = 1 - c, P is a probability measure, and H(κ; P, Q) = E(A - κ)₊ + c = f(κ).",
        ),
        source=ZHU,
    ),
    Statement(
        id="composed-pairs",
        sentence=(
            "If a pair dominates each run whatever the earlier outputs are, the independent sum of the pairs' "
            "losses dominates all runs together."
        ),
        statement=(
            "Runs 1 to k are released one after the other. If for each i, whatever the outputs of the earlier runs "
            "are, (Pᵢ, Qᵢ) dominates the pair of run i's laws on two neighbours, then (P₁ × … × Pₖ, Q₁ × … × Qₖ), "
            "whose loss is the sum of independent losses L₁ + … + Lₖ, dominates the pair of the laws of all "
            "outputs. And H(κ; P × R, Q × S) does not fall if the curve of (P, Q) is replaced by one that is "
            "nowhere lower."
        ),
        conditions=(
            "Each pair depends on i only, and not on the earlier outputs; curves are compared at all κ > 0, not "
            "only from 1 on.",
            "The neighbours are the same two in all runs, in one order.",
        ),
        proof=(
            "Let M and M' be laws of y with densities m and m', and N, N' kernels, such that (P, Q) dominates the "
            "pair of laws N(y), N'(y) for every y. By curves (a), H(κ; M N, M' N') is the integral of m H(κ m'/m; "
            "N(y), N'(y)) over the y with m > 0, where H(0; ·) = 1. That is at most the integral of m H(κ m'/m; P, "
            "Q), which is H(κ; M × P, M' × Q).",
            "The last run, given the earlier outputs, is such a pair of kernels: it may be replaced by (Pₖ, Qₖ), "
            "independent of everything. Then the last run but one, with all others as y, is such a pair of kernels; "
            "and so on down to the first. The logarithm of the quotient of the products is the sum of the losses.",
            "The formula of the first step with R and S in place of M and M' rises with the curve of (P, Q). It "
            "does so for measures P and Q of any total mass, with ∫(p - κq)₊ as their curve.",
        ),
        uses=("curves",),
        source=ZHU,
    ),
    Statement(
        id="approximate-pair",
        sentence=(
            "Randomized response that reveals its input with probability delta0 dominates every (eps0, delta0)-DP "
            "mechanism."
        ),
        statement=(
            "Let x = e^ε₀, and let (P, Q) have the losses ∞, ε₀, -ε₀ and -∞ with the P-masses δ₀, (1-δ₀) x/(1+x), "
            "(1-δ₀)/(1+x), 0 and the Q-masses 0, (1-δ₀)/(1+x), (1-δ₀) x/(1+x), δ₀. If H(x; P', Q') ≤ δ₀ and H(x; "
            "Q', P') ≤ δ₀, then (P, Q) dominates (P', Q')."
        ),
        conditions=("ε₀ ≥ 0 and 0 ≤ δ₀ ≤ 1.",),
        proof=(
            "By curves (a) the curve g of (P, Q) is 1 - (1-δ₀) κ for κ ≤ 1/x, δ₀ + (1-δ₀) (x-κ)/(1+x) for 1/x ≤ κ ≤ "
            "x, and δ₀ beyond. It is linear in between, with the values 1, 1 - (1-δ₀)/x and δ₀ at 0, 1/x and x.",
            "The curve f of (P', Q') is at most 1 at 0, and f(x) ≤ δ₀; f(1/x) = 1 - 1/x + H(x; Q', P')/x ≤ 1 - "
            "(1-δ₀)/x by curves (b).",
            "So f ≤ g at 0, 1/x and x. In between f, which is convex, is at most its chords, hence at most g; from "
            "x on it is at most f(x) ≤ δ₀ = g.",
        ),
        uses=("curves",),
        source=KOV,
    ),
    Statement(
        id="epochs",
        sentence=(
            "Epochs with fresh secrets are dominated by the composition of as many pairs that dominate one epoch "
            "whatever was released before."
        ),
        statement=(
            "A protocol runs k times on the same records, each time with secrets of its own that are independent of "
            "all before, and free to depend on all outputs so far. If H(κ; P, Q) and H(κ; Q, P) are, for κ ≥ 1, at "
            "least the curves of one run given any past, in both orders of two neighbours, then the k-fold "
            "composition of (P, Q) dominates all runs together."
        ),
        conditions=("The bound of one run holds for every past.",),
        proof=(
            "Given the past, let (P', Q') be the laws of a run. For κ < 1, by curves (b), H(κ; P', Q') = 1 - κ + κ "
            "H(1/κ; Q', P') ≤ 1 - κ + κ H(1/κ; Q, P) = H(κ; P, Q). So (P, Q) dominates the run for every past.",
            "As its secrets are fresh, the run is a kernel of the earlier outputs alone; composed-pairs composes "
            "the runs.",
        ),
        uses=("curves", "composed-pairs"),
        source=ZHU,
    ),
)
