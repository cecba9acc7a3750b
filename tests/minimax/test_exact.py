import math
import random

import naive
import pytest

from pldcheck.minimax import exact, lower
from pldcheck.minimax.slot import Slot
from pldcheck.minimax.upper import Plan, delta_upper

random.seed(20201)
CASES = [
    (
        random.randint(1, 12),
        random.choice([random.uniform(0.02, 1.0), random.uniform(1.0, 6.0)]),
        random.choice([1.0, random.uniform(0.01, 1.0)]),
        random.choice([0.0, random.uniform(0.0, 1.0) ** 2]),
    )
    for _ in range(220)
]


def test_brackets_contain_the_multiset_value():
    """220 random cases against ball arithmetic over all five extreme laws: containment and width, grid and exact."""
    for m, eps0, weight, share in CASES:
        epsilon = share * math.log1p(weight * math.expm1(eps0)) * (1 - 1e-9)
        truth = naive.hidden_slot_delta(m, eps0, epsilon, weight)
        low, high = exact.delta_lower(Slot(m, eps0, weight), epsilon), exact.delta_upper(Slot(m, eps0, weight), epsilon)
        where = (m, eps0, weight, epsilon)
        assert low <= truth.upper() and high >= truth.lower(), where
        # Where delta itself is at the level of the round-off of u there is no relative width to speak of.
        assert high - low <= 1e-10 * high + 1e-13, where
        grid = delta_upper(Slot(m, eps0, weight), epsilon, Plan(0.01, m)).delta
        assert grid >= truth.lower(), where
        single = max(lower.single_law(Slot(m, eps0, weight), epsilon, law).delta for law in range(3))
        assert single <= truth.upper(), where
        # One or two steps onto the kink itself lose more; the engine has the exact recursion there.
        if m >= 4 and share < 0.5 and float(truth) > 1e-4:
            assert grid <= 1.03 * float(truth), where


@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.09])
def test_one_slot_is_randomized_response(eps0, epsilon):
    closed_form = (math.exp(eps0) - math.exp(epsilon)) / (math.exp(eps0) + 1)
    assert exact.delta_lower(Slot(1, eps0, 1.0), epsilon) == pytest.approx(closed_form, rel=1e-12)
    for weight in (1.0, 0.3):
        truth = naive.randomized_response_delta(eps0, epsilon, weight)
        low, high = exact.delta_lower(Slot(1, eps0, weight), epsilon), exact.delta_upper(Slot(1, eps0, weight), epsilon)
        assert low <= truth.upper() and truth.lower() <= high


@pytest.mark.parametrize(("m", "eps0"), [(20, 1.0), (60, 1.0), (60, 4.0)])
def test_joined_blocks_stay_above_the_exact_value_of_the_whole(m, eps0):
    epsilon = 0.25 * eps0
    truth = exact.delta_lower(Slot(m, eps0, 1.0), epsilon)
    for block in (1, 2, 5, 10, m):
        value = delta_upper(Slot(m, eps0, 1.0), epsilon, Plan(0.02, block)).delta
        assert value >= truth
    assert value <= 1.02 * truth  # the last one is the whole walk


def test_more_slots_are_more_private():
    values = [exact.delta_lower(Slot(m, 1.5, 0.7), 0.2) for m in range(1, 30)]
    assert all(later <= earlier * (1 + 1e-12) for earlier, later in zip(values, values[1:], strict=False))
