"""Different mechanisms composed, listed as texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from .. import pld
from ..core.errors import ParameterError
from ..core.parameters import PARAMETERS, Text, Words, decimal
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


@dataclass(frozen=True)
class Composition(ComposedMechanism):
    """A list of mechanisms runs on the same records, and the whole list is repeated.

    It is repeated ``steps`` times.  ``mechanism`` lists them as ``NAME:NUMBER[:NUMBER][*COUNT]`` with
    ``rr:EPS0[:DELTA0]``, ``gaussian:SIGMA``, ``laplace:SCALE``, ``discrete-laplace:SCALE``,
    ``discrete-gaussian:SIGMA``, ``subsampled-gaussian:SIGMA:RATE``, ``replaced-subsampled-gaussian:SIGMA:RATE``,
    ``fixed-size-gaussian:SIGMA:RATE``, ``subsampled-rr:EPS0:RATE[:DELTA0]``.  Samples are Poisson's, for a record added
    or removed, or with ``replaced`` in the name or of fixed size, for one that is replaced.
    """

    mechanism: tuple[str, ...]
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
        return tuple(_part(text, self.steps) for text in self.mechanism)

    @property
    def scope(self) -> str:
        """The way in which records are drawn, and the neighbours that it is for, where a mechanism samples."""
        kinds = {part.kind for part in self.parts if dict(part.numbers).get("rate", 1.0) != 1.0}
        if not kinds:
            return ""
        samples = {FIXED_SIZE_SAMPLES if kind == "fixed-size-gaussian" else POISSON_SAMPLES for kind in kinds}
        replaced = all(KINDS[kind].adjacency == "replace" for kind in kinds)
        return f"{' and '.join(sorted(samples))} (a record {'replaced' if replaced else 'added or removed'})"

    @property
    def bound_sources(self) -> tuple[str, str]:
        """The sources of both bounds, in words: samples of fixed size have two."""
        fixed = any(part.kind == "fixed-size-gaussian" and dict(part.numbers)["rate"] < 1.0 for part in self.parts)
        return FIXED_SIZE_BOUNDS if fixed else self.bounds

    def _check(self) -> None:
        texts = (self.mechanism,) if isinstance(self.mechanism, str) else self.mechanism
        if not isinstance(texts, tuple | list) or not all(isinstance(text, str) for text in texts):
            raise ParameterError("mechanism", "text such as gaussian:2, or a list of such", self.mechanism)
        texts = tuple(texts)
        object.__setattr__(self, "mechanism", texts)
        if not texts:
            raise ParameterError("mechanism", "at least one, such as gaussian:2", "none")
        for text in texts:
            self._read_part(text)
        # The law of a sample is that of a record added or removed, or that of one replaced.
        samples = {
            KINDS[part.kind].adjacency: text
            for part, text in zip(self.parts, texts, strict=True)
            if dict(part.numbers).get("rate", 1.0) < 1.0
        }
        if len(samples) > 1:
            domain = "with samples for a record added or removed or for one replaced, not both (neighbours differ)"
            raise ParameterError("mechanism", domain, " and ".join(samples.values()))

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        return pld.compose_all(self._read_part(text) for text in self.mechanism).compose(self.steps)

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


def _part(text: str, steps: int) -> Part:
    """Return the part that ``NAME:NUMBER[:NUMBER][*COUNT]`` describes; its syntax has been checked before."""
    kind, _, rest = text.partition(":")
    numbers, star, count = rest.partition("*")
    values = [decimal(word) for word in numbers.split(":") if word]
    names = KINDS[kind].numbers
    values_by_name = dict.fromkeys(names, 0.0) | dict(zip(names, values, strict=False))
    return Part(kind, tuple(values_by_name.items()), steps * int(PARAMETERS["steps"].parse(count) if star else 1))
