"""The base class of protocols: declared parameters, adjacencies and capabilities, and the answers they may have."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from ..core.adjacencies import EXCHANGED
from ..core.errors import UnknownNameError, Unsupported
from ..core.interval import Interval
from ..core.parameters import PARAMETERS, Parameter, Text, Words
from ..core.usual_names import METHODS
from .answer_relations import Relation, beyond_switches
from .answers_at_each import delta_at_each, epsilon_at_each
from .capabilities import Direction, Examples, Part
from .curve_answers import CurveAnswers
from .group_privacy import GroupPrivacy, group_of

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution

# The quantities of protocols, each a function of one number.
QUANTITIES = ("epsilon", "delta", "renyi", "error")

# The source of both bounds of a composition, in words.
INVERSION = "Fourier inversion of the privacy loss, with all errors bounded"


@dataclass(frozen=True)
class Protocol(CurveAnswers, ABC):
    """A protocol: a frozen dataclass whose fields are its parameters.

    A class declares what is below and overrides the answers that it has; those that it lacks raise
    :class:`~pldcheck.core.errors.Unsupported`.  Its docstring's first paragraph is its summary.  Fields that are
    numbers are entries of :data:`pldcheck.core.parameters.PARAMETERS`; a field that may be None has None as default.

    Attributes
    ----------
    name : str
        The name on the command line and in jobs.
    adjacencies : tuple of str
        The adjacencies of the protocol; a field ``adjacency`` takes one of them, and without it the first holds.
    default_width : float
        Relative width asked of answers by default.
    rough_width : float, optional
        The width at which verification begins, where cheap bounds are often enough.
    slow : bool
        Whether narrow answers cost much more than wide ones.
    texts : tuple
        Fields that are no numbers: the words they take, or how they are written.
    numbers : tuple
        Entries of the parameter table that mean something more special here.
    directions : mapping
        The parameters that can be solved for, each with the direction in which epsilon moves with it.
    lacks : mapping
        The quantities that the protocol does not have, each with the reason.
    bounds : pair of str
        The sources of the lower and the upper bound, in words, for answers without ``sources``.
    unwritten : str
        The reason why the protocol has no witness files; empty where :mod:`pldcheck.witness` can write them.
    examples : Examples
        The options in the examples of the command line.

    """

    name: ClassVar[str]
    adjacencies: ClassVar[tuple[str, ...]]
    default_width: ClassVar[float]
    rough_width: ClassVar[float | None] = None
    slow: ClassVar[bool] = False
    texts: ClassVar[tuple[Words | Text, ...]] = ()
    numbers: ClassVar[tuple[Parameter, ...]] = ()
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType({})
    lacks: ClassVar[Mapping[str, str]] = MappingProxyType({})
    bounds: ClassVar[tuple[str, str]] = (INVERSION, INVERSION)
    unwritten: ClassVar[str] = "nothing turns its lower end into a table of exact probabilities"
    examples: ClassVar[Examples] = Examples()

    @property
    def scope(self) -> str:
        """The data that an answer covers besides its adjacency, in words; no text where the parameters say all."""
        return ""

    def __post_init__(self) -> None:
        optional = {entry.name for entry in fields(self) if entry.default is None}
        values = self.params()
        for name, parameter in self.parameters().items():
            if not isinstance(parameter, Text) and not (values[name] is None and name in optional):
                object.__setattr__(self, name, parameter.parse(values[name]))
        self._check()

    def _check(self) -> None:  # noqa: B027 - most protocols have nothing to refuse
        """Raises ParameterError for parameters that are allowed one by one, but not together."""

    if not TYPE_CHECKING:  # type checkers know which methods there are

        def __getattr__(self, name: str) -> Any:
            """Raise the error of a method that is not there, with what is typed in its place where that is known."""
            if name in METHODS:
                raise AttributeError(f"{type(self).__name__} has no {name}; type {METHODS[name]}", name=name, obj=self)
            return object.__getattribute__(self, name)  # raises Python's own error

    @classmethod
    def parameters(cls) -> dict[str, Parameter | Words | Text]:
        """Return the declared parameters by name, in the order of the fields."""
        own: dict[str, Parameter | Words | Text] = {entry.name: entry for entry in (*cls.texts, *cls.numbers)}
        return {entry.name: own.get(entry.name) or PARAMETERS[entry.name] for entry in fields(cls)}

    @classmethod
    def supports(cls, what: str) -> bool:
        """Return whether the protocol has answers for a quantity: "epsilon", "delta", "renyi", "error" or "losses"."""
        return next((kind for kind in cls.__mro__ if what in vars(kind)), Protocol) is not Protocol

    @classmethod
    def refusal(cls, what: str) -> Unsupported:
        """Return the error that says why the protocol does not have something."""
        return Unsupported(cls.name, what, cls.lacks.get(what, "no certified computation of it is known here"))

    def params(self) -> dict[str, Any]:
        """Return the parameters by name."""
        return {entry.name: vars(self)[entry.name] for entry in fields(self)}

    @property
    def adjacency(self) -> str:
        """The adjacency: which records differ."""
        return self.adjacencies[0]

    @property
    def total_steps(self) -> int | None:
        """The steps of all epochs, where ``steps`` are those of one; None for a protocol without epochs."""
        values = self.params()
        return int(values["epochs"] * values["steps"]) if "epochs" in values else None

    @property
    def exchanged(self) -> Protocol:
        """The protocol whose first law is the second one here: another one for the adjacencies remove and add only."""
        other = EXCHANGED.get(self.adjacency)
        return self if other is None else replace(self, adjacency=other)  # type: ignore[call-arg]

    @property
    def reduced(self) -> Protocol:
        """The protocol that answers in its place: itself, unless it is equivalent to another one."""
        return self

    @property
    def bound_sources(self) -> tuple[str, str]:
        """The sources of the lower and the upper bound, in words, at these parameters."""
        return self.bounds

    @property
    def narrowing(self) -> str:
        """The advice, in words, on how to narrow an answer that is wider than was asked."""
        return "the methods here narrow it no further, and the truth may lie anywhere between"

    @property
    def switches(self) -> Mapping[str, tuple[int, ...]]:
        """Numbers beyond which a narrow method ends, by the parameter with which epsilon falls."""
        return {}

    def relations(self, reached: float, width: float) -> Iterator[Relation]:
        """Yield protocols that assume less and may have a smaller upper end.

        Parameters
        ----------
        reached : float
            The relative width of the answer.
        width : float
            The relative width that was asked for.

        """
        return beyond_switches(self, self.directions, self.switches, reached)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The mechanisms as other accountants know them; a protocol that is no composition is one part of its name."""
        return (Part(self.name, tuple(self.params().items())),)

    def answer(self, quantity: str, at: float, width: float | None = None) -> Interval:
        """Return the quantity of a name.

        Parameters
        ----------
        quantity : {"epsilon", "delta", "renyi", "error"}
        at : float
            The delta of an epsilon, the epsilon of a delta or of an error, or the order of a Rényi divergence.
        width : float in (0, 1), optional
            Relative width asked of the interval; ``default_width`` if it is left out.

        Returns
        -------
        Interval

        Raises
        ------
        UnknownNameError
            If there is no such quantity.
        ParameterError
            If a number is outside its range.
        Unsupported
            If the protocol does not have the quantity.

        Examples
        --------
        >>> from pldcheck import Gaussian
        >>> print(Gaussian(sigma=2.0).answer("epsilon", 1e-6))
        epsilon in [2.2540846..., 2.2540846...]

        """
        methods: dict[str, Callable[[float, float], Interval]] = {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "renyi": self.renyi,
            "error": self.error,
        }
        if quantity not in methods:
            raise UnknownNameError("quantity", quantity, QUANTITIES)
        return methods[quantity](at, self.default_width if width is None else width)

    @epsilon_at_each
    def epsilon(self, delta: float, width: float = 0.0) -> Interval:
        """Return the smallest epsilon such that the protocol is (epsilon, delta)-DP."""
        raise self.refusal("epsilon")

    def pure_epsilon(self) -> Interval:
        """Return epsilon at delta = 0, which is infinite where losses have no largest value.

        ``epsilon(0)`` asks it.  Raises :class:`~pldcheck.core.errors.Unsupported` where it is not known.
        """
        if not self.supports("epsilon"):
            raise self.refusal("epsilon")
        raise Unsupported(self.name, "epsilon at delta = 0", "it is not known here; give a delta above 0")

    @delta_at_each
    def delta(self, epsilon: float, width: float = 0.0) -> Interval:
        """Return the smallest delta such that the protocol is (epsilon, delta)-DP."""
        raise self.refusal("delta")

    def deltas_together(self, epsilons: Sequence[float], width: float) -> tuple[Interval, ...] | None:
        """Return delta at several epsilons >= 0, or None where one by one is as fast."""
        return None

    def renyi(self, order: float, width: float = 0.0) -> Interval:
        """Return the Rényi divergence of an order, the larger of the two directions.

        Parameters
        ----------
        order : float above 1
        width : float in (0, 1)
            Relative width asked of the interval.

        Returns
        -------
        Interval

        Raises
        ------
        ParameterError
            If ``order`` or ``width`` is outside its range.
        Unsupported
            If the protocol has no Rényi divergence.

        """
        raise self.refusal("renyi")

    def error(self, epsilon: float, width: float = 0.0) -> Interval:
        """Return the error of what is released at an epsilon.

        Parameters
        ----------
        epsilon : float above 0
        width : float in (0, 1)
            Relative width asked of the interval.

        Returns
        -------
        Interval

        Raises
        ------
        ParameterError
            If ``epsilon`` or ``width`` is outside its range.
        Unsupported
            If what the protocol releases has no error.

        """
        raise self.refusal("error")

    def for_group(self, records: int) -> GroupPrivacy:
        """Return the same protocol for a group of records: data sets that differ in at most so many records.

        Both ends are those of the same noise over so many records where that is the answer, as for Gaussian noise; else
        the upper end is from a chain of data sets, each with one record changed, and the lower end is that of one
        record.

        Parameters
        ----------
        records : int
            The number of records of the group, from 1 to 100.

        Raises
        ------
        ParameterError
            If the number is not allowed.
        Unsupported
            If the protocol has no answer for delta, or its answers are for one number of records, which data sets
            between the two of a group do not have.

        Examples
        --------
        >>> from pldcheck import Gaussian
        >>> Gaussian(sigma=2.0).for_group(2).epsilon(1e-6) == Gaussian(sigma=1.0).epsilon(1e-6)
        True

        """
        return group_of(self, records)

    def with_group(self, records: int) -> tuple[Protocol, Protocol] | None:
        """Return protocols whose answers are below and above those for a group, or None where none is known."""
        return None

    @property
    def gaussian_ends(self) -> tuple[float, float] | None:
        """Floats around the mu of a protocol that is exactly mu-GDP, or None."""
        return None

    def losses(self, delta: float) -> tuple[PrivacyLossDistribution, ...]:
        """Return privacy loss distributions, to be composed with other mechanisms.

        Parameters
        ----------
        delta : float in (0, 1)
            The least one that will be asked of the composition; below it the losses are coarse.

        Returns
        -------
        tuple of PrivacyLossDistribution
            The upper end of the protocol is the least of their upper ends, the lower one the largest of their lower
            ends.

        Raises
        ------
        Unsupported
            If the protocol has no such losses.

        """
        raise self.refusal("losses")
