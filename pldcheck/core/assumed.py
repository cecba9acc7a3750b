r"""What is assumed of the libraries that numbers come from, in one place, and a test of it on this machine.

IEEE 754 double precision, rounded to nearest: sums, products, quotients and square roots are within one unit, a
relative error of 2^-53, where they are no subnormal numbers.  Of functions more is assumed than any standard says: the
table below, function by function, over the range that it is used on.  No value is taken outside of it but where it is
certainly 0 or not a number of use.

Of an FFT of N numbers (:func:`scipy.fft.rfft` and ``irfft`` times N, N without prime factors beyond 5): each output is
within ``FFT`` log2(N) units of the sum of the absolute values of the numbers.  It is a sum over paths through log2 N
butterflies; each multiplies by a root of unity, within 4 units, and adds.

Sums by numpy of n numbers are in pairs, in blocks of 128 by eight accumulators: within log2(n) + 20 units of the sum of
the absolute values.

Everything is swept against balls over its range in tests/ledger/test_library_functions.py, and at a few hundred points
by :func:`broken`, which ``pldcheck doctor`` asks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.fft
import scipy.special

from .directed import UNIT

# Units of one output of an FFT, over log2 of how many numbers it is of.
FFT = 8.0
# Points of each function at which the self-test looks: so many take a fraction of a second.
POINTS = 64
# Numbers of a trial FFT: few, many, of several small factors, and a power of two.
LENGTHS = (2, 96, 1000, 2**12)
# Bits of the balls: doubles of any exponent are added in them without rounding.
BITS = 2400


@dataclass(frozen=True)
class Grant:
    """A function, the range it is used on, and by how many units it may be off.

    ``spread``: how points of the range are drawn, evenly or evenly in the logarithm of their distance from ``centre``.
    ``absolute``: units of 1 and not of the value.  ``exact``: the function of balls, where it has not the same name.
    """

    name: str
    call: Callable[[Any], Any]
    low: float
    high: float
    units: float
    absolute: bool = False
    centre: float | None = None
    exact: Callable[[Any], Any] | None = None


def _log2(x: Any) -> Any:
    return x.log() / type(x)(2).log()


def _angle(x: Any) -> Any:
    return type(x).atan2(type(x)(1), x)


def _hypot(x: Any) -> Any:
    return (x * x + 1).sqrt()


def _power(x: Any) -> Any:
    return x**7


GRANTS: tuple[Grant, ...] = (
    # results that are normal numbers
    Grant("numpy.exp", np.exp, -708.0, 709.0, 4.0),
    Grant("numpy.exp", np.exp, 1e-18, 1.0, 4.0, centre=0.0),
    Grant("math.exp", math.exp, -708.0, 709.0, 4.0),
    Grant("numpy.expm1", np.expm1, -708.0, 709.0, 4.0),
    Grant("numpy.expm1", np.expm1, 1e-300, 1.0, 4.0, centre=0.0),
    Grant("math.expm1", math.expm1, 1e-300, 700.0, 4.0, centre=0.0),
    Grant("numpy.log", np.log, 1e-307, 1e308, 4.0, centre=0.0),
    Grant("numpy.log", np.log, 1e-16, 0.5, 4.0, centre=1.0),
    Grant("math.log", math.log, 1e-307, 1e308, 4.0, centre=0.0),
    Grant("numpy.log1p", np.log1p, 1e-300, 0.999, 4.0, centre=0.0),
    Grant("numpy.log1p", np.log1p, 1e-16, 0.5, 4.0, centre=-1.0),
    Grant("math.log1p", math.log1p, 1e-300, 0.999, 4.0, centre=0.0),
    Grant("numpy.sqrt", np.sqrt, 1e-300, 1e300, 1.0, centre=0.0),
    Grant("numpy.sinh", np.sinh, 1e-300, 700.0, 8.0, centre=0.0),
    Grant("numpy.cosh", np.cosh, 1e-300, 700.0, 8.0, centre=0.0),
    Grant("numpy.tanh", np.tanh, 1e-300, 700.0, 8.0, centre=0.0),
    Grant("math.sinh", math.sinh, 1e-300, 700.0, 8.0, centre=0.0),
    Grant("math.cosh", math.cosh, 1e-300, 700.0, 8.0, centre=0.0),
    # angles of whatever size: the argument is reduced exactly
    Grant("numpy.sin", np.sin, 1e-10, 1e15, 4.0, absolute=True, centre=0.0),
    Grant("numpy.cos", np.cos, 1e-10, 1e15, 4.0, absolute=True, centre=0.0),
    Grant("math.sin", math.sin, 1e-300, 1.6, 4.0, centre=0.0),
    Grant("numpy.sin", np.sin, 1e-300, 1.6, 4.0, centre=0.0),
    Grant("math.sin", math.sin, 1e-10, 1e15, 4.0, absolute=True, centre=0.0),
    Grant("math.cos", math.cos, 1e-10, 1e15, 4.0, absolute=True, centre=0.0),
    Grant("numpy.exp(ix).real", lambda x: np.exp(1j * x).real, 1e-10, 1e15, 4.0, True, 0.0, lambda x: x.cos()),
    Grant("numpy.exp(ix).imag", lambda x: np.exp(1j * x).imag, 1e-10, 1e15, 4.0, True, 0.0, lambda x: x.sin()),
    # functions of two numbers, of which only the quotient matters, or the difference, or one is a count
    Grant("math.atan2(x, 1)", lambda x: math.atan2(x, 1.0), 1e-300, 1e300, 4.0, False, 0.0, lambda x: x.atan()),
    Grant("math.atan2(1, x)", lambda x: math.atan2(1.0, x), 1e-300, 1e300, 4.0, False, 0.0, _angle),
    Grant("numpy.arctan2(x, 1)", lambda x: np.arctan2(x, 1.0), 1e-300, 1e300, 4.0, False, 0.0, lambda x: x.atan()),
    Grant("numpy.arctan2(1, x)", lambda x: np.arctan2(1.0, x), 1e-300, 1e300, 4.0, False, 0.0, _angle),
    Grant("math.hypot(x, 1)", lambda x: math.hypot(x, 1.0), 1e-300, 1e150, 4.0, False, 0.0, _hypot),
    Grant("numpy.hypot(x, 1)", lambda x: np.hypot(x, 1.0), 1e-300, 1e150, 4.0, False, 0.0, _hypot),
    Grant("numpy.logaddexp(x, 0)", lambda x: np.logaddexp(x, 0.0), -700.0, 700.0, 8.0, exact=lambda x: x.exp().log1p()),
    Grant("numpy.power(x, 7)", lambda x: np.power(x, 7), 1e-40, 1.0, 4.0, exact=_power),
    # of sizes: error bounds of sums and of FFTs
    Grant("math.log2", math.log2, 2.0, 2.0**62, 4.0, exact=_log2),
    Grant("numpy.log2", np.log2, 2.0, 2.0**62, 4.0, exact=_log2),
    Grant("math.tanh", math.tanh, 1e-300, 700.0, 8.0, centre=0.0),
    Grant("math.erf", math.erf, 1e-300, 6.0, 8.0, centre=0.0),
    Grant("math.erfc", math.erfc, -6.0, 26.5, 8.0),
    # exp(-x^2/2) of a rounded square, which is up to 704
    Grant("scipy.special.ndtr", scipy.special.ndtr, -37.5, 8.5, 3072.0),
    Grant("scipy.special.ndtr", scipy.special.ndtr, -2.0, 8.5, 16.0),
)


# Functions that only say where to look, how many points to take, or what a message says: no end rests on their values.
HINTS = ("scipy.special.ndtri", "scipy.optimize.brentq", "scipy.fft.next_fast_len", "numpy.cbrt", "numpy.interp")


def points(grant: Grant, count: int) -> list[float]:
    """Points of the range, of both signs where it is about a centre and the function is defined there."""
    shares = [(0.5 + k) / count + 0.3 / count * math.sin(7.0 * k) for k in range(count)]
    if grant.centre is None:
        return [grant.low + share * (grant.high - grant.low) for share in shares]
    start, end = math.log(grant.low), math.log(grant.high)
    away = [math.exp(start + share * (end - start)) for share in shares]
    one_sided = grant.name.endswith(("log", "sqrt")) and grant.centre == 0.0 or grant.centre == -1.0
    return [grant.centre + x * (1.0 if one_sided or k % 2 else -1.0) for k, x in enumerate(away)]


def units_off(grant: Grant, point: float) -> float:
    """By how many units the function is off at a point, against balls."""
    from flint import arb, ctx

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
    """Units by which an FFT is off over log2 of its length: at some frequencies against balls, and there and back."""
    from flint import acb, ctx

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
    """What is assumed and is not so on this machine, a line for each; nothing where all is well."""
    found = []
    for grant in GRANTS:
        off = max(units_off(grant, point) for point in points(grant, count))
        if not off <= grant.units:
            found.append(
                f"{grant.name} is off by {off:.3g} units in [{grant.low:g}, {grant.high:g}], granted {grant.units:g}"
            )
    for length in lengths:
        off = fft_units_off(length)
        if not off <= FFT:
            found.append(f"an FFT of {length} numbers is off by {off:.3g} log2(N) units, granted {FFT:g}")
    return found
