"""Conditions in the short forms that a decorator takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from math import inf, isinf
from numbers import Real
from typing import Any

from ..core.errors import ParameterError, PldcheckError, UnknownNameError
from ..core.parameters import PARAMETERS
from ..theorems import Condition

FORMS = 'pairs ("eps0 <= 1", function), or objects of pldcheck.theorems.Condition'


@dataclass(frozen=True)
class Stated(Condition):
    """A condition that may be a predicate, of which there is no amount to tell: its excess is infinite."""

    def failure(self, params: Mapping[str, float]) -> str:
        """By how much it fails, where that is known, in words."""
        if isinf(self.excess(params)):
            return f"got {self.parameter} = {params[self.parameter]!r}"
        return super().failure(params)


def read(given: Iterable[Any], theorem: str, parameters: tuple[str, ...]) -> tuple[Condition, ...]:
    """Return the conditions of a theorem with these parameters."""
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise ParameterError("conditions", f"a list of {FORMS}", given)
    entries = list(given)
    if len(entries) == 2 and isinstance(entries[0], str):  # one pair, not in a list
        entries = [tuple(entries)]
    return tuple(_condition(entry, theorem, parameters) for entry in entries)


def _condition(entry: Any, theorem: str, parameters: tuple[str, ...]) -> Condition:
    if isinstance(entry, Condition):
        return entry
    match entry:
        case (str(text), function) if callable(function):
            call, names = _by_names(function, theorem, parameters)
            return Stated(text, _shown(text, names or parameters), _excess(call, theorem, text))
    raise ParameterError("conditions", FORMS, entry)


def _by_names(
    function: Callable[..., Any], theorem: str, parameters: tuple[str, ...]
) -> tuple[Callable[[Mapping[str, float]], Any], tuple[str, ...]]:
    """Return the function of a mapping that it is or stands for, and the parameters it names.

    One argument that is no parameter's name is the mapping; else arguments are parameters, by their names.
    """
    try:
        arguments = list(signature(function).parameters.values())
    except (TypeError, ValueError):  # some built-in functions do not tell
        return function, ()
    named = [
        entry.name for entry in arguments if entry.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    ]
    if len(arguments) == 1 and named and named[0] not in PARAMETERS:
        return function, ()
    for entry in arguments:
        if entry.name in named and entry.name not in parameters and entry.default is Parameter.empty:
            raise UnknownNameError(f"parameter of {theorem} in a condition", entry.name, parameters)
    if any(entry.kind is Parameter.VAR_KEYWORD for entry in arguments):
        return lambda params: function(**params), tuple(name for name in named if name in parameters)
    wanted = tuple(name for name in named if name in parameters)
    return lambda params: function(**{name: params[name] for name in wanted}), wanted


def _excess(
    call: Callable[[Mapping[str, float]], Any], theorem: str, text: str
) -> Callable[[Mapping[str, float]], float]:
    def excess(params: Mapping[str, float]) -> float:
        try:
            found = call(params)
            if isinstance(found, Real) and not isinstance(found, bool):
                return float(found)
            # A forgotten return must not look like a condition that fails, nor the text "no" like one that holds.
            if type(found).__name__ not in ("bool", "bool_"):  # numpy's is of either name
                said = "nothing" if found is None else repr(found)[:80]
                raise ValueError(f"it returns {said}, no number or truth value")
            return -inf if found else inf
        except (ArithmeticError, ValueError) as error:
            raise PldcheckError(f"{theorem}: the condition {text!r} cannot be evaluated: {error}") from error

    return excess


def _shown(text: str, names: tuple[str, ...]) -> str:
    """Return the parameter whose value an error shows: the first of ``names`` in the text."""
    words = re.findall(r"\w+", text)
    return min(names, key=lambda name: words.index(name) if name in words else len(words))
