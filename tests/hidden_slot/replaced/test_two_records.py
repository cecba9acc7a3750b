"""Two records and discrete Gaussian noise: the join, few steps and blocks against sums over all outputs in mpmath."""

from itertools import product
from math import exp

import mpmath as mp
import numpy as np
import pytest

from pldcheck import CheckIn, HiddenSlot
from pldcheck.hidden_slot.known import pair_epsilon
from pldcheck.hidden_slot.known.neighbour_pairs import ADDITION, REMOVAL, REPLACEMENT, Pair, Slots
from pldcheck.hidden_slot.known.noise_ratios import DiscreteGaussianNoise
from pldcheck.hidden_slot.replaced import replaced_answers, two_records

DIGITS = 60
CASES = [(0.5, 1.0), (0.5, 40.0), (1.0, 1.0), (1.0, 3.0), (1.0, 50.0), (2.0, 1.2), (5.0, 1.1)]


def laws(sigma, far=30.0):
    """Return probabilities of integers about records 0 and 1; beyond ``far`` deviations there are none of weight."""
    last = int(far * sigma) + 2
    weights = [mp.exp(-mp.mpf(k * k) / (2 * mp.mpf(sigma) ** 2)) for k in range(-last - 1, last + 2)]
    total = mp.fsum(weights)
    return [weight / total for weight in weights[1:]], [weight / total for weight in weights[:-1]]


def gains(sigma, c, far=30.0):
    """Return (R_i - c R_j)/R_o and the probabilities of R_o, for all records i, j, o."""
    both = laws(sigma, far)
    return {
        (i, j, o): [((both[i][y] - c * both[j][y]) / both[o][y], both[o][y]) for y in range(len(both[0]))]
        for i, j, o in product((0, 1), repeat=3)
    }


def stop_loss(law, k):
    return mp.fsum(chance * (value - k) for value, chance in law if value > k)


def optimum(laws, steps, y):
    """Return the most that references and contributions chosen as outputs come make of E(y + sum)_+."""
    if steps == 0:
        return max(y, mp.mpf(0))
    if steps == 1:
        return max(stop_loss(law, -y) for law in laws)
    return max(mp.fsum(chance * optimum(laws, steps - 1, y + value) for value, chance in law) for law in laws)


def of_increment(law, threshold):
    return mp.fsum(
        mp.mpf(float(mass)) * (mp.mpf(float(atom)) - threshold)
        for atom, mass in zip(law.atoms, law.masses, strict=True)
        if atom > threshold
    )


def delta_of(laws, steps, c, prob):
    start = steps * (1 - c) * (1 - mp.mpf(prob)) / prob
    return mp.mpf(prob) / steps * optimum(laws, steps, start)


@pytest.mark.parametrize("sigma,c", CASES)
def test_the_joined_law_is_the_largest_of_all_choices_at_every_threshold(sigma, c):
    with mp.workdps(DIGITS):
        every = gains(sigma, mp.mpf(c))
        law = DiscreteGaussianNoise(sigma).replacement(c)
        tails = [exp(e / sigma) for e in (0.5, 1.0, 3.0, 8.0, 12.0)]
        for k in [0.0, *np.linspace(-2.0 * c, 2.0 * c, 9), *tails, *(-c * t for t in tails)]:
            k = float(k)
            largest = {key: stop_loss(value, mp.mpf(k)) for key, value in every.items()}
            value = of_increment(law, mp.mpf(k) + (mp.mpf(c) - 1))
            best = max(largest.values())
            # attained by one of the two of unequal contributions; far out relatively too
            assert best == max(largest[1, 0, 0], largest[1, 0, 1])
            doubt = law.error * (best + (abs(k) + c) * float(np.sum(law.masses[law.atoms > k + c - 1.0])))
            assert abs(value - best) <= doubt + mp.mpf(1e-290)


@pytest.mark.parametrize("sigma,c", CASES)
def test_the_joined_law_has_mass_one_and_mean_zero_and_increases(sigma, c):
    law = DiscreteGaussianNoise(sigma).replacement(c)
    assert np.all(np.diff(law.atoms) >= 0.0) and np.all(law.masses > 0.0)
    assert float(np.sum(law.masses)) == pytest.approx(1.0, abs=1e-14)
    assert float(law.masses @ law.atoms) == pytest.approx(0.0, abs=1e-12 * c)


