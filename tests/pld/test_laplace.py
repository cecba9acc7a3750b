from functools import cache

import naive
import numpy as np
import pytest
from certificates import contains, narrow_epsilon, right_epsilon
from flint import acb, arb, ctx

from pldcheck import pld
from pldcheck.pld.total import LAPLACE_ERROR, Total, laplace_log_mgf, tilt

UNIT = 2.0**-53


@cache
def eps0_of(scale):
    with ctx.workprec(1500):
        return 1 / arb(scale)


@pytest.mark.parametrize("scale", [0.05, 1.0, 1000.0])
@pytest.mark.parametrize("copies", [1, 2, 12])
@pytest.mark.parametrize("delta", [0.3, 1e-6, 1e-12, 1e-100])
def test_epsilon_is_right_and_narrow(scale, copies, delta):
    found = pld.laplace(scale).compose(copies).epsilon(delta)
    curve = lambda e: naive.laplace_delta(eps0_of(scale), copies, e)  # noqa: E731
    assert right_epsilon(found, delta, curve)
    # Many nodes near the largest loss, where few values weigh in: 5e-4 seen.
    assert found.relative_width <= 1e-9 or narrow_epsilon(found, delta, curve, 1e-3), found


@pytest.mark.parametrize("scale", [0.05, 1.0, 3.0, 1000.0])
@pytest.mark.parametrize("copies", [1, 2, 3, 5, 12])
def test_delta_is_right_and_narrow(scale, copies):
    mechanism = pld.laplace(scale).compose(copies)
    for share in (0.0, 0.1, 0.5, 0.9, 0.999):
        epsilon = share * copies / scale
        found = mechanism.delta(epsilon)
        assert contains(found, naive.laplace_delta(eps0_of(scale), copies, epsilon)), share
        # An even number of copies has an atom at 0: smoothing by h costs h times its mass.
        assert found.relative_width <= 1e-3, (share, found)


@pytest.mark.parametrize(("scale", "copies"), [(0.5, 10**6), (0.5, 10**9), (10.0, 10**9), (0.1, 10**8)])
def test_many_copies_against_the_same_integral_in_ball_arithmetic(scale, copies):
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
    found = pld.laplace(scale).compose(copies).delta(epsilon)
    assert contains(found, truth)
    assert found.relative_width <= 1e-3, found


def relative_error(eps0, z):
    """Of log M, in units of round-off, whatever the branch."""
    with ctx.workprec(300):
        got = complex(laplace_log_mgf(eps0, z))
        truth = naive.laplace_log_mgf(arb(eps0), acb(z.real, z.imag))
        gap = acb(got.real, got.imag) - truth
        turns = round(float(gap.imag / (2 * arb.pi())))
        return float(abs(gap - acb(0, 2 * turns * arb.pi()))) / float(abs(truth)) / UNIT


@pytest.mark.parametrize("eps0", [1e-4, 0.1, 1.0, 4.0])
@pytest.mark.parametrize("theta", [1e-6, 1e-3, 0.1, 1.0, 30.0])
def test_log_mgf_near_the_real_axis(eps0, theta):
    # 64 round-offs, relatively, is what pldcheck.pld.total grants it.
    sizes = [0.0, *(10.0**k for k in range(-8, 1)), 3.0, 20.0]
    assert max(relative_error(eps0, complex(theta, s * theta)) for s in sizes) <= 64.0


@pytest.mark.parametrize("eps0", [1e-6, 1e-4, 0.1, 1.0, 4.0])
def test_log_mgf_far_out(eps0):
    # Where M has come down from 1, the error granted is relative to M.
    for s in (0.3, 1.0, 1.5707, 3.0, 7.0, 100.0, 1000.0):
        z = complex(1.0, s / eps0)
        log_m = complex(laplace_log_mgf(eps0, z))
        granted = LAPLACE_ERROR * (1.0 + (1.0 + abs(eps0 * z)) / (abs(np.exp(log_m)) * abs(log_m)))
        assert relative_error(eps0, z) <= granted


def test_log_mgf_is_continuous_where_the_series_begins():
    for angle in np.linspace(-1.5, 1.5, 31):
        for eps0 in (1e-3, 0.3, 1.9):
            y = np.exp(1j * angle) / eps0
            below, above = (complex(laplace_log_mgf(eps0, y * (1 + t) - 0.5)) for t in (-1e-13, 1e-13))
            if (y - 0.5).real >= 0.0:
                assert abs(above - below) <= 1e-11 * abs(above)


@pytest.mark.parametrize(("scale", "order"), [(10.0, 1.001), (10.0, 2.0), (0.25, 1.0001), (1.0, 1.5), (1e4, 1.01)])
def test_renyi_divergence(scale, order):
    # Mironov (2017), Table II, is log M(order - 1)/(order - 1).
    with ctx.workprec(300):
        truth = naive.laplace_log_mgf(1 / arb(scale), acb(order - 1.0)).real / arb(order - 1.0)
    assert contains(pld.laplace(scale).renyi(order), truth)


def test_cumulant_within_its_error():
    with ctx.workprec(300):
        for scale in (0.2, 1.0, 100.0):
            total = Total.of([(pld.laplace(scale).forward[0][0].upper, 10**6)])
            for theta in (1e-5, 1e-3, 0.1, 1.0, 10.0):
                state = tilt(total, theta)
                truth = 10**6 * naive.laplace_log_mgf(1 / arb(scale), acb(theta)).real
                assert abs(float(state.cumulant - truth)) <= state.error, (scale, theta)
