"""Events of check-ins, random allocation and shuffling, alone and in trees, against what is computed without them."""

import copy
import pickle

import attr
import dp_accounting as dpa
import numpy as np
import pytest
from dp_accounting import DpEvent

from pldcheck import CheckIn, HiddenSlot, Shuffle, pld
from pldcheck.accounting import interop
from pldcheck.accounting.interop import (
    RandomAllocationDpEvent,
    RandomCheckInDpEvent,
    ShuffleDpEvent,
    UnsupportedEventError,
    from_event,
)
from pldcheck.core.errors import ParameterError
from pldcheck.protocols import RandomAllocation

GAUSSIAN = dpa.GaussianDpEvent(4.0)
SAMPLE = dpa.PoissonSampledDpEvent(0.1, dpa.GaussianDpEvent(4.0))
CHECK_IN = RandomCheckInDpEvent(50, 1.0, 0.5)
SHUFFLE = ShuffleDpEvent(200, 0.5)
ALLOCATION = RandomAllocationDpEvent(10, 1, GAUSSIAN)
EVENTS = [
    CHECK_IN,
    RandomCheckInDpEvent(steps=50, eps0=1.0),
    SHUFFLE,
    ShuffleDpEvent(200, dpa.RandomizedResponseDpEvent(0.5, 4)),
    ALLOCATION,
    dpa.ComposedDpEvent([GAUSSIAN, dpa.SelfComposedDpEvent(CHECK_IN, 3), SHUFFLE]),
]


# The classes


@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_events_are_values_as_those_of_dp_accounting(event):
    assert isinstance(event, DpEvent) and eval(repr(event), {**vars(dpa.dp_event), **vars(interop)}) == event
    for again in (pickle.loads(pickle.dumps(event)), copy.deepcopy(event)):
        assert again == event and again is not event
    assert DpEvent.from_named_tuple(event.to_named_tuple()) == event
    with pytest.raises(attr.exceptions.FrozenInstanceError):
        event.steps = 1


@pytest.mark.parametrize("event", EVENTS, ids=repr)
@pytest.mark.parametrize("relation", list(dpa.NeighboringRelation), ids=lambda one: one.name)
def test_accountants_of_dp_accounting_refuse_them(event, relation):
    for accountant in (dpa.pld.PLDAccountant(relation), dpa.rdp.RdpAccountant(neighboring_relation=relation)):
        assert accountant.supports(event) is False
        with pytest.raises(dpa.UnsupportedEventError):
            accountant.compose(event)


# Alone


def contains(wide, narrow, slack):
    """Assert that the intervals overlap, and that the first is wider by at most ``slack``, relatively."""
    assert wide.lower <= narrow.upper and narrow.lower <= wide.upper
    assert wide.upper <= narrow.upper * (1 + slack) and wide.lower >= narrow.lower * (1 - slack)


@pytest.mark.nightly
@pytest.mark.parametrize("count", [1, pytest.param(5, marks=pytest.mark.nightly)])
def test_check_in_events_agree_with_the_protocol(count):
    interval = from_event(dpa.SelfComposedDpEvent(CHECK_IN, count)).epsilon(1e-6)
    contains(interval, CheckIn(50, 1.0, 0.5, epochs=count).epsilon(1e-6), 0.02)
    assert interval.relative_width < 0.02


@pytest.mark.nightly
@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize(
    ("randomizer", "protocol", "slack"),
    [
        (0.5, Shuffle(200, 0.5), 0.04),
        # log(1 + k (1 - p)/p) with k = 4, p = 1/2
        (dpa.RandomizedResponseDpEvent(0.5, 4), Shuffle(200, 1.6094379124341003, "krr:4"), 0.05),
        pytest.param(dpa.LaplaceDpEvent(2.0), Shuffle(200, 0.5, "laplace"), 0.5, marks=pytest.mark.nightly),
        pytest.param(dpa.GaussianDpEvent(2.0), Shuffle(200, 1.0, "gaussian:2"), 0.5, marks=pytest.mark.nightly),
    ],
    ids=["any", "response", "laplace", "gaussian"],
)
def test_shuffling_events_agree_with_the_protocol(randomizer, protocol, slack, count):
    rounds = Shuffle(protocol.clients, protocol.eps0, protocol.randomizer, rounds=count)
    interval = from_event(dpa.SelfComposedDpEvent(ShuffleDpEvent(200, randomizer), count)).epsilon(1e-6)
    contains(interval, rounds.epsilon(1e-6), slack)


def test_shuffling_uniform_responses_reveals_nothing():
    for response in (dpa.RandomizedResponseDpEvent(1.0, 4), dpa.RandomizedResponseDpEvent(0.5, 1)):
        assert from_event(ShuffleDpEvent(200, response)).epsilon(1e-6).upper == 0.0


