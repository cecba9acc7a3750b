"""What a theorem is here: a permanent id, a formula, the conditions it is stated under, and its source.

Nothing numeric of pldcheck is imported: a theorem and the number it is checked against meet in the verifier
only, since an error in code they shared would pass both.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from html import escape
from numbers import Real
from types import MappingProxyType
from typing import Any

from ..core.errors import ConditionError, MissingError, ParameterError, PldcheckError, UnknownNameError
from ..core.parameters import PARAMETERS

# The quantities that theorems bound, and the parameter at which each is claimed.
GIVEN = MappingProxyType({"epsilon": "delta", "delta": "epsilon", "renyi": "order", "error": "epsilon"})
# An upper bound, the exact value, a lower bound.
RELATIONS = ("<=", "=", ">=")


@dataclass(frozen=True)
class Source:
    """Where a statement is printed: ``key`` for short, ``where`` the theorem in it."""

    key: str
    title: str
    where: str
    url: str

    def __str__(self) -> str:
        return f"{self.where}, {self.title}"


@dataclass(frozen=True)
class Condition:
    """An inequality in the parameters, beyond their domains.

    ``excess`` maps the parameters to the amount by which the condition fails: it fails when that is positive
    or, if ``strict``, zero.  ``parameter`` is the one whose value an error shows.
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
        """By how much a failed condition fails, in words."""
        shown, excess = f"{self.parameter} = {params[self.parameter]!r}", self.excess(params)
        return f"{shown} is the excluded limit" if excess == 0 else f"{shown} exceeds it by {excess:g}"


@dataclass(frozen=True, repr=False)
class Bound:
    """A theorem at given parameters: what it says of ``quantity`` is ``value``, at ``at``.

    For the quantity epsilon ``at`` is a delta, for delta and error an epsilon, for renyi an order.
    ``conditions`` are the texts of what was checked, domains included.
    """

    theorem: str
    params: Mapping[str, float] = field(hash=False)
    quantity: str
    value: float
    at: float
    conditions: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", MappingProxyType(dict(self.params)))

    @property
    def epsilon(self) -> float:
        """The epsilon, claimed or given; for renyi, that of Rényi differential privacy of the given order."""
        return self.value if self.quantity in ("epsilon", "renyi") else self.at

    @property
    def delta_total(self) -> float | None:
        """The delta, claimed or given; None where there is none."""
        return {"epsilon": self.at, "delta": self.value}.get(self.quantity)

    def __float__(self) -> float:
        return self.value

    def __reduce__(self):
        # A mapping proxy does not pickle; __post_init__ puts it back.
        return type(self), (self.theorem, dict(self.params), self.quantity, self.value, self.at, self.conditions)

    def __repr__(self) -> str:
        given = "delta_total" if self.quantity == "epsilon" else GIVEN[self.quantity]
        return f"Bound({self.theorem!r}, {self.quantity}={self.value:.6g}, {given}={self.at:.6g})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, strings and lists, ready for JSON."""
        order = {"order": self.at} if self.quantity == "renyi" else {}
        return {
            "theorem": self.theorem,
            "params": dict(self.params),
            "quantity": self.quantity,
            "value": self.value,
            "at": self.at,
            "epsilon": self.epsilon,
            "delta_total": self.delta_total,
            **order,
            "conditions": list(self.conditions),
        }


