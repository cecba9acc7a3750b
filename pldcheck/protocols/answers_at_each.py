"""Questions at one number or at many: an interval for a number, a table of intervals for a sequence of numbers.

A protocol writes ``epsilon`` and ``delta`` for one number; :func:`epsilon_at_each` and :func:`delta_at_each`, put above
them, let callers give a list or an array as well, and say so to type checkers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import getdoc
from math import isinf
from typing import Any, Protocol, cast, overload

from ..core.errors import MissingKeywordError, ParameterError, UnknownKeywordError
from ..core.interval import Interval
from ..core.parameters import PARAMETERS, decimal
from ..core.usual_names import understood_name
from .answer_relations import Relation, no_more_than_others
from .answer_tables import AnswerTable, plain_number, sweep
from .negative_epsilon import delta_below_zero


class Asked(Protocol):
    """A protocol, as far as questions at several numbers need it."""

    @property
    def default_width(self) -> float:
        """Relative width asked of answers by default."""

    @property
    def bound_sources(self) -> tuple[str, str]:
        """The sources of the lower and the upper bound, in words."""

    @property
    def exchanged(self) -> Any:
        """The protocol of the exchanged pairs of neighbours."""

    def pure_epsilon(self) -> Interval:
        """Return epsilon at delta = 0."""

    def relations(self, reached: float, width: float) -> Iterable[Relation]:
        """Return the relations that may lower the upper end of an answer."""

    def deltas_together(self, epsilons: Sequence[float], width: float) -> tuple[Interval, ...] | None:
        """Return delta at several epsilons >= 0, or None where one by one is as fast."""


class EpsilonAnswers(Protocol):
    """A question for epsilon: an Interval at one delta, an AnswerTable at several."""

    @overload
    def __call__(self, delta: float, width: float | None = ...) -> Interval: ...

    @overload
    def __call__(self, delta: Iterable[float], width: float | None = ...) -> AnswerTable: ...


class DeltaAnswers(Protocol):
    """A question for delta: an Interval at one epsilon, an AnswerTable at several."""

    @overload
    def __call__(self, epsilon: float, width: float | None = ...) -> Interval: ...

    @overload
    def __call__(self, epsilon: Iterable[float], width: float | None = ...) -> AnswerTable: ...


class EpsilonMethod(Protocol):
    """A method that is an :class:`EpsilonAnswers` of its object."""

    def __get__(self, instance: Any, owner: Any = None, /) -> EpsilonAnswers:
        """Return the question of one object."""
        ...


class DeltaMethod(Protocol):
    """A method that is a :class:`DeltaAnswers` of its object."""

    def __get__(self, instance: Any, owner: Any = None, /) -> DeltaAnswers:
        """Return the question of one object."""
        ...


_ENDS = """width : float in (0, 1), optional
    Relative width asked of the interval; ``default_width`` if it is left out.  If it cannot be reached the
    interval is wider, and still certified.

Returns
-------
Interval or AnswerTable
    The certified interval at a number, a table of intervals at a sequence.

Raises
------
ParameterError
    If ``{asked}`` or ``width`` is outside its range.
Unsupported
    If the protocol does not have the answer."""
# What is said of a question whose method has no section of parameters of its own.
_OF_EPSILON = f"""

Parameters
----------
delta : float in [0, 1), or a sequence of such
    The delta of (epsilon, delta)-DP; 0 asks for pure epsilon.
{_ENDS.format(asked="delta")}
"""
_OF_DELTA = f"""

