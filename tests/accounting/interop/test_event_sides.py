"""Events and losses beside protocols and oracles: no side of a loss leaves a protocol that is that of another one."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, inf

import dp_accounting as dpa
import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import ndtr

from pldcheck import HiddenSlot, pld
from pldcheck.accounting import Accountant, interop
from pldcheck.accounting.interop.event_samples import released_sample
from pldcheck.core.errors import ParameterError
from pldcheck.pld.loss_sides import Attained, Dominating, between
from pldcheck.protocols import RandomAllocation

RANDOM = np.random.default_rng(42)
# Steps of the quadrature by the number of other outputs, in deviations.
STEPS = {1: 1e-4, 2: 0.01}


def allocation_ends(steps, selected, sigma, epsilon):
    """Return delta of the fixed vector in ``selected`` of two or three steps, of the worse direction, with its doubt.

    The doubt is a multiple of what twice the step of the quadrature moves.
    """
    step = STEPS[steps - 1]
    value, coarse = (
        max(allocation_delta(steps, selected, sigma, epsilon, size, added) for added in (False, True))
        for size in (step, 2.0 * step)
    )
    doubt = 2.0 * abs(value - coarse) + 1e-9 * value + 1e-14
    return value - doubt, value + doubt


def allocation_delta(steps, selected, sigma, epsilon, step, added):
    """Return delta of one direction.

    The mean over the last output is in closed form, that over the others by the trapezoidal rule.
    """
    mu, kappa = 1.0 / sigma, np.exp(epsilon)
    places = np.arange(-9.0, 9.0 + mu, step)
    density = np.exp(-0.5 * places**2) / np.sqrt(2.0 * np.pi) * step
    ratios = np.meshgrid(*[np.exp(mu * (places - 0.5 * mu))] * (steps - 1), sparse=True)
    weights = np.meshgrid(*[density] * (steps - 1), sparse=True)
    # The ratio of the two laws is without + within times that of the last output.
    without, within = (sum_of_products(ratios, k) / comb(steps, selected) for k in (selected, selected - 1))
    level = ((1.0 / kappa if added else kappa) - without) / within
    place = np.log(np.maximum(level, 1e-300)) / mu + 0.5 * mu
    if added:
        gain = (1.0 - kappa * without) * ndtr(place) - kappa * within * ndtr(place - mu)
    else:
        gain = (without - kappa) * ndtr(-place) + within * ndtr(mu - place)
    return float(np.sum(gain * np.prod(np.broadcast_arrays(*weights), axis=0)))


def sum_of_products(numbers, count):
    """Return the sum of all products of so many of the numbers."""
    return sum((np.prod(np.broadcast_arrays(1.0, *one), axis=0) for one in combinations(numbers, count)), np.zeros(()))


def allocation_event(steps, selected, sigma):
    return interop.RandomAllocationDpEvent(steps, selected, dpa.GaussianDpEvent(sigma))


@pytest.mark.nightly
def test_no_lower_end_of_an_allocation_is_that_of_what_dominates_it():
    """Two of three steps: quadrature has delta(4.29) = 4.93e-4 and epsilon(1e-3) = 4.016."""
    for loss in RandomAllocation(3, 1.0, 2).losses(1e-6):
        interval = loss.epsilon(1e-3)
        assert 2.0 < interval.lower <= 4.02 and 4.01 <= interval.upper <= 4.5


@pytest.mark.long
def test_no_lower_end_of_an_event_is_that_of_what_dominates_it():
    loss = interop.from_event(allocation_event(3, 2, 1.0))
    assert allocation_ends(3, 2, 1.0, 4.02)[1] < 1e-3 < allocation_ends(3, 2, 1.0, 4.01)[0]
    interval = Accountant().compose(allocation_event(3, 2, 1.0)).epsilon(1e-3)
    assert interval.lower <= 4.02 and 4.01 <= interval.upper and interval == loss.epsilon(1e-3)
    optimistic = interop.to_dp_accounting(loss, 1e-2, pessimistic=False)
    assert optimistic.get_epsilon_for_delta(1e-3) <= 4.02


@pytest.mark.long
@pytest.mark.parametrize(
    ("steps", "selected", "sigma"),
    [(2, 1, 0.7), (2, 1, 2.3), (2, 2, 1.1), (3, 1, 1.3), (3, 2, 0.9), (3, 2, 3.1), (3, 3, 1.7)],
)
def test_an_allocation_lies_inside_its_event_and_inside_its_losses(steps, selected, sigma):
    event = interop.from_event(allocation_event(steps, selected, sigma))
    protocol = RandomAllocation(steps, sigma, selected)
    losses = protocol.losses(1e-9)
    for epsilon in (0.05, 0.5, 1.5, 3.0):
        least, most = allocation_ends(steps, selected, sigma, epsilon)
        assert most <= least * (1.0 + 1e-3) + 1e-12
        own = protocol.delta(epsilon)
        for interval in (event.delta(epsilon), *(loss.delta(epsilon) for loss in losses), own):
            assert interval.lower <= most and least <= interval.upper
            assert interval.lower <= own.upper and own.lower <= interval.upper


@pytest.mark.long
@pytest.mark.parametrize("adjacency", ["remove", "add", "add-remove", "replace"])
@pytest.mark.parametrize(
    "fields",
    [{}, {"epochs": 3}, {"check_in_prob": 0.4}, {"selected": 2}, {"selected": 3, "epochs": 2}, {"selected": 4}],
    ids=str,
)
def test_losses_of_an_allocation_are_those_of_all_its_fields(adjacency, fields):
    protocol = RandomAllocation(4, 1.3, adjacency=adjacency, **fields)
    check_losses_of(protocol)


@pytest.mark.long
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"weight": 0.3},
        {"adjacency": "zero-out"},
        {"adjacency": "zero-out", "delta0": 1e-5},
        {"epochs": 3},
        {"epochs": 2, "delta0": 1e-4},
        {"epochs": 3, "randomizer": "krr:4"},
        {"epochs": 2, "adjacency": "zero-out", "randomizer": "krr:3"},
        {"epochs": 2, "adjacency": "zero-out", "randomizer": "gaussian:2"},
    ],
    ids=str,
)
@pytest.mark.parametrize("steps", [1, 5, 40])
def test_losses_of_a_slot_are_those_of_all_its_fields(steps, fields):
    check_losses_of(HiddenSlot(steps, 2.0, **fields))


def check_losses_of(protocol):
    """Assert that each loss and the protocol have intervals that meet, at a few levels."""
    losses = protocol.losses(1e-7)
    for delta in (1e-2, 1e-6):
        own = protocol.epsilon(delta)
        for loss in losses:
            interval = loss.epsilon(delta)
            assert interval.lower <= own.upper and own.lower <= interval.upper, (delta, interval, own)
    for epsilon in (0.0, 1.2):
        own = protocol.delta(epsilon)
        for loss in losses:
            interval = loss.delta(epsilon)
            assert interval.lower <= own.upper and own.lower <= interval.upper, (epsilon, interval, own)


# The types of sides


def test_a_side_is_no_loss():
    loss = pld.gaussian(1.0)
    for side in (Dominating(loss), Attained(loss)):
        for hand_out in (lambda one: pld.compose_all([one]), loss.compose, interop.to_dp_accounting):
            with pytest.raises(ParameterError):
                hand_out(side)
        assert not any(hasattr(side, name) for name in ("epsilon", "delta", "renyi", "compose", "forward"))
    assert not hasattr(Dominating(loss), "lower") and not hasattr(Attained(loss), "upper")


def test_what_has_one_side_says_nothing_of_the_other():
    loss = pld.subsampled_gaussian(1.0, 0.2)
    above, below = between(None, Dominating(loss)), between(Attained(loss), None)
    for count in (1, 2, 12):
        whole, high, low = (one.compose(count) for one in (loss, above, below))
        truth = whole.epsilon(1e-4)
        assert high.epsilon(1e-4).lower == 0.0 and high.delta(0.5).lower == 0.0
        assert truth.lower <= high.epsilon(1e-4).upper <= truth.upper * (1.0 + 1e-3)
        assert low.epsilon(1e-4).upper == inf and low.delta(0.5).upper == 1.0
        assert truth.lower * (1.0 - 1e-3) <= low.epsilon(1e-4).lower <= truth.upper
        assert low.renyi(2.0).upper == inf and high.renyi(2.0).lower == 0.0


@pytest.mark.parametrize(("more", "fewer"), [((2, 3), (1,)), ((1,), (2, 3)), ((1, 4), (3, 1)), ((2,), (2,))])
def test_sides_of_unlike_lists_of_steps_are_those_of_either_list(more, fewer):
    above = pld.compose_all([pld.laplace(1.0 + 0.1 * i).compose(count) for i, count in enumerate(more)])
    below = pld.compose_all([pld.laplace(3.0 + 0.1 * i).compose(count) for i, count in enumerate(fewer)])
    both = between(Attained(below), Dominating(above))
    for epsilon in (0.1, 0.7):
        interval, high, low = (one.delta(epsilon) for one in (both, above, below))
        assert interval.upper >= high.lower and interval.upper <= high.upper * (1.0 + 1e-4)
        assert interval.lower <= low.upper and interval.lower >= low.lower * (1.0 - 1e-4)


# Directions


def test_a_composition_with_one_direction_is_of_that_direction():
    sample = pld.subsampled_gaussian(1.0, 0.2)
    added = sample.reversed.one_way
    truth = added.compose(2).epsilon(1e-3)
    for mixed in (pld.compose_all([added, sample.reversed]), pld.compose_all([sample.reversed, added])):
        assert mixed.is_one_way and mixed.epsilon(1e-3).lower <= truth.upper
        assert truth.lower <= mixed.epsilon(1e-3).upper
    with pytest.raises(ParameterError, match="of both directions"):
        _ = added.reversed
    with pytest.raises(ParameterError, match="of both directions"):
        _ = pld.from_curve([0.0, 1.0], [0.3, 0.0]).compose(2).reversed
    assert not between(Attained(added), Dominating(sample)).is_one_way
    assert between(Attained(sample), Dominating(added)).is_one_way


def test_losses_of_a_slot_are_those_of_its_epochs_and_of_its_adjacency():
    """Three epochs reveal more than one; a record that is there or not has no lower end of one that is replaced."""
    for slot in (HiddenSlot(5, 2.0, epochs=3), HiddenSlot(100, 3.0, adjacency="zero-out")):
        own, intervals = slot.epsilon(0.1), [loss.epsilon(0.1) for loss in slot.losses(1e-2)]
        assert all(one.lower <= own.upper and own.lower <= one.upper for one in intervals)


@pytest.mark.parametrize("adjacency", ["remove", "add"])
def test_an_allocation_of_one_direction_is_composed_in_that_direction(adjacency):
    (loss,) = RandomAllocation(4, 1.0, adjacency=adjacency).losses(1e-4)
    sample = pld.subsampled_gaussian(1.0, 0.3)
    same = sample if adjacency == "remove" else sample.reversed
    assert loss.is_one_way and loss.compose(3).is_one_way
    mixed, hand = pld.compose_all([loss, same]), pld.compose_all([loss, same.one_way])
    assert mixed.epsilon(1e-4) == hand.epsilon(1e-4)


def test_nothing_is_known_below_in_a_direction_that_is_not_attained():
    sample = pld.subsampled_gaussian(1.0, 0.2)
    half = between(Attained(sample.one_way), Dominating(sample))
    assert half.reversed.one_way.epsilon(1e-4).lower == 0.0 < half.one_way.epsilon(1e-4).lower
    assert half.reversed.one_way.epsilon(1e-4).upper > 0.0


def test_a_sample_without_noise_is_known_from_below_alone():
    for rate, count in ((Fraction(1, 10), 1), (Fraction(1, 7), 3)):
        loss = released_sample(rate).compose(count)
        truth = 1 - (1 - rate) ** count
        for epsilon in (0.0, 1.0, 20.0):
            assert Fraction(loss.delta(epsilon).lower) <= truth and loss.delta(epsilon).upper == 1.0
        assert loss.epsilon(1e-3).upper == inf
    accountant = Accountant().compose(dpa.PoissonSampledDpEvent(0.1, dpa.NonPrivateDpEvent()), 2)
    assert accountant.loss.epsilon(0.5).upper == inf and accountant.delta(1.0).upper == 1.0


# Noise that is a quotient, and masses that are


def gaussian_ball(mu, epsilon):
    root, epsilon = arb(2).sqrt(), arb(epsilon)
    first = ((epsilon / mu - mu / 2) / root).erfc()
    return (first - epsilon.exp() * ((epsilon / mu + mu / 2) / root).erfc()) / 2


def inexact_quotients(number, count):
    """Return pairs (noise, size) whose quotient is no float, and whose float quotient has the largest error."""
    pairs = [(float(RANDOM.uniform(0.5, 4.0)), int(RANDOM.integers(3, number))) for _ in range(40 * count)]

    def error(pair):
        exact = Fraction(pair[0]) / pair[1]
        return abs(Fraction(pair[0] / pair[1]) / exact - 1)

    return sorted(pairs, key=error)[-count:]


def test_laws_of_inexact_quotients_lie_on_either_side_of_the_noise():
    for noise, size in inexact_quotients(1000, 12):
        draws = dpa.SampledWithReplacementDpEvent(1, size, dpa.GaussianDpEvent(noise))
        mixture = dpa.dp_event.MixtureOfGaussiansDpEvent(noise, [float(size)], [1.0])
        for event in (draws, mixture):
            ((step, _),) = interop.from_event(event).forward
            variance = (Fraction(size) / Fraction(noise)) ** 2
            assert Fraction(step.lower.variance) < variance < Fraction(step.upper.variance)
            assert step.upper.variance <= step.lower.variance * (1.0 + 1e-15)


def test_noise_that_is_a_quotient_is_enclosed():
    for noise, size in inexact_quotients(50, 6):
        loss = interop.from_event(dpa.SampledWithReplacementDpEvent(1, size, dpa.GaussianDpEvent(noise)))
        for share in (0.3, 1.0, 1.7):
            epsilon = share * 0.5 * (size / noise) ** 2
            interval = loss.delta(epsilon)
            with ctx.workprec(300):
                truth = gaussian_ball(arb(size) / arb(noise), epsilon)
            assert arb(interval.lower) <= truth and (interval.upper == 1.0 or truth <= arb(interval.upper))
            assert interval.relative_width < 1e-9


def test_a_sample_of_a_quotient_has_rates_and_noise_of_either_side():
    """0.1 + 0.9 is 1 in floats, and more than 1 exactly."""
    event = dpa.dp_event.MixtureOfGaussiansDpEvent(1.0, [0.0, 3.0], [0.9, 0.1])
    loss = interop.from_event(event)
    assert loss.backward is not None and loss.forward[0][0].sample is None
    less, more = (pld.subsampled_gaussian(sigma, 0.1) for sigma in (0.34, 0.33))
    assert less.epsilon(1e-4).upper < loss.epsilon(1e-4).lower <= loss.epsilon(1e-4).upper < more.epsilon(1e-4).lower


def test_one_length_that_is_not_certain_is_a_sample():
    event = dpa.dp_event.MixtureOfGaussiansDpEvent(1.0, [1.0], [0.2])
    interval, sample = interop.from_event(event).epsilon(1e-4), pld.subsampled_gaussian(1.0, 0.2).epsilon(1e-4)
    assert interval.lower <= sample.upper and sample.lower <= interval.upper


def responses(noise, buckets):
    """Return the pairs of masses of all outcomes of randomized response in fractions, for two true buckets."""
    other = Fraction(noise) / buckets
    true = 1 - Fraction(noise) + other
    return [(true, other), (other, true), (other * (buckets - 2),) * 2]


def exact_delta(outcomes, kappa, copies):
    """Return delta at log kappa of so many copies of a pair, by enumeration."""
    total = Fraction(0)
    for chosen in product(outcomes, repeat=copies):
        p, q = Fraction(1), Fraction(1)
        for one, other in chosen:
            p, q = p * one, q * other
        total += max(p - kappa * q, Fraction(0))
    return total


def fraction_of(number):
    mantissa, exponent = number.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("special", [False, True], ids=["other", "special"])
def test_responses_of_rounded_probabilities_are_enclosed(special, copies):
    for _ in range(60):
        near_one, tiny = 1.0 - 10.0 ** RANDOM.uniform(-15, -1), 10.0 ** RANDOM.uniform(-9, 0)
        noise = float(RANDOM.choice([RANDOM.random(), near_one, tiny]))
        buckets = int(RANDOM.choice([2, 3, 7, 49, 1000]))
        event = dpa.RandomizedResponseDpEvent(noise, buckets)
        loss = interop.from_event(event, relation="REPLACE_SPECIAL" if special else None).compose(copies)
        outcomes = responses(noise, buckets)
        if special:
            true, share = outcomes[0][0], Fraction(1, buckets)
            outcomes = [(true, share), (1 - true, 1 - share)]
        both_ways = [outcomes, [pair[::-1] for pair in outcomes]]
        for epsilon in (0.0, 0.3, 1.0):
            kappa, interval = arb(epsilon).exp(), loss.delta(epsilon)
            low, high = (fraction_of(end) for end in (kappa.lower(), kappa.upper()))
            assert Fraction(interval.lower) <= max(exact_delta(one, low, copies) for one in both_ways)
            assert max(exact_delta(one, high, copies) for one in both_ways) <= Fraction(interval.upper)


def test_a_response_of_too_little_noise_is_refused_by_its_own_name():
    with pytest.raises(ParameterError, match="^noise_parameter must be at least"):
        interop.from_event(dpa.RandomizedResponseDpEvent(1e-299, 100))
    assert interop.from_event(dpa.RandomizedResponseDpEvent(1e-299, 2)).epsilon(1e-3).upper > 600.0
