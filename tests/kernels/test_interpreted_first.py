"""The first calls of a kernel are in plain Python: with the same values, to the bit, and without a compilation."""

import itertools
import math

import numpy as np
import pytest

from pldcheck.hidden_slot.worst.step_laws import LAWS, VERTICES
from pldcheck.kernels import (
    binomial_tails,
    half_period_inversion,
    loss_cumulants,
    saddle_point,
    thinned_binomial,
    tilt_planning,
    trinomial_stoploss,
)
from pldcheck.kernels._jit import kernel
from pldcheck.kernels.interpreted_first import in_python, interpreted_first


@kernel
def _square(x):
    return x * x


@kernel
def log_of_square(x):
    return math.log(_square(x))


@kernel
def twice_the_square(x):
    return 2.0 * _square(x)


@kernel
def three_times(x):
    return 3 * x


@kernel
def four_times(x):
    return 4 * x


def law_of(index, eps0):
    """Return gains, losses and probabilities of a vertex law's outputs."""
    powers = np.array([VERTICES[vertex] for vertex in LAWS[index].name], dtype=float)
    gains, losses = np.expm1(eps0 * powers).T.copy()
    return gains, losses, LAWS[index].probabilities(eps0)


@pytest.mark.parametrize("law", range(len(LAWS)))
@pytest.mark.parametrize("eps0", [1e-3, 0.5, 4.0])
def test_saddle_points_are_the_same_to_the_bit(law, eps0):
    gains, losses, masses = law_of(law, eps0)
    answers = 0
    for count, weight, log_delta in itertools.product((10, 10**9), (0.01, 1.0), (-1.0, -10.0, -30.0)):
        arguments = gains, losses, masses, count, weight, eps0, log_delta
        compiled = saddle_point._solve(np.empty(gains.size), *arguments)
        try:
            assert in_python(saddle_point._solve)(np.empty(gains.size), *arguments) == compiled
            answers += 1
        except ZeroDivisionError:  # two of its points are the same there; such a call is left to the compiled kernel
            continue
    assert answers >= 8


@pytest.mark.parametrize(("count", "deviation"), [(10.0, 2.0), (1e4, 50.0), (1e9, 3e4)])
def test_plans_are_the_same_to_the_bit(count, deviation):
    values = np.linspace(-1.0, 6.0, 90)
    masses = np.exp(-0.5 * (values - 0.2) ** 2)
    masses /= masses.sum()
    excess = count * np.array([masses @ np.maximum(values - value, 0.0) for value in values])
    law = values, np.log(masses), excess, count
    rest = -1.0, 6.0, deviation
    for target in (-2.0, -20.0, -80.0):
        compiled = tilt_planning._threshold_of(*law, target, 6.0 * count, *rest)
        assert in_python(tilt_planning._threshold_of)(*law, target, 6.0 * count, *rest) == compiled > 0.0
        plan = values, np.log(masses), masses, excess, count, compiled, math.exp(target), *rest
        assert in_python(tilt_planning._plan)(*plan) == tilt_planning._plan(*plan)


@pytest.mark.parametrize("n", [30, 10**3, 10**6])
def test_binomial_sums_are_the_same_to_the_bit(n):
    x = math.e
    for p, distance in itertools.product((0.5, 0.73, 1e-3), (0.5, 2.0, 6.0)):
        q, deviation = 1.0 - p, math.sqrt(n * p * (1.0 - p))
        tau, reach = n * p + distance * deviation, int(min(4.0 * deviation + 2.0, 0.4 * n))
        middle = int(n * p)
        first, last = max(middle - reach, 1), min(middle + reach, n)
        slope = distance / math.sqrt(n)
        for kernel_of, arguments in (
            (binomial_tails._upper_tail, (n, p, q, p / q, tau)),
            (binomial_tails.log_pmf, (n, middle, p, q)),
            (thinned_binomial._thinned_tails, (n, p, q, 0.4, 0.6, 0.1 * deviation, slope, first, last)),
            (trinomial_stoploss._excess_lower, (n, x, 0.1 * deviation, slope, first, last)),
        ):
            assert in_python(kernel_of)(*arguments) == kernel_of(*arguments)


