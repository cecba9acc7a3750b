"""Audits of two samplers: their confidence over many seeds, mechanisms that are not what they claim, and refusals."""

import doctest
import json
from math import exp, inf, log

import numpy as np
import pytest
from flint import arb, ctx
from scipy.stats import binom

import pldcheck
from pldcheck import Gaussian, HiddenSlot, Laplace
from pldcheck.core.errors import ParameterError
from pldcheck.core.interval import Interval
from pldcheck.study.attack import confidence_limits, event_limits
from pldcheck.study.sampler_audit import SamplerAudit, audit_by_events, audit_sampler, output_scores


def normal(mean, deviation=1.0):
    return lambda rng, count: mean + deviation * rng.standard_normal(count)


def coin(heads):
    return lambda rng, count: rng.random(count) < heads


# Randomized response with a budget of log 3.
RESPONSE = coin(0.75), coin(0.25)


def misses(seeds, beta, **arguments):
    """Return how many audits of randomized response show more than its epsilon, or delta somewhere above its curve."""
    answers = [
        audit_sampler(*RESPONSE, (log(3.0), 0.0), samples=200, beta=beta, seed=seed, **arguments)
        for seed in range(seeds)
    ]
    # The curve is (3 - e^epsilon)/4.
    return sum(
        answer.epsilon_lower > log(3.0) * (1 + 1e-12)
        or any(answer.delta_at(epsilon) > (3.0 - exp(epsilon)) / 4.0 for epsilon in (0.0, 0.5, 1.0))
        for answer in answers
    )


def most_misses(seeds, beta):
    """Return a number of misses that is exceeded with probability 1e-6 at most, if each has probability beta."""
    return int(binom.isf(1e-6, seeds, beta))


def test_the_bound_is_wrong_as_rarely_as_it_says():
    assert misses(300, 0.2, score=np.asarray) <= most_misses(300, 0.2) < 300


@pytest.mark.nightly
def test_the_bound_by_the_events_of_a_regression_is_wrong_as_rarely_as_it_says():
    assert misses(400, 0.2) <= most_misses(400, 0.2)


@pytest.mark.nightly
def test_counts_without_confidence_limits_are_wrong_more_often(monkeypatch):
    # The test of the confidence fails where limits are frequencies.
    monkeypatch.setattr(event_limits, "proportion_lower", lambda hits, trials, failure: hits / trials)
    monkeypatch.setattr(event_limits, "proportion_upper", lambda hits, trials, failure: max(hits, 1) / trials)
    assert misses(300, 0.2, score=np.asarray) > most_misses(300, 0.2)


@pytest.mark.nightly
def test_events_that_are_chosen_and_counted_on_the_same_outputs_are_wrong_more_often(monkeypatch):
    # Useless noise and a hundred coordinates: what looks best in one half does not in the other one.
    def same(name, sampler, stream, count, *, as_given):
        halves = {0: 0, 1: 1, 2: 0, 3: 1}
        return output_scores.table(name, sampler(np.random.default_rng(halves[stream.spawn_key[-1]]), count), count)

    def noise(rng, count):
        return rng.standard_normal((count, 24))

    honest = audit_sampler(noise, noise, (0.0, 0.0), samples=400, beta=0.9)
    assert not honest.contradicts
    monkeypatch.setattr(audit_by_events, "_draw", same)
    assert audit_sampler(noise, noise, (0.0, 0.0), samples=400, beta=0.9).contradicts


def test_noise_of_half_the_claimed_deviation_contradicts_the_claim():
    claim = Gaussian(sigma=2.0)
    answer = audit_sampler(normal(1.0), normal(0.0), claim, delta=1e-5)
    assert answer.verdict == "contradicts the claim" and answer.contradicts
    assert answer.epsilon_lower > answer.claim.certified.upper
    assert answer.delta_lower > 1e-5
    # It is not above what the noise has.
    assert answer.epsilon_lower < Gaussian(sigma=1.0).epsilon(1e-5).upper
    facts = json.loads(json.dumps(answer.to_dict()))
    assert facts["empirical"]["confidence"] == 1.0 - 1e-6 and facts["contradicts"] is True
    assert isinstance(answer, SamplerAudit) and not isinstance(answer, Interval)
    assert "empirical, confidence 1 - 1e-06" in str(answer) and str(answer).endswith("(confidence 1 - 1e-06)")


