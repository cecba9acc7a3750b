"""A hidden slot in a ball on uneven nodes: every bound against quadrature, closed forms and sampling."""

from math import exp, inf, sqrt

import numpy as np
import pytest
from flint import acb, arb, ctx
from scipy.integrate import trapezoid
from scipy.special import ndtr

from pldcheck import HiddenSlot
from pldcheck.core.directed import Side
from pldcheck.hidden_slot.known.neighbour_pairs import REPLACEMENT, Pair
from pldcheck.hidden_slot.known.noise_ratios import GaussianInBall
from pldcheck.hidden_slot.replaced import (
    ball_fixed_value,
    ball_jump_value,
    ball_smooth_bound,
    ball_step_curves,
    ball_uneven_value,
)
from pldcheck.hidden_slot.replaced.ball_bounds import BallBounds
from pldcheck.hidden_slot.replaced.ball_lattice_laws import Triangle
from pldcheck.hidden_slot.replaced.ball_node_plan import NodePlan
from pldcheck.kernels import convex_potentials

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(16)


def normal(low=-12.0, high=14.0, panels=120):
    """Return points and weights for the expectation of a function of a standard normal."""
    edges = np.linspace(low, high, panels + 1)
    middle, half = 0.5 * (edges[1:] + edges[:-1])[:, None], 0.5 * np.diff(edges)[:, None]
    z = (middle + half * POINTS).ravel()
    return z, (half * WEIGHTS).ravel() * np.exp(-0.5 * z * z) / sqrt(2.0 * np.pi)


