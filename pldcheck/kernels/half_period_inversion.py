"""Powers of characteristic functions at the nodes of half a period, and the terms of the inversion of their product."""

import math

import numpy as np

from ..core.directed import UNIT, roundoff
from ._jit import kernel
from .interpreted_first import interpreted_first

# Powers below e^-DEEP are not evaluated.
DEEP = 60.0
# This number is larger than the sum of all numbers that underflow, in the unit of the values of this file.
TINY = 1e-250
# Numbers below e^-SMALLEST_EXPONENT may underflow together with their factors.
SMALLEST_EXPONENT = 650.0
# This power of 2 lifts all masses out of the range of subnormal numbers, without rounding.
LIFT = 2.0**200
# The number of exponentials in a block, of which each is the previous one times a ratio.
BLOCK = 16
# The largest exponent within a block; with a larger one, small exponentials would underflow.
STEEP = 300.0
# More than half the logarithm of the inverse of the least number; plus STEEP, its exponential is still finite.
ROOT = 400.0
# The relative error of a modulus near 1 whose power is taken: a square root 1, a sum 1, products 2, doubled.
MODULUS = roundoff(8)


@kernel
def _block_sum(masses, start, block, ratio, scale):
    total, power = 0.0, scale
    for i in range(start, min(start + block, masses.size)):
        total += masses[i] * power
        power *= ratio
    return total


def log_mgf_by_blocks(masses, step, first, theta):
    """Return log of the sum of masses[i] exp(theta step (first + i)), and a bound of its absolute error.

    Within a block exponentials are products: after k of them, the relative error is (3 + theta step) k UNIT.

    Arrays are allocated here and in :func:`tilt_onto`: in a kernel that takes a tenth of a second to compile.
    """
    return _logarithm(masses, step, first, theta, *np.empty((2, masses.size)))


