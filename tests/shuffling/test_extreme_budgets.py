"""Budgets next to 0 and epsilons beyond all numbers have answers: those that follow by hand."""

import pytest

from pldcheck import PersonalShuffle, SampledShuffle, Shuffle


@pytest.mark.parametrize("eps0", [1e-17, 1e-12])
@pytest.mark.parametrize("clients", [3, 10**6])
def test_rounds_of_a_budget_next_to_zero_reveal_next_to_nothing(clients, eps0):
    shuffle = Shuffle(clients, eps0, rounds=2)
    assert tuple(shuffle.epsilon(0.01)) == (0.0, 0.0)
    # Two records are told apart with a probability of at most (e^(2 eps0) - 1)/(e^(2 eps0) + 1).
    assert 0.0 < shuffle.delta(0.0).lower <= shuffle.delta(0.0).upper <= 2.0 * eps0


@pytest.mark.parametrize("epsilon", [0.5, 1e5, 1.4523676549538658e294])
def test_beyond_the_largest_budget_only_what_is_revealed_is_left(epsilon):
    personal = PersonalShuffle(clients=10, eps0=1e-6, eps0_last=0.5, delta0=1e-6)
    lower, upper = personal.delta(epsilon)
    assert lower <= 1e-6 <= upper <= 1e-6 * (1 + 1e-15)
    assert SampledShuffle(10, 5, 0.5).delta(epsilon).upper <= 1e-300