@pytest.mark.parametrize("prob", [1.0, 0.5])
@pytest.mark.parametrize(
    "sigma,steps,epsilon",
    [(0.5, 1, 5.0), (0.5, 2, 9.0), (0.5, 3, 8.0), (1.0, 1, 7.0), (1.0, 2, 4.0), (1.0, 2, 11.0), (2.0, 2, 1.5)]
    + [(2.0, 2, 4.0), (0.5, 3, 9.0)],
)
def test_few_steps_agree_with_all_choices_in_many_digits(sigma, steps, epsilon, prob):
    with mp.workdps(DIGITS):
        c = mp.exp(mp.mpf(epsilon))
        # far enough for values of 1e-30: e^-0.5 16^2 is 1e-56
        every = gains(sigma, c, 16.0)
        # the others are these, reflected
        laws = [every[i, 0, o] for i, o in product((0, 1), repeat=2)]
        truth = delta_of(laws, steps, c, prob)
        best_fixed_law = max(
            mp.mpf(prob) / steps * _value_of_law(law, steps, steps * (1 - c) * (1 - mp.mpf(prob)) / prob)
            for law in laws
        )
        ends = HiddenSlot(steps, weight=prob, randomizer=f"discrete-gaussian:{sigma}").delta(epsilon)
        # the oracle leaves out what is beyond 16 deviations: it is below the truth by less than this
        assert ends.lower <= truth * (1 + mp.mpf(1e-25)) and truth <= ends.upper
        assert ends.upper <= ends.lower * (1 + 1e-9) + 1e-290
        assert ends.lower >= float(best_fixed_law) * (1 - 1e-9)


def _value_of_law(law, steps, y):
    if steps == 1:
        return stop_loss(law, -y)
    return mp.fsum(chance * _value_of_law(law, steps - 1, y + value) for value, chance in law)


@pytest.mark.parametrize("sigma,steps,target", [(0.5, 2, 1e-12), (1.0, 3, 1e-6), (2.0, 2, 1e-30), (5.0, 1, 1e-9)])
def test_epsilon_of_few_steps_is_where_delta_is_the_target(sigma, steps, target):
    slot = HiddenSlot(steps, randomizer=f"discrete-gaussian:{sigma}")
    interval = slot.epsilon(target)
    assert interval.upper <= interval.lower * (1 + 1e-6)
    assert slot.delta(interval.upper).lower <= target <= slot.delta(interval.lower).upper


def test_a_delta_that_is_never_exceeded():
    interval = HiddenSlot(2, randomizer="discrete-gaussian:5").epsilon(0.5)
    assert (interval.lower, interval.upper) == (0.0, 0.0)


@pytest.mark.parametrize("sigma,steps,epsilon", [(0.5, 3, 8.0), (1.0, 2, 4.0), (1.0, 3, 3.6), (2.0, 2, 1.75)])
@pytest.mark.parametrize("prob", [1.0, 0.5])
def test_a_lattice_brackets_what_all_outputs_give(sigma, steps, epsilon, prob):
    noise, c = DiscreteGaussianNoise(sigma), exp(epsilon)
    pair = Pair(REPLACEMENT, noise, steps, prob)
    threshold = pair.threshold(epsilon)
    truth = two_records.of_few(noise, c, steps, threshold)
    above = two_records.value_above(noise, c, steps, threshold, truth[1])
    below = two_records.value_below(noise, c, steps, threshold, truth[1])
    assert below <= truth[1] and truth[0] <= above
    assert above <= truth[1] * 1.1 and below >= truth[0] * 0.8


