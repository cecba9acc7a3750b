"""Everything pldcheck refuses, in one line that names the parameter, its value and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

# Letters of a refused value that are repeated in the message: paths are longer than numbers.
_MOST = 400


def _shown(value: object) -> str:
    """Return a value as python writes it, in one line of reasonable length."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _MOST else f"{text[:_MOST]}... ({len(text)} characters)"


class PldcheckError(Exception):
    """Base class: the message is one line, fit for a user's screen."""


class ParameterError(PldcheckError, ValueError):
    """A parameter outside its domain."""

    def __init__(self, name: str, allowed: str, value: object) -> None:
        self.name, self.allowed, self.value = name, allowed, value
        super().__init__(f"{name} must be {allowed}, got {_shown(value)}")

    def __reduce__(self):
        return type(self), (self.name, self.allowed, self.value)


class MissingError(ParameterError):
    """A parameter that was not given at all."""

    def __init__(self, name: str, allowed: str) -> None:
        self.name, self.allowed, self.value = name, allowed, "nothing"
        PldcheckError.__init__(self, f"{name} is missing; it must be {allowed}")

    def __reduce__(self):
        return type(self), (self.name, self.allowed)


class ConditionError(PldcheckError, ValueError):
    """A theorem used outside the conditions under which it is stated."""

    def __init__(self, theorem: str, condition: str, found: str) -> None:
        self.theorem, self.condition, self.found = theorem, condition, found
        super().__init__(f"{theorem} requires {condition}; {found}")

    def __reduce__(self):
        return type(self), (self.theorem, self.condition, self.found)


class Unsupported(PldcheckError, NotImplementedError):
    """What a protocol does not have, and why."""

    def __init__(self, protocol: str, what: str, reason: str) -> None:
        self.protocol, self.what, self.reason = protocol, what, reason
        super().__init__(f"{protocol} has no {what}: {reason}")

    def __reduce__(self):
        return type(self), (self.protocol, self.what, self.reason)


class UnknownNameError(PldcheckError, LookupError):
    """A name that is not in its table; the nearest ones are suggested."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        nearest = get_close_matches(str(name)[:_MOST], self.known, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(nearest)}?" if nearest else f"known: {', '.join(self.known)}"
        super().__init__(f"unknown {kind} {_shown(name)}; {hint}")

    def __reduce__(self):
        return type(self), (self.kind, self.name, self.known)
