r"""Check certificates of upper ends of hidden slots, every rounding upward: python upper_slot.py FILE.

A certificate claims that every adaptive eps0-DP randomizer in m hidden slots is (epsilon, delta)-DP.  This program
needs nothing but the standard library.  A file holds a claim and the ``fineness`` of a computation in integers.
Whatever the fineness is, a claim that is accepted is true: fineness only brings the computed delta near to the truth.

**The claim.**  A record is in one of m slots, chosen uniformly, and is used there with probability w; the other slots
hold reference records g.  Every slot is released by an eps0-DP randomizer that depends on all earlier outputs.  Let
x = e^eps0, kappa = e^epsilon, and let a, a' be the likelihood ratios of a slot's output, given the past, on the record
d and on its replacement d' against g.  They have mean 1 under g, and with respect to the view of g alone the views of d
and d' have the densities 1 - w + (w/m) sum a_i and 1 - w + (w/m) sum a'_i.  So the claim is that always

    delta >= (w/m) E (u0 + sum s_i)_+,    s = (a - 1) - kappa (a' - 1),    u0 = -(kappa - 1) m / w.

**Few laws.**  (a, a') has mean (1, 1) and is in the hexagon with the corners A(1/x, 1/x), B(1, 1/x), C(x, 1), D(x, x),
E(1, x), F(1/x, 1).  Convex functions have their largest mean for laws on two or three corners around (1, 1): AD, BE,
CF, ACE, BDF.  The values s of AD and BDF lie between those of B and E; as s has mean 0, BE gives a larger mean.  The
probabilities of BE are as x : 1, of CF as 1 : x, of ACE as x : 1 : 1.  Zero-out: a' = 1 (removal) leaves CF, and a = 1
(addition) leaves BE.  The supremum delta* of the right side is, with the maximum over the laws,

    delta* = (w/m) V_m(u0),    V_0(u) = u_+,    V_t = T V_{t-1},    T f(u) = max E f(u + s).

**Known randomizers.**  The ``randomizer`` of a claim may be binary or K-ary response, rr or krr:K.  Reference records
are d, with a = 1 and the law BE, or d', with the law CF, or for K > 2 another one, with the law ACE; what is left of
the probability is at (1, 1), where s = 0: in units of 1/(x + K - 1) that is K - 2, K - 2 and K - 3.  With a smaller
budget a response is a post-processing of itself.  Or it is a table of the probabilities of outputs, a row for each
input: then every ordered pair of inputs is a pair d and d', with one law for each input that may be the reference.

V_t is convex with a slope between 0 and 1, and V_t <= V_{t+1} by Jensen's inequality.  delta* rises with x, as the
class grows, and falls with kappa: x is rounded up and kappa down.  From here on V_t is that of the rounded numbers.

**One run.**  Given which slot holds the record, and whether it is used, the record is in one run of the randomizer or
in none: what is released before does not depend on it, and what follows on that run's output only.  So, by curves,
delta is at most w delta0 where epsilon >= eps0, and such a claim is accepted at once; without delta0 it is 0.

**1. A block of b steps.**  The nodes are n h, h = ``grid``, -left <= n <= right.  W_t(n) >= V_t(n h) / h is computed
from W_{t-1}.  Between nodes the convex V_{t-1} is below the straight line through larger values.  V_{t-1} increases, so
s is rounded up, and left of the nodes V_{t-1} is at most its value at the first one.  Right of them it is at most its
value at the last one plus the distance.  Values are not negative, so probabilities and sums are rounded up.

**2. The law of a block.**  At every ``join``-th node take c = W_b(-left) h and slopes that never decrease, 0 on the
left and at least 1 on the right, each as large as it takes to reach W_b at the next such node: a convex function above
V_b.  It is c + E (u + L)_+, where the measure L has at -n h the mass by which the slope increases at n h.

**3. Many blocks.**  T is monotone, T(f + c) = T f + c for constants, T(p f + q g) <= p T f + q T g for p, q >= 0, and T
commutes with shifts.  So V_t(u) <= E (u + Y)_+ + C, with a measure Y of total |Y|, implies V_{t+b}(u) <= E V_b(u + Y)
+ C <= E (u + Y + L)_+ + c |Y| + C.  Hence, for r = 2^doublings, r b >= m, independent copies of L, and N = |L| >= 1,

    V_m(u) <= V_{rb}(u) <= E (u + L_1 + ... + L_r)_+ + r c N^r,    N^r <= 1 / (1 - r (N - 1)).

The payoff is not negative, so masses are rounded up.  It is convex, so a mass may be split into halves at equal
distances: the lattice becomes twice as coarse where a law has more than ``atoms`` places.  Sums preserve both.

**4. Tails.**  The tilted total of a measure is the integral of e^(theta z); that of a sum of independent ones is the
product.  Masses at both ends, each at most 2^-cut of the tilted total, are left out; of them only their tilted total R
is kept.  With M, that of the other masses, two copies leave out 2 M R + R^2.  As y_+ <= e^(theta y) / (e theta), what
is left out adds at most e^(theta u0) R / (e theta) in the end.  ``tilt`` is g = e^(theta join h), and log g >= 1 - 1/g.

**5. Shuffling.**  Let kappa + zeta be at most e^epsilon.  By one-client-fewer, shuffling n clients is (epsilon,
delta)-DP if delta* + tau <= delta for n - 1 slots and this kappa.  With c1 and c2 messages of two kinds, which are
multinomial of n - 3 with the chances p/4 and 3p/4, p = 1/x, tau is the mean of

    sum over k and l of q_1(k) q_2(l) (f rho_1(k) rho_2(l) - zeta)_+,  f = 1.

Clients who all run one known randomizer have its delta* by known-client-fewer.  Then x is at least the largest ratio of
two probabilities of one output, f = 1 - 1/M for M inputs of different laws, and p may be the least, over outputs, of
the smallest probability over the mean of those of the two inputs on which it is largest; 2/(x + 1) for a response.

Let b be the masses of a binomial of as many trials as is said, with chance 1/2.  Then

    q_1(k) = 2 b(k) (k + x (c1 + 1 - k)) / ((x + 1) (c1 + 1)),  of c1 + 1 trials,
    rho_1(k) = ((x - kappa) k - (kappa x - 1) (c1 + 1 - k)) / (k + x (c1 + 1 - k)),
    q_2(l) = 2 b(l) w(l) / ((x + 1)^2 (c2 + 1) (c2 + 2)),  w(l) = (x^2 + 1) o(l) + 2 x t(l),  of c2 + 2 trials,
    rho_2(l) = (x - 1)^2 (o(l) - t(l)) / w(l),  o(l) = 2 l (c2 + 2 - l),  t(l) = l (l - 1) + (c2 + 2 - l) (c2 + 1 - l).

rho_1 is a quotient from 1/x to x minus kappa, so it is at most the larger of x and kappa, and rho_2 at most x in size;
q_1 and q_2 are at most twice b.  Only terms in which rho_1 and rho_2 have one sign are positive.  The sum falls as c1
or c2 grow: ``others`` of the n - 3 are enough, chances may be rounded down, and of a cell of numbers the smallest is
taken.  Given c1, c2 is binomial, with the fewer trials the larger c1 is.  From its most likely place outward a
binomial's mass falls, first by little, then by ever more; each is that of the place before times a quotient at most 1.
It is rounded up by at most one unit at each place, so that the sum without these units is below the true one; all are
divided by that.  Where masses are below 2^-outside of the first one, the rest is at most a geometric series.

**Statements.**  Claims about other mechanisms follow by the statements in STATEMENTS; the sentence of acceptance names
those that it rests on.  With n ``clients`` of windows of m slots, the slots m to n take place: few-clients-window.
"""

