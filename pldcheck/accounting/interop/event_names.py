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
# The fields of events that are handed to the engine, by the name of its parameter; an event has one of them.
FIELDS = {
    "sigma": ("noise_multiplier", "standard_deviation", "sigma"),
    "scale": ("noise_multiplier", "noise_parameter"),
    "rate": ("sampling_probability",),
    "eps0": ("epsilon", "eps0", "randomizer"),
    "p": ("noise_parameter",),
    "q": ("noise_parameter",),
    "largest_batch": ("truncated_batch_size",),
    "steps": ("num_steps", "steps"),
    "selected": ("num_selected",),
    "categories": ("num_buckets",),
}
# What the engine calls a product of fields.
PRODUCTS = {"records * rate": "(dataset_size - 1) * sampling_probability"}


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


def in_fields(error: ParameterError, event: Any, position: str) -> ParameterError:
    """Return the error of an engine about the event at a position, or one inside of it, with the name of its field."""
    for field in (error.name, *FIELDS.get(error.name, ())):
        if hasattr(event, field) and not hasattr(getattr(event, field), "__dict__"):
            domain = error.domain
            for engine, words in PRODUCTS.items():
                domain = domain.replace(engine, words)
            return ParameterError(place_below(position, field), domain, error.value)
    for inner in ("event", "randomizer"):
        if hasattr(event, inner):
            return in_fields(error, getattr(event, inner), place_below(position, inner))
    return error


def numbers_of(name: str, event: Any) -> list[float]:
    """Return a field that is a list of numbers."""
    value = getattr(event, name)
    numbers = list(value) if isinstance(value, list | tuple | np.ndarray) else []
    fit = all(isinstance(one, int | float | np.number) and not isinstance(one, bool) for one in numbers)
    if not numbers or not fit:
        raise ParameterError(name, "a list of numbers", value)
    return numbers


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
