"""One hidden slot whose randomizer is known: the functions here choose the engine."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from math import inf, nextafter

from ..core.interval import ErrorBudget, Interval
from ..core.parameters import PARAMETERS
from ..pld import PrivacyLossDistribution
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
ROUGH = 1e-9


def epsilon(slot: HiddenSlotProblem, delta: float, width: float) -> Interval:
    """Return epsilon(delta) of a slot with a known randomizer, at most that of the worst one of its budget."""
    known = _known(slot)
    if slot.epochs == 1:
        found = _of_one_epoch(slot, known, "epsilon", delta, width)
        if known is None or slot.steps == 1:
            return found
        worst = _worst(slot, known)
        if worst is not None and found.upper > single_law_epsilon(worst.slot, delta)[0]:
            found = _at_most(found, worst_answers.epsilon(worst, delta, width).upper)
        return _at_most(found, known.largest)
    one = losses(slot, likelihood_epochs.least_of(delta, slot.epochs), delta)
    found = bounded_ratio_epochs.epsilon(one, slot.epochs, delta)
    return found if known is None else _at_most(found, _largest(slot, known))


def delta(slot: HiddenSlotProblem, epsilon: float, width: float) -> Interval:
    """Return delta(epsilon) of a slot with a known randomizer, at most that of the worst one of its budget."""
    known = _known(slot)
    if known is not None and epsilon >= _largest(slot, known):
        return Interval(0.0, 0.0, "delta", ErrorBudget(0.0, 0.0, 0.0))
    if slot.epochs == 1:
        found = _of_one_epoch(slot, known, "delta", epsilon, width)
        worst = _worst(slot, known) if known is not None and slot.steps > 1 else None
        if worst is None or found.upper <= max(single_law(worst.slot, epsilon, law).delta for law in range(3)):
            return found
        return _at_most(found, worst_answers.delta(worst, epsilon, width).upper)
    rough = bounded_ratio_epochs.delta(
        losses(slot, likelihood_epochs.least_of(ROUGH, slot.epochs)), slot.epochs, epsilon
    )
    at = max(rough.lower, likelihood_epochs.LEAST_DELTA)
    one = losses(slot, likelihood_epochs.least_of(at, slot.epochs), at)
    return bounded_ratio_epochs.delta(one, slot.epochs, epsilon)


def losses(slot: HiddenSlotProblem, least: float, asked: float | None = None) -> tuple[PrivacyLossDistribution, ...]:
    """Return privacy loss distributions of one epoch, to be composed; below ``least`` the privacy profile is coarse.

    The upper side of each dominates the epoch.  The upper side of the last one is that of the worst randomizer of this
    budget, as fine as :mod:`pldcheck.hidden_slot.worst_epochs` has it for ``asked``, a delta of so many epochs.
    """
    known, noisy = _known(slot), noisy_slots(slot.randomizer, slot)
    if noisy is not None:
        found: tuple[PrivacyLossDistribution, ...] = (likelihood_epochs.one_epoch(noisy, least),)
    else:
        assert known is not None
        found = bounded_ratio_epochs.losses(known, slot.steps, slot.weight, least)
    worst = _worst(slot, known) if known is not None else None
    if worst is None:
        return found
    coarse = least if asked is None else worst_epochs._least(worst.slot, slot.epochs, asked)
    curve = worst_epochs.curve(worst.slot, coarse)
    return *found, *(bounded_ratio_epochs.replace_upper_side(one, curve) for one in found)


def _of_one_epoch(
    slot: HiddenSlotProblem, known: RandomizerLaws | None, quantity: str, at: float, width: float
) -> Interval:
    """Return the answer of the engine that serves the randomizer."""
    if slot.steps == 1 and (alone := gaussian_alone(slot.randomizer, slot.weight)) is not None:
        if quantity == "epsilon":
            lower, upper, ends = alone.epsilon(at)
        else:
            ends = alone.delta(at)
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
    if noisy is not None and (known is None or slot.steps > 1):
        ask = known_slot_answers.epsilon if quantity == "epsilon" else known_slot_answers.delta
        return ask(noisy, ((slot.steps, 1),), 1, at, width)
    assert known is not None
    found = bounded_ratio_slot.candidates(known, slot.steps, slot.weight, width)
    return found.epsilon(at, width) if quantity == "epsilon" else found.delta(at, width)


def _known(slot: HiddenSlotProblem) -> RandomizerLaws | None:
    """Return the laws of a randomizer with bounded ratios, or None for any other randomizer."""
    return bounded_ratio_laws.laws_of(slot.randomizer, slot.eps0, slot.weight, slot.adjacency)


def _worst(slot: HiddenSlotProblem, known: RandomizerLaws) -> HiddenSlotProblem | None:
    """Return the same slot with the worst randomizer of its budget, or None where that budget is too large.

    With several epochs the adjacency is replacement.  A record that is present or not is a case of replacement: by the
    slot's own record.
    """
    if known.eps0 > (PARAMETERS["eps0"].high or inf):
        return None
    adjacency = slot.adjacency if slot.epochs == 1 else "replace"
    return replace(slot, eps0=known.eps0, randomizer=Worst(), adjacency=adjacency)


def _largest(slot: HiddenSlotProblem, known: RandomizerLaws) -> float:
    """Return an epsilon from which on delta is 0: the number of epochs times that of one epoch."""
    return nextafter(slot.epochs * known.largest, inf) if slot.epochs > 1 else known.largest


def _at_most(found: Interval, most: float) -> Interval:
    """Return an answer whose upper end is at most ``most``.

    A lower end above ``most`` means that one of the two is wrong.
    """
    if found.upper <= most:
        return found
    lower = found.sources[0] if found.sources else ""
    return replace(found, upper=most, sources=(lower, "the worst randomizer of the same eps0"))


@singledispatch
def noisy_slots(randomizer: Randomizer, slot: HiddenSlotProblem) -> Slots | None:
    """Return the slots of additive noise whose likelihood ratios follow one law; None for other randomizers."""
    return None


@noisy_slots.register(Gaussian)
def _(randomizer: Gaussian, slot: HiddenSlotProblem) -> Slots:
    return _unbounded(GaussianInBall(1.0 / randomizer.sigma), slot)


@noisy_slots.register(DiscreteGaussian)
def _(randomizer: DiscreteGaussian, slot: HiddenSlotProblem) -> Slots:
    return _unbounded(DiscreteGaussianNoise(randomizer.sigma), slot)


@noisy_slots.register(Laplace)
def _(randomizer: Laplace, slot: HiddenSlotProblem) -> Slots | None:
    """Return the slots of Laplace noise for a record that is present or not.

    A replaced record has bounded ratios instead.
    """
    assert slot.eps0 is not None  # checked
    return Slots(LaplaceNoise(slot.eps0), slot.steps, slot.weight, "both") if slot.adjacency == "zero-out" else None


def _unbounded(noise: GaussianInBall | DiscreteGaussianNoise, slot: HiddenSlotProblem) -> Slots:
    return Slots(noise, slot.steps, slot.weight, "both" if slot.adjacency == "zero-out" else "in-ball")


@singledispatch
def gaussian_alone(randomizer: Randomizer, weight: float) -> single_slot.Gaussian | None:
    """Return the closed form of a single slot of Gaussian noise; None for other randomizers."""
    return None


@gaussian_alone.register(Gaussian)
def _(randomizer: Gaussian, weight: float) -> single_slot.Gaussian:
    return single_slot.Gaussian(randomizer.sigma, weight)
