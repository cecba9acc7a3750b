r"""Check upper certificates of epochs of a hidden slot with a known law: python upper_epochs.py FILE.

A certificate claims that a known randomizer in hidden slots, repeated, is (epsilon, delta)-DP.  This program needs the
standard library, and the programs upper_sum.py and upper_loss.py beside it, whose functions it calls; each has the
proof of what it does at its top.  Every rounding is upward.  The file holds the claim and the ``fineness`` of both
computations.  Whatever the fineness is, what is accepted is true.

**1. The claim.**  In each of ``epochs`` epochs a record is in ``selected`` of m slots, chosen uniformly and afresh,
and is used there with probability w (1 for more than one slot); all other slots hold reference records.  Epochs may
depend on all earlier outputs.  The record is removed, added, or either (zero-out).  For ``selected`` = k the m slots of
an epoch are cut into k parts of m // k slots or one more, each with a slot of its own (selected-slots).  So the claim
is about independent runs of one slot among n, ``count`` times for each n; the sum of independent losses of pairs that
dominate the runs dominates all of them (epochs, composed-pairs), for a removed and for an added record each by itself.

**2. One run.**  Under the law of the references the run has the likelihood ratio R = 1 + (w/n) sum_i (a_i - 1) of the
record to none.  With X = a - 1 for a record that is removed, X = 1 - a for one that is added, upper_sum.py computes a
measure of numbers y, of masses m(y), and an excess e such that, whatever the references are,

    E (u + sum_i X_i)_+  <=  sum of m(y) (u + y)_+  +  e   for every real u.

(kappa, which multiplies X = kappa (1 - a) there, is 1 here.)  Let c = w/n.  For every kappa > 0 the curves of the run
are, for a record that is removed and for one that is added,

    E (R - kappa)_+      =  E (1 - kappa + c sum_i X_i)_+            <=  sum of m(y) (1 + c y - kappa)_+  +  c e,
    E (1 - kappa R)_+  =  E (1 - kappa + kappa c sum_i X_i)_+  <=  sum of m(y) (1 - kappa (1 - c y))_+  +  kappa c e.

**3. A pair.**  The first sum is the curve of a P-mass p = m (1 + c y) and a Q-mass q = m at each y where 1 + c y > 0;
elsewhere it adds nothing.  The second one is that of p = m and q = m (1 - c y); where that is negative, y goes down to
1/c, so that q = 0, and m (y - 1/c) is added to e, as the second sum is then the same.  The loss of a mass is log(p/q),
which is infinite where q = 0.  At some losses z_0 < ... < z_n, multiples of ``width``:
(a) p is raised, or a mass goes to a larger loss or to infinity, p being kept: no curve falls;
(b) what is in [z_i, z_{i+1}] goes to its ends so that p and q are kept: upper_loss.py says why, and by which shares.
What may be above z_i, as p > q r for a lower bound r of e^(z_i), is counted in the cell from z_i on.  If it is below
z_i by round-off, then the cell begins at log r: as shares are rounded up, they are no less than those of such a cell,
and what goes to its lower end goes on up to z_i.  What is below z_0 goes there; what may be above z_n becomes infinite.
The excess: c e of P-mass at infinity is all of it for a record that is removed.  For one that is added, K = e^(z_n):
at kappa <= K the excess is at most K c e, and at kappa > K the curve, which falls, is at most its value at K, where all
that is not yet infinite adds 0.  So K c e of P-mass at infinity is enough at every kappa.

**4. All runs.**  upper_loss.py adds losses, trims and coarsens lattices.  The bound of a run is a measure, not a pair
of probability laws; composed-pairs holds for measures of any total.  In the end delta is the mean of
(1 - e^(epsilon - L))_+ over all losses L, and the larger one of removal and addition counts.

**5. Statements.**  The sentence of acceptance names the statements of STATEMENTS that it rests on.
"""

import sys
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise
from math import ceil, log
from os.path import abspath, dirname, isfile
from typing import NamedTuple

