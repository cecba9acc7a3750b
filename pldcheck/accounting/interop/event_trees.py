"""Privacy loss distributions of dp_accounting's event trees.

Each event is stated for its own adjacency: one record is added or removed for Poisson samples and random allocation;
one record is replaced for randomized response, check-ins and shuffling; the sensitivity of Gaussian and Laplace noise
refers to either.  In a tree with both kinds, one data set has the record and the other a reference record in its place.
Events of the second kind then count with their upper side only, which covers any replacement; their lower side is that
of a mechanism that releases nothing.

Events are recognised by the names of their classes: dp_accounting itself is not needed, and ``to_named_tuple`` of an
event is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import exp, expm1
from typing import Any

import numpy as np

from ...core.directed import UNIT, roundoff
from ...core.errors import ParameterError, PldcheckError
from ...core.parameters import PARAMETERS, range_words
from ...pld import (
    compose_all,
    gaussian,
    gaussian_mixture,
    laplace,
    randomized_response,
    subsampled_gaussian,
    subsampled_laplace,
    truncated_gaussian,
)
from ...pld.discrete_pairs import Cells, from_masses
from ...pld.distribution import LawBounds, Parts, PrivacyLossDistribution
from ...pld.places_in_batch import with_replacement, without_replacement
from ...pld.step_losses import Atoms
from ...randomizers import Worst
from . import amplification_losses

# The largest number of values of a discrete Laplace loss.
MOST_VALUES = 10**4
_NOTHING = Atoms(np.zeros(1), np.ones(1))


class UnsupportedEventError(PldcheckError, ValueError):
    """The error of an event without a known privacy loss distribution; ``position`` is its place in the tree."""

    def __init__(self, event: str, position: str = "") -> None:
        self.event, self.position = event, position
        where = f" at {position}" if position else ""
        names = ", ".join([*_LEAVES, *_AMPLIFICATION_LOSSES, *_TREES])
        super().__init__(f"event {event}{where} cannot be represented as a privacy loss distribution; known: {names}")

    def __reduce__(self):
        return type(self), (self.event, self.position)


def from_event(event: Any, delta: float = 1e-12) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of an event tree.

    A Poisson sample of a Poisson sample is one sample with the product of the rates.  EpsilonDeltaDpEvent, which later
    versions of dp_accounting have, stands for the worst mechanism that is (epsilon, delta)-DP.

    Parameters
    ----------
    event : DpEvent
        An event of dp_accounting or of :mod:`~pldcheck.accounting.interop.amplification_events`, or a tree of them.
    delta : float
        The least delta at which the loss will be used; check-ins, random allocation and shuffling are known only
        coarsely below it.

    Returns
    -------
    PrivacyLossDistribution
        A loss with certified upper and lower sides, which can be composed and evaluated.

    Raises
    ------
    UnsupportedEventError
        If an event has no known loss, such as a Poisson sample of anything but Gaussian or Laplace noise, or random
        allocation of anything but Gaussian noise.  The error names the event and its place in the tree.
    ParameterError
        If a parameter is out of range; noise of 0 is, as a loss that is always infinite cannot be composed.

    """
    names = {_name(one) for one in _leaves(event)}
    return _loss(event, "", _Tree(PARAMETERS["delta"].parse(delta), bool(names & _ADD_REMOVE)))


@dataclass(frozen=True)
class _Tree:
    """Facts that all events of a tree share: the least delta, whether records are added or removed, known losses."""

    delta: float
    add_remove: bool
    memo: dict[tuple[str, str], PrivacyLossDistribution] = field(default_factory=dict)


def _leaves(event: Any) -> Iterator[Any]:
    """Yield the events of a tree that are no compositions."""
    name = _name(event)
    if name == "ComposedDpEvent":
        for one in event.events:
            yield from _leaves(one)
    elif name == "SelfComposedDpEvent":
        yield from _leaves(event.event)
    else:
        yield event


