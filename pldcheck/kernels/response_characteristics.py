"""Characteristic functions of sums of randomized responses, response by response."""

import math

import numpy as np

from ..core.directed import UNIT
from ._jit import kernel

# Factors multiplied before a logarithm is taken: each is at least tanh(eps0/2), so that nothing underflows.
TOGETHER = 8
# At evenly spaced frequencies sines and cosines are turned so many times until they are computed anew.
TURNS = 3
# Round-offs that a turn costs at most for step, functions and sum, beside 4 of the angle, by which the frequencies may
# be off: those of a small sine are relative to it, and those of a cosine near 1 are but 3.
TURN = 12.0


@kernel
def log_characteristic(eps0, counts, tilts, rests, frequencies):
    """Return log of prod_i (cos x + i t sin x)^count with x = s eps0[i], as (real, imaginary parts, error exponents).

    ``tilts``: the t = tanh a, ``rests``: 1 - t^2, relatively to 8 round-offs and 4|a| more, which where a is large are
    of a number below 4e^-2a.  A true value lies within exp(real) * expm1(error) of the computed one.
    """
    real, imaginary, doubt = np.zeros(frequencies.size), np.zeros(frequencies.size), np.zeros(frequencies.size)
    step = frequencies[1] - frequencies[0] if frequencies.size > 1 else 0.0
    sines, cosines = np.empty(eps0.size), np.empty(eps0.size)
    turn_sines, turn_cosines = np.sin(step * eps0), np.cos(step * eps0)
    turns = TURNS
    for n in range(frequencies.size):
        s = frequencies[n]
        turns = turns + 1 if n > 0 and abs(s - frequencies[n - 1] - step) <= 4.0 * UNIT * s else TURNS
        turns = 0 if turns >= TURNS else turns
        re, im, waiting = 1.0, 0.0, 0
        modulus, phase, turned, error = 0.0, 0.0, 0.0, 0.0
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
            # Absolute errors: cosine and product 8, t and sine 12 of t sin x, x itself, and the turns.
            share = 8.0 + 12.0 * abs(other) + 4.0 * abs(x) * (1.0 + turns) + TURN * turns * min(0.25 + abs(x), 1.0)
            share *= UNIT / math.sqrt(size + 1e-300)
            if counts[i] == 1.0:
                error += share if share < 1e-3 else math.log1p(share)
                re, im = re * cosine - im * other, re * other + im * cosine
                waiting += 1
                if waiting == TOGETHER:
                    modulus += 0.5 * math.log(re * re + im * im + 1e-300)
                    angle = math.atan2(im, re)
                    phase += angle
                    turned += abs(angle)
                    re, im, waiting = 1.0, 0.0, 0
                continue
            # Near 1, where a high power is taken, errors relative to the logarithm; far from it, as above.
            loss = rests[i] * sine * sine
            log_size = 0.5 * (math.log1p(-loss) if loss < 0.5 else math.log(size + 1e-300))
            angle = math.atan2(other, cosine)
            small = 16.0 * UNIT * abs(x) * (abs(tilts[i]) + min(abs(x), 1.0)) / (size + 1e-300)
            small += 4.0 * UNIT * (abs(angle) + abs(log_size))
            error += counts[i] * min(small, math.log1p(share) + 4.0 * UNIT * (abs(angle) + abs(log_size)))
            modulus += counts[i] * log_size
            phase += counts[i] * angle
            turned += counts[i] * abs(angle)
        modulus += 0.5 * math.log(re * re + im * im + 1e-300)
        angle = math.atan2(im, re)
        real[n], imaginary[n] = modulus, phase + angle
        # Logarithms and angles, and their sums, added one after the other; all moduli are at most 1.
        doubt[n] = error + UNIT * (8.0 + eps0.size) * (abs(modulus) + turned + abs(angle))
    return real, imaginary, doubt
