r"""Moments of the loss of discrete Gaussian noise, tails included, in balls.

The exponents of P^a Q^(1-a) complete a square:

.. math:: \log E e^{\theta L} = \frac{\theta(\theta + 1)}{2\sigma^2} + \log\frac{S(\theta)}{S(0)},
          \quad S(c) = \sum_k e^{-(k - c)^2/(2\sigma^2)},

with S of period 1 and largest at 0.  By Poisson's summation S is also proportional to
:math:`1 + 2 \sum_n q^{n^2} \cos(2\pi n c)`, :math:`q = e^{-2\pi^2\sigma^2}`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb, ctx

from .gaussian_balls import outward_floats

# Terms of both series of S: what is left out is below e^-800 of what is kept, see below.
TERMS = 32


def discrete_gaussian_moment(sigma: float, theta: float) -> tuple[float, float]:
    """Return log E exp(theta L) of the discrete Gaussian against itself shifted by 1, rounded down and up."""
    # Near a whole theta log S(theta)/S(0) is of the order of the square of a number that may be 2^-52.
    with ctx.workprec(512):
        s, t = arb(sigma), arb(theta)
        part = arb(theta - np.rint(theta))  # exact: the difference of two floats within a factor of 2, or theta itself
        if sigma > 0.5:
            # q = e^(-2 pi^2 s^2) < e^-4.9, so beyond TERMS there is less than e^(-4.9 * 33^2) of 1.
            q, far = (-2 * arb.pi() ** 2 * s * s).exp(), arb(0, 2.0**-1000)
            powers = [q ** (n * n) for n in range(1, TERMS + 1)]
            deficit = sum((p * (arb.pi() * n * part).sin() ** 2 for n, p in enumerate(powers, 1)), far)
            ratio = -4 * deficit / (1 + 2 * sum(powers, far))
            change = ratio.log1p() if hasattr(ratio, "log1p") else (1 + ratio).log()
        else:
            # Of terms with |k| > TERMS there is less than e^(-2 (31.5^2 - 1/4)) of that with k = 0.
            def shift_sum(c: Any) -> Any:
                terms = ((-(k * k - 2 * k * c) / (2 * s * s)).exp() for k in range(-TERMS, TERMS + 1))
                return sum(terms, arb(0, 2.0**-1000))

            change = (shift_sum(part) / shift_sum(arb(0))).log() - part * part / (2 * s * s)
        return outward_floats(t * (t + 1) / (2 * s * s) + change)
