"""Gaussian mechanisms above and below a protocol, beside exact values at 60 digits."""

import json
from math import inf

import mpmath as mp
import pytest

from pldcheck import Gaussian, Laplace, ParameterError, RandomAllocation, RandomizedResponse, SubsampledGaussian
from pldcheck.protocols.gaussian_dominance import GaussianDominance, gaussian_dominance
from pldcheck.protocols.profile_points import profile_points

mp.mp.dps = 60


def quantile(probability):
    return mp.sqrt(2) * mp.erfinv(2 * probability - 1)


def curve(mu, epsilon):
    mu, epsilon = mp.mpf(mu), mp.mpf(epsilon)
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("delta", [0.0, 0.015625])
def test_randomized_response_touches_a_gaussian_at_its_corner(delta):
    answer = RandomizedResponse(steps=1, eps0=1.0).gdp(delta)
    corner = 1 / (1 + mp.e)
    exact = -quantile(corner) - quantile(corner + mp.mpf(delta))
    assert answer.dominating.lower <= exact <= answer.dominating.upper < exact * (1 + mp.mpf("2e-5"))
    assert answer.dominating.lower > exact * (1 - mp.mpf("0.001"))


@pytest.mark.nightly
def test_nothing_below_a_bounded_loss_but_with_an_allowance():
    assert tuple(RandomizedResponse(steps=1, eps0=1.0).gdp().dominated) == (0.0, 0.0)
    allowed = mp.mpf("0.015625")
    lower, upper = RandomizedResponse(steps=1, eps0=1.0).gdp(0.015625).dominated

    def room(mu):
        """Return the least of delta + allowance - G_mu over many epsilons, the ends of pieces among them."""
        places = [mp.mpf(n) / 200 for n in range(400)]
        deltas = [max((mp.e - mp.exp(place)) / (1 + mp.e), 0) for place in places]
        return min(one + allowed - curve(mu, place) for one, place in zip(deltas, places, strict=True))

    assert room(lower) >= 0 and room(upper * 1.001) < 0 and 0.9 * upper < lower


@pytest.mark.nightly
def test_gaussian_noise_is_its_own_parameter():
    answer = Gaussian(sigma=3.0, steps=2).gdp()
    exact = mp.sqrt(2) / 3
    for one in (answer.dominating, answer.dominated):
        assert one.lower <= exact <= one.upper and one.width < 1e-15
    # The general route has the same number between its ends, but for the tail that the allowance covers.
    points = profile_points(Gaussian(sigma=3.0, steps=2), 1e-9, 33, None)
    wide = gaussian_dominance(*points, 0.0)
    assert wide.dominating.lower <= exact <= wide.dominated.upper and wide.dominating.upper == inf
    near = Gaussian(sigma=3.0, steps=2).gdp(1e-9)
    assert near.dominating.lower < exact < near.dominated.upper
    assert 0.99 * exact < near.dominated.lower and near.dominating.upper < 1.01 * exact


@pytest.mark.parametrize("protocol", [Laplace(1.0), SubsampledGaussian(1.0, 0.25)], ids=["laplace", "sampled"])
@pytest.mark.nightly
def test_the_curve_is_below_what_dominates_and_above_what_is_dominated(protocol):
    answer = protocol.gdp(1e-4)
    for place in range(0, 60):
        epsilon = place / 13.0
        lower, upper = protocol.delta(epsilon)
        assert lower <= curve(answer.dominating.upper, epsilon) + mp.mpf(1e-4)
        assert curve(max(answer.dominated.lower, 1e-9), epsilon) <= upper + mp.mpf(1e-4)
    assert 0.0 < answer.dominated.lower <= answer.dominated.upper <= answer.dominating.upper < inf


@pytest.mark.nightly
def test_one_direction_is_dominated_in_both_orders():
    both = [
        RandomAllocation(1, 1.0, check_in_prob=0.25, adjacency=one).gdp(1e-4) for one in ("remove", "add", "add-remove")
    ]
    least = [one.dominating for one in both]
    # The claim is about both orders, so each direction has the number of the worse one.
    for one in least:
        assert all(one.lower <= other.upper for other in least) and one.relative_width < 0.02


@pytest.mark.nightly
def test_without_a_certified_tail_nothing_dominates():
    assert SubsampledGaussian(1.0, 0.25).gdp().dominating.upper == inf


@pytest.mark.nightly
def test_what_is_stored_is_read_again():
    answer = RandomizedResponse(steps=1, eps0=1.0).gdp(0.25, points=5)
    assert GaussianDominance.from_dict(json.loads(json.dumps(answer.to_dict()))) == answer
    assert str(answer).splitlines()[0].endswith("with 0.25 beside it") and "dominated mu in [" in answer._repr_html_()
    with pytest.raises(ParameterError, match="delta must be at least 0 and below 1"):
        Laplace(1.0).gdp(1.0)
