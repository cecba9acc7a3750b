r"""Prove that a composition of mechanisms is (epsilon, delta)-DP, every rounding upward.

A claim is about the mechanisms of ``rounds``, each run ``count`` times, all of them run ``times`` times on the same
records, each run free to depend on all earlier outputs.  The file holds the claim and the ``fineness`` of the
computation.  Whatever the fineness is, what is accepted is true: the fineness decides only how near delta may be to the
truth.

**1. The claim.**  For two laws P and Q of an output, L = log dP/dQ is the loss (it may be infinite), and the least
delta at epsilon is D(epsilon) = E_P (1 - e^(epsilon - L))_+ (curves, as all names in brackets a statement of
STATEMENTS).  A pair dominates a mechanism if its curve D is nowhere below that of two neighbours, at any real epsilon.
Losses of pairs that dominate the runs one by one add up, independent, to that of a pair that dominates all runs
together, adaptive ones too (composed-pairs).

**2. The proof.**  loss_laws.py and batch_laws.py name, for each mechanism, a pair that dominates it, and enclose its
loss; of a group's places in a batch those are told apart of which more have a probability above a share of delta.
loss_lattice.py replaces each law by a measure on a lattice whose curve is nowhere lower, before and after any sum, and
says what delta is in the end.  One law that counts once needs no lattice: delta = P(L > epsilon) - e^epsilon
Q(L > epsilon).  That of a single round whose pair is attained, from below, shows that a claim is false.
"""

from fractions import Fraction

from . import composition_rounds
from .claim_files import check_file, decimal, fields, integer, judgement, require, verdict_of
from .composition_rounds import REMOVED, REPLACED, laws, read_round, sampling_of, statements_of
from .directed_decimals import ZERO, Ends, exp_of
from .loss_lattice import delta_of, lattice_law, power_law, read_fineness, sum_law
from .statement_sentences import sentence_of, sentences_of

# The most rounds, each of which has a law of its own.
MOST_ROUNDS = 100
# The keys of a claim.
CLAIM_KEYS = {"mechanism", "rounds", "times", "epsilon", "delta"}
# The statements that an acceptance may rest on.
STATEMENTS = sentences_of(*composition_rounds.STATEMENTS)


def delta_ends(pairs, epsilon, fine):
    """Return Ends of delta at epsilon; the lower one is that of a single round."""
    single = []
    for law, _ in pairs:
        p, q = law.tails(epsilon, epsilon)
        delta = p - exp_of(epsilon) * q
        single.append(delta if law.attained else Ends(ZERO, delta.upper))
    if len(pairs) == 1 and pairs[0][1] == 1:
        return single[0]
    whole_law = None
    for law, count in pairs:
        power = power_law(lattice_law(law, fine), count, fine)
        whole_law = power if whole_law is None else sum_law(whole_law, power, fine)
    return Ends(max(low for low, _ in single), delta_of(whole_law, epsilon, fine))


def upper_delta(facts):
    """Return Ends of delta at the claim's epsilon, the claim and its statements; raise ValueError for other files."""
    check_file(facts, "upper_loss")
    claim = fields(facts["claim"], CLAIM_KEYS, "the claim")
    require(claim["mechanism"] == "composition", "the mechanism is not known")
    rounds, times = claim["rounds"], integer(claim, "times", 1, 10**12)
    require(type(rounds) is list and 1 <= len(rounds) <= MOST_ROUNDS, f"rounds must be from 1 to {MOST_ROUNDS}")
    rounds = [read_round(entry) for entry in rounds]
    epsilon = decimal(claim, "epsilon", "0", "1e7")
    delta = decimal(claim, "delta", "0", "1")
    samplings = {sampling_of(name, rate) for name, _, rate, _ in rounds}
    # A record is removed or added for the one, and replaced for the others.
    complaint = "samples for a record that is removed or added, and for one that is replaced, do not go together"
    require(not (REMOVED & samplings and REPLACED & samplings), complaint)
    # A round without a group is for one record: a larger group is that of all rounds.
    groups = {numbers[3] if name == "batch-gaussian" else 1 for name, numbers, *_ in rounds}
    require(len(groups) == 1, "groups of different sizes do not go together")
    directions = ("removed", "added") if REMOVED & samplings else ("",)
    products = len(directions) * sum(2 * (count * times).bit_length() for *_, count in rounds)
    fine = read_fineness(facts["fineness"], products, len(rounds))
    worst = [delta_ends(laws(rounds, times, direction, delta), epsilon, fine) for direction in directions]
    return Ends(max(low for low, _ in worst), max(high for _, high in worst)), statements_of(rounds, times)


def words_of(claim):
    """Return the mechanism of a claim in words."""
    times = "" if claim["times"] == 1 else f", {claim['times']} times"
    words = " and ".join(composition_rounds.words_of(entry) for entry in claim["rounds"])
    samplings = {sampling_of(entry["mechanism"], Fraction(entry["rate"])) for entry in claim["rounds"]}
    record = ", for a record that is removed or added," if REMOVED & samplings else ""
    record = ", for a record that is replaced," if REPLACED & samplings else record
    return f"{words}{times}{record}"


@verdict_of
def verify(facts):
    """Return the verdict on the content of a file, whatever that is."""
    (ends, statements), claim = upper_delta(facts), facts["claim"]
    return judgement(ends, claim["delta"], sentence_of(words_of(claim), claim, statements))
