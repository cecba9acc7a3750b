r"""Prove that hidden slots of the worst randomizers, or of a known one, are (epsilon, delta)-DP, and shuffling by them.

**1. The claim.**  A record is in one of m slots, chosen uniformly and kept secret, and is used there with probability
w; the other slots, and its own where it is not used, hold reference records g, known to the attacker.  The slots are
released one after another.  Each goes through an eps0-DP randomizer, which may be any one, and may depend on all that
was released before: the attacker may even choose it.  Two data sets differ in the record, which is d in one and d' in
the other ("replace"), or which is there in one only ("zero-out": then g stands in its place, in both orders).  With
kappa = e^epsilon and the laws P and P' of all that is released, the claim is that always

    delta  >=  the integral of (P - kappa P')_+,

which is (epsilon, delta)-differential privacy for this record, whatever all other records are.  With a ``randomizer``
it is about that one alone, whose reference records may be any of its inputs and may depend on what was released.

**2. The sum.**  Let a_i and a'_i be the likelihood ratios of the output of slot i, given the past, on d and on d'
against g.  Where the record is in slot i, all other slots are as if there were no record; so with respect to the law of
the references alone P has the density 1 - w + (w/m) sum a_i, and P' the same with a'_i.  The claim is therefore that

    delta  >=  (w/m) E (u0 + sum s_i)_+,    s_i = (a_i - 1) - kappa (a'_i - 1),    u0 = -(kappa - 1) m / w,

with the mean under the references.  Under these a_i and a'_i have the mean 1 given the past, and so s_i has the mean 0.

**3. Why the computed number is a bound.**  Whoever chooses the randomizers chooses, step by step, the law of s_i given
the past, among those that eps0-DP allows.  A positive part is convex, so what matters is the largest mean of a convex
function of s_i: slot_laws.py shows that two or three laws of (a, a') attain it for every such function, and names those
of known randomizers.  From the last step to the first, the supremum delta* of the right side over all adaptive choices
is

    delta* = (w/m) V_m(u0),    V_0(u) = u_+,    V_t = T V_{t-1},    T f(u) = max E f(u + s),

the maximum being over these laws.  Nothing else of the randomizers enters.  block_recursion.py bounds V_m(u0) from
above: functions on a grid that are nowhere below V_t, and for many steps a measure whose independent copies are added
(doubled_laws.py).  delta* rises with x = e^eps0, as the class grows, and falls with kappa: x is rounded up, kappa down,
and V_t is that of the rounded numbers.  The ``fineness`` of the file says how fine grids and measures are: it decides
how near the bound is to delta*, and whatever it is, a claim that is accepted is true.

**4. Shuffling.**  client_cost.py reduces it to a hidden slot with one client fewer, for a part of delta and of kappa.

**5. One run.**  Given which slot holds the record, and whether it is used, the record is in one run of the randomizer
or in none: what is released before does not depend on it, and what follows on that run's output only.  So, by curves,
delta is at most w delta0 where epsilon >= eps0, and such a claim is accepted at once; without delta0 it is 0.

**6. What is assumed.**  The statements in STATEMENTS, by which claims about other mechanisms follow; the sentence of
acceptance names those that it rests on, and "no further statement" means that this text and those it names are the
whole proof.  With n ``clients`` of windows of m slots, the slots m to n take place: few-clients-window.  And that
Python computes with integers and fractions as it should.

**7. False claims.**  attained_delta.py has what randomized response attains; a claim below it is said to be false.
"""

from fractions import Fraction

from . import slot_laws
from .attained_delta import slot_verdict
from .block_recursion import MOST_BLOCK, MOST_NODES, delta_upper
from .claim_files import Verdict, check_file, fields, integer, require, short_decimal, verdict_of
from .client_cost import SHARES, SHUFFLED, one_client_fewer
from .doubled_laws import MOST_ATOMS
from .fixed_point import BITS, exp_ends
from .statement_sentences import in_mechanism, said, sentence_of, sentences_of

