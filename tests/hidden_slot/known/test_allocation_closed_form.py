"""Bounds of random allocation in closed form, and the corners where sums of steps cannot be formed."""

import mpmath as mp
import pytest
import slot_oracles as oracles

from pldcheck.core.directed import Side
from pldcheck.hidden_slot.known.allocation_closed_form import Bounds
from pldcheck.hidden_slot.known.neighbour_pairs import ADDITION, REMOVAL, REPLACEMENT, Pair
from pldcheck.hidden_slot.known.noise_ratios import GaussianNoise
from pldcheck.hidden_slot.known.pair_curve import Curve, revealed_slot_epsilon
from pldcheck.protocols import RandomAllocation


def gaussian(mu, epsilon):
    """Return delta of the Gaussian mechanism, with digits to spare."""
    with mp.workdps(80):
        mu, epsilon = mp.mpf(mu), mp.mpf(epsilon)
        x = epsilon / mu - mu / 2
        return (mp.erfc(x / mp.sqrt(2)) - mp.exp(epsilon) * mp.erfc((x + mu) / mp.sqrt(2))) / 2


@pytest.mark.parametrize("delta", [0.5, 1e-6, 1e-300, 5e-324])
@pytest.mark.parametrize("sigma", [0.1, 1e4, 1e9])
@pytest.mark.parametrize(("adjacency", "distance"), [("add-remove", 1), ("replace", 2)])
def test_known_slots_are_one_gaussian_mechanism(adjacency, distance, sigma, delta):
    for steps, epochs in ((7, 3),):
        with mp.workdps(80):
            mu = distance * mp.sqrt(steps * epochs) / mp.mpf(sigma)
        interval = RandomAllocation(steps, sigma, selected=steps, epochs=epochs, adjacency=adjacency).epsilon(delta)
        with mp.workdps(80):
            assert gaussian(mu, interval.upper) <= delta
            assert interval.lower == 0.0 or gaussian(mu, interval.lower) >= delta
        assert interval.upper - interval.lower <= 1e-14 * interval.upper


@pytest.mark.parametrize("epsilon", [0.0, 1e-300, 1e-9, 1.0, 30.0, 1e3, 1e300])
@pytest.mark.parametrize("sigma", [0.1, 1.0, 1e9])
def test_delta_of_known_slots(sigma, epsilon):
    interval = RandomAllocation(4, sigma, selected=4).delta(epsilon)
    if epsilon < 1e4:
        with mp.workdps(80):
            truth = gaussian(2 / mp.mpf(sigma), epsilon)
        assert interval.lower <= truth <= interval.upper
        assert interval.upper <= interval.lower * (1 + 1e-14) or interval.upper <= 1e-300
    else:
        assert interval.lower == 0.0 and interval.upper <= 1e-323


@pytest.mark.parametrize(("steps", "sigma", "prob"), [(1, 1.0, 0.3), (1, 0.3, 1e-9), (1, 20.0, 1.0 - 1e-12)])
def test_bounds_contain_one_sampled_step(steps, sigma, prob):
    for epsilon in (1e-6, 0.1, 3.0, 20.0):
        with mp.workdps(60):
            truth = prob * gaussian(1 / mp.mpf(sigma), mp.log1p(mp.expm1(epsilon) / prob))
        lower, upper = Bounds(steps, sigma, 1, 1, prob, "remove").delta(epsilon)
        assert lower <= truth <= upper


@pytest.mark.parametrize("adjacency", ["remove", "add", "replace"])
@pytest.mark.parametrize(("steps", "sigma", "prob"), [(1, 0.7, 0.3), (2, 1.3, 0.9), (2, 30.0, 1.0 - 1e-12)])
def test_bounds_contain_one_and_two_steps(adjacency, steps, sigma, prob):
    for epsilon in (1e-3, 0.05, 3.0):
        truth = oracles.exact(adjacency, steps, sigma, epsilon, prob)
        lower, upper = Bounds(steps, sigma, 1, 1, prob, adjacency).delta(epsilon)
        assert lower <= truth.upper() and truth.lower() <= upper
        # of one step the bound is the truth, but for the largest of the steps, which is not told from none
        assert steps > 1 or adjacency == "remove" or lower >= float(truth.lower()) * (1 - 1e-14) - 1e-300


@pytest.mark.parametrize("name", [REMOVAL, ADDITION, REPLACEMENT])
def test_more_steps_have_no_more_than_one(name):
    pair = Pair(name, GaussianNoise(1 / 0.7), 3, 0.5)
    epsilon = revealed_slot_epsilon(pair, 1e-9)
    kind = {REMOVAL: "remove", ADDITION: "add", REPLACEMENT: "replace"}[name]
    assert oracles.enclose(kind, 1, 1 / 0.7, epsilon, 0.5)[0] <= 1e-9
    assert Curve(pair, 1.0, 1e-9).value(epsilon, Side.LOWER) <= 1e-9


# Source: issue 17 and its neighbours; each crashed, hung or had no upper end.
@pytest.mark.parametrize(
    ("protocol", "delta"),
    [
        pytest.param(RandomAllocation(1000, 0.5, adjacency="replace"), 1e-250, marks=pytest.mark.nightly),
        (RandomAllocation(1000, 1.0), 1e-300),
        (RandomAllocation(100, 1.0, adjacency="remove"), 1e-300),
        (RandomAllocation(100, 1.0, adjacency="add"), 5e-324),
        (RandomAllocation(100, 1.0, adjacency="replace"), 1e-300),
        (RandomAllocation(10, 0.1), 1e-300),
        (RandomAllocation(10, 0.1, adjacency="replace"), 1e-300),
        (RandomAllocation(1, 0.1), 1e-300),
        (RandomAllocation(2, 0.1), 1e-150),
        (RandomAllocation(10**12, 0.1, epochs=10**4), 1e-300),
        (RandomAllocation(10, 1.0, epochs=3, check_in_prob=1e-12), 1e-6),
        (RandomAllocation(1, 0.1, epochs=3, check_in_prob=1e-12), 1e-13),
        (RandomAllocation(1, 1.0, epochs=3, check_in_prob=1e-12), 1e-20),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("error")
def test_corners_have_finite_ends(protocol, delta):
    answer = protocol.epsilon(delta)
    interval = Bounds(protocol.steps, protocol.sigma, protocol.selected, protocol.epochs, protocol.check_in_prob,
                  protocol.adjacency).epsilon(delta)  # fmt: skip
    assert interval[0] <= answer.upper and answer.lower <= interval[1]
    assert 0.0 <= answer.lower <= answer.upper <= interval[1] < float("inf")


def test_several_slots_replaced_have_no_less_than_one():
    # U_k <= U_(k+1) for opposite vectors as well: two of two slots are one Gaussian mechanism
    one = RandomAllocation(2, 1.3, adjacency="replace").epsilon(1e-4)
    both = RandomAllocation(2, 1.3, selected=2, adjacency="replace").epsilon(1e-4)
    assert one.lower <= both.upper and one.upper < both.lower
