"""Everything pldcheck refuses, in one line that names the parameter, its value and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class PldcheckError(Exception):
    """Base class: the message is one line, fit for a user's screen."""


class ParameterError(PldcheckError, ValueError):
    """A parameter outside its domain."""

    def __init__(self, name: str, allowed: str, value: object) -> None:
        self.name, self.allowed, self.value = name, allowed, value
        super().__init__(f"{name} must be {allowed}, got {value!r}")

    def __reduce__(self):
        return type(self), (self.name, self.allowed, self.value)


class ConditionError(PldcheckError, ValueError):
    """A theorem used outside the conditions under which it is stated."""

    def __init__(self, theorem: str, condition: str, found: str) -> None:
        self.theorem, self.condition, self.found = theorem, condition, found
        super().__init__(f"{theorem} requires {condition}; {found}")

    def __reduce__(self):
        return type(self), (self.theorem, self.condition, self.found)


class UnknownNameError(PldcheckError, LookupError):
    """A name that is not in its table; the nearest ones are suggested."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        nearest = get_close_matches(name, self.known, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(nearest)}?" if nearest else f"known: {', '.join(self.known)}"
        super().__init__(f"unknown {kind} {name!r}; {hint}")

    def __reduce__(self):
        return type(self), (self.kind, self.name, self.known)
