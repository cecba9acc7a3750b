"""The laws of one slot of worst and of known randomizers.

Let x = e^eps0, kappa = e^epsilon, and let a, a' be the likelihood ratios of a slot's output, given the past, on the
record d and on its replacement d' against the reference record g.  They have mean 1 under g.  The step of a slot is s =
(a - 1) - kappa (a' - 1); a claim is about the largest mean of convex functions of s.

**Few laws.**  (a, a') has mean (1, 1) and is in the hexagon with the corners A(1/x, 1/x), B(1, 1/x), C(x, 1), D(x, x),
E(1, x), F(1/x, 1).  Convex functions have their largest mean for laws on two or three corners around (1, 1): AD, BE,
CF, ACE, BDF.  The values s of AD and BDF lie between those of B and E; as s has mean 0, BE gives a larger mean.  The
probabilities of BE are as x : 1, of CF as 1 : x, of ACE as x : 1 : 1.  Zero-out: a' = 1 (removal) leaves CF, and a = 1
(addition) leaves BE.

**Known randomizers.**  The ``randomizer`` of a claim may be binary or K-ary response, rr or krr:K.  Reference records
are d, with a = 1 and the law BE, or d', with the law CF, or for K > 2 another one, with the law ACE; what is left of
the probability is at (1, 1), where s = 0: in units of 1/(x + K - 1) that is K - 2, K - 2 and K - 3.  With a smaller
budget a response is a post-processing of itself.  Or it is a table of the probabilities of outputs, a row for each
input: then every ordered pair of inputs is a pair d and d', with one law for each input that may be the reference.
"""

from fractions import Fraction
from itertools import permutations
from re import fullmatch
from typing import NamedTuple

from .claim_files import require
from .randomizer_table import rows_of

# The ratios a and a' at each corner, as powers of x.
CORNERS = {"A": (-1, -1), "B": (0, -1), "C": (1, 0), "E": (0, 1), "F": (-1, 0)}
# The corners of each law with the powers of x to which their probabilities are proportional.
LAWS = {"BE": (1, 0), "CF": (0, 1), "ACE": (1, 0, 0)}
# The laws of which one is chosen in each slot; a zero-out claim must hold for removal and for addition.
ADJACENCIES = {"replace": [("BE", "CF", "ACE")], "zero-out": [("CF",), ("BE",)]}
# Randomized response as a claim names it.
RESPONSE = r"rr|krr:([1-9][0-9]{0,5})"
# The form of an entry of a table.
ENTRY = r"[0-9]{1,400}(/[1-9][0-9]{0,400}|\.[0-9]{1,60})?"


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


def is_table(claim):
    """Return whether the randomizer of a claim is a table."""
    return type(claim.get("randomizer")) is list


def columns_of(table):
    """Return the probabilities of each output that is possible, on all inputs of different laws."""
    return [column for column in zip(*{*map(tuple, rows_of(table, ENTRY))}, strict=True) if any(column)]


def part_of_table(table):
    """Return p for a table, and how many of its rows are different."""
    columns = columns_of(table)
    if len(columns[0]) == 1:  # the two of a mean would be one law
        return Fraction(1), 1
    return min(2 * min(column) / sum(sorted(column)[-2:]) for column in columns), len(columns[0])


def table_choices(table):
    """Return for every ordered pair of inputs the laws of all reference records, each a list of (a, a', chance)."""
    rows, choices = rows_of(table, ENTRY), []
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


def choices_of(claim):
    """Return the laws of the known randomizer of a claim."""
    return table_choices(claim["randomizer"]) if is_table(claim) else response_choices(values_of(claim))


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
