"""Different mechanisms composed, listed as texts or as protocols whose privacy loss distribution is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from .. import pld
from ..core.errors import ParameterError
from ..core.parameters import PARAMETERS, Text, Words, decimal, number_text
from .base import Protocol
from .capabilities import (
    FIXED_SIZE_BOUNDS,
    FIXED_SIZE_SAMPLES,
    KINDS,
    MORE_RELEASES,
    POISSON_SAMPLES,
    Direction,
    Examples,
    Part,
    rises,
)
from .composed import ComposedMechanism

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution

# The forms of a mechanism, as error messages list them.
FORMS = "text such as gaussian:2, a protocol such as Gaussian(2.0), or a list of such"
# How protocols without such a loss are composed.
OTHERS = "pldcheck.accounting.Accountant composes events of many kinds, run.then(...) the parts of a training run"
# The facts about the data that mechanisms on the same records have in common, with what a mechanism without them has.
DATA: Mapping[str, int | None] = MappingProxyType({"records": None, "group": 1})


@dataclass(frozen=True)
class Composition(ComposedMechanism):
    """A list of mechanisms runs on the same records, and the whole list is repeated.

    It is repeated ``steps`` times.  ``mechanism`` lists them as ``NAME:NUMBER[:NUMBER][*COUNT]`` with
    ``rr:EPS0[:DELTA0]``, ``gaussian:SIGMA``, ``laplace:SCALE``, ``discrete-laplace:SCALE``,
    ``discrete-gaussian:SIGMA``, ``subsampled-gaussian:SIGMA:RATE``, ``replaced-subsampled-gaussian:SIGMA:RATE``,
    ``fixed-size-gaussian:SIGMA:RATE``, ``subsampled-rr:EPS0:RATE[:DELTA0]``.  Samples are Poisson's, for a record added
    or removed, or with ``replaced`` in the name or of fixed size, for one that is replaced.

    Entries may also be protocols with a privacy loss distribution ``loss``, such as ``Gaussian(2.0)``.  One that has
    such a text is stored as this text.  The first laws of all entries belong to the same data set.

    >>> from pldcheck import Gaussian, SubsampledGaussian
    >>> Composition([Gaussian(2.0), SubsampledGaussian(1.0, 0.01, 100)], steps=3)
    Composition(mechanism=('gaussian:2', 'subsampled-gaussian:1:0.01*100'), steps=3)
    """

    mechanism: tuple[str | ComposedMechanism, ...]
    steps: int = 1
    name: ClassVar[str] = "composition"
    adjacencies: ClassVar[tuple[str, ...]] = ("any",)
    texts: ClassVar[tuple[Words | Text, ...]] = (
        Text(
            "mechanism",
            "NAME:NUMBER[:NUMBER][*COUNT], such as gaussian:2 or subsampled-gaussian:1.1:256/60000*3525; may be given "
            "several times.",
            several=True,
            beginnings=tuple(f"{kind}:" for kind in KINDS),
        ),
    )
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType({"steps": rises(MORE_RELEASES, 1)})
    unwritten: ClassVar[str] = ""
    examples: ClassVar[Examples] = Examples(
        options="--mechanism rr:0.1*50 --mechanism gaussian:20",
        calibrate=("steps", 5.0),
        compare="--mechanism rr:0.1*50 --mechanism gaussian:20 --delta 1e-6",
        witness="--mechanism rr:0.1*50 --mechanism subsampled-rr:1:0.01*100 --delta 1e-6",
    )

    @property
    def parts(self) -> tuple[Part, ...]:
        """The mechanisms of the list."""
        return tuple(part for entry in self.mechanism for part in _parts(entry, self.steps))

    @property
    def scope(self) -> str:
        """The way in which records are drawn, and the neighbours that it is for, where a mechanism samples."""
        samples = [*map(_sample, self.mechanism)]
        neighbours = {adjacency for adjacency, _ in samples} - {""}
        if not neighbours:
            return ""
        ways = " and ".join(sorted({way for _, way in samples} - {""}))
        return f"{ways} (a record {'replaced' if neighbours == {'replace'} else 'added or removed'})".strip()

    @property
    def bound_sources(self) -> tuple[str, str]:
        """The sources of both bounds, in words: samples of fixed size have two."""
        fixed = any(part.kind == "fixed-size-gaussian" and dict(part.numbers)["rate"] < 1.0 for part in self.parts)
        own = {entry.bound_sources for entry in self.mechanism if not isinstance(entry, str)} - {self.bounds}
        pairs = sorted(own | ({FIXED_SIZE_BOUNDS} if fixed else set()))
        lower, upper = (" and ".join(dict.fromkeys(words)) for words in zip(*pairs or [self.bounds], strict=True))
        return lower, upper

    def _check(self) -> None:
        given = (self.mechanism,) if isinstance(self.mechanism, str | ComposedMechanism) else self.mechanism
        if not isinstance(given, tuple | list):
            raise ParameterError("mechanism", FORMS, self.mechanism)
        for one in given:
            if isinstance(one, Protocol) and not isinstance(one, ComposedMechanism):
                raise ParameterError("mechanism", f"of protocols with one loss, which {one.name} lacks; {OTHERS}", one)
            if not isinstance(one, str | ComposedMechanism):
                raise ParameterError("mechanism", FORMS, self.mechanism)
        entries = tuple(entry for one in given for entry in _entries(one))
        object.__setattr__(self, "mechanism", entries)
        if not entries:
            raise ParameterError("mechanism", "at least one, such as gaussian:2", "none")
        for entry in entries:
            if self._loss_of(entry).is_one_way:
                raise ParameterError("mechanism", "with a loss in both directions", entry)
        # The law of a sample is that of a record added or removed, or that of one replaced.
        samples = {adjacency: entry for entry in entries if (adjacency := _sample(entry)[0])}
        if len(samples) > 1:
            domain = "with samples for a record added or removed or for one replaced, not both (neighbours differ)"
            raise ParameterError("mechanism", domain, " and ".join(map(str, samples.values())))
        for name, without in DATA.items():
            facts = {fact for entry in entries if (fact := getattr(entry, name, without)) is not None}
            if len(facts) > 1:
                raise ParameterError("mechanism", f"on the same data, with one value of {name}", sorted(facts))

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        return pld.compose_all(map(self._loss_of, self.mechanism)).compose(self.steps)

    def _loss_of(self, entry: str | ComposedMechanism) -> PrivacyLossDistribution:
        return self._read_part(entry) if isinstance(entry, str) else entry.loss

    @staticmethod
    def _read_part(text: str) -> PrivacyLossDistribution:
        makers = {
            "rr": (pld.randomized_response, (1, 2)),
            "gaussian": (pld.gaussian, (1,)),
            "laplace": (pld.laplace, (1,)),
            "discrete-laplace": (pld.discrete_laplace, (1,)),
            "discrete-gaussian": (pld.discrete_gaussian, (1,)),
            "subsampled-gaussian": (pld.subsampled_gaussian, (2,)),
            "replaced-subsampled-gaussian": (pld.replaced_subsampled_gaussian, (2,)),
            "fixed-size-gaussian": (pld.fixed_size_gaussian, (2,)),
            "subsampled-rr": (pld.subsampled_randomized_response, (2, 3)),
        }
        kind, _, rest = text.partition(":")
        numbers, star, count = rest.partition("*")
        if kind not in makers:
            raise ParameterError("mechanism", f"one of {', '.join(map(_form, makers))}, each with *COUNT or not", text)
        make, arity = makers[kind]
        values = [_number(part) for part in numbers.split(":") if part]
        if len(values) not in arity:
            raise ParameterError("mechanism", f"{_form(kind)}, with *COUNT or not", text)
        losses = make(*values)  # type: ignore[operator]
        if not star:
            return losses
        try:
            return losses.compose(PARAMETERS["steps"].parse(count))
        except ParameterError as error:
            raise ParameterError("mechanism", f"{_form(kind)}*COUNT, COUNT {error.domain}", text) from None


def _form(kind: str) -> str:
    """Return how a mechanism is written, such as ``rr:EPS0[:DELTA0]``."""
    numbers = KINDS[kind].numbers
    return kind + "".join(f"[:{name.upper()}]" if name == "delta0" else f":{name.upper()}" for name in numbers)


def _number(text: str) -> float:
    try:
        return decimal(text)
    except ValueError:
        raise ParameterError("mechanism", "a name and numbers such as gaussian:2 or rr:0.1*50", text) from None


def _entries(one: str | ComposedMechanism) -> Iterator[str | ComposedMechanism]:
    """Yield the entries that a text or a protocol stands for: texts where the protocol has such, else itself."""
    if isinstance(one, Composition) and one.steps == 1:
        yield from one.mechanism
        return
    parts = () if isinstance(one, str) else one.parts
    if len(parts) != 1 or parts[0].kind not in KINDS:
        yield one
        return
    values = [value for _, value in parts[0].numbers]
    if parts[0].kind.endswith("rr") and not values[-1]:  # a delta0 of 0 is left out
        values = values[:-1]
    text = ":".join([parts[0].kind, *map(number_text, values)])
    yield f"{text}*{parts[0].count}" if parts[0].count > 1 else text


def _sample(entry: str | ComposedMechanism) -> tuple[str, str]:
    """Return the adjacency that an entry is bound to, and the way it draws records; no text where there is none."""
    if isinstance(entry, str):
        part = _part(entry, 1)
        if dict(part.numbers).get("rate", 1.0) == 1.0:
            return "", ""
        way = FIXED_SIZE_SAMPLES if part.kind == "fixed-size-gaussian" else POISSON_SAMPLES
        return KINDS[part.kind].adjacency, way
    if isinstance(entry, Composition):
        samples = [*map(_sample, entry.mechanism)]
        return max(adjacency for adjacency, _ in samples), " and ".join(sorted({way for _, way in samples} - {""}))
    # Responses of a budget are for any neighbours.
    is_free = entry.adjacency == "any" or all(part.kind == "rr" for part in entry.parts)
    return ("" if is_free else entry.adjacency), entry.scope


def _parts(entry: str | ComposedMechanism, steps: int) -> tuple[Part, ...]:
    """Return the mechanisms of an entry, which runs so many times."""
    if isinstance(entry, str):
        return (_part(entry, steps),)
    return tuple(replace(part, count=part.count * steps) for part in entry.parts)


def _part(text: str, steps: int) -> Part:
    """Return the part that ``NAME:NUMBER[:NUMBER][*COUNT]`` describes; its syntax has been checked before."""
    kind, _, rest = text.partition(":")
    numbers, star, count = rest.partition("*")
    values = [decimal(word) for word in numbers.split(":") if word]
    names = KINDS[kind].numbers
    values_by_name = dict.fromkeys(names, 0.0) | dict(zip(names, values, strict=False))
    return Part(kind, tuple(values_by_name.items()), steps * int(PARAMETERS["steps"].parse(count) if star else 1))
