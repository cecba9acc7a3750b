"""Sums of responses by power sums, against ball arithmetic response by response."""

import math
from fractions import Fraction

import numpy as np
import pytest
from certificates import RESOLUTION, contains
from flint import acb, arb, ctx

from pldcheck import pld
from pldcheck.core.directed import Side
from pldcheck.core.roots import NOTHING, cross
from pldcheck.pld import loss_inversion, response_sums
from pldcheck.pld.loss_total import Total
from pldcheck.pld.step_losses import Responses
from pldcheck.pld.tilted_total import tilt
from pldcheck.protocols import RandomizedResponse
from tests.oracles.different_responses import STEP, WIDTH, multiples
from tests.oracles.stored_values import the_one

UNIT = 2.0**-53
RNG = np.random.default_rng(3)
KINDS = {
    "tiny": (np.full(3, 1e-9), 1.0),
    "one, often": (np.array([3e-3]), 1e6),
    "one, very often": (np.array([1e-6]), 1e12),
    "alike": (RNG.uniform(0.005, 0.015, 300), 1.0),
    "large": (RNG.uniform(0.5, 3.0, 40), 1.0),
    "largest": (np.array([1.2, 8.0, 20.0, 20.0]), 2.0),
    "of all sizes": (10.0 ** RNG.uniform(-8.0, 1.3, 60), 1.0),
}
TILTS = [-0.5, -0.3, 1e-12, 1e-3, 0.5, 2.0, 40.0, 1e4]


def total(name):
    eps0, count = KINDS[name]
    return Total.of([(Responses(eps0), int(count))])


def exact(name, z):
    """Return log M(z) from the definition, z a ball; logarithms of single responses are small enough to be principal
    ones.
    """
    eps0, count = KINDS[name]
    log_sum = acb(0)
    for e in map(arb, eps0.tolist()):
        log_sum += ((e * (z + 1)).exp() + (-e * z).exp()).log() - (1 + e.exp()).log()
    return acb(count) * log_sum