# The largest number of slots.
MOST_STEPS = 10**15
# The keys of the fineness, and the ranges of the integers among them.
INTEGERS = {
    "block": (1, MOST_BLOCK),
    "doublings": (0, 60),
    "left": (1, MOST_NODES),
    "right": (1, MOST_NODES),
    "join": (1, MOST_NODES),
    "cut": (2, BITS),
    "atoms": (8, MOST_ATOMS),
}
# The statement by which shuffling is reduced to a hidden slot at a cost in epsilon and in delta.
ONE_FEWER = "one-client-fewer"
# The same for clients who all run one known randomizer.
KNOWN_FEWER = "known-client-fewer"
# The mechanisms that are shuffling, each with the statement by which it is.
SHUFFLES = {"shuffle": [], "averaged": ["averaged-shuffle"]}
# The names of m, w and the adjacency in a claim about each mechanism, and the statement by which it is a hidden slot; w
# is 1 and the adjacency is replacement where they have no name.
REDUCTIONS = {
    "hidden-slot": (("steps", "weight", "adjacency"), None),
    "check-in": (("steps", "check_in_prob"), "check-in-slot"),
    "sliding-window": (("window",), "sliding-window-slot"),
    "shuffle": (("clients",), ONE_FEWER),
    "averaged": (("clients",), ONE_FEWER),
}
# Further keys that a claim has, and those that it may have, by the mechanism.
REQUIRED = {"averaged": {"steps"}}
OPTIONAL = {
    "hidden-slot": {"delta0", "randomizer"},
    "check-in": {"delta0", "clients"},
    "sliding-window": {"delta0", "clients"},
    "shuffle": {"randomizer"},
}
# The statement on windows of which not all slots take place, where the claim says how many "clients" there are.  A
# check-in is a hidden slot whatever their number is, and so are averages shuffling whatever the number of "steps" is.
FEW_CLIENTS = "few-clients-window"
# The statement by which (eps0, delta0)-DP randomizers are pure ones of a larger budget, for a part of delta.
CLIPPING = "clipped-slot"
# The statement by which one run of the randomizer decides.
ONE_RUN = "curves"
# The statements that an acceptance may rest on.
STATEMENTS = sentences_of(
    *(ONE_RUN, "check-in-slot", "sliding-window-slot", FEW_CLIENTS, CLIPPING, "averaged-shuffle"),
    *(ONE_FEWER, KNOWN_FEWER),
)


def least_weight(steps, weight, clients):
    """Return at most the weight of the hidden slot that check-ins are where all other records are the dummy.

    That is w times the mean of 1 / (c + 1), which is at least 1 - c / 2 and 1 / n; c others of n - 1 are in a slot with
    the chance w / m each.
    """
    return weight * max(1 - (clients - 1) * weight / (2 * steps), Fraction(1, clients))


def read_claim(claim):
    """Return a claim that implies a file's claim, one that it implies, and the statements by which the first does."""
    require(type(claim) is dict and claim.get("mechanism") in [*REDUCTIONS], "the mechanism is not known")
    names, statement = REDUCTIONS[claim["mechanism"]]
    optional = OPTIONAL.get(claim["mechanism"], set()) & claim.keys()
    required = REQUIRED.get(claim["mechanism"], set())
    budget = set() if slot_laws.is_table(claim) else {"eps0"}
    fields(claim, {"mechanism", "epsilon", "delta", *names, *budget, *required, *optional}, "the claim")
    steps = integer(claim, names[0], 1, MOST_STEPS)
    weight = short_decimal(claim, names[1], None, 1) if len(names) > 1 else Fraction(1)
    if claim["mechanism"] == "sliding-window" and "clients" in optional:
        visible = min(steps, integer(claim, "clients", steps, MOST_STEPS) - steps + 1)
        steps, weight, statement = visible, Fraction(visible, steps), FEW_CLIENTS
    for name in required:
        integer(claim, name, 1, MOST_STEPS)
    used = weight  # a window's slot is attained where no other client takes part
    if claim["mechanism"] == "check-in" and "clients" in optional:
        used = least_weight(steps, weight, integer(claim, "clients", 1, MOST_STEPS))
    adjacency = claim.get("adjacency", "replace")
    require(adjacency in [*slot_laws.ADJACENCIES], "the adjacency must be replace or zero-out")
    kappa, more = exp_ends(short_decimal(claim, "epsilon", 0, 20))
    delta = short_decimal(claim, "delta", 0, 1)
    laws = slot_laws.ADJACENCIES[adjacency]
    if "randomizer" in optional:
        require(adjacency == "replace" and "delta0" not in optional, "a randomizer is for a replaced record, no delta0")
        laws = slot_laws.choices_of(claim)
        statement = KNOWN_FEWER if statement == ONE_FEWER else statement
    if slot_laws.is_table(claim):
        less = x = max(max(column) / min(column) for column in slot_laws.columns_of(claim["randomizer"]))
    else:
        less, x = exp_ends(short_decimal(claim, "eps0", None, 20))
    part, factor = None, Fraction(1)
    if "randomizer" in optional:
        is_table, known = slot_laws.is_table(claim), claim["randomizer"]
        part, inputs = slot_laws.part_of_table(known) if is_table else (2 / (x + 1), slot_laws.values_of(claim))
        factor = 1 - Fraction(1, inputs)
    refutable = slot_laws.Slot(steps, used, laws, less, more, delta)
    statements = [*SHUFFLES.get(claim["mechanism"], []), *([statement] if statement else [])]
    if "delta0" in optional:
        require(adjacency == "replace", "delta0 must be for replacement")
        moved = short_decimal(claim, "delta0", 0, 1) * max(Fraction(1), 3 / (1 + less))
        if follows_from_one_run(claim, weight):
            return refutable, refutable, statements
        require(moved < 1, "delta0 is too large")
        x, delta = x * (1 + moved) / (1 - moved), delta - weight * moved * (more + 1)
        statements.append(CLIPPING)
    return slot_laws.Slot(steps, weight, laws, x, kappa, delta, part, factor), refutable, statements


