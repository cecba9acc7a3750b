"""Gaussian and Laplace noise composed, on all records or on a sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from .. import pld
from ..core.directed import float_above, float_below
from ..core.parameters import PARAMETERS, Text, Words
from .answer_relations import Relation, up_to_rate_one
from .capabilities import (
    FIXED_SIZE_BOUNDS,
    FIXED_SIZE_SAMPLES,
    KINDS,
    MIXTURE,
    MORE_NOISE,
    MORE_RELEASES,
    NOISE_HAS_NO_TABLE,
    POISSON_SAMPLES,
    Direction,
    Examples,
    Part,
    falls,
    part,
    rises,
)
from .composed import ComposedMechanism

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution


# The ways in which records are drawn, each with the kind of mechanism that it makes of Gaussian noise.
SAMPLINGS = {
    "poisson": "subsampled-gaussian",
    "poisson-replaced": "replaced-subsampled-gaussian",
    "fixed-size": "fixed-size-gaussian",
}
# The source of both bounds of Gaussian noise on all records, in words.
GAUSSIAN_FORM = "the closed form of Gaussian noise, rounded outward"


@dataclass(frozen=True)
class Gaussian(ComposedMechanism):
    """The Gaussian mechanism runs repeatedly; ``sigma`` is its standard deviation over the sensitivity."""

    sigma: float
    steps: int = 1
    name: ClassVar[str] = "gaussian"
    adjacencies: ClassVar[tuple[str, ...]] = ("any",)
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "sigma": falls(MORE_NOISE, 1.0),
            "steps": rises(MORE_RELEASES, 1),
        }
    )
    unwritten: ClassVar[str] = NOISE_HAS_NO_TABLE
    bounds: ClassVar[tuple[str, str]] = (GAUSSIAN_FORM, GAUSSIAN_FORM)
    examples: ClassVar[Examples] = Examples(calibrate=("sigma", 1.0), compare="--sigma 10 --steps 100 --delta 1e-6")

    @property
    def parts(self) -> tuple[Part, ...]:
        """One mechanism."""
        return (part(self.name, self.params(), self.steps),)

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        return pld.gaussian(self.sigma).compose(self.steps)

    @property
    def gaussian_ends(self) -> tuple[float, float]:
        """Floats around mu, which is sqrt(steps) / sigma."""
        return pld.gaussian_parameter.root_ends(self.steps / Fraction(self.sigma) ** 2)

    def with_group(self, records: int) -> tuple[Gaussian, Gaussian] | None:
        """Return the mechanism with a k-th of the noise, rounded up and rounded down; None where that is too little."""
        share = Fraction(self.sigma) / records
        if share <= Fraction(PARAMETERS["sigma"].floor):
            return None
        return Gaussian(float_above(share), self.steps), Gaussian(float_below(share), self.steps)


@dataclass(frozen=True)
class Laplace(ComposedMechanism):
    """The Laplace mechanism runs repeatedly; ``scale`` is its scale over the sensitivity."""

    scale: float
    steps: int = 1
    name: ClassVar[str] = "laplace"
    adjacencies: ClassVar[tuple[str, ...]] = ("any",)
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "scale": falls(MORE_NOISE, 1.0, least=1e-3),
            "steps": rises(MORE_RELEASES, 1),
        }
    )
    unwritten: ClassVar[str] = NOISE_HAS_NO_TABLE
    examples: ClassVar[Examples] = Examples(calibrate=("scale", 1.0), compare="--scale 10 --steps 100 --delta 1e-6")

    @property
    def parts(self) -> tuple[Part, ...]:
        """One mechanism."""
        return (part(self.name, self.params(), self.steps),)

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        return pld.laplace(self.scale).compose(self.steps)

    def with_group(self, records: int) -> tuple[Laplace, Laplace] | None:
        """Return the mechanism with a k-th of the noise, rounded up and rounded down; None where that is too little."""
        share = Fraction(self.scale) / records
        if share <= Fraction(PARAMETERS["scale"].floor):
            return None
        return Laplace(float_above(share), self.steps), Laplace(float_below(share), self.steps)


@dataclass(frozen=True)
class SubsampledGaussian(ComposedMechanism):
    """The Gaussian mechanism runs repeatedly, each time on a fresh random sample of the records (DP-SGD).

    ``sampling``: ``"poisson"`` (each record with probability ``rate``; a record added or removed),
    ``"poisson-replaced"`` (the same samples; a record replaced by another one, ``sigma`` still over the largest length
    of what one record adds) or ``"fixed-size"`` (a share ``rate`` of the records, without replacement; a record
    replaced, ``sigma`` relative to what replacing one sampled record changes).  The worse of both directions.  The
    outputs of all steps are seen, the samples are not.
    """

    sigma: float
    rate: float
    steps: int = 1
    sampling: str = "poisson"
    name: ClassVar[str] = "subsampled-gaussian"

    adjacencies: ClassVar[tuple[str, ...]] = ("add-remove", "replace")
    texts: ClassVar[tuple[Words | Text, ...]] = (
        Words(
            "sampling",
            "How records are drawn, and which differ: with poisson one is added or removed, with poisson-replaced "
            "and fixed-size one is replaced; with fixed-size, sigma is over the change that this makes to the sum",
            tuple(SAMPLINGS),
        ),
    )
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "sigma": falls(MORE_NOISE, 1.0, least=0.025),
            "rate": rises(MIXTURE, 0.01),
            "steps": rises(MORE_RELEASES, 100),
        }
    )
    unwritten: ClassVar[str] = NOISE_HAS_NO_TABLE
    examples: ClassVar[Examples] = Examples(
        calibrate=("sigma", 1.0), compare="--sigma 1 --rate 0.01 --steps 1000 --delta 1e-6"
    )

    @property
    def scope(self) -> str:
        """The way in which records are drawn."""
        return FIXED_SIZE_SAMPLES if self.sampling == "fixed-size" else POISSON_SAMPLES

    @property
    def parts(self) -> tuple[Part, ...]:
        """One mechanism."""
        return (part(SAMPLINGS[self.sampling], self.params(), self.steps),)

    @property
    def bound_sources(self) -> tuple[str, str]:
        """The sources of both bounds, in words: samples of fixed size have two."""
        return FIXED_SIZE_BOUNDS if self.sampling == "fixed-size" and self.rate < 1.0 else self.bounds

    @property
    def adjacency(self) -> str:
        """The adjacency: which records differ, which depends on the sampling."""
        return KINDS[SAMPLINGS[self.sampling]].adjacency

    def relations(self, reached: float, width: float) -> Iterator[Relation]:
        """Yield protocols that assume less: at a rate next to 1, all records."""
        yield from super().relations(reached, width)
        yield from up_to_rate_one(self, self.directions, reached)

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        one = {
            "poisson": pld.subsampled_gaussian,
            "poisson-replaced": pld.replaced_subsampled_gaussian,
            "fixed-size": pld.fixed_size_gaussian,
        }[self.sampling]
        return one(self.sigma, self.rate).compose(self.steps)
