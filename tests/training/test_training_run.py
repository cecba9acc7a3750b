"""A training run in its own words: the protocols that it stands for, twins of its bounds, and what it refuses."""

from fractions import Fraction
from math import comb, exp, log

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from pldcheck import (
    BallsInBins,
    FixedBatches,
    Gaussian,
    ParameterError,
    RandomAllocation,
    ShuffledBatches,
    SubsampledGaussian,
    Training,
    calibrate,
)
from pldcheck.training import SAMPLINGS
from pldcheck.training.shuffled_epochs import _log_missing
from pldcheck.training.training_phase import Phase

RUN = Training(records=6000, batch=256, epochs=3, sigma=1.1)


@pytest.mark.parametrize(
    ("neighbours", "poisson", "both"), [("add-remove", "poisson", "both"), ("replace", "poisson-replaced", "replace")]
)
def test_each_sampling_is_its_protocol(neighbours, poisson, both):
    """By hand: 24 batches an epoch, the rate in both roundings, two clipping norms where a record is replaced."""
    below, above = (float(np.nextafter(256 / 6000, towards)) for towards in (0, 1))
    exact = Fraction(256, 6000)
    low, high = (256 / 6000, above) if Fraction(256 / 6000) < exact else (below, 256 / 6000)
    run = Training(6000, 256, 3, 1.1, adjacency=neighbours)
    assert run.phases[0].rates == (low, high) and Fraction(low) < exact < Fraction(high)
    assert Fraction(run.phases[0].rates_of_loader[0]) < Fraction(1, 24) < Fraction(run.phases[0].rates_of_loader[1])
    assert run.epsilon(1e-5).upper == SubsampledGaussian(1.1, high, 72, poisson).epsilon(1e-5, 1e-4).upper
    assert run.epsilon(1e-5).lower == SubsampledGaussian(1.1, low, 72, poisson).epsilon(1e-5, 1e-4).lower
    opacus = run.with_sampling("opacus").epsilon(1e-5)
    assert opacus.lower <= SubsampledGaussian(1.1, 1 / 24, 72, poisson).epsilon(1e-5).upper
    assert opacus.upper >= SubsampledGaussian(1.1, 1 / 24, 72, poisson).epsilon(1e-5).lower
    allocation = RandomAllocation(24, 1.1, epochs=3, adjacency=both)
    assert run.with_sampling("random-allocation").epsilon(1e-5) == allocation.epsilon(1e-5)
    assert run.with_sampling("balls-in-bins").epsilon(1e-5) == BallsInBins(24, 1.1, 3, both).epsilon(1e-5)
    fixed, halved = (FixedBatches(noise, 5999, 256, 72).epsilon(1e-5, 1e-4) for noise in (1.1, 0.55))
    assert run.with_sampling("fixed-size").epsilon(1e-5).upper == halved.upper
    assert run.with_sampling("fixed-size").epsilon(1e-5).lower == (fixed if both == "both" else halved).lower
    even = Training(6144, 256, 3, 1.1, "shuffled").epsilon(1e-5)
    assert even == ShuffledBatches(24, 1.1, 3, "zero-out").epsilon(1e-5, 1e-4)


@pytest.mark.nightly
def test_a_run_in_parts_is_the_composition_of_its_parts():
    """One part split into two has the answer of the whole; a later part adds what it reveals."""
    whole = Training(1000, 100, 4, 2.0)
    for name in SAMPLINGS:
        run = whole.with_sampling(name)
        one = run.epsilon(1e-5)
        split = Training(1000, 100, 3, 2.0, name).then(epochs=1)
        two = split.epsilon(1e-5)
        assert split.steps == run.steps == 40
        assert max(one.lower, two.lower) <= min(one.upper, two.upper), name
        assert two.upper <= 1.01 * one.upper and two.lower >= 0.99 * one.lower, name
        assert split.then(sigma=1.5, batch=100).epsilon(1e-5).upper > two.upper
        delta = split.delta(two.upper)
        assert delta.lower <= 1e-5 <= 1.05 * delta.upper, name
    bins = Training(1000, 100, 2, 2.0, "balls-in-bins").then(epochs=3, sigma=1.0)
    noise = float((2 / Fraction(4) + 3) ** -1) ** 0.5
    assert bins.epsilon(1e-5).upper == pytest.approx(RandomAllocation(10, noise).epsilon(1e-5).upper, rel=1e-9)


def _largest_output(c, batches, lifts, sigma):
    """Return P(max <= c) of so many outputs, where some of them are lifted."""
    return np.prod([norm.cdf((c - lift) / sigma) for lift in lifts]) * norm.cdf(c / sigma) ** (batches - len(lifts))