@pytest.mark.parametrize("scale", [1e-12, 0.3, 40.0])
def test_characteristic_functions_are_the_same_to_the_bit(scale):
    generator = np.random.default_rng(11)
    offsets = np.array([0, 1, 4, 40])
    losses, masses = scale * (generator.random(40) - 0.5), generator.random(40)
    assert in_python(loss_cumulants._compensated_sum)(masses) == loss_cumulants._compensated_sum(masses)
    tilted = [loss_cumulants.TiltedParts(*np.full((6, 3), 7.0), *np.full((2, 40), 7.0)) for _ in range(2)]
    for write, parts in zip((in_python(loss_cumulants._tilt_into), loss_cumulants._tilt_into), tilted, strict=True):
        write(offsets, losses, masses, 1.7, *parts)
    assert all(np.array_equal(one, other) for one, other in zip(*tilted, strict=True))
    law = offsets, tilted[0].centred_losses, tilted[0].masses, np.array([1.0, 9.0, 1e6]), tilted[0].deviations
    frequencies = np.concatenate([np.arange(1.0, 20.0), generator.random(5) * 1e3]) / scale
    # What is in the arrays before does not matter: a call that fails in plain Python is made again.
    logs = [[*np.full((3, 24), before), *np.full((4, 40), 7.0)] for before in (7.0, 5.0)]
    for write, arrays in zip((in_python(loss_cumulants._logs_into), loss_cumulants._logs_into), logs, strict=True):
        write(*law, np.full(3, 1e-15), np.full(3, 1e-17), frequencies, *arrays)
    assert all(np.array_equal(one, other) for one, other in zip(*logs, strict=True))


def test_losses_of_many_values_are_not_interpreted():
    work = loss_cumulants._work
    assert work(loss_cumulants.FEW_ATOMS, 3) == 3 * loss_cumulants.FEW_ATOMS
    assert work(loss_cumulants.FEW_ATOMS + 1) == math.inf


@pytest.mark.parametrize("theta", [0.03, -0.5, 0.4])
def test_inversions_are_the_same_to_the_bit(theta):
    generator = np.random.default_rng(7)
    masses = generator.random(300) ** 8
    values = np.fft.rfft(masses / masses.sum())
    powers, doubts = values * np.exp(1j), generator.random(values.size) * 1e-16
    powers[::5] = 0.0
    log_mgf = half_period_inversion.log_mgf_by_blocks(masses, 0.5, -24, theta)[0]
    for kernel_of, arguments in (
        (half_period_inversion._log_mgf, (masses, 0.5, -24, theta, *np.zeros((2, 300)))),
        (half_period_inversion._add_tilted, (masses, 0.5, -24, theta, log_mgf, np.zeros(111))),
        *((half_period_inversion._raise_into, (values, power, 1.9e-14, powers, doubts)) for power in (1, 33, 1000)),
        (half_period_inversion._invert_into, (abs(theta), 0.5, 300, 3e-14, powers, doubts)),
    ):
        copies = [[a.copy() if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2)]
        assert in_python(kernel_of)(*copies[0]) == kernel_of(*copies[1])
        assert all(np.array_equal(one, other) for one, other in zip(*copies, strict=True))


def test_a_kernel_is_compiled_only_after_the_first_calls():
    function = interpreted_first(twice_the_square, 5)
    assert [function(3.0) for _ in range(5)] == 5 * [18.0]
    assert not twice_the_square.dispatcher.signatures
    assert function(3.0) == 18.0
    assert len(twice_the_square.dispatcher.signatures) == 1


def test_what_python_refuses_is_left_to_the_compiled_kernel():
    function = interpreted_first(log_of_square, 5)
    with pytest.raises(ValueError, match="math domain error|expected a positive input"):
        in_python(log_of_square)(0.0)
    assert function(0.0) == -math.inf
    assert function.__name__ == "log_of_square"


def test_work_is_counted_before_it_is_done():
    sizes = []

    def work(size):
        sizes.append(size)
        return size

    function = interpreted_first(three_times, 5, work)
    assert [function(size) for size in (2, 3)] == [6, 9]
    assert not three_times.dispatcher.signatures
    # Nothing is left: the rest is compiled, also what is small, and no work is counted any more.
    assert [function(size) for size in (1, 1, 2)] == [3, 3, 6]
    assert len(three_times.dispatcher.signatures) == 1 and sizes == [2, 3]


def test_a_call_of_much_work_is_compiled_at_once():
    function = interpreted_first(four_times, 5, lambda size: size)
    assert function(10**9) == 4 * 10**9
    assert len(four_times.dispatcher.signatures) == 1
