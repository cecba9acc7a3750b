"""What protocols are composed of: parts whose mechanisms attain the lower end, or come near it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import singledispatch
from math import ceil, log1p
from typing import Any

from ..core.errors import PldcheckError, Unsupported
from ..hidden_slot.worst.step_laws import LAWS
from ..protocols import (
    Composition,
    DecayingBudgets,
    HiddenSlot,
    MixedPair,
    Protocol,
    RandomizedResponse,
    Shuffle,
    SubsampledRandomizedResponse,
)
from ..randomizers import Worst
from .composition_witness import Part
from .exact_rows import (
    Rows,
    below_exp,
    exact_laws,
    largest_loss,
    of_law,
    response,
    revealing,
    within,
    written,
)

# Different budgets in one file; where there are more, neighbouring ones count as the least of them.
MOST_BUDGETS = 200
# Outputs of a randomizer.
MOST_OUTPUTS = 200
# Deltas at which one epoch or round is asked for its worst randomizer, besides the one given.
ASKED = (0.1, 0.01)

# Parts released together, and which records differ.
Parts = tuple[list[Part], str]
# (times, eps0, delta0, rate) of a randomized response on a sample of the records.
Budget = tuple[int, float, float, float]


def of_slots(instance: HiddenSlot | Shuffle, delta: float, witness: Mapping[str, Any] | None) -> Iterator[Parts]:
    """A record hidden again and again, in slots or among shuffled messages; ``witness``: of one epoch or round."""
    if isinstance(instance, HiddenSlot):
        times, draws, weight, delta0 = instance.epochs, instance.steps, instance.weight, instance.delta0
        once: HiddenSlot | Shuffle = replace(instance, epochs=1, delta0=0.0)
    else:
        times, draws, weight, delta0 = instance.rounds, instance.clients, 1.0, 0.0
        once = replace(instance, rounds=1)
    for found in _rows(once, delta, witness):
        rows = found
        eps0 = float(instance.eps0) if instance.eps0 is not None else largest_loss(rows)
        # A record that is not there does not reveal itself.
        if delta0 > 0.0 and (instance.adjacency == "replace" or rows[0] != rows[2]):
            rows = revealing(rows, delta0)
        yield [Part(times, draws, weight, eps0, delta0, rows)], instance.adjacency


def _rows(once: HiddenSlot | Shuffle, delta: float, witness: Mapping[str, Any] | None) -> Iterator[Rows]:
    """Yield those of the laws that are worst, or of the randomizer that is known, in both directions."""
    if isinstance(once.randomizer, Worst):
        x, named = below_exp(once.eps0 or 0.0), (witness or {}).get("law")
        yield from (of_law(law, x) for law in sorted(LAWS[::-1], key=lambda law: law.name != named))
        return
    if isinstance(once, Shuffle) and (laws := exact_laws(once.randomizer, below_exp(once.eps0))):
        yield from (rows for rows, _ in laws)
        return
    seen = []
    for found in (witness, *(once.epsilon(at).witness for at in (delta, *ASKED))):
        rows = written(found, MOST_OUTPUTS)
        if rows and rows not in seen:
            seen.append(rows)
            yield from within(rows, once.eps0)
            if once.adjacency == "replace":
                yield from within([rows[1], rows[0], rows[2]], once.eps0)


def has_responses(kind: type[Protocol]) -> bool:
    """Return whether a protocol is composed of randomized responses that :func:`of_responses` knows."""
    return kind is MixedPair or _budgets.dispatch(kind) is not _budgets.dispatch(object)


def of_responses(instance: Protocol) -> Iterator[Parts]:
    """Yield randomized responses, some of them on a sample of the records; in both directions where they are two."""
    if isinstance(instance, MixedPair):
        heads, other = ([Fraction(p), 1 - Fraction(p)] for p in (instance.heads_q, instance.heads_p))
        rows = heads, other, heads
        yield [Part(1, 1, instance.rate, largest_loss(rows), 0.0, rows)], "zero-out"
        return
    budgets = list(_budgets(instance))
    sampled = any(rate < 1.0 for *_, rate in budgets)
    for absent in (1, 0) if sampled else (1,):
        parts = []
        for times, eps0, delta0, rate in budgets:
            with_, without = response(eps0, delta0)
            rows = (with_, without, without) if absent else (without, with_, without)
            parts.append(Part(times, 1, rate, eps0, delta0, rows))
        yield parts, "zero-out" if sampled else "replace"


@singledispatch
def _budgets(instance: Protocol) -> Iterator[Budget]:
    """The randomized responses that a protocol is composed of; raises Unsupported where it is not known to be."""
    raise Unsupported(instance.name, "witness files", instance.unwritten or "it is not made of randomized responses")


@_budgets.register
def _(instance: RandomizedResponse) -> Iterator[Budget]:
    first, last = instance.eps0, instance.eps0_last
    if last is None or last == first or instance.steps == 1:
        yield instance.steps, first, instance.delta0, 1.0
        return
    steps = instance.steps
    budgets = sorted(first + (last - first) * i / (steps - 1) for i in range(steps))
    yield from ((times, eps0, instance.delta0, 1.0) for times, eps0 in _few(budgets))


@_budgets.register
def _(instance: DecayingBudgets) -> Iterator[Budget]:
    steps = instance.steps
    budgets = sorted(log1p(instance.first / (steps - instance.decay * i)) for i in range(steps))
    yield from ((times, eps0, 0.0, 1.0) for times, eps0 in _few(budgets))


@_budgets.register
def _(instance: SubsampledRandomizedResponse) -> Iterator[Budget]:
    yield instance.steps, instance.eps0, instance.delta0, instance.rate


@_budgets.register
def _(instance: Composition) -> Iterator[Budget]:
    yield from (_listed(text, instance.steps) for text in instance.mechanism)


def _few(budgets: list[float]) -> Iterator[tuple[int, float]]:
    """Yield neighbouring budgets in groups, each counted as the least of it, rounded down."""
    size = ceil(len(budgets) / MOST_BUDGETS)
    for start in range(0, len(budgets), size):
        group = budgets[start : start + size]
        yield len(group), group[0] * (1.0 - 1e-14)


def _listed(text: str, steps: int) -> tuple[int, float, float, float]:
    """Return one entry of a composition."""
    kind, _, rest = text.partition(":")
    numbers, _, count = rest.partition("*")
    values, times = [float(word) for word in numbers.split(":") if word], int(float(count or 1)) * steps
    if kind == "rr":
        return times, values[0], (values[1:] or [0.0])[0], 1.0
    if kind == "discrete-laplace":  # losses are +-1/scale: the sign is all there is
        return times, (1.0 - 1e-15) / values[0], 0.0, 1.0
    if kind == "subsampled-rr":
        return times, values[0], (values[2:] or [0.0])[0], values[1]
    raise PldcheckError(f"no witness files of {text}: {kind} has too many outputs for a table of exact probabilities")
