"""Event trees against losses put together by hand."""

import copy
import pickle
import re
from math import exp, log
from types import SimpleNamespace

import dp_accounting as dpa
import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import privacy_loss_distribution as dpa_pld
from scipy.integrate import quad

from pldcheck import pld
from pldcheck.accounting.interop import UnsupportedEventError, event_mechanisms, event_names, from_event
from pldcheck.core.errors import ParameterError
from pldcheck.pld import subsampled_laplace
from pldcheck.pld.places_in_batch import with_replacement, without_replacement

GAUSSIAN = dpa.GaussianDpEvent(2.0)
LAPLACE = dpa.LaplaceDpEvent(3.0)
RESPONSE = dpa.RandomizedResponseDpEvent(0.5, 2)
EPSILONS = [0.0, 0.2, 0.6, 1.3, 2.0]


def same(one, other):
    a, b = one.delta(EPSILONS), other.delta(EPSILONS)
    return np.all(a.lower <= b.upper) and np.all(b.lower <= a.upper) and np.all(a.upper <= b.upper * (1 + 1e-4))


@pytest.mark.parametrize(
    ("event", "reference"),
    [
        (GAUSSIAN, pld.gaussian(2.0)),
        (LAPLACE, pld.laplace(3.0)),
        (RESPONSE, pld.randomized_response(log(3.0))),
        (dp_event.DiscreteLaplaceDpEvent(0.7, 1), pld.discrete_laplace(1 / 0.7)),
        (dpa.PoissonSampledDpEvent(0.1, GAUSSIAN), pld.subsampled_gaussian(2.0, 0.1)),
        (dpa.PoissonSampledDpEvent(1.0, LAPLACE), pld.laplace(3.0)),
        (
            dpa.PoissonSampledDpEvent(0.5, dpa.PoissonSampledDpEvent(0.5, GAUSSIAN)),
            pld.subsampled_gaussian(2.0, 0.25),
        ),
        (dpa.PoissonSampledDpEvent(0.0, GAUSSIAN), pld.from_pmf([1.0], [1.0])),
        (dpa.PoissonSampledDpEvent(0.5, dpa.NoOpDpEvent()), pld.from_pmf([1.0], [1.0])),
        (dpa.PoissonSampledDpEvent(0.2, LAPLACE), subsampled_laplace(3.0, 0.2)),
        (dpa.SelfComposedDpEvent(GAUSSIAN, 9), pld.gaussian(2.0 / 3.0)),
        (
            dpa.ComposedDpEvent([dpa.SelfComposedDpEvent(GAUSSIAN, 2), dpa.NoOpDpEvent(), LAPLACE]),
            pld.gaussian(2.0).compose(2).compose(pld.laplace(3.0)),
        ),
        (
            dpa.SelfComposedDpEvent(dpa.ComposedDpEvent([dpa.PoissonSampledDpEvent(0.1, GAUSSIAN), GAUSSIAN]), 3),
            pld.subsampled_gaussian(2.0, 0.1).compose(3).compose(pld.gaussian(2.0).compose(3)),
        ),
        (dpa.ComposedDpEvent([]), pld.from_pmf([1.0], [1.0])),
        (dp_event.MixtureOfGaussiansDpEvent(4.0, [0.0, 2.0], [0.9, 0.1]), pld.subsampled_gaussian(2.0, 0.1)),
        (dp_event.MixtureOfGaussiansDpEvent(4.0, [2.0], [1.0]), pld.gaussian(2.0)),
        (dp_event.MixtureOfGaussiansDpEvent(4.0, [0.0], [1.0]), pld.from_pmf([1.0], [1.0])),
        (
            dp_event.MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0, 2.0], [0.5, 0.25, 0.25]),
            pld.gaussian_mixture(1.0, [1.0, 2.0], [0.25, 0.25]),
        ),
        (dpa.SampledWithoutReplacementDpEvent(10, 2, GAUSSIAN), without_replacement(2.0, 9, 2)),
        (dpa.SampledWithoutReplacementDpEvent(10, 10, GAUSSIAN), pld.gaussian(2.0)),
        (dpa.SampledWithReplacementDpEvent(10, 12, GAUSSIAN), with_replacement(2.0, 9, 12)),
        (dpa.SampledWithReplacementDpEvent(1, 4, GAUSSIAN), pld.gaussian(0.5)),
        (dpa.RandomizedResponseDpEvent(0.3, 1), pld.from_pmf([1.0], [1.0])),
    ],
    ids=repr,
)
def test_events_agree_with_composition_by_hand(event, reference):
    assert same(from_event(event), reference)
    assert same(from_event(event.to_named_tuple()), reference)


