"""As many clients as slots: the upper end with a pair of slots revealed, against linear programs and other ends."""

from fractions import Fraction

import pytest
from adaptive_check_ins import above_log, below_log, best_divergence

from pldcheck.hidden_slot.population import as_many_clients, few_slot_intervals, hidden_occupants
from pldcheck.hidden_slot.population.populated_upper import Population
from pldcheck.protocols import CheckIn

# Three slots and clients, everyone checking in: eps0, epsilon / eps0, and values of linear programs over all adaptive
# randomizers, where the others have any two records, and where a pair of slots is learnt as the bound says.
PROGRAMS = (
    (1.0, 0.7, 0.005482403077342, 0.005891873899701),
    (1.0, 0.3, 0.097909611024977, 0.098309864935886),
    (1.0, 0.0, 0.190751837845427, 0.193768724968679),
    (3.0, 0.85, 0.000526925251103, 0.000610942201450),
    (0.1, 0.3, 0.005577809000006, 0.005626862590261),
    (5.0, 0.85, 0.014946798594804, 0.030105785862663),
)


def test_three_slots_and_clients_have_the_values_of_linear_programs():
    for eps0, share, any_records, pair_learnt in PROGRAMS:
        bound = as_many_clients.delta_upper(Population(3, eps0, 1.0, 3), share * eps0)
        assert any_records <= bound == pytest.approx(pair_learnt, rel=1e-9)


@pytest.mark.nightly
@pytest.mark.parametrize(("x", "share"), [(Fraction(3), Fraction(1, 5)), (Fraction(3), Fraction(1, 2))])
@pytest.mark.parametrize("p0", [Fraction(1, 2), Fraction(1)])
def test_different_records_stay_below(x, share, p0):
    kappa = 1 + share * (x - 1)
    bound = as_many_clients.delta_upper(Population(3, above_log(x), float(p0), 3), below_log(kappa))
    assert best_divergence(3, 3, p0, x, kappa, are_alike=False) <= bound


@pytest.mark.parametrize("m", [3, 4, 6, 8])
def test_the_bound_is_above_the_worst_alike_records_and_mostly_below_the_other(m):
    narrower = 0
    for eps0 in (0.1, 1.0, 5.0):
        for share in (0.0, 0.2, 0.5, 0.8):
            population = Population(m, eps0, 1.0, m)
            bound = as_many_clients.delta_upper(population, share * eps0)
            assert hidden_occupants.delta_lower(population, share * eps0) <= bound
            narrower += bound < hidden_occupants.delta_upper(population, share * eps0)
    assert narrower >= 7


def test_answers_take_the_narrower_end():
    interval = CheckIn(3, 1.0, clients=3).delta(0.3)
    assert interval.sources[1] == few_slot_intervals.NOT_BOTH and interval.relative_width < 0.005
    assert CheckIn(3, 0.1, clients=3).epsilon(0.01).relative_width < 0.02
    assert not as_many_clients.is_feasible(Population(3, 1.0, 1.0, 4))
    assert not as_many_clients.is_feasible(Population(11, 1.0, 1.0, 11))
