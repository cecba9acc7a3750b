"""Gaussian noise on what a record adds a random number of times, or with a random length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from .. import pld
from ..core.errors import ParameterError
from ..core.parameters import Text, Words, decimal
from .capabilities import MORE_NOISE, MORE_RELEASES, NOISE_HAS_NO_TABLE, Direction, Examples, falls, rises
from .composed import ComposedMechanism

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution

# What a list of lengths looks like, as messages say it.
FORM = "LENGTH:PROBABILITY,LENGTH:PROBABILITY,... in plain digits"


@dataclass(frozen=True)
class GaussianMixture(ComposedMechanism):
    """A record adds a vector of random length to a sum with Gaussian noise; it is added or removed.

    ``lengths`` lists the largest lengths with their probabilities, such as ``1:0.18,2:0.01``; with the rest to 1 the
    record adds nothing.  ``sigma`` is the noise's deviation in the unit of the lengths.  A record that is in a sample
    with some probability is one length; one that has several examples, each sampled by itself, adds 0, 1, 2, ... of
    them with binomial probabilities.  The outputs of all steps are seen, the lengths are not.

    Both ends are the same pair of mixtures, which is attained (:mod:`pldcheck.pld.random_lengths` has the proof, for
    adaptive vectors).
    """

    sigma: float
    lengths: str
    steps: int = 1
    name: ClassVar[str] = "gaussian-mixture"
    adjacencies: ClassVar[tuple[str, ...]] = ("add-remove",)
    texts: ClassVar[tuple[Words | Text, ...]] = (
        Text("lengths", f"The largest lengths of what the record adds, with their probabilities: {FORM}."),
    )
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "sigma": falls(MORE_NOISE, 1.0, least=0.05),
            "steps": rises(MORE_RELEASES, 100),
        }
    )
    unwritten: ClassVar[str] = NOISE_HAS_NO_TABLE
    examples: ClassVar[Examples] = Examples(options="--lengths 1:0.02,2:0.0001", calibrate=("sigma", 1.0))

    def _check(self) -> None:
        self._law_of_lengths()

    def _law_of_lengths(self) -> tuple[list[float], list[float]]:
        if type(self.lengths) is not str:
            raise ParameterError("lengths", f"{FORM}, in a text", self.lengths)
        try:
            pairs = [(decimal(length), decimal(chance)) for length, chance in self._words()]
        except ValueError:
            raise ParameterError("lengths", FORM, self.lengths) from None
        return [length for length, _ in pairs], [chance for _, chance in pairs]

    def _words(self) -> list[list[str]]:
        """Return the words of each pair; whoever unpacks them raises ValueError if they are not two."""
        return [pair.split(":") for pair in self.lengths.replace(" ", "").split(",")]

    @property
    def possible_lengths(self) -> tuple[tuple[float, float], ...]:
        """The lengths above 0 that are possible, with their probabilities."""
        return tuple(pair for pair in zip(*self._law_of_lengths(), strict=True) if all(pair))

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        try:
            return pld.gaussian_mixture(self.sigma, *self._law_of_lengths()).compose(self.steps)
        except ParameterError as error:
            name = "lengths" if error.name == "sensitivities" else error.name
            raise ParameterError(name, error.domain, error.value) from None