def _loss(event: Any, position: str, tree: _Tree) -> PrivacyLossDistribution:
    name = _name(event)
    if name in _TREES:
        return _TREES[name](event, position, tree)
    if name not in _LEAVES and name not in _AMPLIFICATION_LOSSES:
        raise UnsupportedEventError(name, position)
    # Equal events become the same object, which the engine counts instead of visiting it again.
    key = (name, repr(event))
    if key not in tree.memo:
        loss = (
            _LEAVES[name](event, position)
            if name in _LEAVES
            else _AMPLIFICATION_LOSSES[name](event, position, tree.delta)
        )
        tree.memo[key] = _upper_side_only(loss) if tree.add_remove and name in _REPLACE else loss
    return tree.memo[key]


def _upper_side_only(loss: PrivacyLossDistribution) -> PrivacyLossDistribution:
    """Return the loss with its upper side; its lower side is that of a mechanism that releases nothing."""

    def above(parts: Parts) -> Parts:
        return tuple((LawBounds(sides.upper, _NOTHING), count) for sides, count in parts)

    backward = None if loss.backward is None else above(loss.backward)
    return PrivacyLossDistribution(f"{loss.name}, from above", above(loss.forward), backward)


def _name(event: Any) -> str:
    """Return the name of an event's class, which a named tuple holds as an entry."""
    return str(getattr(event, "class_name", type(event).__name__))


def _nothing() -> PrivacyLossDistribution:
    return PrivacyLossDistribution("nothing", ((LawBounds.exact(_NOTHING), 1),))


def _loss_of_cells(cells: Cells, name: str) -> PrivacyLossDistribution:
    return PrivacyLossDistribution(name, ((cells.law_bounds(), 1),))


def _self_composition_loss(event: Any, position: str, tree: _Tree) -> PrivacyLossDistribution:
    return _loss(event.event, _below(position, "event"), tree).compose(event.count)


def _composition_loss(event: Any, position: str, tree: _Tree) -> PrivacyLossDistribution:
    losses = [_loss(one, _below(position, f"events[{i}]"), tree) for i, one in enumerate(event.events)]
    return compose_all(losses) if losses else _nothing()


def _sample_loss(event: Any, position: str, tree: _Tree) -> PrivacyLossDistribution:
    rate, inner, here = _number("sampling_probability", event, 0.0, 1.0), event.event, _below(position, "event")
    while _name(inner) == "PoissonSampledDpEvent":
        rate *= _number("sampling_probability", inner, 0.0, 1.0)
        inner, here = inner.event, _below(here, "event")
    if rate == 1.0:
        return _loss(inner, here, tree)
    name = _name(inner)
    if name == "NoOpDpEvent" or (name in _SAMPLED_LOSSES and rate == 0.0):
        return _nothing()
    if name not in _SAMPLED_LOSSES:
        has_loss = name in _LEAVES or name in _AMPLIFICATION_LOSSES or name in _TREES
        what = f"PoissonSampledDpEvent of {name}" if has_loss else name
        raise UnsupportedEventError(what, position if has_loss else here)
    key = ("PoissonSampledDpEvent", f"{rate!r} {inner!r}")
    if key not in tree.memo:
        tree.memo[key] = _SAMPLED_LOSSES[name](inner.noise_multiplier, rate)
    return tree.memo[key]


def _response(event: Any, position: str) -> PrivacyLossDistribution:
    """Return the loss of randomized response: the true bucket of k has probability 1 - p + p/k, each other one p/k."""
    buckets = _count("num_buckets", event, 10**15)
    if buckets == 1:
        return _nothing()
    noise = _number("noise_parameter", event, 0.0, 1.0, low_open=True)
    true, other, rest = (1.0 - noise) + noise / buckets, noise / buckets, noise * (buckets - 2) / buckets
    cells = from_masses([true, other, rest], [other, true, rest])
    return _loss_of_cells(cells, f"randomized response ({noise:g} on {buckets})")


