"""Characteristic functions at a few frequencies, accurate enough to be raised to the power 10^9."""

import math

import numpy as np

from ._jit import kernel


@kernel
def log_characteristic(values, masses, frequencies):
    r"""Return the log of phi(s) = sum_j masses[j] exp(i s values[j]) for each s, as (real parts, imaginary parts).

    ``masses`` sum to 1.  The sum of exp(i.) - 1 is formed, both parts with compensation.  With x = s v a sine of x/2 or
    x is off by 5 UNIT |x|; so a term -2 sin^2(x/2) by 13, one sin x by 6 UNIT |x| (with products), the sums by 2 more:
    phi - 1 = re + i im is within 18 UNIT s E|Y|.  Of :math:`|\phi|^2 = 1 + 2re + re^2 + im^2` the part beyond 1 is
    within 3 UNIT (2d + d^2), d = |phi - 1| <= s E|Y|: where :math:`|\phi|^2 \ge 1/4`, log |phi| is off by 24 UNIT d;
    elsewhere d is at least 1/2 and the squares are added up, within 4 UNIT of their sum.  So the logs are those of a
    number within 42 UNIT s E|Y| of phi, each then within 6 UNIT of itself (of log, atan2, and the latter's argument).
    """
    real = np.empty(frequencies.size)
    imaginary = np.empty(frequencies.size)
    for n in range(frequencies.size):
        s = frequencies[n]
        re = 0.0
        im = 0.0
        re_correction = 0.0
        im_correction = 0.0
        for j in range(values.size):
            half = math.sin(0.5 * s * values[j])
            term = -2.0 * half * half * masses[j]
            new = re + term
            back = new - re
            re_correction += (re - (new - back)) + (term - back)
            re = new
            term = math.sin(s * values[j]) * masses[j]
            new = im + term
            back = new - im
            im_correction += (im - (new - back)) + (term - back)
            im = new
        re += re_correction
        im += im_correction
        # log(1 + re + i im) = log1p(2 re + re^2 + im^2)/2 + i atan2(im, 1 + re)
        beyond = 2.0 * re + re * re + im * im
        square = 1.0 + beyond
        if square < 0.25:  # the square would cancel, not its log
            square = max((1.0 + re) * (1.0 + re) + im * im, 1e-300)
            real[n] = 0.5 * math.log(square)
        else:
            real[n] = 0.5 * math.log1p(beyond)
        imaginary[n] = math.atan2(im, 1.0 + re)
    return real, imaginary
