import math

import naive
import numpy as np
import pytest
from scipy.optimize import brentq

from pldcheck.hidden_slot.worst import worst_intervals, worst_lower
from pldcheck.hidden_slot.worst.slot_problem import Slot
from pldcheck.hidden_slot.worst.step_laws import LAWS, Steps
from pldcheck.hidden_slot.worst.worst_upper import Plan, delta_upper


@pytest.mark.parametrize("law", [worst_lower.BE, worst_lower.CF])
@pytest.mark.parametrize("m", [1, 2, 7, 40, 333])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.4, 0.9])
def test_two_point_encloses_the_binomial_sum(law, m, eps0, share):
    for weight in (1.0, 0.1):
        epsilon = share * math.log1p(weight * math.expm1(eps0))
        low, high = worst_lower.two_point(Slot(m, eps0, weight), epsilon, law)
        exact = naive.two_point_delta(m, eps0, epsilon, weight, LAWS[law].name)
        assert low <= exact.upper() and high >= exact.lower()
        # Containment alone could be had by any wide answer.  Upper ends never say less than 1e-300 (underflow).
        assert high - low <= 1e-10 * high + 1.01e-300
        if exact.lower() > 1e-300:
            assert low > 0


@pytest.mark.parametrize("m", [2, 30, 120])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 2.0, 4.0, 6.0])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.7])
def test_three_point_is_just_below_the_trinomial_sum(m, eps0, share):
    for weight in (1.0, 0.1):
        epsilon = share * math.log1p(weight * math.expm1(eps0))
        value = worst_lower.three_point(Slot(m, eps0, weight), epsilon)
        exact = naive.three_point_delta(m, eps0, epsilon, weight)
        assert value <= exact.upper()
        # Far below any delta of interest the tail that is dropped may be all there is.
        if exact.lower() > 1e-60:
            assert value >= (1 - 1e-8) * float(exact.lower())


@pytest.mark.nightly
def test_walk_survives_a_threshold_that_runs_away_from_the_mean():
    # The inner tail falls by 50 orders of magnitude along the walk; its differences once ate all precision and gave 0.
    # Independent value: merged walk under the constant policy ACE, below in convex order.
    from pldcheck.hidden_slot.worst.threshold_policies import Policy

    always = Policy(np.array([10**4]), np.array([0, 1]), np.array([-np.inf]), np.array([worst_lower.ACE]))
    walk_delta = worst_lower.with_policy(Slot(10**4, 4.0, 1.0), 1.2, always, 0.07).delta
    direct = worst_lower.three_point(Slot(10**4, 4.0, 1.0), 1.2)
    assert walk_delta <= direct <= 1.001 * walk_delta


@pytest.mark.parametrize("m", [10**6, 10**9, 10**12])
def test_long_walks_agree_with_the_normal_limit(m):
    # Central limit theorem: epsilon = z w sigma/sqrt(m) gives delta -> w sigma/sqrt(m) (phi(z) - z Phi(-z)); at x =
    # e the correction is O(z^3/sqrt(m)).
    z = 3.0
    values, probabilities = Steps(1.0, 0.0).law(worst_lower.ACE)
    sigma = float(np.sqrt(probabilities @ values**2))
    epsilon = z * sigma / math.sqrt(m)
    limit = sigma / math.sqrt(m) * (math.exp(-z * z / 2) / math.sqrt(2 * math.pi) - z * math.erfc(z / math.sqrt(2)) / 2)
    assert worst_lower.three_point(Slot(m, 1.0, 1.0), epsilon) == pytest.approx(limit, rel=40 / math.sqrt(m) + 1e-5)


@pytest.mark.parametrize("eps0", [1.0, 4.0])
@pytest.mark.parametrize("share", [0.1, 0.3])
def test_policy_on_merged_states_is_below_the_exact_value(eps0, share):
    m, epsilon = 10, share * eps0
    policy = delta_upper(Slot(m, eps0, 1.0), epsilon, Plan(0.02, m), record=True).policy
    exact = naive.hidden_slot_delta(m, eps0, epsilon, 1.0)
    deltas = [worst_lower.with_policy(Slot(m, eps0, 1.0), epsilon, policy, grid).delta for grid in (0.4, 0.1, 0.02)]
    assert all(delta <= exact.upper() for delta in deltas)
    assert deltas[-1] >= 0.98 * float(exact.lower())


