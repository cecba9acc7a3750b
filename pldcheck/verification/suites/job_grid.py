"""One grid of a job: its theorems or its protocol, and the values of the parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import product
from math import prod
from types import MappingProxyType
from typing import Any

from ...core.adjacencies import NEIGHBOURS
from ...core.errors import PldcheckError, UnknownNameError
from ...core.parameters import PARAMETERS
from ...core.usual_names import understood_name
from ...protocols import PROTOCOLS, Protocol
from ...theorems import GIVEN, REGISTRY, Theorem
from .grid_points import GridPoints, Values
from .job_refusals import JobError, number, refusal, width

# The keys of a grid that are not parameters.
SETTINGS = ("theorems", "protocol", "quantity", "zip", "quick", "width", "judge")


@dataclass(frozen=True)
class Grid:
    """A grid of points: all combinations of the values of its axes, of which the last varies fastest.

    Parameters
    ----------
    axes : mapping of str to values
        The values of each parameter: a list, or one value.
    theorems : tuple of str or Theorem
        Ids or theorem objects, each with exactly these parameters.
    protocol : str, optional
        The name of a protocol that is computed without a theorem; a grid has either theorems or a protocol.
    quantity : {"epsilon", "delta", "renyi", "error"}
        The quantity that is computed for ``protocol``.
    zip : tuple of tuple of str
        Groups of parameters whose values are taken together, the first with the first, instead of being combined.
    quick : mapping of str to values
        The values in a quick run, which otherwise takes the first and the last value of each axis.
    width : float, optional
        The relative width of the intervals.
    judge : bool
        Whether intervals are computed for the theorems; if not, only their bounds are.

    Raises
    ------
    JobError
        If a value is not allowed, a parameter is missing, or a name is unknown; the error names the key.

    """

    axes: Mapping[str, Values] = field(hash=False)
    theorems: tuple[Any, ...] = ()
    protocol: str | None = None
    quantity: str = "epsilon"
    zip: tuple[tuple[str, ...], ...] = ()
    quick: Mapping[str, Values] = field(default_factory=dict, hash=False)
    width: float | None = None
    judge: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.judge, bool):
            raise refusal("grid.judge", "true or false", self.judge, ("judge",))
        if bool(self.theorems) == (self.protocol is not None):
            raise JobError("grid must have theorems or a protocol, and not both")
        theorems = [_theorem(entry, place) for place, entry in enumerate(self.theorems)]
        object.__setattr__(self, "theorems", tuple({theorem.id: theorem for theorem in theorems}.values()))
        if self.protocol is not None:
            self._check_protocol()
        elif self.quantity != "epsilon":
            raise JobError("grid.quantity is for a protocol; a theorem has its own", ("quantity",))
        object.__setattr__(self, "width", width(self.width, "grid.width"))
        self._check_names()
        axes = {name: self._values(name, values, "grid", ()) for name, values in self.axes.items()}
        object.__setattr__(self, "axes", MappingProxyType(axes))
        object.__setattr__(self, "zip", tuple(map(tuple, self.zip)))
        self._check_zip()
        for name in self.quick:
            if name not in axes:
                raise JobError(str(UnknownNameError("key of grid.quick", name, axes)), ("quick", name))
        quick = {name: self._values(name, values, "grid.quick", ("quick",)) for name, values in self.quick.items()}
        object.__setattr__(self, "quick", MappingProxyType(quick))
        self._check_quick()
        if self.protocol is not None:
            self._check_texts()

    @property
    def size(self) -> int:
        """The number of cells."""
        return prod(len(rows) for _, rows in self._blocks) * max(len(self.theorems), 1)

    def points(self, quick: bool = False) -> GridPoints:
        """Return the points, each as a dict from parameters to values in the order of the axes; no two are equal."""
        return GridPoints(tuple(self.axes), tuple(self._quick_blocks if quick else self._blocks))

    @cached_property
    def _blocks(self) -> list[tuple[tuple[str, ...], list[Values]]]:
        """The factors of the product: groups of names, and the rows of values that each group takes."""
        return [(group, _zipped_values(group, self.axes)) for group in self._groups]

    @property
    def _quick_blocks(self) -> list[tuple[tuple[str, ...], list[Values]]]:
        return [
            (group, _zipped_values(group, self.quick) if group[0] in self.quick else _ends(rows))
            for group, rows in self._blocks
        ]

    @property
    def _groups(self) -> list[tuple[str, ...]]:
        of = {name: group for group in self.zip for name in group}
        return list(dict.fromkeys(of.get(name, (name,)) for name in self.axes))

    @property
    def _kind(self) -> type[Protocol]:
        return PROTOCOLS[self.protocol or ""]

    def _check_protocol(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise _unknown("protocol", self.protocol, tuple(PROTOCOLS), ("protocol",))
        quantities = tuple(name for name in GIVEN if self._kind.supports(name))
        if self.quantity not in quantities:
            raise _unknown(f"quantity of {self.protocol}", self.quantity, quantities, ("quantity",))
        if not self.judge:
            raise JobError("grid.judge is for theorems; a protocol is not judged", ("judge",))

    def _check_names(self) -> None:
        """Raise JobError unless every axis is a parameter, and every parameter that is needed has an axis."""
        if self.protocol is not None:
            entries = fields(self._kind)
            point = GIVEN[self.quantity]
            mandatory = [entry.name for entry in entries if entry.default is entry.default_factory] + [point]
            names_by_subject = {self.protocol: ([*(entry.name for entry in entries), point], mandatory)}
        else:
            names_by_subject = {
                theorem.id: (list(theorem.parameters), list(theorem.parameters)) for theorem in self.theorems
            }
        everywhere = list(dict.fromkeys(name for names, _ in names_by_subject.values() for name in names))
        for name in self.axes:
            if name not in PARAMETERS and name not in everywhere:
                raise _unknown("key of a grid", name, (*everywhere, *SETTINGS), (name,))
        for subject, (names, mandatory) in names_by_subject.items():
            for name in self.axes:
                if name not in names:
                    raise JobError(f"grid.{name} is no parameter of {subject}; it has {', '.join(names)}", (name,))
            for name in mandatory:
                if name not in self.axes:
                    raise JobError(f"grid.{name} is missing; {subject} needs {', '.join(mandatory)}")

    def _values(self, name: str, values: object, table: str, above: tuple[str, ...]) -> Values:
        entries = tuple(values) if isinstance(values, list | tuple | range) else (values,)
        label = f"{table}.{name}"
        if not entries:
            raise JobError(f"{label} must have at least one value", (*above, name))
        return tuple(
            number(PARAMETERS[name], value, label, (*above, name, place))
            if name in PARAMETERS
            else _text(value, label, (*above, name, place), name == "mechanism")
            for place, value in enumerate(entries)
        )

    def _check_zip(self) -> None:
        used: set[str] = set()
        for place, group in enumerate(self.zip):
            key = ("zip", place)
            for name in group:
                if name not in self.axes:
                    raise _unknown("key in grid.zip", name, tuple(self.axes), key)
            if len(set(group)) != len(group) or len(group) < 2 or used & set(group):
                raise refusal("grid.zip", "groups of two or more keys, each key once", list(map(list, self.zip)), key)
            used |= set(group)
            lengths = {name: len(self.axes[name]) for name in group}
            if len(set(lengths.values())) > 1:
                raise JobError(f"grid.zip must join keys with equally many values, {_lengths(lengths)}", key)

    def _check_quick(self) -> None:
        for group in self._groups:
            lengths = {name: len(self.quick.get(name, ())) for name in group}
            if len(set(lengths.values())) > 1:
                raise JobError(
                    f"grid.quick must have equally many values for zipped keys, {_lengths(lengths)}", ("quick",)
                )

    def _check_texts(self) -> None:
        """Raise JobError if the protocol refuses a text; numbers that exclude each other are left to the cells."""
        parameters = [entry.name for entry in fields(self._kind)]
        first = {name: values[0] for name, values in self.axes.items() if name in parameters}
        texts = [name for name in first if name not in PARAMETERS]
        for axes, above in ((self.axes, ()), (self.quick, ("quick",))):
            names = [name for name in texts if name in axes]
            for combination in product(*(enumerate(axes[name]) for name in names)):
                values = {name: value for name, (_, value) in zip(names, combination, strict=True)}
                try:
                    self._kind(**first | values)
                except PldcheckError as error:
                    about = getattr(error, "name", "")
                    if about in first and about not in texts:
                        continue
                    label = "" if about in parameters else f"{next(iter(names), '')}: "
                    culprit = about if about in parameters else next(iter(names), "")
                    places = {name: place for name, (place, _) in zip(names, combination, strict=True)}
                    key = (*above, culprit, places[culprit]) if culprit in places else ()
                    raise JobError(f"grid.{label}{error}", key) from None


def _theorem(entry: Any, place: int) -> Theorem:
    if isinstance(entry, Theorem):
        if REGISTRY.get(entry.id, entry) != entry:
            raise refusal("grid.theorems", "a theorem with an id of its own", entry.id, ("theorems", place))
        return entry
    if not isinstance(entry, str):
        raise refusal("grid.theorems", "ids of theorems", entry, ("theorems", place))
    if entry not in REGISTRY:
        raise _unknown("theorem", entry, tuple(REGISTRY), ("theorems", place))
    return REGISTRY[entry]


def _unknown(kind: str, name: object, choices: tuple[str, ...], key: tuple[str | int, ...]) -> JobError:
    if not isinstance(name, str):
        return refusal(kind, "a name", name, key)
    return JobError(str(UnknownNameError(kind, name, choices)), key)


def _text(value: object, label: str, key: tuple[str | int, ...], several: bool) -> Any:
    """Return a text, or a tuple of texts for a parameter whose value may be several of them."""
    if several and isinstance(value, list | tuple) and value and all(isinstance(part, str) for part in value):
        return tuple(value)
    if not isinstance(value, str):
        raise refusal(label, "text", value, key)
    if "adjacency" in key:  # rows have the words of here
        return understood_name(value, NEIGHBOURS) or value
    return (value,) if several else value


def _zipped_values(group: tuple[str, ...], values: Mapping[str, Values]) -> list[Values]:
    return list(dict.fromkeys(zip(*(values[name] for name in group), strict=True)))


def _ends(rows: list[Values]) -> list[Values]:
    return list(dict.fromkeys((rows[0], rows[-1])))


def _lengths(lengths: Mapping[str, int]) -> str:
    return "got " + ", ".join(f"{count} of {name}" for name, count in lengths.items())
