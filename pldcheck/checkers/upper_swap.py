r"""Prove that random swapping of n records is (epsilon, delta)-DP, every rounding upward.

The claim is for all adaptive eps0-DP randomizers, and for the record that stands first and trades places.  A file holds
a claim and the ``fineness`` of a computation in integers.  Whatever the fineness is, what is accepted is true.

**The claim.**  The record stands first, the others, d_2 to d_n, in a known order behind it.  It trades places with a
uniformly chosen one of all n.  Then every place answers through an eps0-DP randomizer that depends on all earlier
outputs.  Two data sets differ in the record only, which is d in one and d' in the other.  Let x = e^eps0, kappa =
e^epsilon, and P and Q be the laws of all outputs on d and on d'.  The claim is that delta is at least the integral of
(P - kappa Q)_+.  It is 0 if kappa >= x; let 1 <= kappa < x.

**1. Weights.**  With respect to the mean over i of the laws of the first place's output on d_i, let that output have
the density v_i on d_i, and a_1 and a'_1 on d and d'.  By swap-weights the integral is 1/n times

    E (a_1 - kappa a'_1 + sum over i >= 2 of v_i G_i)_+,    G_i = a_i - kappa a'_i,

a_i and a'_i being the densities of place i's message on d and d' with respect to that on d_i, given all before.  The
v_i add up to n - 1, and they, a_1 and a'_1 are within a factor x of one another.  With L = min v_i that means 1/x <= L
<= 1, L <= v_i <= x L, and a_1 - kappa a'_1 <= a_1 (1 - kappa/x) <= L (x - kappa).

**2. The worst law of G.**  Let u and w be the densities of place i's message on d and d', given the past, and B =
max(u, w) / x.  The message is drawn as on d_i, with a density of at least B; let it be B and a remainder, and let G_B
be (u - kappa w) / B at a message from B and 0 at one from the remainder.  Given the message, the mean of G_B is G_i, so
G_i is below G_B in convex order.  Section 2 of upper_shuffle.py, where w is called v, shows that G_B is below G, which
is x - kappa or 1 - kappa x with the probability 1 / (x + 1) each, and else 0; all have the mean 1 - kappa.  So E f(s +
v_i G_i), given the past, is at most E f(s + v_i G) for every convex f, and the right side is convex in s.  From the
last place to the first, all G_i may be replaced by independent copies of G, as the v_i are known from the first output
on.

**3. Boxes.**  The ``boxes`` of the file cover the interval from 1/x to 1: the first begins at 1/x, each other one at
the ``end`` of that before it, and the last ends at 1.  Let L be between the ends low and high of a box, and let top = x
high.  The mean E (L (x - kappa) + sum v_i G^(i))_+ with copies G^(i) of G is convex in the v_i and does not depend on
their order.  Over all v_i in [low, top] with the sum n - 1 it is the largest at a corner of that set: there all but one
are low or top.  Let k of the other n - 2 be top, and y the one that is left.  As top = x high > x low >= 1, (n - 1)(1 -
low) / (top - low) is less than n - 1; k is its whole part, and low <= y < top.  Last, y G is below top G + (top -
y)(kappa - 1) in convex order, as both have the mean y (1 - kappa) and differ from it by y and by top times the same.
So n delta is at most the largest, over the boxes, of

    E (high (x - kappa) + (top - y)(kappa - 1) + sum of k + 1 copies of top G and of n - 2 - k copies of low G)_+.

The set of randomizers grows with x, and delta falls with kappa: x is rounded up and kappa down.  From here on all
numbers are those of the rounded x and kappa, and exact.  Where these have kappa >= x section 5 accepts, so the first
number in the mean, the constant c, is above 0.

**4. The sum.**  Masses are at whole multiples of the ``grid`` of the box.  A value of a copy is rounded up to a
multiple of grid / 2^PLACES; one between two nodes has a share of its probability at each, which keeps the mean and
raises that of convex functions.  Probabilities are rounded up.  The binary digits of k + 1 and of n - 2 - k, the first
digit first, say how many copies there are: before each digit the law is replaced by that of the sum of two independent
copies, as doubled_laws.py says, and a digit 1 adds one more copy; on a coarser lattice copies are put on that one.  One
copy more leaves out its own tilted total times R, that of what is left out.  The ``tilt`` of the box is g = e^(theta
grid), on a coarser lattice the power of g that belongs to it.

**5. One run.**  Given with which place the record trades its own, only one message depends on whether it is d or d',
and what follows depends on it through that message.  The integral for two laws with densities within a factor x of each
other is at most (x - kappa) / (x + 1), which is attained by binary response.  By curves, delta is at most that, too.

**6. False claims.**  Where all others are alike, the record is at a uniformly chosen one of n equal places: that is a
hidden slot, and what randomized response attains there shows that a claim is false.
"""