if __package__:
    from . import upper_loss, upper_sum
else:  # run alone, beside the two programs
    sys.path.insert(0, dirname(abspath(__file__)))
    import upper_loss  # type: ignore[no-redef]
    import upper_sum  # type: ignore[no-redef]

UNIT = Decimal(1)
# The outcome: a status, 0 (verified), 1 (not verified) or 2 (not a certificate), and a sentence.
Verdict = upper_sum.Verdict
# A place is surely above a loss that is so much smaller, over ``width``, in floating point.
BEYOND = 1e-6
# The keys of a claim besides its parameters, and of the fineness.
CLAIM_KEYS = {"mechanism", "steps", "selected", "epochs", "weight", "adjacency", "epsilon", "delta", "randomizer"}
FINENESS_KEYS = {"sum", "loss"}
# The adjacencies, by the changes of a record of which the worst counts.
ADJACENCIES = {"remove": ("removed",), "add": ("added",), "zero-out": ("removed", "added")}
# The statements that every acceptance rests on, those of several selected slots, and others by the randomizer.
ALWAYS = ["known-slot", "composed-pairs"]
EPOCHS = "epochs"
SELECTED = "selected-slots"
REDUCTIONS = {"gaussian": "gaussian-vectors", "laplace": "laplace-records"}
# The statements that an acceptance may rest on; they are registered in pldcheck.theorems.statements with their proofs.
STATEMENTS = {
    "known-slot": upper_sum.STATEMENTS["known-slot"],
    "gaussian-vectors": upper_sum.STATEMENTS["gaussian-vectors"],
    "laplace-records": upper_sum.STATEMENTS["laplace-records"],
    "composed-pairs": upper_loss.STATEMENTS["composed-pairs"],
    "epochs": (
        "Epochs with fresh secrets are dominated by the composition of as many pairs that dominate one epoch whatever "
        "was released before."
    ),
    "selected-slots": (
        "Gaussian noise on several selected slots of many is dominated by independent runs of one selected slot each, "
        "among the parts into which the slots are cut."
    ),
}


class Masses(NamedTuple):
    """P-masses and Q-masses over ``whole``, in pairs, in the order of their losses, and the P-mass at infinity.

    The last one is ``infinite`` for a record that is removed, and e^(z_n) times that for one that is added.
    """

    pairs: list
    whole: int
    infinite: Fraction


def masses_of(law, share, change, fine):
    """Return the Masses of a run, from the law of its sum; ``share`` is w/n."""
    unit = share * fine.width * 2**law.level
    pairs, excess = [], 0
    for k, mass in enumerate(law.masses, law.first):
        ratio = unit.denominator + (k if change == "removed" else -k) * unit.numerator
        if change == "removed":
            p, q = max(0, ratio), unit.denominator
        else:
            p, q = unit.denominator, max(0, ratio)
            excess += mass * max(0, -ratio)
        if mass * p:
            pairs.append((mass * p, mass * q))
    whole = fine.one * unit.denominator
    return Masses(pairs, whole, share * fine.width * Fraction(law.excess, fine.one) + Fraction(excess, whole))


def places_of(masses, fine):
    """Return the whole numbers k at whose losses k ``width`` the masses are cut; any are allowed."""
    most = Fraction(fine.cut * masses.whole, fine.one)

    def place(pairs):
        """Return about the loss, over ``width``, of the first mass before which there is more than the cut."""
        total = 0
        for p, q in pairs:
            total += p
            if total > most and q > 0:
                return (log(p) - log(q)) / float(fine.width)
        return 0.0

    low, high = place(masses.pairs), place(masses.pairs[::-1])
    walk = upper_loss.cuts(upper_loss.Law(None, []), fine)
    inner = [k for k in walk if low < k < high]
    return sorted({*[k for k in walk if k <= low][-1:], *inner, *[k for k in walk if k >= max(low, high) + BEYOND][:1]})


