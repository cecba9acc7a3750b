"""Randomizers with bounded ratios: their laws on neighbours, to hundreds of binary places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from itertools import combinations

import numpy as np

from ...core.errors import ParameterError
from ...randomizers import Finite, Laplace, Randomizer, Response
from ...randomizers.finite import BUDGET_SLACK
from . import single_slot
from .binary_digits import Digits, exponential, of_fractions
from .neighbour_pairs import ADDITION, REMOVAL, REPLACEMENT
from .output_probabilities import LaplaceJoin, LaplaceNoise, Outputs, places, places_of_response, response

# The least probability of a table that is served: products with smaller ones are no normal numbers.
LEAST_PROBABILITY = 1e-280


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Outputs that together dominate one kind of neighbours, and outputs each of which some slots attain."""

    name: str
    way: str
    dominating: tuple[Outputs | LaplaceJoin, ...]
    each: tuple[Outputs, ...]


@dataclass(frozen=True, eq=False)
class RandomizerLaws:
    """A randomizer's kinds of neighbours, its single slot, and its largest privacy loss (rounded up).

    ``eps0``: the least budget that the randomizer certainly satisfies.
    """

    neighbours: tuple[Neighbours, ...]
    alone: single_slot.Finite | single_slot.Laplace
    largest: float
    eps0: float


@singledispatch
def laws_of(randomizer: Randomizer, eps0: float | None, weight: float, adjacency: str) -> RandomizerLaws | None:
    """Return the laws of a randomizer with bounded ratios, and None for others.

    It raises ParameterError where the parameters are not served.
    """
    return None


def _kinds(
    name: str,
    record_name: str,
    i: Digits,
    j: Digits,
    references: Sequence[tuple[str, Digits]],
    adjacency: str,
    bits: int,
) -> list[Neighbours]:
    """Return the kinds of neighbours: i replaced by j, or i present or not, whatever j.

    Each has the outputs for every reference, together and separately.
    """
    if adjacency == "replace":
        each = tuple(Outputs(f"{name}, the slot's own {place}", i, j, o, bits) for place, o in references)
        return [Neighbours(name, REPLACEMENT, each, each)]
    others = [(place, o) for place, o in references if not np.array_equal(o, i)]
    removals = tuple(Outputs(f"{record_name} removed, the slot's own {place}", i, o, o, bits) for place, o in others)
    additions = tuple(Outputs(f"{record_name} added, the slot's own {place}", o, i, o, bits) for place, o in others)
    return [
        Neighbours(f"{record_name} removed", REMOVAL, removals, removals),
        Neighbours(f"{record_name} added", ADDITION, additions, additions),
    ]


@laws_of.register(Response)
def _of_response(randomizer: Response, eps0: float | None, weight: float, adjacency: str) -> RandomizerLaws:
    """Return the laws of K-ary response, where all records but the record and its replacement are alike."""
    assert eps0 is not None  # this randomizer needs it
    k = randomizer.categories
    bits = places_of_response(eps0, k, weight)
    i, j, third = response(eps0, k, bits)
    more = [("record at a third value", third)] if k > 2 else []
    references = [*more, ("record at the record's value", i), ("record at the replacement's value", j)]
    if adjacency != "replace":  # every other value has the same law of gains
        references = [("record at another value", j)]
    kinds = _kinds(f"{k}-ary randomized response", "record", i, j, references, adjacency, bits)
    largest = single_slot.cap(Fraction(exponential(Fraction(eps0), bits), 1 << bits), weight)
    alone = single_slot.Finite(((i, j),), bits, weight)
    return RandomizerLaws(tuple(kinds), alone, eps0 if weight == 1.0 else min(largest, eps0), eps0)


@laws_of.register(Laplace)
def _of_laplace(_: Laplace, eps0: float | None, weight: float, adjacency: str) -> RandomizerLaws:
    """Return the laws of Laplace noise on records in [0, 1], replaced.

    They are those of the ends, with the slot's own record there or in the middle.
    """
    assert eps0 is not None  # this randomizer needs it
    noise = LaplaceNoise(eps0, weight)
    bits, records = noise.bits, {"0": Fraction(0), "0.5": Fraction(1, 2), "1": Fraction(1)}
    rows = {text: noise.cells(place) for text, place in records.items()}
    each = tuple(
        Outputs(f"records at 0 and 1, the slot's own record at {text}", rows["0"], rows["1"], own, bits)
        for text, own in rows.items()
    )
    kind = Neighbours("Laplace noise, any three records in [0, 1]", REPLACEMENT, (LaplaceJoin(noise),), each)
    largest = single_slot.cap(Fraction(exponential(Fraction(noise.eps0), bits), 1 << bits), noise.weight)
    largest = noise.eps0 if noise.weight == 1.0 else min(largest, noise.eps0)
    return RandomizerLaws((kind,), single_slot.Laplace(noise), largest, noise.eps0)


@laws_of.register(Finite)
def _of_rows(randomizer: Finite, eps0: float | None, weight: float, adjacency: str) -> RandomizerLaws:
    """Return the laws of a table of exact probabilities; every output is possible on every input, or on none."""
    exact, name = randomizer.rows(), str(randomizer)
    if all(row == exact[0] for row in exact):
        raise ParameterError("randomizer", "a table with two different rows", name)
    if any(chance == 0 for row in exact for chance in row):
        raise ParameterError("randomizer", "a table whose outputs are possible on all inputs or none", name)
    if min(map(min, exact)) < LEAST_PROBABILITY:
        raise ParameterError(
            "randomizer", f"a table of probabilities that are 0 or at least {LEAST_PROBABILITY:g}", name
        )
    columns = list(zip(*exact, strict=True))
    ratio = max(max(column) / min(column) for column in columns)
    budget = single_slot.cap(ratio, 1.0)
    if eps0 is not None and budget > eps0 * (1.0 + BUDGET_SLACK):
        raise ParameterError("eps0", f"at least {budget:.8g}, the budget of {name}", eps0)
    differences = (abs(a - b) for column in columns for a, b in combinations(column, 2) if a != b)
    bits = places(min(map(min, columns)), min(differences), Fraction(weight))
    rows = [of_fractions(row, bits) for row in exact]
    kinds: list[Neighbours] = []
    inputs = range(len(rows))
    references = [(f"input {o}", rows[o]) for o in inputs]
    pairs = [(i, j) for i in inputs for j in inputs if exact[i] != exact[j]]
    if adjacency == "replace":
        for i, j in pairs:
            kinds += _kinds(f"inputs {i} and {j}", "", rows[i], rows[j], references, adjacency, bits)
    else:
        for i in inputs:
            kinds += _kinds("", f"input {i}", rows[i], rows[i], references, adjacency, bits)
    alone = single_slot.Finite(tuple((rows[i], rows[j]) for i, j in pairs), bits, weight)
    return RandomizerLaws(tuple(kinds), alone, single_slot.cap(ratio, weight), budget)
