"""Reading of files, the work that is allowed for one, and the verdicts on them.

A file is JSON in ASCII of at most so many bytes.  An object has exactly the keys that a program knows, each once.
Programs count their work before they do it: all parts of a file together have MOST_SECONDS.  Whatever a file holds, a
program says in one line what it makes of it, and ends with a status.
"""

import json
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import wraps
from hashlib import sha256
from os.path import isfile
from re import fullmatch
from typing import NamedTuple

# Nine digits are enough for messages.
DOWN_NINE = Context(prec=9, rounding=ROUND_FLOOR)
UP_NINE = Context(prec=9, rounding=ROUND_CEILING)
# The keys of every certificate.
FILE_KEYS = {"pldcheck_certificate", "claim", "fineness"}
# The largest length of a certificate in bytes, and that of any file: tables of a witness have exact numbers.
MOST_BYTES = 20_000
MOST_BYTES_OF_ANY = 1 << 18
# The form of a decimal number, of one whose exponent has two digits at most, and of one that may be a quotient.
DECIMAL = r"[0-9]{1,30}(\.[0-9]{1,60})?(e-?[0-9]{1,3})?"
SHORT_DECIMAL = r"[0-9]{1,30}(\.[0-9]{1,60})?(e-?[0-9]{1,2})?"
QUOTIENT = r"[0-9]{1,30}(/[1-9][0-9]{0,29}|(\.[0-9]{1,60})?(e-?[0-9]{1,3})?)"
# The most seconds of all parts of a file, by what programs count.  Files of a search take up to some 20 on a core of
# 2026; a single part may take 400.
MOST_SECONDS = 600
# What may take longer than so many seconds is said before; most files take a tenth of what is counted.
LONG = 20
# The Budget of the file that is being checked.
BUDGET = ContextVar("BUDGET", default=None)
# The errors that the content of a file may raise in a program.
ERRORS = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)


class NotVerified(ValueError):
    """The claim of a file is not verified by what the file holds."""


class Verdict(NamedTuple):
    """The outcome: ``status`` is 0 (verified), 1 (not verified) or 2 (refused), with a sentence."""

    status: int
    sentence: str


class Budget:
    """The seconds of work that are left for a file; ``tell`` is called once with words for what is long."""

    def __init__(self, tell):
        self.left, self.tell = MOST_SECONDS, tell

    def spend(self, seconds):
        """Count work that a core would do in so many seconds; refuse it if that is more than is left."""
        self.left -= seconds
        require(self.left >= 0, f"all parts together take more than {MOST_SECONDS} s of work")
        if MOST_SECONDS - self.left > LONG and self.tell:
            self.tell(f"may take {MOST_SECONDS - self.left:.0f} s or more, {MOST_SECONDS} s at most")
            self.tell = None


def require(condition, complaint, error=ValueError):
    """Raise an error with the complaint unless the condition holds."""
    if not condition:
        raise error(complaint)


@contextmanager
def one_budget(tell=None):
    """Count the work of all parts of a file together: of what is called inside, too."""
    token = None if BUDGET.get() else BUDGET.set(Budget(tell))
    try:
        yield
    finally:
        if token:
            BUDGET.reset(token)


def spend(seconds):
    """Count work of the file that is being checked."""
    if BUDGET.get():
        BUDGET.get().spend(seconds)


def unique_keys(pairs):
    """Return a JSON object as a dictionary; refuse an object in which a key stands twice."""
    require(len(dict(pairs)) == len(pairs), "a key stands twice")
    return dict(pairs)


def no_constant(name):
    """Refuse NaN and the infinities, which are no JSON."""
    raise ValueError(f"{name} is not a number")


def parse(content):
    """Return the JSON value that some bytes hold, and nothing besides."""
    require(len(content) <= MOST_BYTES_OF_ANY, f"longer than {MOST_BYTES_OF_ANY} bytes")
    facts = json.loads(content.decode("ascii"), object_pairs_hook=unique_keys, parse_constant=no_constant)
    is_witness = type(facts) is dict and "pldcheck_witness" in facts
    require(is_witness or len(content) <= MOST_BYTES, f"longer than {MOST_BYTES} bytes")
    return facts


def read(path):
    """Return the content of a file, in bytes, but for what is too long for any."""
    require(isfile(path), "not a file")
    with open(path, "rb") as file:
        return file.read(MOST_BYTES_OF_ANY + 1)


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
    text = str(error) if isinstance(error, ValueError | OSError) else repr(error)
    return Verdict(2, " ".join(f"refused: {text}".split()))


def verdict_of(judge):
    """Return a function that returns a verdict on the content of a file, whatever that is, from one that may raise."""

    @wraps(judge)
    def verify(facts):
        try:
            with one_budget():
                return judge(facts)
        except NotVerified as error:
            return Verdict(1, f"not verified: {error}")
        except ERRORS as error:
            return refusal(error)

    return verify


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


def examine(path, verify, tell=None):
    """Return the verdict on a file, which ``verify`` gives on its content; ``tell`` is given words for long work."""
    try:
        content = read(path)
        with one_budget(tell):
            verdict = verify(parse(content))
        return verdict._replace(sentence=f"{verdict.sentence}; sha256 {sha256(content).hexdigest()}")
    except (OSError, RecursionError, ValueError) as error:
        return refusal(error)