@pytest.mark.parametrize("sigma,steps,epsilon", [(1.0, 10, 2.6), (2.0, 10, 0.75), (5.0, 100, 0.07)])
def test_blocks_lie_between_the_fixed_references_and_the_join(sigma, steps, epsilon):
    noise = DiscreteGaussianNoise(sigma)
    slots = Slots(noise, steps, 1.0, "in-ball")
    best_fixed_pair = max(pair_epsilon.delta(slots.pair(name), epsilon, 0.005).lower for name in (REMOVAL, ADDITION))
    join = pair_epsilon.delta(slots.pair(REPLACEMENT), epsilon, 0.005).upper
    interval = replaced_answers.delta(slots, epsilon, 0.005)
    assert best_fixed_pair <= interval.lower <= interval.upper < 0.7 * join
    assert interval.upper <= interval.lower * 1.2


@pytest.mark.parametrize("steps,count", [(12, 6), (40, 10)])
def test_shorter_blocks_lie_between_all_steps_at_once_and_the_join(steps, count, monkeypatch):
    noise, c = DiscreteGaussianNoise(2.0), exp(0.5)
    pair = Pair(REPLACEMENT, noise, steps, 1.0)
    about = 1e-5 * steps
    at_once = two_records.value_above(noise, c, steps, pair.threshold(0.5), about)
    monkeypatch.setattr(two_records, "LONGEST_BLOCK", count)
    blocks = two_records.value_above(noise, c, steps, pair.threshold(0.5), about)
    join = pair_epsilon.delta(pair, 0.5, 0.005).upper / pair.factor(0.5)
    assert at_once < blocks < join


@pytest.mark.parametrize("steps,prob,delta", [(1, 1.0, 1e-6), (2, 0.5, 1e-6), (10, 1.0, 1e-6)])
def test_noise_of_large_deviation_is_nearly_a_gaussian_mechanism(steps, prob, delta):
    # By Poisson summation the two laws' probabilities differ by factors 1 +- 2 e^{-2 pi^2 20^2}; what is left is that
    # thresholds fall between integers, a tenth of a deviation's twentieth.
    interval = HiddenSlot(steps, weight=prob, randomizer="discrete-gaussian:20").epsilon(delta)
    smooth = HiddenSlot(steps, weight=prob, randomizer="gaussian:20").epsilon(delta)
    assert interval.lower <= smooth.upper * 1.003 and smooth.lower <= interval.upper * 1.003


@pytest.mark.nightly
def test_check_ins_and_epochs_take_noise_with_two_records():
    slot = HiddenSlot(10, weight=0.5, randomizer="discrete-gaussian:2")
    once = slot.epsilon(1e-6)
    assert CheckIn(10, check_in_prob=0.5, randomizer="discrete-gaussian:2").epsilon(1e-6) == once
    twice = HiddenSlot(10, weight=0.5, randomizer="discrete-gaussian:2", epochs=2).epsilon(1e-6)
    assert (
        once.lower
        < twice.lower
        <= twice.upper
        <= 2.0 * HiddenSlot(10, weight=0.5, randomizer="discrete-gaussian:2").epsilon(0.4e-6).upper * 1.2
    )


# The review: 78 of 400 calls ended in an error where the record is there or not and has a small weight.
@pytest.mark.parametrize(
    ("steps", "sigma", "weight", "epsilon"),
    [(5, 0.5, 0.1, 0.3), (5, 2.0, 1e-6, 1e-6), (3, 1.0, 1e-6, 1e-6), (2, 0.7, 0.999, 3.0)],
)
def test_a_record_of_small_weight_that_is_there_or_not_is_enclosed(steps, sigma, weight, epsilon):
    interval = HiddenSlot(steps, weight=weight, adjacency="zero-out", randomizer=f"discrete-gaussian:{sigma}").delta(
        epsilon
    )
    with mp.workdps(DIGITS):
        one, other = laws(sigma, 12.0)
        kappa, w = mp.exp(mp.mpf(epsilon)), mp.mpf(weight)
        # One slot: w times the divergence at 1 + (kappa - 1)/w, which more slots do not exceed.
        ratio = 1 + (kappa - 1) / w
        alone = w * mp.fsum(max(a - ratio * b, 0) for a, b in zip(one, other, strict=True))
        assert 0.0 <= interval.lower <= alone * (1 + mp.mpf(10) ** -20)
        assert interval.lower <= interval.upper
