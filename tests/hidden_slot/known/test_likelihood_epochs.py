"""One epoch as a privacy loss distribution, where the truth is known: single steps, and hulls of convex curves."""

from math import exp, log, sqrt

import naive_sums
import numpy as np
import pytest
import slot_oracles as oracles
from flint import arb, ctx
from scipy.special import ndtr

from pldcheck.hidden_slot.known import curve_hulls
from pldcheck.hidden_slot.known.curve_hulls import lower_law, upper_law
from pldcheck.hidden_slot.known.likelihood_epochs import curves_of, one_epoch
from pldcheck.hidden_slot.known.neighbour_pairs import ADDITION, REMOVAL, Slots
from pldcheck.hidden_slot.known.noise_ratios import GaussianNoise
from pldcheck.pld import subsampled_gaussian
from pldcheck.protocols import RandomAllocation
from tests.oracles.stored_values import the_one


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("sigma", "adjacency"), [(1.0, "remove"), (1.0, "add"), pytest.param(4.0, "add-remove", marks=pytest.mark.nightly)]
)
def test_a_single_step_is_the_gaussian_mechanism(sigma, adjacency):
    loss = one_epoch(Slots(GaussianNoise(1.0 / sigma), 1, 1.0, adjacency), 1e-14)
    for epochs in (1, 4):
        mu = sqrt(epochs) / sigma
        composition = loss.compose(epochs)
        for epsilon in (0.25 * mu, mu * mu / 2 + 4 * mu):
            truth = float(oracles.gaussian_delta(mu, epsilon))
            interval = composition.delta(epsilon)
            assert interval.lower <= truth <= interval.upper
            assert interval.relative_width <= 0.05


def test_a_single_step_of_a_replaced_record_is_one_gaussian_mechanism():
    # Opposite vectors: twice the distance.
    loss = one_epoch(Slots(GaussianNoise(0.5), 1, 1.0, "replace"), 1e-12)
    for epochs in (1, 9):
        for epsilon in (0.5, 3.0):
            truth = float(oracles.gaussian_delta(sqrt(epochs), epsilon))
            interval = loss.compose(epochs).delta(epsilon)
            assert interval.lower <= truth <= interval.upper and interval.relative_width <= 0.05


@pytest.mark.nightly
@pytest.mark.parametrize("adjacency", ["remove", "add"])
@pytest.mark.parametrize("prob", [0.5, 0.05])
def test_a_single_step_that_may_be_left_out_is_a_sampled_gaussian_mechanism(prob, adjacency):
    loss = one_epoch(Slots(GaussianNoise(0.8), 1, prob, adjacency), 1e-13)
    for epsilon in (0.01, 0.1, 0.4):
        truth = oracles.exact(adjacency, 1, 1.25, epsilon, prob)
        interval = loss.delta(epsilon)
        if truth > 1e-12:
            assert interval.lower <= truth <= interval.upper
            assert interval.relative_width <= 0.02


@pytest.mark.nightly
@pytest.mark.parametrize("prob", [0.5, 0.05])
def test_many_epochs_of_one_step_that_may_be_left_out(prob):
    # The same mechanism from cells of its losses.
    mechanism, one = subsampled_gaussian(1.25, prob), one_epoch(Slots(GaussianNoise(0.8), 1, prob, "add-remove"), 1e-13)
    for epochs in (3, 30):
        for delta in (1e-3, 1e-8):
            interval, known_interval = one.compose(epochs).epsilon(delta), mechanism.compose(epochs).epsilon(delta)
            assert interval.lower <= known_interval.upper and known_interval.lower <= interval.upper
            assert interval.relative_width <= 0.01 + known_interval.relative_width


@pytest.mark.nightly
@pytest.mark.parametrize("sigma", [1.0, 4.0])
def test_many_epochs_of_a_single_step(sigma):
    loss, mu = one_epoch(Slots(GaussianNoise(1.0 / sigma), 1, 1.0, "add-remove"), 1e-14).compose(25), 5.0 / sigma
    for epsilon in (0.25 * mu, mu * mu / 2 + mu, mu * mu / 2 + 4 * mu):
        interval, truth = loss.delta(epsilon), float(oracles.gaussian_delta(mu, epsilon))
        assert interval.lower <= truth <= interval.upper and interval.relative_width <= 0.05


