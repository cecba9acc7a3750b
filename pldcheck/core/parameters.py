"""The parameters of protocols and theorems: one name, one domain and one line of help each.

Protocols, theorems and the command line read this table, so a parameter has the same meaning and domain everywhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from numbers import Integral, Real

from .errors import ParameterError, UnknownNameError
from .usual_names import understood_name


def number_text(value: float) -> str:
    """Return a number as people type it, with all its digits: 1e12 and 1e-6, not 1e+12 and 1e-06."""
    short = f"{value:g}"
    mantissa, exponent, power = (short if float(short) == value else repr(value)).partition("e")
    return f"{mantissa}e{int(power)}" if exponent else mantissa


def range_words(low: float, high: float, low_open: bool = False, high_open: bool = False) -> str:
    """Return a range in words: "from 1 to 20", "above 0 and at most 20", "at least 0 and finite"."""
    if not (low_open or high_open):
        return f"from {number_text(low)} to {number_text(high)}"
    first = f"{'above' if low_open else 'at least'} {number_text(low)}"
    if math.isinf(high):
        return f"{first} and finite"
    return f"{first} and {'below' if high_open else 'at most'} {number_text(high)}"


@dataclass(frozen=True)
class Parameter:
    """A named number and the values it may take.

    ``low`` and ``high`` bound the value; ``low_open`` and ``high_open`` say whether the ends are excluded.  Formulas
    accept values above 0 and below ``floor``, computations do not, for the reason that ``why`` states.  ``option``: the
    name on the command line, where it says more than ``name``.
    """

    name: str
    help: str
    low: float
    high: float
    low_open: bool = False
    high_open: bool = False
    integer: bool = False
    floor: float = 0.0
    why: str = ""
    option: str = ""

    @cached_property
    def domain(self) -> str:
        """The domain in words, as error messages and ``--help`` print it."""
        return ("an integer " if self.integer else "") + range_words(self.low, self.high, self.low_open, self.high_open)

    def parse(self, value: object) -> int | float:
        """Return the value as :meth:`admit` does, if computations accept it.

        Raises
        ------
        ParameterError
            For a value outside the domain, and for a positive value below the floor; the message states the reason.

        """
        number = self.admit(value)
        if 0.0 < number < self.floor:
            raise ParameterError(
                self.name, f"{self.domain}, and at least {number_text(self.floor)} ({self.why})", value
            )
        return number

    def admit(self, value: object) -> int | float:
        """Return the value as an int or float; raise ParameterError for NaN, no number, and values out of the domain.

        An integer may be written ``1e9``.  Text must consist of plain decimal digits, or of two such numbers with a
        ``/`` between them, and a number that is not 0 but would be rounded to 0 is refused.
        """
        if (type(value) is float and not self.integer and value == value) or (type(value) is int and self.integer):
            number: int | float = value
        elif isinstance(value, str):
            number = self._read(value)
        else:
            number = self._number(value)
        inside_low = number > self.low if self.low_open else number >= self.low
        inside_high = number < self.high if self.high_open else number <= self.high
        if not (inside_low and inside_high):
            raise ParameterError(self.name, self.domain, value)
        return number

    def _number(self, value: object) -> int | float:
        """Return a number of any type as an int or a float."""
        if isinstance(value, bool) or not isinstance(value, Real):
            raise ParameterError(self.name, self.domain, value)
        if isinstance(value, Integral) and self.integer:
            return int(value)
        try:
            number = float(value)
        except (ValueError, OverflowError):
            raise ParameterError(self.name, self.domain, value) from None
        if number == 0.0 and value != 0:
            raise ParameterError(self.name, f"{self.domain}, and {_TINY}", value)
        if not self.integer:
            if math.isnan(number):
                raise ParameterError(self.name, self.domain, value)
            return number
        if number != value or not number.is_integer():
            raise ParameterError(self.name, self.domain, value)
        return int(number)

    def _read(self, text: str) -> int | float:
        """Return the number that a text stands for."""
        try:
            number = decimal(text)
        except ValueError as error:
            reason = str(error)
            domain = self.domain if reason == _NO_NUMBER else f"{self.domain}, {reason}"
            raise ParameterError(self.name, domain, text) from None
        if number == 0.0:
            return 0 if self.integer else number
        if not self.integer:
            return number
        exact = None if math.isinf(number) else _exact(text)
        if exact is None or exact.denominator != 1:
            raise ParameterError(self.name, self.domain, text)
        return int(exact)


@dataclass(frozen=True)
class Words:
    """A named parameter whose value is one of some words; ``help`` says what they decide.

    A word that other accountants have for one of them is read as that one.
    """

    name: str
    help: str
    values: tuple[str, ...]

    @property
    def domain(self) -> str:
        """The phrase "one of ..." with all allowed words, as error messages print it."""
        return f"one of {', '.join(self.values)}"

    def parse(self, value: object) -> str:
        """Return the word of ``values`` that is meant; raise ParameterError for any other."""
        for word in self.values:
            if word == value:
                return word
        if isinstance(value, str) and (meant := understood_name(value, self.values)):
            return meant
        raise ParameterError(self.name, self.domain, value)


@dataclass(frozen=True)
class Text:
    """A named parameter in a notation that its protocol parses; with ``several``, it is a tuple of such texts.

    ``beginnings``: how a text may begin, which a shell offers.
    """

    name: str
    help: str
    several: bool = False
    beginnings: tuple[str, ...] = ()


# Plain decimal digits: float() also accepts those of other scripts, underscores, inf and nan.
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_NO_NUMBER = "which this is not"
_PLAIN = "in plain digits such as 12, 0.05, 1e-6 or 1/60000"
# The largest number of characters of a number: nobody writes longer ones, and an exact conversion takes long.
_LONGEST = 400
_TINY = "not so small that it would be read as 0"
_DIVISOR = "with a number other than 0 below the /"


def decimal(text: str) -> float:
    """Return the number that a text of plain digits, or a quotient of two such, stands for, rounded once.

    A number that is not 0 but would be rounded to 0 is refused; a number beyond all doubles is infinite.

    Parameters
    ----------
    text : str
        Such as ``12``, ``1e-6`` or ``256/60000``; at most 400 characters.

    Raises
    ------
    ValueError
        If it is no such text, with the reason in words.

    Examples
    --------
    >>> decimal("256/60000") == 256 / 60000
    True

    """
    if len(text) > _LONGEST or not all(_DECIMAL.fullmatch(part) for part in text.split("/", 1)):
        raise ValueError(_PLAIN if _looks_finite(text) else _NO_NUMBER)
    above, _, below = text.partition("/")
    number = _rounded(above)
    if not below:
        return number
    if _rounded(below) == 0.0:
        raise ValueError(_DIVISOR)
    if math.isinf(number) or math.isinf(_rounded(below)):
        raise ValueError(_PLAIN)
    exact = _exact(text)
    try:
        number = float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
    if number == 0.0 != exact:
        raise ValueError(f"and {_TINY}")
    return number


def _rounded(text: str) -> float:
    """Return the double nearest to plain digits; raise ValueError for what is not 0 and would be."""
    number = float(text)
    if number == 0.0 and re.search("[1-9]", re.split("[eE]", text)[0]):
        raise ValueError(f"and {_TINY}")
    return number


def _exact(text: str) -> Fraction:
    """Return the exact value of a text whose numbers are finite as doubles.

    That bounds the exponent of all but 0, whose exponent :class:`Fraction` would write out.
    """
    above, _, below = text.partition("/")
    return Fraction(above if float(above) else 0) / Fraction(below or 1)


def _looks_finite(text: str) -> bool:
    """Return whether ``float`` reads the text as a finite number, so that the refusal needs a reason."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


