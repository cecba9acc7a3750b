"""Terms of laws and of their characteristic functions, each where it alone decides."""

import naive
import numpy as np
import pytest
from certificates import contains
from flint import arb, ctx

from pldcheck import pld
from pldcheck.pld import curve_inversion
from pldcheck.pld.closed_form_curves import VARIANCE_UNITS, GaussianCurve
from pldcheck.pld.frequency_decay import Decay
from pldcheck.pld.loss_total import Total
from pldcheck.pld.response_sums import ladder, response_cumulant
from pldcheck.pld.step_losses import Atoms
from pldcheck.pld.tilted_total import tilt

UNIT = 2.0**-53
LOSSES = np.array([-1.0, 0.25, 1.0])
MASSES = np.array([0.25, 0.25, 0.5])


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-12, 1e-100])
def test_each_end_of_a_gaussian_epsilon_is_on_its_own_side(delta):
    for variance in (0.01, 0.7, 1.0, 3.3, 50.0):
        low, high = GaussianCurve(variance).epsilon(delta)
        less, more = variance * (1.0 - VARIANCE_UNITS * UNIT), variance * (1.0 + VARIANCE_UNITS * UNIT)
        with ctx.workprec(300):
            assert low == 0.0 or naive.gaussian_delta(arb(less), low) >= delta
            assert naive.gaussian_delta(arb(more), high) <= delta


@pytest.mark.parametrize("j", [-300, 0, 301, 700])
def test_smoothing_and_the_first_node_are_charged_where_epsilon_is_a_value_of_the_sum(j):
    # Too many values to be written out; epsilon is the value of the sum that smoothing moves most.
    count = 140000
    law = pld.randomized_response(0.5).forward[0][0].upper
    epsilon = 0.5 * (34300 + 2 * j)
    (interval,) = curve_inversion.delta(Total.of([(law, count)]), np.array([epsilon]), 1e-6)
    assert contains(interval, naive.response_delta(0.5, count, epsilon)) and interval.upper <= interval.lower * (
        1 + 1e-3
    )


def test_where_one_distribution_has_nothing_the_mixture_has_the_other():
    mechanism = pld.subsampled_pmf([1.0, 0.0], [0.5, 0.5], 0.5)
    for one in (mechanism.one_way, mechanism.reversed.one_way):
        assert one.delta(0.0).lower <= 0.25 <= one.delta(0.0).upper <= 0.25 + 1e-14


@pytest.mark.parametrize("theta", [1e-3, 0.01, 0.04, 0.2])
def test_the_series_of_responses_is_within_its_own_error(theta):
    eps0 = np.array([0.5, 0.77, 1.0])
    (rung,) = ladder(eps0, np.array([1.0, 5.0, 2.0]))
    assert rung.reach(theta) >= 0.0 or theta > 0.05
    value, error, _, _ = response_cumulant(rung, theta)
    with ctx.workprec(300):
        t = arb(theta) + arb(1) / 2
        truth = sum(n * ((t * arb(e)).cosh() / (arb(e) / 2).cosh()).log() for e, n in zip(eps0, (1, 5, 2), strict=True))
        assert abs(truth - value) <= error


def test_between_two_frequencies_there_may_be_a_peak():
    # Ten values a unit apart: at 2 pi the characteristic function is 1 again.
    state = tilt(Total.of([(Atoms(np.arange(10.0), np.full(10, 0.1), mass_error=0.0), 20)]), 0.01)
    bound = Decay.of(state).bounds(4.0 * np.pi / 3.0, 3, between=True)
    assert bound[1] == 0.0
    # Ten values at 0 and 1, of a small variance: at 2 pi, in the middle of the third interval, it is 1 as well.
    state = tilt(Total.of([(Atoms(np.repeat([0.0, 1.0], 5), np.full(10, 0.1), mass_error=0.0), 20)]), 0.01)
    bound = Decay.of(state).bounds(0.8 * np.pi, 4, between=True)
    assert bound[2] <= 1e-9


def test_the_moment_is_enclosed_where_the_sampled_record_decides_it():
    # Terms of the binomial sum other than the last are below e^-900 of it.
    with ctx.workprec(300):
        for order, rate in ((1000, 0.5), (2000, 0.01)):
            truth = (order * arb(rate).log() + arb(order) * (order - 1) / 2) / (order - 1)
            interval = pld.subsampled_gaussian(1.0, rate).one_way.renyi(order)
            assert contains(interval, truth) and interval.relative_width < 1e-12


def test_characteristic_functions_of_laws_within_the_stated_errors():
    frequencies = np.linspace(0.0, 5.0, 40)
    for theta in (0.1, 1.0):
        tilt_with_errors = tilt(Total.of([(Atoms(LOSSES, MASSES, mass_error=2e-3), 10)]), theta)
        for shift in (-1e-3, 1e-3):
            masses = MASSES + np.array([-0.5 * shift, 0.0, 0.5 * shift])
            exact_tilt = tilt(Total.of([(Atoms(LOSSES, masses, mass_error=0.0), 10)]), theta)
            values, doubt = tilt_with_errors.log_characteristic(frequencies)
            true, _ = exact_tilt.log_characteristic(frequencies)
            stated_value = np.exp(values + 1j * frequencies * tilt_with_errors.atoms_mean)
            exact_value = np.exp(true + 1j * frequencies * exact_tilt.atoms_mean)
            assert np.all(np.abs(stated_value - exact_value)[1:] <= (np.abs(stated_value) * np.expm1(doubt))[1:])
