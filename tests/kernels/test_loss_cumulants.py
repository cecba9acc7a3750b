"""Error bounds of the loss kernels against ball arithmetic: they hold, and not by orders of magnitude too much."""

import numpy as np
import pytest
from flint import acb, arb, ctx

from pldcheck.kernels import loss_cumulants as kernels

UNIT = 2.0**-53
CASES = [
    (size, scale, theta, seed)
    for size in (2, 5, 40)
    for scale in (1e-6, 1e-2, 1.0, 30.0)
    for theta in (1e-4, 0.3, 5.0)
    for seed in range(2)
]


def law(size, scale, seed):
    rng = np.random.default_rng(seed)
    masses = rng.random(size) ** 3
    losses = scale * rng.standard_normal(size)
    return losses, masses / masses.sum()


def tilt_exactly(losses, masses, theta):
    """Return exact tilted masses, M over the total weight, and the mean; masses are weights."""
    weights = [arb(float(m)) * (arb(theta) * arb(float(x))).exp() for m, x in zip(masses, losses, strict=True)]
    total = sum(weights, arb(0))
    mean = sum((w * arb(float(x)) for w, x in zip(weights, losses, strict=True)), arb(0)) / total
    return [w / total for w in weights], total / sum((arb(float(m)) for m in masses), arb(0)), mean


@pytest.mark.parametrize(("size", "scale", "theta", "seed"), CASES)
def test_cumulants_are_within_their_errors(size, scale, theta, seed):
    losses, masses = law(size, scale, seed)
    cumulants, errors, swings, means, variances, *_ = kernels.tilt(np.array([0, size]), losses, masses, theta)
    with ctx.workprec(300):
        probabilities, mgf, mean = tilt_exactly(losses, masses, theta)
        # The masses sum to 1 but for 2 round-offs each; swings say what that does.
        slack = UNIT * (errors[0] + 4.0 * swings[0])
        assert abs(float(cumulants[0] - mgf.log())) <= slack
        variance = sum((q * (arb(float(x)) - mean) ** 2 for q, x in zip(probabilities, losses, strict=True)), arb(0))
    assert abs(means[0] - float(mean)) <= 64 * UNIT * np.max(np.abs(losses))
    assert variances[0] == pytest.approx(float(variance), rel=1e-10)


@pytest.mark.parametrize(("size", "scale", "theta", "seed"), CASES)
@pytest.mark.parametrize("count", [1, 1000])
def test_the_characteristic_function_is_within_its_error(size, scale, theta, seed, count):
    losses, masses = law(size, scale, seed)
    *_, means, variances, deviations, probabilities, centres = kernels.tilt(np.array([0, size]), losses, masses, theta)
    reach = np.max(np.abs(losses))
    noise, shifts = np.array([UNIT * (32.0 + 8.0 * theta * reach)]), np.array([UNIT * (2 * reach + 64 * abs(means[0]))])
    s = np.array([0.0, 1e-6, 1e-3, 0.1, 0.5, 1.0, 2.0, 5.0, 30.0, 1e3]) / variances[0] ** 0.5
    real, imaginary, doubt = kernels.log_characteristic(
        np.array([0, size]), centres, probabilities, np.array([float(count)]), deviations, noise, shifts, s
    )
    with ctx.workprec(300):
        exact, _, _ = tilt_exactly(losses, masses, theta)
        for n, frequency in enumerate(s):
            phi = sum(
                (
                    q * acb(0, arb(float(frequency)) * (arb(float(x)) - arb(float(means[0])))).exp()
                    for q, x in zip(exact, losses, strict=True)
                ),
                acb(0),
            )
            truth = phi**count
            value = acb(float(real[n]), float(imaginary[n])).exp()
            allowance = arb(float(real[n])).exp() * arb(float(doubt[n])).expm1()
            assert not abs(value - truth) > allowance + arb(1e-320), (frequency, doubt[n])


@pytest.mark.parametrize("spacing", [1e-3, 0.05, 0.7])
@pytest.mark.parametrize("theta", [0.3, 5.0])
def test_rotated_sines_are_within_their_error(spacing, theta):
    """Many atoms with rough masses at evenly spaced nodes, with gaps: turned or not, the same up to what is granted."""
    losses, masses = law(200, 1.0, 7)
    *_, means, variances, deviations, probabilities, centres = kernels.tilt(np.array([0, 200]), losses, masses, theta)
    step = spacing / variances[0] ** 0.5
    s = step * np.concatenate([np.arange(70.0), np.arange(90.0, 130.0), [200.0, 201.0, 300.0]])
    shifts = np.array([UNIT * (2 * np.max(np.abs(losses)) + 64 * abs(means[0]))])

    def log_characteristic(noise):
        return kernels.log_characteristic(
            np.array([0, 200]), centres, probabilities, np.ones(1), deviations, np.array([noise]), shifts, s
        )

    smooth, rough = (
        log_characteristic(0.99 * kernels.ROUGH_UNITS * UNIT),
        log_characteristic(kernels.ROUGH_UNITS * UNIT),
    )
    assert np.any(smooth[0] != rough[0])
    # Of what the turned ones are granted beyond the others, nearly nothing is used: it is a worst case.
    grant_of_turns = UNIT * (
        kernels.TURN_ERROR * np.minimum(s * deviations[0], 2.0) + kernels.ANGLE_ERROR * s * deviations[0]
    )
    change = np.hypot(rough[0] - smooth[0], rough[1] - smooth[1]) * np.exp(np.minimum(smooth[0], 0.0))
    assert np.all(change <= grant_of_turns + 32 * UNIT * (s * deviations[0] + 1.0) * (s > 0.0))
    near = s * deviations[0] <= 2.0
    assert np.all(rough[2][near] <= 1.7 * smooth[2][near])
    with ctx.workprec(300):
        exact, _, _ = tilt_exactly(losses, masses, theta)
        for n in (0, 1, 15, 16, 17, 69, 70, 71, 109, 110, 111, 112):
            value = sum(
                (q * acb(0, float(s[n]) * arb(float(c))).exp() for q, c in zip(exact, centres, strict=True)), acb(0)
            )
            ball = acb(float(rough[0][n]), float(rough[1][n])).exp()
            assert not abs(ball - value) > abs(ball) * (arb(float(rough[2][n])).exp() - 1)


def test_the_compensated_sum_loses_no_small_terms():
    rng = np.random.default_rng(0)
    values = 10.0 ** rng.uniform(-30.0, 0.0, 10**5)
    with ctx.workprec(200):
        exact = sum((arb(x) for x in values.tolist()), arb(0))
        assert abs(arb(kernels.compensated_sum(values)) - exact) <= 2 * UNIT * exact
    assert kernels.compensated_sum(np.empty(0)) == 0.0
