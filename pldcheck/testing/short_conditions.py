"""Conditions of a theorem in the short forms that ``@pldcheck.theorem`` accepts."""

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

# The forms of a condition, as error messages list them.
FORMS = 'pairs ("eps0 <= 1", function), or objects of pldcheck.theorems.Condition'


@dataclass(frozen=True)
class ShortCondition(Condition):
    """A condition from a pair; if its function is a predicate that fails, the excess is infinite."""

    def failure(self, params: Mapping[str, float]) -> str:
        """Return the amount by which the condition fails, or the parameter's value if the amount is not known."""
        if isinf(self.excess(params)):
            return f"got {self.parameter} = {params[self.parameter]!r}"
        return super().failure(params)


def read(conditions: Iterable[Any], theorem: str, parameters: tuple[str, ...]) -> tuple[Condition, ...]:
    """Return the conditions of a theorem with these parameters; raise ParameterError for any other form."""
    if isinstance(conditions, str | Mapping) or not isinstance(conditions, Iterable):
        raise ParameterError("conditions", f"a list of {FORMS}", conditions)
    entries = list(conditions)
    if len(entries) == 2 and isinstance(entries[0], str):  # one pair that is not in a list
        entries = [tuple(entries)]
    return tuple(_condition(entry, theorem, parameters) for entry in entries)


def _condition(entry: Any, theorem: str, parameters: tuple[str, ...]) -> Condition:
    if isinstance(entry, Condition):
        return entry
    match entry:
        case (str(text), function) if callable(function):
            call, names = _by_names(function, theorem, parameters)
            return ShortCondition(text, _first_parameter(text, names or parameters), _excess(call, theorem, text))
    raise ParameterError("conditions", FORMS, entry)


def _by_names(
    function: Callable[..., Any], theorem: str, parameters: tuple[str, ...]
) -> tuple[Callable[[Mapping[str, float]], Any], tuple[str, ...]]:
    """Return the condition as a function of the mapping of parameters, and the parameters that it names.

    A single argument whose name is no parameter's receives the mapping; other arguments are parameters, by name.
    """
    try:
        arguments = list(signature(function).parameters.values())
    except (TypeError, ValueError):  # some built-in functions have no signature
        return function, ()
    argument_names = [
        entry.name for entry in arguments if entry.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    ]
    if len(arguments) == 1 and argument_names and argument_names[0] not in PARAMETERS:
        return function, ()
    for entry in arguments:
        if entry.name in argument_names and entry.name not in parameters and entry.default is Parameter.empty:
            raise UnknownNameError(f"parameter of {theorem} in a condition", entry.name, parameters)
    if any(entry.kind is Parameter.VAR_KEYWORD for entry in arguments):
        return lambda params: function(**params), tuple(name for name in argument_names if name in parameters)
    own_names = tuple(name for name in argument_names if name in parameters)
    return lambda params: function(**{name: params[name] for name in own_names}), own_names


def _excess(
    call: Callable[[Mapping[str, float]], Any], theorem: str, text: str
) -> Callable[[Mapping[str, float]], float]:
    def excess(params: Mapping[str, float]) -> float:
        try:
            value = call(params)
            if isinstance(value, Real) and not isinstance(value, bool):
                return float(value)
            # A forgotten return must not look like a condition that fails, nor the text "no" like one that holds.
            if type(value).__name__ not in ("bool", "bool_"):  # numpy's class has either name
                text_of_value = "nothing" if value is None else repr(value)[:80]
                raise ValueError(f"it returns {text_of_value}, which is no number and no truth value")
            return -inf if value else inf
        except (ArithmeticError, ValueError) as error:
            raise PldcheckError(f"{theorem}: the condition {text!r} cannot be evaluated: {error}") from error

    return excess


def _first_parameter(text: str, names: tuple[str, ...]) -> str:
    """Return the parameter whose value an error shows: the one of ``names`` that the text mentions first."""
    words = re.findall(r"\w+", text)
    return min(names, key=lambda name: words.index(name) if name in words else len(words))