def _discrete_laplace(event: Any, position: str) -> PrivacyLossDistribution:
    """Return the loss of discrete Laplace noise x with probability proportional to e^(-a |x|) and sensitivity s.

    The outcomes are x at most 0, x = 1, ..., s - 1, and x at least s; their masses under Q are the reverse.
    """
    rate = _number("noise_parameter", event, 0.0, 700.0, low_open=True)
    sensitivity = _count("sensitivity", event, MOST_VALUES)
    between = -expm1(-rate) * np.exp(-rate * np.arange(1, sensitivity))
    masses = np.concatenate([[1.0], between, [exp(-rate * sensitivity)]]) / (1.0 + exp(-rate))
    losses = rate * np.arange(sensitivity, -sensitivity - 1, -2)
    error = UNIT * (16.0 + 4.0 * rate * sensitivity)
    law = Atoms.of(losses, masses, mass_error=error, loss_error=roundoff(4, rate * sensitivity))
    return PrivacyLossDistribution(f"discrete Laplace ({rate:g}, {sensitivity})", ((LawBounds.exact(law), 1),))


def _mixture(event: Any, position: str) -> PrivacyLossDistribution:
    """Return the loss of Gaussian noise on one of some numbers, each with a probability.

    One number, and 0 and another one, have forms of their own.
    """
    centres, weights = list(event.sensitivities), list(event.sampling_probs)
    if len(centres) == len(weights) == 1:
        return _nothing() if centres[0] == 0.0 else gaussian(event.standard_deviation / centres[0])
    if len(centres) == len(weights) == 2 and 0.0 in centres and sum(weights) == 1.0 and min(weights) > 0.0:
        at = 1 - centres.index(0.0)
        if centres[at] > 0.0:
            return subsampled_gaussian(event.standard_deviation / centres[at], weights[at])
    return gaussian_mixture(event.standard_deviation, centres, weights)


def _truncated(event: Any, position: str) -> PrivacyLossDistribution:
    """Return the loss of Poisson samples that are cut; the size of the data set counts the record that differs."""
    size, most = _count("dataset_size", event, 10**12), _count("truncated_batch_size", event, 10**12)
    if size == 1:
        return subsampled_gaussian(event.noise_multiplier, event.sampling_probability)
    return truncated_gaussian(event.noise_multiplier, event.sampling_probability, size - 1, most)


def _batch(event: Any, position: str) -> PrivacyLossDistribution:
    """Return the loss of batches of one size; the noise is over what replacing one record of a batch changes."""
    inner = event.event
    if _name(inner) != "GaussianDpEvent":
        raise UnsupportedEventError(f"{_name(event)} of {_name(inner)}", position)
    whole, size = _count("source_dataset_size", event, 10**12), _count("sample_size", event, 10**12)
    if _name(event) == "SampledWithReplacementDpEvent":
        # With one record in all, every draw is of it.
        return (
            with_replacement(inner.noise_multiplier, whole - 1, size)
            if whole > 1
            else gaussian(inner.noise_multiplier / size)
        )
    if size > whole:
        raise ParameterError("sample_size", f"at most source_dataset_size = {whole}", size)
    return (
        without_replacement(inner.noise_multiplier, whole - 1, size)
        if size < whole
        else gaussian(inner.noise_multiplier)
    )


def _check_in(event: Any, position: str, delta: float) -> PrivacyLossDistribution:
    steps, eps0, prob = _fields(event, position, "steps", "eps0", "check_in_prob")
    return amplification_losses.check_in(steps, eps0, prob, delta)


def _allocation_loss(event: Any, position: str, delta: float) -> PrivacyLossDistribution:
    steps, selected, inner = _fields(event, position, "num_steps", "num_selected", "event")
    if _name(inner) != "GaussianDpEvent":
        raise UnsupportedEventError(f"RandomAllocationDpEvent of {_name(inner)}", position)
    return amplification_losses.allocation(steps, inner.noise_multiplier, selected, delta)


