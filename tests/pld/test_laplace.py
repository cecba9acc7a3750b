from functools import cache

import naive
import numpy as np
import pytest
from certificates import contains, narrow_epsilon, right_epsilon
from flint import acb, arb, ctx

from pldcheck import pld
from pldcheck.pld.laplace_mgf import laplace_cumulant, laplace_ratio
from pldcheck.pld.loss_total import Total
from pldcheck.pld.tilted_total import tilt

UNIT = 2.0**-53


@cache
def eps0_of(scale):
    with ctx.workprec(1500):
        return 1 / arb(scale)


@pytest.mark.parametrize("scale", [0.05, 1.0, 1000.0])
@pytest.mark.parametrize("copies", [1, 2, 12])
@pytest.mark.parametrize("delta", [0.3, 1e-6, 1e-12, 1e-100])
def test_epsilon_is_right_and_narrow(scale, copies, delta):
    interval = pld.laplace(scale).compose(copies).epsilon(delta)
    curve = lambda e: naive.laplace_delta(eps0_of(scale), copies, e)  # noqa: E731
    assert right_epsilon(interval, delta, curve)
    # Many nodes near the largest loss, where few values weigh in: 5e-4 seen.
    assert interval.relative_width <= 1e-9 or narrow_epsilon(interval, delta, curve, 1e-3), interval


@pytest.mark.parametrize("scale", [0.05, 1.0, 3.0, 1000.0])
@pytest.mark.parametrize("copies", [1, 2, 3, 5, 12])
def test_delta_is_right_and_narrow(scale, copies):
    mechanism = pld.laplace(scale).compose(copies)
    for share in (0.0, 0.1, 0.5, 0.9, 0.999):
        epsilon = share * copies / scale
        interval = mechanism.delta(epsilon)
        assert contains(interval, naive.laplace_delta(eps0_of(scale), copies, epsilon)), share
        # An even number of copies has an atom at 0: smoothing by h costs h times its mass.
        assert interval.relative_width <= 1e-3, (share, interval)


@pytest.mark.parametrize(("scale", "copies"), [(0.5, 10**6), (0.5, 10**9), (10.0, 10**9), (0.1, 10**8)])
def test_many_copies_agree_with_the_same_integral_in_ball_arithmetic(scale, copies):
    with ctx.workprec(300):
        e, step = 1 / arb(scale), arb(2) ** -60
        at = [naive.laplace_log_mgf(e, acb(x)).real for x in (-step, arb(0), step)]
        mean, deviation = float((at[2] - at[0]) / (2 * step)), float((at[2] - 2 * at[1] + at[0]) / step**2) ** 0.5
        deviation *= copies**0.5
        epsilon = copies * mean + 2.0 * deviation
        # Aliases 40 deviations away: below 1e-80.
        truth = naive.fourier_delta(
            lambda z: copies * naive.laplace_log_mgf(e, z), epsilon, 3.0 / deviation, 2 * np.pi / (40 * deviation), 160
        )
    interval = pld.laplace(scale).compose(copies).delta(epsilon)
    assert contains(interval, truth)
    assert interval.relative_width <= 1e-3, interval


@pytest.mark.parametrize("eps0", [1e-4, 0.1, 1.0, 4.0])
@pytest.mark.parametrize("theta", [1e-6, 1e-3, 0.1, 1.0, 30.0])
def test_log_mgf_keeps_its_digits_near_the_real_axis(eps0, theta):
    # What a power of 10^9 needs: an error relative to log M, not to M; tests/ledger holds it against balls.
    for s in (10.0**k * theta for k in range(-8, 1)):
        (change,), (doubt,) = laplace_ratio(eps0, theta, np.array([s]))
        base, _ = laplace_cumulant(eps0, theta)
        assert doubt <= 1000 * UNIT * (abs(change) + abs(base)), s


def test_the_ratio_is_continuous_where_the_series_begins():
    for angle in np.linspace(-1.5, 1.5, 31):
        for eps0 in (1e-3, 0.3, 1.9):
            y = np.exp(1j * angle) / eps0
            if (y - 0.5).real < 0.0:
                continue
            theta, s = (y - 0.5).real, abs(y.imag)
            (below, above), (error, other) = laplace_ratio(eps0, theta, np.array([s * (1 - 1e-13), s * (1 + 1e-13)]))
            assert abs(above - below) <= error + other + 1e-11 * abs(above)


@pytest.mark.parametrize(("scale", "order"), [(10.0, 1.001), (10.0, 2.0), (0.25, 1.0001), (1.0, 1.5), (1e4, 1.01)])
def test_the_renyi_divergence_agrees_with_its_closed_form(scale, order):
    # Mironov (2017), Table II, is log M(order - 1)/(order - 1).
    with ctx.workprec(300):
        truth = naive.laplace_log_mgf(1 / arb(scale), acb(order - 1.0)).real / arb(order - 1.0)
    assert contains(pld.laplace(scale).renyi(order), truth)


def test_the_cumulant_is_within_its_error():
    with ctx.workprec(300):
        for scale in (0.2, 1.0, 100.0):
            total = Total.of([(pld.laplace(scale).forward[0][0].upper, 10**6)])
            for theta in (1e-5, 1e-3, 0.1, 1.0, 10.0):
                state = tilt(total, theta)
                truth = 10**6 * naive.laplace_log_mgf(1 / arb(scale), acb(theta)).real
                assert abs(float(state.cumulant - truth)) <= state.error, (scale, theta)
