"""One hidden slot whose randomizer is known: the functions here choose the engine."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from math import inf, nextafter

from ..core.errors import ParameterError
from ..core.interval import ErrorBudget, Interval, checked_lower
from ..core.parameters import PARAMETERS
from ..pld import PrivacyLossDistribution
from ..pld.curve_candidates import Candidates
from ..pld.loss_sides import Attained, between
from ..randomizers import DiscreteGaussian, Gaussian, Laplace, Randomizer, Worst
from . import known_slot_answers, worst_answers, worst_epochs
from .hidden_slot_problem import HiddenSlotProblem
from .known import bounded_ratio_epochs, bounded_ratio_laws, bounded_ratio_slot, likelihood_epochs, single_slot
from .known.bounded_ratio_laws import RandomizerLaws
from .known.laplace_ratio import LaplaceNoise
from .known.neighbour_pairs import Slots
from .known.noise_ratios import DiscreteGaussianNoise, GaussianInBall
from .worst.worst_lower import single_law, single_law_epsilon

# The least delta at which a curve is resolved while the delta in question is not known yet.
ROUGH_DELTA = 1e-9
# The relative width that is asked of joined laws.
JOINED_WIDTH = 0.005
# Names of bounds.
WORST_UPPER = "the worst randomizer of the same eps0"
ADAPTIVE_UPPER = bounded_ratio_slot.ADAPTIVE_BLOCKS
ADAPTIVE_LOWER = "an adaptive choice of the slots' own records"


def epsilon(slot: HiddenSlotProblem, delta: float, width: float) -> Interval:
    """Return epsilon(delta) of a slot with a known randomizer, at most that of the worst one of its budget."""
    randomizer_laws = _randomizer_laws(slot)
    if slot.epochs == 1:
        interval = _of_one_epoch(slot, randomizer_laws, "epsilon", delta, width)
        if randomizer_laws is None or slot.steps == 1:
            return interval
        worst = _worst(slot, randomizer_laws)
        if worst is not None and _exceeds(interval, worst, single_law_epsilon(worst.slot, delta)[0]):
            interval = _narrower(interval, worst, worst_answers.epsilon(worst, delta, width))
        return _at_most(interval, randomizer_laws.largest)
    one = losses(slot, likelihood_epochs.least_of(delta, slot.epochs), delta)
    interval = bounded_ratio_epochs.epsilon(one, slot.epochs, delta)
    return interval if randomizer_laws is None else _at_most(interval, _largest(slot, randomizer_laws))


def switches(slot: HiddenSlotProblem) -> tuple[int, ...]:
    """Return the numbers of slots beyond which a narrower method ends, for a record replaced: those of noise."""
    if not isinstance(slot.randomizer, Gaussian) or slot.weight < 1.0 or slot.epochs > 1:
        return ()
    return known_slot_answers.switches_of_noise(1.0 / slot.randomizer.sigma)


def delta(slot: HiddenSlotProblem, epsilon: float, width: float) -> Interval:
    """Return delta(epsilon) of a slot with a known randomizer, at most that of the worst one of its budget."""
    randomizer_laws = _randomizer_laws(slot)
    if randomizer_laws is not None and epsilon >= _largest(slot, randomizer_laws):
        return Interval(0.0, 0.0, "delta", ErrorBudget(0.0, 0.0, 0.0))
    if slot.epochs == 1:
        interval = _of_one_epoch(slot, randomizer_laws, "delta", epsilon, width)
        worst = _worst(slot, randomizer_laws) if randomizer_laws is not None and slot.steps > 1 else None
        if worst is None:
            return interval
        if not _exceeds(interval, worst, max(single_law(worst.slot, epsilon, law).delta for law in worst.slot.laws)):
            return interval
        return _narrower(interval, worst, worst_answers.delta(worst, epsilon, width))
    rough = bounded_ratio_epochs.delta(
        losses(slot, likelihood_epochs.least_of(ROUGH_DELTA, slot.epochs)), slot.epochs, epsilon
    )
    least = max(rough.lower, likelihood_epochs.LEAST_DELTA)
    one = losses(slot, likelihood_epochs.least_of(least, slot.epochs), least)
    return bounded_ratio_epochs.delta(one, slot.epochs, epsilon)


def joined_upper_end(slot: HiddenSlotProblem, quantity: str, argument: float) -> float:
    """Return the upper end by the laws of all own records joined for every slot, which certificates verify.

    It is 0 for randomizers whose upper end is another one.
    """
    laws = _randomizer_laws(slot)
    if laws is None:
        return 0.0
    joined = bounded_ratio_slot.dominating_curve(laws, laws.neighbours, slot.steps, slot.weight, JOINED_WIDTH)
    answers = Candidates([joined], [joined], laws.largest)
    ask = answers.epsilon if quantity == "epsilon" else answers.delta
    return ask(argument, JOINED_WIDTH).upper


def losses(
    slot: HiddenSlotProblem, least: float, composed_delta: float | None = None
) -> tuple[PrivacyLossDistribution, ...]:
    """Return privacy loss distributions of one epoch, to be composed; below ``least`` the privacy profile is coarse.

    The upper side of each dominates the epoch.  The upper side of the last one is that of the worst randomizer of this
    budget, as fine as :mod:`pldcheck.hidden_slot.worst_epochs` has it for ``composed_delta``, the delta of all epochs.
    """
    randomizer_laws, noisy = _randomizer_laws(slot), noisy_slots(slot.randomizer, slot)
    if noisy is not None:
        distributions: tuple[PrivacyLossDistribution, ...] = (likelihood_epochs.one_epoch(noisy, least),)
    else:
        distributions = bounded_ratio_epochs.losses(laws_in(slot), slot.steps, slot.weight, least)
    worst = _worst(slot, randomizer_laws) if randomizer_laws is not None else None
    if worst is None:
        return distributions
    coarse = least if composed_delta is None else worst_epochs.least_delta(worst.slot, slot.epochs, composed_delta)
    above = worst_epochs.dominating_loss(worst.slot, coarse)
    return *distributions, *(between(Attained(one), above, one.name) for one in distributions)


def _of_one_epoch(
    slot: HiddenSlotProblem, randomizer_laws: RandomizerLaws | None, quantity: str, argument: float, width: float
) -> Interval:
    """Return the answer of the engine that serves the randomizer."""
    if slot.steps == 1 and (alone := gaussian_alone(slot.randomizer, slot.weight)) is not None:
        if quantity == "epsilon":
            lower, upper, ends = alone.epsilon(argument)
        else:
            ends = alone.delta(argument)
            lower, upper = ends.lower, ends.upper
        budget = ErrorBudget(0.0, ends.truncation, ends.rounding)
        return Interval(
            lower,
            upper,
            quantity,
            budget,
            sources=("the single slot, in closed form", "the single slot, in closed form"),
        )
    noisy = noisy_slots(slot.randomizer, slot)
    if noisy is not None and (randomizer_laws is None or slot.steps > 1):
        ask = known_slot_answers.epsilon if quantity == "epsilon" else known_slot_answers.delta
        return ask(noisy, ((slot.steps, 1),), 1, argument, width)
    candidates = bounded_ratio_slot.candidates(laws_in(slot), slot.steps, slot.weight, width)
    return candidates.epsilon(argument, width) if quantity == "epsilon" else candidates.delta(argument, width)


def _randomizer_laws(slot: HiddenSlotProblem) -> RandomizerLaws | None:
    """Return the laws of a randomizer with bounded ratios, or None for any other randomizer."""
    return bounded_ratio_laws.laws_of(slot.randomizer, slot.eps0, slot.weight, slot.adjacency)


def laws_in(slot: HiddenSlotProblem) -> RandomizerLaws:
    """Return the laws of a randomizer with bounded ratios; raise ParameterError for one that no engine serves."""
    laws = _randomizer_laws(slot)
    if laws is None:
        raise ParameterError("randomizer", "Finite, or of a class that is registered with noisy_slots", slot.randomizer)
    return laws


def _worst(slot: HiddenSlotProblem, randomizer_laws: RandomizerLaws) -> HiddenSlotProblem | None:
    """Return the same slot with the worst randomizer of its budget, or None where that budget is too large.

    Binary randomized response stays what it is: the engine of the worst case has its two laws.  With several epochs the
    adjacency is replacement.  A record that is present or not is a case of replacement: by the slot's own record.
    """
    if randomizer_laws.eps0 > (PARAMETERS["eps0"].high or inf):
        return None
    adjacency = slot.adjacency if slot.epochs == 1 else "replace"
    randomizer = slot.randomizer if slot.is_binary_response else Worst()
    return replace(slot, eps0=randomizer_laws.eps0, randomizer=randomizer, adjacency=adjacency)


def _largest(slot: HiddenSlotProblem, randomizer_laws: RandomizerLaws) -> float:
    """Return an epsilon from which on delta is 0: the number of epochs times that of one epoch."""
    return nextafter(slot.epochs * randomizer_laws.largest, inf) if slot.epochs > 1 else randomizer_laws.largest


def _at_most(interval: Interval, most: float) -> Interval:
    """Return an answer whose upper end is at most ``most``."""
    return interval.meet(Interval(0.0, most, interval.quantity, sources=("", WORST_UPPER)))


def _exceeds(interval: Interval, worst: HiddenSlotProblem, attained: float) -> bool:
    """Return whether the upper end is above a lower end of the worst case, which may narrow it then.

    Where the worst case is the randomizer itself an upper end below it is wrong, and raises.
    """
    if worst.is_binary_response:
        checked_lower(attained, interval.upper)
    return interval.upper > attained


def _narrower(interval: Interval, worst: HiddenSlotProblem, other: Interval) -> Interval:
    """Return an answer with the upper end of the worst case, and its lower end where it is of the same randomizer."""
    if not worst.is_binary_response:
        return _at_most(interval, other.upper)
    return interval.meet(replace(other, sources=(ADAPTIVE_LOWER, ADAPTIVE_UPPER)))


@singledispatch
def noisy_slots(randomizer: Randomizer, slot: HiddenSlotProblem) -> Slots | None:
    """Return the slots of additive noise whose likelihood ratios follow one law; None for other randomizers."""
    return None


@noisy_slots.register(Gaussian)
def _(randomizer: Gaussian, slot: HiddenSlotProblem) -> Slots:
    return _slots_of_noise(GaussianInBall(1.0 / randomizer.sigma), slot)


@noisy_slots.register(DiscreteGaussian)
def _(randomizer: DiscreteGaussian, slot: HiddenSlotProblem) -> Slots:
    return _slots_of_noise(DiscreteGaussianNoise(randomizer.sigma), slot)


@noisy_slots.register(Laplace)
def _(randomizer: Laplace, slot: HiddenSlotProblem) -> Slots | None:
    """Return the slots of Laplace noise for a record that is present or not.

    A replaced record has bounded ratios instead.
    """
    assert slot.eps0 is not None  # this randomizer needs it
    return (
        Slots(LaplaceNoise(slot.eps0), slot.steps, slot.weight, "add-remove") if slot.adjacency == "zero-out" else None
    )


def _slots_of_noise(noise: GaussianInBall | DiscreteGaussianNoise, slot: HiddenSlotProblem) -> Slots:
    return Slots(noise, slot.steps, slot.weight, "add-remove" if slot.adjacency == "zero-out" else "in-ball")


@singledispatch
def gaussian_alone(randomizer: Randomizer, weight: float) -> single_slot.Gaussian | None:
    """Return the closed form of a single slot of Gaussian noise; None for other randomizers."""
    return None


@gaussian_alone.register(Gaussian)
def _(randomizer: Gaussian, weight: float) -> single_slot.Gaussian:
    return single_slot.Gaussian(randomizer.sigma, weight)
