r"""Check upper certificates of epochs of a hidden slot with a known law: python upper_epochs.py FILE.

A certificate claims that a known randomizer in hidden slots, repeated, is (epsilon, delta)-DP.  Every rounding is
upward.  The file holds the claim and the ``fineness`` of both computations.  Whatever the fineness is, what is accepted
is true.  This program needs the standard library and, beside it, these modules, each of which has the proof of what it
does at its top: certificate_file.py, directed_decimals.py, discrete_weights.py, lattice_sums.py, loss_lattice.py,
noise_steps.py, randomizer_table.py, statement_sentences.py, step_curves.py and step_lattice.py.

**1. The claim.**  In each of ``epochs`` epochs a record is in ``selected`` of m slots, chosen uniformly and afresh,
and is used there with probability w (1 for more than one slot); all other slots hold reference records.  Epochs may
depend on all earlier outputs.  The record is removed, added, or either (zero-out).  For ``selected`` = k the m slots of
an epoch are cut into k parts of m // k slots or one more, each with a slot of its own (selected-slots).  So the claim
is about independent runs of one slot among n, ``count`` times for each n; the sum of independent losses of pairs that
dominate the runs dominates all of them (epochs, composed-pairs), for a removed and for an added record each by itself.

**2. One run.**  Under the law of the references the run has the likelihood ratio R = 1 + (w/n) sum_i (a_i - 1) of the
record to none.  With X = a - 1 for a record that is removed, X = 1 - a for one that is added, step_lattice.py
computes a measure of numbers y, of masses m(y), and an excess e such that, whatever the references are,

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
(b) what is in [z_i, z_{i+1}] goes to its ends so that p and q are kept: loss_lattice.py says why, and by which shares.
What may be above z_i, as p > q r for a lower bound r of e^(z_i), is counted in the cell from z_i on.  If it is below
z_i by round-off, then the cell begins at log r: as shares are rounded up, they are no less than those of such a cell,
and what goes to its lower end goes on up to z_i.  What is below z_0 goes there; what may be above z_n becomes infinite.
The excess: c e of P-mass at infinity is all of it for a record that is removed.  For one that is added, K = e^(z_n):
at kappa <= K the excess is at most K c e, and at kappa > K the curve, which falls, is at most its value at K, where all
that is not yet infinite adds 0.  So K c e of P-mass at infinity is enough at every kappa.

**4. All runs.**  loss_lattice.py adds losses, trims and coarsens lattices.  The bound of a run is a measure, not a pair
of probability laws; composed-pairs holds for measures of any total.  In the end delta is the mean of
(1 - e^(epsilon - L))_+ over all losses L, and the larger one of removal and addition counts.

**5. Statements.**  The sentence of acceptance names the statements of STATEMENTS that it rests on.
"""

import sys
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil, log
from os.path import abspath, dirname
from typing import NamedTuple

if __package__:
    from . import loss_lattice, step_curves, step_lattice
    from .certificate_file import ERRORS, check_file, decimal, fields, integer, judgement, main, refusal, require
    from .directed_decimals import UNIT, Ends, exp_of
    from .statement_sentences import sentences_of
else:  # run alone, beside these modules
    sys.path.insert(0, dirname(abspath(__file__)))
    import loss_lattice  # type: ignore[no-redef]
    import step_curves  # type: ignore[no-redef]
    import step_lattice  # type: ignore[no-redef]
    from certificate_file import ERRORS, check_file, decimal, fields, integer, judgement, main, refusal, require  # type: ignore[no-redef]
    from directed_decimals import UNIT, Ends, exp_of  # type: ignore[no-redef]
    from statement_sentences import sentences_of  # type: ignore[no-redef]

# A place is surely above a loss that is so much smaller, over ``width``, in floating point.
BEYOND = 1e-6
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
    walk = loss_lattice.cuts([], fine.width, fine)
    inner = [k for k in walk if low < k < high]
    return sorted({*[k for k in walk if k <= low][-1:], *inner, *[k for k in walk if k >= max(low, high) + BEYOND][:1]})


def lattice_law(masses, change, fine):
    """Return a lattice law whose curve is nowhere below that of some Masses."""
    places = places_of(masses, fine)
    require(places, "no place of the lattice of losses is among the losses of a run")
    edges = [exp_of(k * fine.width) for k in places]
    edges = [Ends(Fraction(low), Fraction(high)) for low, high in edges]
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
        fall, rise = exp_of((a - b) * fine.width)[1], exp_of((b - a) * fine.width)[0]
        lattice[b - places[0]] += max(0, ceil((p - q * low.lower) / (1 - Fraction(fall)) * scale))
        lattice[a - places[0]] += max(0, ceil((q * high.upper - p) / (Fraction(rise) - 1) * scale))
    excess = masses.infinite * (1 if change == "removed" else edges[-1].upper)
    infinity = ceil(infinite * scale + excess * fine.one)
    return loss_lattice.trim(loss_lattice.Lattice(lattice, places[0], infinity, 0), fine)


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
        run = masses_of(step_lattice.power_law(single, steps, sums), weight / steps, change, sums)
        power = loss_lattice.power_law(lattice_law(run, change, losses), count, losses)
        total = power if total is None else loss_lattice.sum_law(total, power, losses)
    return total


def steps_of(claim, adjacency, end=1):
    """Return pairs of a change and a step, which are X of the page: ``kappa`` of step_curves.py is 1."""
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


def sentence_of(claim):
    """Return the claim in words, with the statements that it rests on."""
    place = f"in {claim['selected']} of {claim['steps']} slots, used with probability {claim['weight']}"
    often = f"{claim['adjacency']}, {claim['epochs']} times"
    known = step_curves.words_of(claim["randomizer"])
    what = f"a record of {known}, {place}, {often}, is ({claim['epsilon']}, {claim['delta']})-DP"
    return f"{what}; this rests on {' and '.join(statements_of(claim))}"


def statements_of(claim):
    """Return the statements that the acceptance of a claim rests on."""
    more = [SELECTED] * (claim["selected"] > 1) + [EPOCHS] * (claim["epochs"] > 1)
    return [step_curves.KNOWN_SLOT, COMPOSED, *step_curves.reductions_of(claim["randomizer"]), *more]


def verify(facts):
    """Return the verdict on the content of a file; whatever the content is, it raises no error."""
    try:
        upper = upper_delta(facts)
        lower = lower_delta(facts["claim"])
    except ERRORS as error:
        return refusal(error)
    return judgement((lower, upper), facts["claim"]["delta"], sentence_of(facts["claim"]), "delta is at most")


if __name__ == "__main__":
    main(verify, misuse=1)