def test_the_coefficients_of_the_series_are_the_known_ones():
    # tanh w = w - w^3/3 + 2 w^5/15 - 17 w^7/315 + 62 w^9/2835, integrated.
    coefficients = [Fraction(1, 2), Fraction(-1, 12), Fraction(1, 45), Fraction(-17, 2520), Fraction(31, 14175)]
    assert response_sums.coefficients(20)[:5] == tuple(map(float, coefficients))
    for k, a in enumerate(response_sums.coefficients(20)[1:], 2):
        assert 1.0 - 1e-12 < k * abs(a) * (math.pi / 2) ** (2 * k) <= 1.0147


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("theta", TILTS)
def test_the_cumulant_is_within_its_error(name, theta):
    state = tilt(total(name), theta)
    with ctx.workprec(400):
        truth = exact(name, acb(theta)).real
        assert abs(arb(state.cumulant) - truth) <= arb(state.error)
        step = arb(2) ** -60
        near = [exact(name, acb(arb(theta) + i * step)).real for i in (-1, 0, 1)]
        mean, variance = (near[2] - near[0]) / (2 * step), (near[2] - 2 * near[1] + near[0]) / step**2
    eps0, count = KINDS[name]
    size = float(np.sum(eps0 * (1.0 + abs(theta)))) * count
    assert state.error <= 1e-12 * size
    assert state.mean == pytest.approx(float(mean), rel=1e-9, abs=1e-12 * size)
    assert state.variance == pytest.approx(float(variance), rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("theta", [1e-3, 0.5, 2.0, 40.0])
@pytest.mark.parametrize("evenly", [True, False])
def test_the_characteristic_function_is_within_its_error(name, theta, evenly):
    sum_total = total(name)
    state = tilt(sum_total, theta)
    s = np.arange(12.0) * 0.31 if evenly else np.array([0.0, 1e-3, 0.1, 1.0, 3.0, 7.0, 20.0, 300.0])
    s = s / state.variance**0.5
    values, doubt = state.log_characteristic(s)
    size = float(np.sum(sum_total.responses * sum_total.response_counts))
    with ctx.workprec(400):
        base = exact(name, acb(theta))
        for frequency, value, error in zip(s.tolist(), values.tolist(), doubt.tolist(), strict=True):
            truth = (exact(name, acb(theta, frequency)) - base).exp()
            value_ball = acb(value.real, value.imag).exp()
            assert not abs(value_ball - truth) > abs(value_ball) * (arb(error).exp() - 1), frequency
            # Round-offs of a phase, and of as many factors as there are; where one vanishes nothing is known.
            if value.real > -30.0:
                assert error <= 1e3 * UNIT * (1.0 + size * frequency * (1.0 + theta) + sum_total.responses.size)


@pytest.mark.parametrize("name", ["alike", "of all sizes", "large"])
def test_the_series_and_the_sum_over_responses_agree(name, monkeypatch):
    """The series against the visit of every response, at frequencies where both are used."""
    s = np.linspace(0.0, 30.0, 50)
    one = tilt(total(name), 0.7).log_characteristic(s)
    monkeypatch.setattr(response_sums, "RATIO", 1e-30)
    other = tilt(total(name), 0.7).log_characteristic(s)
    allowance = np.expm1(one[1]) + np.expm1(other[1])
    assert np.all(np.abs(np.exp(one[0] - other[0]) - 1.0) <= allowance + 1e-15)
    assert np.all(allowance[np.exp(one[0].real) > 1e-6] < 1e-9)


def test_the_ladder_holds_every_response_once():
    eps0, _ = KINDS["of all sizes"]
    rungs = response_sums.ladder(eps0, np.arange(eps0.size, dtype=float))
    pairs = sorted((e, c) for rung in rungs for e, c in zip(rung.eps0, rung.counts, strict=True))
    assert pairs == sorted(zip(eps0, np.arange(eps0.size, dtype=float), strict=True))
    assert all(rung.eps0.max() == rung.top for rung in rungs) and len(rungs) <= response_sums.MOST_RUNGS
    assert all(rung.eps0.min() * response_sums.SPREAD > rung.top for rung in rungs[:-1])


@pytest.mark.parametrize(
    ("count", "largest"), [(30, 400), (100, 200), (600, 40), pytest.param(3000, 12, marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-15])
def test_epsilon_of_different_responses_is_enclosed(count, largest, delta):
    # Multiples of 2^-9, so that the truth is a product of polynomials in ball arithmetic.
    interval = pld.randomized_responses(np.array(multiples(count, largest)) * STEP).epsilon(delta)
    truth, least, most = (
        the_one("different_responses", count=count, largest=largest, delta=delta, share=share)
        for share in (1.0, 1.0 + WIDTH, 1.0 - WIDTH)
    )
    assert interval.lower <= truth.upper and truth.lower <= interval.upper
    # Neither end has a delta that differs by more than a share of it, or they are neighbours in double precision.
    is_resolved = interval.upper - interval.lower <= RESOLUTION * interval.upper
    assert is_resolved or (least.upper <= interval.lower and interval.upper <= most.lower), interval


@pytest.mark.parametrize("width", [1e-3, 1e-6, 1e-7])
def test_an_answer_has_the_requested_width(width):
    budgets = np.random.default_rng(0).uniform(0.1, 0.5, 100)
    interval = pld.randomized_responses(budgets).delta(15.0, width)
    assert interval.relative_width <= 1.01 * width
    assert contains(pld.randomized_responses(budgets).delta(15.0, 1e-3), arb(0.5 * (interval.lower + interval.upper)))


def test_a_million_responses_are_as_narrow_as_a_thousand():
    # They had a relative width of 1e-2: more smoothing was tried as work was to be saved, and saved nothing.
    budgets = np.random.default_rng(0).uniform(0.0015, 0.0045, 10**6)
    interval = pld.randomized_responses(budgets).epsilon(1e-6)
    assert interval.relative_width < 1e-7
    # A sum so smooth is Gaussian but for its second order: the loss N(v/2, v) with v the variance of the sum.
    near = pld.gaussian(float(np.sum(budgets**2)) ** -0.5).epsilon(1e-6)
    assert interval.upper == pytest.approx(near.upper, rel=1e-4)


def test_equal_responses_are_counted():
    # As many objects as there are steps, or one object: the sum is the same, and written out value by value.
    apart = pld.randomized_responses(np.full(1000, 0.1)).epsilon(1e-6)
    together = pld.randomized_response(0.1).compose(1000).epsilon(1e-6)
    assert (apart.lower, apart.upper) == (together.lower, together.upper)
    eps0, counts = response_sums.merge_equal(np.array([0.2, 0.1, 0.2, 0.1, 0.2]), np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert eps0.tolist() == [0.1, 0.2] and counts.tolist() == [6.0, 9.0]
    assert response_sums.merge_equal(np.empty(0), np.empty(0))[0].size == 0


@pytest.mark.nightly
def test_many_different_responses_are_answered_by_one_contour():
    """Some 300 nodes tell a sum of so many well: they are not made fewer, and more epsilons than one are looked at."""
    interval = RandomizedResponse(steps=10**5, eps0=1e-12, eps0_last=20.0).epsilon(1e-100)
    assert interval.width <= 1e-6 * interval.lower


def test_an_end_next_to_the_first_look_is_found_by_small_steps():
    """The next look is a few units off, not at half, if the secant's step is less than a unit."""
    looks, root, slope = [], 396806.6422170022, 0.0278

    def value(epsilon):
        looks.append(epsilon)
        return math.exp(-slope * (epsilon - root) - 4e-13)

    root_found = cross(value, 1.0, root + 3.0, slope, math.inf, side=Side.LOWER)
    assert value(root_found) > 1.0 and min(looks) > root - 1.0


def test_a_sum_that_would_take_too_many_visits_is_left_alone():
    """Far below its mean it takes a long period; smoothed by more than it is wide little would be known of it."""
    sum_of_all = Total.of([(Responses(np.linspace(1e-4, 1.6, 2 * 10**5)), 1)])
    period_contour = loss_inversion.contour(sum_of_all, 2.6e-6, 0.0, 1.0, 1e-6)
    assert period_contour.visits <= loss_inversion.EXCESS * loss_inversion.MOST_WORK
    ends = period_contour.ends(0.5)
    assert ends.lower == 0.0 and ends.upper == 1.0


def test_a_search_without_any_answers_comes_to_an_end():
    looks = []

    def value(epsilon):
        looks.append(epsilon)
        return 0.0

    assert cross(value, 1e-6, 1.0, 1.0, 2.0, side=Side.LOWER) == 0.0
    assert len(looks) <= NOTHING + 1
