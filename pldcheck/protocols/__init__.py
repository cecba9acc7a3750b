"""Protocols: frozen dataclasses of parameters with ``epsilon(delta)`` and ``delta(epsilon)`` as certified intervals.

Read :mod:`~pldcheck.protocols.base` first for what a protocol declares; then any file: each has
one class without numerics, which asks the engine.  :mod:`~pldcheck.protocols.capabilities` has the facts that
calibration, peers and help need, :mod:`~pldcheck.protocols.answer_tables` answers over a parameter.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .answer_tables import AnswerTable as AnswerTable
from .answer_tables import sweep as sweep
from .balls_in_bins import BallsInBins as BallsInBins
from .base import Protocol as Protocol
from .check_in import CheckIn as CheckIn
from .composition import Composition as Composition
from .few_responses_shuffled import PersonalShuffle as PersonalShuffle
from .few_responses_shuffled import SampledShuffle as SampledShuffle
from .fixed_batches import FixedBatches as FixedBatches
from .gaussian_dominance import GaussianDominance as GaussianDominance
from .gaussian_mean import GaussianMean as GaussianMean
from .gaussian_mixture import GaussianMixture as GaussianMixture
from .group_privacy import GroupPrivacy as GroupPrivacy
from .hidden_slot import HiddenSlot as HiddenSlot
from .matrix_mechanism import MatrixMechanism as MatrixMechanism
from .noise_mechanisms import Gaussian as Gaussian
from .noise_mechanisms import Laplace as Laplace
from .noise_mechanisms import SubsampledGaussian as SubsampledGaussian
from .own_mechanisms import OwnMechanism as OwnMechanism
from .own_mechanisms import TableMechanism as TableMechanism
from .random_allocation import RandomAllocation as RandomAllocation
from .randomized_responses import DecayingBudgets as DecayingBudgets
from .randomized_responses import MixedPair as MixedPair
from .randomized_responses import RandomizedResponse as RandomizedResponse
from .randomized_responses import SubsampledRandomizedResponse as SubsampledRandomizedResponse
from .reused_sample import ReusedSample as ReusedSample
from .shuffle import Shuffle as Shuffle
from .shuffled_batches import ShuffledBatches as ShuffledBatches
from .sliding_window import SlidingWindow as SlidingWindow
from .swap import Averaged as Averaged
from .swap import Swap as Swap
from .tradeoff import TradeOff as TradeOff
from .truncated_poisson import TruncatedPoisson as TruncatedPoisson
from .usual_keywords import read_usual_keywords

__all__ = [
    "AnswerTable",
    "Averaged",
    "BallsInBins",
    "CheckIn",
    "Composition",
    "DecayingBudgets",
    "FixedBatches",
    "Gaussian",
    "GaussianDominance",
    "GaussianMean",
    "GaussianMixture",
    "GroupPrivacy",
    "HiddenSlot",
    "Laplace",
    "MatrixMechanism",
    "JUDGEABLE",
    "MixedPair",
    "OwnMechanism",
    "PROTOCOLS",
    "PersonalShuffle",
    "Protocol",
    "RandomAllocation",
    "RandomizedResponse",
    "ReusedSample",
    "SampledShuffle",
    "Shuffle",
    "ShuffledBatches",
    "SlidingWindow",
    "SubsampledGaussian",
    "SubsampledRandomizedResponse",
    "Swap",
    "TableMechanism",
    "TradeOff",
    "TruncatedPoisson",
    "sweep",
]

_ALL: tuple[type[Protocol], ...] = (
    HiddenSlot,
    CheckIn,
    SlidingWindow,
    Shuffle,
    Swap,
    Averaged,
    PersonalShuffle,
    SampledShuffle,
    RandomAllocation,
    BallsInBins,
    ShuffledBatches,
    Composition,
    RandomizedResponse,
    Gaussian,
    Laplace,
    SubsampledGaussian,
    ReusedSample,
    TruncatedPoisson,
    FixedBatches,
    GaussianMixture,
    SubsampledRandomizedResponse,
    MatrixMechanism,
    MixedPair,
    DecayingBudgets,
    GaussianMean,
)
for _protocol in _ALL:
    read_usual_keywords(_protocol)
PROTOCOLS: Mapping[str, type[Protocol]] = MappingProxyType({protocol.name: protocol for protocol in _ALL})
# What theorems may be about: besides, mechanisms that a user states, which the command line has no names for.
JUDGEABLE: Mapping[str, type[Protocol]] = MappingProxyType(
    {**PROTOCOLS, TableMechanism.name: TableMechanism, OwnMechanism.name: OwnMechanism}
)
