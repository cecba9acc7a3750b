"""Characteristic functions at a few frequencies, accurate enough to be raised to the power 10^9."""

import math

import numpy as np

from ._jit import kernel


@kernel
def log_characteristic(values, masses, frequencies):
    """Return log of sum_j masses[j] exp(i s values[j]) for each s, as (real parts, imaginary parts).

    ``masses`` sum to 1 and ``values`` have a mean near zero.  The sum of exp(i.) - 1 is computed (its real part as -2
    sin^2, both with compensation), so the error is relative to log phi, not to 1: at most 8 UNIT (s E|Y| + |log phi|).
    """
    real = np.empty(frequencies.size)
    imaginary = np.empty(frequencies.size)
    for n in range(frequencies.size):
        s = frequencies[n]
        re = 0.0
        im = 0.0
        re_lost = 0.0
        im_lost = 0.0
        for j in range(values.size):
            half = math.sin(0.5 * s * values[j])
            term = -2.0 * half * half * masses[j]
            new = re + term
            back = new - re
            re_lost += (re - (new - back)) + (term - back)
            re = new
            term = math.sin(s * values[j]) * masses[j]
            new = im + term
            back = new - im
            im_lost += (im - (new - back)) + (term - back)
            im = new
        re += re_lost
        im += im_lost
        # log(1 + re + i im) = log1p(2 re + re^2 + im^2)/2 + i atan2(im, 1 + re)
        real[n] = 0.5 * math.log1p(2.0 * re + re * re + im * im)
        imaginary[n] = math.atan2(im, 1.0 + re)
    return real, imaginary
