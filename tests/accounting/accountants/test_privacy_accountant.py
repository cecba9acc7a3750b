"""The accountant with dp_accounting's interface: its contract, the numbers of its tests, and closed forms."""

from math import exp, inf, sqrt

import attr
import dp_accounting as dpa
import pytest
from absl.testing import parameterized
from dp_accounting import dp_event, privacy_accountant_test
from mpmath import mp, mpf

from pldcheck import pld
from pldcheck.accounting import Accountant
from pldcheck.core.errors import ParameterError

REMOVE, REPLACE, SPECIAL = dpa.NeighboringRelation
GAUSSIAN = dpa.GaussianDpEvent(1.0)


@pytest.mark.nightly
class TestContract(privacy_accountant_test.PrivacyAccountantTest, parameterized.TestCase):
    """What dp_accounting 0.6.0 asks of every accountant, by its own test."""

    def _make_test_accountants(self):
        return [Accountant(relation) for relation in dpa.NeighboringRelation]


def gaussian_delta(mu, epsilon):
    """Return delta of the Gaussian mechanism with sensitivity over deviation mu (Balle and Wang 2018, Theorem 8)."""
    mp.dps = 40
    mu, epsilon = mpf(mu), mpf(epsilon)
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.nightly
@pytest.mark.parametrize(("relation", "factor"), [(REMOVE, 1), (SPECIAL, 1), (REPLACE, 2)], ids=str)
def test_gaussian_noise_has_the_closed_form(relation, factor):
    accountant = Accountant(relation).compose(dpa.GaussianDpEvent(3.0)).compose(dpa.GaussianDpEvent(2.0), 4)
    mp.dps = 40
    mu = factor * mp.sqrt(mpf(1) / 9 + 1)
    for epsilon in (0.0, 0.5, 2.0, 5.0):
        interval = accountant.delta(epsilon)
        assert interval.lower <= gaussian_delta(mu, epsilon) <= interval.upper <= interval.lower * (1 + 1e-5)
        assert accountant.get_delta(epsilon) == interval.upper
    level = accountant.epsilon(1e-6)
    assert gaussian_delta(mu, level.lower) >= mpf(1e-6) >= gaussian_delta(mu, level.upper)
    assert accountant.get_epsilon(1e-6) == level.upper


# Epsilon and delta in dp_accounting 0.6.0, pld/pld_privacy_accountant_test.py, with the tolerances there.
THEIRS = [
    ([(dpa.GaussianDpEvent(sqrt(3)), 3)], 1.0, 0.126936, 1e-3),
    ([(dpa.PoissonSampledDpEvent(0.2, dpa.GaussianDpEvent(0.5)), 3)], 1.0, 0.15594, 1e-3),
    (
        [(dpa.SelfComposedDpEvent(dpa.PoissonSampledDpEvent(0.2, dpa.GaussianDpEvent(0.5)), 3), 1)],
        1.0,
        0.15594,
        1e-3,
    ),
    ([(dpa.LaplaceDpEvent(1), 3), (dpa.LaplaceDpEvent(2), 2)], 4.0, 1e-14, 1e-6),
    ([(dpa.PoissonSampledDpEvent(0.2, dpa.LaplaceDpEvent(0.5)), 3)], 2.46964, 1e-14, 1e-3),
    ([(dp_event.DiscreteLaplaceDpEvent(1, 1), 3), (dp_event.DiscreteLaplaceDpEvent(0.5, 1), 2)], 4.0, 0.0, 1e-6),
    (
        [
            (dp_event.MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0, 2.0], [0.2, 0.6, 0.2]), 3),
            (dp_event.MixtureOfGaussiansDpEvent(2.0, [0.0, 2.0, 3.0], [0.33, 0.34, 0.33]), 2),
        ],
        17.193115,
        1e-6,
        1e-3,
    ),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("events", "epsilon", "delta", "tolerance"), THEIRS, ids=[str(i) for i in range(len(THEIRS))])
def test_the_numbers_of_their_tests(events, epsilon, delta, tolerance):
    accountant = Accountant()
    for event, count in events:
        accountant.compose(event, count)
    level, chance = accountant.epsilon(delta), accountant.delta(epsilon)
    assert level.lower - tolerance <= epsilon <= level.upper + tolerance and level.relative_width < 1e-3
    assert chance.lower - tolerance <= delta <= chance.upper + tolerance


@pytest.mark.nightly
def test_truncated_samples_are_below_the_number_of_their_test():
    """dp_accounting takes the pair of replacement at half the noise for what is cut; ours is that of removal."""
    accountant = Accountant()
    accountant.compose(dpa.TruncatedSubsampledGaussianDpEvent(4, 0.5, 2, 1.0), 3)
    accountant.compose(dpa.TruncatedSubsampledGaussianDpEvent(3, 0.5, 2, 1.0), 2)
    level = accountant.epsilon(1e-6)
    assert 0.0 < level.lower < level.upper < 17.904330


