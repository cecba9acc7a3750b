"""Rows of exact probabilities: of the laws that are worst, of known randomizers, of what an engine found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import singledispatch
from math import floor, log
from typing import Any

from ..hidden_slot.worst.step_laws import VERTICES, StepLaw
from ..randomizers import Randomizer, Response
from . import checker

# Binary digits of the numbers in rows after the point.
DIGITS = 60
# Shares of their mean that rows are mixed with: none, or as little as does.
SHARES = (0.0, *(2.0**-k for k in range(50, 19, -3)))
# Relative round-off granted to the largest loss of a table.
HAIR = 1e-9
NAMES = ("record", "replacement", "reference")

# What the record, its replacement and all others give: exact probabilities.
Rows = tuple[Sequence[Fraction], Sequence[Fraction], Sequence[Fraction]]


def below_exp(eps0: float | Fraction, digits: int = DIGITS) -> Fraction:
    """Return some x below e^eps0, and near."""
    return Fraction(floor(checker._exp(Fraction(eps0), 0) * 2**digits), 2**digits)


def largest_loss(rows: Sequence[Sequence[Any]]) -> float:
    """Of a table, raised by a hair: the least eps0 that it certainly has."""
    return float(max(log(max(column) / min(column)) for column in zip(*rows, strict=True))) * (1.0 + HAIR)


def texts(rows: Rows) -> dict[str, list[str]]:
    """As they stand in a file."""
    return {name: [str(mass) for mass in row] for name, row in zip(NAMES, rows, strict=True)}


def of_law(law: StepLaw, x: Fraction) -> Rows:
    """Return the three rows of a law: likelihood ratios are powers of x."""
    total = sum(x**power for power in law.powers)
    i, j = zip(*(VERTICES[vertex] for vertex in law.name), strict=True)
    record, replacement = (
        [x ** (power + more) / total for power, more in zip(law.powers, exponents, strict=True)] for exponents in (i, j)
    )
    return record, replacement, [x**power / total for power in law.powers]


@singledispatch
def exact_laws(randomizer: Randomizer, x: Fraction) -> list[tuple[Rows, list[int]]]:
    """Returns the rows that a randomizer has at a rational e^eps0, with the answers that each output stands for.

    None where a file has no need of them: rows that an engine found are mixed until they are exact.
    """
    return []


@exact_laws.register(Response)
def _(randomizer: Response, x: Fraction) -> list[tuple[Rows, list[int]]]:
    return list(randomizer.exact_rows(x))


def response(eps0: float, delta0: float) -> tuple[list[Fraction], list[Fraction]]:
    """(eps0, delta0)-randomized response on two inputs; the last two outputs reveal the input."""
    x, delta = below_exp(eps0), Fraction(delta0)
    likely = Fraction(floor(x / (1 + x) * 2**DIGITS), 2**DIGITS) * (1 - delta)
    row = [likely, 1 - delta - likely]
    return ([*row, delta, Fraction(0)], [*row[::-1], Fraction(0), delta]) if delta else (row, row[::-1])


def revealing(rows: Rows, delta0: float) -> Rows:
    """Return the same, but that the record is revealed with probability delta0, by an output that nothing else has."""
    record, replacement, others = rows
    delta = Fraction(delta0)
    return [*((1 - delta) * mass for mass in record), delta], [*replacement, Fraction(0)], [*others, Fraction(0)]


def written(witness: Mapping[str, Any] | None, most: int) -> list[list[float]]:
    """Return the rows of an engine's witness, if it has any of at most so many outputs."""
    found = [(witness or {}).get(name) for name in ("record", "replacement")]
    found.append((witness or {}).get("others") or (witness or {}).get("reference"))
    return [list(row) for row in found if row] if all(row and len(row) <= most for row in found) else []


def distance(rows: Rows, witness: Mapping[str, Any] | None, most: int) -> float:
    """Return how far rows are from those of an engine's witness."""
    found = written(witness, most)
    if not found or len(found[0]) != len(rows[0]):
        return float(len(rows[0]))
    return max(
        abs(float(a) - b) for row, other in zip(rows, found, strict=True) for a, b in zip(row, other, strict=True)
    )


def mixed(rows: Sequence[Sequence[float]]) -> Iterator[Rows]:
    """Yield the rows as rationals of sum 1, mixed with their mean more and more: that lowers all likelihood ratios."""
    exact = []
    for row in rows:
        found = [Fraction(round(Fraction(mass) * 2**DIGITS), 2**DIGITS) for mass in row]
        found[found.index(max(found))] += 1 - sum(found)
        exact.append(found)
    mean = [sum(column, Fraction(0)) / 3 for column in zip(*exact, strict=True)]
    for share in map(Fraction, SHARES):
        record, replacement, others = (
            [(1 - share) * mass + share * middle for mass, middle in zip(row, mean, strict=True)] for row in exact
        )
        yield record, replacement, others


def within(rows: Sequence[Sequence[float]], eps0: float | None) -> Iterator[Rows]:
    """Yield the rows, mixed no more than makes them eps0-DP; none where that is not enough."""
    limit = None if eps0 is None else checker._exp(Fraction(eps0), 0)
    for found in mixed(rows):
        if limit is None or all(max(column) <= limit * min(column) for column in zip(*found, strict=True)):
            yield found
            return
