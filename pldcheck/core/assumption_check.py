"""A test of the assumptions of :mod:`pldcheck.core.assumed` on this machine, against ball arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from flint import acb, arb, ctx

from . import assumed, fourier
from .directed import UNIT

# The number of points at which the self-test evaluates each function: so many take a fraction of a second.
POINTS = 64
# The lengths of the FFTs in the self-test: few, many, several small factors, and a power of two.
LENGTHS = (2, 96, 1000, 2**12)
# The precision of the balls in bits: doubles of any exponents are added in them without rounding.
BITS = 2400


def points(grant: assumed.Grant, count: int) -> list[float]:
    """Return points of the range, on both sides of the centre where the function is defined on both."""
    shares = [(0.5 + k) / count + 0.3 / count * math.sin(7.0 * k) for k in range(count)]
    if grant.centre is None:
        return [grant.low + share * (grant.high - grant.low) for share in shares]
    start, end = math.log(grant.low), math.log(grant.high)
    distances = [math.exp(start + share * (end - start)) for share in shares]
    one_sided = grant.name.endswith(("log", "sqrt")) and grant.centre == 0.0 or grant.centre == -1.0
    return [grant.centre + x * (1.0 if one_sided or k % 2 else -1.0) for k, x in enumerate(distances)]


def units_off(grant: assumed.Grant, point: float) -> float:
    """Return the error of the function at a point, in units, by ball arithmetic."""
    name = grant.name.rpartition(".")[2]
    with ctx.workprec(BITS if name in ("expm1", "log1p", "sinh", "tanh", "erf") else 600):
        x, value = arb(point), arb(float(grant.call(point)))
        if grant.exact is not None:
            exact = grant.exact(x)
        else:
            exact = (-x / arb(2).sqrt()).erfc() / 2 if name == "ndtr" else getattr(x, name)()
        size = arb(1) if grant.absolute else abs(exact)
        return float((abs(value - exact) / size).upper()) / UNIT


def fft_units_off(count: int) -> float:
    """Return the error of an FFT in units over log2 of its length.

    It is the larger of the errors at some frequencies, by ball arithmetic, and of a transform followed by its inverse.
    """
    with ctx.workprec(120):
        ratio, shift = 1.0 - 1.0 / (count + 1.0), count // 3
        numbers = np.roll(np.array([ratio**k for k in range(count)]) / count, shift)
        outputs, total, worst = np.fft.rfft(numbers), float(np.sum(numbers)), 0.0
        roots = [(acb(-2 * k) / count).exp_pi_i() for k in range(count)]
        for place in sorted({0, 1, count // 2, *(count * k // 17 for k in range(9))} & set(range(outputs.size))):
            exact = acb(0)
            for k, number in enumerate(numbers.tolist()):
                exact += roots[place * k % count] * number
            off = abs(exact - acb(float(outputs[place].real), float(outputs[place].imag)))
            worst = max(worst, float(off.upper()) / total / UNIT)
        back, size = np.fft.irfft(outputs, count), float(np.sum(np.abs(outputs))) * 2.0
        worst = max(worst, float(np.max(np.abs(back - numbers))) * count / size / UNIT)
        return worst / max(math.log2(count), 1.0)


def violations(count: int = POINTS, lengths: Sequence[int] = LENGTHS) -> list[str]:
    """Return one line for each assumption that does not hold on this machine; the list is empty where all hold."""
    lines = []
    for grant in assumed.GRANTS:
        off = max(units_off(grant, point) for point in points(grant, count))
        if not off <= grant.units:
            span = f"[{grant.low:g}, {grant.high:g}]"
            lines.append(f"{grant.name} has an error of {off:.3g} units in {span}; at most {grant.units:g} are assumed")
    for length in lengths:
        off = fft_units_off(length)
        if not off <= fourier.FFT:
            size = f"{off:.3g} log2(N) units"
            lines.append(
                f"an FFT of {length} numbers has an error of {size}; {fourier.FFT:g} log2(N) units are assumed"
            )
    return lines
