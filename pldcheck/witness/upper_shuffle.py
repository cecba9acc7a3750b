r"""Check certificates of upper ends of shuffling, every rounding upward: python upper_shuffle.py FILE.

A certificate claims that shuffling the messages of n eps0-DP randomizers is (epsilon, delta)-DP, whatever they are.
This program needs nothing but the standard library.  A file holds a claim, the statement that it rests on, and the
``fineness`` of a computation in integers.  Whatever the fineness is, a claim that is accepted is true: fineness only
brings the computed delta near to that of the statement.  The statement is "stronger-clones", and here is its proof.

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
c + 1 of them, so D_c falls as c grows, by Jensen's inequality.  Of the C in a cell of neighbours the smallest is taken,
and p is rounded down where C is drawn.  delta rises with x, as more randomizers are allowed, and falls with kappa: x is
rounded up and kappa down.

**4. Binomials.**  From the most likely place outward the mass falls, first by little, then by ever more; each is that
of the place before times a quotient at most 1.  It is rounded up by at most one unit at each place, so that the sum
without these units is below the true one; all are divided by that.  Where masses are below 2^-cut of the first one, the
rest is at most a geometric series.  D_c is at most 1, and the term of a place in it is at most twice its mass.
"""

import json
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction
from hashlib import sha256
from math import comb
from operator import mul
from os.path import isfile
from re import fullmatch
from typing import NamedTuple

# Six digits are enough for messages.
UP = Context(prec=6, rounding=ROUND_CEILING)
DOWN = Context(prec=6, rounding=ROUND_FLOOR)
# Numbers are integer multiples of 1 / ONE.
BITS = 192
ONE = 1 << BITS
# Probabilities of a trial are integer multiples of 1 / CHANCE.
CHANCE = 1 << 64
# The number of terms of the exponential series.
SERIES_TERMS = 200
# The largest length of a file in bytes.
MOST_BYTES = 20_000
# The largest number of clients.
MOST_CLIENTS = 10**15
# The largest number of places of one binomial: a core takes some 3 seconds for it.
MOST_PLACES = 5_000_000
# The largest product of the numbers of cells and of places in each.
MOST_WORK = 100_000_000
# The largest number of clients for which a claim that is not verified is compared with two fixed mechanisms.
MOST_COMPARED = 400
# The form of a decimal number.
DECIMAL = r"[0-9]{1,30}(\.[0-9]{1,60})?(e-?[0-9]{1,2})?"
# The statement that every claim rests on; it is registered in pldcheck.theorems.statements with its proof.
STATEMENT = "stronger-clones"
STATEMENTS = {
    STATEMENT: (
        "Shuffling with eps0-DP randomizers, each of which may depend on all earlier messages, reveals at most as much "
        "as the pair of stronger clones."
    ),
    "averaged-shuffle": (
        "Averaged check-ins reveal at most as much as shuffling all answers, whatever the number of slots."
    ),
}
# The mechanisms, each with its keys besides the usual ones, and the statement by which it is shuffling.
MECHANISMS = {"shuffle": ([], []), "averaged": (["steps"], ["averaged-shuffle"])}
# The keys of the fineness, with their ranges.
INTEGERS = {"cells": (1, MOST_PLACES), "cut": (2, 150)}


class Verdict(NamedTuple):
    """A sentence, and the status: 0 for verified, 1 for not verified, 2 for what is no certificate."""

    status: int
    sentence: str


class Claim(NamedTuple):
    """A claim; ``x`` and ``kappa`` are multiples of 1 / ONE, rounded so that it implies the file's claim."""

    clients: int
    x: int
    kappa: int
    delta: Fraction


class Binomial(NamedTuple):
    """Upper bounds of the masses from place ``low`` on, and of the mass of all other places, times ONE."""

    low: int
    masses: list
    rest: int


def require(condition, complaint):
    """Raise ValueError with the complaint unless the condition holds."""
    if not condition:
        raise ValueError(complaint)


def unique_keys(pairs):
    """Return a JSON object as a dictionary; refuse an object in which a key stands twice."""
    require(len(dict(pairs)) == len(pairs), "a key stands twice")
    return dict(pairs)


def require_keys(value, names, place):
    """Raise ValueError unless a value is a dictionary with exactly these keys."""
    require(type(value) is dict and value.keys() == {*names}, f"{place} must have the keys {', '.join(sorted(names))}")