@kernel
def _log_mgf(masses, step, first, theta, logs, sizes):
    """Return what :func:`log_mgf_by_blocks` returns; the last two arrays have room for a value of each block."""
    rate = theta * step
    block, ratio = (BLOCK if -1.0 <= rate <= STEEP / BLOCK else 1), math.exp(rate)
    count, top = -(-masses.size // block), -math.inf
    for b in range(count):
        total, shift = _block_sum(masses, b * block, block, ratio, 1.0), 0.0
        if total < TINY:  # a product with a subnormal mass has few correct digits
            total, shift = _block_sum(masses, b * block, block, ratio, LIFT), math.log(LIFT)
        exponent = rate * (first + b * block)
        log_total = math.log(total) - shift if total > 0.0 else -math.inf
        logs[b], sizes[b] = exponent + log_total, 2.0 * abs(exponent) + 2.0 * abs(log_total) + 4.0 * shift
        top = max(top, logs[b])
    if top == -math.inf:
        return -math.inf, 0.0
    total, doubt = 0.0, 0.0
    for b in range(count):
        weight = math.exp(logs[b] - top)
        total += weight
        if weight > 0.0:
            doubt += weight * (sizes[b] + abs(logs[b]) + abs(logs[b] - top))
    error = 1.01 * doubt / total + (4.0 + abs(rate)) * block + count + 2.0 * abs(top) + 2.0 * math.log(total) + 16.0
    return top + math.log(total), UNIT * error


# A mass takes .5 microseconds in plain Python.
_logarithm = interpreted_first(_log_mgf, 400_000, lambda masses, *_: masses.size)


def tilt_onto(masses, step, first, theta, log_mgf, size):
    r"""Return the masses times e^(theta y - L), y = step (first + i), on a circle of ``size`` points.

    L is about log M(theta); with any L the transform is :math:`e^{-L} M(\theta + is)`.  Returns (circle, the sum of its
    absolute errors).
    """
    circle = np.zeros(size)
    return circle, _addition(masses, step, first, theta, log_mgf, circle)


@kernel
def _add_tilted(masses, step, first, theta, log_mgf, circle):
    """Add the tilted masses to a circle of zeros, and return the sum of their absolute errors."""
    rate, size, noise = theta * step, circle.size, 0.0
    block, ratio = (BLOCK if -1.0 <= rate <= STEEP / BLOCK else 1), math.exp(rate)
    place = first % size
    for start in range(0, masses.size, block):
        exponent = rate * (first + start)
        # The exponential may overflow beside a tiny mass, but its root does not; larger exponents have no mass at all.
        half = math.exp(min(0.5 * (exponent - log_mgf), ROOT))
        power, total = half, 0.0
        for i in range(start, min(start + block, masses.size)):
            mass = masses[i] * half * power
            power *= ratio
            total += mass
            circle[place] += mass
            place = place + 1 if place + 1 < size else 0
        # The error is that of an exponent (two products, a difference), of exp twice, of products, and of the sum.
        noise += total * (2.0 * abs(exponent) + abs(exponent - log_mgf) + (4.0 + abs(rate)) * block + 8.0)
    # Each place holds a sum of ``masses.size / size`` numbers.
    return UNIT * (noise + masses.size / size) * (1.0 + 1e-6) + TINY


# A mass takes .5 microseconds in plain Python.
_addition = interpreted_first(_add_tilted, 200_000, lambda masses, *_: masses.size)


@kernel
def _raise_into(phi, power, error, powers, doubts):
    r"""Multiply ``powers`` by phi^power, in place, and keep ``doubts``, bounds of their absolute errors.

    Each value of phi has an absolute error of at most ``error``.  For |a - b| at most e, with the computed b,
    :math:`|a^r - b^r| \le (|b| + e)^r - |b|^r`, at most :math:`|b|^r q (1 + q)` for q = re/|b| up to 1.
    """
    negligible, deep = math.exp(-DEEP / power), math.exp(-DEEP) * (1.0 + 1e-9)
    for n in range(phi.size):
        re, im = phi[n].real, phi[n].imag
        modulus = math.sqrt(re * re + im * im)
        if modulus + error <= negligible:
            value, size, doubt = 0.0j, 0.0, deep
        elif power == 1:
            value, size, doubt = phi[n], modulus, error
        elif modulus <= error * power:  # q >= 1
            value, size, doubt = 0.0j, 0.0, math.exp(power * math.log(modulus + error)) * (1.0 + 1e-9)
        else:
            exponent, angle = power * math.log(modulus), power * math.atan2(im, re)
            size = math.exp(exponent)
            value = complex(size * math.cos(angle), size * math.sin(angle))
            quotient = power * error / modulus
            # The modulus is off by 2 units and its log by 4 of itself, the angle, up to pi, by 4, and products by 1:
            # 2 and 16 units of the power for both parts; exp, cosine and sine by 4 each, and a product.
            doubt = size * (quotient * (1.0 + quotient) + UNIT * (16.0 + 18.0 * power + 6.0 * abs(exponent)))
        old, old_doubt = powers[n], doubts[n]
        old_size = math.sqrt(old.real * old.real + old.imag * old.imag)
        doubts[n] = old_doubt * size + doubt * (old_size + old_doubt)
        powers[n] = old * value


# A value takes 2 microseconds in plain Python.
raise_into = interpreted_first(_raise_into, 60_000, lambda phi, *_: phi.size)


@kernel
def _invert_into(theta, step, period, slack, powers, doubts):
    """Multiply ``powers``, in place, by H/(4 sinh^2(zH/2)), z = theta + 2 pi i n/(H ``period``); return their error.

    ``slack`` is the relative error of a term that is added later; both ends of the half period count once, all other
    nodes twice.
    """
    sinh, cosh = math.sinh(0.5 * step * theta), math.cosh(0.5 * step * theta)
    largest = step / (4.0 * sinh * sinh)
    total = 0.0
    for n in range(powers.size):
        multiplicity = 1.0 if n == 0 or 2 * n == period else 2.0
        if powers[n] == 0.0:
            total += multiplicity * largest * doubts[n]
            continue
        b = math.pi * n / period
        sine = complex(sinh * math.cos(b), cosh * math.sin(b))
        weight = step / (4.0 * sine * sine)
        total += multiplicity * abs(weight) * (doubts[n] + abs(powers[n]) * slack)
        powers[n] *= weight
    return total * (1.0 + 1e-8)


# A node takes 3 microseconds in plain Python.
invert_into = interpreted_first(_invert_into, 60_000, lambda *arguments: arguments[-1].size)


@kernel
def beyond_bound(phi, slope, moments, moment_error, power, theta, step, spacing, last, slack):
    r"""Return an upper bound of the sum of |phi(s)|^power step/|4 sinh^2(zH/2)| over s = n ``spacing`` in (last, pi/H].

    ``phi`` and ``slope``, the centred derivative, are at the frequencies :math:`s_k = \pi k/(nH)`, k up to n;
    ``moments`` are the centred second and fourth, relatively within ``moment_error``; ``slack`` bounds the round-off of
    phi + (s - s_k) phi'.  Near zero :math:`|\phi|^2 \le 1 - \sigma^2 s^2 + (2\mu_4 +
    6\sigma^4) s^4/24`, decreasing up to some s1; beyond, on cells around s_k, :math:`|\phi(s)| \le |\phi(s_k) +
    \phi'(s_k)(s - s_k)| + \sigma^2 (s - s_k)^2/2`, largest at a cell's ends.
    """
    variance, fourth = moments
    quartic = (2.0 * fourth + 6.0 * variance * variance) / 24.0
    nyquist, cell = math.pi / step, math.pi / step / (phi.size - 1)
    half, sinh = 0.5 * cell, math.sinh(0.5 * step * theta)
    total, start = 0.0, last
    turn = min(math.sqrt(variance / (2.0 * quartic)), nyquist) if quartic > 0.0 else nyquist
    if last < turn:
        start = turn
        square = 1.0 - variance * last * last + quartic * last**4
        sine = math.sin(0.5 * step * last)
        weight = 0.25 * step / (sinh * sinh + sine * sine)
        # The square is at least 1/4, since its second term is at most half of the first.
        exponent = 0.5 * power * math.log(square) + 3.0 * power * variance * last * last * moment_error
        total += ((turn - last) / spacing + 1.0) * math.exp(exponent) * weight
    for k in range(phi.size):
        begin, end = max((k - 0.5) * cell, start), min((k + 0.5) * cell, nyquist)
        if not end > begin:
            continue
        bound = max(abs(phi[k] + half * slope[k]), abs(phi[k] - half * slope[k]))
        bound = min(bound + 0.5 * variance * half * half * (1.0 + moment_error) + slack, 1.0)
        exponent = power * math.log(bound)
        if exponent < -SMALLEST_EXPONENT:
            total += TINY
            continue
        sine = math.sin(0.5 * step * begin)
        weight = 0.25 * step / (sinh * sinh + sine * sine)
        total += ((end - begin) / spacing + 1.0) * math.exp(exponent) * weight
    # The relative error of a power grows with the exponent.
    return total * (1.0 + 1e-8) * math.exp(MODULUS * power)
