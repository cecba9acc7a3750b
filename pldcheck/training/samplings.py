"""The ways in which a data loader draws batches, each with its definition and the protocol that it makes of a run.

A sampling is asked through two protocols, one that reveals at most as much as the run and one that reveals at least as
much: they differ where a rate such as 256/60000 or a root is no double.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from ..core.directed import float_above, float_below
from ..core.errors import ParameterError
from ..core.interval import Interval
from ..pld import PrivacyLossDistribution, compose_all, gaussian_parameter
from ..protocols import BallsInBins, FixedBatches, Gaussian, Protocol, RandomAllocation, SubsampledGaussian
from ..protocols.composed import ComposedMechanism
from . import shuffled_epochs
from .training_phase import Phase, least_of_an_epoch

# Neighbours of a training run: a record is added or removed, or it is replaced by another one.
ADD_REMOVE, REPLACE = "add-remove", "replace"
NEIGHBOURS = (ADD_REMOVE, REPLACE)

Phases = Sequence[Phase]
# A protocol that reveals at most as much as a phase, and one that reveals at least as much.
Pair = tuple[Protocol, Protocol]
# The answer of a quantity ("epsilon" or "delta") at a number, with a relative width, for neighbours.
Answer = Callable[[Phases, str, str, float, float], Interval]


@dataclass(frozen=True)
class Sampling:
    """A way in which batches are drawn.

    Attributes
    ----------
    name : str
        The word for it.
    definition : str
        How a batch is drawn, in words.
    used_by : str
        Who draws so, in words.
    last_batch : str
        What becomes of a last, smaller batch, in words.
    adjacencies : mapping
        The adjacency of the answer, by the neighbours that a run is asked for.
    answer : callable
        The interval of a quantity, of all phases of a run.

    """

    name: str
    definition: str
    used_by: str
    last_batch: str
    adjacencies: Mapping[str, str]
    answer: Answer


def _poisson(rates: Callable[[Phase], tuple[float, float]]) -> Answer:
    def pair(phase: Phase, neighbours: str) -> Pair:
        sampling = "poisson" if neighbours == ADD_REMOVE else "poisson-replaced"
        less, more = (SubsampledGaussian(phase.sigma, rate, phase.steps, sampling) for rate in rates(phase))
        return less, more

    return _phase_by_phase(pair)


def _fixed_size(phase: Phase, neighbours: str) -> Pair:
    if phase.batch == phase.records:  # nothing is drawn, and no other record takes the place of one
        whole = Gaussian(phase.sigma if neighbours == ADD_REMOVE else 0.5 * phase.sigma, phase.steps)
        return whole, whole
    # A record that is replaced moves a sum by two clipping norms; halving is exact.  To zero it is a special case: in
    # the proof another record may take its place in the batch, which moves a sum by two.  From below, others add 0.
    less, more = (
        FixedBatches(noise, phase.records - 1, phase.batch, phase.steps) for noise in (phase.sigma, 0.5 * phase.sigma)
    )
    return (less, more) if neighbours == ADD_REMOVE else (more, more)


def _allocation(phase: Phase, neighbours: str) -> Pair:
    run = RandomAllocation(phase.batches, phase.sigma, epochs=phase.epochs, adjacency=neighbours)
    return run, run


def _bins(phases: Phases, neighbours: str, quantity: str, at: float, width: float) -> Interval:
    """Return the answer where the bins are kept in all phases.

    A bin's likelihood ratio is the product of those of its steps, as in :class:`~pldcheck.protocols.BallsInBins`: that
    of one step whose squared signal to noise is the sum of theirs.
    """
    first, *later = phases
    if not later:
        return BallsInBins(first.batches, first.sigma, first.epochs, neighbours).answer(quantity, at, width)
    if any(one.batches != first.batches for one in later):
        raise ParameterError("batch", "the same in all phases with balls-in-bins, whose bins are kept", later[0].batch)
    signal = gaussian_parameter.root_ends(sum((one.epochs / Fraction(one.sigma) ** 2 for one in phases), Fraction(0)))
    noises = float_above(1 / Fraction(signal[0])), float_below(1 / Fraction(signal[1]))
    less, more = (RandomAllocation(first.batches, noise, adjacency=neighbours) for noise in noises)
    return _between((less, more), quantity, at, width)


def _phase_by_phase(pair: Callable[[Phase, str], Pair]) -> Answer:
    """Return the answer of a sampling that draws anew in each phase."""

    def answer(phases: Phases, neighbours: str, quantity: str, at: float, width: float) -> Interval:
        pairs = [pair(phase, neighbours) for phase in phases]
        if len(pairs) == 1:
            return _between(pairs[0], quantity, at, width)
        least = least_of_an_epoch(at if quantity == "epsilon" else None, phases)
        below, above = (_composed((one[side] for one in pairs), least) for side in (0, 1))
        upper: Interval = getattr(above, quantity)(at)
        same = all(less == more for less, more in pairs)
        return upper if same else upper.with_lower(getattr(below, quantity)(at), upper.budget)

    return answer


def _between(pair: Pair, quantity: str, at: float, width: float) -> Interval:
    less, more = pair
    upper = more.answer(quantity, at, width)
    return upper if less == more else upper.with_lower(less.answer(quantity, at, width), upper.budget)


def _composed(protocols: Iterable[Protocol], least: float) -> PrivacyLossDistribution:
    return compose_all(one.loss if isinstance(one, ComposedMechanism) else one.losses(least)[0] for one in protocols)


_SAME = MappingProxyType({ADD_REMOVE: ADD_REMOVE, REPLACE: REPLACE})
# The number of records stays as it is: the record's gradient is there, or zero in its place.
_ZEROED = MappingProxyType({ADD_REMOVE: "zero-out", REPLACE: REPLACE})
_ANEW = "there is none: every step draws anew"

_ALL = (
    Sampling(
        "poisson",
        "each record is in each batch with probability batch/records, independently",
        "the analysis of most papers",
        f"{_ANEW}, {{batch}} records on average",
        _SAME,
        _poisson(lambda phase: phase.rates),
    ),
    Sampling(
        "opacus",
        "each record is in each batch with probability 1/batches, independently",
        "the default of Opacus' PrivacyEngine",
        f"{_ANEW}, one in {{batches}} records on average",
        _SAME,
        _poisson(lambda phase: phase.rates_of_loader),
    ),
    Sampling(
        "fixed-size",
        "each batch is a uniformly random set of exactly so many records, drawn anew in each step",
        "fixed_dpsgd_event of jax_privacy",
        f"{_ANEW}, {{batch}} records exactly",
        _ZEROED,
        _phase_by_phase(_fixed_size),
    ),
    Sampling(
        "shuffled",
        "each epoch runs through a new random permutation of the records, cut into batches",
        "a plain DataLoader with shuffle=True, and most training scripts",
        "of {last} records; the answer holds whether it is used or dropped",
        _ZEROED,
        shuffled_epochs.answer,
    ),
    Sampling(
        "random-allocation",
        "each record is put into one batch of each epoch, chosen uniformly, anew in each epoch",
        "loaders written for it",
        "there is none: sizes are random",
        _SAME,
        _phase_by_phase(_allocation),
    ),
    Sampling(
        "balls-in-bins",
        "each record is put into one batch, chosen uniformly, once: all epochs have the same batches",
        "BallsInBinsSampling of jax_privacy",
        "there is none: sizes are random",
        _SAME,
        _bins,
    ),
)
SAMPLINGS: Mapping[str, Sampling] = MappingProxyType({one.name: one for one in _ALL})
