"""Ends that contradict each other are not clipped: one of them is wrong, and nothing is answered."""

from dataclasses import replace

import pytest

from pldcheck.core.interval import Interval
from pldcheck.hidden_slot.approximate import approximate_slot
from pldcheck.hidden_slot.population import populated_epochs, populated_intervals
from pldcheck.hidden_slot.population.populated_upper import Population
from pldcheck.hidden_slot.worst import worst_intervals as slots
from pldcheck.hidden_slot.worst.slot_problem import Slot
from pldcheck.protocols import CheckIn, HiddenSlot


def test_a_lower_end_of_few_clients_above_that_of_one_is_refused():
    alone = Interval(0.25, 0.5)
    assert tuple(populated_epochs._narrow(alone, 0.3, 0.4)) == (0.3, 0.4)
    assert tuple(populated_epochs._narrow(alone, 0.3, 0.6)) == (0.3, 0.5)
    for high in (None, 0.4):
        with pytest.raises(ArithmeticError, match="empty enclosure"):
            populated_epochs._narrow(alone, 0.51, high)


def test_delta_next_to_the_largest_loss_is_not_clipped(monkeypatch):
    population = Population(100, 1.0, 0.5, 3)
    epsilon = population.slot.cap * (1.0 - 1e-13)
    truth = populated_intervals.delta(population, epsilon, 0.01)
    assert 0.0 <= truth.lower <= truth.upper < 1e-12
    wrong = slots.delta

    def exaggerated_delta(slot, adjacency, epsilon_, width):
        interval = wrong(slot, adjacency, epsilon_, width)
        return interval if slot == population.slot else replace(interval, lower=0.5, upper=0.75)

    monkeypatch.setattr(slots, "delta", exaggerated_delta)
    with pytest.raises(ArithmeticError, match="empty enclosure"):
        populated_intervals.delta(population, epsilon, 0.01)


def test_zero_out_ends_that_cross_are_refused(monkeypatch):
    honest = HiddenSlot(5, 1.0, 0.5, "zero-out", delta0=0.01).epsilon(0.05)
    assert 0.0 < honest.lower <= honest.upper
    own = approximate_slot._zero_out

    def cross_ends(slot, delta0, at):
        low, high = own(slot, delta0, at)
        return 1.1 * low, 0.9 * high

    monkeypatch.setattr(approximate_slot, "_zero_out", cross_ends)
    with pytest.raises(ArithmeticError, match="internal error: the lower bound"):
        approximate_slot._zero_out_epsilon(Slot(5, 1.0, 0.5), 0.01, 0.05)


@pytest.mark.nightly
@pytest.mark.parametrize("clients", [2, 3, 10**6])
@pytest.mark.parametrize("p0", [1.0, 1e-12])
@pytest.mark.parametrize("steps", [1, 7, 10**12])
def test_few_clients_agree_with_one_next_to_the_largest_loss(steps, p0, clients):
    """Two routes to nearly one number: no contradiction beyond what is charged, so nothing needs to be clipped."""
    for eps0 in (1e-9, 1.0, 20.0):
        population = Population(steps, eps0, p0, clients)
        for share in (1e-13, 1e-12, 1e-16, 1e-6):
            interval = populated_intervals.delta(population, population.slot.cap * (1.0 - share), 0.01)
            assert interval.lower <= interval.upper


@pytest.mark.parametrize("m", [3, 70])
@pytest.mark.parametrize("eps0", [1e-6, 1.0, 12.0])
def test_zero_out_ends_agree_where_delta_is_hardly_more_than_revealed(m, eps0):
    for weight, delta0 in ((1.0, 1e-9), (0.3, 0.4), (1e-6, 1e-3)):
        for share in (1.0 + 1e-15, 1.0 + 1e-9, 1.5):
            interval = HiddenSlot(m, eps0, weight, "zero-out", delta0=delta0).epsilon(weight * delta0 * share)
            assert interval.lower <= interval.upper


@pytest.mark.nightly
def test_slack_and_clients_agree():
    interval = CheckIn(50, 1.0, 0.5, clients=2, delta0=1e-9).epsilon(1e-5)
    assert 0.0 < interval.lower <= interval.upper
