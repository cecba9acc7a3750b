"""One random sample of the records that is used for several releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from .. import pld
from ..core.directed import ends_over_root
from ..core.errors import ParameterError
from ..core.parameters import PARAMETERS, Parameter, Text, Words
from .capabilities import (
    MIXTURE,
    MORE_NOISE,
    MORE_RELEASES,
    NOISE_HAS_NO_TABLE,
    Direction,
    Examples,
    falls,
    rises,
)
from .composed import ComposedMechanism
from .noise_mechanisms import SubsampledGaussian

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution

# The number of samples.
_SAMPLES = replace(PARAMETERS["steps"], help="number of samples, each drawn anew")


@dataclass(frozen=True)
class ReusedSample(ComposedMechanism):
    """One random sample of the records is used for several releases with Gaussian noise, and then drawn anew.

    Each of ``steps`` samples is used ``releases`` times.  ``sigma`` is the noise's deviation over the largest norm of
    what a record of the sample adds to one release, which may depend on all earlier outputs; ``rate`` and ``sampling``
    are those of subsampled-gaussian.  The outputs are seen, the samples are not.

    It is *not* subsampled-gaussian with as many steps in all, where every release has a sample of its own: at sigma 1,
    rate 0.1 and delta 1e-6, ten releases of one sample have epsilon 15.6, and ten samples 3.5.

    It is a subsampled-gaussian with the noise sigma / sqrt(releases): given that a record is in the
    sample, its releases are Gaussian noise so often, which is dominated by Gaussian noise on one vector longer by the
    root of their number, and attained by it; the sampling of dominated mechanisms follows.  For a record replaced in
    Poisson samples the argument of balls-in-bins holds, with one bin.
    """

    sigma: float
    rate: float
    releases: int
    steps: int = 1
    sampling: str = "poisson"
    name: ClassVar[str] = "reused-sample"
    adjacencies: ClassVar[tuple[str, ...]] = SubsampledGaussian.adjacencies
    numbers: ClassVar[tuple[Parameter, ...]] = (_SAMPLES,)
    texts: ClassVar[tuple[Words | Text, ...]] = SubsampledGaussian.texts
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "sigma": falls(MORE_NOISE, 4.0, least=0.5),
            "rate": rises(MIXTURE, 0.01),
            "releases": rises(MORE_RELEASES, 10),
            "steps": rises(MORE_RELEASES, 10),
        }
    )
    unwritten: ClassVar[str] = NOISE_HAS_NO_TABLE
    examples: ClassVar[Examples] = Examples(calibrate=("sigma", 1.0))

    def _check(self) -> None:
        least = PARAMETERS["sigma"].floor
        if ends_over_root(self.sigma, self.releases)[0] < least:
            allowed = f"above {least:g} times the root of releases = {self.releases}"
            raise ParameterError("sigma", allowed, self.sigma)

    @property
    def scope(self) -> str:
        """The way in which records are drawn."""
        return self.samples[0].scope

    @property
    def adjacency(self) -> str:
        """The adjacency: which records differ, which depends on the sampling."""
        return self.samples[0].adjacency

    @property
    def bound_sources(self) -> tuple[str, str]:
        """The sources of both bounds, in words: samples of fixed size have two."""
        return self.samples[0].bound_sources

    @property
    def samples(self) -> tuple[SubsampledGaussian, SubsampledGaussian]:
        """Samples that are used once, with noise rounded down and up: they reveal no less, and no more."""
        more, less = (
            SubsampledGaussian(noise, self.rate, self.steps, self.sampling)
            for noise in ends_over_root(self.sigma, self.releases)
        )
        return more, less

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        more, less = self.samples
        try:
            sides = pld.loss_sides
            return sides.between(sides.Attained(less.loss), sides.Dominating(more.loss))
        except ParameterError as error:
            if error.name != "sigma":
                raise
            allowed = f"{error.domain}, times the root of releases = {self.releases}"
            raise ParameterError("sigma", allowed, self.sigma) from None
