"""Sampled Gaussians by a trapezoidal rule: errors of its moments in balls, and compositions of many different steps."""

from dataclasses import replace

import numpy as np
import pytest
from flint import acb, arb, ctx
from test_schedules import composed

from pldcheck.core.interval import Interval
from pldcheck.pld import distribution, one_large_loss, quadrature_nodes
from pldcheck.pld.enumerated_sums import enumerate_sum
from pldcheck.pld.frequency_decay import Decay
from pldcheck.pld.largest_loss import top_mass
from pldcheck.pld.loss_total import Total
from pldcheck.pld.quadrature_nodes import MOST_ERROR, UNKNOWN, SampledGaussian
from pldcheck.pld.tilted_total import tilt

# Sigma, rate, and the frequency for which the nodes are made.
LAWS = [(1.0, 0.01, 25.0), (1.4, 0.3, 10.0), (0.6, 1e-3, 60.0), (0.3, 0.05, 5.0), (5.0, 0.9, 2.0), (2.0, 1e-5, 200.0)]


def integrand(sigma, rate, power):
    """Return the density of the noise times w^power, as a function of complex balls."""
    mu, r = 1 / sigma, arb(rate)

    def function(x, analytic):
        w = 1 - r + r * (mu * x - mu * mu / 2).exp()
        if analytic and not w.real > 0:
            return acb("nan")
        return (-x * x / 2 + power * w.log()).exp() / (2 * arb.pi()).sqrt()

    return function


def moment(sigma, rate, power):
    """Return the moment by an integral in balls, from 60 deviations to 60 beyond the tilted mean."""
    function, reach = integrand(sigma, rate, power), 60 + abs(float(power.real)) / float(sigma)
    edges = np.linspace(-reach, reach, int(reach) + 1).tolist()
    tight, small = arb(2) ** -140, arb(2) ** -220
    pieces = [
        acb.integral(function, acb(a), acb(b), rel_tol=tight, abs_tol=small)
        for a, b in zip(edges, edges[1:], strict=False)
    ]
    return sum(pieces, acb(0))


def of_nodes(law, power):
    """Return the moment of the nodes of the law's rule, not of its rounded masses, in balls."""
    rule = law.rule
    function = integrand(1 / arb(rule.mu), rule.rate, power)
    places = [acb(rule.first + rule.step * k) for k in range(law.losses.size)]
    return sum((function(x, False) for x in places), acb(0)) * rule.step


def total_of(law):
    total = Total.of([(law, 50)])
    assert total.nodes is not None
    return total


def powers(theta, s, backward):
    return acb(-theta, -s) if backward else acb(theta + 1, s)


@pytest.mark.nightly
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("theta", [0.0, 0.7, 3.0, 9.0])
@pytest.mark.parametrize(("sigma", "rate", "frequency"), LAWS)
def test_moments_of_nodes_are_within_their_errors(sigma, rate, frequency, theta, backward):
    law = SampledGaussian(sigma, rate, backward).law(frequency)
    nodes, state = total_of(law).nodes, tilt(total_of(law), theta)
    with ctx.workprec(260):
        exact = 1 / arb(law.rule.mu)
        at_zero, on_axis = of_nodes(law, powers(0.0, 0.0, backward)), of_nodes(law, powers(theta, 0.0, backward))
        true_axis = moment(exact, rate, powers(theta, 0.0, backward))
        error = float(nodes.moment_errors(theta, state.cumulants)[0])
        assert error == np.inf or abs((on_axis / at_zero / true_axis).log()) <= arb(error)
        frequencies = np.array([0.1, 0.5, 1.0, 2.0, 5.0]) * frequency
        errors, turning = state.node_errors(frequencies)[0], float(state.high_frequencies[0])
        assert np.all(np.diff(errors) >= 0.0)
        for s, most in zip(frequencies.tolist(), errors.tolist(), strict=True):
            truth = moment(exact, rate, powers(theta, s, backward)) / true_axis
            assert abs(of_nodes(law, powers(theta, s, backward)) / on_axis - truth) <= arb(most), s
            assert turning == np.inf or abs(truth) * arb(s) <= arb(turning)


def test_moments_of_two_laws_are_within_their_errors_and_these_are_small():
    for sigma, rate, frequency, theta, backward in ((1.0, 0.01, 25.0, 3.0, False), (1.4, 0.3, 10.0, 9.0, True)):
        test_moments_of_nodes_are_within_their_errors(sigma, rate, frequency, theta, backward)
        total = total_of(SampledGaussian(sigma, rate, backward).law(frequency))
        state = tilt(total, theta)
        assert 0.0 < state.node_errors(np.array([0.1 * frequency]))[0, 0] < 1e-18
        assert total.nodes.moment_errors(theta, state.cumulants)[0] < 1e-18


