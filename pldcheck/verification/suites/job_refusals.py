"""Errors of jobs, which name the key that they are about."""

from __future__ import annotations

from numbers import Real
from reprlib import Repr

from ...core.errors import PldcheckError
from ...core.parameters import PARAMETERS, Parameter

# The path from the outermost table to a value: names of keys, and places in lists.
Key = tuple[str | int, ...]

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 60


class JobError(PldcheckError, ValueError):
    """The error of a job that cannot be run.

    Parameters
    ----------
    message : str
        The reason, on one line.
    key : tuple
        The path of the key that the error is about.
    place : str
        The file and its line; empty for a job that was not read from a file.

    """

    def __init__(self, message: str, key: Key = (), place: str = "") -> None:
        self.message, self.key, self.place = message, key, place
        super().__init__(f"{place}: {message}" if place else message)

    def __reduce__(self):
        return type(self), (self.message, self.key, self.place)

    def under(self, *key: str | int) -> JobError:
        """Return the same error with the path of the table that contains its key in front."""
        return JobError(self.message, (*key, *self.key), self.place)


def short_text(value: object) -> str:
    """Return a short text of any value."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # Python prints no integer of more than 4300 digits
        return "a number of thousands of digits"


def refusal(label: str, domain: str, value: object, key: Key) -> JobError:
    """Return the error of a value that is not allowed, in the words of ParameterError."""
    return JobError(f"{label} must be {domain}, got {short_text(value)}", key)


def number(parameter: Parameter, value: object, label: str, key: Key) -> int | float:
    """Return the value of a parameter, of a number or of a text such as 256/60000; raise JobError for any other."""
    if not isinstance(value, Real | str) or isinstance(value, bool):
        raise refusal(label, parameter.domain, value, key)
    try:
        return parameter.parse(value)
    except ValueError:  # ParameterError, or the error of an integer that is too long to print
        raise refusal(label, parameter.domain, value, key) from None


def width(value: object, label: str) -> float | None:
    """Return a relative width, or None for None; raise JobError for any other value."""
    return None if value is None else float(number(PARAMETERS["width"], value, label, ("width",)))
