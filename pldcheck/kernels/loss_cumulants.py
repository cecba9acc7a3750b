"""Sums of independent privacy losses with finitely many values each: cumulants and characteristic functions.

Losses are ragged arrays: part i has the atoms ``offsets[i]:offsets[i + 1]`` of ``losses`` and ``masses``.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.directed import UNIT, roundoff
from ._jit import kernel
from .interpreted_first import interpreted_first


class TiltedParts(NamedTuple):
    """Parts tilted by exp(theta loss), each with its cumulant log M.

    ``errors`` are the absolute errors of the cumulants, in units of round-off; ``swings`` are the sums of
    |exp(theta loss) - 1| over M; ``deviations`` are mean absolute deviations; ``masses`` and ``centred_losses`` are the
    tilted masses and the centred losses, as ragged arrays.
    """

    cumulants: np.ndarray
    errors: np.ndarray
    swings: np.ndarray
    means: np.ndarray
    variances: np.ndarray
    deviations: np.ndarray
    masses: np.ndarray
    centred_losses: np.ndarray


# Visits of atoms in plain Python, 3.5 us each: at most a quarter of the time in which the first kernel is loaded.
MOST_WORK = 20_000
# The number of atoms up to which losses are interpreted: answers that have more take long enough to load kernels.
FEW_ATOMS = 64


@kernel
def _compensated_sum(values):
    """Return the sum of non-negative values, with a relative error of at most 2 units for fewer than 10^7 of them."""
    total, correction = 0.0, 0.0
    for i in range(values.size):
        new = total + values[i]
        back = new - total
        correction += (total - (new - back)) + (values[i] - back)
        total = new
    return total + correction


def tilt(offsets, losses, masses, theta):
    """Return each part tilted by exp(theta loss); the masses of a part are weights, whose sum is 1 by definition.

    The arrays are allocated here: in a kernel each kind of allocation takes a tenth of a second to compile.
    """
    parts = TiltedParts(*np.empty((6, offsets.size - 1)), *np.empty((2, losses.size)))
    tilt_into(offsets, losses, masses, theta, *parts)
    return parts


@kernel
def _tilt_into(
    offsets, losses, masses, theta,
    cumulants, errors, swings, means, variances, deviations, tilted_masses, centred_losses,
):  # fmt: skip
    """Write the tilted parts to the arrays of :class:`TiltedParts`."""
    for i in range(cumulants.size):
        begin, end = offsets[i], offsets[i + 1]
        top, furthest = -math.inf, 0.0
        for j in range(begin, end):
            top = max(top, theta * losses[j])
            furthest = max(furthest, abs(theta * losses[j]))
        # For small exponents M - 1 is the sum of small terms, so that a high power of M stays accurate.
        near = furthest < 1.0
        one = 1.0 if near else math.exp(-top)
        total, correction, size, mean = 0.0, 0.0, 0.0, 0.0
        for j in range(begin, end):
            # The exponential is 1 + change, with one more rounding.
            change = math.expm1(theta * losses[j]) if near else math.exp(theta * losses[j] - top)
            weight = masses[j] * (1.0 + change if near else change)
            tilted_masses[j] = weight
            term = masses[j] * change if near else weight
            new = total + term
            back = new - total
            correction += (total - (new - back)) + (term - back)
            total = new
            size += abs(term) if near else abs(weight - masses[j] * one)
            mean += weight * losses[j]
        total += correction
        if near:
            cumulants[i] = math.log1p(total)
            mass = 1.0 + total
            errors[i] = 8.0 * size / mass + 2.0 * abs(cumulants[i])
        else:
            cumulants[i] = top + math.log(total)
            mass = total
            errors[i] = 8.0 + 4.0 * furthest
        swings[i] = size / mass
        mean /= mass
        variance, deviation = 0.0, 0.0
        for j in range(begin, end):
            tilted_masses[j] /= mass
            centred_losses[j] = losses[j] - mean
            deviation += tilted_masses[j] * abs(centred_losses[j])
            variance += tilted_masses[j] * centred_losses[j] * centred_losses[j]
        means[i], variances[i], deviations[i] = mean, variance, deviation


def _work(atoms, nodes=1):
    """Return the visits of atoms: those of long laws end the interpretation at once, as more of them will follow."""
    return atoms * nodes if atoms <= FEW_ATOMS else math.inf


compensated_sum = interpreted_first(_compensated_sum, MOST_WORK, lambda values: _work(values.size))
tilt_into = interpreted_first(_tilt_into, MOST_WORK, lambda offsets, losses, *_: _work(losses.size))

# The least number of atoms of a part whose sines and cosines are rotated from node to node, at evenly spaced nodes.
MANY_ATOMS = 64
# The least error of the masses of such a part, in units: the errors of rotations are small beside it.
ROUGH_UNITS = 1024.0
# The number of rotations after which sines and cosines are evaluated again.
TURNS = 16
# The error of all rotations in units: each has 6 (functions 4, sum 2), three times, in two products of both parts.
TURN_ERROR = 3.0 * 6.0 * TURNS
# The error of the angle of all rotations in units: 6 of the frequency and 3 of the step, three times.
ANGLE_ERROR = 3.0 * 9.0
# The relative distance up to which a frequency is at its place of an even grid: one product, two sums.
ON_GRID = roundoff(4)
# The error of a sum of products: functions 8, products 3, a compensated sum 2 (13 in all).
SUM_ERROR = roundoff(16)
# The relative error of a logarithm and of an angle, as core/assumed grants it.
LOGARITHM = roundoff(4)


def log_characteristic(offsets, centred_losses, tilted_masses, counts, deviations, noise, shifts, frequencies):
    """Return log of the characteristic function of the centred sum, as (real, imaginary parts, error exponents).

    For part i, E exp(isx) - 1 is a compensated sum of small terms (the real part of -2 sin^2), with the absolute error
    ``noise[i] * min(s * deviations[i], 2) + s * shifts[i]``, the error of the rotations, and a few units of the sum.
    The true value lies within exp(real) * expm1(error) of the computed one.
    """
    real, imaginary, doubt = np.empty((3, frequencies.size))
    logs_into(
        offsets, centred_losses, tilted_masses, counts, deviations, noise, shifts, frequencies,
        real, imaginary, doubt, *np.empty((4, centred_losses.size)),
    )  # fmt: skip
    return real, imaginary, doubt


@kernel
def _logs_into(
    offsets, centred_losses, tilted_masses, counts, deviations, noise, shifts, frequencies,
    real, imaginary, doubt, sines, cosines, turn_sines, turn_cosines,
):  # fmt: skip
    """Write the logarithm and its error to arrays; at the first node the last four arrays are overwritten."""
    step = frequencies[1] - frequencies[0] if frequencies.size > 1 else 0.0
    turns, start = TURNS, 0.0
    for n in range(frequencies.size):
        s = frequencies[n]
        real[n], imaginary[n], doubt[n] = 0.0, 0.0, 0.0
        turns += 1
        if turns >= TURNS or abs(s - start - turns * step) > ON_GRID * s:
            turns, start = 0, s
        for i in range(offsets.size - 1):
            begin, end = offsets[i], offsets[i + 1]
            rough = end - begin >= MANY_ATOMS and noise[i] >= ROUGH_UNITS * UNIT
            if rough and turns > 0:
                for j in range(begin, end):
                    sine = sines[j]
                    sines[j] = sine * turn_cosines[j] + cosines[j] * turn_sines[j]
                    cosines[j] = cosines[j] * turn_cosines[j] - sine * turn_sines[j]
            else:
                for j in range(begin, end):
                    angle = 0.5 * s * centred_losses[j]
                    sines[j], cosines[j] = math.sin(angle), math.cos(angle)
                if rough and n == 0:
                    for j in range(begin, end):
                        turn_sines[j], turn_cosines[j] = (
                            math.sin(0.5 * step * centred_losses[j]),
                            math.cos(0.5 * step * centred_losses[j]),
                        )
            re, im, re_correction, im_correction = 0.0, 0.0, 0.0, 0.0
            for j in range(begin, end):
                sine = sines[j]
                term = -2.0 * sine * sine * tilted_masses[j]
                new = re + term
                back = new - re
                re_correction += (re - (new - back)) + (term - back)
                re = new
                term = 2.0 * sine * cosines[j] * tilted_masses[j]
                new = im + term
                back = new - im
                im_correction += (im - (new - back)) + (term - back)
                im = new
            re += re_correction
            im += im_correction
            error = noise[i] * min(s * deviations[i], 2.0) + s * shifts[i] + SUM_ERROR * (abs(re) + abs(im))
            if rough:
                error += TURN_ERROR * UNIT * min(s * deviations[i], 2.0) + ANGLE_ERROR * UNIT * s * deviations[i]
            size = max(1.0 + 2.0 * re + re * re + im * im, error * error)
            if size > 0.5:
                modulus = 0.5 * math.log1p(max(2.0 * re + re * re + im * im, error * error - 1.0))
            else:  # far from 1, the error covers the rounding of the sum 1 + re
                modulus = 0.5 * math.log(max((1.0 + re) * (1.0 + re) + im * im, error * error))
            phase = math.atan2(im, 1.0 + re)
            real[n] += counts[i] * modulus
            imaginary[n] += counts[i] * phase
            # With the factor 4 the error is relative to the computed phi, also where the true one is three times that.
            doubt[n] += counts[i] * (4.0 * error / math.sqrt(size) + LOGARITHM * (abs(modulus) + abs(phase)))


def _work_of_logs(offsets, losses, masses, counts, deviations, noise, shifts, frequencies, *arrays):
    """Return the visits of atoms of :func:`_logs_into`."""
    return _work(losses.size, frequencies.size)


logs_into = interpreted_first(_logs_into, MOST_WORK, _work_of_logs)
