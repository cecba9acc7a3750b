"""An oracle: the questions that are put to it, and the slow function that answers one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from math import isclose
from zlib import crc32

from .enclosure import Enclosure
from .stored_values import StoredValue, dumps, loads, stored_values

NAMES = (
    "few_slots",
    "two_steps",
    "two_steps_epsilon",
    "three_steps",
    "inverted_allocations",
    "sampled_allocations",
    "different_responses",
    "worst_adaptive_shuffles",
)
# How much wider a stored enclosure may be than the one computed anew: by what versions of a library differ in.
WIDER = 2


@dataclass(frozen=True)
class Oracle:
    """``answer(**question)`` is an enclosure, of a relative width of at most ``widest``; no engine is asked.

    ``is_quick`` says of a question whether a test may ask it again; ``statement`` says in a line what the answers are.
    """

    statement: str
    widest: float
    questions: Callable[[], Iterator[dict]]
    answer: Callable[..., Enclosure]
    is_quick: Callable[[dict], bool] = lambda _: True


def oracle(name: str) -> Oracle:
    """Return the oracle of that name: ``ORACLE`` of the module that stands beside the file of its values."""
    return import_module(f"{__package__}.{name}").ORACLE


def compute(name: str) -> str:
    """Return the text of the file of an oracle's values, computed anew; raise ValueError if one is wide."""
    one = oracle(name)
    values = (StoredValue(question, one.answer(**question)) for question in one.questions())
    text = dumps(name, one.statement, one.widest, values)
    loads(text, name)
    return text


def differences(name: str) -> list[str]:
    """Return a line for each stored value that is not what the oracle answers now, and for questions that differ."""
    one, values = oracle(name), stored_values(name)
    if not are_alike([value.parameters for value in values], list(one.questions())):
        return ["the questions are not those that are stored"]
    return [line for value in values if (line := difference(one, value))]


def are_alike(some: list[dict], others: list[dict]) -> bool:
    """Return whether questions are the same, but for what mathematical libraries differ in from machine to machine."""
    return len(some) == len(others) and all(
        a.keys() == b.keys()
        and all(
            x == y or (isinstance(x, float) and isclose(x, y, rel_tol=1e-13))
            for x, y in zip(a.values(), b.values(), strict=True)
        )
        for a, b in zip(some, others, strict=True)
    )


def difference(one: Oracle, value: StoredValue) -> str:
    """Return how a stored value differs from what the oracle answers now; empty where it does not."""
    enclosure = one.answer(**value.parameters)
    if not enclosure.meets(value.enclosure):
        return f"{value.parameters}: stored from {float(value.lower)!r}, but the value is {float(enclosure.lower)!r}"
    if value.enclosure.width > WIDER * enclosure.width + 1e-30:
        return (
            f"{value.parameters}: stored {float(value.enclosure.width):.3g} wide, but {float(enclosure.width):.3g} now"
        )
    return ""


def sample(name: str, count: int) -> list[StoredValue]:
    """Return so many of the stored values that are quickly computed again: the first in the order of a checksum."""
    one = oracle(name)
    quick = [value for value in stored_values(name) if one.is_quick(value.parameters)]
    return sorted(quick, key=lambda value: crc32(repr(value.parameters).encode()))[:count]
