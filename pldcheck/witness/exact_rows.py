"""Rows of exact output probabilities: of worst-case laws, of known randomizers, and of an engine's witness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import singledispatch
from math import floor, log
from typing import Any

from ..checkers.fixed_point import exp_ends
from ..hidden_slot.worst.step_laws import VERTICES, StepLaw
from ..randomizers import Randomizer, Response

# The binary digits after the point of the probabilities in rows.
DIGITS = 60
# The shares of their mean with which rows are mixed, tried in this order until the rows are eps0-DP: none at first,
# then from round-off upwards.
SHARES = (0.0, *(2.0**-k for k in range(50, 19, -3)))
# The relative round-off granted to the largest loss of a table: more than that of a logarithm and a quotient.
HAIR = 1e-9
# The names of the three rows in a file.
NAMES = ("record", "replacement", "reference")

# The exact output probabilities of the record, of its replacement and of every other draw.
Rows = tuple[Sequence[Fraction], Sequence[Fraction], Sequence[Fraction]]


def below_exp(eps0: float | Fraction, digits: int = DIGITS) -> Fraction:
    """Return a rational number of ``digits`` binary digits after the point that is at most e^eps0, and near it."""
    return Fraction(floor(exp_ends(Fraction(eps0))[0] * 2**digits), 2**digits)


def largest_loss(rows: Sequence[Sequence[Any]]) -> float:
    """Return an eps0, raised by round-off, for which a table of rows is certainly eps0-DP."""
    return float(max(log(max(column) / min(column)) for column in zip(*rows, strict=True))) * (1.0 + HAIR)


def texts(rows: Rows) -> dict[str, list[str]]:
    """Return the rows in the form of a file: ratios as texts."""
    return {name: [str(mass) for mass in row] for name, row in zip(NAMES, rows, strict=True)}


def of_law(law: StepLaw, x: Fraction) -> Rows:
    """Return the three rows of a law, whose likelihood ratios are powers of x."""
    total = sum(x**power for power in law.powers)
    i, j = zip(*(VERTICES[vertex] for vertex in law.name), strict=True)
    record, replacement = (
        [x ** (power + more) / total for power, more in zip(law.powers, exponents, strict=True)] for exponents in (i, j)
    )
    return record, replacement, [x**power / total for power in law.powers]


@singledispatch
def exact_laws(randomizer: Randomizer, x: Fraction) -> list[tuple[Rows, list[int]]]:
    """Return the exact rows of a randomizer at a rational e^eps0, each with the number of answers of every output.

    The list is empty for randomizers whose rows come from an engine's witness instead.
    """
    return []


@exact_laws.register(Response)
def _(randomizer: Response, x: Fraction) -> list[tuple[Rows, list[int]]]:
    return list(randomizer.exact_rows(x))


def response(eps0: float, delta0: float) -> tuple[list[Fraction], list[Fraction]]:
    """Return the two rows of binary (eps0, delta0)-randomized response; the last two outputs reveal the input."""
    x, delta = below_exp(eps0), Fraction(delta0)
    likely = Fraction(floor(x / (1 + x) * 2**DIGITS), 2**DIGITS) * (1 - delta)
    row = [likely, 1 - delta - likely]
    return ([*row, delta, Fraction(0)], [*row[::-1], Fraction(0), delta]) if delta else (row, row[::-1])


def revealing(rows: Rows, delta0: float) -> Rows:
    """Return rows that reveal the record with probability delta0, by an output that only the record can have."""
    record, replacement, others = rows
    delta = Fraction(delta0)
    return [*((1 - delta) * mass for mass in record), delta], [*replacement, Fraction(0)], [*others, Fraction(0)]


def witness_rows(witness: Mapping[str, Any] | None, most: int) -> list[list[float]]:
    """Return the rows of an engine's witness, or an empty list if it has none or more than ``most`` outputs."""
    rows = [(witness or {}).get(name) for name in ("record", "replacement")]
    rows.append((witness or {}).get("others") or (witness or {}).get("reference"))
    return [list(row) for row in rows if row] if all(row and len(row) <= most for row in rows) else []


def distance(rows: Rows, witness: Mapping[str, Any] | None, most: int) -> float:
    """Return the largest difference of rows from the rows of an engine's witness; large if they are not comparable."""
    others = witness_rows(witness, most)
    if not others or len(others[0]) != len(rows[0]):
        return float(len(rows[0]))
    return max(
        abs(float(a) - b) for row, other in zip(rows, others, strict=True) for a, b in zip(row, other, strict=True)
    )


def mixtures(rows: Sequence[Sequence[float]]) -> Iterator[Rows]:
    """Yield the rows as rationals of sum 1, mixed with growing shares of their mean, which lowers likelihood ratios."""
    exact = []
    for row in rows:
        masses = [Fraction(round(Fraction(mass) * 2**DIGITS), 2**DIGITS) for mass in row]
        masses[masses.index(max(masses))] += 1 - sum(masses)
        exact.append(masses)
    mean = [sum(column, Fraction(0)) / 3 for column in zip(*exact, strict=True)]
    for share in map(Fraction, SHARES):
        record, replacement, others = (
            [(1 - share) * mass + share * middle for mass, middle in zip(row, mean, strict=True)] for row in exact
        )
        yield record, replacement, others


def within(rows: Sequence[Sequence[float]], eps0: float | None) -> Iterator[Rows]:
    """Yield the first mixture of the rows with their mean that is eps0-DP, if there is one."""
    limit = None if eps0 is None else exp_ends(Fraction(eps0))[0]
    for mixture in mixtures(rows):
        if limit is None or all(max(column) <= limit * min(column) for column in zip(*mixture, strict=True)):
            yield mixture
            return
