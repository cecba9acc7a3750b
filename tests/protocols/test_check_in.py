"""Random check-ins: what they reduce to, and what the number of clients changes."""

import pytest

from pldcheck.core.errors import ParameterError
from pldcheck.hidden_slot.population import populated_intervals
from pldcheck.hidden_slot.population.populated_epochs import COMPOSITION
from pldcheck.hidden_slot.population.populated_upper import Population
from pldcheck.hidden_slot.population.slot_occupancy import mean_weight
from pldcheck.protocols import CheckIn, HiddenSlot


def test_without_a_number_of_clients_it_is_a_hidden_slot():
    with_count, plain = CheckIn(100, 1.0, 0.1), HiddenSlot(100, 1.0, 0.1)
    assert with_count.reduced == plain and with_count.epsilon(1e-6) == plain.epsilon(1e-6)
    assert with_count.delta(0.01) == plain.delta(0.01)
    assert CheckIn(100, 1.0, 0.1, 5, delta0=1e-12).reduced == HiddenSlot(100, 1.0, 0.1, epochs=5, delta0=1e-12)


@pytest.mark.parametrize("p0", [1.0, 0.25])
def test_one_client_is_a_hidden_slot_exactly(p0):
    one, plain = CheckIn(200, 1.0, p0, clients=1), HiddenSlot(200, 1.0, p0)
    assert one.reduced is one and one.adjacency == "replace"
    assert tuple(one.epsilon(1e-6)) == tuple(plain.epsilon(1e-6)) and tuple(one.delta(0.05)) == tuple(plain.delta(0.05))
    assert one.epsilon(1e-6).sources == (populated_intervals.ONE_CLIENT, populated_intervals.ONE_CLIENT)


@pytest.mark.parametrize("randomizer", [pytest.param("gaussian:1", marks=pytest.mark.nightly), "discrete-gaussian:1"])
def test_a_budget_beside_a_randomizer_with_a_law_of_its_own_changes_nothing(randomizer):
    # The worst randomizers of that budget reveal less than these do: their upper end was taken.
    without, beside = (CheckIn(2, eps0, clients=2, randomizer=randomizer).epsilon(1e-3) for eps0 in (None, 0.1))
    assert without == beside and without.sources[1] == populated_intervals.ONE_CLIENT


@pytest.mark.parametrize(("m", "n", "p0"), [(100, 100, 1.0), (1000, 20_000, 0.1), (500, 40, 1.0)])
def test_check_ins_lie_between_two_hidden_slots(m, n, p0):
    interval = CheckIn(m, 1.0, p0, clients=n).epsilon(1e-6)
    low, high = HiddenSlot(m, 1.0, mean_weight(n, m, p0)).epsilon(1e-6), HiddenSlot(m, 1.0, p0).epsilon(1e-6)
    assert interval.lower == low.lower and interval.upper < high.upper
    assert interval.sources == (populated_intervals.ALL_DUMMIES, populated_intervals.REVELATION)
    assert interval.witness == low.witness and interval.witness["weight"] < p0


def test_the_lower_end_never_lies_above_the_upper_one_where_few_clients_change_little():
    interval = CheckIn(1000, 1.0, clients=2).epsilon(1e-6)
    alone = HiddenSlot(1000, 1.0).epsilon(1e-6)
    assert interval.lower < alone.lower and interval.upper <= alone.upper and interval.relative_width < 0.005


@pytest.mark.nightly
def test_one_epoch_through_its_curve_contains_the_direct_answer():
    population = Population(60, 1.0, 1.0, 120)
    from pldcheck.pld import from_curve

    curve = from_curve(*populated_intervals.curve(population, 1e-9), symmetric=True)
    for delta in (1e-3, 1e-5):
        direct, interval = populated_intervals.epsilon(population, delta, 0.005), curve.epsilon(delta)
        assert direct.upper * 0.97 <= interval.upper <= 1.08 * direct.upper


def test_epochs_are_composed():
    at, alone = CheckIn(20, 1.0, 1.0, 2, 100).delta(0.3), HiddenSlot(20, 1.0, epochs=2).delta(0.3)
    assert 0.0 < at.lower <= at.upper < alone.upper and at.sources == (
        populated_intervals.ALL_DUMMIES,
        COMPOSITION + populated_intervals.REVELATION,
    )


@pytest.mark.long
def test_epsilon_of_several_epochs_is_between_its_ends():
    few, several = CheckIn(60, 1.0, 1.0, 1, 120).epsilon(1e-5), CheckIn(60, 1.0, 1.0, 4, 120).epsilon(1e-5)
    assert several.sources == (populated_intervals.ALL_DUMMIES, COMPOSITION + populated_intervals.REVELATION)
    # Two lower ends of one truth, searched for from different starts.
    alike = HiddenSlot(60, 1.0, mean_weight(120, 60, 1.0), epochs=4).epsilon(1e-5)
    assert several.lower == pytest.approx(alike.lower, rel=1e-3) and several.lower <= alike.upper
    assert several.upper < HiddenSlot(60, 1.0, epochs=4).epsilon(1e-5).upper
    assert 1.7 * few.upper < several.upper < 3.0 * few.upper and several.relative_width < 0.35


def test_slack_in_the_randomizers_is_answered_as_for_one_client():
    protocol, alone = CheckIn(300, 1.0, clients=300, delta0=1e-10), HiddenSlot(300, 1.0, delta0=1e-10)
    answer = protocol.epsilon(1e-6)
    assert answer.upper == alone.epsilon(1e-6).upper and answer.lower < alone.epsilon(1e-6).lower
    assert answer.sources == (populated_intervals.ALL_DUMMIES, populated_intervals.ONE_CLIENT)


def test_refusals_name_the_parameter():
    with pytest.raises(ParameterError, match="clients must be an integer from"):
        CheckIn(10, 1.0, clients=0)
    with pytest.raises(ParameterError, match="delta0 must be at least 0"):
        CheckIn(10, 1.0, delta0=1.0)
    with pytest.raises(ParameterError, match="delta must be above 0"):
        CheckIn(10, 1.0, clients=5).epsilon(-1e-9)
