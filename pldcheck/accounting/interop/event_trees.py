"""Privacy loss distributions of dp_accounting's event trees.

Each event is stated for its own adjacency: one record is added or removed for Poisson samples and random allocation;
one record is replaced for randomized response, check-ins and shuffling; the sensitivity of Gaussian and Laplace noise
refers to either.  In a tree with both kinds, one data set has the record and the other a reference record in its place.
Events of the second kind then count with their upper side only, which covers any replacement; their lower side is that
of a mechanism that releases nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ...core.parameters import PARAMETERS
from ...pld import compose_all
from ...pld.distribution import PrivacyLossDistribution
from ...pld.law_bounds import LawBounds, Parts
from .event_mechanisms import AMPLIFIED_LOSSES, MECHANISM_LOSSES, NO_LOSS, SAMPLED_LOSSES, nothing
from .event_names import ADD_REMOVE, REPLACE, UnsupportedEventError, event_name, number_of, place_below


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
    names = {event_name(one) for one in _leaves(event)}
    return _loss(event, "", _Tree(PARAMETERS["delta"].parse(delta), bool(names & ADD_REMOVE)))


@dataclass(frozen=True)
class _Tree:
    """Facts that all events of a tree share: the least delta, whether records are added or removed, known losses."""

    delta: float
    add_remove: bool
    memo: dict[tuple[str, str], PrivacyLossDistribution] = field(default_factory=dict)


def _leaves(event: Any) -> Iterator[Any]:
    """Yield the events of a tree that are no compositions."""
    name = event_name(event)
    if name == "ComposedDpEvent":
        for one in event.events:
            yield from _leaves(one)
    elif name == "SelfComposedDpEvent":
        yield from _leaves(event.event)
    else:
        yield event


def _loss(event: Any, position: str, tree: _Tree) -> PrivacyLossDistribution:
    name = event_name(event)
    if name in _TREES:
        return _TREES[name](event, position, tree)
    if name not in MECHANISM_LOSSES and name not in AMPLIFIED_LOSSES:
        raise UnsupportedEventError(name, position)
    # Equal events become the same object, which the engine counts instead of visiting it again.
    key = (name, repr(event))
    if key not in tree.memo:
        loss = (
            MECHANISM_LOSSES[name](event, position)
            if name in MECHANISM_LOSSES
            else AMPLIFIED_LOSSES[name](event, position, tree.delta)
        )
        tree.memo[key] = _upper_side_only(loss) if tree.add_remove and name in REPLACE else loss
    return tree.memo[key]


def _upper_side_only(loss: PrivacyLossDistribution) -> PrivacyLossDistribution:
    """Return the loss with its upper side; its lower side is that of a mechanism that releases nothing."""

    def above(parts: Parts) -> Parts:
        return tuple((LawBounds(sides.upper, NO_LOSS), count) for sides, count in parts)

    backward = None if loss.backward is None else above(loss.backward)
    return PrivacyLossDistribution(f"{loss.name}, from above", above(loss.forward), backward)


def _self_composition_loss(event: Any, position: str, tree: _Tree) -> PrivacyLossDistribution:
    return _loss(event.event, place_below(position, "event"), tree).compose(event.count)


def _composition_loss(event: Any, position: str, tree: _Tree) -> PrivacyLossDistribution:
    losses = [_loss(one, place_below(position, f"events[{i}]"), tree) for i, one in enumerate(event.events)]
    return compose_all(losses) if losses else nothing()


def _sample_loss(event: Any, position: str, tree: _Tree) -> PrivacyLossDistribution:
    rate, inner, here = number_of("sampling_probability", event, 0.0, 1.0), event.event, place_below(position, "event")
    while event_name(inner) == "PoissonSampledDpEvent":
        rate *= number_of("sampling_probability", inner, 0.0, 1.0)
        inner, here = inner.event, place_below(here, "event")
    if rate == 1.0:
        return _loss(inner, here, tree)
    name = event_name(inner)
    if name == "NoOpDpEvent" or (name in SAMPLED_LOSSES and rate == 0.0):
        return nothing()
    if name not in SAMPLED_LOSSES:
        has_loss = name in MECHANISM_LOSSES or name in AMPLIFIED_LOSSES or name in _TREES
        what = f"PoissonSampledDpEvent of {name}" if has_loss else name
        raise UnsupportedEventError(what, position if has_loss else here)
    key = ("PoissonSampledDpEvent", f"{rate!r} {inner!r}")
    if key not in tree.memo:
        tree.memo[key] = SAMPLED_LOSSES[name](inner.noise_multiplier, rate)
    return tree.memo[key]


_TREES: dict[str, Callable[[Any, str, _Tree], PrivacyLossDistribution]] = {
    "SelfComposedDpEvent": _self_composition_loss,
    "ComposedDpEvent": _composition_loss,
    "PoissonSampledDpEvent": _sample_loss,
}
