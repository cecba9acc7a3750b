"""Charged errors of the Laplace loss, over the range that is asked: error/charge below 1, against balls.

eps0 from 1e-9 to 1e3, tilts from 1e-9 to 1e3, frequencies from 1e-9 to 1e6 over eps0, at the resonances 2 pi k/eps0
(k up to 1e6) and beside them; ``python -m tests.ledger.test_ledger_laplace`` draws 40,000.
"""

import math
import random

import numpy as np
import pytest
from flint import acb, arb, ctx

from pldcheck.pld import laplace_mgf
from pldcheck.pld.laplace_mgf import laplace_cumulant, laplace_ratio


def moment(eps0: arb, z: acb) -> acb:
    y = z + acb(1) / 2
    return (-eps0 / 2).exp() * ((acb(eps0) * y).cosh() + (acb(eps0) * y).sinh() / (2 * y))


def draw_case(draw: random.Random) -> tuple[float, float, float]:
    """Return a scale, a tilt and a frequency."""
    eps0 = 10.0 ** draw.choice([draw.uniform(-9, 3), draw.uniform(-1, 1.3)])
    theta = 10.0 ** draw.uniform(-9, min(3.0, 5.0 - math.log10(eps0)))
    resonance = 2 * math.pi * draw.randint(1, 10 ** draw.randint(0, 6)) / eps0
    near_resonance = resonance * (1.0 + 10.0 ** draw.uniform(-16, -1) * draw.choice([0, 1]))
    s = draw.choice([10.0 ** draw.uniform(-9, 6) / eps0, near_resonance, 10.0 ** draw.uniform(-9, 4)])
    return 1.0 / eps0, theta, s


def error_shares(scale: float, theta: float, s: float) -> tuple[float, float]:
    """Return error over charge, of the ratio and of the cumulant; eps0 is 1/scale, which the functions are given
    rounded.
    """
    with ctx.workprec(500):
        eps0, at = 1 / arb(scale), moment(1 / arb(scale), acb(theta))
        value, doubt = laplace_ratio(1.0 / scale, theta, np.array([s]))
        value_ball = acb(float(value[0].real), 0).exp() * acb(0, float(value[0].imag)).exp()
        distance = abs(moment(eps0, acb(theta, s)) / at - value_ball)
        cumulant, error = laplace_cumulant(1.0 / scale, theta)
        first = distance / (abs(value_ball) * arb(float(doubt[0])).expm1())
        second = abs(at.real.log() - cumulant) / arb(error)
        return float(first.upper()), float(second.upper())


@pytest.mark.parametrize("seed", range(4))
def test_no_error_exceeds_its_charge(seed):
    draw = random.Random(f"laplace {seed}")
    assert max(max(error_shares(*draw_case(draw))) for _ in range(500)) < 1.0


@pytest.mark.parametrize(("eps0", "theta"), [(1e-3, 5.0), (1e-3, 1e-6), (20.0, 1e-4), (0.5, 2.0)])
def test_the_charge_holds_where_it_was_once_too_small(eps0, theta):
    # A relative charge of log M was exceeded 1,640 times over at eps0 1e-3, theta 5, and at resonances of any eps0.
    for k in (1, 2, 3, 10, 1000):
        for step in (0.0, 1e-12, 1e-6, 1e-3, 0.5):
            assert max(error_shares(1.0 / eps0, theta, 2 * math.pi * (k + step) / eps0)) < 1.0


@pytest.mark.parametrize("seed", range(2))
def test_the_series_alone_is_within_its_charge(seed):
    draw = random.Random(f"series {seed}")
    for _ in range(300):
        eps0 = 10.0 ** draw.uniform(-9, 0.29)
        y = complex(0.5 + 10.0 ** draw.uniform(-9, 0), 10.0 ** draw.uniform(-9, 3))
        while abs(eps0 * y) >= laplace_mgf.SERIES:
            y = complex(0.5 + 0.5 * (y.real - 0.5), 0.5 * y.imag)
        z = np.array([y - 0.5])
        (value,), (charge,) = laplace_mgf._series(eps0, z, z + 0.5)
        with ctx.workprec(500):
            error = abs(moment(arb(eps0), acb(complex(z[0]))) - 1 - acb(complex(value)))
            assert error < charge, (eps0, z)


if __name__ == "__main__":
    source = random.Random()
    case_shares = [error_shares(*draw_case(source)) for _ in range(40000)]
    print("largest shares of the charge:", *(max(each) for each in zip(*case_shares, strict=True)))
