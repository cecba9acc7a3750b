"""Statements that lead from averages, shuffling and swapping to one another."""

from __future__ import annotations

from ..balle20.check_ins import source_at
from ..statement import Statement

STATEMENTS = (
    Statement(
        id="averaged-shuffle",
        sentence="Averaged check-ins reveal at most as much as shuffling all answers, whatever the number of slots.",
        statement=(
            "Each of n clients checks in to one of m slots, chosen uniformly. The clients of a slot answer through "
            "one randomizer, which may depend on what was released before, and a function of their answers that "
            "does not depend on their order, such as the average, is released slot by slot. For every κ the curve "
            "is at most the largest curve of n shuffled records with randomizers of the same budget, each of which "
            "may depend on all earlier answers."
        ),
        conditions=(
            "Randomizers belong to places: one serves whichever record is there.",
            "What is released of a slot depends on its answers, their number, and earlier releases.",
        ),
        proof=(
            "The numbers of clients in the slots have one law for all data sets. Given these numbers the clients "
            "are in a uniformly random order, cut into parts of these sizes.",
            "Let the records be shuffled, and let place i, which is in slot s by the numbers, answer through the "
            "randomizer of slot s, which depends on the answers of earlier slots through what was released of them. "
            "That is adaptive shuffling; what is released of all slots is a function of its answers: curves (c).",
            "By curves (d) the curve is at most the mean over the numbers.",
        ),
        uses=("curves",),
        source=source_at("Theorem 4.1 and section 5, where the answers of a slot are shuffled"),
    ),
    Statement(
        id="shuffle-by-swaps",
        sentence=(
            "Shuffling reveals at most as much as swapping the record with a uniformly chosen one while the others "
            "keep a known order."
        ),
        statement=(
            "n records in uniformly random order answer one after the other, through randomizers that may depend on "
            "all earlier answers. For every κ the curve is at most the largest, over the orders of the other n - 1 "
            "records, of that when the record stands first, the others follow in that order, and the record then "
            "trades places with a uniformly chosen one of all n."
        ),
        conditions=("Randomizers belong to places: one serves whichever record is there.",),
        proof=(
            "Put the others in uniformly random order behind the record, and then let it trade places with place I, "
            "uniform on 1 to n. The record's place is uniform. Given I = i, the others are in the remaining places "
            "by a fixed rearrangement of a uniformly random order, hence in uniformly random order. So the order of "
            "all is uniform, as in shuffling.",
            "The order of the others has one law on both sides, and given it the records are swapped. By curves (d) "
            "the curve is at most the mean, and so the largest, over the orders.",
        ),
        uses=("curves",),
        source=source_at("Theorem 5.1, proof"),
    ),
    Statement(
        id="swap-weights",
        sentence=(
            "Swapping is, given its first output, a hidden slot whose weights are the other records' densities at "
            "that output."
        ),
        statement=(
            "The record d (or d') trades places with a uniformly chosen one of n; the others d₂, …, dₙ have places "
            "2 to n. Let R be a law with respect to which place 1's outputs have densities, a₁ and a'₁ on d and d', "
            "vᵢ on dᵢ; let aᵢ and a'ᵢ be the densities of place i's outputs on d and d' with respect to those on "
            "dᵢ. Then H(κ) = (1/n) E(a₁ - κ a'₁ + Σ vᵢ (aᵢ - κ a'ᵢ))₊, the sum being over i from 2 to n, the first "
            "output having the law R and place i answering for dᵢ. If place 1 is ε₀-DP, the vᵢ are within a factor "
            "e^ε₀ of one another, and a₁, a'₁ within e^ε₀ of them."
        ),
        conditions=(
            "Randomizers belong to places, are ε₀-DP given the earlier outputs, and have densities with respect to "
            "one another.",
        ),
        proof=(
            "Let Q₀ be the law in which place 1 has the law R and place i answers for dᵢ, given the outputs before. "
            "If the record trades places with itself, the outputs have the density a₁ with respect to Q₀. If it "
            "trades places with dᵢ, place 1 answers for dᵢ and place i for the record: the density is vᵢ aᵢ, where "
            "later places see the outputs only.",
            "Each happens with probability 1/n, so with d the density is (a₁ + Σ vᵢ aᵢ)/n, with d' it is (a'₁ + Σ "
            "vᵢ a'ᵢ)/n; curves (a). At every output of place 1, the densities of ε₀-DP laws on two records are "
            "within a factor e^ε₀.",
        ),
        uses=("curves",),
        source=source_at("Theorem A.7, proof"),
    ),
)