@pytest.mark.parametrize("backward", [False, True])
def test_losses_and_masses_of_nodes_are_within_their_round_off(backward):
    for sigma, rate, frequency in LAWS:
        law = SampledGaussian(sigma, rate, backward).law(frequency)
        with ctx.workprec(200):
            function = integrand(arb(sigma), rate, acb(0 if backward else 1))
            exact = [function(acb(law.rule.first + law.rule.step * k), False).real for k in range(law.losses.size)]
            whole, mu = sum(exact, arb(0)), 1 / arb(sigma)
            for k, (loss, mass) in enumerate(zip(law.losses.tolist(), law.masses.tolist(), strict=True)):
                x = arb(law.rule.first + law.rule.step * k)
                true_loss = (1 + arb(rate) * (mu * x - mu * mu / 2).expm1()).log() * (-1 if backward else 1)
                assert abs(arb(loss) - true_loss) <= arb(law.loss_error)
                assert abs(arb(mass) * whole / exact[k] - 1) <= arb(law.mass_error)


def test_tilts_that_the_nodes_do_not_reach_are_unknown():
    law = SampledGaussian(1.0, 0.01, False).law(25.0)
    total = total_of(law)
    state = tilt(total, 40.0)
    assert state.error == np.inf and state.high_frequencies[0] == np.inf
    assert np.all(state.node_errors(np.array([1.0, 2.0])) == UNKNOWN)
    assert 0.0 < MOST_ERROR < 0.1


def test_the_logarithm_of_the_characteristic_function_is_within_its_doubt():
    sigma, rate, theta = 1.0, 0.01, 6.0
    state = tilt(total_of(SampledGaussian(sigma, rate, False).law(25.0)), theta)
    # From the third on nodes are far too coarse for what a doubt of round-off alone would be.
    frequencies = np.array([0.0, 5.0, 40.0, 60.0, 80.0])
    logs, doubt = state.log_characteristic(frequencies)
    with ctx.workprec(200):
        axis = moment(arb(sigma), rate, powers(theta, 0.0, False))
        for s, log, error in list(zip(frequencies.tolist(), logs.tolist(), doubt.tolist(), strict=True))[1:]:
            ratio = moment(arb(sigma), rate, powers(theta, s, False)) / axis
            # The mean of the atoms is taken out of the logarithm.
            computed = (acb(log.real, log.imag) + acb(0, s) * state.atoms_mean).exp()
            assert abs(ratio**50 - computed) <= abs(computed) * arb(error).expm1()
    assert doubt[0] == 0.0 < doubt[1] < 1e-9 < doubt[-1]


def test_errors_of_one_node_are_those_of_the_formula():
    """Typed again from the proof, with the same place for the end of the strip's part.

    On this narrow strip no term is too small to be seen.
    """
    plain = SampledGaussian(1.0, 0.01, False).law(25.0)
    law = replace(plain, rule=replace(plain.rule, strip=0.5))
    rule, theta, s = law.rule, 3.0, 45.0
    state = tilt(total_of(law), theta)
    x = np.array([rule.first + rule.step * (k + 0.5) for k in range(law.losses.size)])
    odds = 0.01 * np.exp(x - 0.5) / 0.99
    angle = np.arctan2(odds * np.sin(rule.strip), 1.0 + odds * np.cos(rule.strip))
    kappa = 0.5 * rule.strip + s * np.maximum(odds / (1.0 + odds), angle / rule.strip) - 2.0 * np.pi / rule.step
    last = np.flatnonzero(kappa <= -np.pi / rule.step + 0.25 * rule.strip)[-1]
    assert 0 < last < x.size - 1
    weight = np.exp(-0.5 * x[last] ** 2 + 4.0 * np.log(0.99 * (1.0 + odds[last])) - state.cumulants[0])
    first_term, second_term = 2.0 * np.exp(kappa[last] * rule.strip), 2.0 * weight / -kappa[last]
    beyond = float(np.sum(state.tilted_masses[last + 1 :]))
    error = state.node_errors(np.array([s]))[0, 0]
    assert error >= 2.0 * (first_term + second_term + beyond)
    assert error <= 2.0 * 1.06 * (1.06 * first_term + second_term + beyond) + 1e-15
    # Each term is more than round-off, or this test would not see it.
    assert min(first_term, second_term, beyond) > 0.1 * error