@pytest.mark.nightly
def test_a_small_delta_is_known_as_well_if_it_is_said():
    exact, interval = CheckIn(50, 1.0, 0.5).epsilon(1e-30), from_event(CHECK_IN, delta=1e-30).epsilon(1e-30)
    assert exact.upper <= interval.upper * (1 + 1e-12) <= exact.upper * 1.01
    assert from_event(CHECK_IN).epsilon(1e-30).upper >= exact.lower


# In trees


@pytest.mark.nightly
def test_a_training_pipeline_accounted_end_to_end():
    """Statistics with noise, training on devices that check in, and two rounds of shuffled reports: all replaced."""
    event = dpa.ComposedDpEvent([GAUSSIAN, CHECK_IN, dpa.SelfComposedDpEvent(SHUFFLE, 2)])
    parts = [pld.gaussian(4.0), from_event(CHECK_IN), from_event(SHUFFLE), from_event(SHUFFLE)]
    pipeline, by_hand = from_event(event), pld.compose_all(parts)
    for delta in (1e-4, 1e-8):
        one, other = pipeline.epsilon(delta), by_hand.epsilon(delta)
        assert one.upper == pytest.approx(other.upper, rel=1e-5) and one.lower == pytest.approx(other.lower, rel=1e-5)
        assert one.relative_width < 0.05
    assert from_event(event.to_named_tuple()).epsilon(1e-6) == pipeline.epsilon(1e-6)


@pytest.mark.nightly
def test_a_pipeline_with_samples_counts_check_ins_from_above_alone():
    """A record added or removed: replacing it by a reference record is one way of replacing it."""
    steps = dpa.SelfComposedDpEvent(SAMPLE, 100)
    pipeline = from_event(dpa.ComposedDpEvent([GAUSSIAN, CHECK_IN, steps]))
    others = [pld.gaussian(4.0), pld.subsampled_gaussian(4.0, 0.1).compose(100)]
    # Any of the slot's losses has the upper side.
    with_check_in = pld.compose_all([*others, HiddenSlot(50, 1.0, 0.5).losses(1e-12)[0]])
    without = pld.compose_all(others)
    for delta in (1e-4, 1e-6):
        one = pipeline.epsilon(delta)
        assert one.upper == pytest.approx(with_check_in.epsilon(delta).upper, rel=1e-5)
        assert one.lower == pytest.approx(without.epsilon(delta).lower, rel=1e-5)


@pytest.mark.nightly
@pytest.mark.parametrize("replacement", [CHECK_IN, dpa.RandomizedResponseDpEvent(0.5, 2)], ids=repr)
def test_nothing_is_known_from_below_of_what_is_stated_for_another_relation(replacement):
    alone, both = from_event(SAMPLE), from_event(dpa.SelfComposedDpEvent(dpa.ComposedDpEvent([replacement, SAMPLE]), 2))
    assert both.epsilon(1e-6).lower <= alone.compose(2).epsilon(1e-6).upper
    hand = pld.compose_all([from_event(replacement), alone]).compose(2).epsilon(1e-6)
    assert both.epsilon(1e-6).upper == pytest.approx(hand.upper, rel=1e-5)


def test_equal_phases_become_one_part():
    tree = dpa.ComposedDpEvent([RandomCheckInDpEvent(50, 1.0, 0.5), GAUSSIAN, RandomCheckInDpEvent(50, 1.0, 0.5)])
    assert len({id(side) for side, _ in from_event(tree).forward}) == 2


@attr.s(frozen=True, slots=True, auto_attribs=True)
class Other(DpEvent):
    clients: int
    class_name: str = "ShuffleDpEvent"


