r"""Prove that one hidden slot with a known randomizer is (epsilon, delta)-DP, every rounding upward.

The file holds the claim and the ``fineness`` of the computation.  Whatever the fineness is, what is accepted is true:
the fineness decides only how near delta may be to the truth.

**1. The claim.**  A record is in one of m slots, chosen uniformly, and is used there with probability w; every other
slot holds a reference record.  Slots are released one after another and may depend on all earlier outputs.  With kappa
= e^epsilon and the likelihood ratios a and b of a slot's output on the record and on its replacement against the
reference,

    delta* = E (1 - kappa + (w/m) sum_i X_i)_+ = (w/m) E (sum_i (X_i - K))_+,   X = (a - 1) - kappa (b - 1),
    K = (kappa - 1) / w,   where a and b have the mean 1 given the past, so that X has the mean 0.

A record that is removed has b = 1, one that is added has a = 1.  delta* falls in epsilon: kappa is rounded down, once;
from here on it is that decimal.  A lower end of delta* is computed apart, with kappa rounded up.

**2. The proof.**  step_curves.py encloses the largest E (X - x)_+ of one step, over all references.  step_lattice.py
bounds delta* by a sum of independent measures with these, however references depend on earlier outputs.
chosen_steps.py does so with blocks of steps, each with its own choice of a reference, if the fineness has a ``block``
(chosen-slots): one law for every step is larger than the best choice.  Outputs in a table and discrete noise with a
record replaced have such choices; other steps have no blocks.

**3. Statements.**  The sentence of acceptance names the statements of STATEMENTS that it rests on: 1 and 2 are
known-slot, the worst vectors gaussian-vectors, those of a record in the same slot in each of several passes same-slot.
Where a pair dominates the laws of every two records (laplace-noise, gaussian-noise, discrete-noise) the largest curves
are those of slot-pair.
"""

from fractions import Fraction

from . import step_curves
from .chosen_steps import read_block, sum_of_steps, work_of
from .claim_files import check_file, decimal, fields, integer, judgement, require, verdict_of
from .directed_decimals import UNIT, Ends, exp_of
from .statement_sentences import said, sentence_of, sentences_of
from .step_curves import ADJACENCIES, KNOWN_SLOT, mechanism_of, reductions_of, steps_of
from .step_lattice import delta_of, read_fineness, single_ends

# The keys of a claim.
CLAIM_KEYS = {"mechanism", "steps", "weight", "adjacency", "epsilon", "delta", "randomizer"}
# The statement on a record that is in the same slot in several passes.
SAME_SLOT = "same-slot"
# The statement on blocks of steps.
CHOSEN = "chosen-slots"
# The statements that an acceptance may rest on.
STATEMENTS = sentences_of(*step_curves.STATEMENTS, SAME_SLOT, CHOSEN)


def delta_ends(step, count, weight, kappa, block, fine):
    """Return Ends of delta for a step in so many slots; the lower one leaves out all but one (Jensen's inequality)."""
    share, shift = weight / count, (Fraction(kappa) - 1) / weight
    single = single_ends(step, share, shift * count)
    if count == 1:
        return single
    return Ends(single[0], delta_of(sum_of_steps(step, shift, count, block, fine), share, fine))


def upper_delta(facts):
    """Return Ends of delta at the claim's epsilon; raise ValueError for what is not a certificate."""
    check_file(facts, "upper_sum")
    claim = fields(facts["claim"], CLAIM_KEYS, "the claim")
    epsilon, weight = decimal(claim, "epsilon", "0", "100"), decimal(claim, "weight", "1e-30", "1")
    decimal(claim, "delta", "0", "1")
    count, adjacency = integer(claim, "steps", 1, 10**12), claim["adjacency"]
    require(type(adjacency) is str and adjacency in ADJACENCIES, f"adjacency must be one of {[*ADJACENCIES]}")
    kappa = max(UNIT, exp_of(epsilon)[0])
    steps = steps_of(claim["randomizer"], kappa, adjacency)
    name = mechanism_of(claim["randomizer"])
    require(claim["mechanism"] == name, f"the mechanism must be {name}")
    block, fineness = read_block(facts["fineness"])
    require(block == 1 or min(len(step.choices) for step in steps) > 1, "a block is for steps with several references")
    fine = read_fineness(fineness, *work_of(steps, count, block))
    worst = [delta_ends(step, count, weight, kappa, block, fine) for step in steps]
    # What is at least this for a larger kappa and a smaller eps0 is at least this for the claim.
    more = exp_of(epsilon)[1]
    least = [
        single_ends(step, weight / count, (Fraction(more) - 1) * count / weight)
        for step in steps_of(claim["randomizer"], more, adjacency, 0)
    ]
    return Ends(max(low for low, _ in least), max(high for _, high in worst))


def words_of(claim):
    """Return the mechanism of a claim in words."""
    same = ", the same in each pass" if "passes" in claim["randomizer"] else ""
    place = f"in one slot{same}, of {said(claim, 'mechanism', 'randomizer', 'epsilon', 'delta')}"
    return f"a record of {step_curves.words_of(claim['randomizer'])}, {place},"


@verdict_of
def verify(facts):
    """Return the verdict on the content of a file, whatever that is."""
    ends, claim = upper_delta(facts), facts["claim"]
    statements = [KNOWN_SLOT, *reductions_of(claim["randomizer"])]
    statements += [SAME_SLOT] * ("passes" in claim["randomizer"]) + [CHOSEN] * ("block" in facts["fineness"])
    return judgement(ends, claim["delta"], sentence_of(words_of(claim), claim, statements))