def test_a_smaller_last_batch_leaves_the_lower_end_true():
    """The delta of explicit data: a threshold for the largest full batch, the record in the last batch or in another.

    All others are opposite to the record.  The order is revealed by nothing, so that this test is one adversary, and
    its delta is no larger than the true one; where the last batch is seldom the record's, it is near the lower end.
    """
    records, batch, sigma = 1010, 100, 0.8
    run = Training(records, batch, 1, sigma, "shuffled")
    share = 1000 / 1010
    for epsilon in (0.5, 2.0):

        def attained(c, epsilon=epsilon):
            p, q = (
                share * (1 - _largest_output(c, 10, [lift], sigma))
                + (1 - share) * (1 - _largest_output(c, 10, [], sigma))
                for lift in (2.0, 1.0)
            )
            return p - exp(epsilon) * q

        best = max(attained(c) for c in np.linspace(-1, 6, 141))
        answer = run.delta(epsilon)
        assert answer.lower <= best * (1 + 1e-3) and answer.lower >= 0.97 * best
        assert answer.upper >= best
        order_known = Gaussian(sigma).delta(epsilon)
        assert answer.upper == order_known.upper
    epsilon = run.epsilon(1e-3)
    assert (
        run.delta(epsilon.lower * 0.999).upper >= 1e-3
        and epsilon.lower > 0.9 * Training(1000, 100, 1, sigma, "shuffled").epsilon(1e-3).lower
    )


def _excess_of_one(share, lift, sigma, epsilon):
    """Return delta of one output, lifted with probability ``share`` under P and not under Q."""

    def excess(x):
        p = share * norm.pdf(x, lift, sigma) + (1 - share) * norm.pdf(x, 0, sigma)
        return max(p - exp(epsilon) * norm.pdf(x, 0, sigma), 0.0)

    return quad(excess, -12, 16, limit=400, points=[0.0, 1.0, 2.0, 4.0])[0]


@pytest.mark.nightly
def test_one_full_batch_and_a_smaller_one_are_a_sample_from_below():
    """100 of 150 records are in the one full batch: without the other batch that is a sample of rate 2/3.

    All others are as the replacement is, so that the batch moves by two clipping norms or not at all; or add nothing.
    """
    for neighbours, lift in (("replace", 2.0), ("add-remove", 1.0)):
        for epsilon in (0.1, 0.5, 1.5):
            truth = _excess_of_one(2 / 3, lift, 1.5, epsilon)
            answer = Training(150, 100, 1, 1.5, "shuffled", neighbours).delta(epsilon)
            assert answer.lower <= truth * (1 + 1e-9) or neighbours == "add-remove"
            assert answer.lower >= 0.2 * truth and answer.upper >= truth


@pytest.mark.nightly
def test_the_lower_end_of_epsilon_pays_for_a_smaller_last_batch():
    """100 of 150 records in a full batch: epsilon is below that at delta of the sample, by log(1/c) at least."""
    run = Training(150, 100, 1, 1.5, "shuffled", "replace")
    for delta in (1e-3, 1e-2):
        lower = run.epsilon(delta).lower
        assert 0.0 <= lower and _excess_of_one(2 / 3, 2.0, 1.5, lower) >= delta * (1 - 1e-6)
        whole = RandomAllocation(1, 0.75, adjacency="remove").epsilon(1.5 * delta).lower
        assert whole - 0.4055 < lower < whole - 0.4054


@pytest.mark.nightly
def test_the_probability_of_a_smaller_last_batch_is_rounded_up():
    """The logarithm of n/(bm), times the epochs, is at least the exact one and within 1e-12 of it."""
    for records, batch, epochs in ((1010, 100, 1), (60_000, 256, 15), (10**12, 3, 10**9), (7, 4, 3)):
        phase = Phase(records, batch, epochs, 1.0)
        exact = epochs * _log_of(Fraction(records, phase.full_batches * batch))
        assert exact <= _log_missing([phase]) <= exact * (1 + 1e-12)
    assert _log_missing([Phase(1000, 100, 5, 1.0)]) == 0.0


def _log_of(ratio):
    """Return the logarithm of a ratio near or above 1 by its series, with 60 terms, or by the library."""
    rest = ratio - 1
    if rest > Fraction(1, 4):
        return Fraction(log(ratio)) * (1 - Fraction(1, 2**50))
    return sum(((-1) ** (k + 1) * rest**k / k for k in range(1, 25)), Fraction(0)) * (1 - Fraction(1, 2**60))


