"""Statements that bound shuffling with the worst randomizers: stronger clones, and one client fewer."""

from __future__ import annotations

from ..registry import Source
from ..statement import Statement

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
            "For n ≥ 3, x = e^ε₀, κ ≥ 1 and ζ ≥ 0 the curve of the messages at κ + ζ is at most that of the worst "
            "randomizers in one hidden slot of n - 1, at κ, and τ(κ, ζ). With b the masses of Bin(c, 1/2), let one = "
            "b(l - 1), two = (b(l - 2) + b(l))/2, x₁ = ((x - κ) b(k - 1) + (1 - xκ) b(k))/(x + 1) and q₁ = (b(k - 1) + "
            "x b(k))/(x + 1) at c = C₁, x₂ = ((x - 1)/(x + 1))² (one - two) and q₂ = ((x² + 1) one + 2x two)/(x + 1)² "
            "at c = C₂. Then τ is the mean over C₁ and C₂, multinomial of n - 3 with the chances 1/(4x) and 3/(4x), of "
            "the sum over k and l of (x₁ x₂ - ζ q₁ q₂)₊, which falls as C₁ or C₂ grow."
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
            "are right, and those of (a, b) and (b, a) pair up. So the curve at κ + ζ is at most that of the slot at κ "
            "and the largest integral of ((1 - 1/N) X - ζ Sh(v, T, a, b))₊, where 1 - 1/N may be left out.",
            "Every density of T is at least 1/x times (u + v)/8 + 3(α + β)/8, α and β those of a and b. Split u, v "
            "into Q₁, Q₁' with weights (x, 1)/(x + 1), and α, β into Q₂, Q₂'. Given how many messages of T are of the "
            "first kind, C₁, and of the second, C₂, all places are exchangeable, and only the numbers k of Q₁ and l of "
            "Q₂ matter: the integral is at most the mean of the sum. A message more is post-processing.",
        ),
        source=Source(
            "pldcheck",
            "pldcheck, shuffling/one_client_fewer.py",
            "the theorem at its top",
            "https://arxiv.org/abs/2208.04591",
        ),
    ),
)
