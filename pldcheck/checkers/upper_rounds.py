r"""Prove that a mechanism, run several times on the same records, is (epsilon, delta)-DP, every rounding upward.

The file holds the claim, some points of the curve of one round, each with a certificate of its own, and the
``fineness`` of the composition.  Whatever these are, what is accepted is true.  The programs upper_slot.py,
upper_shuffle.py and upper_sum.py verify points.

**1. The claim.**  In each of ``times`` rounds the mechanism ``round`` runs, with secrets of its own; it may depend on
all earlier outputs.  Neighbours are the same two in all rounds, and the relation is symmetric.  Let D(kappa), the curve
of a round, be the integral of (P' - kappa Q')_+ for the laws P' and Q' of its output, given the past.

**2. Points.**  Let z_j = k_j ``width`` for the whole numbers 0 = k_0 < ... < k_n of the file, and kappa_j = e^(z_j).
Another program verifies that one round is (z_j, delta_j)-DP, so that D(kappa_j) <= delta_j.  As curves are convex, D is
between kappa_0 = 1 and kappa_n at most the function h that is linear between the kappa_j and delta_j at each; from
kappa_n on, where curves fall, at most h = delta_n.  That holds for both orders of the neighbours.  So for kappa < 1,
where D(kappa) is 1 - kappa + kappa times the curve of the other order at 1/kappa, it is at most h(kappa) = 1 - kappa +
kappa h(1/kappa).

**3. Masses with that curve.**  Let t_j be the slope of h after kappa_j, so that t_n = 0, and let

    p_j = kappa_j (t_j - t_(j-1))  for j > 0,    p_0 = 1 + 2 t_0 - delta_0.

Put P-masses p_j at the losses z_j, p_j / kappa_j at -z_j for j > 0, and delta_n at infinity; the Q-mass of each is
e^(-loss) times as much, and nothing at infinity.  Let f(kappa) be the sum of all p (1 - kappa e^(-loss))_+, whatever
the sign of p is; where p >= 0, that is (p - kappa q)_+.  Then f is h.  Both are delta_n from kappa_n on.  At kappa_j,
j > 0, the slope of f changes by the Q-mass p_j / kappa_j, that of h by t_j - t_(j-1), the same.  At 1 the slope of f
changes by p_0; that of h is t_0 after 1 and -1 + h(1) - t_0 before it, which is p_0 less.  Below 1 the slope of h is
-1 + h(1/kappa) - h'(1/kappa) / kappa: at 1/kappa_j it changes by kappa_j (t_j - t_(j-1)), and that of f by the Q-mass
there, which is p_j.
Masses are rounded up, and those below 0, as of points that lie on no convex curve, are set to 0: either way p grows,
and f, in which no factor of a p is negative, falls nowhere.  From here on f is the curve of measures P and Q.  By
composed-pairs, for measures of any total mass, the sum of independent losses of these masses dominates all rounds, in
both orders.

**4. The composition.**  loss_lattice.py adds losses on the lattice of ``width``, trims and coarsens it.  In the end
delta is the mean of (1 - e^(epsilon - L))_+ over all losses L.

**5. Statements.**  The sentence of acceptance names epochs, by which rounds with fresh secrets are such runs,
composed-pairs, and the statements on which the points rest.
"""

from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from . import upper_shuffle, upper_slot, upper_sum
from .claim_files import check_file, decimal, fields, integer, judgement, require, verdict_of
from .directed_decimals import ZERO, exactly, exp_of
from .loss_lattice import Lattice, delta_of, power_law, read_fineness, trim
from .statement_sentences import said, sentence_of, sentences_of

# The programs that verify points.
PROGRAMS = {"upper_slot": upper_slot, "upper_shuffle": upper_shuffle, "upper_sum": upper_sum}
# Adjacencies for which neighbours are not symmetric.
ONE_SIDED = ("remove", "add")
# The statements by which rounds are composed.
EPOCHS = "epochs"
COMPOSED = "composed-pairs"
STATEMENTS = sentences_of(COMPOSED, EPOCHS)
# The words between the claim of a point and the statements that it rests on.
RESTS = "; this rests on "
# The most points of a curve, the largest of their places, and the most rounds.
MOST_POINTS = 200
MOST_PLACES = 2**19
MOST_ROUNDS = 10**12


class Point(NamedTuple):
    """A point of the curve: one round is (``place`` width, ``delta``)-DP."""

    place: int
    delta: Fraction


def decimal_of(number):
    """Return the text of a fraction that is a decimal number, without an exponent; raise an error for any other."""
    return f"{exactly(number):f}"