def follows_from_one_run(claim, weight):
    """Return whether a claim, which was read, follows from one run of its randomizer, where shuffling is not meant."""
    if slot_laws.is_table(claim):
        return False
    enough = Fraction(claim["delta"]) >= weight * Fraction(claim.get("delta0", "0"))
    return claim["mechanism"] not in SHUFFLES and Fraction(claim["epsilon"]) >= Fraction(claim["eps0"]) and enough


def read_fineness(facts, steps, shuffled=False):
    """Return the fineness of a file."""
    integers = INTEGERS | SHUFFLED if shuffled else INTEGERS
    shares = SHARES if shuffled else {}
    fields(facts, {*integers, *shares, "grid", "tilt"}, "the fineness")
    fine = {name: integer(facts, name, *ends) for name, ends in integers.items()}
    fine |= {name: short_decimal(facts, name, 0, most) for name, most in shares.items()}
    fine |= {"grid": short_decimal(facts, "grid", None, 10**30), "tilt": short_decimal(facts, "tilt", 1, 2)}
    require(fine["tilt"] > 1, "the tilt must be above 1")
    require(fine["left"] % fine["join"] == fine["right"] % fine["join"] == 0, "join must divide left and right")
    require(fine["block"] << fine["doublings"] >= steps, "the blocks have fewer steps than the claim")
    return fine


def words_of(claim):
    """Return the mechanisms of a claim in words."""
    kind = f"every adaptive {'(eps0, delta0)-DP' if 'delta0' in claim else 'eps0-DP'} randomizer"
    if "randomizer" in claim:
        kind = f"the randomizer {'of the table ' if slot_laws.is_table(claim) else ''}{said(claim['randomizer'])}"
    return in_mechanism(kind, claim, "randomizer")


@verdict_of
def verify(facts):
    """Return the verdict on the content of a file, whatever that is."""
    theorem = {"theorem"} & facts.keys() if type(facts) is dict else set()
    check_file(facts, "upper_slot", theorem)
    claim = facts["claim"]
    slot, refutable, statements = read_claim(claim)
    shuffled = claim["mechanism"] in SHUFFLES
    required = [KNOWN_FEWER if "randomizer" in claim else ONE_FEWER] if shuffled else []
    require([facts[name] for name in theorem] == required, f"it must name {' '.join(required) or 'no theorem'}")
    fine = read_fineness(facts["fineness"], slot.steps - shuffled, shuffled)
    if follows_from_one_run(claim, slot.weight):
        return Verdict(0, f"accepted: {sentence_of(words_of(claim), claim, [ONE_RUN])}")

    def bound():
        reduced = one_client_fewer(slot, fine) if shuffled else slot
        return delta_upper(reduced, fine), reduced.delta

    return slot_verdict(bound, refutable, sentence_of(words_of(claim), claim, statements))
