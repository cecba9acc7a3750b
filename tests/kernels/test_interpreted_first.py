"""The first calls of an estimate are in plain Python: with the same values, to the bit, and without a compilation."""

import itertools
import math

import numpy as np
import pytest

from pldcheck.hidden_slot.worst.step_laws import LAWS, VERTICES
from pldcheck.kernels import saddle_point, tilt_planning
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


def test_a_kernel_is_compiled_only_after_the_first_calls():
    function = interpreted_first(twice_the_square, 5)
    assert [function(3.0) for _ in range(5)] == 5 * [18.0]
    assert not twice_the_square.signatures
    assert function(3.0) == 18.0
    assert len(twice_the_square.signatures) == 1


def test_what_python_refuses_is_left_to_the_compiled_kernel():
    function = interpreted_first(log_of_square, 5)
    with pytest.raises(ValueError, match="math domain error|expected a positive input"):
        in_python(log_of_square)(0.0)
    assert function(0.0) == -math.inf
    assert function.__name__ == "log_of_square"