import json
import sys
from bisect import bisect
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction
from hashlib import sha256
from itertools import accumulate, permutations, repeat
from math import ceil, comb, floor
from os.path import isfile
from re import fullmatch
from typing import NamedTuple

# Six digits are enough for messages.
UP = Context(prec=6, rounding=ROUND_CEILING)
DOWN = Context(prec=6, rounding=ROUND_FLOOR)
# Values, masses and powers are integer multiples of 1 / ONE.
BITS = 192
ONE = 1 << BITS
# The binary digits after the point of places between nodes and of probabilities.
PLACES = 88
# The number of terms of the exponential series.
SERIES_TERMS = 200
# The largest length of a file in bytes.
MOST_BYTES = 20_000
# The largest number of slots.
MOST_STEPS = 10**15
# The largest number of nodes, with those that a step reaches to the right.
MOST_NODES = 400_000
# The largest number of steps of a block.
MOST_BLOCK = 50_000_000
# The largest number of products: at each node, in each step of a block, one for each place where a law's step may end.
# The three laws of replacement have 14 such places; a core takes some 1.5 seconds for 14 10^6 products.
MOST_PRODUCTS = 700_000_000
# The largest number of places of a law between doublings, each of which takes a fifth of a second then.
MOST_ATOMS = 8192
# The largest number of places of all laws between doublings, of all pairs of records: they take some two minutes.
MOST_DOUBLED = 5_000_000
# Chances of a message to be of a kind are integer multiples of 1 / CHANCE.
CHANCE = 1 << 64
# The largest number of places of one binomial.
MOST_PLACES = 1_000_000
# The largest product of the numbers of pairs of cells and of places in each.
MOST_PAIRS = 50_000_000
# The largest number of places that are held of messages of the second kind; each takes 144 bytes, all 1.5 GB.
MOST_KEPT = 10_000_000
# The largest logarithm of e^(theta z) at a place z of a law.
MOST_TILT = 1000
# The largest number of slots for which a claim that is not verified is compared with two fixed laws.
MOST_COMPARED = 400
# The form of a decimal number.
DECIMAL = r"[0-9]{1,30}(\.[0-9]{1,60})?(e-?[0-9]{1,2})?"
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
# The keys of the fineness of what one client fewer costs, and the ranges of the integers among them.
SHUFFLED = {"others": (0, MOST_STEPS), "cells": (1, 1000), "outside": (2, 150)}
# The ratios a and a' at each corner, as powers of x.
CORNERS = {"A": (-1, -1), "B": (0, -1), "C": (1, 0), "E": (0, 1), "F": (-1, 0)}
# The corners of each law with the powers of x to which their probabilities are proportional.
LAWS = {"BE": (1, 0), "CF": (0, 1), "ACE": (1, 0, 0)}
# The laws of which one is chosen in each slot; a zero-out claim must hold for removal and for addition.
ADJACENCIES = {"replace": [("BE", "CF", "ACE")], "zero-out": [("CF",), ("BE",)]}
# Randomized response as a claim names it.
RESPONSE = r"rr|krr:([1-9][0-9]{0,5})"
# The most inputs of a table, and the most outputs.
MOST_ROWS = 8
MOST_COLUMNS = 64
# The form of an entry of a table.
ENTRY = r"[0-9]{1,400}(/[1-9][0-9]{0,400}|\.[0-9]{1,60})?"
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
# The statements that an acceptance may rest on; they are registered in pldcheck.theorems.statements with their proofs.
STATEMENTS = {
    ONE_RUN: (
        "A pair's curve is that of its losses, it determines the exchanged pair's, and neither processing nor "
        "mixing raises it."
    ),
    "check-in-slot": (
        "Random check-ins reveal at most as much as one hidden slot whose weight is the probability of a check-in, "
        "whatever the number of clients."
    ),
    "sliding-window-slot": (
        "A sliding window reveals at most as much as one hidden slot of weight 1 with as many slots, whatever the "
        "number of clients."
    ),
    "few-clients-window": (
        "A sliding window of few clients reveals at most as much as one hidden slot of those of its slots that take "
        "place, with the probability of being in one of them as its weight."
    ),
    "clipped-slot": (
        "In a hidden slot (eps0, delta0)-DP randomizers are pure ones of a slightly larger budget, but for a part "
        "of delta."
    ),
    "averaged-shuffle": (
        "Averaged check-ins reveal at most as much as shuffling all answers, whatever the number of slots."
    ),
    ONE_FEWER: (
        "Shuffling with eps0-DP randomizers, each of which may depend on all earlier messages, reveals at most as much "
        "as one hidden slot with one client fewer, but for zeta in e^epsilon and tau in delta."
    ),
    KNOWN_FEWER: (
        "Shuffling clients who all run one eps0-DP randomizer reveals at most as much as one hidden slot of that "
        "randomizer with one client fewer, whatever records the slots hold, but for zeta in e^epsilon and tau in delta."
    ),
}


