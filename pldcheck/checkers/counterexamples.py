"""The parts that all witness files have: a claim, its exact numbers, and the delta that is attained.

A witness file names a claim that every mechanism of a class is (epsilon, delta)-DP, one mechanism, and a delta between
the claimed one and the one that the mechanism attains.  A program checks that the mechanism is in the class, and
computes a lower bound of the delta that it attains; the file is accepted if that is no less than the delta that it
states.
"""

from decimal import Decimal
from fractions import Fraction
from re import fullmatch

from .claim_files import DOWN_NINE, NotVerified, Verdict, require

# The keys that a file and its claim may have.
FILE_KEYS = {"pldcheck_witness", "of", "claim", "mechanism", "delta_attained_at_least", "note"}
CLAIM_KEYS = {"quantity", "relation", "epsilon", "delta", "adjacency"}
# The rows of a randomizer: its output on the record, on the record's replacement, and on any other record.
ROWS = ("record", "replacement", "reference")
# The form of an exact number that is written as text: a decimal or a ratio, of limited length.
NUMBER = r"[0-9]{1,1100}(\.[0-9]{1,1100})?(E-[0-9]{1,3})?|[0-9]{1,1100}/[0-9]{1,1100}"


def number(value):
    """Return the exact value of a JSON number (the double that it stands for) or of a text of the form NUMBER."""
    require(type(value) in (int, float) or fullmatch(NUMBER, value), f"not a number: {value!r:.60}")
    return Fraction(value)


def rows_of(laws):
    """Return the rows of a randomizer, exactly."""
    return [[number(mass) for mass in laws[name]] for name in ROWS]


def nine_digits(value):
    """Return a rational number rounded down to nine digits."""
    return DOWN_NINE.divide(*map(Decimal, Fraction(value).as_integer_ratio()))


def read_witness(facts, version, of_claim, of_mechanism):
    """Return the claim and the mechanism of a file of some version, which has these keys besides the usual ones."""
    claim, mechanism = facts["claim"], facts["mechanism"]
    is_witness = type(facts["pldcheck_witness"]) is int and facts["pldcheck_witness"] == version
    require(is_witness and claim["relation"] == "<=", "not a witness against an upper bound for this program")
    fits = facts.keys() <= FILE_KEYS and claim.keys() <= CLAIM_KEYS | {of_claim} and mechanism.keys() <= of_mechanism
    require(fits and claim.get("quantity", "delta") in ("epsilon", "delta"), "a key or a quantity that is not known")
    return claim, mechanism


def require_attained(facts, delta):
    """Return a delta that is attained, if it is above the claimed one, and no less than the stated one."""
    stated, claimed = number(facts["delta_attained_at_least"]), number(facts["claim"]["delta"])
    require(delta >= stated > claimed >= 0, f"delta is found to be {nine_digits(delta)} only", NotVerified)
    return delta


def refuted(delta):
    """Return the verdict on a file whose mechanism attains a delta."""
    return Verdict(0, f"accepted: the claim of the file is false: delta is at least {nine_digits(delta)} there")