def call(forward, strike, deviation):
    """Return E(forward E - strike)_+, E lognormal of mean 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        d = np.log(forward / np.maximum(strike, 1e-300)) / deviation
    positive = forward * ndtr(d + 0.5 * deviation) - strike * ndtr(d - 0.5 * deviation)
    return np.where(strike > 0.0, positive, forward - strike)


def transform(s, c, far, length, y):
    """Return E(y + A - cB)_+ of |u| = 1, |v| = length (or the other way round): quadrature along the shorter one."""
    k = -y
    z, weights = normal()
    short = np.exp(s * length * z - 0.5 * (s * length) ** 2)
    forward = np.exp(0.5 * s * length * z - 0.125 * (s * length) ** 2)
    across = s * sqrt(1.0 - 0.25 * length**2)
    if far:
        return float(weights @ call(forward, c * short + k, across))
    strike = short - k
    puts = strike - c * forward + call(c * forward, np.maximum(strike, 0.0), across)
    return float(weights @ np.where(strike > 0.0, puts, 0.0))


CASES = [(0.1, 1.002), (0.5, 1.2), (1.0, 2.4), (1.6, 1.01), (1.6, 1e4)]


@pytest.mark.parametrize(("s", "c"), CASES)
@pytest.mark.parametrize("far", [True, False])
@pytest.mark.parametrize("length", [0.0, 0.4, 1.0])
def test_a_step_lies_between_its_curves(s, c, far, length):
    nodes = NodePlan.of(s, c, 10, 10, 1e-5, 0.7).of_curve.nodes
    (upper,), _ = ball_step_curves.arc_values(s, c, nodes, [length], far, 10, 1e-5)
    lower = ball_step_curves.lower_curve(s, c, nodes, length, far)
    for y in c * s * np.array([-4.0, -1.3, -0.2, 0.0, 0.4, 1.7, 5.0]):
        exact = transform(s, c, far, length, y)
        above = float(np.interp(y, nodes, upper))
        below = float(lower.masses @ np.maximum(y - nodes, 0.0))
        rounding = 1e-11 * exact + 1e-15 * c  # that of the quadrature
        assert below <= exact + rounding
        assert exact <= above + rounding
        assert above - below <= 0.025 * min(s, 1.0) * c


@pytest.mark.parametrize(("s", "c"), CASES)
def test_a_piece_of_an_arc_is_below_its_curve(s, c):
    nodes = NodePlan.of(s, c, 10, 10, 1e-5, 1.0).of_curve.nodes
    curves = ball_step_curves.upper_curves(s, c, nodes, (((0.5, 0.8, 1.0),), ((0.0, 0.6),)), 10, 1e-5)
    assert curves.groups.tolist() == [0, 2, 3]
    for place, (far, low, high) in enumerate([(True, 0.5, 0.8), (True, 0.8, 1.0), (False, 0.0, 0.6)]):
        for share in (0.0, 0.3, 0.7, 1.0):
            for y in c * s * np.array([-3.0, -0.5, 0.3, 2.0]):
                exact = transform(s, c, far, low + share * (high - low), y)
                assert exact <= float(np.interp(y, nodes, curves.fine[place])) * (1 + 1e-11) + 1e-15


def two_steps(s, c, start):
    """Return V_2: the second step is the record removed or added, whichever fits; the first is searched."""
    z, weights = normal(-9.0, 10.0, 20)

    def second(y):
        added = 1.0 + y - c + call(c, np.maximum(1.0 + y, 1.0), s)
        return np.where(y < 0.0, call(1.0, c - np.minimum(y, 0.0), s), added)

    best = 0.0
    for far in (True, False):
        for length in np.linspace(0.0, 1.0, 6):
            long, short = np.array([1.0, 0.0]), length * np.array([0.5 * length, sqrt(1.0 - 0.25 * length**2)])
            a, b = (long, short) if far else (short, long)
            draw_a = np.exp(s * (a[0] * z[:, None] + a[1] * z[None, :]) - 0.5 * s * s * np.dot(a, a))
            draw_b = np.exp(s * (b[0] * z[:, None] + b[1] * z[None, :]) - 0.5 * s * s * np.dot(b, b))
            best = max(best, float(weights @ second(start + draw_a - c * draw_b) @ weights))
    return best


@pytest.mark.parametrize(("s", "epsilon", "width"), [(0.5, 0.8, 1.02), (1.0, 1.5, 1.02), (1.54, 5.0, 1.06)])
def test_two_steps_agree_with_quadrature(s, epsilon, width):
    c = exp(epsilon)
    value = two_steps(s, c, 0.0)
    lower = ball_uneven_value.value_below(s, c, 2, 0.0, value, 0.3)
    upper = ball_uneven_value.value_above(s, c, 2, 0.0, value, 0.3)
    assert lower <= value * (1 + 2e-3)  # the first step is searched at 12 points
    assert value <= upper
    assert upper / lower < width


def removed(s, c, steps):
    """Return E(A_1 + ... + A_m - c m)_+ for two or three steps: quadrature over all but one."""
    z, weights = normal(-9.0, 13.0, 60)
    others, masses = np.exp(s * z - 0.5 * s * s), weights
    if steps == 3:
        others, masses = np.add.outer(others, others).ravel(), np.multiply.outer(masses, masses).ravel()
    return float(masses @ call(1.0, c * steps - others, s))


@pytest.mark.parametrize(("s", "epsilon"), [(0.5, 0.6), (1.54, 4.0), (3.0, 15.0), (5.0, 33.0)])
@pytest.mark.parametrize("steps", [2, 3])
def test_the_record_removed_is_one_policy(s, epsilon, steps):
    c = exp(epsilon)
    value = removed(s, c, steps)
    alone = ball_uneven_value.value_below(s, c, steps, 0.0, value, 0.4, configurations=((True, 0.0),))
    assert alone <= value <= ball_uneven_value.value_above(s, c, steps, 0.0, value, 0.8)
    if s < 5.0:
        assert value <= alone * 1.02
    else:
        jump = ball_jump_value.value_below(s, c, steps, value, 0.8)
        assert jump <= ball_uneven_value.value_above(s, c, steps, 0.0, value, 0.8)


def jumps(s, epsilon, steps, samples):
    """Return the sum of P(no earlier A > c) E F(c (i + T)) of the jump's policy and its deviation, by sampling T."""
    rng, c = np.random.default_rng(7), exp(epsilon)
    total, square = 0.0, 0.0
    for i in range(1, steps + 1):
        t = np.exp(s * rng.normal(size=(samples, steps - i)) - 0.5 * s * s).sum(axis=1)
        values = call(1.0, c * (i + t), s)
        total, square = total + values.mean(), square + values.var() / samples
    return total, sqrt(square)


