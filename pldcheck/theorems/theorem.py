"""Theorems as objects: a permanent id, a formula, the conditions under which it is stated, and its source.

Nothing numeric of pldcheck is imported here: a theorem and the number that it is checked against meet in the verifier
only, since an error in shared code would pass both.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, DecimalException
from functools import cached_property
from html import escape
from itertools import takewhile
from numbers import Real
from typing import Any

from ..core.adjacencies import adjacency_word
from ..core.errors import ConditionError, MissingError, PldcheckError, UnknownNameError
from ..core.parameters import PARAMETERS
from ..core.usual_names import understood_name
from .claimed_bound import GIVEN, Bound
from .recalled import (
    APPROXIMATION,
    AS_RECALLED,
    MISREAD,
    OWN,
    OWN_KEY,
    PUBLISHED,
    RECALLED,
    STATEMENT_IS_RECALLED,
)

# The formula is an upper bound, the exact value, or a lower bound.
RELATIONS = ("<=", "=", ">=")


# The year at the end of a source's key, of two digits, with a letter where an author has several of that year.
YEAR = re.compile(r"([0-9]{2})[a-z]?$")


@dataclass(frozen=True)
class Source:
    """The place where a statement is printed: a short ``key``, the title of the paper, the theorem (``where``)."""

    key: str
    title: str
    where: str
    url: str

    def __str__(self) -> str:
        return f"{self.where}, {self.title}"

    @property
    def citation(self) -> str:
        """The authors and the year, such as "Wang et al. (2024)"; the key where the source does not say both.

        The year is that of the key, in which a paper is known, and not always that of the journal.

        Examples
        --------
        >>> Source("BS16", "Bun, Steinke, Concentrated Differential Privacy, TCC 2016", "Lemma 3.6", "").citation
        'Bun and Steinke (2016)'

        """
        # The authors are the surnames, words without a blank, before the title.
        authors = list(takewhile(lambda part: " " not in part, self.title.split(", ")))
        year = YEAR.search(self.key)
        if not authors or not year or self.title == self.key:
            return self.key
        names = " and ".join(authors) if len(authors) < 3 else f"{authors[0]} et al."
        return f"{names} (20{year[1]})"


@dataclass(frozen=True)
class Condition:
    """An inequality in the parameters, beyond their domains.

    ``excess`` maps the parameters to the amount by which the condition fails: it fails when that is positive
    or, if ``strict``, zero.  ``parameter`` is the one whose value an error message quotes.
    """

    text: str
    parameter: str
    excess: Callable[[Mapping[str, float]], float]
    strict: bool = False

    def holds(self, params: Mapping[str, float]) -> bool:
        """Return whether the condition holds; a NaN excess counts as failed."""
        excess = self.excess(params)
        return excess < 0 if self.strict else excess <= 0

    def failure(self, params: Mapping[str, float]) -> str:
        """Return a phrase that says by how much a failed condition fails."""
        value, excess = f"{self.parameter} = {params[self.parameter]!r}", self.excess(params)
        return f"{value} is the excluded limit" if excess == 0 else f"{value} exceeds it by {excess:g}"


@dataclass(frozen=True, repr=False)
class Theorem:
    r"""The claim "``quantity`` ``relation`` ``formula``" under conditions, by default an upper bound of epsilon.

    The default claim is ":math:`(\epsilon, \delta)`-DP with :math:`\epsilon` = formula".

    Attributes
    ----------
    id, title, statement, source
        The permanent name, the title, the statement in LaTeX, and the place where it is printed.
    protocol, adjacency
        The protocol and the relation of neighbours that the theorem is stated for.
    parameters
        Names of :data:`pldcheck.core.parameters.PARAMETERS`.
    conditions
        The inequalities under which the theorem is stated, beyond the domains of the parameters.
    formula
        The value of the bound, as a function of the parameters.
    at
        The point at which the quantity is claimed, as a function of the parameters; by default it is the parameter that
        :data:`GIVEN` names.
    zero
        Whether the formula returns 0 only where exactly 0 is claimed.
    subject
        The fields of the protocol that the theorem is about, as a function of the parameters, where these are more than
        parameters of the same name: a theorem on K-ary response is about shuffling with ``randomizer="krr:K"``.
    dominated
        Whether the protocol that is computed reveals at least as much as the mechanism that the theorem is stated for,
        and often more: an upper bound that holds for it is proved, one that fails for it is not refuted.
    misread
        Whether it is a reading that the authors do not claim, which is registered because it is false.
    approximation
        Of a statement that its paper calls approximate, what the paper says and as what it is judged here.
    example
        Values for an example, where the usual sample values violate a condition or make the bound trivial.
    grid
        The cells at which a user's own theorem is judged by default; registered theorems have theirs in suites.

    """

    id: str
    title: str
    statement: str
    adjacency: str
    protocol: str
    parameters: tuple[str, ...]
    conditions: tuple[Condition, ...]
    source: Source
    formula: Callable[..., float]
    notes: str = ""
    quantity: str = "epsilon"
    relation: str = "<="
    at: Callable[..., float] | None = None
    zero: bool = False
    subject: Callable[..., Mapping[str, Any]] | None = None
    dominated: bool = False
    misread: bool = False
    approximation: str = ""
    example: Mapping[str, float] = field(default_factory=dict, hash=False)
    grid: Any = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "adjacency", adjacency_word(self.adjacency))
        if self.quantity not in GIVEN:
            raise UnknownNameError("quantity", self.quantity, GIVEN)
        if self.relation not in RELATIONS:
            raise UnknownNameError("relation", self.relation, RELATIONS)
        for name in self.parameters:
            if name not in PARAMETERS:
                raise UnknownNameError("parameter", name, PARAMETERS)
        names = [condition.parameter for condition in self.conditions]
        for name in names if self.at else [*names, GIVEN[self.quantity]]:
            if name not in self.parameters:
                raise UnknownNameError(f"parameter of {self.id}", name, self.parameters)

    def __call__(self, /, **params: object) -> Bound:
        """Return the bound at these parameters.

        Parameters
        ----------
        **params
            All parameters of the theorem, by name; numbers, or text of plain digits.

        Raises
        ------
        MissingError, UnknownNameError
            If a parameter is missing, or is none of the theorem's.
        ParameterError
            If a value is outside the domain of its parameter.
        ConditionError
            If a condition of the theorem fails; the message says by how much.
        PldcheckError
            If the formula fails, in the words of its error; if it returns a number that the quantity cannot be; or if
            its value underflows or overflows.

        """
        values = self._parse(params)
        try:
            for condition in self.conditions:
                if not condition.holds(values):
                    raise ConditionError(self.id, condition.text, condition.failure(values))
            at = _real(self.at(**values)) if self.at else values[GIVEN[self.quantity]]
            return Bound(self.id, values, self.quantity, self._value(values), at, self.conditions_text)
        except PldcheckError:
            raise
        # A user's own theorem may have a mistake.
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, NameError) as error:
            raise PldcheckError(f"{self.id} cannot be evaluated: {_error_words(error)}, at {_words(values)}") from error

    @property
    def standing(self) -> str:
        """The origin of the statement, one of :data:`pldcheck.theorems.recalled.STANDINGS`."""
        if self.misread:
            return MISREAD
        if AS_RECALLED in self.notes or STATEMENT_IS_RECALLED in self.notes:
            return RECALLED
        return APPROXIMATION if self.approximation else OWN if self.source.key == OWN_KEY else PUBLISHED

    @property
    def claim(self) -> str:
        """The meaning of the formula in words: the quantity, the relation, and the parameter of the claim."""
        return f"{self.quantity} {self.relation} formula, at a given {GIVEN[self.quantity]}"

    @cached_property
    def conditions_text(self) -> tuple[str, ...]:
        """The conditions on the parameters: a line for each domain, then the explicit conditions.

        The claim stands before them, unless the theorem is an upper bound of epsilon.
        """
        is_usual = (self.quantity, self.relation) == ("epsilon", "<=")
        domains = tuple(f"{name} is {PARAMETERS[name].domain}" for name in self.parameters)
        return (() if is_usual else (self.claim,)) + domains + tuple(condition.text for condition in self.conditions)

    def failed_conditions(self, /, **params: object) -> tuple[Condition, ...]:
        """Return the explicit conditions that fail at these parameters, in the order of ``conditions``.

        Raises the errors of a call for a parameter that is missing, unknown, or outside its domain.
        """
        values = self._parse(params)
        return tuple(condition for condition in self.conditions if not condition.holds(values))

    def _parse(self, params: Mapping[str, object]) -> dict[str, float]:
        values: dict[str, object] = {}
        for name, value in params.items():
            here = name if name in self.parameters else understood_name(name, self.parameters)
            if here is None or (here != name and here in params):
                raise UnknownNameError(f"parameter of {self.id}", name, self.parameters)
            values[here] = value
        for name in self.parameters:
            if name not in values:
                raise MissingError(name, PARAMETERS[name].domain)
        return {name: PARAMETERS[name].admit(values[name]) for name in self.parameters}

    @property
    def _fails_in_rounding(self) -> bool:
        """Whether the formula has a real value at all parameters, so that only their rounding makes it fail.

        That is so of the formulas of this package: rdp-35 takes the logarithm of an underflow, and zcdp-13 divides by
        one.  Of a user's own formula it is not known.
        """
        return getattr(self.formula, "__module__", "").startswith(f"{__package__}.")

    def _value(self, values: Mapping[str, float]) -> float:
        try:
            value = _real(self.formula(**values))
        except PldcheckError as error:
            # The formula asked another theorem, say: that one's condition is none of this theorem.
            raise PldcheckError(f"{self.id} cannot be evaluated: {error}, at {_words(values)}") from error
        except (OverflowError, FloatingPointError) as error:
            # A formula that notices an underflow says so by the second of them.
            words = f": {error}" if isinstance(error, FloatingPointError) else ""
            raise PldcheckError(f"{self._outside(values)}{words}") from None
        except (ArithmeticError, ValueError):
            if not self._fails_in_rounding:
                raise
            raise PldcheckError(self._outside(values)) from None
        if math.isnan(value) and self._fails_in_rounding:
            raise PldcheckError(self._outside(values))
        if not value >= 0 or (self.quantity == "delta" and value > 1):
            raise PldcheckError(f"{self.id} returned {value!r}, which no {self.quantity} can be, at {_words(values)}")
        # Underflow is refused like overflow: a bound rounded to zero would claim more than the theorem.
        if not (sys.float_info.min <= value < math.inf or (self.zero and value == 0)):
            taken_for = "an overflow" if value > 1 else "an underflow"
            raise PldcheckError(f"{self._outside(values)}; it returned {value!r}, which is taken for {taken_for}")
        return value

    def _outside(self, values: Mapping[str, float]) -> str:
        return f"{self.id} is outside the range of floating-point numbers at {_words(values)}"

    def __repr__(self) -> str:
        return f"<Theorem {self.id}: {self.title} ({', '.join(self.parameters)})>"

    def _repr_html_(self) -> str:
        conditions = "".join(f"<li>{escape(text)}</li>" for text in self.conditions_text)
        notes = f"<p>{escape(self.notes)}</p>" if self.notes else ""
        scope = escape(f"{self.title} ({self.protocol}, {self.adjacency})")
        return (
            f"<p><b>{escape(self.id)}</b> {scope}</p>"
            f"$${escape(self.statement)}$$<ul>{conditions}</ul>{notes}"
            f'<p><a href="{escape(self.source.url)}">{escape(str(self.source))}</a></p>'
        )


def _words(values: Mapping[str, float]) -> str:
    """Return parameters with their values, in words."""
    return ", ".join(f"{name} = {value!r}" for name, value in values.items())


def _error_words(error: Exception) -> str:
    """Return the type and the message of an error in one line; an error of ``decimal`` has a type alone."""
    name = type(error).__name__
    return name if isinstance(error, DecimalException) else " ".join(f"{name}: {error}".split())


def _real(value: object) -> float:
    """Return the number that a formula returned; raise TypeError for text, a truth value, and any other object."""
    # Numbers of numpy and fractions are real numbers; an array of one number may be a mistake.
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        raise TypeError(f"the value must be a real number, got {value!r:.80}")
    return float(value)
