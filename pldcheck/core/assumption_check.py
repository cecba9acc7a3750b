"""What :mod:`pldcheck.core.assumed` grants to library functions, held against balls on this machine."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy.fft
from flint import acb, arb, ctx

from . import assumed
from .directed import UNIT

# Points of each function at which the self-test looks: so many take a fraction of a second.
POINTS = 64
# Numbers of a trial FFT: few, many, of several small factors, and a power of two.
LENGTHS = (2, 96, 1000, 2**12)
# Bits of the balls: doubles of any exponent are added in them without rounding.
BITS = 2400


def points(grant: assumed.Grant, count: int) -> list[float]:
    """Return points of the range, of both signs where it is about a centre and the function is defined there."""
    shares = [(0.5 + k) / count + 0.3 / count * math.sin(7.0 * k) for k in range(count)]
    if grant.centre is None:
        return [grant.low + share * (grant.high - grant.low) for share in shares]
    start, end = math.log(grant.low), math.log(grant.high)
    away = [math.exp(start + share * (end - start)) for share in shares]
    one_sided = grant.name.endswith(("log", "sqrt")) and grant.centre == 0.0 or grant.centre == -1.0
    return [grant.centre + x * (1.0 if one_sided or k % 2 else -1.0) for k, x in enumerate(away)]


def units_off(grant: assumed.Grant, point: float) -> float:
    """Return by how many units the function is off at a point, against balls."""
    name = grant.name.rpartition(".")[2]
    with ctx.workprec(BITS if name in ("expm1", "log1p", "sinh", "tanh", "erf") else 600):
        x, found = arb(point), arb(float(grant.call(point)))
        if grant.exact is not None:
            exact = grant.exact(x)
        else:
            exact = (-x / arb(2).sqrt()).erfc() / 2 if name == "ndtr" else getattr(x, name)()
        size = arb(1) if grant.absolute else abs(exact)
        return float((abs(found - exact) / size).upper()) / UNIT


def fft_units_off(count: int) -> float:
    """Return the units by which an FFT is off, over log2 of its length.

    Some frequencies are held against balls; the inverse transform against the numbers that it began with.
    """
    with ctx.workprec(120):
        ratio, shift = 1.0 - 1.0 / (count + 1.0), count // 3
        numbers = np.roll(np.array([ratio**k for k in range(count)]) / count, shift)
        found, total, worst = scipy.fft.rfft(numbers), float(np.sum(numbers)), 0.0
        roots = [(acb(-2 * k) / count).exp_pi_i() for k in range(count)]
        for place in sorted({0, 1, count // 2, *(count * k // 17 for k in range(9))} & set(range(found.size))):
            exact = acb(0)
            for k, number in enumerate(numbers.tolist()):
                exact += roots[place * k % count] * number
            off = abs(exact - acb(float(found[place].real), float(found[place].imag)))
            worst = max(worst, float(off.upper()) / total / UNIT)
        back = scipy.fft.irfft(found, count)
        worst = max(worst, float(np.max(np.abs(back - numbers))) * count / (float(np.sum(np.abs(found))) * 2.0) / UNIT)
        return worst / max(math.log2(count), 1.0)


def broken(count: int = POINTS, lengths: Sequence[int] = LENGTHS) -> list[str]:
    """Return a line for each assumption that does not hold on this machine; none where all is well."""
    found = []
    for grant in assumed.GRANTS:
        off = max(units_off(grant, point) for point in points(grant, count))
        if not off <= grant.units:
            found.append(
                f"{grant.name} is off by {off:.3g} units in [{grant.low:g}, {grant.high:g}], granted {grant.units:g}"
            )
    for length in lengths:
        off = fft_units_off(length)
        if not off <= assumed.FFT:
            found.append(f"an FFT of {length} numbers is off by {off:.3g} log2(N) units, granted {assumed.FFT:g}")
    return found