@pytest.mark.parametrize(("s", "epsilon", "steps"), [(3.0, 13.0, 12), (5.0, 34.0, 40)])
def test_one_large_step_is_below_its_sample(s, epsilon, steps):
    value, deviation = jumps(s, epsilon, steps, 4000)
    bound = ball_jump_value.value_below(s, exp(epsilon), steps, value, 1.0)
    assert bound <= value + 5.0 * deviation
    assert bound >= 0.8 * value  # for all of the first half T has as many terms as there are steps


def equilateral(s, epsilon, steps, samples, seed):
    """Return delta of equilateral triangles at every step by sampling from P, and the deviation of that."""
    rng = np.random.default_rng(seed)
    total = square = 0.0
    for _ in range(samples):
        x, y = rng.normal(size=(2, steps))
        slot = rng.integers(0, steps)
        x[slot] += s
        a = np.exp(s * x - 0.5 * s * s).mean()
        b = np.exp(s * (0.5 * x + sqrt(0.75) * y) - 0.5 * s * s).mean()
        gain = max(1.0 - exp(epsilon) * b / a, 0.0)
        total, square = total + gain, square + gain * gain
    mean = total / samples
    return mean, sqrt(max(square / samples - mean * mean, 0.0) / samples)


@pytest.mark.nightly
@pytest.mark.parametrize(("s", "epsilon", "steps"), [(0.3, 0.012, 2500), (1.0, 0.05, 2500)])
def test_many_equilateral_triangles_lie_between(s, epsilon, steps):
    c = exp(epsilon)
    value, deviation = equilateral(s, epsilon, steps, 6000, 3)
    lower = ball_fixed_value.value_below(s, c, steps, 0.0, value * steps) / steps
    assert lower <= value + 5.0 * deviation
    assert lower >= value - 5.0 * deviation
    upper = ball_uneven_value.value_above(s, c, steps, 0.0, value * steps, 1.5) / steps
    smooth = ball_smooth_bound.value_above(s, c, steps, 0.0, value * steps) / steps
    assert value - 5.0 * deviation <= min(upper, smooth)


@pytest.mark.nightly
@pytest.mark.parametrize(("s", "steps", "epsilon", "width"), [(1.0, 10**6, 0.0043, 1.06), (0.1, 10**6, 0.0002, 1.06)])
def test_a_smoothed_hinge_is_just_above_equilateral_triangles(s, steps, epsilon, width):
    c, about = exp(epsilon), 8e-7 * steps
    lower = ball_fixed_value.value_below(s, c, steps, 0.0, about)
    assert lower <= ball_smooth_bound.value_above(s, c, steps, 0.0, about) <= lower * width


@pytest.mark.nightly
@pytest.mark.parametrize("s", [0.3, 1.0])
def test_the_law_of_a_smoothed_hinge_dominates_every_configuration(s):
    """The condition itself, by quadrature of the transforms, at many points y and lengths."""
    c, steps = exp(1e-3), 10**6
    lattice = ball_fixed_value.LatticePlan.of(s, c, steps, 0.0, 1e-6 * steps)
    found = ball_smooth_bound.smoothed(s, c, lattice.nodes, steps, 1e-6 * steps)
    near = np.abs(found.nodes) < 12.0 * s * exp(2.0 * s)
    fine = np.unique(np.concatenate([found.nodes[near], 0.5 * (found.nodes[near][1:] + found.nodes[near][:-1])]))
    law = np.interp(fine, found.nodes, found.values)
    for far in (True, False):
        for length in (0.0, 0.5, 0.9, 0.99, 1.0):
            gap = law - [transform(s, c, far, length, y) for y in fine]
            for y in s * np.array([-9.0, -2.0, 0.0, 1.0, 6.0]):
                weights = np.exp(-found.rate * np.abs(fine - y))
                assert trapezoid(gap * weights, fine) > 0.0