@pytest.mark.parametrize(
    ("event", "theirs"),
    [
        (dpa.RandomizedResponseDpEvent(0.4, 5), lambda **k: dpa_pld.from_randomized_response(0.4, 5, **k)),
        (
            dp_event.DiscreteLaplaceDpEvent(0.4, 3),
            lambda **k: dpa_pld.from_discrete_laplace_mechanism(0.4, 3, use_connect_dots=False, **k),
        ),
        (
            dpa.PoissonSampledDpEvent(0.3, dpa.LaplaceDpEvent(1.0)),
            lambda **k: dpa_pld.from_laplace_mechanism(1.0, sampling_prob=0.3, use_connect_dots=False, **k),
        ),
    ],
    ids=["response", "discrete-laplace", "sampled-laplace"],
)
def test_single_events_lie_between_the_two_estimates_of_dp_accounting(event, theirs):
    high, low = (theirs(pessimistic_estimate=side, value_discretization_interval=1e-3) for side in (True, False))
    ours = from_event(event).delta(EPSILONS)
    # 1e-12: their truncation.
    assert np.all(ours.lower <= high.get_delta_for_epsilon(EPSILONS) + 1e-12)
    assert np.all(ours.upper >= low.get_delta_for_epsilon(EPSILONS) - 1e-12)
    assert np.all(ours.upper - ours.lower < 1e-5)


def test_equal_events_become_one_part():
    mechanism = from_event(dpa.ComposedDpEvent([dpa.RandomizedResponseDpEvent(0.5, 2) for _ in range(100)]))
    assert len({id(side) for side, _ in mechanism.forward}) == 1
    assert mechanism.epsilon(1e-6) == from_event(dpa.SelfComposedDpEvent(RESPONSE, 100)).epsilon(1e-6)


def test_accountant_of_dp_accounting_forgets_the_count_of_randomized_response():
    # dp_accounting 0.6.0: PLDAccountant composes a self-composed randomized response once.
    event = dpa.SelfComposedDpEvent(RESPONSE, 100)
    accountant = dpa.pld.PLDAccountant(dpa.NeighboringRelation.REPLACE_ONE)
    assert accountant.compose(event).get_epsilon(1e-6) == pytest.approx(1.0987, abs=1e-4)
    interval = from_event(event).epsilon(1e-6)
    assert interval.lower == pytest.approx(94.28987, abs=1e-5) and interval.width < 1e-6


def test_events_of_later_versions_are_known_by_name():
    class EpsilonDeltaDpEvent:
        epsilon, delta = 0.5, 1e-3

        def __repr__(self):
            return "EpsilonDeltaDpEvent(0.5, 1e-3)"

    assert same(from_event(EpsilonDeltaDpEvent()), pld.randomized_response(0.5, 1e-3))


UNKNOWN = dp_event.RepeatAndSelectDpEvent(GAUSSIAN, 3.0, 1.0)


