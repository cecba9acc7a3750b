"""What a theorem is here: a permanent id, a formula, the conditions it is stated under, and its source.

Nothing numeric of pldcheck is imported: a theorem and the number it is checked against meet in the verifier
only, since an error in code they shared would pass both.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from types import MappingProxyType
from typing import Any

from ..errors import ConditionError, ParameterError, PldcheckError, UnknownNameError
from ..parameters import PARAMETERS, parse


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
        """Whether the condition holds; a NaN excess counts as failed."""
        excess = self.excess(params)
        return excess < 0 if self.strict else excess <= 0

    def failure(self, params: Mapping[str, float]) -> str:
        """By how much a failed condition fails, in words."""
        shown, excess = f"{self.parameter} = {params[self.parameter]!r}", self.excess(params)
        return f"{shown} is the excluded limit" if excess == 0 else f"{shown} exceeds it by {excess:g}"


@dataclass(frozen=True, repr=False)
class Bound:
    """A theorem at given parameters: it claims ``(epsilon, delta_total)``-DP.

    ``conditions`` are the texts of what was checked, domains included.
    """

    theorem: str
    params: Mapping[str, float] = field(hash=False)
    epsilon: float
    delta_total: float
    conditions: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", MappingProxyType(dict(self.params)))

    def __float__(self) -> float:
        return self.epsilon

    def __reduce__(self):
        # A mapping proxy does not pickle; __post_init__ puts it back.
        return type(self), (self.theorem, dict(self.params), self.epsilon, self.delta_total, self.conditions)

    def __repr__(self) -> str:
        return f"Bound({self.theorem!r}, epsilon={self.epsilon:.6g}, delta_total={self.delta_total:.6g})"

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, strings and lists, ready for JSON."""
        return {
            "theorem": self.theorem,
            "params": dict(self.params),
            "epsilon": self.epsilon,
            "delta_total": self.delta_total,
            "conditions": list(self.conditions),
        }


@dataclass(frozen=True, repr=False)
class Theorem:
    r"""A claim ":math:`(\epsilon, \delta)`-DP with :math:`\epsilon` = formula, under these conditions".

    ``statement`` is LaTeX, ``parameters`` are names of :data:`pldcheck.parameters.PARAMETERS`, ``protocol``
    is what the theorem is stated for.
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

    def __post_init__(self) -> None:
        for name in self.parameters:
            if name not in PARAMETERS:
                raise UnknownNameError("parameter", name, PARAMETERS)
        for condition in self.conditions:
            if condition.parameter not in self.parameters:
                raise UnknownNameError(f"parameter of {self.id}", condition.parameter, self.parameters)

    def __call__(self, /, **params: object) -> Bound:
        """The bound at these parameters, all of them keywords; raises one of :mod:`pldcheck.errors`."""
        values = self._parse(params)
        for condition in self.conditions:
            if not condition.holds(values):
                raise ConditionError(self.id, condition.text, condition.failure(values))
        return Bound(self.id, values, self._epsilon(values), values["delta"], self.conditions_text)

    @property
    def conditions_text(self) -> tuple[str, ...]:
        """All that is asked of the parameters: a line for each domain, then the explicit conditions."""
        domains = tuple(f"{name} is {PARAMETERS[name].allowed}" for name in self.parameters)
        return domains + tuple(condition.text for condition in self.conditions)

    def failed_conditions(self, /, **params: object) -> tuple[Condition, ...]:
        """The explicit conditions that fail; raises as a call does for a parameter outside its domain."""
        values = self._parse(params)
        return tuple(condition for condition in self.conditions if not condition.holds(values))

    def _parse(self, params: Mapping[str, object]) -> dict[str, float]:
        for name in params:
            if name not in self.parameters:
                raise UnknownNameError(f"parameter of {self.id}", name, self.parameters)
        for name in self.parameters:
            if name not in params:
                raise ParameterError(name, PARAMETERS[name].allowed, "nothing")
        return parse(**{name: params[name] for name in self.parameters})

    def _epsilon(self, values: Mapping[str, float]) -> float:
        try:
            epsilon = float(self.formula(**values))
        except (ArithmeticError, ValueError):
            epsilon = math.nan
        # Underflow is refused with overflow: rounded to zero, the bound would claim more than the theorem.
        if not sys.float_info.min <= epsilon < math.inf:
            at = ", ".join(f"{name} = {value!r}" for name, value in values.items())
            raise PldcheckError(f"{self.id} is outside the range of floating-point numbers at {at}")
        return epsilon

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
        """The theorem of that id, or ``default``."""
        return self._theorems.get(key, default)

    def items(self):
        """Pairs of id and theorem."""
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
