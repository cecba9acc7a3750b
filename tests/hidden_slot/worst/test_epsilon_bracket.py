"""Brackets of a decreasing curve: from any start, however steep."""

import math

import pytest

from pldcheck.hidden_slot.worst.epsilon_bracket import crossing


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 0.3])
@pytest.mark.parametrize("guess", [1e-12, 1e-8, 0.2, 1.0])
@pytest.mark.parametrize("power", [1, 2])
def test_the_root_is_found_from_far(scale, guess, power):
    # delta = 0.1 e^-(epsilon/scale)^power, and zero where that underflows.
    def curve(epsilon):
        return 0.1 * math.exp(-((epsilon / scale) ** power))

    exact = scale * math.log(10.0) ** (1 / power)
    assert crossing(curve, 0.01, 1.0, guess, 1e-9) == pytest.approx(exact, rel=1e-8)


def test_a_curve_that_stays_above_ends_at_the_cap_and_one_below_at_zero():
    assert crossing(lambda epsilon: 0.5, 0.1, 3.0, 1e-6, 1e-9) == 3.0
    assert crossing(lambda epsilon: 0.05, 0.1, 3.0, 1e-6, 1e-9) == 0.0
