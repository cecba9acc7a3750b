"""Events under each neighbouring relation: the equivalent event or loss, or the reason why there is none.

Norms of what single records add are bounded by C in Gaussian, Laplace and discrete Laplace events and in trees.  So a
record that is added, removed, or replaced by a record of zeros changes a sum by C, and one that is replaced by any
other record changes it by 2 C, which half the noise, over C, stands for.  Events of all other mechanisms are stated for
the relation in use.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import log, log1p
from types import SimpleNamespace
from typing import Any

from dp_accounting import NeighboringRelation as Relation

from ...pld.discrete_pairs import both
from ...pld.distribution import PrivacyLossDistribution
from ...pld.loss_sides import nothing
from .event_mechanisms import fields_of_response, response_cells
from .event_names import UnsupportedEventError, event_name, fields_of

REMOVE, REPLACE, SPECIAL = Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE, Relation.REPLACE_SPECIAL

_FIXED_SIZE = (
    "the size of the data set is fixed, so that a record is replaced: REPLACE_ONE and REPLACE_SPECIAL are answered"
)
_ONE_RECORD_EACH = "a record is replaced in it, none is added or removed: REPLACE_ONE and REPLACE_SPECIAL are answered"
_ONE_LESS = "it is stated for a record that is added or removed: ADD_OR_REMOVE_ONE and REPLACE_SPECIAL are answered"
_TRUNCATED = (
    "cuts of samples are stated for a record added or removed: ADD_OR_REMOVE_ONE is answered, and so are samples of "
    "any size, PoissonSampledDpEvent, for a record replaced"
)
# The reasons of refusals, by event and relation.
REFUSED: dict[tuple[str, Relation], str] = {
    ("RandomizedResponseDpEvent", REMOVE): _ONE_RECORD_EACH,
    ("SampledWithoutReplacementDpEvent", REMOVE): _FIXED_SIZE,
    ("SampledWithReplacementDpEvent", REMOVE): _FIXED_SIZE,
    ("SingleEpochTreeAggregationDpEvent", REMOVE): (
        "a record that is added or removed moves all later ones to other leaves: REPLACE_ONE and REPLACE_SPECIAL are "
        "answered"
    ),
    ("RandomCheckInDpEvent", REMOVE): _ONE_RECORD_EACH,
    ("ShuffleDpEvent", REMOVE): _ONE_RECORD_EACH,
    ("MixtureOfGaussiansDpEvent", REPLACE): _ONE_LESS,
    ("RandomAllocationDpEvent", REPLACE): _ONE_LESS,
    ("TruncatedSubsampledGaussianDpEvent", REPLACE): _TRUNCATED,
    ("TruncatedSubsampledGaussianDpEvent", SPECIAL): _TRUNCATED,
}


def restated(event: Any, position: str, relation: Relation | None) -> Any:
    """Return the event whose loss, as :mod:`~pldcheck.accounting.interop.event_mechanisms` has it, holds here.

    Raises UnsupportedEventError with the reason where the relation is none of the event's.
    """
    name = event_name(event)
    if relation is None:
        return event
    if (reason := REFUSED.get((name, relation))) is not None:
        raise UnsupportedEventError(f"{name} under {relation.name}", position, reason)
    if relation is REPLACE and name in _DOUBLED:
        return _DOUBLED[name](event, position)
    return event


def special_response(event: Any) -> PrivacyLossDistribution:
    """Return the loss of randomized response on k buckets for a record that is replaced by a special one.

    The special record is reported as a uniform bucket, as in dp_accounting: of the true bucket, of probability
    1 - p + p/k, and all others together, one record has (1/k, 1 - 1/k).
    """
    if (fields := fields_of_response(event)) is None:
        return nothing()
    noise, buckets = fields
    true, share = 1 - Fraction(noise) + Fraction(noise) / buckets, Fraction(1, buckets)
    losses = [log1p(float(buckets * true - 1)), log(noise)]
    cells = response_cells([true, 1 - true], [share, 1 - share], losses)
    return both(cells, f"randomized response ({noise:g} on {buckets}), a special record")


def _event(name: str, **fields: Any) -> Any:
    return SimpleNamespace(class_name=name, **fields)


def _half_noise(event: Any, position: str) -> Any:
    name = event_name(event)
    (noise,) = fields_of(event, position, "noise_multiplier")
    return _event(name, noise_multiplier=0.5 * noise)


def _half_noise_in_trees(event: Any, position: str) -> Any:
    noise, steps = fields_of(event, position, "noise_multiplier", "step_counts")
    return _event("SingleEpochTreeAggregationDpEvent", noise_multiplier=0.5 * noise, step_counts=steps)


def _twice_as_far(event: Any, position: str) -> Any:
    rate, sensitivity = fields_of(event, position, "noise_parameter", "sensitivity")
    return _event("DiscreteLaplaceDpEvent", noise_parameter=rate, sensitivity=2 * sensitivity)


def _half_noise_in_batches(event: Any, position: str) -> Any:
    whole, size, inner = fields_of(event, position, "source_dataset_size", "sample_size", "event")
    if event_name(inner) == "GaussianDpEvent":
        inner = _half_noise(inner, position)
    return _event(event_name(event), source_dataset_size=whole, sample_size=size, event=inner)


# For a record replaced by any other one: the event of the same loss for one that is replaced by zeros.
_DOUBLED: dict[str, Callable[[Any, str], Any]] = {
    "GaussianDpEvent": _half_noise,
    "LaplaceDpEvent": _half_noise,
    "DiscreteLaplaceDpEvent": _twice_as_far,
    "SampledWithoutReplacementDpEvent": _half_noise_in_batches,
    "SampledWithReplacementDpEvent": _half_noise_in_batches,
    "SingleEpochTreeAggregationDpEvent": _half_noise_in_trees,
}
