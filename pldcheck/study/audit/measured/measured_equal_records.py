"""Checks of the measured steps of :mod:`pldcheck.theorems.girgis21.reduction_proof`: both sides at a point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any

from ....core.interval import Interval
from . import exact_protocols
from .exact_protocols import RATIO, Check, Law, enclose, vanishes

Row = tuple[Fraction, ...]


def _row(*weights: int) -> Row:
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


# The rows of a table are the laws of the answers to its records; at each output they differ by at most a factor of 3.
TABLES: tuple[tuple[Row, ...], ...] = (
    (_row(3, 1), _row(1, 3)),
    (_row(3, 1, 1), _row(1, 3, 1), _row(1, 1, 3)),
    (_row(6, 2, 4), _row(2, 6, 4), _row(4, 4, 4)),
    (_row(6, 3, 2, 1), _row(3, 5, 2, 2), _row(2, 4, 3, 3)),
)
# The share of the last client's law in every other one.
SHARE = Fraction(1, RATIO)


def _histogram_law(laws: Sequence[Row]) -> Law:
    """Return the law of the histogram of answers, client by client: F(P) of a list of laws."""
    total: dict[tuple[int, ...], Fraction] = {(0,) * len(laws[0]): Fraction(1)}
    for law in laws:
        total = _one_more(total, law)
    return total


def _one_more(total: Law, law: Row) -> dict[tuple[int, ...], Fraction]:
    longer: Counter[Any] = Counter()
    for counts, mass in total.items():
        for symbol, chance in enumerate(law):
            after = (*counts[:symbol], counts[symbol] + 1, *counts[symbol + 1 :])
            longer[after] += mass * chance  # type: ignore[assignment]
    return dict(longer)


def _by_sets(laws: Sequence[Row]) -> Law:
    """Return F(P) by formula (17): for each histogram, a sum over who answers what."""
    total: Counter[Any] = Counter()
    for answers in product(range(len(laws[0])), repeat=len(laws)):
        mass = Fraction(1)
        for law, symbol in zip(laws, answers, strict=True):
            mass *= law[symbol]
        total[tuple(answers.count(symbol) for symbol in range(len(laws[0])))] += mass  # type: ignore[assignment]
    return dict(total)


def _lists(clients: int, kind: int) -> Iterator[tuple[list[Row], Row, Row]]:
    """Yield the laws of the first n - 1 clients, of the last one, and of the last one on the neighbour."""
    for rows in product(TABLES[kind], repeat=clients + 1):
        *others, last, replacement = rows
        if last != replacement:
            yield others, last, replacement


def _rest(law: Row, equal: Row) -> Row:
    return tuple((p - SHARE * q) / (1 - SHARE) for p, q in zip(law, equal, strict=True))


def _subsets(count: int) -> Iterator[tuple[int, ...]]:
    for size in range(count + 1):
        yield from combinations(range(count), size)


def _weight(chosen: tuple[int, ...], count: int) -> Fraction:
    return SHARE ** len(chosen) * (1 - SHARE) ** (count - len(chosen))


def _split(others: list[Row], equal: Row, chosen: tuple[int, ...]) -> list[Row]:
    """Return the first n - 1 laws of (21): the neighbour's for the clients in C, the rest for all others."""
    return [equal if client in chosen else _rest(law, equal) for client, law in enumerate(others)]


def _moment(laws: Sequence[Row], last: Row, replacement: Row, order: int) -> Fraction:
    """Return the moment of the two lists that have ``laws`` in common."""
    common = _histogram_law(laws) if laws else {(0,) * len(last): Fraction(1)}
    p, q = _one_more(common, last), _one_more(common, replacement)
    return sum((q[at] * (mass / q[at]) ** order for at, mass in p.items() if mass), Fraction(0))