_TABLE = (
    Parameter("steps", "number of repetitions, or of slots m that a record may be used in", 1, 10**12, integer=True),
    Parameter("releases", "number of releases of one sample", 1, 10**9, integer=True),
    Parameter("selected", "number of steps of each epoch that a record takes part in", 1, 10**12, integer=True),
    Parameter("window", "number of slots m a client may check in to", 1, 10**12, integer=True),
    Parameter("records", "number of records besides those that differ", 1, 10**12, integer=True),
    Parameter("largest_batch", "the most records of a sample that are used", 1, 10**12, integer=True),
    Parameter("batch", "number of records of a batch", 1, 10**12, integer=True),
    Parameter("group", "number of records that differ", 1, 100, integer=True),
    Parameter("clients", "number of clients n", 1, 10**15, integer=True),
    Parameter("rounds", "number of rounds, each shuffled anew", 1, 10**12, integer=True),
    Parameter("categories", "number of categories K of K-ary randomized response", 2, 10**6, integer=True),
    Parameter("eps0", "local budget: every record goes through an eps0-DP randomizer", 0, 20, low_open=True),
    Parameter("eps0_last", "budget of the last step; those between are evenly spaced", 0, 20, low_open=True),
    Parameter("delta0", "delta of one step", 0, 1, high_open=True),
    Parameter("delta0_last", "delta of one step of the other kind", 0, 1, high_open=True),
    Parameter("delta1", "allowed distance between a step and a pure one", 0, 1, low_open=True, high_open=True),
    Parameter("delta2", "probability of unusually large bins in Theorem 4.1", 0, 1, low_open=True, high_open=True),
    Parameter("weight", "probability that the record is used, given its slot", 0, 1, low_open=True),
    Parameter("check_in_prob", "probability p0 that a client checks in at all", 0, 1, low_open=True),
    Parameter("rate", "sampling probability", 0, 1, low_open=True),
    Parameter("sigma", "noise multiplier: standard deviation over sensitivity", 0, 1e9, low_open=True),
    Parameter("scale", "Laplace scale over sensitivity", 0, 1e9, low_open=True),
    Parameter("epochs", "number of passes over the data", 1, 10**9, integer=True),
    Parameter("dimension", "number of coordinates d", 1, 10**12, integer=True),
    Parameter("heads_p", "probability of heads under P", 0, 1, low_open=True, high_open=True),
    Parameter("heads_q", "probability of heads under Q", 0, 1, low_open=True, high_open=True),
    Parameter("first", "a of Lemma A.2: the i-th of k steps is log(1 + a/(k - b(i-1)))-DP", 0, 1e6, low_open=True),
    Parameter("decay", "b of Lemma A.2", 0, 1, low_open=True, high_open=True),
    Parameter("bin_norm", "root of the sum of squares of the bin sizes", 1, 1e15),
    Parameter(
        "tv", "largest total variation distance of one answer on two inputs", 0, 1, low_open=True, high_open=True
    ),
    Parameter("beta", "delta of each repetition in Corollary 3.3", 0, 1, low_open=True, high_open=True),
    Parameter("order", "order alpha of the Rényi divergence", 1, 1e6, low_open=True),
    Parameter("delta", "the delta of (epsilon, delta)-DP", 0, 1, low_open=True, high_open=True),
    Parameter("epsilon", "the epsilon of (epsilon, delta)-DP", 0, math.inf, high_open=True),
    Parameter("width", "requested relative width of the answer", 0, 1, low_open=True, high_open=True),
)
_PRODUCTS = "below, products of probabilities and losses leave the range of numbers"
_NO_PRIVACY = "with less noise epsilon is beyond a million"
_UNDERFLOW = "or 0: smaller probabilities are lost in underflow"
# The least values that computations accept.  Budgets and probabilities are multiplied, squared and divided among up to
# 10^12 slots: the least such product, (1e-30 * 1e-100)^2 / 1e24, is a normal number.  The loss of the least noise is
# 10^6 (Laplace) or 10^12 (Gaussian).  Every upper end of a probability is raised by 1e-300.
_FLOORS = {
    **dict.fromkeys(("eps0", "eps0_last", "first"), (1e-30, _PRODUCTS)),
    **dict.fromkeys(("weight", "check_in_prob", "rate", "tv", "heads_p", "heads_q", "decay"), (1e-100, _PRODUCTS)),
    **dict.fromkeys(("sigma", "scale"), (1e-6, _NO_PRIVACY)),
    "delta0": (1e-300, _UNDERFLOW),
}
PARAMETERS: Mapping[str, Parameter] = {
    entry.name: replace(entry, floor=_FLOORS[entry.name][0], why=_FLOORS[entry.name][1])
    if entry.name in _FLOORS
    else entry
    for entry in _TABLE
}


def parse(**values: object) -> dict[str, int | float]:
    """Return the keywords with their values parsed by the table.

    Raises
    ------
    ParameterError
        If a value is outside its domain.
    UnknownNameError
        If a keyword is no parameter; the message suggests similar names.

    Examples
    --------
    >>> parse(steps="1e3", eps0=0.5)
    {'steps': 1000, 'eps0': 0.5}

    """
    unknown = [name for name in values if name not in PARAMETERS]
    if unknown:
        raise UnknownNameError("parameter", unknown[0], PARAMETERS)
    return {name: PARAMETERS[name].parse(value) for name, value in values.items()}
