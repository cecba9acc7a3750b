"""Claims in words, and the sentences of the statements that an acceptance may rest on.

They are registered in pldcheck.theorems.statements, word for word, with their proofs.
"""

from hashlib import sha256

# The longest text of a table that a sentence repeats; of a longer one it says the size and the digest.
MOST_LETTERS = 120
SENTENCES = {
    "curves": (
        "A pair's curve is that of its losses, it determines the exchanged pair's, and neither processing nor "
        "mixing raises it."
    ),
    "check-in-slot": (
        "Random check-ins reveal at most as much as one hidden slot whose weight is the probability of a check-in, "
        "whatever the number of clients."
    ),
    "sliding-window-slot": (
        "A sliding window reveals at most as much as one hidden slot of weight 1 with as many slots, whatever the "
        "number of clients."
    ),
    "few-clients-window": (
        "A sliding window of few clients reveals at most as much as one hidden slot of those of its slots that take "
        "place, with the probability of being in one of them as its weight."
    ),
    "clipped-slot": (
        "In a hidden slot (eps0, delta0)-DP randomizers are pure ones of a slightly larger budget, but for a part "
        "of delta."
    ),
    "averaged-shuffle": (
        "Averaged check-ins reveal at most as much as shuffling all answers, whatever the number of slots."
    ),
    "one-client-fewer": (
        "Shuffling with eps0-DP randomizers, each of which may depend on all earlier messages, reveals at most as much "
        "as one hidden slot with one client fewer, but for zeta in e^epsilon and tau in delta."
    ),
    "known-client-fewer": (
        "Shuffling clients who all run one eps0-DP randomizer reveals at most as much as one hidden slot of that "
        "randomizer with one client fewer, whatever records the slots hold, but for zeta in e^epsilon and tau in delta."
    ),
    "stronger-clones": (
        "Shuffling with eps0-DP randomizers, each of which may depend on all earlier messages, reveals at most as much "
        "as the pair of stronger clones."
    ),
    "swap-weights": (
        "Swapping is, given its first output, a hidden slot whose weights are the other records' densities at that "
        "output."
    ),
    "known-slot": (
        "One hidden slot, whatever the references and however they depend on earlier outputs, is bounded by a sum "
        "of independent variables with the largest stop-loss of one step."
    ),
    "chosen-slots": (
        "If each law of a hidden slot's step is dominated by one of finitely many, the worst of these at every step, "
        "chosen after the earlier ones, bounds all references that depend on earlier outputs."
    ),
    "gaussian-vectors": (
        "Gaussian random allocation is bounded by one number in each step: of vectors of length at most 1 the worst "
        "is one of length 1, and the worst replacement is its opposite."
    ),
    "same-slot": (
        "Gaussian noise in one slot of many, the same slot in each of E passes, is bounded by one pass with vectors "
        "longer by the root of E."
    ),
    "slot-pair": (
        "If a pair dominates the laws of every two records, the largest stop-loss of a hidden slot's step is the "
        "pair's, with the record removed or added, and the larger one of both with the record replaced."
    ),
    "epochs": (
        "Epochs with fresh secrets are dominated by the composition of as many pairs that dominate one epoch whatever "
        "was released before."
    ),
    "selected-slots": (
        "Gaussian noise on several selected slots of many is dominated by independent runs of one selected slot each, "
        "among the parts into which the slots are cut."
    ),
    "composed-pairs": (
        "If a pair dominates each run whatever the earlier outputs are, the independent sum of the pairs' losses "
        "dominates all runs together."
    ),
    "approximate-pair": (
        "Randomized response that reveals its input with probability delta0 dominates every (eps0, delta0)-DP "
        "mechanism."
    ),
    "gaussian-noise": (
        "Gaussian noise on vectors at most 1 apart is dominated by that on two numbers 1 apart, and the variances "
        "of its losses add up."
    ),
    "laplace-noise": "Laplace noise on numbers at most 1 apart is dominated by that on two numbers 1 apart.",
    "discrete-noise": "Discrete noise on whole numbers at most 1 apart has the losses of that on 1 and 0.",
    "poisson-sampling": (
        "If (P, Q) dominates a mechanism when a record is removed, ((1-r) Q + r P, Q) does so on Poisson samples of "
        "rate r, and the reverse pair when it is added."
    ),
    "fixed-size-sampling": (
        "On samples of a share r without replacement, a replaced record's curve is at most that of ((1-r) Q + r P, "
        "Q) from epsilon = 0 on, and that of the reverse pair below."
    ),
    "poisson-replacement": (
        "Gaussian noise on Poisson samples of rate r, a record replaced: ((1-r) N(0) + r N(1), (1-r) N(0) + r N(-1)) "
        "dominates."
    ),
    "random-lengths": (
        "Gaussian noise on a vector of random length is dominated, when the record is removed, by the mixture of N(s) "
        "over its lengths s against N(0), and by the reverse pair when it is added."
    ),
    "places-in-batch": (
        "On batches of one size, a replaced group's curve is at most that of a sample with the probability that the "
        "group is in the batch, on which its number k of places is revealed beside Gaussian noise on k and 0."
    ),
    "cut-samples": (
        "Gaussian noise on a Poisson sample that is cut costs at most as much as, with the probability of no cut, the "
        "sample itself, and else a sample at half the noise, at the rate at which the record is used then."
    ),
    "sampled-responses": (
        "Shuffled binary responses of a sample of the clients depend on the data only through the number of ones: "
        "delta is the largest for two numbers that differ by 1, and rises with the budget."
    ),
    "coins-of-others": (
        "Shuffled binary responses with budgets of their own reveal at most as much as, but for the probability of "
        "telling the bit, one answer among as many coins as other clients answer by one."
    ),
}


def sentences_of(*names):
    """Return some statements, by their names, with their sentences."""
    return {name: SENTENCES[name] for name in names}


def sentence_of(what, claim, statements, whom=""):
    """Return a whole claim in words, with the statements that it rests on; ``whom``: for which records it holds."""
    rests = f"this rests on {' and '.join(statements)}" if statements else "it needs no further statement"
    return f"{what} is ({claim['epsilon']}, {claim['delta']})-DP{whom}; {rests}"


def in_mechanism(randomizer, claim, *others):
    """Return some randomizers in the mechanism of a claim in words, but for the keys ``others``."""
    numbers = said(claim, "mechanism", "epsilon", "delta", *others)
    return f"{randomizer} in the mechanism {claim['mechanism']} with {numbers}"


def said(value, *others):
    """Return a value of a claim in words, but for the keys ``others``; values that differ have words that differ."""
    if type(value) is dict:
        kept = {key: said(one) for key, one in value.items() if key not in others}
        return ", ".join(f"{key} ({one})" if type(value[key]) is dict else f"{key} {one}" for key, one in kept.items())
    if type(value) is not list:
        return str(value)
    rows = "; ".join(" ".join(map(str, row)) for row in value)
    size = f"{len(value)} x {len(value[0])} with the sha256 {sha256(rows.encode()).hexdigest()}" if value else ""
    return rows if len(rows) <= MOST_LETTERS else size