def _histograms(clients: int, kind: int) -> tuple[Interval, Interval]:
    distances = (
        exact_protocols.distance(_by_sets([*others, last]), _histogram_law([*others, last]))
        for others, last, _ in _lists(clients, kind)
    )
    return vanishes(max(distances), "total variation")


def _mixture(clients: int, kind: int) -> tuple[Interval, Interval]:
    def distances() -> Iterator[Fraction]:
        for others, last, replacement in _lists(clients, kind):
            for final in (last, replacement):
                mixed: Counter[Any] = Counter()
                for chosen in _subsets(clients - 1):
                    law = _histogram_law([*_split(others, replacement, chosen), final])
                    for at, mass in law.items():
                        mixed[at] += _weight(chosen, clients - 1) * mass  # type: ignore[assignment]
                yield exact_protocols.distance(_histogram_law([*others, final]), dict(mixed))

    return vanishes(max(distances()), "total variation")


def _one_client_more(clients: int, kind: int) -> tuple[Interval, Interval]:
    distances = (
        exact_protocols.distance(
            _histogram_law([*others, last]),
            _one_more(_histogram_law([*others[:left_out], *others[left_out + 1 :], last]), others[left_out]),
        )
        for others, last, _ in _lists(clients, kind)
        for left_out in range(clients - 1)
    )
    return vanishes(max(distances), "total variation")


def _largest(quotients: Callable[[int, int, int], Iterator[Fraction]]) -> Check:
    """Return the check that holds the largest quotient of two sides against 1."""

    def check(clients: int, kind: int, order: int) -> tuple[Interval, Interval]:
        return enclose(max(quotients(clients, kind, order)), "quotient"), enclose(1, "quotient")

    return check


def _convex(clients: int, kind: int, order: int) -> Iterator[Fraction]:
    for others, last, replacement in _lists(clients, kind):
        right = Fraction(0)
        for chosen in _subsets(clients - 1):
            split = _split(others, replacement, chosen)
            right += _weight(chosen, clients - 1) * _moment(split, last, replacement, order)
        yield _moment(others, last, replacement, order) / right


def _monotone(clients: int, kind: int, order: int) -> Iterator[Fraction]:
    for others, last, replacement in _lists(clients, kind):
        left = _moment(others, last, replacement, order)
        for left_out in range(clients - 1):
            yield left / _moment([*others[:left_out], *others[left_out + 1 :]], last, replacement, order)


def _without_the_last(clients: int, kind: int, order: int) -> Iterator[Fraction]:
    """Yield the quotients if the last client is left out: then both lists are the same, and their moment is 1."""
    return (_moment(others, last, replacement, order) for others, last, replacement in _lists(clients, kind))


def _only_equal(clients: int, kind: int, order: int) -> Iterator[Fraction]:
    for others, last, replacement in _lists(clients, kind):
        for chosen in _subsets(clients - 1):
            left = _moment(_split(others, replacement, chosen), last, replacement, order)
            yield left / _moment([replacement] * len(chosen), last, replacement, order)


def _reduced(clients: int, kind: int, order: int) -> Iterator[Fraction]:
    for others, last, replacement in _lists(clients, kind):
        right = sum(
            comb(clients - 1, m)
            * SHARE**m
            * (1 - SHARE) ** (clients - 1 - m)
            * _moment([replacement] * m, last, replacement, order)
            for m in range(clients)
        )
        yield _moment(others, last, replacement, order) / right


CHECKS: Mapping[str, Check] = {
    "girgis-17/law": _histograms,
    "girgis-5.1/mixture": _mixture,
    "girgis-5.2/convex": _largest(_convex),
    "girgis-5.3/one-more": _one_client_more,
    "girgis-5.3/monotone": _largest(_monotone),
    "girgis-5.4/equal": _largest(_only_equal),
    "girgis-3.6/reduction": _largest(_reduced),
}

READINGS: Mapping[str, Mapping[str, Check]] = {
    "girgis-5.3/monotone": {"with the last client left out": _largest(_without_the_last)},
}