@pytest.mark.nightly
def test_noise_of_the_claimed_deviation_does_not():
    claim = Gaussian(sigma=1.0)
    answer = audit_sampler(normal(1.0), normal(0.0), claim, delta=1e-5)
    assert answer.verdict == "consistent with the claim"
    # The bound is no more than weak: half of epsilon, and most of delta at 0.
    assert answer.epsilon_lower > 0.4 * answer.claim.epsilon
    points = answer.curve([0.0, 1.0, 3.0])
    assert [point.certified for point in points] == [claim.delta(epsilon) for epsilon in (0.0, 1.0, 3.0)]
    assert all(point.delta_lower <= point.certified.upper for point in points)
    assert points[0].delta_lower > 0.9 * points[0].certified.lower


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("score", [None, lambda x: x])
def test_pairs_and_other_protocols_as_claims(seed, score):
    def laplace(mean, scale):
        return lambda rng, count: rng.laplace(mean, scale, count)

    options = {"seed": seed, "score": score, "beta": 1e-4}
    assert audit_sampler(laplace(1, 1), laplace(0, 1), Laplace(scale=2.0), delta=1e-9, **options).contradicts
    assert not audit_sampler(laplace(1, 1), laplace(0, 1), Laplace(scale=1.0), delta=1e-9, **options).contradicts
    # Pure DP of epsilon 1 holds of Laplace noise of scale 1 and of no smaller one.
    assert not audit_sampler(laplace(1, 1), laplace(0, 1), (1.0, 0.0), **options).contradicts
    answer = audit_sampler(laplace(1, 0.5), laplace(0, 0.5), (1.0, 0.0), **options)
    assert answer.contradicts and answer.claim.certified is None and answer.curve([1.0])[0].certified is None
    assert "which nothing certifies" in str(answer)


@pytest.mark.nightly
def test_a_hidden_slot_that_is_not_hidden_contradicts_the_protocol():
    # Randomized response in a slot that everyone knows, in place of one of a thousand.
    assert audit_sampler(*RESPONSE, HiddenSlot(steps=1000, eps0=log(3.0)), delta=1e-6).contradicts

    def hidden(heads):
        def sample(rng, count):
            outputs = rng.random((count, 10)) < 0.25
            outputs[np.arange(count), rng.integers(0, 10, count)] = rng.random(count) < heads
            return outputs

        return sample

    # The other slots answer as the record's replacement does.
    claim = HiddenSlot(steps=10, eps0=log(3.0))
    assert not audit_sampler(hidden(0.75), hidden(0.25), claim, delta=1e-6).contradicts


@pytest.mark.nightly
def test_both_directions_are_looked_at():
    # Only the second sampler has the output 2: no event of the first one shows more than log(3/2).
    def sampler(values):
        return lambda rng, count: rng.integers(0, values, count)

    answer = audit_sampler(sampler(2), sampler(3), (1.0, 0.0), samples=20_000)
    assert answer.contradicts and not answer.event.forward and answer.epsilon_lower > 4.0
    forward = [event.limits.epsilon(0.0) for event in answer.events if event.forward]
    assert max(forward) < log(1.5)


@pytest.mark.nightly
def test_regressions_see_what_no_coordinate_shows():
    # Ten coordinates with a shift of 0.3 each: together as one shift of 0.95.
    def vector(shift):
        return lambda rng, count: shift + rng.standard_normal((count, 10))

    answer = audit_sampler(vector(0.3), vector(0.0), Gaussian(sigma=2.0), delta=1e-3, samples=40_000)
    assert answer.event.words.startswith("a logistic regression")
    alone = max(e.limits.epsilon(1e-3) for e in answer.events if "coordinate" in e.words)
    assert answer.epsilon_lower > 1.5 * alone
    # A change of scale alone is seen by squares.
    wide = audit_sampler(normal(0.0, 2.0), normal(0.0), (1.0, 1e-3), samples=20_000)
    assert wide.event.words.startswith("a logistic regression") and wide.contradicts


@pytest.mark.nightly
def test_a_differing_coordinate_among_many_is_a_score():
    def vector(shift):
        def sample(rng, count):
            outputs = np.where(rng.random((count, 60)) < 0.5, 0.0, 1.0)
            outputs[:, 41] = rng.standard_normal(count) + shift
            return outputs

        return sample

    answer = audit_sampler(vector(2.0), vector(0.0), (1.0, 1e-3), samples=10_000)
    assert answer.contradicts and answer.event.words.startswith(("coordinate 41", "minus coordinate 41", "a logistic"))
    assert any("coordinate 41 " in event.words for event in answer.events)