class TooCoarse(Exception):
    """The fineness does not verify the claim."""


class Verdict(NamedTuple):
    """A sentence, and the status: 0 for verified, 1 for not verified, 2 for what is no certificate."""

    status: int
    sentence: str


class Binomial(NamedTuple):
    """Upper bounds of the masses from place ``low`` on, and of the mass of all other places, times ONE."""

    low: int
    masses: list
    rest: int


class Slot(NamedTuple):
    """A claim about a hidden slot; ``x`` and ``delta`` are rounded so that it implies the file's claim.

    ``part`` is p, or None for 1/x, and ``factor`` is f where it is one about shuffling.
    """

    steps: int
    weight: Fraction
    choices: list
    x: Fraction
    kappa: Fraction
    delta: Fraction
    part: Fraction | None = None
    factor: Fraction = Fraction(1)


def require(condition, complaint, error=ValueError):
    """Raise an error with the complaint unless the condition holds."""
    if not condition:
        raise error(complaint)


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
    return Fraction(lower, ONE), Fraction(upper + high, ONE)


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
    budget = set() if is_table(claim) else {"eps0"}
    require_keys(claim, {"mechanism", "epsilon", "delta", *names, *budget, *required, *optional}, "the claim")
    steps = integer(claim, names[0], 1, MOST_STEPS)
    weight = decimal(claim, names[1], None, 1) if len(names) > 1 else Fraction(1)
    if claim["mechanism"] == "sliding-window" and "clients" in optional:
        visible = min(steps, integer(claim, "clients", steps, MOST_STEPS) - steps + 1)
        steps, weight, statement = visible, Fraction(visible, steps), FEW_CLIENTS
    for name in required:
        integer(claim, name, 1, MOST_STEPS)
    used = weight  # a window's slot is attained where no other client takes part
    if claim["mechanism"] == "check-in" and "clients" in optional:
        used = least_weight(steps, weight, integer(claim, "clients", 1, MOST_STEPS))
    adjacency = claim.get("adjacency", "replace")
    require(adjacency in [*ADJACENCIES], "the adjacency must be replace or zero-out")
    kappa, more = exp_ends(decimal(claim, "epsilon", 0, 20))
    delta = decimal(claim, "delta", 0, 1)
    laws = ADJACENCIES[adjacency]
    if "randomizer" in optional:
        require(adjacency == "replace" and "delta0" not in optional, "a randomizer is for a replaced record, no delta0")
        laws = table_choices(claim["randomizer"]) if is_table(claim) else response_choices(values_of(claim))
        statement = KNOWN_FEWER if statement == ONE_FEWER else statement
    if is_table(claim):
        less = x = max(max(column) / min(column) for column in columns_of(claim["randomizer"]))
    else:
        less, x = exp_ends(decimal(claim, "eps0", None, 20))
    part, factor = None, Fraction(1)
    if "randomizer" in optional:
        part, inputs = part_of_table(claim["randomizer"]) if is_table(claim) else (2 / (x + 1), values_of(claim))
        factor = 1 - Fraction(1, inputs)
    refutable = Slot(steps, used, laws, less, more, delta)
    statements = [*SHUFFLES.get(claim["mechanism"], []), *([statement] if statement else [])]
    if "delta0" in optional:
        require(adjacency == "replace", "delta0 must be for replacement")
        moved = decimal(claim, "delta0", 0, 1) * max(Fraction(1), 3 / (1 + less))
        if follows_from_one_run(claim, weight):
            return refutable, refutable, statements
        require(moved < 1, "delta0 is too large")
        x, delta = x * (1 + moved) / (1 - moved), delta - weight * moved * (more + 1)
        statements.append(CLIPPING)
    return Slot(steps, weight, laws, x, kappa, delta, part, factor), refutable, statements