@pytest.mark.nightly
def test_fixed_size_batches_contain_exact_small_data():
    """Zero-out with one record in two of four drawn: data whose others add nothing attain no more than the upper end.

    With opposite others a batch without the record has another one in its place, so that the sum moves by two: the
    answer contains that, too, where half the movement would not.
    """
    sigma, epsilon = 0.7, 1.0
    run = Training(4, 2, 1, sigma, "fixed-size")
    rate = Fraction(comb(3, 1), comb(4, 2))

    def delta(lift_p, lift_q):
        def excess(x):
            p, q = (
                float(rate) * norm.pdf(x, lift, sigma) + float(1 - rate) * norm.pdf(x, 0, sigma)
                for lift in (lift_p, lift_q)
            )
            return max(p - exp(epsilon) * q, 0.0)

        return quad(excess, -10, 12, limit=400, points=[0, 1, 2])[0]

    answer = Training(4, 2, 1, sigma, "fixed-size").delta(epsilon)
    one_step = run.steps
    assert one_step == 2
    assert max(delta(1, 0), delta(2, 1)) <= answer.upper
    assert answer.lower >= 0.99 * delta(1, 0)


@pytest.mark.nightly
def test_noise_or_epochs_are_solved_for():
    """The value meets the target and the next one misses it."""
    sigma = calibrate(RUN, "sigma", target_epsilon=2.0, delta=1e-5)
    assert sigma.optimal and sigma.protocol.epochs == 3
    assert sigma.interval.upper <= 2.0 < Training(6000, 256, 3, sigma.refused.value).epsilon(1e-5).lower
    epochs = calibrate(Training(1000, 100, 1, sigma=4.0), "epochs", target_epsilon=2.0, delta=1e-5)
    assert Training(1000, 100, epochs.value, 4.0).epsilon(1e-5).upper <= 2.0
    assert Training(1000, 100, epochs.value + 1, 4.0).epsilon(1e-5).lower > 2.0


def test_words_of_others_are_read_in_runs_and_in_protocols_of_epochs():
    """Steps per epoch are the steps of a protocol that has epochs, and never those of all of them."""
    run = Training(num_records=1000, batch_size=100, epochs=2, noise_multiplier=2.0)
    assert run == Training(1000, 100, 2, 2.0) and run.then(noise_multiplier=1).later[0].sigma == 1.0
    for protocol in (RandomAllocation, ShuffledBatches, BallsInBins):
        assert protocol(steps_per_epoch=5, sigma=2.0, epochs=3) == protocol(steps=5, sigma=2.0, epochs=3)
    with pytest.raises(TypeError, match=r"steps = epochs \* steps per epoch"):
        Gaussian(sigma=2.0, steps_per_epoch=5)
    assert Training(9, 3, 1, 1.0, "shuffled", "zero-out").adjacency == "add-remove"
    assert run.epsilon(0).lower == float("inf")


def test_what_is_refused_says_what_to_type_and_a_table_has_the_rest():
    """One line each; in a table of all samplings, one without an answer says why, and the run's own comes first."""
    for call, words in (
        (lambda: Training(100, 200, 1, 1.0), "at most records = 100"),
        (lambda: Training(100, 10, 1, 1.0, sampling="coin"), "one of poisson, opacus"),
        (lambda: RUN.then(records=5), "may change"),
        (lambda: Training(100, 10, 1, 1.0, later=(1,)), "run.then"),
        (lambda: Training(100, 10, 1, 1.0, later=(Training(50, 10, 1, 1.0),)), "in all parts"),
        (lambda: Training(100, 10, 1, 1.0, later=(RUN.then(),)), "in all parts"),
        (lambda: Training(100, 10, 2, 2.0, "balls-in-bins").then(batch=20).epsilon(1e-5), "the same in all"),
        (lambda: RUN.epsilon(2.0), "delta must be"),
        (lambda: RUN.then().plot(1e-5), "left out"),
    ):
        with pytest.raises((ParameterError, ValueError), match=words):
            call()
    # A noise multiplier is sigma in a run, with batches of a fixed size, too.
    assert Training(100, 10, 1, noise_multiplier=2, sampling="fixed-size") == Training(100, 10, 1, 2.0, "fixed-size")
    with pytest.raises(TypeError, match="unknown parameter of training 'rate'"):
        Training(100, 10, rate=0.1)
    answers = Training(1, 1, 1, 1.0, "shuffled").samplings(1e-5)
    assert list(answers)[0] == "shuffled" and set(answers) == set(SAMPLINGS)
    assert "sigma must be" in str(Training(9, 3, 9, 0.1).samplings(1e-5)["balls-in-bins"])
    exact = Gaussian(1.0).epsilon(1e-5)
    for name, answer in answers.items():
        assert answer.lower <= exact.upper and answer.upper >= exact.lower, name
    assert Training(9, 9, 3, 2.0, "fixed-size", "replace").epsilon(1e-5) == Gaussian(1.0, 3).epsilon(1e-5, 1e-4)


@pytest.mark.nightly
def test_a_picture_over_the_epochs():
    """One band for each sampling but Opacus', at epochs from the first to the last."""
    axes = Training(1000, 100, 5, 2.0).plot(1e-5)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == [name for name in SAMPLINGS if name != "opacus"]
    assert {x for line in axes.lines for x in line.get_xdata()} >= {1.0, 5.0}