@pytest.mark.nightly
@pytest.mark.parametrize(
    "event",
    [
        dpa.GaussianDpEvent(0),
        dpa.LaplaceDpEvent(0),
        dp_event.DiscreteLaplaceDpEvent(0, 1),
        dpa.PoissonSampledDpEvent(0.1, dpa.GaussianDpEvent(0)),
        dpa.PoissonSampledDpEvent(0.1, dpa.LaplaceDpEvent(0)),
        dp_event.MixtureOfGaussiansDpEvent(0, [1, 2], [0.5, 0.5]),
        dpa.PoissonSampledDpEvent(0.1, dpa.NonPrivateDpEvent()),
        dpa.ZCDpEvent(inf),
    ],
    ids=repr,
)
def test_no_noise_is_not_private(event):
    accountant = Accountant().compose(GAUSSIAN).compose(event).compose(dpa.ZCDpEvent(0.1))
    assert accountant.get_epsilon(0.01) == inf and accountant.get_delta(1.0) == 1.0
    assert Accountant(REPLACE).supports(event) is not isinstance(event, dp_event.MixtureOfGaussiansDpEvent)


@pytest.mark.nightly
def test_the_lower_end_of_a_released_sample_is_the_chance_to_be_in_it():
    accountant = Accountant().compose(dpa.PoissonSampledDpEvent(0.1, dpa.GaussianDpEvent(0)), 2)
    exact = 1 - (1 - mpf(0.1)) ** 2
    assert accountant.delta(5.0).lower <= exact and accountant.delta(5.0).lower > 0.19 * (1 - 1e-6)
    assert accountant.epsilon(0.18).lower == inf and accountant.epsilon(0.5).lower < 1.0
    # One draw of ten, and of three draws each anew: each shows the record with probability 1 - 0.9^3 = 0.271.
    batch = dpa.SampledWithReplacementDpEvent(10, 3, dpa.GaussianDpEvent(0))
    assert 0.0 < Accountant(REPLACE).compose(batch).delta(1.0).lower <= 0.271


@pytest.mark.nightly
@pytest.mark.parametrize(
    "event",
    [
        dpa.PoissonSampledDpEvent(0, dpa.GaussianDpEvent(1)),
        dpa.PoissonSampledDpEvent(0, dpa.LaplaceDpEvent(0)),
        dpa.PoissonSampledDpEvent(0, dpa.GaussianDpEvent(0)),
        dp_event.MixtureOfGaussiansDpEvent(1, [0], [1.0]),
        dp_event.MixtureOfGaussiansDpEvent(0, [0], [1.0]),
        dpa.ZCDpEvent(0.0),
        dpa.ComposedDpEvent([]),
    ],
    ids=repr,
)
def test_what_releases_nothing_costs_nothing(event):
    accountant = Accountant().compose(event)
    assert accountant.get_epsilon(0) == 0.0 and accountant.get_delta(0) <= 1e-300


@pytest.mark.nightly
def test_a_batch_of_no_record_costs_nothing_and_a_batch_of_less_is_refused():
    for batches in (dpa.SampledWithoutReplacementDpEvent, dpa.SampledWithReplacementDpEvent):
        accountant = Accountant(REPLACE).compose(batches(10, 0, GAUSSIAN))
        assert accountant.get_epsilon(0) == 0.0
        for size in (-1, 0.0, False):
            with pytest.raises(ParameterError, match="^sample_size must be an integer from 0"):
                Accountant(REPLACE).compose(batches(10, size, GAUSSIAN))
    with pytest.raises(ParameterError, match="^event.noise_multiplier must be"):
        Accountant().compose(dpa.PoissonSampledDpEvent(0, dpa.GaussianDpEvent(-1.0)))


def response_delta(true, buckets, special, epsilon):
    """Return delta of randomized response from its whole table."""
    mp.dps = 40
    other = (1 - mpf(true)) / (buckets - 1)
    one = [mpf(true)] + [other] * (buckets - 1)
    two = [mpf(1) / buckets] * buckets if special else [other, mpf(true)] + [other] * (buckets - 2)
    pairs = ((one, two), (two, one))
    return max(mp.fsum(max(a - mp.exp(mpf(epsilon)) * b, 0) for a, b in zip(*pair, strict=True)) for pair in pairs)


@pytest.mark.nightly
@pytest.mark.parametrize(("relation", "special"), [(REPLACE, False), (SPECIAL, True)], ids=str)
@pytest.mark.parametrize(("noise", "buckets"), [(0.5, 4), (0.25, 2), (0.75, 16)])
def test_randomized_response_is_that_of_the_relation(relation, special, noise, buckets):
    accountant = Accountant(relation).compose(dpa.RandomizedResponseDpEvent(noise, buckets))
    for epsilon in (0.0, 0.3, 1.0):
        truth, interval = (
            response_delta(1 - noise + noise / buckets, buckets, special, epsilon),
            accountant.delta(epsilon),
        )
        assert interval.lower <= truth <= interval.upper and interval.width <= 1e-9