@dataclass(frozen=True, repr=False)
class Theorem:
    r"""A claim "``quantity`` ``relation`` ``formula``, under these conditions".

    By default that is ":math:`(\epsilon, \delta)`-DP with :math:`\epsilon` = formula".  ``statement`` is LaTeX,
    ``parameters`` are names of :data:`pldcheck.core.parameters.PARAMETERS`, ``protocol`` is what the theorem is
    stated for.  ``at`` maps the parameters to where the quantity is claimed; by default it is the parameter
    that :data:`GIVEN` names.  ``zero`` says that the formula returns 0 only where exactly 0 is claimed.

    ``subject`` maps the parameters to the fields of the protocol that the theorem is about, where that is more than
    parameters of one name: a theorem on K-ary response is about shuffling with ``randomizer="krr:K"``.

    ``dominated`` says that the protocol which is computed reveals at least as much as what the theorem is stated for,
    and often more: an upper bound that holds for it is proved, one that fails for it is not refuted.
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

    def __post_init__(self) -> None:
        if self.quantity not in GIVEN:
            raise UnknownNameError("quantity", self.quantity, GIVEN)
        if self.relation not in RELATIONS:
            raise UnknownNameError("relation", self.relation, RELATIONS)
        for name in self.parameters:
            if name not in PARAMETERS:
                raise UnknownNameError("parameter", name, PARAMETERS)
        asked = [condition.parameter for condition in self.conditions]
        for name in asked if self.at else [*asked, GIVEN[self.quantity]]:
            if name not in self.parameters:
                raise UnknownNameError(f"parameter of {self.id}", name, self.parameters)

    def __call__(self, /, **params: object) -> Bound:
        """Return the bound at these parameters, all of them keywords; raises one of :mod:`pldcheck.core.errors`."""
        values = self._parse(params)
        try:
            for condition in self.conditions:
                if not condition.holds(values):
                    raise ConditionError(self.id, condition.text, condition.failure(values))
            at = _real(self.at(**values)) if self.at else values[GIVEN[self.quantity]]
            return Bound(self.id, values, self.quantity, self._value(values), at, self.conditions_text)
        except PldcheckError:
            raise
        # A slip in one of the user's own.
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, NameError) as error:
            said = " ".join(f"{type(error).__name__}: {error}".split())
            raise PldcheckError(f"{self.id} cannot be evaluated: {said}") from error

    @property
    def claim(self) -> str:
        """What the formula is, in words: the bounded quantity, the relation, and what is given."""
        return f"{self.quantity} {self.relation} formula, at a given {GIVEN[self.quantity]}"

    @property
    def conditions_text(self) -> tuple[str, ...]:
        """All that is asked of the parameters: a line for each domain, then the explicit conditions.

        Before them stands the claim, unless it is that of an upper bound on epsilon.
        """
        usual = (self.quantity, self.relation) == ("epsilon", "<=")
        domains = tuple(f"{name} is {PARAMETERS[name].allowed}" for name in self.parameters)
        return (() if usual else (self.claim,)) + domains + tuple(condition.text for condition in self.conditions)

    def failed_conditions(self, /, **params: object) -> tuple[Condition, ...]:
        """Return the explicit conditions that fail; raises as a call does for a parameter outside its domain."""
        values = self._parse(params)
        return tuple(condition for condition in self.conditions if not condition.holds(values))

    def _parse(self, params: Mapping[str, object]) -> dict[str, float]:
        for name in params:
            if name not in self.parameters:
                raise UnknownNameError(f"parameter of {self.id}", name, self.parameters)
        for name in self.parameters:
            if name not in params:
                raise MissingError(name, PARAMETERS[name].allowed)
        return {name: PARAMETERS[name].admit(params[name]) for name in self.parameters}

    def _value(self, values: Mapping[str, float]) -> float:
        try:
            value = _real(self.formula(**values))
        except (ArithmeticError, ValueError):
            value = math.nan
        # Underflow is refused with overflow: rounded to zero, the bound would claim more than the theorem.
        in_range = sys.float_info.min <= value < math.inf and not (self.quantity == "delta" and value > 1)
        if not (in_range or (self.zero and value == 0)):
            at = ", ".join(f"{name} = {value!r}" for name, value in values.items())
            raise PldcheckError(f"{self.id} is outside the range of floating-point numbers at {at}")
        return value

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


def _real(found: object) -> float:
    """The number that a formula returned; raises TypeError for text, for a truth value, and for what is no number."""
    # Numbers of numpy and fractions are real numbers; an array of one number need not be meant to be one.
    if isinstance(found, bool) or not isinstance(found, Real | Decimal):
        raise TypeError(f"a real number is wanted, got {found!r:.80}")
    return float(found)


class Registry(Mapping[str, Theorem]):
    """Theorems by id, in the order given; there is no way to add one later."""

    def __init__(self, theorems: Iterable[Theorem]) -> None:
        self._theorems: dict[str, Theorem] = {}
        for theorem in theorems:
            if theorem.id in self._theorems:
                raise ParameterError("theorem id", "unique", theorem.id)
            self._theorems[theorem.id] = theorem

    def __getitem__(self, key: str) -> Theorem:
        if key not in self._theorems:
            raise UnknownNameError("theorem", str(key), self._theorems)
        return self._theorems[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._theorems)

    def __len__(self) -> int:
        return len(self._theorems)

    # Mapping writes these three around KeyError, which UnknownNameError is not.
    def __contains__(self, key: object) -> bool:
        return key in self._theorems

    def get(self, key, default=None):
        """Return the theorem of that id, or ``default``."""
        return self._theorems.get(key, default)

    def items(self):
        """Return pairs of id and theorem."""
        return self._theorems.items()

    def __repr__(self) -> str:
        return f"<Registry of {len(self)} theorems: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        head = "<tr><th>id</th><th>title</th><th>protocol</th><th>parameters</th><th>source</th></tr>"
        rows = "".join(
            f"<tr><td>{escape(theorem.id)}</td><td>{escape(theorem.title)}</td><td>{escape(theorem.protocol)}</td>"
            f"<td>{escape(', '.join(theorem.parameters))}</td>"
            f'<td><a href="{escape(theorem.source.url)}">'
            f"{escape(theorem.source.key)}, {escape(theorem.source.where)}</a></td></tr>"
            for theorem in self.values()
        )
        return f"<table>{head}{rows}</table>"
