r"""Prove that shuffled messages of eps0-DP randomizers are (epsilon, delta)-DP, by stronger clones, rounding upward.

A file holds a claim, the statement that it rests on, and the ``fineness`` of a computation in integers.  Whatever the
fineness is, a claim that is accepted is true: fineness only brings the computed delta near to that of the statement.
The statement is "stronger-clones", and here is its proof.

**The claim.**  Each of n clients sends one message.  In uniformly random order, the records go through eps0-DP
randomizers, each of which may depend on all earlier messages.  Two data sets differ in the record of client 1.  With
x = e^eps0 and kappa = e^epsilon, delta must be at least the integral of (P - kappa Q)_+ for the laws P and Q of the
messages.  It is 0 if kappa >= x; let 1 <= kappa <= x.  Averages of the messages of ``steps`` slots are not more, by the
statement averaged-shuffle.

**1. What all have in common.**  At place j, given the messages before it, let u and v be the densities of the message
on both records of client 1, and B = max(u, v) / x.  As the randomizer is eps0-DP, its density on any record is at least
B; let it be B and a remainder.  Expand P - kappa Q, a mean over orders, by the set K of places where the message of
another client comes from the remainder.  The weights and densities at K, averaged over the clients who are there, do
not depend on the place of client 1, who is at any other place i with the same probability; so P - kappa Q is 1/n times

    sum over K of  Gamma_K  product_{j not in K} B_j  sum_{i not in K} (u_i - kappa v_i) / B_i.

The first two factors are the law of a process: the others stand in random order, and each message is from B_j, with the
probability |B_j|, or from the remainder of the next of them.  The positive part of a sum is at most the sum of the
positive parts.  Hence, with G_j = (u_j - kappa v_j) / B_j at a message from B_j, and G_j = 0 at any other message,

    delta <= (1/n) E (G_1 + ... + G_n)_+.

**2. The worst law of G.**  Where u >= v, G = x - kappa x v/u is between x (1 - kappa) and x - kappa, and where u < v it
is between 1 - kappa x and x (1 - kappa).  Split each value into the ends of its interval, keeping the mean.  Then there
is a mass a = TV(u, v) / (x - 1) at x - kappa, the same at 1 - kappa x, (1 - a (x + 1)) / x at x (1 - kappa), for
|B| = (1 + TV(u, v)) / x, and the rest at 0.  The mean is 1 - kappa for all a.  As TV(u, v) <= (x - 1) / (x + 1), a is
at most 1 / (x + 1); to raise it moves mass from x (1 - kappa) and 0, which are between 1 - kappa x and x - kappa, to
these ends.  So E f(s + G_j), given the past, is at most E f(s + G) for every convex f, where G is x - kappa or
1 - kappa x with the probability 1 / (x + 1) each, and else 0.  The right side is convex in s; so, from the last place
to the first, all G_j may be replaced by independent copies of G.

**3. The sum.**  Let p = 2 / (x + 1).  If M copies are not 0, then they are as many fair coins; and (m/n) P(M = m) =
p P(C = m - 1) for a binomial C of n - 1 trials with chance p.  So delta is at most the mean of D_C, where

    D_c = p E (mean of c + 1 coins)_+ = p E ((x - kappa) k - (kappa x - 1) (c + 1 - k))_+ / (c + 1),

k being a binomial of c + 1 trials with chance 1/2.  The mean of c + 2 coins is the conditional expectation of that of
c + 1 of them, so D_c falls as c grows, by Jensen's inequality; p is rounded down where C is drawn.  delta rises with x,
as more randomizers are allowed, and falls with kappa: x is rounded up and kappa down.

**4. One value of C.**  Let b_c(k) be the mass at k and S_c(k) that of k and more of a binomial of c trials with chance
1/2, and d = kappa x - 1.  The payoff (x - 1) (kappa + 1) k - d (c + 1) is positive for k > J, the largest J at which it
is not.  As k b_{c+1}(k) = (c + 1) b_c(k - 1) / 2, and S_{c+1}(J + 1) = S_c(J) - b_c(J) / 2 by the cases of one trial,

    D_c = p ((x - 1) (kappa + 1) S_c(J) / 2 - d S_{c+1}(J + 1)) = d / (x + 1) b_c(J) - (kappa - 1) S_c(J).

From one c to the next, and from one J to the next,

    S_{c+1}(J) = S_c(J) + b_c(J - 1) / 2,    b_c(J - 1) = b_c(J) J / (c + 1 - J),
    b_{c+1}(J) = b_c(J) (c + 1) / (2 (c + 1 - J)),
    S_c(J + 1) = S_c(J) - b_c(J),    b_c(J + 1) = b_c(J) (c - J) / (J + 1).

b is enclosed and S is rounded down, so that D_c is rounded up.

**5. Binomials.**  binomial_masses.py encloses the masses of a binomial; of C those above count, each times
D_c, and what is left out, times 1.

**6. False claims.**  Where all others are alike, client 1 is in one of n slots, and attained_delta.py says what delta
is at least.
"""

from fractions import Fraction
from typing import NamedTuple

from .attained_delta import slot_verdict
from .binomial_masses import CHANCE, binomial, from_below
from .claim_files import check_file, fields, integer, require, short_decimal, spend, verdict_of
from .fixed_point import ONE, exp_ends
from .slot_laws import Slot
from .statement_sentences import in_mechanism, sentence_of, sentences_of