Parameters
----------
epsilon : float, or a sequence of floats
    Below 0 it is that of the exchanged neighbours (:mod:`pldcheck.protocols.negative_epsilon`).
{_ENDS.format(asked="epsilon")}
"""
# A method of a protocol for one number and a width.
AtOne = Callable[[Any, float, float], Interval]


def epsilon_at_each(method: AtOne) -> EpsilonMethod:
    """Return a method ``epsilon`` that takes a number or a sequence, made of one that takes a number.

    Without a width it asks for the protocol's own.  The upper end is at most that of whoever assumes less
    (:mod:`pldcheck.protocols.answer_relations`).  A delta of 0 asks for ``pure_epsilon``, which has no width.
    """

    @wraps(method)
    def epsilon(self: Asked, *given: Any, **named: Any) -> Interval | AnswerTable:
        delta, width = _asked("delta", given, named)
        wanted = self.default_width if width is None else width

        def at(one: Any) -> Interval:
            if _is_zero(one):
                return self.pure_epsilon()
            own = method(self, one, wanted)
            return no_more_than_others(self, own, wanted, lambda other, other_width: other.epsilon(one, other_width))

        return sweep(at, delta=delta) if is_sequence(delta) else at(_one_number(delta))

    epsilon.__doc__ = _with_sections(method, _OF_EPSILON)
    return cast(EpsilonMethod, epsilon)


def delta_at_each(method: AtOne) -> DeltaMethod:
    """Return a method ``delta`` that takes a number or a sequence, also below 0, made of one that takes a number >= 0.

    Without a width it asks for the protocol's own.  The upper end is at most that of whoever assumes less
    (:mod:`pldcheck.protocols.answer_relations`).  Below 0 it asks for the exchanged pairs of neighbours (see
    :mod:`pldcheck.protocols.negative_epsilon`).
    """

    @wraps(method)
    def delta(self: Asked, *given: Any, **named: Any) -> Interval | AnswerTable:
        epsilon, width = _asked("epsilon", given, named)
        wanted = self.default_width if width is None else width

        def at(one: Any) -> Interval:
            opposite = _opposite(one)
            if opposite is None:
                own = method(self, one, wanted)
                return no_more_than_others(self, own, wanted, lambda other, other_width: other.delta(one, other_width))
            return delta_below_zero(self.exchanged.delta(opposite, wanted), -opposite)

        if not is_sequence(epsilon):
            return at(_one_number(epsilon))
        listed = tuple(plain_number("epsilon", one) for one in epsilon)
        together = self.deltas_together(listed, wanted) if listed and min(listed) >= 0.0 else None
        return sweep(at, epsilon=listed) if together is None else AnswerTable("epsilon", listed, together)

    delta.__doc__ = _with_sections(method, _OF_DELTA)
    return cast(DeltaMethod, delta)


def _with_sections(method: AtOne, sections: str) -> str:
    """Return the docstring of a method, with sections where it has none of parameters."""
    text = getdoc(method) or ""
    return text if "Parameters\n---" in text else text + sections


def _asked(at_name: str, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any]:
    """Return what a quantity is asked at, and the width or None; raise errors that are a TypeError for other calls."""
    names = (at_name, "width")
    values = dict(zip(names, given, strict=False))
    for name, value in named.items():
        here = name if name in names else understood_name(name, names)
        if here is None or here in values:
            raise UnknownKeywordError("keyword", name, names)
        values[here] = value
    if len(given) > len(names):
        raise UnknownKeywordError("value", given[len(names)], names)
    if at_name not in values:
        raise MissingKeywordError(at_name, PARAMETERS[at_name].domain)
    return values[at_name], values.get("width")


def is_sequence(value: object) -> bool:
    """Return whether a value holds several numbers; a text, and an array without a dimension, is one number."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) > 0


def _one_number(value: Any) -> Any:
    """Return the number in an array without a dimension, and any other value as it is."""
    return value.item() if getattr(value, "ndim", None) == 0 else value


def _is_zero(delta: Any) -> bool:
    """Return whether a delta is the number 0, or a text that stands for it; others are read, or refused, later."""
    try:
        return (decimal(delta) if isinstance(delta, str) else delta) == 0 and not isinstance(delta, bool)
    except (TypeError, ValueError):
        return False


def _opposite(epsilon: Any) -> float | None:
    """Return minus epsilon where that is positive, and None for what the method reads, or refuses, by itself."""
    try:
        number = decimal(epsilon) if isinstance(epsilon, str) else float(epsilon)
    except (TypeError, ValueError, OverflowError):
        return None
    if isinf(number) and number < 0.0:
        raise ParameterError("epsilon", "a finite number", epsilon)
    return -number if number < 0.0 else None
