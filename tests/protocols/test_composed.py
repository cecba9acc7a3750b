"""Protocols that are compositions: each against the mechanism it stands for, and what they refuse."""

import pickle
from math import exp, expm1, log, log1p

import pytest

from pldcheck import pld
from pldcheck.core.errors import ParameterError
from pldcheck.protocols import (
    PROTOCOLS,
    Composition,
    DecayingBudgets,
    FixedBatches,
    Gaussian,
    GaussianMean,
    GaussianMixture,
    HiddenSlot,
    Laplace,
    MixedPair,
    RandomizedResponse,
    SubsampledGaussian,
    SubsampledRandomizedResponse,
)
from pldcheck.witness.composition_claims import rounds_of


def overlap(first, second):
    return first.lower <= second.upper and second.lower <= first.upper


def test_compositions_are_the_same_however_they_are_written():
    interval = Composition(("rr:0.1*20", "gaussian:5", "rr:0.3:1e-9"), 2).epsilon(1e-6)
    mechanisms = [pld.randomized_response(0.1)] * 20 + [pld.gaussian(5), pld.randomized_response(0.3, 1e-9)]
    assert overlap(interval, pld.compose_all(mechanisms).compose(2).epsilon(1e-6)) and interval.relative_width < 1e-6
    assert overlap(Gaussian(3.0, 7).epsilon(1e-6), Composition("gaussian:3*7").epsilon(1e-6))
    assert overlap(Laplace(3.0, 7).epsilon(1e-6), Composition("laplace:3*7").epsilon(1e-6))
    assert overlap(
        SubsampledGaussian(1.5, 0.02, 500).epsilon(1e-6), Composition("subsampled-gaussian:1.5:0.02*500").epsilon(1e-6)
    )
    listed = Composition([Gaussian(3.0, 7), RandomizedResponse(2, 0.5), "laplace:2"], 2)
    assert listed == Composition(("gaussian:3*7", "rr:0.5*2", "laplace:2"), 2) == pickle.loads(pickle.dumps(listed))
    # What has no text stays an object, and is composed and counted like the texts.
    uneven = RandomizedResponse(4, 0.1, 0.4)
    mixed = Composition([uneven, Composition(["rr:1", SubsampledGaussian(1.5, 0.02)])], 3)
    assert mixed.mechanism == (uneven, "rr:1", "subsampled-gaussian:1.5:0.02") and {mixed: 1}[mixed]
    whole = [uneven.loss, pld.randomized_response(1), pld.subsampled_gaussian(1.5, 0.02)]
    assert overlap(mixed.epsilon(1e-6), pld.compose_all(whole).compose(3).epsilon(1e-6))
    assert sum(part.count for part in mixed.parts) == 3 * (4 + 1 + 1)
    assert mixed.scope == "Poisson sampling (a record added or removed)"
    assert [one["count"] for one in rounds_of(mixed)] == [3] * 6


def test_evenly_spaced_budgets_compose_as_one_by_one():
    budgets = [0.1, 0.2, 0.3, 0.4]
    interval = RandomizedResponse(4, 0.1, 0.4).delta(0.35)
    assert overlap(interval, pld.compose_all(map(pld.randomized_response, budgets)).delta(0.35))
    assert RandomizedResponse(9, 0.1).epsilon(1e-3) == RandomizedResponse(9, 0.1, 0.1).epsilon(1e-3)


def test_decaying_budgets_compose_as_one_by_one():
    k, a, b = 5, 0.7, 0.4
    budgets = [log(1 + a / (k - b * (i - 1))) for i in range(1, k + 1)]
    assert overlap(
        DecayingBudgets(k, a, b).delta(0.3), pld.compose_all(map(pld.randomized_response, budgets)).delta(0.3)
    )


def test_a_mixed_pair_has_the_larger_divergence_of_both_directions():
    # Theory sheet 2, rdp-35: P = (.01, .99), Q = (.5, .5), p = .5, order 2: D(Q || mixture) = .2746.
    assert MixedPair(0.01, 0.5, 0.5).renyi(2.0).upper == pytest.approx(0.27457, abs=1e-5)
    mixture = 0.5 * 0.01 + 0.5 * 0.5
    divergence = log(0.25 / mixture + 0.25 / (1 - mixture))
    assert divergence in MixedPair(0.01, 0.5, 0.5).renyi(2.0)


def test_sampled_response_is_amplified_as_theorem_29_says():
    eps0, delta0, rate = 1.0, 1e-4, 0.2
    interval = SubsampledRandomizedResponse(eps0, rate, delta0).delta(log1p(rate * expm1(eps0)))
    assert interval.lower == pytest.approx(rate * delta0, rel=1e-8) == interval.upper


def test_a_fixed_share_is_at_least_as_revealing_as_a_poisson_sample():
    fixed_size = SubsampledGaussian(1.0, 0.05, 50, "fixed-size")
    poisson = SubsampledGaussian(1.0, 0.05, 50)
    assert (fixed_size.adjacency, poisson.adjacency) == ("replace", "add-remove")
    for delta in (1e-3, 1e-7):
        assert poisson.epsilon(delta).upper <= fixed_size.epsilon(delta).upper
        assert overlap(fixed_size.epsilon(delta), poisson.epsilon(delta))  # the same witnesses from below


