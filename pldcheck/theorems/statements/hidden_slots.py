"""Statements that lead from check-ins and windows to one hidden slot of arbitrary randomizers."""

from __future__ import annotations

from ..balle20.check_ins import source_at
from ..statement import Statement

STATEMENTS = (
    Statement(
        id="less-used-slot",
        sentence="A record that is used less often in some slots reveals at most as much.",
        statement=(
            "A hidden slot of m slots and weight w: the record is in slot i with probability 1/m and is used there "
            "with probability w; every other slot is answered for its reference record. If it is used in slot i "
            "with a probability wᵢ ≤ w instead, then the laws of all outputs are those of a hidden slot of weight "
            "w, with other (ε₀, δ₀)-DP randomizers. And if the record is used in each of m slots with probability "
            "v, that reveals at most as much as more such slots with the same v."
        ),
        conditions=(
            "The randomizer of a slot may depend on all earlier outputs; given these, it is (ε₀, δ₀)-DP (ε₀-DP for "
            "δ₀ = 0), for all records alike.",
            "The reference record of each slot is fixed, or depends on earlier outputs alone.",
        ),
        proof=(
            "In slot i, with the randomizer A and the reference record g, let B(r) = (wᵢ/w) A(r) + (1 - wᵢ/w) A(g). "
            "For two records, B(r)(E) - e^ε₀ B(s)(E) = (wᵢ/w) (A(r)(E) - e^ε₀ A(s)(E)) + (1 - wᵢ/w) (1 - e^ε₀) "
            "A(g)(E) ≤ δ₀: so B is (ε₀, δ₀)-DP. As B(g) = A(g), and B is used on the record with probability w just "
            "where A is used with probability wᵢ, the outputs have the same laws.",
            "A slot that is added may be answered by a constant, which reveals nothing.",
        ),
        source=source_at("section 3.1 and Theorem A.4, whose weights may differ"),
    ),
    Statement(
        id="check-in-slot",
        sentence=(
            "Random check-ins reveal at most as much as one hidden slot whose weight is the probability of a "
            "check-in, whatever the number of clients."
        ),
        statement=(
            "Each of n clients checks in with probability p₀, to one of m slots, chosen uniformly; in each slot the "
            "server uses one of its clients, chosen uniformly, or a dummy record where there is none, and releases "
            "the output. For every κ the curve of two data sets that differ in one record is at most the largest "
            "curve of a hidden slot of m slots and weight p₀ with (ε₀, δ₀)-DP randomizers."
        ),
        conditions=(
            "Randomizers belong to slots: given the earlier outputs, one (ε₀, δ₀)-DP randomizer serves all clients "
            "and the dummy record.",
            "Outputs alone are released; what follows from them, such as a model, is a function of them.",
        ),
        proof=(
            "In each slot let the other clients in it stand in a uniformly random order; of c others the first is "
            "g, and the dummy is g if c = 0. If the record is there as well, it is used with probability 1/(c + 1), "
            "independently of that order, and g otherwise: each of c + 1 clients is used with the same probability, "
            "as the server does.",
            "Given the slots and orders of the others, which have one law for both data sets, the record is in slot "
            "i with probability p₀/m and is used there with probability 1/(cᵢ + 1); everywhere else, and if it does "
            "not check in, g is used. That is a hidden slot in which the probabilities are p₀/(cᵢ + 1) ≤ p₀: "
            "less-used-slot.",
            "By curves (d) the curve is at most the mean, and so the largest, of those given the others.",
        ),
        uses=("curves", "less-used-slot"),
        source=source_at("Theorem 3.2, proof"),
    ),
    Statement(
        id="known-clients",
        sentence=(
            "Random check-ins of a known number of clients reveal at most what hidden slots reveal on average, each "
            "slot's weight shared with the others in it."
        ),
        statement=(
            "As in check-in-slot, with n clients. The curve is at most the mean, over the numbers cᵢ of the n - 1 "
            "others in slot i, of the largest curve of a hidden slot of m slots in which the record is used with "
            "probability p₀/(cᵢ + 1). The cᵢ are those of n - 1 independent clients, each in slot i with "
            "probability p₀/m."
        ),
        conditions=(
            "Randomizers belong to slots, as in check-in-slot. The randomizers, which may be the worst for the "
            "numbers cᵢ, are chosen after these.",
        ),
        proof=(
            "By the first two steps of check-in-slot, given the others the outputs are those of a hidden slot in "
            "which the record is used with probability p₀/(cᵢ + 1).",
            "The numbers cᵢ have one law for both data sets; curves (d) gives the mean.",
        ),
        uses=("curves", "check-in-slot"),
        source=source_at("Theorem 3.2, proof, in which each weight is then bounded by p₀"),
    ),
    Statement(
        id="sliding-window-slot",
        sentence=(
            "A sliding window reveals at most as much as one hidden slot of weight 1 with as many slots, whatever "
            "the number of clients."
        ),
        statement=(
            "Client j checks in to one of the slots j to j + m - 1, chosen uniformly; in each slot the server uses "
            "one of its clients, chosen uniformly, or a dummy record where there is none. Some or all outputs are "
            "released. For every κ the curve of two data sets that differ in one record is at most the largest "
            "curve of a hidden slot of m slots and weight 1 with (ε₀, δ₀)-DP randomizers."
        ),
        conditions=(
            "Randomizers belong to slots: given the earlier outputs, one (ε₀, δ₀)-DP randomizer serves all clients "
            "and the dummy record.",
            "Which outputs are released does not depend on the records, and any of the other clients may be absent.",
        ),
        proof=(
            "Given the slots of the others and their orders, as in check-in-slot, the record is in each slot of its "
            "window with probability 1/m, and is used there with probability 1/(cᵢ + 1); everywhere else g is used.",
            "Given the outputs before, that of a slot outside of its window has one law for both data sets: all "
            "outputs are those of the window, processed, and those that are released are some of them. By curves "
            "(c) the curve is at most that of the window's outputs.",
            "So given the others it is at most that of a hidden slot of m slots in which the probabilities are at "
            "most 1: less-used-slot. By curves (d) the curve is at most the mean over the others.",
        ),
        uses=("curves", "less-used-slot", "check-in-slot"),
        source=source_at("Theorem 4.3, proof"),
    ),
    Statement(
        id="few-clients-window",
        sentence=(
            "A sliding window of few clients reveals at most as much as one hidden slot of those of its slots that "
            "take place, with the probability of being in one of them as its weight."
        ),
        statement=(
            "As in sliding-window-slot, with n ≥ m clients, and the server works in the slots m to n alone: who "
            "checks in earlier or later is not used. The curve is at most the largest curve of a hidden slot of v = "
            "min(m, n - m + 1) slots and weight v/m."
        ),
        conditions=(
            "Slots are numbered from 1 to n + m - 1. No client is used in the slots before m and after n, not even for "
            "what is not released.",
        ),
        proof=(
            "Of the window j to j + m - 1 of client j the server works in the slots that are also from m to n: k of "
            "them, at most v. The record is in each with probability 1/m.",
            "Given the others, as in sliding-window-slot, the record is in each of these k slots with probability "
            "1/m and is used there with probability 1/(cᵢ + 1), and in no other. By less-used-slot that is at most "
            "a hidden slot of k slots, each with probability 1/m, and at most that of v such slots, which is one of "
            "weight v/m.",
            "By curves (d) the curve is at most the mean over the others.",
        ),
        uses=("curves", "less-used-slot", "sliding-window-slot"),
        source=source_at(
            "section 4.2, the algorithm; the proof of Theorem 4.3 takes all slots of a window as released"
        ),
    ),
)
