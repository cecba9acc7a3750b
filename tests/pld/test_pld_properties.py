import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pldcheck import pld

FEW_EXAMPLES = settings(max_examples=15)


@st.composite
def pairs(draw, largest=4):
    size = draw(st.integers(2, largest))
    masses = st.lists(st.integers(1, 1000), min_size=size, max_size=size)
    p, q = np.array(draw(masses), dtype=float), np.array(draw(masses), dtype=float)
    return p / p.sum(), q / q.sum()


@st.composite
def mechanisms(draw):
    kind = draw(st.sampled_from(["response", "gaussian", "laplace", "pair"]))
    if kind == "pair":
        return pld.from_pmf(*draw(pairs()))
    size = draw(st.floats(0.05, 3.0))
    return {"response": pld.randomized_response, "gaussian": pld.gaussian, "laplace": pld.laplace}[kind](size)


def overlap(a, b):
    return a.lower <= b.upper and b.lower <= a.upper


@pytest.mark.nightly
@FEW_EXAMPLES
@given(mechanisms(), st.integers(1, 30))
def test_curve_falls_and_agrees_with_its_points(mechanism, copies):
    composition = mechanism.compose(copies)
    epsilons = np.linspace(0.0, 4.0, 9)
    curve = composition.delta(epsilons)
    assert np.all(curve.lower[1:] <= curve.upper[:-1])
    for i, epsilon in enumerate(epsilons):
        point = composition.delta(float(epsilon))
        assert curve.lower[i] <= point.upper and point.lower <= curve.upper[i]
    interval = composition.delta(epsilons[::-1])
    assert np.all(interval.lower[::-1] <= curve.upper) and np.all(curve.lower <= interval.upper[::-1])


@FEW_EXAMPLES
@given(pairs(), st.integers(1, 8), st.floats(0.0, 3.0))
def test_merging_outcomes_is_no_less_private(pair, copies, epsilon):
    p, q = pair
    merger = pld.from_pmf([p[0] + p[1], *p[2:]], [q[0] + q[1], *q[2:]]).compose(copies)
    assert merger.delta(epsilon).lower <= pld.from_pmf(p, q).compose(copies).delta(epsilon).upper


@settings(max_examples=6)
@given(st.lists(mechanisms(), min_size=2, max_size=4), st.floats(0.0, 5.0))
def test_order_of_composition_does_not_matter(parts, epsilon):
    assert overlap(pld.compose_all(parts).delta(epsilon), pld.compose_all(parts[::-1]).delta(epsilon))
    one_by_one = parts[0]
    for part in parts[1:]:
        one_by_one = one_by_one.compose(part)
    assert overlap(pld.compose_all(parts).delta(epsilon), one_by_one.delta(epsilon))


@pytest.mark.long
@FEW_EXAMPLES
@given(mechanisms(), st.floats(0.0, 5.0))
def test_a_power_of_a_power_is_the_power_of_the_product(mechanism, epsilon):
    assert overlap(mechanism.compose(2).compose(3).delta(epsilon), mechanism.compose(6).delta(epsilon))
    assert overlap(mechanism.compose(5).compose(mechanism).delta(epsilon), mechanism.compose(6).delta(epsilon))


@FEW_EXAMPLES
@given(pairs(), st.integers(1, 5), st.floats(0.0, 2.0))
def test_reversed_pair_has_the_same_two_way_answer(pair, copies, epsilon):
    forward, back = pld.from_pmf(*pair).compose(copies), pld.from_pmf(*pair[::-1]).compose(copies)
    assert overlap(forward.delta(epsilon), back.delta(epsilon))
    assert overlap(forward.delta(epsilon), forward.reversed.delta(epsilon))
    ways = forward.one_way.delta(epsilon), forward.reversed.one_way.delta(epsilon)
    assert forward.delta(epsilon).upper == max(way.upper for way in ways)


@pytest.mark.nightly
@FEW_EXAMPLES
@given(mechanisms(), st.integers(1, 50), st.sampled_from([1e-9, 1e-7, 1e-4, 1e-2, 0.5]))
def test_any_width_contains_the_same_truth(mechanism, copies, width):
    composition = mechanism.compose(copies)
    assert overlap(composition.delta(1.0, width), composition.delta(1.0))
    assert overlap(composition.epsilon(1e-5, width), composition.epsilon(1e-5))


@FEW_EXAMPLES
@given(mechanisms(), st.integers(1, 50), st.floats(1e-9, 0.2))
def test_epsilon_undoes_delta(mechanism, copies, delta):
    composition = mechanism.compose(copies)
    interval = composition.epsilon(delta)
    assert composition.delta(interval.upper).lower <= delta
    if interval.lower > 0.0:
        assert composition.delta(interval.lower).upper >= delta


@FEW_EXAMPLES
@given(mechanisms(), st.floats(1e-8, 0.1))
def test_more_copies_are_less_private(mechanism, delta):
    ends = [mechanism.compose(k).epsilon(delta) for k in (1, 2, 5, 20)]
    assert all(a.lower <= b.upper for a, b in zip(ends, ends[1:], strict=False))


def test_budget_adds_up_to_the_width():
    for mechanism in (pld.randomized_response(0.3).compose(50), pld.subsampled_gaussian(1.0, 0.1).compose(7)):
        interval = mechanism.delta(0.7)
        parts = interval.budget.to_dict()
        assert sum(parts.values()) >= interval.width * (1 - 1e-9) and min(parts.values()) >= 0.0
        assert parts["truncation"] + parts["rounding"] <= 1e-8 * interval.upper


def test_same_object_twice_costs_one_part():
    step = pld.randomized_response(0.2)
    with_repeats, power = pld.compose_all([step] * 500), step.compose(500)
    assert with_repeats.epsilon(1e-6).upper == pytest.approx(power.epsilon(1e-6).upper, rel=1e-12)