def integer(facts, name, low, high):
    """Return an integer of a file."""
    fits = type(facts[name]) is int and low <= facts[name] <= high
    require(fits, f"{name} must be an integer from {low} to {high}")
    return facts[name]


def decimal(facts, name, low, high):
    """Return the exact value of a decimal text of a file; it must be at least ``low``, and above 0 if that is None."""
    require(type(facts[name]) is str and fullmatch(DECIMAL, facts[name]), f"{name} must be a text of a decimal number")
    value = Fraction(facts[name])
    fits = (value > 0 if low is None else value >= low) and value <= high
    require(fits, f"{name} must be {'above 0' if low is None else f'at least {low}'} and at most {high}")
    return value


def exp_ends(t):
    """Return multiples of 1 / ONE below and above e^t, for 0 <= t <= 20.

    Each term that is left out is at most a tenth of the one before it, so all of them are below the last term.
    """
    low, high, lower, upper = ONE, ONE, ONE, ONE
    for n in range(1, SERIES_TERMS):
        low = low * t.numerator // (t.denominator * n)
        high = high * t.numerator // (t.denominator * n) + 1
        lower, upper = lower + low, upper + high
    return lower, upper + high


def read_claim(claim):
    """Return a claim that implies a file's claim, and one that it implies."""
    require(type(claim) is dict and claim.get("mechanism") in [*MECHANISMS], f"a mechanism of {[*MECHANISMS]}")
    names, _ = MECHANISMS[claim["mechanism"]]
    require_keys(claim, {"mechanism", "clients", "eps0", "epsilon", "delta", *names}, "the claim")
    for name in names:
        integer(claim, name, 1, MOST_CLIENTS)
    clients = integer(claim, "clients", 1, MOST_CLIENTS)
    less, x = exp_ends(decimal(claim, "eps0", None, 20))
    kappa, more = exp_ends(decimal(claim, "epsilon", 0, 20))
    delta = decimal(claim, "delta", 0, 1)
    return Claim(clients, x, kappa, delta), Claim(clients, less, more, delta)


def read_fineness(facts):
    """Return the fineness of a file."""
    require_keys(facts, INTEGERS, "the fineness")
    return {name: integer(facts, name, *ends) for name, ends in INTEGERS.items()}


def outward(count, likely, unlikely, limit):
    """Return masses over that of the most likely place, from the next one on, and a bound of the rest.

    The quotient of the k-th mass from there and the one before it is (count[0] - k) likely / (count[1] + k) unlikely.
    """
    masses, mass = [], ONE
    for k in range(1, count[0]):
        top, bottom = (count[0] - k) * likely, (count[1] + k) * unlikely
        mass = mass * top // bottom + 1
        if mass < limit:
            return masses, mass * bottom // (bottom - top) + 1
        require(len(masses) < MOST_PLACES, "it takes more than the largest amount of work")
        masses.append(mass)
    return masses, 0