@pytest.mark.parametrize(("m", "eps0", "epsilon"), [(10**6, 1.0, 4e-3), (10**9, 1.0, 1.2e-4), (10**9, 4.0, 1e-3)])
def test_grouped_walk_is_below_the_whole_one_and_near(m, eps0, epsilon, monkeypatch):
    slot = Slot(m, eps0, 1.0)
    monkeypatch.setattr(worst_lower, "LEAST_GROUP", m)
    whole = worst_lower.three_point(slot, epsilon)
    monkeypatch.setattr(worst_lower, "LEAST_GROUP", 1)
    assert 0.9999 * whole <= worst_lower.three_point(slot, epsilon) <= whole


@pytest.mark.parametrize("law", [worst_lower.BE, worst_lower.CF])
@pytest.mark.parametrize(("m", "eps0", "z"), [(10**9, 1.0, 5.0), (10**11, 0.1, 1.0), (10**9, 4.0, 20.0)])
def test_two_point_by_chords_is_below_the_sum_and_near(law, m, eps0, z):
    epsilon = z * Steps(eps0, 0.0).deviation / math.sqrt(m)
    low, _ = worst_lower.two_point(Slot(m, eps0, 1.0), epsilon, law)
    lower = worst_lower.two_point_lower(Slot(m, eps0, 1.0), epsilon, law)
    assert (1 - 3e-5) * low <= lower <= low * (1 + 1e-9)


@pytest.mark.parametrize("m", [61, 1000, 10**6, 10**10])
@pytest.mark.parametrize("eps0", [0.1, 0.7, 1.0, 4.0, 8.0])
@pytest.mark.parametrize("weight", [1.0, 0.03])
@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-30])
def test_epsilon_is_the_largest_of_the_laws(m, eps0, weight, delta):
    slot = Slot(m, eps0, weight)
    epsilon, solution = worst_lower.single_law_epsilon(slot, delta)
    values = [worst_lower.single_law(slot, epsilon, law).delta for law in range(3)]
    if epsilon == 0.0:
        assert max(values) <= delta
        return
    assert solution.delta == max(values) >= delta
    beyond = epsilon + 3e-6 * min(epsilon, slot.cap - epsilon)
    # At the cap steps of epsilon are lost in round-off.
    assert epsilon > 0.999 * slot.cap or all(
        worst_lower.single_law(slot, beyond, law).delta < delta for law in range(3)
    )


@pytest.mark.parametrize(("m", "weight"), [(2 * 10**8, 0.5), (10**9, 0.5), (10**9, 0.1), (10**10, 0.5)])
def test_two_point_is_zero_where_its_last_outcome_is(m, weight):
    # At eps0 = 1, BE reaches zero at -log(1 - w (1 - 1/x)), below the cap if w < 1: there tau is beyond all m trials.
    # What lies between once ended the process.
    slot = Slot(m, 1.0, weight)
    last = -math.log1p(weight * math.expm1(-1.0))
    for share in (1e-6, 0.1, 0.5, 0.999):
        epsilon = last + share * (slot.cap - last)
        assert worst_lower.two_point_lower(slot, epsilon, worst_lower.BE) == 0.0
        assert 0.0 <= worst_lower.two_point_lower(slot, epsilon, worst_lower.CF) < 1e-300
        interval = worst_intervals.delta(slot, "replace", epsilon, 0.01)
        assert interval.lower == 0.0 and interval.upper <= 1e-300


@pytest.mark.parametrize(
    ("slot", "delta"),
    [
        (Slot(353731970351, 1.2637469862941701, 1.0), 3.961491229715838e-07),
        (Slot(10**12, 1.0, 1.0), 3e-7),
        (Slot(881574983129, 4.620040143885964, 0.34091331103547136), 6.323636842176134e-08),
    ],
)
def test_epsilon_is_narrow_where_delta_is_near_its_largest(slot, delta):
    low, high = worst_intervals.epsilon(slot, "replace", delta, 0.005)
    # Independent value, central limit theorem: delta = sigma (phi(z) - z Phi(-z)) with the variance of ACE.
    values, probabilities = Steps(slot.eps0, 0.0).law(worst_lower.ACE)
    sigma = slot.weight * math.sqrt(float(probabilities @ values**2) / slot.steps)
    z = brentq(
        lambda z: sigma * (math.exp(-z * z / 2) / math.sqrt(2 * math.pi) - z * math.erfc(z / math.sqrt(2)) / 2) - delta,
        0.0,
        40.0,
    )
    assert low <= sigma * z * (1 + 1e-3) and sigma * z * (1 - 1e-3) <= high
    assert high <= 1.005 * low