from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from .attained_delta import slot_verdict
from .claim_files import check_file, fields, integer, require, short_decimal, spend, verdict_of
from .doubled_laws import MOST_ATOMS, MOST_DOUBLED, PLACES_DOUBLED, Law, mean_gain, shorter, tilt_at, twofold
from .fixed_point import BITS, ONE, PLACES, exp_ends, times
from .slot_laws import Slot
from .statement_sentences import in_mechanism, sentence_of, sentences_of

# The statements that an acceptance may rest on.
WEIGHTS = "swap-weights"
ONE_RUN = "curves"
STATEMENTS = sentences_of(WEIGHTS, ONE_RUN)
# The record that a claim is about.
WHOM = " for the record that stands first and trades places"
# The largest number of records.
MOST_CLIENTS = 10**15
# The largest number of boxes.
MOST_BOXES = 150
# The largest number of places that all copies together reach, and those for which a core takes a second.
MOST_REACHED = 2 * 10**7
REACHED = 500_000
# The keys of the fineness, and the ranges of the integers among them.
INTEGERS = {"atoms": (8, MOST_ATOMS), "cut": (2, BITS)}


class Claim(NamedTuple):
    """A claim; ``x`` and ``kappa`` are rounded so that it implies the file's claim."""

    clients: int
    x: Fraction
    kappa: Fraction
    delta: Fraction


class Box(NamedTuple):
    """A box, the grid on which its sum is computed, and the tilt of what is left out."""

    low: Fraction
    high: Fraction
    grid: Fraction
    tilt: Fraction


def read_claim(claim):
    """Return a claim that implies a file's claim, and one about a hidden slot that it implies."""
    require(type(claim) is dict and claim.get("mechanism") == "swap", "the mechanism must be swap")
    fields(claim, {"mechanism", "clients", "eps0", "epsilon", "delta"}, "the claim")
    clients = integer(claim, "clients", 2, MOST_CLIENTS)
    less, x = exp_ends(short_decimal(claim, "eps0", None, 20))
    kappa, more = exp_ends(short_decimal(claim, "epsilon", 0, 20))
    delta = short_decimal(claim, "delta", 0, 1)
    slot = Slot(clients, Fraction(1), [["BE", "CF"]], less, more, delta)
    return Claim(clients, x, kappa, delta), slot


def read_fineness(facts, claim):
    """Return the fineness of a file; its boxes cover the interval from 1/x to 1."""
    fields(facts, {"boxes", *INTEGERS}, "the fineness")
    fine = {name: integer(facts, name, *ends) for name, ends in INTEGERS.items()}
    boxes, low = [], 1 / claim.x
    require(type(facts["boxes"]) is list and len(facts["boxes"]) <= MOST_BOXES, f"there are at most {MOST_BOXES} boxes")
    for facts_of_box in facts["boxes"]:
        fields(facts_of_box, {"end", "grid", "tilt"}, "a box")
        high = short_decimal(facts_of_box, "end", None, 1)
        require(low < high, "the ends of boxes must rise from 1/x")
        grid = short_decimal(facts_of_box, "grid", None, 10**30)
        tilt = short_decimal(facts_of_box, "tilt", None, 100)
        require(tilt > 1, "tilt must be above 1")
        boxes.append(Box(low, high, grid, tilt))
        low = high
    require(low == 1, "the last box must end at 1")
    return {**fine, "boxes": boxes}