@pytest.mark.nightly
def test_sampled_noise_under_replacement_contains_the_integral():
    sigma, rate = 0.8, 0.3
    accountant = Accountant("REPLACE_ONE").compose(dpa.PoissonSampledDpEvent(rate, dpa.GaussianDpEvent(sigma)))
    mp.dps = 20
    for epsilon in (0.2, 1.0):

        def gain(x, epsilon=epsilon):
            law = [(1 - rate) * mp.npdf(x, 0, sigma) + rate * mp.npdf(x, side, sigma) for side in (1, -1)]
            return law[0] - mp.exp(epsilon) * law[1]

        start = mp.findroot(gain, (0.0, 3.0), solver="anderson")
        truth, interval = mp.quad(gain, [start, start + 1, start + 3, 12]), accountant.delta(epsilon)
        assert interval.lower <= truth <= interval.upper and interval.relative_width < 1e-3


def test_ends_without_an_inversion():
    accountant = Accountant().compose(dpa.LaplaceDpEvent(2.0), 4)
    assert 2.0 in accountant.epsilon(0.0) and accountant.epsilon(0.0).width < 1e-14
    assert accountant.get_epsilon(1.0) == 0.0 and accountant.get_delta(inf) == 0.0
    accountant.compose(GAUSSIAN)
    assert tuple(accountant.epsilon(0.0)) == (inf, inf) and accountant.get_delta(inf) == 0.0

    @attr.s(frozen=True, auto_attribs=True)
    class EpsilonDeltaDpEvent(dpa.DpEvent):  # of later versions
        epsilon: float
        delta: float

    accountant.compose(EpsilonDeltaDpEvent(0.1, 0.25), 2)
    assert 0.4375 in accountant.delta(inf) and accountant.delta(inf).width < 1e-13
    assert accountant.get_epsilon(0.4) == inf > accountant.get_epsilon(0.5)


@pytest.mark.nightly
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (8.0, 1e-5)])
def test_their_calibration_with_its_defaults(epsilon, delta):
    def training(sigma):
        return dpa.SelfComposedDpEvent(dpa.PoissonSampledDpEvent(0.01, dpa.GaussianDpEvent(sigma)), 1000)

    sigma = dpa.calibrate_dp_mechanism(Accountant, training, epsilon, delta)
    assert Accountant().compose(training(sigma)).epsilon(delta).upper <= epsilon
    # Within the tolerance of 1e-6 of theirs, and what is known of epsilon, less noise is not enough.
    assert Accountant().compose(training(sigma - 1e-3)).epsilon(delta).lower > epsilon


def test_their_calibration_begins_without_noise():
    sigma = dpa.calibrate_dp_mechanism(Accountant, dpa.GaussianDpEvent, 1.0, 1e-6)
    assert gaussian_delta(1 / mpf(sigma), 1) <= 1e-6 <= gaussian_delta(1 / (mpf(sigma) - 3e-6), 1)


@pytest.mark.nightly
def test_steps_are_counted_and_the_ledger_tells():
    one_by_one, at_once = Accountant(), Accountant().compose(GAUSSIAN, 3)
    for _ in range(3):
        assert one_by_one.compose(GAUSSIAN) is one_by_one
    assert one_by_one.ledger == at_once.ledger == dpa.SelfComposedDpEvent(GAUSSIAN, 3)
    assert one_by_one.epsilon(1e-5) == at_once.epsilon(1e-5) == pld.gaussian(1.0).compose(3).epsilon(1e-5)
    for count in (0, -1):
        with pytest.raises(ValueError):
            at_once.compose(GAUSSIAN, count)
    with pytest.raises(TypeError):
        at_once.compose(GAUSSIAN.to_named_tuple())


@pytest.mark.nightly
def test_concentrated_events_are_added_up_before_they_have_a_loss():
    many, once = Accountant().compose(dpa.ZCDpEvent(0.125), 4), Accountant().compose(dpa.ZCDpEvent(0.5))
    assert many.epsilon(1e-6) == once.epsilon(1e-6) and once.epsilon(1e-6).lower == 0.0
    assert once.get_epsilon(1e-6) >= Accountant().compose(GAUSSIAN).epsilon(1e-6).lower


@pytest.mark.nightly
def test_bad_questions_are_named():
    accountant = Accountant().compose(GAUSSIAN)
    for name, call in {
        "delta": lambda: accountant.epsilon(-1e-9),
        "epsilon": lambda: accountant.delta(-0.1),
        "relation": lambda: Accountant("REPLACE"),
        "neighboring_relation": lambda: Accountant(None),
        "noise_multiplier": lambda: accountant.compose(dpa.GaussianDpEvent(-1.0)),
    }.items():
        with pytest.raises(ParameterError, match=f"^{name} must be"):
            call()
    assert accountant.supports(dpa.GaussianDpEvent(-1.0)) is False
    assert accountant.epsilon(exp(-700)).upper > accountant.epsilon(1e-6).lower
