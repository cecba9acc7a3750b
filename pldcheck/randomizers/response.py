"""Randomized response: the true value with a larger probability, each other value with a smaller one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ..core.parameters import PARAMETERS
from .base import Randomizer

# The laws of the outputs on the record, on its replacement and on the value of all other records.
Rows = tuple[list[Fraction], list[Fraction], list[Fraction]]


class Response(Randomizer):
    """The true value with probability x/(x + K - 1), any other of ``categories`` = K with 1/(x + K - 1), x = e^eps0."""

    categories: int

    def exact_rows(self, x: Fraction) -> Iterator[tuple[Rows, list[int]]]:
        """Yield the laws of the outputs on the record, its replacement and the value of all others, at x = e^eps0.

        Values with the same probabilities are merged into one output; the list gives the number of values behind each
        output.  The other records hold one of the two values, or a third one.
        """
        k = self.categories
        groups = {2: [[1, 1]], 3: [[1, 1, 1]]}.get(k, [[1, 1, k - 2], [1, 1, 1, k - 3]])
        for sizes in groups:
            for value in range(min(len(sizes), 3)):
                record, replacement, reference = (
                    [(size + (x - 1) * (j == own)) / (x + k - 1) for j, size in enumerate(sizes)]
                    for own in (0, 1, value)
                )
                yield (record, replacement, reference), sizes


@dataclass(frozen=True)
class Rr(Response):
    """Binary randomized response: the true bit with probability e^eps0/(e^eps0 + 1).

    Examples
    --------
    >>> str(Rr()), Rr().categories
    ('rr', 2)

    """

    kind: ClassVar[str] = "rr"
    form: ClassVar[str] = "rr"
    categories: ClassVar[int] = 2  # type: ignore[misc]


@dataclass(frozen=True)
class Krr(Response):
    """K-ary randomized response on ``categories`` = K values.

    Parameters
    ----------
    categories : int
        K, at least 2.

    Raises
    ------
    ParameterError
        If K is no integer from 2 to a million.

    Examples
    --------
    >>> str(Krr(10))
    'krr:10'

    """

    categories: int
    kind: ClassVar[str] = "krr"
    form: ClassVar[str] = "krr:K"

    def __post_init__(self) -> None:
        object.__setattr__(self, "categories", int(PARAMETERS["categories"].parse(self.categories)))