def test_a_fixed_share_once_follows_the_mixture_curve():
    # Balle, Barthe, Gaboardi 2018, Theorem 8: delta' = rate * delta(log(1 + (e^eps' - 1)/rate)), attained.
    sigma, rate = 1.0, 0.1
    for epsilon in (0.05, 0.3):
        inner = pld.gaussian(sigma).delta(log1p(expm1(epsilon) / rate))
        interval = SubsampledGaussian(sigma, rate, 1, "fixed-size").delta(epsilon)
        assert interval.lower <= rate * inner.upper and rate * inner.lower <= interval.upper
        assert interval.upper <= interval.lower * (1 + 1e-3)


def test_the_error_of_a_private_mean_is_that_of_its_noise():
    n, d, epsilon = 1000, 100, 0.5
    interval = GaussianMean(n, d).error(epsilon)
    # Noise multiplier that makes one Gaussian (0.5, 1e-5)-DP, bisected here on the closed form.
    from statistics import NormalDist

    phi = NormalDist().cdf
    low, high = 1.0, 100.0
    for _ in range(100):
        sigma = (low + high) / 2
        mu = 1 / sigma
        delta = phi(-epsilon / mu + mu / 2) - exp(epsilon) * phi(-epsilon / mu - mu / 2)
        low, high = (sigma, high) if delta > 0.01 / n else (low, sigma)
    assert interval.lower == pytest.approx(sigma * d**0.5 / n, rel=2e-6) == interval.upper
    assert GaussianMean(10, 10**9).error(0.1).upper == 0.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Composition(()), "mechanism must be at least one"),
        (lambda: Composition("gauss:1"), "mechanism must be one of rr:EPS0"),
        (lambda: Composition("gaussian:x"), "mechanism must be a name and numbers"),
        (lambda: Composition("gaussian:1:2"), "mechanism must be gaussian:SIGMA, with"),
        (lambda: Composition("gaussian:-1"), "sigma must be above 0"),
        (lambda: Composition("gaussian:1*0"), "COUNT an integer from 1"),
        (
            lambda: Composition(("subsampled-rr:1:0.5", "gaussian:2", "fixed-size-gaussian:2:0.1*3")),
            "record added or removed or for one replaced, .* got 'subsampled-rr:1:0.5 and fixed-size-gaussian:2:0.1",
        ),
        (
            lambda: Composition([GaussianMixture(2.0, "1:0.02"), "fixed-size-gaussian:2:0.1"]),
            "record added or removed or for one replaced",
        ),
        (
            lambda: Composition([HiddenSlot(10, 1.0)]),
            "one loss, which hidden-slot lacks; pldcheck.accounting.Accountant",
        ),
        (lambda: Composition([3]), "mechanism must be text such as gaussian:2, a protocol such as"),
        (lambda: Composition([MixedPair(0.1, 0.2, 0.3)]), "mechanism must be with a loss in both directions"),
        (
            lambda: Composition([FixedBatches(1.0, 100, 10), FixedBatches(1.0, 200, 10)]),
            "the same data, with one value of records",
        ),
        (lambda: Composition([FixedBatches(1.0, 99, 10, group=2), "gaussian:1"]), "with one value of group"),
        (lambda: Gaussian(0.0), "sigma must be above 0"),
        (
            lambda: SubsampledGaussian(1.0, 0.1, 1, "shuffled"),
            "sampling must be one of poisson, poisson-replaced, fixed-size",
        ),
        (lambda: RandomizedResponse(10**9, 0.1, 0.2).loss, "steps must be at most 1e"),
        (lambda: RandomizedResponse(3, float("nan")), "eps0 must be above 0"),
    ],
)
def test_refusals_name_the_parameter(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_a_sample_of_all_records_goes_with_every_other():
    sampled, whole = Composition(("subsampled-gaussian:5:0.1", "fixed-size-gaussian:5:1")), Composition("gaussian:5")
    assert sampled.delta(0.5).lower > whole.delta(0.5).upper
    assert Composition(("subsampled-gaussian:5:1", "fixed-size-gaussian:5:0.1")).delta(0.5).upper < 1.0


def test_every_protocol_tells_its_parameters_and_adjacency():
    instances = [Composition("rr:1"), Gaussian(1.0), Laplace(1.0), MixedPair(0.1, 0.2, 0.3), GaussianMean(10, 10)]
    for instance in instances:
        assert PROTOCOLS[instance.name] is type(instance)
        assert instance.params() and instance.reduced.adjacency


def test_the_noise_of_a_gaussian_mean_is_searched_as_far_as_it_is():
    from pldcheck.protocols.gaussian_mean import GaussianMean

    # At epsilon 1e8 less noise than 1e-3 is enough, at 1e-12 more than 1e9 is needed: sigma ~ 1/sqrt(2 epsilon) here.
    interval = GaussianMean(clients=10, dimension=1).error(1e8)
    assert 0.0 < interval.lower <= interval.upper < 1e-4 / 10
    assert GaussianMean(clients=1000, dimension=10**6).error(1e-12).upper == 0.5