@pytest.mark.parametrize(
    ("event", "name_of_event"),
    [
        (RandomAllocationDpEvent(10, 1, dpa.LaplaceDpEvent(1.0)), "RandomAllocationDpEvent of LaplaceDpEvent"),
        (RandomAllocationDpEvent(10, 1, SAMPLE), "RandomAllocationDpEvent of PoissonSampledDpEvent"),
        (ShuffleDpEvent(100, SAMPLE), "ShuffleDpEvent of PoissonSampledDpEvent"),
        (ShuffleDpEvent(100, dpa.NonPrivateDpEvent()), "ShuffleDpEvent of NonPrivateDpEvent"),
        (ShuffleDpEvent(100, "rr"), "ShuffleDpEvent of str"),
        (Other(100), "ShuffleDpEvent without randomizer"),
        (dpa.PoissonSampledDpEvent(0.5, CHECK_IN), "PoissonSampledDpEvent of RandomCheckInDpEvent"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_accounted_for_is_refused_with_its_place(event, name_of_event):
    with pytest.raises(UnsupportedEventError) as error:
        from_event(dpa.ComposedDpEvent([GAUSSIAN, event]))
    message = str(error.value)
    assert message.startswith(f"event {name_of_event} at events[1] cannot be represented") and "\n" not in message
    assert "RandomCheckInDpEvent" in message.partition("known: ")[2] or "nearest is " in message


@pytest.mark.parametrize(
    ("event", "field"),
    [
        (RandomCheckInDpEvent(0, 1.0), "steps"),
        (RandomCheckInDpEvent(10, 0.0), "eps0"),
        (RandomCheckInDpEvent(10, 1.0, 1.5), "check_in_prob"),
        (ShuffleDpEvent(0, 1.0), "clients"),
        (ShuffleDpEvent(10, -1.0), "randomizer"),
        (ShuffleDpEvent(10, True), "randomizer"),
        (ShuffleDpEvent(10, float("nan")), "randomizer"),
        (ShuffleDpEvent(10, dpa.RandomizedResponseDpEvent(0.0, 2)), "randomizer.noise_parameter"),
        (ShuffleDpEvent(10, dpa.RandomizedResponseDpEvent(1e-12, 2)), "eps0"),
        (ShuffleDpEvent(10, dpa.LaplaceDpEvent(0.0)), "randomizer.noise_multiplier"),
        (ShuffleDpEvent(10, dpa.GaussianDpEvent(0.5)), "randomizer"),
    ],
    ids=repr,
)
def test_parameters_out_of_range_are_named(event, field):
    with pytest.raises(ParameterError, match=f"^{field} must be"):
        from_event(event)


@pytest.mark.parametrize("delta", [0.0, 1.0, float("nan")])
def test_the_least_delta_is_checked(delta):
    with pytest.raises(ParameterError, match="^delta must be"):
        from_event(CHECK_IN, delta=delta)


# To dp_accounting and back


@pytest.mark.nightly
@pytest.mark.parametrize("event", [CHECK_IN, SHUFFLE, ALLOCATION], ids=["check-in", "shuffle", "allocation"])
def test_a_round_trip_does_not_lower_the_upper_end(event):
    ours = from_event(event)
    above = interop.to_dp_accounting(ours, discretization=5e-3)
    below = interop.to_dp_accounting(ours, discretization=5e-3, pessimistic=False)
    back = interop.from_dp_accounting(above, below)
    epsilons = np.array([0.0, 0.05, 0.1, 0.2])
    once, again = ours.delta(epsilons), back.delta(epsilons)
    assert once.lower[-1] > 1e-12  # what is rounded in their masses is below
    # To the width of an inversion, which the export needs once and the way back once more.
    assert np.all(again.upper >= once.upper * (1 - 2e-6)) and np.all(again.lower <= once.lower * (1 + 2e-6))
    assert np.all(again.upper <= once.upper * 1.1)
    assert back.epsilon(1e-6).upper >= ours.epsilon(1e-6).upper * (1 - 2e-6)
    assert above.get_epsilon_for_delta(1e-6) >= ours.epsilon(1e-6).upper * (1 - 2e-6)


# Random allocation


@pytest.mark.nightly
@pytest.mark.parametrize(("slots", "count"), [(1, 1), (1, 4), (2, 1)])
def test_random_allocation_events_agree_with_the_protocol(slots, count):
    event = RandomAllocationDpEvent(20, slots, dpa.GaussianDpEvent(2.0))
    interval = from_event(dpa.SelfComposedDpEvent(event, count)).epsilon(1e-6)
    protocol = RandomAllocation(20, 2.0, slots, epochs=count).epsilon(1e-6)
    # The protocol's test on scores is no loss that can be composed: the event's lower end is that of one selected step.
    contains(interval, protocol, 0.02 if slots == 1 else 0.1)
    assert interval.upper <= protocol.upper * 1.02
    assert interval.lower >= RandomAllocation(20, 2.0, epochs=count).epsilon(1e-6).lower * 0.98


@pytest.mark.nightly
def test_random_allocation_goes_with_samples():
    """Both add or remove a record, so both sides count."""
    event = dpa.ComposedDpEvent([ALLOCATION, dpa.SelfComposedDpEvent(SAMPLE, 10)])
    hand = pld.compose_all([*RandomAllocation(10, 4.0).losses(1e-12), pld.subsampled_gaussian(4.0, 0.1).compose(10)])
    one, other = from_event(event).epsilon(1e-6), hand.epsilon(1e-6)
    assert one.upper == pytest.approx(other.upper, rel=1e-5) and one.lower == pytest.approx(other.lower, rel=1e-5)


@pytest.mark.parametrize(
    ("event", "field"),
    [
        (RandomAllocationDpEvent(0, 1, GAUSSIAN), "num_steps"),
        (RandomAllocationDpEvent(10, 0, GAUSSIAN), "num_selected"),
        (RandomAllocationDpEvent(10, 11, GAUSSIAN), "num_selected"),
        (RandomAllocationDpEvent(10, 1, dpa.GaussianDpEvent(0.0)), "event.noise_multiplier"),
    ],
    ids=repr,
)
def test_parameters_of_random_allocation_out_of_range_are_named(event, field):
    with pytest.raises(ParameterError, match=f"^{field} must be"):
        from_event(event)
