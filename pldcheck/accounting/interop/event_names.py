"""Names, fields and adjacencies of dp_accounting's events, and the error of an event that is not known.

Events are recognised by the names of their classes: those of later versions of dp_accounting are known as well, and
``to_named_tuple`` of an event is accepted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import ParameterError, PldcheckError
from ...core.parameters import range_words

# The events of single mechanisms, in the order in which an error names them.
MECHANISMS = (
    "NoOpDpEvent",
    "GaussianDpEvent",
    "LaplaceDpEvent",
    "DiscreteLaplaceDpEvent",
    "DiscreteGaussianDpEvent",
    "RandomizedResponseDpEvent",
    "MixtureOfGaussiansDpEvent",
    "TruncatedSubsampledGaussianDpEvent",
    "SampledWithoutReplacementDpEvent",
    "SampledWithReplacementDpEvent",
    "SingleEpochTreeAggregationDpEvent",
    "ExponentialMechanismDpEvent",
    "PermuteAndFlipDpEvent",
    "EpsilonDeltaDpEvent",
    "ZCDpEvent",
)
# Those whose loss is known down to some delta.
AMPLIFIED = ("RandomCheckInDpEvent", "RandomAllocationDpEvent", "ShuffleDpEvent")
# Those that are made of other events.
TREES = ("SelfComposedDpEvent", "ComposedDpEvent", "PoissonSampledDpEvent")
# The events that are stated for a record added or removed.
ADD_REMOVE = {
    "PoissonSampledDpEvent",
    "MixtureOfGaussiansDpEvent",
    "RandomAllocationDpEvent",
    "TruncatedSubsampledGaussianDpEvent",
}
# The events that are stated for a record replaced.
REPLACE = {
    "RandomizedResponseDpEvent",
    "RandomCheckInDpEvent",
    "ShuffleDpEvent",
    "SampledWithoutReplacementDpEvent",
    "SampledWithReplacementDpEvent",
}


class UnsupportedEventError(PldcheckError, ValueError):
    """The error of an event without a known privacy loss distribution; ``position`` is its place in the tree.

    ``reason`` says why, and what is nearest; without it the message lists the events that are known.
    """

    def __init__(self, event: str, position: str = "", reason: str = "") -> None:
        self.event, self.position, self.reason = event, position, reason
        where = f" at {position}" if position else ""
        rest = f": {reason}" if reason else f"; known: {', '.join([*MECHANISMS, *AMPLIFIED, *TREES])}"
        super().__init__(f"event {event}{where} cannot be represented as a privacy loss distribution{rest}")

    def __reduce__(self):
        return type(self), (self.event, self.position, self.reason)


def event_name(event: Any) -> str:
    """Return the name of an event's class, which a named tuple holds as an entry."""
    return str(getattr(event, "class_name", type(event).__name__))


def fields_of(event: Any, position: str, *names: str) -> list[Any]:
    """Return the fields of an event; another class of the same name may not have them."""
    missing = [name for name in names if not hasattr(event, name)]
    if missing:
        raise UnsupportedEventError(f"{event_name(event)} without {missing[0]}", position)
    return [getattr(event, name) for name in names]


def number_of(name: str, event: Any, low: float, high: float, *, low_open: bool = False) -> float:
    """Return a field that is a number of a range."""
    value = getattr(event, name)
    fits = isinstance(value, int | float | np.number) and not isinstance(value, bool) and low <= value <= high
    if not fits or (low_open and value == low):
        raise ParameterError(name, range_words(low, high, low_open), value)
    return float(value)


def count_of(name: str, event: Any, most: int, least: int = 1) -> int:
    """Return a field that is a whole number from ``least`` to ``most``."""
    value = getattr(event, name)
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not least <= value <= most:
        raise ParameterError(name, f"an integer {range_words(least, most)}", value)
    return int(value)


def place_below(position: str, name: str) -> str:
    """Return the position of a field of the event at a position."""
    return f"{position}.{name}" if position else name