def is_table(claim):
    """Return whether the randomizer of a claim is a table."""
    return type(claim.get("randomizer")) is list


def columns_of(table):
    """Return the probabilities of each output that is possible, on all inputs of different laws."""
    return [column for column in zip(*{*map(tuple, rows_of(table))}, strict=True) if any(column)]


def part_of_table(table):
    """Return p for a table, and how many of its rows are different."""
    columns = columns_of(table)
    if len(columns[0]) == 1:  # the two of a mean would be one law
        return Fraction(1), 1
    return min(2 * min(column) / sum(sorted(column)[-2:]) for column in columns), len(columns[0])


def rows_of(table):
    """Return the rows of a table as rational numbers; each has the sum 1."""
    require(2 <= len(table) <= MOST_ROWS, f"a table must have from 2 to {MOST_ROWS} rows")
    for row in table:
        require(type(row) is list and len(row) <= MOST_COLUMNS, f"a row must have at most {MOST_COLUMNS} entries")
        require(all(type(one) is str and fullmatch(ENTRY, one) for one in row), "an entry must be a text of a number")
    rows = [[*map(Fraction, row)] for row in table]
    require(len({*map(len, rows)}) == 1 and all(sum(row) == 1 for row in rows), "rows must have one length and sum 1")
    possible = all(all(column) or not any(column) for column in zip(*rows, strict=True))
    require(possible, "an output must be possible on all inputs or on none")
    return rows


def table_choices(table):
    """Return for every ordered pair of inputs the laws of all reference records, each a list of (a, a', chance)."""
    rows, choices = rows_of(table), []
    for record, other in permutations(rows, 2):
        outputs = [[*zip(record, other, own, strict=True)] for own in rows]
        choices.append(tuple([(p / g, q / g, g) for p, q, g in law if g] for law in outputs))
    return choices


def values_of(claim):
    """Return the number of values of the randomized response of a claim."""
    match = fullmatch(RESPONSE, claim["randomizer"]) if type(claim["randomizer"]) is str else None
    require(match and match[1] != "1", "the randomizer must be rr, krr:K or a table, or left out for all")
    return int(match[1] or 2)