@pytest.mark.parametrize(
    ("event", "name", "position"),
    [
        (UNKNOWN, "RepeatAndSelectDpEvent", ""),
        (dpa.NonPrivateDpEvent(), "NonPrivateDpEvent", ""),
        (dpa.UnsupportedDpEvent(), "UnsupportedDpEvent", ""),
        (
            dpa.ComposedDpEvent([GAUSSIAN, dpa.SelfComposedDpEvent(UNKNOWN, 3)]),
            "RepeatAndSelectDpEvent",
            "events[1].event",
        ),
        (dpa.PoissonSampledDpEvent(0.5, RESPONSE), "PoissonSampledDpEvent of RandomizedResponseDpEvent", ""),
        (
            dpa.ComposedDpEvent([dpa.PoissonSampledDpEvent(0.5, dpa.SelfComposedDpEvent(LAPLACE, 2))]),
            "PoissonSampledDpEvent of SelfComposedDpEvent",
            "events[0]",
        ),
        (
            dpa.PoissonSampledDpEvent(0.5, dpa.PoissonSampledDpEvent(0.5, UNKNOWN)),
            "RepeatAndSelectDpEvent",
            "event.event",
        ),
        (
            dpa.SampledWithoutReplacementDpEvent(10, 2, LAPLACE),
            "SampledWithoutReplacementDpEvent of LaplaceDpEvent",
            "",
        ),
        ("GaussianDpEvent", "str", ""),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_events_raise_with_their_names(event, name, position):
    with pytest.raises(UnsupportedEventError) as error:
        from_event(event)
    message = str(error.value)
    location = f" at {position}" if position else ""
    assert message.startswith(f"event {name}{location} cannot be represented as a privacy loss distribution")
    assert ("nearest" in message or "known: " in message or "Accountant" in message) and "\n" not in message
    for again in (pickle.loads(pickle.dumps(error.value)), copy.copy(error.value)):
        assert str(again) == message and again.position == position


@pytest.mark.parametrize(
    ("event", "field"),
    [
        (dpa.GaussianDpEvent(0.0), "noise_multiplier"),
        (dpa.GaussianDpEvent(float("nan")), "noise_multiplier"),
        (dpa.LaplaceDpEvent(-1.0), "noise_multiplier"),
        (dpa.RandomizedResponseDpEvent(0.0, 2), "noise_parameter"),
        (dpa.RandomizedResponseDpEvent(0.5, 0), "num_buckets"),
        (dpa.RandomizedResponseDpEvent(0.5, 2.5), "num_buckets"),
        (dp_event.DiscreteLaplaceDpEvent(0.0, 1), "noise_parameter"),
        (dp_event.DiscreteLaplaceDpEvent(1.0, 0), "sensitivity"),
        (dpa.PoissonSampledDpEvent(1.5, GAUSSIAN), "sampling_probability"),
        (dpa.PoissonSampledDpEvent(float("nan"), GAUSSIAN), "sampling_probability"),
        (dpa.PoissonSampledDpEvent(0.5, dpa.LaplaceDpEvent(0.0)), "event.noise_multiplier"),
        (dpa.SelfComposedDpEvent(GAUSSIAN, 0), "count"),
        (dpa.ComposedDpEvent([GAUSSIAN, dpa.LaplaceDpEvent(-1.0)]), r"events\[1\].noise_multiplier"),
    ],
    ids=repr,
)
def test_parameters_out_of_range_are_named(event, field):
    with pytest.raises(ParameterError, match=f"^{field} must be"):
        from_event(event)


# One event of each kind by its fields; the amplified ones and those of samples have an event inside.
EVENTS = {
    "GaussianDpEvent": {"noise_multiplier": 1.0},
    "LaplaceDpEvent": {"noise_multiplier": 1.0},
    "DiscreteLaplaceDpEvent": {"noise_parameter": 1.0, "sensitivity": 1},
    "DiscreteGaussianDpEvent": {"sigma": 1.0, "sensitivity": 1, "dimension": 1},
    "RandomizedResponseDpEvent": {"noise_parameter": 0.5, "num_buckets": 2},
    "MixtureOfGaussiansDpEvent": {
        **{"standard_deviation": 1.0, "sensitivities": [0.0, 1.0], "sampling_probs": [0.5, 0.5]},
    },
    "TruncatedSubsampledGaussianDpEvent": {
        **{"dataset_size": 100, "sampling_probability": 0.1, "truncated_batch_size": 20, "noise_multiplier": 1.0},
    },
    "SampledWithoutReplacementDpEvent": {"source_dataset_size": 10, "sample_size": 2, "event": GAUSSIAN},
    "SampledWithReplacementDpEvent": {"source_dataset_size": 10, "sample_size": 2, "event": GAUSSIAN},
    "SingleEpochTreeAggregationDpEvent": {"noise_multiplier": 1.0, "step_counts": 4},
    "ExponentialMechanismDpEvent": {"epsilon": 1.0},
    "PermuteAndFlipDpEvent": {"epsilon": 1.0},
    "EpsilonDeltaDpEvent": {"epsilon": 1.0, "delta": 1e-5},
    "ZCDpEvent": {"rho": 1.0, "xi": 0.0},
    "RandomCheckInDpEvent": {"steps": 10, "eps0": 1.0, "check_in_prob": 0.5},
    "RandomAllocationDpEvent": {"num_steps": 10, "num_selected": 1, "event": GAUSSIAN},
    "ShuffleDpEvent": {"clients": 10, "randomizer": 1.0},
    "SelfComposedDpEvent": {"event": GAUSSIAN, "count": 2},
    "PoissonSampledDpEvent": {"sampling_probability": 0.1, "event": GAUSSIAN},
}
# What no field of an event may be, all of which some field must refuse in its own name.
BAD = (-1, float("nan"), "x", None, [1], 10**20)


@pytest.mark.parametrize("name", EVENTS)
def test_every_refusal_names_a_field_of_its_event(name):
    """An engine has other names for them, and no value may end in an error of Python."""
    assert {*EVENTS, "NoOpDpEvent"} == {*event_names.MECHANISMS, *event_names.AMPLIFIED, *event_names.TREES} - {
        "ComposedDpEvent"
    }
    for field in EVENTS[name]:
        for value in BAD:
            event = SimpleNamespace(class_name=name, **{**EVENTS[name], field: value})
            try:
                from_event(dpa.ComposedDpEvent([dpa.NoOpDpEvent(), event]))
            except UnsupportedEventError as error:
                assert field in ("event", "randomizer") and "events[1]" in str(error)
            except ParameterError as error:
                # What is added up before, such as all rho and xi, has no place.
                assert re.match(rf"(events\[1\]\.)?(\w+\.)*({'|'.join(EVENTS[name])}|rho) must be", str(error))
            else:
                assert field in ("dimension", "step_counts"), (field, value)


@pytest.mark.parametrize(("scale", "rate"), [(1.0, 0.1), (0.05, 0.5), (20.0, 0.01)])
def test_subsampled_laplace_contains_the_integral(scale, rate):
    def density(x, centre):
        return 0.5 / scale * exp(-abs(x - centre) / scale)

    mechanism = subsampled_laplace(scale, rate)
    largest = log(1 + rate * (exp(1 / scale) - 1))
    for one_way, remove in ((mechanism.one_way, True), (mechanism.reversed.one_way, False)):
        for epsilon in (0.0, 0.3 * largest, 0.8 * largest):

            def integrand(x, remove=remove, epsilon=epsilon):
                q = density(x, 0.0)
                p = (1 - rate) * q + rate * density(x, 1.0)
                return max(p - exp(epsilon) * q if remove else q - exp(epsilon) * p, 0.0)

            # The integrand is smooth but for where it becomes positive; 400 pieces make that negligible.
            edges = np.concatenate([[-60 * scale], np.linspace(0.0, 1.0, 401), [1.0 + 60 * scale]])
            pieces = zip(edges, edges[1:], strict=False)
            exact = sum(quad(integrand, a, b, epsabs=0.0, epsrel=1e-9, limit=200)[0] for a, b in pieces)
            delta = one_way.delta(epsilon)
            assert delta.lower * (1 - 1e-6) - 1e-12 <= exact <= delta.upper * (1 + 1e-6) + 1e-12
            assert delta.width <= 1e-4 * delta.upper + 1e-9


def test_full_rate_is_no_sampling():
    assert subsampled_laplace(2.0, 1.0).epsilon(1e-3) == pld.laplace(2.0).epsilon(1e-3)


@pytest.mark.nightly
def test_an_error_names_the_events_that_have_a_loss():
    assert (*event_mechanisms.MECHANISM_LOSSES, "ZCDpEvent") == event_names.MECHANISMS
    assert tuple(event_mechanisms.AMPLIFIED_LOSSES) == event_names.AMPLIFIED
    with pytest.raises(UnsupportedEventError) as error:
        from_event(dpa.DpEvent())
    known = [*event_names.MECHANISMS, *event_names.AMPLIFIED, *event_names.TREES]
    assert str(error.value).endswith(f"; known: {', '.join(known)}")