# The largest number of clients.
MOST_CLIENTS = 10**15
# The largest number of places of a binomial on either side, and of those for which a core takes a second.
MOST_PLACES = 2_000_000
PLACES_A_SECOND = 100_000
# The statement that every claim rests on, and that by which averages are shuffling.
STATEMENT = "stronger-clones"
AVERAGED = "averaged-shuffle"
# The statements that an acceptance may rest on.
STATEMENTS = sentences_of(STATEMENT, AVERAGED)
# The mechanisms, each with its keys besides the usual ones, and the statement by which it is shuffling.
MECHANISMS = {"shuffle": ([], []), "averaged": (["steps"], [AVERAGED])}
# The key of the fineness, with its range.
INTEGERS = {"cut": (2, 150)}


class Claim(NamedTuple):
    """A claim; ``x`` and ``kappa`` are multiples of 1 / ONE, rounded so that it implies the file's claim."""

    clients: int
    x: int
    kappa: int
    delta: Fraction


def read_claim(claim):
    """Return a claim that implies a file's claim, and one about a hidden slot that it implies."""
    require(type(claim) is dict and claim.get("mechanism") in [*MECHANISMS], f"a mechanism of {[*MECHANISMS]}")
    names, _ = MECHANISMS[claim["mechanism"]]
    fields(claim, {"mechanism", "clients", "eps0", "epsilon", "delta", *names}, "the claim")
    for name in names:
        integer(claim, name, 1, MOST_CLIENTS)
    clients = integer(claim, "clients", 1, MOST_CLIENTS)
    less, x = exp_ends(short_decimal(claim, "eps0", None, 20))
    kappa, more = exp_ends(short_decimal(claim, "epsilon", 0, 20))
    delta = short_decimal(claim, "delta", 0, 1)
    slot = Slot(clients, Fraction(1), [["BE", "CF"]], less, more, delta)
    return Claim(clients, int(x * ONE), int(kappa * ONE), delta), slot


def read_fineness(facts):
    """Return the fineness of a file."""
    fields(facts, INTEGERS, "the fineness")
    return {name: integer(facts, name, *ends) for name, ends in INTEGERS.items()}


class Tail(NamedTuple):
    """Bounds, times ONE: for c = ``trials``, of b_c(``place``) from below and above, of S_c(``place``) from below."""

    trials: int
    place: int
    least: int
    most: int
    beyond: int


def tail_at(trials, place, cut):
    """Return the Tail at a place that is not below the most likely one."""
    above, below = binomial(trials, CHANCE // 2, cut, MOST_PLACES), from_below(trials, CHANCE // 2, cut, MOST_PLACES)
    index = place - above.low
    if index >= len(above.masses):
        return Tail(trials, place, 0, above.rest, 0)
    return Tail(trials, place, below[index], above.masses[index], sum(below[index:]))


def with_a_trial(tail):
    """Return the Tail at the same place of one trial more."""
    c, place, least, most, beyond = tail
    before = least * place // (c + 1 - place)
    least, most = (b * (c + 1) for b in (least, most))
    half = 2 * (c + 1 - place)
    return Tail(c + 1, place, least // half, -(-most // half), beyond + before // 2)


def with_a_place(tail):
    """Return the Tail at the next place."""
    c, place, least, most, beyond = tail
    least, above = least * (c - place) // (place + 1), -(-most * (c - place) // (place + 1))
    return Tail(c, place + 1, least, above, max(beyond - most, 0))


def clones_deltas(claim, low, count, cut):
    """Yield D_c, as defined above, times ONE, rounded up, for ``count`` values of c from ``low`` on."""
    down = claim.kappa * claim.x - ONE * ONE
    both, share = (claim.x - ONE) * (claim.kappa + ONE), -(-down // (claim.x + ONE))
    tail = tail_at(low, down * (low + 1) // both, cut)
    for c in range(low, low + count):
        tail = tail if c == low else with_a_trial(tail)
        while tail.place < down * (c + 1) // both:
            tail = with_a_place(tail)
        yield max(-(-share * tail.most // ONE) - (claim.kappa - ONE) * tail.beyond // ONE, 0)


def delta_upper(claim, fine):
    """Return an upper bound of delta; raise ValueError if it would take too much work."""
    if claim.kappa >= claim.x:
        return Fraction(0)
    chance = 2 * ONE * CHANCE // (claim.x + ONE)
    crowd = binomial(claim.clients - 1, chance, fine["cut"], MOST_PLACES)
    spend(len(crowd.masses) / PLACES_A_SECOND)
    deltas = clones_deltas(claim, crowd.low, len(crowd.masses), fine["cut"])
    total = crowd.rest * ONE + sum(mass * delta for mass, delta in zip(crowd.masses, deltas, strict=True))
    return Fraction(total, ONE * ONE)


def words_of(claim):
    """Return the mechanisms of a claim in words."""
    return in_mechanism("every adaptive eps0-DP randomizer", claim)


@verdict_of
def verify(facts):
    """Return the verdict on the content of a file, whatever that is."""
    check_file(facts, "upper_shuffle", ["theorem"])
    require(facts["theorem"] == STATEMENT, f"the theorem must be {STATEMENT}")
    claim, refutable = read_claim(facts["claim"])
    fine, statements = read_fineness(facts["fineness"]), [*MECHANISMS[facts["claim"]["mechanism"]][1], STATEMENT]
    hint = "the fineness is too coarse, the claim is false or needs a better theorem"
    sentence = sentence_of(words_of(facts["claim"]), facts["claim"], statements)
    return slot_verdict(lambda: (delta_upper(claim, fine), claim.delta), refutable, sentence, hint)