def lattice_law(masses, change, fine):
    """Return a lattice law whose curve is nowhere below that of some Masses."""
    places = places_of(masses, fine)
    upper_sum.require(places, "no place of the lattice of losses is among the losses of a run")
    edges = [upper_loss.exp_of(k * fine.width) for k in places]
    edges = [upper_loss.Ends(Fraction(low), Fraction(high)) for low, high in edges]
    cells = [[0, 0] for _ in places]
    lowest = infinite = i = 0
    for p, q in masses.pairs:
        # The losses rise: the last place that this one may be above.
        while i < len(places) and p > edges[i].lower * q:
            i += 1
        if i == 0:
            lowest += p
        elif i == len(places):
            infinite += p
        else:
            cells[i - 1][0] += p
            cells[i - 1][1] += q
    scale = Fraction(fine.one, masses.whole)
    lattice = [0] * (places[-1] - places[0] + 1)
    lattice[0] = ceil(lowest * scale)
    for (a, b), (low, high), (p, q) in zip(pairwise(places), pairwise(edges), cells, strict=False):
        fall, rise = upper_loss.exp_of((a - b) * fine.width)[1], upper_loss.exp_of((b - a) * fine.width)[0]
        lattice[b - places[0]] += max(0, ceil((p - q * low.lower) / (1 - Fraction(fall)) * scale))
        lattice[a - places[0]] += max(0, ceil((q * high.upper - p) / (Fraction(rise) - 1) * scale))
    excess = masses.infinite * (1 if change == "removed" else edges[-1].upper)
    infinity = ceil(infinite * scale + excess * fine.one)
    return upper_loss.trim(upper_loss.Lattice(lattice, places[0], infinity, 0), fine)


def parts_of(steps, selected, epochs):
    """Return pairs (n, count): all epochs are so many runs of one slot among n."""
    each, more = divmod(steps, selected)
    parts = [(each, (selected - more) * epochs), (each + 1, more * epochs)]
    return [part for part in parts if part[1]]


def composed_law(step, change, weight, parts, fine):
    """Return the lattice law of all runs, for one record and one change of it."""
    sums, losses = fine
    single, total = upper_sum.lattice_law(step, Fraction(0), sums), None
    for steps, count in parts:
        run = masses_of(upper_sum.power_law(single, steps, sums), weight / steps, change, sums)
        power = upper_loss.power_law(lattice_law(run, change, losses), count, losses)
        total = power if total is None else upper_loss.sum_law(total, power, losses)
    return total


def steps_of(claim, adjacency, end=1):
    """Return pairs of a change and a step, which are X of the page: ``kappa`` of upper_sum.py is 1."""
    return [
        (change, step)
        for change in ADJACENCIES[adjacency]
        for step in upper_sum.steps_of(claim["randomizer"], UNIT, {"removed": "remove", "added": "add"}[change], end)
    ]


def upper_delta(facts):
    """Return an upper bound of delta at the claim's epsilon; raise ValueError for what is not a certificate."""
    upper_sum.fields(facts, upper_sum.FILE_KEYS, "the file")
    upper_sum.require(facts["pldcheck_certificate"] == "upper_epochs", "not a certificate for this program")
    claim = upper_sum.fields(facts["claim"], CLAIM_KEYS, "the claim")
    epsilon = upper_sum.decimal(claim, "epsilon", "0", "1e7")
    weight = upper_sum.decimal(claim, "weight", "1e-30", "1")
    upper_sum.decimal(claim, "delta", "0", "1")
    steps, epochs = (upper_sum.integer(claim, name, 1, 10**12) for name in ("steps", "epochs"))
    selected, adjacency = upper_sum.integer(claim, "selected", 1, steps), claim["adjacency"]
    upper_sum.require(type(adjacency) is str and adjacency in ADJACENCIES, f"adjacency must be one of {[*ADJACENCIES]}")
    laws = steps_of(claim, adjacency)
    noise = claim["randomizer"]["kind"] == "gaussian"
    name = "random-allocation" if noise else "hidden-slot"
    upper_sum.require(claim["mechanism"] == name, f"the mechanism must be {name}")
    upper_sum.require(selected == 1 or (noise and weight == 1), "several slots are for Gaussian noise and weight 1")
    parts = parts_of(steps, selected, epochs)
    fineness = upper_sum.fields(facts["fineness"], FINENESS_KEYS, "fineness")
    sums = upper_sum.read_fineness(fineness["sum"], len(laws) * sum(2 * n.bit_length() for n, _ in parts), len(laws))
    losses = upper_loss.read_fineness(
        fineness["loss"], len(laws) * sum(2 * count.bit_length() for _, count in parts), len(laws) * len(parts)
    )
    wholes = [composed_law(step, change, weight, parts, (sums, losses)) for change, step in laws]
    return max(upper_loss.delta_of(whole, epsilon, losses) for whole in wholes)