def verified_point(round_claim, width, entry):
    """Return a Point of the file and the statements it rests on; refuse one that its program does not verify."""
    facts = fields(entry, {"place", "delta", "certificate"}, "a point")
    place = integer(facts, "place", 0, MOST_PLACES)
    delta = decimal(facts, "delta", "0", "1")
    certificate = facts["certificate"]
    require(type(certificate) is dict and "claim" not in certificate, "a point has the claim of the round")
    name = certificate.get("pldcheck_certificate")
    require(type(name) is str and name in PROGRAMS, f"points are verified by {', '.join(PROGRAMS)}")
    claim = {**round_claim, "epsilon": decimal_of(place * width), "delta": facts["delta"]}
    verdict = PROGRAMS[name].verify({**certificate, "claim": claim})
    require(verdict.status == 0, f"the point at the place {place} is {verdict.sentence}")
    rests = verdict.sentence.partition(RESTS)[2]
    return Point(place, delta), [one for one in rests.split(" and ") if one]


def read_points(round_claim, width, entries):
    """Return the points, whose places rise from 0, and the statements that they rest on, each once."""
    require(type(entries) is list and 2 <= len(entries) <= MOST_POINTS, f"a curve has from 2 to {MOST_POINTS} points")
    points, statements = [], {}
    for entry in entries:
        point, rests = verified_point(round_claim, width, entry)
        points.append(point)
        statements.update(dict.fromkeys(rests))
    places = [point.place for point in points]
    require(places[0] == 0 and all(a < b for a, b in pairwise(places)), "places must rise from 0")
    return points, [*statements]


def slope_ends(one, other, width):
    """Return bounds of the slope of the line between two points."""
    a, b = exp_of(one.place * width), exp_of(other.place * width)
    rise, least, most = other.delta - one.delta, Fraction(b[0]) - Fraction(a[1]), Fraction(b[1]) - Fraction(a[0])
    require(least > 0, "two places are too near each other")
    quotients = rise / least, rise / most
    return min(quotients), max(quotients)


def lattice_law(points, fine):
    """Return the lattice law of one round, each mass rounded up."""
    zero = Fraction(0), Fraction(0)
    slopes = [slope_ends(one, other, fine.width) for one, other in pairwise(points)] + [zero]
    last = points[-1].place
    masses = [0] * (2 * last + 1)
    masses[last] = ceil(max(0, 1 + 2 * slopes[0][1] - points[0].delta) * fine.one)
    for point, (before, after) in zip(points[1:], pairwise(slopes), strict=True):
        change = max(0, after[1] - before[0])
        masses[last + point.place] = ceil(change * Fraction(exp_of(point.place * fine.width)[1]) * fine.one)
        masses[last - point.place] = ceil(change * fine.one)
    infinity = ceil(points[-1].delta * fine.one)
    return trim(Lattice(masses, -last, infinity, 0), fine)


def fineness_of(facts, times):
    """Return the fineness of the composition of so many rounds."""
    return read_fineness(facts, 2 * times.bit_length(), 1)


def composed_delta(points, times, epsilon, fine):
    """Return an upper bound of delta of so many rounds with these points."""
    law = power_law(lattice_law(points, fine), times, fine)
    return delta_of(law, epsilon, fine)


def upper_delta(facts):
    """Return an upper bound of delta at the claim's epsilon, and the statements it rests on."""
    check_file(facts, "upper_rounds", ["curve"])
    claim = fields(facts["claim"], {"mechanism", "round", "times", "epsilon", "delta"}, "the claim")
    require(claim["mechanism"] == "rounds", "the mechanism must be rounds")
    epsilon = decimal(claim, "epsilon", "0", "1e7")
    decimal(claim, "delta", "0", "1")
    times, one = integer(claim, "times", 1, MOST_ROUNDS), claim["round"]
    require(type(one) is dict and not {"epsilon", "delta"} & one.keys(), "a round has no epsilon and no delta")
    require(one.get("adjacency") not in ONE_SIDED, "the neighbours of a round must be symmetric")
    fine = fineness_of(facts["fineness"], times)
    points, statements = read_points(one, fine.width, facts["curve"])
    return composed_delta(points, times, epsilon, fine), [EPOCHS, COMPOSED, *statements]


def words_of(claim):
    """Return the mechanism of a claim in words."""
    one = claim["round"]
    kind = f"every adaptive {'(eps0, delta0)-DP' if 'delta0' in one else 'eps0-DP'} randomizer"
    if "randomizer" in one:
        known = one["randomizer"]
        kind = said(known if type(known) is dict else {"rows" if type(known) is list else "kind": known})
    what = f"{one['mechanism']} with {said(one, 'mechanism', 'randomizer')}, {kind}"
    return f"{what}, run {claim['times']} times,"


@verdict_of
def verify(facts):
    """Return the verdict on the content of a file, whatever that is."""
    (upper, statements), claim = upper_delta(facts), facts["claim"]
    accepted = sentence_of(words_of(claim), claim, statements)
    coarse = "the curve or the fineness is too coarse"
    return judgement((ZERO, upper), claim["delta"], accepted, "delta is at most", coarse)