@pytest.mark.parametrize("s", [0.3, 0.7, 2.0])
@pytest.mark.parametrize("steps", [1, pytest.param(2, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", [REMOVAL, ADDITION])
def test_points_of_a_curve_are_enclosed(name, steps, s):
    direction = "remove" if name == REMOVAL else "add"
    slots = Slots(GaussianNoise(s), steps, 1.0, "add-remove")
    points = curves_of(slots).points(slots.pair(name), 1e-6)
    assert points[0][0] == 0.0 and len(points) > 20
    for epsilon, lower, upper in points[::9]:
        least, most = oracles.enclose(direction, steps, s, epsilon)
        if least > 1e-200:
            assert lower <= most and least <= upper
            # Record added: a lattice that two steps hardly fill.
            assert upper <= lower * 1.05 + 1e-9 or (steps > 1 and name == ADDITION)


@pytest.mark.nightly
@pytest.mark.parametrize("adjacency", ["remove", "add"])
def test_one_epoch_of_two_steps(adjacency):
    loss = one_epoch(Slots(GaussianNoise(1.0), 2, 1.0, adjacency), 1e-10)
    for epsilon in np.linspace(0.1, 3.0, 15).tolist():
        truth = the_one("two_steps", direction=adjacency, sigma=1.0, scale="exact", prob=1.0, epsilon=epsilon)
        interval = loss.delta(epsilon)
        if truth.lower > 1e-9:
            assert interval.lower <= truth.lower and truth.upper <= interval.upper
            # Record added: wide where nearly all of two steps must be at their largest.
            assert interval.relative_width <= 0.05 or (adjacency == "add" and truth.lower < 1e-2)


# --- hulls ------------------------------------------------------------------------------------------------------------


def curve_of(law, kappa):
    """Return H_kappa of the pair that a law of losses stands for."""
    ratios = np.exp(law.losses)
    parts = np.maximum(1.0 - kappa / ratios, 0.0) @ law.masses
    return law.infinity + (1.0 - law.infinity) * float(parts)


def certified_curve(law, epsilon, above):
    """Return the most, or the least, that H_kappa of a pair within the law's stated errors may be at kappa =
    e^epsilon.
    """
    with ctx.workprec(oracles.BITS):
        sign, total = (1 if above else -1), arb(law.infinity) * (1 + arb(law.infinity_error) * (1 if above else -1))
        for loss, mass in zip(law.losses.tolist(), law.masses.tolist(), strict=True):
            gain = 1 - (arb(epsilon) - arb(loss) - sign * arb(law.loss_error)).exp()
            if gain > 0:
                total += (1 - arb(law.infinity)) * arb(mass) * (1 + sign * arb(law.mass_error)) * gain
        return total


def exact_curve(mu, prob, epsilon):
    """Return H_kappa of the Gaussian, present with a probability, against none, at kappa = e^epsilon: a ball, any
    epsilon.
    """
    with ctx.workprec(oracles.BITS):
        sigma = 1 / arb(mu)
        if epsilon >= 0.0:
            return oracles.exact("remove", 1, sigma, epsilon, prob)
        kappa = arb(epsilon).exp()
        return 1 - kappa + kappa * oracles.exact("add", 1, sigma, -epsilon, prob)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("doubt", [0.0, 1e-4, 0.05])
def test_hulls_are_on_their_sides_of_a_curve(seed, doubt):
    random = np.random.default_rng(seed)
    mu, prob = random.uniform(0.3, 2.0), random.choice([1.0, 0.3])
    sides = []
    for way in ("remove", "add"):
        epsilons = [0.0, *np.sort(random.uniform(0.0, 3.0, int(random.integers(2, 25))))]
        points = []
        for epsilon in epsilons:
            truth = float(oracles.exact(way, 1, 1 / arb(mu), epsilon, prob))
            lower, upper = truth * (1.0 - doubt * random.random()), truth * (1.0 + doubt * random.random())
            points.append((float(epsilon), lower * (1.0 - 1e-15), min(upper * (1.0 + 1e-15), 1.0)))
        sides.append(points)
    for forward, backward, flip in ((*sides, False), (*sides[::-1], True)):
        above, below = upper_law(forward, backward), lower_law(forward, backward)
        assert above.losses.size <= len(forward) + len(backward)
        corners = [one[0] for one in forward] + [-one[0] for one in backward]
        for epsilon in [*random.uniform(-4.0, 4.5, 60), *corners]:
            with ctx.workprec(oracles.BITS):
                truth = exact_curve(mu, prob, -epsilon if flip else epsilon)
                if flip:  # H_kappa(Q||P) = 1 - kappa + kappa H_(1/kappa)(P||Q)
                    kappa = arb(epsilon).exp()
                    truth = 1 - kappa + kappa * truth
                assert not certified_curve(below, epsilon, False) > truth
                assert not certified_curve(above, epsilon, True) < truth
    if doubt == 0.0:
        forward, backward = sides
        law = upper_law(forward, backward)
        assert all(curve_of(law, exp(epsilon)) <= upper + 1e-12 for epsilon, _, upper in forward)


def test_hulls_of_many_points_nearly_meet():
    points = [
        (epsilon, value, value)
        for epsilon in np.linspace(0.0, 4.0, 81).tolist()
        for value in [float(oracles.gaussian_delta(1.0, epsilon))]
    ]
    above, below = upper_law(points, points), lower_law(points, points)
    for epsilon in np.linspace(-3.0, 3.5, 57):
        kappa, truth = exp(epsilon), float(oracles.gaussian_delta(1.0, float(epsilon)))
        high, low = curve_of(above, kappa), curve_of(below, kappa)
        # Second order in the distance of points, 0.05: chords, and where two of them meet.
        assert high - truth <= 1e-3 * kappa and truth - low <= 1e-3 * kappa


@pytest.mark.parametrize("seed", range(20))
def test_points_without_a_lower_bound_do_not_lift_the_hull(seed):
    """The bound of a lower side that fails is 0: the hull stays below a Gaussian mechanism's curve, in closed form."""
    rng = np.random.default_rng(seed)

    def true(epsilon):
        return float(ndtr(0.5 - epsilon) - np.exp(epsilon) * ndtr(-0.5 - epsilon))

    at = np.sort(np.append(0.0, rng.uniform(0.0, 6.0, rng.integers(4, 25)))).tolist()
    points = [
        (e, 0.0 if e > 0.0 and rng.random() < 0.3 else true(e) * (1.0 - 1e-5), true(e) * (1.0 + 1e-5)) for e in at
    ]
    law = lower_law(points, points)
    for epsilon in rng.uniform(-5.0, 6.0, 80):
        gains = -np.expm1(np.minimum(epsilon - law.losses, 0.0))
        delta = (1.0 - law.infinity) * float(law.masses @ gains) + law.infinity
        assert delta <= true(epsilon) * (1.0 + 1e-6)  # what the closed form cancels to at epsilon = 6


def test_points_of_a_curve_end_where_they_are_too_much_work():
    # delta = e^-epsilon at a twentieth of the work a point: fewer points, and a law that still dominates.
    questions = []

    def value(epsilon):
        questions.append(epsilon)
        return exp(-epsilon) * (1.0 - 1e-15), exp(-epsilon) * (1.0 + 1e-15)

    free = curve_hulls.points(value, 1e-100)
    questions.clear()
    few = curve_hulls.points(value, 1e-100, work_share=lambda: len(questions) / 20)
    assert len(questions) <= 21 < len(free) and few[-1][0] < free[-1][0]
    for kappa in (1.0, 2.0, exp(2.0 * few[-1][0])):
        assert curve_of(curve_hulls.upper_law(few, few), kappa) >= curve_of(
            curve_hulls.upper_law(free, free), kappa
        ) * (1.0 - 1e-15)


@pytest.mark.nightly
@pytest.mark.parametrize("epsilon", [14.0, 20.0])
def test_epochs_at_an_epsilon_far_out_are_answered_with_little_work(monkeypatch, epsilon):
    monkeypatch.setattr("pldcheck.hidden_slot.known.likelihood_epochs.WORK", 2**23)
    interval = RandomAllocation(1000, 1.0, epochs=2).delta(epsilon)
    # both steps known: one Gaussian mechanism with mu = sqrt 2; the largest step alone, of one epoch
    at = [naive_gaussian(arb(2).sqrt(), epsilon), naive_gaussian(arb(1), epsilon + log(1000.0)) / 1000]
    assert at[1] <= interval.upper and at[0] >= interval.lower
    assert interval.upper <= 1e-15


def naive_gaussian(mu, epsilon):
    with ctx.workprec(300):
        x = arb(epsilon) / mu - mu / 2
        return naive_sums.normal_tail(x) - arb(epsilon).exp() * naive_sums.normal_tail(x + mu)
