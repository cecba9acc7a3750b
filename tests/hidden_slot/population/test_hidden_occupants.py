"""Few slots and clients: both ends against attained divergences in fractions, and how narrow they are."""

from fractions import Fraction
from math import exp

import pytest
from adaptive_check_ins import above_log, below_log, best_divergence

from pldcheck.core.directed import Side
from pldcheck.hidden_slot.population import few_slot_intervals, hidden_occupants, populated_intervals
from pldcheck.hidden_slot.population.occupant_weights import OccupantWeights
from pldcheck.hidden_slot.population.populated_upper import Population
from pldcheck.protocols import CheckIn

HALF, ALL = Fraction(1, 2), Fraction(1)


def ends(m, n, p0, x, kappa):
    """Return a lower bound of delta for a little less than x and more than kappa, and an upper one the other way."""
    less, more = Population(m, below_log(x), float(p0), n), Population(m, above_log(x), float(p0), n)
    low = hidden_occupants.delta_lower(less, above_log(kappa)) if kappa > 1 else hidden_occupants.delta_lower(less, 0.0)
    return low, hidden_occupants.delta_upper(more, below_log(kappa))


@pytest.mark.parametrize("x", [Fraction(11, 10), Fraction(3), Fraction(20)])
@pytest.mark.parametrize("p0", [HALF, ALL])
@pytest.mark.parametrize(("m", "n"), [(1, 2), (1, 3), (2, 2), (2, 3)])
def test_ends_enclose_the_best_mechanism_of_one_and_two_slots(m, n, p0, x):
    for share in (0, Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)):
        kappa = 1 + share * (x - 1)
        exact = best_divergence(m, n, p0, x, kappa, are_alike=False)
        low, high = ends(m, n, p0, x, kappa)
        # No other record is needed: the lower end, of alike ones, is that of all of them but for round-off.
        assert low <= exact <= high and high - low <= 1e-11 * high + 1e-13


@pytest.mark.parametrize(("n", "p0", "x", "share"), [(2, ALL, Fraction(3), Fraction(1, 5))])
def test_ends_enclose_the_best_mechanism_of_three_slots_and_two_clients(n, p0, x, share):
    kappa = 1 + share * (x - 1)
    exact = best_divergence(3, n, p0, x, kappa, are_alike=True)
    low, high = ends(3, n, p0, x, kappa)
    assert low <= exact <= high <= low * (1 + 1e-11)


@pytest.mark.nightly
@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("p0", [HALF, ALL])
@pytest.mark.parametrize("x", [Fraction(11, 10), Fraction(3), Fraction(20)])
def test_ends_enclose_the_best_mechanism_of_three_slots(n, p0, x):
    for share in (0, Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)):
        kappa = 1 + share * (x - 1)
        low, high = ends(3, n, p0, x, kappa)
        alike = best_divergence(3, n, p0, x, kappa, are_alike=True)
        assert low <= alike <= high and low >= float(alike) * (1 - 1e-11) - 1e-13
        assert n == 3 or high <= float(alike) * (1 + 1e-11) + 1e-13


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("x", "share"), [(Fraction(3), Fraction(1, 5)), (Fraction(3), Fraction(1, 2)), (Fraction(20), Fraction(3, 5))]
)
def test_different_records_stay_below_the_upper_end_where_slots_outnumber_others(x, share):
    kappa = 1 + share * (x - 1)
    low, high = ends(3, 3, ALL, x, kappa)
    alike, different = (best_divergence(3, 3, ALL, x, kappa, are_alike=are_alike) for are_alike in (True, False))
    assert low <= alike <= different <= high


def test_more_slots_than_others_have_two_ends():
    population = Population(3, 1.0, 1.0, 3)
    assert not hidden_occupants.is_exact(population) and hidden_occupants.slots_in_question(population) == 2
    low, high = (end(population, 0.7) for end in (hidden_occupants.delta_lower, hidden_occupants.delta_upper))
    # The values of a linear program over all adaptive randomizers: others alike, and any others.
    assert low <= 0.004921990363796 and 0.005482403077343 <= high < 1.2 * 0.005482403077343