def test_nothing_but_moments_is_known_of_a_sum_with_nodes():
    total = total_of(SampledGaussian(1.0, 0.01, False).law(25.0))
    assert total.cap == (np.inf, np.inf) and total.gaussian_part is None
    assert top_mass(total) == 0.0 and enumerate_sum(total) is None
    assert one_large_loss.delta(total, 0.5) == 0.0
    assert total.trim(1e-3, drop=True) is total and total.trim(1e-3, drop=False) is total


@pytest.mark.nightly
def test_what_is_no_node_has_no_error():
    smooth, plain = SampledGaussian(1.0, 0.01, False).law(25.0), SampledGaussian(1.0, 0.01, True).law(25.0)
    cells = composed([(1.0, 0.01)]).forward[0][0].upper
    state = tilt(Total.of([(cells, 3), (smooth, 5), (plain, 7)]), 2.0)
    errors = state.node_errors(np.array([1.0, 25.0]))
    assert np.all(errors[0] == 0.0) and np.all(errors[1:] > 0.0)
    assert state.high_frequencies[0] == np.inf and np.all(state.high_frequencies[1:] < np.inf)


@pytest.mark.parametrize("theta", [1.0, 3.0, 6.0])
def test_the_decay_is_one_of_the_true_moments(theta, monkeypatch):
    """The bound of -log|phi| of 50 copies is below that of the true law, also where nodes are far too coarse."""
    sigma, rate = 1.0, 0.01
    if theta == 3.0:
        monkeypatch.setattr(quadrature_nodes, "NEGLIGIBLE", 10.0)
        monkeypatch.setattr(quadrature_nodes, "MORE_TURNS", -40.0)
    law = SampledGaussian(sigma, rate, False).law(25.0)
    state = tilt(total_of(law), theta)
    for length, between in ((0.5, False), (8.0, False), (2.0, True)):
        bounds = Decay.of(state).bounds(length, 64, between=between)
        assert np.max(bounds) > 0.5
        with ctx.workprec(200):
            axis = moment(arb(sigma), rate, powers(theta, 0.0, False))
            for i in (1, 5, 20, 40, 60, 63):
                for s in (i * length, *([(i + 0.5) * length, (i + 1) * length] if between else [])):
                    truth = -50 * abs(moment(arb(sigma), rate, powers(theta, s, False)) / axis).log()
                    assert arb(float(bounds[i])) <= truth


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9])
def test_many_different_steps_agree_with_their_cells(seed, delta):
    rng = np.random.default_rng(seed)
    noises, rates = rng.uniform(0.7, 4.0, 150), 10.0 ** rng.uniform(-4, -1, 150)
    mechanism = composed(zip(noises.tolist(), rates.tolist(), strict=True))
    interval, of_cells = mechanism.epsilon(delta), mechanism._epsilon_of_cells(delta, 2e-5)
    assert of_cells.lower <= interval.upper and interval.lower <= of_cells.upper
    assert interval.relative_width <= 1e-4
    near, near_of_cells = mechanism.delta(interval.upper), mechanism._deltas_of_cells([interval.upper], 2e-5)[0]
    assert near_of_cells.lower <= near.upper <= delta * (1.0 + 1e-3) and near.lower <= near_of_cells.upper


@pytest.mark.nightly
def test_a_thousand_different_steps_are_narrow():
    interval = composed([(1.0 + i / 2000, 0.01 + 1e-6 * i) for i in range(1000)]).epsilon(1e-6)
    assert interval.relative_width <= 1e-5
    # dp_accounting of these parts, value_discretization_interval 1e-4: an estimate.
    assert abs(interval.upper - 1.571090) < 2e-5


@pytest.mark.nightly
def test_a_wide_answer_of_nodes_is_not_lost(monkeypatch):
    mechanism = composed([(1.0 + i / 2000, 0.01) for i in range(140)]).one_way
    on_nodes = mechanism._on_nodes.epsilon(1e-3, 2e-5)
    of_cells = Interval(0.5 * on_nodes.lower, on_nodes.upper - 0.25 * on_nodes.width, "epsilon")
    plain = type(mechanism)._epsilon_of_cells
    monkeypatch.setattr(
        type(mechanism),
        "_epsilon_of_cells",
        lambda self, delta, width: of_cells if self is mechanism else plain(self, delta, width),
    )
    monkeypatch.setattr(distribution, "WIDE_ON_NODES", 0.0)
    answer = mechanism.epsilon(1e-3)
    assert (answer.lower, answer.upper) == (on_nodes.lower, of_cells.upper)