def test_a_laplace_variable_adds_what_quadrature_says():
    shifts, rate = ball_smooth_bound.LAPLACE_POINTS / 0.3, 0.3
    values = np.log1p(np.exp(shifts))
    z = np.linspace(-150.0, 150.0, 600001)
    exact = trapezoid(np.log1p(np.exp(z)) * 0.5 * rate * np.exp(-rate * np.abs(z)), z)
    assert exact <= ball_smooth_bound.laplace_mean(shifts, values, rate) * (1 + 1e-9)
    assert ball_smooth_bound.laplace_mean(shifts, values, rate) <= exact * 1.03


def integral(integrand, low, high):
    """Return the integral of a function of a complex ball over the root of 2 pi, to a relative error of 2^-90."""
    tight, nothing = arb(2) ** -90, arb(2) ** -2000
    whole = acb.integral(lambda z, _: integrand(z), acb(low), acb(high), rel_tol=tight, abs_tol=nothing)
    return whole.real / (2 * arb.pi()).sqrt()


@pytest.mark.parametrize(("width", "end"), [(0.1, 10.0), (0.8, 14.0), (0.25, 20.0)])
def test_cells_of_other_widths_are_within_their_error(width, end):
    for s, length in ((0.1, 1.0), (1.0, 0.7), (5.0, 1.0)):
        if 0.5 * s * length * width > ball_step_curves.STEEP_GROWTH:
            continue
        triangle = Triangle(s, 1.0, length, True, False, width, end)
        edges, masses, f = triangle._edges, triangle.arc[2], triangle.arc[0]
        with ctx.workprec(200):
            rate = arb(s) * arb(length) / 2
            for k in {0, 1, (edges.size - 1) // 2, edges.size - 3, edges.size - 2}:
                low, high = arb(float(edges[k])), arb(float(edges[k + 1]))
                mass = integral(lambda z: (-z * z / 2).exp(), low, high)
                first = integral(lambda z: (-z * z / 2 + rate * z - rate**2 / 2).exp(), low, high)  # noqa: B023
                assert float(abs(arb(float(masses[k])) / mass - 1).upper()) < triangle.arc_error
                assert float(abs(arb(float(f[k])) * mass / first - 1).upper()) < triangle.arc_error


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("sigma", "steps", "delta", "width"),
    [
        (0.2, 10**6, 1e-6, 0.03),  # 64 % before
        pytest.param(0.65, 10, 1e-12, 0.004, marks=pytest.mark.nightly),  # 25 % before
        pytest.param(0.65, 10**6, 1e-6, 0.015, marks=pytest.mark.nightly),  # a factor 226 before
        pytest.param(1.0, 10**6, 1e-6, 0.006, marks=pytest.mark.nightly),  # no answer before
        pytest.param(3.0, 10**6, 1e-12, 0.006, marks=pytest.mark.nightly),  # no answer before
        pytest.param(10.0, 10**6, 1e-6, 0.012, marks=pytest.mark.nightly),
        pytest.param(0.2, 100, 1e-6, 0.025, marks=pytest.mark.nightly),
        pytest.param(0.65, 10**4, 1e-6, 0.03, marks=pytest.mark.nightly),
    ],
)
def test_answers_are_narrow(sigma, steps, delta, width):
    interval = HiddenSlot(steps, randomizer=f"gaussian:{sigma}").epsilon(delta)
    assert interval.upper <= interval.lower * (1.0 + width)
    # More steps have no larger epsilon than a single one.
    assert interval.upper <= HiddenSlot(1, randomizer=f"gaussian:{sigma}").epsilon(delta).upper


