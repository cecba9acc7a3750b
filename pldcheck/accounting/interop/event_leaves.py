"""The events of a tree that are no compositions, each with the number of its occurrences, and what kind it is.

A leaf is private for nobody if it has no noise: its loss is infinite and cannot be composed, so those who ask must keep
it apart.  Concentrated leaves, which are known by rho and xi alone, are added up before they have a loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

from .event_names import count_of, event_name, number_of, place_below
from .event_samples import checked_count, sample_rate

# The fields that say how much noise there is, of events that are private for nobody without.
NOISE = {
    "GaussianDpEvent": "noise_multiplier",
    "LaplaceDpEvent": "noise_multiplier",
    "DiscreteLaplaceDpEvent": "noise_parameter",
    "DiscreteGaussianDpEvent": "sigma",
    "MixtureOfGaussiansDpEvent": "standard_deviation",
    "TruncatedSubsampledGaussianDpEvent": "noise_multiplier",
    "SingleEpochTreeAggregationDpEvent": "noise_multiplier",
    "RandomizedResponseDpEvent": "noise_parameter",
}
_BATCHES = ("SampledWithoutReplacementDpEvent", "SampledWithReplacementDpEvent", "RandomAllocationDpEvent")


@dataclass(frozen=True, eq=False)
class Leaf:
    """An event that is no composition, its place in the tree, and how often it occurs."""

    event: Any
    position: str
    count: int

    @property
    def name(self) -> str:
        """The name of the event's class."""
        return event_name(self.event)

    @property
    def key(self) -> tuple[str, str]:
        """A text that equal events share."""
        return self.name, repr(self.event)


def leaves_of(event: Any, position: str = "", count: int = 1) -> Iterator[Leaf]:
    """Yield the leaves of a tree; a sample of everything is no sample."""
    name = event_name(event)
    if name == "ComposedDpEvent":
        for i, one in enumerate(event.events):
            yield from leaves_of(one, place_below(position, f"events[{i}]"), count)
    elif name == "SelfComposedDpEvent":
        copies = checked_count(event.count, place_below(position, "count"))
        yield from leaves_of(event.event, place_below(position, "event"), count * copies)
    elif name == "PoissonSampledDpEvent":
        rate, inner, inner_position = sample_rate(event, position)
        if rate == 1:
            yield from leaves_of(inner, inner_position, count)
        else:
            yield Leaf(event, position, count)
    else:
        yield Leaf(event, position, count)


def has_no_noise(event: Any) -> bool:
    """Return whether an event releases what it is about, or some of it, as it is."""
    name = event_name(event)
    if name == "PoissonSampledDpEvent":
        rate, inner, position = sample_rate(event, "")
        return rate > 0 and any(has_no_noise(leaf.event) for leaf in leaves_of(inner, position))
    if name in _BATCHES:
        return has_no_noise(event.event)
    if name == "EpsilonDeltaDpEvent":
        return event.epsilon == inf or event.delta == 1.0
    if name in ("ExponentialMechanismDpEvent", "PermuteAndFlipDpEvent"):
        return event.epsilon == inf
    if name == "ZCDpEvent":
        return event.rho == inf or event.xi == inf
    if name == "NonPrivateDpEvent":
        return True
    return name in NOISE and getattr(event, NOISE[name], None) == 0 and not _releases_nothing(event, name)


def _releases_nothing(event: Any, name: str) -> bool:
    """Return whether an event without noise is about nothing: one bucket, lengths of 0, samples of no record."""
    if name == "RandomizedResponseDpEvent":
        return event.num_buckets == 1
    if name == "MixtureOfGaussiansDpEvent":
        return not any(c != 0 and p > 0 for c, p in zip(event.sensitivities, event.sampling_probs, strict=False))
    if name == "TruncatedSubsampledGaussianDpEvent":
        return 0 in (event.sampling_probability, event.truncated_batch_size, event.dataset_size)
    if name == "SingleEpochTreeAggregationDpEvent":
        return not (any(event.step_counts) if isinstance(event.step_counts, list | tuple) else event.step_counts)
    return name in ("DiscreteLaplaceDpEvent", "DiscreteGaussianDpEvent") and event.sensitivity == 0


def shown_share(event: Any) -> Fraction:
    """Return a lower bound of the probability with which an event without noise shows the record."""
    name = event_name(event)
    if name == "PoissonSampledDpEvent":
        rate, inner, position = sample_rate(event, "")
        return rate * max(shown_share(leaf.event) for leaf in leaves_of(inner, position) if has_no_noise(leaf.event))
    if name == "SampledWithoutReplacementDpEvent":
        whole, size = count_of("source_dataset_size", event, 10**12), count_of("sample_size", event, 10**12)
        return min(Fraction(size, whole), Fraction(1)) * shown_share(event.event)
    if name == "SampledWithReplacementDpEvent":  # by the first draw
        return Fraction(1, count_of("source_dataset_size", event, 10**12)) * shown_share(event.event)
    if name == "MixtureOfGaussiansDpEvent":
        chances = zip(event.sensitivities, event.sampling_probs, strict=True)
        return min(sum((Fraction(p) for c, p in chances if c != 0), Fraction(0)), Fraction(1))
    return Fraction(0) if name == "TruncatedSubsampledGaussianDpEvent" else Fraction(1)


def concentrated(event: Any) -> tuple[Fraction, Fraction] | None:
    """Return rho and xi of an event that is known by them alone, or None.

    Discrete Gaussian noise on integers of any dimension is s^2/(2 sigma^2)-zCDP for the sensitivity s in the Euclidean
    norm (Canonne, Kamath and Steinke 2020, Theorem 14); for one integer more is known.
    """
    name = event_name(event)
    if name == "ZCDpEvent":
        return Fraction(number_of("rho", event, 0.0, 1e300)), Fraction(number_of("xi", event, 0.0, 1e300))
    if name == "DiscreteGaussianDpEvent" and getattr(event, "dimension", None) != 1:
        sigma = Fraction(number_of("sigma", event, 0.0, 1e300, low_open=True))
        return Fraction(number_of("sensitivity", event, 0.0, 1e300)) ** 2 / (2 * sigma**2), Fraction(0)
    return None