def _shuffle_loss(event: Any, position: str, delta: float) -> PrivacyLossDistribution:
    """Return the loss of shuffling; the event's randomizer is a budget or an event."""
    clients, inner = _fields(event, position, "clients", "randomizer")
    if isinstance(inner, int | float):
        return amplification_losses.shuffled(clients, inner, Worst(), delta)
    name = _name(inner)
    if name == "RandomizedResponseDpEvent":
        buckets = _count("num_buckets", inner, 10**6)
        noise = _number("noise_parameter", inner, 0.0, 1.0, low_open=True)
        if buckets == 1 or noise == 1.0:
            return _nothing()
        return amplification_losses.shuffled_response(clients, noise, buckets, delta)
    if name == "LaplaceDpEvent":
        return amplification_losses.shuffled_laplace(clients, _noise("scale", inner), delta)
    if name == "GaussianDpEvent":
        return amplification_losses.shuffled_gaussian(clients, _noise("sigma", inner), delta)
    raise UnsupportedEventError(f"ShuffleDpEvent of {name}", position)


def _noise(name: str, event: Any) -> float:
    return float(PARAMETERS[name].parse(event.noise_multiplier))


def _fields(event: Any, position: str, *names: str) -> list[Any]:
    """Return the fields of an event; another class of the same name may not have them."""
    missing = [name for name in names if not hasattr(event, name)]
    if missing:
        raise UnsupportedEventError(f"{_name(event)} without {missing[0]}", position)
    return [getattr(event, name) for name in names]


def _below(position: str, name: str) -> str:
    return f"{position}.{name}" if position else name


def _number(name: str, event: Any, low: float, high: float, *, low_open: bool = False) -> float:
    value = getattr(event, name)
    fits = isinstance(value, int | float | np.number) and not isinstance(value, bool) and low <= value <= high
    if not fits or (low_open and value == low):
        raise ParameterError(name, range_words(low, high, low_open), value)
    return float(value)


def _count(name: str, event: Any, most: int) -> int:
    value = getattr(event, name)
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not 1 <= value <= most:
        raise ParameterError(name, f"an integer {range_words(1, most)}", value)
    return int(value)


_LEAVES: dict[str, Callable[[Any, str], PrivacyLossDistribution]] = {
    "NoOpDpEvent": lambda event, position: _nothing(),
    "GaussianDpEvent": lambda event, position: gaussian(event.noise_multiplier),
    "LaplaceDpEvent": lambda event, position: laplace(event.noise_multiplier),
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "RandomizedResponseDpEvent": _response,
    "MixtureOfGaussiansDpEvent": _mixture,
    "TruncatedSubsampledGaussianDpEvent": _truncated,
    "SampledWithoutReplacementDpEvent": _batch,
    "SampledWithReplacementDpEvent": _batch,
    "EpsilonDeltaDpEvent": lambda event, position: randomized_response(event.epsilon, event.delta),
}
_SAMPLED_LOSSES: dict[str, Callable[[float, float], PrivacyLossDistribution]] = {
    "GaussianDpEvent": subsampled_gaussian,
    "LaplaceDpEvent": subsampled_laplace,
}
_AMPLIFICATION_LOSSES: dict[str, Callable[[Any, str, float], PrivacyLossDistribution]] = {
    "RandomCheckInDpEvent": _check_in,
    "RandomAllocationDpEvent": _allocation_loss,
    "ShuffleDpEvent": _shuffle_loss,
}
# The events that are stated for a record added or removed.
_ADD_REMOVE = {
    "PoissonSampledDpEvent",
    "MixtureOfGaussiansDpEvent",
    "RandomAllocationDpEvent",
    "TruncatedSubsampledGaussianDpEvent",
}
# The events that are stated for a record replaced.
_REPLACE = {
    "RandomizedResponseDpEvent",
    "RandomCheckInDpEvent",
    "ShuffleDpEvent",
    "SampledWithoutReplacementDpEvent",
    "SampledWithReplacementDpEvent",
}
_TREES: dict[str, Callable[[Any, str, _Tree], PrivacyLossDistribution]] = {
    "SelfComposedDpEvent": _self_composition_loss,
    "ComposedDpEvent": _composition_loss,
    "PoissonSampledDpEvent": _sample_loss,
}
