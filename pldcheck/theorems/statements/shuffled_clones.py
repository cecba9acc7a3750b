"""Statements that bound shuffling with the worst randomizers: stronger clones, and one client fewer."""

from __future__ import annotations

from ..statement import Statement
from ..theorem import Source

FMT22 = (
    "Feldman, McMillan, Talwar, Stronger Privacy Amplification by Shuffling for Rényi and Approximate Differential "
    "Privacy, SODA 2023"
)
# What the two statements assume.
_CONDITIONS = (
    "n clients send one message each. In uniformly random order the records go through randomizers, which belong to "
    "places; each is ε₀-DP and may depend on all earlier messages.",
    "Records are neighbours if that of one client, client 1, is replaced.",
)

STATEMENTS = (
    Statement(
        id="stronger-clones",
        sentence=(
            "Shuffling with eps0-DP randomizers, each of which may depend on all earlier messages, reveals at most as "
            "much as the pair of stronger clones."
        ),
        statement=(
            "With x = e^ε₀ and 1 ≤ κ ≤ x the curve of the messages is at most the mean of D(C), where C is "
            "Bin(n - 1, 2/(x + 1)) and D(c) = 2/((x + 1)(c + 1)) E((x - κ) k - (κx - 1)(c + 1 - k))₊ for k from "
            "Bin(c + 1, 1/2). D falls as c grows."
        ),
        conditions=_CONDITIONS,
        proof=(
            "At a place, given the messages before it, let u and v be the densities on both records of client 1, and "
            "B = max(u, v)/x. The density on every record is at least B; let it be B and a remainder. Expand P - κQ, a "
            "mean over orders, by the set K of places where the message of another client comes from the remainder. "
            "The weights and densities at K, averaged over the clients who are there, do not depend on the place of "
            "client 1, who is at each other place with the same probability. So P - κQ is 1/n times the sum over K of "
            "Γ(K) times the product of B over the places not in K times the sum of (u - κv)/B over them.",
            "The first two factors are the law of a process: the others stand in random order, and each message is "
            "from B, with the probability |B|, or from the remainder of the next of them. The positive part of a sum "
            "is at most the sum of the positive parts. Hence the curve is at most (1/n) E(G₁ + … + Gₙ)₊ with G = (u - "
            "κv)/B at a message from B, and 0 at any other.",
            "Where u ≥ v, G = x - κx v/u is between x(1 - κ) and x - κ, and where u < v it is between 1 - κx and "
            "x(1 - κ). Split each value into the ends of its interval, keeping the mean. Then there is a mass a = "
            "TV(u, v)/(x - 1) at x - κ, the same at 1 - κx, (1 - a(x + 1))/x at x(1 - κ), since |B| = (1 + TV(u, "
            "v))/x, and the rest at 0. The mean is 1 - κ for all a. As TV(u, v) ≤ (x - 1)/(x + 1), a is at most "
            "1/(x + 1); to raise it moves mass from x(1 - κ) and 0, which are between 1 - κx and x - κ, to these ends. "
            "So given the past E f(s + G) is at most what it is for a = 1/(x + 1), for every convex f; that is "
            "convex in s, and from the last place to the first all G may be replaced by independent copies of this "
            "law.",
            "Let M copies not be 0: they are as many fair coins with the values x - κ and 1 - κx. As (m/n) P(M = m) = "
            "2/(x + 1) P(C = m - 1), the bound is the mean of D(C), where D(c) is 2/(x + 1) times the mean positive "
            "part of the average of c + 1 coins. The average of c + 2 coins is the conditional expectation of that of "
            "c + 1 of them, so D falls by Jensen's inequality.",
        ),
        source=Source(
            "FMT22", FMT22, "general upper bound; the proof there is another", "https://arxiv.org/abs/2208.04591"
        ),
    ),
    Statement(
        id="one-client-fewer",
        sentence=(
            "Shuffling with eps0-DP randomizers, each of which may depend on all earlier messages, reveals at most as "
            "much as one hidden slot with one client fewer, but for zeta in e^epsilon and tau in delta."
        ),
        statement=(
            "For n ≥ 3, x = e^ε₀, κ ≥ 1, ζ ≥ 0, and ν and ω from 0 to 1, the curve of the messages at κ + ζ is at most "
            "that of the worst randomizers in one hidden slot of n - 1, at κ, and τ(κ, ζ). With b the masses of Bin(c, "
            "1/2), let one = b(l - 1), two = (b(l - 2) + b(l))/2, x₁ = ((x - κ) b(k - 1) + (1 - xκ) b(k))/(x + 1) and "
            "q₁ = (b(k - 1) + x b(k))/(x + 1) at c = C₁, x₂ = ((x - 1)/(x + 1))² (one - two) and q₂ = ((x² + 1) one + "
            "2x two)/(x + 1)² at c = C₂. Then τ is the mean over C₁ and C₂, multinomial of n - 3 with the chances "
            "2ω/(x + 1) and (1 - ω)/x, of the sum over k and l of (x₁ ((1 - ν) x₂ + ν q₂) - ζ q₁ q₂)₊, which falls as "
            "C₁ or C₂ grow."
        ),
        conditions=_CONDITIONS,
        proof=(
            "Randomizers belong to places. "
            "Let u, v be the densities of client 1's message on both records. An adversary of the hidden slot lets the "
            "N = n - 1 others sit at known random places, and the record takes that of a uniform K. It fills one more "
            "random place itself, with an output of an other J guessed uniformly; then it forgets who sat where. Its "
            "outputs have the mean over K and J of the law of u, J and the others but K, shuffled, and with v "
            "likewise.",
            "With Θ = u - κv the true difference exceeds that one by 1 - 1/N times the mean over pairs a, b of X = "
            "Sh(Θ, T, a, b) - Sh(Θ, T, a, a)/2 - Sh(Θ, T, b, b)/2, T the others without a and b: the terms with J = K "
            "are right, and those of (a, b) and (b, a) pair up.",
            "For numbers g and f, g₊ ≤ (g - f)₊ + ((1 - ν) f + νg)₊: let g > 0; if f ≥ g the last term is at least g, "
            "else the sum is at least g - f + (1 - ν) f + νg. Let g be the true difference less ζ times the density "
            "under v, and f the excess less the same. So the curve at κ + ζ is at most that of the slot at κ and the "
            "largest integral of ((1 - ν)(1 - 1/N) X + ν Sh(Θ, T, a, b) - ζ Sh(v, T, a, b))₊.",
            "Every density of T is at least ω/x times the larger of u and v and (1 - ω)/x times (α + β)/2, α and β "
            "those of a and b. Split u, v into Q₁, Q₁' with weights (x, 1)/(x + 1), and α, β into Q₂, Q₂'. Given which "
            "places have messages of (α + β)/2, of a or of b, and how many of these are of Q₂, the others and client 1 "
            "are a shuffle, and what is integrated is A u + B v for its densities under u and v. The proof of "
            "stronger-clones, with ω/x in the place of 1/x, bounds the positive parts of u - κv by those of coins for "
            "κ from 1/x to x, and of v - κu as well: each message of T is one of Q₁ or Q₁' with the chance "
            "2ω/(x + 1). For A > 0 there is a κ' ≥ κ with A(u - κ'v), which has no positive part from x on; for A < 0 "
            "there is a κ'' ≤ κ with -A(v - u/κ''), which has none up to 1/x. So the integral is at most the mean, "
            "over C₁ of these messages and C₂ of (α + β)/2, of the sum over the numbers k of Q₁ and l of Q₂, with "
            "1 - 1/N as a factor of x₂. The sum is convex in this factor and has no slope at 0, since the x₂ add up to "
            "0; so it rises, and 1 may be the factor. A message more is post-processing.",
        ),
        source=Source(
            "pldcheck",
            "pldcheck, shuffling/one_client_fewer.py",
            "the theorem at its top",
            "https://arxiv.org/abs/2208.04591",
        ),
        uses=("stronger-clones",),
    ),
    Statement(
        id="known-client-fewer",
        sentence=(
            "Shuffling clients who all run one eps0-DP randomizer reveals at most as much as one hidden slot of that "
            "randomizer with one client fewer, whatever records the slots hold, but for zeta in e^epsilon and tau in "
            "delta."
        ),
        statement=(
            "For n ≥ 3 clients who all run the same randomizer R, any two records of client 1 and any records of the "
            "others, the curve of the messages at κ + ζ is at most τ(κ, ζ) and the largest, over known records of the "
            "slots, of the curve at κ of R in one hidden slot of n - 1, with these two records as d and d'. τ is that "
            "of one-client-fewer, with e^ε₀ at least every ratio of two probabilities that R gives one output. Where "
            "the inputs of R have M different laws, x₂ may have the factor 1 - 1/M, and C₁ and C₂ may have the chances "
            "ωp and (1 - ω)p, if every law of R is at least p times the mean of any two different ones; the first of "
            "these may stay 2ω/(x + 1)."
        ),
        conditions=("R is ε₀-DP and does not depend on earlier messages.", *_CONDITIONS[1:]),
        proof=(
            "It is the proof of one-client-fewer, step by step, with R at every place: the output of a place has the "
            "law of R on the record that sits there, whoever brought it. The adversary of the slots lets the N = n - 1 "
            "others sit at known random places, and the record takes that of a uniform K; the place that is left gets "
            "an output of R on the record of a uniform J. That is R in one hidden slot of N, whose own records are "
            "those of the others in a known order, with one output more that needs no record.",
            "The mean over pairs of the others and the split of densities say nothing of which ε₀-DP densities there "
            "are: u and v are those of R on the two records, α and β on those of a and b, and every density of R is at "
            "least 1/x times each other one. So τ is the same.",
            "X is 0 where a and b have the same law. Of N places the ordered pairs of equal laws, a place with itself "
            "included, are the sum of the squares of M counts, at least N²/M. So at most N²(1 - 1/M) of the N(N - 1) "
            "ordered pairs differ, and 1 - 1/N times the mean over all pairs is at most 1 - 1/M times that over those "
            "that differ. Then α and β are different laws, as u and v are: a density that is at least p times the mean "
            "of any two different ones is at least p times ω(u + v)/2 + (1 - ω)(α + β)/2, and it is at least ω/x times "
            "the larger of u and v and (1 - ω)p times (α + β)/2.",
        ),
        source=Source(
            "pldcheck",
            "pldcheck, shuffling/known_client_fewer.py",
            "the corollary at its top",
            "https://arxiv.org/abs/2208.04591",
        ),
        uses=("one-client-fewer",),
    ),
)