def response_choices(values):
    """Return the laws of randomized response, those of more than two values with the number of outputs at (1, 1)."""
    if values == 2:
        return [("BE", "CF")]
    return [(("BE", values - 2), ("CF", values - 2), ("ACE", values - 3))]


def follows_from_one_run(claim, weight):
    """Return whether a claim, which was read, follows from one run of its randomizer, where shuffling is not meant."""
    if is_table(claim):
        return False
    enough = Fraction(claim["delta"]) >= weight * Fraction(claim.get("delta0", "0"))
    return claim["mechanism"] not in SHUFFLES and Fraction(claim["epsilon"]) >= Fraction(claim["eps0"]) and enough


def read_fineness(facts, steps, shuffled=False):
    """Return the fineness of a file."""
    integers = INTEGERS | SHUFFLED if shuffled else INTEGERS
    require_keys(facts, {*integers, "grid", "tilt", *(["zeta"] if shuffled else [])}, "the fineness")
    fine = {name: integer(facts, name, *ends) for name, ends in integers.items()}
    fine |= {"zeta": decimal(facts, "zeta", 0, 10**9)} if shuffled else {}
    fine |= {"grid": decimal(facts, "grid", None, 10**30), "tilt": decimal(facts, "tilt", 1, 2)}
    require(fine["tilt"] > 1, "the tilt must be above 1")
    require(fine["left"] % fine["join"] == fine["right"] % fine["join"] == 0, "join must divide left and right")
    require(fine["block"] << fine["doublings"] >= steps, "the blocks have fewer steps than the claim")
    return fine


def times(a, b):
    """Return the product of two multiples of 1 / ONE, rounded up."""
    return -(-a * b >> BITS)


def outputs_of(law, x):
    """Return a, a' and the probability of each output of a law.

    It is the list of these, or the name of corners, or that with a number of outputs more, at (1, 1).
    """
    if type(law) is list:
        return law
    name, others = (law, 0) if type(law) is str else law
    weights = [x**power for power in LAWS[name]]
    total = sum(weights) + others
    corners = [(x**a, x**b, weight / total) for (a, b), weight in zip(map(CORNERS.get, name), weights, strict=True)]
    return corners + ([(1, 1, Fraction(others) / total)] if others else [])


def steps_of(slot, laws):
    """Return the exact values s of some laws with their exact probabilities."""
    return [[(a - 1 - slot.kappa * (b - 1), share) for a, b, share in outputs_of(law, slot.x)] for law in laws]


def moves_of(laws, grid, count):
    """Return for each law the numbers of nodes by which a step moves, with their probabilities times 2^PLACES.

    A step that ends between two nodes has a share of its probability at each: that is the straight line.  Where
    there are ``count`` nodes, moves of more than that to the left all end left of them.
    """
    moves = []
    for law in laws:
        ends = [(*divmod(ceil(s / grid * 2**PLACES), 2**PLACES), probability) for s, probability in law]
        shares = [(node, probability * (2**PLACES - part)) for node, part, probability in ends]
        shares += [(node + 1, probability * part) for node, part, probability in ends]
        moves.append([(max(node, -count), ceil(share)) for node, share in shares if share])
    return moves


def block_values(moves, block, left, right):
    """Return W_block at the nodes from -left to right."""
    before = max(0, *(-node for law in moves for node, _ in law))
    beyond = max(0, *(node for law in moves for node, _ in law))
    values = [max(node, 0) * ONE for node in range(-left, right + 1)]
    for _ in range(block):
        row = [values[0]] * before + values + [values[-1] + distance * ONE for distance in range(1, beyond + 1)]
        means = []
        for law in moves:
            terms = [map(share.__mul__, row[before + node : before + node + len(values)]) for node, share in law]
            means.append(map(sum, zip(*terms, strict=True)))
        values = [-(-max(options) >> PLACES) for options in zip(*means, strict=True)]
    return values


