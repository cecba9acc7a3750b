"""The exceptions of pldcheck: each message is one line that names the parameter, its value and the allowed values."""

from __future__ import annotations

from collections.abc import Iterable

from .usual_names import similar_names, usual_hint

# Of more names than these, so few are listed.
_MANY, _FEW = 50, 12
# A message repeats at most so many characters of a refused value: enough for a path.
_MOST = 400


def _short_repr(value: object) -> str:
    """Return the ``repr`` of a value on one line, cut after ``_MOST`` characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _MOST else f"{text[:_MOST]}... ({len(text)} characters)"


class PldcheckError(Exception):
    """Base class of all exceptions of pldcheck; the message is one line that a user can act on."""


class ParameterError(PldcheckError, ValueError):
    """A parameter has a value outside its domain; ``name``, ``domain`` and ``value`` are the parts of the message."""

    def __init__(self, name: str, domain: str, value: object) -> None:
        self.name, self.domain, self.value = name, domain, value
        super().__init__(f"{name} must be {domain}, got {_short_repr(value)}")

    def __reduce__(self):
        return type(self), (self.name, self.domain, self.value)


class MissingError(ParameterError):
    """A required parameter is missing; ``value`` is the text "nothing"."""

    def __init__(self, name: str, domain: str) -> None:
        self.name, self.domain, self.value = name, domain, "nothing"
        PldcheckError.__init__(self, f"{name} is missing; it must be {domain}")

    def __reduce__(self):
        return type(self), (self.name, self.domain)


class ConditionError(PldcheckError, ValueError):
    """A theorem was evaluated where one of its conditions fails; ``violation`` says by which values."""

    def __init__(self, theorem: str, condition: str, violation: str) -> None:
        self.theorem, self.condition, self.violation = theorem, condition, violation
        super().__init__(f"{theorem} requires {condition}; {violation}")

    def __reduce__(self):
        return type(self), (self.theorem, self.condition, self.violation)


class Unsupported(PldcheckError, NotImplementedError):
    """A protocol cannot compute a quantity (``what``); ``reason`` says why."""

    def __init__(self, protocol: str, what: str, reason: str) -> None:
        self.protocol, self.what, self.reason = protocol, what, reason
        super().__init__(f"{protocol} has no {what}: {reason}")

    def __reduce__(self):
        return type(self), (self.protocol, self.what, self.reason)


class UnknownNameError(PldcheckError, LookupError):
    """A name is not in its table; the message has its name here, or up to three similar names, or all of them."""

    def __init__(self, kind: str, name: str, choices: Iterable[str]) -> None:
        self.kind, self.name, self.choices = kind, name, tuple(choices)
        short = str(name)[:_MOST]
        nearest = similar_names(short, self.choices)
        known = ", ".join(self.choices[:_FEW] if len(self.choices) > _MANY else self.choices)
        more = f", ... ({len(self.choices)} in all)" if len(self.choices) > _MANY else ""
        hint = f"did you mean {' or '.join(nearest)}?" if nearest else f"known: {known}{more}"
        super().__init__(f"unknown {kind} {_short_repr(name)}; {usual_hint(short, self.choices) or hint}")

    def __reduce__(self):
        return type(self), (self.kind, self.name, self.choices)


class UnknownKeywordError(UnknownNameError, TypeError):
    """A call has a keyword that it does not take, or too many numbers; Python raises TypeError there."""


class MissingKeywordError(MissingError, TypeError):
    """A call lacks a parameter without a default; Python raises TypeError there."""
