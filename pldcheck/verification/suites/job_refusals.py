"""What a job refuses, and where: errors that know the key they are about."""

from __future__ import annotations

from numbers import Real
from reprlib import Repr

from ...core.errors import PldcheckError
from ...core.parameters import PARAMETERS, Parameter

# From the outermost table to the value: names, and places in lists.
Key = tuple[str | int, ...]

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 60


class JobError(PldcheckError, ValueError):
    """A job that cannot be run: what is the matter, the key it is about and, of a file, the line."""

    def __init__(self, said: str, key: Key = (), place: str = "") -> None:
        self.said, self.key, self.place = said, key, place
        super().__init__(f"{place}: {said}" if place else said)

    def __reduce__(self):
        return type(self), (self.said, self.key, self.place)

    def under(self, *key: str | int) -> JobError:
        """Return the same, of a part of something larger."""
        return JobError(self.said, (*key, *self.key), self.place)


def shown(value: object) -> str:
    """Return a value on part of a line, whatever it is."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # Python prints no integers of more than 4300 digits
        return "a number of thousands of digits"


def refused(label: str, allowed: str, value: object, key: Key) -> JobError:
    """Return the error of a value that is not allowed, in the words of ParameterError."""
    return JobError(f"{label} must be {allowed}, got {shown(value)}", key)


def number(parameter: Parameter, value: object, label: str, key: Key) -> int | float:
    """Return the value of a parameter; text is not read as a number."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise refused(label, parameter.allowed, value, key)
    try:
        return parameter.parse(value)
    except ValueError:  # ParameterError, or what keeps it from showing the value
        raise refused(label, parameter.allowed, value, key) from None


def width(value: object, label: str) -> float | None:
    """Return a relative width, if there is one."""
    return None if value is None else float(number(PARAMETERS["width"], value, label, ("width",)))