def test_the_interval_of_epsilon_contains_the_crossing_of_the_exact_curve():
    x = Fraction(3)
    for delta in (1e-6, 1e-2, 0.1):
        low, high = CheckIn(2, above_log(x), clients=2).epsilon(delta, 1e-6)
        assert high <= low * (1 + 2e-6)
        kappa, step = Fraction(exp(low)), 1 + Fraction(1, 10**5)
        assert best_divergence(2, 2, ALL, x, kappa / step, are_alike=True) > delta
        assert best_divergence(2, 2, ALL, x, kappa * step, are_alike=True) < delta


@pytest.mark.parametrize("clients", [2, 5, 10])
@pytest.mark.parametrize("steps", [2, 5, 10])
def test_few_clients_in_few_slots_have_narrow_answers(steps, clients):
    for eps0 in (0.1, 1.0, 5.0):
        interval = CheckIn(steps, eps0, clients=clients).epsilon(1e-6)
        assert interval.relative_width <= 0.025
        if clients == 2 or clients > steps:
            assert interval.relative_width <= 0.005


def test_both_ends_say_what_they_are_from():
    exact = CheckIn(2, 1.0, clients=2).epsilon(0.05)
    assert exact.sources == (few_slot_intervals.ALIKE, few_slot_intervals.ANY_RECORDS) and exact.witness is None
    assert exact.relative_width < 0.005 and exact.budget is not None
    more_slots = CheckIn(6, 1.0, clients=4).delta(0.5)
    assert more_slots.sources == (few_slot_intervals.ALIKE, few_slot_intervals.EMPTY_SLOTS)
    near = CheckIn(3, 1.0, clients=6).epsilon(1e-9)
    assert near.sources == (populated_intervals.ALL_DUMMIES, few_slot_intervals.ANY_RECORDS) and near.witness


def test_coefficients_are_rounded_to_the_side_of_the_payoff():
    population, weights = Population(3, 1.0, 0.7, 4), OccupantWeights(3, 3, 0.7)
    for side, sign in ((Side.UPPER, 1), (Side.LOWER, -1)):
        nowhere, used, beside = hidden_occupants._coefficients(population, 3, side)
        for k in range(3):
            exact = weights.used_alone(k) + weights.used_among_others(k)
            assert sign * Fraction(nowhere[k]) < sign * weights.not_used(k)
            assert sign * Fraction(used[k]) > sign * exact
            assert sign * Fraction(beside[k]) > sign * weights.used_alone(k)


def test_many_slots_or_clients_are_left_to_the_other_method():
    for population in (Population(100, 1.0, 1.0, 2), Population(2, 1.0, 1.0, 10**6), Population(2, 1.0, 1.0, 1)):
        assert not hidden_occupants.is_feasible(population)
    assert hidden_occupants.is_feasible(Population(10, 1.0, 1.0, 10))


def test_delta_and_epsilon_agree():
    protocol = CheckIn(4, 2.0, 0.5, clients=5)
    low, high = protocol.epsilon(1e-3)
    assert protocol.delta(high).lower <= 1e-3 <= protocol.delta(low).upper
    assert protocol.delta(0.5).relative_width < 0.05 and protocol.epsilon(0.9).upper == 0.0


@pytest.mark.nightly
@pytest.mark.parametrize("eps0", [1e-9, 20.0])
def test_corners_are_answered(eps0):
    for steps, clients, p0 in ((1, 2, 1e-12), (10, 10, 1.0), (4, 201, 1.0), (6, 2, 0.3)):
        for delta in (1e-300, 1e-15, 0.5):
            interval = CheckIn(steps, eps0, p0, clients=clients).epsilon(delta)
            assert 0.0 <= interval.lower <= interval.upper <= eps0
