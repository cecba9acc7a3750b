"""Mechanisms for which there is no protocol here: a table of outputs, or a function that returns a loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from .. import pld
from ..core.errors import ParameterError
from ..core.parameters import Text, Words
from .base import Protocol
from .capabilities import MORE_RELEASES, Direction, rises
from .composed import ComposedMechanism

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution

# What a function may return, as error messages list it.
RETURNED = "one that returns a pldcheck.pld.PrivacyLossDistribution, a protocol, or two lists of probabilities"


@dataclass(frozen=True)
class TableMechanism(ComposedMechanism):
    """A mechanism with finitely many outputs, of which the table is known, runs repeatedly.

    Answers are for the worse of (P, Q) and (Q, P).  They hold for all neighbours if the pair dominates those of all
    neighbours, and for two data sets if it has their laws.

    Parameters
    ----------
    p, q : sequences of numbers, of one length
        The probabilities of the outputs on a data set and on its neighbour.  Floats are read as exact weights whose sum
        is 1 to 1e-9; :class:`fractions.Fraction` and texts such as ``"1/3"`` are exact, and their sum must be 1.
    steps : int
        The number of runs with fresh randomness, whose outputs are all seen.

    Raises
    ------
    ParameterError
        If a number, a sum or a length is not as described.

    Examples
    --------
    >>> print(TableMechanism(["1/3", "2/3"], ["2/3", "1/3"], steps=10).epsilon(1e-3))
    epsilon in [6.87207732284766, 6.87207732284777]

    """

    p: tuple[Any, ...]
    q: tuple[Any, ...]
    steps: int = 1
    name: ClassVar[str] = "table"
    adjacencies: ClassVar[tuple[str, ...]] = ("any",)
    texts: ClassVar[tuple[Words | Text, ...]] = (
        Text("p", "The probabilities of the outputs on a data set.", several=True),
        Text("q", "The probabilities of the same outputs on its neighbour.", several=True),
    )
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType({"steps": rises(MORE_RELEASES, 1)})
    unwritten: ClassVar[str] = ""

    def _check(self) -> None:
        for name in ("p", "q"):
            values = vars(self)[name]
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise ParameterError(name, "a list of probabilities", values)
            entries = tuple(values.tolist() if hasattr(values, "tolist") else map(_read, values))
            object.__setattr__(self, name, entries)
            if any(isinstance(one, Fraction) for one in entries):
                if not all(isinstance(one, Fraction | int) for one in entries):
                    raise ParameterError(name, "of floats or of fractions, not both", entries)
                if sum(entries) != 1:
                    raise ParameterError(name, "of sum 1, as its fractions are exact", str(sum(entries)))
        pld.from_pmf(self.p, self.q)

    @property
    def rows(self) -> tuple[list[Fraction], list[Fraction]]:
        """The exact probabilities that the table stands for, of outputs that are possible."""
        first, second = ([Fraction(one) / sum(map(Fraction, row)) for one in row] for row in (self.p, self.q))
        possible = [place for place, pair in enumerate(zip(first, second, strict=True)) if any(pair)]
        return [first[place] for place in possible], [second[place] for place in possible]

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        return pld.from_pmf(self.p, self.q).compose(self.steps)


def _read(value: Any) -> Any:
    """Return the fraction that a text stands for, and anything else as it is."""
    try:
        return Fraction(value) if isinstance(value, str) else value
    except (ValueError, ZeroDivisionError):
        raise ParameterError("p or q", "of numbers, or texts such as 1/3", value) from None


@dataclass(frozen=True)
class OwnMechanism(ComposedMechanism):
    """A mechanism whose loss a function computes.

    Parameters
    ----------
    function : callable
        A function that returns a :class:`pldcheck.pld.PrivacyLossDistribution` (of a table by
        :func:`pldcheck.pld.from_pmf`, of two densities by :func:`pldcheck.pld.from_density`, of an upper bound of delta
        by :func:`pldcheck.pld.from_curve`, or composed of others), a protocol, or two lists of probabilities, which are
        those of :class:`TableMechanism`.  What it states is taken for true: answers are certain for the loss that it
        returns.
    arguments : tuple of pairs
        The names and values of its arguments.

    Raises
    ------
    ParameterError
        When an answer is asked for, if the function returns anything else.

    Examples
    --------
    >>> def noisy_count(scale):
    ...     return pld.laplace(scale).compose(pld.gaussian(2.0))
    >>> print(OwnMechanism(noisy_count, (("scale", 4.0),)).epsilon(1e-6))
    epsilon in [2.43443531967388, 2.43443531967402]

    """

    function: Callable[..., Any]
    arguments: tuple[tuple[str, Any], ...] = ()
    name: ClassVar[str] = "own-mechanism"
    adjacencies: ClassVar[tuple[str, ...]] = ("any",)
    texts: ClassVar[tuple[Words | Text, ...]] = (
        Text("function", "The function that returns the loss."),
        Text("arguments", "Its arguments, by name.", several=True),
    )
    unwritten: ClassVar[str] = "a loss distribution has no table of exact probabilities"

    def _check(self) -> None:
        if not callable(self.function):
            raise ParameterError("function", RETURNED, self.function)

    @property
    def reduced(self) -> Protocol:
        """The protocol or the table that the function returns; itself where that is a loss."""
        value = self.function(**dict(self.arguments))
        if isinstance(value, Protocol):
            return value.reduced
        if isinstance(value, tuple | list) and len(value) == 2:
            return TableMechanism(*value)
        return self

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        value, instance = self.function(**dict(self.arguments)), self.reduced
        if isinstance(instance, ComposedMechanism) and instance is not self:
            return instance.loss
        if not isinstance(value, pld.PrivacyLossDistribution):
            raise ParameterError("function", RETURNED, value)
        return value
