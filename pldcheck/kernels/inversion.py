"""Powers of characteristic functions at the nodes of half a period, and the terms of the inversion of their product."""

import math

from ._jit import kernel

UNIT = 2.0**-53
# Powers below e^-DEEP are not evaluated.
DEEP = 60.0


@kernel
def raise_into(phi, power, error, powers, doubts):
    r"""Multiply ``powers`` by phi^power, in place, and keep ``doubts``, bounds of their absolute errors.

    Of phi each value is known up to ``error``.  With b as computed and |a - b| at most e,
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
            # Of the modulus, its log, the angle and their products.
            doubt = size * (quotient * (1.0 + quotient) + UNIT * (16.0 + 14.0 * power + 4.0 * abs(exponent)))
        old, old_doubt = powers[n], doubts[n]
        old_size = math.sqrt(old.real * old.real + old.imag * old.imag)
        doubts[n] = old_doubt * size + doubt * (old_size + old_doubt)
        powers[n] = old * value


@kernel
def invert_into(theta, step, period, slack, powers, doubts):
    """Multiply ``powers``, in place, by H/(4 sinh^2(zH/2)), z = theta + 2 pi i n/(H ``period``); their error, summed.

    ``slack``: relative error of a term to come; both ends of the half period count as often as they are there.
    """
    sinh, cosh = math.sinh(0.5 * step * theta), math.cosh(0.5 * step * theta)
    largest = step / (4.0 * sinh * sinh)
    total = 0.0
    for n in range(powers.size):
        twice = 1.0 if n == 0 or 2 * n == period else 2.0
        if powers[n] == 0.0:
            total += twice * largest * doubts[n]
            continue
        b = math.pi * n / period
        sine = complex(sinh * math.cos(b), cosh * math.sin(b))
        weight = step / (4.0 * sine * sine)
        total += twice * abs(weight) * (doubts[n] + abs(powers[n]) * slack)
        powers[n] *= weight
    return total * (1.0 + 1e-8)