def lower_delta(claim):
    """Return a lower bound of delta: that of one epoch, in one slot used with the probability w/m (upper_sum.py)."""
    epsilon = Fraction(claim["epsilon"])
    if claim["selected"] > 1 or epsilon > 100:
        return Decimal(0)
    more, share = upper_sum.exp_of(epsilon)[1], Fraction(claim["weight"]) / claim["steps"]
    steps = upper_sum.steps_of(claim["randomizer"], more, claim["adjacency"], 0)
    return max(upper_sum.delta_ends(step, 1, share, more, None)[0] for step in steps)


def sentence_of(claim):
    """Return the claim in words."""
    numbers = ", ".join(f"{key} {value}" for key, value in claim["randomizer"].items() if key not in ("kind", "rows"))
    kind = f"{claim['randomizer']['kind']}{' ' if numbers else ''}{numbers}"
    place = f"in {claim['selected']} of {claim['steps']} slots, used with probability {claim['weight']}"
    often = f"{claim['adjacency']}, {claim['epochs']} times"
    return f"a record of {kind}, {place}, {often}, is ({claim['epsilon']}, {claim['delta']})-DP"


def statements_of(claim):
    """Return the statements that the acceptance of a claim rests on."""
    kind = claim["randomizer"]["kind"]
    more = [SELECTED] * (claim["selected"] > 1) + [EPOCHS] * (claim["epochs"] > 1)
    return [*ALWAYS, *([REDUCTIONS[kind]] if kind in REDUCTIONS else []), *more]


def verify(facts):
    """Return the verdict on the content of a file; whatever the content is, it raises no error."""
    try:
        upper, lower = upper_delta(facts), lower_delta(facts["claim"])
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
        return Verdict(2, f"refused: {error if type(error) is ValueError else repr(error)}")
    claim = facts["claim"]
    if upper <= Decimal(claim["delta"]):
        rests = " and ".join(statements_of(claim))
        return Verdict(0, f"accepted: {sentence_of(claim)}; this rests on {rests}")
    if lower > Decimal(claim["delta"]):
        return Verdict(1, f"false: delta is at least {upper_sum.DOWN_NINE.plus(lower)}")
    reason = f"delta is at most {upper_sum.UP_NINE.plus(upper)}"
    return Verdict(1, f"not verified: {reason}; the fineness is too coarse, or the claim is false")


def examine(path):
    """Return the verdict on a file."""
    try:
        upper_sum.require(isfile(path), "not a file")
        with open(path, "rb") as file:
            content = file.read(upper_sum.MOST_BYTES + 1)
        verdict = verify(upper_sum.parse(content))
        return verdict._replace(sentence=f"{verdict.sentence}; sha256 {sha256(content).hexdigest()}")
    except (OSError, RecursionError, ValueError) as error:
        return Verdict(2, f"refused: {error if type(error) is ValueError else repr(error)}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python upper_epochs.py FILE")
    status, sentence = examine(sys.argv[1])
    print(sentence)
    sys.exit(status)
