"""One sample that is used for several releases: closed forms of one sample, and compositions of several."""

import naive
import pytest
from flint import arb

from pldcheck import SubsampledGaussian, pld
from pldcheck.core.errors import ParameterError
from pldcheck.pld.loss_sides import Attained, Dominating, between
from pldcheck.protocols import ReusedSample


@pytest.mark.parametrize("releases", [1, 2, 7, 16, 1000])
@pytest.mark.parametrize(("sigma", "rate"), [(8.0, 0.1), (15.0, 0.01), (40.0, 0.7)])
def test_one_sample_encloses_its_closed_form(sigma, rate, releases):
    exact = arb(sigma) / arb(releases).sqrt()
    for epsilon in (0.0, 0.01, 0.5, 3.0):
        interval = ReusedSample(sigma, rate, releases).delta(epsilon)
        truth = max(
            (naive.sampled_gaussian_delta(exact, rate, arb(epsilon), backward=backward) for backward in (False, True)),
            key=float,
        )
        assert arb(interval.lower) <= truth <= arb(interval.upper), epsilon
        replaced = ReusedSample(sigma, rate, releases, sampling="poisson-replaced").delta(epsilon)
        truth = naive.replaced_gaussian_delta(exact, rate, epsilon)
        assert arb(replaced.lower) <= truth <= arb(replaced.upper), epsilon


@pytest.mark.parametrize("sampling", ["poisson", "poisson-replaced", "fixed-size"])
def test_where_the_root_is_a_float_it_is_sampled_noise(sampling):
    reused = ReusedSample(4.0, 0.05, 16, steps=30, sampling=sampling)
    once = SubsampledGaussian(1.0, 0.05, steps=30, sampling=sampling)
    assert reused.epsilon(1e-6) == once.epsilon(1e-6) and reused.renyi(8.0) == once.renyi(8.0)
    assert (reused.adjacency, reused.scope, reused.bound_sources) == (once.adjacency, once.scope, once.bound_sources)


@pytest.mark.parametrize("sampling", ["poisson", "poisson-replaced"])
def test_too_little_noise_for_so_many_releases_is_refused(sampling):
    with pytest.raises(ParameterError, match="sigma must be .* times the root of releases = 10000, got 1.5"):
        ReusedSample(1.5, 0.1, 10_000, sampling=sampling).epsilon(1e-6)


def test_noise_that_vanishes_is_refused_by_its_own_value():
    with pytest.raises(ParameterError, match="above 1e-06 times the root of releases = 1000000000, got 1e-06"):
        ReusedSample(1e-6, 0.1, 10**9)


def test_a_sample_used_again_costs_more_than_a_new_one():
    reused, anew = ReusedSample(1.0, 0.1, 10).epsilon(1e-6), SubsampledGaussian(1.0, 0.1, 10).epsilon(1e-6)
    # The closed form of one sample on both sides of the epsilon that the docstring prints.
    noise = 1 / arb(10).sqrt()
    below, above = (naive.sampled_gaussian_delta(noise, 0.1, arb(e), backward=False) for e in (15.55, 15.56))
    assert below > arb(1e-6) > above and 15.55 <= reused.upper and reused.lower <= 15.56
    assert reused.lower > 4.0 * anew.upper


def test_an_enclosed_mechanism_has_the_lower_end_of_one_and_the_upper_end_of_the_other():
    less, more = (pld.subsampled_gaussian(sigma, 0.1).compose(20) for sigma in (1.1, 1.0))
    both = between(Attained(less), Dominating(more))
    for one, low, high in ((both, less, more), (both.reversed, less.reversed, more.reversed)):
        interval = one.one_way.delta(0.5)
        assert interval.lower == low.one_way.delta(0.5).lower and interval.upper == high.one_way.delta(0.5).upper
    symmetric = between(Attained(pld.gaussian(1.1)), Dominating(pld.gaussian(1.0)))
    assert symmetric.epsilon(1e-5).lower <= pld.gaussian(1.1).epsilon(1e-5).upper < symmetric.epsilon(1e-5).upper
