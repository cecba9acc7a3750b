"""Statements on shuffled binary responses of few clients: of a sample of them, and with budgets of their own."""

from __future__ import annotations

from ..statement import Statement
from ..theorem import Source

URL = "https://arxiv.org/abs/2107.08763"

STATEMENTS = (
    Statement(
        id="sampled-responses",
        sentence=(
            "Shuffled binary responses of a sample of the clients depend on the data only through the number of ones: "
            "delta is the largest for two numbers that differ by 1, and rises with the budget."
        ),
        statement=(
            "b of n clients are drawn without replacement and answer one bit each by randomized response, which is "
            "true with probability x/(x + 1), x = e^ε₀; the answers are shuffled. Let M_H be the law of the number of "
            "ones among the answers where H of the n records are ones. The largest curve of two data sets that differ "
            "in one record is, at every κ, the largest H(κ; M_(H+1), M_H) over 0 ≤ H < n, and so is that in the other "
            "order. At κ ≥ 1 it does not fall if x is replaced by a larger number."
        ),
        conditions=("Who was drawn is not seen, and all clients have the same budget.",),
        proof=(
            "Shuffled bits are known from the number of ones among them, and vice versa. Given that t of the drawn "
            "records are ones, that number is a sum of t and of b - t independent bits, and t is hypergeometric: it "
            "depends on H alone. Replacing one record changes H by 1, or nothing, and every H and H + 1 is possible.",
            "Exchange zeros and ones in all records and answers: M_H becomes M_(n-H), as response is symmetric. So the "
            "curve of (M_H, M_(H+1)) is that of (M_(n-H), M_(n-H-1)), which is one of the others.",
            "With 1 ≤ x ≤ y, response with x is that with y, after which the answer is kept with the probability (x - "
            "1)(y + 1)/((x + 1)(y - 1)) and else replaced by a fair coin. Doing so to each of the shuffled answers by "
            "itself is a kernel that needs only the number of ones: curves (c). Where y = 1, x is 1 too.",
        ),
        uses=("curves",),
        source=Source("pldcheck", "pldcheck, shuffling/few_responses.py", "the sums at its top", URL),
    ),
    Statement(
        id="coins-of-others",
        sentence=(
            "Shuffled binary responses with budgets of their own reveal at most as much as, but for the probability of "
            "telling the bit, one answer among as many coins as other clients answer by one."
        ),
        statement=(
            "Client i of n tells its bit outright, with a mark, with probability δ₀, and else answers by randomized "
            "response, which is true with probability x/(x + 1), x = e^εᵢ; all messages are shuffled. If the record of "
            "client i is replaced, the curve at κ ≥ 1 is at most δ₀ + (1 - δ₀) E D(C), where C is the number of other "
            "clients j who answer by a coin, each with probability 2(1 - δ₀)/(e^εⱼ + 1), independently, and D(c) = "
            "2/((x + 1)(c + 1)) E((x - κ) k - (κx - 1)(c + 1 - k))₊ for k from Bin(c + 1, 1/2), or 0 if κ ≥ x. D(c) "
            "falls as c grows and rises with x."
        ),
        conditions=("The budgets are known; who sent what is not seen.", "0 ≤ δ₀ ≤ 1, and all εⱼ ≥ 0."),
        proof=(
            "Randomized response with y = e^εⱼ is a fair coin with probability 2/(y + 1), and else the bit itself. So "
            "client j's message is a coin with probability 2(1 - δ₀)/(y + 1), independently of its record.",
            "Let an adversary see besides which other clients answer by a coin, and what all the others send: given "
            "that, the messages that are left are C coins and client i's own, shuffled. What it sees besides has one "
            "law for both records of client i, so that by curves (d) the curve is at most the mean of those given it; "
            "the messages are a function of all that: curves (c).",
            "With probability δ₀ client i tells, where the curve is at most 1, and else it answers. Of c + 1 bits, all "
            "coins but one, k are ones with probability C(c+1, k) 2^(-c-1) times 2 (xk + c + 1 - k)/((x + 1)(c + 1)) "
            "if its bit is 1, and the same with k and c + 1 - k exchanged in the last quotient if it is 0. So their "
            "curve is D(c), in both orders by symmetry. It is 0 if κ ≥ x.",
            "D is that of stronger-clones, which falls. With x ≤ y in place of it, the law of k for either bit is a "
            "mixture, with the same weights, of that with y and of c + 1 coins: the curve at κ ≥ 1 is at most a mean "
            "of that with y and of 0.",
        ),
        uses=("curves", "stronger-clones"),
        source=Source("pldcheck", "pldcheck, shuffling/few_responses.py", "the bound from above at its top", URL),
    ),
)
