"""Protocols: frozen dataclasses of parameters with ``epsilon(delta)`` and ``delta(epsilon)`` as certified intervals."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from .check_in import CheckIn as CheckIn
from .composed import Composition as Composition
from .composed import DecayingBudgets as DecayingBudgets
from .composed import Gaussian as Gaussian
from .composed import Laplace as Laplace
from .composed import MixedPair as MixedPair
from .composed import RandomizedResponse as RandomizedResponse
from .composed import SubsampledGaussian as SubsampledGaussian
from .composed import SubsampledRandomizedResponse as SubsampledRandomizedResponse
from .gaussian_mean import GaussianMean as GaussianMean
from .hidden_slot import HiddenSlot as HiddenSlot
from .random_allocation import RandomAllocation as RandomAllocation
from .shuffle import Shuffle as Shuffle
from .sliding_window import SlidingWindow as SlidingWindow
from .swap import Averaged as Averaged
from .swap import Swap as Swap

_ALL: tuple[Any, ...] = (
    HiddenSlot,
    CheckIn,
    SlidingWindow,
    Shuffle,
    Swap,
    Averaged,
    RandomAllocation,
    Composition,
    RandomizedResponse,
    Gaussian,
    Laplace,
    SubsampledGaussian,
    SubsampledRandomizedResponse,
    MixedPair,
    DecayingBudgets,
    GaussianMean,
)
PROTOCOLS: Mapping[str, Any] = MappingProxyType({protocol.name: protocol for protocol in _ALL})
