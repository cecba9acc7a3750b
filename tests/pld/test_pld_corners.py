import naive
import pytest
from certificates import contains, right_epsilon
from flint import arb

from pldcheck import pld

# No answer asked for here visits more than half as many values of losses.
MOST_VISITS = 2e8


@pytest.fixture
def answer_within_limit(visits):
    """Return a function that runs a call and asserts that its work is bounded."""

    def run(call):
        visits.clear()
        answer = call()
        assert sum(visits) < MOST_VISITS
        return answer

    return run


def test_a_thousand_million_tiny_steps_are_answered_with_little_work(answer_within_limit):
    interval = answer_within_limit(lambda: pld.randomized_response(1e-5).compose(10**9).epsilon(1e-12))
    assert right_epsilon(interval, 1e-12, lambda e: naive.response_delta(1e-5, 10**9, e))
    assert interval.relative_width < 1e-6


@pytest.mark.parametrize("delta", [1e-3, 1e-12])
def test_the_largest_number_of_tiny_steps_is_answered_with_little_work(answer_within_limit, delta):
    # The central limit: a Gaussian of variance k eps0^2, to relative eps0.
    interval = answer_within_limit(lambda: pld.randomized_response(1e-9).compose(10**15).epsilon(delta))
    limit = pld.gaussian((1e15**0.5 * 1e-9) ** -1).epsilon(delta)
    assert interval.lower == pytest.approx(limit.lower, rel=1e-4) and interval.upper == pytest.approx(
        limit.upper, rel=1e-4
    )


@pytest.mark.parametrize(("copies", "delta"), [(1, 0.1), (7, 1e-10), (20, 1e-6)])
def test_the_largest_eps0_is_answered_with_little_work(answer_within_limit, copies, delta):
    interval = answer_within_limit(lambda: pld.randomized_response(20.0).compose(copies).epsilon(delta))
    assert right_epsilon(interval, delta, lambda e: naive.response_delta(20.0, copies, e))
    assert interval.relative_width < 1e-3


@pytest.mark.nightly
def test_all_kinds_of_law_together_are_answered_with_little_work(answer_within_limit):
    parts = [pld.gaussian(2.0), pld.laplace(1.0), pld.randomized_response(0.5), pld.subsampled_gaussian(1.0, 0.2)]
    interval = answer_within_limit(lambda: pld.compose_all([part.compose(5) for part in parts]).epsilon(1e-7))
    assert 0.0 < interval.relative_width < 1e-3
    # Between the largest of them and the sum of all.
    alone = [part.compose(5).epsilon(1e-7).lower for part in parts]
    assert max(alone) < interval.lower < interval.upper < sum(part.compose(5).epsilon(2.5e-8).upper for part in parts)


def test_sum_of_gaussian_and_response_is_a_mixture_of_gaussians(answer_within_limit):
    # E over the 8 outcomes of three responses of the closed form at epsilon - loss.
    p = [1 / (1 + (-arb(0.7)).exp()), 1 / (1 + arb(0.7).exp())]
    for epsilon in (0.3, 2.0, 6.0):
        truth = arb(0)
        for ones, ways in enumerate((1, 3, 3, 1)):
            loss = (3 - 2 * ones) * arb(0.7)
            truth += ways * p[0] ** (3 - ones) * p[1] ** ones * naive.gaussian_delta(arb(1), arb(epsilon) - loss)
        interval = answer_within_limit(
            lambda e=epsilon: pld.gaussian(1.0).compose(pld.randomized_response(0.7).compose(3)).delta(e)
        )
        assert contains(interval, truth) and interval.relative_width < 1e-6


def test_a_mechanism_with_hardly_any_loss_is_answered_with_little_work(answer_within_limit):
    interval = answer_within_limit(lambda: pld.gaussian(1e6).epsilon(1e-12))
    assert right_epsilon(interval, 1e-12, lambda e: naive.gaussian_delta(1 / arb(10) ** 12, e))


@pytest.mark.parametrize("delta", [0.999, 1 - 2.0**-53])
def test_a_delta_near_one_is_answered_with_little_work(answer_within_limit, delta):
    assert tuple(answer_within_limit(lambda: pld.randomized_response(1.0).compose(7).epsilon(delta))) == (0.0, 0.0)
    interval = answer_within_limit(lambda: pld.gaussian(0.05).epsilon(delta))
    assert right_epsilon(interval, delta, lambda e: naive.gaussian_delta(1 / arb(0.05) ** 2, e))


@pytest.mark.parametrize("delta", [1e-250, 1e-299, 1e-300, 5e-324])
def test_a_delta_near_underflow_is_answered_with_little_work(answer_within_limit, delta):
    for mechanism, exact in (
        (pld.gaussian(1.0), lambda e: naive.gaussian_delta(arb(1), e)),
        (pld.randomized_response(1.0).compose(1000), lambda e: naive.response_delta(1.0, 1000, e)),
    ):
        assert right_epsilon(answer_within_limit(lambda m=mechanism: m.epsilon(delta)), delta, exact)


def test_five_heavy_tailed_pairs_are_answered_with_little_work(answer_within_limit):
    # Rare outcomes with losses up to 23, others nearly alike.
    parts = [
        ([1 - 10.0**-i - 1e-10, 10.0**-i, 1e-10], [1 - 10.0 ** -(i + 3) - 1e-5, 10.0 ** -(i + 3), 1e-5])
        for i in range(2, 7)
    ]
    mechanism = pld.compose_all([pld.from_pmf(p, q) for p, q in parts])
    exact = [(naive.weights(p), naive.weights(q), 1) for p, q in parts]
    for epsilon in (0.0, 1.0, 5.03, 13.0, 20.0):
        interval = answer_within_limit(lambda e=epsilon: mechanism.one_way.delta(e))
        assert contains(interval, naive.products_delta(exact, epsilon)), epsilon


def test_a_law_with_one_value_many_times_is_answered_with_little_work(answer_within_limit):
    # Written out copy by copy it would take an hour.
    same = pld.from_pmf([0.5, 0.5], [0.5, 0.5]).compose(10**9)
    assert tuple(answer_within_limit(lambda: same.epsilon(1e-9))) == (0.0, 0.0)
    curve = pld.from_curve([0.0, 1.0], [1e-9, 1e-12]).compose(10**8)
    assert answer_within_limit(lambda: curve.delta(1.0)).lower == 0.0


@pytest.mark.nightly
@pytest.mark.parametrize("rate", [1e-3, 0.5, 1 - 1e-9])
def test_a_sample_of_fixed_size_is_answered_at_extreme_rates(answer_within_limit, rate):
    interval = answer_within_limit(lambda: pld.fixed_size_gaussian(1.0, rate).compose(10**4).epsilon(1e-9))
    once = pld.gaussian(1.0).compose(10**4).epsilon(1e-9)
    assert 0.0 <= interval.lower <= interval.upper <= 1.001 * once.upper
    assert interval.lower <= pld.subsampled_gaussian(1.0, rate).compose(10**4).epsilon(1e-9).upper


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_fixed_size_sample_is_between_one_direction_and_the_gaussian(answer_within_limit, rate):
    for copies in (1, 20):
        interval = answer_within_limit(lambda k=copies: pld.fixed_size_gaussian(1.0, rate).compose(k).delta(0.5))
        assert interval.upper >= pld.subsampled_gaussian(1.0, rate).compose(copies).delta(0.5).lower
        assert interval.lower <= pld.gaussian(1.0).compose(copies).delta(0.5).upper
