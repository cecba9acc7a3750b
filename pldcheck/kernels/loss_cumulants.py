"""Sums of independent privacy losses with finitely many values each: cumulants and characteristic functions.

Losses are ragged arrays: part i has the atoms ``offsets[i]:offsets[i + 1]`` of ``losses`` and ``masses``.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.directed import UNIT
from ._jit import kernel


class TiltedParts(NamedTuple):
    """Parts tilted by exp(theta loss), each with its cumulant log M.

    ``errors``: absolute ones of the cumulants, in units of round-off; ``swings``: sums of |exp(theta loss) - 1| over
    M; ``deviations``: mean absolute ones; ``masses``, ``centred``: tilted masses and centred losses, ragged.
    """

    cumulants: np.ndarray
    errors: np.ndarray
    swings: np.ndarray
    means: np.ndarray
    variances: np.ndarray
    deviations: np.ndarray
    masses: np.ndarray
    centred: np.ndarray


@kernel
def compensated_sum(values):
    """Sum of non-negative values, with a relative error of at most 2 round-offs for fewer than 10^7 of them."""
    total, lost = 0.0, 0.0
    for i in range(values.size):
        new = total + values[i]
        back = new - total
        lost += (total - (new - back)) + (values[i] - back)
        total = new
    return total + lost


@kernel
def tilt(offsets, losses, masses, theta):
    """Each part tilted by exp(theta loss); the masses of a part are read as weights: they sum to 1 by definition."""
    parts = offsets.size - 1
    cumulants, errors, swings = np.empty(parts), np.empty(parts), np.empty(parts)
    means, variances, deviations = np.empty(parts), np.empty(parts), np.empty(parts)
    tilted, centred = np.empty(losses.size), np.empty(losses.size)
    for i in range(parts):
        begin, end = offsets[i], offsets[i + 1]
        top, furthest = -math.inf, 0.0
        for j in range(begin, end):
            top = max(top, theta * losses[j])
            furthest = max(furthest, abs(theta * losses[j]))
        # Near the identity M - 1 is summed from its small terms, so that a high power of M stays accurate.
        near = furthest < 1.0
        one = 1.0 if near else math.exp(-top)
        total, lost, size, mean = 0.0, 0.0, 0.0, 0.0
        for j in range(begin, end):
            # 1 + change: exp, with one more round-off
            change = math.expm1(theta * losses[j]) if near else math.exp(theta * losses[j] - top)
            weight = masses[j] * (1.0 + change if near else change)
            tilted[j] = weight
            term = masses[j] * change if near else weight
            new = total + term
            back = new - total
            lost += (total - (new - back)) + (term - back)
            total = new
            size += abs(term) if near else abs(weight - masses[j] * one)
            mean += weight * losses[j]
        total += lost
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
            tilted[j] /= mass
            centred[j] = losses[j] - mean
            deviation += tilted[j] * abs(centred[j])
            variance += tilted[j] * centred[j] * centred[j]
        means[i], variances[i], deviations[i] = mean, variance, deviation
    return TiltedParts(cumulants, errors, swings, means, variances, deviations, tilted, centred)


# Parts with at least so many atoms have sines and cosines turned from node to node where the nodes are evenly spaced.
MANY = 64
# That is so if their masses have errors of at least so many round-offs.
ROUGH = 1024.0
# Turned sines and cosines are computed anew after so many turns.
TURNS = 16
# A turn costs 6 round-offs, 4 for the functions and 2 for the sum; that counts three times, in the two products of both
# parts of the sum.
TURNED = 3.0 * 6.0 * TURNS
# All turns together cost 9 round-offs of the angle, three times: 6 by which the frequency may be off, 3 for the step.
OFF = 3.0 * 9.0


@kernel
def log_characteristic(offsets, centred, tilted, counts, deviations, noise, shifts, frequencies):
    """Return log of the characteristic function of the centred sum, as (real, imaginary parts, error exponents).

    Part i has E exp(isx) - 1 formed from small terms (real part as -2 sin^2, compensated sums), with absolute error
    ``noise[i] * min(s * deviations[i], 2) + s * shifts[i]``, that of the turns, and a few round-offs of what is summed.
    A true value lies within exp(real) * expm1(error) of the computed one.
    """
    real, imaginary, doubt = np.zeros(frequencies.size), np.zeros(frequencies.size), np.zeros(frequencies.size)
    sines, cosines = np.zeros(centred.size), np.ones(centred.size)
    turn_sines, turn_cosines = np.zeros(centred.size), np.ones(centred.size)
    step = frequencies[1] - frequencies[0] if frequencies.size > 1 else 0.0
    turns, start = TURNS, 0.0
    for n in range(frequencies.size):
        s = frequencies[n]
        turns += 1
        if turns >= TURNS or abs(s - start - turns * step) > 4.0 * UNIT * s:
            turns, start = 0, s
        for i in range(offsets.size - 1):
            begin, end = offsets[i], offsets[i + 1]
            rough = end - begin >= MANY and noise[i] >= ROUGH * UNIT
            if rough and turns > 0:
                for j in range(begin, end):
                    sine = sines[j]
                    sines[j] = sine * turn_cosines[j] + cosines[j] * turn_sines[j]
                    cosines[j] = cosines[j] * turn_cosines[j] - sine * turn_sines[j]
            else:
                for j in range(begin, end):
                    angle = 0.5 * s * centred[j]
                    sines[j], cosines[j] = math.sin(angle), math.cos(angle)
                if rough and n == 0:
                    for j in range(begin, end):
                        turn_sines[j], turn_cosines[j] = (
                            math.sin(0.5 * step * centred[j]),
                            math.cos(0.5 * step * centred[j]),
                        )
            re, im, re_lost, im_lost = 0.0, 0.0, 0.0, 0.0
            for j in range(begin, end):
                sine = sines[j]
                term = -2.0 * sine * sine * tilted[j]
                new = re + term
                back = new - re
                re_lost += (re - (new - back)) + (term - back)
                re = new
                term = 2.0 * sine * cosines[j] * tilted[j]
                new = im + term
                back = new - im
                im_lost += (im - (new - back)) + (term - back)
                im = new
            re += re_lost
            im += im_lost
            error = noise[i] * min(s * deviations[i], 2.0) + s * shifts[i] + 16.0 * UNIT * (abs(re) + abs(im))
            if rough:
                error += TURNED * UNIT * min(s * deviations[i], 2.0) + OFF * UNIT * s * deviations[i]
            size = max(1.0 + 2.0 * re + re * re + im * im, error * error)
            if size > 0.5:
                modulus = 0.5 * math.log1p(max(2.0 * re + re * re + im * im, error * error - 1.0))
            else:  # far from 1 the sum 1 + re loses nothing that its error does not hold
                modulus = 0.5 * math.log(max((1.0 + re) * (1.0 + re) + im * im, error * error))
            phase = math.atan2(im, 1.0 + re)
            real[n] += counts[i] * modulus
            imaginary[n] += counts[i] * phase
            # 4: relative to the computed phi, and enough where the true one is up to three times as large
            doubt[n] += counts[i] * (4.0 * error / math.sqrt(size) + 4.0 * UNIT * (abs(modulus) + abs(phase)))
    return real, imaginary, doubt


@kernel
def pair_decay(lags, weights, frequencies):
    """Return sum_j weights[j] (1 - cos(s lags[j])) for each s."""
    decay = np.zeros(frequencies.size)
    for n in range(frequencies.size):
        for j in range(lags.size):
            sine = math.sin(0.5 * frequencies[n] * lags[j])
            decay[n] += 2.0 * weights[j] * sine * sine
    return decay


@kernel
def pairs_of(offsets, losses, tilted, counts, most):
    """Lags between the atoms of each part with at most ``most`` of them, and counts times products of their masses."""
    total = 0
    for i in range(offsets.size - 1):
        size = offsets[i + 1] - offsets[i]
        if size <= most:
            total += size * (size - 1) // 2
    lags, weights = np.empty(total), np.empty(total)
    place = 0
    for i in range(offsets.size - 1):
        if offsets[i + 1] - offsets[i] > most:
            continue
        for j in range(offsets[i], offsets[i + 1]):
            for k in range(offsets[i], j):
                lags[place] = abs(losses[j] - losses[k])
                weights[place] = counts[i] * tilted[j] * tilted[k]
                place += 1
    return lags, weights


@kernel
def spread_on_circle(points, weights, spacing, size):
    """Weights split linearly between the two lattice points next to each point, lattice indices modulo ``size``."""
    lattice = np.zeros(size)
    for j in range(points.size):
        place = points[j] / spacing
        floor = math.floor(place)
        share = place - floor
        index = int(floor) % size
        lattice[index] += weights[j] * (1.0 - share)
        lattice[(index + 1) % size] += weights[j] * share
    return lattice
