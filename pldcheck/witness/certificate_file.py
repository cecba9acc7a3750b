"""Reading of certificate files, and the verdicts on them: a part of all programs of certificates.

A file is JSON in ASCII of at most so many bytes.  An object has exactly the keys that a program knows, each once, and
numbers are integers or decimal texts in a range.  Programs count their work before they do it: all parts of a file
together have MOST_SECONDS, the longest time that a file with several parts takes.  Whatever a file holds, a program
says in one line what it makes of it, and its exit status is that of the verdict.
"""

import json
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from hashlib import sha256
from os.path import basename, isfile
from re import fullmatch
from typing import NamedTuple

# Nine digits are enough for messages.
DOWN_NINE = Context(prec=9, rounding=ROUND_FLOOR)
UP_NINE = Context(prec=9, rounding=ROUND_CEILING)
# The keys of every file.
FILE_KEYS = {"pldcheck_certificate", "claim", "fineness"}
# The largest length of a file in bytes.
MOST_BYTES = 20_000
# The form of a decimal number, of one whose exponent has two digits at most, and of one that may be a quotient.
DECIMAL = r"[0-9]{1,30}(\.[0-9]{1,60})?(e-?[0-9]{1,3})?"
SHORT_DECIMAL = r"[0-9]{1,30}(\.[0-9]{1,60})?(e-?[0-9]{1,2})?"
QUOTIENT = r"[0-9]{1,30}(/[1-9][0-9]{0,29}|(\.[0-9]{1,60})?(e-?[0-9]{1,3})?)"
# The most seconds of all parts of a file, by what programs count.  Files of a search take up to some 20 on a core of
# 2026; a single part may take 400.
MOST_SECONDS = 600
# What is left of them for a file that has several parts.
LEFT = ContextVar("LEFT", default=None)
# The errors that the content of a file may raise in a program.
ERRORS = (ArithmeticError, LookupError, MemoryError, TypeError, ValueError)


class TooCoarse(Exception):
    """The fineness does not verify the claim."""


class Verdict(NamedTuple):
    """The outcome: ``status`` is 0 (verified), 1 (not verified) or 2 (not a certificate), with a sentence."""

    status: int
    sentence: str


def require(condition, complaint, error=ValueError):
    """Raise an error with the complaint unless the condition holds."""
    if not condition:
        raise error(complaint)


@contextmanager
def one_budget():
    """Count the work of all parts of a file together."""
    token = LEFT.set(MOST_SECONDS)
    try:
        yield
    finally:
        LEFT.reset(token)


def spend(seconds):
    """Count work that a core would do in so many seconds; refuse it if that is more than is left for the file."""
    if LEFT.get() is not None:
        LEFT.set(LEFT.get() - seconds)
        require(LEFT.get() >= 0, f"all parts together take more than {MOST_SECONDS} s of work")


def unique_keys(pairs):
    """Return a JSON object as a dictionary; refuse an object in which a key stands twice."""
    require(len(dict(pairs)) == len(pairs), "a key stands twice")
    return dict(pairs)


def no_constant(name):
    """Refuse NaN and the infinities, which are no JSON."""
    raise ValueError(f"{name} is not a number")


def parse(content):
    """Return the JSON value that some bytes hold, and nothing besides."""
    require(len(content) <= MOST_BYTES, f"longer than {MOST_BYTES} bytes")
    return json.loads(content.decode("ascii"), object_pairs_hook=unique_keys, parse_constant=no_constant)


def fields(value, names, place):
    """Return a dictionary that has exactly these keys."""
    require(type(value) is dict and value.keys() == {*names}, f"{place} must have the keys {', '.join(sorted(names))}")
    return value


def check_file(facts, program, keys=()):
    """Raise ValueError unless a file has the keys of a certificate and these ones, and names a program."""
    fields(facts, FILE_KEYS | {*keys}, "the file")
    require(facts["pldcheck_certificate"] == program, "not a certificate for this program")


def integer(facts, name, low, high):
    """Return an integer of a file that must lie in a range."""
    value = facts[name]
    require(type(value) is int and low <= value <= high, f"{name} must be an integer from {low} to {high}")
    return value


def decimal(facts, name, low, high, form=DECIMAL):
    """Return the exact value of a decimal text that must lie in a range, and above 0 if ``low`` is None."""
    text = facts[name]
    require(type(text) is str and fullmatch(form, text), f"{name} must be a decimal number in a text")
    value = Fraction(text)
    fits = (value > 0 if low is None else value >= Fraction(low)) and value <= Fraction(high)
    require(fits, f"{name} must be {'above 0 and at most' if low is None else f'from {low} to'} {high}")
    return value


def short_decimal(facts, name, low, high):
    """Return the exact value of a decimal text whose exponent has two digits at most."""
    return decimal(facts, name, low, high, SHORT_DECIMAL)


def refusal(error):
    """Return the verdict on a file whose content raised an error."""
    return Verdict(2, f"refused: {error if type(error) is ValueError else repr(error)}")


def judgement(ends, delta, accepted, found="delta is found to be at most", coarse="the fineness is too coarse"):
    """Return the verdict on a claim, by a lower and an upper bound of its delta; decimals are compared exactly.

    ``accepted`` says what is proved if the claim is; ``found`` and ``coarse`` are words for what is not.
    """
    low, high = ends
    delta = Decimal(delta)
    if high <= delta:
        return Verdict(0, f"accepted: {accepted}")
    if low > delta:
        return Verdict(1, f"false: delta is at least {DOWN_NINE.plus(low)}")
    return Verdict(1, f"not verified: {found} {UP_NINE.plus(high)}; {coarse}, or the claim is false")


def examine(path, verify):
    """Return the verdict on a file, which ``verify`` gives on its content."""
    try:
        require(isfile(path), "not a file")
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
        verdict = verify(parse(content))
        return verdict._replace(sentence=f"{verdict.sentence}; sha256 {sha256(content).hexdigest()}")
    except (OSError, RecursionError, ValueError) as error:
        return Verdict(2, " ".join(f"refused: {error}".split()))


def main(verify, misuse=2):
    """Print the verdict on the file that the command line names, and end with its status, or with that of misuse."""
    program, *paths = sys.argv
    usage = Verdict(misuse, f"usage: python {basename(program)} FILE")
    verdict = examine(paths[0], verify) if len(paths) == 1 else usage
    print(verdict.sentence)
    sys.exit(verdict.status)