# Beyond the last node the sum rose faster than the function: from 2.25 it was above it at 3.25 (3.44 for 2.5).
@pytest.mark.parametrize("last", [2.25, 3.0])
def test_a_minorant_is_below_its_function_beyond_the_last_node_as_well(last):
    nodes = np.array([0.0, 1.0, 2.0, last])

    def function(y):
        return 0.5 * np.maximum(y, 0.0) + 0.5 * np.maximum(y - 1.5, 0.0)

    right = np.where(nodes >= 1.5, 1.0, 0.5)
    left = np.where(nodes > 1.5, 1.0, np.where(nodes > 0.0, 0.5, 0.0))
    masses = convex_potentials.minorant(nodes, function(nodes), right, left)
    points = np.linspace(0.0, 50.0, 1001)
    values = np.maximum(points[:, None] - nodes, 0.0) @ masses
    assert (values <= function(points)).all() and values[-1] > 0.9 * function(50.0)


@pytest.mark.nightly
@pytest.mark.parametrize("target", [1e-301, 1e-305])
@pytest.mark.parametrize("start", [60.0, 150.0])
def test_an_end_has_a_value_that_shows_it(target, start):
    """A value of 0 was taken for one above the least targets, whose logarithm it exceeds: 97.1 in place of 31."""
    bounds = BallBounds(Pair(REPLACEMENT, GaussianInBall(2.5), 100, 1.0), target)
    lower = bounds._answer(target, Side.LOWER, start, 30.0, 31.0)
    assert lower == 31.0 or bounds.value(lower, Side.LOWER, bounds.answer_fine) > target


@pytest.mark.nightly
def test_both_ends_of_an_epsilon_have_values_on_their_sides():
    bounds = BallBounds(Pair(REPLACEMENT, GaussianInBall(1.5), 40, 1.0), 1e-6)
    lower, upper = bounds.crossings(1e-6, 3.0, 6.0)
    assert 3.0 < lower < upper < 6.0
    assert bounds.value(lower, Side.LOWER, bounds.answer_fine) > 1e-6
    assert bounds.value(upper, Side.UPPER, bounds.answer_fine) <= 1e-6


# Lattices with no point on a side of 0 ended in a division by zero.
@pytest.mark.nightly
@pytest.mark.parametrize(("sigma", "steps", "epsilon"), [(0.65, 50, 20.0), (0.65, 100, 15.0), (2.0, 30_000, 3.0)])
def test_far_tails_have_an_answer(sigma, steps, epsilon):
    interval = HiddenSlot(steps, randomizer=f"gaussian:{sigma}").delta(epsilon)
    assert 0.0 <= interval.lower <= interval.upper < 1e-30


def test_a_lattice_has_points_on_both_sides():
    places = ball_fixed_value.LatticePlan.of(1.54, exp(20.0), 50, 0.0, 1e-12).places
    assert places[0] < 0 < places[-1]


def test_what_a_step_adds_grows_with_the_masses_of_later_ones():
    masses = np.array([0.5, 0.5 + 1e-9])
    assert exp(1.7) <= ball_uneven_value.growth_by_steps(masses, 1_700_000_000) < 1.001 * exp(1.7)
    assert ball_uneven_value.growth_by_steps(np.array([0.5, 0.25]), 10**12) < 1.0 + 1e-14
    assert ball_uneven_value.growth_by_steps(np.array([1.0, 1.0]), 10**12) == inf


# Measured before: 11.6, as four secants missed.
@pytest.mark.nightly
def test_an_upper_end_is_looked_for_until_there_is_one():
    interval = HiddenSlot(10**9, randomizer="gaussian:0.65").epsilon(1e-12)
    assert interval.relative_width < 0.36