def terms_of(claim, low, high):
    """Return the constant of a box, and the pairs of a weight and the number of copies of G that have it."""
    top, others = claim.x * high, claim.clients - 1
    k = floor(others * (1 - low) / (top - low))
    y = others - k * top - (others - 1 - k) * low
    constant = high * (claim.x - claim.kappa) + (top - y) * (claim.kappa - 1)
    return constant, [(top, k + 1), (low, others - 1 - k)]


def copy_of(claim, weight, grid):
    """Return the nodes of a copy of G times a weight, and the probability at each times ONE."""
    masses = {}
    gains = ((claim.x - claim.kappa, 1), (1 - claim.kappa * claim.x, 1), (0, claim.x - 1))
    for gain, share in gains:
        node, part = divmod(ceil(weight * gain / grid * 2**PLACES), 2**PLACES)
        for place, of_it in ((node, 2**PLACES - part), (node + 1, part)):
            mass = ceil(share * of_it * ONE / ((claim.x + 1) * 2**PLACES))
            masses[place] = masses.get(place, 0) + mass
    return {place: mass for place, mass in masses.items() if mass}


def reach_of(claim, box):
    """Return the number of nodes from the lowest to the highest of a copy, for both weights."""
    copies = [copy_of(claim, weight, box.grid) for weight, _ in terms_of(claim, box.low, box.high)[1]]
    return sum(max(copy) - min(copy) + 1 for copy in copies)


def with_copy(law, copy):
    """Return the law of a sum with one more copy, which is on the same lattice."""
    first, last = min(copy), max(copy)
    masses = [0] * (len(law.masses) + last - first)
    for place, share in copy.items():
        for index, mass in enumerate(law.masses, place - first):
            masses[index] += times(mass, share)
    total = sum(times(share, tilt_at(law, place)) for place, share in copy.items())
    return law._replace(masses=masses, low=law.low + first, left_out=times(law.left_out, total))


def highest(law):
    """Return the highest place of a law, but at least 1: powers of the tilt below have no digits to speak of."""
    return max(law.low + len(law.masses), 1)


def mean_excess(claim, box, fine):
    """Return an upper bound of the mean of a box."""
    constant, terms = terms_of(claim, box.low, box.high)
    law = Law([ONE], 0, 1, ceil(box.tilt * ONE), ceil(ONE / box.tilt), 0)
    for digit in reversed(range(max(count for _, count in terms).bit_length())):
        law = twofold(*shorter(law, fine, highest))
        for weight, count in terms:
            if count >> digit & 1:
                law = with_copy(law, copy_of(claim, weight, box.grid * law.spacing))
    return box.grid * mean_gain(law, constant / box.grid)


def one_run(claim):
    """Return the delta of one run of the randomizer."""
    return max((claim.x - claim.kappa) / (claim.x + 1), Fraction(0))


def delta_upper(claim, fine):
    """Return an upper bound of delta; raise ValueError if it would take too much work."""
    places = len(fine["boxes"]) * claim.clients.bit_length() * fine["atoms"]
    reached = sum(reach_of(claim, box) for box in fine["boxes"]) * claim.clients.bit_length()
    fits = places <= MOST_DOUBLED and reached <= MOST_REACHED
    require(fits, "it takes more than the largest amount of work")
    spend(places / PLACES_DOUBLED + reached / REACHED)
    return max(mean_excess(claim, box, fine) for box in fine["boxes"]) / claim.clients


def words_of(claim):
    """Return the mechanisms of a claim in words."""
    return in_mechanism("every adaptive eps0-DP randomizer", claim)


@verdict_of
def verify(facts):
    """Return the verdict on the content of a file, whatever that is."""
    check_file(facts, "upper_swap")
    claim, refutable = read_claim(facts["claim"])
    fine, one = read_fineness(facts["fineness"], claim), one_run(claim)
    follows = one <= claim.delta
    sentence = sentence_of(words_of(facts["claim"]), facts["claim"], [ONE_RUN if follows else WEIGHTS], WHOM)
    return slot_verdict(lambda: (one if follows else delta_upper(claim, fine), claim.delta), refutable, sentence)
