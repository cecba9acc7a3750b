"""The upper end with the exact law of the number of empty slots, against the recursion over patterns in fractions."""

from fractions import Fraction

import pytest
from test_populated_upper import above_log, below_log, pattern_divergence

from pldcheck.hidden_slot.population import revealed_count
from pldcheck.hidden_slot.population.occupied_pattern import likely_range
from pldcheck.hidden_slot.population.populated_upper import Population
from pldcheck.hidden_slot.population.slot_occupancy import Occupancy
from pldcheck.protocols import CheckIn


@pytest.mark.parametrize("groups", [1, 6])
@pytest.mark.parametrize(("m", "n", "p0"), [(3, 4, Fraction(1)), (4, 5, Fraction(1, 2)), (5, 3, Fraction(1))])
@pytest.mark.parametrize("kappa", [Fraction(11, 10), Fraction(3, 2)])
def test_the_bound_is_the_value_over_revealed_patterns_and_little_more(m, n, p0, kappa, groups, monkeypatch):
    x = Fraction(3)
    exact = pattern_divergence(m, n, p0, x, kappa)
    monkeypatch.setattr(revealed_count, "MOST_GROUPS", groups)
    population = Population(m, above_log(x), float(p0), n)
    bound = revealed_count.delta_upper(population, below_log(kappa), likely_range(population.others, 1e-9))
    assert bound is not None and exact <= bound.delta
    assert bound.delta <= exact * (Fraction(102, 100) if groups == 6 else Fraction(3, 2))


@pytest.mark.parametrize(("m", "others", "p0"), [(3, 4, 1.0), (12, 30, 0.5)])
def test_probabilities_of_counts_add_to_one_and_those_of_tails(m, others, p0):
    occupancy = Occupancy(m, others, p0)
    chances = [occupancy.exactly(count) for count in range(-1, m + 2)]
    assert chances[0] == chances[-1] == 0.0 and 1.0 <= sum(chances) <= 1.0 + 1e-12
    assert sum(chances[3:]) == pytest.approx(occupancy.at_least(2), rel=1e-12)


def test_many_slots_or_clients_are_left_to_independent_patterns():
    for population in (Population(65, 1.0, 1.0, 30), Population(60, 1.0, 1.0, 10**6)):
        assert revealed_count.delta_upper(population, 0.1, likely_range(population.others, 1e-9)) is None


def test_the_answer_is_narrower_than_with_independent_patterns():
    interval = CheckIn(20, 1.0, clients=20).epsilon(1e-6)
    assert interval.relative_width < 0.09  # 0.43 with patterns
