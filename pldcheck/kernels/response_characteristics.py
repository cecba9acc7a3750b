"""Characteristic functions of sums of randomized responses, response by response."""

import math

import numpy as np

from ..core.directed import UNIT, roundoff
from ._jit import kernel

# The number of factors whose product has one logarithm: each is at least tanh(eps0/2), so that nothing underflows.
FACTORS_PER_LOGARITHM = 8
# The number of rotations of sines and cosines, at evenly spaced frequencies, after which they are evaluated again.
TURNS = 3
# The error of a rotation in units: step, functions and sum; the frequency adds 4 of the angle.  The error of a small
# sine is relative to it, and that of a cosine near 1 is only 3.
TURN = 12.0
# The relative distance up to which a frequency is at its place of an even grid: two differences and the frequency.
ON_GRID = roundoff(4)
# The error of a factor near 1: sine 4, t and its rest 8, two products, a sum, twice for both parts (16 in all).
NEAR_ONE = roundoff(16)
# The relative error of a logarithm and of an angle, as core/assumed grants it.
LOGARITHM = roundoff(4)


@kernel
def log_characteristic(eps0, counts, tilts, rests, frequencies):
    """Return log of prod_i (cos x + i t sin x)^count with x = s eps0[i], as (real, imaginary parts, error exponents).

    ``tilts`` are the t = tanh a, ``rests`` are 1 - t^2 with a relative error of 8 + 4|a| units; where a is large, rests
    are below 4e^-2a.  The true value lies within exp(real) * expm1(error) of the computed one.
    """
    real, imaginary, doubt = np.zeros(frequencies.size), np.zeros(frequencies.size), np.zeros(frequencies.size)
    step = frequencies[1] - frequencies[0] if frequencies.size > 1 else 0.0
    sines, cosines = np.empty(eps0.size), np.empty(eps0.size)
    turn_sines, turn_cosines = np.sin(step * eps0), np.cos(step * eps0)
    turns = TURNS
    for n in range(frequencies.size):
        s = frequencies[n]
        turns = turns + 1 if n > 0 and abs(s - frequencies[n - 1] - step) <= ON_GRID * s else TURNS
        turns = 0 if turns >= TURNS else turns
        re, im, factors = 1.0, 0.0, 0
        modulus, phase, total_angle, error = 0.0, 0.0, 0.0, 0.0
        for i in range(eps0.size):
            x = s * eps0[i]
            if turns > 0 and counts[i] == 1.0:
                cosine = cosines[i] * turn_cosines[i] - sines[i] * turn_sines[i]
                sine = sines[i] * turn_cosines[i] + cosines[i] * turn_sines[i]
            else:
                cosine, sine = math.cos(x), math.sin(x)
            cosines[i], sines[i] = cosine, sine
            other = tilts[i] * sine
            size = cosine * cosine + other * other
            # The absolute error is 8 of cosine and product, 12 of t sin x, those of x itself, and of the rotations.
            share = 8.0 + 12.0 * abs(other) + 4.0 * abs(x) * (1.0 + turns) + TURN * turns * min(0.25 + abs(x), 1.0)
            share *= UNIT / math.sqrt(size + 1e-300)
            if counts[i] == 1.0:
                error += share if share < 1e-3 else math.log1p(share)
                re, im = re * cosine - im * other, re * other + im * cosine
                factors += 1
                if factors == FACTORS_PER_LOGARITHM:
                    modulus += 0.5 * math.log(re * re + im * im + 1e-300)
                    angle = math.atan2(im, re)
                    phase += angle
                    total_angle += abs(angle)
                    re, im, factors = 1.0, 0.0, 0
                continue
            # Near 1, for high powers, the errors are relative to the logarithm; far from 1, they are those above.
            loss = rests[i] * sine * sine
            log_size = 0.5 * (math.log1p(-loss) if loss < 0.5 else math.log(size + 1e-300))
            angle = math.atan2(other, cosine)
            small = NEAR_ONE * abs(x) * (abs(tilts[i]) + min(abs(x), 1.0)) / (size + 1e-300)
            small += LOGARITHM * (abs(angle) + abs(log_size))
            error += counts[i] * min(small, math.log1p(share) + LOGARITHM * (abs(angle) + abs(log_size)))
            modulus += counts[i] * log_size
            phase += counts[i] * angle
            total_angle += counts[i] * abs(angle)
        modulus += 0.5 * math.log(re * re + im * im + 1e-300)
        angle = math.atan2(im, re)
        real[n], imaginary[n] = modulus, phase + angle
        # Logarithms and angles, and their sums, added one after the other; all moduli are at most 1.
        doubt[n] = error + UNIT * (8.0 + eps0.size) * (abs(modulus) + total_angle + abs(angle))
    return real, imaginary, doubt