@pytest.mark.nightly
def test_a_score_takes_outputs_of_any_kind():
    def words(heads):
        return lambda rng, count: ["yes" if one else "no" for one in rng.random(count) < heads]

    answer = audit_sampler(
        words(0.75), words(0.25), (0.5, 0.0), samples=4000, score=lambda outputs: [one == "yes" for one in outputs]
    )
    assert answer.contradicts and answer.event.words == "the given score above 0"
    assert answer.delta_at(inf) == answer.delta_at(1e6) == 0.0


@pytest.mark.nightly
def test_infinite_outputs_are_outputs():
    # One is infinite with probability 1/10, which the other never is.
    def sampler(chance):
        return lambda rng, count: np.where(rng.random(count) < chance, inf, rng.standard_normal(count))

    answer = audit_sampler(sampler(0.1), sampler(0.0), (1.0, 1e-3), samples=10_000)
    assert answer.contradicts and answer.epsilon_lower > 2.0


@pytest.mark.nightly
def test_the_seed_decides_the_answer():
    first, second, other = (audit_sampler(*RESPONSE, (1.0, 0.0), samples=2000, seed=seed) for seed in (3, 3, 4))
    assert first == second and first.events != other.events


GOOD = {"sample_p": normal(1.0), "sample_q": normal(0.0), "claim": (1.0, 1e-5), "samples": 200}
REFUSED = [
    ({"claim": 1.0}, "claim must be a pair"),
    ({"claim": (1.0, 1.5)}, "delta must be at least 0 and below 1"),
    ({"claim": (-1.0, 0.0)}, "epsilon must be"),
    ({"claim": Gaussian(sigma=1.0)}, "delta must be given with a protocol as claim"),
    ({"delta": 1e-6}, "delta must be left out, or 1e-05 as in the claim"),
    ({"beta": 0.0}, "beta must be"),
    ({"beta": 1e-13}, "beta must be"),
    ({"samples": 99}, "samples must be an integer from 100"),
    ({"seed": -1}, "seed must be an integer"),
    ({"sample_q": lambda rng, count: rng.random(count + 1)}, "sample_q must be a function that returns 100 outputs"),
    ({"sample_q": lambda rng, count: 0.0}, "sample_q must be a function that returns 100 outputs"),
    ({"sample_p": lambda rng, count: np.full(count, np.nan)}, "sample_p must be a function whose outputs are numbers"),
    ({"sample_p": lambda rng, count: ["a"] * count}, "unless score is given"),
    ({"score": lambda outputs: 0.0}, "score must be a function that returns one number for each output"),
    ({"score": lambda outputs: outputs * np.nan}, "score must be a function that returns one number for each output"),
    ({"score": len, "sample_p": lambda rng, count: rng.random(3)}, "sample_p must be a function that returns 100"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED)
@pytest.mark.nightly
def test_what_cannot_be_audited_is_refused(changes, message):
    arguments = {**GOOD, **changes}
    with pytest.raises(ParameterError, match=message) as error:
        audit_sampler(arguments.pop("sample_p"), arguments.pop("sample_q"), arguments.pop("claim"), **arguments)
    assert "\n" not in str(error.value)


@pytest.mark.nightly
@pytest.mark.parametrize("failure", [0.1, 1e-7, 1e-12 / 600])
@pytest.mark.parametrize(("hits", "trials"), [(1, 10**6), (250_000, 10**6), (999_999, 10**6), (40, 10**9), (50, 50)])
def test_limits_hold_of_many_outputs(hits, trials, failure):
    # P(Bin(n, p) >= k) is the regularized incomplete beta function of p at k, n - k + 1.
    low = confidence_limits.proportion_lower(hits, trials, failure)
    high = confidence_limits.proportion_upper(trials - hits, trials, failure)
    with ctx.workprec(300):
        for p in (arb(low), 1 - arb(high)):
            assert p.beta_lower(arb(hits), arb(trials - hits + 1), regularized=True) < failure


@pytest.mark.nightly
def test_the_function_is_offered_by_the_package_and_examples_are_true():
    assert pldcheck.audit_sampler is audit_sampler
    assert doctest.testmod(audit_by_events, optionflags=doctest.ELLIPSIS, raise_on_error=True).attempted == 5
