r"""Check certificates of upper ends of hidden slots, every rounding upward: python upper_slot.py FILE.

A certificate claims that every adaptive eps0-DP randomizer in m hidden slots is (epsilon, delta)-DP.  A file holds a
claim and the ``fineness`` of a computation in integers.  Whatever the fineness is, a claim that is accepted is true:
fineness only brings the computed delta near to the truth.  This program needs the standard library and, beside it,
these modules, each of which has the proof of what it does at its top:

    attained_delta.py        the delta that a response attains
    binomial_masses.py       the masses of a binomial
    block_recursion.py       the recursion over steps, and many blocks of them
    certificate_file.py      the reading of a file, and verdicts
    client_cost.py           the cost of shuffling with one client fewer
    doubled_laws.py          sums of copies of a measure, and their tails
    fixed_point.py           integers in place of real numbers
    randomizer_table.py      tables of a randomizer's outputs
    slot_laws.py             the laws of one slot
    statement_sentences.py   the sentences of statements

**The claim.**  A record is in one of m slots, chosen uniformly, and is used there with probability w; the other slots
hold reference records g.  Every slot is released by an eps0-DP randomizer that depends on all earlier outputs.  Let
x = e^eps0, kappa = e^epsilon, and let a, a' be the likelihood ratios of a slot's output, given the past, on the record
d and on its replacement d' against g.  They have mean 1 under g, and with respect to the view of g alone the views of d
and d' have the densities 1 - w + (w/m) sum a_i and 1 - w + (w/m) sum a'_i.  So the claim is that always

    delta >= (w/m) E (u0 + sum s_i)_+,    s = (a - 1) - kappa (a' - 1),    u0 = -(kappa - 1) m / w.

**The proof.**  slot_laws.py shows that two or three laws of (a, a') are enough, and names those of known randomizers.
The supremum delta* of the right side is, with the maximum over the laws,

    delta* = (w/m) V_m(u0),    V_0(u) = u_+,    V_t = T V_{t-1},    T f(u) = max E f(u + s).

block_recursion.py bounds V_m(u0) from above.  delta* rises with x, as the class grows, and falls with kappa: x is
rounded up and kappa down, and V_t is that of the rounded numbers.  client_cost.py reduces shuffling to a hidden slot.

**One run.**  Given which slot holds the record, and whether it is used, the record is in one run of the randomizer or
in none: what is released before does not depend on it, and what follows on that run's output only.  So, by curves,
delta is at most w delta0 where epsilon >= eps0, and such a claim is accepted at once; without delta0 it is 0.

**Statements.**  Claims about other mechanisms follow by the statements in STATEMENTS; the sentence of acceptance names
those that it rests on.  With n ``clients`` of windows of m slots, the slots m to n take place: few-clients-window.
"""

import sys
from fractions import Fraction
from os.path import abspath, dirname

if __package__:
    from . import slot_laws
    from .attained_delta import not_verified, reason_of
    from .block_recursion import MOST_BLOCK, MOST_NODES, delta_upper
    from .certificate_file import TooCoarse, Verdict, check_file, fields, integer, main, refusal, require, short_decimal
    from .client_cost import SHARES, SHUFFLED, one_client_fewer
    from .doubled_laws import MOST_ATOMS
    from .fixed_point import BITS, exp_ends
    from .statement_sentences import said, sentences_of
else:  # run alone, beside these modules
    sys.path.insert(0, dirname(abspath(__file__)))
    import slot_laws  # type: ignore[no-redef]
    from attained_delta import not_verified, reason_of  # type: ignore[no-redef]
    from block_recursion import MOST_BLOCK, MOST_NODES, delta_upper  # type: ignore[no-redef]
    from certificate_file import TooCoarse, Verdict, check_file, fields, integer, main, refusal, require, short_decimal  # type: ignore[no-redef]
    from client_cost import SHARES, SHUFFLED, one_client_fewer  # type: ignore[no-redef]
    from doubled_laws import MOST_ATOMS  # type: ignore[no-redef]
    from fixed_point import BITS, exp_ends  # type: ignore[no-redef]
    from statement_sentences import said, sentences_of  # type: ignore[no-redef]

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


def sentence_of(claim, statements):
    """Return a claim in words, with the statements that it rests on."""
    kind = f"every adaptive {'(eps0, delta0)-DP' if 'delta0' in claim else 'eps0-DP'} randomizer"
    if "randomizer" in claim:
        kind = f"the randomizer {'of the table ' if slot_laws.is_table(claim) else ''}{said(claim['randomizer'])}"
    numbers = said(claim, "mechanism", "randomizer", "epsilon", "delta")
    place = f"{kind} in the mechanism {claim['mechanism']} with {numbers}"
    rests = f"this rests on {' and '.join(statements)}" if statements else "it needs no further statement"
    return f"{place} is ({claim['epsilon']}, {claim['delta']})-DP; {rests}"


def verify(facts):
    """Return the verdict on the content of a file, whatever that is."""
    try:
        theorem = {"theorem"} & facts.keys() if type(facts) is dict else set()
        check_file(facts, "upper_slot", theorem)
        slot, refutable, statements = read_claim(facts["claim"])
        shuffled = facts["claim"]["mechanism"] in SHUFFLES
        required = [KNOWN_FEWER if "randomizer" in facts["claim"] else ONE_FEWER] if shuffled else []
        require([facts[name] for name in theorem] == required, f"it must name {' '.join(required) or 'no theorem'}")
        fine = read_fineness(facts["fineness"], slot.steps - shuffled, shuffled)
        if follows_from_one_run(facts["claim"], slot.weight):
            return Verdict(0, f"accepted: {sentence_of(facts['claim'], [ONE_RUN])}")
        slot = one_client_fewer(slot, fine) if shuffled else slot
        upper = delta_upper(slot, fine)
        if upper <= slot.delta:
            return Verdict(0, f"accepted: {sentence_of(facts['claim'], statements)}")
        reason = reason_of(upper, slot.delta)
    except ValueError as error:
        return refusal(error)
    except TooCoarse as error:
        reason = str(error)
    return not_verified(refutable, f"{reason}; the fineness is too coarse or the claim is false")


if __name__ == "__main__":
    main(verify)