def binomial(trials, chance, cut):
    """Return the Binomial of a number of trials with this chance / CHANCE each."""
    middle = (trials + 1) * chance // CHANCE
    # Above the middle the quotients are (trials - middle - k + 1) / (middle + k), below it (middle - k + 1) / (trials
    # - middle + k), times the odds.
    above, rest = outward((trials - middle + 1, middle), chance, CHANCE - chance, ONE >> cut)
    below, more = outward((middle + 1, trials - middle), CHANCE - chance, chance, ONE >> cut)
    masses = [*below[::-1], ONE, *above]
    units = len(above) * (len(above) + 1) // 2 + len(below) * (len(below) + 1) // 2
    total = sum(masses) - units
    return Binomial(middle - len(below), [mass * ONE // total + 1 for mass in masses], (rest + more) * ONE // total + 1)


def clones_delta(claim, c, cut):
    """Return D_c, as defined above, times ONE, rounded up, and how many masses of the binomial it adds up."""
    coins = binomial(c + 1, CHANCE // 2, cut)
    up, down = (claim.x - claim.kappa) * ONE, claim.kappa * claim.x - ONE * ONE
    # The first place where the payoff up k - down (c + 1 - k) is above 0.
    first = max(down * (c + 1) // (up + down) + 1 - coins.low, 0)
    masses = coins.masses[first:] if up > 0 else []
    payoff = up * (coins.low + first) - down * (c + 1 - coins.low - first)
    payoffs = range(payoff, payoff + (up + down) * len(masses), up + down)
    total = 2 * sum(map(mul, masses, payoffs))
    return -(-total // ((claim.x + ONE) * ONE * (c + 1))) + 2 * coins.rest, len(coins.masses)


def delta_upper(claim, fine):
    """Return an upper bound of delta; raise ValueError if it would take too much work."""
    crowd = binomial(claim.clients - 1, 2 * ONE * CHANCE // (claim.x + ONE), fine["cut"])
    size = -(-len(crowd.masses) // fine["cells"])
    total, cells = crowd.rest * ONE, range(0, len(crowd.masses), size)
    for cell in cells[::-1]:
        value, places = clones_delta(claim, crowd.low + cell, fine["cut"])
        require(len(cells) * places <= MOST_WORK, "it takes more than the largest amount of work")
        total += sum(crowd.masses[cell : cell + size]) * value
    return Fraction(total, ONE * ONE)


def delta_attained(claim):
    """Return the larger delta of two responses with all other records alike; x is rounded down to do so."""
    n, best = claim.clients, Fraction(0)
    x, kappa = Fraction(claim.x >> BITS - 40, 2**40), Fraction(claim.kappa, ONE)
    a, b = (1 / x).as_integer_ratio()
    # The others respond 1 with the odds a : b; given j such responses, client 1 adds to P or to Q.
    for up, down in ((x - 1, 1 / x - 1), (-kappa * (x - 1), -kappa * (1 / x - 1))) if n <= MOST_COMPARED else []:
        sums = [(1 - kappa) * n + j * up + (n - j) * down for j in range(n + 1)]
        total = sum(comb(n, j) * a**j * b ** (n - j) * max(gain, 0) for j, gain in enumerate(sums))
        best = max(best, total / (n * Fraction(a + b) ** n))
    return best


def sentence_of(claim):
    """Return a claim in words, with the statement that it rests on."""
    names, statements = MECHANISMS[claim["mechanism"]]
    numbers = ", ".join(f"{name} {claim[name]}" for name in ("clients", *names, "eps0"))
    place = f"every adaptive eps0-DP randomizer in the mechanism {claim['mechanism']} with {numbers}"
    rests = " and ".join([*statements, STATEMENT])
    return f"{place} is ({claim['epsilon']}, {claim['delta']})-DP; this rests on {rests}"


def verify(facts):
    """Return the verdict on the content of a file, whatever that is."""
    try:
        require_keys(facts, {"pldcheck_certificate", "theorem", "claim", "fineness"}, "the file")
        require(facts["pldcheck_certificate"] == "upper_shuffle", "it is no certificate for this program")
        require(facts["theorem"] == STATEMENT, f"the theorem must be {STATEMENT}")
        claim, refutable = read_claim(facts["claim"])
        upper = delta_upper(claim, read_fineness(facts["fineness"]))
    except ValueError as error:
        return Verdict(2, f"refused: {error}")
    if upper <= claim.delta:
        return Verdict(0, f"accepted: {sentence_of(facts['claim'])}")
    lower = delta_attained(refutable)
    if lower > refutable.delta:
        attained = DOWN.divide(*lower.as_integer_ratio())
        return Verdict(1, f"not verified: the claim is false, as delta is at least {attained}")
    ends = UP.divide(*upper.as_integer_ratio()), DOWN.divide(*claim.delta.as_integer_ratio())
    reason = f"delta is at most {ends[0]}, and must be {ends[1]}"
    return Verdict(
        1, f"not verified: {reason}; the fineness is too coarse, the claim is false or needs a better theorem"
    )


def parse(content):
    """Return the JSON value that some bytes hold."""
    require(len(content) <= MOST_BYTES, f"it is longer than {MOST_BYTES} bytes")
    return json.loads(content.decode("ascii"), object_pairs_hook=unique_keys)


def examine(path):
    """Return the verdict on a file."""
    try:
        require(isfile(path), "it is not a file")
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
        verdict = verify(parse(content))
        return verdict._replace(sentence=f"{verdict.sentence}; sha256 {sha256(content).hexdigest()}")
    except (OSError, RecursionError, ValueError) as error:
        return Verdict(2, " ".join(f"refused: {error}".split()))


if __name__ == "__main__":
    outcome = examine(sys.argv[1]) if len(sys.argv) == 2 else Verdict(2, "usage: python upper_shuffle.py FILE")
    print(outcome.sentence)
    sys.exit(outcome.status)
