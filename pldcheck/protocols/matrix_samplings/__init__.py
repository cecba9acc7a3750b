"""The ways in which a matrix mechanism uses records: one class a file, and its entry in the table.

Read :mod:`~pldcheck.protocols.matrix_samplings.sampling` first for what a sampling declares, then
:mod:`~pldcheck.protocols.matrix_samplings.one_release` for ends that are those of a single release.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .cyclic_samples import CyclicSamples as CyclicSamples
from .known_order import KnownOrder as KnownOrder
from .random_bins import RandomBins as RandomBins
from .sampling import Sampling as Sampling
from .separated_samples import SeparatedSamples as SeparatedSamples

__all__ = ["CyclicSamples", "KnownOrder", "RandomBins", "SAMPLINGS", "Sampling", "SeparatedSamples"]

_ALL: tuple[type[Sampling], ...] = (CyclicSamples, SeparatedSamples, RandomBins, KnownOrder)
SAMPLINGS: Mapping[str, type[Sampling]] = MappingProxyType({sampling.name: sampling for sampling in _ALL})
