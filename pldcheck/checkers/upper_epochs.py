r"""Prove that epochs of hidden slots with a known randomizer are (epsilon, delta)-DP, every rounding upward.

The file holds the claim and the ``fineness`` of both computations.  Whatever the fineness is, what is accepted is true.

**1. The claim.**  In each of ``epochs`` epochs a record is in ``selected`` of m slots, chosen uniformly and afresh,
and is used there with probability w (1 for more than one slot); all other slots hold reference records.  Epochs may
depend on all earlier outputs.  The record is removed, added, or either (zero-out).  For ``selected`` = k the m slots of
an epoch are cut into k parts of m // k slots or one more, each with a slot of its own (selected-slots).  So the claim
is about independent runs of one slot among n, ``count`` times for each n; the sum of independent losses of pairs that
dominate the runs dominates all of them (epochs, composed-pairs), for a removed and for an added record each by itself.

**2. All runs.**  step_lattice.py adds the steps of one run, run_losses.py has the loss of a run, and loss_lattice.py
adds losses, trims and coarsens lattices.  The bound of a run is a measure, not a pair of probability laws;
composed-pairs holds for measures of any total.  In the end delta is the mean of (1 - e^(epsilon - L))_+ over all losses
L, and the larger one of removal and addition counts.

**3. Statements.**  The sentence of acceptance names the statements of STATEMENTS that it rests on.
"""

from decimal import Decimal
from fractions import Fraction

from . import loss_lattice, run_losses, step_curves, step_lattice
from .claim_files import check_file, decimal, fields, integer, judgement, require, verdict_of
from .directed_decimals import UNIT, exp_of
from .statement_sentences import sentence_of, sentences_of

# The keys of a claim, and of the fineness.
CLAIM_KEYS = {"mechanism", "steps", "selected", "epochs", "weight", "adjacency", "epsilon", "delta", "randomizer"}
FINENESS_KEYS = {"sum", "loss"}
# The adjacencies, by the changes of a record of which the worst counts.
ADJACENCIES = {"remove": ("removed",), "add": ("added",), "zero-out": ("removed", "added")}
# The statements that every acceptance rests on besides that of a known slot, and those of epochs and selected slots.
COMPOSED = "composed-pairs"
EPOCHS = "epochs"
SELECTED = "selected-slots"
# The statements that an acceptance may rest on.
STATEMENTS = sentences_of(*step_curves.STATEMENTS, COMPOSED, EPOCHS, SELECTED)


def parts_of(steps, selected, epochs):
    """Return pairs (n, count): all epochs are so many runs of one slot among n."""
    each, more = divmod(steps, selected)
    parts = [(each, (selected - more) * epochs), (each + 1, more * epochs)]
    return [part for part in parts if part[1]]


def composed_law(step, change, weight, parts, fine):
    """Return the lattice law of all runs, for one record and one change of it."""
    sums, losses = fine
    single, total = step_lattice.lattice_law(step, Fraction(0), sums), None
    for steps, count in parts:
        run = run_losses.masses_of(step_lattice.power_law(single, steps, sums), weight / steps, change, sums)
        power = loss_lattice.power_law(run_losses.lattice_law(run, change, losses), count, losses)
        total = power if total is None else loss_lattice.sum_law(total, power, losses)
    return total


def steps_of(claim, adjacency, end=1):
    """Return pairs of a change and a step, which are X of run_losses.py: ``kappa`` of step_curves.py is 1."""
    return [
        (change, step)
        for change in ADJACENCIES[adjacency]
        for step in step_curves.steps_of(claim["randomizer"], UNIT, {"removed": "remove", "added": "add"}[change], end)
    ]


def upper_delta(facts):
    """Return an upper bound of delta at the claim's epsilon; raise ValueError for what is not a certificate."""
    check_file(facts, "upper_epochs")
    claim = fields(facts["claim"], CLAIM_KEYS, "the claim")
    epsilon = decimal(claim, "epsilon", "0", "1e7")
    weight = decimal(claim, "weight", "1e-30", "1")
    decimal(claim, "delta", "0", "1")
    steps, epochs = (integer(claim, name, 1, 10**12) for name in ("steps", "epochs"))
    selected, adjacency = integer(claim, "selected", 1, steps), claim["adjacency"]
    require(type(adjacency) is str and adjacency in ADJACENCIES, f"adjacency must be one of {[*ADJACENCIES]}")
    laws = steps_of(claim, adjacency)
    require(claim["randomizer"]["kind"] != "repeated-gaussian", "the same slot in all epochs is for upper_sum.py")
    name, noise = step_curves.mechanism_of(claim["randomizer"]), claim["randomizer"]["kind"] == "gaussian"
    require(claim["mechanism"] == name, f"the mechanism must be {name}")
    require(
        selected == 1 or (noise and weight == 1),
        "several slots are for Gaussian noise and weight 1",
    )
    parts = parts_of(steps, selected, epochs)
    fineness = fields(facts["fineness"], FINENESS_KEYS, "fineness")
    sums = step_lattice.read_fineness(fineness["sum"], len(laws) * sum(2 * n.bit_length() for n, _ in parts), len(laws))
    losses = loss_lattice.read_fineness(
        fineness["loss"], len(laws) * sum(2 * count.bit_length() for _, count in parts), len(laws) * len(parts)
    )
    wholes = [composed_law(step, change, weight, parts, (sums, losses)) for change, step in laws]
    return max(loss_lattice.delta_of(whole, epsilon, losses) for whole in wholes)


def lower_delta(claim):
    """Return a lower bound of delta: that of one epoch, in one slot used with the probability w/m (step_lattice.py)."""
    epsilon = Fraction(claim["epsilon"])
    if claim["selected"] > 1 or epsilon > 100:
        return Decimal(0)
    more, share = exp_of(epsilon)[1], Fraction(claim["weight"]) / claim["steps"]
    steps = step_curves.steps_of(claim["randomizer"], more, claim["adjacency"], 0)
    return max(step_lattice.single_ends(step, share, (Fraction(more) - 1) / share)[0] for step in steps)


def words_of(claim):
    """Return the mechanism of a claim in words."""
    place = f"in {claim['selected']} of {claim['steps']} slots, used with probability {claim['weight']}"
    often = f"{claim['adjacency']}, {claim['epochs']} times,"
    return f"a record of {step_curves.words_of(claim['randomizer'])}, {place}, {often}"


def statements_of(claim):
    """Return the statements that the acceptance of a claim rests on."""
    more = [SELECTED] * (claim["selected"] > 1) + [EPOCHS] * (claim["epochs"] > 1)
    return [step_curves.KNOWN_SLOT, COMPOSED, *step_curves.reductions_of(claim["randomizer"]), *more]


@verdict_of
def verify(facts):
    """Return the verdict on the content of a file, whatever that is."""
    upper, claim = upper_delta(facts), facts["claim"]
    sentence = sentence_of(words_of(claim), claim, statements_of(claim))
    return judgement((lower_delta(claim), upper), claim["delta"], sentence, "delta is at most")
