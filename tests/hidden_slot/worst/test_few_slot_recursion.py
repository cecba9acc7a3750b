import naive
import pytest

from pldcheck.hidden_slot.worst import few_slot_recursion, worst_lower
from pldcheck.hidden_slot.worst.slot_problem import Slot
from pldcheck.hidden_slot.worst.worst_upper import Plan, delta_upper
from tests.oracles.stored_values import stored_values


def test_brackets_contain_the_multiset_value():
    """220 random cases against ball arithmetic over all five extreme laws: containment and width, grid and exact."""
    values = stored_values("few_slots")
    assert len(values) == 220
    for truth in values:
        m, eps0, weight, share, epsilon = truth.parameters.values()
        low, high = (
            few_slot_recursion.delta_lower(Slot(m, eps0, weight), epsilon),
            few_slot_recursion.delta_upper(Slot(m, eps0, weight), epsilon),
        )
        parameters = (m, eps0, weight, epsilon)
        assert low <= truth.upper and high >= truth.lower, parameters
        assert high - low <= 1e-10 * high + 1.01e-300, parameters
        grid = delta_upper(Slot(m, eps0, weight), epsilon, Plan(0.01, m)).delta
        assert grid >= truth.lower, parameters
        single = max(worst_lower.single_law(Slot(m, eps0, weight), epsilon, law).delta for law in range(3))
        assert single <= truth.upper, parameters
        # One or two steps onto the kink itself lose more; the engine has the exact recursion there.
        if m >= 4 and share < 0.5 and truth.lower > 1e-4:
            assert grid <= 1.03 * float(truth.upper), parameters


@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.09])
def test_one_slot_is_randomized_response(eps0, epsilon):
    for weight in (1.0, 0.3):
        truth = naive.randomized_response_delta(eps0, epsilon, weight)
        low, high = (
            few_slot_recursion.delta_lower(Slot(1, eps0, weight), epsilon),
            few_slot_recursion.delta_upper(Slot(1, eps0, weight), epsilon),
        )
        assert low <= truth.upper() and truth.lower() <= high and high - low <= 1e-12 * high + 1.01e-300


@pytest.mark.parametrize(("m", "eps0"), [(20, 1.0), (60, 1.0), (60, 4.0)])
def test_joined_blocks_stay_above_the_exact_value_of_the_whole(m, eps0):
    epsilon = 0.25 * eps0
    truth = few_slot_recursion.delta_lower(Slot(m, eps0, 1.0), epsilon)
    for block in (1, 2, 5, 10, m):
        value = delta_upper(Slot(m, eps0, 1.0), epsilon, Plan(0.02, block)).delta
        assert value >= truth
    assert value <= 1.02 * truth  # the last one is the whole walk


def test_more_slots_are_more_private():
    slots = [Slot(m, 1.5, 0.7) for m in range(1, 30)]
    ends = [(few_slot_recursion.delta_lower(slot, 0.2), few_slot_recursion.delta_upper(slot, 0.2)) for slot in slots]
    # One slot with weight 0.7 is as good as two: apart from that a slot more is worth a percent or more.
    assert all(later[0] <= earlier[1] for earlier, later in zip(ends, ends[1:], strict=False))
    assert all(later[1] < earlier[0] for earlier, later in zip(ends[2:], ends[3:], strict=False))