def law_of(values, join):
    """Return the masses of L, that of the last node first."""
    height, slope, masses = values[0], 0, []
    for value in values[join::join]:
        steeper = max(slope, -((height - value) // join))
        masses.append(steeper - slope)
        height, slope = height + join * steeper, steeper
    return [*masses, max(ONE - slope, 0)][::-1]


def power(base, n):
    """Return base^n, every product rounded up."""
    result = ONE
    for digit in bin(n)[2:]:
        result = times(result, result)
        result = times(result, base) if digit == "1" else result
    return result


def tilted(masses, low, up, down):
    """Return masses at the places from ``low`` times g^place; ``up`` and ``down`` are g and 1 / g, rounded up."""
    high = low + len(masses) - 1
    middle = min(max(low, 0), high)
    start = power(up, middle) if middle > 0 else power(down, -middle)
    above = accumulate(repeat(up, high - middle), times, initial=start)
    below = [*accumulate(repeat(down, middle - low), times, initial=start)][:0:-1]
    return [*map(times, masses, [*below, *above])]


def coarser(masses, low):
    """Return masses at even places only, and half of the first place; an odd place gives a half to each neighbour."""
    masses = [0] * (low % 2) + masses
    masses = masses + [0] * (1 - len(masses) % 2)
    halves = [(mass + 1) // 2 for mass in masses[1::2]]
    return [*map(sum, zip(masses[::2], [0, *halves], [*halves, 0], strict=True))], low // 2


def squared(masses):
    """Return the masses of a sum of two copies, rounded up; one product of two large integers computes all of them."""
    size = (2 * max(masses).bit_length() + len(masses).bit_length()) // 8 + 1
    packed = int.from_bytes(b"".join(mass.to_bytes(size, "little") for mass in masses), "little")
    product = (packed * packed).to_bytes(2 * len(masses) * size, "little")
    ends = range(0, (2 * len(masses) - 1) * size, size)
    return [-(-int.from_bytes(product[end : end + size], "little") >> BITS) for end in ends]


def many_blocks(masses, constant, start, fine):
    """Return an upper bound of V(start) / h for 2^doublings blocks; ``start`` and ``constant`` are those / h."""
    copies, excess, spacing, low = (
        1 << fine["doublings"],
        sum(masses) - ONE,
        fine["join"],
        -(fine["right"] // fine["join"]),
    )
    require(2 * copies * excess < ONE, "the masses of all blocks grow too much", TooCoarse)
    up, down, left_out = ceil(fine["tilt"] * ONE), ceil(ONE / fine["tilt"]), 0
    for _ in range(fine["doublings"]):
        while True:
            farthest = max(abs(low), abs(low + len(masses)))
            require((up - ONE) * farthest < MOST_TILT * ONE, "the tilt is too large", TooCoarse)
            parts = tilted(masses, low, up, down)
            limit = sum(parts) >> fine["cut"]
            first, last = bisect([*accumulate(parts)], limit), len(parts) - bisect([*accumulate(parts[::-1])], limit)
            left_out += sum(parts[:first]) + sum(parts[last:])
            masses, low = masses[first:last], low + first
            if len(masses) <= fine["atoms"]:
                break
            masses, low = coarser(masses, low)
            spacing, up, down = 2 * spacing, times(up, up), times(down, down)
        inside = sum(parts[first:last])
        require(left_out < inside, "too much is left out", TooCoarse)
        left_out = 2 * times(inside, left_out) + times(left_out, left_out)
        masses, low = squared(masses), 2 * low
    origin = ceil(start / spacing * 2**PLACES)
    total = sum(mass * max(origin + (place << PLACES), 0) for place, mass in enumerate(masses, low))
    require(down < ONE, "the tilt is too small", TooCoarse)
    tail = times(left_out, power(down, floor(-start / spacing))) / (Fraction(2718, 1000) * (ONE - down))
    return spacing * (Fraction(total, ONE << PLACES) + tail) + Fraction(copies * constant, ONE - copies * excess)


def delta_upper(slot, fine):
    """Return an upper bound of delta*; raise ValueError if it would take too much work."""
    left, right, grid, scale = fine["left"], fine["right"], fine["grid"], slot.weight / slot.steps
    choices = [steps_of(slot, names) for names in slot.choices]
    # No sum of steps is more than m times the largest step.
    largest = slot.weight * max(s for laws in choices for law in laws for s, _ in law) - (slot.kappa - 1)
    if largest <= slot.delta:
        return max(largest, Fraction(0))
    choices = [moves_of(laws, grid, left + right + 1) for laws in choices]
    nodes = [node for moves in choices for law in moves for node, _ in law]
    nodes = left + right + 1 + max(nodes) - min(nodes)
    products = nodes * fine["block"] * sum(len(law) for moves in choices for law in moves)
    places = len(choices) * fine["doublings"] * fine["atoms"]
    fits = nodes <= MOST_NODES and products <= MOST_PRODUCTS
    require(fits and places <= MOST_DOUBLED, "it takes more than the largest amount of work")
    bounds = []
    for moves in choices:
        values = block_values(moves, fine["block"], left, right)
        bounds.append(many_blocks(law_of(values, fine["join"]), values[0], (1 - slot.kappa) / scale / grid, fine))
    return scale * grid * max(bounds)


def delta_attained(slot):
    """Return the larger delta of BE and CF in every slot, where there are few slots; x is rounded down to do so.

    It is 0 where neither is a law of all that there is to choose from.
    """
    m, scale, best = slot.steps, slot.weight / slot.steps, Fraction(0)
    slot = slot._replace(x=Fraction(floor(slot.x * 2**40), 2**40))
    two_values = {law for laws in slot.choices for law in laws if law in ("BE", "CF")}
    for (high, p), (low, q) in steps_of(slot, sorted(two_values)) if m <= MOST_COMPARED else []:
        sums = [(1 - slot.kappa) / scale + j * high + (m - j) * low for j in range(m + 1)]
        a, b = (p / q).as_integer_ratio()
        total = sum(comb(m, j) * a**j * b ** (m - j) * max(gain, 0) for j, gain in enumerate(sums))
        best = max(best, scale * total / (a + b) ** m)
    return best


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
    above, rest = outward((trials - middle + 1, middle), chance, CHANCE - chance, ONE >> cut)
    below, more = outward((middle + 1, trials - middle), CHANCE - chance, chance, ONE >> cut)
    masses = [*below[::-1], ONE, *above]
    units = len(above) * (len(above) + 1) // 2 + len(below) * (len(below) + 1) // 2
    total = sum(masses) - units
    return Binomial(middle - len(below), [mass * ONE // total + 1 for mass in masses], (rest + more) * ONE // total + 1)


def first_kind(c, x, kappa, cut):
    """Return pairs of |rho_1(k)| and q_1(k), those with positive rho_1 and the others, and what is left out."""
    coins, one = binomial(c + 1, CHANCE // 2, cut), 1 << PLACES
    signs = [], []
    for k, mass in enumerate(coins.masses, coins.low):
        weight = k * one + (c + 1 - k) * x
        gain = (x - kappa) * one * k - (kappa * x - one * one) * (c + 1 - k)
        signs[gain < 0].append((-(-abs(gain) // weight), -(-2 * mass * weight // ((x + one) * (c + 1)))))
    return *signs, coins.rest


def second_kind(c, x, cut, factor=Fraction(1)):
    """Return pairs of f |rho_2(l)| and q_2(l), those with positive rho_2 and the others, and what is left out."""
    coins, one = binomial(c + 2, CHANCE // 2, cut), 1 << PLACES
    signs = [], []
    for k, mass in enumerate(coins.masses, coins.low):
        different, same = 2 * k * (c + 2 - k), k * (k - 1) + (c + 2 - k) * (c + 1 - k)
        weight, gain = (x * x + one * one) * different + 2 * x * one * same, different - same
        share = -(-2 * mass * weight // ((x + one) ** 2 * (c + 1) * (c + 2)))
        quotient = -(-factor.numerator * (x - one) ** 2 * abs(gain) * one // (factor.denominator * weight))
        signs[gain < 0].append((quotient, share))
    return *signs, coins.rest


def positive_parts(first, second, zeta):
    """Return the sum of p q (r s - zeta)_+ over (r, p) of the first and (s, q) of the second, times ONE, rounded up."""
    second, taken, total, gains, shares = sorted(second, reverse=True), 0, 0, 0, 0
    for r, p in sorted(first):
        while taken < len(second) and r * second[taken][0] > zeta << PLACES:
            s, q = second[taken]
            taken, gains, shares = taken + 1, gains + q * s, shares + q
        total += p * (r * gains - (zeta * shares << PLACES))
    return -(-total >> BITS + 2 * PLACES)


def cells_of(law, count):
    """Yield the lowest and the highest place of cells of a Binomial with their masses, from above."""
    size = -(-len(law.masses) // count)
    for start in range(0, len(law.masses), size)[::-1]:
        masses = law.masses[start : start + size]
        yield law.low + start, law.low + start + len(masses) - 1, sum(masses)


def tau_upper(x, kappa, fine, part=None, factor=Fraction(1)):
    """Return an upper bound of tau; x and kappa are times 2^PLACES, ``part`` is p and ``factor`` f."""
    part = Fraction(1 << PLACES, x) if part is None else part
    others, cells, cut, zeta = fine["others"], fine["cells"], fine["outside"], floor(fine["zeta"] * 2**PLACES)
    of_first, of_second = (floor(part * share * CHANCE / 4) for share in (1, 3))
    first, second, places = {}, {}, 0
    law = binomial(others, of_first, cut)
    # No term is more than this times its probability.
    total, most = 0, ceil(Fraction(max(x, kappa) * x, 1 << 2 * PLACES))
    left_out = law.rest * ONE
    for c1, highest, chance in cells_of(law, cells):
        # All messages may be of the two kinds; a chance may be rounded down.
        rest = binomial(others - highest, min(of_second * CHANCE // (CHANCE - of_first), CHANCE - 1), cut)
        left_out += chance * rest.rest
        for c2, _, probability in cells_of(rest, cells):
            if c1 not in first:
                first[c1] = first_kind(c1, x, kappa, cut)
            if c2 not in second:
                second[c2] = second_kind(c2, x, cut, factor)
                places += sum(map(len, second[c2][:2]))
                require(places <= MOST_KEPT, "it takes more than the largest amount of memory")
            (up, down, out), (near, far, outside) = first[c1], second[c2]
            pairs = (len(up) + len(down) + len(near) + len(far)) * min(cells, len(law.masses)) ** 2
            require(pairs <= MOST_PAIRS, "it takes more than the largest amount of work")
            total += chance * probability * (positive_parts(up, near, zeta) + positive_parts(down, far, zeta))
            left_out -= -chance * probability * 2 * (out + outside) // ONE
    return Fraction(total + most * left_out * ONE, ONE**3)


def one_client_fewer(slot, fine):
    """Return the claim about a hidden slot from which one about shuffling with as many clients as steps follows."""
    require(fine["others"] <= slot.steps - 3, "there must be 3 clients more than others")
    x, kappa = ceil(slot.x * 2**PLACES), floor((slot.kappa - fine["zeta"]) * 2**PLACES)
    require(kappa >= 1 << PLACES, "zeta is too large", TooCoarse)
    tau = tau_upper(x, kappa, fine, slot.part, slot.factor)
    require(tau < slot.delta, "tau is not below delta", TooCoarse)
    return slot._replace(
        steps=slot.steps - 1,
        x=Fraction(x, 1 << PLACES),
        kappa=Fraction(kappa, 1 << PLACES),
        delta=slot.delta - tau,
    )


def sentence_of(claim, statements):
    """Return a claim in words, with the statements that it rests on."""
    kind = f"every adaptive {'(eps0, delta0)-DP' if 'delta0' in claim else 'eps0-DP'} randomizer"
    if "randomizer" in claim:
        rows = "; ".join(map(" ".join, claim["randomizer"])) if is_table(claim) else ""
        kind = f"the randomizer {'of the table ' + rows if rows else claim['randomizer']}"
    names = [f"{name} {claim[name]}" for name in claim if name not in ("mechanism", "randomizer", "epsilon", "delta")]
    place = f"{kind} in the mechanism {claim['mechanism']} with {', '.join(names)}"
    rests = f"this rests on {' and '.join(statements)}" if statements else "it needs no further statement"
    return f"{place} is ({claim['epsilon']}, {claim['delta']})-DP; {rests}"


def verify(facts):
    """Return the verdict on the content of a file, whatever that is."""
    try:
        theorem = {"theorem"} & facts.keys() if type(facts) is dict else set()
        require_keys(facts, {"pldcheck_certificate", "claim", "fineness", *theorem}, "the file")
        require(facts["pldcheck_certificate"] == "upper_slot", "it is no certificate for this program")
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
        ends = UP.divide(*upper.as_integer_ratio()), DOWN.divide(*slot.delta.as_integer_ratio())
        reason = f"delta is at most {ends[0]}, and must be {ends[1]}"
    except ValueError as error:
        return Verdict(2, f"refused: {error}")
    except TooCoarse as error:
        reason = str(error)
    lower = delta_attained(refutable)
    if lower > refutable.delta:
        attained = DOWN.divide(*lower.as_integer_ratio())
        return Verdict(1, f"not verified: the claim is false, as delta is at least {attained}")
    return Verdict(1, f"not verified: {reason}; the fineness is too coarse or the claim is false")


def examine(path, verify=verify):
    """Return the verdict on a file, which ``verify`` gives on its content."""
    try:
        require(isfile(path), "it is not a file")
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
        require(len(content) <= MOST_BYTES, f"it is longer than {MOST_BYTES} bytes")
        verdict = verify(json.loads(content.decode("ascii"), object_pairs_hook=unique_keys))
        return verdict._replace(sentence=f"{verdict.sentence}; sha256 {sha256(content).hexdigest()}")
    except (OSError, RecursionError, ValueError) as error:
        return Verdict(2, " ".join(f"refused: {error}".split()))


if __name__ == "__main__":
    outcome = examine(sys.argv[1]) if len(sys.argv) == 2 else Verdict(2, "usage: python upper_slot.py FILE")
    print(outcome.sentence)
    sys.exit(outcome.status)
