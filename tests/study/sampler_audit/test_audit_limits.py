"""The confidence of an audit in parts: the share of each limit, the outputs that are counted, and what is printed."""

from decimal import Decimal

import numpy as np
import pytest
from scipy.stats import beta as beta_law

from pldcheck import Gaussian, SubsampledGaussian
from pldcheck.study.sampler_audit import audit_sampler
from pldcheck.study.sampler_audit.sampler_claims import read_claim

pytestmark = pytest.mark.nightly


def dice(sides):
    return lambda rng, count: rng.integers(0, sides, count)


def test_each_limit_has_its_share_of_the_probability_of_failure():
    for score in (None, np.asarray):
        answer = audit_sampler(dice(5), dice(7), (0.5, 0.01), samples=4000, beta=0.01, score=score)
        each, trials = 0.01 / (2 * len(answer.events)), answer.samples
        for event in answer.events:
            # Clopper and Pearson, by quantiles of the beta law; a limit is moved outward by 1e-6 of itself.
            low = beta_law.ppf(each, event.hits, trials - event.hits + 1) if event.hits else 0.0
            high = (
                beta_law.isf(each, event.other_hits + 1, trials - event.other_hits)
                if event.other_hits < trials
                else 1.0
            )
            assert event.limits.record == pytest.approx(low, rel=2e-6) and event.limits.record <= low
            assert event.limits.replacement == pytest.approx(high, rel=2e-6)
            assert event.limits.replacement >= min(high, 1.0) * (1 - 1e-12)


def test_events_are_counted_among_outputs_that_did_not_choose_them():
    starts = []

    def sampler(rng, count):
        starts.append((float(rng.random()), count))
        return rng.standard_normal(count)

    audit_sampler(sampler, sampler, (1.0, 1e-3), samples=501)
    assert len({start for start, _ in starts}) == 4 and [count for _, count in starts] == [250, 250, 251, 251]


def test_what_is_printed_is_no_more_than_what_was_shown():
    for seed in range(8):
        answer = audit_sampler(dice(2), dice(3), (1.0, 0.0), samples=2000, seed=seed)
        printed = str(answer).partition("epsilon > ")[2].split()[0]
        assert Decimal(answer.epsilon_lower) * Decimal("0.99") < Decimal(printed) <= Decimal(answer.epsilon_lower)


def test_a_protocol_claims_its_upper_end():
    protocol = SubsampledGaussian(sigma=1.0, rate=0.1, steps=10)
    claim = read_claim(protocol, 1e-5)
    assert claim.certified == protocol.epsilon(1e-5) and claim.certified.lower < claim.certified.upper
    assert claim.epsilon == claim.certified.upper and claim.certified_delta(0.5) == protocol.delta(0.5)
    assert read_claim(Gaussian(sigma=2.0), 0.25).delta == 0.25
