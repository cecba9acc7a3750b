"""The parts of composed protocols, with mechanisms that attain the lower end or come near it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import singledispatch
from itertools import permutations
from math import ceil, log1p
from typing import Any

from ..core.directed import float_above
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
    TableMechanism,
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
    witness_rows,
)

# The largest number of different budgets in one file; if there are more, neighbours count as the least of their group.
MOST_BUDGETS = 200
# The largest number of outputs of a randomizer.
MOST_OUTPUTS = 200
# The deltas, besides that of the question, at which one epoch or round is solved for its worst-case randomizer: a
# composition of many epochs may attain its delta with a randomizer that is worst at a larger one.
OTHER_DELTAS = (0.1, 0.01)

# The budget of a table with equal laws.
LEAST_BUDGET = 1e-9

# Parts that are released together, and their adjacency.
Parts = tuple[list[Part], str]
# The tuple (times, eps0, delta0, rate) of a randomized response on a sample of the records.
Budget = tuple[int, float, float, float]


def of_slots(instance: HiddenSlot | Shuffle, delta: float, witness: Mapping[str, Any] | None) -> Iterator[Parts]:
    """Yield the parts of a record that is hidden repeatedly, in slots or among shuffled messages.

    ``witness`` is the engine's witness of one epoch or round.
    """
    if isinstance(instance, HiddenSlot):
        times, draws, weight, delta0 = instance.epochs, instance.steps, instance.weight, instance.delta0
        once: HiddenSlot | Shuffle = replace(instance, epochs=1, delta0=0.0)
    else:
        times, draws, weight, delta0 = instance.rounds, instance.clients, 1.0, 0.0
        once = replace(instance, rounds=1)
    for rows in _rows(once, delta, witness):
        eps0 = float(instance.eps0) if instance.eps0 is not None else largest_loss(rows)
        # A record that is absent cannot reveal itself.
        reveals = delta0 > 0.0 and (instance.adjacency == "replace" or rows[0] != rows[2])
        exact = revealing(rows, delta0) if reveals else rows
        yield [Part(times, draws, weight, eps0, delta0, exact)], instance.adjacency


def _rows(once: HiddenSlot | Shuffle, delta: float, witness: Mapping[str, Any] | None) -> Iterator[Rows]:
    """Yield the rows of worst-case laws or of the known randomizer, in both directions."""
    if isinstance(once.randomizer, Worst):
        x, name = below_exp(once.eps0 or 0.0), (witness or {}).get("law")
        yield from (of_law(law, x) for law in sorted(LAWS[::-1], key=lambda law: law.name != name))
        return
    if isinstance(once, Shuffle) and (laws := exact_laws(once.randomizer, below_exp(once.eps0))):
        yield from (rows for rows, _ in laws)
        return
    previous: list[list[list[float]]] = []
    for other in (witness, *(once.epsilon(at).witness for at in (delta, *OTHER_DELTAS))):
        rows = witness_rows(other, MOST_OUTPUTS)
        if rows and rows not in previous:
            previous.append(rows)
            yield from within(rows, once.eps0)
            if once.adjacency == "replace":
                yield from within([rows[1], rows[0], rows[2]], once.eps0)


def has_responses(kind: type[Protocol]) -> bool:
    """Return whether a protocol is composed of randomized responses that :func:`of_responses` knows."""
    return kind in (MixedPair, TableMechanism) or _budgets.dispatch(kind) is not _budgets.dispatch(object)


def of_responses(instance: Protocol) -> Iterator[Parts]:
    """Yield the randomized responses that a protocol is composed of, in both directions if they act on a sample."""
    if isinstance(instance, MixedPair):
        heads, other = ([Fraction(p), 1 - Fraction(p)] for p in (instance.heads_q, instance.heads_p))
        rows = heads, other, heads
        yield [Part(1, 1, instance.rate, largest_loss(rows), 0.0, rows)], "zero-out"
        return
    if isinstance(instance, TableMechanism):
        for first, second in (instance.rows, instance.rows[::-1]):
            # An output that only one law has is charged to delta0, as a likelihood ratio must be finite.
            common = [pair for pair in zip(first, second, strict=True) if all(pair)]
            delta0 = max(sum(a for a, b in zip(*rows, strict=True) if not b) for rows in permutations((first, second)))
            eps0 = largest_loss([*zip(*common, strict=True)]) if common else 0.0
            rows = first, second, second
            yield [Part(instance.steps, 1, 1.0, max(eps0, LEAST_BUDGET), float_above(delta0), rows)], "replace"
        return
    budgets = list(_budgets(instance))
    sampling = any(rate < 1.0 for *_, rate in budgets)
    for absent in (1, 0) if sampling else (1,):
        parts = []
        for times, eps0, delta0, rate in budgets:
            with_, without = response(eps0, delta0)
            rows = (with_, without, without) if absent else (without, with_, without)
            parts.append(Part(times, 1, rate, eps0, delta0, rows))
        yield parts, "zero-out" if sampling else "replace"


@singledispatch
def _budgets(instance: Protocol) -> Iterator[Budget]:
    """Return the randomized responses that a protocol is composed of; raise Unsupported if it is not."""
    raise Unsupported(
        instance.name, "witness files", instance.unwritten or "it is not composed of randomized responses"
    )


@_budgets.register
def _(instance: RandomizedResponse) -> Iterator[Budget]:
    first, last = instance.eps0, instance.eps0_last
    if last is None or last == first or instance.steps == 1:
        yield instance.steps, first, instance.delta0, 1.0
        return
    steps = instance.steps
    budgets = sorted(first + (last - first) * i / (steps - 1) for i in range(steps))
    yield from ((times, eps0, instance.delta0, 1.0) for times, eps0 in _budget_groups(budgets))


@_budgets.register
def _(instance: DecayingBudgets) -> Iterator[Budget]:
    steps = instance.steps
    budgets = sorted(log1p(instance.first / (steps - instance.decay * i)) for i in range(steps))
    yield from ((times, eps0, 0.0, 1.0) for times, eps0 in _budget_groups(budgets))


@_budgets.register
def _(instance: SubsampledRandomizedResponse) -> Iterator[Budget]:
    yield instance.steps, instance.eps0, instance.delta0, instance.rate


@_budgets.register
def _(instance: Composition) -> Iterator[Budget]:
    for entry in instance.mechanism:
        if isinstance(entry, str):
            yield _entry(entry, instance.steps)
        else:
            for times, eps0, delta0, rate in _budgets(entry):
                yield times * instance.steps, eps0, delta0, rate


def _budget_groups(budgets: list[float]) -> Iterator[tuple[int, float]]:
    """Yield the size of each group of neighbouring budgets, and its least budget, rounded down."""
    size = ceil(len(budgets) / MOST_BUDGETS)
    for start in range(0, len(budgets), size):
        group = budgets[start : start + size]
        yield len(group), group[0] * (1.0 - 1e-14)


def _entry(text: str, steps: int) -> Budget:
    """Return one entry of a composition; raise PldcheckError for mechanisms without a table of probabilities."""
    kind, _, rest = text.partition(":")
    numbers, _, count = rest.partition("*")
    values, times = [float(word) for word in numbers.split(":") if word], int(float(count or 1)) * steps
    if kind == "rr":
        return times, values[0], (values[1:] or [0.0])[0], 1.0
    if kind == "discrete-laplace":  # as far as the sign of the noise: its losses are +-1/scale
        return times, (1.0 - 1e-15) / values[0], 0.0, 1.0
    if kind == "subsampled-rr":
        return times, values[0], (values[2:] or [0.0])[0], values[1]
    raise PldcheckError(
        f"{text} cannot be written to a witness file: {kind} has too many outputs for a table of exact probabilities"
    )
